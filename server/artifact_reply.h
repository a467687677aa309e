/*
 * artifact_reply.h - a stored link as JSON: the row, and what its maker is told.
 */
#ifndef ARXD_ARTIFACT_REPLY_H
#define ARXD_ARTIFACT_REPLY_H

#include "fields.h"
#include "store.h"

/*
 * Appends the row as an object: id, payload, created_at, updated_at, last_viewed_at, expires_at,
 * codec, asset_set, kind, title, ttl_seconds, views.
 */
void artifact_write_row(const store_artifact *artifact, arx_buf *out);

/*
 * Appends what the maker of a link is told, as an object: id, expires_at, url, short_url, raw_url,
 * markdown_link, codec, edit_key, warnings. origin: "https://host". warning: a sentence, or NULL.
 */
void artifact_write_created(const store_artifact *artifact, const char *edit_key,
                            const char *origin, const char *warning, arx_buf *out);

/* Appends members: raw_url; and url, short_url, raw_url, markdown_link. origin: "https://host". */
void artifact_write_raw_url(const store_artifact *artifact, const char *origin, arx_buf *out);
void artifact_write_urls(const store_artifact *artifact, const char *origin, arx_buf *out);

#endif

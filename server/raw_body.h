/*
 * raw_body.h - one artifact of a link as plain text, with the name it would be saved under. Made
 * once and kept in the cache for the next reader. Event thread.
 */
#ifndef ARXD_RAW_BODY_H
#define ARXD_RAW_BODY_H

#include "envelope.h"
#include "raw_cache.h"
#include "reply.h"

/* part: an artifact's id, or "" for the active one. A reference to the cached body, or NULL. */
raw_entry *raw_body_find(raw_cache *cache, const store_artifact *row, const char *part);
/* Makes and keeps it. API_OK with a reference, API_NO_SUCH_ARTIFACT or API_INTERNAL. */
api_result raw_body_make(raw_cache *cache, const store_artifact *row, const char *part,
                         const arx_json *envelope, raw_entry **body);

/* Sends it, as a download with `?download`. The request must hold the reference until it ends. */
void raw_body_send(http_request *request, const raw_entry *body, const char *content_type);

#endif

/*
 * share_request.h - POST /share: what a body of plain text is, by the query, its file name and its
 * Content-Type. Pure.
 */
#ifndef ARXD_SHARE_REQUEST_H
#define ARXD_SHARE_REQUEST_H

#include "draft.h"
#include "reply.h"

#define SHARE_MAX_UNITS 200000u

/* Texts are NUL-terminated, or NULL where not given; borrowed. */
typedef struct share_request {
    const char *kind;
    const char *filename;
    const char *title;
    const char *language;
    const char *content_type;
    const uint8_t *text;
    size_t text_len;
} share_request;

/*
 * Fills in a draft, which borrows from the request. The kind is the one that was asked for, else
 * the file name's, else the Content-Type's, else markdown. API_OK, or what to answer; `message` as
 * for reply_error_message().
 */
api_result share_request_draft(const share_request *request, arx_draft *draft, arx_buf *message);

#endif

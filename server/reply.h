/*
 * reply.h - what handlers answer with: JSON bodies, and one table of everything that can go wrong.
 *
 * Handlers name a result; status, code, text and Retry-After come from the table in reply.c. Event
 * thread only; each of these ends the request, as the http_send functions do.
 */
#ifndef ARXD_REPLY_H
#define ARXD_REPLY_H

#include "encode_request.h"
#include "fields.h"
#include "fragment.h"
#include "http.h"

typedef enum api_result {
    API_OK = 0,
    /* 400 */
    API_BAD_REQUEST,
    API_INVALID_BODY,
    API_PAYLOAD_NOT_STRING,
    API_PAYLOAD_EMPTY,
    API_PAYLOAD_TOO_LONG,
    API_INVALID_OPTION, /* text: the caller's, naming the option and what is allowed */
    API_NO_SUCH_SET,    /* the request names an asset set that is not loaded */
    API_TEXT_NOT_UTF8,
    API_REQUEST_KEY, /* an Idempotency-Key that is too short or too long */
    /* 401, 403 */
    API_UNAUTHORIZED,
    API_FORBIDDEN, /* a good token, whose scopes do not allow it */
    API_FOREIGN,   /* from a page or under a name that may not call this; guard.h */
    /* 404, 405, 406, 409, 410, 413 */
    API_NOT_FOUND,
    API_NO_ARTIFACT,       /* no such link, or it has expired */
    API_NOTHING_TO_DELETE, /* no such link, and not one that has expired */
    API_NO_SUCH_ARTIFACT,  /* the link is there, the artifact id in its bundle is not */
    API_NO_JOB,
    API_NO_RESULT, /* no such request of an agent, or its answer is no longer kept */
    API_NO_APPROVAL,
    API_METHOD_NOT_ALLOWED,
    API_NOT_ACCEPTABLE,
    API_REQUEST_ID_USED,  /* an agent's request id that came with another request before */
    API_REQUEST_KEY_USED, /* an Idempotency-Key that came with another body before */
    API_NOT_COUNTED,      /* a view of a link whose views are not limited */
    API_APPROVAL_DECIDED,
    API_APPROVAL_OVER, /* used, or lapsed */
    API_ARTIFACT_GONE, /* API_NO_ARTIFACT for one there was, with --gone */
    API_BODY_TOO_LARGE,
    API_TEXT_TOO_LONG,
    /* 429 */
    API_RATE_LIMITED,
    /* 422: text is format.md's, made by the codec */
    API_UNDECODABLE_EMPTY,
    API_UNDECODABLE_TOO_LARGE,
    API_UNDECODABLE_MISSING_KEY,
    API_UNDECODABLE_FORMAT,
    API_UNDECODABLE_JSON,
    API_UNDECODABLE_DECODED_TOO_LARGE,
    API_INVALID_ENVELOPE,
    API_ASSET_UNAVAILABLE,
    API_NO_CANDIDATES,
    /* 5xx */
    API_INTERNAL, /* also: no memory */
    API_STORE_FAILED,
    API_LOAD_FAILED,
    API_NOT_IMPLEMENTED,
    API_BUSY,
    API_STOPPING,
    API_DEADLINE,
    API_STORAGE_FULL,
    API_TOKEN_FULL,
    API_RESULT_COUNT
} api_result;

/* One row of the table; for tests and documents. */
typedef struct api_row {
    unsigned status;
    const char *code;
    const char *text;       /* NULL: the caller's */
    unsigned retry_after_s; /* 0: no header */
    const char *page_title; /* of the HTML form; NULL: "Error" */
    const char *page_text;  /* NULL: `text` */
} api_row;
const api_row *api_row_of(api_result result);

/* The result for a failed decode or encode, and for a body that was not what it may be. */
api_result api_result_of_code(arx_code code);
api_result api_result_of_request(arx_request_result result);

/* Appends the members "error" and "code"; message: where the table leaves the text to the caller.
 */
void error_fields(arx_buf *out, api_result result, const arx_buf *message);

/* `{"error": text, "code": code}` */
void reply_error(http_request *request, api_result result);
void reply_error_text(http_request *request, api_result result, const uint8_t *text, size_t len);
/* The table's text, or `message` where the table leaves it to the caller. */
void reply_error_message(http_request *request, api_result result, const arx_buf *message);
/* API_INVALID_OPTION with a sentence. */
void reply_invalid(http_request *request, const char *sentence);
/* With the code and message the codec gave; API_INTERNAL when it had no memory. */
void reply_codec_error(http_request *request, const arx_error *error);
/* The same results as a line of text (no final dot), and as a page. */
void reply_error_plain(http_request *request, api_result result);
void reply_codec_error_plain(http_request *request, const arx_error *error);
void reply_error_page(http_request *request, api_result result);

/* Sends the buffer's bytes as JSON and takes them; a failed buffer becomes API_INTERNAL. */
void reply_json(http_request *request, unsigned status, arx_buf *body);
/* The same with any content type. */
void reply_bytes(http_request *request, unsigned status, const char *content_type, arx_buf *body);
/* 204. */
void reply_no_content(http_request *request);

#define CONTENT_JSON "application/json; charset=utf-8"
#define CONTENT_TEXT "text/plain; charset=utf-8"
#define CONTENT_HTML "text/html; charset=utf-8"

#endif

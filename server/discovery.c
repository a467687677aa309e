/* discovery.c - see discovery.h. The handler serves all of them: the path says which. */
#include "discovery.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "conditional.h"
#include "embedded.h"
#include "reply.h"
#include "served_file.h"
#include "service.h"

#define ORIGIN "{origin}"

static const struct {
    const char *path;
    const char *file;
    const char *content_type;
    const char *link; /* the Link header, or NULL */
} documents[] = {
    {"/robots.txt", "robots.txt", CONTENT_TEXT, NULL},
    {"/sitemap.xml", "sitemap.xml", "application/xml; charset=utf-8", NULL},
    {"/llms.txt", "llms.txt", CONTENT_TEXT, NULL},
    {"/openapi.json", "openapi.json", CONTENT_JSON, NULL},
    {"/.well-known/api-catalog", "api-catalog.json",
     "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"",
     "</.well-known/api-catalog>; rel=\"api-catalog\""},
    {"/.well-known/agent-skills/index.json", "skills.json", CONTENT_JSON, NULL},
    {"/.well-known/agent-skills/arxd/SKILL.md", "SKILL.md", "text/markdown; charset=utf-8", NULL},
};

#define DOCUMENTS (sizeof documents / sizeof documents[0])

typedef struct document {
    const embedded_file *file;
    bool filled_in; /* holds ORIGIN */
    char etag[ETAG_SIZE];
} document;

struct discovery {
    document documents[DOCUMENTS];
    char last_modified[HTTP_DATE_SIZE];
};

discovery *discovery_create(void) {
    discovery *table = calloc(1, sizeof *table);
    if (table == NULL) {
        return NULL;
    }
    http_date(program_modified_s(), table->last_modified);
    for (size_t i = 0; i < DOCUMENTS; i++) {
        document *d = &table->documents[i];
        for (size_t k = 0; k < embedded_discovery_count; k++) {
            if (strcmp(embedded_discovery[k].name, documents[i].file) == 0) {
                d->file = &embedded_discovery[k];
            }
        }
        if (d->file != NULL) {
            d->filled_in = memmem(d->file->data, d->file->len, ORIGIN, strlen(ORIGIN)) != NULL;
            etag_of(d->file->data, d->file->len, d->etag);
        }
    }
    return table;
}

void discovery_free(discovery *table) {
    free(table);
}

void discovery_fill_in(const uint8_t *text, size_t len, const char *origin, arx_buf *out) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "-._~:/[]%";
    size_t origin_len = strlen(origin);
    if (strspn(origin, plain) != origin_len) {
        origin_len = 0;
    }
    const uint8_t *end = text + len;
    for (;;) {
        const uint8_t *hole = memmem(text, (size_t)(end - text), ORIGIN, strlen(ORIGIN));
        if (hole == NULL) {
            break;
        }
        arx_buf_append(out, text, (size_t)(hole - text));
        arx_buf_append(out, origin, origin_len);
        text = hole + strlen(ORIGIN);
    }
    arx_buf_append(out, text, (size_t)(end - text));
}

/* Is `path` the one the request's segments make? */
static bool path_is(const http_request *request, const char *path) {
    for (size_t i = 0; i < http_segment_count(request); i++) {
        const char *segment = http_segment(request, i);
        size_t len = strlen(segment);
        if (*path != '/' || strncmp(path + 1, segment, len) != 0) {
            return false;
        }
        path += 1 + len;
    }
    return *path == '\0';
}

/* Adds what lets a client keep the document. True, with the reply made, if it has it already. */
static bool is_kept(http_request *request, const char *etag, const char *last_modified) {
    http_add_header(request, "ETag", etag);
    http_add_header(request, "Last-Modified", last_modified);
    bool same = not_modified(http_header(request, "If-None-Match"),
                             http_header(request, "If-Modified-Since"), etag, last_modified);
    if (same) {
        http_send_static(request, 304, NULL, "", 0);
    }
    return same;
}

static void send_filled_in(http_request *request, const document *d, const char *content_type,
                           const char *last_modified) {
    const char *origin = http_origin(request);
    arx_buf text;
    arx_buf_init(&text, 0);
    if (origin != NULL) {
        discovery_fill_in(d->file->data, d->file->len, origin, &text);
    }
    if (origin == NULL || arx_buf_result(&text) != ARX_OK) {
        reply_error_plain(request, API_INTERNAL);
    } else {
        char etag[ETAG_SIZE];
        etag_of(text.data, text.len, etag);
        if (!is_kept(request, etag, last_modified)) {
            reply_bytes(request, 200, content_type, &text);
        }
    }
    arx_buf_free(&text);
}

void discovery_file(http_request *request) {
    const service *server = http_service(request);
    const discovery *table = server->discovery;
    size_t i = 0;
    while (i < DOCUMENTS && !path_is(request, documents[i].path)) {
        i++;
    }
    if (i == DOCUMENTS || table->documents[i].file == NULL) {
        reply_error_plain(request, API_NOT_FOUND);
        return;
    }
    const document *d = &table->documents[i];
    if (documents[i].link != NULL) {
        http_add_header(request, "Link", documents[i].link);
    }
    if (d->filled_in) {
        send_filled_in(request, d, documents[i].content_type, table->last_modified);
    } else if (!is_kept(request, d->etag, table->last_modified)) {
        http_send_static(request, 200, documents[i].content_type, d->file->data, d->file->len);
    }
}

/* corpus.c - what is measured; see codecs.h. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asset_files.h"
#include "codecs.h"
#include "draft.h"
#include "filetype.h"

const char *codecs_kind_name(unsigned kind) {
    return kind == CODECS_BUNDLE ? "bundle" : arx_kind_name((arx_kind)kind);
}

/* Sets kind and size by the row's envelope. */
static void look_at(codecs_row *row) {
    const arx_json *artifacts = arx_json_get(row->envelope, "artifacts");
    row->kind = artifacts->as.list.count > 1
                    ? (unsigned)CODECS_BUNDLE
                    : (unsigned)arx_artifact_kind(arx_json_at(artifacts, 0));
    row->bytes = 0;
    for (const arx_json *a = artifacts->as.list.first; a != NULL; a = a->next) {
        arx_buf body;
        arx_buf_init(&body, 0);
        arx_artifact_body(a, &body);
        if (arx_buf_result(&body) != ARX_OK) {
            codecs_stop("out of memory");
        }
        row->bytes += body.len;
        arx_buf_free(&body);
    }
}

static char *copy_name(const char *name, size_t len) {
    char *copy = codecs_alloc(len + 1, 1);
    memcpy(copy, name, len);
    return copy;
}

/* The envelope that a JSON file holds, or NULL: then it is a document like any other. */
static arx_json *envelope_in(arx_json_doc **doc, const uint8_t *text, size_t len) {
    arx_json *value;
    arx_json *envelope;
    const arx_json *id;
    if (arx_json_parse(text, len, 0, doc, &value) != ARX_OK) {
        return NULL;
    }
    if (arx_envelope_normalise(*doc, value, &envelope, &id) != ARX_ENVELOPE_OK) {
        arx_json_doc_free(*doc);
        *doc = NULL;
        return NULL;
    }
    return envelope;
}

void codecs_row_from_text(codecs_row *row, const char *name, const uint8_t *text, size_t len) {
    const uint8_t *base = (const uint8_t *)name;
    size_t base_len = strlen(name);
    arx_filetype type = {ARX_KIND_MARKDOWN, NULL};
    arx_file_basename(&base, &base_len);
    arx_filetype_of(base, base_len, &type);
    *row = (codecs_row){.name = copy_name((const char *)base, base_len)};
    if (type.kind == ARX_KIND_JSON) {
        row->envelope = envelope_in(&row->doc, text, len);
    }
    if (row->envelope == NULL) {
        const arx_draft draft = {
            .kind = type.kind,
            .filename = base,
            .filename_len = base_len,
            .content = text,
            .content_len = len,
            .language = (const uint8_t *)type.language,
            .language_len = type.language != NULL ? strlen(type.language) : 0,
        };
        const char *message = "out of memory";
        row->doc = arx_json_doc_create();
        if (row->doc == NULL ||
            arx_draft_envelope(&draft, row->doc, &row->envelope, &message) != ARX_OK) {
            codecs_stop("%s: %s", name, message);
        }
    }
    look_at(row);
}

void codecs_row_free(codecs_row *row) {
    free(row->name);
    arx_json_doc_free(row->doc);
    *row = (codecs_row){0};
}

static int in_corpus(const struct dirent *entry) {
    return entry->d_name[0] != '.' && strcmp(entry->d_name, "README.md") != 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

void codecs_read_folder(codecs_corpus *corpus, const char *folder) {
    struct dirent **entries;
    int count = scandir(folder, &entries, in_corpus, by_bytes);
    if (count <= 0) {
        codecs_stop("%s holds no file", folder);
    }
    *corpus = (codecs_corpus){.rows = codecs_alloc((size_t)count, sizeof *corpus->rows)};
    for (int i = 0; i < count; i++) {
        char path[4096];
        uint8_t *text;
        size_t len;
        if (snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name) >= (int)sizeof path) {
            codecs_stop("%s: the path is too long", folder);
        }
        int error = asset_file_read(path, &text, &len);
        if (error != 0) {
            codecs_stop("%s: %s", path, strerror(error));
        }
        if (!arx_text_is_utf8(text, len)) {
            codecs_stop("%s is not UTF-8", path);
        }
        codecs_row_from_text(&corpus->rows[corpus->count++], entries[i]->d_name, text, len);
        free(text);
        free(entries[i]);
    }
    free(entries);
}

static void row_from_json(codecs_row *row, arx_json_doc *doc, const arx_json *entry,
                          const char *path) {
    const arx_json *name = arx_json_get_string(entry, "name");
    const arx_json *kind = arx_json_get_string(entry, "kind");
    arx_json *value = arx_json_get(entry, "envelope");
    const arx_json *id;
    if (name == NULL || value == NULL ||
        arx_envelope_normalise(doc, value, &row->envelope, &id) != ARX_ENVELOPE_OK) {
        codecs_stop("%s: a row without a name or a good envelope", path);
    }
    row->name = copy_name((const char *)name->as.string.data, name->as.string.len);
    look_at(row);
    for (unsigned k = 0; k < CODECS_KIND_COUNT; k++) {
        if (arx_json_string_is(kind, codecs_kind_name(k))) {
            row->kind = k;
        }
    }
}

void codecs_read_json(codecs_corpus *corpus, const char *path) {
    uint8_t *text;
    size_t len;
    arx_json *root;
    *corpus = (codecs_corpus){0};
    int error = asset_file_read(path, &text, &len);
    if (error != 0) {
        codecs_stop("%s: %s", path, strerror(error));
    }
    if (!arx_text_is_utf8(text, len) ||
        arx_json_parse(text, len, 0, &corpus->doc, &root) != ARX_OK) {
        codecs_stop("%s is not JSON", path);
    }
    free(text);
    const arx_json *list = arx_json_is(root, ARX_JSON_OBJECT) ? arx_json_get(root, "rows") : root;
    if (!arx_json_is(list, ARX_JSON_ARRAY) || list->as.list.count == 0) {
        codecs_stop("%s: neither an array nor an object with \"rows\"", path);
    }
    corpus->rows = codecs_alloc(list->as.list.count, sizeof *corpus->rows);
    for (const arx_json *entry = list->as.list.first; entry != NULL; entry = entry->next) {
        row_from_json(&corpus->rows[corpus->count++], corpus->doc, entry, path);
    }
}

void codecs_corpus_free(codecs_corpus *corpus) {
    for (size_t i = 0; i < corpus->count; i++) {
        codecs_row_free(&corpus->rows[i]);
    }
    free(corpus->rows);
    arx_json_doc_free(corpus->doc);
    *corpus = (codecs_corpus){0};
}

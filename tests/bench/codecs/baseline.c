/* baseline.c - what must hold; see codecs.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asset_files.h"
#include "codecs.h"

/* A row's numbers that must not grow, by their names in the file. */
static const struct {
    const char *name;
    bool coded; /* bytes of `codec`, else its visible units */
    arx_codec codec;
} watched[] = {
    {"arx", true, ARX_CODEC_ARX},          {"arx2", true, ARX_CODEC_ARX2},
    {"arx5", true, ARX_CODEC_ARX5},        {"arx3Visible", false, ARX_CODEC_ARX3},
    {"transport", false, ARX_CODEC_COUNT}, /* of the choice */
};
enum { WATCHED = sizeof watched / sizeof watched[0] };

static size_t value_of(const codecs_measured *m, size_t i) {
    if (watched[i].codec == ARX_CODEC_COUNT) {
        return m->transport;
    }
    const codecs_lengths *lengths = &m->codec[watched[i].codec];
    return watched[i].coded ? lengths->coded : lengths->visible;
}

/* ---- reading ---- */

typedef struct baseline_file {
    arx_json_doc *doc;
    const arx_json *rows;
} baseline_file;

static void baseline_open(baseline_file *b, const char *path) {
    uint8_t *text;
    size_t len;
    arx_json *root;
    int error = asset_file_read(path, &text, &len);
    if (error != 0) {
        codecs_stop("%s: %s", path, strerror(error));
    }
    if (arx_json_parse(text, len, 0, &b->doc, &root) != ARX_OK) {
        codecs_stop("%s is not JSON", path);
    }
    free(text);
    b->rows = arx_json_get(root, "rows");
    if (!arx_json_is(b->rows, ARX_JSON_ARRAY)) {
        codecs_stop("%s has no \"rows\"", path);
    }
}

static const arx_json *baseline_row(const baseline_file *b, const char *name) {
    for (const arx_json *row = b->rows->as.list.first; row != NULL; row = row->next) {
        if (arx_json_string_is(arx_json_get(row, "name"), name)) {
            return row;
        }
    }
    return NULL;
}

/* A member that is a count; 0 without one. */
static size_t count_of(const arx_json *row, const char *key) {
    const arx_json *value = arx_json_get(row, key);
    bool good =
        arx_json_is(value, ARX_JSON_NUMBER) && value->as.number >= 0 && value->as.number < 1e9;
    return good ? (size_t)value->as.number : 0;
}

size_t *codecs_read_reference(const codecs_corpus *corpus, const char *path) {
    baseline_file b;
    size_t *reference = codecs_alloc(corpus->count, sizeof *reference);
    baseline_open(&b, path);
    for (size_t i = 0; i < corpus->count; i++) {
        reference[i] = count_of(baseline_row(&b, corpus->rows[i].name), "auto");
        if (reference[i] == 0) {
            codecs_stop("%s: no \"auto\" for %s", path, corpus->rows[i].name);
        }
    }
    arx_json_doc_free(b.doc);
    return reference;
}

/* ---- writing ---- */

void codecs_write_baseline(const codecs_corpus *corpus, const codecs_measured *measured,
                           const char *path) {
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        codecs_stop("cannot write %s", path);
    }
    fprintf(file, "{\"rows\":[\n");
    for (size_t i = 0; i < corpus->count; i++) {
        arx_buf name;
        arx_buf_init(&name, 0);
        arx_json_write_string((const uint8_t *)corpus->rows[i].name, strlen(corpus->rows[i].name),
                              &name);
        if (arx_buf_result(&name) != ARX_OK) {
            codecs_stop("out of memory");
        }
        fprintf(file, "{\"name\":%.*s,\"bytes\":%zu", (int)name.len, (const char *)name.data,
                corpus->rows[i].bytes);
        for (size_t k = 0; k < WATCHED; k++) {
            fprintf(file, ",\"%s\":%zu", watched[k].name, value_of(&measured[i], k));
        }
        fprintf(file, ",\"visible\":%zu,\"codec\":\"%s\"}%s\n", measured[i].visible,
                arx_codec_name(measured[i].chosen), i + 1 < corpus->count ? "," : "");
        arx_buf_free(&name);
    }
    fprintf(file, "]}\n");
    if (ferror(file) != 0 || fclose(file) != 0) {
        codecs_stop("cannot write %s", path);
    }
}

/* ---- checking ---- */

/* Is `smaller` at least `least` percent below `larger`? Says so. */
static bool check_distance(const char *what, size_t smaller, size_t larger, double least) {
    double percent = 100.0 * (1.0 - (double)smaller / (double)larger);
    bool holds = percent >= least;
    printf("%-6s %s: %.2f %% (at least %.1f)\n", holds ? "ok" : "FAILED", what, percent, least);
    return holds;
}

/* Has a row grown by more than 0.5 %, or changed? Says so. */
static bool check_row(const codecs_row *row, const codecs_measured *m, const arx_json *before) {
    bool holds = true;
    if (before == NULL || count_of(before, "bytes") != row->bytes) {
        printf("FAILED %s: %s\n", row->name,
               before == NULL ? "not in the baseline" : "its text is not the baseline's");
        return false;
    }
    for (size_t k = 0; k < WATCHED; k++) {
        size_t was = count_of(before, watched[k].name);
        size_t is = value_of(m, k);
        if (is * 1000 > was * 1005) {
            printf("FAILED %s: %s grew from %zu to %zu\n", row->name, watched[k].name, was, is);
            holds = false;
        }
    }
    return holds;
}

static bool check_rows(const codecs_corpus *corpus, const codecs_measured *measured,
                       const char *path) {
    baseline_file b;
    bool holds = true;
    baseline_open(&b, path);
    for (size_t i = 0; i < corpus->count; i++) {
        const codecs_row *row = &corpus->rows[i];
        holds &= check_row(row, &measured[i], baseline_row(&b, row->name));
    }
    if (b.rows->as.list.count != corpus->count) {
        printf("FAILED the baseline has %zu rows, the corpus %zu\n", b.rows->as.list.count,
               corpus->count);
        holds = false;
    }
    arx_json_doc_free(b.doc);
    if (holds) {
        printf("ok     no row is more than 0.5 %% above the baseline\n");
    }
    return holds;
}

bool codecs_check(const codecs_corpus *corpus, const codecs_measured *measured,
                  const char *baseline) {
    codecs_totals all;
    codecs_sum(corpus, measured, NULL, NULL, 0, &all);
    bool holds = check_distance("arx2 is smaller than arx, coded bytes", all.coded[ARX_CODEC_ARX2],
                                all.coded[ARX_CODEC_ARX], 0.5);
    holds &= check_distance("arx5 is smaller than arx2, coded bytes", all.coded[ARX_CODEC_ARX5],
                            all.coded[ARX_CODEC_ARX2], 12.0);
    holds &= check_distance("arx3 is shorter than arx2, visible units", all.visible[ARX_CODEC_ARX3],
                            all.visible[ARX_CODEC_ARX2], 35.0);
    return (baseline == NULL || check_rows(corpus, measured, baseline)) && holds;
}

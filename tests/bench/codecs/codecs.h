/*
 * codecs.h - `make bench-codecs`: how long fragments get, codec by codec.
 *
 * corpus.c reads what is measured, measure.c encodes it with an asset set, report.c prints tables,
 * baseline.c compares with what was committed, plot.c draws. There are no times in it: the same
 * corpus and set give the same output on every machine with the same libbrotli.
 *
 * A program's parts, not a library's: what goes wrong ends it, with a line on stderr.
 */
#ifndef CODECS_H
#define CODECS_H

#include "arx.h"

#define CODECS_CHAT_UNITS   2000 /* Discord's limit for a link with its label */
#define CODECS_BUDGET_UNITS ARX_FRAGMENT_BUDGET_UNITS
#define CODECS_SMALL_BYTES  8192 /* "up to 8 KB" */

_Noreturn void codecs_stop(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* calloc() that ends the program instead of failing. */
void *codecs_alloc(size_t count, size_t size);

/* ---- corpus.c ---- */

/* By the first artifact, or CODECS_BUNDLE for several. */
typedef enum codecs_kind { CODECS_BUNDLE = ARX_KIND_COUNT, CODECS_KIND_COUNT } codecs_kind;

const char *codecs_kind_name(unsigned kind);

typedef struct codecs_row {
    char *name;
    unsigned kind;      /* an arx_kind or CODECS_BUNDLE */
    size_t bytes;       /* of all bodies */
    arx_json_doc *doc;  /* the row's own document, or NULL: the corpus' */
    arx_json *envelope; /* normalised */
} codecs_row;

typedef struct codecs_corpus {
    codecs_row *rows;
    size_t count;
    arx_json_doc *doc;
} codecs_corpus;

/* Every file of a folder by name but README.md; each as `arx encode FILE` would take it. */
void codecs_read_folder(codecs_corpus *corpus, const char *folder);
/* An array of {name, kind, envelope}, or an object with such an array as "rows". */
void codecs_read_json(codecs_corpus *corpus, const char *path);
/* One artifact as if it had been read from a file of that name. `name` is copied. */
void codecs_row_from_text(codecs_row *row, const char *name, const uint8_t *text, size_t len);
void codecs_row_free(codecs_row *row);
void codecs_corpus_free(codecs_corpus *corpus);

/* ---- measure.c ---- */

typedef struct codecs_lengths {
    size_t coded;     /* bytes that Brotli, deflate or the mixer made */
    size_t transport; /* of the codec's best fragment */
    size_t visible;
} codecs_lengths;

typedef struct codecs_measured {
    codecs_lengths codec[ARX_CODEC_COUNT]; /* in the better packing; zeros where not made */
    arx_codec chosen;                      /* by automatic choice */
    size_t transport;
    size_t visible;
} codecs_measured;

/* Automatic choice, and arx3 on top when asked for. */
void codecs_measure_row(arx_coder *coder, const arx_assets *assets, const codecs_row *row,
                        bool with_arx3, codecs_measured *measured);
/* All rows. Caller frees. */
codecs_measured *codecs_measure(const codecs_corpus *corpus, const arx_assets *assets,
                                bool with_arx3);

/* ---- report.c ---- */

/* Sums over some rows. Units are of the automatic choice unless they name a codec. */
typedef struct codecs_totals {
    size_t rows;
    size_t bytes;
    size_t coded[ARX_CODEC_COUNT];
    size_t visible[ARX_CODEC_COUNT];
    size_t transport;
    size_t fit_chat; /* by transport length, which is never below the visible one */
    size_t fit_budget;
    size_t reference; /* transport with the other set */
    size_t reference_fit_chat;
    size_t reference_fit_budget;
} codecs_totals;

/* reference: transport lengths with another set, or NULL. */
void codecs_sum(const codecs_corpus *corpus, const codecs_measured *measured,
                const size_t *reference, bool (*counts)(const codecs_row *row, unsigned arg),
                unsigned arg, codecs_totals *totals);
void codecs_print_rows(const codecs_corpus *corpus, const codecs_measured *measured,
                       const size_t *reference);
/* In total, by kind, by size. */
void codecs_print_groups(const codecs_corpus *corpus, const codecs_measured *measured,
                         const size_t *reference);

/* ---- baseline.c ---- */

/*
 * What must hold, a line each: the distance between codecs, and (baseline not NULL) that no row of
 * the baseline file has grown. False when something does not.
 */
bool codecs_check(const codecs_corpus *corpus, const codecs_measured *measured,
                  const char *baseline);
void codecs_write_baseline(const codecs_corpus *corpus, const codecs_measured *measured,
                           const char *path);
/* Transport lengths of the automatic choice from {rows: [{name, auto}]}. Caller frees. */
size_t *codecs_read_reference(const codecs_corpus *corpus, const char *path);

/* ---- plot.c ---- */

/* Writes an SVG of length against size. upstream: NULL leaves its curve out. */
void codecs_plot(const codecs_corpus *corpus, const arx_assets *ours, const arx_assets *upstream,
                 const char *path);

#endif

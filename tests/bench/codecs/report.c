/* report.c - tables; see codecs.h. */
#include <stdio.h>
#include <stdlib.h>

#include "codecs.h"

void codecs_sum(const codecs_corpus *corpus, const codecs_measured *measured,
                const size_t *reference, bool (*counts)(const codecs_row *row, unsigned arg),
                unsigned arg, codecs_totals *totals) {
    *totals = (codecs_totals){0};
    for (size_t i = 0; i < corpus->count; i++) {
        const codecs_measured *m = &measured[i];
        if (counts != NULL && !counts(&corpus->rows[i], arg)) {
            continue;
        }
        totals->rows++;
        totals->bytes += corpus->rows[i].bytes;
        for (unsigned c = 0; c < ARX_CODEC_COUNT; c++) {
            totals->coded[c] += m->codec[c].coded;
            totals->visible[c] += m->codec[c].visible;
        }
        totals->transport += m->transport;
        totals->fit_chat += m->transport <= CODECS_CHAT_UNITS;
        totals->fit_budget += m->transport <= CODECS_BUDGET_UNITS;
        if (reference != NULL) {
            totals->reference += reference[i];
            totals->reference_fit_chat += reference[i] <= CODECS_CHAT_UNITS;
            totals->reference_fit_budget += reference[i] <= CODECS_BUDGET_UNITS;
        }
    }
}

void codecs_print_rows(const codecs_corpus *corpus, const codecs_measured *measured,
                       const size_t *reference) {
    printf("%-36s %-8s %7s | %6s %6s %6s | %-7s %9s %7s", "coded bytes; units of the choice",
           "kind", "bytes", "arx", "arx2", "arx5", "choice", "transport", "visible");
    printf(reference != NULL ? " | %6s %6s\n" : "\n", "theirs", "ratio");
    for (size_t i = 0; i < corpus->count; i++) {
        const codecs_row *row = &corpus->rows[i];
        const codecs_measured *m = &measured[i];
        printf("%-36s %-8s %7zu | %6zu %6zu %6zu | %-7s %9zu %7zu", row->name,
               codecs_kind_name(row->kind), row->bytes, m->codec[ARX_CODEC_ARX].coded,
               m->codec[ARX_CODEC_ARX2].coded, m->codec[ARX_CODEC_ARX5].coded,
               arx_codec_name(m->chosen), m->transport, m->visible);
        if (reference != NULL) {
            printf(" | %6zu %6.3f", reference[i], (double)m->transport / (double)reference[i]);
        }
        printf("\n");
    }
    printf("\n");
}

/* ---- groups ---- */

static bool has_kind(const codecs_row *row, unsigned kind) {
    return row->kind == kind;
}

/* Files of the corpus are numbered: kinds of payload one by one, then agents' own genres. */
enum { FIRST_GENRE = 20 };

static bool is_numbered_kind(const codecs_row *row, unsigned arg) {
    (void)arg;
    long number = strtol(row->name, NULL, 10);
    return number > 0 && number < FIRST_GENRE;
}

static bool is_genre(const codecs_row *row, unsigned arg) {
    (void)arg;
    return strtol(row->name, NULL, 10) >= FIRST_GENRE;
}

/* Sizes up to and with these; the last class holds what is larger. */
static const size_t class_end[] = {1024, 4096, CODECS_SMALL_BYTES, SIZE_MAX};
static const char *const class_name[] = {"to 1 KB", "1 to 4 KB", "4 to 8 KB", "over 8 KB"};

static bool in_class(const codecs_row *row, unsigned class) {
    return row->bytes <= class_end[class] && (class == 0 || row->bytes > class_end[class - 1]);
}

static bool is_small(const codecs_row *row, unsigned arg) {
    (void)arg;
    return row->bytes <= CODECS_SMALL_BYTES;
}

typedef struct table {
    const codecs_corpus *corpus;
    const codecs_measured *measured;
    const size_t *reference;
} table;

static void print_head(const table *t) {
    printf("%-12s %4s %8s | %7s %7s %7s | %9s | %9s %9s", "", "rows", "bytes", "arx", "arx2",
           "arx5", "transport", "<= 2,000", "<= 8,192");
    printf(t->reference != NULL ? " | %8s %6s | %9s %9s\n" : "\n", "theirs", "ratio", "<= 2,000",
           "<= 8,192");
}

static void print_group(const table *t, const char *label,
                        bool (*counts)(const codecs_row *row, unsigned arg), unsigned arg) {
    codecs_totals sum;
    codecs_sum(t->corpus, t->measured, t->reference, counts, arg, &sum);
    if (sum.rows == 0) {
        return;
    }
    printf("%-12s %4zu %8zu | %7zu %7zu %7zu | %9zu | %9zu %9zu", label, sum.rows, sum.bytes,
           sum.coded[ARX_CODEC_ARX], sum.coded[ARX_CODEC_ARX2], sum.coded[ARX_CODEC_ARX5],
           sum.transport, sum.fit_chat, sum.fit_budget);
    if (t->reference != NULL) {
        printf(" | %8zu %6.3f | %9zu %9zu", sum.reference,
               (double)sum.transport / (double)sum.reference, sum.reference_fit_chat,
               sum.reference_fit_budget);
    }
    printf("\n");
}

void codecs_print_groups(const codecs_corpus *corpus, const codecs_measured *measured,
                         const size_t *reference) {
    const table t = {corpus, measured, reference};
    print_head(&t);
    print_group(&t, "all", NULL, 0);
    for (unsigned k = 0; k < CODECS_KIND_COUNT; k++) {
        print_group(&t, codecs_kind_name(k), has_kind, k);
    }
    print_group(&t, "01 to 19", is_numbered_kind, 0);
    print_group(&t, "genres", is_genre, 0);
    print_group(&t, "up to 8 KB", is_small, 0);
    for (unsigned c = 0; c < sizeof class_end / sizeof class_end[0]; c++) {
        print_group(&t, class_name[c], in_class, c);
    }
    printf("\n");
}

/* main.c - the program behind `make bench-codecs`; see codecs.h. */
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asset_files.h"
#include "codecs.h"

static const char usage[] =
    "usage: bench-codecs [OPTION]... [FILE.json [BASELINE.json]]\n"
    "\n"
    "Without FILE: encodes tests/bench/corpus, prints lengths by row, kind and size, and checks\n"
    "them against limits and the committed baseline. Exit status 1 when one does not hold.\n"
    "\n"
    "With FILE, an array of {name, kind, envelope}: totals only. BASELINE, {rows: [{name, "
    "auto}]},\n"
    "holds transport lengths to compare with. Without it, and for the corpus, the comparison is\n"
    "with the set in the folder that ARX_UPSTREAM_ASSETS names, if it names one.\n"
    "\n"
    "  --assets DIR    measure this set instead of the built-in default\n"
    "  --rows          with FILE: print each row too\n"
    "  --update        write the baseline instead of checking against it\n"
    "  --plot SVG      draw length against size instead\n"
    "  --corpus DIR    another corpus (default: tests/bench/corpus)\n"
    "  --baseline F    another baseline (default: tests/bench/baseline.json)\n";

_Noreturn void codecs_stop(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("bench-codecs: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(2);
}

void *codecs_alloc(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (memory == NULL) {
        codecs_stop("out of memory");
    }
    return memory;
}

/* The set in a folder; the built-in default for NULL. */
static arx_assets *open_set(const char *folder) {
    char why[512];
    arx_assets *set;
    if (folder == NULL) {
        set = asset_builtin_make(&builtin_sets[0], why, sizeof why);
    } else {
        asset_files files;
        if (!asset_files_load(folder, &files, why, sizeof why)) {
            codecs_stop("%s", why);
        }
        set = asset_files_make(&files, why, sizeof why);
        asset_files_free(&files);
    }
    if (set == NULL) {
        codecs_stop("%s", why);
    }
    return set;
}

/* Transport lengths with another set. Caller frees. */
static size_t *measure_reference(const codecs_corpus *corpus, const arx_assets *set,
                                 codecs_measured **measured) {
    size_t *reference = codecs_alloc(corpus->count, sizeof *reference);
    *measured = codecs_measure(corpus, set, false);
    for (size_t i = 0; i < corpus->count; i++) {
        reference[i] = (*measured)[i].transport;
    }
    return reference;
}

int main(int argc, char **argv) {
    static const struct option long_options[] = {
        {"assets", required_argument, NULL, 'a'}, {"rows", no_argument, NULL, 'r'},
        {"update", no_argument, NULL, 'u'},       {"plot", required_argument, NULL, 'p'},
        {"corpus", required_argument, NULL, 'c'}, {"baseline", required_argument, NULL, 'b'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0},
    };
    const char *folder = NULL;
    const char *corpus_folder = "tests/bench/corpus";
    const char *baseline = "tests/bench/baseline.json";
    const char *svg = NULL;
    const char *upstream_folder = getenv("ARX_UPSTREAM_ASSETS");
    bool rows = false;
    bool update = false;
    int option;
    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        switch (option) {
        case 'a':
            folder = optarg;
            break;
        case 'r':
            rows = true;
            break;
        case 'u':
            update = true;
            break;
        case 'p':
            svg = optarg;
            break;
        case 'c':
            corpus_folder = optarg;
            break;
        case 'b':
            baseline = optarg;
            break;
        case 'h':
            fputs(usage, stdout);
            return 0;
        default:
            fputs(usage, stderr);
            return 2;
        }
    }
    const char *file = optind < argc ? argv[optind] : NULL;
    const char *lengths = optind + 1 < argc ? argv[optind + 1] : NULL;
    if (optind + 2 < argc || (file != NULL && (update || svg != NULL))) {
        fputs(usage, stderr);
        return 2;
    }

    bool holds = true;
    codecs_corpus corpus;
    codecs_measured *measured = NULL;
    codecs_measured *theirs = NULL;
    size_t *reference = NULL;
    arx_assets *set = open_set(folder);
    arx_assets *upstream = NULL;
    if (upstream_folder != NULL && upstream_folder[0] != '\0' && lengths == NULL) {
        upstream = open_set(upstream_folder);
    }
    if (file != NULL) {
        codecs_read_json(&corpus, file);
    } else {
        codecs_read_folder(&corpus, corpus_folder);
    }
    if (svg != NULL) {
        codecs_plot(&corpus, set, upstream, svg);
        goto out;
    }

    measured = codecs_measure(&corpus, set, file == NULL);
    if (lengths != NULL) {
        reference = codecs_read_reference(&corpus, lengths);
    } else if (upstream != NULL && strcmp(arx_assets_id(upstream), arx_assets_id(set)) != 0) {
        reference = measure_reference(&corpus, upstream, &theirs);
    }
    printf("%s with the set %s (%s)\n\n", file != NULL ? file : corpus_folder, arx_assets_id(set),
           folder != NULL ? folder : "built in");
    if (file == NULL || rows) {
        codecs_print_rows(&corpus, measured, reference);
    }
    codecs_print_groups(&corpus, measured, reference);
    if (theirs != NULL) {
        printf("the same with upstream's set %s\n\n", arx_assets_id(upstream));
        codecs_print_groups(&corpus, theirs, NULL);
    }
    if (update) {
        codecs_write_baseline(&corpus, measured, baseline);
        printf("wrote %s\n", baseline);
    } else if (file == NULL) {
        /* The baseline is the default set's. */
        holds = codecs_check(&corpus, measured, folder == NULL ? baseline : NULL);
    }
out:
    free(measured);
    free(theirs);
    free(reference);
    codecs_corpus_free(&corpus);
    arx_assets_free(upstream);
    arx_assets_free(set);
    return holds ? 0 : 1;
}

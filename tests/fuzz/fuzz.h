/*
 * fuzz.h - what the libFuzzer targets share.
 *
 * A target is one file, fuzz_NAME.c, linked with libarx and libarxd; its seeds, and every input
 * that once broke it, lie in corpus/NAME. `make MODE=fuzz fuzz` builds all of them, tests/run.sh
 * fuzz/NAME replays the corpus and then looks for more. They run from the root of the checkout.
 *
 * Inputs are text where that will do, so that seeds can be read: take_line() cuts them.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arx.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What has to hold, whatever came in. */
#define must(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            (void)fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);          \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

typedef struct fuzz_input {
    const uint8_t *data;
    size_t len;
} fuzz_input;

/* The first byte, or 0 when there is none left. */
static inline uint8_t take_byte(fuzz_input *in) {
    if (in->len == 0) {
        return 0;
    }
    in->len--;
    return *in->data++;
}

/*
 * The next line, without its end, as a string in a block of exactly its size, so that a read past
 * it is noticed. A NUL ends it early. Caller frees.
 */
static inline char *take_line(fuzz_input *in) {
    const uint8_t *end = in->len > 0 ? memchr(in->data, '\n', in->len) : NULL;
    size_t len = end != NULL ? (size_t)(end - in->data) : in->len;
    char *line = malloc(len + 1);
    must(line != NULL);
    if (len > 0) {
        memcpy(line, in->data, len);
    }
    line[len] = '\0';
    size_t taken = end != NULL ? len + 1 : len;
    if (taken > 0) {
        in->data += taken;
        in->len -= taken;
    }
    char *exact = strdup(line);
    must(exact != NULL);
    free(line);
    return exact;
}

static inline bool same_bytes(const void *a, size_t a_len, const void *b, size_t b_len) {
    return a_len == b_len && (a_len == 0 || memcmp(a, b, a_len) == 0);
}

/* Is it text as the codec holds it: WTF-8, no surrogate pair spelled as two? */
static inline bool is_text(const uint8_t *bytes, size_t len) {
    bool high = false;
    for (size_t i = 0; i < len;) {
        uint32_t c = arx_text_next(bytes, len, &i);
        if ((c & ARX_TEXT_BAD) != 0 || (high && c >= 0xDC00 && c <= 0xDFFF)) {
            return false;
        }
        high = c >= 0xD800 && c <= 0xDBFF;
    }
    return true;
}

static inline void read_file(const char *path, arx_buf *out) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(2);
    }
    uint8_t chunk[4096];
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, file)) > 0;) {
        arx_buf_append(out, chunk, n);
    }
    (void)fclose(file);
    must(arx_buf_result(out) == ARX_OK);
}

/* The invented asset set. Lives as long as the program. */
static inline arx_assets *test_assets(void) {
    arx_buf base = {0};
    arx_buf overlay = {0};
    arx_buf priors = {0};
    read_file("tests/vectors/assets/arx-dictionary.json", &base);
    read_file("tests/vectors/assets/arx2-dictionary.json", &overlay);
    read_file("tests/vectors/assets/arx4-priors.json", &priors);
    arx_asset_files files = {base.data,   base.len,    overlay.data,
                             overlay.len, priors.data, priors.len};
    arx_assets *assets;
    must(arx_assets_create(&files, "0123456789abcdef", &assets, NULL) == ARX_OK);
    arx_buf_free(&base);
    arx_buf_free(&overlay);
    arx_buf_free(&priors);
    return assets;
}

#endif

/* vectors.c - see vectors.h. */
#include "vectors.h"

#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

uint8_t *vector_read_file(const char *path, size_t *len) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail_msg("cannot open %s (programs run from the repository's root)", path);
    }
    arx_buf bytes;
    arx_buf_init(&bytes, 0);
    uint8_t chunk[65536];
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, file)) > 0;) {
        arx_buf_append(&bytes, chunk, n);
    }
    assert_int_equal(ferror(file), 0);
    fclose(file);
    uint8_t *data = arx_buf_take(&bytes, len);
    assert_non_null(data);
    return data;
}

/* Documents stay until the program ends: tests hold nodes of several at once. */
static arx_json_doc *kept[32];
static size_t kept_count;

static void free_kept(void) {
    for (size_t i = 0; i < kept_count; i++) {
        arx_json_doc_free(kept[i]);
    }
}

arx_json *vector_load(const char *name) {
    char path[256];
    assert_true(snprintf(path, sizeof path, "tests/vectors/codec/%s", name) < (int)sizeof path);
    size_t len;
    uint8_t *text = vector_read_file(path, &len);
    arx_json_doc *doc;
    arx_json *root;
    arx_result result = arx_json_parse(text, len, 0, &doc, &root);
    free(text);
    assert_int_equal(result, ARX_OK);
    assert_true(kept_count < sizeof kept / sizeof kept[0]);
    if (kept_count == 0) {
        assert_int_equal(atexit(free_kept), 0);
    }
    kept[kept_count++] = doc;
    return root;
}

static int nibble(uint8_t c) {
    return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

void vector_unhex(const arx_json *hex, arx_buf *out) {
    assert_true(arx_json_is(hex, ARX_JSON_STRING));
    for (size_t i = 0; i + 1 < hex->as.string.len; i += 2) {
        int high = nibble(hex->as.string.data[i]);
        int low = nibble(hex->as.string.data[i + 1]);
        arx_buf_append_byte(out, (uint8_t)(high << 4 | low));
    }
}

static bool sha256_is(const arx_json *expected, const uint8_t *bytes, size_t len) {
    struct sha256_ctx context;
    uint8_t digest[SHA256_DIGEST_SIZE];
    char hex[2 * SHA256_DIGEST_SIZE + 1];
    sha256_init(&context);
    sha256_update(&context, len, bytes);
    sha256_digest(&context, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    }
    return arx_json_string_is(expected, hex);
}

static void print_mismatch(const char *what, const uint8_t *want, size_t want_len,
                           const uint8_t *got, size_t got_len) {
    print_error("%s: expected %zu bytes, got %zu\n", what, want_len, got_len);
    size_t same = 0;
    while (same < want_len && same < got_len && want[same] == got[same]) {
        same++;
    }
    size_t from = same > 20 ? same - 20 : 0;
    print_error("first difference at byte %zu\n  expected …%.*s\n  got      …%.*s\n", same,
                (int)(want_len - from > 80 ? 80 : want_len - from), (const char *)want + from,
                (int)(got_len - from > 80 ? 80 : got_len - from), (const char *)got + from);
}

bool vector_matches(const arx_json *expected, const uint8_t *got, size_t len, const char *what) {
    const arx_json *text = expected;
    if (arx_json_is(expected, ARX_JSON_OBJECT)) {
        const arx_json *hash = arx_json_get(expected, "sha256");
        if (hash != NULL) {
            bool same = sha256_is(hash, got, len);
            if (!same) {
                print_error("%s: hash differs (%zu bytes)\n", what, len);
            }
            return same;
        }
        text = arx_json_get(expected, "text");
        if (text == NULL) {
            arx_buf want;
            arx_buf_init(&want, 0);
            vector_unhex(arx_json_get(expected, "hex"), &want);
            bool same = want.len == len && (len == 0 || memcmp(want.data, got, len) == 0);
            if (!same) {
                print_mismatch(what, want.data, want.len, got, len);
            }
            arx_buf_free(&want);
            return same;
        }
    }
    assert_true(arx_json_is(text, ARX_JSON_STRING));
    bool same =
        text->as.string.len == len && (len == 0 || memcmp(text->as.string.data, got, len) == 0);
    if (!same) {
        print_mismatch(what, text->as.string.data, text->as.string.len, got, len);
    }
    return same;
}

arx_json *vector_envelope(const char *name) {
    static arx_json *root;
    if (root == NULL) {
        root = vector_load("envelopes.json");
    }
    arx_json *list = arx_json_get(root, "envelopes");
    assert_non_null(list);
    for (arx_json *row = list->as.list.first; row != NULL; row = row->next) {
        if (arx_json_string_is(arx_json_get(row, "name"), name)) {
            return arx_json_get(row, "envelope");
        }
    }
    fail_msg("no envelope named %s", name);
    return NULL;
}

static arx_assets *load_assets(const char *folder) {
    static const char *const names[] = {"arx-dictionary.json", "arx2-dictionary.json",
                                        "arx4-priors.json"};
    uint8_t *files[3];
    size_t lens[3];
    for (size_t i = 0; i < 3; i++) {
        char path[4096];
        assert_true(snprintf(path, sizeof path, "%s/%s", folder, names[i]) < (int)sizeof path);
        files[i] = vector_read_file(path, &lens[i]);
    }
    arx_asset_files set = {files[0], lens[0], files[1], lens[1], files[2], lens[2]};
    arx_assets *assets;
    arx_result result = arx_assets_create(&set, "0123456789abcdef", &assets, NULL);
    for (size_t i = 0; i < 3; i++) {
        free(files[i]);
    }
    assert_int_equal(result, ARX_OK);
    return assets;
}

static arx_assets *test_assets;
static arx_assets *upstream_assets;

static void free_test_assets(void) {
    arx_assets_free(test_assets);
}

static void free_upstream_assets(void) {
    arx_assets_free(upstream_assets);
}

arx_assets *vector_test_assets(void) {
    if (test_assets == NULL) {
        test_assets = load_assets("tests/vectors/assets");
        assert_int_equal(atexit(free_test_assets), 0);
    }
    return test_assets;
}

arx_assets *vector_upstream_assets(void) {
    const char *folder = getenv("ARX_UPSTREAM_ASSETS");
    if (upstream_assets == NULL && folder != NULL && *folder != '\0') {
        upstream_assets = load_assets(folder);
        assert_int_equal(atexit(free_upstream_assets), 0);
    }
    return upstream_assets;
}

/* A guarded block: whole pages, then one that is not mapped; the bytes end where it begins. */
static size_t guard_pages(size_t len) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (len + page - 1) / page * page + page;
}

uint8_t *guard_copy(const void *bytes, size_t len) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t size = guard_pages(len);
    uint8_t *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(block, MAP_FAILED);
    assert_int_equal(mprotect(block + size - page, page, PROT_NONE), 0);
    uint8_t *copy = block + size - page - len;
    if (len > 0) {
        memcpy(copy, bytes, len);
    }
    return copy;
}

void guard_free(uint8_t *bytes, size_t len) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t size = guard_pages(len);
    munmap(bytes + len + page - size, size);
}

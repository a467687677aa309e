/* Which asset sets are known, in which order, and how their files are served. */
#include "vectors.h"

#include "asset_files.h"
#include "asset_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>
#include <zlib.h>

#define TEST_SET "tests/vectors/assets"

static char root[256];

/* Copies the test set into a folder of its own, with one word of the dictionary changed. */
static char *make_folder(const char *name, const char *from, const char *to, bool priors) {
    char *folder = malloc(300);
    snprintf(folder, 300, "%s/%s", root, name);
    mkdir(folder, 0777);
    for (size_t i = 0; i < BUILTIN_FILES; i++) {
        char path[600];
        size_t len;
        if (i == BUILTIN_PRIORS && !priors) {
            continue;
        }
        snprintf(path, sizeof path, TEST_SET "/%s", asset_file_names[i]);
        uint8_t *bytes = vector_read_file(path, &len);
        snprintf(path, sizeof path, "%s/%s", folder, asset_file_names[i]);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        uint8_t *at =
            from == NULL || i != BUILTIN_DICTIONARY ? NULL : memmem(bytes, len, from, strlen(from));
        if (at == NULL) {
            fwrite(bytes, 1, len, file);
        } else {
            fwrite(bytes, 1, (size_t)(at - bytes), file);
            fputs(to, file);
            fwrite(at + strlen(from), 1, len - (size_t)(at - bytes) - strlen(from), file);
        }
        fclose(file);
        free(bytes);
    }
    return folder;
}

static int make_root(void **state) {
    (void)state;
    mkdir("build", 0777);
    mkdir("build/test-tmp", 0777);
    snprintf(root, sizeof root, "build/test-tmp/assets-%ld", (long)getpid());
    return mkdir(root, 0777);
}

static int remove_root(void **state) {
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command) == 0 ? 0 : -1;
}

static asset_sets *open_sets(const char *folder, char *const *compat, size_t count) {
    char why[600] = "";
    asset_sets *sets = asset_sets_open(folder, compat, count, why, sizeof why);
    if (sets == NULL) {
        fail_msg("%s", why);
    }
    return sets;
}

static void compiled_in(void **state) {
    (void)state;
    asset_sets *sets = open_sets(NULL, NULL, 0);
    size_t count;
    const arx_assets *const *all = asset_sets_all(sets, &count);
    assert_true(count >= 1 && count <= builtin_set_count);
    assert_ptr_equal(all[0], asset_sets_active(sets));
    assert_string_equal(arx_assets_id(all[0]), builtin_sets[0].id);
    for (size_t i = 0; i < builtin_set_count; i++) {
        assert_non_null(asset_sets_find(sets, builtin_sets[i].id));
    }
    assert_null(asset_sets_find(sets, "0000000000000000"));
    assert_null(asset_sets_find(sets, ""));
    asset_sets_free(sets);
}

static void order_of_sets(void **state) {
    (void)state;
    char *a =
        make_folder("a", "\"version\":1", "\"version\": 1", true); /* other bytes, another id */
    char *b = make_folder("b", "\"version\":1", "\"version\":  1", false);
    char *compat[] = {b, a, b};
    asset_sets *sets = open_sets(a, compat, 3);
    size_t count;
    const arx_assets *const *all = asset_sets_all(sets, &count);
    assert_int_equal(count, 2 + builtin_set_count);
    asset_files files;
    char why[600];
    assert_true(asset_files_load(a, &files, why, sizeof why));
    assert_string_equal(arx_assets_id(all[0]), files.id);
    asset_files_free(&files);
    assert_true(asset_files_load(b, &files, why, sizeof why));
    assert_string_equal(arx_assets_id(all[1]), files.id);
    assert_ptr_equal(asset_sets_find(sets, files.id), all[1]);
    asset_files_free(&files);
    assert_false(arx_assets_has_priors(all[1]));
    assert_string_equal(arx_assets_id(all[2]), builtin_sets[0].id);
    asset_sets_free(sets);
    free(a);
    free(b);
}

static void bad_folders(void **state) {
    (void)state;
    char *newer = make_folder("newer", "\"version\":1", "\"version\":2", true);
    char *text = make_folder("text", "{", "no JSON", true);
    const char *const folders[] = {"build/test-tmp/not-there", newer, text};
    for (size_t i = 0; i < 3; i++) {
        for (int as_compat = 0; as_compat < 2; as_compat++) {
            char why[600] = "";
            char *compat[] = {(char *)folders[i]};
            asset_sets *sets = as_compat ? asset_sets_open(NULL, compat, 1, why, sizeof why)
                                         : asset_sets_open(folders[i], NULL, 0, why, sizeof why);
            assert_null(sets);
            assert_non_null(strstr(why, folders[i]));
            assert_non_null(strstr(why, "ictionary"));
            assert_null(strchr(why, '\n'));
        }
    }
    free(newer);
    free(text);
}

static void unpack_gzip(const served_variant *packed, const served_variant *plain) {
    uint8_t *out = malloc(plain->len + 1);
    z_stream z = {.next_in = (z_const Bytef *)packed->data, .avail_in = (uInt)packed->len};
    z.next_out = out;
    z.avail_out = (uInt)plain->len + 1;
    assert_int_equal(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.total_out, plain->len);
    assert_memory_equal(out, plain->data, plain->len);
    inflateEnd(&z);
    free(out);
}

static void check_served(const served_file *asset, const uint8_t *bytes, size_t len) {
    const served_variant *v = asset->variants;
    assert_string_equal(asset->content_type, "application/json; charset=utf-8");
    assert_int_equal(asset->available,
                     1u << ENCODING_IDENTITY | 1u << ENCODING_BROTLI | 1u << ENCODING_GZIP);
    assert_int_equal(v[ENCODING_IDENTITY].len, len);
    assert_memory_equal(v[ENCODING_IDENTITY].data, bytes, len);
    arx_buf out;
    arx_buf_init(&out, 0);
    assert_int_equal(arx_entropy_native.brotli_decompress(v[ENCODING_BROTLI].data,
                                                          v[ENCODING_BROTLI].len, len, &out),
                     ARX_OK);
    assert_int_equal(out.len, len);
    assert_memory_equal(out.data, bytes, len);
    arx_buf_free(&out);
    unpack_gzip(&v[ENCODING_GZIP], &v[ENCODING_IDENTITY]);
    /* Strong, and one for each encoding. */
    for (int i = 0; i < ENCODING_COUNT; i++) {
        assert_int_equal(strlen(v[i].etag), ETAG_SIZE - 1);
        assert_int_equal(v[i].etag[0], '"');
        assert_int_equal(v[i].etag[ETAG_SIZE - 2], '"');
        assert_string_not_equal(v[i].etag, v[(i + 1) % ENCODING_COUNT].etag);
    }
    assert_int_equal(strlen(asset->last_modified), HTTP_DATE_SIZE - 1);
}

/* A packed file that somebody left beside its source, of an older one perhaps. */
static void leave_packed(const char *folder, const char *name) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs("\x0b\x02\x80stale\x03", file); /* Brotli, and sound */
    fclose(file);
}

static void served_files(void **state) {
    (void)state;
    char *a = make_folder("served", "\"version\":1", "\"version\": 1", true);
    char *b = make_folder("bare", "\"version\":1", "\"version\":  1", false);
    char path[600];
    leave_packed(a, "arx-dictionary.json.br"); /* not looked at: variants are of what was read */
    leave_packed(a, "arx-dictionary.json.gz");
    snprintf(path, sizeof path, "%s/%s", a, asset_file_names[BUILTIN_OVERLAY]);
    utime(path, &(struct utimbuf){.actime = 784111777, .modtime = 784111777});
    char *compat[] = {b};
    asset_sets *sets = open_sets(a, compat, 1);
    char why[600] = "";
    asset_table *table = asset_table_create(sets, why, sizeof why);
    assert_non_null(table);

    size_t count;
    const arx_assets *const *all = asset_sets_all(sets, &count);
    content_encoding fixed;
    for (size_t i = 0; i < count; i++) {
        const asset_source *source = asset_sets_source(sets, i);
        for (size_t k = 0; k < BUILTIN_FILES; k++) {
            const char *name = asset_file_names[k];
            const served_file *asset = asset_table_find(table, arx_assets_id(all[i]), name, &fixed);
            if (source->data[k] == NULL) {
                assert_null(asset);
                continue;
            }
            assert_non_null(asset);
            assert_int_equal(fixed, ENCODING_NONE);
            check_served(asset, source->data[k], source->len[k]);
            if (i == 0) {
                assert_ptr_equal(asset_table_find(table, NULL, name, &fixed), asset);
            }
            char packed[64];
            snprintf(packed, sizeof packed, "%s.br", name);
            assert_ptr_equal(asset_table_find(table, arx_assets_id(all[i]), packed, &fixed), asset);
            assert_int_equal(fixed, ENCODING_BROTLI);
        }
    }
    assert_null(asset_sets_source(sets, 1)->data[BUILTIN_PRIORS]);
    const served_file *ones[2];
    for (size_t i = 0; i < 2; i++) {
        ones[i] = asset_table_find(table, arx_assets_id(all[i]),
                                   asset_file_names[BUILTIN_DICTIONARY], &fixed);
    }
    for (int i = 0; i < ENCODING_COUNT; i++) { /* other bytes under one name: another ETag */
        assert_string_not_equal(ones[0]->variants[i].etag, ones[1]->variants[i].etag);
    }
    const served_file *overlay =
        asset_table_find(table, NULL, asset_file_names[BUILTIN_OVERLAY], &fixed);
    assert_string_equal(overlay->last_modified, "Sun, 06 Nov 1994 08:49:37 GMT");

    static const char *const nothing[] = {"",
                                          ".br",
                                          "arx-dictionary",
                                          "arx-dictionary.json.gz",
                                          "..",
                                          "index.json",
                                          "arx-dictionary.json.br.br",
                                          "Arx-dictionary.json"};
    for (size_t i = 0; i < sizeof nothing / sizeof nothing[0]; i++) {
        assert_null(asset_table_find(table, NULL, nothing[i], &fixed));
    }
    assert_null(asset_table_find(table, "0000000000000000", "arx-dictionary.json", &fixed));
    asset_table_free(table);
    asset_sets_free(sets);
    free(a);
    free(b);
}

static void index_lists_sets(void **state) {
    (void)state;
    char *a = make_folder("index", "\"version\":1", "\"version\": 1", true);
    asset_sets *sets = open_sets(a, NULL, 0);
    char why[600] = "";
    asset_table *table = asset_table_create(sets, why, sizeof why);
    const served_variant *text = &asset_table_index(table)->variants[ENCODING_IDENTITY];
    arx_json_doc *doc = NULL;
    arx_json *index = NULL;
    assert_int_equal(arx_json_parse(text->data, text->len, 0, &doc, &index), ARX_OK);
    size_t count;
    const arx_assets *const *all = asset_sets_all(sets, &count);
    assert_true(arx_json_string_is(arx_json_get(index, "active"), arx_assets_id(all[0])));
    const arx_json *list = arx_json_get(index, "sets");
    assert_int_equal(list->as.list.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_true(arx_json_string_is(arx_json_at(list, i), arx_assets_id(all[i])));
    }
    assert_int_equal(asset_table_index(table)->available, 1u << ENCODING_IDENTITY);
    arx_json_doc_free(doc);
    asset_table_free(table);
    asset_sets_free(sets);
    free(a);
}

static void dates(void **state) {
    (void)state;
    static const struct {
        int64_t unix_s;
        const char *text;
    } cases[] = {
        {0, "Thu, 01 Jan 1970 00:00:00 GMT"},
        {951827696, "Tue, 29 Feb 2000 12:34:56 GMT"},
        {253402300799, "Fri, 31 Dec 9999 23:59:59 GMT"},
        {INT64_MAX, "Fri, 31 Dec 9999 23:59:59 GMT"},
        {INT64_MIN, "Sat, 01 Jan 0000 00:00:00 GMT"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[HTTP_DATE_SIZE];
        http_date(cases[i].unix_s, text);
        assert_string_equal(text, cases[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiled_in),      cmocka_unit_test(order_of_sets),
        cmocka_unit_test(bad_folders),      cmocka_unit_test(served_files),
        cmocka_unit_test(index_lists_sets), cmocka_unit_test(dates),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}

/* What the links of a maker add up to, by whatever way they come and go, and where that is too
 * much.
 */
#include "stores.h"

static uint64_t most_links;
static uint64_t most_bytes;
static uint8_t limited[STORE_HASH_BYTES];

static void quota_of(void *opaque, const uint8_t maker[STORE_HASH_BYTES], uint64_t *links,
                     uint64_t *bytes) {
    bool is_limited = memcmp(maker, limited, sizeof limited) == 0;
    assert_ptr_equal(opaque, &limited);
    *links = is_limited ? most_links : 0;
    *bytes = is_limited ? most_bytes : 0;
}

static store *open_limited(const char *path) {
    make_hash(limited, 7);
    return open_with(
        (store_options){.path = path, .maker_quota = quota_of, .maker_opaque = &limited});
}

/* maker 0: none. */
static store_result insert_of(store *s, uint64_t number, uint64_t maker, const char *payload) {
    store_op op = make_insert(number, payload, 1000);
    op.artifact.has_maker = maker != 0;
    make_hash(op.artifact.maker, maker);
    store_result result = do_op(s, &op);
    store_op_clear(&op);
    return result;
}

static int64_t number_of(const char *path, const char *sql) {
    sqlite3 *db = raw_open(path);
    int64_t number = raw_int(db, sql);
    sqlite3_close(db);
    return number;
}

/* Triggers' sums against those of the rows themselves. */
static void sums_are_right(const char *path) {
    assert_int_equal(
        number_of(path,
                  "SELECT count(*) FROM (SELECT maker, count(*) AS links, "
                  "sum(length(CAST(payload AS BLOB))) AS bytes FROM artifacts WHERE maker IS NOT "
                  "NULL GROUP BY maker) AS real FULL JOIN makers USING (maker) WHERE "
                  "real.links IS NOT makers.links OR real.bytes IS NOT makers.bytes"),
        0);
}

static void links_of_one_maker(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%.500s", scratch("links.db"));
    scratch_remove(path);
    atomic_store(&test_clock_ms, INT64_C(1700000000000));
    most_links = 2;
    most_bytes = 0;
    store *s = open_limited(path);
    assert_int_equal(insert_of(s, 1, 7, "one"), STORE_OK);
    assert_int_equal(insert_of(s, 2, 7, "two"), STORE_OK);
    assert_int_equal(insert_of(s, 3, 7, "three"), STORE_MAKER_FULL);
    assert_int_equal(read_result(s, 3), STORE_NOT_FOUND);
    assert_int_equal(insert_of(s, 4, 8, "another's"), STORE_OK);
    assert_int_equal(insert_of(s, 5, 0, "nobody's"), STORE_OK);
    assert_int_equal(update_one(s, 1, "longer than before"), STORE_OK);
    sums_are_right(path);

    assert_int_equal(delete_one(s, 1), STORE_OK);
    assert_int_equal(insert_of(s, 6, 7, "in its place"), STORE_OK);
    assert_int_equal(insert_of(s, 7, 7, "no"), STORE_MAKER_FULL);
    store_close(s); /* a start knows it, too */
    s = open_limited(path);
    assert_int_equal(insert_of(s, 7, 7, "no"), STORE_MAKER_FULL);
    atomic_fetch_add(&test_clock_ms, 2000);
    assert_int_equal(sweep(s), 4);
    sums_are_right(path);
    assert_int_equal(number_of(path, "SELECT count(*) FROM makers"), 0);
    assert_int_equal(insert_of(s, 8, 7, "yes"), STORE_OK);
    most_links = 0; /* told anew, as by a file that was read again */
    assert_int_equal(insert_of(s, 9, 7, "yes"), STORE_OK);
    assert_int_equal(insert_of(s, 10, 7, "yes"), STORE_OK);
    store_close(s);
    sums_are_right(path);
    atomic_store(&test_clock_ms, 0);
}

static void bytes_of_one_maker(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%.500s", scratch("bytes.db"));
    scratch_remove(path);
    most_links = 0;
    most_bytes = 10;
    store *s = open_limited(path);
    assert_int_equal(insert_of(s, 1, 7, "01234567890"), STORE_MAKER_FULL);
    assert_int_equal(insert_of(s, 1, 7, "\xc3\xa9\xc3\xa9"), STORE_OK); /* bytes, not characters */
    assert_int_equal(insert_of(s, 2, 7, "0123456"), STORE_MAKER_FULL);
    assert_int_equal(insert_of(s, 2, 7, "012345"), STORE_OK);
    assert_int_equal(update_one(s, 2, "x"), STORE_MAKER_FULL);
    assert_int_equal(insert_of(s, 3, 8, "01234567890"), STORE_OK);
    assert_int_equal(update_one(s, 3, "012345678901234567890"), STORE_OK);
    sums_are_right(path);
    assert_int_equal(delete_one(s, 2), STORE_OK);
    assert_int_equal(update_one(s, 1, "123456"), STORE_OK);
    store_close(s);
    sums_are_right(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_of_one_maker),
        cmocka_unit_test(bytes_of_one_maker),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}

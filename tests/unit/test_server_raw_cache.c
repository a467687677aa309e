/* The cache of decoded bodies: keys, the bound, references that outlive what they came from. */
#include "vectors.h"

#include "raw_cache.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int alive;

static void free_value(void *value) {
    atomic_fetch_sub(&alive, 1);
    free(value);
}

static void make_id(uint8_t id[STORE_ID_BYTES], uint64_t number) {
    uint64_t mixed = (number + 1) * UINT64_C(0x9E3779B97F4A7C15);
    memcpy(id, &number, 8);
    memcpy(id + 8, &mixed, 8);
}

static raw_entry *put(raw_cache *cache, uint64_t number, int64_t updated_at_ms, const char *part,
                      const char *text, size_t bytes) {
    uint8_t id[STORE_ID_BYTES];
    make_id(id, number);
    atomic_fetch_add(&alive, 1);
    raw_entry *entry =
        raw_cache_put(cache, id, updated_at_ms, part, strdup(text), bytes, free_value);
    assert_non_null(entry);
    return entry;
}

static raw_entry *get(raw_cache *cache, uint64_t number, int64_t updated_at_ms, const char *part) {
    uint8_t id[STORE_ID_BYTES];
    make_id(id, number);
    return raw_cache_get(cache, id, updated_at_ms, part);
}

static void expect(raw_cache *cache, uint64_t number, int64_t updated_at_ms, const char *part,
                   const char *text) {
    raw_entry *entry = get(cache, number, updated_at_ms, part);
    if (text == NULL) {
        assert_null(entry);
    } else {
        assert_non_null(entry);
        assert_string_equal(raw_entry_value(entry), text);
    }
    raw_entry_release(entry);
}

static raw_cache_stats stats_of(raw_cache *cache) {
    raw_cache_stats stats;
    raw_cache_get_stats(cache, &stats);
    return stats;
}

static void keys(void **state) {
    (void)state;
    raw_cache *cache = raw_cache_create(1 << 20);
    raw_entry_release(put(cache, 1, 100, "", "active", 1000));
    raw_entry_release(put(cache, 1, 100, "b", "part b", 1000));
    raw_entry_release(put(cache, 1, 200, "", "updated", 1000));
    raw_entry_release(put(cache, 2, 100, "", "other", 1000));
    expect(cache, 1, 100, "", "active");
    expect(cache, 1, 100, "b", "part b");
    expect(cache, 1, 200, "", "updated");
    expect(cache, 2, 100, "", "other");
    expect(cache, 1, 200, "b", NULL);
    expect(cache, 3, 100, "", NULL);
    raw_entry_release(put(cache, 2, 100, "", "again", 1000)); /* replaces */
    expect(cache, 2, 100, "", "again");
    assert_int_equal(stats_of(cache).entries, 4);
    assert_int_equal(alive, 4);
    raw_entry *kept = get(cache, 1, 100, "");
    raw_cache_free(cache);
    assert_int_equal(alive, 1);
    assert_string_equal(raw_entry_value(kept), "active"); /* outlives the cache */
    raw_entry_release(kept);
    assert_int_equal(alive, 0);
}

static void bounded(void **state) {
    (void)state;
    raw_cache *cache = raw_cache_create(10000);
    for (uint64_t i = 0; i < 1000; i++) {
        raw_entry_release(put(cache, i, 1, "", "x", 900));
        expect(cache, 0, 1, "", "x"); /* used every time: never the oldest */
        assert_true(stats_of(cache).bytes <= 10000);
        assert_true(alive <= 11);
    }
    expect(cache, 999, 1, "", "x");
    expect(cache, 500, 1, "", NULL);
    size_t before = stats_of(cache).entries;
    raw_entry_release(put(cache, 5000, 1, "", "large", 1251)); /* over an eighth */
    expect(cache, 5000, 1, "", NULL);
    char part[RAW_CACHE_PART_MAX + 2];
    memset(part, 'p', sizeof part - 1);
    part[sizeof part - 1] = '\0';
    raw_entry_release(put(cache, 5001, 1, part, "long", 10));
    expect(cache, 5001, 1, part, NULL);
    assert_int_equal(stats_of(cache).entries, before);
    raw_cache_free(cache);
    assert_int_equal(alive, 0);

    cache = raw_cache_create(0);
    raw_entry *entry = put(cache, 1, 1, "", "not kept", 8);
    assert_string_equal(raw_entry_value(entry), "not kept");
    expect(cache, 1, 1, "", NULL);
    raw_entry_release(entry);
    raw_cache_free(cache);
    assert_int_equal(alive, 0);
}

static void *mix(void *opaque) {
    raw_cache *cache = opaque;
    for (uint64_t i = 0; i < 20000; i++) {
        uint8_t id[STORE_ID_BYTES];
        make_id(id, i * 31 % 97);
        raw_entry *entry = raw_cache_get(cache, id, 1, "");
        if (entry == NULL) {
            atomic_fetch_add(&alive, 1);
            entry = raw_cache_put(cache, id, 1, "", strdup("value"), 700, free_value);
        }
        if (entry == NULL || strcmp(raw_entry_value(entry), "value") != 0) {
            abort();
        }
        raw_entry_release(entry);
    }
    return NULL;
}

static void many_threads(void **state) {
    (void)state;
    raw_cache *cache = raw_cache_create(20000);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, mix, cache), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_true(stats_of(cache).bytes <= 20000);
    assert_int_equal(stats_of(cache).entries, alive);
    raw_cache_free(cache);
    assert_int_equal(alive, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys),
        cmocka_unit_test(bounded),
        cmocka_unit_test(many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Token buckets: what is there, what is not and when it will be; the table's bounds; many threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>

#include "rate_limits.h"

#define SECOND INT64_C(1000000)
#define START  (INT64_C(1000) * SECOND)

static limits_key v4(uint32_t number) {
    uint8_t address[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    for (size_t i = 0; i < 4; i++) {
        address[12 + i] = (uint8_t)(number >> (24 - 8 * i));
    }
    return limits_key_of_address(address);
}

static limits *create(size_t callers) {
    limits *table = limits_create(callers);
    assert_non_null(table);
    return table;
}

static void ten_seconds_at_once_then_the_rate(void **state) {
    (void)state;
    limits *table = create(64);
    limits_key key = v4(1);
    for (int i = 0; i < 50; i++) { /* 5 a second */
        assert_int_equal(limits_draw(table, &key, BUCKET_READ, 5000, LIMITS_REQUEST, START), 0);
    }
    assert_int_equal(limits_draw(table, &key, BUCKET_READ, 5000, LIMITS_REQUEST, START), 200000);
    assert_int_equal(limits_wait(table, &key, BUCKET_READ, 5000, LIMITS_REQUEST, START), 200000);
    /* Refusals cost nothing: a fifth of a second later there is one, and no second. */
    int64_t now = START + 200000;
    assert_int_equal(limits_draw(table, &key, BUCKET_READ, 5000, LIMITS_REQUEST, now), 0);
    assert_int_equal(limits_draw(table, &key, BUCKET_READ, 5000, LIMITS_REQUEST, now), 200000);
    /* Other buckets, other callers and no rate at all know nothing of it. */
    limits_key other = v4(2);
    assert_int_equal(limits_draw(table, &key, BUCKET_WRITE, 5000, LIMITS_REQUEST, now), 0);
    assert_int_equal(limits_draw(table, &other, BUCKET_READ, 5000, LIMITS_REQUEST, now), 0);
    assert_int_equal(limits_draw(table, &key, BUCKET_READ, 0, LIMITS_REQUEST, now), 0);
    /* After a long time it is full again, and no fuller. */
    now += 3600 * SECOND;
    for (int i = 0; i < 50; i++) {
        assert_int_equal(limits_draw(table, &key, BUCKET_READ, 5000, LIMITS_REQUEST, now), 0);
    }
    assert_int_not_equal(limits_draw(table, &key, BUCKET_READ, 5000, LIMITS_REQUEST, now), 0);
    limits_free(table);
}

static void a_full_bucket_always_has_one(void **state) {
    (void)state;
    limits *table = create(64);
    limits_key key = v4(1);
    /* One in 1,000 seconds is more than ten seconds hold. */
    assert_int_equal(limits_draw(table, &key, BUCKET_WRITE, 1, LIMITS_REQUEST, START), 0);
    assert_int_equal(limits_draw(table, &key, BUCKET_WRITE, 1, LIMITS_REQUEST, START),
                     1000 * SECOND);
    assert_int_equal(
        limits_draw(table, &key, BUCKET_WRITE, 1, LIMITS_REQUEST, START + 1000 * SECOND), 0);
    limits_free(table);
}

static void charges_make_debts_and_deposits_come_back(void **state) {
    (void)state;
    limits *table = create(64);
    limits_key key = v4(1);
    /* 2 seconds of work a second: 20 are there. 30 were used. */
    limits_charge(table, &key, BUCKET_ENCODE, 2000, 30 * SECOND, START);
    assert_int_equal(limits_draw(table, &key, BUCKET_ENCODE, 2000, SECOND / 4, START),
                     5 * SECOND + SECOND / 8);
    limits_charge(table, &key, BUCKET_ENCODE, 2000, -15 * SECOND, START);
    assert_int_equal(limits_draw(table, &key, BUCKET_ENCODE, 2000, 5 * SECOND, START), 0);
    assert_int_not_equal(limits_draw(table, &key, BUCKET_ENCODE, 2000, SECOND / 4, START), 0);
    /* What is given back never makes more than a full bucket. */
    limits_charge(table, &key, BUCKET_ENCODE, 2000, -1000 * SECOND, START);
    assert_int_equal(limits_draw(table, &key, BUCKET_ENCODE, 2000, 20 * SECOND, START), 0);
    assert_int_not_equal(limits_draw(table, &key, BUCKET_ENCODE, 2000, SECOND, START), 0);
    limits_free(table);
}

static void an_ipv6_network_is_one_caller(void **state) {
    (void)state;
    uint8_t a[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8};
    uint8_t b[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 1, 8, 7, 6, 5, 4, 3, 2, 1};
    uint8_t c[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8};
    limits_key keys[3] = {limits_key_of_address(a), limits_key_of_address(b),
                          limits_key_of_address(c)};
    assert_memory_equal(&keys[0], &keys[1], sizeof keys[0]);
    assert_memory_not_equal(&keys[0], &keys[2], sizeof keys[0]);
    limits_key one = v4(0x0a000001);
    limits_key two = v4(0x0a000002);
    assert_memory_not_equal(&one, &two, sizeof one);
    /* A token that looks like an address is still a token. */
    uint8_t hash[32] = {0};
    memcpy(hash, keys[0].bytes, sizeof keys[0].bytes);
    limits_key token = limits_key_of_token(hash);
    assert_memory_not_equal(&token, &keys[0], sizeof token);
}

static void the_table_is_bounded_and_forgets_the_rested(void **state) {
    (void)state;
    limits *table = create(1024);
    limits_key busy = v4(0xffffffff);
    limits_charge(table, &busy, BUCKET_WRITE, 1000, 1000 * LIMITS_REQUEST, START);
    for (uint32_t i = 0; i < 100000; i++) {
        limits_key key = v4(i);
        assert_int_equal(limits_draw(table, &key, BUCKET_READ, 1000, LIMITS_REQUEST, START), 0);
    }
    assert_true(limits_count(table) <= 1024);
    assert_true(limits_count(table) > 1000);
    assert_int_not_equal(limits_draw(table, &busy, BUCKET_WRITE, 1000, LIMITS_REQUEST, START), 0);
    limits_free(table);
}

static void looking_makes_no_entry(void **state) {
    (void)state;
    limits *table = create(64);
    limits_key key = v4(1);
    assert_int_equal(limits_wait(table, &key, BUCKET_FAIL, 1000, LIMITS_REQUEST, START), 0);
    assert_int_equal(limits_count(table), 0);
    limits_free(table);
}

/* ---- many threads ---- */

enum { THREADS = 4, DRAWS = 20000 };

typedef struct crowd {
    limits *table;
    atomic_int granted;
} crowd;

static void *draw_all(void *opaque) {
    crowd *all = opaque;
    limits_key key = v4(7);
    for (int i = 0; i < DRAWS; i++) {
        limits_key own = v4((uint32_t)i);
        limits_draw(all->table, &own, BUCKET_READ, 1000, LIMITS_REQUEST, START);
        if (limits_draw(all->table, &key, BUCKET_WRITE, 1000000, LIMITS_REQUEST, START) == 0) {
            atomic_fetch_add(&all->granted, 1);
        }
    }
    return NULL;
}

static void threads_share_a_bucket_exactly(void **state) {
    (void)state;
    crowd all = {.table = create(64 * 1024)};
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, draw_all, &all), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(atomic_load(&all.granted), 10000); /* ten seconds of 1,000 a second */
    limits_free(all.table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_seconds_at_once_then_the_rate),
        cmocka_unit_test(a_full_bucket_always_has_one),
        cmocka_unit_test(charges_make_debts_and_deposits_come_back),
        cmocka_unit_test(an_ipv6_network_is_one_caller),
        cmocka_unit_test(the_table_is_bounded_and_forgets_the_rested),
        cmocka_unit_test(looking_makes_no_entry),
        cmocka_unit_test(threads_share_a_bucket_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

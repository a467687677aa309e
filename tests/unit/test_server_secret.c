/* Keys, hashes and sealed texts: random, compared whole, opened only by the key that sealed them.
 */
#include <stdlib.h>
#include <string.h>

#include "vectors.h"

#include "secret.h"

static void edit_keys_are_random_and_of_their_alphabet(void **state) {
    (void)state;
    char seen[64][EDIT_KEY_CHARS + 1];
    for (size_t i = 0; i < 64; i++) {
        assert_true(secret_edit_key(seen[i]));
        assert_int_equal(strlen(seen[i]), EDIT_KEY_CHARS);
        assert_int_equal(strspn(seen[i], "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                         "0123456789-_"),
                         EDIT_KEY_CHARS);
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(seen[i], seen[k]);
        }
    }
}

static void hashes_are_sha256(void **state) {
    (void)state;
    uint8_t hash[SECRET_HASH_BYTES];
    uint8_t again[SECRET_HASH_BYTES];
    char hex[SECRET_HEX_CHARS + 1];
    secret_hash("abc", 3, hash);
    secret_hex(hash, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_true(
        secret_from_hex("BA7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015AD", again));
    assert_true(secret_equal(hash, again));
    assert_false(
        secret_from_hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015a", again));
    assert_false(
        secret_from_hex("xa7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", again));
    for (size_t i = 0; i < SECRET_HASH_BYTES; i++) {
        memcpy(again, hash, sizeof again);
        again[i] ^= 1;
        assert_false(secret_equal(hash, again));
    }
}

/* By nettle's comparison that takes the same time for all, seen through the linker's --wrap. */
static size_t compared_bytes;
int __real_nettle_memeql_sec(const void *a, const void *b, size_t n);
int __wrap_nettle_memeql_sec(const void *a, const void *b, size_t n);
int __wrap_nettle_memeql_sec(const void *a, const void *b, size_t n) {
    compared_bytes += n;
    return __real_nettle_memeql_sec(a, b, n);
}

static void hashes_are_compared_whole(void **state) {
    (void)state;
    uint8_t a[SECRET_HASH_BYTES] = {0};
    uint8_t b[SECRET_HASH_BYTES] = {1}; /* differs in the first */
    compared_bytes = 0;
    assert_false(secret_equal(a, b));
    assert_int_equal(compared_bytes, SECRET_HASH_BYTES);
    assert_true(secret_equal(a, a));
    assert_int_equal(compared_bytes, 2 * SECRET_HASH_BYTES);
}

/* Where one piece ends and the next begins is part of the hash. */
static void pieces_hash_as_a_list(void **state) {
    (void)state;
    static const secret_piece lists[][3] = {
        {{"ab", 2}, {"c", 1}, {"", 0}},
        {{"a", 1}, {"bc", 2}, {"", 0}},
        {{"abc", 3}, {"", 0}, {"", 0}},
        {{"", 0}, {"", 0}, {"abc", 3}},
    };
    uint8_t hashes[4][SECRET_HASH_BYTES];
    for (size_t i = 0; i < 4; i++) {
        secret_hash_pieces(lists[i], 3, hashes[i]);
        for (size_t k = 0; k < i; k++) {
            assert_false(secret_equal(hashes[i], hashes[k]));
        }
    }
    uint8_t two[SECRET_HASH_BYTES];
    secret_hash_pieces(lists[2], 2, two);
    assert_false(secret_equal(two, hashes[2]));
}

static void a_sealed_text_is_opened_by_its_key_and_context_alone(void **state) {
    (void)state;
    static const uint8_t context[SECRET_HASH_BYTES] = {1, 2, 3};
    static const uint8_t other[SECRET_HASH_BYTES] = {1, 2, 4};
    static const char *const texts[] = {"", "x", "{\"edit_key\":\"AAAAAAAAAAAAAAAAAAAAAA\"}"};
    for (size_t t = 0; t < 3; t++) {
        size_t len = strlen(texts[t]);
        arx_buf sealed;
        arx_buf opened;
        arx_buf_init(&sealed, 0);
        arx_buf_init(&opened, 0);
        assert_true(secret_seal("key", context, (const uint8_t *)texts[t], len, &sealed));
        assert_int_equal(arx_buf_result(&sealed), ARX_OK);
        assert_true(sealed.len > len + 16);
        if (len > 1) {
            assert_null(memmem(sealed.data, sealed.len, texts[t], len));
        }
        arx_buf_append_str(&opened, "before ");
        assert_true(secret_open("key", context, sealed.data, sealed.len, &opened));
        assert_int_equal(opened.len, 7 + len);
        assert_memory_equal(opened.data + 7, texts[t], len);

        assert_false(secret_open("kez", context, sealed.data, sealed.len, &opened));
        assert_false(secret_open("", context, sealed.data, sealed.len, &opened));
        assert_false(secret_open("key", other, sealed.data, sealed.len, &opened));
        for (size_t i = 0; i < sealed.len; i++) {
            sealed.data[i] ^= 0x40;
            assert_false(secret_open("key", context, sealed.data, sealed.len, &opened));
            sealed.data[i] ^= 0x40;
        }
        for (size_t i = 0; i < sealed.len; i++) {
            uint8_t *cut = guard_copy(sealed.data, i);
            assert_false(secret_open("key", context, cut, i, &opened));
            guard_free(cut, i);
        }
        assert_int_equal(opened.len, 7 + len);
        arx_buf_free(&opened);
        arx_buf_free(&sealed);
    }
}

static void sealing_twice_gives_other_bytes(void **state) {
    (void)state;
    static const uint8_t context[SECRET_HASH_BYTES] = {0};
    arx_buf a;
    arx_buf b;
    arx_buf_init(&a, 0);
    arx_buf_init(&b, 0);
    assert_true(secret_seal("key", context, (const uint8_t *)"text", 4, &a));
    assert_true(secret_seal("key", context, (const uint8_t *)"text", 4, &b));
    assert_int_equal(a.len, b.len);
    assert_memory_not_equal(a.data, b.data, a.len);
    arx_buf_free(&a);
    arx_buf_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edit_keys_are_random_and_of_their_alphabet),
        cmocka_unit_test(hashes_are_sha256),
        cmocka_unit_test(hashes_are_compared_whole),
        cmocka_unit_test(pieces_hash_as_a_list),
        cmocka_unit_test(a_sealed_text_is_opened_by_its_key_and_context_alone),
        cmocka_unit_test(sealing_twice_gives_other_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

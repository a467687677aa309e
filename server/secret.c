/* secret.c - see secret.h. */
#include "secret.h"

#include <assert.h>
#include <nettle/chacha-poly1305.h>
#include <nettle/hkdf.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <nettle/sha2.h>
#include <string.h>
#include <sys/random.h>

#include "ids.h"

bool secret_random(uint8_t *bytes, size_t len) {
    return len <= 256 && getrandom(bytes, len, 0) == (ssize_t)len;
}

bool secret_edit_key(char key[EDIT_KEY_CHARS + 1]) {
    static_assert(EDIT_KEY_CHARS == ID_SHORT_CHARS, "both spell 16 bytes");
    uint8_t bytes[ID_BYTES];
    if (!secret_random(bytes, sizeof bytes)) {
        return false;
    }
    id_format_short(bytes, key);
    return true;
}

void secret_hash(const void *bytes, size_t len, uint8_t hash[SECRET_HASH_BYTES]) {
    struct sha256_ctx sha;
    sha256_init(&sha);
    sha256_update(&sha, len, bytes);
    sha256_digest(&sha, SECRET_HASH_BYTES, hash);
}

void secret_hash_pieces(const secret_piece *pieces, size_t count, uint8_t hash[SECRET_HASH_BYTES]) {
    struct sha256_ctx sha;
    sha256_init(&sha);
    for (size_t i = 0; i < count; i++) {
        uint8_t len[8];
        for (size_t k = 0; k < sizeof len; k++) {
            len[k] = (uint8_t)((uint64_t)pieces[i].len >> (56 - 8 * k));
        }
        sha256_update(&sha, sizeof len, len);
        sha256_update(&sha, pieces[i].len, pieces[i].bytes);
    }
    sha256_digest(&sha, SECRET_HASH_BYTES, hash);
}

bool secret_equal(const uint8_t a[SECRET_HASH_BYTES], const uint8_t b[SECRET_HASH_BYTES]) {
    return memeql_sec(a, b, SECRET_HASH_BYTES) != 0;
}

void secret_hex(const uint8_t hash[SECRET_HASH_BYTES], char text[SECRET_HEX_CHARS + 1]) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < SECRET_HASH_BYTES; i++) {
        text[2 * i] = digits[hash[i] >> 4];
        text[2 * i + 1] = digits[hash[i] & 15];
    }
    text[SECRET_HEX_CHARS] = '\0';
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

bool secret_from_hex(const char *text, uint8_t hash[SECRET_HASH_BYTES]) {
    for (size_t i = 0; i < SECRET_HASH_BYTES; i++) {
        int high = hex_digit(text[2 * i]);
        int low = high < 0 ? -1 : hex_digit(text[2 * i + 1]);
        if (low < 0) {
            return false;
        }
        hash[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* ---- sealing: nonce, ciphertext, tag ---- */

#define NONCE_BYTES CHACHA_POLY1305_NONCE_SIZE
#define TAG_BYTES   CHACHA_POLY1305_DIGEST_SIZE

static void start_cipher(const char *key, const uint8_t context[SECRET_HASH_BYTES],
                         const uint8_t nonce[NONCE_BYTES], struct chacha_poly1305_ctx *cipher) {
    static const uint8_t salt[] = "arxd sealed reply 1";
    uint8_t extracted[SECRET_HASH_BYTES];
    uint8_t derived[CHACHA_POLY1305_KEY_SIZE];
    struct hmac_sha256_ctx hmac;
    hmac_sha256_set_key(&hmac, sizeof salt - 1, salt);
    hkdf_extract(&hmac, (nettle_hash_update_func *)hmac_sha256_update,
                 (nettle_hash_digest_func *)hmac_sha256_digest, sizeof extracted, strlen(key),
                 (const uint8_t *)key, extracted);
    hmac_sha256_set_key(&hmac, sizeof extracted, extracted);
    hkdf_expand(&hmac, (nettle_hash_update_func *)hmac_sha256_update,
                (nettle_hash_digest_func *)hmac_sha256_digest, sizeof extracted, SECRET_HASH_BYTES,
                context, sizeof derived, derived);
    chacha_poly1305_set_key(cipher, derived);
    chacha_poly1305_set_nonce(cipher, nonce);
}

bool secret_seal(const char *key, const uint8_t context[SECRET_HASH_BYTES], const uint8_t *text,
                 size_t len, arx_buf *out) {
    uint8_t nonce[NONCE_BYTES];
    if (!secret_random(nonce, sizeof nonce)) {
        return false;
    }
    arx_buf_append(out, nonce, sizeof nonce);
    uint8_t *sealed = arx_buf_extend(out, len + TAG_BYTES);
    if (sealed == NULL) {
        return true; /* the buffer tells */
    }
    struct chacha_poly1305_ctx cipher;
    start_cipher(key, context, nonce, &cipher);
    chacha_poly1305_encrypt(&cipher, len, sealed, text);
    chacha_poly1305_digest(&cipher, TAG_BYTES, sealed + len);
    return true;
}

bool secret_open(const char *key, const uint8_t context[SECRET_HASH_BYTES], const uint8_t *sealed,
                 size_t len, arx_buf *out) {
    if (len < NONCE_BYTES + TAG_BYTES) {
        return false;
    }
    size_t text_len = len - NONCE_BYTES - TAG_BYTES;
    size_t before = out->len;
    uint8_t *text = arx_buf_extend(out, text_len);
    if (text == NULL && text_len > 0) {
        return true; /* the buffer tells */
    }
    uint8_t tag[TAG_BYTES];
    struct chacha_poly1305_ctx cipher;
    start_cipher(key, context, sealed, &cipher);
    chacha_poly1305_decrypt(&cipher, text_len, text, sealed + NONCE_BYTES);
    chacha_poly1305_digest(&cipher, sizeof tag, tag);
    if (memeql_sec(tag, sealed + NONCE_BYTES + text_len, sizeof tag) == 0) {
        out->len = before;
        return false;
    }
    return true;
}

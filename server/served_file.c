/* served_file.c - see served_file.h. */
#include "served_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <zlib.h>

#include "arx.h"
#include "secret.h"

void http_date(int64_t unix_s, char text[HTTP_DATE_SIZE]) {
    static const char days[] = "SunMonTueWedThuFriSat";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const int64_t first_s = -62167219200; /* 0000-01-01 */
    const int64_t last_s = 253402300799;  /* 9999-12-31 */
    time_t held = (time_t)(unix_s < first_s ? first_s : unix_s > last_s ? last_s : unix_s);
    struct tm utc = {0};
    (void)gmtime_r(&held, &utc);
    char line[128];
    snprintf(line, sizeof line, "%.3s, %02d %.3s %04d %02d:%02d:%02d GMT", days + 3 * utc.tm_wday,
             utc.tm_mday, months + 3 * utc.tm_mon, utc.tm_year + 1900, utc.tm_hour, utc.tm_min,
             utc.tm_sec);
    memcpy(text, line, HTTP_DATE_SIZE - 1);
    text[HTTP_DATE_SIZE - 1] = '\0';
}

int64_t program_modified_s(void) {
    struct stat status;
    return stat("/proc/self/exe", &status) == 0 ? (int64_t)status.st_mtime : 0;
}

void etag_of(const uint8_t *data, size_t len, char etag[ETAG_SIZE]) {
    uint8_t hash[SECRET_HASH_BYTES];
    char hex[SECRET_HEX_CHARS + 1];
    secret_hash(data, len, hash);
    secret_hex(hash, hex);
    (void)snprintf(etag, ETAG_SIZE, "\"%.32s\"", hex);
}

void served_file_init(served_file *file, const char *content_type, int64_t modified_s) {
    *file = (served_file){.content_type = content_type};
    http_date(modified_s, file->last_modified);
}

void served_file_add(served_file *file, content_encoding encoding, const uint8_t *data,
                     size_t len) {
    served_variant *variant = &file->variants[encoding];
    variant->data = data;
    variant->len = len;
    etag_of(data, len, variant->etag);
    file->available |= 1u << encoding;
}

/* ---- packing; both makers give bytes to free() or NULL without memory ---- */

static uint8_t *make_brotli(const uint8_t *data, size_t len, size_t *out_len) {
    arx_buf out;
    arx_buf_init(&out, 0);
    if (arx_entropy_native.brotli_compress(data, len, &out) != ARX_OK) {
        arx_buf_free(&out);
        return NULL;
    }
    return arx_buf_take(&out, out_len);
}

static uint8_t *make_gzip(const uint8_t *data, size_t len, size_t *out_len) {
    z_stream z = {0};
    /* 16 more window bits ask zlib for gzip's head and tail. */
    if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        return NULL;
    }
    uLong bound = deflateBound(&z, (uLong)len);
    uint8_t *out = malloc(bound);
    z.next_in = (z_const Bytef *)data;
    z.avail_in = (uInt)len; /* a few MB at most, here and below */
    z.next_out = out;
    z.avail_out = (uInt)bound;
    if (out != NULL && deflate(&z, Z_FINISH) != Z_STREAM_END) {
        free(out);
        out = NULL;
    }
    *out_len = z.total_out;
    deflateEnd(&z);
    return out;
}

bool served_file_pack(served_file *file, uint8_t *packed[SERVED_PACKED]) {
    static const struct {
        content_encoding encoding;
        uint8_t *(*make)(const uint8_t *data, size_t len, size_t *out_len);
    } makers[SERVED_PACKED] = {{ENCODING_BROTLI, make_brotli}, {ENCODING_GZIP, make_gzip}};
    const served_variant *plain = &file->variants[ENCODING_IDENTITY];
    bool made = true;
    for (size_t i = 0; i < SERVED_PACKED; i++) {
        size_t len = 0;
        packed[i] = makers[i].make(plain->data, plain->len, &len);
        if (packed[i] != NULL) {
            served_file_add(file, makers[i].encoding, packed[i], len);
        }
        made = made && packed[i] != NULL;
    }
    return made;
}

/* ---- unpacking, to compare ---- */

static bool brotli_holds(const served_variant *packed, const served_variant *plain) {
    arx_buf out;
    arx_buf_init(&out, 0);
    bool same = arx_entropy_native.brotli_decompress(packed->data, packed->len, plain->len, &out) ==
                    ARX_OK &&
                out.len == plain->len &&
                (plain->len == 0 || memcmp(out.data, plain->data, plain->len) == 0);
    arx_buf_free(&out);
    return same;
}

static bool gzip_holds(const served_variant *packed, const served_variant *plain) {
    z_stream z = {0};
    if (inflateInit2(&z, MAX_WBITS + 16) != Z_OK) {
        return false;
    }
    uint8_t *out = malloc(plain->len + 1);
    z.next_in = (z_const Bytef *)packed->data;
    z.avail_in = (uInt)packed->len;
    z.next_out = out;
    z.avail_out = (uInt)(plain->len + 1);
    bool same = out != NULL && inflate(&z, Z_FINISH) == Z_STREAM_END && z.total_out == plain->len &&
                memcmp(out, plain->data, plain->len) == 0;
    inflateEnd(&z);
    free(out);
    return same;
}

bool served_file_is_whole(const served_file *file) {
    static bool (*const holds[ENCODING_COUNT])(const served_variant *, const served_variant *) = {
        [ENCODING_BROTLI] = brotli_holds,
        [ENCODING_GZIP] = gzip_holds,
    };
    for (unsigned i = 0; i < ENCODING_COUNT; i++) {
        if (holds[i] != NULL && (file->available & 1u << i) != 0 &&
            !holds[i](&file->variants[i], &file->variants[ENCODING_IDENTITY])) {
            return false;
        }
    }
    return true;
}

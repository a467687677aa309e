/* asset_table.c - see asset_table.h. Runs before the first thread but for the look-ups. */
#include "asset_table.h"
#include "asset_files.h"
#include "clock.h"

#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

struct asset_table {
    served_asset index;
    size_t count;
    served_asset *assets;
    uint8_t **owned; /* variants made here, and the index */
    size_t owned_count;
};

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

static void write_etag(const uint8_t *data, size_t len, char etag[ASSET_ETAG_SIZE]) {
    struct sha256_ctx sha;
    uint8_t digest[16];
    sha256_init(&sha);
    sha256_update(&sha, len, data);
    sha256_digest(&sha, sizeof digest, digest);
    etag[0] = '"';
    for (size_t i = 0; i < sizeof digest; i++) {
        snprintf(etag + 1 + 2 * i, 3, "%02x", digest[i]);
    }
    memcpy(etag + 33, "\"", 2);
}

/* ---- variants; both makers give bytes to free() or NULL without memory ---- */

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
    z.avail_in = (uInt)len; /* a few MB at most: ASSET_FILE_MAX_BYTES */
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

static bool brotli_holds(const asset_variant *packed, const asset_variant *plain) {
    arx_buf out;
    arx_buf_init(&out, 0);
    bool same = arx_entropy_native.brotli_decompress(packed->data, packed->len, plain->len, &out) ==
                    ARX_OK &&
                out.len == plain->len &&
                (plain->len == 0 || memcmp(out.data, plain->data, plain->len) == 0);
    arx_buf_free(&out);
    return same;
}

static bool gzip_holds(const asset_variant *packed, const asset_variant *plain) {
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

/* ---- the table ---- */

static void set_variant(served_asset *asset, content_encoding encoding, const uint8_t *data,
                        size_t len) {
    asset_variant *variant = &asset->variants[encoding];
    variant->data = data;
    variant->len = len;
    write_etag(data, len, variant->etag);
    asset->available |= 1u << encoding;
}

static bool add_file(asset_table *table, const char *set, const asset_source *source, size_t file,
                     char *why, size_t why_size) {
    served_asset *asset = &table->assets[table->count];
    const uint8_t *data = source->data[file];
    size_t len = source->len[file];
    snprintf(asset->set, sizeof asset->set, "%s", set);
    asset->name = asset_file_names[file];
    asset->content_type = "application/json; charset=utf-8";
    http_date(source->modified_s[file], asset->last_modified);
    set_variant(asset, ENCODING_IDENTITY, data, len);

    if (source->builtin != NULL) {
        const builtin_file *built = &source->builtin->files[file];
        set_variant(asset, ENCODING_BROTLI, built->brotli, built->brotli_len);
        set_variant(asset, ENCODING_GZIP, built->gzip, built->gzip_len);
    } else {
        size_t brotli_len = 0;
        size_t gzip_len = 0;
        uint8_t *brotli = make_brotli(data, len, &brotli_len);
        table->owned[table->owned_count++] = brotli;
        uint8_t *gzip = make_gzip(data, len, &gzip_len);
        table->owned[table->owned_count++] = gzip;
        if (brotli == NULL || gzip == NULL) {
            snprintf(why, why_size, "asset set %s: out of memory", set);
            return false;
        }
        set_variant(asset, ENCODING_BROTLI, brotli, brotli_len);
        set_variant(asset, ENCODING_GZIP, gzip, gzip_len);
    }
    if (!brotli_holds(&asset->variants[ENCODING_BROTLI], &asset->variants[ENCODING_IDENTITY]) ||
        !gzip_holds(&asset->variants[ENCODING_GZIP], &asset->variants[ENCODING_IDENTITY])) {
        snprintf(why, why_size, "asset set %s: a packed variant of %s does not hold the file", set,
                 asset->name);
        return false;
    }
    table->count++;
    return true;
}

static bool add_index(asset_table *table, const asset_sets *sets, char *why, size_t why_size) {
    size_t count;
    const arx_assets *const *all = asset_sets_all(sets, &count);
    arx_buf out;
    arx_buf_init(&out, 0);
    arx_buf_append_str(&out, "{\"active\":\"");
    arx_buf_append_str(&out, arx_assets_id(all[0]));
    arx_buf_append_str(&out, "\",\"sets\":[");
    for (size_t i = 0; i < count; i++) {
        arx_buf_append_str(&out, i == 0 ? "\"" : ",\"");
        arx_buf_append_str(&out, arx_assets_id(all[i])); /* hex digits: nothing to escape */
        arx_buf_append_byte(&out, '"');
    }
    arx_buf_append_str(&out, "]}");
    size_t len;
    uint8_t *text = arx_buf_take(&out, &len);
    if (text == NULL) {
        snprintf(why, why_size, "asset sets: out of memory");
        return false;
    }
    table->owned[table->owned_count++] = text;
    table->index.name = "index.json";
    table->index.content_type = "application/json; charset=utf-8";
    http_date(clock_unix_ms() / 1000, table->index.last_modified);
    set_variant(&table->index, ENCODING_IDENTITY, text, len);
    return true;
}

asset_table *asset_table_create(const asset_sets *sets, char *why, size_t why_size) {
    size_t count;
    const arx_assets *const *all = asset_sets_all(sets, &count);
    asset_table *table = calloc(1, sizeof *table);
    if (table == NULL) {
        snprintf(why, why_size, "asset sets: out of memory");
        return NULL;
    }
    table->assets = calloc(count * BUILTIN_FILES, sizeof *table->assets);
    table->owned = calloc(count * BUILTIN_FILES * 2 + 1, sizeof *table->owned);
    if (table->assets == NULL || table->owned == NULL) {
        snprintf(why, why_size, "asset sets: out of memory");
        goto fail;
    }
    for (size_t i = 0; i < count; i++) {
        const asset_source *source = asset_sets_source(sets, i);
        for (size_t file = 0; file < BUILTIN_FILES; file++) {
            if (source->data[file] != NULL &&
                !add_file(table, arx_assets_id(all[i]), source, file, why, why_size)) {
                goto fail;
            }
        }
    }
    if (!add_index(table, sets, why, why_size)) {
        goto fail;
    }
    snprintf(table->index.set, sizeof table->index.set, "%s", arx_assets_id(all[0]));
    return table;

fail:
    asset_table_free(table);
    return NULL;
}

void asset_table_free(asset_table *table) {
    if (table == NULL) {
        return;
    }
    for (size_t i = 0; i < table->owned_count; i++) {
        free(table->owned[i]);
    }
    free(table->owned);
    free(table->assets);
    free(table);
}

const served_asset *asset_table_find(const asset_table *table, const char *set, const char *name,
                                     content_encoding *fixed) {
    size_t len = strlen(name);
    *fixed = ENCODING_NONE;
    if (len > 3 && strcmp(name + len - 3, ".br") == 0) {
        *fixed = ENCODING_BROTLI;
        len -= 3;
    }
    if (set == NULL) {
        set = table->index.set;
    }
    for (size_t i = 0; i < table->count; i++) {
        const served_asset *asset = &table->assets[i];
        if (strcmp(asset->set, set) == 0 && strlen(asset->name) == len &&
            memcmp(asset->name, name, len) == 0) {
            return asset;
        }
    }
    return NULL;
}

const served_asset *asset_table_index(const asset_table *table) {
    return &table->index;
}

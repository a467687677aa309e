/* tokens.c - see tokens.h. The lock is held for a look-up, and to put new rows in place. */
#include "tokens.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "text.h"

#define FILE_MAX_BYTES (1u << 20)
#define TOKEN_BYTES    32
#define TOKEN_PREFIX   "arxd_" /* so that a leaked one is recognised for what it is */

struct tokens {
    const char *path;
    bool quotas; /* may have some */
    pthread_rwlock_t lock;
    token_row *rows;
    size_t count;
};

/* ---- the text ---- */

static const struct {
    const char *name;
    token_scope scope;
} scope_names[] = {
    {"create", TOKEN_CREATE},
    {"read", TOKEN_READ},
    {"admin", TOKEN_ADMIN},
    {"approve", TOKEN_APPROVE},
};

#define WRONG_NAME                                                                                 \
    "a name has 1 to 64 letters, digits, dots, underscores and hyphens, and is there once"
#define WRONG_SCOPES                                                                               \
    "scopes are create, read, admin and approve, joined by commas, and approve stands alone"
#define WRONG_EXPIRES "a token expires at a date or time in UTC, such as 2027-01-31"

static bool parse_name(const char *text, size_t len, char name[TOKEN_NAME_MAX + 1]) {
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                  "._-";
    if (len == 0 || len > TOKEN_NAME_MAX) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        if (memchr(allowed, text[i], sizeof allowed - 1) == NULL) {
            return false;
        }
    }
    memcpy(name, text, len);
    name[len] = '\0';
    return true;
}

static bool parse_scopes(const char *text, size_t len, unsigned *scopes) {
    *scopes = 0;
    for (size_t at = 0; at <= len;) {
        size_t end = at;
        while (end < len && text[end] != ',') {
            end++;
        }
        unsigned scope = 0;
        for (size_t i = 0; i < sizeof scope_names / sizeof scope_names[0]; i++) {
            if (strlen(scope_names[i].name) == end - at &&
                memcmp(scope_names[i].name, text + at, end - at) == 0) {
                scope = scope_names[i].scope;
            }
        }
        if (scope == 0 || (*scopes & scope) != 0) {
            return false;
        }
        *scopes |= scope;
        at = end + 1;
    }
    return (*scopes & TOKEN_APPROVE) == 0 || *scopes == TOKEN_APPROVE;
}

static bool parse_expires(const char *text, size_t len, int64_t *expires_at_ms) {
    char copy[CLOCK_ISO_SIZE];
    if (len >= sizeof copy) {
        return false;
    }
    memcpy(copy, text, len);
    copy[len] = '\0';
    return clock_from_iso(copy, expires_at_ms);
}

/* The next word of a line: `*text` moves behind it. Its length, 0 at the line's end. */
static size_t next_word(const char **text, const char *end, const char **word) {
    while (*text < end && (**text == ' ' || **text == '\t' || **text == '\r')) {
        (*text)++;
    }
    *word = *text;
    while (*text < end && **text != ' ' && **text != '\t' && **text != '\r') {
        (*text)++;
    }
    return (size_t)(*text - *word);
}

/* What is wrong with a line that holds something, or NULL. */
static const char *parse_line(const char *text, const char *end, token_row *row) {
    const char *word;
    *row = (token_row){.expires_at_ms = INT64_MAX};
    for (size_t i = 0; i < BUCKET_COUNT; i++) {
        row->own.rate[i] = TOKEN_AS_ALL;
    }
    size_t len = next_word(&text, end, &word);
    if (!parse_name(word, len, row->name)) {
        return WRONG_NAME;
    }
    len = next_word(&text, end, &word);
    if (!parse_scopes(word, len, &row->scopes)) {
        return WRONG_SCOPES;
    }
    len = next_word(&text, end, &word);
    if (len != SECRET_HEX_CHARS || !secret_from_hex(word, row->hash)) {
        return "the third word is the token's SHA-256, 64 hex digits; \"arxd token\" prints it";
    }
    len = next_word(&text, end, &word);
    if (len > 0 && memchr(word, '=', len) == NULL) {
        if (!parse_expires(word, len, &row->expires_at_ms)) {
            return WRONG_EXPIRES;
        }
        len = next_word(&text, end, &word);
    }
    if (len > 0 && !allowance_parse(word, len, ALLOWANCE_RATES | ALLOWANCE_QUOTAS, &row->own)) {
        return "a token's limits are a list such as write=50/s,encode=8/s,rows=1000,bytes=2g";
    }
    return next_word(&text, end, &word) > 0 ? "there is something behind the limits" : NULL;
}

static const char *add_row(const token_row *row, token_row **rows, size_t *count) {
    for (size_t i = 0; i < *count; i++) {
        if (strcmp((*rows)[i].name, row->name) == 0) {
            return WRONG_NAME;
        }
        if (memcmp((*rows)[i].hash, row->hash, sizeof row->hash) == 0) {
            return "the same token is there under another name";
        }
    }
    /* Room doubles: at every power of two. */
    if ((*count & (*count - 1)) == 0) {
        size_t room = *count == 0 ? 1 : *count * 2;
        token_row *grown = realloc(*rows, room * sizeof *grown);
        if (grown == NULL) {
            return "";
        }
        *rows = grown;
    }
    (*rows)[(*count)++] = *row;
    return NULL;
}

bool tokens_parse(const char *text, size_t len, token_row **rows, size_t *count, size_t *line,
                  const char **wrong) {
    const char *end = text + len;
    *rows = NULL;
    *count = 0;
    *line = 0;
    *wrong = NULL;
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        stop = stop != NULL ? stop : end;
        *line += 1;
        const char *word;
        const char *at = text;
        if (next_word(&at, stop, &word) > 0 && *word != '#') {
            token_row row;
            *wrong = parse_line(text, stop, &row);
            if (*wrong == NULL) {
                *wrong = add_row(&row, rows, count);
            }
            if (*wrong != NULL) {
                free(*rows);
                *rows = NULL;
                *count = 0;
                return false;
            }
        }
        text = stop < end ? stop + 1 : end;
    }
    return true;
}

/* ---- the file ---- */

/* The file's text, NUL-terminated, or NULL with the reason. Caller frees. */
static char *read_file(const char *path, size_t *len, char *why, size_t why_size) {
    FILE *in = fopen(path, "rbe");
    char *text = in != NULL ? malloc(FILE_MAX_BYTES + 1) : NULL;
    if (text == NULL) {
        (void)snprintf(why, why_size, "cannot read the tokens file %s: %s", path, strerror(errno));
        goto fail;
    }
    *len = fread(text, 1, FILE_MAX_BYTES + 1, in);
    if (ferror(in) != 0) {
        (void)snprintf(why, why_size, "cannot read the tokens file %s: %s", path, strerror(errno));
        goto fail;
    }
    if (*len > FILE_MAX_BYTES) {
        (void)snprintf(why, why_size, "the tokens file %s is larger than 1 MiB", path);
        goto fail;
    }
    text[*len] = '\0';
    (void)fclose(in);
    return text;

fail:
    free(text);
    if (in != NULL) {
        (void)fclose(in);
    }
    return NULL;
}

bool tokens_reload(tokens *file, char *why, size_t why_size) {
    size_t len;
    char *text = read_file(file->path, &len, why, why_size);
    if (text == NULL) {
        return false;
    }
    token_row *rows;
    size_t count;
    size_t line;
    const char *wrong;
    bool good = tokens_parse(text, len, &rows, &count, &line, &wrong);
    free(text);
    if (!good) {
        (void)snprintf(why, why_size, "%s line %zu: %s", file->path, line,
                       *wrong != '\0' ? wrong : "no memory");
        return false;
    }
    for (size_t i = 0; i < count && !file->quotas; i++) {
        if (rows[i].own.rows > 0 || rows[i].own.bytes > 0) {
            (void)snprintf(why, why_size,
                           "%s: token %s has rows or bytes, which arxd limits in "
                           "SQLite databases only",
                           file->path, rows[i].name);
            free(rows);
            return false;
        }
    }
    (void)pthread_rwlock_wrlock(&file->lock);
    token_row *before = file->rows;
    file->rows = rows;
    file->count = count;
    (void)pthread_rwlock_unlock(&file->lock);
    free(before);
    return true;
}

tokens *tokens_open(const char *path, bool quotas, char *why, size_t why_size) {
    tokens *file = calloc(1, sizeof *file);
    if (file == NULL) {
        (void)snprintf(why, why_size, "no memory for the tokens file %s", path);
        return NULL;
    }
    file->path = path;
    file->quotas = quotas;
    (void)pthread_rwlock_init(&file->lock, NULL);
    if (!tokens_reload(file, why, why_size)) {
        tokens_free(file);
        return NULL;
    }
    return file;
}

void tokens_free(tokens *file) {
    if (file != NULL) {
        (void)pthread_rwlock_destroy(&file->lock);
        free(file->rows);
        free(file);
    }
}

/* Every row is compared, so that the time tells nothing of where a match is. */
static bool look_up(tokens *file, const uint8_t hash[SECRET_HASH_BYTES], token_row *found) {
    bool is_there = false;
    (void)pthread_rwlock_rdlock(&file->lock);
    for (size_t i = 0; i < file->count; i++) {
        if (secret_equal(file->rows[i].hash, hash)) {
            *found = file->rows[i];
            is_there = true;
        }
    }
    (void)pthread_rwlock_unlock(&file->lock);
    return is_there;
}

bool tokens_find(tokens *file, const uint8_t hash[SECRET_HASH_BYTES], int64_t now_ms,
                 token_row *found) {
    return look_up(file, hash, found) && now_ms < found->expires_at_ms;
}

void tokens_quota(tokens *file, const uint8_t hash[SECRET_HASH_BYTES], uint64_t *rows,
                  uint64_t *bytes) {
    token_row row = {0};
    (void)look_up(file, hash, &row);
    *rows = row.own.rows;
    *bytes = row.own.bytes;
}

/* ---- making one ---- */

bool tokens_make(const char *name, const char *scopes, const char *expires, FILE *out, char *why,
                 size_t why_size) {
    token_row row;
    const char *wrong =
        !parse_name(name, strlen(name), row.name)            ? WRONG_NAME
        : !parse_scopes(scopes, strlen(scopes), &row.scopes) ? WRONG_SCOPES
        : expires != NULL && !parse_expires(expires, strlen(expires), &row.expires_at_ms)
            ? WRONG_EXPIRES
            : NULL;
    if (wrong != NULL) {
        (void)snprintf(why, why_size, "token: %s", wrong);
        return false;
    }
    uint8_t bytes[TOKEN_BYTES];
    char hex[SECRET_HEX_CHARS + 1];
    arx_buf token;
    arx_buf_init(&token, 0);
    bool made = secret_random(bytes, sizeof bytes);
    arx_buf_append_str(&token, TOKEN_PREFIX);
    arx_base64url_encode(bytes, sizeof bytes, &token);
    made = made && arx_buf_result(&token) == ARX_OK;
    if (made) {
        secret_hash(token.data, token.len, row.hash);
        secret_hex(row.hash, hex);
        made =
            fprintf(out, "%.*s\n%s %s %s%s%s\n", (int)token.len, (const char *)token.data, name,
                    scopes, hex, expires != NULL ? " " : "", expires != NULL ? expires : "") > 0 &&
            fflush(out) == 0;
    }
    if (!made) {
        (void)snprintf(why, why_size, "token: cannot make or print one: %s", strerror(errno));
    }
    arx_buf_free(&token);
    return made;
}

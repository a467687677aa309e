/* disposition.c - see disposition.h. */
#include "disposition.h"

#include <stdlib.h>
#include <string.h>

#include "describe.h"

#define NAME_MAX_BYTES 200

static const char *const extensions[ARX_KIND_COUNT] = {
    [ARX_KIND_MARKDOWN] = ".md", [ARX_KIND_CODE] = ".txt",  [ARX_KIND_DIFF] = ".patch",
    [ARX_KIND_CSV] = ".csv",     [ARX_KIND_JSON] = ".json",
};

/* Characters that a path, a shell or a header could take for more than a name. */
static bool is_reserved(unsigned char c) {
    return c < 0x20 || c == 0x7F || strchr("\"*/:<>?\\|%;", c) != NULL;
}

char *disposition_filename(const arx_json *artifact) {
    const arx_json *given = arx_json_get_string(artifact, "filename");
    const char *extension = "";
    if (given == NULL || given->as.string.len == 0) {
        given = arx_json_get_string(artifact, "id");
        extension = extensions[arx_artifact_kind(artifact)];
    }
    char *base = given != NULL
                     ? describe_copy(given->as.string.data, given->as.string.len, NAME_MAX_BYTES)
                     : strdup("artifact");
    if (base == NULL) {
        return NULL;
    }
    size_t len = strlen(base);
    char *name = malloc(len + strlen(extension) + 1);
    if (name != NULL) {
        for (size_t i = 0; i < len; i++) {
            name[i] = is_reserved((unsigned char)base[i]) ? '_' : base[i];
        }
        /* A leading dot would hide the file, or climb. */
        if (len > 0 && name[0] == '.') {
            name[0] = '_';
        }
        memcpy(name + len, extension, strlen(extension) + 1);
    }
    free(base);
    return name;
}

/* attr-char of RFC 8187: what filename* carries unescaped. */
static bool is_attr_char(unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (c != '\0' && strchr("!#$&+-.^_`|~", c) != NULL);
}

void disposition_write(const char *filename, bool attachment, arx_buf *out) {
    static const char hex[] = "0123456789ABCDEF";
    bool ascii = true;
    arx_buf_append_str(out, attachment ? "attachment; filename=\"" : "inline; filename=\"");
    for (const char *c = filename; *c != '\0'; c++) {
        bool plain = (unsigned char)*c < 0x80;
        /* One `_` for each character that is not ASCII: its lead byte. */
        if (plain || ((unsigned char)*c & 0xC0) != 0x80) {
            arx_buf_append_byte(out, plain ? (uint8_t)*c : '_');
        }
        ascii = ascii && plain;
    }
    arx_buf_append_byte(out, '"');
    if (ascii) {
        return;
    }
    arx_buf_append_str(out, "; filename*=UTF-8''");
    for (const char *c = filename; *c != '\0'; c++) {
        unsigned char byte = (unsigned char)*c;
        if (is_attr_char(byte)) {
            arx_buf_append_byte(out, byte);
        } else {
            arx_buf_append_byte(out, '%');
            arx_buf_append_byte(out, (uint8_t)hex[byte >> 4]);
            arx_buf_append_byte(out, (uint8_t)hex[byte & 15]);
        }
    }
}

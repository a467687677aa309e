/* draft.c - see draft.h. */
#include "draft.h"

#include <string.h>

#include "text.h"

/* A text that may be absent (NULL). */
typedef struct slice {
    const uint8_t *text;
    size_t len;
} slice;

/* Trimmed; absent when nothing is left. */
static slice trimmed(const uint8_t *text, size_t len) {
    if (text == NULL) {
        return (slice){NULL, 0};
    }
    arx_text_trim(&text, &len);
    return len > 0 ? (slice){text, len} : (slice){NULL, 0};
}

static bool is_blank(const uint8_t *text, size_t len) {
    return trimmed(text, len).text == NULL;
}

/* A file name without its last extension, as the pattern \.[^./\\]+$ cuts it. */
static slice without_extension(slice name) {
    for (size_t i = name.len; name.text != NULL && i > 0; i--) {
        uint8_t c = name.text[i - 1];
        if (c == '/' || c == '\\') {
            break;
        }
        if (c == '.') {
            return i < name.len ? (slice){name.text, i - 1} : name;
        }
    }
    return name;
}

/* The one lower-case ASCII letter or digit a code point starts with, or 0. */
static uint8_t slug_character(uint32_t c) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
        return (uint8_t)c;
    }
    if (c >= 'A' && c <= 'Z') {
        return (uint8_t)(c | 0x20);
    }
    if (c == 0x212A) { /* the Kelvin sign */
        return 'k';
    }
    return c == 0x130 ? 'i' : 0; /* capital I with a dot: i and a combining dot */
}

void arx_slug(const uint8_t *text, size_t len, arx_buf *out) {
    size_t start = out->len;
    bool gap = false;
    for (size_t pos = 0; pos < len;) {
        uint32_t c = arx_text_next(text, len, &pos);
        uint8_t letter = slug_character(c);
        if (letter == 0) {
            gap = true;
            continue;
        }
        if (gap && out->len > start) {
            arx_buf_append_byte(out, '-');
        }
        arx_buf_append_byte(out, letter);
        gap = c == 0x130;
    }
    if (out->len == start) {
        arx_buf_append_str(out, "artifact");
    }
}

static arx_json *new_str(arx_json_doc *doc, const char *str) {
    return arx_json_new_string(doc, (const uint8_t *)str, strlen(str));
}

/* Sets a member to a text, or leaves it out when the text is absent. */
static arx_result set_slice(arx_json_doc *doc, arx_json *object, const char *key, slice value) {
    if (value.text == NULL) {
        return ARX_OK;
    }
    return arx_json_set(object, key, arx_json_new_string(doc, value.text, value.len));
}

static arx_result set_str(arx_json_doc *doc, arx_json *object, const char *key, const char *value) {
    return arx_json_set(object, key, new_str(doc, value));
}

/* What the artifact holds, in the order of section 1.1. */
static arx_result set_content(const arx_draft *draft, arx_json_doc *doc, arx_json *artifact) {
    slice content = {draft->content, draft->content_len};
    slice language = trimmed(draft->language, draft->language_len);
    if (draft->kind != ARX_KIND_DIFF) {
        arx_result rc = set_slice(doc, artifact, "content", content);
        if (rc == ARX_OK && draft->kind == ARX_KIND_CODE) {
            rc = set_slice(doc, artifact, "language", language);
        }
        return rc;
    }
    arx_result rc = ARX_OK;
    if (draft->content != NULL) {
        rc = set_slice(doc, artifact, "patch", content);
    } else {
        /* Two sides carry no file names, so the language is all that is known of them. */
        rc = set_slice(doc, artifact, "oldContent",
                       (slice){draft->old_content, draft->old_content_len});
        if (rc == ARX_OK) {
            rc = set_slice(doc, artifact, "newContent",
                           (slice){draft->new_content, draft->new_content_len});
        }
        if (rc == ARX_OK) {
            rc = set_slice(doc, artifact, "language", language);
        }
    }
    if (rc == ARX_OK) {
        rc = set_str(doc, artifact, "view", draft->split_view ? "split" : "unified");
    }
    return rc;
}

/* Nothing to show? */
static bool is_empty(const arx_draft *draft) {
    if (draft->content != NULL) {
        return is_blank(draft->content, draft->content_len);
    }
    return draft->kind != ARX_KIND_DIFF || draft->old_content == NULL || draft->new_content == NULL;
}

static arx_result build(const arx_draft *draft, arx_json_doc *doc, const arx_buf *id,
                        const arx_buf *untitled, arx_json **envelope) {
    slice title = trimmed(draft->title, draft->title_len);
    slice filename = trimmed(draft->filename, draft->filename_len);
    slice shown = title.text != NULL      ? title
                  : filename.text != NULL ? filename
                                          : (slice){untitled->data, untitled->len};
    slice slug = {id->data, id->len};
    arx_json *root = arx_json_new(doc, ARX_JSON_OBJECT);
    arx_json *list = arx_json_new(doc, ARX_JSON_ARRAY);
    arx_json *artifact = arx_json_new(doc, ARX_JSON_OBJECT);
    if (root == NULL || list == NULL || artifact == NULL ||
        arx_json_set(root, "v", arx_json_new_number(doc, 1)) != ARX_OK ||
        set_str(doc, root, "codec", arx_codec_name(ARX_CODEC_PLAIN)) != ARX_OK ||
        set_slice(doc, root, "title", shown) != ARX_OK ||
        set_slice(doc, root, "activeArtifactId", slug) != ARX_OK ||
        arx_json_set(root, "artifacts", list) != ARX_OK ||
        set_slice(doc, artifact, "id", slug) != ARX_OK ||
        set_str(doc, artifact, "kind", arx_kind_name(draft->kind)) != ARX_OK ||
        set_slice(doc, artifact, "title", title) != ARX_OK ||
        set_slice(doc, artifact, "filename", filename) != ARX_OK ||
        set_content(draft, doc, artifact) != ARX_OK) {
        return ARX_NO_MEMORY;
    }
    arx_json_append(list, artifact);
    *envelope = root;
    return ARX_OK;
}

arx_result arx_draft_envelope(const arx_draft *draft, arx_json_doc *doc, arx_json **envelope,
                              const char **message) {
    if (is_empty(draft)) {
        if (message != NULL) {
            *message = draft->kind == ARX_KIND_DIFF
                           ? "Paste a diff patch before generating a link."
                           : "Paste some content before generating a link.";
        }
        return ARX_MALFORMED;
    }
    const char *kind = arx_kind_name(draft->kind);
    slice title = trimmed(draft->title, draft->title_len);
    slice filename = without_extension(trimmed(draft->filename, draft->filename_len));
    slice named = title.text != NULL      ? title
                  : filename.text != NULL ? filename
                                          : (slice){(const uint8_t *)kind, strlen(kind)};
    arx_buf id;
    arx_buf untitled;
    arx_buf_init(&id, 0);
    arx_buf_init(&untitled, 0);
    arx_slug(named.text, named.len, &id);
    arx_buf_append_str(&untitled, "Untitled ");
    arx_buf_append_str(&untitled, kind);
    arx_result rc = arx_buf_result(&id);
    if (rc == ARX_OK) {
        rc = arx_buf_result(&untitled);
    }
    if (rc == ARX_OK) {
        rc = build(draft, doc, &id, &untitled, envelope);
    }
    arx_buf_free(&id);
    arx_buf_free(&untitled);
    return rc;
}

/*
 * compose.c - makes the project's asset set from its sources: `compose-assets OUT SRC`, at build
 * time.
 *
 * SRC holds dictionary.json and overlay.json (the slots), words/words.txt, and the artifacts that
 * `list` names. OUT gets the three files of the set. A prior must look like what is coded after it,
 * so every artifact goes through the library's own text stage: draft, envelope, tuple JSON,
 * overlay, base dictionary; one a line. A block is
 *
 *     artifacts of the other kinds;  words;  artifacts of its own kinds
 *
 * so that what is most like the payload is freshest, and the three blocks share their text, which
 * Brotli then stores once. The same sources give the same bytes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arx.h"
#include "asset_files.h"
#include "compose_list.h"
#include "draft.h"
#include "filetype.h"

#define WORDS "words/words.txt"
#define LIST  "list"

/* Which block an artifact's kind belongs to, and the blocks' names in the priors file. */
enum { BLOCK_MARKDOWN, BLOCK_CODE, BLOCK_JSON, BLOCKS };
static const char *const block_names[BLOCKS] = {"markdown", "code", "json"};
static const int block_of[ARX_KIND_COUNT] = {
    [ARX_KIND_MARKDOWN] = BLOCK_MARKDOWN, [ARX_KIND_CODE] = BLOCK_CODE,
    [ARX_KIND_DIFF] = BLOCK_CODE,         [ARX_KIND_CSV] = BLOCK_JSON,
    [ARX_KIND_JSON] = BLOCK_JSON,
};

/* The lines of one block's kinds, each an artifact or bundle as payload text. */
typedef struct prior_text {
    arx_buf words;
    arx_buf lines[BLOCKS];
} prior_text;

static bool complain(const char *what, const char *why) {
    fprintf(stderr, "compose-assets: %s: %s\n", what, why);
    return false;
}

static bool complain_entry(const compose_entry *entry, const char *why) {
    fprintf(stderr, "compose-assets: %.*s: %s\n", (int)entry->path.len,
            (const char *)entry->path.text, why);
    return false;
}

/* SRC/name, whole. */
static bool read_source(const char *src, const char *name, size_t name_len, arx_buf *out) {
    char path[1024];
    int n = snprintf(path, sizeof path, "%s/%.*s", src, (int)name_len, name);
    if (n < 0 || (size_t)n >= sizeof path) {
        return complain(src, "too long a path");
    }
    uint8_t *data = NULL;
    size_t len = 0;
    int error = asset_file_read(path, &data, &len);
    if (error != 0) {
        return complain(path, strerror(error));
    }
    bool text = arx_text_is_utf8(data, len);
    arx_buf_append(out, data, len);
    free(data);
    return text ? arx_buf_result(out) == ARX_OK || complain(path, "out of memory")
                : complain(path, "not UTF-8");
}

static bool write_output(const char *folder, const char *name, const arx_buf *text) {
    char path[1024];
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (n < 0 || (size_t)n >= sizeof path) {
        return complain(folder, "too long a path");
    }
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        return complain(path, strerror(errno));
    }
    bool written = fwrite(text->data, 1, text->len, file) == text->len;
    if (fclose(file) != 0 || !written) {
        return complain(path, "cannot write");
    }
    return true;
}

/* ---- dictionaries ---- */

/* Writes a slots file without its white space and makes the dictionary. */
static bool make_dictionary(const char *src, const char *name, arx_dictionary_role role,
                            const char *out, const char *out_name, arx_dictionary **dictionary) {
    bool done = false;
    arx_json_doc *doc = NULL;
    arx_json *root = NULL;
    arx_buf text;
    arx_buf_init(&text, 0);
    if (!read_source(src, name, strlen(name), &text)) {
        goto out;
    }
    if (arx_json_parse(text.data, text.len, 0, &doc, &root) != ARX_OK ||
        arx_dictionary_create(role, root, dictionary) != ARX_OK) {
        complain(name, "no dictionary");
        goto out;
    }
    arx_buf_clear(&text);
    arx_json_write(root, &text);
    done = arx_buf_result(&text) == ARX_OK && write_output(out, out_name, &text);
out:
    arx_json_doc_free(doc);
    arx_buf_free(&text);
    return done;
}

/* ---- artifacts ---- */

/* The text stage of arx2 and later. */
static bool write_payload_text(const arx_json *envelope, const arx_dictionary *overlay,
                               const arx_dictionary *base, arx_buf *line) {
    arx_buf tuple;
    arx_buf overlaid;
    arx_buf_init(&tuple, 0);
    arx_buf_init(&overlaid, 0);
    arx_envelope_write_tuple(envelope, &tuple);
    arx_dictionary_encode(overlay, tuple.data, tuple.len, &overlaid);
    arx_dictionary_encode(base, overlaid.data, overlaid.len, line);
    arx_buf_append_byte(line, '\n');
    bool done = arx_buf_result(&tuple) == ARX_OK && arx_buf_result(&overlaid) == ARX_OK &&
                arx_buf_result(line) == ARX_OK;
    arx_buf_free(&tuple);
    arx_buf_free(&overlaid);
    return done;
}

/* The envelope of one listed file. */
static bool draft_artifact(const char *src, const compose_entry *entry, arx_json_doc *doc,
                           arx_kind *kind, arx_json **envelope) {
    bool done = false;
    arx_buf content;
    arx_buf_init(&content, 0);
    if (!arx_kind_from_name(entry->path.text, compose_folder_len(&entry->path), kind)) {
        complain_entry(entry, "lies in no folder of a kind");
        goto out;
    }
    if (!read_source(src, (const char *)entry->path.text, entry->path.len, &content)) {
        goto out;
    }
    arx_filetype type = {.language = NULL};
    bool typed = arx_filetype_of(entry->path.text, entry->path.len, &type);
    compose_field language = entry->language;
    if (language.len == 0 && typed && *kind == ARX_KIND_CODE && type.language != NULL) {
        language.text = (const uint8_t *)type.language;
        language.len = strlen(type.language);
    }
    const arx_draft draft = {
        .kind = *kind,
        .title = entry->title.len > 0 ? entry->title.text : NULL,
        .title_len = entry->title.len,
        .filename = entry->filename.len > 0 ? entry->filename.text : NULL,
        .filename_len = entry->filename.len,
        .content = content.data,
        .content_len = content.len,
        .language = language.len > 0 ? language.text : NULL,
        .language_len = language.len,
    };
    const char *message = "out of memory";
    if (arx_draft_envelope(&draft, doc, envelope, &message) != ARX_OK) {
        complain_entry(entry, message);
        goto out;
    }
    done = true;
out:
    arx_buf_free(&content);
    return done;
}

/* One entry and those that continue its bundle; leaves `*next` at the entry after. */
static bool add_artifact(const char *src, const compose_list *list, size_t *next,
                         const arx_dictionary *overlay, const arx_dictionary *base,
                         prior_text *prior) {
    bool done = false;
    arx_kind kind = ARX_KIND_MARKDOWN;
    arx_json *envelope = NULL;
    arx_json_doc *doc = arx_json_doc_create();
    if (doc == NULL || !draft_artifact(src, &list->entries[*next], doc, &kind, &envelope)) {
        goto out;
    }
    while (++*next < list->count && list->entries[*next].continues) {
        arx_kind other;
        arx_json *more;
        if (!draft_artifact(src, &list->entries[*next], doc, &other, &more)) {
            goto out;
        }
        arx_json *artifact = arx_json_alias(doc, arx_json_at(arx_json_get(more, "artifacts"), 0));
        if (artifact == NULL) {
            goto out;
        }
        arx_json_append(arx_json_get(envelope, "artifacts"), artifact);
    }
    done = write_payload_text(envelope, overlay, base, &prior->lines[block_of[kind]]);
out:
    arx_json_doc_free(doc);
    return done;
}

/* ---- priors ---- */

/* {"version":1,"kinds":{"markdown":...,"code":...,"json":...}} */
static void write_priors(const prior_text *prior, arx_buf *out) {
    arx_buf block;
    arx_buf_init(&block, 0);
    arx_buf_append_str(out, "{\"version\":1,\"kinds\":{");
    for (int own = 0; own < BLOCKS; own++) {
        arx_buf_clear(&block);
        for (int i = BLOCKS - 1; i >= 0; i--) {
            if (i != own) {
                arx_buf_append(&block, prior->lines[i].data, prior->lines[i].len);
            }
        }
        arx_buf_append(&block, prior->words.data, prior->words.len);
        arx_buf_append(&block, prior->lines[own].data, prior->lines[own].len);
        if (arx_buf_result(&block) != ARX_OK) {
            out->status = ARX_NO_MEMORY;
        }
        arx_buf_append_str(out, own > 0 ? ",\"" : "\"");
        arx_buf_append_str(out, block_names[own]);
        arx_buf_append_str(out, "\":");
        arx_json_write_string(block.data, block.len, out);
    }
    arx_buf_append_str(out, "}}");
    arx_buf_free(&block);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: compose-assets OUT SRC\n");
        return 2;
    }
    const char *out = argv[1];
    const char *src = argv[2];
    int status = 1;
    arx_dictionary *base = NULL;
    arx_dictionary *overlay = NULL;
    compose_list list = {0};
    prior_text prior;
    arx_buf text;
    arx_buf priors;
    arx_buf_init(&text, 0);
    arx_buf_init(&priors, 0);
    arx_buf_init(&prior.words, 0);
    for (int i = 0; i < BLOCKS; i++) {
        arx_buf_init(&prior.lines[i], 0);
    }
    if (!make_dictionary(src, "dictionary.json", ARX_DICTIONARY_BASE, out,
                         asset_file_names[BUILTIN_DICTIONARY], &base) ||
        !make_dictionary(src, "overlay.json", ARX_DICTIONARY_OVERLAY, out,
                         asset_file_names[BUILTIN_OVERLAY], &overlay) ||
        !read_source(src, WORDS, strlen(WORDS), &prior.words) ||
        !read_source(src, LIST, strlen(LIST), &text)) {
        goto out;
    }
    if (!compose_list_parse(text.data, text.len, &list)) {
        complain(LIST, "no list of artifacts, or out of memory");
        goto out;
    }
    for (size_t next = 0; next < list.count;) {
        if (!add_artifact(src, &list, &next, overlay, base, &prior)) {
            goto out;
        }
    }
    write_priors(&prior, &priors);
    if (arx_buf_result(&priors) != ARX_OK) {
        complain("priors", "out of memory");
        goto out;
    }
    if (!write_output(out, asset_file_names[BUILTIN_PRIORS], &priors)) {
        goto out;
    }
    status = 0;
out:
    for (int i = 0; i < BLOCKS; i++) {
        arx_buf_free(&prior.lines[i]);
    }
    arx_buf_free(&prior.words);
    arx_buf_free(&priors);
    arx_buf_free(&text);
    compose_list_free(&list);
    arx_dictionary_free(overlay);
    arx_dictionary_free(base);
    return status;
}

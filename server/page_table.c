/* page_table.c - see page_table.h. */
#include "page_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "html.h"

#define BASE "<base href=\"/\">"

/* What stands in the pages for what a server, a link or an error has of its own. */
static const char *const base_marks[] = {BASE};
static const char *const viewer_marks[] = {"<title>arxd</title>",
                                           "<div id=\"artifact\" hidden></div>"};
static const char *const notice_marks[] = {"<title>Error</title>", "<h1>Error</h1>",
                                           "<p id=\"says\"></p>"};

struct page_table {
    page_template viewer;
    page_template notice;
    uint8_t **owned; /* pages with another base, and their variants */
    size_t owned_count;
    served_file files[]; /* in the order of page_files */
};

const char *page_template_cut(page_bytes text, const char *const *marks, size_t count,
                              page_template *cut) {
    *cut = (page_template){0};
    const uint8_t *end = text.data + text.len;
    const uint8_t *from = text.data;
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(marks[i]);
        const uint8_t *at = memmem(from, (size_t)(end - from), marks[i], len);
        if (at == NULL || memmem(at + len, (size_t)(end - at) - len, marks[i], len) != NULL) {
            return marks[i];
        }
        cut->pieces[i] = (page_bytes){from, (size_t)(at - from)};
        from = at + len;
    }
    cut->pieces[count] = (page_bytes){from, (size_t)(end - from)};
    return NULL;
}

static int compare_paths(const void *path, const void *file) {
    return strcmp(path, ((const page_file *)file)->path);
}

const served_file *page_table_find(const page_table *table, const char *path) {
    const page_file *file =
        bsearch(path, page_files, page_file_count, sizeof page_files[0], compare_paths);
    return file != NULL ? &table->files[file - page_files] : NULL;
}

/* Keeps what was made for the table's life; NULL is the want of memory. */
static bool keep(page_table *table, uint8_t *bytes) {
    if (bytes != NULL) {
        table->owned[table->owned_count++] = bytes;
    }
    return bytes != NULL;
}

/* A page whose addresses start below `base`. */
static bool add_rebased(page_table *table, served_file *served, page_bytes text, const char *base) {
    page_template cut;
    if (page_template_cut(text, base_marks, 1, &cut) != NULL) {
        return false;
    }
    arx_buf out;
    arx_buf_init(&out, 0);
    arx_buf_append(&out, cut.pieces[0].data, cut.pieces[0].len);
    arx_buf_append_str(&out, "<base href=\"");
    html_escape_str(base, &out);
    arx_buf_append_str(&out, "/\">");
    arx_buf_append(&out, cut.pieces[1].data, cut.pieces[1].len);
    size_t len;
    uint8_t *page = arx_buf_take(&out, &len);
    if (!keep(table, page)) {
        return false;
    }
    served_file_add(served, ENCODING_IDENTITY, page, len);
    uint8_t *packed[SERVED_PACKED];
    bool made = served_file_pack(served, packed);
    for (size_t i = 0; i < SERVED_PACKED; i++) {
        (void)keep(table, packed[i]);
    }
    return made;
}

static void add_built(served_file *served, const page_file *file) {
    served_file_add(served, ENCODING_IDENTITY, file->identity.data, file->identity.len);
    if (file->brotli.data != NULL) {
        served_file_add(served, ENCODING_BROTLI, file->brotli.data, file->brotli.len);
    }
    if (file->gzip.data != NULL) {
        served_file_add(served, ENCODING_GZIP, file->gzip.data, file->gzip.len);
    }
}

/*
 * Gives back the memory that looking at these bytes took. They are the program file's, so they come
 * back when somebody reads them; most of the page's are never asked for by anyone.
 */
static void forget(page_bytes bytes) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = ((uintptr_t)bytes.data + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)bytes.data + bytes.len) / page * page;
    if (from < end) {
        (void)madvise((void *)from, end - from, MADV_DONTNEED); /* at worst it stays */
    }
}

static bool add_files(page_table *table, const char *base, char *why, size_t why_size) {
    int64_t modified_s = program_modified_s();
    for (size_t i = 0; i < page_file_count; i++) {
        const page_file *file = &page_files[i];
        served_file *served = &table->files[i];
        served_file_init(served, file->content_type, modified_s);
        bool is_html = strncmp(file->content_type, "text/html", 9) == 0;
        if (!is_html || base[0] == '\0') {
            add_built(served, file);
        } else if (!add_rebased(table, served, file->identity, base)) {
            (void)snprintf(why, why_size, "page: %s has no " BASE ", or no memory", file->path);
            return false;
        }
        if (!served_file_is_whole(served)) {
            (void)snprintf(why, why_size, "page: a packed variant of %s does not hold the file",
                           file->path);
            return false;
        }
        forget(file->identity);
        forget(file->brotli);
        forget(file->gzip);
    }
    return true;
}

static bool cut_page(const page_table *table, const char *path, const char *const *marks,
                     size_t count, page_template *cut, char *why, size_t why_size) {
    const served_file *file = page_table_find(table, path);
    if (file == NULL) {
        (void)snprintf(why, why_size, "page: there is no %s", path);
        return false;
    }
    const served_variant *text = &file->variants[ENCODING_IDENTITY];
    const char *missing = page_template_cut((page_bytes){text->data, text->len}, marks, count, cut);
    if (missing != NULL) {
        (void)snprintf(why, why_size, "page: %s should have %s once", path, missing);
    }
    return missing == NULL;
}

page_table *page_table_create(const char *base, char *why, size_t why_size) {
    page_table *table = calloc(1, sizeof *table + page_file_count * sizeof table->files[0]);
    if (table != NULL) {
        table->owned = calloc(page_file_count * (1 + SERVED_PACKED), sizeof *table->owned);
    }
    if (table == NULL || table->owned == NULL) {
        (void)snprintf(why, why_size, "page: out of memory");
        page_table_free(table);
        return NULL;
    }
    if (!add_files(table, base, why, why_size) ||
        !cut_page(table, "/", viewer_marks, 2, &table->viewer, why, why_size) ||
        !cut_page(table, "/notice", notice_marks, 3, &table->notice, why, why_size)) {
        page_table_free(table);
        return NULL;
    }
    return table;
}

void page_table_free(page_table *table) {
    if (table == NULL) {
        return;
    }
    for (size_t i = 0; i < table->owned_count; i++) {
        free(table->owned[i]);
    }
    free(table->owned);
    free(table);
}

const page_template *page_table_viewer(const page_table *table) {
    return &table->viewer;
}

const page_template *page_table_notice(const page_table *table) {
    return &table->notice;
}

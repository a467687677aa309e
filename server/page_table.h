/*
 * page_table.h - the built page (page_files.h) as it is served. Made at the start, then immutable;
 * any thread may read it.
 *
 * Its HTML stands at the root of a server; where links start below a path, the <base> of every page
 * is set to that path at the start.
 */
#ifndef ARXD_PAGE_TABLE_H
#define ARXD_PAGE_TABLE_H

#include "page_files.h"
#include "served_file.h"

typedef struct page_table page_table;

/* A page cut at its marks (static/viewer/README.md): what stands before, between and behind them.
 */
#define PAGE_PIECES 4
typedef struct page_template {
    page_bytes pieces[PAGE_PIECES];
} page_template;

/* What stands between the pieces, for who fills them in. */
enum {
    VIEWER_BEFORE_TITLE,   /* then <title> and what belongs into a head */
    VIEWER_BEFORE_PAYLOAD, /* then the element that carries the payload */
    VIEWER_REST,
};
enum {
    NOTICE_BEFORE_TITLE,   /* then <title> and what belongs into a head */
    NOTICE_BEFORE_HEADING, /* then <h1> */
    NOTICE_BEFORE_TEXT,    /* then what is to be read */
    NOTICE_REST,
};

/*
 * base: the path that links start with, "" or "/below". NULL with one line in `why`: no memory, or
 * a page that was not built as it should be.
 */
page_table *page_table_create(const char *base, char *why, size_t why_size);
/* NULL is fine. */
void page_table_free(page_table *table);

/* The file of that path ("/", "/page/main-ABCDEFGH.mjs"), or NULL. */
const served_file *page_table_find(const page_table *table, const char *path);

/* index.html, for a link's payload, and notice.html, for a few lines. */
const page_template *page_table_viewer(const page_table *table);
const page_template *page_table_notice(const page_table *table);

/* Cuts `text` at `count` marks, below PAGE_PIECES. The first that is not there once, or NULL. Pure.
 */
const char *page_template_cut(page_bytes text, const char *const *marks, size_t count,
                              page_template *cut);

#endif

/* copying.c - see copying.h. One thread. */
#include "copying.h"
#include "clock.h"

#include <stdlib.h>
#include <string.h>

#define SHOW_EVERY_MS 100
#define BAR_CHARS     30

/* One side's rows, a page at a time. */
typedef struct walk {
    store_tables *tables;
    table_page page;
    size_t at;
    bool last; /* there is no page behind this one */
    table_from next;
} walk;

typedef struct copying {
    walk from;
    walk to;
    table_name table;
    bool compare; /* and change nothing */
    table_change changes[TABLE_CHANGES];
    size_t waiting;
    uint64_t rows; /* of the source, walked */
    uint64_t total;
    uint64_t by_act[3];
    FILE *terminal;
    int64_t shown_ms;
} copying;

static const char *failure_of(const copying *self) {
    return self->from.tables->why[0] != '\0' ? self->from.tables->why : self->to.tables->why;
}

/* ---- how far it is ---- */

static void show(copying *self, bool now) {
    int64_t now_ms = clock_monotonic_ms();
    if (self->terminal == NULL || (!now && now_ms - self->shown_ms < SHOW_EVERY_MS)) {
        return;
    }
    self->shown_ms = now_ms;
    /* A table that grows meanwhile is not done before its end. */
    uint64_t total = self->total > self->rows ? self->total : self->rows;
    unsigned percent = total == 0 ? 100 : (unsigned)(100.0 * (double)self->rows / (double)total);
    char bar[BAR_CHARS + 1];
    for (unsigned i = 0; i < BAR_CHARS; i++) {
        bar[i] = i * 100 < percent * BAR_CHARS ? '#' : '.';
    }
    bar[BAR_CHARS] = '\0';
    (void)fprintf(self->terminal, "\r%s %-8s [%s] %3u %%  %llu of %llu\033[K",
                  self->compare ? "comparing" : "copying", table_shapes[self->table].name, bar,
                  percent, (unsigned long long)self->rows, (unsigned long long)total);
    (void)fflush(self->terminal);
}

static void hide(const copying *self) {
    if (self->terminal != NULL) {
        (void)fputs("\r\033[K", self->terminal);
        (void)fflush(self->terminal);
    }
}

/* ---- walking ---- */

static bool flush(copying *self) {
    bool done = tables_change(self->to.tables, self->table, self->changes, self->waiting);
    self->waiting = 0;
    return done;
}

/*
 * Has the next row at hand, if there is one. What waits to be changed stands in the pages, so it is
 * changed before one of them goes. (Neither can a page then hold what was added behind it: rows
 * are added before the row that is at hand there.)
 */
static bool look(copying *self, walk *side, const table_row **row) {
    if (side->at == side->page.count && !side->last) {
        if (!flush(self) || !tables_page(side->tables, self->table, &side->next, &side->page)) {
            return false;
        }
        side->at = 0;
        side->last = side->page.count < TABLE_PAGE_ROWS;
        if (side->page.count > 0) {
            table_from_behind(&side->next, self->table, side->page.rows[side->page.count - 1]);
        }
    }
    *row = side->at < side->page.count ? side->page.rows[side->at] : NULL;
    return true;
}

static void begin(walk *side) {
    side->at = side->page.count = 0;
    side->last = false;
    table_from_begin(&side->next);
}

static void change(copying *self, table_act act, const table_row *row) {
    self->by_act[act]++;
    if (!self->compare) {
        self->changes[self->waiting++] = (table_change){act, row};
    }
}

/* One row of either side, or the same of both. */
static void merge(copying *self, const table_row *from, const table_row *to) {
    int order = to == NULL ? -1 : from == NULL ? 1 : table_compare_keys(self->table, from, to);
    if (order > 0) {
        change(self, TABLE_REMOVE, to);
    } else if (order < 0) {
        change(self, TABLE_ADD, from);
    } else if (!table_same(self->table, from, to)) {
        change(self, TABLE_REPLACE, from);
    }
    self->to.at += order >= 0;
    self->from.at += order <= 0;
    self->rows += order <= 0;
}

static bool walk_table(copying *self, table_name table) {
    const table_row *from = NULL;
    const table_row *to = NULL;
    self->table = table;
    self->rows = self->waiting = 0;
    memset(self->by_act, 0, sizeof self->by_act);
    begin(&self->from);
    begin(&self->to);
    if (self->terminal != NULL && !tables_count(self->from.tables, table, &self->total)) {
        return false;
    }
    show(self, true);
    bool well;
    while ((well = look(self, &self->from, &from) && look(self, &self->to, &to)) &&
           (from != NULL || to != NULL)) {
        merge(self, from, to);
        show(self, false);
    }
    well = well && flush(self);
    hide(self);
    table_page_clear(&self->from.page);
    table_page_clear(&self->to.page);
    return well;
}

static bool copy_tables(copying *self, FILE *out) {
    for (table_name i = 0; i < TABLES; i++) {
        if (!walk_table(self, i)) {
            return false;
        }
        (void)fprintf(out, "%s: %llu rows: %llu added, %llu replaced, %llu removed\n",
                      table_shapes[i].name, (unsigned long long)self->rows,
                      (unsigned long long)self->by_act[TABLE_ADD],
                      (unsigned long long)self->by_act[TABLE_REPLACE],
                      (unsigned long long)self->by_act[TABLE_REMOVE]);
        (void)fflush(out);
    }
    return true;
}

static bool compare_tables(copying *self, uint64_t *rows, uint64_t *other) {
    self->compare = true;
    for (table_name i = 0; i < TABLES; i++) {
        if (!walk_table(self, i)) {
            return false;
        }
        *rows += self->rows;
        *other +=
            self->by_act[TABLE_ADD] + self->by_act[TABLE_REPLACE] + self->by_act[TABLE_REMOVE];
    }
    return true;
}

copy_result copy_database(const store_options *from, const store_options *to, FILE *out,
                          FILE *terminal, char *why, size_t why_size) {
    copy_result result = COPY_FAILED;
    uint64_t rows = 0;
    uint64_t other = 0;
    copying *self = calloc(1, sizeof *self);
    if (self == NULL) {
        (void)snprintf(why, why_size, "copy: out of memory");
        return result;
    }
    self->terminal = terminal;
    self->from.tables = tables_open(from, false, why, why_size);
    if (self->from.tables == NULL) {
        goto out;
    }
    self->to.tables = tables_open(to, true, why, why_size);
    if (self->to.tables == NULL) {
        goto out;
    }
    if (!copy_tables(self, out) || !compare_tables(self, &rows, &other) ||
        (other == 0 && !tables_finish(self->to.tables))) {
        (void)snprintf(why, why_size, "copy: %s", failure_of(self));
    } else if (other > 0) {
        (void)snprintf(why, why_size,
                       "copy: %llu rows are not the same any more: %s is being written to; stop "
                       "arxd there and copy once more",
                       (unsigned long long)other, tables_place(self->from.tables));
        result = COPY_DIFFERS;
    } else {
        (void)fprintf(out, "compared: all %llu rows are the same\n", (unsigned long long)rows);
        result = COPY_SAME;
    }

out:
    tables_close(self->to.tables);
    tables_close(self->from.tables);
    free(self);
    return result;
}

/* fit.c - see fit.h. */
#include "fit.h"

#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "hash.h"
#include "pointer.h"
#include "summary.h"
#include "text.h"

static const size_t list_steps[] = {200, 50, 20, 5, 0};

/* A place in the copy: a list or text, the observation it is in, and the way there. */
typedef struct slot {
    arx_json *node;
    const arx_json *surface;
    arx_json *observation;
    char *path;
    size_t path_len;
} slot;

typedef struct fitting {
    arx_json_doc *doc;
    arx_json *root;
    size_t budget;
    oui_cut *cuts;
    size_t cut_count;
    size_t cut_cap;
    slot *slots;
    size_t slot_count;
    size_t slot_cap;
    size_t bytes;
} fitting;

/* ---- slots ---- */

static void drop_slots(fitting *self) {
    for (size_t i = 0; i < self->slot_count; i++) {
        free(self->slots[i].path);
    }
    self->slot_count = 0;
}

static char *copy_path(const arx_buf *path) {
    char *copy = malloc(path->len + 1);
    if (copy != NULL) {
        if (path->len > 0) {
            memcpy(copy, path->data, path->len);
        }
        copy[path->len] = '\0';
    }
    return copy;
}

static arx_result add_slot(fitting *self, const arx_json *surface, arx_json *observation,
                           arx_json *node, const arx_buf *path) {
    if (self->slot_count == self->slot_cap) {
        size_t cap = self->slot_cap == 0 ? 16 : self->slot_cap * 2;
        slot *grown = realloc(self->slots, cap * sizeof *grown);
        if (grown == NULL) {
            return ARX_NO_MEMORY;
        }
        self->slots = grown;
        self->slot_cap = cap;
    }
    char *copy = copy_path(path);
    if (copy == NULL || arx_buf_result(path) != ARX_OK) {
        free(copy);
        return ARX_NO_MEMORY;
    }
    self->slots[self->slot_count++] = (slot){node, surface, observation, copy, path->len};
    return ARX_OK;
}

/* Every list, or text, in one value; outer before inner, in document order. */
static arx_result list_value(fitting *self, arx_json_type want, const arx_json *surface,
                             arx_json *observation, arx_json *value, arx_buf *path) {
    arx_result result = ARX_OK;
    if (value->type == want) {
        result = add_slot(self, surface, observation, value, path);
    }
    if (value->type != ARX_JSON_ARRAY && value->type != ARX_JSON_OBJECT) {
        return result;
    }
    size_t row = 0;
    size_t here = path->len;
    for (arx_json *item = value->as.list.first; result == ARX_OK && item != NULL;
         item = item->next) {
        if (value->type == ARX_JSON_ARRAY) {
            oui_pointer_row(path, row++);
        } else {
            oui_pointer_name(path, item->key, item->key_len);
        }
        result = list_value(self, want, surface, observation, item, path);
        path->len = here;
    }
    return result;
}

static arx_result list_slots(fitting *self, arx_json_type want) {
    arx_buf path;
    arx_buf_init(&path, 0);
    arx_result result = ARX_OK;
    drop_slots(self);
    for (arx_json *surface = self->root->as.list.first; surface != NULL; surface = surface->next) {
        arx_json *value = surface->type == ARX_JSON_OBJECT ? surface->as.list.first : NULL;
        for (; result == ARX_OK && value != NULL; value = value->next) {
            path.len = 0;
            result = list_value(self, want, surface, value, value, &path);
        }
    }
    arx_buf_free(&path);
    return result;
}

/* ---- cuts ---- */

/* Takes the slot's path. A cut noted for that place before keeps its total and its position. */
static arx_result note(fitting *self, slot *at, oui_cut_kind kind, size_t total, size_t kept) {
    for (size_t i = 0; i < self->cut_count; i++) {
        oui_cut *cut = &self->cuts[i];
        if (cut->surface == at->surface && cut->observation == at->observation &&
            cut->path_len == at->path_len && memcmp(cut->path, at->path, at->path_len) == 0) {
            cut->kind = kind;
            cut->kept = kept;
            return ARX_OK;
        }
    }
    if (self->cut_count == self->cut_cap) {
        size_t cap = self->cut_cap == 0 ? 16 : self->cut_cap * 2;
        oui_cut *grown = realloc(self->cuts, cap * sizeof *grown);
        if (grown == NULL) {
            return ARX_NO_MEMORY;
        }
        self->cuts = grown;
        self->cut_cap = cap;
    }
    self->cuts[self->cut_count++] =
        (oui_cut){at->surface, at->observation, at->path, at->path_len, kind, total, kept};
    at->path = NULL;
    return ARX_OK;
}

static void forget(fitting *self, size_t i) {
    free(self->cuts[i].path);
    self->cut_count--;
    memmove(&self->cuts[i], &self->cuts[i + 1], (self->cut_count - i) * sizeof self->cuts[0]);
}

static arx_result forget_gone(fitting *self) {
    for (size_t i = 0; i < self->cut_count;) {
        const oui_cut *cut = &self->cuts[i];
        arx_json *found = NULL;
        arx_result result = oui_pointer_find((arx_json *)cut->observation,
                                             (const uint8_t *)cut->path, cut->path_len, &found);
        if (result != ARX_OK) {
            return result;
        }
        if (found == NULL) {
            forget(self, i);
        } else {
            i++;
        }
    }
    return ARX_OK;
}

static arx_result measure(fitting *self) {
    return oui_json_bytes(self->root, &self->bytes);
}

static bool fits(const fitting *self) {
    return self->bytes <= self->budget;
}

/* ---- the steps ---- */

static void shorten(arx_json *list, size_t rows) {
    arx_json *last = rows > 0 ? arx_json_at(list, rows - 1) : NULL;
    if (last != NULL) {
        last->next = NULL;
    } else {
        list->as.list.first = NULL;
    }
    list->as.list.last = last;
    list->as.list.count = rows;
}

static arx_result cut_lists(fitting *self, size_t rows) {
    arx_result result = list_slots(self, ARX_JSON_ARRAY);
    for (size_t i = 0; result == ARX_OK && i < self->slot_count; i++) {
        arx_json *list = self->slots[i].node;
        size_t total = list->as.list.count;
        if (total > rows) {
            result = note(self, &self->slots[i], OUI_CUT_LIST, total, rows);
            shorten(list, rows);
        }
    }
    if (result == ARX_OK) {
        result = forget_gone(self);
    }
    return result == ARX_OK ? measure(self) : result;
}

static arx_result cut_texts(fitting *self) {
    arx_buf head;
    arx_buf_init(&head, 0);
    arx_result result = list_slots(self, ARX_JSON_STRING);
    for (size_t i = 0; result == ARX_OK && i < self->slot_count; i++) {
        arx_json *text = self->slots[i].node;
        const uint8_t *data = text->as.string.data;
        size_t len = text->as.string.len;
        if (!arx_text_units_exceed(data, len, OUI_FIT_TEXT_UNITS)) {
            continue;
        }
        size_t units = arx_text_units(data, len);
        arx_buf_clear(&head);
        oui_text_head(data, len, OUI_FIT_TEXT_UNITS, &head);
        const arx_json *kept = arx_buf_result(&head) == ARX_OK
                                   ? arx_json_new_string(self->doc, head.data, head.len)
                                   : NULL;
        result = kept != NULL ? note(self, &self->slots[i], OUI_CUT_TEXT, units, OUI_FIT_TEXT_UNITS)
                              : ARX_NO_MEMORY;
        if (kept != NULL) {
            text->as = kept->as;
        }
    }
    arx_buf_free(&head);
    return result == ARX_OK ? measure(self) : result;
}

/* One observation, for the last step. */
typedef struct weighed {
    const arx_json *surface;
    arx_json *observation;
    size_t bytes;
} weighed;

int oui_compare_ids(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len) {
    static const char order[] = "_-:.0123456789abcdefghijklmnopqrstuvwxyz";
    size_t common = a_len < b_len ? a_len : b_len;
    for (size_t i = 0; i < common; i++) {
        if (a[i] != b[i]) {
            const char *at = a[i] != '\0' ? strchr(order, a[i]) : NULL;
            const char *bt = b[i] != '\0' ? strchr(order, b[i]) : NULL;
            if (at != NULL && bt != NULL) {
                return at < bt ? -1 : 1;
            }
            return a[i] < b[i] ? -1 : 1; /* no id holds such */
        }
    }
    return a_len == b_len ? 0 : a_len < b_len ? -1 : 1;
}

static int compare_keys(const arx_json *a, const arx_json *b) {
    return oui_compare_ids(a->key, a->key_len, b->key, b->key_len);
}

static int compare_weighed(const void *left, const void *right) {
    const weighed *a = left;
    const weighed *b = right;
    if (a->bytes != b->bytes) {
        return a->bytes > b->bytes ? -1 : 1;
    }
    int order = compare_keys(a->surface, b->surface);
    return order != 0 ? order : compare_keys(a->observation, b->observation);
}

static arx_result weigh(fitting *self, weighed **values, size_t *count) {
    size_t total = 0;
    *count = 0;
    for (const arx_json *s = self->root->as.list.first; s != NULL; s = s->next) {
        total += s->type == ARX_JSON_OBJECT ? s->as.list.count : 0;
    }
    *values = calloc(total + 1, sizeof **values);
    arx_result result = *values != NULL ? ARX_OK : ARX_NO_MEMORY;
    for (const arx_json *s = self->root->as.list.first; s != NULL; s = s->next) {
        arx_json *value = s->type == ARX_JSON_OBJECT ? s->as.list.first : NULL;
        for (; result == ARX_OK && value != NULL; value = value->next) {
            weighed *one = &(*values)[(*count)++];
            *one = (weighed){s, value, 0};
            result = oui_json_bytes(value, &one->bytes);
        }
    }
    return result;
}

static arx_result drop_value(fitting *self, const weighed *one) {
    for (size_t i = 0; i < self->cut_count;) {
        if (self->cuts[i].observation == one->observation) {
            forget(self, i);
        } else {
            i++;
        }
    }
    one->observation->type = ARX_JSON_NULL;
    slot whole = {one->observation, one->surface, one->observation, calloc(1, 1), 0};
    arx_result result =
        whole.path != NULL ? note(self, &whole, OUI_CUT_VALUE, one->bytes, 0) : ARX_NO_MEMORY;
    free(whole.path);
    return result == ARX_OK ? measure(self) : result;
}

static arx_result drop_values(fitting *self) {
    weighed *values;
    size_t count;
    arx_result result = weigh(self, &values, &count);
    if (result == ARX_OK) {
        qsort(values, count, sizeof *values, compare_weighed);
    }
    for (size_t i = 0; result == ARX_OK && !fits(self) && i < count; i++) {
        result = drop_value(self, &values[i]);
    }
    free(values);
    return result;
}

static arx_result cut_down(fitting *self) {
    arx_result result = ARX_OK;
    for (size_t i = 0; i < sizeof list_steps / sizeof list_steps[0]; i++) {
        result = cut_lists(self, list_steps[i]);
        if (result != ARX_OK || fits(self)) {
            return result;
        }
    }
    result = cut_texts(self);
    return result == ARX_OK && !fits(self) ? drop_values(self) : result;
}

arx_result oui_fit(const arx_json *observations, size_t budget, oui_fitted *out) {
    arx_buf text;
    arx_buf_init(&text, 0);
    arx_json_write(observations, &text);
    *out = (oui_fitted){.observations = observations, .bytes = text.len};
    arx_result result = arx_buf_result(&text);
    if (result != ARX_OK || text.len <= budget) {
        arx_buf_free(&text);
        return result;
    }
    fitting self = {.budget = budget, .bytes = text.len};
    result = arx_json_parse(text.data, text.len, 0, &self.doc, &self.root);
    arx_buf_free(&text);
    if (result == ARX_OK) {
        result = cut_down(&self);
    }
    drop_slots(&self);
    free(self.slots);
    *out = (oui_fitted){self.root, self.doc, self.cuts, self.cut_count, self.bytes};
    if (result != ARX_OK) {
        oui_fitted_free(out);
    }
    return result;
}

void oui_fitted_free(oui_fitted *fitted) {
    for (size_t i = 0; i < fitted->cut_count; i++) {
        free(fitted->cuts[i].path);
    }
    free(fitted->cuts);
    arx_json_doc_free(fitted->copy);
    *fitted = (oui_fitted){0};
}

void oui_cuts_write(const oui_fitted *fitted, const uint8_t *base, size_t base_len, arx_buf *out) {
    static const char *const kinds[] = {"list", "text", "value"};
    arx_buf path;
    arx_buf_init(&path, 0);
    list_begin(out);
    for (size_t i = 0; i < fitted->cut_count; i++) {
        const oui_cut *cut = &fitted->cuts[i];
        arx_buf_clear(&path);
        arx_buf_append(&path, base, base_len);
        arx_buf_append(&path, cut->path, cut->path_len);
        if (arx_buf_result(&path) != ARX_OK) {
            out->status = ARX_NO_MEMORY;
        }
        list_item(out);
        fields_begin(out);
        field_string(out, "surface", cut->surface->key, cut->surface->key_len);
        field_string(out, "observation", cut->observation->key, cut->observation->key_len);
        field_string(out, "path", path.data != NULL ? path.data : (const uint8_t *)"", path.len);
        field_text(out, "kind", kinds[cut->kind]);
        field_count(out, "total", cut->total);
        field_count(out, "kept", cut->kept);
        fields_end(out);
    }
    list_end(out);
    arx_buf_free(&path);
}

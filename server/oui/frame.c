/* frame.c - see frame.h. */
#include "frame.h"

#include <string.h>

#include "fields.h"
#include "fit.h"
#include "index.h"

static const char *const members[OUI_FORM_COUNT] = {"index", "surfaces"};

const char *oui_form_member(oui_form form) {
    return members[form];
}

/* ---- the page ---- */

static arx_result make_offer(const arx_json *array, oui_offer *offer) {
    arx_json_write(array, &offer->text);
    arx_result result = arx_buf_result(&offer->text);
    return result == ARX_OK ? oui_surfaces_hash(array, offer->hash) : result;
}

static arx_result make_index(oui_page *page) {
    arx_buf text;
    arx_json_doc *doc = NULL;
    arx_json *index;
    arx_buf_init(&text, 0);
    arx_result result = oui_surfaces_index(page->surfaces, &text);
    if (result == ARX_OK) {
        result = arx_json_parse(text.data, text.len, 0, &doc, &index);
    }
    if (result == ARX_OK) {
        result = make_offer(index, &page->offers[OUI_FORM_INDEX]);
        arx_json_doc_free(doc);
    }
    arx_buf_free(&text);
    return result;
}

arx_result oui_page_open(const uint8_t *text, size_t len, oui_page *page) {
    *page = (oui_page){0};
    arx_result result = arx_json_parse(text, len, 0, &page->doc, &page->surfaces);
    if (result == ARX_OK && !arx_json_is(page->surfaces, ARX_JSON_ARRAY)) {
        result = ARX_MALFORMED;
    }
    if (result == ARX_OK) {
        result = make_offer(page->surfaces, &page->offers[OUI_FORM_FULL]);
    }
    if (result == ARX_OK) {
        result = make_index(page);
    }
    if (result != ARX_OK) {
        oui_page_close(page);
    }
    return result;
}

void oui_page_close(oui_page *page) {
    for (size_t i = 0; i < OUI_FORM_COUNT; i++) {
        arx_buf_free(&page->offers[i].text);
    }
    arx_json_doc_free(page->doc);
    *page = (oui_page){0};
}

static const arx_json *by_id(const arx_json *list, const arx_json *id) {
    const arx_json *item = arx_json_is(list, ARX_JSON_ARRAY) ? list->as.list.first : NULL;
    while (item != NULL && !arx_json_strings_equal(arx_json_get(item, "id"), id)) {
        item = item->next;
    }
    return item;
}

const arx_json *oui_page_surface(const oui_page *page, const arx_json *id) {
    return by_id(page->surfaces, id);
}

const arx_json *oui_surface_action(const arx_json *surface, const arx_json *id) {
    return by_id(arx_json_get(surface, "actions"), id);
}

/* ---- frames ---- */

static void field_text_of(arx_buf *out, const char *name, const arx_buf *json) {
    field_name(out, name);
    arx_buf_append(out, json->data, json->len);
}

static size_t less(size_t whole, size_t part) {
    return whole > part ? whole - part : 0;
}

/* `,"name":` */
static size_t member_bytes(const char *name) {
    return strlen(name) + 4;
}

static void write_fit(const oui_fitted *fitted, bool dropped, size_t data_bytes, size_t limit,
                      arx_buf *out) {
    if (fitted->cut_count == 0 && !dropped) {
        return;
    }
    field_name(out, "fit");
    fields_begin(out);
    if (dropped) {
        field_name(out, "data");
        fields_begin(out);
        field_count(out, "bytes", data_bytes);
        field_count(out, "limit", limit);
        fields_end(out);
    }
    if (fitted->cut_count > 0) {
        field_name(out, "observations");
        oui_cuts_write(fitted, (const uint8_t *)"", 0, out);
    }
    fields_end(out);
}

arx_result oui_snapshot(const oui_page *page, oui_form form, const arx_json *observations,
                        size_t budget, arx_buf *out) {
    const oui_offer *offer = &page->offers[form];
    /* {"index":...} */
    size_t offered = 1 + member_bytes(members[form]) - 1 + offer->text.len + 1;
    oui_fitted fitted;
    arx_result result =
        oui_fit(observations, offered >= budget ? budget : budget - offered, &fitted);
    if (result != ARX_OK) {
        return result;
    }
    fields_begin(out);
    field_text_of(out, members[form], &offer->text);
    field_json(out, "observations", fitted.observations);
    field_text(out, "surfacesHash", offer->hash);
    write_fit(&fitted, false, 0, 0, out);
    fields_end(out);
    oui_fitted_free(&fitted);
    return arx_buf_result(out);
}

/* The outcome's members without the brace behind them. */
static void write_outcome(const arx_json *outcome, const arx_json *left_out, arx_buf *out) {
    fields_begin(out);
    const arx_json *member = outcome->as.list.first;
    for (bool first = true; member != NULL; member = member->next) {
        if (member == left_out) {
            continue;
        }
        if (!first) {
            arx_buf_append_byte(out, ',');
        }
        first = false;
        arx_json_write_string(member->key, member->key_len, out);
        arx_buf_append_byte(out, ':');
        arx_json_write(member, out);
    }
}

arx_result oui_frame(const oui_page *page, oui_form form, const arx_json *outcome,
                     const char *known, const arx_json *observations, size_t budget, arx_buf *out) {
    const oui_offer *offer = &page->offers[form];
    const arx_json *data = arx_json_get(outcome, "data");
    bool sends = known == NULL || strcmp(known, offer->hash) != 0;
    bool counts = sends && offer->text.len < budget;
    size_t data_bytes;
    size_t bare;
    arx_result result = oui_json_bytes(data, &data_bytes);
    if (result == ARX_OK) {
        arx_buf base;
        arx_buf_init(&base, 0);
        write_outcome(outcome, data, &base);
        bare = base.len + member_bytes("surfacesHash") + 2 + OUI_SURFACES_HASH_CHARS + 1;
        result = arx_buf_result(&base);
        arx_buf_free(&base);
    }
    if (result != ARX_OK) {
        return result;
    }
    bare += counts ? member_bytes(members[form]) + offer->text.len : 0;
    size_t limit = less(less(budget, bare), OUI_OBSERVATION_FLOOR);
    bool dropped = data != NULL && data_bytes > limit;
    size_t taken = bare + (data != NULL && !dropped ? member_bytes("data") + data_bytes : 0);
    oui_fitted fitted;
    result = oui_fit(observations, less(budget, taken), &fitted);
    if (result != ARX_OK) {
        return result;
    }
    write_outcome(outcome, dropped ? data : NULL, out);
    if (sends) {
        field_text_of(out, members[form], &offer->text);
    }
    field_text(out, "surfacesHash", offer->hash);
    field_json(out, "observations", fitted.observations);
    write_fit(&fitted, dropped, data_bytes, limit, out);
    fields_end(out);
    oui_fitted_free(&fitted);
    return arx_buf_result(out);
}

static bool is_named(const arx_json *member, const char *name) {
    size_t len = strlen(name);
    return member->key_len == len && memcmp(member->key, name, len) == 0;
}

arx_result oui_trim(const arx_json *original, oui_form form, unsigned step, const uint8_t *reason,
                    size_t reason_len, arx_buf *out) {
    const char *const order[OUI_TRIM_STEPS] = {members[form], "observations", "data"};
    fields_begin(out);
    const arx_json *member = original->as.list.first;
    for (bool first = true; member != NULL; member = member->next) {
        bool omitted = false;
        for (unsigned i = 0; i < step; i++) {
            omitted = omitted || is_named(member, order[i]);
        }
        if (omitted) {
            continue;
        }
        if (!first) {
            arx_buf_append_byte(out, ',');
        }
        first = false;
        arx_json_write_string(member->key, member->key_len, out);
        arx_buf_append_byte(out, ':');
        arx_json_write(member, out);
    }
    field_name(out, "delivery");
    fields_begin(out);
    field_bool(out, "trimmed", true);
    field_string(out, "reason", reason, reason_len);
    field_name(out, "omitted");
    list_begin(out);
    for (unsigned i = 0; i < step; i++) {
        list_item(out);
        arx_json_write_string((const uint8_t *)order[i], strlen(order[i]), out);
    }
    list_end(out);
    fields_end(out);
    fields_end(out);
    return arx_buf_result(out);
}

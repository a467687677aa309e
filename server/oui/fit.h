/*
 * fit.h - observations cut to a number of bytes: lists first, then long texts, then whole values;
 * and a note of every cut, so that the rest can be read with oui.read. Pure; any thread.
 *
 * Observations are {surface id: {observation id: value}}. Budgets and sizes are bytes of JSON.
 *
 * Source: OUI 0.7.0, fitObservations; where that fails (an array directly in an array that was cut
 * before it) the place is gone and is passed over.
 */
#ifndef ARXD_OUI_FIT_H
#define ARXD_OUI_FIT_H

#include "json.h"

#define OUI_FIT_TEXT_UNITS 2000

typedef enum oui_cut_kind { OUI_CUT_LIST, OUI_CUT_TEXT, OUI_CUT_VALUE } oui_cut_kind;

typedef struct oui_cut {
    const arx_json *surface; /* the nodes whose keys are the ids, in the fitted value */
    const arx_json *observation;
    char *path; /* JSON Pointer into the observation's value; owned by the fitted value */
    size_t path_len;
    oui_cut_kind kind;
    size_t total; /* rows, UTF-16 units or bytes */
    size_t kept;
} oui_cut;

typedef struct oui_fitted {
    const arx_json *observations; /* those given, or a copy that was cut */
    arx_json_doc *copy;           /* NULL when nothing was cut */
    oui_cut *cuts;                /* in the order they were noted */
    size_t cut_count;
    size_t bytes; /* of `observations` */
} oui_fitted;

/*
 * observations: borrowed until oui_fitted_free(). What does not fit even then is given all the
 * same: `bytes` tells. ARX_NO_MEMORY: nothing to free.
 */
arx_result oui_fit(const arx_json *observations, size_t budget, oui_fitted *out) ARX_MUST_CHECK;
void oui_fitted_free(oui_fitted *fitted);

/*
 * Appends the cuts as a JSON array of {surface, observation, path, kind, total, kept}. base: a
 * pointer put in front of every path ("" for none).
 */
void oui_cuts_write(const oui_fitted *fitted, const uint8_t *base, size_t base_len, arx_buf *out);

/* The order of ids where sizes are equal: "_-:." then digits, then letters; a prefix first. */
int oui_compare_ids(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len);

#endif

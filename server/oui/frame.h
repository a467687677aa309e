/*
 * frame.h - what an agent runtime is sent: snapshots, results, and results sent again with less in
 * them. Pure; any thread.
 *
 * A page is the surfaces with all that follows from them, made once. A frame's parts are fitted to
 * a number of bytes: first the data, as far as it leaves room for observations, then the
 * observations. What was left out is said in `fit`. Neither that nor the two members' names are
 * counted, so a frame may pass its budget by what `fit` takes and 23 bytes (a snapshot: 65).
 *
 * Source: OUI 0.7.0, and its reference runtime.
 */
#ifndef ARXD_OUI_FRAME_H
#define ARXD_OUI_FRAME_H

#include "hash.h"

#define OUI_RESULT_BYTES      (480u * 1024)
#define OUI_SNAPSHOT_BYTES    (256u * 1024)
#define OUI_OBSERVATION_FLOOR (16u * 1024) /* of a result: kept for observations */

typedef enum oui_form { OUI_FORM_INDEX, OUI_FORM_FULL, OUI_FORM_COUNT } oui_form;

/* "index" and "surfaces": the member a form is sent as. */
const char *oui_form_member(oui_form form);

/* One form: the array as text, and its hash. */
typedef struct oui_offer {
    arx_buf text;
    char hash[OUI_SURFACES_HASH_CHARS + 1];
} oui_offer;

typedef struct oui_page {
    arx_json_doc *doc;
    arx_json *surfaces; /* the array, in doc */
    oui_offer offers[OUI_FORM_COUNT];
} oui_page;

/* Reads an array of surfaces and prepares both forms. On failure there is nothing to free. */
arx_result oui_page_open(const uint8_t *text, size_t len, oui_page *page) ARX_MUST_CHECK;
void oui_page_close(oui_page *page);
/* A surface of the page, or an action of a surface, by id; NULL. */
const arx_json *oui_page_surface(const oui_page *page, const arx_json *id);
const arx_json *oui_surface_action(const arx_json *surface, const arx_json *id);

/* Appends a snapshot of at most `budget` bytes (OUI_SNAPSHOT_BYTES but for tests). */
arx_result oui_snapshot(const oui_page *page, oui_form form, const arx_json *observations,
                        size_t budget, arx_buf *out) ARX_MUST_CHECK;

/*
 * Appends a result of at most `budget` bytes. outcome: the object with requestId, success, data or
 * error, and so on, whose members are sent in their order. known: the surfaces hash the receiver
 * holds, or NULL; the form is left out when it is this form's.
 */
arx_result oui_frame(const oui_page *page, oui_form form, const arx_json *outcome,
                     const char *known, const arx_json *observations, size_t budget,
                     arx_buf *out) ARX_MUST_CHECK;

/*
 * Appends a result again without the form (step 1), observations too (2), data too (3), and with
 * `delivery` that says so. original: the result as it was first sent. reason: why it was refused.
 */
#define OUI_TRIM_STEPS 3
arx_result oui_trim(const arx_json *original, oui_form form, unsigned step, const uint8_t *reason,
                    size_t reason_len, arx_buf *out) ARX_MUST_CHECK;

#endif

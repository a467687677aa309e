/*
 * own_actions.h - the runtime's own actions: oui.describe and oui.read. Pure; any thread.
 *
 * Each appends the result's `data`. Otherwise `code` and `message` say what was wrong with the
 * params.
 *
 * Source: OUI 0.7.0, surface `oui`.
 */
#ifndef ARXD_OUI_OWN_ACTIONS_H
#define ARXD_OUI_OWN_ACTIONS_H

#include "frame.h"

typedef enum oui_own_result {
    OUI_OWN_OK = 0,
    OUI_OWN_INVALID,   /* INVALID_PARAMS */
    OUI_OWN_NOT_FOUND, /* NOT_FOUND */
    OUI_OWN_NO_MEMORY,
} oui_own_result;

/*
 * The definitions of actions: as many as go into `budget` less OUI_OBSERVATION_FLOOR bytes, but at
 * least one; the others are named as deferred, those that are not there as missing.
 */
oui_own_result oui_describe(const oui_page *page, const arx_json *params, size_t budget,
                            arx_buf *data, arx_buf *message) ARX_MUST_CHECK;

/* A place in an observation's value: a page of rows, or the value fitted to the same bytes. */
oui_own_result oui_read(arx_json *observations, const arx_json *params, size_t budget,
                        arx_buf *data, arx_buf *message) ARX_MUST_CHECK;

#endif

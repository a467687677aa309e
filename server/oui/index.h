/*
 * index.h - the index form of surfaces: an entry an action, in place of its definition; and the
 * rule of who needs a person's approval. Pure; any thread.
 *
 * Everything is appended to `out` as JSON, where want of memory shows; ARX_OVER_LIMIT: a definition
 * nests too deep (canonical.h).
 *
 * Source: OUI 0.7.0, indexEntry, surfaceIndex, effectAccess and requiresApproval.
 */
#ifndef ARXD_OUI_INDEX_H
#define ARXD_OUI_INDEX_H

#include "json.h"

typedef enum oui_access {
    OUI_ACCESS_NONE, /* an effect that is not in the table */
    OUI_ACCESS_READ,
    OUI_ACCESS_WRITE,
} oui_access;

/* Of an action's `effect`, NULL when it declares none (which is a write). */
oui_access oui_effect_access(const arx_json *effect);
/* A transaction always does; else a confirmed write does. */
bool oui_requires_approval(const arx_json *effect, bool confirm);

arx_result oui_index_entry(const arx_json *action, arx_buf *out) ARX_MUST_CHECK;
arx_result oui_surface_index(const arx_json *surface, arx_buf *out) ARX_MUST_CHECK;
/* The array of both, of an array of surfaces. */
arx_result oui_surfaces_index(const arx_json *surfaces, arx_buf *out) ARX_MUST_CHECK;

#endif

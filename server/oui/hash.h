/*
 * hash.h - hashes and sizes of definitions and surfaces. Pure; any thread.
 *
 * Source: OUI 0.7.0, fnv1a64, surfacesHash, definitionHash and jsonBytes. Frozen: agent runtimes
 * hold these hashes.
 */
#ifndef ARXD_OUI_HASH_H
#define ARXD_OUI_HASH_H

#include "json.h"

#define OUI_DEFINITION_HASH_CHARS 16
#define OUI_SURFACES_HASH_CHARS   24 /* "fnv1a64:" and 16 digits */

/* 64-bit FNV-1a over the UTF-16 code units of WTF-8 text: one step a unit. */
uint64_t oui_fnv1a64(const uint8_t *text, size_t len);

/* 16 lower-case hex digits and a NUL. Fails as oui_sorted_json() does. */
arx_result oui_definition_hash(const arx_json *action,
                               char hash[OUI_DEFINITION_HASH_CHARS + 1]) ARX_MUST_CHECK;
/* Of the array as it is sent: surfaces in full form, or their index. */
arx_result oui_surfaces_hash(const arx_json *surfaces,
                             char hash[OUI_SURFACES_HASH_CHARS + 1]) ARX_MUST_CHECK;

/* Bytes of the value's JSON; 0 for NULL (an absent value). */
arx_result oui_json_bytes(const arx_json *value, size_t *bytes) ARX_MUST_CHECK;

#endif

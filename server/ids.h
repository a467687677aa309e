/*
 * ids.h - the ids of links: 16 random bytes (UUID version 4) and their two written forms. Pure but
 * for id_generate().
 */
#ifndef ARXD_IDS_H
#define ARXD_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ID_BYTES       16
#define ID_LONG_CHARS  36 /* 8-4-4-4-12 hex digits, lower case */
#define ID_SHORT_CHARS 22 /* base64url */

/*
 * Reads either form: 36 characters in any case, or 22 that are the only spelling of their bytes
 * (the last is one of A Q g w). False for anything else. text: NUL-terminated.
 */
bool id_parse(const char *text, uint8_t id[ID_BYTES]);

/* Both write a NUL too. */
void id_format_long(const uint8_t id[ID_BYTES], char text[ID_LONG_CHARS + 1]);
void id_format_short(const uint8_t id[ID_BYTES], char text[ID_SHORT_CHARS + 1]);

/*
 * A new random id. False when the system gave something else than a random version 4 UUID, which
 * must never be handed out.
 */
bool id_generate(uint8_t id[ID_BYTES]);

#endif

/*
 * clock.h - the two clocks and how times are written. Any thread.
 */
#ifndef ARXD_CLOCK_H
#define ARXD_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* For durations and deadlines; never set back. */
int64_t clock_monotonic_ms(void);
int64_t clock_monotonic_us(void);
/* Unix time in ms; for rows and what people read. */
int64_t clock_unix_ms(void);

/* "2026-01-31T23:59:59.999Z" and its NUL: ISO 8601, UTC. Years are held within 0000 to 9999. */
#define CLOCK_ISO_SIZE 25
void clock_iso(int64_t unix_ms, char text[CLOCK_ISO_SIZE]);
/*
 * Reads "2026-01-31", "2026-01-31T23:59:59Z" or the same with ".999"; a date alone is its first
 * moment. False for anything else, also for days no month has.
 */
bool clock_from_iso(const char *text, int64_t *unix_ms);

#endif

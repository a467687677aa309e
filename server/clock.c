/* clock.c - see clock.h. */
#include "clock.h"

#include <time.h>

static int64_t now_us(clockid_t id) {
    struct timespec now;
    (void)clock_gettime(id, &now); /* cannot fail for these two ids */
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t clock_monotonic_us(void) {
    return now_us(CLOCK_MONOTONIC);
}

int64_t clock_monotonic_ms(void) {
    return clock_monotonic_us() / 1000;
}

int64_t clock_unix_ms(void) {
    return now_us(CLOCK_REALTIME) / 1000;
}

static void digits(char *at, int64_t number, int count) {
    while (count-- > 0) {
        at[count] = (char)('0' + number % 10);
        number /= 10;
    }
}

void clock_iso(int64_t unix_ms, char text[CLOCK_ISO_SIZE]) {
    const int64_t first_ms = -62167219200000; /* 0000-01-01 */
    const int64_t last_ms = 253402300799999;  /* 9999-12-31 */
    if (unix_ms < first_ms) {
        unix_ms = first_ms;
    }
    if (unix_ms > last_ms) {
        unix_ms = last_ms;
    }
    int64_t ms = unix_ms % 1000;
    time_t seconds = (time_t)(unix_ms / 1000);
    if (ms < 0) {
        ms += 1000;
        seconds--;
    }
    struct tm utc = {0};
    (void)gmtime_r(&seconds, &utc);
    const char pattern[CLOCK_ISO_SIZE] = "0000-00-00T00:00:00.000Z";
    for (int i = 0; i < CLOCK_ISO_SIZE; i++) {
        text[i] = pattern[i];
    }
    digits(text, utc.tm_year + 1900, 4);
    digits(text + 5, utc.tm_mon + 1, 2);
    digits(text + 8, utc.tm_mday, 2);
    digits(text + 11, utc.tm_hour, 2);
    digits(text + 14, utc.tm_min, 2);
    digits(text + 17, utc.tm_sec, 2);
    digits(text + 20, ms, 3);
}

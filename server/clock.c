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

/* `count` digits at `*text`, which moves behind them; -1 when there are fewer. */
static int read_digits(const char **text, int count) {
    int number = 0;
    for (; count > 0; count--, (*text)++) {
        if (**text < '0' || **text > '9') {
            return -1;
        }
        number = number * 10 + (**text - '0');
    }
    return number;
}

/* The number behind `separator`, or -1. */
static int read_next(const char **text, char separator, int count) {
    if (**text != separator) {
        return -1;
    }
    (*text)++;
    return read_digits(text, count);
}

bool clock_from_iso(const char *text, int64_t *unix_ms) {
    struct tm utc = {0};
    int ms = 0;
    int year = read_digits(&text, 4);
    int month = year < 0 ? -1 : read_next(&text, '-', 2);
    int day = month < 1 ? -1 : read_next(&text, '-', 2);
    if (day < 1) {
        return false;
    }
    utc.tm_year = year - 1900;
    utc.tm_mon = month - 1;
    utc.tm_mday = day;
    if (*text != '\0') {
        utc.tm_hour = read_next(&text, 'T', 2);
        utc.tm_min = utc.tm_hour < 0 ? -1 : read_next(&text, ':', 2);
        utc.tm_sec = utc.tm_min < 0 ? -1 : read_next(&text, ':', 2);
        if (utc.tm_sec >= 0 && *text == '.') {
            ms = read_next(&text, '.', 3);
        }
        if (utc.tm_hour > 23 || utc.tm_min > 59 || utc.tm_sec < 0 || utc.tm_sec > 59 || ms < 0 ||
            text[0] != 'Z' || text[1] != '\0') {
            return false;
        }
    }
    /* timegm() makes March of February 30th: then it is no longer the day that was read. */
    int64_t seconds = timegm(&utc);
    if (utc.tm_mon != month - 1 || utc.tm_mday != day) {
        return false;
    }
    *unix_ms = seconds * 1000 + ms;
    return true;
}

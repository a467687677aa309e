/*
 * served_file.h - a file held in memory, in every encoding it is sent in, with the validators a
 * client keeps it by. Filled in at the start, then immutable; any thread may read it.
 */
#ifndef ARXD_SERVED_FILE_H
#define ARXD_SERVED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "negotiate.h"

#define ETAG_SIZE      35 /* 32 hex digits in quotes, NUL */
#define HTTP_DATE_SIZE 30 /* "Sun, 06 Nov 1994 08:49:37 GMT", NUL */

typedef struct served_variant {
    const uint8_t *data; /* borrowed */
    size_t len;
    char etag[ETAG_SIZE];
} served_variant;

typedef struct served_file {
    const char *content_type; /* borrowed */
    unsigned available;       /* one bit 1u << encoding for each variant: negotiate_encoding() */
    served_variant variants[ENCODING_COUNT];
    char last_modified[HTTP_DATE_SIZE];
} served_file;

/* An empty file: add its identity variant first. */
void served_file_init(served_file *file, const char *content_type, int64_t modified_s);
void served_file_add(served_file *file, content_encoding encoding, const uint8_t *data, size_t len);
/*
 * Packs the identity variant and adds what comes out. packed: each is the caller's to free(), and
 * must live as long as the file; NULL where there was no memory, which makes the answer false.
 */
#define SERVED_PACKED 2
bool served_file_pack(served_file *file, uint8_t *packed[SERVED_PACKED]);
/* Do the packed variants hold what the identity one says? False also without memory. */
bool served_file_is_whole(const served_file *file);

/* A strong entity tag: the first half of SHA-256, in hex and quotes. */
void etag_of(const uint8_t *data, size_t len, char etag[ETAG_SIZE]);
/* A time as HTTP writes it, whatever the locale. Years are held within 0 to 9999. */
void http_date(int64_t unix_s, char text[HTTP_DATE_SIZE]);
/* When the program was built, as the system tells it: the age of what is compiled in. Unix time. */
int64_t program_modified_s(void);

#endif

/*
 * url_domain.h - domain names in ASCII, as the URL standard asks for them (UTS #46).
 *
 * Inside the library only, for url_host.c.
 */
#ifndef ARX_URL_DOMAIN_H
#define ARX_URL_DOMAIN_H

#include "buffer.h"

/*
 * Appends ToASCII(domain): not transitional, CheckHyphens, UseSTD3ASCIIRules and VerifyDnsLength
 * off. Forbidden code points are the caller's to look for. ARX_MALFORMED for what is no domain.
 * A label may have 63 characters at most when it is not plain ASCII.
 */
arx_result arx_domain_to_ascii(const uint8_t *domain, size_t len, arx_buf *out) ARX_MUST_CHECK;

/*
 * Code points that UTS #46 takes as they are and IDNA2008 does not take at all: signs and emoji
 * (status "valid ; ; NV8"), as inclusive ranges in ascending order.
 */
typedef struct arx_symbol_range {
    uint32_t first;
    uint32_t last;
} arx_symbol_range;
extern const arx_symbol_range arx_domain_symbols[];
extern const size_t arx_domain_symbol_count;

#endif

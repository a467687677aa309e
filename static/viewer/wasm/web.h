/*
 * web.h - the codec for a page: what the WebAssembly module exports, and what it asks of its host.
 *
 * One thread, one instance, JSON texts in and out (UTF-8; lone surrogates as \u escapes, so nothing
 * is lost on the way). The format itself is all in codec/; here is only what a page adds: asset
 * sets that arrive when they are needed, and functions of the host for Brotli, deflate and URLs.
 *
 * A call's input is in a block of web_alloc() and is freed by the call. Its answer stays at
 * web_answer() until the next call. Calls:
 *
 *   web_decode   {"request": {"fragment", "skipFragmentBudget"}, "assetSet", "sets", "unavailable"}
 *   web_encode   {"request": <body of POST /encode>, "assetSet", "sets", "unavailable"}
 *   web_inspect  {"request": {"fragment", "baseUrl"}, ...}
 *   web_filetype {"request": {"filename"}}
 *
 * "sets" are the ids of /assets/index.json in the order they are tried, the active one first; left
 * out as long as the host does not know them. "assetSet" names the one to use. "unavailable" lists
 * sets that could not be loaded.
 *
 * WEB_DONE: the answer is {"ok": true, ...} or {"ok": false, "code", "message"}.
 * WEB_NEEDS: the call cannot go on without what the answer names: {"index": true}, a set's files
 * {"set": id, "priors": bool}, modules {"modules": [name, ...]}. The host gets them and makes the
 * same call again.
 */
#ifndef WEB_H
#define WEB_H

#include "assets.h"
#include "coder.h"
#include "fragment.h"

#ifdef __wasm__
#define WEB_EXPORT(name) __attribute__((export_name(name)))
#define WEB_IMPORT(name) __attribute__((import_module("host"), import_name(name)))
#else
#define WEB_EXPORT(name)
#define WEB_IMPORT(name)
#endif

typedef enum web_outcome { WEB_DONE = 0, WEB_NEEDS = 1 } web_outcome;

/* ---- calls (web.c) ---- */

WEB_EXPORT("web_alloc") uint8_t *web_alloc(size_t len); /* NULL without memory */
WEB_EXPORT("web_free") void web_free(uint8_t *block);
WEB_EXPORT("web_answer") const uint8_t *web_answer(void);
WEB_EXPORT("web_answer_len") size_t web_answer_len(void);

WEB_EXPORT("web_decode") web_outcome web_decode(uint8_t *json, size_t len);
WEB_EXPORT("web_encode") web_outcome web_encode(uint8_t *json, size_t len);
WEB_EXPORT("web_inspect") web_outcome web_inspect(uint8_t *json, size_t len);
WEB_EXPORT("web_filetype") web_outcome web_filetype(uint8_t *json, size_t len);

/*
 * Hands over a set's files: one block of the id and the three files one behind the other. `whole`:
 * a length of 0 means that the set has no priors, not that they were left out for now. A set may be
 * handed over again with its priors. The answer is {"ok": true} or what is wrong with the files.
 */
WEB_EXPORT("web_set")
web_outcome web_set(uint8_t *block, size_t dictionary_len, size_t overlay_len, size_t priors_len,
                    int whole);

/* For the host's functions: room for `len` more bytes of output, or NULL. */
WEB_EXPORT("web_extend") uint8_t *web_extend(arx_buf *out, size_t len);

/* ---- the host's functions ---- */

typedef enum web_module { WEB_BROTLI_DECODE, WEB_BROTLI_ENCODE, WEB_DEFLATE_ENCODE } web_module;

/* Is the module loaded? */
WEB_IMPORT("has") int host_has(web_module module);
/* See entropy.h; each appends to `out` by web_extend() and answers an arx_result. */
WEB_IMPORT("brotli_compress")
int host_brotli_compress(const uint8_t *bytes, size_t len, arx_buf *out);
WEB_IMPORT("brotli_decompress")
int host_brotli_decompress(const uint8_t *stream, size_t len, size_t max, arx_buf *out);
WEB_IMPORT("deflate_compress")
int host_deflate_compress(const uint8_t *bytes, size_t len, arx_buf *out);
WEB_IMPORT("deflate_decompress")
int host_deflate_decompress(const uint8_t *stream, size_t len, size_t max, arx_buf *out);
/* Parses a URL (UTF-8), drops its fragment and appends the serialisation; ARX_MALFORMED for none.
 */
WEB_IMPORT("url") int host_url(const uint8_t *text, size_t len, arx_buf *out);
/* An encode has run `done` of its `total` tasks. */
WEB_IMPORT("progress") void host_progress(size_t done, size_t total);

/* The four as the table that coders take (host.c). */
extern const arx_entropy web_entropy;

/* ---- asset sets (sets.c) ---- */

/*
 * Makes a set of its files, unless it is here already. `whole`: these are all the files it has. On
 * failure `why` says what is wrong with them, as arx_assets_create() does; ARX_OVER_LIMIT when
 * there are too many sets.
 */
arx_result web_sets_add(const char *id, const arx_asset_files *files, bool whole,
                        arx_buf *why) ARX_MUST_CHECK;
/*
 * A set by its id; NULL as long as its files are not here. Without `priors` its dictionaries will
 * do, with them it must be whole.
 */
const arx_assets *web_sets_find(const char *id, bool priors);
/* Does this set, as it is here, lack priors that its files may have? */
bool web_sets_incomplete(const char *id);

#endif

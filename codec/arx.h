/*
 * arx.h - libarx: artifact bundles as URL fragments.
 *
 * The whole public interface. Typical use, one thread:
 *
 *     arx_assets *assets;                          one immutable set, shared by all threads
 *     arx_coder *coder = arx_coder_create(&arx_entropy_native, NULL);   one a thread
 *     arx_encode(coder, assets, envelope, &options, &encoded, &error);
 *     arx_decode(coder, assets, fragment, len, false, &decoded, &error);
 *
 * The library does no I/O, starts no thread, logs nothing, has no mutable global and never exits.
 * Every input is (pointer, length); every output is the caller's, freed with the call its comment
 * names. Functions are safe to call from any thread as long as one object is used by one thread
 * at a time; assets, dictionaries and images are immutable and shared freely.
 *
 * The core (all but brotli, deflate and link) needs nothing but a C compiler and builds for wasm32.
 */
#ifndef ARX_H
#define ARX_H

#include "assets.h"
#include "buffer.h"
#include "coder.h"
#include "dictionary.h"
#include "entropy.h"
#include "envelope.h"
#include "fragment.h"
#include "json.h"
#include "link.h"
#include "lz.h"
#include "mixer.h"
#include "result.h"
#include "select.h"
#include "text.h"
#include "wire.h"

/* Brotli and deflate by libbrotli and zlib (brotli.c, deflate.c). */
extern const arx_entropy arx_entropy_native;

#endif

/*
 * mixer.h - the context mixer: model, arithmetic coder, primed images (format.md 7.2).
 *
 * Frozen: every step is integer arithmetic, and changing any of it breaks existing links. The
 * portable and the AVX2 path give the same bytes.
 *
 * Three things:
 *   arx_image   a model that has read a prior: about 33 MB, immutable, shared by threads
 *   arx_mixer   one thread's working model. It starts from an image (or primes itself), codes one
 *               text, and goes back to the primed state by an undo log (small texts) or by copying
 *               the image (large texts, another prior)
 *   arx_kernel  how the bits are mixed; chosen once, with arx_kernel_best()
 */
#ifndef ARX_MIXER_H
#define ARX_MIXER_H

#include "buffer.h"

/* Longest text the coder takes or gives, in bytes. */
#define ARX_MIXER_MAX_TEXT 800000u

/* Bytes of one image or one working model, for a cache that counts. */
size_t arx_image_bytes(void);

typedef enum arx_kernel { ARX_KERNEL_PORTABLE, ARX_KERNEL_AVX2 } arx_kernel;

/* The fastest this processor runs. */
arx_kernel arx_kernel_best(void);

typedef struct arx_image arx_image;
typedef struct arx_mixer arx_mixer;

/*
 * Primes a model with `prior` (7.2.5; empty for prior "n"; read during the call only). NULL without
 * memory. Caller frees; must outlive every mixer that is based on it.
 */
arx_image *arx_image_create(arx_kernel kernel, const uint8_t *prior, size_t len);
void arx_image_free(arx_image *image);

/* A working model; its 33 MB are allocated by the first arx_mixer_base(). NULL without memory. */
arx_mixer *arx_mixer_create(arx_kernel kernel);
void arx_mixer_free(arx_mixer *mixer);

/*
 * Bases the mixer on an image: what it codes next starts from that primed state. Costs next to
 * nothing when the mixer already stands there (known by the prior's bytes, so an image that was
 * freed and made again is no trap), else a copy of the image. The image is borrowed until the next
 * base call or the mixer's end.
 */
arx_result arx_mixer_base(arx_mixer *mixer, const arx_image *image) ARX_MUST_CHECK;

/*
 * The same without an image, for those who have no 33 MB to spare: the mixer reads the prior itself
 * (during the call only) unless it stands there already. It goes back by the undo log alone, so
 * after a long text it has no base until the next base or prime call. ARX_OVER_LIMIT for a prior
 * that could not be recognised again, which is one of more than 512 KB.
 */
arx_result arx_mixer_prime(arx_mixer *mixer, const uint8_t *prior, size_t len) ARX_MUST_CHECK;

/*
 * Appends varint(len) and the coder's bytes. The mixer is back at its base afterwards, whatever
 * the result. ARX_OVER_LIMIT for more than ARX_MIXER_MAX_TEXT bytes, ARX_UNAVAILABLE for a mixer
 * without a base.
 */
arx_result arx_mixer_encode(arx_mixer *mixer, const uint8_t *text, size_t len,
                            arx_buf *out) ARX_MUST_CHECK;

/*
 * Appends the text. ARX_MALFORMED for a stream that ends early (what it held was appended, and no
 * more memory taken than that), ARX_OVER_LIMIT for a length over ARX_MIXER_MAX_TEXT,
 * ARX_UNAVAILABLE for a mixer without a base. Bytes behind the end are ignored.
 */
arx_result arx_mixer_decode(arx_mixer *mixer, const uint8_t *coded, size_t len,
                            arx_buf *out) ARX_MUST_CHECK;

/* ST[p], p 0..4095, and SQ[t + 2048], t -2048..2048 (7.2.2), for those who check the tables. */
const int16_t *arx_mixer_stretch(void);
const int16_t *arx_mixer_squash(void);

#endif

/*
 * result.h - what a stage of the codec can answer.
 *
 * One enum serves every module below the fragment layer. A fragment decode folds these into the
 * codes of format.md section 11 (see fragment.h); nothing here is a wire value.
 */
#ifndef ARX_RESULT_H
#define ARX_RESULT_H

#define ARX_MUST_CHECK __attribute__((warn_unused_result))

typedef enum arx_result {
    ARX_OK = 0,
    ARX_NO_MEMORY,   /* an allocation failed; nothing was produced */
    ARX_MALFORMED,   /* the input is not what this stage accepts */
    ARX_OVER_LIMIT,  /* the input is well-formed so far but its output would pass a stated limit */
    ARX_UNAVAILABLE, /* a prior, dictionary version or entropy function needed here is not at hand
                      */
} arx_result;

#endif

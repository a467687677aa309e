/*
 * attempt.h - one codec in one packing: an envelope's candidates in every wire (format.md 9).
 *
 * Inside the library only: select.c runs attempts and compares what they give. An attempt is used
 * by one thread at a time; several run side by side on one envelope and one asset set.
 */
#ifndef ARX_ATTEMPT_H
#define ARX_ATTEMPT_H

#include "select.h"

/* How a candidate's length is counted. They differ for arx3 and arx4 in baseBMP alone. */
typedef enum arx_policy {
    ARX_POLICY_DEFAULT, /* arx3, arx4: what a person sees */
    ARX_POLICY_URL,     /* every arx wire: what a URL carries */
    ARX_POLICY_COUNT
} arx_policy;

/* The best candidate under one policy. */
typedef struct arx_pick {
    arx_candidate candidate;
    arx_buf fragment; /* tag and payload */
} arx_pick;

typedef struct arx_attempt {
    arx_codec codec;
    bool packed;
    char prior;                          /* '\0' for codecs without one */
    bool all_wires;                      /* encode every wire, and list it */
    arx_result result;                   /* of the run; anything but ARX_OK: no candidate */
    arx_pick picks[ARX_POLICY_COUNT];    /* read with arx_attempt_pick() */
    arx_candidate wires[ARX_WIRE_COUNT]; /* with all_wires: scored by the default policy */
    size_t wire_count;
} arx_attempt;

/* Does the codec have a packed and an unpacked form (all but the tuple codecs)? */
bool arx_codec_has_packing(arx_codec codec);
/* Does the codec write the tuple text? */
bool arx_codec_is_tuple(arx_codec codec);
/* Does the codec code with a prior? */
bool arx_codec_has_prior(arx_codec codec);

/* Encodes. Sets everything from `result` on; release with arx_attempt_free() in any case. */
void arx_attempt_run(arx_attempt *attempt, const arx_assets *assets, const arx_json *envelope,
                     arx_coder *coder);
void arx_attempt_free(arx_attempt *attempt);
/* The best candidate under a policy, or NULL if there is none. */
arx_pick *arx_attempt_pick(arx_attempt *attempt, arx_policy policy);

#endif

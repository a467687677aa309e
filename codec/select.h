/*
 * select.h - from an envelope to the shortest fragment (format.md section 9).
 *
 * An encode is a plan of tasks, one per candidate codec. Tasks are independent: run them on one
 * thread in a loop (arx_encode does) or each on its own, then finish. The result depends on the
 * input and options alone, never on the order in which tasks ran.
 */
#ifndef ARX_SELECT_H
#define ARX_SELECT_H

#include "fragment.h"

typedef struct arx_encode_options {
    bool has_codec; /* explicit codec; else auto */
    arx_codec codec;
    bool has_priority; /* codecPriority was given; an empty one leaves no candidates */
    arx_codec priority[ARX_CODEC_COUNT];
    size_t priority_count;
    bool prefer_packed;       /* default true: false leaves only unpacked candidates */
    bool prefer_compressed;   /* default true: false leaves only plain */
    size_t target_units;      /* targetMaxFragmentLength, 0 for none */
    bool budget_by_transport; /* answer the URL-serialised winner */
    char prior;               /* '\0': by kind of the first artifact; else one of ARX_PRIOR_IDS */
    bool all_wires;           /* encode also wires that cannot win, and list each as a candidate */
} arx_encode_options;

/* Automatic choice with every default. */
void arx_encode_options_init(arx_encode_options *options);

/* Appends a codec to the priority list, unless it is there already. */
void arx_encode_options_add_priority(arx_encode_options *options, arx_codec codec);

/* One candidate: a codec in one packing, in its best wire under the policy that was asked for. */
typedef struct arx_candidate {
    arx_codec codec;
    bool packed;
    bool has_wire; /* arx family */
    arx_wire wire;
    char prior; /* arx4 and arx5, else '\0' */
    size_t visible_units;
    size_t transport_units;
    size_t score; /* what section 9 compares: one of the two, by codec, wire and policy */
    size_t coded_bytes;
} arx_candidate;

typedef struct arx_encoded {
    arx_candidate winner;
    uint8_t *fragment;        /* tag and payload, no '#'; NUL follows */
    size_t fragment_len;      /* bytes */
    arx_candidate url_winner; /* the winner under the URL-serialised policy; often the same */
    uint8_t *url_fragment;    /* NULL when it is the same */
    size_t url_fragment_len;
    arx_candidate *candidates; /* in candidate order, one per codec and packing (and wire) */
    size_t candidate_count;
    bool fits_budget; /* visible length within ARX_FRAGMENT_BUDGET_UNITS */
    bool fits_target; /* the winner's score is within target_units; true without a target */
} arx_encoded;

void arx_encoded_free(arx_encoded *encoded);

typedef struct arx_plan arx_plan;

/*
 * Plans the encode of `envelope` (borrowed, only read, until arx_plan_free; checked, but not
 * normalised here). Cheap: no text is written yet. A prior of m, c or j that the set lacks becomes
 * s, as the format says. Fails with ARX_CODE_NO_CANDIDATES (message N), ARX_CODE_ASSET_UNAVAILABLE
 * (options->prior is no prior at all) or ARX_CODE_NO_MEMORY. Caller frees the plan, or the error.
 */
arx_code arx_plan_create(const arx_assets *assets, const arx_json *envelope,
                         const arx_encode_options *options, arx_plan **plan,
                         arx_error *error) ARX_MUST_CHECK;
void arx_plan_free(arx_plan *plan);
size_t arx_plan_tasks(const arx_plan *plan);
/* Which codec task i tries. */
arx_codec arx_plan_codec(const arx_plan *plan, size_t i);
/* Relative cost of task i, for starting the longest first. */
unsigned arx_plan_cost(const arx_plan *plan, size_t i);
/* Runs task i with the calling thread's coder. Different tasks may run at the same time. */
void arx_plan_run(arx_plan *plan, size_t i, arx_coder *coder);
/*
 * Once, after every task has run: takes the winner's text out of the plan. Fails with
 * ARX_CODE_NO_CANDIDATES (no codec could take the text) or ARX_CODE_NO_MEMORY (also when a task
 * ran out of memory). Caller: arx_encoded_free, or arx_error_free.
 */
arx_code arx_plan_finish(arx_plan *plan, arx_encoded *encoded, arx_error *error) ARX_MUST_CHECK;

/* All of it on the calling thread. */
arx_code arx_encode(arx_coder *coder, const arx_assets *assets, const arx_json *envelope,
                    const arx_encode_options *options, arx_encoded *encoded,
                    arx_error *error) ARX_MUST_CHECK;

#endif

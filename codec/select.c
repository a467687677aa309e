/* select.c - see select.h. */
#include "select.h"

#include <stdlib.h>
#include <string.h>

#include "attempt.h"

enum { FORMS = 2 }; /* packed and unpacked */

typedef struct task {
    arx_codec codec;
    arx_attempt attempts[FORMS]; /* in candidate order */
    size_t attempt_count;
} task;

struct arx_plan {
    const arx_assets *assets;
    const arx_json *envelope;
    arx_encode_options options;
    task tasks[ARX_CODEC_COUNT];
    size_t task_count;
};

/* The automatic choice. arx3 and arx4 are made only when asked for by name. */
static const arx_codec default_codecs[] = {
    ARX_CODEC_ARX5, ARX_CODEC_ARX2, ARX_CODEC_ARX, ARX_CODEC_DEFLATE, ARX_CODEC_LZ, ARX_CODEC_PLAIN,
};

/* Time for one form of a text, in tenths of what the mixer takes for it. */
static const unsigned codec_cost[ARX_CODEC_COUNT] = {
    [ARX_CODEC_PLAIN] = 1, [ARX_CODEC_LZ] = 2,    [ARX_CODEC_DEFLATE] = 2, [ARX_CODEC_ARX] = 25,
    [ARX_CODEC_ARX2] = 25, [ARX_CODEC_ARX3] = 25, [ARX_CODEC_ARX4] = 10,   [ARX_CODEC_ARX5] = 10,
};

/* ---- options ---- */

void arx_encode_options_init(arx_encode_options *options) {
    *options = (arx_encode_options){.prefer_packed = true, .prefer_compressed = true};
}

void arx_encode_options_add_priority(arx_encode_options *options, arx_codec codec) {
    options->has_priority = true;
    for (size_t i = 0; i < options->priority_count; i++) {
        if (options->priority[i] == codec) {
            return;
        }
    }
    options->priority[options->priority_count++] = codec;
}

/* ---- planning ---- */

/* The prior of section 7.2.5: by kind of the first artifact, and s where the set has none for it.
 */
static char choose_prior(const arx_assets *assets, const arx_json *envelope, char asked) {
    static const char by_kind[ARX_KIND_COUNT] = {
        [ARX_KIND_MARKDOWN] = 'm', [ARX_KIND_CODE] = 'c', [ARX_KIND_DIFF] = 'c',
        [ARX_KIND_CSV] = 'j',      [ARX_KIND_JSON] = 'j',
    };
    const arx_json *first = arx_json_at(arx_json_get(envelope, "artifacts"), 0);
    char prior = asked != '\0' ? asked : by_kind[arx_artifact_kind(first)];
    return arx_assets_has_prior(assets, prior) ? prior : 's';
}

static void add_task(arx_plan *plan, arx_codec codec, char prior) {
    task *t = &plan->tasks[plan->task_count++];
    const arx_attempt attempt = {
        .codec = codec,
        .prior = arx_codec_has_prior(codec) ? prior : '\0',
        .all_wires = plan->options.all_wires,
        .result = ARX_UNAVAILABLE,
    };
    t->codec = codec;
    if (arx_codec_has_packing(codec) && plan->options.prefer_packed) {
        t->attempts[t->attempt_count] = attempt;
        t->attempts[t->attempt_count++].packed = true;
    }
    t->attempts[t->attempt_count++] = attempt;
}

arx_code arx_plan_create(const arx_assets *assets, const arx_json *envelope,
                         const arx_encode_options *options, arx_plan **plan, arx_error *error) {
    static const arx_codec plain_only[] = {ARX_CODEC_PLAIN};
    const arx_codec *codecs = default_codecs;
    size_t count = sizeof default_codecs / sizeof default_codecs[0];
    if (options->has_codec) {
        codecs = &options->codec;
        count = 1;
    } else if (!options->prefer_compressed) {
        codecs = plain_only;
        count = 1;
    } else if (options->has_priority) {
        codecs = options->priority;
        count = options->priority_count;
    }
    if (count == 0) {
        return arx_error_set(error, ARX_CODE_NO_CANDIDATES, NULL);
    }
    if (options->prior != '\0' && !arx_prior_known(options->prior)) {
        return arx_error_set(error, ARX_CODE_ASSET_UNAVAILABLE,
                             "There is no such prior: m, c, j, s or n.");
    }

    arx_plan *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return arx_error_set(error, ARX_CODE_NO_MEMORY, NULL);
    }
    made->assets = assets;
    made->envelope = envelope;
    made->options = *options;
    char prior = choose_prior(assets, envelope, options->prior);
    for (size_t i = 0; i < count; i++) {
        add_task(made, codecs[i], prior);
    }
    *plan = made;
    return ARX_CODE_OK;
}

void arx_plan_free(arx_plan *plan) {
    if (plan == NULL) {
        return;
    }
    for (size_t i = 0; i < plan->task_count; i++) {
        for (size_t k = 0; k < plan->tasks[i].attempt_count; k++) {
            arx_attempt_free(&plan->tasks[i].attempts[k]);
        }
    }
    free(plan);
}

size_t arx_plan_tasks(const arx_plan *plan) {
    return plan->task_count;
}

arx_codec arx_plan_codec(const arx_plan *plan, size_t i) {
    return plan->tasks[i].codec;
}

unsigned arx_plan_cost(const arx_plan *plan, size_t i) {
    const task *t = &plan->tasks[i];
    return codec_cost[t->codec] * (unsigned)t->attempt_count;
}

/* ---- running ---- */

void arx_plan_run(arx_plan *plan, size_t i, arx_coder *coder) {
    task *t = &plan->tasks[i];
    for (size_t k = 0; k < t->attempt_count; k++) {
        arx_attempt_run(&t->attempts[k], plan->assets, plan->envelope, coder);
        if (t->attempts[k].result == ARX_NO_MEMORY) {
            return;
        }
    }
}

/* ---- finishing ---- */

/* The n-th attempt of the plan in candidate order, or NULL behind the last. */
static arx_attempt *attempt_at(arx_plan *plan, size_t n) {
    for (size_t i = 0; i < plan->task_count; i++) {
        task *t = &plan->tasks[i];
        if (n < t->attempt_count) {
            return &t->attempts[n];
        }
        n -= t->attempt_count;
    }
    return NULL;
}

/* The smallest score under a policy, the first of equals; NULL without candidates. */
static arx_pick *winner(arx_plan *plan, arx_policy policy) {
    arx_pick *best = NULL;
    arx_attempt *attempt;
    for (size_t n = 0; (attempt = attempt_at(plan, n)) != NULL; n++) {
        arx_pick *pick = arx_attempt_pick(attempt, policy);
        if (pick != NULL && (best == NULL || pick->candidate.score < best->candidate.score)) {
            best = pick;
        }
    }
    return best;
}

static arx_result list_candidates(arx_plan *plan, arx_policy policy, arx_encoded *encoded) {
    size_t most = plan->task_count * FORMS * (plan->options.all_wires ? ARX_WIRE_COUNT : 1);
    encoded->candidates = calloc(most, sizeof *encoded->candidates);
    if (encoded->candidates == NULL) {
        return ARX_NO_MEMORY;
    }
    arx_attempt *attempt;
    for (size_t n = 0; (attempt = attempt_at(plan, n)) != NULL; n++) {
        const arx_pick *pick = arx_attempt_pick(attempt, policy);
        if (pick == NULL) {
            continue;
        }
        if (!plan->options.all_wires) {
            encoded->candidates[encoded->candidate_count++] = pick->candidate;
            continue;
        }
        for (size_t k = 0; k < attempt->wire_count; k++) {
            arx_candidate *listed = &encoded->candidates[encoded->candidate_count++];
            *listed = attempt->wires[k];
            if (policy == ARX_POLICY_URL && listed->has_wire) {
                listed->score = listed->transport_units;
            }
        }
    }
    return ARX_OK;
}

static bool same_candidate(const arx_candidate *a, const arx_candidate *b) {
    return a->codec == b->codec && a->packed == b->packed && a->wire == b->wire;
}

arx_code arx_plan_finish(arx_plan *plan, arx_encoded *encoded, arx_error *error) {
    const size_t target = plan->options.target_units;
    arx_policy policy = plan->options.budget_by_transport ? ARX_POLICY_URL : ARX_POLICY_DEFAULT;
    arx_attempt *attempt;
    *encoded = (arx_encoded){0};
    for (size_t n = 0; (attempt = attempt_at(plan, n)) != NULL; n++) {
        if (attempt->result == ARX_NO_MEMORY) {
            return arx_error_set(error, ARX_CODE_NO_MEMORY, NULL);
        }
    }
    arx_pick *best = winner(plan, policy);
    arx_pick *url_best = winner(plan, ARX_POLICY_URL);
    if (best == NULL || url_best == NULL) {
        return arx_error_set(error, ARX_CODE_NO_CANDIDATES, NULL);
    }
    if (list_candidates(plan, policy, encoded) != ARX_OK) {
        goto no_memory;
    }

    encoded->winner = best->candidate;
    encoded->url_winner = url_best->candidate;
    encoded->fits_budget = best->candidate.visible_units <= ARX_FRAGMENT_BUDGET_UNITS;
    encoded->fits_target = target == 0 || best->candidate.score <= target;
    bool same = same_candidate(&best->candidate, &url_best->candidate);
    encoded->fragment = arx_buf_take(&best->fragment, &encoded->fragment_len);
    if (encoded->fragment == NULL) {
        goto no_memory;
    }
    if (!same) {
        encoded->url_fragment = arx_buf_take(&url_best->fragment, &encoded->url_fragment_len);
        if (encoded->url_fragment == NULL) {
            goto no_memory;
        }
    }
    return ARX_CODE_OK;

no_memory:
    arx_encoded_free(encoded);
    return arx_error_set(error, ARX_CODE_NO_MEMORY, NULL);
}

void arx_encoded_free(arx_encoded *encoded) {
    free(encoded->fragment);
    free(encoded->url_fragment);
    free(encoded->candidates);
    *encoded = (arx_encoded){0};
}

arx_code arx_encode(arx_coder *coder, const arx_assets *assets, const arx_json *envelope,
                    const arx_encode_options *options, arx_encoded *encoded, arx_error *error) {
    arx_plan *plan;
    arx_code code = arx_plan_create(assets, envelope, options, &plan, error);
    if (code != ARX_CODE_OK) {
        return code;
    }
    for (size_t i = 0; i < plan->task_count; i++) {
        arx_plan_run(plan, i, coder);
    }
    code = arx_plan_finish(plan, encoded, error);
    arx_plan_free(plan);
    return code;
}

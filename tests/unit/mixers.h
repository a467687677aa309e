/*
 * mixers.h - helpers of the mixer's tests: texts, images, and a look inside a model.
 */
#ifndef TEST_MIXERS_H
#define TEST_MIXERS_H

#include "vectors.h"

#include "mixer_image.h"

#include <stdlib.h>
#include <string.h>

/* The kernels this machine can run. */
static inline unsigned mixer_kernels(arx_kernel kernels[2]) {
    kernels[0] = ARX_KERNEL_PORTABLE;
    kernels[1] = arx_kernel_best();
    return kernels[1] != kernels[0] ? 2 : 1;
}

static inline uint32_t mixer_roll(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Kinds of invented text, chosen to enter every part of the model. */
enum { MIXER_NOISE, MIXER_WORDS, MIXER_TABLE, MIXER_ZEROS, MIXER_SEVERAL, MIXER_TEXTS };

static inline uint8_t *mixer_text(unsigned kind, size_t len, uint32_t seed) {
    uint8_t *text = malloc(len + 1);
    assert_non_null(text);
    uint32_t state = seed * 2654435761u + 1;
    static const char words[] = "the quick_2 brown Fox and 31 lazy\ndogs; a|b|c\n1,2,3\n";
    for (size_t i = 0; i < len; i++) {
        uint32_t roll = mixer_roll(&state) >> 8;
        unsigned now = kind == MIXER_SEVERAL ? (unsigned)(i / 700 % MIXER_SEVERAL) : kind;
        switch (now) {
        case MIXER_NOISE:
            text[i] = (uint8_t)roll;
            break;
        case MIXER_WORDS:
            text[i] = (uint8_t)words[(i + (roll % 23 == 0)) % (sizeof words - 1)];
            break;
        case MIXER_TABLE:
            text[i] = (uint8_t)(i % 24 == 23 ? '\n' : i % 6 == 5 ? '|' : '0' + roll % 10);
            break;
        default:
            text[i] = 0;
        }
    }
    return text;
}

/* True when two models are the same in all but their slots. */
static inline bool mixer_contexts_equal(const arx_model *a, const arx_model *b) {
    const arx_context *x = &a->context;
    const arx_context *y = &b->context;
    const arx_column *c = &x->column;
    const arx_column *d = &y->column;
    return memcmp(a->weights, b->weights, sizeof a->weights) == 0 &&
           memcmp(a->match, b->match, sizeof a->match) == 0 &&
           memcmp(a->ring, b->ring, sizeof a->ring) == 0 && x->count == y->count &&
           x->history == y->history && x->match_hash == y->match_hash &&
           x->word_hash == y->word_hash && x->word_length == y->word_length &&
           x->match_position == y->match_position && x->match_length == y->match_length &&
           memcmp(x->step.hash, y->step.hash, sizeof x->step.hash) == 0 &&
           x->step.column == y->step.column && x->step.predicted == y->step.predicted &&
           memcmp(x->step.match_inputs, y->step.match_inputs, sizeof x->step.match_inputs) == 0 &&
           memcmp(&c->current, &d->current, sizeof c->current) == 0 &&
           memcmp(c->last, d->last, sizeof c->last) == 0 && c->active == d->active &&
           c->delimiter == d->delimiter && c->field == d->field && c->offset == d->offset &&
           c->above_count == d->above_count &&
           memcmp(c->above_length, d->above_length, sizeof c->above_length) == 0 &&
           memcmp(c->above, d->above, sizeof c->above) == 0 &&
           memcmp(c->line, d->line, sizeof c->line) == 0;
}

/* True when two primed models are the same. */
static inline bool mixer_models_equal(const arx_model *a, const arx_model *b) {
    return memcmp(a->slots, b->slots, sizeof a->slots) == 0 && mixer_contexts_equal(a, b);
}

/* True when the mixer's next text finds what its image holds. */
static inline bool mixer_is_primed(const arx_mixer *mixer) {
    return mixer_models_equal(mixer->model, mixer->base->model);
}

static inline arx_mixer *mixer_on(arx_kernel kernel, const arx_image *image) {
    arx_mixer *mixer = arx_mixer_create(kernel);
    assert_non_null(mixer);
    assert_int_equal(arx_mixer_base(mixer, image), ARX_OK);
    return mixer;
}

#endif

/*
 * mixer_tables.h - the mixer's two fixed functions as tables (format.md 7.2.2). Internal to
 * mixer_*.
 */
#ifndef ARX_MIXER_TABLES_H
#define ARX_MIXER_TABLES_H

#include <stdint.h>

/* Sixteen values more than there are probabilities: a kernel may load a whole lane at any p. */
#define ARX_MIXER_ST_SIZE (4096 + 16)
#define ARX_MIXER_SQ_SIZE 4097
#define ARX_MIXER_SQ_BIAS 2048 /* SQ[t] is arx_mixer_sq[t + ARX_MIXER_SQ_BIAS] */

extern const int16_t arx_mixer_st[ARX_MIXER_ST_SIZE];
extern const int16_t arx_mixer_sq[ARX_MIXER_SQ_SIZE];

/*
 * The probability of a 1 for a sum of weights times inputs: SQ of sum / 4096, rounded half away
 * from zero (here by an arithmetic shift) and clamped to the table.
 */
static inline uint32_t arx_mixer_probability(int32_t sum) {
    int32_t t = (sum + 2048 - (sum < 0)) >> 12;
    t = t < -ARX_MIXER_SQ_BIAS ? -ARX_MIXER_SQ_BIAS : t;
    t = t > ARX_MIXER_SQ_BIAS ? ARX_MIXER_SQ_BIAS : t;
    return (uint32_t)arx_mixer_sq[t + ARX_MIXER_SQ_BIAS];
}

#endif

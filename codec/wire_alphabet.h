/*
 * wire_alphabet.h - the symbols of the radix wires (format.md section 6 and appendix A).
 *
 * Frozen: changing these alphabets breaks existing links. Not part of the public interface.
 */
#ifndef ARX_WIRE_ALPHABET_H
#define ARX_WIRE_ALPHABET_H

#include <stdint.h>

#include "radix.h"

/* Not a digit in any base. */
#define ARX_NO_DIGIT 0xFFFFu

/* The code point (always one UTF-16 unit) of a digit below `base`, one of ARX_RADIX_BASE*. */
uint32_t arx_alphabet_symbol(uint32_t base, uint32_t digit);

/*
 * The digit of a code point, or ARX_NO_DIGIT. Base 76 reads every ASCII character: those outside
 * its alphabet are the digit 0.
 */
uint32_t arx_alphabet_digit(uint32_t base, uint32_t code);

#endif

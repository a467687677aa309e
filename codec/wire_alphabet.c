/* wire_alphabet.c - see wire_alphabet.h. Frozen: changing these tables breaks existing links. */
#include "wire_alphabet.h"

static const char base76_symbols[ARX_RADIX_BASE76 + 1] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$*()',;:@/";

/* A digit by its ASCII symbol; 0 also for what is no symbol. */
static const uint8_t base76_digits[128] = {
    0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,
    0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  66, 0,  0,  67, 0,  0,  71, 69, 70, 68, 0,
    72, 62, 63, 76, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 74, 73, 0,  0,  0,  0,  75, 0,
    1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
    23, 24, 25, 0,  0,  0,  0,  64, 0,  26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38,
    39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 0,  0,  0,  65, 0,
};

/* Three ranges, so that no range needs a table: U+00AD and U+0300..036F are left out. */
#define BASE1K_FIRST  0x00A1u /* digit 0 */
#define BASE1K_SECOND 0x00AEu /* digit 12 */
#define BASE1K_THIRD  0x0370u /* digit 606 */
#define BASE1K_LAST   0x07FFu

/* Code points `first` to `last` are the digits from `digit` up. */
typedef struct range {
    uint16_t first;
    uint16_t last;
    uint16_t digit;
} range;

#define BASEBMP_RANGES 161u

static const range basebmp_ranges[BASEBMP_RANGES] = {
    {0x00A1, 0x00AC, 0},     {0x00AE, 0x02FF, 12},    {0x0370, 0x0482, 606},
    {0x048A, 0x0590, 881},   {0x05BE, 0x05BE, 1144},  {0x05C0, 0x05C0, 1145},
    {0x05C3, 0x05C3, 1146},  {0x05C6, 0x05C6, 1147},  {0x05C8, 0x060F, 1148},
    {0x061B, 0x064A, 1220},  {0x0660, 0x066F, 1268},  {0x0671, 0x06D5, 1284},
    {0x06DD, 0x06DE, 1385},  {0x06E5, 0x06E6, 1387},  {0x06E9, 0x06E9, 1389},
    {0x06EE, 0x0710, 1390},  {0x0712, 0x072F, 1425},  {0x074B, 0x07A5, 1455},
    {0x07B1, 0x07EA, 1546},  {0x07F4, 0x07FC, 1604},  {0x07FE, 0x0815, 1613},
    {0x081A, 0x081A, 1637},  {0x0824, 0x0824, 1638},  {0x0828, 0x0828, 1639},
    {0x082E, 0x0858, 1640},  {0x085C, 0x0897, 1683},  {0x08A0, 0x08C9, 1743},
    {0x0904, 0x0939, 1785},  {0x0950, 0x0950, 1839},  {0x0958, 0x0961, 1840},
    {0x0964, 0x0980, 1850},  {0x0984, 0x09BB, 1879},  {0x09BD, 0x09BD, 1935},
    {0x09C5, 0x09C6, 1936},  {0x09C9, 0x09CA, 1938},  {0x09CE, 0x09D6, 1940},
    {0x09D8, 0x09E1, 1949},  {0x09E4, 0x09FD, 1959},  {0x09FF, 0x0A00, 1985},
    {0x0A04, 0x0A3B, 1987},  {0x0A52, 0x0A6F, 2043},  {0x0A72, 0x0A74, 2073},
    {0x0A76, 0x0A80, 2076},  {0x0A84, 0x0ABB, 2087},  {0x0ACE, 0x0AE1, 2143},
    {0x0AE4, 0x0AF9, 2163},  {0x0B00, 0x0B00, 2185},  {0x0B04, 0x0B3B, 2186},
    {0x0B58, 0x0B61, 2242},  {0x0B64, 0x0B81, 2252},  {0x0B84, 0x0BBD, 2282},
    {0x0BCE, 0x0BD6, 2340},  {0x0BD8, 0x0BFF, 2349},  {0x0C05, 0x0C3B, 2389},
    {0x0C57, 0x0C61, 2444},  {0x0C64, 0x0C80, 2455},  {0x0C84, 0x0CBB, 2484},
    {0x0CD7, 0x0CE1, 2540},  {0x0CE4, 0x0CF2, 2551},  {0x0CF4, 0x0CFF, 2566},
    {0x0D04, 0x0D3A, 2578},  {0x0D58, 0x0D61, 2633},  {0x0D64, 0x0D80, 2643},
    {0x0D84, 0x0DC9, 2672},  {0x0DE0, 0x0DF1, 2742},  {0x0DF4, 0x0E30, 2760},
    {0x0E32, 0x0E33, 2821},  {0x0E3B, 0x0E46, 2823},  {0x0E4F, 0x0EB0, 2835},
    {0x0EB2, 0x0EB3, 2933},  {0x0EBD, 0x0EC7, 2935},  {0x0ECF, 0x0F17, 2946},
    {0x0F1A, 0x0F34, 3019},  {0x0F36, 0x0F36, 3046},  {0x0F38, 0x0F38, 3047},
    {0x0F3A, 0x0F3D, 3048},  {0x0F40, 0x0F70, 3052},  {0x0F85, 0x0F85, 3101},
    {0x0F88, 0x0F8C, 3102},  {0x0FBD, 0x0FC5, 3107},  {0x0FC7, 0x102A, 3116},
    {0x103F, 0x1055, 3216},  {0x105A, 0x105D, 3239},  {0x1061, 0x1061, 3243},
    {0x1065, 0x1066, 3244},  {0x106E, 0x1070, 3246},  {0x1075, 0x1081, 3249},
    {0x108E, 0x108E, 3262},  {0x1090, 0x1099, 3263},  {0x109E, 0x135C, 3273},
    {0x1360, 0x1711, 3976},  {0x1716, 0x1731, 4922},  {0x1735, 0x1751, 4950},
    {0x1754, 0x1771, 4979},  {0x1774, 0x17B3, 5009},  {0x17D4, 0x17DC, 5073},
    {0x17DE, 0x180A, 5082},  {0x1810, 0x1884, 5127},  {0x1887, 0x18A8, 5244},
    {0x18AA, 0x191F, 5278},  {0x192C, 0x192F, 5396},  {0x193C, 0x1A16, 5400},
    {0x1A1C, 0x1A54, 5619},  {0x1A5F, 0x1A5F, 5676},  {0x1A7D, 0x1A7E, 5677},
    {0x1A80, 0x1AAF, 5679},  {0x1ACF, 0x1AFF, 5727},  {0x1B05, 0x1B33, 5776},
    {0x1B45, 0x1B6A, 5823},  {0x1B74, 0x1B7F, 5861},  {0x1B83, 0x1BA0, 5873},
    {0x1BAE, 0x1BE5, 5903},  {0x1BF4, 0x1C23, 5959},  {0x1C38, 0x1CCF, 6007},
    {0x1CFA, 0x1DBF, 6159},  {0x1E00, 0x200A, 6357},  {0x2010, 0x2027, 6880},
    {0x202F, 0x205F, 6904},  {0x206A, 0x20CF, 6953},  {0x20F1, 0x2CEE, 7055},
    {0x2CF2, 0x2D7E, 10125}, {0x2D80, 0x2DDF, 10266}, {0x2E00, 0x3029, 10362},
    {0x3030, 0x3098, 10916}, {0x309B, 0xA66E, 11021}, {0xA673, 0xA673, 41185},
    {0xA67E, 0xA69D, 41186}, {0xA6A0, 0xA6EF, 41218}, {0xA6F2, 0xA801, 41298},
    {0xA803, 0xA805, 41570}, {0xA807, 0xA80A, 41573}, {0xA80C, 0xA822, 41577},
    {0xA828, 0xA82B, 41600}, {0xA82D, 0xA87F, 41604}, {0xA882, 0xA8B3, 41687},
    {0xA8C6, 0xA8DF, 41737}, {0xA8F2, 0xA8FE, 41763}, {0xA900, 0xA925, 41776},
    {0xA92E, 0xA946, 41814}, {0xA954, 0xA97F, 41839}, {0xA984, 0xA9B2, 41883},
    {0xA9C1, 0xA9E4, 41930}, {0xA9E6, 0xAA28, 41966}, {0xAA37, 0xAA42, 42033},
    {0xAA44, 0xAA4B, 42045}, {0xAA4E, 0xAA7A, 42053}, {0xAA7E, 0xAAAF, 42098},
    {0xAAB1, 0xAAB1, 42148}, {0xAAB5, 0xAAB6, 42149}, {0xAAB9, 0xAABD, 42151},
    {0xAAC0, 0xAAC0, 42156}, {0xAAC2, 0xAAEA, 42157}, {0xAAF0, 0xAAF4, 42198},
    {0xAAF7, 0xABE2, 42203}, {0xABEB, 0xABEB, 42439}, {0xABEE, 0xD7FF, 42440},
    {0xE000, 0xFB1D, 53722}, {0xFB1F, 0xFDFF, 60664}, {0xFE10, 0xFE1F, 61401},
    {0xFE30, 0xFEFE, 61417}, {0xFF00, 0xFFEF, 61624},
};

/* Where to start looking: the range that reaches into or follows code points 256 * i and up ... */
static const uint8_t range_of_code[256] = {
    0,   1,   1,   2,   2,   3,   8,   15,  20,  27,  38,  46,  53,  60,  65,  71,  80,  89,  89,
    89,  90,  90,  90,  90,  96,  99,  101, 107, 112, 114, 115, 115, 115, 119, 119, 119, 119, 119,
    119, 119, 119, 119, 119, 119, 119, 120, 122, 122, 122, 124, 124, 124, 124, 124, 124, 124, 124,
    124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124,
    124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124,
    124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124,
    124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124,
    124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124,
    124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 128, 128, 137, 142,
    153, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155,
    155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155,
    155, 155, 155, 155, 155, 155, 155, 156, 156, 156, 156, 156, 156, 156, 156, 156, 156, 156, 156,
    156, 156, 156, 156, 156, 156, 156, 156, 156, 156, 156, 156, 156, 156, 156, 156, 156, 156, 156,
    156, 156, 156, 156, 156, 157, 157, 158, 160,
};

/* ... and the range that holds digit 256 * i. */
static const uint8_t range_of_digit[(ARX_RADIX_BASEBMP + 255) / 256] = {
    0,   1,   1,   2,   3,   10,  17,  27,  40,  50,  58,  65,  76,  89,  89,  89,  90,  90,  90,
    90,  96,  99,  102, 110, 113, 115, 115, 117, 119, 119, 119, 119, 119, 119, 119, 119, 119, 119,
    119, 119, 120, 122, 122, 123, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124,
    124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124,
    124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124,
    124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124,
    124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124,
    124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124,
    124, 124, 124, 124, 124, 124, 124, 124, 124, 126, 128, 134, 142, 153, 155, 155, 155, 155, 155,
    155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155,
    155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155, 155,
    155, 156, 156, 156, 156, 156, 156, 156, 156, 156, 156, 156, 156, 156, 156, 156, 156, 156, 156,
    156, 156, 156, 156, 156, 156, 156, 156, 156, 157, 157, 157, 159, 160,
};

static uint32_t base1k_symbol(uint32_t digit) {
    if (digit < 12) {
        return BASE1K_FIRST + digit;
    }
    if (digit < 606) {
        return BASE1K_SECOND + (digit - 12);
    }
    return BASE1K_THIRD + (digit - 606);
}

static uint32_t base1k_digit(uint32_t code) {
    if (code >= BASE1K_THIRD && code <= BASE1K_LAST) {
        return code - BASE1K_THIRD + 606;
    }
    if (code >= BASE1K_SECOND && code < 0x0300) {
        return code - BASE1K_SECOND + 12;
    }
    if (code >= BASE1K_FIRST && code < 0x00AD) {
        return code - BASE1K_FIRST;
    }
    return ARX_NO_DIGIT;
}

static uint32_t basebmp_symbol(uint32_t digit) {
    unsigned i = range_of_digit[digit >> 8];
    while (i + 1 < BASEBMP_RANGES && basebmp_ranges[i + 1].digit <= digit) {
        i++;
    }
    return basebmp_ranges[i].first + (digit - basebmp_ranges[i].digit);
}

static uint32_t basebmp_digit(uint32_t code) {
    if (code > 0xFFFF) {
        return ARX_NO_DIGIT;
    }
    unsigned i = range_of_code[code >> 8];
    while (i + 1 < BASEBMP_RANGES && basebmp_ranges[i].last < code) {
        i++;
    }
    const range *r = &basebmp_ranges[i];
    return code >= r->first && code <= r->last ? r->digit + (code - r->first) : ARX_NO_DIGIT;
}

uint32_t arx_alphabet_symbol(uint32_t base, uint32_t digit) {
    switch (base) {
    case ARX_RADIX_BASE76:
        return (uint8_t)base76_symbols[digit];
    case ARX_RADIX_BASE1K:
        return base1k_symbol(digit);
    default:
        return basebmp_symbol(digit);
    }
}

uint32_t arx_alphabet_digit(uint32_t base, uint32_t code) {
    switch (base) {
    case ARX_RADIX_BASE76:
        return code < 128 ? base76_digits[code] : ARX_NO_DIGIT;
    case ARX_RADIX_BASE1K:
        return base1k_digit(code);
    default:
        return basebmp_digit(code);
    }
}

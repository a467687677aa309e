/*
 * bench_corpus.c - Markdown to measure on: sentences put together from parts, so that there is as
 * much repetition as in a real report and not more.
 */
#include "bench.h"

#include <stdio.h>
#include <string.h>

typedef struct words {
    const char *const *list;
    uint32_t count;
} words;

#define WORDS(name, ...)                                                                           \
    static const char *const name##_list[] = {__VA_ARGS__};                                        \
    static const words name = {name##_list, sizeof name##_list / sizeof name##_list[0]}

WORDS(nouns, "scheduler", "cache", "parser", "index", "queue", "replica", "gateway", "release",
      "migration", "request", "token", "session", "worker", "snapshot", "budget", "ledger",
      "sensor", "invoice", "pipeline", "harbour", "turbine", "orchard", "dataset", "baseline",
      "payload", "checksum", "manifest", "timeout", "backlog", "deployment", "customer",
      "warehouse", "shipment", "forecast", "calibration", "threshold", "boundary", "allocation",
      "interface", "contract", "archive", "permission", "certificate", "listener", "histogram",
      "percentile", "regression", "incident", "summary", "notebook", "kernel", "envelope",
      "fragment", "dictionary", "prototype");
WORDS(verbs, "keeps", "drops", "retries", "rewrites", "delays", "measures", "compares", "rejects",
      "stores", "loads", "splits", "merges", "reports", "blocks", "releases", "overwrites",
      "ignores", "duplicates", "reorders", "validates", "compresses", "expires", "approves",
      "explains", "doubles", "halves", "exceeds", "misses", "follows", "closes");
WORDS(adjectives, "slow", "stale", "nightly", "partial", "empty", "regional", "unexpected",
      "shared", "optional", "broken", "quiet", "second", "remaining", "manual", "temporary",
      "critical", "verified", "smaller", "oldest", "incoming", "noisy", "frozen", "northern",
      "annual", "missing");
WORDS(openers, "After the change,", "In practice", "On Tuesday", "As expected,", "By contrast,",
      "Under load", "Without it,", "For most readers", "In the second run", "Until then,",
      "Surprisingly,", "According to the log,", "During the rehearsal", "At the moment");
WORDS(closers, "before the window closes", "without any warning", "because the limit is too low",
      "and nobody noticed", "for about an hour", "as long as the disk is full",
      "when two writers collide", "in every region but one", "which explains the gap",
      "so the numbers do not add up", "unless the flag is set", "despite the rollback",
      "at a cost of two days", "and that is acceptable");
WORDS(names, "Imani", "Radek", "Yusra", "Tomasz", "Ottilie", "Keanu", "Saoirse", "Bhavna", "Lucio",
      "Henrike");
WORDS(types, "size_t", "uint32_t", "const char *", "bool", "double");

/* Parts of the less common words, of which a report has many that come once or twice. */
WORDS(heads, "ab", "ac", "al", "an", "ar", "be", "cal", "cam", "co", "com", "con", "cor", "de",
      "des", "dis", "ef", "em", "en", "ex", "fal", "fin", "gen", "hal", "im", "in", "inter", "kin",
      "lat", "mar", "mis", "mon", "nor", "ob", "out", "over", "par", "per", "pol", "pre", "pro",
      "quan", "re", "sal", "sen", "sub", "sur", "tan", "tor", "trans", "un", "under", "val", "ver",
      "vol");
WORDS(middles, "ber", "cess", "cord", "cur", "dict", "duc", "fect", "fer", "fin", "flec", "form",
      "fund", "grad", "ject", "lect", "lin", "mand", "mend", "mit", "mod", "nounc", "nov", "pand",
      "pel", "pend", "plor", "port", "pos", "press", "quest", "rang", "rupt", "scrib", "sert",
      "serv", "sid", "sist", "solv", "spec", "spond", "strict", "struct", "sult", "tain", "tend",
      "tract", "treat", "vent", "vers", "vis", "volv");
WORDS(tails, "able", "age", "al", "ance", "ary", "ate", "ed", "ent", "er", "es", "ic", "ing", "ion",
      "ions", "ive", "ment", "or", "ory", "s", "ure");

typedef struct writer {
    char *out;
    size_t len;
    size_t used;
    uint32_t state;
} writer;

static uint32_t roll(writer *w, uint32_t sides) {
    w->state ^= w->state << 13;
    w->state ^= w->state >> 17;
    w->state ^= w->state << 5;
    return (w->state >> 8) % sides;
}

static void put(writer *w, const char *text) {
    size_t n = strlen(text);
    if (n > w->len - w->used) {
        n = w->len - w->used;
    }
    memcpy(w->out + w->used, text, n);
    w->used += n;
}

/* Words of real text are not equally likely: the earlier ones come more often. */
static const char *pick(writer *w, words from) {
    uint32_t a = roll(w, from.count);
    uint32_t b = roll(w, from.count);
    return from.list[a < b ? a : b];
}

static void put_number(writer *w, uint32_t below) {
    char digits[16];
    snprintf(digits, sizeof digits, "%u", (unsigned)roll(w, below));
    put(w, digits);
}

static void put_rare_word(writer *w) {
    put(w, pick(w, heads));
    put(w, pick(w, middles));
    put(w, pick(w, tails));
}

static void put_word(writer *w, words from) {
    if (roll(w, 4) == 0) {
        put_rare_word(w);
    } else {
        put(w, pick(w, from));
    }
}

static void put_phrase(writer *w) {
    put(w, roll(w, 3) == 0 ? "a " : "the ");
    if (roll(w, 2) == 0) {
        put_word(w, adjectives);
        put(w, " ");
    }
    put_word(w, nouns);
    if (roll(w, 4) == 0) {
        put(w, " of ");
        put_rare_word(w);
    }
}

static void put_sentence(writer *w) {
    switch (roll(w, 6)) {
    case 0:
        put(w, pick(w, openers));
        put(w, " ");
        put_phrase(w);
        break;
    case 1:
        put(w, pick(w, names));
        put(w, " found that ");
        put_phrase(w);
        break;
    case 2:
        put(w, "Of ");
        put_number(w, 900);
        put(w, " runs, ");
        put_number(w, 90);
        put(w, " show that ");
        put_phrase(w);
        break;
    case 3:
        put(w, "If `");
        put(w, pick(w, nouns));
        put(w, "_");
        put(w, pick(w, nouns));
        put(w, "` is set, ");
        put_phrase(w);
        break;
    default:
        put(w, "The ");
        put_word(w, nouns);
        break;
    }
    put(w, " ");
    put_word(w, verbs);
    put(w, " ");
    put_phrase(w);
    if (roll(w, 3) == 0) {
        put(w, " ");
        put(w, pick(w, closers));
    }
    put(w, ". ");
}

static void put_table(writer *w) {
    put(w, "| name | runs | p50 ms | p99 ms |\n|---|---|---|---|\n");
    for (uint32_t rows = 3 + roll(w, 6); rows > 0; rows--) {
        put(w, "| ");
        put(w, pick(w, nouns));
        put(w, " | ");
        put_number(w, 4000);
        put(w, " | ");
        put_number(w, 50);
        put(w, ".");
        put_number(w, 10);
        put(w, " | ");
        put_number(w, 900);
        put(w, " |\n");
    }
}

static void put_code(writer *w) {
    put(w, "```c\n");
    put(w, pick(w, types));
    put(w, " ");
    put(w, pick(w, nouns));
    put(w, "_");
    put(w, pick(w, verbs));
    put(w, "(");
    put(w, pick(w, types));
    put(w, " ");
    put(w, pick(w, nouns));
    put(w, ") {\n    if (");
    put(w, pick(w, nouns));
    put(w, " > ");
    put_number(w, 512);
    put(w, ") {\n        return ");
    put(w, pick(w, nouns));
    put(w, ";\n    }\n    return ");
    put_number(w, 16);
    put(w, ";\n}\n```\n");
}

static void put_list(writer *w) {
    for (uint32_t items = 2 + roll(w, 4); items > 0; items--) {
        put(w, roll(w, 4) == 0 ? "- **" : "- ");
        if (w->used > 0 && w->out[w->used - 1] == '*') {
            put(w, pick(w, nouns));
            put(w, "**: ");
        }
        put_sentence(w);
        put(w, "\n");
    }
}

static void put_section(writer *w) {
    put(w, roll(w, 3) == 0 ? "# " : "## ");
    put(w, pick(w, adjectives));
    put(w, " ");
    put(w, pick(w, nouns));
    put(w, "\n\n");
    for (uint32_t paragraphs = 1 + roll(w, 2); paragraphs > 0; paragraphs--) {
        for (uint32_t sentences = 2 + roll(w, 4); sentences > 0; sentences--) {
            put_sentence(w);
        }
        put(w, "\n\n");
    }
    switch (roll(w, 5)) {
    case 0:
        put_table(w);
        break;
    case 1:
        put_code(w);
        break;
    case 2:
        put(w, "See [the ");
        put(w, pick(w, nouns));
        put(w, "](https://example.org/");
        put(w, pick(w, nouns));
        put(w, "/");
        put_number(w, 100000);
        put(w, ").\n");
        break;
    default:
        put_list(w);
        break;
    }
    put(w, "\n");
}

void bench_markdown(char *out, size_t len) {
    writer w = {.out = out, .len = len, .state = 0x51ED270Bu};
    while (w.used < w.len) {
        put_section(&w);
    }
}

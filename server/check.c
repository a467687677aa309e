/* check.c - see check.h. Decodes on the calling thread. */
#include "check.h"

#include <string.h>

#include "arx.h"
#include "decode_sets.h"
#include "entropy_native.h"
#include "ids.h"

#define ID_SHOWN_CHARS 6

typedef struct check {
    const asset_sets *sets;
    arx_coder *coder;
    FILE *out;
    check_counts *counts;
} check;

static void note_problem(void *opaque, const char *line) {
    check *self = opaque;
    self->counts->problems++;
    (void)fprintf(self->out, "damaged: %s\n", line);
}

static void note_link(check *self, const store_artifact *row, const char *what, const char *more) {
    char id[ID_LONG_CHARS + 1];
    id_format_long(row->id, id);
    (void)fprintf(self->out, "link %.*s...: %s%s\n", ID_SHOWN_CHARS, id, what, more);
}

static void look_at_row(void *opaque, const store_artifact *row) {
    check *self = opaque;
    const arx_assets *named = NULL;
    const arx_assets *const *sets;
    size_t count;
    self->counts->rows++;
    if (row->asset_set[0] != '\0') {
        named = asset_sets_find(self->sets, row->asset_set);
        if (named == NULL) {
            self->counts->orphaned++;
            note_link(self, row, "orphaned, not loaded is its asset set ", row->asset_set);
            return;
        }
        sets = &named;
        count = 1;
    } else {
        sets = asset_sets_all(self->sets, &count);
    }
    size_t used;
    arx_decoded decoded = {0};
    arx_error error = {0};
    arx_code code = arx_decode_sets(self->coder, sets, count, (const uint8_t *)row->payload,
                                    row->payload_len, true, &used, &decoded, &error);
    if (code != ARX_CODE_OK) {
        self->counts->undecodable++;
        note_link(self, row, "cannot be decoded: ", arx_code_name(code));
    }
    arx_decoded_free(&decoded);
    arx_error_free(&error);
}

bool check_database(const store_options *stored, const asset_sets *sets, FILE *out,
                    check_counts *counts, char *why, size_t why_size) {
    *counts = (check_counts){0};
    check self = {.sets = sets,
                  .coder = arx_coder_create(&arx_entropy_native, NULL),
                  .out = out,
                  .counts = counts};
    if (self.coder == NULL) {
        (void)snprintf(why, why_size, "check: out of memory");
        return false;
    }
    const store_inspector inspector = {
        .problem = note_problem, .row = look_at_row, .opaque = &self};
    bool done = store_inspect(stored, &inspector, why, why_size) == STORE_OK;
    arx_coder_free(self.coder);
    if (done) {
        (void)fprintf(out, "%llu links: %llu orphaned, %llu cannot be decoded; %s\n",
                      (unsigned long long)counts->rows, (unsigned long long)counts->orphaned,
                      (unsigned long long)counts->undecodable,
                      counts->problems == 0 ? "the database is sound" : "the database is damaged");
    }
    return done;
}

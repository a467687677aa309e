/*
 * call.h - what the calls of web.h have in common: reading one, its answer, what it lacks.
 * Internal.
 *
 * There is one answer, made by one call at a time. Writing to it never fails; when there was no
 * memory for it, web_answer() says that instead.
 */
#ifndef WEB_CALL_H
#define WEB_CALL_H

#include "web.h"

enum { WEB_MAX_SETS = 32 };

/* One call, as read. Everything is borrowed from `doc`. */
typedef struct web_call {
    arx_json_doc *doc;
    arx_coder *coder; /* the module's only one */
    const arx_json *request;
    const arx_json *unavailable;
    bool has_index;
    char ids[WEB_MAX_SETS][ARX_ASSET_ID_CHARS + 1]; /* in the order they are tried */
    const char *id[WEB_MAX_SETS];                   /* the same, for those who take pointers */
    size_t id_count;
    size_t try_count; /* how many of them may be tried: one that was named stands alone */
} web_call;

/* Reads a call and frees its block. False: the answer says why. Then, either way: web_end_call().
 */
bool web_begin_call(web_call *c, uint8_t *json, size_t len) ARX_MUST_CHECK;
/* Frees what belongs to the call; answers its outcome. */
web_outcome web_end_call(web_call *c, web_outcome outcome);

/* ---- the answer ---- */

/* Empties the answer and gives it to be written. */
arx_buf *web_new_answer(void);
void web_say(const char *text);
void web_say_string(const uint8_t *text, size_t len); /* as a JSON literal */
void web_say_str(const char *text);

/* An answer that is an error. All answer WEB_DONE. */
web_outcome web_refuse(const char *code, const uint8_t *message, size_t len);
web_outcome web_refuse_str(const char *code, const char *message);
web_outcome web_refuse_memory(void);
web_outcome web_refuse_error(arx_error *error); /* frees it */
web_outcome web_refuse_unavailable(const char *set);

/* ---- what a call lacks ---- */

web_outcome web_need_index(void);
web_outcome web_need_set(const char *id, bool priors);
/* `modules`: one bit 1u << web_module each. False, and no answer, when all are loaded. */
bool web_need_modules(unsigned modules);

/* Could that set's files not be loaded? */
bool web_is_unavailable(const web_call *c, const char *id);

#endif

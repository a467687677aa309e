/*
 * approval_html.h - what a person is shown of an approval, as HTML. Pure; any thread.
 *
 * Params are what an agent wrote, perhaps to mislead: they appear as text alone, each leaf with its
 * place, and characters that show nothing or turn the text around appear as their code points.
 */
#ifndef ARXD_APPROVAL_HTML_H
#define ARXD_APPROVAL_HTML_H

#include "approvals.h"

/* Of the page's forms. They post to the page's own address. */
#define APPROVAL_FIELD_TOKEN    "token"
#define APPROVAL_FIELD_CSRF     "csrf"
#define APPROVAL_FIELD_DECISION "decision"

/* Who looks must sign in first. failed: they tried. */
void approval_html_sign_in(bool failed, arx_buf *out);
/*
 * The approval; while it is pending with the form to decide. params: JSON, empty for none. csrf:
 * hex. approver: the name of who is signed in.
 */
void approval_html_show(const approval *shown, const arx_buf *params, const char *csrf,
                        const char *approver, int64_t now_ms, arx_buf *out);
/* The params alone: rows of a table. */
void approval_html_params(const arx_json *params, arx_buf *out);

#endif

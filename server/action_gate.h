/*
 * action_gate.h - who asks for a person's consent, and to what: from a request and an action to
 * what approvals.h takes.
 */
#ifndef ARXD_ACTION_GATE_H
#define ARXD_ACTION_GATE_H

#include "actions.h"
#include "approvals.h"

/*
 * All but what an approval that is carried says. args_hash: of the params as they came; params: the
 * same as JSON. Both are borrowed as the ask says, the caller's name and the definition likewise.
 */
approval_ask action_gate_ask(http_request *request, const action *what, const char *args_hash,
                             const arx_buf *params, approval_mode mode);

#endif

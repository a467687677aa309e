/* action_gate.c - see action_gate.h. */
#include "action_gate.h"

#include <string.h>

#include "clock.h"
#include "service.h"
#include "visit.h"

approval_ask action_gate_ask(http_request *request, const action *what, const char *args_hash,
                             const arx_buf *params, approval_mode mode) {
    const service *server = http_service(request);
    const auth_caller *caller = &visit_of(request)->caller;
    approval_ask ask = {
        .mode = mode,
        .agent_name = caller->has_token ? caller->name : NULL,
        .approver = server->tokens != NULL,
        .surface = what->surface,
        .action = what->id,
        .title = arx_json_get_string(what->definition, "title"),
        .effect = arx_json_get_string(what->definition, "effect"),
        .args_hash = args_hash,
        .params = params->data,
        .params_len = params->len,
        .now_ms = clock_unix_ms(),
    };
    if (caller->has_token) {
        memcpy(ask.agent, caller->hash, sizeof ask.agent);
    }
    return ask;
}

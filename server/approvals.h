/*
 * approvals.h - a person's consent to one act of an agent: asked for, given or declined, used once.
 *
 * An approval is bound to the agent that asked, to a surface and action, and to the exact params
 * (their args hash). It is pending until a person with the approver's token decides; approved, it
 * is a grant that admits one call until it expires; the call takes it before its handler runs, so
 * of calls that come at once one goes through. An operator's own tool may store grants directly:
 * these are for whichever agent holds their id.
 *
 *     pending -> approved -> used            each also -> expired
 *             -> declined
 *
 * Approvals are notes (store.h), so every node sees them and a restart loses none. Params are a
 * note of their own beside each, for they may be large and are only read by who decides.
 *
 * Everything here runs as steps between store operations, without a thread or a request of its own:
 *
 *     store_op *op = approval_gate(&work, &ask);        or another of the functions that begin
 *     while (op != NULL) { submit it; once it is done: op = approval_step(&work); }
 *     ... work.outcome tells ...
 *     approval_work_free(&work);
 *
 * One thread at a time for each work.
 */
#ifndef ARXD_APPROVALS_H
#define ARXD_APPROVALS_H

#include "json.h"
#include "secret.h"
#include "store.h"
#include "tokens.h"

#define APPROVAL_PENDING_MS  INT64_C(900000)  /* how long a person may take to decide */
#define APPROVAL_GRANT_MS    INT64_C(300000)  /* how long what they approved may be used */
#define APPROVAL_KEEP_MS     INT64_C(3600000) /* how long after its end its status can be asked */
#define APPROVAL_MAX_PENDING 20               /* of one agent */

#define APPROVAL_ID_MAX     128 /* bytes; those made here have 22 characters, 128 random bits */
#define APPROVAL_NAME_MAX   64  /* of a surface or action */
#define APPROVAL_TITLE_MAX  200
#define APPROVAL_HASH_CHARS 64

typedef enum approval_status {
    APPROVAL_PENDING,
    APPROVAL_APPROVED,
    APPROVAL_DECLINED,
    APPROVAL_USED,
    APPROVAL_EXPIRED,
} approval_status;

/* "pending", "approved", "declined", "used", "expired". */
const char *approval_status_name(approval_status status);

typedef struct approval {
    char id[APPROVAL_ID_MAX + 1];
    approval_status status;
    uint8_t agent[STORE_HASH_BYTES]; /* who asked: approval_agent(), or all 0xFF for any agent */
    char agent_name[TOKEN_NAME_MAX + 1]; /* of its token; "" for none */
    char surface[APPROVAL_NAME_MAX + 1];
    char action[APPROVAL_NAME_MAX + 1];
    char title[APPROVAL_TITLE_MAX + 1]; /* the action's; "" for none */
    char effect[APPROVAL_NAME_MAX + 1]; /* likewise */
    char args_hash[APPROVAL_HASH_CHARS + 1];
    int64_t expires_at_ms;
} approval;

typedef enum approval_outcome {
    APPROVAL_DONE,    /* of the gate: a grant was taken, the call may run; else: it is done */
    APPROVAL_NEEDED,  /* of the gate: no; `reason` says why, `found` what a person is asked */
    APPROVAL_UNKNOWN, /* there is none with that id */
    APPROVAL_DECIDED, /* it is approved or declined already */
    APPROVAL_OVER,    /* it was used or has expired */
    APPROVAL_FAULT,   /* the store failed: op.result */
} approval_outcome;

/* Why the gate refused. */
typedef enum approval_reason {
    APPROVAL_NONE_CARRIED, /* `found` is what was asked for, now or before */
    APPROVAL_NO_GRANT,     /* none unused under the id that was carried */
    APPROVAL_LATE,         /* it has expired */
    APPROVAL_OTHER_PARAMS, /* it is for other params, and stays */
    APPROVAL_NO_APPROVER,  /* there is nobody who could decide */
    APPROVAL_TOO_MANY,     /* the agent has APPROVAL_MAX_PENDING waiting */
    APPROVAL_TOO_LARGE,    /* the params are more than can be shown to a person */
} approval_reason;

/* What a call may do for its consent. */
typedef enum approval_mode {
    APPROVAL_ASK,     /* asks a person, uses nothing */
    APPROVAL_CARRIED, /* uses the approval it carries; if it carries none, asks */
    APPROVAL_FIND,    /* uses one that is there for this call; if there is none, asks */
} approval_mode;

/* A call. Strings and bytes are borrowed until the work is freed. */
typedef struct approval_ask {
    approval_mode mode;
    uint8_t agent[STORE_HASH_BYTES]; /* SHA-256 of the agent's token; zeros without one */
    const char *agent_name;          /* of the token, or NULL */
    bool approver;                   /* is there anybody who could decide: a tokens file */
    const char *surface;
    const char *action;
    const arx_json *title;  /* of the action's definition: a string, or NULL */
    const arx_json *effect; /* likewise */
    const char *args_hash;  /* 64 hex digits, of the params as they came */
    const uint8_t *params;  /* the same as JSON text, for the person */
    size_t params_len;
    bool carries; /* an approval, well-formed */
    const uint8_t *carried_id;
    size_t carried_id_len;
    const uint8_t *carried_hash;
    size_t carried_hash_len;
    int64_t now_ms; /* Unix */
} approval_ask;

typedef struct approval_work {
    approval_outcome outcome;
    approval_reason reason; /* with APPROVAL_NEEDED */
    approval found;         /* id "" : none */
    arx_buf params;         /* with approval_look() */
    store_op op;
    /* Its own. */
    store_op *(*step)(struct approval_work *work);
    approval_ask ask;
    approval_status decision;
    int64_t now_ms;
    size_t pending;
} approval_work;

/*
 * The gate before an action that needs approval. Outcome: DONE (then the grant is used up whatever
 * comes of the call), NEEDED or FAULT.
 */
store_op *approval_gate(approval_work *work, const approval_ask *ask);
/* An approval by its id, with the params. DONE, UNKNOWN or FAULT. found.status may be EXPIRED. */
store_op *approval_look(approval_work *work, const char *id, int64_t now_ms);
/* A person decides: APPROVAL_APPROVED or APPROVAL_DECLINED. DONE with `found` as it is then. */
store_op *approval_decide(approval_work *work, const char *id, approval_status decision,
                          int64_t now_ms);
/*
 * Stores a grant for any agent, in the place of one of the same id; expires_at_ms may be past.
 * DONE or FAULT; DECIDED when the id is that of an approval which an agent asked for.
 */
store_op *approval_grant(approval_work *work, const approval *grant, int64_t now_ms);

/* The op is done: the next one to wait for, or NULL when `outcome` is there. */
store_op *approval_step(approval_work *work);
void approval_work_free(approval_work *work);

/* Appends a sentence that says why the gate refused and what to do. */
void approval_write_refusal(const approval_work *work, arx_buf *message);
/* Appends members: approvalId, argsHash, expiresAt, status, decideUrl. origin: http_origin(). */
void approval_write_fields(const approval *found, const char *origin, arx_buf *out);

#endif

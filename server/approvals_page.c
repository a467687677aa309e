/*
 * approvals_page.c - the page at decideUrl, where a person decides.
 *
 *     GET                    cookie -> session -> token still good? -> the approval, else sign-in
 *     POST token=...         the token is an approver's? -> a session, its cookie -> 303 GET
 *     POST csrf=, decision=  session, csrf -> decide -> 303 GET
 *     POST application/json  the same for tools: approvals_http.c
 *
 * A session is a note under the hash of the cookie: it holds the hash of the token that opened it,
 * which is looked up again with every request, so that a token that is withdrawn ends its sessions.
 * The form's csrf value is made of the cookie and the approval: another site knows neither, and the
 * browser sends the cookie to no form of another site's.
 */
#include "approvals_http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api.h"
#include "approval_html.h"
#include "clock.h"
#include "http_target.h"
#include "visit.h"

#define COOKIE     "arxd_approver"
#define SESSION_MS INT64_C(3600000)
#define FORM_MAX   4096
#define PAGE_CSP                                                                                   \
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; "         \
    "frame-ancestors 'none'"

typedef struct state {
    approval_wait wait; /* first, as it asks */
    store_op session;
    char cookie[EDIT_KEY_CHARS + 1]; /* "" for none */
    char csrf[SECRET_HEX_CHARS + 1];
    char form[FORM_MAX + 1];
    http_parameter fields[HTTP_MAX_PARAMETERS];
    size_t field_count;
    http_handler *signed_in;
} state;

static void free_state(void *opaque) {
    state *self = opaque;
    approval_work_free(&self->wait.work);
    store_op_clear(&self->session);
    free(self);
}

/* ---- replies ---- */

static void add_page_headers(http_request *request) {
    http_add_header(request, "Content-Security-Policy", PAGE_CSP);
    http_add_header(request, "X-Frame-Options", "DENY");
}

static void reply_page(http_request *request, unsigned status, arx_buf *out) {
    add_page_headers(request);
    reply_bytes(request, status, CONTENT_HTML, out);
}

static void reply_sign_in(http_request *request, bool failed) {
    arx_buf out;
    arx_buf_init(&out, 0);
    approval_html_sign_in(failed, &out);
    reply_page(request, failed ? 403 : 200, &out);
}

/* The page again, with what is true now. */
static void reply_again(http_request *request) {
    http_add_header(request, "Location", "decide");
    http_send_static(request, 303, NULL, "", 0);
}

/* ---- sessions ---- */

static void session_key(const char *cookie, uint8_t key[STORE_HASH_BYTES]) {
    static const char purpose[] = "arxd approver's session";
    const secret_piece pieces[] = {{purpose, sizeof purpose - 1}, {cookie, strlen(cookie)}};
    secret_hash_pieces(pieces, 2, key);
}

static void make_csrf(state *self, const char *id) {
    static const char purpose[] = "arxd approval form";
    uint8_t hash[SECRET_HASH_BYTES];
    const secret_piece pieces[] = {
        {purpose, sizeof purpose - 1}, {self->cookie, strlen(self->cookie)}, {id, strlen(id)}};
    secret_hash_pieces(pieces, 3, hash);
    secret_hex(hash, self->csrf);
}

/* The session's cookie out of the header. */
static void read_cookie(http_request *request, char cookie[EDIT_KEY_CHARS + 1]) {
    cookie[0] = '\0';
    const char *at = http_header(request, "Cookie");
    while (at != NULL && *at != '\0') {
        at += strspn(at, "; ,");
        size_t len = strcspn(at, ";,");
        const size_t name = sizeof COOKIE; /* with its '=' */
        if (len == name + EDIT_KEY_CHARS && strncmp(at, COOKIE "=", name) == 0) {
            memcpy(cookie, at + name, EDIT_KEY_CHARS);
            cookie[EDIT_KEY_CHARS] = '\0';
            return;
        }
        at += len;
    }
}

/* The token with that hash is who asks from here on. False: it is no approver's, or no more. */
static bool become(http_request *request, const uint8_t hash[SECRET_HASH_BYTES]) {
    const service *server = http_service(request);
    auth_caller *caller = &visit_of(request)->caller;
    token_row row;
    if (server->tokens == NULL || !tokens_find(server->tokens, hash, clock_unix_ms(), &row) ||
        (row.scopes & TOKEN_APPROVE) == 0) {
        return false;
    }
    caller->has_token = true;
    caller->scopes = row.scopes;
    memcpy(caller->hash, hash, sizeof caller->hash);
    memcpy(caller->name, row.name, sizeof caller->name);
    return true;
}

static void session_found(http_request *request) {
    state *self = http_state(request);
    const store_note *note = &self->session.note;
    if (self->session.result != STORE_OK && self->session.result != STORE_NOT_FOUND) {
        reply_error_page(request, store_outcome(&self->session));
        return;
    }
    if (self->session.result == STORE_OK && note->value_len == SECRET_HASH_BYTES &&
        become(request, (const uint8_t *)note->value)) {
        make_csrf(self, http_segment(request, 2));
        self->signed_in(request);
    } else {
        reply_sign_in(request, false);
    }
}

/* Goes on with `signed_in` if the request has a session, else asks to sign in. */
static void with_session(http_request *request, http_handler *signed_in) {
    state *self = http_state(request);
    self->signed_in = signed_in;
    read_cookie(request, self->cookie);
    if (self->cookie[0] == '\0') {
        reply_sign_in(request, false);
        return;
    }
    self->session.kind = STORE_NOTE_GET;
    self->session.note.space = STORE_SPACE_APPROVER;
    session_key(self->cookie, self->session.note.key);
    store_wait(request, &self->session, session_found);
}

/* ---- signing in ---- */

static void session_made(http_request *request) {
    const state *self = http_state(request);
    const char *origin = http_origin(request);
    if (self->session.result != STORE_OK || origin == NULL) {
        reply_error_page(request, self->session.result == STORE_OK ? API_INTERNAL
                                                                   : store_outcome(&self->session));
        return;
    }
    char line[256];
    bool https = strncmp(origin, "https:", 6) == 0;
    (void)snprintf(line, sizeof line, COOKIE "=%s; Path=/; Max-Age=%d; HttpOnly; SameSite=Lax%s",
                   self->cookie, (int)(SESSION_MS / 1000), https ? "; Secure" : "");
    http_add_header(request, "Set-Cookie", line);
    visit_audit(request, "sign-in", NULL, "done");
    reply_again(request);
}

static void sign_in(http_request *request, const char *token) {
    state *self = http_state(request);
    uint8_t hash[SECRET_HASH_BYTES];
    secret_hash(token, strlen(token), hash);
    if (!become(request, hash)) {
        visit_audit(request, "sign-in", NULL, "refused");
        reply_sign_in(request, true);
        return;
    }
    store_note *note = &self->session.note;
    note->value = malloc(sizeof hash);
    if (note->value == NULL || !secret_edit_key(self->cookie)) {
        reply_error_page(request, API_INTERNAL);
        return;
    }
    memcpy(note->value, hash, sizeof hash);
    note->value_len = sizeof hash;
    note->space = STORE_SPACE_APPROVER;
    note->expires_at_ms = clock_unix_ms() + SESSION_MS;
    memcpy(note->owner, hash, sizeof note->owner);
    session_key(self->cookie, note->key);
    self->session.kind = STORE_NOTE_PUT;
    store_wait(request, &self->session, session_made);
}

/* ---- looking ---- */

static void shown(http_request *request) {
    const state *self = http_state(request);
    const approval_work *work = &self->wait.work;
    api_result result = approval_result(work);
    if (result != API_OK) {
        reply_error_page(request, result);
        return;
    }
    arx_buf out;
    arx_buf_init(&out, 0);
    approval_html_show(&work->found, &work->params, self->csrf, visit_of(request)->caller.name,
                       clock_unix_ms(), &out);
    reply_page(request, 200, &out);
}

static void show(http_request *request) {
    state *self = http_state(request);
    approval_wait_for(
        request, approval_look(&self->wait.work, http_segment(request, 2), clock_unix_ms()), shown);
}

/* NULL with the reply made. */
static state *new_state(http_request *request) {
    state *self = calloc(1, sizeof *self);
    if (self == NULL) {
        reply_error_page(request, API_INTERNAL);
    } else {
        http_set_state(request, self, free_state);
    }
    return self;
}

void approvals_page(http_request *request) {
    if (new_state(request) != NULL) {
        with_session(request, show);
    }
}

/* ---- deciding ---- */

static const char *field(const state *self, const char *name) {
    for (size_t i = 0; i < self->field_count; i++) {
        if (strcmp(self->fields[i].name, name) == 0) {
            return self->fields[i].value;
        }
    }
    return NULL;
}

static void decided(http_request *request) {
    const state *self = http_state(request);
    const approval_work *work = &self->wait.work;
    visit_audit(request, "decide", http_segment(request, 2),
                work->outcome == APPROVAL_DONE ? approval_status_name(work->found.status)
                                               : "refused");
    if (work->outcome == APPROVAL_FAULT) {
        reply_error_page(request, approval_result(work));
    } else {
        reply_again(request); /* which shows what had been decided, too */
    }
}

static void decide(http_request *request) {
    state *self = http_state(request);
    uint8_t ours[SECRET_HASH_BYTES];
    uint8_t theirs[SECRET_HASH_BYTES];
    const char *csrf = field(self, APPROVAL_FIELD_CSRF);
    const char *decision = field(self, APPROVAL_FIELD_DECISION);
    bool same = csrf != NULL && strlen(csrf) == SECRET_HEX_CHARS && secret_from_hex(csrf, theirs) &&
                secret_from_hex(self->csrf, ours) && secret_equal(ours, theirs);
    bool approve = decision != NULL && strcmp(decision, "approve") == 0;
    bool decline = decision != NULL && strcmp(decision, "decline") == 0;
    if (!same) {
        visit_audit(request, "decide", http_segment(request, 2), "refused");
        reply_error_page(request, API_FOREIGN);
    } else if (!approve && !decline) {
        reply_error_page(request, API_BAD_REQUEST);
    } else {
        approval_wait_for(request,
                          approval_decide(&self->wait.work, http_segment(request, 2),
                                          approve ? APPROVAL_APPROVED : APPROVAL_DECLINED,
                                          clock_unix_ms()),
                          decided);
    }
}

static bool is_form(http_request *request) {
    static const char form[] = "application/x-www-form-urlencoded";
    const char *type = http_header(request, "Content-Type");
    size_t len = type == NULL ? 0 : strcspn(type, "; \t");
    return len == sizeof form - 1 && strncasecmp(type, form, len) == 0;
}

void approvals_decide(http_request *request) {
    if (!is_form(request)) {
        approvals_decide_json(request);
        return;
    }
    state *self = new_state(request);
    size_t len;
    const uint8_t *body = http_body(request, &len);
    if (self == NULL) {
        return;
    }
    if (len > FORM_MAX || memchr(body == NULL ? (const uint8_t *)"" : body, '\0', len) != NULL) {
        reply_error_page(request, API_BAD_REQUEST);
        return;
    }
    memcpy(self->form, body == NULL ? (const uint8_t *)"" : body, len);
    self->field_count = http_query_split(self->form, self->fields);
    const char *token = field(self, APPROVAL_FIELD_TOKEN);
    if (token != NULL) {
        sign_in(request, token);
    } else {
        with_session(request, decide);
    }
}

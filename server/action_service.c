/* action_service.c - the actions that tell of the service itself. */
#include <stdlib.h>

#include "action_work.h"
#include "approvals.h"
#include "create_request.h"
#include "envelope.h"
#include "fragment.h"
#include "jobs.h"
#include "stats.h"

void action_write_encoder(const service *server, arx_buf *out) {
    size_t queued;
    size_t running;
    jobs_depth(server->jobs, &queued, &running);
    fields_begin(out);
    field_count(out, "workers", (uint64_t)server->config->workers);
    field_count(out, "queued", queued);
    field_count(out, "running", running);
    field_bool(out, "accepting", queued + running < (size_t)server->config->queue);
    fields_end(out);
}

void action_write_stats(const service *server, arx_buf *out) {
    store_totals totals = stats_now(server->stats);
    fields_begin(out);
    field_count(out, "links", totals.live);
    field_count(out, "expired", totals.expired);
    field_count(out, "bytes", totals.bytes);
    field_count(out, "last_hour", totals.last_hour);
    fields_end(out);
}

void action_get_stats(http_request *work, action_call *call) {
    const service *server = http_service(work);
    store_totals totals = stats_now(server->stats);
    arx_buf *out = &call->data;
    fields_begin(out);
    field_count(out, "links", totals.live);
    field_count(out, "expired", totals.expired);
    field_count(out, "bytes", totals.bytes);
    field_name(out, "jobs");
    action_write_encoder(server, out);
    fields_end(out);
}

void action_write_limits(const service *server, arx_buf *out) {
    const server_config *config = server->config;
    fields_begin(out);
    field_count(out, "payload_max_characters", PAYLOAD_MAX_UNITS);
    field_count(out, "artifact_max_characters", ARX_DECODED_MAX_UNITS);
    field_count(out, "fragment_max_characters", ARX_FRAGMENT_BUDGET_UNITS);
    field_count(out, "body_max_bytes", config->max_body_bytes);
    field_count(out, "ttl_seconds_min", TTL_MIN_SECONDS);
    field_count(out, "ttl_seconds_default", (uint64_t)config->ttl_hours * 3600);
    field_count(out, "ttl_seconds_max", (uint64_t)config->max_ttl_hours * 3600);
    field_count(out, "max_views_max", MAX_VIEWS_LIMIT);
    field_count(out, "list_max", STORE_LIST_MAX);
    field_count(out, "read_max_characters", 100000);
    field_count(out, "encode_deadline_ms", (uint64_t)config->encode_deadline_ms);
    field_count(out, "approval_pending_ms", APPROVAL_PENDING_MS);
    field_count(out, "approval_grant_ms", APPROVAL_GRANT_MS);
    fields_end(out);
}

void action_get_limits(http_request *work, action_call *call) {
    action_write_limits(http_service(work), &call->data);
}

/*
 * api.h - every handler there is, by the file it is in. What each answers is in routes.c's table.
 *
 * All run on an event thread and must not block; see http.h.
 */
#ifndef ARXD_API_H
#define ARXD_API_H

#include "http.h"

/* health.c */
http_handler health;

/* discovery.c */
http_handler discovery_file;

/* api_artifacts.c */
http_handler api_artifacts_create;
http_handler api_artifacts_update;
http_handler api_artifacts_delete;
http_handler api_cleanup;

/* api_share.c */
http_handler api_share;

/* api_encode.c, api_jobs.c, api_decode.c */
http_handler api_encode;
http_handler api_jobs_get;
http_handler api_jobs_cancel;
http_handler api_decode;

/* opened.c */
http_handler api_artifacts_get;
http_handler page_artifact;
http_handler page_view;
http_handler page_raw;

/* approvals_http.c, approvals_page.c */
http_handler approvals_ask;
http_handler approvals_look;
http_handler approvals_decide;
http_handler approvals_decide_json; /* of approvals_decide */
http_handler approvals_grant;
http_handler approvals_page;

/* mcp.c */
http_handler mcp_post;

/* assets.c */
http_handler asset_file;
http_handler asset_index;
http_handler page_static;

/* oui/api_*.c */
http_handler oui_snapshot_get;
http_handler oui_dispatch;
http_handler oui_results_get;
http_handler oui_results_ack;
http_handler oui_events_get;

/* route.c */
http_handler api_preflight;

#endif

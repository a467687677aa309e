/* routes.c - the table: every path the server knows. See route.h for patterns and flags. */
#include "route.h"

#include "api.h"

/* clang-format off */
#define API    (ROUTE_JSON | ROUTE_CORS | ROUTE_PRIVATE)
#define TAKE   (API | ROUTE_BODY)
#define WRITE  ROUTE_WRITES
#define ENCODE ROUTE_ENCODES
#define FREE   ROUTE_FREE
#define LINK   (ROUTE_PRIVATE | ROUTE_VIEWER)
#define PAGE   (ROUTE_REVALIDATE | ROUTE_VIEWER)
#define AGENT  (ROUTE_JSON | ROUTE_AGENT | ROUTE_PRIVATE)

const route route_table[] = {
    {"/",                           HTTP_GET,     page_static,          PAGE},
    {"/diagram",                    HTTP_GET,     page_static,          ROUTE_REVALIDATE},
    {"/security",                   HTTP_GET,     page_static,          PAGE},
    {"/url-explainer",              HTTP_GET,     page_static,          PAGE},
    {"/icon.svg",                   HTTP_GET,     page_static,          ROUTE_REVALIDATE},
    {"/THIRD_PARTY_NOTICES.txt",    HTTP_GET,     page_static,          ROUTE_REVALIDATE},
    {"/page/:name",                 HTTP_GET,     page_static,          ROUTE_IMMUTABLE},

    {"/robots.txt",                 HTTP_GET,     discovery_file,       ROUTE_REVALIDATE},
    {"/sitemap.xml",                HTTP_GET,     discovery_file,       ROUTE_REVALIDATE},
    {"/llms.txt",                   HTTP_GET,     discovery_file,       ROUTE_REVALIDATE},
    {"/openapi.json",               HTTP_GET,     discovery_file,       ROUTE_REVALIDATE},
    {"/.well-known/api-catalog",    HTTP_GET,     discovery_file,       ROUTE_REVALIDATE},
    {"/.well-known/agent-skills/index.json",
                                    HTTP_GET,     discovery_file,       ROUTE_REVALIDATE},
    {"/.well-known/agent-skills/arxd/SKILL.md",
                                    HTTP_GET,     discovery_file,       ROUTE_REVALIDATE},
    {"/health",                     HTTP_GET,     health,               ROUTE_JSON | ROUTE_PRIVATE | FREE},

    {"/api/artifacts",              HTTP_POST,    api_artifacts_create, TAKE | WRITE | ENCODE},
    {"/api/artifacts/:id",          HTTP_GET,     api_artifacts_get,    API},
    {"/api/artifacts/:id",          HTTP_PUT,     api_artifacts_update, TAKE | WRITE | ENCODE},
    {"/api/artifacts/:id",          HTTP_DELETE,  api_artifacts_delete, API | WRITE},
    {"/api/cleanup",                HTTP_POST,    api_cleanup,          API | WRITE},
    {"/api/*",                      HTTP_OPTIONS, api_preflight,        API | FREE},
    {"/share",                      HTTP_POST,    api_share,            TAKE | WRITE | ENCODE},
    {"/share",                      HTTP_OPTIONS, api_preflight,        API | FREE},
    {"/encode",                     HTTP_POST,    api_encode,           TAKE | ENCODE},
    {"/encode",                     HTTP_OPTIONS, api_preflight,        API | FREE},
    {"/encode/jobs/:id",            HTTP_GET,     api_jobs_get,         API},
    {"/encode/jobs/:id",            HTTP_DELETE,  api_jobs_cancel,      API},
    {"/encode/jobs/:id",            HTTP_OPTIONS, api_preflight,        API | FREE},
    {"/decode",                     HTTP_POST,    api_decode,           TAKE | ENCODE},
    {"/decode",                     HTTP_OPTIONS, api_preflight,        API | FREE},

    {"/oui/snapshot",               HTTP_GET,     oui_snapshot_get,     AGENT},
    {"/oui/dispatch",               HTTP_POST,    oui_dispatch,         AGENT | ROUTE_BODY | WRITE | ENCODE},
    {"/oui/results/:name",          HTTP_GET,     oui_results_get,      AGENT},
    {"/oui/results/:name/ack",      HTTP_POST,    oui_results_ack,      AGENT | ROUTE_BODY},
    {"/oui/events",                 HTTP_GET,     oui_events_get,       AGENT},
    {"/oui/approvals",              HTTP_POST,    approvals_ask,        AGENT | ROUTE_BODY | WRITE},
    {"/oui/approvals/:name",        HTTP_GET,     approvals_look,       AGENT},
    {"/oui/approvals/:name/decide", HTTP_GET,     approvals_page,       AGENT},
    {"/oui/approvals/:name/decide", HTTP_POST,    approvals_decide,     AGENT | ROUTE_BODY | WRITE},
    {"/oui/grants",                 HTTP_POST,    approvals_grant,      AGENT | ROUTE_BODY | WRITE},
    {"/mcp",                        HTTP_POST,    mcp_post,             AGENT | ROUTE_BODY},
    {"/mcp",                        HTTP_OPTIONS, api_preflight,        AGENT | FREE},
    {"/oui/*",                      HTTP_OPTIONS, api_preflight,        AGENT | FREE},

    {"/arx-dictionary.json",        HTTP_GET,     asset_file,           ROUTE_REVALIDATE},
    {"/arx-dictionary.json.br",     HTTP_GET,     asset_file,           ROUTE_REVALIDATE},
    {"/arx2-dictionary.json",       HTTP_GET,     asset_file,           ROUTE_REVALIDATE},
    {"/arx2-dictionary.json.br",    HTTP_GET,     asset_file,           ROUTE_REVALIDATE},
    {"/arx4-priors.json",           HTTP_GET,     asset_file,           ROUTE_REVALIDATE},
    {"/arx4-priors.json.br",        HTTP_GET,     asset_file,           ROUTE_REVALIDATE},
    {"/assets/index.json",          HTTP_GET,     asset_index,          ROUTE_REVALIDATE},
    {"/assets/:set/:name",          HTTP_GET,     asset_file,           ROUTE_IMMUTABLE},

    {"/:id",                        HTTP_GET,     page_artifact,        LINK},
    {"/:id/view",                   HTTP_POST,    page_view,            LINK | WRITE},
    {"/:id/raw",                    HTTP_GET,     page_raw,             ROUTE_PRIVATE},
    {"/:id/raw/:name",              HTTP_GET,     page_raw,             ROUTE_PRIVATE},
};
/* clang-format on */

const size_t route_table_count = sizeof route_table / sizeof route_table[0];

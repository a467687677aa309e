/* routes.c - the table: every path the server knows. See route.h for patterns and flags. */
#include "route.h"

#include "api.h"

/* clang-format off */
#define API  (ROUTE_JSON | ROUTE_CORS | ROUTE_PRIVATE)
#define TAKE (API | ROUTE_BODY)

const route route_table[] = {
    {"/",                           HTTP_GET,     page_home,            ROUTE_REVALIDATE},
    {"/robots.txt",                 HTTP_GET,     robots,               ROUTE_REVALIDATE},
    {"/health",                     HTTP_GET,     health,               ROUTE_JSON | ROUTE_PRIVATE},

    {"/api/artifacts",              HTTP_POST,    api_artifacts_create, TAKE},
    {"/api/artifacts/:id",          HTTP_GET,     api_artifacts_get,    API},
    {"/api/*",                      HTTP_OPTIONS, api_preflight,        API},
    {"/encode",                     HTTP_POST,    api_encode,           TAKE},
    {"/encode",                     HTTP_OPTIONS, api_preflight,        API},
    {"/decode",                     HTTP_POST,    api_decode,           TAKE},
    {"/decode",                     HTTP_OPTIONS, api_preflight,        API},

    {"/arx-dictionary.json",        HTTP_GET,     asset_file,           ROUTE_REVALIDATE},
    {"/arx-dictionary.json.br",     HTTP_GET,     asset_file,           ROUTE_REVALIDATE},
    {"/arx2-dictionary.json",       HTTP_GET,     asset_file,           ROUTE_REVALIDATE},
    {"/arx2-dictionary.json.br",    HTTP_GET,     asset_file,           ROUTE_REVALIDATE},
    {"/arx4-priors.json",           HTTP_GET,     asset_file,           ROUTE_REVALIDATE},
    {"/arx4-priors.json.br",        HTTP_GET,     asset_file,           ROUTE_REVALIDATE},
    {"/assets/index.json",          HTTP_GET,     asset_index,          ROUTE_REVALIDATE},
    {"/assets/:set/:name",          HTTP_GET,     asset_file,           ROUTE_IMMUTABLE},

    {"/:id",                        HTTP_GET,     page_artifact,        ROUTE_PRIVATE | ROUTE_VIEWER},
    {"/:id/raw",                    HTTP_GET,     page_raw,             ROUTE_PRIVATE},
    {"/:id/raw/:name",              HTTP_GET,     page_raw,             ROUTE_PRIVATE},
};
/* clang-format on */

const size_t route_table_count = sizeof route_table / sizeof route_table[0];

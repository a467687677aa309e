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

/* home.c */
http_handler page_home;
http_handler robots;

/* api_artifacts.c */
http_handler api_artifacts_create;
http_handler api_artifacts_get;

/* api_encode.c, api_decode.c */
http_handler api_encode;
http_handler api_decode;

/* page.c */
http_handler page_artifact;

/* raw.c */
http_handler page_raw;

/* assets.c */
http_handler asset_file;
http_handler asset_index;

/* route.c */
http_handler api_preflight;

#endif

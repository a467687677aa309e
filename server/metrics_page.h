/*
 * metrics_page.h - GET /metrics on a listener of its own: Prometheus' text format, version 0.0.4.
 *
 * Whoever reaches that listener may read it; it says nothing of any single link or client.
 */
#ifndef ARXD_METRICS_PAGE_H
#define ARXD_METRICS_PAGE_H

#include "service.h"

/* What is looked at when somebody asks; outlives the listener. */
typedef struct metrics_source {
    const service *service;
    http_server *server; /* the one whose connections are counted */
    const char *version;
} metrics_source;

/* For http_start(); its service is a metrics_source. */
extern const http_app metrics_app;

#endif

/* metrics_page.c - see metrics_page.h. One event thread. */
#include "metrics_page.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "envelope.h"
#include "jobs.h"
#include "metrics.h"
#include "reply.h"
#include "store.h"

#define CONTENT_METRICS "text/plain; version=0.0.4; charset=utf-8"

/* ---- lines ---- */

/* Values and labels are this program's own: patterns, names and numbers, which need no escapes. */
__attribute__((format(printf, 2, 3))) static void put(arx_buf *out, const char *format, ...) {
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    int len = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (len > 0 && (size_t)len < sizeof line) {
        arx_buf_append(out, (const uint8_t *)line, (size_t)len);
    }
}

static void head(arx_buf *out, const char *name, const char *type, const char *help) {
    put(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void number(arx_buf *out, const char *name, const char *type, const char *help,
                   double value) {
    head(out, name, type, help);
    put(out, "%s %.17g\n", name, value);
}

/* ---- requests ---- */

typedef struct route_label {
    const char *route;
    const char *method;
} route_label;

static route_label label_of(const service *self, size_t i) {
    if (i < self->route_count) {
        return (route_label){self->routes[i].pattern, http_method_name(self->routes[i].method)};
    }
    return (route_label){"other", "other"};
}

static void put_requests(arx_buf *out, const service *self, const metrics_row *sum) {
    head(out, "arxd_http_requests_total", "counter",
         "Requests answered, by route and status; 0: left before an answer was made.");
    for (size_t i = 0; i < METRICS_ROUTES; i++) {
        route_label label = label_of(self, i);
        for (size_t s = 0; s < METRICS_STATUSES; s++) {
            if (sum->requests[i][s] > 0) {
                put(out,
                    "arxd_http_requests_total{route=\"%s\",method=\"%s\",status=\"%u\"} %" PRIu64
                    "\n",
                    label.route, label.method, metrics_statuses[s], sum->requests[i][s]);
            }
        }
    }
}

static void put_latencies(arx_buf *out, const service *self, const metrics_row *sum) {
    static const char name[] = "arxd_http_request_duration_seconds";
    head(out, name, "histogram", "From a request's head to the end of its answer.");
    for (size_t i = 0; i < METRICS_ROUTES; i++) {
        route_label label = label_of(self, i);
        uint64_t count = 0;
        for (size_t k = 0; k <= METRICS_LATENCIES; k++) {
            count += sum->latencies[i][k];
        }
        if (count == 0) {
            continue;
        }
        uint64_t below = 0;
        for (size_t k = 0; k < METRICS_LATENCIES; k++) {
            below += sum->latencies[i][k];
            put(out, "%s_bucket{route=\"%s\",method=\"%s\",le=\"%g\"} %" PRIu64 "\n", name,
                label.route, label.method, (double)metrics_latencies_us[k] / 1e6, below);
        }
        put(out, "%s_bucket{route=\"%s\",method=\"%s\",le=\"+Inf\"} %" PRIu64 "\n", name,
            label.route, label.method, count);
        put(out, "%s_sum{route=\"%s\",method=\"%s\"} %.6f\n", name, label.route, label.method,
            (double)sum->latency_us[i] / 1e6);
        put(out, "%s_count{route=\"%s\",method=\"%s\"} %" PRIu64 "\n", name, label.route,
            label.method, count);
    }
}

static void put_limited(arx_buf *out, const metrics_row *sum) {
    head(out, "arxd_rate_limited_total", "counter", "Requests answered 429, by what was used up.");
    for (bucket b = 0; b < BUCKET_COUNT; b++) {
        put(out, "arxd_rate_limited_total{bucket=\"%s\"} %" PRIu64 "\n", bucket_name(b),
            sum->plain[METRIC_LIMITED_READ + b]);
    }
}

/* ---- jobs ---- */

static void put_jobs(arx_buf *out, const service *self, const metrics_row *sum) {
    static const char *const kinds[JOB_KINDS] = {[JOB_ENCODE] = "encode", [JOB_DECODE] = "decode"};
    static const char *const outcomes[JOB_OUTCOMES] = {[JOB_SUCCEEDED] = "done",
                                                       [JOB_FAILED] = "failed",
                                                       [JOB_REFUSED] = "busy",
                                                       [JOB_LATE] = "deadline",
                                                       [JOB_STOPPED] = "cancelled"};
    head(out, "arxd_jobs_total", "counter",
         "Encodes and decodes, by the codec that came out and how it ended.");
    for (size_t kind = 0; kind < JOB_KINDS; kind++) {
        for (size_t codec = 0; codec <= METRICS_CODECS; codec++) {
            for (size_t outcome = 0; outcome < JOB_OUTCOMES; outcome++) {
                uint64_t count = sum->jobs[kind][codec][outcome];
                if (count > 0) {
                    put(out,
                        "arxd_jobs_total{kind=\"%s\",codec=\"%s\",outcome=\"%s\"} %" PRIu64 "\n",
                        kinds[kind],
                        codec < ARX_CODEC_COUNT ? arx_codec_name((arx_codec)codec) : "none",
                        outcomes[outcome], count);
                }
            }
        }
    }
    size_t queued;
    size_t running;
    jobs_depth(self->jobs, &queued, &running);
    head(out, "arxd_jobs", "gauge", "Jobs that wait for a worker, and that have one.");
    put(out, "arxd_jobs{state=\"queued\"} %zu\narxd_jobs{state=\"running\"} %zu\n", queued,
        running);
    number(out, "arxd_jobs_queue_limit", "gauge", "Most jobs there may be (--queue).",
           self->config->queue);
    number(out, "arxd_worker_seconds_total", "counter", "Time that workers spent on tasks.",
           (double)sum->plain[METRIC_WORKED_US] / 1e6);
}

/* ---- the database ---- */

static void put_store(arx_buf *out, const service *self, const metrics_row *sum) {
    static const char name[] = "arxd_store_commit_rows";
    head(out, name, "histogram", "Operations and refreshes written by one commit.");
    uint64_t below = 0;
    for (size_t i = 0; i < METRICS_SIZES; i++) {
        below += sum->sizes[i];
        put(out, "%s_bucket{le=\"%" PRIu64 "\"} %" PRIu64 "\n", name, metrics_sizes[i], below);
    }
    put(out, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n%s_sum %" PRIu64 "\n%s_count %" PRIu64 "\n", name,
        below + sum->sizes[METRICS_SIZES], name, sum->plain[METRIC_COMMIT_ROWS], name,
        below + sum->sizes[METRICS_SIZES]);
    number(out, "arxd_store_commits_total", "counter", "Transactions committed.",
           (double)sum->plain[METRIC_COMMITS]);
    number(out, "arxd_store_failures_total", "counter",
           "Operations that the database refused or broke on.",
           (double)sum->plain[METRIC_STORE_FAILED]);
    number(out, "arxd_sweeps_total", "counter", "Sweeps for what has expired.",
           (double)sum->plain[METRIC_SWEEPS]);
    number(out, "arxd_swept_links_total", "counter", "Expired links that sweeps deleted.",
           (double)sum->plain[METRIC_SWEPT_ROWS]);
    head(out, "arxd_backups_total", "counter", "Backups that arxd made by itself (--backups).");
    put(out,
        "arxd_backups_total{outcome=\"done\"} %" PRIu64 "\n"
        "arxd_backups_total{outcome=\"failed\"} %" PRIu64 "\n",
        sum->plain[METRIC_BACKUPS_MADE], sum->plain[METRIC_BACKUPS_FAILED]);
    store_gauges gauges = {0};
    store_look(self->store, &gauges);
    number(out, "arxd_store_queue", "gauge", "Writes that wait for the database's writer.",
           (double)gauges.waiting);
    number(out, "arxd_store_log_bytes", "gauge", "Size of the write-ahead log.",
           (double)gauges.log_bytes);
    number(out, "arxd_store_file_bytes", "gauge", "Size of the database file.",
           (double)gauges.file_bytes);
}

/* ---- the process, by the names that every Prometheus client uses ---- */

static size_t open_files(void) {
    size_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (folder != NULL) {
        while (readdir(folder) != NULL) {
            count++;
        }
        (void)closedir(folder);
    }
    return count > 3 ? count - 3 : 0; /* ".", ".." and the folder itself */
}

static size_t resident_bytes(void) {
    size_t pages = 0;
    char text[128] = "";
    FILE *in = fopen("/proc/self/statm", "re");
    if (in != NULL) {
        char *rest = fgets(text, sizeof text, in) != NULL ? strchr(text, ' ') : NULL;
        pages = rest != NULL ? (size_t)strtoull(rest, NULL, 10) : 0;
        (void)fclose(in);
    }
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static double seconds_of(struct timeval time) {
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static void put_process(arx_buf *out, const metrics_source *source) {
    static const char build[] = "arxd_build_info";
    struct rusage usage = {0};
    (void)getrusage(RUSAGE_SELF, &usage);
    head(out, build, "gauge", "Always 1; the labels tell which program this is.");
    put(out, "%s{version=\"%s\",store=\"%s\"} 1\n", build, source->version,
        store_describe(source->service->store));
    number(out, "arxd_http_connections", "gauge", "Connections that are open.",
           http_connections(source->server));
    number(out, "process_cpu_seconds_total", "counter", "Processor time used.",
           seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime));
    number(out, "process_resident_memory_bytes", "gauge", "Memory in use.",
           (double)resident_bytes());
    number(out, "process_open_fds", "gauge", "Open files and sockets.", (double)open_files());
}

/* ---- the application ---- */

static void send_metrics(http_request *request) {
    const metrics_source *source = http_service(request);
    metrics_row *sum = malloc(sizeof *sum);
    if (sum == NULL) {
        reply_error_plain(request, API_INTERNAL);
        return;
    }
    metrics_sum(sum);
    arx_buf out;
    arx_buf_init(&out, 0);
    put_process(&out, source);
    put_requests(&out, source->service, sum);
    put_latencies(&out, source->service, sum);
    put_limited(&out, sum);
    put_jobs(&out, source->service, sum);
    put_store(&out, source->service, sum);
    free(sum);
    reply_bytes(request, 200, CONTENT_METRICS, &out);
}

static void not_found(http_request *request) {
    reply_error_plain(request, API_NOT_FOUND);
}

static void wrong_method(http_request *request) {
    http_add_header(request, "Allow", "GET, HEAD");
    reply_error_plain(request, API_METHOD_NOT_ALLOWED);
}

static http_target route_request(http_request *request) {
    http_method method = http_method_of(request);
    bool known =
        http_segment_count(request) == 1 && strcmp(http_segment(request, 0), "metrics") == 0;
    bool allowed = method == HTTP_GET || method == HTTP_HEAD;
    return (http_target){.handler = !known ? not_found : allowed ? send_metrics : wrong_method};
}

static void refuse(http_request *request, http_fault fault) {
    bool nothing = fault == HTTP_FAULT_NO_SUCH_PATH;
    bool no_memory = fault == HTTP_FAULT_NO_MEMORY || fault == HTTP_FAULT_NO_REPLY;
    reply_error_plain(request, nothing     ? API_NOT_FOUND
                               : no_memory ? API_INTERNAL
                                           : API_BAD_REQUEST);
}

static void headers(http_request *request, unsigned status, const char *content_type) {
    (void)status;
    (void)content_type;
    http_add_header(request, "X-Content-Type-Options", "nosniff");
    http_add_header(request, "Cache-Control", "no-store");
}

static void ended(http_request *request, unsigned status, int64_t elapsed_us) {
    (void)request;
    (void)status;
    (void)elapsed_us;
}

const http_app metrics_app = {route_request, refuse, headers, ended, 0};

/* home.c - GET / and /robots.txt: fixed texts. */
#include "api.h"
#include "reply.h"

static const char home_page[] =
    "<!doctype html>\n"
    "<html lang=\"en\">\n"
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<title>arxd</title>\n"
    "<h1>arxd</h1>\n"
    "<p>This server turns a piece of work &ndash; a report, a source file, a patch, a table, a "
    "JSON\n"
    "document &ndash; into a link.</p>\n"
    "<ul>\n"
    "<li><code>POST /encode</code> packs it into a link that carries everything behind its "
    "#.</li>\n"
    "<li><code>POST /api/artifacts</code> keeps it here under a short link for a while.</li>\n"
    "<li><code>POST /decode</code> reads such a link back.</li>\n"
    "</ul>\n";

/* Short links sit at the root, so everything is disallowed but what has a fixed name. */
static const char robots_text[] = "User-agent: *\n"
                                  "Allow: /$\n"
                                  "Allow: /robots.txt\n"
                                  "Disallow: /api/\n"
                                  "Disallow: /\n";

void page_home(http_request *request) {
    http_send_static(request, 200, CONTENT_HTML, home_page, sizeof home_page - 1);
}

void robots(http_request *request) {
    http_send_static(request, 200, CONTENT_TEXT, robots_text, sizeof robots_text - 1);
}

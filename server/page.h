/*
 * page.h - the pages of a short link. Event thread.
 *
 * Their head tells previews the title and kind that are stored, never content.
 */
#ifndef ARXD_PAGE_H
#define ARXD_PAGE_H

#include "reply.h"
#include "store.h"

/*
 * The viewer page with what this link has of its own: title and descriptions, and an element that
 * carries the payload as inert data,
 *
 *     <div id="artifact" hidden data-url="/<uuid>" data-expires="..." data-asset-set="..."
 *          data-limited data-payload="..."></div>
 *
 * data-asset-set only when the row names a set; data-limited only when reading counts as a view, so
 * that there is no raw text to be offered. The request must hold the row.
 */
void page_send(http_request *request, const store_artifact *artifact);

/* For a row that counts its views: one button, which asks for one. Holds no payload. */
void page_send_limited(http_request *request, const store_artifact *artifact);

#endif

/*
 * observer.h - tells those who listen what has changed. The main thread's, about every 50 ms.
 */
#ifndef ARXD_OUI_OBSERVER_H
#define ARXD_OUI_OBSERVER_H

#include "exchanges.h"
#include "service.h"

/* Looks at what is due, and publishes what is another than it was. */
void oui_observe_changes(const service *server, int64_t now_ms);
/* `surface:deregister` for each surface, and the end of every stream. */
void oui_observe_end(const service *server);
/* An async action has ended, or a key's values have changed. Any thread. */
void oui_observe_result(const service *server, exchange *of);
void oui_observe_key(const service *server, const uint8_t owner[SECRET_HASH_BYTES]);

#endif

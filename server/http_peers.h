/*
 * http_peers.h - how many connections each address has open.
 *
 * An IPv4 address counts as one peer, of IPv6 a whole /64: who has one address of it has them all.
 * Bounded by the connections there may be. Thread-safe. Included by http*.c only.
 */
#ifndef ARXD_HTTP_PEERS_H
#define ARXD_HTTP_PEERS_H

#include "http.h"

typedef struct http_peers http_peers;

/* NULL without memory. */
http_peers *http_peers_create(unsigned max_connections);
/* NULL is fine. */
void http_peers_free(http_peers *peers);
/* Connections open from that peer, and from all. */
unsigned http_peers_count(http_peers *peers, const http_address *address);
unsigned http_peers_total(http_peers *peers);
/* A connection begins, and ends. False when there is no room: then it is not counted. */
bool http_peers_enter(http_peers *peers, const http_address *address);
void http_peers_leave(http_peers *peers, const http_address *address);

#endif

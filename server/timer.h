/*
 * timer.h - the main thread's work while the server runs: signals, deadlines, the hourly sweep.
 */
#ifndef ARXD_TIMER_H
#define ARXD_TIMER_H

#include "service.h"

/* Blocks the signals timer_run() waits for; called before the first thread, which inherits it. */
void timer_block_signals(void);

/*
 * Deletes expired rows and waits for the end of that. False when the database refused; the reason
 * has been logged by the store. For the start.
 */
bool timer_sweep_now(struct store *links);

/*
 * Until SIGTERM or SIGINT: cancels jobs past their deadline, about every 50 ms, ends connections of
 * the servers (a list that NULL ends) that are too slow, has expired rows deleted, hourly, and
 * reads the tokens file again on SIGHUP. Returns the signal. A sweep may still be under way
 * afterwards: it ends before store_close() does, and the sweep's memory is static.
 */
int timer_run(const service *self, http_server *const *servers);

#endif

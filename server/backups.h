/*
 * backups.h - the backups that arxd makes by itself, in a folder of their own (--backups).
 *
 *     start-20260131T235959Z.db   at a start, before anything is changed; the newest 3 are kept
 *     day-20260131.db             the first moment of a day, in UTC; the newest 7 are kept
 *
 * Each is what `arxd backup` makes: whole, checked, readable for its owner alone. Nothing else that
 * is in the folder is touched. A backup that fails is logged and counted and tried again within the
 * hour; it never keeps arxd from serving.
 *
 * A thread makes the daily ones. The functions are for the main thread.
 */
#ifndef ARXD_BACKUPS_H
#define ARXD_BACKUPS_H

#include "store_admin.h"

#define BACKUPS_OF_STARTS 3
#define BACKUPS_OF_DAYS   7

typedef struct backups backups;

/*
 * Makes the folder if need be, and in it the backup of this start, if there is a database. Comes
 * before store_open() with the same options. folder: borrowed. NULL with one line in `why` when the
 * folder cannot be written to, or the database's engine makes no backups.
 */
backups *backups_open(const char *folder, const store_options *stored, char *why, size_t why_size);

/* Starts the thread. False without one. */
bool backups_start(backups *self);

/*
 * What the thread does: makes the day's backup unless it is there, and removes those that are past
 * their number. False: it could not.
 */
bool backups_of_day(backups *self);

/* Gives up a backup that is being made, waits for the thread. NULL is fine. */
void backups_close(backups *self);

#endif

/*
 * store_sqlite_backup.c - store_backup() and store_restore().
 *
 * A backup is SQLite's online one, within one read transaction: what others write meanwhile neither
 * gets into it nor makes it start again. The daemon's log grows until it is done.
 */
#include "store_sqlite.h"
#include "store_sqlite_beside.h"
#include "store_sqlite_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PART ".part"

/* `path` with something behind it. False when that is too long. */
static bool name_with(char out[PATH_MAX], const char *path, const char *suffix, char *why,
                      size_t why_size) {
    int len = snprintf(out, PATH_MAX, "%s%s", path, suffix);
    if (len < 0 || len >= PATH_MAX) {
        snprintf(why, why_size, "the name %.100s... is too long", path);
        return false;
    }
    return true;
}

store_result sqlite_store_backup(const store_options *options, const char *to,
                                 bool (*go_on)(void *opaque), void *opaque, char *why,
                                 size_t why_size) {
    char part[PATH_MAX];
    store_result result = STORE_FAILED;
    sqlite3 *db = NULL;
    if (!name_with(part, to, PART, why, why_size)) {
        return STORE_FAILED;
    }
    if (access(to, F_OK) == 0) {
        snprintf(why, why_size, "%s is there already: name another file", to);
        return STORE_FAILED;
    }
    db = beside_open(options->path, false, why, why_size);
    if (db == NULL) {
        return STORE_FAILED;
    }
    *why = '\0';
    (void)unlink(part); /* of a backup that was killed */
    if (!beside_copy(db, part, go_on, opaque, why, why_size)) {
        result = *why == '\0' ? STORE_BUSY : STORE_FAILED;
        goto out;
    }
    /* A link, unlike a rename, never takes the place of what somebody put there meanwhile. */
    if (link(part, to) != 0) {
        snprintf(why, why_size, "cannot make %s: %s", to, strerror(errno));
    } else {
        result = STORE_OK;
    }
    (void)unlink(part);
    beside_sync_folder(to);

out:
    beside_close(db);
    return result;
}

/* ---- restore ---- */

/* Moves what is there out of the way, its log with it. `kept` is told where it is. */
static bool set_aside(const char *path, int64_t now_ms, char *kept, size_t kept_size, char *why,
                      size_t why_size) {
    char from[PATH_MAX];
    char to[PATH_MAX];
    char suffix[64];
    (void)snprintf(suffix, sizeof suffix, ".replaced-%lld", (long long)now_ms);
    if (!name_with(to, path, suffix, why, why_size)) {
        return false;
    }
    (void)snprintf(kept, kept_size, "%s", to);
    /* First the name, while the file is still in place: at no moment is there none. */
    if (link(path, to) != 0) {
        snprintf(why, why_size, "cannot keep the old database as %s: %s", to, strerror(errno));
        return false;
    }
    /* A log that is left over belongs to the old file, and would ruin the new one. */
    (void)snprintf(suffix, sizeof suffix, ".replaced-%lld-wal", (long long)now_ms);
    if (!name_with(from, path, "-wal", why, why_size) ||
        !name_with(to, path, suffix, why, why_size)) {
        return false;
    }
    if (rename(from, to) != 0 && errno != ENOENT) {
        snprintf(why, why_size, "cannot move %s: %s", from, strerror(errno));
        return false;
    }
    if (name_with(from, path, "-shm", why, why_size)) {
        (void)unlink(from);
    }
    return true;
}

/* The restored file belongs to whom the old one did. */
static void adopt_owner(int old, const char *path) {
    struct stat status;
    if (fstat(old, &status) == 0) {
        (void)!chown(path, status.st_uid,
                     status.st_gid); /* only root can, and only root needs to */
        (void)chmod(path, status.st_mode & 07777);
    }
}

store_result sqlite_store_restore(const store_options *options, const char *from, char *kept,
                                  size_t kept_size, char *why, size_t why_size) {
    char part[PATH_MAX];
    char place[PATH_MAX];
    store_result result = STORE_FAILED;
    sqlite3 *backup = NULL;
    kept[0] = '\0';
    int old = open(options->path, O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (old < 0 && errno != ENOENT) {
        snprintf(why, why_size, "cannot open database %s as uid %ld: %s", options->path,
                 (long)geteuid(), strerror(errno));
        return STORE_FAILED;
    }
    /* A link to the file stays one: the file it leads to is replaced. */
    if (old < 0 ? !name_with(place, options->path, "", why, why_size)
                : realpath(options->path, place) == NULL) {
        goto out;
    }
    if (old >= 0 && lock_place(old, 0) == LOCK_TAKEN) {
        snprintf(why, why_size, "database %s is in use by an arxd: stop it first", options->path);
        goto out;
    }
    backup = beside_open(from, false, why, why_size);
    if (backup == NULL || !name_with(part, place, ".restore", why, why_size)) {
        goto out;
    }
    (void)unlink(part); /* of a restore that was killed */
    if (!beside_copy(backup, part, NULL, NULL, why, why_size)) {
        goto out;
    }
    if (old >= 0) {
        adopt_owner(old, part);
        if (!set_aside(place, options->now_ms(), kept, kept_size, why, why_size)) {
            (void)unlink(part);
            goto out;
        }
    }
    if (rename(part, place) != 0) {
        snprintf(why, why_size, "cannot put the backup in place of %s: %s", place, strerror(errno));
        (void)unlink(part);
        goto out;
    }
    beside_sync_folder(place);
    result = STORE_OK;

out:
    beside_close(backup);
    if (old >= 0) {
        close(old);
    }
    return result;
}

/* backups.c - see backups.h. */
#include "backups.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "log.h"
#include "metrics.h"

#define LOOK_S    30 /* between looks at the calendar: the clock may be set meanwhile */
#define AGAIN_MS  (60 * 60 * 1000)
#define NAME_SIZE 40
#define WHY_SIZE  512
#define PART      ".part" /* what store_backup() calls one that is not whole yet */

/* Names hold the time: its digits, from the year on, stand for the zeros of the picture. */
typedef struct kind {
    const char *picture;
    size_t keep;
} kind;

static const kind starts = {"start-00000000T000000Z.db", BACKUPS_OF_STARTS};
static const kind days = {"day-00000000.db", BACKUPS_OF_DAYS};

struct backups {
    const char *folder;
    store_options stored;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock;
    pthread_cond_t told;
    atomic_bool stop;
};

/* ---- names ---- */

static bool is_of(const kind *which, const char *name, size_t len) {
    bool same = strlen(which->picture) == len;
    for (size_t i = 0; same && i < len; i++) {
        bool digit = name[i] >= '0' && name[i] <= '9';
        same = which->picture[i] == '0' ? digit : which->picture[i] == name[i];
    }
    return same;
}

static bool path_of(const backups *self, const char *name, char path[PATH_MAX]) {
    int len = snprintf(path, PATH_MAX, "%s/%s", self->folder, name);
    return len > 0 && len < PATH_MAX;
}

static bool name_now(const backups *self, const kind *which, char path[PATH_MAX]) {
    char name[NAME_SIZE];
    char iso[CLOCK_ISO_SIZE];
    clock_iso(self->stored.now_ms != NULL ? self->stored.now_ms() : clock_unix_ms(), iso);
    (void)snprintf(name, sizeof name, "%s", which->picture);
    const char *digit = iso;
    for (char *at = strchr(name, '0'); at != NULL; at = strchr(at + 1, '0')) {
        digit += strcspn(digit, "0123456789");
        *at = *digit++;
    }
    return path_of(self, name, path);
}

/* ---- what is past its number ---- */

static void remove_file(const backups *self, const char *name) {
    char path[PATH_MAX];
    if (path_of(self, name, path) && unlink(path) != 0 && errno != ENOENT) {
        log_write(LOG_ERROR, "cannot remove the old backup %s: %s", path, strerror(errno));
    }
}

/* How many there are; `oldest` is the first by name, which is the first by time. */
static size_t count_of(const backups *self, const kind *which, char oldest[NAME_SIZE]) {
    size_t count = 0;
    DIR *folder = opendir(self->folder);
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        if (!is_of(which, entry->d_name, strlen(entry->d_name))) {
            continue;
        }
        if (count == 0 || strcmp(entry->d_name, oldest) < 0) {
            (void)snprintf(oldest, NAME_SIZE, "%.*s", NAME_SIZE - 1, entry->d_name);
        }
        count++;
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    return count;
}

static void rotate(const backups *self, const kind *which) {
    char oldest[NAME_SIZE] = "";
    size_t count = count_of(self, which, oldest);
    while (count > which->keep) {
        remove_file(self, oldest);
        size_t left = count_of(self, which, oldest);
        if (left >= count) {
            return; /* it cannot be removed */
        }
        count = left;
    }
}

/* What an arxd that was killed has left half made. */
static void remove_parts(const backups *self) {
    DIR *folder = opendir(self->folder);
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        size_t len = strlen(entry->d_name);
        size_t stem = len > strlen(PART) ? len - strlen(PART) : 0;
        if (strcmp(entry->d_name + stem, PART) == 0 &&
            (is_of(&starts, entry->d_name, stem) || is_of(&days, entry->d_name, stem))) {
            remove_file(self, entry->d_name);
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
}

/* ---- making one ---- */

static bool go_on(void *opaque) {
    const backups *self = opaque;
    return !atomic_load(&self->stop);
}

/* The one of now, unless it is there already. */
static bool make(backups *self, const kind *which) {
    char path[PATH_MAX];
    char why[WHY_SIZE] = "";
    if (!name_now(self, which, path)) {
        (void)snprintf(why, sizeof why, "the name of a file in %.100s is too long", self->folder);
    } else if (access(path, F_OK) == 0) {
        return true;
    } else if (store_backup(&self->stored, path, go_on, self, why, sizeof why) == STORE_OK) {
        metrics_add(METRIC_BACKUPS_MADE, 1);
        log_write(LOG_INFO, "made the backup %s", path);
        rotate(self, which);
        return true;
    }
    if (why[0] != '\0') { /* else it was told to stop */
        metrics_add(METRIC_BACKUPS_FAILED, 1);
        log_write(LOG_ERROR, "no backup: %s", why);
    }
    return false;
}

bool backups_of_day(backups *self) {
    return make(self, &days);
}

/* ---- the thread ---- */

static void *keep(void *opaque) {
    backups *self = opaque;
    int64_t not_before_ms = 0;
    (void)pthread_mutex_lock(&self->lock);
    while (!atomic_load(&self->stop)) {
        int64_t start_ms = clock_monotonic_ms();
        if (start_ms >= not_before_ms) {
            (void)pthread_mutex_unlock(&self->lock);
            not_before_ms = backups_of_day(self) ? 0 : start_ms + AGAIN_MS;
            (void)pthread_mutex_lock(&self->lock);
        }
        struct timespec until;
        (void)clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec += LOOK_S;
        if (!atomic_load(&self->stop)) {
            (void)pthread_cond_timedwait(&self->told, &self->lock, &until);
        }
    }
    (void)pthread_mutex_unlock(&self->lock);
    return NULL;
}

bool backups_start(backups *self) {
    self->has_thread = pthread_create(&self->thread, NULL, keep, self) == 0;
    return self->has_thread;
}

/* ---- opening and closing ---- */

static bool folder_is_ours(const char *folder, char *why, size_t why_size) {
    if ((mkdir(folder, 0700) == 0 || errno == EEXIST) && access(folder, R_OK | W_OK | X_OK) == 0) {
        return true;
    }
    (void)snprintf(why, why_size, "cannot keep backups in %s as uid %ld: %s; see --backups", folder,
                   (long)geteuid(), strerror(errno));
    return false;
}

backups *backups_open(const char *folder, const store_options *stored, char *why, size_t why_size) {
    if (!store_has_backup(stored, why, why_size) || !folder_is_ours(folder, why, why_size)) {
        return NULL;
    }
    backups *self = calloc(1, sizeof *self);
    if (self == NULL) {
        (void)snprintf(why, why_size, "no memory for backups");
        return NULL;
    }
    self->folder = folder;
    self->stored = *stored;
    (void)pthread_mutex_init(&self->lock, NULL);
    pthread_condattr_t attributes;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&self->told, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    remove_parts(self);
    if (access(stored->path, F_OK) == 0) {
        (void)make(self, &starts);
    }
    return self;
}

void backups_close(backups *self) {
    if (self == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&self->lock);
    atomic_store(&self->stop, true);
    (void)pthread_cond_signal(&self->told);
    (void)pthread_mutex_unlock(&self->lock);
    if (self->has_thread) {
        (void)pthread_join(self->thread, NULL);
    }
    (void)pthread_cond_destroy(&self->told);
    (void)pthread_mutex_destroy(&self->lock);
    free(self);
}

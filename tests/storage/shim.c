/*
 * shim.c - the disk between a preloaded arxd and its database, for tests (LD_PRELOAD).
 *
 * It keeps what a power cut would take away: every write, truncation, creation and removal of the
 * database and its -wal file since the last fdatasync() of that file (or of its folder) returned.
 * It notes when a 201 leaves while the log has such writes, can cut the power at a given moment,
 * and can let the disk fail. Configured by the environment:
 *
 *   SHIM_DB      the database's absolute path; needed
 *   SHIM_LOG     file that lines are appended to: "sync wal", "201 dirty=0 synced=12", "cut ..."
 *   SHIM_CUT     n, or KIND:n: cut the power before the n-th call (of that kind: "sync wal")
 *   SHIM_SEED    0: all that is not synced is lost; else a part of it survives, by the sector
 *   SHIM_DEAF    set: fdatasync() says it is done and is not, as some disks do
 *   SHIM_FAULT   file that, while it is there, names the error of every write: ENOSPC, EROFS, EIO;
 *                or says "CUT n": the power, before the n-th call from now on
 *
 * Tests are to build it with cc -shared -fPIC.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define SECTOR    512
#define MAX_FDS   4096
#define PATH_SIZE 4096

enum file { NONE, DB, WAL };
enum change { WRITE, TRUNCATE, CREATE, REMOVE };

/* One change that is not on the disk for good. */
typedef struct undo {
    enum change change;
    enum file file;
    off_t offset; /* WRITE: where; TRUNCATE: the new size */
    size_t len;   /* of after */
    size_t before_len;
    off_t size; /* the file's, before */
    unsigned char *before;
    unsigned char *after;
    char name[64]; /* REMOVE: the end of the name it is kept under */
} undo;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char paths[3][PATH_SIZE];
static unsigned char fds[MAX_FDS]; /* enum file */
static undo *undos;
static size_t undo_count, undo_room;
static unsigned long calls, cut_at, synced;
static char cut_kind[32]; /* the start of its name */
static uint64_t seed;
static bool deaf;
static int log_fd = -1;
static const char *fault_path;

static int (*real_open)(const char *, int, ...);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static int (*real_ftruncate)(int, off_t);
static int (*real_fdatasync)(int);
static int (*real_fsync)(int);
static int (*real_close)(int);
static int (*real_unlink)(const char *);
static ssize_t (*real_send)(int, const void *, size_t, int);
static ssize_t (*real_sendmsg)(int, const struct msghdr *, int);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_writev)(int, const struct iovec *, int);

static void *real(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (function == NULL) {
        abort();
    }
    return function;
}

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...) {
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    int len = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (log_fd >= 0 && len > 0 && real_write(log_fd, line, (size_t)len) != len) {
        abort();
    }
}

__attribute__((constructor)) static void start(void) {
    real_open = real("open64");
    real_pwrite = real("pwrite64");
    real_ftruncate = real("ftruncate64");
    real_fdatasync = real("fdatasync");
    real_fsync = real("fsync");
    real_close = real("close");
    real_unlink = real("unlink");
    real_send = real("send");
    real_sendmsg = real("sendmsg");
    real_write = real("write");
    real_writev = real("writev");
    const char *db = getenv("SHIM_DB");
    if (db == NULL) {
        return;
    }
    snprintf(paths[DB], sizeof paths[DB], "%s", db);
    snprintf(paths[WAL], sizeof paths[WAL], "%s-wal", db);
    const char *text = getenv("SHIM_CUT");
    const char *colon = text == NULL ? NULL : strchr(text, ':');
    if (colon != NULL) {
        snprintf(cut_kind, sizeof cut_kind, "%.*s", (int)(colon - text), text);
        text = colon + 1;
    }
    cut_at = text == NULL ? 0 : strtoul(text, NULL, 10);
    text = getenv("SHIM_SEED");
    seed = text == NULL ? 0 : strtoull(text, NULL, 10);
    deaf = getenv("SHIM_DEAF") != NULL;
    fault_path = getenv("SHIM_FAULT");
    text = getenv("SHIM_LOG");
    if (text != NULL) {
        log_fd = real_open(text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    }
}

/* ---- what is not on disk yet ---- */

static enum file file_of(int fd) {
    return fd >= 0 && fd < MAX_FDS ? (enum file)fds[fd] : NONE;
}

static enum file file_at(const char *path) {
    return paths[DB][0] == '\0'            ? NONE
           : strcmp(path, paths[DB]) == 0  ? DB
           : strcmp(path, paths[WAL]) == 0 ? WAL
                                           : NONE;
}

static undo *add(enum change change, enum file file) {
    if (undo_count == undo_room) {
        undo_room = undo_room * 2 + 64;
        undos = realloc(undos, undo_room * sizeof *undos);
        if (undos == NULL) {
            abort();
        }
    }
    undo *u = &undos[undo_count++];
    *u = (undo){.change = change, .file = file};
    return u;
}

static unsigned char *copy_of(const void *bytes, size_t len) {
    unsigned char *copy = malloc(len + 1);
    if (copy == NULL) {
        abort();
    }
    if (len > 0) {
        memcpy(copy, bytes, len);
    }
    return copy;
}

/* What the file has there now. */
static unsigned char *read_before(int fd, off_t offset, size_t len, size_t *got) {
    unsigned char *bytes = malloc(len + 1);
    if (bytes == NULL) {
        abort();
    }
    ssize_t count = pread64(fd, bytes, len, offset);
    *got = count < 0 ? 0 : (size_t)count;
    return bytes;
}

/* Forgets changes that are on disk for good: of a file's contents, or (file NONE) of the folder. */
static void settle(enum file file, size_t up_to) {
    size_t kept = 0;
    for (size_t i = 0; i < undo_count; i++) {
        undo *u = &undos[i];
        bool entry = u->change == CREATE || u->change == REMOVE;
        if (i < up_to && (file == NONE ? entry : !entry && u->file == file)) {
            if (u->change == REMOVE) {
                char hidden[PATH_SIZE + 64];
                snprintf(hidden, sizeof hidden, "%s%s", paths[u->file], u->name);
                real_unlink(hidden);
            }
            free(u->before);
            free(u->after);
        } else {
            undos[kept++] = *u;
        }
    }
    undo_count = kept;
}

static unsigned dirty_of(enum file file) {
    unsigned dirty = 0;
    for (size_t i = 0; i < undo_count; i++) {
        dirty += undos[i].file == file && undos[i].change == WRITE;
    }
    return dirty;
}

/* ---- the power cut ---- */

static bool coin(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (seed >> 33) & 1;
}

static int file_for_undo(enum file file) {
    int fd = real_open(paths[file], O_RDWR | O_CLOEXEC);
    return fd;
}

static void take_back(const undo *u) {
    char hidden[PATH_SIZE + 64];
    snprintf(hidden, sizeof hidden, "%s%s", paths[u->file], u->name);
    if (u->change == CREATE) {
        real_unlink(paths[u->file]);
        return;
    }
    if (u->change == REMOVE) {
        rename(hidden, paths[u->file]);
        return;
    }
    int fd = file_for_undo(u->file);
    if (fd < 0) {
        return;
    }
    off_t at = u->change == WRITE ? u->offset : u->offset < u->size ? u->offset : u->size;
    if (u->before_len > 0 &&
        real_pwrite(fd, u->before, u->before_len, at) != (ssize_t)u->before_len) {
        abort();
    }
    if (real_ftruncate(fd, u->size) != 0) {
        abort();
    }
    real_close(fd);
}

/* Is the file the same one that all of its changes were made to? */
static bool same_throughout(enum file file) {
    for (size_t i = 0; i < undo_count; i++) {
        if (undos[i].file == file && (undos[i].change == CREATE || undos[i].change == REMOVE)) {
            return false;
        }
    }
    return true;
}

/* What reached the disk all the same, in no order: any sectors of a write, any truncation. */
static void survive(const undo *u) {
    if (!same_throughout(u->file)) {
        return;
    }
    int fd = file_for_undo(u->file);
    if (fd < 0) {
        return;
    }
    if (u->change == TRUNCATE && coin() && real_ftruncate(fd, u->offset) != 0) {
        abort();
    }
    for (size_t at = 0; u->change == WRITE && at < u->len; at += SECTOR) {
        size_t len = u->len - at < SECTOR ? u->len - at : SECTOR;
        if (coin() && real_pwrite(fd, u->after + at, len, u->offset + (off_t)at) != (ssize_t)len) {
            abort();
        }
    }
    real_close(fd);
}

static void cut(const char *during) {
    size_t count = undo_count;
    for (size_t i = count; i-- > 0;) {
        take_back(&undos[i]);
    }
    if (seed != 0) {
        for (size_t i = 0; i < count; i++) {
            survive(&undos[i]);
        }
    }
    note("cut during %s, %zu changes lost%s\n", during, count, seed == 0 ? "" : " in part");
    kill(getpid(), SIGKILL);
    for (;;) {
        pause();
    }
}

/* Before every call that matters; with the lock. False: it fails with errno. */
static bool allowed(const char *during) {
    static const struct {
        const char *name;
        int error;
    } ERRORS[] = {{"ENOSPC", ENOSPC}, {"EROFS", EROFS}, {"EIO", EIO}};
    calls += strncmp(during, cut_kind, strlen(cut_kind)) == 0;
    if (cut_at != 0 && calls >= cut_at) {
        cut(during);
    }
    char name[16] = "";
    int fd = fault_path == NULL ? -1 : real_open(fault_path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return true;
    }
    ssize_t len = read(fd, name, sizeof name - 1);
    real_close(fd);
    if (cut_at == 0 && strncmp(name, "CUT ", 4) == 0) {
        cut_at = calls + strtoul(name + 4, NULL, 10);
    }
    for (size_t i = 0; i < 3 && len > 0; i++) {
        if (strncmp(name, ERRORS[i].name, strlen(ERRORS[i].name)) == 0) {
            errno = ERRORS[i].error;
            return false;
        }
    }
    return true;
}

/* ---- files ---- */

static int open_tracked(const char *path, int flags, mode_t mode) {
    enum file file = file_at(path);
    if (file == NONE) {
        return real_open(path, flags, mode);
    }
    pthread_mutex_lock(&lock);
    bool fresh = (flags & O_CREAT) != 0 && access(path, F_OK) != 0;
    int fd = real_open(path, flags, mode);
    int error = errno;
    if (fd >= 0 && fd < MAX_FDS) {
        fds[fd] = (unsigned char)file;
        if (fresh) {
            add(CREATE, file);
        }
    }
    pthread_mutex_unlock(&lock);
    errno = error;
    return fd;
}

int open64(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_tracked(path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_tracked(path, flags, mode);
}

int close(int fd) {
    if (fd >= 0 && fd < MAX_FDS) {
        fds[fd] = NONE;
    }
    return real_close(fd);
}

ssize_t pwrite64(int fd, const void *bytes, size_t len, off64_t offset) {
    enum file file = file_of(fd);
    if (file == NONE) {
        return real_pwrite(fd, bytes, len, offset);
    }
    pthread_mutex_lock(&lock);
    ssize_t written = -1;
    struct stat status;
    if (fstat(fd, &status) == 0 && allowed(file == WAL ? "write wal" : "write db")) {
        size_t before_len;
        unsigned char *before = read_before(fd, offset, len, &before_len);
        written = real_pwrite(fd, bytes, len, offset);
        if (written > 0) {
            undo *u = add(WRITE, file);
            u->offset = offset;
            u->len = (size_t)written;
            u->before = before;
            u->before_len = before_len;
            u->after = copy_of(bytes, (size_t)written);
            u->size = status.st_size;
        } else {
            free(before);
        }
    }
    int error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
    return written;
}

ssize_t pwrite(int fd, const void *bytes, size_t len, off_t offset) {
    return pwrite64(fd, bytes, len, offset);
}

int ftruncate64(int fd, off64_t size) {
    enum file file = file_of(fd);
    if (file == NONE) {
        return real_ftruncate(fd, size);
    }
    pthread_mutex_lock(&lock);
    int result = -1;
    struct stat status;
    if (fstat(fd, &status) == 0 && allowed(file == WAL ? "truncate wal" : "truncate db")) {
        size_t before_len = 0;
        unsigned char *before = NULL;
        if (size < status.st_size) {
            before = read_before(fd, size, (size_t)(status.st_size - size), &before_len);
        }
        result = real_ftruncate(fd, size);
        if (result == 0) {
            undo *u = add(TRUNCATE, file);
            u->offset = size;
            u->before = before;
            u->before_len = before_len;
            u->size = status.st_size;
        } else {
            free(before);
        }
    }
    int error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

int ftruncate(int fd, off_t size) {
    return ftruncate64(fd, size);
}

static int sync_tracked(int fd, int (*sync)(int)) {
    enum file file = file_of(fd);
    struct stat status;
    bool folder =
        file == NONE && paths[DB][0] != '\0' && fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
    if (file == NONE && !folder) {
        return sync(fd);
    }
    pthread_mutex_lock(&lock);
    bool may = allowed(file == WAL ? "sync wal" : file == DB ? "sync db" : "sync folder");
    size_t up_to = undo_count; /* what is written meanwhile is not part of it */
    pthread_mutex_unlock(&lock);
    if (!may) {
        return -1;
    }
    int result = sync(fd);
    int error = errno;
    if (result == 0 && !deaf) {
        pthread_mutex_lock(&lock);
        settle(file, up_to);
        synced += file == WAL;
        note("sync %s\n", file == WAL ? "wal" : file == DB ? "db" : "folder");
        pthread_mutex_unlock(&lock);
    }
    errno = error;
    return result;
}

int fdatasync(int fd) {
    return sync_tracked(fd, real_fdatasync);
}

int fsync(int fd) {
    return sync_tracked(fd, real_fsync);
}

int unlink(const char *path) {
    enum file file = file_at(path);
    if (file == NONE) {
        return real_unlink(path);
    }
    static unsigned number;
    pthread_mutex_lock(&lock);
    int result = -1;
    if (allowed(file == WAL ? "remove wal" : "remove db")) {
        char name[64];
        char hidden[PATH_SIZE + 64];
        snprintf(name, sizeof name, ".removed-%u", ++number);
        snprintf(hidden, sizeof hidden, "%s%s", path, name);
        result = rename(path, hidden);
        if (result == 0) {
            undo *u = add(REMOVE, file);
            memcpy(u->name, name, sizeof name);
        }
    }
    int error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

/* A process that ends in order takes its hidden files along: nobody cut the power. */
__attribute__((destructor)) static void end(void) {
    settle(NONE, undo_count);
}

/* ---- what goes out ---- */

static void watch(const void *bytes, size_t len) {
    static const char CREATED[] = "HTTP/1.1 201";
    if (log_fd >= 0 && len >= sizeof CREATED - 1 &&
        memcmp(bytes, CREATED, sizeof CREATED - 1) == 0) {
        pthread_mutex_lock(&lock);
        note("201 dirty=%u synced=%lu\n", dirty_of(WAL), synced);
        pthread_mutex_unlock(&lock);
    }
}

ssize_t send(int fd, const void *bytes, size_t len, int flags) {
    watch(bytes, len);
    return real_send(fd, bytes, len, flags);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
    if (message->msg_iovlen > 0) {
        watch(message->msg_iov[0].iov_base, message->msg_iov[0].iov_len);
    }
    return real_sendmsg(fd, message, flags);
}

ssize_t write(int fd, const void *bytes, size_t len) {
    watch(bytes, len);
    return real_write(fd, bytes, len);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    if (count > 0) {
        watch(parts[0].iov_base, parts[0].iov_len);
    }
    return real_writev(fd, parts, count);
}

/* store_sqlite_lock.c - see store_sqlite_lock.h. */
#include "store_sqlite_lock.h"
#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* SQLite locks 512 bytes from 0x40000000 on and leaves the page around them alone. */
#define LOG_BYTE (0x40000000 + 512)

#define POLL_NS 5000000

static int try_place(int fd) {
    return flock(fd, LOCK_EX | LOCK_NB);
}

static struct flock log_byte(short type) {
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = LOG_BYTE, .l_len = 1};
}

static int set_log(int fd, short type) {
    struct flock lock = log_byte(type);
    return fcntl(fd, F_OFD_SETLK, &lock);
}

static int try_log(int fd) {
    return set_log(fd, F_WRLCK);
}

static lock_result lock(int (*attempt)(int fd), int fd, int64_t wait_ms) {
    int64_t give_up_ms = clock_monotonic_ms() + wait_ms;
    while (attempt(fd) != 0) {
        if (errno == ENOLCK || errno == ENOTSUP || errno == EINVAL) {
            return LOCK_NONE;
        }
        if (errno != EWOULDBLOCK && errno != EACCES && errno != EINTR) {
            return LOCK_FAILED;
        }
        if (clock_monotonic_ms() >= give_up_ms) {
            return LOCK_TAKEN;
        }
        nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
    }
    return LOCK_HELD;
}

lock_result lock_place(int fd, int64_t wait_ms) {
    return lock(try_place, fd, wait_ms);
}

lock_result lock_log(int fd, int64_t wait_ms) {
    return lock(try_log, fd, wait_ms);
}

void unlock_log(int fd) {
    (void)set_log(fd, F_UNLCK);
}

bool log_is_locked(int fd) {
    struct flock lock = log_byte(F_WRLCK);
    return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

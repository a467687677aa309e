/* http_pace.c - see http_pace.h. */
#include "http_pace.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "http.h"

void http_pace_init(http_pace *pace) {
    pthread_mutex_init(&pace->lock, NULL);
    pace->first = NULL;
}

void http_pace_destroy(http_pace *pace) {
    pthread_mutex_destroy(&pace->lock);
}

http_paced *http_pace_open(http_pace *pace, int fd, int64_t until_ms) {
    http_paced *paced = malloc(sizeof *paced);
    if (paced == NULL) {
        return NULL;
    }
    paced->fd = fd;
    paced->told_end = false;
    atomic_init(&paced->until_ms, until_ms);
    paced->prev = NULL;
    pthread_mutex_lock(&pace->lock);
    paced->next = pace->first;
    if (paced->next != NULL) {
        paced->next->prev = paced;
    }
    pace->first = paced;
    pthread_mutex_unlock(&pace->lock);
    return paced;
}

void http_pace_close(http_pace *pace, http_paced *paced) {
    pthread_mutex_lock(&pace->lock);
    if (paced->prev != NULL) {
        paced->prev->next = paced->next;
    } else {
        pace->first = paced->next;
    }
    if (paced->next != NULL) {
        paced->next->prev = paced->prev;
    }
    pthread_mutex_unlock(&pace->lock);
    free(paced);
}

void http_pace_until(http_paced *paced, int64_t until_ms) {
    /* A time read a moment late ends a connection a moment late; it orders nothing else. */
    atomic_store_explicit(&paced->until_ms, until_ms, memory_order_relaxed);
}

int64_t http_pace_ms(uint64_t bytes) {
    return (int64_t)(bytes / HTTP_MIN_BYTES_PER_S) * 1000;
}

/* The client sends no more, and everything it sent has been read. */
static bool is_at_end(int fd) {
    struct pollfd look = {.fd = fd, .events = POLLRDHUP};
    int unread = 0;
    return poll(&look, 1, 0) == 1 && (look.revents & POLLRDHUP) != 0 &&
           ioctl(fd, FIONREAD, &unread) == 0 && unread == 0;
}

void http_pace_enforce(http_pace *pace, int64_t now_ms) {
    pthread_mutex_lock(&pace->lock);
    for (http_paced *paced = pace->first; paced != NULL; paced = paced->next) {
        if (atomic_load_explicit(&paced->until_ms, memory_order_relaxed) < now_ms) {
            (void)shutdown(paced->fd, SHUT_RDWR);
            http_pace_until(paced, HTTP_PACE_NO_END); /* once is enough */
        }
        if (!paced->told_end && is_at_end(paced->fd)) {
            /* No more than the client did: it is still sent its answer. But epoll tells again. */
            (void)shutdown(paced->fd, SHUT_RD);
            paced->told_end = true;
        }
    }
    pthread_mutex_unlock(&pace->lock);
}

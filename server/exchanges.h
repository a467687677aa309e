/*
 * exchanges.h - the requests of agents, by their ids: what each was answered, for whoever asks
 * again or waits.
 *
 *     RUNNING --first answer--> ANSWERED --final answer--> ENDED        (most end with their first)
 *
 * The table remembers EXCHANGES_PER_OWNER ids of each owner, the oldest first out; first answers
 * for five minutes, final ones of async actions for thirty-five, and no more bytes in all than it
 * was made for. What is out of it may still be on record in the store.
 *
 * An exchange is reference-counted; what it was answered does not change and is good as long as it
 * is held. Thread-safe. Times are monotonic ms.
 */
#ifndef ARXD_EXCHANGES_H
#define ARXD_EXCHANGES_H

#include "buffer.h"
#include "jobs.h"
#include "secret.h"

#define EXCHANGES_PER_OWNER   500
#define EXCHANGES_OF_NOBODY   8192 /* without a key all agents are one owner */
#define EXCHANGE_FIRST_MS     (5 * 60 * 1000)
#define EXCHANGE_FINAL_MS     (35 * 60 * 1000)
#define EXCHANGE_ENDED_JOB_MS (5 * 60 * 1000) /* an ended job is listed so long */

typedef struct exchanges exchanges;
typedef struct exchange exchange;

typedef enum exchange_opened {
    EXCHANGE_NEW,   /* the caller answers it */
    EXCHANGE_SAME,  /* it is known: being worked on, or answered */
    EXCHANGE_OTHER, /* the id was used for another request */
    EXCHANGE_NONE,  /* no memory, or no room */
} exchange_opened;

/* Which of the two answers. */
typedef enum exchange_part { EXCHANGE_FIRST, EXCHANGE_FINAL, EXCHANGE_PARTS } exchange_part;

/* How a first answer ended. */
typedef enum exchange_end { EXCHANGE_DONE, EXCHANGE_FAILED, EXCHANGE_TIMEOUT } exchange_end;

/* max_bytes: of all answers kept. NULL without memory. */
exchanges *exchanges_create(size_t max_bytes);
void exchanges_free(exchanges *table); /* NULL is fine */

typedef struct exchange_key {
    uint8_t scope[SECRET_HASH_BYTES];   /* of who asks and the id */
    uint8_t request[SECRET_HASH_BYTES]; /* of what is asked */
    uint8_t owner[SECRET_HASH_BYTES];   /* of who asks; zeros for nobody in particular */
    const char *id;                     /* the request id, copied */
    unsigned form;                      /* the adapter's own */
} exchange_key;

/* `*found` is held for the caller, but for EXCHANGE_OTHER and EXCHANGE_NONE. */
exchange_opened exchanges_open(exchanges *table, const exchange_key *key, int64_t now_ms,
                               exchange **found);
/* Held for the caller; NULL: not known, or not any more. */
exchange *exchanges_find(exchanges *table, const uint8_t scope[SECRET_HASH_BYTES], int64_t now_ms);
exchange *exchange_hold(exchange *self);
void exchange_release(exchange *self); /* NULL is fine */
/* Forgets one that is not going to be answered; who waits for it is woken. */
void exchanges_drop(exchanges *table, exchange *self);

const char *exchange_id(const exchange *self);
const uint8_t *exchange_owner(const exchange *self);
unsigned exchange_form(const exchange *self);

/* The job behind an async action, until it has ended. */
void exchange_follow(exchange *self, job *work, size_t tasks, int64_t now_ms);
/*
 * Answers: takes the buffer's bytes. more: a final answer follows. Nothing happens to what is
 * answered already. False without memory: then the exchange is dropped.
 */
bool exchange_answer(exchange *self, arx_buf *text, bool more, exchange_end how, int64_t now_ms);

/* What is there. `text` NULL: not answered yet. Of an exchange without a final part FINAL is FIRST.
 */
typedef struct exchange_view {
    const uint8_t *text;
    size_t len;
    const uint8_t *sent; /* the same as it was first sent: exchange_keep_sent() */
    size_t sent_len;
    exchange_part part; /* which it is */
    bool more;          /* a final one is to come */
    bool dropped;
} exchange_view;
void exchange_look(exchange *self, exchange_part part, exchange_view *view);

/* Keeps what was sent for an answer, and shows what is kept: the first counts. Takes the buffer. */
void exchange_keep_sent(exchange *self, exchange_part part, arx_buf *sent, exchange_view *view);
/* The receiver refused, or took, a part: which step of trimming comes next (from 1), 0 for none. */
unsigned exchange_refused(exchange *self, exchange_part part, unsigned steps);
void exchange_received(exchange *self, exchange_part part);

/* ---- waiting ---- */

typedef struct exchange_waiter {
    void (*wake)(void *who); /* once, on any thread; must not call into here */
    void *who;
    int64_t until_ms;
    exchange_part part;
    struct exchange_waiter *next; /* the table's */
    exchange *of;                 /* likewise */
} exchange_waiter;

/*
 * False: it is answered, dropped or too late, and nothing is waited for. True: `wake` will be
 * called when the part is there, at `until_ms` (as exchanges_expire() is called) or by
 * exchanges_wake_all().
 */
bool exchange_wait(exchange *self, exchange_waiter *waiter, int64_t now_ms);

/* Wakes who has waited long enough, forgets what is old. About every 50 ms. */
void exchanges_expire(exchanges *table, int64_t now_ms);
/* Wakes everybody, now and from now on: the server stops. */
void exchanges_wake_all(exchanges *table);

/* ---- jobs ---- */

typedef struct exchange_job {
    const char *id;
    const char *status; /* "queued", "running", "done", "failed", "timeout" */
    unsigned progress;  /* 0 to 100 */
} exchange_job;

/* Calls `each` for an owner's jobs, the newest first; it must not call into here. */
void exchanges_jobs(exchanges *table, const uint8_t owner[SECRET_HASH_BYTES], int64_t now_ms,
                    void (*each)(void *opaque, const exchange_job *one), void *opaque);

#endif

/*
 * exchanges.c - see exchanges.h.
 *
 * One lock guards the table and every exchange in it. Nothing that takes another lock is called
 * with it held: wakes are gathered and done after it.
 */
#include "exchanges.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 4096u

typedef struct answer {
    uint8_t *text;
    size_t len;
    uint8_t *sent;
    size_t sent_len;
    unsigned refused; /* times */
    bool received;
} answer;

typedef struct owner {
    uint8_t hash[SECRET_HASH_BYTES];
    struct owner *next; /* in its bucket */
    exchange *oldest;
    exchange *newest;
    size_t count;
} owner;

struct exchange {
    atomic_uint refs;
    exchanges *table;
    uint8_t scope[SECRET_HASH_BYTES];
    uint8_t request[SECRET_HASH_BYTES];
    uint8_t owner_hash[SECRET_HASH_BYTES];
    char *id;
    unsigned form;
    /* Under the lock. */
    bool kept; /* is in the table */
    bool dropped;
    exchange *next; /* in its bucket */
    exchange *older;
    exchange *newer; /* of its owner */
    exchange *before;
    exchange *behind; /* of all, by age */
    answer answers[EXCHANGE_PARTS];
    bool more;
    bool has_job;
    job *job; /* until it has ended */
    size_t tasks;
    exchange_end how;
    int64_t answered_at_ms; /* the last answer */
};

struct exchanges {
    pthread_mutex_t lock;
    exchange *buckets[BUCKETS];
    owner *owners[BUCKETS];
    exchange *first; /* the oldest of all */
    exchange *last;
    size_t bytes;
    size_t max_bytes;
    exchange_waiter *waiters;
    bool stopping;
};

static unsigned bucket_of(const uint8_t hash[SECRET_HASH_BYTES]) {
    return ((unsigned)hash[0] << 8 | hash[1]) % BUCKETS;
}

static bool same_hash(const uint8_t *a, const uint8_t *b) {
    return memcmp(a, b, SECRET_HASH_BYTES) == 0;
}

static void lock(exchanges *table) {
    (void)pthread_mutex_lock(&table->lock);
}

static void unlock(exchanges *table) {
    (void)pthread_mutex_unlock(&table->lock);
}

/* ---- one exchange ---- */

exchange *exchange_hold(exchange *self) {
    atomic_fetch_add(&self->refs, 1);
    return self;
}

void exchange_release(exchange *self) {
    if (self == NULL || atomic_fetch_sub(&self->refs, 1) != 1) {
        return;
    }
    for (size_t i = 0; i < EXCHANGE_PARTS; i++) {
        free(self->answers[i].text);
        free(self->answers[i].sent);
    }
    job_release(self->job);
    free(self->id);
    free(self);
}

const char *exchange_id(const exchange *self) {
    return self->id;
}

const uint8_t *exchange_owner(const exchange *self) {
    return self->owner_hash;
}

unsigned exchange_form(const exchange *self) {
    return self->form;
}

/* Under the lock. */
static bool has_ended(const exchange *self) {
    return self->answers[EXCHANGE_FIRST].text != NULL && !self->more;
}

/* Under the lock: which answer stands for a part. */
static exchange_part part_of(const exchange *self, exchange_part part) {
    return part == EXCHANGE_FINAL && self->answers[EXCHANGE_FINAL].text == NULL && !self->more
               ? EXCHANGE_FIRST
               : part;
}

/* Under the lock. */
static bool is_there(const exchange *self, exchange_part part) {
    return self->dropped || self->answers[part_of(self, part)].text != NULL;
}

static size_t bytes_of(const exchange *self) {
    size_t bytes = sizeof *self;
    for (size_t i = 0; i < EXCHANGE_PARTS; i++) {
        bytes += self->answers[i].len + self->answers[i].sent_len;
    }
    return bytes;
}

/* ---- waiters: taken out under the lock, woken without it ---- */

/* Under the lock: those whom nothing keeps waiting, linked by `next`. */
static exchange_waiter *take_waiters(exchanges *table, int64_t now_ms) {
    exchange_waiter *taken = NULL;
    for (exchange_waiter **at = &table->waiters; *at != NULL;) {
        exchange_waiter *one = *at;
        if (table->stopping || now_ms >= one->until_ms || is_there(one->of, one->part)) {
            *at = one->next;
            one->next = taken;
            taken = one;
        } else {
            at = &one->next;
        }
    }
    return taken;
}

static void wake(exchange_waiter *taken) {
    while (taken != NULL) {
        exchange_waiter *next = taken->next; /* the waiter ends with its wake */
        taken->wake(taken->who);
        taken = next;
    }
}

bool exchange_wait(exchange *self, exchange_waiter *waiter, int64_t now_ms) {
    exchanges *table = self->table;
    lock(table);
    bool waits = !table->stopping && !is_there(self, waiter->part) && now_ms < waiter->until_ms;
    if (waits) {
        waiter->of = self;
        waiter->next = table->waiters;
        table->waiters = waiter;
    }
    unlock(table);
    return waits;
}

/* ---- the table ---- */

exchanges *exchanges_create(size_t max_bytes) {
    exchanges *table = calloc(1, sizeof *table);
    if (table != NULL) {
        (void)pthread_mutex_init(&table->lock, NULL);
        table->max_bytes = max_bytes;
    }
    return table;
}

/* Under the lock. NULL without memory. */
static owner *owner_of(exchanges *table, const uint8_t hash[SECRET_HASH_BYTES], bool make) {
    owner **at = &table->owners[bucket_of(hash)];
    while (*at != NULL && !same_hash((*at)->hash, hash)) {
        at = &(*at)->next;
    }
    if (*at == NULL && make) {
        *at = calloc(1, sizeof **at);
        if (*at != NULL) {
            memcpy((*at)->hash, hash, SECRET_HASH_BYTES);
        }
    }
    return *at;
}

/* Under the lock. */
static void forget_owner(exchanges *table, owner *of) {
    owner **at = &table->owners[bucket_of(of->hash)];
    while (*at != of) {
        at = &(*at)->next;
    }
    *at = of->next;
    free(of);
}

/* Under the lock: out of every list. The table's reference is the caller's then. */
static void take_out(exchanges *table, exchange *self) {
    owner *of = owner_of(table, self->owner_hash, false);
    exchange **at = &table->buckets[bucket_of(self->scope)];
    while (*at != self) {
        at = &(*at)->next;
    }
    *at = self->next;
    *(self->older != NULL ? &self->older->newer : &of->oldest) = self->newer;
    *(self->newer != NULL ? &self->newer->older : &of->newest) = self->older;
    *(self->before != NULL ? &self->before->behind : &table->first) = self->behind;
    *(self->behind != NULL ? &self->behind->before : &table->last) = self->before;
    self->kept = false;
    table->bytes -= bytes_of(self);
    if (--of->count == 0) {
        forget_owner(table, of);
    }
}

/* Under the lock. */
static void put_in(exchanges *table, owner *of, exchange *self) {
    exchange **bucket = &table->buckets[bucket_of(self->scope)];
    self->next = *bucket;
    *bucket = self;
    self->older = of->newest;
    *(of->newest != NULL ? &of->newest->newer : &of->oldest) = self;
    of->newest = self;
    self->before = table->last;
    *(table->last != NULL ? &table->last->behind : &table->first) = self;
    table->last = self;
    of->count++;
    self->kept = true;
    table->bytes += bytes_of(self);
}

static exchange *find(exchanges *table, const uint8_t scope[SECRET_HASH_BYTES]) {
    exchange *one = table->buckets[bucket_of(scope)];
    while (one != NULL && !same_hash(one->scope, scope)) {
        one = one->next;
    }
    return one;
}

static bool is_old(const exchange *self, int64_t now_ms) {
    int64_t kept_ms = self->has_job ? EXCHANGE_FINAL_MS : EXCHANGE_FIRST_MS;
    return has_ended(self) && now_ms - self->answered_at_ms >= kept_ms;
}

/* Under the lock: takes out what is old, or too much; linked by `next`. */
static exchange *take_old(exchanges *table, int64_t now_ms) {
    exchange *old = NULL;
    exchange *next;
    for (exchange *one = table->first; one != NULL; one = next) {
        next = one->behind;
        bool much = table->bytes > table->max_bytes && has_ended(one);
        if (!much && !is_old(one, now_ms)) {
            if (!has_ended(one) || one->has_job) {
                continue; /* younger ones may be over nevertheless */
            }
            if (table->bytes <= table->max_bytes) {
                break;
            }
            continue;
        }
        take_out(table, one);
        one->next = old;
        old = one;
    }
    return old;
}

static void release_all(exchange *old) {
    while (old != NULL) {
        exchange *next = old->next;
        exchange_release(old);
        old = next;
    }
}

/* Under the lock: the oldest of an owner with too many, if it has ended; linked by `next`. */
static exchange *make_room(exchanges *table, owner *of, bool nobody) {
    size_t most = nobody ? EXCHANGES_OF_NOBODY : EXCHANGES_PER_OWNER;
    if (of->count < most) {
        return NULL;
    }
    exchange *one = of->oldest;
    while (one != NULL && !has_ended(one)) {
        one = one->newer;
    }
    if (one != NULL) {
        take_out(table, one);
        one->next = NULL;
    }
    return one;
}

static exchange *create(exchanges *table, const exchange_key *key) {
    exchange *self = calloc(1, sizeof *self);
    char *id = strdup(key->id);
    if (self == NULL || id == NULL) {
        free(self);
        free(id);
        return NULL;
    }
    atomic_init(&self->refs, 2); /* the table's and the caller's */
    self->table = table;
    self->id = id;
    self->form = key->form;
    memcpy(self->scope, key->scope, SECRET_HASH_BYTES);
    memcpy(self->request, key->request, SECRET_HASH_BYTES);
    memcpy(self->owner_hash, key->owner, SECRET_HASH_BYTES);
    return self;
}

exchange_opened exchanges_open(exchanges *table, const exchange_key *key, int64_t now_ms,
                               exchange **found) {
    static const uint8_t nobody[SECRET_HASH_BYTES];
    exchange_opened how = EXCHANGE_NONE;
    exchange *fresh = create(table, key);
    exchange *pushed = NULL;
    lock(table);
    exchange *old = take_old(table, now_ms);
    exchange *known = find(table, key->scope);
    *found = NULL;
    if (known != NULL) {
        how = same_hash(known->request, key->request) ? EXCHANGE_SAME : EXCHANGE_OTHER;
        *found = how == EXCHANGE_SAME ? exchange_hold(known) : NULL;
    } else if (fresh != NULL) {
        owner *of = owner_of(table, key->owner, true);
        bool none = same_hash(key->owner, nobody);
        pushed = of != NULL ? make_room(table, of, none) : NULL;
        size_t most = none ? EXCHANGES_OF_NOBODY : EXCHANGES_PER_OWNER;
        if (of != NULL && of->count < most) {
            put_in(table, of, fresh);
            *found = fresh;
            fresh = NULL;
            how = EXCHANGE_NEW;
        }
    }
    unlock(table);
    release_all(old);
    exchange_release(pushed);
    if (fresh != NULL) {
        exchange_release(fresh);
        exchange_release(fresh);
    }
    return how;
}

exchange *exchanges_find(exchanges *table, const uint8_t scope[SECRET_HASH_BYTES], int64_t now_ms) {
    lock(table);
    exchange *old = take_old(table, now_ms);
    exchange *self = find(table, scope);
    if (self != NULL) {
        (void)exchange_hold(self);
    }
    unlock(table);
    release_all(old);
    return self;
}

void exchanges_drop(exchanges *table, exchange *self) {
    lock(table);
    bool kept = self->kept;
    if (kept) {
        take_out(table, self);
    }
    self->dropped = true;
    exchange_waiter *taken = take_waiters(table, INT64_MIN);
    unlock(table);
    wake(taken);
    if (kept) {
        exchange_release(self);
    }
}

void exchanges_free(exchanges *table) {
    if (table == NULL) {
        return;
    }
    while (table->first != NULL) {
        exchange *one = table->first;
        take_out(table, one);
        exchange_release(one);
    }
    (void)pthread_mutex_destroy(&table->lock);
    free(table);
}

/* ---- answers ---- */

void exchange_follow(exchange *self, job *work, size_t tasks, int64_t now_ms) {
    lock(self->table);
    self->has_job = true;
    self->job = work != NULL ? job_hold(work) : NULL;
    self->tasks = tasks;
    self->answered_at_ms = now_ms;
    unlock(self->table);
}

bool exchange_answer(exchange *self, arx_buf *text, bool more, exchange_end how, int64_t now_ms) {
    exchanges *table = self->table;
    size_t len;
    uint8_t *bytes = arx_buf_take(text, &len);
    if (bytes == NULL) {
        exchanges_drop(table, self);
        return false;
    }
    job *ended = NULL;
    lock(table);
    answer *first = &self->answers[EXCHANGE_FIRST];
    answer *into = first->text == NULL ? first : self->more ? &self->answers[EXCHANGE_FINAL] : NULL;
    if (into != NULL) {
        into->text = bytes;
        into->len = len;
        bytes = NULL;
        self->more = more;
        self->how = how;
        self->answered_at_ms = now_ms;
        table->bytes += self->kept ? len : 0;
        if (!more) {
            ended = self->job;
            self->job = NULL;
        }
    }
    exchange_waiter *taken = take_waiters(table, INT64_MIN);
    unlock(table);
    free(bytes);
    job_release(ended);
    wake(taken);
    return true;
}

/* Under the lock. */
static void show(const exchange *self, exchange_part part, exchange_view *view) {
    part = part_of(self, part);
    const answer *of = &self->answers[part];
    *view = (exchange_view){
        .text = of->text,
        .len = of->len,
        .sent = of->sent,
        .sent_len = of->sent_len,
        .part = part,
        .more =
            part == EXCHANGE_FIRST && (self->more || self->answers[EXCHANGE_FINAL].text != NULL),
        .dropped = self->dropped,
    };
}

void exchange_look(exchange *self, exchange_part part, exchange_view *view) {
    lock(self->table);
    show(self, part, view);
    unlock(self->table);
}

void exchange_keep_sent(exchange *self, exchange_part part, arx_buf *sent, exchange_view *view) {
    size_t len;
    uint8_t *bytes = arx_buf_take(sent, &len);
    lock(self->table);
    answer *of = &self->answers[part];
    if (of->sent == NULL && bytes != NULL) {
        of->sent = bytes;
        of->sent_len = len;
        self->table->bytes += self->kept ? len : 0;
        bytes = NULL;
    }
    show(self, part, view);
    unlock(self->table);
    free(bytes);
}

unsigned exchange_refused(exchange *self, exchange_part part, unsigned steps) {
    lock(self->table);
    answer *of = &self->answers[part];
    bool next = !of->received && of->refused < steps;
    of->refused += next;
    unsigned step = next ? of->refused : 0;
    unlock(self->table);
    return step;
}

void exchange_received(exchange *self, exchange_part part) {
    lock(self->table);
    self->answers[part].received = true;
    unlock(self->table);
}

/* ---- time ---- */

void exchanges_expire(exchanges *table, int64_t now_ms) {
    lock(table);
    exchange *old = take_old(table, now_ms);
    exchange_waiter *taken = take_waiters(table, now_ms);
    unlock(table);
    wake(taken);
    release_all(old);
}

void exchanges_wake_all(exchanges *table) {
    lock(table);
    table->stopping = true;
    exchange_waiter *taken = take_waiters(table, 0);
    unlock(table);
    wake(taken);
}

/* ---- jobs ---- */

static const char *status_of(const exchange *self) {
    if (self->job != NULL || self->more) {
        bool queued = self->job != NULL && job_state_of(self->job) == JOB_QUEUED;
        return queued ? "queued" : "running";
    }
    return self->how == EXCHANGE_DONE      ? "done"
           : self->how == EXCHANGE_TIMEOUT ? "timeout"
                                           : "failed";
}

void exchanges_jobs(exchanges *table, const uint8_t owner_hash[SECRET_HASH_BYTES], int64_t now_ms,
                    void (*each)(void *opaque, const exchange_job *one), void *opaque) {
    lock(table);
    const owner *of = owner_of(table, owner_hash, false);
    for (exchange *one = of != NULL ? of->newest : NULL; one != NULL; one = one->older) {
        bool late = has_ended(one) && now_ms - one->answered_at_ms >= EXCHANGE_ENDED_JOB_MS;
        if (!one->has_job || late) {
            continue;
        }
        exchange_job shown = {.id = one->id, .status = status_of(one)};
        if (one->job != NULL) {
            shown.progress = (unsigned)(job_progress(one->job) * 100 / one->tasks);
        } else if (has_ended(one) && one->how == EXCHANGE_DONE) {
            shown.progress = 100;
        }
        each(opaque, &shown);
    }
    unlock(table);
}

/* explore/drfinder.h: DrFinder (Cai and Cao, ESEC/FSE 2015, sections 4 and 5).
 *
 * A race is hidden when one thread releases a lock that the other takes between the two accesses;
 * the reverse order would leave them unordered.  So executions collect which function may trigger
 * (itself or by those it calls, `depth` levels of calls deep) the acquisition of which class of
 * locks, and later ones reverse what they can: a thread that asks for a lock is suspended while
 * another one, whose current function may trigger an acquisition of the same class, is escorted to
 * it: it takes locks without being suspended, and all others are suspended at their next request.
 * Each batch of executions uses what the previous one has collected.
 *
 * The published scheduler (Algorithm 3) draws from threads without a request, removes the wrong
 * thread and waits for ever for an escorted one that ends, returns or blocks.  Here an escort
 * ends, and counts as thrashing, when its function has returned or its thread has ended, when no
 * other thread may run, or after RFI_DRFINDER_ESCORT steps.
 *
 * Functions are scopes (RF_FUNC); the outermost one of a thread is the statement that created it,
 * so programs without scopes have a coarse relation.  A lock's class is the name given to its
 * rf_..._init, else the statement of that call; of one with a static initialiser it is the
 * expression by which it is called, `table.lock`.  A class that nearly all functions may trigger
 * (of a logger, of an allocator) tells nothing about who should go first and is left out.
 *
 * Guarantee: no probability: it reverses the natural order even where that shows a race, so
 * combine it with random schedules.  It adds no deadlock: a suspended thread continues when no
 * other can.  The first batch is uniform.
 *
 * A replay is told which pairs of function and class made a thread wait, four bytes for each:
 * all other questions were answered by no, or had no room, which is the same.
 */
#ifndef RFI_EXPLORE_DRFINDER_H
#define RFI_EXPLORE_DRFINDER_H
#include "detect/request.h"
#include "engine/iface.h"

#ifdef RFI_IMPL
# define RFI_DRFINDER_ESCORT 2000u /* steps of a thread that is escorted */
# define RFI_DRFINDER_NOBODY UINT32_MAX
# define RFI_DRFINDER_SCOPES 8u /* with fewer functions no class is everywhere */

/* Keys of scopes below this one are none. */
enum { RFI_DRFINDER_SUSPENDED, RFI_DRFINDER_THRASHED, RFI_DRFINDER_MAIN, RFI_DRFINDER_SCOPE };

/* One of what a lesson consists of.  The first is {the lesson's batch, 0}; then a scope with a
 * class of locks that it may trigger, or one of the two numbers above. */
typedef struct rfi_drfinder_note {
    uint32_t scope, of;
} rfi_drfinder_note;

# define RFI_DRFINDER_PAIRS ((uint32_t)(RF_LESSON_BYTES / sizeof(rfi_drfinder_note)) - 3u)

/* What has been learned. */
typedef struct rfi_drfinder_known {
    rfi_map pairs;    /* the relation */
    rfi_map scopes;   /* that it has */
    rfi_map of_class; /* number of scopes that may trigger it */
    uint32_t *classes, count, capacity;
    uint32_t batch;  /* number of times that the relation was replaced */
    bool recalled;   /* it is a replay's, of an execution that had one */
    uint64_t asked;  /* suspensions so far */
    uint64_t thrash; /* those in vain */
} rfi_drfinder_known;

typedef struct rfi_drfinder_thread {
    uint32_t *scope; /* the calls that it is in, outermost first */
    uint32_t depth, capacity;
    uint32_t wants; /* while it is suspended: the class */
} rfi_drfinder_thread;

typedef struct rfi_drfinder_state {
    rf_prng stream;
    bool steers, teaches;
    rfi_drfinder_thread *thread;
    uint32_t threads, thread_capacity;
    uint64_t *suspended, *others; /* sets of threads; the candidates that are not suspended */
    uint32_t words, capacity, others_capacity, suspended_count;
    uint32_t allowed; /* takes locks without asking */
    uint32_t waiter;  /* for whom `allowed` is escorted; none: it was granted what it wants */
    uint32_t awaited; /* class of locks that the escort is for */
    uint32_t floor;   /* depth of the scope that it is for */
    uint32_t steps;
    bool returned;
    uint32_t taught, asked, thrash;
    rfi_map taught_pairs, used_pairs;
    uint32_t *class_of, classes, class_capacity; /* by number of the object; 0: not known yet */
} rfi_drfinder_state;

RFI_VAR uint32_t rfi_drfinder_depth = 12;
RFI_VAR rfi_drfinder_known rfi_drfinder_knows;
RFI_VAR rfi_drfinder_state rfi_drfinder_run;

/* ---- scopes and classes ---- */

RFI_INLINE uint32_t rfi_drfinder_scope(const rf_site *s) {
    uint32_t key = (uint32_t)rfi_site_known_key(s);
    return key < RFI_DRFINDER_SCOPE ? key + RFI_DRFINDER_SCOPE : key;
}

RFI_INLINE uint32_t rfi_drfinder_pair(uint32_t scope, uint32_t class) {
    return (uint32_t)rfi_mix((uint64_t)scope << 32 | class);
}

/* The class of a lock; never 0. */
RFI_FN RFI_COLD uint32_t rfi_drfinder_class_new(uint32_t object) {
    const rf_site *s = rf_object_site(object);
    const char *name = rf_object_name(object);
    size_t n = strlen(name); /* a long one has been cut */
    bool expression =
        n < 32 ? !strcmp(name, rfi_site_text(s)) : !strncmp(name, rfi_site_text(s), n);
    bool named = !rf_object_made(object) || !expression;
    return (uint32_t)(named ? rfi_hash_text(name) : rfi_site_known_key(s)) | 1;
}

RFI_FN uint32_t rfi_drfinder_class(uint32_t object) {
    rfi_drfinder_state *d = &rfi_drfinder_run;
    if (RFI_UNLIKELY(object >= d->classes)) {
        d->class_of = rfi_grow(d->class_of, &d->class_capacity, object + 1, sizeof *d->class_of);
        while (d->classes <= object) d->class_of[d->classes++] = 0;
    }
    uint32_t *class = &d->class_of[object];
    if (RFI_UNLIKELY(!*class)) *class = rfi_drfinder_class_new(object);
    return *class;
}

/* The class of the lock that the thread is about to ask for; 0: it is not about to take one. */
RFI_FN uint32_t rfi_drfinder_wants(uint32_t thread) {
    const rf_event *next = rf_next_event(thread);
    if (next->kind != RF_EV_LOCK && next->kind != RF_EV_WAKE) return 0;
    uint32_t object = rfi_requested(next);
    return object ? rfi_drfinder_class(object) : 0;
}

RFI_FN rfi_drfinder_thread *rfi_drfinder_of(uint32_t thread) {
    rfi_drfinder_state *d = &rfi_drfinder_run;
    if (RFI_LIKELY(thread < d->threads)) return &d->thread[thread];
    d->thread = rfi_grow(d->thread, &d->thread_capacity, thread + 1, sizeof *d->thread);
    for (; d->threads <= thread; d->threads++) {
        rfi_drfinder_thread *t = &d->thread[d->threads];
        t->scope = rfi_grow(t->scope, &t->capacity, 1, sizeof *t->scope);
        t->scope[0] = RFI_DRFINDER_MAIN;
        t->depth = 1;
    }
    return &d->thread[thread];
}

/* ---- what has been learned ---- */

RFI_FN void rfi_drfinder_empty(void) {
    rfi_drfinder_known *k = &rfi_drfinder_knows;
    rfi_map_reset(&k->pairs);
    rfi_map_reset(&k->scopes);
    rfi_map_reset(&k->of_class);
    k->count = 0;
    k->recalled = false;
}

RFI_FN void rfi_drfinder_forget(void) {
    rfi_drfinder_empty();
    rfi_drfinder_knows.batch = 0;
    rfi_drfinder_knows.asked = rfi_drfinder_knows.thrash = 0;
}

RFI_FN void rfi_drfinder_add(const rfi_drfinder_note *n) {
    rfi_drfinder_known *k = &rfi_drfinder_knows;
    uint64_t *known = rfi_map_at(&k->pairs, rfi_drfinder_pair(n->scope, n->of));
    if (*known) return;
    *known = 1;
    (void)rfi_map_at(&k->scopes, n->scope);
    if (!(*rfi_map_at(&k->of_class, n->of))++) {
        k->classes = rfi_grow(k->classes, &k->capacity, k->count + 1, sizeof *k->classes);
        k->classes[k->count++] = n->of;
    }
}

/* A lesson says under which relation it was collected: the first one of a batch replaces that. */
RFI_FN void rfi_drfinder_learn(const void *lesson, size_t bytes) {
    rfi_drfinder_known *k = &rfi_drfinder_knows;
    const rfi_drfinder_note *n = lesson;
    size_t notes = bytes / sizeof *n;
    if (notes && n->scope == k->batch) {
        rfi_drfinder_empty();
        k->batch++;
    }
    for (size_t i = 1; i < notes; i++) {
        if (n[i].scope == RFI_DRFINDER_SUSPENDED)
            k->asked += n[i].of;
        else if (n[i].scope == RFI_DRFINDER_THRASHED)
            k->thrash += n[i].of;
        else
            rfi_drfinder_add(&n[i]);
    }
}

RFI_FN void rfi_drfinder_recall(const void *used, size_t bytes) {
    const uint8_t *p = used;
    rfi_drfinder_empty();
    rfi_drfinder_knows.recalled = bytes > 0; /* the first byte says that it had a relation */
    for (size_t i = 1; i + 4 <= bytes; i += 4) {
        uint32_t pair = p[i] | (uint32_t)p[i + 1] << 8 | (uint32_t)p[i + 2] << 16;
        *rfi_map_at(&rfi_drfinder_knows.pairs, pair | (uint32_t)p[i + 3] << 24) = 1;
    }
}

/* May seven of eight functions trigger it? */
RFI_FN bool rfi_drfinder_everywhere(uint32_t class) {
    const rfi_drfinder_known *k = &rfi_drfinder_knows;
    const uint64_t *scopes = rfi_map_find(&k->of_class, class);
    uint64_t all = k->scopes.used;
    return scopes && all >= RFI_DRFINDER_SCOPES && *scopes * 8 >= all * 7;
}

RFI_FN const char *rfi_drfinder_summary(void) {
    static char text[192];
    const rfi_drfinder_known *k = &rfi_drfinder_knows;
    uint32_t left_out = 0;
    for (uint32_t i = 0; i < k->count; i++) left_out += rfi_drfinder_everywhere(k->classes[i]);
    if (!k->pairs.used) return NULL;
    snprintf(text, sizeof text,
             "%u pairs of a function and a class of locks that it may take (%u of %u classes are "
             "everywhere and left out); %llu times a thread was made to wait, %llu times in vain",
             k->pairs.used, left_out, k->count, (unsigned long long)k->asked,
             (unsigned long long)k->thrash);
    return text;
}

/* ---- what an execution collects and uses ---- */

RFI_FN bool rfi_drfinder_note_it(uint32_t scope, uint32_t of) {
    rfi_drfinder_note n = {scope, of};
    return rf_teach(&n, sizeof n);
}

/* The thread has acquired a lock of that class. */
RFI_FN void rfi_drfinder_collect(const rfi_drfinder_thread *t, uint32_t class) {
    rfi_drfinder_state *d = &rfi_drfinder_run;
    uint32_t lowest = t->depth > rfi_drfinder_depth ? t->depth - rfi_drfinder_depth : 0;
    for (uint32_t i = t->depth; i-- > lowest && d->taught < RFI_DRFINDER_PAIRS;) {
        uint64_t *taught = rfi_map_at(&d->taught_pairs, (uint64_t)t->scope[i] << 32 | class);
        if (*taught) continue;
        *taught = 1;
        d->taught += rfi_drfinder_note_it(t->scope[i], class);
    }
}

/* May the function that thread u is in trigger an acquisition of this class? */
RFI_FN bool rfi_drfinder_may(uint32_t u, uint32_t class) {
    rfi_drfinder_state *d = &rfi_drfinder_run;
    const rfi_drfinder_thread *t = rfi_drfinder_of(u);
    uint32_t pair = rfi_drfinder_pair(t->scope[t->depth - 1], class);
    if (!rfi_map_find(&rfi_drfinder_knows.pairs, pair) || rfi_drfinder_everywhere(class))
        return false;
    if (rfi_map_find(&d->used_pairs, pair)) return true;
    uint8_t bytes[4] = {(uint8_t)pair, (uint8_t)(pair >> 8), (uint8_t)(pair >> 16),
                        (uint8_t)(pair >> 24)};
    if (!rf_used(bytes, sizeof bytes)) return false; /* a replay could not know */
    *rfi_map_at(&d->used_pairs, pair) = 1;
    return true;
}

/* ---- suspended threads ---- */

RFI_FN void rfi_drfinder_words(uint32_t words) {
    rfi_drfinder_state *d = &rfi_drfinder_run;
    d->suspended = rfi_grow(d->suspended, &d->capacity, words, sizeof *d->suspended);
    d->others = rfi_grow(d->others, &d->others_capacity, words, sizeof *d->others);
    while (d->words < words) d->suspended[d->words++] = 0;
}

RFI_INLINE bool rfi_drfinder_suspended(uint32_t t) {
    const rfi_drfinder_state *d = &rfi_drfinder_run;
    return t / 64 < d->words && rfi_in(d->suspended, t);
}

RFI_FN void rfi_drfinder_suspend(uint32_t t, uint32_t class) {
    rfi_drfinder_of(t)->wants = class;
    rfi_put(rfi_drfinder_run.suspended, t);
    rfi_drfinder_run.suspended_count++;
}

RFI_FN void rfi_drfinder_resume(uint32_t t) {
    if (!rfi_drfinder_suspended(t)) return;
    rfi_take(rfi_drfinder_run.suspended, t);
    rfi_drfinder_run.suspended_count--;
}

/* Of the candidates those that are suspended, or those that are not. */
RFI_FN rf_choice rfi_drfinder_part(const rf_choice *c, bool suspended) {
    rfi_drfinder_state *d = &rfi_drfinder_run;
    rf_choice part = {0, c->last, d->others, c->rfi_words};
    for (uint32_t w = 0; w < c->rfi_words; w++) {
        d->others[w] = c->rfi_set[w] & (suspended ? d->suspended[w] : ~d->suspended[w]);
        part.count += rfi_bits(d->others[w]);
    }
    return part;
}

RFI_FN uint32_t rfi_drfinder_draw(const rf_choice *c) {
    return rfi_choice_at(c, rfi_below(&rfi_drfinder_run.stream, c->count));
}

RFI_FN void rfi_drfinder_grant(uint32_t t) {
    rfi_drfinder_state *d = &rfi_drfinder_run;
    rfi_drfinder_resume(t);
    d->allowed = t;
    d->waiter = RFI_DRFINDER_NOBODY;
}

RFI_FN void rfi_drfinder_escort(uint32_t u, uint32_t waiter) {
    rfi_drfinder_state *d = &rfi_drfinder_run;
    d->awaited = d->thread[waiter].wants;
    d->waiter = waiter;
    rfi_drfinder_resume(u);
    d->allowed = u;
    d->floor = rfi_drfinder_of(u)->depth;
    d->returned = false;
    d->steps = 0;
    d->asked++;
}

/* Nobody is allowed, and somebody is suspended: who goes first? */
RFI_FN void rfi_drfinder_decide(void) {
    rfi_drfinder_state *d = &rfi_drfinder_run;
    if (d->waiter != RFI_DRFINDER_NOBODY && rfi_drfinder_suspended(d->waiter)) {
        rfi_drfinder_grant(d->waiter);
        return;
    }
    rf_choice all = {d->suspended_count, 0, d->suspended, d->words};
    uint32_t t = rfi_drfinder_draw(&all), class = d->thread[t].wants, n = 0, chosen = t;
    for (uint32_t u = 0; u < rf_threads(); u++) {
        if (u == t || !(rf_thread_enabled(u) || rfi_drfinder_suspended(u))) continue;
        /* the nth is kept with probability 1/n: each of them with the same in the end */
        if (rfi_drfinder_may(u, class) && !rfi_below(&d->stream, ++n)) chosen = u;
    }
    if (n)
        rfi_drfinder_escort(chosen, t);
    else
        rfi_drfinder_grant(t);
}

/* A suspended thread that holds what the thread waits for. */
RFI_FN uint32_t rfi_drfinder_owner(uint32_t waiting) {
    enum { MOST = 64 };
    rf_lock lock[MOST];
    uint32_t object = rfi_requested(rf_next_event(waiting));
    for (uint32_t t = 0; object && t < rf_threads(); t++) {
        if (!rfi_drfinder_suspended(t)) continue;
        uint32_t n = rf_thread_locks(t, lock, MOST);
        for (uint32_t i = 0; i < n && i < MOST; i++)
            if (lock[i].object == object) return t;
    }
    return RFI_DRFINDER_NOBODY;
}

/* Settles who is allowed; true: that is somebody else now.  `alone`: all candidates are suspended.
 */
RFI_FN bool rfi_drfinder_settle(bool alone) {
    rfi_drfinder_state *d = &rfi_drfinder_run;
    uint32_t u = d->allowed;
    if (u == RFI_DRFINDER_NOBODY) {
        if (!d->suspended_count) return false;
        rfi_drfinder_decide();
    } else if (d->waiter != RFI_DRFINDER_NOBODY) {
        if (!alone && !d->returned && rf_thread_alive(u) && d->steps <= RFI_DRFINDER_ESCORT)
            return false;
        d->thrash++;
        d->allowed = RFI_DRFINDER_NOBODY;
    } else {
        u = rf_thread_enabled(u) ? RFI_DRFINDER_NOBODY : rfi_drfinder_owner(u);
        if (u == RFI_DRFINDER_NOBODY) return false;
        rfi_drfinder_grant(u); /* the one that was allowed asks again when it can */
    }
    return true;
}

/* Its request is refused for now; or it is none, or `t` may take what it wants. */
RFI_FN bool rfi_drfinder_refused(uint32_t t) {
    uint32_t class = t == rfi_drfinder_run.allowed ? 0 : rfi_drfinder_wants(t);
    if (class) rfi_drfinder_suspend(t, class);
    return class != 0;
}

/* ---- the callbacks ---- */

RFI_FN uint32_t rfi_drfinder_pick(const rf_choice *c) {
    rfi_drfinder_state *d = &rfi_drfinder_run;
    if (!d->steers) return rfi_drfinder_draw(c);
    rfi_drfinder_words(c->rfi_words);
    for (;;) {
        rf_choice others = rfi_drfinder_part(c, false);
        if (rfi_drfinder_settle(!others.count)) continue;
        if (!others.count) {
            d->thrash++;
            others = rfi_drfinder_part(c, true);
            rfi_drfinder_grant(rfi_drfinder_draw(&others));
            continue;
        }
        uint32_t t = rfi_drfinder_draw(&others);
        if (rfi_drfinder_refused(t)) continue;
        if (t == d->allowed && d->waiter == RFI_DRFINDER_NOBODY)
            d->allowed = RFI_DRFINDER_NOBODY; /* this is what it was granted */
        d->steps += t == d->allowed;
        return t;
    }
}

/* Who only tries, or for a time, is not waited for: it may be to give up. */
RFI_FN void rfi_drfinder_locked(uint32_t thread, uint32_t object, bool waits) {
    rfi_drfinder_state *d = &rfi_drfinder_run;
    const rfi_drfinder_thread *t = rfi_drfinder_of(thread);
    uint32_t class = rfi_drfinder_class(object);
    if (d->teaches && waits) rfi_drfinder_collect(t, class);
    if (!d->steers) return;
    rfi_drfinder_resume(thread); /* a checker may have let it */
    if (thread == d->allowed && class == d->awaited) d->allowed = RFI_DRFINDER_NOBODY;
}

RFI_FN void rfi_drfinder_event(const rf_event *e) {
    rfi_drfinder_state *d = &rfi_drfinder_run;
    rfi_drfinder_thread *t = rfi_drfinder_of(e->kind == RF_EV_CREATE ? e->other : e->thread);
    switch (e->kind) {
    case RF_EV_CREATE: t->scope[0] = rfi_drfinder_scope(e->site); break;
    case RF_EV_ENTER:
        t->scope = rfi_grow(t->scope, &t->capacity, t->depth + 1, sizeof *t->scope);
        t->scope[t->depth++] = rfi_drfinder_scope(e->site);
        break;
    case RF_EV_LEAVE:
        t->depth -= t->depth > 1;
        d->returned |= e->thread == d->allowed && t->depth < d->floor;
        break;
    default: rfi_drfinder_locked(e->thread, e->object, !(e->flags & (RF_EV_TRY | RF_EV_TIMED)));
    }
}

RFI_FN void rfi_drfinder_begin(uint64_t seed) {
    rfi_drfinder_state *d = &rfi_drfinder_run;
    const rfi_drfinder_known *k = &rfi_drfinder_knows;
    const uint8_t one = 1;
    d->stream = (rf_prng){seed};
    d->threads = d->words = d->suspended_count = d->classes = 0;
    d->taught = d->asked = d->thrash = 0;
    d->allowed = d->waiter = RFI_DRFINDER_NOBODY;
    rfi_map_reset(&d->taught_pairs);
    rfi_map_reset(&d->used_pairs);
    d->steers = (k->pairs.used || k->recalled) && rf_used(&one, 1);
    d->teaches = rfi_drfinder_note_it(k->batch, 0);
}

RFI_FN void rfi_drfinder_end(void) {
    const rfi_drfinder_state *d = &rfi_drfinder_run;
    if (!d->teaches) return;
    rfi_drfinder_note_it(RFI_DRFINDER_SUSPENDED, d->asked);
    rfi_drfinder_note_it(RFI_DRFINDER_THRASHED, d->thrash);
}

/* clang-format off */
RFI_VAR rf_strategy rfi_drfinder = {
    .name = "drfinder",
    .help = "reverses the order in which threads take locks",
    .begin = rfi_drfinder_begin,
    .pick = rfi_drfinder_pick,
    .end = rfi_drfinder_end,
    .lone = true,
    .events = RF_EV_BIT(RF_EV_CREATE) | RF_EV_BIT(RF_EV_ENTER) | RF_EV_BIT(RF_EV_LEAVE) |
              RF_EV_BIT(RF_EV_LOCK),
    .event = rfi_drfinder_event,
    .parameter = &rfi_drfinder_depth,
    .least = 1,
    .most = 32,
    .of_parameter = "depth",
    .forget = rfi_drfinder_forget,
    .learn = rfi_drfinder_learn,
    .recall = rfi_drfinder_recall,
    .summary = rfi_drfinder_summary};
/* clang-format on */
#endif
#endif

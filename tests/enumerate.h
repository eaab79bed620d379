/* tests/enumerate.h: small programs of all primitives, drawn from a number, and every outcome that
 * they can have, found by trying all orders of their steps.
 *
 * It knows nothing of racefuzz and shares no code with it: what it says is what explore_compare.c
 * holds the explorers to.  A state is everything that a later step can depend on, so each is
 * entered once.  A time-out may fire whenever it could; what is given up advances the clock.
 */
#ifndef ENUMERATE_H
#define ENUMERATE_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, OPS = 16, MUTEXES = 2, SEMS = 2, VARIABLES = 3 };

typedef enum op_kind {
    END, /* of the thread's list */
    LOAD,
    STORE,
    ADD,
    CAS,
    LOCK,
    TRYLOCK,
    TIMEDLOCK,
    UNLOCK,
    SPINLOCK,
    SPINTRY,
    SPINUNLOCK,
    RDLOCK,
    TRYRDLOCK,
    WRLOCK,
    TRYWRLOCK,
    RWUNLOCK,
    SEMWAIT,
    SEMTRY,
    SEMTIMED,
    SEMPOST,
    WAIT,
    TIMEDWAIT,
    SIGNAL,
    BROADCAST,
    BARRIER,
    ONCE,
    YIELD,
    HINT,
    SLEEP,
    CLOCK,
    CHOOSE,
    KINDS
} op_kind;

/* `what`: which mutex, variable, ...; `skip`: where to go on if a lock was not to be had. */
typedef struct op {
    uint8_t kind, what, value, skip;
} op;

typedef struct program {
    uint32_t threads;
    op op[THREADS][OPS + 1];
} program;

/* ---- drawing programs ---- */

typedef struct maker {
    uint64_t state;
    program *p;
    uint32_t thread, at;
    uint32_t kinds; /* of those that may stand anywhere, so many are used */
    uint8_t use[8];
} maker;

static uint32_t draw(maker *m, uint32_t below) {
    m->state = m->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((m->state >> 33) % below);
}

static op *put(maker *m, unsigned k, unsigned what, unsigned value) {
    op *o = &m->p->op[m->thread][m->at++];
    *o = (op){(uint8_t)k, (uint8_t)what, (uint8_t)value, 0};
    return o;
}

static void put_block(maker *m, uint32_t room, uint32_t held);

/* A lock operation, what is done under it, and the end. */
static void put_section(maker *m, unsigned lock, unsigned unlock, unsigned what, uint32_t room,
                        uint32_t held) {
    op *o = put(m, lock, what, 1 + draw(m, 3));
    uint32_t inside = draw(m, room < 3 ? room + 1 : 4);
    put_block(m, inside, held);
    put(m, unlock, what, 0);
    o->skip = (uint8_t)m->at;
}

/* What needs company: a lock what it protects, a wait its mutex.  False: there is no room. */
static bool put_compound(maker *m, unsigned k, uint32_t room, uint32_t held) {
    uint32_t mutex = draw(m, MUTEXES);
    if (room < 2) return false;
    switch (k) {
    case LOCK:
    case TRYLOCK:
    case TIMEDLOCK:
        if (held >> mutex & 1) mutex ^= 1;
        if (held >> mutex & 1) return false;
        put_section(m, k, UNLOCK, mutex, room - 2, held | 1u << mutex);
        return true;
    case SPINLOCK:
    case SPINTRY:
        if (held & 4) return false;
        put_section(m, k, SPINUNLOCK, 0, room - 2, held | 4);
        return true;
    case RDLOCK:
    case TRYRDLOCK:
    case WRLOCK:
    case TRYWRLOCK:
        if (held & 8) return false;
        put_section(m, k, RWUNLOCK, 0, room - 2, held | 8);
        return true;
    default: /* WAIT and TIMEDWAIT */
        if (held || room < 3) return false;
        put(m, LOCK, 0, 0);
        put(m, k, 0, 1 + draw(m, 3));
        put(m, UNLOCK, 0, 0);
        return true;
    }
}

/* Something that is done again and again, as those do who poll: up to three operations. */
static void put_polling(maker *m, uint32_t end, uint32_t held) {
    static const uint8_t looks[] = {LOAD, CAS, SEMTRY, SEMTIMED, ADD, CLOCK, TRYLOCK, TIMEDLOCK};
    static const uint8_t rests[] = {END, END, YIELD, HINT, SLEEP};
    unsigned look = looks[draw(m, sizeof looks)], rest = rests[draw(m, sizeof rests)];
    unsigned what = look == CAS || look == ADD ? 2 : draw(m, 2), value = 1 + draw(m, 3);
    if (look >= LOCK && look <= TIMEDLOCK && held) look = LOAD;
    uint32_t length = (look == TRYLOCK || look == TIMEDLOCK) + 1u + (rest != END);
    for (uint32_t times = 2 + draw(m, 5); times && m->at + length <= end; times--) {
        op *o = put(m, look, what, value);
        if (look == TRYLOCK || look == TIMEDLOCK) {
            put(m, UNLOCK, what, 0);
            o->skip = (uint8_t)m->at;
        }
        if (rest) put(m, rest, 0, 1);
    }
}

static void put_block(maker *m, uint32_t room, uint32_t held) {
    uint32_t end = m->at + room;
    while (m->at < end) {
        uint32_t left = end - m->at;
        if (left > 2 && !draw(m, 8)) {
            put_polling(m, end, held);
            continue;
        }
        unsigned k = m->use[draw(m, m->kinds)];
        bool compound = (k >= LOCK && k <= RWUNLOCK) || k == WAIT || k == TIMEDWAIT;
        if (compound && put_compound(m, k, left, held)) continue;
        if (compound) k = LOAD + draw(m, 2);
        unsigned what = k <= STORE ? draw(m, 2) : k <= CAS ? 2 : k < SEMWAIT ? 0 : draw(m, SEMS);
        unsigned value = 1 + draw(m, 3);
        put(m, k, what, value);
    }
}

/* The program with this number. */
static void make_program(program *p, uint64_t number) {
    static const uint8_t any[] = {
        LOAD,     STORE,   LOAD,   STORE,     ADD,     CAS,       LOCK,    TRYLOCK, TIMEDLOCK,
        SPINLOCK, SPINTRY, RDLOCK, TRYRDLOCK, WRLOCK,  TRYWRLOCK, SEMWAIT, SEMTRY,  SEMTIMED,
        SEMPOST,  SEMPOST, WAIT,   TIMEDWAIT, SIGNAL,  BROADCAST, BARRIER, ONCE,    YIELD,
        HINT,     SLEEP,   CLOCK,  CHOOSE,    TRYLOCK, LOCK,      STORE};
    maker m = {.state = number * UINT64_C(0x9e3779b97f4a7c15) + 1, .p = p};
    memset(p, 0, sizeof *p);
    (void)draw(&m, 2);
    p->threads = 2 + draw(&m, 2);
    m.kinds = 3 + draw(&m, 4);
    for (uint32_t i = 0; i < m.kinds; i++) m.use[i] = any[draw(&m, sizeof any)];
    uint32_t room = p->threads == 2 ? 8 : 4, more = draw(&m, 4) ? 0 : 6;
    for (m.thread = 0; m.thread < p->threads; m.thread++) {
        m.at = 0;
        put_block(&m, 1 + draw(&m, room) + (m.thread ? 0 : more), 0);
    }
}

/* ---- states ---- */

/* Of a wait: WAITING for a signal, then for the mutex. */
enum { READY, WAITING, NOTIFIED, EXPIRED, RUNS_ONCE, STORES_ONCE };

typedef struct state {
    uint8_t at[THREADS], phase[THREADS], kept[THREADS], until[THREADS];
    uint8_t result[THREADS][OPS]; /* + 1 */
    uint8_t owner[MUTEXES], spin, writer, readers, sem[SEMS], arrived, once, now;
    uint8_t variable[VARIABLES];
    uint8_t stuck;
} state;

static uint64_t hash_bytes(const void *bytes, size_t n) {
    const unsigned char *s = bytes;
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < n; i++) h = (h ^ s[i]) * UINT64_C(1099511628211);
    h ^= h >> 29;
    return (h * UINT64_C(0xbf58476d1ce4e5b9)) | 1;
}

/* Sets of numbers that are not 0. */
typedef struct numbers {
    uint64_t *slot;
    uint32_t size, count;
} numbers;

static bool numbers_have(const numbers *s, uint64_t number) {
    if (!s->size) return false;
    uint32_t i = (uint32_t)(number >> 20) & (s->size - 1);
    while (s->slot[i] && s->slot[i] != number) i = (i + 1) & (s->size - 1);
    return s->slot[i] != 0;
}

static bool numbers_add(numbers *s, uint64_t number) {
    if (s->count * 2 >= s->size) {
        numbers old = *s;
        *s = (numbers){NULL, old.size ? old.size * 2 : 1024, 0};
        s->slot = calloc(s->size, sizeof *s->slot);
        if (!s->slot) abort();
        for (uint32_t i = 0; i < old.size; i++)
            if (old.slot[i]) (void)numbers_add(s, old.slot[i]);
        free(old.slot);
    }
    if (numbers_have(s, number)) return false;
    uint32_t i = (uint32_t)(number >> 20) & (s->size - 1);
    while (s->slot[i]) i = (i + 1) & (s->size - 1);
    s->slot[i] = number;
    s->count++;
    return true;
}

static void numbers_clear(numbers *s) {
    if (s->slot) memset(s->slot, 0, s->size * sizeof *s->slot);
    s->count = 0;
}

static bool numbers_within(const numbers *a, const numbers *b) {
    for (uint32_t i = 0; i < a->size; i++)
        if (a->slot[i] && !numbers_have(b, a->slot[i])) return false;
    return true;
}

/* What can be told of an execution that has ended. */
typedef struct outcome {
    uint8_t result[THREADS][OPS], variable[VARIABLES], stuck;
} outcome;

static uint64_t outcome_number(const outcome *o) { return hash_bytes(o, sizeof *o); }

/* ---- all orders ---- */

typedef struct enumeration {
    const program *p;
    numbers seen, outcomes;
    uint32_t states, most;
    bool late; /* time passes when nobody can do a step, and only then */
    bool cut;  /* there are more states than `most` */
} enumeration;

static void enumerate_from(enumeration *e, const state *s);

static const op *op_of(const enumeration *e, const state *s, uint32_t t) {
    return &e->p->op[t][s->at[t]];
}

/* Thread t has come to its next operation: how long that has is counted from here. */
static void arrive(const enumeration *e, state *s, uint32_t t) {
    const op *o = op_of(e, s, t);
    bool timed =
        o->kind == TIMEDLOCK || o->kind == SEMTIMED || o->kind == TIMEDWAIT || o->kind == SLEEP;
    s->phase[t] = READY;
    s->kept[t] = 0;
    s->until[t] = timed ? (uint8_t)(s->now + o->value) : 0;
}

/* It may not end by itself yet. */
static bool early(const enumeration *e, const state *s, uint32_t t) {
    return e->late && s->now < s->until[t];
}

static void passed(state *s, uint32_t t) {
    if (s->now < s->until[t]) s->now = s->until[t];
}

/* The operation is done, with this result. */
static void done(enumeration *e, state *s, uint32_t t, unsigned result) {
    s->result[t][s->at[t]] = (uint8_t)(result + 1);
    s->at[t]++;
    arrive(e, s, t);
    enumerate_from(e, s);
}

/* A lock operation that gives up: what it would have protected is left out. */
static void failed(enumeration *e, state *s, uint32_t t) {
    const op *o = op_of(e, s, t);
    s->result[t][s->at[t]] = 1;
    if (o->kind == TIMEDLOCK || o->kind == SEMTIMED) passed(s, t);
    s->at[t] = o->skip ? o->skip : (uint8_t)(s->at[t] + 1);
    arrive(e, s, t);
    enumerate_from(e, s);
}

static bool step_lock(enumeration *e, const state *from, uint32_t t) {
    state s = *from;
    const op *o = op_of(e, from, t);
    uint8_t me = (uint8_t)(t + 1);
    bool isfree, waits = false;
    switch (o->kind) {
    case LOCK: waits = true; /* fall through */
    case TRYLOCK:
    case TIMEDLOCK:
        isfree = !s.owner[o->what];
        s.owner[o->what] = isfree ? me : s.owner[o->what];
        break;
    case SPINLOCK: waits = true; /* fall through */
    case SPINTRY:
        isfree = !s.spin;
        s.spin = isfree ? me : s.spin;
        break;
    case RDLOCK: waits = true; /* fall through */
    case TRYRDLOCK:
        isfree = !s.writer;
        s.readers = (uint8_t)(s.readers + isfree);
        break;
    case WRLOCK: waits = true; /* fall through */
    case TRYWRLOCK:
        isfree = !s.writer && !s.readers;
        s.writer = isfree ? me : s.writer;
        break;
    case SEMWAIT: waits = true; /* fall through */
    default:
        isfree = s.sem[o->what] != 0;
        s.sem[o->what] = (uint8_t)(s.sem[o->what] - isfree);
        break;
    }
    if (!isfree && (waits || early(e, from, t))) return false;
    if (isfree)
        done(e, &s, t, 1);
    else
        failed(e, &s, t);
    return true;
}

static void step_unlock(enumeration *e, const state *from, uint32_t t) {
    state s = *from;
    const op *o = op_of(e, from, t);
    if (o->kind == UNLOCK) s.owner[o->what] = 0;
    if (o->kind == SPINUNLOCK) s.spin = 0;
    if (o->kind == RWUNLOCK && s.writer)
        s.writer = 0;
    else if (o->kind == RWUNLOCK)
        s.readers--;
    if (o->kind == SEMPOST) s.sem[o->what]++;
    done(e, &s, t, 0);
}

static bool step_wait(enumeration *e, const state *from, uint32_t t) {
    state s = *from;
    const op *o = op_of(e, from, t);
    if (s.phase[t] == READY) {
        s.owner[0] = 0;
        s.phase[t] = WAITING;
        enumerate_from(e, &s);
        return true;
    }
    if (s.phase[t] == WAITING) {
        if (o->kind != TIMEDWAIT || early(e, from, t)) return false;
        s.phase[t] = EXPIRED;
        enumerate_from(e, &s);
        return true;
    }
    if (s.owner[0]) return false;
    s.owner[0] = (uint8_t)(t + 1);
    if (s.phase[t] == EXPIRED) passed(&s, t);
    done(e, &s, t, s.phase[t] == NOTIFIED);
    return true;
}

static void step_wake(enumeration *e, const state *from, uint32_t t) {
    bool all = op_of(e, from, t)->kind == BROADCAST, any = false;
    state s = *from;
    for (uint32_t u = 0; u < e->p->threads; u++) {
        unsigned k = op_of(e, from, u)->kind;
        if (from->phase[u] != WAITING || (k != WAIT && k != TIMEDWAIT)) continue;
        if (!all) s = *from;
        s.phase[u] = NOTIFIED;
        any = true;
        if (!all) done(e, &s, t, 0);
    }
    if (all || !any) done(e, &s, t, 0);
}

static bool step_barrier(enumeration *e, const state *from, uint32_t t) {
    state s = *from;
    if (s.phase[t] == WAITING) return false;
    if (s.phase[t] == NOTIFIED) {
        done(e, &s, t, s.kept[t]);
        return true;
    }
    s.phase[t] = WAITING;
    if (++s.arrived == 2) {
        s.arrived = 0;
        s.kept[t] = 1;
        for (uint32_t u = 0; u < e->p->threads; u++)
            if (op_of(e, from, u)->kind == BARRIER && s.phase[u] == WAITING) s.phase[u] = NOTIFIED;
    }
    enumerate_from(e, &s);
    return true;
}

/* The function adds 1 to variable 1, in two steps. */
static bool step_once(enumeration *e, const state *from, uint32_t t) {
    state s = *from;
    switch (s.phase[t]) {
    case READY:
        if (s.once == 1) return false;
        if (s.once == 2) {
            done(e, &s, t, 0);
            return true;
        }
        s.once = 1;
        s.phase[t] = RUNS_ONCE;
        break;
    case RUNS_ONCE:
        s.kept[t] = s.variable[1];
        s.phase[t] = STORES_ONCE;
        break;
    default:
        s.variable[1] = (uint8_t)(s.kept[t] + 1);
        s.once = 2;
        done(e, &s, t, 0);
        return true;
    }
    enumerate_from(e, &s);
    return true;
}

static void step_plain(enumeration *e, const state *from, uint32_t t) {
    state s = *from;
    const op *o = op_of(e, from, t);
    unsigned result = 0;
    uint8_t *v = &s.variable[o->what];
    switch (o->kind) {
    case LOAD: result = *v; break;
    case STORE: *v = o->value; break;
    case ADD: result = *v, *v = (uint8_t)(*v + o->value); break;
    case CAS:
        result = *v == o->value;
        if (result) *v = (uint8_t)(o->value + 1);
        break;
    case SLEEP: passed(&s, t); break;
    case CLOCK: result = s.now; break;
    case CHOOSE:
        done(e, &s, t, 1);
        s = *from;
        break;
    default: break;
    }
    done(e, &s, t, result);
}

/* Thread t does its next step in every way; false: it can't. */
static bool step(enumeration *e, const state *s, uint32_t t) {
    switch (op_of(e, s, t)->kind) {
    case END: return false;
    case UNLOCK:
    case SPINUNLOCK:
    case RWUNLOCK:
    case SEMPOST: step_unlock(e, s, t); return true;
    case WAIT:
    case TIMEDWAIT: return step_wait(e, s, t);
    case SIGNAL:
    case BROADCAST: step_wake(e, s, t); return true;
    case BARRIER: return step_barrier(e, s, t);
    case ONCE: return step_once(e, s, t);
    case LOCK:
    case TRYLOCK:
    case TIMEDLOCK:
    case SPINLOCK:
    case SPINTRY:
    case RDLOCK:
    case TRYRDLOCK:
    case WRLOCK:
    case TRYWRLOCK:
    case SEMWAIT:
    case SEMTRY:
    case SEMTIMED: return step_lock(e, s, t);
    case SLEEP:
        if (early(e, s, t)) return false; /* fall through */
    default: step_plain(e, s, t); return true;
    }
}

/* Nobody can do a step: the next of those that end by themselves does. */
static bool time_passes(enumeration *e, const state *from) {
    state s = *from;
    uint8_t next = 0;
    for (uint32_t t = 0; e->late && t < e->p->threads; t++)
        if (op_of(e, &s, t)->kind != END && s.until[t] > s.now && s.phase[t] <= WAITING &&
            (!next || s.until[t] < next))
            next = s.until[t];
    if (!next) return false;
    s.now = next;
    enumerate_from(e, &s);
    return true;
}

static void enumerate_from(enumeration *e, const state *s) {
    if (e->cut || !numbers_add(&e->seen, hash_bytes(s, sizeof *s))) return;
    if (++e->states > e->most) {
        e->cut = true;
        return;
    }
    for (uint32_t t = 0; t < e->p->threads; t++)
        if (op_of(e, s, t)->kind == CHOOSE) { /* no step: who comes to it has chosen */
            step_plain(e, s, t);
            return;
        }
    bool went = false, ended = true;
    for (uint32_t t = 0; t < e->p->threads; t++) {
        went |= step(e, s, t);
        ended &= op_of(e, s, t)->kind == END;
    }
    if (went || time_passes(e, s)) return;
    outcome o;
    memset(&o, 0, sizeof o);
    memcpy(o.result, s->result, sizeof o.result);
    memcpy(o.variable, s->variable, sizeof o.variable);
    o.stuck = !ended;
    (void)numbers_add(&e->outcomes, outcome_number(&o));
}

/* All outcomes of a program; false: it has too many states. */
static bool enumerate(enumeration *e, const program *p, uint32_t most) {
    state s;
    memset(&s, 0, sizeof s);
    numbers_clear(&e->seen);
    numbers_clear(&e->outcomes);
    e->p = p;
    e->states = 0;
    e->most = most;
    e->cut = false;
    s.sem[1] = 1;
    for (uint32_t t = 0; t < p->threads; t++) arrive(e, &s, t);
    enumerate_from(e, &s);
    return !e->cut;
}
#endif

/* mem/threads.h: what threads know of each other, and the messages that tell it.
 *
 * A thread's knowledge has three parts, which travel together:
 *   clock  happens-before: how far every other thread's operations happen before its next one;
 *   seen   coherence that seq_cst fences add (RC11's psc): as `clock`, and never behind it.  It is
 *          empty, and `clock` stands for it, until a seq_cst fence is in the thread's past;
 *   fence  the time of the latest seq_cst fence that happens before, 0 if there is none.
 *
 * Invariants.  A thread's own component grows at every message it sends and nowhere else, so there
 * is one message to each value, and whoever knows component k of thread u knows all that u knew
 * when it sent message k: such a message need not be joined again.  A thread's own component stands
 * apart from its vector, which is then only as long as the highest thread it has heard of.
 */
#ifndef RFI_MEM_THREADS_H
#define RFI_MEM_THREADS_H
#include "mem/clock.h"

#ifdef RFI_IMPL
/* What is known to who receives it. */
typedef struct rfi_message {
    rfi_clock clock, seen;
    uint32_t from, k; /* its one sender, with the sender's own component; k = 0: several senders */
    uint32_t fence;
} rfi_message;

/* A thread of the model. */
typedef struct rfi_actor {
    uint32_t own;        /* C[t][t] */
    uint32_t fence;      /* as above */
    uint32_t version;    /* counts what it has learned */
    uint32_t next_spare; /* thread + 1 */
    bool ended;
    rfi_clock clock, seen;  /* C[t][u] of the others */
    rfi_message released;   /* Crel[t]: at its last release fence */
    rfi_message acquirable; /* Cacq[t]: what an acquire fence would obtain */
} rfi_actor;

typedef struct rfi_actors {
    rfi_actor *thread;
    uint32_t count, capacity;
    uint32_t spare; /* joined thread + 1 whose vectors can be used again */
    rfi_arena arena;
} rfi_actors;

RFI_FN void rfi_actors_reset(rfi_actors *m) {
    rfi_arena_reset(&m->arena);
    m->count = m->spare = 0;
}

RFI_FN void rfi_actors_free(rfi_actors *m) {
    rfi_arena_free(&m->arena);
    RFI_REAL(free)(m->thread);
    *m = (rfi_actors){0};
}

/* Thread `t`.  If it is new the others may move: pointers to them are stale then. */
RFI_INLINE rfi_actor *rfi_actor_of(rfi_actors *m, uint32_t t) {
    if (RFI_UNLIKELY(t >= m->count)) {
        m->thread = rfi_grow(m->thread, &m->capacity, t + 1, sizeof *m->thread);
        for (; m->count <= t; m->count++) {
            rfi_zero(&m->thread[m->count], sizeof *m->thread);
            m->thread[m->count].own = 1;
        }
    }
    return &m->thread[t];
}

/* What orders a thread's next access after others: S[t], or C[t] while they are the same. */
RFI_INLINE const rfi_clock *rfi_actor_seen(const rfi_actor *a) {
    return a->seen.n ? &a->seen : &a->clock;
}

/* `seen` := `seen` join (b_seen, or b_clock for it); an empty `seen` stands for `clock`. */
RFI_FN void rfi_seen_join(rfi_clock *seen, const rfi_clock *clock, const rfi_clock *b_seen,
                          const rfi_clock *b_clock, rfi_arena *arena) {
    if (!seen->n && !b_seen->n) return;
    if (!seen->n) rfi_clock_copy(seen, clock, arena);
    rfi_clock_join(seen, b_seen->n ? b_seen : b_clock, arena);
}

/* Thread `t` stamps what it sends with its own component and goes on to the next. */
RFI_INLINE uint32_t rfi_stamp(rfi_actors *m, rfi_clock *clock, rfi_clock *seen, uint32_t t) {
    uint32_t k = rfi_actor_of(m, t)->own++;
    rfi_clock_reserve(clock, t + 1, &m->arena);
    clock->c[t] = k;
    if (seen->n) {
        rfi_clock_reserve(seen, t + 1, &m->arena);
        seen->c[t] = k;
    }
    return k;
}

/* m := what `t` knows; then inc(C[t]) */
RFI_FN void rfi_message_send(rfi_actors *m, uint32_t t, rfi_message *to) {
    const rfi_actor *a = rfi_actor_of(m, t);
    rfi_clock_copy(&to->clock, &a->clock, &m->arena);
    to->seen.n = 0;
    if (a->seen.n) rfi_clock_copy(&to->seen, &a->seen, &m->arena);
    to->fence = a->fence;
    to->from = t;
    to->k = rfi_stamp(m, &to->clock, &to->seen, t);
}

/* a := a join b, for messages and what is like them */
RFI_FN void rfi_message_join(rfi_message *a, const rfi_message *b, rfi_arena *arena) {
    rfi_seen_join(&a->seen, &a->clock, &b->seen, &b->clock, arena);
    rfi_clock_join(&a->clock, &b->clock, arena);
    if (b->fence > a->fence) a->fence = b->fence;
    a->k = 0;
}

RFI_FN void rfi_message_copy(rfi_message *a, const rfi_message *b, rfi_arena *arena) {
    rfi_clock_copy(&a->clock, &b->clock, arena);
    a->seen.n = 0;
    if (b->seen.n) rfi_clock_copy(&a->seen, &b->seen, arena);
    a->fence = b->fence;
    a->from = b->from;
    a->k = b->k;
}

/* m := m join what `t` knows; then inc(C[t]) */
RFI_FN void rfi_message_add(rfi_actors *m, uint32_t t, rfi_message *to) {
    const rfi_actor *a = rfi_actor_of(m, t);
    rfi_seen_join(&to->seen, &to->clock, &a->seen, &a->clock, &m->arena);
    rfi_clock_join(&to->clock, &a->clock, &m->arena);
    if (a->fence > to->fence) to->fence = a->fence;
    rfi_stamp(m, &to->clock, &to->seen, t);
    to->k = 0;
}

RFI_INLINE bool rfi_message_any(const rfi_message *b) { return b->clock.n; }

RFI_INLINE void rfi_message_clear(rfi_message *b) {
    b->clock.n = b->seen.n = b->fence = b->from = b->k = 0;
}

/* Thread `t`, which is `a`, knows already all that `b` could tell it. */
RFI_INLINE bool rfi_actor_has(const rfi_actor *a, uint32_t t, const rfi_message *b) {
    if (!b->k) return rfi_clock_below(&b->clock, &a->clock, t); /* all that was sent to it */
    return b->from == t || rfi_clock_get(&a->clock, b->from) >= b->k;
}

/* C[t] := C[t] join b, now or, if the read that brings it does not acquire, at the next acquire
 * fence. */
RFI_FN RFI_APART void rfi_actor_get(rfi_actors *m, uint32_t t, const rfi_message *b, bool now) {
    rfi_actor *a = rfi_actor_of(m, t);
    if (!now) {
        if (!b->k || rfi_clock_get(&a->acquirable.clock, b->from) < b->k)
            rfi_message_join(&a->acquirable, b, &m->arena);
        return;
    }
    rfi_seen_join(&a->seen, &a->clock, &b->seen, &b->clock, &m->arena);
    rfi_clock_join(&a->clock, &b->clock, &m->arena);
    if (b->fence > a->fence) a->fence = b->fence;
    a->version++;
}

/* The same, if that is anything new. */
RFI_FN void rfi_actor_hear(rfi_actors *m, uint32_t t, const rfi_message *b, bool now) {
    if (rfi_message_any(b) && !rfi_actor_has(rfi_actor_of(m, t), t, b)) rfi_actor_get(m, t, b, now);
}

/* What `t` gets with a message. */
RFI_INLINE void rfi_actor_receive(rfi_actors *m, uint32_t t, const rfi_message *b) {
    rfi_actor_hear(m, t, b, true);
}

/* A message from `t` that `u`, which stands still, receives at once. */
RFI_FN void rfi_actor_pass(rfi_actors *m, uint32_t t, uint32_t u) {
    rfi_actor_of(m, t > u ? t : u);
    rfi_actor *from = &m->thread[t], *to = &m->thread[u];
    rfi_seen_join(&to->seen, &to->clock, &from->seen, &from->clock, &m->arena);
    rfi_clock_join(&to->clock, &from->clock, &m->arena);
    if (from->fence > to->fence) to->fence = from->fence;
    rfi_stamp(m, &to->clock, &to->seen, t);
    to->version++;
}

/* `parent` starts `child`.  A new thread takes over the vectors of one that was joined: one after
 * the other costs no more memory than one. */
RFI_FN void rfi_actor_fork(rfi_actors *m, uint32_t parent, uint32_t child) {
    rfi_actor *to = rfi_actor_of(m, child);
    if (m->spare && !to->clock.c) {
        rfi_actor *dead = &m->thread[m->spare - 1];
        m->spare = dead->next_spare;
        to->clock = dead->clock;
        to->seen = dead->seen;
        to->clock.n = to->seen.n = 0;
        dead->clock = dead->seen = (rfi_clock){0};
    }
    rfi_actor_pass(m, parent, child);
}

RFI_FN void rfi_actor_join(rfi_actors *m, uint32_t t, uint32_t other) {
    rfi_actor_pass(m, other, t);
    rfi_actor *dead = &m->thread[other];
    dead->ended = true;
    dead->next_spare = m->spare;
    m->spare = other + 1;
}

/* ---- fences ---- */

RFI_INLINE bool rfi_acquires(int order) {
    return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE && order >= 0;
}

RFI_INLINE bool rfi_releases(int order) { return order >= __ATOMIC_RELEASE; }

/* What an acquire fence obtains, it now has. */
RFI_FN void rfi_actor_acquire_fence(rfi_actors *m, uint32_t t) {
    rfi_actor *a = rfi_actor_of(m, t);
    rfi_actor_receive(m, t, &a->acquirable);
    rfi_message_clear(&a->acquirable);
}
#endif
#endif

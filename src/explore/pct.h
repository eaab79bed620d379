/* explore/pct.h: PCT (Burckhardt, Kothari, Musuvathi and Nagarakatte, "A randomized scheduler with
 * probabilistic guarantees of finding bugs", ASPLOS 2010).
 *
 * Each thread has a random priority; the enabled thread with the highest runs.  After each of d -
 * 1 steps (d: parameter, the depth; 3), drawn from 1 to k, the thread that made it drops below all
 * initial priorities.  Guarantee: a bug of depth d (d orderings between steps force it) is found
 * with probability at least 1 / (n k^(d-1)) in an execution of at most n threads and k steps.
 *
 * k is the length of the longest execution from which has been learned, times 1.2, and goes into
 * the token.  The initial priorities are independent draws, so a new thread may get any rank.  A
 * thread that spins, or runs for too long, drops below all others: otherwise what it waits for
 * might never happen.  That, and an execution longer than k, voids the guarantee.
 */
#ifndef RFI_EXPLORE_PCT_H
#define RFI_EXPLORE_PCT_H
#include "explore/candidates.h"

#ifdef RFI_IMPL
# define RFI_PCT_DEEPEST  32u
# define RFI_PCT_STEPS    100u  /* k while nothing has been learned */
# define RFI_PCT_PATIENCE 5000u /* steps of a thread in a row, while others could go on */
# define RFI_PCT_YIELDS   8u    /* of a thread, until each further one puts it below the others */
# define RFI_PCT_INITIAL  (INT64_C(1) << 62) /* the least initial priority */

typedef struct rfi_pct_state {
    rf_prng stream;
    uint64_t steps, next;             /* of the next step after which something changes */
    uint64_t vain;                    /* steps of threads that went on and on */
    uint64_t since;                   /* the last thread has made all steps after this one; */
    uint64_t run;                     /* so many of them while others could go on */
    uint64_t change[RFI_PCT_DEEPEST]; /* change[i]: this step leaves its thread priority d - i */
    int64_t lowest;                   /* of those that spin */
    int64_t *priority;                /* by thread */
    uint32_t *yields;                 /* by thread */
    uint32_t known, priorities, counts;
} rfi_pct_state;

RFI_VAR rfi_pct_state rfi_pct_of;
RFI_VAR uint32_t rfi_pct_depth = 3;
RFI_VAR uint32_t rfi_pct_learned; /* k; 0: nothing */

RFI_FN void rfi_pct_find_next(void) {
    rfi_pct_state *p = &rfi_pct_of;
    p->next = UINT64_MAX;
    for (uint32_t i = 1; i < rfi_pct_depth; i++)
        if (p->change[i] > p->steps && p->change[i] < p->next) p->next = p->change[i];
}

/* Its bytes but for the zeros at the end: tokens are short. */
RFI_FN void rfi_pct_tell(uint32_t k) {
    uint8_t byte[4];
    uint32_t n = 0;
    for (; k; k >>= 8) byte[n++] = (uint8_t)k;
    if (n) (void)rf_used(byte, n);
}

RFI_FN void rfi_pct_begin(uint64_t seed) {
    rfi_pct_state *p = &rfi_pct_of;
    uint32_t k = rfi_pct_learned ? rfi_pct_learned : RFI_PCT_STEPS;
    p->stream = (rf_prng){seed};
    p->steps = p->vain = p->since = p->run = 0;
    p->lowest = 0;
    p->known = 0;
    for (uint32_t i = 1; i < rfi_pct_depth; i++) p->change[i] = 1 + rfi_below(&p->stream, k);
    rfi_pct_find_next();
    rfi_pct_tell(rfi_pct_learned);
}

RFI_FN RFI_COLD void rfi_pct_meet(uint32_t threads) {
    rfi_pct_state *p = &rfi_pct_of;
    p->priority = rfi_grow(p->priority, &p->priorities, threads, sizeof *p->priority);
    p->yields = rfi_grow(p->yields, &p->counts, threads, sizeof *p->yields);
    for (; p->known < threads; p->known++) {
        p->priority[p->known] = RFI_PCT_INITIAL | (int64_t)(rfi_draw(&p->stream) >> 2);
        p->yields[p->known] = 0;
    }
}

/* Does the thread of the last step wait for others, in a loop? */
RFI_INLINE bool rfi_pct_waits(uint32_t t) {
    rfi_pct_state *p = &rfi_pct_of;
    unsigned kind = rf_next_event(t)->kind;
    if (RFI_UNLIKELY(kind == RF_EV_YIELD || kind == RF_EV_SLEEP) && ++p->yields[t] > RFI_PCT_YIELDS)
        return true;
    return RFI_UNLIKELY(p->run >= RFI_PCT_PATIENCE) || rf_thread_spins(t);
}

/* Thread `t` makes the step with number p->next. */
RFI_FN void rfi_pct_change(uint32_t t) {
    rfi_pct_state *p = &rfi_pct_of;
    for (uint32_t i = 1; i < rfi_pct_depth; i++)
        if (p->change[i] == p->steps) p->priority[t] = rfi_pct_depth - i;
    rfi_pct_find_next();
}

RFI_FN uint32_t rfi_pct_pick(const rf_choice *c) {
    rfi_pct_state *p = &rfi_pct_of;
    uint32_t threads = rf_threads();
    if (RFI_UNLIKELY(p->known < threads)) rfi_pct_meet(threads);
    if (RFI_UNLIKELY(rfi_pct_waits(c->last))) {
        p->priority[c->last] = --p->lowest;
        if (p->run >= RFI_PCT_PATIENCE) p->vain += p->steps - p->since;
        p->run = 0;
        p->since = p->steps;
    }
    uint32_t t = rfi_highest(c, p->priority);
    if (t != c->last) {
        p->run = 0;
        p->since = p->steps;
    } else {
        p->run += c->count > 1;
    }
    if (RFI_UNLIKELY(++p->steps == p->next)) rfi_pct_change(t);
    return t;
}

/* Polling has no length of its own: with it, k would make the changes as rare as it likes. */
RFI_FN void rfi_pct_end(void) {
    uint64_t steps = rfi_pct_of.steps - rfi_pct_of.vain;
    (void)rf_teach(&steps, sizeof steps);
}

RFI_FN void rfi_pct_forget(void) { rfi_pct_learned = 0; }

RFI_FN void rfi_pct_learn(const void *lesson, size_t bytes) {
    uint64_t steps;
    if (bytes != sizeof steps) return; /* the execution did not come to its end */
    memcpy(&steps, lesson, bytes);
    uint64_t k = steps + (steps + 4) / 5;
    if (k > rfi_pct_learned) rfi_pct_learned = k < UINT32_MAX ? (uint32_t)k : UINT32_MAX;
}

RFI_FN void rfi_pct_recall(const void *used, size_t bytes) {
    const uint8_t *byte = used;
    rfi_pct_learned = 0;
    for (size_t i = 0; i < bytes && i < 4; i++) rfi_pct_learned |= (uint32_t)byte[i] << 8 * i;
}

RFI_VAR rf_strategy rfi_pct = {.name = "pct",
                               .help = "random priorities, changed at random steps",
                               .begin = rfi_pct_begin,
                               .pick = rfi_pct_pick,
                               .end = rfi_pct_end,
                               .lone = true,
                               .parameter = &rfi_pct_depth,
                               .least = 1,
                               .most = RFI_PCT_DEEPEST,
                               .of_parameter = "depth",
                               .forget = rfi_pct_forget,
                               .learn = rfi_pct_learn,
                               .lesson = sizeof(uint64_t),
                               .recall = rfi_pct_recall};
#endif
#endif

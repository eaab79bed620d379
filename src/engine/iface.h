/* engine/iface.h: the three interfaces (docs/inside/internals.md, Extension).
 *
 * An analysis sees every event; a checker decides at a breakpoint who is paused; a strategy picks
 * the next thread.  Everything built in is written against these structs and uses nothing more of
 * the engine than the functions declared here and the shared trackers (engine/order.h,
 * detect/lockset.h); some of it by the inlined forms that stand at the end.
 *
 * Callbacks never run two at a time.  They run on the stack of the thread that executes or
 * announces, must not use RF_ macros, and depend on nothing but what the interface tells them.
 */
#ifndef RFI_ENGINE_IFACE_H
#define RFI_ENGINE_IFACE_H
#include "base/prng.h"
#include "engine/event.h"
#include "engine/verdict.h"
#include "engine/warning.h"

/* Sees the events of an execution in their order, each exactly once, as it executes: an acquisition
 * when the thread has the lock, a release when it has it no more and nobody else has taken it. */
typedef struct rf_analysis {
    const char *name;
    const char *help;    /* one line for --help */
    uint64_t events;     /* RF_EV_BIT()s of the kinds it wants */
    uint64_t wakes;      /* not 0: unless the first executions had one of these kinds, it gets none
                            of an execution before the first of them */
    void (*begin)(void); /* optional: an execution begins */
    void (*event)(const rf_event *e);
    void (*end)(void); /* optional: it has ended, well or not; nothing can be asked any more */
    /* Optional, for speed: takes a plain access that is not scheduled, instead of its event; false:
     * it wants the event after all.  Used while all who see accesses have the same function. */
    bool (*access)(uint32_t thread, const rf_site *site, const void *addr, size_t size,
                   bool writes);
    const struct rf_analysis *rfi_by; /* of what is built in: if this one, before it, is on, that
                                         gets the events of both */
} rf_analysis;

/* What a strategy may choose from. */
typedef struct rf_choice {
    uint32_t count;          /* number of candidates, at least 1 */
    uint32_t last;           /* the thread of the previous step, candidate or not */
    const uint64_t *rfi_set; /* bit set by thread number */
    uint32_t rfi_words;
} rf_choice;

/* How far a search through everything is. */
typedef struct rfi_extent {
    bool certain;    /* it has left out nothing so far, */
    bool once;       /* but for what fails, or ends by itself, twice in a row; */
    bool sc;         /* under sequentially consistent memory */
    uint32_t open;   /* in so many places it has begun something and is not done with it */
    uint64_t number; /* as its executions have it (rfi_record) */
} rfi_extent;

/* Picks the next thread among the candidates: enabled, not paused, not held back as a spinner. */
typedef struct rf_strategy {
    const char *name;
    const char *help;
    void (*begin)(uint64_t seed);            /* optional: an execution begins; `seed` starts a
                                                stream of its own: rf_prng chance = {seed} */
    uint32_t (*pick)(const rf_choice *c);    /* returns a candidate's number; not called when
                                                there is only one */
    void (*announced)(const rf_event *next); /* optional: a thread has a new next operation */
    void (*executed)(const rf_event *e);     /* optional: it was executed; not told of what was not
                                                announced: events that are no scheduling points */
    void (*end)(void);                       /* optional */
    bool lone;                               /* pick() is called for a single candidate too */
    rf_prng *rfi_uniform;                    /* of what is built in: each with the same
                                                probability, by this stream, without a call */
    uint64_t events;                         /* RF_EV_BIT()s of the kinds that event() gets, */
    void (*event)(const rf_event *e);        /* scheduling points or not, as they happen */
    /* Optional: a choice that is not one of threads, from 0 to n - 1: RF_CHOOSE; whom a signal
     * wakes (as the last choice: nobody, if all who wait have just timed out); whether (1) a wait
     * has timed out before a broadcast.  Otherwise it is drawn. */
    uint32_t (*choose)(uint32_t n);
    /* Optional: what RF_CHOOSE(n) is to give a thread, instead of what it would. */
    uint32_t (*input)(uint32_t thread, uint32_t n, uint32_t usual);
    uint32_t *parameter;  /* optional: a number that users give as NAME:N; set before begin(); */
    uint32_t least, most; /* from least to most, both included; what it holds at the start of the */
    const char *of_parameter; /* program is the default.  What it is, for --help: "depth" */
    /* Of a strategy that learns from earlier executions of the same test.  Executions run in
     * batches, in several processes; what each of them has taught (rf_teach) is learned when all of
     * its batch have ended, in the order of their numbers, however they ended.  begin, pick and the
     * like must not change what has been learned.  A replay is given what its execution used. */
    void (*forget)(void);                            /* nothing has been learned: a test begins */
    void (*learn)(const void *lesson, size_t bytes); /* of one execution */
    uint32_t lesson; /* no execution teaches more bytes than this; 0: RF_LESSON_BYTES.  The less,
                        the longer batches may be */
    void (*recall)(const void *used, size_t bytes); /* before begin() of a replay: all that the
                                                       execution has passed to rf_used */
    bool serial;                  /* batches of one: each execution follows from all before it */
    void (*repeats)(void);        /* optional, of one that goes through all choices: a spinner
                                     has run on since choose(2) gave 1, and has not given up; so
                                     this execution shows nothing that another does not */
    bool (*exhausted)(void);      /* optional: there is no further execution */
    uint64_t (*left)(void);       /* optional, of one that goes through everything: about how many
                                     further executions there are; 0: all have been made, and that
                                     they are all is certain; UINT64_MAX: it will not be;
                                     RF_LEFT_UNKNOWN: ask when there have been as many again;
                                     RF_LEFT_SAID: all have been made, but for what it says */
    const char *(*summary)(void); /* optional: one sentence about how far it has come, for the
                                     report; NULL: nothing to say */
    bool threads;                 /* it runs on real threads, whatever options say */
    bool whole; /* choose() also tells what is drawn otherwise: which of the values that an atomic
                   read may return (0: the newest), whether something happens spuriously */
    uint32_t (*rfi_fewer)(void); /* optional, of what is built in: all schedules with fewer
                                    preemptions than so many have been executed */
    bool rfi_reduces; /* of what is built in: operations of two threads that do not meet may be
                         exchanged, and it leaves one of the orders out */
    /* Of what is built in and serial: into how many parts, which don't depend on each other, the
     * next of at most so many executions can be divided, and how many of them each has; 0: they
     * can't, for so many.  Then: what is run or learned next is part 1, 2, ...; 0: all of it. */
    uint32_t (*rfi_divide)(uint64_t executions, uint64_t *each);
    void (*rfi_part)(uint32_t number);
    rfi_extent (*rfi_reached)(void); /* of the same: how far it is */
    /* Of one that can be divided: it is what process `shard` of `shards` is to do, as all of them
     * are told; how far it is, as bytes that stay until the next call; it is so far. */
    void (*rfi_shard)(uint32_t shard, uint32_t shards);
    uint32_t (*rfi_keeps)(const uint8_t **bytes);
    void (*rfi_go_on)(const uint8_t *bytes, uint32_t n);
    bool rfi_c11; /* of what is built in and serial: it knows more than sc, if c11 is asked for by
                     name; choose() is then as for `whole` */
    void (*rfi_stuck)(void); /* of what is built in: nobody can go on, which it may not let be */
    bool values; /* it knows memory itself: before pick() returns it puts there what the thread's
                    next operation is to find */
    /* Of such a one, where handlers are a part of their threads (hook/catches.h): how many events
     * a thread has made, and 1 more; could the handler that runs have come when it was so many? */
    uint32_t (*rfi_made)(uint32_t t);
    bool (*rfi_struck)(uint32_t t, uint32_t made);
} rf_strategy;

/* CalFuzzer's active checker (Joshi et al., CAV 2009, Algorithm 1).
 * check() runs when the strategy has picked a thread whose next operation is a breakpoint; it calls
 * the rf_check_ functions below; unless it paused the thread, the operation executes. */
typedef struct rf_checker {
    const char *name;
    const char *help;
    unsigned confirms; /* RF_FAMILY_BIT()s of the warnings it is directed at, one in each
                          execution; 0: it has no target */
    const char *of;    /* only of those that this analysis reports; NULL: of all */
    bool at_sites;     /* its targets are keys of statements: their accesses are scheduled, also
                          with coarse granularity */
    bool fine;         /* its executions are fine-grained unless options say otherwise */
    uint64_t events;   /* RF_EV_BIT()s of the kinds that event() gets */
    void (*begin)(uint64_t seed); /* optional: an execution begins; `seed` as for strategies */
    bool (*is_breakpoint)(const rf_event *next); /* pure */
    void (*check)(const rf_event *next);
    void (*event)(const rf_event *e); /* optional: an operation was executed */
    /* optional: these threads can't go on, and the execution ends here: each wants a lock that the
     * next one holds (`cycle`; recognised when the last of them asks for its lock, even if others
     * could still run), or nobody is left to wake them */
    void (*stuck)(const uint32_t *thread, uint32_t count, bool cycle);
    void (*end)(void); /* optional */
} rf_checker;

#define RF_LEFT_UNKNOWN (UINT64_MAX - 1)
#define RF_LEFT_SAID    (UINT64_MAX - 2)

enum { RF_LESSON_BYTES = 65536, RF_USED_BYTES = 24576 };

RFI_EXTERN_C_BEGIN
/* The i-th candidate in ascending order of thread numbers. */
uint32_t rf_choice_at(const rf_choice *c, uint32_t i);
bool rf_choice_has(const rf_choice *c, uint32_t thread);
/* For a strategy with .threads: the candidate that the machine offers, never the same way twice: it
 * must be noted (rf_used) and repeated (recall).  On fibers nobody but the thread of the last step,
 * or the next higher candidate. */
uint32_t rf_choice_offered(const rf_choice *c);

/* The next 64 bits of a stream; a number below n (n >= 1), all with the same probability; true with
 * probability 1/2. */
uint64_t rf_random(rf_prng *r);
uint32_t rf_random_below(rf_prng *r, uint32_t n);
bool rf_random_coin(rf_prng *r);

/* Adds to what the running execution teaches; once learned, it is passed to learn() as one piece.
 * False: there is no room (RF_LESSON_BYTES for each execution), or nobody learns now. */
bool rf_teach(const void *bytes, size_t n);
/* Adds to what the running execution has used of what had been learned: it goes into its token, so
 * it should be short.  False: there is no room (RF_USED_BYTES). */
bool rf_used(const void *bytes, size_t n);

/* Has chance had a part in this execution, beside what the strategy has drawn itself? */
bool rf_drawn(void);

/* From begin(): in this execution the first in `order` goes on that can, also as a spinner, then
 * those that do not stand there, ascending.  pick() is called all the same, and its answer counts
 * when half of the steps are used up.  `order` stays until the end. */
void rf_run_serially(const uint32_t *order, uint32_t n);

/* In end(): what has ended the execution; RF_DIAG_NONE: nothing but its threads. */
rf_diagnostic rf_failed(void);
/* Is some RF_INVARIANT in force?  Then the state after each step is looked at. */
bool rf_invariants(void);

/* Do these operations, of one execution, not commute?  They are of one thread, touch the same bytes
 * and one of them writes, or use the same synchronisation object (unless both only share it), or
 * one frees the memory where it lies; or one joins the other's thread; or one looks at the clock
 * that the other may move. */
bool rf_events_depend(const rf_event *a, const rf_event *b);
/* Does this operation look at the virtual clock, may it move it?  Sleeps move it, and what may time
 * out.  One that looks commutes with none that moves it. */
bool rf_reads_clock(const rf_event *e);
bool rf_moves_clock(const rf_event *e);
/* Does it take the only core, or give it back (a strike, its end, a mask)?  Then it commutes with
 * no operation of others. */
bool rf_moves_core(const rf_event *e);
/* Would these accesses race if nothing orders them?  The ranges overlap, one of them writes, not
 * both are atomic, and neither is marked as an intended race.  So does the making or the end of an
 * object beside an operation on it. */
bool rf_events_conflict(const rf_event *a, const rf_event *b);
/* The announced operation of a thread; of one that has ended, its last; NULL: there is no such
 * thread. */
const rf_event *rf_next_event(uint32_t thread);

/* The number of the series of executions that is running: in all of one the same analyses run.  0:
 * there is none. */
uint32_t rf_series(void);
/* Threads so far in this execution; their numbers are below. */
uint32_t rf_threads(void);
/* Has thread `t` begun and not ended? */
bool rf_thread_alive(uint32_t t);
/* Could its announced operation complete now? */
bool rf_thread_enabled(uint32_t t);
/* Is it held back as a spinner, until another thread has made a step?  Until one has changed what
 * it looks at, since it would only do again what it has done? */
bool rf_thread_spins(uint32_t t);
bool rf_thread_awaits(uint32_t t);
/* Does its operation end by itself, at a time that has not come? */
bool rf_thread_due(uint32_t t);
/* The thread that created it; of thread 0, and of none, UINT32_MAX. */
uint32_t rf_thread_creator(uint32_t t);
/* A number, never 0, that is the same for the thread in every execution: from which child of which
 * parent it is. */
uint64_t rf_thread_key(uint32_t t);
/* The locks that it holds, in the order in which it took them: at most `most` are written, the
 * number of all is returned. */
uint32_t rf_thread_locks(uint32_t t, rf_lock *lock, uint32_t most);
/* Where an object was initialised, or first used if it has a static initialiser; and its name. NULL
 * if there is no such object. */
const rf_site *rf_object_site(uint32_t object);
const char *rf_object_name(uint32_t object);
/* Where it lies in memory; NULL if there is no such object. */
const void *rf_object_address(uint32_t object);
/* The statement that allocated the block of RF_MALLOC that p lies in, and the thread; NULL if p
 * lies in none of this execution.  Freed ones count. */
const rf_site *rf_block_site(const void *p, uint32_t *thread);
/* The number of that block, in the order of allocation from 1; 0: it lies in none. */
uint32_t rf_block_number(const void *p);
/* Was it initialised by an rf_..._init call? */
bool rf_object_made(uint32_t object);
/* Is it a mutex, a read-write lock or a spin lock?  (A thread that waits for a semaphore has
 * announced RF_EV_LOCK too.) */
bool rf_object_is_lock(uint32_t object);

/* The targets that the checker is directed at; *count is 0 if there are none. */
const uint64_t *rf_check_targets(uint32_t *count);
/* From check(): the thread under check stays where it is. */
void rf_check_pause(void);
/* The same for at most so many decisions, less if everybody else is paused or waits; then it
 * executes when it is picked, without a check. */
void rf_check_pause_for(uint32_t decisions);
/* What the checker is directed at has been produced; `b` may be NULL.  The execution counts as a
 * hit, and a failure after it as its doing. */
void rf_check_hit(const rf_event *a, const rf_event *b);
/* A paused thread goes back to normal scheduling. */
void rf_check_release(uint32_t thread);
/* A paused thread executes its operation next, before any other choice; in the order of the calls.
 */
void rf_check_run(uint32_t thread);
/* Calls fn for every paused thread, ascending; fn may release it. */
void rf_check_each_paused(void (*fn)(uint32_t thread, void *arg), void *arg);
/* The schedule's stream. */
rf_prng *rf_check_random(void);
RFI_EXTERN_C_END

#ifdef RFI_IMPL
/* ---- for a strategy with .values that is built in (given.h) ---- */

/* A compare-exchange that has been announced. */
typedef struct rfi_compare {
    const void *expected, *desired;
    uint8_t failure;
    bool weak, fails; /* fails: whatever it finds */
} rfi_compare;

uint64_t rf_random(rf_prng *r) { return rfi_draw(r); }
uint32_t rf_random_below(rf_prng *r, uint32_t n) { return rfi_below(r, n); }
bool rf_random_coin(rf_prng *r) { return rfi_coin(r); }

RFI_FN bool rfi_object_conflict(const rf_event *a, const rf_event *b) {
    unsigned on = rfi_event_on_object(a), by = rfi_event_on_object(b);
    const char *p = a->addr ? a->addr : rf_object_address(a->object);
    const char *q = b->addr ? b->addr : rf_object_address(b->object);
    if (a->kind == RF_EV_FREE) return by && q >= p && q < p + a->size;
    if (b->kind == RF_EV_FREE) return on && p >= q && p < q + b->size;
    return on && by && (on | by) & RF_EV_WRITES && p == q && p;
}

bool rf_events_conflict(const rf_event *a, const rf_event *b) {
    return rfi_event_conflict(a, b) || rfi_object_conflict(a, b);
}

/* rf_thread_key: of the first thread; of the n-th child (from 1) of the thread with this key. */
# define RFI_FIRST_KEY UINT64_C(1)

RFI_INLINE uint64_t rfi_key_of_child(uint64_t key, uint32_t n) { return rfi_mix(key + n) | 1; }

/* ---- sets of threads ---- */

RFI_INLINE bool rfi_in(const uint64_t *set, uint32_t t) { return set[t / 64] >> (t % 64) & 1; }
RFI_INLINE void rfi_put(uint64_t *set, uint32_t t) { set[t / 64] |= UINT64_C(1) << (t % 64); }
RFI_INLINE void rfi_take(uint64_t *set, uint32_t t) { set[t / 64] &= ~(UINT64_C(1) << (t % 64)); }

RFI_INLINE uint32_t rfi_bits(uint64_t x) {
    uint64_t more = x & (x - 1), rest = more & (more - 1);
    if (RFI_LIKELY(!(rest & (rest - 1)))) return rest ? 3 : more ? 2 : x != 0; /* most often */
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)((x * UINT64_C(0x0101010101010101)) >> 56);
}

RFI_INLINE uint32_t rfi_bit_at(uint64_t bits, uint32_t i) {
    while (i--) bits &= bits - 1;
    return (uint32_t)__builtin_ctzll(bits);
}

/* ---- the choice as strategies see it ---- */

RFI_FN uint32_t rfi_choice_of_many(const rf_choice *c, uint32_t i) {
    uint32_t w = 0, n;
    while (i >= (n = rfi_bits(c->rfi_set[w]))) {
        i -= n;
        w++;
    }
    return w * 64 + rfi_bit_at(c->rfi_set[w], i);
}

/* rf_choice_at for what is built in. */
RFI_INLINE uint32_t rfi_choice_at(const rf_choice *c, uint32_t i) {
    return RFI_LIKELY(c->rfi_words == 1) ? rfi_bit_at(c->rfi_set[0], i) : rfi_choice_of_many(c, i);
}

uint32_t rf_choice_at(const rf_choice *c, uint32_t i) { return rfi_choice_at(c, i); }

/* rf_choice_has for what is built in. */
RFI_INLINE bool rfi_choice_has(const rf_choice *c, uint32_t t) {
    return t / 64 < c->rfi_words && rfi_in(c->rfi_set, t);
}

bool rf_choice_has(const rf_choice *c, uint32_t t) { return rfi_choice_has(c, t); }

/* The first candidate in a circle, from thread `t` on. */
RFI_INLINE uint32_t rfi_choice_from(const rf_choice *c, uint32_t t) {
    uint64_t behind = ~UINT64_C(0) << (t % 64);
    for (uint32_t w = t / 64; w < c->rfi_words; w++, behind = ~UINT64_C(0))
        if (c->rfi_set[w] & behind)
            return w * 64 + (uint32_t)__builtin_ctzll(c->rfi_set[w] & behind);
    return rfi_choice_at(c, 0);
}

/* The thread of the last step, or the next candidate. */
RFI_FN uint32_t rfi_choice_usual(const rf_choice *c) { return rfi_choice_from(c, c->last); }

/* How many candidates have a lower number. */
RFI_FN uint32_t rfi_choice_below(const rf_choice *c, uint32_t t) {
    uint32_t n = rfi_bits(c->rfi_set[t / 64] & ((UINT64_C(1) << (t % 64)) - 1));
    for (uint32_t w = 0; w < t / 64; w++) n += rfi_bits(c->rfi_set[w]);
    return n;
}
#endif
#endif

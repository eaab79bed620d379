/* engine/state.h: the state of the one running execution, and its logical threads.
 *
 * Sets of threads are bit sets by thread number, so that "ascending thread id" is their natural
 * order and a decision among up to 64 threads touches one word.
 */
#ifndef RFI_ENGINE_STATE_H
#define RFI_ENGINE_STATE_H
#include "engine/entry.h"
#include "engine/fiber.h"
#include "engine/iface.h"
#include "engine/record.h"
#include "engine/tape.h"
#include "engine/test.h"
#include "mem/face.h"

#ifdef RFI_IMPL
# define RFI_HELD          (UINT64_MAX - 1) /* until nobody else can go on */
# define RFI_HELD_CHANCE   49152u           /* of 65536 */
# define RFI_MONITOR_STEPS 2000u            /* decisions with threads paused, and none released */
# define RFI_MONITOR_LOOKS 64u              /* in a row, by others: more would make time pass */
# define RFI_FUEL          1000             /* plain accesses until a decision is forced */
# define RFI_DRY_STEPS \
  10 /* such a decision, where one follows the other, counts as so many steps */
# define RFI_SPIN_REPEAT  32u   /* equal loads in a row that make a spinning thread */
# define RFI_HINT_REPEAT  2u    /* spin hints in a row that make one, */
# define RFI_YIELD_REPEAT 4u    /* yields in a row, nothing else done, that make one */
# define RFI_SPURIOUS     4096u /* of 65536: spurious wake-ups, and failures of weak exchanges */
# define RFI_SPURIOUS_ONE (65536 / RFI_SPURIOUS)
# define RFI_EXPIRED      16384u /* of 65536: timed waits that have timed out when a signal comes */
# define RFI_GENERATION   0x3c6ef372u /* even: generations are odd, and far apart */
# define RFI_ANALYSES     32u

/* What a thread holds. */
typedef struct rfi_held {
    rfi_object *object; /* its memory may be something else's: of a stack, unmapped */
    const rf_site *site;
    uint32_t number; /* the object's */
    bool shared;
} rfi_held;

/* A word in memory that threads wait by (futex.h). */
typedef struct rfi_futex {
    rfi_object object;
    uint32_t *word;
    const rf_site *waker; /* who last woke somebody there, or would have; NULL: nobody yet */
    uint32_t woken_by;
    uint64_t woken_at; /* step */
} rfi_futex;

/* What a wake-up at a futex is to do: so many of those that wait with such bits go on, and so many
 * at the second futex, or are moved there. */
typedef struct rfi_waking {
    uint32_t most, bits, most_other;
    bool moves;
} rfi_waking;

/* It waits for nothing outside; for what it takes by a call of its own when it is there; for what
 * it has as soon as that is there; until its time has come, which it may not yet; or for others to
 * do what they can do beside, before it ends the execution by RF_SKIP. */
typedef enum rfi_awaited {
    RFI_INSIDE,
    RFI_OUTSIDE_TAKES,
    RFI_OUTSIDE_HAS,
    RFI_OUTSIDE_LATE,
    RFI_SKIPS
} rfi_awaited;

enum { RFI_FOOTING_REGS = 10 };

/* Where a thread is about to read (footing.h). */
typedef struct rfi_footing {
    const rf_site *site;
    const void *of;
    const char *out; /* the read writes so many bytes there */
    size_t bytes;
    const char *top;                 /* where the part of its stack that is the test's ends, */
    const char *from;                /* and that of the caller begins, */
    bool deep;                       /* once too far from there to look at all; */
    uintptr_t back;                  /* and where it goes on; */
    uintptr_t frame;                 /* its frame pointer, */
    uintptr_t reg[RFI_FOOTING_REGS]; /* and the other registers that a call leaves alone */
} rfi_footing;

typedef struct rfi_thr {
    rfi_fiber fiber;
    rf_event next; /* the announced operation; after it ran, what it was */
    /* From here to `result`: zero when the thread begins. */
    bool (*ready)(const struct rfi_thr *); /* can `next` complete?  NULL: always */
    rfi_object *waits_on;                  /* while `next` may block: t is in its list of waiters */
    const rfi_object *uses;                /* in whose queue it stands, or whose function it runs */
    const rfi_object *leaves;              /* the barrier at which it stands */
    rfi_compare *compare;                  /* `next` is one, */
    const rfi_waking *waking;              /* or a wake-up at a futex */
    struct rfi_round *round;               /* its last steps, where they are remembered */
    struct rfi_thr *starter;      /* runs up to its first operation on behalf of this one */
    struct rfi_thr *under, *over; /* on top of which it runs, what runs on top of it (strike.h): */
    void (*strikes)(struct rfi_thr *by); /* that function */
    rfi_object end;                      /* joiners wait on it */
    uint32_t repeats, yields;            /* spin recognition */
    uint64_t stale;  /* step in which it last read an older value, or may have; */
    uint64_t spun;   /* in which it was last taken for a spinner */
    uint64_t struck; /* the step at which the handler began that it runs; 0: none */
    uint64_t due;    /* when its operation ends by itself, if that is in the future; 0: it is not */
    char *lent, *seen; /* the lowest bytes on its stack that another thread was given when it was
                          created, and that one was seen to use; NULL: none */
    char *outermost;   /* where the frame ends of the first function that it has entered */
    char *gone, *gone_end; /* variables that were lent, of a function that has returned last, */
    const rf_site *left;   /* from here */
    uint32_t held_count, tls_count, children, functions;
    uint32_t priority; /* RF_PRIORITY */
    bool timed;        /* its operation has a deadline, which may pass now */
    bool finished, detached, joined, notified;
    bool starts;        /* by an operation of its own */
    bool interrupted;   /* its wait for a condition, and others that may, ends at once */
    bool unchecked;     /* its pause was limited and is over: `next` is not checked again */
    uint8_t wake;       /* rf_wake */
    bool refused;       /* the lock that it tries for is taken, whatever it looks like (given.h) */
    bool source;        /* of signals: nobody waits for it, and it waits for nobody */
    uint8_t outside;    /* rfi_awaited: the yield is a wait for what is outside of the program, */
    const char *called; /* by this function */
    const struct rf_sem *ends; /* as soon as this counts it is cancelled, */
    const rf_site *ends_at;    /* if it waits here */
    bool whole;                /* its steps are one: no handler comes between (hook/catches.h) */
    uint32_t handles, handled; /* the handler that it has taken last (given.h); */
    struct {
        const char *name; /* NULL: none */
        const rf_site *site;
        uint32_t made; /* rf_strategy.rfi_made */
    } unsafe[2];       /* what it called last that is not async-signal-safe, and what that did */
    bool tired;         /* its wait does not end by itself, as the last one did: */
    const rf_site *early; /* where that was */
    uint32_t twin;        /* thread + 1 that does the same, created just before it; 0: none */
    void *result;
    uint32_t id;
    bool kept;           /* its fiber stays from execution to execution */
    bool idle;           /* it does, and has nothing to do now */
    uint32_t creator;    /* thread; of the first one RFI_NO_THREAD */
    uint64_t key;        /* rf_thread_key */
    uint64_t number;     /* of its last operation that counts (behaviour.h) */
    uint32_t wait_next;  /* list of waiters: thread + 1 */
    uint64_t until;      /* the deadline of an operation that has one */
    uint32_t queue_next; /* a condition's queue: thread + 1 */
    uint32_t held_capacity;
    rfi_held *held;
    const rf_site *region;  /* where the outermost critical section began, */
    uint32_t region_number; /* and the number of its first lock */
    uint32_t function_capacity;
    struct rfi_function *function; /* the functions that it is in, with --blocks=functions */
    void *(*fn)(void *);
    void *arg;
    uint64_t paused_at;    /* step in which a checker last paused it, */
    uint64_t paused_until; /* and at which it goes on by itself; UINT64_MAX: it does not */
    uint64_t searched;     /* number of the search for cycles that has last met it, */
    uint32_t on_path;      /* its place on the path of that search + 1; 0: it is behind it, */
    uint32_t tried;        /* and what is below this number of those it waits for (stuck.h) */
    void **tls;
    rfi_footing footing;
} rfi_thr;

/* Copies n bytes; the usual sizes without a call. */
RFI_INLINE void rfi_copy(void *to, const void *from, size_t n) {
    switch (n) {
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    case 1: memcpy(to, from, 1); break;
    case 2: memcpy(to, from, 2); break;
    default: memcpy(to, from, n);
    }
}

RFI_INLINE uint64_t rfi_peek(const volatile void *p, size_t n) {
    uint64_t v = 0;
    rfi_copy(&v, (const void *)(uintptr_t)p, n < 8 ? n : 8);
    return v;
}

/* ---- statements that are scheduling points although the rest is not ---- */

/* One of 4096, the same in every process.  Statements that have the same one are points together.
 */
RFI_INLINE uint32_t rfi_site_code(const rf_site *s) {
    return (uint32_t)(rfi_site_known_key(s) >> 1) % (RFI_POINT_WORDS * 64);
}

/* Of an event's; 0: it has none. */
RFI_INLINE uint32_t rfi_event_statement(const rf_event *e) {
    return e->site ? rfi_site_code(e->site) : 0;
}

RFI_INLINE void rfi_points_add(uint64_t *points, uint32_t code) {
    points[code / 64] |= UINT64_C(1) << code % 64;
}

RFI_INLINE bool rfi_points_have(const uint64_t *points, uint32_t code) {
    return points[code / 64] >> code % 64 & 1;
}

/* How an execution is to be run. */
typedef struct rfi_plan {
    uint64_t base, seed; /* the job's; of the next execution */
    const rf_strategy *strategy;
    const rf_checker *checker; /* may be NULL */
    const uint64_t *target;    /* that it is directed at */
    uint32_t targets;
    const rf_analysis *analysis[RFI_ANALYSES];
    uint32_t analyses;
    uint64_t asleep;        /* kinds of events that no analysis is awake for from the beginning */
    bool fine;              /* every access is a scheduling point, */
    const uint64_t *points; /* or those at these statements; NULL: all */
    bool trace;             /* keep the events in the record, */
    bool chains;            /* and the calls that have led to these accesses, */
    bool brief;             /* and to no others */
    const rf_site *chain_at[2];
    bool serials;                    /* some executions are without preemptions (patience.h), */
    uint64_t opening;                /* the first of them, and 1 */
    bool ordered;                    /* so is the number of its partial order (behaviour.h): */
    const uint64_t *counted, *known; /* whose plain accesses count, or take part; NULL: all */
    bool spurious;
    bool again;      /* some executions give freed memory out again */
    bool drawn;      /* what rand begins with, and the calendar, differ between executions */
    uint32_t cores;  /* 0: any number */
    uint32_t word;   /* bytes that plain accesses touch at a time; 0: any number */
    uint32_t unroll; /* so many rounds of a loop are explored; 0: all */
    bool in_time;    /* it counts which calls had returned when others were made */
    uint32_t late;   /* 1 + the milliseconds that may pass although somebody can go on; 0: any */
    bool regions;    /* outermost critical sections are atomic blocks, */
    bool functions;  /* and functions that lock */
    rf_mem_options memory; /* of the model */
    bool adversary;        /* plain data under suspicion (RFI_SUSPECT) goes through the model */
    bool suspect_all;      /* all plain data is under suspicion */
    bool tears;            /* what may be a pointer is read in pieces, too */
    uint64_t max_steps;
    bool must_end; /* an execution that reaches them has failed, even if it makes progress */
    size_t stack_size;
    /* Set by rfi_plan_complete. */
    uint64_t listen;
    const rf_analysis *lane; /* whose `access` is used, or NULL */
    const uint8_t *arm;
    uint32_t attention;
    uint8_t mode;
    uint64_t limit;    /* the step before which it is looked for the first time whether an execution
                          makes progress */
    bool modelled;     /* the memory model is on */
    bool begins, ends; /* somebody besides the strategy is told of beginnings; somebody of ends */
    void (*event[RFI_ANALYSES])(const rf_event *); /* of the analyses; */
    uint32_t hears[RF_EV_COUNT],                   /* which of them want this kind of event; */
        woken_by[RF_EV_COUNT];                     /* which are woken by it */
    uint32_t sleepers; /* and which of all sleep at first (rf_analysis.wakes) */
} rfi_plan;

/* An access is scheduled; is seen by analyses; what it touches is under suspicion from then on; it
 * gives an atomic its first value. */
enum { RFI_POINT = 1, RFI_WATCH = 2, RFI_SUSPECT = 4, RFI_FIRST = 8 };

/* Who observes the operations that are executed. */
enum { RFI_ORDERED = 1, RFI_TAIL = 2, RFI_CLAIMED = 4, RFI_AWAITED = 8 };

/* What accesses that are not scheduled are checked for. */
enum { RFI_CHECK_FREED = 1, RFI_CHECK_CLAIMED = 2, RFI_CHECK_ENDED = 4 };

/* What begins at zero in every execution. */
/* What threads look for by steps of their own. */
enum { RFI_FOR_ENDS = 1, RFI_FOR_SIGNALS = 2, RFI_FOR_TIMERS = 4 };

/* When a signal is offered: before a step, in a wait before each look, in a wait once. */
typedef enum rfi_offer { RFI_OFFER_STEP, RFI_OFFER_LOOK, RFI_OFFER_WAIT } rfi_offer;

/* rfi_run.meddles: what was chosen is chosen for nothing; a timer has an interval; or it sends
 * where time-outs do not pass at any time. */
RFI_VAR const char rfi_in_vain[1], rfi_endless[1], rfi_untimely[1];

typedef struct rfi_run {
    uint64_t steps, switches, preemptions;
    uint64_t yielded;        /* the last step that was a yield or a sleep */
    uint64_t spins;          /* decisions among spinners alone */
    uint64_t now;            /* virtual time in milliseconds, */
    uint64_t early, moved;   /* of which so much passed early; in which step it last did (time.h) */
    uint32_t dues;           /* threads with a deadline in the future */
    uint32_t impatient;      /* so often it has passed because of many steps */
    uint32_t (*owned)(void); /* decides while somebody has the core for himself (interrupt.h); its
                                result may be RFI_NO_THREAD; */
    uint32_t (*ranked)(void);      /* and where threads have priorities (priority.h) */
    void (*counts)(uint32_t next); /* is told who is next, while there are sections that count */
    struct rfi_deadline_open *deadlines;
    void (*looks)(void); /* before each decision, for signals that come; NULL: there are none */
    void (*passes)(uint64_t ms); /* virtual time does; NULL: nobody needs to know */
    bool (*comes)(
        void); /* waits for one from outside, and says whether one has come; NULL: none can */
    rfi_scope *invariants;
    /* Why nobody should stand as all do, where nobody can go on; NULL: that is as it should be. */
    const char *(*stuck)(void);
    void (*finish)(void); /* when the body of the test has ended; NULL: nothing */
    uint32_t words;       /* of the sets of threads that are in use */
    uint32_t threads, live;
    uint32_t sources;   /* threads among these that never end (rfi_thr.source) */
    uint32_t last;      /* thread of the previous step */
    uint64_t turn;      /* in this step the thread of the last one took over */
    uint64_t row;       /* beyond this step it has made many since another thread made one */
    rf_prng *uniform;   /* decides while nothing asks for attention; NULL: the strategy does */
    uint32_t attention; /* how many reasons there are to leave the fast path of a decision: a
                           checker, a hook of the strategy, invariants, spinners, a thread that
                           is starting, more threads than a word has bits; */
    uint32_t always;    /* of those, the ones that are no reason to look for others at the end, */
    uint32_t lone;      /* and the one that the strategy decides alone, also between one thread */
    uint32_t lazy_count;
    uint32_t objects;
    uint64_t dry,
        dry_at; /* decisions in a row that only accesses have forced, the last by this step */
    /* patience.h: */
    uint32_t alone;                       /* thread + 1 that spins and runs on; 0: none */
    uint32_t stints;                      /* spinners that may do so yet */
    uint32_t rounds, round, longest;      /* left of its loop; decisions in one */
    bool eager;                           /* a thread is about to run on */
    uint32_t serial_left, serial_threads; /* who is next where; threads there were */
    const uint32_t *order;                /* or this tells who is next, */
    uint32_t ordered;                     /* so many */
    uint32_t opening;                     /* or this, if it is not 0 */
    bool serial;                          /* without preemptions */
    uint32_t hints;                       /* in a row that make a spinner */
    uint32_t ender; /* thread + 1 that ends the program as soon as no other goes on */
    uint32_t vain;  /* decisions among spinners alone since then, or since the body returned */
    bool whole;     /* a program: it ends by END, or when its last thread does */
    bool abandoned;
    uint32_t unseen;     /* 1 + looks at children that find none that has ended; 0: not drawn yet */
    uint64_t glances;    /* steps of threads that only look at what they wait for outside */
    bool outside;        /* how fast a child was has been seen */
    bool handles;        /* signals: volatile objects are for their handlers; */
    bool strikes;        /* one, or an interrupt, may come at any step */
    unsigned unlooked;   /* RFI_FOR_...: a thread was cancelled, or sent a signal, */
    bool ends, catches;  /* and looked for that in no step of its own; or each looks (given.h), */
    bool timers;         /* and for what timers have sent, too */
    const char *meddles; /* this has done what no step tells to a thread, or asked it of one */
    uint64_t sends, offers; /* signals, by target and number: was sent; may be chosen; 0: none */
    void (*comes_first)(const rf_site *s, unsigned kind); /* before each step */
    bool (*untaken)(const struct rfi_thr *t); /* was it sent what it has not taken? */
    uint8_t checks;      /* some heap block was freed, some memory is claimed: RFI_CHECK_... */
    uintptr_t ended;     /* from here on lie the stacks of threads that have ended, */
    size_t ended_bytes;  /* in so many bytes, and perhaps others between them */
} rfi_run;

/* What the frame for checkers keeps during an execution that has one (sched.h). */
typedef struct rfi_frame {
    uint64_t paused_since, breaks;
    uint64_t moves; /* steps that were no looks, and looks in a row since then (hook/world.h) */
    uint32_t looks;
    uint32_t paused_count, forced_count;
    uint32_t pause_chance; /* of 65536 */
    uint32_t checked;      /* the thread under check */
    uint32_t timed;        /* threads that are paused for some decisions only, or were; */
    uint32_t held;         /* of them, those that strike when nobody else can go on */
    bool pause_checked;    /* it was paused, */
    uint64_t pause_until;  /* so long */
} rfi_frame;

typedef struct rfi_engine {
    rfi_thr *current;    /* NULL outside of executions */
    uint32_t quiet;      /* inside RF_INVARIANT: operations make no events */
    uint32_t generation; /* of this execution: odd and scattered, so that stale or random memory is
                            not taken for one of its objects */
    uint64_t listen;     /* RF_EV_BITs that some analysis (or the strategy) wants */
    uint32_t sleepers;   /* the analyses of the plan that still sleep */
    /* `access` of who sees accesses; NULL where there is none or accesses are more than events, and
     * wherever sites are disarmed. */
    bool (*lane)(uint32_t thread, const rf_site *site, const void *addr, size_t size, bool writes);
    uint8_t mode; /* RFI_POINT, RFI_WATCH for all plain accesses; */
    bool some;    /* more for those of some sites (`site_mode`) */
    size_t word;  /* wider plain accesses are made in pieces */
    bool fine, spurious, regions, functions, modelled, adversary;
    bool footings;    /* what threads go on from is looked at (footing.h) */
    uint8_t observed; /* RFI_ORDERED: by behaviour.h; _TAIL: by tail.h; _CLAIMED: by claim.h;
                         _AWAITED: by rounds.h */
    uint64_t *enabled, *paused, *lazy, *awaiting, *candidates; /* awaiting: part of lazy */
    rfi_thr **thread;
    const rfi_plan *plan;
    const rf_strategy *strategy;
    rf_prng schedule, memory, input, patience;
    rfi_record *record;
    rfi_lessons *lessons;   /* NULL: nobody learns */
    bool lesson_over;       /* the execution has died: it teaches no more, wherever it ran */
    rfi_coverage *coverage; /* NULL: nobody wants it */
    rfi_run run;
    const struct rfi_series *series; /* that is running (execute.h), */
    uint32_t series_number;          /* and which it is */
    rfi_fiber home;
    rfi_backend_kind backend; /* for strategies that do not mind */
    uint32_t set_capacity, thread_capacity;
    size_t stack_size; /* of idle fibers */
    rfi_frame frame;
    uint32_t *forced; /* threads that execute before any other choice */
    uint32_t forced_capacity;
    /* Objects by number. */
    rfi_object_name *object;
    uint32_t object_capacity;
    /* Sites whose plain accesses are scheduled although the rest is not; those with higher numbers
     * are not known yet. */
    uint8_t *site_mode;
    uint32_t site_mode_count, site_mode_capacity;
    const uint64_t *points; /* of the plan */
    rfi_arena arena;        /* emptied with the execution */
    const void *rmw_addr;   /* between rfi_rmw_begin and rfi_rmw_end outside of executions */
    size_t rmw_size;
} rfi_engine;

RFI_VAR rfi_engine rfi;

/* The logical thread that calls the engine, for an operation at `s`; NULL outside of executions. */
RFI_INLINE rfi_thr *rfi_caller_in(const char *in, const rf_site *s) {
    if (RFI_UNLIKELY(!rfi_ours) && rfi.current) rfi_foreign(in, s, NULL);
    return rfi.current;
}
# define RFI_ME(s) rfi_caller_in(__func__, s)

/* Before anything else that a hooked function does: it was called at `pc`. */
RFI_INLINE void rfi_caller_at(const char *in, const void *pc) {
    if (RFI_UNLIKELY(!rfi_ours) && rfi.current) rfi_foreign(in, NULL, pc);
}

RFI_VAR const uint8_t rfi_arm_none[RFI_SLOTS] = {0};
RFI_VAR uint8_t rfi_arm_all[RFI_SLOTS];  /* filled with ones at start */
RFI_VAR uint8_t rfi_arm_some[RFI_SLOTS]; /* the slots of the pair under suspicion */

/* Makes room for sites below number n: points among them are known. */
RFI_FN void rfi_site_modes(uint32_t n) {
    rfi.site_mode = rfi_grow(rfi.site_mode, &rfi.site_mode_capacity, n, 1);
    for (; rfi.site_mode_count < n; rfi.site_mode_count++) {
        uint32_t code =
            (uint32_t)(rfi_site_table.key[rfi.site_mode_count] >> 1) % (RFI_POINT_WORDS * 64);
        bool point = rfi.points && rfi_points_have(rfi.points, code);
        rfi.site_mode[rfi.site_mode_count] = point ? RFI_POINT | RFI_WATCH : 0;
    }
}

/* Delivers an event to the strategy, the analyses and the checker. */
RFI_FN void rfi_deliver(const rf_event *e) {
    const rfi_plan *p = rfi.plan;
    uint64_t bit = RF_EV_BIT(e->kind);
    if (RFI_UNLIKELY(rfi.strategy->events & bit)) rfi.strategy->event(e);
    uint32_t ears = p->hears[e->kind];
    if (RFI_UNLIKELY(ears & rfi.sleepers)) {
        uint32_t wakes = ears & rfi.sleepers & p->woken_by[e->kind];
        if (wakes) rfi.record->woken |= bit;
        rfi.sleepers &= ~wakes;
        ears &= ~rfi.sleepers;
    }
    for (; ears; ears &= ears - 1) p->event[__builtin_ctz(ears)](e);
    if (RFI_UNLIKELY(p->checker != NULL) && p->checker->events & bit) p->checker->event(e);
}

RFI_INLINE bool rfi_listening(unsigned kind) { return rfi.listen & RF_EV_BIT(kind); }

RFI_INLINE void rfi_emit(const rf_event *e) {
    if (RFI_UNLIKELY(rfi_listening(e->kind))) rfi_deliver(e);
}

/* Something could happen spuriously, but not where all choices are gone through. */
RFI_FN bool rfi_calm(void) {
    rfi.record->calm |= rfi.strategy->serial;
    return false;
}

RFI_FN bool rfi_spurious(void) {
    if (!rfi.spurious) return rfi_calm();
    bool happens = RFI_UNLIKELY(rfi.strategy->whole) ? rfi.strategy->choose(RFI_SPURIOUS_ONE) == 1
                   : RFI_UNLIKELY(rfi.plan->memory.choose != NULL)
                       ? !rfi.plan->memory.choose(NULL, 2) /* it costs what an older value does */
                       : rfi_chance(&rfi.memory, RFI_SPURIOUS);
    return RFI_UNLIKELY(rfi_tape_to != NULL) ? rfi_tape_happens(happens) : happens;
}

/* Are plain accesses seen, as far as they should be? */
RFI_INLINE bool rfi_sees_accesses(void) { return !rfi.record->hooked || rfi_code_announces; }

/* And so what may order threads?  It is in a trace without an execution. */
RFI_FN bool rfi_sees_orders(void) { return !rfi.record || rfi_sees_accesses(); }

/* Is the memory of an object or block written, for others to see?  Not where accesses and atomics
 * go unseen, by which they may be ordered. */
RFI_INLINE uint16_t rfi_makes(void) {
    return rfi.run.threads > 1 && rfi_sees_accesses() ? RF_EV_MAKES : 0;
}

/* This execution has so many steps, if nobody wants its end now. */
RFI_INLINE void rfi_limit(uint64_t steps) {
    rfi.record->limit = steps;
    if (RFI_UNLIKELY(rfi.record->over)) rfi.record->limit = 0;
}

RFI_FN RFI_APART void rfi_note_heard(unsigned kind, const rf_site *s, uint32_t object,
                                     uint32_t other) {
    rf_event e = {.kind = (uint8_t)kind,
                  .flags = kind == RF_EV_INIT || kind == RF_EV_DESTROY ? rfi_makes() : (uint16_t)0,
                  .thread = rfi.current ? rfi.current->id : 0,
                  .site = s,
                  .object = object,
                  .other = other};
    rfi_deliver(&e);
}

/* Delivers an event that is not scheduled by itself. */
RFI_INLINE void rfi_note(unsigned kind, const rf_site *s, uint32_t object, uint32_t other) {
    if (RFI_UNLIKELY(rfi_listening(kind))) rfi_note_heard(kind, s, object, other);
}
#endif
#endif

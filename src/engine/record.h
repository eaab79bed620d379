/* engine/record.h: one execution as the report sees it.
 *
 * It lives in memory shared with the supervisor, so it survives whatever the code under test does
 * to its own process.  Only executions that are replayed keep their events; all keep their
 * failure.  Pointers in it point into the program's image or into the record, both at the same
 * address in every process forked from the supervisor.
 */
#ifndef RFI_ENGINE_RECORD_H
#define RFI_ENGINE_RECORD_H
#include "engine/iface.h"
#include "engine/leavings.h"
#include "engine/types.h"
#include "engine/verdict.h"

#ifdef RFI_IMPL
# define RFI_RECORD_EVENTS  (1u << 16) /* the last ones are kept */
# define RFI_RECORD_THREADS 8192u
# define RFI_RECORD_OBJECTS 8192u
# define RFI_RECORD_TEXT    (1u << 18)
# define RFI_NAME_BYTES     40
# define RFI_HITS           16u
# define RFI_POINT_WORDS    64u

typedef struct rfi_thread_name {
    const rf_site *created; /* RF_THREAD(...); text = the function; NULL for thread 0 */
    uint32_t parent;
    const char *function; /* where the site has no text; NULL: not known */
    char own[16];         /* the name that the program gives it, if it does */
} rfi_thread_name;

typedef struct rfi_object_name {
    const rf_site *site; /* of its initialisation, or of its first use */
    const void *at;
    uint8_t type;
    bool made; /* by an init call */
    char name[RFI_NAME_BYTES];
} rfi_object_name;

/* Two operations that were brought together, or one that is a hit by itself. */
typedef struct rfi_hit {
    rf_event e[2];
    uint32_t events; /* 1 or 2 */
    uint64_t at;     /* number of the trace event before which they both stood */
} rfi_hit;

/* What code under test has taken from outside, of which a token knows nothing: that which is most
 * likely to be another time when it is replayed comes first. */
typedef enum rfi_asks_for {
    RFI_ASKS_WHEN, /* how fast other processes are */
    RFI_ASKS_WHO,  /* numbers of processes, the terminal, the machine */
    RFI_ASKS_FILE, /* files that it opens */
    RFI_ASKS_LOOK, /* what there is, in which order */
    RFI_ASKS
} rfi_asks_for;

/* What executions have taught, or used, one behind the other: rfi_lesson, then its bytes, padded to
 * eight. */
# define RFI_BATCH       64u   /* most executions between two times of learning, */
# define RFI_BATCH_SMALL 4096u /* and where lessons are small */
# define RFI_LESSON_ROOM ((RFI_BATCH + 1u) * (8u + RF_LESSON_BYTES))

# define RFI_PARTS      32u /* most parts of a search that are run at the same time */
# define RFI_INDEX_BITS 47u /* of executions: indices are below 2^47 */
# define RFI_INDEX_MOST ((UINT64_C(1) << RFI_INDEX_BITS) - 1)

typedef struct rfi_lesson {
    uint32_t low, high : RFI_INDEX_BITS - 32, bytes : 17; /* the execution's index; what follows */
} rfi_lesson;

typedef struct rfi_lessons {
    uint32_t used; /* by those that are complete; the one of the running execution follows */
    uint64_t bytes[RFI_LESSON_ROOM / 8];
} rfi_lessons;

/* How often a statement was a scheduling point (coverage.h). */
typedef struct rfi_covered {
    const rf_site *site; /* NULL: the slot is free */
    uint64_t key, executions, decisions, preemptions;
    uint64_t last; /* the last execution that reached it, + 1 */
} rfi_covered;

typedef struct rfi_coverage {
    uint32_t sites; /* at most half of the slots */
    bool more;      /* there was no room for all */
    rfi_covered site[4096];
} rfi_coverage;

/* What executions have not tried. */
typedef struct rfi_left_out {
    uint64_t held, held_in; /* decisions at which a spinner was held back; executions with some */
    uint64_t late;          /* executions in which a deadline could not pass early */
    uint64_t stopped;       /* executions that were ended although threads had something to do */
    uint64_t unused;        /* executions in which what was given back could have been another's, */
    uint64_t calm;          /* and in which nothing happened spuriously, although it could */
    uint64_t anytime;       /* executions in which a thread could have ended at any moment */
    uint64_t processes;     /* executions that depend on what other processes do */
    uint64_t elsewhere; /* executions in which a handler could have interrupted another thread */
} rfi_left_out;

/* All of these. */
# define RFI_LEFT_OUT(do_with)                                                                \
  do_with(held) do_with(held_in) do_with(late) do_with(stopped) do_with(unused) do_with(calm) \
      do_with(anytime) do_with(processes) do_with(elsewhere)

# define RFI_SCENARIO_BYTES 256u

/* Steps of one thread, one after the other. */
typedef struct rfi_turn {
    uint32_t thread, steps;
    bool preempts; /* the thread of the last turn could have gone on */
} rfi_turn;
# define RFI_TURNS 8192u

/* The functions on the stack at an event (callers.h); NULL: no more. */
# define RFI_CALLERS 6u
typedef struct rfi_callers {
    const void *pc[RFI_CALLERS];
} rfi_callers;

/* Where the memory of an access is: in a block of the heap, or on a stack, whose thread is
 * `offset`. */
# define RFI_ON_STACK UINT32_MAX
typedef struct rfi_within {
    uint32_t block; /* 0: elsewhere */
    uint32_t offset;
} rfi_within;

/* Who has called: by statement, hashed; RFI_SEVERAL: several. */
# define RFI_HELPERS 4096u
# define RFI_SEVERAL UINT32_MAX

typedef enum rfi_record_state { RFI_IDLE = 0, RFI_RUNNING, RFI_DONE } rfi_record_state;

/* A function was called whose effect others can tell: not only a creation has gone on. */
# define RFI_NAMED_CALL (UINT64_C(1) << 63)
/* A handler has interrupted a thread. */
# define RFI_STRUCK (UINT64_C(1) << 62)
/* Its strategy could not choose all that may happen on one core: something struck by time, or on
 * several cores, threads were there before, or one was held back that is not known to only repeat
 * itself. */
# define RFI_NOT_ALL (UINT64_C(1) << 61)

/* Memory of a freed block was given out again, or the handle of a thread that has ended. */
typedef struct rfi_again {
    uint64_t count;              /* so often; what follows is of the last time: */
    uint32_t former, freed_by;   /* the number of the block that had been there, */
    const rf_site *freed, *site; /* where that was freed, and where the new one was allocated; */
    uint32_t thread;             /* or, if not 0, the thread that was created and has the handle of
                                    thread `former` */
} rfi_again;

/* A wait or a sleep ended by itself: its deadline passed although a thread could have gone on; or
 * nobody had woken it. */
typedef struct rfi_by_itself {
    uint64_t count;         /* so often; what follows is of the last time: */
    uint32_t thread, other; /* whose, and who could have gone on; */
    bool sleep;             /* of a sleep */
    const rf_site *site;
} rfi_by_itself;

# define RFI_ASIDE UINT64_MAX

/* The most steps of its own that a call of a specified object has taken, of which operation, and in
 * which execution of its job. */
typedef struct rfi_own_steps {
    uint64_t most;
    const char *of;
    uint64_t index;
} rfi_own_steps;

/* In whatever order executions come.  True: `x` has more, or shows as many earlier. */
RFI_FN bool rfi_own_steps_add(rfi_own_steps *to, rfi_own_steps x) {
    bool more = x.most > to->most || (x.most && x.most == to->most && x.index < to->index);
    if (more) *to = x;
    return more;
}

typedef struct rfi_record {
    volatile uint32_t state; /* rfi_record_state */
    uint64_t index;          /* of the execution in its job */
    uint32_t begun;          /* how many executions this record has been of */
    volatile uint32_t over;  /* somebody wants an end now */
    volatile uint64_t limit; /* of its steps; 0: somebody does */
    /* From here to `threads`: zero when an execution begins. */
    volatile uint64_t asked; /* 1 + the step at which a watch has seen it stand still (crash.h) */
    uint64_t steps;          /* scheduled operations executed */
    uint64_t switches, preemptions, released; /* released: by the thrash rule and the monitor */
    uint64_t order;    /* number of its partial order (behaviour.h); 0: nobody wants it */
    uint64_t woken;    /* RF_EV_BIT()s of the kinds that woke an analysis */
    uint64_t kinds;    /* and of the operations that were announced; and the flags above */
    uint64_t held;     /* decisions at which a spinner could not be chosen, though it was enabled */
    rfi_own_steps own; /* where somebody asks for progress */
    uint64_t scene;    /* which scenario of calls it is (campaign/scenes.h); 0: none */
    uint64_t search;   /* the search that it belongs to, which gets another number when it begins
                          anew; 0: none; RFI_ASIDE: it only tells how much there is */
    /* Loads that were atomic and intended races; of the first, and of plain ones with the last,
     * those that returned an older value than the newest one, or a torn one. */
    uint64_t atomic_loads, racy_loads, atomic_stale, plain_stale;
    const rf_site *unannounced; /* an atomic access that found a value no announced store had put
                                   there: memory was changed by something racefuzz can't see */
    uint32_t hit_count;         /* all; the first RFI_HITS are kept */
    uint32_t used_bytes;        /* what it used of what its strategy had learned (rf_used), */
    uint32_t
        scenario_bytes; /* of the calls of a specified object (spec/scenario.h); 0: there are */
    uint32_t objects;   /* how many there were; a trace keeps names, up to the limits */
    union {
        struct {
            bool cut;        /* somebody wanted an end; failure.site is where it stood */
            bool skipped;    /* RF_SKIP; failure.message holds the reason */
            bool unfinished; /* it reached the step limit while threads made progress */
            bool late;       /* a deadline could not pass early */
            bool unused;     /* what was given back could have been another's, and was not */
            bool calm;       /* a wait could have ended, or a weak exchange failed, for nothing */
            bool
                stopped; /* it was ended although threads that it could leave had something to do */
            bool processes : 1; /* a child of fork has synchronised with it (hook/processes.h) */
            bool anytime : 1;   /* a cancellation could have struck at any moment */
            bool elsewhere : 1; /* a handler could have interrupted another thread */
        };
        uint64_t unusual; /* any of these */
    };
    uint32_t children; /* not waited for yet, that share memory with it */
    uint32_t faults;   /* kinds of warnings that analyses saw come true, RF_EXPECT_*s */
    bool drawn;        /* rand was used, or the calendar, and did not begin as always */
    bool deadlines;    /* some operation had one, and only so much time may pass early */
    bool hooked;       /* code that knows nothing of racefuzz has run */
    bool plain;        /* a macro has announced a plain access */
    bool used_more;    /* of what was learned than there was room for */
    bool waits;        /* a call of a specified object may have waited for another thread */
    bool given_up;     /* its strategy has ended it before its end */
    bool reads_told;   /* by a token, which may be of another program */
    uint32_t threads;
    char asks[RFI_ASKS][96]; /* what it first took from outside; of each kind */
    bool shares;             /* it tells statements that touch shared data: */
    uint64_t shared[RFI_POINT_WORDS];
    rfi_failure failure;
    rfi_again again; /* blocks of the heap that were given out again */
    rfi_by_itself early, unwoken;
    uint8_t scenario[RFI_SCENARIO_BYTES]; /* none, or too many */
    uint8_t used[RF_USED_BYTES];
    rfi_hit hit[RFI_HITS];
    rfi_thread_name thread[RFI_RECORD_THREADS];
    rfi_object_name object[RFI_RECORD_OBJECTS];
    rfi_leavings leavings; /* not zeroed: it may be of the execution before */

    bool tracing;
    bool chained; /* events have the calls that have led to them */
    rfi_callers callers[RFI_RECORD_EVENTS];
    rfi_within within[RFI_RECORD_EVENTS];
    uint32_t caller[RFI_HELPERS]; /* how far it is in the program; 0: not called */
    bool turns_more;              /* than are kept */
    uint32_t turns;
    rfi_turn turn[RFI_TURNS];
    uint64_t stepped[RFI_RECORD_EVENTS / 64]; /* bit set: this event was a step */
    uint64_t events;     /* delivered; event i is at event[i % RFI_RECORD_EVENTS] */
    uint64_t hash;       /* of the event sequence */
    uint64_t course;     /* the same without the sites */
    uint32_t site_hash;  /* order-independent, of the sites reached */
    uint64_t prefix[40]; /* course after 2^i events */
    rf_event event[RFI_RECORD_EVENTS];
    rf_origin origin[RFI_RECORD_EVENTS]; /* of event i, if it has one */
    uint64_t print[RFI_RECORD_EVENTS];   /* what of event i is the same in every process */
    uint32_t text_used;
    char text[RFI_RECORD_TEXT];
} rfi_record;
#endif
#endif

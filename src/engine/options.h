/* engine/options.h: what a test may ask for: its expectations and its budget.
 *
 * No more than types and constants: code under RF_OFF, where no engine is, fills in options too.
 */
#ifndef RFI_ENGINE_OPTIONS_H
#define RFI_ENGINE_OPTIONS_H
#include "base/platform.h"

/* Kinds of findings, for `.expect`: any of them or-ed. */
enum {
    RF_EXPECT_PASS = 0,
    RF_EXPECT_RACE = 1,     /* a data race that was produced */
    RF_EXPECT_FAILURE = 2,  /* RF_ASSERT, RF_FAIL, RF_INVARIANT, misuse, heap errors */
    RF_EXPECT_DEADLOCK = 4, /* no thread can go on */
    RF_EXPECT_LIVELOCK = 8, /* the step limit was reached */
    RF_EXPECT_ATOMICITY = 16,
    RF_EXPECT_CRASH = 32 /* signals, exit(), stack overflow, loops the engine can't see */
};

/* How far apart scheduling points are (docs/inside/internals.md, Scheduling points). */
typedef enum rf_granularity {
    RF_GRAIN_DEFAULT = 0, /* fine while predicting, coarse while confirming */
    RF_GRAIN_FINE,        /* before every visible operation */
    RF_GRAIN_COARSE       /* before synchronisation, atomics and the statements under suspicion */
} rf_granularity;

/* What RF_LINEARIZABLE asks of the order of calls: which of them it may not turn round. */
typedef enum rf_criterion {
    RF_HAPPENS_BEFORE = 0, /* the return of one happens before the other: linearizable */
    RF_REAL_TIME,          /* one has returned when the other is made, as threads are scheduled */
    RF_PROGRAM_ORDER,      /* one thread makes both: sequentially consistent */
    RF_QUIESCENCE          /* at a moment between both nobody is in one: quiescently consistent */
} rf_criterion;

/* Which calls RF_LINEARIZABLE asks to end, whatever the schedule. */
typedef enum rf_progress {
    RF_ANY_PROGRESS = 0, /* it asks nothing */
    RF_OBSTRUCTION_FREE, /* a call whose thread alone runs */
    RF_LOCK_FREE,        /* some call, if any thread runs */
    RF_WAIT_FREE         /* each call, after so many steps of its own */
} rf_progress;

/* Options of a test (RF_TEST(name, .executions = 5000)) or of all tests (rf_run).  Zero means the
 * default.  An environment variable or command line option wins over the test's own value. */
typedef struct rf_options {
    const char *rfi_name; /* set by RF_TEST */
    uint32_t executions;  /* per phase; default 1,000 */
    double seconds;       /* cap per test; default 10; below 0: none */
    uint64_t max_steps;   /* scheduled operations until "livelock"; default 1,000,000 */
    unsigned expect;      /* RF_EXPECT_PASS or kinds that must be found, or-ed */
    bool isolate;         /* a fresh process for every execution */
    bool no_spurious;     /* no spurious wake-ups or weak compare-exchange failures */
    rf_granularity granularity;
    size_t stack_size;    /* bytes per logical thread; default 256 KiB */
    const char *strategy; /* names, separated by commas */
    const char *detect;   /* names, separated by commas */
    const char *memory;   /* a name: docs/options.md */
    /* Of RF_LINEARIZABLE alone: at most so many threads, each with at most so many calls, and so
     * many calls before the threads start and after they have ended.  0: 3, 4, 2, 2. */
    uint32_t threads, operations;
    int before, after; /* below 0: none */
    const char *calls; /* of a test with RF_CALL: the object */
    rf_criterion criterion;
    rf_progress progress;
    uint64_t own_steps; /* RF_WAIT_FREE: at most so many; 0: the largest number is told */
} rf_options;

/* Of a source of interrupts (RF_INTERRUPT). */
/* Of RF_DEADLINE. */
typedef struct rf_deadline {
    struct rfi_deadline_open *section; /* NULL: nobody counts */
    int open;
} rf_deadline;

typedef struct rf_interrupt_options {
    const char *rfi_irq; /* set by RF_INTERRUPT */
    unsigned priority;   /* 0 to 15; a higher one interrupts a lower */
    unsigned times;      /* it strikes at most; 0: once, or with a period without end */
    unsigned period;     /* virtual milliseconds from one to the next; 0: it has none */
} rf_interrupt_options;

/* How an exploration ended (rf_explore). */
typedef enum rf_verdict {
    RF_VERDICT_PASSED, /* as the options expect */
    RF_VERDICT_FAILED,
    RF_VERDICT_SKIPPED, /* by RF_SKIP; or it was not asked for (RF_FILTER, another one's token) */
    RF_VERDICT_REFUSED  /* nothing was run: an RF_ variable or an option is wrong */
} rf_verdict;

typedef struct rf_outcome {
    rf_verdict verdict;
    bool passed;         /* or skipped: what a test asserts */
    bool replayed;       /* RF_SEED is a token of this exploration: it ran once */
    bool capped;         /* time was up before all executions had run */
    unsigned found;      /* RF_EXPECT_... of what was found, or-ed */
    uint32_t findings;   /* that fail it */
    uint64_t executions; /* of all phases */
    double seconds;
    const char *in_process; /* why executions shared this process; NULL: they had their own */
    const char *token;      /* of the first finding in the report; "" if there is none */
    const char *report;     /* what a test program would have printed; never NULL */
} rf_outcome;
#endif

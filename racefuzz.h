/* racefuzz.h, version 0.1.0: a race-directed fuzzer for C11, in a header.
 *
 * MADE FROM src/ BY src/join.sh.  Each part says which file to edit; then run `make headers`.
 *
 * WHAT IT IS
 *    A unit test that uses threads is compiled into an ordinary program and run.  Inside it one
 *    logical thread runs at a time, under a scheduler whose choices come from a seed.  First, many
 *    executions predict which pairs of statements could race.  Then the scheduler is directed at
 *    each pair: it holds a thread back at one statement until another one stands at the other, so
 *    that the race happens.  At last, races that have done no harm are given stale and torn values,
 *    as compilers and processors may give them.  Atomics return what C11 allows, throughout.  Each
 *    finding comes with the interleaving that led to it, and with a token that replays exactly that
 *    execution.
 *
 * QUICK START
 *        #define RF_IMPLEMENTATION               in one unit of the program
 *        #include "racefuzz.h"                   before anything else
 *
 *        static int hits;
 *
 *        static void *visit(void *arg) {
 *            RF_STORE(hits, RF_LOAD(hits) + 1);
 *            return arg;
 *        }
 *
 *        RF_TEST(no_hit_is_lost) {
 *            hits = 0;
 *            rf_thread a = RF_THREAD(visit, NULL), b = RF_THREAD(visit, NULL);
 *            RF_JOIN(a);
 *            RF_JOIN(b);
 *            RF_ASSERT_EQ(hits, 2);
 *        }
 *
 *        RF_MAIN()
 *
 *    Compile with `cc -std=c11 -g -pthread test.c -o test`, with racefuzz.h and racefuzz_mem.h on
 *    the include path, run `./test`, and paste the `RF_SEED=...` line of a finding to replay it,
 *    in a debugger too: a replay neither forks nor waits for real time.
 *
 * SWITCHES, set before the first include
 *    RF_IMPLEMENTATION   emit the engine here; in exactly one unit, which is C and includes
 *                        racefuzz.h first (or defines _GNU_SOURCE)
 *    RF_OFF              production: the macros become plain C11 and pthreads, nothing of the
 *                        engine is referenced, tests compile away and RF_MAIN exits 77
 *
 * ENVIRONMENT AND COMMAND LINE
 *    Each variable has an option, which wins: RF_SEED and --seed, RF_FAIL_ON and --fail-on.
 *    `--help` shows this list with the defaults and the names that are accepted.  A value that does
 *    not parse is one line on stderr, and exit status 2.
 *    RF_FILTER=PATTERNS         run only these tests: parts of names, or patterns with * and ?,
 *                               separated by commas; - in front leaves tests out; arguments that
 *                               are no options are added to this list
 *    RF_LIST                    print the names of the tests instead
 *    RF_SEED=SEED               a token as printed: replay exactly that execution, in this process;
 *                               a number: the seed of the campaign; random: a new one each time
 *    RF_TRACE                   print the whole interleaving of each execution that is replayed
 *    RF_VERIFY                  run every execution twice and compare them event by event
 *    RF_EXECUTIONS=N            executions per test and phase
 *    RF_SECONDS=SECONDS         cap on the time of each test, reported when it is hit; none: no cap
 *    RF_STEPS=N                 steps after which an execution counts as a livelock
 *    RF_STACK=BYTES             stack of each logical thread; k, m and g may follow the number
 *    RF_STRATEGY=NAMES          what picks the next thread, and who may steer it in the second
 *                               phase; several are separated by commas
 *    RF_DETECT=NAMES            which analyses predict; several are separated by commas
 *    RF_ABSTRACTION=NAME        by what goodlock tells threads and locks apart: deadlocks that are
 *                               alike then are one
 *    RF_MEMORY=NAME             what memory may return; the names from oldest on are heuristics:
 *                               the only one that is tried on races
 *    RF_HISTORY=N               stores that are kept of each location
 *    RF_TEAR=NAME               whether racy plain values of 8 bytes and more may be read in pieces
 *    RF_SAMPLE=ELEMENTS         which of the locations that a race touches may return older values:
 *                               numbers in the order of first touch, separated by commas
 *    RF_CXX20                   release sequences as in C++20: later stores of the same thread do
 *                               not belong to them
 *    RF_GRANULARITY=NAME        where threads may be switched
 *    RF_FAIL_ON=NAME            which races fail a test
 *    RF_JOBS=N                  worker processes; 0: everything in this process; does not change
 *                               what is found
 *    RF_SHARD=I/N               run the part I of N of the campaign
 *    RF_BACKEND=NAME            what logical threads are made of; does not change what is found
 *    RF_WATCHDOG=SECONDS        CPU time that an execution may take without reaching racefuzz
 *    RF_FORMAT=NAME             how the report is written
 *    RF_REPORT=FILE             where the report is written to
 *    RF_HELP                    print this list; also -h
 *    RF_VERSION                 print the version of racefuzz
 *    NO_COLOR, CLICOLOR_FORCE, TERM and COLUMNS are honoured.
 *
 * EXIT STATUS
 *    0 all as expected, 1 failures, 2 usage, 77 everything was skipped.  The last line of a text
 *    report is `N passed, N failed`, with `, N skipped` where there are any.
 *
 * IT DOES NOT
 *    - see shared accesses that no macro announces;
 *    - call a race real that it has not produced;
 *    - prove a program free of races: a campaign that finds nothing has found nothing so far;
 *    - run logical threads in parallel: executions run in parallel, in processes (RF_JOBS);
 *    - depend on addresses, on time, or on the number of workers: a token replays everywhere.
 *
 * CONTENTS, search for the tag
 *    >>engine/types             the objects of the public face
 *    >>engine/entry             what the macros of the public face call
 *    >>engine/stack             the pool of stacks that logical threads run on
 *    >>engine/context           the machine's part of a logical thread, and the switch between two
 *                               of them
 *    >>engine/osthread          the back end that runs every logical thread on a real one
 *    >>engine/fiber             logical threads, one at a time, on either of two back ends
 *    >>engine/event             the one event stream
 *    >>engine/options           what a test may ask for: its expectations and its budget
 *    >>engine/warning           what an analysis has to say
 *    >>engine/iface             the three interfaces
 *    >>engine/verdict           everything that can be wrong with an execution, in one list
 *    >>engine/record            one execution as the report sees it
 *    >>engine/test              a test, as RF_TEST makes it and rf_run takes it
 *    >>engine/state             the state of the one running execution, and its logical threads
 *    >>engine/fail              an execution ends early
 *    >>engine/order             who has heard of whom
 *    >>engine/trace             an analysis that keeps the events in the record
 *    >>engine/memory            the memory model in the engine
 *    >>engine/block             the memory behind RF_MALLOC, and what may not be done to it
 *    >>engine/object            registration, names and misuse of synchronisation objects
 *    >>engine/stuck             what to say when nobody can go on, or nobody stops
 *    >>engine/sched             the scheduler loop
 *    >>engine/access            plain accesses, atomics and fences
 *    >>engine/heap              RF_MALLOC and its kin
 *    >>engine/support           what tests use besides threads: invariants, inputs, log lines,
 *                               scopes
 *    >>engine/lock              mutexes, spin locks and read-write locks
 *    >>engine/sync              condition variables, semaphores, barriers and once
 *    >>engine/thread            creation, end, join, detach, thread-local objects, yields and
 *                               virtual time
 *    >>engine/execute           executions, one after the other, from their plan to their record
 *    >>detect/abstraction       by what the same thread or lock is recognised in another execution
 *    >>detect/blocks            the blocks that should be atomic, and when one was not
 *    >>detect/atomicset         objects that belong together and were used apart: view consistency,
 *                               for declared pairs
 *    >>detect/atomizer          the reduction of atomic blocks as Atomizer does it
 *    >>detect/breakpoint        which concurrent breakpoints two threads may meet at
 *    >>detect/lockset           which locks each thread holds
 *    >>detect/sink              where the race detectors report
 *    >>detect/trackers          what analyses know in common, kept once for all that run at once
 *    >>detect/places            what detectors remember of an access besides its time, as one small
 *                               number
 *    >>detect/choi              precise lockset detection, called "lockset", in complete pair mode
 *    >>detect/cells             the state that a detector keeps for every byte of memory
 *    >>detect/eraser            Eraser, 1997, section 2), with its state machine and its refinement
 *                               for read-write locks
 *    >>detect/fasttrack         FastTrack
 *    >>detect/scopes            in which call each thread is, and by what a thread or an object is
 *                               known in every execution
 *    >>detect/request           a thread that holds locks and wants one more, the keys that
 *                               recognise it in every execution, and the warning of a cycle of such
 *                               requests, the components of a deadlock
 *    >>detect/goodlock          iGoodlock, potential deadlocks
 *    >>detect/crowd             the threads that have made the same access, each with its own clock
 *                               then
 *    >>detect/pairs             every pair of racing statements
 *    >>detect/hb                happens-before with vector clocks, in complete pair mode
 *    >>detect/hybrid            hybrid race detection as the first phase of RaceFuzzer, in complete
 *                               pair mode
 *    >>detect/lostwakeup        notifications that may come before the wait, wake nobody, and be
 *                               lost
 *    >>detect/relock            predicts that a block is torn apart: the predictor of CalFuzzer,
 *                               which treats the second acquisition of a lock in a block as a write
 *                               to the lock and asks hybrid race detection for accesses to it, here
 *                               for memory too
 *    >>detect/all               the analyses that are built in, in the order in which options list
 *                               them
 *    >>explore/atomfuzzer       AtomFuzzer, directed at one prediction
 *    >>explore/breakpoint       two threads at concurrent breakpoints at once
 *    >>explore/deadlockfuzzer   DeadlockFuzzer
 *    >>explore/lostwakeup       a notification that comes before the wait
 *    >>explore/racefuzzer       RaceFuzzer
 *    >>explore/random           the simple random scheduler
 *    >>explore/all              the strategies and the checkers that are built in, in the order in
 *                               which options list them
 *    >>campaign/filter          which tests a filter names
 *    >>campaign/options         the one list of options
 *    >>campaign/spelling        which known name was probably meant
 *    >>campaign/settings        how options are read
 *    >>campaign/crash           dying in the code under test is a finding
 *    >>campaign/registry        every analysis, checker and strategy by name: those that are built
 *                               in, then those that the program has registered, in the order of
 *                               their registration
 *    >>campaign/memory          the settings of memory by name: the model of atomics, and what
 *                               phase 3 tries
 *    >>campaign/result          what a campaign found, as reports read it
 *    >>campaign/job             a job is a numbered sequence of executions of one test
 *    >>campaign/tally           adding up executions
 *    >>campaign/worker          executions run in processes of their own
 *    >>campaign/team            the supervisor of the workers
 *    >>campaign/token           the string that replays an execution
 *    >>campaign/study           the campaign of one test: predict and confirm
 *    >>campaign/adversary       phase 3: which races do harm because memory returns older values
 *    >>campaign/judge           from what was found to what is printed, and whether the test passes
 *    >>report/terminal          where a report is written to, and how text is fitted onto its lines
 *    >>report/words             the words all report formats share
 *    >>report/cut               which steps of an execution are worth showing
 *    >>report/help              the list of options, as text for --help, as a table for the manual,
 *                               as a list for the man page
 *    >>report/interleaving      the picture of one execution, a column per thread, time going down
 *    >>report/progress          one rewritten line on a terminal, nothing elsewhere
 *    >>report/stale             why a read returned what it did, and what would have forbidden it
 *    >>report/text              the format `text`, for people
 *    >>report/tap               the format `tap`, for harnesses: TAP version 14
 *    >>api/macros               what the macros of the public face are made of, with the engine and
 *                               under RF_OFF
 *    >>api/access               shared plain data and the heap
 *    >>api/atomic_types         the part of <stdatomic.h> that makes no event, with rf_ in front
 *    >>api/atomic               the operations of <stdatomic.h> with rf_ in front
 *    >>api/extend               registration of analyses, checkers and strategies of one's own
 *    >>api/guide                what a test tells about its own code, so that racefuzz looks at the
 *                               right places
 *    >>api/off                  the public face without the engine, as plain C11 and pthreads
 *    >>api/switches             what to define before the include, and the version
 *    >>api/run                  rf_run, which ties tests, settings, campaigns and reports together
 *    >>api/sync                 locks, conditions, semaphores, barriers, once
 *    >>api/test                 tests and what they say
 *    >>api/thread               logical threads, virtual time, thread-local objects
 *
 * LICENCE
 *    MIT; see the file LICENSE of the distribution.
 */
#ifndef RACEFUZZ_H
#define RACEFUZZ_H

#include "racefuzz_mem.h"

/* ==== edit src/api/switches.h ============================ >>api/switches */
/* api/switches.h: what to define before the include, and the version.
 *
 * RF_IMPLEMENTATION   in exactly one unit: emit the engine.  That unit is C, and includes this
 *                     header before any other (or defines _GNU_SOURCE).
 * RF_OFF              production: every macro becomes plain C11 and pthreads, nothing of the engine
 *                     is referenced, tests compile away and RF_MAIN exits 77.  In every unit or in
 *                     none; this header comes first, as above.  RF_IMPLEMENTATION may stay.
 *
 * All other units may include racefuzz.h where they like, from C11 or from C++17.  In C++ there are
 * no atomics (rf_atomic_...) and no options of RF_TEST; don't wrap the include in extern "C".
 */
#ifndef RFI_API_SWITCHES_H
#define RFI_API_SWITCHES_H

/* Read by the Makefile too: keep one number a line. */
#define RF_VERSION_MAJOR 0
#define RF_VERSION_MINOR 1
#define RF_VERSION_PATCH 0

#define RFI_TEXT_(x) #x
#define RFI_TEXT(x)  RFI_TEXT_(x)
#define RF_VERSION \
    RFI_TEXT(RF_VERSION_MAJOR) "." RFI_TEXT(RF_VERSION_MINOR) "." RFI_TEXT(RF_VERSION_PATCH)
#endif

/* ==== edit src/engine/event.h ============================ >>engine/event */
/* engine/event.h: the one event stream (docs/internals.md, The event stream).
 *
 * Every operation of the public face makes one event.  It is filled in when the operation is
 * announced (so that schedulers and checkers know each thread's next statement with its address),
 * completed and delivered when it executes.  One list names them all.
 */
#ifndef RFI_ENGINE_EVENT_H
#define RFI_ENGINE_EVENT_H

/* X(name, word for reports) */
/* clang-format off */
#define RFI_EVENTS(X) \
    X(LOAD, "load")                 /* addr, size, value */ \
    X(STORE, "store")               /* addr, size, value */ \
    X(RMW, "update")                /* atomic read-modify-write: value read, value2 written */ \
    X(FENCE, "fence")               /* order */ \
    X(LOCK, "lock")                 /* object; mode; outermost acquisitions only */ \
    X(UNLOCK, "unlock")             /* object; mode; outermost releases only */ \
    X(RELOCK, "lock again")         /* recursive: changes no ownership */ \
    X(REUNLOCK, "unlock (inner)")   /* recursive: changes no ownership */ \
    X(TRYFAIL, "try fails")         /* object: a trylock or a timed lock that gave up */ \
    X(WAIT, "wait")                 /* object = condition, other = mutex, which is released */ \
    X(WAKE, "wakes")                /* object = condition; value = how (rf_wake) */ \
    X(SIGNAL, "signal")             /* object = condition */ \
    X(BROADCAST, "broadcast")       /* object = condition */ \
    X(NOTIFY, "notifies")           /* other = the thread that a signal or broadcast woke */ \
    X(SEM_WAIT, "sem wait")         /* object; the token is taken; value = tokens left */ \
    X(SEM_POST, "sem post")         /* object; value = tokens there are now */ \
    X(ARRIVE, "arrives")            /* object = barrier; value = phase */ \
    X(DEPART, "departs")            /* object = barrier; value = phase */ \
    X(ONCE, "once")                 /* object: this thread runs the initialiser */ \
    X(ONCE_DONE, "once done")       /* object: the initialiser has returned */ \
    X(ONCE_PASS, "once passes")     /* object: a thread goes past a finished once */ \
    X(CREATE, "create")             /* other = child */ \
    X(START, "start")               /* other = parent: before the first operation of a thread */ \
    X(EXIT, "exit")                 /* after the last operation of a thread */ \
    X(JOIN, "join")                 /* other = the thread that has finished */ \
    X(DETACH, "detach")             /* other */ \
    X(YIELD, "yield")               /* also spin hints */ \
    X(SLEEP, "sleep")               /* value = milliseconds of virtual time */ \
    X(ALLOC, "malloc")              /* addr, size, object = block number */ \
    X(FREE, "free")                 /* addr, size, object: a write to every byte of the block */ \
    X(INIT, "init")                 /* object made by an init call */ \
    X(DESTROY, "destroy")           /* object */ \
    X(ENTER, "enter")               /* RF_FUNC: site->function */ \
    X(LEAVE, "leave") \
    X(BLOCK, "atomic block")        /* text = its name */ \
    X(BLOCK_END, "end of the block") \
    X(SET, "atomic set")            /* addr, size: belongs to the set named by text */ \
    X(BREAK, "breakpoint")          /* text = its name; addr */ \
    X(CHOOSE, "choose")             /* value of RF_CHOOSE, value2 = n */ \
    X(LOG, "log")                   /* text */ \
    X(RECYCLE, "recycle")           /* addr, size: stack memory changes hands; forget it */
/* clang-format on */

typedef enum rf_event_kind {
#define RFI_X(name, word) RF_EV_##name,
    RFI_EVENTS(RFI_X)
#undef RFI_X
        RF_EV_COUNT
} rf_event_kind;

#define RF_EV_BIT(kind) (UINT64_C(1) << (kind))

/* How a condition wait ended. */
typedef enum rf_wake { RF_WAKE_SIGNAL, RF_WAKE_TIMEOUT, RF_WAKE_SPURIOUS } rf_wake;

/* Flags of an event. */
enum {
    RF_EV_READS = 1,      /* reads [addr, addr+size) */
    RF_EV_WRITES = 2,     /* writes it */
    RF_EV_ATOMIC = 4,     /* by an atomic operation with `order` */
    RF_EV_RACY = 8,       /* RF_RACY_*: an intended race, never reported as one */
    RF_EV_SHARED = 16,    /* lock held for reading */
    RF_EV_RANGE = 32,     /* announced by RF_READ or RF_WRITE: the value is not known */
    RF_EV_TRY = 64,       /* does not block */
    RF_EV_TIMED = 128,    /* may give up */
    RF_EV_HARMLESS = 256, /* compare-exchange that failed: the read half only */
    RF_EV_FREES = 512,    /* the write that a free is */
    RF_EV_STALE = 1024,   /* a read that returned an older write than the newest: see `origin` */
    RF_EV_FIRST = 4096,   /* breakpoint: this thread goes first */
    RF_EV_TORN = 2048     /* a plain read whose 4-byte units come from two writes */
};

/* Which write a stale or torn read returned, and which newer one it did not. */
typedef struct rf_origin {
    uint32_t thread, newest_thread; /* UINT32_MAX: the value from before the first access */
    const rf_site *site, *newest_site;
    uint32_t hidden;                    /* how many newer writes there were */
    uint8_t order, newest_order;        /* __ATOMIC_*, or RF_ORDER_PLAIN */
    uint64_t other_value, newest_value; /* of the second write of a torn read; of the newest one */
    uint32_t other_thread;              /* of the second write of a torn read */
    const rf_site *other_site;
} rf_origin;

enum { RF_ORDER_PLAIN = 255 };

/* One operation of one thread. */
typedef struct rf_event {
    uint8_t kind;    /* rf_event_kind */
    uint8_t order;   /* __ATOMIC_* of an atomic operation or fence */
    uint16_t flags;  /* RF_EV_READS ... */
    uint32_t thread; /* number of the thread, in order of creation; 0 runs the test's body */
    uint32_t object; /* number of the lock, condition, ...; of the block for ALLOC and FREE */
    uint32_t other;  /* the second thread or object, as the list above says */
    const rf_site *site;
    const void *addr; /* of memory accesses */
    size_t size;
    uint64_t value, value2;        /* first eight bytes, zero-extended; known after execution */
    const char *text;              /* LOG, BLOCK, SET, BREAK */
    uint8_t read_slot, write_slot; /* atomics: which of the kept stores was read, was written */
    const rf_origin *origin;       /* NULL unless RF_EV_STALE or RF_EV_TORN is set */
} rf_event;

#ifdef RFI_IMPL
RFI_FN const char *rfi_event_word(unsigned kind) {
    static const char *const words[] = {
# define RFI_X(name, word) word,
        RFI_EVENTS(RFI_X)
# undef RFI_X
    };
    return kind < RF_EV_COUNT ? words[kind] : "?";
}

/* rf_events_conflict (iface.h). */
RFI_FN bool rfi_event_conflict(const rf_event *a, const rf_event *b) {
    const char *p = a->addr, *q = b->addr;
    return !(a->flags & b->flags & RF_EV_ATOMIC) && !((a->flags | b->flags) & RF_EV_RACY) &&
           ((a->flags | b->flags) & RF_EV_WRITES) && (a->flags & (RF_EV_READS | RF_EV_WRITES)) &&
           (b->flags & (RF_EV_READS | RF_EV_WRITES)) && p < q + b->size && q < p + a->size;
}
#endif
#endif

/* ==== edit src/engine/options.h ========================== >>engine/options */
/* engine/options.h: what a test may ask for: its expectations and its budget.
 *
 * No more than types and constants: code under RF_OFF, where no engine is, fills in options too.
 */
#ifndef RFI_ENGINE_OPTIONS_H
#define RFI_ENGINE_OPTIONS_H

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

/* How far apart scheduling points are (docs/internals.md, Scheduling points). */
typedef enum rf_granularity {
    RF_GRAIN_DEFAULT = 0, /* fine while predicting, coarse while confirming */
    RF_GRAIN_FINE,        /* before every visible operation */
    RF_GRAIN_COARSE       /* before synchronisation, atomics and the statements under suspicion */
} rf_granularity;

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
} rf_options;
#endif

/* ==== edit src/engine/warning.h ========================== >>engine/warning */
/* engine/warning.h: what an analysis has to say (docs/extending.md).
 *
 * A warning is a fault of one family at some places.  Either it has happened in the execution that
 * is running (`real`), or the analysis predicts that another schedule can produce it; then the
 * checkers that confirm its family are directed at its targets.
 */
#ifndef RFI_ENGINE_WARNING_H
#define RFI_ENGINE_WARNING_H

/* X(ID, "name", kind of finding, "words for reports"); a kind of 0 is no fault */
/* clang-format off */
#define RFI_FAMILIES(X) \
    X(RACE, "race", RF_EXPECT_RACE, "race") \
    X(DEADLOCK, "deadlock", RF_EXPECT_DEADLOCK, "deadlock") \
    X(ATOMICITY, "atomicity", RF_EXPECT_ATOMICITY, "atomicity violation") \
    X(ATOMIC_SET, "atomic-set", RF_EXPECT_ATOMICITY, "atomic set torn apart") \
    X(LOST_WAKEUP, "lost-wakeup", RF_EXPECT_DEADLOCK, "lost wake-up") \
    X(BREAKPOINT, "breakpoint", 0, "breakpoint") \
    X(OTHER, "other", RF_EXPECT_FAILURE, "warning") /* of an analysis that is not built in */
/* clang-format on */

typedef enum rf_family {
#define RFI_X(id, name, kind, words) RF_FAMILY_##id,
    RFI_FAMILIES(RFI_X)
#undef RFI_X
        RF_FAMILIES
} rf_family;

#define RF_FAMILY_BIT(family) (1u << (family))

enum { RF_PLACES = 16, RF_TARGETS = 16 }; /* that a warning can have */

/* A lock that a thread holds. */
typedef struct rf_lock {
    uint32_t object;     /* its number */
    bool shared;         /* for reading */
    const rf_site *site; /* where it was taken; NULL: not told */
} rf_lock;

/* One of the places that a warning names. */
typedef struct rf_place {
    const rf_site *site;
    const char *role;    /* what is done there, a constant: "takes"; NULL for an access */
    uint32_t thread;     /* UINT32_MAX: not known */
    uint32_t object;     /* what it is done to; 0: nothing that has a number */
    uint32_t size;       /* of an access in bytes; 0: it is none */
    uint16_t flags;      /* RF_EV_READS ... of an access */
    uint16_t locks;      /* that the thread holds */
    const rf_lock *lock; /* them */
} rf_place;

typedef struct rf_warning {
    rf_family family;
    const char *by;   /* name of the analysis */
    bool real;        /* it has happened; else it is predicted */
    uint32_t places;  /* at least 1 */
    uint32_t targets; /* 0: the statements at the places */
    rf_place place[RF_PLACES];
    /* What checkers are directed at, in a form that is the same in every execution: keys of 40
     * bits.  Warnings of one family with the same targets are the same warning; those of the family
     * "other" only if they are of the same analysis as well. */
    uint64_t target[RF_TARGETS];
    /* So many of the targets, from the first on, tell warnings apart; 0: all.  The others are
     * statements that help the checker: those of all reports of one warning are gathered. */
    uint32_t telling;
    const void *addr; /* of the memory it is about; may be NULL */
    const char *text; /* what is wrong, one sentence; NULL: the family's words say it */
} rf_warning;

RFI_EXTERN_C_BEGIN
/* From the callbacks of an analysis or a checker: counts the warning.  Everything in it is copied,
 * but for `role`.  More than 1,024 different ones in one test are counted, not kept. */
void rf_warn(const rf_warning *w);
/* The key of a statement, as targets have it. */
uint64_t rf_site_key(const rf_site *s);
/* The key of a name: of a breakpoint, of a set. */
uint64_t rf_name_key(const char *name);
RFI_EXTERN_C_END

#ifdef RFI_IMPL
typedef struct rfi_family_info {
    const char *name, *words;
    unsigned kind;
} rfi_family_info;

RFI_FN const rfi_family_info *rfi_family(unsigned family) {
    static const rfi_family_info list[] = {
# define RFI_X(id, name, kind, words) {name, words, kind},
        RFI_FAMILIES(RFI_X)
# undef RFI_X
    };
    return &list[family < RF_FAMILIES ? family : RF_FAMILY_OTHER];
}

/* Who wants the warnings; NULL: nobody. */
static void (*rfi_warning_sink)(const rf_warning *w) RFI_UNUSED;

/* What an analysis gets wrong at its first try. */
RFI_FN RFI_COLD void rfi_warning_refuse(const rf_warning *w, const char *why) {
    rfi_die("rf_warn: a warning of the analysis %s %s", w->by ? w->by : "without a name", why);
}

RFI_FN void rfi_warning_check(const rf_warning *w) {
    if ((unsigned)w->family >= RF_FAMILIES) rfi_warning_refuse(w, "is of no family");
    if (!w->places || w->places > RF_PLACES)
        rfi_warning_refuse(w, "has no place, or more than RF_PLACES");
    if (w->family == RF_FAMILY_RACE && w->places != 2)
        rfi_warning_refuse(w, "is a race and has not two places");
    if (w->targets > RF_TARGETS) rfi_warning_refuse(w, "has more than RF_TARGETS targets");
    for (uint32_t i = 0; i < w->places; i++)
        if (!w->place[i].site) rfi_warning_refuse(w, "has a place without a site");
    for (uint32_t i = 0; i < w->targets; i++)
        if (!w->target[i] || w->target[i] >> RFI_KEY_BITS)
            rfi_warning_refuse(w, "has a target that is 0 or has more than 40 bits");
}

void rf_warn(const rf_warning *w) {
    rfi_warning_check(w);
    if (rfi_warning_sink) rfi_warning_sink(w);
}

uint64_t rf_site_key(const rf_site *s) { return s ? rfi_site_known_key(s) : 0; }

uint64_t rf_name_key(const char *name) { return rfi_hash_text(name) >> (64 - RFI_KEY_BITS) | 1; }
#endif
#endif

/* ==== edit src/engine/iface.h ============================ >>engine/iface */
/* engine/iface.h: the three interfaces (docs/internals.md, Extension).
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
} rf_analysis;

/* What a strategy may choose from. */
typedef struct rf_choice {
    uint32_t count;          /* number of candidates, at least 1 */
    uint32_t last;           /* the thread of the previous step, candidate or not */
    const uint64_t *rfi_set; /* bit set by thread number */
    uint32_t rfi_words;
} rf_choice;

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

RFI_EXTERN_C_BEGIN
/* The i-th candidate in ascending order of thread numbers. */
uint32_t rf_choice_at(const rf_choice *c, uint32_t i);
bool rf_choice_has(const rf_choice *c, uint32_t thread);

/* The next 64 bits of a stream; a number below n (n >= 1), all with the same probability; true with
 * probability 1/2. */
uint64_t rf_random(rf_prng *r);
uint32_t rf_random_below(rf_prng *r, uint32_t n);
bool rf_random_coin(rf_prng *r);

/* Would these accesses race if nothing orders them?  The ranges overlap, one of them writes, not
 * both are atomic, and neither is marked as an intended race. */
bool rf_events_conflict(const rf_event *a, const rf_event *b);
/* The announced operation of a thread; of one that has ended, its last; NULL: there is no such
 * thread. */
const rf_event *rf_next_event(uint32_t thread);

/* Threads so far in this execution; their numbers are below. */
uint32_t rf_threads(void);
/* Has thread `t` begun and not ended? */
bool rf_thread_alive(uint32_t t);
/* Could its announced operation complete now? */
bool rf_thread_enabled(uint32_t t);
/* The locks that it holds, in the order in which it took them: at most `most` are written, the
 * number of all is returned. */
uint32_t rf_thread_locks(uint32_t t, rf_lock *lock, uint32_t most);
/* Where an object was initialised, or first used if it has a static initialiser; and its name. NULL
 * if there is no such object. */
const rf_site *rf_object_site(uint32_t object);
const char *rf_object_name(uint32_t object);
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
uint64_t rf_random(rf_prng *r) { return rfi_draw(r); }
uint32_t rf_random_below(rf_prng *r, uint32_t n) { return rfi_below(r, n); }
bool rf_random_coin(rf_prng *r) { return rfi_coin(r); }
bool rf_events_conflict(const rf_event *a, const rf_event *b) { return rfi_event_conflict(a, b); }

/* ---- sets of threads ---- */

RFI_INLINE bool rfi_in(const uint64_t *set, uint32_t t) { return set[t / 64] >> (t % 64) & 1; }
RFI_INLINE void rfi_put(uint64_t *set, uint32_t t) { set[t / 64] |= UINT64_C(1) << (t % 64); }
RFI_INLINE void rfi_take(uint64_t *set, uint32_t t) { set[t / 64] &= ~(UINT64_C(1) << (t % 64)); }

RFI_INLINE uint32_t rfi_bits(uint64_t x) {
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

bool rf_choice_has(const rf_choice *c, uint32_t t) {
    return t / 64 < c->rfi_words && rfi_in(c->rfi_set, t);
}
#endif
#endif

/* ==== edit src/api/macros.h ============================== >>api/macros */
/* api/macros.h: what the macros of the public face are made of, with the engine and under RF_OFF.
 *
 * They keep three promises.  An argument is evaluated once, and before the operation is announced.
 * Macros nest in each other's arguments without shadowing: every local name carries a number.  They
 * may stand in an inline function with external linkage: the site is constant, and no function with
 * internal linkage is called.
 */
#ifndef RFI_API_MACROS_H
#define RFI_API_MACROS_H

/* RFI_UNIQUE(BODY, __COUNTER__, ...) is BODY(s, p, v, t, u, ...) with five names of its own. */
#define RFI_UNIQUE(body, n, ...) \
    body(RFI_CAT(rfi_s, n), RFI_CAT(rfi_p, n), RFI_CAT(rfi_v, n), RFI_CAT(rfi_t, n), \
         RFI_CAT(rfi_u, n), __VA_ARGS__)

#define RFI_CLEANUP(fn) __attribute__((cleanup(fn)))

/* RFI_AUTO declares by its initialiser.  RFI_VALUE(p) is the type of a value read from *p: without
 * qualifiers and without _Atomic. */
#ifdef __cplusplus
# include <type_traits>
# define RFI_AUTO     auto
# define RFI_VALUE(p) std::remove_cv_t<std::remove_reference_t<decltype(*(p))>>
#else
# define RFI_AUTO     __auto_type
# define RFI_VALUE(p) __typeof__(((void)0, *(p)))
#endif

/* What __builtin_classify_type says, in gcc and clang; gcc promotes small integers first. */
#define RFI_CLASS_INTEGER 1
#define RFI_CLASS_POINTER 5
#define RFI_CLASS_REAL    8

/* Unless `a op b`, failed(text, value of a, value of b).  ((void)0, a): RFI_AUTO takes no bit-field
 * but its value.  Both sides are converted as the operator would, but openly, so that no compiler
 * warns of int against size_t. */
#define RFI_COMPARE(s, p, v, t, u, failed, text, a, op, b) \
    __extension__({ \
        RFI_AUTO p = ((void)0, (a)); \
        RFI_AUTO v = ((void)0, (b)); \
        typedef __typeof__(1 ? p : v) t; \
        if (RFI_UNLIKELY(!((t)p op (t)v))) failed(text, p, v); \
    })
#endif

/* ==== edit src/api/atomic_types.h ======================== >>api/atomic_types */
/* api/atomic_types.h: the part of <stdatomic.h> that makes no event, with rf_ in front.
 *
 * The same with the engine and under RF_OFF.  Macros in capitals have RF_ in front.
 */
#ifndef RFI_API_ATOMIC_TYPES_H
#define RFI_API_ATOMIC_TYPES_H

#ifndef __cplusplus
/* The values are those of memory_order_relaxed and so on: either spelling may be used. */
typedef enum rf_memory_order {
    rf_memory_order_relaxed = __ATOMIC_RELAXED,
    rf_memory_order_consume = __ATOMIC_CONSUME,
    rf_memory_order_acquire = __ATOMIC_ACQUIRE,
    rf_memory_order_release = __ATOMIC_RELEASE,
    rf_memory_order_acq_rel = __ATOMIC_ACQ_REL,
    rf_memory_order_seq_cst = __ATOMIC_SEQ_CST
} rf_memory_order;

typedef _Atomic(bool) rf_atomic_bool;
typedef _Atomic(char) rf_atomic_char;
typedef _Atomic(signed char) rf_atomic_schar;
typedef _Atomic(unsigned char) rf_atomic_uchar;
typedef _Atomic(short) rf_atomic_short;
typedef _Atomic(unsigned short) rf_atomic_ushort;
typedef _Atomic(int) rf_atomic_int;
typedef _Atomic(unsigned) rf_atomic_uint;
typedef _Atomic(long) rf_atomic_long;
typedef _Atomic(unsigned long) rf_atomic_ulong;
typedef _Atomic(long long) rf_atomic_llong;
typedef _Atomic(unsigned long long) rf_atomic_ullong;
typedef _Atomic(__CHAR16_TYPE__) rf_atomic_char16_t;
typedef _Atomic(__CHAR32_TYPE__) rf_atomic_char32_t;
typedef _Atomic(wchar_t) rf_atomic_wchar_t;
typedef _Atomic(int_least8_t) rf_atomic_int_least8_t;
typedef _Atomic(uint_least8_t) rf_atomic_uint_least8_t;
typedef _Atomic(int_least16_t) rf_atomic_int_least16_t;
typedef _Atomic(uint_least16_t) rf_atomic_uint_least16_t;
typedef _Atomic(int_least32_t) rf_atomic_int_least32_t;
typedef _Atomic(uint_least32_t) rf_atomic_uint_least32_t;
typedef _Atomic(int_least64_t) rf_atomic_int_least64_t;
typedef _Atomic(uint_least64_t) rf_atomic_uint_least64_t;
typedef _Atomic(int_fast8_t) rf_atomic_int_fast8_t;
typedef _Atomic(uint_fast8_t) rf_atomic_uint_fast8_t;
typedef _Atomic(int_fast16_t) rf_atomic_int_fast16_t;
typedef _Atomic(uint_fast16_t) rf_atomic_uint_fast16_t;
typedef _Atomic(int_fast32_t) rf_atomic_int_fast32_t;
typedef _Atomic(uint_fast32_t) rf_atomic_uint_fast32_t;
typedef _Atomic(int_fast64_t) rf_atomic_int_fast64_t;
typedef _Atomic(uint_fast64_t) rf_atomic_uint_fast64_t;
typedef _Atomic(intptr_t) rf_atomic_intptr_t;
typedef _Atomic(uintptr_t) rf_atomic_uintptr_t;
typedef _Atomic(size_t) rf_atomic_size_t;
typedef _Atomic(ptrdiff_t) rf_atomic_ptrdiff_t;
typedef _Atomic(intmax_t) rf_atomic_intmax_t;
typedef _Atomic(uintmax_t) rf_atomic_uintmax_t;

/* Lock-free on this machine (0 never, 1 sometimes, 2 always); in tests the model has no locks. */
# define RF_ATOMIC_BOOL_LOCK_FREE     __GCC_ATOMIC_BOOL_LOCK_FREE
# define RF_ATOMIC_CHAR_LOCK_FREE     __GCC_ATOMIC_CHAR_LOCK_FREE
# define RF_ATOMIC_CHAR16_T_LOCK_FREE __GCC_ATOMIC_CHAR16_T_LOCK_FREE
# define RF_ATOMIC_CHAR32_T_LOCK_FREE __GCC_ATOMIC_CHAR32_T_LOCK_FREE
# define RF_ATOMIC_WCHAR_T_LOCK_FREE  __GCC_ATOMIC_WCHAR_T_LOCK_FREE
# define RF_ATOMIC_SHORT_LOCK_FREE    __GCC_ATOMIC_SHORT_LOCK_FREE
# define RF_ATOMIC_INT_LOCK_FREE      __GCC_ATOMIC_INT_LOCK_FREE
# define RF_ATOMIC_LONG_LOCK_FREE     __GCC_ATOMIC_LONG_LOCK_FREE
# define RF_ATOMIC_LLONG_LOCK_FREE    __GCC_ATOMIC_LLONG_LOCK_FREE
# define RF_ATOMIC_POINTER_LOCK_FREE  __GCC_ATOMIC_POINTER_LOCK_FREE

/* True where objects of this size are always lock-free here. */
# define rf_atomic_is_lock_free(object) ((bool)__atomic_always_lock_free(sizeof *(object), 0))

# define RF_ATOMIC_VAR_INIT(value) (value)
# define rf_kill_dependency(value) ((void)0, (value))

/* Orders nothing between threads; it only holds the compiler back. */
# define rf_atomic_signal_fence(order) __atomic_signal_fence((int)(order))
#endif
#endif

#ifdef RF_OFF

/* ==== edit src/api/off.h ================================= >>api/off */
/* api/off.h: the public face without the engine, as plain C11 and pthreads (RF_OFF).
 *
 * For production builds of annotated code: each name does what its namesake in the C library does,
 * compiles to the same machine code as a call written by hand, and leaves no symbol behind.  What
 * the C library calls undefined is undefined here.  Errors of pthread functions that have no result
 * in the public face are ignored, as hand-written code ignores them; a thread that can't be made
 * ends the program.  Tests compile away.
 */
#ifndef RFI_API_OFF_H
#define RFI_API_OFF_H

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifndef __cplusplus
# include <stdatomic.h>
#endif

/* Always inlined and never emitted; unlike a static function it may be called from an inline
 * function with external linkage. */
#define RFI_OFF_FN extern inline __attribute__((gnu_inline, always_inline))

RFI_OFF_FN RFI_NORETURN void rfi_off_die(const char *file, int line, const char *what) {
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    abort();
}

/* ---- tests ---- */

#define RF_TEST(...)            RFI_OFF_TEST(__VA_ARGS__, )
#define RFI_OFF_TEST(name, ...) RFI_UNUSED static inline void rf_test_##name(void)
#define RF_MAIN() \
    int main(void) { return 77; }

RFI_OFF_FN int rf_run(const rf_options *options, int argc, char **argv) {
    (void)options, (void)argc, (void)argv;
    return 77;
}

/* Assertions may stand in the code under test: they print where they failed, and abort. */
#define RF_ASSERT(...)              RFI_OFF_ASSERT((__VA_ARGS__), #__VA_ARGS__)
#define RF_ASSERT_EQ(a, b)          RFI_OFF_ASSERT_OP(a, ==, b, #a " == " #b)
#define RF_ASSERT_NE(a, b)          RFI_OFF_ASSERT_OP(a, !=, b, #a " != " #b)
#define RF_ASSERT_LT(a, b)          RFI_OFF_ASSERT_OP(a, <, b, #a " < " #b)
#define RF_ASSERT_LE(a, b)          RFI_OFF_ASSERT_OP(a, <=, b, #a " <= " #b)
#define RF_ASSERT_GT(a, b)          RFI_OFF_ASSERT_OP(a, >, b, #a " > " #b)
#define RF_ASSERT_GE(a, b)          RFI_OFF_ASSERT_OP(a, >=, b, #a " >= " #b)
#define RF_ASSERT_STR_EQ(a, b)      RFI_OFF_ASSERT(rfi_off_str_eq(a, b), #a " equals " #b)
#define RF_ASSERT_MEM_EQ(a, b, len) RFI_OFF_ASSERT(memcmp(a, b, len) == 0, #a " equals " #b)

#define RFI_OFF_ASSERT(holds, text) (RFI_LIKELY(holds) ? (void)0 : RFI_OFF_FAILED(text, 0, 0))
#define RFI_OFF_ASSERT_OP(a, op, b, text) \
    RFI_UNIQUE(RFI_COMPARE, __COUNTER__, RFI_OFF_FAILED, text, a, op, b)
#define RFI_OFF_FAILED(text, p, v) rfi_off_die(__FILE__, __LINE__, "assertion failed: " text)

RFI_OFF_FN bool rfi_off_str_eq(const char *a, const char *b) {
    return a == b || (a && b && !strcmp(a, b));
}

#define RF_FAIL(...) \
    ((void)fprintf(stderr, "%s:%d: ", __FILE__, __LINE__), (void)fprintf(stderr, __VA_ARGS__), \
     (void)fputc('\n', stderr), abort())
#define RF_SKIP(reason)       rfi_off_die(__FILE__, __LINE__, reason)
#define RF_LOG(...)           ((void)(0 && fprintf(stderr, __VA_ARGS__)))
#define RF_INVARIANT(fn, arg) ((void)(fn), (void)(arg))
#define RF_CHOOSE(n)          ((void)(n), UINT32_C(0))
#define RF_FUNC               ((void)0)

#define RF_ATOMIC_BLOCK(name)              RFI_OFF_BLOCK(RFI_CAT(rfi_block_, __COUNTER__), name)
#define RF_ATOMIC_SET(name, a, b)          ((void)(name), (void)(a), (void)(b))
#define RF_BREAKPOINT(name, address)       ((void)(name), (void)(address))
#define RF_BREAKPOINT_FIRST(name, address) ((void)(name), (void)(address))
/* Extensions are compiled and left out: nothing calls them. */
RFI_OFF_FN uint32_t rf_choice_at(const rf_choice *c, uint32_t i) { return c->last + i; }
RFI_OFF_FN bool rf_choice_has(const rf_choice *c, uint32_t t) { return c->last == t; }
RFI_OFF_FN uint64_t rf_random(rf_prng *r) { return r->state; }
RFI_OFF_FN uint32_t rf_random_below(rf_prng *r, uint32_t n) { return (void)r, (void)n, 0u; }
RFI_OFF_FN bool rf_random_coin(rf_prng *r) { return (void)r, false; }
RFI_OFF_FN bool rf_events_conflict(const rf_event *a, const rf_event *b) { return a == b; }
RFI_OFF_FN const rf_event *rf_next_event(uint32_t t) { return (void)t, (const rf_event *)NULL; }
RFI_OFF_FN uint32_t rf_threads(void) { return 0; }
RFI_OFF_FN bool rf_thread_alive(uint32_t t) { return (void)t, false; }
RFI_OFF_FN bool rf_thread_enabled(uint32_t t) { return (void)t, false; }
RFI_OFF_FN uint32_t rf_thread_locks(uint32_t t, rf_lock *lock, uint32_t most) {
    return (void)t, (void)lock, (void)most, 0u;
}
RFI_OFF_FN const rf_site *rf_object_site(uint32_t o) { return (void)o, (const rf_site *)NULL; }
RFI_OFF_FN const char *rf_object_name(uint32_t o) { return (void)o, (const char *)NULL; }
RFI_OFF_FN bool rf_object_made(uint32_t o) { return (void)o, false; }
RFI_OFF_FN bool rf_object_is_lock(uint32_t o) { return (void)o, false; }
RFI_OFF_FN const uint64_t *rf_check_targets(uint32_t *n) { return *n = 0, (uint64_t *)NULL; }
RFI_OFF_FN void rf_check_pause(void) {}
RFI_OFF_FN void rf_check_pause_for(uint32_t decisions) { (void)decisions; }
RFI_OFF_FN void rf_check_hit(const rf_event *a, const rf_event *b) { (void)a, (void)b; }
RFI_OFF_FN void rf_check_release(uint32_t t) { (void)t; }
RFI_OFF_FN void rf_check_run(uint32_t t) { (void)t; }
RFI_OFF_FN void rf_check_each_paused(void (*fn)(uint32_t, void *), void *arg) {
    (void)fn, (void)arg;
}
RFI_OFF_FN rf_prng *rf_check_random(void) { return NULL; }
RFI_OFF_FN void rf_warn(const rf_warning *w) { (void)w; }
RFI_OFF_FN uint64_t rf_site_key(const rf_site *s) { return (void)s, UINT64_C(0); }
RFI_OFF_FN uint64_t rf_name_key(const char *name) { return (void)name, UINT64_C(0); }
#define RF_ANALYSIS(a) RFI_OFF_REGISTER(rf_analysis, a)
#define RF_CHECKER(c)  RFI_OFF_REGISTER(rf_checker, c)
#define RF_STRATEGY(s) RFI_OFF_REGISTER(rf_strategy, s)
#define RFI_OFF_REGISTER(type, object) \
    RFI_UNUSED static inline const type *RFI_CAT(rfi_register_, __COUNTER__)(void) { \
        return &(object); \
    } \
    typedef int RFI_CAT(rfi_registered_, __LINE__) RFI_UNUSED /* takes the semicolon */

#define RFI_OFF_BLOCK(block, name) \
    for (bool block = ((void)(name), true); block; block = false)

/* ---- plain data and the heap ---- */

/* *& keeps bit-fields out, as the engine does; the value of a statement expression is no lvalue. */
#define RF_LOAD(lvalue)            __extension__({ *&(lvalue); })
#define RF_STORE(lvalue, ...)      ((void)(*&(lvalue) = (__VA_ARGS__)))
#define RF_RACY_LOAD(lvalue)       RF_LOAD(lvalue)
#define RF_RACY_STORE(lvalue, ...) RF_STORE(lvalue, __VA_ARGS__)
#define RF_READ(ptr, len)          ((void)(ptr), (void)(len))
#define RF_WRITE(ptr, len)         ((void)(ptr), (void)(len))
#define RF_MALLOC(size)            malloc(size)
#define RF_CALLOC(count, size)     calloc(count, size)
#define RF_REALLOC(ptr, size)      realloc(ptr, size)
#define RF_FREE(ptr)               free(ptr)

/* ---- threads and time ---- */

typedef pthread_t rf_thread;

RFI_OFF_FN rf_thread rfi_off_thread(void *(*fn)(void *), void *arg, const char *file, int line) {
    pthread_t t;
    if (pthread_create(&t, NULL, fn, arg)) rfi_off_die(file, line, "RF_THREAD: no more threads");
    return t;
}

RFI_OFF_FN void *rfi_off_join(rf_thread t) {
    void *result = NULL;
    pthread_join(t, &result);
    return result;
}

RFI_OFF_FN void rfi_off_sleep(uint64_t ms) {
    struct timespec left;
    left.tv_sec = (time_t)(ms / 1000);
    left.tv_nsec = (long)(ms % 1000) * 1000000;
    while (nanosleep(&left, &left)) {} /* a signal came */
}

#define RF_THREAD(fn, arg) rfi_off_thread(fn, arg, __FILE__, __LINE__)
#define RF_JOIN(t)         rfi_off_join(t)
#define RF_DETACH(t)       ((void)pthread_detach(t))
#define RF_SELF()          pthread_self()
#define RF_YIELD()         ((void)sched_yield())
#define RF_SLEEP_MS(n)     rfi_off_sleep(n)

/* __thread is _Thread_local in C and thread_local in C++. */
#define RF_TLS(T, name)  static __thread __typeof__(T) name
#define RF_TLS_PTR(name) (&(name))

/* The time `ms` milliseconds from now, as pthread_..._timed... take it. */
RFI_OFF_FN struct timespec rfi_off_deadline(uint64_t ms) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += (time_t)(ms / 1000);
    t.tv_nsec += (long)(ms % 1000) * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    return t;
}

/* ---- mutex ---- */

typedef pthread_mutex_t rf_mutex;
enum {
    RF_MUTEX_NORMAL = PTHREAD_MUTEX_NORMAL,
    RF_MUTEX_RECURSIVE = PTHREAD_MUTEX_RECURSIVE,
    RF_MUTEX_ERRORCHECK = PTHREAD_MUTEX_ERRORCHECK
};

RFI_OFF_FN void rf_mutex_init(rf_mutex *m, const char *name, int kind) {
    pthread_mutexattr_t attributes;
    (void)name;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kind);
    pthread_mutex_init(m, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

RFI_OFF_FN bool rfi_off_timedlock(rf_mutex *m, uint64_t ms) {
    struct timespec deadline = rfi_off_deadline(ms);
    return !pthread_mutex_timedlock(m, &deadline);
}

typedef struct rfi_off_guard {
    rf_mutex *mutex;
    bool open;
} rfi_off_guard;

RFI_OFF_FN rfi_off_guard rfi_off_guard_begin(rf_mutex *m) {
    rfi_off_guard g = {m, true};
    pthread_mutex_lock(m);
    return g;
}
RFI_OFF_FN void rfi_off_guard_end(rfi_off_guard *g) { pthread_mutex_unlock(g->mutex); }

#define RF_MUTEX_INIT       PTHREAD_MUTEX_INITIALIZER
#define rf_mutex_destroy(m) ((void)pthread_mutex_destroy(m))
#define RF_LOCK(m)          ((void)pthread_mutex_lock(m))
#define RF_TRYLOCK(m)       (!pthread_mutex_trylock(m))
#define RF_TIMEDLOCK(m, ms) rfi_off_timedlock(m, ms)
#define RF_UNLOCK(m)        ((void)pthread_mutex_unlock(m))
#define RF_GUARD(m)         RFI_OFF_GUARD(RFI_CAT(rfi_guard_, __COUNTER__), m)
#define RFI_OFF_GUARD(guard, m) \
    for (rfi_off_guard guard RFI_CLEANUP(rfi_off_guard_end) = rfi_off_guard_begin(m); \
         guard.open; guard.open = false)

/* ---- rwlock ---- */

typedef pthread_rwlock_t rf_rwlock;

#define RF_RWLOCK_INIT          PTHREAD_RWLOCK_INITIALIZER
#define rf_rwlock_init(l, name) ((void)(name), (void)pthread_rwlock_init(l, NULL))
#define rf_rwlock_destroy(l)    ((void)pthread_rwlock_destroy(l))
#define RF_RDLOCK(l)            ((void)pthread_rwlock_rdlock(l))
#define RF_WRLOCK(l)            ((void)pthread_rwlock_wrlock(l))
#define RF_TRYRDLOCK(l)         (!pthread_rwlock_tryrdlock(l))
#define RF_TRYWRLOCK(l)         (!pthread_rwlock_trywrlock(l))
#define RF_RWUNLOCK(l)          ((void)pthread_rwlock_unlock(l))

/* ---- spin lock: our own, since pthread_spinlock_t has no static initialiser ---- */

typedef struct rf_spin {
    bool taken;
} rf_spin;

#if defined __x86_64__ || defined __i386__
# define RF_SPIN_HINT() __builtin_ia32_pause()
#elif defined __aarch64__ || defined __arm__
# define RF_SPIN_HINT() __asm__ volatile("yield" ::: "memory")
#else
# define RF_SPIN_HINT() ((void)sched_yield())
#endif

RFI_OFF_FN void rfi_off_spin_lock(rf_spin *l) {
    while (__atomic_test_and_set(&l->taken, __ATOMIC_ACQUIRE))
        while (__atomic_load_n(&l->taken, __ATOMIC_RELAXED)) RF_SPIN_HINT();
}

#define RF_SPIN_INIT          {false}
#define rf_spin_init(l, name) ((void)(name), (void)((l)->taken = false))
#define rf_spin_destroy(l)    ((void)(l))
#define RF_SPIN_LOCK(l)       rfi_off_spin_lock(l)
#define RF_SPIN_TRYLOCK(l)    (!__atomic_test_and_set(&(l)->taken, __ATOMIC_ACQUIRE))
#define RF_SPIN_UNLOCK(l)     __atomic_clear(&(l)->taken, __ATOMIC_RELEASE)

/* ---- condition ---- */

typedef pthread_cond_t rf_cond;

RFI_OFF_FN bool rfi_off_timedwait(rf_cond *c, rf_mutex *m, uint64_t ms) {
    struct timespec deadline = rfi_off_deadline(ms);
    return !pthread_cond_timedwait(c, m, &deadline);
}

#define RF_COND_INIT           PTHREAD_COND_INITIALIZER
#define rf_cond_init(c, name)  ((void)(name), (void)pthread_cond_init(c, NULL))
#define rf_cond_destroy(c)     ((void)pthread_cond_destroy(c))
#define RF_WAIT(c, m)          ((void)pthread_cond_wait(c, m))
#define RF_TIMEDWAIT(c, m, ms) rfi_off_timedwait(c, m, ms)
#define RF_SIGNAL(c)           ((void)pthread_cond_signal(c))
#define RF_BROADCAST(c)        ((void)pthread_cond_broadcast(c))

/* ---- semaphore and barrier: our own, since those of POSIX have no static initialisers ---- */

typedef struct rf_sem {
    pthread_mutex_t mutex;
    pthread_cond_t posted;
    uint32_t count;
} rf_sem;

#define RF_SEM_INIT(n) {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, (n)}

RFI_OFF_FN void rf_sem_init(rf_sem *s, const char *name, uint32_t n) {
    (void)name;
    pthread_mutex_init(&s->mutex, NULL);
    pthread_cond_init(&s->posted, NULL);
    s->count = n;
}

RFI_OFF_FN void rf_sem_destroy(rf_sem *s) {
    pthread_cond_destroy(&s->posted);
    pthread_mutex_destroy(&s->mutex);
}

/* Takes one, waiting until the deadline for it; NULL waits for ever. */
RFI_OFF_FN bool rfi_off_sem_take(rf_sem *s, const struct timespec *deadline) {
    int late = 0;
    pthread_mutex_lock(&s->mutex);
    while (!s->count && !late)
        late = deadline ? pthread_cond_timedwait(&s->posted, &s->mutex, deadline)
                        : pthread_cond_wait(&s->posted, &s->mutex);
    bool taken = s->count > 0;
    if (taken) s->count--;
    pthread_mutex_unlock(&s->mutex);
    return taken;
}

RFI_OFF_FN bool rfi_off_sem_timedwait(rf_sem *s, uint64_t ms) {
    struct timespec deadline = rfi_off_deadline(ms);
    return rfi_off_sem_take(s, &deadline);
}

RFI_OFF_FN bool rfi_off_sem_trywait(rf_sem *s) {
    pthread_mutex_lock(&s->mutex);
    bool taken = s->count > 0;
    if (taken) s->count--;
    pthread_mutex_unlock(&s->mutex);
    return taken;
}

RFI_OFF_FN void rfi_off_sem_post(rf_sem *s) {
    pthread_mutex_lock(&s->mutex);
    s->count++;
    pthread_cond_signal(&s->posted);
    pthread_mutex_unlock(&s->mutex);
}

#define RF_SEM_WAIT(s)          ((void)rfi_off_sem_take(s, NULL))
#define RF_SEM_TRYWAIT(s)       rfi_off_sem_trywait(s)
#define RF_SEM_TIMEDWAIT(s, ms) rfi_off_sem_timedwait(s, ms)
#define RF_SEM_POST(s)          rfi_off_sem_post(s)

typedef struct rf_barrier {
    pthread_mutex_t mutex;
    pthread_cond_t complete;
    uint32_t parties, arrived, phase;
} rf_barrier;

#define RF_BARRIER_INIT(n) {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, (n), 0, 0}

RFI_OFF_FN void rf_barrier_init(rf_barrier *b, const char *name, uint32_t n) {
    (void)name;
    pthread_mutex_init(&b->mutex, NULL);
    pthread_cond_init(&b->complete, NULL);
    b->parties = n;
    b->arrived = b->phase = 0;
}

RFI_OFF_FN void rf_barrier_destroy(rf_barrier *b) {
    pthread_mutex_lock(&b->mutex); /* waits for the last one to leave */
    pthread_mutex_unlock(&b->mutex);
    pthread_cond_destroy(&b->complete);
    pthread_mutex_destroy(&b->mutex);
}

RFI_OFF_FN bool rfi_off_barrier_wait(rf_barrier *b) {
    pthread_mutex_lock(&b->mutex);
    uint32_t phase = b->phase;
    bool last = ++b->arrived == b->parties;
    if (last) {
        b->arrived = 0;
        b->phase++;
        pthread_cond_broadcast(&b->complete);
    }
    while (phase == b->phase) pthread_cond_wait(&b->complete, &b->mutex);
    pthread_mutex_unlock(&b->mutex);
    return last;
}

#define RF_BARRIER_WAIT(b) rfi_off_barrier_wait(b)

/* ---- once ---- */

typedef pthread_once_t rf_once;

RFI_OFF_FN void rf_once_init(rf_once *o, const char *name) {
    const pthread_once_t fresh = PTHREAD_ONCE_INIT;
    (void)name;
    *o = fresh;
}

#define RF_ONCE_INIT       PTHREAD_ONCE_INIT
#define rf_once_destroy(o) ((void)(o))
#define RF_ONCE(o, fn)     ((void)pthread_once(o, fn))

/* ---- atomics ---- */

#ifndef __cplusplus
typedef atomic_flag rf_atomic_flag;

# define RF_ATOMIC_FLAG_INIT                        ATOMIC_FLAG_INIT
# define rf_atomic_flag_test_and_set(flag)          atomic_flag_test_and_set(flag)
# define rf_atomic_flag_clear(flag)                 atomic_flag_clear(flag)
# define rf_atomic_flag_clear_explicit(flag, order) atomic_flag_clear_explicit(flag, order)
# define rf_atomic_flag_test_and_set_explicit(flag, order) \
     atomic_flag_test_and_set_explicit(flag, order)

# define rf_atomic_thread_fence(order)                  atomic_thread_fence(order)
# define rf_atomic_init(object, value)                  atomic_init(object, value)
# define rf_atomic_load(object)                         atomic_load(object)
# define rf_atomic_load_explicit(object, order)         atomic_load_explicit(object, order)
# define rf_atomic_store(object, value)                 atomic_store(object, value)
# define rf_atomic_store_explicit(object, value, order) atomic_store_explicit(object, value, order)
# define rf_atomic_exchange(object, value)              atomic_exchange(object, value)
# define rf_atomic_exchange_explicit(object, value, order) \
     atomic_exchange_explicit(object, value, order)
# define rf_atomic_compare_exchange_strong(object, expected, desired) \
     atomic_compare_exchange_strong(object, expected, desired)
# define rf_atomic_compare_exchange_strong_explicit(object, expected, desired, success, failure) \
     atomic_compare_exchange_strong_explicit(object, expected, desired, success, failure)
# define rf_atomic_compare_exchange_weak(object, expected, desired) \
     atomic_compare_exchange_weak(object, expected, desired)
# define rf_atomic_compare_exchange_weak_explicit(object, expected, desired, success, failure) \
     atomic_compare_exchange_weak_explicit(object, expected, desired, success, failure)
# define rf_atomic_fetch_add(object, n) atomic_fetch_add(object, RFI_OFF_STEP(object, n))
# define rf_atomic_fetch_add_explicit(object, n, order) \
     atomic_fetch_add_explicit(object, RFI_OFF_STEP(object, n), order)
# define rf_atomic_fetch_sub(object, n) atomic_fetch_sub(object, RFI_OFF_STEP(object, n))
# define rf_atomic_fetch_sub_explicit(object, n, order) \
     atomic_fetch_sub_explicit(object, RFI_OFF_STEP(object, n), order)
# define rf_atomic_fetch_or(object, n)                  atomic_fetch_or(object, n)
# define rf_atomic_fetch_or_explicit(object, n, order)  atomic_fetch_or_explicit(object, n, order)
# define rf_atomic_fetch_xor(object, n)                 atomic_fetch_xor(object, n)
# define rf_atomic_fetch_xor_explicit(object, n, order) atomic_fetch_xor_explicit(object, n, order)
# define rf_atomic_fetch_and(object, n)                 atomic_fetch_and(object, n)
# define rf_atomic_fetch_and_explicit(object, n, order) atomic_fetch_and_explicit(object, n, order)

/* On pointers gcc's atomic_fetch_add counts bytes, clang's elements: elements it is. */
# ifdef __clang__
#  define RFI_OFF_STEP(object, n) (n)
# else
#  define RFI_OFF_STEP(object, n) \
      __builtin_choose_expr( \
          __builtin_classify_type(((void)0, *(object))) == RFI_CLASS_POINTER, \
          (ptrdiff_t)(n) * (ptrdiff_t)(uintptr_t)((RFI_VALUE(object))0 + 1), (n))
# endif
#endif
#endif

#else /* !RF_OFF */

/* ==== edit src/engine/types.h ============================ >>engine/types */
/* engine/types.h: the objects of the public face (docs/sync.md).
 *
 * An object belongs to one execution: `generation` says which, and an object of an older one (a
 * static mutex, seen again in the next execution) starts afresh.  A static initialiser is all
 * zeros but for counts, so zeroed memory is a valid object too.  The fields are the engine's.
 */
#ifndef RFI_ENGINE_TYPES_H
#define RFI_ENGINE_TYPES_H

#define RFI_NO_THREAD UINT32_MAX

/* What all objects have in common. */
typedef struct rfi_object {
    uint32_t generation; /* of the execution that registered it; 0: not yet */
    uint32_t number;     /* in order of registration, from 1 */
    uint32_t waiters;    /* first thread waiting for it + 1: a list through the threads */
    uint8_t type, made;  /* rfi_object_type; made by an init call, so destroyed only once */
} rfi_object;

typedef enum rfi_object_type {
    RFI_MUTEX = 1,
    RFI_RWLOCK,
    RFI_SPIN,
    RFI_COND,
    RFI_SEM,
    RFI_BARRIER,
    RFI_ONCE,
    RFI_DESTROYED = 255
} rfi_object_type;

enum { RF_MUTEX_NORMAL = 0, RF_MUTEX_RECURSIVE = 1, RF_MUTEX_ERRORCHECK = 2 };

typedef struct rf_mutex {
    rfi_object object;
    uint32_t owner; /* thread + 1, 0: free */
    uint32_t depth; /* of a recursive one */
    int kind;
} rf_mutex;

typedef struct rf_rwlock {
    rfi_object object;
    uint32_t writer, readers; /* thread + 1; how many hold it for reading */
} rf_rwlock;

typedef struct rf_spin {
    rfi_object object;
    uint32_t owner;
} rf_spin;

typedef struct rf_cond {
    rfi_object object; /* waiters: in order of arrival */
} rf_cond;

typedef struct rf_sem {
    rfi_object object;
    uint32_t initial, count;
} rf_sem;

typedef struct rf_barrier {
    rfi_object object;
    uint32_t parties, arrived, phase;
} rf_barrier;

typedef struct rf_once {
    rfi_object object;
    uint32_t state, runner; /* 0 new, 1 running, 2 done */
} rf_once;

#define RF_MUTEX_INIT \
 { {0, 0, 0, 0, 0}, 0, 0, 0 }
#define RF_RWLOCK_INIT \
 { {0, 0, 0, 0, 0}, 0, 0 }
#define RF_SPIN_INIT \
 { {0, 0, 0, 0, 0}, 0 }
#define RF_COND_INIT \
 {                   \
  { 0, 0, 0, 0, 0 }  \
 }
#define RF_SEM_INIT(n) \
 { {0, 0, 0, 0, 0}, (n), (n) }
#define RF_BARRIER_INIT(n) \
 { {0, 0, 0, 0, 0}, (n), 0, 0 }
#define RF_ONCE_INIT \
 { {0, 0, 0, 0, 0}, 0, 0 }

/* A thread's handle; valid during the execution that created it. */
typedef struct rf_thread {
    uint32_t id;         /* 0 runs the test's body, then in order of creation */
    uint32_t generation; /* 0: no thread */
} rf_thread;

/* A thread-local object declared by RF_TLS. */
typedef struct rfi_tls {
    size_t size;
    uint32_t index; /* + 1, given at first use */
} rfi_tls;
#endif

/* ==== edit src/engine/entry.h ============================ >>engine/entry */
/* engine/entry.h: what the macros of the public face call.
 *
 * External linkage, because the macros expand in every unit and the engine lives in one.  Not for
 * users: the documented names are in api/.  All of them work outside an execution too (before
 * rf_run, in RF_INVARIANT functions): then they do the plain operation and nothing else.
 */
#ifndef RFI_ENGINE_ENTRY_H
#define RFI_ENGINE_ENTRY_H

RFI_EXTERN_C_BEGIN

/* The only data of the engine that the linker sees.  `arm` points to a table of RFI_SLOTS bytes: a
 * site whose byte is 0 is disarmed.  `fuel` counts disarmed accesses down; when it runs out a
 * decision is forced, so that a loop of plain accesses can't starve the others. */
extern struct rfi_hot_state {
    const uint8_t *arm;
    int32_t fuel;
} rfi_hot;

/* Does an access at a site of this kind take the slow path?  Costs a load, a compare, a
 * decrement and two branches. */
/* clang-format off */
#define RFI_ARMED(kind) \
    (RFI_UNLIKELY(rfi_hot.arm[RFI_SLOT(kind)]) || RFI_UNLIKELY(--rfi_hot.fuel < 0))
/* clang-format on */

/* Plain data. */
void rfi_load(const rf_site *s, const volatile void *p, size_t n, void *out);
void rfi_store(const rf_site *s, volatile void *p, size_t n, const void *in);
void rfi_racy_load(const rf_site *s, const volatile void *p, size_t n, void *out);
void rfi_racy_store(const rf_site *s, volatile void *p, size_t n, const void *in);
void rfi_range(const rf_site *s, const volatile void *p, size_t n); /* s->kind: read or write */

/* Heap. */
void *rfi_malloc(const rf_site *s, size_t n);
void *rfi_calloc(const rf_site *s, size_t count, size_t n);
void *rfi_realloc(const rf_site *s, void *p, size_t n);
void rfi_free(const rf_site *s, void *p);

/* Threads. */
rf_thread rfi_create(const rf_site *s, void *(*fn)(void *), void *arg);
void *rfi_join(const rf_site *s, rf_thread t);
void rfi_detach(const rf_site *s, rf_thread t);
rf_thread rfi_self(void);
void rfi_yield(const rf_site *s);
void rfi_sleep(const rf_site *s, uint64_t ms);
void *rfi_tls_ptr(rfi_tls *key);

/* Synchronisation. */
void rfi_mutex_init(const rf_site *s, rf_mutex *m, const char *name, int kind);
void rfi_mutex_destroy(const rf_site *s, rf_mutex *m);
void rfi_mutex_lock(const rf_site *s, rf_mutex *m);
bool rfi_mutex_trylock(const rf_site *s, rf_mutex *m);
bool rfi_mutex_timedlock(const rf_site *s, rf_mutex *m, uint64_t ms);
void rfi_mutex_unlock(const rf_site *s, rf_mutex *m);
void rfi_rwlock_init(const rf_site *s, rf_rwlock *l, const char *name);
void rfi_rwlock_destroy(const rf_site *s, rf_rwlock *l);
void rfi_rwlock_rdlock(const rf_site *s, rf_rwlock *l);
void rfi_rwlock_wrlock(const rf_site *s, rf_rwlock *l);
bool rfi_rwlock_tryrdlock(const rf_site *s, rf_rwlock *l);
bool rfi_rwlock_trywrlock(const rf_site *s, rf_rwlock *l);
void rfi_rwlock_unlock(const rf_site *s, rf_rwlock *l);
void rfi_spin_init(const rf_site *s, rf_spin *l, const char *name);
void rfi_spin_destroy(const rf_site *s, rf_spin *l);
void rfi_spin_lock(const rf_site *s, rf_spin *l);
bool rfi_spin_trylock(const rf_site *s, rf_spin *l);
void rfi_spin_unlock(const rf_site *s, rf_spin *l);
void rfi_cond_init(const rf_site *s, rf_cond *c, const char *name);
void rfi_cond_destroy(const rf_site *s, rf_cond *c);
void rfi_cond_wait(const rf_site *s, rf_cond *c, rf_mutex *m);
bool rfi_cond_timedwait(const rf_site *s, rf_cond *c, rf_mutex *m, uint64_t ms);
void rfi_cond_signal(const rf_site *s, rf_cond *c);
void rfi_cond_broadcast(const rf_site *s, rf_cond *c);
void rfi_sem_init(const rf_site *s, rf_sem *m, const char *name, uint32_t n);
void rfi_sem_destroy(const rf_site *s, rf_sem *m);
void rfi_sem_wait(const rf_site *s, rf_sem *m);
bool rfi_sem_trywait(const rf_site *s, rf_sem *m);
bool rfi_sem_timedwait(const rf_site *s, rf_sem *m, uint64_t ms);
void rfi_sem_post(const rf_site *s, rf_sem *m);
void rfi_barrier_init(const rf_site *s, rf_barrier *b, const char *name, uint32_t n);
void rfi_barrier_destroy(const rf_site *s, rf_barrier *b);
bool rfi_barrier_wait(const rf_site *s, rf_barrier *b);
void rfi_once_init(const rf_site *s, rf_once *o, const char *name);
void rfi_once_destroy(const rf_site *s, rf_once *o);
void rfi_once(const rf_site *s, rf_once *o, void (*fn)(void));

/* Atomics.  Orders are __ATOMIC_*.  A read-modify-write is rfi_rmw_begin (announces it, reads the
 * old value), the arithmetic in the caller's own type, rfi_rmw_end (writes): no other logical
 * thread runs in between. */
void rfi_atomic_init(const rf_site *s, volatile void *p, size_t n, const void *in);
void rfi_atomic_load(const rf_site *s, const volatile void *p, size_t n, int order, void *out);
void rfi_atomic_store(const rf_site *s, volatile void *p, size_t n, int order, const void *in);
void rfi_rmw_begin(const rf_site *s, volatile void *p, size_t n, int order, void *old);
void rfi_rmw_end(const void *value);
bool rfi_cas(const rf_site *s, volatile void *p, size_t n, bool weak, int success, int failure,
             void *expected, const void *desired);
void rfi_fence(const rf_site *s, int order); /* a signal fence orders nothing here: no call */

/* Tests. */
typedef struct rfi_scope { /* of RF_INVARIANT and RF_FUNC: ended by a cleanup attribute */
    const rf_site *site;
    bool (*check)(void *);
    void *arg;
    struct rfi_scope *next;
} rfi_scope;
void rfi_invariant_begin(rfi_scope *scope, const rf_site *s, bool (*fn)(void *), void *arg);
void rfi_invariant_end(rfi_scope *scope);
rfi_scope rfi_func_begin(const rf_site *s);
void rfi_func_end(rfi_scope *scope);
/* kind is an rf_diagnostic (ASSERT or FAIL); the message is formatted; does not return inside an
 * execution, aborts outside one. */
void rfi_fail_test(const rf_site *s, int diagnostic, const char *fmt, ...)
    RFI_PRINTF(3, 4) RFI_NORETURN;
void rfi_skip_test(const rf_site *s, const char *reason) RFI_NORETURN;
void rfi_log(const rf_site *s, const char *fmt, ...) RFI_PRINTF(2, 3);
uint32_t rfi_choose(const rf_site *s, uint32_t n);

RFI_EXTERN_C_END
#endif

/* ==== edit src/engine/stack.h ============================ >>engine/stack */
/* engine/stack.h: the pool of stacks that logical threads run on.
 *
 * A mapping is   | guard | stack, growing down ... | rfi_stack |   and is never given back: to take
 * a pooled stack costs a few instructions, to map a new one thousands.  Sizes are powers of two,
 * one list a size; only address space is spent by rounding up, since pages are real once touched.
 *
 * Invariants.  An execution takes the stacks of the one before it first, while they are warm.
 * Within an execution a stack that was used is left alone until RFI_STACK_FRESH others of its size
 * were used, so that addresses of locals of two threads seldom coincide; afterwards the one that
 * ended longest ago is taken again.  When that happens depends on what the execution does and on
 * nothing that was before it.
 */
#ifndef RFI_ENGINE_STACK_H
#define RFI_ENGINE_STACK_H

#ifdef RFI_IMPL
# ifdef RFI_ASAN
#  include <sanitizer/asan_interface.h>
# endif
# if defined __has_include
#  if __has_include(<valgrind/valgrind.h>)
#   include <valgrind/valgrind.h>
#   define RFI_VALGRIND 1
#  endif
# endif

/* A multiple of every page size in use, and wider than most frames: a function whose frame is wider
 * (and was compiled without -fstack-clash-protection) could step over the guard. */
# define RFI_STACK_GUARD ((size_t)64 << 10)
/* From 256 KiB, enough for printf under AddressSanitizer, to 1 GiB. */
# define RFI_STACK_LOG_MIN 18u
# define RFI_STACK_LOG_MAX 30u
# define RFI_STACK_FRESH   256u
# ifdef MAP_STACK
#  define RFI_MAP_STACK MAP_STACK
# else
#  define RFI_MAP_STACK 0
# endif

/* Stands at the high end of its mapping: the stack's highest address is that of this struct. */
typedef struct rfi_stack {
    struct rfi_stack *next;
    char *low;               /* lowest usable byte; the guard lies below */
    struct rfi_osthread *os; /* threads back end: the real thread that lives on it */
    uint32_t log_size;
} rfi_stack;

typedef struct rfi_stack_list {
    rfi_stack *free;         /* not used in this execution */
    rfi_stack *ended, *last; /* used in this execution, longest ago first */
    uint32_t used;           /* different ones used in this execution */
} rfi_stack_list;

typedef struct rfi_stack_pool {
    rfi_stack_list of[RFI_STACK_LOG_MAX + 1];
    uint32_t touched; /* bit set of the sizes used in this execution */
    size_t room;      /* bytes that each mapping has besides the stack */
} rfi_stack_pool;

/* One for each back end: on the stacks of the second, real threads are parked. */
static rfi_stack_pool rfi_stack_pools[2] RFI_UNUSED, *rfi_stacks RFI_UNUSED;

RFI_FN RFI_COLD rfi_stack *rfi_stack_map(uint32_t log_size) {
    size_t size = ((size_t)1 << log_size) + rfi_stacks->room;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | RFI_MAP_STACK;
    char *p = mmap(NULL, RFI_STACK_GUARD + size, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (p == MAP_FAILED) return NULL;
    if (mprotect(p, RFI_STACK_GUARD, PROT_NONE)) { /* too many mappings for the kernel */
        munmap(p, RFI_STACK_GUARD + size);
        return NULL;
    }
# ifdef MADV_NOHUGEPAGE
    (void)madvise(p, RFI_STACK_GUARD + size, MADV_NOHUGEPAGE); /* to touch a page costs a page */
# endif
    char *low = p + RFI_STACK_GUARD;
    rfi_stack *s = (rfi_stack *)(void *)(low + size) - 1;
    *s = (rfi_stack){.low = low, .log_size = log_size};
# ifdef RFI_VALGRIND
    (void)VALGRIND_STACK_REGISTER(low, (char *)s - 1);
# endif
    return s;
}

/* A stack of at least `bytes`, less the few of the struct; NULL if the system has no room for one
 * more.  `*reused`: another thread of this execution had it before. */
RFI_FN rfi_stack *rfi_stack_take(size_t bytes, bool *reused) {
    uint32_t log_size = RFI_STACK_LOG_MIN;
    while ((size_t)1 << log_size < bytes)
        if (++log_size > RFI_STACK_LOG_MAX) return NULL;
    rfi_stack_list *list = &rfi_stacks->of[log_size];
    *reused = list->ended && list->used >= RFI_STACK_FRESH;
    rfi_stack **from = *reused ? &list->ended : &list->free;
    rfi_stack *s = *from;
    if (RFI_LIKELY(s))
        *from = s->next;
    else if (!(s = rfi_stack_map(log_size)))
        return NULL;
    list->used += !*reused;
    rfi_stacks->touched |= UINT32_C(1) << log_size;
# ifdef RFI_ASAN
    __asan_unpoison_memory_region(s->low, (size_t)((char *)s - s->low));
# endif
    return s;
}

/* Its thread has ended, but may stand on it until it has jumped away. */
RFI_FN void rfi_stack_retire(rfi_stack *s) {
    rfi_stack_list *list = &rfi_stacks->of[s->log_size];
    s->next = NULL;
    *(list->ended ? &list->last->next : &list->ended) = s;
    list->last = s;
}

/* An execution has ended, and all its threads. */
RFI_FN void rfi_stack_epoch(void) {
    for (; rfi_stacks->touched; rfi_stacks->touched &= rfi_stacks->touched - 1) {
        rfi_stack_list *list = &rfi_stacks->of[__builtin_ctz(rfi_stacks->touched)];
        if (list->ended) {
            list->last->next = list->free;
            list->free = list->ended;
        }
        list->ended = NULL;
        list->used = 0;
    }
}
#endif
#endif

/* ==== edit src/engine/context.h ========================== >>engine/context */
/* engine/context.h: the machine's part of a logical thread, and the switch between two of them.
 *
 * x86-64 and aarch64 have a switch written by hand, after their procedure call standards (System V
 * ABI, AMD64 supplement, 3.2.1; AAPCS64, 6.1): what a called function must preserve is pushed, the
 * stack pointer exchanged, and popped again.  It is a function in assembly and not an asm
 * statement, so that all other registers, those of future extensions too, are dead across it by the
 * standard.  It ends in an indirect jump: `ret` would be predicted from the other thread's calls.
 *
 * The floating-point environment has thread storage duration and begins as that of the creating
 * thread (C11 7.6p1): control and status words are saved at each switch and loaded only if they
 * differ, because loading MXCSR costs ten times the rest.  The x87 status word is not kept.
 *
 * Control flow protection: indirect branch tracking and BTI are satisfied.  A hardware shadow stack
 * would need one for each fiber; a process that runs under one is told so (rfi_context_check).
 *
 * Elsewhere, or with RFI_PORTABLE_SWITCH (for tests): ucontext makes a stack, _setjmp and _longjmp
 * switch, five times slower.
 */
#ifndef RFI_ENGINE_CONTEXT_H
#define RFI_ENGINE_CONTEXT_H

#ifdef RFI_IMPL
# if !defined __ELF__ || defined __ILP32__
#  define RFI_SWITCH_PORTABLE 1
# elif defined RFI_PORTABLE_SWITCH || !(defined __x86_64__ || defined __aarch64__)
#  define RFI_SWITCH_PORTABLE 1
# endif
# ifdef RFI_SWITCH_PORTABLE
#  include <ucontext.h>
# endif
/* RF_HOOK_COMPILER takes over the instrumentation: then there is no ThreadSanitizer to talk to. */
# if defined RFI_TSAN && !defined RF_HOOK_COMPILER
#  include <sanitizer/tsan_interface.h>
#  define RFI_TSAN_FIBERS 1
# endif

/* One logical thread as the back ends see it.  All zero is a valid initial state. */
typedef struct rfi_fiber {
    void *sp;                /* while suspended: where its registers are saved */
    int error;               /* while suspended: its errno */
    struct rfi_osthread *os; /* threads back end: the real thread that runs it */
    /* Always NULL today.  A back end that lends each fiber the thread-local storage of a parked
     * real thread keeps that thread's pointer here (fs base, tpidr_el0), and rfi_context_switch
     * loads it together with sp; errno is then part of what was lent. */
    void *thread_pointer;
    rfi_stack *stack; /* NULL: home, which runs on the stack of its real thread */
    char *stack_low, *stack_high;
    void (*entry)(void *);
    void *arg;
# ifdef RFI_SWITCH_PORTABLE
    ucontext_t *fresh; /* not yet run: starts here, and not at `registers` */
    jmp_buf registers;
# endif
# ifdef RFI_ASAN
    void *fake_stack;
# endif
# ifdef RFI_TSAN_FIBERS
    void *tsan;
# endif
} rfi_fiber;

/* The fiber that stands for the calling real thread. */
static rfi_fiber *rfi_fiber_home RFI_UNUSED;

/* ---- what the sanitizers are told ---- */

/* `from` is about to jump to `to`, for good if `last`. */
RFI_INLINE void rfi_tools_leave(rfi_fiber *from, const rfi_fiber *to, bool last) {
    (void)from, (void)to, (void)last;
# ifdef RFI_ASAN
    __sanitizer_start_switch_fiber(last ? NULL : &from->fake_stack, to->stack_low,
                                   (size_t)(to->stack_high - to->stack_low));
# endif
# ifdef RFI_TSAN_FIBERS
    __tsan_switch_to_fiber(to->tsan, 0);
    if (last) __tsan_destroy_fiber(from->tsan);
# endif
}

/* `self` runs, for the first time or again. */
RFI_INLINE void rfi_tools_arrive(rfi_fiber *self) {
    (void)self;
# ifdef RFI_ASAN
    const void *low;
    size_t size;
    __sanitizer_finish_switch_fiber(self->fake_stack, &low, &size);
    self->fake_stack = NULL;
    if (!rfi_fiber_home->stack_high) { /* the first arrival of all comes from home */
        memcpy(&rfi_fiber_home->stack_low, &low, sizeof low);
        rfi_fiber_home->stack_high = rfi_fiber_home->stack_low + size;
    }
# endif
}

RFI_INLINE void rfi_tools_make(rfi_fiber *f) {
    (void)f;
# ifdef RFI_TSAN_FIBERS
    f->tsan = __tsan_create_fiber(0);
# endif
}

/* `f` is suspended and will never run again.  A fake stack can only be freed by the fiber that has
 * it, so AddressSanitizer sees home go there and come back. */
RFI_INLINE void rfi_tools_drop(rfi_fiber *f) {
    (void)f;
# ifdef RFI_ASAN
    if (f->fake_stack) {
        rfi_tools_leave(rfi_fiber_home, f, false);
        rfi_tools_arrive(f);
        rfi_tools_leave(f, rfi_fiber_home, true);
        rfi_tools_arrive(rfi_fiber_home);
    }
# endif
# ifdef RFI_TSAN_FIBERS
    __tsan_destroy_fiber(f->tsan);
# endif
}

/* ---- the floating-point environment of the running thread ---- */

typedef struct rfi_fenv {
    uint32_t word[2]; /* x86-64: MXCSR, x87 control word; aarch64: FPCR, FPSR */
} rfi_fenv;

RFI_INLINE rfi_fenv rfi_fenv_get(void) {
    rfi_fenv e = {{0, 0}};
# if defined __x86_64__
    uint16_t x87;
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(e.word[0]), "=m"(x87));
    e.word[1] = x87;
# elif defined __aarch64__
    uint64_t control, status;
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control), "=r"(status));
    e.word[0] = (uint32_t)control;
    e.word[1] = (uint32_t)status;
# endif
    return e;
}

RFI_FN void rfi_fenv_set(rfi_fenv e) {
    (void)e;
# if defined __x86_64__
    uint16_t x87 = (uint16_t)e.word[1];
    __asm__ volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(e.word[0]), "m"(x87));
# elif defined __aarch64__
    uint64_t control = e.word[0], status = e.word[1];
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" : : "r"(control), "r"(status));
# endif
}

/* ---- the switch ---- */

/* rfi_context_make: the first switch to `f` calls body(f) on its stack; body never returns.
 * rfi_context_switch: suspends `from`, the running fiber, and runs `to`. */

# ifdef RFI_SWITCH_PORTABLE

/* The linker's _longjmp: under _FORTIFY_SOURCE the header's refuses to go to another stack. */
/* clang-format off */
#  define RFI_SYMBOL_(prefix, name) #prefix name
#  define RFI_SYMBOL(prefix, name) RFI_SYMBOL_(prefix, name)
/* clang-format on */
RFI_NORETURN void rfi_longjmp(jmp_buf, int) __asm__(RFI_SYMBOL(__USER_LABEL_PREFIX__, "_longjmp"));

static rfi_fiber *rfi_context_starting RFI_UNUSED; /* makecontext passes no pointers */
static void (*rfi_context_main)(rfi_fiber *) RFI_UNUSED;

RFI_FN void rfi_context_begin(void) { rfi_context_main(rfi_context_starting); }

RFI_FN void rfi_context_make(rfi_fiber *f, void (*body)(rfi_fiber *)) {
    /* On the new stack, which needs it until it runs; the switch below is faster without it. */
    size_t size = (sizeof *f->fresh + 63) & ~(size_t)63;
    f->fresh = (ucontext_t *)(void *)((char *)f->stack - size);
    if (getcontext(f->fresh)) rfi_die("getcontext: %s", strerror(errno));
    f->fresh->uc_stack.ss_sp = f->stack_low;
    f->fresh->uc_stack.ss_size = (size_t)((char *)f->fresh - f->stack_low);
    f->fresh->uc_link = NULL;
    makecontext(f->fresh, rfi_context_begin, 0);
    rfi_context_main = body;
}

/* Not inline: a caller's locals would have to survive _setjmp. */
RFI_FN __attribute__((noinline)) void rfi_context_switch(rfi_fiber *from, rfi_fiber *to,
                                                         bool last) {
    rfi_fenv e = rfi_fenv_get();
    if (!_setjmp(from->registers)) {
        rfi_tools_leave(from, to, last);
        if (!to->fresh) rfi_longjmp(to->registers, 1);
        rfi_context_starting = to;
        ucontext_t *start = to->fresh;
        to->fresh = NULL;
        setcontext(start);
        rfi_die("setcontext: %s", strerror(errno));
    }
    rfi_fenv_set(e);
    rfi_tools_arrive(from);
}

# else

/* Saves the registers of the running thread on its stack and the stack pointer at *save, then goes
 * on where the registers at `load` were saved.  Global for the linker (a unit may be split by
 * link-time optimisation), hidden from everybody else. */
__attribute__((visibility("hidden"))) void rfi_context_swap(void **save, void *load);
/* Where a new fiber begins: calls the function in one saved register with another as argument. */
__attribute__((visibility("hidden"))) void rfi_context_begin(void);

/* clang-format off */
#  define RFI_ASM_FUNCTION(name) \
    ".pushsection .text\n" \
    ".p2align 4\n" \
    ".globl " #name "\n" \
    ".hidden " #name "\n" \
    ".type " #name ", %function\n" \
    #name ":\n" \
    ".cfi_startproc\n"
#  define RFI_ASM_END(name) \
    ".cfi_endproc\n" \
    ".size " #name ", . - " #name "\n" \
    ".popsection\n"

#  if defined __x86_64__

/* `notrack`: the target is where the other fiber called, which no endbr64 marks. */
#   if defined __CET__ && __CET__ & 1
#    define RFI_ASM_JUMP "notrack jmp *%rdx\n"
#    define RFI_ASM_LAND "endbr64\n"
#   else
#    define RFI_ASM_JUMP "jmp *%rdx\n"
#    define RFI_ASM_LAND
#   endif
#   define RFI_ASM_PUSH(r) "pushq %" #r "\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %" #r ", 0\n"
#   define RFI_ASM_POP(r)  "popq %" #r "\n.cfi_adjust_cfa_offset -8\n.cfi_restore %" #r "\n"

/* MXCSR and the x87 control word lie below the stack pointer, in the red zone. */
__asm__(
    RFI_ASM_FUNCTION(rfi_context_swap) RFI_ASM_LAND
    RFI_ASM_PUSH(rbp) RFI_ASM_PUSH(rbx) RFI_ASM_PUSH(r12)
    RFI_ASM_PUSH(r13) RFI_ASM_PUSH(r14) RFI_ASM_PUSH(r15)
    "stmxcsr -8(%rsp)\n"
    "fnstcw -4(%rsp)\n"
    "movl -8(%rsi), %eax\n"
    "movzwl -4(%rsi), %ecx\n"
    "cmpl %eax, -8(%rsp)\n"
    "jne 3f\n"
    "1: cmpw %cx, -4(%rsp)\n"
    "jne 4f\n"
    "2: movq %rsp, (%rdi)\n"
    "movq %rsi, %rsp\n"
    ".cfi_remember_state\n"
    RFI_ASM_POP(r15) RFI_ASM_POP(r14) RFI_ASM_POP(r13)
    RFI_ASM_POP(r12) RFI_ASM_POP(rbx) RFI_ASM_POP(rbp)
    "popq %rdx\n"
    ".cfi_adjust_cfa_offset -8\n"
    ".cfi_register %rip, %rdx\n"
    RFI_ASM_JUMP
    ".cfi_restore_state\n"
    "3: ldmxcsr -8(%rsi)\n"
    "jmp 1b\n"
    "4: fldcw -4(%rsi)\n"
    "jmp 2b\n"
    RFI_ASM_END(rfi_context_swap)

    RFI_ASM_FUNCTION(rfi_context_begin) RFI_ASM_LAND
    ".cfi_undefined %rip\n" /* a debugger's backtrace ends here */
    "movq %rbx, %rdi\n"
    "callq *%rbp\n"
    "ud2\n"
    RFI_ASM_END(rfi_context_begin));
/* clang-format on */

RFI_FN void rfi_context_make(rfi_fiber *f, void (*body)(rfi_fiber *)) {
    uintptr_t *frame = (uintptr_t *)((uintptr_t)f->stack_high & ~(uintptr_t)15) - 2;
    rfi_fenv e = rfi_fenv_get();
    frame[0] = 0; /* the return address of rfi_context_begin, for those who walk without its CFI */
    frame[-1] = (uintptr_t)rfi_context_begin;
    frame[-2] = (uintptr_t)body; /* rbp */
    frame[-3] = (uintptr_t)f;    /* rbx */
    f->sp = frame - 7;           /* below: r12 to r15, whose values do not matter */
    memcpy((char *)f->sp - 8, &e, sizeof e);
}

/* A suspended fiber gets the floating-point environment of the running one. */
RFI_INLINE void rfi_context_renew(rfi_fiber *f) {
    rfi_fenv e = rfi_fenv_get();
    memcpy((char *)f->sp - 8, &e, sizeof e);
}

#  else /* aarch64 */

/* clang-format off */
/* Under BTI `br` may only go to a landing pad, `ret` anywhere. */
#   ifdef __ARM_FEATURE_BTI_DEFAULT
#    define RFI_ASM_JUMP "ret x30\n"
#   else
#    define RFI_ASM_JUMP "br x30\n"
#   endif
#   define RFI_ASM_LAND "hint #34\n" /* bti c */
#   define RFI_ASM_PAIR(op, a, b, at) op " " #a ", " #b ", [sp, #" #at "]\n"
#   define RFI_ASM_REGISTERS(op) \
    RFI_ASM_PAIR(op, x19, x20, 16) RFI_ASM_PAIR(op, x21, x22, 32) RFI_ASM_PAIR(op, x23, x24, 48) \
    RFI_ASM_PAIR(op, x25, x26, 64) RFI_ASM_PAIR(op, x27, x28, 80) RFI_ASM_PAIR(op, d8, d9, 96) \
    RFI_ASM_PAIR(op, d10, d11, 112) RFI_ASM_PAIR(op, d12, d13, 128) RFI_ASM_PAIR(op, d14, d15, 144)

__asm__(
    RFI_ASM_FUNCTION(rfi_context_swap) RFI_ASM_LAND
    "stp x29, x30, [sp, #-176]!\n"
    ".cfi_def_cfa_offset 176\n"
    ".cfi_offset x29, -176\n"
    ".cfi_offset x30, -168\n"
    RFI_ASM_REGISTERS("stp")
    "mrs x9, fpcr\n"
    "mrs x10, fpsr\n"
    "stp w9, w10, [sp, #160]\n"
    "ldp w11, w12, [x1, #160]\n"
    "cmp w9, w11\n"
    "ccmp w10, w12, #0, eq\n"
    "b.ne 2f\n"
    "1: mov x9, sp\n"
    "str x9, [x0]\n"
    "mov sp, x1\n"
    RFI_ASM_REGISTERS("ldp")
    ".cfi_remember_state\n"
    "ldp x29, x30, [sp], #176\n"
    ".cfi_def_cfa_offset 0\n"
    ".cfi_restore x29\n"
    ".cfi_restore x30\n"
    RFI_ASM_JUMP
    ".cfi_restore_state\n"
    "2: msr fpcr, x11\n"
    "msr fpsr, x12\n"
    "b 1b\n"
    RFI_ASM_END(rfi_context_swap)

    RFI_ASM_FUNCTION(rfi_context_begin) RFI_ASM_LAND
    ".cfi_undefined x30\n" /* a debugger's backtrace ends here */
    "mov x0, x19\n"
    "blr x20\n"
    "brk #1\n"
    RFI_ASM_END(rfi_context_begin));
/* clang-format on */

RFI_FN void rfi_context_make(rfi_fiber *f, void (*body)(rfi_fiber *)) {
    uintptr_t *frame = (uintptr_t *)((uintptr_t)f->stack_high & ~(uintptr_t)15) - 22;
    rfi_fenv e = rfi_fenv_get();
    frame[0] = 0; /* x29: no frame above this one */
    frame[1] = (uintptr_t)rfi_context_begin;
    frame[2] = (uintptr_t)f;    /* x19 */
    frame[3] = (uintptr_t)body; /* x20 */
    memcpy(&frame[20], &e, sizeof e);
    f->sp = frame;
}

/* A suspended fiber gets the floating-point environment of the running one. */
RFI_INLINE void rfi_context_renew(rfi_fiber *f) {
    rfi_fenv e = rfi_fenv_get();
    memcpy((char *)f->sp + 160, &e, sizeof e);
}
#  endif

RFI_INLINE void rfi_context_switch(rfi_fiber *from, rfi_fiber *to, bool last) {
    rfi_tools_leave(from, to, last);
    rfi_context_swap(&from->sp, to->sp);
    rfi_tools_arrive(from);
}
# endif /* RFI_SWITCH_PORTABLE */

/* Refuses to run where a switch would be taken for an attack. */
RFI_FN void rfi_context_check(void) {
# if defined __x86_64__ && defined __CET__ && __CET__ & 2
    uint64_t shadow = 0;
    __asm__ volatile("rdsspq %0" : "+r"(shadow)); /* no effect without a shadow stack */
    if (shadow)
        rfi_die("fibers cannot run under a hardware shadow stack: use the threads back end, "
                "or set GLIBC_TUNABLES=glibc.cpu.x86_shstk=off");
# endif
}
#endif
#endif

/* ==== edit src/engine/osthread.h ========================= >>engine/osthread */
/* engine/osthread.h: the back end that runs every logical thread on a real one.
 *
 * For debuggers, for machines without a switch, for code that needs real threads.  A real thread
 * lives on a stack of the same pool as fibers use, for ever: when its logical thread ends it parks,
 * and serves the next one that is given its stack.  All but one of them wait for their turn, so
 * that what runs, and in what order, is the same as with fibers; while a thread on its way to its
 * parking place still runs beside the next, it touches nothing but its own rfi_osthread.
 *
 * They are not pinned to one core, although handing over is dearer between two (1 us within one, up
 * to 20 us across): children would inherit the mask and code under test can ask for it, and the
 * kernel mostly wakes the next thread where the last one goes to sleep.  `taskset -c 0` pins.
 */
#ifndef RFI_ENGINE_OSTHREAD_H
#define RFI_ENGINE_OSTHREAD_H

#ifdef RFI_IMPL
# if defined SYS_futex && !defined RFI_PORTABLE_SWITCH
#  define RFI_FUTEX 1
# endif
# define RFI_ALTERNATE_BYTES ((size_t)64 << 10)
/* Mapped besides the stack: the C library puts the program's thread-local storage there, which may
 * be large (900 KiB under ThreadSanitizer).  Address space only. */
# define RFI_OS_ROOM ((size_t)1 << 20)

typedef struct rfi_osthread {
    uint32_t turn;    /* 1: may run */
    bool busy;        /* has begun to run a logical thread that has not ended */
    bool abandoned;   /* its logical thread is dropped: go and park */
    uint32_t process; /* in which it was started, see rfi_os_process; 0: not yet */
    pthread_t thread;
    rfi_fiber *fiber; /* to run */
    rfi_fenv fenv;    /* to begin with */
    sigjmp_buf top;   /* its parking place */
# ifndef RFI_FUTEX
    pthread_mutex_t mutex;
    pthread_cond_t changed;
# endif
} rfi_osthread;

static rfi_osthread rfi_os_home RFI_UNUSED;
/* Number of this process, from 1, in the line of forks that called rfi_fiber_start: a child has
 * copies of its parent's structs, but not the threads they speak of. */
static uint32_t rfi_os_process RFI_UNUSED;

/* ---- handing over ---- */

RFI_FN void rfi_os_prepare(rfi_osthread *os) {
    memset(os, 0, sizeof *os);
# ifndef RFI_FUTEX
    pthread_mutex_init(&os->mutex, NULL);
    pthread_cond_init(&os->changed, NULL);
# endif
}

RFI_FN void rfi_os_pass(rfi_osthread *os) {
# ifdef RFI_FUTEX
    __atomic_store_n(&os->turn, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &os->turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
# else
    pthread_mutex_lock(&os->mutex);
    os->turn = 1;
    pthread_cond_signal(&os->changed);
    pthread_mutex_unlock(&os->mutex);
# endif
}

RFI_FN void rfi_os_await(rfi_osthread *os) {
# ifdef RFI_FUTEX
    while (!__atomic_exchange_n(&os->turn, 0, __ATOMIC_ACQUIRE))
        syscall(SYS_futex, &os->turn, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
# else
    pthread_mutex_lock(&os->mutex);
    while (!os->turn) pthread_cond_wait(&os->changed, &os->mutex);
    os->turn = 0;
    pthread_mutex_unlock(&os->mutex);
# endif
}

/* ---- a real thread's life ---- */

/* Gives the calling real thread a stack for signal handlers, if it has none (AddressSanitizer
 * brings its own): the handler of an overflow can't run on the stack that overflowed. */
RFI_FN void rfi_os_alternate(void) {
    stack_t s;
    if (sigaltstack(NULL, &s) || !(s.ss_flags & SS_DISABLE)) return;
    s.ss_sp = rfi_pages(RFI_ALTERNATE_BYTES, false);
    s.ss_size = RFI_ALTERNATE_BYTES;
    s.ss_flags = 0;
    if (sigaltstack(&s, NULL)) rfi_die("sigaltstack: %s", strerror(errno));
}

enum { RFI_OS_ENDED = 1, RFI_OS_DROPPED = 2 };

RFI_FN void *rfi_os_main(void *arg) {
    rfi_osthread *const os = arg;
    rfi_os_alternate();
    if (sigsetjmp(os->top, 1) == RFI_OS_DROPPED) rfi_os_pass(&rfi_os_home);
    rfi_os_await(os);
    os->busy = true;
    rfi_fenv_set(os->fenv);
    errno = 0;
    os->fiber->entry(os->fiber->arg);
    rfi_die("a logical thread ended without rfi_fiber_exit");
}

/* Sees to it that a real thread of this process lives on the stack; false if the system has no room
 * for one more. */
RFI_FN bool rfi_os_settle(rfi_stack *s) {
    if (s->os && s->os->process == rfi_os_process) return true;
    if (!s->os && !(s->os = malloc(sizeof *s->os))) return false;
    rfi_os_prepare(s->os);
    pthread_attr_t attr;
    if (pthread_attr_init(&attr)) return false;
    int error = pthread_attr_setstack(&attr, s->low, (size_t)((char *)s - s->low));
    if (!error) error = pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    if (!error) error = pthread_create(&s->os->thread, &attr, rfi_os_main, s->os);
    pthread_attr_destroy(&attr);
    if (!error) s->os->process = rfi_os_process;
    return !error;
}

/* ---- the operations of engine/fiber.h ---- */

RFI_FN bool rfi_os_make(rfi_fiber *f) {
    if (!rfi_os_settle(f->stack)) return false;
    f->os = f->stack->os;
    f->os->fiber = f;
    f->os->fenv = rfi_fenv_get();
    return true;
}

RFI_FN void rfi_os_jump(const rfi_fiber *from, const rfi_fiber *to) {
    rfi_osthread *os = from->os;
    int error = errno; /* futex() may set it */
    rfi_os_pass(to->os);
    rfi_os_await(os);
    errno = error;
    if (RFI_LIKELY(!os->abandoned)) return;
    os->abandoned = os->busy = false;
    siglongjmp(os->top, RFI_OS_DROPPED);
}

RFI_FN RFI_NORETURN void rfi_os_exit(const rfi_fiber *from, const rfi_fiber *to) {
    rfi_osthread *os = from->os;
    os->busy = false;
    rfi_os_pass(to->os);
    siglongjmp(os->top, RFI_OS_ENDED);
}

/* Home waits until the thread has left the frames of its logical thread. */
RFI_FN void rfi_os_drop(const rfi_fiber *f) {
    if (!f->os->busy) return; /* never ran: it is parked already */
    f->os->abandoned = true;
    rfi_os_pass(f->os);
    rfi_os_await(&rfi_os_home);
}
#endif
#endif

/* ==== edit src/engine/fiber.h ============================ >>engine/fiber */
/* engine/fiber.h: logical threads, one at a time, on either of two back ends.
 *
 * A fiber is suspended or it is the one that runs; control moves by an explicit jump from the one
 * to the other.  Both back ends (fibers: context.h; real threads: osthread.h) keep, for each fiber,
 * its registers, stack, floating-point environment and errno, and show the scheduler no difference.
 * What they do not keep alike: fibers share _Thread_local data and the signal mask, real threads do
 * not.  So who jumps home out of a signal handler restores the mask there.
 * All functions are called by the fiber that runs.
 */
#ifndef RFI_ENGINE_FIBER_H
#define RFI_ENGINE_FIBER_H

#ifdef RFI_IMPL
typedef enum rfi_backend_kind { RFI_BACKEND_FIBER, RFI_BACKEND_THREADS } rfi_backend_kind;

static struct {
    rfi_backend_kind kind;
    int *error; /* &errno of the real thread that runs all fibers */
    pid_t process;
} rfi_backend RFI_UNUSED;

/* The calling real thread becomes `home`.  Once per process, after the fork, before anything else
 * here; again only while no other fiber is alive. */
RFI_FN void rfi_fiber_start(rfi_backend_kind kind, rfi_fiber *home) {
    if (kind == RFI_BACKEND_FIBER) rfi_context_check();
    rfi_os_process += rfi_backend.process != getpid();
    rfi_backend.process = getpid();
    rfi_backend.kind = kind;
    rfi_backend.error = &errno;
    rfi_stacks = &rfi_stack_pools[kind];
    rfi_stacks->room = kind == RFI_BACKEND_FIBER ? 0 : RFI_OS_ROOM;
    memset(home, 0, sizeof *home);
    home->os = &rfi_os_home;
    rfi_os_prepare(home->os);
    rfi_os_alternate();
# ifdef RFI_TSAN_FIBERS
    home->tsan = __tsan_get_current_fiber();
# endif
    rfi_fiber_home = home;
}

RFI_FN void rfi_fiber_main(rfi_fiber *f) {
    rfi_tools_arrive(f);
    f->entry(f->arg);
    rfi_die("a logical thread ended without rfi_fiber_exit");
}

/* Makes `f` a suspended fiber; the first jump to it calls entry(arg), which must end in
 * rfi_fiber_exit.  Its stack has at least `stack_bytes`, see stack.h, and lies in stack_low up to
 * stack_high.  True if another fiber used that memory since the last rfi_fiber_epoch().  If the
 * system has no room for one more, stack_low is NULL and `f` can't be used. */
RFI_FN bool rfi_fiber_make(rfi_fiber *f, size_t stack_bytes, void (*entry)(void *), void *arg) {
    bool reused = false;
    memset(f, 0, sizeof *f);
    f->stack = rfi_stack_take(stack_bytes, &reused);
    if (RFI_UNLIKELY(!f->stack)) return false;
    f->entry = entry;
    f->arg = arg;
    f->stack_low = f->stack->low;
    f->stack_high = (char *)f->stack;
    if (RFI_LIKELY(rfi_backend.kind == RFI_BACKEND_FIBER)) {
        rfi_tools_make(f);
        rfi_context_make(f, rfi_fiber_main);
    } else if (!rfi_os_make(f)) {
        rfi_stack_retire(f->stack);
        memset(f, 0, sizeof *f);
        return false;
    }
    return reused;
}

/* May a fiber whose work is done stay suspended and be given new work, as if newly made?  Where it
 * may, that spares its making. */
RFI_INLINE bool rfi_fiber_reusable(void) {
# ifdef RFI_SWITCH_PORTABLE
    return false;
# else
    return rfi_backend.kind == RFI_BACKEND_FIBER;
# endif
}

/* Such a fiber is about to begin new work: it inherits like a new one. */
RFI_INLINE void rfi_fiber_renew(rfi_fiber *f) {
    f->error = 0;
# ifndef RFI_SWITCH_PORTABLE
    rfi_context_renew(f);
# endif
}

/* `from`, which runs, is suspended, and `to` runs; returns when somebody jumps back. */
RFI_INLINE void rfi_fiber_jump(rfi_fiber *from, rfi_fiber *to) {
    if (RFI_UNLIKELY(rfi_backend.kind != RFI_BACKEND_FIBER)) {
        rfi_os_jump(from, to);
        return;
    }
    from->error = *rfi_backend.error;
    *rfi_backend.error = to->error;
    rfi_context_switch(from, to, false);
}

/* `from`, which runs, has ended, and `to` runs. */
RFI_FN RFI_NORETURN void rfi_fiber_exit(rfi_fiber *from, rfi_fiber *to) {
    rfi_stack_retire(from->stack);
    if (rfi_backend.kind != RFI_BACKEND_FIBER) rfi_os_exit(from, to);
    *rfi_backend.error = to->error;
    rfi_context_switch(from, to, true);
    __builtin_unreachable();
}

/* Home abandons `f`, which is suspended or has never run: it ends where it stands, nothing of its
 * code runs any more. */
RFI_FN void rfi_fiber_drop(rfi_fiber *f) {
    if (rfi_backend.kind == RFI_BACKEND_FIBER)
        rfi_tools_drop(f);
    else
        rfi_os_drop(f);
    rfi_stack_retire(f->stack);
}

/* An execution has ended, no fiber but home is left: stacks used in it count as unused. */
RFI_FN void rfi_fiber_epoch(void) { rfi_stack_epoch(); }

/* Did the access to `address` hit the guard below f's stack?  For the handler of SIGSEGV. */
RFI_FN bool rfi_fiber_overflowed(const rfi_fiber *f, const void *address) {
    uintptr_t below = (uintptr_t)f->stack_low - (uintptr_t)address;
    return f->stack && below > 0 && below <= RFI_STACK_GUARD;
}
#endif
#endif

/* ==== edit src/engine/verdict.h ========================== >>engine/verdict */
/* engine/verdict.h: everything that can be wrong with an execution, in one list.
 *
 * Each diagnostic has an id (stable, for machines), the kind that `.expect` names, and the words a
 * report begins with.  The first failure ends the execution.
 */
#ifndef RFI_ENGINE_VERDICT_H
#define RFI_ENGINE_VERDICT_H

/* X(ID, "id", kind, "words") */
/* clang-format off */
#define RFI_DIAGNOSTICS(X) \
    X(NONE, "none", 0, "no failure") \
    X(ASSERT, "assert", RF_EXPECT_FAILURE, "assertion failed") \
    X(FAIL, "fail", RF_EXPECT_FAILURE, "test failed") \
    X(INVARIANT, "invariant", RF_EXPECT_FAILURE, "invariant broken") \
    X(UNLOCK_FREE, "unlock-free", RF_EXPECT_FAILURE, "unlock of a lock that is not held") \
    X(UNLOCK_OTHER, "unlock-not-owner", RF_EXPECT_FAILURE, \
      "unlock by a thread that is not the owner") \
    X(RELOCK, "relock", RF_EXPECT_FAILURE, "lock taken again by its owner") \
    X(DESTROY_BUSY, "destroy-busy", RF_EXPECT_FAILURE, "destroy of an object in use") \
    X(DESTROYED, "use-destroyed", RF_EXPECT_FAILURE, "use of a destroyed object") \
    X(WRONG_TYPE, "wrong-object", RF_EXPECT_FAILURE, "not an initialised object of this type") \
    X(REINIT, "reinit", RF_EXPECT_FAILURE, "init of an object in use") \
    X(WAIT_UNLOCKED, "wait-unlocked", RF_EXPECT_FAILURE, \
      "condition wait without holding the mutex") \
    X(WAIT_DEPTH, "wait-recursive", RF_EXPECT_FAILURE, "condition wait with a mutex locked twice") \
    X(WAIT_MUTEX, "wait-mutexes", RF_EXPECT_FAILURE, "condition used with two mutexes at a time") \
    X(EXIT_HOLDING, "exit-holding", RF_EXPECT_FAILURE, "thread ends while it holds a lock") \
    X(BAD_COUNT, "bad-count", RF_EXPECT_FAILURE, "count out of range") \
    X(ONCE_RECURSIVE, "once-recursive", RF_EXPECT_FAILURE, "once called from its own initialiser") \
    X(BAD_THREAD, "bad-thread", RF_EXPECT_FAILURE, "not a thread of this execution") \
    X(JOIN_SELF, "join-self", RF_EXPECT_FAILURE, "thread joins itself") \
    X(JOIN_TWICE, "join-twice", RF_EXPECT_FAILURE, "thread joined twice") \
    X(JOIN_DETACHED, "join-detached", RF_EXPECT_FAILURE, "join of a detached thread") \
    X(DETACH_TWICE, "detach-twice", RF_EXPECT_FAILURE, "thread detached twice or after its join") \
    X(USE_AFTER_FREE, "use-after-free", RF_EXPECT_FAILURE, "use after free") \
    X(DOUBLE_FREE, "double-free", RF_EXPECT_FAILURE, "double free") \
    X(BAD_FREE, "bad-free", RF_EXPECT_FAILURE, "free of something RF_MALLOC did not return") \
    X(OVERRUN, "overrun", RF_EXPECT_FAILURE, "access beyond the end of a heap block") \
    X(LEAK, "leak", RF_EXPECT_FAILURE, "heap block never freed") \
    X(INDETERMINATE, "indeterminate", RF_EXPECT_FAILURE, "read of memory nobody has written") \
    X(ATOMIC_SIZES, "atomic-sizes", RF_EXPECT_FAILURE, \
      "overlapping atomics of different sizes") \
    X(BAD_CHOICE, "bad-choice", RF_EXPECT_FAILURE, "RF_CHOOSE from nothing") \
    X(LOCK_CYCLE, "deadlock", RF_EXPECT_DEADLOCK, "deadlock") \
    X(STUCK, "stuck", RF_EXPECT_DEADLOCK, "deadlock: nobody can wake the waiting threads") \
    X(LIVELOCK, "livelock", RF_EXPECT_LIVELOCK, "step limit reached") \
    X(SIGNAL, "signal", RF_EXPECT_CRASH, "crash") \
    X(STACK_OVERFLOW, "stack-overflow", RF_EXPECT_CRASH, "stack overflow") \
    X(EXIT, "exit", RF_EXPECT_CRASH, "the program ended during an execution") \
    X(RUNAWAY, "runaway", RF_EXPECT_CRASH, "a loop that never reaches racefuzz") \
    X(BLOCKED, "blocked", RF_EXPECT_CRASH, "blocked in a call that racefuzz does not control") \
    X(UNREPEATABLE, "not-repeatable", RF_EXPECT_FAILURE, \
      "the same choices did not repeat the execution") \
    X(LIMIT, "limit", RF_EXPECT_FAILURE, "a limit of racefuzz was reached")
/* clang-format on */

typedef enum rf_diagnostic {
#define RFI_X(id, name, kind, words) RF_DIAG_##id,
    RFI_DIAGNOSTICS(RFI_X)
#undef RFI_X
        RF_DIAG_COUNT
} rf_diagnostic;

#ifdef RFI_IMPL
typedef struct rfi_diagnostic_info {
    const char *id, *words;
    unsigned kind;
} rfi_diagnostic_info;

RFI_FN const rfi_diagnostic_info *rfi_diagnostic(rf_diagnostic d) {
    static const rfi_diagnostic_info list[] = {
# define RFI_X(id, name, kind, words) {name, words, kind},
        RFI_DIAGNOSTICS(RFI_X)
# undef RFI_X
    };
    return &list[d < RF_DIAG_COUNT ? d : 0];
}

# define RFI_MESSAGE_BYTES 1024

/* The failure of an execution.  `message` may have several lines; it begins lower-case and says
 * what, not where: site and thread are fields. */
typedef struct rfi_failure {
    rf_diagnostic diagnostic;
    uint32_t thread;
    const rf_site *site; /* may be NULL (a crash between sites: then the last one reached) */
    char message[RFI_MESSAGE_BYTES];
} rfi_failure;
#endif
#endif

/* ==== edit src/engine/record.h =========================== >>engine/record */
/* engine/record.h: one execution as the report sees it.
 *
 * It lives in memory shared with the supervisor, so that whatever the code under test does to its
 * own process, what happened until then can be told.  Only executions that are replayed keep their
 * events; all keep their failure.  Pointers in it point into the program's image or into the
 * record, both at the same address in every process forked from the supervisor.
 */
#ifndef RFI_ENGINE_RECORD_H
#define RFI_ENGINE_RECORD_H

#ifdef RFI_IMPL
# define RFI_RECORD_EVENTS  (1u << 16) /* the last ones are kept */
# define RFI_RECORD_THREADS 8192u
# define RFI_RECORD_OBJECTS 8192u
# define RFI_RECORD_TEXT    (1u << 18)
# define RFI_NAME_BYTES     40
# define RFI_HITS           16u

typedef struct rfi_thread_name {
    const rf_site *created; /* RF_THREAD(...); text = the function; NULL for thread 0 */
    uint32_t parent;
} rfi_thread_name;

typedef struct rfi_object_name {
    const rf_site *site; /* of its initialisation, or of its first use */
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

typedef enum rfi_record_state { RFI_IDLE = 0, RFI_RUNNING, RFI_DONE } rfi_record_state;

typedef struct rfi_record {
    volatile uint32_t state;                  /* rfi_record_state */
    uint32_t index;                           /* of the execution in its job */
    uint64_t steps;                           /* scheduled operations executed */
    uint64_t switches, preemptions, released; /* released: by the thrash rule and the monitor */
    rfi_failure failure;
    uint32_t hit_count; /* all; the first RFI_HITS are kept */
    rfi_hit hit[RFI_HITS];
    uint64_t woken; /* RF_EV_BIT()s of the kinds that woke an analysis */
    bool skipped;   /* RF_SKIP; failure.message holds the reason */
    /* Loads that were atomic and intended races; of the first, and of plain ones with the last,
     * those that returned an older value than the newest one, or a torn one. */
    uint64_t atomic_loads, racy_loads, atomic_stale, plain_stale;
    const rf_site *unannounced; /* an atomic access that found a value no announced store had put
                                   there: memory was changed by something racefuzz can't see */

    uint32_t threads, objects; /* how many there were; a trace keeps names, up to the limits */
    rfi_thread_name thread[RFI_RECORD_THREADS];
    rfi_object_name object[RFI_RECORD_OBJECTS];

    bool tracing;
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

/* ==== edit src/engine/test.h ============================= >>engine/test */
/* engine/test.h: a test, as RF_TEST makes it and rf_run takes it. */
#ifndef RFI_ENGINE_TEST_H
#define RFI_ENGINE_TEST_H

/* Made by RF_TEST; registers itself before main. */
typedef struct rfi_test {
    const char *file;
    uint32_t line;
    void (*body)(void);
    rf_options options;
    struct rfi_test *next;
} rfi_test;

RFI_EXTERN_C_BEGIN
void rfi_register(rfi_test *t);
/* Runs all registered tests with the command line and the environment; the exit status for main:
 * 0 all as expected, 1 failures, 2 usage, 77 everything skipped.  `options` may be NULL. */
int rf_run(const rf_options *options, int argc, char **argv);
RFI_EXTERN_C_END
#endif

/* ==== edit src/engine/state.h ============================ >>engine/state */
/* engine/state.h: the state of the one running execution, and its logical threads.
 *
 * Sets of threads are bit sets by thread number, so that "ascending thread id" is their natural
 * order and a decision among up to 64 threads touches one word.
 */
#ifndef RFI_ENGINE_STATE_H
#define RFI_ENGINE_STATE_H

#ifdef RFI_IMPL
# define RFI_FUEL         1000 /* plain accesses until a decision is forced */
# define RFI_SPIN_REPEAT  32u  /* equal loads in a row that make a spinning thread */
# define RFI_YIELD_REPEAT 4u   /* yields in a row, nothing else done, that make one */
# define RFI_SPURIOUS \
  4096u /* of 65536: waits that wake up, weak exchanges that fail, for nothing */
# define RFI_EXPIRED    16384u /* of 65536: timed waits that have timed out when a signal comes */
# define RFI_GENERATION 0x3c6ef372u /* even: generations are odd, and far apart */
# define RFI_ANALYSES   32u

/* What a thread holds. */
typedef struct rfi_held {
    rfi_object *object;
    const rf_site *site;
    bool shared;
} rfi_held;

/* A logical thread. */
typedef struct rfi_thr {
    rfi_fiber fiber;
    rf_event next; /* the announced operation; after it ran, what it was */
    /* From here to `result`: zero when the thread begins. */
    bool (*ready)(const struct rfi_thr *); /* can `next` complete?  NULL: always */
    rfi_object *waits_on;                  /* while `next` may block: t is in its list of waiters */
    const rfi_object *uses;                /* in whose queue it stands, or whose function it runs */
    struct rfi_thr *starter;  /* runs up to its first operation on behalf of this one */
    rfi_object end;           /* joiners wait on it */
    uint32_t repeats, yields; /* spin recognition */
    uint32_t held_count, tls_count;
    bool timed, finished, detached, joined, notified;
    bool unchecked; /* its pause was limited and is over: `next` is not checked again */
    uint8_t wake;   /* rf_wake */
    void *result;
    uint32_t id;
    bool kept;           /* its fiber stays from execution to execution */
    bool idle;           /* it does, and has nothing to do now */
    uint32_t wait_next;  /* list of waiters: thread + 1 */
    uint32_t queue_next; /* a condition's queue: thread + 1 */
    uint32_t held_capacity;
    rfi_held *held;
    void *(*fn)(void *);
    void *arg;
    uint64_t phase;        /* of the barrier waited for */
    uint64_t paused_at;    /* step in which a checker last paused it, */
    uint64_t paused_until; /* and at which it goes on by itself; UINT64_MAX: it does not */
    uint64_t searched;     /* number of the search for cycles that has last met it, */
    uint32_t on_path;      /* its place on the path of that search + 1; 0: it is behind it, */
    uint32_t tried;        /* and what is below this number of those it waits for (stuck.h) */
    void **tls;
} rfi_thr;

/* How an execution is to be run. */
typedef struct rfi_plan {
    uint64_t base, seed; /* the job's; of the next execution */
    const rf_strategy *strategy;
    const rf_checker *checker; /* may be NULL */
    const uint64_t *target;    /* that it is directed at */
    uint32_t targets;
    const rf_analysis *analysis[RFI_ANALYSES];
    uint32_t analyses;
    uint64_t asleep; /* kinds of events that no analysis is awake for from the beginning */
    bool fine;       /* every access is a scheduling point */
    bool trace;      /* keep the events in the record */
    bool spurious;
    rf_mem_options memory; /* of the model */
    bool adversary;        /* plain data under suspicion (RFI_SUSPECT) goes through the model */
    bool suspect_all;      /* all plain data is under suspicion */
    uint64_t max_steps;
    size_t stack_size;
    /* Set by rfi_plan_complete. */
    uint64_t listen;
    const rf_analysis *lane; /* whose `access` is used, or NULL */
    const uint8_t *arm;
    uint32_t attention;
    uint8_t mode;
    bool modelled; /* the memory model is on */
    bool hooks;    /* somebody besides the strategy is told of beginnings and ends */
} rfi_plan;

/* An access is scheduled; is seen by analyses; what it touches is under suspicion from then on; it
 * gives an atomic its first value. */
enum { RFI_POINT = 1, RFI_WATCH = 2, RFI_SUSPECT = 4, RFI_FIRST = 8 };

/* What begins at zero in every execution. */
typedef struct rfi_run {
    uint64_t steps, switches, preemptions;
    uint64_t spins; /* decisions among spinners alone */
    uint64_t now;   /* virtual time in milliseconds */
    rfi_scope *invariants;
    uint32_t words; /* of the sets of threads that are in use */
    uint32_t threads, live;
    uint32_t last;      /* thread of the previous step */
    uint32_t attention; /* how many reasons there are to leave the fast path of a decision: a
                           checker, a hook of the strategy, invariants, spinners, a thread that
                           is starting */
    uint32_t lazy_count;
    uint32_t objects;
    bool abandoned;
    bool freed; /* some heap block: unscheduled accesses are checked too */
} rfi_run;

/* What the frame for checkers keeps during an execution that has one (sched.h). */
typedef struct rfi_frame {
    uint64_t paused_since, breaks;
    uint32_t paused_count, forced_count;
    uint32_t pause_chance; /* of 65536 */
    uint32_t checked;      /* the thread under check */
    uint32_t timed;        /* threads that are paused for some decisions only, or were */
    bool pause_checked;    /* it was paused, */
    uint64_t pause_until;  /* so long */
} rfi_frame;

typedef struct rfi_engine {
    rfi_thr *current;    /* NULL outside of executions */
    uint32_t quiet;      /* inside RF_INVARIANT: operations make no events */
    uint32_t generation; /* of this execution: odd and scattered, so that stale or random memory is
                            not taken for one of its objects */
    uint64_t max_steps;
    uint64_t listen;               /* RF_EV_BITs that some analysis (or the strategy) wants */
    uint64_t wanted[RFI_ANALYSES]; /* those that each analysis of the plan gets now */
    /* `access` of who sees accesses; NULL where there is none, or accesses are more than events. */
    bool (*lane)(uint32_t thread, const rf_site *site, const void *addr, size_t size, bool writes);
    uint8_t mode; /* RFI_POINT, RFI_WATCH for all plain accesses */
    bool fine, spurious, modelled, adversary;
    uint64_t *enabled, *paused, *lazy, *candidates;
    rfi_thr **thread;
    const rfi_plan *plan;
    const rf_strategy *strategy;
    rf_prng schedule, memory, input;
    rfi_record *record;
    rfi_run run;
    const struct rfi_series *series; /* that is running (execute.h) */
    rfi_fiber home;
    uint32_t set_capacity, thread_capacity;
    size_t stack_size; /* of idle fibers */
    rfi_frame frame;
    uint32_t *forced; /* threads that execute before any other choice */
    uint32_t forced_capacity;
    /* Objects by number. */
    rfi_object_name *object;
    uint32_t object_capacity;
    /* Sites whose plain accesses are scheduled although the rest is not. */
    uint8_t *site_mode;
    uint32_t site_mode_count;
    rfi_arena arena;      /* emptied with the execution */
    const void *rmw_addr; /* between rfi_rmw_begin and rfi_rmw_end outside of executions */
    size_t rmw_size;
} rfi_engine;

static rfi_engine rfi;

static const uint8_t rfi_arm_none[RFI_SLOTS] RFI_UNUSED = {0};
static uint8_t rfi_arm_all[RFI_SLOTS] RFI_UNUSED;  /* filled with ones at start */
static uint8_t rfi_arm_some[RFI_SLOTS] RFI_UNUSED; /* the slots of the pair under suspicion */

/* Delivers an event to the analyses. */
RFI_FN void rfi_deliver(const rf_event *e) {
    for (uint32_t i = 0; i < rfi.plan->analyses; i++) {
        if (!(rfi.wanted[i] & RF_EV_BIT(e->kind))) continue;
        const rf_analysis *a = rfi.plan->analysis[i];
        if (RFI_UNLIKELY(rfi.wanted[i] != a->events)) { /* it is awake now */
            rfi.wanted[i] = a->events;
            rfi.record->woken |= RF_EV_BIT(e->kind);
        }
        a->event(e);
    }
    const rf_checker *c = rfi.plan->checker;
    if (c && c->events & RF_EV_BIT(e->kind)) c->event(e);
}

RFI_INLINE bool rfi_listening(unsigned kind) { return rfi.listen & RF_EV_BIT(kind); }

RFI_INLINE void rfi_emit(const rf_event *e) {
    if (RFI_UNLIKELY(rfi_listening(e->kind))) rfi_deliver(e);
}

/* Delivers an event that is not scheduled by itself. */
RFI_FN void rfi_note(unsigned kind, const rf_site *s, uint32_t object, uint32_t other) {
    if (!rfi_listening(kind)) return;
    rf_event e = {.kind = (uint8_t)kind,
                  .thread = rfi.current ? rfi.current->id : 0,
                  .site = s,
                  .object = object,
                  .other = other};
    rfi_deliver(&e);
}
#endif
#endif

/* ==== edit src/engine/fail.h ============================= >>engine/fail */
/* engine/fail.h: an execution ends early.
 *
 * The first failure is written to the record, then control goes home; the threads of the execution
 * are abandoned where they stand.  Cold by nature.
 */
#ifndef RFI_ENGINE_FAIL_H
#define RFI_ENGINE_FAIL_H

#ifdef RFI_IMPL
/* The running thread never comes back from here. */
RFI_FN RFI_COLD RFI_NORETURN void rfi_go_home(void) {
    rfi.run.abandoned = true;
    rfi_fiber_jump(&rfi.current->fiber, &rfi.home);
    abort(); /* nobody resumes an abandoned thread */
}

RFI_FN RFI_COLD void rfi_failure_set(rf_diagnostic d, const rf_site *s, const char *fmt,
                                     va_list ap) {
    rfi_failure *f = &rfi.record->failure;
    f->diagnostic = d;
    f->site = s;
    f->thread = rfi.current ? rfi.current->id : 0;
    vsnprintf(f->message, sizeof f->message, fmt, ap);
}

/* Ends the execution with a failure; outside of one, the process. */
RFI_FN RFI_COLD RFI_NORETURN RFI_PRINTF(3, 4) void rfi_fail(rf_diagnostic d, const rf_site *s,
                                                            const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    if (!rfi.current) {
        fprintf(stderr, "%s:%u: %s: ", s ? s->file : "?", s ? s->line : 0u,
                rfi_diagnostic(d)->words);
        vfprintf(stderr, fmt, ap);
        fputc('\n', stderr);
        abort();
    }
    rfi_failure_set(d, s, fmt, ap);
    va_end(ap);
    rfi_go_home();
}

/* For what changes more than an invariant may, or needs threads. */
RFI_FN RFI_COLD RFI_NORETURN void rfi_fail_here(const rf_site *s, const char *what) {
    rfi_fail(RF_DIAG_FAIL, s, "%s %s", what,
             rfi.current ? "inside an RF_INVARIANT function" : "outside of a test");
}

void rfi_fail_test(const rf_site *s, int diagnostic, const char *fmt, ...) {
    char text[RFI_MESSAGE_BYTES];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    rfi_fail((rf_diagnostic)diagnostic, s, "%s", text);
}

void rfi_skip_test(const rf_site *s, const char *reason) {
    if (!rfi.current) rfi_fail(RF_DIAG_FAIL, s, "RF_SKIP outside of a test");
    rfi.record->skipped = true;
    snprintf(rfi.record->failure.message, RFI_MESSAGE_BYTES, "%s", reason);
    rfi_go_home();
}

/* Appends to a message. */
typedef struct rfi_text {
    char *at, *end;
} rfi_text;

RFI_FN RFI_COLD RFI_PRINTF(2, 3) void rfi_append(rfi_text *t, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(t->at, (size_t)(t->end - t->at), fmt, ap);
    va_end(ap);
    if (n > 0) t->at += n < t->end - t->at ? n : t->end - t->at - 1;
}
#endif
#endif

/* ==== edit src/engine/order.h ============================ >>engine/order */
/* engine/order.h: who has heard of whom (docs/internals.md, Two relations).
 *
 * One tracker keeps the vector clocks of the threads and of the messages that every primitive
 * carries, for one of three relations:
 *   full     happens-before: releasing a lock orders a later acquisition; a signal orders nothing,
 *            since the mutex of the wait does; a semaphore has one clock that gathers all posts.
 *   relaxed  what another schedule could not turn round: locks order nothing, a signal orders the
 *            wait that it wakes, a semaphore's tokens are taken first in, first out.
 *   forced   the relaxed one without signals: what no schedule could turn round, whoever is woken.
 * Start, join, barrier, once and release/acquire atomics are the same in all.
 *
 * Atomics: a message goes with every store that is kept (an event tells by its slot which one it
 * read or wrote): it belongs to the release sequences of that store, at most one headed by each
 * thread (C11: a sequence goes on through later stores of the thread that heads it and through
 * read-modify-writes of all).
 */
#ifndef RFI_ENGINE_ORDER_H
#define RFI_ENGINE_ORDER_H

#ifdef RFI_IMPL
/* A message that waits in a list: a semaphore's token, a release sequence. */
typedef struct rfi_letter {
    struct rfi_letter *next;
    rfi_message message;
} rfi_letter;

/* One round of a barrier. */
typedef struct rfi_phase {
    struct rfi_phase *next; /* among the spare ones */
    uint64_t number;
    uint32_t inside; /* threads that have arrived and not yet departed */
    rfi_message message;
} rfi_phase;

/* Messages of one synchronisation object. */
typedef struct rfi_mailbox {
    rfi_message last; /* lock: exclusive release; once: end of the initialiser; semaphore: posts */
    rfi_message shared;         /* lock: releases by readers since then */
    rfi_phase *phase;           /* barrier: the newest one */
    rfi_letter *first, *newest; /* semaphore, relaxed: a letter for each token that was posted */
    uint64_t initial;           /* and the tokens it began with that are left: taken first */
    bool counted;
} rfi_mailbox;

/* An atomic location. */
typedef struct rfi_atomic {
    struct rfi_atomic *next; /* in the same granule */
    uintptr_t addr;
    size_t size;
    rfi_letter *heads;   /* the newest release of each thread that stored here */
    rfi_message *stores; /* what comes with the store in each slot */
    uint32_t slots, capacity;
} rfi_atomic;

enum { RFI_FULL, RFI_RELAXED, RFI_RELATIONS, RFI_FORCED = RFI_RELATIONS };

typedef struct rfi_order {
    unsigned relation;
    rfi_arena arena;
    rfi_actors *actors;
    rfi_mailbox *box; /* by object number */
    rfi_phase **at;   /* the barrier phase that a thread stands at */
    uint32_t boxes, box_capacity, ats, at_capacity;
    rfi_shadow atomics; /* granule -> rfi_atomic list */
    rfi_letter *spare_letter;
    rfi_phase *spare_phase;
} rfi_order;

/* Kinds of events that rfi_order_event takes. */
/* clang-format off */
# define RFI_ORDER_EVENTS \
    (RF_EV_BIT(RF_EV_LOCK) | RF_EV_BIT(RF_EV_UNLOCK) | RF_EV_BIT(RF_EV_NOTIFY) | \
     RF_EV_BIT(RF_EV_SEM_WAIT) | RF_EV_BIT(RF_EV_SEM_POST) | RF_EV_BIT(RF_EV_ARRIVE) | \
     RF_EV_BIT(RF_EV_DEPART) | RF_EV_BIT(RF_EV_ONCE_DONE) | RF_EV_BIT(RF_EV_ONCE_PASS) | \
     RF_EV_BIT(RF_EV_CREATE) | RF_EV_BIT(RF_EV_JOIN) | RF_EV_BIT(RF_EV_FENCE) | \
     RF_EV_BIT(RF_EV_INIT))
/* clang-format on */

/* An execution begins; `actors` are whose clocks are kept. */
RFI_FN void rfi_order_begin(rfi_order *o, unsigned relation, rfi_actors *actors) {
    o->relation = relation;
    o->actors = actors;
    rfi_arena_reset(&o->arena);
    rfi_shadow_reset(&o->atomics);
    rfi_actors_reset(o->actors);
    o->boxes = o->ats = 0;
    o->spare_letter = NULL;
    o->spare_phase = NULL;
}

RFI_FN rfi_mailbox *rfi_order_box(rfi_order *o, uint32_t object) {
    if (RFI_UNLIKELY(object >= o->boxes)) {
        o->box = rfi_grow(o->box, &o->box_capacity, object + 1, sizeof *o->box);
        while (o->boxes <= object) o->box[o->boxes++] = (rfi_mailbox){0};
    }
    return &o->box[object];
}

RFI_FN rfi_letter *rfi_letter_take(rfi_order *o) {
    rfi_letter *l = o->spare_letter;
    if (!l) return rfi_arena_take(&o->arena, sizeof *l);
    o->spare_letter = l->next;
    l->next = NULL;
    return l;
}

RFI_FN void rfi_letter_drop(rfi_order *o, rfi_letter *l) {
    l->next = o->spare_letter;
    o->spare_letter = l;
}

/* ---- synchronisation ---- */

RFI_FN void rfi_order_lock(rfi_order *o, const rf_event *e) {
    if (o->relation != RFI_FULL) return;
    rfi_mailbox *box = rfi_order_box(o, e->object);
    bool shared = e->flags & RF_EV_SHARED;
    if (e->kind == RF_EV_LOCK) {
        rfi_actor_receive(o->actors, e->thread, &box->last);
        if (!shared) rfi_actor_receive(o->actors, e->thread, &box->shared);
    } else if (shared) {
        rfi_message_add(o->actors, e->thread, &box->shared);
    } else {
        rfi_message_send(o->actors, e->thread, &box->last);
        box->shared.clock.n = 0; /* who releases knows it, having acquired */
    }
}

RFI_FN void rfi_order_semaphore(rfi_order *o, const rf_event *e) {
    rfi_mailbox *box = rfi_order_box(o, e->object);
    bool post = e->kind == RF_EV_SEM_POST;
    if (o->relation == RFI_FULL) {
        if (post)
            rfi_message_add(o->actors, e->thread, &box->last);
        else
            rfi_actor_receive(o->actors, e->thread, &box->last);
        return;
    }
    if (!box->counted) { /* the event tells the tokens after it */
        box->initial = post ? e->value - 1 : e->value + 1;
        box->counted = true;
    }
    if (post) {
        rfi_letter *l = rfi_letter_take(o);
        rfi_message_send(o->actors, e->thread, &l->message);
        if (box->first)
            box->newest->next = l;
        else
            box->first = l;
        box->newest = l;
    } else if (box->initial) {
        box->initial--;
    } else if (box->first) {
        rfi_letter *l = box->first;
        box->first = l->next;
        rfi_actor_receive(o->actors, e->thread, &l->message);
        rfi_letter_drop(o, l);
    }
}

RFI_FN rfi_phase **rfi_order_at(rfi_order *o, uint32_t t) {
    o->at = rfi_grow(o->at, &o->at_capacity, t + 1, sizeof(rfi_phase *));
    while (o->ats <= t) o->at[o->ats++] = NULL;
    return &o->at[t];
}

/* A fast thread may arrive for the next phase before the slow ones have departed from this one. */
RFI_FN void rfi_order_arrive(rfi_order *o, const rf_event *e) {
    rfi_mailbox *box = rfi_order_box(o, e->object);
    rfi_phase *p = box->phase;
    if (!p || p->number != e->value) {
        p = o->spare_phase;
        if (p)
            o->spare_phase = p->next;
        else
            p = rfi_arena_take(&o->arena, sizeof *p);
        p->number = e->value;
        p->message.clock.n = 0;
        box->phase = p;
    }
    p->inside++;
    *rfi_order_at(o, e->thread) = p;
    rfi_message_add(o->actors, e->thread, &p->message);
}

RFI_FN void rfi_order_depart(rfi_order *o, const rf_event *e) {
    rfi_phase **at = rfi_order_at(o, e->thread), *p = *at;
    if (!p) return;
    *at = NULL;
    rfi_actor_receive(o->actors, e->thread, &p->message);
    if (--p->inside) return;
    rfi_mailbox *box = rfi_order_box(o, e->object);
    if (box->phase == p) box->phase = NULL;
    p->next = o->spare_phase;
    o->spare_phase = p;
}

/* ---- atomics ---- */

RFI_FN void rfi_order_fence(rfi_order *o, const rf_event *e) {
    if (rfi_acquires(e->order)) rfi_actor_acquire_fence(o->actors, e->thread);
    if (rfi_releases(e->order))
        rfi_message_send(o->actors, e->thread, &rfi_actor_of(o->actors, e->thread)->released);
}

RFI_FN rfi_atomic *rfi_order_atomic(rfi_order *o, const rf_event *e, bool make) {
    uintptr_t addr = (uintptr_t)e->addr, g = addr / RFI_GRANULE;
    rfi_atomic *x = rfi_shadow_get(&o->atomics, g);
    while (x && x->addr != addr) x = x->next;
    if (x || !make) return x;
    void **list = rfi_shadow_at(&o->atomics, g);
    x = rfi_arena_take(&o->atomics.arena, sizeof *x);
    *x = (rfi_atomic){.next = *list, .addr = addr, .size = e->size};
    return *list = x;
}

/* What comes with the store in a slot. */
RFI_FN rfi_message *rfi_order_slot(rfi_order *o, rfi_atomic *x, uint32_t slot) {
    if (RFI_UNLIKELY(slot >= x->capacity)) {
        uint32_t capacity = slot < 2 ? 2 : slot * 2;
        rfi_message *stores = rfi_arena_take(&o->atomics.arena, capacity * sizeof *stores);
        if (x->slots) memcpy(stores, x->stores, x->slots * sizeof *stores);
        x->stores = stores;
        x->capacity = capacity;
    }
    if (slot >= x->slots) x->slots = slot + 1;
    return &x->stores[slot];
}

/* The read half of an atomic operation: before the detectors see the access. */
RFI_FN void rfi_order_load(rfi_order *o, const rf_event *e) {
    const rfi_atomic *x = rfi_order_atomic(o, e, false);
    if (!x || e->read_slot >= x->slots) return;
    if (rfi_acquires(e->order))
        rfi_actor_receive(o->actors, e->thread, &x->stores[e->read_slot]);
    else
        rfi_actor_acquirable(o->actors, e->thread, &x->stores[e->read_slot]);
}

/* Thread `t`'s newest release at `x`; NULL if it has none and none is to be made. */
RFI_FN rfi_message *rfi_order_head(rfi_order *o, rfi_atomic *x, uint32_t t, bool make) {
    rfi_letter *l = x->heads;
    while (l && l->message.from != t) l = l->next;
    if (l || !make) return l ? &l->message : NULL;
    l = rfi_letter_take(o);
    rfi_message_clear(&l->message);
    l->message.from = t;
    l->next = x->heads;
    x->heads = l;
    return &l->message;
}

/* The write half: after the detectors have seen the access.  The thread's own head becomes the
 * newest of: this store, its last release fence, the head that it had here. */
RFI_FN void rfi_order_store(rfi_order *o, const rf_event *e) {
    const rfi_message *fence = &rfi_actor_of(o->actors, e->thread)->released;
    bool releases = rfi_releases(e->order);
    rfi_atomic *x = rfi_order_atomic(o, e, releases || fence->k);
    if (!x) return;
    rfi_message *head = rfi_order_head(o, x, e->thread, releases || fence->k);
    if (releases)
        rfi_message_send(o->actors, e->thread, head);
    else if (head && fence->k > head->k)
        rfi_message_copy(head, fence, &o->actors->arena);
    uint32_t highest = e->read_slot > e->write_slot ? e->read_slot : e->write_slot;
    rfi_order_slot(o, x, highest);
    rfi_message *to = &x->stores[e->write_slot];
    if (!(e->flags & RF_EV_READS))
        rfi_message_clear(to);
    else if (e->read_slot != e->write_slot)
        rfi_message_copy(to, &x->stores[e->read_slot], &o->actors->arena);
    if (!head) return;
    if (rfi_message_any(to) && !(to->k && to->from == e->thread))
        rfi_message_join(to, head, &o->actors->arena);
    else
        rfi_message_copy(to, head, &o->actors->arena);
}

RFI_FN void rfi_order_behead(rfi_order *o, rfi_atomic *x) {
    while (x->heads) {
        rfi_letter *l = x->heads;
        x->heads = l->next;
        rfi_letter_drop(o, l);
    }
    for (uint32_t i = 0; i < x->slots; i++) rfi_message_clear(&x->stores[i]);
}

/* Bytes that were written by something that is not atomic, or that belong to something new: reading
 * them synchronises with nobody. */
RFI_FN void rfi_order_overwrite(rfi_order *o, uintptr_t from, uintptr_t to) {
    if (!o->atomics.regions.used || from == to) return;
    uintptr_t end = (to - 1) / RFI_GRANULE + 1;
    for (uintptr_t g = from / RFI_GRANULE; (g = rfi_shadow_next(&o->atomics, g, end)) < end; g++)
        for (rfi_atomic *x = rfi_shadow_get(&o->atomics, g); x; x = x->next)
            if (x->addr < to && from < x->addr + x->size) rfi_order_behead(o, x);
}

/* What an access, or new memory, does to the relation: before and after the detectors see it. */
RFI_FN void rfi_order_before(rfi_order *o, const rf_event *e) {
    if (e->flags & RF_EV_ATOMIC && e->flags & RF_EV_READS) rfi_order_load(o, e);
}

RFI_FN void rfi_order_after(rfi_order *o, const rf_event *e) {
    uintptr_t from = (uintptr_t)e->addr;
    if (e->kind != RF_EV_ALLOC && e->kind != RF_EV_RECYCLE && !(e->flags & RF_EV_WRITES)) return;
    if (e->flags & RF_EV_ATOMIC)
        rfi_order_store(o, e);
    else
        rfi_order_overwrite(o, from, from + e->size);
}

/* All of an access, for who has no question between what it acquires and what it releases. */
RFI_FN void rfi_order_access(rfi_order *o, const rf_event *e) {
    rfi_order_before(o, e);
    rfi_order_after(o, e);
}

/* Takes RFI_ORDER_EVENTS; accesses go through the functions above. */
RFI_FN void rfi_order_event(rfi_order *o, const rf_event *e) {
    switch (e->kind) {
    case RF_EV_LOCK:
    case RF_EV_UNLOCK: rfi_order_lock(o, e); break;
    case RF_EV_NOTIFY:
        if (o->relation == RFI_RELAXED) rfi_actor_pass(o->actors, e->thread, e->other);
        break;
    case RF_EV_SEM_WAIT:
    case RF_EV_SEM_POST: rfi_order_semaphore(o, e); break;
    case RF_EV_ARRIVE: rfi_order_arrive(o, e); break;
    case RF_EV_DEPART: rfi_order_depart(o, e); break;
    case RF_EV_ONCE_DONE:
        rfi_message_send(o->actors, e->thread, &rfi_order_box(o, e->object)->last);
        break;
    case RF_EV_ONCE_PASS:
        rfi_actor_receive(o->actors, e->thread, &rfi_order_box(o, e->object)->last);
        break;
    case RF_EV_CREATE: rfi_actor_fork(o->actors, e->thread, e->other); break;
    case RF_EV_JOIN: rfi_actor_join(o->actors, e->thread, e->other); break;
    case RF_EV_FENCE: rfi_order_fence(o, e); break;
    case RF_EV_INIT: *rfi_order_box(o, e->object) = (rfi_mailbox){0}; break;
    default: break;
    }
}
#endif
#endif

/* ==== edit src/engine/trace.h ============================ >>engine/trace */
/* engine/trace.h: an analysis that keeps the events in the record.
 *
 * It also hashes the sequence in a form that is the same in every process, on both back ends and
 * with every compiler: threads, objects and locations by number in order of their first use, sites
 * by file name, line and expression, values of one to four bytes (wider ones may be addresses).
 * All locations on the stack of one thread count as one: which variables lie there, and which of
 * them share a place, is up to the compiler.  A second hash leaves the sites out: it stays the same
 * when lines move.
 */
#ifndef RFI_ENGINE_TRACE_H
#define RFI_ENGINE_TRACE_H

#ifdef RFI_IMPL
static rfi_map rfi_trace_places RFI_UNUSED; /* address -> number of first touch */
static rfi_map rfi_trace_sites RFI_UNUSED;

RFI_FN void rfi_trace_begin(void) {
    rfi_record *r = rfi.record;
    r->events = 0;
    r->hash = r->course = rfi_mix(1);
    r->site_hash = 0;
    r->text_used = 0;
    memset(r->prefix, 0, sizeof r->prefix);
    rfi_map_reset(&rfi_trace_places);
    rfi_map_reset(&rfi_trace_sites);
}

RFI_FN bool rfi_trace_on_stack(const char *p, uint32_t thread) {
    const rfi_fiber *f = &rfi.thread[thread]->fiber;
    return p >= (const char *)f->stack_low && p < (const char *)f->stack_high;
}

/* The thread on whose stack `p` is, which mostly is `by`; RFI_NO_THREAD if it is elsewhere. */
RFI_FN uint32_t rfi_trace_owner(const char *p, uint32_t by) {
    if (rfi_trace_on_stack(p, by)) return by;
    for (uint32_t i = rfi.run.threads; i--;) /* a stack may have served several: the newest */
        if (rfi_trace_on_stack(p, i)) return i;
    return RFI_NO_THREAD;
}

/* Number of the location in order of first touch, from 1; 0 for none; above them, one a stack. */
RFI_FN uint64_t rfi_trace_place(const void *p, uint32_t by) {
    if (!p) return 0;
    const uint64_t *known = rfi_map_find(&rfi_trace_places, (uint64_t)(uintptr_t)p);
    if (known) return *known;
    uint32_t owner = rfi_trace_owner(p, by);
    if (owner != RFI_NO_THREAD) return owner | UINT64_C(1) << 32;
    uint64_t *n = rfi_map_at(&rfi_trace_places, (uint64_t)(uintptr_t)p);
    return *n = rfi_trace_places.used;
}

/* What of an event is the same wherever it runs; its site is left out. */
RFI_FN uint64_t rfi_event_print(const rf_event *e) {
    uint64_t h = e->kind | (uint64_t)e->flags << 8 | (uint64_t)e->order << 24;
    h |= (uint64_t)e->thread << 32;
    h = rfi_mix(h) + (e->object | (uint64_t)e->other << 32);
    h = rfi_mix(h) + e->size + (rfi_trace_place(e->addr, e->thread) << 24);
    if (e->size <= 4) h = rfi_mix(h) + e->value + (e->value2 << 32);
    return rfi_mix(h);
}

RFI_FN const char *rfi_trace_text(const char *text) {
    rfi_record *r = rfi.record;
    size_t n = strlen(text) + 1;
    if (r->text_used + n > RFI_RECORD_TEXT) return "(log text left out: its memory is full)";
    char *to = r->text + r->text_used;
    r->text_used += (uint32_t)n;
    return memcpy(to, text, n);
}

RFI_FN void rfi_trace_event(const rf_event *e) {
    if (e->kind == RF_EV_RECYCLE) return;
    rfi_record *r = rfi.record;
    uint64_t print = rfi_event_print(e), key = e->site ? rfi_site_known_key(e->site) : 0;
    r->course = rfi_mix(r->course) + print;
    print = rfi_mix(print + key);
    r->hash = rfi_mix(r->hash) + print;
    r->print[r->events % RFI_RECORD_EVENTS] = print;
    if (key) {
        uint64_t *seen = rfi_map_at(&rfi_trace_sites, rfi_site_number(e->site));
        if (!*seen) r->site_hash += (uint32_t)key;
        *seen = 1;
    }
    rf_event *kept = &r->event[r->events % RFI_RECORD_EVENTS];
    *kept = *e;
    if (e->text) kept->text = rfi_trace_text(e->text);
    if (e->origin) {
        r->origin[r->events % RFI_RECORD_EVENTS] = *e->origin;
        kept->origin = &r->origin[r->events % RFI_RECORD_EVENTS];
    }
    r->events++;
    if (!(r->events & (r->events - 1))) r->prefix[__builtin_ctzll(r->events)] = r->course;
}

static const rf_analysis rfi_tracer RFI_UNUSED = {.name = "trace",
                                                  .help = "keeps the events",
                                                  .events = ~UINT64_C(0),
                                                  .begin = rfi_trace_begin,
                                                  .event = rfi_trace_event};
#endif
#endif

/* ==== edit src/engine/memory.h =========================== >>engine/memory */
/* engine/memory.h: the memory model in the engine.
 *
 * It hears of synchronisation as an analysis does, and gives its values to accesses (access.h).
 * Atomics are always its business, unless they are sequentially consistent and nobody suspects
 * anything; plain data is from the moment that an access under suspicion touches it.
 */
#ifndef RFI_ENGINE_MEMORY_H
#define RFI_ENGINE_MEMORY_H

#ifdef RFI_IMPL
static rf_mem rfi_model RFI_UNUSED;
static rfi_order rfi_model_order RFI_UNUSED;
static rfi_map rfi_model_touched RFI_UNUSED;  /* by suspect statements, if there is a sample */
static rf_origin rfi_model_origin RFI_UNUSED; /* of the access that executes */
static uint32_t rfi_model_alone RFI_UNUSED;   /* the model's time when last one thread was alone */

/* One execution in four has no older values, so that what fails without them is told without. */
# define RFI_NEWEST_EVERY 4u

RFI_FN void rfi_model_begin(void) {
    rfi_core *c = &rfi_model.core;
    rfi_mem_begin(&rfi_model, rfi_draw(&rfi.memory), NULL);
    if (c->atomic_pick == RF_PICK_RECENT && rfi.record->index % RFI_NEWEST_EVERY == 0)
        c->atomic_pick = RF_PICK_NEWEST;
    rfi_order_begin(&rfi_model_order, RFI_FULL, &rfi_model.core.threads);
    rfi_model_alone = 0;
    rfi_map_reset(&rfi_model_touched);
}

RFI_FN void rfi_model_event(const rf_event *e) {
    switch (e->kind) {
    case RF_EV_FENCE:
        rfi_atomic_fence(&rfi_model.core, &rfi_model.atomics, e->thread, e->order);
        break;
    case RF_EV_CREATE:
        if (rfi.run.live == 2) rfi_model_alone = ++rfi_model.atomics.time;
        rfi_order_event(&rfi_model_order, e);
        break;
    case RF_EV_EXIT: rf_mem_exit(&rfi_model, e->thread); break;
    case RF_EV_ALLOC:
        if (e->value == RFI_FRESH) {
            rfi_mem_fresh(&rfi_model, e->addr, e->size);
            break;
        }
        /* fall through */
    case RF_EV_FREE:
    case RF_EV_RECYCLE: rf_mem_forget(&rfi_model, e->addr, e->size); break;
    default: rfi_order_event(&rfi_model_order, e); break;
    }
}

/* clang-format off */
static const rf_analysis rfi_model_analysis RFI_UNUSED = {
    .name = "memory",
    .help = "what the memory model must know",
    .events = RFI_ORDER_EVENTS | RF_EV_BIT(RF_EV_EXIT) | RF_EV_BIT(RF_EV_ALLOC) |
              RF_EV_BIT(RF_EV_FREE) | RF_EV_BIT(RF_EV_RECYCLE),
    .begin = rfi_model_begin,
    .event = rfi_model_event};
/* clang-format on */

/* Is this location of those that the plan's sample takes?  The engine can't know where an array
 * begins: locations count in the order in which suspect statements first touch them. */
RFI_FN bool rfi_model_sampled(const void *addr) {
    uint32_t sample = rfi.plan->memory.sample;
    if (!sample) return true;
    uint64_t *number = rfi_map_at(&rfi_model_touched, (uint64_t)(uintptr_t)addr);
    if (!*number) *number = rfi_model_touched.used;
    return *number <= 32 && sample >> (*number - 1) & 1;
}

/* The access puts all that it touches under suspicion, or touches something that is. */
RFI_FN bool rfi_suspected(const rf_event *e, unsigned mode) {
    rf_mem *m = &rfi_model;
    if (mode & RFI_SUSPECT && rfi_model_sampled(e->addr)) {
        rf_mem_watch(m, e->addr, e->size);
        return true;
    }
    return rfi_plain_any(&m->plain) && rfi_plain_watched(&m->plain, (uintptr_t)e->addr, e->size);
}

/* The access `e` found a value that no announced store had put there.  That is in order where no
 * other thread can have looked: a plain initialisation (x = 0) of a local, or between two rounds of
 * a test, while one thread is alone. */
RFI_FN RFI_COLD void rfi_model_unannounced(const rf_event *e) {
    bool alone = rfi.run.live == 1 || rfi_model.core.known_at < rfi_model_alone;
    if (alone || rfi_trace_owner(e->addr, e->thread) != RFI_NO_THREAD) return;
    if (!rfi.record->unannounced) rfi.record->unannounced = e->site;
}

/* `e` read something else than the newest value. */
RFI_FN void rfi_model_old(rf_event *e, const rf_mem_report *r) {
    rf_origin *o = &rfi_model_origin;
    *o = (rf_origin){.thread = r->from.thread,
                     .site = r->from.tag,
                     .order = (uint8_t)r->from.order,
                     .newest_thread = r->newest.thread,
                     .newest_site = r->newest.tag,
                     .newest_order = (uint8_t)r->newest.order,
                     .newest_value = r->newest.value,
                     .hidden = r->hidden};
    if (r->flags & RF_MEM_STALE) e->flags |= RF_EV_STALE;
    *(e->flags & RF_EV_ATOMIC ? &rfi.record->atomic_stale : &rfi.record->plain_stale) += 1;
    e->origin = o;
    if (!(r->flags & RF_MEM_TORN)) return;
    e->flags |= RF_EV_TORN;
    o->other_thread = r->other.thread;
    o->other_site = r->other.tag;
    o->other_value = r->other.value;
}

RFI_FN RFI_COLD void rfi_model_indeterminate(rf_event *e) {
    memset(&e->value, RFI_FRESH, e->size < sizeof e->value ? e->size : sizeof e->value);
    rfi_emit(e); /* the last one of this execution */
    rfi_fail(RF_DIAG_INDETERMINATE, e->site, "the bytes are as RF_MALLOC gave them%s",
             e->origin ? ", or may be: no write is ordered before this read" : "");
}

/* What was unusual about the access `e`. */
RFI_FN RFI_COLD void rfi_model_tell(rf_event *e, const rf_mem_report *r) {
    if (r->flags & RF_MEM_UNANNOUNCED && e->flags & RF_EV_ATOMIC) rfi_model_unannounced(e);
    if (r->flags & RF_MEM_MISFIT)
        rfi_fail(RF_DIAG_ATOMIC_SIZES, e->site,
                 "an atomic of %zu bytes overlaps one of another size or place", e->size);
    if (r->flags & (RF_MEM_STALE | RF_MEM_TORN)) rfi_model_old(e, r);
    if (r->flags & RF_MEM_INDETERMINATE) rfi_model_indeterminate(e);
}

/* The model has this atomic.  One that is too wide for it stays in memory and always has its newest
 * value; then whoever uses it comes after all that used it before. */
RFI_INLINE bool rfi_model_takes(const rf_event *e) {
    if (RFI_UNLIKELY(e->size > sizeof(rfi_word)) && rfi.modelled) {
        rf_mem_acquire(&rfi_model, e->thread, (uintptr_t)e->addr);
        rf_mem_release(&rfi_model, e->thread, (uintptr_t)e->addr);
        return false;
    }
    return rfi.modelled;
}

/* Plain accesses that do not go through the model are seen, all of them, where the granularity is
 * fine: then a read of fresh memory is known for one, and so is a write that only looks like it. */
RFI_INLINE bool rfi_model_sees_fresh(void) {
    return RFI_UNLIKELY(rfi_model.freshes) && rfi.modelled && rfi.fine;
}

RFI_FN void rfi_model_read(rf_event *e, const void *value) {
    if (rfi_mem_untouched(&rfi_model, e->addr, e->size, value)) rfi_model_indeterminate(e);
}

RFI_FN void rfi_model_written(const rf_event *e, const void *value) {
    uintptr_t from = (uintptr_t)e->addr;
    if (rfi_mem_untouched(&rfi_model, e->addr, e->size, value))
        rfi_fresh_take(&rfi_model, from, from + e->size);
}

/* After an access through the model. */
RFI_INLINE void rfi_model_told(rf_event *e) {
    const rfi_core *c = &rfi_model.core;
    e->read_slot = c->read_slot;
    e->write_slot = c->write_slot;
    if (RFI_UNLIKELY(c->report.flags)) rfi_model_tell(e, &c->report);
}

RFI_INLINE rf_mem_access rfi_model_access(const rf_event *e, int order) {
    return (rf_mem_access){e->thread, order, e->addr, e->size, e->site, e->site->pointer};
}
#endif
#endif

/* ==== edit src/engine/block.h ============================ >>engine/block */
/* engine/block.h: the memory behind RF_MALLOC, and what may not be done to it.
 *
 * Blocks are laid out one behind the other in a region at a fixed address and never reused within
 * an execution, so that addresses are deterministic and every touch of a freed block is seen.
 * Behind each block stands a red zone, checked when the block is freed and at the end, which also
 * catches plain writes that no macro announced.  New memory is filled with RFI_FRESH, freed memory
 * with RFI_STALE: its content never depends on earlier executions.
 */
#ifndef RFI_ENGINE_BLOCK_H
#define RFI_ENGINE_BLOCK_H

#ifdef RFI_IMPL
# define RFI_HEAP_BYTES   ((size_t)1 << 36) /* reserved, not used */
# define RFI_HEAP_ADDRESS ((uintptr_t)0x720000000000)
# define RFI_HEAP_KEEP    ((size_t)64 << 20) /* touched memory kept for the next execution */
# define RFI_RED_BYTES    16u
# define RFI_STALE        0xdd
# define RFI_RED          0xfb

typedef struct rfi_block {
    char *start;
    size_t size;
    const rf_site *made, *freed; /* freed: NULL while it lives */
    uint32_t made_by, freed_by;
} rfi_block;

static struct rfi_heap {
    char *base;
    size_t bytes; /* reserved */
    size_t used;  /* bytes in this execution */
    size_t high;  /* most bytes since memory was given back */
    rfi_block *block;
    uint32_t blocks, capacity;
} rfi_heap RFI_UNUSED;

RFI_FN RFI_COLD void rfi_heap_open(void) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *want = (void *)RFI_HEAP_ADDRESS; /* a hint: taken where it is free */
    for (size_t bytes = RFI_HEAP_BYTES; bytes >= (size_t)1 << 24; bytes /= 2) {
        void *p = mmap(want, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (p == MAP_FAILED) continue;
        rfi_heap.base = p;
        rfi_heap.bytes = bytes;
        rfi_heap.high = 0;
        return;
    }
    rfi_die("cannot reserve memory for RF_MALLOC: %s", strerror(errno));
}

/* The block in whose memory or red zone `p` lies. */
RFI_FN rfi_block *rfi_heap_find(const void *p) {
    uint32_t low = 0, high = rfi_heap.blocks;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (rfi_heap.block[middle].start <= (const char *)p)
            low = middle;
        else
            high = middle;
    }
    return &rfi_heap.block[low];
}

RFI_FN RFI_COLD RFI_NORETURN void rfi_heap_fail(rf_diagnostic d, const rf_site *s, const char *what,
                                                const rfi_block *b, size_t offset) {
    char where[RFI_MESSAGE_BYTES / 2];
    rfi_text t = {where, where + sizeof where};
    rfi_append(&t, "block of %zu bytes, allocated by T%u at %s:%u", b->size, b->made_by,
               rfi_basename(b->made->file), b->made->line);
    if (b->freed)
        rfi_append(&t, ", freed by T%u at %s:%u", b->freed_by, rfi_basename(b->freed->file),
                   b->freed->line);
    if (d == RF_DIAG_DOUBLE_FREE) rfi_fail(d, s, "%s a %s", what, where);
    rfi_fail(d, s, "%s offset %zu of a %s", what, offset, where);
}

RFI_FN RFI_COLD void rfi_heap_check_slow(const rf_site *s, const void *p, size_t n, bool write) {
    if (!rfi_heap.blocks) return;
    const rfi_block *b = rfi_heap_find(p);
    size_t offset = (size_t)((const char *)p - b->start);
    char what[48];
    snprintf(what, sizeof what, "%s of %zu byte%s at", write ? "write" : "read", n,
             n == 1 ? "" : "s");
    if (b->freed) rfi_heap_fail(RF_DIAG_USE_AFTER_FREE, s, what, b, offset);
    if (offset + n > b->size) rfi_heap_fail(RF_DIAG_OVERRUN, s, what, b, offset);
}

/* An access of n bytes at p: is that memory the program's? */
RFI_INLINE void rfi_heap_check(const rf_site *s, const void *p, size_t n, bool write) {
    if (RFI_UNLIKELY((uintptr_t)p - (uintptr_t)rfi_heap.base < rfi_heap.bytes))
        rfi_heap_check_slow(s, p, n, write);
}

/* The same for a synchronisation object. */
RFI_FN RFI_COLD void rfi_heap_check_object(const rf_site *s, const void *o) {
    if (!rfi_heap.blocks || (uintptr_t)o - (uintptr_t)rfi_heap.base >= rfi_heap.bytes) return;
    const rfi_block *b = rfi_heap_find(o);
    if (b->freed)
        rfi_heap_fail(RF_DIAG_USE_AFTER_FREE, s, "synchronisation object at", b,
                      (size_t)((const char *)o - b->start));
}

RFI_FN void rfi_red_check(const rfi_block *b, const rf_site *s) {
    const unsigned char *red = (const unsigned char *)b->start + b->size;
    for (uint32_t i = 0; i < RFI_RED_BYTES; i++)
        if (red[i] != RFI_RED)
            rfi_heap_fail(RF_DIAG_OVERRUN, s, "something was written at", b, b->size + i);
}

/* The execution ended well: every red zone intact, nothing left?  Called with the last thread as
 * the current one. */
RFI_FN void rfi_heap_finish(void) {
    const rfi_block *leak = NULL;
    uint32_t leaks = 0;
    for (uint32_t i = 0; i < rfi_heap.blocks; i++) {
        const rfi_block *b = &rfi_heap.block[i];
        if (b->freed) continue;
        rfi_red_check(b, b->made);
        if (!leaks++) leak = b;
    }
    if (leaks == 1)
        rfi_fail(RF_DIAG_LEAK, leak->made, "1 block of %zu bytes, allocated by T%u", leak->size,
                 leak->made_by);
    if (leaks)
        rfi_fail(RF_DIAG_LEAK, leak->made, "%u blocks; the first of %zu bytes, allocated by T%u",
                 leaks, leak->size, leak->made_by);
}

RFI_FN void rfi_heap_reset(void) {
    rfi_heap.used = rfi_heap.blocks = 0;
    if (RFI_UNLIKELY(rfi_heap.high > RFI_HEAP_KEEP)) {
        madvise(rfi_heap.base, rfi_heap.high, MADV_DONTNEED);
        rfi_heap.high = 0;
    }
}
#endif
#endif

/* ==== edit src/engine/object.h =========================== >>engine/object */
/* engine/object.h: registration, names and misuse of synchronisation objects. */
#ifndef RFI_ENGINE_OBJECT_H
#define RFI_ENGINE_OBJECT_H

#ifdef RFI_IMPL
RFI_FN const char *rfi_type_word(unsigned type) {
    static const char *const words[] = {"object",    "mutex",     "rwlock",  "spin lock",
                                        "condition", "semaphore", "barrier", "once"};
    return type < 8 ? words[type] : "destroyed object";
}

/* The expression that a site names an object by: `m` for RF_LOCK(&m). */
RFI_FN const char *rfi_site_object(const rf_site *s) {
    return s->text[0] == '&' ? s->text + 1 : s->text;
}

/* Gives the object its number and its name: the one given, or the expression of its first use. */
RFI_FN void rfi_object_register(rfi_object *o, unsigned type, const rf_site *s, const char *name) {
    rfi.object =
        rfi_grow(rfi.object, &rfi.object_capacity, rfi.run.objects + 1, sizeof *rfi.object);
    rfi_object_name *n = &rfi.object[rfi.run.objects++];
    o->generation = rfi.generation;
    o->number = rfi.run.objects;
    o->waiters = 0;
    o->type = (uint8_t)type;
    o->made = name != NULL;
    n->site = s;
    n->type = (uint8_t)type;
    n->made = name != NULL;
    if (!name) name = rfi_site_object(s);
    size_t length = strnlen(name, RFI_NAME_BYTES - 1);
    memcpy(n->name, name, length);
    n->name[length] = 0;
    if (rfi.record->tracing) {
        rfi.record->objects = rfi.run.objects;
        if (rfi.run.objects <= RFI_RECORD_OBJECTS) rfi.record->object[rfi.run.objects - 1] = *n;
    }
}

/* "name", or "name#3" when another object has the same name. */
RFI_FN RFI_COLD const char *rfi_object_label(uint32_t number, char *buffer, size_t bytes) {
    const rfi_object_name *n = &rfi.object[number - 1];
    bool shared = false;
    for (uint32_t i = 0; i < rfi.run.objects; i++)
        shared |= i != number - 1 && !strcmp(rfi.object[i].name, n->name);
    if (shared)
        snprintf(buffer, bytes, "%s#%u", n->name, number);
    else
        snprintf(buffer, bytes, "%s", n->name);
    return buffer;
}

/* The same in a buffer of its own, which the fourth call after this one takes again. */
RFI_FN RFI_COLD const char *rfi_object_called(const rfi_object *o) {
    static char text[4][RFI_NAME_BYTES + 16];
    static unsigned next;
    return rfi_object_label(o->number, text[next++ % 4], sizeof text[0]);
}

/* ---- what a thread holds ---- */

RFI_INLINE void rfi_hold(rfi_thr *t, rfi_object *o, const rf_site *s, bool shared) {
    t->held = rfi_grow(t->held, &t->held_capacity, t->held_count + 1, sizeof *t->held);
    t->held[t->held_count++] = (rfi_held){o, s, shared};
}

/* The entry of `o` among the locks of `t`, newest first; NULL if it does not hold it. */
RFI_INLINE rfi_held *rfi_holds(const rfi_thr *t, const rfi_object *o) {
    for (uint32_t i = t->held_count; i--;)
        if (t->held[i].object == o) return &t->held[i];
    return NULL;
}

RFI_INLINE void rfi_unhold(rfi_thr *t, rfi_held *h) {
    rfi_held *last = &t->held[--t->held_count];
    for (; h < last; h++) *h = h[1];
}

/* ---- before an operation ---- */

/* True when the object is new to this execution (a static initialiser, or one used in an earlier
 * execution): the caller resets its state. */
RFI_FN RFI_COLD bool rfi_object_enter(rfi_object *o, unsigned type, const rf_site *s) {
    rfi_heap_check_object(s, o);
    if (o->generation == rfi.generation) {
        if (o->type == RFI_DESTROYED)
            rfi_fail(RF_DIAG_DESTROYED, s, "%s was destroyed before", rfi_site_object(s));
        rfi_fail(RF_DIAG_WRONG_TYPE, s, "%s is a %s, not a %s", rfi_site_object(s),
                 rfi_type_word(o->type), rfi_type_word(type));
    }
    if (o->type > RFI_ONCE && o->type != RFI_DESTROYED)
        rfi_fail(RF_DIAG_WRONG_TYPE, s,
                 "%s was never initialised as a %s (by rf_..._init or RF_..._INIT)",
                 rfi_site_object(s), rfi_type_word(type));
    rfi_object_register(o, type, s, NULL);
    return true;
}

/* Must stand before every use of an object. */
RFI_INLINE bool rfi_object_new(rfi_object *o, unsigned type, const rf_site *s) {
    if (RFI_LIKELY(o->generation == rfi.generation && o->type == type)) return false;
    return rfi_object_enter(o, type, s);
}

/* Must stand where an operation that does not wait executes: is the object it was announced for
 * still there? */
RFI_INLINE void rfi_object_still(const rfi_object *o, const rf_event *e) {
    if (RFI_LIKELY(o->number == e->object)) return;
    rfi_heap_check_object(e->site, o);
    rfi_fail(RF_DIAG_DESTROYED, e->site, "%s was destroyed when T%u was about to use it",
             rfi_site_object(e->site), rfi.current->id);
}

/* Says who uses an object that is about to be destroyed or initialised. */
RFI_FN RFI_COLD RFI_NORETURN void rfi_fail_busy(rf_diagnostic d, const rf_site *s,
                                                const rfi_object *o) {
    const char *name = rfi_object_called(o);
    for (uint32_t i = 0; i < rfi.run.threads; i++) {
        const rfi_held *h = rfi.thread[i]->finished ? NULL : rfi_holds(rfi.thread[i], o);
        if (h)
            rfi_fail(d, s, "%s is held by T%u since %s:%u", name, i, rfi_basename(h->site->file),
                     h->site->line);
    }
    if (o->waiters) rfi_fail(d, s, "T%u waits for %s", o->waiters - 1, name);
    rfi_fail(d, s, "T%u runs the function of %s", ((const rf_once *)(const void *)o)->runner, name);
}

/* Is there an object in use at this address?  Asked of the threads: the memory may be fresh. */
RFI_FN bool rfi_object_used(const rfi_object *o) {
    for (uint32_t i = 0; i < rfi.run.threads; i++) {
        const rfi_thr *t = rfi.thread[i];
        if (!t->finished && (t->waits_on == o || t->uses == o || rfi_holds(t, o))) return true;
    }
    return false;
}

RFI_FN void rfi_object_init(rfi_object *o, unsigned type, const rf_site *s, const char *name) {
    if (!rfi.current) {
        *o = (rfi_object){0};
        return;
    }
    if (rfi_object_used(o)) rfi_fail_busy(RF_DIAG_REINIT, s, o);
    rfi_object_register(o, type, s, name ? name : s->text);
    rfi_note(RF_EV_INIT, s, o->number, 0);
}

/* `busy`: it is held. */
RFI_FN void rfi_object_destroy(rfi_object *o, unsigned type, const rf_site *s, bool busy) {
    if (!rfi.current) return;
    if (rfi_object_new(o, type, s)) busy = false;
    if (busy || o->waiters) rfi_fail_busy(RF_DIAG_DESTROY_BUSY, s, o);
    rfi_note(RF_EV_DESTROY, s, o->number, 0);
    o->type = RFI_DESTROYED;
    o->number = 0;
}
#endif
#endif

/* ==== edit src/engine/stuck.h ============================ >>engine/stuck */
/* engine/stuck.h: what to say when nobody can go on, or nobody stops.
 *
 * A deadlock names the cycle in the wait-for graph (thread -> owner of the lock it wants), what
 * every living thread waits for, and where each lock it holds was taken.
 */
#ifndef RFI_ENGINE_STUCK_H
#define RFI_ENGINE_STUCK_H

#ifdef RFI_IMPL
/* A thread that can go on may have announced an operation on an object, which is ready for it. */
RFI_FN bool rfi_waits(const rfi_thr *t) { return t->waits_on && !rfi_in(rfi.enabled, t->id); }

/* The threads that must act before t can go on, as far as one can tell: the first whose number is
 * at least `from`; RFI_NO_THREAD: there is none. */
RFI_FN uint32_t rfi_waits_for(const rfi_thr *t, uint32_t from) {
    const rfi_object *o = t->waits_on;
    uint32_t one = RFI_NO_THREAD;
    if (!rfi_waits(t)) return one;
    if (t->next.kind == RF_EV_WAKE && !t->notified && !t->timed) return one;
    if (t->next.kind == RF_EV_JOIN) {
        one = t->next.other;
    } else if (o->type == RFI_MUTEX) {
        one = ((const rf_mutex *)(const void *)o)->owner - 1;
    } else if (o->type == RFI_SPIN) {
        one = ((const rf_spin *)(const void *)o)->owner - 1;
    } else if (o->type == RFI_ONCE) {
        one = ((const rf_once *)(const void *)o)->runner;
    } else if (o->type == RFI_RWLOCK) {
        one = ((const rf_rwlock *)(const void *)o)->writer - 1;
        for (uint32_t i = from; one == RFI_NO_THREAD && i < rfi.run.threads; i++)
            if (!rfi.thread[i]->finished && rfi_holds(rfi.thread[i], o)) return i;
    }
    return one >= from ? one : RFI_NO_THREAD;
}

RFI_FN void rfi_say_lock(rfi_text *out, const rfi_thr *t, const char *name) {
    unsigned type = t->waits_on->type;
    const char *what = type == RFI_SEM ? "for a post of" : "for";
    if (type == RFI_RWLOCK) what = t->next.flags & RF_EV_SHARED ? "to read" : "to write";
    rfi_append(out, "%s %s %s", what, rfi_type_word(type), name);
}

RFI_FN void rfi_say_wait(rfi_text *out, const rfi_thr *t) {
    char name[RFI_NAME_BYTES + 16] = "", mutex[RFI_NAME_BYTES + 16];
    const rf_event *e = &t->next;
    if (e->object) rfi_object_label(e->object, name, sizeof name);
    rfi_append(out, "\n  T%u waits at %s:%u ", t->id, e->site ? rfi_basename(e->site->file) : "?",
               e->site ? e->site->line : 0);
    switch (e->kind) {
    case RF_EV_LOCK: rfi_say_lock(out, t, name); break;
    case RF_EV_WAKE:
        if (!t->notified && !t->timed)
            rfi_append(out, "for a signal of %s", name);
        else
            rfi_append(out, "to lock %s again after waiting for %s",
                       rfi_object_label(e->other, mutex, sizeof mutex), name);
        break;
    case RF_EV_DEPART: {
        const rf_barrier *b = (const rf_barrier *)(const void *)t->waits_on;
        rfi_append(out, "at barrier %s, where %u of %u have arrived", name, b->arrived, b->parties);
        break;
    }
    case RF_EV_JOIN: rfi_append(out, "for the end of T%u", e->other); break;
    case RF_EV_ONCE: rfi_append(out, "for the initialiser of %s", name); break;
    default: rfi_append(out, "to %s %s", rfi_event_word(e->kind), name); break;
    }
    const char *before = e->kind == RF_EV_ONCE ? ", run by " : ", held by ";
    for (uint32_t u = 0; e->kind != RF_EV_JOIN; u++) {
        if ((u = rfi_waits_for(t, u)) == RFI_NO_THREAD) break;
        rfi_append(out, "%sT%u", before, u);
        before = ", ";
    }
    for (uint32_t i = 0; i < t->held_count; i++) {
        const rfi_held *h = &t->held[i];
        rfi_append(out, "%s %s (taken at %s:%u)", i ? "," : "; it holds",
                   rfi_object_label(h->object->number, name, sizeof name),
                   rfi_basename(h->site->file), h->site->line);
    }
}

/* ---- cycles ----
 *
 * A depth-first search over who waits for whom.  A thread may wait for several: the readers of a
 * read-write lock.  Each of them must act, so every cycle is a deadlock. */

typedef struct rfi_search {
    uint64_t number;
    uint32_t *path; /* threads; each waits for the next one */
    uint32_t depth, capacity;
    const uint32_t *cycle; /* that was found, the lowest thread first */
    uint32_t length;
} rfi_search;

static rfi_search rfi_wait_search RFI_UNUSED;

RFI_FN void rfi_search_enter(uint32_t thread) {
    rfi_search *s = &rfi_wait_search;
    rfi_thr *t = rfi.thread[thread];
    s->path = rfi_grow(s->path, &s->capacity, s->depth + 1, sizeof *s->path);
    s->path[s->depth++] = thread;
    t->searched = s->number;
    t->on_path = s->depth;
    t->tried = 0;
}

/* The end of the path, from place `from` on, is a cycle. */
RFI_FN void rfi_search_found(uint32_t from) {
    rfi_search *s = &rfi_wait_search;
    uint32_t n = s->depth - from, lowest = 0;
    s->path = rfi_grow(s->path, &s->capacity, s->depth + n, sizeof *s->path);
    const uint32_t *found = s->path + from;
    for (uint32_t i = 1; i < n; i++)
        if (found[i] < found[lowest]) lowest = i;
    for (uint32_t i = 0; i < n; i++) s->path[s->depth + i] = found[(lowest + i) % n];
    s->cycle = s->path + s->depth;
    s->length = n;
}

RFI_FN bool rfi_search_from(uint32_t start) {
    rfi_search *s = &rfi_wait_search;
    s->depth = 0;
    rfi_search_enter(start);
    while (s->depth) {
        rfi_thr *t = rfi.thread[s->path[s->depth - 1]];
        uint32_t u = rfi_waits_for(t, t->tried);
        if (u == RFI_NO_THREAD) {
            t->on_path = 0;
            s->depth--;
            continue;
        }
        t->tried = u + 1;
        if (rfi.thread[u]->searched != s->number) {
            rfi_search_enter(u);
        } else if (rfi.thread[u]->on_path) {
            rfi_search_found(rfi.thread[u]->on_path - 1);
            return true;
        }
    }
    return false;
}

/* Is there a cycle that the waits of one of the threads from `first` to before `end` run into?  It
 * is in rfi_wait_search then. */
RFI_FN bool rfi_find_cycle(uint32_t first, uint32_t end) {
    uint64_t number = ++rfi_wait_search.number;
    for (uint32_t i = first; i < end; i++) {
        const rfi_thr *t = rfi.thread[i];
        if (!t->finished && t->searched != number && rfi_search_from(i)) return true;
    }
    return false;
}

/* ---- what is said ---- */

RFI_FN bool rfi_on_cycle(uint32_t t) {
    for (uint32_t i = 0; i < rfi_wait_search.length; i++)
        if (rfi_wait_search.cycle[i] == t) return true;
    return false;
}

/* Tells who waits for what: the threads of the cycle; if nobody can go on, all others too. */
RFI_FN void rfi_say_waits(rfi_text *out, bool cycle) {
    bool anybody = false;
    for (uint32_t w = 0; w < rfi.run.words; w++) anybody |= rfi.enabled[w] != 0;
    for (uint32_t i = 0; i < rfi.run.threads; i++)
        if (rfi_waits(rfi.thread[i]) && (!(cycle && anybody) || rfi_on_cycle(i)))
            rfi_say_wait(out, rfi.thread[i]);
}

/* Where nobody can go on and nobody waits for himself: the first thread and those that it waits
 * for come to an end there. */
RFI_FN uint32_t rfi_end_of_waits(void) {
    uint32_t t = 0;
    while (rfi.thread[t]->finished) t++;
    for (uint32_t u = t; u != RFI_NO_THREAD; u = rfi_waits_for(rfi.thread[u], 0)) t = u;
    return t;
}

/* Tells the checker. */
RFI_FN void rfi_stuck_checked(bool cycle) {
    rfi_search *s = &rfi_wait_search;
    const rf_checker *c = rfi.plan->checker;
    if (!c || !c->stuck) return;
    if (!cycle) {
        s->depth = 0;
        for (uint32_t i = 0; i < rfi.run.threads; i++)
            if (!rfi.thread[i]->finished) rfi_search_enter(i);
    }
    c->stuck(cycle ? s->cycle : s->path, cycle ? s->length : s->depth, cycle);
}

/* The execution ends here: in the cycle that was found, or because nobody can go on. */
RFI_FN RFI_COLD RFI_NORETURN void rfi_end_stuck(bool cycle) {
    rfi_failure *f = &rfi.record->failure;
    rfi_text out = {f->message, f->message + sizeof f->message};
    rfi_stuck_checked(cycle);
    uint32_t t = cycle ? rfi_wait_search.cycle[0] : rfi_end_of_waits(), alive = rfi.run.live;
    if (cycle) {
        rfi_append(&out, "cycle");
        for (uint32_t i = 0; i < rfi_wait_search.length; i++)
            rfi_append(&out, " T%u ->", rfi_wait_search.cycle[i]);
        rfi_append(&out, " T%u", t);
    } else {
        rfi_append(&out, "%u thread%s wait%s and nobody can wake %s", alive, alive == 1 ? "" : "s",
                   alive == 1 ? "s" : "", alive == 1 ? "it" : "them");
    }
    rfi_say_waits(&out, cycle);
    f->diagnostic = cycle ? RF_DIAG_LOCK_CYCLE : RF_DIAG_STUCK;
    f->site = rfi.thread[t]->next.site;
    f->thread = t;
    rfi_go_home();
}

/* Nobody is enabled. */
RFI_FN RFI_COLD RFI_NORETURN void rfi_report_stuck(void) {
    rfi_end_stuck(rfi_find_cycle(0, rfi.run.threads));
}

/* In a spin loop, wherever in it: held back as a spinner, or on the way to its next yield. */
RFI_FN bool rfi_spins(const rfi_thr *t) {
    bool may_yield = t->next.kind == RF_EV_LOAD || t->next.kind == RF_EV_YIELD;
    return rfi_in(rfi.lazy, t->id) || t->repeats >= RFI_SPIN_REPEAT ||
           (may_yield && t->yields >= RFI_YIELD_REPEAT);
}

RFI_FN RFI_COLD RFI_NORETURN void rfi_report_livelock(void) {
    rfi_failure *f = &rfi.record->failure;
    rfi_text out = {f->message, f->message + sizeof f->message};
    rfi_append(&out, "%llu steps and no end; T%u is running", (unsigned long long)rfi.max_steps,
               rfi.run.last);
    for (uint32_t i = 0; i < rfi.run.threads; i++) {
        const rfi_thr *t = rfi.thread[i];
        if (t->finished) continue;
        if (rfi_waits(t)) {
            rfi_say_wait(&out, t);
            continue;
        }
        const rf_site *s = t->next.site;
        rfi_append(&out, "\n  T%u %s at %s:%u (%s)", i, rfi_spins(t) ? "spins" : "is",
                   s ? rfi_basename(s->file) : "?", s ? s->line : 0,
                   s ? rfi_site_object(s) : "start");
    }
    f->diagnostic = RF_DIAG_LIVELOCK;
    f->site = rfi.thread[rfi.run.last]->next.site;
    f->thread = rfi.run.last;
    rfi_go_home();
}
#endif
#endif

/* ==== edit src/engine/sched.h ============================ >>engine/sched */
/* engine/sched.h: the scheduler loop.
 *
 * Shape: CalFuzzer (Joshi et al., CAV 2009, Algorithm 1), corrected so that a released thread
 * executes its statement.  Every live thread has announced its next operation; a decision picks
 * one of the enabled ones, which executes its operation and goes on to its next announcement.  The
 * loop has no thread of its own: the announcing thread decides and jumps to the chosen one.
 *
 * A new thread runs up to its first announcement at its creation, so that the next statement of
 * every thread is known; creation itself is no scheduling point (it commutes with every operation
 * of the others).  With coarse granularity its start is an operation of its own.
 */
#ifndef RFI_ENGINE_SCHED_H
#define RFI_ENGINE_SCHED_H

#ifdef RFI_IMPL
# define RFI_MONITOR_STEPS 2000u /* decisions without a change of the paused set */

/* ---- enabled threads ---- */

RFI_INLINE void rfi_set_enabled(rfi_thr *t, bool on) {
    if (on)
        rfi_put(rfi.enabled, t->id);
    else
        rfi_take(rfi.enabled, t->id);
}

/* The state of an object changed: which of those that want it can go on? */
RFI_FN void rfi_reconsider(rfi_object *o) {
    for (uint32_t w = o->waiters; w; w = rfi.thread[w - 1]->wait_next) {
        rfi_thr *t = rfi.thread[w - 1];
        rfi_set_enabled(t, t->ready(t));
    }
}

/* t's announced operation needs `o` in a state in which ready(t). */
RFI_INLINE void rfi_wait_on(rfi_thr *t, rfi_object *o, bool (*ready)(const rfi_thr *)) {
    t->ready = ready;
    t->waits_on = o;
    t->wait_next = o->waiters;
    o->waiters = t->id + 1;
    if (!ready(t)) rfi_take(rfi.enabled, t->id);
}

RFI_INLINE void rfi_wait_off(rfi_thr *t) {
    rfi_object *o = t->waits_on;
    uint32_t *link = &o->waiters;
    while (*link != t->id + 1) link = &rfi.thread[*link - 1]->wait_next;
    *link = t->wait_next;
    t->waits_on = NULL;
    t->ready = NULL;
}

/* ---- decisions ----
 *
 * Candidates are enabled, not paused and not lazy: a spinner waits for a step of somebody else.  If
 * that leaves nobody, lazy ones are candidates too. */

RFI_INLINE uint64_t rfi_candidate_word(uint32_t w, bool lazy_too) {
    uint64_t bits = rfi.enabled[w] & ~rfi.paused[w];
    return lazy_too ? bits : bits & ~rfi.lazy[w];
}

/* Nobody but spinners can go on: if the others are in a deadlock, that is what they spin for.
 * Looked at after the 64th time and then less and less often. */
RFI_FN RFI_COLD void rfi_only_spinners(void) {
    uint64_t n = ++rfi.run.spins;
    if (n >= 64 && !(n & (n - 1)) && rfi_find_cycle(0, rfi.run.threads)) rfi_end_stuck(true);
}

/* How many; they stand in rfi.candidates. */
RFI_FN uint32_t rfi_candidates(void) {
    uint32_t n = 0;
    for (unsigned lazy_too = 0; !n && lazy_too <= (rfi.run.lazy_count != 0); lazy_too++) {
        if (lazy_too) rfi_only_spinners();
        for (uint32_t w = 0; w < rfi.run.words; w++)
            n += rfi_bits(rfi.candidates[w] = rfi_candidate_word(w, lazy_too));
    }
    return n;
}

RFI_INLINE uint32_t rfi_pick_from(const rf_choice *c) {
    uint32_t t = rfi.strategy->pick(c);
    if (RFI_UNLIKELY(!rf_choice_has(c, t)))
        rfi_die("the strategy %s has picked T%u, which is no candidate", rfi.strategy->name, t);
    return t;
}

RFI_FN uint32_t rfi_pick(uint32_t count) {
    rf_choice c = {count, rfi.run.last, rfi.candidates, rfi.run.words};
    return count == 1 ? rfi_choice_at(&c, 0) : rfi_pick_from(&c);
}

/* The thread that executes next, by the strategy alone. */
RFI_INLINE uint32_t rfi_decide(void) {
    if (RFI_LIKELY(rfi.run.words == 1)) {
        uint64_t bits = rfi_candidate_word(0, false);
        if (RFI_LIKELY(bits != 0)) {
            if (!(bits & (bits - 1))) return (uint32_t)__builtin_ctzll(bits);
            rfi.candidates[0] = bits;
            rf_choice c = {rfi_bits(bits), rfi.run.last, rfi.candidates, 1};
            return rfi_pick_from(&c);
        }
    }
    uint32_t n = rfi_candidates();
    if (RFI_UNLIKELY(!n)) rfi_report_stuck();
    return rfi_pick(n);
}

/* A spinner waits until somebody else has made a step. */
RFI_FN void rfi_make_lazy(rfi_thr *t) {
    if (rfi_in(rfi.lazy, t->id)) return;
    rfi_put(rfi.lazy, t->id);
    rfi.run.attention += !rfi.run.lazy_count++;
}

RFI_FN RFI_COLD void rfi_wake_lazy(uint32_t except) {
    bool keep = rfi_in(rfi.lazy, except);
    memset(rfi.lazy, 0, rfi.run.words * sizeof *rfi.lazy);
    if (keep) rfi_put(rfi.lazy, except);
    rfi.run.lazy_count = keep;
    rfi.run.attention -= !keep;
}

/* `t` is about to execute its announced operation. */
RFI_INLINE void rfi_step(rfi_thr *t) {
    if (RFI_UNLIKELY(++rfi.run.steps > rfi.max_steps)) rfi_report_livelock();
    if (RFI_UNLIKELY(rfi.run.attention != 0) && rfi.run.lazy_count) rfi_wake_lazy(t->id);
    rfi.run.last = t->id;
    rfi_hot.fuel = RFI_FUEL;
}

RFI_INLINE void rfi_switch_to(rfi_thr *from, rfi_thr *to) {
    rfi.current = to;
    rfi_fiber_jump(&from->fiber, &to->fiber);
}

/* Wherever another thread may run next: what `t` did last must have kept them. */
RFI_FN RFI_COLD void rfi_check_invariants(const rfi_thr *t, bool ends) {
    const uint8_t *arm = rfi_hot.arm;
    rfi.quiet++;
    rfi_hot.arm = rfi_arm_none;
    for (rfi_scope *s = rfi.run.invariants; s; s = s->next)
        if (!s->check(s->arg)) {
            rfi.quiet--;
            if (ends)
                rfi_fail(RF_DIAG_INVARIANT, s->site, "%s is false when T%u ends", s->site->text,
                         t->id);
            rfi_fail(RF_DIAG_INVARIANT, s->site, "%s is false before T%u's %s at %s:%u",
                     s->site->text, t->id, rfi_event_word(t->next.kind),
                     rfi_basename(t->next.site->file), t->next.site->line);
        }
    rfi.quiet--;
    rfi_hot.arm = arm;
}

RFI_FN uint32_t rfi_decide_checked(void);

/* The thread that executes next when there is more to think of than the strategy.  A thread that is
 * starting goes back to its creator, and has been chosen when it comes back from there. */
RFI_FN RFI_COLD uint32_t rfi_decide_attentively(rfi_thr *t) {
    if (rfi.run.invariants) rfi_check_invariants(t, false);
    if (rfi.strategy->announced) rfi.strategy->announced(&t->next);
    if (t->starter) {
        rfi_thr *back = t->starter;
        t->starter = NULL;
        rfi.run.attention--;
        rfi_switch_to(t, back);
        return t->id;
    }
    if (!rfi.plan->checker) return rfi_decide();
    if (!rfi_in(rfi.enabled, t->id) && rfi_find_cycle(t->id, t->id + 1)) rfi_end_stuck(true);
    return rfi_decide_checked();
}

/* `t`, the running thread, has announced t->next; returns when it is to execute it. */
RFI_FN void rfi_schedule(rfi_thr *t) {
    uint32_t next = RFI_LIKELY(!rfi.run.attention) ? rfi_decide() : rfi_decide_attentively(t);
    if (next != t->id) {
        rfi.run.switches++;
        rfi.run.preemptions += rfi_in(rfi.enabled, t->id);
        rfi_switch_to(t, rfi.thread[next]);
    }
    rfi_step(t);
}

/* Begins the announcement of the running thread's next operation. */
RFI_INLINE rf_event *rfi_announce(rfi_thr *t, unsigned kind, const rf_site *s) {
    rf_event *e = &t->next;
    *e = (rf_event){.kind = (uint8_t)kind, .thread = t->id, .site = s};
    return e;
}

/* The announced operation was executed: tell strategy and analyses. */
RFI_INLINE void rfi_executed(const rf_event *e) {
    if (RFI_LIKELY(!rfi_listening(e->kind))) return;
    if (rfi.strategy->executed) rfi.strategy->executed(e);
    rfi_deliver(e);
}

/* ---- the frame for checkers: paused threads, forced order, monitors ---- */

RFI_FN void rfi_unpause(uint32_t t) {
    rfi_take(rfi.paused, t);
    rfi.frame.paused_count--;
    rfi.frame.paused_since = rfi.run.steps;
}

/* One of the enabled paused threads, drawn; of those only whose time is limited, or of all.
 * RFI_NO_THREAD if there is none. */
RFI_FN uint32_t rfi_draw_paused(bool timed) {
    rf_choice c = {0, rfi.run.last, rfi.candidates, rfi.run.words};
    for (uint32_t w = 0; w < rfi.run.words; w++) {
        uint64_t set = rfi.enabled[w] & rfi.paused[w];
        for (uint64_t bits = timed ? set : 0; bits; bits &= bits - 1) {
            uint64_t lowest = bits & -bits;
            uint32_t t = w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (rfi.thread[t]->paused_until == UINT64_MAX) set &= ~lowest;
        }
        c.count += rfi_bits(rfi.candidates[w] = set);
    }
    return c.count ? rfi_choice_at(&c, rfi_below(&rfi.schedule, c.count)) : RFI_NO_THREAD;
}

/* Everybody enabled is paused: one goes on, without a second check.  First those that only let
 * others go ahead, since there are none; then the thrash rule. */
RFI_FN uint32_t rfi_thrash(void) {
    uint32_t u = rfi.frame.timed ? rfi_draw_paused(true) : RFI_NO_THREAD;
    if (u == RFI_NO_THREAD) {
        u = rfi_draw_paused(false);
        if (u == RFI_NO_THREAD) rfi_report_stuck();
        rfi.record->released++;
    }
    rfi_unpause(u);
    return u;
}

/* The enabled thread that has been paused for longest; RFI_NO_THREAD if there is none. */
RFI_FN RFI_COLD uint32_t rfi_oldest_paused(void) {
    uint32_t oldest = RFI_NO_THREAD;
    for (uint32_t t = 0; t < rfi.run.threads; t++) {
        if (!rfi_in(rfi.enabled, t) || !rfi_in(rfi.paused, t)) continue;
        if (oldest == RFI_NO_THREAD || rfi.thread[t]->paused_at < rfi.thread[oldest]->paused_at)
            oldest = t;
    }
    return oldest;
}

/* RaceFuzzer's monitor against livelock (Sen, PLDI 2008), in decisions instead of time: releases
 * the one that has been paused for longest (one that spins at the pair comes back and must not be
 * preferred to one that never went on); every fifth time pausing becomes half as likely. */
RFI_FN RFI_COLD uint32_t rfi_monitor(void) {
    uint32_t u = rfi_oldest_paused();
    if (u == RFI_NO_THREAD) return u;
    rfi_unpause(u);
    rfi.record->released++;
    if (++rfi.frame.breaks % 5 == 0) rfi.frame.pause_chance /= 2;
    return u;
}

/* Those whose time is over go on. */
RFI_FN RFI_COLD void rfi_unpause_timed(void) {
    rfi.frame.timed = 0;
    for (uint32_t w = 0; w < rfi.run.words; w++)
        for (uint64_t bits = rfi.paused[w]; bits; bits &= bits - 1) {
            uint32_t t = w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (rfi.run.steps >= rfi.thread[t]->paused_until) {
                rfi_unpause(t);
                rfi.thread[t]->unchecked = true;
            } else {
                rfi.frame.timed += rfi.thread[t]->paused_until != UINT64_MAX;
            }
        }
}

/* The thread under check stays where it is. */
RFI_FN void rfi_pause(uint32_t t) {
    rfi_put(rfi.paused, t);
    rfi.frame.paused_count++;
    rfi.frame.timed += rfi.frame.pause_until != UINT64_MAX;
    rfi.thread[t]->paused_at = rfi.frame.paused_since = rfi.run.steps;
    rfi.thread[t]->paused_until = rfi.frame.pause_until;
}

/* Is the announced operation of `t` to be checked?  The frame says no after a limited pause, and in
 * part of the cases once pausing has led nowhere. */
RFI_FN bool rfi_to_be_checked(rfi_thr *t) {
    bool over = t->unchecked;
    t->unchecked = false;
    if (over || !rfi.plan->checker->is_breakpoint(&t->next)) return false;
    return rfi.frame.pause_chance == 65536 || rfi_chance(&rfi.schedule, rfi.frame.pause_chance);
}

RFI_FN uint32_t rfi_decide_checked(void) {
    if (RFI_UNLIKELY(rfi.frame.timed != 0)) rfi_unpause_timed();
    for (;;) {
        if (rfi.frame.forced_count) {
            uint32_t u = rfi.forced[0];
            memmove(rfi.forced, rfi.forced + 1, --rfi.frame.forced_count * sizeof *rfi.forced);
            if (!rfi_in(rfi.enabled, u)) continue;
            rfi.thread[u]->unchecked = false;
            return u;
        }
        if (rfi.frame.paused_count && rfi.run.steps - rfi.frame.paused_since >= RFI_MONITOR_STEPS) {
            uint32_t u = rfi_monitor();
            if (u != RFI_NO_THREAD) return u;
        }
        uint32_t n = rfi_candidates();
        if (!n) return rfi_thrash();
        uint32_t t = rfi_pick(n);
        if (!rfi_to_be_checked(rfi.thread[t])) return t;
        rfi.frame.checked = t;
        rfi.frame.pause_checked = false;
        rfi.plan->checker->check(&rfi.thread[t]->next);
        rfi.frame.checked = RFI_NO_THREAD;
        if (!rfi.frame.pause_checked) { /* after those that check() wants to run first */
            if (!rfi.frame.forced_count) return t;
            rf_check_run(t);
            continue;
        }
        rfi_pause(t);
    }
}

/* ---- the functions of the interfaces ---- */

const rf_event *rf_next_event(uint32_t t) {
    return t < rfi.run.threads ? &rfi.thread[t]->next : NULL;
}

uint32_t rf_threads(void) { return rfi.run.threads; }
bool rf_thread_alive(uint32_t t) { return t < rfi.run.threads && !rfi.thread[t]->finished; }
bool rf_thread_enabled(uint32_t t) { return rf_thread_alive(t) && rfi_in(rfi.enabled, t); }

uint32_t rf_thread_locks(uint32_t t, rf_lock *lock, uint32_t most) {
    if (t >= rfi.run.threads) return 0;
    const rfi_thr *thread = rfi.thread[t];
    for (uint32_t i = 0; i < thread->held_count && i < most; i++) {
        const rfi_held *h = &thread->held[i];
        lock[i] = (rf_lock){h->object->number, h->shared, h->site};
    }
    return thread->held_count;
}

RFI_INLINE const rfi_object_name *rfi_object_numbered(uint32_t number) {
    return number - 1 < rfi.run.objects ? &rfi.object[number - 1] : NULL;
}

const rf_site *rf_object_site(uint32_t object) {
    const rfi_object_name *o = rfi_object_numbered(object);
    return o ? o->site : NULL;
}

const char *rf_object_name(uint32_t object) {
    const rfi_object_name *o = rfi_object_numbered(object);
    return o ? o->name : NULL;
}

bool rf_object_made(uint32_t object) {
    const rfi_object_name *o = rfi_object_numbered(object);
    return o && o->made;
}

bool rf_object_is_lock(uint32_t object) {
    const rfi_object_name *o = rfi_object_numbered(object);
    return o && (o->type == RFI_MUTEX || o->type == RFI_RWLOCK || o->type == RFI_SPIN);
}

const uint64_t *rf_check_targets(uint32_t *count) {
    *count = rfi.plan->targets;
    return rfi.plan->target;
}

void rf_check_pause(void) {
    rfi.frame.pause_checked = true;
    rfi.frame.pause_until = UINT64_MAX;
}

void rf_check_pause_for(uint32_t decisions) {
    rfi.frame.pause_checked = true;
    rfi.frame.pause_until = rfi.run.steps + decisions;
}

void rf_check_hit(const rf_event *a, const rf_event *b) {
    rfi_record *r = rfi.record;
    if (r->hit_count < RFI_HITS)
        r->hit[r->hit_count] = (rfi_hit){{*a, b ? *b : *a}, b ? 2 : 1, r->events};
    r->hit_count++;
}

void rf_check_release(uint32_t t) {
    if (rfi_in(rfi.paused, t)) rfi_unpause(t);
}

void rf_check_run(uint32_t t) {
    rf_check_release(t);
    rfi.forced =
        rfi_grow(rfi.forced, &rfi.forced_capacity, rfi.frame.forced_count + 1, sizeof *rfi.forced);
    rfi.forced[rfi.frame.forced_count++] = t;
}

void rf_check_each_paused(void (*fn)(uint32_t, void *), void *arg) {
    for (uint32_t w = 0; w < rfi.run.words; w++)
        for (uint64_t bits = rfi.paused[w]; bits; bits &= bits - 1)
            fn(w * 64 + (uint32_t)__builtin_ctzll(bits), arg);
}

rf_prng *rf_check_random(void) { return &rfi.schedule; }
#endif
#endif

/* ==== edit src/engine/access.h =========================== >>engine/access */
/* engine/access.h: plain accesses, atomics and fences.
 *
 * Watching and scheduling are separate: a watched access is an event for the analyses, a scheduled
 * one is also a decision.  Watching everything (for a replay's picture, or once memory was freed)
 * adds no choice.  Every access that is not scheduled counts the fuel down, watched or not.
 */
#ifndef RFI_ENGINE_ACCESS_H
#define RFI_ENGINE_ACCESS_H

#ifdef RFI_IMPL
struct rfi_hot_state rfi_hot = {rfi_arm_none, INT32_MAX};

/* RFI_POINT and RFI_WATCH of an access at `s`, paying for it with fuel; an empty tank makes a
 * decision, and hints that the thread spins. */
RFI_INLINE unsigned rfi_access_mode(rfi_thr *t, const rf_site *s) {
    unsigned mode = rfi.mode;
    if (rfi.site_mode_count) {
        uint32_t n = rfi_site_number(s);
        if (n < rfi.site_mode_count) mode |= rfi.site_mode[n];
    }
    if (mode & RFI_POINT) return mode;
    if (rfi_hot.fuel >= 0) rfi_hot.fuel--; /* else the macro has counted already */
    if (RFI_UNLIKELY(rfi_hot.fuel < 0)) {
        rfi_make_lazy(t);
        mode |= RFI_POINT;
    }
    return mode;
}

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

/* The same load at the same place with the same value, again and again, is a spinning thread. */
RFI_INLINE void rfi_spin_check(rfi_thr *t, bool again, uint64_t old) {
    t->repeats = again && t->next.value == old ? t->repeats + 1 : 0;
    if (RFI_UNLIKELY(t->repeats >= RFI_SPIN_REPEAT)) rfi_make_lazy(t);
}

/* ---- values: from memory, or from the model ---- */

/* The read `e` gives `out`. */
RFI_INLINE void rfi_value_load(rf_event *e, unsigned mode, void *out) {
    bool atomic = e->flags & RF_EV_ATOMIC;
    rfi.record->atomic_loads += atomic;
    if (atomic ? rfi_model_takes(e) : RFI_UNLIKELY(rfi.adversary) && rfi_suspected(e, mode)) {
        rf_mem_access a = rfi_model_access(e, atomic ? e->order : RF_MEM_PLAIN);
        rf_mem_load(&rfi_model, &a, out);
        rfi_model_told(e);
    } else {
        rfi_copy(out, e->addr, e->size);
        if (rfi_model_sees_fresh()) rfi_model_read(e, out);
    }
    e->value = rfi_peek(out, e->size);
}

RFI_INLINE void rfi_value_store(rf_event *e, unsigned mode, const void *in) {
    bool atomic = e->flags & RF_EV_ATOMIC;
    if (atomic ? rfi_model_takes(e)
               : mode & RFI_FIRST || (RFI_UNLIKELY(rfi.adversary) && rfi_suspected(e, mode))) {
        rf_mem_access a = rfi_model_access(e, atomic ? e->order : RF_MEM_PLAIN);
        rf_mem_store(&rfi_model, &a, in);
        rfi_model_told(e);
    } else {
        rfi_copy((void *)(uintptr_t)e->addr, in, e->size);
        if (rfi_model_sees_fresh()) rfi_model_written(e, in);
    }
}

/* Announces a load, waits for its turn, and delivers it with the value found. */
RFI_INLINE void rfi_load_point(rfi_thr *t, const rf_site *s, const volatile void *p, size_t n,
                               unsigned flags, int order, unsigned mode, void *out) {
    bool again = t->next.site == s && t->next.addr == (const void *)(uintptr_t)p &&
                 t->next.kind == RF_EV_LOAD;
    uint64_t old = t->next.value;
    rf_event *e = rfi_announce(t, RF_EV_LOAD, s);
    e->flags = (uint16_t)(RF_EV_READS | flags);
    e->order = (uint8_t)order;
    e->addr = (const void *)(uintptr_t)p;
    e->size = n;
    rfi_schedule(t);
    rfi_heap_check(s, e->addr, n, false);
    rfi_value_load(e, mode, out);
    rfi_spin_check(t, again, old);
    rfi_executed(e);
}

RFI_INLINE void rfi_store_point(rfi_thr *t, const rf_site *s, volatile void *p, size_t n,
                                unsigned flags, int order, unsigned mode, const void *in) {
    rf_event *e = rfi_announce(t, RF_EV_STORE, s);
    e->flags = (uint16_t)(RF_EV_WRITES | flags);
    e->order = (uint8_t)order;
    e->addr = (const void *)(uintptr_t)p;
    e->size = n;
    e->value = rfi_peek(in, n);
    rfi_schedule(t);
    rfi_heap_check(s, e->addr, n, true);
    rfi_value_store(e, mode, in);
    rfi_executed(e);
}

/* An access that is not scheduled.  Whether it is checked must not depend on who watches: a replay,
 * which does, would fail where the campaign went on. */
RFI_INLINE rf_event rfi_unscheduled(rfi_thr *t, const rf_site *s, unsigned flags,
                                    const volatile void *p, size_t n) {
    rf_event e = {.kind = flags & RF_EV_WRITES ? RF_EV_STORE : RF_EV_LOAD,
                  .flags = (uint16_t)flags,
                  .thread = t->id,
                  .site = s,
                  .addr = (const void *)(uintptr_t)p,
                  .size = n};
    if (rfi.run.freed) rfi_heap_check(s, e.addr, n, flags & RF_EV_WRITES);
    return e;
}

/* Accesses outside of executions and inside invariants. */
RFI_INLINE bool rfi_outside(rfi_thr *t) {
    if (RFI_LIKELY(t && !rfi.quiet)) return false;
    if (rfi_hot.fuel < 0) rfi_hot.fuel = t ? RFI_FUEL : INT32_MAX;
    return true;
}

/* An access of which no event need be made.  It pays fuel like any other. */
RFI_INLINE bool rfi_access_lane(const rf_site *s, const volatile void *p, size_t n, bool writes) {
    if (!rfi.lane || rfi_hot.fuel <= 0) return false;
    if (!rfi.lane(rfi.current->id, s, (const void *)(uintptr_t)p, n, writes)) return false;
    rfi_hot.fuel--;
    return true;
}

RFI_FN RFI_APART void rfi_load_event(const rf_site *s, const volatile void *p, size_t n,
                                     void *out) {
    rfi_thr *t = rfi.current;
    if (rfi_outside(t)) {
        rfi_copy(out, (const void *)(uintptr_t)p, n);
        return;
    }
    unsigned mode = rfi_access_mode(t, s);
    if (mode & RFI_POINT) {
        rfi_load_point(t, s, p, n, 0, 0, mode, out);
    } else if (mode & RFI_WATCH || rfi.adversary) {
        rf_event e = rfi_unscheduled(t, s, RF_EV_READS, p, n);
        rfi_value_load(&e, mode, out);
        if (mode & RFI_WATCH) rfi_emit(&e);
    } else {
        rfi_copy(out, (const void *)(uintptr_t)p, n);
    }
}

void rfi_load(const rf_site *s, const volatile void *p, size_t n, void *out) {
    if (rfi_access_lane(s, p, n, false))
        rfi_copy(out, (const void *)(uintptr_t)p, n);
    else
        rfi_load_event(s, p, n, out);
}

/* `first`: RFI_FIRST or nothing. */
RFI_FN RFI_APART void rfi_store_event(const rf_site *s, volatile void *p, size_t n, unsigned first,
                                      const void *in) {
    rfi_thr *t = rfi.current;
    if (rfi_outside(t)) {
        rfi_copy((void *)(uintptr_t)p, in, n);
        return;
    }
    unsigned mode = rfi_access_mode(t, s) | (rfi.modelled ? first : 0);
    if (mode & RFI_POINT) {
        rfi_store_point(t, s, p, n, 0, 0, mode, in);
    } else if (mode & (RFI_WATCH | RFI_FIRST) || rfi.adversary) {
        rf_event e = rfi_unscheduled(t, s, RF_EV_WRITES, p, n);
        e.value = rfi_peek(in, n);
        if (mode & RFI_WATCH) rfi_emit(&e);
        rfi_value_store(&e, mode, in);
    } else {
        rfi_copy((void *)(uintptr_t)p, in, n);
    }
}

void rfi_store(const rf_site *s, volatile void *p, size_t n, const void *in) {
    if (rfi_access_lane(s, p, n, true))
        rfi_copy((void *)(uintptr_t)p, in, n);
    else
        rfi_store_event(s, p, n, 0, in);
}

void rfi_atomic_init(const rf_site *s, volatile void *p, size_t n, const void *in) {
    rfi_store_event(s, p, n, RFI_FIRST, in);
}

void rfi_racy_load(const rf_site *s, const volatile void *p, size_t n, void *out) {
    rfi_thr *t = rfi.current;
    if (rfi_outside(t))
        rfi_copy(out, (const void *)(uintptr_t)p, n);
    else {
        rfi.record->racy_loads++;
        rfi_load_point(t, s, p, n, RF_EV_RACY, 0, rfi.mode, out);
    }
}

void rfi_racy_store(const rf_site *s, volatile void *p, size_t n, const void *in) {
    rfi_thr *t = rfi.current;
    if (rfi_outside(t))
        rfi_copy((void *)(uintptr_t)p, in, n);
    else
        rfi_store_point(t, s, p, n, RF_EV_RACY, 0, rfi.mode, in);
}

void rfi_range(const rf_site *s, const volatile void *p, size_t n) {
    rfi_thr *t = rfi.current;
    if (rfi_outside(t)) return;
    bool writes = s->kind == RF_SITE_WRITE;
    unsigned flags = RF_EV_RANGE | (writes ? RF_EV_WRITES : RF_EV_READS);
    unsigned mode = rfi_access_mode(t, s);
    if (!n) return;
    if (mode & RFI_POINT) {
        rf_event *e = rfi_announce(t, writes ? RF_EV_STORE : RF_EV_LOAD, s);
        e->flags = (uint16_t)flags;
        e->addr = (const void *)(uintptr_t)p;
        e->size = n;
        rfi_schedule(t);
        rfi_heap_check(s, e->addr, n, writes);
        rfi_executed(e);
    } else if (mode & RFI_WATCH) {
        rf_event e = rfi_unscheduled(t, s, flags, p, n);
        rfi_emit(&e);
    }
}

/* ---- atomics ---- */

static pthread_mutex_t rfi_outside_lock RFI_UNUSED = PTHREAD_MUTEX_INITIALIZER;

RFI_FN void rfi_copy_outside(void *to, const void *from, size_t n) {
    pthread_mutex_lock(&rfi_outside_lock);
    memcpy(to, from, n);
    pthread_mutex_unlock(&rfi_outside_lock);
}

void rfi_atomic_load(const rf_site *s, const volatile void *p, size_t n, int order, void *out) {
    rfi_thr *t = rfi.current;
    if (rfi_outside(t))
        rfi_copy_outside(out, (const void *)(uintptr_t)p, n);
    else
        rfi_load_point(t, s, p, n, RF_EV_ATOMIC, order, 0, out);
}

void rfi_atomic_store(const rf_site *s, volatile void *p, size_t n, int order, const void *in) {
    rfi_thr *t = rfi.current;
    if (rfi_outside(t))
        rfi_copy_outside((void *)(uintptr_t)p, in, n);
    else
        rfi_store_point(t, s, p, n, RF_EV_ATOMIC, order, 0, in);
}

/* Announces a read-modify-write and waits for its turn. */
RFI_INLINE rf_event *rfi_rmw_point(rfi_thr *t, const rf_site *s, volatile void *p, size_t n,
                                   int order) {
    rf_event *e = rfi_announce(t, RF_EV_RMW, s);
    e->flags = RF_EV_READS | RF_EV_WRITES | RF_EV_ATOMIC;
    e->order = (uint8_t)order;
    e->addr = (const void *)(uintptr_t)p;
    e->size = n;
    rfi_schedule(t);
    rfi_heap_check(s, e->addr, n, true);
    rfi.record->atomic_loads++;
    return e;
}

void rfi_rmw_begin(const rf_site *s, volatile void *p, size_t n, int order, void *old) {
    rfi_thr *t = rfi.current;
    if (rfi_outside(t)) {
        pthread_mutex_lock(&rfi_outside_lock);
        rfi.rmw_addr = (const void *)(uintptr_t)p;
        rfi.rmw_size = n;
    } else {
        rf_event *e = rfi_rmw_point(t, s, p, n, order);
        if (rfi_model_takes(e)) {
            rf_mem_access a = rfi_model_access(e, order);
            rf_mem_rmw_begin(&rfi_model, &a, old);
            e->value = rfi_peek(old, n);
            return;
        }
        e->value = rfi_peek(p, n);
    }
    rfi_copy(old, (const void *)(uintptr_t)p, n);
}

void rfi_rmw_end(const void *value) {
    rfi_thr *t = rfi.current;
    if (rfi_outside(t)) {
        memcpy((void *)(uintptr_t)rfi.rmw_addr, value, rfi.rmw_size);
        pthread_mutex_unlock(&rfi_outside_lock);
        return;
    }
    rf_event *e = &t->next;
    if (rfi_model_takes(e)) {
        rf_mem_rmw_end(&rfi_model, value);
        rfi_model_told(e);
    } else {
        rfi_copy((void *)(uintptr_t)e->addr, value, e->size);
    }
    e->value2 = rfi_peek(value, e->size);
    rfi_executed(e);
}

bool rfi_cas(const rf_site *s, volatile void *p, size_t n, bool weak, int success, int failure,
             void *expected, const void *desired) {
    rfi_thr *t = rfi.current;
    void *m = (void *)(uintptr_t)p;
    if (rfi_outside(t)) {
        pthread_mutex_lock(&rfi_outside_lock);
        bool same = !memcmp(m, expected, n);
        memcpy(same ? m : expected, same ? desired : m, n);
        pthread_mutex_unlock(&rfi_outside_lock);
        return same;
    }
    bool again = t->next.site == s && t->next.addr == m && t->next.kind == RF_EV_LOAD;
    uint64_t old = t->next.value;
    rf_event *e = rfi_rmw_point(t, s, p, n, success);
    weak = weak && rfi.spurious;
    bool done;
    if (rfi_model_takes(e)) {
        rf_mem_access a = rfi_model_access(e, success);
        done = rf_mem_compare_exchange(&rfi_model, &a, failure, weak, expected, desired);
        rfi_model_told(e);
    } else {
        done = !memcmp(m, expected, n) && !(weak && rfi_chance(&rfi.memory, RFI_SPURIOUS));
        rfi_copy(expected, m, n);
        if (done) rfi_copy(m, desired, n);
    }
    e->value = rfi_peek(expected, n);
    if (done) {
        e->value2 = rfi_peek(desired, n);
    } else {
        e->kind = RF_EV_LOAD;
        e->order = (uint8_t)failure;
        e->flags = (uint16_t)((e->flags & ~RF_EV_WRITES) | RF_EV_HARMLESS);
        rfi_spin_check(t, again, old);
    }
    rfi_executed(e);
    return done;
}

void rfi_fence(const rf_site *s, int order) {
    rfi_thr *t = rfi.current;
    if (rfi_outside(t)) return;
    rf_event *e = rfi_announce(t, RF_EV_FENCE, s);
    e->order = (uint8_t)order;
    rfi_schedule(t);
    rfi_executed(e);
}
#endif
#endif

/* ==== edit src/engine/heap.h ============================= >>engine/heap */
/* engine/heap.h: RF_MALLOC and its kin (docs/manual.md, The heap).
 *
 * Allocation is no scheduling point (nobody else can know the block yet); a free is one, and counts
 * as a write to every byte of the block.
 */
#ifndef RFI_ENGINE_HEAP_H
#define RFI_ENGINE_HEAP_H

#ifdef RFI_IMPL
RFI_FN void *rfi_block_new(const rf_site *s, size_t n, int fill) {
    rfi_thr *t = rfi.current;
    size_t whole = (n + RFI_RED_BYTES + 15) & ~(size_t)15;
    if (rfi.quiet) rfi_fail_here(s, "RF_MALLOC");
    if (!rfi_heap.base) rfi_heap_open();
    if (n > rfi_heap.bytes / 4 || rfi_heap.used + whole > rfi_heap.bytes / 2) return NULL;
    rfi_heap.block =
        rfi_grow(rfi_heap.block, &rfi_heap.capacity, rfi_heap.blocks + 1, sizeof *rfi_heap.block);
    rfi_block *b = &rfi_heap.block[rfi_heap.blocks++];
    *b =
        (rfi_block){.start = rfi_heap.base + rfi_heap.used, .size = n, .made = s, .made_by = t->id};
    rfi_heap.used += whole;
    if (rfi_heap.used > rfi_heap.high) rfi_heap.high = rfi_heap.used;
    memset(b->start, fill, n);
    memset(b->start + n, RFI_RED, whole - n);
    rf_event e = {.kind = RF_EV_ALLOC,
                  .thread = t->id,
                  .site = s,
                  .object = rfi_heap.blocks,
                  .addr = b->start,
                  .size = n,
                  .value = (uint64_t)fill};
    rfi_emit(&e);
    return b->start;
}

void *rfi_malloc(const rf_site *s, size_t n) {
    if (!rfi.current) return malloc(n);
    return rfi_block_new(s, n, RFI_FRESH);
}

void *rfi_calloc(const rf_site *s, size_t count, size_t n) {
    if (!rfi.current) return calloc(count, n);
    if (n && count > SIZE_MAX / n) return NULL;
    return rfi_block_new(s, count * n, 0);
}

/* The live block that begins at p. */
RFI_FN rfi_block *rfi_block_at(const rf_site *s, void *p) {
    if ((uintptr_t)p - (uintptr_t)rfi_heap.base >= rfi_heap.used)
        rfi_fail(RF_DIAG_BAD_FREE, s, "the pointer did not come from RF_MALLOC in this execution");
    rfi_block *b = rfi_heap_find(p);
    if ((char *)p != b->start)
        rfi_heap_fail(RF_DIAG_BAD_FREE, s, "the pointer points to", b,
                      (size_t)((char *)p - b->start));
    if (b->freed) rfi_heap_fail(RF_DIAG_DOUBLE_FREE, s, "second free of", b, 0);
    return b;
}

/* Memory that holds a synchronisation object in use can't go. */
RFI_FN void rfi_free_check_object(const rf_site *s, const rfi_block *b, const rfi_object *o,
                                  const rfi_thr *t, const char *how) {
    if ((uintptr_t)o - (uintptr_t)b->start >= b->size) return;
    char what[48];
    snprintf(what, sizeof what, "T%u %s the object at", t->id, how);
    rfi_heap_fail(RF_DIAG_DESTROY_BUSY, s, what, b, (size_t)((const char *)o - b->start));
}

RFI_FN void rfi_free_check_objects(const rf_site *s, const rfi_block *b) {
    for (uint32_t i = 0; i < rfi.run.threads; i++) {
        const rfi_thr *t = rfi.thread[i];
        if (t->finished) continue;
        rfi_free_check_object(s, b, t->waits_on, t, "waits for");
        for (uint32_t k = 0; k < t->held_count; k++)
            rfi_free_check_object(s, b, t->held[k].object, t, "holds");
    }
}

/* From now on every access of this execution is looked at. */
RFI_FN void rfi_watch_all(void) {
    rfi.run.freed = true;
    rfi.mode |= RFI_WATCH;
    rfi.lane = NULL;
    rfi_hot.arm = rfi_arm_all;
}

void rfi_free(const rf_site *s, void *p) {
    rfi_thr *t = rfi.current;
    if (!p) return;
    if (!t) {
        free(p);
        return;
    }
    if (rfi.quiet) rfi_fail_here(s, "RF_FREE");
    rf_event *e = rfi_announce(t, RF_EV_FREE, s);
    e->flags = RF_EV_WRITES | RF_EV_FREES;
    e->addr = p;
    rfi_block *b = rfi_block_at(s, p);
    e->size = b->size ? b->size : 1;
    e->object = (uint32_t)(b - rfi_heap.block) + 1;
    rfi_schedule(t);
    b = rfi_block_at(s, p); /* again: another thread may have freed it meanwhile */
    rfi_red_check(b, s);
    if (rfi.run.objects) rfi_free_check_objects(s, b);
    b->freed = s;
    b->freed_by = t->id;
    memset(b->start, RFI_STALE, b->size);
    rfi_executed(e);
    rfi_watch_all();
}

void *rfi_realloc(const rf_site *s, void *p, size_t n) {
    if (!rfi.current) return realloc(p, n);
    if (!p) return rfi_malloc(s, n);
    const rfi_block *b = rfi_block_at(s, p);
    size_t keep = b->size < n ? b->size : n;
    char *q = rfi_malloc(s, n);
    if (!q) return NULL;
    memcpy(q, p, keep);
    rfi_free(s, p);
    return q;
}
#endif
#endif

/* ==== edit src/engine/support.h ========================== >>engine/support */
/* engine/support.h: what tests use besides threads: invariants, inputs, log lines, scopes. */
#ifndef RFI_ENGINE_SUPPORT_H
#define RFI_ENGINE_SUPPORT_H

#ifdef RFI_IMPL
void rfi_invariant_begin(rfi_scope *scope, const rf_site *s, bool (*fn)(void *), void *arg) {
    *scope = (rfi_scope){s, fn, arg, NULL};
    if (!rfi.current) return;
    scope->next = rfi.run.invariants;
    rfi.run.invariants = scope;
    rfi.run.attention++;
}

void rfi_invariant_end(rfi_scope *scope) {
    rfi_scope **link = &rfi.run.invariants;
    while (*link && *link != scope) link = &(*link)->next;
    if (!*link) return;
    *link = scope->next;
    rfi.run.attention--;
}

rfi_scope rfi_func_begin(const rf_site *s) {
    rfi_note(RF_EV_ENTER, s, 0, 0);
    return (rfi_scope){s, NULL, NULL, NULL};
}

void rfi_func_end(rfi_scope *scope) { rfi_note(RF_EV_LEAVE, scope->site, 0, 0); }

void rfi_log(const rf_site *s, const char *fmt, ...) {
    if (!rfi_listening(RF_EV_LOG) || rfi.quiet) return;
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    rf_event e = {.kind = RF_EV_LOG, .thread = rfi.current->id, .site = s, .text = text};
    rfi_deliver(&e);
}

uint32_t rfi_choose(const rf_site *s, uint32_t n) {
    if (!n) rfi_fail(RF_DIAG_BAD_CHOICE, s, "RF_CHOOSE(0): there is no value to choose");
    if (!rfi.current) return 0;
    if (rfi.quiet) rfi_fail_here(s, "RF_CHOOSE");
    uint32_t chosen = rfi_below(&rfi.input, n);
    rf_event e = {
        .kind = RF_EV_CHOOSE, .thread = rfi.current->id, .site = s, .value = chosen, .value2 = n};
    rfi_emit(&e);
    return chosen;
}
#endif
#endif

/* ==== edit src/engine/lock.h ============================= >>engine/lock */
/* engine/lock.h: mutexes, spin locks and read-write locks.
 *
 * A blocking operation is announced with the lock it wants and is enabled while it can have it; a
 * try or timed one is always enabled, and gives up if the lock is not free when it executes (a
 * time-out may fire whenever it could).  Re-entrant operations change no ownership and make events
 * of their own kind (docs/internals.md, The event stream).
 */
#ifndef RFI_ENGINE_LOCK_H
#define RFI_ENGINE_LOCK_H

#ifdef RFI_IMPL
RFI_FN bool rfi_ready_mutex(const rfi_thr *t) { return !((const rf_mutex *)t->waits_on)->owner; }
RFI_FN bool rfi_ready_spin(const rfi_thr *t) { return !((const rf_spin *)t->waits_on)->owner; }
RFI_FN bool rfi_ready_read(const rfi_thr *t) { return !((const rf_rwlock *)t->waits_on)->writer; }
RFI_FN bool rfi_ready_write(const rfi_thr *t) {
    const rf_rwlock *l = (const rf_rwlock *)t->waits_on;
    return !l->writer && !l->readers;
}

/* Announces and schedules a lock operation; true when the caller may take the lock now. */
RFI_INLINE bool rfi_lock_point(rfi_thr *t, rfi_object *o, const rf_site *s, unsigned flags,
                               bool (*ready)(const rfi_thr *)) {
    bool retry = t->next.site == s && t->next.kind == RF_EV_TRYFAIL;
    rf_event *e = rfi_announce(t, RF_EV_LOCK, s);
    e->object = o->number;
    e->flags = (uint16_t)flags;
    if (!(flags & (RF_EV_TRY | RF_EV_TIMED))) {
        rfi_wait_on(t, o, ready);
        rfi_schedule(t);
        rfi_wait_off(t);
        return true;
    }
    t->repeats = retry ? t->repeats + 1 : 0;
    if (t->repeats >= RFI_YIELD_REPEAT) rfi_make_lazy(t);
    rfi_schedule(t);
    rfi_object_still(o, e);
    t->waits_on = o;
    bool free = ready(t);
    t->waits_on = NULL;
    if (!free) {
        e->kind = RF_EV_TRYFAIL;
        rfi_executed(e);
    }
    return free;
}

RFI_FN void rfi_locked(rfi_thr *t, rfi_object *o, const rf_site *s) {
    rfi_hold(t, o, s, t->next.flags & RF_EV_SHARED);
    if (o->waiters) rfi_reconsider(o);
    rfi_executed(&t->next);
}

/* Announces and schedules an unlock of something held, and strikes it off the list. */
RFI_INLINE void rfi_unlock_point(rfi_thr *t, rfi_object *o, const rf_site *s, rfi_held *h) {
    rf_event *e = rfi_announce(t, RF_EV_UNLOCK, s);
    e->object = o->number;
    e->flags = h->shared ? RF_EV_SHARED : 0;
    rfi_schedule(t);
    rfi_unhold(t, h);
    if (RFI_UNLIKELY(t->held_count && rfi_holds(t, o))) e->kind = RF_EV_REUNLOCK;
    rfi_executed(e);
}

RFI_FN RFI_COLD RFI_NORETURN void rfi_fail_unlock(const rfi_object *o, const rf_site *s,
                                                  uint32_t owner) {
    if (!owner) rfi_fail(RF_DIAG_UNLOCK_FREE, s, "%s is not locked", rfi_object_called(o));
    rfi_fail(RF_DIAG_UNLOCK_OTHER, s, "%s is held by T%u, not by T%u", rfi_object_called(o),
             owner - 1, rfi.current->id);
}

RFI_FN RFI_COLD RFI_NORETURN void rfi_fail_relock(rfi_thr *t, rfi_object *o, const rf_site *s) {
    const rfi_held *h = rfi_holds(t, o);
    rfi_fail(RF_DIAG_RELOCK, s, "T%u already holds %s since %s:%u", t->id, rfi_object_called(o),
             rfi_basename(h->site->file), h->site->line);
}

/* ---- mutex ---- */

void rfi_mutex_init(const rf_site *s, rf_mutex *m, const char *name, int kind) {
    if (kind < RF_MUTEX_NORMAL || kind > RF_MUTEX_ERRORCHECK)
        rfi_fail(RF_DIAG_BAD_COUNT, s, "%d is no kind of mutex", kind);
    rfi_object_init(&m->object, RFI_MUTEX, s, name);
    m->owner = m->depth = 0;
    m->kind = kind;
}

void rfi_mutex_destroy(const rf_site *s, rf_mutex *m) {
    rfi_object_destroy(&m->object, RFI_MUTEX, s, m->owner);
}

RFI_INLINE void rfi_mutex_enter(rf_mutex *m, const rf_site *s) {
    if (RFI_UNLIKELY(rfi_object_new(&m->object, RFI_MUTEX, s))) m->owner = m->depth = 0;
}

/* The owner locks again: true if that is all right. */
RFI_FN bool rfi_mutex_again(rfi_thr *t, rf_mutex *m, const rf_site *s, bool try) {
    if (m->kind != RF_MUTEX_RECURSIVE) {
        if (try) return false;
        rfi_fail_relock(t, &m->object, s);
    }
    m->depth++;
    rfi_note(RF_EV_RELOCK, s, m->object.number, 0);
    return true;
}

RFI_INLINE bool rfi_mutex_take(const rf_site *s, rf_mutex *m, unsigned flags) {
    rfi_thr *t = rfi.current;
    if (RFI_UNLIKELY(!t || rfi.quiet)) return true;
    rfi_mutex_enter(m, s);
    if (RFI_UNLIKELY(m->owner == t->id + 1)) return rfi_mutex_again(t, m, s, flags & RF_EV_TRY);
    if (!rfi_lock_point(t, &m->object, s, flags, rfi_ready_mutex)) return false;
    m->owner = t->id + 1;
    rfi_locked(t, &m->object, s);
    return true;
}

void rfi_mutex_lock(const rf_site *s, rf_mutex *m) { (void)rfi_mutex_take(s, m, 0); }
bool rfi_mutex_trylock(const rf_site *s, rf_mutex *m) { return rfi_mutex_take(s, m, RF_EV_TRY); }

/* A time-out advances virtual time to its end. */
RFI_FN bool rfi_timed(bool done, uint64_t until) {
    if (!done && rfi.run.now < until) rfi.run.now = until;
    return done;
}

bool rfi_mutex_timedlock(const rf_site *s, rf_mutex *m, uint64_t ms) {
    uint64_t until = rfi.run.now + ms;
    return rfi_timed(rfi_mutex_take(s, m, RF_EV_TIMED), until);
}

void rfi_mutex_unlock(const rf_site *s, rf_mutex *m) {
    rfi_thr *t = rfi.current;
    if (RFI_UNLIKELY(!t || rfi.quiet)) return;
    rfi_mutex_enter(m, s);
    if (RFI_UNLIKELY(m->owner != t->id + 1)) rfi_fail_unlock(&m->object, s, m->owner);
    if (RFI_UNLIKELY(m->depth)) {
        m->depth--;
        rfi_note(RF_EV_REUNLOCK, s, m->object.number, 0);
        return;
    }
    rfi_unlock_point(t, &m->object, s, rfi_holds(t, &m->object));
    m->owner = 0;
    if (m->object.waiters) rfi_reconsider(&m->object);
}

/* ---- spin lock: a mutex without kinds ---- */

void rfi_spin_init(const rf_site *s, rf_spin *l, const char *name) {
    rfi_object_init(&l->object, RFI_SPIN, s, name);
    l->owner = 0;
}

void rfi_spin_destroy(const rf_site *s, rf_spin *l) {
    rfi_object_destroy(&l->object, RFI_SPIN, s, l->owner);
}

RFI_FN bool rfi_spin_take(const rf_site *s, rf_spin *l, unsigned flags) {
    rfi_thr *t = rfi.current;
    if (!t || rfi.quiet) return true;
    if (rfi_object_new(&l->object, RFI_SPIN, s)) l->owner = 0;
    if (l->owner == t->id + 1) {
        if (flags & RF_EV_TRY) return false;
        rfi_fail_relock(t, &l->object, s);
    }
    if (!rfi_lock_point(t, &l->object, s, flags, rfi_ready_spin)) return false;
    l->owner = t->id + 1;
    rfi_locked(t, &l->object, s);
    return true;
}

void rfi_spin_lock(const rf_site *s, rf_spin *l) { (void)rfi_spin_take(s, l, 0); }
bool rfi_spin_trylock(const rf_site *s, rf_spin *l) { return rfi_spin_take(s, l, RF_EV_TRY); }

void rfi_spin_unlock(const rf_site *s, rf_spin *l) {
    rfi_thr *t = rfi.current;
    if (!t || rfi.quiet) return;
    if (rfi_object_new(&l->object, RFI_SPIN, s)) l->owner = 0;
    if (l->owner != t->id + 1) rfi_fail_unlock(&l->object, s, l->owner);
    rfi_unlock_point(t, &l->object, s, rfi_holds(t, &l->object));
    l->owner = 0;
    if (l->object.waiters) rfi_reconsider(&l->object);
}

/* ---- read-write lock: no preference, whoever is chosen gets it ---- */

void rfi_rwlock_init(const rf_site *s, rf_rwlock *l, const char *name) {
    rfi_object_init(&l->object, RFI_RWLOCK, s, name);
    l->writer = l->readers = 0;
}

void rfi_rwlock_destroy(const rf_site *s, rf_rwlock *l) {
    rfi_object_destroy(&l->object, RFI_RWLOCK, s, l->writer || l->readers);
}

RFI_INLINE void rfi_rwlock_enter(rf_rwlock *l, const rf_site *s) {
    if (RFI_UNLIKELY(rfi_object_new(&l->object, RFI_RWLOCK, s))) l->writer = l->readers = 0;
}

RFI_FN bool rfi_rwlock_take(const rf_site *s, rf_rwlock *l, unsigned flags) {
    rfi_thr *t = rfi.current;
    if (!t || rfi.quiet) return true;
    rfi_rwlock_enter(l, s);
    bool shared = flags & RF_EV_SHARED;
    const rfi_held *h = rfi_holds(t, &l->object);
    if (h &&
        !(shared && h->shared)) { /* reading twice is allowed, everything else blocks for ever */
        if (flags & RF_EV_TRY) return false;
        rfi_fail_relock(t, &l->object, s);
    }
    if (!rfi_lock_point(t, &l->object, s, flags, shared ? rfi_ready_read : rfi_ready_write))
        return false;
    if (shared)
        l->readers++;
    else
        l->writer = t->id + 1;
    if (h) t->next.kind = RF_EV_RELOCK;
    rfi_locked(t, &l->object, s);
    return true;
}

void rfi_rwlock_rdlock(const rf_site *s, rf_rwlock *l) {
    (void)rfi_rwlock_take(s, l, RF_EV_SHARED);
}
void rfi_rwlock_wrlock(const rf_site *s, rf_rwlock *l) { (void)rfi_rwlock_take(s, l, 0); }
bool rfi_rwlock_tryrdlock(const rf_site *s, rf_rwlock *l) {
    return rfi_rwlock_take(s, l, RF_EV_SHARED | RF_EV_TRY);
}
bool rfi_rwlock_trywrlock(const rf_site *s, rf_rwlock *l) {
    return rfi_rwlock_take(s, l, RF_EV_TRY);
}

void rfi_rwlock_unlock(const rf_site *s, rf_rwlock *l) {
    rfi_thr *t = rfi.current;
    if (!t || rfi.quiet) return;
    rfi_rwlock_enter(l, s);
    rfi_held *h = rfi_holds(t, &l->object);
    if (!h) {
        if (l->readers)
            rfi_fail(RF_DIAG_UNLOCK_OTHER, s, "%s is held for reading by others, not by T%u",
                     rfi_object_called(&l->object), t->id);
        rfi_fail_unlock(&l->object, s, l->writer);
    }
    bool shared = h->shared;
    rfi_unlock_point(t, &l->object, s, h);
    if (shared)
        l->readers--;
    else
        l->writer = 0;
    if (l->object.waiters) rfi_reconsider(&l->object);
}
#endif
#endif

/* ==== edit src/engine/sync.h ============================= >>engine/sync */
/* engine/sync.h: condition variables, semaphores, barriers and once. */
#ifndef RFI_ENGINE_SYNC_H
#define RFI_ENGINE_SYNC_H

#ifdef RFI_IMPL
/* ---- condition variable ----
 *
 * A wait is two operations: release the mutex and join the queue; then, once signalled (or timed
 * out, or woken for nothing) and the mutex is free, take it again.  A signal wakes one waiter,
 * drawn from the schedule's stream. */

void rfi_cond_init(const rf_site *s, rf_cond *c, const char *name) {
    rfi_object_init(&c->object, RFI_COND, s, name);
}

void rfi_cond_destroy(const rf_site *s, rf_cond *c) {
    rfi_object_destroy(&c->object, RFI_COND, s, false);
}

/* The second half waits on the mutex; the condition's own list holds those not yet woken. */
RFI_FN bool rfi_ready_wake(const rfi_thr *t) {
    return !((const rf_mutex *)t->waits_on)->owner && (t->notified || t->timed);
}

RFI_FN void rfi_cond_leave(rf_cond *c, rfi_thr *t) {
    uint32_t *link = &c->object.waiters;
    while (*link && *link != t->id + 1) link = &rfi.thread[*link - 1]->queue_next;
    if (*link) *link = t->queue_next;
    t->uses = NULL;
}

RFI_FN void rfi_cond_enter(rf_cond *c, rfi_thr *t) {
    uint32_t *link = &c->object.waiters;
    while (*link) link = &rfi.thread[*link - 1]->queue_next;
    *link = t->id + 1;
    t->queue_next = 0;
    t->uses = &c->object;
}

/* All that wait at a time must have released the same mutex. */
RFI_FN void rfi_cond_same_mutex(const rf_cond *c, const rf_mutex *m, const rf_site *s) {
    const rfi_thr *u = rfi.thread[c->object.waiters - 1];
    char its[RFI_NAME_BYTES + 16];
    if (u->next.other == m->object.number) return;
    rfi_fail(RF_DIAG_WAIT_MUTEX, s, "T%u waits for %s with mutex %s, while T%u waits with %s",
             rfi.current->id, rfi_object_called(&c->object), rfi_object_called(&m->object), u->id,
             rfi_object_label(u->next.other, its, sizeof its));
}

RFI_FN bool rfi_cond_block(const rf_site *s, rf_cond *c, rf_mutex *m, bool timed) {
    rfi_thr *t = rfi.current;
    if (!t || rfi.quiet) return true;
    if (rfi_object_new(&c->object, RFI_COND, s)) c->object.waiters = 0;
    rfi_mutex_enter(m, s);
    if (m->owner != t->id + 1)
        rfi_fail(RF_DIAG_WAIT_UNLOCKED, s, "T%u waits for %s and does not hold the mutex", t->id,
                 rfi_site_object(s));
    if (m->depth)
        rfi_fail(RF_DIAG_WAIT_DEPTH, s,
                 "T%u waits for %s, but mutex %s, locked more than once, stays locked", t->id,
                 rfi_object_called(&c->object), rfi_object_called(&m->object));
    rf_event *e = rfi_announce(t, RF_EV_WAIT, s);
    e->object = c->object.number;
    e->other = m->object.number;
    e->flags = timed ? RF_EV_TIMED : 0;
    rfi_schedule(t);
    rfi_object_still(&c->object, e);
    if (c->object.waiters) rfi_cond_same_mutex(c, m, s);
    rfi_executed(e);
    rfi_note(RF_EV_UNLOCK, s, m->object.number, 0);
    rfi_unhold(t, rfi_holds(t, &m->object));
    m->owner = 0;
    t->timed = timed;
    t->notified = rfi.spurious && rfi_chance(&rfi.memory, RFI_SPURIOUS);
    t->wake = RF_WAKE_SPURIOUS;
    if (!t->notified) rfi_cond_enter(c, t);
    if (m->object.waiters) rfi_reconsider(&m->object);

    e = rfi_announce(t, RF_EV_WAKE, s);
    e->object = c->object.number;
    e->other = m->object.number;
    rfi_wait_on(t, &m->object, rfi_ready_wake);
    rfi_schedule(t);
    rfi_wait_off(t);
    if (!t->notified) {
        rfi_cond_leave(c, t);
        t->wake = RF_WAKE_TIMEOUT;
    }
    t->timed = false;
    m->owner = t->id + 1;
    e->value = t->wake;
    rfi_hold(t, &m->object, s, false);
    if (m->object.waiters) rfi_reconsider(&m->object);
    rfi_executed(e);
    rfi_note(RF_EV_LOCK, s, m->object.number, 0);
    return t->wake != RF_WAKE_TIMEOUT;
}

void rfi_cond_wait(const rf_site *s, rf_cond *c, rf_mutex *m) {
    (void)rfi_cond_block(s, c, m, false);
}

bool rfi_cond_timedwait(const rf_site *s, rf_cond *c, rf_mutex *m, uint64_t ms) {
    uint64_t until = rfi.run.now + ms;
    return rfi_timed(rfi_cond_block(s, c, m, true), until);
}

/* Time-outs that have fired, unseen as yet because the mutex is taken: a signal comes too late. */
RFI_FN void rfi_cond_expire(rf_cond *c) {
    for (uint32_t w = c->object.waiters, next; w; w = next) {
        rfi_thr *u = rfi.thread[w - 1];
        next = u->queue_next;
        if (!u->timed || !rfi_chance(&rfi.memory, RFI_EXPIRED)) continue;
        rfi_cond_leave(c, u);
        u->notified = true;
        u->wake = RF_WAKE_TIMEOUT;
        rfi_set_enabled(u, u->ready(u));
    }
}

RFI_FN void rfi_notify(rf_cond *c, rfi_thr *u, const rf_site *s) {
    rfi_cond_leave(c, u);
    u->notified = true;
    u->wake = RF_WAKE_SIGNAL;
    rfi_note(RF_EV_NOTIFY, s, c->object.number, u->id);
    rfi_set_enabled(u, u->ready(u));
}

RFI_FN void rfi_cond_wake(const rf_site *s, rf_cond *c, unsigned kind) {
    rfi_thr *t = rfi.current;
    if (!t || rfi.quiet) return;
    if (rfi_object_new(&c->object, RFI_COND, s)) c->object.waiters = 0;
    rf_event *e = rfi_announce(t, kind, s);
    e->object = c->object.number;
    rfi_schedule(t);
    rfi_object_still(&c->object, e);
    rfi_executed(e);
    rfi_cond_expire(c);
    uint32_t n = 0;
    for (uint32_t w = c->object.waiters; w; w = rfi.thread[w - 1]->queue_next) n++;
    if (!n) return;
    if (kind == RF_EV_BROADCAST) {
        while (c->object.waiters) rfi_notify(c, rfi.thread[c->object.waiters - 1], s);
        return;
    }
    uint32_t i = n > 1 ? rfi_below(&rfi.schedule, n) : 0;
    uint32_t w = c->object.waiters;
    while (i--) w = rfi.thread[w - 1]->queue_next;
    rfi_notify(c, rfi.thread[w - 1], s);
}

void rfi_cond_signal(const rf_site *s, rf_cond *c) { rfi_cond_wake(s, c, RF_EV_SIGNAL); }
void rfi_cond_broadcast(const rf_site *s, rf_cond *c) { rfi_cond_wake(s, c, RF_EV_BROADCAST); }

/* ---- semaphore ---- */

void rfi_sem_init(const rf_site *s, rf_sem *m, const char *name, uint32_t n) {
    rfi_object_init(&m->object, RFI_SEM, s, name);
    m->initial = m->count = n;
}

void rfi_sem_destroy(const rf_site *s, rf_sem *m) {
    rfi_object_destroy(&m->object, RFI_SEM, s, false);
}

RFI_FN bool rfi_ready_sem(const rfi_thr *t) { return ((const rf_sem *)t->waits_on)->count > 0; }

RFI_FN bool rfi_sem_take(const rf_site *s, rf_sem *m, unsigned flags) {
    rfi_thr *t = rfi.current;
    if (!t || rfi.quiet) return true;
    if (rfi_object_new(&m->object, RFI_SEM, s)) m->count = m->initial;
    if (!rfi_lock_point(t, &m->object, s, flags, rfi_ready_sem)) return false;
    t->next.value = --m->count;
    if (m->object.waiters) rfi_reconsider(&m->object);
    t->next.kind = RF_EV_SEM_WAIT;
    rfi_executed(&t->next);
    return true;
}

void rfi_sem_wait(const rf_site *s, rf_sem *m) { (void)rfi_sem_take(s, m, 0); }
bool rfi_sem_trywait(const rf_site *s, rf_sem *m) { return rfi_sem_take(s, m, RF_EV_TRY); }
bool rfi_sem_timedwait(const rf_site *s, rf_sem *m, uint64_t ms) {
    uint64_t until = rfi.run.now + ms;
    return rfi_timed(rfi_sem_take(s, m, RF_EV_TIMED), until);
}

void rfi_sem_post(const rf_site *s, rf_sem *m) {
    rfi_thr *t = rfi.current;
    if (!t || rfi.quiet) return;
    if (rfi_object_new(&m->object, RFI_SEM, s)) m->count = m->initial;
    rf_event *e = rfi_announce(t, RF_EV_SEM_POST, s);
    e->object = m->object.number;
    rfi_schedule(t);
    rfi_object_still(&m->object, e);
    if (m->count == UINT32_MAX)
        rfi_fail(RF_DIAG_BAD_COUNT, s, "%s already counts %u", rfi_object_called(&m->object),
                 m->count);
    e->value = ++m->count;
    rfi_executed(e);
    if (m->object.waiters) rfi_reconsider(&m->object);
}

/* ---- barrier: arrival and departure are two operations ---- */

void rfi_barrier_init(const rf_site *s, rf_barrier *b, const char *name, uint32_t n) {
    if (!n) rfi_fail(RF_DIAG_BAD_COUNT, s, "a barrier for 0 threads");
    rfi_object_init(&b->object, RFI_BARRIER, s, name);
    b->parties = n;
    b->arrived = b->phase = 0;
}

void rfi_barrier_destroy(const rf_site *s, rf_barrier *b) {
    rfi_object_destroy(&b->object, RFI_BARRIER, s, b->arrived);
}

RFI_FN bool rfi_ready_barrier(const rfi_thr *t) { return !t->waits_on; }

/* All that have arrived may depart, and no longer need the barrier: it may be destroyed. */
RFI_FN void rfi_barrier_open(rf_barrier *b) {
    b->arrived = 0;
    b->phase++;
    while (b->object.waiters) {
        rfi_thr *u = rfi.thread[b->object.waiters - 1];
        b->object.waiters = u->wait_next;
        u->waits_on = NULL;
        rfi_put(rfi.enabled, u->id);
    }
}

bool rfi_barrier_wait(const rf_site *s, rf_barrier *b) {
    rfi_thr *t = rfi.current;
    if (!t || rfi.quiet) return true;
    if (rfi_object_new(&b->object, RFI_BARRIER, s)) b->arrived = b->phase = 0;
    if (!b->parties)
        rfi_fail(RF_DIAG_BAD_COUNT, s, "barrier %s is for 0 threads",
                 rfi_object_called(&b->object));
    rf_event *e = rfi_announce(t, RF_EV_ARRIVE, s);
    e->object = b->object.number;
    rfi_schedule(t);
    rfi_object_still(&b->object, e);
    e->value = b->phase;
    rfi_executed(e);
    uint64_t phase = b->phase;
    bool last = ++b->arrived == b->parties;
    e = rfi_announce(t, RF_EV_DEPART, s);
    e->object = b->object.number;
    e->value = phase;
    if (last)
        rfi_barrier_open(b);
    else
        rfi_wait_on(t, &b->object, rfi_ready_barrier);
    rfi_schedule(t);
    t->ready = NULL;
    rfi_executed(e);
    return last;
}

/* ---- once ---- */

enum { RFI_ONCE_NEW, RFI_ONCE_RUNNING, RFI_ONCE_FINISHED };

void rfi_once_init(const rf_site *s, rf_once *o, const char *name) {
    rfi_object_init(&o->object, RFI_ONCE, s, name);
    o->state = RFI_ONCE_NEW;
}

void rfi_once_destroy(const rf_site *s, rf_once *o) {
    rfi_object_destroy(&o->object, RFI_ONCE, s, o->state == RFI_ONCE_RUNNING);
}

RFI_FN bool rfi_ready_once(const rfi_thr *t) {
    return ((const rf_once *)t->waits_on)->state != RFI_ONCE_RUNNING;
}

void rfi_once(const rf_site *s, rf_once *o, void (*fn)(void)) {
    rfi_thr *t = rfi.current;
    if (!t) {
        if (o->state == RFI_ONCE_NEW) fn();
        o->state = RFI_ONCE_FINISHED;
        return;
    }
    if (rfi.quiet) rfi_fail_here(s, "RF_ONCE");
    if (rfi_object_new(&o->object, RFI_ONCE, s)) o->state = RFI_ONCE_NEW;
    if (o->state == RFI_ONCE_RUNNING && o->runner == t->id)
        rfi_fail(RF_DIAG_ONCE_RECURSIVE, s, "the function of %s calls it again",
                 rfi_object_called(&o->object));
    rf_event *e = rfi_announce(t, RF_EV_ONCE, s);
    e->object = o->object.number;
    rfi_wait_on(t, &o->object, rfi_ready_once);
    rfi_schedule(t);
    rfi_wait_off(t);
    if (o->state == RFI_ONCE_FINISHED) {
        e->kind = RF_EV_ONCE_PASS;
        rfi_executed(e);
        return;
    }
    o->state = RFI_ONCE_RUNNING;
    o->runner = t->id;
    if (o->object.waiters) rfi_reconsider(&o->object);
    rfi_executed(e);
    const rfi_object *outer = t->uses;
    t->uses = &o->object;
    fn();
    t->uses = outer;
    o->state = RFI_ONCE_FINISHED;
    rfi_note(RF_EV_ONCE_DONE, s, o->object.number, 0);
    if (o->object.waiters) rfi_reconsider(&o->object);
}
#endif
#endif

/* ==== edit src/engine/thread.h =========================== >>engine/thread */
/* engine/thread.h: creation, end, join, detach, thread-local objects, yields and virtual time. */
#ifndef RFI_ENGINE_THREAD_H
#define RFI_ENGINE_THREAD_H

#ifdef RFI_IMPL
# define RFI_IDLE_FIBERS                                                  \
  256u /* threads with a lower number keep their fiber between executions \
        */

/* Makes room for 64 more threads in this execution. */
RFI_FN RFI_COLD void rfi_thread_room(void) {
    uint32_t word = rfi.run.words++;
    uint64_t **set[] = {&rfi.enabled, &rfi.paused, &rfi.lazy, &rfi.candidates};
    for (unsigned i = 0; i < sizeof set / sizeof *set; i++) {
        uint32_t capacity = rfi.set_capacity;
        *set[i] = rfi_grow(*set[i], &capacity, word + 1, sizeof **set[i]);
        (*set[i])[word] = 0;
        if (i == 3) rfi.set_capacity = capacity;
    }
    rfi.thread =
        rfi_grow((void *)rfi.thread, &rfi.thread_capacity, (word + 1) * 64, sizeof *rfi.thread);
    for (uint32_t id = word * 64; id < (word + 1) * 64; id++) {
        if (rfi.thread[id]) break; /* from an earlier execution */
        if (!(rfi.thread[id] = calloc(1, sizeof **rfi.thread)))
            rfi_die("out of memory (thread %u)", id);
        rfi.thread[id]->id = id;
    }
}

/* The next logical thread of this execution, not yet running. */
RFI_FN rfi_thr *rfi_thread_new(void *(*fn)(void *), void *arg) {
    uint32_t id = rfi.run.threads++;
    if (RFI_UNLIKELY(id == rfi.run.words * 64)) rfi_thread_room();
    rfi_thr *t = rfi.thread[id];
    memset(&t->ready, 0, offsetof(rfi_thr, id) - offsetof(rfi_thr, ready));
    t->fn = fn;
    t->arg = arg;
    (void)rfi_announce(t, RF_EV_START, NULL);
    rfi.run.live++;
    rfi_put(rfi.enabled, id);
    return t;
}

/* Who runs when `t` has ended: the one that waits for its first operation, the one that is chosen
 * next, or, when all have ended, the first thread, which is waiting for that. */
RFI_INLINE rfi_thr *rfi_thread_after(const rfi_thr *t) {
    if (t->starter) {
        rfi.run.attention--;
        return t->starter;
    }
    if (!rfi.run.live) return rfi.thread[0];
    rfi.run.switches++;
    return rfi.thread[rfi.plan->checker ? rfi_decide_checked() : rfi_decide()];
}

/* A logical thread, not the first, goes.  Returns when its fiber is to serve the thread of the same
 * number in a later execution. */
RFI_FN void rfi_thread_leave(rfi_thr *t) {
    rfi.current = rfi_thread_after(t);
    rfi_fiber *to = &rfi.current->fiber;
    if (RFI_UNLIKELY(!t->kept)) rfi_fiber_exit(&t->fiber, to);
    t->idle = true;
    rfi_fiber_jump(&t->fiber, to);
}

/* Its function has returned. */
RFI_FN void rfi_thread_end(rfi_thr *t) {
    if (RFI_UNLIKELY(rfi.run.invariants != NULL)) rfi_check_invariants(t, true);
    if (RFI_UNLIKELY(t->held_count))
        rfi_fail(RF_DIAG_EXIT_HOLDING, t->held[0].site, "T%u ends and still holds %s, taken here",
                 t->id, rfi_object_called(t->held[0].object));
    t->finished = true;
    rfi.run.live--;
    rfi_take(rfi.enabled, t->id);
    if (t->end.waiters) rfi_reconsider(&t->end);
    rfi_note(RF_EV_EXIT, NULL, 0, 0);
    if (!rfi.run.live) rfi_heap_finish();
}

/* A logical thread, not the first, from its start to its end. */
RFI_FN void rfi_thread_run(rfi_thr *t) {
    if (!rfi.fine) { /* chosen: the start itself was the operation */
        rfi_step(t);
        rfi_executed(&t->next);
    }
    t->result = t->fn(t->arg);
    rfi_thread_end(t);
}

RFI_FN void rfi_thread_main(void *thread) {
    for (;;) {
        rfi_thread_run(thread);
        rfi_thread_leave(thread);
    }
}

RFI_INLINE void rfi_thread_name_set(uint32_t id, const rf_site *created, uint32_t parent) {
    if (RFI_LIKELY(!rfi.record->tracing)) return;
    rfi.record->threads = id + 1;
    if (id < RFI_RECORD_THREADS) rfi.record->thread[id] = (rfi_thread_name){created, parent};
}

/* Gives `t` a fiber; a stack that served another thread of this execution is new memory to the
 * analyses. */
RFI_FN RFI_COLD void rfi_thread_fiber_new(rfi_thr *t, const rf_site *s) {
    bool reused = rfi_fiber_make(&t->fiber, rfi.plan->stack_size, rfi_thread_main, t);
    if (RFI_UNLIKELY(!t->fiber.stack_low)) {
        t->finished = true; /* it never began */
        rfi_fail(RF_DIAG_LIMIT, s,
                 "the system has no room for the stacks of %u threads, %zu KiB each "
                 "(.stack_size; on Linux also vm.max_map_count)",
                 rfi.run.live, rfi.plan->stack_size / 1024);
    }
    t->kept = t->id < RFI_IDLE_FIBERS && rfi_fiber_reusable();
    if (RFI_LIKELY(!reused) || !rfi_listening(RF_EV_RECYCLE)) return;
    rf_event e = {.kind = RF_EV_RECYCLE,
                  .thread = t->id,
                  .addr = t->fiber.stack_low,
                  .size = (size_t)((char *)t->fiber.stack_high - (char *)t->fiber.stack_low)};
    rfi_deliver(&e);
}

RFI_INLINE void rfi_thread_fiber(rfi_thr *t, const rf_site *s) {
    if (RFI_LIKELY(t->idle))
        rfi_fiber_renew(&t->fiber);
    else
        rfi_thread_fiber_new(t, s);
    t->idle = false;
}

/* Idle fibers are of use only for the same size of stack; called from home. */
RFI_FN RFI_COLD void rfi_threads_release(void) {
    for (uint32_t i = 0; i < rfi.thread_capacity && rfi.thread[i]; i++) {
        if (rfi.thread[i]->idle) rfi_fiber_drop(&rfi.thread[i]->fiber);
        rfi.thread[i]->idle = false;
    }
}

rf_thread rfi_create(const rf_site *s, void *(*fn)(void *), void *arg) {
    rfi_thr *t = rfi.current;
    if (RFI_UNLIKELY(!t || rfi.quiet)) rfi_fail_here(s, "RF_THREAD");
    rfi_thr *u = rfi_thread_new(fn, arg);
    rfi_thread_name_set(u->id, s, t->id);
    rfi_note(RF_EV_CREATE, s, 0, u->id);
    rfi_thread_fiber(u, s);
    u->next.site = s;
    u->next.other = t->id;
    if (rfi.fine) {
        rfi_emit(&u->next);
        u->starter = t;
        rfi.run.attention++;
        rfi_switch_to(t, u);
    } else if (rfi.strategy->announced) {
        rfi.strategy->announced(&u->next);
    }
    return (rf_thread){u->id, rfi.generation};
}

RFI_FN rfi_thr *rfi_thread_of(const rf_site *s, rf_thread h) {
    if (RFI_LIKELY(h.generation == rfi.generation && h.id < rfi.run.threads))
        return rfi.thread[h.id];
    if (!h.generation) rfi_fail(RF_DIAG_BAD_THREAD, s, "the handle was never set");
    rfi_fail(RF_DIAG_BAD_THREAD, s, "the handle is of thread T%u of another execution", h.id);
}

RFI_FN bool rfi_ready_join(const rfi_thr *t) { return rfi.thread[t->next.other]->finished; }

RFI_FN RFI_COLD RFI_NORETURN void rfi_fail_join(const rf_site *s, const rfi_thr *t,
                                                const rfi_thr *u) {
    if (u == t) rfi_fail(RF_DIAG_JOIN_SELF, s, "T%u joins itself", t->id);
    if (u->detached) rfi_fail(RF_DIAG_JOIN_DETACHED, s, "T%u was detached", u->id);
    rfi_fail(RF_DIAG_JOIN_TWICE, s, "T%u was joined before", u->id);
}

void *rfi_join(const rf_site *s, rf_thread h) {
    rfi_thr *t = rfi.current;
    if (RFI_UNLIKELY(!t || rfi.quiet)) rfi_fail_here(s, "RF_JOIN");
    rfi_thr *u = rfi_thread_of(s, h);
    if (RFI_UNLIKELY((u == t) | u->detached | u->joined)) rfi_fail_join(s, t, u);
    u->joined = true;
    rf_event *e = rfi_announce(t, RF_EV_JOIN, s);
    e->other = u->id;
    if (rfi.run.live == 1 && !rfi.run.attention) { /* nobody else could be chosen */
        rfi_step(t);
    } else if (u->finished) { /* for good: nothing to wait on */
        rfi_schedule(t);
    } else {
        rfi_wait_on(t, &u->end, rfi_ready_join);
        rfi_schedule(t);
        rfi_wait_off(t);
    }
    rfi_executed(e);
    return u->result;
}

void rfi_detach(const rf_site *s, rf_thread h) {
    if (RFI_UNLIKELY(!rfi.current || rfi.quiet)) rfi_fail_here(s, "RF_DETACH");
    rfi_thr *u = rfi_thread_of(s, h);
    if (u->detached || u->joined)
        rfi_fail(RF_DIAG_DETACH_TWICE, s, "T%u was %s before", u->id,
                 u->detached ? "detached" : "joined");
    u->detached = true;
    rfi_note(RF_EV_DETACH, s, 0, u->id);
}

rf_thread rfi_self(void) {
    if (!rfi.current) return (rf_thread){0, 0};
    return (rf_thread){rfi.current->id, rfi.generation};
}

/* Yields in a row make a spinner; a spin hint says that it is one. */
void rfi_yield(const rf_site *s) {
    rfi_thr *t = rfi.current;
    if (!t || rfi.quiet) return;
    bool hint = s->text[0] == 'h';
    t->yields = t->next.site == s || t->next.kind == RF_EV_LOAD ? t->yields + 1 : 1;
    rf_event *e = rfi_announce(t, RF_EV_YIELD, s);
    if (hint || t->yields >= RFI_YIELD_REPEAT) rfi_make_lazy(t);
    rfi_schedule(t);
    rfi_executed(e);
}

void rfi_sleep(const rf_site *s, uint64_t ms) {
    rfi_thr *t = rfi.current;
    if (!t || rfi.quiet) return;
    uint64_t until = rfi.run.now + ms;
    t->yields = t->next.site == s || t->next.kind == RF_EV_LOAD ? t->yields + 1 : 1;
    rf_event *e = rfi_announce(t, RF_EV_SLEEP, s);
    e->value = ms;
    if (t->yields >= RFI_YIELD_REPEAT) rfi_make_lazy(t);
    rfi_schedule(t);
    if (rfi.run.now < until) rfi.run.now = until;
    rfi_executed(e);
}

void *rfi_tls_ptr(rfi_tls *key) {
    static uint32_t keys;
    static void *outside[256];
    if (!key->index) key->index = ++keys;
    rfi_thr *t = rfi.current;
    uint32_t i = key->index - 1;
    if (!t) {
        if (i >= 256) rfi_die("more than 256 thread-local objects used outside of tests");
        if (!outside[i] && !(outside[i] = calloc(1, key->size))) rfi_die("out of memory");
        return outside[i];
    }
    if (i >= t->tls_count) {
        uint32_t n = i + 8;
        void **tls = rfi_arena_take(&rfi.arena, n * sizeof *tls);
        if (t->tls_count) memcpy((void *)tls, (void *)t->tls, t->tls_count * sizeof *tls);
        t->tls = tls;
        t->tls_count = n;
    }
    if (!t->tls[i]) t->tls[i] = rfi_arena_take(&rfi.arena, key->size);
    return t->tls[i];
}
#endif
#endif

/* ==== edit src/engine/execute.h ========================== >>engine/execute */
/* engine/execute.h: executions, one after the other, from their plan to their record.
 *
 * The first logical thread, which runs the test's body, runs the loop over executions as well: from
 * one to the next nothing is switched.  Home, the context of the caller, gets control back when the
 * series is over, or when an execution is abandoned and its threads, the first one too, stand
 * somewhere in the code under test; then it drops them and goes on with the rest of the series.
 */
#ifndef RFI_ENGINE_EXECUTE_H
#define RFI_ENGINE_EXECUTE_H

#ifdef RFI_IMPL
enum {
    RFI_STREAM_SCHEDULE = 1,
    RFI_STREAM_MEMORY,
    RFI_STREAM_INPUT,
    RFI_STREAM_STRATEGY,
    RFI_STREAM_CHECKER
};

/* Once per process: the calling thread is the one from which executions are started. */
RFI_FN void rfi_engine_open(rfi_backend_kind backend) {
    memset(rfi_arm_all, RFI_POINT | RFI_WATCH, sizeof rfi_arm_all);
    rfi_fiber_start(backend, &rfi.home);
    if (!rfi.run.words) rfi_thread_room();
    rfi.generation |= 1;
}

/* Completes a plan; the sites that it arms are known. */
/* An analysis that plain accesses can go to without an event; NULL if there is none, or if others
 * would miss them. */
RFI_FN const rf_analysis *rfi_plan_lane(const rfi_plan *p) {
    const rf_analysis *lane = NULL;
    if (p->mode != RFI_WATCH || p->adversary || p->strategy->executed || rfi.site_mode_count)
        return NULL;
    for (uint32_t i = 0; i < p->analyses; i++) {
        const rf_analysis *a = p->analysis[i];
        if (!(a->events & (RF_EV_BIT(RF_EV_LOAD) | RF_EV_BIT(RF_EV_STORE)))) continue;
        if (!a->access || (lane && lane->access != a->access)) return NULL;
        lane = a;
    }
    return lane;
}

RFI_FN void rfi_plan_complete(rfi_plan *p) {
    uint64_t accesses = RF_EV_BIT(RF_EV_LOAD) | RF_EV_BIT(RF_EV_STORE);
    p->modelled = p->memory.atomics != RF_MEM_SC || p->adversary;
    if (p->modelled && (!p->analyses || p->analysis[0] != &rfi_model_analysis)) {
        memmove(p->analysis + 1, p->analysis, p->analyses++ * sizeof p->analysis[0]);
        p->analysis[0] = &rfi_model_analysis;
    }
    p->listen = p->strategy->executed ? ~UINT64_C(0) : 0;
    for (uint32_t i = 0; i < p->analyses; i++) p->listen |= p->analysis[i]->events;
    if (p->checker) p->listen |= p->checker->events;
    p->mode = (uint8_t)((p->fine ? RFI_POINT : 0) | (p->listen & accesses ? RFI_WATCH : 0) |
                        (p->suspect_all ? RFI_SUSPECT : 0));
    p->lane = rfi_plan_lane(p);
    p->hooks = p->analyses || p->checker || p->strategy->end;
    p->attention = (p->checker ? 1u : 0u) + (p->strategy->announced ? 1u : 0u);
    p->arm = p->mode || p->adversary ? rfi_arm_all
             : rfi.site_mode_count   ? rfi_arm_some
                                     : rfi_arm_none;
}

/* What is the same in all executions of a series. */
RFI_FN void rfi_series_begin(const rfi_plan *p, rfi_record *r) {
    rfi.plan = p;
    rfi.strategy = p->strategy;
    rfi.record = r;
    rfi.max_steps = p->max_steps;
    rfi.fine = p->fine;
    rfi.spurious = p->spurious;
    rfi.modelled = p->modelled;
    rfi.adversary = p->adversary;
    rfi_core_settle(&rfi_model.core, &p->memory);
    r->tracing = p->trace;
    rfi.paused[0] = 0;
}

/* From here on the macros do the plain operation and nothing else. */
RFI_FN void rfi_series_end(void) {
    rfi.listen = 0;
    rfi_hot.arm = rfi_arm_none;
    rfi_hot.fuel = INT32_MAX;
}

RFI_FN void rfi_execute_begin(const rfi_plan *p, rfi_record *r) {
    rfi.generation += RFI_GENERATION;
    rfi.run = (rfi_run){.words = 1, .attention = p->attention};
    rfi.enabled[0] = rfi.lazy[0] = 0;
    rfi.schedule = rfi_prng_make(p->seed, RFI_STREAM_SCHEDULE);
    rfi.memory = rfi_prng_make(p->seed, RFI_STREAM_MEMORY);
    rfi.input = rfi_prng_make(p->seed, RFI_STREAM_INPUT);
    rfi_arena_reset(&rfi.arena);
    rfi_heap_reset();
    r->released = 0;
    r->failure.diagnostic = RF_DIAG_NONE;
    r->hit_count = r->objects = 0;
    r->skipped = false;
    r->atomic_loads = r->racy_loads = r->atomic_stale = r->plain_stale = 0;
    r->unannounced = NULL;
    r->woken = 0;
    rfi.listen = p->listen;
    rfi.mode = p->mode;
    rfi.lane = p->lane ? p->lane->access : NULL;
    rfi_hot.arm = p->arm;
    rfi_hot.fuel = RFI_FUEL;
    if (p->strategy->begin) p->strategy->begin(rfi_prng_make(p->seed, RFI_STREAM_STRATEGY).state);
    if (RFI_LIKELY(!p->hooks)) return;
    for (uint32_t i = 0; i < p->analyses; i++) {
        const rf_analysis *a = p->analysis[i];
        rfi.wanted[i] = a->wakes && !(a->wakes & ~p->asleep) ? a->wakes & a->events : a->events;
        if (a->begin) a->begin();
    }
    if (!p->checker) return;
    rfi.paused[0] = 0;
    rfi.frame = (rfi_frame){.pause_chance = 65536, .checked = RFI_NO_THREAD};
    if (p->checker->begin) p->checker->begin(rfi_prng_make(p->seed, RFI_STREAM_CHECKER).state);
}

/* Nobody comes back: the first thread, which waits for the others or runs, and who was running,
 * even if it was on its way out. */
RFI_FN RFI_COLD void rfi_abandon_threads(void) {
    for (uint32_t i = 0; i < rfi.run.threads; i++) {
        rfi_thr *t = rfi.thread[i];
        if (!i || !t->finished || (t == rfi.current && !t->idle)) rfi_fiber_drop(&t->fiber);
    }
}

RFI_FN void rfi_execute_end(void) {
    const rfi_plan *p = rfi.plan;
    if (rfi.run.abandoned) rfi_abandon_threads();
    rfi.current = NULL;
    rfi.lane = NULL;
    rfi.quiet = 0;
    rfi.record->steps = rfi.run.steps;
    rfi.record->switches = rfi.run.switches;
    rfi.record->preemptions = rfi.run.preemptions;
    rfi.record->threads = rfi.run.threads;
    rfi_fiber_epoch();
    if (RFI_LIKELY(!p->hooks)) return;
    if (p->checker && p->checker->end) p->checker->end();
    if (p->strategy->end) p->strategy->end();
    for (uint32_t i = 0; i < p->analyses; i++)
        if (p->analysis[i]->end) p->analysis[i]->end();
}

/* One execution, on the first thread's fiber. */
RFI_FN void rfi_execute_here(const rfi_plan *p, rfi_record *r, rfi_test *test) {
    rfi_execute_begin(p, r);
    r->state = RFI_RUNNING;
    rfi_thr *t = rfi_thread_new(NULL, NULL);
    rfi_thread_name_set(0, NULL, 0);
    rfi.current = t;
    test->body();
    rfi_thread_end(t);
    if (rfi.run.live) rfi_switch_to(t, rfi_thread_after(t)); /* until all have ended */
    rfi_execute_end();
    r->state = RFI_DONE;
}

/* Executions of one test under one plan. */
typedef struct rfi_series {
    rfi_plan *plan;
    rfi_record *record;
    rfi_test *test;
    bool (*before)(void *arg); /* prepares the next execution; false: there is none */
    void (*after)(void *arg);  /* it has ended, well or not */
    void *arg;
} rfi_series;

/* The first thread. */
RFI_FN void rfi_series_main(void *unused) {
    rfi_thr *t = rfi.thread[0];
    (void)unused;
    for (;;) {
        const rfi_series *s = rfi.series;
        while (s->before(s->arg)) {
            rfi_execute_here(s->plan, s->record, s->test);
            s->after(s->arg);
        }
        rfi.series = NULL;
        if (!rfi_fiber_reusable()) rfi_fiber_exit(&t->fiber, &rfi.home);
        t->idle = true;
        rfi_fiber_jump(&t->fiber, &rfi.home);
    }
}

/* Runs a series; everything that can be said about an execution is in its record afterwards. */
RFI_FN void rfi_execute(const rfi_series *s) {
    rfi_thr *t = rfi.thread[0];
    if (RFI_UNLIKELY(s->plan->stack_size != rfi.stack_size)) {
        rfi_threads_release();
        rfi.stack_size = s->plan->stack_size;
    }
    rfi.series = s;
    rfi_series_begin(s->plan, s->record);
    for (;;) {
        if (t->idle)
            rfi_fiber_renew(&t->fiber);
        else
            (void)rfi_fiber_make(&t->fiber, rfi.stack_size, rfi_series_main, NULL);
        if (!t->fiber.stack_low)
            rfi_die("no room for a stack of %zu KiB (.stack_size)", rfi.stack_size / 1024);
        t->idle = false;
        rfi_fiber_jump(&rfi.home, &t->fiber);
        if (!rfi.series) break;
        rfi_execute_end();
        s->record->state = RFI_DONE;
        s->after(s->arg);
    }
    rfi_series_end();
}
#endif
#endif

/* ==== edit src/detect/abstraction.h ====================== >>detect/abstraction */
/* detect/abstraction.h: by what the same thread or lock is recognised in another execution.
 *
 * The abstractions of DeadlockFuzzer (Joshi, Park, Sen, Naik, PLDI 2009, section 2.4).
 */
#ifndef RFI_DETECT_ABSTRACTION_H
#define RFI_DETECT_ABSTRACTION_H

#ifdef RFI_IMPL
/* By what threads and locks are told apart: by the statement that made them, by their index, by
 * nothing. */
typedef enum rfi_abstraction {
    RFI_ABSTRACT_SITE,
    RFI_ABSTRACT_INDEX,
    RFI_ABSTRACT_NONE,
    RFI_ABSTRACTIONS
} rfi_abstraction;
#endif
#endif

/* ==== edit src/detect/blocks.h =========================== >>detect/blocks */
/* detect/blocks.h: the blocks that should be atomic (RF_ATOMIC_BLOCK), and when one was not.
 *
 * Every run of a block is an instance with its own memory of what it did at each place.  A place is
 * memory or a lock: taking a lock is an update of it, taking it for reading a read, so that letting
 * go of a lock and taking it again (Park and Sen, FSE 2008) and touching a variable twice are one
 * rule.  A violation is an operation of the instance, an operation of another thread after it, and
 * then a second one of the instance at the same place, in one of the four orders that no serial
 * execution has (Vaziri, Tip and Dolby, POPL 2006; Lu et al., ASPLOS 2006):
 *   R W' R   the second read sees another value
 *   W W' R   it does not see the own value
 *   R W' W   the write rests on a value that is gone, and overwrites the new one
 *   W R' W   the other thread saw a value of the middle
 * It is judged by what was read and overwritten, and not by the letters alone: a read that returns
 * the instance's own value (W R W' W) binds nothing, nor does a read of somebody else's (W W' R'
 * W). An exchange that fails gives up what the instance has read there: it will try again. Intended
 * races (RF_RACY_LOAD, RF_RACY_STORE) do not count.
 *
 * Guarantee: what is reported has happened, and no order of whole instances explains it.  What
 * needs two places (a read of one, then of another, between two writes) is not seen.
 *
 * Invariant: the cells of an instance at one place have disjoint bytes, each with one history.
 * An instance has at most RFI_BLOCK_CELLS cells: what it touches beyond them is not followed.
 * Nothing is done before the first block of an execution begins.
 */
#ifndef RFI_DETECT_BLOCKS_H
#define RFI_DETECT_BLOCKS_H

#ifdef RFI_IMPL
# define RFI_BLOCK_CELLS 4096u

/* An operation, for reports. */
typedef struct rfi_doing {
    const rf_site *site;  /* NULL: there was none */
    const rf_site *start; /* where the thread took the first of the locks it holds; else `site` */
    uint64_t time;        /* of the tracker; of a section: when its lock was released */
    uint32_t thread, object, size;
    uint16_t flags;
    uint8_t kind;
} rfi_doing;

/* What an instance did at some bytes of a granule, or with a lock, and what others did since. */
typedef struct rfi_block_cell {
    struct rfi_block_cell *next;    /* at the same place */
    struct rfi_block_cell *sibling; /* of the same instance */
    struct rfi_instance *block;
    void **place;     /* NULL: forgotten */
    rfi_doing last;   /* its last operation, */
    rfi_doing read;   /* its last read of a value from outside, */
    rfi_doing write;  /* its last write */
    rfi_doing theirs; /* the write of another thread since `last` that is the newest of all */
    rfi_doing saw;    /* a read of another thread that returned what `write` wrote */
    uint8_t mask;     /* which bytes */
    bool mine;        /* what lies there is what `write` wrote */
} rfi_block_cell;

/* An instance. */
typedef struct rfi_instance {
    struct rfi_instance *outer; /* that it is in; among the spare ones: the next */
    const rf_site *site;
    rfi_block_cell *cells;
    uint32_t thread, count;
    /* Of the reduction (atomizer.h). */
    rfi_doing commit;
    bool post, silent;
} rfi_instance;

typedef struct rfi_block_holding {
    const rf_site *site;
    uint64_t time; /* of its acquisition */
    uint32_t object;
    bool shared;
} rfi_block_holding;

typedef struct rfi_block_thread {
    rfi_instance *top;
    rfi_block_holding *held;
    uint32_t held_count, held_capacity;
} rfi_block_thread;

typedef struct rfi_violation {
    const rfi_instance *block; /* the innermost that it is one of */
    rfi_doing first, other, second;
    const rf_site *end; /* of the gap between first and second */
    const char *text;   /* why that is one */
} rfi_violation;

/* What another thread may not do between two operations of an instance. */
typedef struct rfi_window {
    const rfi_instance *block;
    rfi_doing first, second;
    const rf_site *end; /* of the gap between them */
    unsigned unwanted;  /* RF_EV_READS, RF_EV_WRITES */
    uint8_t mask;
} rfi_window;

typedef struct rfi_blocks {
    const void *driver;                       /* the user whose events count */
    void (*violated)(const rfi_violation *v); /* may be NULL */
    void (*window)(const rfi_window *w, rfi_shadow *s, uintptr_t at); /* may be NULL */
    bool on;                                                          /* a block has begun */
    uint64_t time;
    rfi_shadow memory, locks; /* granule, number of a lock -> rfi_block_cell list */
    rfi_arena arena;
    rfi_block_cell *spare_cell;
    rfi_instance *spare_block;
    rfi_block_thread *thread;
    uint32_t threads, capacity;
} rfi_blocks;

static rfi_blocks rfi_blocks_state RFI_UNUSED;

/* clang-format off */
# define RFI_BLOCKS_EVENTS \
    (RF_EV_BIT(RF_EV_BLOCK) | RF_EV_BIT(RF_EV_BLOCK_END) | RF_EV_BIT(RF_EV_LOCK) | \
     RF_EV_BIT(RF_EV_UNLOCK) | RF_EV_BIT(RF_EV_LOAD) | RF_EV_BIT(RF_EV_STORE) | \
     RF_EV_BIT(RF_EV_RMW) | RF_EV_BIT(RF_EV_FREE) | RF_EV_BIT(RF_EV_ALLOC) | \
     RF_EV_BIT(RF_EV_RECYCLE) | RF_EV_BIT(RF_EV_EXIT))
/* clang-format on */

/* An execution begins, for one of those who use the tracker. */
RFI_FN void rfi_blocks_begin(const void *user) {
    rfi_blocks *d = &rfi_blocks_state;
    if (d->driver) return;
    d->driver = user;
    d->on = false;
    d->violated = NULL;
    d->window = NULL;
}

RFI_FN void rfi_blocks_end(const void *user) {
    if (rfi_blocks_state.driver == user) rfi_blocks_state.driver = NULL;
}

RFI_FN rfi_block_thread *rfi_blocks_thread(uint32_t t) {
    rfi_blocks *d = &rfi_blocks_state;
    d->thread = rfi_grow(d->thread, &d->capacity, t + 1, sizeof *d->thread);
    for (; d->threads <= t; d->threads++) {
        d->thread[d->threads].top = NULL;
        d->thread[d->threads].held_count = 0;
    }
    return &d->thread[t];
}

/* The innermost instance that a thread is in. */
RFI_INLINE rfi_instance *rfi_block_of(uint32_t t) {
    const rfi_blocks *d = &rfi_blocks_state;
    return d->on && t < d->threads ? d->thread[t].top : NULL;
}

/* ---- what threads hold ---- */

RFI_FN void rfi_blocks_hold(uint32_t t, uint32_t object, bool shared, const rf_site *site) {
    rfi_block_thread *w = rfi_blocks_thread(t);
    w->held = rfi_grow(w->held, &w->held_capacity, w->held_count + 1, sizeof *w->held);
    w->held[w->held_count++] = (rfi_block_holding){site, rfi_blocks_state.time, object, shared};
}

RFI_FN void rfi_blocks_unhold(uint32_t t, uint32_t object) {
    rfi_block_thread *w = rfi_blocks_thread(t);
    uint32_t i = w->held_count;
    while (i && w->held[i - 1].object != object) i--;
    if (!i) return;
    w->held_count--;
    for (; i <= w->held_count; i++) w->held[i - 1] = w->held[i];
}

/* The first block begins: from here on all is followed. */
RFI_FN RFI_COLD void rfi_blocks_start(void) {
    rfi_blocks *d = &rfi_blocks_state;
    enum { MOST = 64 };
    rf_lock lock[MOST];
    d->on = true;
    d->time = 0;
    d->threads = 0;
    d->spare_cell = NULL;
    d->spare_block = NULL;
    rfi_shadow_reset(&d->memory);
    rfi_shadow_reset(&d->locks);
    rfi_arena_reset(&d->arena);
    for (uint32_t t = 0; t < rf_threads(); t++) {
        uint32_t n = rf_thread_alive(t) ? rf_thread_locks(t, lock, MOST) : 0;
        for (uint32_t i = 0; i < n && i < MOST; i++)
            rfi_blocks_hold(t, lock[i].object, lock[i].shared, lock[i].site);
    }
}

/* ---- cells ---- */

RFI_FN rfi_block_cell *rfi_cell_new(rfi_instance *b, void **place, uint8_t mask) {
    rfi_blocks *d = &rfi_blocks_state;
    rfi_block_cell *c = d->spare_cell;
    if (c)
        d->spare_cell = c->next;
    else
        c = rfi_arena_take(&d->arena, sizeof *c);
    *c = (rfi_block_cell){
        .next = *place, .sibling = b->cells, .block = b, .place = place, .mask = mask};
    *place = b->cells = c;
    b->count++;
    return c;
}

/* Makes `c`, which has some of the bytes of `mask`, lose those that it has not: they get a cell
 * with the same history. */
RFI_FN void rfi_cell_split(rfi_block_cell *c, uint8_t mask) {
    uint8_t rest = (uint8_t)(c->mask & ~mask);
    if (!rest) return;
    rfi_block_cell *other = rfi_cell_new(c->block, c->place, rest), *next = other->next;
    rfi_block_cell *sibling = other->sibling;
    *other = *c;
    other->mask = rest;
    other->next = next;
    other->sibling = sibling;
    c->mask &= mask;
}

RFI_FN void rfi_cell_unlink(rfi_block_cell *c) {
    rfi_block_cell *list = *c->place;
    for (rfi_block_cell **link = &list; *link; link = &(*link)->next)
        if (*link == c) {
            *link = c->next;
            break;
        }
    *c->place = list;
    c->place = NULL;
}

/* ---- blocks ---- */

RFI_FN void rfi_block_enter(const rf_event *e) {
    rfi_blocks *d = &rfi_blocks_state;
    rfi_block_thread *w = rfi_blocks_thread(e->thread);
    rfi_instance *b = d->spare_block;
    if (b)
        d->spare_block = b->outer;
    else
        b = rfi_arena_take(&d->arena, sizeof *b);
    *b = (rfi_instance){.outer = w->top, .site = e->site, .thread = e->thread};
    w->top = b;
}

RFI_FN void rfi_block_leave(uint32_t t) {
    rfi_blocks *d = &rfi_blocks_state;
    rfi_block_thread *w = rfi_blocks_thread(t);
    rfi_instance *b = w->top;
    if (!b) return;
    w->top = b->outer;
    for (rfi_block_cell *c = b->cells, *next; c; c = next) {
        next = c->sibling;
        if (c->place) rfi_cell_unlink(c);
        c->next = d->spare_cell;
        d->spare_cell = c;
    }
    b->outer = d->spare_block;
    d->spare_block = b;
}

/* ---- the rule ---- */

RFI_FN rfi_doing rfi_doing_of(const rf_event *e, unsigned flags) {
    const rfi_block_thread *w = rfi_blocks_thread(e->thread);
    return (rfi_doing){.site = e->site,
                       .start = w->held_count ? w->held[0].site : e->site,
                       .time = rfi_blocks_state.time,
                       .thread = e->thread,
                       .object = e->object,
                       .size = (uint32_t)e->size,
                       .flags = (uint16_t)(flags | (e->flags & RF_EV_FREES)),
                       .kind = e->kind};
}

/* Where another thread must have come in, so that it stands between `first` and this operation: the
 * first lock that the thread took since then and still holds may keep it out later. */
RFI_FN const rf_site *rfi_gap_end(const rfi_doing *first, const rf_event *e) {
    const rfi_block_thread *w = rfi_blocks_thread(e->thread);
    for (uint32_t i = 0; i < w->held_count; i++)
        if (w->held[i].time > first->time) return w->held[i].site;
    return e->site;
}

/* Which operations of others, done now, would make an operation of these flags, done next by the
 * cell's thread, the second of a violation: since its last operation, or, for reads, since its last
 * write. */
RFI_FN unsigned rfi_cell_unwanted(const rfi_block_cell *c, unsigned flags) {
    unsigned unwanted = 0;
    if (flags & RF_EV_READS && c->last.site) unwanted |= RF_EV_WRITES;
    if (flags & RF_EV_WRITES && c->read.site) unwanted |= RF_EV_WRITES;
    if (flags & RF_EV_WRITES && c->write.site && c->mine) unwanted |= RF_EV_READS;
    return unwanted;
}

/* Is an operation of these flags now the second of a violation?  Then `v` says the others. */
RFI_FN bool rfi_cell_violated(const rfi_block_cell *c, unsigned flags, rfi_violation *v) {
    bool lock = c->last.kind == RF_EV_LOCK || c->last.kind == RF_EV_UNLOCK;
    const char *text = NULL;
    if (flags & RF_EV_READS && c->theirs.site) {
        v->first = c->last;
        v->other = c->theirs;
        text =
            lock ? "The block let go of the lock and took it again; another thread had it in "
                   "between."
            : c->last.flags & RF_EV_WRITES
                ? "Another thread overwrote what the block had written, before the block read it."
                : "The block read the same memory twice; another thread changed it in between.";
    } else if (flags & RF_EV_WRITES && c->theirs.site && c->read.site) {
        v->first = c->read;
        v->other = c->theirs;
        text = "Another thread wrote between the block's read and its write: that write is lost.";
    } else if (flags & RF_EV_WRITES && c->saw.site) {
        v->first = c->write;
        v->other = c->saw;
        text = lock ? "The block let go of the lock and took it again; another thread read in "
                      "between."
                    : "Another thread read what the block wrote before the block wrote again.";
    }
    v->text = text;
    return text;
}

/* Another thread's operation. */
RFI_FN void rfi_cell_other(rfi_block_cell *c, const rf_event *e, unsigned flags) {
    bool vain = e->flags & (RF_EV_STALE | RF_EV_HARMLESS); /* it did not see, or will try again */
    if (flags & RF_EV_READS && c->mine && !vain) c->saw = rfi_doing_of(e, flags);
    if (!(flags & RF_EV_WRITES)) return;
    c->theirs = rfi_doing_of(e, flags);
    c->mine = false;
}

/* The thread's own operation. */
RFI_FN void rfi_cell_own(rfi_block_cell *c, const rf_event *e, unsigned flags) {
    rfi_doing doing = rfi_doing_of(e, flags);
    if (flags & RF_EV_READS && !c->mine) c->read = doing;
    if (flags & RF_EV_WRITES) {
        c->write = doing;
        c->mine = true;
        c->saw.site = NULL;
    }
    c->last = doing;
    if (!(e->flags & RF_EV_STALE)) c->theirs.site = NULL;
}

/* The end of a critical section: another thread's can come from here on. */
RFI_FN void rfi_cell_released(rfi_block_cell *c, const rf_event *e, unsigned flags) {
    if (!c->last.site) rfi_cell_own(c, e, flags);
    c->last.time = rfi_blocks_state.time;
    if (flags & RF_EV_WRITES) c->write.time = rfi_blocks_state.time;
}

/* ---- operations at a place ---- */

/* One that may be the second of a violation or, if another thread comes in, might have been. */
RFI_FN void rfi_block_second(const rfi_block_cell *c, const rf_event *e, unsigned flags,
                             rfi_shadow *s, uintptr_t at, bool *told) {
    rfi_blocks *d = &rfi_blocks_state;
    rfi_violation v = {.block = c->block, .second = rfi_doing_of(e, flags)};
    bool current = !(e->flags & (RF_EV_STALE | RF_EV_HARMLESS));
    if (d->violated && !*told && current && rfi_cell_violated(c, flags, &v)) {
        v.end = rfi_gap_end(&v.first, e);
        d->violated(&v);
        *told = true;
    }
    if (!d->window || e->flags & RF_EV_HARMLESS) return;
    unsigned unwanted = rfi_cell_unwanted(c, flags);
    rfi_window w = {.block = c->block, .second = rfi_doing_of(e, flags), .mask = c->mask};
    for (unsigned bit = RF_EV_READS; bit <= RF_EV_WRITES; bit <<= 1) {
        if (!(w.unwanted = unwanted & bit)) continue;
        w.first = bit == RF_EV_READS ? c->write : c->last;
        w.end = rfi_gap_end(&w.first, e);
        d->window(&w, s, at);
    }
}

/* An instance's own operation at the bytes `mask` of a place. */
RFI_FN void rfi_block_own(rfi_instance *b, rfi_shadow *s, uintptr_t at, uint8_t mask,
                          const rf_event *e, unsigned flags, bool *told) {
    void **place = rfi_shadow_at(s, at);
    uint8_t rest = mask;
    for (rfi_block_cell *c = *place; c; c = c->next) {
        if (c->block != b || !(c->mask & mask)) continue;
        rest &= (uint8_t)~c->mask;
        rfi_cell_split(c, mask);
        if (e->kind == RF_EV_UNLOCK) {
            rfi_cell_released(c, e, flags);
            continue;
        }
        rfi_block_second(c, e, flags, s, at, told);
        rfi_cell_own(c, e, flags);
    }
    if (rest && b->count < RFI_BLOCK_CELLS) rfi_cell_own(rfi_cell_new(b, place, rest), e, flags);
}

RFI_FN void rfi_blocks_touch(rfi_shadow *s, uintptr_t at, uint8_t mask, const rf_event *e,
                             unsigned flags, bool *told) {
    for (rfi_block_cell *c = rfi_shadow_get(s, at); c && e->kind != RF_EV_UNLOCK; c = c->next) {
        if (c->block->thread == e->thread || !(c->mask & mask)) continue;
        rfi_cell_split(c, mask);
        rfi_cell_other(c, e, flags);
    }
    for (rfi_instance *b = rfi_block_of(e->thread); b; b = b->outer)
        rfi_block_own(b, s, at, mask, e, flags, told);
}

/* What taking a lock is to its place. */
RFI_INLINE unsigned rfi_lock_flags(const rf_event *e) {
    return e->flags & RF_EV_SHARED ? RF_EV_READS : RF_EV_READS | RF_EV_WRITES;
}

/* What an operation that does not only touch memory is to its place; 0: nothing. */
RFI_INLINE unsigned rfi_touch_flags(const rf_event *e) {
    if (e->kind == RF_EV_LOCK) return rfi_lock_flags(e);
    return e->flags & RF_EV_RACY ? 0 : e->flags & (RF_EV_READS | RF_EV_WRITES);
}

RFI_FN void rfi_blocks_memory(const rf_event *e) {
    rfi_blocks *d = &rfi_blocks_state;
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    unsigned flags = rfi_touch_flags(e);
    bool told = false;
    if (from == to || !flags) return;
    uintptr_t end = (to - 1) / RFI_GRANULE + 1;
    for (uintptr_t g = from / RFI_GRANULE; g < end; g++) {
        const rfi_instance *b = rfi_block_of(e->thread);
        if ((!b || b->count >= RFI_BLOCK_CELLS) && (g = rfi_shadow_next(&d->memory, g, end)) == end)
            break;
        rfi_blocks_touch(&d->memory, g, rfi_shadow_mask(g, from, to), e, flags, &told);
    }
}

/* The range is something new now. */
RFI_FN void rfi_blocks_forget(const rf_event *e) {
    rfi_blocks *d = &rfi_blocks_state;
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    if (from == to) return;
    uintptr_t end = (to - 1) / RFI_GRANULE + 1;
    for (uintptr_t g = from / RFI_GRANULE; (g = rfi_shadow_next(&d->memory, g, end)) < end; g++)
        for (rfi_block_cell *c = rfi_shadow_get(&d->memory, g), *next; c; c = next) {
            next = c->next;
            c->mask &= (uint8_t)~rfi_shadow_mask(g, from, to);
            if (!c->mask) rfi_cell_unlink(c);
        }
}

/* ---- events ---- */

RFI_FN void rfi_blocks_lock(const rf_event *e) {
    bool told = false;
    rfi_blocks_touch(&rfi_blocks_state.locks, e->object, 1, e, rfi_lock_flags(e), &told);
    if (e->kind == RF_EV_LOCK)
        rfi_blocks_hold(e->thread, e->object, e->flags & RF_EV_SHARED, e->site);
    else
        rfi_blocks_unhold(e->thread, e->object);
}

/* An event, as `user` gets it. */
RFI_FN void rfi_blocks_event(const void *user, const rf_event *e) {
    rfi_blocks *d = &rfi_blocks_state;
    if (d->driver != user) return;
    if (!d->on) {
        if (e->kind != RF_EV_BLOCK) return;
        rfi_blocks_start();
    }
    d->time++;
    switch (e->kind) {
    case RF_EV_BLOCK: rfi_block_enter(e); break;
    case RF_EV_BLOCK_END: rfi_block_leave(e->thread); break;
    case RF_EV_LOCK:
    case RF_EV_UNLOCK: rfi_blocks_lock(e); break;
    case RF_EV_LOAD:
    case RF_EV_STORE:
    case RF_EV_RMW:
    case RF_EV_FREE: rfi_blocks_memory(e); break;
    case RF_EV_ALLOC:
    case RF_EV_RECYCLE: rfi_blocks_forget(e); break;
    case RF_EV_EXIT:
        while (rfi_block_of(e->thread)) rfi_block_leave(e->thread);
        break;
    default: break;
    }
}

/* ---- what is reported ---- */

RFI_FN rf_place rfi_doing_place(const rfi_doing *d) {
    rf_place p = {.site = d->site, .thread = d->thread, .object = d->object, .size = d->size};
    switch (d->kind) {
    case RF_EV_LOCK: p.role = "takes"; break;
    case RF_EV_UNLOCK: p.role = "unlocks"; break;
    default: p.object = 0; p.flags = d->flags;
    }
    return p;
}

/* A warning about a block and the end of a gap in it. */
RFI_FN rf_warning rfi_block_warning(const char *by, const rfi_instance *b, const rf_site *end) {
    rf_warning w = {.family = RF_FAMILY_ATOMICITY, .by = by, .places = 1, .targets = 2};
    w.place[0] = (rf_place){.site = b->site, .role = "begins", .thread = b->thread};
    w.target[0] = rf_site_key(b->site);
    w.target[1] = rf_site_key(end);
    w.telling = 2;
    return w;
}

RFI_FN void rfi_violation_warn(const char *by, const rfi_violation *v) {
    rf_warning w = rfi_block_warning(by, v->block, v->end);
    w.real = true;
    w.text = v->text;
    w.places = 4;
    w.place[1] = rfi_doing_place(&v->first);
    w.place[2] = rfi_doing_place(&v->other);
    w.place[3] = rfi_doing_place(&v->second);
    w.target[w.targets++] = rf_site_key(v->other.start);
    rf_warn(&w);
}
#endif
#endif

/* ==== edit src/detect/atomicset.h ======================== >>detect/atomicset */
/* detect/atomicset.h: objects that belong together (RF_ATOMIC_SET) and were used apart: view
 * consistency (Artho, Havelund and Biere, VVEIS 2003), for declared pairs.
 *
 * A unit is a thread's outermost critical section or RF_ATOMIC_BLOCK, or a single access outside of
 * them.  A thread that uses one object in one unit and the other object in the next unit in which
 * it uses any of them leaves a gap between the two.  A unit of another thread that uses both
 * objects, with a write on one side at each of them, does not fit into a gap: the thread has seen,
 * or made, a mixture of two states.
 *
 * Predicted: the relaxed relation of engine/order.h leaves it unordered with both ends of the gap;
 * no lock is held over a gap, so none keeps it out.  Real: it stood in the gap as well, with both
 * its uses.  A unit that the thread has waited for, or that began because of it, is none that it
 * does not know of.
 * Guarantee: what is told as real has happened; whether the thread cares, its author has said by
 * declaring the set.  At most RFI_SETS_MOST different gaps and units of each pair are remembered.
 * Nothing is done before the first declaration of an execution.
 */
#ifndef RFI_DETECT_ATOMICSET_H
#define RFI_DETECT_ATOMICSET_H

#ifdef RFI_IMPL
# define RFI_SETS_MOST 64u

/* What a unit did with a pair. */
typedef struct rfi_use_of_pair {
    uint64_t unit;        /* number of the unit; 0: none */
    const rf_site *start; /* where one can wait before it: its first lock, or its first use */
    rfi_doing use[2];     /* of each object, its first one or its first write; site NULL: none */
    unsigned flags[2];    /* of all its uses */
    uint64_t from, to;    /* times of its first and last use */
    uint32_t k;           /* own clock of the thread at the last one */
} rfi_use_of_pair;

/* A unit that used both objects, or a gap. */
typedef struct rfi_set_view {
    struct rfi_set_view *next;
    rfi_use_of_pair unit;   /* it; of a gap the second */
    rfi_use_of_pair before; /* of a gap the first; else unit 0 */
    uint32_t thread;
    rfi_clock clock; /* what the thread had heard of by its end */
} rfi_set_view;

typedef struct rfi_pair_of_thread {
    struct rfi_pair_of_thread *next; /* of the same thread */
    struct rfi_atomic_pair *pair;
    rfi_use_of_pair now, before; /* the last two units that used it */
} rfi_pair_of_thread;

typedef struct rfi_atomic_pair {
    const rf_site *site; /* of the declaration */
    rfi_set_view *views;
} rfi_atomic_pair;

/* Some bytes of a granule that belong to an object of a pair. */
typedef struct rfi_member {
    struct rfi_member *next;
    rfi_atomic_pair *pair;
    uint8_t which, mask;
} rfi_member;

typedef struct rfi_set_unit {
    uint64_t number; /* of the unit; 0: the thread is in none */
    const rf_site *lock;
    rfi_pair_of_thread *pairs;
    uint32_t depth; /* of locks and blocks */
} rfi_set_unit;

typedef struct rfi_sets {
    const void *driver; /* the user whose events count */
    void (*torn)(const rfi_atomic_pair *p, const rfi_set_view *gap, const rfi_set_view *unit,
                 bool real);
    bool on;
    uint64_t time, units;
    rfi_order order;
    rfi_actors actors;
    rfi_shadow members;    /* granule -> rfi_member list */
    rfi_atomic_pair *half; /* declared with one object so far */
    rfi_set_unit *thread;
    uint32_t threads, capacity;
} rfi_sets;

static rfi_sets rfi_sets_state RFI_UNUSED;

/* clang-format off */
# define RFI_SETS_EVENTS (RFI_BLOCKS_EVENTS | RFI_ORDER_EVENTS | RF_EV_BIT(RF_EV_SET))
/* clang-format on */

RFI_FN void rfi_sets_begin(const void *user) {
    rfi_sets *d = &rfi_sets_state;
    if (d->driver) return;
    d->driver = user;
    d->on = false;
}

RFI_FN void rfi_sets_end(const void *user) {
    if (rfi_sets_state.driver == user) rfi_sets_state.driver = NULL;
}

RFI_FN rfi_set_unit *rfi_sets_thread(uint32_t t) {
    rfi_sets *d = &rfi_sets_state;
    d->thread = rfi_grow(d->thread, &d->capacity, t + 1, sizeof *d->thread);
    while (d->threads <= t) d->thread[d->threads++] = (rfi_set_unit){.number = 0};
    return &d->thread[t];
}

/* ---- gaps and units that do not fit into them ---- */

/* Does the unit conflict with both ends of the gap? */
RFI_FN bool rfi_set_view_tears(const rfi_set_view *gap, const rfi_set_view *unit) {
    unsigned a = gap->before.use[1].site != NULL; /* the object that the first end used */
    return unit->thread != gap->thread &&
           (gap->before.flags[a] | unit->unit.flags[a]) & RF_EV_WRITES &&
           (gap->unit.flags[1 - a] | unit->unit.flags[1 - a]) & RF_EV_WRITES;
}

RFI_FN bool rfi_set_view_alike(const rfi_set_view *a, const rfi_set_view *b) {
    bool same = a->thread == b->thread && !a->before.unit == !b->before.unit;
    for (unsigned i = 0; i < 2; i++)
        same = same && a->unit.use[i].site == b->unit.use[i].site &&
               a->unit.flags[i] == b->unit.flags[i] &&
               a->before.use[i].site == b->before.use[i].site &&
               a->before.flags[i] == b->before.flags[i];
    return same;
}

RFI_FN bool rfi_set_view_unordered(const rfi_set_view *gap, const rfi_set_view *unit) {
    return unit->unit.k > rfi_clock_get(&gap->clock, unit->thread) &&
           gap->before.k > rfi_clock_get(&unit->clock, gap->thread);
}

/* Checks a gap against the units, or a unit against the gaps, and keeps it. */
RFI_FN void rfi_sets_view(rfi_atomic_pair *p, rfi_set_view *v) {
    rfi_sets *d = &rfi_sets_state;
    rfi_set_view *like = NULL;
    uint32_t n = 0;
    v->clock = rfi_actor_of(&d->actors, v->thread)->clock; /* for now */
    for (rfi_set_view *o = p->views; o; o = o->next) {
        n++;
        if (rfi_set_view_alike(o, v)) like = o;
        const rfi_set_view *gap = v->before.unit ? v : o, *unit = v->before.unit ? o : v;
        if (!gap->before.unit || unit->before.unit || !rfi_set_view_tears(gap, unit) ||
            !rfi_set_view_unordered(gap, unit))
            continue;
        d->torn(p, gap, unit, unit->unit.from > gap->before.to && unit->unit.to < gap->unit.from);
    }
    if (!like && n >= 2 * RFI_SETS_MOST) return;
    if (!like) {
        like = rfi_arena_take(&d->members.arena, sizeof *like);
        like->next = p->views;
        p->views = like;
    }
    rfi_clock own = like->clock;
    rfi_clock_copy(&own, &v->clock, &d->members.arena);
    v->next = like->next;
    v->clock = own;
    *like = *v;
}

/* A unit of thread `t` ends. */
RFI_FN void rfi_sets_unit_end(uint32_t t) {
    rfi_set_unit *u = rfi_sets_thread(t);
    for (rfi_pair_of_thread *w = u->pairs; w; w = w->next) {
        if (w->now.unit != u->number) continue;
        rfi_set_view v = {.unit = w->now, .thread = t};
        bool a = w->now.use[0].site, b = w->now.use[1].site;
        bool before_a = w->before.use[0].site, before_b = w->before.use[1].site;
        if (a != b && before_a != before_b && a != before_a) v.before = w->before;
        if ((a && b) || v.before.unit) rfi_sets_view(w->pair, &v);
    }
    u->number = 0;
    u->lock = NULL;
}

/* ---- uses ---- */

RFI_FN rfi_pair_of_thread *rfi_sets_pair(rfi_set_unit *u, rfi_atomic_pair *pair) {
    rfi_pair_of_thread *w = u->pairs;
    while (w && w->pair != pair) w = w->next;
    if (w) return w;
    w = rfi_arena_take(&rfi_sets_state.members.arena, sizeof *w);
    w->next = u->pairs;
    w->pair = pair;
    return u->pairs = w;
}

RFI_FN void rfi_sets_use(const rfi_member *m, const rf_event *e, unsigned flags) {
    rfi_sets *d = &rfi_sets_state;
    rfi_set_unit *u = rfi_sets_thread(e->thread);
    rfi_pair_of_thread *w = rfi_sets_pair(u, m->pair);
    if (w->now.unit != u->number) {
        w->before = w->now;
        w->now = (rfi_use_of_pair){
            .unit = u->number, .start = u->lock ? u->lock : e->site, .from = d->time};
    }
    rfi_doing *use = &w->now.use[m->which];
    if (!use->site || (flags & ~use->flags & RF_EV_WRITES)) *use = rfi_doing_of(e, flags);
    w->now.flags[m->which] |= flags;
    w->now.to = d->time;
    w->now.k = rfi_actor_of(&d->actors, e->thread)->own;
}

RFI_FN void rfi_sets_access(const rf_event *e) {
    rfi_sets *d = &rfi_sets_state;
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    unsigned flags = rfi_touch_flags(e);
    if (from == to || !flags) return;
    bool single = !rfi_sets_thread(e->thread)->depth;
    uintptr_t end = (to - 1) / RFI_GRANULE + 1;
    for (uintptr_t g = from / RFI_GRANULE; (g = rfi_shadow_next(&d->members, g, end)) < end; g++)
        for (const rfi_member *m = rfi_shadow_get(&d->members, g); m; m = m->next) {
            if (!(m->mask & rfi_shadow_mask(g, from, to))) continue;
            rfi_set_unit *u = rfi_sets_thread(e->thread);
            if (single && !u->number) u->number = ++d->units;
            rfi_sets_use(m, e, flags);
        }
    if (single && rfi_sets_thread(e->thread)->number) rfi_sets_unit_end(e->thread);
}

RFI_FN void rfi_sets_forget(const rf_event *e) {
    rfi_shadow *s = &rfi_sets_state.members;
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    if (from == to) return;
    uintptr_t end = (to - 1) / RFI_GRANULE + 1;
    for (uintptr_t g = from / RFI_GRANULE; (g = rfi_shadow_next(s, g, end)) < end; g++)
        for (rfi_member *m = rfi_shadow_get(s, g); m; m = m->next)
            m->mask &= (uint8_t)~rfi_shadow_mask(g, from, to);
}

/* ---- events ---- */

/* Declarations come in twos. */
RFI_FN void rfi_sets_declare(const rf_event *e) {
    rfi_sets *d = &rfi_sets_state;
    bool second = d->half;
    rfi_atomic_pair *p = d->half;
    if (!second) {
        p = rfi_arena_take(&d->members.arena, sizeof *p);
        p->site = e->site;
    }
    d->half = second ? NULL : p;
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    for (uintptr_t g = from / RFI_GRANULE; from < to && g <= (to - 1) / RFI_GRANULE; g++) {
        void **place = rfi_shadow_at(&d->members, g);
        rfi_member *m = rfi_arena_raw(&d->members.arena, sizeof *m);
        *m = (rfi_member){*place, p, second, rfi_shadow_mask(g, from, to)};
        *place = m;
    }
}

RFI_FN void rfi_sets_enter(const rf_event *e) {
    rfi_set_unit *u = rfi_sets_thread(e->thread);
    if (!u->depth++) u->number = ++rfi_sets_state.units;
    if (e->kind == RF_EV_LOCK && !u->lock) u->lock = e->site;
}

RFI_FN void rfi_sets_leave(uint32_t t) {
    rfi_set_unit *u = rfi_sets_thread(t);
    if (u->depth && !--u->depth) rfi_sets_unit_end(t);
}

/* The first declaration: from here on all is followed. */
RFI_FN RFI_COLD void rfi_sets_start(void) {
    rfi_sets *d = &rfi_sets_state;
    d->on = true;
    d->time = d->units = 0;
    d->half = NULL;
    d->threads = 0;
    rfi_shadow_reset(&d->members);
    rfi_order_begin(&d->order, RFI_RELAXED, &d->actors);
    for (uint32_t t = 0; t < rf_threads(); t++)
        if (rf_thread_alive(t) && (rfi_sets_thread(t)->depth = rf_thread_locks(t, NULL, 0)) != 0)
            rfi_sets_thread(t)->number = ++d->units;
}

/* An event, as `user` gets it. */
RFI_FN void rfi_sets_event(const void *user, const rf_event *e) {
    rfi_sets *d = &rfi_sets_state;
    if (d->driver != user) return;
    if (!d->on) {
        if (e->kind != RF_EV_SET) return;
        rfi_sets_start();
    }
    d->time++;
    switch (e->kind) {
    case RF_EV_SET: rfi_sets_declare(e); break;
    case RF_EV_BLOCK: rfi_sets_enter(e); break;
    case RF_EV_BLOCK_END: rfi_sets_leave(e->thread); break;
    case RF_EV_LOCK: rfi_sets_enter(e); break;
    case RF_EV_UNLOCK: rfi_sets_leave(e->thread); break;
    case RF_EV_LOAD:
    case RF_EV_STORE:
    case RF_EV_RMW:
    case RF_EV_FREE:
        rfi_order_before(&d->order, e);
        rfi_sets_access(e);
        rfi_order_after(&d->order, e);
        break;
    case RF_EV_ALLOC:
    case RF_EV_RECYCLE:
        rfi_sets_forget(e);
        rfi_order_after(&d->order, e);
        break;
    default: rfi_order_event(&d->order, e);
    }
}

/* ---- what is reported ---- */

RFI_FN void rfi_sets_warn(const char *by, const rfi_atomic_pair *p, const rfi_set_view *gap,
                          const rfi_set_view *unit, bool real) {
    unsigned a = gap->before.use[1].site != NULL;
    rf_warning w = {.family = RF_FAMILY_ATOMIC_SET, .by = by, .real = real, .places = 5};
    w.place[0] = (rf_place){.site = p->site, .role = "set", .thread = UINT32_MAX};
    w.place[1] = rfi_doing_place(&gap->before.use[a]);
    w.place[2] = rfi_doing_place(&unit->unit.use[a]);
    w.place[3] = rfi_doing_place(&unit->unit.use[1 - a]);
    w.place[4] = rfi_doing_place(&gap->unit.use[1 - a]);
    w.target[0] = rf_site_key(p->site);
    w.target[1] = rf_site_key(gap->unit.start);
    w.target[2] = rf_site_key(unit->unit.start);
    w.targets = 3;
    w.telling = 2;
    w.text = real ? "A thread used one of the two objects and later the other; in between another "
                    "thread used both."
                  : "A thread uses one of the two objects and later the other; in between another "
                    "thread can use both.";
    rf_warn(&w);
}

RFI_FN void rfi_atomicset_torn(const rfi_atomic_pair *p, const rfi_set_view *gap,
                               const rfi_set_view *unit, bool real) {
    rfi_sets_warn("atomicset", p, gap, unit, real);
}

RFI_FN void rfi_atomicset_begin(void) {
    rfi_sets_begin(&rfi_sets_state);
    rfi_sets_state.torn = rfi_atomicset_torn;
}

RFI_FN void rfi_atomicset_event(const rf_event *e) { rfi_sets_event(&rfi_sets_state, e); }
RFI_FN void rfi_atomicset_end(void) { rfi_sets_end(&rfi_sets_state); }

static rf_analysis rfi_atomicset_analysis RFI_UNUSED = {
    .name = "atomicset",
    .help = "objects that belong together and are used apart",
    .events = RFI_SETS_EVENTS,
    .wakes = RF_EV_BIT(RF_EV_SET),
    .begin = rfi_atomicset_begin,
    .event = rfi_atomicset_event,
    .end = rfi_atomicset_end};
#endif
#endif

/* ==== edit src/detect/atomizer.h ========================= >>detect/atomizer */
/* detect/atomizer.h: the reduction of atomic blocks (Lipton, CACM 1975) as Atomizer does it
 * (Flanagan and Freund, POPL 2004).
 *
 * A block is atomic if its operations are right movers (they may happen later), then at most one
 * that is no mover, then left movers (they may happen earlier), with both movers anywhere.  Each
 * instance is before its commit point or behind it; it commits at its first operation that does not
 * move right, and one behind that which does not move left is an error:
 *   right  taking a lock, waking up with one, joining, taking a semaphore's token, going on from a
 *          barrier, entering a once function
 *   left   releasing a lock, waiting with one, creating, signalling, posting, arriving, ending a
 *          once function
 *   both   inner operations of a recursive lock; a lock that only one thread has used so far, that
 *          was only taken for reading, or that was always taken under the same outer lock; memory
 * that one thread alone has used, that is only read, or that is protected; fences, allocation none
 * all other accesses, plain or atomic Memory is protected while the locks common to all its
 * accesses are some (Eraser: Savage et al., TOCS 1997, with its state machine).  If only its writes
 * have locks in common, a read under one of them moves both ways, and every other access not at
 * all.
 *
 * Guarantee: none alone.  What is known so far classifies an operation, so a block that comes early
 * may pass, and reduction is sufficient for atomicity, not necessary.  Blocks that were torn apart
 * in this very execution are told as real, by the rule of blocks.h.
 */
#ifndef RFI_DETECT_ATOMIZER_H
#define RFI_DETECT_ATOMIZER_H

#ifdef RFI_IMPL
/* Some locks; it only ever shrinks. */
typedef struct rfi_common {
    uint32_t *lock;
    uint32_t n;
} rfi_common;

/* Eraser's states. */
typedef enum rfi_use { RFI_USE_ONE, RFI_USE_READ, RFI_USE_WRITTEN } rfi_use;

/* Some bytes of a granule. */
typedef struct rfi_used {
    struct rfi_used *next;
    rfi_common all,
        writes;     /* locks common to all accesses, to all writes, since the second thread */
    uint32_t owner; /* the only thread so far */
    uint8_t mask;
    uint8_t use;
    bool written; /* `writes` counts */
} rfi_used;

typedef struct rfi_outer {
    rfi_common all; /* held whenever the lock was taken */
    uint32_t user;  /* thread + 1; 0: none so far */
    bool shared;    /* by several threads */
    bool written;   /* taken, not only for reading */
} rfi_outer;

typedef struct rfi_atomizer {
    bool on;
    rfi_arena arena;
    rfi_shadow memory; /* granule -> rfi_used list */
    rfi_outer *lock;   /* by number */
    uint32_t locks, capacity;
} rfi_atomizer;

static rfi_atomizer rfi_atomizer_state RFI_UNUSED;

typedef enum rfi_mover { RFI_BOTH, RFI_RIGHT, RFI_LEFT, RFI_NONE } rfi_mover;

/* ---- sets of locks ---- */

/* Does thread `t` hold `object`, or hold it for writing, if that is asked? */
RFI_FN bool rfi_common_held(uint32_t t, uint32_t object, bool exclusive) {
    const rfi_block_thread *w = rfi_blocks_thread(t);
    for (uint32_t i = 0; i < w->held_count; i++)
        if (w->held[i].object == object && !(exclusive && w->held[i].shared)) return true;
    return false;
}

/* What `t` holds, but for one lock. */
RFI_FN rfi_common rfi_common_of(uint32_t t, bool exclusive, uint32_t but) {
    const rfi_block_thread *w = rfi_blocks_thread(t);
    rfi_common c = {NULL, 0};
    if (!w->held_count) return c;
    c.lock = rfi_arena_raw(&rfi_atomizer_state.arena, w->held_count * sizeof *c.lock);
    for (uint32_t i = 0; i < w->held_count; i++)
        if (w->held[i].object != but && !(exclusive && w->held[i].shared))
            c.lock[c.n++] = w->held[i].object;
    return c;
}

RFI_FN rfi_common rfi_common_copy(const rfi_common *a) {
    rfi_common c = {NULL, a->n};
    if (!a->n) return c;
    c.lock = rfi_arena_raw(&rfi_atomizer_state.arena, a->n * sizeof *c.lock);
    memcpy(c.lock, a->lock, a->n * sizeof *c.lock);
    return c;
}

RFI_FN void rfi_common_cut(rfi_common *c, uint32_t t, bool exclusive) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n; i++)
        if (rfi_common_held(t, c->lock[i], exclusive)) c->lock[n++] = c->lock[i];
    c->n = n;
}

/* ---- locks ---- */

RFI_FN rfi_outer *rfi_atomizer_lock(uint32_t object) {
    rfi_atomizer *d = &rfi_atomizer_state;
    d->lock = rfi_grow(d->lock, &d->capacity, object + 1, sizeof *d->lock);
    while (d->locks <= object) d->lock[d->locks++] = (rfi_outer){.user = 0};
    return &d->lock[object];
}

/* `e` has taken a lock. */
RFI_FN void rfi_atomizer_taken(const rf_event *e) {
    rfi_outer *l = rfi_atomizer_lock(e->object);
    if (!l->user)
        l->all = rfi_common_of(e->thread, true, e->object);
    else
        rfi_common_cut(&l->all, e->thread, true);
    l->shared |= l->user && l->user != e->thread + 1;
    l->written |= !(e->flags & RF_EV_SHARED);
    l->user = e->thread + 1;
}

/* Taking or releasing it, by what is known so far. */
RFI_FN rfi_mover rfi_atomizer_section(const rf_event *e, rfi_mover mover) {
    const rfi_outer *l = rfi_atomizer_lock(e->object);
    return !l->shared || !l->written || l->all.n ? RFI_BOTH : mover;
}

/* ---- memory ---- */

/* Takes an access into account. */
RFI_FN void rfi_used_note(rfi_used *u, uint32_t t, bool writes) {
    if (u->use == RFI_USE_ONE) {
        if (u->owner == t) return;
        u->use = writes ? RFI_USE_WRITTEN : RFI_USE_READ;
        u->all = rfi_common_of(t, writes, 0);
    } else {
        if (writes) u->use = RFI_USE_WRITTEN;
        rfi_common_cut(&u->all, t, writes);
    }
    if (!writes) return;
    if (u->written)
        rfi_common_cut(&u->writes, t, true);
    else
        u->writes = rfi_common_of(t, true, 0);
    u->written = true;
}

RFI_FN rfi_mover rfi_used_mover(const rfi_used *u, uint32_t t, bool writes) {
    if (u->use != RFI_USE_WRITTEN || u->all.n) return RFI_BOTH;
    for (uint32_t i = 0; i < u->writes.n && !writes; i++)
        if (rfi_common_held(t, u->writes.lock[i], false)) return RFI_BOTH;
    return RFI_NONE;
}

/* Of some bytes of a granule; those that were not used before get an entry. */
RFI_FN rfi_mover rfi_atomizer_granule(uintptr_t g, uint8_t mask, uint32_t t, bool writes) {
    rfi_atomizer *d = &rfi_atomizer_state;
    void **place = rfi_shadow_at(&d->memory, g);
    rfi_mover mover = RFI_BOTH;
    uint8_t rest = mask;
    for (rfi_used *u = *place; u; u = u->next) {
        if (!(u->mask & mask)) continue;
        rest &= (uint8_t)~u->mask;
        if (u->mask & ~mask) { /* the others keep their history */
            rfi_used *other = rfi_arena_raw(&d->memory.arena, sizeof *other);
            *other = *u;
            other->mask &= (uint8_t)~mask;
            u->mask &= mask;
            u->next = other;
            other->all = rfi_common_copy(&u->all);
            other->writes = rfi_common_copy(&u->writes);
        }
        rfi_used_note(u, t, writes);
        if (rfi_used_mover(u, t, writes) == RFI_NONE) mover = RFI_NONE;
    }
    if (!rest) return mover;
    rfi_used *u = rfi_arena_take(&d->memory.arena, sizeof *u);
    *u = (rfi_used){.next = *place, .owner = t, .mask = rest};
    *place = u;
    return mover;
}

RFI_FN rfi_mover rfi_atomizer_access(const rf_event *e) {
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    rfi_mover mover = RFI_BOTH;
    if (from == to || e->flags & RF_EV_RACY) return mover;
    for (uintptr_t g = from / RFI_GRANULE; g <= (to - 1) / RFI_GRANULE; g++)
        if (rfi_atomizer_granule(g, rfi_shadow_mask(g, from, to), e->thread,
                                 e->flags & RF_EV_WRITES) == RFI_NONE)
            mover = RFI_NONE;
    return mover;
}

RFI_FN void rfi_atomizer_forget(const rf_event *e) {
    rfi_shadow *s = &rfi_atomizer_state.memory;
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    if (from == to) return;
    uintptr_t end = (to - 1) / RFI_GRANULE + 1;
    for (uintptr_t g = from / RFI_GRANULE; (g = rfi_shadow_next(s, g, end)) < end; g++) {
        rfi_used *list = rfi_shadow_get(s, g);
        for (rfi_used **link = &list; *link;) {
            (*link)->mask &= (uint8_t)~rfi_shadow_mask(g, from, to);
            if ((*link)->mask)
                link = &(*link)->next;
            else
                *link = (*link)->next;
        }
        *rfi_shadow_at(s, g) = list;
    }
}

/* ---- the reduction ---- */

RFI_FN RFI_COLD void rfi_atomizer_report(const rfi_instance *b, const rf_event *e) {
    rf_warning w = rfi_block_warning("atomizer", b, e->site);
    rfi_doing error = rfi_doing_of(e, e->flags & (RF_EV_READS | RF_EV_WRITES));
    w.text =
        "The block goes on behind its commit point with a step that others can disturb: it need "
        "not look as if it ran at once.";
    w.places = 3;
    w.place[1] = rfi_doing_place(&b->commit);
    w.place[1].role = "commits";
    w.place[2] = rfi_doing_place(&error);
    if (!w.place[2].flags) w.place[2].role = "goes on";
    rf_warn(&w);
}

/* One operation of a thread, in all the blocks that it is in. */
RFI_FN void rfi_atomizer_step(const rf_event *e, rfi_mover mover) {
    bool told = false;
    if (mover == RFI_BOTH) return;
    for (rfi_instance *b = rfi_block_of(e->thread); b; b = b->outer) {
        if (b->silent) continue;
        if (!b->post) {
            if (mover == RFI_RIGHT) continue;
            b->post = true;
            b->commit = rfi_doing_of(e, e->flags & (RF_EV_READS | RF_EV_WRITES));
        } else if (mover != RFI_LEFT) {
            b->silent = true;
            if (!told) rfi_atomizer_report(b, e);
            told = true;
        }
    }
}

/* clang-format off */
# define RFI_ATOMIZER_EVENTS \
    (RFI_BLOCKS_EVENTS | RF_EV_BIT(RF_EV_SIGNAL) | RF_EV_BIT(RF_EV_BROADCAST) | \
     RF_EV_BIT(RF_EV_SEM_WAIT) | RF_EV_BIT(RF_EV_SEM_POST) | RF_EV_BIT(RF_EV_ARRIVE) | \
     RF_EV_BIT(RF_EV_DEPART) | RF_EV_BIT(RF_EV_ONCE) | RF_EV_BIT(RF_EV_ONCE_DONE) | \
     RF_EV_BIT(RF_EV_CREATE) | RF_EV_BIT(RF_EV_JOIN))
/* clang-format on */

RFI_FN rfi_mover rfi_atomizer_mover(const rf_event *e) {
    switch (e->kind) {
    case RF_EV_LOAD:
    case RF_EV_STORE:
    case RF_EV_RMW: return rfi_atomizer_access(e);
    case RF_EV_LOCK: rfi_atomizer_taken(e); return rfi_atomizer_section(e, RFI_RIGHT);
    case RF_EV_UNLOCK: return rfi_atomizer_section(e, RFI_LEFT);
    case RF_EV_SEM_WAIT:
    case RF_EV_DEPART:
    case RF_EV_ONCE:
    case RF_EV_JOIN: return RFI_RIGHT;
    case RF_EV_SIGNAL:
    case RF_EV_BROADCAST:
    case RF_EV_SEM_POST:
    case RF_EV_ARRIVE:
    case RF_EV_ONCE_DONE:
    case RF_EV_CREATE: return RFI_LEFT;
    case RF_EV_FREE:
    case RF_EV_ALLOC:
    case RF_EV_RECYCLE: rfi_atomizer_forget(e); return RFI_BOTH;
    default: return RFI_BOTH;
    }
}

/* ---- events ---- */

RFI_FN RFI_COLD void rfi_atomizer_start(void) {
    rfi_atomizer *d = &rfi_atomizer_state;
    d->on = true;
    d->locks = 0;
    rfi_shadow_reset(&d->memory);
    rfi_arena_reset(&d->arena);
}

RFI_FN void rfi_atomizer_violated(const rfi_violation *v) { rfi_violation_warn("atomizer", v); }

RFI_FN void rfi_atomizer_begin(void) {
    rfi_blocks_begin(&rfi_atomizer_state);
    rfi_blocks_state.violated = rfi_atomizer_violated;
    rfi_atomizer_state.on = false;
}

RFI_FN void rfi_atomizer_event(const rf_event *e) {
    rfi_atomizer *d = &rfi_atomizer_state;
    rfi_blocks_event(d, e);
    if (!d->on) rfi_atomizer_start();
    rfi_atomizer_step(e, rfi_atomizer_mover(e));
}

RFI_FN void rfi_atomizer_end(void) { rfi_blocks_end(&rfi_atomizer_state); }

static rf_analysis rfi_atomizer_analysis RFI_UNUSED = {
    .name = "atomizer",
    .help = "atomic blocks that do not reduce to one step, or were torn apart",
    .events = RFI_ATOMIZER_EVENTS,
    .wakes = RF_EV_BIT(RF_EV_BLOCK),
    .begin = rfi_atomizer_begin,
    .event = rfi_atomizer_event,
    .end = rfi_atomizer_end};
#endif
#endif

/* ==== edit src/detect/breakpoint.h ======================= >>detect/breakpoint */
/* detect/breakpoint.h: which concurrent breakpoints two threads may meet at.
 *
 * Concurrent breakpoints (Joshi, Naik, Park and Sen, CAV 2009): a name stands for a pair of
 * statements.  When two threads have come to breakpoints of one name with one address, or with
 * NULL, which goes with every address, the name is worth a try: explore/breakpoint.h has the two
 * stand there at once.  It is no fault by itself.
 */
#ifndef RFI_DETECT_BREAKPOINT_H
#define RFI_DETECT_BREAKPOINT_H

#ifdef RFI_IMPL
/* Somebody was there. */
typedef struct rfi_visit {
    const rf_site *site; /* NULL: nobody */
    uint32_t thread;
} rfi_visit;

/* The first visit of all to breakpoints of a name with an address, and the first one by another
 * thread: whoever comes next, one of the two is by somebody else. */
typedef struct rfi_visits {
    rfi_visit visit[2];
} rfi_visits;

static struct rfi_visited {
    rfi_map place; /* name, address -> index of its visits + 1 */
    rfi_map met;   /* names that were reported */
    rfi_visits *visits;
    uint32_t count, capacity;
} rfi_visited RFI_UNUSED;

RFI_FN void rfi_visited_begin(void) {
    rfi_map_reset(&rfi_visited.place);
    rfi_map_reset(&rfi_visited.met);
    rfi_visited.count = 0;
}

/* The visits under a key. */
RFI_FN rfi_visits *rfi_visits_at(uint64_t key) {
    struct rfi_visited *v = &rfi_visited;
    uint64_t *place = rfi_map_at(&v->place, key);
    if (!*place) {
        v->visits = rfi_grow(v->visits, &v->capacity, v->count + 1, sizeof *v->visits);
        v->visits[v->count] = (rfi_visits){{{NULL, 0}, {NULL, 0}}};
        *place = ++v->count;
    }
    return &v->visits[*place - 1];
}

/* Who has been there and is not the thread of `e`; NULL: nobody. */
RFI_FN const rfi_visit *rfi_visit_of_another(uint64_t key, const rf_event *e) {
    const rfi_visits *v = rfi_visits_at(key);
    for (unsigned i = 0; i < 2; i++)
        if (v->visit[i].site && v->visit[i].thread != e->thread) return &v->visit[i];
    return NULL;
}

RFI_FN void rfi_visit_add(uint64_t key, const rf_event *e) {
    rfi_visits *v = rfi_visits_at(key);
    unsigned i = v->visit[0].site != NULL;
    if (!v->visit[i].site && !(i && v->visit[0].thread == e->thread))
        v->visit[i] = (rfi_visit){e->site, e->thread};
}

RFI_FN void rfi_visited_report(const rfi_visit *v, const rf_event *e, uint64_t name) {
    rf_warning w = {.family = RF_FAMILY_BREAKPOINT,
                    .by = "breakpoint",
                    .text = "Two threads stand at breakpoints of one name at the same moment. That "
                            "alone is no fault.",
                    .places = 2,
                    .targets = 1,
                    .target = {name},
                    .place = {{.site = v->site, .role = "stands at", .thread = v->thread},
                              {.site = e->site, .role = "stands at", .thread = e->thread}}};
    rf_warn(&w);
}

RFI_FN void rfi_visited_event(const rf_event *e) {
    uint64_t name = rf_name_key(e->text), *met = rfi_map_at(&rfi_visited.met, name);
    if (*met) return;
    uint64_t any = name, without = rfi_mix(name + RFI_GOLDEN), at = without + (uintptr_t)e->addr;
    const rfi_visit *v = rfi_visit_of_another(e->addr ? at : any, e);
    if (!v && e->addr) v = rfi_visit_of_another(without, e);
    *met = v != NULL;
    if (v) rfi_visited_report(v, e, name);
    rfi_visit_add(at, e);
    rfi_visit_add(any, e);
}

static rf_analysis rfi_breakpoint_analysis RFI_UNUSED = {
    .name = "breakpoint",
    .help = "breakpoints of one name that two threads come to",
    .events = RF_EV_BIT(RF_EV_BREAK),
    .begin = rfi_visited_begin,
    .event = rfi_visited_event};
#endif
#endif

/* ==== edit src/detect/lockset.h ========================== >>detect/lockset */
/* detect/lockset.h: which locks each thread holds (docs/internals.md, Two relations).
 *
 * Sets are interned: a set is a small number, equal sets have equal numbers, 0 is the empty set.
 * Taking or releasing a lock is one look-up in a table of transitions, and whether two sets protect
 * from each other is decided once for each pair of sets.  Nothing is kept from one execution to the
 * next.
 *
 * Invariant: the elements of a set ascend.  A lock held for reading twice stands in it twice, so
 * that the first of the two releases does not lose it.
 */
#ifndef RFI_DETECT_LOCKSET_H
#define RFI_DETECT_LOCKSET_H

#ifdef RFI_IMPL
/* An element: number of the lock * 2 + (held for reading). */
typedef struct rfi_lockset {
    uint32_t *lock;
    uint32_t n;
    uint32_t next;   /* set whose contents have the same hash; 0: none */
    uint64_t filter; /* bit (number mod 64) of every lock: disjoint filters, disjoint sets */
} rfi_lockset;

typedef struct rfi_lockset_table {
    rfi_arena arena;
    rfi_lockset *set;
    uint32_t count, capacity;
    uint32_t *held; /* by thread */
    uint32_t threads, held_capacity;
    rfi_map by_content; /* hash -> set */
    rfi_map transition; /* set, lock, what is done with it -> set + 1 */
    rfi_map verdict;    /* two sets -> protected + 1 */
    rfi_map order;      /* two sets -> within + 1 */
    rfi_map common;     /* two sets, mode -> set + 1 */
} rfi_lockset_table;

static rfi_lockset_table rfi_locksets RFI_UNUSED;

RFI_FN void rfi_locksets_begin(void) {
    rfi_lockset_table *l = &rfi_locksets;
    rfi_arena_reset(&l->arena);
    rfi_map_reset(&l->by_content);
    rfi_map_reset(&l->transition);
    rfi_map_reset(&l->verdict);
    rfi_map_reset(&l->order);
    rfi_map_reset(&l->common);
    l->set = rfi_grow(l->set, &l->capacity, 1, sizeof *l->set);
    l->set[0] = (rfi_lockset){0};
    l->count = 1;
    l->threads = 0;
}

/* The number of the set with these elements, which stand in the arena. */
RFI_FN uint32_t rfi_lockset_intern(uint32_t *lock, uint32_t n) {
    rfi_lockset_table *l = &rfi_locksets;
    if (!n) return 0;
    rfi_lockset made = {.lock = lock, .n = n};
    uint64_t hash = n;
    for (uint32_t i = 0; i < n; i++) {
        hash = rfi_mix(hash + RFI_GOLDEN + lock[i]);
        made.filter |= UINT64_C(1) << (lock[i] / 2 % 64);
    }
    uint64_t *first = rfi_map_at(&l->by_content, hash);
    for (uint32_t s = (uint32_t)*first; s; s = l->set[s].next)
        if (l->set[s].n == n && !memcmp(l->set[s].lock, lock, n * sizeof *lock)) return s;
    made.next = (uint32_t)*first;
    l->set = rfi_grow(l->set, &l->capacity, l->count + 1, sizeof *l->set);
    l->set[l->count] = made;
    *first = l->count;
    return l->count++;
}

RFI_FN RFI_COLD uint32_t rfi_lockset_with(uint32_t set, uint32_t element) {
    const rfi_lockset *s = &rfi_locksets.set[set];
    uint32_t *lock = rfi_arena_take(&rfi_locksets.arena, (s->n + 1) * sizeof *lock), n = 0;
    for (; n < s->n && s->lock[n] < element; n++) lock[n] = s->lock[n];
    lock[n] = element;
    for (; n < s->n; n++) lock[n + 1] = s->lock[n];
    return rfi_lockset_intern(lock, n + 1);
}

/* Without one element of this lock, in whatever mode: a thread holds it in one mode only. */
RFI_FN RFI_COLD uint32_t rfi_lockset_without(uint32_t set, uint32_t object) {
    const rfi_lockset *s = &rfi_locksets.set[set];
    uint32_t *lock = rfi_arena_take(&rfi_locksets.arena, (s->n + 1) * sizeof *lock), n = 0;
    bool found = false;
    for (uint32_t i = 0; i < s->n; i++) {
        if (!found && s->lock[i] / 2 == object)
            found = true;
        else
            lock[n++] = s->lock[i];
    }
    return found ? rfi_lockset_intern(lock, n) : set;
}

/* What thread `t` holds now. */
RFI_INLINE uint32_t rfi_lockset_of(uint32_t t) {
    return t < rfi_locksets.threads ? rfi_locksets.held[t] : 0;
}

enum { RFI_LOCK_TAKE, RFI_LOCK_SHARE, RFI_LOCK_RELEASE };

/* The set after one of these is done with a lock. */
RFI_FN uint32_t rfi_lockset_after(uint32_t set, uint32_t object, unsigned act) {
    uint64_t key = (uint64_t)set << 34 | (uint64_t)object << 2 | act;
    uint64_t *to = rfi_map_at(&rfi_locksets.transition, key);
    if (RFI_UNLIKELY(!*to))
        *to = 1 + (act == RFI_LOCK_RELEASE ? rfi_lockset_without(set, object)
                                           : rfi_lockset_with(set, object * 2 + act));
    return (uint32_t)*to - 1;
}

/* Takes LOCK and UNLOCK; inner locks of a recursive mutex are other events. */
RFI_FN void rfi_locksets_event(const rf_event *e) {
    rfi_lockset_table *l = &rfi_locksets;
    l->held = rfi_grow(l->held, &l->held_capacity, e->thread + 1, sizeof *l->held);
    while (l->threads <= e->thread) l->held[l->threads++] = 0;
    unsigned act = e->kind == RF_EV_UNLOCK   ? RFI_LOCK_RELEASE
                   : e->flags & RF_EV_SHARED ? RFI_LOCK_SHARE
                                             : RFI_LOCK_TAKE;
    l->held[e->thread] = rfi_lockset_after(l->held[e->thread], e->object, act);
}

RFI_FN bool rfi_lockset_meet(const rfi_lockset *a, const rfi_lockset *b) {
    for (uint32_t i = 0, k = 0; i < a->n && k < b->n;) {
        uint32_t x = a->lock[i], y = b->lock[k];
        if (x / 2 == y / 2 && !(x & y & 1)) return true;
        if (x < y)
            i++;
        else
            k++;
    }
    return false;
}

/* The sets have a lock in common that is not held for reading on both sides. */
RFI_FN bool rfi_lockset_protected(uint32_t a, uint32_t b) {
    rfi_lockset_table *l = &rfi_locksets;
    if (!(l->set[a].filter & l->set[b].filter)) return false;
    uint64_t *v = rfi_map_at(&l->verdict, a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a);
    if (!*v) *v = 1 + rfi_lockset_meet(&l->set[a], &l->set[b]);
    return *v == 2;
}

/* Does `b` have every lock of `a`, and exclusively what `a` has exclusively?  Then `b` protects
 * from whatever `a` protects from. */
RFI_FN bool rfi_lockset_covers(const rfi_lockset *a, const rfi_lockset *b) {
    uint32_t k = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        uint32_t x = a->lock[i];
        while (k < b->n && b->lock[k] / 2 < x / 2) k++;
        if (k == b->n || b->lock[k] / 2 != x / 2 || (b->lock[k] & 1) > (x & 1)) return false;
    }
    return true;
}

RFI_FN bool rfi_lockset_within(uint32_t a, uint32_t b) {
    rfi_lockset_table *l = &rfi_locksets;
    if (a == b) return true;
    if (l->set[a].filter & ~l->set[b].filter) return false;
    uint64_t *v = rfi_map_at(&l->order, (uint64_t)a << 32 | b);
    if (!*v) *v = 1 + rfi_lockset_covers(&l->set[a], &l->set[b]);
    return *v == 2;
}

# define RFI_ALL_LOCKS UINT32_C(0x7fffffff) /* the set of all locks there could be */

RFI_FN RFI_COLD uint32_t rfi_lockset_intersect(uint32_t set, uint32_t held, bool exclusive) {
    const rfi_lockset none = {0}, *h = &rfi_locksets.set[held];
    const rfi_lockset *s = set == RFI_ALL_LOCKS ? &none : &rfi_locksets.set[set];
    uint32_t *lock = rfi_arena_take(&rfi_locksets.arena, (h->n + 1) * sizeof *lock), n = 0;
    for (uint32_t i = 0, k = 0; i < h->n; i++) {
        uint32_t x = h->lock[i] & ~UINT32_C(1);
        while (k < s->n && s->lock[k] < x) k++;
        bool there = set == RFI_ALL_LOCKS || (k < s->n && s->lock[k] == x);
        bool twice = n && lock[n - 1] == x;
        if (there && !twice && !(exclusive && h->lock[i] & 1)) lock[n++] = x;
    }
    return rfi_lockset_intern(lock, n);
}

/* The locks of `set` that are among those held; if `exclusive`, held not only for reading.  The
 * result says nothing of modes, and nor must `set`. */
RFI_FN uint32_t rfi_lockset_keep(uint32_t set, uint32_t held, bool exclusive) {
    uint64_t key = (uint64_t)set << 33 | (uint64_t)held << 1 | exclusive;
    uint64_t *to = rfi_map_at(&rfi_locksets.common, key);
    if (RFI_UNLIKELY(!*to)) *to = 1 + rfi_lockset_intersect(set, held, exclusive);
    return (uint32_t)*to - 1;
}

/* Writes the object numbers of at most `limit` locks of a set, ascending; returns how many it has.
 */
RFI_FN uint32_t rfi_lockset_list(uint32_t set, uint32_t *object, uint32_t limit) {
    const rfi_lockset *s = &rfi_locksets.set[set];
    for (uint32_t i = 0; i < s->n && i < limit; i++) object[i] = s->lock[i] / 2;
    return s->n;
}
#endif
#endif

/* ==== edit src/detect/sink.h ============================= >>detect/sink */
/* detect/sink.h: where the race detectors report.
 *
 * A report is two accesses of one location by two threads, one of them a write, that nothing kept
 * apart: either in this very execution (`unordered`: a real race) or in another schedule that the
 * detector predicts.  In one execution each analysis reports a pair of statements at most once.
 */
#ifndef RFI_DETECT_SINK_H
#define RFI_DETECT_SINK_H

#ifdef RFI_IMPL
/* Index 0 is the earlier access, 1 the one that has just been executed. */
typedef struct rfi_race {
    const char *by; /* name of the analysis */
    const rf_site *site[2];
    uint16_t flags[2]; /* RF_EV_READS ... of the event */
    uint32_t thread[2];
    uint32_t size[2];    /* of the whole access, in bytes */
    uint32_t lockset[2]; /* rfi_lockset_list tells the locks, until the next execution begins */
    const void *addr;    /* the lowest byte, of the first eight-byte granule, that both touch */
    bool unordered;      /* by happens-before: a real race; otherwise only predicted */
} rfi_race;

/* Who wants the reports; NULL: nobody.  Called while the second access executes. */
static void (*rfi_race_sink)(const rfi_race *r) RFI_UNUSED;

enum { RFI_REPORTERS = 64 };

/* Analyses that have reported in this execution, in the order of their first report. */
static const char *rfi_race_by[RFI_REPORTERS] RFI_UNUSED;
static unsigned rfi_race_reporters RFI_UNUSED;

/* Pairs of site numbers reported in this execution -> bit set of those analyses. */
static rfi_map rfi_race_seen RFI_UNUSED;

/* An execution begins. */
RFI_FN void rfi_race_begin(void) {
    rfi_race_reporters = 0;
    rfi_map_reset(&rfi_race_seen);
}

RFI_FN RFI_COLD void rfi_race_report(const rfi_race *r) {
    uint64_t a = rfi_site_number(r->site[0]), b = rfi_site_number(r->site[1]);
    unsigned who = 0;
    while (who < rfi_race_reporters && rfi_race_by[who] != r->by) who++;
    if (who == RFI_REPORTERS) rfi_die("more than %u analyses report races", RFI_REPORTERS);
    if (who == rfi_race_reporters) rfi_race_by[rfi_race_reporters++] = r->by;
    uint64_t *seen = rfi_map_at(&rfi_race_seen, a < b ? a << 32 | b : b << 32 | a);
    if (*seen >> who & 1) return;
    *seen |= UINT64_C(1) << who;
    if (rfi_race_sink) rfi_race_sink(r);
}
#endif
#endif

/* ==== edit src/detect/trackers.h ========================= >>detect/trackers */
/* detect/trackers.h: what analyses know in common, kept once for all that run at once.
 *
 * There are three trackers: the clocks of either relation (engine/order.h) and the locks held
 * (detect/lockset.h).  An analysis says at its begin which of them it needs, and calls
 * rfi_track_before() and rfi_track_after() around its own work on every event.  Analyses get events
 * in the order of their begins, so for each kind of event the first one that asks for that kind
 * drives, and the last one closes: whoever runs, each event is taken once.
 *
 * Invariant: when an analysis looks at an event, the trackers have taken it, except for what a
 * write sends: no detector may find another access ordered by the one that it is looking at
 * (docs/internals.md, The event stream).
 */
#ifndef RFI_DETECT_TRACKERS_H
#define RFI_DETECT_TRACKERS_H

#ifdef RFI_IMPL
enum { RFI_TRACK_FULL = 1 << RFI_FULL, RFI_TRACK_RELAXED = 1 << RFI_RELAXED, RFI_TRACK_LOCKS = 4 };

typedef struct rfi_trackers {
    unsigned users;                                            /* analyses between begin and end */
    unsigned active;                                           /* bit set of the above */
    const rf_analysis *first[RF_EV_COUNT], *last[RF_EV_COUNT]; /* users by kind of event */
    rfi_order order[RFI_RELATIONS];
    rfi_actors actors[RFI_RELATIONS];
} rfi_trackers;

static rfi_trackers rfi_tracked RFI_UNUSED;

/* What a user of clocks must ask the engine for, and what one of locks alone. */
/* clang-format off */
# define RFI_TRACK_MEMORY_EVENTS \
    (RF_EV_BIT(RF_EV_LOAD) | RF_EV_BIT(RF_EV_STORE) | RF_EV_BIT(RF_EV_RMW) | \
     RF_EV_BIT(RF_EV_ALLOC) | RF_EV_BIT(RF_EV_FREE) | RF_EV_BIT(RF_EV_RECYCLE))
# define RFI_TRACK_LOCK_EVENTS (RF_EV_BIT(RF_EV_LOCK) | RF_EV_BIT(RF_EV_UNLOCK))
# define RFI_TRACK_EVENTS (RFI_ORDER_EVENTS | RFI_TRACK_MEMORY_EVENTS)
/* clang-format on */

/* An execution begins for `who`, which needs what `what` says. */
RFI_FN void rfi_track_begin(const rf_analysis *who, unsigned what) {
    rfi_trackers *k = &rfi_tracked;
    if (!k->users++) {
        k->active = 0;
        memset(k->first, 0, sizeof k->first);
        rfi_race_begin();
    }
    for (unsigned kind = 0; kind < RF_EV_COUNT; kind++) {
        if (!(who->events & RF_EV_BIT(kind))) continue;
        if (!k->first[kind]) k->first[kind] = who;
        k->last[kind] = who;
    }
    unsigned fresh = what & ~k->active;
    k->active |= what;
    for (unsigned r = 0; r < RFI_RELATIONS; r++)
        if (fresh & 1u << r) rfi_order_begin(&k->order[r], r, &k->actors[r]);
    if (fresh & RFI_TRACK_LOCKS) rfi_locksets_begin();
}

RFI_FN void rfi_track_end(void) { rfi_tracked.users--; }

/* What thread `t` knows in a relation. */
RFI_INLINE const rfi_actor *rfi_track_actor(unsigned relation, uint32_t t) {
    return rfi_actor_of(&rfi_tracked.actors[relation], t);
}

/* A memory event: what an atomic read learns. */
RFI_INLINE void rfi_track_read(const rf_event *e) {
    if (RFI_LIKELY(!(e->flags & RF_EV_ATOMIC)) || !(e->flags & RF_EV_READS)) return;
    for (unsigned r = 0; r < RFI_RELATIONS; r++)
        if (rfi_tracked.active & 1u << r) rfi_order_load(&rfi_tracked.order[r], e);
}

/* What an atomic write sends, and what any other one ends. */
RFI_FN void rfi_track_write(const rf_event *e) {
    bool forget = e->kind == RF_EV_ALLOC || e->kind == RF_EV_RECYCLE;
    uintptr_t from = (uintptr_t)e->addr;
    if (!forget && !(e->flags & RF_EV_WRITES)) return;
    for (unsigned r = 0; r < RFI_RELATIONS; r++) {
        if (!(rfi_tracked.active & 1u << r)) continue;
        if (e->flags & RF_EV_ATOMIC)
            rfi_order_store(&rfi_tracked.order[r], e);
        else
            rfi_order_overwrite(&rfi_tracked.order[r], from, from + e->size);
    }
}

RFI_FN void rfi_track_synchronisation(const rf_event *e) {
    rfi_trackers *k = &rfi_tracked;
    if (k->active & RFI_TRACK_LOCKS && RF_EV_BIT(e->kind) & RFI_TRACK_LOCK_EVENTS)
        rfi_locksets_event(e);
    for (unsigned r = 0; r < RFI_RELATIONS; r++)
        if (k->active & 1u << r) rfi_order_event(&k->order[r], e);
}

/* Is it about memory, and not about an object or a thread? */
RFI_INLINE bool rfi_track_memory(const rf_event *e) {
    return RF_EV_BIT(e->kind) & RFI_TRACK_MEMORY_EVENTS;
}

RFI_INLINE void rfi_track_before(const rf_analysis *who, const rf_event *e) {
    if (rfi_tracked.first[e->kind] != who) return;
    if (RFI_LIKELY(rfi_track_memory(e)))
        rfi_track_read(e);
    else
        rfi_track_synchronisation(e);
}

/* Some thread has used an atomic: plain writes may end a release sequence. */
RFI_INLINE bool rfi_track_atomics(void) {
    const rfi_order *o = rfi_tracked.order;
    return o[RFI_FULL].atomics.regions.used | o[RFI_RELAXED].atomics.regions.used;
}

RFI_INLINE void rfi_track_after(const rf_analysis *who, const rf_event *e) {
    if (!rfi_track_memory(e) || rfi_tracked.last[e->kind] != who) return;
    if (e->flags & RF_EV_ATOMIC || rfi_track_atomics()) rfi_track_write(e);
}
#endif
#endif

/* ==== edit src/detect/places.h =========================== >>detect/places */
/* detect/places.h: what detectors remember of an access besides its time, as one small number.
 *
 * A place is a statement with the thread that executed it, the locks it held, size and flags; equal
 * places have equal numbers within an execution, and 0 is none.  So a detector can keep several of
 * them for every byte, and a loop makes no new ones.
 */
#ifndef RFI_DETECT_PLACES_H
#define RFI_DETECT_PLACES_H

#ifdef RFI_IMPL
typedef struct rfi_place {
    const rf_site *site;
    uint32_t thread, lockset, size;
    uint16_t flags; /* of the event */
    uint32_t next;  /* place of the same hash; 0: none */
} rfi_place;

# define RFI_PLACES_RECENT 256u

typedef struct rfi_place_table {
    rfi_place *place;
    uint32_t count, capacity;
    unsigned users;
    rfi_map by_content;                 /* hash -> place */
    uint32_t recent[RFI_PLACES_RECENT]; /* some of them: most look-ups end here */
} rfi_place_table;

static rfi_place_table rfi_places RFI_UNUSED;

/* Places come from the locks held, so whoever uses them needs RFI_TRACK_LOCKS. */
RFI_FN void rfi_places_begin(void) {
    rfi_place_table *p = &rfi_places;
    if (p->users++) return;
    p->place = rfi_grow(p->place, &p->capacity, 1, sizeof *p->place);
    if (p->count > 1) memset(p->recent, 0, sizeof p->recent);
    p->count = 1; /* number 0 is no site's */
    rfi_map_reset(&p->by_content);
}

RFI_FN void rfi_places_end(void) { rfi_places.users--; }

RFI_INLINE const rfi_place *rfi_place_at(uint32_t number) { return &rfi_places.place[number]; }

RFI_INLINE bool rfi_place_same(const rfi_place *a, const rfi_place *b) {
    return a->site == b->site && a->thread == b->thread && a->lockset == b->lockset &&
           a->size == b->size && a->flags == b->flags;
}

RFI_FN RFI_COLD uint32_t rfi_place_find(const rfi_place *what) {
    rfi_place_table *p = &rfi_places;
    uint64_t hash = rfi_mix((uint64_t)(uintptr_t)what->site ^ (uint64_t)what->flags << 48);
    hash = rfi_mix(hash + ((uint64_t)what->thread << 32 | what->lockset)) + what->size;
    uint64_t *first = rfi_map_at(&p->by_content, hash);
    for (uint32_t n = (uint32_t)*first; n; n = p->place[n].next)
        if (rfi_place_same(&p->place[n], what)) return n;
    p->place = rfi_grow(p->place, &p->capacity, p->count + 1, sizeof *p->place);
    p->place[p->count] = *what;
    p->place[p->count].next = (uint32_t)*first;
    *first = p->count;
    return p->count++;
}

/* The place of an access that executes. */
RFI_INLINE uint32_t rfi_place_now(const rf_site *site, uint32_t thread, size_t size,
                                  uint16_t flags) {
    rfi_place_table *p = &rfi_places;
    rfi_place what = {.site = site,
                      .thread = thread,
                      .lockset = rfi_lockset_of(thread),
                      .size = (uint32_t)size,
                      .flags = flags};
    uint32_t hash = site->slot + thread * 31 + what.lockset * 17;
    uint32_t *recent = &p->recent[hash % RFI_PLACES_RECENT];
    if (RFI_UNLIKELY(!rfi_place_same(&p->place[*recent], &what))) *recent = rfi_place_find(&what);
    return *recent;
}

RFI_INLINE uint32_t rfi_place_of(const rf_event *e) {
    return rfi_place_now(e->site, e->thread, e->size, e->flags);
}

/* Reports that the accesses at two places race; the earlier first. */
RFI_FN RFI_COLD void rfi_place_report(const rf_analysis *by, uint32_t earlier, uint32_t later,
                                      uintptr_t addr, bool unordered) {
    const rfi_place *a = rfi_place_at(earlier), *b = rfi_place_at(later);
    rfi_race r = {.by = by->name,
                  .site = {a->site, b->site},
                  .flags = {a->flags, b->flags},
                  .thread = {a->thread, b->thread},
                  .size = {a->size, b->size},
                  .lockset = {a->lockset, b->lockset},
                  .addr = (const void *)addr,
                  .unordered = unordered};
    rfi_race_report(&r);
}
#endif
#endif

/* ==== edit src/detect/choi.h ============================= >>detect/choi */
/* detect/choi.h: precise lockset detection (Choi et al., PLDI 2002), called "lockset", in complete
 * pair mode.
 *
 * Two accesses of a byte by two threads race when one of them writes and no lock protects them from
 * each other.  No order is known, not even that of start and join.
 *
 * A location keeps one record for each way in which a statement accesses it.  Their optimisations,
 * with the statement in each of them so that no pair is lost:
 *   - weaker-than: an access by the thread of a record with the same statement, no more locks, no
 *     more bytes, and a write if the access is one, adds nothing: it is dropped before it is
 *     compared.  Records that a new one is weaker than go;
 *   - a record whose like comes from a second thread stands for several threads from then on, so
 *     the number of records does not grow with that of threads.
 *
 * Guarantee: of the code that was executed no race is missed, whatever the schedule, if locks are
 * what keeps accesses apart.  All that is ordered otherwise is reported.
 */
#ifndef RFI_DETECT_CHOI_H
#define RFI_DETECT_CHOI_H

#ifdef RFI_IMPL
typedef struct rfi_tuple {
    struct rfi_tuple *next;
    uint32_t place, other; /* other: the same by another thread, any of them; 0: by none so far */
    uint8_t mask;          /* bytes of the granule */
} rfi_tuple;

typedef struct rfi_choi {
    rfi_shadow shadow; /* granule -> rfi_tuple list, newest first */
    rfi_tuple *spare;
} rfi_choi;

static const rf_analysis rfi_choi_analysis;
static rfi_choi rfi_choi_state RFI_UNUSED;

RFI_FN void rfi_tuple_drop(rfi_tuple *a) {
    a->next = rfi_choi_state.spare;
    rfi_choi_state.spare = a;
}

/* But for the threads: whatever races with `b` races with `a`, and is the same pair. */
RFI_INLINE bool rfi_place_weaker(const rfi_place *a, const rfi_place *b) {
    return a->site == b->site && !(b->flags & ~a->flags & RF_EV_WRITES) &&
           !(a->flags & ~b->flags & RF_EV_ATOMIC) && rfi_lockset_within(a->lockset, b->lockset);
}

RFI_INLINE bool rfi_tuple_weaker(const rfi_tuple *a, const rfi_place *b, uint8_t mask) {
    const rfi_place *p = rfi_place_at(a->place);
    return !(mask & ~a->mask) && (a->other || p->thread == b->thread) && rfi_place_weaker(p, b);
}

RFI_FN void rfi_choi_compare(const rfi_tuple *a, const rfi_tuple *b, uintptr_t granule) {
    const rfi_place *now = rfi_place_at(b->place), *then = rfi_place_at(a->place);
    uint32_t earlier = then->thread == now->thread ? a->other : a->place;
    uint8_t both = a->mask & b->mask;
    if (!earlier || !both || !((then->flags | now->flags) & RF_EV_WRITES) ||
        (then->flags & now->flags & RF_EV_ATOMIC) ||
        rfi_lockset_protected(then->lockset, now->lockset))
        return;
    rfi_place_report(&rfi_choi_analysis, earlier, b->place,
                     granule * RFI_GRANULE + (unsigned)__builtin_ctz(both), false);
}

/* The record that `now` is like in all but the thread. */
RFI_FN rfi_tuple *rfi_tuple_twin(rfi_tuple *list, const rfi_tuple *now) {
    const rfi_place *b = rfi_place_at(now->place);
    for (; list; list = list->next) {
        const rfi_place *a = rfi_place_at(list->place);
        if (list->mask == now->mask && a->site == b->site && a->lockset == b->lockset &&
            a->flags == b->flags)
            return list;
    }
    return NULL;
}

RFI_FN void rfi_choi_granule(const rfi_tuple *now, uintptr_t granule, void **place) {
    const rfi_place *b = rfi_place_at(now->place);
    rfi_tuple *list = *place, *a;
    for (a = list; a; a = a->next)
        if (rfi_tuple_weaker(a, b, now->mask)) return;
    for (a = list; a; a = a->next) rfi_choi_compare(a, now, granule);
    rfi_tuple *twin = rfi_tuple_twin(list, now);
    if (twin) {
        twin->other = now->place;
        return;
    }
    for (rfi_tuple **link = &list; (a = *link);) {
        const rfi_place *p = rfi_place_at(a->place);
        bool goes = !a->other && p->thread == b->thread && !(a->mask & ~now->mask) &&
                    rfi_place_weaker(b, p);
        if (goes) {
            *link = a->next;
            rfi_tuple_drop(a);
        } else {
            link = &a->next;
        }
    }
    a = rfi_choi_state.spare;
    if (a)
        rfi_choi_state.spare = a->next;
    else
        a = rfi_arena_raw(&rfi_choi_state.shadow.arena, sizeof *a);
    *a = *now;
    a->next = list;
    *place = a;
}

RFI_FN void rfi_choi_access(const rf_event *e) {
    rfi_tuple now = {.place = rfi_place_of(e)};
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    for (uintptr_t g = from / RFI_GRANULE; g <= (to - 1) / RFI_GRANULE; g++) {
        now.mask = rfi_shadow_mask(g, from, to);
        rfi_choi_granule(&now, g, rfi_shadow_at(&rfi_choi_state.shadow, g));
    }
}

/* The range [from, to) is something new now. */
RFI_FN void rfi_choi_forget(uintptr_t from, uintptr_t to) {
    rfi_shadow *s = &rfi_choi_state.shadow;
    uintptr_t end = (to - 1) / RFI_GRANULE + 1;
    for (uintptr_t g = from / RFI_GRANULE; (g = rfi_shadow_next(s, g, end)) < end; g++) {
        rfi_tuple *list = rfi_shadow_get(s, g), *a;
        for (rfi_tuple **link = &list; (a = *link);) {
            a->mask &= (uint8_t)~rfi_shadow_mask(g, from, to);
            if (a->mask) {
                link = &a->next;
                continue;
            }
            *link = a->next;
            rfi_tuple_drop(a);
        }
        *rfi_shadow_at(s, g) = list;
    }
}

/* ---- events ---- */

RFI_FN void rfi_choi_begin(void) {
    rfi_shadow_reset(&rfi_choi_state.shadow);
    rfi_choi_state.spare = NULL;
    rfi_track_begin(&rfi_choi_analysis, RFI_TRACK_LOCKS);
    rfi_places_begin();
}

RFI_FN void rfi_choi_event(const rf_event *e) {
    rfi_track_before(&rfi_choi_analysis, e);
    if (e->kind == RF_EV_ALLOC || e->kind == RF_EV_RECYCLE) {
        uintptr_t from = (uintptr_t)e->addr;
        if (e->size) rfi_choi_forget(from, from + e->size);
    } else if (rfi_track_memory(e) && e->size && !(e->flags & RF_EV_RACY)) {
        rfi_choi_access(e);
    }
    rfi_track_after(&rfi_choi_analysis, e);
}

RFI_FN void rfi_choi_end(void) {
    rfi_places_end();
    rfi_track_end();
}

static const rf_analysis rfi_choi_analysis RFI_UNUSED = {
    .name = "lockset",
    .help = "accesses that no common lock protects, however they are ordered",
    .events = RFI_TRACK_MEMORY_EVENTS | RFI_TRACK_LOCK_EVENTS,
    .begin = rfi_choi_begin,
    .event = rfi_choi_event,
    .end = rfi_choi_end};
#endif
#endif

/* ==== edit src/detect/cells.h ============================ >>detect/cells */
/* detect/cells.h: the state that a detector keeps for every byte of memory.
 *
 * Bytes of one granule that have always been accessed together share a cell.  An access to only
 * some of a cell's bytes cuts the cell in two of the same state, so a verdict is that of each byte
 * by itself, whatever ranges overlap, and memory that is accessed in one way costs one cell.
 *
 * Invariant: the cells of a granule have disjoint masks.
 */
#ifndef RFI_DETECT_CELLS_H
#define RFI_DETECT_CELLS_H

#ifdef RFI_IMPL
/* When (0: never), and what happened: detect/places.h. */
typedef struct rfi_when {
    uint32_t k, place;
} rfi_when;

/* 32 bytes, all zero for bytes that were never accessed. */
typedef struct rfi_cell {
    struct rfi_cell *next; /* in the granule */
    uint8_t mask;          /* bytes of the granule */
    uint8_t state;
    uint32_t more; /* what it is a number of is up to the detector */
    union {
        rfi_when when[2];
        uint32_t place[4];
    };
} rfi_cell;

typedef struct rfi_cells {
    rfi_shadow shadow; /* granule -> rfi_cell list */
    rfi_cell *spare;
    void (*cut)(rfi_cell *copy);  /* `more` of a cell was copied into a second one; may be NULL */
    void (*drop)(rfi_cell *cell); /* a cell goes; may be NULL */
} rfi_cells;

RFI_FN void rfi_cells_begin(rfi_cells *d) {
    rfi_shadow_reset(&d->shadow);
    d->spare = NULL;
}

RFI_FN rfi_cell *rfi_cell_take(rfi_cells *d) {
    rfi_cell *c = d->spare;
    if (!c) return rfi_arena_raw(&d->shadow.arena, sizeof *c);
    d->spare = c->next;
    return c;
}

RFI_FN void rfi_cell_drop(rfi_cells *d, rfi_cell *c) {
    if (d->drop) d->drop(c);
    c->next = d->spare;
    d->spare = c;
}

/* The cell that is exactly these bytes of a granule, or NULL. */
RFI_INLINE rfi_cell *rfi_cell_exact(rfi_cell *list, uint8_t mask) {
    while (list && list->mask != mask) list = list->next;
    return list;
}

/* Afterwards some cells of the granule at `place` are together exactly the bytes of `mask`, which
 * was not a cell before. */
RFI_FN void rfi_cells_cut(rfi_cells *d, void **place, uint8_t mask) {
    uint8_t rest = mask;
    for (rfi_cell *c = *place, *next; c; c = next) {
        next = c->next;
        uint8_t both = c->mask & mask;
        rest &= (uint8_t)~both;
        if (!both || both == c->mask) continue;
        rfi_cell *part = rfi_cell_take(d);
        *part = *c;
        part->mask = both;
        c->mask &= (uint8_t)~both;
        c->next = part;
        if (d->cut) d->cut(part);
    }
    if (!rest) return;
    rfi_cell *fresh = rfi_cell_take(d);
    *fresh = (rfi_cell){.next = *place, .mask = rest};
    *place = fresh;
}

/* The first of the cells that are within `mask`. */
RFI_INLINE rfi_cell *rfi_cell_within(rfi_cell *list, uint8_t mask) {
    while (list && !(list->mask & mask)) list = list->next;
    return list;
}

/* The cells within `mask` have the same state: one is enough. */
RFI_FN void rfi_cells_unite(rfi_cells *d, rfi_cell *list, uint8_t mask) {
    rfi_cell *kept = rfi_cell_within(list, mask), *c;
    for (rfi_cell **link = &kept->next; (c = *link);) {
        if (!(c->mask & mask)) {
            link = &c->next;
            continue;
        }
        *link = c->next;
        rfi_cell_drop(d, c);
    }
    kept->mask = mask;
}

/* The range [from, to) is something new now. */
RFI_FN void rfi_cells_forget(rfi_cells *d, uintptr_t from, uintptr_t to) {
    uintptr_t end = (to - 1) / RFI_GRANULE + 1;
    for (uintptr_t g = from / RFI_GRANULE; (g = rfi_shadow_next(&d->shadow, g, end)) < end; g++) {
        void **place = rfi_shadow_at(&d->shadow, g);
        rfi_cell *list = *place, *c;
        for (rfi_cell **link = &list; (c = *link);) {
            c->mask &= (uint8_t)~rfi_shadow_mask(g, from, to);
            if (c->mask) {
                link = &c->next;
                continue;
            }
            *link = c->next;
            rfi_cell_drop(d, c);
        }
        *place = list;
    }
}
#endif
#endif

/* ==== edit src/detect/eraser.h =========================== >>detect/eraser */
/* detect/eraser.h: Eraser (Savage et al., ACM TOCS 15(4), 1997, section 2), with its state machine
 * and its refinement for read-write locks.
 *
 * A byte has a set of candidates: the locks that were held at every access so far, a write counting
 * only those that it holds exclusively.  Nothing is asked of the first thread until a second one
 * comes (initialisation), nor of readers until somebody writes again (read-sharing).  When no
 * candidate is left for a byte that is shared and modified it is reported, once.
 *
 * A report has two places.  For a write the other is the last access of another thread, for a read
 * the last write of another thread; where there is none of those, it is the last write of the same
 * thread, and the last access of another one, that are reported.  Atomic accesses, which the paper
 * does not know, hold one more lock, the same for all of them.
 *
 * No guarantee: data handed over by start, join, a signal or a queue is reported; a race with the
 * first thread's initialisation, or of a write and a later read, is not.
 */
#ifndef RFI_DETECT_ERASER_H
#define RFI_DETECT_ERASER_H

#ifdef RFI_IMPL
/* States of a cell; its `more` is the set of candidates. */
enum { RFI_VIRGIN, RFI_EXCLUSIVE, RFI_SHARED, RFI_MODIFIED, RFI_REPORTED };

/* Places of a cell: the last access, the last one of another thread than that; the same of writes.
 */
enum { RFI_LAST, RFI_LAST_OTHER, RFI_LAST_WRITE, RFI_LAST_OTHER_WRITE };

static const rf_analysis rfi_eraser_analysis;
static rfi_cells rfi_eraser_cells RFI_UNUSED;

/* The access that executes. */
typedef struct rfi_guarded {
    uint32_t place, thread, held;
    bool writes;
} rfi_guarded;

/* The last access of another thread; `last`: RFI_LAST or RFI_LAST_WRITE.  0: there is none. */
RFI_INLINE uint32_t rfi_eraser_other(const rfi_cell *c, unsigned last, uint32_t thread) {
    bool own = rfi_place_at(c->place[last])->thread == thread;
    return c->place[own ? last + 1 : last];
}

RFI_INLINE void rfi_eraser_put(rfi_cell *c, unsigned last, const rfi_guarded *now) {
    if (c->place[last] && rfi_place_at(c->place[last])->thread != now->thread)
        c->place[last + 1] = c->place[last];
    c->place[last] = now->place;
}

RFI_FN RFI_COLD void rfi_eraser_report(const rfi_cell *c, const rfi_guarded *now, uintptr_t addr) {
    uint32_t first = rfi_eraser_other(c, now->writes ? RFI_LAST : RFI_LAST_WRITE, now->thread);
    uint32_t second = now->place;
    if (!first) {
        first = rfi_eraser_other(c, RFI_LAST, now->thread);
        second = c->place[RFI_LAST_WRITE];
    }
    rfi_place_report(&rfi_eraser_analysis, first, second, addr, false);
}

RFI_INLINE void rfi_eraser_cell(rfi_cell *c, const rfi_guarded *now, uintptr_t granule) {
    bool again = c->place[RFI_LAST] == now->place; /* the same locks too: nothing changes */
    if (RFI_LIKELY(again) || c->state == RFI_REPORTED) return;
    if (c->state == RFI_VIRGIN) {
        c->state = RFI_EXCLUSIVE;
        c->more = RFI_ALL_LOCKS;
    } else if (c->state != RFI_EXCLUSIVE ||
               rfi_place_at(c->place[RFI_LAST])->thread != now->thread) {
        if (c->state == RFI_EXCLUSIVE) c->state = RFI_SHARED;
        c->more = rfi_lockset_keep(c->more, now->held, now->writes);
        if (now->writes) c->state = RFI_MODIFIED;
    }
    if (c->state == RFI_MODIFIED && !c->more) {
        rfi_eraser_report(c, now, granule * RFI_GRANULE + (unsigned)__builtin_ctz(c->mask));
        c->state = RFI_REPORTED;
    }
    rfi_eraser_put(c, RFI_LAST, now);
    if (now->writes) rfi_eraser_put(c, RFI_LAST_WRITE, now);
}

RFI_FN void rfi_eraser_access(const rf_event *e) {
    enum { ATOMICS = 0 }; /* number of no object */
    uint32_t held = rfi_lockset_of(e->thread);
    if (e->flags & RF_EV_ATOMIC) held = rfi_lockset_after(held, ATOMICS, RFI_LOCK_TAKE);
    rfi_guarded now = {rfi_place_of(e), e->thread, held, e->flags & RF_EV_WRITES};
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    for (uintptr_t g = from / RFI_GRANULE; g <= (to - 1) / RFI_GRANULE; g++) {
        uint8_t mask = rfi_shadow_mask(g, from, to);
        void **place = rfi_shadow_at(&rfi_eraser_cells.shadow, g);
        rfi_cell *c = rfi_cell_exact(*place, mask);
        if (RFI_UNLIKELY(!c)) {
            rfi_cells_cut(&rfi_eraser_cells, place, mask);
            c = *place;
        }
        for (; (c = rfi_cell_within(c, mask)); c = c->next) rfi_eraser_cell(c, &now, g);
    }
}

/* ---- events ---- */

RFI_FN void rfi_eraser_begin(void) {
    rfi_cells_begin(&rfi_eraser_cells);
    rfi_track_begin(&rfi_eraser_analysis, RFI_TRACK_LOCKS);
    rfi_places_begin();
}

RFI_FN void rfi_eraser_event(const rf_event *e) {
    rfi_track_before(&rfi_eraser_analysis, e);
    if (e->kind == RF_EV_ALLOC || e->kind == RF_EV_RECYCLE) {
        uintptr_t from = (uintptr_t)e->addr;
        if (e->size) rfi_cells_forget(&rfi_eraser_cells, from, from + e->size);
    } else if (rfi_track_memory(e) && e->size && !(e->flags & RF_EV_RACY)) {
        rfi_eraser_access(e);
    }
    rfi_track_after(&rfi_eraser_analysis, e);
}

RFI_FN void rfi_eraser_end(void) {
    rfi_places_end();
    rfi_track_end();
}

static const rf_analysis rfi_eraser_analysis RFI_UNUSED = {
    .name = "eraser",
    .help = "locations that are written and that no lock is held for at every access",
    .events = RFI_TRACK_MEMORY_EVENTS | RFI_TRACK_LOCK_EVENTS,
    .begin = rfi_eraser_begin,
    .event = rfi_eraser_event,
    .end = rfi_eraser_end};
#endif
#endif

/* ==== edit src/detect/fasttrack.h ======================== >>detect/fasttrack */
/* detect/fasttrack.h: FastTrack (Flanagan and Freund, PLDI 2009, section 3).
 *
 * The relation is that of detect/hb.h.  A byte keeps its last write as an epoch (a thread and its
 * own clock then), and its reads since then as an epoch while each is ordered after the one before,
 * otherwise as a table with the last read of each thread.  So an access compares one or two numbers
 * however many threads there are.  With each epoch goes the statement.
 *
 * Beyond the paper: C11 has atomics, which race with plain accesses but not with each other, and
 * may be unordered without end.  They have tables of their own: atomic reads, atomic writes.  And
 * every plain write forgets what it has been compared with, not only READ SHARED ones: what comes
 * later and is ordered after the write is ordered after that too.
 *
 * Guarantee: no false alarm; a byte that some pair of accesses races on is reported, at the first
 * access that races (tests/detect_random.c).  Not all pairs: what lies behind the last access is
 * not compared any more; detect/hb.h does that.
 */
#ifndef RFI_DETECT_FASTTRACK_H
#define RFI_DETECT_FASTTRACK_H

#ifdef RFI_IMPL
/* The last accesses of some threads: a hash table by thread number, at most half full, in which the
 * numbers of neighbours are neighbours. */
typedef struct rfi_reader {
    uint32_t thread; /* + 1; 0: free */
    rfi_when when;
} rfi_reader;

typedef struct rfi_readers {
    rfi_reader *slot;
    uint32_t size, count; /* size: a power of two, or 0 */
} rfi_readers;

enum { RFI_SET_READS, RFI_SET_ATOMIC_READS, RFI_SET_ATOMIC_WRITES, RFI_SETS };

/* What an rfi_cell's `more` numbers: cells that need no table have none (0). */
typedef struct rfi_read_sets {
    rfi_readers set[RFI_SETS];
    uint32_t spare; /* + 1 */
} rfi_read_sets;

enum { RFI_WRITE, RFI_READ }; /* of rfi_cell's `when` */

typedef struct rfi_fasttrack {
    rfi_cells cells;
    rfi_read_sets *sets;
    uint32_t sets_count, sets_capacity, sets_spare;
} rfi_fasttrack;

static void rfi_fasttrack_cut(rfi_cell *copy);
static void rfi_fasttrack_drop(rfi_cell *c);
static const rf_analysis rfi_fasttrack_analysis;
static rfi_fasttrack rfi_fasttrack_state RFI_UNUSED = {
    .cells = {.cut = rfi_fasttrack_cut, .drop = rfi_fasttrack_drop}};

/* ---- tables ---- */

RFI_INLINE rfi_reader *rfi_reader_at(const rfi_readers *s, uint32_t thread) {
    uint32_t i = thread & (s->size - 1);
    while (s->slot[i].thread && s->slot[i].thread != thread + 1) i = (i + 1) & (s->size - 1);
    return &s->slot[i];
}

RFI_FN RFI_COLD void rfi_readers_grow(rfi_readers *s, uint32_t size) {
    rfi_readers bigger = {.size = size, .count = s->count};
    bigger.slot =
        rfi_arena_take(&rfi_fasttrack_state.cells.shadow.arena, bigger.size * sizeof *bigger.slot);
    for (uint32_t i = 0; i < s->size; i++)
        if (s->slot[i].thread) *rfi_reader_at(&bigger, s->slot[i].thread - 1) = s->slot[i];
    *s = bigger;
}

RFI_INLINE void rfi_readers_put(rfi_readers *s, uint32_t thread, rfi_when when) {
    if (RFI_UNLIKELY(s->count * 2 >= s->size)) rfi_readers_grow(s, s->size ? s->size * 2 : 4);
    rfi_reader *r = rfi_reader_at(s, thread);
    if (!r->thread) {
        r->thread = thread + 1;
        s->count++;
    }
    r->when = when;
}

RFI_INLINE void rfi_readers_clear(rfi_readers *s) {
    if (s->count) memset(s->slot, 0, s->size * sizeof *s->slot);
    s->count = 0;
}

/* The tables of a cell. */
RFI_FN rfi_readers *rfi_cell_sets(rfi_cell *c) {
    rfi_fasttrack *f = &rfi_fasttrack_state;
    if (!c->more) {
        if (f->sets_spare) {
            c->more = f->sets_spare;
            f->sets_spare = f->sets[c->more - 1].spare;
        } else {
            c->more = ++f->sets_count;
            f->sets = rfi_grow(f->sets, &f->sets_capacity, c->more, sizeof *f->sets);
            f->sets[c->more - 1] = (rfi_read_sets){0};
        }
    }
    return f->sets[c->more - 1].set;
}

/* Spare tables keep their memory. */
static void rfi_fasttrack_drop(rfi_cell *c) {
    rfi_fasttrack *f = &rfi_fasttrack_state;
    if (!c->more) return;
    for (unsigned i = 0; i < RFI_SETS; i++) rfi_readers_clear(&f->sets[c->more - 1].set[i]);
    f->sets[c->more - 1].spare = f->sets_spare;
    f->sets_spare = c->more;
    c->more = 0;
}

static void rfi_fasttrack_cut(rfi_cell *copy) {
    uint32_t from = copy->more;
    if (!from) return;
    copy->more = 0;
    rfi_readers *to = rfi_cell_sets(copy);
    const rfi_readers *of = rfi_fasttrack_state.sets[from - 1].set;
    for (unsigned i = 0; i < RFI_SETS; i++)
        for (uint32_t k = 0; k < of[i].size; k++)
            if (of[i].slot[k].thread)
                rfi_readers_put(&to[i], of[i].slot[k].thread - 1, of[i].slot[k].when);
}

/* ---- one access to one cell ---- */

/* The access that executes. */
typedef struct rfi_epoch {
    rfi_when when;
    uint32_t thread;
    const rfi_clock *clock;
    uintptr_t granule;
    bool atomic, writes;
} rfi_epoch;

/* Is `a` ordered before the access? */
RFI_INLINE bool rfi_epoch_before(rfi_when a, const rfi_epoch *now) {
    if (!a.k) return true;
    uint32_t t = rfi_place_at(a.place)->thread;
    return t == now->thread || a.k <= rfi_clock_get(now->clock, t);
}

RFI_INLINE void rfi_epoch_check(rfi_when a, const rfi_epoch *now, const rfi_cell *c) {
    if (RFI_LIKELY(rfi_epoch_before(a, now))) return;
    uintptr_t addr = now->granule * RFI_GRANULE + (unsigned)__builtin_ctz(c->mask);
    rfi_place_report(&rfi_fasttrack_analysis, a.place, now->when.place, addr, true);
}

RFI_FN void rfi_epoch_check_set(const rfi_readers *s, const rfi_epoch *now, const rfi_cell *c) {
    if (!s->count) return;
    for (uint32_t i = 0; i < s->size; i++)
        if (s->slot[i].thread) rfi_epoch_check(s->slot[i].when, now, c);
}

/* Checks an access against what conflicts with it. */
RFI_INLINE void rfi_cell_check(const rfi_cell *c, const rfi_epoch *now) {
    const rfi_readers *set = c->more ? rfi_fasttrack_state.sets[c->more - 1].set : NULL;
    rfi_epoch_check(c->when[RFI_WRITE], now, c);
    if (now->writes) rfi_epoch_check(c->when[RFI_READ], now, c);
    if (RFI_LIKELY(!set)) return;
    if (now->writes) rfi_epoch_check_set(&set[RFI_SET_READS], now, c);
    if (now->atomic) return;
    rfi_epoch_check_set(&set[RFI_SET_ATOMIC_WRITES], now, c);
    if (now->writes) rfi_epoch_check_set(&set[RFI_SET_ATOMIC_READS], now, c);
}

/* READ SHARED, READ EXCLUSIVE, READ SHARE. */
RFI_INLINE void rfi_cell_read(rfi_cell *c, const rfi_epoch *now) {
    rfi_when *last = &c->when[RFI_READ];
    bool shared = c->more && rfi_fasttrack_state.sets[c->more - 1].set[RFI_SET_READS].count;
    if (RFI_LIKELY(!shared && rfi_epoch_before(*last, now))) {
        *last = now->when;
        return;
    }
    rfi_readers *reads = &rfi_cell_sets(c)[RFI_SET_READS];
    if (last->k) rfi_readers_put(reads, rfi_place_at(last->place)->thread, *last);
    *last = (rfi_when){0};
    rfi_readers_put(reads, now->thread, now->when);
}

/* What an access leaves behind. */
RFI_INLINE void rfi_cell_record(rfi_cell *c, const rfi_epoch *now) {
    if (now->atomic) {
        unsigned which = now->writes ? RFI_SET_ATOMIC_WRITES : RFI_SET_ATOMIC_READS;
        rfi_readers_put(&rfi_cell_sets(c)[which], now->thread, now->when);
    } else if (now->writes) {
        c->when[RFI_WRITE] = now->when;
        c->when[RFI_READ] = (rfi_when){0};
        if (RFI_UNLIKELY(c->more)) rfi_fasttrack_drop(c);
    } else {
        rfi_cell_read(c, now);
    }
}

/* READ SAME EPOCH, WRITE SAME EPOCH: the thread has made this access since it last sent anything,
 * and everything that conflicts with it came earlier or was reported. */
RFI_INLINE bool rfi_cell_same_epoch(const rfi_cell *c, uint32_t thread, uint32_t own, bool writes) {
    rfi_when w = c->when[writes ? RFI_WRITE : RFI_READ];
    if (RFI_LIKELY(w.k == own)) return rfi_place_at(w.place)->thread == thread;
    if (writes || !c->more) return false;
    const rfi_readers *reads = &rfi_fasttrack_state.sets[c->more - 1].set[RFI_SET_READS];
    if (!reads->count) return false;
    const rfi_reader *r = rfi_reader_at(reads, thread);
    return r->thread && r->when.k == own;
}

RFI_INLINE void rfi_fasttrack_cell(rfi_cell *c, const rfi_epoch *now) {
    rfi_cell_check(c, now);
    rfi_cell_record(c, now);
}

/* An access to bytes of which some are in cells with others, or in none. */
RFI_FN RFI_APART void rfi_fasttrack_pieces(const rfi_epoch *now, void **place, uint8_t mask) {
    rfi_cells *d = &rfi_fasttrack_state.cells;
    rfi_cells_cut(d, place, mask);
    for (rfi_cell *c = *place; (c = rfi_cell_within(c, mask)); c = c->next)
        rfi_fasttrack_cell(c, now);
    if (now->writes && !now->atomic) rfi_cells_unite(d, *place, mask);
}

RFI_FN void rfi_fasttrack_access(const rf_event *e) {
    const rfi_actor *a = rfi_track_actor(RFI_FULL, e->thread);
    rfi_epoch now = {.when = {a->own, 0},
                     .thread = e->thread,
                     .clock = &a->clock,
                     .atomic = e->flags & RF_EV_ATOMIC,
                     .writes = e->flags & RF_EV_WRITES};
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    for (now.granule = from / RFI_GRANULE; now.granule <= (to - 1) / RFI_GRANULE; now.granule++) {
        void **place = rfi_shadow_at(&rfi_fasttrack_state.cells.shadow, now.granule);
        uint8_t mask = rfi_shadow_mask(now.granule, from, to);
        rfi_cell *c = rfi_cell_exact(*place, mask);
        if (c && !now.atomic && rfi_cell_same_epoch(c, now.thread, now.when.k, now.writes))
            continue;
        if (!now.when.place) now.when.place = rfi_place_of(e);
        if (RFI_LIKELY(c))
            rfi_fasttrack_cell(c, &now);
        else
            rfi_fasttrack_pieces(&now, place, mask);
    }
}

/* The same for a plain access of one cell, without an event.  What is rare stands apart and is
 * called last, so that the rest needs no stack. */
static bool rfi_fasttrack_lane(uint32_t thread, const rf_site *site, const void *addr, size_t size,
                               bool writes);

RFI_FN RFI_APART bool rfi_fasttrack_far(uint32_t thread, const rf_site *site, const void *addr,
                                        size_t size, bool writes) {
    uintptr_t region = (uintptr_t)addr / RFI_GRANULE / RFI_REGION;
    return rfi_shadow_look(&rfi_fasttrack_state.cells.shadow, region) &&
           rfi_fasttrack_lane(thread, site, addr, size, writes);
}

RFI_FN RFI_APART bool rfi_fasttrack_news(uint32_t thread, const rf_site *site, const void *addr,
                                         size_t size, bool writes, rfi_cell *c) {
    const rfi_actor *a = &rfi_tracked.actors[RFI_FULL].thread[thread];
    uint16_t flags = writes ? RF_EV_WRITES : RF_EV_READS;
    rfi_epoch now = {.when = {a->own, rfi_place_now(site, thread, size, flags)},
                     .thread = thread,
                     .clock = &a->clock,
                     .granule = (uintptr_t)addr / RFI_GRANULE,
                     .writes = writes};
    rfi_fasttrack_cell(c, &now);
    return true;
}

static bool rfi_fasttrack_lane(uint32_t thread, const rf_site *site, const void *addr, size_t size,
                               bool writes) {
    const rfi_actors *actors = &rfi_tracked.actors[RFI_FULL];
    uintptr_t granule = (uintptr_t)addr / RFI_GRANULE, offset = (uintptr_t)addr % RFI_GRANULE;
    if (offset + size > RFI_GRANULE || thread >= actors->count || (writes && rfi_track_atomics()))
        return false;
    rfi_region *region = rfi_shadow_recent(&rfi_fasttrack_state.cells.shadow, granule);
    if (RFI_UNLIKELY(!region)) return rfi_fasttrack_far(thread, site, addr, size, writes);
    uint8_t mask = (uint8_t)(((1u << size) - 1) << offset);
    rfi_cell *c = rfi_cell_exact(region->at[granule % RFI_REGION], mask);
    if (RFI_UNLIKELY(!c)) return false;
    if (rfi_cell_same_epoch(c, thread, actors->thread[thread].own, writes)) return true;
    return rfi_fasttrack_news(thread, site, addr, size, writes, c);
}

/* ---- events ---- */

RFI_FN void rfi_fasttrack_memory(const rf_event *e) {
    uintptr_t from = (uintptr_t)e->addr;
    if (e->kind == RF_EV_ALLOC || e->kind == RF_EV_RECYCLE)
        rfi_cells_forget(&rfi_fasttrack_state.cells, from, from + e->size);
    else if (!(e->flags & RF_EV_RACY))
        rfi_fasttrack_access(e);
}

RFI_FN void rfi_fasttrack_begin(void) {
    rfi_fasttrack *f = &rfi_fasttrack_state;
    rfi_cells_begin(&f->cells);
    f->sets_count = f->sets_spare = 0;
    rfi_track_begin(&rfi_fasttrack_analysis, RFI_TRACK_FULL | RFI_TRACK_LOCKS);
    rfi_places_begin();
}

RFI_FN void rfi_fasttrack_event(const rf_event *e) {
    rfi_track_before(&rfi_fasttrack_analysis, e);
    if (rfi_track_memory(e) && e->size) rfi_fasttrack_memory(e);
    rfi_track_after(&rfi_fasttrack_analysis, e);
}

RFI_FN void rfi_fasttrack_end(void) {
    rfi_places_end();
    rfi_track_end();
}

static const rf_analysis rfi_fasttrack_analysis RFI_UNUSED = {
    .name = "fasttrack",
    .help = "races of this very execution, the first of each location, at little cost",
    .events = RFI_TRACK_EVENTS,
    .begin = rfi_fasttrack_begin,
    .event = rfi_fasttrack_event,
    .end = rfi_fasttrack_end,
    .access = rfi_fasttrack_lane};
#endif
#endif

/* ==== edit src/detect/scopes.h =========================== >>detect/scopes */
/* detect/scopes.h: in which call each thread is, and by what a thread or an object is known in
 * every execution (docs/internals.md, Deadlocks).
 *
 * Addresses and numbers of threads differ from one execution to the next.  What stays is where
 * something was made: light-weight execution indexing (Joshi, Park, Sen and Naik, PLDI 2009, for
 * DeadlockFuzzer; after Xin, Sumner and Zhang, PLDI 2008).  A thread has a stack of calls
 * (RF_FUNC), and every call counts how often it has done what: the index of an object is the path
 * of calls to its creation, each with its count, and before them the index of the creating thread.
 * Guarantee: two objects of one execution have different indices; those of two executions have the
 * same one if their creators took the same way.
 *
 * An object with a static initialiser is made by nobody; who uses it first is chance.  It has no
 * index.
 */
#ifndef RFI_DETECT_SCOPES_H
#define RFI_DETECT_SCOPES_H

#ifdef RFI_IMPL
typedef struct rfi_scoped {
    uint64_t *call; /* hashes of the paths to the calls that it is in; the first is its index */
    uint32_t depth, capacity;
    uint64_t site; /* key of the statement that created it */
} rfi_scoped;

# define RFI_SCOPES_LATER 4096u

/* An event that is looked at when somebody asks: in most executions nobody does. */
typedef struct rfi_scope_event {
    const rf_site *site;
    uint32_t thread, what; /* the other thread, or the object */
    uint8_t kind;
} rfi_scope_event;

typedef struct rfi_scopes {
    const void *driver; /* the user whose events count */
    uint32_t users;
    rfi_scope_event later[RFI_SCOPES_LATER];
    uint32_t laters;
    rfi_scoped *thread;
    uint32_t threads, thread_capacity;
    uint64_t *made; /* indices of objects, by number */
    uint32_t objects, object_capacity;
    rfi_map count; /* path of a call, and what it does -> how often it has */
} rfi_scopes;

static rfi_scopes rfi_scopes_state RFI_UNUSED;

/* Kinds of events that rfi_scopes_event takes. */
/* clang-format off */
# define RFI_SCOPES_EVENTS \
    (RF_EV_BIT(RF_EV_CREATE) | RF_EV_BIT(RF_EV_INIT) | RF_EV_BIT(RF_EV_ENTER) | \
     RF_EV_BIT(RF_EV_LEAVE))
/* clang-format on */

/* An execution begins; any number of users may be on.  `user` is any address of its own. */
RFI_FN void rfi_scopes_begin(const void *user) {
    rfi_scopes *s = &rfi_scopes_state;
    if (s->users++) return;
    s->driver = user;
    s->threads = s->objects = s->laters = 0;
    rfi_map_reset(&s->count);
}

RFI_FN void rfi_scopes_end(void) { rfi_scopes_state.users--; }

RFI_FN void rfi_scope_push(rfi_scoped *t, uint64_t path) {
    t->call = rfi_grow(t->call, &t->capacity, t->depth + 1, sizeof *t->call);
    t->call[t->depth++] = path;
}

RFI_FN rfi_scoped *rfi_scoped_of(uint32_t thread) {
    rfi_scopes *s = &rfi_scopes_state;
    s->thread = rfi_grow(s->thread, &s->thread_capacity, thread + 1, sizeof *s->thread);
    for (; s->threads <= thread; s->threads++) {
        rfi_scoped *t = &s->thread[s->threads];
        t->depth = 0;
        t->site = 0;
        rfi_scope_push(t, 0);
    }
    return &s->thread[thread];
}

/* The path to what `thread` does now at `site`, which counts. */
RFI_FN uint64_t rfi_scope_step(uint32_t thread, const rf_site *site) {
    const rfi_scoped *t = rfi_scoped_of(thread);
    uint64_t path = rfi_mix(t->call[t->depth - 1] + rf_site_key(site));
    return rfi_mix(path + ++*rfi_map_at(&rfi_scopes_state.count, path));
}

RFI_FN void rfi_scopes_take(const rfi_scope_event *e) {
    rfi_scopes *s = &rfi_scopes_state;
    rfi_scoped *t = rfi_scoped_of(e->thread);
    if (e->kind == RF_EV_LEAVE) {
        t->depth -= t->depth > 1;
        return;
    }
    uint64_t path = rfi_scope_step(e->thread, e->site);
    if (e->kind == RF_EV_ENTER) {
        rfi_scope_push(t, path);
    } else if (e->kind == RF_EV_CREATE) {
        t = rfi_scoped_of(e->what);
        t->call[0] = path;
        t->site = rf_site_key(e->site);
    } else {
        s->made = rfi_grow(s->made, &s->object_capacity, e->what + 1, sizeof *s->made);
        while (s->objects <= e->what) s->made[s->objects++] = 0;
        s->made[e->what] = path;
    }
}

RFI_FN void rfi_scopes_catch_up(void) {
    rfi_scopes *s = &rfi_scopes_state;
    for (uint32_t i = 0; i < s->laters; i++) rfi_scopes_take(&s->later[i]);
    s->laters = 0;
}

/* An event, as one of the users gets it. */
RFI_FN void rfi_scopes_event(const void *user, const rf_event *e) {
    rfi_scopes *s = &rfi_scopes_state;
    if (s->driver != user || !(RFI_SCOPES_EVENTS & RF_EV_BIT(e->kind))) return;
    uint32_t what = e->kind == RF_EV_CREATE ? e->other : e->object;
    s->later[s->laters++] = (rfi_scope_event){e->site, e->thread, what, e->kind};
    if (s->laters == RFI_SCOPES_LATER) rfi_scopes_catch_up();
}

/* 0: it is not told apart from others. */
RFI_FN uint64_t rfi_abstract_thread(uint32_t thread, rfi_abstraction a) {
    rfi_scopes_catch_up();
    const rfi_scoped *t = rfi_scoped_of(thread);
    return a == RFI_ABSTRACT_INDEX ? t->call[0] : a == RFI_ABSTRACT_SITE ? t->site : 0;
}

RFI_FN uint64_t rfi_abstract_object(uint32_t object, rfi_abstraction a) {
    const rfi_scopes *s = &rfi_scopes_state;
    rfi_scopes_catch_up();
    if (a == RFI_ABSTRACT_NONE || !rf_object_made(object)) return 0;
    if (a == RFI_ABSTRACT_SITE) return rf_site_key(rf_object_site(object));
    return object < s->objects ? s->made[object] : 0;
}
#endif
#endif

/* ==== edit src/detect/request.h ========================== >>detect/request */
/* detect/request.h: a thread that holds locks and wants one more, the keys that recognise it in
 * every execution, and the warning of a cycle of such requests, the components of a deadlock
 * (Joshi, Park, Sen and Naik, PLDI 2009).
 *
 * A key is the target of a warning: its upper half stands for thread, wanted lock and context (the
 * statements where the locks that are held were taken, and that of the request), its lower half for
 * thread and first of these statements, where it enters.
 */
#ifndef RFI_DETECT_REQUEST_H
#define RFI_DETECT_REQUEST_H

#ifdef RFI_IMPL
typedef struct rfi_request {
    uint32_t thread, object;
    bool shared; /* wanted for reading */
    const rf_site *site;
    const rf_lock *held; /* in the order in which they were taken, each once */
    uint32_t n;
} rfi_request;

# define RFI_HALF_KEY (RFI_KEY_BITS / 2)

/* Does the operation wait for a lock, and for which?  0: for none.  A wait takes its mutex again.
 */
RFI_FN uint32_t rfi_requested(const rf_event *next) {
    if (next->kind == RF_EV_WAKE) return next->other;
    if (next->kind != RF_EV_LOCK || next->flags & (RF_EV_TRY | RF_EV_TIMED)) return 0;
    return next->object && rf_object_is_lock(next->object) ? next->object : 0;
}

RFI_FN uint64_t rfi_entry_key(const rfi_request *r, rfi_abstraction a) {
    const rf_site *first = r->n ? r->held[0].site : r->site;
    uint64_t h = rfi_mix(rfi_abstract_thread(r->thread, a) + a);
    return rfi_mix(h + rf_site_key(first)) >> (64 - RFI_HALF_KEY);
}

RFI_FN uint64_t rfi_component_key(const rfi_request *r, rfi_abstraction a) {
    uint64_t h = rfi_mix(rfi_abstract_thread(r->thread, a) + a + RFI_GOLDEN);
    h = rfi_mix(h + rfi_abstract_object(r->object, a));
    for (uint32_t i = 0; i < r->n; i++) h = rfi_mix(h + rf_site_key(r->held[i].site));
    h = rfi_mix(h + rf_site_key(r->site)) >> (64 - RFI_HALF_KEY);
    return h | !h; /* never 0 */
}

RFI_FN uint64_t rfi_request_key(const rfi_request *r, rfi_abstraction a) {
    return rfi_component_key(r, a) << RFI_HALF_KEY | rfi_entry_key(r, a);
}

/* ---- cycles ---- */

/* By what the threads and locks of warnings are told apart. */
static rfi_abstraction rfi_goodlock_abstraction RFI_UNUSED;

/* The targets begin where their sequence is the least: a cycle has no first thread, and numbers of
 * threads differ between executions. */
RFI_FN uint32_t rfi_cycle_first(const uint64_t *key, uint32_t n) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = 0; k < n; k++) {
            uint64_t a = key[(i + k) % n], b = key[(best + k) % n];
            if (a == b) continue;
            if (a < b) best = i;
            break;
        }
    return best;
}

RFI_FN int rfi_key_order(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The targets of a cycle with more components than a warning has room for: their contexts, each
 * once, the lowest ones. */
RFI_FN uint32_t rfi_cycle_contexts(const rfi_request *const *member, uint32_t n, uint64_t *key) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) key[i] = rfi_request_key(member[i], RFI_ABSTRACT_NONE);
    qsort(key, n, sizeof *key, rfi_key_order);
    for (uint32_t i = 0; i < n; i++)
        if (!i || key[i] != key[i - 1]) key[kept++] = key[i];
    return kept < RF_TARGETS ? kept : RF_TARGETS;
}

/* The warning of a cycle; each member wants what the next one holds.  Returns a hash of the
 * targets.
 */
RFI_FN uint64_t rfi_cycle_warning(rf_warning *w, const char *by, const rfi_request *const *member,
                                  uint32_t n, rfi_arena *arena) {
    uint64_t *key = rfi_arena_raw(arena, n * sizeof *key), hash = 0;
    *w = (rf_warning){.family = RF_FAMILY_DEADLOCK,
                      .by = by,
                      .places = n < RF_PLACES ? n : RF_PLACES,
                      .text = "Each of these threads holds a lock that the next one wants."};
    for (uint32_t i = 0; i < n; i++) key[i] = rfi_request_key(member[i], rfi_goodlock_abstraction);
    uint32_t first = rfi_cycle_first(key, n);
    for (uint32_t i = 0; i < w->places; i++) {
        const rfi_request *r = member[i];
        w->place[i] = (rf_place){.site = r->site,
                                 .role = "takes",
                                 .thread = r->thread,
                                 .object = r->object,
                                 .locks = (uint16_t)r->n,
                                 .lock = r->held};
        w->target[i] = key[(first + i) % n];
    }
    w->targets = w->places;
    if (n > RF_TARGETS) {
        w->targets = rfi_cycle_contexts(member, n, key);
        memcpy(w->target, key, w->targets * sizeof *key);
    }
    for (uint32_t i = 0; i < w->targets; i++) hash = rfi_mix(hash + w->target[i]);
    return hash;
}
#endif
#endif

/* ==== edit src/detect/goodlock.h ========================= >>detect/goodlock */
/* detect/goodlock.h: iGoodlock, potential deadlocks (Joshi, Park, Sen and Naik, PLDI 2009; after
 * Havelund's GoodLock, SPIN 2000).
 *
 * The lock dependency relation of an execution: thread t, holding the locks L (not none), has
 * requested the lock l.  A chain is a sequence of these in which threads and requested locks are
 * different, each requested lock is held by the next thread, and the sets L are disjoint: a lock
 * that two of them hold, a gate, keeps one of them out.  If the last requested lock is held by the
 * first thread, the chain is a cycle.
 *
 * Two holds for reading do not exclude each other: they are neither a gate, nor does a request for
 * reading wait for one.  A request that does not wait, or not for ever (try, timed), is no request;
 * what it obtained is held.  A wait that takes its mutex again requests it.  Requests that start
 * and join order are not part of the same cycle: no schedule can turn these round.
 *
 * Guarantee: every such cycle of the execution, of any length, is reported, up to a limit of work
 * that is reported when it is hit; shorter ones come first.  Not every cycle can happen (a flag, or
 * a condition, may keep the threads apart): DeadlockFuzzer tells.  A lock that is taken again by
 * its owner makes no request.  Code that was not executed is not seen.
 */
#ifndef RFI_DETECT_GOODLOCK_H
#define RFI_DETECT_GOODLOCK_H

#ifdef RFI_IMPL
# define RFI_GOODLOCK_WORK     50000u /* pairs of requests that are compared, in one execution */
# define RFI_GOODLOCK_REQUESTS 20000u /* that are kept of one execution */
# define RFI_GOODLOCK_LATER    256u

/* A request of the relation. */
typedef struct rfi_dependency {
    rfi_request request;
    bool waits;             /* it had not got its lock when the execution ended */
    uint64_t filter;        /* bit (number mod 64) of every lock that is held */
    uint32_t own;           /* the thread's own clock, start and join alone counting, */
    const rfi_clock *heard; /* and what it has heard of the others */
} rfi_dependency;

/* What a thread holds now. */
typedef struct rfi_holding {
    rf_lock *lock;
    uint32_t n, capacity;
    uint32_t own, version; /* of its clock when this copy of it was made: */
    const rfi_clock *heard;
} rfi_holding;

/* A chain: another one, or nothing, and one more request. */
typedef struct rfi_chain {
    uint32_t last, before; /* a dependency; a chain + 1 */
    uint32_t first, length;
} rfi_chain;

/* List of the requests whose thread holds a lock. */
typedef struct rfi_holder {
    uint32_t dependency, next; /* holder + 1 */
    bool shared;
} rfi_holder;

/* A start or a join that is looked at when a thread that holds a lock wants another. */
typedef struct rfi_kinship {
    uint32_t thread, other;
    bool join;
} rfi_kinship;

typedef struct rfi_goodlock_state {
    rfi_arena arena;
    rfi_actors actors;
    rfi_kinship later[RFI_GOODLOCK_LATER];
    uint32_t laters;
    rfi_holding *thread;
    rfi_dependency *relation;
    rfi_chain *chain;
    rfi_holder *holder;
    uint32_t threads, requests, chains, holders;
    uint32_t thread_capacity, request_capacity, chain_capacity, holder_capacity;
    rfi_map known;   /* hash of a request -> dependency + 1 */
    rfi_map held_by; /* lock -> holder + 1 */
    rfi_map told;    /* hash of the targets of a cycle -> how many cycles have them */
    uint32_t work;
    bool limited;    /* the limit was hit */
    uint32_t cycles; /* of this execution, */
    uint32_t kinds;  /* and when those with the same targets count once */
} rfi_goodlock_state;

static rfi_goodlock_state rfi_goodlock RFI_UNUSED;

/* How long cycles may be; 0: as long as they are. */
static uint32_t rfi_goodlock_longest RFI_UNUSED;

RFI_FN void rfi_goodlock_begin(void) {
    rfi_goodlock_state *g = &rfi_goodlock;
    rfi_scopes_begin(g);
    rfi_arena_reset(&g->arena);
    rfi_actors_reset(&g->actors);
    g->threads = g->requests = g->laters = g->cycles = g->kinds = 0;
    g->limited = false;
    rfi_map_reset(&g->known);
}

/* ---- the relation ---- */

RFI_FN RFI_COLD void rfi_holding_add(uint32_t t) {
    rfi_goodlock_state *g = &rfi_goodlock;
    g->thread = rfi_grow(g->thread, &g->thread_capacity, t + 1, sizeof *g->thread);
    for (; g->threads <= t; g->threads++) {
        g->thread[g->threads].n = 0;
        g->thread[g->threads].heard = NULL;
    }
}

RFI_INLINE rfi_holding *rfi_holding_of(uint32_t t) {
    if (RFI_UNLIKELY(t >= rfi_goodlock.threads)) rfi_holding_add(t);
    return &rfi_goodlock.thread[t];
}

RFI_FN void rfi_goodlock_catch_up(void) {
    rfi_goodlock_state *g = &rfi_goodlock;
    for (uint32_t i = 0; i < g->laters; i++) {
        const rfi_kinship *k = &g->later[i];
        (k->join ? rfi_actor_join : rfi_actor_fork)(&g->actors, k->thread, k->other);
    }
    g->laters = 0;
}

RFI_FN void rfi_goodlock_kin(const rf_event *e) {
    rfi_goodlock_state *g = &rfi_goodlock;
    g->later[g->laters++] = (rfi_kinship){e->thread, e->other, e->kind == RF_EV_JOIN};
    if (g->laters == RFI_GOODLOCK_LATER) rfi_goodlock_catch_up();
}

/* Brings the copy of its thread's clock up to date. */
RFI_FN void rfi_holding_clock(rfi_holding *h, uint32_t t) {
    rfi_goodlock_state *g = &rfi_goodlock;
    rfi_goodlock_catch_up();
    const rfi_actor *a = rfi_actor_of(&g->actors, t);
    if (h->heard && h->own == a->own && h->version == a->version) return;
    rfi_clock *copy = rfi_arena_take(&g->arena, sizeof *copy);
    rfi_clock_copy(copy, &a->clock, &g->arena);
    h->own = a->own;
    h->version = a->version;
    h->heard = copy;
}

RFI_INLINE uint64_t rfi_lock_hash(uint32_t object, bool shared, const rf_site *site) {
    return ((uint64_t)object << 1 | shared) + ((uint64_t)rfi_site_number(site) << 33);
}

RFI_FN uint64_t rfi_dependency_hash(const rfi_dependency *d, uint32_t version) {
    const rfi_request *r = &d->request;
    uint64_t h = rfi_mix((uint64_t)r->thread << 32 | d->own) + version;
    h = rfi_mix(h) + rfi_lock_hash(r->object, r->shared, r->site);
    for (uint32_t i = 0; i < r->n; i++) {
        const rf_lock *l = &r->held[i];
        h = rfi_mix(h) + rfi_lock_hash(l->object, l->shared, l->site);
    }
    return rfi_mix(h);
}

/* Thread `t`, which holds a lock, wants another.  Returns its place in the relation + 1; 0: there
 * is no room. */
RFI_FN uint32_t rfi_goodlock_request(uint32_t t, uint32_t object, bool shared,
                                     const rf_site *site) {
    rfi_goodlock_state *g = &rfi_goodlock;
    rfi_holding *h = rfi_holding_of(t);
    if (g->limited) return 0;
    rfi_holding_clock(h, t);
    rfi_dependency d = {
        .request = {t, object, shared, site, h->lock, h->n}, .own = h->own, .heard = h->heard};
    uint64_t *known = rfi_map_at(&g->known, rfi_dependency_hash(&d, h->version));
    if (*known) return (uint32_t)*known;
    *known = g->requests + 1;
    rf_lock *held = rfi_arena_raw(&g->arena, h->n * sizeof *held);
    memcpy(held, h->lock, h->n * sizeof *held);
    d.request.held = held;
    for (uint32_t i = 0; i < h->n; i++) d.filter |= UINT64_C(1) << held[i].object % 64;
    g->relation = rfi_grow(g->relation, &g->request_capacity, g->requests + 1, sizeof d);
    g->relation[g->requests++] = d;
    g->limited = g->requests == RFI_GOODLOCK_REQUESTS;
    return g->requests;
}

RFI_FN void rfi_goodlock_lock(const rf_event *e) {
    bool shared = e->flags & RF_EV_SHARED;
    rfi_holding *h = rfi_holding_of(e->thread);
    if (h->n && !(e->flags & (RF_EV_TRY | RF_EV_TIMED)))
        (void)rfi_goodlock_request(e->thread, e->object, shared, e->site);
    if (RFI_UNLIKELY(h->n == h->capacity))
        h->lock = rfi_grow(h->lock, &h->capacity, h->n + 1, sizeof *h->lock);
    h->lock[h->n++] = (rf_lock){e->object, shared, e->site};
}

RFI_FN void rfi_goodlock_unlock(const rf_event *e) {
    rfi_holding *h = rfi_holding_of(e->thread);
    uint32_t i = h->n;
    while (i && h->lock[i - 1].object != e->object) i--;
    if (!i) return;
    for (h->n--; i <= h->n; i++) h->lock[i - 1] = h->lock[i];
}

RFI_FN void rfi_goodlock_event(const rf_event *e) {
    switch (e->kind) {
    case RF_EV_LOCK: rfi_goodlock_lock(e); return;
    case RF_EV_UNLOCK: rfi_goodlock_unlock(e); return;
    case RF_EV_JOIN: rfi_goodlock_kin(e); return;
    case RF_EV_CREATE: rfi_goodlock_kin(e); break;
    default: break;
    }
    rfi_scopes_event(&rfi_goodlock, e);
}

/* Where the execution ended, some still wait for their locks. */
RFI_FN void rfi_goodlock_pending(void) {
    for (uint32_t t = 0; t < rfi_goodlock.threads; t++) {
        const rfi_holding *h = &rfi_goodlock.thread[t];
        if (!h->n || !rf_thread_alive(t)) continue;
        const rf_event *next = rf_next_event(t);
        uint32_t object = rfi_requested(next), i = 0;
        while (i < h->n && h->lock[i].object != object) i++;
        if (!object || i < h->n) continue; /* it has got it */
        i = rfi_goodlock_request(t, object, next->flags & RF_EV_SHARED, next->site);
        if (i) rfi_goodlock.relation[i - 1].waits = true;
    }
}

/* ---- reports ---- */

/* `real`: all of them are waiting now. */
RFI_FN void rfi_goodlock_warn(const rfi_request *const *member, uint32_t n, bool real) {
    rfi_goodlock_state *g = &rfi_goodlock;
    rf_warning w;
    uint64_t hash = rfi_cycle_warning(&w, "goodlock", member, n, &g->arena);
    w.real = real;
    g->cycles++;
    if (++*rfi_map_at(&g->told, hash) > 1 && !real) return;
    g->kinds += *rfi_map_at(&g->told, hash) == 1;
    rf_warn(&w);
}

/* There may be more cycles than were looked for. */
RFI_FN void rfi_goodlock_limited(void) {
    const rfi_request *last = &rfi_goodlock.relation[rfi_goodlock.requests - 1].request;
    rf_warning w = {.family = RF_FAMILY_OTHER,
                    .by = "goodlock",
                    .places = 1,
                    .targets = 1,
                    .target = {rfi_hash_text("goodlock") >> (64 - RFI_KEY_BITS) | 1},
                    .text =
                        "There are too many requests of locks: not all cycles were looked for."};
    w.place[0] = (rf_place){.site = last->site,
                            .role = "is one of too many lock requests, not all of them compared:",
                            .thread = last->thread,
                            .object = last->object};
    rf_warn(&w);
}

/* ---- cycles ---- */

/* No lock excludes the two threads from being there at once. */
RFI_FN bool rfi_holds_apart(const rfi_dependency *a, const rfi_dependency *b) {
    if (!(a->filter & b->filter)) return true;
    const rfi_request *p = &a->request, *q = &b->request;
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t k = 0; k < q->n; k++)
            if (p->held[i].object == q->held[k].object && !(p->held[i].shared && q->held[k].shared))
                return false;
    return true;
}

/* Does start or join order the request `a` before `b`? */
RFI_FN bool rfi_request_before(const rfi_dependency *a, const rfi_dependency *b) {
    return a->own <= rfi_clock_get(b->heard, a->request.thread);
}

/* Could both be part of one chain? */
RFI_FN bool rfi_request_beside(const rfi_dependency *a, const rfi_dependency *b) {
    return a->request.thread != b->request.thread && a->request.object != b->request.object &&
           rfi_holds_apart(a, b) && !rfi_request_before(a, b) && !rfi_request_before(b, a);
}

/* Does the thread of `d` hold what `r` waits for? */
RFI_FN bool rfi_request_blocked(const rfi_request *r, const rfi_request *d) {
    for (uint32_t i = 0; i < d->n; i++)
        if (d->held[i].object == r->object && !(d->held[i].shared && r->shared)) return true;
    return false;
}

RFI_FN void rfi_chain_push(uint32_t dependency, const rfi_chain *before, uint32_t number) {
    rfi_goodlock_state *g = &rfi_goodlock;
    rfi_chain c = {.last = dependency, .first = dependency, .length = 1};
    if (before) c = (rfi_chain){dependency, number + 1, before->first, before->length + 1};
    g->chain = rfi_grow(g->chain, &g->chain_capacity, g->chains + 1, sizeof *g->chain);
    g->chain[g->chains++] = c;
}

RFI_FN void rfi_chain_report(const rfi_chain *c, const rfi_dependency *last) {
    rfi_goodlock_state *g = &rfi_goodlock;
    uint32_t n = c->length + 1, i = n - 1;
    const rfi_request **member = rfi_arena_raw(&g->arena, n * sizeof *member);
    bool all_wait = last->waits;
    member[i] = &last->request;
    for (;; c = &g->chain[c->before - 1]) {
        member[--i] = &g->relation[c->last].request;
        all_wait &= g->relation[c->last].waits;
        if (!c->before) break;
    }
    rfi_goodlock_warn(member, n, all_wait);
}

/* Adds every request that goes on where the chain ends.  The first thread is the one with the
 * lowest number, so that a cycle is met once; a cycle is not extended. */
RFI_FN void rfi_chain_extend(uint32_t number) {
    rfi_goodlock_state *g = &rfi_goodlock;
    const rfi_chain chain = g->chain[number];
    const rfi_request *last = &g->relation[chain.last].request;
    const rfi_dependency *first = &g->relation[chain.first];
    const uint64_t *list = rfi_map_find(&g->held_by, last->object);
    for (uint32_t h = list ? (uint32_t)*list : 0; h; h = g->holder[h - 1].next) {
        uint32_t i = g->holder[h - 1].dependency;
        const rfi_dependency *d = &g->relation[i];
        if (++g->work > RFI_GOODLOCK_WORK) return;
        if (d->request.thread <= first->request.thread) continue;
        if (g->holder[h - 1].shared && last->shared) continue;
        bool fits = true;
        for (const rfi_chain *c = &chain; fits; c = &g->chain[c->before - 1]) {
            fits = rfi_request_beside(&g->relation[c->last], d);
            if (!c->before) break;
        }
        if (!fits) continue;
        if (rfi_request_blocked(&d->request, &first->request))
            rfi_chain_report(&chain, d);
        else if (!rfi_goodlock_longest || chain.length + 1 < rfi_goodlock_longest)
            rfi_chain_push(i, &chain, number);
    }
}

/* Lists of the requests by the locks that are held, in the order of the requests. */
RFI_FN void rfi_goodlock_index(void) {
    rfi_goodlock_state *g = &rfi_goodlock;
    rfi_map_reset(&g->held_by);
    g->holders = 0;
    for (uint32_t i = g->requests; i--;) {
        const rfi_request *r = &g->relation[i].request;
        for (uint32_t k = 0; k < r->n; k++) {
            uint64_t *list = rfi_map_at(&g->held_by, r->held[k].object);
            g->holder = rfi_grow(g->holder, &g->holder_capacity, g->holders + 1, sizeof *g->holder);
            g->holder[g->holders++] = (rfi_holder){i, (uint32_t)*list, r->held[k].shared};
            *list = g->holders;
        }
    }
}

RFI_FN void rfi_goodlock_search(void) {
    rfi_goodlock_state *g = &rfi_goodlock;
    rfi_goodlock_index();
    rfi_map_reset(&g->told);
    g->chains = g->work = 0;
    for (uint32_t i = 0; i < g->requests; i++) rfi_chain_push(i, NULL, 0);
    for (uint32_t c = 0; c < g->chains && g->work <= RFI_GOODLOCK_WORK; c++) rfi_chain_extend(c);
    if (g->limited || g->work > RFI_GOODLOCK_WORK) rfi_goodlock_limited();
}

RFI_FN void rfi_goodlock_end(void) {
    rfi_goodlock_state *g = &rfi_goodlock;
    rfi_goodlock_pending();
    bool two = false; /* threads that hold one lock and want another */
    for (uint32_t i = 1; i < g->requests && !two; i++)
        two = g->relation[i].request.thread != g->relation[0].request.thread;
    if (two) rfi_goodlock_search();
    rfi_scopes_end();
}

static rf_analysis rfi_goodlock_analysis RFI_UNUSED = {
    .name = "goodlock",
    .help = "deadlocks of other schedules: threads that take locks in different orders",
    .events =
        RFI_SCOPES_EVENTS | RF_EV_BIT(RF_EV_LOCK) | RF_EV_BIT(RF_EV_UNLOCK) | RF_EV_BIT(RF_EV_JOIN),
    .begin = rfi_goodlock_begin,
    .event = rfi_goodlock_event,
    .end = rfi_goodlock_end};
#endif
#endif

/* ==== edit src/detect/crowd.h ============================ >>detect/crowd */
/* detect/crowd.h: the threads that have made the same access, each with its own clock then.
 *
 * A hash table by thread number, in which the numbers of neighbours are neighbours.  Whether all of
 * them are ordered before something is mostly one comparison: the crowd remembers somebody before
 * whom they all are, and whoever has heard of that one is behind all of them too.
 *
 * Cost: an access puts one thread into a crowd at most; looking at all of them pays for itself by
 * what was put in since, as long as no race is found, and a race ends the search.
 */
#ifndef RFI_DETECT_CROWD_H
#define RFI_DETECT_CROWD_H

#ifdef RFI_IMPL
typedef struct rfi_mate {
    uint32_t thread; /* + 1; 0: free */
    uint32_t k, size;
} rfi_mate;

typedef struct rfi_crowd {
    rfi_mate *slot;
    uint32_t size, capacity, count; /* size: a power of two, or 0 */
    uint32_t witness;               /* slot of the last one that was found unordered */
    uint32_t thread, k; /* who has heard of this knows of all; UINT32_MAX: there is nobody */
} rfi_crowd;

/* Who asks, and what he has heard of the others. */
typedef struct rfi_hearer {
    uint32_t thread, own;
    const rfi_clock *heard;
} rfi_hearer;

enum { RFI_CROWD_LEAST = 4 };

RFI_INLINE rfi_mate *rfi_crowd_at(const rfi_crowd *c, uint32_t thread) {
    uint32_t i = thread & (c->size - 1);
    while (c->slot[i].thread && c->slot[i].thread != thread + 1) i = (i + 1) & (c->size - 1);
    return &c->slot[i];
}

/* It keeps its memory. */
RFI_INLINE void rfi_crowd_clear(rfi_crowd *c) {
    if (!c->count) return;
    c->count = 0;
    c->size = RFI_CROWD_LEAST;
    memset(c->slot, 0, RFI_CROWD_LEAST * sizeof *c->slot);
}

RFI_INLINE bool rfi_mate_before(const rfi_mate *m, const rfi_hearer *h) {
    return m->thread == h->thread + 1 || m->k <= rfi_clock_get(h->heard, m->thread - 1);
}

/* Room for more, so much that it need not be made again soon.  Those before `h` are left out. */
RFI_FN RFI_APART void rfi_crowd_room(rfi_crowd *c, const rfi_hearer *h, rfi_arena *arena) {
    static rfi_mate *kept;
    static uint32_t capacity;
    uint32_t n = 0, size = RFI_CROWD_LEAST;
    kept = rfi_grow(kept, &capacity, c->count, sizeof *kept);
    for (uint32_t i = 0; i < c->size; i++)
        if (c->slot[i].thread && !rfi_mate_before(&c->slot[i], h)) kept[n++] = c->slot[i];
    while (n * 2 >= size) size *= 2;
    if (size > c->capacity) {
        c->slot = rfi_arena_take(arena, size * sizeof *c->slot);
        c->capacity = size;
    } else {
        memset(c->slot, 0, size * sizeof *c->slot);
    }
    c->size = size;
    c->count = n;
    while (n--) *rfi_crowd_at(c, kept[n].thread - 1) = kept[n];
}

/* `h` is who makes the access now, and takes the place of those before him. */
RFI_FN void rfi_crowd_put(rfi_crowd *c, rfi_mate m, const rfi_hearer *h, rfi_arena *arena) {
    if (RFI_UNLIKELY((c->count + 1) * 4 > c->size * 3)) rfi_crowd_room(c, h, arena);
    rfi_mate *to = rfi_crowd_at(c, m.thread - 1);
    if (!to->thread)
        c->count++;
    else if (to->k > m.k)
        return;
    *to = m;
    c->thread = c->count == 1 ? m.thread - 1 : UINT32_MAX;
    c->k = c->count == 1 ? m.k : UINT32_MAX;
}

/* Are they known to be all before `h`? */
RFI_INLINE bool rfi_crowd_before(const rfi_crowd *c, const rfi_hearer *h) {
    return !c->count || c->thread == h->thread || c->k <= rfi_clock_get(h->heard, c->thread);
}

/* One of them that is not before `h`, or NULL; what stands there of thread `except` is too old. */
RFI_FN const rfi_mate *rfi_crowd_open(rfi_crowd *c, uint32_t except, const rfi_hearer *h) {
    if (rfi_crowd_before(c, h)) return NULL;
    for (uint32_t n = 0; n < c->size; n++) {
        uint32_t i = (c->witness + n) & (c->size - 1);
        const rfi_mate *m = &c->slot[i];
        if (!m->thread || m->thread == except + 1 || rfi_mate_before(m, h)) continue;
        c->witness = i;
        return m;
    }
    c->thread = h->thread;
    c->k = h->own;
    return NULL;
}
#endif
#endif

/* ==== edit src/detect/pairs.h ============================ >>detect/pairs */
/* detect/pairs.h: every pair of racing statements (docs/internals.md, The detectors).
 *
 * Happens-before and hybrid ask the same question of the same accesses: is there an earlier one by
 * another thread, not ordered before this one, that conflicts with it?  They differ in the
 * relation, and hybrid asks for the locks too.  So there is one memory of accesses, each with its
 * thread's own clock in both relations, and one walk.  hb.h and hybrid.h switch their relation on;
 * when both run, the first drives and everything is done once.
 *
 * Memory.  A location keeps one record for each (site, kind, lock set, bytes): the newest access of
 * that kind, and beside it, in each relation, a crowd (detect/crowd.h) of the other threads that
 * made it, each with its newest clock: whatever a later access races with among those before, it
 * races with the newest.  There is no window, so no pair is lost.  Two filters keep the crowds
 * small and the pairs all, in each relation by itself:
 *   - an access is dropped when its thread stands in the record with the same clock: it has sent no
 *     message since, so nothing can be ordered between the two;
 *   - an access that is ordered before the new one and like it in all but its thread gives way to
 *     it.  What comes later and is not ordered after the old one is not ordered after the new one
 *     either, and its pair of statements is the same.
 *
 * Witness.  Of each record at most one access is reported in a relation: the newest if it races,
 * otherwise one of its crowd.  Pairs are pairs of statements, so a second one adds nothing.  And
 * hybrid does not look into records that a common lock protects.
 *
 * Order inside an access: what an atomic read acquires, the check, the record, what a write
 * releases (docs/internals.md, The event stream).
 */
#ifndef RFI_DETECT_PAIRS_H
#define RFI_DETECT_PAIRS_H

#ifdef RFI_IMPL
typedef struct rfi_others {
    rfi_crowd by[RFI_RELATIONS];
} rfi_others;

typedef struct rfi_access {
    struct rfi_access *next;
    const rf_site *site;
    rfi_others *others;        /* threads that made it before; NULL: there has been one only */
    uint32_t k[RFI_RELATIONS]; /* own clock of the thread; 0 where the relation is not in use */
    uint32_t thread, size, lockset;
    uint16_t flags;
    uint8_t mask; /* bytes of the granule */
} rfi_access;

/* The access that executes, and what its thread has heard of the others. */
typedef struct rfi_now {
    rfi_access access;
    rfi_hearer hearer[RFI_RELATIONS];
} rfi_now;

typedef struct rfi_pairs {
    unsigned users;  /* bit set of relations */
    unsigned driver; /* the user whose events count */
    const char *name[RFI_RELATIONS];
    rfi_shadow shadow; /* granule -> rfi_access list, newest first */
    rfi_access *spare;
} rfi_pairs;

static rfi_pairs rfi_pairs_state RFI_UNUSED;

RFI_FN void rfi_pairs_begin(unsigned relation, const rf_analysis *who) {
    rfi_pairs *d = &rfi_pairs_state;
    if (!d->users) {
        d->driver = relation;
        rfi_shadow_reset(&d->shadow);
        d->spare = NULL;
    }
    d->users |= 1u << relation;
    d->name[relation] = who->name;
    rfi_track_begin(who, 1u << relation | RFI_TRACK_LOCKS);
}

RFI_FN void rfi_pairs_end(unsigned relation) {
    rfi_pairs_state.users &= ~(1u << relation);
    rfi_track_end();
}

/* ---- the check ---- */

RFI_FN RFI_COLD void rfi_pairs_report(const rfi_access *a, const rfi_access *b, uintptr_t granule,
                                      unsigned relation) {
    uintptr_t addr = granule * RFI_GRANULE + (unsigned)__builtin_ctz(a->mask & b->mask);
    rfi_race r = {.by = rfi_pairs_state.name[relation],
                  .site = {a->site, b->site},
                  .flags = {a->flags, b->flags},
                  .thread = {a->thread, b->thread},
                  .size = {a->size, b->size},
                  .lockset = {a->lockset, b->lockset},
                  .addr = (const void *)addr,
                  .unordered = relation == RFI_FULL};
    rfi_race_report(&r);
}

/* Common bytes, a write among them, and not both atomic. */
RFI_INLINE bool rfi_pairs_conflict(const rfi_access *a, const rfi_access *b) {
    return (a->mask & b->mask) && ((a->flags | b->flags) & RF_EV_WRITES) &&
           !(a->flags & b->flags & RF_EV_ATOMIC);
}

/* No two records of a granule are alike.  Joined without && since compilers make one comparison in
 * memory of that, and wait for the parts of a new access to get there. */
RFI_INLINE bool rfi_pairs_alike(const rfi_access *a, const rfi_access *b) {
    return a->site == b->site && !((a->lockset ^ b->lockset) | (unsigned)(a->flags ^ b->flags) |
                                   (unsigned)(a->mask ^ b->mask));
}

/* Is the newest access of a record not ordered before the one that executes? */
RFI_INLINE bool rfi_pairs_open(const rfi_access *a, const rfi_hearer *h, unsigned relation) {
    return a->thread != h->thread && a->k[relation] > rfi_clock_get(h->heard, a->thread);
}

/* Bit set of the relations in which the record says nothing of this thread at this clock. */
RFI_INLINE unsigned rfi_pairs_lacks(const rfi_access *a, const rfi_access *b) {
    if (RFI_LIKELY(a->thread == b->thread))
        return (unsigned)(a->k[RFI_FULL] != b->k[RFI_FULL]) << RFI_FULL |
               (unsigned)(a->k[RFI_RELAXED] != b->k[RFI_RELAXED]) << RFI_RELAXED;
    unsigned lacks = rfi_pairs_state.users;
    for (unsigned r = 0; r < RFI_RELATIONS && a->others; r++) {
        const rfi_crowd *c = &a->others->by[r];
        if (!c->count) continue;
        const rfi_mate *m = rfi_crowd_at(c, b->thread);
        if (m->thread && m->k == b->k[r]) lacks &= ~(1u << r);
    }
    return lacks;
}

/* Bit set of the relations in which an access says something new. */
RFI_INLINE unsigned rfi_pairs_news(const rfi_access *a, const rfi_access *b) {
    for (; a; a = a->next)
        if (rfi_pairs_alike(a, b)) return rfi_pairs_lacks(a, b);
    return rfi_pairs_state.users;
}

/* Checks the access that executes against a record, in some relations. */
RFI_FN void rfi_pairs_check(const rfi_access *a, const rfi_now *now, uintptr_t granule,
                            unsigned relations) {
    const rfi_access *b = &now->access;
    for (unsigned r = 0; r < RFI_RELATIONS; r++) {
        const rfi_hearer *h = &now->hearer[r];
        if (!(relations & 1u << r)) continue;
        bool open = rfi_pairs_open(a, h, r);
        if (!open && !(a->others && a->others->by[r].count)) continue;
        if (r == RFI_RELAXED && rfi_lockset_protected(a->lockset, b->lockset)) continue;
        if (open) {
            rfi_pairs_report(a, b, granule, r);
            continue;
        }
        const rfi_mate *m = rfi_crowd_open(&a->others->by[r], a->thread, h);
        if (!m) continue;
        rfi_access other = *a;
        other.thread = m->thread - 1;
        other.size = m->size;
        rfi_pairs_report(&other, b, granule, r);
    }
}

/* ---- the record ---- */

RFI_FN rfi_access *rfi_pairs_take(void) {
    rfi_pairs *d = &rfi_pairs_state;
    rfi_access *a = d->spare;
    if (!a) return rfi_arena_take(&d->shadow.arena, sizeof *a);
    d->spare = a->next;
    for (unsigned r = 0; r < RFI_RELATIONS && a->others; r++) rfi_crowd_clear(&a->others->by[r]);
    return a;
}

RFI_FN void rfi_pairs_drop(rfi_access *a) {
    a->next = rfi_pairs_state.spare;
    rfi_pairs_state.spare = a;
}

/* Another thread's access becomes one of the crowd. */
RFI_FN void rfi_pairs_put(rfi_access *a, unsigned relation, rfi_mate m, const rfi_hearer *h) {
    rfi_arena *arena = &rfi_pairs_state.shadow.arena;
    if (!a->others) a->others = rfi_arena_take(arena, sizeof *a->others);
    rfi_crowd_put(&a->others->by[relation], m, h, arena);
}

/* The access that executes becomes the newest of a record. */
RFI_FN void rfi_pairs_renew(rfi_access *a, const rfi_now *now) {
    for (unsigned r = 0; r < RFI_RELATIONS; r++) {
        const rfi_hearer *h = &now->hearer[r];
        if (a->others && rfi_crowd_before(&a->others->by[r], h)) rfi_crowd_clear(&a->others->by[r]);
        if (rfi_pairs_open(a, h, r))
            rfi_pairs_put(a, r, (rfi_mate){a->thread + 1, a->k[r], a->size}, h);
        a->k[r] = now->access.k[r];
    }
    a->thread = now->access.thread;
    a->size = now->access.size;
}

/* Checks the access against the records of one granule, then records it at the front. */
RFI_FN void rfi_pairs_granule(const rfi_now *now, uintptr_t granule, void **place) {
    const rfi_access *b = &now->access;
    rfi_access *list = *place, *record = NULL, *a;
    unsigned news = rfi_pairs_news(list, b);
    if (!news) return;
    for (rfi_access **link = &list; (a = *link);) {
        if (rfi_pairs_conflict(a, b)) rfi_pairs_check(a, now, granule, news);
        if (rfi_pairs_alike(a, b)) {
            record = a;
            *link = a->next;
        } else {
            link = &a->next;
        }
    }
    if (record) {
        rfi_pairs_renew(record, now);
    } else {
        record = rfi_pairs_take();
        rfi_others *others = record->others;
        *record = *b;
        record->others = others;
    }
    record->next = list;
    *place = record;
}

/* What executes, on no bytes yet.  Written in place, field by field: it is read at once, and would
 * have to wait for copies. */
RFI_INLINE void rfi_pairs_now(rfi_now *now, uint32_t thread, const rf_site *site, size_t size,
                              uint16_t flags) {
    static const rfi_clock nothing = {0};
    rfi_access *b = &now->access;
    b->next = NULL;
    b->site = site;
    b->others = NULL;
    b->thread = thread;
    b->size = (uint32_t)size;
    b->lockset = rfi_lockset_of(thread);
    b->flags = flags;
    for (unsigned r = 0; r < RFI_RELATIONS; r++) {
        rfi_hearer *h = &now->hearer[r];
        const rfi_actor *a = rfi_pairs_state.users & 1u << r ? rfi_track_actor(r, thread) : NULL;
        h->thread = thread;
        b->k[r] = h->own = a ? a->own : 0;
        h->heard = a ? &a->clock : &nothing;
    }
}

RFI_FN RFI_APART bool rfi_pairs_lane_news(uint32_t thread, const rf_site *site, const void *addr,
                                          size_t size, bool writes, void **place) {
    uintptr_t granule = (uintptr_t)addr / RFI_GRANULE, offset = (uintptr_t)addr % RFI_GRANULE;
    rfi_now now;
    rfi_pairs_now(&now, thread, site, size, writes ? RF_EV_WRITES : RF_EV_READS);
    now.access.mask = (uint8_t)(((1u << size) - 1) << offset);
    rfi_pairs_granule(&now, granule, place);
    return true;
}

/* A plain access of one granule, for all users at once, without an event. */
RFI_FN bool rfi_pairs_lane(uint32_t thread, const rf_site *site, const void *addr, size_t size,
                           bool writes) {
    rfi_pairs *d = &rfi_pairs_state;
    uintptr_t granule = (uintptr_t)addr / RFI_GRANULE, offset = (uintptr_t)addr % RFI_GRANULE;
    if (offset + size > RFI_GRANULE || (writes && rfi_track_atomics())) return false;
    rfi_region *region = rfi_shadow_region(&d->shadow, granule);
    if (RFI_UNLIKELY(!region)) return false;
    rfi_access now = {.site = site,
                      .thread = thread,
                      .lockset = rfi_lockset_of(thread),
                      .flags = writes ? RF_EV_WRITES : RF_EV_READS,
                      .mask = (uint8_t)(((1u << size) - 1) << offset)};
    for (unsigned r = 0; r < RFI_RELATIONS; r++) {
        const rfi_actors *actors = &rfi_tracked.actors[r];
        if (!(d->users & 1u << r)) continue;
        if (RFI_UNLIKELY(thread >= actors->count)) return false;
        now.k[r] = actors->thread[thread].own;
    }
    void **place = &region->at[granule % RFI_REGION];
    if (RFI_LIKELY(!rfi_pairs_news(*place, &now))) return true;
    return rfi_pairs_lane_news(thread, site, addr, size, writes, place);
}

RFI_FN void rfi_pairs_access(const rf_event *e) {
    rfi_now now;
    rfi_pairs_now(&now, e->thread, e->site, e->size, e->flags);
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    for (uintptr_t g = from / RFI_GRANULE; g <= (to - 1) / RFI_GRANULE; g++) {
        now.access.mask = rfi_shadow_mask(g, from, to);
        rfi_pairs_granule(&now, g, rfi_shadow_at(&rfi_pairs_state.shadow, g));
    }
}

/* ---- memory that becomes something else ---- */

/* Record `a` takes over what an older record like it knows. */
RFI_FN void rfi_pairs_merge(rfi_access *a, rfi_access *old) {
    static const rfi_clock nothing = {0};
    const rfi_hearer newest = {.thread = a->thread, .heard = &nothing};
    for (unsigned r = 0; r < RFI_RELATIONS; r++) {
        if (rfi_pairs_open(old, &newest, r))
            rfi_pairs_put(a, r, (rfi_mate){old->thread + 1, old->k[r], old->size}, &newest);
        for (uint32_t i = 0; old->others && i < old->others->by[r].size; i++) {
            rfi_mate m = old->others->by[r].slot[i];
            if (m.thread && m.thread != a->thread + 1) rfi_pairs_put(a, r, m, &newest);
        }
    }
    rfi_pairs_drop(old);
}

/* The range [from, to) is something new now. */
RFI_FN void rfi_pairs_forget(uintptr_t from, uintptr_t to) {
    rfi_shadow *s = &rfi_pairs_state.shadow;
    uintptr_t end = (to - 1) / RFI_GRANULE + 1;
    for (uintptr_t g = from / RFI_GRANULE; (g = rfi_shadow_next(s, g, end)) < end; g++) {
        rfi_access *list = rfi_shadow_get(s, g), *a;
        uint8_t gone = rfi_shadow_mask(g, from, to);
        for (rfi_access **link = &list; (a = *link);) {
            rfi_access *like = list;
            a->mask &= (uint8_t)~gone;
            while (like != a && !rfi_pairs_alike(like, a)) like = like->next;
            if (a->mask && like == a) {
                link = &a->next;
                continue;
            }
            *link = a->next;
            if (a->mask)
                rfi_pairs_merge(like, a);
            else
                rfi_pairs_drop(a);
        }
        *rfi_shadow_at(s, g) = list;
    }
}

/* Plain accesses, atomic ones, and what happens to whole blocks. */
RFI_FN void rfi_pairs_memory(const rf_event *e) {
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    if (e->kind == RF_EV_ALLOC || e->kind == RF_EV_RECYCLE)
        rfi_pairs_forget(from, to);
    else if (!(e->flags & RF_EV_RACY))
        rfi_pairs_access(e);
}

/* An event, as `who`, the user of `relation`, gets it. */
RFI_FN void rfi_pairs_event(unsigned relation, const rf_analysis *who, const rf_event *e) {
    rfi_track_before(who, e);
    if (rfi_pairs_state.driver == relation && rfi_track_memory(e) && e->size) rfi_pairs_memory(e);
    rfi_track_after(who, e);
}
#endif
#endif

/* ==== edit src/detect/hb.h =============================== >>detect/hb */
/* detect/hb.h: happens-before with vector clocks (Djit+, Pozniansky and Schuster, PPoPP
 * 2003), in complete pair mode.
 *
 * Two accesses race when they are not ordered by the full relation of engine/order.h: program
 * order, start and join, locks, semaphores, barriers, once, release/acquire atomics.  Not by a
 * condition's signal: what C promises about it comes from the mutex.
 *
 * Guarantee: no false alarm; in the order of synchronisation that was observed, every racing pair
 * of statements is reported.  A race that an accidental order of locks hides is not predicted;
 * detect/hybrid.h does that.
 */
#ifndef RFI_DETECT_HB_H
#define RFI_DETECT_HB_H

#ifdef RFI_IMPL
static const rf_analysis rfi_hb_analysis;

RFI_FN void rfi_hb_begin(void) { rfi_pairs_begin(RFI_FULL, &rfi_hb_analysis); }
RFI_FN void rfi_hb_event(const rf_event *e) { rfi_pairs_event(RFI_FULL, &rfi_hb_analysis, e); }
RFI_FN void rfi_hb_end(void) { rfi_pairs_end(RFI_FULL); }

static const rf_analysis rfi_hb_analysis RFI_UNUSED = {
    .name = "hb",
    .help = "races of this very execution: accesses that happens-before leaves unordered",
    .events = RFI_TRACK_EVENTS,
    .begin = rfi_hb_begin,
    .event = rfi_hb_event,
    .end = rfi_hb_end,
    .access = rfi_pairs_lane};
#endif
#endif

/* ==== edit src/detect/hybrid.h =========================== >>detect/hybrid */
/* detect/hybrid.h: hybrid race detection (O'Callahan and Choi, PPoPP 2003) as the first phase of
 * RaceFuzzer (Sen, PLDI 2008, section 2.2), in complete pair mode.
 *
 * Two accesses are a potential race when no common lock protects them (at least one side holding it
 * exclusively) and the relaxed relation of engine/order.h, in which locks order nothing and a
 * signal orders the wait that it wakes, leaves them unordered.
 *
 * Guarantee: a pair that an accidental order of critical sections hides in this execution is
 * reported.  It may be one that no schedule can produce (a hand-over by a flag under a lock, a
 * barrier built by hand): the second phase tells.  Code that was not executed is not seen.
 */
#ifndef RFI_DETECT_HYBRID_H
#define RFI_DETECT_HYBRID_H

#ifdef RFI_IMPL
static const rf_analysis rfi_hybrid_analysis;

RFI_FN void rfi_hybrid_begin(void) { rfi_pairs_begin(RFI_RELAXED, &rfi_hybrid_analysis); }
RFI_FN void rfi_hybrid_event(const rf_event *e) {
    rfi_pairs_event(RFI_RELAXED, &rfi_hybrid_analysis, e);
}
RFI_FN void rfi_hybrid_end(void) { rfi_pairs_end(RFI_RELAXED); }

static const rf_analysis rfi_hybrid_analysis RFI_UNUSED = {
    .name = "hybrid",
    .help = "races of other schedules: accesses without a common lock that only locks order",
    .events = RFI_TRACK_EVENTS,
    .begin = rfi_hybrid_begin,
    .event = rfi_hybrid_event,
    .end = rfi_hybrid_end,
    .access = rfi_pairs_lane};
#endif
#endif

/* ==== edit src/detect/lostwakeup.h ======================= >>detect/lostwakeup */
/* detect/lostwakeup.h: notifications that may come before the wait, wake nobody, and be lost.
 *
 * After the analysis of missed notifications in CalFuzzer (Joshi, Naik, Park and Sen, CAV 2009):
 * a wait and the notification that has woken it, where no order that all schedules share puts
 * the waiter's taking of the mutex before the notification.  That alone accuses every correct
 *
 *     lock; while (!ready) wait; unlock          lock; ready = true; signal; unlock
 *
 * since the signal may well come first; but then the waiter does not wait.  So what the waiter has
 * *looked at*, from taking the mutex to its wait, is compared with what has changed until it
 * woke.  Let K be a critical section of the waiter's mutex that the notification is in or that
 * ends before it.  A change before the end of K is *kept*: either the waiter's critical section
 * comes before K, and then it waits when it is notified, or behind it, and then it sees the
 * change.  A wait is suspected when
 *   - it was woken by a notification, and cannot time out;
 *   - nothing that the waiter had looked at was changed in a way that is kept; and
 *   - the waiter did not look at any of it again, to wait again.
 *
 * Guarantee: none in either direction, this is a prediction.  Wrong suspicions: a predicate that no
 * macro announces; a notifier that asks whether somebody waits.  Misses: the waiter looks at
 * something else that is changed under the mutex; a notification that goes to the wrong waiter, or
 * wakes too few.
 */
#ifndef RFI_DETECT_LOSTWAKEUP_H
#define RFI_DETECT_LOSTWAKEUP_H

#ifdef RFI_IMPL
# define RFI_LOOKS   256u /* that are kept up to a wait; with more nothing is suspected */
# define RFI_GLANCES 16u  /* the last ones that are kept outside of one */

/* What a thread has read. */
typedef struct rfi_look {
    uintptr_t from, to;
    uint64_t at;
} rfi_look;

/* A mutex that a thread holds. */
typedef struct rfi_grip {
    const rf_site *site; /* where it was taken */
    uint32_t object;
    uint32_t own;   /* clock of the thread then */
    uint32_t looks; /* how many it had made by then */
} rfi_grip;

typedef struct rfi_looks {
    rfi_look *look;
    uint32_t count, capacity;
    bool many; /* more than are kept */
} rfi_looks;

/* The last write to some bytes of a granule. */
typedef struct rfi_change {
    struct rfi_change *next; /* to other bytes */
    const rf_site *site;
    uint64_t at;
    uint32_t thread, size; /* of the whole access */
    uint8_t mask;
} rfi_change;

# define RFI_NOTICE_LOCKS 8u  /* that are told */
# define RFI_PENDING      16u /* suspicions that are left open */

/* A wait, and the notification that has woken it and may be lost. */
typedef struct rfi_suspicion {
    rf_event wait, notice;
    uint32_t own;      /* clock of the waiter when it began to wait */
    rfi_grip taken;    /* the mutex of the wait */
    uint64_t at;       /* when the notification was made */
    uint64_t later;    /* when something was changed after it that the waiter then saw; 0: never */
    rfi_change change; /* of what the waiter had looked at; site NULL: there is none */
    bool early;        /* the waiter had looked at it before it took the mutex */
    bool locked;       /* the notifier still holds the mutex, and may yet make a change */
    uint32_t locks;
    rf_lock lock[RFI_NOTICE_LOCKS]; /* the notifier's */
} rfi_suspicion;

typedef struct rfi_waiter {
    rfi_grip *hold;
    uint32_t holds, hold_capacity;
    rfi_looks now, before; /* since the last wait; up to it */
    enum { RFI_AWAKE, RFI_ASLEEP, RFI_WOKEN } state;
    bool suspected;
    rfi_suspicion s;
} rfi_waiter;

static struct rfi_wakes {
    rfi_order order;
    rfi_actors actors;
    rfi_waiter *waiter; /* by thread */
    uint32_t waiters, waiter_capacity, made;
    uint32_t locked;                 /* suspicions that the notifier's unlock may lift */
    rfi_shadow changes;              /* granule -> rfi_change */
    rfi_map released;                /* thread, mutex -> when it was released last */
    rf_event notice;                 /* the last signal or broadcast */
    rfi_map noticed;                 /* condition -> when there was one last */
    uint64_t now;                    /* counts events */
    rfi_suspicion open[RFI_PENDING]; /* that are to be reported in the end */
    uint32_t pending;
} rfi_wakes RFI_UNUSED;

RFI_FN void rfi_wakes_begin(void) {
    struct rfi_wakes *w = &rfi_wakes;
    rfi_order_begin(&w->order, RFI_FORCED, &w->actors);
    rfi_shadow_reset(&w->changes);
    rfi_map_reset(&w->released);
    rfi_map_reset(&w->noticed);
    w->waiters = w->locked = w->pending = 0;
    w->now = 0;
}

/* Thread `t`.  If it is new the others may move. */
RFI_FN rfi_waiter *rfi_waiter_of(uint32_t t) {
    struct rfi_wakes *w = &rfi_wakes;
    if (RFI_LIKELY(t < w->waiters)) return &w->waiter[t];
    w->waiter = rfi_grow(w->waiter, &w->waiter_capacity, t + 1, sizeof *w->waiter);
    for (; w->made <= t; w->made++) w->waiter[w->made] = (rfi_waiter){.holds = 0};
    for (; w->waiters <= t; w->waiters++) {
        rfi_waiter *u = &w->waiter[w->waiters];
        u->holds = u->now.count = 0;
        u->now.many = u->suspected = false;
        u->state = RFI_AWAKE;
    }
    return &w->waiter[t];
}

/* ---- what is held ---- */

/* Keeps the last looks. */
RFI_FN void rfi_looks_trim(rfi_looks *l) {
    l->many = false;
    if (l->count <= RFI_GLANCES) return;
    memmove(l->look, l->look + l->count - RFI_GLANCES, RFI_GLANCES * sizeof *l->look);
    l->count = RFI_GLANCES;
}

RFI_FN rfi_grip *rfi_waiter_holds(const rfi_waiter *t, uint32_t mutex) {
    for (uint32_t i = 0; i < t->holds; i++)
        if (t->hold[i].object == mutex) return &t->hold[i];
    return NULL;
}

RFI_FN uint64_t *rfi_wakes_released(uint32_t t, uint32_t mutex) {
    return rfi_map_at(&rfi_wakes.released, (uint64_t)t << 32 | mutex);
}

RFI_FN void rfi_wakes_lock(const rf_event *e) {
    rfi_waiter *t = rfi_waiter_of(e->thread);
    uint32_t own = rfi_actor_of(&rfi_wakes.actors, e->thread)->own;
    if (!t->holds) rfi_looks_trim(&t->now);
    t->hold = rfi_grow(t->hold, &t->hold_capacity, t->holds + 1, sizeof *t->hold);
    t->hold[t->holds++] = (rfi_grip){e->site, e->object, own, t->now.count};
}

/* ---- what is looked at and changed ---- */

RFI_FN void rfi_wakes_look(const rf_event *e) {
    rfi_waiter *t = rfi_waiter_of(e->thread);
    rfi_looks *l = &t->now;
    rfi_look look = {(uintptr_t)e->addr, (uintptr_t)e->addr + e->size, rfi_wakes.now};
    uint32_t first = t->holds ? t->hold[t->holds - 1].looks : 0; /* since the last lock */
    rfi_look *last = l->count > first ? &l->look[l->count - 1] : NULL;
    if (last && last->from == look.from && last->to == look.to) {
        if (!t->holds) *last = look;
        return;
    }
    if (!t->holds && l->count == 2 * RFI_GLANCES) rfi_looks_trim(l);
    l->many |= l->count == RFI_LOOKS;
    if (l->many) return;
    l->look = rfi_grow(l->look, &l->capacity, l->count + 1, sizeof *l->look);
    l->look[l->count++] = look;
}

RFI_FN void rfi_wakes_change(const rf_event *e) {
    rfi_shadow *s = &rfi_wakes.changes;
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    for (uintptr_t g = from / RFI_GRANULE; g <= (to - 1) / RFI_GRANULE; g++) {
        void **place = rfi_shadow_at(s, g);
        uint8_t mask = rfi_shadow_mask(g, from, to);
        rfi_change *c = *place;
        while (c && c->mask != mask) c = c->next;
        if (!c) {
            c = rfi_arena_take(&s->arena, sizeof *c);
            c->next = *place;
            *place = c;
        }
        *c = (rfi_change){c->next, e->site, rfi_wakes.now, e->thread, (uint32_t)e->size, mask};
    }
}

/* Is a change kept, by the notifier `by` or by the mutex that its thread held then, or took before
 * the notification that is made now? */
RFI_FN bool rfi_change_kept(const rfi_change *c, uint32_t mutex, uint32_t by) {
    return rfi_waiter_holds(rfi_waiter_of(by), mutex) ||
           rfi_waiter_holds(rfi_waiter_of(c->thread), mutex) ||
           *rfi_wakes_released(c->thread, mutex) > c->at || *rfi_wakes_released(by, mutex) > c->at;
}

typedef bool rfi_change_wanted(const rfi_change *c, void *arg);

/* Is there a change by another thread of what `t` has seen in its looks first .. end - 1, that is
 * wanted? */
RFI_FN bool rfi_changed(uint32_t t, const rfi_looks *l, uint32_t first, uint32_t end,
                        rfi_change_wanted *wanted, void *arg) {
    for (uint32_t i = first; i < end; i++) {
        const rfi_look *look = &l->look[i];
        uintptr_t stop = (look->to - 1) / RFI_GRANULE + 1, g = look->from / RFI_GRANULE;
        for (; (g = rfi_shadow_next(&rfi_wakes.changes, g, stop)) < stop; g++)
            for (rfi_change *c = rfi_shadow_get(&rfi_wakes.changes, g); c; c = c->next)
                if (c->thread != t && c->at > look->at &&
                    c->mask & rfi_shadow_mask(g, look->from, look->to) && wanted(c, arg))
                    return true;
    }
    return false;
}

/* ---- suspicion ---- */

/* A change that is kept; one that is not is remembered. */
RFI_FN bool rfi_want_kept(const rfi_change *c, void *waiter) {
    rfi_waiter *u = waiter;
    if (rfi_change_kept(c, u->s.taken.object, u->s.notice.thread)) return true;
    u->s.change = *c;
    return false;
}

RFI_FN bool rfi_want_early(const rfi_change *c, void *waiter) {
    rfi_waiter *u = waiter;
    u->s.change = *c;
    return u->s.early = true;
}

RFI_FN bool rfi_want_by_notifier(const rfi_change *c, void *waiter) {
    return c->thread == ((rfi_waiter *)waiter)->s.notice.thread;
}

/* Behind the notification, perhaps with a notification of its own. */
RFI_FN bool rfi_want_later(const rfi_change *c, void *waiter) {
    rfi_waiter *u = waiter;
    if (c->at > u->s.at) u->s.later = c->at;
    return false;
}

/* Thread `by` has woken `t`. */
RFI_FN void rfi_wakes_notify(uint32_t by, uint32_t t) {
    struct rfi_wakes *w = &rfi_wakes;
    (void)rfi_waiter_of(rf_threads() - 1); /* from here on nobody moves */
    rfi_waiter *u = rfi_waiter_of(t);
    rfi_suspicion *s = &u->s;
    if (u->state != RFI_ASLEEP) return;
    u->state = RFI_WOKEN;
    bool locked = rfi_waiter_holds(rfi_waiter_of(by), s->taken.object);
    uint32_t own = locked ? s->taken.own : s->own, first = s->taken.looks;
    if (u->before.many || own <= rfi_clock_get(&rfi_actor_of(&w->actors, by)->clock, t)) return;
    s->notice = w->notice;
    s->at = w->now;
    s->locked = locked;
    if (rfi_changed(t, &u->before, first, u->before.count, rfi_want_kept, u)) return;
    if (!s->change.site) (void)rfi_changed(t, &u->before, 0, first, rfi_want_early, u);
    u->suspected = true;
    u->s.locks = rf_thread_locks(by, u->s.lock, RFI_NOTICE_LOCKS);
    if (u->s.locks > RFI_NOTICE_LOCKS) u->s.locks = RFI_NOTICE_LOCKS;
    w->locked += locked;
}

/* A notifier releases the mutex: what it has changed is kept. */
RFI_FN void rfi_wakes_lift(uint32_t by, uint32_t mutex) {
    struct rfi_wakes *w = &rfi_wakes;
    for (uint32_t t = 0; w->locked && t < w->waiters; t++) {
        rfi_waiter *u = &w->waiter[t];
        if (!u->suspected || !u->s.locked || u->s.notice.thread != by || u->s.taken.object != mutex)
            continue;
        if (rfi_changed(t, &u->before, u->s.taken.looks, u->before.count, rfi_want_by_notifier, u))
            u->suspected = false;
        u->s.locked = false;
        w->locked--;
    }
}

RFI_FN const char *rfi_suspicion_text(const rfi_suspicion *s) {
    if (s->later)
        return "What the waiter looks at is changed after the notification: a waiter that looks "
               "between the two waits for one that is gone.";
    if (!s->change.site)
        return "The waiter looks at nothing that the notifier changes: a notification that comes "
               "first is lost.";
    if (s->early)
        return "The waiter looks before it takes the mutex: a notification that comes between is "
               "lost.";
    return "What the waiter looks at is changed without its mutex: a notification between the look "
           "and the wait is lost.";
}

RFI_FN void rfi_wakes_report(const rfi_suspicion *s) {
    bool again = s->taken.site == s->wait.site; /* taken back by an earlier wait */
    rf_warning w = {
        .family = RF_FAMILY_LOST_WAKEUP, .by = "lostwakeup", .text = rfi_suspicion_text(s)};
    if (!again)
        w.place[w.places++] = (rf_place){.site = s->taken.site,
                                         .role = "takes",
                                         .thread = s->wait.thread,
                                         .object = s->taken.object};
    w.place[w.places++] = (rf_place){.site = s->wait.site,
                                     .role = "waits for",
                                     .thread = s->wait.thread,
                                     .object = s->wait.object};
    w.place[w.places++] =
        (rf_place){.site = s->notice.site,
                   .role = s->notice.kind == RF_EV_SIGNAL ? "signals" : "broadcasts",
                   .thread = s->notice.thread,
                   .object = s->notice.object,
                   .locks = (uint16_t)s->locks,
                   .lock = s->lock};
    if (s->change.site)
        w.place[w.places++] = (rf_place){.site = s->change.site,
                                         .thread = s->change.thread,
                                         .size = s->change.size,
                                         .flags = RF_EV_WRITES};
    w.targets = s->change.site ? 4 : 3;
    w.target[0] = rf_site_key(s->change.site && !s->early ? s->wait.site : s->taken.site);
    w.target[1] = rf_site_key(s->wait.site);
    w.target[2] = rf_site_key(s->notice.site);
    if (s->change.site) w.target[3] = rf_site_key(s->change.site);
    rf_warn(&w);
}

/* Did the waiter look at something again since it woke? */
RFI_FN bool rfi_waiter_looked_again(const rfi_waiter *u) {
    for (uint32_t i = u->s.taken.looks; i < u->before.count; i++)
        for (uint32_t k = 0; k < u->now.count; k++)
            if (u->before.look[i].from < u->now.look[k].to &&
                u->now.look[k].from < u->before.look[i].to)
                return true;
    return false;
}

/* A waiter that was woken goes on: it releases the mutex, or waits once more.  Has it looked again,
 * and seen a change that is younger than the notification, then all is well if another
 * notification follows that change: this is known when the execution has ended. */
RFI_FN void rfi_waiter_settle(rfi_waiter *u, const rf_event *e) {
    struct rfi_wakes *w = &rfi_wakes;
    bool suspected = u->suspected;
    if (u->state != RFI_WOKEN) return;
    u->state = RFI_AWAKE;
    u->suspected = false;
    if (!suspected) return;
    if (rfi_waiter_looked_again(u)) {
        if (e->kind == RF_EV_WAIT && e->object == u->s.wait.object) return;
        (void)rfi_changed(e->thread, &u->before, u->s.taken.looks, u->before.count, rfi_want_later,
                          u);
    }
    if (!u->s.later)
        rfi_wakes_report(&u->s);
    else if (*rfi_map_at(&w->noticed, u->s.wait.object) < u->s.later && w->pending < RFI_PENDING)
        w->open[w->pending++] = u->s;
}

/* A notification: changes before it are all right. */
RFI_FN void rfi_wakes_notice(const rf_event *e) {
    struct rfi_wakes *w = &rfi_wakes;
    uint32_t n = 0;
    w->notice = *e;
    *rfi_map_at(&w->noticed, e->object) = w->now;
    for (uint32_t i = 0; i < w->pending; i++)
        if (w->open[i].wait.object != e->object) w->open[n++] = w->open[i];
    w->pending = n;
}

RFI_FN void rfi_wakes_end(void) {
    for (uint32_t i = 0; i < rfi_wakes.pending; i++) rfi_wakes_report(&rfi_wakes.open[i]);
}

/* ---- events ---- */

RFI_FN void rfi_wakes_wait(const rf_event *e) {
    rfi_waiter *u = rfi_waiter_of(e->thread);
    rfi_waiter_settle(u, e);
    const rfi_grip *taken = rfi_waiter_holds(u, e->other);
    if (!taken || e->flags & RF_EV_TIMED) return;
    u->s = (rfi_suspicion){.wait = *e, .taken = *taken};
    u->s.own = rfi_actor_of(&rfi_wakes.actors, e->thread)->own;
    u->state = RFI_ASLEEP;
    rfi_looks spare = u->before;
    u->before = u->now;
    u->now = spare;
    u->now.count = 0;
    u->now.many = false;
    for (uint32_t i = 0; i < u->holds; i++) u->hold[i].looks = 0;
}

RFI_FN void rfi_wakes_unlock(const rf_event *e) {
    rfi_waiter *u = rfi_waiter_of(e->thread);
    rfi_grip *h = rfi_waiter_holds(u, e->object);
    if (e->object == u->s.taken.object) rfi_waiter_settle(u, e);
    if (rfi_wakes.locked) rfi_wakes_lift(e->thread, e->object);
    *rfi_wakes_released(e->thread, e->object) = rfi_wakes.now;
    if (!h) return;
    memmove(h, h + 1, (size_t)(&u->hold[u->holds] - (h + 1)) * sizeof *h);
    u->holds--;
}

RFI_FN void rfi_wakes_access(const rf_event *e) {
    if (!e->size) return;
    rfi_order_access(&rfi_wakes.order, e);
    if (e->flags & RF_EV_READS) rfi_wakes_look(e);
    if (e->flags & RF_EV_WRITES) rfi_wakes_change(e);
}

RFI_FN void rfi_wakes_event(const rf_event *e) {
    rfi_wakes.now++;
    switch (e->kind) {
    case RF_EV_LOAD:
    case RF_EV_STORE:
    case RF_EV_RMW:
    case RF_EV_FREE:
    case RF_EV_ALLOC:
    case RF_EV_RECYCLE: rfi_wakes_access(e); return;
    case RF_EV_LOCK: rfi_wakes_lock(e); return;
    case RF_EV_UNLOCK: rfi_wakes_unlock(e); return;
    case RF_EV_WAIT: rfi_wakes_wait(e); return;
    case RF_EV_WAKE:
        if (e->value != RF_WAKE_SIGNAL) rfi_waiter_of(e->thread)->state = RFI_AWAKE;
        return;
    case RF_EV_SIGNAL:
    case RF_EV_BROADCAST: rfi_wakes_notice(e); return;
    case RF_EV_NOTIFY: rfi_wakes_notify(e->thread, e->other); return;
    default: rfi_order_event(&rfi_wakes.order, e);
    }
}

/* clang-format off */
# define RFI_WAKES_EVENTS \
    (RFI_ORDER_EVENTS | RF_EV_BIT(RF_EV_LOAD) | RF_EV_BIT(RF_EV_STORE) | RF_EV_BIT(RF_EV_RMW) | \
     RF_EV_BIT(RF_EV_ALLOC) | RF_EV_BIT(RF_EV_FREE) | RF_EV_BIT(RF_EV_RECYCLE) | \
     RF_EV_BIT(RF_EV_WAIT) | RF_EV_BIT(RF_EV_WAKE) | RF_EV_BIT(RF_EV_SIGNAL) | \
     RF_EV_BIT(RF_EV_BROADCAST))
/* clang-format on */

static rf_analysis rfi_lostwakeup_analysis RFI_UNUSED = {
    .wakes = RF_EV_BIT(RF_EV_WAIT),
    .name = "lostwakeup",
    .help = "signals and broadcasts that may come before the wait and be lost",
    .events = RFI_WAKES_EVENTS,
    .begin = rfi_wakes_begin,
    .event = rfi_wakes_event,
    .end = rfi_wakes_end};
#endif
#endif

/* ==== edit src/detect/relock.h =========================== >>detect/relock */
/* detect/relock.h: predicts that a block is torn apart: the predictor of CalFuzzer (Joshi et al.,
 * CAV 2009), which treats the second acquisition of a lock in a block as a write to the lock and
 * asks hybrid race detection for accesses to it, here for memory too.
 *
 * Two operations of an instance at one place make a window (blocks.h).  An operation of another
 * thread at that place that would complete a violation may come into the window in another schedule
 * when no lock that the thread held from the first operation to the second keeps it out, and the
 * relaxed relation of engine/order.h leaves it unordered: it is neither before the window nor
 * after.  Both are remembered, so that it does not matter which comes first.
 *
 * Guarantee: as that of hybrid.h: every window and every other operation of this execution since
 * its first block began, up to RFI_RELOCK_MOST different ones of each at a place.  It may predict
 * what no schedule can produce: a flag under a lock keeps the other thread out, or a
 * compare-exchange would notice it.
 */
#ifndef RFI_DETECT_RELOCK_H
#define RFI_DETECT_RELOCK_H

#ifdef RFI_IMPL
# define RFI_RELOCK_MOST 64u

/* An operation at a place, which may come into a window; or a window. */
typedef struct rfi_block_visit {
    struct rfi_block_visit *next;
    rfi_doing doing;     /* it; of a window the second operation */
    rfi_doing first;     /* of a window */
    const rf_site *site; /* of the window's block; NULL: no window */
    const rf_site *end;  /* of the window's gap */
    uint32_t k;          /* own clock of the thread */
    uint32_t lockset;    /* held; of a window: all the time */
    uint8_t unwanted;    /* of a window; of an operation: what it does */
    uint8_t mask;
} rfi_block_visit;

typedef struct rfi_relock {
    rfi_order order;
    rfi_actors actors;
    rfi_shadow memory, locks; /* granule, number of a lock -> rfi_block_visit list, newest first */
    rfi_map told;             /* block, second operation, the other one: numbers of sites, mixed */
    bool on;
} rfi_relock;

static rfi_relock rfi_relock_state RFI_UNUSED;

/* The set of what thread `t` has held since `since`, but for one lock. */
RFI_FN uint32_t rfi_relock_set(uint32_t t, uint64_t since, uint32_t but) {
    const rfi_block_thread *w = rfi_blocks_thread(t);
    uint32_t n = 0, *lock;
    if (!w->held_count) return 0;
    lock = rfi_arena_take(&rfi_locksets.arena, w->held_count * sizeof *lock);
    for (uint32_t i = 0; i < w->held_count; i++) {
        const rfi_block_holding *h = &w->held[i];
        if (h->object == but || h->time >= since) continue;
        uint32_t element = h->object * 2 + h->shared, k = n++;
        for (; k && lock[k - 1] > element; k--) lock[k] = lock[k - 1];
        lock[k] = element;
    }
    return rfi_lockset_intern(lock, n);
}

/* Can the operation `o` come into the window `w`, as far as locks tell? */
RFI_FN bool rfi_relock_fits(const rfi_block_visit *w, const rfi_block_visit *o) {
    return o->doing.thread != w->doing.thread && o->mask & w->mask && o->unwanted & w->unwanted &&
           !rfi_lockset_protected(w->lockset, o->lockset);
}

RFI_FN RFI_COLD void rfi_relock_report(const rfi_block_visit *v, const rfi_block_visit *o) {
    bool lock = v->doing.kind == RF_EV_LOCK;
    rfi_instance b = {.site = v->site, .thread = v->doing.thread};
    uint64_t sites = rfi_mix(rfi_site_number(v->site));
    sites = rfi_mix(sites + rfi_site_number(v->doing.site));
    uint64_t *told =
        rfi_map_at(&rfi_relock_state.told, rfi_mix(sites + rfi_site_number(o->doing.site)));
    if (*told) return;
    *told = 1;
    rf_warning w = rfi_block_warning("relock", &b, v->end);
    w.text = lock ? "The block lets go of a lock and takes it again; another thread can have it in "
                    "between."
                  : "The block uses the same memory twice; another thread can use it in between.";
    w.places = 4;
    w.place[1] = rfi_doing_place(&v->first);
    w.place[2] = rfi_doing_place(&o->doing);
    w.place[3] = rfi_doing_place(&v->doing);
    w.target[w.targets++] = rf_site_key(o->doing.start);
    rf_warn(&w);
}

RFI_FN bool rfi_relock_alike(const rfi_block_visit *a, const rfi_block_visit *b) {
    return a->doing.site == b->doing.site && a->doing.thread == b->doing.thread &&
           a->site == b->site && a->end == b->end && a->doing.start == b->doing.start &&
           a->first.site == b->first.site && a->lockset == b->lockset &&
           a->unwanted == b->unwanted && a->mask == b->mask;
}

/* Checks against the others at the place, and keeps it. */
RFI_FN void rfi_relock_visit(const rfi_block_visit *v, rfi_shadow *s, uintptr_t at) {
    rfi_relock *d = &rfi_relock_state;
    void **place = rfi_shadow_at(s, at);
    const rfi_clock *clock = &rfi_actor_of(&d->actors, v->doing.thread)->clock;
    rfi_block_visit *like = NULL;
    uint32_t n = 0;
    for (rfi_block_visit *o = *place; o; o = o->next) {
        if (!o->mask) like = o; /* forgotten */
        n += (o->site != NULL) == (v->site != NULL);
        if (rfi_relock_alike(o, v)) like = o;
        if ((o->site != NULL) == (v->site != NULL)) continue;
        if (o->k <= rfi_clock_get(clock, o->doing.thread)) continue; /* ordered */
        if (v->site ? rfi_relock_fits(v, o) : rfi_relock_fits(o, v))
            rfi_relock_report(v->site ? v : o, v->site ? o : v);
    }
    if (like) { /* what is unordered with an older one is unordered with the newest */
        rfi_block_visit *next = like->next;
        *like = *v;
        like->next = next;
    } else if (n < RFI_RELOCK_MOST) {
        rfi_block_visit *kept = rfi_arena_take(&s->arena, sizeof *kept);
        *kept = *v;
        kept->next = *place;
        *place = kept;
    }
}

/* A window of an instance has ended. */
RFI_FN void rfi_relock_window(const rfi_window *w, rfi_shadow *s, uintptr_t at) {
    rfi_relock *d = &rfi_relock_state;
    const rfi_doing *second = &w->second;
    bool lock = s == &rfi_blocks_state.locks;
    rfi_block_visit v = {.doing = *second,
                         .first = w->first,
                         .site = w->block->site,
                         .end = w->end,
                         .k = rfi_actor_of(&d->actors, second->thread)->own,
                         .lockset = rfi_relock_set(second->thread, w->first.time, 0),
                         .unwanted = (uint8_t)w->unwanted,
                         .mask = w->mask};
    rfi_relock_visit(&v, lock ? &d->locks : &d->memory, at);
}

/* An operation that may come into the windows of others. */
RFI_FN void rfi_relock_touch(const rf_event *e) {
    rfi_relock *d = &rfi_relock_state;
    unsigned flags = rfi_touch_flags(e);
    bool lock = e->kind == RF_EV_LOCK;
    uintptr_t from = (uintptr_t)e->addr, to = from + e->size;
    if (!flags || (!lock && from == to) || e->flags & RF_EV_HARMLESS) return;
    rfi_block_visit v = {.doing = rfi_doing_of(e, flags),
                         .k = rfi_actor_of(&d->actors, e->thread)->own,
                         .lockset = rfi_relock_set(e->thread, UINT64_MAX, lock ? e->object : 0),
                         .unwanted = (uint8_t)flags,
                         .mask = 1};
    if (lock) {
        rfi_relock_visit(&v, &d->locks, e->object);
        return;
    }
    for (uintptr_t g = from / RFI_GRANULE; g <= (to - 1) / RFI_GRANULE; g++) {
        v.mask = rfi_shadow_mask(g, from, to);
        rfi_relock_visit(&v, &d->memory, g);
    }
}

RFI_FN void rfi_relock_forget(uintptr_t from, uintptr_t to) {
    rfi_shadow *s = &rfi_relock_state.memory;
    if (from == to) return;
    uintptr_t end = (to - 1) / RFI_GRANULE + 1;
    for (uintptr_t g = from / RFI_GRANULE; (g = rfi_shadow_next(s, g, end)) < end; g++)
        for (rfi_block_visit *v = rfi_shadow_get(s, g); v; v = v->next)
            v->mask &= (uint8_t)~rfi_shadow_mask(g, from, to);
}

/* ---- events ---- */

RFI_FN void rfi_relock_memory(const rf_event *e) {
    rfi_order *o = &rfi_relock_state.order;
    uintptr_t from = (uintptr_t)e->addr;
    rfi_order_before(o, e);
    if (e->kind == RF_EV_ALLOC || e->kind == RF_EV_RECYCLE)
        rfi_relock_forget(from, from + e->size);
    else
        rfi_relock_touch(e);
    rfi_order_after(o, e);
}

RFI_FN RFI_COLD void rfi_relock_start(void) {
    rfi_relock *d = &rfi_relock_state;
    d->on = true;
    rfi_shadow_reset(&d->memory);
    rfi_shadow_reset(&d->locks);
    rfi_map_reset(&d->told);
    rfi_order_begin(&d->order, RFI_RELAXED, &d->actors);
}

RFI_FN void rfi_relock_follow(const rf_event *e) {
    rfi_relock *d = &rfi_relock_state;
    if (!d->on) rfi_relock_start();
    switch (e->kind) {
    case RF_EV_LOAD:
    case RF_EV_STORE:
    case RF_EV_RMW:
    case RF_EV_FREE:
    case RF_EV_ALLOC:
    case RF_EV_RECYCLE: rfi_relock_memory(e); break;
    case RF_EV_LOCK: rfi_relock_touch(e); break;
    default: rfi_order_event(&d->order, e);
    }
}

RFI_FN void rfi_relock_begin(void) {
    rfi_blocks_begin(&rfi_relock_state);
    rfi_blocks_state.window = rfi_relock_window;
    rfi_relock_state.on = false;
    rfi_locksets_begin();
}

RFI_FN void rfi_relock_event(const rf_event *e) {
    rfi_blocks_event(&rfi_relock_state, e);
    rfi_relock_follow(e);
}

RFI_FN void rfi_relock_end(void) { rfi_blocks_end(&rfi_relock_state); }

static rf_analysis rfi_relock_analysis RFI_UNUSED = {
    .name = "relock",
    .help = "atomic blocks that another thread can come into, by locks and order",
    .events = RFI_BLOCKS_EVENTS | RFI_ORDER_EVENTS,
    .wakes = RF_EV_BIT(RF_EV_BLOCK),
    .begin = rfi_relock_begin,
    .event = rfi_relock_event,
    .end = rfi_relock_end};
#endif
#endif

/* ==== edit src/detect/all.h ============================== >>detect/all */
/* detect/all.h: the analyses that are built in, in the order in which options list them. */
#ifndef RFI_DETECT_ALL_H
#define RFI_DETECT_ALL_H

#ifdef RFI_IMPL
static const rf_analysis *const rfi_analyses[] RFI_UNUSED = {
    &rfi_hb_analysis,         &rfi_hybrid_analysis,    &rfi_fasttrack_analysis,
    &rfi_eraser_analysis,     &rfi_choi_analysis,      &rfi_goodlock_analysis,
    &rfi_atomizer_analysis,   &rfi_relock_analysis,    &rfi_atomicset_analysis,
    &rfi_lostwakeup_analysis, &rfi_breakpoint_analysis};

/* What runs unless options name others. */
# define RFI_DEFAULT_DETECT "hb,hybrid,goodlock,atomizer,relock,atomicset,lostwakeup,breakpoint"
#endif
#endif

/* ==== edit src/explore/atomfuzzer.h ====================== >>explore/atomfuzzer */
/* explore/atomfuzzer.h: AtomFuzzer (Park and Sen, FSE 2008), directed at one prediction.
 *
 * A thread inside the block (or between two units that use one object of a set each) that is about
 * to execute the second operation stands in a *gap*: it is paused until another thread has executed
 * something that makes the second operation complete a violation.  That is the rule of the paper.
 * It misses where the other thread is through before the gap opens; so the checker also pauses
 * threads at the statements that the prediction says may come in (as CalFuzzer's combination with
 * pairs does; Joshi et al., CAV 2009) until somebody stands in a gap: then they execute.  Two
 * threads that stand in gaps of each other are settled by a coin.
 *
 * What counts as a hit is the rule of blocks.h or atomicset.h and nothing else: the second
 * operation has been executed, and another thread's stood in between.
 */
#ifndef RFI_EXPLORE_ATOMFUZZER_H
#define RFI_EXPLORE_ATOMFUZZER_H

#ifdef RFI_IMPL
typedef struct rfi_atomfuzzer {
    uint64_t what;                      /* key of the block or of the set */
    uint32_t second;                    /* the statement at which a gap ends */
    uint32_t others, other[RF_TARGETS]; /* those with which somebody comes in */
} rfi_atomfuzzer;

static rfi_atomfuzzer rfi_atomfuzzer_state RFI_UNUSED;

RFI_FN bool rfi_atomfuzzer_may_come_in(const rf_event *e) {
    const rfi_atomfuzzer *d = &rfi_atomfuzzer_state;
    uint32_t n = rfi_site_number(e->site), i = 0;
    while (i < d->others && d->other[i] != n) i++;
    return i < d->others;
}

/* ---- gaps ---- */

/* What the announced operation is to its place, which is memory or a lock; 0: nothing. */
RFI_FN unsigned rfi_next_flags(const rf_event *e) {
    return e->kind == RF_EV_WAKE ? RF_EV_READS | RF_EV_WRITES : rfi_touch_flags(e);
}

/* The cells at the first place of an announced operation, with its bytes there. */
RFI_FN rfi_block_cell *rfi_next_cells(const rf_event *e, uint8_t *mask) {
    rfi_blocks *d = &rfi_blocks_state;
    uintptr_t from = (uintptr_t)e->addr, g = from / RFI_GRANULE;
    *mask = 1;
    if (e->kind == RF_EV_LOCK) return rfi_shadow_get(&d->locks, e->object);
    if (e->kind == RF_EV_WAKE) return rfi_shadow_get(&d->locks, e->other);
    *mask = rfi_shadow_mask(g, from, from + e->size);
    return rfi_shadow_get(&d->memory, g);
}

RFI_FN bool rfi_in_target(const rfi_instance *b) {
    return rf_site_key(b->site) == rfi_atomfuzzer_state.what;
}

/* The thread of `e` stands at the end of a gap of the block.  Who is unwanted in it now (the
 * answer), and has he been there already (*over)?  The second operation may be `e`, or come behind
 * a lock that `e` takes: then anybody is unwanted. */
RFI_FN unsigned rfi_block_gap(const rf_event *e, bool *over) {
    unsigned flags = rfi_next_flags(e), unwanted = 0, broken = 0;
    uint8_t mask;
    rfi_violation v;
    *over = false;
    for (const rfi_block_cell *c = flags ? rfi_next_cells(e, &mask) : NULL; c; c = c->next) {
        if (c->block->thread != e->thread || !(c->mask & mask) || !rfi_in_target(c->block))
            continue;
        unwanted |= rfi_cell_unwanted(c, flags);
        *over |= rfi_cell_violated(c, flags, &v);
    }
    if (unwanted) return unwanted;
    for (const rfi_instance *b = rfi_block_of(e->thread); b; b = b->outer)
        for (const rfi_block_cell *c = b->cells; c && rfi_in_target(b); c = c->sibling) {
            unwanted = RF_EV_READS | RF_EV_WRITES;
            broken |= c->theirs.site || c->saw.site;
        }
    *over = broken;
    return unwanted;
}

/* The same for a set: the thread's last unit has used one object only, and it is in none. */
RFI_FN bool rfi_set_gap(const rf_event *e, bool *over) {
    const rfi_sets *d = &rfi_sets_state;
    *over = false;
    if (!d->on || e->thread >= d->threads || d->thread[e->thread].depth) return false;
    for (const rfi_pair_of_thread *w = d->thread[e->thread].pairs; w; w = w->next) {
        if (rf_site_key(w->pair->site) != rfi_atomfuzzer_state.what) continue;
        bool a = w->now.use[0].site, b = w->now.use[1].site;
        if (a == b) continue;
        for (const rfi_set_view *o = w->pair->views; o; o = o->next)
            *over |= !o->before.unit && o->thread != e->thread && o->unit.from > w->now.to;
        return true;
    }
    return false;
}

RFI_FN bool rfi_in_gap(const rf_event *e) {
    bool over;
    if (rfi_site_number(e->site) != rfi_atomfuzzer_state.second) return false;
    return (rfi_set_gap(e, &over) || rfi_block_gap(e, &over)) && !over;
}

/* Would `e` begin or do what is unwanted in the gap of the thread that stands at `gap`? */
RFI_FN bool rfi_fits_gap(const rf_event *e, const rf_event *gap) {
    bool over;
    uint8_t mask, other;
    if (rfi_atomfuzzer_may_come_in(e)) return true;
    if (!(rfi_next_flags(e) & rfi_block_gap(gap, &over)) || !rfi_next_flags(gap)) return false;
    const rfi_block_cell *place = rfi_next_cells(gap, &other);
    return place && rfi_next_cells(e, &mask) == place && mask & other;
}

/* ---- the checker ---- */

typedef struct rfi_block_meeting {
    const rf_event *next; /* of the thread under check */
    uint32_t comers;      /* paused ones that fit into its gap */
    uint32_t gaps;        /* paused ones in whose gap it fits */
} rfi_block_meeting;

RFI_FN void rfi_meeting_find(uint32_t u, void *arg) {
    rfi_block_meeting *m = arg;
    const rf_event *e = rf_next_event(u);
    m->comers += rfi_in_gap(m->next) && rfi_fits_gap(e, m->next);
    m->gaps += rfi_in_gap(e) && rfi_fits_gap(m->next, e);
}

RFI_FN void rfi_meeting_run(uint32_t u, void *arg) {
    const rfi_block_meeting *m = arg;
    if (rfi_fits_gap(rf_next_event(u), m->next)) rf_check_run(u);
}

RFI_FN bool rfi_atomfuzzer_at(const rf_event *e) {
    return rfi_in_gap(e) || rfi_atomfuzzer_may_come_in(e);
}

RFI_FN void rfi_atomfuzzer_check(const rf_event *next) {
    rfi_block_meeting m = {next, 0, 0};
    rf_check_each_paused(rfi_meeting_find, &m);
    if (m.gaps && (!m.comers || rfi_coin(rf_check_random()))) return; /* it comes in */
    rf_check_pause();
    if (m.comers) rf_check_each_paused(rfi_meeting_run, &m);
}

/* Somebody has come in: the second operation may follow. */
RFI_FN void rfi_atomfuzzer_go_on(uint32_t u, void *unused) {
    const rf_event *e = rf_next_event(u);
    bool over;
    (void)unused;
    if (rfi_site_number(e->site) != rfi_atomfuzzer_state.second) return;
    if ((rfi_set_gap(e, &over) || rfi_block_gap(e, &over)) && over) rf_check_release(u);
}

RFI_FN void rfi_atomfuzzer_hit(const rfi_doing *second, const rfi_doing *other) {
    rf_event a = {.kind = second->kind, .site = second->site, .thread = second->thread};
    rf_event b = {.kind = other->kind, .site = other->site, .thread = other->thread};
    rf_check_hit(&a, &b);
}

RFI_FN void rfi_atomfuzzer_violated(const rfi_violation *v) {
    rfi_violation_warn("atomfuzzer", v);
    if (rfi_in_target(v->block) && rfi_site_number(v->end) == rfi_atomfuzzer_state.second)
        rfi_atomfuzzer_hit(&v->second, &v->other);
}

RFI_FN void rfi_atomfuzzer_torn(const rfi_atomic_pair *p, const rfi_set_view *gap,
                                const rfi_set_view *unit, bool real) {
    if (!real) return;
    rfi_sets_warn("atomfuzzer", p, gap, unit, real);
    unsigned b = gap->unit.use[1].site != NULL;
    if (rf_site_key(p->site) == rfi_atomfuzzer_state.what &&
        rfi_site_number(gap->unit.start) == rfi_atomfuzzer_state.second)
        rfi_atomfuzzer_hit(&gap->unit.use[b], &unit->unit.use[b]);
}

RFI_FN void rfi_atomfuzzer_begin(uint64_t seed) {
    rfi_atomfuzzer *d = &rfi_atomfuzzer_state;
    uint32_t n;
    const uint64_t *target = rf_check_targets(&n);
    (void)seed;
    *d = (rfi_atomfuzzer){.what = target[0], .second = rfi_site_number_of_key(target[1])};
    for (uint32_t i = 2; i < n; i++) d->other[d->others++] = rfi_site_number_of_key(target[i]);
    rfi_blocks_begin(d);
    rfi_blocks_state.violated = rfi_atomfuzzer_violated;
    rfi_sets_begin(d);
    rfi_sets_state.torn = rfi_atomfuzzer_torn;
}

RFI_FN void rfi_atomfuzzer_event(const rf_event *e) {
    rfi_blocks_event(&rfi_atomfuzzer_state, e);
    rfi_sets_event(&rfi_atomfuzzer_state, e);
    rf_check_each_paused(rfi_atomfuzzer_go_on, NULL);
}

RFI_FN void rfi_atomfuzzer_end(void) {
    rfi_blocks_end(&rfi_atomfuzzer_state);
    rfi_sets_end(&rfi_atomfuzzer_state);
}

static rf_checker rfi_atomfuzzer_checker RFI_UNUSED = {
    .name = "atomfuzzer",
    .help = "lets another thread run between two operations of an atomic block",
    .confirms = RF_FAMILY_BIT(RF_FAMILY_ATOMICITY) | RF_FAMILY_BIT(RF_FAMILY_ATOMIC_SET),
    .at_sites = true,
    .events = RFI_SETS_EVENTS,
    .begin = rfi_atomfuzzer_begin,
    .is_breakpoint = rfi_atomfuzzer_at,
    .check = rfi_atomfuzzer_check,
    .event = rfi_atomfuzzer_event,
    .end = rfi_atomfuzzer_end};
#endif
#endif

/* ==== edit src/explore/breakpoint.h ====================== >>explore/breakpoint */
/* explore/breakpoint.h: two threads at concurrent breakpoints at once (Joshi, Naik, Park and Sen,
 * CAV 2009, and the library of breakpoints that came with it).
 *
 * A thread that comes to a breakpoint of the name is paused there until another one comes with the
 * same address.  Then it is a hit.  One of the two goes first, the one at RF_BREAKPOINT_FIRST or by
 * a coin, and executes its next visible operation before anything else; not before that the other
 * one goes on.
 *
 * Nobody waits for ever: when everybody is paused, or spins for one who is, the frame lets a thread
 * go on.  If the one that goes first has to wait for something, others run meanwhile; if that
 * is what the second one holds, the frame lets that one go first.
 *
 * Invariant: no two paused threads could have met, but for the second of a pair, of which the first
 * one is on its way.
 */
#ifndef RFI_EXPLORE_BREAKPOINT_H
#define RFI_EXPLORE_BREAKPOINT_H

#ifdef RFI_IMPL
static struct rfi_meeting {
    uint64_t name;          /* key of the breakpoints that are meant */
    bool pending;           /* the one that goes first has not yet done what it is to do, */
    bool left;              /* nor left its breakpoint */
    uint32_t first, second; /* threads of the pending pair */
} rfi_meeting RFI_UNUSED;

/* What other threads may see: operations, but for the remarks of a test. */
/* clang-format off */
# define RFI_REMARKS \
    (RF_EV_BIT(RF_EV_START) | RF_EV_BIT(RF_EV_NOTIFY) | RF_EV_BIT(RF_EV_ENTER) | \
     RF_EV_BIT(RF_EV_LEAVE) | RF_EV_BIT(RF_EV_BLOCK) | RF_EV_BIT(RF_EV_BLOCK_END) | \
     RF_EV_BIT(RF_EV_SET) | RF_EV_BIT(RF_EV_CHOOSE) | RF_EV_BIT(RF_EV_LOG) | \
     RF_EV_BIT(RF_EV_RECYCLE))
/* clang-format on */

RFI_FN bool rfi_meeting_here(const rf_event *e) {
    return e->kind == RF_EV_BREAK && rf_name_key(e->text) == rfi_meeting.name;
}

/* While a pair is pending every decision is checked, so that nothing gets between. */
RFI_FN bool rfi_meeting_at(const rf_event *next) {
    return rfi_meeting.pending ? next->thread != rfi_meeting.first : rfi_meeting_here(next);
}

typedef struct rfi_partner {
    const rf_event *next;  /* of the thread under check */
    const rf_event *other; /* who is there already; NULL: nobody */
} rfi_partner;

RFI_FN void rfi_partner_find(uint32_t u, void *arg) {
    rfi_partner *p = arg;
    const rf_event *e = rf_next_event(u);
    bool same = e->addr == p->next->addr || !e->addr || !p->next->addr;
    if (!p->other && same) p->other = e;
}

/* The thread at `next` is there, and another one at `other`. */
RFI_FN void rfi_meeting_hit(const rf_event *next, const rf_event *other) {
    struct rfi_meeting *m = &rfi_meeting;
    bool first = next->flags & RF_EV_FIRST, other_first = other->flags & RF_EV_FIRST;
    rf_check_hit(next, other);
    if (first == other_first) first = rfi_coin(rf_check_random());
    m->pending = true;
    m->left = false;
    m->first = first ? next->thread : other->thread;
    m->second = first ? other->thread : next->thread;
    if (first) return; /* it executes; the other one stays paused */
    rf_check_pause();
    rf_check_run(m->first);
}

RFI_FN void rfi_meeting_check(const rf_event *next) {
    if (rfi_meeting.pending) {
        if (!rf_thread_enabled(rfi_meeting.first)) return;
        rf_check_pause();
        rf_check_run(rfi_meeting.first);
        return;
    }
    rfi_partner p = {next, NULL};
    rf_check_each_paused(rfi_partner_find, &p);
    if (p.other)
        rfi_meeting_hit(next, p.other);
    else
        rf_check_pause();
}

RFI_FN void rfi_meeting_go_on(uint32_t u, void *unused) {
    (void)unused;
    rf_check_release(u);
}

RFI_FN void rfi_meeting_event(const rf_event *e) {
    struct rfi_meeting *m = &rfi_meeting;
    if (!m->pending) return;
    if (e->thread == m->second) m->pending = false; /* the frame has let it go */
    if (e->thread != m->first) return;
    if (!m->left) {
        m->left = true;
        return;
    }
    m->pending = false;
    rf_check_run(m->second);
    rf_check_each_paused(rfi_meeting_go_on, NULL); /* those who wait for a partner come back */
}

RFI_FN void rfi_meeting_begin(uint64_t seed) {
    uint32_t n;
    (void)seed;
    rfi_meeting = (struct rfi_meeting){.name = rf_check_targets(&n)[0]};
}

static rf_checker rfi_breakpoint_checker RFI_UNUSED = {
    .name = "breakpoint",
    .help = "has two threads stand at breakpoints of one name at once",
    .confirms = RF_FAMILY_BIT(RF_FAMILY_BREAKPOINT),
    .fine = true,
    .events = ~UINT64_C(0) & ~RFI_REMARKS,
    .begin = rfi_meeting_begin,
    .is_breakpoint = rfi_meeting_at,
    .check = rfi_meeting_check,
    .event = rfi_meeting_event};
#endif
#endif

/* ==== edit src/explore/deadlockfuzzer.h ================== >>explore/deadlockfuzzer */
/* explore/deadlockfuzzer.h: DeadlockFuzzer (Joshi, Park, Sen and Naik, PLDI 2009).
 *
 * A thread that is about to make one of the requests of a predicted cycle (thread, lock and context
 * agree under an abstraction, detect/request.h) is paused.  When the last member asks for its lock
 * the cycle is there: the engine, to which a paused thread waits for its lock as a blocked one
 * does, ends the execution.  A thread that is about to take the first lock of its context lets the
 * others go ahead for a while, once at each place, so that all get as far as theirs.  When
 * everybody is paused the frame lets one go on (it is not taken for a member again).
 *
 * Another cycle of locks that comes about is reported as a warning that has come true.
 *
 * Guarantee: what it reports is a deadlock of this execution; and the cycle, if the threads can get
 * to their requests without each other, is closed with probability 1.  Keys may mistake a request
 * for another one, which costs a pause and nothing else.
 */
#ifndef RFI_EXPLORE_DEADLOCKFUZZER_H
#define RFI_EXPLORE_DEADLOCKFUZZER_H

#ifdef RFI_IMPL
# define RFI_YIELD_STEPS 20u /* decisions for which others go ahead */

typedef enum rfi_part { RFI_PART_NONE, RFI_PART_ENTRY, RFI_PART_COMPONENT } rfi_part;

typedef struct rfi_deadlockfuzzer_state {
    const uint64_t *target;
    uint32_t targets;
    rfi_map yielded; /* thread and place -> it has let others go ahead */
    rf_lock *held;   /* of the request that is looked at */
    uint32_t held_capacity;
    rfi_arena arena; /* of the cycle that is there */
} rfi_deadlockfuzzer_state;

static rfi_deadlockfuzzer_state rfi_deadlocks RFI_UNUSED;

/* The operation as a request; false: it is none that waits for a lock which its thread does not
 * hold. */
RFI_FN bool rfi_request_of(const rf_event *next, rfi_request *r) {
    rfi_deadlockfuzzer_state *d = &rfi_deadlocks;
    uint32_t object = rfi_requested(next), n = 0, all;
    if (!object) return false;
    while ((all = rf_thread_locks(next->thread, d->held, d->held_capacity)) > d->held_capacity)
        d->held = rfi_grow(d->held, &d->held_capacity, all, sizeof *d->held);
    for (uint32_t i = 0; i < all; i++) {
        uint32_t k = 0;
        if (d->held[i].object == object) return false;
        while (k < n && d->held[k].object != d->held[i].object) k++;
        if (k == n) d->held[n++] = d->held[i]; /* else held for reading twice */
    }
    *r = (rfi_request){next->thread, object, next->flags & RF_EV_SHARED, next->site, d->held, n};
    return true;
}

/* What the request is in the cycle that is wanted.  Keys tell by themselves under which abstraction
 * they were made. */
RFI_FN rfi_part rfi_part_of(const rf_event *next) {
    const rfi_deadlockfuzzer_state *d = &rfi_deadlocks;
    rfi_request r;
    if (!rfi_request_of(next, &r)) return RFI_PART_NONE;
    for (unsigned a = 0; a < RFI_ABSTRACTIONS; a++) {
        uint64_t key = r.n ? rfi_request_key(&r, a) : rfi_entry_key(&r, a);
        uint64_t mask = r.n ? ~UINT64_C(0) : (UINT64_C(1) << RFI_HALF_KEY) - 1;
        for (uint32_t i = 0; i < d->targets; i++)
            if ((d->target[i] & mask) == key) return r.n ? RFI_PART_COMPONENT : RFI_PART_ENTRY;
    }
    return RFI_PART_NONE;
}

RFI_FN bool rfi_deadlockfuzzer_at(const rf_event *next) {
    return (next->kind == RF_EV_LOCK || next->kind == RF_EV_WAKE) && rfi_part_of(next);
}

RFI_FN void rfi_deadlockfuzzer_check(const rf_event *next) {
    if (rfi_part_of(next) == RFI_PART_COMPONENT) {
        rf_check_pause();
        return;
    }
    uint64_t at = rfi_mix(rf_site_key(next->site) + next->thread);
    uint64_t *yielded = rfi_map_at(&rfi_deadlocks.yielded, at);
    if (!*yielded) rf_check_pause_for(RFI_YIELD_STEPS);
    *yielded = 1;
}

/* A copy of the request that the thread waits with; NULL: it waits for something else. */
RFI_FN const rfi_request *rfi_request_kept(uint32_t thread) {
    rfi_arena *arena = &rfi_deadlocks.arena;
    rfi_request *r = rfi_arena_raw(arena, sizeof *r);
    if (!rfi_request_of(rf_next_event(thread), r)) return NULL;
    rf_lock *held = rfi_arena_raw(arena, (r->n + 1) * sizeof *held);
    if (r->n) memcpy(held, r->held, r->n * sizeof *held);
    r->held = held;
    return r;
}

/* A deadlock is there.  Is it the one that is wanted? */
RFI_FN void rfi_deadlockfuzzer_stuck(const uint32_t *thread, uint32_t count, bool cycle) {
    rfi_arena *arena = &rfi_deadlocks.arena;
    bool wanted = true;
    if (!cycle) return;
    rfi_arena_reset(arena);
    const rfi_request **member = rfi_arena_raw(arena, count * sizeof *member);
    for (uint32_t i = 0; i < count; i++) {
        if (!(member[i] = rfi_request_kept(thread[i]))) return;
        wanted &= rfi_part_of(rf_next_event(thread[i])) == RFI_PART_COMPONENT;
    }
    rf_warning w;
    (void)rfi_cycle_warning(&w, "deadlockfuzzer", member, count, arena);
    w.real = true;
    rf_warn(&w);
    if (wanted) rf_check_hit(rf_next_event(thread[0]), rf_next_event(thread[count - 1]));
}

RFI_FN void rfi_deadlockfuzzer_begin(uint64_t seed) {
    rfi_deadlockfuzzer_state *d = &rfi_deadlocks;
    (void)seed;
    d->target = rf_check_targets(&d->targets);
    rfi_map_reset(&d->yielded);
    rfi_scopes_begin(d);
}

RFI_FN void rfi_deadlockfuzzer_event(const rf_event *e) { rfi_scopes_event(&rfi_deadlocks, e); }

static rf_checker rfi_deadlockfuzzer RFI_UNUSED = {
    .name = "deadlockfuzzer",
    .help = "brings threads into the cycle of a deadlock",
    .confirms = RF_FAMILY_BIT(RF_FAMILY_DEADLOCK),
    .events = RFI_SCOPES_EVENTS,
    .begin = rfi_deadlockfuzzer_begin,
    .is_breakpoint = rfi_deadlockfuzzer_at,
    .check = rfi_deadlockfuzzer_check,
    .event = rfi_deadlockfuzzer_event,
    .stuck = rfi_deadlockfuzzer_stuck,
    .end = rfi_scopes_end};
#endif
#endif

/* ==== edit src/explore/lostwakeup.h ====================== >>explore/lostwakeup */
/* explore/lostwakeup.h: a notification that comes before the wait (CalFuzzer's missed notification;
 * Joshi, Naik, Park and Sen, CAV 2009).
 *
 * Targets: where the waiter is delayed, its wait, the notification; and, if there is one, the
 * change of what the waiter looks at.  The waiter is delayed where it takes the mutex; or, if it
 * looks at something that is changed without the mutex, at the wait itself, behind the look.  The
 * change is delayed until a waiter is delayed, so that the look comes first.  After the
 * notification a coin decides whether waiters are delayed for longer, behind what the notifier does
 * next.
 *
 * A hit: the run ends because nobody can go on, and a waiter stands in the wait, which it began
 * after a notification that had woken nobody or all that waited then.
 */
#ifndef RFI_EXPLORE_LOSTWAKEUP_H
#define RFI_EXPLORE_LOSTWAKEUP_H

#ifdef RFI_IMPL
static struct rfi_losing {
    uint32_t delay, wait, notice, change; /* site numbers; UINT32_MAX: none */
    bool hurry;                           /* the notification ends the delays */
    bool over;                            /* it has: nobody is delayed any more */
    bool any;                             /* a notification has been made, */
    rf_event lost;                        /* the last one, */
    uint32_t woken;                       /* and how many it woke */
    rfi_map late;                         /* threads that wait and have missed it */
} rfi_losing RFI_UNUSED;

RFI_FN bool rfi_losing_delays(const rf_event *e) {
    const uint64_t kinds = RF_EV_BIT(RF_EV_LOCK) | RF_EV_BIT(RF_EV_WAIT) | RF_EV_BIT(RF_EV_WAKE);
    return kinds >> e->kind & 1 && !(e->flags & (RF_EV_TRY | RF_EV_TIMED)) &&
           rfi_site_number(e->site) == rfi_losing.delay;
}

RFI_FN bool rfi_losing_changes(const rf_event *e) {
    return e->flags & RF_EV_WRITES && rfi_site_number(e->site) == rfi_losing.change;
}

RFI_FN bool rfi_losing_at(const rf_event *next) {
    return !rfi_losing.over && (rfi_losing_delays(next) || rfi_losing_changes(next));
}

RFI_FN void rfi_losing_find(uint32_t u, void *found) {
    if (rfi_losing_delays(rf_next_event(u))) *(bool *)found = true;
}

RFI_FN void rfi_losing_run(uint32_t u, void *unused) {
    (void)unused;
    if (rfi_losing_changes(rf_next_event(u))) rf_check_run(u);
}

RFI_FN void rfi_losing_check(const rf_event *next) {
    bool delayed = false;
    if (rfi_losing_delays(next)) {
        if (rfi_losing.hurry && rfi_losing.any && rfi_coin(rf_check_random())) return;
        rf_check_pause();
        rf_check_each_paused(rfi_losing_run, NULL);
        return;
    }
    rf_check_each_paused(rfi_losing_find, &delayed);
    if (!delayed) rf_check_pause();
}

RFI_FN void rfi_losing_go_on(uint32_t u, void *unused) {
    (void)unused;
    rf_check_run(u);
}

RFI_FN void rfi_losing_event(const rf_event *e) {
    struct rfi_losing *l = &rfi_losing;
    bool delayed = false;
    switch (e->kind) {
    case RF_EV_SIGNAL:
    case RF_EV_BROADCAST:
        if (rfi_site_number(e->site) != l->notice) return;
        l->any = true;
        l->lost = *e;
        l->woken = 0;
        rf_check_each_paused(rfi_losing_find, &delayed);
        l->over |= delayed && l->hurry;
        if (l->over) rf_check_each_paused(rfi_losing_go_on, NULL);
        return;
    case RF_EV_NOTIFY:
        l->woken++;
        *rfi_map_at(&l->late, e->other) = 0;
        return;
    default: /* a wait */
        *rfi_map_at(&l->late, e->thread) =
            l->any && rfi_site_number(e->site) == l->wait && l->lost.object == e->object &&
            l->lost.thread != e->thread && (!l->woken || l->lost.kind == RF_EV_BROADCAST);
    }
}

RFI_FN void rfi_losing_stuck(const uint32_t *thread, uint32_t count, bool cycle) {
    for (uint32_t i = 0; !cycle && i < count; i++) {
        const rf_event *e = rf_next_event(thread[i]);
        if (e->kind != RF_EV_WAKE || !*rfi_map_at(&rfi_losing.late, thread[i])) continue;
        rf_check_hit(&rfi_losing.lost, e);
        return;
    }
}

RFI_FN void rfi_losing_begin(uint64_t seed) {
    struct rfi_losing *l = &rfi_losing;
    uint32_t n;
    const uint64_t *target = rf_check_targets(&n);
    (void)seed;
    rfi_map_reset(&l->late);
    l->over = l->any = false;
    l->hurry = rfi_coin(rf_check_random());
    l->delay = rfi_site_number_of_key(target[0]);
    l->wait = rfi_site_number_of_key(target[1]);
    l->notice = rfi_site_number_of_key(target[2]);
    l->change = n > 3 ? rfi_site_number_of_key(target[3]) : UINT32_MAX;
}

static rf_checker rfi_lostwakeup_checker RFI_UNUSED = {
    .name = "lostwakeup",
    .help = "has a signal or broadcast come before the wait",
    .confirms = RF_FAMILY_BIT(RF_FAMILY_LOST_WAKEUP),
    .at_sites = true,
    .events = RF_EV_BIT(RF_EV_SIGNAL) | RF_EV_BIT(RF_EV_BROADCAST) | RF_EV_BIT(RF_EV_NOTIFY) |
              RF_EV_BIT(RF_EV_WAIT),
    .begin = rfi_losing_begin,
    .is_breakpoint = rfi_losing_at,
    .check = rfi_losing_check,
    .event = rfi_losing_event,
    .stuck = rfi_losing_stuck};
#endif
#endif

/* ==== edit src/explore/racefuzzer.h ====================== >>explore/racefuzzer */
/* explore/racefuzzer.h: RaceFuzzer (Sen, PLDI 2008, Algorithms 1 and 2; docs/internals.md).
 *
 * A thread about to execute a statement of the race set is postponed until another one is about to
 * execute a conflicting access: then the race is real, and a coin decides who goes first.  Heads:
 * the arriving thread; the others stay postponed.  Tails: it is postponed, and all it races with
 * execute.  When everybody is postponed the frame releases one, which executes without a second
 * look (as printed in the paper, the loop would never end); the frame's monitor releases threads
 * that wait for too long.  Invariant: no two postponed threads conflict with each other.
 */
#ifndef RFI_EXPLORE_RACEFUZZER_H
#define RFI_EXPLORE_RACEFUZZER_H

#ifdef RFI_IMPL
/* The race set, as keys of statements; both may be equal. */
static uint64_t rfi_race_set[2] RFI_UNUSED;

RFI_FN bool rfi_racefuzzer_at(const rf_event *e) {
    if (!(e->flags & (RF_EV_READS | RF_EV_WRITES))) return false;
    uint64_t n = rf_site_key(e->site);
    return n == rfi_race_set[0] || n == rfi_race_set[1];
}

/* Racing(s, t, postponed) of Algorithm 2. */
typedef struct rfi_racing {
    const rf_event *next; /* of t */
    uint32_t count;
} rfi_racing;

RFI_FN void rfi_racing_note(const rf_event *a, const rf_event *b) {
    uint64_t n = rf_site_key(a->site), m = rf_site_key(b->site);
    bool target = (n == rfi_race_set[0] && m == rfi_race_set[1]) ||
                  (m == rfi_race_set[0] && n == rfi_race_set[1]);
    if (target) rf_check_hit(a, b); /* else two threads in one statement: a race of another pair */
}

RFI_FN void rfi_racing_find(uint32_t u, void *arg) {
    rfi_racing *racing = arg;
    const rf_event *e = rf_next_event(u);
    if (!rf_events_conflict(racing->next, e)) return;
    racing->count++;
    rfi_racing_note(racing->next, e);
}

RFI_FN void rfi_racing_run(uint32_t u, void *arg) {
    const rfi_racing *racing = arg;
    if (rf_events_conflict(racing->next, rf_next_event(u))) rf_check_run(u);
}

RFI_FN void rfi_racefuzzer_check(const rf_event *next) {
    rfi_racing racing = {next, 0};
    rf_check_each_paused(rfi_racing_find, &racing);
    if (racing.count && rf_random_coin(rf_check_random())) return; /* heads: t executes, R stays */
    rf_check_pause();
    if (racing.count) rf_check_each_paused(rfi_racing_run, &racing);
}

RFI_FN void rfi_racefuzzer_begin(uint64_t seed) {
    uint32_t n;
    const uint64_t *target = rf_check_targets(&n);
    (void)seed;
    for (unsigned i = 0; i < 2; i++) rfi_race_set[i] = target[i];
}

static rf_checker rfi_racefuzzer RFI_UNUSED = {.name = "racefuzzer",
                                               .help = "brings the two accesses of a race together",
                                               .confirms = RF_FAMILY_BIT(RF_FAMILY_RACE),
                                               .at_sites = true,
                                               .begin = rfi_racefuzzer_begin,
                                               .is_breakpoint = rfi_racefuzzer_at,
                                               .check = rfi_racefuzzer_check};
#endif
#endif

/* ==== edit src/explore/random.h ========================== >>explore/random */
/* explore/random.h: the simple random scheduler.
 *
 * Uniform over the enabled threads at every decision: the scheduler inside RaceFuzzer (Sen, PLDI
 * 2008, section 2.2) and the baseline of its evaluation.  Guarantee: every interleaving
 * of a terminating program has positive probability, the product of 1/|enabled| over
 * its decisions; it is not uniform over interleavings.
 */
#ifndef RFI_EXPLORE_RANDOM_H
#define RFI_EXPLORE_RANDOM_H

#ifdef RFI_IMPL
static rf_prng rfi_random_stream RFI_UNUSED;

RFI_FN void rfi_random_begin(uint64_t seed) { rfi_random_stream = (rf_prng){seed}; }

RFI_FN uint32_t rfi_random_pick(const rf_choice *c) {
    return rfi_choice_at(c, rfi_below(&rfi_random_stream, c->count));
}

static rf_strategy rfi_random RFI_UNUSED = {.name = "random",
                                            .help = "uniform over the enabled threads",
                                            .begin = rfi_random_begin,
                                            .pick = rfi_random_pick};
#endif
#endif

/* ==== edit src/explore/all.h ============================= >>explore/all */
/* explore/all.h: the strategies and the checkers that are built in, in the order in which options
 * list them. */
#ifndef RFI_EXPLORE_ALL_H
#define RFI_EXPLORE_ALL_H

#ifdef RFI_IMPL
static const rf_strategy *const rfi_strategies[] RFI_UNUSED = {&rfi_random};
static const rf_checker *const rfi_checkers[] RFI_UNUSED = {
    &rfi_racefuzzer, &rfi_deadlockfuzzer, &rfi_atomfuzzer_checker, &rfi_lostwakeup_checker,
    &rfi_breakpoint_checker};
#endif
#endif

/* ==== edit src/campaign/filter.h ========================= >>campaign/filter */
/* campaign/filter.h: which tests a filter names.
 *
 * A filter is a list of patterns, separated by commas, any of which lets a test in; one with '-' in
 * front keeps tests out instead, and wins.  A pattern with * (any characters) or ? (any one) is
 * compared with the whole name; one with neither may stand anywhere in it.
 */
#ifndef RFI_CAMPAIGN_FILTER_H
#define RFI_CAMPAIGN_FILTER_H

#ifdef RFI_IMPL
/* Only the last * is ever tried again, so the cost is the product of the lengths at worst. */
RFI_FN bool rfi_glob(const char *p, const char *end, const char *s) {
    const char *star = NULL, *tried = NULL;
    for (;;) {
        if (p < end && *p == '*') {
            star = ++p;
            tried = s;
        } else if (p < end && *s && (*p == '?' || *p == *s)) {
            p++;
            s++;
        } else if (p == end && !*s) {
            return true;
        } else if (star && *tried) {
            p = star;
            s = ++tried;
        } else {
            return false;
        }
    }
}

RFI_FN bool rfi_pattern_match(const char *p, size_t n, const char *name) {
    if (memchr(p, '*', n) || memchr(p, '?', n)) return rfi_glob(p, p + n, name);
    while (*name && strncmp(name, p, n) != 0) name++;
    return *name;
}

/* Has it no empty pattern? */
RFI_FN bool rfi_filter_valid(const char *filter) {
    for (;; filter++) {
        filter += *filter == '-';
        size_t n = strcspn(filter, ",");
        if (!n) return false;
        filter += n;
        if (!*filter) return true;
    }
}

/* Does a valid filter let the test in?  NULL lets in all. */
RFI_FN bool rfi_filter_match(const char *filter, const char *test_name) {
    bool choosy = false, chosen = false;
    for (const char *p = filter; p && *p; p += *p == ',') {
        bool out = *p == '-';
        p += out;
        size_t n = strcspn(p, ",");
        bool match = rfi_pattern_match(p, n, test_name);
        if (out && match) return false;
        choosy |= !out;
        chosen |= !out && match;
        p += n;
    }
    return chosen || !choosy;
}
#endif
#endif

/* ==== edit src/campaign/options.h ======================== >>campaign/options */
/* campaign/options.h: the one list of options.
 *
 * Every option is one line of RFI_OPTIONS.  The variable RF_X, the option --x, what --help prints,
 * the table of the manual and the list of the man page (report/help.h) are made from it.
 */
#ifndef RFI_CAMPAIGN_OPTIONS_H
#define RFI_CAMPAIGN_OPTIONS_H

#ifdef RFI_IMPL
/* A valid name and one line about it.  Lists of them end with {NULL, NULL}. */
typedef struct rfi_name {
    const char *name, *help;
} rfi_name;

/* The names that come from what is registered. */
typedef struct rfi_names {
    const rfi_name *strategy;
    uint32_t strategies; /* so many of these pick threads; one at a time can do that */
    const rfi_name *detect, *memory, *format;
} rfi_names;

typedef enum rfi_tear { RFI_TEAR_ON, RFI_TEAR_OFF } rfi_tear;
typedef enum rfi_fail_on { RFI_FAIL_ON_RACE, RFI_FAIL_ON_HARM } rfi_fail_on;

/* Texts belong to the environment or to argv. */
typedef struct rfi_settings {
    uint64_t seed;                /* of the campaign */
    bool seed_given, seed_random; /* random: drawn from the clock and the process id */
    const char *token;            /* RF_SEED is a replay token; else NULL */
    const char *filter;           /* for rfi_filter_match(); NULL: all tests */
    uint32_t executions;          /* 0: not given, as for the next three */
    double seconds;
    uint64_t steps;
    size_t stack;
    bool seconds_given;                     /* given and 0: no cap */
    const char *strategy, *detect, *memory; /* valid names; NULL: not given */
    rfi_abstraction abstraction;
    uint32_t history, sample; /* 0: not given; sample: bits */
    rfi_tear tear;
    bool cxx20;
    rf_granularity granularity;
    rfi_fail_on fail_on;
    uint32_t jobs; /* 0: no other process */
    bool jobs_given;
    uint32_t shard, shards; /* 1 <= shard <= shards */
    rfi_backend_kind backend;
    uint32_t watchdog;  /* CPU seconds */
    const char *format; /* a valid name */
    const char *report; /* a file; NULL: standard output */
    bool list, help, version, trace, verify;
    bool help_markdown, help_roff; /* for making the manual; not in --help */
} rfi_settings;

/* X(ID, "--option", metavar, kind, field, least, most, default, help): the variable is RF_ID; kind
 * names a reader in campaign/settings.h; a choice of the index i is stored as least + i; an option
 * without help is not shown. */
/* clang-format off */
# define RFI_OPTIONS(X) \
    X(FILTER, "--filter", "PATTERNS", patterns, filter, 0, 0, "all tests", \
      "run only these tests: parts of names, or patterns with * and ?, separated by commas; - in " \
      "front leaves tests out; arguments that are no options are added to this list") \
    X(LIST, "--list", NULL, flag, list, 0, 1, NULL, "print the names of the tests instead") \
    X(SEED, "--seed", "SEED", seed, seed, 0, UINT64_MAX, "1", \
      "a token as printed: replay exactly that execution, in this process; a number: the seed of " \
      "the campaign; random: a new one each time") \
    X(TRACE, "--trace", NULL, flag, trace, 0, 1, NULL, \
      "print the whole interleaving of each execution that is replayed") \
    X(VERIFY, "--verify", NULL, flag, verify, 0, 1, NULL, \
      "run every execution twice and compare them event by event") \
    X(EXECUTIONS, "--executions", "N", u32, executions, 1, UINT32_MAX, "1000", \
      "executions per test and phase") \
    X(SECONDS, "--seconds", "SECONDS", seconds, seconds, 0, 1000000000, "10", \
      "cap on the time of each test, reported when it is hit; none: no cap") \
    X(STEPS, "--steps", "N", u64, steps, 1, UINT64_MAX, "1000000", \
      "steps after which an execution counts as a livelock") \
    X(STACK, "--stack", "BYTES", bytes, stack, 16 << 10, 1 << 30, "256k", \
      "stack of each logical thread; k, m and g may follow the number") \
    X(STRATEGY, "--strategy", "NAMES", names, strategy, 0, 0, "random, and all that confirm", \
      "what picks the next thread, and who may steer it in the second phase; several are " \
      "separated by commas") \
    X(DETECT, "--detect", "NAMES", names, detect, 0, 0, \
      "all but fasttrack, eraser, lockset", \
      "which analyses predict; several are separated by commas") \
    X(ABSTRACTION, "--abstraction", "NAME", choice, abstraction, RFI_ABSTRACT_SITE, 0, "site", \
      "by what goodlock tells threads and locks apart: deadlocks that are alike then are one") \
    X(MEMORY, "--memory", "NAME", name, memory, 0, 0, \
      "c11, then each heuristic on each race that was confirmed", \
      "what memory may return; the names from oldest on are heuristics: the only one that is " \
      "tried on races") \
    X(HISTORY, "--history", "N", u32, history, 2, RF_MEM_HISTORY_MAX, "32", \
      "stores that are kept of each location") \
    X(TEAR, "--tear", "NAME", choice, tear, RFI_TEAR_ON, 0, "on", \
      "whether racy plain values of 8 bytes and more may be read in pieces") \
    X(SAMPLE, "--sample", "ELEMENTS", elements, sample, 0, 31, "all", \
      "which of the locations that a race touches may return older values: numbers in the order " \
      "of first touch, separated by commas") \
    X(CXX20, "--cxx20", NULL, flag, cxx20, 0, 1, NULL, \
      "release sequences as in C++20: later stores of the same thread do not belong to them") \
    X(GRANULARITY, "--granularity", "NAME", choice, granularity, RF_GRAIN_FINE, 0, \
      "fine while predicting, coarse while confirming", "where threads may be switched") \
    X(FAIL_ON, "--fail-on", "NAME", choice, fail_on, RFI_FAIL_ON_RACE, 0, "race", \
      "which races fail a test") \
    X(JOBS, "--jobs", "N", jobs, jobs, 0, 256, "1, or 0 under a debugger", \
      "worker processes; 0: everything in this process; does not change what is found") \
    X(SHARD, "--shard", "I/N", shard, shard, 1, UINT32_MAX, "1/1", \
      "run the part I of N of the campaign") \
    X(BACKEND, "--backend", "NAME", choice, backend, RFI_BACKEND_FIBER, 0, "fiber", \
      "what logical threads are made of; does not change what is found") \
    X(WATCHDOG, "--watchdog", "SECONDS", u32, watchdog, 1, 86400, "5", \
      "CPU time that an execution may take without reaching racefuzz") \
    X(FORMAT, "--format", "NAME", name, format, 0, 0, "text", "how the report is written") \
    X(REPORT, "--report", "FILE", file, report, 0, 0, "standard output", \
      "where the report is written to") \
    X(HELP, "--help", NULL, flag, help, 0, 1, NULL, "print this list; also -h") \
    X(VERSION, "--version", NULL, flag, version, 0, 1, NULL, "print the version of racefuzz") \
    X(HELP_MARKDOWN, "--help-markdown", NULL, flag, help_markdown, 0, 1, NULL, NULL) \
    X(HELP_ROFF, "--help-roff", NULL, flag, help_roff, 0, 1, NULL, NULL)
/* clang-format on */

typedef enum rfi_option_id {
# define RFI_X(id, ...) RFI_OPTION_##id,
    RFI_OPTIONS(RFI_X)
# undef RFI_X
        RFI_OPTION_COUNT
} rfi_option_id;

typedef enum rfi_option_kind {
    RFI_KIND_flag,
    RFI_KIND_u32,
    RFI_KIND_u64,
    RFI_KIND_bytes,
    RFI_KIND_jobs,
    RFI_KIND_seconds,
    RFI_KIND_seed,
    RFI_KIND_shard,
    RFI_KIND_elements,
    RFI_KIND_choice, /* one of a fixed list */
    RFI_KIND_name,   /* one of what is registered */
    RFI_KIND_names,  /* or several of it */
    RFI_KIND_patterns,
    RFI_KIND_file
} rfi_option_kind;

typedef struct rfi_option {
    const char *variable, *option;
    const char *metavar; /* NULL: takes no value */
    const char *preset, *help;
    rfi_option_id id;
    rfi_option_kind kind;
    uint64_t least, most;
} rfi_option;

static const rfi_option rfi_option_table[] RFI_UNUSED = {
/* clang-format off */
# define RFI_X(id, option, metavar, kind, field, least, most, preset, help) \
    {"RF_" #id, option, metavar, preset, help, RFI_OPTION_##id, RFI_KIND_##kind, least, most},
    /* clang-format on */
    RFI_OPTIONS(RFI_X)
# undef RFI_X
};

/* The names that an option takes, or NULL. */
RFI_FN const rfi_name *rfi_option_names(const rfi_option *o, const rfi_names *names) {
    static const rfi_name granularity[] = {{"fine", "before every visible operation"},
                                           {"coarse", "before synchronisation, atomics and the "
                                                      "statements under suspicion"},
                                           {NULL, NULL}};
    static const rfi_name abstraction[] = {
        {"site", "by the statement that made them"},
        {"index", "by the calls in which they were made, which are counted"},
        {"none", "by nothing: by the statements that take the locks alone"},
        {NULL, NULL}};
    static const rfi_name tear[] = {{"on", NULL}, {"off", NULL}, {NULL, NULL}};
    static const rfi_name fail_on[] = {{"race", "every race that was produced"},
                                       {"harm", "only those that made an execution fail"},
                                       {NULL, NULL}};
    static const rfi_name backend[] = {{"fiber", "stacks in one thread, switched by hand"},
                                       {"threads", "real threads that wait for each other"},
                                       {NULL, NULL}};
    switch (o->id) {
    case RFI_OPTION_STRATEGY: return names->strategy;
    case RFI_OPTION_DETECT: return names->detect;
    case RFI_OPTION_MEMORY: return names->memory;
    case RFI_OPTION_FORMAT: return names->format;
    case RFI_OPTION_GRANULARITY: return granularity;
    case RFI_OPTION_ABSTRACTION: return abstraction;
    case RFI_OPTION_TEAR: return tear;
    case RFI_OPTION_FAIL_ON: return fail_on;
    case RFI_OPTION_BACKEND: return backend;
    default: return NULL;
    }
}
#endif
#endif

/* ==== edit src/campaign/spelling.h ======================= >>campaign/spelling */
/* campaign/spelling.h: which known name was probably meant.
 *
 * The distance is that of optimal string alignment (Damerau 1964): how many letters were inserted,
 * left out, replaced, or exchanged with their neighbour; case does not count.  A known name that
 * goes on where the typed one stops is one step away.
 */
#ifndef RFI_CAMPAIGN_SPELLING_H
#define RFI_CAMPAIGN_SPELLING_H

#ifdef RFI_IMPL
# define RFI_SPELLING_BYTES 32u /* longer names resemble nothing */

typedef struct rfi_spelling {
    const char *typed;
    size_t length;
    const char *nearest; /* NULL: nothing is near; of equals the first */
    unsigned steps;      /* only what is nearer than this is taken */
} rfi_spelling;

/* One step is allowed for each three letters, and one at least. */
RFI_FN rfi_spelling rfi_spelling_of(const char *typed, size_t length) {
    rfi_spelling s = {typed, length, NULL, length < 3 ? 2 : (unsigned)(length / 3) + 1};
    return s;
}

RFI_INLINE char rfi_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

RFI_FN unsigned rfi_spelling_steps(const char *a, size_t n, const char *b, size_t m) {
    unsigned d[RFI_SPELLING_BYTES + 1][RFI_SPELLING_BYTES + 1];
    if (n > RFI_SPELLING_BYTES || m > RFI_SPELLING_BYTES) return UINT_MAX;
    for (unsigned i = 0; i <= n; i++) {
        for (unsigned j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            char x = rfi_lower(a[i - 1]), y = rfi_lower(b[j - 1]);
            unsigned best = d[i - 1][j - 1] + (x != y);
            if (best > d[i - 1][j] + 1) best = d[i - 1][j] + 1;
            if (best > d[i][j - 1] + 1) best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && x == rfi_lower(b[j - 2]) && y == rfi_lower(a[i - 2]) &&
                best > d[i - 2][j - 2] + 1)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    }
    return d[n][m];
}

/* Considers a known name. */
RFI_FN void rfi_spelling_offer(rfi_spelling *s, const char *known) {
    size_t n = s->length, m = strlen(known);
    bool begins = n > 2 && n < m && rfi_spelling_steps(s->typed, n, known, n) == 0;
    unsigned steps = begins ? 1 : rfi_spelling_steps(s->typed, n, known, m);
    if (steps >= s->steps) return;
    s->nearest = known;
    s->steps = steps;
}
#endif
#endif

/* ==== edit src/campaign/settings.h ======================= >>campaign/settings */
/* campaign/settings.h: how options are read.
 *
 * The environment is read first, then the command line, so that the option wins over the variable
 * and the last of two equal options over the first.  Whatever is wrong is one line on stderr,
 * whatever characters a value has, and nothing else is printed.
 */
#ifndef RFI_CAMPAIGN_SETTINGS_H
#define RFI_CAMPAIGN_SETTINGS_H

#ifdef RFI_IMPL
/* Formats that are planned: refused, but not as a slip of the pen. */
static const rfi_name rfi_formats_later[] RFI_UNUSED = {
    {"junit", NULL}, {"json", NULL}, {"html", NULL}, {NULL, NULL}};

/* ---- Readers: each stores a value that is as it should be; for any other the answer is false. */

typedef struct rfi_value {
    const rfi_option *option;
    const rfi_name *names; /* of the option */
    const char *text;
    rfi_settings *settings;
} rfi_value;

/* Reads digits; the rest of the text, or NULL if there are none or the number is too large. */
RFI_FN const char *rfi_read_digits(const char *s, unsigned base, uint64_t *number) {
    const char *start = s;
    for (*number = 0;; s++) {
        char c = rfi_lower(*s);
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                : base;
        if (digit >= base) return s > start ? s : NULL;
        if (__builtin_mul_overflow(*number, base, number) ||
            __builtin_add_overflow(*number, digit, number))
            return NULL;
    }
}

RFI_FN bool rfi_in_range(const rfi_value *v, uint64_t n) {
    return n >= v->option->least && n <= v->option->most;
}

RFI_FN bool rfi_read_u64(const rfi_value *v, uint64_t *out) {
    uint64_t n;
    const char *rest = rfi_read_digits(v->text, 10, &n);
    if (!rest || *rest || !rfi_in_range(v, n)) return false;
    *out = n;
    return true;
}

RFI_FN bool rfi_read_u32(const rfi_value *v, uint32_t *out) {
    uint64_t n;
    if (!rfi_read_u64(v, &n)) return false;
    *out = (uint32_t)n;
    return true;
}

RFI_FN bool rfi_read_jobs(const rfi_value *v, uint32_t *out) {
    if (!rfi_read_u32(v, out)) return false;
    v->settings->jobs_given = true;
    return true;
}

RFI_FN bool rfi_read_bytes(const rfi_value *v, size_t *out) {
    uint64_t n;
    const char *rest = rfi_read_digits(v->text, 10, &n);
    if (!rest) return false;
    char unit = rfi_lower(*rest);
    unsigned shift = unit == 'k' ? 10 : unit == 'm' ? 20 : unit == 'g' ? 30 : 0;
    if (rest[shift != 0] || n > UINT64_MAX >> shift || !rfi_in_range(v, n << shift)) return false;
    *out = (size_t)(n << shift);
    return true;
}

/* By hand, because strtod() follows the locale and knows inf, nan and hexadecimal. */
RFI_FN bool rfi_read_seconds(const rfi_value *v, double *out) {
    uint64_t whole;
    double n = 0, scale = 1;
    if (strcmp(v->text, "none") != 0) {
        const char *rest = rfi_read_digits(v->text, 10, &whole);
        if (!rest || whole >= v->option->most) return false;
        if (*rest == '.' && rest[1])
            for (rest++; *rest >= '0' && *rest <= '9'; rest++) n += (*rest - '0') * (scale /= 10);
        n += (double)whole;
        if (*rest || n <= 0) return false;
    }
    *out = n;
    v->settings->seconds_given = true;
    return true;
}

RFI_FN bool rfi_looks_like_token(const char *s) {
    static const char valid[] = "0123456789.-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return *s >= '0' && *s <= '9' && strchr(s, '.') && !s[strspn(s, valid)];
}

/* The only use of the clock and the process id; what comes of it is printed as the seed. */
RFI_FN uint64_t rfi_seed_draw(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return rfi_mix(rfi_mix((uint64_t)now.tv_sec) + (uint64_t)now.tv_nsec) ^
           rfi_mix((uint64_t)getpid());
}

RFI_FN bool rfi_read_seed(const rfi_value *v, uint64_t *out) {
    const char *s = v->text, *token = NULL;
    bool hex = s[0] == '0' && rfi_lower(s[1]) == 'x', chance = !strcmp(s, "random");
    uint64_t n = *out;
    if (chance) {
        n = rfi_seed_draw();
    } else if (rfi_looks_like_token(s)) {
        token = s;
    } else {
        const char *rest = hex ? rfi_read_digits(s + 2, 16, &n) : rfi_read_digits(s, 10, &n);
        if (!rest || *rest) return false;
    }
    *out = n;
    v->settings->token = token;
    v->settings->seed_random = chance;
    v->settings->seed_given = true;
    return true;
}

RFI_FN bool rfi_read_shard(const rfi_value *v, uint32_t *out) {
    uint64_t i, n;
    const char *rest = rfi_read_digits(v->text, 10, &i);
    if (!rest || *rest != '/') return false;
    rest = rfi_read_digits(rest + 1, 10, &n);
    if (!rest || *rest || i < 1 || i > n || !rfi_in_range(v, n)) return false;
    *out = (uint32_t)i;
    v->settings->shards = (uint32_t)n;
    return true;
}

/* Numbers, separated by commas, as bits. */
RFI_FN bool rfi_read_elements(const rfi_value *v, uint32_t *out) {
    uint32_t bits = 0;
    for (const char *s = v->text;; s++) {
        uint64_t n;
        s = rfi_read_digits(s, 10, &n);
        if (!s || !rfi_in_range(v, n)) return false;
        bits |= UINT32_C(1) << n;
        if (*s == ',') continue;
        *out = bits;
        return !*s;
    }
}

RFI_FN bool rfi_read_flag(const rfi_value *v, bool *out) {
    static const char *const words[] = {"0", "1", "no", "yes", "false", "true"};
    for (unsigned i = 0; i < 6; i++) {
        if (strcmp(v->text, words[i]) != 0) continue;
        *out = i & 1;
        return true;
    }
    return false;
}

/* The index of a name in a list, or -1. */
RFI_FN int rfi_name_index(const rfi_name *list, const char *s, size_t n) {
    for (int i = 0; list[i].name; i++)
        if (strlen(list[i].name) == n && !memcmp(list[i].name, s, n)) return i;
    return -1;
}

RFI_FN bool rfi_read_choice(const rfi_value *v, unsigned *out) {
    int i = rfi_name_index(v->names, v->text, strlen(v->text));
    if (i < 0) return false;
    *out = (unsigned)v->option->least + (unsigned)i;
    return true;
}

/* The first name of the value that is not in the list, and its length; NULL if there is none. */
RFI_FN const char *rfi_unknown_name(const rfi_value *v, size_t *length) {
    bool several = v->option->kind == RFI_KIND_names;
    for (const char *s = v->text;; s++) {
        *length = several ? strcspn(s, ",") : strlen(s);
        if (rfi_name_index(v->names, s, *length) < 0) return s;
        s += *length;
        if (!*s) return NULL;
    }
}

RFI_FN bool rfi_read_names(const rfi_value *v, const char **out) {
    size_t length;
    if (rfi_unknown_name(v, &length)) return false;
    *out = v->text;
    return true;
}

RFI_FN bool rfi_read_name(const rfi_value *v, const char **out) { return rfi_read_names(v, out); }

RFI_FN bool rfi_read_patterns(const rfi_value *v, const char **out) {
    if (!rfi_filter_valid(v->text)) return false;
    *out = v->text;
    return true;
}

RFI_FN bool rfi_read_file(const rfi_value *v, const char **out) {
    if (!*v->text) return false;
    *out = v->text;
    return true;
}

RFI_FN bool rfi_read_value(const rfi_value *v) {
    switch (v->option->id) {
/* clang-format off */
# define RFI_X(id, option, metavar, kind, field, ...) \
    case RFI_OPTION_##id: return rfi_read_##kind(v, &v->settings->field);
        /* clang-format on */
        RFI_OPTIONS(RFI_X)
# undef RFI_X
    default: return false;
    }
}

/* ---- Refusals: one line each. */

/* A foreign text between quotes, cut when it is long; no byte of it can end or steer the line. */
RFI_FN void rfi_complain_quoted(const char *s, size_t length) {
    size_t n = length < 60 ? length : 60;
    fputc('"', stderr);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        fprintf(stderr, c < ' ' || c > '~' ? "\\x%02x" : "%c", c);
    }
    fputs(n < length ? "...\"" : "\"", stderr);
}

RFI_FN void rfi_complain_names(const rfi_name *list) {
    for (; list->name; list++) fprintf(stderr, "%s%s", list->name, list[1].name ? ", " : "");
}

RFI_FN void rfi_complain_nearest(const rfi_spelling *s) {
    if (s->nearest) fprintf(stderr, " (did you mean %s?)", s->nearest);
}

/* What is accepted. */
RFI_FN void rfi_complain_expected(const rfi_option *o, const rfi_name *names) {
    unsigned long long least = o->least, most = o->most;
    switch (o->kind) {
    case RFI_KIND_flag: fputs("1, yes or true, or 0, no or false", stderr); break;
    case RFI_KIND_u32:
    case RFI_KIND_u64:
    case RFI_KIND_jobs: fprintf(stderr, "a whole number from %llu to %llu", least, most); break;
    case RFI_KIND_bytes:
        fprintf(stderr, "bytes from %lluk to %llug, such as 65536, 64k or 1m", least >> 10,
                most >> 30);
        break;
    case RFI_KIND_seconds:
        fprintf(stderr, "seconds above 0 and below %llu, such as 2 or 0.5, or none for no cap",
                most);
        break;
    case RFI_KIND_seed:
        fprintf(stderr,
                "a replay token as printed, a number from 0 to %llu (or 0x and "
                "hexadecimal digits), or random",
                most);
        break;
    case RFI_KIND_shard: fprintf(stderr, "I/N with 1 <= I <= N <= %llu, such as 2/4", most); break;
    case RFI_KIND_elements:
        fprintf(stderr, "numbers from %llu to %llu, separated by commas", least, most);
        break;
    case RFI_KIND_names: fputs("one or several, separated by commas, of ", stderr); break;
    case RFI_KIND_choice:
    case RFI_KIND_name: fputs("one of ", stderr); break;
    case RFI_KIND_patterns:
        fputs("names or patterns with * and ?, separated by commas, each with - in front to leave "
              "tests out",
              stderr);
        break;
    case RFI_KIND_file: fputs("the name of a file", stderr); break;
    }
    if (names) rfi_complain_names(names);
    fputc('\n', stderr);
}

RFI_FN void rfi_complain_unknown_name(const rfi_value *v) {
    size_t n;
    const char *s = rfi_unknown_name(v, &n);
    if (!s) return;
    bool later = v->option->id == RFI_OPTION_FORMAT && rfi_name_index(rfi_formats_later, s, n) >= 0;
    if (n < strlen(v->text)) { /* one of several: which */
        rfi_complain_quoted(s, n);
        fputc(' ', stderr);
    }
    fputs(later ? "comes later" : "is not known", stderr);
    rfi_spelling spelling = rfi_spelling_of(s, n);
    for (const rfi_name *known = v->names; known->name && !later; known++)
        rfi_spelling_offer(&spelling, known->name);
    rfi_complain_nearest(&spelling);
    fputs("; ", stderr);
}

/* `where`: the variable or option as written, without its value. */
RFI_FN RFI_COLD int rfi_refuse_value(const rfi_value *v, const char *where) {
    fprintf(stderr, "racefuzz: %s=", where);
    rfi_complain_quoted(v->text, strlen(v->text));
    fputs(": ", stderr);
    if (v->names && *v->text) rfi_complain_unknown_name(v);
    fputs("expected ", stderr);
    rfi_complain_expected(v->option, v->names);
    return 2;
}

/* Two strategies in one list can't both pick the next thread: one line, and false. */
RFI_FN bool rfi_one_strategy(rfi_option_id id, const rfi_names *names, const char *text,
                             const char *where) {
    const char *first = NULL;
    for (const char *s = id == RFI_OPTION_STRATEGY ? text : NULL; s;) {
        size_t n = strcspn(s, ",");
        int i = rfi_name_index(names->strategy, s, n);
        if (i >= 0 && (uint32_t)i < names->strategies) {
            const char *name = names->strategy[i].name;
            if (first && strcmp(first, name) != 0) {
                fprintf(stderr, "racefuzz: %s=", where);
                rfi_complain_quoted(text, strlen(text));
                fprintf(stderr,
                        ": %s and %s both pick threads: expected one of them, and any checkers\n",
                        first, name);
                return false;
            }
            first = name;
        }
        s = s[n] ? s + n + 1 : NULL;
    }
    return true;
}

/* A name that the code gives, NULL or valid; else one line, and false. */
RFI_FN bool rfi_name_valid(rfi_option_id id, const rfi_names *names, const char *text,
                           const char *where) {
    const rfi_option *o = &rfi_option_table[id];
    rfi_value v = {o, rfi_option_names(o, names), text, NULL};
    size_t length;
    if (!text) return true;
    if (!rfi_unknown_name(&v, &length)) return rfi_one_strategy(id, names, text, where);
    rfi_refuse_value(&v, where);
    return false;
}

RFI_FN RFI_COLD int rfi_refuse_option(const char *arg, size_t length) {
    fputs("racefuzz: unknown option ", stderr);
    rfi_complain_quoted(arg, length);
    rfi_spelling spelling = rfi_spelling_of(arg, length);
    for (unsigned i = 0; i < RFI_OPTION_COUNT; i++)
        if (rfi_option_table[i].help) rfi_spelling_offer(&spelling, rfi_option_table[i].option);
    rfi_complain_nearest(&spelling);
    fputs("; expected one of", stderr);
    for (unsigned i = 0; i < RFI_OPTION_COUNT; i++)
        if (rfi_option_table[i].help) fprintf(stderr, " %s", rfi_option_table[i].option);
    fputc('\n', stderr);
    return 2;
}

/* ---- The environment and the command line. */

RFI_FN int rfi_settings_set(rfi_settings *s, const rfi_names *names, const rfi_option *o,
                            const char *where, const char *text) {
    rfi_value v = {o, rfi_option_names(o, names), text, s};
    if (!rfi_read_value(&v)) return rfi_refuse_value(&v, where);
    return rfi_one_strategy(o->id, names, text, where) ? 0 : 2;
}

/* A variable that looks like one of ours with a slip in it would be ignored in silence. */
RFI_FN void rfi_environment_warn(const char *variable) {
    size_t n = strcspn(variable, "=");
    rfi_spelling spelling = rfi_spelling_of(variable + 3, n - 3);
    for (unsigned i = 0; i < RFI_OPTION_COUNT; i++) {
        const rfi_option *o = &rfi_option_table[i];
        if (strlen(o->variable) == n && !memcmp(o->variable, variable, n)) return;
        if (o->help) rfi_spelling_offer(&spelling, o->variable + 3);
    }
    if (!spelling.nearest) return;
    fputs("racefuzz: warning: the variable ", stderr);
    rfi_complain_quoted(variable, n);
    fprintf(stderr, " is not known (did you mean RF_%s?)\n", spelling.nearest);
}

RFI_FN int rfi_read_environment(rfi_settings *s, const rfi_names *names) {
    extern char **environ;
    for (unsigned i = 0; i < RFI_OPTION_COUNT; i++) {
        const rfi_option *o = &rfi_option_table[i];
        const char *text = getenv(o->variable);
        int status = text ? rfi_settings_set(s, names, o, o->variable, text) : 0;
        if (status) return status;
    }
    for (char **e = environ; e && *e; e++)
        if (!strncmp(*e, "RF_", 3)) rfi_environment_warn(*e);
    return 0;
}

/* Reads the option at argv[*i] and moves *i to the last argument that belongs to it. */
RFI_FN int rfi_read_option(rfi_settings *s, const rfi_names *names, int argc, char **argv, int *i) {
    const char *arg = strcmp(argv[*i], "-h") != 0 ? argv[*i] : "--help", *text = strchr(arg, '=');
    size_t n = text ? (size_t)(text - arg) : strlen(arg);
    const rfi_option *o = rfi_option_table, *end = o + RFI_OPTION_COUNT;
    while (o < end && (strlen(o->option) != n || memcmp(o->option, arg, n) != 0)) o++;
    if (o == end) return rfi_refuse_option(arg, n);
    if (!o->metavar) {
        if (!text) return rfi_settings_set(s, names, o, o->option, "1");
        fprintf(stderr, "racefuzz: %s=", o->option);
        rfi_complain_quoted(text + 1, strlen(text + 1));
        fputs(": expected no value\n", stderr);
        return 2;
    }
    if (text) return rfi_settings_set(s, names, o, o->option, text + 1);
    if (*i + 1 < argc && strncmp(argv[*i + 1], "--", 2) != 0)
        return rfi_settings_set(s, names, o, o->option, argv[++*i]);
    fprintf(stderr, "racefuzz: %s has no value: expected ", o->option);
    rfi_complain_expected(o, rfi_option_names(o, names));
    return 2;
}

/* The list of patterns `list` (malloc'ed or NULL) and one more. */
RFI_FN char *rfi_filter_add(char *list, const char *pattern) {
    size_t n = list ? strlen(list) + 1 : 0, bytes = n + strlen(pattern) + 1;
    list = realloc(list, bytes);
    if (!list) rfi_die("out of memory (a filter of %zu bytes)", bytes);
    if (n) list[n - 1] = ',';
    memcpy(list + n, pattern, bytes - n);
    return list;
}

/* Arguments that are no options are added to the value of --filter; with either, that of RF_FILTER
 * does not count. */
RFI_FN int rfi_read_command_line(rfi_settings *s, const rfi_names *names, int argc, char **argv) {
    static char *patterns; /* kept for the life of the process */
    const char *variable = s->filter;
    bool options = true;
    free(patterns);
    patterns = NULL;
    s->filter = NULL;
    for (int i = 1; i < argc; i++) {
        if (options && argv[i][0] == '-') {
            options = strcmp(argv[i], "--") != 0;
            int status = options ? rfi_read_option(s, names, argc, argv, &i) : 0;
            if (status) return status;
        } else if (rfi_filter_valid(argv[i])) {
            patterns = rfi_filter_add(patterns, argv[i]);
        } else {
            rfi_value v = {&rfi_option_table[RFI_OPTION_FILTER], NULL, argv[i], s};
            return rfi_refuse_value(&v, "argument");
        }
    }
    if (patterns && s->filter) patterns = rfi_filter_add(patterns, s->filter);
    if (patterns) s->filter = patterns;
    if (!s->filter) s->filter = variable;
    return 0;
}

/* Fills in *s from the environment and the command line (argv[0] is skipped).  0, or 2 after one
 * line on stderr.  Once per process, before the workers. */
RFI_FN int rfi_settings_read(rfi_settings *s, const rfi_names *names, int argc, char **argv) {
    *s = (rfi_settings){.seed = 1, .shard = 1, .shards = 1, .watchdog = 5, .format = "text"};
    int status = rfi_read_environment(s, names);
    return status ? status : rfi_read_command_line(s, names, argc, argv);
}
#endif
#endif

/* ==== edit src/campaign/crash.h ========================== >>campaign/crash */
/* campaign/crash.h: dying in the code under test is a finding.
 *
 * Whatever ends the process early (a signal, exit(), a sanitizer) is caught, written into the
 * record, which the supervisor shares, and given to rfi_crash.crashed.  Two clocks notice
 * executions that no longer reach the engine: CPU time (SIGPROF), for loops; and real time without
 * CPU time (SIGALRM), for waits in the kernel.  SIGALRM interrupts some calls, so a worker is
 * spared it by its supervisor while it uses CPU time.  What can't be caught (_exit, SIGKILL) the
 * supervisor tells from the status of the worker. With a sanitizer its own handlers stay, and its
 * report is found in the kept standard error.
 */
#ifndef RFI_CAMPAIGN_CRASH_H
#define RFI_CAMPAIGN_CRASH_H
#include <ucontext.h>
#if defined RFI_ASAN || defined RFI_TSAN
# include <sanitizer/common_interface_defs.h>
#endif

#ifdef RFI_IMPL
# define RFI_EXIT_CRASHED   66 /* of a worker whose record says why */
# define RFI_TICKS_A_SECOND 4  /* SIGPROF */
# define RFI_ALARMS         2  /* SIGALRM, in the time that counts as blocked */

/* The linker's: where the program's code lies, so that an address in it can be told as an offset.
 */
extern const char rfi_code_begin[] __asm__("__executable_start") __attribute__((weak));
extern const char rfi_code_end[] __asm__("etext") __attribute__((weak));

static struct {
    /* What to do once the record says what happened.  May go home; must not return. */
    void (*crashed)(void);
    pthread_t home;           /* the real thread that called rfi_crash_open */
    uint32_t seconds;         /* of the two clocks */
    volatile uint32_t *moved; /* counts the SIGALRMs that found it elsewhere; NULL: no supervisor */
} rfi_crash RFI_UNUSED;

/* This process was made by fork() in the code under test: it ends with the execution. */
static bool rfi_forked RFI_UNUSED;

RFI_FN void rfi_on_fork(void) { rfi_forked = true; }

RFI_FN const char *rfi_signal_name(int sig) {
    switch (sig) {
    case SIGSEGV: return "SIGSEGV";
    case SIGBUS: return "SIGBUS";
    case SIGILL: return "SIGILL";
    case SIGFPE: return "SIGFPE";
    case SIGABRT: return "SIGABRT";
    case SIGTRAP: return "SIGTRAP";
    case SIGSYS: return "SIGSYS";
    case SIGKILL: return "SIGKILL";
    case SIGTERM: return "SIGTERM";
    case SIGPIPE: return "SIGPIPE";
    case SIGINT: return "SIGINT";
    case SIGHUP: return "SIGHUP";
    default: return NULL;
    }
}

/* ---- the record ---- */

/* The last event of an execution that is traced, or NULL. */
RFI_FN const rf_event *rfi_last_event(const rfi_record *r) {
    return r->tracing && r->events ? &r->event[(r->events - 1) % RFI_RECORD_EVENTS] : NULL;
}

/* The execution ends with a crash of kind `d`; the caller writes the message.  The place is that of
 * the last operation, as far as it is known: a replay knows more. */
RFI_FN rfi_text rfi_crash_note(rf_diagnostic d) {
    rfi_failure *f = &rfi.record->failure;
    const rf_event *last = rfi_last_event(rfi.record);
    f->diagnostic = d;
    f->thread = rfi.current->id;
    f->site = last && last->thread == f->thread ? last->site : rfi.current->next.site;
    f->message[0] = 0;
    rfi.record->steps = rfi.run.steps;
    return (rfi_text){f->message, f->message + sizeof f->message};
}

/* The interrupted instruction, 0 where we don't know how to tell. */
RFI_FN uintptr_t rfi_signal_pc(const void *context) {
    const ucontext_t *u = context;
# if defined __x86_64__ && defined __linux__
    return (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
# elif defined __aarch64__ && defined __linux__
    return (uintptr_t)u->uc_mcontext.pc;
# else
    return (void)u, 0;
# endif
}

/* Says nothing that differs from one process to the next: failures are told apart by it. */
RFI_FN void rfi_say_signal(rfi_text *out, int sig, const siginfo_t *info, const void *context) {
    uintptr_t pc = rfi_signal_pc(context), start = (uintptr_t)rfi_code_begin;
    bool sent = info->si_code <= 0; /* by kill() or raise(): there is no fault */
    rfi_append(out, "%s", rfi_signal_name(sig));
    if (sig == SIGABRT) rfi_append(out, ", abort() was called");
    if (sent) return;
    if (sig == SIGSEGV && info->si_code == SEGV_MAPERR && (uintptr_t)info->si_addr < 65536)
        rfi_append(out, ", null pointer");
    if (sig == SIGFPE && info->si_code == FPE_INTDIV) rfi_append(out, ", division by zero");
    if (start && pc >= start && pc < (uintptr_t)rfi_code_end)
        rfi_append(out, ", at offset 0x%llx of the program", (unsigned long long)(pc - start));
}

/* ---- handlers ---- */

RFI_FN void rfi_on_signal(int sig, siginfo_t *info, void *context) {
    const rfi_thr *t = rfi.current;
    if (!t) { /* not in an execution: not ours */
        signal(sig, SIG_DFL);
        raise(sig);
        return;
    }
    if (sig == SIGSEGV && rfi_fiber_overflowed(&t->fiber, info->si_addr)) {
        rfi_text out = rfi_crash_note(RF_DIAG_STACK_OVERFLOW);
        rfi_append(&out, "the stack of a thread has %zu KiB (.stack_size, RF_STACK)",
                   rfi.plan->stack_size / 1024);
    } else {
        rfi_text out = rfi_crash_note(RF_DIAG_SIGNAL);
        rfi_say_signal(&out, sig, info, context);
    }
    rfi_crash.crashed();
}

RFI_FN void rfi_exit_watch(void);

RFI_FN void rfi_on_exit(int status, void *unused) {
    (void)unused;
    if (!rfi.current || rfi_forked) return;
    rfi_text out = rfi_crash_note(RF_DIAG_EXIT);
    if (status >= 0)
        rfi_append(&out, "exit(%d) was called", status);
    else
        rfi_append(&out, "exit() was called");
    rfi_exit_watch(); /* it is called once for each time that it was registered */
    rfi_crash.crashed();
}

RFI_FN void rfi_at_exit(void) { rfi_on_exit(-1, NULL); }

RFI_FN void rfi_exit_watch(void) {
# ifdef __GLIBC__
    on_exit(rfi_on_exit, NULL);
# else
    atexit(rfi_at_exit);
# endif
}

/* A sanitizer has told what is wrong and is about to end the process. */
RFI_FN void rfi_on_sanitizer(void) {
    if (!rfi.current) return;
    rfi_text out = rfi_crash_note(RF_DIAG_SIGNAL);
    rfi_append(&out, "a sanitizer ended the program; its report says why");
    rfi_crash.crashed();
}

/* Faults are always those of the real thread that runs the execution, but a signal that is sent to
 * the process may come to any thread: then it is passed on to that one. */
RFI_FN bool rfi_crash_elsewhere(const rfi_thr *t, int sig) {
    pthread_t own = t->fiber.os ? t->fiber.os->thread : rfi_crash.home;
    return !pthread_equal(pthread_self(), own) && !pthread_kill(own, sig);
}

/* Where an execution stood when a clock looked at it. */
typedef struct rfi_stand {
    uint32_t generation, looks; /* looks: since it came to stand there */
    uint64_t steps;
} rfi_stand;

/* How often has the clock found the execution where it stands now?  0: for the first time. */
RFI_FN uint32_t rfi_stand_still(rfi_stand *s) {
    if (s->generation == rfi.generation && s->steps == rfi.run.steps) return ++s->looks;
    *s = (rfi_stand){rfi.generation, 0, rfi.run.steps};
    return 0;
}

/* CPU time has passed. */
RFI_FN void rfi_on_tick(int sig) {
    static rfi_stand stand;
    const rfi_thr *t = rfi.current;
    if (!t || rfi_crash_elsewhere(t, sig)) return;
    if (rfi_stand_still(&stand) < rfi_crash.seconds * RFI_TICKS_A_SECOND) return;
    rfi_text out = rfi_crash_note(RF_DIAG_RUNAWAY);
    rfi_append(&out, "%u s of CPU time without an operation of racefuzz; the last one is shown",
               rfi_crash.seconds);
    rfi_crash.crashed();
}

RFI_FN void rfi_say_blocked(rfi_text *out) {
    rfi_append(out, "%u s without an operation of racefuzz or CPU time; use the RF_ primitives",
               rfi_crash.seconds);
}

/* Real time has passed. */
RFI_FN void rfi_on_alarm(int sig) {
    static rfi_stand stand;
    static clock_t before;
    const rfi_thr *t = rfi.current;
    if (!t || rfi_crash_elsewhere(t, sig)) return;
    clock_t now = clock();
    if (now - before > CLOCKS_PER_SEC / 100) stand.generation = 0; /* no wait */
    before = now;
    uint32_t stood = rfi_stand_still(&stand);
    if (!stood && rfi_crash.moved) ++*rfi_crash.moved;
    if (stood < RFI_ALARMS) return;
    rfi_text out = rfi_crash_note(RF_DIAG_BLOCKED);
    rfi_say_blocked(&out);
    rfi_crash.crashed();
}

/* ---- set-up ---- */

RFI_FN void rfi_crash_signals(void) {
# if defined RFI_ASAN || defined RFI_TSAN
    __sanitizer_set_death_callback(rfi_on_sanitizer);
# else
    static const int caught[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    struct sigaction a = {.sa_sigaction = rfi_on_signal,
                          .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&a.sa_mask);
    for (unsigned i = 0; i < sizeof caught / sizeof *caught; i++) sigaction(caught[i], &a, NULL);
# endif
}

RFI_FN void rfi_crash_clocks(void) {
    struct sigaction tick = {.sa_handler = rfi_on_tick,
                             .sa_flags = SA_RESTART | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&tick.sa_mask);
    sigaction(SIGPROF, &tick, NULL);
    tick.sa_handler = rfi_on_alarm;
    sigaction(SIGALRM, &tick, NULL);
    struct timeval part = {0, 1000000 / RFI_TICKS_A_SECOND};
    struct timeval wait = {rfi_crash.seconds / RFI_ALARMS,
                           rfi_crash.seconds % RFI_ALARMS * 1000000 / RFI_ALARMS};
    struct itimerval cpu = {part, part}, real = {wait, wait};
    setitimer(ITIMER_PROF, &cpu, NULL);
    if (!rfi_crash.moved) setitimer(ITIMER_REAL, &real, NULL);
}

/* After rfi_engine_open, which gives the calling thread its alternate stack.  0 seconds: a debugger
 * sees the signals first; only exit() is caught. */
RFI_FN void rfi_crash_open(uint32_t seconds, volatile uint32_t *moved, void (*crashed)(void)) {
    rfi_crash.crashed = crashed;
    rfi_crash.home = pthread_self();
    rfi_crash.seconds = seconds;
    rfi_crash.moved = moved;
    rfi_forked = false;
    (void)pthread_atfork(NULL, NULL, rfi_on_fork);
    rfi_exit_watch();
    if (!seconds) return;
    rfi_crash_signals();
    rfi_crash_clocks();
}

/* ---- deaths that were not caught ---- */

/* What the supervisor can tell of a worker that died in an execution without a word. */
RFI_FN void rfi_death_note(rfi_record *r, int status, bool blocked) {
    rfi_failure *f = &r->failure;
    rfi_text out = {f->message, f->message + sizeof f->message};
    const rf_event *last = rfi_last_event(r);
    f->site = last ? last->site : NULL;
    f->thread = last ? last->thread : 0;
    f->message[0] = 0;
    if (blocked) {
        f->diagnostic = RF_DIAG_BLOCKED;
        rfi_say_blocked(&out);
    } else if (WIFSIGNALED(status)) {
        const char *name = rfi_signal_name(WTERMSIG(status));
        f->diagnostic = RF_DIAG_SIGNAL;
        if (name)
            rfi_append(&out, "%s", name);
        else
            rfi_append(&out, "signal %d", WTERMSIG(status));
    } else {
        f->diagnostic = RF_DIAG_EXIT;
        rfi_append(&out, "_exit(%d) was called", WEXITSTATUS(status));
    }
}
#endif
#endif

/* ==== edit src/campaign/registry.h ======================= >>campaign/registry */
/* campaign/registry.h: every analysis, checker and strategy by name: those that are built in, then
 * those that the program has registered, in the order of their registration. */
#ifndef RFI_CAMPAIGN_REGISTRY_H
#define RFI_CAMPAIGN_REGISTRY_H

#ifdef RFI_IMPL
# define RFI_REGISTERED 16u /* of a sort, beside what is built in */

# define RFI_LENGTH(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

typedef struct rfi_registered {
    const rf_analysis *analysis[RFI_REGISTERED];
    const rf_checker *checker[RFI_REGISTERED];
    const rf_strategy *strategy[RFI_REGISTERED];
    uint32_t analyses, checkers, strategies;
} rfi_registered;

static rfi_registered rfi_registry RFI_UNUSED;

/* The i-th, or NULL behind the last. */
RFI_FN const rf_analysis *rfi_analysis_at(uint32_t i) {
    if (i < RFI_LENGTH(rfi_analyses)) return rfi_analyses[i];
    i -= RFI_LENGTH(rfi_analyses);
    return i < rfi_registry.analyses ? rfi_registry.analysis[i] : NULL;
}

RFI_FN const rf_checker *rfi_checker_at(uint32_t i) {
    if (i < RFI_LENGTH(rfi_checkers)) return rfi_checkers[i];
    i -= RFI_LENGTH(rfi_checkers);
    return i < rfi_registry.checkers ? rfi_registry.checker[i] : NULL;
}

RFI_FN const rf_strategy *rfi_strategy_at(uint32_t i) {
    if (i < RFI_LENGTH(rfi_strategies)) return rfi_strategies[i];
    i -= RFI_LENGTH(rfi_strategies);
    return i < rfi_registry.strategies ? rfi_registry.strategy[i] : NULL;
}

/* By name; NULL: there is none. */
RFI_FN const rf_checker *rfi_checker_named(const char *name) {
    const rf_checker *c = NULL;
    for (uint32_t i = 0; name && (c = rfi_checker_at(i)) && strcmp(c->name, name) != 0;) i++;
    return c;
}

RFI_FN const rf_strategy *rfi_strategy_named(const char *name) {
    const rf_strategy *s = NULL;
    for (uint32_t i = 0; name && (s = rfi_strategy_at(i)) && strcmp(s->name, name) != 0;) i++;
    return s;
}

/* Of the analysis with this name in sets of them; 0: there is none. */
RFI_FN uint64_t rfi_analysis_bit(const char *name) {
    const rf_analysis *a;
    for (uint32_t i = 0; name && (a = rfi_analysis_at(i)); i++)
        if (!strcmp(a->name, name)) return UINT64_C(1) << i;
    return 0;
}

/* ---- lists of names ---- */

RFI_FN bool rfi_list_has(const char *list, const char *name) {
    size_t n = strlen(name);
    for (const char *s = list; s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL)
        if (!strncmp(s, name, n) && (!s[n] || s[n] == ',')) return true;
    return false;
}

/* The analyses that a list names; without a list the usual ones and all that are registered. */
RFI_FN uint64_t rfi_analyses_of(const char *list) {
    uint64_t set = 0;
    const rf_analysis *a;
    for (uint32_t i = 0; (a = rfi_analysis_at(i)); i++) {
        bool in = rfi_list_has(list ? list : RFI_DEFAULT_DETECT, a->name) ||
                  (!list && i >= RFI_LENGTH(rfi_analyses));
        set |= (uint64_t)in << i;
    }
    return set;
}

/* Is the checker among the explorers that a list names?  Without a list all are. */
RFI_FN bool rfi_checker_in(const char *list, const rf_checker *c) {
    return !list || rfi_list_has(list, c->name);
}

/* The strategy that a list names, or the usual one. */
RFI_FN const rf_strategy *rfi_strategy_of(const char *list) {
    const rf_strategy *s;
    for (uint32_t i = 0; list && (s = rfi_strategy_at(i)); i++)
        if (rfi_list_has(list, s->name)) return s;
    return &rfi_random;
}

/* The names that options accept. */
RFI_FN const rfi_names *rfi_names_all(void) {
    enum { MOST = 64 };
    static rfi_name explorers[2 * MOST], analyses[MOST];
    static const rfi_name memories[] = {
        {"sc", "the newest value, always"},
        {"c11", "atomics as C11 has them, plain data sequentially consistent"},
        {"c11-fast", "the same, cheaper, with fewer outcomes"},
        {"oldest", "the oldest value allowed"},
        {"oldest-different", "the oldest that is not what the last read returned"},
        {"random", "any value allowed"},
        {"random-different", "any that is not what the last read returned"},
        {"mixed", "one of these four, drawn for each execution"},
        {NULL, NULL}};
    static const rfi_name formats[] = {
        {"text", "for people"}, {"tap", "Test Anything Protocol, version 14"}, {NULL, NULL}};
    static rfi_names names = {explorers, 0, analyses, memories, formats};
    uint32_t n = 0;
    for (uint32_t i = 0; rfi_strategy_at(i); i++)
        explorers[n++] = (rfi_name){rfi_strategy_at(i)->name, rfi_strategy_at(i)->help};
    names.strategies = n;
    for (uint32_t i = 0; rfi_checker_at(i); i++)
        explorers[n++] = (rfi_name){rfi_checker_at(i)->name, rfi_checker_at(i)->help};
    explorers[n] = (rfi_name){NULL, NULL};
    for (n = 0; rfi_analysis_at(n); n++)
        analyses[n] = (rfi_name){rfi_analysis_at(n)->name, rfi_analysis_at(n)->help};
    analyses[n] = (rfi_name){"none", "no analysis"};
    analyses[n + 1] = (rfi_name){NULL, NULL};
    return &names;
}

/* ---- registration ---- */

/* Names stand in tokens and in lists, beside words that mean something else there. */
RFI_FN void rfi_register_check(const char *what, const char *name, uint32_t count, bool known) {
    static const char valid[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    if (!name || !*name || name[strspn(name, valid)])
        rfi_die("%s: the name \"%s\" may have letters, digits, - and _ only", what,
                name ? name : "");
    if (!strcmp(name, "none") || !strcmp(name, "adversarial"))
        rfi_die("%s: the name %s means something else", what, name);
    if (known) rfi_die("%s: there is one named %s already", what, name);
    if (count == RFI_REGISTERED)
        rfi_die("%s: %s is one too many (%u can be registered)", what, name, RFI_REGISTERED);
}

RFI_FN void rfi_register_need(const char *what, const char *name, const char *field, bool there) {
    if (!there) rfi_die("%s: %s has no .%s", what, name, field);
}

void rfi_register_analysis(const rf_analysis *a) {
    rfi_registered *r = &rfi_registry;
    rfi_register_check("RF_ANALYSIS", a->name, r->analyses, rfi_analysis_bit(a->name) != 0);
    rfi_register_need("RF_ANALYSIS", a->name, "event", a->event);
    rfi_register_need("RF_ANALYSIS", a->name, "events", a->events);
    r->analysis[r->analyses++] = a;
}

void rfi_register_checker(const rf_checker *c) {
    rfi_registered *r = &rfi_registry;
    bool known = rfi_checker_named(c->name) || rfi_strategy_named(c->name);
    rfi_register_check("RF_CHECKER", c->name, r->checkers, known);
    rfi_register_need("RF_CHECKER", c->name, "is_breakpoint", c->is_breakpoint);
    rfi_register_need("RF_CHECKER", c->name, "check", c->check);
    rfi_register_need("RF_CHECKER", c->name, "event", c->event || !c->events);
    r->checker[r->checkers++] = c;
}

/* A checker whose analysis there is not, which can only be said once all are registered; or NULL.
 */
RFI_FN const rf_checker *rfi_register_astray(void) {
    for (uint32_t i = 0; i < rfi_registry.checkers; i++) {
        const rf_checker *c = rfi_registry.checker[i];
        if (c->of && !rfi_analysis_bit(c->of)) return c;
    }
    return NULL;
}

void rfi_register_strategy(const rf_strategy *s) {
    rfi_registered *r = &rfi_registry;
    bool known = rfi_checker_named(s->name) || rfi_strategy_named(s->name);
    rfi_register_check("RF_STRATEGY", s->name, r->strategies, known);
    rfi_register_need("RF_STRATEGY", s->name, "pick", s->pick);
    r->strategy[r->strategies++] = s;
}
#endif
#endif

/* ==== edit src/campaign/memory.h ========================= >>campaign/memory */
/* campaign/memory.h: the settings of memory by name: the model of atomics, and what phase 3 tries.
 *
 * The heuristics are those of Flanagan and Freund, "Adversarial memory for detecting destructive
 * races", PLDI 2010, section 5.1.
 */
#ifndef RFI_CAMPAIGN_MEMORY_H
#define RFI_CAMPAIGN_MEMORY_H

#ifdef RFI_IMPL
# define RFI_PICKS       (RF_PICK_MIXED + 1u)
# define RFI_PICK_BIT(p) (1u << (p))

typedef struct rfi_memory {
    const char *name; /* NULL: the default */
    rf_mem_model atomics;
    unsigned race_picks;   /* heuristics that are tried on each race; bits */
    unsigned atomic_picks; /* on atomics, where there is no race */
    rf_heuristic all_pick; /* on everything at once */
} rfi_memory;

# define RFI_FOUR_PICKS                                                    \
  (RFI_PICK_BIT(RF_PICK_OLDEST) | RFI_PICK_BIT(RF_PICK_OLDEST_DIFFERENT) | \
   RFI_PICK_BIT(RF_PICK_RANDOM) | RFI_PICK_BIT(RF_PICK_RANDOM_DIFFERENT))
# define RFI_ONE_PICK(name, pick) \
  { name, RF_MEM_C11, RFI_PICK_BIT(pick), RFI_PICK_BIT(pick), pick }

/* The first one is the default. */
static const rfi_memory rfi_memory_table[] RFI_UNUSED = {
    {NULL, RF_MEM_C11, RFI_FOUR_PICKS, RFI_FOUR_PICKS, RF_PICK_MIXED},
    {"sc", RF_MEM_SC, 0, 0, RF_PICK_NEWEST},
    {"c11", RF_MEM_C11, 0, RFI_FOUR_PICKS, RF_PICK_NEWEST},
    {"c11-fast", RF_MEM_C11_FAST, 0, RFI_FOUR_PICKS, RF_PICK_NEWEST},
    RFI_ONE_PICK("oldest", RF_PICK_OLDEST),
    RFI_ONE_PICK("oldest-different", RF_PICK_OLDEST_DIFFERENT),
    RFI_ONE_PICK("random", RF_PICK_RANDOM),
    RFI_ONE_PICK("random-different", RF_PICK_RANDOM_DIFFERENT),
    RFI_ONE_PICK("mixed", RF_PICK_MIXED)};

/* NULL: the default; a name that is not known: NULL. */
RFI_FN const rfi_memory *rfi_memory_named(const char *name) {
    const rfi_memory *end = rfi_memory_table + sizeof rfi_memory_table / sizeof *rfi_memory_table;
    const rfi_memory *m = rfi_memory_table;
    if (!name) return m;
    while (++m < end)
        if (!strcmp(m->name, name)) return m;
    return NULL;
}

RFI_FN const char *rfi_pick_word(rf_heuristic pick) {
    static const char *const words[] = {"recent", "newest",           "oldest", "oldest-different",
                                        "random", "random-different", "mixed"};
    return words[pick];
}
#endif
#endif

/* ==== edit src/campaign/result.h ========================= >>campaign/result */
/* campaign/result.h: what a campaign found, as reports read it.
 *
 * Everything here is a plain value that can be merged: two workers' tallies of one job added up in
 * either order give the same tally, so nothing depends on how many workers there were.
 */
#ifndef RFI_CAMPAIGN_RESULT_H
#define RFI_CAMPAIGN_RESULT_H

#ifdef RFI_IMPL
# define RFI_TOKEN_BYTES  384
# define RFI_LOCKS_BYTES  96
# define RFI_MAX_WARNINGS 1024u /* per test; more are counted and reported as left out */
# define RFI_MAX_FAILURES 64u   /* distinct ones, per job */
# define RFI_PHASES       3u

/* A place that a warning names, as it was first predicted, or first seen to happen (rf_place). */
typedef struct rfi_side {
    const rf_site *site;
    const char *role;
    uint16_t flags;
    uint32_t thread, size;
    char object[RFI_NAME_BYTES + 8]; /* its name; "" = none */
    char locks[RFI_LOCKS_BYTES];     /* what is held: "a, b (file.c:12)"; "" = nothing */
} rfi_side;

/* Executions of phase 3 under one heuristic. */
typedef struct rfi_trial {
    uint64_t executions, exposed; /* exposed: older values were returned */
    uint64_t failed, unclear;     /* of the exposed ones; unclear: in a way that is known without */
} rfi_trial;

# define RFI_TEXT_BYTES 160

/* Something under suspicion, and what became of it.  A race is a pair of statements: its sides 0
 * and 1 are in the order of sites. */
typedef struct rfi_warning {
    uint64_t key; /* of its family and targets; the same in every process */
    uint8_t family, sides, targets, telling; /* telling: of the targets, those that make the key */
    uint64_t by;                             /* set of the analyses that predicted it */
    rfi_side side[RF_PLACES];
    uint64_t target[RF_TARGETS];
    char text[RFI_TEXT_BYTES]; /* what is wrong; "": the family's words say it */
    char label[32];            /* what it is called: its analysis; "": as its family is */
    uint64_t beside;           /* races: key of another one seen at the same location */
    uint32_t variable;         /* races that share a location have the same number */
    /* Phase 1: how many executions predicted it, and the first; the same for executions in which
     * an analysis saw it happen, which makes it real. */
    uint64_t predicted, predicted_at, seen, seen_at;
    uint64_t predicted_last, seen_last; /* the last execution in which it was so, + 1 */
    /* Phase 2. */
    uint64_t executions, hits;  /* executions in which it was produced */
    uint64_t failed;            /* of the hits: executions that failed afterwards */
    uint64_t failed_by_kind[6]; /* by bit number of RF_EXPECT_* */
    rfi_trial trial[RFI_PICKS]; /* phase 3; RF_PICK_NEWEST: the same schedules without it */
} rfi_warning;

RFI_FN const char *rfi_warning_words(const rfi_warning *w) {
    return w->label[0] ? w->label : rfi_family(w->family)->words;
}

/* In the order of what they say. */
typedef enum rfi_verdict { RFI_POTENTIAL, RFI_REAL, RFI_DESTRUCTIVE, RFI_HARMFUL } rfi_verdict;

/* One way to fail, in one job: same diagnostic at the same site. */
typedef struct rfi_failure_kind {
    uint64_t key;
    rfi_failure failure;    /* of the shortest execution */
    uint64_t count, blamed; /* executions that failed so; those after a hit, or, in phase 3, after
                               an older value was returned */
    uint64_t steps;         /* of the shortest one */
    uint32_t index;         /* of it in its job */
    bool shortest_blamed;
    bool stale;           /* an atomic load of it returned an older value */
    uint64_t stale_steps; /* of the shortest in which one did; 0: there is none */
} rfi_failure_kind;

/* A finding as printed: a warning or a failure. */
typedef struct rfi_finding {
    const rfi_warning *warning;      /* NULL: a failure */
    rfi_verdict verdict;             /* of the warning */
    const rfi_failure_kind *failure; /* what it did; or the failure itself */
    char token[RFI_TOKEN_BYTES];     /* replays the execution in `record`; "" if there is none */
    const rfi_record *record;        /* of its replay; NULL if there was none (a potential race) */
    bool reproduced;                 /* the replay in a fresh process ended the same way */
    const char *output;              /* what the execution wrote to stderr, its end; may be "" */
    const char *note;                /* one more sentence to print, or NULL */
    bool together;                   /* seen only when all races returned older values at once */
    bool expected;                   /* `.expect` names it */
} rfi_finding;

/* What a test's campaign did, for the summary of the test. */
typedef struct rfi_result {
    const rfi_test *test;
    uint64_t executions[RFI_PHASES], steps[RFI_PHASES], planned[RFI_PHASES];
    double seconds;
    bool capped;                /* the cap in seconds ended it early */
    bool stateful;              /* the test keeps state between executions */
    const rf_site *unannounced; /* an atomic access that found memory changed by something that
                                   racefuzz does not see; NULL: none did */
    const rfi_warning *warning;
    uint32_t warnings, warnings_left_out;
    uint32_t potential, real, destructive, harmful; /* number of warnings by verdict */
    unsigned found;                                 /* kinds found, RF_EXPECT_* or-ed */
    unsigned missing;                               /* kinds expected and not found */
    bool skipped, passed;
    char reason[256]; /* why it was skipped or failed, one line */
} rfi_result;

RFI_FN uint64_t rfi_sum_of_phases(const uint64_t by_phase[RFI_PHASES]) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < RFI_PHASES; i++) sum += by_phase[i];
    return sum;
}

/* The whole run. */
typedef struct rfi_summary {
    uint64_t seed;
    uint32_t tests, passed, failed, skipped;
} rfi_summary;

/* A report format.  It reads findings and decides nothing.  All output goes to `out`. */
typedef struct rfi_reporter {
    const char *name;
    void (*begin)(FILE *out, const rfi_summary *s); /* s->tests and seed are known */
    void (*test)(FILE *out, const rfi_test *t);     /* a test begins */
    void (*finding)(FILE *out, const rfi_result *r, const rfi_finding *f);
    void (*result)(FILE *out, const rfi_result *r); /* it has ended */
    void (*end)(FILE *out, const rfi_summary *s); /* text: the last line is "N passed, N failed" */
} rfi_reporter;
#endif
#endif

/* ==== edit src/campaign/job.h ============================ >>campaign/job */
/* campaign/job.h: a job is a numbered sequence of executions of one test.
 *
 * What execution i of a job does follows from the job and i alone, so jobs can be cut among workers
 * and repeated at will.  Phase 1 predicts (a strategy alone, analyses on); phase 2 confirms one
 * warning (a checker is directed at it); phase 3 lets memory return older values (random schedules;
 * Flanagan, Freund, PLDI 2010, section 5): for the plain data that the statements of one pair
 * touch, for all of it, or for atomics alone.
 */
#ifndef RFI_CAMPAIGN_JOB_H
#define RFI_CAMPAIGN_JOB_H

#ifdef RFI_IMPL
enum { RFI_PREDICT = 1, RFI_CONFIRM = 2, RFI_ADVERSARY = 3 };
# define RFI_DEFAULT_EXECUTIONS 1000u
# define RFI_DEFAULT_SECONDS    10.0
# define RFI_DEFAULT_STEPS      UINT64_C(1000000)
# define RFI_DEFAULT_STACK      ((size_t)256 << 10)

/* With those of the memory model and of the trace. */
_Static_assert(RFI_LENGTH(rfi_analyses) + RFI_REGISTERED + 2 <= RFI_ANALYSES,
               "all analyses find room in a plan");

typedef struct rfi_job {
    rfi_test *test;
    unsigned phase;
    uint64_t seed;                   /* of the campaign */
    const rf_strategy *strategy;     /* NULL: random */
    const rf_checker *checker;       /* of phase 2; NULL: racefuzzer */
    uint64_t target[RF_TARGETS];     /* the warning's, in phases 2 and 3; 0 behind the last */
    const rf_site *site[RF_TARGETS]; /* those that are statements, where they are known */
    uint64_t analyses;               /* set of those that are on in phase 1 */
    uint64_t asleep;                 /* kinds of events that analyses sleep until (rf_analysis) */
    bool fine, spurious;
    rf_mem_options memory; /* but for the heuristics */
    rf_heuristic pick;     /* of phase 3 */
    bool all;              /* phase 3: all plain data is adversarial */
    uint64_t max_steps;
    size_t stack_size;
} rfi_job;

RFI_INLINE bool rfi_job_directed(const rfi_job *j) { return j->target[0] != 0; }

RFI_FN uint32_t rfi_job_targets(const rfi_job *j) {
    uint32_t n = 0;
    while (n < RF_TARGETS && j->target[n]) n++;
    return n;
}

RFI_FN const rf_checker *rfi_job_checker(const rfi_job *j) {
    return j->phase != RFI_CONFIRM ? NULL : j->checker ? j->checker : &rfi_racefuzzer;
}

RFI_FN const rf_strategy *rfi_job_strategy(const rfi_job *j) {
    return j->strategy ? j->strategy : &rfi_random;
}

/* What the seeds of all executions of the job are made from.  Not from the heuristic: so schedules
 * can be tried again under another one. */
RFI_FN uint64_t rfi_job_base(const rfi_job *j) {
    uint64_t h = rfi_mix(j->seed + RFI_GOLDEN) ^ rfi_hash_text(j->test->options.rfi_name);
    h = rfi_mix(h + j->phase) + j->target[0];
    for (uint32_t i = 1; i < RF_TARGETS && (i == 1 || j->target[i]); i++)
        h = rfi_mix(h) + j->target[i];
    return rfi_mix(h);
}

/* Arms the statements of the job's target: with coarse granularity they are the only plain accesses
 * that are looked at. */
RFI_FN void rfi_job_arm(const rfi_job *j) {
    const rf_checker *c = rfi_job_checker(j);
    uint32_t n = j->phase == RFI_ADVERSARY || (c && c->at_sites) ? rfi_job_targets(j) : 0;
    if (rfi.site_mode) memset(rfi.site_mode, 0, rfi.site_mode_count);
    memset(rfi_arm_some, 0, sizeof rfi_arm_some);
    rfi.site_mode_count = 0;
    static uint32_t capacity;
    uint8_t mode = RFI_POINT | RFI_WATCH;
    if (j->phase == RFI_ADVERSARY) mode |= RFI_SUSPECT;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t number = rfi_site_number_of_key(j->target[i]);
        rfi.site_mode = rfi_grow(rfi.site_mode, &capacity, number + 1, 1);
        rfi.site_mode[number] = mode;
        if (number >= rfi.site_mode_count) rfi.site_mode_count = number + 1;
        if (j->site[i]) rfi_arm_some[j->site[i]->slot] = mode;
    }
}

/* Plans the executions of an armed job. */
RFI_FN void rfi_job_plan(const rfi_job *j, bool trace, rfi_plan *p) {
    *p = (rfi_plan){.base = rfi_job_base(j),
                    .strategy = rfi_job_strategy(j),
                    .checker = rfi_job_checker(j),
                    .target = j->target,
                    .targets = rfi_job_targets(j),
                    .asleep = j->asleep,
                    .fine = j->fine,
                    .trace = trace,
                    .spurious = j->spurious,
                    .memory = j->memory,
                    .max_steps = j->max_steps,
                    .stack_size = j->stack_size};
    if (j->phase == RFI_ADVERSARY) {
        p->adversary = rfi_job_directed(j) || j->all;
        p->suspect_all = j->all;
        p->memory.plain_pick = j->pick;
        if (!rfi_job_directed(j)) p->memory.atomic_pick = j->pick;
    }
    const rf_analysis *a;
    for (uint32_t i = 0; j->phase == RFI_PREDICT && (a = rfi_analysis_at(i)); i++)
        if (j->analyses >> i & 1) p->analysis[p->analyses++] = a;
    if (trace) p->analysis[p->analyses++] = &rfi_tracer;
    rfi_plan_complete(p);
}

/* The next execution is number `index`. */
RFI_INLINE void rfi_job_next(rfi_plan *p, uint32_t index, rfi_record *r) {
    r->index = index;
    p->seed = rfi_mix(p->base + index * RFI_GOLDEN);
}

RFI_FN bool rfi_job_once(void *left) {
    bool *once = left, go = *once;
    *once = false;
    return go;
}

RFI_FN void rfi_job_ended(void *left) { (void)left; }

/* Runs execution `index` of an armed job. */
RFI_FN void rfi_job_run(const rfi_job *j, rfi_plan *p, uint32_t index, rfi_record *r) {
    bool left = true;
    rfi_series s = {p, r, j->test, rfi_job_once, rfi_job_ended, &left};
    rfi_job_next(p, index, r);
    rfi_execute(&s);
}
#endif
#endif

/* ==== edit src/campaign/tally.h ========================== >>campaign/tally */
/* campaign/tally.h: adding up executions.
 *
 * A tally is filled by a worker and merged by the supervisor.  Adding is commutative and
 * associative: sums, and for examples the one with the smallest (steps, index).
 */
#ifndef RFI_CAMPAIGN_TALLY_H
#define RFI_CAMPAIGN_TALLY_H

#ifdef RFI_IMPL
typedef struct rfi_tally {
    uint64_t executions, steps, skipped;
    uint64_t hits;                      /* of a phase 2 job */
    uint64_t woken;                     /* kinds of events that woke an analysis */
    uint64_t atomic, racy, exposed;     /* with atomic loads, intended races, older plain values */
    uint64_t failed, failed_by_kind[6]; /* blamed on a hit or an older value */
    uint64_t hit_steps;                 /* shortest execution with a hit */
    uint32_t hit_index;
    uint32_t failures, warnings;
    uint64_t failures_left_out, warnings_left_out;
    const rf_site *unannounced; /* the first in the order of sites (rfi_record) */
    char skip_reason[128];
    rfi_failure_kind failure[RFI_MAX_FAILURES];
    rfi_warning warning[RFI_MAX_WARNINGS];
} rfi_tally;

RFI_FN void rfi_tally_reset(rfi_tally *t) {
    t->executions = t->steps = t->skipped = t->hits = t->failed = t->hit_steps = 0;
    t->atomic = t->racy = t->exposed = t->woken = 0;
    memset(t->failed_by_kind, 0, sizeof t->failed_by_kind);
    t->failures = t->warnings = t->hit_index = 0;
    t->failures_left_out = t->warnings_left_out = 0;
    t->unannounced = NULL;
}

/* The order in which reports name places. */
RFI_FN bool rfi_site_before(const rf_site *a, const rf_site *b) {
    int files = strcmp(a->file, b->file);
    if (files) return files < 0;
    if (a->line != b->line) return a->line < b->line;
    return rfi_site_key(a) < rfi_site_key(b);
}

RFI_FN void rfi_first_site(const rf_site **first, const rf_site *s) {
    if (s && (!*first || rfi_site_before(s, *first))) *first = s;
}

/* ---- failures ---- */

/* Same diagnostic at the same place.  A crash has no site of its own: the message says where. */
RFI_FN uint64_t rfi_failure_key(const rfi_failure *f) {
    uint64_t h = rfi_mix(f->diagnostic) + rfi_site_key(f->site);
    if (rfi_diagnostic(f->diagnostic)->kind == RF_EXPECT_CRASH)
        h = rfi_mix(f->diagnostic) + rfi_hash_text(f->message);
    return rfi_mix(h);
}

RFI_FN bool rfi_shorter(uint64_t steps_a, uint32_t a, uint64_t steps_b, uint32_t b) {
    return steps_a != steps_b ? steps_a < steps_b : a < b;
}

/* The better example: older values distract where the failure comes without them. */
RFI_FN bool rfi_simpler(const rfi_failure_kind *a, const rfi_failure_kind *b) {
    if (a->stale != b->stale) return b->stale;
    return rfi_shorter(a->steps, a->index, b->steps, b->index);
}

/* Adds the figures of `k` to `to`; `better`: its example takes the place of the other. */
RFI_FN void rfi_failure_merge(rfi_failure_kind *to, const rfi_failure_kind *k, bool better) {
    rfi_failure_kind sum = better ? *k : *to;
    sum.count = to->count + k->count;
    sum.blamed = to->blamed + k->blamed;
    sum.stale_steps = to->stale_steps - 1 < k->stale_steps - 1 ? to->stale_steps : k->stale_steps;
    *to = sum;
}

RFI_FN void rfi_tally_failure(rfi_tally *t, const rfi_failure_kind *k) {
    uint32_t i = 0;
    while (i < t->failures && t->failure[i].key != k->key) i++;
    if (i == t->failures) {
        if (i == RFI_MAX_FAILURES) {
            t->failures_left_out += k->count;
            return;
        }
        t->failure[t->failures++] = *k;
        return;
    }
    const rfi_failure_kind *old = &t->failure[i];
    /* an example with somebody to blame tells more */
    bool better =
        k->shortest_blamed != old->shortest_blamed ? k->shortest_blamed : rfi_simpler(k, old);
    rfi_failure_merge(&t->failure[i], k, better);
}

/* ---- pairs ---- */

/* Of a race: the unordered pair of its statements. */
RFI_FN uint64_t rfi_pair_key(uint64_t a, uint64_t b) {
    return rfi_mix(rfi_mix(a < b ? a : b) + (a < b ? b : a));
}

RFI_FN uint64_t rfi_warning_key(rf_family family, const uint64_t *target, uint32_t targets) {
    if (family == RF_FAMILY_RACE && targets == 2) return rfi_pair_key(target[0], target[1]);
    uint64_t h = rfi_mix(family + RFI_GOLDEN);
    for (uint32_t i = 0; i < targets; i++) h = rfi_mix(h + target[i]);
    return h;
}

/* The warning with this key, new or old; NULL when there is no room. */
RFI_FN rfi_warning *rfi_tally_warning(rfi_tally *t, uint64_t key, bool *fresh) {
    uint32_t i = 0;
    while (i < t->warnings && t->warning[i].key != key) i++;
    *fresh = i == t->warnings;
    if (!*fresh) return &t->warning[i];
    if (i == RFI_MAX_WARNINGS) {
        t->warnings_left_out++;
        return NULL;
    }
    t->warnings++;
    return &t->warning[i];
}

/* Takes over a target that only helps; they ascend, and the lowest are kept. */
RFI_FN void rfi_warning_helper(rfi_warning *p, uint64_t target) {
    enum { MOST = 6 };
    unsigned i = p->telling;
    while (i < p->targets && p->target[i] < target) i++;
    if (i >= MOST || (i < p->targets && p->target[i] == target)) return;
    if (p->targets < MOST) p->targets++;
    for (unsigned k = p->targets - 1u; k > i; k--) p->target[k] = p->target[k - 1];
    p->target[i] = target;
}

/* Whose places are told: of the first execution in which it happened, else was predicted; of a race
 * always the latter. */
RFI_FN bool rfi_warning_earlier(const rfi_warning *a, const rfi_warning *b) {
    if (a->family == RF_FAMILY_RACE || (!a->seen && !b->seen))
        return a->predicted_at < b->predicted_at;
    return a->seen && (!b->seen || a->seen_at < b->seen_at);
}

RFI_FN void rfi_tally_merge_warning(rfi_tally *t, const rfi_warning *from) {
    bool fresh;
    rfi_warning *p = rfi_tally_warning(t, from->key, &fresh);
    if (!p) return;
    if (fresh) {
        *p = *from;
        return;
    }
    rfi_warning sum = rfi_warning_earlier(from, p) ? *from : *p;
    for (unsigned i = p->telling; i < p->targets; i++) rfi_warning_helper(&sum, p->target[i]);
    for (unsigned i = p->telling; i < from->targets; i++) rfi_warning_helper(&sum, from->target[i]);
    sum.by = p->by | from->by;
    sum.predicted = p->predicted + from->predicted;
    sum.predicted_at = from->predicted_at < p->predicted_at ? from->predicted_at : p->predicted_at;
    sum.seen = p->seen + from->seen;
    sum.seen_at =
        from->seen && (!p->seen || from->seen_at < p->seen_at) ? from->seen_at : p->seen_at;
    *p = sum;
}

/* ---- the sink of the analyses ---- */

static rfi_tally *rfi_sink_tally RFI_UNUSED;
static rfi_map rfi_sink_places RFI_UNUSED; /* address -> key of the first race seen there */
static uint32_t rfi_sink_generation RFI_UNUSED;

/* "a, b (file.c:12)" */
RFI_FN void rfi_lock_names(const rf_lock *lock, uint32_t n, char *out, size_t bytes) {
    rfi_text t = {out, out + bytes};
    out[0] = 0;
    for (uint32_t i = 0; i < n; i++) {
        char name[RFI_NAME_BYTES + 16];
        rfi_append(&t, "%s%s", i ? ", " : "", rfi_object_label(lock[i].object, name, sizeof name));
        if (lock[i].site)
            rfi_append(&t, " (%s:%u)", rfi_basename(lock[i].site->file), lock[i].site->line);
    }
}

RFI_FN void rfi_side_set(rfi_side *s, const rf_place *p) {
    s->site = p->site;
    s->role = p->role;
    s->flags = p->flags;
    s->thread = p->thread;
    s->size = p->size;
    s->object[0] = 0;
    if (p->object) rfi_object_label(p->object, s->object, sizeof s->object);
    rfi_lock_names(p->lock, p->locks, s->locks, sizeof s->locks);
}

/* Takes over what a warning says.  A race has its sides in the order of sites. */
RFI_FN void rfi_warning_told(rfi_warning *p, const rf_warning *w) {
    bool race = w->family == RF_FAMILY_RACE;
    unsigned swap = race && rfi_site_before(w->place[1].site, w->place[0].site);
    p->sides = (uint8_t)(w->places < RF_PLACES ? w->places : RF_PLACES);
    for (unsigned i = 0; i < p->sides; i++) rfi_side_set(&p->side[i], &w->place[i ^ swap]);
    snprintf(p->text, sizeof p->text, "%s", w->text ? w->text : "");
}

/* Takes over a warning that is new.  Its targets are given, or are the statements of its places. */
RFI_FN void rfi_warning_first(rfi_warning *p, const rf_warning *w) {
    p->family = (uint8_t)w->family;
    rfi_warning_told(p, w);
    uint32_t targets = w->targets < RF_TARGETS ? w->targets : RF_TARGETS;
    p->telling = p->targets = (uint8_t)(w->telling && w->telling < targets ? w->telling : targets);
    memcpy(p->target, w->target, p->targets * sizeof *p->target);
    if (!w->targets) p->telling = p->targets = p->sides;
    for (unsigned i = 0; !w->targets && i < p->sides; i++)
        p->target[i] = rfi_site_known_key(p->side[i].site);
    if (w->family == RF_FAMILY_OTHER && w->by) snprintf(p->label, sizeof p->label, "%.31s", w->by);
}

/* Of the warning as reported.  What two analyses of nobody's family say about one place differs. */
RFI_FN uint64_t rfi_sink_key(const rf_warning *w) {
    uint64_t target[RF_PLACES], key;
    uint32_t telling = w->telling && w->telling < w->targets ? w->telling : w->targets;
    for (uint32_t i = 0; i < w->places; i++) target[i] = rfi_site_known_key(w->place[i].site);
    if (w->targets)
        key = rfi_warning_key(w->family, w->target, telling);
    else
        key = rfi_warning_key(w->family, target, w->places);
    return w->family == RF_FAMILY_OTHER && w->by ? rfi_mix(key + rfi_hash_text(w->by)) : key;
}

/* Races at one address belong together: the key of the first of them. */
RFI_FN uint64_t rfi_sink_beside(const rf_warning *w, uint64_t key) {
    if (!w->addr || w->family != RF_FAMILY_RACE) return key;
    if (rfi_sink_generation != rfi.generation) {
        rfi_sink_generation = rfi.generation;
        rfi_map_reset(&rfi_sink_places);
    }
    uint64_t *place = rfi_map_at(&rfi_sink_places, (uint64_t)(uintptr_t)w->addr);
    if (!*place) *place = key;
    return *place;
}

RFI_FN void rfi_sink_warning(const rf_warning *w) {
    uint64_t key = rfi_sink_key(w);
    bool fresh;
    rfi_warning *p = rfi_tally_warning(rfi_sink_tally, key, &fresh);
    if (!p) return;
    uint64_t beside = rfi_sink_beside(w, key);
    uint32_t index = rfi.record->index;
    if (fresh) {
        *p = (rfi_warning){.key = key, .beside = beside, .predicted_at = UINT64_MAX};
        rfi_warning_first(p, w);
    } else if (w->real && !p->seen && w->family != RF_FAMILY_RACE) {
        rfi_warning_told(p, w); /* what has happened tells more than what might */
    }
    for (uint32_t i = p->telling; i < w->targets; i++) rfi_warning_helper(p, w->target[i]);
    p->by |= rfi_analysis_bit(w->by);
    if (w->real && p->seen_last != index + UINT64_C(1) && !p->seen++) p->seen_at = index;
    if (w->real) p->seen_last = index + UINT64_C(1);
    if (p->predicted_last != index + UINT64_C(1)) p->predicted++;
    p->predicted_last = index + UINT64_C(1);
    if (index < p->predicted_at) p->predicted_at = index;
}

/* The race detectors report here. */
RFI_FN void rfi_sink_race(const rfi_race *r) {
    enum { MOST = 8 };
    rf_lock lock[2][MOST];
    rf_warning w = {
        .family = RF_FAMILY_RACE, .by = r->by, .real = r->unordered, .places = 2, .addr = r->addr};
    for (unsigned i = 0; i < 2; i++) {
        uint32_t object[MOST], n = rfi_lockset_list(r->lockset[i], object, MOST);
        for (uint32_t k = 0; k < n && k < MOST; k++) lock[i][k] = (rf_lock){.object = object[k]};
        w.place[i] = (rf_place){.site = r->site[i],
                                .thread = r->thread[i],
                                .size = r->size[i],
                                .flags = r->flags[i],
                                .locks = (uint16_t)(n < MOST ? n : MOST),
                                .lock = lock[i]};
    }
    rfi_sink_warning(&w);
}

/* Whatever analyses and checkers say is counted from here on. */
RFI_FN void rfi_sink_open(void) {
    rfi_race_sink = rfi_sink_race;
    rfi_warning_sink = rfi_sink_warning;
}

/* ---- executions ---- */

/* Adds what was remarkable about an execution. */
RFI_FN RFI_COLD void rfi_tally_remark(rfi_tally *t, const rfi_record *r) {
    if (r->skipped) {
        if (!t->skipped++)
            snprintf(t->skip_reason, sizeof t->skip_reason, "%.127s", r->failure.message);
        return;
    }
    if (r->hit_count) {
        if (!t->hits++ || rfi_shorter(r->steps, r->index, t->hit_steps, t->hit_index)) {
            t->hit_steps = r->steps;
            t->hit_index = r->index;
        }
    }
    if (r->failure.diagnostic == RF_DIAG_NONE) return;
    bool blamed = r->hit_count || r->plain_stale;
    rfi_failure_kind k = {.key = rfi_failure_key(&r->failure),
                          .failure = r->failure,
                          .count = 1,
                          .blamed = blamed,
                          .steps = r->steps,
                          .index = r->index,
                          .shortest_blamed = blamed,
                          .stale = r->atomic_stale != 0,
                          .stale_steps = r->atomic_stale ? r->steps : 0};
    rfi_tally_failure(t, &k);
    if (!blamed) return;
    t->failed++;
    t->failed_by_kind[__builtin_ctz(rfi_diagnostic(r->failure.diagnostic)->kind)]++;
}

/* Adds a finished (or dead) execution. */
RFI_INLINE void rfi_tally_execution(rfi_tally *t, const rfi_record *r) {
    t->executions++;
    t->steps += r->steps;
    t->atomic += r->atomic_loads != 0;
    t->racy += r->racy_loads != 0;
    t->exposed += r->plain_stale != 0;
    t->woken |= r->woken;
    rfi_first_site(&t->unannounced, r->unannounced);
    if (RFI_UNLIKELY(r->hit_count | r->skipped | (r->failure.diagnostic != RF_DIAG_NONE)))
        rfi_tally_remark(t, r);
}

RFI_FN void rfi_tally_merge(rfi_tally *to, const rfi_tally *from) {
    if (from->hits && (!to->hits || rfi_shorter(from->hit_steps, from->hit_index, to->hit_steps,
                                                to->hit_index))) {
        to->hit_steps = from->hit_steps;
        to->hit_index = from->hit_index;
    }
    if (from->skipped && !to->skipped)
        memcpy(to->skip_reason, from->skip_reason, sizeof to->skip_reason);
    to->executions += from->executions;
    to->steps += from->steps;
    to->skipped += from->skipped;
    to->hits += from->hits;
    to->atomic += from->atomic;
    to->racy += from->racy;
    to->exposed += from->exposed;
    to->woken |= from->woken;
    rfi_first_site(&to->unannounced, from->unannounced);
    to->failed += from->failed;
    for (unsigned i = 0; i < 6; i++) to->failed_by_kind[i] += from->failed_by_kind[i];
    to->failures_left_out += from->failures_left_out;
    to->warnings_left_out += from->warnings_left_out;
    for (uint32_t i = 0; i < from->failures; i++) rfi_tally_failure(to, &from->failure[i]);
    for (uint32_t i = 0; i < from->warnings; i++) rfi_tally_merge_warning(to, &from->warning[i]);
}

RFI_FN int rfi_failure_order(const void *x, const void *y) {
    const rfi_failure_kind *a = x, *b = y;
    if (a->index != b->index) return a->index < b->index ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

/* The order in which workers met them does not count. */
RFI_FN void rfi_tally_sort(rfi_tally *t) {
    qsort(t->failure, t->failures, sizeof *t->failure, rfi_failure_order);
}
#endif
#endif

/* ==== edit src/campaign/worker.h ========================= >>campaign/worker */
/* campaign/worker.h: executions run in processes of their own.
 *
 * Each worker runs every n-th execution of a job and keeps its tally and the record of the running
 * execution in memory that its supervisor (team.h) sees too, so that a worker that dies loses
 * nothing.  Without workers (RF_JOBS=0, a debugger, a replay) the same code runs in this process.
 */
#ifndef RFI_CAMPAIGN_WORKER_H
#define RFI_CAMPAIGN_WORKER_H
#ifdef __linux__
# include <sys/prctl.h>
#endif

#ifdef RFI_IMPL
# define RFI_OUTPUT_BYTES 8192             /* of standard error and output that are shown */
# define RFI_OUTPUT_KEPT  ((off_t)4 << 20) /* no more is written: a loop may print for ever */
# define RFI_CHORE_MASK   63u              /* executions between two chores of a worker, less 1 */

/* What --verify keeps of an execution's first run. */
typedef struct rfi_first_run {
    uint64_t events, hash;
    rf_diagnostic diagnostic;
    rf_event event[RFI_RECORD_EVENTS];
    uint64_t print[RFI_RECORD_EVENTS];
    rfi_tally unused; /* takes what detectors see in the other run */
} rfi_first_run;

/* Which runs a worker makes: all, or, where each has a process of its own, one. */
typedef enum rfi_pass { RFI_PASS_ALL, RFI_PASS_FIRST, RFI_PASS_SECOND } rfi_pass;

typedef struct rfi_shared {
    volatile uint32_t stop;     /* set by the supervisor: no further execution */
    volatile uint32_t complete; /* set by the worker */
    volatile uint32_t moved;    /* see crash.h */
    rfi_first_run *first;       /* NULL: nothing is run twice */
    rfi_pass pass;
    rfi_tally tally;
    rfi_record record;
} rfi_shared;

typedef struct rfi_worker {
    rfi_shared *shared;
    pid_t pid;     /* 0: not running */
    int output;    /* where its standard error and output go */
    uint64_t next; /* index to go on with */
    /* How long it has stood in execution `index` without using CPU time, at the last look. */
    uint64_t cpu; /* ns */
    uint32_t index, moved, looks;
    int64_t look_at; /* ms */
} rfi_worker;

/* All that runs jobs. */
typedef struct rfi_team {
    rfi_worker *worker;
    uint32_t workers;   /* 0: in this process */
    rfi_shared *here;   /* then: the record and tally, */
    const rfi_job *job; /* and what is running */
    pid_t supervisor;
    int nothing; /* /dev/null, the standard input of workers */
    rfi_backend_kind backend;
    uint32_t watchdog;
    bool isolate, verify;
    int64_t deadline; /* ms, 0: none */
    bool capped;
    void (*progress)(uint64_t done); /* may be NULL */
    sigset_t mask, wait;             /* of the caller of rf_run; while waiting */
    struct sigaction before[4];      /* its reactions to rfi_team_signals */
} rfi_team;

/* To be heard of by a team: that a worker has died, and that somebody wants an end. */
static const int rfi_team_signals[] RFI_UNUSED = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};

RFI_FN rfi_shared *rfi_shared_new(void) { return rfi_pages(sizeof(rfi_shared), true); }

/* ---- what a worker writes to its standard output and error ---- */

RFI_FN RFI_COLD int rfi_output_file(void) {
    const char *folder = getenv("TMPDIR");
    char name[PATH_MAX];
    int n = snprintf(name, sizeof name, "%s/racefuzz-XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = n < (int)sizeof name ? mkstemp(name) : -1;
    if (fd < 0) return open("/dev/null", O_RDWR | O_CLOEXEC);
    unlink(name);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
}

/* Memory where the system has it: no file can be left behind, and its size can be limited. */
RFI_FN int rfi_output_new(void) {
# ifdef MFD_ALLOW_SEALING
    int fd = memfd_create("racefuzz-output", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0) {
        if (!ftruncate(fd, RFI_OUTPUT_KEPT)) fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK);
        return fd;
    }
# endif
    return rfi_output_file();
}

/* What was written lies before the offset, which all processes share. */
RFI_FN void rfi_output_reset(int fd) { (void)lseek(fd, 0, SEEK_SET); }

/* The end of it; valid until the next call. */
RFI_FN const char *rfi_output_text(int fd) {
    static char text[RFI_OUTPUT_BYTES + 1];
    off_t size = lseek(fd, 0, SEEK_CUR);
    off_t from = size > RFI_OUTPUT_BYTES ? size - RFI_OUTPUT_BYTES : 0;
    ssize_t n = size > 0 ? pread(fd, text, (size_t)(size - from), from) : 0;
    text[n > 0 ? n : 0] = 0;
    return text;
}

/* ---- running twice (--verify) ---- */

RFI_FN void rfi_first_run_keep(rfi_first_run *first, const rfi_record *r) {
    size_t n = r->events < RFI_RECORD_EVENTS ? (size_t)r->events : RFI_RECORD_EVENTS;
    first->events = r->events;
    first->hash = r->hash;
    first->diagnostic = r->failure.diagnostic;
    memcpy(first->event, r->event, n * sizeof *r->event);
    memcpy(first->print, r->print, n * sizeof *r->print);
}

RFI_FN void rfi_say_run_event(rfi_text *out, const rf_event *e, bool there) {
    if (!there) {
        rfi_append(out, "the end");
        return;
    }
    rfi_append(out, "T%u's %s", e->thread, rfi_event_word(e->kind));
    if (e->site) rfi_append(out, " at %s:%u", rfi_basename(e->site->file), e->site->line);
    if (e->size && e->size <= sizeof e->value)
        rfi_append(out, " (value %llu)", (unsigned long long)e->value);
}

/* The runs differ: says so in the failure of the second one. */
RFI_FN RFI_COLD void rfi_runs_differ(const rfi_first_run *first, rfi_record *r) {
    uint64_t less = r->events < first->events ? r->events : first->events;
    uint64_t more = r->events < first->events ? first->events : r->events;
    uint64_t i = more > RFI_RECORD_EVENTS ? more - RFI_RECORD_EVENTS : 0; /* the first one kept */
    while (i < less && r->print[i % RFI_RECORD_EVENTS] == first->print[i % RFI_RECORD_EVENTS]) i++;
    const rf_event *a = &first->event[i % RFI_RECORD_EVENTS], *b = &r->event[i % RFI_RECORD_EVENTS];
    rfi_failure *f = &r->failure;
    rf_diagnostic second = f->diagnostic;
    rfi_text out = {f->message, f->message + sizeof f->message};
    f->diagnostic = RF_DIAG_UNREPEATABLE;
    f->site = i < r->events ? b->site : i < more ? a->site : f->site;
    f->thread = i < r->events ? b->thread : i < more ? a->thread : f->thread;
    if (i < more) {
        rfi_append(&out, "event %llu differs: first ", (unsigned long long)i + 1);
        rfi_say_run_event(&out, a, i < first->events);
        rfi_append(&out, ", then ");
        rfi_say_run_event(&out, b, i < r->events);
    } else {
        rfi_append(&out, "the same events, but first %s, then %s",
                   rfi_diagnostic(first->diagnostic)->words, rfi_diagnostic(second)->words);
    }
}

/* The execution, or the half of it that is this process's part; true when it is complete. */
RFI_FN RFI_COLD bool rfi_run_twice(const rfi_job *j, rfi_plan *p, uint32_t index, rfi_shared *s) {
    if (s->pass != RFI_PASS_SECOND) {
        rfi_job_run(j, p, index, &s->record);
        rfi_first_run_keep(s->first, &s->record);
        if (s->pass == RFI_PASS_FIRST) return false;
        rfi_tally_reset(&s->first->unused);
        rfi_sink_tally = &s->first->unused;
    }
    rfi_job_run(j, p, index, &s->record);
    const rfi_record *r = &s->record;
    if (r->hash != s->first->hash || r->events != s->first->events ||
        r->failure.diagnostic != s->first->diagnostic)
        rfi_runs_differ(s->first, &s->record);
    return true;
}

/* ---- inside a worker ---- */

/* An execution has ended: adds it to the tally. */
RFI_INLINE void rfi_worker_add(rfi_shared *s, bool complete) {
    if (RFI_UNLIKELY(rfi_forked)) _exit(0);
    if (RFI_LIKELY(complete)) rfi_tally_execution(&s->tally, &s->record);
    s->record.state = RFI_IDLE;
}

/* One execution of an armed job, added to the tally. */
RFI_FN void rfi_worker_run(const rfi_job *j, rfi_plan *p, uint32_t index, rfi_shared *s) {
    bool complete = true;
    rfi_sink_tally = &s->tally;
    if (RFI_UNLIKELY(s->first != NULL))
        complete = rfi_run_twice(j, p, index, s);
    else
        rfi_job_run(j, p, index, &s->record);
    rfi_worker_add(s, complete);
}

RFI_FN void rfi_worker_crashed(void) { _exit(RFI_EXIT_CRASHED); }

/* The standard streams and signals are the worker's own from here on, and it dies with its
 * supervisor. */
RFI_FN void rfi_worker_begin(const rfi_team *team, const rfi_worker *w) {
# ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
# endif
    if (getppid() != team->supervisor) _exit(0);
    for (unsigned i = 0; i < sizeof rfi_team_signals / sizeof *rfi_team_signals; i++)
        sigaction(rfi_team_signals[i], &team->before[i], NULL);
    sigprocmask(SIG_SETMASK, &team->mask, NULL);
    if (team->nothing >= 0) dup2(team->nothing, STDIN_FILENO);
    dup2(w->output, STDOUT_FILENO);
    dup2(w->output, STDERR_FILENO);
    setvbuf(stdout, NULL, _IOLBF, 0);
    rfi_crash_open(team->watchdog, &w->shared->moved, rfi_worker_crashed);
    rfi_sink_open();
}

/* Now and then: makes room for more output; ends if the supervisor did (where the system does not
 * see to that). */
RFI_FN void rfi_worker_chores(const rfi_team *team, const rfi_worker *w) {
    fflush(stdout);
    if (lseek(w->output, 0, SEEK_CUR) > RFI_OUTPUT_KEPT / 2) rfi_output_reset(w->output);
    if (getppid() != team->supervisor) _exit(0);
}

/* A worker's way through its share of a job. */
typedef struct rfi_share {
    const rfi_team *team;
    const rfi_worker *w;
    rfi_plan *p;
    uint64_t index, to, stride;
    uint32_t done;
} rfi_share;

RFI_FN bool rfi_share_more(const rfi_share *h) {
    return h->index < h->to && !h->w->shared->stop && !(h->team->isolate && h->done);
}

RFI_FN bool rfi_share_before(void *share) {
    const rfi_share *h = share;
    if (!rfi_share_more(h)) return false;
    rfi_job_next(h->p, (uint32_t)h->index, &h->w->shared->record);
    return true;
}

RFI_FN void rfi_share_next(rfi_share *h) {
    h->index += h->stride;
    if (!(++h->done & RFI_CHORE_MASK)) rfi_worker_chores(h->team, h->w);
}

RFI_FN void rfi_share_after(void *share) {
    rfi_share *h = share;
    rfi_worker_add(h->w->shared, true);
    rfi_share_next(h);
}

RFI_FN RFI_NORETURN void rfi_worker_main(const rfi_team *team, const rfi_worker *w,
                                         const rfi_job *j, uint32_t to, uint64_t stride,
                                         bool trace) {
    rfi_plan p;
    rfi_shared *s = w->shared;
    rfi_share share = {team, w, &p, w->next, to, stride, 0};
    rfi_series all = {&p, &s->record, j->test, rfi_share_before, rfi_share_after, &share};
    rfi_worker_begin(team, w);
    rfi_job_arm(j);
    rfi_job_plan(j, trace || team->verify, &p);
    rfi_sink_tally = &s->tally;
    if (!s->first) rfi_execute(&all);
    for (; rfi_share_more(&share); rfi_share_next(&share)) /* to verify: each of them twice */
        rfi_worker_run(j, &p, (uint32_t)share.index, s);
    s->complete = !team->isolate;
    fflush(NULL);
    _exit(0);
}
#endif
#endif

/* ==== edit src/campaign/team.h =========================== >>campaign/team */
/* campaign/team.h: the supervisor of the workers.
 *
 * It forks them, writes the death of one into its tally and forks another for the rest of its
 * executions, ends those that stand still, and adds the tallies up.  Which worker runs what has no
 * influence on the sum.  Signals are heard while it waits, and nowhere else: SIGCHLD, so that a
 * process for each execution costs little more than a fork; SIGINT, SIGTERM and SIGHUP, after the
 * first of which the campaign ends with what it has found (a second one ends it at once).
 */
#ifndef RFI_CAMPAIGN_TEAM_H
#define RFI_CAMPAIGN_TEAM_H
#include <sys/select.h>

#ifdef RFI_IMPL
# define RFI_LOOK_MS 50  /* between two looks at what the workers do */
# define RFI_ECHO_MS 500 /* a signal that comes again within this time is the same wish */

/* Which executions: from, from+1, ... below to; of those the ones of this shard. */
typedef struct rfi_span {
    uint32_t from, to, shard, shards; /* index % shards == shard */
} rfi_span;

/* The signal that asked for an end, or 0. */
static volatile sig_atomic_t rfi_interrupted RFI_UNUSED;

RFI_FN int64_t rfi_milliseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- opening and closing ---- */

/* The first wish is noted, and so is its echo: timeout(1) sends a signal twice.  A later one is to
 * be taken literally. */
RFI_FN void rfi_on_interrupt(int sig) {
    static volatile int64_t first;
    int64_t now = rfi_milliseconds();
    if (rfi_interrupted && now - first > RFI_ECHO_MS) {
        signal(sig, SIG_DFL);
        raise(sig);
    } else if (!rfi_interrupted) {
        rfi_interrupted = sig;
        first = now;
    }
}

RFI_FN void rfi_on_death(int sig) { (void)sig; }

/* Makes ready to run jobs, with team->backend; 0 workers: in this process. */
RFI_FN void rfi_team_open(rfi_team *team, uint32_t workers) {
    rfi_engine_open(team->backend); /* before the fork: workers start warm */
    team->workers = workers;
    team->supervisor = getpid();
    if (!workers) {
        team->here = rfi_shared_new();
        return;
    }
    team->nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    team->worker = calloc(workers, sizeof *team->worker);
    if (!team->worker) rfi_die("out of memory");
    for (uint32_t i = 0; i < workers; i++) {
        team->worker[i].shared = rfi_shared_new();
        team->worker[i].output = rfi_output_new();
    }
}

/* From here to rfi_team_close, SIGCHLD is blocked but for waits, and a wish for an end is noted. */
RFI_FN void rfi_team_listen(rfi_team *team) {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &team->mask);
    team->wait = team->mask;
    sigdelset(&team->wait, SIGCHLD);
    for (unsigned i = 0; i < sizeof rfi_team_signals / sizeof *rfi_team_signals; i++) {
        struct sigaction a = {.sa_handler = i ? rfi_on_interrupt : rfi_on_death,
                              .sa_flags = SA_RESTART};
        sigemptyset(&a.sa_mask);
        sigaction(rfi_team_signals[i], NULL, &team->before[i]);
        if (i && team->before[i].sa_handler == SIG_IGN) continue; /* as nohup wants it */
        sigaction(rfi_team_signals[i], &a, NULL);
    }
}

RFI_FN void rfi_shared_free(rfi_shared *s) {
    if (s->first) munmap(s->first, sizeof *s->first);
    munmap(s, sizeof *s);
}

RFI_FN void rfi_team_close(rfi_team *team) {
    for (unsigned i = 0; i < sizeof rfi_team_signals / sizeof *rfi_team_signals; i++)
        sigaction(rfi_team_signals[i], &team->before[i], NULL);
    sigprocmask(SIG_SETMASK, &team->mask, NULL);
    for (uint32_t i = 0; i < team->workers; i++) {
        rfi_shared_free(team->worker[i].shared);
        close(team->worker[i].output);
    }
    if (team->workers)
        close(team->nothing);
    else
        rfi_shared_free(team->here);
    free(team->worker);
}

/* ---- one worker ---- */

/* Makes it ready for the executions of a job from `next` on. */
RFI_FN void rfi_shared_ready(const rfi_team *team, rfi_shared *s) {
    s->stop = s->complete = 0;
    s->pass = team->isolate && team->workers ? RFI_PASS_FIRST : RFI_PASS_ALL;
    if (!team->verify)
        s->pass = RFI_PASS_ALL;
    else if (!s->first)
        s->first = rfi_pages(sizeof *s->first, true);
    rfi_tally_reset(&s->tally);
}

RFI_FN void rfi_worker_ready(const rfi_team *team, rfi_worker *w, uint64_t next) {
    rfi_shared_ready(team, w->shared);
    rfi_output_reset(w->output);
    w->next = next;
}

RFI_FN void rfi_worker_fork(rfi_team *team, rfi_worker *w, const rfi_job *j, uint32_t to,
                            uint64_t stride, bool trace) {
    w->shared->record.state = RFI_IDLE;
    w->looks = 0;
    w->look_at = rfi_milliseconds();
    fflush(NULL);
    w->pid = fork();
    if (w->pid < 0) rfi_die("fork: %s", strerror(errno));
    if (!w->pid) rfi_worker_main(team, w, j, to, stride, trace);
}

/* For how many milliseconds has the worker stood in one execution without using CPU time?  Counted
 * in looks, so that a time in which everything was stopped (Ctrl-Z) does not count.  0: also when
 * it is too early for another look. */
RFI_FN int64_t rfi_worker_stood(rfi_worker *w) {
    clockid_t clock;
    struct timespec t;
    int64_t now = rfi_milliseconds();
    if (now - w->look_at < RFI_LOOK_MS || clock_getcpuclockid(w->pid, &clock) ||
        clock_gettime(clock, &t))
        return 0;
    const rfi_record *r = &w->shared->record;
    uint64_t cpu = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    w->look_at = now;
    w->looks++;
    if (cpu - w->cpu > 1000000 || w->index != r->index || w->moved != w->shared->moved ||
        r->state != RFI_RUNNING) {
        w->cpu = cpu;
        w->index = r->index;
        w->moved = w->shared->moved;
        w->looks = 0;
    }
    return (int64_t)w->looks * RFI_LOOK_MS;
}

/* A worker that seems to wait is asked by SIGALRM whether it stands still, and ends if it does.
 * True: it did not answer, and was killed. */
RFI_FN bool rfi_worker_end(const rfi_team *team, rfi_worker *w, int *status) {
    int64_t limit = (int64_t)team->watchdog * 1000, stood = rfi_worker_stood(w);
    if (stood < 2 * limit) {
        if (stood && stood % (limit / RFI_ALARMS) < RFI_LOOK_MS) kill(w->pid, SIGALRM);
        return false;
    }
    kill(w->pid, SIGKILL);
    return waitpid(w->pid, status, 0) == w->pid;
}

/* The worker is gone: what became of its execution?  True when it has more to do. */
RFI_FN bool rfi_worker_buried(rfi_worker *w, int status, bool blocked, uint64_t stride) {
    rfi_shared *s = w->shared;
    rfi_record *r = &s->record;
    w->pid = 0;
    if (s->complete) return false;
    if (r->state == RFI_RUNNING) {
        if (r->failure.diagnostic == RF_DIAG_NONE) rfi_death_note(r, status, blocked);
        if (s->pass == RFI_PASS_FIRST)
            rfi_first_run_keep(s->first, r);
        else
            rfi_tally_execution(&s->tally, r);
    } else if (!WIFEXITED(status) || WEXITSTATUS(status)) {
        rfi_die("a worker died between two executions (%s %d)\n%s",
                WIFSIGNALED(status) ? "signal" : "status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
                rfi_output_text(w->output));
    }
    w->next = s->pass == RFI_PASS_FIRST ? r->index : r->index + stride;
    if (s->pass != RFI_PASS_ALL)
        s->pass = s->pass == RFI_PASS_FIRST ? RFI_PASS_SECOND : RFI_PASS_FIRST;
    return true;
}

/* Looks after one worker; true while it (or its successor) runs. */
RFI_FN bool rfi_worker_tend(rfi_team *team, rfi_worker *w, const rfi_job *j, uint32_t to,
                            uint64_t stride, bool trace) {
    int status = 0;
    bool blocked = false;
    if (!w->pid) return false;
    if (!waitpid(w->pid, &status, WNOHANG) && !(blocked = rfi_worker_end(team, w, &status)))
        return true;
    if (!rfi_worker_buried(w, status, blocked, stride)) return false;
    if (w->next >= to || w->shared->stop) return false;
    rfi_worker_fork(team, w, j, to, stride, trace);
    return true;
}

/* ---- all of them ---- */

/* Waits for a death, a wish for an end, the deadline, or the time to look at the workers. */
RFI_FN void rfi_team_wait(rfi_team *team) {
    int64_t ms = RFI_LOOK_MS;
    if (team->deadline && !team->capped) {
        int64_t left = team->deadline - rfi_milliseconds();
        if (left < ms) ms = left > 0 ? left : 0;
    }
    struct timespec t = {0, (long)ms * 1000000};
    (void)pselect(0, NULL, NULL, NULL, &t, &team->wait);
    if (team->deadline && !team->capped && rfi_milliseconds() >= team->deadline) {
        team->capped = true;
        for (uint32_t i = 0; i < team->workers; i++) team->worker[i].shared->stop = 1;
    }
}

/* Somebody wants an end: what the workers are just doing does not count. */
RFI_FN void rfi_team_kill(rfi_team *team) {
    for (uint32_t i = 0; i < team->workers; i++) {
        rfi_worker *w = &team->worker[i];
        if (!w->pid) continue;
        kill(w->pid, SIGKILL);
        waitpid(w->pid, NULL, 0);
        w->pid = 0;
    }
}

RFI_FN void rfi_team_run_here(rfi_team *team, const rfi_job *j, const rfi_span *range,
                              rfi_tally *t) {
    rfi_plan p;
    rfi_shared *s = team->here;
    team->job = j;
    rfi_job_arm(j);
    rfi_job_plan(j, team->verify, &p);
    rfi_shared_ready(team, s);
    uint32_t done = 0;
    for (uint32_t i = range->from; i < range->to && !rfi_interrupted; i++) {
        if (i % range->shards != range->shard) continue;
        if (team->deadline && rfi_milliseconds() >= team->deadline) {
            team->capped = true;
            break;
        }
        rfi_worker_run(j, &p, i, s);
        if (team->progress && !(++done & 255)) team->progress(done);
    }
    rfi_tally_merge(t, &s->tally);
}

/* Runs the executions of a range and adds them to `t`. */
RFI_FN void rfi_team_run(rfi_team *team, const rfi_job *j, const rfi_span *range, rfi_tally *t) {
    if (range->from >= range->to || team->capped || rfi_interrupted) return;
    if (!team->workers) {
        rfi_team_run_here(team, j, range, t);
        rfi_tally_sort(t);
        return;
    }
    uint64_t shards = range->shards, stride = shards * team->workers;
    uint64_t first = range->from + (range->shard + shards - range->from % shards) % shards;
    for (uint32_t i = 0; i < team->workers; i++) {
        rfi_worker *w = &team->worker[i];
        rfi_worker_ready(team, w, first + i * shards);
        if (w->next < range->to) rfi_worker_fork(team, w, j, range->to, stride, false);
    }
    for (bool busy = true; busy;) {
        rfi_team_wait(team);
        uint64_t done = 0;
        busy = false;
        if (rfi_interrupted) rfi_team_kill(team);
        for (uint32_t i = 0; i < team->workers; i++) {
            busy |= rfi_worker_tend(team, &team->worker[i], j, range->to, stride, false);
            done += team->worker[i].shared->tally.executions;
        }
        if (team->progress) team->progress(done);
    }
    for (uint32_t i = 0; i < team->workers; i++) rfi_tally_merge(t, &team->worker[i].shared->tally);
    rfi_tally_sort(t);
}

/* Runs one execution with its trace in a fresh process (or here); its record stays until the next
 * call. */
RFI_FN const rfi_record *rfi_team_replay(rfi_team *team, const rfi_job *j, uint32_t index) {
    if (!team->workers) {
        rfi_plan p;
        team->job = j;
        rfi_job_arm(j);
        rfi_job_plan(j, true, &p);
        rfi_shared_ready(team, team->here);
        rfi_worker_run(j, &p, index, team->here);
        return &team->here->record;
    }
    rfi_worker *w = &team->worker[0];
    bool isolate = team->isolate;
    team->isolate = true;
    rfi_worker_ready(team, w, index);
    rfi_worker_fork(team, w, j, index + 1, 1, true);
    do rfi_team_wait(team);
    while (rfi_worker_tend(team, w, j, index + 1, 1, true));
    team->isolate = isolate;
    return &w->shared->record;
}

/* The end of what the last replay wrote. */
RFI_FN const char *rfi_team_output(const rfi_team *team) {
    return team->workers ? rfi_output_text(team->worker[0].output) : "";
}
#endif
#endif

/* ==== edit src/campaign/token.h ========================== >>campaign/token */
/* campaign/token.h: the string that replays an execution.
 *
 *     1.transfer.racefuzzer.s1.i12.p3k9v0d2m41xq7w0z.xQ2_9aB
 *
 * Fields are separated by dots: version, test, explorer, then one letter and a value each:
 * s campaign seed, i index, p the target (keys of eight base-32 digits: the two statements of a
 * race), b the strategy below the checker or the memory, m heuristic and a all plain data (phase
 * 3), c model of atomics, h history, t no torn values, e elements of arrays, v release sequences of
 * C++20, g granularity, n step limit, k stack size, w without spurious wake-ups, x how the
 * execution went when the token was made.  All that an execution depends on is in it; what has its
 * default is left out.  x is only compared: two characters (in base 64) for the set of sites
 * reached, two for what happened, then one each for what had happened after 1, 2, 4, ... events.
 * What happens is told without the sites, so that moved lines are not taken for another course.
 */
#ifndef RFI_CAMPAIGN_TOKEN_H
#define RFI_CAMPAIGN_TOKEN_H

#ifdef RFI_IMPL
# define RFI_TOKEN_VERSION "1"
# define RFI_SITE_DIGITS   8 /* of 5 bits: RFI_KEY_BITS */
# define RFI_MARK_SITES    2 /* characters of x for the sites, then for the whole course */
# define RFI_MARK_COURSE   2
# define RFI_MARK_BYTES    48

static const char rfi_base32[] RFI_UNUSED = "0123456789abcdefghjkmnpqrstvwxyz";
static const char rfi_base64[] RFI_UNUSED =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

typedef struct rfi_token {
    char test[128];
    rfi_job job; /* without the test */
    uint32_t index;
    char grain;                /* 'f' or 'c'; 0: the default */
    char mark[RFI_MARK_BYTES]; /* the x field, may be empty */
} rfi_token;

/* The x field of an execution that was traced. */
RFI_FN void rfi_token_mark(const rfi_record *r, char out[RFI_MARK_BYTES]) {
    char *at = out;
    for (unsigned i = 0; i < RFI_MARK_SITES; i++) *at++ = rfi_base64[r->site_hash >> (6 * i) & 63];
    for (unsigned i = 0; i < RFI_MARK_COURSE; i++) *at++ = rfi_base64[r->course >> (6 * i) & 63];
    for (unsigned i = 0; i < 40 && (UINT64_C(1) << i) <= r->events; i++)
        *at++ = rfi_base64[r->prefix[i] >> 58];
    *at = 0;
}

static const char rfi_token_adversarial[] RFI_UNUSED = "adversarial";

RFI_FN const char *rfi_token_explorer(const rfi_job *j) {
    if (j->phase == RFI_ADVERSARY) return rfi_token_adversarial;
    return j->phase == RFI_CONFIRM ? rfi_job_checker(j)->name : rfi_job_strategy(j)->name;
}

/* By rf_heuristic; phase 3 has no other ones. */
static const char *const rfi_token_picks[RFI_PICKS] RFI_UNUSED = {
    [RF_PICK_NEWEST] = "n", [RF_PICK_OLDEST] = "o",
    [RF_PICK_RANDOM] = "r", [RF_PICK_OLDEST_DIFFERENT] = "od",
    [RF_PICK_MIXED] = "x",  [RF_PICK_RANDOM_DIFFERENT] = "rd"};

/* What is the default of rfi_job.fine. */
RFI_FN bool rfi_token_fine(const rfi_job *j) { return j->phase == RFI_PREDICT || j->all; }

RFI_FN void rfi_token_write_memory(rfi_text *t, const rfi_job *j) {
    const rf_mem_options *m = &j->memory;
    if (j->phase == RFI_ADVERSARY)
        rfi_append(t, ".m%s%s", rfi_token_picks[j->pick], j->all ? ".a" : "");
    if (m->atomics != RF_MEM_C11) rfi_append(t, ".c%c", m->atomics == RF_MEM_SC ? 's' : 'f');
    if (m->history) rfi_append(t, ".h%u", m->history);
    if (m->whole) rfi_append(t, ".t");
    if (m->sample) rfi_append(t, ".e%u", m->sample);
    if (m->cxx20) rfi_append(t, ".v20");
}

/* `traced`: the record of the same execution, for the x field; NULL leaves it out. */
RFI_FN void rfi_token_write(const rfi_job *j, uint32_t index, const rfi_record *traced, char *out) {
    rfi_text t = {out, out + RFI_TOKEN_BYTES};
    rfi_append(&t, RFI_TOKEN_VERSION ".%s.%s.s%llu.i%u", j->test->options.rfi_name,
               rfi_token_explorer(j), (unsigned long long)j->seed, index);
    if (j->phase != RFI_PREDICT && rfi_job_directed(j)) {
        rfi_append(&t, ".p");
        for (unsigned i = 0; i < rfi_job_targets(j); i++)
            for (unsigned d = RFI_SITE_DIGITS; d--;)
                rfi_append(&t, "%c", rfi_base32[j->target[i] >> (d * 5) & 31]);
    }
    if (j->phase != RFI_PREDICT && rfi_job_strategy(j) != &rfi_random)
        rfi_append(&t, ".b%s", rfi_job_strategy(j)->name);
    rfi_token_write_memory(&t, j);
    if (j->fine != rfi_token_fine(j)) rfi_append(&t, ".g%c", j->fine ? 'f' : 'c');
    if (j->max_steps != RFI_DEFAULT_STEPS)
        rfi_append(&t, ".n%llu", (unsigned long long)j->max_steps);
    if (j->stack_size != RFI_DEFAULT_STACK) rfi_append(&t, ".k%zu", j->stack_size);
    if (!j->spurious) rfi_append(&t, ".w");
    if (!traced) return;
    char mark[RFI_MARK_BYTES];
    rfi_token_mark(traced, mark);
    rfi_append(&t, ".x%s", mark);
}

RFI_FN bool rfi_token_number(const char *s, uint64_t max, uint64_t *out) {
    char *end;
    errno = 0;
    unsigned long long v = strtoull(s, &end, 10);
    *out = v;
    return *s >= '0' && *s <= '9' && !*end && !errno && v <= max;
}

RFI_FN bool rfi_token_target(const char *s, rfi_job *j) {
    size_t n = strlen(s), targets = n / RFI_SITE_DIGITS;
    bool pair = j->phase == RFI_ADVERSARY || !j->checker || j->checker == &rfi_racefuzzer;
    if (n % RFI_SITE_DIGITS || targets > RF_TARGETS || (pair && targets != 2)) return false;
    for (unsigned i = 0; i < n; i++) {
        const char *digit = strchr(rfi_base32, s[i]);
        if (!digit) return false;
        uint64_t *key = &j->target[i / RFI_SITE_DIGITS];
        *key = *key << 5 | (uint64_t)(digit - rfi_base32);
    }
    return targets && rfi_job_targets(j) == targets;
}

RFI_FN bool rfi_token_strategy(const char *s, rfi_job *j) {
    j->strategy = rfi_strategy_named(s);
    return j->strategy && j->phase != RFI_PREDICT;
}

RFI_FN bool rfi_token_pick(const char *s, rfi_job *j) {
    for (unsigned i = 0; i < RFI_PICKS && j->phase == RFI_ADVERSARY; i++) {
        if (!rfi_token_picks[i] || strcmp(rfi_token_picks[i], s) != 0) continue;
        j->pick = (rf_heuristic)i;
        return true;
    }
    return false;
}

RFI_FN bool rfi_token_memory(const char *s, rfi_job *j) {
    uint64_t v = 0;
    rf_mem_options *m = &j->memory;
    bool number = rfi_token_number(s + 1, UINT32_MAX, &v) && v;
    switch (*s) {
    case 'm': return rfi_token_pick(s + 1, j);
    case 'a': j->all = true; return !s[1] && j->phase == RFI_ADVERSARY;
    case 'c':
        m->atomics = s[1] == 's' ? RF_MEM_SC : RF_MEM_C11_FAST;
        return (s[1] == 's' || s[1] == 'f') && !s[2];
    case 'h': m->history = (uint32_t)v; return number && v >= 2 && v <= RF_MEM_HISTORY_MAX;
    case 't': m->whole = true; return !s[1];
    case 'e': m->sample = (uint32_t)v; return number;
    case 'v': m->cxx20 = true; return v == 20;
    default: return false;
    }
}

RFI_FN bool rfi_token_field(const char *s, rfi_token *t) {
    uint64_t v;
    rfi_job *j = &t->job;
    switch (*s) {
    case 's': return rfi_token_number(s + 1, UINT64_MAX, &j->seed);
    case 'i':
        if (!rfi_token_number(s + 1, UINT32_MAX, &v)) return false;
        t->index = (uint32_t)v;
        return true;
    case 'p': return rfi_token_target(s + 1, j);
    case 'b': return rfi_token_strategy(s + 1, j);
    case 'g': t->grain = s[1]; return (s[1] == 'f' || s[1] == 'c') && !s[2];
    case 'n': return rfi_token_number(s + 1, UINT64_MAX, &j->max_steps) && j->max_steps;
    case 'k':
        if (!rfi_token_number(s + 1, SIZE_MAX, &v)) return false;
        j->stack_size = (size_t)v;
        return v > 0;
    case 'w': j->spurious = false; return !s[1];
    case 'x':
        if (strlen(s + 1) < RFI_MARK_SITES + RFI_MARK_COURSE) return false;
        return (size_t)snprintf(t->mark, sizeof t->mark, "%s", s + 1) < sizeof t->mark;
    default: return rfi_token_memory(s, j);
    }
}

/* What a token's third field names: the phase, with its strategy or checker; 0: nothing. */
RFI_FN unsigned rfi_token_phase(const char *explorer, rfi_job *j) {
    if (!explorer) return 0;
    if (!strcmp(explorer, rfi_token_adversarial)) return RFI_ADVERSARY;
    j->strategy = rfi_strategy_named(explorer);
    j->checker = j->strategy ? NULL : rfi_checker_named(explorer);
    return j->strategy ? RFI_PREDICT : j->checker ? RFI_CONFIRM : 0;
}

/* Reads a token; on failure false, with what is wrong in `why`. */
RFI_FN bool rfi_token_read(const char *text, rfi_token *t, char *why, size_t bytes) {
    char copy[RFI_TOKEN_BYTES + 64], *save = NULL;
    *t = (rfi_token){
        .job = {.spurious = true, .max_steps = RFI_DEFAULT_STEPS, .stack_size = RFI_DEFAULT_STACK}};
    if ((size_t)snprintf(copy, sizeof copy, "%s", text) >= sizeof copy) {
        snprintf(why, bytes, "it is too long");
        return false;
    }
    const char *version = strtok_r(copy, ".", &save);
    const char *test = strtok_r(NULL, ".", &save), *explorer = strtok_r(NULL, ".", &save);
    if (!version || strcmp(version, RFI_TOKEN_VERSION)) {
        snprintf(why, bytes,
                 "it was made by another version of racefuzz (%s, this one reads " RFI_TOKEN_VERSION
                 ")",
                 version ? version : "?");
        return false;
    }
    t->job.phase = rfi_token_phase(explorer, &t->job);
    if (!t->job.phase) {
        if (explorer)
            snprintf(why, bytes, "this program has no explorer named %s", explorer);
        else
            snprintf(why, bytes, "it is cut short");
        return false;
    }
    snprintf(t->test, sizeof t->test, "%s", test);
    bool seen[128] = {false};
    for (char *f; (f = strtok_r(NULL, ".", &save)) != NULL;) {
        if (seen[f[0] & 127] || !rfi_token_field(f, t)) {
            snprintf(why, bytes, "field '%s' can't be read", f);
            return false;
        }
        seen[f[0] & 127] = true;
    }
    unsigned phase = t->job.phase;
    bool aimed = phase == RFI_CONFIRM && t->job.checker->confirms;
    if (!seen['s'] || !seen['i'] || (aimed && !seen['p']) ||
        (phase == RFI_ADVERSARY && !seen['m'])) {
        snprintf(why, bytes, "it is cut short");
        return false;
    }
    t->job.fine = t->grain ? t->grain == 'f' : rfi_token_fine(&t->job);
    return true;
}

/* Where the two courses part, as far as the marks tell (one character in 64 agrees by chance).
 * Steps are numbered as in the picture, from 0. */
RFI_FN void rfi_token_say_where(rfi_text *out, const char *now, const char *then) {
    size_t n = 0;
    while (now[n] && now[n] == then[n]) n++;
    unsigned long long agreed = n ? 1ull << (n - 1) : 0; /* that many steps */
    bool bounded = now[n] && then[n];
    if (bounded && agreed < 2)
        rfi_append(out, "from step %llu on", agreed);
    else if (bounded)
        rfi_append(out, "from one of the steps %llu to %llu on", agreed, 2 * agreed - 1);
    else
        rfi_append(out, "from step %llu or a later one on", agreed);
}

/* How many statements of the token's pair the replayed execution has met; 2 when it has no pair.  A
 * finding may come before both are met, a clean execution has no token unless the program is
 * another one. */
RFI_FN unsigned rfi_token_pair_met(const rfi_token *t) {
    unsigned met = 0;
    const rf_checker *c = rfi_job_checker(&t->job);
    if (!rfi_job_directed(&t->job) || (c && c != &rfi_racefuzzer)) return 2;
    for (unsigned i = 0; i < 2; i++)
        met += rfi_site_table.site[rfi_site_number_of_key(t->job.target[i])] != NULL;
    return met;
}

/* Compares the execution with how it went when the token was made; true if they agree or nothing is
 * known; else `why` says what differs, and from where on. */
RFI_FN bool rfi_token_compare(const rfi_token *t, const rfi_record *r, char *why, size_t bytes) {
    const size_t sites = RFI_MARK_SITES, head = RFI_MARK_SITES + RFI_MARK_COURSE;
    const char *then = t->mark;
    char now[RFI_MARK_BYTES];
    rfi_text out = {why, why + bytes};
    rfi_token_mark(r, now);
    if (!*then || !strcmp(now, then)) return true;
    if (!strncmp(now, then, sites)) {
        rfi_append(&out, "the execution depends on something outside of the token (time, addresses,"
                         " input, files), or the program has changed since the token was made");
    } else {
        rfi_append(&out, "the program has changed since the token was made: its statements differ");
        unsigned met = rfi_token_pair_met(t);
        if (met < 2) rfi_append(&out, ", %s of the pair was met", met ? "only one" : "none");
    }
    if (!strcmp(now + sites, then + sites)) {
        rfi_append(&out, "; this execution went the same way all the same");
        return false;
    }
    rfi_append(&out, "; this execution went another way, ");
    rfi_token_say_where(&out, now + head, then + head);
    return false;
}
#endif
#endif

/* ==== edit src/campaign/study.h ========================== >>campaign/study */
/* campaign/study.h: the campaign of one test: predict and confirm.
 *
 * RaceFuzzer's two phases (Sen, PLDI 2008, section 2.2): random schedules under the hybrid detector
 * give the pairs; then every pair directs a share of the second budget.  What is real was produced
 * (brought together, or seen unordered by happens-before); harmful is a pair after whose hit an
 * execution failed.  What follows stands in adversary.h and judge.h.
 */
#ifndef RFI_CAMPAIGN_STUDY_H
#define RFI_CAMPAIGN_STUDY_H

#ifdef RFI_IMPL
typedef struct rfi_campaign {
    rfi_settings settings;
    const rf_options *defaults; /* of rf_run's caller; may be NULL */
    rfi_team team;
    const rfi_reporter *reporter;
    FILE *out;
    rfi_summary summary;
    void (*progress)(const char *test, const char *phase, uint64_t done, uint64_t total,
                     uint32_t findings);
} rfi_campaign;

/* A distinct failure with the job that has its best example. */
typedef struct rfi_cause {
    rfi_failure_kind kind;
    rfi_job job;
    bool follows; /* it was seen after what a warning names had been produced, */
    unsigned as;  /* and these are the kinds of such warnings */
} rfi_cause;

/* What phases 2 and 3 learned about a warning, beside its figures. */
typedef struct rfi_case {
    rfi_job job;
    rfi_job seen_job; /* in which an analysis saw it happen, in execution seen_at */
    uint32_t hit_index;
    bool harmful, destructive;
    rfi_failure_kind harm; /* shortest failure after a hit, */
    rfi_failure_kind ruin; /* or after an older value, */
    rfi_job ruin_job;      /* in this job, from here on */
    uint32_t ruin_from, ruin_executions;
} rfi_case;

typedef struct rfi_study {
    rfi_campaign *campaign;
    rfi_result result;
    rfi_job job; /* of phase 1 */
    const rfi_memory *memory;
    rfi_tally *predicted, *confirmed; /* of phase 1; of another job */
    rfi_case *cases;                  /* one a warning */
    rfi_cause cause[RFI_MAX_FAILURES];
    uint32_t causes;
    uint32_t executions;
} rfi_study;

# define RFI_SCOUTS 16u

/* Of the cap in seconds: when phase 1 ends, and phase 2, without and with a third one. */
static const double rfi_share_until[2][2] RFI_UNUSED = {{0.4, 1}, {0.3, 0.7}};

/* ---- settings: command line, then the test's own, then the caller's, then the default ---- */

/* clang-format off */
# define RFI_OPTION(study, field, fallback) \
     ((study)->result.test->options.field != 0 ? (study)->result.test->options.field \
      : (study)->campaign->defaults && (study)->campaign->defaults->field != 0 \
          ? (study)->campaign->defaults->field \
          : (fallback))
/* clang-format on */

/* The analyses of a test's first phase. */
RFI_FN uint64_t rfi_campaign_analyses(const rfi_campaign *c, const rfi_test *test) {
    const char *list = c->settings.detect;
    if (!list) list = test->options.detect;
    if (!list && c->defaults) list = c->defaults->detect;
    return rfi_analyses_of(list);
}

RFI_FN rf_granularity rfi_study_grain(const rfi_study *s, rf_granularity preset) {
    rf_granularity given = s->campaign->settings.granularity;
    return given ? given : RFI_OPTION(s, granularity, preset);
}

/* The names of the explorers; NULL: the usual ones. */
RFI_FN const char *rfi_study_explorers(const rfi_study *s) {
    const char *strategy = s->campaign->settings.strategy;
    return strategy ? strategy : RFI_OPTION(s, strategy, NULL);
}

RFI_FN void rfi_study_settings(rfi_study *s, const rfi_test *test) {
    const rfi_settings *o = &s->campaign->settings;
    rfi_job *j = &s->job;
    s->result.test = test;
    s->executions =
        o->executions ? o->executions : RFI_OPTION(s, executions, RFI_DEFAULT_EXECUTIONS);
    rfi_goodlock_abstraction = o->abstraction;
    s->memory = rfi_memory_named(o->memory ? o->memory : RFI_OPTION(s, memory, NULL));
    *j =
        (rfi_job){.test = (rfi_test *)(uintptr_t)test,
                  .phase = RFI_PREDICT,
                  .seed = o->seed,
                  .fine = rfi_study_grain(s, RF_GRAIN_FINE) == RF_GRAIN_FINE,
                  .spurious = !test->options.no_spurious,
                  .strategy = rfi_strategy_of(rfi_study_explorers(s)),
                  .analyses = rfi_campaign_analyses(s->campaign, test),
                  .memory = {.atomics = s->memory->atomics,
                             .history = o->history != RF_MEM_HISTORY ? o->history : 0,
                             .sample = o->sample,
                             .whole = o->tear == RFI_TEAR_OFF,
                             .cxx20 = o->cxx20},
                  .max_steps = o->steps ? o->steps : RFI_OPTION(s, max_steps, RFI_DEFAULT_STEPS),
                  .stack_size = o->stack ? o->stack : RFI_OPTION(s, stack_size, RFI_DEFAULT_STACK)};
}

RFI_FN double rfi_study_seconds(const rfi_study *s) {
    const rfi_settings *o = &s->campaign->settings;
    return o->seconds_given ? o->seconds : RFI_OPTION(s, seconds, RFI_DEFAULT_SECONDS);
}

/* Does the campaign have a second phase, if there is something for it to do? */
RFI_FN bool rfi_study_directed(const rfi_study *s) {
    const rf_checker *c;
    for (uint32_t i = 0; (c = rfi_checker_at(i)); i++)
        if (rfi_checker_in(rfi_study_explorers(s), c)) return true;
    return false;
}

/* The checker that confirms a warning; NULL: none.  The program's own come before those that are
 * built in. */
RFI_FN const rf_checker *rfi_study_checker(const rfi_study *s, const rfi_warning *w) {
    const rf_checker *c, *found = NULL;
    for (uint32_t i = 0; (c = rfi_checker_at(i)); i++)
        if (c->confirms & RF_FAMILY_BIT(w->family) && rfi_checker_in(rfi_study_explorers(s), c) &&
            (!c->of || w->by & rfi_analysis_bit(c->of)))
            found = c;
    return found;
}

/* Does the campaign have a third phase, if there is something for it to do? */
RFI_FN bool rfi_study_adversarial(const rfi_study *s) {
    return rfi_checker_in(rfi_study_explorers(s), &rfi_racefuzzer) && s->memory->atomic_picks;
}

/* Which part of the cap in seconds phase 1 or 2 may have used in the end. */
RFI_FN double rfi_study_until(const rfi_study *s, unsigned phase) {
    return rfi_study_directed(s) ? rfi_share_until[rfi_study_adversarial(s)][phase - 1] : 1;
}

/* The job of phase 2 that runs a checker; at a warning, or at none (NULL). */
RFI_FN void rfi_study_case(const rfi_study *s, const rf_checker *checker, const rfi_warning *p,
                           rfi_job *j) {
    *j = s->job;
    j->phase = RFI_CONFIRM;
    j->checker = checker;
    j->fine = rfi_study_grain(s, checker->fine ? RF_GRAIN_FINE : RF_GRAIN_COARSE) == RF_GRAIN_FINE;
    if (!p) return;
    memcpy(j->target, p->target, p->targets * sizeof *p->target);
    for (unsigned i = 0; i < p->targets; i++)
        for (unsigned k = 0; k < p->sides; k++)
            if (rfi_site_key(p->side[k].site) == p->target[i]) j->site[i] = p->side[k].site;
}

/* ---- warnings ---- */

RFI_FN int rfi_warning_order(const void *x, const void *y) {
    const rfi_warning *a = x, *b = y;
    if (a->family != b->family) return a->family < b->family ? -1 : 1;
    for (unsigned i = 0; i < a->sides && i < b->sides; i++) {
        if (rfi_site_before(a->side[i].site, b->side[i].site)) return -1;
        if (rfi_site_before(b->side[i].site, a->side[i].site)) return 1;
    }
    return a->key < b->key ? -1 : a->key > b->key;
}

/* Races belong together when they share a statement or were seen at the same location.  A free is a
 * write to all of a block and does not make one variable of it. */
RFI_FN bool rfi_warnings_related(const rfi_warning *p, const rfi_warning *q) {
    if (p->family != RF_FAMILY_RACE || q->family != RF_FAMILY_RACE) return false;
    bool same = p->beside == q->key || q->beside == p->key || p->beside == q->beside;
    for (unsigned a = 0; a < 4; a++)
        same |=
            p->side[a & 1].site == q->side[a >> 1].site && !(p->side[a & 1].flags & RF_EV_FREES);
    return same;
}

RFI_FN void rfi_warnings_group(rfi_warning *p, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) p[i].variable = i;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 0; k < i; k++) {
                if (p[i].variable == p[k].variable || !rfi_warnings_related(&p[i], &p[k])) continue;
                uint32_t least = p[i].variable < p[k].variable ? p[i].variable : p[k].variable;
                p[i].variable = p[k].variable = least;
                again = true;
            }
    }
}

/* ---- failures ---- */

/* The failure's, or NULL. */
RFI_FN rfi_cause *rfi_study_known(rfi_study *s, uint64_t key) {
    for (uint32_t i = 0; i < s->causes; i++)
        if (s->cause[i].kind.key == key) return &s->cause[i];
    return NULL;
}

/* How little a job strays from what everybody expects of memory: its examples are shown first. */
RFI_FN unsigned rfi_job_strays(const rfi_job *j) {
    return j->phase != RFI_ADVERSARY ? 0 : rfi_job_directed(j) ? 1 : 2;
}

/* Is `k`, seen in job `j`, a better example than that of `c`? */
RFI_FN bool rfi_cause_better(const rfi_cause *c, const rfi_failure_kind *k, const rfi_job *j) {
    unsigned strays = rfi_job_strays(j), strayed = rfi_job_strays(&c->job);
    if (strays != strayed) return strays < strayed;
    if (strays && k->shortest_blamed != c->kind.shortest_blamed) return !k->shortest_blamed;
    if (k->stale != c->kind.stale) return c->kind.stale;
    return k->steps < c->kind.steps;
}

/* The kinds of the warnings that a checker is directed at. */
RFI_FN unsigned rfi_checker_kinds(const rf_checker *c) {
    unsigned kinds = 0;
    for (unsigned f = 0; f < RF_FAMILIES; f++)
        if (c->confirms & RF_FAMILY_BIT(f)) kinds |= rfi_family(f)->kind;
    return kinds;
}

RFI_FN void rfi_study_cause(rfi_study *s, const rfi_failure_kind *k, const rfi_job *j) {
    rfi_cause *c = rfi_study_known(s, k->key);
    if (!c && s->causes == RFI_MAX_FAILURES) return;
    if (!c) {
        c = &s->cause[s->causes++];
        *c = (rfi_cause){.kind = *k, .job = *j};
    } else {
        bool better = rfi_cause_better(c, k, j);
        rfi_failure_merge(&c->kind, k, better);
        if (better) c->job = *j;
    }
    if (j->phase != RFI_CONFIRM || !rfi_job_directed(j) || !k->blamed) return;
    c->follows = true;
    c->as |= rfi_checker_kinds(rfi_job_checker(j));
}

RFI_FN void rfi_study_causes(rfi_study *s, const rfi_tally *t, const rfi_job *j) {
    for (uint32_t i = 0; i < t->failures; i++) rfi_study_cause(s, &t->failure[i], j);
    rfi_first_site(&s->result.unannounced, t->unannounced);
}

/* ---- the phases ---- */

static rfi_study *rfi_study_now RFI_UNUSED; /* for the progress line */
static unsigned rfi_study_phase RFI_UNUSED;
static uint64_t rfi_study_before RFI_UNUSED;

RFI_FN void rfi_study_progress(uint64_t done) {
    static const char *const words[] = {"predict", "confirm", "judge"};
    const rfi_study *s = rfi_study_now;
    if (!s->campaign->progress) return;
    s->campaign->progress(s->result.test->options.rfi_name, words[rfi_study_phase - 1],
                          rfi_study_before + done, s->result.planned[rfi_study_phase - 1],
                          s->causes + s->result.real);
}

RFI_FN void rfi_study_deadline(rfi_study *s, int64_t from, double seconds) {
    rfi_team *team = &s->campaign->team;
    s->result.capped |= team->capped;
    team->capped = false;
    team->deadline = seconds > 0 ? from + (int64_t)(seconds * 1000) : 0;
}

RFI_FN void rfi_study_predict(rfi_study *s) {
    /* Every shard predicts everything, so all agree.  The first executions tell which analyses have
     * something to do; these don't miss the beginning of the others. */
    uint32_t few = s->executions < RFI_SCOUTS ? s->executions : RFI_SCOUTS;
    rfi_span scouts = {0, few, 0, 1}, all = {few, s->executions, 0, 1};
    rfi_study_phase = RFI_PREDICT;
    rfi_study_before = 0;
    s->result.planned[0] = s->executions;
    rfi_tally_reset(s->predicted);
    s->job.asleep = ~UINT64_C(0);
    rfi_team_run(&s->campaign->team, &s->job, &scouts, s->predicted);
    rfi_study_before = few;
    s->job.asleep = ~s->predicted->woken;
    rfi_team_run(&s->campaign->team, &s->job, &all, s->predicted);
    s->result.executions[0] = s->predicted->executions;
    s->result.steps[0] = s->predicted->steps;
    qsort(s->predicted->warning, s->predicted->warnings, sizeof *s->predicted->warning,
          rfi_warning_order);
    rfi_warnings_group(s->predicted->warning, s->predicted->warnings);
    rfi_study_causes(s, s->predicted, &s->job);
}

/* Warnings that analyses saw come true while phase 2 was at something else. */
RFI_FN void rfi_study_seen(rfi_study *s, const rfi_job *j) {
    for (uint32_t k = 0; k < s->confirmed->warnings; k++) {
        const rfi_warning *w = &s->confirmed->warning[k];
        bool fresh;
        rfi_warning *p = w->seen ? rfi_tally_warning(s->predicted, w->key, &fresh) : NULL;
        if (!p || (!fresh && p->seen)) continue;
        if (fresh) {
            *p = *w;
            p->predicted = 0;
            p->variable = (uint32_t)(p - s->predicted->warning);
        }
        p->seen = w->seen;
        p->seen_at = w->seen_at;
        rfi_case *c = &s->cases[p - s->predicted->warning];
        if (fresh) *c = (rfi_case){.job = *j};
        c->seen_job = *j;
    }
}

/* Runs one of the jobs of phase 2; what it did is in s->confirmed. */
RFI_FN void rfi_study_confirm_job(rfi_study *s, const rfi_job *j, uint32_t executions) {
    const rfi_settings *o = &s->campaign->settings;
    rfi_span range = {0, executions, o->shard - 1, o->shards};
    rfi_tally_reset(s->confirmed);
    rfi_study_before = s->result.executions[1];
    rfi_team_run(&s->campaign->team, j, &range, s->confirmed);
    rfi_study_causes(s, s->confirmed, j);
    s->result.executions[1] += s->confirmed->executions;
    s->result.steps[1] += s->confirmed->steps;
}

RFI_FN void rfi_study_confirm_one(rfi_study *s, uint32_t i, uint32_t executions) {
    rfi_warning *p = &s->predicted->warning[i];
    rfi_case *c = &s->cases[i];
    const rfi_tally *t = s->confirmed;
    rfi_study_confirm_job(s, &c->job, executions);
    p->executions = t->executions;
    p->hits = t->hits;
    p->failed = t->failed;
    memcpy(p->failed_by_kind, t->failed_by_kind, sizeof p->failed_by_kind);
    c->hit_index = t->hit_index;
    for (uint32_t k = 0; k < t->failures; k++) {
        const rfi_failure_kind *f = &t->failure[k];
        if (!f->blamed || !f->shortest_blamed) continue;
        if (!c->harmful || rfi_simpler(f, &c->harm)) c->harm = *f;
        c->harmful = true;
    }
    s->result.real += p->hits || p->seen;
}

/* Each warning that a checker confirms gets a part of the budget, and so does each checker without
 * a target. */
RFI_FN void rfi_study_confirm(rfi_study *s, int64_t begin, double seconds) {
    uint32_t warnings = s->predicted->warnings, n = 0, done = 0;
    const rf_checker *c;
    for (uint32_t i = 0; i < warnings; i++)
        n += rfi_study_checker(s, &s->predicted->warning[i]) != NULL;
    for (uint32_t i = 0; (c = rfi_checker_at(i)); i++)
        n += !c->confirms && rfi_checker_in(rfi_study_explorers(s), c);
    rfi_study_phase = RFI_CONFIRM;
    s->result.planned[1] = n ? (s->executions > n ? s->executions : n) : 0;
    double before = rfi_study_until(s, RFI_PREDICT), after = rfi_study_until(s, RFI_CONFIRM);
    rfi_job job;
    for (uint32_t i = 0; i < warnings; i++) {
        s->cases[i].seen_job = s->job;
        c = rfi_study_checker(s, &s->predicted->warning[i]);
        if (!c) continue;
        uint32_t share = s->executions / n + (done < s->executions % n);
        rfi_study_deadline(s, begin, seconds * (before + (after - before) * ++done / n));
        rfi_study_case(s, c, &s->predicted->warning[i], &s->cases[i].job);
        rfi_study_confirm_one(s, i, share ? share : 1);
        rfi_study_seen(s, &s->cases[i].job);
    }
    for (uint32_t i = 0; (c = rfi_checker_at(i)); i++) {
        if (c->confirms || !rfi_checker_in(rfi_study_explorers(s), c)) continue;
        uint32_t share = s->executions / n + (done < s->executions % n);
        rfi_study_deadline(s, begin, seconds * (before + (after - before) * ++done / n));
        rfi_study_case(s, c, NULL, &job);
        rfi_study_confirm_job(s, &job, share ? share : 1);
        rfi_study_seen(s, &job);
    }
}
#endif
#endif

/* ==== edit src/campaign/adversary.h ====================== >>campaign/adversary */
/* campaign/adversary.h: phase 3: which races do harm because memory returns older values.
 *
 * As in Flanagan and Freund, PLDI 2010, section 5: one race at a time, under one heuristic after
 * the other, so that a failure can be put down to this race; and once everything at once.  Only a
 * failure that nobody has seen with the newest values makes a race destructive: the schedules that
 * showed it are run again without the adversary, and what fails there too counts no more.  Where
 * there is no race, atomics are read in the same biased way, and so are intended races.
 */
#ifndef RFI_CAMPAIGN_ADVERSARY_H
#define RFI_CAMPAIGN_ADVERSARY_H

#ifdef RFI_IMPL
# define RFI_TRIAL_LEAST 20u /* executions of one heuristic */

/* How the budget is cut, and where the phase stands. */
typedef struct rfi_trials {
    uint32_t slots, done, share, extra; /* executions in each; the first `extra` have one more */
    int64_t begin;
    double seconds;
} rfi_trials;

/* ---- what counts ---- */

/* Has this failure been seen in executions in which no plain read returned an older value? */
RFI_FN bool rfi_cause_ordinary(const rfi_cause *c) {
    return c->job.phase != RFI_ADVERSARY || c->kind.count > c->kind.blamed;
}

RFI_FN bool rfi_warning_real(const rfi_warning *p) { return p->hits || p->seen; }

RFI_FN bool rfi_real_race(const rfi_warning *p) {
    return p->family == RF_FAMILY_RACE && rfi_warning_real(p);
}

RFI_FN bool rfi_study_raced(const rfi_study *s) {
    for (uint32_t i = 0; i < s->predicted->warnings; i++)
        if (rfi_real_race(&s->predicted->warning[i])) return true;
    return false;
}

/* A failure that was seen when all races returned older values at once, and with none alone. */
RFI_FN bool rfi_cause_together(const rfi_study *s, const rfi_cause *c) {
    return c->job.phase == RFI_ADVERSARY && c->job.all && !rfi_cause_ordinary(c) &&
           rfi_study_raced(s);
}

RFI_FN bool rfi_study_destructive(rfi_study *s, uint32_t pair) {
    const rfi_case *c = &s->cases[pair];
    const rfi_cause *cause = c->destructive ? rfi_study_known(s, c->ruin.key) : NULL;
    return c->destructive && !(cause && rfi_cause_ordinary(cause));
}

/* ---- one trial ---- */

/* Runs executions from .. from + n - 1 of a job; what they did is in s->confirmed. */
RFI_FN void rfi_trial_run(rfi_study *s, const rfi_job *j, uint32_t from, uint32_t n) {
    const rfi_settings *o = &s->campaign->settings;
    rfi_span range = {from, from + n, o->shard - 1, o->shards};
    rfi_study_before = s->result.executions[RFI_ADVERSARY - 1];
    rfi_tally_reset(s->confirmed);
    rfi_team_run(&s->campaign->team, j, &range, s->confirmed);
    s->result.executions[RFI_ADVERSARY - 1] += s->confirmed->executions;
    s->result.steps[RFI_ADVERSARY - 1] += s->confirmed->steps;
}

/* What a trial says about a pair.  True: it has the best example. */
RFI_FN bool rfi_trial_judge(rfi_study *s, rfi_case *c, rfi_trial *trial, const rfi_job *j) {
    const rfi_tally *t = s->confirmed;
    bool best = false;
    trial->executions += t->executions;
    trial->exposed += t->exposed;
    for (uint32_t k = 0; k < t->failures; k++) {
        const rfi_failure_kind *f = &t->failure[k];
        const rfi_cause *known = rfi_study_known(s, f->key);
        if (f->count > f->blamed || (known && rfi_cause_ordinary(known))) {
            trial->unclear += f->count;
            continue;
        }
        trial->failed += f->blamed;
        if (c->destructive && !rfi_simpler(f, &c->ruin)) continue;
        c->destructive = best = true;
        c->ruin = *f;
        c->ruin_job = *j;
    }
    rfi_study_causes(s, t, j);
    return best;
}

/* The number of executions of the next trial, and the time by which it must end. */
RFI_FN uint32_t rfi_trials_next(rfi_study *s, rfi_trials *t) {
    uint32_t n = s->predicted->warnings;
    double before = rfi_study_until(s, n ? RFI_CONFIRM : RFI_PREDICT);
    uint32_t number = t->done++;
    double until = before + (1 - before) * t->done / t->slots;
    rfi_study_deadline(s, t->begin, t->seconds * until);
    return t->share + (number < t->extra);
}

/* The same schedules with the newest values. */
RFI_FN void rfi_trial_again(rfi_study *s, const rfi_job *with, uint32_t from, uint32_t n,
                            rfi_trial *trial) {
    rfi_job j = *with;
    j.pick = RF_PICK_NEWEST;
    s->result.planned[RFI_ADVERSARY - 1] += n;
    rfi_trial_run(s, &j, from, n);
    rfi_study_causes(s, s->confirmed, &j);
    trial->executions += s->confirmed->executions;
    for (uint32_t k = 0; k < s->confirmed->failures; k++)
        trial->failed += s->confirmed->failure[k].count;
}

/* ---- the phase ---- */

/* Does phase 3 run executions of this granularity?  Of both: coarse ones get further, but switch
 * only at the statements of this race, and the way to it may lead through another one. */
RFI_FN bool rfi_study_takes(const rfi_study *s, bool fine) {
    return rfi_study_grain(s, fine ? RF_GRAIN_FINE : RF_GRAIN_COARSE) ==
           (fine ? RF_GRAIN_FINE : RF_GRAIN_COARSE);
}

/* Every heuristic has schedules of its own: from index `from` on, as far as what is returned. */
RFI_FN uint32_t rfi_study_judge_pick(rfi_study *s, rfi_trials *t, uint32_t pair, rf_heuristic pick,
                                     uint32_t from) {
    rfi_case *c = &s->cases[pair];
    rfi_job j = c->job;
    j.phase = RFI_ADVERSARY;
    j.pick = pick;
    uint32_t n = rfi_trials_next(s, t), half = rfi_study_takes(s, !c->job.fine) ? n / 2 : n;
    for (unsigned k = 0; k < 2; k++, half = n - half) {
        j.fine = c->job.fine ^ (k == 1);
        if (!half) continue;
        rfi_trial_run(s, &j, from, half);
        if (rfi_trial_judge(s, c, &s->predicted->warning[pair].trial[pick], &j))
            c->ruin_from = from, c->ruin_executions = half;
        from += half;
    }
    return from;
}

RFI_FN void rfi_study_judge_pair(rfi_study *s, rfi_trials *t, uint32_t pair) {
    rfi_case *c = &s->cases[pair];
    uint32_t from = 0;
    for (unsigned pick = 0; pick < RFI_PICKS; pick++)
        if (s->memory->race_picks & RFI_PICK_BIT(pick))
            from = rfi_study_judge_pick(s, t, pair, (rf_heuristic)pick, from);
    if (c->destructive)
        rfi_trial_again(s, &c->ruin_job, c->ruin_from, c->ruin_executions,
                        &s->predicted->warning[pair].trial[RF_PICK_NEWEST]);
}

/* All plain data that races; all atomics too. */
RFI_FN void rfi_study_judge_all(rfi_study *s, rfi_trials *t) {
    rfi_trial control = {0};
    rfi_job j = s->job;
    j.phase = RFI_ADVERSARY;
    j.all = true;
    j.pick = s->memory->all_pick;
    uint32_t n = rfi_trials_next(s, t);
    rfi_trial_run(s, &j, 0, n);
    bool fresh = false;
    for (uint32_t k = 0; k < s->confirmed->failures; k++)
        fresh |= !rfi_study_known(s, s->confirmed->failure[k].key);
    rfi_study_causes(s, s->confirmed, &j);
    if (fresh) rfi_trial_again(s, &j, 0, n, &control);
}

/* Without a race: atomics, and intended races. */
RFI_FN void rfi_study_judge_atomics(rfi_study *s, rfi_trials *t) {
    rfi_job j = s->job;
    j.phase = RFI_ADVERSARY;
    j.all = s->predicted->racy && s->memory->race_picks;
    j.fine = rfi_study_grain(s, RF_GRAIN_COARSE) == RF_GRAIN_FINE;
    uint32_t from = 0;
    for (unsigned pick = 0; pick < RFI_PICKS; pick++) {
        if (!(s->memory->atomic_picks & RFI_PICK_BIT(pick))) continue;
        j.pick = (rf_heuristic)pick;
        uint32_t n = rfi_trials_next(s, t);
        rfi_trial_run(s, &j, from, n);
        rfi_study_causes(s, s->confirmed, &j);
        from += n;
    }
}

/* Ranges are only announced: their bytes do not come from the model. */
RFI_FN bool rfi_study_tried(const rfi_study *s, uint32_t pair) {
    const rfi_warning *p = &s->predicted->warning[pair];
    return rfi_real_race(p) && !s->cases[pair].harmful &&
           !((p->side[0].flags | p->side[1].flags) & RF_EV_RANGE);
}

RFI_FN void rfi_study_adversary(rfi_study *s, int64_t begin, double seconds) {
    rfi_trials t = {.begin = begin, .seconds = seconds};
    const rfi_tally *first = s->predicted;
    uint32_t races = 0, tried = 0;
    for (uint32_t i = 0; i < first->warnings; i++) {
        races += rfi_real_race(&first->warning[i]);
        tried += rfi_study_tried(s, i);
    }
    bool picks = s->memory->race_picks, all = picks && tried && (races > 1 || first->atomic);
    bool atomics = (!races || !picks) && (first->atomic || (picks && first->racy));
    t.slots = picks ? tried * rfi_bits(s->memory->race_picks) + all : 0;
    if (atomics) t.slots += rfi_bits(s->memory->atomic_picks);
    if (!t.slots) return;
    uint32_t least = s->executions < RFI_TRIAL_LEAST ? s->executions : RFI_TRIAL_LEAST;
    t.share = s->executions / t.slots;
    t.extra = s->executions % t.slots;
    if (t.share < least) t.share = least, t.extra = 0;
    s->result.planned[RFI_ADVERSARY - 1] = (uint64_t)t.share * t.slots + t.extra;
    rfi_study_phase = RFI_ADVERSARY;
    for (uint32_t i = 0; picks && i < first->warnings; i++)
        if (rfi_study_tried(s, i)) rfi_study_judge_pair(s, &t, i);
    if (all) rfi_study_judge_all(s, &t);
    if (atomics) rfi_study_judge_atomics(s, &t);
}
#endif
#endif

/* ==== edit src/campaign/judge.h ========================== >>campaign/judge */
/* campaign/judge.h: from what was found to what is printed, and whether the test passes. */
#ifndef RFI_CAMPAIGN_JUDGE_H
#define RFI_CAMPAIGN_JUDGE_H

#ifdef RFI_IMPL
RFI_FN rfi_verdict rfi_study_verdict(rfi_study *s, uint32_t pair) {
    if (s->cases[pair].harmful) return RFI_HARMFUL;
    if (rfi_study_destructive(s, pair)) return RFI_DESTRUCTIVE;
    return rfi_warning_real(&s->predicted->warning[pair]) ? RFI_REAL : RFI_POTENTIAL;
}

/* A failure that was seen after a warning had come true, or only where a race's memory returned
 * older values, is its doing: it is told with it. */
RFI_FN bool rfi_cause_of_warning(const rfi_cause *c) {
    if (c->job.phase != RFI_ADVERSARY) return c->follows;
    return rfi_job_directed(&c->job) && !rfi_cause_ordinary(c);
}

/* Does the test expect the failure as the doing of what it expects? */
RFI_FN bool rfi_cause_expected(const rfi_study *s, const rfi_cause *c, unsigned expect) {
    if (c->job.phase != RFI_ADVERSARY) return expect & c->as;
    return expect & RF_EXPECT_RACE && (rfi_cause_of_warning(c) || rfi_cause_together(s, c));
}

/* The kinds found, and which of them the test's expectation covers. */
RFI_FN void rfi_study_judge(rfi_study *s) {
    rfi_result *r = &s->result;
    unsigned expect = r->test->options.expect, found = 0, blamed = 0;
    bool harm_only = s->campaign->settings.fail_on == RFI_FAIL_ON_HARM;
    r->potential = r->real = r->destructive = r->harmful = 0;
    for (uint32_t i = 0; i < r->warnings; i++) {
        rfi_verdict v = rfi_study_verdict(s, i);
        bool fault = rfi_family(r->warning[i].family)->kind;
        r->potential += fault && v == RFI_POTENTIAL;
        r->real += fault && v == RFI_REAL;
        r->destructive += v == RFI_DESTRUCTIVE;
        r->harmful += v == RFI_HARMFUL;
        unsigned kind = rfi_family(r->warning[i].family)->kind;
        if (v != RFI_POTENTIAL) found |= kind;
        if (v > RFI_REAL || (v == RFI_REAL && !harm_only)) blamed |= kind;
    }
    for (uint32_t i = 0; i < s->causes; i++) {
        unsigned kind = rfi_diagnostic(s->cause[i].kind.failure.diagnostic)->kind;
        found |= kind;
        if (!rfi_cause_expected(s, &s->cause[i], expect)) blamed |= kind;
    }
    r->found = found;
    r->missing = expect & ~found;
    r->skipped = s->predicted->skipped && s->predicted->skipped == s->predicted->executions;
    r->passed = !r->skipped && !r->missing && !(blamed & ~expect);
    if (r->skipped) snprintf(r->reason, sizeof r->reason, "%s", s->predicted->skip_reason);
}

/* ---- findings, each replayed before it is told ---- */

typedef struct rfi_telling {
    rfi_study *study;
    bool silent;     /* only find out whether everything reproduces */
    bool reproduced; /* everything did so far */
} rfi_telling;

/* The warning as the replay has told it; NULL: it has not seen it happen. */
RFI_FN const rfi_warning *rfi_replay_warning(const rfi_telling *t, const rfi_finding *f) {
    const rfi_team *team = &t->study->campaign->team;
    const rfi_tally *tally = team->workers ? &team->worker[0].shared->tally : &team->here->tally;
    for (uint32_t i = 0; f->warning && i < tally->warnings; i++)
        if (tally->warning[i].key == f->warning->key && tally->warning[i].seen)
            return &tally->warning[i];
    return NULL;
}

RFI_FN bool rfi_replay_agrees(const rfi_telling *t, const rfi_finding *f, const rfi_record *r) {
    if (f->failure && f->failure->failure.diagnostic == RF_DIAG_UNREPEATABLE) return true;
    if (f->failure) return r->failure.diagnostic && rfi_failure_key(&r->failure) == f->failure->key;
    return r->hit_count || rfi_replay_warning(t, f);
}

RFI_FN void rfi_tell(rfi_telling *t, rfi_finding *f, const rfi_job *j, uint32_t index) {
    rfi_study *s = t->study;
    rfi_campaign *c = s->campaign;
    rf_diagnostic d = f->failure ? f->failure->failure.diagnostic : RF_DIAG_NONE;
    if (t->silent && (d == RF_DIAG_RUNAWAY || d == RF_DIAG_BLOCKED)) return; /* takes its time */
    f->record = rfi_team_replay(&c->team, j, index);
    f->reproduced = rfi_replay_agrees(t, f, f->record);
    t->reproduced &= f->reproduced;
    if (t->silent) return;
    f->output = rfi_team_output(&c->team);
    rfi_token_write(j, index, f->record, f->token);
    rfi_warning happened; /* the threads and places of this very execution */
    const rfi_warning *seen = rfi_replay_warning(t, f);
    if (seen && seen->family != RF_FAMILY_RACE) {
        happened = *f->warning;
        happened.sides = seen->sides;
        memcpy(happened.side, seen->side, sizeof seen->side);
        memcpy(happened.text, seen->text, sizeof seen->text);
        f->warning = &happened;
    }
    rfi_failure_kind shown;
    if (f->reproduced && rfi_diagnostic(d)->kind == RF_EXPECT_CRASH) {
        shown = *f->failure; /* a replay knows better where a process died */
        shown.failure = f->record->failure;
        f->failure = &shown;
    }
    if (!f->reproduced)
        f->note =
            c->team.workers
                ? "This execution did not repeat in a fresh process: the test depends on something "
                  "outside of it (time, addresses, input, files)."
                : "This execution did not repeat: the test depends on earlier executions or on "
                  "something outside of it; RF_JOBS=1 finds out, it has fresh processes.";
    if (s->result.stateful && f->reproduced)
        f->note =
            "The test keeps state between executions (a static or global that the body does not "
            "set); each execution had a process of its own.";
    c->reporter->finding(c->out, &s->result, f);
}

RFI_FN void rfi_tell_warning(rfi_telling *t, uint32_t i) {
    rfi_study *s = t->study;
    const rfi_case *k = &s->cases[i];
    const rfi_warning *p = &s->predicted->warning[i];
    unsigned kind = rfi_family(p->family)->kind;
    rfi_finding f = {.warning = p, .verdict = rfi_study_verdict(s, i), .output = ""};
    if (!kind && f.verdict == RFI_HARMFUL) /* no fault itself: the failure is */
        kind = rfi_diagnostic(k->harm.failure.diagnostic)->kind;
    f.expected = s->result.test->options.expect & kind;
    switch (f.verdict) {
    case RFI_HARMFUL:
        f.failure = &k->harm;
        rfi_tell(t, &f, &k->job, k->harm.index);
        break;
    case RFI_DESTRUCTIVE:
        f.failure = &k->ruin;
        rfi_tell(t, &f, &k->ruin_job, k->ruin.index);
        break;
    case RFI_REAL:
        if (p->hits)
            rfi_tell(t, &f, &k->job, k->hit_index);
        else
            rfi_tell(t, &f, &k->seen_job, (uint32_t)p->seen_at);
        break;
    case RFI_POTENTIAL:
        if (!t->silent) s->campaign->reporter->finding(s->campaign->out, &s->result, &f);
        break;
    }
}

RFI_FN void rfi_tell_cause(rfi_telling *t, const rfi_cause *c) {
    unsigned kind = rfi_diagnostic(c->kind.failure.diagnostic)->kind;
    bool together = rfi_cause_together(t->study, c);
    if (together) kind |= RF_EXPECT_RACE;
    rfi_finding f = {.failure = &c->kind,
                     .output = "",
                     .together = together,
                     .expected = t->study->result.test->options.expect & kind};
    rfi_tell(t, &f, &c->job, c->kind.index);
}

/* Harmful and destructive warnings, failures of other causes, real warnings, predictions. */
RFI_FN bool rfi_study_tell(rfi_study *s, bool silent) {
    rfi_telling t = {s, silent, true};
    for (int v = RFI_HARMFUL; v >= RFI_POTENTIAL; v--) {
        if (v == RFI_REAL)
            for (uint32_t i = 0; i < s->causes; i++)
                if (!rfi_cause_of_warning(&s->cause[i])) rfi_tell_cause(&t, &s->cause[i]);
        for (uint32_t i = 0; i < s->result.warnings; i++)
            if ((int)rfi_study_verdict(s, i) == v) rfi_tell_warning(&t, i);
    }
    return t.reproduced;
}

/* ---- the whole ---- */

/* Runs the phases of `test`; the study then holds everything that was found. */
RFI_FN void rfi_study_run(rfi_study *s, rfi_campaign *c, const rfi_test *test) {
    rfi_tally *predicted = s->predicted, *confirmed = s->confirmed;
    rfi_case *cases = s->cases;
    if (!predicted) predicted = rfi_pages(sizeof *predicted, false);
    if (!confirmed) confirmed = rfi_pages(sizeof *confirmed, false);
    if (!cases) cases = rfi_pages(RFI_MAX_WARNINGS * sizeof *cases, false);
    *s = (rfi_study){.campaign = c, .predicted = predicted, .confirmed = confirmed, .cases = cases};
    memset(cases, 0, predicted->warnings * sizeof *cases);
    rfi_study_settings(s, test);
    rfi_study_now = s;
    c->team.isolate = c->team.isolate || test->options.isolate;
    c->team.verify = c->settings.verify;
    c->team.progress = rfi_study_progress;
    double seconds = rfi_study_seconds(s);
    int64_t begin = rfi_milliseconds();
    rfi_study_deadline(s, begin, seconds * rfi_study_until(s, RFI_PREDICT));
    rfi_study_predict(s);
    s->result.warning = predicted->warning;
    s->result.warnings = predicted->warnings;
    s->result.warnings_left_out = predicted->warnings_left_out > UINT32_MAX
                                      ? UINT32_MAX
                                      : (uint32_t)predicted->warnings_left_out;
    if (rfi_study_directed(s))
        rfi_study_confirm(s, begin, seconds);
    else
        for (uint32_t i = 0; i < predicted->warnings; i++) {
            s->cases[i].seen_job = s->job;
            s->result.real += predicted->warning[i].seen != 0;
        }
    s->result.warnings = predicted->warnings;
    if (rfi_study_adversarial(s)) rfi_study_adversary(s, begin, seconds);
    rfi_study_deadline(s, begin, 0);
    s->result.seconds = (double)(rfi_milliseconds() - begin) / 1000;
}

/* The whole campaign of a test, told to the reporter. */
RFI_FN void rfi_campaign_test(rfi_campaign *c, rfi_study *s, const rfi_test *test) {
    c->reporter->test(c->out, test);
    c->team.isolate = false;
    rfi_study_run(s, c, test);
    rfi_study_judge(s);
    bool again =
        c->team.workers && !c->team.isolate && !rfi_interrupted && !rfi_study_tell(s, true);
    if (again && !rfi_interrupted) {
        c->team.isolate =
            true; /* state from earlier executions got in the way: once more, without */
        rfi_study_run(s, c, test);
        rfi_study_judge(s);
        s->result.stateful = true;
    }
    if (rfi_interrupted) {
        s->result.passed = false;
        snprintf(s->result.reason, sizeof s->result.reason, "interrupted by %s",
                 rfi_signal_name(rfi_interrupted));
    }
    if (!rfi_study_tell(s, false)) s->result.stateful = false; /* it is something else */
    c->reporter->result(c->out, &s->result);
    c->summary.passed += s->result.passed;
    c->summary.skipped += s->result.skipped;
    c->summary.failed += !s->result.passed && !s->result.skipped;
}
#endif
#endif

/* ==== edit src/report/terminal.h ========================= >>report/terminal */
/* report/terminal.h: where a report is written to, and how text is fitted onto its lines.
 *
 * Colours follow no-color.org and bixense.com/clicolors: NO_COLOR wins, then CLICOLOR_FORCE, then
 * whether it is a terminal that understands them.  The width is that of COLUMNS, of the terminal,
 * or 100.  The text of users (expressions, log lines, messages) passes rfi_line_add(), which lets
 * only printable UTF-8 through, so that nothing of it can steer a terminal; it is cut between
 * characters only.  What racefuzz writes itself is ASCII.
 */
#ifndef RFI_REPORT_TERMINAL_H
#define RFI_REPORT_TERMINAL_H

#ifdef RFI_IMPL
# define RFI_WIDTH_LEAST   40u
# define RFI_WIDTH_MOST    400u
# define RFI_WIDTH_DEFAULT 100u
# define RFI_LINE_BYTES    1536u

typedef enum rfi_style { RFI_PLAIN, RFI_BOLD, RFI_DIM, RFI_GOOD, RFI_BAD, RFI_WARN } rfi_style;

typedef struct rfi_term {
    FILE *out;
    unsigned width;
    bool colour;
} rfi_term;

/* A line under construction: printable UTF-8, cut with "..." when it is full. */
typedef struct rfi_line {
    unsigned bytes;
    char s[RFI_LINE_BYTES];
} rfi_line;

/* A terminal that can rewrite its line. */
RFI_FN bool rfi_is_terminal(FILE *out) {
    const char *term = getenv("TERM");
    return isatty(fileno(out)) && term && *term && strcmp(term, "dumb") != 0;
}

RFI_FN bool rfi_wants_colour(FILE *out) {
    const char *no = getenv("NO_COLOR"), *force = getenv("CLICOLOR_FORCE");
    if (no && *no) return false;
    if (force && *force && strcmp(force, "0") != 0) return true;
    return rfi_is_terminal(out);
}

RFI_FN unsigned rfi_width(FILE *out) {
    const char *columns = getenv("COLUMNS");
    char *end = NULL;
    unsigned long n =
        columns && *columns >= '0' && *columns <= '9' ? strtoul(columns, &end, 10) : 0;
    if (n == 0 || *end) {
        struct winsize size;
        n = isatty(fileno(out)) && !ioctl(fileno(out), TIOCGWINSZ, &size) ? size.ws_col : 0;
        if (n == 0) n = RFI_WIDTH_DEFAULT;
    }
    return n < RFI_WIDTH_LEAST  ? RFI_WIDTH_LEAST
           : n > RFI_WIDTH_MOST ? RFI_WIDTH_MOST
                                : (unsigned)n;
}

RFI_FN rfi_term rfi_term_of(FILE *out) {
    rfi_term t = {out, rfi_width(out), rfi_wants_colour(out)};
    return t;
}

RFI_FN void rfi_style_begin(const rfi_term *t, rfi_style style) {
    static const char *const codes[] = {"",         "\033[1m",    "\033[2m",
                                        "\033[32m", "\033[1;31m", "\033[1;33m"};
    if (t->colour) fputs(codes[style], t->out);
}

RFI_FN void rfi_style_end(const rfi_term *t, rfi_style style) {
    if (t->colour && style != RFI_PLAIN) fputs("\033[0m", t->out);
}

RFI_FN RFI_PRINTF(3, 4) void rfi_styled(const rfi_term *t, rfi_style style, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    rfi_style_begin(t, style);
    vfprintf(t->out, fmt, ap);
    rfi_style_end(t, style);
    va_end(ap);
}

/* Columns that a character takes: 0 for marks that combine with the one before, 2 for East Asian
 * wide ones and pictures, else 1.  The ranges are those of Unicode in whole blocks. */
RFI_FN unsigned rfi_char_columns(uint32_t c) {
    if ((c >= 0x300 && c < 0x370) || (c >= 0x200b && c < 0x2010) || (c >= 0xfe00 && c < 0xfe10))
        return 0;
    return (c >= 0x1100 && c < 0x1160) || (c >= 0x2e80 && c < 0xa4d0) ||
                   (c >= 0xac00 && c < 0xd7a4) || (c >= 0xf900 && c < 0xfb00) ||
                   (c >= 0xff00 && c < 0xff61) || (c >= 0x1f300 && c < 0x1fb00) ||
                   (c >= 0x20000 && c < 0x40000)
               ? 2
               : 1;
}

/* Bytes of the printable UTF-8 character at s and its columns; 0 bytes if there is none: a control
 * character, the end, or no UTF-8 (RFC 3629: no overlong forms, no surrogates). */
RFI_FN unsigned rfi_char(const char *s, unsigned *columns) {
    const unsigned char *u = (const unsigned char *)s;
    unsigned bytes = u[0] < 0x80 ? 1 : u[0] < 0xc2 ? 0 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
    uint32_t c = bytes == 1 ? u[0] : u[0] & (0x7fu >> bytes);
    for (unsigned i = 1; i < bytes; i++) {
        if ((u[i] & 0xc0) != 0x80) return 0;
        c = c << 6 | (u[i] & 0x3fu);
    }
    static const uint32_t least[] = {0, ' ', 0xa0, 0x800, 0x10000};
    if (c < least[bytes] || c == 0x7f || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff) return 0;
    *columns = rfi_char_columns(c);
    return bytes;
}

/* Columns of a text made by rfi_line_add(). */
RFI_FN unsigned rfi_columns(const char *s) {
    unsigned all = 0, columns = 0;
    for (unsigned n; (n = rfi_char(s, &columns)) != 0; s += n) all += columns;
    return all;
}

/* Appends formatted text.  White space becomes one space each, other controls and broken UTF-8 '?'.
 */
RFI_FN RFI_PRINTF(2, 3) void rfi_line_add(rfi_line *l, const char *fmt, ...) {
    char raw[RFI_LINE_BYTES];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(raw, sizeof raw, fmt, ap);
    va_end(ap);
    for (const char *s = raw; *s;) {
        unsigned columns, bytes = rfi_char(s, &columns);
        if (l->bytes + 8 > RFI_LINE_BYTES) { /* room for a character, "..." and the end */
            memcpy(l->s + l->bytes, "...", 4);
            return;
        }
        if (bytes) {
            memcpy(l->s + l->bytes, s, bytes);
        } else {
            l->s[l->bytes] = *s == '\t' || *s == '\n' || *s == '\r' ? ' ' : '?';
            bytes = 1;
        }
        l->bytes += bytes;
        s += bytes;
    }
    l->s[l->bytes] = 0;
}

/* How many bytes of s go on a line of `room` columns: all, else up to a space in its second half,
 * else as many characters as fit, one at least.  *used: their columns. */
RFI_FN size_t rfi_line_fit(const char *s, unsigned room, unsigned *used) {
    size_t at = 0, space = 0;
    unsigned columns = 0, space_columns = 0, width = 0;
    *used = 0;
    for (unsigned n; (n = rfi_char(s + at, &width)) != 0; at += n, columns += width) {
        if (s[at] == ' ' && columns <= room) space = at, space_columns = columns;
        if (columns + width <= room || at == 0) continue;
        if (space_columns * 2 < room) break;
        *used = space_columns;
        return space;
    }
    *used = columns;
    return at;
}

/* Prints a text (made by rfi_line_add) from column `indent` on, wrapped; further lines start at
 * `hang`. The cursor stands at column `at`. */
RFI_FN void rfi_wrapped(const rfi_term *t, rfi_style style, unsigned at, unsigned indent,
                        unsigned hang, const char *s) {
    do {
        unsigned used;
        size_t n = rfi_line_fit(s, t->width > indent + 10 ? t->width - indent : 10, &used);
        fprintf(t->out, "%*s", (int)(indent - at), "");
        rfi_styled(t, style, "%.*s", (int)n, s);
        fputc('\n', t->out);
        s += n;
        while (*s == ' ') s++;
        indent = hang;
        at = 0;
    } while (*s);
}

/* Prints foreign text line by line, each behind `prefix`; a newline at its end adds no line. */
RFI_FN void rfi_quoted(const rfi_term *t, rfi_style style, const char *prefix, const char *s) {
    while (*s) {
        size_t n = strcspn(s, "\n");
        rfi_line l = {0};
        rfi_line_add(&l, "%.*s", (int)(n < RFI_LINE_BYTES ? n : RFI_LINE_BYTES), s);
        fputs(prefix, t->out);
        rfi_styled(t, style, "%s\n", l.s);
        s += n + (s[n] == '\n');
    }
}
#endif
#endif

/* ==== edit src/report/words.h ============================ >>report/words */
/* report/words.h: the words all report formats share.
 *
 * Names of threads, objects and places, values, one event in a few words, the verdict of a finding,
 * and the line that replays it.  Nothing here shows an address as the identity of a thing: memory
 * goes by the expression that was written, blocks of the heap by their number.
 */
#ifndef RFI_REPORT_WORDS_H
#define RFI_REPORT_WORDS_H

#ifdef RFI_IMPL
/* ---- the line to paste ---- */

static const char *rfi_program RFI_UNUSED = "./test"; /* as a shell would take it */

/* Remembers how the program was started.  Quotes the name if a shell would change it. */
RFI_FN void rfi_report_program(const char *argv0) {
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+:@%,=-";
    if (!argv0 || !*argv0) return;
    if (!argv0[strspn(argv0, plain)]) {
        rfi_program = argv0;
        return;
    }
    char *q = malloc(strlen(argv0) * 4 + 3), *p = q;
    if (!q) rfi_die("out of memory (name of the program)");
    *p++ = '\'';
    for (; *argv0; argv0++) {
        if (*argv0 == '\'')
            p += sprintf(p, "'\\''");
        else
            *p++ = *argv0;
    }
    memcpy(p, "'", 2);
    rfi_program = q;
}

/* ---- names ---- */

/* "T2 reader": the function it runs. */
RFI_FN void rfi_say_thread(rfi_line *l, const rfi_record *r, uint32_t thread) {
    const rf_site *made = r && thread < RFI_RECORD_THREADS ? r->thread[thread].created : NULL;
    if (thread == 0)
        rfi_line_add(l, "T0 test body");
    else if (made)
        rfi_line_add(l, "T%u %s", thread, made->text + (made->text[0] == '&'));
    else
        rfi_line_add(l, "T%u", thread);
}

/* The object's name; with its number where several bear that name. */
RFI_FN void rfi_say_object(rfi_line *l, const rfi_record *r, uint32_t number) {
    uint32_t known = r->objects < RFI_RECORD_OBJECTS ? r->objects : RFI_RECORD_OBJECTS;
    if (number == 0 || number > known) {
        rfi_line_add(l, "object#%u", number);
        return;
    }
    const char *name = r->object[number - 1].name;
    uint32_t same = 0;
    for (uint32_t i = 0; i < known && same < 2; i++) same += !strcmp(r->object[i].name, name);
    if (same < 2)
        rfi_line_add(l, "%s", name);
    else
        rfi_line_add(l, "%s#%u", name, number);
}

/* "bank.c:41" */
RFI_FN void rfi_say_place(rfi_line *l, const rf_site *s) {
    if (s) rfi_line_add(l, "%s:%u", rfi_basename(s->file), s->line);
}

/* "src/bank.c:41 in transfer()", "... in test NAME"; the file as the compiler was given it, so that
 * editors find it. */
RFI_FN void rfi_say_site(rfi_line *l, const rf_site *s) {
    static const char body[] = "rf_test_"; /* what RF_TEST puts before the name */
    size_t n = sizeof body - 1;
    if (!s)
        rfi_line_add(l, "an unknown place");
    else if (!strncmp(s->function, body, n))
        rfi_line_add(l, "%s:%u in test %s", s->file, s->line, s->function + n);
    else
        rfi_line_add(l, "%s:%u in %s()", s->file, s->line, s->function);
}

/* A memory access's expression, without the & of atomic operations. */
RFI_FN const char *rfi_expression(const rf_site *s) {
    return !s ? "?" : s->text[0] == '&' ? s->text + 1 : s->text;
}

/* An atomic object was changed by an operator, or by code that was not converted. */
RFI_FN void rfi_say_unannounced(rfi_line *l, const rf_site *s) {
    rfi_line_add(l, "memory of `%s` (", rfi_expression(s));
    rfi_say_place(l, s);
    rfi_line_add(l, ") changed by something racefuzz does not see; use rf_atomic_* instead of "
                    "operators on _Atomic objects");
}

/* "race, deadlock": kinds of RF_EXPECT_*. */
RFI_FN void rfi_say_kinds(rfi_line *l, unsigned kinds) {
    static const char *const words[] = {"race",     "failure",   "deadlock",
                                        "livelock", "atomicity", "crash"};
    const char *between = "";
    for (unsigned i = 0; i < 6; i++) {
        if (!(kinds >> i & 1)) continue;
        rfi_line_add(l, "%s%s", between, words[i]);
        between = ", ";
    }
}

/* ---- values and events ---- */

/* Decimal while it is a plausible number, signed or not: the type is not known here.  Large ones
 * (pointers, floating point, bytes above 127) in hexadecimal; structs by their size. */
RFI_FN void rfi_say_value(rfi_line *l, uint64_t value, size_t size) {
    if (size != 1 && size != 2 && size != 4 && size != 8) {
        rfi_line_add(l, "(%zu bytes)", size);
        return;
    }
    unsigned unused = 64 - 8 * (unsigned)size;
    int64_t number = (int64_t)(value << unused) / (INT64_C(1) << unused); /* sign-extended */
    int64_t least = size == 1 ? 0 : size == 2 ? -1000 : -1000000;
    if (number >= least && number <= UINT32_MAX)
        rfi_line_add(l, "%lld", (long long)number);
    else
        rfi_line_add(l, "0x%llx", (unsigned long long)value);
}

RFI_FN const char *rfi_order_word(unsigned order) {
    static const char *const words[] = {"relaxed", "consume", "acquire",
                                        "release", "acq_rel", "seq_cst"};
    return order < 6 ? words[order] : "?";
}

/* "T1 wrote 1 at ring.c:31": the newest write, which the read did not return. */
RFI_FN void rfi_say_newest(rfi_line *l, const rf_event *e) {
    rfi_line_add(l, "T%u wrote", e->origin->newest_thread);
    if (e->flags & RF_EV_ATOMIC || e->size <= 4) { /* else it is the value of a part */
        rfi_line_add(l, " ");
        rfi_say_value(l, e->origin->newest_value, e->size);
    }
    if (!e->origin->newest_site) return;
    rfi_line_add(l, " at ");
    rfi_say_place(l, e->origin->newest_site);
}

/* What is strange about the value of a read. */
RFI_FN void rfi_say_strange(rfi_line *l, const char *before, const rf_event *e) {
    rfi_line_add(l, "%s%s", before, e->flags & RF_EV_TORN ? "torn" : "stale");
    if (e->flags & RF_EV_TORN || e->origin->newest_thread == RFI_NO_THREAD) return;
    rfi_line_add(l, ": ");
    rfi_say_newest(l, e);
}

/* "x -> 1" reads 1, "x = 1" writes it, "x: 1 -> 2" does both. */
RFI_FN void rfi_say_access(rfi_line *l, const rf_event *e) {
    const char *x = rfi_expression(e->site);
    bool writes = e->flags & RF_EV_WRITES, reads = e->flags & RF_EV_READS;
    if (e->kind == RF_EV_FREE) {
        rfi_line_add(l, "frees %s (%zu bytes)", x, e->size);
    } else if (e->flags & RF_EV_RANGE) {
        rfi_line_add(l, "%s %s (%zu bytes)", writes ? "writes" : "reads", x, e->size);
    } else {
        rfi_line_add(l, "%s%s", x, reads && writes ? ": " : writes ? " = " : " -> ");
        rfi_say_value(l, e->value, e->size);
        if (reads && writes) rfi_line_add(l, " -> "), rfi_say_value(l, e->value2, e->size);
    }
    if (e->flags & RF_EV_HARMLESS) rfi_line_add(l, ", exchange fails");
    bool strange = e->flags & (RF_EV_STALE | RF_EV_TORN);
    const char *kind = e->flags & RF_EV_ATOMIC ? rfi_order_word(e->order)
                       : e->flags & RF_EV_RACY ? "racy"
                                               : "";
    if (!*kind && !strange) return;
    rfi_line_add(l, " (%s", kind);
    if (strange) rfi_say_strange(l, *kind ? ", " : "", e);
    rfi_line_add(l, ")");
}

/* Operations on one synchronisation object. */
RFI_FN void rfi_say_operation(rfi_line *l, const rfi_record *r, const rf_event *e) {
    static const char *const woken[] = {"woken on", "times out on", "spurious wake-up on"};
    const char *word = rfi_event_word(e->kind), *after = "";
    if (e->kind == RF_EV_LOCK && e->flags & RF_EV_TRY) word = "trylock";
    if (e->kind == RF_EV_TRYFAIL && e->flags & RF_EV_TIMED) word = "times out on";
    if (e->kind == RF_EV_WAKE) word = woken[e->value % 3];
    if (e->kind == RF_EV_ARRIVE) word = "arrives at";
    if (e->kind == RF_EV_DEPART) word = "goes on from";
    if (e->flags & RF_EV_SHARED) after = " (shared)";
    if (e->kind == RF_EV_TRYFAIL && !(e->flags & RF_EV_TIMED)) word = "try", after = ": not free";
    rfi_line_add(l, "%s ", word);
    rfi_say_object(l, r, e->object);
    rfi_line_add(l, "%s", after);
}

/* One event in a few words. */
RFI_FN void rfi_say_event(rfi_line *l, const rfi_record *r, const rf_event *e) {
    const char *word = rfi_event_word(e->kind);
    unsigned long long value = e->value;
    switch (e->kind) {
    case RF_EV_LOAD:
    case RF_EV_STORE:
    case RF_EV_RMW: rfi_say_access(l, e); break;
    case RF_EV_FENCE: rfi_line_add(l, "fence (%s)", rfi_order_word(e->order)); break;
    case RF_EV_WAIT:
        rfi_say_operation(l, r, e);
        rfi_line_add(l, ", unlocks ");
        rfi_say_object(l, r, e->other);
        break;
    case RF_EV_NOTIFY: rfi_line_add(l, "wakes T%u", e->other); break;
    case RF_EV_CREATE:
    case RF_EV_JOIN:
    case RF_EV_DETACH: rfi_line_add(l, "%s T%u", word, e->other); break;
    case RF_EV_SLEEP: rfi_line_add(l, "sleep %llu ms", value); break;
    case RF_EV_CHOOSE:
        rfi_line_add(l, "choose %llu of 0..%llu", value, (unsigned long long)e->value2 - 1);
        break;
    case RF_EV_ALLOC:
    case RF_EV_FREE: rfi_line_add(l, "%s block %u (%zu bytes)", word, e->object, e->size); break;
    case RF_EV_ENTER:
    case RF_EV_LEAVE: rfi_line_add(l, "%s %s()", word, e->site ? e->site->function : "?"); break;
    case RF_EV_LOG: rfi_line_add(l, "log: %s", e->text ? e->text : ""); break;
    case RF_EV_BREAK: rfi_line_add(l, "%s %s", word, e->text); break;
    case RF_EV_RECYCLE: rfi_line_add(l, "reuses stack memory (%zu bytes)", e->size); break;
    default:
        if (e->object)
            rfi_say_operation(l, r, e);
        else
            rfi_line_add(l, "%s", word);
    }
}

/* ---- findings ---- */

/* "race: real, harmful" or the words of the failure. */
RFI_FN void rfi_say_verdict(rfi_line *l, const rfi_finding *f) {
    static const char *const verdicts[] = {"potential", "real", "real, destructive",
                                           "real, harmful"};
    static const char *const points[] = {"never hit", "hit", "hit", "hit, harmful"};
    const char *failure = f->failure ? rfi_diagnostic(f->failure->failure.diagnostic)->words : "";
    bool point = f->warning && !rfi_family(f->warning->family)->kind;
    if (f->warning)
        rfi_line_add(l, "%s: %s", rfi_warning_words(f->warning),
                     (point ? points : verdicts)[f->verdict]);
    else
        rfi_line_add(l, "%s", failure);
}

RFI_FN const char *rfi_access_word(unsigned flags) {
    bool writes = flags & RF_EV_WRITES, reads = flags & RF_EV_READS;
    if (flags & RF_EV_FREES) return "frees";
    return writes && reads ? "updates" : writes ? "writes" : "reads";
}

RFI_FN double rfi_root(double x) { /* Newton's method; no libm for one square root */
    double r = x > 1 ? x : 1;
    for (int i = 0; i < 64; i++) r = (r + x / r) / 2;
    return r;
}

/* The 95 % interval of a probability from k hits in n trials (E. B. Wilson, JASA 22, 1927). */
RFI_FN void rfi_wilson(uint64_t k, uint64_t n, double *low, double *high) {
    double trials = (double)n, p = n ? (double)k / trials : 0, z = 1.959963984540054;
    if (n == 0) {
        *low = 0, *high = 1;
        return;
    }
    double scale = 1 + z * z / trials, middle = p + z * z / (2 * trials);
    double half = z * rfi_root(p * (1 - p) / trials + z * z / (4 * trials * trials));
    *low = k == 0 ? 0 : (middle - half) / scale;
    *high = k == n ? 1 : (middle + half) / scale;
}

/* "0.412 (95 %: 0.382-0.443)", the interval of confidence behind the probability */
RFI_FN void rfi_say_probability(rfi_line *l, uint64_t k, uint64_t n) {
    double low, high;
    rfi_wilson(k, n, &low, &high);
    rfi_line_add(l, "%.3f (95 %%: %.3f-%.3f)", n ? (double)k / (double)n : 0, low, high);
}
#endif
#endif

/* ==== edit src/report/cut.h ============================== >>report/cut */
/* report/cut.h: which steps of an execution are worth showing.
 *
 * The two accesses of the race and the steps around them, other accesses to the same memory, a read
 * that returned an older value, log lines and synchronisation of the threads involved, and the last
 * steps.  An execution of a few steps is shown whole.  The order of the events is never changed.
 */
#ifndef RFI_REPORT_CUT_H
#define RFI_REPORT_CUT_H

#ifdef RFI_IMPL
# define RFI_UNCUT 40u /* steps up to which nothing is left out */
# define RFI_NEVER UINT64_MAX

/* ---- the two accesses of a race ---- */

typedef struct rfi_race_lines {
    const rf_event *e[2]; /* NULL: not found */
    uint64_t number[2];   /* of the event in the record; RFI_NEVER: not executed, or not kept */
    uint64_t at;          /* the event before which both stood; RFI_NEVER: not known */
} rfi_race_lines;

RFI_FN uint64_t rfi_first_kept(const rfi_record *r) {
    if (!r->tracing) return r->events;
    return r->events > RFI_RECORD_EVENTS ? r->events - RFI_RECORD_EVENTS : 0;
}

RFI_INLINE const rf_event *rfi_event_at(const rfi_record *r, uint64_t number) {
    return &r->event[number % RFI_RECORD_EVENTS];
}

RFI_FN bool rfi_same_statement(const rf_site *a, const rf_site *b) {
    return a == b || (a && b && a->line == b->line && rfi_site_key(a) == rfi_site_key(b));
}

/* Where the accesses of a hit were executed: each is the next event of its thread. */
RFI_FN rfi_race_lines rfi_race_of_hit(const rfi_record *r, const rfi_hit *hit, bool swapped) {
    rfi_race_lines race = {{NULL, NULL}, {RFI_NEVER, RFI_NEVER}, hit->at};
    for (unsigned k = 0; k < hit->events; k++) {
        race.e[k] = &hit->e[k ^ swapped];
        if (hit->at < rfi_first_kept(r)) continue;
        uint64_t i = hit->at;
        while (i < r->events && rfi_event_at(r, i)->thread != race.e[k]->thread) i++;
        if (i == r->events || !rfi_same_statement(rfi_event_at(r, i)->site, race.e[k]->site))
            continue;
        race.e[k] = rfi_event_at(r, i);
        race.number[k] = i;
    }
    return race;
}

/* 1: the sites of the hit are those of the pair; 2: the other way round; 0: not its sites. */
RFI_FN unsigned rfi_hit_matches(const rfi_hit *h, const rfi_warning *pair) {
    if (!pair || pair->family != RF_FAMILY_RACE) return 1;
    for (unsigned swapped = 0; swapped < 2; swapped++)
        if (rfi_same_statement(h->e[swapped].site, pair->side[0].site) &&
            rfi_same_statement(h->e[1 - swapped].site, pair->side[1].site))
            return 1 + swapped;
    return 0;
}

/* Without a hit (a race that a detector saw): the conflicting accesses that stand closest. */
RFI_FN rfi_race_lines rfi_race_nearest(const rfi_record *r, const rfi_warning *pair) {
    rfi_race_lines race = {{NULL, NULL}, {RFI_NEVER, RFI_NEVER}, RFI_NEVER};
    uint64_t last[2] = {RFI_NEVER, RFI_NEVER}, nearest = RFI_NEVER;
    for (uint64_t i = rfi_first_kept(r); i < r->events; i++) {
        const rf_event *e = rfi_event_at(r, i);
        bool at_side[2];
        for (unsigned k = 0; k < 2; k++) {
            at_side[k] = rfi_same_statement(e->site, pair->side[k].site);
            if (!at_side[k] || last[1 - k] == RFI_NEVER || i - last[1 - k] >= nearest) continue;
            const rf_event *other = rfi_event_at(r, last[1 - k]);
            if (other->thread == e->thread || !rfi_event_conflict(e, other)) continue;
            nearest = i - last[1 - k];
            race.e[k] = e, race.e[1 - k] = other;
            race.number[k] = i, race.number[1 - k] = last[1 - k];
        }
        for (unsigned k = 0; k < 2; k++)
            if (at_side[k]) last[k] = i;
    }
    return race;
}

/* The race of `pair` in an execution, e[k] at the pair's side[k]; any race if `pair` is NULL. */
RFI_FN rfi_race_lines rfi_race_find(const rfi_record *r, const rfi_warning *pair) {
    uint32_t hits = r->hit_count < RFI_HITS ? r->hit_count : RFI_HITS;
    for (uint32_t i = 0; i < hits; i++) {
        unsigned match = rfi_hit_matches(&r->hit[i], pair);
        if (match) return rfi_race_of_hit(r, &r->hit[i], match == 2);
    }
    if (pair && pair->family == RF_FAMILY_RACE) return rfi_race_nearest(r, pair);
    return (rfi_race_lines){{NULL, NULL}, {RFI_NEVER, RFI_NEVER}, RFI_NEVER};
}

/* ---- what memory did ---- */

RFI_INLINE bool rfi_is_strange(const rf_event *e) { return e->flags & (RF_EV_STALE | RF_EV_TORN); }

/* Of the reads that returned an older value or a torn one, the one to be explained: the last of the
 * thread that failed; where that has none, the last one.  RFI_NEVER: there is none. */
RFI_FN uint64_t rfi_strange_read(const rfi_record *r) {
    uint64_t last = RFI_NEVER;
    for (uint64_t i = r->events; i > rfi_first_kept(r); i--) {
        const rf_event *e = rfi_event_at(r, i - 1);
        if (!rfi_is_strange(e)) continue;
        if (e->thread == r->failure.thread) return i - 1;
        if (last == RFI_NEVER) last = i - 1;
    }
    return last;
}

/* The last write to what read `at` reads by this thread and statement; RFI_NEVER: not kept. */
RFI_FN uint64_t rfi_write_before(const rfi_record *r, uint64_t at, uint32_t thread,
                                 const rf_site *site) {
    const rf_event *e = rfi_event_at(r, at);
    for (uint64_t i = at; i > rfi_first_kept(r); i--) {
        const rf_event *w = rfi_event_at(r, i - 1);
        uintptr_t x = (uintptr_t)w->addr, y = (uintptr_t)e->addr;
        if (w->flags & RF_EV_WRITES && w->thread == thread && w->site == site && x < y + e->size &&
            y < x + w->size)
            return i - 1;
    }
    return RFI_NEVER;
}

/* ---- which events are shown ---- */

enum { RFI_KEEP = 1, RFI_STAR = 2 };

typedef struct rfi_cut {
    const rfi_record *r;
    rfi_race_lines race;
    const rfi_warning *warning; /* that is meant; may be NULL */
    bool whole;                 /* nothing is left out */
    uint64_t first, end;        /* the events that the record has kept */
    uint8_t *mark;              /* by event - first: RFI_KEEP, RFI_STAR */
    uint32_t threads; /* in these events; the record counts them only when all went well */
    uint8_t *tally;   /* by thread: how many of its last events are kept */
} rfi_cut;

/* Events that a cut picture can do without and does not count: they tell nothing that a row beside
 * them does not. */
RFI_FN bool rfi_is_step(const rfi_cut *c, const rf_event *e) {
    const uint64_t implied = RF_EV_BIT(RF_EV_START) | RF_EV_BIT(RF_EV_EXIT) |
                             RF_EV_BIT(RF_EV_RECYCLE) | RF_EV_BIT(RF_EV_LEAVE);
    return c->whole || !(implied >> e->kind & 1);
}

RFI_FN bool rfi_is_involved(const rfi_cut *c, const rf_event *e) {
    return (c->race.e[0] && e->thread == c->race.e[0]->thread) ||
           (c->race.e[1] && e->thread == c->race.e[1]->thread) ||
           (c->r->failure.diagnostic && e->thread == c->r->failure.thread);
}

typedef bool rfi_wanted(rfi_cut *c, const rf_event *e);

RFI_FN bool rfi_want_any(rfi_cut *c, const rf_event *e) {
    (void)c, (void)e;
    return true;
}

/* An access to the memory of the race. */
RFI_FN bool rfi_want_memory(rfi_cut *c, const rf_event *e) {
    const rf_event *a = c->race.e[0];
    if (!a || !(e->flags & (RF_EV_READS | RF_EV_WRITES))) return false;
    uintptr_t x = (uintptr_t)a->addr, y = (uintptr_t)e->addr;
    return x < y + e->size && y < x + a->size;
}

RFI_FN bool rfi_want_log(rfi_cut *c, const rf_event *e) {
    return e->kind == RF_EV_LOG && rfi_is_involved(c, e);
}

RFI_FN bool rfi_want_sync(rfi_cut *c, const rf_event *e) {
    return e->object && e->kind != RF_EV_ALLOC && rfi_is_involved(c, e);
}

/* One of the last three steps of its thread: where everybody stands in a deadlock. */
RFI_FN bool rfi_want_last(rfi_cut *c, const rf_event *e) {
    return c->tally[e->thread] < 3 && ++c->tally[e->thread];
}

RFI_FN bool rfi_want_create(rfi_cut *c, const rf_event *e) {
    for (unsigned k = 0; k < 2; k++)
        if (e->kind == RF_EV_CREATE && c->race.e[k] && e->other == c->race.e[k]->thread)
            return true;
    return false;
}

/* Going back from event `from`, keeps up to `most` steps that are wanted. */
RFI_FN void rfi_keep(rfi_cut *c, uint64_t from, unsigned most, rfi_wanted *wanted) {
    for (uint64_t i = from; i > c->first && most; i--) {
        const rf_event *e = rfi_event_at(c->r, i - 1);
        if (!rfi_is_step(c, e) || !wanted(c, e)) continue;
        c->mark[i - 1 - c->first] |= RFI_KEEP;
        most--;
    }
}

/* Keeps a step that would stand alone between kept ones: telling it takes no more room. */
RFI_FN void rfi_keep_single_steps(rfi_cut *c) {
    uint64_t gap = 0, step = 0;
    for (uint64_t i = c->first; i <= c->end; i++) {
        if (i < c->end && !rfi_is_step(c, rfi_event_at(c->r, i))) continue;
        if (i == c->end || c->mark[i - c->first] & RFI_KEEP) {
            if (gap == 1) c->mark[step - c->first] |= RFI_KEEP;
            gap = 0;
        } else {
            gap++, step = i;
        }
    }
}

/* The read that is explained, what it returned and what it hid. */
RFI_FN void rfi_keep_strange(rfi_cut *c) {
    uint64_t at = rfi_strange_read(c->r);
    if (at == RFI_NEVER) return;
    const rf_origin *o = rfi_event_at(c->r, at)->origin;
    uint64_t keep[] = {at, rfi_write_before(c->r, at, o->thread, o->site),
                       rfi_write_before(c->r, at, o->newest_thread, o->newest_site)};
    for (unsigned i = 0; i < 3; i++)
        if (keep[i] != RFI_NEVER) c->mark[keep[i] - c->first] |= RFI_KEEP;
}

/* Is the event what is done at this place? */
RFI_FN bool rfi_at_side(const rfi_record *r, const rf_event *e, const rfi_side *s) {
    rfi_line name = {0};
    if (!rfi_same_statement(e->site, s->site)) return false;
    if (s->thread != RFI_NO_THREAD && s->thread != e->thread) return false;
    if (e->kind == RF_EV_UNLOCK && s->role && !strcmp(s->role, "takes")) return false;
    if (!s->object[0] || !e->object) return true;
    rfi_say_object(&name, r, e->object);
    return !strcmp(name.s, s->object); /* a wait releases its mutex too */
}

/* The steps at the places of a warning that is no race: the last ones before it was produced, or of
 * all; the last place first, since a statement may be two of them. */
RFI_FN void rfi_keep_places(rfi_cut *c) {
    if (!c->warning || c->warning->family == RF_FAMILY_RACE) return;
    uint64_t end = c->r->hit_count && c->r->hit[0].at > c->first ? c->r->hit[0].at : c->end;
    for (unsigned k = c->warning->sides; k--;) {
        const rfi_side *s = &c->warning->side[k];
        uint64_t i = end < c->end ? end : c->end;
        while (i > c->first && (c->mark[i - 1 - c->first] & RFI_STAR ||
                                !rfi_at_side(c->r, rfi_event_at(c->r, i - 1), s)))
            i--;
        if (i > c->first) c->mark[i - 1 - c->first] |= RFI_STAR | RFI_KEEP;
    }
}

RFI_FN void rfi_choose_steps(rfi_cut *c) {
    const rfi_record *r = c->r;
    uint64_t steps = 0, middle = c->end;
    for (uint64_t i = c->first; i < c->end; i++) steps += rfi_is_step(c, rfi_event_at(r, i));
    for (unsigned k = 0; k < 2; k++) {
        uint64_t n = c->race.number[k];
        if (n == RFI_NEVER) continue;
        c->mark[n - c->first] |= RFI_STAR | RFI_KEEP;
        if (n < middle) middle = n;
    }
    rfi_keep_places(c);
    if (c->whole || steps <= RFI_UNCUT) {
        rfi_keep(c, c->end, UINT_MAX, rfi_want_any);
        return;
    }
    for (unsigned k = 0; k < 2; k++) {
        uint64_t n = c->race.number[k];
        if (n != RFI_NEVER) rfi_keep(c, n + 4 < c->end ? n + 4 : c->end, 8, rfi_want_any);
    }
    rfi_keep(c, c->end, !c->race.e[0] ? 20 : r->failure.diagnostic ? 8 : 0, rfi_want_any);
    rfi_keep(c, c->end, 10, rfi_want_memory);
    rfi_keep_strange(c);
    rfi_keep(c, c->end, 6, rfi_want_log);
    rfi_keep(c, middle, 6, rfi_want_sync);
    rfi_keep(c, c->end, 2, rfi_want_create);
    if (rfi_diagnostic(r->failure.diagnostic)->kind & (RF_EXPECT_DEADLOCK | RF_EXPECT_LIVELOCK))
        rfi_keep(c, c->end, RFI_UNCUT, rfi_want_last);
    rfi_keep_single_steps(c);
}

/* Which steps of an execution to show; `pair`: the race that is meant, NULL: its first one. */
RFI_FN rfi_cut rfi_cut_make(const rfi_record *r, const rfi_warning *pair, bool whole) {
    rfi_cut c = {.r = r, .whole = whole, .first = rfi_first_kept(r), .end = r->events};
    c.warning = pair;
    c.race = rfi_race_find(r, pair);
    if (r->failure.diagnostic && r->failure.thread != RFI_NO_THREAD)
        c.threads = r->failure.thread + 1;
    for (uint64_t i = c.first; i < c.end; i++)
        if (rfi_event_at(r, i)->thread >= c.threads) c.threads = rfi_event_at(r, i)->thread + 1;
    c.mark = calloc((size_t)(c.end - c.first) + 1, 1);
    c.tally = calloc((size_t)c.threads + 1, 1);
    if (!c.mark || !c.tally) rfi_die("out of memory (interleaving of %u threads)", c.threads);
    rfi_choose_steps(&c);
    return c;
}

RFI_FN void rfi_cut_free(rfi_cut *c) {
    free(c->mark);
    free(c->tally);
}
#endif
#endif

/* ==== edit src/report/help.h ============================= >>report/help */
/* report/help.h: the list of options, as text for --help, as a table for the manual, as a list for
 * the man page.
 *
 * All of it is made from RFI_OPTIONS (campaign/options.h) and the names that are registered.
 */
#ifndef RFI_REPORT_HELP_H
#define RFI_REPORT_HELP_H

#ifdef RFI_IMPL
# define RFI_HELP_INDENT 24u

/* The names that an option takes, each with its line. */
RFI_FN void rfi_help_names(const rfi_term *t, const rfi_name *list) {
    unsigned longest = 0;
    for (const rfi_name *n = list; n->name; n++)
        if (longest < strlen(n->name)) longest = (unsigned)strlen(n->name);
    unsigned at = RFI_HELP_INDENT + 2, text = at + longest + 2;
    for (const rfi_name *n = list; n->name; n++) {
        rfi_line l = {0};
        rfi_line_add(&l, "%s", n->help ? n->help : "");
        fprintf(t->out, "%*s%-*s", (int)at, "", (int)longest, n->name);
        rfi_wrapped(t, RFI_PLAIN, at + longest, text, text, l.s);
    }
}

RFI_FN void rfi_help_option(const rfi_term *t, const rfi_option *o, const rfi_name *list) {
    rfi_line head = {0}, text = {0};
    rfi_line_add(&head, "  %s%s%s", o->option, o->metavar ? " " : "", o->metavar ? o->metavar : "");
    rfi_line_add(&text, "%s", o->help);
    if (o->preset) rfi_line_add(&text, " (default: %s)", o->preset);
    rfi_styled(t, RFI_BOLD, "%s", head.s);
    rfi_wrapped(t, RFI_PLAIN, head.bytes, RFI_HELP_INDENT, RFI_HELP_INDENT, text.s);
    if (list) rfi_help_names(t, list);
}

/* What --help prints. */
RFI_FN void rfi_print_help(FILE *out, const char *program, const rfi_names *names) {
    rfi_term t = rfi_term_of(out);
    fprintf(out, "usage: %s [option ...] [pattern ...]\n\n", program);
    rfi_wrapped(&t, RFI_PLAIN, 0, 0, 0,
                "Runs the tests of this program under the schedules that racefuzz chooses, and "
                "reports the races and failures that it produced, each with a token that replays "
                "it. An option --x has the variable RF_X (--fail-on: RF_FAIL_ON); the option "
                "wins.");
    fputc('\n', out);
    for (const rfi_option *o = rfi_option_table; o < rfi_option_table + RFI_OPTION_COUNT; o++)
        if (o->help) rfi_help_option(&t, o, rfi_option_names(o, names));
    fputc('\n', out);
    rfi_wrapped(&t, RFI_PLAIN, 0, 0, 0,
                "A variable of an option without a value takes 1, yes or true, or 0, no or false. "
                "NO_COLOR, CLICOLOR_FORCE, TERM and COLUMNS are honoured.");
    rfi_wrapped(&t, RFI_PLAIN, 0, 0, 0,
                "Exit status: 0 all as expected, 1 failures, 2 usage, 77 everything was skipped.");
}

/* ---- for documents ---- */

/* How a document language protects text, and how it marks what is typed. */
typedef struct rfi_markup {
    const char *in_text, *in_code; /* characters that need a backslash in front */
    const char *code[2];           /* around what is typed */
} rfi_markup;

static const rfi_markup rfi_markdown RFI_UNUSED = {"|*_<>`[]\\", "|", {"`", "`"}};
static const rfi_markup rfi_roff RFI_UNUSED = {"-", "-", {"\\fB", "\\fR"}};

RFI_FN void rfi_markup_protect(FILE *out, const char *special, const char *s) {
    for (; *s; s++) fprintf(out, "%s%c", strchr(special, *s) ? "\\" : "", *s);
}

RFI_FN void rfi_markup_text(FILE *out, const rfi_markup *m, const char *s) {
    rfi_markup_protect(out, m->in_text, s);
}

/* What is typed: options, variables and names. */
RFI_FN void rfi_markup_code(FILE *out, const rfi_markup *m, const char *s) {
    fputs(m->code[0], out);
    rfi_markup_protect(out, m->in_code, s);
    fputs(m->code[1], out);
}

RFI_FN void rfi_markup_names(FILE *out, const rfi_markup *m, const rfi_name *list) {
    for (const rfi_name *n = list; n && n->name; n++) {
        fputs(n == list ? ": " : ", ", out);
        rfi_markup_code(out, m, n->name);
        if (!n->help) continue;
        fputs(" (", out);
        rfi_markup_text(out, m, n->help);
        fputc(')', out);
    }
}

RFI_FN void rfi_print_markdown_row(FILE *out, const rfi_option *o, const rfi_name *list) {
    const rfi_markup *m = &rfi_markdown;
    fprintf(out, "| `%s` | `%s%s%s` | ", o->variable, o->option, o->metavar ? "=" : "",
            o->metavar ? o->metavar : "");
    rfi_markup_text(out, m, o->help);
    rfi_markup_names(out, m, list);
    fputs(" | ", out);
    rfi_markup_text(out, m, o->preset ? o->preset : "off");
    fputs(" |\n", out);
}

RFI_FN void rfi_print_roff_item(FILE *out, const rfi_option *o, const rfi_name *list) {
    const rfi_markup *m = &rfi_roff;
    fputs(".TP\n", out);
    rfi_markup_code(out, m, o->option);
    if (o->metavar) fprintf(out, "=\\fI%s\\fR", o->metavar);
    fprintf(out, ", \\fB%s\\fR\n", o->variable);
    rfi_markup_text(out, m, o->help);
    rfi_markup_names(out, m, list);
    if (o->preset) {
        fputs(" (default: ", out);
        rfi_markup_text(out, m, o->preset);
        fputc(')', out);
    }
    fputc('\n', out);
}

typedef enum rfi_table_form { RFI_TABLE_MARKDOWN, RFI_TABLE_ROFF } rfi_table_form;

/* What --help-markdown and --help-roff print: the table of the manual, the list of the man page. */
RFI_FN void rfi_print_option_table(FILE *out, rfi_table_form form, const rfi_names *names) {
    if (form == RFI_TABLE_MARKDOWN)
        fputs("| variable | option | meaning | default |\n|---|---|---|---|\n", out);
    for (const rfi_option *o = rfi_option_table; o < rfi_option_table + RFI_OPTION_COUNT; o++) {
        if (!o->help) continue;
        (form == RFI_TABLE_MARKDOWN ? rfi_print_markdown_row
                                    : rfi_print_roff_item)(out, o, rfi_option_names(o, names));
    }
}
#endif
#endif

/* ==== edit src/report/interleaving.h ===================== >>report/interleaving */
/* report/interleaving.h: the picture of one execution, a column per thread, time going down.
 *
 * A row is one event: file:line at the left margin, the rest in the column of its thread.  A thread
 * has a line | from its first row to its last; where another thread goes on, an arrow leads from
 * the column of the one to the column of the other.  A text may run over columns to its right,
 * which are empty in its row, so that many columns fit.  Where they do not, the same rows are
 * printed as a list with the thread in front.
 *
 * Every step that the cut leaves out is counted in a row "... 24 steps of T1 ...".
 */
#ifndef RFI_REPORT_INTERLEAVING_H
#define RFI_REPORT_INTERLEAVING_H

#ifdef RFI_IMPL
# define RFI_LANES       16u
# define RFI_STRIDE      10u /* least distance of two columns: room for an arrow */
# define RFI_LAST_COLUMN 24u /* least width of the last one, which has none to run over */

typedef struct rfi_lane {
    uint32_t thread;
    uint64_t first, last; /* rows */
} rfi_lane;

typedef struct rfi_picture {
    rfi_term term;
    rfi_cut cut;
    rfi_lane lane[RFI_LANES];
    unsigned lanes; /* threads with rows; RFI_LANES + 1: more than fit */
    bool list;
    unsigned count_columns, place_columns; /* of the event's number and of file:line */
    unsigned base, stride, widest;         /* first column, distance of columns, longest text */
    uint32_t thread; /* of the row before; RFI_NO_THREAD: nothing leads on from there */
} rfi_picture;

/* ---- where they stand ---- */

/* The lane of a thread; RFI_LANES if it has none. */
RFI_FN unsigned rfi_lane_of(const rfi_picture *p, uint32_t thread) {
    unsigned i = 0, n = p->lanes < RFI_LANES ? p->lanes : RFI_LANES;
    while (i < n && p->lane[i].thread != thread) i++;
    return i < n ? i : RFI_LANES;
}

/* A row comes to stand: its thread gets a lane, in the order of thread numbers. */
RFI_FN void rfi_row_measure(rfi_picture *p, uint64_t number, uint32_t thread, const rf_site *site,
                            const char *text) {
    rfi_line place = {0};
    rfi_say_place(&place, site);
    unsigned columns = rfi_columns(place.s), width = rfi_columns(text), i = rfi_lane_of(p, thread);
    if (columns > p->place_columns) p->place_columns = columns;
    if (width > p->widest) p->widest = width;
    if (i < RFI_LANES) {
        p->lane[i].last = number;
    } else if (p->lanes >= RFI_LANES) {
        p->lanes = RFI_LANES + 1;
    } else {
        for (i = p->lanes++; i > 0 && p->lane[i - 1].thread > thread; i--)
            p->lane[i] = p->lane[i - 1];
        p->lane[i] = (rfi_lane){thread, number, number};
    }
}

/* The failure's own row, after all events, in the column of the thread that failed. */
RFI_FN bool rfi_has_failure_row(const rfi_picture *p) {
    return p->cut.r->failure.diagnostic != RF_DIAG_NONE &&
           p->cut.r->failure.thread != RFI_NO_THREAD;
}

RFI_FN const char *rfi_failure_words(const rfi_picture *p) {
    return rfi_diagnostic(p->cut.r->failure.diagnostic)->words;
}

RFI_FN void rfi_layout(rfi_picture *p) {
    for (uint64_t i = p->cut.first; i < p->cut.end; i++) {
        if (!(p->cut.mark[i - p->cut.first] & RFI_KEEP)) continue;
        const rf_event *e = rfi_event_at(p->cut.r, i);
        rfi_line text = {0};
        rfi_say_event(&text, p->cut.r, e);
        rfi_row_measure(p, i, e->thread, e->site, text.s);
    }
    if (rfi_has_failure_row(p))
        rfi_row_measure(p, p->cut.end, p->cut.r->failure.thread, p->cut.r->failure.site,
                        rfi_failure_words(p));
    for (unsigned i = 0; i < p->lanes && i < RFI_LANES; i++) {
        rfi_line label = {0};
        rfi_say_thread(&label, p->cut.r, p->lane[i].thread);
        unsigned columns = rfi_columns(label.s);
        if (columns > p->widest) p->widest = columns;
    }
    unsigned width = p->term.width, most = width / 3 < 24 ? width / 3 : 24;
    if (p->place_columns > most) p->place_columns = most;
    p->base = 4 + p->count_columns + p->place_columns + 2;
    if (p->lanes <= 1) return;
    unsigned room = width - p->base, gaps = p->lanes - 1;
    p->stride = room / p->lanes;
    if (p->stride < RFI_LAST_COLUMN)
        p->stride = room < RFI_LAST_COLUMN ? 0 : (room - RFI_LAST_COLUMN) / gaps;
    if (p->stride > p->widest + 5) p->stride = p->widest + 5;
    p->list = p->lanes > RFI_LANES || p->stride < RFI_STRIDE;
    if (!p->list) return;
    p->stride = 0;
    for (uint32_t t = p->cut.threads; t > 9; t /= 10)
        p->base++; /* the thread in front: "T1", "T12" */
    p->base += 3;
}

/* ---- drawing ---- */

/* The lines of all threads at a row, and the arrow that leads to lane `to` if another thread ran
 * before; `end` is the column after the row's text.  Returns the number of characters. */
RFI_FN unsigned rfi_draw_lanes(const rfi_picture *p, uint64_t number, unsigned to, unsigned end,
                               bool arrow, char *row) {
    unsigned from = arrow ? rfi_lane_of(p, p->thread) : RFI_LANES, width = p->term.width - p->base;
    unsigned a = from * p->stride, b = to * p->stride;
    memset(row, ' ', width);
    for (unsigned i = 0; i < p->lanes; i++)
        if (p->lane[i].first <= number && number <= p->lane[i].last) row[i * p->stride] = '|';
    if (from < to && to < RFI_LANES) {
        row[a] = '+';
        memset(row + a + 1, '-', b - a - 3);
        memcpy(row + b - 2, "> ", 2);
    } else if (from < RFI_LANES && from > to && end + 4 <= a) {
        memcpy(row + end, " <", 2);
        memset(row + end + 2, '-', a - end - 2);
        row[a] = '+';
    }
    if (end < width) row[end] = ' ';
    while (width && row[width - 1] == ' ') width--;
    return width;
}

/* Left of the text: mark, number of the event, place; in a list the thread. */
RFI_FN void rfi_row_margin(const rfi_picture *p, rfi_style style, char mark, uint64_t number,
                           uint32_t thread, const rf_site *site) {
    FILE *out = p->term.out;
    rfi_line place = {0}, label = {0};
    rfi_say_place(&place, site);
    const char *s = place.s; /* a long file name loses its beginning */
    unsigned used, columns = rfi_columns(s);
    for (; columns > p->place_columns; columns -= used) s += rfi_char(s, &used);
    fputs("  ", out);
    if (p->list) {
        if (thread == p->thread)
            rfi_line_add(&label, "|");
        else
            rfi_line_add(&label, "T%u", thread);
        rfi_styled(&p->term, style, "%-*s",
                   (int)(p->base - p->place_columns - p->count_columns - 6), label.s);
    }
    rfi_styled(&p->term, style, "%c ", mark);
    if (p->count_columns) fprintf(out, "%*.0f  ", (int)p->count_columns - 2, (double)number);
    rfi_styled(&p->term, style, "%s", s);
    fprintf(out, "%*s", (int)(p->place_columns - columns) + 2, "");
}

RFI_FN void rfi_row(rfi_picture *p, char mark, uint64_t number, uint32_t thread,
                    const rf_site *site, const char *text) {
    FILE *out = p->term.out;
    rfi_style style = mark == '*' ? RFI_WARN : mark == '!' ? RFI_BAD : RFI_PLAIN;
    unsigned lane = p->list ? 0 : rfi_lane_of(p, thread), room = p->term.width - p->base, hang = 0;
    bool arrow = !p->list && p->thread != thread;
    rfi_row_margin(p, style, mark, number, thread, site);
    do {
        unsigned at = lane * p->stride + hang, used;
        size_t n = rfi_line_fit(text, room - at, &used);
        if (hang) fprintf(out, "%*s", (int)p->base, "");
        if (p->list) {
            fprintf(out, "%*s", (int)hang, "");
            rfi_styled(&p->term, style, "%.*s", (int)n, text);
        } else {
            char row[RFI_WIDTH_MOST];
            unsigned width = rfi_draw_lanes(p, number, lane, at + used, arrow, row);
            if (at > hang) rfi_styled(&p->term, RFI_DIM, "%.*s", (int)(at - hang), row);
            fprintf(out, "%*s", (int)hang, "");
            rfi_styled(&p->term, style, "%.*s", (int)n, text);
            if (width > at + used)
                rfi_styled(&p->term, RFI_DIM, "%.*s", (int)(width - at - used), row + at + used);
        }
        fputc('\n', out);
        text += n;
        while (*text == ' ') text++;
        arrow = false;
        hang = 2;
    } while (*text);
    p->thread = thread;
}

/* A remark between the rows. */
RFI_FN void rfi_between(rfi_picture *p, rfi_style style, const char *text) {
    unsigned indent = p->list ? p->base - p->place_columns - 2 : p->base;
    rfi_wrapped(&p->term, style, 0, indent, indent, text);
    p->thread = RFI_NO_THREAD;
}

/* The steps among events first..end-1, which are left out. */
RFI_FN void rfi_fold(rfi_picture *p, uint64_t first, uint64_t end) {
    uint32_t thread[4];
    unsigned threads = 0;
    uint64_t steps = 0;
    for (uint64_t i = first; i < end; i++) {
        const rf_event *e = rfi_event_at(p->cut.r, i);
        if (!rfi_is_step(&p->cut, e)) continue;
        steps++;
        unsigned k = 0;
        while (k < threads && thread[k] != e->thread) k++;
        if (k == threads && threads < 4) thread[threads++] = e->thread;
    }
    if (!steps) return;
    rfi_line l = {0};
    rfi_line_add(&l, "... %llu step%s of ", (unsigned long long)steps, steps == 1 ? "" : "s");
    if (threads == 4) rfi_line_add(&l, "many threads");
    for (unsigned k = 0; k < threads && threads < 4; k++)
        rfi_line_add(&l, "%sT%u", k == 0 ? "" : k + 1 < threads ? ", " : " and ", thread[k]);
    rfi_line_add(&l, " ...");
    rfi_between(p, RFI_DIM, l.s);
}

/* The columns' heads: on one line, or as stairs when they are longer than the columns are wide; for
 * a list the names of the threads. */
RFI_FN void rfi_heads(rfi_picture *p) {
    rfi_line l[RFI_LANES], names = {0};
    unsigned n = p->lanes < RFI_LANES ? p->lanes : RFI_LANES;
    bool stairs = false;
    for (unsigned i = 0; i < n; i++) {
        l[i].bytes = 0;
        rfi_say_thread(&l[i], p->cut.r, p->lane[i].thread);
        rfi_line_add(&names, "%s%s", i ? ", " : "", l[i].s);
        if (i + 1 < n) stairs |= rfi_columns(l[i].s) >= p->stride;
    }
    if (p->lanes > RFI_LANES) rfi_line_add(&names, ", ...");
    if (p->list) {
        rfi_wrapped(&p->term, RFI_BOLD, 0, 2, 4, names.s);
        return;
    }
    fprintf(p->term.out, "%*s", (int)p->base, "");
    for (unsigned i = 0; i < n; i++) {
        unsigned used; /* only the last one, or one of the stairs, can be longer than its room */
        size_t bytes = rfi_line_fit(l[i].s, p->term.width - p->base - i * p->stride, &used);
        rfi_styled(&p->term, RFI_BOLD, "%.*s", (int)bytes, l[i].s);
        if (i + 1 == n) break;
        if (!stairs) {
            fprintf(p->term.out, "%*s", (int)(p->stride - used), "");
            continue;
        }
        fprintf(p->term.out, "\n%*s", (int)p->base, "");
        for (unsigned k = 0; k <= i; k++)
            rfi_styled(&p->term, RFI_DIM, "%-*s", (int)p->stride, "|");
    }
    fputc('\n', p->term.out);
}

/* What was produced at this point. */
RFI_FN void rfi_say_meeting(rfi_line *l, const rfi_cut *c) {
    const rfi_race_lines *race = &c->race;
    bool races = race->e[1] && rf_events_conflict(race->e[0], race->e[1]);
    if (c->warning ? c->warning->family == RF_FAMILY_RACE : races)
        rfi_line_add(l, "-- the race: T%u and T%u both stand at their access --",
                     race->e[0]->thread, race->e[1]->thread);
    else if (race->e[1] && race->e[0]->kind == RF_EV_BREAK && race->e[1]->kind == RF_EV_BREAK)
        rfi_line_add(l, "-- the breakpoint: T%u and T%u both stand there --", race->e[0]->thread,
                     race->e[1]->thread);
    else
        rfi_line_add(l, "-- %s%s --",
                     c->warning && c->warning->family != RF_FAMILY_OTHER ? "the " : "",
                     c->warning ? rfi_warning_words(c->warning) : "produced here");
}

RFI_FN void rfi_rows(rfi_picture *p) {
    const rfi_record *r = p->cut.r;
    uint64_t told = p->cut.first; /* events before it are rows or in a fold */
    for (uint64_t i = p->cut.first; i <= p->cut.end; i++) {
        uint8_t mark = i < p->cut.end ? p->cut.mark[i - p->cut.first] : 0;
        if (!(mark & RFI_KEEP) && i != p->cut.race.at && i < p->cut.end) continue;
        rfi_fold(p, told, i);
        told = i;
        if (i == p->cut.race.at) {
            rfi_line l = {0};
            rfi_say_meeting(&l, &p->cut);
            rfi_between(p, RFI_WARN, l.s);
        }
        if (!(mark & RFI_KEEP)) continue;
        const rf_event *e = rfi_event_at(r, i);
        rfi_line text = {0};
        rfi_say_event(&text, r, e);
        rfi_row(p, mark & RFI_STAR ? '*' : ' ', i, e->thread, e->site, text.s);
        told = i + 1;
    }
    if (rfi_has_failure_row(p))
        rfi_row(p, '!', p->cut.end, r->failure.thread, r->failure.site, rfi_failure_words(p));
}

RFI_FN void rfi_title(const rfi_picture *p) {
    rfi_line l = {0};
    const rfi_warning *w = p->cut.warning;
    const char *starred = !w || w->family == RF_FAMILY_RACE ? "racing access"
                          : w->sides                        ? "named above"
                                                            : rfi_family(w->family)->words;
    bool star = false;
    for (uint64_t i = p->cut.first; i < p->cut.end; i++)
        star |= p->cut.mark[i - p->cut.first] & RFI_STAR;
    rfi_line_add(&l, "%s (time goes down", p->cut.whole ? "all steps" : "how it came about");
    if (star) rfi_line_add(&l, ", * %s", starred);
    rfi_line_add(&l, "%s):", rfi_has_failure_row(p) ? ", ! failure" : "");
    rfi_wrapped(&p->term, RFI_BOLD, 0, 2, 2, l.s);
}

/* Draws the execution; `pair` says which race is meant, NULL: the first one of the execution. */
RFI_FN void rfi_picture_draw(const rfi_term *t, const rfi_record *r, const rfi_warning *pair,
                             bool whole) {
    rfi_picture p = {.term = *t, .cut = rfi_cut_make(r, pair, whole), .thread = RFI_NO_THREAD};
    uint64_t first = p.cut.first, end = p.cut.end;
    if (whole) {
        p.count_columns = 3;
        for (uint64_t n = end; n > 9; n /= 10) p.count_columns++;
    }
    rfi_layout(&p);
    rfi_title(&p);
    if (p.lanes) rfi_heads(&p);
    if (first == end) rfi_wrapped(t, RFI_DIM, 0, 4, 4, "no step was recorded");
    if (first && first < end) {
        rfi_line l = {0};
        rfi_line_add(&l, "... %llu earlier steps were not kept ...", (unsigned long long)first);
        rfi_between(&p, RFI_DIM, l.s);
    }
    rfi_rows(&p);
    rfi_cut_free(&p.cut);
}

/* Prints the execution in a record: the whole of it, or what matters around its race or failure. */
RFI_FN void rfi_print_interleaving(FILE *out, const rfi_record *r, bool whole) {
    rfi_term t = rfi_term_of(out);
    rfi_picture_draw(&t, r, NULL, whole);
}
#endif
#endif

/* ==== edit src/report/progress.h ========================= >>report/progress */
/* report/progress.h: one rewritten line on a terminal, nothing elsewhere.
 *
 * It goes to stderr, so that it never mixes with a report on stdout.  The caller decides how often;
 * reporters clear it before they print.
 */
#ifndef RFI_REPORT_PROGRESS_H
#define RFI_REPORT_PROGRESS_H

#ifdef RFI_IMPL
static bool rfi_progress_shown RFI_UNUSED;

RFI_FN void rfi_progress_line(rfi_line *l, const char *test, const char *phase, uint64_t done,
                              uint64_t total, uint32_t findings) {
    rfi_line_add(l, "%s: %s, %llu of %llu executions", test, phase, (unsigned long long)done,
                 (unsigned long long)total);
    if (findings) rfi_line_add(l, ", %u finding%s", findings, findings == 1 ? "" : "s");
}

RFI_FN void rfi_progress_show(const char *test, const char *phase, uint64_t done, uint64_t total,
                              uint32_t findings) {
    if (!rfi_is_terminal(stderr)) return;
    rfi_line l = {0};
    rfi_progress_line(&l, test, phase, done, total, findings);
    unsigned used,
        room = rfi_width(stderr) - 1; /* a full line would wrap and could not be rewritten */
    fprintf(stderr, "\r%.*s\033[K", (int)rfi_line_fit(l.s, room, &used), l.s);
    fflush(stderr);
    rfi_progress_shown = true;
}

RFI_FN void rfi_progress_clear(void) {
    if (!rfi_progress_shown) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    rfi_progress_shown = false;
}
#endif
#endif

/* ==== edit src/report/stale.h ============================ >>report/stale */
/* report/stale.h: why a read returned what it did, and what would have forbidden it.
 *
 * One read of an execution is explained (cut.h says which).  The advice looks for the message
 * that told the reader that the newer write had happened: an atomic store by the writer, after the
 * write, that the reader has read.  If there is one, its orders are too weak.
 */
#ifndef RFI_REPORT_STALE_H
#define RFI_REPORT_STALE_H

#ifdef RFI_IMPL
RFI_FN uint64_t rfi_hidden_write(const rfi_record *r, uint64_t at) {
    const rf_origin *o = rfi_event_at(r, at)->origin;
    return rfi_write_before(r, at, o->newest_thread, o->newest_site);
}

/* Is the write that was returned ordered before the newest one, as far as can be seen?  By one
 * thread, or before it created the other one, or before everything. */
RFI_FN bool rfi_writes_ordered(const rfi_record *r, uint64_t at) {
    const rf_origin *o = rfi_event_at(r, at)->origin;
    if (o->thread == RFI_NO_THREAD || o->thread == o->newest_thread) return true;
    uint64_t i = rfi_write_before(r, at, o->thread, o->site);
    for (; i != RFI_NEVER && i < at; i++) {
        const rf_event *e = rfi_event_at(r, i);
        if (e->kind == RF_EV_CREATE && e->thread == o->thread && e->other == o->newest_thread)
            return true;
    }
    return false;
}

/* A message between two threads: an atomic store and the load that read it. */
typedef struct rfi_handover {
    const rf_event *sent, *read; /* NULL: there is none */
} rfi_handover;

RFI_FN uint64_t rfi_written(const rf_event *e) {
    return e->flags & RF_EV_READS ? e->value2 : e->value;
}

/* The last atomic store between events `from` and `to` by `writer` that `load` may have read. */
RFI_FN const rf_event *rfi_handover_sent(const rfi_record *r, uint64_t from, uint64_t to,
                                         uint32_t writer, const rf_event *load) {
    for (uint64_t i = to; i > from; i--) {
        const rf_event *e = rfi_event_at(r, i - 1);
        if (e->addr != load->addr || !(e->flags & RF_EV_WRITES)) continue;
        bool theirs = e->thread == writer && e->flags & RF_EV_ATOMIC;
        if (theirs && rfi_written(e) == load->value) return e;
    }
    return NULL;
}

/* What told the thread of read `at` that write `write` had happened. */
RFI_FN rfi_handover rfi_handover_find(const rfi_record *r, uint64_t write, uint64_t at) {
    const rf_event *reader = rfi_event_at(r, at), *writer = rfi_event_at(r, write);
    for (uint64_t i = at; i > write + 1; i--) {
        const rf_event *e = rfi_event_at(r, i - 1);
        const unsigned load = RF_EV_READS | RF_EV_ATOMIC;
        if (e->thread != reader->thread || (e->flags & load) != load || rfi_is_strange(e)) continue;
        const rf_event *sent = rfi_handover_sent(r, write + 1, i - 1, writer->thread, e);
        if (sent) return (rfi_handover){sent, e};
    }
    return (rfi_handover){NULL, NULL};
}

RFI_FN bool rfi_order_releases(unsigned order) {
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

RFI_FN bool rfi_order_acquires(unsigned order) {
    return order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME || order == __ATOMIC_ACQ_REL ||
           order == __ATOMIC_SEQ_CST;
}

/* "release on the store of ready at a.c:7 and acquire on its load at a.c:12" */
RFI_FN bool rfi_say_handover(rfi_line *l, const rfi_handover *m) {
    bool release = m->sent && !rfi_order_releases(m->sent->order);
    bool acquire = m->read && !rfi_order_acquires(m->read->order);
    if (!release && !acquire) return false;
    if (release) {
        rfi_line_add(l, "release on the store of %s at ", rfi_expression(m->sent->site));
        rfi_say_place(l, m->sent->site);
    }
    if (acquire) {
        rfi_line_add(l, "%sacquire on the load of %s at ", release ? " and " : "",
                     rfi_expression(m->read->site));
        rfi_say_place(l, m->read->site);
    }
    return true;
}

/* "T1's write at ring.c:31" */
RFI_FN void rfi_say_write(rfi_line *l, uint32_t thread, const rf_site *site) {
    if (thread == RFI_NO_THREAD) {
        rfi_line_add(l, "the value that was there at first");
        return;
    }
    rfi_line_add(l, "T%u's write at ", thread);
    rfi_say_place(l, site);
}

RFI_FN void rfi_say_what_it_read(rfi_line *l, const rf_event *e) {
    const rf_origin *o = e->origin;
    rfi_line_add(l, "T%u's read of %s at ", e->thread, rfi_expression(e->site));
    rfi_say_place(l, e->site);
    if (e->flags & RF_EV_TORN) {
        rfi_line_add(l, " was torn: one part is from ");
        rfi_say_write(l, o->thread, o->site);
        rfi_line_add(l, ", another one from ");
        rfi_say_write(l, o->other_thread, o->other_site);
        rfi_line_add(l, ".");
        return;
    }
    rfi_line_add(l, " returned ");
    rfi_say_value(l, e->value, e->size);
    rfi_line_add(l, ", ");
    if (o->thread != RFI_NO_THREAD) rfi_line_add(l, "from ");
    rfi_say_write(l, o->thread, o->site);
    if (!o->hidden) {
        rfi_line_add(l, ".");
        return;
    }
    rfi_line_add(l, ", and hid ");
    if (o->hidden == 1)
        rfi_line_add(l, "a newer write: ");
    else
        rfi_line_add(l, "%u newer writes, of which the newest is: ", o->hidden);
    rfi_say_newest(l, e);
    rfi_line_add(l, ".");
}

/* For a race the order that is missing is the fault; an atomic read may do without one. */
RFI_FN void rfi_say_why_allowed(rfi_line *l, const rfi_record *r, uint64_t at) {
    const rf_event *e = rfi_event_at(r, at);
    const rf_origin *o = e->origin;
    if (e->flags & RF_EV_TORN) {
        rfi_line_add(l, "It is allowed since C promises of plain data of more than one word nothing"
                        " when accesses race, and the machine or the compiler may copy it in"
                        " parts.");
        return;
    }
    if (o->newest_thread == e->thread || o->newest_thread == RFI_NO_THREAD) {
        rfi_line_add(l, "It is allowed since nothing orders the write that was returned and the"
                        " newer one: either may be the last.");
        return;
    }
    rfi_line_add(l, "It is allowed since no release/acquire, lock or join orders ");
    rfi_say_write(l, o->newest_thread, o->newest_site);
    rfi_line_add(l, "%s before this read.",
                 rfi_writes_ordered(r, at) ? "" : " both after the one that was returned and");
}

/* Store buffering: the reader has stored to an atomic before its read, and the writer has loaded
 * that one after its write.  The reader's store; NULL: it is not that. */
RFI_FN const rf_event *rfi_buffered_store(const rfi_record *r, uint64_t write, uint64_t at) {
    const rf_event *reader = rfi_event_at(r, at), *writer = rfi_event_at(r, write);
    for (uint64_t i = write + 1; i < r->events; i++) {
        const rf_event *load = rfi_event_at(r, i);
        const unsigned atomic_read = RF_EV_READS | RF_EV_ATOMIC;
        if (load->thread != writer->thread || (load->flags & atomic_read) != atomic_read) continue;
        for (uint64_t k = at; k > rfi_first_kept(r); k--) {
            const rf_event *e = rfi_event_at(r, k - 1);
            if (e->thread == reader->thread && e->flags & RF_EV_ATOMIC && e->flags & RF_EV_WRITES &&
                e->addr == load->addr && e->addr != reader->addr)
                return e;
        }
    }
    return NULL;
}

/* Atomic accesses, at least one of which is not seq_cst. */
RFI_FN void rfi_say_seq_cst(rfi_line *l, const rfi_record *r, uint64_t write, uint64_t at) {
    const rf_event *e = rfi_event_at(r, at);
    const rf_event *own = write != RFI_NEVER ? rfi_buffered_store(r, write, at) : NULL;
    const char *x = rfi_expression(e->site);
    if (own)
        rfi_line_add(l, "seq_cst on all stores and loads of %s and %s", rfi_expression(own->site),
                     x);
    else
        rfi_line_add(l, "seq_cst on all stores and loads of %s", x);
}

RFI_FN void rfi_say_remedy(rfi_line *l, const rfi_record *r, uint64_t at) {
    const rf_event *e = rfi_event_at(r, at);
    const char *x = rfi_expression(e->site);
    bool plain = !(e->flags & RF_EV_ATOMIC), torn = e->flags & RF_EV_TORN;
    bool ordered = !torn && rfi_writes_ordered(r, at);
    uint64_t write = ordered ? rfi_hidden_write(r, at) : RFI_NEVER;
    rfi_handover m = {NULL, NULL};
    if (write != RFI_NEVER && rfi_event_at(r, write)->thread != e->thread)
        m = rfi_handover_find(r, write, at);
    if (rfi_say_handover(l, &m)) return;
    if (torn)
        rfi_line_add(l, "an atomic %s, or a lock held at all accesses", x);
    else if (plain && ordered)
        rfi_line_add(l, "a lock held at both accesses, or a release store after the write that an "
                        "acquire load reads before this read");
    else if (plain)
        rfi_line_add(l, "a lock held at all accesses to %s", x);
    else if (e->origin->newest_order != RF_ORDER_PLAIN)
        rfi_say_seq_cst(l, r, write, at);
}

/* Why the execution could go as it did, in three sentences; nothing if memory did as expected. */
RFI_FN void rfi_say_stale(rfi_line *l, const rfi_record *r) {
    uint64_t at = rfi_strange_read(r);
    if (at == RFI_NEVER) return;
    rfi_line remedy = {0};
    rfi_say_what_it_read(l, rfi_event_at(r, at));
    rfi_line_add(l, " ");
    rfi_say_why_allowed(l, r, at);
    rfi_say_remedy(&remedy, r, at);
    if (remedy.bytes) rfi_line_add(l, " To forbid it: %s.", remedy.s);
}
#endif
#endif

/* ==== edit src/report/text.h ============================= >>report/text */
/* report/text.h: the format `text`, for people.
 *
 * A finding in full says, in this order: what it is and why that is wrong, the places, the figures,
 * what it did, the interleaving, what the program wrote, and in its last line what to paste to see
 * it again.  Expected findings are told in short, and so are races that were only predicted: a line
 * for each variable, after the result of the test.
 */
#ifndef RFI_REPORT_TEXT_H
#define RFI_REPORT_TEXT_H

#ifdef RFI_IMPL
RFI_FN void rfi_text_line(const rfi_term *t, rfi_style style, unsigned indent, const rfi_line *l) {
    rfi_wrapped(t, style, 0, indent, indent + 2, l->s);
}

/* Side k of a racing pair: "writes" "balance = 93", then where, who, and under which locks. */
RFI_FN void rfi_say_side(rfi_line *what, rfi_line *where, const rfi_finding *f, unsigned k,
                         const rfi_race_lines *race) {
    const rfi_side *side = &f->warning->side[k];
    bool raced = f->warning->family == RF_FAMILY_RACE && race->number[k] != RFI_NEVER;
    const rf_event *e = raced ? race->e[k] : NULL;
    if (e && e->flags & (RF_EV_FREES | RF_EV_RANGE))
        rfi_line_add(what, "%s (%zu bytes)", rfi_expression(side->site), e->size);
    else if (e)
        rfi_say_access(what, e);
    else
        rfi_line_add(what, "%s", side->object[0] ? side->object : rfi_expression(side->site));
    bool racing = f->warning->family == RF_FAMILY_RACE;
    uint32_t thread = racing && race->e[k] ? race->e[k]->thread : side->thread;
    rfi_say_site(where, side->site);
    if (thread != RFI_NO_THREAD) {
        rfi_line_add(where, ", thread ");
        rfi_say_thread(where, f->record, thread);
    }
    if (side->locks[0])
        rfi_line_add(where, ", holding %s", side->locks);
    else if (racing)
        rfi_line_add(where, ", holding no lock");
}

/* What is done at a side. */
RFI_FN const char *rfi_side_word(const rfi_side *s) {
    return s->role ? s->role : rfi_access_word(s->flags);
}

RFI_FN rfi_race_lines rfi_finding_race(const rfi_finding *f) {
    if (f->record) return rfi_race_find(f->record, f->warning);
    return (rfi_race_lines){{NULL, NULL}, {RFI_NEVER, RFI_NEVER}, RFI_NEVER};
}

RFI_FN void rfi_text_sides(const rfi_term *t, const rfi_finding *f) {
    rfi_race_lines race = rfi_finding_race(f);
    for (unsigned k = 0; k < f->warning->sides; k++) {
        rfi_line what = {0}, where = {0};
        const char *word = rfi_side_word(&f->warning->side[k]);
        rfi_say_side(&what, &where, f, k, &race);
        fputs("  ", t->out);
        rfi_styled(t, RFI_WARN, "%-7s", word);
        rfi_wrapped(t, RFI_BOLD, 9, 10, 12, what.s);
        rfi_wrapped(t, RFI_PLAIN, 0, 10, 12, where.s);
    }
}

/* "failure 499, crash 2" */
RFI_FN void rfi_say_failures(rfi_line *l, const rfi_warning *pair) {
    const char *between = "";
    for (unsigned i = 0; i < 6; i++) {
        if (!pair->failed_by_kind[i]) continue;
        rfi_line_add(l, "%s", between);
        rfi_say_kinds(l, 1u << i);
        rfi_line_add(l, " %llu", (unsigned long long)pair->failed_by_kind[i]);
        between = ", ";
    }
}

/* What phase 3 did with a race, in all and under each heuristic. */
RFI_FN rfi_trial rfi_trial_sum(const rfi_warning *pair) {
    rfi_trial sum = {0};
    for (unsigned i = 0; i < RFI_PICKS; i++) {
        if (i == RF_PICK_NEWEST) continue;
        sum.executions += pair->trial[i].executions;
        sum.exposed += pair->trial[i].exposed;
        sum.failed += pair->trial[i].failed;
        sum.unclear += pair->trial[i].unclear;
    }
    return sum;
}

RFI_FN void rfi_say_trials(rfi_line *l, const rfi_warning *pair) {
    const char *between = " (";
    for (unsigned i = 0; i < RFI_PICKS; i++) {
        const rfi_trial *t = &pair->trial[i];
        if (!t->executions || i == RF_PICK_NEWEST) continue;
        rfi_line_add(l, "%s%s %llu/%llu", between, rfi_pick_word((rf_heuristic)i),
                     (unsigned long long)t->failed, (unsigned long long)t->executions);
        between = ", ";
    }
    const rfi_trial *t = &pair->trial[RF_PICK_NEWEST];
    if (t->executions)
        rfi_line_add(l, "; with newest values %llu/%llu", (unsigned long long)t->failed,
                     (unsigned long long)t->executions);
    rfi_line_add(l, ")");
}

RFI_FN void rfi_say_old_values(rfi_line *l, const rfi_finding *f) {
    rfi_trial sum = rfi_trial_sum(f->warning);
    if (!sum.executions) return;
    rfi_line_add(l, "old values returned in %llu of %llu executions: ",
                 (unsigned long long)sum.exposed, (unsigned long long)sum.executions);
    if (f->verdict == RFI_DESTRUCTIVE) {
        rfi_line_add(l, "%llu failed", (unsigned long long)sum.failed);
        rfi_say_trials(l, f->warning);
    } else if (sum.failed + sum.unclear) {
        rfi_line_add(l, "%llu failed, in ways that newest values show too",
                     (unsigned long long)(sum.failed + sum.unclear));
    } else {
        rfi_line_add(l, "no harm seen");
    }
}

/* How often the race was predicted, produced, and did harm. */
RFI_FN void rfi_text_figures(const rfi_term *t, const rfi_result *r, const rfi_finding *f) {
    const rfi_warning *pair = f->warning;
    rfi_line l[5] = {{0}, {0}, {0}, {0}, {0}};
    bool race = pair->family == RF_FAMILY_RACE, seen = pair->seen != 0;
    bool mere = seen && !race && pair->seen == pair->predicted; /* nobody has predicted anything */
    rfi_line_add(&l[0], "%s  in %llu of %llu executions", mere ? "seen     " : "predicted",
                 (unsigned long long)pair->predicted, (unsigned long long)r->executions[0]);
    if (seen && !mere)
        rfi_line_add(&l[0], ", %s in %llu", race ? "unordered by happens-before" : "seen",
                     (unsigned long long)pair->seen);
    if (pair->executions) {
        rfi_line_add(&l[1], "produced   in %llu of %llu: hit probability ",
                     (unsigned long long)pair->hits, (unsigned long long)pair->executions);
        rfi_say_probability(&l[1], pair->hits, pair->executions);
    }
    if (pair->hits) {
        rfi_line_add(&l[2], "failed     in %llu of these %llu: failure probability ",
                     (unsigned long long)pair->failed, (unsigned long long)pair->hits);
        rfi_say_probability(&l[2], pair->failed, pair->hits);
    }
    if (pair->failed) {
        rfi_line_add(&l[3], "by kind    ");
        rfi_say_failures(&l[3], pair);
    }
    rfi_say_old_values(&l[4], f);
    for (unsigned i = 0; i < 5; i++)
        if (l[i].bytes) rfi_wrapped(t, RFI_PLAIN, 0, 2, 13, l[i].s);
}

/* Where a failure happened; a crash is known only by the last place before it. */
RFI_FN void rfi_say_failure_place(rfi_line *l, const rfi_finding *f) {
    const rfi_failure *failure = &f->failure->failure;
    bool crash = rfi_diagnostic(failure->diagnostic)->kind == RF_EXPECT_CRASH;
    rfi_line_add(l, "%s ", crash ? "last seen at" : "at");
    rfi_say_site(l, failure->site);
    if (failure->thread == RFI_NO_THREAD) return;
    rfi_line_add(l, ", thread ");
    rfi_say_thread(l, f->record, failure->thread);
}

RFI_FN void rfi_text_failure(const rfi_term *t, const rfi_result *r, const rfi_finding *f) {
    const rfi_failure_kind *kind = f->failure;
    if (f->warning) {
        rfi_line words = {0};
        fputc('\n', t->out);
        rfi_line_add(&words, "then %s:", rfi_diagnostic(kind->failure.diagnostic)->words);
        rfi_text_line(t, RFI_BAD, 2, &words);
    }
    rfi_quoted(t, RFI_BOLD, f->warning ? "    " : "  ", kind->failure.message);
    rfi_line place = {0}, count = {0};
    rfi_say_failure_place(&place, f);
    rfi_text_line(t, RFI_PLAIN, f->warning ? 4 : 2, &place);
    if (f->warning) return;
    uint64_t all = rfi_sum_of_phases(r->executions);
    bool spared = !kind->stale && kind->stale_steps && kind->stale_steps < kind->steps;
    rfi_line_add(&count, "in %llu of %llu executions; shown is the shortest%s, %llu step%s",
                 (unsigned long long)kind->count, (unsigned long long)all,
                 spared ? " without older values" : "", (unsigned long long)kind->steps,
                 kind->steps == 1 ? "" : "s");
    rfi_text_line(t, RFI_PLAIN, 2, &count);
    if (f->together)
        rfi_wrapped(t, RFI_PLAIN, 0, 2, 2,
                    "seen only when all races together returned older values, with none alone");
}

/* Why memory returned what it did. */
RFI_FN void rfi_text_stale(const rfi_term *t, const rfi_record *r) {
    rfi_line l = {0};
    rfi_say_stale(&l, r);
    if (!l.bytes) return;
    fputc('\n', t->out);
    rfi_wrapped(t, RFI_PLAIN, 0, 2, 2, l.s);
}

RFI_FN void rfi_text_note(const rfi_term *t, const char *note) {
    rfi_line l = {0};
    rfi_line_add(&l, "note: %s", note);
    rfi_text_line(t, RFI_WARN, 2, &l);
}

/* The memory model has met a value that it does not know. */
RFI_FN void rfi_text_unannounced(const rfi_term *t, unsigned indent, const rf_site *unannounced) {
    rfi_line l = {0};
    if (!unannounced) return;
    rfi_line_add(&l, "note: ");
    rfi_say_unannounced(&l, unannounced);
    rfi_text_line(t, RFI_WARN, indent, &l);
}

/* Never wrapped: it is there to be pasted. */
RFI_FN void rfi_text_replay(const rfi_term *t, const char *token) {
    if (!*token) return;
    fputs("  replay: ", t->out);
    rfi_styled(t, RFI_BOLD, "RF_SEED=%s %s", token, rfi_program);
    fputc('\n', t->out);
}

/* "bank.c:26 writes account->balance, bank.c:24 reads account->balance" */
RFI_FN void rfi_say_sides(rfi_line *l, const rfi_warning *w) {
    for (unsigned k = 0; k < w->sides; k++) {
        const rfi_side *side = &w->side[k];
        rfi_line_add(l, k ? ", " : "");
        rfi_say_place(l, side->site);
        rfi_line_add(l, " %s %s", rfi_side_word(side),
                     side->object[0] ? side->object : rfi_expression(side->site));
    }
}

/* The places, or the failure, on one line. */
RFI_FN void rfi_say_short(rfi_line *l, const rfi_finding *f) {
    rfi_say_verdict(l, f);
    if (f->warning) rfi_line_add(l, ": ");
    if (f->warning) rfi_say_sides(l, f->warning);
    if (f->warning && (!f->failure || rfi_family(f->warning->family)->kind)) return;
    const char *message = f->failure->failure.message;
    const char *words = rfi_diagnostic(f->failure->failure.diagnostic)->words;
    if (f->warning) rfi_line_add(l, "; then %s", words);
    rfi_line_add(l, ": ");
    rfi_say_place(l, f->failure->failure.site);
    rfi_line_add(l, " %.*s", (int)strcspn(message, "\n"), message);
}

RFI_FN void rfi_text_short(const rfi_term *t, const rfi_finding *f) {
    rfi_line l = {0};
    if (f->expected) rfi_line_add(&l, "expected: ");
    rfi_say_short(&l, f);
    if (!f->expected) {
        rfi_line_add(&l, "; in %llu of %llu executions", (unsigned long long)f->warning->hits,
                     (unsigned long long)f->warning->executions);
        rfi_line_add(&l, ", probability ");
        rfi_say_probability(&l, f->warning->hits, f->warning->executions);
    }
    rfi_text_line(t, RFI_PLAIN, 0, &l);
    rfi_text_replay(t, f->token);
}

static bool rfi_report_whole RFI_UNUSED; /* RF_TRACE: interleavings are not cut */

/* What is wrong, for someone who meets it for the first time. */
RFI_FN void rfi_text_meaning(const rfi_term *t, const rfi_finding *f) {
    rfi_line l = {0};
    if (f->warning->family != RF_FAMILY_RACE) {
        rfi_line_add(&l, "%s", f->warning->text);
        if (l.bytes) rfi_text_line(t, RFI_PLAIN, 2, &l);
        return;
    }
    rfi_line_add(
        &l, "%s A data race is undefined behaviour (C11 5.1.2.4).%s",
        f->warning->hits
            ? "Two threads stood at these accesses at the same moment; nothing orders them."
            : "Nothing orders these two accesses.",
        f->verdict == RFI_HARMFUL       ? " Here it made the test fail."
        : f->verdict == RFI_DESTRUCTIVE ? " Here a read returned an older value or a torn one, as "
                                          "compilers and processors may make it, and the test "
                                          "failed."
                                        : "");
    rfi_wrapped(t, RFI_PLAIN, 0, 2, 2, l.s);
}

RFI_FN void rfi_text_finding(FILE *out, const rfi_result *r, const rfi_finding *f) {
    rfi_term t = rfi_term_of(out);
    rfi_progress_clear();
    if (f->warning && f->verdict == RFI_POTENTIAL)
        return; /* told together, with the test's result */
    bool fault = !f->warning || f->failure || rfi_family(f->warning->family)->kind;
    if (f->expected || !fault) {
        rfi_text_short(&t, f);
        return;
    }
    rfi_line head = {0};
    rfi_say_verdict(&head, f);
    rfi_line_add(&head, " (test %s)", r->test->options.rfi_name);
    fputc('\n', out);
    rfi_text_line(&t, RFI_BAD, 0, &head);
    if (f->warning) {
        rfi_text_meaning(&t, f);
        fputc('\n', out);
        rfi_text_sides(&t, f);
        fputc('\n', out);
        rfi_text_figures(&t, r, f);
    }
    if (f->failure) rfi_text_failure(&t, r, f);
    if (f->failure && f->record) rfi_text_stale(&t, f->record);
    if (f->record) {
        fputc('\n', out);
        rfi_picture_draw(&t, f->record, f->warning, rfi_report_whole);
    }
    if (f->output && *f->output) {
        fputc('\n', out);
        rfi_wrapped(&t, RFI_BOLD, 0, 2, 2, "the end of what it wrote to stderr:");
        rfi_quoted(&t, RFI_PLAIN, "  | ", f->output);
    }
    fputc('\n', out);
    if (f->note) rfi_text_note(&t, f->note);
    rfi_text_replay(&t, f->token);
}

/* What an analysis saw happen in a replayed execution. */
RFI_FN void rfi_text_seen(FILE *out, const rfi_warning *w) {
    rfi_term t = rfi_term_of(out);
    rfi_line l = {0};
    const char *race = w->family == RF_FAMILY_RACE ? "nothing orders " : "";
    rfi_line_add(&l, "%s: %s", rfi_warning_words(w), race);
    rfi_say_sides(&l, w);
    rfi_text_line(&t, RFI_PLAIN, 0, &l);
    if (w->text[0]) rfi_wrapped(&t, RFI_PLAIN, 0, 2, 4, w->text);
}

/* A replayed execution: all its steps, and how it ended.  `checker` has directed it; may be NULL.
 */
RFI_FN void rfi_text_replayed(FILE *out, const rfi_record *r, const rf_checker *checker) {
    rfi_term t = rfi_term_of(out);
    rfi_failure_kind kind = {.failure = r->failure, .count = 1, .steps = r->steps};
    rfi_finding f = {.failure = &kind, .record = r};
    rfi_line head = {0}, place = {0};
    unsigned family =
        checker && checker->confirms ? (unsigned)__builtin_ctz(checker->confirms) : RF_FAMILY_OTHER;
    static rfi_warning meant; /* what the hits are, without places */
    meant.family = (uint8_t)family;
    bool race = !checker || family == RF_FAMILY_RACE;
    rfi_picture_draw(&t, r, race ? NULL : &meant, true);
    fputc('\n', out);
    if (r->hit_count)
        fprintf(out, "%s: %s %u time%s\n",
                family == RF_FAMILY_OTHER ? checker->name : rfi_family(family)->words,
                family == RF_FAMILY_RACE ? "the two accesses were brought together" : "produced",
                r->hit_count, r->hit_count == 1 ? "" : "s");
    if (r->skipped) fprintf(out, "skipped: %s\n", r->failure.message);
    if (r->failure.diagnostic == RF_DIAG_NONE) return;
    rfi_say_verdict(&head, &f);
    rfi_text_line(&t, RFI_BAD, 0, &head);
    rfi_quoted(&t, RFI_BOLD, "  ", r->failure.message);
    rfi_say_failure_place(&place, &f);
    rfi_text_line(&t, RFI_PLAIN, 2, &place);
    rfi_text_stale(&t, r);
    rfi_text_unannounced(&t, 2, r->unannounced);
}

/* ---- tests and the whole run ---- */

RFI_FN void rfi_text_begin(FILE *out, const rfi_summary *s) {
    fprintf(out, "racefuzz: %u test%s, seed %llu\n", s->tests, s->tests == 1 ? "" : "s",
            (unsigned long long)s->seed);
}

RFI_FN void rfi_text_test(FILE *out, const rfi_test *test) {
    (void)out, (void)test; /* its result says its name; until then there is the progress line */
}

RFI_FN void rfi_text_budget(const rfi_term *t, const rfi_result *r) {
    uint64_t done = rfi_sum_of_phases(r->executions), planned = rfi_sum_of_phases(r->planned);
    rfi_line l = {0};
    if (!r->capped) return;
    rfi_line_add(&l, "stopped by the cap in seconds after %llu of %llu executions (RF_SECONDS)",
                 (unsigned long long)done, (unsigned long long)planned);
    rfi_text_line(t, RFI_WARN, 5, &l);
}

# define RFI_TEXT_VARIABLES 12u /* with predictions that are listed */

RFI_FN bool rfi_only_predicted(const rfi_warning *p) { return !p->hits && !p->seen; }

/* "account->balance: bank.c:26 writes, bank.c:24 reads; ...": all predictions of p's variable. */
RFI_FN void rfi_text_variable(const rfi_term *t, const rfi_result *r, const rfi_warning *p) {
    rfi_line l = {0};
    rfi_line_add(&l, "%s", rfi_expression(p->side[0].site));
    for (const rfi_warning *q = p; q < r->warning + r->warnings; q++) {
        if (q->variable != p->variable || !rfi_only_predicted(q)) continue;
        rfi_line_add(&l, q == p ? ": " : "; ");
        for (unsigned k = 0; k < 2; k++) {
            rfi_line_add(&l, k ? ", " : "");
            rfi_say_place(&l, q->side[k].site);
            rfi_line_add(&l, " %s", rfi_access_word(q->side[k].flags));
        }
    }
    rfi_wrapped(t, RFI_PLAIN, 0, 7, 9, l.s);
}

/* What was only predicted and is no race, a line each. */
RFI_FN void rfi_text_other_predictions(const rfi_term *t, const rfi_result *r) {
    for (uint32_t i = 0, told = 0; i < r->warnings; i++) {
        const rfi_warning *w = &r->warning[i];
        rfi_line l = {0};
        if (w->family == RF_FAMILY_RACE || !rfi_only_predicted(w)) continue;
        if (!told++) rfi_wrapped(t, RFI_PLAIN, 0, 5, 7, "predicted, never produced:");
        rfi_line_add(&l, "%s: ", rfi_warning_words(w));
        rfi_say_sides(&l, w);
        if (w->label[0] && w->text[0]) rfi_line_add(&l, ": %s", w->text);
        rfi_text_line(t, RFI_PLAIN, 7, &l);
    }
}

RFI_FN void rfi_text_predictions(const rfi_term *t, const rfi_result *r) {
    uint32_t told = 0, variables = 0, races = 0;
    for (uint32_t i = 0; i < r->warnings; i++)
        races += r->warning[i].family == RF_FAMILY_RACE && rfi_only_predicted(&r->warning[i]);
    rfi_text_other_predictions(t, r);
    if (!races) return;
    rfi_wrapped(t, RFI_PLAIN, 0, 5, 7,
                "predicted, never produced (no race if something orders them that "
                "the detector does not know):");
    for (uint32_t i = 0; i < r->warnings; i++) {
        bool first = r->warning[i].family == RF_FAMILY_RACE && rfi_only_predicted(&r->warning[i]);
        for (uint32_t k = 0; k < i; k++)
            first &= !(rfi_only_predicted(&r->warning[k]) &&
                       r->warning[k].variable == r->warning[i].variable);
        if (!first || ++variables > RFI_TEXT_VARIABLES) continue;
        rfi_text_variable(t, r, &r->warning[i]);
        told++;
    }
    if (told == variables) return;
    rfi_line more = {0};
    rfi_line_add(&more, "and of %u more variables", variables - told);
    rfi_text_line(t, RFI_PLAIN, 7, &more);
}

RFI_FN void rfi_say_counts(rfi_line *l, const rfi_result *r) {
    rfi_line_add(l, "; warnings: %u potential, %u real, ", r->potential, r->real);
    if (r->destructive) rfi_line_add(l, "%u destructive, ", r->destructive);
    rfi_line_add(l, "%u harmful", r->harmful);
}

RFI_FN void rfi_text_result(FILE *out, const rfi_result *r) {
    rfi_term t = rfi_term_of(out);
    rfi_line l = {0};
    rfi_progress_clear();
    if (!r->skipped && !r->passed) fputc('\n', out); /* apart from the findings before it */
    const char *word = r->skipped ? "SKIP" : r->passed ? "PASS" : "FAIL";
    rfi_styled(&t, r->skipped ? RFI_WARN : r->passed ? RFI_GOOD : RFI_BAD, "%s", word);
    rfi_line_add(&l, "%s", r->test->options.rfi_name);
    if (r->skipped) {
        rfi_line_add(&l, ": %s", r->reason);
        rfi_wrapped(&t, RFI_PLAIN, 4, 5, 7, l.s);
        return;
    }
    rfi_line_add(&l, ": %llu executions in %.2f s",
                 (unsigned long long)rfi_sum_of_phases(r->executions), r->seconds);
    if (r->potential + r->real + r->destructive + r->harmful) rfi_say_counts(&l, r);
    if (r->warnings_left_out) rfi_line_add(&l, ", %u more left out", r->warnings_left_out);
    rfi_wrapped(&t, RFI_PLAIN, 4, 5, 7, l.s);
    rfi_text_predictions(&t, r);
    rfi_text_budget(&t, r);
    if (r->stateful) rfi_wrapped(&t, RFI_WARN, 0, 5, 7, "the test keeps state between executions");
    rfi_text_unannounced(&t, 5, r->unannounced);
    if (r->missing) {
        rfi_line missing = {0};
        rfi_line_add(&missing, "expected but not found: ");
        rfi_say_kinds(&missing, r->missing);
        rfi_text_line(&t, RFI_BAD, 5, &missing);
    }
    if (!r->reason[0]) return;
    rfi_line reason = {0};
    rfi_line_add(&reason, "%s", r->reason);
    rfi_text_line(&t, RFI_PLAIN, 5, &reason);
}

RFI_FN void rfi_text_end(FILE *out, const rfi_summary *s) {
    fprintf(out, "%u passed, %u failed", s->passed, s->failed);
    if (s->skipped) fprintf(out, ", %u skipped", s->skipped);
    fputc('\n', out);
}

static const rfi_reporter rfi_text_reporter RFI_UNUSED = {
    "text", rfi_text_begin, rfi_text_test, rfi_text_finding, rfi_text_result, rfi_text_end};
#endif
#endif

/* ==== edit src/report/tap.h ============================== >>report/tap */
/* report/tap.h: the format `tap`, for harnesses: TAP version 14 (testanything.org).
 *
 * A test is one test point; what was found stands below it in a YAML block.  Findings come before
 * the result of their test, so they are kept until then.  Numbers, keys and their order are
 * stable; texts of users are always quoted, so that no quote, newline or # in them can break a
 * line.
 */
#ifndef RFI_REPORT_TAP_H
#define RFI_REPORT_TAP_H

#ifdef RFI_IMPL
static struct rfi_tap {
    uint32_t number; /* of the last test point */
    FILE *findings;  /* of the test that runs; NULL: none */
    char *text;      /* what was written to it */
    size_t bytes;
} rfi_tap RFI_UNUSED;

/* Text of a test point's line: # would begin a directive. */
RFI_FN void rfi_tap_text(FILE *out, const char *s) {
    rfi_line clean = {0};
    rfi_line_add(&clean, "%s", s);
    for (const char *p = clean.s; *p; p++) {
        if (*p == '#' || *p == '\\') fputc('\\', out);
        fputc(*p, out);
    }
}

/* The inside of a double-quoted YAML scalar. */
RFI_FN void rfi_yaml_text(FILE *out, const char *s) {
    while (*s) {
        unsigned columns, bytes = rfi_char(s, &columns), c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", (int)c);
        else if (bytes)
            fprintf(out, "%.*s", (int)bytes, s);
        else if (c == '\n')
            fputs("\\n", out);
        else if (c < 0x80)
            fprintf(out, "\\x%02x", c);
        else
            fputs("\\ufffd", out); /* not UTF-8 */
        s += bytes ? bytes : 1;
    }
}

RFI_FN void rfi_yaml_string(FILE *out, const char *before, const char *s) {
    fprintf(out, "%s\"", before);
    rfi_yaml_text(out, s);
    fputs("\"\n", out);
}

/* The picture as a literal block, below a key that stands at column 6. */
RFI_FN void rfi_tap_interleaving(FILE *out, const rfi_finding *f) {
    char *text = NULL;
    size_t bytes = 0;
    rfi_term t = {open_memstream(&text, &bytes), RFI_WIDTH_DEFAULT, false};
    if (!t.out) rfi_die("out of memory (interleaving)");
    rfi_picture_draw(&t, f->record, f->warning, false);
    fclose(t.out);
    t.out = out;
    fputs("      interleaving: |2\n", out);
    rfi_quoted(&t, RFI_PLAIN, "        ", text);
    free(text);
}

RFI_FN void rfi_tap_warning(FILE *out, const rfi_finding *f) {
    const rfi_warning *pair = f->warning;
    rfi_race_lines race = rfi_finding_race(f);
    if (pair->text[0]) rfi_yaml_string(out, "      meaning: ", pair->text);
    fprintf(out, "      %s:\n", pair->family == RF_FAMILY_RACE ? "accesses" : "places");
    for (unsigned k = 0; k < pair->sides; k++) {
        rfi_line l = {0}, where = {0};
        rfi_line_add(&l, "%s ", rfi_side_word(&pair->side[k]));
        rfi_say_side(&l, &where, f, k, &race);
        rfi_line_add(&l, " at %s", where.s);
        rfi_yaml_string(out, "        - ", l.s);
    }
    double low, high;
    rfi_wilson(pair->hits, pair->executions, &low, &high);
    fprintf(out, "      predicted: %llu\n      executions: %llu\n      hits: %llu\n",
            (unsigned long long)pair->predicted, (unsigned long long)pair->executions,
            (unsigned long long)pair->hits);
    fprintf(out, "      hit_probability_95: [%.3f, %.3f]\n      failed: %llu\n", low, high,
            (unsigned long long)pair->failed);
    rfi_trial sum = rfi_trial_sum(pair);
    if (sum.executions)
        fprintf(out, "      old_values: {executions: %llu, returned: %llu, failed: %llu}\n",
                (unsigned long long)sum.executions, (unsigned long long)sum.exposed,
                f->verdict == RFI_DESTRUCTIVE ? (unsigned long long)sum.failed : 0);
}

RFI_FN void rfi_tap_finding(FILE *out, const rfi_result *r, const rfi_finding *f) {
    (void)out, (void)r;
    if (!rfi_tap.findings) rfi_tap.findings = open_memstream(&rfi_tap.text, &rfi_tap.bytes);
    if (!rfi_tap.findings) rfi_die("out of memory (findings)");
    out = rfi_tap.findings;
    rfi_line verdict = {0};
    rfi_say_verdict(&verdict, f);
    rfi_yaml_string(out, "    - verdict: ", verdict.s);
    fprintf(out, "      expected: %s\n", f->expected ? "true" : "false");
    if (f->warning) rfi_tap_warning(out, f);
    if (f->failure) {
        rfi_line place = {0};
        rfi_say_failure_place(&place, f);
        const rfi_failure *failure = &f->failure->failure;
        rfi_yaml_string(out, "      failure: ", rfi_diagnostic(failure->diagnostic)->id);
        rfi_yaml_string(out, "      message: ", failure->message);
        rfi_yaml_string(out, "      where: ", place.s);
        rfi_line why = {0};
        if (f->record) rfi_say_stale(&why, f->record);
        if (why.bytes) rfi_yaml_string(out, "      memory: ", why.s);
    }
    if (f->together) fputs("      together: true\n", out);
    if (f->record) rfi_tap_interleaving(out, f);
    if (f->record) fprintf(out, "      reproduced: %s\n", f->reproduced ? "true" : "false");
    if (f->output && *f->output) rfi_yaml_string(out, "      stderr: ", f->output);
    if (f->note) rfi_yaml_string(out, "      note: ", f->note);
    if (!f->token[0]) return;
    fputs("      replay: \"RF_SEED=", out);
    rfi_yaml_text(out, f->token);
    fputc(' ', out);
    rfi_yaml_text(out, rfi_program);
    fputs("\"\n", out);
}

/* The YAML block below a test point. */
RFI_FN void rfi_tap_block(FILE *out, const rfi_result *r) {
    fputs("  ---\n", out);
    if (r->reason[0]) rfi_yaml_string(out, "  message: ", r->reason);
    fprintf(out, "  executions: %llu\n  duration_ms: %.0f\n",
            (unsigned long long)rfi_sum_of_phases(r->executions), r->seconds * 1000);
    fprintf(out, "  capped: %s\n  stateful: %s\n", r->capped ? "true" : "false",
            r->stateful ? "true" : "false");
    if (r->unannounced) {
        rfi_line note = {0};
        rfi_say_unannounced(&note, r->unannounced);
        rfi_yaml_string(out, "  note: ", note.s);
    }
    fprintf(out,
            "  warnings: {potential: %u, real: %u, destructive: %u, harmful: %u, left_out: %u}\n",
            r->potential, r->real, r->destructive, r->harmful, r->warnings_left_out);
    if (r->missing) {
        rfi_line missing = {0};
        rfi_say_kinds(&missing, r->missing);
        fprintf(out, "  missing: [%s]\n", missing.s);
    }
    if (rfi_tap.findings) {
        fclose(rfi_tap.findings);
        rfi_tap.findings = NULL;
        fprintf(out, "  findings:\n%s", rfi_tap.text);
        free(rfi_tap.text);
    }
    fputs("  ...\n", out);
}

RFI_FN void rfi_tap_result(FILE *out, const rfi_result *r) {
    rfi_progress_clear();
    fprintf(out, "%s %u - ", r->passed || r->skipped ? "ok" : "not ok", ++rfi_tap.number);
    rfi_tap_text(out, r->test->options.rfi_name);
    if (r->skipped) {
        fputs(" # SKIP ", out);
        rfi_tap_text(out, r->reason);
    }
    fputc('\n', out);
    if (!r->skipped || rfi_tap.findings) rfi_tap_block(out, r);
}

RFI_FN void rfi_tap_begin(FILE *out, const rfi_summary *s) {
    rfi_tap.number = 0;
    fprintf(out, "TAP version 14\n1..%u%s\n# racefuzz: seed %llu\n", s->tests,
            s->tests ? "" : " # SKIP no test", (unsigned long long)s->seed);
}

RFI_FN void rfi_tap_end(FILE *out, const rfi_summary *s) {
    fputs("# ", out);
    rfi_text_end(out, s);
}

static const rfi_reporter rfi_tap_reporter RFI_UNUSED = {
    "tap", rfi_tap_begin, rfi_text_test, rfi_tap_finding, rfi_tap_result, rfi_tap_end};
#endif
#endif

/* ==== edit src/api/access.h ============================== >>api/access */
/* api/access.h: shared plain data and the heap (docs/manual.md).
 *
 * RF_LOAD and RF_STORE announce what a thread does to memory that others may touch.  They take
 * scalars, structs and unions, also volatile ones; bit-fields, arrays and _Atomic objects are
 * rejected.  While nothing watches the site the access costs six instructions:
 * the value is kept in registers, since its address is taken on the slow path only.
 */
#ifndef RFI_API_ACCESS_H
#define RFI_API_ACCESS_H

/* The value of a shared object. */
#define RF_LOAD(lvalue) RFI_UNIQUE(RFI_LOAD, __COUNTER__, #lvalue, lvalue)

/* Gives a shared object a value; void.  The value may contain commas (a compound literal), and
 * other accesses: RF_STORE(x, RF_LOAD(y) + 1).  It is evaluated before the store is announced. */
#define RF_STORE(lvalue, ...) RFI_UNIQUE(RFI_STORE, __COUNTER__, #lvalue, lvalue, __VA_ARGS__)

/* The same for a race that is meant to be: scheduled like an atomic, but never reported. */
#define RF_RACY_LOAD(lvalue) RFI_UNIQUE(RFI_RACY_LOAD, __COUNTER__, #lvalue, lvalue)
#define RF_RACY_STORE(lvalue, ...) \
    RFI_UNIQUE(RFI_RACY_STORE, __COUNTER__, #lvalue, lvalue, __VA_ARGS__)

/* Announces that `len` bytes at `ptr` are about to be read or written by other means (memcpy). */
#define RF_READ(ptr, len)  RFI_UNIQUE(RFI_RANGE, __COUNTER__, RF_SITE_READ, #ptr, ptr, len)
#define RF_WRITE(ptr, len) RFI_UNIQUE(RFI_RANGE, __COUNTER__, RF_SITE_WRITE, #ptr, ptr, len)

/* malloc and its family, with addresses that are the same in every execution of a token.  Use after
 * free, double free, writing past the end of a block, and blocks that are left when the last thread
 * ends, are failures that name the place of allocation. */
#define RF_MALLOC(size)        rfi_malloc(RFI_SITE(#size), size)
#define RF_CALLOC(count, size) rfi_calloc(RFI_SITE(#count ", " #size), count, size)
#define RF_REALLOC(ptr, size)  rfi_realloc(RFI_SITE(#ptr ", " #size), ptr, size)
#define RF_FREE(ptr)           rfi_free(RFI_SITE(#ptr), ptr)

/* ---- how ---- */

#define RFI_ATOMIC_MESSAGE "racefuzz: an _Atomic object is not plain data: use rf_atomic_load, ..."
#define RFI_ARRAY_MESSAGE  "racefuzz: an array has no value: name an element, or use RF_READ"
#ifdef __cplusplus
# define RFI_PLAIN_ONLY(p) \
     static_assert(!std::is_array_v<RFI_VALUE(p)>, RFI_ARRAY_MESSAGE); \
     static_assert(std::is_trivially_copyable_v<RFI_VALUE(p)>, \
                   "racefuzz: not plain data (std::atomic, or a class with a copy constructor)")
#else
# define RFI_IS_ATOMIC(p) \
     _Generic((const volatile __typeof__(*(p)) *)(p), const volatile _Atomic(RFI_VALUE(p)) *: 1, \
              default: 0)
# define RFI_PLAIN_ONLY(p) \
     _Static_assert(!RFI_IS_ATOMIC(p), RFI_ATOMIC_MESSAGE); \
     _Static_assert(RFI_IS_ATOMIC(p) || \
                        __builtin_types_compatible_p(__typeof__(*(p)), RFI_VALUE(p)), \
                    RFI_ARRAY_MESSAGE)
#endif

#define RFI_IS_POINTER(value) (__builtin_classify_type(value) == 5)

#define RFI_LOAD(s, p, v, t, u, text, lvalue) \
    __extension__({ \
        RFI_AUTO p = &(lvalue); \
        static const rf_site s = RFI_SITE_TYPED(RF_SITE_READ, text, RFI_IS_POINTER(*p)); \
        RFI_PLAIN_ONLY(p); \
        RFI_VALUE(p) v; \
        if (RFI_ARMED(RF_SITE_READ)) { \
            RFI_VALUE(p) t; \
            rfi_load(&s, p, sizeof t, &t); \
            v = t; \
        } else { \
            v = *p; \
        } \
        v; \
    })

#define RFI_STORE(s, p, v, t, u, text, lvalue, ...) \
    __extension__({ \
        static const rf_site s = RFI_SITE_INIT(RF_SITE_WRITE, text); \
        RFI_AUTO p = &(lvalue); \
        RFI_PLAIN_ONLY(p); \
        RFI_VALUE(p) v = (__VA_ARGS__); \
        if (RFI_ARMED(RF_SITE_WRITE)) { \
            RFI_VALUE(p) t = v; \
            rfi_store(&s, p, sizeof t, &t); \
        } else { \
            *p = v; \
        } \
    })

#define RFI_RACY_LOAD(s, p, v, t, u, text, lvalue) \
    __extension__({ \
        RFI_AUTO p = &(lvalue); \
        static const rf_site s = RFI_SITE_TYPED(RF_SITE_READ, text, RFI_IS_POINTER(*p)); \
        RFI_PLAIN_ONLY(p); \
        RFI_VALUE(p) v; \
        rfi_racy_load(&s, p, sizeof v, &v); \
        v; \
    })

#define RFI_RACY_STORE(s, p, v, t, u, text, lvalue, ...) \
    __extension__({ \
        static const rf_site s = RFI_SITE_INIT(RF_SITE_WRITE, text); \
        RFI_AUTO p = &(lvalue); \
        RFI_PLAIN_ONLY(p); \
        RFI_VALUE(p) v = (__VA_ARGS__); \
        rfi_racy_store(&s, p, sizeof v, &v); \
    })

#define RFI_RANGE(s, p, v, t, u, kind, text, ptr, len) \
    __extension__({ \
        static const rf_site s = RFI_SITE_INIT(kind, text); \
        const volatile void *p = (ptr); \
        size_t v = (len); \
        if (RFI_ARMED(kind)) rfi_range(&s, p, v); \
    })
#endif

/* ==== edit src/api/atomic.h ============================== >>api/atomic */
/* api/atomic.h: the operations of <stdatomic.h> with rf_ in front (docs/sync.md, Atomics).
 *
 * Generic over _Atomic T *, volatile too, for every T: integers, bool, pointers, enumerations and
 * structs.  Arithmetic wraps around, on pointers it counts elements; fetch operations take integers
 * of up to 64 bits and pointers.  An order is any of rf_memory_order_... or memory_order_...; the
 * forms without one are sequentially consistent.  Each operation is a scheduling point.
 *
 * Operators on _Atomic objects (a++, a = 1) can't be seen by a macro: use the names below.
 */
#ifndef RFI_API_ATOMIC_H
#define RFI_API_ATOMIC_H

#ifndef __cplusplus
/* ---- load, store, exchange ---- */

# define rf_atomic_load(object) \
     RFI_UNIQUE(RFI_ATOMIC_LOAD, __COUNTER__, #object, object, __ATOMIC_SEQ_CST)
# define rf_atomic_load_explicit(object, order) \
     RFI_UNIQUE(RFI_ATOMIC_LOAD, __COUNTER__, #object, object, order)
# define rf_atomic_store(object, value) \
     RFI_UNIQUE(RFI_ATOMIC_STORE, __COUNTER__, #object, object, value, __ATOMIC_SEQ_CST)
# define rf_atomic_store_explicit(object, value, order) \
     RFI_UNIQUE(RFI_ATOMIC_STORE, __COUNTER__, #object, object, value, order)
# define rf_atomic_exchange(object, value) \
     RFI_UNIQUE(RFI_EXCHANGE, __COUNTER__, #object, object, value, __ATOMIC_SEQ_CST)
# define rf_atomic_exchange_explicit(object, value, order) \
     RFI_UNIQUE(RFI_EXCHANGE, __COUNTER__, #object, object, value, order)

/* Gives an object its first value.  Not atomic: it races with another thread's access. */
# define rf_atomic_init(object, value) \
     RFI_UNIQUE(RFI_ATOMIC_INIT, __COUNTER__, #object, object, value)

/* ---- compare-exchange: true when *expected was found, which else becomes the value found ---- */

# define rf_atomic_compare_exchange_strong(object, expected, desired) \
     RFI_UNIQUE(RFI_CAS, __COUNTER__, #object, object, expected, desired, false, __ATOMIC_SEQ_CST, \
                __ATOMIC_SEQ_CST)
# define rf_atomic_compare_exchange_strong_explicit(object, expected, desired, success, failure) \
     RFI_UNIQUE(RFI_CAS, __COUNTER__, #object, object, expected, desired, false, success, failure)

/* The weak forms fail now and then although *expected was found. */
# define rf_atomic_compare_exchange_weak(object, expected, desired) \
     RFI_UNIQUE(RFI_CAS, __COUNTER__, #object, object, expected, desired, true, __ATOMIC_SEQ_CST, \
                __ATOMIC_SEQ_CST)
# define rf_atomic_compare_exchange_weak_explicit(object, expected, desired, success, failure) \
     RFI_UNIQUE(RFI_CAS, __COUNTER__, #object, object, expected, desired, true, success, failure)

/* ---- fetch and modify: the value before ---- */

# define rf_atomic_fetch_add(object, n) \
     RFI_UNIQUE(RFI_FETCH, __COUNTER__, #object, object, n, __ATOMIC_SEQ_CST, RFI_ADD)
# define rf_atomic_fetch_add_explicit(object, n, order) \
     RFI_UNIQUE(RFI_FETCH, __COUNTER__, #object, object, n, order, RFI_ADD)
# define rf_atomic_fetch_sub(object, n) \
     RFI_UNIQUE(RFI_FETCH, __COUNTER__, #object, object, n, __ATOMIC_SEQ_CST, RFI_SUB)
# define rf_atomic_fetch_sub_explicit(object, n, order) \
     RFI_UNIQUE(RFI_FETCH, __COUNTER__, #object, object, n, order, RFI_SUB)
# define rf_atomic_fetch_or(object, n) \
     RFI_UNIQUE(RFI_FETCH, __COUNTER__, #object, object, n, __ATOMIC_SEQ_CST, RFI_OR)
# define rf_atomic_fetch_or_explicit(object, n, order) \
     RFI_UNIQUE(RFI_FETCH, __COUNTER__, #object, object, n, order, RFI_OR)
# define rf_atomic_fetch_xor(object, n) \
     RFI_UNIQUE(RFI_FETCH, __COUNTER__, #object, object, n, __ATOMIC_SEQ_CST, RFI_XOR)
# define rf_atomic_fetch_xor_explicit(object, n, order) \
     RFI_UNIQUE(RFI_FETCH, __COUNTER__, #object, object, n, order, RFI_XOR)
# define rf_atomic_fetch_and(object, n) \
     RFI_UNIQUE(RFI_FETCH, __COUNTER__, #object, object, n, __ATOMIC_SEQ_CST, RFI_AND)
# define rf_atomic_fetch_and_explicit(object, n, order) \
     RFI_UNIQUE(RFI_FETCH, __COUNTER__, #object, object, n, order, RFI_AND)

/* ---- flags ---- */

typedef struct rf_atomic_flag {
    rf_atomic_bool set;
} rf_atomic_flag;

# define RF_ATOMIC_FLAG_INIT {false}
# define rf_atomic_flag_test_and_set(flag) \
     RFI_UNIQUE(RFI_EXCHANGE, __COUNTER__, #flag, &(flag)->set, true, __ATOMIC_SEQ_CST)
# define rf_atomic_flag_test_and_set_explicit(flag, order) \
     RFI_UNIQUE(RFI_EXCHANGE, __COUNTER__, #flag, &(flag)->set, true, order)
# define rf_atomic_flag_clear(flag) \
     RFI_UNIQUE(RFI_ATOMIC_STORE, __COUNTER__, #flag, &(flag)->set, false, __ATOMIC_SEQ_CST)
# define rf_atomic_flag_clear_explicit(flag, order) \
     RFI_UNIQUE(RFI_ATOMIC_STORE, __COUNTER__, #flag, &(flag)->set, false, order)

# define rf_atomic_thread_fence(order) rfi_fence(RFI_SITE(#order), (int)(order))

/* ---- how ---- */

# define RFI_ATOMIC_LOAD(s, p, v, t, u, text, object, order) \
     __extension__({ \
         static const rf_site s = RFI_SITE_INIT(RF_SITE_READ, text); \
         __auto_type p = (object); \
         RFI_VALUE(p) v; \
         rfi_atomic_load(&s, p, sizeof v, (int)(order), &v); \
         v; \
     })

# define RFI_ATOMIC_STORE(s, p, v, t, u, text, object, value, order) \
     __extension__({ \
         static const rf_site s = RFI_SITE_INIT(RF_SITE_WRITE, text); \
         __auto_type p = (object); \
         RFI_VALUE(p) v = (value); \
         rfi_atomic_store(&s, p, sizeof v, (int)(order), &v); \
     })

# define RFI_ATOMIC_INIT(s, p, v, t, u, text, object, value) \
     __extension__({ \
         static const rf_site s = RFI_SITE_INIT(RF_SITE_WRITE, text); \
         __auto_type p = (object); \
         RFI_VALUE(p) v = (value); \
         rfi_atomic_init(&s, p, sizeof v, &v); \
     })

# define RFI_EXCHANGE(s, p, v, t, u, text, object, value, order) \
     __extension__({ \
         static const rf_site s = RFI_SITE_INIT(RF_SITE_WRITE, text); \
         __auto_type p = (object); \
         RFI_VALUE(p) v = (value), t; \
         rfi_rmw_begin(&s, p, sizeof t, (int)(order), &t); \
         rfi_rmw_end(&v); \
         t; \
     })

# define RFI_CAS(s, p, v, t, u, text, object, expected, desired, weak, success, failure) \
     __extension__({ \
         static const rf_site s = RFI_SITE_INIT(RF_SITE_WRITE, text); \
         __auto_type p = (object); \
         RFI_VALUE(p) *t = (expected), v = (desired); \
         rfi_cas(&s, p, sizeof v, weak, (int)(success), (int)(failure), t, &v); \
     })

/* The operand is evaluated before the operation begins: it may be an atomic operation itself. */
# define RFI_FETCH(s, p, v, t, u, text, object, n, order, combine) \
     __extension__({ \
         static const rf_site s = RFI_SITE_INIT(RF_SITE_WRITE, text); \
         __auto_type p = (object); \
         __auto_type u = (n) + 0; \
         RFI_VALUE(p) v, t; \
         _Static_assert(sizeof v <= 8 && __builtin_classify_type(v) != RFI_CLASS_REAL, \
                        "racefuzz: fetch operations take integers of up to 64 bits and pointers"); \
         rfi_rmw_begin(&s, p, sizeof v, (int)(order), &v); \
         t = combine(v, u); \
         rfi_rmw_end(&t); \
         v; \
     })

/* In the widest unsigned type, where nothing overflows; pointers step by what they point to. */
# define RFI_WRAP(v, op, n) ((__typeof__(v))((uintmax_t)(v)op(uintmax_t)(n)))
# define RFI_UNIT(v) \
     sizeof *__builtin_choose_expr(__builtin_classify_type(v) == RFI_CLASS_POINTER, v, (char *)0)
# define RFI_ADD(v, n) RFI_WRAP(v, +, (uintmax_t)(n) * RFI_UNIT(v))
# define RFI_SUB(v, n) RFI_WRAP(v, -, (uintmax_t)(n) * RFI_UNIT(v))
# define RFI_OR(v, n)  RFI_WRAP(v, |, n)
# define RFI_XOR(v, n) RFI_WRAP(v, ^, n)
# define RFI_AND(v, n) RFI_WRAP(v, &, n)
#endif
#endif

/* ==== edit src/api/extend.h ============================== >>api/extend */
/* api/extend.h: registration of analyses, checkers and strategies of one's own (docs/extending.md).
 *
 * Each stands at file scope and takes an object that lives as long as the program.  What is
 * registered has a name like what is built in, for RF_DETECT and RF_STRATEGY.  An analysis is on
 * unless RF_DETECT names others; a checker takes part in the second phase unless RF_STRATEGY names
 * others; a strategy picks threads when RF_STRATEGY names it.
 */
#ifndef RFI_API_EXTEND_H
#define RFI_API_EXTEND_H

#define RF_ANALYSIS(a) RFI_REGISTER(rfi_register_analysis, a)
#define RF_CHECKER(c)  RFI_REGISTER(rfi_register_checker, c)
#define RF_STRATEGY(s) RFI_REGISTER(rfi_register_strategy, s)

#define RFI_REGISTER(function, object) \
    __attribute__((constructor)) static void RFI_CAT(rfi_register_, __COUNTER__)(void) { \
        function(&(object)); \
    } \
    typedef int RFI_CAT(rfi_registered_, __LINE__) RFI_UNUSED /* takes the semicolon */

RFI_EXTERN_C_BEGIN
void rfi_register_analysis(const rf_analysis *a);
void rfi_register_checker(const rf_checker *c);
void rfi_register_strategy(const rf_strategy *s);
RFI_EXTERN_C_END
#endif

/* ==== edit src/api/guide.h =============================== >>api/guide */
/* api/guide.h: what a test tells about its own code, so that racefuzz looks at the right places
 * (docs/guidance.md). */
#ifndef RFI_API_GUIDE_H
#define RFI_API_GUIDE_H

/* RF_ATOMIC_BLOCK("name") { ... }: what other threads do must not show within the block, as if it
 * ran at once.  Leaving it by return, break or goto ends it.  Blocks nest.  The name is a constant
 * string.  (Flanagan and Freund, POPL 2004; Park and Sen, FSE 2008) */
#define RF_ATOMIC_BLOCK(name) RFI_ATOMIC_BLOCK(RFI_CAT(rfi_block_, __COUNTER__), name)

/* The objects *a and *b belong together: nobody may see one of them changed and the other not yet.
 * Said in each execution anew, before the threads that use them start. */
#define RF_ATOMIC_SET(name, a, b) \
    rfi_atomic_set(RFI_SITE(name), name, a, sizeof *(a), b, sizeof *(b))

/* A concurrent breakpoint: executions try to have two threads stand at breakpoints of this name
 * with the same address at once (NULL: of this name alone).  Then a coin decides who goes first, or
 * the one at RF_BREAKPOINT_FIRST does.  `if (condition)` in front makes it conditional.  The name
 * is a constant string.  (Joshi et al., CAV 2009) */
#define RF_BREAKPOINT(name, address)       rfi_breakpoint(RFI_SITE(name), name, address, false)
#define RF_BREAKPOINT_FIRST(name, address) rfi_breakpoint(RFI_SITE(name), name, address, true)

/* ---- how ---- */

typedef struct rfi_atomic_block {
    const rf_site *site;
    bool open; /* the block has not been run yet */
} rfi_atomic_block;

RFI_EXTERN_C_BEGIN
rfi_atomic_block rfi_atomic_begin(const rf_site *s, const char *name);
void rfi_atomic_end(rfi_atomic_block *b);
void rfi_atomic_set(const rf_site *s, const char *name, const volatile void *a, size_t a_size,
                    const volatile void *b, size_t b_size);
void rfi_breakpoint(const rf_site *s, const char *name, const volatile void *p, bool first);
RFI_EXTERN_C_END

#define RFI_ATOMIC_BLOCK(block, name) \
    for (rfi_atomic_block block RFI_CLEANUP(rfi_atomic_end) = \
             rfi_atomic_begin(RFI_SITE(name), name); \
         block.open; block.open = false)

#ifdef RFI_IMPL

/* Delivers an event with a text that is not scheduled by itself. */
RFI_FN void rfi_remark(unsigned kind, const rf_site *s, const char *text, const volatile void *p,
                       size_t n) {
    if (!rfi_listening(kind) || rfi.quiet || !rfi.current) return;
    rf_event e = {.kind = (uint8_t)kind,
                  .thread = rfi.current->id,
                  .site = s,
                  .addr = (const void *)(uintptr_t)p,
                  .size = n,
                  .text = text};
    rfi_deliver(&e);
}

rfi_atomic_block rfi_atomic_begin(const rf_site *s, const char *name) {
    rfi_remark(RF_EV_BLOCK, s, name, NULL, 0);
    return (rfi_atomic_block){s, true};
}

void rfi_atomic_end(rfi_atomic_block *b) { rfi_remark(RF_EV_BLOCK_END, b->site, NULL, NULL, 0); }

void rfi_atomic_set(const rf_site *s, const char *name, const volatile void *a, size_t a_size,
                    const volatile void *b, size_t b_size) {
    rfi_remark(RF_EV_SET, s, name, a, a_size);
    rfi_remark(RF_EV_SET, s, name, b, b_size);
}

void rfi_breakpoint(const rf_site *s, const char *name, const volatile void *p, bool first) {
    rfi_thr *t = rfi.current;
    if (!t || rfi.quiet) return;
    rf_event *e = rfi_announce(t, RF_EV_BREAK, s);
    e->addr = (const void *)(uintptr_t)p;
    e->text = name;
    e->flags = first ? RF_EV_FIRST : 0;
    rfi_schedule(t);
    rfi_executed(e);
}
#endif
#endif

/* ==== edit src/api/run.h ================================= >>api/run */
/* api/run.h: rf_run, which ties tests, settings, campaigns and reports together. */
#ifndef RFI_API_RUN_H
#define RFI_API_RUN_H

#ifdef RFI_IMPL
static rfi_test *rfi_tests RFI_UNUSED, **rfi_tests_end RFI_UNUSED = &rfi_tests;

void rfi_register(rfi_test *t) {
    *rfi_tests_end = t;
    rfi_tests_end = &t->next;
}

RFI_FN rfi_test *rfi_test_named(const char *name) {
    for (rfi_test *t = rfi_tests; t; t = t->next)
        if (!strcmp(t->options.rfi_name, name)) return t;
    return NULL;
}

RFI_FN bool rfi_selected(const rfi_campaign *c, const rfi_test *t) {
    return rfi_filter_match(c->settings.filter, t->options.rfi_name);
}

/* Under a debugger a fork would be in the way. */
RFI_FN bool rfi_debugged(void) {
    char line[256];
    int pid = 0;
    FILE *f = fopen("/proc/self/status", "r");
    if (!f) return false;
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "TracerPid: %d", &pid) == 1) break;
    fclose(f);
    return pid != 0;
}

RFI_FN void rfi_progress_hook(const char *test, const char *phase, uint64_t done, uint64_t total,
                              uint32_t findings) {
    static int64_t shown;
    int64_t now = rfi_milliseconds();
    if (now - shown < 100) return;
    shown = now;
    rfi_progress_show(test, phase, done, total, findings);
}

/* ---- the report's file ---- */

/* A standard stream that is closed would become the next file that is opened.  What stands in for
 * it refuses reads or writes, so that output is lost with an error. */
RFI_FN void rfi_streams_open(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* Output that was lost is an error, whatever the tests said. */
RFI_FN int rfi_close_report(const rfi_settings *s, FILE *out, int status) {
    errno = 0;
    bool bad = fflush(out) || ferror(out);
    int error = errno;
    if (out != stdout && fclose(out)) {
        bad = true;
        error = errno;
    }
    if (!bad) return status;
    fprintf(stderr, "racefuzz: the report could not be written%s%s%s%s\n", s->report ? " to " : "",
            s->report ? s->report : "", error ? ": " : "", error ? strerror(error) : "");
    return 1;
}

/* ---- replay ---- */

static rfi_campaign *rfi_replay_campaign RFI_UNUSED;
static const rfi_token *rfi_replay_token RFI_UNUSED;

/* Says what the replayed execution did; the exit status. */
RFI_FN int rfi_replay_report(void) {
    const rfi_campaign *c = rfi_replay_campaign;
    const rfi_record *r = &c->team.here->record;
    const rfi_tally *seen = &c->team.here->tally;
    const rf_checker *checker = rfi_job_checker(&rfi_replay_token->job);
    bool bad = r->failure.diagnostic != RF_DIAG_NONE ||
               (r->hit_count && checker && rfi_checker_kinds(checker));
    char why[256];
    rfi_text_replayed(c->out, r, checker);
    for (uint32_t i = 0; i < seen->warnings; i++) {
        if (!seen->warning[i].seen) continue;
        bad |= rfi_family(seen->warning[i].family)->kind != 0;
        rfi_text_seen(c->out, &seen->warning[i]);
    }
    if (!bad) fputs("nothing was wrong with this execution\n", c->out);
    if (!rfi_token_compare(rfi_replay_token, r, why, sizeof why))
        fprintf(c->out, "note: %s\n", why);
    if (bad || rfi_token_pair_met(rfi_replay_token) == 2) return bad;
    fflush(c->out);
    fputs("racefuzz: RF_SEED: this execution never came to a statement of the token's pair: the "
          "program "
          "is not the one that the token was made with\n",
          stderr);
    return 2;
}

RFI_FN void rfi_replay_crashed(void) {
    const rfi_campaign *c = rfi_replay_campaign;
    _exit(rfi_close_report(&c->settings, c->out, rfi_replay_report()));
}

RFI_FN int rfi_refuse_token(const char *text, const char *why) {
    fputs("racefuzz: RF_SEED=", stderr);
    rfi_complain_quoted(text, strlen(text));
    fprintf(stderr, ": %s\n", why);
    return 2;
}

/* One execution in this process, so that a debugger just works, with its whole interleaving. */
RFI_FN int rfi_replay(rfi_campaign *c, const char *text) {
    static rfi_token t;
    char why[256];
    if (!rfi_token_read(text, &t, why, sizeof why)) return rfi_refuse_token(text, why);
    t.job.test = rfi_test_named(t.test);
    if (!t.job.test)
        return rfi_refuse_token(text,
                                "it is of a test that this program does not have (see --list)");
    t.job.analyses = rfi_campaign_analyses(c, t.job.test);
    rfi_sink_open();
    rfi_replay_campaign = c;
    rfi_replay_token = &t;
    rfi_team_open(&c->team, 0);
    rfi_crash_open(rfi_debugged() ? 0 : c->settings.watchdog, NULL, rfi_replay_crashed);
    /* first of all: it may end without another word */
    fprintf(c->out, "racefuzz: replay of execution %u of test %s\n", t.index, t.test);
    fflush(c->out);
    (void)rfi_team_replay(&c->team, &t.job, t.index);
    return rfi_replay_report();
}

/* ---- the run ---- */

RFI_FN FILE *rfi_open_report(const rfi_settings *s) {
    if (!s->report) return stdout;
    FILE *f = fopen(s->report, "w");
    if (f) fcntl(fileno(f), F_SETFD, FD_CLOEXEC);
    if (f) return f;
    int error = errno;
    fputs("racefuzz: RF_REPORT=", stderr);
    rfi_complain_quoted(s->report, strlen(s->report));
    fprintf(stderr, ": it can't be written: %s\n", strerror(error));
    return NULL;
}

/* Crashes under RF_JOBS=0: the execution is given up and the campaign goes on, if the process is
 * still in one piece. */
static rfi_campaign *rfi_run_campaign RFI_UNUSED;

RFI_FN void rfi_run_crashed(void) {
    const rfi_campaign *c = rfi_run_campaign;
    const rfi_failure *f = &rfi.record->failure;
    char token[RFI_TOKEN_BYTES];
    bool fibers = c->team.backend == RFI_BACKEND_FIBER; /* exit() may hold a lock of its thread */
# if !defined RFI_ASAN && !defined RFI_TSAN
    if (!rfi_crash_elsewhere(rfi.current, 0) && (fibers || f->diagnostic != RF_DIAG_EXIT))
        rfi_go_home();
# endif
    rfi_token_write(c->team.job, rfi.record->index, NULL, token);
    fflush(c->out);
    fprintf(stderr,
            "racefuzz: %s: %s; with RF_JOBS=0 the campaign ends here; replay: RF_SEED=%s %s\n",
            rfi_diagnostic(f->diagnostic)->words, f->message, token, rfi_program);
    _exit(1);
}

RFI_FN uint32_t rfi_default_jobs(const rfi_settings *s) {
    if (s->jobs_given) return s->jobs;
    return rfi_debugged() ? 0 : 1;
}

RFI_FN int rfi_run_all(rfi_campaign *c) {
    static rfi_study study;
    uint32_t jobs = rfi_default_jobs(&c->settings);
    rfi_team_open(&c->team, jobs);
    rfi_team_listen(&c->team);
    if (!jobs) {
        rfi_run_campaign = c;
        rfi_crash_open(rfi_debugged() ? 0 : c->settings.watchdog, NULL, rfi_run_crashed);
        rfi_sink_open();
    }
    c->reporter->begin(c->out, &c->summary);
    for (rfi_test *t = rfi_tests; t && !rfi_interrupted; t = t->next) {
        if (!rfi_selected(c, t)) continue;
        rfi_campaign_test(c, &study, t);
        rfi_progress_clear();
    }
    c->reporter->end(c->out, &c->summary);
    rfi_team_close(&c->team);
    if (c->summary.failed) return 1;
    return c->summary.skipped && !c->summary.passed ? 77 : 0;
}

/* What is printed instead of running tests. */
RFI_FN bool rfi_print_about(const rfi_settings *s, const char *program) {
    if (s->help)
        rfi_print_help(stdout, program, rfi_names_all());
    else if (s->version)
        puts("racefuzz " RF_VERSION);
    else if (s->help_markdown)
        rfi_print_option_table(stdout, RFI_TABLE_MARKDOWN, rfi_names_all());
    else if (s->help_roff)
        rfi_print_option_table(stdout, RFI_TABLE_ROFF, rfi_names_all());
    return s->help || s->version || s->help_markdown || s->help_roff;
}

/* The names among the options of a test, or of all of them. */
RFI_FN bool rfi_options_valid(const rf_options *o, const char *of) {
    char where[192];
    if (!o) return true;
    const struct {
        rfi_option_id id;
        const char *field, *text;
    } named[] = {{RFI_OPTION_STRATEGY, "strategy", o->strategy},
                 {RFI_OPTION_DETECT, "detect", o->detect},
                 {RFI_OPTION_MEMORY, "memory", o->memory}};
    for (unsigned i = 0; i < sizeof named / sizeof *named; i++) {
        snprintf(where, sizeof where, "%.160s: .%s", of, named[i].field);
        if (!rfi_name_valid(named[i].id, rfi_names_all(), named[i].text, where)) return false;
    }
    return true;
}

int rf_run(const rf_options *options, int argc, char **argv) {
    rfi_campaign c = {.defaults = options, .progress = rfi_progress_hook};
    const rf_checker *astray = rfi_register_astray();
    if (astray) rfi_die("RF_CHECKER: %s: there is no analysis %s (.of)", astray->name, astray->of);
    rfi_streams_open();
    const char *program = argc > 0 && argv[0] ? argv[0] : "test";
    int status = rfi_settings_read(&c.settings, rfi_names_all(), argc, argv);
    if (status) return status;
    rfi_report_program(program);
    rfi_report_whole = c.settings.trace;
    if (rfi_print_about(&c.settings, program)) return rfi_close_report(&c.settings, stdout, 0);
    if (!rfi_options_valid(options, "rf_run")) return 2;
    for (rfi_test *t = rfi_tests; t; t = t->next) {
        if (!rfi_selected(&c, t)) continue;
        if (!rfi_options_valid(&t->options, t->options.rfi_name)) return 2;
        c.summary.tests++;
        if (c.settings.list) puts(t->options.rfi_name);
    }
    if (c.settings.list) return rfi_close_report(&c.settings, stdout, 0);
    if (!c.summary.tests) {
        fprintf(stderr, "racefuzz: no test %s\n",
                c.settings.filter ? "matches the filter (see --list)" : "is registered");
        return 2;
    }
    c.out = rfi_open_report(&c.settings);
    if (!c.out) return 2;
    c.summary.seed = c.settings.seed;
    bool tap = c.settings.format && !strcmp(c.settings.format, "tap");
    c.reporter = tap ? &rfi_tap_reporter : &rfi_text_reporter;
    c.team.backend = c.settings.backend;
    c.team.watchdog = c.settings.watchdog;
    status = c.settings.token ? rfi_replay(&c, c.settings.token) : rfi_run_all(&c);
    status = rfi_close_report(&c.settings, c.out, status);
    if (!rfi_interrupted) return status;
    int sig = rfi_interrupted;
    rfi_interrupted = 0;
    raise(sig); /* as it would have ended without us */
    return 128 + sig;
}
#endif
#endif

/* ==== edit src/api/sync.h ================================ >>api/sync */
/* api/sync.h: locks, conditions, semaphores, barriers, once (docs/sync.md).
 *
 * An object is made by its static initialiser (RF_MUTEX_INIT, ...) or by its rf_X_init, which gives
 * it the name of its class for reports; NULL names it after the place of the call.  Zeroed memory
 * is a valid mutex, rwlock, spin lock, condition and once.  An object belongs to one execution: the
 * next one finds it as it was initialised.  Misuse is a failure that names the place, never
 * undefined: unlocking what another thread holds or nobody does, taking a normal mutex twice,
 * destroying what is in use, using what is destroyed.
 *
 * Every argument is a pointer to the object.  Time-outs are milliseconds of virtual time: they may
 * fire whenever they could, and never wait for real.  Operations that can fail yield a bool.
 */
#ifndef RFI_API_SYNC_H
#define RFI_API_SYNC_H

/* ---- rf_mutex; kinds RF_MUTEX_NORMAL (0), RF_MUTEX_RECURSIVE, RF_MUTEX_ERRORCHECK ---- */

#define rf_mutex_init(m, name, kind) rfi_mutex_init(RFI_SITE(#m), m, name, kind)
#define rf_mutex_destroy(m)          rfi_mutex_destroy(RFI_SITE(#m), m)
#define RF_LOCK(m)                   rfi_mutex_lock(RFI_SITE(#m), m)
#define RF_TRYLOCK(m)                rfi_mutex_trylock(RFI_SITE(#m), m)       /* true: taken */
#define RF_TIMEDLOCK(m, ms)          rfi_mutex_timedlock(RFI_SITE(#m), m, ms) /* true: taken */
#define RF_UNLOCK(m)                 rfi_mutex_unlock(RFI_SITE(#m), m)

/* RF_GUARD(&m) { ... } holds the mutex for the block, and unlocks it on every way out: the closing
 * brace, return, goto; break and continue end the block, not a loop around it. */
#define RF_GUARD(m) RFI_GUARD(RFI_CAT(rfi_guard_, __COUNTER__), #m, m)

/* ---- rf_rwlock: many readers or one writer ---- */

#define rf_rwlock_init(l, name) rfi_rwlock_init(RFI_SITE(#l), l, name)
#define rf_rwlock_destroy(l)    rfi_rwlock_destroy(RFI_SITE(#l), l)
#define RF_RDLOCK(l)            rfi_rwlock_rdlock(RFI_SITE(#l), l)
#define RF_WRLOCK(l)            rfi_rwlock_wrlock(RFI_SITE(#l), l)
#define RF_TRYRDLOCK(l)         rfi_rwlock_tryrdlock(RFI_SITE(#l), l) /* true: taken */
#define RF_TRYWRLOCK(l)         rfi_rwlock_trywrlock(RFI_SITE(#l), l) /* true: taken */
#define RF_RWUNLOCK(l)          rfi_rwlock_unlock(RFI_SITE(#l), l)

/* ---- rf_spin: like a mutex, not recursive ---- */

#define rf_spin_init(l, name) rfi_spin_init(RFI_SITE(#l), l, name)
#define rf_spin_destroy(l)    rfi_spin_destroy(RFI_SITE(#l), l)
#define RF_SPIN_LOCK(l)       rfi_spin_lock(RFI_SITE(#l), l)
#define RF_SPIN_TRYLOCK(l)    rfi_spin_trylock(RFI_SITE(#l), l) /* true: taken */
#define RF_SPIN_UNLOCK(l)     rfi_spin_unlock(RFI_SITE(#l), l)

/* In the body of a hand-made spin loop: nothing will change until another thread has run. */
#define RF_SPIN_HINT() rfi_yield(RFI_SITE("hint"))

/* ---- rf_cond: used with a mutex that the waiting thread holds exactly once ---- */

#define rf_cond_init(c, name)  rfi_cond_init(RFI_SITE(#c), c, name)
#define rf_cond_destroy(c)     rfi_cond_destroy(RFI_SITE(#c), c)
#define RF_WAIT(c, m)          rfi_cond_wait(RFI_SITE(#c), c, m) /* may wake up without a signal */
#define RF_TIMEDWAIT(c, m, ms) rfi_cond_timedwait(RFI_SITE(#c), c, m, ms) /* false: timed out */
#define RF_SIGNAL(c)           rfi_cond_signal(RFI_SITE(#c), c)
#define RF_BROADCAST(c)        rfi_cond_broadcast(RFI_SITE(#c), c)

/* ---- rf_sem: counts from n, RF_SEM_INIT(n) ---- */

#define rf_sem_init(s, name, n) rfi_sem_init(RFI_SITE(#s), s, name, n)
#define rf_sem_destroy(s)       rfi_sem_destroy(RFI_SITE(#s), s)
#define RF_SEM_WAIT(s)          rfi_sem_wait(RFI_SITE(#s), s)
#define RF_SEM_TRYWAIT(s)       rfi_sem_trywait(RFI_SITE(#s), s)       /* true: taken */
#define RF_SEM_TIMEDWAIT(s, ms) rfi_sem_timedwait(RFI_SITE(#s), s, ms) /* true: taken */
#define RF_SEM_POST(s)          rfi_sem_post(RFI_SITE(#s), s)

/* ---- rf_barrier: for n threads at a time, RF_BARRIER_INIT(n); n is at least 1 ---- */

#define rf_barrier_init(b, name, n) rfi_barrier_init(RFI_SITE(#b), b, name, n)
#define rf_barrier_destroy(b)       rfi_barrier_destroy(RFI_SITE(#b), b)
#define RF_BARRIER_WAIT(b)          rfi_barrier_wait(RFI_SITE(#b), b) /* true for one of the n */

/* ---- rf_once: RF_ONCE(&o, fn) returns when `void fn(void)` has been called, once ---- */

#define rf_once_init(o, name) rfi_once_init(RFI_SITE(#o), o, name)
#define rf_once_destroy(o)    rfi_once_destroy(RFI_SITE(#o), o)
#define RF_ONCE(o, fn)        rfi_once(RFI_SITE(#o), o, fn)

/* ---- how ---- */

typedef struct rfi_guard {
    const rf_site *site;
    rf_mutex *mutex;
    bool open; /* the block has not been run yet */
} rfi_guard;

RFI_EXTERN_C_BEGIN
rfi_guard rfi_guard_begin(const rf_site *s, rf_mutex *m);
void rfi_guard_end(rfi_guard *g);
RFI_EXTERN_C_END

#define RFI_GUARD(guard, text, m) \
    for (rfi_guard guard RFI_CLEANUP(rfi_guard_end) = rfi_guard_begin(RFI_SITE(text), m); \
         guard.open; guard.open = false)

#ifdef RFI_IMPL
rfi_guard rfi_guard_begin(const rf_site *s, rf_mutex *m) {
    rfi_mutex_lock(s, m);
    return (rfi_guard){s, m, true};
}

void rfi_guard_end(rfi_guard *g) { rfi_mutex_unlock(g->site, g->mutex); }
#endif
#endif

/* ==== edit src/api/test.h ================================ >>api/test */
/* api/test.h: tests and what they say (docs/tests.md). */
#ifndef RFI_API_TEST_H
#define RFI_API_TEST_H

/* RF_TEST(name) { ... } at file scope is a test, registered by itself; its body is the first
 * logical thread of every execution.  In C, options may follow the name, as designated initialisers
 * of rf_options: RF_TEST(name, .executions = 5000, .expect = RF_EXPECT_RACE). */
#ifdef __cplusplus
# define RF_TEST(name) RFI_TEST(name, t.options.rfi_name = #name)
#else
# define RF_TEST(...) RFI_TEST_WITH(__VA_ARGS__, )
# define RFI_TEST_WITH(name, ...) \
     RFI_TEST(name, t.options = ((rf_options){.rfi_name = #name, __VA_ARGS__}))
#endif

/* int main: runs all registered tests as the command line and the environment ask, and reports. */
#define RF_MAIN() \
    int main(int argc, char **argv) { return rf_run(NULL, argc, argv); }

/* Fails the execution unless the condition holds. */
#define RF_ASSERT(...) \
    (RFI_LIKELY((__VA_ARGS__)) ? (void)0 : rfi_assert_failed(RFI_SITE(#__VA_ARGS__)))

/* The same for `a op b`, for scalars: the failure tells both values.  C's conversions apply. */
#define RF_ASSERT_EQ(a, b) RFI_ASSERT_OP(a, ==, b, #a " == " #b)
#define RF_ASSERT_NE(a, b) RFI_ASSERT_OP(a, !=, b, #a " != " #b)
#define RF_ASSERT_LT(a, b) RFI_ASSERT_OP(a, <, b, #a " < " #b)
#define RF_ASSERT_LE(a, b) RFI_ASSERT_OP(a, <=, b, #a " <= " #b)
#define RF_ASSERT_GT(a, b) RFI_ASSERT_OP(a, >, b, #a " > " #b)
#define RF_ASSERT_GE(a, b) RFI_ASSERT_OP(a, >=, b, #a " >= " #b)

/* For strings (NULL equals NULL only), and for `len` bytes.  They read what they compare without
 * announcing it: call RF_READ first if others may write it. */
#define RF_ASSERT_STR_EQ(a, b)      rfi_assert_str(RFI_SITE(#a " equals " #b), a, b)
#define RF_ASSERT_MEM_EQ(a, b, len) rfi_assert_mem(RFI_SITE(#a " equals " #b), a, b, len)

/* Fails the execution with a message, as of printf. */
#define RF_FAIL(...) rfi_fail_test(RFI_SITE("RF_FAIL"), RF_DIAG_FAIL, __VA_ARGS__)

/* Ends the test: it counts as skipped, and `reason` (a string) is printed. */
#define RF_SKIP(reason) rfi_skip_test(RFI_SITE("RF_SKIP"), reason)

/* A line, as of printf, that stands in the interleaving where the thread was. */
#define RF_LOG(...) rfi_log(RFI_SITE("RF_LOG"), __VA_ARGS__)

/* From here to the end of the scope, `bool fn(void *)` must yield true for arg at every scheduling
 * point.  It makes no events and sees the newest values: it may read shared data as it likes. */
#define RF_INVARIANT(fn, arg) RFI_INVARIANT(RFI_CAT(rfi_invariant_, __COUNTER__), #fn, fn, arg)

/* A number from 0 to n-1 (uint32_t), drawn from the seed: inputs are explored like schedules. */
#define RF_CHOOSE(n) rfi_choose(RFI_SITE(#n), n)

/* `RF_FUNC;` at the top of a function: its calls are seen, as a scope named after the function. */
#define RF_FUNC RFI_FUNC(RFI_CAT(rfi_func_, __COUNTER__))

/* ---- how ---- */

#define RFI_TEST(name, set_options) \
    static void rf_test_##name(void); \
    __attribute__((constructor)) static void rfi_register_##name(void) { \
        static rfi_test t; \
        t.file = __FILE__; \
        t.line = __LINE__; \
        t.body = rf_test_##name; \
        set_options; \
        rfi_register(&t); \
    } \
    static void rf_test_##name(void)

#define RFI_INVARIANT(scope, text, fn, arg) \
    rfi_scope scope RFI_CLEANUP(rfi_invariant_end); \
    rfi_invariant_begin(&scope, RFI_SITE(text), fn, arg)

#define RFI_FUNC(scope) \
    rfi_scope scope RFI_UNUSED RFI_CLEANUP(rfi_func_end) = rfi_func_begin(RFI_SITE("RF_FUNC"))

#define RFI_ASSERT_OP(a, op, b, text) \
    RFI_UNIQUE(RFI_COMPARE, __COUNTER__, RFI_COMPARE_FAILED, text, a, op, b)
#define RFI_COMPARE_FAILED(text, p, v) \
    rfi_compare_failed(RFI_SITE(text), RFI_SHOW(p), RFI_SHOW(v))

typedef struct rfi_shown {
    char text[48];
} rfi_shown;

RFI_EXTERN_C_BEGIN
void rfi_assert_failed(const rf_site *s) RFI_NORETURN;
void rfi_compare_failed(const rf_site *s, rfi_shown a, rfi_shown b) RFI_NORETURN;
void rfi_assert_str(const rf_site *s, const char *a, const char *b);
void rfi_assert_mem(const rf_site *s, const void *a, const void *b, size_t n);
rfi_shown rfi_show_bool(bool v);
rfi_shown rfi_show_char(char v);
rfi_shown rfi_show_signed(long long v);
rfi_shown rfi_show_unsigned(unsigned long long v);
rfi_shown rfi_show_double(double v);
rfi_shown rfi_show_long_double(long double v);
rfi_shown rfi_show_pointer(const volatile void *v);
RFI_EXTERN_C_END

#ifdef __cplusplus
template <typename T> rfi_shown rfi_show(T v) {
    if constexpr (std::is_same_v<T, bool>) return rfi_show_bool(v);
    else if constexpr (std::is_same_v<T, char>) return rfi_show_char(v);
    else if constexpr (std::is_same_v<T, long double>) return rfi_show_long_double(v);
    else if constexpr (std::is_floating_point_v<T>) return rfi_show_double(v);
    else if constexpr (std::is_enum_v<T>) return rfi_show_signed(static_cast<long long>(v));
    else if constexpr (std::is_unsigned_v<T>) return rfi_show_unsigned(v);
    else if constexpr (std::is_integral_v<T>) return rfi_show_signed(v);
    else return rfi_show_pointer(v);
}
# define RFI_SHOW(v) rfi_show(v)
#else
/* Integers of a type that is not listed are bit-fields. */
# define RFI_SHOW(v) \
     _Generic((v), \
         bool: rfi_show_bool, \
         char: rfi_show_char, \
         signed char: rfi_show_signed, \
         short: rfi_show_signed, \
         int: rfi_show_signed, \
         long: rfi_show_signed, \
         long long: rfi_show_signed, \
         unsigned char: rfi_show_unsigned, \
         unsigned short: rfi_show_unsigned, \
         unsigned: rfi_show_unsigned, \
         unsigned long: rfi_show_unsigned, \
         unsigned long long: rfi_show_unsigned, \
         float: rfi_show_double, \
         double: rfi_show_double, \
         long double: rfi_show_long_double, \
         default: __builtin_choose_expr(__builtin_classify_type(v) == RFI_CLASS_INTEGER, \
                                        rfi_show_signed, rfi_show_pointer))(v)
#endif

#ifdef RFI_IMPL
void rfi_assert_failed(const rf_site *s) { rfi_fail_test(s, RF_DIAG_ASSERT, "%s", s->text); }

void rfi_compare_failed(const rf_site *s, rfi_shown a, rfi_shown b) {
    rfi_fail_test(s, RF_DIAG_ASSERT, "%s: left is %s, right is %s", s->text, a.text, b.text);
}

void rfi_assert_str(const rf_site *s, const char *a, const char *b) {
    if (a == b || (a && b && !strcmp(a, b))) return;
    const char *qa = a ? "\"" : "", *qb = b ? "\"" : "";
    rfi_fail_test(s, RF_DIAG_ASSERT, "%s: left is %s%.200s%s, right is %s%.200s%s", s->text, qa,
                  a ? a : "NULL", qa, qb, b ? b : "NULL", qb);
}

void rfi_assert_mem(const rf_site *s, const void *a, const void *b, size_t n) {
    const unsigned char *p = a, *q = b;
    size_t i = 0;
    while (i < n && p[i] == q[i]) i++;
    if (i < n)
        rfi_fail_test(s, RF_DIAG_ASSERT, "%s: byte %zu of %zu: left is 0x%02x, right is 0x%02x",
                      s->text, i, n, p[i], q[i]);
}

RFI_FN RFI_PRINTF(1, 2) rfi_shown rfi_show_as(const char *fmt, ...) {
    rfi_shown shown;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(shown.text, sizeof shown.text, fmt, ap);
    va_end(ap);
    return shown;
}

rfi_shown rfi_show_bool(bool v) { return rfi_show_as("%s", v ? "true" : "false"); }

rfi_shown rfi_show_char(char v) {
    return v >= ' ' && v <= '~' ? rfi_show_as("'%c' (%d)", v, v) : rfi_show_as("%d", v);
}

rfi_shown rfi_show_signed(long long v) { return rfi_show_as("%lld", v); }
rfi_shown rfi_show_unsigned(unsigned long long v) { return rfi_show_as("%llu", v); }
rfi_shown rfi_show_double(double v) { return rfi_show_as("%.17g", v); }
rfi_shown rfi_show_long_double(long double v) { return rfi_show_as("%.21Lg", v); }

rfi_shown rfi_show_pointer(const volatile void *v) {
    return v ? rfi_show_as("0x%jx", (uintmax_t)(uintptr_t)v) : rfi_show_as("NULL");
}
#endif
#endif

/* ==== edit src/api/thread.h ============================== >>api/thread */
/* api/thread.h: logical threads, virtual time, thread-local objects (docs/sync.md). */
#ifndef RFI_API_THREAD_H
#define RFI_API_THREAD_H

/* Starts fn(arg), with `void *fn(void *)`, in a new logical thread: an rf_thread, the handle for
 * the other macros.  A thread that still holds a lock when fn returns is a failure. */
#define RF_THREAD(fn, arg) rfi_create(RFI_SITE(#fn), fn, arg)

/* Waits until thread `t` has ended and gives the result of its function.  Joining oneself, a
 * detached thread, or a thread twice are failures. */
#define RF_JOIN(t) rfi_join(RFI_SITE(#t), t)

/* Nobody will join `t`.  The execution still lasts until it has ended. */
#define RF_DETACH(t) rfi_detach(RFI_SITE(#t), t)

/* The handle of the running thread. */
#define RF_SELF() rfi_self()

/* Lets others go first. */
#define RF_YIELD() rfi_yield(RFI_SITE("yield"))

/* Sleeps for n milliseconds of virtual time, which costs no real time: others run meanwhile, as
 * long as they like. */
#define RF_SLEEP_MS(n) rfi_sleep(RFI_SITE(#n), n)

/* RF_TLS(T, name); at file scope is a thread-local object of type T, zero when a thread first uses
 * it; its name is known in this unit only.  RF_TLS_PTR(name) is the running thread's own, a T *,
 * which lives as long as the thread. */
#define RF_TLS(T, name) \
    static struct { \
        rfi_tls key; \
        __typeof__(T) *type; /* never set: RF_TLS_PTR takes its type */ \
    } name = {{sizeof(T), 0}, NULL}
#define RF_TLS_PTR(name) ((__typeof__((name).type))rfi_tls_ptr(&(name).key))
#endif

#endif /* !RF_OFF */
#endif /* RACEFUZZ_H */

#if defined RF_IMPLEMENTATION && !defined RF_OFF && !defined RFI_IMPL
# error "define RF_IMPLEMENTATION before the first include of racefuzz.h"
#endif

/* Every kind of synchronisation object: what it keeps out and lets in, every outcome that must be
 * reachable, and the misuse that only this kind can suffer; the rest of that is in misuse.c, waits
 * without end are in deadlock.c (docs/sync.md). */
#define RF_IMPLEMENTATION
#include "script.h"

/* What one thread does alone: i is how many are inside, x counts. */
#define ADDS_TWO(enter, leave)                                                     \
 "times 2 {" enter "; peek i; if ! 0 { fail inside }; quietly i 1; R x; W x it+1;" \
 "peek i; if ! 1 { fail inside }; quietly i 0;" leave "}"
#define THREE_ADD(enter, leave) \
 "body: start; again; again; join; peek x; if ! 6 { fail lost } |" ADDS_TWO(enter, leave)

/* Beside one that holds it: not taken, and taken. */
#define BESIDE_IT(try, release, holder) \
 "body: start;" try "; see it; if = 1 {" release "}; join |" holder

/* Three threads, of which each notes its number. */
#define THREE(before, after) \
 before "digit o 0;" after "|" before "digit o 1;" after "|" before "digit o 2;" after
#define IN_ANY_ORDER(body, before, after) \
 "body: start; start; start;" body "join; order o; see it |" THREE(before, after)

#define UNTIL_WAITING(n) "loop { lock m; peek w; unlock m; until = " n "; yield };"
#define WAITS            "lock m; peek w; quietly w it+1; @1 wait c m; unlock m"
#define WAITS_FOR(flag)  "lock m; loop {" flag "; until = 1; wait c m }; unlock m"

static const script_row mutexes[] = {
    PASS_ROW("a mutex keeps others out", THREE_ADD("lock m", "unlock m")),
    REACH_ROW(6, "every order of three waiters is reached",
              IN_ANY_ORDER("", "lock m;", "unlock m")),
    REACH_ROW(2, "trylock is true and false",
              BESIDE_IT("try m", "unlock m", "lock m; yield; unlock m")),
    REACH_ROW(2, "timedlock is true and false and never waits for real",
              BESIDE_IT("timed m 86400000", "unlock m", "lock m; yield; unlock m")),
    PASS_ROW(
        "a free mutex is taken by try and timed lock",
        "body: try m; if = 0 { fail try }; unlock m; timed m 0; if = 0 { fail timed }; unlock m"),
    PASS_ROW("trylock of one's own lock is false",
             "body: mutex e checked 2; lock m; try m; if = 1 { fail try }; unlock m;"
             "lock e; try e; if = 1 { fail checked }; unlock e; mutex_destroy e"),
    PASS_ROW("a recursive mutex is free after the last unlock",
             "body: mutex m again 1; start; again; join; mutex_destroy m | lock m; peek i;"
             "if ! 0 { fail inside }; try m; if = 0 { fail try }; timed m 5; if = 0 { fail timed };"
             "unlock m; quietly i 1; unlock m; yield; quietly i 0; unlock m"),
    PASS_ROW("a destroyed mutex can be made again",
             "body: lock m; unlock m; mutex_destroy m; mutex m again 1; lock m; lock m; unlock m;"
             "unlock m; mutex_destroy m"),
    FAIL_ALWAYS_ROW("locking it again with a time-out", "body: @1 lock m; @2 timed m 10", RELOCK, 2,
                    "T0 already holds m since @1"),
    FAIL_ALWAYS_ROW("locking an errorcheck mutex again",
                    "body: mutex e checked 2; @1 lock e; @2 lock e", RELOCK, 2,
                    "T0 already holds checked since @1"),
    FAIL_ALWAYS_ROW("unlocking a recursive mutex too often",
                    "body: mutex m again 1; lock m; unlock m; @1 unlock m", UNLOCK_FREE, 1,
                    "again is not locked"),
    /* Who waits while it is taken may only be seen when nobody holds it any more. */
    FAIL_ROW("destroying a mutex that a thread waits for",
             "body: lock m; start; yield; unlock m; @1 mutex_destroy m; skip | lock m; unlock m",
             DESTROY_BUSY, 1, "T1 waits for m"),
    FAIL_ALWAYS_ROW("an unknown kind of mutex", "body: @1 mutex m r 7", BAD_COUNT, 1,
                    "7 is no kind of mutex"),
};

#define SIGNAL_AND_SEE_ONE(n)                                            \
 "signal c; loop { racyR k; until = " n "; yield }; times 20 { yield };" \
 "peek k; if ! " n " { fail two };"
#define WAITS_ONCE(number)                                                            \
 "lock m; peek w; quietly w it+1; wait c m; peek k; if = 0 { quietly f " number " };" \
 "quietly k it+1; unlock m"

static const script_row conditions[] = {
    REACH_ROW(3, "a signal wakes one and any of the waiters",
              "body: start; start; start;" UNTIL_WAITING("3") SIGNAL_AND_SEE_ONE("1")
                  SIGNAL_AND_SEE_ONE("2")
                      SIGNAL_AND_SEE_ONE("3") "join; peek f; see it |" WAITS_ONCE(
                          "0") "|" WAITS_ONCE("1") "|" WAITS_ONCE("2")),
    REACH_ROW(6, "a broadcast wakes all in any order",
              IN_ANY_ORDER(UNTIL_WAITING("3") "broadcast c;",
                           "lock m; peek w; quietly w it+1; wait c m;", "unlock m")),
    PASS_ROW("waiting in a loop for a condition is right",
             "body: start; again; lock m; W f 1; broadcast c; unlock m; join |" WAITS_FOR("R f"),
             .spurious = true),
    REACH_ROW(3, "a timed wait ends by signal and by time-out, also if the signal comes meanwhile",
              "body: start; lock m; peek f; keep; if = 0 { timedwait c m 3600000; keep }; recall;"
              "if = 1 { see 1; peek f; if = 0 { fail early } };"
              "recall; if = 0 { peek f; if = 0 { see 0 }; peek f; if = 1 { see 2 } };"
              "unlock m; join | lock m; quietly f 1; signal c; unlock m"),
    PASS_ROW(
        "a timed wait that nobody signals times out, and holds the mutex",
        "body: lock m; timedwait c m 5; if = 1 { fail signalled }; try m; if = 1 { fail free };"
        "unlock m"),
    PASS_ROW("a wait releases the mutex and takes it back",
             "body: start;" UNTIL_WAITING(
                 "1") "lock m; signal c; quietly w 2; unlock m;"
                      "lock m; quietly w 3; unlock m; join | lock m; quietly w 1; wait c m; peek "
                      "w; keep;"
                      "if < 2 { fail early }; yield; peek w; if ! kept { fail free }; unlock m"),
    FAIL_ROW("waits wake up for nothing now and then", "body: lock m; @1 wait c m; unlock m", STUCK,
             1, "1 thread waits and nobody can wake it\n  T0 waits at @1 for a signal of c",
             .spurious = true),
    FAIL_ALWAYS_ROW("no_spurious turns such wake-ups off", "body: lock m; @1 wait c m; unlock m",
                    STUCK, 1,
                    "1 thread waits and nobody can wake it\n  T0 waits at @1 for a signal of c"),
    REACH_ROW(2, "a timed wait that wakes for nothing has not timed out",
              "body: lock m; timedwait c m 10; see it; unlock m", .spurious = true),
    PASS_ROW(
        "a signal to nobody is not kept",
        "body: signal c; broadcast c; lock m; timedwait c m 1; if = 1 { fail kept }; unlock m"),
    PASS_ROW("a condition may be destroyed after its broadcast",
             "body: cond c; start;" UNTIL_WAITING(
                 "1") "lock m; quietly f 1; broadcast c; cond_destroy c; unlock m; join |"
                      "lock m; quietly w 1; loop { peek f; until = 1; wait c m }; unlock m"),
    FAIL_ALWAYS_ROW("waiting without the mutex", "body: @1 wait c m", WAIT_UNLOCKED, 1,
                    "T0 waits for c and does not hold the mutex"),
    FAIL_ALWAYS_ROW("waiting with the mutex of another", "body: lock m; start; join | @1 wait c m",
                    WAIT_UNLOCKED, 1, "T1 waits for c and does not hold the mutex"),
    FAIL_ALWAYS_ROW("waiting with a mutex locked twice",
                    "body: mutex m again 1; lock m; lock m; @1 wait c m", WAIT_DEPTH, 1,
                    "T0 waits for c, but mutex again, locked more than once, stays locked"),
    FAIL_ALWAYS_ROW("waiting with two mutexes",
                    "body: start;" UNTIL_WAITING("1") "lock n; @2 wait c n |" WAITS, WAIT_MUTEX, 2,
                    "T0 waits for c with mutex n, while T1 waits with m"),
    FAIL_ALWAYS_ROW("destroying a condition that a thread waits for",
                    "body: start;" UNTIL_WAITING("1") "@2 cond_destroy c |" WAITS, DESTROY_BUSY, 2,
                    "T1 waits for c"),
    FAIL_ALWAYS_ROW("initialising a condition that a thread waits for",
                    "body: start;" UNTIL_WAITING("1") "@2 cond c |" WAITS, REINIT, 2,
                    "T1 waits for c"),
};

static const script_row semaphores[] = {
    REACH_ROW(2, "a semaphore of two lets two in",
              "body: sem s 2; start; again; again; join; peek o; see it-1 |"
              "take s; peek i; quietly i it+1; keep; peek o; if < kept+1 { quietly o kept+1 };"
              "yield; peek i; quietly i it-1; post s"),
    REACH_ROW(2, "a post wakes any of the waiters",
              "body: start; start; post s; post s; join; peek o; if = 1 { see 0 }; peek o;"
              "if = 3 { see 1 } | take s; digit o 0 | take s; digit o 1"),
    PASS_ROW("what was written before a post is seen after the wait",
             "body: start; take s; peek d; if ! 42 { fail old }; join | quietly d 42; post s"),
    REACH_ROW(2, "trywait is true and false", "body: start; trytake s; see it; join | post s"),
    REACH_ROW(2, "a timed semaphore wait is true and false",
              "body: start; timedtake s 86400000; see it; join | post s"),
    PASS_ROW("a semaphore counts",
             "body: sem s 3; times 3 { trytake s; if = 0 { fail three } };"
             "trytake s; if = 1 { fail four }; timedtake s 0; if = 1 { fail four };"
             "post s; timedtake s 7; if = 0 { fail posted }; sem_destroy s"),
    /* A token need not be given back by who took it, nor before the thread ends. */
    PASS_ROW("a semaphore has no owner", "body: sem s 2; take s; start; join | post r"),
    FAIL_FINE_ROW("destroying a semaphore that a thread waits for",
                  "body: start; @1 sem_destroy s | take s", DESTROY_BUSY, 1, "T1 waits for s"),
    FAIL_ALWAYS_ROW("waiting for a destroyed semaphore", "body: sem_destroy s; @1 take s",
                    DESTROYED, 1, "s was destroyed before"),
    FAIL_ALWAYS_ROW("a semaphore that would overflow", "body: sem s 4294967295; @1 post s",
                    BAD_COUNT, 1, "s already counts 4294967295"),
};

/* One of three threads in a phase: nobody leaves before the last has come. */
#define PHASE(arrived, chosen, me)                                        \
 "peek " arrived "; quietly " arrived " it+1; arrive b;"                  \
 "if = 1 { peek " chosen "; quietly " chosen " it+1; quietly " me " 1 };" \
 "peek " arrived "; if ! 3 { fail early };"
#define FOUR_PHASES(me) \
 PHASE("p", "e", me) PHASE("q", "f", me) PHASE("r", "g", me) PHASE("s", "h", me)
#define ONCE_EACH(chosen) "peek " chosen "; if ! 1 { fail chosen };"
#define SEE_IF(me, n)     "peek " me "; if = 1 { see " n " };"

static const script_row barriers[] = {
    REACH_ROW(3, "a barrier is reused and any one is told true in each phase",
              "body: barrier b 3; start; start; start; join;" ONCE_EACH("e") ONCE_EACH("f")
                  ONCE_EACH("g") ONCE_EACH("h") SEE_IF("x", "0") SEE_IF("y", "1") SEE_IF(
                      "z", "2") "|" FOUR_PHASES("x") "|" FOUR_PHASES("y") "|" FOUR_PHASES("z")),
    PASS_ROW("a barrier for one never blocks",
             "body: barrier b 1; times 3 { arrive b; if = 0 { fail told } }; barrier_destroy b"),
    PASS_ROW("twice as many threads form two groups",
             "body: barrier b 3; start; times 5 { again }; join; peek n; if ! 6 { fail kept } |"
             "arrive b; peek n; quietly n it+1"),
    FAIL_ALWAYS_ROW("initialising a barrier for nobody", "body: @1 barrier b 0", BAD_COUNT, 1,
                    "a barrier for 0 threads"),
    FAIL_ROW("destroying a barrier that a thread waits at",
             "body: barrier b 3; start; take s; loop { arrived b; until = 1; yield };"
             "@1 barrier_destroy b | post s; arrive b",
             DESTROY_BUSY, 1, "T1 waits for b"),
};

/* A thread sets a flag, another one spins for it; coarse: plain loads are no scheduling points. */
#define SPINS_FOR(loop) \
 "body: start; loop {" loop "}; join | racyW p 1; store f 1", .max_steps = 20000

static const script_row spins[] = {
    PASS_ROW("a spin lock keeps others out", THREE_ADD("spin s", "unspin s")),
    REACH_ROW(2, "spin trylock is true and false",
              BESIDE_IT("tryspin s", "unspin s", "spin s; yield; unspin s")),
    PASS_ROW("spin trylock of one's own lock is false",
             "body: tryspin s; if = 0 { fail free }; tryspin s; if = 1 { fail own }; unspin s"),
    PASS_ROW("a loop of trylocks lets the owner go on",
             "body: start; loop { tryspin s; until = 1 }; unspin s; join | spin s; yield; unspin s",
             .max_steps = 20000),
    PASS_ROW("a loop with a hint lets others go on", SPINS_FOR("load f; until = 1; hint")),
    PASS_ROW("a loop with a yield lets others go on", SPINS_FOR("load f; until = 1; yield")),
    PASS_ROW("a loop with a sleep lets others go on", SPINS_FOR("load f; until = 1; sleep 1")),
    PASS_ROW("a bare loop of atomic loads lets others go on", SPINS_FOR("load f; until = 1")),
    PASS_ROW("a bare loop of plain loads lets others go on", SPINS_FOR("R p; until = 1")),
    PASS_ROW("a loop of compare-exchanges lets others go on", SPINS_FOR("cas f 1; until = 1")),
};

/* i is how many read, w how many write, o the most who read at once. */
#define READS                                                              \
 "rdlock l; peek w; if ! 0 { fail writer }; peek i; quietly i it+1; keep;" \
 "peek o; if < kept+1 { quietly o kept+1 }; yield; peek i; quietly i it-1; rwunlock l"
#define WRITES                                                                            \
 "wrlock l; peek w; if ! 0 { fail writer }; peek i; if ! 0 { fail reader }; quietly w 1;" \
 "yield; quietly w 0; rwunlock l"

static const script_row rwlocks[] = {
    REACH_ROW(3, "readers share and writers exclude",
              "body: start; start; start; start; start; join; peek o; see it-1 |" READS "|" WRITES
              "|" READS "|" WRITES "|" READS),
    REACH_ROW(4, "neither readers nor writers are preferred",
              "body: wrlock l; start; start; yield; rwunlock l; join |"
              "rdlock l; peek t; see it; quietly t 1; rwunlock l |"
              "wrlock l; peek t; see it+2; quietly t 1; rwunlock l"),
    REACH_ROW(2, "tryrdlock is true and false beside a writer",
              BESIDE_IT("tryrd l", "rwunlock l", WRITES)),
    PASS_ROW("tryrdlock is always true beside a reader",
             "body: start; tryrd l; if = 0 { fail kept_out }; rwunlock l; join |" READS),
    REACH_ROW(2, "trywrlock is true and false beside a reader",
              BESIDE_IT("trywr l", "rwunlock l", READS)),
    PASS_ROW("a thread may read lock twice and unlocks twice",
             "body: start; rdlock l; rdlock l; tryrd l; if = 0 { fail third }; trywr l;"
             "if = 1 { fail writer }; rwunlock l; rwunlock l; quietly i 1; yield; quietly i 0;"
             "rwunlock l; join |" WRITES),
    PASS_ROW("tries of one's own write lock are false",
             "body: wrlock l; tryrd l; if = 1 { fail reader }; trywr l; if = 1 { fail writer };"
             "rwunlock l; trywr l; if = 0 { fail free }; rwunlock l"),
    FAIL_ALWAYS_ROW("writing what one reads", "body: @1 rdlock l; @2 wrlock l", RELOCK, 2,
                    "T0 already holds l since @1"),
    FAIL_ALWAYS_ROW("reading what one writes", "body: @1 wrlock l; @2 rdlock l", RELOCK, 2,
                    "T0 already holds l since @1"),
};

/* ---- what takes C: static objects, guards, the heap, functions ---- */

static rf_mutex m = RF_MUTEX_INIT;
static rf_sem two = RF_SEM_INIT(2);
static rf_once o = RF_ONCE_INIT;
static int inside, calls, value, runner;

/* An execution that ends with them taken does not hand them on to the next one. */
PASSING(static_objects_are_fresh_in_every_execution) {
    RF_LOCK(&m);
    RF_ASSERT(RF_SEM_TRYWAIT(&two));
    RF_ASSERT(RF_SEM_TRYWAIT(&two));
    RF_ASSERT(!RF_SEM_TRYWAIT(&two));
    RF_SKIP("ends here, with the lock taken");
}

static int leave_early(int how) {
    RF_GUARD(&m) {
        inside++;
        if (how == 0) return inside--;
        if (how == 1) goto out;
        if (how == 2) break;
        if (how == 3) continue;
    out:
        inside--;
        return 1;
    }
    return inside--;
}

PASSING(a_guard_unlocks_on_every_way_out) {
    inside = 0;
    for (int how = 0; how < 5; how++)
        RF_ASSERT_EQ(leave_early(how), how == 1 || how == 4 ? 1 : inside + 1);
    RF_ASSERT(RF_TRYLOCK(&m));
    RF_UNLOCK(&m);
}

PASSING(guards_nest) {
    rf_mutex n = RF_MUTEX_INIT;
    RF_GUARD(&m) RF_GUARD(&n) {
        RF_ASSERT(!RF_TRYLOCK(&m));
        RF_ASSERT(!RF_TRYLOCK(&n));
    }
    RF_ASSERT(RF_TRYLOCK(&m) && RF_TRYLOCK(&n));
    RF_UNLOCK(&n);
    RF_UNLOCK(&m);
}

FAILING_ALWAYS(signalling_a_mutex_fails, WRONG_TYPE, 1, "u.cond is a mutex, not a condition") {
    union {
        rf_mutex mutex;
        rf_cond cond;
    } u = {.mutex = RF_MUTEX_INIT};
    RF_LOCK(&u.mutex);
    AT(1, RF_SIGNAL(&u.cond));
}

FAILING_ALWAYS(a_mutex_in_freed_memory_fails, USE_AFTER_FREE, 3,
               "synchronisation object at offset 0 of a block of 64 bytes, allocated by T0 at @1, "
               "freed by T0 at @2") {
    rf_mutex *p = AT(1, RF_MALLOC(64));
    rf_mutex_init(p, "in the heap", RF_MUTEX_NORMAL);
    AT(2, RF_FREE(p));
    AT(3, RF_LOCK(p));
}

FAILING_ALWAYS(freeing_the_memory_of_a_locked_mutex_fails, DESTROY_BUSY, 2,
               "T0 holds the object at offset 0 of a block of 64 bytes, allocated by T0 at @1") {
    rf_mutex *p = AT(1, RF_MALLOC(64));
    rf_mutex_init(p, "in the heap", RF_MUTEX_NORMAL);
    RF_LOCK(p);
    AT(2, RF_FREE(p));
}

FAILING_ALWAYS(a_static_barrier_for_nobody_fails, BAD_COUNT, 1, "barrier empty is for 0 threads") {
    static rf_barrier empty = RF_BARRIER_INIT(0);
    AT(1, (void)RF_BARRIER_WAIT(&empty));
}

static void strikes(void *arg) { (void)arg; }

FAILING_ALWAYS(an_interrupt_below_zero_times_fails, BAD_COUNT, 1,
               ".times = 4294967295: that is below zero, or more than 2147483647") {
    AT(1, RF_INTERRUPT(below, strikes, NULL, .times = (unsigned)-1));
}

/* The chosen one may destroy the barrier, and free its memory, while others have yet to leave. */
static void *destroy_if_chosen(void *barrier) {
    if (RF_BARRIER_WAIT((rf_barrier *)barrier)) {
        rf_barrier_destroy((rf_barrier *)barrier);
        RF_FREE(barrier);
    }
    return NULL;
}

PASSING(the_chosen_one_may_destroy_the_barrier_at_once) {
    rf_barrier *heap = RF_MALLOC(sizeof *heap);
    rf_barrier_init(heap, "heap", 2);
    rf_thread t = RF_THREAD(destroy_if_chosen, heap);
    (void)destroy_if_chosen(heap);
    (void)RF_JOIN(t);
}

static void initialise(void) {
    calls++;
    runner = (int)RF_SELF().id;
    RF_YIELD(); /* others come meanwhile */
    RF_STORE(value, 7);
}

THREAD(use) {
    RF_ONCE(&o, initialise);
    RF_ASSERT_EQ(RF_LOAD(value), 7);
}

/* Outcome: who runs it. */
REACHING(3, once_runs_once_in_any_thread_and_all_wait_for_it) {
    calls = 0;
    RF_STORE(value, 0);
    rf_thread t = RF_THREAD(use, NULL), u = RF_THREAD(use, NULL);
    (void)use(NULL);
    (void)RF_JOIN(t);
    (void)RF_JOIN(u);
    RF_ASSERT_EQ(calls, 1);
    seen[runner]++;
}

PASSING(a_once_made_by_init_runs_again_after_destroy_and_init) {
    rf_once made;
    rf_once_init(&made, "made");
    calls = 0;
    RF_ONCE(&made, initialise);
    RF_ONCE(&made, initialise);
    RF_ASSERT_EQ(calls, 1);
    rf_once_destroy(&made);
    rf_once_init(&made, NULL);
    RF_ONCE(&made, initialise);
    RF_ASSERT_EQ(calls, 2);
}

static void locks(void) {
    AT(1, RF_LOCK(&m));
    RF_UNLOCK(&m);
}

static void nothing(void) {}

THREAD(once_that_locks) { AT(2, RF_ONCE(&o, locks)); }

FAILING(a_once_that_needs_the_lock_of_a_waiting_thread_is_a_deadlock, LOCK_CYCLE, 4,
        "cycle T0 -> T1 -> T0\n  T0 waits at @4 for the initialiser of o, run by T1; it holds m "
        "(taken at @3)\n  T1 waits at @1 for mutex m, held by T0") {
    BESIDE(once_that_locks) {
        AT(3, RF_LOCK(&m));
        AT(4, RF_ONCE(&o, nothing));
        RF_UNLOCK(&m);
    }
}

static void again(void) { AT(1, RF_ONCE(&o, again)); }

FAILING_ALWAYS(a_once_that_calls_itself_fails, ONCE_RECURSIVE, 1,
               "the function of o calls it again") {
    RF_ONCE(&o, again);
}

static void destroys(void) { AT(2, rf_once_destroy(&o)); }

FAILING_ALWAYS(destroying_a_once_that_runs_fails, DESTROY_BUSY, 2, "T0 runs the function of o") {
    AT(1, RF_ONCE(&o, destroys));
}

/* Outside of executions a mutex does nothing, and a once runs its function once. */
static bool outside(void) {
    static rf_once plain = RF_ONCE_INIT;
    rf_mutex n = RF_MUTEX_INIT;
    rf_mutex_init(&n, "outside", RF_MUTEX_NORMAL);
    RF_LOCK(&n);
    RF_LOCK(&n);
    RF_UNLOCK(&n);
    bool tried = RF_TRYLOCK(&n);
    rf_mutex_destroy(&n);
    calls = 0;
    RF_ONCE(&plain, initialise);
    RF_ONCE(&plain, initialise);
    return tried && calls == 1;
}

/* ---- what is counted ---- */

/* Analyses are told of one acquisition and of one release. */
static bool told_once(void) {
    static const uint8_t expected[] = {RF_EV_LOCK, RF_EV_RELOCK, RF_EV_REUNLOCK, RF_EV_UNLOCK};
    script_is("body: rdlock l; rdlock l; rwunlock l; rwunlock l", true);
    rfi_job j = lab_job_of("script", RFI_PREDICT, LAB_FINE);
    const rfi_record *r = rfi_team_replay(&lab_campaign.team, &j, 0);
    unsigned n = 0, same = 0;
    for (uint64_t i = 0; i < r->events; i++)
        if (r->event[i].object) same += n < 4 && r->event[i].kind == expected[n], n++;
    return n == 4 && same == 4;
}

/* Nobody else runs while one can go on. */
static bool ends_where_nobody_is_preempted(const char *program, uint32_t max_steps) {
    script_is(program, true);
    rfi_test_named("script")->options.max_steps = max_steps;
    lab_blocks = true;
    const rfi_tally *t = lab_random("script", 5, LAB_FINE);
    lab_blocks = false;
    rfi_test_named("script")->options.max_steps = 0;
    return t->executions == 5 && !lab_failures(t);
}

static void counted(void) {
    LAB_CHECK("reading twice is one acquisition", told_once());
    LAB_CHECK("a loop of trylocks goes on where nobody is preempted",
              ends_where_nobody_is_preempted(
                  "body: start; take h; post g; loop { tryspin s; until = 1 }; unspin s; join |"
                  "spin s; post h; take g; unspin s",
                  5000));
    /* Each wait may end by itself: the one that polls could always go on. */
    LAB_CHECK("who polls by timed waits is not alone for ever",
              ends_where_nobody_is_preempted(
                  "body: start; lock m; loop { peek f; until = 1; timedwait c m 1 }; unlock m;"
                  "join | lock m; quietly f 1; signal c; unlock m",
                  60000));
    script_is("body: lock m; wait c m; unlock m", false);
    const rfi_tally *t = lab_random("script", SCHEDULES, LAB_FINE);
    lab_share("a wait wakes up for nothing with probability 1/16",
              t->executions - t->failure[0].count, t->executions, 1.0 / 16);
}

int main(void) {
    script_rows(mutexes, RFI_LENGTH(mutexes));
    script_rows(conditions, RFI_LENGTH(conditions));
    script_rows(semaphores, RFI_LENGTH(semaphores));
    script_rows(barriers, RFI_LENGTH(barriers));
    script_rows(spins, RFI_LENGTH(spins));
    script_rows(rwlocks, RFI_LENGTH(rwlocks));
    show_claims();
    LAB_CHECK("outside of a test a mutex does nothing and once runs once", outside());
    counted();
    return lab_end();
}

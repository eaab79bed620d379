/* DrFinder: which locks threads are made to wait for, and that no escort to them hangs. */
#define RF_IMPLEMENTATION
#include "drfinder.h"

static rf_mutex o1 = RF_MUTEX_INIT, o2 = RF_MUTEX_INIT;

/* ---- what makes a class of locks ---- */

static void made(const char *name, rf_mutex *m) {
    RF_FUNC;
    rf_mutex_init(m, name, 0);
    RF_GUARD(m) {}
}

RF_TEST(classes) {
    rf_mutex named[2], other, unnamed[2];
    for (unsigned i = 0; i < 2; i++) made("shelf", &named[i]);
    made("drawer", &other);
    for (unsigned i = 0; i < 2; i++) made(NULL, &unnamed[i]);
    RF_GUARD(&o1) {}
    RF_GUARD(&o2) {}
}

/* ---- a lock that is taken everywhere ---- */

static rf_mutex logger = RF_MUTEX_INIT;
static unsigned functions; /* that take it */

#define LOGS(i)               \
 static void logs_##i(void) { \
  RF_FUNC;                    \
  RF_GUARD(&logger) {}        \
 }
LOGS(0)
LOGS(1)
LOGS(2)
LOGS(3)
LOGS(4)
LOGS(5)
LOGS(6)

THREAD(logs) {
    static void (*const all[])(void) = {logs_0, logs_1, logs_2, logs_3, logs_4, logs_5, logs_6};
    for (unsigned i = 0; i < functions; i++) all[i]();
}

RF_TEST(everywhere) { run_two(logs, logs); }

CASE(classes) {
    set_up("classes", &rfi_drfinder, false);
    forget();
    learn(0, 1);
    /* shelf, drawer, those without a name, o1, o2 */
    LAB_CHECK("names_statements_and_variables_make_classes", rfi_drfinder_knows.count == 5);
}

CASE(left_out) {
    uint64_t asked[2];
    set_up("everywhere", &rfi_drfinder, false);
    for (unsigned i = 0; i < 2; i++) {
        functions = i ? 7 : 4; /* and the start of the threads */
        forget();
        learn(0, 1);
        learn(1, 50);
        asked[i] = rfi_drfinder_knows.asked;
    }
    LAB_CHECK("a_class_of_few_functions_makes_threads_wait", asked[0] > 50);
    LAB_CHECK("a_class_of_all_functions_does_not", !asked[1]);
    LAB_CHECK("it_is_counted", strstr(rfi_drfinder_summary(), "(1 of 1 classes are everywhere"));
}

/* ---- an escort that leads nowhere ---- */

typedef enum way { TAKES, RETURNS, ENDS, BLOCKS, SPINS, LOOPS, WAYS } way;
static const char *const ways[] = {"takes the lock",        "returns", "ends",
                                   "waits for a condition", "spins",   "takes other locks"};
static way does; /* the thread that is escorted */
static rf_mutex wanted = RF_MUTEX_INIT, quiet = RF_MUTEX_INIT, guard = RF_MUTEX_INIT;
static rf_cond told = RF_COND_INIT;
static rf_atomic_int flag;
static int done;
static unsigned rounds, late; /* locks taken behind the function; those before the waiter's */

static void quietly(void) {
    for (unsigned i = 0; i < 10; i++) RF_GUARD(&quiet) {
        }
}

static bool is_done(void) {
    bool is = false;
    RF_GUARD(&guard) is = RF_LOAD(done);
    return is;
}

static void does_it(void) {
    quietly();
    if (does == TAKES) RF_GUARD(&wanted) {
        }
    if (does == BLOCKS) RF_GUARD(&guard) while (!RF_LOAD(done)) RF_WAIT(&told, &guard);
    while (does == SPINS && !rf_atomic_load(&flag)) RF_SPIN_HINT();
    while (does == LOOPS && !is_done()) {
    }
}

static void may_take(void) {
    RF_FUNC;
    does_it();
}

THREAD(goes_first) {
    may_take();
    for (unsigned i = 0; does == RETURNS && i < 10; i++) RF_GUARD(&quiet) rounds++;
}

THREAD(goes_first_bare) { does_it(); }

static void *asks(void *arg) {
    RF_GUARD(&wanted) late = rounds;
    if (does == SPINS) rf_atomic_store(&flag, 1);
    if (does != BLOCKS && does != LOOPS) return arg;
    RF_GUARD(&guard) RF_STORE(done, 1);
    if (does == BLOCKS) RF_SIGNAL(&told);
    return arg;
}

static void *(*first)(void *);

RF_TEST(escort, .no_spurious = true) {
    RF_STORE(done, 0);
    rf_atomic_store(&flag, 0);
    rounds = late = 0;
    run_two(first, asks);
}

CASE(escorts) {
    enum { N = 300 };
    for (unsigned w = 0; w < WAYS; w++) {
        uint32_t bad = 0, in_vain = 0, asked = 0, endless = 0, too_long = 0;
        char name[64], why[96];
        first = w == ENDS ? goes_first_bare : goes_first;
        does = TAKES;
        set_up("escort", &rfi_drfinder, false);
        forget();
        learn(0, 1);
        does = (way)w;
        for (uint32_t i = 1; i <= N; i++) {
            run(i);
            bad += record->failure.diagnostic != RF_DIAG_NONE;
            in_vain += rfi_drfinder_run.thrash;
            asked += rfi_drfinder_run.asked;
            endless += rfi_drfinder_run.thrash > 1;
            too_long += rfi_drfinder_run.asked && late;
        }
        snprintf(why, sizeof why, "%u failed, %u of %u escorts in vain, %u twice", bad, in_vain,
                 asked, endless);
        printf("# %s: %s\n", ways[w], why);
        snprintf(name, sizeof name, "escort_of_one_that_%s", ways[w]);
        for (char *c = name; *c; c++) *c = *c == ' ' ? '_' : *c;
        lab_check(!bad && !endless && asked > N / 2 && in_vain == (w == TAKES ? 0 : asked), name,
                  why);
        if (w == RETURNS) LAB_CHECK("an_escort_is_over_when_its_function_returns", !too_long);
    }
}

/* ---- which function of a thread is asked for ---- */

static bool takes_inside; /* the innermost function takes the lock itself, else the one around it */

static void innermost(void) {
    RF_FUNC;
    while (!rf_atomic_load(&flag)) RF_SPIN_HINT();
    if (takes_inside) RF_GUARD(&wanted) {
        }
}

static void outermost(const rf_thread *asker) {
    RF_FUNC;
    innermost();
    RF_JOIN(*asker);
    if (!takes_inside) RF_GUARD(&wanted) {
        }
}

static void *stands_inside(void *asker) {
    outermost(asker);
    return NULL;
}

THREAD(asks_and_tells) {
    for (unsigned i = 0; i < 10; i++) RF_GUARD(&quiet) {
        }
    if (takes_inside) rf_atomic_store(&flag, 1);
    RF_GUARD(&wanted) {}
    if (!takes_inside) rf_atomic_store(&flag, 1);
}

RF_TEST(nested) {
    rf_atomic_store(&flag, 0);
    rf_thread a = RF_THREAD(asks_and_tells, NULL), b = RF_THREAD(stands_inside, &a);
    RF_JOIN(b);
}

/* When the asker comes to the lock, the other thread stands in `innermost`. */
static void inner(bool inside, uint32_t deep, const char *name, bool expected) {
    enum { N = 200 };
    uint32_t asked = 0, bad = 0;
    depth = deep;
    takes_inside = inside;
    set_up("nested", &rfi_drfinder, false);
    forget();
    learn(0, 1);
    for (uint32_t i = 1; i <= N; i++) {
        run(i);
        asked += rfi_drfinder_run.asked;
        bad += record->failure.diagnostic != RF_DIAG_NONE;
    }
    printf("# %s: asked for %u times\n", name, asked);
    LAB_CHECK(name, !bad && (expected ? asked > N / 4 : !asked));
    depth = 12;
}

int main(void) {
    inner(false, 12, "what_an_outer_function_may_take_makes_nobody_wait", false);
    inner(true, 12, "what_the_innermost_function_may_take_does", true);
    inner(true, 1, "no_outer_function_has_to_be_known", true);
    return lab_cases();
}

/* The frame that RaceFuzzer runs in (docs/inside/internals.md): the corrected loop ends, its
 * invariant holds, the monitor frees whom a spinning thread waits for, and spin loops make progress
 * or are reported. */
#define RF_IMPLEMENTATION
#include "lab.h"

/* ---- a guard around the checker: looks at the postponed threads at every decision ---- */

static const rf_checker *guarded; /* what is really asked */
static struct {
    uint64_t together;  /* decisions with several threads postponed */
    uint64_t conflicts; /* of two postponed threads, but for */
    uint64_t beside;    /* those that stand side by side in a patient execution */
    uint64_t strangers; /* postponed threads that are not at the pair, or not enabled */
    uint64_t several;   /* checks that found |R| > 1 */
    uint64_t torn;      /* of those, R was more than the readers of a write */
    uint64_t released;
} guard;

/* The definition of a race by itself, for plain accesses: bytes in common, and one writes. */
static bool racing_by_definition(const rf_event *a, const rf_event *b) {
    uintptr_t from = (uintptr_t)a->addr, other = (uintptr_t)b->addr;
    return a->thread != b->thread && from < other + b->size && other < from + a->size &&
           (a->flags | b->flags) & RF_EV_WRITES;
}

/* In a patient execution two threads at one statement of a pair of two may wait side by side. */
static bool side_by_side(const rf_event *a, const rf_event *b) {
    return rfi_race_patient && rfi_race_set[0] != rfi_race_set[1] &&
           rf_site_key(a->site) == rf_site_key(b->site);
}

typedef struct postponed {
    const rf_event *at[64];
    uint32_t count;
} postponed;

static void note_postponed(uint32_t thread, void *arg) {
    postponed *p = arg;
    p->at[p->count++] = rf_next_event(thread);
}

static bool guard_at(const rf_event *next) {
    postponed p = {.count = 0};
    rf_check_each_paused(note_postponed, &p);
    guard.together += p.count > 1;
    for (uint32_t i = 0; i < p.count; i++) {
        guard.strangers +=
            !guarded->is_breakpoint(p.at[i]) || !rfi_in(rfi.enabled, p.at[i]->thread);
        for (uint32_t k = 0; k < i; k++)
            if (racing_by_definition(p.at[i], p.at[k]))
                *(side_by_side(p.at[i], p.at[k]) ? &guard.beside : &guard.conflicts) += 1;
    }
    return guarded->is_breakpoint(next);
}

static uint32_t racing; /* the largest R of this execution */

static void guard_check(const rf_event *next) {
    postponed p = {.count = 0};
    uint32_t r = 0, writes = 0;
    rf_check_each_paused(note_postponed, &p);
    for (uint32_t i = 0; i < p.count; i++) {
        if (!racing_by_definition(next, p.at[i]) || side_by_side(next, p.at[i])) continue;
        r++;
        writes += (p.at[i]->flags & RF_EV_WRITES) != 0;
    }
    if (r > racing) racing = r;
    guard.several += r > 1;
    guard.torn += !rfi_race_patient && r > 1 && (writes || !(next->flags & RF_EV_WRITES));
    guarded->check(next);
}

static void guard_end(void) { guard.released += rfi.record->released; }

/* From here on RaceFuzzer is guarded, and does `check` for its own. */
static void guard_put(void (*check)(const rf_event *)) {
    static rf_checker original;
    if (!guarded) original = rfi_racefuzzer;
    original.check = check ? check : original.check;
    guarded = &original;
    rfi_racefuzzer.is_breakpoint = guard_at;
    rfi_racefuzzer.check = guard_check;
    rfi_racefuzzer.end = guard_end;
    memset(&guard, 0, sizeof guard);
}

/* ---- everybody is postponed ---- */

static int slot[3];

enum { OWN = __LINE__ + 2 };
static void *store_own(void *number) {
    RF_STORE(slot[*(int *)number], 1);
    return number;
}

RF_TEST(own_slots) { crew(3, store_own); }

static void test_everybody_postponed(bool fine) {
    guard_put(NULL);
    const rfi_tally *t = lab_confirm("own_slots", OWN, 'W', OWN, 'W', 2000, fine);
    LAB_CHECK("when all are postponed, each in turn is released and executes its statement",
              t->executions == 2000 && guard.released == 3 * 2000 && !t->failures && !t->hits);
}

/* ---- the invariant, on programs drawn at random ---- */

static int shared[2];
static rf_mutex lock = RF_MUTEX_INIT;

enum { ANY_R = __LINE__ + 5, ANY_W = ANY_R + 1, OTHER_W = ANY_W + 1 };
THREAD(anything) {
    for (uint32_t n = 1 + RF_CHOOSE(4); n; n--) {
        int *p = &shared[RF_CHOOSE(2)];
        switch (RF_CHOOSE(4)) {
        case 0: (void)RF_LOAD(*p); break;
        case 1: RF_STORE(*p, 1); break;
        case 2: RF_STORE(*p, 2); break;
        default:
            RF_LOCK(&lock);
            RF_STORE(*p, RF_LOAD(*p) + 1);
            RF_UNLOCK(&lock);
        }
    }
}

RF_TEST(random_program) {
    shared[0] = shared[1] = 0;
    crew(3, anything);
}

static bool guard_holds(const rfi_tally *t) {
    return guard.together && !guard.conflicts && !guard.strangers && !guard.torn && t->hits &&
           !t->failures;
}

static void test_invariant(bool fine) {
    guard_put(NULL);
    const rfi_tally *t = lab_confirm("random_program", ANY_R, 'R', ANY_W, 'W', 5000, fine);
    LAB_CHECK("no two postponed threads conflict, and R is one thread or the readers of a write",
              guard_holds(t) && guard.several);
    LAB_CHECK("writes wait side by side for the read in patient executions", guard.beside);
    guard_put(NULL);
    t = lab_confirm("random_program", ANY_W, 'W', ANY_W, 'W', 5000, fine);
    LAB_CHECK("no two postponed threads conflict in one statement",
              guard_holds(t) && !guard.beside);
    guard_put(NULL);
    t = lab_confirm("random_program", ANY_W, 'W', OTHER_W, 'W', 5000, fine);
    LAB_CHECK("no two postponed threads conflict in two writes", guard_holds(t) && guard.beside);
}

static void postpone_always(const rf_event *next) {
    (void)next;
    rf_check_pause();
}

static void test_guard(void) {
    void (*check)(const rf_event *) = guarded->check;
    guard_put(postpone_always);
    (void)lab_confirm("random_program", ANY_R, 'R', ANY_W, 'W', 100, LAB_FINE);
    LAB_CHECK("the guard notices a checker that postpones threads that conflict", guard.conflicts);
    guard_put(check);
}

/* ---- several writers at one statement ---- */

static int written, writers;
static uint64_t early[2], by_manner[2]; /* executions as published, patient ones */

enum { CROWD_W = __LINE__ + 1 };
THREAD(write_it) { RF_STORE(written, 1); }

enum { CROWD_R = __LINE__ + 3 };
THREAD(read_it) {
    by_manner[rfi_race_patient]++;
    early[rfi_race_patient] += RF_LOAD(written) == 0;
}

RF_TEST(crowd) {
    rf_thread t[9];
    written = 0;
    for (int i = 0; i < writers; i++) t[i] = RF_THREAD(write_it, NULL);
    t[writers] = RF_THREAD(read_it, NULL);
    for (int i = 0; i <= writers; i++) RF_JOIN(t[i]);
}

/* As published, two writers that meet make one of them write: the read is early in 1/(n + 1) of the
 * executions, if it comes first or second and the coin says so.  Patient writers all wait: 1/2. */
static void test_crowd(int n, bool fine) {
    enum { N = 20000 };
    writers = n;
    lab_look("crowd");
    memset(early, 0, sizeof early);
    memset(by_manner, 0, sizeof by_manner);
    guard_put(NULL);
    const rfi_tally *t = lab_confirm("crowd", CROWD_R, 'R', CROWD_W, 'W', N, fine);
    LAB_CHECK(named("%d writers and a reader meet every time", n), t->hits == N);
    lab_share(named("%d writers: half of the executions are patient", n), by_manner[true], N, 0.5);
    lab_share(named("%d writers, as published: the read is early in 1/%d", n, n + 1), early[false],
              by_manner[false], 1.0 / (n + 1));
    lab_share(named("%d writers, patient: the read is early in 1/2", n), early[true],
              by_manner[true], 0.5);
    lab_share(
        named("%d writers: the read is early in %d/%d of all executions", n, n + 3, 4 * (n + 1)),
        early[false] + early[true], N, (n + 3) / (4.0 * (n + 1)));
}

/* ---- the fate of all of R ---- */

static int flag;
static bool saw_0[2];
static uint64_t both_ran, none_ran, readers_torn;

enum { ALL_R = __LINE__ + 2 };
static void *look(void *saw) {
    if (RF_LOAD(flag) == 0) *(bool *)saw = true;
    return saw;
}

enum { ALL_W = __LINE__ + 3 };
THREAD(store_late) {
    RF_YIELD();
    RF_STORE(flag, 1);
}

RF_TEST(all_of_R) {
    flag = 0;
    racing = 0;
    saw_0[0] = saw_0[1] = false;
    rf_thread w = RF_THREAD(store_late, NULL), a = RF_THREAD(look, &saw_0[0]),
              b = RF_THREAD(look, &saw_0[1]);
    RF_JOIN(w);
    RF_JOIN(a);
    RF_JOIN(b);
    if (racing != 2) return;
    both_ran += saw_0[0] && saw_0[1];
    none_ran += !saw_0[0] && !saw_0[1];
    readers_torn += saw_0[0] != saw_0[1];
}

static void test_all_of_R(bool fine) {
    guard_put(NULL);
    both_ran = none_ran = readers_torn = 0;
    (void)lab_confirm("all_of_R", ALL_R, 'R', ALL_W, 'W', 5000, fine);
    LAB_CHECK("a write that races with two reads goes before both or after both", !readers_torn);
    lab_share("a write that races with two reads goes before them half of the time", none_ran,
              both_ran + none_ran, 0.5);
}

/* ---- the monitor ---- */

static int turn;

enum { RAISE = __LINE__ + 1 };
THREAD(raise_turn) { RF_STORE(turn, 1); }

THREAD(await_turn) {
    while (!RF_LOAD(turn)) continue;
}

RF_TEST(spin_for_postponed, .max_steps = 10000) {
    turn = 0;
    run_two(await_turn, raise_turn);
}

static void test_monitor(bool fine) {
    enum { N = 100 };
    guard_put(NULL);
    const rfi_tally *t = lab_confirm("spin_for_postponed", RAISE, 'W', RAISE, 'W', N, fine);
    LAB_CHECK("a thread that is postponed while another spins for its store is released",
              t->executions == N && guard.released == N && !t->failures);
    LAB_CHECK("the monitor waits for 2,000 decisions", t->steps > N * 1900 && t->steps < N * 2200);
}

/* Others come to be postponed all the time, each at a store of its own. */
enum { CROWD = 12, APART = 1000 };
static int raised[CROWD];

enum { RAISE_OWN = __LINE__ + 2 };
static void *raise_own(void *own) {
    RF_STORE(*(int *)own, 1);
    return own;
}

RF_TEST(spin_for_first_postponed, .max_steps = 40000) {
    rf_thread t[CROWD];
    int n = 0;
    memset(raised, 0, sizeof raised);
    for (int rounds = 0; !RF_LOAD(raised[0]); rounds++)
        if (rounds % APART == 0 && n < CROWD) t[n] = RF_THREAD(raise_own, &raised[n]), n++;
    while (n) RF_JOIN(t[--n]);
}

static void test_monitor_of_many(bool fine) {
    enum { N = 100 };
    guard_put(NULL);
    const rfi_tally *t =
        lab_confirm("spin_for_first_postponed", RAISE_OWN, 'W', RAISE_OWN, 'W', N, fine);
    LAB_CHECK("a thread is released though others are postponed all the time",
              t->executions == N && !t->failures);
    LAB_CHECK("they do not make it wait for longer", t->steps < N * 3000);
}

enum { ROUNDS = 40, AGAIN = __LINE__ + 2 };
THREAD(raise_late) {
    for (int i = 1; i <= ROUNDS; i++) RF_STORE(turn, i == ROUNDS);
}

THREAD(await_turn_by_hints) {
    while (!RF_LOAD(turn)) RF_SPIN_HINT();
}

RF_TEST(spin_for_many_rounds) {
    turn = 0;
    run_two(await_turn_by_hints, raise_late);
}

/* How often the monitor acts in an execution: mean and variance.  Each round pauses with a chance
 * that every fifth release halves. */
static void monitor_expects(double *mean, double *variance) {
    double at[ROUNDS + 2] = {1}, square = 0; /* probability of so many releases so far */
    for (int r = 0; r < ROUNDS; r++)
        for (int k = r; k >= 0; k--) {
            double released = at[k] / (1 << k / 5);
            at[k + 1] += released;
            at[k] -= released;
        }
    *mean = 0;
    for (int k = 0; k <= ROUNDS; k++) *mean += k * at[k], square += k * k * at[k];
    *variance = square - *mean * *mean;
}

static void test_halving(bool fine) {
    enum { N = 200 };
    double mean, variance;
    guard_put(NULL);
    const rfi_tally *t = lab_confirm("spin_for_many_rounds", AGAIN, 'W', AGAIN, 'W', N, fine);
    monitor_expects(&mean, &variance);
    double diff = (double)guard.released - N * mean;
    printf("# releases by the monitor: %llu, expected %.1f\n", (unsigned long long)guard.released,
           N * mean);
    LAB_CHECK("every fifth release by the monitor halves the chance of pausing",
              t->executions == N && !t->failures && diff * diff <= 3.29 * 3.29 * N * variance);
}

/* ---- spin loops ---- */

static int ready, data;
static enum { HINT, YIELD, BARE } manner;
static bool never;

enum { SPIN = __LINE__ + 2 };
THREAD(spin) {
    while (!RF_LOAD(ready)) {
        if (manner == HINT) RF_SPIN_HINT();
        if (manner == YIELD) RF_YIELD();
    }
    RF_ASSERT(RF_LOAD(data) == 1);
}

static void *provide(void *arg) {
    if (never) return arg;
    for (int i = 0; i < 10; i++) RF_STORE(data, 1 - i % 2);
    RF_STORE(data, 1);
    RF_STORE(ready, 1);
    return arg;
}

RF_TEST(spinning, .max_steps = 5000) {
    ready = data = 0;
    rf_thread t[] = {RF_THREAD(spin, NULL), RF_THREAD(spin, NULL), RF_THREAD(provide, NULL)};
    for (int i = 0; i < 3; i++) RF_JOIN(t[i]);
}

/* All n executions were livelocks, in which a spinner stands in its loop. */
static bool livelocks_in_the_loop(const rfi_tally *t, uint64_t n) {
    for (uint32_t i = 0; i < t->failures; i++) {
        const rfi_failure *f = &t->failure[i].failure;
        if (f->diagnostic != RF_DIAG_LIVELOCK || f->site->line < SPIN || f->site->line > SPIN + 2 ||
            !strstr(f->message, " spins at "))
            return false;
        n -= t->failure[i].count;
    }
    return !n;
}

static void test_spin_loops(bool fine) {
    static const char *const manners[] = {"with RF_SPIN_HINT", "with RF_YIELD", "of plain loads"};
    const char *grain = fine ? "fine" : "coarse";
    for (unsigned m = HINT; m <= BARE; m++) {
        manner = m;
        never = false;
        const rfi_tally *t = lab_random("spinning", 2000, fine);
        LAB_CHECK(named("a spin loop %s goes on when it can, %s", manners[m], grain),
                  t->executions == 2000 && !t->failures);
        never = true;
        t = lab_random("spinning", 20, fine);
        LAB_CHECK(
            named("a spin loop %s that never ends is a livelock there, %s", manners[m], grain),
            livelocks_in_the_loop(t, 20));
    }
}

int main(void) {
    for (int fine = 0; fine <= 1; fine++) {
        test_everybody_postponed(fine);
        test_invariant(fine);
        test_crowd(3, fine);
        test_crowd(7, fine);
        test_all_of_R(fine);
        test_monitor(fine);
        test_monitor_of_many(fine);
        test_halving(fine);
        test_spin_loops(fine);
    }
    test_guard();
    return lab_end();
}

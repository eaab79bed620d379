/* The test programs of the public CalFuzzer tool through whole campaigns: how many
 * pairs are predicted and how many of them are real.  Pairs count by line and kind, so two
 * threads that count in different lines make three: R-W, W-R and W-W.  `main` is the body of the
 * test. */
#define RF_IMPLEMENTATION
#include "lab.h"

static rf_mutex lock = RF_MUTEX_INIT, lock2 = RF_MUTEX_INIT;
static rf_cond changed = RF_COND_INIT;
static bool waiting;
static int x, y, z;
static volatile int vx, vy, vz;

/* ---- race1: two threads, one shared variable and one of their own ---- */

THREAD(race1_left) {
    RF_STORE(x, RF_LOAD(x) + 5);
    RF_STORE(y, 0);
}

THREAD(race1_right) {
    RF_STORE(x, RF_LOAD(x) + 17);
    RF_STORE(z, 0);
}

RF_TEST(race1) { lab_two(race1_left, race1_right); }

/* ---- race2 to race4: start and join order; race3 without the join; one lock alone ---- */

THREAD(count) { RF_STORE(x, RF_LOAD(x) + 1); }

RF_TEST(race2) {
    RF_STORE(x, RF_LOAD(x) + 1);
    rf_thread t = RF_THREAD(count, NULL);
    RF_JOIN(t);
    RF_STORE(x, RF_LOAD(x) + 1);
}

RF_TEST(race3) { BESIDE(count) RF_STORE(x, RF_LOAD(x) + 1); }

THREAD(count_locked) {
    RF_GUARD(&lock) { RF_STORE(x, RF_LOAD(x) + 1); }
}

RF_TEST(race4) { BESIDE(count_locked) RF_STORE(x, RF_LOAD(x) + 1); }

/* ---- race5 to race7: the same lock; different ones; one in common ---- */

RF_TEST(race5) {
    BESIDE(count_locked) {
        RF_GUARD(&lock) { RF_STORE(x, RF_LOAD(x) + 1); }
    }
}

RF_TEST(race6) {
    BESIDE(count_locked) {
        RF_GUARD(&lock2) { RF_STORE(x, RF_LOAD(x) + 1); }
    }
}

RF_TEST(race7) {
    BESIDE(count_locked) {
        RF_GUARD(&lock) {
            RF_GUARD(&lock2) { RF_STORE(x, RF_LOAD(x) + 1); }
        }
    }
}

/* ---- race8 to race11: a condition, waited for with `if`: no spurious wake-ups ---- */

static void await(void) {
    RF_LOCK(&lock);
    if (RF_LOAD(waiting)) RF_WAIT(&changed, &lock);
    RF_UNLOCK(&lock);
}

static void notify(void) {
    RF_LOCK(&lock);
    RF_SIGNAL(&changed);
    RF_STORE(waiting, false);
    RF_UNLOCK(&lock);
}

THREAD(await_then_count) {
    await();
    RF_STORE(x, RF_LOAD(x) + 1);
}

THREAD(count_then_notify) {
    RF_SLEEP_MS(1);
    RF_STORE(x, RF_LOAD(x) + 1);
    notify();
}

THREAD(count_then_await) {
    RF_STORE(x, RF_LOAD(x) + 1);
    await();
}

THREAD(notify_then_count) {
    notify();
    RF_STORE(x, RF_LOAD(x) + 1);
}

RF_TEST(race8, .no_spurious = true) {
    waiting = true;
    BESIDE(await_then_count)(void) count_then_notify(NULL);
}

RF_TEST(race9, .no_spurious = true) {
    waiting = true;
    BESIDE(count_then_notify)(void) await_then_count(NULL);
}

RF_TEST(race10, .no_spurious = true) {
    waiting = true;
    BESIDE(count_then_await)(void) notify_then_count(NULL);
}

RF_TEST(race11, .no_spurious = true) {
    waiting = true;
    BESIDE(notify_then_count)(void) count_then_await(NULL);
}

/* ---- race12, race13, race15: get and set without and with a lock; volatile ---- */

static int get(void) { return RF_LOAD(x); }
static void set(int v) { RF_STORE(x, v); }

THREAD(get_and_set) {
    for (int i = 0; i < 3; i++) set(get() + 1);
}

static int get_locked(void) {
    RF_LOCK(&lock);
    int v = RF_LOAD(x);
    RF_UNLOCK(&lock);
    return v;
}

static void set_locked(int v) {
    RF_LOCK(&lock);
    RF_STORE(x, v);
    RF_UNLOCK(&lock);
}

THREAD(get_and_set_locked) { set_locked(get_locked() + 1); }

static void three(void *(*fn)(void *)) {
    rf_thread t[3];
    for (int i = 0; i < 3; i++) t[i] = RF_THREAD(fn, NULL);
    for (int i = 0; i < 3; i++) RF_JOIN(t[i]);
}

RF_TEST(race12) { three(get_and_set); }

THREAD(race13_left) {
    RF_STORE(vx, RF_LOAD(vx) + 5);
    RF_STORE(vy, 0);
}

THREAD(race13_right) {
    RF_STORE(vx, RF_LOAD(vx) + 17);
    RF_STORE(vz, 0);
}

RF_TEST(race13) { lab_two(race13_left, race13_right); }

RF_TEST(race15) {
    x = 0;
    three(get_and_set_locked);
    if (x != 3) RF_FAIL("lost");
}

/* ---- the table ---- */

static const struct {
    const char *test;
    uint32_t potential, real;
    double predicted; /* share of the executions of phase 1 in which each pair is */
} table[] = {
    {"race1", 3, 3, 1},
    {"race2", 0, 0, 1},
    {"race3", 3, 3, 1},
    {"race4", 3, 3, 1},
    {"race5", 0, 0, 1},
    {"race6", 3, 3, 1},
    {"race7", 0, 0, 1},
    /* predicted when the signal comes before the wait: four steps before one */
    {"race8", 3, 0, 1 / 16.0},
    {"race9", 3, 0, 1 / 16.0},
    {"race10", 3, 3, 1},
    {"race11", 3, 3, 1},
    {"race12", 2, 2, 1},
    {"race13", 3, 3, 1},
    {"race15", 0, 0, 1},
};

static void test_row(const char *test, uint32_t potential, uint32_t real, double predicted) {
    enum { N = 2000 };
    char name[128];
    const rfi_study *s = lab_study(test, "--executions=2000", "--seconds=none",
                                   "--strategy=random,racefuzzer", NULL);
    const rfi_result *r = &s->result;
    snprintf(name, sizeof name, "%s: %u pairs are predicted, %u are real", test, potential, real);
    LAB_CHECK(name, r->warnings == potential && r->real + r->destructive + r->harmful == real &&
                        r->executions[0] == N && !r->capped);
    if (!potential) return;
    bool produced = true, share = true;
    for (uint32_t i = 0; i < r->warnings; i++) {
        const rfi_warning *p = &r->warning[i];
        produced = produced && (real ? p->hits == p->executions : !p->hits && !p->seen);
        share = share && lab_within(p->predicted, N, predicted);
    }
    snprintf(name, sizeof name, "%s: racefuzzer produces each real pair every time, no other",
             test);
    LAB_CHECK(name, produced);
    snprintf(name, sizeof name, "%s: each pair is predicted in %.4g of the executions", test,
             predicted);
    LAB_CHECK(name, share);
}

int main(void) {
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        test_row(table[i].test, table[i].potential, table[i].real, table[i].predicted);
    LAB_CHECK("race15: an update can be lost without a race",
              lab_said(lab_random("race15", 2000, LAB_FINE), "lost"));
    return lab_end();
}

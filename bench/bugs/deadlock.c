/* deadlock01, carter01, phase01, dining: threads that block each other.
 *
 * SCTBench's deadlock01_bad, carter01_bad and phase01_bad.  dining_N is the textbook's: N
 * philosophers, each takes the left fork, then the right one.  (SCTBench's din_philN_sat take both
 * at once and fail in every schedule.) */
#include "bug.h"

/* ---- deadlock01: two locks in either order ---- */

static rf_mutex a, b;
static int counter;

static void *up(void *arg) {
    RF_LOCK(&a);
    RF_LOCK(&b);
    RF_STORE(counter, RF_LOAD(counter) + 1);
    RF_UNLOCK(&b);
    RF_UNLOCK(&a);
    return arg;
}

static void *down(void *arg) {
    rf_mutex *outer = &b, *inner = &a;
#ifdef FIXED
    outer = &a;
    inner = &b;
#endif
    RF_LOCK(outer);
    RF_LOCK(inner);
    RF_STORE(counter, RF_LOAD(counter) - 1);
    RF_UNLOCK(inner);
    RF_UNLOCK(outer);
    return arg;
}

PROGRAM(deadlock01, RF_EXPECT_DEADLOCK) {
    crew c = {.count = 0};
    counter = 1;
    START(&c, 1, up, NULL);
    START(&c, 1, down, NULL);
    finish(&c);
}

/* ---- carter01: the first of each class takes the resource while it holds the lock that the other
 * class needs to give it back.  Two more threads do nothing, as in the original. ---- */

typedef struct class {
    rf_mutex *lock;
    int members;
} class;

static rf_mutex members, resource;
#ifdef FIXED
static rf_mutex members_of_b;
#else
# define members_of_b members
#endif
static class class_a = {&members, 0}, class_b = {&members_of_b, 0};

static void *belong(void *to) {
    class *c = to;
    RF_LOCK(c->lock);
    RF_STORE(c->members, RF_LOAD(c->members) + 1);
    if (RF_LOAD(c->members) == 1) RF_LOCK(&resource);
    RF_UNLOCK(c->lock);
    RF_LOCK(c->lock);
    RF_STORE(c->members, RF_LOAD(c->members) - 1);
    if (RF_LOAD(c->members) == 0) RF_UNLOCK(&resource);
    RF_UNLOCK(c->lock);
    return NULL;
}

static void *nothing(void *arg) { return arg; }

PROGRAM(carter01, RF_EXPECT_DEADLOCK) {
    crew c = {.count = 0};
    class_a.members = class_b.members = 0;
    START(&c, 1, belong, &class_a);
    START(&c, 1, belong, &class_b);
    START(&c, 2, nothing, NULL);
    finish(&c);
}

/* ---- phase01: a lock that is never given back; fails in every schedule ---- */

static void *phases(void *arg) {
    RF_LOCK(&a);
    RF_UNLOCK(&a);
    RF_LOCK(&a);
#ifdef FIXED
    RF_UNLOCK(&a);
#endif
    RF_LOCK(&b);
    RF_UNLOCK(&b);
    RF_LOCK(&b);
    RF_UNLOCK(&b);
    return arg;
}

PROGRAM(phase01, RF_EXPECT_DEADLOCK | RF_EXPECT_FAILURE) {
    crew c = {.count = 0};
    START(&c, 2, phases, NULL);
    finish(&c);
}

/* ---- dining ---- */

enum { MOST = 10 };
static rf_mutex fork_of[MOST];

typedef struct place {
    int left, right;
} place;

static place place_of[MOST];

static void *philosopher(void *arg) {
    const place *p = arg;
    RF_LOCK(&fork_of[p->left]);
    RF_LOCK(&fork_of[p->right]);
    RF_UNLOCK(&fork_of[p->right]);
    RF_UNLOCK(&fork_of[p->left]);
    return NULL;
}

static void dine(int n) {
    crew c = {.count = 0};
    for (int i = 0; i < n; i++) place_of[i] = (place){i, (i + 1) % n};
#ifdef FIXED
    place_of[n - 1] = (place){0, n - 1};
#endif
    for (int i = 0; i < n; i++) START(&c, 1, philosopher, &place_of[i]);
    finish(&c);
}

PROGRAM(dining_3, RF_EXPECT_DEADLOCK) { dine(3); }
PROGRAM(dining_5, RF_EXPECT_DEADLOCK) { dine(5); }
PROGRAM(dining_7, RF_EXPECT_DEADLOCK) { dine(7); }
PROGRAM(dining_10, RF_EXPECT_DEADLOCK) { dine(10); }

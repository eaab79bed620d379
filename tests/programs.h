/* The programs of the RaceFuzzer paper (Sen, PLDI 2008, Figures 1 and 2), of the slides, and the
 * others whose exact probabilities are known.  The constants tell the lines of
 * their statements, which keep the numbers and names that they have there. */
#ifndef PROGRAMS_H
#define PROGRAMS_H
#include "lab.h"

/* Stands right before a function whose first statement has number n: statement i of it is on line
 * NAME + i. */
#define FIRST(n) (__LINE__ + 2 - (n))

/* A private statement: no load, since equal loads in a row are taken for a spin loop. */
#define PRIVATE_STEPS(n) \
 for (int mine, step = 0; step < (n); step++) RF_STORE(mine, step)

static rf_mutex L = RF_MUTEX_INIT;
static int x, y, z;

/* ---- Figure 1: a race on z that does harm, and one on x that cannot happen ---- */

enum { FIGURE_1_LEFT = FIRST(1) };
THREAD(figure_1_left) {
    RF_STORE(x, 1);                         /* 1 */
    RF_LOCK(&L);                            /* 2 */
    RF_STORE(y, 1);                         /* 3 */
    RF_UNLOCK(&L);                          /* 4 */
    if (RF_LOAD(z) == 1) RF_FAIL("ERROR1"); /* 5 */
}

enum { FIGURE_1_RIGHT = FIRST(7) };
THREAD(figure_1_right) {
    RF_STORE(z, 1);                             /* 7 */
    RF_LOCK(&L);                                /* 8 */
    if (RF_LOAD(y) == 1)                        /* 9 */
        if (RF_LOAD(x) != 1) RF_FAIL("ERROR2"); /* 10 */
    RF_UNLOCK(&L);                              /* 14 */
}

enum {
    F1_1 = FIGURE_1_LEFT + 1,
    F1_5 = FIGURE_1_LEFT + 5,
    F1_7 = FIGURE_1_RIGHT + 7,
    F1_10 = FIGURE_1_RIGHT + 10
};

RF_TEST(figure_1) {
    x = y = z = 0;
    lab_two(figure_1_left, figure_1_right);
}

/* ---- Figure 2: a race behind any number of private statements ---- */

static int padding;

enum { FIGURE_2_LEFT = FIRST(1) };
THREAD(figure_2_left) {
    RF_LOCK(&L); /* 1 */
    int mine;    /* 2, 3, 4, 5, 6: */
    for (int i = 0; i < padding; i++) RF_STORE(mine, i);
    RF_UNLOCK(&L);                         /* 7 */
    if (RF_LOAD(x) == 0) RF_FAIL("ERROR"); /* 8 */
}

enum { FIGURE_2_RIGHT = FIRST(10) };
THREAD(figure_2_right) {
    RF_STORE(x, 1); /* 10 */
    RF_LOCK(&L);    /* 11 */
    int mine;
    RF_STORE(mine, 0); /* 12 */
    RF_UNLOCK(&L);     /* 13 */
}

enum { F2_8 = FIGURE_2_LEFT + 5, F2_10 = FIGURE_2_RIGHT + 10 };

RF_TEST(figure_2) {
    x = 0;
    lab_two(figure_2_left, figure_2_right);
}

/* ---- the slides' example: two objects, three threads ---- */

typedef struct object {
    rf_mutex lock;
    int f;
} object;

static object o1, o2;
static enum { OWN_LOCK, GLOBAL_LOCK, NO_LOCK } locking;

static inline rf_mutex *lock_of(object *p) {
    return locking == OWN_LOCK ? &p->lock : locking == GLOBAL_LOCK ? &L : NULL;
}

enum { S5 = __LINE__ + 5 };
static void *foo(void *p) {
    rf_mutex *lock = lock_of(p);
    if (lock) RF_LOCK(lock);
    for (int i = 1, mine; i <= 4; i++) RF_STORE(mine, i);
    RF_STORE(((object *)p)->f, 1); /* s5 */
    if (lock) RF_UNLOCK(lock);
    return p;
}

enum { S6 = __LINE__ + 2 };
static void *bar(void *p) {
    if (RF_LOAD(((object *)p)->f) == 1) RF_FAIL("ERROR"); /* s6 */
    return p;
}

RF_TEST(slides) {
    o1 = o2 = (object){RF_MUTEX_INIT, 0};
    rf_thread t[] = {RF_THREAD(foo, &o1), RF_THREAD(bar, &o1), RF_THREAD(foo, &o2)};
    for (int i = 0; i < 3; i++) RF_JOIN(t[i]);
}

/* ---- 3.7.4 several readers ---- */

static bool marked[2];

enum { READERS_R = __LINE__ + 2 };
static void *reader(void *mark) {
    if (RF_LOAD(x) == 0) *(bool *)mark = true;
    return mark;
}

enum { READERS_W = __LINE__ + 3 };
THREAD(late_writer) {
    PRIVATE_STEPS(1);
    RF_STORE(x, 1);
}

RF_TEST(readers) {
    x = 0;
    marked[0] = marked[1] = false;
    rf_thread t[] = {RF_THREAD(reader, &marked[0]), RF_THREAD(reader, &marked[1]),
                     RF_THREAD(late_writer, NULL)};
    for (int i = 0; i < 3; i++) RF_JOIN(t[i]);
    if (marked[0] && marked[1]) RF_FAIL("both");
    if (marked[0]) RF_FAIL("first");
    if (marked[1]) RF_FAIL("second");
    RF_FAIL("none");
}

/* ---- 3.7.5 lost update ---- */

enum { R1 = FIRST(1) + 1 };
THREAD(add_1) {
    int t = RF_LOAD(x);
    RF_STORE(x, t + 1);
}

enum { R2 = FIRST(1) + 1 };
THREAD(add_2) {
    int t = RF_LOAD(x);
    RF_STORE(x, t + 1);
}

enum { W1 = R1 + 1, W2 = R2 + 1 };

static void update(void *(*first)(void *), void *(*second)(void *)) {
    x = 0;
    lab_two(first, second);
    if (x != 2) RF_FAIL("lost");
}

RF_TEST(update) { update(add_1, add_2); }
RF_TEST(update_shared) { update(add_1, add_1); }

/* ---- 3.7.6 check then act ---- */

enum { C1 = FIRST(1) + 1, C2 = FIRST(1) + 2 };
THREAD(check_then_act) {
    if (RF_LOAD(y) != 0)
        if (RF_LOAD(y) == 0) RF_FAIL("null");
}

enum { CLEAR = __LINE__ + 1 };
THREAD(clear) { RF_STORE(y, 0); }

RF_TEST(check_act) {
    y = 1;
    lab_two(check_then_act, clear);
}

/* ---- 3.7.7 postponed inside a critical section: the shape of containsAll ---- */

static rf_mutex l1 = RF_MUTEX_INIT, l2 = RF_MUTEX_INIT;
static int mod_count, checks, start_up;

enum { CHECK = __LINE__ + 7 };
THREAD(contains_all) {
    RF_LOCK(&l1);
    RF_LOCK(&l2);
    int expected = RF_LOAD(mod_count);
    RF_UNLOCK(&l2);
    for (int i = 0; i < checks; i++)
        if (RF_LOAD(mod_count) != expected) RF_FAIL("modified");
    RF_UNLOCK(&l1);
}

enum { MODIFY = __LINE__ + 4 };
THREAD(modify) {
    PRIVATE_STEPS(start_up);
    RF_LOCK(&l2);
    RF_STORE(mod_count, 1);
    RF_UNLOCK(&l2);
}

RF_TEST(contains) {
    mod_count = 0;
    lab_two(contains_all, modify);
}

/* ---- 8.3 hedc: a task is cancelled while it finishes ---- */

static int task;

enum { CANCEL_1 = __LINE__ + 3, CANCEL_2 = __LINE__ + 4 };
THREAD(cancel) {
    RF_LOCK(&L);
    if (RF_LOAD(task) != 0)
        if (RF_LOAD(task) == 0) RF_FAIL("cancelled nothing");
    RF_UNLOCK(&L);
}

enum { FINISH = __LINE__ + 3 };
THREAD(finish) {
    PRIVATE_STEPS(1);
    RF_STORE(task, 0);
}

RF_TEST(hedc) {
    task = 1;
    lab_two(cancel, finish);
}

/* ---- what happens-before sees ---- */

static int inside, before;

enum { HIDDEN_R = __LINE__ + 6 };
THREAD(hidden_left) {
    PRIVATE_STEPS(before);
    RF_LOCK(&L);
    PRIVATE_STEPS(inside);
    RF_UNLOCK(&L);
    z = RF_LOAD(x);
}

RF_TEST(hidden) {
    x = 0;
    lab_two(hidden_left, figure_2_right);
}

enum { SLIDE_1 = __LINE__ + 2 };
THREAD(count_then_lock) {
    RF_STORE(x, RF_LOAD(x) + 1);
    RF_LOCK(&L);
    RF_STORE(y, RF_LOAD(y) + 1);
    RF_UNLOCK(&L);
}

enum { SLIDE_2 = __LINE__ + 5 };
THREAD(lock_then_count) {
    RF_LOCK(&L);
    RF_STORE(y, RF_LOAD(y) + 1);
    RF_UNLOCK(&L);
    RF_STORE(x, RF_LOAD(x) + 1);
}

RF_TEST(slides_1) {
    x = y = 0;
    lab_two(count_then_lock, lock_then_count);
}

/* ---- 4.4.3 lock inversion ---- */

THREAD(l1_then_l2) {
    RF_LOCK(&l1);
    RF_LOCK(&l2);
    RF_UNLOCK(&l2);
    RF_UNLOCK(&l1);
}

THREAD(l2_then_l1) {
    RF_LOCK(&l2);
    RF_LOCK(&l1);
    RF_UNLOCK(&l1);
    RF_UNLOCK(&l2);
}

RF_TEST(inversion) { lab_two(l1_then_l2, l2_then_l1); }

/* ---- 4.5.4 StringBuffer: append(sb) holds l1, its own lock, and asks sb (l2) twice ---- */

THREAD(append) {
    RF_LOCK(&l1);
    RF_LOCK(&l2);
    int length = RF_LOAD(y);
    RF_UNLOCK(&l2);
    RF_LOCK(&l2);
    if (RF_LOAD(y) < length) RF_FAIL("index");
    RF_UNLOCK(&l2);
    RF_UNLOCK(&l1);
}

THREAD(cut) {
    RF_LOCK(&l2);
    RF_STORE(y, 0);
    RF_UNLOCK(&l2);
}

RF_TEST(string_buffer) {
    y = 5;
    lab_two(append, cut);
}
#endif

/* tests/generate/planted.h: faults.  Each plants one, with blocks of thread a and of thread b that
 * follow each other: nothing but the fault decides whether they may meet.
 */
#ifndef PLANTED_H
#define PLANTED_H
#include "handover.h"

typedef struct fault {
    const char *name;
    void (*plant)(unsigned a, unsigned b);
    bool meet; /* nothing predicts it: the threads meet right before */
} fault;

static unsigned third_thread(unsigned a, unsigned b) {
    unsigned c = 0;
    while (c == a || c == b) c++;
    return c;
}

static void locked_block(unsigned t, const lock *l, datum *d, bool write) {
    hold h = take_plainly(t, l, true);
    touch(t, d, write);
    give(t, h);
}

/* ---- races ---- */

static void no_lock(unsigned a, unsigned b) {
    object o = {.owner = 0};
    bool write = one_in(2);
    locked_begin(&o);
    touch(a, &o.datum[0], write);
    locked_block(b, &o.lock[0], &o.datum[0], !write || one_in(2));
    locked_step_of(&o, third_thread(a, b));
    locked_end(&o);
}
static void unlocked_too_early(unsigned a, unsigned b) {
    lock l = lock_any();
    datum d = datum_new();
    locked_block(a, &l, &d, false);
    step(a, &d);
    locked_block(b, &l, &d, one_in(2));
}
static void checked_without_lock(unsigned a, unsigned b) {
    lock l = lock_any();
    datum d = scalar_new();
    say(a, "if (RF_LOAD(%s) < 5) {", d.at);
    locked_block(a, &l, &d, true);
    say(a, "}");
    locked_block(b, &l, &d, true);
}
static void wrong_lock(unsigned a, unsigned b) {
    lock l = lock_any(), m = lock_any();
    datum d = datum_new();
    locked_block(a, &l, &d, true);
    locked_block(b, &m, &d, one_in(2));
    all_steps(&d);
}
static void read_lock_to_write(unsigned a, unsigned b) {
    lock l = lock_new(RWLOCK);
    datum d = datum_new();
    hold h = take_plainly(a, &l, false);
    step(a, &d);
    give(a, h);
    h = take_plainly(b, &l, false);
    touch(b, &d, one_in(2));
    give(b, h);
    locked_block(third_thread(a, b), &l, &d, true);
}
static void trylock_ignored(unsigned a, unsigned b) {
    lock l = lock_new((lock_kind)below(SPIN));
    datum d = datum_new();
    const char *got = fresh("got");
    say(a, "bool %s = RF_TRYLOCK(&%s);", got, l.name);
    step(a, &d);
    say(a, "if (%s) RF_UNLOCK(&%s);", got, l.name);
    locked_block(b, &l, &d, true);
    locked_block(third_thread(a, b), &l, &d, true);
}
static void semaphore_of_two(unsigned a, unsigned b) {
    lock l = {SEMAPHORE, fresh("lock")};
    datum d = datum_new();
    declare("static rf_sem %s = RF_SEM_INIT(2);", l.name);
    locked_block(a, &l, &d, true);
    locked_block(b, &l, &d, one_in(2));
}
static void lock_without_release(unsigned a, unsigned b) {
    lock l = lock_new(FLAG);
    datum d = datum_new();
    take_plainly(a, &l, true);
    step(a, &d);
    say(a, "rf_atomic_flag_clear_explicit(&%s, rf_memory_order_relaxed);", l.name);
    locked_block(b, &l, &d, one_in(2));
}
static void wrong_stripe(unsigned a, unsigned b) {
    object o = {.owner = 0};
    unsigned i = below(4);
    striped_begin(&o);
    for (unsigned k = 0; k < 2; k++) {
        unsigned t = k ? b : a;
        say(t, "RF_GUARD(&%s[%u].lock) {", o.name, (i + k) % 4);
        say(t, "RF_STORE(%s[%u].cell, RF_LOAD(%s[%u].cell) + 0);", o.name, i, o.name, i);
        say(t, "}");
    }
}

static void hand_over(unsigned a, unsigned b, signal s) {
    datum d = datum_new();
    step(a, &d);
    signal_send(a, b, &s);
    signal_wait(b, &s);
    touch(b, &d, one_in(2));
    all_steps(&d);
}
static signal_kind weakened(void) {
    static const signal_kind kind[] = {RELEASE, FENCES, UPDATE, SEQUENCE};
    return kind[below(4)];
}
static void weak_send(unsigned a, unsigned b) {
    signal s = signal_new(weakened());
    s.weak_send = true;
    hand_over(a, b, s);
}
static void weak_wait(unsigned a, unsigned b) {
    signal s = signal_new(weakened());
    s.weak_wait = true;
    hand_over(a, b, s);
}
static void touched_after_sending(unsigned a, unsigned b) {
    signal s = signal_new(signal_kind_of(SIGNALS));
    datum d = datum_new();
    signal_send(a, b, &s);
    step(a, &d);
    signal_wait(b, &s);
    touch(b, &d, one_in(2));
}
static void touched_after_putting(unsigned a, unsigned b) {
    const char *n = fresh("queue"), *x = fresh("item"), *y = fresh("item");
    queue_of_all(n);
    declare("static int *%s;", x);
    before("%s = RF_CALLOC(1, sizeof *%s);", x, x);
    say(a, "%s_put(%s);", n, x);
    say(a, "RF_STORE(*%s, 3);", x);
    say(b, "int *%s = %s_get();", y, n);
    say(b, "RF_ASSERT_LE(RF_LOAD(*%s), 3);", y);
    finally("RF_FREE(%s);", x);
}

static void before_the_barrier(unsigned a, unsigned b) {
    object o = {.owner = 0};
    phased_begin(&o);
    step(a, &o.datum[a]);
    touch(b, &o.datum[a], one_in(2));
    phased_meet(&o);
    look(b, &o.datum[a]);
}
static void before_the_join(unsigned a, unsigned b) {
    datum d = datum_new();
    const char *n = child_begin();
    step(CHILD, &d);
    child_end();
    say(a, "rf_thread %s_thread = RF_THREAD(%s, NULL);", n, n);
    touch(a, &d, one_in(2));
    say(a, "RF_JOIN(%s_thread);", n);
    say(b, "RF_YIELD();");
    all_steps(&d);
}
static void without_once(unsigned a, unsigned b) {
    object o = {.owner = 0};
    once_begin(&o);
    say(a, "RF_ONCE(&%s, %s_make);", o.name, o.name);
    say(b, "int %s = (int)RF_LOAD(%s);", fresh("x"), o.datum[0].at);
}
static void lazy_without_acquire(unsigned a, unsigned b) {
    object o = {.owner = 0};
    lazy_make(&o, "relaxed");
    say(a, "RF_ASSERT_EQ(RF_LOAD(*%s_get()), 7);", o.name);
    say(b, "RF_ASSERT_EQ(RF_LOAD(*%s_get()), 7);", o.name);
}
static void let_go_without_order(unsigned a, unsigned b) {
    object o = {.owner = 0};
    shared_make(&o, false);
    for (unsigned t = 0; t < program.threads; t++) {
        shared_use(&o, t);
        shared_let_go(&o, t, t == a || t == b ? "relaxed" : "acq_rel");
    }
}

static const fault races[] = {
    {"no_lock", no_lock, false},
    {"unlocked_too_early", unlocked_too_early, false},
    {"checked_without_lock", checked_without_lock, false},
    {"wrong_lock", wrong_lock, false},
    {"read_lock_to_write", read_lock_to_write, false},
    {"trylock_ignored", trylock_ignored, true},
    {"semaphore_of_two", semaphore_of_two, true},
    {"lock_without_release", lock_without_release, true},
    {"wrong_stripe", wrong_stripe, false},
    {"weak_send", weak_send, false},
    {"weak_wait", weak_wait, false},
    {"touched_after_sending", touched_after_sending, false},
    {"touched_after_putting", touched_after_putting, false},
    {"before_the_barrier", before_the_barrier, false},
    {"before_the_join", before_the_join, false},
    {"without_once", without_once, false},
    {"lazy_without_acquire", lazy_without_acquire, false},
    {"let_go_without_order", let_go_without_order, false},
};
#endif

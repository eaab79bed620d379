/* tests/generate/safe.h: disciplines.  Each object of a program has one; it is declared, stepped
 * (one more block of one thread, or blocks of several) and finished.
 */
#ifndef SAFE_H
#define SAFE_H
#include "signal.h"

typedef struct object {
    const struct discipline *is;
    lock lock[3];
    datum datum[THREADS];
    signal signal;
    const char *name;
    unsigned owner, to, state; /* as the discipline likes */
} object;

typedef struct discipline {
    const char *name;
    void (*begin)(object *o);
    void (*step)(object *o);
    void (*end)(object *o);
} discipline;

/* ---- data under one lock ---- */

static void locked_begin(object *o) {
    o->lock[0] = lock_any();
    o->datum[0] = datum_new();
    if (one_in(2)) {
        o->datum[0].more = fresh("more");
        declare("static rf_atomic_int %s;", o->datum[0].more);
        before("rf_atomic_init(&%s, 0);", o->datum[0].more);
    }
}

static void locked_step_of(object *o, unsigned t) {
    datum *d = &o->datum[0];
    bool write = !one_in(3), block;
    loop_begin(t);
    block = o->lock[0].kind < LOCKS && atomic_begin(t);
    hold h = take(t, &o->lock[0], write, d->more != NULL);
    unsigned steps = d->steps;
    touch(t, d, write);
    if (h.style == MAYBE && write) {
        say(t, "rf_atomic_fetch_add_explicit(&%s, 1, rf_memory_order_relaxed);", d->more);
        d->steps = steps;
    }
    give(t, h);
    atomic_end(t, block);
    loop_end(t);
}
static void locked_step(object *o) { locked_step_of(o, any_thread()); }
static void locked_end(object *o) { all_steps(&o->datum[0]); }

/* ---- several locks, taken in their order; data[i] under lock[i] ---- */

static void nested_begin(object *o) {
    bool neighbours = one_in(2);
    if (neighbours) neighbours_new(&o->datum[0], &o->datum[1]);
    for (unsigned i = 0; i < 3; i++) {
        o->lock[i] = lock_known();
        if (i == 2 || !neighbours) o->datum[i] = datum_new();
    }
}
static void nested_step(object *o) {
    unsigned t = any_thread(), which = 1 + below(7), n = 0;
    hold h[3];
    loop_begin(t);
    bool block = atomic_begin(t);
    for (unsigned i = 0; i < 3; i++)
        if (which >> i & 1) h[n++] = take(t, &o->lock[i], true, false);
    for (unsigned i = 0; i < 3; i++)
        if (which >> i & 1 && !one_in(4)) touch(t, &o->datum[i], !one_in(3));
    while (n > 0) give(t, h[--n]);
    atomic_end(t, block);
    loop_end(t);
}
static void nested_end(object *o) {
    for (unsigned i = 0; i < 3; i++) all_steps(&o->datum[i]);
}

/* ---- two locks in any order, under a third one ---- */

static void gated_step(object *o) {
    unsigned t = any_thread(), first = 1 + below(2);
    if (one_in(3)) { /* one of the two needs no gate */
        hold h = take(t, &o->lock[first], true, false);
        step(t, &o->datum[first]);
        give(t, h);
        return;
    }
    hold gate = take(t, &o->lock[0], true, false);
    hold a = take(t, &o->lock[first], true, false), b = take(t, &o->lock[3 - first], true, false);
    step(t, &o->datum[below(3)]);
    give(t, b);
    give(t, a);
    give(t, gate);
}

/* ---- two locks in their order; or in the other one, by trying ---- */

static void backoff_begin(object *o) {
    for (unsigned i = 0; i < 2; i++) {
        o->lock[i] = lock_new((lock_kind)below(SPIN));
        o->datum[i] = datum_new();
    }
    o->name = fresh("failed");
    declare_of(o->name, "static rf_atomic_int $;");
    before_of(o->name, "rf_atomic_init(&$, 0);");
    o->datum[0].more = o->datum[1].more = o->name;
}
static void backoff_step(object *o) {
    unsigned t = any_thread();
    if (one_in(2)) {
        hold a = take_plainly(t, &o->lock[0], true), b = take_plainly(t, &o->lock[1], true);
        step(t, &o->datum[0]);
        step(t, &o->datum[1]);
        give(t, b);
        give(t, a);
    } else {
        hold b = take_plainly(t, &o->lock[1], true);
        say(t, one_in(2) ? "if (RF_TRYLOCK(&%s)) {" : "if (RF_TIMEDLOCK(&%s, 1)) {",
            o->lock[0].name);
        step(t, &o->datum[0]);
        step(t, &o->datum[1]);
        o->datum[0].steps--, o->datum[1].steps--;
        say_of(t, o->name, "rf_atomic_fetch_add(&$, 1); RF_UNLOCK(&%s); }", o->lock[0].name);
        give(t, b);
    }
}
static void backoff_end(object *o) {
    for (unsigned i = 0; i < 2; i++) all_steps(&o->datum[i]);
}

/* ---- two locks in both orders, which start, join or a semaphore keep apart ---- */

static void crossed_begin(object *o) {
    o->lock[0] = lock_new(MUTEX);
    o->lock[1] = lock_new((lock_kind)below(SPIN));
    o->datum[0] = datum_new();
    o->name = fresh("then");
    declare_of(o->name, "static rf_sem $ = RF_SEM_INIT(0);");
    o->owner = any_thread();
    before("RF_GUARD(&%s) RF_GUARD(&%s) {}", o->lock[1].name, o->lock[0].name);
}
static void crossed_end(object *o) {
    after("RF_GUARD(&%s) RF_GUARD(&%s) {}", o->lock[1].name, o->lock[0].name);
    all_steps(&o->datum[0]);
}
static void crossed_step(object *o) {
    unsigned t = o->owner, to = other_thread(t);
    hold a = take_plainly(t, &o->lock[0], true), b = take_plainly(t, &o->lock[1], true);
    step(t, &o->datum[0]);
    give(t, b);
    give(t, a);
    if (o->state++) return; /* the other order comes once, and its thread goes on from there */
    say_of(t, o->name, "RF_SEM_POST(&$);");
    say_of(to, o->name, "RF_SEM_WAIT(&$);");
    b = take_plainly(to, &o->lock[1], true), a = take_plainly(to, &o->lock[0], true);
    step(to, &o->datum[0]);
    give(to, a);
    give(to, b);
    o->owner = to;
}

/* ---- read locks in both orders, and a writer of one ---- */

static void readers_begin(object *o) {
    for (unsigned i = 0; i < 2; i++) {
        o->lock[i] = lock_new(RWLOCK);
        o->datum[i] = datum_new();
    }
}
static void readers_step(object *o) {
    unsigned t = any_thread(), first = below(2);
    hold a, b;
    if (one_in(3)) {
        a = take_plainly(t, &o->lock[first], true);
        step(t, &o->datum[first]);
        give(t, a);
        return;
    }
    bool block = atomic_begin(t);
    a = take_plainly(t, &o->lock[first], false), b = take_plainly(t, &o->lock[1 - first], false);
    look(t, &o->datum[0]);
    look(t, &o->datum[1]);
    give(t, a);
    give(t, b);
    atomic_end(t, block);
}

/* ---- an array of locks, all from one place: cell i under lock i, and two in their order ---- */

static void striped_begin(object *o) {
    const char *n = o->name = fresh("stripe");
    declare_of(n, "static struct { rf_mutex lock; int cell; } $[4];");
    before_of(n, "for (int i = 0; i < 4; i++) rf_mutex_init(&$[i].lock, \"$\", RF_MUTEX_NORMAL); "
                 "for (int i = 0; i < 4; i++) $[i].cell = 5;");
}
static void striped_step(object *o) {
    unsigned t = any_thread();
    const char *n = o->name, *i = fresh("i"), *j = fresh("j");
    bool block = atomic_begin(t);
    say(t, "uint32_t %s = RF_CHOOSE(%u);", i, one_in(2) ? 4u : 3u);
    if (one_in(2)) {
        say_of(t, n, "RF_GUARD(&$[%s].lock) { RF_STORE($[%s].cell, RF_LOAD($[%s].cell) + 0); }", i,
               i, i);
    } else {
        say_of(t, n,
               "uint32_t %s = 3; RF_LOCK(&$[%s %% 3].lock); RF_LOCK(&$[%s].lock); "
               "RF_STORE($[%s %% 3].cell, RF_LOAD($[%s %% 3].cell) - 1); "
               "RF_STORE($[%s].cell, RF_LOAD($[%s].cell) + 1); RF_UNLOCK(&$[%s].lock); "
               "RF_UNLOCK(&$[%s %% 3].lock);",
               j, i, j, i, i, j, j, j, i);
    }
    atomic_end(t, block);
}
static void striped_end(object *o) {
    const char *n = o->name, *sum = fresh("sum");
    after_of(sum,
             "int $ = 0; for (int i = 0; i < 4; i++) $ += RF_LOAD(%s[i].cell); "
             "RF_ASSERT_EQ($, 20);",
             n);
}

/* ---- written before the threads begin, then only read ---- */

static void constant_begin(object *o) {
    o->datum[0] = datum_new();
    if (o->datum[0].kind == SCALAR) before("RF_STORE(%s, 7);", o->datum[0].at);
}
static void constant_step(object *o) {
    unsigned t = any_thread();
    bool block = atomic_begin(t);
    look(t, &o->datum[0]);
    if (o->datum[0].kind == SCALAR) say(t, "RF_ASSERT_EQ(RF_LOAD(%s), 7);", o->datum[0].at);
    atomic_end(t, block);
}

static void nothing(object *o) { (void)o; }

/* ---- a cell for each thread: written by it, then a barrier, then read by all, then a barrier ----
 */

static void phased_begin(object *o) {
    o->name = fresh("barrier");
    declare_of(o->name, "static rf_barrier $;");
    before_of(o->name, "rf_barrier_init(&$, \"$\", %u);", program.threads);
    for (unsigned t = 0; t < program.threads; t++) o->datum[t] = datum_new();
}
static void phased_meet(object *o) {
    const char *n = o->name;
    bool serial = one_in(3);
    for (unsigned t = 0; t < program.threads; t++) {
        if (serial) { /* the last to arrive does something for all, and all meet again */
            say_of(t, n, "if (RF_BARRIER_WAIT(&$)) {");
            step(t, &o->datum[0]);
            if (t > 0) o->datum[0].steps--;
            say(t, "}");
        }
        say_of(t, n, "RF_BARRIER_WAIT(&$);");
    }
    o->state = !o->state;
}
static void phased_step(object *o) {
    unsigned t = any_thread();
    if (one_in(3))
        phased_meet(o);
    else
        touch(t, &o->datum[o->state ? below(program.threads) : t], !o->state);
}
static void phased_end(object *o) {
    for (unsigned t = 0; t < program.threads; t++) all_steps(&o->datum[t]);
}

/* ---- each thread its own: thread-local, on its stack, on the heap, where another one was ---- */

static void own_begin(object *o) {
    o->name = fresh("own");
    declare_of(o->name, "RF_TLS(int, $);");
}
static void own_step(object *o) {
    unsigned t = any_thread();
    const char *x = fresh("x");
    bool block = atomic_begin(t);
    switch (below(4)) {
    case 0: say_of(t, o->name, "RF_STORE(*RF_TLS_PTR($), RF_LOAD(*RF_TLS_PTR($)) + 1);"); break;
    case 1:
        say_of(t, x,
               "int $[3] = {1, 2, 3}; RF_STORE($[2], RF_LOAD($[1]) + 2); "
               "RF_ASSERT_EQ(RF_LOAD($[2]), 4);");
        break;
    default:
        say_of(t, x, "int *$ = RF_CALLOC(2, sizeof *$); RF_STORE($[1], %u);", t);
        if (one_in(2)) say(t, "%s = RF_REALLOC(%s, 5 * sizeof *%s);", x, x, x);
        if (one_in(2)) say(t, "RF_YIELD();");
        say_of(t, x, "RF_ASSERT_EQ(RF_LOAD($[1]), %u); RF_FREE($);", t);
    }
    atomic_end(t, block);
}

/* ---- atomics ---- */

static void counter_begin(object *o) {
    o->name = fresh("count");
    declare_of(o->name, "static rf_atomic_uint $;");
    before_of(o->name, "rf_atomic_init(&$, 0);");
}
static void counter_step(object *o) {
    unsigned t = any_thread(), how = below(5);
    const char *n = o->name, *x = fresh("x");
    loop_begin(t);
    o->state += program.times;
    bool block = how < 3 && atomic_begin(t); /* the last two load, and then write */
    switch (how) {
    case 0: say(t, "rf_atomic_fetch_add_explicit(&%s, 1, rf_memory_order_relaxed);", n); break;
    case 1: say(t, "rf_atomic_fetch_add(&%s, 1);", n); break;
    case 2:
        o->state -= program.times;
        say_of(t, n, "RF_ASSERT_LE(rf_atomic_load_explicit(&$, rf_memory_order_relaxed), 99u);");
        break;
    default:
        say_of(t, x,
               "unsigned $ = rf_atomic_load(&%s); "
               "while (!rf_atomic_compare_exchange_weak(&%s, &$, $ + 1)) RF_YIELD();",
               n, n);
    }
    atomic_end(t, block);
    loop_end(t);
}
static void counter_end(object *o) {
    after_of(o->name, "RF_ASSERT_EQ(rf_atomic_load(&$), %uu);", o->state);
}

static const discipline safe_locks[] = {
    {"locked", locked_begin, locked_step, locked_end},
    {"nested", nested_begin, nested_step, nested_end},
    {"gated", nested_begin, gated_step, nested_end},
    {"backoff", backoff_begin, backoff_step, backoff_end},
    {"crossed", crossed_begin, crossed_step, crossed_end},
    {"readers", readers_begin, readers_step, backoff_end},
    {"striped", striped_begin, striped_step, striped_end},
    {"constant", constant_begin, constant_step, nothing},
    {"phased", phased_begin, phased_step, phased_end},
    {"own", own_begin, own_step, nothing},
    {"counter", counter_begin, counter_step, counter_end},
};
#endif

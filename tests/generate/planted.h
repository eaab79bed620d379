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
        say(t, "RF_GUARD(&%s[%u].lock) { RF_STORE(%s[%u].cell, RF_LOAD(%s[%u].cell) + 0); }",
            o.name, (i + k) % 4, o.name, i, o.name, i);
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
    before_of(x, "$ = RF_CALLOC(1, sizeof *$);");
    say_of(a, x, "%s_put($); RF_STORE(*$, 3);", n);
    say_of(b, y, "int *$ = %s_get(); RF_ASSERT_LE(RF_LOAD(*$), 3);", n);
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
    say_of(a, n, "rf_thread $_thread = RF_THREAD($, NULL);");
    touch(a, &d, one_in(2));
    say_of(a, n, "RF_JOIN($_thread);");
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

/* ---- deadlocks ---- */

/* Takes l, then m; there may be something in between. */
static void two_locks(unsigned t, const lock *l, bool write_l, const lock *m, bool write_m) {
    hold h = take_plainly(t, l, write_l);
    if (one_in(3)) say(t, "RF_LOG(\"has one\");");
    hold i = take_plainly(t, m, write_m);
    give(t, i);
    give(t, h);
}
static void cycle_of_two(unsigned a, unsigned b) {
    lock l = lock_known(), m = lock_known();
    two_locks(a, &l, true, &m, true);
    two_locks(b, &m, true, &l, true);
}
static void cycle_of_three(unsigned a, unsigned b) {
    lock l = lock_known(), m = lock_known(), n = lock_known();
    two_locks(a, &l, true, &m, true);
    two_locks(b, &m, true, &n, true);
    two_locks(third_thread(a, b), &n, true, &l, true);
}
static void cycle_of_readers(unsigned a, unsigned b) {
    lock l = lock_new(RWLOCK), m = lock_new(RWLOCK);
    bool write = one_in(2); /* first, and then read; or the other way */
    two_locks(a, &l, write, &m, !write);
    two_locks(b, &m, write, &l, !write);
}
static void cycle_of_semaphores(unsigned a, unsigned b) {
    lock l = lock_new(SEMAPHORE), m = lock_new(one_in(2) ? SEMAPHORE : MUTEX);
    two_locks(a, &l, true, &m, true);
    two_locks(b, &m, true, &l, true);
}
static void one_side_gated(unsigned a, unsigned b) {
    lock gate = lock_known(), l = lock_known(), m = lock_known();
    hold h = take_plainly(a, &gate, true);
    two_locks(a, &l, true, &m, true);
    give(a, h);
    two_locks(b, &m, true, &l, true);
}
static void transfer(unsigned a, unsigned b) {
    const char *n = fresh("account");
    declare_of(n, "static rf_mutex $[2]; "
                  "static void $_move(rf_mutex *from, rf_mutex *to) { RF_GUARD(from) { "
                  "RF_GUARD(to) { } } }");
    before_of(n, "for (int i = 0; i < 2; i++) rf_mutex_init(&$[i], \"$\", RF_MUTEX_NORMAL);");
    say_of(a, n, "$_move(&$[0], &$[1]);");
    say_of(b, n, "$_move(&$[1], &$[0]);");
}
static void join_under_lock(unsigned a, unsigned b) {
    lock l = lock_known();
    const char *n = child_begin();
    give(CHILD, take_plainly(CHILD, &l, true));
    child_end();
    say_of(a, n, "rf_thread $_thread = RF_THREAD($, NULL);");
    hold h = take_plainly(a, &l, true);
    say_of(a, n, "RF_JOIN($_thread);");
    give(a, h);
    give(b, take_plainly(b, &l, true));
}
static void barrier_under_lock(unsigned a, unsigned b) {
    lock l = lock_known();
    const char *n = fresh("barrier");
    declare_of(n, "static rf_barrier $ = RF_BARRIER_INIT(2);");
    hold h = take_plainly(a, &l, true);
    say_of(a, n, "RF_BARRIER_WAIT(&$);");
    give(a, h);
    give(b, take_plainly(b, &l, true));
    say_of(b, n, "RF_BARRIER_WAIT(&$);");
}
static void message_under_lock(unsigned a, unsigned b) {
    lock l = lock_known();
    const char *n = fresh("signal");
    declare_of(n, "static rf_sem $ = RF_SEM_INIT(0);");
    give(b, take_plainly(b, &l, true));
    say_of(b, n, "RF_SEM_POST(&$);");
    hold h = take_plainly(a, &l, true);
    say_of(a, n, "RF_SEM_WAIT(&$);");
    give(a, h);
}
static void a_third_in_between(unsigned a, unsigned b) {
    lock l = lock_known(), m = lock_known();
    unsigned c = third_thread(a, b);
    const char *n = fresh("signal");
    declare_of(n, "static rf_sem $ = RF_SEM_INIT(0);");
    two_locks(b, &m, true, &l, true);
    give(c, take_plainly(c, &m, true));
    say_of(c, n, "RF_SEM_POST(&$);");
    hold h = take_plainly(a, &l, true);
    say_of(a, n, "RF_SEM_WAIT(&$);");
    give(a, h);
}

static const char *condition(void) {
    const char *n = fresh("ready");
    declare_of(n, "static rf_mutex $_lock = RF_MUTEX_INIT; static rf_cond $_cond = RF_COND_INIT; "
                  "static bool $;");
    before_of(n, "$ = false;");
    return n;
}
static void make_ready(unsigned t, const char *n) {
    say_of(t, n, "RF_LOCK(&$_lock); RF_STORE($, true); RF_SIGNAL(&$_cond); RF_UNLOCK(&$_lock);");
}
static void lost_wakeup(unsigned a, unsigned b) {
    const char *n = condition(), *x = fresh("there");
    make_ready(a, n);
    say_of(b, n,
           "RF_LOCK(&$_lock); bool %s = RF_LOAD($); RF_UNLOCK(&$_lock); if (!%s) { "
           "RF_LOCK(&$_lock); RF_WAIT(&$_cond, &$_lock); RF_UNLOCK(&$_lock); }",
           x, x);
}
static void signal_for_two(unsigned a, unsigned b) {
    const char *n = condition();
    make_ready(a, n);
    for (unsigned k = 0; k < 2; k++) {
        unsigned t = k ? third_thread(a, b) : b;
        say_of(t, n,
               "RF_LOCK(&$_lock); while (!RF_LOAD($)) RF_WAIT(&$_cond, &$_lock); "
               "RF_UNLOCK(&$_lock);");
    }
}

static const fault deadlocks[] = {
    {"cycle_of_two", cycle_of_two, false},
    {"cycle_of_three", cycle_of_three, false},
    {"cycle_of_readers", cycle_of_readers, false},
    {"cycle_of_semaphores", cycle_of_semaphores, true},
    {"one_side_gated", one_side_gated, false},
    {"transfer", transfer, false},
    {"join_under_lock", join_under_lock, false},
    {"barrier_under_lock", barrier_under_lock, true},
    {"message_under_lock", message_under_lock, true},
    {"a_third_in_between", a_third_in_between, true},
    {"lost_wakeup", lost_wakeup, true},
    {"signal_for_two", signal_for_two, true},
};

/* ---- atomicity violations ---- */

static void block_begin(unsigned t) { say(t, "RF_ATOMIC_BLOCK(\"%s\") {", fresh("block")); }

/* Two sections of one lock in a block of a, one of b. */
static void two_sections(unsigned a, bool write_1, bool write_2, unsigned b, bool write_b) {
    lock l = lock_known();
    datum d = datum_new();
    block_begin(a);
    locked_block(a, &l, &d, write_1);
    if (one_in(3)) say(a, "RF_YIELD();");
    locked_block(a, &l, &d, write_2);
    say(a, "}");
    locked_block(b, &l, &d, write_b);
}
static void check_then_act(unsigned a, unsigned b) { two_sections(a, false, true, b, true); }
static void two_looks(unsigned a, unsigned b) { two_sections(a, false, false, b, true); }
static void half_done(unsigned a, unsigned b) { two_sections(a, true, true, b, false); }

static void stale_sum(unsigned a, unsigned b) {
    lock l = lock_new((lock_kind)below(RWLOCK));
    datum d = scalar_new();
    const char *x = fresh("sum");
    bool block = one_in(2);
    block_begin(a);
    say(a, "int %s;", x);
    hold h = take_plainly(a, &l, true);
    say(a, "%s = (int)RF_LOAD(%s);", x, d.at);
    give(a, h);
    h = take_plainly(a, &l, true);
    say(a, "RF_STORE(%s, (__typeof__(%s))(%s + 1));", d.at, d.at, x);
    give(a, h);
    say(a, "}");
    if (block) block_begin(b);
    locked_block(b, &l, &d, true);
    if (block) say(b, "}");
}
static void read_then_write_lock(unsigned a, unsigned b) {
    lock l = lock_new(RWLOCK);
    datum d = datum_new();
    block_begin(a);
    hold h = take_plainly(a, &l, false);
    look(a, &d);
    give(a, h);
    locked_block(a, &l, &d, true);
    say(a, "}");
    locked_block(b, &l, &d, true);
}
/* The length is asked for, and then that many bytes; each is safe by itself. */
static void string_buffer(unsigned a, unsigned b) {
    const char *n = fresh("buffer");
    declare_of(n, "static struct { rf_mutex lock; unsigned len; char text[4]; } $[2];");
    before_of(n,
              "for (int i = 0; i < 2; i++) rf_mutex_init(&$[i].lock, \"$\", RF_MUTEX_RECURSIVE); "
              "$[0].len = $[1].len = 4;");
    declare_of(n, "static unsigned $_length(void) { unsigned len = 0; RF_GUARD(&$[1].lock) { "
                  "len = RF_LOAD($[1].len); } return len; } static void $_append(void) { "
                  "RF_ATOMIC_BLOCK(\"$_append\") { RF_GUARD(&$[0].lock) { "
                  "unsigned len = $_length(); RF_GUARD(&$[1].lock) { "
                  "if (len > RF_LOAD($[1].len)) RF_LOG(\"out of range\"); } } } }");
    say_of(a, n, "$_append();");
    say_of(b, n, "RF_GUARD(&$[1].lock) { RF_STORE($[1].len, 0); }");
}

static const fault violations[] = {
    {"check_then_act", check_then_act, false},
    {"two_looks", two_looks, false},
    {"half_done", half_done, false},
    {"stale_sum", stale_sum, false},
    {"string_buffer", string_buffer, false},
    {"read_then_write_lock", read_then_write_lock, false},
};
#endif

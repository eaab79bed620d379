/* tests/generate/handover.h: disciplines in which data changes hands. */
#ifndef HANDOVER_H
#define HANDOVER_H
#include "safe.h"

/* ---- data that belongs to one thread, which gives it to another one ---- */

static void message_begin(object *o) {
    o->datum[0] = datum_new();
    o->datum[1] = datum_new();
    o->owner = any_thread();
}
static void message_step(object *o) {
    if (!o->state) {
        touch(o->owner, &o->datum[0], true);
        touch(o->owner, &o->datum[1], !one_in(3));
        o->to = other_thread(o->owner);
        o->signal = signal_new(signal_kind_of(SIGNALS));
        signal_send(o->owner, o->to, &o->signal);
    } else {
        signal_wait(o->to, &o->signal);
        o->owner = o->to;
        touch(o->owner, &o->datum[below(2)], !one_in(3));
    }
    o->state = !o->state;
}

/* ---- one thread writes, and tells all ---- */

static void event_step(object *o) {
    unsigned t;
    if (!o->state++) {
        o->signal = signal_new(signal_kind_of(TO_ALL));
        step(o->owner, &o->datum[0]);
        step(o->owner, &o->datum[1]);
        signal_send(o->owner, o->owner, &o->signal);
        return;
    }
    do t = any_thread();
    while (t == o->owner);
    signal_wait(t, &o->signal);
    look(t, &o->datum[0]);
    look(t, &o->datum[1]);
}

/* ---- queues of pointers ---- */

static void queue_of_all(const char *n) {
    declare_of(
        n, "static struct { rf_mutex lock; rf_cond more; int *item[8]; unsigned head, tail; } $; "
           "static void $_put(int *x) { RF_GUARD(&$.lock) { "
           "RF_STORE($.item[RF_LOAD($.tail) %% 8], x); "
           "RF_STORE($.tail, RF_LOAD($.tail) + 1); RF_SIGNAL(&$.more); } } "
           "static int *$_get(void) { RF_LOCK(&$.lock); "
           "while (RF_LOAD($.head) == RF_LOAD($.tail)) RF_WAIT(&$.more, &$.lock); "
           "int *x = RF_LOAD($.item[RF_LOAD($.head) %% 8]); "
           "RF_STORE($.head, RF_LOAD($.head) + 1); RF_UNLOCK(&$.lock); return x; }");
    before_of(n, "memset(&$, 0, sizeof $); rf_cond_init(&$.more, \"$.more\");");
}

static void queue_of_semaphores(const char *n) {
    declare_of(n, "static struct { rf_sem more, room; int *item[2]; unsigned head, tail; } $; "
                  "static void $_put(int *x) { RF_SEM_WAIT(&$.room); "
                  "RF_STORE($.item[RF_LOAD($.tail) %% 2], x); "
                  "RF_STORE($.tail, RF_LOAD($.tail) + 1); RF_SEM_POST(&$.more); } "
                  "static int *$_get(void) { RF_SEM_WAIT(&$.more); "
                  "int *x = RF_LOAD($.item[RF_LOAD($.head) %% 2]); "
                  "RF_STORE($.head, RF_LOAD($.head) + 1); RF_SEM_POST(&$.room); return x; }");
    before_of(n, "$.head = $.tail = 0; rf_sem_init(&$.more, NULL, 0); "
                 "rf_sem_init(&$.room, NULL, 2);");
}

static void queue_of_atomics(const char *n) {
    declare_of(n, "static struct { rf_atomic_uint head, tail; int *item[2]; } $; "
                  "static void $_put(int *x) { "
                  "unsigned tail = rf_atomic_load_explicit(&$.tail, rf_memory_order_relaxed); "
                  "while (tail - rf_atomic_load_explicit(&$.head, rf_memory_order_acquire) == 2) { "
                  "RF_SPIN_HINT(); } RF_STORE($.item[tail %% 2], x); "
                  "rf_atomic_store_explicit(&$.tail, tail + 1, rf_memory_order_release); } "
                  "static int *$_get(void) { "
                  "unsigned head = rf_atomic_load_explicit(&$.head, rf_memory_order_relaxed); "
                  "while (rf_atomic_load_explicit(&$.tail, rf_memory_order_acquire) == head) { "
                  "RF_SPIN_HINT(); } int *x = RF_LOAD($.item[head %% 2]); "
                  "rf_atomic_store_explicit(&$.head, head + 1, rf_memory_order_release); "
                  "return x; }");
    before_of(n, "rf_atomic_init(&$.head, 0); rf_atomic_init(&$.tail, 0);");
}

enum { QUEUE_MOST = 4 };

/* state counts what is in it, to what was put.  With one producer and one consumer gets follow puts
 * as they like; where all may do both, the puts come first, or else a get could take what an
 * earlier one waits for. */
static void queue_begin(object *o) {
    static void (*const kind[])(const char *) = {queue_of_all, queue_of_semaphores,
                                                 queue_of_atomics};
    unsigned k = below(program.patient ? 2 : 3);
    o->name = fresh("queue");
    kind[k](o->name);
    o->owner = k ? any_thread() : THREADS; /* THREADS: all put, all get */
    if (k)
        o->to = other_thread(o->owner);
    else
        o->to = 0;
    o->state = 0;
}
static void queue_put(object *o, unsigned t) {
    const char *x = fresh("item");
    say_of(t, x, "int *$ = RF_MALLOC(sizeof *$); RF_STORE(*$, %u); %s_put($);", t, o->name);
    o->state++;
}
static void queue_get(object *o, unsigned t) {
    const char *x = fresh("item");
    say(t, "int *%s = %s_get();", x, o->name);
    if (one_in(2)) say(t, "RF_STORE(*%s, RF_LOAD(*%s) + 1);", x, x);
    say_of(t, x, "RF_ASSERT_LE(RF_LOAD(*$), %u); RF_FREE($);", THREADS);
    o->state--;
}
static void queue_step(object *o) {
    if (o->owner < THREADS) {
        if (o->state == 0 || (o->state == 1 && one_in(2)))
            queue_put(o, o->owner);
        else
            queue_get(o, o->to);
    } else if (o->to < QUEUE_MOST) {
        queue_put(o, any_thread());
        o->to++;
    } else if (o->state > 0) {
        queue_get(o, any_thread());
    }
}
static void queue_end(object *o) {
    for (; o->state > 0; o->state--) after("RF_FREE(%s_get());", o->name);
}

/* ---- made once, by whoever comes first ---- */

static void once_begin(object *o) {
    const char *n = o->name = fresh("once");
    o->datum[0] = scalar_new();
    declare_of(n,
               "static rf_once $ = RF_ONCE_INIT; "
               "static void $_make(void) { RF_STORE(%s, 7); }",
               o->datum[0].at);
}
static void once_step(object *o) {
    unsigned t = any_thread();
    say_of(t, o->name, "RF_ONCE(&$, $_make); RF_ASSERT_EQ(RF_LOAD(%s), 7);", o->datum[0].at);
}

static void lazy_under_lock(const char *n, const char *acquire) {
    declare_of(n,
               "static rf_mutex $_lock = RF_MUTEX_INIT; "
               "static int *$_get(void) { "
               "int *x = rf_atomic_load_explicit(&$, rf_memory_order_%s); if (x) return x; "
               "RF_GUARD(&$_lock) { x = rf_atomic_load_explicit(&$, rf_memory_order_relaxed); "
               "if (!x) { x = RF_MALLOC(sizeof *x); RF_STORE(*x, 7); "
               "rf_atomic_store_explicit(&$, x, rf_memory_order_release); } } return x; }",
               acquire);
}
static void lazy_by_exchange(const char *n, const char *acquire) {
    declare_of(n,
               "static int *$_get(void) { "
               "int *old = rf_atomic_load_explicit(&$, rf_memory_order_%s); "
               "if (old) return old; int *x = RF_MALLOC(sizeof *x); RF_STORE(*x, 7); "
               "if (rf_atomic_compare_exchange_strong(&$, &old, x)) return x; RF_FREE(x); "
               "return old; }",
               acquire);
}
static void lazy_make(object *o, const char *acquire) {
    const char *n = o->name = fresh("lazy");
    declare_of(n, "static _Atomic(int *) $;");
    before_of(n, "rf_atomic_init(&$, NULL);");
    (one_in(2) ? lazy_under_lock : lazy_by_exchange)(n, acquire);
    finally_of(n, "RF_FREE(rf_atomic_load(&$));");
}
static void lazy_begin(object *o) { lazy_make(o, "acquire"); }
static void lazy_step(object *o) {
    say_of(any_thread(), o->name, "RF_ASSERT_EQ(RF_LOAD(*$_get()), 7);");
}

/* ---- threads that threads start ---- */

static const char *child_begin(void) {
    const char *n = fresh("child");
    program.part[CHILD].len = program.part[CHILD].depth = 0;
    say_of(CHILD, n, "static void *$(void *arg) {");
    return n;
}
static void child_end(void) {
    say(CHILD, "return arg; }");
    text_add(&program.file, program.part[CHILD].s);
}

static void child_of_stack(unsigned t) {
    const char *n = child_begin(), *x = fresh("x");
    say(CHILD, "int *x = arg, own[2] = {1, 2};"); /* where another child's were */
    say(CHILD, "RF_STORE(own[1], RF_LOAD(own[0])); RF_STORE(*x, RF_LOAD(*x) + RF_LOAD(own[1]));");
    child_end();
    loop_begin(t);
    say_of(t, n, "int %s = %u; rf_thread $_thread = RF_THREAD($, &%s);", x, t, x);
    if (one_in(2)) say(t, "RF_YIELD();");
    say_of(t, x,
           "RF_ASSERT(RF_JOIN(%s_thread) == &$); RF_STORE($, RF_LOAD($) - %u); "
           "RF_ASSERT_EQ(RF_LOAD($), 1);",
           n, t);
    loop_end(t);
}
static void child_step(object *o) {
    unsigned t = o->owner;
    if (one_in(3)) {
        child_of_stack(any_thread());
        return;
    }
    bool joined = one_in(2);
    const char *n = child_begin();
    touch(CHILD, &o->datum[0], true);
    if (!joined) say(CHILD, "RF_SEM_POST(&%s);", o->name);
    child_end();
    step(t, &o->datum[0]);
    if (joined) {
        say_of(t, n, "RF_JOIN(RF_THREAD($, NULL));");
    } else {
        say_of(t, n, "RF_DETACH(RF_THREAD($, NULL)); RF_SEM_WAIT(&%s);", o->name);
    }
    touch(t, &o->datum[0], one_in(2));
}
static void child_parent(object *o) {
    o->datum[0] = datum_new();
    o->owner = any_thread();
    o->name = fresh("done");
    declare_of(o->name, "static rf_sem $ = RF_SEM_INIT(0);");
}

/* ---- shared until the last one has let go ---- */

static void shared_make(object *o, bool locked) {
    const char *n = o->name = fresh("shared");
    o->state = 0;
    declare_of(n, "static struct { rf_atomic_int users; rf_mutex lock; int sum, part[%u]; } *$;",
               (unsigned)THREADS);
    before_of(n,
              "$ = RF_CALLOC(1, sizeof *$); "
              "rf_mutex_init(&$->lock, \"$->lock\", RF_MUTEX_NORMAL); "
              "rf_atomic_init(&$->users, %u);",
              program.threads);
    o->to = locked;
}
static void shared_begin(object *o) { shared_make(o, one_in(2)); }
static void shared_use(object *o, unsigned t) {
    const char *n = o->name;
    if (o->to) {
        say_of(t, n, "RF_GUARD(&$->lock) { RF_STORE($->sum, RF_LOAD($->sum) + %u); }", t);
    }
    say(t, "RF_STORE(%s->part[%u], %u);", n, t, t);
}
static void shared_let_go(object *o, unsigned t, const char *order) {
    const char *n = o->name, *sum = fresh("sum");
    say_of(t, n, "if (rf_atomic_fetch_sub_explicit(&$->users, 1, rf_memory_order_%s) == 1) {",
           order);
    if (!strcmp(order, "release")) say(t, "rf_atomic_thread_fence(rf_memory_order_acquire);");
    say_of(t, sum,
           "int $ = 0; for (int i = 0; i < %u; i++) $ += RF_LOAD(%s->part[i]); "
           "RF_ASSERT_EQ($, %u);",
           program.threads, n, program.threads * (program.threads - 1) / 2);
    if (o->to) say(t, "RF_ASSERT_EQ(RF_LOAD(%s->sum), %s);", n, sum);
    say_of(t, n, "rf_mutex_destroy(&$->lock); RF_FREE($); }");
}
static void shared_step(object *o) {
    unsigned t = o->state;
    if (t == program.threads) return;
    shared_use(o, t);
    shared_let_go(o, t, one_in(2) ? "release" : "acq_rel");
    o->state++;
}
static void shared_end(object *o) {
    while (o->state < program.threads) shared_step(o);
}

/* ---- one of two places, whichever is free ---- */

static void pool_begin(object *o) {
    const char *n = o->name = fresh("pool");
    declare_of(
        n, "static rf_sem $ = RF_SEM_INIT(2); static rf_atomic_flag $_taken[2]; "
           "static int $_place[2]; "
           "static void $_use(void) { unsigned i = RF_CHOOSE(2); RF_SEM_WAIT(&$); "
           "while (rf_atomic_flag_test_and_set_explicit(&$_taken[i], rf_memory_order_acquire)) { "
           "i = 1 - i; } RF_STORE($_place[i], RF_LOAD($_place[i]) + 1); "
           "rf_atomic_flag_clear_explicit(&$_taken[i], rf_memory_order_release); "
           "RF_SEM_POST(&$); }");
    before_of(n, "for (int i = 0; i < 2; i++) $_place[i] = 0; "
                 "for (int i = 0; i < 2; i++) rf_atomic_flag_clear(&$_taken[i]);");
}
static void pool_step(object *o) {
    say_of(any_thread(), o->name, "$_use();");
    o->state++;
}
static void pool_end(object *o) {
    const char *n = o->name;
    after_of(n, "RF_ASSERT_EQ(RF_LOAD($_place[0]) + RF_LOAD($_place[1]), %u);", o->state);
}

static const discipline safe_handovers[] = {
    {"message", message_begin, message_step, backoff_end},
    {"event", message_begin, event_step, backoff_end},
    {"queue", queue_begin, queue_step, queue_end},
    {"once", once_begin, once_step, nothing},
    {"lazy", lazy_begin, lazy_step, nothing},
    {"child", child_parent, child_step, locked_end},
    {"shared", shared_begin, shared_step, shared_end},
    {"pool", pool_begin, pool_step, pool_end},
};
#endif

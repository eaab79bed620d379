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
    declare("static struct { rf_mutex lock; rf_cond more; int *item[8]; unsigned head, tail; } %s;",
            n);
    declare("static void %s_put(int *x) {", n);
    declare("RF_GUARD(&%s.lock) {", n);
    declare("RF_STORE(%s.item[RF_LOAD(%s.tail) %% 8], x);", n, n);
    declare("RF_STORE(%s.tail, RF_LOAD(%s.tail) + 1);", n, n);
    declare("RF_SIGNAL(&%s.more);", n);
    declare("}");
    declare("}");
    declare("static int *%s_get(void) {", n);
    declare("RF_LOCK(&%s.lock);", n);
    declare("while (RF_LOAD(%s.head) == RF_LOAD(%s.tail)) RF_WAIT(&%s.more, &%s.lock);", n, n, n,
            n);
    declare("int *x = RF_LOAD(%s.item[RF_LOAD(%s.head) %% 8]);", n, n);
    declare("RF_STORE(%s.head, RF_LOAD(%s.head) + 1);", n, n);
    declare("RF_UNLOCK(&%s.lock);", n);
    declare("return x;");
    declare("}");
    before("memset(&%s, 0, sizeof %s);", n, n);
    before("rf_cond_init(&%s.more, \"%s.more\");", n, n);
}

static void queue_of_semaphores(const char *n) {
    declare("static struct { rf_sem more, room; int *item[2]; unsigned head, tail; } %s;", n);
    declare("static void %s_put(int *x) {", n);
    declare("RF_SEM_WAIT(&%s.room);", n);
    declare("RF_STORE(%s.item[RF_LOAD(%s.tail) %% 2], x);", n, n);
    declare("RF_STORE(%s.tail, RF_LOAD(%s.tail) + 1);", n, n);
    declare("RF_SEM_POST(&%s.more);", n);
    declare("}");
    declare("static int *%s_get(void) {", n);
    declare("RF_SEM_WAIT(&%s.more);", n);
    declare("int *x = RF_LOAD(%s.item[RF_LOAD(%s.head) %% 2]);", n, n);
    declare("RF_STORE(%s.head, RF_LOAD(%s.head) + 1);", n, n);
    declare("RF_SEM_POST(&%s.room);", n);
    declare("return x;");
    declare("}");
    before("%s.head = %s.tail = 0;", n, n);
    before("rf_sem_init(&%s.more, NULL, 0);", n);
    before("rf_sem_init(&%s.room, NULL, 2);", n);
}

static void queue_of_atomics(const char *n) {
    declare("static struct { rf_atomic_uint head, tail; int *item[2]; } %s;", n);
    declare("static void %s_put(int *x) {", n);
    declare("unsigned tail = rf_atomic_load_explicit(&%s.tail, rf_memory_order_relaxed);", n);
    declare("while (tail - rf_atomic_load_explicit(&%s.head, rf_memory_order_acquire) == 2) {", n);
    declare("RF_SPIN_HINT();");
    declare("}");
    declare("RF_STORE(%s.item[tail %% 2], x);", n);
    declare("rf_atomic_store_explicit(&%s.tail, tail + 1, rf_memory_order_release);", n);
    declare("}");
    declare("static int *%s_get(void) {", n);
    declare("unsigned head = rf_atomic_load_explicit(&%s.head, rf_memory_order_relaxed);", n);
    declare("while (rf_atomic_load_explicit(&%s.tail, rf_memory_order_acquire) == head) {", n);
    declare("RF_SPIN_HINT();");
    declare("}");
    declare("int *x = RF_LOAD(%s.item[head %% 2]);", n);
    declare("rf_atomic_store_explicit(&%s.head, head + 1, rf_memory_order_release);", n);
    declare("return x;");
    declare("}");
    before("rf_atomic_init(&%s.head, 0);", n);
    before("rf_atomic_init(&%s.tail, 0);", n);
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
    say(t, "int *%s = RF_MALLOC(sizeof *%s);", x, x);
    say(t, "RF_STORE(*%s, %u);", x, t);
    say(t, "%s_put(%s);", o->name, x);
    o->state++;
}
static void queue_get(object *o, unsigned t) {
    const char *x = fresh("item");
    say(t, "int *%s = %s_get();", x, o->name);
    if (one_in(2)) say(t, "RF_STORE(*%s, RF_LOAD(*%s) + 1);", x, x);
    say(t, "RF_ASSERT_LE(RF_LOAD(*%s), %u);", x, THREADS);
    say(t, "RF_FREE(%s);", x);
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
    declare("static rf_once %s = RF_ONCE_INIT;", n);
    declare("static void %s_make(void) {", n);
    declare("RF_STORE(%s, 7);", o->datum[0].at);
    declare("}");
}
static void once_step(object *o) {
    unsigned t = any_thread();
    say(t, "RF_ONCE(&%s, %s_make);", o->name, o->name);
    say(t, "RF_ASSERT_EQ(RF_LOAD(%s), 7);", o->datum[0].at);
}

static void lazy_under_lock(const char *n, const char *acquire) {
    declare("static rf_mutex %s_lock = RF_MUTEX_INIT;", n);
    declare("static int *%s_get(void) {", n);
    declare("int *x = rf_atomic_load_explicit(&%s, rf_memory_order_%s);", n, acquire);
    declare("if (x) return x;");
    declare("RF_GUARD(&%s_lock) {", n);
    declare("x = rf_atomic_load_explicit(&%s, rf_memory_order_relaxed);", n);
    declare("if (!x) {");
    declare("x = RF_MALLOC(sizeof *x);");
    declare("RF_STORE(*x, 7);");
    declare("rf_atomic_store_explicit(&%s, x, rf_memory_order_release);", n);
    declare("}");
    declare("}");
    declare("return x;");
    declare("}");
}
static void lazy_by_exchange(const char *n, const char *acquire) {
    declare("static int *%s_get(void) {", n);
    declare("int *old = rf_atomic_load_explicit(&%s, rf_memory_order_%s);", n, acquire);
    declare("if (old) return old;");
    declare("int *x = RF_MALLOC(sizeof *x);");
    declare("RF_STORE(*x, 7);");
    declare("if (rf_atomic_compare_exchange_strong(&%s, &old, x)) return x;", n);
    declare("RF_FREE(x);");
    declare("return old;");
    declare("}");
}
static void lazy_make(object *o, const char *acquire) {
    const char *n = o->name = fresh("lazy");
    declare("static _Atomic(int *) %s;", n);
    before("rf_atomic_init(&%s, NULL);", n);
    (one_in(2) ? lazy_under_lock : lazy_by_exchange)(n, acquire);
    finally("RF_FREE(rf_atomic_load(&%s));", n);
}
static void lazy_begin(object *o) { lazy_make(o, "acquire"); }
static void lazy_step(object *o) {
    say(any_thread(), "RF_ASSERT_EQ(RF_LOAD(*%s_get()), 7);", o->name);
}

/* ---- threads that threads start ---- */

static const char *child_begin(void) {
    const char *n = fresh("child");
    program.part[CHILD].len = program.part[CHILD].depth = 0;
    say(CHILD, "static void *%s(void *arg) {", n);
    return n;
}
static void child_end(void) {
    say(CHILD, "return arg;");
    say(CHILD, "}");
    text_add(&program.file, program.part[CHILD].s);
}

static void child_of_stack(unsigned t) {
    const char *n = child_begin(), *x = fresh("x");
    say(CHILD, "int *x = arg, own[2] = {1, 2};"); /* where another child's were */
    say(CHILD, "RF_STORE(own[1], RF_LOAD(own[0]));");
    say(CHILD, "RF_STORE(*x, RF_LOAD(*x) + RF_LOAD(own[1]));");
    child_end();
    loop_begin(t);
    say(t, "int %s = %u;", x, t);
    say(t, "rf_thread %s_thread = RF_THREAD(%s, &%s);", n, n, x);
    if (one_in(2)) say(t, "RF_YIELD();");
    say(t, "RF_ASSERT(RF_JOIN(%s_thread) == &%s);", n, x);
    say(t, "RF_STORE(%s, RF_LOAD(%s) - %u);", x, x, t);
    say(t, "RF_ASSERT_EQ(RF_LOAD(%s), 1);", x);
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
        say(t, "RF_JOIN(RF_THREAD(%s, NULL));", n);
    } else {
        say(t, "RF_DETACH(RF_THREAD(%s, NULL));", n);
        say(t, "RF_SEM_WAIT(&%s);", o->name);
    }
    touch(t, &o->datum[0], one_in(2));
}
static void child_parent(object *o) {
    o->datum[0] = datum_new();
    o->owner = any_thread();
    o->name = fresh("done");
    declare("static rf_sem %s = RF_SEM_INIT(0);", o->name);
}

/* ---- shared until the last one has let go ---- */

static void shared_make(object *o, bool locked) {
    const char *n = o->name = fresh("shared");
    o->state = 0;
    declare("static struct { rf_atomic_int users; rf_mutex lock; int sum, part[%u]; } *%s;",
            (unsigned)THREADS, n);
    before("%s = RF_CALLOC(1, sizeof *%s);", n, n);
    before("rf_mutex_init(&%s->lock, \"%s->lock\", RF_MUTEX_NORMAL);", n, n);
    before("rf_atomic_init(&%s->users, %u);", n, program.threads);
    o->to = locked;
}
static void shared_begin(object *o) { shared_make(o, one_in(2)); }
static void shared_use(object *o, unsigned t) {
    const char *n = o->name;
    if (o->to) {
        say(t, "RF_GUARD(&%s->lock) {", n);
        say(t, "RF_STORE(%s->sum, RF_LOAD(%s->sum) + %u);", n, n, t);
        say(t, "}");
    }
    say(t, "RF_STORE(%s->part[%u], %u);", n, t, t);
}
static void shared_let_go(object *o, unsigned t, const char *order) {
    const char *n = o->name, *sum = fresh("sum");
    say(t, "if (rf_atomic_fetch_sub_explicit(&%s->users, 1, rf_memory_order_%s) == 1) {", n, order);
    if (!strcmp(order, "release")) say(t, "rf_atomic_thread_fence(rf_memory_order_acquire);");
    say(t, "int %s = 0;", sum);
    say(t, "for (int i = 0; i < %u; i++) %s += RF_LOAD(%s->part[i]);", program.threads, sum, n);
    say(t, "RF_ASSERT_EQ(%s, %u);", sum, program.threads * (program.threads - 1) / 2);
    if (o->to) say(t, "RF_ASSERT_EQ(RF_LOAD(%s->sum), %s);", n, sum);
    say(t, "rf_mutex_destroy(&%s->lock);", n);
    say(t, "RF_FREE(%s);", n);
    say(t, "}");
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
    declare("static rf_sem %s = RF_SEM_INIT(2);", n);
    declare("static rf_atomic_flag %s_taken[2];", n);
    declare("static int %s_place[2];", n);
    declare("static void %s_use(void) {", n);
    declare("unsigned i = RF_CHOOSE(2);");
    declare("RF_SEM_WAIT(&%s);", n);
    declare("while (rf_atomic_flag_test_and_set_explicit(&%s_taken[i], rf_memory_order_acquire)) {",
            n);
    declare("i = 1 - i;");
    declare("}");
    declare("RF_STORE(%s_place[i], RF_LOAD(%s_place[i]) + 1);", n, n);
    declare("rf_atomic_flag_clear_explicit(&%s_taken[i], rf_memory_order_release);", n);
    declare("RF_SEM_POST(&%s);", n);
    declare("}");
    before("for (int i = 0; i < 2; i++) %s_place[i] = 0;", n);
    before("for (int i = 0; i < 2; i++) rf_atomic_flag_clear(&%s_taken[i]);", n);
}
static void pool_step(object *o) {
    say(any_thread(), "%s_use();", o->name);
    o->state++;
}
static void pool_end(object *o) {
    const char *n = o->name;
    after("RF_ASSERT_EQ(RF_LOAD(%s_place[0]) + RF_LOAD(%s_place[1]), %u);", n, n, o->state);
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

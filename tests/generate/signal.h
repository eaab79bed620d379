/* tests/generate/signal.h: one thread tells others that something is done, in all the ways there
 * are. */
#ifndef SIGNAL_H
#define SIGNAL_H
#include "program.h"

typedef enum signal_kind {
    RELEASE,         /* a release store, an acquire load in a loop */
    FENCES,          /* relaxed, with fences */
    STRONGEST,       /* seq_cst */
    BROADCAST,       /* a predicate under a mutex, and a condition */
    POLLED,          /* a flag under a lock */
    TO_ALL,          /* those before this one may have several receivers */
    UPDATE = TO_ALL, /* read-modify-writes */
    SEQUENCE,        /* a third thread continues the release sequence */
    POST,            /* a semaphore */
    WAKE,            /* a condition, waiters with a time-out */
    SIGNALS
} signal_kind;

typedef struct signal {
    signal_kind kind;
    const char *name;
    lock lock;
    bool weak_send, weak_wait; /* faults: relaxed, or without the fence */
} signal;

/* Of the first so many kinds. */
static signal_kind signal_kind_of(unsigned kinds) {
    static const signal_kind patient[] = {BROADCAST, POST, WAKE};
    if (!program.patient) return (signal_kind)below(kinds);
    return patient[below(kinds == TO_ALL ? 1 : 3)];
}

static signal signal_new(signal_kind kind) {
    signal s = {.kind = kind, .name = fresh("signal")};
    const char *n = s.name;
    switch (kind) {
    case POST: declare("static rf_sem %s = RF_SEM_INIT(0);", n); break;
    case BROADCAST:
    case WAKE:
        declare_of(n, "static rf_mutex $_lock = RF_MUTEX_INIT; "
                      "static rf_cond $_cond = RF_COND_INIT; static bool $;");
        before_of(n, "$ = false;");
        break;
    case POLLED:
        s.lock = lock_any();
        declare_of(n, "static bool $;");
        before_of(n, "$ = false;");
        break;
    default: declare("static rf_atomic_int %s;", n); before("rf_atomic_init(&%s, 0);", n);
    }
    return s;
}

static void signal_under_mutex(unsigned t, const signal *s) {
    const char *n = s->name, *wake = s->kind == WAKE ? "RF_SIGNAL" : "RF_BROADCAST";
    bool inside = one_in(2);
    say_of(t, n, "RF_LOCK(&$_lock); RF_STORE($, true);");
    if (inside) say(t, "%s(&%s_cond);", wake, n);
    say_of(t, n, "RF_UNLOCK(&$_lock);");
    if (!inside) say(t, "%s(&%s_cond);", wake, n);
}

static void signal_send(unsigned t, unsigned to, const signal *s) {
    const char *n = s->name, *order = s->weak_send ? "relaxed" : "release";
    unsigned by = other_thread(t);
    hold h;
    switch (s->kind) {
    case FENCES:
        if (!s->weak_send) say(t, "rf_atomic_thread_fence(rf_memory_order_release);");
        say_of(t, n, "rf_atomic_store_explicit(&$, 1, rf_memory_order_relaxed);");
        break;
    case STRONGEST: say(t, "rf_atomic_store(&%s, 1);", n); break;
    case BROADCAST:
    case WAKE: signal_under_mutex(t, s); break;
    case POLLED:
        h = take(t, &s->lock, true, false);
        say_of(t, n, "RF_STORE($, true);");
        give(t, h);
        break;
    case UPDATE:
        say_of(t, n, "rf_atomic_fetch_add_explicit(&$, 1, rf_memory_order_%s);", order);
        break;
    case SEQUENCE:
        say_of(t, n, "rf_atomic_store_explicit(&$, 1, rf_memory_order_%s);", order);
        if (by == to) by = t;
        say_of(by, n,
               "while (rf_atomic_load_explicit(&$, rf_memory_order_relaxed) != 1) { "
               "RF_SPIN_HINT(); } "
               "rf_atomic_fetch_add_explicit(&$, 1, rf_memory_order_relaxed);");
        break;
    case POST: say(t, "RF_SEM_POST(&%s);", n); break;
    default: say(t, "rf_atomic_store_explicit(&%s, 1, rf_memory_order_%s);", n, order);
    }
}

static void wait_polling(unsigned t, const signal *s) {
    const char *x = fresh("there");
    say_of(t, x, "bool $ = false; while (!$) {");
    hold h = take(t, &s->lock, false, false);
    say(t, "%s = RF_LOAD(%s);", x, s->name);
    give(t, h);
    say(t, "if (!%s) RF_YIELD(); }", x);
}

static void wait_for_post(unsigned t, const char *n) {
    switch (program.patient ? 2 : below(3)) {
    case 0: say(t, "while (!RF_SEM_TRYWAIT(&%s)) RF_YIELD();", n); break;
    case 1: say(t, "while (!RF_SEM_TIMEDWAIT(&%s, 9)) RF_SLEEP_MS(2);", n); break;
    default: say(t, "RF_SEM_WAIT(&%s);", n);
    }
}

static void signal_wait(unsigned t, const signal *s) {
    const char *n = s->name, *order = s->weak_wait ? "relaxed" : "acquire", *x = fresh("old");
    switch (s->kind) {
    case FENCES:
        say_of(t, n,
               "while (!rf_atomic_load_explicit(&$, rf_memory_order_relaxed)) RF_SPIN_HINT();");
        if (!s->weak_wait) say(t, "rf_atomic_thread_fence(rf_memory_order_acquire);");
        break;
    case STRONGEST: say(t, "while (!rf_atomic_load(&%s)) RF_YIELD();", n); break;
    case BROADCAST:
        say_of(t, n, "RF_GUARD(&$_lock) { while (!RF_LOAD($)) RF_WAIT(&$_cond, &$_lock); }");
        break;
    case WAKE:
        say_of(t, n, "RF_LOCK(&$_lock);");
        say(t,
            program.patient ? "while (!RF_LOAD(%s)) RF_WAIT(&%s_cond, &%s_lock);"
                            : "while (!RF_LOAD(%s)) (void)RF_TIMEDWAIT(&%s_cond, &%s_lock, 10);",
            n, n, n);
        say_of(t, n, "RF_UNLOCK(&$_lock);");
        break;
    case POLLED: wait_polling(t, s); break;
    case UPDATE:
        say_of(t, x,
               "int $ = 1; "
               "while (!rf_atomic_compare_exchange_weak_explicit(&%s, &$, 2, rf_memory_order_%s, "
               "rf_memory_order_relaxed)) { "
               "$ = 1; RF_SPIN_HINT(); }",
               n, order);
        break;
    case SEQUENCE:
        say_of(t, n,
               "while (rf_atomic_load_explicit(&$, rf_memory_order_%s) != 2) { "
               "RF_SPIN_HINT(); }",
               order);
        break;
    case POST: wait_for_post(t, n); break;
    default:
        say_of(t, n, "while (!rf_atomic_load_explicit(&$, rf_memory_order_%s)) RF_SPIN_HINT();",
               order);
    }
}
#endif

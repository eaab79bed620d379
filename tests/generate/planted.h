/* tests/generate/planted.h: faults.  Each plants one, with blocks of thread a and of thread b that
 * follow each other: nothing but the fault decides whether they may meet.
 */
#ifndef PLANTED_H
#define PLANTED_H
#include "safe.h"

/* ---- races ---- */

#define LOCKED(does, n) "lock " n " |" does " 0 | give " n

/* Of the right cell, under a wrong lock. */
#define STRIPE(lock) "RF_GUARD(&$[" lock "].lock) { RF_STORE($[1].cell, RF_LOAD($[1].cell) + 0); }"

static void weak_send(object *o) {
    o->signal = signal_new(o->name, true, false);
    o->signal.weak_send = true;
}
static void weak_wait(object *o) {
    o->signal = signal_new(o->name, true, false);
    o->signal.weak_wait = true;
}
static void any_signal(object *o) { o->signal = signal_new(o->name, false, false); }

static void let_go(object *o) {
    for (unsigned t = 0; t < program.threads; t++) does(o, t, t, SHARED_USE("relaxed", ""));
}

static const kind races[] = {
    {"no_lock", .locks = "?", .data = "d",
     .step = {"a: write 0 | b:" LOCKED("touch", "0") "| c:" LOCKED("touch", "0"),
              "a: read 0 | b:" LOCKED("write", "0") "| c:" LOCKED("touch", "0")},
     .after = "sum 0"},
    {"unlocked_too_early", .locks = "?", .data = "d",
     .step = {"a:" LOCKED("read", "0") "| write 0 | b:" LOCKED("touch", "0")}},
    {"checked_without_lock", .locks = "?", .data = "s",
     .step = {"a: if (RF_LOAD($_d0) < 5) { |" LOCKED("write", "0") "| } | b:" LOCKED("write",
                                                                                     "0")}},
    {"wrong_lock", .locks = "??", .data = "d",
     .step = {"a:" LOCKED("write", "0") "| b:" LOCKED("touch", "1")}, .after = "sum 0"},
    {"read_lock_to_write", .locks = "r", .data = "d",
     .step = {"a: rdlock 0 | write 0 | give 0 | b: rdlock 0 | touch 0 | give 0 |"
              "c:" LOCKED("write", "0")}},
    {"trylock_ignored", .locks = "m", .data = "d",
     .step = {"a: bool got = RF_TRYLOCK(&$_l0); | write 0 | if (got) RF_UNLOCK(&$_l0); |"
              "b:" LOCKED("write", "0") "| c:" LOCKED("write", "0")},
     .meet = true},
    {"semaphore_of_two", .data = "d", .declare = "static rf_sem $ = RF_SEM_INIT(2);",
     .step = {"a: RF_SEM_WAIT(&$); | write 0 | RF_SEM_POST(&$); |"
              "b: RF_SEM_WAIT(&$); | touch 0 | RF_SEM_POST(&$);"},
     .meet = true},
    {"lock_without_release", .locks = "f", .data = "d",
     .step = {"a: lock 0 | write 0 |"
              "rf_atomic_flag_clear_explicit(&$_l0, rf_memory_order_relaxed); |"
              "b:" LOCKED("touch", "0")},
     .meet = true},
    {"wrong_stripe", .declare = "static struct { rf_mutex lock; int cell; } $[4];",
     .before = "for (int i = 0; i < 4; i++) rf_mutex_init(&$[i].lock, \"$\", RF_MUTEX_NORMAL);"
               "for (int i = 0; i < 4; i++) $[i].cell = 5;",
     .step = {"a:" STRIPE("1") "| b:" STRIPE("2")}},
    {"weak_send", .data = "d", .step = {"a: write 0 | send | b: await | touch 0"},
     .begin = weak_send, .after = "sum 0"},
    {"weak_wait", .data = "d", .step = {"a: write 0 | send | b: await | touch 0"},
     .begin = weak_wait, .after = "sum 0"},
    {"touched_after_sending", .data = "d", .step = {"a: send | write 0 | b: await | touch 0"},
     .begin = any_signal},
    {"touched_after_putting",
     NULL,
     NULL,
     QUEUE_UNDER_LOCK,
     NULL,
     NULL,
     {"a: static int x; x = 0; $_put(&x); RF_STORE(x, 3); |"
      "b: int *y = $_get(); RF_ASSERT_LE(RF_LOAD(*y), 3);"}},
    {"before_the_barrier", .data = "d", .step = {"a: write 0 | b: touch 0 | meet | read 0"}},
    {"before_the_join", .data = "d",
     .step = {"d: write 0 | a:" STARTED "| touch 0 | RF_JOIN(t); | b: RF_YIELD();"},
     .after = "sum 0"},
    {"without_once", .data = "s", .declare = ONCE,
     .step = {"a: RF_ONCE(&$, $_make); | b: int x = (int)RF_LOAD($_d0);"}},
    {"lazy_without_acquire",
     NULL,
     NULL,
     LAZY_UNDER_LOCK("relaxed"),
     NULL,
     LAZY_END,
     {"a:" LAZY_USE "| b:" LAZY_USE}},
    {"exchanged_without_acquire",
     NULL,
     NULL,
     LAZY_BY_EXCHANGE("relaxed"),
     NULL,
     LAZY_END,
     {"a:" LAZY_USE "| b:" LAZY_USE}},
    {"let_go_without_order", NULL, NULL, SHARED, .next = let_go},
};

/* ---- deadlocks ---- */

#define TAKEN(n)        "lock " n " | give " n
#define INSIDE(n, what) "lock " n " |" what " | give " n
#define BOTH(n, m)      INSIDE(n, "log | lock " m " | give " m)
#define CROSSED \
 { "a:" BOTH("0", "1") "| b:" BOTH("1", "0") }
#define CONDITION                                                                \
 "static rf_mutex $_lock = RF_MUTEX_INIT; static rf_cond $_cond = RF_COND_INIT;" \
 "static bool $;",                                                               \
     "$ = false;"
#define MAKES_READY "RF_LOCK(&$_lock); RF_STORE($, true); RF_SIGNAL(&$_cond); RF_UNLOCK(&$_lock);"
#define AWAITS_READY                                                \
 "RF_LOCK(&$_lock); while (!RF_LOAD($)) RF_WAIT(&$_cond, &$_lock);" \
 "RF_UNLOCK(&$_lock);"

static const kind deadlocks[] = {
    {"cycle_of_two", .locks = "kk", .step = CROSSED},
    {"cycle_of_three", .locks = "kkk",
     .step = {"a:" BOTH("0", "1") "| b:" BOTH("1", "2") "| c:" BOTH("2", "0")}},
    {"cycle_of_readers", /* who write first, and then read; or the other way */
     .locks = "rr",
     .step = {"a: lock 0 | rdlock 1 | give 1 | give 0 | b: lock 1 | rdlock 0 | give 0 | give 1",
              "a: rdlock 0 | lock 1 | give 1 | give 0 | b: rdlock 1 | lock 0 | give 0 | give 1"}},
    {"cycle_of_semaphores", .locks = "ss", .step = CROSSED, .meet = true},
    {"cycle_of_a_semaphore", .locks = "sn", .step = CROSSED, .meet = true},
    {"one_side_gated", .locks = "kkk",
     .step = {"a:" INSIDE("2", BOTH("0", "1")) "| b:" BOTH("1", "0")}},
    {"transfer",
     .declare = "static rf_mutex $[2]; static void $_move(rf_mutex *from, rf_mutex *to) {"
                "RF_GUARD(from) { RF_GUARD(to) { } } }",
     .before = "for (int i = 0; i < 2; i++) rf_mutex_init(&$[i], \"$\", RF_MUTEX_NORMAL);",
     .step = {"a: $_move(&$[0], &$[1]); | b: $_move(&$[1], &$[0]);"}},
    {"join_under_lock", .locks = "k",
     .step = {"d:" TAKEN("0") "| a:" STARTED "|" INSIDE("0", "RF_JOIN(t);") "| b:" TAKEN("0")}},
    {"barrier_under_lock", .locks = "k", .declare = "static rf_barrier $ = RF_BARRIER_INIT(2);",
     .step = {"a:" INSIDE("0", "RF_BARRIER_WAIT(&$);") "|"
                                                       "b:" TAKEN("0") "| RF_BARRIER_WAIT(&$);"},
     .meet = true},
    {"message_under_lock", .locks = "k", .declare = "static rf_sem $ = RF_SEM_INIT(0);",
     .step = {"b:" TAKEN("0") "| RF_SEM_POST(&$); | a:" INSIDE("0", "RF_SEM_WAIT(&$);")},
     .meet = true},
    {"a_third_in_between", .locks = "kk", .declare = "static rf_sem $ = RF_SEM_INIT(0);",
     .step = {"b:" BOTH("1", "0") "| c:" TAKEN("1") "| RF_SEM_POST(&$); |"
                                                    "a:" INSIDE("0", "RF_SEM_WAIT(&$);")},
     .meet = true},
    {"lost_wakeup",
     NULL,
     NULL,
     CONDITION,
     NULL,
     NULL,
     {"a:" MAKES_READY "| b: RF_LOCK(&$_lock); bool there = RF_LOAD($); RF_UNLOCK(&$_lock);"
      "if (!there) { RF_LOCK(&$_lock); RF_WAIT(&$_cond, &$_lock); RF_UNLOCK(&$_lock); }"},
     .meet = true},
    {"signal_for_two",
     NULL,
     NULL,
     CONDITION,
     NULL,
     NULL,
     {"a:" MAKES_READY "| b:" AWAITS_READY "| c:" AWAITS_READY},
     .meet = true},
};

/* ---- atomicity violations ---- */

/* Two sections of one lock in a block of a, one of b. */
#define SECTIONS(first, second, other) \
 { "a: block |" LOCKED(first, "0") "| pause |" LOCKED(second, "0") "| b:" LOCKED(other, "0") }
#define STALE_SUM                                                               \
 "a: block | int sum; | lock 0 | sum = (int)RF_LOAD($_d0); | give 0 | lock 0 |" \
 "RF_STORE($_d0, (__typeof__($_d0))(sum + 1)); | give 0 | b:"

static const kind violations[] = {
    {"check_then_act", .locks = "k", .data = "d", .step = SECTIONS("read", "write", "write")},
    {"two_looks", .locks = "k", .data = "d", .step = SECTIONS("read", "read", "write")},
    {"half_done", .locks = "k", .data = "d", .step = SECTIONS("write", "write", "read")},
    {"stale_sum", .locks = "x", .data = "s",
     .step = {STALE_SUM LOCKED("write", "0"), STALE_SUM "block |" LOCKED("write", "0")}},
    {"read_then_write_lock", .locks = "r", .data = "d",
     .step = {"a: block | rdlock 0 | read 0 | give 0 |" LOCKED("write", "0") "|"
                                                                             "b:" LOCKED("write",
                                                                                         "0")}},
    /* the length is asked for, and then that many bytes; each is safe by itself */
    {"string_buffer",
     .declare = "static struct { rf_mutex lock; unsigned len; char text[4]; } $[2];"
                "static unsigned $_length(void) { unsigned len = 0;"
                "RF_GUARD(&$[1].lock) { len = RF_LOAD($[1].len); } return len; }"
                "static void $_append(void) { RF_ATOMIC_BLOCK(\"$_append\") {"
                "RF_GUARD(&$[0].lock) { unsigned len = $_length(); RF_GUARD(&$[1].lock) {"
                "if (len > RF_LOAD($[1].len)) RF_LOG(\"out of range\"); } } } }",
     .before = "for (int i = 0; i < 2; i++) rf_mutex_init(&$[i].lock, \"$\", RF_MUTEX_RECURSIVE);"
               "$[0].len = $[1].len = 4;",
     .step = {"a: $_append(); | b: RF_GUARD(&$[1].lock) { RF_STORE($[1].len, 0); }"}},
};
#endif

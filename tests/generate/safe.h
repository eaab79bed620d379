/* tests/generate/safe.h: disciplines.  Each object of a program has one; it is declared, stepped
 * (one more block of one thread, or blocks of several) and finished.
 */
#ifndef SAFE_H
#define SAFE_H
#include "object.h"

#define NESTED_STEPS                                                                              \
 {                                                                                                \
  "loop | atomic | take 0 | touch 0 | give 0",                                                    \
      "loop | atomic | take 0 | take 1 | write 0 | touch 1 | give 1 | give 0",                    \
      "loop | atomic | take 1 | take 2 | touch 2 | write 1 | give 2 | give 1",                    \
      "loop | atomic | take 0 | take 2 | touch 0 | touch 2 | give 2 | give 0",                    \
      "loop | atomic | take 0 | take 1 | take 2 | touch 1 | touch 2 | touch 0 | give 2 | give 1 " \
      "| give 0"                                                                                  \
 }

/* ---- two locks in both orders, which start, join or a semaphore keep apart ---- */

static void owner_begin(object *o) { o->owner = any_thread(); }

/* The other order comes once, and its thread goes on from there. */
static void crossed_next(object *o) {
    unsigned to = other_thread(o->owner);
    does(o, o->owner, to, "lock 0 | lock 1 | write 0 | give 1 | give 0");
    if (o->state++) return;
    does(o, o->owner, to,
         "RF_SEM_POST(&$); | b: RF_SEM_WAIT(&$); | lock 1 | lock 0 | write 0 | give 0 | give 1");
    o->owner = to;
}

/* ---- a cell for each thread: written by it, then a barrier, then read by all, then a barrier ----
 */

static void phased_begin(object *o) {
    for (unsigned t = 0; t < program.threads; t++)
        o->datum[t] = datum_new('d', part_of(o, 'd', t), false);
}
static void phased_next(object *o) {
    unsigned t = any_thread();
    if (!one_in(3)) {
        touch(o, t, o->state ? below(program.threads) : t, !o->state);
        return;
    }
    if (one_in(3)) { /* the last to arrive does something for all, and all meet again */
        const char *adds = any_of(o->datum[0].is->write, 3);
        for (t = 0; t < program.threads; t++) {
            say(t, o->name, "if (RF_BARRIER_WAIT(&$)) {");
            say(t, part_of(o, 'd', 0), adds);
            say(t, "", "}");
        }
        o->datum[0].steps++;
    }
    for (t = 0; t < program.threads; t++) say(t, o->name, "RF_BARRIER_WAIT(&$);");
    o->state = !o->state;
}
static void phased_end(object *o) {
    for (unsigned t = 0; t < program.threads; t++) datum_sum(&o->datum[t], part_of(o, 'd', t));
}

/* ---- data that belongs to one thread, which gives it to another one ---- */

static void message_next(object *o) {
    if (!o->state) {
        o->to = other_thread(o->owner);
        o->signal = signal_new(o->name, false, false);
        does(o, o->owner, o->to, "write 0 | touch 1 | send");
    } else {
        does(o, o->to, o->owner, one_in(2) ? "await | touch 0" : "await | touch 1");
        o->owner = o->to;
    }
    o->state = !o->state;
}

/* ---- one thread writes, and tells all ---- */

static void event_next(object *o) {
    unsigned t = other_thread(o->owner);
    if (!o->state) o->signal = signal_new(o->name, false, true);
    if (!o->state++)
        does(o, o->owner, t, "write 0 | write 1 | send");
    else
        does(o, t, o->owner, "await | read 0 | read 1");
}

/* ---- queues of pointers ---- */

#define QUEUE_UNDER_LOCK                                                                     \
 "static struct { rf_mutex lock; rf_cond more; int *item[8]; unsigned head, tail; } $;"      \
 "static void $_put(int *x) { RF_GUARD(&$.lock) { RF_STORE($.item[RF_LOAD($.tail) % 8], x);" \
 "RF_STORE($.tail, RF_LOAD($.tail) + 1); RF_SIGNAL(&$.more); } }"                            \
 "static int *$_get(void) { RF_LOCK(&$.lock);"                                               \
 "while (RF_LOAD($.head) == RF_LOAD($.tail)) RF_WAIT(&$.more, &$.lock);"                     \
 "int *x = RF_LOAD($.item[RF_LOAD($.head) % 8]); RF_STORE($.head, RF_LOAD($.head) + 1);"     \
 "RF_UNLOCK(&$.lock); return x; }",                                                          \
     "memset(&$, 0, sizeof $); rf_cond_init(&$.more, \"$.more\");"

#define QUEUE_OF_SEMAPHORES                                                                    \
 "static struct { rf_sem more, room; int *item[2]; unsigned head, tail; } $;"                  \
 "static void $_put(int *x) { RF_SEM_WAIT(&$.room); RF_STORE($.item[RF_LOAD($.tail) % 2], x);" \
 "RF_STORE($.tail, RF_LOAD($.tail) + 1); RF_SEM_POST(&$.more); }"                              \
 "static int *$_get(void) { RF_SEM_WAIT(&$.more);"                                             \
 "int *x = RF_LOAD($.item[RF_LOAD($.head) % 2]); RF_STORE($.head, RF_LOAD($.head) + 1);"       \
 "RF_SEM_POST(&$.room); return x; }",                                                          \
     "$.head = $.tail = 0; rf_sem_init(&$.more, NULL, 0); rf_sem_init(&$.room, NULL, 2);"

#define QUEUE_OF_ATOMICS                                                                         \
 "static struct { rf_atomic_uint head, tail; int *item[2]; } $;"                                 \
 "static void $_put(int *x) {"                                                                   \
 "unsigned tail = rf_atomic_load_explicit(&$.tail, rf_memory_order_relaxed);"                    \
 "while (tail - rf_atomic_load_explicit(&$.head, rf_memory_order_acquire) == 2) RF_SPIN_HINT();" \
 "RF_STORE($.item[tail % 2], x);"                                                                \
 "rf_atomic_store_explicit(&$.tail, tail + 1, rf_memory_order_release); }"                       \
 "static int *$_get(void) {"                                                                     \
 "unsigned head = rf_atomic_load_explicit(&$.head, rf_memory_order_relaxed);"                    \
 "while (rf_atomic_load_explicit(&$.tail, rf_memory_order_acquire) == head) RF_SPIN_HINT();"     \
 "int *x = RF_LOAD($.item[head % 2]);"                                                           \
 "rf_atomic_store_explicit(&$.head, head + 1, rf_memory_order_release); return x; }",            \
     "rf_atomic_init(&$.head, 0); rf_atomic_init(&$.tail, 0);"

enum { QUEUE_MOST = 4 };

/* state counts what is in it, to what was put.  With one producer and one consumer gets follow puts
 * as they like; where all may do both, the puts come first, or else a get could take what an
 * earlier one waits for. */
static void queue_of_two(object *o) {
    o->owner = any_thread();
    o->to = other_thread(o->owner);
}
static void queue_of_all(object *o) { o->owner = THREADS; }
static void queue_put(object *o, unsigned t) {
    does(o, t, o->to, "int *x = RF_MALLOC(sizeof *x); RF_STORE(*x, ME); $_put(x);");
    o->state++;
}
static void queue_get(object *o, unsigned t) {
    does(o, t, o->owner,
         one_in(2) ? "int *x = $_get(); RF_ASSERT_LE(RF_LOAD(*x), THREADS); RF_FREE(x);"
                   : "int *x = $_get(); RF_STORE(*x, RF_LOAD(*x) + 1);"
                     "RF_ASSERT_LE(RF_LOAD(*x), THREADS); RF_FREE(x);");
    o->state--;
}
static void queue_next(object *o) {
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
    for (; o->state > 0; o->state--) say(AFTER, o->name, "RF_FREE($_get());");
}

/* ---- made once, by whoever comes first ---- */

#define LAZY_UNDER_LOCK(order)                                                             \
 "static _Atomic(int *) $; static rf_mutex $_lock = RF_MUTEX_INIT;"                        \
 "static int *$_get(void) {"                                                               \
 "int *x = rf_atomic_load_explicit(&$, rf_memory_order_" order "); if (x) return x;"       \
 "RF_GUARD(&$_lock) { x = rf_atomic_load_explicit(&$, rf_memory_order_relaxed); if (!x) {" \
 "x = RF_MALLOC(sizeof *x); RF_STORE(*x, 7);"                                              \
 "rf_atomic_store_explicit(&$, x, rf_memory_order_release); } } return x; }",              \
     "rf_atomic_init(&$, NULL);"
#define LAZY_BY_EXCHANGE(order)                                                             \
 "static _Atomic(int *) $;"                                                                 \
 "static int *$_get(void) {"                                                                \
 "int *old = rf_atomic_load_explicit(&$, rf_memory_order_" order "); if (old) return old;"  \
 "int *x = RF_MALLOC(sizeof *x); RF_STORE(*x, 7);"                                          \
 "if (rf_atomic_compare_exchange_strong(&$, &old, x)) return x; RF_FREE(x); return old; }", \
     "rf_atomic_init(&$, NULL);"
#define LAZY_USE "RF_ASSERT_EQ(RF_LOAD(*$_get()), 7);"
#define LAZY_END "RF_FREE(rf_atomic_load(&$));"

#define ONCE "static rf_once $ = RF_ONCE_INIT; static void $_make(void) { RF_STORE($_d0, 7); }"

/* ---- threads that threads start ---- */

#define STARTED "rf_thread t = RF_THREAD($_child@, NULL);"

static void child_next(object *o) {
    static const char *const ways[] = {
        "d: write 0 | a: write 0 |" STARTED "RF_JOIN(t); | touch 0",
        "d: write 0 | RF_SEM_POST(&$); | a: write 0 |" STARTED "RF_DETACH(t); RF_SEM_WAIT(&$); |"
        "touch 0",
        /* on its stack, where another child's was */
        "d: int *x = arg, own[2] = {1, 2}; RF_STORE(own[1], RF_LOAD(own[0]));"
        "RF_STORE(*x, RF_LOAD(*x) + RF_LOAD(own[1])); |"
        "a: loop | int x = ME; rf_thread t = RF_THREAD($_child@, &x); | pause |"
        "RF_ASSERT(RF_JOIN(t) == &x); RF_STORE(x, RF_LOAD(x) - ME); RF_ASSERT_EQ(RF_LOAD(x), 1);"};
    does(o, o->owner, o->owner, ways[below(3)]);
}

/* ---- shared until the last one has let go ---- */

#define SHARED                                                                             \
 "static struct { rf_atomic_int users; rf_mutex lock; int sum, part[THREADS]; } *$;",      \
     "$ = RF_CALLOC(1, sizeof *$); rf_mutex_init(&$->lock, \"$->lock\", RF_MUTEX_NORMAL);" \
     "rf_atomic_init(&$->users, THREADS);"
#define SHARED_USE(order, fence)                                                             \
 "RF_GUARD(&$->lock) { RF_STORE($->sum, RF_LOAD($->sum) + ME); } RF_STORE($->part[ME], ME);" \
 "if (rf_atomic_fetch_sub_explicit(&$->users, 1, rf_memory_order_" order ") == 1) {" fence   \
 "int sum = 0; for (int i = 0; i < THREADS; i++) sum += RF_LOAD($->part[i]);"                \
 "RF_ASSERT_EQ(sum, THREADS * (THREADS - 1) / 2); RF_ASSERT_EQ(RF_LOAD($->sum), sum);"       \
 "rf_mutex_destroy(&$->lock); RF_FREE($); }"

static void shared_next(object *o) {
    unsigned t = o->state;
    if (t == program.threads) return;
    does(o, t, t,
         one_in(2) ? SHARED_USE("acq_rel", "")
                   : SHARED_USE("release", "rf_atomic_thread_fence(rf_memory_order_acquire);"));
    o->state++;
}
static void shared_end(object *o) {
    while (o->state < program.threads) shared_next(o);
}

static const kind disciplines[] = {
    {"locked", .locks = "?", .data = "d", .more = true,
     .step = {"loop | take 0 | write 0 | give 0", "loop | maybe 0 | touch 0 | give 0",
              "loop | share 0 | read 0 | give 0"},
     .after = "sum 0"},
    {"known", .locks = "k", .data = "d",
     .step = {"loop | atomic | take 0 | touch 0 | give 0", "atomic | share 0 | read 0 | give 0"},
     .after = "sum 0"},
    /* several locks, taken in their order; data i under lock i */
    {"nested", .locks = "kkk", .data = "ddd", .step = NESTED_STEPS,
     .after = "sum 0 | sum 1 | sum 2"},
    {"neighbours", .locks = "kkk", .data = "eed",
     .declare = "static struct { unsigned char a, b; } $_both;\n#define $_d0 $_both.a\n"
                "#define $_d1 $_both.b\n",
     .before = "$_both.a = $_both.b = 0;", .step = NESTED_STEPS, .after = "sum 0 | sum 1 | sum 2"},
    /* two locks in any order, under a third one; one of the two needs no gate */
    {"gated", .locks = "kkk", .data = "ddd",
     .step = {"take 1 | write 1 | give 1", "take 2 | write 2 | give 2",
              "take 0 | take 1 | take 2 | write 1 | give 2 | give 1 | give 0",
              "take 0 | take 2 | take 1 | write 0 | give 1 | give 2 | give 0",
              "take 0 | take 2 | take 1 | write 2 | give 1 | give 2 | give 0"},
     .after = "sum 0 | sum 1 | sum 2"},
    /* two locks in their order; or in the other one, by trying */
    {"backoff", .locks = "mm", .data = "dd", .more = true,
     .step = {"lock 0 | lock 1 | write 0 | write 1 | give 1 | give 0",
              "lock 1 | maybe 0 | write 0 | write 1 | give 0 | give 1"},
     .after = "sum 0 | sum 1"},
    {"crossed", .locks = "nm", .data = "d", .declare = "static rf_sem $ = RF_SEM_INIT(0);",
     .before = "RF_GUARD(&$_l1) RF_GUARD(&$_l0) {}", .begin = owner_begin, .next = crossed_next,
     .after = "RF_GUARD(&$_l1) RF_GUARD(&$_l0) {} | sum 0"},
    /* read locks in both orders, and a writer of one */
    {"readers", .locks = "rr", .data = "dd",
     .step = {"lock 0 | write 0 | give 0", "lock 1 | write 1 | give 1",
              "atomic | rdlock 0 | rdlock 1 | read 0 | read 1 | give 0 | give 1",
              "atomic | rdlock 1 | rdlock 0 | read 0 | read 1 | give 1 | give 0"},
     .after = "sum 0 | sum 1"},
    /* an array of locks, all from one place: cell i under lock i, and two in their order */
    {"striped", .declare = "static struct { rf_mutex lock; int cell; } $[4];",
     .before = "for (int i = 0; i < 4; i++) rf_mutex_init(&$[i].lock, \"$\", RF_MUTEX_NORMAL);"
               "for (int i = 0; i < 4; i++) $[i].cell = 5;",
     .step = {"atomic | uint32_t i = RF_CHOOSE(4);"
              "RF_GUARD(&$[i].lock) { RF_STORE($[i].cell, RF_LOAD($[i].cell) + 0); }",
              "atomic | uint32_t i = RF_CHOOSE(3); RF_LOCK(&$[i].lock); RF_LOCK(&$[3].lock);"
              "RF_STORE($[i].cell, RF_LOAD($[i].cell) - 1);"
              "RF_STORE($[3].cell, RF_LOAD($[3].cell) + 1);"
              "RF_UNLOCK(&$[3].lock); RF_UNLOCK(&$[i].lock);"},
     .after = "int $_sum = 0; for (int i = 0; i < 4; i++) $_sum += RF_LOAD($[i].cell);"
              "RF_ASSERT_EQ($_sum, 20);"},
    /* written before the threads begin, then only read */
    {"constant", .data = "s", .before = "RF_STORE($_d0, 7);",
     .step = {"atomic | read 0 | RF_ASSERT_EQ(RF_LOAD($_d0), 7);"}},
    {"phased", .declare = "static rf_barrier $;", .before = "rf_barrier_init(&$, \"$\", THREADS);",
     .begin = phased_begin, .next = phased_next, .end = phased_end},
    /* each thread its own: thread-local, on its stack, on the heap, where another one was */
    {"own", .declare = "RF_TLS(int, $);",
     .step = {"atomic | RF_STORE(*RF_TLS_PTR($), RF_LOAD(*RF_TLS_PTR($)) + 1);",
              "atomic | int x[3]; RF_STORE(x[1], 2); RF_STORE(x[2], RF_LOAD(x[1]) + 2);"
              "RF_ASSERT_EQ(RF_LOAD(x[2]), 4);",
              "atomic | int *x = RF_CALLOC(2, sizeof *x); RF_STORE(x[1], ME); | pause |"
              "RF_ASSERT_EQ(RF_LOAD(x[1]), ME); RF_FREE(x);",
              "atomic | int *x = RF_CALLOC(2, sizeof *x); RF_STORE(x[1], ME);"
              "x = RF_REALLOC(x, 5 * sizeof *x); | pause |"
              "RF_ASSERT_EQ(RF_LOAD(x[1]), ME); RF_FREE(x);"}},
    /* atomics; the last one loads, and then writes */
    {"counter", .declare = "static rf_atomic_uint $;", .before = "rf_atomic_init(&$, 0);",
     .step =
         {"loop | atomic | count | rf_atomic_fetch_add_explicit(&$, 1, rf_memory_order_relaxed);",
          "loop | atomic | count | rf_atomic_fetch_add(&$, 1);",
          "atomic | RF_ASSERT_LE(rf_atomic_load_explicit(&$, rf_memory_order_relaxed), 99u);",
          "loop | count | unsigned x = rf_atomic_load(&$);"
          "while (!rf_atomic_compare_exchange_weak(&$, &x, x + 1)) RF_YIELD();"},
     .after = "counted rf_atomic_load(&$)"},
    {"message", .data = "dd", .begin = owner_begin, .next = message_next, .after = "sum 0 | sum 1"},
    {"event", .data = "dd", .begin = owner_begin, .next = event_next, .after = "sum 0 | sum 1"},
    {"queue", NULL, NULL, QUEUE_UNDER_LOCK, .begin = queue_of_all, .next = queue_next,
     .end = queue_end},
    {"pipe", NULL, NULL, QUEUE_OF_SEMAPHORES, .begin = queue_of_two, .next = queue_next,
     .end = queue_end},
    {"once", .data = "s", .declare = ONCE,
     .step = {"RF_ONCE(&$, $_make); RF_ASSERT_EQ(RF_LOAD($_d0), 7);"}},
    {"lazy", NULL, NULL, LAZY_UNDER_LOCK("acquire"), NULL, LAZY_END, {LAZY_USE}},
    {"exchanged", NULL, NULL, LAZY_BY_EXCHANGE("acquire"), NULL, LAZY_END, {LAZY_USE}},
    /* threads that threads start */
    {"child", .data = "d", .declare = "static rf_sem $ = RF_SEM_INIT(0);", .begin = owner_begin,
     .next = child_next, .after = "sum 0"},
    {"shared", NULL, NULL, SHARED, .next = shared_next, .end = shared_end},
    /* one of two places, whichever is free */
    {"pool",
     .declare = "static rf_sem $ = RF_SEM_INIT(2); static rf_atomic_flag $_taken[2];"
                "static int $_place[2];"
                "static void $_use(void) { unsigned i = RF_CHOOSE(2); RF_SEM_WAIT(&$);"
                "while (rf_atomic_flag_test_and_set_explicit(&$_taken[i], rf_memory_order_acquire))"
                "i = 1 - i; RF_STORE($_place[i], RF_LOAD($_place[i]) + 1);"
                "rf_atomic_flag_clear_explicit(&$_taken[i], rf_memory_order_release);"
                "RF_SEM_POST(&$); }",
     .before = "for (int i = 0; i < 2; i++) { $_place[i] = 0; rf_atomic_flag_clear(&$_taken[i]); }",
     .step = {"count | $_use();"}, .after = "counted RF_LOAD($_place[0]) + RF_LOAD($_place[1])"},
    /* not for the patient: */
    {"ring", NULL, NULL, QUEUE_OF_ATOMICS, .begin = queue_of_two, .next = queue_next,
     .end = queue_end},
};
enum { DISCIPLINES = sizeof disciplines / sizeof *disciplines };
#endif

/* tests/generate/program.h: a program that is being made, and what all disciplines need: locks,
 * data and signals, as tables of code.  In code $ is a name, @ the number of the step, ^ a memory
 * order; ME is the number of the thread, THREADS that of all.
 *
 * A program is a sequence of blocks, each of which belongs to one thread, and no block waits for a
 * later one.  So the first block that has not been done can always go on: no program gets stuck.
 * Blocks that follow each other and belong to two threads can be done at the same time unless they
 * themselves forbid it: there a fault can be planted.
 */
#ifndef PROGRAM_H
#define PROGRAM_H
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where code goes: to a thread, of which 0 is the body of the test; to the declarations and
 * functions; to the body, before the threads, after them, and when all is done. */
enum { THREADS = 6, DECLARED = THREADS, BEFORE, AFTER, FINALLY, PARTS };

static struct program {
    unsigned number, names, steps;
    unsigned threads;
    unsigned times;    /* how often the block at hand is done */
    const char *order; /* what ^ is */
    bool patient; /* no thread spins for what another one does: those spin on when that is stuck */
    FILE *part[PARTS];
    char *text[PARTS];
    size_t size[PARTS];
} program;

/* ---- chance ---- */

static uint64_t chance_state;

static unsigned below(unsigned n) { /* splitmix64 */
    uint64_t z = chance_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (unsigned)((z ^ z >> 31) % n);
}
static bool one_in(unsigned n) { return below(n) == 0; }
static unsigned any_thread(void) { return below(program.threads); }
static unsigned other_thread(unsigned t) {
    return (t + 1 + below(program.threads - 1)) % program.threads;
}

/* One of a row of texts, the rest of which are NULL. */
static const char *any_of(const char *const *text, unsigned most) {
    unsigned n = 0;
    while (n < most && text[n]) n++;
    return text[below(n)];
}

/* ---- code ---- */

static void say(unsigned part, const char *name, const char *code) {
    for (; code && *code; code++)
        if (*code == '$')
            fputs(name, program.part[part]);
        else if (*code == '@')
            fprintf(program.part[part], "%u", program.steps);
        else if (*code == '^')
            fputs(program.order, program.part[part]);
        else
            fputc(*code, program.part[part]);
}

/* One statement a line, with its braces' indentation. */
static void print_part(unsigned part, unsigned depth) {
    unsigned inside = 0; /* of parentheses */
    bool fresh = true, directive = false;
    for (const char *s = program.text[part]; *s; s++) {
        if (fresh && isspace((unsigned char)*s)) continue;
        if (fresh) directive = *s == '#';
        if (*s == '}' && !inside && !directive) depth--;
        for (unsigned i = 0; fresh && !directive && i < depth; i++) printf("    ");
        putchar(*s);
        inside += (*s == '(') - (*s == ')');
        if (*s == '{' && !inside && !directive) depth++;
        fresh = directive ? *s == '\n' : !inside && strchr(";{}", *s);
        if (fresh && !directive) putchar('\n');
    }
}

/* ---- locks ---- */

typedef struct way {
    const char *take, *give;
} way;

typedef struct lock_kind {
    const char *declare, *before;
    way way[5]; /* the first: plainly */
    way share[2];
} lock_kind;

#define MUTEX_WAYS                                                 \
 {"RF_LOCK(&$);", "RF_UNLOCK(&$);"}, {"RF_GUARD(&$) {", "}"},      \
     {"while (!RF_TRYLOCK(&$)) RF_YIELD();", "RF_UNLOCK(&$);"}, {  \
  "while (!RF_TIMEDLOCK(&$, 5)) RF_SLEEP_MS(1);", "RF_UNLOCK(&$);" \
 }
#define LOCK_INIT(kind) "rf_mutex_init(&$, \"$\", RF_MUTEX_" kind ");"

static const lock_kind lock_kinds[] = {
    {"static rf_mutex $ = RF_MUTEX_INIT;", NULL, {MUTEX_WAYS}, {{0}}},
    {"static rf_mutex $;", LOCK_INIT("NORMAL"), {MUTEX_WAYS}, {{0}}},
    {"static rf_mutex $;", LOCK_INIT("ERRORCHECK"), {MUTEX_WAYS}, {{0}}},
    {"static rf_mutex $;",
     LOCK_INIT("RECURSIVE"),
     {MUTEX_WAYS, {"RF_LOCK(&$); RF_LOCK(&$);", "RF_UNLOCK(&$); RF_UNLOCK(&$);"}},
     {{0}}},
    {"static rf_spin $ = RF_SPIN_INIT;",
     NULL,
     {{"RF_SPIN_LOCK(&$);", "RF_SPIN_UNLOCK(&$);"},
      {"while (!RF_SPIN_TRYLOCK(&$)) RF_SPIN_HINT();", "RF_SPIN_UNLOCK(&$);"}},
     {{0}}},
    {"static rf_rwlock $;",
     "rf_rwlock_init(&$, NULL);",
     {{"RF_WRLOCK(&$);", "RF_RWUNLOCK(&$);"},
      {"while (!RF_TRYWRLOCK(&$)) RF_YIELD();", "RF_RWUNLOCK(&$);"}},
     {{"RF_RDLOCK(&$);", "RF_RWUNLOCK(&$);"},
      {"while (!RF_TRYRDLOCK(&$)) RF_YIELD();", "RF_RWUNLOCK(&$);"}}},
    /* those before this one are locks to racefuzz too */
    {"static rf_sem $ = RF_SEM_INIT(1);",
     NULL,
     {{"RF_SEM_WAIT(&$);", "RF_SEM_POST(&$);"},
      {"while (!RF_SEM_TIMEDWAIT(&$, 3)) RF_YIELD();", "RF_SEM_POST(&$);"}},
     {{0}}},
    {"static rf_atomic_flag $ = RF_ATOMIC_FLAG_INIT;",
     "rf_atomic_flag_clear(&$);",
     {{"while (rf_atomic_flag_test_and_set_explicit(&$, rf_memory_order_acquire)) RF_SPIN_HINT();",
       "rf_atomic_flag_clear_explicit(&$, rf_memory_order_release);"}},
     {{0}}},
    {"static rf_atomic_int $, $_next;", /* tickets */
     "rf_atomic_init(&$, 0); rf_atomic_init(&$_next, 0);",
     {{"{ int $_mine = rf_atomic_fetch_add_explicit(&$_next, 1, rf_memory_order_relaxed);"
       "while (rf_atomic_load_explicit(&$, rf_memory_order_acquire) != $_mine) RF_SPIN_HINT();",
       "rf_atomic_store_explicit(&$, $_mine + 1, rf_memory_order_release); }"}},
     {{0}}},
    {"static rf_atomic_int $;",
     "rf_atomic_init(&$, 0);",
     {{"{ int is = 0; while (!rf_atomic_compare_exchange_weak(&$, &is, 1)) {"
       "is = 0; RF_SPIN_HINT(); } }",
       "rf_atomic_store_explicit(&$, 0, rf_memory_order_release);"}},
     {{0}}},
};

/* A letter for some of them. */
static const struct {
    char letter;
    unsigned from, to;
} lock_class[] = {{'?', 0, 10}, {'k', 0, 6}, {'x', 0, 5}, {'m', 0, 4},
                  {'n', 0, 2},  {'r', 5, 6}, {'s', 6, 7}, {'f', 7, 8}};

static const lock_kind *lock_new(char letter, const char *name) {
    unsigned c = 0;
    while (lock_class[c].letter != letter) c++;
    const lock_kind *l =
        &lock_kinds[lock_class[c].from + below(lock_class[c].to - lock_class[c].from)];
    say(DECLARED, name, l->declare);
    say(BEFORE, name, l->before);
    return l;
}

static bool lock_is_mutex(const lock_kind *l) { return l < &lock_kinds[4]; }

/* One of those that are there, or the first one. */
static const way *any_way(const lock_kind *l, bool share, bool plainly) {
    const way *all = share && l->share[0].take ? l->share : l->way;
    unsigned most = all == l->share ? 2 : 5, n = 0;
    while (n < most && all[n].take) n++;
    return &all[plainly ? 0 : below(n)];
}

/* What may be done without, if the lock is taken. */
static const way maybe[] = {{"if (RF_TRYLOCK(&$)) {", "RF_UNLOCK(&$); }"},
                            {"if (RF_TIMEDLOCK(&$, 1)) {", "RF_UNLOCK(&$); }"}};

/* ---- data ---- */

typedef struct datum_kind {
    const char *declare, *before, *finally;
    const char *write[3]; /* adds one, in several ways */
    const char *read, *value;
} datum_kind;

#define SCALAR(declare, before, finally)                                                        \
 {                                                                                              \
  declare, before, finally,                                                                     \
      {"RF_STORE($, RF_LOAD($) + 1);", "{ __typeof__($) x = RF_LOAD($); RF_STORE($, x + 1); }", \
       "{ __typeof__($) x = RF_LOAD($); RF_LOG(\"step\"); RF_STORE($, x + 1); }"},              \
      "{ __typeof__($) x = RF_LOAD($); RF_ASSERT_GE(x, 0); }", "RF_LOAD($)"                     \
 }
static const datum_kind data_kinds[] = {
    SCALAR(NULL, NULL, NULL), /* declared by others */
    SCALAR("static int $;", "$ = 0;", NULL),
    SCALAR("static unsigned char $;", "$ = 0;", NULL),
    SCALAR("static long long $;", "$ = 0;", NULL),
    SCALAR("static short $;", "$ = 0;", NULL),
    SCALAR("static double $;", "$ = 0;", NULL),
    SCALAR("static int *$_heap;\n#define $ $_heap[2]\n",
           "$_heap = RF_MALLOC(4 * sizeof *$_heap); RF_STORE($, 0);", "RF_FREE($_heap);"),
    /* beside another thread's: each byte has its own discipline */
    SCALAR("static struct { unsigned char low, it, high; } $_word;\n#define $ $_word.it\n",
           "$ = 0;", NULL),
    {"static pair $;",
     "$.a = $.b = 0;",
     NULL,
     {"RF_STORE($.a, RF_LOAD($.a) + 1); RF_STORE($.b, RF_LOAD($.b) + 1);",
      "{ pair x = RF_LOAD($); RF_STORE($, (pair){x.a + 1, x.b + 1}); }"},
     "{ pair x = RF_LOAD($); RF_ASSERT_EQ(x.a, x.b); }",
     "RF_LOAD($.b)"},
    {"static unsigned char $[12];",
     "memset($, 0, sizeof $);",
     NULL,
     {"RF_READ($, sizeof $); { int x = $[3] + 1; RF_WRITE($, sizeof $); memset($, x, sizeof $); }"},
     "RF_READ($, sizeof $); RF_ASSERT_EQ($[0], $[11]);",
     "$[7]"},
};

typedef struct datum {
    const datum_kind *is;
    unsigned steps;
    bool more; /* an atomic counter has the steps that may be left out */
} datum;

/* d: any, s: a scalar, e: one that is declared elsewhere. */
static datum datum_new(char letter, const char *name, bool more) {
    unsigned k = letter == 'e' ? 0 : 1 + below(letter == 's' ? 7 : 9);
    datum d = {.is = &data_kinds[k], .more = more};
    say(DECLARED, name, d.is->declare);
    say(BEFORE, name, d.is->before);
    say(FINALLY, name, d.is->finally);
    if (more) say(DECLARED, name, "static rf_atomic_int $_more;");
    if (more) say(BEFORE, name, "rf_atomic_init(&$_more, 0);");
    return d;
}

/* After the threads have ended: all steps are there. */
static void datum_sum(const datum *d, const char *name) {
    char steps[32];
    snprintf(steps, sizeof steps, ", %u%s", d->steps, d->more ? " + rf_atomic_load(&$_more)" : "");
    say(AFTER, name, "RF_ASSERT_EQ(");
    say(AFTER, name, d->is->value);
    say(AFTER, name, steps);
    say(AFTER, name, ");");
}

/* ---- signals: one thread tells others that something is done, in all the ways there are ---- */

typedef struct signal_kind {
    const char *declare, *before, *send[2], *wait[3];
    const char *third;       /* what a thread between the two does */
    bool weak, all, patient; /* faulty if ^ is relaxed; for several receivers; for the patient */
    bool locked;             /* under a lock of any kind */
} signal_kind;

#define FLAG_OF_SIGNAL    "static rf_atomic_int $;", "rf_atomic_init(&$, 0);"
#define AWAITS(condition) "while (" condition ") RF_SPIN_HINT();"
#define LOADS(order)      "rf_atomic_load_explicit(&$, rf_memory_order_" order ")"
#define PREDICATE                                                                        \
 "static rf_mutex $_lock = RF_MUTEX_INIT; static rf_cond $_cond = RF_COND_INIT; static " \
 "bool $;",                                                                              \
     "$ = false;"
#define WAKES(how)                                                                 \
 {                                                                                 \
  "RF_LOCK(&$_lock); RF_STORE($, true); " how "(&$_cond); RF_UNLOCK(&$_lock);",    \
      "RF_LOCK(&$_lock); RF_STORE($, true); RF_UNLOCK(&$_lock); " how "(&$_cond);" \
 }
#define SLEEPS "RF_GUARD(&$_lock) { while (!RF_LOAD($)) RF_WAIT(&$_cond, &$_lock); }"

static const signal_kind signal_kinds[] = {
    {FLAG_OF_SIGNAL,
     {"rf_atomic_store_explicit(&$, 1, rf_memory_order_^);"},
     {AWAITS("!" LOADS("^"))},
     .weak = true,
     .all = true},
    {FLAG_OF_SIGNAL,
     {"rf_atomic_thread_fence(rf_memory_order_^); "
      "rf_atomic_store_explicit(&$, 1, rf_memory_order_relaxed);"},
     {AWAITS("!" LOADS("relaxed")) "rf_atomic_thread_fence(rf_memory_order_^);"},
     .weak = true,
     .all = true},
    {FLAG_OF_SIGNAL,
     {"rf_atomic_fetch_add_explicit(&$, 1, rf_memory_order_^);"},
     {"{ int is = 1; while (!rf_atomic_compare_exchange_weak_explicit(&$, &is, 2, "
      "rf_memory_order_^, rf_memory_order_relaxed)) { is = 1; RF_SPIN_HINT(); } }"},
     .weak = true},
    {FLAG_OF_SIGNAL, /* the third thread continues the release sequence */
     {"rf_atomic_store_explicit(&$, 1, rf_memory_order_^);"},
     {AWAITS(LOADS("^") " != 2")},
     AWAITS(
         LOADS("relaxed") " != 1") "rf_atomic_fetch_add_explicit(&$, 1, rf_memory_order_relaxed);",
     .weak = true},
    {FLAG_OF_SIGNAL,
     {"rf_atomic_store(&$, 1);"},
     {"while (!rf_atomic_load(&$)) RF_YIELD();"},
     .all = true},
    {"static bool $;",
     "$ = false;",
     {"RF_STORE($, true);"},
     {"there = RF_LOAD($);"},
     .all = true,
     .locked = true},
    {PREDICATE, WAKES("RF_BROADCAST"), {SLEEPS}, .all = true, .patient = true},
    {PREDICATE, WAKES("RF_SIGNAL"), {SLEEPS}, .patient = true},
    {PREDICATE,
     WAKES("RF_SIGNAL"),
     {"RF_GUARD(&$_lock) { while (!RF_LOAD($)) (void)RF_TIMEDWAIT(&$_cond, &$_lock, 10); }"}},
    {"static rf_sem $ = RF_SEM_INIT(0);",
     NULL,
     {"RF_SEM_POST(&$);"},
     {"RF_SEM_WAIT(&$);"},
     .patient = true},
    {"static rf_sem $ = RF_SEM_INIT(0);",
     NULL,
     {"RF_SEM_POST(&$);"},
     {"while (!RF_SEM_TRYWAIT(&$)) RF_YIELD();",
      "while (!RF_SEM_TIMEDWAIT(&$, 9)) RF_SLEEP_MS(2);"}},
};
enum { SIGNALS = sizeof signal_kinds / sizeof *signal_kinds };

typedef struct signal {
    const signal_kind *is;
    char name[64], lock_name[72];
    const lock_kind *lock;
    bool weak_send, weak_wait;
} signal;

static signal signal_new(const char *owner, bool weak, bool all) {
    signal s = {0};
    do s.is = &signal_kinds[below(SIGNALS)];
    while ((weak && !s.is->weak) || (all && !s.is->all) || (program.patient && !s.is->patient));
    snprintf(s.name, sizeof s.name, "%s_signal%u", owner, ++program.names);
    snprintf(s.lock_name, sizeof s.lock_name, "%s_lock", s.name);
    say(DECLARED, s.name, s.is->declare);
    say(BEFORE, s.name, s.is->before);
    if (s.is->locked) s.lock = lock_new('?', s.lock_name);
    return s;
}

static void signal_send(const signal *s, unsigned t, unsigned third) {
    const way *w = s->is->locked ? any_way(s->lock, false, false) : NULL;
    program.order = s->weak_send ? "relaxed" : "release";
    if (w) say(t, s->lock_name, w->take);
    say(t, s->name, any_of(s->is->send, 2));
    if (w) say(t, s->lock_name, w->give);
    say(third, s->name, s->is->third);
}

static void signal_wait(const signal *s, unsigned t) {
    const way *w = s->is->locked ? any_way(s->lock, true, false) : NULL;
    program.order = s->weak_wait ? "relaxed" : "acquire";
    if (w) say(t, "", "{ bool there = false; while (!there) {");
    if (w) say(t, s->lock_name, w->take);
    say(t, s->name, any_of(s->is->wait, 3));
    if (w) say(t, s->lock_name, w->give);
    if (w) say(t, "", "if (!there) RF_YIELD(); } }");
}
#endif

/* tests/generate/program.h: a program that is being made, and what all disciplines need: locks and
 * data.
 *
 * A program is a sequence of blocks, each of which belongs to one thread, and no block waits for a
 * later one.  So the first block that has not been done can always go on: no program gets stuck.
 * Blocks that follow each other and belong to two threads can be done at the same time unless they
 * themselves forbid it: there a fault can be planted.
 */
#ifndef PROGRAM_H
#define PROGRAM_H
#include "text.h"

enum { THREADS = 6, CHILD = THREADS }; /* CHILD: a function of its own */

static struct program {
    unsigned number, names;
    unsigned threads;                               /* thread 0 is the body of the test */
    text file, first, part[THREADS + 1], last, end; /* file: declarations and functions */
    unsigned times;                                 /* how often the block at hand is done */
    bool patient; /* no thread spins for what another one does: those spin on when that is stuck */
} program;

#define CODE(target, name)         \
 va_list ap;                       \
 va_start(ap, fmt);                \
 text_code(target, name, fmt, ap); \
 va_end(ap)
#define PRINTF(n) __attribute__((format(printf, n, n + 1), unused))

/* Code of a thread's function, of the file, of the body: before the threads, after them, and when
 * all is done.  $ is the name, for those that have one. */
#define SAYS(what, target)                                              \
 static PRINTF(1) void what(const char *fmt, ...) { CODE(target, ""); } \
 static PRINTF(2) void what##_of(const char *name, const char *fmt, ...) { CODE(target, name); }
static PRINTF(2) void say(unsigned t, const char *fmt, ...) { CODE(&program.part[t], ""); }
static PRINTF(3) void say_of(unsigned t, const char *name, const char *fmt, ...) {
    CODE(&program.part[t], name);
}
SAYS(declare, &program.file)
SAYS(before, &program.first)
SAYS(after, &program.last)
SAYS(finally, &program.end)

/* A name that nothing else has. */
static const char *fresh(const char *stem) {
    char name[64];
    snprintf(name, sizeof name, "p%u_%s%u", program.number, stem, ++program.names);
    char *kept = strdup(name);
    if (!kept) abort();
    return kept;
}

static unsigned any_thread(void) { return below(program.threads); }
static unsigned other_thread(unsigned t) {
    return (t + 1 + below(program.threads - 1)) % program.threads;
}

/* ---- repetition ---- */

static void loop_begin(unsigned t) {
    program.times = one_in(3) ? 2 + below(2) : 1;
    if (program.times > 1) say(t, "for (int i = 0; i < %u; i++) {", program.times);
}
static void loop_end(unsigned t) {
    if (program.times > 1) say(t, "}");
    program.times = 1;
}

/* ---- blocks that are atomic, because all they share is touched under locks which are all taken
 * before the first is given back ---- */

static bool atomic_begin(unsigned t) {
    bool here = one_in(3);
    if (here) say(t, "RF_ATOMIC_BLOCK(\"%s\") {", fresh("block"));
    return here;
}
static void atomic_end(unsigned t, bool here) {
    if (here) say(t, "}");
}

/* ---- locks ---- */

typedef enum lock_kind {
    MUTEX,
    RECURSIVE,
    ERRORCHECK,
    SPIN,
    RWLOCK,
    LOCKS, /* those before this one are locks to racefuzz too */
    SEMAPHORE = LOCKS,
    FLAG,
    TICKET,
    SWAP,
    LOCK_KINDS
} lock_kind;

typedef struct lock {
    lock_kind kind;
    const char *name;
} lock;

static lock lock_new(lock_kind kind) {
    static const char *const mutex_kind[] = {"NORMAL", "RECURSIVE", "ERRORCHECK"};
    lock l = {kind, fresh("lock")};
    const char *n = l.name;
    switch (kind) {
    case MUTEX:
    case RECURSIVE:
    case ERRORCHECK:
        if (kind == MUTEX && one_in(3)) {
            declare_of(n, "static rf_mutex $ = RF_MUTEX_INIT;");
            break;
        }
        declare_of(n, "static rf_mutex $;");
        before_of(n, "rf_mutex_init(&$, \"$\", RF_MUTEX_%s);", mutex_kind[kind]);
        break;
    case SPIN: declare("static rf_spin %s = RF_SPIN_INIT;", n); break;
    case RWLOCK:
        declare_of(n, "static rf_rwlock $;");
        before_of(n, "rf_rwlock_init(&$, NULL);");
        break;
    case SEMAPHORE: declare("static rf_sem %s = RF_SEM_INIT(1);", n); break;
    case FLAG:
        declare_of(n, "static rf_atomic_flag $ = RF_ATOMIC_FLAG_INIT;");
        before_of(n, "rf_atomic_flag_clear(&$);");
        break;
    default:
        declare_of(n, "static rf_atomic_int $, $_next;");
        before_of(n, "rf_atomic_init(&$, 0); rf_atomic_init(&$_next, 0);");
    }
    return l;
}
static lock lock_any(void) { return lock_new((lock_kind)below(LOCK_KINDS)); }
static lock lock_known(void) { return lock_new((lock_kind)below(LOCKS)); }

typedef enum lock_style { PLAIN, GUARD, TRY, TIMED, TWICE, MAYBE } lock_style;

typedef struct hold {
    const lock *lock;
    lock_style style;
    const char *ticket;
} hold;

/* Takes a mutex in a style that draws on what there is: */
static lock_style take_mutex(unsigned t, const lock *l, lock_style s) {
    const char *n = l->name;
    if (s == TWICE && l->kind != RECURSIVE) s = PLAIN;
    switch (s) {
    case GUARD: say(t, "RF_GUARD(&%s) {", n); break;
    case TRY: say(t, "while (!RF_TRYLOCK(&%s)) RF_YIELD();", n); break;
    case TIMED: say(t, "while (!RF_TIMEDLOCK(&%s, 5)) RF_SLEEP_MS(1);", n); break;
    case MAYBE: say(t, "if (RF_TRYLOCK(&%s)) {", n); break;
    case TWICE: say_of(t, n, "RF_LOCK(&$); RF_LOCK(&$);"); break;
    default: say(t, "RF_LOCK(&%s);", n);
    }
    return s;
}

/* Other kinds: plainly, or by trying again and again. */
static void take_other(unsigned t, hold *h, bool write) {
    const char *n = h->lock->name;
    bool plain = h->style == PLAIN || h->style == GUARD || h->style == MAYBE;
    h->style = PLAIN;
    switch (h->lock->kind) {
    case SPIN:
        say(t, plain ? "RF_SPIN_LOCK(&%s);" : "while (!RF_SPIN_TRYLOCK(&%s)) RF_SPIN_HINT();", n);
        break;
    case RWLOCK:
        if (write)
            say(t, plain ? "RF_WRLOCK(&%s);" : "while (!RF_TRYWRLOCK(&%s)) RF_YIELD();", n);
        else
            say(t, plain ? "RF_RDLOCK(&%s);" : "while (!RF_TRYRDLOCK(&%s)) RF_YIELD();", n);
        break;
    case SEMAPHORE:
        say(t, plain ? "RF_SEM_WAIT(&%s);" : "while (!RF_SEM_TIMEDWAIT(&%s, 3)) RF_YIELD();", n);
        break;
    case FLAG:
        say_of(t, n,
               "while (rf_atomic_flag_test_and_set_explicit(&$, rf_memory_order_acquire)) { "
               "RF_SPIN_HINT(); }");
        break;
    case TICKET:
        h->ticket = fresh("ticket");
        say_of(t, n,
               "int %s = rf_atomic_fetch_add_explicit(&$_next, 1, rf_memory_order_relaxed); "
               "while (rf_atomic_load_explicit(&$, rf_memory_order_acquire) != %s) { "
               "RF_SPIN_HINT(); }",
               h->ticket, h->ticket);
        break;
    default:
        h->ticket = fresh("free");
        say_of(t, n,
               "int %s = 0; while (!rf_atomic_compare_exchange_weak(&$, &%s, 1)) { %s = 0; "
               "RF_SPIN_HINT(); }",
               h->ticket, h->ticket, h->ticket);
    }
}

/* `maybe`: the block may do without, if the lock is taken. */
static hold take(unsigned t, const lock *l, bool write, bool maybe) {
    hold h = {l, maybe && one_in(3) ? MAYBE : (lock_style)below(MAYBE), NULL};
    if (l->kind <= ERRORCHECK)
        h.style = take_mutex(t, l, h.style);
    else
        take_other(t, &h, write);
    return h;
}
static hold take_plainly(unsigned t, const lock *l, bool write) {
    hold h = {l, PLAIN, NULL};
    if (l->kind <= ERRORCHECK)
        take_mutex(t, l, PLAIN);
    else
        take_other(t, &h, write);
    return h;
}

static void give(unsigned t, hold h) {
    const char *n = h.lock->name;
    switch (h.lock->kind) {
    case SPIN: say(t, "RF_SPIN_UNLOCK(&%s);", n); break;
    case RWLOCK: say(t, "RF_RWUNLOCK(&%s);", n); break;
    case SEMAPHORE: say(t, "RF_SEM_POST(&%s);", n); break;
    case FLAG: say(t, "rf_atomic_flag_clear_explicit(&%s, rf_memory_order_release);", n); break;
    case TICKET:
        say_of(t, n, "rf_atomic_store_explicit(&$, %s + 1, rf_memory_order_release);", h.ticket);
        break;
    case SWAP: say(t, "rf_atomic_store_explicit(&%s, 0, rf_memory_order_release);", n); break;
    default:
        if (h.style != GUARD) say(t, "RF_UNLOCK(&%s);", n);
        if (h.style == TWICE) say(t, "RF_UNLOCK(&%s);", n);
        if (h.style == GUARD || h.style == MAYBE) say(t, "}");
    }
}

/* ---- data ---- */

typedef enum datum_kind { SCALAR, PAIR, BYTES } datum_kind;

typedef struct datum {
    datum_kind kind;
    const char *at;   /* an lvalue; of BYTES the array */
    const char *more; /* an atomic counter of the steps that may be left out */
    unsigned steps;
} datum;

static const char *text_of(const char *fmt, const char *name) {
    char s[96];
    snprintf(s, sizeof s, fmt, name);
    char *kept = strdup(s);
    if (!kept) abort();
    return kept;
}

static datum scalar_new(void) {
    static const char *const type[] = {"int", "unsigned char", "long long", "short", "double"};
    const char *n = fresh("data");
    switch (below(4)) {
    case 0:
        declare_of(n, "static int *$;");
        before_of(n, "$ = RF_MALLOC(4 * sizeof *$); RF_STORE($[2], 0);");
        finally_of(n, "RF_FREE($);");
        return (datum){SCALAR, text_of("%s[2]", n), NULL, 0};
    case 1: /* beside another thread's: each byte has its own discipline */
        declare_of(n, "static struct { unsigned char low, it, high; } $;");
        before_of(n, "$.it = 0;");
        return (datum){SCALAR, text_of("%s.it", n), NULL, 0};
    default:
        declare_of(n, "static %s $;", type[below(5)]);
        before_of(n, "$ = 0;");
        return (datum){SCALAR, n, NULL, 0};
    }
}

static datum datum_new(void) {
    const char *n;
    switch (below(5)) {
    case 0:
        n = fresh("pair");
        declare_of(n, "static pair $;");
        before_of(n, "$ = (pair){0, 0};");
        return (datum){PAIR, n, NULL, 0};
    case 1:
        n = fresh("bytes");
        declare_of(n, "static unsigned char $[12];");
        before_of(n, "memset($, 0, sizeof $);");
        return (datum){BYTES, n, NULL, 0};
    default: return scalar_new();
    }
}

/* Two neighbours in one word. */
static void neighbours_new(datum *a, datum *b) {
    const char *n = fresh("both");
    declare_of(n, "static struct { unsigned char a, b; } $;");
    before_of(n, "$.a = $.b = 0;");
    *a = (datum){SCALAR, text_of("%s.a", n), NULL, 0};
    *b = (datum){SCALAR, text_of("%s.b", n), NULL, 0};
}

static void set(unsigned t, const datum *d, const char *value) {
    if (d->kind == PAIR)
        say_of(t, value, "RF_STORE(%s, (pair){$, $});", d->at);
    else if (d->kind == SCALAR)
        say(t, "RF_STORE(%s, %s);", d->at, value);
    else {
        say(t, "RF_WRITE(%s, sizeof %s); memset(%s, %s, sizeof %s);", d->at, d->at, d->at, value,
            d->at);
    }
}

/* Adds one. */
static void step(unsigned t, datum *d) {
    const char *x = fresh("x");
    d->steps += program.times;
    if (d->kind == PAIR && one_in(2)) {
        say(t, "RF_STORE(%s.a, RF_LOAD(%s.a) + 1); RF_STORE(%s.b, RF_LOAD(%s.b) + 1);", d->at,
            d->at, d->at, d->at);
    } else if (d->kind == PAIR) {
        say_of(t, x, "pair $ = RF_LOAD(%s); RF_STORE(%s, (pair){$.a + 1, $.b + 1});", d->at, d->at);
    } else if (d->kind == BYTES) {
        say(t, "RF_READ(%s, sizeof %s); int %s = %s[3] + 1;", d->at, d->at, x, d->at);
        set(t, d, x);
    } else if (one_in(2)) {
        say(t, "RF_STORE(%s, RF_LOAD(%s) + 1);", d->at, d->at);
    } else {
        say(t, "__typeof__(%s) %s = RF_LOAD(%s);", d->at, x, d->at);
        if (one_in(3)) say(t, "RF_LOG(\"step\");");
        say(t, "RF_STORE(%s, %s + 1);", d->at, x);
    }
}

/* Reads it. */
static void look(unsigned t, const datum *d) {
    const char *x = fresh("x");
    switch (d->kind) {
    case PAIR: say_of(t, x, "pair $ = RF_LOAD(%s); RF_ASSERT_EQ($.a, $.b);", d->at); break;
    case BYTES:
        say(t, "RF_READ(%s, sizeof %s); RF_ASSERT_EQ(%s[0], %s[11]);", d->at, d->at, d->at, d->at);
        break;
    default: say_of(t, x, "__typeof__(%s) $ = RF_LOAD(%s); RF_ASSERT_GE($, 0);", d->at, d->at);
    }
}

static void touch(unsigned t, datum *d, bool write) {
    if (write)
        step(t, d);
    else
        look(t, d);
}

/* After the threads have ended: all steps are there. */
static void all_steps(const datum *d) {
    const char *more = d->more ? text_of("rf_atomic_load(&%s)", d->more) : "0";
    if (d->kind == BYTES) {
        after("RF_READ(%s, sizeof %s); RF_ASSERT_EQ(%s[7], %u + %s);", d->at, d->at, d->at,
              d->steps, more);
    } else {
        after("RF_ASSERT_EQ(RF_LOAD(%s)%s, %u + %s);", d->at, d->kind == PAIR ? ".b" : "", d->steps,
              more);
    }
}
#endif

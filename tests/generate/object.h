/* tests/generate/object.h: what a program is made of: objects, whose kinds are tables of scripts.
 *
 *     "a: lock 0 | write 0 | give 0 | b: RF_YIELD();"
 *
 * gives a block to each of two threads.  Its parts are words (see word() below), or code; $ is the
 * name of the object, $_l0 its first lock, $_d0 its first datum, $_child@ the function that `d:`
 * makes.  What a block has opened ends with it.
 */
#ifndef OBJECT_H
#define OBJECT_H
#include "program.h"

enum { LOCKS = 3, STEPS = 5 };

typedef struct object {
    const struct kind *is;
    char name[48];
    const lock_kind *lock[LOCKS];
    const way *held[LOCKS];
    datum datum[THREADS];
    signal signal;
    unsigned owner, to, state, count; /* as the kind likes */
    unsigned open, passes; /* braces of the block; of these: those that may be passed by */
} object;

/* A discipline, which is kept, or a fault, which is planted. */
typedef struct kind {
    const char *name;
    const char *locks, *data; /* a letter each */
    const char *declare, *before, *after, *finally;
    const char *step[STEPS];  /* one of them */
    void (*begin)(object *o); /* what scripts can't tell; NULL: nothing */
    void (*next)(object *o);  /* instead of `step` */
    void (*end)(object *o);
    bool more; /* steps may be left out */
    bool meet; /* nothing predicts it: the threads meet right before */
} kind;

static const char *part_of(const object *o, char what, unsigned n) {
    static char name[2][64];
    char *to = name[what == 'd'];
    snprintf(to, sizeof *name, "%s_%c%u", o->name, what, n);
    return to;
}

static unsigned third_thread(unsigned a, unsigned b) {
    unsigned c = 0;
    while (c == a || c == b) c++;
    return c;
}

/* ---- words ---- */

static void take(object *o, unsigned t, unsigned n, const way *w) {
    o->held[n] = w;
    say(t, part_of(o, 'l', n), w->take);
}

static void give(object *o, unsigned t, unsigned n) {
    const way *w = o->held[n];
    o->passes -= w >= maybe && w < maybe + 2;
    say(t, part_of(o, 'l', n), w->give);
}

/* A mutex, if it is not taken, where steps may be left out: those inside count when they are done.
 */
static void take_maybe(object *o, unsigned t, unsigned n) {
    bool passes = o->datum[0].more && lock_is_mutex(o->lock[n]);
    o->passes += passes;
    take(o, t, n, passes ? &maybe[below(2)] : any_way(o->lock[n], false, false));
}

static void touch(object *o, unsigned t, unsigned n, bool write) {
    datum *d = &o->datum[n];
    const char *name = part_of(o, 'd', n);
    say(t, name, write ? any_of(d->is->write, 3) : d->is->read);
    if (!write) return;
    if (o->passes)
        say(t, name, "rf_atomic_fetch_add_explicit(&$_more, 1, rf_memory_order_relaxed);");
    else
        d->steps += program.times;
}

static void all_meet(object *o) {
    char name[64];
    snprintf(name, sizeof name, "%s_meeting%u", o->name, ++program.names);
    say(DECLARED, name, "static rf_barrier $;");
    say(BEFORE, name, "rf_barrier_init(&$, \"$\", THREADS);");
    for (unsigned t = 0; t < program.threads; t++) say(t, name, "RF_BARRIER_WAIT(&$);");
}

/* As often as "count" stood. */
static void say_counted(const object *o, unsigned t, const char *code) {
    char sum[128];
    snprintf(sum, sizeof sum, "RF_ASSERT_EQ(%s, %u);", code + strlen("counted"), o->count);
    say(t, o->name, sum);
}

static void open_braces(object *o, unsigned t, const char *code) {
    say(t, o->name, code);
    o->open++;
}

static void loop(object *o, unsigned t) {
    program.times = 2 + below(2);
    open_braces(o, t,
                program.times == 2 ? "for (int i = 0; i < 2; i++) {"
                                   : "for (int i = 0; i < 3; i++) {");
}

/* Code, or a word: */
static void word(object *o, unsigned t, unsigned b, const char *code) {
    char w[16];
    unsigned n = 0;
    if (sscanf(code, " %15[a-z] %u", w, &n) < 1) *w = 0;
#define WORD(name, does) \
 if (!strcmp(w, name)) { \
  does;                  \
  return;                \
 }
    WORD("take", take(o, t, n, any_way(o->lock[n], false, false))) /* in any way */
    WORD("lock", take(o, t, n, any_way(o->lock[n], false, true)))  /* plainly */
    WORD("share", take(o, t, n, any_way(o->lock[n], true, false))) /* to read, in any way */
    WORD("rdlock", take(o, t, n, any_way(o->lock[n], true, true))) /* to read, plainly */
    WORD("maybe", take_maybe(o, t, n))                             /* if it is not taken */
    WORD("give", give(o, t, n))
    WORD("write", touch(o, t, n, true))
    WORD("read", touch(o, t, n, false))
    WORD("touch", touch(o, t, n, !one_in(3)))
    WORD("sum", datum_sum(&o->datum[n], part_of(o, 'd', n)))
    WORD("send", signal_send(&o->signal, t, other_thread(b)))
    WORD("await", signal_wait(&o->signal, t))
    WORD("meet", all_meet(o))
    WORD("count", o->count += program.times)
    WORD("counted", say_counted(o, t, code))
    WORD("loop", if (one_in(3)) loop(o, t))
    WORD("block", open_braces(o, t, "RF_ATOMIC_BLOCK(\"$_block@\") {"))
    /* that is atomic: all it shares is touched under locks which are all taken before the first is
     * given back */
    WORD("atomic", if (one_in(3)) open_braces(o, t, "RF_ATOMIC_BLOCK(\"$_block@\") {"))
    WORD("pause", if (one_in(3)) say(t, "", "RF_YIELD();"))
    WORD("log", if (one_in(3)) say(t, "", "RF_LOG(\"has one\");"))
    say(t, o->name, code);
}

/* ---- scripts ---- */

static void block_begin(object *o, unsigned t) {
    if (t == DECLARED) say(t, o->name, "static void *$_child@(void *arg) { enum { ME = THREADS };");
    if (t < THREADS) say(t, "", "{");
}

static void block_end(object *o, unsigned t) {
    for (; o->open; o->open--) say(t, "", "}");
    if (t == DECLARED) say(t, "", "return arg; }");
    if (t < THREADS) say(t, "", "}");
    program.times = 1;
}

/* Threads a and b do what it says; c is another one, d a function. */
static void does(object *o, unsigned a, unsigned b, const char *script) {
    unsigned who[] = {a, b, a < THREADS ? third_thread(a, b) : a, DECLARED}, t = a;
    bool begun = false;
    program.steps++;
    for (const char *s = script; s && *s; s += strcspn(s, "|"), s += *s == '|') {
        char code[1024];
        s += strspn(s, " ");
        if (s[0] >= 'a' && s[0] <= 'd' && s[1] == ':') {
            if (begun) block_end(o, t);
            begun = false;
            t = who[s[0] - 'a'];
            s += 2;
        }
        if (!begun) block_begin(o, t);
        begun = true;
        snprintf(code, sizeof code, "%.*s", (int)strcspn(s, "|"), s);
        word(o, t, t == b ? a : b, code);
    }
    if (begun) block_end(o, t);
}

static void object_begin(object *o, const kind *is) {
    memset(o, 0, sizeof *o);
    o->is = is;
    snprintf(o->name, sizeof o->name, "p%u_%s%u", program.number, is->name, ++program.names);
    bool more = is->more && (is->locks[1] || one_in(2));
    for (unsigned i = 0; is->locks && is->locks[i]; i++)
        o->lock[i] = lock_new(is->locks[i], part_of(o, 'l', i));
    for (unsigned i = 0; is->data && is->data[i]; i++)
        o->datum[i] = datum_new(is->data[i], part_of(o, 'd', i), more);
    say(DECLARED, o->name, is->declare);
    say(BEFORE, o->name, is->before);
    say(FINALLY, o->name, is->finally);
    if (is->begin) is->begin(o);
}

static void object_step(object *o) {
    unsigned t = any_thread();
    if (o->is->next)
        o->is->next(o);
    else
        does(o, t, other_thread(t), any_of(o->is->step, STEPS));
}

static void object_end(object *o) {
    if (o->is->end) o->is->end(o);
    does(o, AFTER, AFTER, o->is->after);
}
#endif

/* tests/script.h: programs as text, so that a row of a table holds a program and what is known of
 * it.
 *
 *     "lock m; loop { racyR f; until = 1; wait c m }; unlock m | racyW f 1; signal c"
 *
 * is two threads, which the body of the test starts and joins.  A word is an operation, see
 * SCRIPT_WORDS; a letter means an object of the kind that its word takes, new in each execution.
 * A number may be `it`, what the thread has got last (what it read, or whether it got a lock), or
 * `it+1`; `kept`, which is what that was at `keep`; or `$`, which is script_number.
 *
 *     if = 1 { ... }, until = 1              by what was got last; also < > !
 *     loop { ... }, times 3 { ... }
 *     block name { ... }, func name { ... }  RF_ATOMIC_BLOCK; a function with RF_FUNC
 *     body: start; start; join | ... | ...   a body of its own: `start` is the next thread's,
 * `join` is for all that were started
 *     @3 lock m                              line_of[3] is the line of this statement
 *
 * Each statement of all programs has a line of its own.
 */
#ifndef SCRIPT_H
#define SCRIPT_H
#include "schedules.h"

enum { SCRIPT_THREADS = 12, SCRIPT_STEPS = 64 };

typedef struct script_step {
    const struct script_word *word;
    void *object[2];
    int64_t number;
    enum { SCRIPT_PLAIN, SCRIPT_IT, SCRIPT_KEPT, SCRIPT_PARAMETER } base; /* added to the number */
    char text[32], opens;                                                 /* its first letter */
    uint32_t other; /* of what has a block: its end; of an end: its beginning; of until: the end */
    unsigned mark;
    rf_site site;
} script_step;

typedef struct script_program {
    const char *text;
    script_step step[SCRIPT_THREADS][SCRIPT_STEPS];
    uint32_t steps[SCRIPT_THREADS], threads;
    bool body; /* thread 0 is the body of the test */
} script_program;

typedef struct script_run {
    const script_step *step;
    uint32_t at, count[SCRIPT_STEPS];
    int64_t it, kept;
    rfi_scope scope[8];
    uint32_t scopes;
} script_run;

static int64_t script_number;
static void (*script_after)(void); /* at the end of each execution, or NULL */
static const script_program *script_now;
static uint32_t script_part, script_started, script_joined;
static rf_thread script_self, script_thread[128];

static struct {
    rf_mutex m[26];
    rf_rwlock r[26];
    rf_spin q[26];
    rf_cond c[26];
    rf_sem s[26];
    rf_barrier b[26];
    rf_once o[26];
    int v[26];
    _Atomic int a[26];
} script_objects;

/* ---- what the words do ---- */

static void *script_thread_does(void *step);

static inline bool script_armed(const rf_site *s) {
    return rfi_hot.arm[s->slot] || --rfi_hot.fuel < 0;
}

static inline int script_load(const rf_site *s, const int *p) {
    int v = *p;
    if (script_armed(s)) rfi_load(s, p, sizeof v, &v);
    return v;
}

static inline void script_store(const rf_site *s, int *p, int64_t n) {
    int v = (int)n;
    if (script_armed(s))
        rfi_store(s, p, sizeof v, &v);
    else
        *p = v;
}

static inline void script_own_steps(const rf_site *s, int64_t n) {
    int mine = 0;
    for (int i = 0; i < n; i++) script_store(s, &mine, i);
}

static inline int script_atomic_load(const rf_site *s, const void *p, int order) {
    int v;
    rfi_atomic_load(s, p, sizeof v, order, &v);
    return v;
}

static inline void script_atomic_store(const rf_site *s, void *p, int64_t n, int order) {
    int v = (int)n;
    rfi_atomic_store(s, p, sizeof v, order, &v);
}

static inline int script_atomic_add(const rf_site *s, void *p, int64_t n) {
    int old = (int)rfi_fetch_begin(s, p, sizeof old, __ATOMIC_SEQ_CST);
    rfi_fetch_end((uint64_t)(old + n), sizeof old);
    return old;
}

static inline int script_atomic_swap(const rf_site *s, void *p, int64_t n) {
    int old = (int)rfi_fetch_begin(s, p, sizeof old, __ATOMIC_SEQ_CST);
    rfi_fetch_end((uint64_t)n, sizeof old);
    return old;
}

/* To the number after n; *kept is what was there. */
static inline bool script_atomic_cas(const rf_site *s, void *p, int64_t n, int64_t *kept) {
    int old = (int)n, v = old + 1;
    bool done = rfi_cas(s, p, sizeof v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST, &old, &v);
    *kept = old;
    return done;
}

static inline void script_start(const rf_site *s, bool again) {
    script_part += !again;
    const script_step *first = script_now->step[script_part - !script_now->body];
    script_thread[script_started++] = rfi_create(s, script_thread_does, (void *)(uintptr_t)first);
}

static inline void script_join(const rf_site *s) {
    while (script_joined < script_started) (void)rfi_join(s, script_thread[script_joined++]);
}

static void script_nothing(void) {}

/* Which of the six orders three digits are in, as `digit` has put them. */
static inline int script_order(int v) { return v / 9 * 2 + (v / 3 % 3 > v % 3); }

static inline bool script_compare(const script_step *s, int64_t it, int64_t n) {
    switch (*s->text) {
    case '<': return it < n;
    case '>': return it > n;
    case '!': return it != n;
    default: return it == n;
    }
}

/* The end of what begins at s->other. */
static inline void script_close(script_run *r, const script_step *s) {
    const script_step *begin = &r->step[s->other];
    if (begin->opens == 'f') rfi_func_end(&r->scope[--r->scopes]);
    if (begin->opens == 'b') rfi_atomic_end(&(rfi_atomic_block){&begin->site, true});
    if (begin->opens == 'l' || (begin->opens == 't' && --r->count[s->other])) r->at = s->other + 1;
}

/* A word, its operands, what it does with p and q, n, and a text; m, r, q, c, s, v and a are the
 * script_objects (V and A: are read), n is a number, t a text. */
#define SCRIPT_WORDS(WORD)                                                           \
 WORD(lock, "m", rfi_mutex_lock(at, p))                                              \
 WORD(try, "m", *it = rfi_mutex_trylock(at, p))                                      \
 WORD(timed, "mn", *it = rfi_mutex_timedlock(at, p, (uint64_t)n))                    \
 WORD(unlock, "m", rfi_mutex_unlock(at, p))                                          \
 WORD(mutex, "mtn", rfi_mutex_init(at, p, text, (int)n))                             \
 WORD(mutex_destroy, "m", rfi_mutex_destroy(at, p))                                  \
 WORD(tryrd, "r", *it = rfi_rwlock_tryrdlock(at, p))                                 \
 WORD(trywr, "r", *it = rfi_rwlock_trywrlock(at, p))                                 \
 WORD(rdlock, "r", rfi_rwlock_rdlock(at, p))                                         \
 WORD(wrlock, "r", rfi_rwlock_wrlock(at, p))                                         \
 WORD(rwunlock, "r", rfi_rwlock_unlock(at, p))                                       \
 WORD(rwlock, "r", rfi_rwlock_init(at, p, text + 1))                                 \
 WORD(rwlock_destroy, "r", rfi_rwlock_destroy(at, p))                                \
 WORD(spinlock, "q", rfi_spin_init(at, p, text + 1))                                 \
 WORD(spinlock_destroy, "q", rfi_spin_destroy(at, p))                                \
 WORD(spin, "q", rfi_spin_lock(at, p))                                               \
 WORD(tryspin, "q", *it = rfi_spin_trylock(at, p))                                   \
 WORD(unspin, "q", rfi_spin_unlock(at, p))                                           \
 WORD(wait, "cm", rfi_cond_wait(at, p, q))                                           \
 WORD(timedwait, "cmn", *it = rfi_cond_timedwait(at, p, q, (uint64_t)n))             \
 WORD(signal, "c", rfi_cond_signal(at, p))                                           \
 WORD(broadcast, "c", rfi_cond_broadcast(at, p))                                     \
 WORD(waiters, "c", *it = ((rf_cond *)p)->object.waiters)                            \
 WORD(cond, "c", rfi_cond_init(at, p, text + 1))                                     \
 WORD(cond_destroy, "c", rfi_cond_destroy(at, p))                                    \
 WORD(sem_destroy, "s", rfi_sem_destroy(at, p))                                      \
 WORD(trytake, "s", *it = rfi_sem_trywait(at, p))                                    \
 WORD(timedtake, "sn", *it = rfi_sem_timedwait(at, p, (uint64_t)n))                  \
 WORD(sem, "sn", rfi_sem_init(at, p, text + 1, (uint32_t)n))                         \
 WORD(take, "s", rfi_sem_wait(at, p))                                                \
 WORD(post, "s", rfi_sem_post(at, p))                                                \
 WORD(barrier, "bn", rfi_barrier_init(at, p, text + 1, (uint32_t)n))                 \
 WORD(arrive, "b", *it = rfi_barrier_wait(at, p))                                    \
 WORD(arrived, "b", *it = ((rf_barrier *)p)->arrived)                                \
 WORD(barrier_destroy, "b", rfi_barrier_destroy(at, p))                              \
 WORD(once, "o", rfi_once(at, p, script_nothing))                                    \
 WORD(fresh_once, "o", rfi_once_init(at, p, text + 1))                               \
 WORD(once_destroy, "o", rfi_once_destroy(at, p))                                    \
 WORD(garbage, "", memset(&script_objects, 0x5a, sizeof script_objects))             \
 WORD(bytes_1, "", memset(&script_objects, 0x01, sizeof script_objects))             \
 WORD(bytes_ff, "", memset(&script_objects, 0xff, sizeof script_objects))            \
 WORD(R, "V", *it = script_load(at, p))                                              \
 WORD(W, "vn", script_store(at, p, n))                                               \
 WORD(racyR, "V", rfi_racy_load(at, p, sizeof(int), &v), *it = v)                    \
 WORD(racyW, "vn", v = (int)n, rfi_racy_store(at, p, sizeof(int), &v))               \
 WORD(peek, "v", *it = *(const int *)p)                                              \
 WORD(digit, "vn", *(int *)p = *(int *)p * 3 + (int)n)                               \
 WORD(bit, "vn", *(int *)p = *(int *)p * 2 + (int)n)                                 \
 WORD(note, "v", *(int *)p |= 1 << rfi_self().id)                                    \
 WORD(quietly, "vn", *(int *)p = (int)n)                                             \
 WORD(hint, "", rfi_yield(at))                                                       \
 WORD(now, "", *it = (int64_t)rfi.run.now)                                           \
 WORD(sleep, "n", rfi_sleep(at, (uint64_t)n))                                        \
 WORD(own, "n", script_own_steps(at, n))                                             \
 WORD(load, "A", *it = script_atomic_load(at, p, __ATOMIC_SEQ_CST))                  \
 WORD(store, "an", script_atomic_store(at, p, n, __ATOMIC_SEQ_CST))                  \
 WORD(relaxed_load, "A", *it = script_atomic_load(at, p, __ATOMIC_RELAXED))          \
 WORD(relaxed_store, "an", script_atomic_store(at, p, n, __ATOMIC_RELAXED))          \
 WORD(acquire_load, "A", *it = script_atomic_load(at, p, __ATOMIC_ACQUIRE))          \
 WORD(release_store, "an", script_atomic_store(at, p, n, __ATOMIC_RELEASE))          \
 WORD(choose, "n", *it = rfi_choose(at, (uint32_t)n))                                \
 WORD(add, "an", *it = script_atomic_add(at, p, n))                                  \
 WORD(swap, "an", *it = script_atomic_swap(at, p, n))                                \
 WORD(cas, "an", *it = script_atomic_cas(at, p, n, &r->kept))                        \
 WORD(set, "tvv", rfi_atomic_set(at, text, p, sizeof(int), q, sizeof(int)))          \
 WORD(break, "tv", rfi_breakpoint(at, text, p, false))                               \
 WORD(first, "tv", rfi_breakpoint(at, text, p, true))                                \
 WORD(yield, "", rfi_yield(at))                                                      \
 WORD(fail, "t", rfi_fail_test(at, RF_DIAG_FAIL, "%s", text))                        \
 WORD(again, "", script_start(at, true))                                             \
 WORD(start, "", script_start(at, false))                                            \
 WORD(detach, "", rfi_detach(at, script_thread[script_joined++]))                    \
 WORD(join, "", script_join(at))                                                     \
 WORD(join_first, "", (void)rfi_join(at, script_thread[0]))                          \
 WORD(detach_first, "", rfi_detach(at, script_thread[0]))                            \
 WORD(join_last, "", (void)rfi_join(at, script_thread[--script_started]))            \
 WORD(join_body, "", (void)rfi_join(at, script_self))                                \
 WORD(see, "n", seen[n]++)                                                           \
 WORD(order, "v", *it = script_order(*(const int *)p))                               \
 WORD(recall, "", *it = r->kept)                                                     \
 WORD(skip, "", rfi_skip_test(at, "ends here"))                                      \
 WORD(keep, "", r->kept = *it)                                                       \
 WORD(if, "tn", if (!script_compare(s, *it, n)) r->at = s->other + 1)                \
 WORD(until, "tn", if (script_compare(s, *it, n)) r->at = s->other + 1)              \
 WORD(loop, "", (void)0)                                                             \
 WORD(times, "n", r->count[s - r->step] = (uint32_t)n; if (!n) r->at = s->other + 1) \
 WORD(func, "t", r->scope[r->scopes++] = rfi_func_begin(at))                         \
 WORD(block, "t", (void)rfi_atomic_begin(at, text))                                  \
 WORD(end, "", script_close(r, s))

#define SCRIPT_FUNCTION(word, operands, ...)                                               \
 RFI_UNUSED static void script_do_##word(script_run *r, const script_step *s, int64_t n) { \
  const rf_site *at = &s->site;                                                            \
  const char *text = s->text;                                                              \
  void *p = s->object[0], *q = s->object[1];                                               \
  int64_t *it = &r->it;                                                                    \
  int v = 0;                                                                               \
  (void)at, (void)text, (void)p, (void)q, (void)n, (void)it, (void)v;                      \
  __VA_ARGS__;                                                                             \
 }
SCRIPT_WORDS(SCRIPT_FUNCTION)

#define SCRIPT_ROW(word, operands, ...) {#word, operands, script_do_##word},
static const struct script_word {
    const char *name, *operands;
    void (*does)(script_run *, const script_step *, int64_t number);
} script_words[] = {SCRIPT_WORDS(SCRIPT_ROW){NULL, NULL, NULL}};

static void *script_thread_does(void *step) {
    script_run r = {.step = step};
    while (r.step[r.at].word) {
        const script_step *s = &r.step[r.at++];
        const int64_t base[] = {0, r.it, r.kept, script_number};
        s->word->does(&r, s, base[s->base] + s->number);
    }
    return NULL;
}

RF_TEST(script) {
    memset(&script_objects, 0, sizeof script_objects);
    script_self = rfi_self();
    script_part = script_started = script_joined = 0;
    if (script_now->body) {
        (void)script_thread_does((void *)(uintptr_t)script_now->step[0]);
    } else {
        static const rf_site starts = RFI_SITE_INIT(RF_SITE_OTHER, "start");
        static const rf_site joins = RFI_SITE_INIT(RF_SITE_OTHER, "join");
        while (script_started < script_now->threads) script_start(&starts, false);
        script_join(&joins);
    }
    if (script_after) script_after();
}

/* ---- reading ---- */

static inline void *script_object(char kind, char letter) {
    unsigned i = (unsigned)(letter - 'a') % 26;
    switch (rfi_lower(kind)) {
    case 'm': return &script_objects.m[i];
    case 'r': return &script_objects.r[i];
    case 'q': return &script_objects.q[i];
    case 'c': return &script_objects.c[i];
    case 's': return &script_objects.s[i];
    case 'b': return &script_objects.b[i];
    case 'o': return &script_objects.o[i];
    case 'v': return &script_objects.v[i];
    default: return (void *)(uintptr_t)&script_objects.a[i];
    }
}

/* The next token, without what separates it; one of ; { } | is a token, too. */
static inline const char *script_token(const char *from, char token[32]) {
    from += strspn(from, " ");
    size_t n = strcspn(from, " ;{}|");
    if (!n) n = *from != 0;
    snprintf(token, 32, "%.*s", (int)n, from);
    return from + n;
}

static inline void script_operand(script_step *s, unsigned i, const char *token) {
    static const char *const base[] = {"", "it", "kept", "$"};
    char kind = s->word->operands[i];
    if (kind == 't') {
        snprintf(s->text, sizeof s->text, "%s", token);
    } else if (kind != 'n') {
        s->object[s->object[0] != NULL] = *token == '-' ? NULL : script_object(kind, *token);
        if (!i) snprintf(s->text, sizeof s->text, "%s%s", rfi_lower(kind) == 'v' ? "" : "&", token);
    } else {
        for (unsigned b = SCRIPT_IT; b <= SCRIPT_PARAMETER; b++)
            if (!strncmp(token, base[b], strlen(base[b]))) s->base = b, token += strlen(base[b]);
        s->number = strtoll(token, NULL, 10);
    }
}

static inline void script_place(script_step *s) {
    static uint32_t line;
    char kind = *s->word->operands;
    bool access = kind && strchr("vVaA", kind);
    uint8_t site = !access ? RF_SITE_OTHER : kind < 'a' ? RF_SITE_READ : RF_SITE_WRITE;
    if (!*s->text) snprintf(s->text, sizeof s->text, "%s", s->word->name);
    line++;
    s->site = (rf_site){.file = __BASE_FILE__,
                        .function = "script",
                        .text = s->text,
                        .line = line,
                        .slot = (uint16_t)((line * 2 + site) & (RFI_SLOTS - 1)),
                        .kind = site};
    if (s->word->does != script_do_func) return;
    s->site.function = s->text;
    s->site.text = "RF_FUNC";
}

/* One statement, from its mark or word to what ends it. */
static inline const char *script_statement(script_program *p, const char *from, uint32_t open[8],
                                           unsigned *depth) {
    char token[32];
    uint32_t at = p->steps[p->threads]++;
    script_step *step = p->step[p->threads], *s = &step[at];
    if (at + 1 == SCRIPT_STEPS || *depth == 7) rfi_die("too long: %s", p->text);
    from = script_token(from, token);
    if (*token == '@') {
        s->mark = (unsigned)(token[1] - '0');
        from = script_token(from, token);
    }
    if (*token == '}') strcpy(token, "end");
    for (s->word = script_words; strcmp(s->word->name, token) != 0; s->word++)
        if (!s->word[1].name) rfi_die("no word \"%s\": %s", token, p->text);
    for (unsigned i = 0; s->word->operands[i]; i++) {
        from = script_token(from, token);
        script_operand(s, i, token);
    }
    script_place(s);
    s->other = *depth ? open[*depth - 1] : 0;
    if (s->word->does == script_do_end) {
        step[s->other].other = at;
        for (uint32_t i = s->other; i < at; i++)
            if (step[i].word->does == script_do_until && step[i].other == s->other)
                step[i].other = at;
        --*depth;
        return from;
    }
    const char *next = script_token(from, token);
    if (*token == '{') {
        s->opens = *s->word->name;
        open[(*depth)++] = at;
        return next;
    }
    return from;
}

static inline const script_program *script_read(const char *text) {
    char token[32];
    uint32_t open[8];
    unsigned depth = 0;
    script_program *p = calloc(1, sizeof *p);
    if (!p) exit(1);
    p->text = strdup(text);
    p->body = !strncmp(text, "body: ", 6);
    for (const char *from = text + 6 * p->body; *from;) {
        const char *next = script_token(from, token);
        if (*token == '|') p->threads++;
        if (!*token || *token == ';' || *token == '|')
            from = next;
        else
            from = script_statement(p, from, open, &depth);
    }
    p->threads++;
    return p;
}

/* Makes a program the one that the test named "script" runs. */
static inline void script_is(const char *text, bool no_spurious) {
    static const script_program *all[256];
    unsigned i = 0;
    if (all[RFI_LENGTH(all) - 1]) rfi_die("more programs than script.h can hold");
    while (all[i] && strcmp(all[i]->text, text) != 0) i++;
    if (!all[i]) all[i] = script_read(text);
    script_now = all[i];
    rfi_test_named("script")->options.no_spurious = no_spurious;
    for (uint32_t t = 0; t < script_now->threads; t++)
        for (const script_step *s = script_now->step[t]; s->word; s++)
            if (s->mark) line_of[s->mark] = s->site.line;
}

/* ---- tables of programs and what their schedules show ---- */

typedef struct script_row {
    const char *name, *program;
    enum { PASS, FAIL, FAIL_ALWAYS, FAIL_FINE } how;
    rf_diagnostic diagnostic;
    unsigned at; /* the mark of the place */
    const char *message;
    uint32_t max_steps;
    unsigned outcomes; /* that are seen, if it passes; 0: any */
    bool spurious;
} script_row;

/* No execution of the program fails; and outcomes 0 to n - 1 are seen, no others; some of them, or
 * all, fail in one way, at a mark with a message; some with fine granularity. */
#define PASS_ROW(called, ...) \
 { .name = (called), .program = __VA_ARGS__ }
#define REACH_ROW(n, called, ...) \
 { .outcomes = (n), .name = (called), .program = __VA_ARGS__ }
#define FAIL_ROW_OF(way, called, is, d, mark, ...)                                          \
 {                                                                                          \
  .how = (way), .name = (called), .program = (is), .diagnostic = RF_DIAG_##d, .at = (mark), \
  .message = __VA_ARGS__                                                                    \
 }
#define FAIL_ROW(...)        FAIL_ROW_OF(FAIL, __VA_ARGS__)
#define FAIL_ALWAYS_ROW(...) FAIL_ROW_OF(FAIL_ALWAYS, __VA_ARGS__)
#define FAIL_FINE_ROW(...)   FAIL_ROW_OF(FAIL_FINE, __VA_ARGS__)

static inline void script_rows(const script_row *row, unsigned n) {
    for (const script_row *r = row; r < row + n; r++) {
        script_is(r->program, !r->spurious);
        rfi_test_named("script")->options.max_steps = r->max_steps;
        claim shown = {.test = "script",
                       .message = r->message,
                       .diagnostic = r->diagnostic,
                       .at = r->at,
                       .outcomes = r->outcomes,
                       .always = r->how == FAIL_ALWAYS,
                       .fine_only = r->how == FAIL_FINE};
        lab_check(holds(&shown), r->name, why);
    }
    rfi_test_named("script")->options.max_steps = 0;
}
#endif

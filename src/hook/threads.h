/* hook/threads.h: the threads of POSIX: their life, their keys, their end.
 *
 * A thread runs below a frame of ours, to which pthread_exit goes back.  Of its attributes it has
 * the detach state, and a stack of the size, where the usual one is smaller.
 * Optimised: less, many operations run it.
 */
#ifndef RFI_HOOK_THREADS_H
#define RFI_HOOK_THREADS_H
#include "engine/heap.h"
#include "engine/interrupt.h"
#include "engine/priority.h"
#include "hook/compiler.h"

#ifdef RFI_IMPL
/* A thread's value of a key. */
typedef struct rfi_hook_value {
    void *value;
    uint32_t made; /* of the key: one that was made anew has no values */
} rfi_hook_value;

/* What a thread has beside what the engine knows; zero at its start. */
typedef struct rfi_hook_thread {
    jmp_buf end; /* to the frame below all others */
    bool framed;
    void *result;
    void *unwind;          /* the newest cleanup handler: a __pthread_unwind_buf_t */
    rfi_hook_value *value; /* by key */
    uint32_t values;
    rf_sem interrupts; /* counts calls of pthread_cancel */
    bool cancelled;
    int cancel_state, cancel_type;
    rf_mutex *held; /* of a file that it uses, until it has done so, or is cancelled */
    uint32_t ignores_reads, ignores_writes; /* as annotations say */
    uint64_t looked; /* the step + 1 in which it last looked in rfi_hook_await; 0: it isn't there */
    const struct rfi_hook_world *world; /* what it waits for there */
    uint64_t clock;                     /* the time + 1 that it saw when it looked last, */
    uint32_t clock_looks;               /* so many times in a row; */
    int64_t clock_idle; /* how long the process had waited for something, for real, when it did */
    long clock_waits;   /* so the first time, and how often */
    uint64_t blocked;   /* signals, bit n - 1 (signals.h): the mask; */
    unsigned ran;       /* what handlers have ended its wait, or begin it again; */
    rf_mutex *level;    /* for each, held while it is blocked; */
    struct rfi_sig_frame *frames; /* handlers on its stack, the newest first */
    struct rfi_sig_count *counts; /* for each signal, what was sent to it (catches.h); */
    bool catches;                 /* it waits for one of them, or of the process's */
    bool waited;                  /* for what is outside, until its last step */
    char name[16];
    int policy;
    struct sched_param priority;
    cpu_set_t *processors;        /* NULL: all */
    struct rfi_hook_local *local; /* its own objects of C++, the newest first */
} rfi_hook_thread;

RFI_VAR rfi_tls rfi_hook_thread_key = {sizeof(rfi_hook_thread), 0};

RFI_FN rfi_hook_thread *rfi_hook_self(void) { return rfi_tls_ptr(&rfi_hook_thread_key); }
RFI_FN rfi_hook_thread *rfi_hook_of(rfi_thr *t) { return rfi_tls_of(t, &rfi_hook_thread_key); }

/* What is known of a thread, whether it has ended or not, is about to be read or changed. */
RFI_FN rfi_hook_thread *rfi_hook_known(const rf_site *s, const char *name, rfi_thr *u) {
    rfi_hook_thread *h = rfi_hook_of(u);
    rfi_call(s, name, h, RF_EV_READS | RF_EV_WRITES);
    return h;
}

/* ---- keys ---- */

typedef struct rfi_hook_key {
    void (*destroy)(void *);
    uint32_t generation; /* 0: made before all executions */
    uint32_t made;       /* counts the keys that had this number */
    bool taken;
} rfi_hook_key;

RFI_VAR rfi_hook_key *rfi_hook_keys;
RFI_VAR uint32_t rfi_hook_key_count, rfi_hook_key_capacity;

RFI_FN bool rfi_hook_key_valid(uint32_t i) {
    if (i >= rfi_hook_key_count) return false;
    const rfi_hook_key *k = &rfi_hook_keys[i];
    return k->taken && (!k->generation || k->generation == rfi.generation);
}

RFI_FN int rfi_hook_key_new(const rf_site *s, pthread_key_t *key, void (*destroy)(void *)) {
    uint32_t i = 0;
    rfi_call(s, "pthread_key_create", &rfi_hook_keys, RF_EV_WRITES);
    while (i < rfi_hook_key_count && rfi_hook_key_valid(i)) i++;
    if (i == PTHREAD_KEYS_MAX) return EAGAIN;
    rfi_hook_keys = rfi_grow(rfi_hook_keys, &rfi_hook_key_capacity, i + 1, sizeof *rfi_hook_keys);
    uint32_t made = i < rfi_hook_key_count ? rfi_hook_keys[i].made + 1 : 1;
    rfi_hook_keys[i] = (rfi_hook_key){destroy, rfi.current ? rfi.generation : 0, made, true};
    if (i == rfi_hook_key_count) rfi_hook_key_count++;
    *key = (pthread_key_t)i;
    return 0;
}

int RFI_HOOK(pthread_key_create)(pthread_key_t *key, void (*destroy)(void *)) {
    pthread_key_t made = 0;
    int error = rfi_hook_key_new(RFI_CALLER(), &made, destroy);
    if (!error) RFI_PUT(key, made);
    return error;
}

RFI_FN int rfi_hook_key_drop(const rf_site *s, pthread_key_t key) {
    rfi_call(s, "pthread_key_delete", &rfi_hook_keys, RF_EV_WRITES);
    if (!rfi_hook_key_valid((uint32_t)key)) return EINVAL;
    rfi_hook_keys[key].taken = false;
    return 0;
}

int RFI_HOOK(pthread_key_delete)(pthread_key_t key) { return rfi_hook_key_drop(RFI_CALLER(), key); }

/* NULL: it has none. */
RFI_FN rfi_hook_value *rfi_hook_value_of(const rfi_hook_thread *t, uint32_t i) {
    if (i >= t->values || !rfi_hook_key_valid(i)) return NULL;
    return t->value[i].made == rfi_hook_keys[i].made ? &t->value[i] : NULL;
}

void *RFI_HOOK(pthread_getspecific)(pthread_key_t key) {
    RFI_HOOK_ENTERED();
    const rfi_hook_value *v = rfi_hook_value_of(rfi_hook_self(), (uint32_t)key);
    return v ? v->value : NULL;
}

int RFI_HOOK(pthread_setspecific)(pthread_key_t key, const void *value) {
    RFI_HOOK_ENTERED();
    rfi_hook_thread *t = rfi_hook_self();
    uint32_t i = (uint32_t)key;
    if (!rfi_hook_key_valid(i)) return EINVAL;
    if (i >= t->values) {
        uint32_t n = i + 8;
        rfi_hook_value *values = rfi.current ? rfi_arena_take(&rfi.arena, n * sizeof *values)
                                             : calloc(n, sizeof *values);
        if (!values) return ENOMEM;
        memset(values, 0, n * sizeof *values);
        if (t->values) memcpy(values, t->value, t->values * sizeof *values);
        t->value = values;
        t->values = n;
    }
    t->value[i] = (rfi_hook_value){(void *)(uintptr_t)value, rfi_hook_keys[i].made};
    return 0;
}

/* Destructors may set values again: some rounds. */
RFI_FN void rfi_hook_keys_destroy(rfi_hook_thread *t) {
    bool again = true;
    for (unsigned round = 0; again && round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
        again = false;
        for (uint32_t i = 0; i < t->values; i++) {
            rfi_hook_value *v = rfi_hook_value_of(t, i);
            void *value = v ? v->value : NULL;
            if (!value || !rfi_hook_keys[i].destroy) continue;
            again = true;
            v->value = NULL;
            rfi_hook_keys[i].destroy(value);
        }
    }
}

/* ---- objects of C++ that each thread has of its own (cxx.h) ---- */

/* What the C++ library is to destroy, and the statement that has said so. */
typedef struct rfi_hook_object {
    void (*destroy)(void *);
    void *object;
    const void *by;
} rfi_hook_object;

typedef struct rfi_hook_local {
    rfi_hook_object its;
    struct rfi_hook_local *older;
} rfi_hook_local;

/* What functions of the library do there counts as that statement's. */
RFI_FN void rfi_hook_destroy(const rfi_hook_object *o) {
    rfi_thr *t = rfi_symbols.cxx ? rfi.current : NULL;
    if (t) rfi_function_enter(t, o->by);
    o->destroy(o->object);
    if (t) rfi_function_leave(t);
}

/* A destructor may make others. */
RFI_FN void rfi_hook_locals_destroy(rfi_hook_thread *t) {
    for (rfi_hook_local *l; (l = t->local);) {
        t->local = l->older;
        rfi_hook_destroy(&l->its);
    }
}

/* ---- threads ---- */

typedef struct rfi_hook_start {
    void *(*fn)(void *);
    int (*whole)(void *); /* of C11, if fn is NULL */
    void *arg;
    const void *called; /* the function that reports name; NULL: this one */
} rfi_hook_start;

/* Called when the last thread of an execution is about to end; may be NULL. */
RFI_VAR void (*rfi_hook_last)(void);

/* Called by a thread that ends, for robust mutexes; NULL: there is none. */
RFI_VAR void (*rfi_hook_leaves)(rfi_thr *t);

/* The same, for signals: where it begins, where it ends, where it leaves its handlers. */
RFI_VAR void (*rfi_hook_masked)(void), (*rfi_hook_unmasked)(void), (*rfi_hook_unwound)(void);

/* Runs a thread, or a test's body, so that pthread_exit can end it from anywhere. */
RFI_FN void *rfi_hook_run(void *start) {
    const rfi_hook_start *s = start;
    rfi_hook_thread *t = rfi_hook_self();
    t->framed = true;
    if (RFI_UNLIKELY(t->blocked && rfi_hook_masked)) rfi_hook_masked();
    if (!_setjmp(t->end)) t->result = s->fn ? s->fn(s->arg) : (void *)(intptr_t)s->whole(s->arg);
    rfi_hook_locals_destroy(t);
    rfi_hook_keys_destroy(t);
    if (RFI_UNLIKELY(rfi_hook_leaves != NULL)) rfi_hook_leaves(rfi.current);
    if (RFI_UNLIKELY(rfi_hook_unmasked != NULL)) rfi_hook_unmasked();
    if (RFI_UNLIKELY(rfi.strategy->values && rfi.current->id))
        rfi_call_about(rfi.current->next.site, NULL, rfi.current); /* it ends */
    if (rfi.run.live == rfi.run.sources + 1 && rfi_hook_last) rfi_hook_last();
    return t->result;
}

/* How far a thread has come is about to be looked at.  Who knows memory himself knows of those that
 * run here when they end. */
RFI_FN rfi_thr *rfi_hook_ends(const char *name, rfi_thr *u) {
    if (u->id && u->fn != rfi_hook_run) rfi.run.meddles = name;
    return u;
}

RFI_FN void rfi_hook_about(const rf_site *s, const char *name, rfi_thr *u) {
    rfi_call_about(s, name, rfi_hook_ends(name, u));
}

/* ---- handles, and what the kernel calls threads ----
 *
 * A thread is known by its number.  Where the heap gives freed memory out again, so do these: a new
 * thread has the number of the newest one that has ended and was joined or detached. */
typedef struct rfi_hook_number {
    uint32_t thread; /* that has this number, */
    uint32_t own;    /* and the number of the thread with this one */
} rfi_hook_number;

RFI_VAR struct {
    uint32_t generation, count, capacity;
    rfi_hook_number *of;
} rfi_hook_numbers;

RFI_FN rfi_hook_number *rfi_hook_number_of(uint32_t n) {
    if (rfi_hook_numbers.generation != rfi.generation) rfi_hook_numbers.count = 0;
    rfi_hook_numbers.generation = rfi.generation;
    rfi_hook_numbers.of =
        rfi_grow(rfi_hook_numbers.of, &rfi_hook_numbers.capacity, n + 1, sizeof(rfi_hook_number));
    for (uint32_t *i = &rfi_hook_numbers.count; *i <= n; ++*i)
        rfi_hook_numbers.of[*i] = (rfi_hook_number){*i, *i};
    return &rfi_hook_numbers.of[n];
}

/* Whose number it is, in this execution; the other way round, with `own`. */
RFI_FN uint32_t rfi_hook_renumbered(uint32_t n, bool own) {
    if (RFI_LIKELY(!rfi_heap.again) || n >= rfi.run.threads) return n;
    const rfi_hook_number *of = rfi_hook_number_of(n);
    return own ? of->own : of->thread;
}

/* The next thread is about to be created. */
RFI_FN void rfi_hook_number_take(const rf_site *s) {
    uint32_t id = rfi.run.threads, u = id;
    if (RFI_LIKELY(!rfi_heap.again && rfi.plan->again)) return;
    (void)rfi_hook_number_of(id);
    while (u--) {
        const rfi_thr *t = rfi.thread[u];
        uint32_t n = rfi_hook_number_of(u)->own;
        if (!t->finished || !(t->joined || t->detached) || rfi_hook_number_of(n)->thread != u)
            continue;
        if (!rfi_heap.again) {
            rfi_unused();
            return;
        }
        rfi_hook_number_of(n)->thread = id;
        rfi_hook_number_of(id)->own = n;
        rfi.record->again =
            (rfi_again){.count = rfi.record->again.count + 1, .former = u, .thread = id, .site = s};
        return;
    }
}

/* ---- threads that are created before main ----
 *
 * They begin with each execution, just before main does: nobody can tell that from a start that
 * takes long.  Their handles are their numbers alone. */
typedef struct rfi_hook_early {
    rfi_hook_start start;
    const rf_site *site;
    size_t stack;
    bool detached;
} rfi_hook_early;

RFI_VAR struct {
    bool main; /* there is a main to come */
    uint32_t count, capacity;
    rfi_hook_early *thread;
} rfi_hook_earlies;

RFI_FN bool rfi_hook_is_early(uint64_t handle) {
    return handle && handle <= rfi_hook_earlies.count;
}

RFI_FN pthread_t rfi_hook_handle(rf_thread t) {
    if (RFI_UNLIKELY(rfi_hook_is_early(t.id))) return (pthread_t)t.id;
    return (pthread_t)((uint64_t)t.generation << 32 | rfi_hook_renumbered(t.id, true));
}

RFI_FN rf_thread rfi_hook_thread_of(pthread_t t) {
    uint64_t handle = (uint64_t)t;
    uint32_t n = (uint32_t)handle, generation = (uint32_t)(handle >> 32);
    if (RFI_UNLIKELY(rfi_hook_is_early(handle))) return (rf_thread){n, rfi.generation};
    return (rf_thread){generation == rfi.generation ? rfi_hook_renumbered(n, false) : n,
                       generation};
}

enum { RFI_SIGNALS = 64 };

RFI_INLINE uint64_t rfi_sig_bit(int signal) { return UINT64_C(1) << (signal - 1); }

/* Bits of a set. */
RFI_FN uint64_t rfi_sig_bits(const sigset_t *set) {
    uint64_t bits = 0;
    for (int i = 1; i <= RFI_SIGNALS; i++)
        if (sigismember(set, i) == 1) bits |= rfi_sig_bit(i);
    return bits & ~(rfi_sig_bit(SIGKILL) | rfi_sig_bit(SIGSTOP)); /* which nobody blocks */
}

/* It has the mask, policy and priority of who creates it, or those of its attributes. */
RFI_FN void rfi_hook_create_as(const rf_site *s, rfi_thr *t, const pthread_attr_t *a) {
    const rfi_hook_thread *own = rfi_hook_self();
    int inherits = PTHREAD_INHERIT_SCHED;
    if (RFI_LIKELY(!own->blocked && !own->policy && !a)) return;
    rfi_hook_thread *of = rfi_hook_of(t);
    of->blocked = own->blocked;
    of->policy = own->policy;
    of->priority = own->priority;
# ifdef PTHREAD_ATTR_NO_SIGMASK_NP
    sigset_t mask;
    if (a && !pthread_attr_getsigmask_np(a, &mask)) of->blocked = rfi_sig_bits(&mask);
# endif
    if (!a || pthread_attr_getinheritsched(a, &inherits) || inherits == PTHREAD_INHERIT_SCHED)
        return;
    (void)pthread_attr_getschedpolicy(a, &of->policy);
    (void)pthread_attr_getschedparam(a, &of->priority);
    rfi_priority_set(s, t, (unsigned)of->priority.sched_priority);
}

# define RFI_EARLY_SECONDS 10u

/* Who waits for them before main waits for ever. */
RFI_FN void rfi_hook_earlies_awaited(int signal) {
    static const char said[] =
        "racefuzz: main has not begun 10 seconds after a thread was created: "
        "does the program wait for that before? It runs from main on\n";
    (void)signal;
    if (write(STDERR_FILENO, said, sizeof said - 1) < 0) rfi_quit(2);
    rfi_quit(2);
}

RFI_FN void rfi_hook_earlies_watch(bool on) {
    struct sigaction a = {.sa_handler = on ? rfi_hook_earlies_awaited : SIG_DFL};
    if (!on) (void)RFI_REAL(alarm)(0);
    (void)RFI_REAL(sigaction)(SIGALRM, &a, NULL);
    if (on) (void)RFI_REAL(alarm)(RFI_EARLY_SECONDS);
}

RFI_FN RFI_COLD void rfi_hook_create_early(const rf_site *here, pthread_t *t, rfi_hook_start start,
                                           bool detached) {
    if (!rfi_hook_earlies.main) rfi_fail_here(here, start.fn ? "pthread_create" : "thrd_create");
    if (!rfi_hook_earlies.count) rfi_hook_earlies_watch(true);
    uint32_t n = rfi_hook_earlies.count++;
    rfi_hook_earlies.thread = rfi_grow(rfi_hook_earlies.thread, &rfi_hook_earlies.capacity, n + 1,
                                       sizeof *rfi_hook_earlies.thread);
    rfi_hook_earlies.thread[n] = (rfi_hook_early){start, here, rfi_stack_asked, detached};
    *t = (pthread_t)(n + 1);
}

RFI_FN void rfi_hook_create(const rf_site *here, pthread_t *t, rfi_hook_start start,
                            const pthread_attr_t *a, bool detached) {
    if (!rfi.current) {
        rfi_hook_create_early(here, t, start, detached);
        return;
    }
    rfi_hook_start *s = rfi_arena_take(&rfi.arena, sizeof *s);
    rfi.record->hooked = true;
    *s = start;
    rfi_frame_lend(&rfi.current->lent, rfi.current, start.arg);
    rfi.current->gone_end = NULL;
    /* the handle is there before the thread can look at it */
    rfi_hook_number_take(here);
    uint32_t own = rfi_heap.again ? rfi_hook_number_of(rfi.run.threads)->own : rfi.run.threads;
    *t = (pthread_t)((uint64_t)rfi.generation << 32 | own);
    const void *fn =
        start.fn ? (const void *)(uintptr_t)start.fn : (const void *)(uintptr_t)start.whole;
    if (start.called) fn = start.called;
    rf_thread made = rfi_create_called(here, rfi_hook_run, s, fn, true);
    rfi_hook_create_as(here, rfi.thread[made.id], a);
    rfi_stack_asked = 0;
    if (detached) rfi_detach(here, made);
    rfi_call(here, NULL, &rfi.run.threads, RF_EV_WRITES);
}

/* Detached, and with all signals blocked, as those of the C library are. */
RFI_FN void rfi_hook_apart(const rf_site *s, rfi_hook_start start) {
    rfi_hook_thread *h = rfi_hook_self();
    uint64_t blocked = h->blocked;
    pthread_t t;
    h->blocked = UINT64_MAX;
    rfi_hook_create(s, &t, start, NULL, true);
    h->blocked = blocked;
}

/* The first threads of an execution, but for main's. */
RFI_FN void rfi_hook_create_earlies(void) {
    for (uint32_t i = 0; i < rfi_hook_earlies.count; i++) {
        const rfi_hook_early *e = &rfi_hook_earlies.thread[i];
        pthread_t known;
        rfi_stack_asked = e->stack;
        rfi_hook_create(e->site, &known, e->start, NULL, e->detached);
    }
}

int RFI_HOOK(pthread_create)(pthread_t *t, const pthread_attr_t *a, void *(*fn)(void *),
                             void *arg) {
    int detached = PTHREAD_CREATE_JOINABLE;
    if (a) pthread_attr_getdetachstate(a, &detached);
    RFI_LEAVES(t, sizeof *t); /* in C libraries, too, before the thread can look at it */
    rfi_stack_asked = 0;
    if (a) pthread_attr_getstacksize(a, &rfi_stack_asked);
    const rf_site *here = RFI_CALLER();
    rfi_hook_create(here, t, (rfi_hook_start){.fn = fn, .arg = arg}, a,
                    detached == PTHREAD_CREATE_DETACHED);
    return 0;
}

RFI_FN void rfi_hook_detach(const rf_site *s, pthread_t t, const char *name) {
    if (rfi.current) (void)rfi_hook_known(s, name, rfi_thread_of(s, rfi_hook_thread_of(t)));
    rfi_detach(s, rfi_hook_thread_of(t));
}

int RFI_HOOK(pthread_detach)(pthread_t t) {
    rfi_hook_detach(RFI_CALLER(), t, "pthread_detach");
    return 0;
}

pthread_t RFI_HOOK(pthread_self)(void) {
    RFI_HOOK_ENTERED();
    return rfi_hook_handle(rfi_self());
}

int RFI_HOOK(pthread_equal)(pthread_t a, pthread_t b) { return a == b; }

/* ---- the end: cleanup handlers, as glibc's pthread_cleanup_push makes them ---- */

void RFI_HOOK(__pthread_register_cancel)(void *buffer);
void RFI_HOOK(__pthread_unregister_cancel)(void *buffer);
void RFI_HOOK(__pthread_unwind_next)(void *buffer) RFI_NORETURN;

/* The private part of the buffer links to the next outer handler; its first part is a jmp_buf's. */
# ifdef __GLIBC__
RFI_FN void **rfi_hook_outer(void *buffer) {
    __pthread_unwind_buf_t *b = buffer;
    return &b->__pad[0];
}

void RFI_HOOK(__pthread_register_cancel)(void *buffer) {
    rfi_hook_thread *t = rfi_hook_self();
    *rfi_hook_outer(buffer) = t->unwind;
    t->unwind = buffer;
}

void RFI_HOOK(__pthread_unregister_cancel)(void *buffer) {
    rfi_hook_self()->unwind = *rfi_hook_outer(buffer);
}
# endif

/* Runs what is left of the handlers, the newest first, then ends the thread. */
RFI_FN RFI_NORETURN void rfi_hook_end(void) {
    rfi_hook_thread *t = rfi_hook_self();
    if (RFI_UNLIKELY(t->frames != NULL)) rfi_hook_unwound();
    void *newest = t->unwind;
# ifdef __GLIBC__
    if (newest) {
        t->unwind = *rfi_hook_outer(newest);
        _longjmp(newest, 1);
    }
# endif
    (void)newest;
    _longjmp(t->end, 1);
}

void RFI_HOOK(__pthread_unwind_next)(void *buffer) {
    (void)buffer;
    rfi_hook_end();
}

RFI_FN RFI_NORETURN void rfi_hook_exit(const rf_site *s, const char *what, void *result) {
    rfi_hook_thread *t = rfi_hook_self();
    if (!rfi.current || !t->framed) rfi_fail_here(s, what);
    t->result = result;
    rfi_hook_end();
}

void RFI_HOOK(pthread_exit)(void *result) RFI_NORETURN;
void RFI_HOOK(pthread_exit)(void *result) { rfi_hook_exit(RFI_CALLER(), "pthread_exit", result); }

#endif
#endif

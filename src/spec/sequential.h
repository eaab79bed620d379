/* spec/sequential.h: what an object does when one thread makes calls, one by one.
 *
 * The object itself is the specification, as Lincheck has it by default (Koval et al., CAV 2023).
 * At the end of an execution the first thread is alone; a process that it forks, the helper, sets
 * the object up anew, makes the calls and leaves their results in shared memory.  So nothing of
 * this shows in the execution, and what the object does wrong stays in that process.  It goes on to
 * the next sequence; chance always begins the same way there, and nothing happens spuriously: what
 * comes out follows from the calls alone, and all workers remember it. Optimised: not, most of it
 * is known already.
 */
#ifndef RFI_SPEC_SEQUENTIAL_H
#define RFI_SPEC_SEQUENTIAL_H
#include "campaign/crash.h"
#include "campaign/scene.h"
#include "spec/check.h"
#include "spec/parts.h"

#ifdef RFI_IMPL
# ifdef __linux__
#  include <sys/prctl.h>
# endif
# include <sys/wait.h>
# define RFI_OUTCOMES         (1u << 18) /* that all remember, at most half as many */
# define RFI_HELPER_SEQUENCES 10000u     /* sequences until another process takes over */

/* What the last call of a sequence does. */
typedef struct rfi_outcome {
    uint64_t key; /* of the sequence; 0: free; 1: it is being written */
    uint64_t result;
    uint64_t fit; /* rfi_fit */
} rfi_outcome;

/* What the helper is asked, and its answer. */
typedef struct rfi_question {
    uint32_t calls, done; /* done: those that have returned */
    bool up;              /* the object was set up */
    const rfi_object_part *object, *end;
    rfi_invocation call[RFI_CALLS];
    rfi_failure failure; /* if the helper has ended */
} rfi_question;

RFI_VAR struct {
    rfi_outcome *known; /* shared by all workers, */
    uint32_t *used;     /* with how many there are */
    rfi_question *question;
    pid_t of, helper; /* the process that has asked, and the one that it has; 0: none */
    int ask, answer;  /* pipes: a byte for each sequence */
    uint32_t asked;
    const rfi_object_part *object, *end;
} rfi_sequential;

/* Before workers are forked. */
RFI_FN void rfi_sequential_open(void) {
    if (rfi_sequential.used) return;
    uint32_t *used = rfi_pages(64 + RFI_OUTCOMES * sizeof(rfi_outcome), true);
    rfi_sequential.used = used;
    rfi_sequential.known = (rfi_outcome *)(void *)(used + 16);
}

/* The sequence `key`, and another call. */
RFI_FN uint64_t rfi_sequential_key(uint64_t key, const rfi_invocation *c) {
    uint64_t h = rfi_mix(key + rfi_hash_text(c->of->options.rfi_name));
    for (unsigned i = 0; i < c->of->arguments; i++) h = rfi_mix(h + (uint64_t)c->argument[i]);
    return h | 2;
}

RFI_FN const rfi_outcome *rfi_sequential_find(uint64_t key) {
    for (uint64_t i = key >> 2;; i++) {
        rfi_outcome *k = &rfi_sequential.known[i % RFI_OUTCOMES];
        uint64_t there = __atomic_load_n(&k->key, __ATOMIC_ACQUIRE);
        if (there == key) return k;
        if (!there) return NULL;
    }
}

/* False: there is no room. */
RFI_FN bool rfi_sequential_add(uint64_t key, uint64_t result, rfi_fit fit) {
    if (rfi_sequential_find(key)) return true;
    if (__atomic_fetch_add(rfi_sequential.used, 1, __ATOMIC_RELAXED) >= RFI_OUTCOMES / 2)
        return false;
    for (uint64_t i = key >> 2;; i++) {
        rfi_outcome *k = &rfi_sequential.known[i % RFI_OUTCOMES];
        uint64_t nobody = 0;
        if (!__atomic_compare_exchange_n(&k->key, &nobody, 1, false, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED))
            continue;
        k->result = result;
        k->fit = fit;
        __atomic_store_n(&k->key, key, __ATOMIC_RELEASE);
        return true;
    }
}

/* ---- the helper: a process that makes the calls ---- */

RFI_FN void rfi_helper_over(void) {
    rfi_sequential.question->failure = rfi.record->failure;
    rfi_quit(0);
}

RFI_FN uint32_t rfi_helper_pick(const rf_choice *c) { return rf_choice_at(c, 0); }

/* There is nobody but the running thread, and it is in nothing: all may have been found waiting,
 * and the sequence before this one may have left locks taken. */
RFI_FN void rfi_helper_alone(rfi_thr *t) {
    for (uint32_t i = 0; i < rfi.run.threads; i++) rfi.thread[i]->finished = i != t->id;
    for (uint32_t w = 0; w < rfi.run.words; w++) rfi.enabled[w] = rfi.paused[w] = 0;
    rfi_put(rfi.enabled, t->id);
    rfi.run.live = 1;
    rfi.run.sources = 0;
    rfi.run.owned = NULL;
    t->ready = NULL;
    t->waits_on = NULL;
    t->uses = NULL;
    t->held_count = 0;
}

/* Every sequence finds the same chance, and as many steps. */
RFI_FN void rfi_helper_make(rfi_question *q) {
    rfi_helper_alone(rfi.current);
    rfi.schedule = rfi.memory = rfi.input = rfi.patience = rfi_prng_make(0, 0);
    rfi.run.steps = 0;
    rfi.run.stuck = NULL;
    rfi.generation += RFI_GENERATION; /* what has a static initialiser is as it says */
    q->object->body();
    q->up = true;
    for (; q->done < q->calls; q->done++) {
        rfi_invocation *c = &q->call[q->done];
        c->result = c->of->call(c->argument);
    }
    if (q->end) q->end->body();
}

RFI_FN RFI_NORETURN void rfi_helper_main(int ask, int answer) {
    static const rf_strategy alone = {.name = "alone", .pick = rfi_helper_pick};
    char byte;
# ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
# endif
    if (!rfi_forked) rfi_on_fork(); /* nobody has said that it is to be called */
    rfi_over = rfi_crash.crashed = rfi_helper_over;
    rfi_due_over(rfi.current, false);
    rfi.strategy = &alone;
    rfi.spurious = false;
    rfi.lessons = NULL;
    while (RFI_REAL(read)(ask, &byte, 1) == 1) {
        rfi_helper_make(rfi_sequential.question);
        if (RFI_REAL(write)(answer, &byte, 1) != 1) break;
    }
    rfi_quit(0);
}

/* ---- who asks ---- */

RFI_FN void rfi_helper_end(void) {
    RFI_REAL(close)(rfi_sequential.ask);
    RFI_REAL(close)(rfi_sequential.answer);
    while (RFI_REAL(waitpid)(rfi_sequential.helper, NULL, 0) < 0 && errno == EINTR) continue;
    rfi_sequential.helper = 0;
}

RFI_FN void rfi_helper_begin(void) {
    int to[2], from[2];
    if (rfi_sequential.of != rfi_process())
        rfi_sequential.question = rfi_pages(sizeof(rfi_question), true);
    rfi_sequential.of = rfi_process();
    if (RFI_REAL(pipe)(to) || RFI_REAL(pipe)(from))
        rfi_die("cannot open a pipe: %s", strerror(errno));
    pid_t pid = RFI_REAL(fork)();
    if (pid < 0) rfi_die("cannot fork: %s", strerror(errno));
    RFI_REAL(close)(pid ? to[0] : to[1]);
    RFI_REAL(close)(pid ? from[1] : from[0]);
    if (!pid) rfi_helper_main(to[0], from[1]);
    rfi_sequential.helper = pid;
    rfi_sequential.ask = to[1];
    rfi_sequential.answer = from[0];
    rfi_sequential.asked = 0;
}

/* A question of the running process, to be filled in. */
RFI_FN rfi_question *rfi_helper_question(void) {
    if (rfi_sequential.of != rfi_process() || !rfi_sequential.helper) rfi_helper_begin();
    rfi_question *q = rfi_sequential.question;
    q->calls = q->done = 0;
    q->up = false;
    q->failure.diagnostic = RF_DIAG_NONE;
    q->object = rfi_sequential.object;
    q->end = rfi_sequential.end;
    return q;
}

/* Has its calls made. */
RFI_FN void rfi_helper_ask(void) {
    char byte = 0;
    ssize_t n;
    (void)!RFI_REAL(write)(rfi_sequential.ask, &byte, 1);
    do n = RFI_REAL(read)(rfi_sequential.answer, &byte, 1);
    while (n < 0 && errno == EINTR);
    if (n != 1 || ++rfi_sequential.asked == RFI_HELPER_SEQUENCES) rfi_helper_end();
}

/* ---- the search of one history ---- */

typedef struct rfi_asking {
    rfi_check check; /* first */
    uint64_t key[RFI_CALLS + 1];
    const rfi_spec_model *model; /* NULL: the object is its own */
    char *state;                 /* of the model, by depth, */
    uint32_t capacity;           /* bytes */
    bool keyed;                  /* what is done to one key has nothing to do with others */
    rfi_parts parts;
} rfi_asking;

/* What call number i of a question that was answered does. */
RFI_FN rfi_outcome rfi_question_outcome(const rfi_question *q, uint32_t i) {
    rf_diagnostic d = q->failure.diagnostic;
    bool waits = d == RF_DIAG_STUCK || d == RF_DIAG_LOCK_CYCLE || d == RF_DIAG_LIVELOCK;
    if (i < q->done) return (rfi_outcome){.result = q->call[i].result, .fit = RFI_FIT};
    return (rfi_outcome){.fit = q->up && waits ? RFI_BLOCKS : RFI_BREAKS};
}

/* Makes the calls of the order so far, then `c`, then the others in the order of their returns: it
 * is likely that somebody asks for these, too.  What `c` does; all is remembered. */
RFI_FN rfi_outcome rfi_sequential_ask(rfi_asking *x, const rfi_invocation *c) {
    const rfi_history *h = x->check.history;
    const uint32_t from = x->check.depth;
    rfi_question *q = rfi_helper_question();
    uint64_t in = UINT64_C(1) << (c - h->call), key = x->key[from];
    for (uint32_t i = 0; i < from; i++) {
        in |= UINT64_C(1) << x->check.order[i];
        if (x->key[i + 1] != x->key[i]) q->call[q->calls++] = h->call[x->check.order[i]];
    }
    const uint32_t at = q->calls;
    q->call[q->calls++] = *c;
    for (uint32_t r = 1; r <= h->returned; r++)
        for (uint32_t i = 0; i < h->calls; i++)
            if (h->call[i].returned == r && !(in >> i & 1)) q->call[q->calls++] = h->call[i];
    rfi_helper_ask();
    for (uint32_t i = at; i < q->calls && i <= q->done; i++) {
        rfi_outcome o = rfi_question_outcome(q, i);
        key = rfi_sequential_key(key, &q->call[i]);
        if (!rfi_sequential_add(key, o.result, (rfi_fit)o.fit)) break;
    }
    return rfi_question_outcome(q, q->done < at ? q->done : at);
}

/* ---- a model ---- */

RFI_VAR bool rfi_model_waiting;
void rfi_model_waits(void) { rfi_model_waiting = true; }

RFI_VAR uint64_t rfi_model_result; /* of the call itself */
long long rfi_model_returned(void) { return (long long)rfi_model_result; }

RFI_FN char *rfi_model_state(const rfi_asking *x, uint32_t depth) {
    return x->state + depth * x->model->size;
}

RFI_FN rfi_outcome rfi_model_outcome(rfi_asking *x, const rfi_invocation *c) {
    rfi_outcome o = {.fit = RFI_FIT};
    char *to = rfi_model_state(x, x->check.depth + 1);
    memcpy(to, rfi_model_state(x, x->check.depth), x->model->size);
    rfi_model_waiting = false;
    rfi_model_result = c->returned ? c->result : 0;
    o.result = c->of->model(to, c->argument);
    if (rfi_model_waiting) o.fit = RFI_BLOCKS;
    return o;
}

RFI_FN uint64_t rfi_model_hash(const rfi_check *check) {
    const rfi_asking *x = (const rfi_asking *)(const void *)check;
    const char *state = rfi_model_state(x, check->depth);
    uint64_t h = 0;
    for (size_t i = 0; i < x->model->size; i++)
        h = (h ^ (unsigned char)state[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* ---- either of them ---- */

/* What a call does after those of the order so far. */
RFI_FN rfi_outcome rfi_asking_outcome(rfi_asking *x, const rfi_invocation *c) {
    if (x->model) return rfi_model_outcome(x, c);
    const rfi_outcome *k = rfi_sequential_find(rfi_sequential_key(x->key[x->check.depth], c));
    return k ? *k : rfi_sequential_ask(x, c);
}

RFI_FN rfi_fit rfi_asking_fits(rfi_check *check, const rfi_invocation *c) {
    rfi_asking *x = (rfi_asking *)(void *)check;
    uint64_t *key = &x->key[check->depth];
    rfi_outcome o = rfi_asking_outcome(x, c);
    if (o.fit == RFI_FIT && (!c->returned || o.result == c->result)) {
        key[1] = rfi_sequential_key(key[0], c);
        return RFI_FIT;
    }
    if (c->returned && c->of->options.may_fail && !c->result) { /* nothing has happened */
        key[1] = key[0];
        if (x->model)
            memcpy(rfi_model_state(x, check->depth + 1), rfi_model_state(x, check->depth),
                   x->model->size);
        return RFI_FIT;
    }
    return o.fit == RFI_FIT ? RFI_MISFIT : (rfi_fit)o.fit;
}

/* Are operations those of one key? */
RFI_FN bool rfi_asking_keys(const char *object, rf_criterion criterion) {
    const rfi_operation *o = NULL;
    while ((o = rfi_operation_next(object, o)))
        if (!o->options.key) return false;
    return criterion != RF_QUIESCENCE;
}

/* Where time counts a call is not made before its thread goes on. */
RFI_FN void rfi_asking_wait(const rf_site *s, rf_criterion criterion) {
    if (criterion != RF_REAL_TIME && criterion != RF_QUIESCENCE) return;
    rf_event *e = rfi_announce(rfi.current, RF_EV_YIELD, s);
    rfi_schedule(rfi.current);
    rfi_executed(e);
}

/* The history begins. */
RFI_FN void rfi_asking_begin(rfi_asking *x, const rfi_history *h) {
    const char *object = rfi_sequential.object->object;
    x->check.stuck = false;
    x->check.history = h;
    x->check.fits = rfi_asking_fits;
    x->check.state = NULL;
    x->key[0] = rfi_hash_text(object);
    x->model = rfi_spec_model_of(object, NULL);
    x->keyed = rfi_asking_keys(object, h->criterion);
    if (x->model) {
        uint32_t bytes = (uint32_t)((RFI_CALLS + 2) * x->model->size);
        x->state = rfi_grow(x->state, &x->capacity, bytes, 1);
        x->check.state = rfi_model_hash;
        memset(x->state, 0, x->model->size);
        x->model->begin(x->state);
    } else
        rfi_sequential_open();
    rfi_check_clear(&x->check);
}

RFI_FN bool rfi_asking_part(rfi_asking *x, const rfi_history *h, long long key) {
    rfi_parts_take(&x->parts, h, key);
    x->check.history = &x->parts.history;
    return rfi_check_search(&x->check);
}

/* Is there an order in which the model, or the object itself, called by one thread, returns the
 * same? */
RFI_FN bool rfi_asking_search(rfi_asking *x, const rfi_history *h, bool stuck) {
    rfi_asking_begin(x, h);
    x->check.stuck = stuck;
    if (!x->keyed) return rfi_check_search(&x->check);
    rfi_map_reset(&x->parts.searched);
    for (uint32_t l = 0; l < h->lanes; l++)
        for (uint32_t i = 0; i < h->length[l]; i++) {
            long long key = rfi_key_of(&h->call[h->lane[l][i]]);
            uint64_t *times = rfi_map_at(&x->parts.searched, (uint64_t)key);
            if (!(*times)++ && !rfi_asking_part(x, h, key)) return false;
        }
    return true;
}

/* The same of a history that grows, when a call has returned.  Without a model at its end only: the
 * object is asked for the whole of it at once. */
RFI_FN bool rfi_asking_more(rfi_asking *x, const rfi_history *h, const rfi_invocation *c) {
    if (!x->model) return true;
    return x->keyed ? rfi_asking_part(x, h, rfi_key_of(c)) : rfi_check_more(&x->check, c);
}

/* All calls were made. */
RFI_FN bool rfi_asking_end(rfi_asking *x, const rfi_history *h) {
    return x->model || rfi_asking_search(x, h, false);
}
#endif
#endif

/* dfs, bounded, delay-bounded and dpor on random programs.
 *
 * Programs of variables, locks, semaphores and joins also run on a model that knows nothing of
 * racefuzz: it counts their schedules, by preemptions and by delays, and their partial orders.  Of
 * programs that may fail dpor must show what dfs shows: every partial order, every deadlock, every
 * failure.  (Programs of all primitives: explore_compare.h.)
 */
#define RF_IMPLEMENTATION
#include "explore_tree.h"

#ifndef PROGRAMS
# define PROGRAMS by_night(100, 300)
# define FAILING  by_night(80, 250)
#endif

static found all, some;

/* ---- random programs: threads of a few operations, and how many schedules and traces they have
 * ----
 */

typedef enum kind {
    /* that the model has, */
    READ,
    WRITE,
    LOCK,
    UNLOCK,
    POST,
    TAKE,
    TRY,
    JOIN,
    /* and that it does not have: those that fail */
    CHECK,
    FREE,
    TOUCH,
    DESTROY
} kind;
enum { MOST_OPS = 8, VARIABLES = 2, LOCKS = 2, SEMAPHORES = 2, MAIN = 0 };

typedef struct op {
    kind kind;
    uint32_t on;
} op;

typedef struct program {
    op op[MOST_THREADS][MOST_OPS];
    uint32_t ops[MOST_THREADS], threads;
} program;

static program now;
static int variable[VARIABLES];
static rf_mutex lock[LOCKS];
static rf_sem semaphore[SEMAPHORES];
static rf_thread handle[MOST_THREADS];
static int *block;

static void run_op(const op *o, bool *have) {
    switch (o->kind) {
    case READ: (void)RF_LOAD(variable[o->on]); break;
    case WRITE: RF_STORE(variable[o->on], 1); break;
    case LOCK:
        RF_LOCK(&lock[o->on]);
        have[o->on] = true;
        break;
    case TRY: have[o->on] = RF_TRYLOCK(&lock[o->on]); break;
    case UNLOCK:
        if (have[o->on]) RF_UNLOCK(&lock[o->on]);
        break;
    case POST: RF_SEM_POST(&semaphore[o->on]); break;
    case TAKE: RF_SEM_WAIT(&semaphore[o->on]); break;
    case JOIN: RF_JOIN(handle[o->on]); break;
    case CHECK:
        if (RF_LOAD(variable[o->on])) RF_FAIL("check %u", o->on);
        break;
    case FREE: RF_FREE(block); break;
    case TOUCH: RF_STORE(block[o->on], 1); break;
    case DESTROY: rf_mutex_destroy(&lock[o->on]); break;
    }
}

static void *run_thread(void *number) {
    uint32_t t = (uint32_t)(uintptr_t)number;
    bool have[LOCKS] = {false};
    for (uint32_t i = 0; i < now.ops[t]; i++) run_op(&now.op[t][i], have);
    return NULL;
}

RF_TEST(random_program) {
    RF_STORE(variable[0], 0); /* a step, after which to leave it is a preemption */
    variable[1] = 0;
    block = RF_MALLOC(8);
    for (uint32_t t = 1; t < now.threads; t++)
        handle[t] = RF_THREAD(run_thread, (void *)(uintptr_t)t);
    run_thread((void *)(uintptr_t)MAIN);
}

/* The model: it knows nothing of racefuzz. */
static struct {
    uint32_t at[MOST_THREADS], holder[LOCKS], tokens[SEMAPHORES];
    bool failed[MOST_THREADS][LOCKS]; /* the try: its unlock is none */
    struct {
        uint32_t thread, kind, on;
    } done[MOST_THREADS * MOST_OPS];
    uint32_t steps, schedules, at_preemptions[RFI_LEVELS], at_delays[RFI_LEVELS];
    traces traces;
} model;

static bool model_commutes(uint32_t i, uint32_t j) {
    uint32_t a = model.done[i].kind, b = model.done[j].kind;
    if (model.done[i].thread == model.done[j].thread) return false;
    if (b == JOIN) return model.done[j].on != model.done[i].thread;
    if (a == JOIN) return model.done[i].on != model.done[j].thread;
    if (model.done[i].on != model.done[j].on) return true;
    bool data = a <= WRITE, tokens = a == POST || a == TAKE;
    if (data != (b <= WRITE) || tokens != (b == POST || b == TAKE)) return true;
    return data && a == READ && b == READ;
}

static uint64_t model_print(void) {
    static uint32_t clock[MOST_THREADS * MOST_OPS][MOST_THREADS];
    uint32_t local[MOST_THREADS] = {0};
    uint64_t sum = 1;
    for (uint32_t j = 0; j < model.steps; j++) {
        memset(clock[j], 0, sizeof clock[j]);
        clock[j][model.done[j].thread] = ++local[model.done[j].thread];
        for (uint32_t i = 0; i < j; i++)
            for (uint32_t t = 0; t < MOST_THREADS && !model_commutes(i, j); t++)
                if (clock[j][t] < clock[i][t]) clock[j][t] = clock[i][t];
        uint64_t h = rfi_mix(model.done[j].thread + 1);
        for (uint32_t t = 0; t < MOST_THREADS; t++) h = rfi_mix(h) + clock[j][t];
        sum += rfi_mix(h);
    }
    return sum;
}

/* Unlocks after a failed try are no operations. */
static void model_skip(uint32_t t) {
    while (model.at[t] < now.ops[t]) {
        const op *o = &now.op[t][model.at[t]];
        if (o->kind != UNLOCK || !model.failed[t][o->on]) return;
        model.failed[t][o->on] = false;
        model.at[t]++;
    }
}

static bool model_enabled(uint32_t t) {
    const op *o = &now.op[t][model.at[t]];
    if (model.at[t] == now.ops[t]) return false;
    switch (o->kind) {
    case LOCK: return !model.holder[o->on];
    case TAKE: return model.tokens[o->on] != 0;
    case JOIN: return model.at[o->on] == now.ops[o->on];
    default: return true;
    }
}

static void model_step(uint32_t t) {
    const op *o = &now.op[t][model.at[t]++];
    model.done[model.steps].thread = t;
    model.done[model.steps].kind = o->kind;
    model.done[model.steps++].on = o->on;
    if (o->kind == POST) model.tokens[o->on]++;
    if (o->kind == TAKE) model.tokens[o->on]--;
    if (o->kind == UNLOCK) model.holder[o->on] = 0;
    if (o->kind == TRY) model.failed[t][o->on] = model.holder[o->on] != 0;
    if (o->kind == LOCK || (o->kind == TRY && !model.failed[t][o->on])) model.holder[o->on] = t + 1;
    model_skip(t);
}

/* How many threads the scheduler that goes round in a circle passes over when it takes t. */
static uint32_t model_delays(uint32_t last, uint32_t t) {
    uint32_t delays = 0;
    for (uint32_t u = last; u != t; u = (u + 1) % now.threads) delays += model_enabled(u);
    return delays;
}

/* All schedules from here on; false: there are more than `most`. */
static bool model_run(uint32_t last, uint32_t preemptions, uint32_t delays, uint32_t most) {
    bool any = false;
    for (uint32_t t = 0; t < now.threads; t++) {
        if (!model_enabled(t)) continue;
        uint32_t preempts = t != last && model_enabled(last), passes = model_delays(last, t);
        struct {
            uint32_t at[MOST_THREADS], holder[LOCKS], tokens[SEMAPHORES];
            bool failed[MOST_THREADS][LOCKS];
        } before;
        any = true;
        memcpy(&before, &model, sizeof before);
        model_step(t);
        bool few = model_run(t, preemptions + preempts, delays + passes, most);
        memcpy(&model, &before, sizeof before);
        model.steps--;
        if (!few) return false;
    }
    if (any) return true;
    if (preemptions < RFI_LEVELS) model.at_preemptions[preemptions]++;
    if (delays < RFI_LEVELS) model.at_delays[delays]++;
    (void)traces_add(&model.traces, model_print());
    return ++model.schedules <= most;
}

/* ---- random programs ---- */

static void add(uint32_t t, kind k, uint32_t on) {
    if (now.ops[t] < MOST_OPS) now.op[t][now.ops[t]++] = (op){k, on};
}

static void make_section(rf_prng *r, uint32_t t) {
    uint32_t m = rfi_below(r, LOCKS);
    if (now.ops[t] + 4 > MOST_OPS) return;
    add(t, rfi_below(r, 4) ? LOCK : TRY, m);
    if (!rfi_below(r, 3)) {
        add(t, LOCK, !m);
        add(t, UNLOCK, !m);
    } else {
        add(t, rfi_coin(r) ? READ : WRITE, rfi_below(r, VARIABLES));
    }
    add(t, UNLOCK, m);
}

static void make_program(rf_prng *r) {
    uint32_t joins = rfi_below(r, 3);
    memset(&now, 0, sizeof now);
    now.threads = 3 + rfi_below(r, 2);
    for (uint32_t t = 1; t < now.threads; t++)
        for (uint32_t parts = 1 + rfi_below(r, 3); parts--;) switch (rfi_below(r, 5)) {
            case 0: add(t, READ, rfi_below(r, VARIABLES)); break;
            case 1: add(t, WRITE, rfi_below(r, VARIABLES)); break;
            case 2: make_section(r, t); break;
            case 3: add(t, POST, rfi_below(r, SEMAPHORES)); break;
            default: add(t, rfi_coin(r) ? TAKE : WRITE, rfi_below(r, SEMAPHORES));
            }
    for (uint32_t t = 1; t < now.threads && joins; t++) add(MAIN, JOIN, t);
    if (joins < 2) add(MAIN, rfi_coin(r) ? READ : WRITE, 0);
}

/* A program that may fail. */
static void make_failing_program(rf_prng *r) {
    static const kind kinds[] = {CHECK, FREE, TOUCH, DESTROY, POST, READ, WRITE, WRITE};
    uint32_t joins = rfi_below(r, 3);
    memset(&now, 0, sizeof now);
    now.threads = 3 + rfi_below(r, 2);
    for (uint32_t t = 1; t < now.threads; t++)
        for (uint32_t parts = 1 + rfi_below(r, 3); parts--;) {
            kind k = kinds[rfi_below(r, RFI_LENGTH(kinds))];
            if (rfi_below(r, 4))
                add(t, k, k == DESTROY ? 1 : rfi_below(r, 2));
            else
                make_section(r, t);
        }
    for (uint32_t t = 1; t < now.threads && joins; t++) add(MAIN, JOIN, t);
    if (joins < 2) add(MAIN, CHECK, 0);
}

static bool same_levels(const rfi_tree *t, const uint32_t *counts, uint32_t most) {
    for (uint32_t i = 0; i < RFI_LEVELS; i++)
        if (t->at_level[i] != (i <= most ? counts[i] : 0)) return false;
    return !t->flaw && t->exhausted;
}

CASE(test_against_the_model) {
    rf_prng r = {7};
    uint32_t kept = 0, wrong[4] = {0};
    uint64_t schedules = 0, classes = 0, blocked = 0;
    rfi_bounded_most = rfi_delays_most = RFI_LEVELS - 1;
    for (uint32_t i = 0; i < PROGRAMS; i++) {
        make_program(&r);
        memset(&model, 0, sizeof model);
        if (!model_run(MAIN, 0, 0, 1000)) continue;
        kept++;
        schedules += model.schedules;
        classes += model.traces.count;
        lab_tree.traced = true;
        wrong[0] += !explore(&rfi_dfs, "random_program", 2000, &all) || rfi_dfs_tree.flaw ||
                    all.executions != model.schedules || all.traces.count != model.traces.count;
        wrong[1] += !explore(&rfi_dpor, "random_program", 2000, &some) || rfi_dpor_traces.flaw ||
                    some.repeated || some.traces.count != model.traces.count;
        blocked += rfi_dpor_traces.blocked;
        lab_tree.traced = false;
        (void)explore(&rfi_bounded, "random_program", 2000, &some);
        wrong[2] += memcmp(some.at, model.at_preemptions, sizeof some.at) != 0 ||
                    !same_levels(&rfi_bounded_tree, model.at_preemptions, RFI_LEVELS);
        (void)explore(&rfi_delay_bounded, "random_program", 2000, &some);
        wrong[3] += !same_levels(&rfi_delays_tree, model.at_delays, RFI_LEVELS);
    }
    printf("# %u programs, %llu schedules, %llu partial orders, %llu executions blocked\n", kept,
           (unsigned long long)schedules, (unsigned long long)classes, (unsigned long long)blocked);
    LAB_CHECK("dfs runs every schedule once", kept > PROGRAMS / 2 && !wrong[0]);
    LAB_CHECK("dpor runs every partial order once", !wrong[1]);
    LAB_CHECK("bounded runs every schedule once, in the order of preemptions", !wrong[2]);
    LAB_CHECK("delay-bounded runs every schedule once, in the order of delays", !wrong[3]);
}

CASE(test_failures) {
    rf_prng r = {11};
    uint32_t wrong = 0, kept = 0, repeated = 0;
    uint64_t schedules = 0, classes = 0, blocked = 0, failures = 0;
    lab_tree.traced = true;
    for (uint32_t i = 0; i < FAILING; i++) {
        make_failing_program(&r);
        if (!explore(&rfi_dfs, "random_program", 2000, &all)) continue;
        wrong += !explore(&rfi_dpor, "random_program", 20000, &some) || rfi_dpor_traces.flaw ||
                 rfi_dfs_tree.flaw || !traces_same(&all.traces, &some.traces) ||
                 !traces_same(&all.failures, &some.failures);
        kept++;
        repeated += some.repeated;
        schedules += all.executions;
        classes += all.traces.count;
        failures += all.failures.count;
        blocked += rfi_dpor_traces.blocked;
    }
    printf("# %u programs, %llu schedules, %llu partial orders, %llu failures, %llu blocked\n",
           kept, (unsigned long long)schedules, (unsigned long long)classes,
           (unsigned long long)failures, (unsigned long long)blocked);
    LAB_CHECK("dpor shows every partial order and every failure", kept > FAILING / 2 && !wrong);
    LAB_CHECK("dpor shows no partial order twice", !repeated);
}

int main(void) { return lab_cases(); }

/* tests/explore_compare.h: random programs of all primitives, run by the explorers that go through
 * everything and by an enumerator that shares no code with them (enumerate.h): the outcomes are the
 * same.  What the others show is among them. */
#ifndef EXPLORE_COMPARE_H
#define EXPLORE_COMPARE_H
#include "explore_tree.h" /* first: what it asks the C library for */

#include "enumerate.h"
#include <time.h>

int __wrap_clock_gettime(clockid_t clock, struct timespec *t);

static program the_program;
static outcome the_outcome;

static int plain[2];
static rf_atomic_int atomic;
static rf_mutex mutex[MUTEXES];
static rf_spin spin;
static rf_rwlock rwlock;
static rf_sem sem[SEMS];
static rf_cond cond;
static rf_barrier barrier;
static rf_once once;

static void run_once(void) { RF_STORE(plain[1], RF_LOAD(plain[1]) + 1); }

static unsigned read_clock(void) {
    struct timespec t;
    (void)__wrap_clock_gettime(CLOCK_MONOTONIC, &t);
    return (unsigned)((t.tv_sec - 1000) * 1000 + t.tv_nsec / 1000000);
}

static unsigned run_lock(const op *o) {
    switch (o->kind) {
    case LOCK: RF_LOCK(&mutex[o->what]); return 1;
    case TRYLOCK: return RF_TRYLOCK(&mutex[o->what]);
    case TIMEDLOCK: return RF_TIMEDLOCK(&mutex[o->what], o->value);
    case SPINLOCK: RF_SPIN_LOCK(&spin); return 1;
    case SPINTRY: return RF_SPIN_TRYLOCK(&spin);
    case RDLOCK: RF_RDLOCK(&rwlock); return 1;
    case TRYRDLOCK: return RF_TRYRDLOCK(&rwlock);
    case WRLOCK: RF_WRLOCK(&rwlock); return 1;
    case TRYWRLOCK: return RF_TRYWRLOCK(&rwlock);
    case SEMWAIT: RF_SEM_WAIT(&sem[o->what]); return 1;
    case SEMTRY: return RF_SEM_TRYWAIT(&sem[o->what]);
    default: return RF_SEM_TIMEDWAIT(&sem[o->what], o->value);
    }
}

static unsigned run_other(const op *o) {
    int expected = o->value;
    switch (o->kind) {
    case LOAD: return (unsigned)RF_LOAD(plain[o->what]);
    case STORE: RF_STORE(plain[o->what], o->value); return 0;
    case ADD: return (unsigned)rf_atomic_fetch_add(&atomic, o->value);
    case CAS: return rf_atomic_compare_exchange_strong(&atomic, &expected, o->value + 1);
    case UNLOCK: RF_UNLOCK(&mutex[o->what]); return 0;
    case SPINUNLOCK: RF_SPIN_UNLOCK(&spin); return 0;
    case RWUNLOCK: RF_RWUNLOCK(&rwlock); return 0;
    case SEMPOST: RF_SEM_POST(&sem[o->what]); return 0;
    case WAIT: RF_WAIT(&cond, &mutex[0]); return 1;
    case TIMEDWAIT: return RF_TIMEDWAIT(&cond, &mutex[0], o->value);
    case SIGNAL: RF_SIGNAL(&cond); return 0;
    case BROADCAST: RF_BROADCAST(&cond); return 0;
    case BARRIER: return RF_BARRIER_WAIT(&barrier);
    case ONCE: RF_ONCE(&once, run_once); return 0;
    case YIELD: RF_YIELD(); return 0;
    case HINT: RF_SPIN_HINT(); return 0;
    case SLEEP: RF_SLEEP_MS(o->value); return 0;
    case CLOCK: return read_clock();
    default: return RF_CHOOSE(2);
    }
}

static void *run_thread(void *arg) {
    uint32_t t = (uint32_t)(uintptr_t)arg;
    for (uint32_t at = 0;;) {
        const op *o = &the_program.op[t][at];
        if (o->kind == END) return arg;
        bool locks = (o->kind >= LOCK && o->kind <= TRYWRLOCK && o->kind != UNLOCK &&
                      o->kind != SPINUNLOCK) ||
                     (o->kind >= SEMWAIT && o->kind <= SEMTIMED);
        unsigned result = locks ? run_lock(o) : run_other(o);
        the_outcome.result[t][at] = (uint8_t)(result + 1);
        at = !result && o->skip ? o->skip : at + 1;
    }
}

RF_TEST(random_program) {
    memset(&the_outcome, 0, sizeof the_outcome);
    the_outcome.stuck = 1;
    plain[0] = plain[1] = 0;
    rf_atomic_init(&atomic, 0);
    for (uint32_t i = 0; i < MUTEXES; i++) mutex[i] = (rf_mutex)RF_MUTEX_INIT;
    spin = (rf_spin)RF_SPIN_INIT;
    rwlock = (rf_rwlock)RF_RWLOCK_INIT;
    cond = (rf_cond)RF_COND_INIT;
    once = (rf_once)RF_ONCE_INIT;
    barrier = (rf_barrier)RF_BARRIER_INIT(2);
    for (uint32_t i = 0; i < SEMS; i++) sem[i] = (rf_sem)RF_SEM_INIT(i);
    rf_thread t[THREADS];
    for (uint32_t i = 0; i < the_program.threads; i++)
        t[i] = RF_THREAD(run_thread, (void *)(uintptr_t)i);
    for (uint32_t i = 0; i < the_program.threads; i++) RF_JOIN(t[i]);
    the_outcome.stuck = 0;
}

static uint64_t outcome_here(void) {
    the_outcome.variable[0] = (uint8_t)plain[0];
    the_outcome.variable[1] = (uint8_t)plain[1];
    memcpy(&the_outcome.variable[2], (const void *)&atomic, 1);
    return outcome_number(&the_outcome);
}

/* ---- what can be shown of a program, for whoever looks for the mistake ---- */

static void print_program(const program *p) {
    static const char *const words[] = {
        "end",       "load",      "store",    "add",       "cas",        "lock",     "trylock",
        "timedlock", "unlock",    "spinlock", "spintry",   "spinunlock", "rdlock",   "tryrdlock",
        "wrlock",    "trywrlock", "rwunlock", "semwait",   "semtry",     "semtimed", "sempost",
        "wait",      "timedwait", "signal",   "broadcast", "barrier",    "once",     "yield",
        "hint",      "sleep",     "clock",    "choose"};
    for (uint32_t t = 0; t < p->threads; t++) {
        printf("# T%u:", t + 1);
        for (const op *o = p->op[t]; o->kind; o++)
            printf(" %s(%u,%u)", words[o->kind], o->what, o->value);
        printf("\n");
    }
}

/* ---- running ---- */

typedef struct shown {
    numbers outcomes;
    uint32_t executions;
    uint64_t held; /* decisions at which spinners were left out */
    bool all;
} shown;

/* Up to `most` executions; those of a strategy that goes through everything are told apart.
 * `late`: time passes late, but for so many ms less one in each; 0: at any time. */
static void show(const rf_strategy *s, uint32_t most, unsigned late, shown *f) {
    lab_tree_plan(s, "random_program");
    lab_tree.plan.late = late;
    rfi_record *r = lab_tree.record;
    numbers_clear(&f->outcomes);
    f->all = false;
    f->held = 0;
    if (s->forget) s->forget();
    rfi.lessons = s->serial ? &lab_tree.lessons : NULL;
    for (f->executions = 0; f->executions < most && !f->all; f->executions++) {
        lab_tree.lessons.used = 0;
        rfi_job_run(&lab_tree.job, &lab_tree.plan, f->executions, r);
        (void)numbers_add(&f->outcomes, outcome_here());
        f->held += r->held;
        if (!s->serial) continue;
        const rfi_lesson *l = rfi_lesson_at(&lab_tree.lessons, 0);
        s->learn(l + 1, l->bytes);
        f->all = s->exhausted();
    }
    rfi.lessons = NULL;
}

typedef struct comparison {
    uint32_t programs, compared, held, outcomes, differ_dfs, differ_dpor, strange, orders;
    uint64_t states, dfs, dpor;
} comparison;

static bool same(const numbers *a, const numbers *b) {
    return a->count == b->count && numbers_within(a, b);
}

/* The order of a clock's readings is tried, though it is told by no event. */
static bool reads_clock(const program *p) {
    for (uint32_t t = 0; t < p->threads; t++)
        for (const op *o = p->op[t]; o->kind; o++)
            if (o->kind == CLOCK || o->kind == SLEEP) return true;
    return false;
}

/* Does dpor show each partial order that dfs shows, once? */
static bool same_orders(uint32_t most) {
    static found all, some;
    lab_tree.traced = true;
    bool done = explore(&rfi_dfs, "random_program", most, &all) &&
                explore(&rfi_dpor, "random_program", most, &some);
    lab_tree.traced = false;
    return done && traces_same(&all.traces, &some.traces) && !some.repeated;
}

/* Compares programs from number `first` on until `count` have been gone through.  Where spinners
 * are held back, which reports say, outcomes may be missing, but the same ones. */
static void compare(comparison *c, uint64_t first, uint32_t count, uint32_t most, bool late) {
    static enumeration e;
    static shown dfs, dpor, other;
    static const rf_strategy *const others[] = {&rfi_random, &rfi_pos, &rfi_surw, &rfi_pct};
    memset(c, 0, sizeof *c);
    e.late = late;
    for (uint64_t n = first; c->compared < count; n++) {
        make_program(&the_program, n);
        c->programs++;
        if (!enumerate(&e, &the_program, 20 * most)) continue;
        show(&rfi_dpor, most, late, &dpor);
        show(&rfi_dfs, most, late, &dfs);
        if (late && dfs.held) continue; /* time passes for spinners too */
        if (!dpor.all || !dfs.all) continue;
        show(others[n % RFI_LENGTH(others)], 20, late, &other);
        c->compared++;
        c->held += dfs.held != 0;
        c->outcomes += e.outcomes.count;
        c->states += e.states;
        c->dfs += dfs.executions;
        c->dpor += dpor.executions;
        bool as_dfs = dfs.held ? numbers_within(&dfs.outcomes, &e.outcomes)
                               : same(&dfs.outcomes, &e.outcomes);
        bool as_dpor = same(&dpor.outcomes, dfs.held ? &dfs.outcomes : &e.outcomes);
        bool strange = !numbers_within(&other.outcomes, &e.outcomes);
        c->differ_dfs += !as_dfs;
        c->differ_dpor += !as_dpor;
        c->strange += strange;
        if (!late && !dfs.held && !reads_clock(&the_program)) c->orders += !same_orders(most);
        if (as_dfs && as_dpor && !strange) continue;
        printf("# program %llu: %u outcomes, dfs %u%s, dpor %u%s%s\n", (unsigned long long)n,
               e.outcomes.count, dfs.outcomes.count, as_dfs ? "" : " (differs)",
               dpor.outcomes.count, as_dpor ? "" : " (differs)",
               strange ? ", another explorer shows what can't be" : "");
        print_program(&the_program);
    }
}

/* What explorers show that draw: nothing else, and more and more of it.  Programs from number
 * `first` on whose outcomes are known, where no spinner is held back. */
static void grows(uint64_t first, uint32_t count) {
    static const rf_strategy *const all[] = {&rfi_random,   &rfi_sticky,  &rfi_pct,  &rfi_pos,
                                             &rfi_rapos,    &rfi_delay,   &rfi_surw, &rfi_urw,
                                             &rfi_feedback, &rfi_drfinder};
    static const uint32_t most[] = {10, 100, 1000};
    static enumeration e;
    static shown s;
    uint64_t there = 0, shows[RFI_LENGTH(all)][RFI_LENGTH(most)] = {{0}};
    uint32_t strange = 0, compared = 0;
    for (uint64_t n = first; compared < count; n++) {
        make_program(&the_program, n);
        if (!enumerate(&e, &the_program, 20000) || e.outcomes.count < 2) continue;
        compared++;
        there += e.outcomes.count;
        for (uint32_t i = 0; i < RFI_LENGTH(all); i++)
            for (uint32_t k = 0; k < RFI_LENGTH(most); k++) {
                show(all[i], most[k], false, &s);
                strange += !numbers_within(&s.outcomes, &e.outcomes);
                shows[i][k] += s.outcomes.count;
            }
    }
    bool more = true, nearly = true;
    for (uint32_t i = 0; i < RFI_LENGTH(all); i++) {
        printf("# %s: %llu, %llu, %llu of %llu outcomes in 10, 100, 1,000 executions\n",
               all[i]->name, (unsigned long long)shows[i][0], (unsigned long long)shows[i][1],
               (unsigned long long)shows[i][2], (unsigned long long)there);
        more &= shows[i][0] < shows[i][1] && shows[i][1] <= shows[i][2];
        /* with so few change points, delays or switches not all can be reached */
        uint32_t least = all[i] == &rfi_pct ? 80 : all[i] == &rfi_sticky ? 85 : 93;
        if (all[i] == &rfi_delay) least = 90;
        nearly &= shows[i][2] * 100 >= there * least;
    }
    LAB_CHECK("explorers that draw show nothing else", !strange);
    LAB_CHECK("and more of it with more executions, nearly all in a thousand", more && nearly);
}

/* A sleep that passes early leaves no time for one that begins later, so dpor tries all orders of
 * sleeps. */
static void compare_early(void) {
    static shown dfs, dpor;
    the_program = (program){3,
                            {{{SLEEP, 0, 4, 0}, {LOAD, 0, 0, 0}},
                             {{STORE, 1, 1, 0}, {SLEEP, 0, 4, 0}, {LOAD, 0, 0, 0}},
                             {{STORE, 0, 1, 0}}}};
    show(&rfi_dpor, 1000, 1 + 5, &dpor);
    show(&rfi_dfs, 1000, 1 + 5, &dfs);
    LAB_CHECK("dpor shows what dfs does where some time may pass early",
              dpor.all && dfs.all && same(&dpor.outcomes, &dfs.outcomes));
    LAB_CHECK("which is that either sleep ends early, or both, or neither",
              dfs.outcomes.count == 4);
}

/* The comparison as a test; arguments: from which program on, how many, of how many schedules. */
static int compare_all(int argc, char **argv, uint64_t first, uint32_t count, uint32_t most) {
    comparison c;
    if (argc > 1) first = strtoull(argv[1], NULL, 10);
    if (argc > 2) count = (uint32_t)strtoul(argv[2], NULL, 10);
    if (argc > 3) most = (uint32_t)strtoul(argv[3], NULL, 10);
    for (unsigned late = 0; late < 2; late++) {
        compare(&c, first, late ? count / 2 : count, most, late);
        printf("# %s: %u of %u programs, %u with spinners held back; %u outcomes in %llu states, "
               "%llu schedules, %llu of dpor\n",
               late ? "late" : "any time", c.compared, c.programs, c.held, c.outcomes,
               (unsigned long long)c.states, (unsigned long long)c.dfs, (unsigned long long)c.dpor);
        LAB_CHECK(late ? "dfs shows every outcome where time passes late, and no other"
                       : "dfs shows every outcome of a program, and no other",
                  !c.differ_dfs);
        LAB_CHECK(late ? "dpor shows every outcome where time passes late, and no other"
                       : "dpor shows every outcome of a program, and no other",
                  !c.differ_dpor);
        LAB_CHECK(late ? "what other explorers show where time passes late is among them"
                       : "what other explorers show is among them",
                  !c.strange);
        LAB_CHECK("dpor shows every partial order once", !c.orders);
    }
    grows(first, count / 5);
    compare_early();
    return lab_end();
}
#endif

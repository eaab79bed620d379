// flags: -Isrc
/* The race detectors against their definitions on random traces: every primitive, four threads,
 * each trace one that a program could produce. */
#define RF_IMPLEMENTATION
#include "detect_others.h"

enum { THREADS = 4, LENGTH = 60 };
#define TRACES by_night(1000, 4000)
enum { MUTEX_A = 1, MUTEX_B, RWLOCK, SEM, BARRIER, ONCE, COND };
enum { UNBORN, RUNS, WAITS, WOKEN, ARRIVED, ENDED, JOINED };

/* What the objects of a trace look like at its end so far. */
typedef struct world {
    trace *t;
    rf_prng random;
    uint8_t state[THREADS];
    uint8_t held[THREADS][COND]; /* by lock: 0, 1 exclusive, 2 shared */
    uint64_t phase[THREADS], barrier_phase;
    uint32_t arrived, tokens;
    uint32_t lines; /* few: pairs are found again and again; many: each pair is one of accesses */
    bool once;
} world;

static bool free_for(const world *w, uint32_t lock, bool shared) {
    for (uint32_t u = 0; u < THREADS; u++)
        if (w->held[u][lock] && !(shared && w->held[u][lock] == 2)) return false;
    return true;
}

static void locking(world *w, uint32_t t, uint32_t lock, bool shared) {
    uint8_t *held = &w->held[t][lock];
    if (!*held && !free_for(w, lock, shared)) return;
    if (*held) shared = *held == 2;
    rf_event *e = trace_add(w->t, *held ? RF_EV_UNLOCK : RF_EV_LOCK, t);
    e->object = lock;
    e->flags = shared ? RF_EV_SHARED : 0;
    *held = *held ? 0 : shared ? 2 : 1;
}

static void access_memory(world *w, uint32_t t) {
    static const uint8_t orders[] = {__ATOMIC_RELAXED, __ATOMIC_RELAXED, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELEASE, __ATOMIC_ACQ_REL, __ATOMIC_SEQ_CST};
    rf_prng *r = &w->random;
    bool plain = rfi_below(r, 5) < 3, variable = rfi_coin(r);
    unsigned how = rfi_below(r, 3), line = 1 + rfi_below(r, w->lines);
    rf_event *e;
    if (plain) {
        e = trace_add(w->t, how ? RF_EV_STORE : RF_EV_LOAD, t);
        e->flags = how ? RF_EV_WRITES : RF_EV_READS;
        if (!rfi_below(r, 16)) e->flags |= RF_EV_RACY;
        char name = 'x';
        unsigned offset = 0, size = 4;
        if (!variable) name = rfi_below(r, 6) ? 'y' : 'f';
        if (!rfi_below(r, 4)) {
            offset = rfi_below(r, 10);
            size = 1 + rfi_below(r, 12);
        }
        place(e, name, offset, size, line);
    } else {
        static const uint8_t kinds[] = {RF_EV_LOAD, RF_EV_STORE, RF_EV_RMW};
        e = trace_add(w->t, kinds[how], t);
        e->flags =
            (uint16_t)(RF_EV_ATOMIC | (how ? RF_EV_WRITES : 0) | (how == 1 ? 0 : RF_EV_READS));
        e->order = orders[rfi_below(r, 6)];
        place(e, variable ? 'f' : 'g', 0, 4, line);
    }
}

static void blocks(world *w, uint32_t t) {
    static const uint8_t kinds[] = {RF_EV_FREE, RF_EV_ALLOC, RF_EV_RECYCLE};
    unsigned which = rfi_below(&w->random, 3);
    rf_event *e = trace_add(w->t, kinds[which], t);
    e->flags = which ? 0 : RF_EV_WRITES;
    char name = "xyf"[rfi_below(&w->random, 3)];
    place(e, name, 0, 1 + rfi_below(&w->random, 32), 1);
}

static void semaphore(world *w, uint32_t t) {
    bool post = rfi_coin(&w->random);
    if (!post && !w->tokens) return;
    rf_event *e = trace_add(w->t, post ? RF_EV_SEM_POST : RF_EV_SEM_WAIT, t);
    e->object = SEM;
    e->value = post ? ++w->tokens : --w->tokens;
}

static void barrier(world *w, uint32_t t) {
    rf_event *e = trace_add(w->t, RF_EV_ARRIVE, t);
    e->object = BARRIER;
    e->value = w->phase[t] = w->barrier_phase;
    w->state[t] = ARRIVED;
    if (++w->arrived < 2) return;
    w->arrived = 0;
    w->barrier_phase++;
}

static void once(world *w, uint32_t t) {
    trace_add(w->t, w->once ? RF_EV_ONCE_PASS : RF_EV_ONCE_DONE, t)->object = ONCE;
    w->once = true;
}

static void condition(world *w, uint32_t t) {
    if (w->held[t][MUTEX_A] && rfi_coin(&w->random)) {
        trace_add(w->t, RF_EV_WAIT, t)->object = COND;
        locking(w, t, MUTEX_A, false);
        w->state[t] = WAITS;
        return;
    }
    trace_add(w->t, RF_EV_BROADCAST, t)->object = COND;
    for (uint32_t u = 0; u < THREADS; u++) {
        if (w->state[u] != WAITS || !rfi_below(&w->random, 4)) continue;
        trace_add(w->t, RF_EV_NOTIFY, t)->other = u;
        w->state[u] = WOKEN;
    }
}

/* Start, end and join: thread `t` does something with thread `u`. */
static void life(world *w, uint32_t t, uint32_t u) {
    if (t == u) {
        if (!t || rfi_below(&w->random, 3)) return;
        for (uint32_t lock = MUTEX_A; lock <= RWLOCK; lock++)
            if (w->held[t][lock]) return;
        trace_add(w->t, RF_EV_EXIT, t);
        w->state[t] = ENDED;
    } else if (w->state[u] == UNBORN) {
        trace_add(w->t, RF_EV_CREATE, t)->other = u;
        w->state[u] = RUNS;
    } else if (w->state[u] == ENDED) {
        trace_add(w->t, RF_EV_JOIN, t)->other = u;
        w->state[u] = JOINED;
    }
}

/* A thread that stands somewhere goes on if it can. */
static void unblock(world *w, uint32_t t) {
    if (w->state[t] == ARRIVED && w->barrier_phase != w->phase[t]) {
        rf_event *e = trace_add(w->t, RF_EV_DEPART, t);
        e->object = BARRIER;
        e->value = w->phase[t];
        w->state[t] = RUNS;
    } else if ((w->state[t] == WAITS || w->state[t] == WOKEN) && free_for(w, MUTEX_A, false)) {
        rf_event *e = trace_add(w->t, RF_EV_WAKE, t);
        e->object = COND;
        e->value = w->state[t] == WOKEN ? RF_WAKE_SIGNAL : RF_WAKE_TIMEOUT;
        locking(w, t, MUTEX_A, false);
        w->state[t] = RUNS;
    }
}

static void step(world *w) {
    rf_prng *r = &w->random;
    uint32_t t = rfi_below(r, THREADS);
    if (w->state[t] != RUNS) {
        unblock(w, t);
        return;
    }
    switch (rfi_below(r, 16)) {
    case 0: semaphore(w, t); break;
    case 1: barrier(w, t); break;
    case 2: once(w, t); break;
    case 3: condition(w, t); break;
    case 4:
    case 5: life(w, t, rfi_below(r, THREADS)); break;
    case 6: locking(w, t, MUTEX_A, false); break;
    case 7: locking(w, t, MUTEX_B, false); break;
    case 8: locking(w, t, RWLOCK, rfi_below(r, 3)); break;
    case 9: {
        static const uint8_t orders[] = {__ATOMIC_ACQUIRE, __ATOMIC_RELEASE, __ATOMIC_ACQ_REL,
                                         __ATOMIC_SEQ_CST};
        trace_add(w->t, RF_EV_FENCE, t)->order = orders[rfi_below(r, 4)];
        break;
    }
    case 10:
        if (!rfi_below(r, 6)) blocks(w, t);
        break;
    default: access_memory(w, t);
    }
}

static void trace_random(trace *t, uint64_t seed) {
    t->n = 0;
    world w = {.t = t, .random = rfi_prng_make(seed, 0)};
    w.lines = seed % 3 ? LINES - 1 : 4;
    w.tokens = rfi_below(&w.random, 2);
    w.state[0] = RUNS;
    for (uint32_t u = 1; u < THREADS; u++) /* some are there from the beginning */
        if (rfi_coin(&w.random)) w.state[u] = RUNS;
    for (unsigned i = 0; i < 4 * LENGTH && t->n < LENGTH - THREADS; i++) step(&w);
}

static unsigned pairs_count(const pairs *p) {
    unsigned n = 0;
    for (unsigned i = 0; i < LINES * 2; i++)
        for (unsigned k = 0; k < LINES * 2; k++) n += p->found[i][k] != 0;
    return n;
}

/* Gives every access a statement of its own. */
static void tell_apart(trace *t) {
    for (uint32_t i = 0; i < t->n; i++)
        if (t->e[i].site) t->e[i].site = &sites[i][t->e[i].site->kind];
}

enum { ANALYSES = sizeof race_detectors / sizeof *race_detectors };

/* All at once, in an order that depends on the seed, find what each finds alone. */
static bool together_agree(const trace *t, uint64_t seed) {
    const rf_analysis *all[ANALYSES + 1] = {NULL};
    for (unsigned i = 0; i < ANALYSES; i++)
        all[i] = race_detectors[(i * (ANALYSES - 1) + seed) % ANALYSES];
    for (unsigned i = 0; i < ANALYSES; i++) {
        const rf_analysis *const alone[] = {all[i], NULL};
        pairs apart, joint;
        run(alone, t, &apart);
        sink_only = all[i]->name;
        run(all, t, &joint);
        sink_only = NULL;
        if (memcmp(&apart, &joint, sizeof joint)) return false;
    }
    return true;
}

/* How many of the random traces a detector gets wrong, and in how many it reports something. */
typedef struct score {
    unsigned wrong, reports;
} score;

static void judge(score *s, const rf_analysis *const *a, const trace *t,
                  bool (*agrees)(const trace *t, const pairs *got)) {
    pairs got;
    run(a, t, &got);
    s->wrong += !agrees(t, &got);
    s->reports += sink_calls != 0;
}

static void others(void) {
    static trace t;
    score fasttrack = {0}, eraser = {0}, lockset = {0}, stateless = {0};
    unsigned apart = 0;
    for (uint64_t seed = 0; seed < TRACES; seed++) {
        trace_random(&t, seed);
        judge(&lockset, use_lockset, &t, lockset_agrees);
        judge(&eraser, use_eraser, &t, eraser_agrees);
        judge(&stateless, use_stateless, &t, stateless_agrees);
        if (seed % 4 == 0) apart += !together_agree(&t, seed / 4);
        tell_apart(&t);
        feed_lane = seed % 2;
        judge(&fasttrack, use_fasttrack, &t, fasttrack_agrees);
        feed_lane = false;
        judge(&eraser, use_eraser, &t, eraser_agrees);
    }
    printf("# traces with reports: fasttrack %u, eraser %u (twice), lockset %u\n",
           fasttrack.reports, eraser.reports, lockset.reports);
    printf("# of which fasttrack learns nothing: %u accesses\n", fed_known);
    check(!fasttrack.wrong && fasttrack.reports > TRACES / 2 && fed_known > TRACES / 10,
          "fasttrack_finds_the_first_races_of_hb");
    check(!eraser.wrong && eraser.reports > TRACES / 2, "eraser_agrees_with_its_states");
    check(!stateless.wrong && stateless.reports > TRACES / 2, "stateless_agrees_with_the_slides");
    check(!lockset.wrong && lockset.reports > TRACES / 2, "lockset_agrees_with_its_definition");
    check(!apart, "all_at_once_find_what_each_finds_alone");
}

int main(void) {
    static trace t;
    static unsigned kinds[RF_EV_COUNT];
    pairs hb, hy;
    unsigned wrong = 0, apart = 0, some = 0, none = 0, all = 0;
    tests_open();
    for (uint64_t seed = 0; seed < TRACES; seed++) {
        trace_random(&t, seed);
        for (uint32_t i = 0; i < t.n; i++) kinds[t.e[i].kind]++;
        feed_lane = seed / 2 % 2;
        run(use_hb, &t, &hb);
        run(use_hybrid, &t, &hy);
        if (!brute_agrees(&t, &hb, &hy)) wrong++;
        if (!joint_agrees(seed & 1 ? use_both : use_both_turned, &t, &hb, &hy)) apart++;
        feed_lane = false;
        some += pairs_count(&hb) != 0;
        none += pairs_count(&hb) == 0;
        all += pairs_count(&hb) + pairs_count(&hy);
    }
    printf("# random traces: %u, %u with races, %u without, %u pairs\n", TRACES, some, none, all);
    check(!wrong, "random_traces_agree_with_the_definitions");
    check(!apart, "random_traces_agree_when_both_run");
    check(some > TRACES / 10 && none > TRACES / 100, "random_traces_have_races_and_have_none");
    bool seen = true;
    for (unsigned k = 0; k < RF_EV_COUNT; k++)
        if ((RFI_TRACK_EVENTS & RF_EV_BIT(k)) && k != RF_EV_INIT && k != RF_EV_CALL &&
            k != RF_EV_CLAIM && k != RF_EV_CLAIM_END)
            seen &= kinds[k] > 25; /* calls order by messages: tests/hook_reach.sh; claims order
                                       nothing: tests/exclusive.sh */
    check(seen, "random_traces_use_every_primitive");
    others();
    return check_end();
}

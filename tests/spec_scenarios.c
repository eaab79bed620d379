/* Scenarios (spec/scenario.h, campaign/scenes.h): how many there are, which of them an explorer has
 * proved, that none comes twice, and what progress is proved by. */
#define RF_IMPLEMENTATION
#include "tests/lab.h"

enum { SEEN = 1 << 16 };
static uint64_t seen[SEEN];        /* the scenarios of all executions, in their order */
static uint32_t executions, since; /* since: the first one of the last search */
static uint64_t search;
static _Atomic int word, other;

static void fresh(void) {
    rf_atomic_init(&word, 0);
    rf_atomic_init(&other, 0);
    if (executions == SEEN) rfi_die("too many executions");
    bool aside = rfi.record->search == RFI_ASIDE;
    if (!aside && search != rfi.record->search) since = executions;
    if (!aside) search = rfi.record->search;
    seen[executions++] = aside ? 0 : rfi.record->scene;
}

static uint32_t distinct(uint32_t from) {
    uint32_t n = 0;
    rfi_map known = {0};
    for (uint32_t i = from; i < executions; i++) n += seen[i] && !(*rfi_map_at(&known, seen[i]))++;
    rfi_map_free(&known);
    return n;
}

static const rfi_scenarios *scenarios(const char *test, const char *strategy, const char *memory,
                                      unsigned budget) {
    char some[32];
    snprintf(some, sizeof some, "--executions=%u", budget);
    executions = since = 0;
    search = 0;
    const rfi_scenarios *s =
        strategy ? &lab_study(test, some, strategy, memory, NULL)->result.statistics.scenarios
                 : &lab_study(test, some, NULL)->result.statistics.scenarios;
    printf("# %s %u: %llu of %u, %llu proved, %u sizes, %llu steps\n", test, budget,
           (unsigned long long)s->run, s->all, (unsigned long long)s->proved, s->whole,
           (unsigned long long)s->own.most);
    return s;
}

/* ---- many scenarios ---- */

RF_OBJECT(cell) { fresh(); }
RF_OPERATION(cell, add, (int by, int times), int, .args = {RF_ARG(1, 2), RF_ARG(0, 1)}) {
    return rf_atomic_fetch_add(&word, by * times);
}
RF_OPERATION(cell, set, (int value), void) { rf_atomic_store(&word, value); }
RF_OPERATION(cell, get, (void), int) { return rf_atomic_load(&word); }
RF_LINEARIZABLE(cell, .threads = 3, .operations = 2, .before = 1, .after = -1)

/* The same with limits. */
RF_OBJECT(owned) { fresh(); }
RF_OPERATION(owned, add, (void), int) { return rf_atomic_fetch_add(&word, 1); }
RF_OPERATION(owned, set, (int value), void, .one_thread = "owner") {
    rf_atomic_store(&word, value);
}
RF_OPERATION(owned, get, (void), int, .most = 2) { return rf_atomic_load(&word); }
RF_LINEARIZABLE(owned, .threads = 2, .operations = 2, .before = 1, .after = -1)

/* ---- the smallest ---- */

RF_OBJECT(tiny) { fresh(); }
RF_OPERATION(tiny, add, (void), int) { return rf_atomic_fetch_add(&word, 1); }
RF_OPERATION(tiny, get, (void), int) { return rf_atomic_load(&word); }
RF_LINEARIZABLE(tiny, .threads = 2, .operations = 1, .before = -1, .after = -1)

/* One thread makes calls, and nobody else. */
RF_OBJECT(lonely) { fresh(); }
RF_OPERATION(lonely, add, (void), int) { return rf_atomic_fetch_add(&word, 1); }
RF_LINEARIZABLE(lonely, .threads = 1, .operations = 3, .before = -1, .after = -1)

/* A loop that gives up, which the search takes for one that waits: it begins anew. */
RF_OBJECT(patient) { fresh(); }
RF_OPERATION(patient, look, (void), void) {
    for (int i = 0; i < 9 && !rf_atomic_load(&word); i++) continue;
}
RF_OPERATION(patient, set, (void), void) { rf_atomic_store(&word, 1); }
RF_LINEARIZABLE(patient, .threads = 2, .operations = 1, .before = 1, .after = -1)

/* ---- progress ---- */

RF_OBJECT(twice) { fresh(); }
RF_OPERATION(twice, both, (void), void) {
    rf_atomic_fetch_add(&word, 1);
    rf_atomic_fetch_add(&other, 1);
}
RF_OPERATION(twice, one, (void), void) { rf_atomic_fetch_add(&word, 1); }
RF_LINEARIZABLE(twice, .threads = 2, .operations = 1, .before = -1, .after = -1,
                .progress = RF_WAIT_FREE)

/* Who fails tries again: three times if each of three calls of the other one comes between. */
RF_OBJECT(again) { fresh(); }
RF_OPERATION(again, add, (void), int) {
    int value = rf_atomic_load(&word);
    while (!rf_atomic_compare_exchange_strong(&word, &value, value + 1)) continue;
    return value;
}
RF_LINEARIZABLE(again, .threads = 2, .operations = 3, .before = -1, .after = -1,
                .progress = RF_LOCK_FREE)

/* Calls may wait, and say so: that is no progress that others can't hold up. */
static rf_mutex lock = RF_MUTEX_INIT;
RF_OBJECT(locked) { fresh(); }
RF_OPERATION(locked, add, (void), void, .blocks = true) {
    RF_GUARD(&lock) { rf_atomic_fetch_add(&word, 1); }
}
RF_LINEARIZABLE(locked, .threads = 2, .operations = 1, .before = -1, .after = -1,
                .progress = RF_LOCK_FREE)

RF_OBJECT(spinning) { fresh(); }
RF_OPERATION(spinning, add, (void), void, .blocks = true) {
    for (int none = 0; !rf_atomic_compare_exchange_strong(&other, &none, 1);) none = 0;
    rf_atomic_fetch_add(&word, 1);
    rf_atomic_store(&other, 0);
}
RF_LINEARIZABLE(spinning, .threads = 2, .operations = 1, .before = -1, .after = -1,
                .progress = RF_LOCK_FREE)

RF_OBJECT(tried) { fresh(); }
RF_OPERATION(tried, add, (void), bool, .may_fail = true) {
    if (!RF_TRYLOCK(&lock)) return false;
    rf_atomic_fetch_add(&word, 1);
    RF_UNLOCK(&lock);
    return true;
}
RF_LINEARIZABLE(tried, .threads = 2, .operations = 1, .before = -1, .after = -1,
                .progress = RF_WAIT_FREE)

/* ---- counting ---- */

/* The scenario that was drawn, whatever the order of its threads. */
static uint64_t canonical(uint32_t threads) {
    uint64_t lane[RFI_LANES + 1] = {0}, h = threads;
    for (uint32_t i = 0; i < rfi_scenario.history.calls; i++) {
        const rfi_invocation *c = &rfi_scenario.history.call[i];
        uint64_t *l = &lane[i >= rfi_scenario.begin[threads + 1] ? threads + 1 : c->lane];
        *l = rfi_mix(*l + rfi_scenario.pick[i] + 1);
        for (unsigned a = 0; a < c->of->arguments; a++)
            if (c->of->options.args[a].given) *l = rfi_mix(*l + (uint64_t)c->argument[a]);
    }
    for (uint32_t l = 1; l <= threads; l++) h += rfi_mix(lane[l]);
    return rfi_mix(rfi_mix(h) + lane[0]) + lane[threads + 1];
}

static void none_comes_twice(const char *test) {
    const rfi_test *t = rfi_test_named(test);
    rfi_map known = {0};
    uint32_t n = 0, again = 0;
    memset(&rfi_scenario_counted, 0, sizeof rfi_scenario_counted);
    rfi_scenario_counted.counts = true;
    do {
        uint32_t threads = rfi_scenario_make(t->object, &t->options);
        again += (*rfi_map_at(&known, canonical(threads)))++ != 0;
        n++;
    } while (rfi_scenario_counted_next());
    rfi_scenario_counted.counts = false;
    rfi_map_free(&known);
    printf("# %s: %u scenarios\n", test, n);
    LAB_CHECK("no two scenarios differ by the order of threads, or by values, alone", n && !again);
}

/* After each budget: what was run is what was seen, and all but the last one is proved, of the last
 * search; nothing of one that is just about to begin anew. */
static void budgets(const char *test, const char *strategy, const char *memory) {
    bool runs = true, proves = true, whole = true;
    uint64_t sum = 0, all = 0;
    for (unsigned budget = 1; budget < 60000; budget += budget < 110 ? 1 : 40000) {
        const rfi_scenarios *s = scenarios(test, strategy, memory, budget);
        uint32_t n = distinct(0), done = distinct(since) - 1;
        if (lab_the_study.scenes.search.number != search) done = 0;
        if (lab_the_study.scenes.over) done = n;
        runs &= since ? s->run >= done && s->run <= n : s->run == n;
        proves &= s->proved == done && (done < n || n == s->all);
        sum = 0;
        for (uint32_t k = 0; k < s->whole; k++) sum += s->of_size[k];
        whole &= sum <= done && (s->whole == s->sizes || sum + s->of_size[s->whole] > done);
        all = s->all;
    }
    LAB_CHECK("scenarios that were run are counted", runs);
    LAB_CHECK("those that an explorer is done with are proved", proves);
    LAB_CHECK("sizes that it is done with are told", whole && sum == all);
}

/* ---- the tests ---- */

static const rfi_scenarios *proved(const char *test) {
    const rfi_scenarios *s = scenarios(test, "--strategy=graphs", "--memory=c11", 20000);
    LAB_CHECK("all scenarios are proved", s->proved == s->all);
    return s;
}

int main(void) {
    none_comes_twice("cell_linearizable");
    none_comes_twice("again_linearizable");
    budgets("owned_linearizable", "--strategy=dpor", "--memory=sc");
    budgets("owned_linearizable", "--strategy=graphs", "--memory=c11");
    budgets("patient_linearizable", "--strategy=graphs", "--memory=c11");

    const rfi_scenarios *s = scenarios("tiny_linearizable", NULL, NULL, 1000);
    LAB_CHECK("two operations, two threads: three scenarios, proved by default",
              s->all == 3 && s->run == 3 && s->proved == 3);
    s = scenarios("lonely_linearizable", NULL, NULL, 1000);
    LAB_CHECK("one thread makes one call, two or three", s->all == 3 && s->proved == 3);
    s = scenarios("cell_linearizable", "--strategy=random", NULL, 1000);
    LAB_CHECK("what is drawn proves nothing",
              s->run == distinct(0) && s->run > 100 && !s->proved && !s->whole);
    s = scenarios("cell_linearizable", NULL, NULL, 3000);
    LAB_CHECK("the smallest scenarios are proved by default",
              s->proved >= s->of_size[0] && s->whole && s->proved < s->all);
    uint64_t before = s->proved;
    s = scenarios("cell_linearizable", NULL, NULL, 9000);
    LAB_CHECK("the more executions, the more of them", s->proved > before);

    LAB_CHECK("each call has as many steps as it makes",
              proved("twice_linearizable")->own.most == 2);
    s = proved("again_linearizable");
    LAB_CHECK("a call tries again once for each of the other thread", s->own.most == 5);
    LAB_CHECK("where calls lock nothing is said", !proved("locked_linearizable")->own.most);
    const rfi_statistics *all = &lab_the_study.result.statistics;
    LAB_CHECK("but that nobody was stopped", all->unstopped && all->scenarios.waits);
    (void)proved("twice_linearizable");
    LAB_CHECK("where none waits that is beside the point", !all->unstopped && all->proved);
    (void)scenarios("twice_linearizable", "--strategy=dfs", "--memory=sc", 20000);
    LAB_CHECK("who does not look for waits says so always", all->unstopped && !all->proved);
    (void)scenarios("locked_linearizable", "--strategy=random,dfs", "--memory=sc", 1000);
    LAB_CHECK("beside one that draws it is tried", !all->unstopped && executions > 900);
    LAB_CHECK("where calls spin nothing is said", !proved("spinning_linearizable")->own.most);
    s = scenarios("spinning_linearizable", "--strategy=dpor", "--memory=sc", 20000);
    LAB_CHECK("nor by dpor", s->proved == s->all && !s->own.most);
    s = scenarios("locked_linearizable", NULL, NULL, 1000);
    LAB_CHECK("where calls wait, threads are stopped although all orders are explored",
              s->proved == s->all && !lab_the_study.proved && executions > 900);
    LAB_CHECK("a call that tries a lock does not wait", proved("tried_linearizable")->own.most);
    return lab_end();
}

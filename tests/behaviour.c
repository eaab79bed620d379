/* The number of an execution's partial order, against a canonical form of the same order and
 * against counts that are known; the set that keeps them; coverage of statements. */
#define RF_IMPLEMENTATION
#include "script.h"
#include "choices.h"

enum { MOST_EVENTS = 128, MOST_FORMS = 8192 };

/* ---- the canonical form: the first of all equivalent sequences in the order of threads ---- */

static rf_event event[MOST_EVENTS];
static uint32_t events;

static void record(const rf_event *e) {
    if (events == MOST_EVENTS) rfi_die("too many events");
    event[events++] = *e;
    if (e->flags & RF_EV_STALE) event[events - 1].value2 = e->origin->hidden + 1;
}

static bool may_be_next(const bool *done, uint32_t i) {
    for (uint32_t k = 0; k < i; k++)
        if (!done[k] && rf_events_depend(&event[k], &event[i])) return false;
    return !done[i];
}

static const char *canonical(void) {
    static char text[MOST_EVENTS * 24];
    bool done[MOST_EVENTS] = {0};
    rfi_text out = {text, text + sizeof text};
    text[0] = 0;
    for (uint32_t n = 0; n < events; n++) {
        uint32_t next = UINT32_MAX;
        for (uint32_t i = 0; i < events; i++)
            if (may_be_next(done, i) &&
                (next == UINT32_MAX || event[i].thread < event[next].thread))
                next = i;
        const rf_event *e = &event[next];
        done[next] = true;
        bool tells = e->kind == RF_EV_WAKE, stale = e->flags & RF_EV_STALE;
        rfi_append(&out, "%u:%u:%u:%u ", e->thread, e->kind, e->site->line,
                   (unsigned)(tells   ? e->value
                              : stale ? e->value2
                                      : 0));
    }
    return text;
}

/* Forms seen, and the number that went with each. */
static struct {
    char *text;
    uint64_t hash, order;
} form[MOST_FORMS];
static uint32_t forms, conflicts;

static void forms_reset(void) {
    while (forms) free(form[--forms].text);
}

/* The same form must always go with the same number, another one with another. */
static void compare(uint64_t order) {
    const char *text = canonical();
    uint64_t hash = rfi_hash_text(text);
    for (uint32_t i = 0; i < forms; i++) {
        bool same = form[i].hash == hash && !strcmp(form[i].text, text);
        if (same != (form[i].order == order)) conflicts++;
        if (same) return;
    }
    if (forms == MOST_FORMS) rfi_die("too many forms");
    form[forms].text = strdup(text);
    form[forms].hash = hash;
    form[forms++].order = order;
}

/* ---- schedules: all of them, or some that are drawn ---- */

static choices schedule;

static void all_begin(uint64_t seed) {
    (void)seed;
    events = 0;
}

static uint32_t all_pick(const rf_choice *c) {
    return rf_choice_at(c, choices_make(&schedule, c->count));
}

static const rf_strategy all = {
    .name = "all", .help = "", .begin = all_begin, .pick = all_pick, .executed = record};

static rf_prng stream;

static void some_begin(uint64_t seed) {
    events = 0;
    stream = (rf_prng){seed};
}

static uint32_t some_pick(const rf_choice *c) {
    return rf_choice_at(c, rf_random_below(&stream, c->count));
}

static const rf_strategy some = {
    .name = "some", .help = "", .begin = some_begin, .pick = some_pick, .executed = record};

/* Executions of a test; forms and conflicts say what came of it. */
static uint64_t run(const char *test, const rf_strategy *strategy, uint64_t seed, uint32_t n,
                    bool c11) {
    rfi_job j = lab_job_of(test, RFI_PREDICT, LAB_FINE);
    j.strategy = strategy;
    j.seed = seed;
    j.spurious = false;
    j.memory.atomics = c11 ? RF_MEM_C11 : RF_MEM_SC;
    schedule = (choices){.count = 0};
    for (uint32_t i = 0; i < n; i++) {
        /* the choices that `all` goes through are those of one seed */
        compare(lab_run(&j, strategy == &all ? 0 : i, false)->order);
        if (strategy == &all && !choices_next(&schedule)) return i + 1;
    }
    return n;
}

/* ---- programs whose orders are known ---- */

static int x;
static char byte[8] __attribute__((aligned(8)));
static rf_mutex m = RF_MUTEX_INIT;
static rf_rwlock rw = RF_RWLOCK_INIT;

static void *write_x(void *u) { return RF_STORE(x, 1), u; }
static void *add_x(void *u) { return RF_STORE(x, RF_LOAD(x) + 1), u; }
static void *write_0(void *u) { return RF_WRITE(byte, 1), u; }
static void *write_1(void *u) { return RF_WRITE(byte + 1, 1), u; }
static void *write_low(void *u) { return RF_WRITE(byte, 4), u; }
static void *write_high(void *u) { return RF_WRITE(byte + 4, 4), u; }
static void *write_all(void *u) { return RF_WRITE(byte, 8), u; }
static void *lock_m(void *u) { return RF_LOCK(&m), RF_UNLOCK(&m), u; }
static void *try_m(void *u) { return RF_TRYLOCK(&m) ? RF_UNLOCK(&m) : (void)0, u; }

static void together(void *(*a)(void *), void *(*b)(void *), void *(*c)(void *)) {
    void *(*fn[3])(void *) = {a, b, c};
    rf_thread t[3];
    x = 0;
    for (int i = 0; i < 3; i++)
        if (fn[i]) t[i] = RF_THREAD(fn[i], NULL);
    for (int i = 0; i < 3; i++)
        if (fn[i]) (void)RF_JOIN(t[i]);
}

RF_TEST(three_updates) { together(add_x, add_x, add_x); }
RF_TEST(neighbouring_bytes) { together(write_0, write_1, NULL); }
RF_TEST(halves_and_whole) { together(write_low, write_all, write_high); }
RF_TEST(halves_and_byte) { together(write_low, write_1, write_high); }

#define LOCKS  "lock m; unlock m"
#define SHARES "rdlock r; rwunlock r"
#define ADDS   "R x; W x it+1"
/* All run the same statements. */
#define TWO   "body: start; again; join |"
#define THREE "body: start; again; again; join |"

CASE(known_counts) {
    static const struct {
        const char *name, *program; /* NULL: the test of that name */
        uint32_t orders;
    } known[] = {
        {"nothing_shared", "W x 1 | W y 1; W y 2 | yield", 1},
        {"neighbouring_bytes", NULL, 1},
        {"halves_and_whole", NULL, 4}, /* each half before or after */
        {"halves_and_byte", NULL, 2},
        {"lost_update", TWO ADDS, 4},        /* one after the other: 2; both read first: 2 */
        {"readers", "R x | W x 1 | R x", 4}, /* each before or after the write */
        {"writers", THREE "W x 1", 6},
        {"two_objects", LOCKS "|" SHARES "| add a 1", 1},
        {"two_lock", TWO LOCKS, 2},
        {"three_lock", THREE LOCKS, 6},
        {"one_tries", LOCKS "| try m; if = 1 { unlock m }", 3}, /* before, while held, after */
        {"sharers", THREE SHARES, 1},
        {"sharer_and_owner", SHARES "| wrlock r; rwunlock r |" SHARES, 4},
        /* who comes first; they leave in any order */
        {"barrier", "body: barrier b 2; start; again; join | arrive b", 2},
        {"handover", "post s | take s", 1},
        {"updates", TWO "add a 1", 2},
        /* it waits, or comes too late to wait */
        {"wait_and_signal",
         "lock m; loop { peek x; until = 1; wait c m }; unlock m |"
         "lock m; quietly x 1; signal c; unlock m",
         2},
    };
    for (uint32_t i = 0; i < RFI_LENGTH(known); i++) {
        forms_reset();
        conflicts = 0;
        if (known[i].program) script_is(known[i].program, true);
        uint64_t n = run(known[i].program ? "script" : known[i].name, &all, 1, 100000, false);
        snprintf(why, sizeof why, "%u orders, %u expected, %u conflicts", forms, known[i].orders,
                 conflicts);
        printf("# %s: %u orders of %llu schedules\n", known[i].name, forms, (unsigned long long)n);
        lab_check(forms == known[i].orders && !conflicts, known[i].name, why);
    }
}

/* ---- programs at random ---- */

enum { THREADS = 3, OPERATIONS = 4, LARGE = 97 };
static struct operation { uint16_t kind, from, size; } program[THREADS][OPERATIONS];
static _Alignas(16) char data[24 * LARGE];
static rf_mutex lock[2];
static rf_atomic_int cell[2];

static void operate(struct operation o) {
    switch (o.kind) {
    case 0: RF_READ(data + o.from, o.size); break;
    case 1: RF_WRITE(data + o.from, o.size); break;
    case 2: RF_LOCK(&lock[o.from % 2]), RF_UNLOCK(&lock[o.from % 2]); break;
    case 3: o.from % 2 ? RF_RDLOCK(&rw) : RF_WRLOCK(&rw), RF_RWUNLOCK(&rw); break;
    case 4: (void)rf_atomic_load_explicit(&cell[o.from % 2], rf_memory_order_relaxed); break;
    case 5: rf_atomic_store_explicit(&cell[o.from % 2], o.size, rf_memory_order_relaxed); break;
    default: RF_YIELD();
    }
}

static void *operations(void *thread) {
    for (int i = 0; i < OPERATIONS; i++) operate(program[*(int *)thread][i]);
    return NULL;
}

RF_TEST(random_program) {
    static int number[THREADS] = {0, 1, 2};
    rf_thread t[THREADS];
    for (int i = 0; i < 2; i++) {
        rf_mutex_init(&lock[i], "lock", RF_MUTEX_NORMAL);
        rf_atomic_init(&cell[i], 0);
    }
    for (int i = 0; i < THREADS; i++) t[i] = RF_THREAD(operations, &number[i]);
    for (int i = 0; i < THREADS; i++) (void)RF_JOIN(t[i]);
}

static void random_programs(const char *name, uint32_t unit) {
    uint64_t orders = 0, executions = 0;
    conflicts = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        rf_prng chance = {seed};
        for (int t = 0; t < THREADS; t++)
            for (int i = 0; i < OPERATIONS; i++)
                program[t][i] =
                    (struct operation){(uint16_t)rf_random_below(&chance, 7),
                                       (uint16_t)(rf_random_below(&chance, 12) * unit),
                                       (uint16_t)(1 + rf_random_below(&chance, 12 * unit))};
        forms_reset();
        executions += run("random_program", &some, seed, 60, seed % 2);
        orders += forms;
    }
    printf("# %s: %llu orders in %llu executions\n", name, (unsigned long long)orders,
           (unsigned long long)executions);
    LAB_CHECK(name, !conflicts && orders > 4000);
}

CASE(orders_of_programs) {
    random_programs("random_programs_have_a_number_for_each_order", 1);
    random_programs("so_have_those_with_large_ranges", LARGE);
}

static char *const unreal = (char *)((uintptr_t)64 << 32);

/* What a write by operation `id` meets. */
static uint64_t met(size_t from, size_t size, uint64_t id) {
    const rf_event e = {.flags = RF_EV_WRITES, .addr = unreal + from, .size = size};
    return rfi_range_meet((uintptr_t)e.addr, e.size, id, e.flags & RF_EV_WRITES);
}

static size_t kept_bytes(void) {
    size_t bytes = 0;
    for (const rfi_chunk *c = rfi_behaviour.arena.first; c; c = c->next) bytes += c->size;
    return bytes;
}

/* Ranges of which nobody else touches a part, then parts, then all of it again. */
CASE(large_ranges) {
    const size_t size = (size_t)64 << 20, middle = size / 2 + 4;
    rfi_behaviour_begin();
    (void)met(0, size, 1);
    size_t kept = kept_bytes();
    printf("# a large range: %zu KiB for %zu MiB\n", kept >> 10, size >> 20);
    LAB_CHECK("a_large_range_does_not_cost_its_size", kept < size / 4);
    LAB_CHECK("a_part_meets_what_the_whole_was_for", met(middle, 4, 2) == met(size - 4, 4, 2));
    for (unsigned i = 0; i < 3 * RFI_TRACT; i++) (void)met(size / 2 + i, 1, 3 + i);
    (void)met(0, size, 1);
    bool one = true;
    for (rfi_tract *t = rfi_behaviour.tracts; t; t = t->next)
        one &= rfi_run_begin(t, RFI_TRACT - 1) == 0 && rfi_run_end(t, 0) == RFI_TRACT;
    LAB_CHECK("a_write_to_all_parts_makes_them_one", one);
    rfi_behaviour_forget(unreal + middle, unreal + middle + 2 * RFI_TRACT);
    LAB_CHECK("memory_that_changes_hands_has_no_past",
              met(middle - 4, 4, 2) == met(0, 4, 2) &&
                  met(middle + 2 * RFI_TRACT, 4, 2) == met(4, 4, 2) &&
                  met(middle, 2 * RFI_TRACT, 2) == 0);
    rfi_behaviour_begin();
}

/* ---- in a campaign ---- */

static int table[8];

THREAD(look_and_add) {
    int own[4] = {0}, sum = 0;
    for (int i = 0; i < 4; i++) RF_STORE(own[i], RF_LOAD(table[i]));
    for (int i = 0; i < 4; i++) sum += RF_LOAD(own[i]);
    RF_STORE(x, RF_LOAD(x) + 1 + sum);
}

/* Much that only scouts take for scheduling points. */
RF_TEST(private_work, .executions = 400) {
    for (int i = 0; i < 8; i++) RF_STORE(table[i], 0);
    RF_STORE(x, 0);
    run_two(look_and_add, look_and_add);
    (void)RF_LOAD(x);
}

THREAD(chosen_work) {
    if (RF_CHOOSE(2))
        RF_STORE(x, 1);
    else
        RF_STORE(x, 2);
}

RF_TEST(inputs, .executions = 200) { together(chosen_work, write_x, NULL); }

CASE(campaigns) {
    const rfi_statistics *r = &lab_study("private_work", NULL)->result.statistics;
    printf("# %llu orders in %llu executions, %llu seen once\n", (unsigned long long)r->orders,
           (unsigned long long)r->compared, (unsigned long long)r->once);
    LAB_CHECK("scouts_have_the_orders_of_the_others", r->orders == 4 && !r->once && !r->sampled);
    LAB_CHECK("all_but_the_first_scouts_are_compared", r->compared > 360 && r->compared < 400);
    uint64_t executions = 0, fresh = 0;
    for (uint32_t i = 0; i < r->explorers; i++) {
        executions += r->explorer[i].executions;
        fresh += r->explorer[i].fresh;
    }
    LAB_CHECK("explorers_share_what_was_shown",
              r->explorers > 1 && executions == 400 && fresh == 4 && r->drawn);
    LAB_CHECK("statements_are_not_counted_unless_wanted", !r->coverage);
    r = &lab_study("private_work", "--detect=none", "--granularity=fine", "--strategy=random", NULL)
             ->result.statistics;
    LAB_CHECK("without_scouts_all_are_compared", r->compared == 400 && r->orders == 4);
    r = &lab_study("inputs", NULL)->result.statistics;
    LAB_CHECK("statements_that_differ_make_orders_that_differ", r->orders == 4);
}

static _Alignas(8) struct { int one, two; } next_to;

THREAD(write_one) { RF_STORE(next_to.one, 1); }

THREAD(write_two) { RF_STORE(next_to.two, 1); }

RF_TEST(neighbours) { together(write_one, write_two, NULL); }
RF_TEST(the_same) { together(write_one, write_one, NULL); }

/* Where the linker puts an object decides nothing. */
CASE(sharing) {
    const char *name[] = {"neighbours", "the_same"};
    uint64_t points[2] = {0};
    for (unsigned k = 0; k < 2; k++) {
        rfi_job j = lab_job_of(name[k], RFI_PREDICT, LAB_FINE);
        j.scout = true;
        const rfi_tally *t = lab_job(&j, 10);
        for (unsigned i = 0; i < RFI_POINT_WORDS; i++)
            points[k] += (uint64_t)__builtin_popcountll(t->shared[i]);
    }
    LAB_CHECK("neighbours_share_nothing", !points[0]);
    LAB_CHECK("a_statement_in_two_threads_shares", points[1] == 1);
}

/* What is drawn again after 400 executions, against how often something new then comes. */
CASE(good_turing) {
    static rfi_orders met;
    rfi_job j = lab_job_of("three_updates", RFI_PREDICT, LAB_FINE);
    uint64_t fresh = 0, n = 0;
    double estimate = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        j.seed = seed;
        rfi_orders_reset(&met);
        rfi_orders_merge(&met, &lab_job(&j, 30)->orders);
        estimate += (double)rfi_orders_count(&met, true) / 30 / 40;
        for (uint32_t i = 30; i < 60; i++) {
            rfi_span one = {i, i + 1};
            rfi_tally_reset(&lab_tally);
            rfi_team_run(&lab_campaign.team, &j, &one, &lab_tally);
            rfi_orders before = met;
            fresh += rfi_orders_merge(&before, &lab_tally.orders);
            n++;
        }
    }
    printf("# new among the next: %.3f, estimated %.3f\n", (double)fresh / (double)n, estimate);
    double off = (double)fresh / (double)n - estimate;
    LAB_CHECK("the_estimate_of_what_is_new_is_right", off < 0.03 && off > -0.03 && estimate > 0.1);
}

/* ---- the set ---- */

static rfi_orders whole, part[7], sum;

CASE(sets) {
    bool same = true;
    uint64_t fresh = 0;
    for (unsigned i = 0; i < 7; i++) rfi_orders_reset(&part[i]);
    rfi_orders_reset(&whole);
    rfi_orders_reset(&sum);
    for (uint64_t i = 0; i < 150000; i++) {
        uint64_t order = rfi_mix(i % 100000 * RFI_GOLDEN); /* the half of them twice */
        rfi_orders_add(&whole, order);
        rfi_orders_add(&part[rfi_mix(i) % 7], order);
    }
    for (unsigned i = 7; i--;) fresh += rfi_orders_merge(&sum, &part[i]);
    same = sum.level == whole.level && sum.used == whole.used && sum.mask == whole.mask &&
           sum.executions == 150000;
    for (uint32_t i = 0; i <= whole.mask; i++)
        if (whole.slot[i])
            same &= *rfi_order_probe(&sum, whole.slot[i] & ~RFI_ORDER_AGAIN) == whole.slot[i];
    uint64_t all_of = rfi_orders_count(&whole, false), once = rfi_orders_count(&whole, true);
    printf("# orders in a sample: %llu of 100000, %llu of 50000 once, %llu new; 1 of %llu kept\n",
           (unsigned long long)all_of, (unsigned long long)once, (unsigned long long)fresh,
           (unsigned long long)rfi_order_weight(&whole));
    LAB_CHECK("a_merged_set_is_the_set_of_all", same);
    LAB_CHECK("a_sample_tells_how_many_there_are",
              all_of > 97000 && all_of < 103000 && once > 48000 && once < 52000);
    LAB_CHECK("a_merge_tells_how_many_are_new", fresh > 95000 && fresh < 105000);
    rfi_orders_reset(&whole);
    for (uint64_t i = 0; i < 16000; i++) rfi_orders_add(&whole, rfi_mix(i));
    LAB_CHECK("few_are_all_kept", rfi_orders_count(&whole, false) == 16000 && !whole.level);
    rfi_orders_add(&whole, rfi_mix(16000));
    uint64_t single = rfi_orders_count(&whole, true);
    rfi_orders_add(&whole, rfi_mix(16000));
    LAB_CHECK("one_that_comes_again_at_once_has_come_again",
              single == 16001 && rfi_orders_count(&whole, true) == 16000);
}

/* ---- coverage ---- */

static uint32_t lone_pick(const rf_choice *c) {
    return rf_choice_at(c, rf_random_below(&stream, c->count));
}

static void lone_begin(uint64_t seed) { stream = (rf_prng){seed}; }

static const rf_strategy lone = {
    .name = "lone", .help = "", .begin = lone_begin, .pick = lone_pick, .lone = true};

RF_TEST(rounds) {
    together(add_x, lock_m, add_x);
    together(add_x, add_x, try_m);
}

CASE(coverage) {
    rfi_job j = lab_job_of("rounds", RFI_PREDICT, LAB_FINE);
    j.strategy = &lone;
    const rfi_tally *t = lab_job(&j, 300);
    uint64_t steps = t->steps, switches = t->switches, orders = rfi_orders_count(&t->orders, false);
    LAB_CHECK("coverage_is_off_unless_wanted", !t->coverage.sites);
    j.covers = true;
    t = lab_job(&j, 300);
    LAB_CHECK("coverage_changes_no_schedule", t->steps == steps && t->switches == switches &&
                                                  rfi_orders_count(&t->orders, false) == orders &&
                                                  steps > 300);
    uint64_t preemptions = 0, everywhere = 0, decided = 0;
    for (uint32_t i = 0; i < RFI_LENGTH(t->coverage.site); i++) {
        const rfi_covered *c = &t->coverage.site[i];
        if (!c->site) continue;
        preemptions += c->preemptions;
        decided += c->decisions;
        everywhere += c->executions == 300;
    }
    LAB_CHECK("preemptions_by_statement_add_up",
              preemptions == t->preemptions && decided > preemptions && preemptions > 100);
    /* a load, a store, joins, and all that is on one line and says &m */
    LAB_CHECK("statements_that_are_always_reached", everywhere == 5 && t->coverage.sites == 5);
}

int main(void) { return lab_cases(); }

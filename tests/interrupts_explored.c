/* Interrupts under explorers that go through everything, and under one that draws: dpor shows each
 * partial order that dfs shows, once, of random programs with handlers of several priorities,
 * masks, sleeps and locks; each way of a strike is as likely under `random` as an enumeration has
 * it.
 *
 * Arguments: the first program, how many, of how many schedules at most. */
#define RF_IMPLEMENTATION
#include "explore_tree.h"

/* ---- random programs ---- */

enum { BODIES = 2, HANDLERS = 2, LISTS = BODIES + HANDLERS, MOST_OPS = 6 };

typedef enum action {
    STOP, /* of the list */
    READ,
    WRITE,
    ADD,
    LOCKED, /* an addition under the mutex */
    TRIED,  /* the same, if the mutex is free */
    MASKED, /* an addition under RF_MASK, */
    ABOVE,  /* RF_MASK_ABOVE, */
    UP_TO,  /* RF_MASK_UP_TO, */
    TWICE,  /* two of them */
    SLEEPS, /* RF_PAUSE under a mask */
    ACTIONS
} action;

static struct {
    uint8_t op[LISTS][MOST_OPS];
    uint32_t bodies, handlers;
    uint32_t priority[HANDLERS], times[HANDLERS];
} drawn;

static rf_atomic_int cell[2];
static rf_mutex guard;

static void add(int by) { rf_atomic_fetch_add(&cell[0], by); }

static void act(action a) {
    switch (a) {
    case READ: (void)rf_atomic_load(&cell[1]); return;
    case WRITE: rf_atomic_store(&cell[1], 1); return;
    case LOCKED: RF_GUARD(&guard) add(1); return;
    case TRIED:
        if (!RF_TRYLOCK(&guard)) return;
        add(2);
        RF_UNLOCK(&guard);
        return;
    case MASKED: RF_MASK(); break;
    case ABOVE: RF_MASK_ABOVE(0); break;
    case UP_TO: RF_MASK_UP_TO(0); break;
    case TWICE:
        RF_MASK_ABOVE(0);
        (void)rf_atomic_load(&cell[1]);
        RF_MASK();
        add(3);
        RF_UNMASK();
        break;
    case SLEEPS:
        RF_MASK();
        RF_PAUSE();
        break;
    default: add(1); return;
    }
    add(1);
    RF_UNMASK();
}

static void run_list(uint32_t list) {
    for (const uint8_t *op = drawn.op[list]; *op; op++) act((action)*op);
}
static void *run_body(void *list) {
    run_list((uint32_t)(uintptr_t)list);
    return list;
}
static void run_handler(void *list) { run_list((uint32_t)(uintptr_t)list); }

RF_TEST(random_interrupts) {
    rf_atomic_init(&cell[0], 0);
    rf_atomic_init(&cell[1], 0);
    rf_mutex_init(&guard, "guard", RF_MUTEX_NORMAL);
    for (uint32_t i = 0; i < drawn.handlers; i++)
        RF_INTERRUPT(source, run_handler, (void *)(uintptr_t)(BODIES + i),
                     .priority = drawn.priority[i], .times = drawn.times[i]);
    rf_thread t = {0, 0};
    if (drawn.bodies > 1) t = RF_THREAD(run_body, (void *)1);
    run_list(0);
    if (drawn.bodies > 1) RF_JOIN(t);
}

static void draw_program(uint64_t number) {
    rf_prng p = {rfi_mix(number)};
    memset(&drawn, 0, sizeof drawn);
    drawn.bodies = 1 + rfi_below(&p, BODIES);
    drawn.handlers = 1 + rfi_below(&p, HANDLERS);
    for (uint32_t i = 0; i < LISTS; i++) {
        uint32_t ops = 1 + rfi_below(&p, i < BODIES ? 4 - drawn.bodies : 2);
        for (uint32_t k = 0; k < ops; k++)
            drawn.op[i][k] = (uint8_t)(1 + rfi_below(&p, i ? SLEEPS - 1 : ACTIONS - 1));
    }
    for (uint32_t i = 0; i < HANDLERS; i++) {
        drawn.priority[i] = rfi_below(&p, 2);
        drawn.times[i] = i || rfi_below(&p, 3) ? 1 : 2;
    }
}

static void print_program(uint64_t number) {
    static const char *const words[] = {"",       "read",  "write", "add",   "locked", "tried",
                                        "masked", "above", "up-to", "twice", "sleeps"};
    printf("# program %llu:", (unsigned long long)number);
    for (uint32_t i = 0; i < LISTS; i++) {
        if (i < BODIES ? i >= drawn.bodies : i - BODIES >= drawn.handlers) continue;
        printf(i < BODIES ? " | T%u" : " | handler %u", i < BODIES ? i : i - BODIES);
        if (i >= BODIES)
            printf(" (priority %u, times %u)", drawn.priority[i - BODIES], drawn.times[i - BODIES]);
        for (const uint8_t *op = drawn.op[i]; *op; op++) printf(" %s", words[*op]);
    }
    printf("\n");
}

static found by_dfs, by_dpor;

static void compare(uint64_t first, uint32_t count, uint32_t most) {
    uint32_t compared = 0, differ = 0, again = 0, deadlocks = 0;
    uint64_t schedules = 0, orders = 0;
    lab_tree.traced = true;
    for (uint64_t n = first; compared < count; n++) {
        draw_program(n);
        if (!explore(&rfi_dfs, "random_interrupts", most, &by_dfs)) continue;
        bool ends = explore(&rfi_dpor, "random_interrupts", most, &by_dpor);
        compared++;
        schedules += by_dfs.executions;
        orders += by_dpor.traces.count;
        deadlocks += by_dfs.failed != 0;
        again += by_dpor.repeated != 0;
        if (ends && traces_same(&by_dfs.traces, &by_dpor.traces) &&
            traces_same(&by_dfs.failures, &by_dpor.failures))
            continue;
        differ++;
        printf("# dfs: %u orders in %u executions; dpor: %u in %u\n", by_dfs.traces.count,
               by_dfs.executions, by_dpor.traces.count, by_dpor.executions);
        print_program(n);
    }
    printf("# %u programs, %u with deadlocks: %llu schedules, %llu partial orders\n", compared,
           deadlocks, (unsigned long long)schedules, (unsigned long long)orders);
    LAB_CHECK("dpor shows the partial orders of interrupts that dfs shows", !differ);
    LAB_CHECK("and none of them twice", !again);
    LAB_CHECK("some of the programs come to a deadlock, and not all",
              deadlocks && deadlocks < compared);
    lab_tree.traced = false;
}

/* ---- how likely each way of a strike is ---- */

static char way[64]; /* what the running execution did, a letter each */

static void does(char letter) {
    size_t n = strlen(way);
    if (n + 1 < sizeof way) way[n] = letter, way[n + 1] = 0;
}
static void step(char letter) {
    rf_atomic_store(&cell[0], letter);
    does(letter);
}
static void strikes(void *letter) { does(*(const char *)letter); }
static void strikes_long(void *letter) {
    does(*(const char *)letter);
    step('-');
}

RF_TEST(one_source) {
    RF_INTERRUPT(a, strikes, (void *)(uintptr_t) "a");
    for (int i = 0; i < 3; i++) step('.');
}
RF_TEST(three_times) {
    RF_INTERRUPT(a, strikes, (void *)(uintptr_t) "a", .times = 3);
    for (int i = 0; i < 3; i++) step('.');
}
RF_TEST(two_priorities) {
    RF_INTERRUPT(a, strikes_long, (void *)(uintptr_t) "a");
    RF_INTERRUPT(b, strikes_long, (void *)(uintptr_t) "b", .priority = 1);
    for (int i = 0; i < 2; i++) step('.');
}
RF_TEST(under_a_mask) {
    RF_INTERRUPT(a, strikes, (void *)(uintptr_t) "a");
    RF_INTERRUPT(b, strikes, (void *)(uintptr_t) "b", .priority = 1);
    RF_MASK_UP_TO(0);
    step('.');
    RF_UNMASK();
    step('.');
}
static void *steps(void *letter) {
    step(*(const char *)letter);
    return letter;
}
RF_TEST(beside_a_thread) {
    RF_INTERRUPT(a, strikes_long, (void *)(uintptr_t) "a");
    rf_thread t = RF_THREAD(steps, (void *)(uintptr_t) "t");
    step('.');
    RF_JOIN(t);
}
RF_TEST(with_a_period) {
    RF_INTERRUPT(a, strikes, (void *)(uintptr_t) "a", .period = 10, .times = 2);
    RF_INTERRUPT(b, strikes, (void *)(uintptr_t) "b", .period = 10, .times = 1, .priority = 1);
    step('.');
    RF_SLEEP_MS(10);
    step('.');
}

typedef struct likelihood {
    char way[sizeof way];
    double p;
    uint32_t seen;
} likelihood;

enum { MOST_WAYS = 256, MANY = 20000 };
static likelihood ways[MOST_WAYS];
static uint32_t way_count;

static likelihood *way_of(void) {
    for (uint32_t i = 0; i < way_count; i++)
        if (!strcmp(ways[i].way, way)) return &ways[i];
    if (way_count == MOST_WAYS) abort();
    memcpy(ways[way_count].way, way, sizeof way);
    return &ways[way_count++];
}

static double likely; /* the running execution, where each candidate is as likely as the others */

static uint32_t pick_counted(const rf_choice *c) {
    if (rfi_dfs_tree.choices.way == RFI_WAY_EXPLORE) likely /= c->count;
    return rfi_dfs.pick(c);
}

/* All ways, by dfs, and how often each comes in MANY executions of `random`; how far that is from
 * what it should be: the greatest distance in standard deviations. */
static double distance(const char *test) {
    rf_strategy counted = rfi_dfs;
    double furthest = 0, sum = 0;
    counted.pick = pick_counted;
    memset(ways, 0, sizeof ways);
    way_count = 0;
    lab_tree_plan(&counted, test);
    counted.forget();
    rfi.lessons = &lab_tree.lessons;
    for (uint32_t i = 0; !counted.exhausted(); i++) {
        const rfi_lesson *l = rfi_lesson_at(&lab_tree.lessons, 0);
        lab_tree.lessons.used = 0;
        uint32_t thrown = thrown_in();
        way[0] = 0;
        likely = 1;
        rfi_job_run(&lab_tree.job, &lab_tree.plan, i, lab_tree.record);
        counted.learn(l + 1, l->bytes);
        if (thrown_in() == thrown) way_of()->p += likely;
    }
    rfi.lessons = NULL;
    lab_tree_plan(&rfi_random, test);
    uint32_t known = way_count;
    for (uint32_t i = 0; i < MANY; i++) {
        way[0] = 0;
        rfi_job_run(&lab_tree.job, &lab_tree.plan, i, lab_tree.record);
        way_of()->seen++;
    }
    for (uint32_t i = 0; i < way_count; i++) {
        double p = ways[i].p, off = ways[i].seen - MANY * p;
        double by = i < known ? off * off / (MANY * p * (1 - p)) : 1e9;
        printf("# %s: %-12s %.6f, %.6f seen\n", test, ways[i].way, p, (double)ways[i].seen / MANY);
        if (by > furthest) furthest = by;
        sum += p;
    }
    if (sum < 1 - 1e-9 || sum > 1 + 1e-9) return 1e9;
    return furthest;
}

static void likelihoods(void) {
    static const struct {
        const char *test;
        uint32_t ways;
    } all[] = {{"one_source", 4},   {"three_times", 20},    {"two_priorities", 0},
               {"under_a_mask", 0}, {"beside_a_thread", 0}, {"with_a_period", 0}};
    for (uint32_t i = 0; i < RFI_LENGTH(all); i++) {
        double furthest = distance(all[i].test);
        printf("# %s: %u ways, %.1f standard deviations squared\n", all[i].test, way_count,
               furthest);
        lab_check(furthest < 16, all[i].test, "not as likely as enumerated");
        if (all[i].ways) lab_check(way_count == all[i].ways, all[i].test, "other ways");
    }
}

int main(int argc, char **argv) {
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint32_t count = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 150;
    compare(first, count, argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 3000);
    likelihoods();
    return lab_end();
}

/* `graphs` executes every execution graph of a program that RC11 allows, each exactly once: the
 * litmus programs of litmus/programs.txt, and random ones, against the oracle of litmus/oracle.h,
 * which enumerates graphs without executing anything.
 *
 *     graphs [COUNT [SEED]]                   so many random programs
 *
 * Compared are the number of graphs, the outcomes, and whether there is a race; the graphs of all
 * executions are told apart by a hash.  The same is done under sequentially consistent memory. */
#define RF_IMPLEMENTATION
#include "lab.h"

#include "litmus/generate.h"
#include "litmus/oracle.h"

enum { COUNT = 600, SEED = 1, MOST = 200000, ROOM = 1 << 19 };

/* ---- a litmus program as a test ---- */

static struct litmus_program the_program;
static size_t size = 4; /* of a location */
static int64_t memory[LITMUS_LOCATIONS * 2 * 2];
static struct litmus_registers registers;
static struct litmus_final the_final;
/* Statements are told apart by their lines. */
#define HERE .file = "litmus", .function = "thread", .text = "x"
static rf_site sites[LITMUS_THREADS][LITMUS_STATEMENTS];
static const rf_site reads = {HERE, .line = 1, .kind = RF_SITE_READ};
static const rf_site writes = {HERE, .line = 2, .kind = RF_SITE_WRITE};

static int order_of(enum litmus_order order) {
    static const int orders[] = {0,
                                 __ATOMIC_RELAXED,
                                 __ATOMIC_ACQUIRE,
                                 __ATOMIC_RELEASE,
                                 __ATOMIC_ACQ_REL,
                                 __ATOMIC_SEQ_CST};
    return orders[order];
}

static void *address(int location) { return (char *)memory + (size_t)location * size; }

static void pack(int value, int64_t word[2]) {
    int16_t two = (int16_t)value;
    int8_t one = (int8_t)value;
    word[0] = value;
    word[1] = ~(int64_t)value;
    if (size == 4) memcpy(word, &value, 4);
    if (size == 2) memcpy(word, &two, 2);
    if (size == 1) memcpy(word, &one, 1);
}

static int unpack(const int64_t word[2]) {
    int8_t one;
    int16_t two;
    int four;
    switch (size) {
    case 1: return memcpy(&one, word, 1), one;
    case 2: return memcpy(&two, word, 2), two;
    case 4: return memcpy(&four, word, 4), four;
    case 8: return (int)word[0];
    default: return word[1] == ~word[0] ? (int)word[0] : -12345;
    }
}

static void update(const rf_site *site, const struct litmus_statement *s, void *p) {
    int64_t word[2];
    rfi_rmw_begin(site, p, size, order_of(s->order), word);
    int old = unpack(word);
    pack(litmus_updated(s->kind, old, litmus_value(s->operand[0], &registers)), word);
    rfi_rmw_end(word);
    litmus_assign(&registers, s->result, old);
}

static void compare(const rf_site *site, const struct litmus_statement *s, void *p) {
    int64_t expected[2], desired[2];
    int old = litmus_value(s->operand[0], &registers);
    pack(old, expected);
    pack(litmus_value(s->operand[1], &registers), desired);
    bool done = rfi_cas(site, p, size, s->kind == LITMUS_CASW, order_of(s->order),
                        order_of(s->failure), expected, desired);
    if (!done) old = unpack(expected);
    litmus_assign(&registers, s->result, old);
    litmus_assign(&registers, s->success, done);
}

static void execute(const rf_site *site, const struct litmus_statement *s) {
    void *p = s->location >= 0 ? address(s->location) : NULL;
    int64_t word[2];
    switch (s->kind) {
    case LITMUS_FENCE: rfi_fence(site, order_of(s->order)); return;
    case LITMUS_STORE:
        pack(litmus_value(s->operand[0], &registers), word);
        if (s->order == LITMUS_NA)
            rfi_store(site, p, size, word);
        else
            rfi_atomic_store(site, p, size, order_of(s->order), word);
        return;
    case LITMUS_LOAD:
        if (s->order == LITMUS_NA)
            rfi_load(site, p, size, word);
        else
            rfi_atomic_load(site, p, size, order_of(s->order), word);
        litmus_assign(&registers, s->result, unpack(word));
        return;
    case LITMUS_CAS:
    case LITMUS_CASW: compare(site, s, p); return;
    default: update(site, s, p); return;
    }
}

static void *run_thread(void *number) {
    const struct litmus_thread *t = &the_program.thread[(uintptr_t)number];
    for (int i = 0; i < t->statements; i++)
        if (litmus_enabled(&t->statement[i], &registers))
            execute(&sites[(uintptr_t)number][i], &t->statement[i]);
    return number;
}

RF_TEST(litmus) {
    rf_thread thread[LITMUS_THREADS];
    int64_t word[2];
    memset(&the_final, 0, sizeof the_final);
    memset(&registers, 0, sizeof registers);
    for (int x = 0; x < the_program.locations; x++) {
        pack(the_program.initial[x], word);
        rfi_atomic_init(&writes, address(x), size, word);
    }
    for (uintptr_t t = 0; t < (uintptr_t)the_program.threads; t++)
        thread[t] = RF_THREAD(run_thread, (void *)t);
    for (int t = 0; t < the_program.threads; t++) (void)RF_JOIN(thread[t]);
    for (int x = 0; x < the_program.locations; x++) {
        rfi_atomic_load(&reads, address(x), size, __ATOMIC_RELAXED, word);
        the_final.memory[x] = unpack(word);
    }
    the_final.registers = registers;
}

/* ---- families whose executions can be counted, and loops that wait ---- */

static uint32_t width;
static rf_atomic_int cell[16], next_ticket, serving, flag[2], turn;
static int data;

/* `width` threads, one for each number. */
static void run_threads(void *(*fn)(void *)) {
    rf_thread t[16];
    for (uintptr_t i = 0; i < width; i++) t[i] = RF_THREAD(fn, (void *)i);
    for (uintptr_t i = 0; i < width; i++) (void)RF_JOIN(t[i]);
}

static void clear_cells(void) {
    for (int i = 0; i < 16; i++) rf_atomic_init(&cell[i], 0);
    RF_STORE(data, 0);
}

static void *add_one(void *number) {
    (void)rf_atomic_fetch_add_explicit(&cell[0], 1, rf_memory_order_relaxed);
    return number;
}

RF_TEST(adders) {
    clear_cells();
    run_threads(add_one);
    RF_ASSERT(rf_atomic_load(&cell[0]) == (int)width);
}

static void *write_or_read(void *number) {
    if (number)
        (void)rf_atomic_load_explicit(&cell[0], rf_memory_order_relaxed);
    else
        rf_atomic_store_explicit(&cell[0], 1, rf_memory_order_relaxed);
    return number;
}

RF_TEST(readers) {
    clear_cells();
    run_threads(write_or_read);
}

/* Flanagan, Godefroid, POPL 2005; here each thread is one of those that add, the first one looks.
 */
static void *last_zero(void *number) {
    uintptr_t i = (uintptr_t)number;
    if (i) {
        int before = rf_atomic_load(&cell[i - 1]);
        rf_atomic_store(&cell[i], before + 1);
    } else {
        for (i = width - 1; rf_atomic_load(&cell[i]);) i--;
    }
    return number;
}

RF_TEST(lastzeros) {
    clear_cells();
    run_threads(last_zero);
}

static void *with_ticket(void *number) {
    int mine = rf_atomic_fetch_add_explicit(&next_ticket, 1, rf_memory_order_relaxed);
    while (rf_atomic_load_explicit(&serving, rf_memory_order_acquire) != mine) continue;
    RF_STORE(data, RF_LOAD(data) + 1);
    rf_atomic_store_explicit(&serving, mine + 1, rf_memory_order_release);
    return number;
}

RF_TEST(tickets) {
    clear_cells();
    rf_atomic_init(&next_ticket, 0);
    rf_atomic_init(&serving, 0);
    run_threads(with_ticket);
    RF_ASSERT(RF_LOAD(data) == (int)width);
}

static void *with_exchange(void *number) {
    int none = 0;
    while (!rf_atomic_compare_exchange_strong(&cell[0], &none, 1)) none = 0;
    RF_STORE(data, RF_LOAD(data) + 1);
    rf_atomic_store(&cell[0], 0);
    return number;
}

RF_TEST(exchanges) {
    clear_cells();
    run_threads(with_exchange);
    RF_ASSERT(RF_LOAD(data) == (int)width);
}

static void *wait_for_flag(void *number) {
    if (!number) {
        while (!rf_atomic_load_explicit(&cell[0], rf_memory_order_acquire)) RF_SPIN_HINT();
        RF_ASSERT(RF_LOAD(data) == 1);
    } else {
        RF_STORE(data, 1);
        rf_atomic_store_explicit(&cell[0], 1, rf_memory_order_release);
    }
    return number;
}

RF_TEST(waiter) {
    clear_cells();
    run_threads(wait_for_flag);
}

static void *try_three_times(void *number) {
    if (number) {
        rf_atomic_store(&cell[0], 1);
        return number;
    }
    for (int i = 0; i < 3 && !rf_atomic_load(&cell[0]); i++) continue;
    return number;
}

RF_TEST(tries) {
    clear_cells();
    run_threads(try_three_times);
}

static void *with_peterson(void *number) {
    uintptr_t i = (uintptr_t)number;
    rf_atomic_store(&flag[i], 1);
    rf_atomic_store(&turn, 1 - (int)i);
    while (rf_atomic_load(&flag[1 - i]) && rf_atomic_load(&turn) == 1 - (int)i) continue;
    RF_STORE(data, RF_LOAD(data) + 1);
    rf_atomic_store(&flag[i], 0);
    return number;
}

RF_TEST(petersons) {
    clear_cells();
    rf_atomic_init(&flag[0], 0);
    rf_atomic_init(&flag[1], 0);
    rf_atomic_init(&turn, 0);
    run_threads(with_peterson);
    RF_ASSERT(RF_LOAD(data) == 2);
}

static void *wait_in_vain(void *number) {
    while (!rf_atomic_load(&cell[0])) continue;
    return number;
}

RF_TEST(vain) {
    clear_cells();
    run_threads(wait_in_vain);
}

/* ---- locks ---- */

static rf_mutex mutex[2];
static rf_sem sem;
static rf_rwlock rwlock;

static void *with_lock(void *number) {
    RF_LOCK(&mutex[0]);
    RF_STORE(data, RF_LOAD(data) + 1);
    RF_UNLOCK(&mutex[0]);
    return number;
}

RF_TEST(locks) {
    clear_cells();
    run_threads(with_lock);
    RF_ASSERT(RF_LOAD(data) == (int)width);
}

static void *with_two_locks(void *number) {
    int first = number ? 1 : 0;
    RF_LOCK(&mutex[first]);
    RF_LOCK(&mutex[1 - first]);
    RF_UNLOCK(&mutex[1 - first]);
    RF_UNLOCK(&mutex[first]);
    return number;
}

RF_TEST(inversion) { run_threads(with_two_locks); }

static void *under_read_lock(void *number) {
    RF_RDLOCK(&rwlock);
    if (number) RF_STORE(data, 1);
    RF_RWUNLOCK(&rwlock);
    return number;
}

RF_TEST(shared) {
    clear_cells();
    run_threads(under_read_lock);
}

/* Random programs of locks, a semaphore and atomics. */
enum { DEEDS = 8 };
enum { LOCKS, UNLOCKS, POSTS, TAKES, LOADS, STORES, ADDS, COMPARES, DEED_KINDS };

static struct { unsigned char kind, what; } deeds[3][DEEDS];
static rf_site deed_site[3][DEEDS];

static void do_deed(unsigned kind, unsigned what, const rf_site *site) {
    int word = 0, wanted = 1;
    switch (kind) {
    case LOCKS: RF_LOCK(&mutex[what]); return;
    case UNLOCKS: RF_UNLOCK(&mutex[what]); return;
    case POSTS: RF_SEM_POST(&sem); return;
    case TAKES: RF_SEM_WAIT(&sem); return;
    case LOADS: rfi_atomic_load(site, &cell[what], 4, __ATOMIC_SEQ_CST, &word); return;
    case STORES: rfi_atomic_store(site, &cell[what], 4, __ATOMIC_SEQ_CST, &wanted); return;
    case ADDS:
        rfi_rmw_begin(site, &cell[what], 4, __ATOMIC_SEQ_CST, &word);
        word++;
        rfi_rmw_end(&word);
        return;
    default:
        (void)rfi_cas(site, &cell[what], 4, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST, &word,
                      &wanted);
        return;
    }
}

static void *do_deeds(void *number) {
    uintptr_t t = (uintptr_t)number;
    for (unsigned i = 0; i < DEEDS && deeds[t][i].kind != DEED_KINDS; i++)
        do_deed(deeds[t][i].kind, deeds[t][i].what, &deed_site[t][i]);
    return number;
}

RF_TEST(deed) {
    rf_sem_init(&sem, "sem", 1);
    clear_cells();
    run_threads(do_deeds);
}

static void draw_deeds(uint64_t *chance) {
    for (unsigned t = 0; t < 3; t++) {
        unsigned held[2], holds = 0, n = 2 + (unsigned)litmus_below(chance, DEEDS - 4);
        for (unsigned i = 0; i < DEEDS; i++) {
            unsigned kind = (unsigned)litmus_below(chance, DEED_KINDS);
            unsigned what = (unsigned)litmus_below(chance, 2);
            if (i + holds >= n) kind = holds ? UNLOCKS : DEED_KINDS;
            if (kind == UNLOCKS && !holds) kind = LOADS;
            if (kind == LOCKS && (holds == 2 || (holds && held[0] == what))) kind = ADDS;
            if (kind == LOCKS) held[holds++] = what;
            if (kind == UNLOCKS) what = held[--holds];
            deeds[t][i].kind = (unsigned char)kind;
            deeds[t][i].what = (unsigned char)what;
            deed_site[t][i] = (rf_site){HERE, .line = 1000 + t * 100 + i, .kind = RF_SITE_OTHER};
        }
    }
}

/* ---- all of its executions ---- */

static struct {
    rfi_lessons lessons;
    uint64_t graph[ROOM]; /* hashes of those that were seen */
    uint32_t used[ROOM / 2], graphs, twice, failed;
    struct litmus_set observed;
} found;

/* The events by thread, what they read, and mo: whatever the order in which they were made. */
static uint64_t graph_hash(const rfi_graph *g) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < g->events; i++) {
        const rfi_gevent *e = &g->event[i];
        uint64_t h = rfi_mix(e->thread * 4096 + e->number + 1) + e->kind * 64u + e->flags;
        if (e->kind == RFI_G_WRITE) h = rfi_mix(h) + g->seen[i].rank;
        if (e->kind == RFI_G_READ && e->source != RFI_NO_EVENT) {
            const rfi_gevent *w = &g->event[e->source];
            h = rfi_mix(h) + w->thread * 4096 + w->number + 1;
        }
        sum += rfi_mix(h);
    }
    return sum | 1;
}

static void keep_graph(uint64_t hash) {
    uint32_t i = (uint32_t)(rfi_mix(hash) % ROOM);
    if (found.graphs == ROOM / 2) abort();
    for (; found.graph[i]; i = (i + 1) % ROOM)
        if (found.graph[i] == hash) {
            found.twice++;
            return;
        }
    found.graph[i] = hash;
    found.used[found.graphs++] = i;
}

static void keep_outcome(const struct litmus_final *final) {
    struct litmus_outcome *o = litmus_find(&found.observed, final);
    if (!o) o = litmus_insert(&found.observed, final);
    found.observed.executions++;
}

/* Makes all executions of a test; false if there are too many. */
static bool explore_by(const rf_strategy *s, const char *test, rf_mem_model model, bool cxx20) {
    rfi_job j = lab_job_of(test, RFI_PREDICT, LAB_FINE);
    rfi_plan p;
    rfi_record *r = &lab_campaign.team.here->record;
    uint32_t n = 0;
    j.strategy = s;
    j.memory.atomics = model;
    j.memory.cxx20 = cxx20;
    for (uint32_t i = 0; i < found.graphs; i++) found.graph[found.used[i]] = 0;
    found.graphs = found.twice = found.failed = 0;
    litmus_clear(&found.observed);
    rfi_job_arm(&j);
    rfi_job_plan(&j, false, &p);
    s->forget();
    rfi.lessons = &found.lessons;
    for (; n < MOST && !s->exhausted(); n++) {
        found.lessons.used = 0;
        rfi_job_run(&j, &p, n, r);
        const rfi_lesson *l = rfi_lesson_at(&found.lessons, 0);
        uint64_t blocked = rfi_g.stack.blocked;
        found.failed += r->failure.diagnostic != RF_DIAG_NONE;
        s->learn(l + 1, l->bytes);
        if (rfi_g.stack.blocked != blocked || s != &rfi_graphs_strategy) continue;
        keep_graph(graph_hash(&rfi_g.graph));
        keep_outcome(&the_final);
    }
    rfi.lessons = NULL;
    return s->exhausted();
}

static bool explore(const char *test, rf_mem_model model, bool cxx20) {
    return explore_by(&rfi_graphs_strategy, test, model, cxx20);
}

/* ---- judging ---- */

static char why[256];

static bool same_outcomes(const struct litmus_set *expected, unsigned flags) {
    for (size_t i = 0; i < expected->count; i++)
        if (expected->outcome[i].flags & flags || !flags)
            if (!litmus_find(&found.observed, &expected->outcome[i].final)) return false;
    for (size_t i = 0; i < found.observed.count; i++) {
        const struct litmus_outcome *e = litmus_find(expected, &found.observed.outcome[i].final);
        if (!e || (flags && !(e->flags & flags))) return false;
    }
    return true;
}

/* Does it have a compare-exchange beside other updates?  What these write where they have no place
 * is not known, so that some executions are begun in vain. */
static bool may_block(const struct litmus_program *p) {
    bool compares = false, fetches = false;
    for (int t = 0; t < p->threads; t++)
        for (int i = 0; i < p->thread[t].statements; i++) {
            enum litmus_kind kind = p->thread[t].statement[i].kind;
            compares |= kind >= LITMUS_CAS;
            fetches |= kind >= LITMUS_ADD && kind <= LITMUS_XCHG;
        }
    return compares && fetches;
}

/* What is wrong with how a program was explored; NULL: nothing. */
static const char *wrong(const struct litmus_set *expected, rf_mem_model model, bool cxx20) {
    bool sc = model == RF_MEM_SC;
    unsigned long graphs = sc ? expected->interleaved : expected->executions;
    const rfi_gstack *s = &rfi_g.stack;
    if (!explore("litmus", model, cxx20)) return "no end";
    snprintf(why, sizeof why,
             "%lu executions of %lu, %u of them twice, %llu blocked, %zu outcomes of %zu, %s",
             found.observed.executions, graphs, found.twice, (unsigned long long)s->blocked,
             found.observed.count, expected->count, rfi_graphs_strategy.summary());
    if (expected->race && (s->flaw == RFI_G_RACE || sc)) return NULL;
    if (s->flaw || expected->race || found.twice) return why;
    if (s->blocked && !may_block(&the_program)) return why;
    if (found.observed.executions != graphs) return why;
    return same_outcomes(expected, sc ? LITMUS_FLAG_I : 0) ? NULL : why;
}

static bool judge(const char *name, const struct litmus_set *expected, bool cxx20) {
    char title[2 * LITMUS_NAME];
    const char *bad = wrong(expected, RF_MEM_C11, cxx20);
    snprintf(title, sizeof title, "%s: each of %lu graphs once", name, expected->executions);
    bool good = lab_check(!bad, title, bad);
    if (cxx20) return good;
    bad = wrong(expected, RF_MEM_SC, false);
    snprintf(title, sizeof title, "%s: each of %lu under sc", name, expected->interleaved);
    return lab_check(!bad, title, bad) && good;
}

static void judge_all(const char *file, bool cxx20, int programs) {
    struct litmus_reader in = {.name = file, .file = fopen(file, "r")};
    struct litmus_expected said;
    int n = 0, independent = 0, races = 0;
    if (!in.file) litmus_refuse(&in, "cannot be read");
    for (; litmus_read(&in, &the_program, &said); n++) {
        struct litmus_set set = {0};
        oracle_outcomes(&the_program, cxx20, &set);
        if (!judge(the_program.name, &set, cxx20)) litmus_print_program(stdout, &the_program);
        independent += said.independent;
        races += set.race;
        litmus_clear(&set);
    }
    fclose(in.file);
    if (n != programs) litmus_refuse(&in, "not the expected number of programs");
    printf("# %d programs, %d of them counted independently, %d with races\n", n, independent,
           races);
}

static void count(const char *test, uint32_t n, uint32_t executions, bool fails) {
    char title[96];
    width = n;
    bool done = explore(test, RF_MEM_C11, false);
    const rfi_gstack *s = &rfi_g.stack;
    snprintf(title, sizeof title, "%s(%u): %u executions%s", test, n, executions,
             fails ? ", which fail" : "");
    snprintf(why, sizeof why, "%llu, %u failed, %u twice, %s", (unsigned long long)s->explored,
             found.failed, found.twice, rfi_graphs_strategy.summary());
    lab_check(done && s->explored == executions && fails == (found.failed > 0) &&
                  fails == (s->flaw != RFI_G_SOUND) && !found.twice,
              title, why);
    printf("# and %llu blocked\n", (unsigned long long)s->blocked);
}

static void count_all(void) {
    for (uint32_t n = 1, all = 1; n <= 6; all *= ++n) count("adders", n, all, false);
    for (uint32_t n = 2; n <= 8; n++) count("readers", n, 1u << (n - 1), false);
    for (uint32_t n = 2, all = 2; n <= 4; all *= ++n) {
        count("tickets", n, all, false);
        count("exchanges", n, all, false);
    }
    count("lastzeros", 6, 64, false);
    count("lastzeros", 11, 3328, false);
    count("waiter", 2, 1, false);
    count("tries", 2, 4, false);
    count("petersons", 2, 12, false);
    count("vain", 1, 1, true);
    for (uint32_t n = 2, all = 2; n <= 5; all *= ++n) count("locks", n, all, false);
    count("inversion", 2, 3, true);
    width = 2;
    explore("shared", RF_MEM_C11, false);
    LAB_CHECK("readers do not come after each other", rfi_g.stack.flaw == RFI_G_SOUND);
    width = 3;
    explore("shared", RF_MEM_C11, false);
    LAB_CHECK("so writes under read locks race", rfi_g.stack.flaw == RFI_G_RACE);
}

static void print_deeds(void) {
    static const char *const words[] = {"lock", "unlock", "post", "take",
                                        "load", "store",  "add",  "compare"};
    for (unsigned t = 0; t < 3; t++) {
        printf("#  ");
        for (unsigned i = 0; i < DEEDS && deeds[t][i].kind != DEED_KINDS; i++)
            printf(" %s %u;", words[deeds[t][i].kind], deeds[t][i].what);
        printf("\n");
    }
}

/* Under sequentially consistent memory there are as many graphs as partial orders, which dpor goes
 * through in another way.  Where some deadlock, neither goes on behind that, and both find it. */
static void compare_deeds(uint32_t programs) {
    const rfi_gstack *s = &rfi_g.stack;
    uint64_t chance = 7, all = 0, blocked = 0;
    uint32_t wrong = 0, deadlocks = 0;
    width = 3;
    for (uint32_t i = 0; i < programs; i++) {
        draw_deeds(&chance);
        if (!explore_by(&rfi_dpor, "deed", RF_MEM_SC, false)) continue;
        uint32_t failed = found.failed;
        bool done = explore("deed", RF_MEM_SC, false);
        bool same = done && !found.twice && !found.failed == !failed;
        if (!failed) same &= s->explored == rfi_dpor_traces.explored && !s->flaw;
        all += rfi_g.stack.explored;
        blocked += rfi_g.stack.blocked;
        deadlocks += failed != 0;
        wrong += !same;
        if (same) continue;
        print_deeds();
        printf(
            "# program %u: %llu graphs, %u failed, %u twice, %llu partial orders, %u failed: %s\n",
            i, (unsigned long long)rfi_g.stack.explored, found.failed, found.twice,
            (unsigned long long)rfi_dpor_traces.explored, failed, rfi_graphs_strategy.summary());
    }
    LAB_CHECK("programs of locks have as many graphs as partial orders", !wrong && deadlocks);
    printf("# %u programs, %u with deadlocks: %llu graphs, %llu blocked\n", programs, deadlocks,
           (unsigned long long)all, (unsigned long long)blocked);
}

static bool stays(void *arg, const struct litmus_program *p) {
    struct litmus_set set = {0};
    bool *cxx20 = arg;
    the_program = *p;
    oracle_outcomes(p, *cxx20, &set);
    bool bad = wrong(&set, RF_MEM_C11, *cxx20) || (!*cxx20 && wrong(&set, RF_MEM_SC, false));
    litmus_clear(&set);
    return bad;
}

static void fuzz(uint64_t count, uint64_t seed) {
    static const size_t sizes[] = {4, 8, 2, 16};
    unsigned long executions = 0, failed = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct litmus_program p;
        bool cxx20 = i % 5 == 4;
        litmus_generate(&p, seed, i);
        size = sizes[i % 4];
        bool bad = stays(&cxx20, &p);
        executions += found.observed.executions;
        if (!bad) continue;
        failed++;
        printf("# %s, %zu bytes%s\n", p.name, size, cxx20 ? ", C++20" : "");
        litmus_shrink(&p, stays, &cxx20);
        (void)stays(&cxx20, &p);
        printf("# %s\n", why);
        litmus_print_program(stdout, &p);
        if (failed == 10) break;
    }
    size = 4;
    snprintf(why, sizeof why, "%lu are not", failed);
    lab_check(!failed, "random programs are explored exactly", why);
    printf("# %lu executions of %llu random programs\n", executions, (unsigned long long)count);
}

int main(int argc, char **argv) {
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : COUNT;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : SEED;
    for (unsigned t = 0; t < LITMUS_THREADS; t++)
        for (unsigned i = 0; i < LITMUS_STATEMENTS; i++)
            sites[t][i] = (rf_site){HERE, .line = 100 * t + i + 10, .kind = RF_SITE_OTHER};
    lab_open();
    if (argc <= 1) {
        judge_all("tests/litmus/programs.txt", false, 246);
        judge_all("tests/litmus/cxx20.txt", true, 4);
        count_all();
        compare_deeds(300);
    }
    fuzz(count, seed);
    return lab_end();
}

/* `graphs` executes every execution graph of a program that RC11 allows, each exactly once: the
 * litmus programs of litmus/programs.txt, and random ones, against the oracle of litmus/oracle.h,
 * which enumerates graphs without executing anything.
 *
 *     graphs [COUNT [SEED]]                   so many random programs
 *
 * Compared are the number of graphs, the outcomes, and whether there is a race; the graphs of all
 * executions are told apart by a hash.  The same is done under sequentially consistent memory. */
#define RF_IMPLEMENTATION
#include "graphs_counts.h"

#include "litmus/generate.h"

enum { COUNT = 600, SEED = 1 };

/* ---- a litmus program as a test ---- */

static struct litmus_program the_program;
static size_t size = 4; /* of a location */
static int64_t memory[LITMUS_LOCATIONS * 2 * 2];
static struct litmus_registers registers;
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
    static int old; /* a round leaves nothing on the stack, or in a register */
    int64_t word[2];
    int operand = litmus_value(s->operand[0], &registers);
    pack(operand, word);
    do {
        rfi_rmw_begin(site, p, size, order_of(s->order), word);
        old = unpack(word);
        pack(litmus_updated(s->kind, old, operand), word);
        rfi_rmw_end(word);
    } while (s->awaits && !litmus_arrives(s, old, &registers));
    litmus_assign(&registers, s->result, old);
}

static void compare(const rf_site *site, const struct litmus_statement *s, void *p) {
    int64_t expected[2], desired[2];
    int old = litmus_value(s->operand[0], &registers);
    pack(litmus_value(s->operand[1], &registers), desired);
    bool done = false;
    do {
        pack(old, expected);
        done = rfi_cas(site, p, size, s->kind == LITMUS_CASW, order_of(s->order),
                       order_of(s->failure), expected, desired);
    } while (s->awaits && !done);
    if (!done) old = unpack(expected);
    litmus_assign(&registers, s->result, old);
    litmus_assign(&registers, s->success, done);
}

/* An await is written in three ways. */
static void load(const rf_site *site, const struct litmus_statement *s, void *p, int64_t word[2]) {
    for (;;) {
        rfi_atomic_load(site, p, size, order_of(s->order), word);
        if (!s->awaits || unpack(word) == s->operand[0].value) return;
        if (size == 8) RF_YIELD();
        if (size == 2) RF_SPIN_HINT();
    }
}

/* Without atomics, each statement under a lock: a round that awaits something does nothing. */
static bool by_lock;
static rf_mutex the_lock;

static void execute_locked(const rf_site *site, const struct litmus_statement *s, void *p) {
    static int old;
    int64_t word[2] = {0, 0};
    bool compares = s->kind == LITMUS_CAS, through;
    int wanted = litmus_value(s->operand[0], &registers);
    do {
        RF_LOCK(&the_lock);
        rfi_load(site, p, size, word);
        old = unpack(word);
        through = !s->awaits || litmus_arrives(s, old, &registers);
        if (s->kind != LITMUS_LOAD && (compares ? old == wanted : through)) {
            pack(litmus_updated(s->kind, old, litmus_value(s->operand[compares], &registers)),
                 word);
            rfi_store(site, p, size, word);
        }
        RF_UNLOCK(&the_lock);
    } while (!through);
    litmus_assign(&registers, s->result, old);
    litmus_assign(&registers, s->success, old == wanted);
}

static void execute(const rf_site *site, const struct litmus_statement *s) {
    void *p = s->location >= 0 ? address(s->location) : NULL;
    int64_t word[2];
    if (by_lock) {
        if (p) execute_locked(site, s, p);
        return;
    }
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
            load(site, s, p, word);
        litmus_assign(&registers, s->result, unpack(word));
        return;
    case LITMUS_CAS:
    case LITMUS_CASW: compare(site, s, p); return;
    default: update(site, s, p); return;
    }
}

static bool for_ever, one_statement; /* weak compare-exchanges of a thread are one, as in a loop */

static void *run_thread(void *number) {
    const struct litmus_thread *t = &the_program.thread[(uintptr_t)number];
    do
        for (int i = 0; i < t->statements; i++) {
            bool same = one_statement && t->statement[i].kind == LITMUS_CASW;
            if (litmus_enabled(&t->statement[i], &registers))
                execute(&sites[(uintptr_t)number][same ? 0 : i], &t->statement[i]);
        }
    while (for_ever);
    return number;
}

RF_TEST(litmus) {
    rf_thread thread[LITMUS_THREADS];
    int64_t word[2];
    memset(&the_final, 0, sizeof the_final);
    memset(&registers, 0, sizeof registers);
    if (by_lock) rf_mutex_init(&the_lock, "lock", RF_MUTEX_NORMAL);
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

/* ---- judging ---- */

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

static bool has_kinds(const struct litmus_program *p, enum litmus_kind first,
                      enum litmus_kind last) {
    for (int t = 0; t < p->threads; t++)
        for (int i = 0; i < p->thread[t].statements; i++) {
            enum litmus_kind kind = p->thread[t].statement[i].kind;
            if (kind >= first && kind <= last) return true;
        }
    return false;
}

/* Does it have a compare-exchange beside other updates?  What these write where they have no place
 * is not known, so that some executions are begun in vain. */
static bool may_block(const struct litmus_program *p) {
    return has_kinds(p, LITMUS_CAS, LITMUS_KINDS) && has_kinds(p, LITMUS_ADD, LITMUS_XCHG);
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

/* Does each thread begin with something that it does in any case, and does not only wait with? */
static bool may_repeat(const struct litmus_program *p) {
    bool may = !may_block(p);
    for (int t = 0; t < p->threads; t++) {
        const struct litmus_statement *s = &p->thread[t].statement[0];
        bool stores = s->kind == LITMUS_STORE ||
                      (s->kind >= LITMUS_ADD && s->kind <= LITMUS_XCHG && s->operand[0].value);
        may &= p->thread[t].statements && stores && !s->terms && s->order != LITMUS_NA;
    }
    return may;
}

static uint32_t repeated, repeated_wrong;

/* Threads that repeat their statements for ever, and are left after one round, have as many
 * executions as if they did not. */
static void judge_repeated(const struct litmus_set *expected) {
    const rfi_gstack *s = &rfi_g.stack;
    if (expected->race || !may_repeat(&the_program)) return;
    for_ever = true;
    unroll = 1;
    bool done = explore("litmus", RF_MEM_C11, false);
    for_ever = false;
    unroll = 0;
    bool good = done && *s->cut && !s->flaw && !s->explored && s->blocked == expected->executions;
    repeated++;
    repeated_wrong += !good;
    if (!good)
        printf("# %s: %lu, cut: %s\n", the_program.name, expected->executions,
               rfi_graphs_strategy.summary());
}

static uint32_t weak_again; /* so many programs have been looked at */

/* Where the rounds of loops are bounded, a weak compare-exchange may fail for no reason in each. */
static const char *wrong_in_rounds(const struct litmus_set *expected) {
    const rfi_gstack *s = &rfi_g.stack;
    uint32_t most = 0;
    for (int t = 0; t < the_program.threads; t++) {
        uint32_t n = 0;
        for (int i = 0; i < the_program.thread[t].statements; i++)
            n += the_program.thread[t].statement[i].kind == LITMUS_CASW;
        most = n > most ? n : most;
    }
    if (most < 2 || expected->race) return NULL;
    one_statement = true;
    unroll = 100;
    bool done = explore("litmus", RF_MEM_C11, false);
    one_statement = false;
    unroll = 0;
    if (s->before) return NULL; /* what it has come to before it began anew is counted, too */
    weak_again++;
    snprintf(why, sizeof why, "as one statement: %u executions of %lu, %u of them twice, %s",
             found.graphs, expected->executions, found.twice, rfi_graphs_strategy.summary());
    bool good = done && !s->flaw && !s->tired && !*s->cut && !found.twice;
    good &= found.graphs == expected->executions && same_outcomes(expected, 0);
    return good ? NULL : why;
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

static struct { uint32_t programs, whole, wrong; } bounded;

/* `bounded` knows the same memory, one load at a time: what it sees an execution can come to, and
 * where it ends without a bound that is everything. */
static void judge_bounded(const struct litmus_set *expected) {
    if (expected->race) return;
    if (expected->executions > 12) return; /* schedules are far more */
    rfi_bounded_most = RFI_LEVELS - 1;
    (void)explore_by(&rfi_bounded, "litmus", RF_MEM_C11, false);
    bool whole = rfi_tree_complete(&rfi_bounded_tree), good = true;
    for (size_t i = 0; i < found.observed.count; i++) {
        const struct litmus_outcome *e = litmus_find(expected, &found.observed.outcome[i].final);
        good &= e && e->flags & LITMUS_FLAG_S;
    }
    if (whole) good &= same_outcomes(expected, LITMUS_FLAG_S);
    bounded.programs++;
    bounded.whole += whole;
    bounded.wrong += !good;
    if (!good) printf("# %s, bounded: %s\n", the_program.name, rfi_bounded_summary());
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
        if (!cxx20) judge_repeated(&set);
        if (!cxx20) judge_bounded(&set);
        independent += said.independent;
        races += set.race;
        litmus_clear(&set);
    }
    fclose(in.file);
    if (n != programs) litmus_refuse(&in, "not the expected number of programs");
    printf("# %d programs, %d of them counted independently, %d with races\n", n, independent,
           races);
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

/* What the executions of a program are, whatever the numbers of threads: a sum over all. */
static uint64_t orbits(const char *test, rf_mem_model model) {
    uint64_t sum = 0;
    if (!explore(test, model, false) || rfi_g.stack.flaw) return 0;
    for (uint32_t i = 0; i < found.graphs; i++) sum += rfi_mix(found.graph[found.used[i]]);
    return sum;
}

/* Threads that do the same are explored up to their numbers: nothing is lost, where only updates
 * tell them apart nothing is made twice, and failures are found. */
static void compare_twins(uint32_t programs) {
    const rfi_gstack *s = &rfi_g.stack;
    uint64_t chance = 11, made = 0, of = 0, needed = 0;
    uint32_t wrong = 0, failures = 0;
    deeds_most = 3;
    width = 2;
    for (uint32_t i = 0; i < programs; i++) {
        draw_deeds(&chance);
        for (unsigned k = 0; i % 2 && k < DEEDS; k++) /* all writes are updates */
            for (unsigned t = 0; t < 2; t++)
                if (deeds[t][k].kind == STORES) deeds[t][k].kind = ADDS;
        deed_order = i % 3 ? __ATOMIC_RELAXED : __ATOMIC_SEQ_CST;
        alike = 3;
        rf_mem_model model = i % 4 ? RF_MEM_C11 : RF_MEM_SC;
        uint64_t all = orbits("numbered", model), n = s->explored;
        uint32_t graphs = found.graphs, failed = found.failed;
        uint64_t said = orbits("twins", model);
        bool same = all == said && !failed == !found.failed;
        if (!failed) same &= graphs == found.graphs;
        if (!failed) made += s->explored, of += n, needed += graphs;
        failures += failed != 0;
        wrong += !same;
        if (same) continue;
        print_deeds();
        printf("# program %u, %u threads: %u of %u, %u and %u failed, %s\n", i, width, found.graphs,
               graphs, found.failed, failed, rfi_graphs_strategy.summary());
    }
    alike = 0;
    deed_order = __ATOMIC_SEQ_CST;
    LAB_CHECK("of threads that do the same, no execution is lost", !wrong && failures);
    printf("# %u programs, %u fail: %llu executions for %llu, %llu would do\n", programs, failures,
           (unsigned long long)made, (unsigned long long)of, (unsigned long long)needed);
}

static bool differs(const struct litmus_program *p, bool cxx20) {
    struct litmus_set set = {0};
    the_program = *p;
    oracle_outcomes(p, cxx20, &set);
    bool bad = wrong(&set, RF_MEM_C11, cxx20) ||
               (!cxx20 && (wrong(&set, RF_MEM_SC, false) || wrong_in_rounds(&set)));
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
        bool bad = differs(&p, cxx20);
        executions += found.observed.executions;
        if (!bad) continue;
        failed++;
        printf("# %s, %zu bytes%s\n", p.name, size, cxx20 ? ", C++20" : "");
        printf("# %s\n", why);
        litmus_print_program(stdout, &p);
        if (failed == 10) break;
    }
    size = 4;
    snprintf(why, sizeof why, "%lu are not", failed);
    lab_check(!failed, "random programs are explored exactly", why);
    lab_check(weak_again, "some fail for no reason twice in a row", "none does");
    printf("# %lu executions of %llu random programs, %u with weak exchanges in a row\n",
           executions, (unsigned long long)count, weak_again);
}

/* The value of some store to the location by another thread; 0: there is none, or plain accesses
 * of it, with which a round may race. */
static int stored_elsewhere(uint64_t *chance, int thread, int location) {
    int value = 0, n = 0;
    for (int t = 0; t < the_program.threads; t++)
        for (int i = 0; i < the_program.thread[t].statements; i++) {
            const struct litmus_statement *s = &the_program.thread[t].statement[i];
            bool stores = s->kind == LITMUS_STORE || s->kind == LITMUS_XCHG;
            if (s->location != location) continue;
            if (s->order == LITMUS_NA) return 0;
            if (t == thread || !stores || s->operand[0].from >= 0) continue;
            if (!litmus_below(chance, ++n)) value = s->operand[0].value;
        }
    return value;
}

/* Some loads await one of these, some compare-exchanges what they compare with, and some exchanges
 * something else than they store, as one of a spin lock does. */
static bool draw_awaits(uint64_t *chance) {
    bool any = false;
    for (int t = 0; t < the_program.threads; t++)
        for (int i = 0; i < the_program.thread[t].statements; i++) {
            struct litmus_statement *s = &the_program.thread[t].statement[i];
            int value = stored_elsewhere(chance, t, s->location);
            bool loads = s->kind == LITMUS_LOAD && s->order != LITMUS_NA;
            bool compares = s->kind == LITMUS_CAS || s->kind == LITMUS_XCHG;
            if (!value || !(loads || compares)) continue;
            s->awaits = litmus_below(chance, 4);
            if (loads) s->operand[0] = (struct litmus_operand){value, -1};
            any |= s->awaits;
        }
    return any;
}

static uint32_t polled; /* so many programs were made with locks */

/* With awaits: each graph in which all come to their ends once, and a failure where somebody may
 * wait for ever. */
static const char *wrong_awaits(const struct litmus_set *expected, rf_mem_model model) {
    bool sc = model == RF_MEM_SC;
    unsigned long graphs = sc ? expected->interleaved : expected->executions;
    bool done = explore("litmus", model, false);
    bool hangs = expected->hangs & (sc ? LITMUS_FLAG_I : LITMUS_FLAG_S);
    snprintf(why, sizeof why,
             "%lu executions of %lu, %u twice, %u failed%s, %zu outcomes of %zu, %s",
             found.observed.executions, graphs, found.twice, found.failed,
             hangs ? " as they should" : "", found.observed.count, expected->count,
             rfi_graphs_strategy.summary());
    if (hangs) return found.failed ? NULL : why;
    bool good = done && !found.failed && !found.twice && !rfi_g.stack.flaw;
    good &= found.observed.executions == graphs;
    return good && same_outcomes(expected, sc ? LITMUS_FLAG_I : 0) ? NULL : why;
}

/* The same where each statement is made under a lock: what can be is what can be under sequentially
 * consistent memory. */
static const char *wrong_polls(const struct litmus_set *expected) {
    int statements = 0;
    for (int t = 0; t < the_program.threads; t++) statements += the_program.thread[t].statements;
    if (has_kinds(&the_program, LITMUS_CASW, LITMUS_CASW) || statements > 6) return NULL;
    by_lock = true;
    bool done = explore("litmus", RF_MEM_C11, false);
    by_lock = false;
    polled++;
    bool hangs = expected->hangs & LITMUS_FLAG_I;
    snprintf(why, sizeof why, "by lock: %lu executions, %u failed%s, %zu outcomes of %zu, %s",
             found.observed.executions, found.failed, hangs ? " as they should" : "",
             found.observed.count, expected->count, rfi_graphs_strategy.summary());
    if (hangs) return found.failed ? NULL : why;
    bool good = done && !found.failed && !rfi_g.stack.flaw;
    return good && same_outcomes(expected, LITMUS_FLAG_I) ? NULL : why;
}

static void fuzz_awaits(uint64_t count, uint64_t seed) {
    static const size_t sizes[] = {4, 8, 2};
    uint64_t chance = seed;
    unsigned long failed = 0, programs = 0, hang = 0;
    steps = 4000;
    for (uint64_t i = 0; i < count && failed < 10; i++) {
        struct litmus_set set = {0};
        litmus_generate(&the_program, seed + 1000, i);
        size = sizes[i % 3];
        if (!draw_awaits(&chance)) continue;
        oracle_outcomes(&the_program, false, &set);
        const char *bad = set.race ? NULL : wrong_awaits(&set, RF_MEM_C11);
        if (!bad && !set.race) bad = wrong_awaits(&set, RF_MEM_SC);
        if (!bad && !set.race) bad = wrong_polls(&set);
        programs += !set.race;
        hang += set.hangs && !set.race;
        failed += bad != NULL;
        if (bad) printf("# %s, %zu bytes: %s\n", the_program.name, size, bad);
        if (bad) litmus_print_program(stdout, &the_program);
        litmus_clear(&set);
    }
    size = 4;
    steps = 0;
    snprintf(why, sizeof why, "%lu are not", failed);
    lab_check(!failed && hang, "random programs with loops that await are explored exactly", why);
    printf("# %lu programs with awaits, %lu may hang; %u by locks\n", programs, hang, polled);
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
        judge_all("tests/litmus/explorers.txt", false, 2);
        judge_all("tests/litmus/cxx20.txt", true, 4);
        LAB_CHECK("threads that never end are cut in each execution that they would have",
                  repeated > 20 && !repeated_wrong);
        printf("# %u programs repeated\n", repeated);
        LAB_CHECK("bounded: what executions come to under c11, and nothing else",
                  bounded.whole >= 200 && bounded.whole == bounded.programs && !bounded.wrong);
        count_all();
        estimate("adders", 4, 20000);
        estimate("readers", 6, 4000);
        estimate("lastzeros", 6, 20000);
        estimate("tries", 2, 4000);
        estimate("locks", 4, 20000);
        compare_deeds(300);
        compare_twins(400);
    }
    fuzz(count, seed);
    fuzz_awaits(2 * count, seed);
    return lab_end();
}

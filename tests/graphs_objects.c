/* `graphs` executes every execution of programs of locks, conditions, semaphores, barriers, once,
 * tries and time-outs exactly once: random ones, against the enumerator of litmus/objects.h; and
 * the engine's objects do what that thinks they do, as depth-first search shows.
 *
 *     graphs_objects [COUNT [SEED [FIRST]]]   so many random programs, from number FIRST on */
#define RF_IMPLEMENTATION
#include "graphs_deeds.h"

enum { COUNT = 150, SEED = 1, SCHEDULES = 20000 };

/* ---- judging ---- */

/* Are the outcomes those that are expected? */
static bool same_outcomes(const struct objects_found *f, bool interleaved) {
    size_t expected = 0;
    for (size_t i = 0; i < f->set.count; i++) {
        if (interleaved && !(f->set.outcome[i].flags & LITMUS_FLAG_I)) continue;
        expected++;
        if (!litmus_find(&found.observed, &f->set.outcome[i].final)) return false;
    }
    return expected == found.observed.count;
}

/* What is wrong with how the program was explored; NULL: nothing. */
static const char *wrong(const struct objects_found *f, rf_mem_model model) {
    bool sc = model == RF_MEM_SC, stuck = sc ? f->stuck_interleaved : f->stuck;
    unsigned long graphs = sc ? f->set.interleaved : f->set.executions;
    bool end = explore("objects", model, false);
    const rfi_gstack *s = &rfi_g.stack;
    snprintf(
        why, sizeof why, "%s: %lu executions of %lu, %u twice, %u failed (%sstuck), %zu of %zu: %s",
        sc ? "sc" : "c11", found.observed.executions, graphs, found.twice, found.failed,
        stuck ? "" : "not ", found.observed.count, f->set.count, rfi_graphs_strategy.summary());
    if (graphs + s->blocked > MOST) return NULL; /* too many */
    if (!end || !stuck != !found.failed) return why;
    bool good = (stuck || !s->flaw) && !found.twice && found.observed.executions == graphs;
    return good && same_outcomes(f, sc) ? NULL : why;
}

/* Depth-first search, which lets the engine do what it does: the same outcomes under sc. */
static const char *wrong_by_search(const struct objects_found *f) {
    if (p.spurious || !explore_by(&rfi_dfs, "objects", RF_MEM_SC, false)) return NULL;
    snprintf(why, sizeof why, "search: %u failed (%sstuck), %zu outcomes", found.failed,
             f->stuck_interleaved ? "" : "not ", found.observed.count);
    if (!found.failed != !f->stuck_interleaved) return why;
    return same_outcomes(f, true) ? NULL : why;
}

/* Does a thread wait more than once? */
static bool waits_again(void) {
    for (int t = 0; t < p.threads; t++) {
        int n = 0;
        for (int i = 0; i < deeds_of[t]; i++) n += waits(deeds[t][i].kind);
        if (n > 1) return true;
    }
    return false;
}

/* Where the rounds of loops are bounded, each of them may time out, or end for nothing. */
static const char *wrong_in_rounds(const struct objects_found *f) {
    if (!waits_again()) return NULL;
    one_statement = true;
    unroll = 100;
    const char *what = wrong(f, RF_MEM_C11);
    one_statement = false;
    unroll = 0;
    return what ? what : rfi_g.stack.tired || *rfi_g.stack.cut ? "rounds are left out" : NULL;
}

/* What is wrong with the program, in any of the ways; NULL: nothing. */
static const char *judge(bool search, struct objects_found *f) {
    no_spurious = !p.spurious;
    objects_outcomes(&p, f);
    const char *what = wrong(f, RF_MEM_C11);
    if (!what) what = wrong(f, RF_MEM_SC);
    if (!what) what = wrong_in_rounds(f);
    if (!what && search) what = wrong_by_search(f);
    litmus_clear(&f->set);
    return what;
}

static void drop_deed(int t, int i) {
    deeds_of[t]--;
    memmove(&deeds[t][i], &deeds[t][i + 1], (size_t)(deeds_of[t] - i) * sizeof deeds[t][0]);
    memset(p.steps, 0, sizeof p.steps);
    for (t = 0; t < p.threads; t++)
        for (i = 0; i < deeds_of[t]; i++) steps_of(t, i);
}

/* Leaves out what is not needed for something to be wrong. */
static void shrink(void) {
    struct objects_found f;
    for (int t = 0; t < p.threads; t++)
        for (int i = deeds_of[t]; i--;) {
            __typeof__(deeds) all;
            int n[LITMUS_THREADS];
            memcpy(all, deeds, sizeof deeds);
            memcpy(n, deeds_of, sizeof n);
            drop_deed(t, i);
            if (judge(true, &f)) continue;
            memcpy(deeds, all, sizeof deeds);
            memcpy(deeds_of, n, sizeof n);
        }
    drop_deed(0, deeds_of[0]++);
}

/* What ends by itself does so so many times in a row at most. */
static bool explore_rounds(const char *test, uint32_t rounds) {
    unroll = rounds;
    bool end = explore(test, RF_MEM_C11, false);
    unroll = 0;
    const rfi_gstack *s = &rfi_g.stack;
    return end && *s->cut && !s->flaw && !s->tired && !found.twice && !found.failed;
}

static void judge_rounds(void) {
    const rfi_gstack *s = &rfi_g.stack;
    for (uint32_t n = 1; n <= 4; n++) {
        /* Once it looks for the last time, and was woken before that, has timed out, or has not
         * waited at all. */
        no_spurious = true;
        bool good = explore_rounds("retries", n) && s->explored == 2 * n - 1;
        lab_check(good, "time-outs in each round", rfi_graphs_strategy.summary());
        no_spurious = false;
        good = explore_rounds("retries", n) && s->explored == 3 * (1u << (n - 1)) - 2;
        lab_check(good, "wake-ups for nothing in each round", rfi_graphs_strategy.summary());
        no_spurious = true;
        for (int i = 0; i < 3; i++) {
            futexes = i == 1;
            no_spurious = !(compares = i == 2);
            good = explore_rounds("polls", n) && !s->explored &&
                   s->blocked == (compares ? 1u << n : n + 1);
            lab_check(good, "the rounds of one thread are cut", rfi_graphs_strategy.summary());
        }
        futexes = compares = no_spurious = false;
    }
}

/* These have found mistakes: deeds with their orders, a star for spurious wake-ups.  In two rounds
 * of a barrier for two who leaves the second one knows nothing of what was done before the first
 * one. */
static const char *const fixed[] = {
    "store rlx, arrive rlx | arrive rlx | arrive rlx, load rlx | arrive rlx",
    "write rlx, write rlx | tryread rlx, load rlx",
    "futex wake rlx | futex timedwait rlx | futex timedwait rlx | store rlx",
    "store sc, wait sc, store rlx | broadcast sc, store rlx, tell rlx | wait sc, broadcast rel",
    "* post sc, tell acq | wait sc, trylock; add; unlock sc | signal rel, take rel",
    "* store rel, signal rlx, signal rel | store rlx | load rlx, timedwait rlx, store rlx",
    "store sc, store rel, signal rlx | signal sc, load sc, timedwait acq | store sc, timedwait rlx",
    "* once rel, once rlx | store rel, once rel | store sc, load sc, store sc",
    "take acq, futex timedwait acq, post acq | futex wake all acq, futex wake all acq, take sc",
    "* signal acq, take sc | take rel, timedwait rlx | signal acq, timedwait sc, post rel",
};

/* The next deed of a thread: its word and its order. */
static void read_deed(int t, const char *text) {
    int i = deeds_of[t]++, n = (int)(strrchr(text, ' ') - text);
    for (int k = 0; k < DEED_KINDS; k++)
        if (!strncmp(words[k], text, (size_t)n) && !words[k][n]) deeds[t][i].kind = (enum deed)k;
    for (int k = LITMUS_RLX; k <= LITMUS_SC; k++)
        if (!strcmp(litmus_orders[k], text + n + 1)) deeds[t][i].order = k;
    deeds[t][i].result = registers_used++;
    deeds[t][i].second = registers_used++;
    steps_of(t, i);
    p.initial[3] &= deeds[t][i].kind != ARRIVES && deeds[t][i].kind != CALLS_ONCE;
}

static void judge_fixed(const char *text) {
    struct objects_found f;
    char deed[64];
    int n = 0;
    memset(&p, 0, sizeof p);
    memset(deeds_of, 0, sizeof deeds_of);
    p.threads = p.cells = p.initial[3] = 1;
    p.locations = 4;
    p.parties = 2;
    p.spurious = *text == '*';
    registers_used = 0;
    for (const char *s = text + 2 * p.spurious; *s; s += n) {
        (void)sscanf(s, "%63[^,|]%n", deed, &n);
        bool last = s[n] == '|';
        deed[n - last] = 0;
        read_deed(p.threads - 1, deed);
        p.threads += last;
        n += s[n] ? 2 : 0;
    }
    const char *what = judge(true, &f);
    lab_check(!what, text, what);
}

/* All parts of a set with as many are found, in a row. */
static void judge_sets(void) {
    const uint32_t set = UINT32_C(0x80000a15);
    uint32_t counts[] = {0, 6, 15, 20, 15, 6, 1}, bad = 0;
    for (uint32_t n = 1; n <= 6; n++) {
        uint32_t part = rfi_gset_lowest(set, n), last = 0;
        for (; part > last; part = rfi_gset_next(set, part), counts[n]--) {
            bad += (part & ~set) || (uint32_t)__builtin_popcount(part) != n;
            last = part;
        }
        bad += part || counts[n];
    }
    lab_check(!bad, "parts of a set", "some are left out");
}

static void judge_all(const struct kinds *k, uint64_t count, uint64_t seed, uint64_t first) {
    unsigned long executions = 0, blocked = 0, stuck = 0, bad = 0;
    for (uint64_t i = first; i < first + count && bad < 5; i++) {
        struct objects_found f;
        draw_program(k, seed, i);
        const char *what = judge(i % 4 == 0, &f);
        executions += rfi_g.stack.explored;
        blocked += rfi_g.stack.blocked;
        stuck += f.stuck;
        if (!what) continue;
        shrink();
        what = judge(true, &f);
        bad++;
        printf("# program %llu of seed %llu%s\n# %s\n", (unsigned long long)i,
               (unsigned long long)seed, p.spurious ? ", spurious wake-ups" : "",
               what ? what : "?");
        print_program();
    }
    char title[64];
    snprintf(title, sizeof title, "programs of %s are explored exactly", k->what);
    lab_check(!bad, title, "some are not");
    printf("# %llu programs, %lu of them stuck: %lu executions, %lu blocked\n",
           (unsigned long long)count, stuck, executions, blocked);
}

int main(int argc, char **argv) {
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : COUNT;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : SEED;
    uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    for (unsigned t = 0; t < LITMUS_THREADS; t++)
        for (unsigned i = 0; i < DEEDS; i++)
            deed_site[t][i] = (rf_site){HERE, .line = 100 * t + i + 10, .kind = RF_SITE_OTHER};
    lab_open();
    for (uint32_t k = 0; k < RFI_LENGTH(kinds); k++) judge_all(&kinds[k], count, seed, first);
    if (argc <= 1) {
        for (uint32_t i = 0; i < RFI_LENGTH(fixed); i++) judge_fixed(fixed[i]);
        judge_rounds();
        judge_sets();
    }
    return lab_end();
}

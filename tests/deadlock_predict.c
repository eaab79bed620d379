/* iGoodlock and DeadlockFuzzer on small programs: how many cycles of locks are predicted, of length
 * two and of any length, and which of them are real (issue: A6, B2, D). */
#define RF_IMPLEMENTATION
#include "lab.h"

/* ---- programs as scripts ----
 *
 * A letter from a to h locks that mutex, its capital unlocks it; r and w lock a read-write lock, R
 * and W unlock it; + starts the thread of the next script, * joins all that were started, and runs
 * them on.  The first script is the test's body.  All locks have one site: contexts tell nothing.
 */

enum { SCRIPTS = 8, LOCKS = 8 };

typedef struct program {
    const char *name;
    const char *script[SCRIPTS + 1];
    uint32_t short_cycles, cycles; /* of length 2; of any length */
    uint32_t kinds;                /* warnings, where threads and locks are not told apart */
    bool real;
} program;

static const program programs[] = {
    {"D1", {"++", "abBAcdDC", "dcCD"}, 1, 1, 1, true},
    {"D1a", {"++++", "aabbBBAAccddDDCC", "bbcCBB", "ddaaAADD", "ddccCCDD"}, 1, 1, 1, true},
    {"D2", {"++++", "abBAecdDCE", "bcCB", "daAD", "edcCDE"}, 0, 0, 0, false},
    {"D4", {"+", "+abBAcdDC", "dcCD"}, 1, 1, 1, true},
    {"D6", {"++++", "abBA", "cdDCbcdDCB", "deED", "efgaAGFE"}, 0, 1, 1, true},
    {"D7, a ring of 2", {"++", "abBA", "baAB"}, 1, 1, 1, true},
    {"D8", {"++++", "abBA", "baAB", "abBA", "baAB"}, 4, 4, 1, true},
    {"ring of 3", {"+++", "abBA", "bcCB", "caAC"}, 0, 1, 1, true},
    {"ring of 4", {"++++", "abBA", "bcCB", "cdDC", "daAD"}, 0, 1, 1, true},
    {"ring of 5", {"+++++", "abBA", "bcCB", "cdDC", "deED", "eaAE"}, 0, 1, 1, true},
    {"ring of 6", {"++++++", "abBA", "bcCB", "cdDC", "deED", "efFE", "faAF"}, 0, 1, 1, true},
    {"ring of 7",
     {"+++++++", "abBA", "bcCB", "cdDC", "deED", "efFE", "fgGF", "gaAG"},
     0,
     1,
     1,
     true},
    {"polite ring", {"+++", "abBA", "bcCB", "acCA"}, 0, 0, 0, false},
    {"gate", {"++", "eabBAE", "ebaABE"}, 0, 0, 0, false},
    {"gate of one", {"++", "eabBAE", "baAB"}, 1, 1, 1, true},
    {"gate taken second", {"++", "aebBEA", "beaAEB"}, 2, 2, 1, true},
    {"lock cycle of three behind a gate of two",
     {"+++", "eabBAE", "ebcCBE", "caAC"},
     0,
     0,
     0,
     false},
    {"start", {"abBA+", "baAB"}, 0, 0, 0, false},
    {"start behind", {"+abBA", "baAB"}, 1, 1, 1, true},
    {"start, then again", {"abBA+abBA", "baAB"}, 1, 1, 1, true},
    {"join", {"+*abBA", "baAB"}, 0, 0, 0, false},
    {"join of another", {"+*+abBA", "baAB", "baAB"}, 1, 1, 1, true},
    {"one after the other", {"+*+*", "abBA", "baAB"}, 0, 0, 0, false},
    {"one thread", {"abBAbaAB"}, 0, 0, 0, false},
    {"readers only", {"++", "raAR", "arRA"}, 0, 0, 0, false},
    {"readers only, the other way round", {"++", "arRA", "raAR"}, 0, 0, 0, false},
    {"reader and writer", {"++", "raAR", "awWA"}, 1, 1, 1, true},
    {"writer and reader", {"++", "waAW", "arRA"}, 1, 1, 1, true},
    {"read gate", {"++", "rabBAR", "rbaABR"}, 1, 1, 1, true},
    {"read and write gate", {"++", "rabBAR", "wbaABW"}, 0, 0, 0, false},
    {"read twice", {"++", "rraARR", "awWA"}, 1, 1, 1, true},
    {"released crosswise", {"++", "abAcBC", "cbBC"}, 1, 1, 1, true},
    {"released before", {"++", "aAbB", "bBaA"}, 0, 0, 0, false},
};

static const program *now;
static const char *const *next_script;
static rf_mutex mutex[LOCKS];
static rf_rwlock rwlock;
static rf_thread started[SCRIPTS];
static unsigned threads;

static void *run_script(void *script);

static void run_step(char c) {
    if (c >= 'a' && c <= 'h') RF_LOCK(&mutex[c - 'a']);
    if (c >= 'A' && c <= 'H') RF_UNLOCK(&mutex[c - 'A']);
    if (c == 'r') RF_RDLOCK(&rwlock);
    if (c == 'w') RF_WRLOCK(&rwlock);
    if (c == 'R' || c == 'W') RF_RWUNLOCK(&rwlock);
    if (c == '+') {
        const char *script = *++next_script;
        started[threads++] = RF_THREAD(run_script, (void *)(uintptr_t)script);
    }
    for (; c == '*' && threads; threads--) (void)RF_JOIN(started[threads - 1]);
}

static void *run_script(void *script) {
    for (const char *c = script; *c; c++) run_step(*c);
    return NULL;
}

RF_TEST(script) {
    for (int i = 0; i < LOCKS; i++) rf_mutex_init(&mutex[i], "lock", RF_MUTEX_RECURSIVE);
    rf_rwlock_init(&rwlock, NULL);
    next_script = now->script;
    threads = 0;
    (void)run_script((void *)(uintptr_t)now->script[0]);
}

/* ---- what is predicted ---- */

/* Every execution that gets to its end predicts exactly so many cycles and warnings; others not
 * more. */
static bool predicts(const char *test, uint32_t cycles, uint32_t kinds, rfi_abstraction by,
                     uint32_t longest) {
    rfi_job j = lab_job_of(test, RFI_PREDICT, LAB_FINE);
    bool exact = true;
    uint32_t ended = 0;
    j.analyses = rfi_analyses_of("goodlock");
    lab_open();
    rfi_goodlock_alike = RFI_ALIKE_BY + by;
    rfi_goodlock_longest = longest;
    rfi_tally_reset(&lab_tally);
    for (uint32_t i = 0; i < 200 && exact; i++) {
        bool ends = lab_run(&j, i, false)->failure.diagnostic == RF_DIAG_NONE;
        uint32_t found = rfi_goodlock.cycles, warned = rfi_goodlock.kinds;
        ended += ends;
        exact = ends ? found == cycles && warned == kinds : found <= cycles && warned <= kinds;
        if (!exact) printf("# execution %u: %u cycles, %u warnings\n", i, found, warned);
    }
    rfi_goodlock_alike = RFI_ALIKE_BY + RFI_ABSTRACT_INDEX;
    rfi_goodlock_longest = 0;
    return exact && ended;
}

/* Every prediction comes true, or none and nothing fails.  All threads, locks and requests of a
 * script are made by the same statements: they are told apart by index. */
static bool comes_true(const char *test, bool real, uint64_t *hits, uint64_t *of) {
    const rfi_study *s =
        lab_study(test, "--executions=1000", "--seconds=none", "--abstraction=index", NULL);
    *hits = *of = 0;
    if (!real) return !s->result.warnings && !s->causes && s->result.passed;
    bool all = s->result.warnings > 0;
    for (uint32_t i = 0; i < s->result.warnings; i++) {
        const rfi_warning *w = &s->result.warning[i];
        all &= w->family == RF_FAMILY_DEADLOCK && w->hits && w->failed == w->hits;
        *hits += w->hits;
        *of += w->executions;
    }
    return all && !s->result.passed && s->result.found == RF_EXPECT_DEADLOCK;
}

static void table(void) {
    for (unsigned i = 0; i < sizeof programs / sizeof *programs; i++) {
        const program *p = now = &programs[i];
        uint64_t hits, of;
        LAB_CHECK(named("%s: cycles of length two", p->name),
                  predicts("script", p->short_cycles, p->short_cycles, RFI_ABSTRACT_INDEX, 2));
        LAB_CHECK(named("%s: cycles of any length", p->name),
                  predicts("script", p->cycles, p->cycles, RFI_ABSTRACT_INDEX, 0));
        LAB_CHECK(named("%s: by context alone", p->name),
                  predicts("script", p->cycles, p->kinds, RFI_ABSTRACT_NONE, 0));
        LAB_CHECK(named("%s: real or not", p->name), comes_true("script", p->real, &hits, &of));
        printf("# %s: %llu of %llu\n", p->name, (unsigned long long)hits, (unsigned long long)of);
    }
}

int main(void) {
    table();
    return lab_end();
}

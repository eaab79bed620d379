/* tests/determinism/print.c: prints executions, one a line, for determinism.sh to compare.
 *
 *     print N         about N executions: each program under random schedules, fine and coarse,
 *                     under RaceFuzzer on the pairs that the hybrid detector finds in it, and with
 *                     memory that returns older values, of these pairs and of everything
 *
 * A line is token, hash of the event sequence, events, steps, switches, hits, old values of atomics
 * and of plain data, how it ended.  The back end is the one RF_BACKEND asks for.
 */
#define RF_IMPLEMENTATION
#include "tests/lab.h"
#include "tests/determinism/programs.h"

#define LOOK       40 /* executions that look for pairs */
#define MANY_PAIRS 24

static void print(const rfi_job *j, uint32_t index) {
    char token[RFI_TOKEN_BYTES];
    const rfi_record *r = rfi_team_replay(&lab_campaign.team, j, index);
    rfi_token_write(j, index, r, token);
    printf("%s %016llx %llu %llu %llu %u %llu %llu %s %08x\n", token, (unsigned long long)r->hash,
           (unsigned long long)r->events, (unsigned long long)r->steps,
           (unsigned long long)r->switches, r->hit_count, (unsigned long long)r->atomic_stale,
           (unsigned long long)r->plain_stale,
           r->skipped ? "skip" : rfi_diagnostic(r->failure.diagnostic)->id,
           r->failure.diagnostic ? (uint32_t)rfi_hash_text(r->failure.message) : 0);
}

static void print_random(const char *name, bool fine, uint32_t n) {
    rfi_job j = lab_job_of(name, RFI_PREDICT, fine);
    for (uint32_t i = 0; i < n; i++) print(&j, i);
}

/* The pairs of a program, in an order that is the same everywhere. */
static uint32_t find_pairs(const char *name, rfi_warning *pair) {
    rfi_job look = lab_job_of(name, RFI_PREDICT, LAB_FINE);
    look.analyses = rfi_analyses_of(NULL);
    const rfi_tally *t = lab_job(&look, LOOK);
    uint32_t pairs = t->warnings < MANY_PAIRS ? t->warnings : MANY_PAIRS;
    qsort(memcpy(pair, t->warning, pairs * sizeof *pair), pairs, sizeof *pair, rfi_warning_order);
    printf("%s: %u pairs\n", name, t->warnings);
    return pairs;
}

static void print_directed(const char *name, const rfi_warning *pair, uint32_t pairs, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        rfi_job j = lab_job_on(name, RFI_CONFIRM, &pair[i % pairs], i / pairs % 4 == 3);
        print(&j, i / pairs);
    }
}

/* Every other execution is about one pair, the others about all plain data. */
static void print_adversary(const char *name, const rfi_warning *pair, uint32_t pairs, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        bool fine = i / 2 % 4 != 3;
        rfi_job j = i % 2 ? lab_job_on(name, RFI_ADVERSARY, &pair[i / 2 % pairs], fine)
                          : lab_job_of(name, RFI_ADVERSARY, fine);
        j.all = i % 2 == 0;
        j.pick = (rf_heuristic)(RF_PICK_OLDEST + i / 3 % (RF_PICK_MIXED - RF_PICK_OLDEST + 1));
        print(&j, i / 2);
    }
}

int main(int argc, char **argv) {
    static rfi_warning pair[MANY_PAIRS];
    uint32_t n = argc > 1 ? (uint32_t)atoi(argv[1]) : 1000;
    lab_open();
    for (unsigned i = 0; i < PROGRAMS; i++) {
        const char *name = programs[i].name;
        uint32_t share = (n * programs[i].share + 99) / 100, pairs = find_pairs(name, pair);
        print_random(name, LAB_FINE, (share + 3) / 4);
        print_random(name, LAB_COARSE, (share + 3) / 4);
        print_directed(name, pair, pairs, (share + 3) / 4);
        print_adversary(name, pair, pairs, (share + 3) / 4);
    }
    return fflush(stdout) || ferror(stdout);
}

/* tests/determinism/print.c: prints executions, one a line, for determinism.sh to compare.
 *
 *     print N         about N executions: each program under random schedules, fine and coarse, and
 *                     under RaceFuzzer on the pairs that the hybrid detector finds in it
 *
 * A line is token, hash of the event sequence, events, steps, switches, how it ended.  The back end
 * is the one RF_BACKEND asks for.
 */
#define RF_IMPLEMENTATION
#include "tests/determinism/programs.h"

#define LOOK       40 /* executions that look for pairs */
#define MANY_PAIRS 24

static void print(const rfi_job *j, uint32_t index) {
    char token[RFI_TOKEN_BYTES];
    const rfi_record *r = rfi_team_replay(&lab_campaign.team, j, index);
    rfi_token_write(j, index, r, token);
    printf("%s %016llx %llu %llu %llu %u %s %08x\n", token, (unsigned long long)r->hash,
           (unsigned long long)r->events, (unsigned long long)r->steps,
           (unsigned long long)r->switches, r->hit_count,
           r->skipped ? "skip" : rfi_diagnostic(r->failure.diagnostic)->id,
           r->failure.diagnostic ? (uint32_t)rfi_hash_text(r->failure.message) : 0);
}

static void print_random(const char *name, bool fine, uint32_t n) {
    rfi_job j = lab_job_of(name, RFI_PREDICT, fine);
    for (uint32_t i = 0; i < n; i++) print(&j, i);
}

static void print_directed(const char *name, uint32_t n) {
    static rfi_pair pair[MANY_PAIRS];
    rfi_job look = lab_job_of(name, RFI_PREDICT, LAB_FINE);
    look.hybrid = look.hb = true;
    const rfi_tally *t = lab_job(&look, LOOK);
    uint32_t pairs = t->pairs < MANY_PAIRS ? t->pairs : MANY_PAIRS;
    qsort(memcpy(pair, t->pair, pairs * sizeof *pair), pairs, sizeof *pair, rfi_pair_order);
    printf("%s: %u pairs\n", name, t->pairs);
    for (uint32_t i = 0; i < n; i++) {
        const rfi_pair *p = &pair[i % pairs];
        rfi_job j = lab_job_of(name, RFI_CONFIRM, i / pairs % 4 == 3);
        for (unsigned k = 0; k < 2; k++) {
            j.site[k] = p->side[k].site;
            j.site_key[k] = rfi_site_key(j.site[k]);
        }
        print(&j, i / pairs);
    }
}

int main(int argc, char **argv) {
    uint32_t n = argc > 1 ? (uint32_t)atoi(argv[1]) : 1000;
    lab_open();
    for (unsigned i = 0; i < PROGRAMS; i++) {
        const char *name = programs[i].name;
        uint32_t share = (n * programs[i].share + 99) / 100;
        print_random(name, LAB_FINE, (share + 2) / 3);
        print_random(name, LAB_COARSE, (share + 2) / 3);
        print_directed(name, (share + 2) / 3);
    }
    return fflush(stdout) || ferror(stdout);
}

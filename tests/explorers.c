/* What every strategy must do: the same token gives the same execution, also when the strategy had
 * learned something before, and on the other back end; different executions differ; it works
 * beneath every checker, under every memory model and with every heuristic for older values.  On
 * programs that use every macro of the public face. */
#define RF_IMPLEMENTATION
#include "tests/lab.h"
#include "tests/determinism/programs.h"

enum { LEARN = 14, EACH = 4 };

/* What is learned from some executions goes on in the next ones, which are then replayed.  Those
 * that follow from one another learn in between. */
static bool repeats(const rfi_job *j, uint64_t *hash) {
    static uint8_t used[RF_USED_BYTES], lesson[RF_LESSON_BYTES];
    rfi_plan p;
    rfi_shared *here = lab_campaign.team.here;
    rfi_record *r = &here->record;
    (void)lab_job(j, LEARN);
    bool same = true;
    for (uint32_t i = LEARN; i < LEARN + EACH; i++) {
        rfi_job again = *j;
        rfi_job_arm(j);
        rfi_job_plan(j, true, &p);
        rfi_worker_school(j, here);
        rfi_job_run(j, &p, i, r);
        const rfi_lesson *taught = rfi_lesson_at(&here->lessons, here->lessons.used);
        uint32_t bytes = taught->bytes;
        memcpy(lesson, taught + 1, bytes);
        uint64_t course = hash[i - LEARN] = r->hash;
        memcpy(used, r->used, r->used_bytes);
        again.used = used;
        again.used_bytes = r->used_bytes;
        same = same && rfi_team_replay(&lab_campaign.team, &again, i)->hash == course;
        if (i == LEARN && !j->strategy->threads) {
            rfi.backend = RFI_BACKEND_THREADS;
            same = same && rfi_team_replay(&lab_campaign.team, &again, i)->hash == course;
            rfi.backend = RFI_BACKEND_FIBER;
        }
        if (j->strategy->serial) j->strategy->learn(lesson, bytes);
    }
    return same;
}

/* Sequentially consistent memory, C11's, and C11's with each heuristic; fine and coarse. */
enum { HEURISTICS = RF_PICK_MIXED - RF_PICK_OLDEST + 1, WAYS = 2 * (2 + HEURISTICS) };

static rfi_job job_of(const char *name, const rf_strategy *s, unsigned way) {
    unsigned memory = way / 2;
    rfi_job j = lab_job_of(name, memory < 2 ? RFI_PREDICT : RFI_ADVERSARY, way & 1);
    j.strategy = s;
    j.parameter = rfi_parameter_default(s);
    j.memory.atomics = memory ? RF_MEM_C11 : RF_MEM_SC;
    if (memory < 2) return j;
    j.all = true;
    j.pick = (rf_heuristic)(RF_PICK_OLDEST + memory - 2);
    return j;
}

static void test_strategy(const rf_strategy *s) {
    uint32_t wrong = 0, different = 0;
    for (uint32_t i = 0; i < RFI_LENGTH(programs); i++)
        for (unsigned way = i % 7; way < WAYS; way += 7) {
            uint64_t hash[EACH];
            rfi_job j = job_of(programs[i].name, s, way);
            wrong += !repeats(&j, hash);
            for (uint32_t k = 1; k < EACH; k++) different += hash[k] != hash[0];
        }
    LAB_CHECK(named("%s: the same token gives the same execution", s->name), !wrong);
    if (s->threads) return; /* the machine may repeat itself */
    LAB_CHECK(named("%s: other tokens give other executions", s->name),
              different > RFI_LENGTH(programs) * 4);
}

/* ---- campaigns ---- */

enum { TOKENS = 200 };
static char token[TOKENS][RFI_TOKEN_BYTES];
static uint32_t kept, unlike;

static void keep_token(FILE *out, const rfi_result *r, const rfi_finding *f) {
    (void)out, (void)r;
    if (!f->record) return; /* a prediction that did not come true */
    unlike += !f->reproduced;
    if (kept < TOKENS) snprintf(token[kept++], RFI_TOKEN_BYTES, "%s", f->token);
}

static const rfi_reporter keeper = {"keeper",   lab_silent_run,    lab_silent_test,
                                    keep_token, lab_silent_result, lab_silent_run,
                                    false};

/* The strategy in the first phase and below all checkers: what was found is found again. */
static void test_campaign(const rf_strategy *s) {
    char strategy[128];
    uint32_t found = 0, lost = 0;
    snprintf(strategy, sizeof strategy,
             "--strategy=%s,racefuzzer,deadlockfuzzer,atomfuzzer,lostwakeup,breakpoint", s->name);
    unlike = 0;
    for (uint32_t i = 0; i < RFI_LENGTH(programs); i++) {
        kept = 0;
        (void)lab_study(programs[i].name, "--executions=40", strategy, NULL);
        for (uint32_t k = 0; k < kept; k++) lost += !lab_token_replays(token[k]);
        found += kept;
    }
    printf("# %u found\n", found);
    LAB_CHECK(named("%s: what campaigns find is found again", s->name), found > 20 && !unlike);
    LAB_CHECK(named("%s: by the text of its token, too", s->name), !lost);
}

int main(void) {
    const rf_strategy *s;
    lab_open();
    lab_campaign.reporter = &keeper;
    for (uint32_t i = 0; (s = rfi_strategy_at(i)); i++) {
        /* what they are told only: tests/shrink.sh, tests of targets */
        if (s == &rfi_schedule_strategy || s == &rfi_input_strategy) continue;
        test_strategy(s);
        test_campaign(s);
    }
    return lab_end();
}

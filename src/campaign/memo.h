/* campaign/memo.h: the learned state that the examples of a study used.
 *
 * Strategies continue to learn, so the state that an execution used (rf_used) is kept with each
 * example of a finding: its replay needs it.
 */
#ifndef RFI_CAMPAIGN_MEMO_H
#define RFI_CAMPAIGN_MEMO_H
#include "campaign/tally.h"

#ifdef RFI_IMPL
typedef struct rfi_memo {
    struct rfi_memo *next;
    uint64_t job;   /* rfi_job_print */
    uint64_t index; /* in it */
    uint32_t bytes;
    uint8_t used[];
} rfi_memo;

RFI_VAR rfi_memo *rfi_memos; /* of the test under study, the newest first */

/* Tells jobs of one study apart. */
RFI_FN uint64_t rfi_job_print(const rfi_job *j) {
    uint64_t h = rfi_job_base(j) + rfi_hash_text(rfi_job_strategy(j)->name);
    h = rfi_mix(h) + (rfi_job_checker(j) ? rfi_hash_text(rfi_job_checker(j)->name) : 0);
    return rfi_mix(h + ((uint64_t)j->pick << 2 | (uint64_t)j->all << 1 | j->fine));
}

RFI_FN void rfi_memos_forget(void) {
    while (rfi_memos) {
        rfi_memo *m = rfi_memos;
        rfi_memos = m->next;
        RFI_REAL(free)(m);
    }
}

/* Keeps what is in the tally of a job. */
RFI_FN void rfi_memos_keep(const rfi_job *j, rfi_tally *t) {
    const rfi_lesson *l;
    for (uint32_t at = 0; (l = rfi_lessons_next(&t->used, &at)) != NULL;) {
        rfi_memo *m = RFI_REAL(malloc)(sizeof *m + l->bytes);
        if (!m) rfi_die("out of memory (%u bytes)", l->bytes);
        *m = (rfi_memo){rfi_memos, rfi_job_print(j), rfi_lesson_index(l), l->bytes};
        memcpy(m->used, l + 1, l->bytes);
        rfi_memos = m;
    }
}

/* Of an execution; NULL: it used nothing. */
RFI_FN const rfi_memo *rfi_memo_of(const rfi_job *j, uint64_t index) {
    uint64_t job = rfi_job_print(j);
    const rfi_memo *m = rfi_memos;
    while (m && (m->job != job || m->index != index)) m = m->next;
    return m;
}
#endif
#endif

/* campaign/keep.h: what the study of a test adds to the campaign's folder.
 *
 * Lines are written as soon as something is known; how far it is, and which orders there were, now
 * and then: a process that is killed loses some seconds.
 */
#ifndef RFI_CAMPAIGN_KEEP_H
#define RFI_CAMPAIGN_KEEP_H
#include "campaign/plan.h"

#ifdef RFI_IMPL
# define RFI_CHECKPOINT_MS 10000  /* between two lines that say how far it is, at most */
# define RFI_KEPT_PART     32768u /* executions, at most, until it is looked at the clock */
# define RFI_SKETCH        2048u  /* orders that are kept of a test */

RFI_VAR struct rfi_saved {
    uint64_t executions, skipped, orders; /* that have been told of */
    uint64_t next[RFI_ARMS];
    int64_t at, pause; /* ms: of the last line, and to the next */
    rfi_orders told;
} rfi_saved;

/* How many executions there were since this was told last, and how many of them were skipped. */
RFI_FN void rfi_saved_executions(const rfi_study *s, FILE *out) {
    uint64_t all = rfi_sum_of_phases(s->result.executions), skipped = s->predicted->skipped;
    fprintf(out, ",\"executions\":%llu", (unsigned long long)(all - rfi_saved.executions));
    if (skipped != rfi_saved.skipped)
        fprintf(out, ",\"skipped\":%llu", (unsigned long long)(skipped - rfi_saved.skipped));
    rfi_saved.executions = all;
    rfi_saved.skipped = skipped;
}

/* What tells at which statements orders are compared; those that are the same can be merged. */
RFI_FN uint64_t rfi_study_statements(const rfi_study *s) {
    uint64_t h = 1;
    for (unsigned i = 0; s->common && i < RFI_POINT_WORDS; i++) h = rfi_mix(h + s->counted[i]);
    return h;
}

/* The orders that are new, or have been seen again, since this was written last. */
RFI_FN void rfi_saved_orders(const rfi_study *s) {
    const rfi_orders *o = &s->predicted->orders;
    uint32_t level = o->level, n;
    if (rfi_study_scouts(s) && !s->common) return;
    for (;; level++) {
        n = 0;
        for (uint32_t i = 0; o->used && i <= o->mask; i++)
            n += o->slot[i] && !(o->slot[i] & ((UINT64_C(1) << level) - 1) & ~RFI_ORDER_AGAIN);
        if (n <= RFI_SKETCH) break;
    }
    FILE *out = rfi_folder_line(RFI_ENTRY_orders, s->result.test);
    fprintf(out, ",\"statements\":\"%016llx\",\"executions\":%llu,\"level\":%u,\"members\":\"",
            (unsigned long long)rfi_study_statements(s),
            (unsigned long long)(o->executions - rfi_saved.orders), level);
    rfi_saved.orders = o->executions;
    for (uint32_t i = 0; n && i <= o->mask; i++) {
        uint64_t order = o->slot[i] & ~RFI_ORDER_AGAIN;
        if (!order || order & ((UINT64_C(1) << level) - 1)) continue;
        uint64_t *told = rfi_order_probe(&rfi_saved.told, order);
        if (*told == o->slot[i]) continue;
        fprintf(out, "%016llx ", (unsigned long long)o->slot[i]);
        if (*told)
            *told = o->slot[i];
        else
            (void)rfi_orders_put(&rfi_saved.told, o->slot[i]);
    }
    fputc('"', out);
    rfi_folder_end();
}

/* How far a search is that was asked for, and what was not tried on the way. */
RFI_FN void rfi_saved_search(const rfi_study *s, const rfi_arm *a) {
    const rf_strategy *strategy = rfi_job_strategy(&a->job);
    const uint8_t *bytes;
    uint32_t n = strategy->rfi_keeps && !rfi_arm_extra(a) ? strategy->rfi_keeps(&bytes) : 0;
    if (!n) return;
    FILE *out = rfi_folder_line(RFI_ENTRY_search, a->job.test);
    fprintf(out, ",\"under\":\"%016llx\",\"left_out\":{",
            (unsigned long long)rfi_folder_under(&a->job));
    const rfi_left_out *left = &s->predicted->left_out;
    const char *comma = "";
# define RFI_KEEP(field)                                                                          \
  if (left->field) fprintf(out, "%s\"" #field "\":%llu", comma, (unsigned long long)left->field); \
  if (left->field) comma = ",";
    RFI_LEFT_OUT(RFI_KEEP)
# undef RFI_KEEP
    fputc('}', out);
    rfi_folder_bytes(out, &a->job, bytes, n);
}

/* How far phase 1 is. */
RFI_FN void rfi_study_checkpoint(rfi_study *s, bool last) {
    int64_t now = rfi_milliseconds();
    if (!rfi_folder.out || s->campaign->settings.merge.count) return;
    if (!last && now - rfi_saved.at < rfi_saved.pause) return;
    rfi_saved.at = now;
    rfi_saved.pause =
        rfi_saved.pause * 2 < RFI_CHECKPOINT_MS ? rfi_saved.pause * 2 : RFI_CHECKPOINT_MS;
    for (uint32_t i = 0; i < s->arms; i++) {
        const rfi_arm *a = &s->arm[i];
        if (a->next == rfi_saved.next[i]) continue;
        rfi_saved.next[i] = a->next;
        rfi_saved_search(s, a);
        FILE *out = rfi_folder_line(RFI_ENTRY_done, s->result.test);
        fprintf(out, ",\"explorer\":\"%s\",\"next\":%llu", rfi_job_strategy(&a->job)->name,
                (unsigned long long)a->next);
        rfi_saved_executions(s, out);
        rfi_folder_end();
    }
    if (last || rfi_saved.pause == RFI_CHECKPOINT_MS) rfi_saved_orders(s);
}

/* How far phase 2 is with a warning. */
RFI_FN void rfi_study_directed_to(rfi_study *s, uint32_t i) {
    if (!rfi_folder.out || s->campaign->settings.merge.count) return;
    FILE *out = rfi_folder_line(RFI_ENTRY_directed, s->result.test);
    fprintf(out, ",\"key\":\"%016llx\",\"next\":%llu",
            (unsigned long long)s->predicted->warning[i].key, (unsigned long long)s->cases[i].done);
    rfi_saved_executions(s, out);
    rfi_folder_end();
}

/* All phases are done. */
RFI_FN void rfi_study_round(rfi_study *s) {
    if (!rfi_folder.out || s->campaign->settings.merge.count) return;
    rfi_study_checkpoint(s, true);
    if (rfi_interrupted || s->result.capped) return;
    FILE *out = rfi_folder_line(RFI_ENTRY_round, s->result.test);
    fprintf(out, ",\"number\":%llu", (unsigned long long)s->round + 1);
    rfi_saved_executions(s, out);
    rfi_folder_end();
}
#endif
#endif

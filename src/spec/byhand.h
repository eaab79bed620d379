/* spec/byhand.h: calls of a specified object that a test makes by hand (RF_CALL, RF_RETURN).
 *
 * They are a history as in scenario.h, each thread a lane; when the body of the test has ended,
 * some order must explain it.
 * Optimised: not, the calls count and not what is around them.
 */
#ifndef RFI_SPEC_BYHAND_H
#define RFI_SPEC_BYHAND_H
#include "spec/table.h"

#ifdef RFI_IMPL
RFI_VAR struct {
    uint32_t generation; /* of the execution */
    const rf_site *site; /* of its first call */
    rfi_history history;
    rfi_invocation call[RFI_CALLS];
    rfi_invocation *open[RFI_LANES]; /* by lane, */
    uint32_t thread[RFI_LANES];      /* which is this thread's */
    rfi_asking asking;
} rfi_by_hand;

/* The body of the test has ended. */
RFI_FN void rfi_by_hand_end(void) {
    const char *object = rfi.series->test->options.calls;
    if (rfi.run.live > 1)
        rfi_fail_test(rfi_by_hand.site, RF_DIAG_FAIL,
                      "the calls of %s can't be checked: join all threads before the test ends",
                      object);
    if (!rfi_asking_end(&rfi_by_hand.asking, &rfi_by_hand.history))
        rfi_scenario_fail(rfi_by_hand.site, &rfi_by_hand.asking);
}

/* The first call of an execution. */
RFI_FN void rfi_by_hand_begin(const rf_site *s) {
    rfi_history *h = &rfi_by_hand.history;
    rfi_by_hand.generation = rfi.generation;
    rfi_by_hand.site = s;
    h->call = rfi_by_hand.call;
    rfi_history_clear(h, 1); /* the lane of a scenario's first thread stays empty */
    h->criterion = rfi.series->test->options.criterion;
    rfi_sequential.object = rfi_object_part_of(rfi.series->test->options.calls, false);
    rfi_sequential.end = rfi_object_part_of(rfi.series->test->options.calls, true);
    rfi_asking_begin(&rfi_by_hand.asking, h);
    memset(rfi_by_hand.open, 0, sizeof rfi_by_hand.open);
    rfi.run.finish = rfi_by_hand_end;
}

/* The lane of the running thread. */
RFI_FN uint32_t rfi_by_hand_lane(const rf_site *s) {
    uint32_t l = 1;
    if (rfi_by_hand.generation != rfi.generation || !rfi.run.finish) rfi_by_hand_begin(s);
    while (l < rfi_by_hand.history.lanes && rfi_by_hand.thread[l] != rfi.current->id) l++;
    if (l == RFI_LANES)
        rfi_fail(RF_DIAG_FAIL, s, "RF_CALL: more than %u threads make calls", RFI_LANES - 1);
    if (l == rfi_by_hand.history.lanes) rfi_by_hand.history.lanes++;
    rfi_by_hand.thread[l] = rfi.current->id;
    return l;
}

/* All other threads that there have been are joined. */
RFI_FN bool rfi_by_hand_alone(void) {
    uint32_t i = 0;
    while (i < rfi.run.threads &&
           (rfi.thread[i] == rfi.current || (rfi.thread[i]->joined && rfi.thread[i]->finished)))
        i++;
    return i == rfi.run.threads;
}

/* The operation, if this can be a call of it. */
RFI_FN const rfi_operation *rfi_by_hand_operation(const rf_site *s, const char *name, uint32_t n) {
    const char *object = rfi.series->test->options.calls;
    const rfi_operation *o = NULL;
    if (!object)
        rfi_fail(RF_DIAG_FAIL, s, "RF_CALL(\"%s\"): say RF_TEST(%s, .calls = \"OBJECT\")", name,
                 rfi.series->test->options.rfi_name);
    while ((o = rfi_operation_next(object, o)) && strcmp(o->options.rfi_name, name) != 0) continue;
    if (!o) rfi_fail(RF_DIAG_FAIL, s, "RF_CALL: there is no RF_OPERATION(%s, %s)", object, name);
    if (o->arguments != n)
        rfi_fail(RF_DIAG_FAIL, s, "RF_CALL(\"%s\"): it has %u argument%s, not %u", name,
                 o->arguments, o->arguments == 1 ? "" : "s", n);
    return o;
}

void rfi_call_made(const rf_site *s, const char *name, const long long *argument, size_t n) {
    rfi_history *h = &rfi_by_hand.history;
    if (!RFI_ME(s)) return;
    const rfi_operation *o = rfi_by_hand_operation(s, name, (uint32_t)n);
    rfi_asking_wait(s, rfi.series->test->options.criterion);
    uint32_t lane = rfi_by_hand_lane(s);
    if (rfi_by_hand.open[lane])
        rfi_fail(RF_DIAG_FAIL, s, "RF_CALL(\"%s\"): RF_RETURN of %s is missing", name,
                 rfi_by_hand.open[lane]->of->options.rfi_name);
    if (h->calls == RFI_CALLS)
        rfi_fail(RF_DIAG_FAIL, s, "RF_CALL: more than %u calls in an execution", RFI_CALLS);
    rfi_invocation *c = &h->call[h->calls++];
    *c = (rfi_invocation){.of = o, .lane = lane, .alone = rfi_by_hand_alone()};
    memcpy(c->argument, argument, n * sizeof *argument);
    rfi_by_hand.open[lane] = c;
    rfi_invocation_begin(h, c, rfi.current->id);
    rfi_say_logged(s, c);
}

void rfi_call_returned(const rf_site *s, uint64_t result) {
    if (!RFI_ME(s)) return;
    if (!rfi.series->test->options.calls)
        rfi_fail(RF_DIAG_FAIL, s, "RF_RETURN: say RF_TEST(%s, .calls = \"OBJECT\")",
                 rfi.series->test->options.rfi_name);
    uint32_t lane = rfi_by_hand_lane(s);
    rfi_invocation *c = rfi_by_hand.open[lane];
    if (!c) rfi_fail(RF_DIAG_FAIL, s, "RF_RETURN without RF_CALL");
    rfi_by_hand.open[lane] = NULL;
    if (c->of->result == 'v') result = 0;
    if (c->of->result == 'b') result = result != 0;
    rfi_invocation_end(&rfi_by_hand.history, c, result);
    rfi_say_logged(s, c);
    if (!rfi_asking_more(&rfi_by_hand.asking, &rfi_by_hand.history, c))
        rfi_scenario_fail(rfi_by_hand.site, &rfi_by_hand.asking);
}
#endif
#endif

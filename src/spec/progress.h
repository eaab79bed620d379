/* spec/progress.h: do calls end, whatever becomes of other threads?
 *
 * Obstruction freedom (Herlihy, Luchangco, Moir, ICDCS 2003): a call ends if all other threads are
 * stopped, wherever they are.  Lock freedom: if one thread is stopped, calls of the others end; and
 * no schedule lets all go on for ever without the end of a call.  So the scenario says where in
 * which call that begins: from there a thread runs alone; or all run but this one; or all in step,
 * in turns of the same length, so that what hinders each other goes on doing so.
 *
 * A count of rounds proves nothing: a helper may have much to do.  What goes on for ever is known
 * by steps that are all repetitions, with the values that they read and write; alone, a call has so
 * many steps at most as would be too many for an execution.
 * Optimised: not, only tests that ask for it run it.
 */
#ifndef RFI_SPEC_PROGRESS_H
#define RFI_SPEC_PROGRESS_H
#include "engine/stuck.h"
#include "spec/table.h"

#ifdef RFI_IMPL
enum { RFI_STOP_NOBODY, RFI_STOP_OTHERS, RFI_STOP_ONE, RFI_STOP_IN_STEP };
# define RFI_REPEATING 1000u /* steps that only repeat as many before them */

/* Operations that wait for nobody. */
/* clang-format off */
# define RFI_NEVER_WAITS \
    (RF_EV_BIT(RF_EV_LOAD) | RF_EV_BIT(RF_EV_STORE) | RF_EV_BIT(RF_EV_RMW) | \
     RF_EV_BIT(RF_EV_FENCE) | RF_EV_BIT(RF_EV_UNLOCK) | RF_EV_BIT(RF_EV_RELOCK) | \
     RF_EV_BIT(RF_EV_REUNLOCK) | RF_EV_BIT(RF_EV_SEM_POST) | RF_EV_BIT(RF_EV_SIGNAL) | \
     RF_EV_BIT(RF_EV_BROADCAST) | RF_EV_BIT(RF_EV_YIELD) | RF_EV_BIT(RF_EV_ALLOC) | \
     RF_EV_BIT(RF_EV_FREE) | RF_EV_BIT(RF_EV_BREAK))
/* clang-format on */

RFI_VAR struct {
    rf_progress asked;
    const rf_site *site; /* of the test */
    const rfi_history *history;
    rfi_scene_stop plan;
    bool stopped;                              /* it has begun, */
    bool over;                                 /* or is over */
    const rfi_invocation *open[RFI_LANES];     /* calls that have not returned, by lane */
    uint32_t thread[RFI_LANES], of[RFI_LANES]; /* who makes them; which of the lane's it is */
    uint64_t own[RFI_LANES];                   /* steps of it */
    uint32_t waited;                           /* decisions since the call has come to its step */
    uint32_t turn, left;                       /* in step: whose turn it is, and for how long */
    rfi_map seen;                              /* steps since a call has ended, */
    uint32_t steps;                            /* and how many they are */
} rfi_progress;

/* ---- repetition ---- */

/* A call has ended, or something new has happened: what was is no longer of interest. */
RFI_FN void rfi_progress_forget(void) {
    if (rfi_progress.steps) rfi_map_reset(&rfi_progress.seen);
    rfi_progress.steps = 0;
}

/* A step of a thread; told by engine/calls.h. */
RFI_FN void rfi_progress_event(const rf_event *e) {
    uint64_t h = rfi_mix(rfi_site_known_key(e->site) + e->kind) + e->thread;
    h = rfi_mix(rfi_mix(h + (uintptr_t)e->addr + e->object) + e->value);
    uint64_t *times = rfi_map_at(&rfi_progress.seen, h);
    if (!(*times)++ && rfi_progress.steps >= RFI_REPEATING) rfi_progress_forget();
    rfi_progress.steps++;
}

/* ---- what is said ---- */

RFI_FN void rfi_progress_who(rfi_text *out, const rfi_thr *t) {
    char name[RFI_NAME_BYTES + 16];
    if (rfi_waits(t)) {
        rfi_say_wait(out, t);
        return;
    }
    rfi_append(out, "\n  T%u %s at %s (%s)", t->id, rfi_in(rfi.paused, t->id) ? "is stopped" : "is",
               RFI_AT(t->next.site), t->next.site ? rfi_site_object(t->next.site) : "start");
    for (uint32_t i = 0; i < t->held_count; i++)
        rfi_append(out, "%s %s (taken at %s)", i ? "," : "; it holds",
                   rfi_object_label(t->held[i].number, name, sizeof name), RFI_AT(t->held[i].site));
}

RFI_FN void rfi_progress_table(rfi_text *out) {
    rfi_say_open = " ...";
    rfi_say_alone(out, rfi_progress.history, false);
    rfi_say_rows(out, rfi_progress.history);
}

/* `lane`: of a call that does not end. */
RFI_FN RFI_NORETURN void rfi_progress_fail(uint32_t lane, const char *how) {
    static const char *const word[] = {"lock-free", "obstruction-free", "lock-free", "lock-free"};
    static const char *const while_[] = {"", " while all others are stopped",
                                         " while T%u is stopped", " while all run in step"};
    rfi_text out = rfi_message_of(&rfi.record->failure);
    const rfi_thr *t = rfi.thread[rfi_progress.thread[lane]];
    uint32_t mode = rfi_progress.stopped ? rfi_progress.plan.mode : RFI_STOP_NOBODY;
    rfi_append(&out, "not %s: ", word[mode]);
    rfi_say_made(&out, rfi_progress.open[lane]);
    rfi_append(&out, " of T%u %s", t->id, how);
    rfi_append(&out, while_[mode], rfi_progress.thread[rfi_progress.plan.lane]);
    rfi_progress_table(&out);
    for (uint32_t l = 1; l < rfi_progress.history->lanes; l++)
        if (rfi_progress.open[l]) rfi_progress_who(&out, rfi.thread[rfi_progress.thread[l]]);
    rfi_fail_written(RF_DIAG_NO_PROGRESS, rfi_waits(t) ? t->next.site : rfi_progress.site, t->id);
}

/* ---- decisions ---- */

RFI_FN uint32_t rfi_progress_lane(uint32_t thread) {
    uint32_t l = rfi_progress.history->lanes - 1;
    while (l && !(rfi_progress.open[l] && rfi_progress.thread[l] == thread)) l--;
    return l;
}

RFI_FN void rfi_progress_stop(uint32_t thread) {
    for (uint32_t u = 0; u < rfi.run.threads; u++)
        if (rfi_progress.plan.mode == RFI_STOP_OTHERS
                ? u != thread
                : rfi_progress.plan.mode == RFI_STOP_ONE && u == thread)
            rfi_put(rfi.paused, u);
    rfi_progress.stopped = true;
    rfi_progress_forget();
}

/* All go on. */
RFI_FN void rfi_progress_release(void) {
    for (uint32_t w = 0; w < rfi.run.words; w++) rfi.paused[w] = 0;
    rfi_progress.over |= rfi_progress.stopped;
    rfi_progress.stopped = false;
    rfi_progress_forget();
}

RFI_FN bool rfi_progress_anybody(void) {
    do {
        for (uint32_t w = 0; w < rfi.run.words; w++)
            if (rfi_candidate_word(w, true)) return true;
    } while (rfi.run.dues && rfi_time_passes());
    return false;
}

/* Those that are not stopped wait: if one is in a call that may not, that is it. */
RFI_FN void rfi_progress_nobody(void) {
    for (uint32_t l = 1; l < rfi_progress.history->lanes; l++) {
        const rfi_invocation *c = rfi_progress.open[l];
        if (!c || c->of->options.blocks || rfi_in(rfi.paused, rfi_progress.thread[l])) continue;
        rfi_progress_fail(l, "waits");
    }
    rfi_progress_release();
}

/* In step: the next thread in a circle that is in a call; RFI_NO_THREAD: there are no two. */
RFI_FN uint32_t rfi_progress_in_step(void) {
    uint32_t n = 0, lanes = rfi_progress.history->lanes;
    for (uint32_t l = 1; l < lanes; l++)
        n += rfi_progress.open[l] && rfi_in(rfi.enabled, rfi_progress.thread[l]);
    if (n < 2) return RFI_NO_THREAD;
    while (!rfi_progress.left || !rfi_progress.open[rfi_progress.turn] ||
           !rfi_in(rfi.enabled, rfi_progress.thread[rfi_progress.turn])) {
        rfi_progress.turn = rfi_progress.turn % (lanes - 1) + 1;
        rfi_progress.left = rfi_progress.plan.length + 1;
    }
    rfi_progress.left--;
    return rfi_progress.thread[rfi_progress.turn];
}

/* Has the call come to its step, and have others made theirs since? */
RFI_FN bool rfi_progress_due(void) {
    const rfi_scene_stop *plan = &rfi_progress.plan;
    if (!plan->mode || rfi_progress.stopped || rfi_progress.over) return false;
    return rfi_progress.open[plan->lane] && rfi_progress.of[plan->lane] == plan->call &&
           rfi_progress.own[plan->lane] >= plan->step && rfi_progress.waited++ >= plan->delay;
}

/* The thread that executes next. */
RFI_FN uint32_t rfi_progress_decide(void) {
    const rfi_scene_stop *plan = &rfi_progress.plan;
    uint32_t lane, next = RFI_NO_THREAD;
    if (rfi_progress_due()) rfi_progress_stop(rfi_progress.thread[plan->lane]);
    if (rfi_progress.stopped && !rfi_progress_anybody()) rfi_progress_nobody();
    if (rfi_progress.stopped && plan->mode == RFI_STOP_IN_STEP) {
        next = rfi_progress_in_step();
        if (next == RFI_NO_THREAD) rfi_progress_release();
    }
    if (next == RFI_NO_THREAD) next = rfi_decide();
    if (!(lane = rfi_progress_lane(next))) return next;
    const rf_event *e = &rfi.thread[next]->next;
    rfi.record->waits |= !(RF_EV_BIT(e->kind) & RFI_NEVER_WAITS || e->flags & RF_EV_TRY);
    bool alone = rfi_progress.stopped && plan->mode == RFI_STOP_OTHERS;
    bool lock_free =
        rfi_progress.asked >= RF_LOCK_FREE && !rfi_progress.open[lane]->of->options.blocks;
    if (rfi_progress.steps >= 2 * RFI_REPEATING && (alone || lock_free))
        rfi_progress_fail(lane, "repeats the same steps for ever");
    if (++rfi_progress.own[lane] >= rfi.plan->max_steps / 8 && alone)
        rfi_progress_fail(lane, "does not end");
    return next;
}

/* ---- calls ---- */

RFI_FN void rfi_progress_made(const rfi_invocation *c) {
    if (!rfi_progress.asked || !c->lane) return;
    rfi_progress.thread[c->lane] = c->thread;
    rfi_progress.of[c->lane] = rfi_progress.history->length[c->lane] - 1;
    rfi_progress.own[c->lane] = 0;
    rfi_progress.open[c->lane] = c;
}

/* `most`: steps of its own that a call may have; 0: any number. */
RFI_FN void rfi_progress_returned(const rfi_invocation *c, uint64_t most) {
    if (!rfi_progress.asked || !c->lane) return;
    uint64_t own = rfi_progress.own[c->lane];
    rfi_progress.open[c->lane] = NULL;
    rfi_progress_forget();
    rfi_own_steps x = {own, c->of->options.rfi_name, rfi.record->index};
    (void)rfi_own_steps_add(&rfi.record->own, x);
    if (rfi_progress.stopped && rfi_progress.plan.mode == RFI_STOP_OTHERS) rfi_progress_release();
    if (!most || own <= most || rfi_progress.asked != RF_WAIT_FREE) return;
    char text[RFI_MESSAGE_BYTES];
    rfi_text out = {text, text + sizeof text};
    rfi_append(&out, "not wait-free: ");
    rfi_say_made(&out, c);
    rfi_append(&out, " of T%u has taken %llu steps of its own, more than %llu", c->thread,
               (unsigned long long)own, (unsigned long long)most);
    rfi_progress_table(&out);
    rfi_fail(RF_DIAG_NO_PROGRESS, rfi_progress.site, "%s", text);
}

/* Between the first thread's calls before and after the others. */
RFI_FN void rfi_progress_begin(const rf_site *site, const rfi_history *h, rf_progress asked,
                               const rfi_scene_stop *plan) {
    rfi_progress.asked = asked;
    rfi_progress.site = site;
    rfi_progress.history = h;
    rfi_progress.plan = *plan;
    rfi_progress.stopped = rfi_progress.over = false;
    rfi_progress.turn = rfi_progress.left = rfi_progress.waited = 0;
    memset(rfi_progress.open, 0, sizeof rfi_progress.open);
    rfi_say_open = " waits";
    if (!asked || rfi.plan->checker || rfi.run.owned) {
        rfi_progress.asked = RF_ANY_PROGRESS;
        return;
    }
    rfi_progress_forget();
    rfi.run.owned = rfi_progress_decide;
    rfi.run.attention++;
    rfi_calls.watch = rfi_progress_event;
}

RFI_FN void rfi_progress_end(void) {
    if (!rfi_progress.asked) return;
    rfi_progress_release();
    rfi.run.owned = NULL;
    rfi.run.attention--;
    rfi_calls.watch = NULL;
}
#endif
#endif

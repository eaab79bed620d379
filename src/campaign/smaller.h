/* campaign/smaller.h: a smaller scenario of a specified object that fails in the same way.
 *
 * As in Lincheck (Koval et al., CAV 2023): a thread or a call less, for as long as it still fails;
 * under the schedule that is known to fail, or, where that does not, under drawn ones.
 */
#ifndef RFI_CAMPAIGN_SMALLER_H
#define RFI_CAMPAIGN_SMALLER_H
#include "campaign/schedule.h"

#ifdef RFI_IMPL
# define RFI_SHRINK_DRAWN 20u   /* drawn executions for each of the others, */
# define RFI_SHRINK_SCENE 1024u /* and at most so many for one scenario */

/* Runs it under schedules that are drawn, until one fails in the same way; its record, or NULL. */
RFI_FN const rfi_record *rfi_shrink_drawn(rfi_shrinking *s) {
    rfi_team *team = s->team;
    rfi_job j = s->job;
    const rfi_record *r = NULL;
    uint64_t before = s->index;
    uint32_t k = 0;
    j.replay = true;
    j.used = s->bytes;
    j.used_bytes = rfi_shrink_open(s, RFI_SCHEDULE_DRAWN, 0).at;
    team->deadline = s->until;
    for (rfi_span span = {0, 16}; !r && s->drawn_left && span.from < RFI_SHRINK_SCENE;) {
        rfi_tally_reset(s->drawn);
        rfi_team_run(team, &j, &span, s->drawn);
        const rfi_tally *t = s->drawn;
        s->result->spent += t->executions;
        for (k = 0; k < t->failures && t->failure[k].key != s->key; k++) continue;
        if (k < t->failures) s->index = t->failure[k].index;
        if (k < t->failures) r = rfi_shrink_fails(s, j.used_bytes);
        uint64_t cost = t->executions * (1 + s->steps / 50); /* what has steps takes time */
        s->drawn_left -= cost < s->drawn_left ? cost : s->drawn_left;
        if (t->executions < span.to - span.from) s->drawn_left = 0; /* there is no time for it */
        span = (rfi_span){span.to, span.to * 4};
    }
    team->deadline = 0;
    team->capped = false;
    if (!r) s->index = before;
    return r;
}

/* The schedule as it is where a thread is gone. */
RFI_FN void rfi_shrink_no_thread(rfi_shrinking *s, uint32_t thread) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        rfi_exception e = s->list[i];
        if (e.thread == thread || e.next == thread) continue;
        e.thread -= e.thread > thread;
        e.next -= e.next > thread;
        s->list[n++] = e;
    }
    s->count = n;
}

/* One way to make it smaller; true: it fails in the same way. */
RFI_FN bool rfi_shrink_scene_by(rfi_shrinking *s, uint32_t way) {
    const rfi_scene before = s->scene;
    uint32_t thread, count = s->count;
    if (!rfi_scene_reduce(&s->scene, way, s->job.test->object, &thread)) {
        s->scene = before;
        return false;
    }
    rfi_exception *list = RFI_REAL(malloc)((count + 1) * sizeof *list);
    if (!list) rfi_die("out of memory (a schedule)");
    memcpy(list, s->list, count * sizeof *list);
    if (thread) rfi_shrink_no_thread(s, thread);
    const rfi_record *r = rfi_shrink_fails(s, rfi_shrink_write(s, 0, 0));
    if (!r) r = rfi_shrink_drawn(s);
    if (r) {
        rfi_shrink_read(s, r);
    } else {
        memcpy(s->list, list, count * sizeof *list);
        s->count = count;
        s->scene = before;
    }
    RFI_REAL(free)(list);
    return r != NULL;
}

RFI_FN void rfi_shrink_scene(rfi_shrinking *s) {
    uint32_t failed = 0; /* ways, since one has led somewhere */
    for (uint32_t way = 0; s->scene.calls && s->left && failed < rfi_scene_ways(&s->scene);) {
        if (way >= rfi_scene_ways(&s->scene)) way = 0;
        bool less = rfi_shrink_scene_by(s, way);
        failed = less ? 0 : failed + 1;
        way += !less;
    }
}
#endif
#endif

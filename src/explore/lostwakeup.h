/* explore/lostwakeup.h: a notification that comes before the wait (CalFuzzer's missed notification;
 * Joshi, Naik, Park and Sen, CAV 2009).
 *
 * Targets: where the waiter is delayed, its wait, the notification; and, if there is one, the
 * change of what the waiter looks at.  The waiter is delayed where it takes the mutex; or, if it
 * checks something that is changed without the mutex, at the wait itself, after the check.  The
 * change is delayed until a waiter is delayed, so that the check comes first.  After the
 * notification a coin decides whether waiters are delayed for longer, behind what the notifier
 * does next.
 *
 * A hit: the execution deadlocks with a waiter in the wait, begun after a notification that had
 * woken no thread or all that waited then.
 */
#ifndef RFI_EXPLORE_LOSTWAKEUP_H
#define RFI_EXPLORE_LOSTWAKEUP_H
#include "engine/iface.h"

#ifdef RFI_IMPL
RFI_VAR struct rfi_losing {
    uint32_t delay, wait, notice, change; /* site numbers; UINT32_MAX: none */
    bool hurry;                           /* the notification ends the delays */
    bool over;                            /* it has: nobody is delayed any more */
    bool any;                             /* a notification has been made, */
    rf_event lost;                        /* the last one, */
    uint32_t woken;                       /* and how many it woke */
    rfi_map late;                         /* threads that wait and have missed it */
} rfi_losing;

RFI_FN bool rfi_losing_delays(const rf_event *e) {
    const uint64_t kinds = RF_EV_BIT(RF_EV_LOCK) | RF_EV_BIT(RF_EV_WAIT) | RF_EV_BIT(RF_EV_WAKE);
    return kinds >> e->kind & 1 && !(e->flags & (RF_EV_TRY | RF_EV_TIMED)) &&
           rfi_site_number(e->site) == rfi_losing.delay;
}

RFI_FN bool rfi_losing_changes(const rf_event *e) {
    return e->flags & RF_EV_WRITES && rfi_site_number(e->site) == rfi_losing.change;
}

RFI_FN bool rfi_losing_at(const rf_event *next) {
    return !rfi_losing.over && (rfi_losing_delays(next) || rfi_losing_changes(next));
}

RFI_FN void rfi_losing_find(uint32_t u, void *found) {
    if (rfi_losing_delays(rf_next_event(u))) *(bool *)found = true;
}

RFI_FN void rfi_losing_run(uint32_t u, void *unused) {
    (void)unused;
    if (rfi_losing_changes(rf_next_event(u))) rf_check_run(u);
}

RFI_FN void rfi_losing_check(const rf_event *next) {
    bool delayed = false;
    if (rfi_losing_delays(next)) {
        if (rfi_losing.hurry && rfi_losing.any && rfi_coin(rf_check_random())) return;
        rf_check_pause();
        rf_check_each_paused(rfi_losing_run, NULL);
        return;
    }
    rf_check_each_paused(rfi_losing_find, &delayed);
    if (!delayed) rf_check_pause();
}

RFI_FN void rfi_losing_go_on(uint32_t u, void *unused) {
    (void)unused;
    rf_check_run(u);
}

RFI_FN void rfi_losing_event(const rf_event *e) {
    struct rfi_losing *l = &rfi_losing;
    bool delayed = false;
    switch (e->kind) {
    case RF_EV_SIGNAL:
    case RF_EV_BROADCAST:
        if (rfi_site_number(e->site) != l->notice) return;
        l->any = true;
        l->lost = *e;
        l->woken = 0;
        rf_check_each_paused(rfi_losing_find, &delayed);
        l->over |= delayed && l->hurry;
        if (l->over) rf_check_each_paused(rfi_losing_go_on, NULL);
        return;
    case RF_EV_NOTIFY:
        l->woken++;
        *rfi_map_at(&l->late, e->other) = 0;
        return;
    default: /* a wait */
        *rfi_map_at(&l->late, e->thread) =
            l->any && rfi_site_number(e->site) == l->wait && l->lost.object == e->object &&
            l->lost.thread != e->thread && (!l->woken || l->lost.kind == RF_EV_BROADCAST);
    }
}

RFI_FN void rfi_losing_stuck(const uint32_t *thread, uint32_t count, bool cycle) {
    for (uint32_t i = 0; !cycle && i < count; i++) {
        const rf_event *e = rf_next_event(thread[i]);
        if (e->kind != RF_EV_WAKE || !*rfi_map_at(&rfi_losing.late, thread[i])) continue;
        rf_check_hit(&rfi_losing.lost, e);
        return;
    }
}

RFI_FN void rfi_losing_begin(uint64_t seed) {
    struct rfi_losing *l = &rfi_losing;
    uint32_t n;
    const uint64_t *target = rf_check_targets(&n);
    (void)seed;
    rfi_map_reset(&l->late);
    l->over = l->any = false;
    l->hurry = rfi_coin(rf_check_random());
    l->delay = rfi_site_number_of_key(target[0]);
    l->wait = rfi_site_number_of_key(target[1]);
    l->notice = rfi_site_number_of_key(target[2]);
    l->change = n > 3 ? rfi_site_number_of_key(target[3]) : UINT32_MAX;
}

RFI_VAR rf_checker rfi_lostwakeup_checker = {
    .name = "lostwakeup",
    .help = "has a signal or broadcast come before the wait",
    .confirms = RF_FAMILY_BIT(RF_FAMILY_LOST_WAKEUP),
    .at_sites = true,
    .events = RF_EV_BIT(RF_EV_SIGNAL) | RF_EV_BIT(RF_EV_BROADCAST) | RF_EV_BIT(RF_EV_NOTIFY) |
              RF_EV_BIT(RF_EV_WAIT),
    .begin = rfi_losing_begin,
    .is_breakpoint = rfi_losing_at,
    .check = rfi_losing_check,
    .event = rfi_losing_event,
    .stuck = rfi_losing_stuck};
#endif
#endif

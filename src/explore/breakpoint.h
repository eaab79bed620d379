/* explore/breakpoint.h: two threads at concurrent breakpoints at once (Joshi, Naik, Park and Sen,
 * CAV 2009, and the library of breakpoints that came with it).
 *
 * A thread at a breakpoint of the name is paused until another one arrives with the same address:
 * a hit.  One of the two, the one at RF_BREAKPOINT_FIRST or by a coin, executes its next visible
 * operation before anything else; then the other one continues.
 *
 * No thread waits for ever: when all are paused, or spin for a paused one, the frame releases a
 * thread.  If the first one has to wait, others run meanwhile; if it waits for a lock of the
 * second one, the frame releases that one.
 *
 * Invariant: no two paused threads could have met, but for the second of a pair, of which the first
 * one is on its way.
 */
#ifndef RFI_EXPLORE_BREAKPOINT_H
#define RFI_EXPLORE_BREAKPOINT_H
#include "engine/iface.h"

#ifdef RFI_IMPL
RFI_VAR struct rfi_meeting {
    uint64_t name;          /* key of the breakpoints that are meant */
    bool pending;           /* the one that goes first has not yet done what it is to do, */
    bool left;              /* nor left its breakpoint */
    uint32_t first, second; /* threads of the pending pair */
} rfi_meeting;

/* What other threads may see: operations, but for the remarks of a test. */
/* clang-format off */
# define RFI_REMARKS \
    (RF_EV_BIT(RF_EV_START) | RF_EV_BIT(RF_EV_NOTIFY) | RF_EV_BIT(RF_EV_ENTER) | \
     RF_EV_BIT(RF_EV_LEAVE) | RF_EV_BIT(RF_EV_BLOCK) | RF_EV_BIT(RF_EV_BLOCK_END) | \
     RF_EV_BIT(RF_EV_SET) | RF_EV_BIT(RF_EV_CHOOSE) | RF_EV_BIT(RF_EV_LOG) | \
     RF_EV_BIT(RF_EV_RECYCLE))
/* clang-format on */

RFI_FN bool rfi_meeting_here(const rf_event *e) {
    return e->kind == RF_EV_BREAK && rf_name_key(e->text) == rfi_meeting.name;
}

/* While a pair is pending every decision is checked, so that nothing gets between. */
RFI_FN bool rfi_meeting_at(const rf_event *next) {
    return rfi_meeting.pending ? next->thread != rfi_meeting.first : rfi_meeting_here(next);
}

typedef struct rfi_partner {
    const rf_event *next;  /* of the thread under check */
    const rf_event *other; /* who is there already; NULL: nobody */
} rfi_partner;

RFI_FN void rfi_partner_find(uint32_t u, void *arg) {
    rfi_partner *p = arg;
    const rf_event *e = rf_next_event(u);
    bool same = e->addr == p->next->addr || !e->addr || !p->next->addr;
    if (!p->other && same) p->other = e;
}

/* The thread at `next` is there, and another one at `other`. */
RFI_FN void rfi_meeting_hit(const rf_event *next, const rf_event *other) {
    struct rfi_meeting *m = &rfi_meeting;
    bool first = next->flags & RF_EV_FIRST, other_first = other->flags & RF_EV_FIRST;
    rf_check_hit(next, other);
    if (first == other_first) first = rfi_coin(rf_check_random());
    m->pending = true;
    m->left = false;
    m->first = first ? next->thread : other->thread;
    m->second = first ? other->thread : next->thread;
    if (first) return; /* it executes; the other one stays paused */
    rf_check_pause();
    rf_check_run(m->first);
}

RFI_FN void rfi_meeting_check(const rf_event *next) {
    if (rfi_meeting.pending) {
        if (!rf_thread_enabled(rfi_meeting.first)) return;
        rf_check_pause();
        rf_check_run(rfi_meeting.first);
        return;
    }
    rfi_partner p = {next, NULL};
    rf_check_each_paused(rfi_partner_find, &p);
    if (p.other)
        rfi_meeting_hit(next, p.other);
    else
        rf_check_pause();
}

RFI_FN void rfi_meeting_go_on(uint32_t u, void *unused) {
    (void)unused;
    rf_check_release(u);
}

RFI_FN void rfi_meeting_event(const rf_event *e) {
    struct rfi_meeting *m = &rfi_meeting;
    if (!m->pending) return;
    if (e->thread == m->second) m->pending = false; /* the frame has let it go */
    if (e->thread != m->first) return;
    if (!m->left) {
        m->left = true;
        return;
    }
    m->pending = false;
    rf_check_run(m->second);
    rf_check_each_paused(rfi_meeting_go_on, NULL); /* those who wait for a partner come back */
}

RFI_FN void rfi_meeting_begin(uint64_t seed) {
    uint32_t n;
    (void)seed;
    rfi_meeting = (struct rfi_meeting){.name = rf_check_targets(&n)[0]};
}

RFI_VAR rf_checker rfi_breakpoint_checker = {
    .name = "breakpoint",
    .help = "has two threads stand at breakpoints of one name at once",
    .confirms = RF_FAMILY_BIT(RF_FAMILY_BREAKPOINT),
    .fine = true,
    .events = ~UINT64_C(0) & ~RFI_REMARKS,
    .begin = rfi_meeting_begin,
    .is_breakpoint = rfi_meeting_at,
    .check = rfi_meeting_check,
    .event = rfi_meeting_event};
#endif
#endif

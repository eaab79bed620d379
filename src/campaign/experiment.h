/* campaign/experiment.h: which findings come of another one's race, by experiment.
 *
 * The races of a group are made impossible (engine/mend.h), and executions that show a finding of
 * another group are run again, and as many of the same schedules as they are.  If it comes as
 * before in some of the latter and in none of the former, it goes under that group; the group that
 * makes the first one vanish, and not the other way round, becomes the first.
 *
 * Where two races have their message by the same atomics (moment.h), these are what is mended: who
 * vanishes with the first lacks the same order.
 *
 * RFI_SHOWN executions must show the finding: without any effect of the races, none in as many
 * others has a chance of one in a hundred and fifty at most.  What is too rare for that stays where
 * it is.
 */
#ifndef RFI_CAMPAIGN_EXPERIMENT_H
#define RFI_CAMPAIGN_EXPERIMENT_H
#include "campaign/groups.h"
#include "campaign/moment.h"

#ifdef RFI_IMPL
# define RFI_SHOWN       5u
# define RFI_SHOWN_FIRST 16u /* executions at first; then four times as many, and so on */
# define RFI_SHOWN_PAIRS 40u /* of a race and a finding, that may take all that one pair may */

typedef struct rfi_experiment {
    rfi_study *study;
    rfi_item *item;
    uint32_t items;
    int64_t until; /* ms; 0: there is no cap */
    uint64_t left; /* executions */
    rfi_mend mend;
    const rfi_side *side[RFI_MENDED]; /* of the statements */
    const rf_site *order[2];          /* of atomics, where they are what is mended */
    rfi_job job;
} rfi_experiment;

/* Adds a statement; false: there are too many. */
RFI_FN bool rfi_mend_add(rfi_experiment *e, const rfi_side *side) {
    uint64_t key = rfi_site_key(side->site);
    for (uint32_t i = 0; i < e->mend.count; i++)
        if (e->mend.key[i] == key) return true;
    if (e->mend.count == RFI_MENDED) return false;
    e->side[e->mend.count] = side;
    e->mend.key[e->mend.count++] = key;
    return true;
}

/* Is what is read at `a` written at `b`, a little later? */
RFI_FN bool rfi_side_leads(const rfi_side *a, const rfi_side *b) {
    rfi_where p = rfi_site_where(a->site), q = rfi_site_where(b->site);
    bool kinds = !(a->flags & RF_EV_WRITES) && b->flags & RF_EV_WRITES;
    return kinds && p.line <= q.line && !strcmp(p.function, q.function) && !strcmp(p.file, q.file);
}

/* All statements that race on what the group of `first` races on; false: that can't be. */
RFI_FN bool rfi_experiment_mend(rfi_experiment *e, uint32_t first) {
    const rfi_tally *all = e->study->predicted;
    e->mend = (rfi_mend){.count = 0};
    for (uint32_t i = 0; i < e->items; i++) {
        const rfi_warning *w = e->item[i].finding.warning;
        if (e->item[i].first != first || e->item[i].finding.gone) continue;
        if (!w || w->family != RF_FAMILY_RACE) continue;
        for (uint32_t k = 0; k < all->warnings; k++) {
            const rfi_warning *p = &all->warning[k];
            if (p->family != RF_FAMILY_RACE || p->variable != w->variable) continue;
            if (!rfi_mend_add(e, &p->side[0]) || !rfi_mend_add(e, &p->side[1])) return false;
        }
    }
    for (uint32_t i = 0; i < e->mend.count; i++)
        for (uint32_t k = 0; k < e->mend.count; k++)
            if (rfi_side_leads(e->side[i], e->side[k])) e->mend.keeps |= 1u << i;
    return e->mend.count;
}

/* The executions that show a finding; false: none that can be run at will. */
RFI_FN bool rfi_experiment_job(rfi_experiment *e, const rfi_item *x) {
    const rfi_warning *w = x->finding.warning;
    rfi_job *j = &e->job;
    if (w && w->hits)
        rfi_study_case(e->study, rfi_study_checker(e->study, w), w, j);
    else
        *j = w ? x->of->seen_job : *x->job;
    const rf_strategy *strategy = rfi_job_strategy(j);
    if (j->replay || j->phase == RFI_ADVERSARY || !x->job || strategy->threads) return false;
    if (strategy->learn || strategy->serial) j->strategy = &rfi_random;
    j->analyses = w ? w->by | rfi_analysis_bit("hb") : 0;
    j->scout = j->shared = j->covers = j->serials = false;
    j->counted = NULL;
    j->mend = &e->mend;
    return true;
}

/* How many of these executions show it. */
RFI_FN uint64_t rfi_experiment_run(rfi_experiment *e, const rfi_item *x, const rfi_span *range,
                                   bool control) {
    const rfi_finding *f = &x->finding;
    rfi_tally *t = e->study->batch;
    e->mend.control = control;
    rfi_tally_reset(t);
    rfi_team_run(&e->study->campaign->team, &e->job, range, t);
    e->left -= t->executions < e->left ? t->executions : e->left;
    if (t->executions < range->to - range->from) e->left = 0; /* there is no time for it */
    if (f->warning) {
        uint32_t i = rfi_tally_find(t, f->warning->key);
        uint64_t seen = i < t->warnings ? t->warning[i].seen : 0;
        return f->warning->hits && t->hits > seen ? t->hits : seen;
    }
    for (uint32_t i = 0; i < t->failures; i++)
        if (t->failure[i].key == f->failure->key) return t->failure[i].count;
    return 0;
}

RFI_FN bool rfi_experiment_late(const rfi_experiment *e) {
    return !e->left || rfi_interrupted || (e->until && rfi_milliseconds() >= e->until);
}

/* Does x vanish?  At most as many executions as for the shrinking of a schedule. */
RFI_FN bool rfi_experiment_vanishes(rfi_experiment *e, rfi_item *x) {
    uint32_t most = e->study->campaign->settings.shrink;
    uint64_t with = 0;
    if (!rfi_experiment_job(e, x)) return false;
    for (rfi_span r = {0, RFI_SHOWN_FIRST}; r.from < most; r = (rfi_span){r.to, r.to * 4}) {
        if (r.to > most) r.to = most;
        if (rfi_experiment_run(e, x, &r, false)) return false;
        with += rfi_experiment_run(e, x, &r, true);
        if (rfi_experiment_late(e)) return false;
        x->finding.without = (uint32_t)r.to;
        x->finding.with = (uint32_t)with;
        if (with >= RFI_SHOWN) return true;
    }
    return false;
}

/* `x` goes under `first`, with what is under it. */
RFI_FN void rfi_items_gone(rfi_experiment *e, uint32_t x, uint32_t first) {
    for (uint32_t i = 0; i < e->items; i++)
        if (i != x && e->item[i].first == x && e->item[i].finding.gone) e->item[i].first = first;
    uint32_t next = x; /* those that were under it by their places alone */
    for (uint32_t i = e->items; i--;)
        if (i != x && e->item[i].first == x) next = i;
    for (uint32_t i = 0; i < e->items; i++)
        if (e->item[i].first == x) e->item[i].first = next;
    e->item[x].first = first;
    e->item[x].finding.gone = true;
}

/* The atomics by which the race could be ordered; false: there are none. */
RFI_FN bool rfi_experiment_order(rfi_experiment *e, const rfi_item *first) {
    const rfi_record *r = rfi_team_replay(&e->study->campaign->team, first->job, first->index);
    if (!r) return false;
    rfi_race_lines race = rfi_race_find(r, first->finding.warning);
    uint64_t a = race.number[0], b = race.number[1];
    if (a == RFI_NEVER || b == RFI_NEVER) return false;
    rfi_handover m = a < b ? rfi_handover_find(r, a, b) : rfi_handover_find(r, b, a);
    if (!m.sent) return false;
    e->mend = (rfi_mend){.key = {rfi_site_key(m.sent->site), rfi_site_key(m.read->site)}, 2};
    e->order[0] = m.sent->site;
    e->order[1] = m.read->site;
    return true;
}

RFI_FN bool rfi_experiment_asks(const rfi_experiment *e, uint32_t i) {
    const rfi_finding *f = &e->item[i].finding;
    return f->fails && e->item[i].job && !f->gone;
}

/* What vanishes of the other groups goes under `first`; how many. */
RFI_FN uint32_t rfi_experiment_try(rfi_experiment *e, uint32_t first) {
    uint32_t n = 0;
    for (uint32_t x = 0; x < e->items && !rfi_experiment_late(e); x++) {
        if (e->item[x].first == first || !rfi_experiment_asks(e, x)) continue;
        if (!rfi_experiment_vanishes(e, &e->item[x])) continue;
        rfi_items_gone(e, x, first);
        memcpy(e->item[x].finding.order, e->order, sizeof e->order);
        n++;
    }
    return n;
}

/* Is there a finding in another group? */
RFI_FN bool rfi_experiment_others(const rfi_experiment *e, uint32_t first) {
    for (uint32_t x = 0; x < e->items; x++)
        if (e->item[x].first != first && rfi_experiment_asks(e, x)) return true;
    return false;
}

/* Tries the first of each group, if it is a race, against the findings of the others. */
RFI_FN void rfi_items_try(rfi_study *s, rfi_item *item, uint32_t n) {
    static rfi_experiment e;
    rfi_team *team = &s->campaign->team;
    int64_t now = rfi_milliseconds(), end = team->end;
    e = (rfi_experiment){.study = s, .item = item, .items = n};
    e.left = (uint64_t)RFI_SHOWN_PAIRS * s->campaign->settings.shrink;
    if (end) team->end = e.until = now + (end - now) / 4; /* the rest is for telling */
    for (uint32_t first = 0; first < n; first++) {
        rfi_finding *f = &item[first].finding;
        if (item[first].first != first || !rfi_experiment_asks(&e, first) || !f->warning) continue;
        if (f->warning->family != RF_FAMILY_RACE || !rfi_experiment_others(&e, first)) continue;
        e.order[0] = e.order[1] = NULL;
        if (rfi_experiment_mend(&e, first)) (void)rfi_experiment_try(&e, first);
        if (!rfi_experiment_others(&e, first) || !rfi_experiment_order(&e, &item[first])) continue;
        if (!rfi_experiment_vanishes(&e, &item[first]) || !rfi_experiment_try(&e, first)) continue;
        f->gone = true;
        memcpy(f->order, e.order, sizeof e.order);
    }
    team->end = end;
}
#endif
#endif

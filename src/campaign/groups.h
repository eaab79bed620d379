/* campaign/groups.h: which findings of a test have one cause, as far as their places tell.
 *
 * Races belong together that touch the same variable (campaign/study.h), that lie in the same pair
 * of functions, or of which the one was met only where the other had been produced.  So does an
 * atomicity violation with a race at one of its statements.  Only findings that fail the test are
 * grouped; the first to be told stands for its group.
 */
#ifndef RFI_CAMPAIGN_GROUPS_H
#define RFI_CAMPAIGN_GROUPS_H
#include "campaign/adversary.h"

#ifdef RFI_IMPL
/* A finding that is to be told, and the execution that shows it. */
typedef struct rfi_item {
    rfi_finding finding;
    const rfi_case *of; /* of a warning */
    const rfi_job *job; /* NULL: none, it was only predicted */
    uint32_t index;
    uint64_t functions; /* a race's two, in any order; 0: something else */
    uint32_t first;     /* the first item of its group */
} rfi_item;

RFI_FN uint64_t rfi_item_functions(const rfi_finding *f) {
    uint64_t sum = 0;
    if (!f->warning || f->warning->family != RF_FAMILY_RACE) return 0;
    for (unsigned k = 0; k < 2; k++) {
        rfi_where w = rfi_site_where(f->warning->side[k].site);
        sum += rfi_mix(rfi_hash_text(w.function) + rfi_hash_text(rfi_basename(w.file)));
    }
    return sum;
}

/* Has one of them a statement of the other? */
RFI_FN bool rfi_warnings_meet(const rfi_warning *a, const rfi_warning *b) {
    for (unsigned i = 0; i < a->sides; i++)
        for (unsigned k = 0; k < b->sides; k++)
            if (a->side[i].site == b->side[k].site) return true;
    return false;
}

/* Was b met only after a had been produced? */
RFI_FN bool rfi_item_follows(const rfi_item *a, const rfi_item *b) {
    const rfi_warning *w = b->finding.warning;
    return !w->predicted && b->of->after && b->of->after == a->finding.warning->key;
}

RFI_FN bool rfi_items_related(const rfi_item *a, const rfi_item *b) {
    const rfi_warning *p = a->finding.warning, *q = b->finding.warning;
    if (!p || !q || !a->finding.fails || !b->finding.fails) return false;
    if (rfi_item_follows(a, b) || rfi_item_follows(b, a)) return true;
    bool race[2] = {p->family == RF_FAMILY_RACE, q->family == RF_FAMILY_RACE};
    if (race[0] && race[1]) return p->variable == q->variable || a->functions == b->functions;
    unsigned blocks = RF_FAMILY_BIT(RF_FAMILY_ATOMICITY) | RF_FAMILY_BIT(RF_FAMILY_ATOMIC_SET);
    unsigned other = race[0] ? q->family : p->family;
    return (race[0] || race[1]) && blocks & RF_FAMILY_BIT(other) && rfi_warnings_meet(p, q);
}

/* Gives each item the first of its group, and that one the number of the others. */
RFI_FN void rfi_items_group(rfi_item *item, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        item[i].first = i;
        item[i].functions = rfi_item_functions(&item[i].finding);
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < i; k++) {
            uint32_t a = item[i].first, b = item[k].first;
            if (a == b || !rfi_items_related(&item[k], &item[i])) continue;
            for (uint32_t m = 0; m <= i; m++)
                if (item[m].first == (a > b ? a : b)) item[m].first = a < b ? a : b;
        }
    for (uint32_t i = 0; i < n; i++) {
        rfi_finding *f = &item[i].finding, *first = &item[item[i].first].finding;
        if (f != first) f->also = ++first->others;
        f->group = item[i].first + 1;
    }
}
#endif
#endif

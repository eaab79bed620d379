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
    uint64_t index;
    uint64_t functions;     /* a race's two, in any order; 0: something else */
    uint32_t number, first; /* its own; of the race, or whatever it is, that its group comes of; */
    uint32_t head;          /* and of the one that is told in full */
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

RFI_FN bool rfi_items_related(const rfi_item *a, const rfi_item *b, bool functions) {
    const rfi_warning *p = a->finding.warning, *q = b->finding.warning;
    if (!p || !q || !a->finding.fails || !b->finding.fails) return false;
    if (a->finding.gone || b->finding.gone) return false;
    if (rfi_item_follows(a, b) || rfi_item_follows(b, a)) return true;
    bool race[2] = {p->family == RF_FAMILY_RACE, q->family == RF_FAMILY_RACE};
    if (race[0] && race[1])
        return p->variable == q->variable || (functions && a->functions == b->functions);
    unsigned blocks = RF_FAMILY_BIT(RF_FAMILY_ATOMICITY) | RF_FAMILY_BIT(RF_FAMILY_ATOMIC_SET);
    unsigned other = race[0] ? q->family : p->family;
    return (race[0] || race[1]) && blocks & RF_FAMILY_BIT(other) && rfi_warnings_meet(p, q);
}

/* Each item is a group. */
RFI_FN void rfi_items_alone(rfi_item *item, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        item[i].number = item[i].first = i;
        item[i].functions = rfi_item_functions(&item[i].finding);
    }
}

/* Joins groups of which some items are related; `functions`: races in one pair of functions are. */
RFI_FN void rfi_items_join(rfi_item *item, uint32_t n, bool functions) {
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < i; k++) {
            uint32_t a = item[i].first, b = item[k].first;
            if (a == b || !rfi_items_related(&item[k], &item[i], functions)) continue;
            for (uint32_t m = 0; m < n; m++)
                if (item[m].first == (a > b ? a : b)) item[m].first = a < b ? a : b;
        }
}

/* Who is told in full: the one that the group comes of; but if that did no harm, the first that
 * vanishes with it and did. */
RFI_FN void rfi_items_head(rfi_item *item, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) item[i].head = item[i].first;
    for (uint32_t i = n; i--;) {
        const rfi_finding *f = &item[i].finding, *first = &item[item[i].first].finding;
        if (!f->gone || !f->failure || first->failure) continue;
        for (uint32_t k = 0; k < n; k++)
            if (item[k].first == item[i].first) item[k].head = i;
    }
    for (uint32_t i = 0; i < n; i++)
        item[i].finding.role = item[i].head == i                             ? RFI_HEAD
                               : item[i].first == i && !item[i].finding.gone ? RFI_ROOT
                               : item[i].finding.gone                        ? RFI_GONE
                                                                             : RFI_BESIDE;
}

RFI_FN int rfi_item_order(const void *x, const void *y) {
    const rfi_item *a = x, *b = y;
    if (a->head != b->head) return a->head < b->head ? -1 : 1;
    if (a->finding.role != b->finding.role) return a->finding.role < b->finding.role ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

/* Puts the items in the order in which they are told, and numbers those of a group. */
RFI_FN void rfi_items_order(rfi_item *item, uint32_t n, bool all) {
    rfi_items_head(item, n);
    RFI_REAL(qsort)(item, n, sizeof *item, rfi_item_order);
    for (uint32_t i = 0, head = 0; i < n; i++) {
        rfi_finding *f = &item[i].finding;
        f->group = item[i].head + 1;
        f->nth = i && item[i - 1].head == item[i].head && item[i - 1].finding.role == f->role
                     ? item[i - 1].finding.nth + 1
                     : 1;
        if (f->role == RFI_HEAD) head = i;
        f->root = f->role == RFI_HEAD && f->gone ? &item[i + 1].finding : item[head].finding.root;
        if (f->role == RFI_HEAD && !f->gone) f->root = f;
        f->also = i - head;
        f->brief = f->also && !all;
        item[head].finding.others = i - head;
    }
}
#endif
#endif

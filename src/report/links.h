/* report/links.h: what a step of one thread has from a step of another one.
 *
 * A read has its value from a write, a lock its freedom from an unlock, a wake-up comes from who
 * woke, a thread begins where it was created, and a join has waited for the thread's last step.
 * Steps of one thread are not linked: the order of the program links them.
 */
#ifndef RFI_REPORT_LINKS_H
#define RFI_REPORT_LINKS_H
#include "report/cut.h"

#ifdef RFI_IMPL
typedef enum rfi_link_kind {
    RFI_READS_FROM,
    RFI_HAND_OVER,
    RFI_WAKES,
    RFI_CREATES,
    RFI_JOINS,
    RFI_LINK_KINDS
} rfi_link_kind;

RFI_VAR const char *const rfi_link_words[] = {"reads-from", "hand-over", "wake-up", "creation",
                                              "join"};

/* Of events by their numbers; in the order of `to`. */
typedef struct rfi_link {
    uint64_t from, to;
    rfi_link_kind kind;
} rfi_link;

typedef struct rfi_links {
    const rfi_record *r;
    rfi_link *at;
    uint32_t count, room;
    rfi_map written; /* by address of a byte: 1 + the last write */
    rfi_map last;    /* by rfi_link_key: 1 + the last event */
} rfi_links;

/* An event of a kind, and the object or thread that it is for. */
RFI_FN uint64_t rfi_link_key(unsigned kind, uint32_t of) { return (uint64_t)kind << 32 | of; }

RFI_FN void rfi_link_add(rfi_links *l, uint64_t from, uint64_t to, rfi_link_kind kind) {
    if (from == RFI_NEVER || rfi_event_at(l->r, from)->thread == rfi_event_at(l->r, to)->thread)
        return;
    l->at = rfi_grow(l->at, &l->room, l->count + 1, sizeof *l->at);
    l->at[l->count++] = (rfi_link){from, to, kind};
}

RFI_FN uint64_t rfi_link_last(const rfi_links *l, uint64_t key) {
    const uint64_t *n = rfi_map_find(&l->last, key);
    return n ? *n - 1 : RFI_NEVER;
}

/* ---- values ---- */

# define RFI_LINK_BYTES 4096u /* of a longer access only the first are looked at */

RFI_FN size_t rfi_link_bytes(const rf_event *e) {
    return e->size < RFI_LINK_BYTES ? e->size : RFI_LINK_BYTES;
}

RFI_FN bool rfi_is_access(const rf_event *e) {
    return (e->kind == RF_EV_LOAD || e->kind == RF_EV_STORE || e->kind == RF_EV_RMW) && e->addr;
}

RFI_FN void rfi_link_read(rfi_links *l, uint64_t i) {
    const rf_event *e = rfi_event_at(l->r, i);
    uint64_t newest = 0;
    if (rfi_is_strange(e)) {
        const rf_origin *o = e->origin;
        if (o->thread != RFI_NO_THREAD)
            rfi_link_add(l, rfi_write_before(l->r, i, o->thread, o->site), i, RFI_READS_FROM);
        if (e->flags & RF_EV_TORN)
            rfi_link_add(l, rfi_write_before(l->r, i, o->other_thread, o->other_site), i,
                         RFI_READS_FROM);
        return;
    }
    for (size_t k = 0; k < rfi_link_bytes(e); k++) {
        const uint64_t *w = rfi_map_find(&l->written, (uint64_t)(uintptr_t)e->addr + k);
        if (w && *w > newest) newest = *w;
    }
    if (newest) rfi_link_add(l, newest - 1, i, RFI_READS_FROM);
}

RFI_FN void rfi_link_access(rfi_links *l, uint64_t i) {
    const rf_event *e = rfi_event_at(l->r, i);
    if (e->flags & RF_EV_READS) rfi_link_read(l, i);
    for (size_t k = 0; e->flags & RF_EV_WRITES && k < rfi_link_bytes(e); k++)
        *rfi_map_at(&l->written, (uint64_t)(uintptr_t)e->addr + k) = i + 1;
}

/* ---- order ---- */

/* Where a step of kind `to` has to do with the last one of kind `from`. */
RFI_VAR const struct rfi_link_rule {
    uint8_t to, from, kind;
} rfi_link_rules[] = {{RF_EV_LOCK, RF_EV_UNLOCK, RFI_HAND_OVER},
                      {RF_EV_SEM_WAIT, RF_EV_SEM_POST, RFI_HAND_OVER},
                      {RF_EV_ONCE_PASS, RF_EV_ONCE_DONE, RFI_HAND_OVER},
                      {RF_EV_DEPART, RF_EV_ARRIVE, RFI_WAKES},
                      {RF_EV_WAKE, RF_EV_NOTIFY, RFI_WAKES},
                      {RF_EV_PARK, RF_EV_UNPARK, RFI_WAKES},
                      {RF_EV_START, RF_EV_CREATE, RFI_CREATES},
                      {RF_EV_JOIN, RF_EV_EXIT, RFI_JOINS}};

/* For whom an event is that others are linked to, and of whom one is that is linked. */
RFI_FN uint32_t rfi_link_for(const rf_event *e) {
    return e->kind == RF_EV_NOTIFY || e->kind == RF_EV_CREATE ? e->other : e->object;
}

RFI_FN uint32_t rfi_link_of(const rf_event *e) {
    if (e->kind == RF_EV_JOIN) return e->other;
    return e->kind == RF_EV_WAKE || e->kind == RF_EV_START ? e->thread : e->object;
}

# define RFI_SHARED_UNLOCK ((unsigned)RF_EV_COUNT) /* hands over to writers only */

RFI_FN void rfi_link_event(rfi_links *l, uint64_t i) {
    const rf_event *e = rfi_event_at(l->r, i);
    bool woken = e->value == RF_WAKE_SIGNAL || !(e->kind == RF_EV_WAKE || e->kind == RF_EV_PARK);
    bool shared = e->flags & RF_EV_SHARED, idle = e->kind == RF_EV_UNPARK && !e->value;
    if (rfi_is_access(e)) rfi_link_access(l, i);
    for (unsigned k = 0; k < RFI_LENGTH(rfi_link_rules) && woken; k++) {
        const struct rfi_link_rule *rule = &rfi_link_rules[k];
        if (rule->to != e->kind) continue;
        uint64_t from = rfi_link_last(l, rfi_link_key(rule->from, rfi_link_of(e)));
        uint64_t readers = RFI_NEVER;
        if (e->kind == RF_EV_LOCK && !shared)
            readers = rfi_link_last(l, rfi_link_key(RFI_SHARED_UNLOCK, e->object));
        if (readers != RFI_NEVER && (from == RFI_NEVER || readers > from)) from = readers;
        rfi_link_add(l, from, i, (rfi_link_kind)rule->kind);
    }
    unsigned kind = e->kind == RF_EV_UNLOCK && shared ? RFI_SHARED_UNLOCK : e->kind;
    if (kind != RF_EV_EXIT && !idle)
        *rfi_map_at(&l->last, rfi_link_key(kind, rfi_link_for(e))) = i + 1;
    *rfi_map_at(&l->last, rfi_link_key(RF_EV_EXIT, e->thread)) = i + 1; /* the last one so far */
}

/* All among the events that the record has kept. */
RFI_FN rfi_links rfi_links_find(const rfi_record *r) {
    rfi_links l = {.r = r};
    for (uint64_t i = rfi_first_kept(r); i < r->events; i++) rfi_link_event(&l, i);
    rfi_map_free(&l.written);
    rfi_map_free(&l.last);
    return l;
}
#endif
#endif

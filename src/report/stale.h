/* report/stale.h: why a read returned an older value, and what would have forbidden it.
 *
 * One read of an execution is explained (cut.h says which).  The advice looks for the message
 * that told the reader that the newer write had happened: an atomic store, after the write, by the
 * writer or by a thread for which the write is in the past, that the reader has read.  If there is
 * one, its orders are too weak.
 */
#ifndef RFI_REPORT_STALE_H
#define RFI_REPORT_STALE_H
#include "report/cut.h"
#include "report/words.h"

#ifdef RFI_IMPL
RFI_FN uint64_t rfi_hidden_write(const rfi_record *r, uint64_t at) {
    const rf_origin *o = rfi_event_at(r, at)->origin;
    return rfi_write_before(r, at, o->newest_thread, o->newest_site);
}

/* Is the write that was returned ordered before the newest one, as far as can be seen?  By one
 * thread, or before it created the other one, or before everything. */
RFI_FN bool rfi_writes_ordered(const rfi_record *r, uint64_t at) {
    const rf_origin *o = rfi_event_at(r, at)->origin;
    if (o->thread == RFI_NO_THREAD || o->thread == o->newest_thread) return true;
    uint64_t i = rfi_write_before(r, at, o->thread, o->site);
    for (; i != RFI_NEVER && i < at; i++) {
        const rf_event *e = rfi_event_at(r, i);
        if (e->kind == RF_EV_CREATE && e->thread == o->thread && e->other == o->newest_thread)
            return true;
    }
    return false;
}

/* A message between two threads: an atomic store and the load that read it. */
typedef struct rfi_handover {
    const rf_event *sent, *read; /* NULL: there is none */
} rfi_handover;

RFI_FN uint64_t rfi_written(const rf_event *e) {
    return e->flags & RF_EV_READS ? e->value2 : e->value;
}

RFI_FN bool rfi_order_releases(unsigned order) {
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

RFI_FN bool rfi_order_acquires(unsigned order) {
    return order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME || order == __ATOMIC_ACQ_REL ||
           order == __ATOMIC_SEQ_CST;
}

/* The threads that have the write in their past, from which event on; at most so many events are
 * searched for how they came to know. */
enum { RFI_INFORMED = 64, RFI_SEARCHED = 4096 };

typedef struct rfi_informed {
    uint64_t since[RFI_INFORMED];
} rfi_informed;

RFI_FN bool rfi_is_informed(const rfi_informed *n, uint32_t thread, uint64_t at) {
    return thread < RFI_INFORMED && n->since[thread] <= at;
}

/* The last atomic store between events `from` and `to` that `load` may have read, if it is by an
 * informed thread. */
RFI_FN const rf_event *rfi_handover_sent(const rfi_record *r, uint64_t from, uint64_t to,
                                         const rfi_informed *n, const rf_event *load) {
    for (uint64_t i = to; i > from; i--) {
        const rf_event *e = rfi_event_at(r, i - 1);
        if (e->addr != load->addr || !(e->flags & RF_EV_WRITES)) continue;
        bool theirs = e->thread != load->thread && e->flags & RF_EV_ATOMIC &&
                      rfi_is_informed(n, e->thread, i - 1);
        if (theirs && rfi_written(e) == load->value) return e;
    }
    return NULL;
}

RFI_FN bool rfi_is_atomic_load(const rf_event *e) {
    return e->flags & RF_EV_READS && e->flags & RF_EV_ATOMIC && !rfi_is_strange(e);
}

/* Does event `i` order the write before what its thread does next? */
RFI_FN bool rfi_informs(const rfi_record *r, uint64_t write, uint64_t i, const rfi_informed *n) {
    const rf_event *e = rfi_event_at(r, i);
    if (e->kind == RF_EV_JOIN) return rfi_is_informed(n, e->other, i);
    if (!rfi_is_atomic_load(e) || !rfi_order_acquires(e->order)) return false;
    const rf_event *sent = rfi_handover_sent(r, write, i, n, e);
    return sent && rfi_order_releases(sent->order);
}

RFI_FN void rfi_inform(const rfi_record *r, uint64_t write, uint64_t at, rfi_informed *n) {
    memset(n, 0xff, sizeof *n);
    uint32_t writer = rfi_event_at(r, write)->thread;
    if (writer < RFI_INFORMED) n->since[writer] = write;
    for (uint64_t i = write + 1; i < at && i - write < RFI_SEARCHED; i++) {
        const rf_event *e = rfi_event_at(r, i);
        if (e->kind == RF_EV_CREATE && e->other < RFI_INFORMED && rfi_is_informed(n, e->thread, i))
            n->since[e->other] = i;
        else if (e->thread < RFI_INFORMED && n->since[e->thread] > i && rfi_informs(r, write, i, n))
            n->since[e->thread] = i;
    }
}

/* What told the thread of read `at` that write `write` had happened. */
RFI_FN rfi_handover rfi_handover_find(const rfi_record *r, uint64_t write, uint64_t at) {
    const rf_event *reader = rfi_event_at(r, at);
    rfi_informed informed;
    rfi_inform(r, write, at, &informed);
    for (uint64_t i = at; i > write + 1; i--) {
        const rf_event *e = rfi_event_at(r, i - 1);
        if (e->thread != reader->thread || !rfi_is_atomic_load(e)) continue;
        const rf_event *sent = rfi_handover_sent(r, write, i - 1, &informed, e);
        if (sent) return (rfi_handover){sent, e};
    }
    return (rfi_handover){NULL, NULL};
}

/* "release on the store of ready at a.c:7 and acquire on its load at a.c:12" */
RFI_FN bool rfi_say_handover(rfi_line *l, const rfi_handover *m) {
    bool release = m->sent && !rfi_order_releases(m->sent->order);
    bool acquire = m->read && !rfi_order_acquires(m->read->order);
    if (!release && !acquire) return false;
    if (release) {
        rfi_line_add(l, "release on the store of %s at ", rfi_expression(m->sent->site));
        rfi_say_place(l, m->sent->site);
    }
    if (acquire) {
        rfi_line_add(l, "%sacquire on the load of %s at ", release ? " and " : "",
                     rfi_expression(m->read->site));
        rfi_say_place(l, m->read->site);
    }
    return true;
}

/* "T1's write at ring.c:31" */
RFI_FN void rfi_say_write(rfi_line *l, uint32_t thread, const rf_site *site) {
    if (thread == RFI_NO_THREAD) {
        rfi_line_add(l, "the value that was there at first");
        return;
    }
    rfi_line_add(l, "T%u's write at ", thread);
    rfi_say_place(l, site);
}

RFI_FN void rfi_say_what_it_read(rfi_line *l, const rf_event *e) {
    const rf_origin *o = e->origin;
    rfi_line_add(l, "T%u's read of %s at ", e->thread, rfi_expression(e->site));
    rfi_say_place(l, e->site);
    if (e->flags & RF_EV_TORN) {
        rfi_line_add(l, " was torn: one part is from ");
        rfi_say_write(l, o->thread, o->site);
        rfi_line_add(l, ", another one from ");
        rfi_say_write(l, o->other_thread, o->other_site);
        rfi_line_add(l, ".");
        return;
    }
    rfi_line_add(l, " returned ");
    rfi_say_value(l, e->value, e->size);
    rfi_line_add(l, ", ");
    if (o->thread != RFI_NO_THREAD) rfi_line_add(l, "from ");
    rfi_say_write(l, o->thread, o->site);
    if (!o->hidden) {
        rfi_line_add(l, ".");
        return;
    }
    rfi_line_add(l, ", and hid ");
    if (o->hidden == 1)
        rfi_line_add(l, "a newer write: ");
    else
        rfi_line_add(l, "%u newer writes, of which the newest is: ", o->hidden);
    rfi_say_newest(l, e);
    rfi_line_add(l, ".");
}

/* For a race the order that is missing is the fault; an atomic read may do without one. */
RFI_FN void rfi_say_why_allowed(rfi_line *l, const rfi_record *r, uint64_t at) {
    const rf_event *e = rfi_event_at(r, at);
    const rf_origin *o = e->origin;
    if (e->flags & RF_EV_TORN) {
        rfi_line_add(l, "It is allowed since C promises of plain data of more than one word nothing"
                        " when accesses race, and the machine or the compiler may copy it in"
                        " parts.");
        return;
    }
    if (o->newest_thread == e->thread || o->newest_thread == RFI_NO_THREAD) {
        rfi_line_add(l, "It is allowed since nothing orders the write that was returned and the"
                        " newer one: either may be the last.");
        return;
    }
    rfi_line_add(l, "It is allowed since no release/acquire, lock or join orders ");
    rfi_say_write(l, o->newest_thread, o->newest_site);
    rfi_line_add(l, "%s before this read.",
                 rfi_writes_ordered(r, at) ? "" : " both after the one that was returned and");
}

/* Store buffering: the reader has stored to an atomic before its read, and the writer has loaded
 * that one after its write.  The reader's store; NULL: it is not that. */
RFI_FN const rf_event *rfi_buffered_store(const rfi_record *r, uint64_t write, uint64_t at) {
    const rf_event *reader = rfi_event_at(r, at), *writer = rfi_event_at(r, write);
    for (uint64_t i = write + 1; i < r->events; i++) {
        const rf_event *load = rfi_event_at(r, i);
        const unsigned atomic_read = RF_EV_READS | RF_EV_ATOMIC;
        if (load->thread != writer->thread || (load->flags & atomic_read) != atomic_read) continue;
        for (uint64_t k = at; k > rfi_first_kept(r); k--) {
            const rf_event *e = rfi_event_at(r, k - 1);
            if (e->thread == reader->thread && e->flags & RF_EV_ATOMIC && e->flags & RF_EV_WRITES &&
                e->addr == load->addr && e->addr != reader->addr)
                return e;
        }
    }
    return NULL;
}

/* Atomic accesses, at least one of which is not seq_cst. */
RFI_FN void rfi_say_seq_cst(rfi_line *l, const rfi_record *r, uint64_t write, uint64_t at) {
    const rf_event *e = rfi_event_at(r, at);
    const rf_event *own = write != RFI_NEVER ? rfi_buffered_store(r, write, at) : NULL;
    const char *x = rfi_expression(e->site);
    if (own)
        rfi_line_add(l, "seq_cst on all stores and loads of %s and %s", rfi_expression(own->site),
                     x);
    else
        rfi_line_add(l, "seq_cst on all stores and loads of %s", x);
}

RFI_FN void rfi_say_remedy(rfi_line *l, const rfi_record *r, uint64_t at) {
    const rf_event *e = rfi_event_at(r, at);
    const char *x = rfi_expression(e->site);
    bool plain = !(e->flags & RF_EV_ATOMIC), torn = e->flags & RF_EV_TORN;
    bool ordered = !torn && rfi_writes_ordered(r, at);
    uint64_t write = ordered ? rfi_hidden_write(r, at) : RFI_NEVER;
    rfi_handover m = {NULL, NULL};
    if (write != RFI_NEVER && rfi_event_at(r, write)->thread != e->thread)
        m = rfi_handover_find(r, write, at);
    if (rfi_say_handover(l, &m)) return;
    if (torn)
        rfi_line_add(l, "an atomic %s, or a lock held at all accesses", x);
    else if (plain && ordered)
        rfi_line_add(l, "a lock held at both accesses, or a release store after the write that an "
                        "acquire load reads before this read");
    else if (plain)
        rfi_line_add(l, "a lock held at all accesses to %s", x);
    else if (e->origin->newest_order != RF_ORDER_PLAIN)
        rfi_say_seq_cst(l, r, write, at);
}

/* Why the execution could go as it did, in three sentences; nothing if memory did as expected. */
RFI_FN void rfi_say_stale(rfi_line *l, const rfi_record *r) {
    uint64_t at = rfi_strange_read(r);
    if (at == RFI_NEVER) return;
    rfi_line remedy = {0};
    rfi_say_what_it_read(l, rfi_event_at(r, at));
    rfi_line_add(l, " ");
    rfi_say_why_allowed(l, r, at);
    rfi_say_remedy(&remedy, r, at);
    if (remedy.bytes) rfi_line_add(l, " To forbid it: %s.", remedy.s);
}
#endif
#endif

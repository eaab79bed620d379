/* report/stale.h: why a read returned an older value, and what would have forbidden it.
 *
 * One read of an execution is explained (cut.h says which).  The advice looks for the message
 * that told the reader that the newer write had happened (campaign/moment.h).  If there is one, its
 * orders are too weak.
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

/* "address (block 3+8)", or the memory alone: what one statement of a helper is for all. */
RFI_FN void rfi_say_memory(rfi_line *l, const rfi_record *r, const rf_event *e, bool both) {
    rfi_line at = rfi_memory_of(r, e);
    bool text = both || !at.bytes;
    rfi_line_add(l, text && at.bytes ? "%s (%s)" : "%s%s", text ? rfi_expression(e->site) : "",
                 at.s);
}

/* " (from ring.c:40)" */
RFI_FN void rfi_say_through(rfi_line *l, const rfi_record *r, uint64_t number) {
    rfi_line from = {0};
    if (number != RFI_NEVER) from = rfi_event_from(r, number);
    if (from.bytes) rfi_line_add(l, " (from %s)", from.s);
}

RFI_FN void rfi_say_its_place(rfi_line *l, const rfi_record *r, const rf_event *e) {
    rfi_say_place(l, e->site);
    rfi_say_through(l, r, (uint64_t)(e - r->event));
}

/* "release on the store of ready at a.c:7 and acquire on its load at a.c:12" */
RFI_FN bool rfi_say_handover(rfi_line *l, const rfi_record *r, const rfi_handover *m) {
    bool release = m->sent && !rfi_releases(m->sent->order);
    bool acquire = m->read && !rfi_acquires(m->read->order);
    if (!release && !acquire) return false;
    if (release) {
        rfi_line_add(l, "release on the store of ");
        rfi_say_memory(l, r, m->sent, true);
        rfi_line_add(l, " at ");
        rfi_say_its_place(l, r, m->sent);
    }
    if (acquire) {
        rfi_line_add(l, "%sacquire on the load of ", release ? " and " : "");
        rfi_say_memory(l, r, m->read, true);
        rfi_line_add(l, " at ");
        rfi_say_its_place(l, r, m->read);
    }
    return true;
}

/* "T1's write at ring.c:31", the last one before event `at` */
RFI_FN void rfi_say_write(rfi_line *l, const rfi_record *r, uint64_t at, uint32_t thread,
                          const rf_site *site) {
    if (thread == RFI_NO_THREAD) {
        rfi_line_add(l, "the value that was there at first");
        return;
    }
    rfi_line_add(l, "T%u's write at ", thread);
    rfi_say_place(l, site);
    rfi_say_through(l, r, rfi_write_before(r, at, thread, site));
}

RFI_FN void rfi_say_what_it_read(rfi_line *l, const rfi_record *r, uint64_t at) {
    const rf_event *e = rfi_event_at(r, at);
    const rf_origin *o = e->origin;
    rfi_line_add(l, "T%u's read of ", e->thread);
    rfi_say_memory(l, r, e, true);
    rfi_line_add(l, " at ");
    rfi_say_place(l, e->site);
    rfi_say_through(l, r, at);
    if (e->flags & RF_EV_TORN) {
        rfi_line_add(l, " was torn: one part is from ");
        rfi_say_write(l, r, at, o->thread, o->site);
        rfi_line_add(l, ", another one from ");
        rfi_say_write(l, r, at, o->other_thread, o->other_site);
        rfi_line_add(l, ".");
        return;
    }
    rfi_line_add(l, " returned ");
    rfi_say_value(l, e->value, e->size);
    rfi_line_add(l, ", ");
    if (o->thread != RFI_NO_THREAD) rfi_line_add(l, "from ");
    rfi_say_write(l, r, at, o->thread, o->site);
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
    rfi_say_through(l, r, rfi_hidden_write(r, at));
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
    rfi_say_write(l, r, at, o->newest_thread, o->newest_site);
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
    rfi_line_add(l, "seq_cst on all stores and loads of ");
    if (own) rfi_say_memory(l, r, own, false), rfi_line_add(l, " and ");
    rfi_say_memory(l, r, e, false);
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
    if (rfi_say_handover(l, r, &m)) return;
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
    rfi_say_what_it_read(l, r, at);
    if (r->reads_told) {
        rfi_line_add(l, " The token tells so; whether this program allows it is not known.");
        return;
    }
    rfi_line_add(l, " ");
    rfi_say_why_allowed(l, r, at);
    rfi_say_remedy(&remedy, r, at);
    if (remedy.bytes) rfi_line_add(l, " To forbid it: %s.", remedy.s);
}
#endif
#endif

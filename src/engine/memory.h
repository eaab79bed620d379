/* engine/memory.h: the memory model in the engine.
 *
 * It receives synchronisation events like an analysis and supplies the values of accesses
 * (access.h): of atomics, unless they are sequentially consistent and nothing is suspected; of
 * plain data, from the first access by a suspected statement on.
 *
 * It sleeps until the first operation whose result depends on it.  Before the first store that it
 * keeps no message can tell of one, so the synchronisation before that orders nothing that anybody
 * asks for; except at a barrier, where some arrive before and others after.
 */
#ifndef RFI_ENGINE_MEMORY_H
#define RFI_ENGINE_MEMORY_H
#include "engine/fail.h"
#include "engine/order.h"
#include "engine/trace.h"
#include "mem/model.h"

#ifdef RFI_IMPL
RFI_VAR rf_mem rfi_model;
RFI_VAR rfi_order rfi_model_order;
RFI_VAR rfi_map rfi_model_touched;  /* by suspect statements, if there is a sample */
RFI_VAR rf_origin rfi_model_origin; /* of the access that executes */
RFI_VAR uint32_t rfi_model_alone;   /* the model's time when last one thread was alone */
RFI_VAR bool rfi_model_asleep;
RFI_VAR uint64_t rfi_model_seed; /* of this execution, not mixed yet */

/* One execution in four has no older values, so that what fails without them is told without. */
# define RFI_NEWEST_EVERY 4u

/* What the model must be told of once it is awake, and what wakes it. */
/* clang-format off */
# define RFI_MODEL_WAKES (RF_EV_BIT(RF_EV_FENCE) | RF_EV_BIT(RF_EV_ARRIVE) | RF_EV_BIT(RF_EV_ALLOC))
# define RFI_MODEL_EVENTS \
    (RFI_ORDER_EVENTS | RF_EV_BIT(RF_EV_EXIT) | RF_EV_BIT(RF_EV_ALLOC) | RF_EV_BIT(RF_EV_FREE) | \
     RF_EV_BIT(RF_EV_RECYCLE))
/* clang-format on */

RFI_FN RFI_APART void rfi_model_wake(void) {
    rfi_core *c = &rfi_model.core;
    rfi_model_asleep = false;
    rfi.listen |= RFI_MODEL_EVENTS;
    rfi_mem_begin(&rfi_model, rfi_mix(rfi_model_seed), NULL);
    if (c->atomic_pick == RF_PICK_RECENT && rfi.record->index % RFI_NEWEST_EVERY == 0)
        c->atomic_pick = RF_PICK_NEWEST;
    rfi_order_begin(&rfi_model_order, RFI_FULL, &c->threads);
    rfi_model_alone = 0;
    rfi_map_reset(&rfi_model_touched);
    for (uint32_t t = 0; t < rfi.run.threads; t++)
        rfi_actor_of(&c->threads, t)->ended = rfi.thread[t]->finished;
}

RFI_INLINE void rfi_model_need(void) {
    if (RFI_UNLIKELY(rfi_model_asleep)) rfi_model_wake();
}

RFI_FN void rfi_model_begin(void) {
    if (!rfi.plan->memory.choose) rfi.memory.state += RFI_GOLDEN; /* else it draws nothing */
    rfi_model_seed = rfi.memory.state; /* rfi_draw, the rest of it when it wakes */
    rfi_model_asleep = true;
    rfi_model.freshes = 0;
    if (RFI_UNLIKELY(rfi.adversary)) rfi_model_wake();
}

RFI_FN void rfi_model_event(const rf_event *e) {
    if (RFI_UNLIKELY(rfi_model_asleep)) {
        if (!(RFI_MODEL_WAKES & RF_EV_BIT(e->kind))) return;
        rfi_model_wake();
    }
    switch (e->kind) {
    case RF_EV_FENCE:
        rfi_atomic_fence(&rfi_model.core, &rfi_model.atomics, e->thread, e->order);
        break;
    case RF_EV_CREATE:
        if (rfi.run.live == 2) rfi_model_alone = ++rfi_model.atomics.time;
        rfi_order_event(&rfi_model_order, e);
        break;
    case RF_EV_EXIT: rf_mem_exit(&rfi_model, e->thread); break;
    case RF_EV_ALLOC:
        if (e->value == RFI_FRESH) {
            rfi_mem_fresh(&rfi_model, e->addr, e->size);
            break;
        }
        /* fall through */
    case RF_EV_FREE:
    case RF_EV_RECYCLE: rf_mem_forget(&rfi_model, e->addr, e->size); break;
    default: rfi_order_event(&rfi_model_order, e); break;
    }
}

RFI_VAR const rf_analysis rfi_model_analysis = {.name = "memory",
                                                .help = "what the memory model must know",
                                                .events = RFI_MODEL_EVENTS,
                                                .begin = rfi_model_begin,
                                                .event = rfi_model_event};

/* Is this location of those that the plan's sample takes?  The engine can't know where an array
 * begins: locations count in the order in which suspect statements first touch them. */
RFI_FN bool rfi_model_sampled(const void *addr) {
    uint32_t sample = rfi.plan->memory.sample;
    if (!sample) return true;
    uint64_t *number = rfi_map_at(&rfi_model_touched, (uint64_t)(uintptr_t)addr);
    if (!*number) *number = rfi_model_touched.used;
    return *number <= 32 && sample >> (*number - 1) & 1;
}

/* The access puts all that it touches under suspicion, or touches something that is. */
RFI_FN bool rfi_suspected(const rf_event *e, unsigned mode) {
    rf_mem *m = &rfi_model;
    if (mode & RFI_SUSPECT && rfi_model_sampled(e->addr)) {
        rf_mem_watch(m, e->addr, e->size);
        return true;
    }
    return rfi_plain_any(&m->plain) && rfi_plain_watched(&m->plain, (uintptr_t)e->addr, e->size);
}

/* The access `e` found a value that no announced store had put there.  That is in order where no
 * other thread can have looked: a plain initialisation (x = 0) of a local, or between two rounds of
 * a test, while one thread is alone. */
RFI_FN RFI_COLD void rfi_model_unannounced(const rf_event *e) {
    bool alone = rfi.run.live == 1 || rfi_model.core.known_at < rfi_model_alone;
    if (alone || rfi_trace_owner(e->addr, e->thread) != RFI_NO_THREAD) return;
    if (!rfi.record->unannounced) rfi.record->unannounced = e->site;
}

/* `e` read something else than the newest value. */
RFI_FN void rfi_model_old(rf_event *e, const rf_mem_report *r) {
    rf_origin *o = &rfi_model_origin;
    *o = (rf_origin){.thread = r->from.thread,
                     .site = r->from.tag,
                     .order = (uint8_t)r->from.order,
                     .newest_thread = r->newest.thread,
                     .newest_site = r->newest.tag,
                     .newest_order = (uint8_t)r->newest.order,
                     .newest_value = r->newest.value,
                     .hidden = r->hidden};
    if (r->flags & RF_MEM_STALE) {
        e->flags |= RF_EV_STALE;
        rfi.thread[e->thread]->stale = rfi.run.steps;
    }
    *(e->flags & RF_EV_ATOMIC ? &rfi.record->atomic_stale : &rfi.record->plain_stale) += 1;
    e->origin = o;
    if (!(r->flags & RF_MEM_TORN)) return;
    e->flags |= RF_EV_TORN;
    o->other_thread = r->other.thread;
    o->other_site = r->other.tag;
    o->other_value = r->other.value;
}

RFI_FN RFI_COLD void rfi_model_indeterminate(rf_event *e) {
    memset(&e->value, RFI_FRESH, e->size < sizeof e->value ? e->size : sizeof e->value);
    rfi_emit(e); /* the last one of this execution */
    rfi_fail(RF_DIAG_INDETERMINATE, e->site, "the bytes are as RF_MALLOC gave them%s",
             e->origin ? ", or may be: no write is ordered before this read" : "");
}

/* What was unusual about the access `e`. */
RFI_FN RFI_APART void rfi_model_tell(rf_event *e, const rf_mem_report *r) {
    if (r->flags & RF_MEM_UNANNOUNCED && e->flags & RF_EV_ATOMIC) rfi_model_unannounced(e);
    if (r->flags & RF_MEM_MISFIT)
        rfi_fail(RF_DIAG_ATOMIC_SIZES, e->site,
                 "an atomic of %zu bytes overlaps one of another size or place", e->size);
    if (r->flags & (RF_MEM_STALE | RF_MEM_TORN)) rfi_model_old(e, r);
    if (r->flags & RF_MEM_INDETERMINATE) rfi_model_indeterminate(e);
}

/* The model has this atomic.  One that is too wide for it stays in memory and always has its newest
 * value; then whoever uses it comes after all that used it before. */
RFI_INLINE bool rfi_model_takes(const rf_event *e) {
    if (RFI_UNLIKELY(e->size > sizeof(rfi_word)) && rfi.modelled) {
        rfi_model_need();
        rf_mem_acquire(&rfi_model, e->thread, (uintptr_t)e->addr);
        rf_mem_release(&rfi_model, e->thread, (uintptr_t)e->addr);
        return false;
    }
    return rfi.modelled;
}

/* Plain accesses that do not go through the model are seen, all of them, where the granularity is
 * fine: then a read of fresh memory is known for one, and so is a write that only looks like it. */
RFI_INLINE bool rfi_model_sees_fresh(void) {
    return RFI_UNLIKELY(rfi_model.freshes) && rfi.modelled && rfi.fine;
}

RFI_FN void rfi_model_read(rf_event *e, const void *value) {
    if (rfi_mem_untouched(&rfi_model, e->addr, e->size, value)) rfi_model_indeterminate(e);
}

RFI_FN void rfi_model_written(const rf_event *e, const void *value) {
    uintptr_t from = (uintptr_t)e->addr;
    if (rfi_mem_untouched(&rfi_model, e->addr, e->size, value))
        rfi_fresh_take(&rfi_model, from, from + e->size);
}

/* After an access through the model. */
RFI_INLINE void rfi_model_told(rf_event *e) {
    const rfi_core *c = &rfi_model.core;
    e->read_slot = c->read_slot;
    e->write_slot = c->write_slot;
    if (RFI_UNLIKELY(c->report.flags)) rfi_model_tell(e, &c->report);
}

RFI_INLINE rf_mem_access rfi_model_access(const rf_event *e, int order) {
    rfi_model_need();
    return (rf_mem_access){.thread = e->thread,
                           .order = order,
                           .addr = e->addr,
                           .size = e->size,
                           .tag = e->site,
                           .whole = e->site->pointer,
                           .in_place = e->flags & RF_EV_RANGE};
}
#endif
#endif

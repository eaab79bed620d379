/* engine/trace.h: an analysis that keeps the events in the record.
 *
 * It also hashes the sequence in a form that is the same in every process, on both back ends and
 * with every compiler: threads, objects and locations by number in order of their first use, sites
 * by file name, line and expression, values of one to four bytes (wider ones may be addresses).
 * All locations on the stack of one thread count as one, since the compiler decides which
 * variables lie there.  A second hash leaves the sites out: it stays the same when lines move.
 * Optimised: less, few programs use it often.
 */
#ifndef RFI_ENGINE_TRACE_H
#define RFI_ENGINE_TRACE_H
#include "engine/block.h"
#include "engine/callers.h"
#include "engine/stop.h"

#ifdef RFI_IMPL
RFI_VAR rfi_map rfi_trace_places; /* address -> number of first touch */
RFI_VAR rfi_map rfi_trace_sites;

RFI_FN void rfi_trace_begin(void) {
    rfi_record *r = rfi.record;
    r->events = 0;
    r->chained = rfi.plan->chains;
    r->hash = r->course = rfi_mix(1);
    r->site_hash = 0;
    r->turns = 0;
    r->turns_more = false;
    r->text_used = 0;
    if (r->chained) memset(r->caller, 0, sizeof r->caller);
    memset(r->prefix, 0, sizeof r->prefix);
    rfi_map_reset(&rfi_trace_places);
    rfi_map_reset(&rfi_trace_sites);
}

# ifdef __ELF__
extern char rfi_trace_data_end[] __asm__("_end");
/* Is it what the C library allocates for itself (DIR, FILE)?  Where that lies, and whether it lies
 * where something was before, depends on all that this process has allocated, ourselves too.  What
 * is ours, such as what is known of a thread's signals, is numbered wherever it lies: malloc maps
 * our chunks, until it has seen one freed. */
RFI_FN bool rfi_trace_librarys(const void *p) {
    return rfi.record->hooked && (const char *)p >= rfi_trace_data_end &&
           (const char *)p < (const char *)RFI_REAL(sbrk)(0) && !rfi_arena_has(&rfi.arena, p);
}

/* May it be a static variable of the program? */
RFI_INLINE bool rfi_trace_static(const void *p) { return (const char *)p < rfi_trace_data_end; }
# else
#  define rfi_trace_librarys(p) false
#  define rfi_trace_static(p)   false
# endif

/* Number of the location in order of first touch, from 1; 0 for none; above them, one a stack, and
 * one for all that is the C library's. */
RFI_FN uint64_t rfi_trace_place(const void *p, uint32_t by) {
    if (!p) return 0;
    if (rfi_trace_librarys(p)) return UINT64_C(1) << 33;
    const uint64_t *known = rfi_map_find(&rfi_trace_places, (uint64_t)(uintptr_t)p);
    if (known) return *known;
    uint32_t owner = rfi_trace_owner(p, by);
    if (owner != RFI_NO_THREAD) return owner | UINT64_C(1) << 32;
    uint64_t *n = rfi_map_at(&rfi_trace_places, (uint64_t)(uintptr_t)p);
    return *n = rfi_trace_places.used;
}

/* What of an event is the same wherever it runs; its site is left out. */
RFI_FN uint64_t rfi_event_print(const rf_event *e) {
    uint64_t flags = e->flags & ~(unsigned)RF_EV_MAKES; /* who is there is told by other events */
    uint64_t h = e->kind | flags << 8 | (uint64_t)e->order << 24;
    h |= (uint64_t)e->thread << 32;
    h = rfi_mix(h) + (e->object | (uint64_t)e->other << 32);
    h = rfi_mix(h) + e->size + (rfi_trace_place(e->addr, e->thread) << 24);
    if (e->size <= 4) h = rfi_mix(h) + e->value + (e->value2 << 32);
    return rfi_mix(h);
}

/* What is not static is looked for on the stacks, unless there are very many. */
RFI_FN rfi_within rfi_trace_within(const rf_event *e) {
    if (!e->addr || !(e->flags & (RF_EV_READS | RF_EV_WRITES))) return (rfi_within){0, 0};
    if (rfi_heap.blocks && rfi_heap_has(e->addr)) {
        const rfi_block *b = rfi_heap_find(e->addr);
        return (rfi_within){b->number, (uint32_t)((const char *)e->addr - b->start)};
    }
    uint32_t owner = e->thread;
    if (!rfi_trace_on_stack(e->addr, owner))
        owner = rfi.run.threads > 1024 || rfi_symbols_span(e->addr)
                    ? RFI_NO_THREAD
                    : rfi_trace_owner(e->addr, owner);
    return owner == RFI_NO_THREAD ? (rfi_within){0, 0} : (rfi_within){RFI_ON_STACK, owner};
}

RFI_FN const char *rfi_trace_text(const char *text) {
    rfi_record *r = rfi.record;
    size_t n = strlen(text) + 1;
    if (r->text_used + n > RFI_RECORD_TEXT) return "(log text left out: its memory is full)";
    char *to = r->text + r->text_used;
    r->text_used += (uint32_t)n;
    return memcpy(to, text, n);
}

RFI_FN void rfi_trace_event(const rf_event *e) {
    if (e->kind == RF_EV_RECYCLE) return;
    rfi_record *r = rfi.record;
    uint64_t print = rfi_event_print(e), key = e->site ? rfi_site_known_key(e->site) : 0;
    r->course = rfi_mix(r->course) + print;
    print = rfi_mix(print + key);
    r->hash = rfi_mix(r->hash) + print;
    r->print[r->events % RFI_RECORD_EVENTS] = print;
    if (key) {
        uint64_t *seen = rfi_map_at(&rfi_trace_sites, rfi_site_number(e->site));
        if (!*seen) r->site_hash += (uint32_t)key;
        *seen = 1;
    }
    rf_event *kept = &r->event[r->events % RFI_RECORD_EVENTS];
    *kept = *e;
    r->within[r->events % RFI_RECORD_EVENTS] = rfi_trace_within(e);
    if (RFI_UNLIKELY(r->chained)) rfi_callers_note(e, &r->callers[r->events % RFI_RECORD_EVENTS]);
    if (e->text) kept->text = rfi_trace_text(e->text);
    if (e->origin) {
        r->origin[r->events % RFI_RECORD_EVENTS] = *e->origin;
        kept->origin = &r->origin[r->events % RFI_RECORD_EVENTS];
    }
    rfi_debug_step();
    r->events++;
    if (!(r->events & (r->events - 1))) r->prefix[__builtin_ctzll(r->events)] = r->course;
}

RFI_VAR const rf_analysis rfi_tracer = {.name = "trace",
                                        .help = "keeps the events",
                                        .events = ~UINT64_C(0),
                                        .begin = rfi_trace_begin,
                                        .event = rfi_trace_event};
#endif
#endif

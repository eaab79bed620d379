/* engine/trace.h: an analysis that keeps the events in the record.
 *
 * It also hashes the sequence in a form that is the same in every process, on both back ends and
 * with every compiler: threads, objects and locations by number in order of their first use, sites
 * by file name, line and expression, values of one to four bytes (wider ones may be addresses).
 */
#ifndef RFI_ENGINE_TRACE_H
#define RFI_ENGINE_TRACE_H
#include "engine/state.h"

#ifdef RFI_IMPL
static rfi_map rfi_trace_places RFI_UNUSED; /* address -> number of first touch */
static rfi_map rfi_trace_sites RFI_UNUSED;

RFI_FN void rfi_trace_begin(void) {
    rfi_record *r = rfi.record;
    r->events = 0;
    r->hash = rfi_mix(1);
    r->site_hash = 0;
    r->text_used = 0;
    memset(r->prefix, 0, sizeof r->prefix);
    rfi_map_reset(&rfi_trace_places);
    rfi_map_reset(&rfi_trace_sites);
}

/* Number of the location in order of first touch, from 1; 0 for none. */
RFI_FN uint64_t rfi_trace_place(const void *p) {
    if (!p) return 0;
    uint64_t *n = rfi_map_at(&rfi_trace_places, (uint64_t)(uintptr_t)p);
    if (!*n) *n = rfi_trace_places.used;
    return *n;
}

/* What of an event is the same wherever it runs. */
RFI_FN uint64_t rfi_event_print(const rf_event *e) {
    uint64_t h = e->kind | (uint64_t)e->flags << 8 | (uint64_t)e->order << 24 | (uint64_t)e->thread << 32;
    h = rfi_mix(h) + (e->object | (uint64_t)e->other << 32);
    h = rfi_mix(h) + (e->site ? rfi_site_known_key(e->site) : 0);
    h = rfi_mix(h) + e->size + (rfi_trace_place(e->addr) << 24);
    if (e->size <= 4) h = rfi_mix(h) + e->value + (e->value2 << 32);
    return rfi_mix(h);
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
    uint64_t print = rfi_event_print(e);
    r->hash = rfi_mix(r->hash) + print;
    r->print[r->events % RFI_RECORD_EVENTS] = print;
    if (e->site) {
        uint64_t *seen = rfi_map_at(&rfi_trace_sites, rfi_site_number(e->site));
        if (!*seen) r->site_hash += (uint32_t)rfi_site_known_key(e->site);
        *seen = 1;
    }
    rf_event *kept = &r->event[r->events % RFI_RECORD_EVENTS];
    *kept = *e;
    if (e->text) kept->text = rfi_trace_text(e->text);
    r->events++;
    if (!(r->events & (r->events - 1))) r->prefix[__builtin_ctzll(r->events)] = r->hash;
}

static const rf_analysis rfi_tracer RFI_UNUSED = {.name = "trace",
                                                  .help = "keeps the events",
                                                  .events = ~UINT64_C(0),
                                                  .begin = rfi_trace_begin,
                                                  .event = rfi_trace_event};
#endif
#endif

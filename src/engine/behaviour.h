/* engine/behaviour.h: the partial order of an execution, as one number.
 *
 * Executions that differ in the order of operations that commute, and in nothing else, are one
 * behaviour: a trace (A. Mazurkiewicz, Concurrent program schemes and their interpretations, 1977).
 * An operation is known by its thread (rf_thread_key) and by how many that thread has executed
 * before; a trace by its operations, each with the last ones before it that it depends on
 * (rf_events_depend).  The number is the sum of a hash of each of them, so that the order in which
 * they are added does not count.
 *
 * Guarantee: executions of one trace have the same number, in every process; others have different
 * ones, but for collisions of 64 bits.  Addresses and numbers of objects only find what happened at
 * them before.  Joins, starts and frees need no more than to be counted: what they depend on is
 * before them in every execution that has them.  Where memory returns older values, which one is
 * part of the behaviour.
 *
 * Only scheduled operations count.  Which plain accesses are scheduled changes during a campaign,
 * and its executions are to be compared: if the plan names statements (`counted`), plain accesses
 * elsewhere are not counted; they take part, without a number of their own, if they are known to
 * touch shared data.
 */
#ifndef RFI_ENGINE_BEHAVIOUR_H
#define RFI_ENGINE_BEHAVIOUR_H
#include "engine/depend.h"
#include "engine/state.h"

#ifdef RFI_IMPL
/* What has happened at a location or an object: the last write, the sum of the reads since. */
typedef struct rfi_past {
    uint64_t write, reads;
} rfi_past;

/* Eight bytes of memory.  As long as all accesses touched the same of them these have one past;
 * then each byte has its own. */
typedef struct rfi_spot {
    uint64_t granule; /* address / 8 */
    rfi_past past;
    uint32_t generation; /* of the execution that it belongs to */
    uint32_t apart;      /* number of its bytes' pasts + 1; 0: they have one */
    uint8_t bytes;       /* bit set: those that were touched */
} rfi_spot;

typedef struct rfi_spot_bytes {
    rfi_past byte[8];
} rfi_spot_bytes;

RFI_VAR struct rfi_behaviour {
    rfi_spot *spot; /* open addressing, at most half full */
    uint32_t mask, used;
    rfi_spot_bytes *apart;
    uint32_t aparts, apart_capacity;
    rfi_past *object; /* by number - 1 */
    uint32_t objects, object_capacity;
} rfi_behaviour;

# define RFI_BEHAVIOUR_START RFI_GOLDEN /* of an execution that has done nothing; not 0 */

RFI_FN void rfi_behaviour_begin(void) {
    rfi_behaviour.used = rfi_behaviour.aparts = rfi_behaviour.objects = 0;
    rfi.record->order = RFI_BEHAVIOUR_START;
}

RFI_INLINE rfi_spot *rfi_spot_probe(uint64_t granule) {
    uint32_t i = (uint32_t)(granule * RFI_GOLDEN >> 32) & rfi_behaviour.mask;
    rfi_spot *s = &rfi_behaviour.spot[i];
    while (s->generation == rfi.generation && s->granule != granule)
        s = &rfi_behaviour.spot[i = (i + 1) & rfi_behaviour.mask];
    return s;
}

RFI_FN RFI_COLD void rfi_spots_grow(void) {
    rfi_spot *old = rfi_behaviour.spot;
    uint32_t count = old ? rfi_behaviour.mask + 1 : 0;
    rfi_behaviour.mask = old ? rfi_behaviour.mask * 2 + 1 : 127;
    rfi_behaviour.spot = calloc((size_t)rfi_behaviour.mask + 1, sizeof *rfi_behaviour.spot);
    if (!rfi_behaviour.spot) rfi_die("out of memory (%u locations)", rfi_behaviour.mask + 1);
    for (uint32_t i = 0; i < count; i++)
        if (old[i].generation == rfi.generation) *rfi_spot_probe(old[i].granule) = old[i];
    free(old);
}

/* What an operation meets at a location, which knows of it from here on. */
RFI_INLINE uint64_t rfi_past_meet(rfi_past *p, uint64_t id, bool writes) {
    if (!writes) {
        p->reads += id;
        return p->write;
    }
    uint64_t met = p->write + p->reads * 3;
    *p = (rfi_past){id, 0};
    return met;
}

/* The same for some bytes of a spot that have pasts of their own.  What several of them have in
 * common is met once: it does not matter how they came to be apart. */
RFI_FN RFI_COLD uint64_t rfi_spot_meet_apart(rfi_spot *s, unsigned bytes, uint64_t id,
                                             bool writes) {
    if (!s->apart) {
        rfi_behaviour.apart = rfi_grow(rfi_behaviour.apart, &rfi_behaviour.apart_capacity,
                                       rfi_behaviour.aparts + 1, sizeof *rfi_behaviour.apart);
        rfi_spot_bytes *fresh = &rfi_behaviour.apart[rfi_behaviour.aparts++];
        *fresh = (rfi_spot_bytes){0};
        for (unsigned i = 0; i < 8; i++)
            if (s->bytes >> i & 1) fresh->byte[i] = s->past;
        s->apart = rfi_behaviour.aparts;
    }
    rfi_past *past = rfi_behaviour.apart[s->apart - 1].byte;
    uint64_t met[8], sum = 0;
    unsigned n = 0;
    for (unsigned i = 0; i < 8; i++) {
        if (!(bytes >> i & 1)) continue;
        uint64_t here = rfi_past_meet(&past[i], id, writes);
        unsigned k = 0;
        while (k < n && met[k] != here) k++;
        if (k == n) sum += met[n++] = here;
    }
    return sum;
}

RFI_INLINE uint64_t rfi_spot_meet(uint64_t granule, unsigned bytes, uint64_t id, bool writes) {
    if (RFI_UNLIKELY(rfi_behaviour.used * 2 >= rfi_behaviour.mask)) rfi_spots_grow();
    rfi_spot *s = rfi_spot_probe(granule);
    if (s->generation != rfi.generation) {
        *s = (rfi_spot){.granule = granule, .generation = rfi.generation, .bytes = (uint8_t)bytes};
        rfi_behaviour.used++;
    }
    if (RFI_LIKELY(s->bytes == bytes && !s->apart)) return rfi_past_meet(&s->past, id, writes);
    return rfi_spot_meet_apart(s, bytes, id, writes);
}

RFI_INLINE uint64_t rfi_memory_meet(const rf_event *e, uint64_t id) {
    uint64_t from = (uintptr_t)e->addr, last = from + e->size - 1, sum = 0;
    bool writes = e->flags & RF_EV_WRITES;
    for (uint64_t g = from / 8; g <= last / 8; g++) {
        unsigned bytes = 0xff;
        if (g == from / 8) bytes = bytes << from % 8 & 0xff;
        if (g == last / 8) bytes &= 0xffu >> (7 - last % 8);
        sum += rfi_spot_meet(g, bytes, id, writes);
    }
    return sum;
}

RFI_FN uint64_t rfi_object_meet(uint32_t object, uint64_t id, bool writes) {
    if (RFI_UNLIKELY(object > rfi_behaviour.objects)) {
        rfi_behaviour.object = rfi_grow(rfi_behaviour.object, &rfi_behaviour.object_capacity,
                                        object, sizeof *rfi_behaviour.object);
        memset(&rfi_behaviour.object[rfi_behaviour.objects], 0,
               (object - rfi_behaviour.objects) * sizeof *rfi_behaviour.object);
        rfi_behaviour.objects = object;
    }
    return rfi_past_meet(&rfi_behaviour.object[object - 1], id, writes);
}

/* Does a plain access take part?  *counts: and is it counted? */
RFI_INLINE bool rfi_behaviour_takes(const rf_event *e, bool *counts) {
    uint32_t code = rfi_site_code(e->site);
    *counts = rfi_points_have(rfi.plan->counted, code);
    return *counts || rfi_points_have(rfi.plan->known, code);
}

/* The running thread has executed a scheduled operation. */
RFI_FN void rfi_behaviour_event(const rf_event *e) {
    rfi_thr *t = rfi.current;
    rfi_uses uses = rfi_uses_of(e);
    bool memory = e->flags & (RF_EV_READS | RF_EV_WRITES) && !(e->flags & RF_EV_FREES);
    bool plain = memory && !(e->flags & (RF_EV_ATOMIC | RF_EV_RACY)), counts = true;
    if (plain && rfi.plan->counted && !rfi_behaviour_takes(e, &counts)) return;
    t->executed += counts;
    if (!memory && !uses.object) { /* it only counts */
        rfi.record->order += t->key * UINT64_C(0xd6e8feb86659fd93);
        return;
    }
    uint64_t id = rfi_mix(t->key + t->executed * RFI_GOLDEN), met = 0;
    uint64_t what = e->kind | (uint64_t)e->site->line << 8; /* differs with what was drawn */
    if (memory) met = rfi_memory_meet(e, id);
    if (uses.object) {
        bool shares = e->flags & RF_EV_SHARED || e->kind == RF_EV_DEPART;
        met += rfi_object_meet(uses.object, id, !shares);
    }
    if (uses.other) {
        met += rfi_object_meet(uses.other, id, true) * 5;
        what += e->value << 40; /* how a wait has ended */
    }
    if (e->flags & RF_EV_STALE) what += (e->origin->hidden + UINT64_C(1)) << 40;
    rfi.record->order += rfi_mix(id + met * UINT64_C(0xd1342543de82ef95) + what);
}

/* Memory changes hands: nothing has happened there. */
RFI_FN RFI_COLD void rfi_behaviour_forget(const void *from, const void *to) {
    uint64_t low = (uintptr_t)from / 8, high = (uintptr_t)to / 8;
    for (uint32_t i = 0; rfi_behaviour.used && i <= rfi_behaviour.mask; i++) {
        rfi_spot *s = &rfi_behaviour.spot[i];
        if (s->generation != rfi.generation || s->granule < low || s->granule >= high) continue;
        s->past = (rfi_past){0};
        if (s->apart) rfi_behaviour.apart[s->apart - 1] = (rfi_spot_bytes){0};
    }
}
#endif
#endif

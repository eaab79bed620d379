/* engine/object.h: registration, names and misuse of synchronisation objects. */
#ifndef RFI_ENGINE_OBJECT_H
#define RFI_ENGINE_OBJECT_H
#include "engine/block.h"

#ifdef RFI_IMPL
RFI_FN const char *rfi_type_word(unsigned type) {
    static const char *const words[] = {"object",    "mutex",   "rwlock", "spin lock", "condition",
                                        "semaphore", "barrier", "once",   "futex",     "signal"};
    return type < RFI_LENGTH(words) ? words[type] : "destroyed object";
}

/* The expression that a site names an object by: `m` for RF_LOCK(&m). */
RFI_FN const char *rfi_site_object(const rf_site *s) {
    const char *text = rfi_site_where(s).text;
    return text[0] == '&' ? text + 1 : text;
}

/* What an object is called that no expression names: by the block or symbol that holds it,
 * or by its type. */
RFI_FN void rfi_object_name_at(const rfi_object *o, unsigned type, char *name) {
    if (rfi_heap.blocks && rfi_heap_has(o)) {
        const rfi_block *b = rfi_heap_find(o);
        snprintf(name, RFI_NAME_BYTES, "block %u+%u", b->number,
                 (unsigned)((const char *)o - b->start));
        return;
    }
    const rfi_symbol *in = rfi_symbol_of(o);
    uint32_t offset = in ? (uint32_t)((uintptr_t)o - rfi_symbols.bias - in->at) : 0;
    if (offset)
        snprintf(name, RFI_NAME_BYTES, "%.28s+%u", in->called, offset);
    else
        snprintf(name, RFI_NAME_BYTES, "%s", in ? in->called : rfi_type_word(type));
}

RFI_INLINE uint16_t rfi_object_home(const rfi_object *o) {
    return (uint16_t)((uintptr_t)o >> 2 ^ (uintptr_t)o >> 18);
}

/* Gives the object its number and its name: the one given, or the expression of its first use. */
RFI_FN void rfi_object_register(rfi_object *o, unsigned type, const rf_site *s, const char *name) {
    rfi.object =
        rfi_grow(rfi.object, &rfi.object_capacity, rfi.run.objects + 1, sizeof *rfi.object);
    rfi_object_name *n = &rfi.object[rfi.run.objects++];
    o->generation = rfi.generation;
    o->number = rfi.run.objects;
    o->waiters = 0;
    o->home = rfi_object_home(o);
    o->type = (uint8_t)type;
    o->made = name != NULL;
    n->site = s;
    n->at = o;
    n->type = (uint8_t)type;
    n->made = name != NULL;
    if (!name && s->file[0]) name = rfi_site_object(s);
    size_t length = name ? strnlen(name, RFI_NAME_BYTES - 1) : 0;
    if (name) memcpy(n->name, name, length);
    n->name[length] = 0;
    if (RFI_UNLIKELY(!length)) rfi_object_name_at(o, type, n->name);
    if (rfi.record->tracing) {
        rfi.record->objects = rfi.run.objects;
        if (rfi.run.objects <= RFI_RECORD_OBJECTS) rfi.record->object[rfi.run.objects - 1] = *n;
    }
}

/* Does nothing but its type name it? */
RFI_FN bool rfi_object_bare(const rfi_object_name *n) {
    return n->site && !n->site->file[0] && !strcmp(n->name, rfi_type_word(n->type));
}

/* "name", or "name#3" when another object of the list has the same name; "mutex of bank.c:12",
 * where it was first used, if no name is known: it is on a stack. */
RFI_FN RFI_COLD const char *rfi_object_name_in(const rfi_object_name *list, uint32_t count,
                                               uint32_t number, char *buffer, size_t bytes) {
    const rfi_object_name *n = &list[number - 1];
    bool bare = rfi_object_bare(n), shared = false;
    rfi_at at = bare ? rfi_site_at(n->site) : (rfi_at){""};
    for (uint32_t i = 0; i < count; i++)
        shared |= i != number - 1 && !strcmp(list[i].name, n->name) &&
                  !(bare && strcmp(rfi_site_at(list[i].site).s, at.s) != 0);
    int used = snprintf(buffer, bytes, "%s", n->name);
    if (bare) used += snprintf(buffer + used, bytes - (size_t)used, " of %.24s", at.s);
    if (shared) snprintf(buffer + used, bytes - (size_t)used, "#%u", number);
    return buffer;
}

RFI_FN RFI_COLD const char *rfi_object_label(uint32_t number, char *buffer, size_t bytes) {
    return rfi_object_name_in(rfi.object, rfi.run.objects, number, buffer, bytes);
}

/* The same in a buffer of its own, which the fourth call after this one takes again. */
RFI_FN RFI_COLD const char *rfi_object_called(const rfi_object *o) {
    static char text[4][RFI_NAME_BYTES + 16];
    static unsigned next;
    return rfi_object_label(o->number, text[next++ % 4], sizeof text[0]);
}

/* ---- what a thread holds ---- */

/* An outermost critical section begins or ends, and is an atomic block if --blocks says so: one
 * that has a lock, by which its end is known from that of a declared one. */
RFI_FN RFI_COLD void rfi_section(rfi_thr *t, unsigned kind) {
    if (kind == RF_EV_BLOCK) {
        t->region = t->held[0].site;
        t->region_number = t->held[0].object->number;
    }
    rfi_note(kind, t->region, t->region_number, 0);
}

/* With --blocks=functions a function is a block too, from the first lock that it takes to its end:
 * one with its depth.  The outermost one is not: it is the thread.  What a function of the C++
 * library does is told, and directed, where the program has called the library. */
typedef struct rfi_function {
    const rf_site *block; /* where its block began; NULL: it has none */
    const void *user;     /* the call of the library that it is part of; NULL: of none */
    uint32_t held;        /* locks, when it was called */
} rfi_function;

/* What the code at `pc` is taken for. */
RFI_INLINE const void *rfi_code_from(const void *pc) {
    const rfi_thr *t = rfi.current;
    if (RFI_LIKELY(!rfi_symbols.cxx) || !t || !t->functions) return pc;
    const void *user = t->function[t->functions - 1].user;
    return user ? user : pc;
}

RFI_FN RFI_COLD void rfi_function_locks(rfi_thr *t, const rf_site *s) {
    if (t->functions < 2 || t->function[t->functions - 1].block) return;
    t->function[t->functions - 1].block = s;
    rfi_note(RF_EV_BLOCK, s, 0, t->functions);
}

RFI_FN RFI_COLD void rfi_function_enter(rfi_thr *t, const void *user) {
    t->function =
        rfi_grow(t->function, &t->function_capacity, t->functions + 1, sizeof *t->function);
    t->function[t->functions++] = (rfi_function){NULL, user, t->held_count};
}

/* One that returns with a lock took it for its caller. */
RFI_FN RFI_COLD void rfi_function_leave(rfi_thr *t) {
    if (!t->functions) return;
    rfi_function f = t->function[--t->functions];
    if (!f.block) return;
    rfi_note(RF_EV_BLOCK_END, f.block, 0, t->functions + 1);
    if (t->held_count > f.held) rfi_function_locks(t, f.block);
}

/* Who waits lets others in. */
RFI_FN RFI_COLD void rfi_functions_wait(rfi_thr *t) {
    for (uint32_t i = t->functions; i--; t->function[i].block = NULL)
        if (t->function[i].block) rfi_note(RF_EV_BLOCK_END, t->function[i].block, 0, i + 1);
}

RFI_INLINE void rfi_hold(rfi_thr *t, rfi_object *o, const rf_site *s, bool shared) {
    t->held = rfi_grow(t->held, &t->held_capacity, t->held_count + 1, sizeof *t->held);
    t->held[t->held_count++] = (rfi_held){o, s, o->number, shared};
    if (RFI_UNLIKELY(rfi.functions)) rfi_function_locks(t, s);
    if (RFI_UNLIKELY(rfi.regions) && t->held_count == 1) rfi_section(t, RF_EV_BLOCK);
}

/* The entry of `o` among the locks of `t`, newest first; NULL if it does not hold it. */
RFI_INLINE rfi_held *rfi_holds(const rfi_thr *t, const rfi_object *o) {
    for (uint32_t i = t->held_count; i--;)
        if (t->held[i].object == o) return &t->held[i];
    return NULL;
}

RFI_INLINE void rfi_unhold(rfi_thr *t, rfi_held *h) {
    rfi_held *last = &t->held[--t->held_count];
    for (; h < last; h++) *h = h[1];
    if (RFI_UNLIKELY(rfi.regions) && !t->held_count) rfi_section(t, RF_EV_BLOCK_END);
}

/* ---- before an operation ---- */

/* Is it what no object has been, in this execution or an earlier one?  Numbers are not that high.
 */
RFI_FN bool rfi_object_never(const rfi_object *o) {
    return (o->type > RFI_ONCE && o->type != RFI_DESTROYED) || o->made > 1 ||
           (o->number | o->waiters) >> 24;
}

RFI_FN RFI_COLD RFI_NORETURN void rfi_fail_never(unsigned type, const rf_site *s) {
    rfi_fail(RF_DIAG_WRONG_TYPE, s,
             "%s was never initialised as a %s (by rf_..._init or RF_..._INIT)", rfi_site_object(s),
             rfi_type_word(type));
}

/* True when the object is new to this execution (a static initialiser, or one used in an earlier
 * execution): the caller resets its state.  A copy is another object: a lock that nobody holds;
 * what else has a state keeps it. */
RFI_FN RFI_COLD bool rfi_object_enter(rfi_object *o, unsigned type, const rf_site *s) {
    rfi_heap_check_object(s, o);
    if (o->generation == rfi.generation && o->type == type) {
        rfi_object_register(o, type, s, NULL);
        return type == RFI_MUTEX || type == RFI_RWLOCK || type == RFI_SPIN;
    }
    if (o->generation == rfi.generation) {
        if (o->type == RFI_DESTROYED)
            rfi_fail(RF_DIAG_DESTROYED, s, "%s was destroyed before", rfi_site_object(s));
        rfi_fail(RF_DIAG_WRONG_TYPE, s, "%s is a %s, not a %s", rfi_site_object(s),
                 rfi_type_word(o->type), rfi_type_word(type));
    }
    if (rfi_object_never(o)) rfi_fail_never(type, s);
    rfi_object_register(o, type, s, NULL);
    return true;
}

/* Must stand before every use of an object. */
RFI_INLINE bool rfi_object_new(rfi_object *o, unsigned type, const rf_site *s) {
    if (RFI_UNLIKELY(!o))
        rfi_fail(RF_DIAG_WRONG_TYPE, s, "%s is a null pointer", rfi_site_object(s));
    if (RFI_LIKELY(o->generation == rfi.generation && o->type == type &&
                   o->home == rfi_object_home(o)))
        return false;
    return rfi_object_enter(o, type, s);
}

/* Must stand where an operation that does not wait executes: is the object it was announced for
 * still there? */
RFI_INLINE void rfi_object_still(const rfi_object *o, const rf_event *e) {
    if (RFI_LIKELY(o->number == e->object)) return;
    rfi_heap_check_object(e->site, o);
    rfi_fail(RF_DIAG_DESTROYED, e->site, "%s was destroyed when T%u was about to use it",
             rfi_site_object(e->site), rfi.current->id);
}

/* Says who uses an object that is about to be destroyed or initialised. */
RFI_FN RFI_COLD RFI_NORETURN void rfi_fail_busy(rf_diagnostic d, const rf_site *s,
                                                const rfi_object *o) {
    const char *name = rfi_object_called(o);
    for (uint32_t i = 0; i < rfi.run.threads; i++) {
        const rfi_held *h = rfi.thread[i]->finished ? NULL : rfi_holds(rfi.thread[i], o);
        if (h) rfi_fail(d, s, "%s is held by T%u since %s", name, i, RFI_AT(h->site));
    }
    if (o->waiters) rfi_fail(d, s, "T%u waits for %s", o->waiters - 1, name);
    rfi_fail(d, s, "T%u runs the function of %s", ((const rf_once *)(const void *)o)->runner, name);
}

/* Is there an object in use at this address?  Asked of the threads: the memory may be fresh. */
RFI_FN bool rfi_object_used(const rfi_object *o) {
    for (uint32_t i = 0; i < rfi.run.threads; i++) {
        const rfi_thr *t = rfi.thread[i];
        if (!t->finished && (t->waits_on == o || t->uses == o || rfi_holds(t, o))) return true;
    }
    return false;
}
#endif
#endif

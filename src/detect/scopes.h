/* detect/scopes.h: in which call each thread is, and by what a thread or an object is known in
 * every execution (docs/inside/internals.md, Deadlocks).
 *
 * Addresses and numbers of threads differ from one execution to the next.  What stays is where
 * something was made: light-weight execution indexing (Joshi, Park, Sen and Naik, PLDI 2009, for
 * DeadlockFuzzer; after Xin, Sumner and Zhang, PLDI 2008).  A thread has a stack of calls
 * (RF_FUNC), and every call counts how often it has done what: the index of an object is the path
 * of calls to its creation, each with its count, and before them the index of the creating thread.
 * Guarantee: two objects of one execution have different indices; those of two executions have the
 * same one if their creators took the same way.
 *
 * An object with a static initialiser has no creator, and its first user varies, so it has no
 * index.
 *
 * The other abstraction of that paper is k-object-sensitivity: the statement that made the object,
 * the one that made its owner, the owner's owner, and so on.  In Java the owner is `this`; here it
 * is the heap block that the object lies in, whose owner is the thread that allocated it; else the
 * thread that made the object.  A thread's owner is its creator.
 */
#ifndef RFI_DETECT_SCOPES_H
#define RFI_DETECT_SCOPES_H
#include "detect/abstraction.h"
#include "engine/iface.h"

#ifdef RFI_IMPL
typedef struct rfi_scoped {
    uint64_t *call; /* hashes of the paths to the calls that it is in; the first is its index */
    uint32_t depth, capacity;
    uint64_t site; /* key of the statement that created it */
} rfi_scoped;

# define RFI_SCOPES_LATER 4096u

/* An event that is looked at when somebody asks: in most executions nobody does. */
typedef struct rfi_scope_event {
    const rf_site *site;
    uint32_t thread, what; /* the other thread, or the object */
    uint8_t kind;
} rfi_scope_event;

/* An object that an rf_..._init call has made. */
typedef struct rfi_scope_made {
    uint64_t index;
    uint32_t thread;
} rfi_scope_made;

typedef struct rfi_scopes {
    const void *driver; /* the user whose events count */
    uint32_t users;
    rfi_scope_event later[RFI_SCOPES_LATER];
    uint32_t laters;
    rfi_scoped *thread;
    uint32_t threads, thread_capacity;
    rfi_scope_made *made; /* by number */
    uint32_t objects, object_capacity;
    rfi_map count; /* path of a call, and what it does -> how often it has */
} rfi_scopes;

RFI_VAR rfi_scopes rfi_scopes_state;

/* Kinds of events that rfi_scopes_event takes. */
/* clang-format off */
# define RFI_SCOPES_EVENTS \
    (RF_EV_BIT(RF_EV_CREATE) | RF_EV_BIT(RF_EV_INIT) | RF_EV_BIT(RF_EV_ENTER) | \
     RF_EV_BIT(RF_EV_LEAVE))
/* clang-format on */

/* An execution begins; any number of users may be on.  `user` is any address of its own. */
RFI_FN void rfi_scopes_begin(const void *user) {
    rfi_scopes *s = &rfi_scopes_state;
    if (s->users++) return;
    s->driver = user;
    s->threads = s->objects = s->laters = 0;
    rfi_map_reset(&s->count);
}

RFI_FN void rfi_scopes_end(void) { rfi_scopes_state.users--; }

RFI_FN void rfi_scope_push(rfi_scoped *t, uint64_t path) {
    t->call = rfi_grow(t->call, &t->capacity, t->depth + 1, sizeof *t->call);
    t->call[t->depth++] = path;
}

RFI_FN rfi_scoped *rfi_scoped_of(uint32_t thread) {
    rfi_scopes *s = &rfi_scopes_state;
    s->thread = rfi_grow(s->thread, &s->thread_capacity, thread + 1, sizeof *s->thread);
    for (; s->threads <= thread; s->threads++) {
        rfi_scoped *t = &s->thread[s->threads];
        t->depth = 0;
        t->site = 0;
        rfi_scope_push(t, 0);
    }
    return &s->thread[thread];
}

/* The path to what `thread` does now at `site`, which counts. */
RFI_FN uint64_t rfi_scope_step(uint32_t thread, const rf_site *site) {
    const rfi_scoped *t = rfi_scoped_of(thread);
    uint64_t path = rfi_mix(t->call[t->depth - 1] + rf_site_key(site));
    return rfi_mix(path + ++*rfi_map_at(&rfi_scopes_state.count, path));
}

RFI_FN void rfi_scopes_take(const rfi_scope_event *e) {
    rfi_scopes *s = &rfi_scopes_state;
    rfi_scoped *t = rfi_scoped_of(e->thread);
    if (e->kind == RF_EV_LEAVE) {
        t->depth -= t->depth > 1;
        return;
    }
    uint64_t path = rfi_scope_step(e->thread, e->site);
    if (e->kind == RF_EV_ENTER) {
        rfi_scope_push(t, path);
    } else if (e->kind == RF_EV_CREATE) {
        t = rfi_scoped_of(e->what);
        t->call[0] = path;
        t->site = rf_site_key(e->site);
    } else {
        s->made = rfi_grow(s->made, &s->object_capacity, e->what + 1, sizeof *s->made);
        while (s->objects <= e->what) s->made[s->objects++] = (rfi_scope_made){0, 0};
        s->made[e->what] = (rfi_scope_made){path, e->thread};
    }
}

RFI_FN void rfi_scopes_catch_up(void) {
    rfi_scopes *s = &rfi_scopes_state;
    for (uint32_t i = 0; i < s->laters; i++) rfi_scopes_take(&s->later[i]);
    s->laters = 0;
}

/* An event, as one of the users gets it. */
RFI_FN void rfi_scopes_event(const void *user, const rf_event *e) {
    rfi_scopes *s = &rfi_scopes_state;
    if (s->driver != user || !(RFI_SCOPES_EVENTS & RF_EV_BIT(e->kind))) return;
    uint32_t what = e->kind == RF_EV_CREATE ? e->other : e->object;
    s->later[s->laters++] = (rfi_scope_event){e->site, e->thread, what, e->kind};
    if (s->laters == RFI_SCOPES_LATER) rfi_scopes_catch_up();
}

# define RFI_OWNERS 10u /* of an object; k */

/* The statements that made a thread and its owners, added to those of what it owns. */
RFI_FN uint64_t rfi_scope_owners(uint64_t h, uint32_t thread, unsigned k) {
    for (; k-- && rf_thread_creator(thread) != UINT32_MAX; thread = rf_thread_creator(thread))
        h = rfi_mix(h + rfi_scoped_of(thread)->site);
    return h;
}

/* The same of an object.  One with a static initialiser is known by the block it lies in alone. */
RFI_FN uint64_t rfi_scope_owned(uint32_t object) {
    const rfi_scopes *s = &rfi_scopes_state;
    uint32_t thread = object < s->objects ? s->made[object].thread : 0;
    const rf_site *block = rf_block_site(rf_object_address(object), &thread);
    if (!block && !rf_object_made(object)) return 0;
    uint64_t h = rf_object_made(object) ? rfi_mix(rf_site_key(rf_object_site(object))) : 1;
    if (block) h = rfi_mix(h + rf_site_key(block));
    return rfi_scope_owners(h, thread, RFI_OWNERS - 1 - (block != NULL));
}

/* 0: it is not told apart from others. */
RFI_FN uint64_t rfi_abstract_thread(uint32_t thread, rfi_abstraction a) {
    rfi_scopes_catch_up();
    const rfi_scoped *t = rfi_scoped_of(thread);
    if (a == RFI_ABSTRACT_OBJECT) return rfi_scope_owners(0, thread, RFI_OWNERS);
    return a == RFI_ABSTRACT_INDEX ? t->call[0] : a == RFI_ABSTRACT_SITE ? t->site : 0;
}

RFI_FN uint64_t rfi_abstract_object(uint32_t object, rfi_abstraction a) {
    const rfi_scopes *s = &rfi_scopes_state;
    rfi_scopes_catch_up();
    if (a == RFI_ABSTRACT_OBJECT) return rfi_scope_owned(object);
    if (a == RFI_ABSTRACT_NONE || !rf_object_made(object)) return 0;
    if (a == RFI_ABSTRACT_SITE) return rf_site_key(rf_object_site(object));
    return object < s->objects ? s->made[object].index : 0;
}
#endif
#endif

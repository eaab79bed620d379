/* engine/event.h: the one event stream (docs/inside/internals.md, The event stream).
 *
 * Every operation of the public face makes one event.  It is filled in when the operation is
 * announced (so that schedulers and checkers know each thread's next statement with its address),
 * completed and delivered when it executes.  One list names them all.
 */
#ifndef RFI_ENGINE_EVENT_H
#define RFI_ENGINE_EVENT_H
#include "engine/code.h"

/* X(name, word for reports) */
/* clang-format off */
#define RFI_EVENTS(X) \
    X(LOAD, "load")                 /* addr, size, value */ \
    X(STORE, "store")               /* addr, size, value */ \
    X(RMW, "update")                /* atomic read-modify-write: value read, value2 written */ \
    X(FENCE, "fence")               /* order */ \
    X(LOCK, "lock")                 /* object; mode; outermost acquisitions only */ \
    X(UNLOCK, "unlock")             /* object; mode; outermost releases only */ \
    X(RELOCK, "lock again")         /* recursive: changes no ownership */ \
    X(REUNLOCK, "unlock (inner)")   /* recursive: changes no ownership */ \
    X(TRYFAIL, "try fails")         /* object: a trylock or a timed lock that gave up */ \
    X(WAIT, "wait")                 /* object = condition, other = mutex, which is released */ \
    X(WAKE, "wakes")                /* object = condition; value = how (rf_wake) */ \
    X(SIGNAL, "signal")             /* object = condition */ \
    X(BROADCAST, "broadcast")       /* object = condition */ \
    X(NOTIFY, "notifies")           /* other = the thread that a signal or broadcast woke */ \
    X(SEM_WAIT, "sem wait")         /* object; the token is taken; value = tokens left */ \
    X(SEM_POST, "sem post")         /* object; value = tokens there are now */ \
    X(ARRIVE, "arrives")            /* object = barrier; value = phase */ \
    X(DEPART, "departs")            /* object = barrier; value = phase */ \
    X(ONCE, "once")                 /* object: this thread runs the initialiser */ \
    X(ONCE_DONE, "once done")       /* object: the initialiser has returned */ \
    X(ONCE_PASS, "once passes")     /* object: a thread goes past a finished once */ \
    X(CREATE, "create")             /* other = child */ \
    X(START, "start")               /* other = parent: before the first operation of a thread */ \
    X(EXIT, "exit")                 /* after the last operation of a thread */ \
    X(JOIN, "join")                 /* other = the thread that has finished */ \
    X(DETACH, "detach")             /* other */ \
    X(YIELD, "yield")               /* also spin hints */ \
    X(SLEEP, "sleep")               /* value = milliseconds of virtual time */ \
    X(ALLOC, "malloc")              /* addr, size, object = block number */ \
    X(FREE, "free")                 /* addr, size, object: a write to every byte of the block */ \
    X(INIT, "init")                 /* object made by an init call */ \
    X(DESTROY, "destroy")           /* object */ \
    X(ENTER, "enter")               /* RF_FUNC: site->function */ \
    X(LEAVE, "leave") \
    X(BLOCK, "atomic block")        /* text = its name */ \
    X(BLOCK_END, "end of the block") \
    X(SET, "atomic set")            /* addr, size: belongs to the set named by text */ \
    X(BREAK, "breakpoint")          /* text = its name; addr */ \
    X(CHOOSE, "choose")             /* value of RF_CHOOSE, value2 = n */ \
    X(LOG, "log")                   /* text */ \
    X(RECYCLE, "recycle")           /* addr, size: stack memory changes hands; forget it */ \
    X(PARK, "wait")                 /* object = futex or signal; value = how it ended (rf_wake) */ \
    X(UNPARK, "wake")               /* object = futex; value = how many; value2 = how many go on \
                                       to wait on other = futex */ \
    X(CALL, "calls")                /* text = a function that looks at (READS) or changes (WRITES) \
                                       what all threads share; addr, or object, stands for that; \
                                       other = the thread that it asks about, else its own */ \
    X(END, "ends")                  /* the program: others don't do what they have not by then */ \
    X(CLAIM, "claims")              /* addr, size; RF_EXCLUSIVE_ACCESS WRITES, _WRITER READS */ \
    X(CLAIM_END, "no longer claims") /* the same */
/* clang-format on */

typedef enum rf_event_kind {
#define RFI_X(name, word) RF_EV_##name,
    RFI_EVENTS(RFI_X)
#undef RFI_X
        RF_EV_COUNT
} rf_event_kind;

#define RF_EV_BIT(kind) (UINT64_C(1) << (kind))

/* How a condition wait ended. */
typedef enum rf_wake { RF_WAKE_SIGNAL, RF_WAKE_TIMEOUT, RF_WAKE_SPURIOUS } rf_wake;

/* Flags of an event. */
enum {
    RF_EV_READS = 1,       /* reads [addr, addr+size) */
    RF_EV_WRITES = 2,      /* writes it */
    RF_EV_ATOMIC = 4,      /* by an atomic operation with `order` */
    RF_EV_RACY = 8,        /* RF_RACY_*: an intended race, never reported as one */
    RF_EV_SHARED = 16,     /* lock held for reading */
    RF_EV_RANGE = 32,      /* announced by RF_READ or RF_WRITE: the value is not known */
    RF_EV_TRY = 64,        /* does not block */
    RF_EV_TIMED = 128,     /* may give up */
    RF_EV_HARMLESS = 256,  /* compare-exchange that failed: the read half only */
    RF_EV_FREES = 512,     /* the write that a free is; with RANGE: of variables of a function that
                              returns */
    RF_EV_STALE = 1024,    /* a read that returned an older write than the newest: see `origin` */
    RF_EV_FIRST = 4096,    /* breakpoint: this thread goes first */
    RF_EV_CLAIMS = 4096,   /* of what is like an access: CLAIM, CLAIM_END */
    RF_EV_IN_PLACE = 8192, /* with RANGE: the memory model knows its value all the same */
    RF_EV_TORN = 2048,     /* a plain read whose 4-byte units come from two writes */
    RF_EV_USES = 16384,    /* of an access that a detector tells: an operation on an object */
    RF_EV_MAKES = 32768    /* INIT, DESTROY, ALLOC while there are other threads: a write to it all,
                              where their order can be seen */
};

/* Which write a stale or torn read returned, and which newer one it did not. */
typedef struct rf_origin {
    uint32_t thread, newest_thread; /* UINT32_MAX: the value from before the first access */
    const rf_site *site, *newest_site;
    uint32_t hidden;                    /* how many newer writes there were */
    uint8_t order, newest_order;        /* __ATOMIC_*, or RF_ORDER_PLAIN */
    uint64_t other_value, newest_value; /* of the second write of a torn read; of the newest one */
    uint32_t other_thread;              /* of the second write of a torn read */
    const rf_site *other_site;
} rf_origin;

enum { RF_ORDER_PLAIN = 255 };

/* One operation of one thread. */
typedef struct rf_event {
    uint8_t kind;    /* rf_event_kind */
    uint8_t order;   /* __ATOMIC_* of an atomic operation or fence */
    uint16_t flags;  /* RF_EV_READS ... */
    uint32_t thread; /* number of the thread, in order of creation; 0 runs the test's body */
    uint32_t object; /* number of the lock, condition, ...; of the block for ALLOC and FREE */
    uint32_t other;  /* the second thread or object, as the list above says */
    const rf_site *site;
    const void *addr; /* of memory accesses */
    size_t size;
    uint64_t value, value2;        /* first eight bytes, zero-extended; known after execution */
    const char *text;              /* LOG, BLOCK, SET, BREAK, CALL */
    uint8_t read_slot, write_slot; /* atomics: which of the kept stores was read, was written */
    const rf_origin *origin;       /* NULL unless RF_EV_STALE or RF_EV_TORN is set */
} rf_event;

#ifdef RFI_IMPL
RFI_FN const char *rfi_event_word(unsigned kind) {
    static const char *const words[] = {
# define RFI_X(name, word) word,
        RFI_EVENTS(RFI_X)
# undef RFI_X
    };
    return kind < RF_EV_COUNT ? words[kind] : "?";
}

RFI_FN const char *rfi_order_word(unsigned order) {
    static const char *const words[] = {"relaxed", "consume", "acquire",
                                        "release", "acq_rel", "seq_cst"};
    return order < 6 ? words[order] : "?";
}

/* The second synchronisation object that an operation uses; 0: none. */
RFI_INLINE uint32_t rfi_event_other(const rf_event *e) {
    const uint64_t kinds = RF_EV_BIT(RF_EV_WAIT) | RF_EV_BIT(RF_EV_WAKE) |
                           RF_EV_BIT(RF_EV_LOAD) /* of a futex operation */ |
                           RF_EV_BIT(RF_EV_UNPARK);
    return kinds & RF_EV_BIT(e->kind) ? e->other : 0;
}

/* Does it depend on how far another thread has come? */
RFI_INLINE bool rfi_asks(const rf_event *e) {
    return e->kind == RF_EV_JOIN || (e->kind == RF_EV_CALL && e->other != e->thread);
}

/* Operations on an object that must come after its initialisation, and before its end. */
/* clang-format off */
# define RFI_USE_EVENTS \
    (RF_EV_BIT(RF_EV_LOCK) | RF_EV_BIT(RF_EV_TRYFAIL) | RF_EV_BIT(RF_EV_WAIT) | \
     RF_EV_BIT(RF_EV_SIGNAL) | RF_EV_BIT(RF_EV_BROADCAST) | RF_EV_BIT(RF_EV_SEM_WAIT) | \
     RF_EV_BIT(RF_EV_SEM_POST) | RF_EV_BIT(RF_EV_ARRIVE) | RF_EV_BIT(RF_EV_ONCE) | \
     RF_EV_BIT(RF_EV_ONCE_PASS))
/* clang-format on */

/* What an operation does to the memory of its object: RF_EV_READS and _USES, RF_EV_WRITES and
 * _MAKES; with RF_EV_FREES, it ends it.  0: nothing. */
RFI_INLINE unsigned rfi_event_on_object(const rf_event *e) {
    if (RFI_USE_EVENTS & RF_EV_BIT(e->kind)) return RF_EV_READS | RF_EV_USES;
    if (e->kind == RF_EV_INIT) return (e->flags & RF_EV_MAKES) | RF_EV_WRITES;
    return e->kind == RF_EV_DESTROY ? (e->flags & RF_EV_MAKES) | RF_EV_WRITES | RF_EV_FREES : 0;
}

/* Not a block is freed: a function returns whose variables another thread knows. */
RFI_INLINE bool rfi_ends_frame(unsigned flags) {
    return (flags & RF_EV_FREES) && (flags & RF_EV_RANGE);
}

/* rf_events_conflict (iface.h), of accesses. */
RFI_FN bool rfi_event_conflict(const rf_event *a, const rf_event *b) {
    const char *p = a->addr, *q = b->addr;
    return !(a->flags & b->flags & RF_EV_ATOMIC) && !((a->flags | b->flags) & RF_EV_RACY) &&
           ((a->flags | b->flags) & RF_EV_WRITES) && (a->flags & (RF_EV_READS | RF_EV_WRITES)) &&
           (b->flags & (RF_EV_READS | RF_EV_WRITES)) && p < q + b->size && q < p + a->size;
}
#endif
#endif

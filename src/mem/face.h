/* mem/face.h: the memory model's public face (docs/model.md).
 *
 * A model of memory for simulators of threads.  It knows threads by number and locations by address
 * and size, and is driven by calls, in the order in which the simulated program's operations
 * execute.  It answers every load with a value that the C11 memory model (for atomics) or the
 * progressive Java memory model (for plain data under suspicion) allows.
 *
 *     rf_mem *m = rf_mem_new(&(rf_mem_options){.atomics = RF_MEM_C11});
 *     rf_mem_reset(m, seed);                                  an execution begins, with thread 0
 *     rf_mem_fork(m, 0, 1);
 *     rf_mem_store(m, &(rf_mem_access){.thread = 1, .order = __ATOMIC_RELEASE, .addr = &x,
 *                                      .size = sizeof x}, &value);
 *     rf_mem_load(m, &(rf_mem_access){.thread = 0, .order = __ATOMIC_ACQUIRE, .addr = &x,
 *                                     .size = sizeof x}, &value);
 *
 * Thread rules: a model belongs to one thread at a time; two models share nothing.  Lack of memory
 * ends the process (rfi_die).  Memory itself always holds the value of the store that executed
 * last; the value of a location before its first access is taken from it.
 *
 * Sources: Lahav, Vafeiadis, Kang, Hur, Dreyer, "Repairing sequential consistency in C/C++11", PLDI
 * 2017 (RC11); Flanagan, Freund, "Adversarial memory for detecting destructive races", PLDI 2010;
 * Luo, Demsky, "C11Tester", ASPLOS 2021 (constraints on the modification order).
 */
#ifndef RFI_MEM_FACE_H
#define RFI_MEM_FACE_H
#include "base/platform.h"

typedef struct rf_mem rf_mem;

/* What atomic operations may return. */
typedef enum rf_mem_model {
    RF_MEM_C11,      /* RC11 with an open modification order: all that an execution in the order of
                        sb, rf and psc can reach */
    RF_MEM_C11_FAST, /* the modification order is the order of execution: fewer outcomes, cheaper */
    RF_MEM_SC        /* the newest store, always */
} rf_mem_model;

/* Which of the values that a load may return it does return. */
typedef enum rf_heuristic {
    RF_PICK_RECENT,           /* the newest with probability 1/2, else as RF_PICK_RANDOM */
    RF_PICK_NEWEST,           /* sequentially consistent */
    RF_PICK_OLDEST,           /* the oldest one */
    RF_PICK_OLDEST_DIFFERENT, /* the oldest whose value is not what the last read of the location
                                 returned; if there is none, the newest */
    RF_PICK_RANDOM,           /* each with the same probability */
    RF_PICK_RANDOM_DIFFERENT, /* the same among those that differ; if there is none, the newest */
    RF_PICK_MIXED             /* one of the four before, drawn at every reset */
} rf_heuristic;

enum {
    RF_MEM_HISTORY = 32,     /* stores kept of a location, the default */
    RF_MEM_HISTORY_MAX = 64, /* the largest setting */
    RF_MEM_FAIRNESS = 64     /* old values in a row, the default */
};

/* Zero means the default everywhere. */
typedef struct rf_mem_options {
    rf_mem_model atomics;
    rf_heuristic atomic_pick; /* among the stores an atomic load may read from */
    rf_heuristic plain_pick;  /* among the writes a plain read of a watched location may see */
    uint32_t history;         /* stores kept of a location: 2 .. RF_MEM_HISTORY_MAX */
    uint32_t fairness;        /* after so many reads of a location by a thread that could have
                                 returned the last value and did not, one returns it */
    uint32_t sample;          /* of a watched array, the elements that carry a history: bit i =
                                 element i; 0 = elements 0 and 1 (Flanagan, Freund, section 5.2) */
    bool whole;               /* plain values of 8 to 64 bytes are never torn */
    bool cxx20;               /* C++20: a release sequence does not go on through later stores of
                                 the thread that heads it */
    /* Called for every choice among n > 1 (returns 0 .. n-1) instead of the model's own generator:
     * for tools that enumerate.  With it the pick heuristics are off: everything allowed is
     * offered.  Called from inside the model; must not call it. */
    uint32_t (*choose)(void *arg, uint32_t n);
    void *arg;
} rf_mem_options;

enum { RF_MEM_PLAIN = -1 }; /* rf_mem_access.order: not atomic */

/* One access.  An atomic one has a size of 1, 2, 4, 8 or 16 and is aligned to it. */
typedef struct rf_mem_access {
    uint32_t thread;
    int order; /* __ATOMIC_* or RF_MEM_PLAIN; consume is taken as acquire */
    const volatile void *addr;
    size_t size;
    const void *tag; /* the caller's (a place in the source); comes back in rf_mem_origin */
    bool whole;      /* a plain read that is never torn, whatever its size (a pointer) */
    bool in_place;   /* an atomic load or store that the caller makes in memory right after this
                        call: what it stores is found there by the next access.  From then on all
                        accesses of this location give its newest value. */
} rf_mem_access;

/* A write, as told about a read. */
typedef struct rf_mem_origin {
    uint32_t thread; /* RF_MEM_NOBODY: the value that was there at the first access */
    int order;
    const void *tag;
    uint64_t value; /* the first eight bytes; for plain data what it wrote of a 4-byte unit */
} rf_mem_origin;

#define RF_MEM_NOBODY UINT32_MAX

/* What was unusual about an access. */
enum {
    RF_MEM_STALE = 1,       /* a read: newer writes than `from` existed */
    RF_MEM_TORN = 2,        /* a plain read: units from two writes, `from` and `other` */
    RF_MEM_RACE = 4,        /* unordered with a conflicting access, `other`, and one of the two is
                               not atomic: only for locations that were accessed atomically */
    RF_MEM_UNANNOUNCED = 8, /* memory held a value that no announced write had put there: taken
                               as the newest write, ordered before everything after it */
    RF_MEM_MISFIT = 16, /* overlaps an atomic of another size or place that was used unordered */
    RF_MEM_INDETERMINATE = 32, /* a read of memory that rf_mem_alloc gave and nobody has written */
    RF_MEM_FORCED = 64         /* fairness decided: the newest value was returned */
};

/* About the last load, store or read-modify-write: valid until the next call. */
typedef struct rf_mem_report {
    unsigned flags;
    uint32_t visible; /* how many writes the read could have returned */
    uint32_t hidden;  /* how many newer writes than `from` there were */
    rf_mem_origin from, other, newest;
} rf_mem_report;

RFI_EXTERN_C_BEGIN
/* A model; NULL options = all defaults.  Unusable settings are put right (history into its limits).
 * Free it with rf_mem_free. */
rf_mem *rf_mem_new(const rf_mem_options *options);
void rf_mem_free(rf_mem *m);
/* An execution begins: nothing is known of any location, thread 0 is alive, and the generator
 * starts from `seed`.  Costs no more than what the last execution used.  NULL keeps the options. */
void rf_mem_reset(rf_mem *m, uint64_t seed, const rf_mem_options *options);

/* ---- happens-before ---- */

/* `parent` starts `child`, a number never used before in this execution. */
void rf_mem_fork(rf_mem *m, uint32_t parent, uint32_t child);
/* `thread` has executed its last operation: what only it could see can be forgotten. */
void rf_mem_exit(rf_mem *m, uint32_t thread);
/* `thread` waits for the end of `other`. */
void rf_mem_join(rf_mem *m, uint32_t thread, uint32_t other);
/* Everything that `thread` did before rf_mem_release(m, thread, object) happens before what any
 * thread does after a later rf_mem_acquire of the same object (any number: a lock, a message). */
void rf_mem_release(rf_mem *m, uint32_t thread, uint64_t object);
void rf_mem_acquire(rf_mem *m, uint32_t thread, uint64_t object);
/* atomic_thread_fence; a signal fence orders nothing between threads: do not announce it. */
void rf_mem_fence(rf_mem *m, uint32_t thread, int order);

/* ---- accesses; memory at a->addr is read and written by them ---- */

void rf_mem_load(rf_mem *m, const rf_mem_access *a, void *out);
void rf_mem_store(rf_mem *m, const rf_mem_access *a, const void *in);
/* atomic_init: a plain store that makes the location an atomic one. */
void rf_mem_init(rf_mem *m, const rf_mem_access *a, const void *in);
/* A read-modify-write in two halves, with no other call between them. */
void rf_mem_rmw_begin(rf_mem *m, const rf_mem_access *a, void *old);
void rf_mem_rmw_end(rf_mem *m, const void *value);
/* a->order is that of success.  On failure `expected` is given the value found.  A weak one may
 * fail although the value was the expected one. */
bool rf_mem_compare_exchange(rf_mem *m, const rf_mem_access *a, int failure, bool weak,
                             void *expected, const void *desired);
/* What was unusual about the last of the calls above. */
const rf_mem_report *rf_mem_last(const rf_mem *m);

/* ---- memory ---- */

/* Plain accesses to these bytes carry histories from now on.  Others go to memory directly. */
void rf_mem_watch(rf_mem *m, const volatile void *addr, size_t size);
/* The same for an array: only the elements of the sample carry them. */
void rf_mem_watch_array(rf_mem *m, const volatile void *base, size_t element, size_t count);
/* Fresh memory: its bytes are indeterminate until written.  Fills it with a pattern. */
void rf_mem_alloc(rf_mem *m, void *addr, size_t size);
/* The bytes belong to something else now: nothing is known of them, nothing watches them. */
void rf_mem_forget(rf_mem *m, const volatile void *addr, size_t size);
/* How many stores to the location that contains `addr` are kept now (0: none was ever seen). */
uint32_t rf_mem_history(const rf_mem *m, const volatile void *addr);
RFI_EXTERN_C_END
#endif

/* engine/types.h: the objects of the public face (docs/sync.md).
 *
 * An object belongs to one execution: `generation` says which, and an object of an older one (a
 * static mutex in the next execution) is initialised again.  A static initialiser is all zeros but
 * for counts, so zeroed memory is a valid object too.  The fields are the engine's.
 */
#ifndef RFI_ENGINE_TYPES_H
#define RFI_ENGINE_TYPES_H
#include "base/site.h"

#define RFI_NO_THREAD UINT32_MAX

/* What all objects have in common. */
typedef struct rfi_object {
    uint32_t generation; /* of the execution that registered it; 0: not yet */
    uint32_t number;     /* in order of registration, from 1 */
    uint32_t waiters;    /* first thread waiting for it + 1: a list through the threads */
    uint8_t type, made;  /* rfi_object_type; made by an init call, so destroyed only once */
    uint16_t home;       /* bits of its address: a copy, which is another object, has others */
} rfi_object;

typedef enum rfi_object_type {
    RFI_MUTEX = 1,
    RFI_RWLOCK,
    RFI_SPIN,
    RFI_COND,
    RFI_SEM,
    RFI_BARRIER,
    RFI_ONCE,
    RFI_FUTEX_WORD, /* a word in memory that threads wait by */
    RFI_SIGNAL,     /* what stands for all signals */
    RFI_DESTROYED = 255
} rfi_object_type;

enum { RF_MUTEX_NORMAL = 0, RF_MUTEX_RECURSIVE = 1, RF_MUTEX_ERRORCHECK = 2 };
/* With one of them: the owner inherits the priority of waiters; or it has at least this one. */
enum { RF_MUTEX_INHERIT = 32, RFI_MUTEX_CEILS = 64, RFI_MUTEX_TYPE = 31 };
#define RF_MUTEX_CEILING(priority) (RFI_MUTEX_CEILS | (int)((unsigned)(priority) << 8))

typedef struct rf_mutex {
    rfi_object object;
    int kind;       /* where pthread_mutex_t has it, too (hook/locks.h) */
    uint32_t owner; /* thread + 1, 0: free */
    uint32_t depth; /* of a recursive one */
} rf_mutex;

typedef struct rf_rwlock {
    rfi_object object;
    uint32_t writer, readers; /* thread + 1; how many hold it for reading */
    uint32_t ahead;           /* writers that wait and let no reader in */
} rf_rwlock;

typedef struct rf_spin {
    rfi_object object;
    uint32_t owner;
} rf_spin;

typedef struct rf_cond {
    rfi_object object; /* waiters: in order of arrival */
} rf_cond;

typedef struct rf_sem {
    rfi_object object;
    uint32_t initial, count;
} rf_sem;

typedef struct rf_barrier {
    rfi_object object;
    uint32_t parties, arrived, phase;
} rf_barrier;

typedef struct rf_once {
    rfi_object object;
    uint32_t state, runner;  /* 0 new, 1 running, 2 done, 3 thrown */
    const rfi_object *outer; /* that its runner was in */
} rf_once;

#define RF_MUTEX_INIT \
 { {0, 0, 0, 0, 0, 0}, 0, 0, 0 }
#define RF_RWLOCK_INIT \
 { {0, 0, 0, 0, 0, 0}, 0, 0, 0 }
#define RF_SPIN_INIT \
 { {0, 0, 0, 0, 0, 0}, 0 }
#define RF_COND_INIT   \
 {                     \
  { 0, 0, 0, 0, 0, 0 } \
 }
#define RF_SEM_INIT(n) \
 { {0, 0, 0, 0, 0, 0}, (n), (n) }
#define RF_BARRIER_INIT(n) \
 { {0, 0, 0, 0, 0, 0}, (n), 0, 0 }
#define RF_ONCE_INIT \
 { {0, 0, 0, 0, 0, 0}, 0, 0, 0 }

/* A thread's handle; valid during the execution that created it. */
typedef struct rf_thread {
    uint32_t id;         /* 0 runs the test's body, then in order of creation */
    uint32_t generation; /* 0: no thread */
} rf_thread;

/* A thread-local object declared by RF_TLS. */
typedef struct rfi_tls {
    size_t size;
    uint32_t index; /* + 1, given at first use */
} rfi_tls;
#endif

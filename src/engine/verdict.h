/* engine/verdict.h: the list of diagnostics.
 *
 * Each diagnostic has an id (stable, for machines), the kind that `.expect` names, and the words a
 * report begins with.  The first failure ends the execution.
 */
#ifndef RFI_ENGINE_VERDICT_H
#define RFI_ENGINE_VERDICT_H
#include "base/site.h"
#include "engine/options.h"

/* X(ID, "id", kind, "words") */
/* clang-format off */
#define RFI_DIAGNOSTICS(X) \
    X(NONE, "none", 0, "no failure") \
    X(ASSERT, "assert", RF_EXPECT_FAILURE, "assertion failed") \
    X(FAIL, "fail", RF_EXPECT_FAILURE, "test failed") \
    X(NOT_LINEARIZABLE, "not-linearizable", RF_EXPECT_FAILURE, "not linearizable") \
    X(NO_PROGRESS, "no-progress", RF_EXPECT_FAILURE, "no progress") \
    X(NOT_EXCLUSIVE, "not-exclusive", RF_EXPECT_FAILURE, "not exclusive") \
    X(INVARIANT, "invariant", RF_EXPECT_FAILURE, "invariant broken") \
    X(UNLOCK_FREE, "unlock-free", RF_EXPECT_FAILURE, "unlock of a lock that is not held") \
    X(UNLOCK_OTHER, "unlock-not-owner", RF_EXPECT_FAILURE, \
      "unlock by a thread that is not the owner") \
    X(RELOCK, "relock", RF_EXPECT_FAILURE, "lock taken again by its owner") \
    X(DESTROY_BUSY, "destroy-busy", RF_EXPECT_FAILURE, "destroy of an object in use") \
    X(DESTROYED, "use-destroyed", RF_EXPECT_FAILURE, "use of a destroyed object") \
    X(WRONG_TYPE, "wrong-object", RF_EXPECT_FAILURE, "not an initialised object of this type") \
    X(REINIT, "reinit", RF_EXPECT_FAILURE, "init of an object in use") \
    X(WAIT_UNLOCKED, "wait-unlocked", RF_EXPECT_FAILURE, \
      "condition wait without holding the mutex") \
    X(WAIT_DEPTH, "wait-recursive", RF_EXPECT_FAILURE, "condition wait with a mutex locked twice") \
    X(WAIT_MUTEX, "wait-mutexes", RF_EXPECT_FAILURE, "condition used with two mutexes at a time") \
    X(EXIT_HOLDING, "exit-holding", RF_EXPECT_FAILURE, "thread ends while it holds a lock") \
    X(BAD_COUNT, "bad-count", RF_EXPECT_FAILURE, "count out of range") \
    X(ONCE_RECURSIVE, "once-recursive", RF_EXPECT_FAILURE, "once called from its own initialiser") \
    X(BAD_THREAD, "bad-thread", RF_EXPECT_FAILURE, "not a thread of this execution") \
    X(JOIN_SELF, "join-self", RF_EXPECT_FAILURE, "thread joins itself") \
    X(JOIN_TWICE, "join-twice", RF_EXPECT_FAILURE, "thread joined twice") \
    X(JOIN_DETACHED, "join-detached", RF_EXPECT_FAILURE, "join of a detached thread") \
    X(DETACH_TWICE, "detach-twice", RF_EXPECT_FAILURE, "thread detached twice or after its join") \
    X(USE_AFTER_FREE, "use-after-free", RF_EXPECT_FAILURE, "use after free") \
    X(USE_AFTER_END, "use-after-end", RF_EXPECT_FAILURE, \
      "use of the stack of a thread that has ended") \
    X(USE_AFTER_RETURN, "use-after-return", RF_EXPECT_FAILURE, \
      "use of a variable of a function that has returned") \
    X(DOUBLE_FREE, "double-free", RF_EXPECT_FAILURE, "double free") \
    X(BAD_FREE, "bad-free", RF_EXPECT_FAILURE, "free of something RF_MALLOC did not return") \
    X(OVERRUN, "overrun", RF_EXPECT_FAILURE, "access beyond the end of a heap block") \
    X(LEAK, "leak", RF_EXPECT_FAILURE, "heap block never freed") \
    X(INDETERMINATE, "indeterminate", RF_EXPECT_FAILURE, "read of memory nobody has written") \
    X(ATOMIC_SIZES, "atomic-sizes", RF_EXPECT_FAILURE, \
      "overlapping atomics of different sizes") \
    X(UNSAFE, "async-signal-unsafe", RF_EXPECT_FAILURE, \
      "a handler calls a function that is not async-signal-safe") \
    X(DEADLINE, "deadline", RF_EXPECT_FAILURE, "deadline missed") \
    X(CEILING, "ceiling", RF_EXPECT_FAILURE, "priority above the ceiling of a mutex") \
    X(BAD_CHOICE, "bad-choice", RF_EXPECT_FAILURE, "RF_CHOOSE from nothing") \
    X(LOCK_CYCLE, "deadlock", RF_EXPECT_DEADLOCK, "deadlock") \
    X(STUCK, "stuck", RF_EXPECT_DEADLOCK, "deadlock: nobody can wake the waiting threads") \
    X(LIVELOCK, "livelock", RF_EXPECT_LIVELOCK, "step limit reached") \
    X(ENDLESS, "endless-handler", RF_EXPECT_LIVELOCK, "a handler does not end") \
    X(SIGNAL, "signal", RF_EXPECT_CRASH, "crash") \
    X(STACK_OVERFLOW, "stack-overflow", RF_EXPECT_CRASH, "stack overflow") \
    X(EXIT, "exit", RF_EXPECT_CRASH, "the program ended during an execution") \
    X(RUNAWAY, "runaway", RF_EXPECT_CRASH, "a loop that never reaches racefuzz") \
    X(BLOCKED, "blocked", RF_EXPECT_CRASH, "blocked in a call that racefuzz does not control") \
    X(FOREIGN, "foreign-thread", RF_EXPECT_FAILURE, \
      "racefuzz entered from a thread that it did not create") \
    X(UNREPEATABLE, "not-repeatable", RF_EXPECT_FAILURE, \
      "the same choices did not repeat the execution") \
    X(LIMIT, "limit", RF_EXPECT_FAILURE, "a limit of racefuzz was reached") \
    X(STATUS, "status", RF_EXPECT_FAILURE, "the program ended with a failure") \
    X(BAD_ORDER, "memory-order", RF_EXPECT_FAILURE, "a memory order that the operation cannot have")
/* clang-format on */

typedef enum rf_diagnostic {
#define RFI_X(id, name, kind, words) RF_DIAG_##id,
    RFI_DIAGNOSTICS(RFI_X)
#undef RFI_X
        RF_DIAG_COUNT
} rf_diagnostic;

#ifdef RFI_IMPL
typedef struct rfi_diagnostic_info {
    const char *id, *words;
    unsigned kind;
} rfi_diagnostic_info;

RFI_FN const rfi_diagnostic_info *rfi_diagnostic(rf_diagnostic d) {
    static const rfi_diagnostic_info list[] = {
# define RFI_X(id, name, kind, words) {name, words, kind},
        RFI_DIAGNOSTICS(RFI_X)
# undef RFI_X
    };
    return &list[d < RF_DIAG_COUNT ? d : 0];
}

# define RFI_MESSAGE_BYTES 1024

/* The failure of an execution.  `message` may have several lines; it begins lower-case and says
 * what, not where: site and thread are fields. */
typedef struct rfi_failure {
    rf_diagnostic diagnostic;
    uint32_t thread;
    const rf_site *site; /* may be NULL (a crash between sites: then the last one reached) */
    char message[RFI_MESSAGE_BYTES];
    uint32_t null_at; /* of a crash by a null pointer: 1 + the address; else 0 */
    bool there;       /* a crash happened at the site itself */
} rfi_failure;
#endif
#endif

/* Wrong use of every kind of synchronisation object: object, misuse, what is said.  What only one
 * kind can suffer is in objects.c. */
#define RF_IMPLEMENTATION
#include "script.h"

/* A kind, an object of it, its type as messages have it, and statements: to make it (A), to take it
 * (T), to drop it (D), to destroy it (X). */
enum { MUTEX, TRIED, SPIN, READ, WRITTEN, SEMAPHORE, CONDITION, BARRIER, ONCE, OBJECTS };
static const struct object {
    const char *kind, *word[6];
} objects[OBJECTS] = {
    {"mutex", {"m", "mutex", "mutex m m 0", "lock m", "unlock m", "mutex_destroy m"}},
    {"tried_mutex", {"m", "mutex", "mutex m m 0", "try m", "unlock m", "mutex_destroy m"}},
    {"spin_lock", {"s", "spin lock", "spinlock s", "spin s", "unspin s", "spinlock_destroy s"}},
    {"rwlock_read", {"l", "rwlock", "rwlock l", "rdlock l", "rwunlock l", "rwlock_destroy l"}},
    {"rwlock_written", {"l", "rwlock", "rwlock l", "wrlock l", "rwunlock l", "rwlock_destroy l"}},
    {"semaphore", {"s", "semaphore", "sem s 1", "post s", "take s", "sem_destroy s"}},
    {"condition", {"c", "condition", "cond c", "signal c", "broadcast c", "cond_destroy c"}},
    {"barrier", {"b", "barrier", "barrier b 3", "arrive b", "arrive b", "barrier_destroy b"}},
    {"once", {"o", "once", "fresh_once o", "once o", "once o", "once_destroy o"}},
};

#define OF(kind)    (1u << (kind))
#define HELD_BY_ONE (OF(MUTEX) | OF(SPIN) | OF(WRITTEN))
#define HELD        (HELD_BY_ONE | OF(READ))
#define EACH        ((OF(OBJECTS) - 1) & ~OF(TRIED) & ~OF(WRITTEN))

/* In messages $ stands for the object and % for its type. */
static const struct misuse {
    unsigned of; /* set of objects */
    script_row row;
} misuses[] = {
    {HELD_BY_ONE,
     FAIL_ALWAYS_ROW("taken again", "body: @1 T; @2 T", RELOCK, 2, "T0 already holds $ since @1")},
    {OF(MUTEX) | OF(SPIN) | OF(READ),
     FAIL_ALWAYS_ROW("released, held by nobody", "body: @1 D", UNLOCK_FREE, 1, "$ is not locked")},
    {HELD_BY_ONE, FAIL_ALWAYS_ROW("released, held by another", "body: T; start; join | @1 D",
                                  UNLOCK_OTHER, 1, "$ is held by T0, not by T1")},
    {OF(READ), FAIL_ALWAYS_ROW("released, held by another", "body: T; start; join | @1 D",
                               UNLOCK_OTHER, 1, "$ is held for reading by others, not by T1")},
    {HELD, FAIL_ALWAYS_ROW("destroyed while held", "body: @1 T; @2 X", DESTROY_BUSY, 2,
                           "$ is held by T0 since @1")},
    {HELD, FAIL_ALWAYS_ROW("initialised while held", "body: @1 T; @2 A", REINIT, 2,
                           "$ is held by T0 since @1")},
    {HELD, FAIL_ALWAYS_ROW("held at the end", "body: @1 T", EXIT_HOLDING, 1,
                           "T0 ends and still holds $, taken here")},
    {EACH,
     FAIL_ALWAYS_ROW("destroyed twice", "body: X; @1 X", DESTROYED, 1, "$ was destroyed before")},
    {OF(OBJECTS) - 1, FAIL_ALWAYS_ROW("used when destroyed", "body: X; @1 T", DESTROYED, 1,
                                      "$ was destroyed before")},
    {OF(TRIED) | OF(SEMAPHORE) | OF(CONDITION) | OF(BARRIER),
     FAIL_FINE_ROW("destroyed under its user", "body: A; start; X | @1 T", DESTROYED, 1,
                   "$ was destroyed when T1 was about to use it")},
    {EACH, FAIL_ALWAYS_ROW("never initialised", "body: garbage; @1 T", WRONG_TYPE, 1,
                           "$ was never initialised as a % (by rf_..._init or RF_..._INIT)")},
    {EACH, FAIL_ALWAYS_ROW("never initialised, of bytes 1", "body: bytes_1; @1 T", WRONG_TYPE, 1,
                           "$ was never initialised as a % (by rf_..._init or RF_..._INIT)")},
    {EACH, FAIL_ALWAYS_ROW("never initialised, of bytes ff", "body: bytes_ff; @1 T", WRONG_TYPE, 1,
                           "$ was never initialised as a % (by rf_..._init or RF_..._INIT)")},
};

/* The text with words for its keys. */
static const char *fill(const char *text, const char *keys, const char *const word[], char *out) {
    rfi_text t = {out, out + RFI_MESSAGE_BYTES};
    for (out[0] = 0; *text; text++) {
        const char *key = strchr(keys, *text), one[2] = {*text, 0};
        rfi_append(&t, "%s", key ? word[key - keys] : one);
    }
    return out;
}

int main(void) {
    char name[96], program[RFI_MESSAGE_BYTES], message[RFI_MESSAGE_BYTES];
    for (unsigned i = 0; i < RFI_LENGTH(misuses); i++)
        for (unsigned k = 0; k < OBJECTS; k++) {
            if (!(misuses[i].of & OF(k))) continue;
            script_row row = misuses[i].row;
            snprintf(name, sizeof name, "%s %s", objects[k].kind, row.name);
            row.name = name;
            row.program = fill(row.program, "ATDX", objects[k].word + 2, program);
            row.message = fill(row.message, "$%", objects[k].word, message);
            script_rows(&row, 1);
        }
    return lab_end();
}

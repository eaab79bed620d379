/* engine/iface.h: the three interfaces (docs/internals.md, Extension).
 *
 * An analysis sees every event; a checker decides at a breakpoint who is paused; a strategy picks
 * the next thread.  Everything built in is written against these structs and uses nothing more of
 * the engine than the functions declared here.  Callbacks run in the one process, never two at a
 * time; they must not use RF_ macros.
 */
#ifndef RFI_ENGINE_IFACE_H
#define RFI_ENGINE_IFACE_H
#include "base/prng.h"
#include "engine/event.h"
#include "engine/warning.h"

/* Sees the events of an execution in their order, each exactly once, as it executes (for a release
 * before it is released, for an acquisition after it is acquired). */
typedef struct rf_analysis {
    const char *name;
    const char *help;    /* one line for --help */
    uint64_t events;     /* RF_EV_BIT()s of the kinds it wants */
    uint64_t wakes;      /* not 0: in each execution it gets none before the first of these kinds */
    void (*begin)(void); /* an execution begins */
    void (*event)(const rf_event *e);
    void (*end)(void); /* it has ended, well or not */
} rf_analysis;

/* What a strategy may choose from. */
typedef struct rf_choice {
    uint32_t count;          /* number of candidates, at least 1 */
    uint32_t last;           /* the thread of the previous step, candidate or not */
    const uint64_t *rfi_set; /* bit set by thread number */
    uint32_t rfi_words;
} rf_choice;

/* Picks the next thread among the candidates: enabled, not paused, not held back as a spinner. */
typedef struct rf_strategy {
    const char *name;
    const char *help;
    void (*begin)(uint64_t seed);            /* an execution begins */
    uint32_t (*pick)(const rf_choice *c);    /* returns a candidate's number */
    void (*announced)(const rf_event *next); /* optional: a thread has a new next operation */
    void (*executed)(const rf_event *e);     /* optional: it was executed */
    void (*end)(void);                       /* optional */
} rf_strategy;

/* CalFuzzer's active checker (Joshi et al., CAV 2009, Algorithm 1).
 * check() runs when the strategy has picked a thread whose next operation is a breakpoint; it calls
 * the rf_check_ functions below; unless it paused the thread, the operation executes. */
typedef struct rf_checker {
    const char *name;
    const char *help;
    unsigned confirms; /* RF_FAMILY_BIT()s of the warnings it is directed at, one in each
                          execution; 0: it has no target */
    bool at_sites;     /* its targets are keys of statements: their accesses are scheduled, also
                          with coarse granularity */
    uint64_t events;   /* RF_EV_BIT()s of the kinds that event() gets */
    void (*begin)(uint64_t seed);                /* optional: an execution begins */
    bool (*is_breakpoint)(const rf_event *next); /* pure */
    void (*check)(const rf_event *next);
    void (*event)(const rf_event *e); /* optional: an operation was executed */
    /* optional: these threads can't go on, and the execution ends here: each wants a lock that the
     * next one holds (`cycle`; recognised when the last of them asks for its lock, even if others
     * could still run), or nobody is left to wake them */
    void (*stuck)(const uint32_t *thread, uint32_t count, bool cycle);
    void (*end)(void); /* optional */
} rf_checker;

RFI_EXTERN_C_BEGIN
/* The i-th candidate in ascending order of thread numbers. */
uint32_t rf_choice_at(const rf_choice *c, uint32_t i);
bool rf_choice_has(const rf_choice *c, uint32_t thread);
/* The announced operation of a live thread. */
const rf_event *rf_next_event(uint32_t thread);

/* Threads so far in this execution; their numbers are below. */
uint32_t rf_threads(void);
/* Has thread `t` begun and not ended? */
bool rf_thread_alive(uint32_t t);
/* Could its announced operation complete now? */
bool rf_thread_enabled(uint32_t t);
/* The locks that it holds, in the order in which it took them: at most `most` are written, the
 * number of all is returned. */
uint32_t rf_thread_locks(uint32_t t, rf_lock *lock, uint32_t most);
/* Where an object was initialised, or first used if it has a static initialiser; and its name. */
const rf_site *rf_object_site(uint32_t object);
const char *rf_object_name(uint32_t object);
/* Was it initialised by an rf_..._init call? */
bool rf_object_made(uint32_t object);

/* The targets that the checker is directed at; *count is 0 if there are none. */
const uint64_t *rf_check_targets(uint32_t *count);
/* From check(): the thread under check stays where it is. */
void rf_check_pause(void);
/* The same for at most so many decisions. */
void rf_check_pause_for(uint32_t decisions);
/* What the checker is directed at has been produced; `b` may be NULL.  The execution counts as a
 * hit, and a failure after it as its doing. */
void rf_check_hit(const rf_event *a, const rf_event *b);
/* A paused thread goes back to normal scheduling. */
void rf_check_release(uint32_t thread);
/* A paused thread executes its operation next, before any other choice; in the order of the calls.
 */
void rf_check_run(uint32_t thread);
/* Calls fn for every paused thread, ascending; fn may release it. */
void rf_check_each_paused(void (*fn)(uint32_t thread, void *arg), void *arg);
/* A draw from the schedule's stream. */
rf_prng *rf_check_random(void);
RFI_EXTERN_C_END
#endif

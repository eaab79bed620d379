/* tests/memory_plain.h: plain data under suspicion, in a simulator of threads and locks, and all
 * values that a read may return. */
#ifndef MEMORY_PLAIN_H
#define MEMORY_PLAIN_H
#include "mem/plain.h"
#include "check.h"
#include "choices.h"

/* ---- a simulator: threads, four locks, 192 bytes of memory ---- */

enum { BYTES = 192, OBJECTS = 4 };

static rfi_core core;
static rfi_plain plain;
static rfi_message object[OBJECTS];
static _Alignas(64) uint8_t memory[BYTES];
static uint8_t initial[BYTES];

static inline void begin(rf_mem_options o, uint64_t seed) {
    if (!o.history) o.history = RF_MEM_HISTORY;
    if (!o.fairness) o.fairness = RF_MEM_FAIRNESS;
    if (!o.sample) o.sample = 3;
    core.options = o;
    core.plain_pick = o.plain_pick;
    core.chance = rfi_prng_make(rfi_mix(seed + 1), 0);
    rfi_actors_reset(&core.threads);
    rfi_actor_of(&core.threads, 0);
    rfi_plain_reset(&plain);
    memset(object, 0, sizeof object);
    memcpy(memory, initial, sizeof memory);
}

static inline void fork_thread(uint32_t t, uint32_t u) { rfi_actor_fork(&core.threads, t, u); }
static inline void end_thread(uint32_t t) { rfi_actor_of(&core.threads, t)->ended = true; }
static inline void join_thread(uint32_t t, uint32_t u) { rfi_actor_join(&core.threads, t, u); }
static inline void release(uint32_t t, uint32_t o) {
    rfi_message_add(&core.threads, t, &object[o]);
}
static inline void acquire(uint32_t t, uint32_t o) {
    rfi_actor_receive(&core.threads, t, &object[o]);
}
static inline void watch(uint32_t at, size_t size) {
    rfi_plain_watch(&core, &plain, (uintptr_t)&memory[at], size);
}

static inline rf_mem_access access_to(uint32_t t, uint32_t at, size_t size) {
    memset(&core.report, 0, sizeof core.report);
    return (rf_mem_access){t, RF_MEM_PLAIN, &memory[at], size, &memory[at], false, false};
}

static inline void load_bytes(uint32_t t, uint32_t at, size_t size, void *out) {
    rf_mem_access a = access_to(t, at, size);
    rfi_plain_load(&core, &plain, &a, out);
}

static inline void store_bytes(uint32_t t, uint32_t at, size_t size, const void *in) {
    rf_mem_access a = access_to(t, at, size);
    rfi_plain_store(&core, &plain, &a, in);
}

static inline uint64_t load(uint32_t t, uint32_t at, size_t size) {
    uint64_t value = 0;
    load_bytes(t, at, size, &value);
    return value;
}

static inline void store(uint32_t t, uint32_t at, size_t size, uint64_t value) {
    store_bytes(t, at, size, &value);
}

static inline uint32_t history(uint32_t at) {
    return rfi_plain_history(&plain, (uintptr_t)&memory[at]);
}

static inline unsigned flags(void) { return core.report.flags; }

/* ---- all that a read may return, by way of the model's own choices ---- */

enum { OUTCOMES = 1 << 14, WIDEST = 16 };

static choices path;

static inline uint32_t choose(void *arg, uint32_t n) { return choices_make(arg, n); }

typedef struct outcomes {
    uint32_t n;
    uint8_t value[OUTCOMES][WIDEST];
} outcomes;

static inline void outcome(outcomes *set, const uint8_t *value, size_t size) {
    if (set->n == OUTCOMES) return;
    memset(set->value[set->n], 0, WIDEST);
    memcpy(set->value[set->n++], value, size);
}

static inline int outcome_order(const void *a, const void *b) { return memcmp(a, b, WIDEST); }

static inline void outcomes_sort(outcomes *set) {
    uint32_t n = 0;
    qsort(set->value, set->n, WIDEST, outcome_order);
    for (uint32_t i = 0; i < set->n; i++)
        if (!n || memcmp(set->value[n - 1], set->value[i], WIDEST))
            memmove(set->value[n++], set->value[i], WIDEST);
    set->n = n;
}

static inline bool outcomes_hold(const outcomes *set, const void *value, size_t size) {
    uint8_t key[WIDEST] = {0};
    memcpy(key, value, size);
    return bsearch(key, set->value, set->n, WIDEST, outcome_order) != NULL;
}

static inline void enumerate(outcomes *set, uint32_t t, uint32_t at, size_t size) {
    uint8_t value[WIDEST];
    core.options.choose = choose;
    core.options.arg = &path;
    set->n = 0;
    path = (choices){.count = 0};
    do {
        load_bytes(t, at, size, value);
        outcome(set, value, size);
    } while (choices_next(&path));
    core.options.choose = NULL;
    outcomes_sort(set);
}
#endif

/* Litmus programs on the memory model (src/mem/face.h), one statement at a time.
 *
 * Thread 0 of the model initialises the locations, starts the program's threads as 1, 2, ..., joins
 * them all and reads what is left in memory; the caller is the scheduler.  Locations stand next to
 * each other, so that small ones share a word. */
#ifndef LITMUS_MACHINE_H
#define LITMUS_MACHINE_H

#include "program.h"
#include "racefuzz_mem.h"
#include <limits.h>

struct machine {
    rf_mem *mem;
    const struct litmus_program *program;
    size_t size; /* of a location: 1, 2, 4, 8 or 16 */
    int before;  /* stores to each location before the threads start, which nobody can read */
    _Alignas(16) unsigned char memory[LITMUS_LOCATIONS * 16];
    struct litmus_registers registers;
    int next[LITMUS_THREADS]; /* statement */
    bool race;                /* one was reported */
};

/* What a statement has done. */
struct machine_event {
    int thread; /* 0 .. threads - 1 */
    const struct litmus_statement *statement;
    const struct litmus_statement *source; /* that wrote what was read; NULL: nobody */
    bool reads, writes, seq_cst;
};

static inline int machine_order(enum litmus_order order) {
    static const int orders[] = {RF_MEM_PLAIN,     __ATOMIC_RELAXED, __ATOMIC_ACQUIRE,
                                 __ATOMIC_RELEASE, __ATOMIC_ACQ_REL, __ATOMIC_SEQ_CST};
    return orders[order];
}

/* What a location holds: an int, with its sign, in as many bytes as there are.  The smaller ones
 * are the first bytes of the larger ones: little-endian. */
struct machine_word {
    int64_t low, high;
};

static inline int machine_value(const struct machine *m, const struct machine_word *word) {
    if (m->size == 16 && word->high != ~word->low) return INT_MIN; /* from two stores */
    unsigned unused = m->size < 8 ? 64 - 8 * (unsigned)m->size : 0;
    return (int)((int64_t)((uint64_t)word->low << unused) >> unused);
}

static inline struct machine_word machine_word(int value) {
    return (struct machine_word){.low = value, .high = ~(int64_t)value};
}

static inline rf_mem_access machine_access(struct machine *m, uint32_t thread, int location,
                                           enum litmus_order order, const void *tag) {
    return (rf_mem_access){.thread = thread,
                           .order = machine_order(order),
                           .addr = m->memory + (size_t)location * m->size,
                           .size = m->size,
                           .tag = tag};
}

/* An execution begins; NULL options: those of the last one. */
static inline void machine_begin(struct machine *m, uint64_t seed, const rf_mem_options *options) {
    const struct litmus_program *p = m->program;
    rf_mem_reset(m->mem, seed, options);
    m->registers = (struct litmus_registers){0};
    memset(m->next, 0, sizeof m->next);
    memset(m->memory, 0, sizeof m->memory);
    m->race = false;
    for (int x = 0; x < p->locations; x++) {
        rf_mem_access a = machine_access(m, 0, x, LITMUS_NA, NULL);
        struct machine_word word = machine_word(p->initial[x]);
        rf_mem_init(m->mem, &a, &word);
        a.order = __ATOMIC_RELAXED;
        for (int i = 0; i < m->before; i++) rf_mem_store(m->mem, &a, &word);
    }
    for (int t = 0; t < p->threads; t++) rf_mem_fork(m->mem, 0, (uint32_t)t + 1);
}

/* The next statement of a thread whose condition holds; NULL: it has ended. */
static inline const struct litmus_statement *machine_next(struct machine *m, int thread) {
    const struct litmus_thread *t = &m->program->thread[thread];
    int *next = &m->next[thread];
    while (*next < t->statements && !litmus_enabled(&t->statement[*next], &m->registers)) ++*next;
    return *next < t->statements ? &t->statement[*next] : NULL;
}

/* Takes over what the model says about its last call. */
static inline void machine_heed(struct machine *m, struct machine_event *e) {
    const rf_mem_report *report = rf_mem_last(m->mem);
    if (report->flags & RF_MEM_RACE) m->race = true;
    if (e->reads) e->source = report->from.tag;
}

static inline void machine_update(struct machine *m, const rf_mem_access *a,
                                  struct machine_event *e) {
    const struct litmus_statement *s = e->statement;
    struct machine_word word;
    rf_mem_rmw_begin(m->mem, a, &word);
    machine_heed(m, e);
    int old = machine_value(m, &word);
    int value = litmus_updated(s->kind, old, litmus_value(s->operand[0], &m->registers));
    word = machine_word(value);
    rf_mem_rmw_end(m->mem, &word);
    if (rf_mem_last(m->mem)->flags & RF_MEM_RACE) m->race = true;
    litmus_assign(&m->registers, s->result, old);
}

static inline void machine_compare(struct machine *m, const rf_mem_access *a,
                                   struct machine_event *e) {
    const struct litmus_statement *s = e->statement;
    int old = litmus_value(s->operand[0], &m->registers);
    struct machine_word expected = machine_word(old);
    struct machine_word desired = machine_word(litmus_value(s->operand[1], &m->registers));
    e->writes = rf_mem_compare_exchange(m->mem, a, machine_order(s->failure),
                                        s->kind == LITMUS_CASW, &expected, &desired);
    machine_heed(m, e);
    if (!e->writes) old = machine_value(m, &expected);
    litmus_assign(&m->registers, s->result, old);
    litmus_assign(&m->registers, s->success, e->writes);
}

/* Executes the statement that machine_next gives for a thread that has not ended. */
static inline struct machine_event machine_step(struct machine *m, int thread) {
    const struct litmus_statement *s = machine_next(m, thread);
    const struct litmus_form *form = &litmus_forms[s->kind];
    struct machine_event e = {.thread = thread, .statement = s, .reads = form->results};
    rf_mem_access a = machine_access(m, (uint32_t)thread + 1, s->location, s->order, s);
    struct machine_word word;
    e.writes = s->kind != LITMUS_LOAD && s->kind != LITMUS_FENCE;
    switch (s->kind) {
    case LITMUS_FENCE: rf_mem_fence(m->mem, a.thread, a.order); break;
    case LITMUS_STORE:
        word = machine_word(litmus_value(s->operand[0], &m->registers));
        rf_mem_store(m->mem, &a, &word);
        machine_heed(m, &e);
        break;
    case LITMUS_LOAD:
        rf_mem_load(m->mem, &a, &word);
        machine_heed(m, &e);
        litmus_assign(&m->registers, s->result, machine_value(m, &word));
        break;
    case LITMUS_CAS:
    case LITMUS_CASW: machine_compare(m, &a, &e); break;
    default: machine_update(m, &a, &e); break;
    }
    bool failed = form->orders > 1 && !e.writes;
    e.seq_cst = (failed ? s->failure : s->order) == LITMUS_SC;
    m->next[thread]++;
    if (!machine_next(m, thread)) rf_mem_exit(m->mem, (uint32_t)thread + 1);
    return e;
}

/* The execution is over: what it has left. */
static inline struct litmus_final machine_end(struct machine *m) {
    struct litmus_final final = {.registers = m->registers};
    struct machine_word word;
    for (int t = 0; t < m->program->threads; t++) rf_mem_join(m->mem, 0, (uint32_t)t + 1);
    for (int x = 0; x < m->program->locations; x++) {
        rf_mem_access a = machine_access(m, 0, x, LITMUS_RLX, NULL);
        rf_mem_load(m->mem, &a, &word);
        if (rf_mem_last(m->mem)->flags & RF_MEM_RACE) m->race = true;
        final.memory[x] = machine_value(m, &word);
    }
    return final;
}

/* Counts an execution that ended in `final`. */
static inline void machine_count(struct litmus_set *set, const struct litmus_final *final,
                                 bool race) {
    struct litmus_outcome *outcome = litmus_find(set, final);
    if (!outcome) outcome = litmus_insert(set, final);
    outcome->race = outcome->online = litmus_race(outcome->race, race);
    set->executions++;
    set->race |= race;
}

/* ---- what is wrong with a set of observed outcomes ---- */

enum litmus_wrong {
    LITMUS_RIGHT,
    LITMUS_FORBIDDEN,    /* it is no outcome of the program */
    LITMUS_OUT_OF_ORDER, /* it is one, but not of an execution of the kind asked for */
    LITMUS_MISSING,      /* it was not observed */
    LITMUS_FALSE_RACE,   /* a race was reported that no execution with this outcome has */
    LITMUS_MISSED_RACE,  /* none was reported, and every execution with this outcome has one */
    LITMUS_ANY_RACE      /* one of both was never seen, although it occurs */
};
static const char *const litmus_wrongs[] = {"right",
                                            "forbidden",
                                            "out of order",
                                            "missing",
                                            "false race",
                                            "missed race",
                                            "not both with and without a race"};

struct litmus_complaint {
    enum litmus_wrong wrong;
    struct litmus_outcome outcome;
};

static inline struct litmus_complaint litmus_complain(enum litmus_wrong wrong,
                                                      const struct litmus_outcome *outcome) {
    return (struct litmus_complaint){wrong, *outcome};
}

/* The first observed outcome that must not be, or with which a race was reported that can't be, or
 * not reported although it must be.  What may be observed has one of the flags. */
static inline struct litmus_complaint litmus_unsound(const struct litmus_set *expected,
                                                     const struct litmus_set *observed,
                                                     unsigned flags) {
    for (size_t i = 0; i < observed->count; i++) {
        const struct litmus_outcome *o = &observed->outcome[i], *e;
        e = litmus_find(expected, &o->final);
        if (!e) return litmus_complain(LITMUS_FORBIDDEN, o);
        if (!(e->flags & flags)) return litmus_complain(LITMUS_OUT_OF_ORDER, e);
        char may = flags == LITMUS_FLAG_S && e->online ? e->online : e->race;
        if (may == '.' && o->race != '.') return litmus_complain(LITMUS_FALSE_RACE, e);
        if (may == 'R' && o->race != 'R') return litmus_complain(LITMUS_MISSED_RACE, e);
    }
    return (struct litmus_complaint){0};
}

/* The first outcome with the flag that was not observed. */
static inline struct litmus_complaint litmus_incomplete(const struct litmus_set *expected,
                                                        const struct litmus_set *observed,
                                                        unsigned flag) {
    for (size_t i = 0; i < expected->count; i++) {
        const struct litmus_outcome *e = &expected->outcome[i];
        if (e->flags & flag && !litmus_find(observed, &e->final))
            return litmus_complain(LITMUS_MISSING, e);
    }
    return (struct litmus_complaint){0};
}

/* ---- chance ---- */

/* Uniform in 0 .. n-1 (SplitMix64; n is small). */
static inline int litmus_below(uint64_t *state, int n) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (int)((z >> 33) % (uint64_t)n);
}

/* A thread that has not ended, each with the same probability; -1: there is none. */
static inline int machine_any(struct machine *m, uint64_t *chance) {
    int ready[LITMUS_THREADS], count = 0;
    for (int t = 0; t < m->program->threads; t++)
        if (machine_next(m, t)) ready[count++] = t;
    return count ? ready[litmus_below(chance, count)] : -1;
}

/* Makes an execution in which chance decides who is next, and adds its outcome. */
static inline void machine_run(struct machine *m, uint64_t seed, const rf_mem_options *options,
                               struct litmus_set *observed) {
    uint64_t chance = seed;
    machine_begin(m, seed, options);
    for (int t; (t = machine_any(m, &chance)) >= 0;) machine_step(m, t);
    struct litmus_final final = machine_end(m);
    machine_count(observed, &final, m->race);
}

#endif

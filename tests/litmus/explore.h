/* All executions of a litmus program that the memory model can make: every schedule, and every
 * value that it offers, depth first over the string of choices.
 *
 * Schedules that differ only in the order of neighbours that commute lead to the same outcomes, so
 * only the least of them is followed: no event may stand behind one of a higher thread if it
 * commutes with that and with all between (the lexicographic normal form of traces). */
#ifndef LITMUS_EXPLORE_H
#define LITMUS_EXPLORE_H

#include "machine.h"
#include "tests/choices.h"

enum { EXPLORE_EVENTS = LITMUS_THREADS * LITMUS_STATEMENTS };

/* Which events of different threads commute, unless both are seq_cst. */
enum explore_depth {
    EXPLORE_GRAPHS,  /* all but a write and a read of it: the model's answers should depend on sb,
                        rf and the order of seq_cst events only */
    EXPLORE_ACCESSES /* those that do not access one location, or only read it */
};

struct explore {
    struct machine *machine;
    rf_mem_options options;
    enum explore_depth depth;
    unsigned long budget, executions; /* most; made so far, those that were cut off too */
    choices choices;
    struct machine_event event[EXPLORE_EVENTS]; /* of the execution */
    int events;
};

static inline uint32_t explore_choose(void *arg, uint32_t ways) {
    return choices_make(&((struct explore *)arg)->choices, ways);
}

static inline bool explore_commute(const struct explore *e, const struct machine_event *a,
                                   const struct machine_event *b) {
    if (a->thread == b->thread || (a->seq_cst && b->seq_cst)) return false;
    if (a->statement->location != b->statement->location || a->statement->location < 0) return true;
    if (e->depth == EXPLORE_ACCESSES) return !a->writes && !b->writes;
    return !(a->reads && a->source == b->statement) && !(b->reads && b->source == a->statement);
}

/* The last event could have been made before one of a higher thread. */
static inline bool explore_redundant(const struct explore *e) {
    const struct machine_event *last = &e->event[e->events - 1];
    for (int i = e->events - 2; i >= 0 && explore_commute(e, &e->event[i], last); i--)
        if (e->event[i].thread > last->thread) return true;
    return false;
}

/* Makes one execution; false if it was cut off. */
static inline bool explore_once(struct explore *e, struct litmus_final *final) {
    struct machine *m = e->machine;
    e->events = 0;
    e->executions++;
    machine_begin(m, 0, &e->options);
    for (;;) {
        int ready[LITMUS_THREADS], count = 0;
        for (int t = 0; t < m->program->threads; t++)
            if (machine_next(m, t)) ready[count++] = t;
        if (!count) break;
        int which = count > 1 ? (int)explore_choose(e, (uint32_t)count) : 0;
        e->event[e->events++] = machine_step(m, ready[which]);
        if (explore_redundant(e)) return false;
    }
    *final = machine_end(m);
    return true;
}

/* Begins an exploration of m->program. */
static inline void explore_begin(struct explore *e, struct machine *m,
                                 const rf_mem_options *options, enum explore_depth depth,
                                 unsigned long budget) {
    *e = (struct explore){.machine = m, .options = *options, .depth = depth, .budget = budget};
    e->options.choose = explore_choose;
    e->options.arg = e;
}

/* Adds the outcomes to the set.  False if the budget was not enough. */
static inline bool explore_all(struct explore *e, struct litmus_set *observed) {
    struct litmus_final final;
    do {
        if (e->executions == e->budget) return false;
        if (explore_once(e, &final)) machine_count(observed, &final, e->machine->race);
    } while (choices_next(&e->choices));
    return true;
}

/* Makes executions until one ends in `final`, races or not if that is asked for (R, . or r), and
 * prints its events. */
static inline void explore_show(FILE *out, struct explore *e, const struct litmus_final *final,
                                char race) {
    struct litmus_final found;
    do {
        if (!explore_once(e, &found) || memcmp(&found, final, sizeof found)) continue;
        if ((race == 'R' && !e->machine->race) || (race == '.' && e->machine->race)) continue;
        for (int i = 0; i < e->events; i++) {
            fprintf(out, "# step %d, thread %d: ", i + 1, e->event[i].thread + 1);
            litmus_print_statement(out, e->machine->program, e->event[i].statement);
            if (e->event[i].source) {
                fprintf(out, "   from ");
                litmus_print_statement(out, e->machine->program, e->event[i].source);
            }
            fprintf(out, "\n");
        }
        return;
    } while (e->executions < e->budget && choices_next(&e->choices));
}

#endif

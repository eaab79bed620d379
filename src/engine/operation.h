/* engine/operation.h: objects and their operations, as RF_OBJECT and RF_OPERATION register them.
 * Optimised: not, it runs at the start.
 */
#ifndef RFI_ENGINE_OPERATION_H
#define RFI_ENGINE_OPERATION_H
#include "engine/test.h"
#include "engine/types.h"

#define RFI_ARGUMENTS 4 /* most of an operation */

/* Of a declared argument: its least and its greatest value. */
typedef struct rfi_bounds {
    long long from, to;
    bool given; /* false: each call has a value of its own */
} rfi_bounds;

/* Options of an operation: RF_OPERATION(object, name, (int key), bool, .args = {RF_ARG(0, 3)}). */
typedef struct rf_operation {
    const char *rfi_name; /* set by RF_OPERATION */
    rfi_bounds args[RFI_ARGUMENTS];
    const char *one_thread; /* operations of the same word here are one thread's: "producer" */
    uint32_t most;          /* calls of it in one execution; 0: any number */
    uint32_t key;           /* which argument, from 1, says what it is done to; 0: all there is */
    bool blocks;            /* it may wait for another operation */
    bool may_fail;          /* it may return false, or 0, for nothing, and do nothing then */
} rf_operation;

typedef struct rfi_operation {
    const char *object, *file;
    uint32_t line;
    const rf_site *site;
    unsigned arguments;
    char result; /* b bool, c char, i signed, u unsigned, d double, v void */
    uint64_t (*call)(const long long *argument);
    uint64_t (*model)(void *state, const long long *argument); /* NULL: the object is its own */
    rf_operation options;
    struct rfi_operation *next;
} rfi_operation;

/* A part of an object that has a body: what sets it up, or what takes it down. */
typedef struct rfi_object_part {
    const char *object, *file;
    uint32_t line;
    bool end;
    void (*body)(void);
    struct rfi_object_part *next;
} rfi_object_part;

/* A model: how its state begins; or, if it has a name, what an operation does to that. */
typedef struct rfi_spec_model {
    const char *object, *file, *name;
    uint32_t line;
    unsigned arguments;
    size_t size;
    void (*begin)(void *state);
    uint64_t (*call)(void *state, const long long *argument);
    struct rfi_spec_model *next;
} rfi_spec_model;

RFI_EXTERN_C_BEGIN
void rfi_register_model(rfi_spec_model *m);
void rfi_model_waits(void);
long long rfi_model_returned(void);
void rfi_register_operation(rfi_operation *o);
void rfi_register_object_part(rfi_object_part *p);
void rfi_scenario_test(const rf_site *s);
void rfi_scenarios_count(const rfi_test *t, struct rfi_scenarios *s);
void rfi_call_made(const rf_site *s, const char *name, const long long *argument, size_t n);
void rfi_call_returned(const rf_site *s, uint64_t result);
RFI_EXTERN_C_END

#ifdef RFI_IMPL
RFI_VAR rfi_operation *rfi_operations, **rfi_operations_end = &rfi_operations;
RFI_VAR rfi_object_part *rfi_object_parts;
RFI_VAR rfi_spec_model *rfi_models;

void rfi_register_model(rfi_spec_model *m) {
    m->next = rfi_models;
    rfi_models = m;
}

void rfi_register_operation(rfi_operation *o) {
    *rfi_operations_end = o;
    rfi_operations_end = &o->next;
}

void rfi_register_object_part(rfi_object_part *p) {
    p->next = rfi_object_parts;
    rfi_object_parts = p;
}

/* What sets up, or takes down, this object; NULL: nothing does. */
RFI_FN const rfi_object_part *rfi_object_part_of(const char *object, bool end) {
    const rfi_object_part *p = rfi_object_parts;
    while (p && (p->end != end || strcmp(p->object, object) != 0)) p = p->next;
    return p;
}

/* The next operation of an object behind `o`, or its first (NULL). */
RFI_FN const rfi_operation *rfi_operation_next(const char *object, const rfi_operation *o) {
    o = o ? o->next : rfi_operations;
    while (o && strcmp(o->object, object) != 0) o = o->next;
    return o;
}

/* The model of an object (NULL), or of its operation; NULL: there is none. */
RFI_FN const rfi_spec_model *rfi_spec_model_of(const char *object, const char *name) {
    const rfi_spec_model *m = rfi_models;
    while (m && (strcmp(m->object, object) != 0 || !m->name != !name ||
                 (name && strcmp(m->name, name) != 0)))
        m = m->next;
    return m;
}

RFI_FN bool rfi_object_refuse(const char *file, uint32_t line, const char *fmt, const char *a,
                              const char *b) {
    fprintf(stderr, "racefuzz: %s:%u: ", file, line);
    fprintf(stderr, fmt, a, b);
    fputc('\n', stderr);
    return false;
}

RFI_FN bool rfi_operation_valid(const rfi_operation *o) {
    const rf_operation *x = &o->options;
    for (const rfi_operation *p = rfi_operation_next(o->object, o); p;
         p = rfi_operation_next(o->object, p))
        if (!strcmp(p->options.rfi_name, x->rfi_name))
            return rfi_object_refuse(p->file, p->line, "%s has two operations %s: rename one",
                                     o->object, x->rfi_name);
    if (!rfi_object_part_of(o->object, false))
        return rfi_object_refuse(o->file, o->line,
                                 "RF_OPERATION(%s, %s): there is no such RF_OBJECT", o->object,
                                 x->rfi_name);
    if (x->key > o->arguments)
        return rfi_object_refuse(o->file, o->line,
                                 "RF_OPERATION(%s, %s): .key is the number of an "
                                 "argument, from 1",
                                 o->object, x->rfi_name);
    for (unsigned i = 0; i < RFI_ARGUMENTS; i++) {
        const rfi_bounds *r = &x->args[i];
        if (r->given && (i >= o->arguments || r->to < r->from || r->to - r->from > INT32_MAX))
            return rfi_object_refuse(o->file, o->line,
                                     "RF_OPERATION(%s, %s): RF_ARG is of an argument that it does "
                                     "not have, or an empty or too large range",
                                     o->object, x->rfi_name);
    }
    return true;
}

/* Every operation of an object that has a model has one; takes them. */
RFI_FN bool rfi_models_valid(void) {
    for (const rfi_spec_model *m = rfi_models; m; m = m->next)
        if (rfi_spec_model_of(m->object, m->name) != m || !rfi_spec_model_of(m->object, NULL))
            return rfi_object_refuse(m->file, m->line, "%s: a model%s", m->object,
                                     rfi_spec_model_of(m->object, NULL)
                                         ? ", or one of its operations, is there twice"
                                         : "'s operation, and no RF_MODEL");
    for (rfi_operation *o = rfi_operations; o; o = o->next) {
        const rfi_spec_model *m = rfi_spec_model_of(o->object, o->options.rfi_name);
        if (m ? m->arguments != o->arguments : rfi_spec_model_of(o->object, NULL) != NULL)
            return rfi_object_refuse(o->file, o->line,
                                     "RF_OPERATION(%s, %s): there is no RF_MODEL_OPERATION with "
                                     "its name and parameters",
                                     o->object, o->options.rfi_name);
        o->model = m ? m->call : NULL;
    }
    return true;
}

/* Options of RF_LINEARIZABLE are its own, and within bounds. */
RFI_FN bool rfi_object_options_valid(const rfi_test *t) {
    const rf_options *o = &t->options;
    bool own = o->threads || o->operations || o->before || o->after || o->progress || o->own_steps;
    const char *why = NULL;
    if (!t->object && own)
        why = ".threads, .operations, .before, .after, .progress and .own_steps are options of "
              "RF_LINEARIZABLE";
    else if (!t->object && o->criterion && !o->calls)
        why = ".criterion is an option of RF_LINEARIZABLE, and of tests with .calls";
    else if (t->object && o->calls)
        why = ".calls is an option of RF_TEST";
    else if (o->threads > 15 || o->operations > 8 || o->before > 8 || o->after > 8)
        why = "a scenario has at most 15 threads, 8 calls of each, and 8 before and after";
    else if (o->own_steps && o->progress != RF_WAIT_FREE)
        why = ".own_steps needs .progress = RF_WAIT_FREE";
    return !why || rfi_object_refuse(t->file, t->line, "%s: %s", o->rfi_name, why);
}

/* Do the names meet, in whatever units they are? */
RFI_FN bool rfi_objects_valid(const rfi_test *t) {
    if (!rfi_models_valid()) return false;
    for (const rfi_operation *o = rfi_operations; o; o = o->next)
        if (!rfi_operation_valid(o)) return false;
    for (const rfi_object_part *p = rfi_object_parts; p; p = p->next) {
        const rfi_object_part *q = rfi_object_part_of(p->object, p->end);
        const char *what = p->end ? "RF_OBJECT_END" : "RF_OBJECT";
        if (q != p)
            return rfi_object_refuse(q->file, q->line, "there are two %s(%s)", what, p->object);
        if (p->end && !rfi_object_part_of(p->object, false))
            return rfi_object_refuse(p->file, p->line, "%s(%s): there is no such RF_OBJECT", what,
                                     p->object);
    }
    for (; t; t = t->next) {
        if (!rfi_object_options_valid(t)) return false;
        const char *object = t->object ? t->object : t->options.calls;
        if (!object) continue;
        if (!rfi_object_part_of(object, false))
            return rfi_object_refuse(t->file, t->line, "%s: there is no such RF_OBJECT%s", object,
                                     "");
        if (!rfi_operation_next(object, NULL))
            return rfi_object_refuse(t->file, t->line, "%s has no RF_OPERATION%s", object, "");
    }
    return true;
}
#endif
#endif

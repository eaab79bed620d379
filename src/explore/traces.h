/* explore/traces.h: the tree that dpor.h goes through, and what is said of it in lessons.
 *
 * A node is a state of the test: its candidates, what became of each of them (to be tried, tried,
 * asleep), and which one the path takes.  Between them stand nodes for choices of values.  There
 * are two such paths: the one that has been learned, and the one of the running execution, which
 * begins as a copy of it and grows; what it grows by is the lesson.
 */
#ifndef RFI_EXPLORE_TRACES_H
#define RFI_EXPLORE_TRACES_H
#include "explore/choices.h"

#ifdef RFI_IMPL
/* WANTED: in the source set.  ONLY_READ: its step was announced as an update and was a load, a
 * failed compare-exchange.  ALONE: its step commutes with nothing. */
enum { RFI_WANTED = 1, RFI_TRIED = 2, RFI_SLEEPS = 4, RFI_ONLY_READ = 8, RFI_ALONE = 16 };

/* A candidate.  Of those tried or asleep it is known which objects their step has made or ended
 * (rf_..._init, _destroy, the function of a once), beside the operation that they have announced.
 */
typedef struct rfi_dpor_option {
    uint32_t thread;
    uint8_t state;
    uint32_t object, objects; /* in the path's list of objects */
} rfi_dpor_option;

typedef struct rfi_node {
    uint32_t option, options; /* in the path's list; of values: their number, and no list */
    uint32_t taken;           /* the option that the path takes */
    uint32_t object;          /* from here on, the objects of its step */
    uint32_t step;            /* of the execution: number of the step that is taken here */
    uint32_t objects_before;  /* in the list when the node was made */
    bool value, blocks;       /* blocks: some thread waits here, not for the end of another */
    uint8_t print;
} rfi_node;

typedef struct rfi_path {
    rfi_node *node;
    uint32_t nodes, node_capacity;
    rfi_dpor_option *option;
    uint32_t options, option_capacity;
    uint32_t *object;
    uint32_t objects, object_capacity;
} rfi_path;

# define RFI_NO_NODE UINT32_MAX

/* Records of a lesson. */
enum {
    RFI_SAY_FOLLOWED, /* the learned path was followed to its end */
    RFI_SAY_LEFT,     /* node: something else was met there */
    RFI_SAY_NODE,     /* taken, blocks, print, options, then of each thread and state */
    RFI_SAY_VALUE,    /* options */
    RFI_SAY_WANTED,   /* node, option: a race is to be reversed there */
    RFI_SAY_READ,     /* the last step only read */
    RFI_SAY_ALONE,    /* it commutes with nothing */
    RFI_SAY_OBJECT,   /* object: made or ended by the last step */
    RFI_SAY_CLOCK,    /* somebody looks at the clock */
    RFI_SAY_LIMITED,  /* a limit of racefuzz ended the execution */
    RFI_SAY_CUT,      /* it was at the limit of steps */
    RFI_SAY_STATE,    /* it began with other values than others */
    RFI_SAY_BLOCKED,  /* all candidates are asleep: what follows is known */
    RFI_SAY_DRAWN,    /* chance had a part */
    RFI_SAY_FULL,     /* there is no room for the rest */
    RFI_SAY_END       /* the execution has ended */
};

RFI_FN rfi_node *rfi_path_top(const rfi_path *p) {
    return p->nodes ? &p->node[p->nodes - 1] : NULL;
}

RFI_FN rfi_dpor_option *rfi_node_option(const rfi_path *p, const rfi_node *n, uint32_t i) {
    return &p->option[n->option + i];
}

RFI_FN rfi_dpor_option *rfi_node_taken(const rfi_path *p, const rfi_node *n) {
    return rfi_node_option(p, n, n->taken);
}

/* The option of a thread; NULL: it is no candidate. */
RFI_FN rfi_dpor_option *rfi_node_thread(const rfi_path *p, const rfi_node *n, uint32_t thread) {
    for (uint32_t i = 0; i < n->options; i++)
        if (rfi_node_option(p, n, i)->thread == thread) return rfi_node_option(p, n, i);
    return NULL;
}

/* The last state on the path; NULL: there is none. */
RFI_FN rfi_node *rfi_path_state(const rfi_path *p) {
    for (uint32_t i = p->nodes; i--;)
        if (!p->node[i].value) return &p->node[i];
    return NULL;
}

RFI_FN rfi_node *rfi_path_add(rfi_path *p, bool value, uint32_t options) {
    p->node = rfi_grow(p->node, &p->node_capacity, p->nodes + 1, sizeof *p->node);
    rfi_node *n = &p->node[p->nodes++];
    *n = (rfi_node){.option = p->options,
                    .options = options,
                    .object = p->objects,
                    .objects_before = p->objects,
                    .value = value};
    if (value) return n;
    p->option = rfi_grow(p->option, &p->option_capacity, p->options + options, sizeof *p->option);
    memset(&p->option[p->options], 0, options * sizeof *p->option);
    p->options += options;
    return n;
}

/* The last step is known now: its objects belong to the option that was taken. */
RFI_FN void rfi_path_settle(rfi_path *p) {
    const rfi_node *n = rfi_path_state(p);
    if (!n) return;
    rfi_dpor_option *o = rfi_node_taken(p, n);
    o->object = n->object;
    o->objects = p->objects - n->object;
}

RFI_FN void rfi_path_object(rfi_path *p, uint32_t object) {
    p->object = rfi_grow(p->object, &p->object_capacity, p->objects + 1, sizeof *p->object);
    p->object[p->objects++] = object;
}

RFI_FN void rfi_path_pop(rfi_path *p) {
    const rfi_node *n = &p->node[--p->nodes];
    if (!n->value) p->options = n->option;
    p->objects = n->objects_before;
}

/* What is known of the step of a thread that sleeps comes from the state before. */
RFI_FN void rfi_path_inherit(const rfi_path *p, const rfi_node *from, rfi_dpor_option *o) {
    const rfi_dpor_option *old = from ? rfi_node_thread(p, from, o->thread) : NULL;
    if (!old || !(o->state & RFI_SLEEPS)) return;
    o->state |= old->state & RFI_ONLY_READ;
    o->object = old->object;
    o->objects = old->objects;
}

RFI_FN void rfi_path_copy(rfi_path *to, const rfi_path *from) {
    to->node = rfi_grow(to->node, &to->node_capacity, from->nodes, sizeof *to->node);
    to->option = rfi_grow(to->option, &to->option_capacity, from->options, sizeof *to->option);
    to->object = rfi_grow(to->object, &to->object_capacity, from->objects, sizeof *to->object);
    to->nodes = from->nodes;
    to->options = from->options;
    to->objects = from->objects;
    if (from->nodes) memcpy(to->node, from->node, from->nodes * sizeof *to->node);
    if (from->options) memcpy(to->option, from->option, from->options * sizeof *to->option);
    if (from->objects) memcpy(to->object, from->object, from->objects * sizeof *to->object);
}

/* ---- teaching ---- */

typedef struct rfi_talk {
    rfi_bytes record;
    size_t taught;
    bool over; /* nothing more is taught */
} rfi_talk;

RFI_FN void rfi_talk_begin(rfi_talk *t, uint32_t record) {
    t->record.at = 0;
    rfi_write_number(&t->record, record);
}

/* A record counts as a whole or not at all, wherever the process dies. */
RFI_FN void rfi_talk_end(rfi_talk *t) {
    if (t->over) return;
    t->taught += t->record.at;
    if (t->taught <= RF_LESSON_BYTES - 8 && rf_teach(t->record.byte, t->record.at)) return;
    rfi_talk_begin(t, RFI_SAY_FULL);
    (void)rf_teach(t->record.byte, t->record.at);
    t->over = true;
}

RFI_FN void rfi_talk_say(rfi_talk *t, uint32_t record) {
    rfi_talk_begin(t, record);
    rfi_talk_end(t);
}

RFI_FN void rfi_talk_number(rfi_talk *t, uint32_t record, uint32_t number) {
    rfi_talk_begin(t, record);
    rfi_write_number(&t->record, number);
    rfi_talk_end(t);
}

RFI_FN void rfi_talk_node(rfi_talk *t, const rfi_path *p, const rfi_node *n) {
    rfi_talk_begin(t, RFI_SAY_NODE);
    rfi_write_number(&t->record, n->taken);
    rfi_write_number(&t->record, n->blocks);
    rfi_write_number(&t->record, n->print);
    rfi_write_number(&t->record, n->options);
    for (uint32_t i = 0, thread = 0; i < n->options; i++) {
        const rfi_dpor_option *o = rfi_node_option(p, n, i);
        rfi_write_number(&t->record, (o->thread - thread) << 1 | (o->state & RFI_SLEEPS ? 1 : 0));
        thread = o->thread;
    }
    rfi_talk_end(t);
}

/* ---- learning ---- */

typedef struct rfi_traces {
    rfi_path path;
    uint64_t explored, blocked;
    bool exhausted;
    bool clock; /* the test looks at the clock: how time goes by makes a difference */
    rfi_flaw flaw;
} rfi_traces;

RFI_FN void rfi_traces_forget(rfi_traces *t) {
    t->path.nodes = t->path.options = t->path.objects = 0;
    t->explored = t->blocked = 0;
    t->exhausted = t->clock = false;
    t->flaw = RFI_SOUND;
}

RFI_FN void rfi_traces_flaw(rfi_traces *t, rfi_flaw f) {
    if (!t->flaw) t->flaw = f;
}

/* How far it is. */
RFI_FN void rfi_traces_save(rfi_saver *k, rfi_traces *t) {
    rfi_path *p = &t->path;
    RFI_SAVE_ARRAY(k, p->node, p->nodes, p->node_capacity);
    for (uint32_t i = 0; i < p->nodes; i++) {
        rfi_node *n = &p->node[i];
        RFI_SAVE(k, n->option), RFI_SAVE(k, n->options), RFI_SAVE(k, n->taken);
        RFI_SAVE(k, n->object), RFI_SAVE(k, n->objects_before);
        RFI_SAVE(k, n->value), RFI_SAVE(k, n->blocks), RFI_SAVE(k, n->print);
    }
    RFI_SAVE_ARRAY(k, p->option, p->options, p->option_capacity);
    for (uint32_t i = 0; i < p->options; i++) {
        rfi_dpor_option *o = &p->option[i];
        RFI_SAVE(k, o->thread), RFI_SAVE(k, o->state);
        RFI_SAVE(k, o->object), RFI_SAVE(k, o->objects);
    }
    RFI_SAVE_ARRAY(k, p->object, p->objects, p->object_capacity);
    for (uint32_t i = 0; i < p->objects; i++) RFI_SAVE(k, p->object[i]);
    RFI_SAVE(k, t->explored), RFI_SAVE(k, t->blocked);
    RFI_SAVE(k, t->exhausted), RFI_SAVE(k, t->clock), RFI_SAVE(k, t->flaw);
}

/* Goes on with the last state in which something is left to be tried. */
RFI_FN void rfi_traces_advance(rfi_traces *t) {
    rfi_path *p = &t->path;
    for (; p->nodes; rfi_path_pop(p)) {
        rfi_node *n = rfi_path_top(p);
        if (n->value) {
            if (++n->taken < n->options) return;
            continue;
        }
        rfi_path_settle(p);
        rfi_node_taken(p, n)->state |= RFI_TRIED;
        for (n->taken = 0; n->taken < n->options; n->taken++)
            if ((rfi_node_taken(p, n)->state & (RFI_WANTED | RFI_TRIED | RFI_SLEEPS)) ==
                RFI_WANTED) {
                n->object = p->objects;
                return;
            }
        n->taken = 0;
    }
    t->exhausted = true;
}

RFI_FN void rfi_traces_learn_node(rfi_path *p, rfi_bytes *r) {
    rfi_path_settle(p);
    rfi_node *from = rfi_path_state(p);
    uint32_t before = from ? (uint32_t)(from - p->node) : RFI_NO_NODE;
    uint32_t taken = rfi_bytes_number(r), blocks = rfi_bytes_number(r), print = rfi_bytes_number(r);
    rfi_node *n = rfi_path_add(p, false, rfi_bytes_number(r));
    n->taken = taken;
    n->blocks = blocks != 0;
    n->print = (uint8_t)print;
    for (uint32_t i = 0, thread = 0; i < n->options; i++) {
        rfi_dpor_option *o = rfi_node_option(p, n, i);
        uint32_t number = rfi_bytes_number(r);
        o->thread = thread += number >> 1;
        o->state = number & 1 ? RFI_SLEEPS : i == taken ? RFI_WANTED : 0;
        rfi_path_inherit(p, before == RFI_NO_NODE ? NULL : &p->node[before], o);
    }
}

/* The execution has killed its process: whoever could have gone on instead is to be tried.  What a
 * thread that had to wait would have raced with is not known. */
RFI_FN void rfi_traces_died(rfi_traces *t) {
    const rfi_node *n = rfi_path_state(&t->path);
    for (uint32_t i = 0; n && i < n->options; i++)
        rfi_node_option(&t->path, n, i)->state |= RFI_WANTED;
    if (n && n->blocks) rfi_traces_flaw(t, RFI_DIED);
}

/* One record; false: it says that the path was left. */
RFI_FN bool rfi_traces_record(rfi_traces *t, uint32_t record, rfi_bytes *r, uint32_t *left) {
    rfi_path *p = &t->path;
    switch (record) {
    case RFI_SAY_LEFT: *left = rfi_bytes_number(r); return false;
    case RFI_SAY_NODE: rfi_traces_learn_node(p, r); break;
    case RFI_SAY_VALUE: (void)rfi_path_add(p, true, rfi_bytes_number(r)); break;
    case RFI_SAY_WANTED: {
        const rfi_node *n = &p->node[rfi_bytes_number(r)];
        rfi_node_option(p, n, rfi_bytes_number(r))->state |= RFI_WANTED;
        break;
    }
    case RFI_SAY_READ: rfi_node_taken(p, rfi_path_state(p))->state |= RFI_ONLY_READ; break;
    case RFI_SAY_ALONE: rfi_node_taken(p, rfi_path_state(p))->state |= RFI_ALONE; break;
    case RFI_SAY_OBJECT: rfi_path_object(p, rfi_bytes_number(r)); break;
    case RFI_SAY_DRAWN: rfi_traces_flaw(t, RFI_BY_CHANCE); break;
    case RFI_SAY_FULL: rfi_traces_flaw(t, RFI_TOO_LONG); break;
    case RFI_SAY_LIMITED: rfi_traces_flaw(t, RFI_LIMITED); break;
    case RFI_SAY_CUT: rfi_traces_flaw(t, RFI_UNFINISHED); break;
    case RFI_SAY_STATE: rfi_traces_flaw(t, RFI_STATEFUL); break;
    default: break;
    }
    return true;
}

/* What has been explored without regard to the clock counts for nothing. */
RFI_FN void rfi_traces_restart(rfi_traces *t) {
    uint64_t blocked = t->explored + t->blocked;
    rfi_traces_forget(t);
    t->clock = true;
    t->blocked = blocked;
}

/* Returns how many choices the execution has met. */
RFI_FN uint32_t rfi_traces_learn(rfi_traces *t, const void *lesson, size_t bytes) {
    rfi_bytes r = rfi_bytes_of(lesson, bytes);
    uint32_t left = t->path.nodes ? t->path.nodes - 1 : 0;
    bool followed = false, ended = false, blocked = false, clock = false;
    if (!bytes || t->exhausted) return 0; /* it was drawn */
    while (r.at < r.room) {
        uint32_t record = rfi_bytes_number(&r);
        followed |= record == RFI_SAY_FOLLOWED;
        blocked |= record == RFI_SAY_BLOCKED;
        clock |= record == RFI_SAY_CLOCK;
        ended |= record >= RFI_SAY_BLOCKED && record != RFI_SAY_DRAWN;
        if (!rfi_traces_record(t, record, &r, &left)) followed = false;
    }
    t->blocked += blocked;
    t->explored += !blocked;
    uint32_t met = t->path.nodes;
    if (!followed) {
        rfi_traces_flaw(t, RFI_UNREPEATED);
        while (t->path.nodes > left) rfi_path_pop(&t->path);
    } else if (!ended) {
        rfi_traces_died(t);
    }
    if (clock && !t->clock)
        rfi_traces_restart(t);
    else
        rfi_traces_advance(t);
    return met;
}
#endif
#endif

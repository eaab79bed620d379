/* explore/counts.h: how many operations each thread makes at which statement, and what they share.
 *
 * The profile that weighted random walks need (explore/surw.h), from complete executions.
 * Addresses differ between processes, so a shared place (memory, or a synchronisation object) is
 * identified by the statements that have accessed it: elements of an array count as one place, and
 * so do objects used by the same statements.  Places that only one thread accesses, or that are
 * not written once there are two threads, are not interesting.  Tables are bounded and drop what
 * exceeds them.
 */
#ifndef RFI_EXPLORE_COUNTS_H
#define RFI_EXPLORE_COUNTS_H
#include "explore/bytes.h"

#ifdef RFI_IMPL
enum {
    RFI_COUNT_THREADS = 256,  /* that are told apart; those that come later are not counted */
    RFI_COUNT_SITES = 32,     /* statements of a place */
    RFI_COUNT_PLACES = 64,    /* learned */
    RFI_COUNT_TOUCHED = 4096, /* places that are looked at in one execution */
    RFI_COUNT_TAUGHT = 8000,  /* threads times statements in one lesson, */
    RFI_COUNT_SUMS = 32768,   /* and in all */
    RFI_COUNT_MOST = 1 << 20, /* operations of a thread at a statement */
    RFI_COUNT_AGE = 32,       /* executions after which those before count half */
    RFI_COUNT_FIRST = 64      /* so many executions teach; later one of eight does */
};

/* ---- learned ---- */

/* A thread, known by its place in the tree of creations; parents stand before their children. */
typedef struct rfi_count_node {
    uint64_t key;
    uint32_t parent, first_child, last_child, sibling, children; /* numbers + 1; 0: none */
    uint32_t first_sum;                                          /* number + 1 */
    uint32_t executions;
} rfi_count_node;

/* Its operations at a statement, over all its executions. */
typedef struct rfi_count_sum {
    uint32_t id, sum, next;
} rfi_count_sum;

typedef struct rfi_count_place {
    uint32_t sites, id[RFI_COUNT_SITES];
    uint64_t weight; /* accesses */
} rfi_count_place;

typedef struct rfi_counts {
    uint32_t lessons, nodes, sums, places, sum_capacity;
    rfi_count_node node[RFI_COUNT_THREADS];
    rfi_count_sum *sum;
    rfi_count_place place[RFI_COUNT_PLACES];
    rfi_map node_of, sum_of; /* by key; by node and statement -> number + 1 */
} rfi_counts;

RFI_VAR rfi_counts rfi_counted;

RFI_FN void rfi_counts_forget(void) {
    rfi_counts *k = &rfi_counted;
    k->lessons = k->nodes = k->sums = k->places = 0;
    rfi_map_reset(&k->node_of);
    rfi_map_reset(&k->sum_of);
}

/* The next child of a node, or the root; made if there is room.  Number + 1, or 0. */
RFI_FN uint32_t rfi_counts_node(uint32_t parent, uint32_t ordinal) {
    rfi_counts *k = &rfi_counted;
    uint64_t key = parent ? rfi_key_of_child(k->node[parent - 1].key, ordinal) : RFI_FIRST_KEY;
    uint64_t *known = rfi_map_find(&k->node_of, key);
    if (known) return (uint32_t)*known;
    if (k->nodes == RFI_COUNT_THREADS) return 0;
    k->node[k->nodes++] = (rfi_count_node){.key = key, .parent = parent};
    *rfi_map_at(&k->node_of, key) = k->nodes;
    if (!parent) return k->nodes;
    rfi_count_node *p = &k->node[parent - 1];
    *(p->last_child ? &k->node[p->last_child - 1].sibling : &p->first_child) = k->nodes;
    p->last_child = k->nodes;
    p->children++;
    return k->nodes;
}

RFI_FN void rfi_counts_add(uint32_t node, uint32_t id, uint32_t count) {
    rfi_counts *k = &rfi_counted;
    uint64_t key = (uint64_t)node << 32 | id;
    uint64_t *known = rfi_map_find(&k->sum_of, key);
    if (!known) {
        if (k->sums == RFI_COUNT_SUMS) return;
        k->sum = rfi_grow(k->sum, &k->sum_capacity, k->sums + 1, sizeof *k->sum);
        k->sum[k->sums++] = (rfi_count_sum){id, 0, k->node[node - 1].first_sum};
        k->node[node - 1].first_sum = k->sums;
        known = rfi_map_at(&k->sum_of, key);
        *known = k->sums;
    }
    k->sum[*known - 1].sum += count < RFI_COUNT_MOST ? count : RFI_COUNT_MOST;
}

/* One more execution of a thread; what is long ago counts less. */
RFI_FN void rfi_counts_again(rfi_count_node *n) {
    if (n->executions++ < RFI_COUNT_AGE) return;
    n->executions = RFI_COUNT_AGE / 2 + 1;
    for (uint32_t s = n->first_sum; s; s = rfi_counted.sum[s - 1].next)
        rfi_counted.sum[s - 1].sum = (rfi_counted.sum[s - 1].sum + 1) / 2;
}

/* Are all statements of `a` among those of `b`? */
RFI_FN bool rfi_counts_within(const rfi_count_place *a, const rfi_count_place *b) {
    for (uint32_t i = 0, j; i < a->sites; i++) {
        for (j = 0; j < b->sites && b->id[j] != a->id[i]; j++) continue;
        if (j == b->sites) return false;
    }
    return true;
}

/* A place that shows more statements than before is the same; the one with least weight makes room.
 */
RFI_FN void rfi_counts_place_add(const rfi_count_place *new) {
    rfi_counts *k = &rfi_counted;
    uint32_t least = 0;
    for (uint32_t i = 0; i < k->places; i++) {
        rfi_count_place *p = &k->place[i];
        if (rfi_counts_within(new, p)) {
            p->weight += new->weight;
            return;
        }
        if (rfi_counts_within(p, new)) {
            uint64_t weight = p->weight;
            *p = *new;
            p->weight += weight;
            return;
        }
        if (p->weight < k->place[least].weight) least = i;
    }
    if (k->places < RFI_COUNT_PLACES)
        k->place[k->places++] = *new;
    else if (k->place[least].weight < new->weight)
        k->place[least] = *new;
}

RFI_FN void rfi_counts_learn_threads(rfi_bytes *b) {
    uint32_t threads = rfi_bytes_number(b), node[RFI_COUNT_THREADS] = {0};
    uint32_t children[RFI_COUNT_THREADS] = {0};
    for (uint32_t t = 0; t < threads && t < RFI_COUNT_THREADS; t++) {
        uint32_t parent = rfi_bytes_number(b) % RFI_COUNT_THREADS, ops = rfi_bytes_number(b);
        if (!t)
            node[t] = rfi_counts_node(0, 0);
        else if (node[parent])
            node[t] = rfi_counts_node(node[parent], ++children[parent]);
        if (node[t]) rfi_counts_again(&rfi_counted.node[node[t] - 1]);
        for (; ops && b->at < b->room; ops--) {
            uint32_t id = rfi_bytes_id(b), count = rfi_bytes_number(b);
            if (node[t]) rfi_counts_add(node[t], id, count);
        }
    }
}

RFI_FN void rfi_counts_learn(const void *lesson, size_t bytes) {
    rfi_bytes b = rfi_bytes_of(lesson, bytes);
    if (!bytes) return;
    rfi_counted.lessons++;
    rfi_counts_learn_threads(&b);
    while (b.at < b.room) {
        rfi_count_place p = {.weight = rfi_bytes_number(&b)};
        p.sites = rfi_bytes_number(&b) % (RFI_COUNT_SITES + 1);
        for (uint32_t i = 0; i < p.sites; i++) p.id[i] = rfi_bytes_id(&b);
        rfi_counts_place_add(&p);
    }
}

/* ---- noted in an execution ---- */

typedef struct rfi_count_op {
    uint32_t id, count, next; /* next of its thread: number + 1 */
} rfi_count_op;

typedef struct rfi_count_touched {
    rfi_count_place place;
    uint32_t thread;
    bool shared, written;
} rfi_count_touched;

typedef struct rfi_count_notes {
    bool on;
    uint32_t ops, op_capacity, places, place_capacity;
    rfi_count_op *op;
    uint32_t first[RFI_COUNT_THREADS], last[RFI_COUNT_THREADS]; /* operations of a thread */
    uint32_t kinds[RFI_COUNT_THREADS];
    rfi_count_touched *place;
    rfi_map op_of, place_of;
} rfi_count_notes;

RFI_VAR rfi_count_notes rfi_noted;

RFI_FN void rfi_counts_begin(bool on) {
    rfi_noted.on = on;
    if (!on) return;
    rfi_noted.ops = rfi_noted.places = 0;
    rfi_map_reset(&rfi_noted.op_of);
    rfi_map_reset(&rfi_noted.place_of);
    memset(rfi_noted.first, 0, sizeof rfi_noted.first);
    memset(rfi_noted.kinds, 0, sizeof rfi_noted.kinds);
}

RFI_FN void rfi_counts_note_op(uint32_t thread, uint32_t id) {
    rfi_count_notes *k = &rfi_noted;
    if (thread >= RFI_COUNT_THREADS) return;
    uint64_t *n = rfi_map_at(&k->op_of, (uint64_t)thread << 32 | id);
    if (!*n) {
        k->op = rfi_grow(k->op, &k->op_capacity, k->ops + 1, sizeof *k->op);
        k->op[k->ops] = (rfi_count_op){id, 0, 0};
        *n = ++k->ops;
        *(k->first[thread] ? &k->op[k->last[thread] - 1].next : &k->first[thread]) = k->ops;
        k->last[thread] = k->ops;
        k->kinds[thread]++;
    }
    k->op[*n - 1].count++;
}

/* `key`: an address, or the number of an object. */
RFI_FN void rfi_counts_note_place(uint64_t key, uint32_t thread, uint32_t id, bool writes) {
    rfi_count_notes *k = &rfi_noted;
    uint64_t *n = rfi_map_find(&k->place_of, key);
    if (!n) {
        if (k->places == RFI_COUNT_TOUCHED) return;
        k->place = rfi_grow(k->place, &k->place_capacity, k->places + 1, sizeof *k->place);
        k->place[k->places] = (rfi_count_touched){.thread = thread};
        n = rfi_map_at(&k->place_of, key);
        *n = ++k->places;
    }
    rfi_count_touched *t = &k->place[*n - 1];
    rfi_count_place *p = &t->place;
    t->shared |= t->thread != thread;
    t->written |= writes && rf_threads() > 1;
    p->weight++;
    for (uint32_t i = 0; i < p->sites; i++)
        if (p->id[i] == id) return;
    if (p->sites < RFI_COUNT_SITES) p->id[p->sites++] = id;
}

/* An operation was announced. */
RFI_FN void rfi_counts_note(const rf_event *e) {
    uint32_t id = rfi_site_id(e->site);
    rfi_counts_note_op(e->thread, id);
    if (e->flags & (RF_EV_READS | RF_EV_WRITES)) {
        rfi_counts_note_place((uint64_t)(uintptr_t)e->addr, e->thread, id, e->flags & RF_EV_WRITES);
        return;
    }
    if (e->object) rfi_counts_note_place(e->object, e->thread, id, true);
    uint32_t other = rfi_event_other(e);
    if (other) rfi_counts_note_place(other, e->thread, id, true);
}

/* Places with the same statements are taught as one. */
RFI_FN uint32_t rfi_counts_gather(void) {
    rfi_count_notes *k = &rfi_noted;
    uint32_t different = 0;
    rfi_map_reset(&k->op_of);
    for (uint32_t i = 0; i < k->places; i++) {
        const rfi_count_touched *t = &k->place[i];
        uint64_t hash = 0;
        if (!t->shared || !t->written) continue;
        for (uint32_t j = 0; j < t->place.sites; j++) hash += rfi_mix(t->place.id[j]);
        uint64_t *n = rfi_map_at(&k->op_of, hash);
        if (*n) {
            k->place[*n - 1].place.weight += t->place.weight;
        } else {
            k->place[different] = *t;
            *n = ++different;
        }
    }
    return different;
}

RFI_FN void rfi_counts_put_threads(rfi_bytes *b) {
    rfi_count_notes *k = &rfi_noted;
    uint32_t threads = rf_threads();
    if (threads > RFI_COUNT_THREADS) threads = RFI_COUNT_THREADS;
    rfi_bytes_put_number(b, threads);
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t ops = k->kinds[t], most = RFI_COUNT_TAUGHT / threads;
        if (ops > most) ops = most;
        rfi_bytes_put_number(b, t ? rf_thread_creator(t) : 0);
        rfi_bytes_put_number(b, ops);
        for (uint32_t o = k->first[t]; ops; ops--, o = k->op[o - 1].next) {
            rfi_bytes_put_id(b, k->op[o - 1].id);
            rfi_bytes_put_number(b, k->op[o - 1].count);
        }
    }
}

/* The execution has ended.  One that did not come to its end has done too little. */
RFI_FN void rfi_counts_teach(void) {
    static uint8_t lesson[RF_LESSON_BYTES];
    rfi_bytes b = rfi_bytes_of(lesson, sizeof lesson);
    if (!rfi_noted.on) return;
    for (uint32_t t = 0; t < rf_threads(); t++)
        if (rf_thread_alive(t)) return;
    rfi_counts_put_threads(&b);
    uint32_t places = rfi_counts_gather();
    for (uint32_t i = 0; i < places; i++) {
        const rfi_count_place *p = &rfi_noted.place[i].place;
        if (b.room - b.at < 10 + 2 * p->sites) break;
        rfi_bytes_put_number(&b, p->weight < UINT32_MAX ? (uint32_t)p->weight : UINT32_MAX);
        rfi_bytes_put_number(&b, p->sites);
        for (uint32_t j = 0; j < p->sites; j++) rfi_bytes_put_id(&b, p->id[j]);
    }
    if (!b.over) (void)rf_teach(lesson, b.at);
}
#endif
#endif

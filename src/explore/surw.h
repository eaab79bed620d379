/* explore/surw.h: uniform random walks: URW over all operations, SURW over those that matter.
 *
 * Zhao, Wolff, Mathur, Roychoudhury, "Selectively Uniform Concurrency Testing", ASPLOS 2025.  A
 * thread is drawn with the weight of what it and the threads it will create still have to do; SURW
 * so decides only who makes the next interesting operation, and holds back the others that have
 * come to one.  Guarantee: where the counts are right, nobody blocks, and threads depend on each
 * other by creation only, all interleavings (SURW: of the interesting operations) are equally
 * likely.  Wrong counts, locks and joins make it less than uniform; every interleaving keeps a
 * positive probability.
 *
 * Counts, and what is interesting, come from executions before (explore/counts.h).  An execution of
 * SURW draws one shared place, with the weight of its accesses, and once in RFI_SURW_ALL all of
 * them.  As long as nothing is known, the thread with the highest priority runs; every operation
 * has a new one.  Spinners come after all others, those held back too, but for one decision in
 * RFI_SURW_SPIN (two of them could wake each other for ever).  Creation is no step here: what a new
 * thread has to do is taken from its creator when the next operation is announced, and with it, in
 * proportion, the intention to go next.
 */
#ifndef RFI_EXPLORE_SURW_H
#define RFI_EXPLORE_SURW_H
#include "explore/candidates.h"
#include "explore/counts.h"

#ifdef RFI_IMPL
enum {
    RFI_SURW_ALL = 8,
    RFI_SURW_SPIN = 8,   /* one of so many decisions is as if nobody spun */
    RFI_SURW_SITES = 48, /* of all shared places; if there are more, all operations count */
    RFI_SURW_TREE = 160, /* bytes for the counts, unless it has more threads than that */
    RFI_SURW_BYTES = 4096,
    RFI_SURW_EVERY = 255, /* instead of a number of statements: all operations */
    RFI_SURW_LEFT = 1 << 22,
    RFI_SURW_PATIENCE =
        1000 /* decisions without an interesting operation, until one in 8 is uniform */
};

typedef struct rfi_surw_thread {
    uint32_t left;    /* interesting operations of it and of those it will create */
    uint32_t chance;  /* priority of its next operation */
    bool interesting; /* that one is */
    bool spins;
} rfi_surw_thread;

typedef struct rfi_surw_state {
    rf_prng stream;
    bool every; /* operation is interesting */
    uint32_t intended;
    uint32_t stalled;      /* decisions since the last interesting operation */
    bool spinners, passed; /* they count like others now; somebody was passed over */
    uint32_t threads, capacity;
    rfi_surw_thread *thread;
    rfi_map sites, left; /* the interesting ones; what a thread has to do, by its key */
    uint64_t *mark;      /* by number of the statement: execution, and in the last bit the answer */
    uint64_t execution;
    uint32_t mark_capacity;
    bool recalled;
    uint32_t used_bytes;
    uint8_t used[RFI_SURW_BYTES];
} rfi_surw_state;

RFI_VAR rfi_surw_state rfi_surw_now;

/* ---- what an execution is about, as bytes ---- */

/* Adds the statements of a place; false: there are too many. */
RFI_FN bool rfi_surw_add(uint32_t *id, uint32_t *n, const rfi_count_place *p) {
    for (uint32_t i = 0, j; i < p->sites; i++) {
        for (j = 0; j < *n && id[j] != p->id[i]; j++) continue;
        if (j < *n) continue;
        if (*n == RFI_SURW_SITES) return false;
        id[(*n)++] = p->id[i];
    }
    return true;
}

/* Draws what is interesting; RFI_SURW_EVERY, or how many statements. */
RFI_FN uint32_t rfi_surw_draw(rf_prng *chance, uint32_t id[RFI_SURW_SITES]) {
    const rfi_counts *k = &rfi_counted;
    uint32_t n = 0;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < k->places; i++) sum += k->place[i].weight;
    if (!rfi_below(chance, RFI_SURW_ALL)) {
        for (uint32_t i = 0; i < k->places; i++)
            if (!rfi_surw_add(id, &n, &k->place[i])) return RFI_SURW_EVERY;
        return n;
    }
    uint64_t at = sum ? rfi_draw(chance) % sum : 0;
    for (uint32_t i = 0; i < k->places; at -= k->place[i++].weight)
        if (at < k->place[i].weight) {
            (void)rfi_surw_add(id, &n, &k->place[i]);
            break;
        }
    return n;
}

/* How often each thread does what is interesting, with those that it creates, in an execution. */
RFI_FN void rfi_surw_count(uint32_t count[RFI_COUNT_THREADS], bool every) {
    const rfi_counts *k = &rfi_counted;
    uint64_t sum[RFI_COUNT_THREADS] = {0};
    for (uint32_t i = k->nodes; i-- > 0;) {
        const rfi_count_node *n = &k->node[i];
        for (uint32_t s = n->first_sum; s; s = k->sum[s - 1].next)
            if (every || rfi_map_find(&rfi_surw_now.sites, k->sum[s - 1].id))
                sum[i] += k->sum[s - 1].sum;
        uint64_t mean = (sum[i] + n->executions / 2) / n->executions;
        count[i] = mean < RFI_SURW_LEFT ? (uint32_t)mean : RFI_SURW_LEFT;
        if (n->parent) sum[n->parent - 1] += sum[i];
    }
}

/* A thread, or `run` of them in a row that are alike. */
typedef struct rfi_surw_item {
    uint32_t count, children, run;
} rfi_surw_item;

RFI_FN void rfi_surw_put_item(rfi_bytes *b, const rfi_surw_item *t) {
    rfi_bytes_put_number(b, t->count << 2 | (t->children ? 2u : 0u) | (t->run > 1));
    if (t->children) rfi_bytes_put_number(b, t->children);
    if (t->run > 1) rfi_bytes_put_number(b, t->run);
}

/* The tree of threads, level by level, with counts in units of 1 << shift. */
RFI_FN void rfi_surw_put_tree(rfi_bytes *b, const uint32_t *count, uint32_t shift) {
    const rfi_counts *k = &rfi_counted;
    uint32_t order[RFI_COUNT_THREADS] = {0}, known = 1;
    rfi_surw_item item = {0, 0, 0};
    rfi_bytes_put(b, shift);
    for (uint32_t i = 0; i < known; i++) {
        const rfi_count_node *n = &k->node[order[i]];
        for (uint32_t c = n->first_child; c; c = k->node[c - 1].sibling) order[known++] = c - 1;
        uint32_t c = count[order[i]], units = (c + (1u << shift) / 2) >> shift;
        if (c && !units) units = 1;
        if (item.run && (item.count != units || item.children != n->children)) {
            rfi_surw_put_item(b, &item);
            item.run = 0;
        }
        item = (rfi_surw_item){units, n->children, item.run + 1};
    }
    rfi_surw_put_item(b, &item);
}

/* Writes what this execution is about; nothing while nothing is known. */
RFI_FN void rfi_surw_put(rfi_bytes *b, rf_prng *chance, bool every) {
    uint32_t id[RFI_SURW_SITES], count[RFI_COUNT_THREADS];
    if (!rfi_counted.nodes) return;
    uint32_t n = every ? RFI_SURW_EVERY : rfi_surw_draw(chance, id);
    if (!n) return;
    every = n == RFI_SURW_EVERY;
    rfi_map_reset(&rfi_surw_now.sites);
    rfi_bytes_put(b, n);
    for (uint32_t i = 0; i < n && !every; i++) {
        rfi_bytes_put_id(b, id[i]);
        *rfi_map_at(&rfi_surw_now.sites, id[i]) = 1;
    }
    rfi_surw_count(count, every);
    uint32_t at = b->at;
    for (uint32_t shift = 0; shift <= 20; shift += 2) {
        b->at = at;
        rfi_surw_put_tree(b, count, shift);
        if (b->at - at <= RFI_SURW_TREE) break;
    }
}

RFI_FN void rfi_surw_read_tree(rfi_bytes *b) {
    uint64_t key[RFI_COUNT_THREADS] = {RFI_FIRST_KEY};
    uint32_t known = 1, shift = rfi_bytes_get(b) & 31;
    for (uint32_t i = 0; i < known && b->at < b->room;) {
        uint32_t n = rfi_bytes_number(b), children = n & 2 ? rfi_bytes_number(b) : 0;
        uint32_t run = n & 1 ? rfi_bytes_number(b) : 1;
        uint64_t left = (uint64_t)(n >> 2) << shift;
        for (; run && i < known; run--, i++) {
            *rfi_map_at(&rfi_surw_now.left, key[i]) = left < RFI_SURW_LEFT ? left : RFI_SURW_LEFT;
            for (uint32_t c = 1; c <= children && known < RFI_COUNT_THREADS; c++)
                key[known++] = rfi_key_of_child(key[i], c);
        }
    }
}

RFI_FN void rfi_surw_read(rfi_bytes *b) {
    uint32_t n = rfi_bytes_get(b);
    rfi_map_reset(&rfi_surw_now.sites);
    rfi_map_reset(&rfi_surw_now.left);
    rfi_surw_now.every = n == RFI_SURW_EVERY;
    for (; n && !rfi_surw_now.every && b->at < b->room; n--)
        *rfi_map_at(&rfi_surw_now.sites, rfi_bytes_id(b)) = 1;
    rfi_surw_read_tree(b);
}

/* ---- the walk ---- */

/* What a thread has announced was executed, unless that is known. */
RFI_INLINE void rfi_surw_done(rfi_surw_thread *t) {
    if (!t->interesting) return;
    t->interesting = false;
    rfi_surw_now.stalled = 0;
    t->left -= t->left > 0;
    rfi_surw_now.intended = UINT32_MAX;
}

/* New threads take their part from their creators, who run: what they announced is done. */
RFI_FN void rfi_surw_meet(void) {
    rfi_surw_state *s = &rfi_surw_now;
    for (uint32_t n = rf_threads(); s->threads < n; s->threads++) {
        uint32_t id = s->threads, by = rf_thread_creator(id);
        s->thread = rfi_grow(s->thread, &s->capacity, id + 1, sizeof *s->thread);
        uint64_t *known = rfi_map_find(&s->left, rf_thread_key(id));
        uint32_t left = known ? (uint32_t)*known : 0;
        s->thread[id] = (rfi_surw_thread){.left = left};
        if (by == UINT32_MAX) continue;
        rfi_surw_thread *creator = &s->thread[by];
        rfi_surw_done(creator);
        uint32_t before = creator->left > left ? creator->left : left;
        if (s->intended == by && left && rfi_below(&s->stream, before) < left) s->intended = id;
        creator->left = before - left;
    }
}

RFI_INLINE bool rfi_surw_matters(const rf_site *site) {
    rfi_surw_state *s = &rfi_surw_now;
    if (s->every || !s->sites.used) return s->every;
    uint32_t n = rfi_site_number(site);
    s->mark = rfi_grow(s->mark, &s->mark_capacity, n + 1, sizeof *s->mark);
    if (s->mark[n] >> 1 != s->execution)
        s->mark[n] = s->execution << 1 | (rfi_map_find(&s->sites, rfi_site_id(site)) != NULL);
    return s->mark[n] & 1;
}

RFI_FN void rfi_surw_announced(const rf_event *e) {
    rfi_surw_state *s = &rfi_surw_now;
    if (s->threads < rf_threads()) rfi_surw_meet();
    rfi_surw_thread *t = &s->thread[e->thread];
    rfi_surw_done(t);
    t->interesting = rfi_surw_matters(e->site);
    t->spins = rf_thread_spins(e->thread);
    if (!s->every) t->chance = (uint32_t)(rfi_draw(&s->stream) >> 32);
    if (rfi_noted.on) rfi_counts_note(e);
}

/* Spinners are passed over; UINT32_MAX: all are.  `free`: of those that nothing holds back. */
RFI_FN uint32_t rfi_surw_highest(const rf_choice *c, bool free) {
    rfi_surw_state *s = &rfi_surw_now;
    uint32_t best = UINT32_MAX;
    RFI_EACH_CANDIDATE(id, c) {
        const rfi_surw_thread *t = &s->thread[id];
        if (free && t->interesting && id != s->intended) continue;
        if (t->spins && !s->spinners) {
            s->passed = true;
            continue;
        }
        if (best == UINT32_MAX || t->chance > s->thread[best].chance) best = id;
    }
    return best;
}

RFI_INLINE uint32_t rfi_surw_weight(const rfi_surw_thread *t) {
    if (t->spins && !rfi_surw_now.spinners) return 0;
    return t->left ? t->left : t->interesting; /* more to do than was counted */
}

/* A candidate drawn by weight. */
RFI_FN uint32_t rfi_surw_drawn(const rf_choice *c) {
    rfi_surw_state *s = &rfi_surw_now;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t at = i && sum ? rfi_draw(&s->stream) % sum : 0;
        RFI_EACH_CANDIDATE(t, c) {
            uint32_t weight = rfi_surw_weight(&s->thread[t]);
            if (i && at < weight) return t;
            *(i ? &at : &sum) += i ? -(uint64_t)weight : weight;
        }
    }
    return rfi_choice_at(c, 0);
}

RFI_FN uint32_t rfi_surw_pick(const rf_choice *c) {
    rfi_surw_state *s = &rfi_surw_now;
    if (s->intended != UINT32_MAX && !rf_thread_alive(s->intended)) /* that was its last one */
        rfi_surw_done(&s->thread[s->intended]);
    s->spinners = s->every;
    s->passed = false;
    if (s->every) return rfi_surw_drawn(c);
    if (++s->stalled >= RFI_SURW_PATIENCE && s->stalled % 8 == 0) /* one polls for another */
        return rfi_choice_at(c, rfi_below(&s->stream, c->count));
    uint32_t top = rfi_surw_highest(c, false);
    if (s->passed && (top == UINT32_MAX || !rfi_below(&s->stream, RFI_SURW_SPIN))) {
        s->spinners = true;
        top = rfi_surw_highest(c, false);
    }
    if (!s->thread[top].interesting) return top;
    if (s->intended == UINT32_MAX) s->intended = rfi_surw_drawn(c);
    top = rfi_surw_highest(c, true);
    if (top != UINT32_MAX) return top;
    return s->intended = rfi_surw_drawn(c); /* the one that should go next can't */
}

RFI_FN void rfi_surw_open(uint64_t seed, rf_prng *chance) {
    rfi_surw_state *s = &rfi_surw_now;
    s->stream = (rf_prng){seed};
    s->intended = UINT32_MAX;
    s->threads = s->stalled = 0;
    s->execution++;
    bool more = rfi_counted.lessons < RFI_COUNT_FIRST || !(rfi_draw(chance) & 7);
    rfi_counts_begin(rf_teach("", 0) && more);
}

RFI_FN void rfi_surw_start(uint64_t seed, bool every) {
    rfi_surw_state *s = &rfi_surw_now;
    rf_prng chance = rfi_prng_make(seed, 1);
    rfi_surw_open(seed, &chance);
    rfi_bytes b = rfi_bytes_of(s->used, s->recalled ? s->used_bytes : sizeof s->used);
    if (!s->recalled) rfi_surw_put(&b, &chance, every);
    b.room = s->recalled ? s->used_bytes : b.at;
    b.at = 0;
    (void)rf_used(s->used, b.room);
    rfi_surw_read(&b);
}

RFI_FN void rfi_surw_begin(uint64_t seed) { rfi_surw_start(seed, false); }
RFI_FN void rfi_urw_begin(uint64_t seed) { rfi_surw_start(seed, true); }

RFI_FN void rfi_surw_forget(void) {
    rfi_surw_now.recalled = false;
    rfi_counts_forget();
}

RFI_FN void rfi_surw_learn(const void *lesson, size_t bytes) {
    rfi_surw_now.recalled = false;
    rfi_counts_learn(lesson, bytes);
}

RFI_FN void rfi_surw_recall(const void *used, size_t bytes) {
    rfi_surw_now.recalled = true;
    rfi_surw_now.used_bytes = (uint32_t)(bytes < RFI_SURW_BYTES ? bytes : RFI_SURW_BYTES);
    if (bytes) memcpy(rfi_surw_now.used, used, rfi_surw_now.used_bytes);
}

/* Both learn alike. */
# define RFI_SURW_REST                                                             \
  .pick = rfi_surw_pick, .announced = rfi_surw_announced, .end = rfi_counts_teach, \
  .forget = rfi_surw_forget, .learn = rfi_surw_learn, .recall = rfi_surw_recall

RFI_VAR rf_strategy rfi_surw = {.name = "surw",
                                .help = "selectively uniform random walk",
                                .begin = rfi_surw_begin,
                                RFI_SURW_REST};
RFI_VAR rf_strategy rfi_urw = {
    .name = "urw", .help = "uniform random walk", .begin = rfi_urw_begin, RFI_SURW_REST};
#endif
#endif

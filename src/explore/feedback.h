/* explore/feedback.h: executions directed at reads-from pairs that are new or rare.
 *
 * After RFF: Wolff, Shi, Duck, Mathur, Roychoudhury, "Greybox Fuzzing for Concurrency Testing",
 * ASPLOS 2024.  An execution is steered towards an abstract schedule (explore/corpus.h): a read
 * waits until it would get the desired write; then threads that would overwrite it wait.  The
 * acquisition of a lock, and any other operation on a synchronisation object but an unlock, reads
 * from the one before it.  No thread waits if no other is enabled, nor for more than
 * RFI_FEEDBACK_PATIENCE decisions.  Among the others partial order sampling decides, in
 * RFI_FEEDBACK_WALK executions of 8 a uniform random walk (explore/surw.h), which reaches late
 * operations of long threads as often as early ones.
 *
 * Guarantee: an execution in RFI_CORPUS_PLAIN has no constraint, so all that is known of partial
 * order sampling (operations depend if they begin at the same address or use the same object) or of
 * the walk is true of it; while nothing is known all are partial order sampling; there is none for
 * the rest.  Differences from RFF: the walk; statements stand for events, with one bit for whose
 * write it was; what is kept is tried less often with every try (RFF: more often), and pairs that
 * were rarely seen are asked for more often; reads-from is that of the order of execution, whatever
 * old value a relaxed load got.
 */
#ifndef RFI_EXPLORE_FEEDBACK_H
#define RFI_EXPLORE_FEEDBACK_H
#include "explore/candidates.h"
#include "explore/corpus.h"
#include "explore/surw.h"

#ifdef RFI_IMPL
enum {
    RFI_FEEDBACK_PATIENCE = 2000,
    RFI_FEEDBACK_SPIN = 8,
    RFI_FEEDBACK_WALK = 3,      /* of 8 executions */
    RFI_FEEDBACK_PLACES = 8192, /* in one execution */
    RFI_FEEDBACK_SITES = 12,    /* that read a place, that write it */
    RFI_FEEDBACK_SEEN = 4096    /* pairs in one execution */
};

/* Memory, or a synchronisation object. */
typedef struct rfi_fb_place {
    uint16_t last; /* statement of the newest write; 0: none */
    uint8_t hold;  /* constraints that ask for it */
    bool shared, written;
    uint32_t last_thread, thread;
    uint8_t reads, writes;
    uint16_t read[RFI_FEEDBACK_SITES], write[RFI_FEEDBACK_SITES];
} rfi_fb_place;

/* A thread's next operation, with the constraints (bits) for which it is the read, the write, or
 * one that would end a value from the beginning. */
typedef struct rfi_fb_thread {
    uint64_t chance;
    uint32_t place; /* number + 1; 0: none, or it was executed */
    uint16_t id;
    uint8_t as_read, as_write, as_end;
    bool reads, writes, fails, spins;
    bool among; /* other threads */
} rfi_fb_thread;

typedef struct rfi_fb_seen {
    uint16_t write, read;
    bool other;
    uint32_t place;
} rfi_fb_seen;

typedef struct rfi_fb_state {
    rf_prng stream;
    bool teaches, recalled;
    bool walks; /* otherwise it samples partial orders */
    uint32_t parent;
    rfi_wishes wishes;
    uint8_t positive, other, open; /* constraints; open: neither met nor given up */
    uint32_t patience[RFI_WISHES];
    uint32_t threads, capacity, places, place_capacity, pairs, pair_capacity;
    rfi_fb_thread *thread;
    rfi_fb_place *place;
    rfi_fb_seen *pair;
    rfi_map place_of, pair_of;
    uint32_t used_bytes;
    uint8_t used[RFI_WISHES_BYTES + RFI_SURW_BYTES];
} rfi_fb_state;

RFI_VAR rfi_fb_state rfi_fb;

/* ---- what was read from where ---- */

RFI_FN void rfi_fb_note_site(uint16_t *site, uint8_t *n, uint16_t id) {
    for (uint32_t i = 0; i < *n; i++)
        if (site[i] == id) return;
    if (*n < RFI_FEEDBACK_SITES) site[(*n)++] = id;
}

RFI_FN void rfi_fb_note_pair(const rfi_fb_place *p, uint32_t place, uint16_t read, bool other) {
    rfi_fb_state *s = &rfi_fb;
    uint64_t *n = rfi_map_find(&s->pair_of, rfi_pair_of(p->last, read, other));
    if (n) { /* it counts if a place where it happened is shared */
        rfi_fb_seen *seen = &s->pair[*n - 1];
        if (!s->place[seen->place - 1].shared) seen->place = place;
        return;
    }
    if (s->pairs == RFI_FEEDBACK_SEEN) return;
    s->pair = rfi_grow(s->pair, &s->pair_capacity, s->pairs + 1, sizeof *s->pair);
    s->pair[s->pairs++] = (rfi_fb_seen){p->last, read, other, place};
    *rfi_map_at(&s->pair_of, rfi_pair_of(p->last, read, other)) = s->pairs;
}

/* Constraints whose write is the newest of the place, seen from a thread. */
RFI_INLINE unsigned rfi_fb_held(const rfi_fb_place *p, uint32_t thread) {
    if (!p->last) return p->hold;
    return p->hold & (p->last_thread == thread ? (unsigned)~rfi_fb.other : rfi_fb.other);
}

/* The constraints that ask for this write. */
RFI_FN uint8_t rfi_fb_asking(uint16_t write) {
    unsigned set = 0;
    for (uint32_t i = 0; i < rfi_fb.wishes.count; i++)
        set |= (unsigned)(rfi_fb.wishes.wish[i].write == write) << i;
    return (uint8_t)set;
}

/* Partial order sampling: those that compete with what was executed draw again. */
RFI_FN void rfi_fb_redraw(uint32_t thread, uint32_t place, bool writes) {
    rfi_fb_state *s = &rfi_fb;
    for (uint32_t u = 0; u < s->threads; u++)
        if (u != thread && s->thread[u].place == place && (writes || s->thread[u].writes))
            s->thread[u].chance = rfi_draw(&s->stream);
}

/* What thread `id` announced was executed, unless that is known. */
RFI_FN void rfi_fb_done(uint32_t id) {
    rfi_fb_state *s = &rfi_fb;
    rfi_fb_thread *t = &s->thread[id];
    uint32_t place = t->place;
    if (!place) return;
    rfi_fb_place *p = &s->place[place - 1];
    bool writes = t->writes && !t->fails;
    t->place = 0;
    p->shared |= p->thread != id;
    p->written |= writes && t->among;
    if (t->reads) {
        unsigned held = rfi_fb_held(p, id);
        s->open &= (uint8_t) ~(t->as_read & (held ^ ~(unsigned)s->positive));
        if (s->teaches) {
            rfi_fb_note_pair(p, place, t->id, p->last && p->last_thread != id);
            rfi_fb_note_site(p->read, &p->reads, t->id);
        }
    }
    if (writes) {
        p->last = t->id;
        p->last_thread = id;
        p->hold = rfi_fb_asking(t->id);
        if (s->teaches) rfi_fb_note_site(p->write, &p->writes, t->id);
    }
    rfi_fb_redraw(id, place, writes);
}

/* ---- the next operation of a thread ---- */

RFI_FN uint32_t rfi_fb_place_at(uint64_t key, uint32_t thread) {
    rfi_fb_state *s = &rfi_fb;
    uint64_t *n = rfi_map_find(&s->place_of, key);
    if (n) return (uint32_t)*n;
    if (s->places == RFI_FEEDBACK_PLACES) return 0;
    s->place = rfi_grow(s->place, &s->place_capacity, s->places + 1, sizeof *s->place);
    s->place[s->places] = (rfi_fb_place){.thread = thread, .hold = rfi_fb_asking(0)};
    *rfi_map_at(&s->place_of, key) = ++s->places;
    return s->places;
}

RFI_FN void rfi_fb_aim(rfi_fb_thread *t) {
    for (uint32_t i = 0; i < rfi_fb.wishes.count; i++) {
        const rfi_wish *c = &rfi_fb.wishes.wish[i];
        uint8_t bit = (uint8_t)(1u << i);
        if (t->reads && c->read == t->id) t->as_read |= bit;
        if (t->writes && c->write == t->id) t->as_write |= bit;
        for (uint32_t j = 0; j < c->writers && t->writes; j++)
            if (c->writer[j] == t->id) t->as_end |= bit;
    }
}

RFI_FN void rfi_fb_announced(const rf_event *e) {
    rfi_fb_state *s = &rfi_fb;
    for (; s->threads < rf_threads(); s->threads++) {
        s->thread = rfi_grow(s->thread, &s->capacity, s->threads + 1, sizeof *s->thread);
        s->thread[s->threads] = (rfi_fb_thread){0};
    }
    rfi_fb_done(e->thread);
    if (s->walks)
        rfi_surw_announced(e);
    else if (rfi_noted.on)
        rfi_counts_note(e);
    rfi_fb_thread *t = &s->thread[e->thread];
    *t = (rfi_fb_thread){.chance = rfi_draw(&s->stream), .spins = rf_thread_spins(e->thread)};
    bool memory = e->flags & (RF_EV_READS | RF_EV_WRITES);
    if (!memory && (!e->object || e->kind == RF_EV_UNLOCK)) return;
    t->id = (uint16_t)rfi_site_id(e->site);
    t->place = rfi_fb_place_at(memory ? (uint64_t)(uintptr_t)e->addr : e->object, e->thread);
    t->reads = !memory || e->flags & RF_EV_READS;
    t->writes = !memory || e->flags & RF_EV_WRITES;
    t->among = rf_threads() > 1;
    t->fails = e->kind == RF_EV_RMW; /* until event() says that it has written */
    if (s->open) rfi_fb_aim(t);
}

/* Compare-exchanges that succeed, locks that are not got. */
RFI_FN void rfi_fb_event(const rf_event *e) {
    if (e->thread < rfi_fb.threads) rfi_fb.thread[e->thread].fails = e->kind == RF_EV_TRYFAIL;
}

/* ---- who waits for which constraints ---- */

/* Negative ones: does somebody else stand before the read, at this place? */
RFI_FN unsigned rfi_fb_disturbs(uint32_t id, unsigned set) {
    const rfi_fb_state *s = &rfi_fb;
    unsigned waiting = 0;
    for (uint32_t u = 0; set && u < s->threads; u++)
        if (u != id && s->thread[u].place == s->thread[id].place) waiting |= s->thread[u].as_read;
    return set & waiting;
}

RFI_FN unsigned rfi_fb_waits(uint32_t id) {
    const rfi_fb_state *s = &rfi_fb;
    const rfi_fb_thread *t = &s->thread[id];
    if (!t->place) return 0;
    const rfi_fb_place *p = &s->place[t->place - 1];
    unsigned held = rfi_fb_held(p, id), yes = s->positive & s->open;
    unsigned no = s->open & ~(unsigned)s->positive, read = t->as_read & yes;
    unsigned waits = read & held ? 0 : read;
    waits |= t->as_read & no & held;
    if (!t->writes) return waits;
    waits |= rfi_fb_disturbs(id, t->as_write & no);
    if (!p->last) return waits | (t->as_end & yes & ~(unsigned)t->as_read);
    return waits | (p->hold & yes & ~(unsigned)(t->as_read | t->as_write));
}

RFI_FN void rfi_fb_lose_patience(unsigned set) {
    for (; set; set &= set - 1) {
        unsigned i = (unsigned)__builtin_ctz(set);
        if (!--rfi_fb.patience[i]) rfi_fb.open &= (uint8_t) ~(1u << i);
    }
}

/* Does it come before the best one until now?  In a walk, with its share in the sum of weights. */
RFI_FN bool rfi_fb_before(uint32_t id, uint32_t best, uint64_t *sum) {
    rfi_fb_state *s = &rfi_fb;
    if (!s->walks) return best == UINT32_MAX || s->thread[id].chance > s->thread[best].chance;
    uint32_t left = rfi_surw_now.thread[id].left, weight = left ? left : 1;
    *sum += weight;
    return rfi_draw(&s->stream) % *sum < weight;
}

/* First those who need not wait, then those who should, then spinners; but in one decision of
 * RFI_FEEDBACK_SPIN a spinner. */
RFI_FN uint32_t rfi_fb_pick(const rf_choice *c) {
    rfi_fb_state *s = &rfi_fb;
    uint32_t best[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    uint64_t sum[3] = {0};
    unsigned all = 0;
    if (c->last < s->threads && !rf_thread_alive(c->last)) rfi_fb_done(c->last);
    RFI_EACH_CANDIDATE(id, c) {
        const rfi_fb_thread *t = &s->thread[id];
        unsigned waits = s->open && !t->spins ? rfi_fb_waits(id) : 0;
        uint32_t rank = t->spins ? 2 : waits != 0;
        all |= waits;
        if (rfi_fb_before(id, best[rank], &sum[rank])) best[rank] = id;
    }
    if (all) rfi_fb_lose_patience(all);
    if (best[2] != UINT32_MAX && !rfi_below(&s->stream, RFI_FEEDBACK_SPIN)) return best[2];
    return best[best[0] != UINT32_MAX ? 0 : best[1] != UINT32_MAX ? 1 : 2];
}

/* ---- beginning and end ---- */

/* Draws the constraints and what lies underneath, or takes those that are recalled: the counts for
 * a walk come behind the constraints. */
RFI_FN void rfi_fb_aims(rf_prng *chance) {
    rfi_fb_state *s = &rfi_fb;
    rfi_bytes b = rfi_bytes_of(s->used, sizeof s->used);
    if (!s->recalled) {
        s->parent = rfi_corpus_next(&s->wishes, chance);
        rfi_wishes_put(&b, &s->wishes);
        if (rfi_below(chance, 8) < RFI_FEEDBACK_WALK) rfi_surw_put(&b, chance, true);
        s->used_bytes = b.at;
    }
    (void)rf_used(s->used, s->used_bytes);
    b = rfi_bytes_of(s->used, s->used_bytes);
    rfi_wishes_read(&b, &s->wishes);
    s->walks = b.at < b.room;
    if (s->walks) rfi_surw_read(&b);
}

RFI_FN void rfi_fb_begin(uint64_t seed) {
    rfi_fb_state *s = &rfi_fb;
    rf_prng chance = rfi_prng_make(seed, 1);
    s->stream = (rf_prng){seed};
    s->threads = s->places = s->pairs = s->parent = 0;
    rfi_map_reset(&s->place_of);
    rfi_map_reset(&s->pair_of);
    s->teaches = rf_teach("", 0);
    rfi_surw_open(seed, &chance);
    rfi_fb_aims(&chance);
    s->positive = s->other = s->open = 0;
    for (uint32_t i = 0; i < s->wishes.count; i++) {
        const rfi_wish *w = &s->wishes.wish[i];
        s->positive |= (uint8_t)((unsigned)w->positive << i);
        s->other |= (uint8_t)((unsigned)w->other << i);
        s->open |= (uint8_t)(1u << i);
        s->patience[i] = RFI_FEEDBACK_PATIENCE;
    }
}

/* Places with the same statements are taught once. */
RFI_FN void rfi_fb_put_places(rfi_bytes *b) {
    rfi_fb_state *s = &rfi_fb;
    rfi_map_reset(&s->pair_of);
    for (uint32_t i = 0; i < s->places; i++) {
        const rfi_fb_place *p = &s->place[i];
        uint64_t hash = 0;
        if (!p->shared || !p->written || !p->reads) continue;
        for (uint32_t j = 0; j < p->reads; j++) hash += rfi_mix(p->read[j]);
        for (uint32_t j = 0; j < p->writes; j++) hash += rfi_mix(p->write[j] + 65536u);
        uint64_t *n = rfi_map_at(&s->pair_of, hash);
        if (*n || b->room - b->at < 2 + 4 * RFI_FEEDBACK_SITES) continue;
        *n = 1;
        rfi_bytes_put(b, p->reads);
        for (uint32_t j = 0; j < p->reads; j++) rfi_bytes_put_id(b, p->read[j]);
        rfi_bytes_put(b, p->writes);
        for (uint32_t j = 0; j < p->writes; j++) rfi_bytes_put_id(b, p->write[j]);
    }
}

/* The length of what the corpus learns, that, and what the counts learn. */
RFI_FN void rfi_fb_end(void) {
    static uint8_t lesson[RF_LESSON_BYTES - 8];
    uint8_t length[5];
    rfi_fb_state *s = &rfi_fb;
    rfi_bytes b = rfi_bytes_of(lesson, sizeof lesson), l = rfi_bytes_of(length, sizeof length);
    uint32_t n = 0;
    if (!s->teaches) return;
    for (uint32_t t = 0; t < s->threads; t++)
        if (!rf_thread_alive(t)) rfi_fb_done(t); /* the last one to end */
    rfi_bytes_put_number(&b, s->parent);
    rfi_wishes_put(&b, &s->wishes);
    for (uint32_t i = 0; i < s->pairs; i++) { /* those of shared places */
        const rfi_fb_place *p = &s->place[s->pair[i].place - 1];
        if (p->shared && p->written) s->pair[n++] = s->pair[i];
    }
    rfi_bytes_put_number(&b, n);
    for (uint32_t i = 0; i < n; i++) {
        rfi_bytes_put_id(&b, s->pair[i].write);
        rfi_bytes_put_id(&b, s->pair[i].read);
        rfi_bytes_put(&b, s->pair[i].other);
    }
    rfi_fb_put_places(&b);
    rfi_bytes_put_number(&l, b.at);
    (void)rf_teach(length, l.at);
    (void)rf_teach(lesson, b.at);
    rfi_counts_teach();
}

RFI_FN void rfi_fb_forget(void) {
    rfi_fb.recalled = false;
    rfi_corpus_forget();
    rfi_counts_forget();
}

RFI_FN void rfi_fb_learn(const void *lesson, size_t bytes) {
    rfi_fb.recalled = false;
    rfi_bytes b = rfi_bytes_of(lesson, bytes);
    uint32_t own = rfi_bytes_number(&b);
    if (own > b.room - b.at) own = b.room - b.at;
    rfi_corpus_learn(b.byte + b.at, own);
    b.at += own;
    rfi_counts_learn(b.byte + b.at, b.room - b.at);
}

RFI_FN void rfi_fb_recall(const void *used, size_t bytes) {
    rfi_fb.recalled = true;
    rfi_fb.used_bytes = (uint32_t)(bytes < sizeof rfi_fb.used ? bytes : sizeof rfi_fb.used);
    if (bytes) memcpy(rfi_fb.used, used, rfi_fb.used_bytes);
}

RFI_VAR rf_strategy rfi_feedback = {
    .name = "feedback",
    .help = "partial order sampling, steered towards new reads-from pairs",
    .begin = rfi_fb_begin,
    .pick = rfi_fb_pick,
    .announced = rfi_fb_announced,
    .end = rfi_fb_end,
    .lone = true,
    .events = RF_EV_BIT(RF_EV_RMW) | RF_EV_BIT(RF_EV_TRYFAIL),
    .event = rfi_fb_event,
    .forget = rfi_fb_forget,
    .learn = rfi_fb_learn,
    .recall = rfi_fb_recall};
#endif
#endif

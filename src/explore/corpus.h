/* explore/corpus.h: abstract schedules and what is known of reads-from, for explore/feedback.h.
 *
 * A pair says that the read at one statement got the value of the write at another, by the same or
 * another thread, or the initial value.  A constraint asks for a pair (positive) or excludes it
 * (negative); an abstract schedule is a few of them.  Those whose executions showed a pair, or a
 * combination of pairs, for the first time are kept and changed further: insert, swap, delete,
 * negate.  Pairs that were never seen can be asked for too, if their statements have met at one
 * place.  Each execution that shows a pair, or was meant to, makes it less likely to be asked for:
 * otherwise infeasible pairs would displace feasible ones.
 */
#ifndef RFI_EXPLORE_CORPUS_H
#define RFI_EXPLORE_CORPUS_H
#include "explore/bytes.h"

#ifdef RFI_IMPL
enum {
    RFI_WISHES = 6,       /* constraints of an abstract schedule */
    RFI_WISH_WRITERS = 6, /* statements that end a value from the beginning */
    RFI_PAIRS = 4096,     /* that are known */
    RFI_COMBINATIONS = 1 << 15,
    RFI_CORPUS = 256,      /* abstract schedules that are kept; the first is the empty one */
    RFI_CORPUS_FRESH = 8,  /* times as much energy for the first to show a pair */
    RFI_CORPUS_PLAIN = 16, /* one of so many executions has no constraint */
    RFI_PAIR_UNSEEN = 4,   /* times as much weight for a pair that was never seen */
    RFI_CORPUS_MORE = 5,   /* of 8: another change follows */
    RFI_WISHES_BYTES = 1 + RFI_WISHES * (3 + 2 * RFI_WISH_WRITERS)
};

/* A pair that an execution is to have, or not to have. */
typedef struct rfi_wish {
    uint16_t write, read; /* statements; write 0: nothing was written before */
    bool positive, other; /* other: by another thread than the reader */
    uint8_t writers;      /* of a value from the beginning: statements that would end it */
    uint16_t writer[RFI_WISH_WRITERS];
} rfi_wish;

typedef struct rfi_wishes {
    uint32_t count;
    rfi_wish wish[RFI_WISHES];
} rfi_wishes;

typedef struct rfi_pair_known {
    rfi_wish wish;
    uint32_t seen, asked; /* executions that showed it, that were to show it */
} rfi_pair_known;

typedef struct rfi_corpus_entry {
    rfi_wishes wishes;
    uint32_t serial, combination; /* number of the combination that it showed first */
    uint32_t chosen;
    bool fresh; /* it showed a pair first */
} rfi_corpus_entry;

typedef struct rfi_corpus {
    uint32_t pairs, combinations, kept, serial, executions;
    uint32_t pair_capacity, combination_capacity;
    rfi_pair_known *pair;
    uint32_t *combination; /* executions that showed it */
    rfi_map pair_of, combination_of;
    rfi_corpus_entry entry[RFI_CORPUS];
} rfi_corpus;

RFI_VAR rfi_corpus rfi_corpus_now;

RFI_FN void rfi_corpus_forget(void) {
    rfi_corpus *k = &rfi_corpus_now;
    k->pairs = k->combinations = k->serial = k->executions = 0;
    k->kept = 1;
    k->entry[0] = (rfi_corpus_entry){.combination = RFI_COMBINATIONS};
    rfi_map_reset(&k->pair_of);
    rfi_map_reset(&k->combination_of);
}

/* ---- as bytes ---- */

RFI_FN void rfi_wishes_put(rfi_bytes *b, const rfi_wishes *s) {
    rfi_bytes_put(b, s->count);
    for (uint32_t i = 0; i < s->count; i++) {
        const rfi_wish *c = &s->wish[i];
        rfi_bytes_put(b, c->positive | (uint32_t)c->other << 1 | (uint32_t)!c->write << 2 |
                             (uint32_t)c->writers << 3);
        rfi_bytes_put_id(b, c->read);
        if (c->write) rfi_bytes_put_id(b, c->write);
        for (uint32_t j = 0; j < c->writers; j++) rfi_bytes_put_id(b, c->writer[j]);
    }
}

RFI_FN void rfi_wishes_read(rfi_bytes *b, rfi_wishes *s) {
    uint32_t n = rfi_bytes_get(b);
    s->count = 0;
    while (b->at < b->room && s->count < n && s->count < RFI_WISHES) {
        rfi_wish *c = &s->wish[s->count++];
        uint32_t flags = rfi_bytes_get(b);
        *c = (rfi_wish){.positive = flags & 1, .other = flags >> 1 & 1};
        c->read = (uint16_t)rfi_bytes_id(b);
        c->write = flags >> 2 & 1 ? 0 : (uint16_t)rfi_bytes_id(b);
        c->writers = (uint8_t)(flags >> 3);
        if (c->writers > RFI_WISH_WRITERS) c->writers = RFI_WISH_WRITERS;
        for (uint32_t j = 0; j < c->writers; j++) c->writer[j] = (uint16_t)rfi_bytes_id(b);
    }
}

/* ---- what executions have taught ---- */

RFI_INLINE uint64_t rfi_pair_of(uint32_t write, uint32_t read, bool other) {
    return (uint64_t)write << 17 | read << 1 | other;
}

/* The pair, made if it is new; NULL: no room. */
RFI_FN rfi_pair_known *rfi_corpus_pair(uint32_t write, uint32_t read, bool other) {
    rfi_corpus *k = &rfi_corpus_now;
    uint64_t key = rfi_pair_of(write, read, other), *n = rfi_map_find(&k->pair_of, key);
    if (n) return &k->pair[*n - 1];
    if (k->pairs == RFI_PAIRS) return NULL;
    k->pair = rfi_grow(k->pair, &k->pair_capacity, k->pairs + 1, sizeof *k->pair);
    *rfi_map_at(&k->pair_of, key) = k->pairs + 1;
    k->pair[k->pairs] = (rfi_pair_known){
        .wish = {.write = (uint16_t)write, .read = (uint16_t)read, .other = other}};
    return &k->pair[k->pairs++];
}

RFI_FN void rfi_wish_writer(rfi_wish *c, uint32_t id) {
    for (uint32_t i = 0; i < c->writers; i++)
        if (c->writer[i] == id) return;
    if (c->writers < RFI_WISH_WRITERS) c->writer[c->writers++] = (uint16_t)id;
}

/* The statements that read and write one place can make pairs. */
RFI_FN void rfi_corpus_learn_place(rfi_bytes *b) {
    uint32_t read[256], reads = rfi_bytes_get(b), writes;
    for (uint32_t i = 0; i < reads; i++) read[i] = rfi_bytes_id(b);
    for (writes = rfi_bytes_get(b); writes; writes--) {
        uint32_t write = rfi_bytes_id(b);
        for (uint32_t i = 0; i < reads; i++) {
            rfi_pair_known *first = rfi_corpus_pair(0, read[i], false);
            if (first) rfi_wish_writer(&first->wish, write);
            (void)rfi_corpus_pair(write, read[i], true);
        }
    }
}

/* The number of a combination of pairs, counted once more; RFI_COMBINATIONS: no room. */
RFI_FN uint32_t rfi_corpus_combination(uint64_t hash) {
    rfi_corpus *k = &rfi_corpus_now;
    uint64_t *n = rfi_map_find(&k->combination_of, hash);
    if (!n) {
        if (k->combinations == RFI_COMBINATIONS) return RFI_COMBINATIONS;
        k->combination = rfi_grow(k->combination, &k->combination_capacity, k->combinations + 1,
                                  sizeof *k->combination);
        k->combination[k->combinations] = 0;
        n = rfi_map_at(&k->combination_of, hash);
        *n = ++k->combinations;
    }
    k->combination[*n - 1]++;
    return (uint32_t)*n - 1;
}

RFI_FN uint32_t rfi_corpus_frequency(const rfi_corpus_entry *e) {
    const rfi_corpus *k = &rfi_corpus_now;
    return e->combination < k->combinations ? k->combination[e->combination] : 1;
}

/* The one whose combination is seen most often, the oldest of them; never the empty one. */
RFI_FN uint32_t rfi_corpus_worst(void) {
    const rfi_corpus *k = &rfi_corpus_now;
    uint32_t worst = 1;
    for (uint32_t i = 2; i < k->kept; i++) {
        uint32_t f = rfi_corpus_frequency(&k->entry[i]);
        uint32_t g = rfi_corpus_frequency(&k->entry[worst]);
        if (f > g || (f == g && k->entry[i].serial < k->entry[worst].serial)) worst = i;
    }
    return worst;
}

RFI_FN void rfi_corpus_keep(const rfi_wishes *s, uint32_t combination, bool fresh) {
    rfi_corpus *k = &rfi_corpus_now;
    uint32_t at = k->kept < RFI_CORPUS ? k->kept++ : rfi_corpus_worst();
    k->entry[at] = (rfi_corpus_entry){*s, ++k->serial, combination, 0, fresh};
}

/* One execution: its constraints and whose change they are, its pairs, its places. */
RFI_FN void rfi_corpus_learn(const void *lesson, size_t bytes) {
    rfi_corpus *k = &rfi_corpus_now;
    rfi_bytes b = rfi_bytes_of(lesson, bytes);
    rfi_wishes s;
    bool fresh = false;
    uint64_t hash = 0;
    if (!bytes) return;
    uint32_t parent = rfi_bytes_number(&b);
    rfi_wishes_read(&b, &s);
    for (uint32_t n = rfi_bytes_number(&b); n && b.at < b.room; n--) {
        uint32_t write = rfi_bytes_id(&b), read = rfi_bytes_id(&b), other = rfi_bytes_get(&b);
        rfi_pair_known *pair = rfi_corpus_pair(write, read, other);
        hash += rfi_mix(rfi_pair_of(write, read, other));
        if (pair) fresh |= !pair->seen++;
    }
    while (b.at < b.room) rfi_corpus_learn_place(&b);
    k->executions++;
    for (uint32_t i = 0; i < s.count; i++) {
        const rfi_wish *c = &s.wish[i];
        uint64_t *n = rfi_map_find(&k->pair_of, rfi_pair_of(c->write, c->read, c->other));
        if (n) k->pair[*n - 1].asked += c->positive;
    }
    for (uint32_t i = 0; i < k->kept; i++)
        if (k->entry[i].serial == parent) k->entry[i].chosen++;
    uint32_t combination = rfi_corpus_combination(hash);
    if (combination == RFI_COMBINATIONS) return;
    if (k->entry[0].combination == RFI_COMBINATIONS && !s.count)
        k->entry[0].combination = combination;
    else if (fresh || k->combination[combination] == 1)
        rfi_corpus_keep(&s, combination, fresh);
}

/* ---- the next abstract schedule ---- */

/* Energy: less with every execution that shows the same, and with every choice. */
RFI_FN uint64_t rfi_corpus_energy(const rfi_corpus_entry *e) {
    uint64_t f = rfi_corpus_frequency(e);
    uint64_t energy = (UINT64_C(1) << 32) / (f * (1 + (uint64_t)e->chosen));
    return (energy + 1) * (e->fresh ? RFI_CORPUS_FRESH : 1);
}

RFI_FN const rfi_corpus_entry *rfi_corpus_choose(rf_prng *chance) {
    const rfi_corpus *k = &rfi_corpus_now;
    uint64_t sum = 0, energy[RFI_CORPUS];
    for (uint32_t i = 0; i < k->kept; i++) sum += energy[i] = rfi_corpus_energy(&k->entry[i]);
    uint64_t at = rfi_draw(chance) % sum;
    for (uint32_t i = 0; i < k->kept; at -= energy[i++])
        if (at < energy[i]) return &k->entry[i];
    return &k->entry[0];
}

/* What was never seen, and asked for in vain only a few times, comes first. */
RFI_FN uint64_t rfi_pair_weight(const rfi_pair_known *p) {
    uint64_t weight = (UINT64_C(1) << 32) / (1 + (uint64_t)p->seen + p->asked);
    return (weight + 1) * (p->seen ? 1 : RFI_PAIR_UNSEEN);
}

/* A pair as a constraint, negative at most every second time: half as often as it is seen. */
RFI_FN rfi_wish rfi_corpus_wish(rf_prng *chance) {
    const rfi_corpus *k = &rfi_corpus_now;
    uint32_t i = 0;
    uint64_t sum = 0, weight;
    for (uint32_t j = 0; j < k->pairs; j++) sum += rfi_pair_weight(&k->pair[j]);
    uint64_t at = rfi_draw(chance) % sum;
    for (; at >= (weight = rfi_pair_weight(&k->pair[i])); i++) at -= weight;
    rfi_wish c = k->pair[i].wish;
    c.positive = rfi_below(chance, 2 * k->executions) >= k->pair[i].seen;
    return c;
}

RFI_FN void rfi_wishes_insert(rfi_wishes *s, const rfi_wish *c) {
    for (uint32_t i = 0; i < s->count; i++) {
        rfi_wish *o = &s->wish[i];
        if (o->write == c->write && o->read == c->read && o->other == c->other) {
            *o = *c;
            return;
        }
    }
    if (s->count < RFI_WISHES) s->wish[s->count++] = *c;
}

RFI_FN void rfi_wishes_delete(rfi_wishes *s, uint32_t i) {
    memmove(&s->wish[i], &s->wish[i + 1], (--s->count - i) * sizeof s->wish[0]);
}

/* Insert (half of the time), swap, delete or negate. */
RFI_FN void rfi_wishes_mutate(rfi_wishes *s, rf_prng *chance) {
    uint32_t how = s->count ? rfi_below(chance, 6) : 5;
    uint32_t i = s->count ? rfi_below(chance, s->count) : 0;
    if (how == 0) {
        s->wish[i].positive = !s->wish[i].positive;
        return;
    }
    if (how == 1 || how == 2 || s->count == RFI_WISHES) rfi_wishes_delete(s, i);
    if (how == 1) return;
    rfi_wish c = rfi_corpus_wish(chance);
    rfi_wishes_insert(s, &c);
}

/* Draws an abstract schedule; the serial number of the one it comes from. */
RFI_FN uint32_t rfi_corpus_next(rfi_wishes *s, rf_prng *chance) {
    s->count = 0;
    if (!rfi_corpus_now.pairs || !rfi_below(chance, RFI_CORPUS_PLAIN)) return 0;
    const rfi_corpus_entry *e = rfi_corpus_choose(chance);
    *s = e->wishes;
    do rfi_wishes_mutate(s, chance);
    while (!s->count || rfi_below(chance, 8) < RFI_CORPUS_MORE);
    return e->serial;
}
#endif
#endif

/* explore/choices.h: the choices of an execution, numbered, for strategies that go through all of
 * them one by one.
 *
 * A choice is a decision with several candidates, or what choose(n) asks for.  Its options have
 * ranks; rank 0 is the default: the thread of the previous step if it is a candidate, else the next
 * one in a circle; the value 0.  So an execution is told by its deviations from rank 0, each in two
 * numbers (how many choices after the last one, which rank): that is what tokens carry.
 *
 * Depth first, it takes very long until a thread of many steps runs before another one that has
 * rank 0.  So when many choices have been met without an end in sight, some executions are thrown
 * in that run threads by priority (serial.h).
 *
 * Below a checker that is directed at something, and wherever nobody learns, there is nothing to go
 * through: then all choices are drawn.
 * Optimised: fully, each step runs it.
 */
#ifndef RFI_EXPLORE_CHOICES_H
#define RFI_EXPLORE_CHOICES_H
#include "base/arena.h"
#include "engine/given.h"
#include "engine/iface.h"
#include "explore/serial.h"

#ifdef RFI_IMPL
typedef enum rfi_way { RFI_WAY_DRAW, RFI_WAY_EXPLORE, RFI_WAY_SERIAL, RFI_WAY_REPLAY } rfi_way;

typedef struct rfi_choices {
    rfi_way way;
    rf_prng stream;
    uint32_t number, told; /* choices so far; those before the last deviation and with it */
    uint8_t *used;         /* to be replayed */
    uint32_t used_bytes, capacity;
    uint32_t at, next, rank; /* in it; the next deviation */
    uint32_t last, row;      /* thread of the previous step; how many it has made in a row */
    uint32_t first;          /* has rank 0 in this decision */
    bool tired;              /* because the last one has had enough */
    unsigned look_for;       /* what threads look for by steps: RFI_FOR_... (given.h) */
    rfi_serials serials;
} rfi_choices;

/* So many decisions may leave the same thread where it is, before another one has rank 0. */
enum { RFI_PATIENCE = 1000 };

/* Stands before the deviations: so an execution without any is not taken for one that was drawn,
 * and it is known what threads look for, which the mark is more than RFI_USED_SERIAL by; or before
 * number and threads of one by priority. */
enum { RFI_USED_MARK = 1, RFI_USED_SERIAL };

/* ---- candidates by rank ---- */

/* Looks at a decision: what has rank 0?  The thread of the previous step if it is a candidate, else
 * the next one in a circle (so spinners that make way for each other do not starve the others); but
 * nobody for ever. */
RFI_INLINE void rfi_choices_look(rfi_choices *x, const rf_choice *c) {
    if (RFI_UNLIKELY(x->way == RFI_WAY_SERIAL)) rfi_serials_look(&x->serials);
    x->row = c->last == x->last ? x->row + 1 : 0;
    x->last = c->last;
    x->tired = x->row >= RFI_PATIENCE && c->count > 1;
    if (RFI_UNLIKELY(x->tired)) x->row = 0;
    bool stays = !x->tired && rfi_choice_has(c, c->last);
    x->first = stays ? c->last : rfi_choice_from(c, c->last + x->tired);
}

/* The others follow in the circle. */
RFI_FN uint32_t rfi_rank_thread(const rfi_choices *x, const rf_choice *c, uint32_t rank) {
    if (!rank) return x->first;
    return rfi_choice_at(c, (rfi_choice_below(c, x->first) + rank) % c->count);
}

RFI_FN uint32_t rfi_rank_of(const rfi_choices *x, const rf_choice *c, uint32_t thread) {
    if (thread == x->first) return 0;
    uint32_t before = rfi_choice_below(c, x->first), at = rfi_choice_below(c, thread);
    return at < before ? at + c->count - before : at - before;
}

/* A few bits that tell whether the same threads stand before the same operations. */
RFI_FN uint8_t rfi_choice_print(const rf_choice *c) {
    uint64_t h = c->count;
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t t = rfi_choice_at(c, i);
        const rf_event *e = rf_next_event(t);
        h = rfi_mix(h + t) + e->kind + ((uint64_t)e->object << 8);
        h = rfi_mix(h + (e->site ? e->site->line : 0)) + e->flags;
    }
    return (uint8_t)(rfi_mix(h) >> 56);
}

/* ---- an execution ---- */

RFI_FN void rfi_choices_next(rfi_choices *c) {
    rfi_bytes r = {c->used, c->at, c->used_bytes, false};
    bool more = r.at < r.room;
    c->next = more ? c->told + rfi_bytes_number(&r) : UINT32_MAX;
    c->rank = rfi_bytes_number(&r);
    c->at = r.at;
}

/* An execution by priority: the next one, or the one that is replayed. */
RFI_FN void rfi_choices_serial(rfi_choices *c, uint32_t number, uint32_t threads) {
    rfi_used_numbers((uint32_t[]){RFI_USED_SERIAL, number, threads}, 3);
    rfi_serials_begin(&c->serials, number, threads);
}

RFI_FN void rfi_choices_recalled(rfi_choices *c) {
    rfi_bytes r = rfi_bytes_of(c->used, c->used_bytes);
    uint32_t mark = rfi_bytes_number(&r);
    c->at = 1;
    c->look_for = mark > RFI_USED_SERIAL ? mark - RFI_USED_SERIAL : 0;
    if (mark != RFI_USED_SERIAL) {
        rfi_choices_next(c);
        return;
    }
    uint32_t number = rfi_bytes_number(&r), threads = rfi_bytes_number(&r);
    c->next = UINT32_MAX;
    rfi_choices_serial(c, number, threads);
}

/* `all`: everything has been explored; `over`: there is nothing left to explore. */
RFI_FN void rfi_choices_begin(rfi_choices *c, uint64_t seed, bool all, bool over) {
    uint32_t targets;
    (void)rf_check_targets(&targets);
    c->stream = (rf_prng){seed};
    c->number = c->told = c->row = 0;
    c->last = UINT32_MAX;
    if (c->way != RFI_WAY_REPLAY)
        c->way = all || targets || !rf_teach("", 0) ? RFI_WAY_DRAW
                 : rfi_serials_due(&c->serials)     ? RFI_WAY_SERIAL
                 : over                             ? RFI_WAY_DRAW
                                                    : RFI_WAY_EXPLORE;
    if (c->way == RFI_WAY_REPLAY)
        rfi_choices_recalled(c);
    else if (c->way == RFI_WAY_SERIAL)
        rfi_choices_serial(c, c->serials.done, c->serials.threads);
    if (c->way != RFI_WAY_REPLAY && c->way != RFI_WAY_EXPLORE) c->look_for = 0;
    uint8_t mark = (uint8_t)(c->look_for ? RFI_USED_SERIAL + c->look_for : RFI_USED_MARK);
    if (c->way == RFI_WAY_EXPLORE || (c->way == RFI_WAY_REPLAY && c->used[0] == mark))
        (void)rf_used(&mark, 1);
}

/* The rank of a choice that is not explored. */
RFI_FN uint32_t rfi_choices_given(rfi_choices *c, uint32_t options) {
    if (c->way == RFI_WAY_DRAW) return rfi_below(&c->stream, options);
    return c->number == c->next && c->rank < options ? c->rank : 0;
}

/* A choice is made that deviates. */
RFI_FN RFI_APART void rfi_choices_deviate(rfi_choices *c, uint32_t rank) {
    if (c->way != RFI_WAY_DRAW) rfi_used_numbers((uint32_t[]){c->number - c->told, rank}, 2);
    c->told = ++c->number;
    if (c->way == RFI_WAY_REPLAY) rfi_choices_next(c);
}

/* The choice is made. */
RFI_INLINE void rfi_choices_made(rfi_choices *c, uint32_t rank) {
    if (RFI_LIKELY(!rank))
        c->number++;
    else
        rfi_choices_deviate(c, rank);
}

RFI_FN void rfi_choices_recall(rfi_choices *c, const void *used, size_t bytes) {
    c->used = rfi_grow(c->used, &c->capacity, (uint32_t)bytes, 1);
    c->used_bytes = (uint32_t)bytes;
    c->way = RFI_WAY_DRAW;
    if (!bytes) return;
    memcpy(c->used, used, bytes);
    c->way = RFI_WAY_REPLAY;
}

/* From here on executions are not replays. */
RFI_FN void rfi_choices_forget(rfi_choices *c) { c->way = RFI_WAY_DRAW; }

/* ---- what can be said ---- */

/* Why nothing is claimed. */
typedef enum rfi_flaw {
    RFI_SOUND,
    RFI_UNREPEATED,
    RFI_TOO_LONG,
    RFI_BY_CHANCE,
    RFI_DIED,
    RFI_LIMITED,
    RFI_FORGOT,
    RFI_UNFINISHED,
    RFI_STATEFUL
} rfi_flaw;

/* Added to what is said to be all: nothing is claimed of what other memory does. */
# define RFI_UNDER_SC  "under sequentially consistent memory"
# define RFI_UNDER_C11 "under C11 memory"

/* The same where what may fail, or end by itself, for no reason does so once. */
# define RFI_NOT_TWICE " (nothing ends by itself, or fails, for no reason twice in a row)"

/* Behind what is said to be all. */
RFI_FN void rfi_add_unwatched(char *text, size_t bytes) {
    size_t n = strlen(text);
    const char *calls = rfi_given_unwatched();
    if (calls) snprintf(text + n, bytes - n, ", but not watched: %s", calls);
}

/* "all 34 schedules" */
RFI_FN int rfi_all_text(char *text, size_t bytes, uint64_t n, const char *what) {
    return n == 1 ? snprintf(text, bytes, "the one %s", what)
                  : snprintf(text, bytes, "all %llu %ss", (unsigned long long)n, what);
}

/* The sentence about n of them, which are or are not all. */
RFI_FN const char *rfi_progress_text(char *text, size_t bytes, uint64_t n, const char *what,
                                     bool all, rfi_flaw flaw, const char *under) {
    static const char *const why[] = {
        "there are more",
        "not known to be all: the same choices led elsewhere",
        "not known to be all: some have more choices than can be kept",
        "not known to be all: memory, time-outs, wake-ups or ends of children were drawn",
        "not known to be all: a process died while threads were blocked",
        "not known to be all: a limit of racefuzz ended some",
        "not known to be all: some stores were forgotten",
        "not known to be all: some reach the limit of steps",
        "not known to be all: the test keeps state between executions"};
    if (!n) return NULL;
    if (all && n > 1)
        snprintf(text, bytes, "all %llu %ss explored %s", (unsigned long long)n, what, under);
    else
        snprintf(text, bytes, "%llu %s%s explored %s, %s", (unsigned long long)n, what,
                 n == 1 ? "" : "s", under, all ? "there is no other" : why[flaw]);
    return text;
}
#endif
#endif

/* How many preemptions bench/bugs/safestack.c needs: a search through all states of its algorithm,
 * by preemptions, that shares nothing with racefuzz.  To leave a thread that has just yielded, or
 * has ended, is none.  tests/long/shrunk.sh compares what is told with this number. */
#include "tests/check.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, FEWEST = 7, ROOM = 1 << 23 };

typedef enum {
    COUNT,
    HEAD,
    TAKE,
    POP,
    LESS,
    BACK,
    PUT,
    LOOK,
    TOP,
    LINK,
    PUSH,
    MORE,
    WAIT,
    OVER
} at;

typedef struct {
    int8_t at, rounds, first, next, slot; /* slot: that it has */
} thread;

typedef struct {
    thread t[THREADS];
    int8_t head, count, link[3], value[3];
    int8_t last, yielded; /* who has made the last step, and was it a yield? */
} state;

/* A step; false: the assertion fails. */
static bool step(state *s, int me) {
    thread *t = &s->t[me];
    bool same = s->head == t->first;
    s->last = (int8_t)me;
    s->yielded = t->at == WAIT;
    switch ((at)t->at) {
    case COUNT: t->at = s->count > 1 ? HEAD : WAIT; break;
    case WAIT: t->at = COUNT; break;
    case HEAD: t->first = s->head, t->at = TAKE; break;
    case TAKE:
        t->next = s->link[t->first];
        s->link[t->first] = -1;
        t->at = t->next < 0 ? COUNT : POP;
        break;
    case POP:
        if (same) s->head = t->next;
        t->at = same ? LESS : BACK;
        break;
    case BACK: s->link[t->first] = t->next, t->at = COUNT; break;
    case LESS: s->count--, t->slot = t->first, t->at = PUT; break;
    case PUT: s->value[t->slot] = (int8_t)me, t->at = LOOK; break;
    case LOOK:
        if (s->value[t->slot] != me) return false;
        t->at = TOP;
        break;
    case TOP: t->first = s->head, t->at = LINK; break;
    case LINK: s->link[t->slot] = t->first, t->at = PUSH; break;
    case PUSH:
        if (same) s->head = t->slot;
        t->first = s->head;
        t->at = same ? MORE : LINK;
        break;
    case MORE:
        s->count++;
        *t = (thread){.at = t->rounds ? OVER : COUNT, .rounds = 1};
        break;
    case OVER: break;
    }
    return true;
}

static state *all;
static uint32_t *seen, states; /* 1 + number of the state */

static void add(const state *s) {
    uint64_t h = 0;
    const unsigned char *byte = (const unsigned char *)s;
    for (size_t i = 0; i < sizeof *s; i++) h = (h ^ byte[i]) * UINT64_C(0x100000001b3);
    for (h ^= h >> 29; seen[h % ROOM]; h++)
        if (!memcmp(&all[seen[h % ROOM] - 1], s, sizeof *s)) return;
    all[states] = *s;
    seen[h % ROOM] = ++states;
}

/* Adds what state i leads to, with a preemption or without; false: the assertion fails. */
static bool go_on(uint32_t i, bool preempts) {
    for (int t = 0; t < THREADS; t++) {
        state s = all[i];
        bool stays = t == s.last || s.last < 0 || s.yielded || s.t[s.last].at == OVER;
        if (s.t[t].at == OVER || stays == preempts) continue;
        if (!step(&s, t)) return false;
        add(&s);
    }
    return true;
}

/* The fewest preemptions with which it fails. */
static int fewest(void) {
    state s = {.count = 3, .link = {1, 2, -1}, .last = -1};
    add(&s);
    for (uint32_t from = 0, n = 0; states < ROOM / 2; n++) {
        uint32_t to;
        for (to = from; to < states; to++)
            if (!go_on(to, false)) return (int)n;
        printf("# %u states with %u preemptions\n", states, n);
        for (uint32_t i = from; i < to; i++)
            if (!go_on(i, true)) return (int)n + 1;
        from = to;
    }
    return -1;
}

int main(void) {
    all = malloc(ROOM / 2 * sizeof *all + 16 * sizeof *all);
    seen = calloc(ROOM, sizeof *seen);
    if (!all || !seen) return 1;
    int n = fewest();
    CHECK("safestack_needs_seven_preemptions", n == FEWEST);
    return check_end();
}

/* Random litmus programs, and variations of given ones. */
#ifndef LITMUS_GENERATE_H
#define LITMUS_GENERATE_H

#include "machine.h"

enum { GENERATE_OPERATIONS = 8, GENERATE_LOCATIONS = 3 };

/* What a program likes. */
struct generate {
    struct litmus_program *p;
    uint64_t chance;
    int taste; /* 0 all orders alike, 1 mostly seq_cst, 2 relaxed, 3 release and acquire */
    int plain; /* the location that plain accesses go to, or -1 */
    int locations, fences;
    int value;                         /* stores have different values: the last one; or -1 */
    int last[LITMUS_REGISTERS], lasts; /* registers of the thread */
};

static inline bool generate_one_in(struct generate *g, int n) {
    return !litmus_below(&g->chance, n);
}

/* One of the orders given, most often one that suits the program's taste. */
static inline enum litmus_order generate_order(struct generate *g, bool acquires, bool releases) {
    int taste = generate_one_in(g, 4) ? 0 : g->taste;
    enum litmus_order both = acquires && releases ? LITMUS_ACQ_REL
                             : acquires           ? LITMUS_ACQ
                                                  : LITMUS_REL;
    enum litmus_order any[] = {LITMUS_RLX, LITMUS_SC, acquires ? LITMUS_ACQ : LITMUS_REL,
                               releases ? LITMUS_REL : LITMUS_ACQ, both};
    switch (taste) {
    case 1: return LITMUS_SC;
    case 2: return LITMUS_RLX;
    case 3: return both;
    default: return any[litmus_below(&g->chance, 5)];
    }
}

static inline void generate_orders(struct generate *g, struct litmus_statement *s) {
    s->order = generate_order(g, s->kind != LITMUS_STORE, s->kind != LITMUS_LOAD);
    if (s->kind == LITMUS_FENCE && s->order == LITMUS_RLX) s->order = LITMUS_SC;
    s->failure = litmus_forms[s->kind].orders > 1 ? generate_order(g, true, false) : s->order;
}

static inline int generate_register(struct generate *g) {
    struct litmus_program *p = g->p;
    snprintf(p->reg[p->registers], LITMUS_NAME, "r%d", p->registers);
    g->last[g->lasts++] = p->registers;
    return p->registers++;
}

/* A small constant, or sometimes what the thread has read. */
static inline struct litmus_operand generate_operand(struct generate *g) {
    if (g->lasts && generate_one_in(g, 6))
        return (struct litmus_operand){.from = g->last[litmus_below(&g->chance, g->lasts)]};
    int value = g->value < 0 ? 1 + litmus_below(&g->chance, 3) : ++g->value;
    return (struct litmus_operand){.value = value, .from = -1};
}

static inline void generate_condition(struct generate *g, struct litmus_statement *s) {
    s->terms = 1 + generate_one_in(g, 4);
    for (int i = 0; i < s->terms; i++)
        s->term[i] = (struct litmus_term){.from = g->last[litmus_below(&g->chance, g->lasts)],
                                          .value = litmus_below(&g->chance, 3),
                                          .equal = !generate_one_in(g, 3)};
    s->any = s->terms > 1 && generate_one_in(g, 2);
}

static inline enum litmus_kind generate_kind(struct generate *g) {
    if (generate_one_in(g, g->fences)) return LITMUS_FENCE;
    int n = litmus_below(&g->chance, 24);
    if (n < 8) return LITMUS_STORE;
    if (n < 16) return LITMUS_LOAD;
    return LITMUS_ADD + (enum litmus_kind)(n - 16);
}

static inline void generate_statement(struct generate *g, struct litmus_statement *s) {
    *s = (struct litmus_statement){.location = -1, .result = -1, .success = -1};
    if (g->lasts && generate_one_in(g, 10)) generate_condition(g, s);
    s->kind = generate_kind(g);
    const struct litmus_form *form = &litmus_forms[s->kind];
    if (form->locations) s->location = litmus_below(&g->chance, g->locations);
    for (int i = 0; i < form->operands; i++) s->operand[i] = generate_operand(g);
    if (form->operands == 2 && s->operand[0].from < 0)
        s->operand[0].value = litmus_below(&g->chance, 3);
    generate_orders(g, s);
    bool can_be_plain = s->kind == LITMUS_STORE || s->kind == LITMUS_LOAD;
    if (can_be_plain && s->location == g->plain && generate_one_in(g, 2))
        s->order = s->failure = LITMUS_NA;
    if (form->results) s->result = generate_register(g);
    if (form->results > 1) s->success = generate_register(g);
}

static inline struct generate generate_begin(struct litmus_program *p, uint64_t seed,
                                             uint64_t index) {
    struct generate g = {.p = p, .chance = seed * UINT64_C(0xd1342543de82ef95) + index};
    uint64_t high = (uint64_t)litmus_below(&g.chance, 1 << 30);
    g.chance ^= high << 30;
    snprintf(p->name, sizeof p->name, "%llu:%llu", (unsigned long long)seed,
             (unsigned long long)index);
    g.taste = litmus_below(&g.chance, 4);
    g.value = -litmus_below(&g.chance, 2);
    g.plain = -1;
    return g;
}

/* Program number `index` of a seed. */
static inline void litmus_generate(struct litmus_program *p, uint64_t seed, uint64_t index) {
    *p = (struct litmus_program){0};
    struct generate g = generate_begin(p, seed, index);
    g.locations = 1 + litmus_below(&g.chance, GENERATE_LOCATIONS);
    g.fences = 3 + litmus_below(&g.chance, 8);
    if (generate_one_in(&g, 4)) g.plain = litmus_below(&g.chance, g.locations);
    p->locations = g.locations;
    for (int x = 0; x < g.locations; x++) {
        snprintf(p->location[x], LITMUS_NAME, "%c", "xyz"[x]);
        p->initial[x] = generate_one_in(&g, 8);
    }
    p->threads = 2 + litmus_below(&g.chance, 5) * 5 / 8;
    int left = GENERATE_OPERATIONS - litmus_below(&g.chance, 3) - p->threads;
    for (int t = 0; t < p->threads; t++) p->thread[t].statements = 1;
    for (; left > 0; left--) p->thread[litmus_below(&g.chance, p->threads)].statements++;
    for (int t = 0; t < p->threads; t++) {
        g.lasts = 0;
        for (int i = 0; i < p->thread[t].statements; i++)
            generate_statement(&g, &p->thread[t].statement[i]);
    }
}

static inline void generate_other_kind(struct generate *g, struct litmus_statement *s) {
    struct litmus_program *p = g->p;
    if (p->registers == LITMUS_REGISTERS || s->order == LITMUS_NA) return;
    if (s->kind == LITMUS_LOAD) {
        s->kind = generate_one_in(g, 2) ? LITMUS_ADD : LITMUS_OR;
        s->operand[0] = (struct litmus_operand){.from = -1};
    } else if (s->kind == LITMUS_STORE) {
        s->kind = LITMUS_XCHG;
        snprintf(p->reg[p->registers], LITMUS_NAME, "more%d", p->registers);
        s->result = p->registers++;
    }
}

/* Gives a program other orders, fences, and updates for loads and stores, here and there. */
static inline void litmus_vary(struct litmus_program *p, uint64_t seed, uint64_t index) {
    struct generate g = generate_begin(p, seed, index);
    int statements = 0;
    for (int t = 0; t < p->threads; t++) statements += p->thread[t].statements;
    for (int t = 0; t < p->threads; t++) {
        struct litmus_thread *thread = &p->thread[t];
        for (int i = 0; i < thread->statements; i++) {
            struct litmus_statement *s = &thread->statement[i];
            if (generate_one_in(&g, 8)) generate_other_kind(&g, s);
            if (generate_one_in(&g, 2) && (s->order != LITMUS_NA || generate_one_in(&g, 6)))
                generate_orders(&g, s);
            if (i && statements <= GENERATE_OPERATIONS && thread->statements < LITMUS_STATEMENTS &&
                generate_one_in(&g, 6)) {
                memmove(s + 1, s, (size_t)(thread->statements++ - i) * sizeof *s);
                *s = (struct litmus_statement){.location = -1, .result = -1, .success = -1};
                generate_orders(&g, s);
                statements++;
                i++;
            }
        }
    }
}

#endif

/* tests/choices.h: all strings of choices, depth first: choices_make is asked for each choice in
 * turn, choices_next goes on to the next string. */
#ifndef CHOICES_H
#define CHOICES_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct choices {
    uint32_t ways[128], taken[128], count, at;
} choices;

static inline uint32_t choices_make(choices *c, uint32_t ways) {
    bool fresh = c->at == c->count;
    if (c->at == 128 || (!fresh && c->ways[c->at] != ways)) {
        fprintf(stderr, "too many choices, or they do not depend on earlier ones alone\n");
        exit(1);
    }
    if (fresh) {
        c->ways[c->count] = ways;
        c->taken[c->count++] = 0;
    }
    return c->taken[c->at++];
}

/* False after the last one. */
static inline bool choices_next(choices *c) {
    while (c->count && c->taken[c->count - 1] + 1 == c->ways[c->count - 1]) c->count--;
    if (c->count) c->taken[c->count - 1]++;
    c->at = 0;
    return c->count > 0;
}
#endif

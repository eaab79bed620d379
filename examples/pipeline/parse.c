/* parse.c: parsing a line. */
#include "parse.h"
#include <string.h>

enum { MAX_DIGITS = 12 }; /* with any factor still far from overflow */

void units_init(units *u) {
    RF_STORE(u->unit[0], (struct unit){'k', 1000});
    RF_STORE(u->unit[1], (struct unit){'M', 1000000});
}

/* 0: no such unit. */
static int64_t factor(const units *u, char letter) {
    for (int i = 0; i < UNITS; i++) {
        struct unit unit = RF_LOAD(u->unit[i]);
        if (unit.letter == letter) return unit.factor;
    }
    return 0;
}

uint32_t parse_line(const units *u, const char *text, parsed_line *out) {
    size_t at = strcspn(text, " ");
    out->name_length = at;
    out->value = 0;
    if (at == 0 || !text[at]) return (uint32_t)at + 1;

    size_t digits = strspn(text + ++at, "0123456789");
    if (digits == 0 || digits > MAX_DIGITS) return (uint32_t)at + 1;
    for (; digits > 0; digits--) out->value = out->value * 10 + (text[at++] - '0');

    if (text[at]) {
        int64_t scale = factor(u, text[at]);
        if (scale == 0) return (uint32_t)at + 1;
        out->value *= scale;
        at++;
    }
    return text[at] ? (uint32_t)at + 1 : 0;
}

/* parse.h: the grammar of a line: a name, a space, a number, and perhaps a unit. */
#ifndef PARSE_H
#define PARSE_H
#include "racefuzz.h"
#include <stddef.h>
#include <stdint.h>

enum { UNITS = 2 };

/* Letters that stand for a factor. */
typedef struct units {
    struct unit {
        char letter;
        int64_t factor;
    } unit[UNITS];
} units;

typedef struct parsed_line {
    size_t name_length; /* the name begins the line */
    int64_t value;
} parsed_line;

void units_init(units *u);

/* 0, or the column (from 1) of what can't be understood. */
uint32_t parse_line(const units *u, const char *text, parsed_line *out);

#endif

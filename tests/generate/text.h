/* tests/generate/text.h: chance, and the text of a program while it is being made. */
#ifndef TEXT_H
#define TEXT_H
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t chance_state;

/* splitmix64 */
static uint64_t draw(void) {
    uint64_t z = chance_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
static unsigned below(unsigned n) { return (unsigned)(draw() % n); }
static bool one_in(unsigned n) { return below(n) == 0; }

typedef struct text {
    char *s;
    size_t len, room;
    unsigned depth; /* of braces */
} text;

static void text_add(text *t, const char *s) {
    size_t n = strlen(s);
    if (t->len + n + 1 > t->room) {
        t->room = 2 * (t->len + n + 1);
        t->s = realloc(t->s, t->room);
        if (!t->s) abort();
    }
    memcpy(t->s + t->len, s, n + 1);
    t->len += n;
}

/* One line, which is indented as its braces ask. */
static void text_line(text *t, const char *fmt, va_list ap) {
    char line[400];
    int n = vsnprintf(line, sizeof line, fmt, ap);
    if (n <= 0 || (size_t)n >= sizeof line) abort();
    if (line[0] == '}') t->depth--;
    for (unsigned i = 0; i < t->depth; i++) text_add(t, "    ");
    if (line[n - 1] == '{') t->depth++;
    text_add(t, line);
    text_add(t, "\n");
}
#endif

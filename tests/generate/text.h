/* tests/generate/text.h: chance, and the text of a program while it is being made. */
#ifndef TEXT_H
#define TEXT_H
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CODE_MOST = 4000 };

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
static void text_line(text *t, const char *line, size_t n) {
    char piece[CODE_MOST];
    if (*line == '}') t->depth--;
    for (unsigned i = 0; i < t->depth; i++) text_add(t, "    ");
    if (line[n - 1] == '{') t->depth++;
    snprintf(piece, sizeof piece, "%.*s\n", (int)n, line);
    text_add(t, piece);
}

/* Lines: they end behind a statement, and behind the braces of one. */
static void text_lines(text *t, const char *s) {
    unsigned inside = 0; /* parentheses, or braces that are no statement's */
    for (size_t n = 0; *s; n++) {
        char c = s[n];
        bool block =
            !inside &&
            (c == '}' || (c == '{' && s[n + 1] != '}' && s[n - 1] == ' ' && s[n - 2] == ')'));
        if (!block && c && strchr("({", c)) inside++;
        if (!block && c && strchr(")}", c)) inside--;
        if (c && !block && (c != ';' || inside)) continue;
        text_line(t, s, n + (c != 0));
        s += n + (c != 0);
        s += strspn(s, " ");
        n = (size_t)-1;
    }
}

/* Code, in which $ is a name. */
static void text_code(text *t, const char *name, const char *fmt, va_list ap) {
    char code[CODE_MOST], named[CODE_MOST], *to = named;
    int n = vsnprintf(code, sizeof code, fmt, ap);
    if (n <= 0 || (size_t)n >= sizeof code) abort();
    for (const char *s = code; *s; s++) {
        if (to + strlen(name) + 1 >= named + sizeof named) abort();
        if (*s == '$')
            to = stpcpy(to, name);
        else
            *to++ = *s;
    }
    *to = 0;
    text_lines(t, named);
}
#endif

/* report/terminal.h: where a report is written to, and how text is fitted onto its lines.
 *
 * Colours follow no-color.org and bixense.com/clicolors: NO_COLOR wins, then CLICOLOR_FORCE, then
 * whether it is a terminal that understands them.  The width is that of COLUMNS, of the terminal,
 * or 100.  The text of users (expressions, log lines, messages) passes rfi_line_add(), which lets
 * only printable UTF-8 through, so that nothing of it can steer a terminal; it is cut between
 * characters only.  What racefuzz writes itself is ASCII.
 */
#ifndef RFI_REPORT_TERMINAL_H
#define RFI_REPORT_TERMINAL_H
#include "base/platform.h"

#ifdef RFI_IMPL
# define RFI_WIDTH_LEAST   40u
# define RFI_WIDTH_MOST    400u
# define RFI_WIDTH_DEFAULT 100u
# define RFI_LINE_BYTES    1536u

typedef enum rfi_style { RFI_PLAIN, RFI_BOLD, RFI_DIM, RFI_GOOD, RFI_BAD, RFI_WARN } rfi_style;

typedef struct rfi_term {
    FILE *out;
    unsigned width;
    bool colour;
} rfi_term;

/* A line under construction: printable UTF-8, cut with "..." when it is full. */
typedef struct rfi_line {
    unsigned bytes;
    char s[RFI_LINE_BYTES];
} rfi_line;

/* A terminal that can rewrite its line. */
RFI_FN bool rfi_is_terminal(FILE *out) {
    const char *term = getenv("TERM");
    return isatty(fileno(out)) && term && *term && strcmp(term, "dumb") != 0;
}

RFI_FN bool rfi_wants_colour(FILE *out) {
    const char *no = getenv("NO_COLOR"), *force = getenv("CLICOLOR_FORCE");
    if (no && *no) return false;
    if (force && *force && strcmp(force, "0") != 0) return true;
    return rfi_is_terminal(out);
}

RFI_FN unsigned rfi_width(FILE *out) {
    const char *columns = getenv("COLUMNS");
    char *end = NULL;
    unsigned long n =
        columns && *columns >= '0' && *columns <= '9' ? strtoul(columns, &end, 10) : 0;
    if (n == 0 || *end) {
        struct winsize size;
        n = isatty(fileno(out)) && !ioctl(fileno(out), TIOCGWINSZ, &size) ? size.ws_col : 0;
        if (n == 0) n = RFI_WIDTH_DEFAULT;
    }
    return n < RFI_WIDTH_LEAST  ? RFI_WIDTH_LEAST
           : n > RFI_WIDTH_MOST ? RFI_WIDTH_MOST
                                : (unsigned)n;
}

RFI_FN rfi_term rfi_term_of(FILE *out) {
    rfi_term t = {out, rfi_width(out), rfi_wants_colour(out)};
    return t;
}

RFI_FN void rfi_style_begin(const rfi_term *t, rfi_style style) {
    static const char *const codes[] = {"",         "\033[1m",    "\033[2m",
                                        "\033[32m", "\033[1;31m", "\033[1;33m"};
    if (t->colour) fputs(codes[style], t->out);
}

RFI_FN void rfi_style_end(const rfi_term *t, rfi_style style) {
    if (t->colour && style != RFI_PLAIN) fputs("\033[0m", t->out);
}

RFI_FN RFI_PRINTF(3, 4) void rfi_styled(const rfi_term *t, rfi_style style, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    rfi_style_begin(t, style);
    vfprintf(t->out, fmt, ap);
    rfi_style_end(t, style);
    va_end(ap);
}

/* Columns that a character takes: 0 for marks that combine with the one before, 2 for East Asian
 * wide ones and pictures, else 1.  The ranges are those of Unicode in whole blocks. */
RFI_FN unsigned rfi_char_columns(uint32_t c) {
    if ((c >= 0x300 && c < 0x370) || (c >= 0x200b && c < 0x2010) || (c >= 0xfe00 && c < 0xfe10))
        return 0;
    return (c >= 0x1100 && c < 0x1160) || (c >= 0x2e80 && c < 0xa4d0) ||
                   (c >= 0xac00 && c < 0xd7a4) || (c >= 0xf900 && c < 0xfb00) ||
                   (c >= 0xff00 && c < 0xff61) || (c >= 0x1f300 && c < 0x1fb00) ||
                   (c >= 0x20000 && c < 0x40000)
               ? 2
               : 1;
}

/* Bytes of the printable UTF-8 character at s and its columns; 0 bytes if there is none: a control
 * character, the end, or no UTF-8 (RFC 3629: no overlong forms, no surrogates). */
RFI_FN unsigned rfi_char(const char *s, unsigned *columns) {
    const unsigned char *u = (const unsigned char *)s;
    unsigned bytes = u[0] < 0x80 ? 1 : u[0] < 0xc2 ? 0 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
    uint32_t c = bytes == 1 ? u[0] : u[0] & (0x7fu >> bytes);
    for (unsigned i = 1; i < bytes; i++) {
        if ((u[i] & 0xc0) != 0x80) return 0;
        c = c << 6 | (u[i] & 0x3fu);
    }
    static const uint32_t least[] = {0, ' ', 0xa0, 0x800, 0x10000};
    if (c < least[bytes] || c == 0x7f || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff) return 0;
    if ((c & 0xfffe) == 0xfffe) return 0; /* no character; XML has no way to write it */
    *columns = rfi_char_columns(c);
    return bytes;
}

/* Columns of a text made by rfi_line_add(). */
RFI_FN unsigned rfi_columns(const char *s) {
    unsigned all = 0, columns = 0;
    for (unsigned n; (n = rfi_char(s, &columns)) != 0; s += n) all += columns;
    return all;
}

/* Appends formatted text.  White space becomes one space each, other controls and broken UTF-8 '?'.
 */
RFI_FN RFI_PRINTF(2, 3) void rfi_line_add(rfi_line *l, const char *fmt, ...) {
    char raw[RFI_LINE_BYTES];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(raw, sizeof raw, fmt, ap);
    va_end(ap);
    for (const char *s = raw; *s;) {
        unsigned columns, bytes = rfi_char(s, &columns);
        if (l->bytes + 8 > RFI_LINE_BYTES) { /* room for a character, "..." and the end */
            memcpy(l->s + l->bytes, "...", 4);
            return;
        }
        if (bytes) {
            memcpy(l->s + l->bytes, s, bytes);
        } else {
            l->s[l->bytes] = *s == '\t' || *s == '\n' || *s == '\r' ? ' ' : '?';
            bytes = 1;
        }
        l->bytes += bytes;
        s += bytes;
    }
    l->s[l->bytes] = 0;
}

/* How many bytes of s go on a line of `room` columns: all, else up to a space in its second half,
 * else as many characters as fit, one at least.  *used: their columns. */
RFI_FN size_t rfi_line_fit(const char *s, unsigned room, unsigned *used) {
    size_t at = 0, space = 0;
    unsigned columns = 0, space_columns = 0, width = 0;
    *used = 0;
    for (unsigned n; (n = rfi_char(s + at, &width)) != 0; at += n, columns += width) {
        if (s[at] == ' ' && columns <= room) space = at, space_columns = columns;
        if (columns + width <= room || at == 0) continue;
        if (space_columns * 2 < room) break;
        *used = space_columns;
        return space;
    }
    *used = columns;
    return at;
}

/* Prints a text (made by rfi_line_add) from column `indent` on, wrapped; further lines start at
 * `hang`. The cursor stands at column `at`. */
RFI_FN void rfi_wrapped(const rfi_term *t, rfi_style style, unsigned at, unsigned indent,
                        unsigned hang, const char *s) {
    do {
        unsigned used;
        size_t n = rfi_line_fit(s, t->width > indent + 10 ? t->width - indent : 10, &used);
        fprintf(t->out, "%*s", (int)(indent - at), "");
        rfi_styled(t, style, "%.*s", (int)n, s);
        fputc('\n', t->out);
        s += n;
        while (*s == ' ') s++;
        indent = hang;
        at = 0;
    } while (*s);
}

/* Prints a message line by line, wrapped, from column `indent` on and where its lines begin. */
RFI_FN void rfi_paragraphs(const rfi_term *t, rfi_style style, unsigned indent, const char *s) {
    while (*s) {
        unsigned more = (unsigned)strspn(s, " ");
        size_t n = strcspn(s, "\n");
        rfi_line l = {0};
        rfi_line_add(&l, "%.*s", (int)(n < RFI_LINE_BYTES ? n : RFI_LINE_BYTES), s);
        rfi_wrapped(t, style, 0, indent + more, indent + more + 2, l.s + (n ? more : 0));
        s += n + (s[n] == '\n');
    }
}

/* Prints foreign text line by line, each behind `prefix`; a newline at its end adds no line. */
RFI_FN void rfi_quoted(const rfi_term *t, rfi_style style, const char *prefix, const char *s) {
    while (*s) {
        size_t n = strcspn(s, "\n");
        rfi_line l = {0};
        rfi_line_add(&l, "%.*s", (int)(n < RFI_LINE_BYTES ? n : RFI_LINE_BYTES), s);
        fputs(prefix, t->out);
        rfi_styled(t, style, "%s\n", l.s);
        s += n + (s[n] == '\n');
    }
}
#endif
#endif

/* engine/lines.h: which line of the source a machine instruction belongs to, from the program's own
 * file (DWARF 5, section 6.2).
 *
 * addr2line gives more, the functions that were inlined, but it may not be there; and that of
 * binutils 2.40 and before takes the first functions of a unit, where they come from a header, for
 * lines of the unit's own file.  Older forms of DWARF, which it reads well, are left to it.
 * Optimised: not, it runs rarely.
 */
#ifndef RFI_ENGINE_LINES_H
#define RFI_ENGINE_LINES_H
#include "engine/symbols.h"

#ifdef RFI_IMPL
typedef struct rfi_line_asked {
    uint32_t distance; /* in order of these */
    uint32_t line;     /* 0: not known */
    char *file;        /* of this much room */
    size_t room;
} rfi_line_asked;

# ifdef __linux__
/* What is read one behind the other; `bad`: it goes on behind its end. */
typedef struct rfi_dwarf {
    const uint8_t *p, *end;
    bool bad;
} rfi_dwarf;

RFI_FN uint64_t rfi_dwarf_number(rfi_dwarf *b, unsigned n) {
    uint64_t x = 0;
    if ((size_t)(b->end - b->p) < n) {
        b->bad = true;
        return 0;
    }
    memcpy(&x, b->p, n); /* of a little-endian machine, as all are that have hooks */
    b->p += n;
    return x;
}

/* LEB128 */
RFI_FN int64_t rfi_dwarf_leb(rfi_dwarf *b, bool sign) {
    uint64_t x = 0, byte = 0x80;
    unsigned shift = 0;
    for (; byte & 0x80 && !b->bad; shift += 7) {
        byte = rfi_dwarf_number(b, 1);
        if (shift < 64) x |= (byte & 0x7f) << shift;
    }
    if (sign && byte & 0x40 && shift < 64) x |= ~UINT64_C(0) << shift;
    return (int64_t)x;
}

RFI_FN uint64_t rfi_dwarf_unsigned(rfi_dwarf *b) { return (uint64_t)rfi_dwarf_leb(b, false); }

RFI_FN void rfi_dwarf_skip(rfi_dwarf *b, uint64_t n) {
    b->bad |= n > (uint64_t)(b->end - b->p);
    b->p = b->bad ? b->end : b->p + n;
}

/* A text that ends within. */
RFI_FN const char *rfi_dwarf_text(rfi_dwarf *b) {
    const char *s = (const char *)b->p;
    const uint8_t *end = b->p < b->end ? memchr(b->p, 0, (size_t)(b->end - b->p)) : NULL;
    b->bad |= !end;
    b->p = end ? end + 1 : b->end;
    return end ? s : "";
}

enum { RFI_LINES_PROGRAM, RFI_LINES_TEXT, RFI_LINES_OTHER_TEXT, RFI_LINES_SECTIONS };

/* One table, of one unit. */
typedef struct rfi_lines {
    rfi_dwarf section[RFI_LINES_SECTIONS];
    rfi_dwarf names; /* from where its folders and files are listed */
    rfi_dwarf steps;
    uint8_t shortest, least, range, first, operands[256]; /* of an opcode */
    rfi_line_asked *asked;
    uint32_t count;
} rfi_lines;

/* One value of an entry; what is neither a text nor a number is passed by. */
RFI_FN const char *rfi_lines_value(const rfi_lines *l, rfi_dwarf *b, uint64_t form, uint64_t *n) {
    rfi_dwarf at;
    switch (form) {
    case 0x08: return rfi_dwarf_text(b); /* DW_FORM_string */
    case 0x0e:                           /* DW_FORM_strp, DW_FORM_line_strp */
    case 0x1f:
        at = l->section[form == 0x1f ? RFI_LINES_TEXT : RFI_LINES_OTHER_TEXT];
        rfi_dwarf_skip(&at, rfi_dwarf_number(b, 4));
        return rfi_dwarf_text(&at);
    case 0x0b: *n = rfi_dwarf_number(b, 1); break;
    case 0x05: *n = rfi_dwarf_number(b, 2); break;
    case 0x06: *n = rfi_dwarf_number(b, 4); break;
    case 0x07: *n = rfi_dwarf_number(b, 8); break;
    case 0x0f: *n = rfi_dwarf_unsigned(b); break;
    case 0x1e: rfi_dwarf_skip(b, 16); break; /* an MD5 sum */
    case 0x09: rfi_dwarf_skip(b, rfi_dwarf_unsigned(b)); break;
    default: b->bad = true;
    }
    return NULL;
}

/* Entry `number` of a list, and its folder; NULL: there is none.  With UINT64_MAX, *b is behind the
 * list then. */
RFI_FN const char *rfi_lines_entry(const rfi_lines *l, rfi_dwarf *b, uint64_t number,
                                   uint64_t *folder) {
    uint64_t format[16][2], formats = rfi_dwarf_number(b, 1);
    if (formats > 16) b->bad = true;
    for (uint64_t i = 0; i < formats && !b->bad; i++)
        for (unsigned k = 0; k < 2; k++) format[i][k] = rfi_dwarf_unsigned(b);
    uint64_t all = rfi_dwarf_unsigned(b);
    for (uint64_t i = 0; i < all && !b->bad; i++) {
        const char *name = NULL;
        for (uint64_t k = 0; k < formats; k++) {
            uint64_t n = 0;
            const char *s = rfi_lines_value(l, b, format[k][1], &n);
            if (format[k][0] == 1) name = s;    /* DW_LNCT_path */
            if (format[k][0] == 2) *folder = n; /* DW_LNCT_directory_index */
        }
        if (i == number) return b->bad ? NULL : name;
    }
    return NULL;
}

RFI_FN bool rfi_lines_file(const rfi_lines *l, uint64_t number, char *file, size_t room) {
    rfi_dwarf b = l->names;
    uint64_t folder = 0, unused;
    rfi_lines_entry(l, &b, UINT64_MAX, &unused);
    const char *name = rfi_lines_entry(l, &b, number, &folder), *in = "", *in_all = "";
    if (!name || !*name) return false;
    b = l->names;
    if (*name != '/') in = rfi_lines_entry(l, &b, folder, &unused);
    b = l->names;
    if (in && *in != '/' && *name != '/') in_all = rfi_lines_entry(l, &b, 0, &unused);
    if (!in || !in_all) return false;
    bool here = !*in || (folder == 0 && *in_all); /* the unit's own folder, once */
    size_t n = (size_t)snprintf(file, room, "%s%s%s%s%s", in_all, *in_all ? "/" : "",
                                here ? "" : in, here ? "" : "/", name);
    return n < room;
}

/* All code from `begin` to `end` is of this line. */
RFI_FN void rfi_lines_row(rfi_lines *l, uint64_t begin, uint64_t end, uint64_t file,
                          uint64_t line) {
    uint32_t low = 0, high = l->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (l->asked[middle].distance < begin)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < l->count && l->asked[low].distance < end; low++) {
        rfi_line_asked *a = &l->asked[low];
        if (line <= UINT32_MAX && rfi_lines_file(l, file, a->file, a->room))
            a->line = (uint32_t)line;
    }
}

/* The state machine of section 6.2.2; what it does not need of that is left out. */
RFI_FN void rfi_lines_run(rfi_lines *l) {
    rfi_dwarf *b = &l->steps;
    uint64_t at = 0, file = 1, line = 1, row_at = 0, row_file = 0, row_line = 0;
    bool row = false;
    while (b->p < b->end && !b->bad) {
        uint64_t op = rfi_dwarf_number(b, 1), shown = op == 1, over = 0;
        if (op >= l->first) {
            at += (op - l->first) / l->range * l->shortest;
            line += (uint64_t)(int64_t)((int8_t)l->least + (int)((op - l->first) % l->range));
            shown = true;
        } else if (op == 0) {
            uint64_t n = rfi_dwarf_unsigned(b);
            const uint8_t *from = b->p;
            uint64_t what = rfi_dwarf_number(b, 1);
            if (what == 2 && n == 9) at = rfi_dwarf_number(b, 8);
            shown = over = what == 1;
            b->p = from;
            rfi_dwarf_skip(b, n);
        } else if (op == 2) {
            at += rfi_dwarf_unsigned(b) * l->shortest;
        } else if (op == 3) {
            line += (uint64_t)rfi_dwarf_leb(b, true);
        } else if (op == 4) {
            file = rfi_dwarf_unsigned(b);
        } else if (op == 8) {
            at += (255u - l->first) / l->range * l->shortest;
        } else if (op == 9) {
            at += rfi_dwarf_number(b, 2);
        } else {
            for (unsigned i = 0; i < l->operands[op]; i++) rfi_dwarf_unsigned(b);
        }
        if (!shown) continue;
        if (row && row_at < at) rfi_lines_row(l, row_at, at, row_file, row_line);
        row = !over, row_at = at, row_file = file, row_line = line;
        if (over) at = 0, file = 1, line = 1;
    }
}

RFI_FN void rfi_lines_unit(rfi_lines *l, rfi_dwarf b) {
    if (rfi_dwarf_number(&b, 2) != 5) return;
    if (rfi_dwarf_number(&b, 1) != 8 || rfi_dwarf_number(&b, 1) != 0) return;
    uint64_t rest = rfi_dwarf_number(&b, 4);
    l->steps = b;
    rfi_dwarf_skip(&l->steps, rest);
    l->shortest = (uint8_t)rfi_dwarf_number(&b, 1);
    rfi_dwarf_skip(&b, 2); /* operations of an instruction: 1; whether a row is a statement */
    l->least = (uint8_t)rfi_dwarf_number(&b, 1);
    l->range = (uint8_t)rfi_dwarf_number(&b, 1);
    l->first = (uint8_t)rfi_dwarf_number(&b, 1);
    for (unsigned i = 1; i < l->first; i++) l->operands[i] = (uint8_t)rfi_dwarf_number(&b, 1);
    l->names = b;
    if (l->range && l->first && !b.bad && !l->steps.bad) rfi_lines_run(l);
}

RFI_FN void rfi_lines_find(rfi_line_asked *asked, uint32_t count) {
    static const char *const name[] = {".debug_line", ".debug_line_str", ".debug_str"};
    rfi_lines l = {.asked = asked, .count = count};
    for (unsigned i = 0; i < RFI_LINES_SECTIONS; i++) {
        size_t bytes;
        const uint8_t *p = (const void *)rfi_symbols_section(name[i], &bytes);
        l.section[i] = (rfi_dwarf){p, p + bytes, false};
    }
    for (rfi_dwarf b = l.section[RFI_LINES_PROGRAM]; b.p < b.end && !b.bad;) {
        uint64_t n = rfi_dwarf_number(&b, 4);
        rfi_dwarf unit = b;
        rfi_dwarf_skip(&b, n); /* 0xffffffff, of the form of 64 bits, is behind the end */
        unit.end = b.p;
        if (!b.bad) rfi_lines_unit(&l, unit);
    }
}
# else
RFI_FN void rfi_lines_find(rfi_line_asked *asked, uint32_t count) { (void)asked, (void)count; }
# endif
#endif
#endif

/* engine/code.h: statements that are known by the address of their machine code only.
 *
 * Code that is tested without an edit (src/hook) makes no descriptors of its statements.  A place
 * is made for each address, in memory that all workers share, so that a pointer to one means the
 * same in all of them.  What identifies a place is its function and the distance from where that
 * begins: the same in every process, whatever else is linked to it, and found without debugging
 * information.  File and line are looked up when a report wants them (lines.h), and by addr2line
 * what was inlined there. Optimised: not, it runs rarely.
 */
#ifndef RFI_ENGINE_CODE_H
#define RFI_ENGINE_CODE_H
#include "base/site.h"
#include "engine/lines.h"

#ifdef RFI_IMPL
# define RFI_CODE_PLACES 32768u                    /* a power of two */
# define RFI_CODE_MOST   (RFI_CODE_PLACES / 4 * 3) /* from then on there is one place for all */
# define RFI_CODE_PATH   1024u                     /* bytes of a path, at most */

typedef struct rfi_code_place {
    uint64_t key;   /* distance, kind, and 1; 0: free */
    uint32_t ready; /* the site has been filled in */
    rf_site site;   /* its line is what identifies the place */
    uint32_t distance;
    uint32_t located, line; /* the source was looked up; 0 if it is not known */
    char file[256], text[48];
    /* If it was inlined: its function, those between that and the one that was compiled, each
     * behind a space, and where it stands in the next file out, "ring.c:40". */
    char function[48], through[96], outer[48];
} rfi_code_place;

RFI_VAR rfi_code_place *rfi_code;
RFI_VAR uint32_t *rfi_code_used; /* how many; behind it which, + 1, in the order they came */

/* Places that were asked for lately: most look-ups end here. */
# define RFI_CODE_RECENT 1024u
RFI_VAR struct rfi_code_recent {
    uint64_t key;
    const rf_site *site;
} rfi_code_recent[RFI_CODE_RECENT];

RFI_VAR bool rfi_code_announces; /* some unit tells its plain accesses (hook/compiler.h) */

RFI_FN void rfi_code_open(void) {
    if (rfi_code) return;
    rfi_symbols_open();
    rfi_code = rfi_pages((sizeof *rfi_code + sizeof *rfi_code_used) * RFI_CODE_PLACES, true);
    rfi_code_used = (void *)(rfi_code + RFI_CODE_PLACES);
}

/* How far the statement whose code stands before `pc` is from where the program was loaded. */
RFI_INLINE uint32_t rfi_code_distance(const void *pc) {
    return (uint32_t)((uintptr_t)pc - 1 - rfi_symbols.bias);
}

/* The byte that arms it (rfi_hot). */
RFI_INLINE uint16_t rfi_code_slot(uint32_t distance, unsigned kind) {
    return (uint16_t)((distance * 2 + kind) & (RFI_SLOTS - 1));
}

RFI_INLINE uint64_t rfi_code_key(uint32_t distance, unsigned kind) {
    return ((uint64_t)distance << 2 | kind) << 1 | 1;
}

RFI_FN bool rfi_code_full(void) {
    return rfi_code && __atomic_load_n(rfi_code_used, __ATOMIC_RELAXED) >= RFI_CODE_MOST;
}

/* The same statement of the same source has the same, as long as the compiler makes the same of its
 * function.  Functions of several units that have one name are counted. */
RFI_FN uint32_t rfi_code_identity(uint32_t distance) {
    const rfi_symbol *in = rfi_symbol_of((const char *)rfi_symbols.bias + distance);
    if (!in) return distance;
    uint64_t namesakes = 0;
    for (const rfi_symbol *s = rfi_symbols.symbol; s < in; s++)
        namesakes += !strcmp(s->name, in->name);
    return (uint32_t)(rfi_mix(rfi_hash_text(in->name) + (distance - in->at) * 64 + namesakes) >>
                      32);
}

RFI_FN void rfi_code_fill(rfi_code_place *p, uint32_t distance, unsigned kind) {
    p->distance = distance;
    p->site = (rf_site){.file = "",
                        .function = "",
                        .text = "",
                        .line = rfi_code_identity(distance),
                        .slot = rfi_code_slot(distance, kind),
                        .kind = (uint8_t)kind};
}

/* The entry with this key, or the free one where it would be put. */
RFI_INLINE rfi_code_place *rfi_code_find(uint64_t key) {
    for (uint64_t i = rfi_mix(key);; i++) {
        rfi_code_place *p = &rfi_code[i & (RFI_CODE_PLACES - 1)];
        uint64_t found = __atomic_load_n(&p->key, __ATOMIC_RELAXED);
        if (!found || found == key) return p;
    }
}

/* Makes an entry, or takes the one for all that no longer find room. */
RFI_FN RFI_COLD rfi_code_place *rfi_code_add(uint64_t key, uint32_t distance, unsigned kind) {
    if (rfi_code_full()) {
        distance = 0;
        key = rfi_code_key(0, kind);
    }
    rfi_code_place *p;
    for (uint64_t free = 0; p = rfi_code_find(key), p->key != key; free = 0)
        if (__atomic_compare_exchange_n(&p->key, &free, key, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            uint32_t used = __atomic_add_fetch(rfi_code_used, 1, __ATOMIC_RELAXED);
            __atomic_store_n(&rfi_code_used[used], (uint32_t)(p - rfi_code) + 1, __ATOMIC_RELEASE);
        }
    if (!__atomic_load_n(&p->ready, __ATOMIC_ACQUIRE)) {
        rfi_code_fill(p, distance, kind);
        __atomic_store_n(&p->ready, 1, __ATOMIC_RELEASE);
    }
    return p;
}

/* Entries never go; workers that meet one that is not ready fill it in with the same bytes. */
RFI_FN RFI_APART const rf_site *rfi_code_look(const void *pc, unsigned kind,
                                              struct rfi_code_recent *recent) {
    if (RFI_UNLIKELY(!rfi_code)) rfi_code_open();
    uint32_t distance = rfi_code_distance(pc);
    uint64_t key = rfi_code_key(distance, kind);
    rfi_code_place *p = rfi_code_find(key);
    if (RFI_UNLIKELY(!__atomic_load_n(&p->ready, __ATOMIC_ACQUIRE) || p->key != key))
        p = rfi_code_add(key, distance, kind);
    *recent = (struct rfi_code_recent){key, &p->site};
    return &p->site;
}

/* The place of the statement whose code stands before `pc`. */
RFI_FN const rf_site *rfi_code_at(const void *pc, unsigned kind) {
    uint32_t distance = rfi_code_distance(pc);
    struct rfi_code_recent *recent = &rfi_code_recent[(distance + kind) % RFI_CODE_RECENT];
    if (RFI_LIKELY(recent->key == rfi_code_key(distance, kind))) return recent->site;
    return rfi_code_look(pc, kind, recent);
}

/* ---- where it is in the source ---- */

RFI_FN bool rfi_is_word(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (unsigned char)c >= 0x80;
}

/* Of a function that is one line, what it does. */
RFI_FN char *rfi_code_body(char *line) {
    static const char *const others[] = {"if", "else", "for", "while", "do", "switch", "case"};
    char *body = strstr(line, ") {");
    size_t word = strcspn(line, " (");
    for (unsigned i = 0; i < RFI_LENGTH(others); i++)
        if (strlen(others[i]) == word && !memcmp(line, others[i], word)) return line;
    if (!body || !strrchr(body, '}') || !body[3 + strspn(body + 3, " }\r\n")]) return line;
    return body + 3 + strspn(body + 3, " ");
}

/* The statement's text: its line, without what surrounds it; a long one ends behind a word. */
RFI_FN void rfi_code_text(rfi_code_place *p) {
    char line[256] = "";
    FILE *f = p->line ? RFI_REAL(fopen)(p->file, "r") : NULL;
    if (!f) return;
    for (uint32_t i = 0; i < p->line; i++)
        while (RFI_REAL(fgets)(line, sizeof line, f) && !strchr(line, '\n')) {
        }
    RFI_REAL(fclose)(f);
    char *from = rfi_code_body(line + strspn(line, " \t{}"));
    size_t n = strcspn(from, "\r\n");
    while (n && strchr(" \t;{}", from[n - 1])) n--;
    size_t room = sizeof p->text - 1, cut = room - 4;
    while (n > room && cut > 1 && rfi_is_word(from[cut - 1]) && rfi_is_word(from[cut])) cut--;
    while (n > room && cut > 1 && from[cut - 1] == ' ') cut--;
    if (!n) from = "}", n = 1; /* what is called at the end of a block */
    memcpy(p->text, from, n > room ? cut : n);
    strcpy(p->text + (n > room ? cut : n), n > room ? " ..." : "");
}

/* Files of the system, and ours, are not where something happens. */
RFI_FN bool rfi_code_foreign(const char *file) {
    const char *base = strrchr(file, '/');
    return !strncmp(file, "/usr/", 5) || !strcmp(base ? base + 1 : file, "racefuzz.h");
}

/* A program that is built beside its sources has build/../src/file.c: takes out what leads nowhere,
 * unless links make that another file. */
RFI_FN void rfi_code_shorten(char *file) {
    char whole[RFI_CODE_PATH], *up;
    struct stat is, was;
    memcpy(whole, file, sizeof whole);
    while ((up = strstr(whole, "/../")) != NULL) {
        char *from = up;
        while (from > whole && from[-1] != '/') from--;
        if (from == up || !strncmp(from, "../", 3)) break;
        memmove(from, up + 4, strlen(up + 4) + 1);
    }
    if (RFI_REAL(stat)(file, &was) || RFI_REAL(stat)(whole, &is)) return;
    if (is.st_ino == was.st_ino && is.st_dev == was.st_dev) memcpy(file, whole, sizeof whole);
}

/* A file below the folder in which the program runs is told from there.  Of a path that is too long
 * the end is kept. */
RFI_FN void rfi_code_file(rfi_code_place *p, const char *file) {
    char here[RFI_CODE_PATH], all[RFI_CODE_PATH];
    size_t n = RFI_REAL(getcwd)(here, sizeof here) ? strlen(here) : 0;
    bool below = n && !strncmp(file, here, n) && file[n] == '/';
    if (below) file += n + 1;
    while (!strncmp(file, "./", 2)) file += 2;
    snprintf(all, sizeof all, "%s", file);
    rfi_code_shorten(all);
    size_t bytes = strlen(all), room = sizeof p->file - 1;
    const char *end = bytes > room ? strchr(all + bytes - room + 3, '/') : NULL;
    snprintf(p->file, sizeof p->file, "%s%.*s", end ? "..." : "", (int)(end ? room - 3 : room),
             end ? end : all);
}

/* A function and "/some/file.c:12", or "??:0", from addr2line: where the statement is, if lines.h
 * does not know it, and then where that was inlined, of which the first counts that is not the
 * system's. */
RFI_FN void rfi_code_found(rfi_code_place *p, const char *function, char *said, unsigned depth) {
    said[strcspn(said, "\n")] = 0;
    char *colon = strrchr(said, ':');
    uint32_t line = colon ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
    if (colon) *colon = 0;
    bool here = !p->line || (depth && rfi_code_foreign(p->file) && !rfi_code_foreign(said));
    if (here && line && said[0] != '?') {
        rfi_code_file(p, said);
        p->line = line;
        p->through[0] = p->outer[0] = 0;
    }
    size_t used = strlen(p->through);
    if (!depth || here)
        snprintf(p->function, sizeof p->function, "%.*s", (int)sizeof p->function - 1, function);
    else if (used + strlen(function) + 2 < sizeof p->through)
        snprintf(p->through + used, sizeof p->through - used, " %s", function);
    if (!p->outer[0] && line && strcmp(rfi_basename(said), rfi_basename(p->file)) != 0 && depth)
        snprintf(p->outer, sizeof p->outer, "%.32s:%u", rfi_basename(said), line);
}

/* What addr2line has said of one place: the last function is the one that was compiled.  C++ goes
 * by its symbols, whose names are taken apart. */
RFI_FN void rfi_code_settle(rfi_code_place *p, unsigned depth) {
    char *last = strrchr(p->through, ' ');
    if (depth == 1 && p->function[0] != '?' && rfi_library_of(p->distance).from) return;
    if (depth < 2 || !last || rfi_symbols.cxx)
        p->function[0] = p->through[0] = 0;
    else
        *last = 0;
}

/* A new line of what it says: "0x1139", which begins a place, a function, or where it is. */
typedef struct rfi_code_reading {
    rfi_code_place **place;
    uint32_t n, k; /* places; those that it has begun with */
    unsigned depth;
    bool named;
    char function[64];
} rfi_code_reading;

RFI_FN void rfi_code_read(rfi_code_reading *r, char *said) {
    if (!strncmp(said, "0x", 2)) {
        if (r->k && r->k <= r->n) rfi_code_settle(r->place[r->k - 1], r->depth);
        r->k++, r->depth = 0, r->named = false;
    } else if (!r->named) {
        said[strcspn(said, "\n")] = 0;
        snprintf(r->function, sizeof r->function, "%.60s", said);
        r->named = true;
    } else {
        if (r->k && r->k <= r->n) rfi_code_found(r->place[r->k - 1], r->function, said, r->depth++);
        r->named = false;
    }
}

/* Asks it for up to 64 places of one file. */
RFI_FN void rfi_code_ask(const rfi_library *l, rfi_code_place **place, uint32_t n) {
    char command[RFI_CODE_PATH + 64 * 12 + 64], said[512];
    rfi_code_reading r = {.place = place, .n = n};
    size_t end = (size_t)snprintf(command, sizeof command, "addr2line -a -f -i -e '%.*s'",
                                  (int)RFI_CODE_PATH, l->file);
    for (uint32_t i = 0; i < n; i++)
        end += (size_t)snprintf(command + end, sizeof command - end, " %x",
                                place[i]->distance - l->from);
    snprintf(command + end, sizeof command - end, " 2>/dev/null");
    FILE *f = strchr(l->file, '\'') ? NULL : RFI_REAL(popen)(command, "r");
    while (f && RFI_REAL(fgets)(said, sizeof said, f)) rfi_code_read(&r, said);
    if (f) RFI_REAL(pclose)(f);
    if (r.k == n) rfi_code_settle(place[n - 1], r.depth);
}

RFI_FN int rfi_code_order(const void *x, const void *y) {
    const rfi_code_place *const *a = x, *const *b = y;
    return ((*a)->distance > (*b)->distance) - ((*a)->distance < (*b)->distance);
}

/* Looks up all places that have not been looked up yet. */
RFI_FN RFI_COLD void rfi_code_locate(void) {
    uint32_t used = __atomic_load_n(rfi_code_used, __ATOMIC_RELAXED), n = 0;
    rfi_code_place **place = RFI_REAL(malloc)((used + 1) * sizeof *place);
    for (uint32_t i = 1; place && i <= used; i++) {
        uint32_t at = __atomic_load_n(&rfi_code_used[i], __ATOMIC_ACQUIRE);
        rfi_code_place *p = at ? &rfi_code[at - 1] : NULL; /* NULL: it is being added */
        if (p && __atomic_load_n(&p->ready, __ATOMIC_ACQUIRE) &&
            !__atomic_load_n(&p->located, __ATOMIC_ACQUIRE))
            place[n++] = p;
    }
    rfi_line_asked *asked = place ? RFI_REAL(calloc)(n + 1, sizeof *asked) : NULL;
    if (!asked) rfi_die("out of memory (%u places)", n);
    RFI_REAL(qsort)(place, n, sizeof *place, rfi_code_order);
    char(*file)[512] = RFI_REAL(malloc)((size_t)(n + 1) * sizeof *file);
    for (uint32_t i = 0; file && i < n; i++)
        asked[i] = (rfi_line_asked){place[i]->distance, 0, file[i], sizeof file[i]};
    if (file) rfi_lines_find(asked, n);
    for (uint32_t i = 0; i < n; i++) {
        place[i]->line = asked[i].line;
        if (asked[i].line) rfi_code_file(place[i], asked[i].file);
    }
    for (uint32_t i = 0, k; i < n; i += k) {
        rfi_library l = rfi_library_of(place[i]->distance);
        for (k = 1; k < 64 && i + k < n; k++)
            if (rfi_library_of(place[i + k]->distance).from != l.from) break;
        rfi_code_ask(&l, place + i, k);
    }
    for (uint32_t i = 0; i < n; i++) {
        rfi_code_text(place[i]);
        __atomic_store_n(&place[i]->located, 1, __ATOMIC_RELEASE);
    }
    RFI_REAL(free)(file);
    RFI_REAL(free)(asked);
    RFI_REAL(free)(place);
}

/* What a report says of a site. */
typedef struct rfi_where {
    const char *file, *function, *text;
    uint32_t line;   /* 0: not known */
    uint32_t offset; /* then how far in the program or library, which `file` is the name of */
    const char *path;
} rfi_where;

/* Of a site that no macro has made. */
RFI_INLINE rfi_code_place *rfi_code_place_of(const rf_site *s) {
    return (rfi_code_place *)((uintptr_t)s - offsetof(rfi_code_place, site));
}

RFI_FN rfi_where rfi_site_where(const rf_site *s) {
    if (!s) return (rfi_where){"?", "?", "?", 0, 0, NULL};
    if (s->file[0]) return (rfi_where){s->file, s->function, rfi_site_text(s), s->line, 0, NULL};
    rfi_code_place *p = rfi_code_place_of(s);
    if (!__atomic_load_n(&p->located, __ATOMIC_ACQUIRE)) rfi_code_locate();
    const rfi_symbol *in = rfi_symbol_of((const char *)rfi_symbols.bias + p->distance);
    const char *function = p->function[0] ? p->function : in ? in->called : "?";
    if (p->line) return (rfi_where){p->file, function, p->text, p->line, 0, NULL};
    rfi_library l = rfi_library_of(p->distance);
    return (rfi_where){rfi_basename(l.file), function, function, 0, p->distance - l.from, l.file};
}

/* A memory access's expression, without the & of atomic operations. */
RFI_FN const char *rfi_expression(const rf_site *s) {
    const char *text = rfi_site_where(s).text;
    return text[0] == '&' ? text + 1 : text;
}

typedef struct rfi_at {
    char s[320];
} rfi_at;

/* "src/bank.c:41"; "bank+0x11f3" if only the program's file is known. */
RFI_FN rfi_at rfi_where_at(rfi_where w, const char *file) {
    rfi_at at;
    if (w.offset)
        snprintf(at.s, sizeof at.s, "%.300s+0x%x", file, w.offset);
    else
        snprintf(at.s, sizeof at.s, w.line ? "%.300s:%u" : "%.300s:?", file, w.line);
    return at;
}

/* "bank.c:41" */
RFI_FN rfi_at rfi_site_at(const rf_site *s) {
    rfi_where w = rfi_site_where(s);
    return rfi_where_at(w, rfi_basename(w.file));
}

# define RFI_AT(site) rfi_site_at(site).s
#endif
#endif

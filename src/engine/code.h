/* engine/code.h: statements that are known by the address of their machine code only.
 *
 * Code that is tested without an edit (src/hook) makes no descriptors of its statements.  A place
 * is made for each address, in memory that all workers share, so that a pointer to one means the
 * same in all of them.  What identifies a place is its function and the distance from where that
 * begins: the same in every process, whatever else is linked to it, and found without debugging
 * information.  File and line are looked up by addr2line, when a report wants them.
 * Optimised: not, it runs rarely.
 */
#ifndef RFI_ENGINE_CODE_H
#define RFI_ENGINE_CODE_H
#include "base/site.h"
#include "engine/symbols.h"

#ifdef RFI_IMPL
# define RFI_CODE_PLACES 32768u                    /* a power of two */
# define RFI_CODE_MOST   (RFI_CODE_PLACES / 4 * 3) /* from then on there is one place for all */

typedef struct rfi_code_place {
    uint64_t key;   /* distance, kind, and 1; 0: free */
    uint32_t ready; /* the site has been filled in */
    rf_site site;   /* its line is what identifies the place */
    uint32_t distance;
    uint32_t located, line; /* the source was looked up; 0 if it is not known */
    char file[108], text[48];
} rfi_code_place;

RFI_VAR rfi_code_place *rfi_code;
RFI_VAR uint32_t *rfi_code_used;

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
    rfi_code = rfi_pages(sizeof *rfi_code * RFI_CODE_PLACES + sizeof *rfi_code_used, true);
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

/* Some code has come here that is known by its address. */
RFI_FN bool rfi_code_met(void) { return rfi_code && *rfi_code_used; }

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
                                        __ATOMIC_RELAXED))
            __atomic_fetch_add(rfi_code_used, 1, __ATOMIC_RELAXED);
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

/* The statement's text: its line, without what surrounds it; a long one ends behind a word. */
RFI_FN void rfi_code_text(rfi_code_place *p) {
    char line[256] = "";
    FILE *f = p->line ? RFI_REAL(fopen)(p->file, "r") : NULL;
    if (!f) return;
    for (uint32_t i = 0; i < p->line; i++)
        while (RFI_REAL(fgets)(line, sizeof line, f) && !strchr(line, '\n')) {
        }
    RFI_REAL(fclose)(f);
    char *from = line + strspn(line, " \t{}");
    size_t n = strcspn(from, "\n");
    while (n && strchr(" \t;{}", from[n - 1])) n--;
    size_t room = sizeof p->text - 1, cut = room - 4;
    while (n > room && cut > 1 && rfi_is_word(from[cut - 1]) && rfi_is_word(from[cut])) cut--;
    while (n > room && cut > 1 && from[cut - 1] == ' ') cut--;
    if (!n) from = "}", n = 1; /* what is called at the end of a block */
    memcpy(p->text, from, n > room ? cut : n);
    strcpy(p->text + (n > room ? cut : n), n > room ? " ..." : "");
}

/* Takes "/some/file.c:12" or "??:0" from addr2line; then where that was inlined, of which the first
 * counts that is not the system's. */
RFI_FN void rfi_code_found(rfi_code_place *p, char *said) {
    char here[256];
    said[strcspn(said, "\n")] = 0;
    char *colon = strrchr(said, ':');
    uint32_t line = colon ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
    if (!line || said[0] == '?') return;
    if (p->line && (strncmp(p->file, "/usr/", 5) != 0 || !strncmp(said, "/usr/", 5))) return;
    *colon = 0;
    size_t n = RFI_REAL(getcwd)(here, sizeof here) ? strlen(here) : 0;
    bool below = n && !strncmp(said, here, n) && said[n] == '/';
    p->line = line;
    snprintf(p->file, sizeof p->file, "%.*s", (int)sizeof p->file - 1, below ? said + n + 1 : said);
}

/* Looks up all places that have not been looked up yet, some at a time. */
RFI_FN RFI_COLD void rfi_code_locate(void) {
    enum { SOME = 64 };
    char command[sizeof rfi_symbols.program + SOME * 12 + 64], said[512];
    for (uint32_t i = 0; i < RFI_CODE_PLACES;) {
        rfi_code_place *place[SOME];
        uint32_t n = 0, k = 0;
        size_t end = (size_t)snprintf(command, sizeof command, "addr2line -a -i -e '%s'",
                                      rfi_symbols.program);
        for (; i < RFI_CODE_PLACES && n < SOME; i++) {
            rfi_code_place *p = &rfi_code[i];
            if (!__atomic_load_n(&p->ready, __ATOMIC_ACQUIRE) ||
                __atomic_load_n(&p->located, __ATOMIC_ACQUIRE))
                continue;
            end += (size_t)snprintf(command + end, sizeof command - end, " %x", p->distance);
            place[n++] = p;
        }
        if (!n) return;
        snprintf(command + end, sizeof command - end, " 2>/dev/null");
        FILE *f = strchr(rfi_symbols.program, '\'') ? NULL : popen(command, "r");
        while (f && RFI_REAL(fgets)(said, sizeof said, f))
            if (!strncmp(said, "0x", 2))
                k++;
            else if (k && k <= n)
                rfi_code_found(place[k - 1], said);
        if (f) pclose(f);
        for (k = 0; k < n; k++) {
            rfi_code_text(place[k]);
            __atomic_store_n(&place[k]->located, 1, __ATOMIC_RELEASE);
        }
    }
}

/* What a report says of a site. */
typedef struct rfi_where {
    const char *file, *function, *text;
    uint32_t line;   /* 0: not known */
    uint32_t offset; /* then how far in the program, which `file` is */
} rfi_where;

/* Of a site that no macro has made. */
RFI_INLINE rfi_code_place *rfi_code_place_of(const rf_site *s) {
    return (rfi_code_place *)((uintptr_t)s - offsetof(rfi_code_place, site));
}

RFI_FN rfi_where rfi_site_where(const rf_site *s) {
    if (!s) return (rfi_where){"?", "?", "?", 0, 0};
    if (s->file[0]) return (rfi_where){s->file, s->function, rfi_site_text(s), s->line, 0};
    rfi_code_place *p = rfi_code_place_of(s);
    if (!__atomic_load_n(&p->located, __ATOMIC_ACQUIRE)) rfi_code_locate();
    const rfi_symbol *in = rfi_symbol_of((const char *)rfi_symbols.bias + p->distance);
    const char *function = in ? in->called : "?";
    if (p->line) return (rfi_where){p->file, function, p->text, p->line, 0};
    return (rfi_where){rfi_basename(rfi_symbols.program), function, function, 0, p->distance};
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

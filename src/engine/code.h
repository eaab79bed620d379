/* engine/code.h: statements that are known by the address of their machine code only.
 *
 * Code that is tested without an edit (src/hook) makes no descriptors of its statements.  A place
 * is made for each address, in memory that all workers share, so that a pointer to one means the
 * same in all of them.  What identifies a place is the address's distance from where the program
 * was loaded: the same in every process, and found without debugging information.  File and line
 * are looked up by addr2line, when a report wants them.
 */
#ifndef RFI_ENGINE_CODE_H
#define RFI_ENGINE_CODE_H
#include "base/site.h"
#include "engine/symbols.h"

#ifdef RFI_IMPL
# define RFI_CODE_PLACES 32768u /* a power of two; from three quarters on there is one for all */

typedef struct rfi_code_place {
    uint64_t key;   /* distance, kind, and 1; 0: free */
    uint32_t ready; /* the site has been filled in */
    rf_site site;   /* its line is the distance */
    uint32_t line;
    char file[108], text[48]; /* of the source, once it was looked up: file is not "" */
} rfi_code_place;

static rfi_code_place *rfi_code RFI_UNUSED;
static uint32_t *rfi_code_used RFI_UNUSED;

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

/* Some code has come here that is known by its address. */
RFI_FN bool rfi_code_met(void) { return rfi_code && *rfi_code_used; }

RFI_FN void rfi_code_fill(rfi_code_place *p, uint32_t distance, unsigned kind) {
    p->site = (rf_site){.file = "",
                        .function = "",
                        .text = "",
                        .line = distance,
                        .slot = rfi_code_slot(distance, kind),
                        .kind = (uint8_t)kind};
}

/* The place of the statement whose code stands before `pc`.  Entries never go; workers that meet
 * one that is not ready fill it in with the same bytes. */
RFI_FN const rf_site *rfi_code_at(const void *pc, rf_site_kind kind) {
    if (RFI_UNLIKELY(!rfi_code)) rfi_code_open();
    uint32_t distance = rfi_code_distance(pc);
    if (RFI_UNLIKELY(*rfi_code_used >= RFI_CODE_PLACES / 4 * 3)) distance = 0;
    uint64_t key = ((uint64_t)distance << 2 | (unsigned)kind) << 1 | 1;
    for (uint64_t i = rfi_mix(key);; i++) {
        rfi_code_place *p = &rfi_code[i & (RFI_CODE_PLACES - 1)];
        uint64_t found = __atomic_load_n(&p->key, __ATOMIC_RELAXED);
        if (!found && __atomic_compare_exchange_n(&p->key, &found, key, false, __ATOMIC_RELAXED,
                                                  __ATOMIC_RELAXED)) {
            found = key;
            __atomic_fetch_add(rfi_code_used, 1, __ATOMIC_RELAXED);
        }
        if (found != key) continue;
        if (RFI_UNLIKELY(!__atomic_load_n(&p->ready, __ATOMIC_ACQUIRE))) {
            rfi_code_fill(p, distance, kind);
            __atomic_store_n(&p->ready, 1, __ATOMIC_RELEASE);
        }
        return &p->site;
    }
}

/* ---- where it is in the source ---- */

/* The statement's text: its line, without what surrounds it. */
RFI_FN void rfi_code_text(rfi_code_place *p) {
    char line[256] = "";
    FILE *f = fopen(p->file, "r");
    if (!f) return;
    for (uint32_t i = 0; i < p->line; i++)
        while (fgets(line, sizeof line, f) && !strchr(line, '\n')) {
        }
    fclose(f);
    char *from = line + strspn(line, " \t{}");
    size_t n = strcspn(from, "\n");
    while (n && strchr(" \t;{}", from[n - 1])) n--;
    if (n >= sizeof p->text) n = sizeof p->text - 1;
    memcpy(p->text, from, n);
    p->text[n] = 0;
}

/* Takes "/some/file.c:12" or "??:0" from addr2line. */
RFI_FN void rfi_code_found(rfi_code_place *p, char *said) {
    char here[256];
    said[strcspn(said, "\n")] = 0;
    char *colon = strrchr(said, ':');
    uint32_t line = colon ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
    if (!line || said[0] == '?') {
        snprintf(p->file, sizeof p->file, "?");
        return;
    }
    *colon = 0;
    size_t n = getcwd(here, sizeof here) ? strlen(here) : 0;
    bool below = n && !strncmp(said, here, n) && said[n] == '/';
    p->line = line;
    snprintf(p->file, sizeof p->file, "%.*s", (int)sizeof p->file - 1, below ? said + n + 1 : said);
    rfi_code_text(p);
}

/* Looks up all places that have not been looked up yet, some at a time. */
RFI_FN RFI_COLD void rfi_code_locate(void) {
    enum { SOME = 64 };
    char command[sizeof rfi_symbols.program + SOME * 12 + 64], said[512];
    for (uint32_t i = 0; i < RFI_CODE_PLACES;) {
        rfi_code_place *place[SOME];
        uint32_t n = 0, k = 0;
        size_t end =
            (size_t)snprintf(command, sizeof command, "addr2line -e '%s'", rfi_symbols.program);
        for (; i < RFI_CODE_PLACES && n < SOME; i++) {
            rfi_code_place *p = &rfi_code[i];
            if (!__atomic_load_n(&p->ready, __ATOMIC_ACQUIRE) || p->file[0]) continue;
            end += (size_t)snprintf(command + end, sizeof command - end, " %x", p->site.line);
            place[n++] = p;
        }
        if (!n) return;
        snprintf(command + end, sizeof command - end, " 2>/dev/null");
        FILE *f = strchr(rfi_symbols.program, '\'') ? NULL : popen(command, "r");
        for (; k < n && f && fgets(said, sizeof said, f); k++) rfi_code_found(place[k], said);
        if (f) pclose(f);
        for (; k < n; k++) snprintf(place[k]->file, sizeof place[k]->file, "?");
    }
}

/* What a report says of a site: in the source if that is known, otherwise what addr2line takes. */
typedef struct rfi_where {
    const char *file, *function, *text;
    uint32_t line;
} rfi_where;

/* Two arguments of a format with %s:%u. */
# define RFI_AT(site) rfi_basename(rfi_site_where(site).file), rfi_site_where(site).line

RFI_FN rfi_where rfi_site_where(const rf_site *s) {
    if (!s) return (rfi_where){"?", "?", "?", 0};
    if (s->file[0]) return (rfi_where){s->file, s->function, s->text, s->line};
    rfi_code_place *p = (rfi_code_place *)((uintptr_t)s - offsetof(rfi_code_place, site));
    if (!p->file[0]) rfi_code_locate();
    const rfi_symbol *in = rfi_symbol_of((const char *)rfi_symbols.bias + s->line);
    const char *function = in ? in->name : "?";
    if (p->line) return (rfi_where){p->file, function, p->text, p->line};
    return (rfi_where){rfi_basename(rfi_symbols.program), function, function, s->line};
}
#endif
#endif

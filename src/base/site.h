/* base/site.h: a place in the source.
 *
 * Every macro of the public face has one static, constant descriptor, so that it may stand in an
 * inline function and in any number of units.  The word that arms a site stands apart, in a table
 * indexed by `slot`, which is computed at compile time from the line and the kind: sites that share
 * a slot are told apart on the slow path.  A statement in a header has one descriptor a unit, and
 * units may reach it by different paths: all have the same slot, so that arming one arms them all.
 *
 * Identity (docs/inside/internals.md): two sites are the same statement when file name (without its
 * folder), line, kind and expression agree, whichever unit they were compiled in.
 */
#ifndef RFI_BASE_SITE_H
#define RFI_BASE_SITE_H
#include "base/hash.h"
#include "base/written.h"

/* What stands at a site. R and W make the kinds of a racing pair. */
typedef enum rf_site_kind { RF_SITE_READ = 0, RF_SITE_WRITE = 1, RF_SITE_OTHER = 2 } rf_site_kind;

typedef struct rf_site {
    const char *file, *function, *text; /* text: the expression as written */
    uint32_t line;
    uint16_t slot;
    uint8_t kind;
    bool pointer; /* what is accessed is one: every machine reads it at once */
} rf_site;

#define RFI_SLOTS      8192u
#define RFI_SLOT(kind) ((uint16_t)(((unsigned)__LINE__ * 2u + (kind)) & (RFI_SLOTS - 1u)))
#define RFI_SITE_INIT(kind, text) RFI_SITE_TYPED(kind, text, 0)
#define RFI_SITE_TYPED(kind, text, pointer) \
 { __FILE__, __func__, text, __LINE__, RFI_SLOT(kind), kind, pointer }

/* A site in an expression: the address of a static constant descriptor.  Not for a braced
 * initialiser: if that is constant otherwise, clang 14 leaves the descriptor empty. */
/* clang-format off */
#define RFI_SITE(text) \
    __extension__({ \
        static const rf_site rfi_site_here = RFI_SITE_INIT(RF_SITE_OTHER, text); \
        &rfi_site_here; \
    })
/* clang-format on */

#ifdef RFI_IMPL
RFI_FN const char *rfi_basename(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

RFI_VAR rfi_map rfi_site_texts; /* by site: what was written where a macro has expanded it */

/* The expression as the user wrote it. */
RFI_FN const char *rfi_site_text(const rf_site *s) {
    if (RFI_LIKELY(!strstr(s->text, "rfi_"))) return s->text;
    uint64_t *at = rfi_map_at(&rfi_site_texts, (uint64_t)(uintptr_t)s);
    if (!*at) {
        char *room = RFI_REAL(calloc)(strlen(s->text) + 1, 1);
        if (!room) rfi_die("out of memory (text of a statement)");
        rfi_written_text(s->text, room);
        *at = (uint64_t)(uintptr_t)room;
    }
    return (const char *)(uintptr_t)*at;
}

# define RFI_KEY_BITS 40

/* 40 bits, the same in every process and with every compiler; never 0 for a site. */
RFI_FN uint64_t rfi_site_key(const rf_site *s) {
    static struct {
        const rf_site *site;
        uint64_t key;
    } known[64], *k;
    if (!s) return 0;
    k = &known[rfi_mix((uintptr_t)s) % RFI_LENGTH(known)];
    if (k->site == s) return k->key;
    uint64_t h = rfi_hash_text(rfi_basename(s->file)) + s->line * UINT64_C(4) + s->kind;
    k->site = s;
    k->key = rfi_mix(h ^ rfi_hash_text(rfi_site_text(s))) >> (64 - RFI_KEY_BITS) | 1;
    return k->key;
}

/* The order in which reports name places. */
RFI_FN bool rfi_site_before(const rf_site *a, const rf_site *b) {
    int files = strcmp(a->file, b->file);
    if (files) return files < 0;
    if (a->line != b->line) return a->line < b->line;
    return rfi_site_key(a) < rfi_site_key(b);
}

/* Numbers sites in the order of their first use; each number stands for one statement. */
typedef struct rfi_sites {
    rfi_map by_pointer, by_key; /* -> number + 1 */
    const rf_site **site;
    uint64_t *key;
    uint32_t count, capacity, key_capacity;
} rfi_sites;

RFI_VAR rfi_sites rfi_site_table;

/* The number of the statement with this key, met already or not. */
RFI_FN RFI_COLD uint32_t rfi_site_number_of_key(uint64_t key) {
    rfi_sites *t = &rfi_site_table;
    uint64_t *n = rfi_map_at(&t->by_key, key);
    if (!*n) {
        t->site = rfi_grow((void *)t->site, &t->capacity, t->count + 1, sizeof *t->site);
        t->key = rfi_grow(t->key, &t->key_capacity, t->count + 1, sizeof *t->key);
        t->key[t->count] = key;
        *n = ++t->count;
    }
    return (uint32_t)*n - 1;
}

RFI_FN RFI_COLD uint32_t rfi_site_add(const rf_site *s) {
    uint32_t n = rfi_site_number_of_key(rfi_site_key(s));
    if (!rfi_site_table.site[n]) rfi_site_table.site[n] = s;
    *rfi_map_at(&rfi_site_table.by_pointer, (uint64_t)(uintptr_t)s) = n + 1;
    return n;
}

RFI_INLINE uint32_t rfi_site_number(const rf_site *s) {
    uint64_t *n = rfi_map_find(&rfi_site_table.by_pointer, (uint64_t)(uintptr_t)s);
    return RFI_LIKELY(n) ? (uint32_t)*n - 1 : rfi_site_add(s);
}

/* A statement with this key that was met; NULL: none was, or it is the key of something else. */
RFI_FN RFI_COLD const rf_site *rfi_site_of_key(uint64_t key) {
    const uint64_t *n = rfi_map_find(&rfi_site_table.by_key, key);
    return n ? rfi_site_table.site[*n - 1] : NULL;
}

/* rfi_site_key, computed once. */
RFI_INLINE uint64_t rfi_site_known_key(const rf_site *s) {
    uint32_t n = rfi_site_number(s);
    return rfi_site_table.key[n];
}
#endif
#endif

/* engine/warning.h: the warnings of analyses (docs/inside/extending.md).
 *
 * A warning is a fault of one family at some places.  Either it happened in the running execution
 * (`real`), or the analysis predicts that another schedule can produce it; then the checkers that
 * confirm its family are directed at its targets.
 */
#ifndef RFI_ENGINE_WARNING_H
#define RFI_ENGINE_WARNING_H
#include "engine/options.h"
#include "base/site.h"

/* X(ID, "name", kind of finding, "words for reports"); a kind of 0 is no fault */
/* clang-format off */
#define RFI_FAMILIES(X) \
    X(RACE, "race", RF_EXPECT_RACE, "race") \
    X(DEADLOCK, "deadlock", RF_EXPECT_DEADLOCK, "deadlock") \
    X(ATOMICITY, "atomicity", RF_EXPECT_ATOMICITY, "atomicity violation") \
    X(ATOMIC_SET, "atomic-set", RF_EXPECT_ATOMICITY, "atomic set torn apart") \
    X(LOST_WAKEUP, "lost-wakeup", RF_EXPECT_DEADLOCK, "lost wake-up") \
    X(BREAKPOINT, "breakpoint", 0, "breakpoint") \
    X(OTHER, "other", RF_EXPECT_FAILURE, "warning") /* of an analysis that is not built in */
/* clang-format on */

typedef enum rf_family {
#define RFI_X(id, name, kind, words) RF_FAMILY_##id,
    RFI_FAMILIES(RFI_X)
#undef RFI_X
        RF_FAMILIES
} rf_family;

#define RF_FAMILY_BIT(family) (1u << (family))

enum { RF_PLACES = 16, RF_TARGETS = 16 }; /* that a warning can have */

/* A lock that a thread holds. */
typedef struct rf_lock {
    uint32_t object;     /* its number */
    bool shared;         /* for reading */
    const rf_site *site; /* where it was taken; NULL: not told */
} rf_lock;

/* One of the places that a warning names. */
typedef struct rf_place {
    const rf_site *site;
    const char *role;    /* what is done there, a constant: "takes"; NULL for an access */
    uint32_t thread;     /* UINT32_MAX: not known */
    uint32_t object;     /* what it is done to; 0: nothing that has a number */
    uint32_t size;       /* of an access in bytes; 0: it is none */
    uint16_t flags;      /* RF_EV_READS ... of an access */
    uint16_t locks;      /* that the thread holds */
    const rf_lock *lock; /* them */
} rf_place;

typedef struct rf_warning {
    rf_family family;
    const char *by;   /* name of the analysis */
    bool real;        /* it has happened; else it is predicted */
    uint32_t places;  /* at least 1 */
    uint32_t targets; /* 0: the statements at the places */
    rf_place place[RF_PLACES];
    /* What checkers are directed at, in a form that is the same in every execution: keys of 40
     * bits.  Warnings of one family with the same targets are the same warning; those of the family
     * "other" only if they are of the same analysis as well. */
    uint64_t target[RF_TARGETS];
    /* So many of the targets, from the first on, tell warnings apart; 0: all.  The others are
     * statements that help the checker: those of all reports of one warning are gathered. */
    uint32_t telling;
    const void *addr; /* of the memory it is about; may be NULL */
    const char *text; /* what is wrong, one sentence; NULL: the family's words say it */
} rf_warning;

RFI_EXTERN_C_BEGIN
/* From the callbacks of an analysis or a checker: counts the warning.  Everything in it is copied,
 * but for `role`.  More than 1,024 different ones in one test are counted, not kept. */
void rf_warn(const rf_warning *w);
/* The key of a statement, as targets have it. */
uint64_t rf_site_key(const rf_site *s);
/* The key of a name: of a breakpoint, of a set. */
uint64_t rf_name_key(const char *name);
RFI_EXTERN_C_END

#ifdef RFI_IMPL
typedef struct rfi_family_info {
    const char *name, *words;
    unsigned kind;
} rfi_family_info;

RFI_FN const rfi_family_info *rfi_family(unsigned family) {
    static const rfi_family_info list[] = {
# define RFI_X(id, name, kind, words) {name, words, kind},
        RFI_FAMILIES(RFI_X)
# undef RFI_X
    };
    return &list[family < RF_FAMILIES ? family : RF_FAMILY_OTHER];
}

/* Who wants the warnings; NULL: nobody. */
RFI_VAR void (*rfi_warning_sink)(const rf_warning *w);

/* What an analysis gets wrong at its first try. */
RFI_FN RFI_COLD void rfi_warning_refuse(const rf_warning *w, const char *why) {
    rfi_die("rf_warn: a warning of the analysis %s %s", w->by ? w->by : "without a name", why);
}

RFI_FN void rfi_warning_check(const rf_warning *w) {
    if ((unsigned)w->family >= RF_FAMILIES) rfi_warning_refuse(w, "is of no family");
    if (!w->places || w->places > RF_PLACES)
        rfi_warning_refuse(w, "has no place, or more than RF_PLACES");
    if (w->family == RF_FAMILY_RACE && w->places != 2)
        rfi_warning_refuse(w, "is a race and has not two places");
    if (w->targets > RF_TARGETS) rfi_warning_refuse(w, "has more than RF_TARGETS targets");
    for (uint32_t i = 0; i < w->places; i++)
        if (!w->place[i].site) rfi_warning_refuse(w, "has a place without a site");
    for (uint32_t i = 0; i < w->targets; i++)
        if (!w->target[i] || w->target[i] >> RFI_KEY_BITS)
            rfi_warning_refuse(w, "has a target that is 0 or has more than 40 bits");
}

void rf_warn(const rf_warning *w) {
    rfi_warning_check(w);
    if (rfi_warning_sink) rfi_warning_sink(w);
}

uint64_t rf_site_key(const rf_site *s) { return s ? rfi_site_known_key(s) : 0; }

uint64_t rf_name_key(const char *name) { return rfi_hash_text(name) >> (64 - RFI_KEY_BITS) | 1; }
#endif
#endif

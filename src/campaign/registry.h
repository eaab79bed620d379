/* campaign/registry.h: every analysis, checker and strategy by name: those that are built in, then
 * those that the program has registered, in the order of their registration. */
#ifndef RFI_CAMPAIGN_REGISTRY_H
#define RFI_CAMPAIGN_REGISTRY_H
#include "campaign/options.h"
#include "detect/all.h"
#include "explore/all.h"

#ifdef RFI_IMPL
# define RFI_REGISTERED 16u /* of a sort, beside what is built in */

# define RFI_LENGTH(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

typedef struct rfi_registered {
    const rf_analysis *analysis[RFI_REGISTERED];
    const rf_checker *checker[RFI_REGISTERED];
    const rf_strategy *strategy[RFI_REGISTERED];
    uint32_t analyses, checkers, strategies;
} rfi_registered;

static rfi_registered rfi_registry RFI_UNUSED;

/* The i-th, or NULL behind the last. */
RFI_FN const rf_analysis *rfi_analysis_at(uint32_t i) {
    if (i < RFI_LENGTH(rfi_analyses)) return rfi_analyses[i];
    i -= RFI_LENGTH(rfi_analyses);
    return i < rfi_registry.analyses ? rfi_registry.analysis[i] : NULL;
}

RFI_FN const rf_checker *rfi_checker_at(uint32_t i) {
    if (i < RFI_LENGTH(rfi_checkers)) return rfi_checkers[i];
    i -= RFI_LENGTH(rfi_checkers);
    return i < rfi_registry.checkers ? rfi_registry.checker[i] : NULL;
}

RFI_FN const rf_strategy *rfi_strategy_at(uint32_t i) {
    if (i < RFI_LENGTH(rfi_strategies)) return rfi_strategies[i];
    i -= RFI_LENGTH(rfi_strategies);
    return i < rfi_registry.strategies ? rfi_registry.strategy[i] : NULL;
}

/* By name; NULL: there is none. */
RFI_FN const rf_checker *rfi_checker_named(const char *name) {
    const rf_checker *c = NULL;
    for (uint32_t i = 0; name && (c = rfi_checker_at(i)) && strcmp(c->name, name) != 0;) i++;
    return c;
}

RFI_FN const rf_strategy *rfi_strategy_named(const char *name) {
    const rf_strategy *s = NULL;
    for (uint32_t i = 0; name && (s = rfi_strategy_at(i)) && strcmp(s->name, name) != 0;) i++;
    return s;
}

/* Of the analysis with this name in sets of them; 0: there is none. */
RFI_FN uint64_t rfi_analysis_bit(const char *name) {
    const rf_analysis *a;
    for (uint32_t i = 0; name && (a = rfi_analysis_at(i)); i++)
        if (!strcmp(a->name, name)) return UINT64_C(1) << i;
    return 0;
}

/* ---- lists of names ---- */

RFI_FN bool rfi_list_has(const char *list, const char *name) {
    size_t n = strlen(name);
    for (const char *s = list; s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL)
        if (!strncmp(s, name, n) && (!s[n] || s[n] == ',')) return true;
    return false;
}

/* The analyses that a list names; without a list the usual ones and all that are registered. */
RFI_FN uint64_t rfi_analyses_of(const char *list) {
    uint64_t set = 0;
    const rf_analysis *a;
    for (uint32_t i = 0; (a = rfi_analysis_at(i)); i++) {
        bool in = rfi_list_has(list ? list : RFI_DEFAULT_DETECT, a->name) ||
                  (!list && i >= RFI_LENGTH(rfi_analyses));
        set |= (uint64_t)in << i;
    }
    return set;
}

/* Is the checker among the explorers that a list names?  Without a list all are. */
RFI_FN bool rfi_checker_in(const char *list, const rf_checker *c) {
    return !list || rfi_list_has(list, c->name);
}

/* The strategy that a list names, or the usual one. */
RFI_FN const rf_strategy *rfi_strategy_of(const char *list) {
    const rf_strategy *s;
    for (uint32_t i = 0; list && (s = rfi_strategy_at(i)); i++)
        if (rfi_list_has(list, s->name)) return s;
    return &rfi_random;
}

/* The names that options accept. */
RFI_FN const rfi_names *rfi_names_all(void) {
    enum { MOST = 64 };
    static rfi_name explorers[2 * MOST], analyses[MOST];
    static const rfi_name memories[] = {
        {"sc", "the newest value, always"},
        {"c11", "atomics as C11 has them, plain data sequentially consistent"},
        {"c11-fast", "the same, cheaper, with fewer outcomes"},
        {"oldest", "the oldest value allowed"},
        {"oldest-different", "the oldest that is not what the last read returned"},
        {"random", "any value allowed"},
        {"random-different", "any that is not what the last read returned"},
        {"mixed", "one of these four, drawn for each execution"},
        {NULL, NULL}};
    static const rfi_name formats[] = {
        {"text", "for people"}, {"tap", "Test Anything Protocol, version 14"}, {NULL, NULL}};
    static rfi_names names = {explorers, 0, analyses, memories, formats};
    uint32_t n = 0;
    for (uint32_t i = 0; rfi_strategy_at(i); i++)
        explorers[n++] = (rfi_name){rfi_strategy_at(i)->name, rfi_strategy_at(i)->help};
    names.strategies = n;
    for (uint32_t i = 0; rfi_checker_at(i); i++)
        explorers[n++] = (rfi_name){rfi_checker_at(i)->name, rfi_checker_at(i)->help};
    explorers[n] = (rfi_name){NULL, NULL};
    for (n = 0; rfi_analysis_at(n); n++)
        analyses[n] = (rfi_name){rfi_analysis_at(n)->name, rfi_analysis_at(n)->help};
    analyses[n] = (rfi_name){"none", "no analysis"};
    analyses[n + 1] = (rfi_name){NULL, NULL};
    return &names;
}

/* ---- registration ---- */

/* Names stand in tokens and in lists, beside words that mean something else there. */
RFI_FN void rfi_register_check(const char *what, const char *name, uint32_t count, bool known) {
    static const char valid[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    if (!name || !*name || name[strspn(name, valid)])
        rfi_die("%s: the name \"%s\" may have letters, digits, - and _ only", what,
                name ? name : "");
    if (!strcmp(name, "none") || !strcmp(name, "adversarial"))
        rfi_die("%s: the name %s means something else", what, name);
    if (known) rfi_die("%s: there is one named %s already", what, name);
    if (count == RFI_REGISTERED)
        rfi_die("%s: %s is one too many (%u can be registered)", what, name, RFI_REGISTERED);
}

RFI_FN void rfi_register_need(const char *what, const char *name, const char *field, bool there) {
    if (!there) rfi_die("%s: %s has no .%s", what, name, field);
}

void rfi_register_analysis(const rf_analysis *a) {
    rfi_registered *r = &rfi_registry;
    rfi_register_check("RF_ANALYSIS", a->name, r->analyses, rfi_analysis_bit(a->name) != 0);
    rfi_register_need("RF_ANALYSIS", a->name, "event", a->event);
    rfi_register_need("RF_ANALYSIS", a->name, "events", a->events);
    r->analysis[r->analyses++] = a;
}

void rfi_register_checker(const rf_checker *c) {
    rfi_registered *r = &rfi_registry;
    bool known = rfi_checker_named(c->name) || rfi_strategy_named(c->name);
    rfi_register_check("RF_CHECKER", c->name, r->checkers, known);
    rfi_register_need("RF_CHECKER", c->name, "is_breakpoint", c->is_breakpoint);
    rfi_register_need("RF_CHECKER", c->name, "check", c->check);
    rfi_register_need("RF_CHECKER", c->name, "event", c->event || !c->events);
    r->checker[r->checkers++] = c;
}

/* A checker whose analysis there is not, which can only be said once all are registered; or NULL.
 */
RFI_FN const rf_checker *rfi_register_astray(void) {
    for (uint32_t i = 0; i < rfi_registry.checkers; i++) {
        const rf_checker *c = rfi_registry.checker[i];
        if (c->of && !rfi_analysis_bit(c->of)) return c;
    }
    return NULL;
}

void rfi_register_strategy(const rf_strategy *s) {
    rfi_registered *r = &rfi_registry;
    bool known = rfi_checker_named(s->name) || rfi_strategy_named(s->name);
    rfi_register_check("RF_STRATEGY", s->name, r->strategies, known);
    rfi_register_need("RF_STRATEGY", s->name, "pick", s->pick);
    r->strategy[r->strategies++] = s;
}
#endif
#endif

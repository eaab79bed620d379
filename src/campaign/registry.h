/* campaign/registry.h: every analysis, checker and strategy by name: those that are built in, then
 * those that the program has registered, in the order of their registration. */
#ifndef RFI_CAMPAIGN_REGISTRY_H
#define RFI_CAMPAIGN_REGISTRY_H
#include "campaign/options.h"
#include "detect/all.h"
#include "explore/all.h"

#ifdef RFI_IMPL
# define RFI_REGISTERED 16u    /* of a sort, beside what is built in */
# define RFI_PORTFOLIO  "auto" /* stands for the usual explorers */

typedef struct rfi_registered {
    const rf_analysis *analysis[RFI_REGISTERED];
    const rf_checker *checker[RFI_REGISTERED];
    const rf_strategy *strategy[RFI_REGISTERED];
    uint32_t analyses, checkers, strategies;
} rfi_registered;

RFI_VAR rfi_registered rfi_registry;

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

/* Does it draw schedules, and may the engine take some of its executions (patience.h)?  What users
 * write decides for itself. */
RFI_FN bool rfi_strategy_draws(const rf_strategy *s) {
    for (uint32_t i = 0; i < RFI_LENGTH(rfi_strategies); i++)
        if (rfi_strategies[i] == s) return !s->serial && !s->threads;
    return false;
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
        if (!strncmp(s, name, n) && (!s[n] || s[n] == ',' || s[n] == ':')) return true;
    return false;
}

/* Does a list of explorers stand for the usual ones? */
RFI_FN bool rfi_list_usual(const char *list) { return !list || rfi_list_has(list, RFI_PORTFOLIO); }

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
    return rfi_list_usual(list) || rfi_list_has(list, c->name);
}

/* What a strategy's parameter is by default: what it was at first. */
RFI_FN uint32_t rfi_parameter_default(const rf_strategy *strategy) {
    static uint32_t first[2 * RFI_REGISTERED + RFI_LENGTH(rfi_strategies)];
    static bool known;
    const rf_strategy *s;
    uint32_t i = 0, found = 0;
    for (; (s = rfi_strategy_at(i)); i++) {
        if (!known && s->parameter) first[i] = *s->parameter;
        if (s == strategy) found = first[i];
    }
    known = true;
    return found;
}

/* The parameter that a list of names gives to a strategy, or its default. */
RFI_FN uint32_t rfi_parameter_of(const char *list, const rf_strategy *strategy) {
    size_t n = strlen(strategy->name);
    uint32_t preset = rfi_parameter_default(strategy);
    for (const char *s = list; s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL)
        if (!strncmp(s, strategy->name, n) && s[n] == ':')
            return (uint32_t)strtoul(s + n + 1, NULL, 10);
    return preset;
}

RFI_FN rfi_name rfi_name_of_strategy(const rf_strategy *s) {
    if (!s->parameter) return (rfi_name)RFI_NAME(s->name, s->help);
    return (rfi_name){s->name,        s->help, s->least, s->most, rfi_parameter_default(s),
                      s->of_parameter};
}

/* The names that options accept. */
RFI_FN const rfi_names *rfi_names_all(void) {
    enum { MOST = 64 };
    static rfi_name explorers[2 * MOST], analyses[MOST];
    static const rfi_name memories[] = {
        RFI_NAME("sc", "the newest value, always"),
        RFI_NAME("c11", "atomics as C11 has them, plain data sequentially consistent"),
        RFI_NAME("c11-fast", "the same, cheaper, with fewer outcomes"),
        RFI_NAME("oldest", "the oldest value allowed"),
        RFI_NAME("oldest-different", "the oldest that is not what the last read returned"),
        RFI_NAME("random", "any value allowed"),
        RFI_NAME("random-different", "any that is not what the last read returned"),
        RFI_NAME("mixed", "one of these four, drawn for each execution"),
        RFI_NAME(NULL, NULL)};
    static const rfi_name formats[] = {RFI_NAME("text", "for people"),
                                       RFI_NAME("tap", "Test Anything Protocol, version 13 and 14"),
                                       RFI_NAME("junit", "JUnit's XML"),
                                       RFI_NAME("json", "one JSON object a line"),
                                       RFI_NAME("sarif", "SARIF 2.1.0"),
                                       RFI_NAME("github", "annotations and summary of a workflow"),
                                       RFI_NAME("codequality", "GitLab's code quality report"),
                                       RFI_NAME("html", "a page for a browser"),
                                       RFI_NAME("trace", "an execution for Perfetto"),
                                       RFI_NAME(NULL, NULL)};
    static rfi_names names = {explorers, analyses, memories, formats};
    uint32_t n = 0;
    for (uint32_t i = 0; rfi_strategy_at(i); i++)
        if (rfi_strategy_at(i) != &rfi_schedule_strategy &&
            rfi_strategy_at(i) != &rfi_input_strategy)
            explorers[n++] = rfi_name_of_strategy(rfi_strategy_at(i));
    explorers[n++] =
        (rfi_name)RFI_NAME(RFI_PORTFOLIO, "the usual ones share the executions; all that confirm");
    for (uint32_t i = 0; rfi_checker_at(i); i++)
        explorers[n++] = (rfi_name)RFI_NAME(rfi_checker_at(i)->name, rfi_checker_at(i)->help);
    explorers[n] = (rfi_name)RFI_NAME(NULL, NULL);
    for (n = 0; rfi_analysis_at(n); n++)
        analyses[n] = (rfi_name)RFI_NAME(rfi_analysis_at(n)->name, rfi_analysis_at(n)->help);
    analyses[n] = (rfi_name)RFI_NAME("none", "no analysis");
    analyses[n + 1] = (rfi_name)RFI_NAME(NULL, NULL);
    return &names;
}

/* ---- registration ---- */

/* Names stand in tokens and in lists, beside words that mean something else there. */
RFI_FN void rfi_register_check(const char *what, const char *name, uint32_t count, bool known) {
    static const char valid[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    if (!name || !*name || name[strspn(name, valid)])
        rfi_die("%s: the name \"%s\" may have letters, digits, - and _ only", what,
                name ? name : "");
    if (!strcmp(name, "none") || !strcmp(name, "adversarial") || !strcmp(name, RFI_PORTFOLIO))
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

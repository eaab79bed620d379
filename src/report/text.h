/* report/text.h: the format `text`, for people.
 *
 * A finding in full says, in this order: what it is and why that is wrong, the places, the figures,
 * what it did, the interleaving, what the program wrote, and in its last line what to paste to see
 * it again.  Expected findings are told in short, and so are those that have one cause with the one
 * before.
 */
#ifndef RFI_REPORT_TEXT_H
#define RFI_REPORT_TEXT_H
#include "campaign/suppress.h"
#include "report/interleaving.h"
#include "report/progress.h"
#include "report/short.h"
#include "report/stale.h"
#include "report/statistics.h"

#ifdef RFI_IMPL
/* Who does what side k names, in the execution that is shown. */
RFI_FN uint32_t rfi_side_thread(const rfi_finding *f, unsigned k, const rfi_race_lines *race) {
    bool racing = f->warning->family == RF_FAMILY_RACE;
    return racing && race->e[k] ? race->e[k]->thread : f->warning->side[k].thread;
}

/* Side k of a racing pair: "writes" "balance = 93", then where, who, and under which locks. */
RFI_FN void rfi_say_side(rfi_line *what, rfi_line *where, const rfi_finding *f, unsigned k,
                         const rfi_race_lines *race) {
    const rfi_side *side = &f->warning->side[k];
    const rf_event *e = rfi_side_raced(f, k, race) ? race->e[k] : NULL;
    if (rfi_ends_frame(side->flags)) {
        rfi_line_add(what, "%s", side->object);
        if (e) rfi_say_bytes(what, f->record, e);
    } else if (e && e->flags & (RF_EV_FREES | RF_EV_RANGE) && !rfi_is_strange(e))
        rfi_line_add(what, "%s", rfi_expression(side->site)), rfi_say_bytes(what, f->record, e);
    else if (e)
        rfi_say_access(what, f->record, e);
    else
        rfi_line_add(what, "%s", side->object[0] ? side->object : rfi_expression(side->site));
    bool racing = f->warning->family == RF_FAMILY_RACE;
    uint32_t thread = rfi_side_thread(f, k, race);
    rfi_say_site(where, side->site);
    if (e) rfi_say_callers(where, f->record, race->number[k]);
    if (thread != RFI_NO_THREAD) {
        rfi_line_add(where, ", thread ");
        rfi_say_thread(where, f->record, thread);
        if (f->record && f->reproduced) rfi_say_created(where, f->record, thread);
    }
    if (side->locks[0])
        rfi_line_add(where, ", holding %s", side->locks);
    else if (racing)
        rfi_line_add(where, ", holding no lock");
}

RFI_FN rfi_race_lines rfi_finding_race(const rfi_finding *f) {
    if (f->record && f->reproduced) return rfi_race_find(f->record, f->warning);
    return (rfi_race_lines){{NULL, NULL}, {RFI_NEVER, RFI_NEVER}, RFI_NEVER};
}

/* "block 3 has 24 bytes, allocated at box.c:23 in main()": what two threads touch. */
RFI_FN void rfi_text_block(const rfi_term *t, const rfi_record *r, uint32_t block) {
    rfi_line l = {0};
    uint64_t i = rfi_first_kept(r);
    while (i < r->events &&
           (rfi_event_at(r, i)->kind != RF_EV_ALLOC || rfi_event_at(r, i)->object != block))
        i++;
    if (!block || i == r->events) return;
    rfi_line_add(&l, "block %u has %zu bytes, allocated at ", block, rfi_event_at(r, i)->size);
    rfi_say_site(&l, rfi_event_at(r, i)->site);
    rfi_say_callers(&l, r, i);
    rfi_line_add(&l, " by ");
    rfi_say_thread(&l, r, rfi_event_at(r, i)->thread);
    rfi_wrapped(t, RFI_PLAIN, 0, 2, 4, l.s);
}

RFI_FN void rfi_text_sides(const rfi_term *t, const rfi_finding *f) {
    rfi_race_lines race = rfi_finding_race(f);
    size_t width = 7;
    for (unsigned k = 0; k < f->warning->sides && f->warning->family == RF_FAMILY_RACE; k++) {
        size_t n = strlen(rfi_side_word(&f->warning->side[k]));
        if (n > width) width = n;
    }
    for (unsigned k = 0; k < f->warning->sides; k++) {
        rfi_line what = {0}, where = {0};
        const char *word = rfi_side_word(&f->warning->side[k]);
        rfi_say_side(&what, &where, f, k, &race);
        fputs("  ", t->out);
        rfi_styled(t, RFI_WARN, "%-*s", (int)width, word);
        rfi_wrapped(t, RFI_BOLD, (unsigned)width + 2, (unsigned)width + 3, 12, what.s);
        rfi_wrapped(t, RFI_PLAIN, 0, 10, 12, where.s);
    }
    for (unsigned k = 0; k < 2; k++) {
        if (!race.e[k] || !rfi_memory_of(f->record, race.e[k]).bytes) continue;
        rfi_text_block(t, f->record, f->record->within[race.e[k] - f->record->event].block);
        return;
    }
}

/* "failure 499, crash 2" */
RFI_FN void rfi_say_failures(rfi_line *l, const rfi_warning *pair) {
    const char *between = "";
    for (unsigned i = 0; i < 6; i++) {
        if (!pair->failed_by_kind[i]) continue;
        rfi_line_add(l, "%s", between);
        rfi_say_kinds(l, 1u << i);
        rfi_line_add(l, " %llu", (unsigned long long)pair->failed_by_kind[i]);
        between = ", ";
    }
}

/* What phase 3 did with a race, in all and under each heuristic. */
RFI_FN rfi_trial rfi_trial_sum(const rfi_warning *pair) {
    rfi_trial sum = {0};
    for (unsigned i = 0; i < RFI_PICKS; i++) {
        if (i == RF_PICK_NEWEST) continue;
        sum.executions += pair->trial[i].executions;
        sum.exposed += pair->trial[i].exposed;
        sum.failed += pair->trial[i].failed;
        sum.unclear += pair->trial[i].unclear;
    }
    return sum;
}

RFI_FN void rfi_say_trials(rfi_line *l, const rfi_warning *pair) {
    const char *between = " (";
    for (unsigned i = 0; i < RFI_PICKS; i++) {
        const rfi_trial *t = &pair->trial[i];
        if (!t->executions || i == RF_PICK_NEWEST) continue;
        rfi_line_add(l, "%s%s %llu/%llu", between, rfi_pick_word((rf_heuristic)i),
                     (unsigned long long)t->failed, (unsigned long long)t->executions);
        between = ", ";
    }
    const rfi_trial *t = &pair->trial[RF_PICK_NEWEST];
    if (t->executions)
        rfi_line_add(l, "; with newest values %llu/%llu", (unsigned long long)t->failed,
                     (unsigned long long)t->executions);
    rfi_line_add(l, ")");
}

RFI_FN void rfi_say_old_values(rfi_line *l, const rfi_finding *f) {
    rfi_trial sum = rfi_trial_sum(f->warning);
    if (!sum.executions) return;
    rfi_line_add(l, "old values returned in %llu of %llu executions: ",
                 (unsigned long long)sum.exposed, (unsigned long long)sum.executions);
    if (f->verdict == RFI_DESTRUCTIVE) {
        rfi_line_add(l, "%llu failed", (unsigned long long)sum.failed);
        rfi_say_trials(l, f->warning);
    } else if (sum.failed + sum.unclear) {
        rfi_line_add(l, "%llu failed, in ways that newest values show too",
                     (unsigned long long)(sum.failed + sum.unclear));
    } else {
        rfi_line_add(l, "no harm seen");
    }
}

/* ": hit probability 0.412 (95 %: 0.382-0.443)", for who wants to know. */
RFI_FN void rfi_say_confidence(rfi_line *l, const char *of, uint64_t k, uint64_t n) {
    if (!rfi_report_full) return;
    rfi_line_add(l, ": %s probability ", of);
    rfi_say_probability(l, k, n);
}

/* How often the race was predicted, produced, and did harm. */
RFI_FN void rfi_text_figures(const rfi_term *t, const rfi_result *r, const rfi_finding *f) {
    const rfi_warning *pair = f->warning;
    rfi_line l[5] = {{0}, {0}, {0}, {0}, {0}};
    bool race = pair->family == RF_FAMILY_RACE, seen = pair->seen != 0;
    bool mere = seen && !race && pair->seen == pair->predicted; /* nobody has predicted anything */
    rfi_line_add(&l[0], "%s  in %llu of %llu executions", mere ? "seen     " : "predicted",
                 (unsigned long long)pair->predicted, (unsigned long long)r->executions[0]);
    if (seen && !mere)
        rfi_line_add(&l[0], ", %s in %llu", race ? "unordered by happens-before" : "seen",
                     (unsigned long long)pair->seen);
    if (pair->executions) {
        rfi_line_add(&l[1], "produced   in %llu of %llu", (unsigned long long)pair->hits,
                     (unsigned long long)pair->executions);
        rfi_say_confidence(&l[1], "hit", pair->hits, pair->executions);
    }
    if (pair->hits) {
        rfi_line_add(&l[2], "failed     in %llu of these %llu", (unsigned long long)pair->failed,
                     (unsigned long long)pair->hits);
        rfi_say_confidence(&l[2], "failure", pair->failed, pair->hits);
    }
    if (pair->failed && rfi_report_full) {
        rfi_line_add(&l[3], "by kind    ");
        rfi_say_failures(&l[3], pair);
    }
    rfi_say_old_values(&l[4], f);
    for (unsigned i = 0; i < 5; i++)
        if (l[i].bytes) rfi_wrapped(t, RFI_PLAIN, 0, 2, 13, l[i].s);
}

/* Where a failure happened; a crash is known only by the last place before it. */
RFI_FN void rfi_say_failure_place(rfi_line *l, const rfi_finding *f) {
    const rfi_failure *failure = &f->failure->failure;
    bool crash = rfi_diagnostic(failure->diagnostic)->kind == RF_EXPECT_CRASH && !failure->there;
    rfi_line_add(l, "%s ", crash ? "last seen at" : "at");
    rfi_say_site(l, failure->site);
    if (failure->thread == RFI_NO_THREAD) return;
    rfi_line_add(l, ", thread ");
    rfi_say_thread(l, f->record, failure->thread);
}

RFI_FN void rfi_text_failure(const rfi_term *t, const rfi_result *r, const rfi_finding *f) {
    const rfi_failure_kind *kind = f->failure;
    if (f->warning) {
        rfi_line words = {0};
        fputc('\n', t->out);
        rfi_line_add(&words, "then %s:", rfi_diagnostic(kind->failure.diagnostic)->words);
        rfi_text_line(t, RFI_BAD, 2, &words);
    }
    rfi_paragraphs(t, RFI_BOLD, f->warning ? 4 : 2, kind->failure.message);
    rfi_line place = {0}, count = {0};
    rfi_say_failure_place(&place, f);
    rfi_text_line(t, RFI_PLAIN, f->warning ? 4 : 2, &place);
    if (f->warning) return;
    uint64_t all = rfi_sum_of_phases(r->executions);
    bool spared = !kind->stale && kind->stale_steps && kind->stale_steps < kind->steps;
    rfi_line_add(&count, "in %llu of %llu executions; %s the shortest%s, %llu step%s",
                 (unsigned long long)kind->count, (unsigned long long)all,
                 f->record && !f->reproduced ? "this was" : "shown is",
                 spared ? " without older values" : "", (unsigned long long)kind->steps,
                 kind->steps == 1 ? "" : "s");
    rfi_text_line(t, RFI_PLAIN, 2, &count);
    if (f->together)
        rfi_wrapped(t, RFI_PLAIN, 0, 2, 2,
                    "seen only when all races together returned older values, with none alone");
}

/* Ends a sentence about the last one. */
RFI_FN void rfi_say_last_of(rfi_line *l, uint64_t count) {
    if (count > 1) rfi_line_add(l, ", the last of %llu", (unsigned long long)count);
    rfi_line_add(l, ".");
}

/* The failure comes only where freed memory, or the handle of a thread, is given out again. */
RFI_FN void rfi_text_again(const rfi_term *t, const rfi_finding *f) {
    const rfi_again *a = &f->record->again;
    rfi_line l = {0};
    if (!f->failure->again || !a->count) return;
    if (a->thread) {
        rfi_line_add(&l, "Only where handles are given out again, as systems do: T%u, created at ",
                     a->thread);
        rfi_say_site(&l, a->site);
        rfi_line_add(&l, ", has that of T%u, which had ended", a->former);
    } else {
        rfi_line_add(&l,
                     "Only where freed memory was given out again, as malloc may: the block that ");
        rfi_say_site(&l, a->site);
        rfi_line_add(&l, " allocated has the address of block %u, freed by T%u at ", a->former,
                     a->freed_by);
        rfi_say_site(&l, a->freed);
    }
    rfi_say_last_of(&l, a->count);
    rfi_wrapped(t, RFI_PLAIN, 0, 2, 2, l.s);
}

# define RFI_BY_ITSELF_FEW 16u /* where there are so many in all that failed, that is the cause */

/* A thread was held back for longer than another one waits. */
RFI_FN void rfi_text_early(const rfi_term *t, const rfi_finding *f) {
    const rfi_by_itself *e = &f->record->early;
    rfi_line l = {0};
    if (!f->failure->early || !e->count) return;
    rfi_line_add(&l, e->count > RFI_BY_ITSELF_FEW ? "In all that failed so " : "Needed: ");
    rfi_line_add(&l, "T%u's %s at ", e->thread, e->sleep ? "sleep" : "timed wait");
    rfi_say_site(&l, e->site);
    rfi_line_add(&l, " ended early, though T%u could run", e->other);
    rfi_say_last_of(&l, e->count);
    rfi_wrapped(t, RFI_PLAIN, 0, 2, 2, l.s);
}

/* Where threads wait often it says nothing. */
RFI_FN void rfi_text_unwoken(const rfi_term *t, const rfi_finding *f) {
    const rfi_by_itself *e = &f->record->unwoken;
    rfi_line l = {0};
    if (!f->failure->unwoken || !e->count || e->count > RFI_BY_ITSELF_FEW) return;
    rfi_line_add(&l, "In all that failed so a wait had a spurious wake-up: that of T%u at ",
                 e->thread);
    rfi_say_site(&l, e->site);
    rfi_say_last_of(&l, e->count);
    rfi_line_add(&l, " With --no-spurious none has.");
    rfi_wrapped(t, RFI_PLAIN, 0, 2, 2, l.s);
}

/* What has become of the scenario. */
RFI_FN void rfi_text_scenario(const rfi_term *t, const rfi_shrunk *s) {
    rfi_line l = {0};
    if (s->calls == s->calls_before && s->callers == s->callers_before) return;
    rfi_say_number(&l, s->calls, "call");
    rfi_line_add(&l, s->callers ? " of " : " of T0 alone");
    if (s->callers) rfi_say_number(&l, s->callers, "thread");
    rfi_line_add(&l, "; %u of %u when it was found", s->calls_before, s->callers_before);
    fputc('\n', t->out);
    rfi_text_line(t, RFI_PLAIN, 2, &l);
}

/* How short the schedule is, and what each of its preemptions is needed for. */
RFI_FN void rfi_text_shrunk(const rfi_term *t, const rfi_finding *f) {
    const rfi_shrunk *s = f->shrunk;
    rfi_line l = {0};
    if (s) rfi_text_scenario(t, s);
    if (!s || (!s->whole && !s->tried && !s->fewest && !(s->over && s->preemptions))) return;
    rfi_say_number(&l, s->preemptions, "preemption");
    if (s->before > s->preemptions)
        rfi_line_add(&l, " (%llu when it was found)", (unsigned long long)s->before);
    if (s->fewest && s->preemptions) {
        rfi_line_add(&l, "; with fewer it can't fail this way " RFI_UNDER_SC);
    } else if (s->tried) {
        rfi_line_add(&l, "; with fewer it did not fail this way in ");
        if (s->tried > 1) rfi_line_add(&l, "any of ");
        rfi_say_number(&l, s->tried, "schedule");
        rfi_line_add(&l, " tried");
    }
    if (!s->whole && !s->fewest) rfi_line_add(&l, "; a longer --shrink may leave fewer");
    fputc('\n', t->out);
    rfi_text_line(t, RFI_PLAIN, 2, &l);
    for (uint32_t i = 0; i < s->needs; i++) {
        const rfi_need *n = &s->need[i];
        rfi_line why = {0};
        rfi_line_add(&why, "where T%u goes on at ", n->from);
        rfi_say_place(&why, n->site);
        rfi_line_add(&why, " instead of T%u, it passes", n->to);
        if (n->differs) {
            rfi_line_add(&why, ": T%u then reads %s -> ", n->now.thread,
                         rfi_expression(n->now.site));
            rfi_say_value(&why, n->then.value, n->then.size);
            rfi_line_add(&why, " at ");
            rfi_say_place(&why, n->now.site);
            rfi_line_add(&why, ", not ");
            rfi_say_value(&why, n->now.value, n->now.size);
        }
        rfi_text_line(t, RFI_PLAIN, 4, &why);
    }
}

/* Why memory returned what it did. */
RFI_FN void rfi_text_stale(const rfi_term *t, const rfi_record *r) {
    rfi_line l = {0};
    rfi_say_stale(&l, r);
    if (!l.bytes) return;
    fputc('\n', t->out);
    rfi_wrapped(t, RFI_PLAIN, 0, 2, 2, l.s);
}

RFI_FN void rfi_text_note(const rfi_term *t, const char *note) {
    rfi_line l = {0};
    rfi_line_add(&l, "note: %s", note);
    rfi_text_line(t, RFI_WARN, 2, &l);
}

/* The memory model has met a value that it does not know. */
RFI_FN void rfi_text_unannounced(const rfi_term *t, unsigned indent, const rf_site *unannounced) {
    rfi_line l = {0};
    if (!unannounced) return;
    rfi_line_add(&l, "note: ");
    rfi_say_unannounced(&l, unannounced);
    rfi_text_line(t, RFI_WARN, indent, &l);
}

/* How to find the source of places that are known by address only. */
RFI_FN void rfi_text_source(const rfi_term *t, const rfi_finding *f) {
    const rf_site *site[RF_PLACES + 1];
    const char *of = NULL;
    unsigned n = 0;
    for (unsigned k = 0; f->warning && k < f->warning->sides; k++)
        site[n++] = f->warning->side[k].site;
    if (f->failure) site[n++] = f->failure->failure.site;
    for (unsigned k = 0; k < n; k++) {
        rfi_where w = rfi_site_where(site[k]);
        if (!w.offset) continue;
        if (!of || strcmp(of, w.path) != 0)
            fprintf(t->out, "%s  source: addr2line -e %s", of ? "\n" : "", w.path);
        of = w.path;
        fprintf(t->out, " 0x%x", w.offset);
    }
    if (of) fputc('\n', t->out);
}

RFI_VAR bool rfi_report_whole;        /* RF_TRACE: interleavings are not cut */
RFI_VAR bool rfi_report_drawn = true; /* false: somebody else shows the interleavings */

/* Has the thread of a racing write read the same memory before, in the same function? */
RFI_FN bool rfi_side_updates(const rfi_record *r, const rfi_race_lines *race, unsigned k) {
    const rf_event *e = race->e[k];
    if (race->number[k] == RFI_NEVER || !(e->flags & RF_EV_WRITES)) return false;
    for (uint64_t i = race->number[k]; i > rfi_first_kept(r); i--) {
        const rf_event *before = rfi_event_at(r, i - 1);
        if (before->thread != e->thread || !before->site) continue;
        const char *function = rfi_site_where(before->site).function;
        if (strcmp(function, rfi_site_where(e->site).function) != 0) return false;
        if (before->flags & RF_EV_READS && before->addr == e->addr) return true;
    }
    return false;
}

/* Is the first of these locks that of a handler, "SIGALRM in T0"? */
RFI_FN bool rfi_by_handler(const char *locks) {
    return !strncmp(locks, "SIG", 3) && !strncmp(locks + strcspn(locks, " "), " in T", 5);
}

/* The first lock that is held only for reading where it writes, and how long its name is. */
RFI_FN const char *rfi_side_reads_by(const rfi_side *s, size_t *bytes) {
    const char *end = s->flags & RF_EV_WRITES ? strstr(s->locks, RFI_SHARED) : NULL, *name = end;
    if (!end) return NULL;
    while (name > s->locks && !(name[-1] == ' ' && name > s->locks + 1 && name[-2] == ',')) name--;
    *bytes = (size_t)(end - name);
    return name;
}

/* Both hold locks.  Is one of them held for reading only, by who writes? */
RFI_FN void rfi_say_advice_held(rfi_line *l, const rfi_side *a, const rfi_side *b) {
    size_t n = 0, other;
    const rfi_side *w = rfi_side_reads_by(a, &n) ? a : b;
    const char *name = rfi_side_reads_by(w, &n);
    if (!name) {
        rfi_line_add(l, "one lock that is held at both.");
        return;
    }
    const rfi_side *too = w == a && b->site != a->site && rfi_side_reads_by(b, &other) ? b : NULL;
    rfi_line_add(l, "holding %.*s for writing, not shared, at %s%s%s.", (int)n, name,
                 RFI_AT(w->site), too ? " and " : "", too ? RFI_AT(too->site) : "");
}

/* What would forbid the race, as far as its places tell. */
RFI_FN void rfi_say_advice(rfi_line *l, const rfi_finding *f) {
    const rfi_side *a = &f->warning->side[0], *b = &f->warning->side[1];
    rfi_race_lines race = rfi_finding_race(f);
    const char *name = a->site->file[0] ? rfi_expression(a->site) : "the data";
    const rfi_side *held = a->locks[0] ? a : b, *bare = a->locks[0] ? b : a;
    const char *more = strstr(held->locks, " (");
    size_t n = strcspn(held->locks, ",");
    if (more && (size_t)(more - held->locks) < n) n = (size_t)(more - held->locks);
    if (strcmp(rfi_expression(a->site), rfi_expression(b->site)) != 0) name = "the data";
    rfi_line_add(l, "What would forbid it: ");
    bool data = !((a->flags | b->flags) & RF_EV_CLAIMS || rfi_on_descriptor(a->flags));
    if (!data && !a->locks[0] && !b->locks[0])
        rfi_line_add(l,
                     "a lock held at both, or an order of the two (join, condition, semaphore).");
    else if ((a->flags | b->flags) & (RF_EV_FREES | RF_EV_MAKES))
        rfi_line_add(l,
                     "an order between the two: a join, or an atomic count of those who use it.");
    else if (a->locks[0] && b->locks[0])
        rfi_say_advice_held(l, a, b);
    else if (n)
        rfi_line_add(l, "holding %.*s at %s too.%s", (int)n, held->locks, RFI_AT(bare->site),
                     rfi_by_handler(held->locks)
                         ? " A volatile sig_atomic_t may be shared (C11 7.14.1.1): compiled with "
                           "--param tsan-distinguish-volatile=1 (clang: -mllvm "
                           "-tsan-distinguish-volatile=1) it is none."
                         : "");
    else if (f->reproduced &&
             (rfi_side_updates(f->record, &race, 0) || rfi_side_updates(f->record, &race, 1)))
        rfi_line_add(l, "a lock around reading and writing %s, or one atomic operation for both.",
                     name);
    else
        rfi_line_add(l,
                     "a lock held at both, %s as an atomic object, or an order of the two (join, "
                     "condition, semaphore).",
                     name);
}

/* What is wrong, for someone who meets it for the first time, and what to do about it. */
RFI_FN void rfi_text_meaning(const rfi_term *t, const rfi_finding *f) {
    rfi_line l = {0}, advice = {0};
    if (f->warning->family != RF_FAMILY_RACE) {
        rfi_line_add(&l, "%s", f->warning->text);
        if (l.bytes) rfi_text_line(t, RFI_PLAIN, 2, &l);
        return;
    }
    const unsigned flags[] = {f->warning->side[0].flags, f->warning->side[1].flags};
    const unsigned claims = (flags[0] | flags[1]) & RF_EV_CLAIMS;
    const bool all = flags[flags[0] & RF_EV_CLAIMS ? 0 : 1] & RF_EV_WRITES;
    rfi_line_add(
        &l, "%s %s%s",
        f->warning->hits
            ? "Two threads stood at these accesses at the same moment; nothing orders them."
            : "Nothing orders these two accesses.",
        rfi_on_descriptor(flags[0]) ? "Once closed, the number may be another file's when it "
                                      "is used."
        : !claims                   ? "A data race is undefined behaviour (C11 5.1.2.4)."
        : all ? "Nobody else may touch what a thread claims by RF_EXCLUSIVE_ACCESS."
              : "Nobody else may write what a thread claims by RF_EXCLUSIVE_WRITER.",
        f->verdict == RFI_HARMFUL       ? " Here it made the test fail."
        : f->verdict == RFI_DESTRUCTIVE ? " Here a read returned an older value or a torn one, as "
                                          "compilers and processors may make it, and the test "
                                          "failed."
                                        : "");
    rfi_wrapped(t, RFI_PLAIN, 0, 2, 2, l.s);
    rfi_say_advice(&advice, f);
    rfi_text_line(t, RFI_PLAIN, 2, &advice);
}

RFI_FN void rfi_text_told(const rfi_term *t, const rfi_result *r, const rfi_finding *f) {
    FILE *out = t->out;
    if (f->suppressed) {
        if (rfi_report_full) rfi_text_short(t, f);
        return;
    }
    if (f->brief) {
        rfi_text_also(t, f);
        return;
    }
    bool fault = !f->warning || f->failure || rfi_family(f->warning->family)->kind;
    if (f->expected || !fault || (f->warning && !f->record)) {
        rfi_text_short(t, f);
        return;
    }
    rfi_line head = {0};
    rfi_say_verdict(&head, f);
    rfi_line_add(&head, " (test %s)", r->test->options.rfi_name);
    fputc('\n', out);
    rfi_text_line(t, RFI_BAD, 0, &head);
    rfi_text_gone(t, f);
    if (f->warning) {
        rfi_text_meaning(t, f);
        fputc('\n', out);
        rfi_text_sides(t, f);
        fputc('\n', out);
        rfi_text_figures(t, r, f);
    }
    if (f->failure) rfi_text_failure(t, r, f);
    if (f->failure && f->reproduced) {
        rfi_text_again(t, f);
        rfi_text_early(t, f);
        rfi_text_unwoken(t, f);
        rfi_text_stale(t, f->record);
        rfi_text_shrunk(t, f);
    }
    if (f->record && (rfi_report_drawn || !f->reproduced)) {
        fputc('\n', out);
        if (!f->reproduced)
            rfi_wrapped(t, RFI_WARN, 0, 2, 2,
                        f->record->cut
                            ? "What follows is a replay of it, cut off when time was up."
                            : "What follows is a replay of it, in which it did not happen again.");
        if (rfi_report_drawn) rfi_picture_draw(t, f->record, f->warning, rfi_report_whole);
    }
    if (f->output && *f->output) {
        fputc('\n', out);
        rfi_wrapped(t, RFI_BOLD, 0, 2, 2, "the end of what it wrote:");
        rfi_quoted(t, RFI_PLAIN, "  | ", f->output);
    }
    fputc('\n', out);
    if (f->note) rfi_text_note(t, f->note);
    rfi_text_source(t, f);
    rfi_text_replay(t, f->token);
}

RFI_FN void rfi_text_finding(FILE *out, const rfi_result *r, const rfi_finding *f) {
    rfi_term t = rfi_term_of(out);
    rfi_progress_clear();
    if (f->warning && f->verdict == RFI_POTENTIAL)
        return; /* told together, with the test's result */
    rfi_text_told(&t, r, f);
}

/* What an analysis saw happen in a replayed execution. */
RFI_FN void rfi_text_seen(FILE *out, const rfi_warning *w) {
    rfi_term t = rfi_term_of(out);
    rfi_line l = {0};
    const char *race = w->family == RF_FAMILY_RACE ? "nothing orders " : "";
    rfi_line_add(&l, "%s: %s", rfi_warning_words(w), race);
    rfi_say_sides(&l, w);
    rfi_text_line(&t, RFI_PLAIN, 0, &l);
    if (w->text[0]) rfi_wrapped(&t, RFI_PLAIN, 0, 2, 4, w->text);
}

/* A replayed execution: all its steps, and how it ended.  `checker` has directed it; may be NULL.
 */
RFI_FN void rfi_text_replayed(FILE *out, const rfi_record *r, const rf_checker *checker) {
    rfi_term t = rfi_term_of(out);
    rfi_failure_kind kind = {.failure = r->failure, .count = 1, .steps = r->steps};
    rfi_finding f = {.failure = &kind, .record = r};
    rfi_line head = {0}, place = {0};
    unsigned family =
        checker && checker->confirms ? (unsigned)__builtin_ctz(checker->confirms) : RF_FAMILY_OTHER;
    static rfi_warning meant; /* what the hits are, without places */
    meant.family = (uint8_t)family;
    bool race = !checker || family == RF_FAMILY_RACE;
    if (rfi_report_drawn) {
        rfi_picture_draw(&t, r, race ? NULL : &meant, true);
        fputc('\n', out);
    }
    if (r->hit_count)
        fprintf(out, "%s: %s %u time%s\n",
                family == RF_FAMILY_OTHER ? checker->name : rfi_family(family)->words,
                family == RF_FAMILY_RACE ? "the two accesses were brought together" : "produced",
                r->hit_count, r->hit_count == 1 ? "" : "s");
    if (r->skipped) fprintf(out, "skipped: %s\n", r->failure.message);
    if (r->failure.diagnostic == RF_DIAG_NONE) return;
    rfi_say_verdict(&head, &f);
    rfi_text_line(&t, RFI_BAD, 0, &head);
    rfi_paragraphs(&t, RFI_BOLD, 2, r->failure.message);
    rfi_say_failure_place(&place, &f);
    rfi_text_line(&t, RFI_PLAIN, 2, &place);
    rfi_text_stale(&t, r);
    rfi_text_unannounced(&t, 2, r->unannounced);
}
#endif
#endif

/* engine/interrupt.h: interrupts of a machine with one core (docs/interrupts.md).
 *
 * A source is a logical thread of its own: when the scheduler picks it, it strikes, and its handler
 * runs on top of the thread that had the turn (strike.h).  Until it ends, nobody runs but handlers
 * of a higher priority.  A thread that masks interrupts has the core for itself in the same way,
 * but for the handlers that it leaves open.  With --cores=2 and more the others run meanwhile.
 * Analyses see a mutex for each priority, which the handlers of that priority hold, and a thread
 * that masks it: what is under a mask does not race with a handler.  Memory is that of one core,
 * reads return what was written last.
 *
 * A source with a period waits for its time first.  It may come early, as all time-outs may; once
 * it has come, the source strikes before anything else is done that it may interrupt.
 * Optimised: less.  Tests without interrupts never come here.
 */
#ifndef RFI_ENGINE_INTERRUPT_H
#define RFI_ENGINE_INTERRUPT_H
#include "engine/sync.h"
#include "engine/thread.h"

#ifdef RFI_IMPL
# define RFI_PRIORITIES  16u
# define RFI_IRQ_SOURCES 64u
# define RFI_IRQ_REST    12u /* early strikes, each of which doubles the steps up to the next one */

/* A source of interrupts. */
typedef struct rfi_irq_source {
    const rf_site *site;
    rf_interrupt_options options;
    void (*handler)(void *);
    void *arg;
    uint32_t thread;
    uint32_t under;      /* the thread that it interrupted last; RFI_NO_THREAD: the core was idle */
    uint32_t early;      /* so often it came before its time */
    uint64_t next, rest; /* its time; before this step it does not come early */
    bool came;           /* its time has, and it has not struck */
    bool missed;         /* it could not, and so loses those that come meanwhile */
    bool over;           /* the body of the test has ended */
} rfi_irq_source;

/* Who has the core for itself: a handler, or who masks. */
typedef struct rfi_core_owner {
    struct rfi_core_owner *below; /* the one before */
    uint32_t thread;
    uint32_t closed; /* priorities that can't strike meanwhile */
    uint32_t taken;  /* those whose mutex it has locked, */
    uint32_t depth;  /* and how often it was masked again */
    bool handles;
} rfi_core_owner;

/* A thread that has slept until a handler has run. */
typedef struct rfi_irq_sleeper {
    struct rfi_irq_sleeper *next;
    uint32_t thread;
    bool sleeps;
    rf_sem woken; /* of its own: nobody takes what another one was woken with */
} rfi_irq_sleeper;

RFI_VAR struct {
    uint32_t generation; /* of the execution that all of this is of */
    uint32_t sources;
    uint32_t turn; /* the thread that had the turn at the last decision */
    rfi_irq_source *source[RFI_IRQ_SOURCES];
    rfi_core_owner *top, *unused;
    rf_mutex level[RFI_PRIORITIES];
    uint32_t levels; /* which of them there are */
    rfi_irq_sleeper *sleeper;
} rfi_irq;

RFI_FN void rfi_irq_enter(void) {
    if (rfi_irq.generation == rfi.generation) return;
    rfi_irq.generation = rfi.generation;
    rfi_irq.sources = rfi_irq.levels = rfi_irq.turn = 0;
    rfi_irq.top = rfi_irq.unused = NULL;
    rfi_irq.sleeper = NULL;
}

RFI_INLINE uint32_t rfi_irq_bit(uint32_t priority) { return UINT32_C(1) << priority; }

/* ---- who has the core ---- */

RFI_FN uint32_t rfi_irq_closed(void) {
    uint32_t closed = 0;
    for (const rfi_core_owner *o = rfi_irq.top; o; o = o->below) closed |= o->closed;
    return closed;
}

/* What `t` has last masked, or that its handler runs; NULL: neither. */
RFI_FN rfi_core_owner *rfi_core_of(const rfi_thr *t) {
    rfi_core_owner *o = rfi_irq.top;
    while (o && o->thread != t->id) o = o->below;
    return o;
}

RFI_FN uint32_t rfi_core_decide(void);

/* From now on rfi_core_decide has its say. */
RFI_FN void rfi_core_watch(void) {
    rfi.run.attention += !rfi.run.owned;
    rfi.run.owned = rfi_core_decide;
}

RFI_FN rfi_core_owner *rfi_core_take(uint32_t thread, uint32_t closed, uint32_t taken) {
    rfi_core_owner *o = rfi_irq.unused;
    if (o)
        rfi_irq.unused = o->below;
    else
        o = rfi_arena_take(&rfi.arena, sizeof *o);
    *o = (rfi_core_owner){rfi_irq.top, thread, closed, taken, 0, false};
    rfi_core_watch();
    return rfi_irq.top = o;
}

RFI_FN void rfi_core_give(rfi_core_owner *o) {
    rfi_core_owner **link = &rfi_irq.top;
    while (*link != o) link = &(*link)->below;
    *link = o->below;
    o->below = rfi_irq.unused;
    rfi_irq.unused = o;
}

/* The owner waits for somebody who can't run before it has gone on. */
RFI_FN RFI_COLD RFI_NORETURN void rfi_core_stuck(const rfi_core_owner *o) {
    rfi_text out = rfi_message_of(&rfi.record->failure);
    const rfi_thr *t = rfi.thread[o->thread];
    if (!o->handles)
        rfi_append(&out, "T%u has masked the interrupts and waits: nobody else can run", t->id);
    else
        rfi_append(&out, "T%u, an interrupt handler, waits: nobody else can run before it ends",
                   t->id);
    rfi_say_wait(&out, t);
    rfi_fail_written(RF_DIAG_LOCK_CYCLE, t->next.site, t->id);
}

/* ---- who may run ---- */

/* Who may run while `o` has the core: how many; they stand in rfi.candidates. */
RFI_FN uint32_t rfi_core_candidates(const rfi_core_owner *o, bool paused_too) {
    uint32_t n = 0, closed = rfi_irq_closed();
    memset(rfi.candidates, 0, rfi.run.words * sizeof *rfi.candidates);
    if (rfi_in(rfi.enabled, o->thread)) rfi_put(rfi.candidates, o->thread);
    for (uint32_t i = 0; i < rfi_irq.sources; i++) {
        const rfi_irq_source *s = rfi_irq.source[i];
        if (!(closed & rfi_irq_bit(s->options.priority)) && rfi_in(rfi.enabled, s->thread))
            rfi_put(rfi.candidates, s->thread);
    }
    for (uint32_t w = 0; w < rfi.run.words; w++)
        n += rfi_bits(rfi.candidates[w] &= paused_too ? UINT64_MAX : ~rfi.paused[w]);
    return n;
}

/* The source with the highest priority of those that must strike now; NULL: none must. */
RFI_FN const rfi_irq_source *rfi_irq_due(void) {
    const rfi_irq_source *due = NULL;
    uint32_t closed = rfi_irq_closed();
    for (uint32_t i = 0; i < rfi_irq.sources; i++) {
        rfi_irq_source *s = rfi_irq.source[i];
        rfi_thr *t = rfi.thread[s->thread];
        if (!s->options.period || t->finished || rfi_core_of(t)) continue;
        if (!s->came && s->next > rfi.run.now) {
            rfi_set_going(t); /* it may have rested */
            continue;
        }
        bool open = !(closed & rfi_irq_bit(s->options.priority)) && rfi_in(rfi.enabled, t->id);
        s->missed |= !open;
        if (open && (!due || s->options.priority > due->options.priority)) due = s;
    }
    return due;
}

/* The next one to make a step, of those that may; RFI_NO_THREAD: there is none.  What a checker
 * wants to have paused here stands still as long as others may run; where all are paused, one goes
 * on without a second check. */
RFI_FN uint32_t rfi_core_chosen(const rfi_core_owner *o) {
    for (;;) {
        uint32_t n = rfi_core_candidates(o, false);
        bool paused = !n;
        if (paused) n = rfi_core_candidates(o, true);
        if (!n) return RFI_NO_THREAD;
        uint32_t t = rfi_pick(n);
        if (paused) rfi_unpause(t);
        if (paused || !rfi.plan->checker || !rfi_to_be_checked(rfi.thread[t])) return t;
        rfi.frame.checked = t;
        rfi.frame.pause_checked = false;
        rfi.plan->checker->check(&rfi.thread[t]->next);
        rfi.frame.checked = RFI_NO_THREAD;
        if (!rfi.frame.pause_checked || n == 1) return t;
        rfi_pause(t);
    }
}

/* The thread that executes next, while somebody has the core for himself, or a source must strike;
 * RFI_NO_THREAD: it is decided as ever. */
RFI_FN RFI_COLD uint32_t rfi_core_decide(void) {
    rfi_irq.turn = rfi.current->id;
    do {
        const rfi_irq_source *due = rfi_irq_due();
        const rfi_core_owner *o = rfi_irq.top;
        if (due) {
            if (rfi_in(rfi.paused, due->thread)) rfi_unpause(due->thread);
            return due->thread;
        }
        if (!o || rfi.plan->cores > 1) return RFI_NO_THREAD;
        uint32_t t = rfi_core_chosen(o);
        if (t != RFI_NO_THREAD) return t;
    } while (rfi.run.dues && rfi_time_passes());
    rfi_core_stuck(rfi_irq.top);
}

/* ---- handlers ---- */

/* A handler has left another errno behind than it found: as if it had written it at last.  What it
 * does with errno in between is its own matter. */
RFI_FN void rfi_errno_spoiled(const rf_site *s, const char *handler) {
    if (rfi_code_announces) s = rfi_code_at(handler + 1, RF_SITE_WRITE);
    rfi_range_event(s, &errno, sizeof errno, RF_EV_WRITES | RF_EV_IN_PLACE);
}

RFI_FN rfi_irq_source *rfi_irq_source_of(const rfi_thr *t) {
    for (uint32_t i = 0; i < rfi_irq.sources; i++)
        if (rfi_irq.source[i]->thread == t->id) return rfi_irq.source[i];
    return NULL;
}

/* On the stack of the thread that is interrupted, or where there is none, on its own. */
RFI_FN void rfi_irq_handle(rfi_thr *by) {
    const rfi_irq_source *s = by->arg;
    int error = errno;
    if (by->under) rfi_strike_recycle(by, __builtin_frame_address(0));
    s->handler(s->arg);
    if (by->under) rfi_strike_recycle(by, __builtin_frame_address(0));
    if (errno != error && by->under)
        rfi_errno_spoiled(s->site, (const char *)(uintptr_t)s->handler);
    const rfi_core_owner *o = rfi_core_of(by);
    if (!o->handles || o->depth)
        rfi_fail(RF_DIAG_EXIT_HOLDING, s->site,
                 "T%u, an interrupt handler, ends and has not unmasked the interrupts", by->id);
}

/* It can run on top of `t`: that is no handler of the same priority or a higher one, which keeps
 * its core for itself. */
RFI_FN bool rfi_irq_interrupts(const rfi_irq_source *s, const rfi_thr *t) {
    const rfi_irq_source *handler = t->under ? rfi_irq_source_of(t) : NULL;
    return rfi_may_strike(t) && (!handler || handler->options.priority < s->options.priority);
}

/* Is there more than one thread that a handler could interrupt? */
RFI_FN bool rfi_irq_others(void) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < rfi.run.threads; i++)
        n += !rfi.thread[i]->source && !rfi.thread[i]->finished;
    return n > 1;
}

/* Who is interrupted: the thread that had the turn, or whom that has interrupted, if it was one
 * whose handler is over.  NULL: the core was idle, or another one is. */
RFI_FN rfi_thr *rfi_irq_victim(rfi_irq_source *s) {
    rfi_thr *t = rfi.thread[rfi_irq.turn];
    const rfi_irq_source *turn = t->under ? NULL : rfi_irq_source_of(t);
    s->under = turn ? turn->under : t->id;
    rfi.record->elsewhere |= rfi.plan->cores > 1 && rfi_irq_others();
    if (s->under == RFI_NO_THREAD) return NULL;
    t = rfi_topmost(rfi.thread[s->under]);
    if (rfi_irq_interrupts(s, t)) return t;
    s->under = RFI_NO_THREAD;
    return NULL;
}

RFI_FN bool rfi_ready_period(const rfi_thr *t) {
    const rfi_irq_source *s = t->arg;
    return t->timed && (s->next <= rfi.run.now || rfi.run.steps >= s->rest);
}

/* Until its time comes. */
RFI_FN void rfi_irq_rest(rfi_irq_source *s) {
    rfi_thr *t = rfi.thread[s->thread];
    t->until = s->next;
    rf_event *e = rfi_announce(t, RF_EV_SLEEP, s->site);
    e->value = s->options.period;
    rfi_due_always(t);
    t->ready = rfi_ready_period;
    rfi_set_going(t);
    rfi_schedule(t);
    t->ready = NULL;
    if (s->next > rfi.run.now) {
        s->early += s->early < RFI_IRQ_REST;
        s->rest = rfi.run.steps + (UINT64_C(1) << s->early);
    }
    s->came = true;
    rfi_due_over(t, true);
    rfi_slept(e);
}

/* Its next time, after it has struck; of those that it has missed there is only the last one. */
RFI_FN void rfi_irq_wind(rfi_irq_source *s) {
    uint64_t period = s->options.period, past = rfi.run.now - s->next;
    s->next += period;
    if (s->missed && past >= period) s->next += past / period * period;
    s->came = s->missed = false;
}

/* Wakes who sleeps.  A higher one that strikes meanwhile wakes the others. */
RFI_FN void rfi_irq_wake(const rf_site *s) {
    for (rfi_irq_sleeper *z = rfi_irq.sleeper; z; z = z->next) {
        if (!z->sleeps) continue;
        z->sleeps = false;
        rfi_sem_post(s, &z->woken);
    }
}

/* Its thread: strikes, at a step that the scheduler chooses, so often at most. */
RFI_FN void *rfi_irq_run(void *source) {
    rfi_irq_source *s = source;
    rfi_thr *t = rfi.current;
    rf_mutex *m = &rfi_irq.level[s->options.priority];
    uint32_t times = s->options.times, upper = 2 * rfi_irq_bit(s->options.priority);
    s->thread = t->id;
    t->source = true;
    if (!times && !s->options.period) times = 1;
    for (uint32_t i = 0; (!times || i < times) && !s->over; i++) {
        if (s->options.period) rfi_irq_rest(s);
        rfi_mutex_lock(s->site, m);
        rfi_thr *victim = rfi_irq_victim(s);
        rfi_core_owner *o = rfi_core_take(s->thread, upper - 1, 0);
        o->handles = true;
        t->struck = rfi.run.steps;
        if (victim)
            rfi_strike(victim, rfi_irq_handle);
        else
            rfi_irq_handle(t);
        t->struck = 0;
        if (s->options.period) rfi_irq_wind(s);
        rfi_irq_wake(s->site);
        rfi_mutex_unlock(s->site, m);
        rfi_core_give(o);
    }
    return NULL;
}

/* There is one core, with this priority: what it has written it reads. */
RFI_FN void rfi_irq_level(const rf_site *s, unsigned priority) {
    char name[32];
    rfi.modelled = rfi.adversary = false;
    if (!rfi_irq.levels && rfi.run.threads > 1) rfi.record->kinds |= RFI_NOT_ALL;
    if (rfi_irq.levels & rfi_irq_bit(priority)) return;
    rfi_irq.levels |= rfi_irq_bit(priority);
    snprintf(name, sizeof name, "interrupts of priority %u", priority);
    rfi_irq.level[priority] = (rf_mutex){.owner = 0};
    rfi_object_register(&rfi_irq.level[priority].object, RFI_MUTEX, s, name);
}

RFI_FN void rfi_irq_refused(const rf_site *s, const rf_interrupt_options *options) {
    if (options->priority >= RFI_PRIORITIES)
        rfi_fail(RF_DIAG_BAD_COUNT, s, "priority %u: there are those from 0 to %u",
                 options->priority, RFI_PRIORITIES - 1);
    if (options->times > INT32_MAX)
        rfi_fail(RF_DIAG_BAD_COUNT, s, ".times = %u: that is below zero, or more than 2147483647",
                 options->times);
    if (rfi_irq.sources == RFI_IRQ_SOURCES)
        rfi_fail(RF_DIAG_LIMIT, s, "more than %u sources of interrupts", RFI_IRQ_SOURCES);
    if (rfi.strategy->rfi_reduces && (options->period || rfi.plan->cores > 1))
        rfi_fail(RF_DIAG_LIMIT, s,
                 "%s does not know interrupts %s: RF_STRATEGY=dfs has all schedules",
                 rfi.strategy->name, options->period ? "with a period" : "on several cores");
}

void rfi_interrupt_source(const rf_site *s, void (*handler)(void *), void *arg,
                          rf_interrupt_options options) {
    if (!RFI_ME(s) || rfi.quiet) rfi_fail_here(s, "RF_INTERRUPT");
    rfi_irq_enter();
    rfi_irq_refused(s, &options);
    rfi_irq_level(s, options.priority);
    if (options.period || rfi.plan->cores > 1) rfi.record->kinds |= RFI_NOT_ALL;
    rfi.run.strikes = true;
    rfi_core_watch();
    rfi_irq_source *source = rfi_arena_take(&rfi.arena, sizeof *source);
    *source = (rfi_irq_source){.site = s,
                               .options = options,
                               .handler = handler,
                               .arg = arg,
                               .next = rfi.run.now + options.period,
                               .under = rfi.current->id};
    rfi_irq.source[rfi_irq.sources++] = source;
    source->thread = rfi.run.threads;
    rf_thread t = rfi_create_called(s, rfi_irq_run, source, NULL, false);
    rfi_detach(s, t);
}

bool rf_moves_core(const rf_event *e) {
    const rfi_thr *t = rfi.thread[e->thread];
    if (t->source && !t->under && e->kind == RF_EV_SEM_WAIT) return true; /* a signal strikes */
    if ((e->kind != RF_EV_LOCK && e->kind != RF_EV_UNLOCK) || rfi_irq.generation != rfi.generation)
        return false;
    for (uint32_t p = 0; p < RFI_PRIORITIES; p++)
        if (rfi_irq.levels & rfi_irq_bit(p) && rfi_irq.level[p].object.number == e->object)
            return true;
    return false;
}

RFI_FN bool rfi_ready_never(const rfi_thr *t) { return (void)t, false; }

/* Called where a test's body has returned; NULL: there is nothing to do. */
RFI_VAR void (*rfi_body_ends)(void);

/* The test's body has returned: its objects are gone, and nothing strikes any more. */
RFI_FN void rfi_sources_end(void) {
    for (uint32_t i = 0; i < rfi_irq.sources; i++) {
        rfi_thr *t = rfi.thread[rfi_irq.source[i]->thread];
        rfi_irq.source[i]->over = true;
        if (t->finished || t->struck) continue;
        t->ready = rfi_ready_never;
        rfi_due_over(t, false);
        rfi_take(rfi.enabled, t->id);
    }
    rfi_irq.sources = 0;
}

/* ---- functions that are not async-signal-safe ----
 *
 * None may be called by a handler that has interrupted another one, or the same (POSIX.1-2017, XSH
 * 2.4.3).  Known are those of the heap and of streams, exit, and others that use static data. */

RFI_VAR const char rfi_unsafe_state = 0; /* stands for what they use */

/* It stands in one. */
RFI_FN bool rfi_in_unsafe(const rfi_thr *t) {
    return !t->finished && t->next.kind == RF_EV_CALL && t->next.addr == &rfi_unsafe_state;
}

/* Whom `t`, a handler, has interrupted in one; NULL: nobody. */
RFI_FN const rfi_thr *rfi_unsafe_below(const rfi_thr *t) {
    for (const rfi_thr *u = t->under; u; u = u->under)
        if (rfi_in_unsafe(u)) return u;
    const rfi_core_owner *o = rfi_irq.generation == rfi.generation ? rfi_core_of(t) : NULL;
    if (!o || !o->handles) return NULL;
    for (uint32_t i = 0; i < rfi.run.threads; i++)
        if (i != t->id && rfi_in_unsafe(rfi.thread[i])) return rfi.thread[i];
    return NULL;
}

/* The same where handlers are a part of the thread (rf_strategy.rfi_made): one that has come right
 * behind the call could have come in it. */
RFI_FN void rfi_unsafe_part(const rf_site *s, const char *name) {
    rfi_thr *t = rfi.current;
    bool handles = t->handles && !t->handled;
    t->unsafe[handles].name = name;
    t->unsafe[handles].site = s;
    t->unsafe[handles].made = rfi.strategy->rfi_made(t->id);
    if (!t->unsafe[!handles].name || !rfi.strategy->rfi_struck(t->id, t->unsafe[!handles].made))
        return;
    rfi_fail(RF_DIAG_UNSAFE, t->unsafe[1].site,
             "%s is called by a handler that has interrupted T%u in %s at %s", t->unsafe[1].name,
             t->id, t->unsafe[0].name, RFI_AT(t->unsafe[0].site));
}

/* The running thread is about to call one, which handlers may interrupt. */
RFI_FN RFI_COLD void rfi_unsafe_call(const rf_site *s, const char *name) {
    if (!rfi.current || rfi.quiet) return;
    if (rfi.run.comes_first) {
        rfi_unsafe_part(s, name);
        return;
    }
    const rfi_thr *below = rfi_unsafe_below(rfi.current);
    if (below)
        rfi_fail(RF_DIAG_UNSAFE, s, "%s is called by T%u, which has interrupted T%u in %s at %s",
                 name, rfi.current->id, below->id, below->next.text, RFI_AT(below->next.site));
    rfi_call(s, name, &rfi_unsafe_state, RF_EV_READS);
}

RFI_INLINE void rfi_unsafe(const rf_site *s, const char *name) {
    if (RFI_UNLIKELY(rfi.run.strikes || rfi.run.comes_first)) rfi_unsafe_call(s, name);
}

/* ---- masks ---- */

/* Its owner is `t`, or stands below it, interrupted: nobody goes on there. */
RFI_FN bool rfi_level_below(const rfi_thr *t, const rf_mutex *m) {
    while (t && m->owner != t->id + 1) t = t->under;
    return t;
}

/* The running thread closes these priorities.  Of those whose handlers it has interrupted, or that
 * are masked below it, it has no need to: nobody goes on there.  While it has the core nobody else
 * can take one, so that it waits for none. */
RFI_FN rfi_core_owner *rfi_mask_close(const rf_site *s, const rfi_thr *t, uint32_t closed) {
    bool owns = rfi_irq.top && rfi.plan->cores <= 1;
    uint32_t taken = 0;
    for (uint32_t p = 0; p < RFI_PRIORITIES; p++) {
        rf_mutex *m = &rfi_irq.level[p];
        if (!(closed & rfi_irq.levels & rfi_irq_bit(p))) continue;
        if (m->owner && (owns || rfi_level_below(t, m))) continue;
        if (owns)
            (void)rfi_mutex_trylock(s, m);
        else
            rfi_mutex_lock(s, m);
        taken |= rfi_irq_bit(p);
    }
    return rfi_core_take(t->id, closed, taken);
}

RFI_FN void rfi_mask_open(const rf_site *s, rfi_core_owner *o) {
    for (uint32_t p = RFI_PRIORITIES; p--;)
        if (o->taken & rfi_irq_bit(p)) rfi_mutex_unlock(s, &rfi_irq.level[p]);
    rfi_core_give(o);
}

/* The running thread closes the priorities from `least` to `most`. */
void rfi_interrupts_mask(const rf_site *s, unsigned least, unsigned most) {
    rfi_thr *t = RFI_ME(s);
    if (!t || rfi.quiet) return;
    if (least > RFI_PRIORITIES || most >= RFI_PRIORITIES)
        rfi_fail(RF_DIAG_BAD_COUNT, s, "priority %u: there are those from 0 to %u",
                 least ? least - 1 : most, RFI_PRIORITIES - 1);
    rfi_irq_enter();
    uint32_t closed = 2 * rfi_irq_bit(most) - rfi_irq_bit(least);
    rfi_core_owner *o = rfi_core_of(t);
    if (o && !(closed & ~rfi_irq_closed())) {
        o->depth++;
        return;
    }
    if (least < RFI_PRIORITIES) rfi_irq_level(s, least);
    (void)rfi_mask_close(s, t, closed);
}

void rfi_interrupts_unmask(const rf_site *s) {
    rfi_thr *t = RFI_ME(s);
    if (!t || rfi.quiet) return;
    rfi_irq_enter();
    rfi_core_owner *o = rfi_core_of(t);
    if (!o || (o->handles && !o->depth))
        rfi_fail(RF_DIAG_UNLOCK_FREE, s, "T%u has not masked the interrupts", t->id);
    if (o->depth)
        o->depth--;
    else
        rfi_mask_open(s, o);
}

RFI_FN rfi_irq_sleeper *rfi_irq_sleeper_of(const rf_site *s, const rfi_thr *t) {
    rfi_irq_sleeper *z = rfi_irq.sleeper;
    while (z && z->thread != t->id) z = z->next;
    if (z) return z;
    z = rfi_arena_take(&rfi.arena, sizeof *z);
    *z = (rfi_irq_sleeper){.next = rfi_irq.sleeper, .thread = t->id};
    rfi_object_register(&z->woken.object, RFI_SEM, s, "the next interrupt");
    return rfi_irq.sleeper = z;
}

/* Until a handler has run; what the running thread masks is open meanwhile. */
RFI_FN void rfi_sleep_open(const rf_site *s, const rfi_thr *t, rfi_irq_sleeper *z) {
    rfi_core_owner *o = rfi_core_of(t);
    if (!o || o->handles) {
        rfi_sem_wait(s, &z->woken);
        return;
    }
    uint32_t closed = o->closed, depth = o->depth;
    rfi_mask_open(s, o);
    rfi_sleep_open(s, t, z);
    rfi_mask_close(s, t, closed)->depth = depth;
}

/* Until a handler has run.  Under a mask it sleeps and opens the mask in one step. */
void rfi_interrupt_wait(const rf_site *s) {
    rfi_thr *t = RFI_ME(s);
    if (!t || rfi.quiet) return;
    rfi_irq_enter();
    const rfi_core_owner *o = rfi_core_of(t);
    rfi_irq_level(s, 0);
    if (!o || o->handles) {
        rf_event *e = rfi_announce(t, RF_EV_YIELD, s);
        rfi_schedule(t);
        rfi_executed(e);
    }
    rfi_irq_sleeper *z = rfi_irq_sleeper_of(s, t);
    z->sleeps = true;
    rfi_sleep_open(s, t, z);
}
#endif
#endif

/* explore/tree.h: all schedules, one by one, in the order of what they cost.
 *
 * A schedule is a path from the root of a tree: a branch for every choice.  What a rank costs is
 * the strategy's affair (dfs.h: nothing; bounded.h: preemptions, delays).  Level by level, the
 * schedules of that cost are gone through depth first, each once: those that cost nothing more than
 * the last one by going back in its path, the others from the schedules of the lower levels, which
 * are kept for that (what was new in each of them: some bytes for every branch).
 *
 * An execution follows the path that has been learned to its end, takes rank 0 from there on, and
 * teaches the branches that it meets as it meets them: so a process may die at any point.  If the
 * test does not repeat (on the path something else is met than what was taught), the path is cut
 * there, and no claim is made.
 */
#ifndef RFI_EXPLORE_TREE_H
#define RFI_EXPLORE_TREE_H
#include "engine/given.h"
#include "explore/choices.h"

#ifdef RFI_IMPL
enum {
    RFI_LEVELS = 10,
    RFI_TREE_BRANCHES = 1 << 23,
    RFI_TREE_SAVED = 1 << 16,
    RFI_TREE_OPTIONS = 1 << 29
};

/* What it costs to take another rank than 0: nothing, what the strategy says (another thread, an
 * older store), nothing (a value). */
enum { RFI_BRANCH_FREE, RFI_BRANCH_COSTS, RFI_BRANCH_VALUE, RFI_BRANCH_NOTE };

/* What stands in a lesson beside branches. */
enum {
    RFI_NOTE_LIMIT = 3, /* so it begins; a number follows: the highest level */
    RFI_NOTE_FOLLOWED,  /* the path was followed to its end */
    RFI_NOTE_LEFT,      /* a number follows: what stands there on the path was not met */
    RFI_NOTE_FULL,      /* there is no room for the rest */
    RFI_NOTE_REPEATS,   /* it is no schedule of its own from here on */
    RFI_NOTE_LIMITED,   /* a limit of racefuzz ended it */
    RFI_NOTE_DRAWN,     /* chance had a part */
    RFI_NOTE_FORGOT,    /* stores that could be read were forgotten */
    RFI_NOTE_CUT,       /* it was at the limit of steps */
    RFI_NOTE_STATE,     /* it began with other values than others */
    RFI_NOTE_C11        /* memory is c11's */
};

typedef struct rfi_branch {
    uint32_t options, rank, schedule; /* in which it was met first */
    uint8_t kind, print;
} rfi_branch;

/* A schedule that is kept: as `parent` up to its branch `at`, there `rank`, then 0. */
typedef struct rfi_kept_path {
    uint32_t parent, at, rank, from, count; /* its new branches in `kept` */
    uint32_t level;
} rfi_kept_path;

typedef struct rfi_tree {
    rfi_choices choices;
    bool by_rank; /* rank r costs r and not 1 */
    /* This execution. */
    uint32_t met;
    size_t taught;
    bool lost; /* it is off the path, or can't be taught any more */
    /* Learned. */
    uint32_t limit, level;
    rfi_branch *path;
    uint32_t length, root, capacity; /* the first `root` branches of the path stay as they are */
    rfi_kept_path *schedule;
    uint32_t schedules, schedule_capacity;
    uint64_t *kept; /* options << 32 | kind << 8 | print */
    uint32_t keeps, kept_capacity;
    uint32_t turn, turn_branch, turn_rank; /* what this level has taken from the lower ones */
    uint32_t full_level; /* the first one from which not all schedules were kept */
    uint64_t executions, at_level[RFI_LEVELS], repeats; /* the last beside the others */
    bool c11;               /* what atomics read is a choice that costs, too */
    bool exhausted, beyond; /* beyond: some schedule costs too much, or was not kept */
    rfi_flaw flaw;
} rfi_tree;

/* ---- an execution ---- */

RFI_FN void rfi_tree_teach(rfi_tree *t, uint32_t a, uint32_t kind, int32_t print) {
    uint8_t room[11];
    rfi_bytes b = {room, 0, sizeof room, false};
    if (t->lost) return;
    rfi_bytes_put_number(&b, a << 2 | kind);
    if (print >= 0) rfi_bytes_put(&b, (uint8_t)print);
    t->taught += b.at;
    if (t->taught <= RF_LESSON_BYTES - 8 && rf_teach(room, b.at)) return;
    b.at = 0;
    rfi_bytes_put_number(&b, RFI_NOTE_FULL << 2 | RFI_BRANCH_NOTE);
    (void)rf_teach(room, b.at);
    t->lost = true;
}

RFI_FN void rfi_tree_note(rfi_tree *t, uint32_t note) {
    rfi_tree_teach(t, note, RFI_BRANCH_NOTE, -1);
}

RFI_FN void rfi_tree_begin(rfi_tree *t, uint64_t seed, uint32_t limit) {
    rfi_choices_begin(&t->choices, seed, t->exhausted && !t->flaw, t->exhausted);
    t->met = 0;
    t->taught = 0;
    t->lost = t->choices.way != RFI_WAY_EXPLORE;
    rfi_tree_note(t, RFI_NOTE_LIMIT);
    rfi_tree_teach(t, limit, RFI_BRANCH_FREE, -1);
    if (!rfi_given_sc()) rfi_tree_note(t, RFI_NOTE_C11);
    if (!t->length) rfi_tree_note(t, RFI_NOTE_FOLLOWED);
}

/* The rank on the path, or 0 for what comes behind it and is taught. */
RFI_FN uint32_t rfi_tree_explore(rfi_tree *t, uint8_t kind, uint32_t options, uint8_t print) {
    uint32_t i = t->met++;
    if (t->lost) return 0;
    if (i >= t->length) {
        if (options > RFI_TREE_OPTIONS) t->taught = RF_LESSON_BYTES;
        rfi_tree_teach(t, options, kind, print);
        return 0;
    }
    const rfi_branch *b = &t->path[i];
    if (b->kind != kind || b->options != options || b->print != print) {
        rfi_tree_note(t, RFI_NOTE_LEFT);
        rfi_tree_teach(t, i, RFI_BRANCH_FREE, -1);
        t->lost = true;
        return 0;
    }
    if (i + 1 == t->length) rfi_tree_note(t, RFI_NOTE_FOLLOWED);
    return b->rank;
}

RFI_FN uint32_t rfi_tree_take(rfi_tree *t, uint8_t kind, uint32_t options, uint8_t print) {
    uint32_t rank = t->choices.way == RFI_WAY_EXPLORE ? rfi_tree_explore(t, kind, options, print)
                                                      : rfi_choices_given(&t->choices, options);
    rfi_choices_made(&t->choices, rank);
    return rank;
}

/* `costs`: to take another thread than the one with rank 0 costs something, unless that has run for
 * very long. */
RFI_FN uint32_t rfi_tree_pick(rfi_tree *t, const rf_choice *c, bool costs) {
    rfi_choices_look(&t->choices, c);
    uint8_t kind = costs && !t->choices.tired ? RFI_BRANCH_COSTS : RFI_BRANCH_FREE;
    if (c->count == 1) return rfi_choice_at(c, 0);
    uint8_t print = t->choices.way == RFI_WAY_EXPLORE ? rfi_choice_print(c) : 0;
    uint32_t rank = rfi_tree_take(t, kind, c->count, print);
    return rfi_rank_thread(&t->choices, c, rank);
}

RFI_FN void rfi_tree_repeats(rfi_tree *t) {
    if (t->lost) return;
    rfi_tree_note(t, RFI_NOTE_REPEATS);
    t->lost = true;
}

RFI_FN void rfi_tree_end(rfi_tree *t) {
    if (t->choices.way != RFI_WAY_EXPLORE) return;
    if (rf_failed() == RF_DIAG_LIMIT) rfi_tree_note(t, RFI_NOTE_LIMITED);
    if (rf_drawn()) rfi_tree_note(t, RFI_NOTE_DRAWN);
    if (rfi_given_forgot()) rfi_tree_note(t, RFI_NOTE_FORGOT);
    if (rfi_given_cut()) rfi_tree_note(t, RFI_NOTE_CUT);
    if (rfi_given_kept_state()) rfi_tree_note(t, RFI_NOTE_STATE);
}

/* ---- schedules that are kept ---- */

RFI_FN uint32_t rfi_kept_first(const rfi_tree *t, uint32_t s) {
    return s ? t->schedule[s].at + 1 : 0;
}

/* Keeps the schedule whose branches from `first` on are new. */
RFI_FN void rfi_tree_keep(rfi_tree *t, uint32_t first) {
    uint32_t s = t->schedules, count = t->length - first;
    if (t->level >= t->limit || t->level >= t->full_level) return;
    if (count > RFI_TREE_BRANCHES - t->keeps || s >= RFI_TREE_BRANCHES / 4) {
        t->full_level = t->level;
        t->beyond = true;
        return;
    }
    t->schedule = rfi_grow(t->schedule, &t->schedule_capacity, ++t->schedules, sizeof *t->schedule);
    t->schedule[s] = (rfi_kept_path){.from = t->keeps, .count = count, .level = t->level};
    if (first) {
        t->schedule[s].parent = t->path[first - 1].schedule;
        t->schedule[s].at = first - 1;
        t->schedule[s].rank = t->path[first - 1].rank;
    }
    t->kept = rfi_grow(t->kept, &t->kept_capacity, t->keeps + count, sizeof *t->kept);
    for (uint32_t i = first; i < t->length; i++) {
        rfi_branch *b = &t->path[i];
        b->schedule = s;
        t->kept[t->keeps++] = (uint64_t)b->options << 32 | (uint32_t)b->kind << 8 | b->print;
    }
}

/* The path is that of a schedule that is kept, up to and with its branch number `i`. */
RFI_FN void rfi_tree_restore(rfi_tree *t, uint32_t s, uint32_t i, uint32_t rank) {
    t->length = t->root = i + 1;
    t->path = rfi_grow(t->path, &t->capacity, t->length, sizeof *t->path);
    for (;;) {
        const rfi_kept_path *x = &t->schedule[s];
        uint32_t first = rfi_kept_first(t, s);
        for (uint32_t k = i + 1; k-- > first;) {
            uint64_t b = t->kept[x->from + k - first];
            t->path[k] = (rfi_branch){(uint32_t)(b >> 32), 0, s, (uint8_t)(b >> 8), (uint8_t)b};
        }
        t->path[i].rank = rank;
        if (!first) return;
        i = x->at;
        rank = x->rank;
        s = x->parent;
    }
}

/* Does a rank of a branch that is kept cost `cost`, and more than nothing? */
RFI_FN bool rfi_tree_costs(const rfi_tree *t, uint64_t branch, uint32_t rank, uint32_t cost) {
    return (branch >> 8 & 255) == RFI_BRANCH_COSTS && rank && (t->by_rank ? rank : 1) == cost;
}

/* The next schedule of this level that comes from a lower one. */
RFI_FN bool rfi_tree_next_root(rfi_tree *t) {
    for (; t->turn < t->schedules; t->turn++, t->turn_branch = 0) {
        const rfi_kept_path *x = &t->schedule[t->turn];
        for (; t->turn_branch < x->count; t->turn_branch++, t->turn_rank = 0) {
            uint64_t b = t->kept[x->from + t->turn_branch];
            while (++t->turn_rank < b >> 32)
                if (rfi_tree_costs(t, b, t->turn_rank, t->level - x->level)) {
                    uint32_t first = rfi_kept_first(t, t->turn);
                    rfi_tree_restore(t, t->turn, first + t->turn_branch, t->turn_rank);
                    return true;
                }
        }
    }
    return false;
}

/* The next schedule of this level that differs from the last one in what costs nothing. */
RFI_FN bool rfi_tree_go_back(rfi_tree *t) {
    for (; t->length > t->root; t->length--) {
        rfi_branch *b = &t->path[t->length - 1];
        if (b->kind != RFI_BRANCH_COSTS && ++b->rank < b->options) return true;
    }
    return false;
}

RFI_FN void rfi_tree_advance(rfi_tree *t) {
    if (rfi_tree_go_back(t)) return;
    while (!rfi_tree_next_root(t)) {
        t->turn = t->turn_branch = t->turn_rank = 0;
        if (t->level == t->limit || t->level >= t->full_level) {
            t->exhausted = true;
            return;
        }
        t->level++;
    }
}

/* ---- learning ---- */

RFI_FN void rfi_tree_forget(rfi_tree *t) {
    rfi_choices_forget(&t->choices);
    rfi_serials_forget(&t->choices.serials);
    t->limit = t->level = t->length = t->root = t->schedules = t->keeps = 0;
    t->turn = t->turn_branch = t->turn_rank = 0;
    t->full_level = RFI_LEVELS;
    t->executions = t->repeats = 0;
    memset(t->at_level, 0, sizeof t->at_level);
    t->c11 = t->exhausted = t->beyond = false;
    t->flaw = RFI_SOUND;
}

RFI_FN void rfi_tree_flaw(rfi_tree *t, rfi_flaw f) {
    if (!t->flaw) t->flaw = f;
}

RFI_FN void rfi_tree_append(rfi_tree *t, uint32_t options, uint8_t kind, uint8_t print) {
    t->path = rfi_grow(t->path, &t->capacity, t->length + 1, sizeof *t->path);
    t->path[t->length++] = (rfi_branch){options, 0, 0, kind, print};
    uint32_t most = kind != RFI_BRANCH_COSTS ? 0 : t->by_rank ? options - 1 : 1;
    t->beyond |= most > t->limit - t->level;
}

RFI_FN void rfi_tree_learn(rfi_tree *t, const void *lesson, size_t bytes) {
    rfi_bytes r = rfi_bytes_of(lesson, bytes);
    uint32_t first = t->length, left = UINT32_MAX;
    bool followed = false, repeats = false;
    rfi_choices_forget(&t->choices);
    if (rfi_serials_learn(&t->choices.serials, lesson, bytes)) return;
    if (!bytes || t->exhausted) return; /* it was drawn */
    while (r.at < r.room) {
        uint32_t head = rfi_bytes_number(&r), kind = head & 3;
        if (kind != RFI_BRANCH_NOTE) {
            rfi_tree_append(t, head >> 2, (uint8_t)kind, (uint8_t)rfi_bytes_get(&r));
            continue;
        }
        switch (head >> 2) {
        case RFI_NOTE_LIMIT: t->limit = rfi_bytes_number(&r) >> 2; break;
        case RFI_NOTE_C11: t->c11 = true; break;
        case RFI_NOTE_FOLLOWED: followed = true; break;
        case RFI_NOTE_REPEATS: repeats = true; break;
        case RFI_NOTE_LEFT: left = rfi_bytes_number(&r) >> 2; break;
        case RFI_NOTE_FULL: rfi_tree_flaw(t, RFI_TOO_LONG); break;
        case RFI_NOTE_LIMITED: rfi_tree_flaw(t, RFI_LIMITED); break;
        case RFI_NOTE_FORGOT: rfi_tree_flaw(t, RFI_FORGOT); break;
        case RFI_NOTE_CUT: rfi_tree_flaw(t, RFI_UNFINISHED); break;
        case RFI_NOTE_STATE: rfi_tree_flaw(t, RFI_STATEFUL); break;
        default: rfi_tree_flaw(t, RFI_BY_CHANCE);
        }
    }
    t->choices.serials.choices += t->length;
    t->repeats += repeats;
    t->executions += !repeats;
    t->at_level[t->level] += !repeats;
    if (!followed) { /* cut at the branch that was not met, or at the last one */
        rfi_tree_flaw(t, RFI_UNREPEATED);
        t->length = left < t->length ? left : t->length;
        if (t->root > t->length) t->root = t->length;
    } else {
        rfi_tree_keep(t, first);
    }
    rfi_tree_advance(t);
}

/* ---- how far it is ---- */

RFI_FN void rfi_tree_save_paths(rfi_saver *k, rfi_tree *t) {
    RFI_SAVE_ARRAY(k, t->path, t->length, t->capacity);
    for (uint32_t i = 0; i < t->length; i++) {
        rfi_branch *b = &t->path[i];
        RFI_SAVE(k, b->options), RFI_SAVE(k, b->rank), RFI_SAVE(k, b->schedule);
        RFI_SAVE(k, b->kind), RFI_SAVE(k, b->print);
    }
    RFI_SAVE_ARRAY(k, t->schedule, t->schedules, t->schedule_capacity);
    for (uint32_t i = 0; i < t->schedules; i++) {
        rfi_kept_path *x = &t->schedule[i];
        RFI_SAVE(k, x->parent), RFI_SAVE(k, x->at), RFI_SAVE(k, x->rank);
        RFI_SAVE(k, x->from), RFI_SAVE(k, x->count), RFI_SAVE(k, x->level);
    }
    RFI_SAVE_ARRAY(k, t->kept, t->keeps, t->kept_capacity);
    for (uint32_t i = 0; i < t->keeps; i++) {
        uint64_t options = t->kept[i] >> 32, rest = (uint32_t)t->kept[i];
        RFI_SAVE(k, options), RFI_SAVE(k, rest);
        t->kept[i] = options << 32 | rest;
    }
}

RFI_FN void rfi_tree_save_all(rfi_saver *k, rfi_tree *t) {
    rfi_tree_save_paths(k, t);
    RFI_SAVE(k, t->root), RFI_SAVE(k, t->limit), RFI_SAVE(k, t->level);
    RFI_SAVE(k, t->turn), RFI_SAVE(k, t->turn_branch), RFI_SAVE(k, t->turn_rank);
    RFI_SAVE(k, t->full_level), RFI_SAVE(k, t->executions), RFI_SAVE(k, t->repeats);
    for (uint32_t i = 0; i < RFI_LEVELS; i++) RFI_SAVE(k, t->at_level[i]);
    RFI_SAVE(k, t->c11), RFI_SAVE(k, t->exhausted), RFI_SAVE(k, t->beyond), RFI_SAVE(k, t->flaw);
    rfi_serials_save(k, &t->choices.serials);
}

/* 0: it is too much for a folder to which this is added again and again. */
RFI_FN uint32_t rfi_tree_saved(rfi_tree *t, const uint8_t **bytes) {
    static rfi_saver k;
    if (t->keeps > RFI_TREE_SAVED || t->schedules > RFI_TREE_SAVED / 4) return 0;
    k.bytes.at = 0;
    rfi_tree_save_all(&k, t);
    *bytes = k.bytes.byte;
    return k.bytes.at;
}

RFI_FN void rfi_tree_go_on(rfi_tree *t, const uint8_t *bytes, uint32_t n) {
    rfi_saver k = {rfi_bytes_of(bytes, n), true};
    rfi_tree_save_all(&k, t);
}

/* ---- what can be said ---- */

/* Have all schedules of this cost and less been gone through? */
RFI_FN bool rfi_tree_claim(const rfi_tree *t, uint32_t level) {
    return !t->flaw && (t->exhausted ? level <= t->level : level < t->level);
}

/* Is there no further execution? */
RFI_FN bool rfi_tree_over(const rfi_tree *t) {
    return t->exhausted && (!t->flaw || !rfi_serials_due(&t->choices.serials));
}

/* And are there no others? */
RFI_FN bool rfi_tree_complete(const rfi_tree *t) { return t->exhausted && !t->flaw && !t->beyond; }

/* ---- strategies ---- */

/* What a strategy on tree `t` does alike: all but begin and pick. */
# define RFI_TREE_STRATEGY(name, t, said)                                                         \
  RFI_FN uint32_t name##_choose(uint32_t n) {                                                     \
   return rfi_tree_take(t, rfi_given_reads() ? RFI_BRANCH_COSTS : RFI_BRANCH_VALUE, n, 0);        \
  }                                                                                               \
  RFI_FN void name##_repeats(void) { rfi_tree_repeats(t); }                                       \
  RFI_FN void name##_end(void) { rfi_tree_end(t); }                                               \
  RFI_FN void name##_forget(void) { rfi_tree_forget(t); }                                         \
  RFI_FN bool name##_exhausted(void) { return rfi_tree_over(t); }                                 \
  RFI_FN void name##_learn(const void *p, size_t n) { rfi_tree_learn(t, p, n); }                  \
  RFI_FN void name##_recall(const void *p, size_t n) { rfi_choices_recall(&(t)->choices, p, n); } \
  RFI_FN uint32_t name##_saved(const uint8_t **bytes) { return rfi_tree_saved(t, bytes); }        \
  RFI_FN void name##_go_on(const uint8_t *p, uint32_t n) { rfi_tree_go_on(t, p, n); }             \
  RFI_FN const char *name##_summary(void) {                                                       \
   static char text[256];                                                                         \
   return rfi_serials_text(&(t)->choices.serials, text, sizeof text, said);                       \
  }
# define RFI_TREE_FIELDS(name)                                                             \
  .begin = name##_begin, .pick = name##_pick, .choose = name##_choose, .end = name##_end,  \
  .forget = name##_forget, .learn = name##_learn, .recall = name##_recall, .serial = true, \
  .repeats = name##_repeats, .exhausted = name##_exhausted, .summary = name##_summary,     \
  .rfi_keeps = name##_saved, .rfi_go_on = name##_go_on
#endif
#endif

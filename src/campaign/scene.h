/* campaign/scene.h: a scenario of calls (spec/scenario.h) as bytes, and those that are smaller.
 *
 * A scenario is whole in the record of an execution that is traced, and in the token of one that
 * was shrunk: nothing is drawn then.  A smaller one has a thread less, or no calls before or after
 * the threads, or a call less; or one thread makes the calls of two, one behind the other; or its
 * arguments are numbered anew.
 */
#ifndef RFI_CAMPAIGN_SCENE_H
#define RFI_CAMPAIGN_SCENE_H
#include "engine/record.h"
#include "engine/operation.h"
#include "explore/bytes.h"

#ifdef RFI_IMPL
# define RFI_CALLS 64u /* of a scenario */

/* Lane 0 makes its calls before the threads, which are the others; the lane behind the last of them
 * stands for the calls after. */
typedef struct rfi_scene_call {
    uint32_t lane, of, arguments;     /* of: which of the object's operations */
    uint32_t argument[RFI_ARGUMENTS]; /* so much more than the least; or one that is its own */
} rfi_scene_call;

/* Some threads are stopped (progress.h). */
typedef struct rfi_scene_stop {
    uint32_t mode;                    /* 0: none */
    uint32_t lane, call, step, delay; /* so many decisions behind this step of a lane's call; */
    uint32_t length;                  /* in turns of so many steps, and one */
} rfi_scene_stop;

typedef struct rfi_scene {
    uint32_t threads, calls;
    rfi_scene_stop stop;
    rfi_scene_call call[RFI_CALLS]; /* by lane */
} rfi_scene;

/* How many bytes; 0: there is no room. */
RFI_FN uint32_t rfi_scene_write(const rfi_scene *s, uint8_t *to, uint32_t room) {
    rfi_bytes b = {to, 0, room, false};
    const uint32_t stop[] = {s->stop.lane, s->stop.call, s->stop.step, s->stop.delay,
                             s->stop.length};
    rfi_bytes_put_number(&b, s->threads);
    rfi_bytes_put_number(&b, s->stop.mode);
    for (uint32_t i = 0; i < RFI_LENGTH(stop) && s->stop.mode; i++)
        rfi_bytes_put_number(&b, stop[i]);
    for (uint32_t i = 0; i < s->calls; i++) {
        const rfi_scene_call *c = &s->call[i];
        rfi_bytes_put_number(&b, c->lane);
        rfi_bytes_put_number(&b, c->of * (RFI_ARGUMENTS + 1) + c->arguments);
        for (uint32_t a = 0; a < c->arguments; a++) rfi_bytes_put_number(&b, c->argument[a]);
    }
    return b.over ? 0 : b.at;
}

/* False: this is none. */
RFI_FN bool rfi_scene_read(rfi_scene *s, const uint8_t *from, uint32_t bytes) {
    rfi_bytes b = rfi_bytes_of(from, bytes);
    uint32_t lane = 0;
    s->threads = rfi_bytes_number(&b);
    s->stop = (rfi_scene_stop){.mode = rfi_bytes_number(&b)};
    uint32_t *const stop[] = {&s->stop.lane, &s->stop.call, &s->stop.step, &s->stop.delay,
                              &s->stop.length};
    for (uint32_t i = 0; i < RFI_LENGTH(stop) && s->stop.mode; i++) *stop[i] = rfi_bytes_number(&b);
    for (s->calls = 0; b.at < b.room; s->calls++) {
        if (s->calls == RFI_CALLS) return false;
        rfi_scene_call *c = &s->call[s->calls];
        c->lane = rfi_bytes_number(&b);
        uint32_t both = rfi_bytes_number(&b);
        c->of = both / (RFI_ARGUMENTS + 1);
        c->arguments = both % (RFI_ARGUMENTS + 1);
        for (uint32_t a = 0; a < c->arguments; a++) c->argument[a] = rfi_bytes_number(&b);
        if (c->lane < lane || c->lane > s->threads + 1) return false;
        lane = c->lane;
    }
    return bytes != 0;
}

RFI_FN uint32_t rfi_scene_calls(const rfi_scene *s, uint32_t lane) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->calls; i++) n += s->call[i].lane == lane;
    return n;
}

RFI_FN void rfi_scene_remove_call(rfi_scene *s, uint32_t i) {
    memmove(&s->call[i], &s->call[i + 1], (--s->calls - i) * sizeof *s->call);
}

/* Which of the calls of its lane call i is. */
RFI_FN uint32_t rfi_scene_number_of(const rfi_scene *s, uint32_t i) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < i; k++) n += s->call[k].lane == s->call[i].lane;
    return n;
}

/* Call i goes: where threads are stopped in it, they are not any more. */
RFI_FN void rfi_scene_unstop(rfi_scene *s, uint32_t i) {
    rfi_scene_stop *stop = &s->stop;
    uint32_t n = rfi_scene_number_of(s, i);
    if (s->call[i].lane != stop->lane) return;
    if (n == stop->call) *stop = (rfi_scene_stop){.mode = 0};
    stop->call -= n < stop->call;
}

/* There is no thread without a call. */
RFI_FN void rfi_scene_remove_thread(rfi_scene *s, uint32_t lane) {
    s->threads--;
    s->stop.lane -= s->stop.mode && s->stop.lane > lane;
    for (uint32_t i = 0; i < s->calls; i++) s->call[i].lane -= s->call[i].lane > lane;
}

/* Arguments without a range are 1, 2, ... in the order of the calls; false: they are. */
RFI_FN bool rfi_scene_number(rfi_scene *s, const char *object) {
    uint32_t fresh = 0;
    bool less = false;
    for (uint32_t i = 0; i < s->calls; i++) {
        const rfi_operation *o = rfi_operation_next(object, NULL);
        for (uint32_t k = 0; o && k < s->call[i].of; k++) o = rfi_operation_next(object, o);
        for (uint32_t a = 0; o && a < s->call[i].arguments; a++) {
            if (o->options.args[a].given) continue;
            less |= s->call[i].argument[a] != ++fresh;
            s->call[i].argument[a] = fresh;
        }
    }
    return less;
}

/* The calls of this thread follow those of the one before it, which makes them. */
RFI_FN void rfi_scene_join(rfi_scene *s, uint32_t lane) {
    if (s->stop.lane == lane) {
        s->stop.call += rfi_scene_calls(s, lane - 1);
        s->stop.lane--;
    }
    for (uint32_t i = 0; i < s->calls; i++) s->call[i].lane -= s->call[i].lane == lane;
    rfi_scene_remove_thread(s, lane);
}

/* How many smaller ones are tried: a lane less, calls of two threads made by one, a call less,
 * other numbers. */
RFI_FN uint32_t rfi_scene_ways(const rfi_scene *s) {
    return s->threads + 2 + (s->threads - !!s->threads) + s->calls + 1;
}

/* Makes it smaller in one of these ways; false: it can't be.  *thread: that which is gone, or 0. */
RFI_FN bool rfi_scene_reduce(rfi_scene *s, uint32_t way, const char *object, uint32_t *thread) {
    uint32_t lanes = s->threads + 2, joins = s->threads - !!s->threads, lane = way;
    uint32_t before = s->calls;
    *thread = 0;
    if (way >= lanes && way < lanes + joins) {
        *thread = way - lanes + 2;
        rfi_scene_join(s, *thread);
        return true;
    }
    way -= way < lanes ? 0 : joins;
    if (way == lanes + s->calls) return rfi_scene_number(s, object);
    if (way < lanes) {
        if (s->stop.lane == lane) s->stop = (rfi_scene_stop){.mode = 0};
        for (uint32_t i = s->calls; i--;)
            if (s->call[i].lane == lane) rfi_scene_remove_call(s, i);
    } else {
        lane = s->call[way - lanes].lane;
        rfi_scene_unstop(s, way - lanes);
        rfi_scene_remove_call(s, way - lanes);
    }
    bool thread_of = lane && lane < lanes - 1; /* else calls of the first one */
    if (!s->calls || (s->calls == before && !thread_of)) return false;
    if (thread_of && !rfi_scene_calls(s, lane)) {
        rfi_scene_remove_thread(s, lane);
        *thread = lane;
    }
    return true;
}
#endif
#endif

/* explore/serial.h: threads by priority, for strategies that go through all choices.
 *
 * Number k of n threads runs them by the k-th of n! orders of priority, of which 24 are spread out
 * evenly if there are more: whoever is first of those that can go on runs.  So each thread runs
 * entirely before and after each other one, where it can, whatever its length, and as soon as it is
 * woken, or not before.
 *
 * They are no branches of what is gone through, where the same schedules come in their turn; they
 * are not counted there.  A lesson of theirs is a mark, and how many threads there were.
 */
#ifndef RFI_EXPLORE_SERIAL_H
#define RFI_EXPLORE_SERIAL_H
#include "explore/saver.h"

#ifdef RFI_IMPL
enum {
    RFI_SERIALS_MOST = 24,
    RFI_SERIALS_THREADS = 1024, /* others are behind them */
    RFI_SERIALS_AFTER = 4096,   /* choices: less than that is gone through before long */
    RFI_SERIALS_MARK = 127      /* no other lesson begins like that */
};

typedef struct rfi_serials {
    uint64_t choices;       /* that have been met */
    uint32_t done, threads; /* executions; threads of the largest one */
    uint32_t told;          /* threads, in this lesson */
    uint32_t *order, capacity;
} rfi_serials;

/* ---- orders ---- */

/* How many there are of so many threads. */
RFI_FN uint32_t rfi_serials_of(uint32_t threads) {
    uint32_t n = 1;
    for (uint32_t i = 2; i <= threads && n < RFI_SERIALS_MOST; i++) n *= i;
    return n < RFI_SERIALS_MOST ? n : RFI_SERIALS_MOST;
}

/* Number k of them: its place among all of them, a fraction, in the factorial number system. */
RFI_FN void rfi_serials_order(rfi_serials *x, uint32_t k, uint32_t threads) {
    uint32_t all = rfi_serials_of(threads);
    x->order = rfi_grow(x->order, &x->capacity, threads + 1, sizeof *x->order);
    for (uint32_t i = 0; i < threads; i++) x->order[i] = i;
    for (uint32_t i = 0; i < threads; i++) {
        uint64_t left = (uint64_t)(k % all) * (threads - i);
        uint32_t from = i + (uint32_t)(left / all), thread = x->order[from];
        memmove(x->order + i + 1, x->order + i, (from - i) * sizeof *x->order);
        x->order[i] = thread;
        k = (uint32_t)(left % all);
    }
}

/* ---- executions ---- */

RFI_FN void rfi_serials_forget(rfi_serials *x) { x->choices = x->done = x->threads = 0; }

RFI_FN bool rfi_serials_due(const rfi_serials *x) {
    return x->choices > RFI_SERIALS_AFTER && x->done < rfi_serials_of(x->threads);
}

RFI_FN void rfi_serials_tell(uint32_t number) {
    uint8_t room[5];
    rfi_bytes b = {room, 0, sizeof room, false};
    rfi_bytes_put_number(&b, number);
    (void)rf_teach(room, b.at);
}

RFI_FN void rfi_serials_begin(rfi_serials *x, uint32_t k, uint32_t threads) {
    if (threads > RFI_SERIALS_THREADS) threads = RFI_SERIALS_THREADS;
    x->told = 0;
    rfi_serials_tell(RFI_SERIALS_MARK);
    rfi_serials_order(x, k, threads);
    rf_run_serially(x->order, threads);
}

/* At a decision: are there more threads? */
RFI_FN void rfi_serials_look(rfi_serials *x) {
    if (rf_threads() <= x->told) return;
    x->told = rf_threads();
    rfi_serials_tell(x->told);
}

/* True: it is the lesson of such an execution. */
RFI_FN bool rfi_serials_learn(rfi_serials *x, const void *lesson, size_t bytes) {
    rfi_bytes r = rfi_bytes_of(lesson, bytes);
    if (!bytes || rfi_bytes_number(&r) != RFI_SERIALS_MARK) return false;
    x->done++;
    while (r.at < r.room) {
        uint32_t threads = rfi_bytes_number(&r);
        if (threads > x->threads) x->threads = threads;
    }
    return true;
}

RFI_FN void rfi_serials_save(rfi_saver *k, rfi_serials *x) {
    RFI_SAVE(k, x->choices), RFI_SAVE(k, x->done), RFI_SAVE(k, x->threads);
}

/* Adds to a sentence about executions, if there is one, that there were others. */
RFI_FN const char *rfi_serials_text(const rfi_serials *x, char *text, size_t bytes,
                                    const char *said) {
    size_t n = said ? strlen(said) : bytes;
    if (n < bytes && x->done)
        snprintf(text + n, bytes - n, " (%u more execution%s threads by priority)", x->done,
                 x->done == 1 ? " ran" : "s ran");
    return said;
}
#endif
#endif

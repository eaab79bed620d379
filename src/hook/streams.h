/* hook/streams.h: flockfile and its kin.
 *
 * The C library's own lock of a stream is held by single calls (printf), in which no other logical
 * thread runs, and is left to it.  What a thread takes over several of them is ours: a real lock,
 * held while another thread runs, would stop everybody.  So it keeps out those who ask for it, and
 * not a printf.
 */
#ifndef RFI_HOOK_STREAMS_H
#define RFI_HOOK_STREAMS_H
#include "hook/locks.h"

#ifdef RFI_IMPL
typedef struct rfi_hook_stream {
    struct rfi_hook_stream *next;
    const FILE *file;
    rf_mutex lock;
} rfi_hook_stream;

static struct {
    uint32_t generation; /* of the execution that the list belongs to */
    rfi_hook_stream *first;
} rfi_hook_streams RFI_UNUSED;

RFI_FN rf_mutex *rfi_hook_stream_of(const rf_site *s, const FILE *file) {
    if (rfi_hook_streams.generation != rfi.generation) {
        rfi_hook_streams.generation = rfi.generation;
        rfi_hook_streams.first = NULL;
    }
    for (rfi_hook_stream *o = rfi_hook_streams.first; o; o = o->next)
        if (o->file == file) return &o->lock;
    rfi_hook_stream *o = rfi_arena_take(&rfi.arena, sizeof *o);
    *o = (rfi_hook_stream){.next = rfi_hook_streams.first, .file = file};
    const char *name = file == stdout ? "stdout" : file == stderr ? "stderr" : "a stream";
    rfi_mutex_init(s, &o->lock, name, RF_MUTEX_RECURSIVE);
    rfi_hook_streams.first = o;
    return &o->lock;
}

void RFI_HOOK(flockfile)(FILE *f) {
    const rf_site *here = RFI_CALLER();
    if (rfi.current) rfi_mutex_lock(here, rfi_hook_stream_of(here, f));
}

int RFI_HOOK(ftrylockfile)(FILE *f) {
    const rf_site *here = RFI_CALLER();
    return rfi.current && !rfi_mutex_trylock(here, rfi_hook_stream_of(here, f)) ? -1 : 0;
}

void RFI_HOOK(funlockfile)(FILE *f) {
    const rf_site *here = RFI_CALLER();
    if (rfi.current) rfi_mutex_unlock(here, rfi_hook_stream_of(here, f));
}
#endif
#endif

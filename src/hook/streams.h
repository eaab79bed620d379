/* hook/streams.h: locks of files of <stdio.h>.
 *
 * Each function that uses such a file holds its lock meanwhile.  As long as nobody has asked for it
 * (flockfile) that is no more than the order of these calls.
 */
#ifndef RFI_HOOK_STREAMS_H
#define RFI_HOOK_STREAMS_H
#include "engine/call.h"
#include "hook/locks.h"

#ifdef RFI_IMPL
typedef struct rfi_hook_file {
    struct rfi_hook_file *next;
    FILE *file;
    rf_mutex mutex;
} rfi_hook_file;

RFI_VAR struct {
    uint32_t generation;
    rfi_hook_file *first;
} rfi_hook_files;

/* Of those that somebody has locked. */
RFI_FN rfi_hook_file *rfi_hook_file_known(const FILE *file) {
    if (rfi_hook_files.generation != rfi.generation) rfi_hook_files.first = NULL;
    rfi_hook_files.generation = rfi.generation;
    rfi_hook_file *f = rfi_hook_files.first;
    while (f && f->file != file) f = f->next;
    return f;
}

RFI_FN rf_mutex *rfi_hook_file_mutex(const rf_site *s, FILE *file) {
    rfi_hook_file *f = rfi_hook_file_known(file);
    if (f) return &f->mutex;
    f = rfi_arena_take(&rfi.arena, sizeof *f);
    *f = (rfi_hook_file){.next = rfi_hook_files.first, .file = file};
    const char *name = file == stdout ? "stdout" : file == stderr ? "stderr" : "a file";
    f->mutex.kind = RF_MUTEX_RECURSIVE; /* made with the file, before whoever locks it first */
    rfi_object_register(&f->mutex.object, RFI_MUTEX, s, file == stdin ? "stdin" : name);
    rfi_hook_files.first = f;
    return &f->mutex;
}

/* In a long execution (engine/tail.h) it is progress that a file stands elsewhere than ever before,
 * but what programs say of themselves: `file`, or NULL. */
RFI_FN RFI_COLD void rfi_hook_file_stands(int fd, FILE *file) {
    int error = errno;
    if (!rfi_hook_shares() || file == stdin || file == stdout || file == stderr) return;
    off_t at = file ? (off_t)RFI_REAL(ftell)(file) : RFI_REAL(lseek)(fd, 0, SEEK_CUR);
    errno = error;
    if (at > 0) rfi_tail_done(rfi_mix((uint64_t)at) + (file ? (uintptr_t)file : (unsigned)fd));
}

/* The caller is about to use it, and nobody comes in between. */
RFI_FN void rfi_hook_file_passes(const rf_site *s, FILE *file) {
    if (RFI_UNLIKELY(rfi.observed & RFI_TAIL)) rfi_hook_file_stands(-1, file);
    rfi_hook_file *f = rfi.current && !rfi.quiet ? rfi_hook_file_known(file) : NULL;
    if (!f) return;
    rfi_mutex_lock(s, &f->mutex);
    rfi_mutex_unlock(s, &f->mutex);
}

/* All of them, one after the other. */
RFI_FN void rfi_hook_files_pass(const rf_site *s) {
    if (!rfi.current || rfi.quiet) return;
    (void)rfi_hook_file_known(NULL);
    for (rfi_hook_file *f = rfi_hook_files.first; f; f = f->next) rfi_hook_file_passes(s, f->file);
}

/* It is about to be closed; the next one at its place has another lock. */
RFI_FN void rfi_hook_file_gone(const FILE *file) {
    rfi_hook_file *f = rfi_hook_file_known(file);
    if (f) f->file = NULL;
}

/* That it is locked from now on matters to all who use it. */
RFI_FN rf_mutex *rfi_hook_file_asked(const rf_site *s, const char *name, FILE *file) {
    rfi_call(s, name, &rfi_hook_outside, RF_EV_READS | RF_EV_WRITES);
    return rfi_hook_file_mutex(s, file);
}

void RFI_HOOK(flockfile)(FILE *file) {
    const rf_site *here = RFI_CALLER();
    if (rfi.current) rfi_mutex_lock(here, rfi_hook_file_asked(here, "flockfile", file));
}

int RFI_HOOK(ftrylockfile)(FILE *file) {
    const rf_site *s = RFI_CALLER();
    return rfi.current && !rfi_mutex_trylock(s, rfi_hook_file_asked(s, "ftrylockfile", file));
}

void RFI_HOOK(funlockfile)(FILE *file) {
    const rf_site *here = RFI_CALLER();
    if (rfi.current) rfi_mutex_unlock(here, rfi_hook_file_mutex(here, file));
}
#endif
#endif

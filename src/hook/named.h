/* hook/named.h: semaphores with names.
 *
 * They belong to one execution: it begins with none, and only its own children see them.
 */
#ifndef RFI_HOOK_NAMED_H
#define RFI_HOOK_NAMED_H
#include "hook/locks.h"

#ifdef RFI_IMPL
typedef struct rfi_hook_named {
    struct rfi_hook_named *next;
    sem_t *sem;
    uint32_t opened;
    bool unlinked;
    char name[NAME_MAX + 1]; /* without the slash */
} rfi_hook_named;

RFI_VAR struct {
    uint32_t generation;
    rfi_hook_named *first;
} rfi_hook_names;

RFI_FN rfi_hook_named **rfi_hook_names_first(void) {
    if (rfi_hook_names.generation != rfi.generation) rfi_hook_names.first = NULL;
    rfi_hook_names.generation = rfi.generation;
    return &rfi_hook_names.first;
}

/* The one that has this name now; NULL: none. */
RFI_FN rfi_hook_named *rfi_hook_named_of(const char *name) {
    rfi_hook_named *n = *rfi_hook_names_first();
    while (n && (n->unlinked || strcmp(n->name, name) != 0)) n = n->next;
    return n;
}

/* Slashes at the beginning mean nothing; what is behind them.  NULL: no good name, see errno. */
RFI_FN const char *rfi_hook_name(const char *name) {
    while (*name == '/') name++;
    size_t n = strlen(name);
    errno = n > NAME_MAX - 4 ? ENAMETOOLONG : EINVAL; /* files of these names begin with "sem." */
    return !n || n > NAME_MAX - 4 || strchr(name, '/') ? NULL : name;
}

/* The last one that has it open gives an unlinked semaphore up: all others have done so before. */
RFI_FN void rfi_hook_named_drop(const rf_site *s, const char *name, const rfi_hook_named *n) {
    if (!n->unlinked || n->opened) return;
    rfi_call_told(s, name, &rfi_hook_names, __ATOMIC_ACQUIRE, RF_EV_READS);
    rfi_sem_destroy(s, (rf_sem *)(void *)n->sem);
}

RFI_FN sem_t *rfi_hook_sem_open(const rf_site *s, const char *given, int flags, unsigned value) {
    if (!rfi.current) rfi_fail_here(s, "sem_open");
    rfi_call(s, "sem_open", &rfi_hook_names, RF_EV_WRITES); /* another thread may be faster */
    const char *name = rfi_hook_name(given);
    if (!name) return SEM_FAILED;
    rfi_hook_named *n = rfi_hook_named_of(name);
    if (n ? (flags & O_CREAT) && (flags & O_EXCL) : !(flags & O_CREAT) || value > SEM_VALUE_MAX) {
        errno = n ? EEXIST : flags & O_CREAT ? EINVAL : ENOENT;
        return SEM_FAILED;
    }
    if (!n) {
        n = rfi_arena_take(&rfi.arena, sizeof *n);
        *n = (rfi_hook_named){.next = rfi_hook_names.first};
        n->sem = rfi_arena_take(&rfi.arena, sizeof *n->sem);
        memset(n->sem, 0, sizeof *n->sem);
        memcpy(n->name, name, strlen(name) + 1);
        rf_sem *m = (rf_sem *)(void *)n->sem; /* nobody knows it before he has opened it */
        m->initial = m->count = value;
        rfi_object_register(&m->object, RFI_SEM, s, n->name);
        rfi_hook_shared_add(m, sizeof *n->sem, rfi.generation);
        rfi_hook_names.first = n;
    }
    n->opened++;
    return n->sem;
}

sem_t *RFI_HOOK(sem_open)(const char *name, int flags, ...) {
    unsigned value = 0;
    va_list more;
    va_start(more, flags);
    if (flags & O_CREAT) {
        (void)va_arg(more, unsigned); /* who may open it */
        value = va_arg(more, unsigned);
    }
    va_end(more);
    return rfi_hook_sem_open(RFI_CALLER(), name, flags, value);
}

int RFI_HOOK(sem_close)(sem_t *m) {
    const rf_site *here = RFI_CALLER();
    rfi_hook_named *n = *rfi_hook_names_first();
    rfi_call_told(here, "sem_close", &rfi_hook_names, __ATOMIC_RELEASE, RF_EV_WRITES);
    while (n && (n->sem != m || !n->opened)) n = n->next;
    if (!n) return rfi_hook_errno(EINVAL);
    n->opened--;
    rfi_hook_named_drop(here, "sem_close", n);
    return 0;
}

int RFI_HOOK(sem_unlink)(const char *given) {
    const rf_site *here = RFI_CALLER();
    rfi_call(here, "sem_unlink", &rfi_hook_names, RF_EV_WRITES);
    const char *name = rfi_hook_name(given);
    rfi_hook_named *n = name ? rfi_hook_named_of(name) : NULL;
    if (!n) return rfi_hook_errno(name || errno == EINVAL ? ENOENT : errno);
    n->unlinked = true;
    rfi_hook_named_drop(here, "sem_unlink", n);
    return 0;
}
#endif
#endif

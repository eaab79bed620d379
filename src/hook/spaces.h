/* hook/spaces.h: shared memory and message queues with names, and what System V finds by keys.
 *
 * The system has these names and keys for all processes, and what they stand for outlives the one
 * that made it.  Each execution has its own: it begins with none, its children see them, and
 * nobody else (engine/leavings.h).  What it opens without making it, and has not made, is the
 * system's; so are names and keys that this process has used outside executions.
 */
#ifndef RFI_HOOK_SPACES_H
#define RFI_HOOK_SPACES_H
#include "hook/messages.h"

#ifdef RFI_IMPL
/* Some C libraries have these in one of their own, which programs that call them are linked with.
 */
# pragma weak shm_open
# ifdef __linux__
#  pragma weak mq_open
#  pragma weak mq_unlink
# endif

# define RFI_SPACE_TOLD   16 /* digits that tell programs which this one starts its space */
# define RFI_SPACE_OTHERS 64u

/* Of the system: hashes of names and keys, each with its kind. */
RFI_VAR struct {
    uint64_t other[RFI_SPACE_OTHERS];
    uint32_t count;
} rfi_space;

RFI_FN bool rfi_space_others(uint64_t hash) {
    for (uint32_t i = 0; i < rfi_space.count; i++)
        if (rfi_space.other[i] == hash) return true;
    return false;
}

RFI_FN void rfi_space_other(uint64_t hash) {
    if (rfi_space.count < RFI_SPACE_OTHERS && !rfi_space_others(hash))
        rfi_space.other[rfi_space.count++] = hash;
}

/* ---- names ---- */

typedef struct rfi_named {
    rfi_leavings *in; /* NULL: it is the system's */
    const char *given;
    uint64_t hash, what;
    char own[RFI_LEAVINGS_NAME];
} rfi_named;

/* Is it one that the system takes? */
RFI_FN bool rfi_space_names(rfi_leavings_kind kind, const char *behind, size_t slashes) {
    size_t n = strlen(behind);
    bool many = kind == RFI_LEAVINGS_QUEUE && slashes != 1;
    return n && n <= NAME_MAX && !many && !strchr(behind, '/') && strcmp(behind, ".") != 0 &&
           strcmp(behind, "..") != 0;
}

RFI_FN rfi_named rfi_space_name(rfi_leavings_kind kind, const char *given) {
    size_t slashes = strspn(given, "/");
    rfi_named n = {.in = rfi_leavings_now(), .given = given};
    n.hash = rfi_hash_text(given + slashes) ^ kind;
    if (rfi_space_others(n.hash) || !rfi_space_names(kind, given + slashes, slashes)) n.in = NULL;
    if (!n.in) return n;
    n.what = (rfi_mix(n.hash ^ n.in->space) | (RFI_LEAVINGS_KINDS - 1)) - (RFI_LEAVINGS_KINDS - 1) +
             kind;
    rfi_leavings_name(n.in, n.what, n.own);
    return n;
}

/* The name to open it by; it is noted before, as the execution may crash at any time. */
RFI_FN const char *rfi_space_opens(const rfi_named *n) {
    if (n->in) rfi_leavings_note(n->in, n->what);
    return n->in ? n->own : n->given;
}

/* That gave `fd`.  True: another process may have made it. */
RFI_FN bool rfi_space_elsewhere(const rfi_named *n, int fd, int flags) {
    if (!n->in && fd >= 0) rfi_space_other(n->hash);
    if (!n->in || fd >= 0 || errno != ENOENT || flags & O_CREAT) return false;
    rfi_hook_asks(RFI_ASKS_FILE, "%s of another process, which it opens", n->given);
    return true;
}

RFI_FN int rfi_space_opened(const rfi_named *n, int fd) {
    if (fd >= 0) rfi_space_other(n->hash);
    return fd;
}

RFI_FN int rfi_space_unlinked(const rfi_named *n, int error) {
    if (n->in && !error) rfi_leavings_drop(n->in, n->what);
    return error;
}

int RFI_HOOK(shm_open)(const char *name, int flags, mode_t mode) {
    RFI_FILE_CALL("shm_open");
    rfi_named n = rfi_space_name(RFI_LEAVINGS_MEMORY, name);
    int fd = RFI_REAL(shm_open)(rfi_space_opens(&n), flags, mode);
    return rfi_space_elsewhere(&n, fd, flags)
               ? rfi_space_opened(&n, RFI_REAL(shm_open)(name, flags, mode))
               : fd;
}

int RFI_HOOK(shm_unlink)(const char *name) {
    RFI_FILE_CALL("shm_unlink");
    rfi_named n = rfi_space_name(RFI_LEAVINGS_MEMORY, name);
    return rfi_space_unlinked(&n, RFI_REAL(shm_unlink)(n.in ? n.own : name));
}

# ifdef __linux__
mqd_t RFI_HOOK(mq_open)(const char *name, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    struct mq_attr *of = flags & O_CREAT ? va_arg(rest, struct mq_attr *) : NULL;
    va_end(rest);
    RFI_FILE_CALL("mq_open");
    rfi_named n = rfi_space_name(RFI_LEAVINGS_QUEUE, name);
    mqd_t q = RFI_REAL(mq_open)(rfi_space_opens(&n), flags, mode, of);
    return rfi_space_elsewhere(&n, (int)q, flags)
               ? rfi_space_opened(&n, (int)RFI_REAL(mq_open)(name, flags))
               : q;
}

int RFI_HOOK(mq_unlink)(const char *name) {
    RFI_FILE_CALL("mq_unlink");
    rfi_named n = rfi_space_name(RFI_LEAVINGS_QUEUE, name);
    return rfi_space_unlinked(&n, RFI_REAL(mq_unlink)(n.in ? n.own : name));
}
# endif

/* ---- keys ---- */

typedef struct rfi_keyed {
    rfi_leavings *in; /* NULL: it is the system's */
    rfi_leavings_kind kind;
    key_t given, own;
    uint64_t hash;
} rfi_keyed;

RFI_FN rfi_keyed rfi_space_key(rfi_leavings_kind kind, key_t given) {
    rfi_keyed k = {rfi_leavings_now(), kind, given, given, 0};
    k.hash = rfi_mix((uint64_t)(uint32_t)given * RFI_LEAVINGS_KINDS + kind);
    if (given == IPC_PRIVATE) return k;
    if (rfi_space_others(k.hash)) k.in = NULL;
    if (k.in) k.own = (key_t)(rfi_mix(k.hash ^ k.in->space) >> 34) + 1;
    return k;
}

/* The own key gave that.  True: another process may have made it. */
RFI_FN bool rfi_space_beyond(const rfi_keyed *k, int id, int flags) {
    if (k->in && id >= 0) rfi_leavings_note(k->in, (uint64_t)id * RFI_LEAVINGS_KINDS + k->kind);
    if (!k->in && id >= 0 && k->given != IPC_PRIVATE) rfi_space_other(k->hash);
    return k->in && id < 0 && errno == ENOENT && !(flags & IPC_CREAT);
}

RFI_FN int rfi_space_found(const rfi_keyed *k, int id) {
    if (id >= 0) rfi_space_other(k->hash);
    return id;
}

# define RFI_SPACE_GET(name, kind, parameters, arguments, given)                            \
  int RFI_HOOK(name) parameters {                                                           \
   RFI_FILE_CALL(#name);                                                                    \
   rfi_keyed k = rfi_space_key(kind, key);                                                  \
   int id = RFI_REAL(name) arguments;                                                       \
   return rfi_space_beyond(&k, id, flags) ? rfi_space_found(&k, RFI_REAL(name) given) : id; \
  }

RFI_SPACE_GET(shmget, RFI_LEAVINGS_SEGMENT, (key_t key, size_t n, int flags), (k.own, n, flags),
              (key, n, flags))
RFI_SPACE_GET(msgget, RFI_LEAVINGS_MESSAGES, (key_t key, int flags), (k.own, flags), (key, flags))
RFI_SPACE_GET(semget, RFI_LEAVINGS_SEMAPHORES, (key_t key, int n, int flags), (k.own, n, flags),
              (key, n, flags))

/* Its number may soon be another's. */
RFI_FN int rfi_space_removed(rfi_leavings_kind kind, int id, int command, int error) {
    rfi_leavings *in = command == IPC_RMID && error >= 0 ? rfi_leavings_now() : NULL;
    if (in) rfi_leavings_drop(in, (uint64_t)id * RFI_LEAVINGS_KINDS + kind);
    rfi_sysv_changes++;
    return error;
}

int RFI_HOOK(shmctl)(int id, int command, struct shmid_ds *of) {
    RFI_FILE_CALL("shmctl");
    return rfi_space_removed(RFI_LEAVINGS_SEGMENT, id, command, RFI_REAL(shmctl)(id, command, of));
}

int RFI_HOOK(msgctl)(int id, int command, struct msqid_ds *of) {
    RFI_FILE_CALL("msgctl");
    return rfi_space_removed(RFI_LEAVINGS_MESSAGES, id, command, RFI_REAL(msgctl)(id, command, of));
}

/* The fourth is a pointer, or a number, which is returned the same way. */
int RFI_HOOK(semctl)(int id, int number, int command, ...) {
    va_list rest;
    va_start(rest, command);
    void *of = va_arg(rest, void *);
    va_end(rest);
    RFI_FILE_CALL("semctl");
    return rfi_space_removed(RFI_LEAVINGS_SEMAPHORES, id, command,
                             RFI_REAL(semctl)(id, number, command, of));
}

/* ---- programs that this one starts ---- */

/* They have them as its children do: `told`, which stands in their environment. */
RFI_FN void rfi_space_tell(char *told) {
    const rfi_leavings *in = rfi_leavings_now();
    if (in && strlen(told) == RFI_SPACE_TOLD)
        snprintf(told, RFI_SPACE_TOLD + 1, "%0*llx", RFI_SPACE_TOLD, (unsigned long long)in->space);
}

/* This is one; what it makes is its own to remove. */
RFI_FN void rfi_space_hear(rfi_leavings *in, const char *told) {
    if (strlen(told) == RFI_SPACE_TOLD) in->space = strtoull(told, NULL, 16);
    rfi_leavings_of = in;
}
#endif
#endif

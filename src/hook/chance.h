/* hook/chance.h: random numbers and addresses of unedited code.
 *
 * Random bytes come from the execution's seed, so that a token repeats them: getrandom, getentropy,
 * arc4random, std::random_device, /dev/urandom, /dev/random.  rand, random and drand48 begin anew
 * in every execution, from that seed (or as always: --random=constant); each call is an operation,
 * since the threads share them.  What mmap finds a place for, and what sbrk gives, lies at the same
 * place in every process, as the heap and the threads' stacks do.
 */
#ifndef RFI_HOOK_CHANCE_H
#define RFI_HOOK_CHANCE_H
#include "hook/clocks.h"
#include "hook/maps.h"

#ifdef RFI_IMPL
# include <sys/mman.h>

/* ---- random bytes ---- */

/* In an execution: draws them, which is an operation. */
RFI_FN bool rfi_hook_draw(const rf_site *s, const char *name, void *to, size_t n) {
    if (!rfi.current || rfi.quiet) return false;
    rfi_call(s, name, &rfi.input, RF_EV_READS | RF_EV_WRITES);
    for (size_t i = 0; i < n; i += 8) {
        uint64_t bits = rfi_draw(&rfi.input);
        memcpy((char *)to + i, &bits, n - i < 8 ? n - i : 8);
    }
    return true;
}

/* The system's own; the result is that of getrandom. */
RFI_FN ssize_t rfi_hook_random(const rf_site *s, const char *name, void *to, size_t n,
                               unsigned flags) {
    if (rfi_hook_draw(s, name, to, n)) return (ssize_t)n;
# ifdef SYS_getrandom
    return (ssize_t)RFI_REAL(syscall)(SYS_getrandom, to, n, flags);
# else
    (void)flags;
    errno = ENOSYS;
    return -1;
# endif
}

ssize_t RFI_HOOK(getrandom)(void *to, size_t n, unsigned flags);
ssize_t RFI_HOOK(getrandom)(void *to, size_t n, unsigned flags) {
    ssize_t got = rfi_hook_random(RFI_CALLER(), "getrandom", to, n, flags);
    if (got > 0) RFI_LEAVES(to, (size_t)got);
    return got;
}

int RFI_HOOK(getentropy)(void *to, size_t n);
int RFI_HOOK(getentropy)(void *to, size_t n) {
    if (n > 256) return rfi_hook_errno(EIO);
    if (rfi_hook_random(RFI_CALLER(), "getentropy", to, n, 0) != (ssize_t)n) return -1;
    if (n) RFI_LEAVES(to, n);
    return 0;
}

RFI_FN void rfi_hook_arc4(const rf_site *s, const char *name, void *to, size_t n) {
    for (ssize_t got; n; to = (char *)to + got, n -= (size_t)got)
        if ((got = rfi_hook_random(s, name, to, n, 0)) <= 0) rfi_die("%s: no random bytes", name);
}

/* std::random_device::_M_getval() of libstdc++, which asks the processor.  That of libc++ reads
 * /dev/urandom. */
unsigned RFI_HOOK(_ZNSt13random_device9_M_getvalEv)(void *device);
unsigned RFI_HOOK(_ZNSt13random_device9_M_getvalEv)(void *device) {
    unsigned __real__ZNSt13random_device9_M_getvalEv(void *) __attribute__((weak));
    unsigned n;
    if (rfi_hook_draw(RFI_CALLER(), "std::random_device", &n, sizeof n)) return n;
    return __real__ZNSt13random_device9_M_getvalEv(device);
}

uint32_t RFI_HOOK(arc4random)(void);
uint32_t RFI_HOOK(arc4random)(void) {
    uint32_t n;
    rfi_hook_arc4(RFI_CALLER(), "arc4random", &n, sizeof n);
    return n;
}

void RFI_HOOK(arc4random_buf)(void *to, size_t n);
void RFI_HOOK(arc4random_buf)(void *to, size_t n) {
    rfi_hook_arc4(RFI_CALLER(), "arc4random_buf", to, n);
    if (n) RFI_LEAVES(to, n);
}

uint32_t RFI_HOOK(arc4random_uniform)(uint32_t below);
uint32_t RFI_HOOK(arc4random_uniform)(uint32_t below) {
    uint64_t n;
    rfi_hook_arc4(RFI_CALLER(), "arc4random_uniform", &n, sizeof n);
    return below ? (uint32_t)(n % below) : 0;
}

/* ---- rand, random and drand48, whose states all threads share ---- */

RFI_VAR struct {
    uint32_t generation; /* of the execution that it belongs to */
    char shared;         /* stands for it */
} rfi_hook_dice;

RFI_FN void rfi_hook_rolls(const rf_site *s, const char *name) {
    if (!rfi.current || rfi.quiet) return;
    rfi_unsafe(s, name);
    rfi_call(s, name, &rfi_hook_dice.shared, RF_EV_READS | RF_EV_WRITES);
    if (rfi_hook_dice.generation == rfi.generation) return;
    unsigned short first[7] = {0x330e, 0xabcd, 0x1234, 0xe66d, 0xdeec, 5, 11};
    rfi_hook_dice.generation = rfi.generation;
    uint64_t seed = rfi_hook_begins(1);
    if (seed != 1) memcpy(first, &seed, 3 * sizeof *first);
    RFI_REAL(srandom)((unsigned)seed);
    RFI_REAL(lcong48)(first); /* as POSIX has it */
}

int RFI_HOOK(rand)(void) {
    rfi_hook_rolls(RFI_CALLER(), "rand");
    return RFI_REAL(rand)();
}

void RFI_HOOK(srand)(unsigned seed) {
    rfi_hook_rolls(RFI_CALLER(), "srand");
    RFI_REAL(srand)(seed);
}

long RFI_HOOK(random)(void) {
    rfi_hook_rolls(RFI_CALLER(), "random");
    return RFI_REAL(random)();
}

void RFI_HOOK(srandom)(unsigned seed) {
    rfi_hook_rolls(RFI_CALLER(), "srandom");
    RFI_REAL(srandom)(seed);
}

double RFI_HOOK(drand48)(void) {
    rfi_hook_rolls(RFI_CALLER(), "drand48");
    return RFI_REAL(drand48)();
}

long RFI_HOOK(lrand48)(void) {
    rfi_hook_rolls(RFI_CALLER(), "lrand48");
    return RFI_REAL(lrand48)();
}

long RFI_HOOK(mrand48)(void) {
    rfi_hook_rolls(RFI_CALLER(), "mrand48");
    return RFI_REAL(mrand48)();
}

void RFI_HOOK(srand48)(long seed) {
    rfi_hook_rolls(RFI_CALLER(), "srand48");
    RFI_REAL(srand48)(seed);
}

unsigned short *RFI_HOOK(seed48)(unsigned short seed[3]) {
    rfi_hook_rolls(RFI_CALLER(), "seed48");
    return RFI_REAL(seed48)(seed);
}

void RFI_HOOK(lcong48)(unsigned short state[7]) {
    rfi_hook_rolls(RFI_CALLER(), "lcong48");
    RFI_REAL(lcong48)(state);
}

/* ---- devices ---- */

RFI_FN bool rfi_hook_device(const char *path) {
    return rfi.current && !rfi.quiet && path &&
           (!strcmp(path, "/dev/urandom") || !strcmp(path, "/dev/random"));
}

/* A file of drawn bytes in the device's place; -1: there is none. */
RFI_FN int rfi_hook_device_open(const rf_site *s, const char *path) {
# ifdef SYS_memfd_create
    static char bytes[1 << 16];
    int fd = (int)RFI_REAL(syscall)(SYS_memfd_create, "random", 1u); /* closed by exec */
    if (fd < 0 || !rfi_hook_draw(s, path, bytes, sizeof bytes)) return fd;
    if (write(fd, bytes, sizeof bytes) < 0 || RFI_REAL(lseek)(fd, 0, SEEK_SET)) return -1;
    return fd;
# else
    (void)s, (void)path;
    return -1;
# endif
}

pid_t RFI_HOOK(getpid)(void) {
    rfi_hook_asks(RFI_ASKS_WHO, "its process's number, by %s", "getpid");
    return RFI_REAL(getpid)();
}

/* ---- addresses ---- */

# define RFI_MAP_ADDRESS ((uintptr_t)0x6a0000000000)
# define RFI_MAP_APART   ((size_t)1 << 21)

RFI_VAR struct {
    uint32_t generation;
    uintptr_t next;
} rfi_hook_maps;

/* The place is a hint: where it is taken, the system finds another one. */
void *RFI_HOOK(mmap)(void *at, size_t n, int protection, int flags, int fd, off_t from) {
    if (rfi.current && !rfi.quiet && !at && !(flags & MAP_FIXED)) {
        if (rfi_hook_maps.generation != rfi.generation) rfi_hook_maps.next = RFI_MAP_ADDRESS;
        rfi_hook_maps.generation = rfi.generation;
        at = (void *)rfi_hook_maps.next;
        rfi_hook_maps.next += (n + 2 * RFI_MAP_APART - 1) & ~(RFI_MAP_APART - 1);
    }
    void *p = RFI_REAL(mmap)(at, n, protection, flags, fd, from);
    int error = errno;
    if (p != MAP_FAILED) rfi_hook_shared_drop(p, n);
    if (p != MAP_FAILED && flags & MAP_SHARED) rfi_hook_shared_add(p, n, 0);
    if (p != MAP_FAILED) rfi_hook_anew(p, n);
    errno = error;
    return p;
}

/* ---- the end of the data segment, which is the execution's own ---- */

# define RFI_BREAK_ADDRESS ((uintptr_t)0x6b0000000000)
# define RFI_BREAK_BYTES   ((size_t)1 << 32)

RFI_VAR struct {
    uint32_t generation;
    char *base;
    size_t used;
} rfi_hook_break;

/* Moves it to so many bytes; what is behind it is lost. */
RFI_FN bool rfi_hook_break_to(size_t n) {
    size_t from = rfi_hook_break.used, page = (size_t)sysconf(_SC_PAGESIZE);
    if (n > RFI_BREAK_BYTES) return false;
    if (n > from) rfi_hook_anew(rfi_hook_break.base + from, n - from);
    rfi_hook_break.used = n;
    n = (n + page - 1) & -page;
    if (n < from) RFI_REAL(madvise)(rfi_hook_break.base + n, from - n, MADV_DONTNEED);
    return true;
}

RFI_FN void rfi_hook_break_open(const rf_site *s, const char *name) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    rfi_call(s, name, &rfi_hook_break, RF_EV_READS | RF_EV_WRITES);
    if (!rfi_hook_break.base) {
        void *p = RFI_REAL(mmap)((void *)RFI_BREAK_ADDRESS, RFI_BREAK_BYTES, PROT_READ | PROT_WRITE,
                                 flags, -1, 0);
        if (p == MAP_FAILED) rfi_die("no room for a data segment: %s", strerror(errno));
        rfi_hook_break.base = p;
    }
    if (rfi_hook_break.generation != rfi.generation) (void)rfi_hook_break_to(0);
    rfi_hook_break.generation = rfi.generation;
}

void *RFI_HOOK(sbrk)(intptr_t n) {
    if (!rfi.current || rfi.quiet) return RFI_REAL(sbrk)(n);
    rfi_hook_break_open(RFI_CALLER(), "sbrk");
    size_t before = rfi_hook_break.used;
    if (rfi_hook_break_to(before + (size_t)n)) return rfi_hook_break.base + before;
    errno = ENOMEM;
    return (void *)-1;
}

int RFI_HOOK(brk)(void *to) {
    if (!rfi.current || rfi.quiet) return RFI_REAL(brk)(to);
    rfi_hook_break_open(RFI_CALLER(), "brk");
    bool room = rfi_hook_break_to((size_t)((uintptr_t)to - (uintptr_t)rfi_hook_break.base));
    return rfi_hook_errno(room ? 0 : ENOMEM);
}
#endif
#endif

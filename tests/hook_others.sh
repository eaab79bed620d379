#!/bin/sh
# Programs as people have them, which take more than a row of hook_asis.sh.
name=hook_others
. tests/try.sh

engine_by "$CC" program "$work/program.o"
engine "$CC"

# A program that a program under test starts runs once, by itself, as it does without racefuzz.
a_program_starts_itself() {
    unedited "$CC" tests/hook/starts.c "$work/program.o"
    for way in says options exits ends aborts asserts; do
        gives 0 out timeout 60 "$work/starts" --executions=40 -- $way
    done
    gives 0 out timeout 60 "$work/starts" --executions=2 -- dies
    gives 1 out timeout 60 "$work/starts" --executions=40 -- wrong
    says out 'WEXITSTATUS(status) == 0'
    gives 1 again env RF_SEED="$(token out)" "$work/starts" -- wrong
    says again 'all steps'
    gives 4 by_hand env RACEFUZZ_INSIDE=1 "$work/starts" --help says -- </dev/null
    lacks by_hand racefuzz
    for own in says -v; do # who forgets the -- is told what to do
        gives 2 forgot "$work/starts" $own
        says forgot.err "comes after --, as in $work/starts -- $own; builds that run it"
    done
    gives 2 none "$work/starts" --filter=other -- says
    lacks none.err "comes after --"
}

# A program that was built beside its sources is told by their place.
places_are_short() {
    top=$(pwd)
    mkdir -p "$work/beside/build" "$work/beside/src"
    cp "$work/program.o" "$work/beside/build/engine.o"
    printf '#include <assert.h>\nint main(void) { assert(0); }\n' >"$work/beside/src/short.c"
    (cd "$work/beside/build" && $CC -g -I"$top" -include racefuzz.h -DRF_HOOK_ALL -DRF_PROGRAM \
        ../src/short.c engine.o -pthread -o short)
    gives 1 short sh -c 'cd "$0" && exec build/short --executions=2' "$work/beside"
    says short ' src/short.c:2 in main()'
    gives 1 short sh -c 'cd "$0" && exec ./short --executions=2' "$work/beside/build"
    says short ' ../src/short.c:2 in main()'
}

clocks_agree() {
    cat >"$work/clocks.c" <<'END'
#include <assert.h>
#include <time.h>
int main(void) {
    struct timespec a, b, t = {10, 0};
    timespec_get(&a, TIME_UTC);
    nanosleep(&t, 0);
    timespec_get(&b, TIME_UTC);
    assert(b.tv_sec - a.tv_sec >= 10);
    return 0;
}
END
    $CC -g -I. -include racefuzz.h -DRF_HOOK_PTHREAD -DRF_PROGRAM "$work/clocks.c" \
        "$work/program.o" -pthread -o "$work/clocks"
    gives 0 clocks.out "$work/clocks" --executions=20
}

no_32_bits() {
    fails $CC -D__SIZEOF_POINTER__=4 -Wno-builtin-macro-redefined -w -I. -include racefuzz.h \
        -fsyntax-only -x c /dev/null 2>"$work/m32"
    says m32 'without -m32'
}

# A statement that touches what threads share, and much that is a thread's own; what comes of it is
# in a register, or in memory that is used again and again.
cat >"$work/long_work.c" <<'END'
#include <pthread.h>
static int shared, done[100];
static void bump(int *p) { ++*p; }
static void *bumps(void *p) {
    bump(&shared);
    return p;
}
int main(void) {
    pthread_t t;
    int sum = 0;
    pthread_create(&t, 0, bumps, 0);
    bump(&shared);
    pthread_join(t, 0);
    for (int i = 0; i < 40000; i++) {
        int own = i & 1;
        bump(&own);
        if (KEPT) done[i % 100] = i;
        sum += own;
    }
    return sum < 0;
}
END
long_work_is_no_livelock() {
    unedited "$CC" "$work/long_work.c" "$work/$CC.o" -fsanitize=thread -DRF_HOOK_COMPILER \
        -DKEPT="$1"
    gives 1 out "$work/long_work" --executions=16 --steps=20000
    says out 'race: real'
    lacks out 'step limit reached'
}
try long_work_is_no_livelock 0
try long_work_is_no_livelock 1

# Who looks again and again at a file is a spinner as who looks at memory: it is held back, and what
# runs on beside it ends after some rounds.  Without, some executions have 100,000 steps each.
looking_again_costs_little() {
    unedited "$CC" tests/hook/polls.c "$work/$1.o" ${2:+"$2"}
    for way in read poll "read beside" "poll beside"; do
        for strategy in random pct dfs; do
            case $strategy:$way in dfs:*beside) continue ;; esac # what is looked at changes unseen
            gives 0 out "$work/polls" --strategy=$strategy --executions=64 --verbose -- "$way"
            awk '$1 ~ /^polls\.c:/ { n += $(NF - 1) }
                END { print n; exit !(n >= 64 && n < 20000) }' "$work/out"
        done
    done
}
try looking_again_costs_little program
try looking_again_costs_little "$CC" -fsanitize=thread

# A time-out takes no real time where only threads of the process could come before it.
time_outs_are_virtual() {
    $CC -w -c tests/hook/longest.c -o "$work/longest.o"
    $CC -g -I. -include racefuzz.h -DRF_HOOK_ALL -DRF_PROGRAM -c tests/hook/timed.c \
        -o "$work/timed.o"
    $CC "$work/timed.o" "$work/longest.o" "$work/program.o" -pthread -ldl -o "$work/timed"
    for how in --strategy=random --strategy=dfs --timeouts=late; do
        gives 0 out "$work/timed" $how --executions=10
    done
}

# Who waits for files that nobody here will make ready is in a deadlock, which is told at once; and
# nobody keeps the others from what comes from outside.
waits_for_files_end_or_are_told() {
    unedited "$CC" tests/hook/vain.c "$work/program.o"
    for way in poll select epoll eventfd read pair unix tcp; do
        for strategy in random dpor graphs; do
            gives 1 out timeout 20 "$work/vain" --strategy=$strategy --executions=20 \
                --watchdog=60 --seconds=none -- $way
            says out "deadlock: nobody can wake the waiting threads"
            says out " for what only threads here could send"
        done
        RF_SEED=$(token out) gives 1 again "$work/vain" -- $way
        says again "for what only threads here could send"
    done
    for strategy in random dfs; do
        gives 0 out "$work/vain" --strategy=$strategy --executions=4 --seconds=none -- child
        lacks out "without an answer"
    done
    gives 0 out "$work/vain" --executions=300 -- jobs
    { sleep 0.5; echo; } | gives 0 out "$work/vain" --executions=1 --jobs=0 -- input
}

# Nobody ends what waits for its own variable.
a_wait_on_the_own_stack_is_a_livelock() {
    cat >"$work/own_wait.c" <<'END'
#include <pthread.h>
static void *sets(void *p) { return ++*(int *)p, p; }
int main(void) {
    pthread_t t;
    int there = 0;
    pthread_create(&t, 0, sets, &there);
    pthread_join(t, 0);
    while (there != 2) continue;
    return 0;
}
END
    unedited "$CC" "$work/own_wait.c" "$work/$CC.o" -fsanitize=thread -DRF_HOOK_COMPILER
    gives 1 out "$work/own_wait" --executions=4 --steps=20000
    says out 'step limit reached' 'own_wait.c:8'
}

# Neighbouring bit-fields are one memory location: who sets one writes the others' old values.
cat >"$work/flags.c" <<'END'
#include <assert.h>
#include <pthread.h>
static struct {
    unsigned ready : 1, done : 1;
} flags;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void lock(void) { LOCKED ? pthread_mutex_lock(&m) : 0; }
static void unlock(void) { LOCKED ? pthread_mutex_unlock(&m) : 0; }
static void *ends(void *p) {
    lock();
    flags.done = 1;
    unlock();
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, ends, 0);
    lock();
    flags.ready = 1;
    unlock();
    pthread_join(t, 0);
    assert(flags.ready && flags.done);
    return 0;
}
END
bit_fields_are_one_location() {
    unedited "$CC" "$work/flags.c" "$work/$CC.o" -fsanitize=thread -DRF_HOOK_COMPILER \
        -DLOCKED="$1"
    gives "$2" out "$work/flags" --executions=60
    says out "$3"
    [ "$2" -eq 1 ] || return 0
    says out 'flags.done = 1' 'flags.c:11 in ends()' 'flags.ready = 1' 'flags.c:19 in main()' \
        'then assertion failed'
    replays "$(token out)" "$work/flags"
    says again 'all steps'
}
try bit_fields_are_one_location 0 1 'race: real, '
try bit_fields_are_one_location 1 0 '1 passed'

# A user's LD_PRELOAD: an allocator, which gets what is the engine's own, and another function.
a_library_may_be_loaded_before() {
    cat >"$work/loaded.c" <<'END'
#include <stddef.h>
#include <string.h>
static _Alignas(16) char memory[256 << 20];
static size_t used;
void *malloc(size_t n) {
    size_t room = ((n + 15) & ~(size_t)15) + 16;
    char *p = memory + __atomic_fetch_add(&used, room, __ATOMIC_SEQ_CST);
    if (n > sizeof memory || p > memory + sizeof memory - room) return NULL;
    *(size_t *)(void *)p = n;
    return p + 16;
}
void free(void *p) { (void)p; }
void *calloc(size_t count, size_t n) { return malloc(count * n); }
void *realloc(void *p, size_t n) {
    char *to = malloc(n);
    size_t had = p ? ((size_t *)p)[-2] : 0;
    return to && p ? memcpy(to, p, had < n ? had : n) : to;
}
long gethostid(void) { return 77; }
END
    cat >"$work/loads.c" <<'END'
#include "check.h"
static void *adds(void *p) { return ++*(int *)p, p; }
int main(int argc, char **argv) {
    pthread_t t;
    int *n = calloc(1, sizeof *n);
    FILE *f = fopen(argv[0], "r");
    assert(argc == 1 || gethostid() == 77);
    pthread_create(&t, 0, adds, n);
    adds(n);
    pthread_join(t, 0);
    fclose(f);
    assert(*n == 2);
    free(n);
    return 0;
}
END
    $CC -w -shared -fPIC -fno-builtin "$work/loaded.c" -o "$work/loaded.so"
    unedited "$CC" "$work/loads.c" "$work/$CC.o" -fsanitize=thread -DRF_HOOK_COMPILER
    gives 1 out env LD_PRELOAD="$work/loaded.so" "$work/loads" --executions=60 -- loaded
    says out 'race: real, harmful' '*n == 2'
    for loaded in "$work/loaded.so" ""; do
        gives 1 again env LD_PRELOAD="$loaded" "$work/loads" --seed="$(token out)" \
            ${loaded:+-- loaded}
        says again '*n == 2' 'all steps'
    done
}

try_all
summary

#!/bin/sh
# Objects that know nothing of racefuzz, linked with the linker's --wrap: both back ends, the
# engine's own locks, and what is installed.  With LONG=1, as in tests/long/more.sh, by an engine
# that switches threads portably too.
name=hook_wrap
. tests/try.sh
wrap=$(make -s wrap-flags)
engine_by "$CC" compiler "$work/engine.o"

portable_engine() {
    cp "$(engine_for "$CC" -DRF_PROGRAM -DRFI_PORTABLE_SWITCH)" "$work/portable.o"
}

# program NAME ENGINE TO: an object without any flag of ours
program() {
    $CC -g -c "tests/hook/$1.c" -o "$work/$1.o"
    $CC $wrap "$work/$1.o" "$work/$2.o" -o "$work/$3" -pthread
}

deadlock() {
    gives 1 out "$work/$1" --backend="$2" --executions=200
    says out 'T1 waits at deadlock.c:8 for mutex b, held by T2'
    says out 'T2 waits at deadlock.c:14 for mutex a, held by T1'
    gives 1 again "$work/$1" --backend="$2" --seed="$(token out)"
    says again 'for mutex b, held by T2'
}

# What the engine itself allocates to tell of a crash is no step of the program.
crashes_replay() {
    gives 1 out "$work/ending" --executions=10 -- crash
    replays "$(token out)" "$work/ending" -- crash
    says again 'all steps'
}

results() { gives 0 results "$work/c11" --executions=50 --backend="$1"; }

own_storage_is_refused() {
    gives 2 out "$work/portable" --thread-local=own
    says out.err '--thread-local=own is not possible here'
}

# What the engine calls itself, for the thread-local objects of a new thread, is no step of its
# creator: the new one would begin in the middle of its creation.
creation_is_one_step() {
    cat >"$work/born.c" <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int own;
static void *in(void *p) {
    pthread_t t;
    own++;
    if (p) pthread_create(&t, NULL, in, NULL);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    if (p) pthread_join(t, NULL);
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, in, &t);
    return pthread_join(t, NULL);
}
END
    $CC -g -c "$work/born.c" -o "$work/born.o"
    $CC $wrap "$work/born.o" "$work/engine.o" -o "$work/born" -pthread
    gives 0 born.out "$work/born" --strategy=graphs --jobs=1
    says born.out '2 executions explored'
}

# A program of tests, all names wrapped: its own main, and the real exit.
tests_of_ours() {
    cat >"$work/ours.c" <<'END'
#define RFI_LINKED
#include "racefuzz.h"
#include <stdio.h>
#include <stdlib.h>
RF_TEST(two) { RF_ASSERT_EQ(1 + 1, 2); }
static void told(void) { puts("at exit"); }
int main(int argc, char **argv) {
    atexit(told);
    exit(rf_run(NULL, argc, argv));
}
END
    $CC -g -I. -c "$work/ours.c" -o "$work/ours.o"
    $CC $wrap "$work/ours.o" "$BUILD/libracefuzz.a" -o "$work/ours" -pthread
    gives 0 ours.out "$work/ours"
    says ours.out '1 passed, 0 failed' 'at exit'
}

no_main() {
    for flags in '' "$wrap"; do
        $CC $flags "$work/engine.o" -o "$work/none" -pthread
        gives 1 none.out "$work/none" --executions=1
        says none.out 'the program has no main'
    done
}

installed() {
    make -s install DESTDIR="$work/there" PREFIX=/p
    [ "$(sed -n 's/^wrap_flags=//p' "$work/there/p/share/pkgconfig/racefuzz.pc")" = "$wrap" ]
    for name in pthread_mutex_lock sem_wait thrd_create time exit main; do
        case " $wrap " in *" -Wl,--wrap=$name "*) ;; *) echo "not $name"; return 1 ;; esac
    done
}

try program deadlock engine wrapped
try deadlock wrapped fiber
try deadlock wrapped threads
if [ "${LONG:-}" ]; then
    try portable_engine
    try program deadlock portable portable
    try deadlock portable threads
    try own_storage_is_refused
fi
try program c11 engine c11
try program ending engine ending
try results fiber
try results threads
try_all
summary

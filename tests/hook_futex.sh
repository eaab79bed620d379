#!/bin/sh
# Code that calls futex(2) by syscall(), and waits by poll or select: it gives what Linux
# gives, on virtual time; a wake-up that is lost is found, by its name, and found again by its
# token.
name=hook_futex
. tests/try.sh
engine_by "$CC" compiler "$work/engine.o"
hooks="-g -pthread -I. -include racefuzz.h -DRF_HOOK_ALL -DRF_PROGRAM -Wall -Wextra -Werror"

# program FLAGS FILE NAME
program() {
    $CC $hooks $1 -c "tests/hook/$2.c" -o "$work/$3.o"
    $CC -pthread "$work/$3.o" "$work/engine.o" -o "$work/$3"
}

instrumented() { program "-DRF_HOOK_COMPILER -fsanitize=thread" "$1" "$1"; }

linux_agrees() {
    $CC -pthread tests/hook/futex.c -o "$work/real"
    gives 0 real.out "$work/real"
}

passes() {
    gives 0 out timeout 150 "$work/$1" --executions="$3" --backend="$2" -- ${4:-}
    says out "1 passed, 0 failed"
}

# All three ways of standing in for the functions.
plainly_compiled() {
    program "-O2 -D_FORTIFY_SOURCE=2" futex plain
    passes plain fiber 30 3
}

# What waits on half of an atomic waits for the whole of it.
half_a_word() {
    instrumented wide_word
    passes wide_word fiber 300
}

wrapped() {
    $CC -g -O2 -D_FORTIFY_SOURCE=2 -c tests/hook/futex.c -o "$work/bare.o"
    $CC -pthread $(make -s wrap-flags) "$work/bare.o" "$work/engine.o" -o "$work/wrapped"
    passes wrapped fiber 30 3
}

what_older_kernels_have_not_is_not_there() {
    gives 0 out "$work/futex_faults" --executions=5 -- asks
}

# finds WAY WORDS [OPTION]
finds() {
    gives 1 out timeout 150 "$work/futex_faults" --executions=50 --shrink=0 ${3:-} -- "$1"
    says out "$2"
    replays "$(token out)" "$work/futex_faults" -- "$1"
    says again "$2"
}

a_lock_forgets_who_waits() {
    finds mutex "for a wake-up of futex state"
    says out "went to another"
    says again "wait while state == 2"
}

a_wake_up_orders_nothing() {
    gives 1 out "$work/futex_faults" --executions=50 -- order
    says out "race: real" "writes  counted = 1"
}

try instrumented futex
try passes futex fiber 60 3
try passes futex threads 20 3
try wrapped
try instrumented futex_mutex
try passes futex_mutex fiber 600
try instrumented futex_faults
try finds events "futex state; the last one, by T3 at" --strategy=pct
try finds sigwait "for a signal"
try finds poll "for a signal"
try finds pi "the futex operation 6 (FUTEX_LOCK_PI) is not supported"
try_all
summary

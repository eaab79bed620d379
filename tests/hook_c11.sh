#!/bin/sh
# C11 threads, renamed (RF_HOOK_THREADS): the results of all functions, and misuse that is found.
# With LONG=1, as in tests/long/more.sh, with an engine in the same unit too.
name=hook_c11
. tests/try.sh

flags='-std=c11 -g -Wall -Wextra -Werror'
engine_by "$CC" program "$work/engine.o"

# program NAME FLAGS: $work/NAME from tests/hook/NAME.c
program() {
    $CC $flags $2 -I. -include racefuzz.h -DRF_HOOK_THREADS -DRF_PROGRAM -c "tests/hook/$1.c" \
        -o "$work/$1.o"
    $CC "$work/$1.o" "$work/engine.o" -o "$work/$1" -pthread
}

without_racefuzz() {
    $CC $flags tests/hook/c11.c -o "$work/native" -pthread
    gives 0 native.out "$work/native"
}

results() {
    program c11 "$1"
    gives 0 c11.out "$work/c11" --executions=100
    says c11.out '1 passed, 0 failed'
    lacks c11.out '^ *0 executions'
}

on_threads() { gives 0 threads.out "$work/c11" --executions=20 --backend=threads; }

alone() {
    $CC -std=c11 -w -O0 -I. -include racefuzz.h -DRF_HOOK_ALL -DRF_PROGRAM -DRF_IMPLEMENTATION \
        tests/hook/c11.c -o "$work/alone" -pthread
    gives 0 alone.out "$work/alone" --executions=20
}

# The first run that finds it gives a token, which finds it again.
misuse() {
    gives 1 misuse.out "$work/c11_misuse" -- "$1"
    says misuse.out "$2"
    gives 1 again.out "$work/c11_misuse" --seed="$(token misuse.out)" -- "$1"
    says again.out "$2"
}

fine() { gives 0 fine.out "$work/c11_misuse" -- f; }

try results -O0
try results -O2
[ -z "${LONG:-}" ] || try alone
try program c11_misuse -O0
try fine
try misuse mutex 'is held by'
try misuse early 'was destroyed'
try misuse lost 'waits at c11_misuse.c:42'
try_all
summary

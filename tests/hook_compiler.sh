#!/bin/sh
# Programs that nobody edited, compiled with -fsanitize=thread and linked without it
# (src/hook/compiler.h).  With COMPILERS and LEVELS: for more than one
# (tests/long/hook_compiler.sh).
name=hook_compiler
. tests/try.sh
export RF_ALL=1 RF_SHRINK=0 # each finding is looked for, as it was produced
engine_flags="-DRF_HOOK_ALL -DRF_HOOK_COMPILER -DRF_PROGRAM -DRF_IMPLEMENTATION"
instrumented="-DRF_HOOK_COMPILER -fsanitize=thread"

# program COMPILER NAME FLAG...: $work/NAME
program() {
    compiler=$1 program=$2
    shift 2
    unedited "$compiler" "tests/hook_compiler/$program.c" "$work/$compiler.o" $instrumented "$@"
}

run() { gives "$1" "$2" "$work/$program" --executions=100 --seed=1; }

a_race_is_found_and_repeats() {
    program "$1" race "$2"
    run 1 race.out
    says race.out 'race: real, harmful' 'race.c:16 in count()' 'counter++ (4 bytes)'
    grep -q 'race.c:14 .* enter count()' "$work/race.out"
    replays "$(token race.out)" "$work/race"
    says again 'race: the two accesses were brought together 1 time'
    grep -q '^ *[*] .*race.c:16 .*writes counter++' "$work/again"
}

# passes COMPILER LEVEL NAME FLAG...: nothing is found.
passes() {
    by=$1 at=$2 passing=$3
    shift 3
    program "$by" "$passing" "$at" "$@"
    run 0 out
    says out '1 passed, 0 failed'
    lacks out 'race:'
}

relaxed_operations_reorder() {
    program "$1" message "$2" -DORDER_STORE=memory_order_relaxed -DORDER_LOAD=memory_order_relaxed
    run 1 message.out
    says message.out 'assertion failed (test program)' 'wrote 42 at message.c:7' \
        'returned 0, the value that was there at first, and hid a newer'
}

# clang leaves such a store out before anybody sees it.
orders_that_c_forbids_are_misuse() {
    ! "$1" --version | grep -q clang || return 0
    program "$1" message "$2" -w -DORDER_STORE=memory_order_acquire \
        -DORDER_LOAD=memory_order_acquire
    run 1 message.out
    says message.out 'message.c:8' \
        'a store has the order acquire; C11 7.17.7 allows relaxed, release and seq_cst'
}

all_sizes_are_seen() {
    program "$1" ranges "$2" -fno-builtin $(CC=$1 volatiles)
    run 1 ranges.out
    says ranges.out 'writes  to = from (24 bytes)' 'writes  odd.n += (int)(size_t)arg (4 bytes)' \
        'writes  flag = 1 (4 bytes)' 'writes  memcpy(text, other, sizeof text) (100 bytes)' \
        'writes  memset(text, 0, sizeof text) (100 bytes)'
}

# Fasttrack knows the write already, and need not be asked for its statement.
what_is_known_may_be_freed() {
    program "$1" freed "$2"
    gives 1 freed.out "$work/freed" --executions=5 --seed=1 --granularity=coarse --detect=fasttrack
    says freed.out 'write of 4 bytes at offset 0 of a block of 4 bytes' 'freed.c:10 in use()'
}

# tears STATUS BLOCKS WAY: append() of the StringBuffer, whose section or which is a block
tears() {
    gives "$1" blocks.out "$work/blocks" --blocks="$2" --executions=100 -- "$3"
    [ "$1" -eq 1 ] || return 0
    says blocks.out 'atomicity violation: real, harmful' ' in cut(), thread T'
    replays "$(token blocks.out)" "$work/blocks" -- "$3"
    says again '-- the atomicity violation --'
}

functions_that_lock_are_blocks() {
    program "$1" blocks -O0
    tears 1 locks own
    for way in twice helped; do
        tears 1 functions $way
        token blocks.out | grep '[.]rf[.]'
        gives 1 locks.out "$work/blocks" --blocks=locks --executions=100 -- $way
        lacks locks.out '^atomicity' # the assertion fails
    done
    for way in once waits thread; do tears 0 functions $way; done
}

volatiles_race() {
    program "$1" volatile -O1 $(CC=$1 volatiles)
    run 1 volatile.out
    says volatile.out 'writes  ready = 1 (4 bytes)'
}

# volatile_engine COMPILER: with RF_HOOK_VOLATILE
volatile_engine() {
    needs "$1"
    $1 -g -I. $engine_flags -DRF_HOOK_VOLATILE -x c -c -o "$work/$1.v.o" racefuzz.h
}

# with_volatiles COMPILER FLAG...: the program, where they are relaxed atomics
with_volatiles() {
    program=volatile
    unedited "$1" tests/hook_compiler/volatile.c "$work/$1.v.o" $instrumented -O1 \
        $(CC=$1 volatiles) $2
}

volatiles_are_atomics_with_a_flag() {
    with_volatiles "$1" ''
    run 0 volatile.out
    says volatile.out '1 passed, 0 failed'
    gives 0 graphs.out "$work/volatile" --strategy=graphs
    says graphs.out 'graphs: all 6 executions explored'
}

volatiles_order_nothing_else() {
    with_volatiles "$1" -DUNORDERED
    run 1 volatile.out
    says volatile.out 'data = 42 (4 bytes)'
    lacks volatile.out '^ *writes  ready'
}

the_compilers_runtime_is_refused() {
    program "$1" race -O1
    $with -fsanitize=thread "$work/race.o" "$work/$with.o" -pthread -o "$work/race" ||
        skip "$with has no runtime"
    gives 2 refused "$work/race"
    one_line refused.err
    says refused.err "racefuzz: this program is linked with the compiler's own ThreadSanitizer"
}

an_instrumented_engine_is_refused() {
    [ -e "$work/$1.o" ] || skip "no engine by $1"
    gives 1 refused "$1" -I. $engine_flags -fsanitize=thread -x c -fsyntax-only racefuzz.h
    says refused.err 'compile the unit of the engine without -fsanitize=thread'
}

for compiler in ${COMPILERS:-$CC}; do
    try engine $compiler
    for level in ${LEVELS:--O1}; do
        try a_race_is_found_and_repeats $compiler $level
        try relaxed_operations_reorder $compiler $level
        try all_sizes_are_seen $compiler $level
        try orders_that_c_forbids_are_misuse $compiler $level
        try what_is_known_may_be_freed $compiler $level
        # (those of sizes that no machine has are libatomic's, if nobody steps in)
        for what in "race -DLOCKED" fetch floats values "sizes -DSIZE=3" "sizes -DSIZE=12" \
            "sizes -DSIZE=40" \
            "message -DORDER_STORE=memory_order_release -DORDER_LOAD=memory_order_acquire"; do
            try passes $compiler $level $what
        done
    done
    try functions_that_lock_are_blocks $compiler
    try volatiles_race $compiler
    if [ "${LEVELS:-}" ]; then
        try volatile_engine $compiler
        try volatiles_are_atomics_with_a_flag $compiler
        try volatiles_order_nothing_else $compiler
    fi
    try the_compilers_runtime_is_refused $compiler
    try an_instrumented_engine_is_refused $compiler
done
summary

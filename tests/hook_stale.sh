#!/bin/sh
# Older and torn values of plain reads in programs that nobody edited (src/engine/lend.h). With
# COMPILERS and LEVELS: for more than one (tests/long/hook_stale.sh).
name=hook_stale
. tests/try.sh

engine_by "$CC" compiler "$work/engine.o"

# program COMPILER LEVEL: $work/stale
program() {
    needs "$1"
    unedited "$1" tests/hook_compiler/stale.c "$work/engine.o" -DRF_HOOK_COMPILER \
        -fsanitize=thread "$2"
}

# run STATUS FILE CASE OPTION...
run() {
    status=$1 to=$2 of=$3
    shift 3
    gives "$status" "$to" "$work/stale" --executions=40 --seed=1 --fail-on=harm "$@" -- "$of"
}

# found CASE: by old values only, and again by its token.
found() {
    run 1 found "$1"
    says found 'race: real, destructive'
    grep -q 'with newest values 0/' "$work/found"
    replays "$(token found)" "$work/stale" -- "$1"
}

sizes_are_found() { for of in one two eight sixteen; do found $of; done; }
places_are_found() { for of in heap library crash; do found $of; done; }

the_read_says_where_its_value_is_from() {
    run 1 found four
    says found ' -> 1 (at four_data, stale: T1 wrote 2 at stale.c:29)'
    tr -s ' \n' ' ' <"$work/found" >"$work/words"
    says words 'returned 1, the value that was there at first'
    run 0 newest four --memory=sc
}

# torn OPTION...: halves of two values only if that is asked for.
wide_values_are_torn_if_asked_for() {
    run 0 whole halves
    run 0 whole halves --tear=off
    run 1 torn halves --tear=all
    says torn 'was torn: one part is from'
    RF_SEED=$(token torn) gives 1 again "$work/stale" -- halves
    says again '(torn)'
}

memory_is_left_as_it_was() {
    for of in counted calls changes beside mixed jump unmapped; do
        run 0 kept $of
        says kept 'old values returned in'
    done
}

order_is_kept() {
    for of in ordered summed; do
        run 0 ordered $of
        lacks ordered 'race:'
    done
}

for compiler in ${COMPILERS:-$CC}; do
    for level in ${LEVELS:--O1}; do
        try program $compiler $level
        try sizes_are_found
        try places_are_found
        try the_read_says_where_its_value_is_from
        try wide_values_are_torn_if_asked_for
        try memory_is_left_as_it_was
        try order_is_kept
    done
done
summary

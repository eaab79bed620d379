#!/bin/sh
# RF_HOOK_STDATOMIC: programs with <stdatomic.h>, not edited, under the engine's memory model.  Each
# name compiles and means what it means without racefuzz, whatever is included before it.
name=hook_stdatomic
. tests/try.sh

warnings="-std=c11 -pedantic -Wall -Wextra -Werror"
hooks="-I. -include racefuzz.h -DRF_HOOK_ALL -DRF_PROGRAM"
compilers=$CC
for other in gcc clang; do
    [ "$other" = "$CC" ] || ! command -v "$other" >/dev/null || compilers="$compilers $other"
done

engine_by "$CC" program "$work/rf.o"

# hooked COMPILER PROGRAM FLAGS...: makes $work/PROGRAM, where the hooks come first.
hooked() {
    compiler=$1 program=$2
    shift 2
    $compiler $warnings -g $hooks "$@" "tests/hook/$program.c" "$work/rf.o" -o "$work/$program" \
        -pthread
}

# Each program says by its status whether all is as the standard has it: first without racefuzz.
means_the_same() {
    compiler=$1 program=$2
    shift 2
    $compiler $warnings "$@" "tests/hook/$program.c" -o "$work/plain" -pthread
    "$work/plain"
    hooked "$compiler" "$program" "$@"
    gives 0 out "$work/$program" --executions=50
    says out "PASS program"
    $compiler $warnings -I. -include racefuzz.h -DRF_HOOK_STDATOMIC "$@" -fsyntax-only \
        "tests/hook/$program.c"
}

# The operations are the engine's: nothing of the compiler's header is left.
the_operations_are_seen() {
    $1 $hooks -std=c11 -E tests/hook/stdatomic_names.c >"$work/expanded"
    grep -q rfi_atomic_load "$work/expanded"
    sed -n '/^# .*stdatomic_names\.c"/,$p' "$work/expanded" >"$work/own"
    grep -E '\b(__c11_atomic|__atomic)_[a-z]+' "$work/own" |
        grep -vE '__atomic_(always_lock_free|signal_fence)' | nothing
}

a_program_may_include_stdbool_h_later() {
    printf '%s\n' '#include <stdatomic.h>' '#include <stdbool.h>' \
        'atomic_bool done; bool set(void) { return !atomic_exchange(&done, true); }' >"$work/late.c"
    for standard in c11 c17 c2x; do
        $1 $warnings -std=$standard $hooks -fsyntax-only "$work/late.c"
    done
}

a_relaxed_store_of_the_flag_is_a_failure_and_its_token_replays_it() {
    hooked "$1" message -DGIVE=memory_order_relaxed
    gives 1 out "$work/message" --executions=500
    says out "atomic_load_explicit(&message, memory_order_relaxed) == 42" "message.c:21"
    gives 1 again env RF_SEED="$(token out)" "$work/message"
    says again "message.c:21"
}

a_release_store_of_the_flag_passes() {
    hooked "$1" message
    gives 0 out "$work/message" --executions=500
    says out "1 passed, 0 failed"
}

for compiler in $compilers; do
    try means_the_same "$compiler" stdatomic_names
    try means_the_same "$compiler" stdatomic_names -DBEFORE
    try means_the_same "$compiler" stdatomic_names -DAFTER
    try means_the_same "$compiler" stdatomic_own_words
    try the_operations_are_seen "$compiler"
    try a_program_may_include_stdbool_h_later "$compiler"
    try a_relaxed_store_of_the_flag_is_a_failure_and_its_token_replays_it "$compiler"
    try a_release_store_of_the_flag_passes "$compiler"
done
summary

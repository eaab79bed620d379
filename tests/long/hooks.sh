#!/bin/sh
# The programs of tests/hook and examples/unedited by clang at -O2 (with NIGHTLY=1 by gcc, whose
# tests are tests/hook_*.sh, and at -O0 and -O1 too), with both back ends, and on aarch64 (run by
# qemu; by day on fibers); there, those of tests/hook_compiler too, which
# tests/long/hook_compiler.sh has for this machine.
name=long_hooks
. tests/try.sh
hooks="-std=gnu11 -w -g -pthread -I. -DRF_HOOK_ALL -DRF_PROGRAM"

# kind NAME: what compiles and runs programs of this kind
kind() {
    with=$1 target= run=
    case $1 in
    aarch64) with=aarch64-linux-gnu-gcc target=-static run=qemu-aarch64-static ;;
    esac
    needs "$with"
    [ -z "$run" ] || needs "$run"
}

engine() {
    kind "$1"
    made=$(engine_for $with $target -O0 -DRF_HOOK_ALL -DRF_HOOK_COMPILER -DRF_PROGRAM)
    cp "$made" "$work/$1.o"
}

# program KIND FLAGS FILE: $work/program
program() {
    kind "$1"
    [ -e "$work/$1.o" ] || skip "no engine for $1"
    $with $target $hooks -include racefuzz.h $2 -c "$3" -o "$work/program.o"
    $with $target -pthread "$work/program.o" "$work/$1.o" -o "$work/program"
}

# passes KIND FLAGS BACKENDS FILE
passes() {
    program "$1" "$2" "$4"
    for backend in $3; do
        gives 0 out $run "$work/program" --executions=5 --backend=$backend
        says out "1 passed, 0 failed"
    done
}

# finds KIND FLAGS BACKENDS FILE WORDS EXECUTIONS [ARGUMENT...]: with a token that replays it
finds() {
    program "$1" "$2" "$4"
    backends=$3 words=$5 executions=$6
    shift 6
    for backend in $backends; do
        gives 1 out $run "$work/program" --executions="$executions" --seed=1 --backend=$backend \
            -- "$@"
        says out "$words"
        replays "$(token out)" $run "$work/program" --backend=$backend -- "$@"
        says again "all steps"
    done
}

# Nor are there warnings.
knows_nothing_of_racefuzz() {
    $1 -std=c11 -Wall -Wextra -Wpedantic -Werror "$2" -o "$work/plain" -pthread
    gives 0 plain.out "$work/plain"
    grep -niE 'rf_|racefuzz' "$2" | nothing
}

both="fiber threads"
for kind in ${NIGHTLY:+gcc} clang aarch64; do
    try engine $kind
    levels="${NIGHTLY:+-O0 -O1} -O2"
    ways=$both
    if [ $kind = aarch64 ]; then # each execution is a fork, which takes long there
        levels=-O2
        [ -n "${NIGHTLY:-}" ] || ways=fiber
    fi
    for level in $levels; do
        for program in mutexes conditions others keys ends clocks named c11 cancel clocked \
            stdatomic_names stdatomic_own_words; do
            try passes $kind $level "$ways" tests/hook/$program.c
        done
        # a child and a handler go on in the real thread that made or got them
        try passes $kind $level fiber tests/hook/forks.c
        try passes $kind $level fiber tests/hook/interrupts.c
        try passes $kind $level fiber tests/hook/futex.c
        if [ $kind = aarch64 ]; then
            seen="$level -fsanitize=thread -DRF_HOOK_COMPILER"
            try passes $kind "$seen" "$ways" tests/hook_compiler/values.c
            try passes $kind "$seen -DLOCKED" "$ways" tests/hook_compiler/race.c
            try finds $kind "$seen" fiber tests/hook_compiler/race.c "race: real, harmful" 20
            try finds $kind $level fiber tests/hook/deadlock.c "for mutex b, held by T2" 30
            try finds $kind $level fiber tests/hook/futex_faults.c "futex state" 60 events
            continue
        fi
        for program in queue ring accounts; do
            try passes $kind $level "$both" examples/unedited/${program}_fixed.c
            try knows_nothing_of_racefuzz $kind examples/unedited/${program}_fixed.c
        done
        try finds $kind $level "$both" examples/unedited/queue.c "queue: the sum of all jobs is" 150
        try finds $kind $level "$both" examples/unedited/ring.c \
            "To forbid it: release on the store of tail" 150
        try finds $kind $level "$both" examples/unedited/accounts.c "deadlock" 100
        try finds $kind $level "$both" tests/hook/deadlock.c "for mutex b, held by T2" 100
    done
done
summary

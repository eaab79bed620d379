#!/bin/sh
# tests/long/tools.sh: the engine under sanitizers and valgrind, and on aarch64.
#
# Programs that make check runs natively are built once more: with AddressSanitizer and
# UndefinedBehaviorSanitizer, with ThreadSanitizer, for aarch64 (run by qemu), and run under
# valgrind.  A report of a tool, or another ending than the native one, is a failure.
name=tools
. tests/try.sh

sources() { # of a test or an example
    case $1 in
    tests/*) echo "$1" ;;
    *) for file in "$1"/*.c; do
           case $file in *_fixed.c) ;; *) echo "$file" ;; esac
       done ;;
    esac
}

# Tests that look into the engine share one, and its header compiled, as in the Makefile.
# engine_for LABEL COMPILER FLAGS ENGINE_FLAGS: in $work/LABEL, for the programs that follow
engine_for() {
    label=$1 compiler=$2 made="$2 -std=c11 -g -I. -Isrc $3 -pthread"
    mkdir -p "$work/$label"
    command -v "$2" >/dev/null || return 0 # each program says so
    # shellcheck disable=SC2086 # lists
    $made ${4:-} -DRFI_VISIBLE=1 -DRF_IMPLEMENTATION -x c -c racefuzz.h -o "$work/$label/engine.o"
    # shellcheck disable=SC2086
    $made -w $view -x c-header racefuzz.h -o "$work/$label/racefuzz.h.gch"
}

# ends_well THING LABEL WRAPPER
ends_well() {
    for tool in "$compiler" ${3%% *}; do command -v "$tool" >/dev/null || skip "no $tool"; done
    program=$work/$2/$(basename "$1" .c)
    case $1 in
    tests/*) how="$view -include $work/$2/racefuzz.h" ;;
    *) how=-DRFI_LINKED ;;
    esac
    # shellcheck disable=SC2046,SC2086 # lists
    $made $how $(sources "$1") "$work/$2/engine.o" -Wl,-z,muldefs -o "$program"
    $3 "$program"
}

# all WRAPPER THING...: each built with the engine that was made last
all() {
    wrapper=$1
    shift
    for thing; do try ends_well "$thing" "$label" "$wrapper"; done
}

export ASAN_OPTIONS=detect_odr_violation=0 # a test brings some of the engine again
replaceable="-fno-ipa-ra -fno-section-anchors" # as in the Makefile
view="-DRFI_VISIBLE=2 -DRF_IMPLEMENTATION= -isystem ."
san="-fsanitize=address,undefined -fno-sanitize-recover=undefined"
for cc in gcc clang; do
    engine_for "asan_$cc" $cc "-O0 $san"
    all "" tests/fiber.c tests/detect.c tests/mutex.c tests/cond.c tests/memory_alone.c \
        examples/bank examples/workqueue examples/pipeline
    all "env RF_BACKEND=threads" examples/bank
    all "env ASAN_OPTIONS=detect_leaks=0:$ASAN_OPTIONS" tests/heap.c # it leaks on purpose
    [ $cc = clang ] || all "" tests/memory_atomics.c tests/memory_edges.c tests/memory_objects.c \
        tests/memory_accesses.c tests/options.c tests/tokens.c tests/report.c tests/report_parts.c
    engine_for "tsan_$cc" $cc "-O0 -fsanitize=thread"
    all "" tests/fiber.c tests/cond.c examples/bank
done

check="valgrind -q --error-exitcode=9 --track-origins=no"
engine_for valgrind gcc -O0 "-O1 $replaceable"
all "$check" tests/detect.c tests/options.c examples/bank
all "$check --leak-check=full --show-leak-kinds=all --errors-for-leak-kinds=all" \
    tests/memory_alone.c

for o in -O0 -O2; do
    engine_for "aarch64$o" aarch64-linux-gnu-gcc "-O0 -static" "$o $replaceable"
    all qemu-aarch64-static tests/fiber.c tests/mutex.c tests/racefuzzer_figures.c \
        tests/memory_objects.c tests/memory_accesses.c examples/bank
    all "qemu-aarch64-static -E RF_JOBS=0" examples/pipeline # a child translates all code anew
done
summary

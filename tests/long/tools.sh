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

# ends_well THING LABEL COMPILER FLAGS WRAPPER
ends_well() {
    for tool in "$3" ${5%% *}; do command -v "$tool" >/dev/null || skip "no $tool"; done
    program=$work/$(basename "$1" .c)-$2
    # shellcheck disable=SC2046,SC2086 # lists
    $3 -std=c11 -g -I. -Isrc $4 $(sources "$1") -o "$program" -pthread
    $5 "$program"
}

# all LABEL COMPILER FLAGS WRAPPER THING...
all() {
    label=$1 cc=$2 flags=$3 wrapper=$4
    shift 4
    for thing; do try ends_well "$thing" "$label" "$cc" "$flags" "$wrapper"; done
}

san="-O0 -fsanitize=address,undefined -fno-sanitize-recover=undefined"
for cc in gcc clang; do
    all "asan_$cc" $cc "$san" "" tests/fiber.c tests/detect.c tests/mutex.c tests/cond.c \
        tests/memory_alone.c tests/memory_atomics.c tests/memory_edges.c \
        tests/memory_objects.c tests/memory_accesses.c \
        examples/bank examples/workqueue examples/pipeline
    all "asan_$cc" $cc "$san" "env ASAN_OPTIONS=detect_leaks=0" tests/heap.c # it leaks on purpose
    all "asan_threads_$cc" $cc "$san" "env RF_BACKEND=threads" examples/bank
    all "tsan_$cc" $cc "-O0 -fsanitize=thread" "" tests/fiber.c tests/cond.c examples/bank
done
all asan_parsers gcc "$san" "" tests/options.c tests/tokens.c tests/report.c tests/report_parts.c

check="valgrind -q --error-exitcode=9 --track-origins=no"
all valgrind gcc "-O1" "$check" tests/detect.c tests/tokens.c examples/bank
leaks="--leak-check=full --show-leak-kinds=all --errors-for-leak-kinds=all"
all valgrind gcc "-O1" "$check $leaks" tests/memory_alone.c

for o in -O0 -O2; do
    all "aarch64$o" aarch64-linux-gnu-gcc "$o -static" qemu-aarch64-static tests/fiber.c \
        tests/mutex.c tests/racefuzzer_figures.c tests/memory_objects.c tests/memory_accesses.c \
        examples/bank examples/pipeline
done
summary

#!/bin/sh
# tests/long/tools.sh: the engine under sanitizers and valgrind, and on aarch64.
#
# Programs that make check runs natively are built once more: with AddressSanitizer and
# UndefinedBehaviorSanitizer, with ThreadSanitizer, for aarch64 (run by qemu), and run under
# valgrind.  A report of a tool, or another ending than the native one, is a failure.
set -u
BUILD=${BUILD:-build}/tools
mkdir -p "$BUILD"
passed=0 failed=0 skipped=0

say() { # STATUS NAME LOG
    if [ "$1" -eq 0 ]; then
        echo "ok $2"
        passed=$((passed + 1))
    else
        echo "not ok $2"
        tail -n 30 "$3"
        failed=$((failed + 1))
    fi
}

skip() {
    echo "ok $1 # SKIP $2"
    skipped=$((skipped + 1))
}

sources() { # of a test or an example
    case $1 in
    tests/*) echo "$1" ;;
    *) for file in "$1"/*.c; do
           case $file in *_fixed.c) ;; *) echo "$file" ;; esac
       done ;;
    esac
}

# try LABEL COMPILER FLAGS WRAPPER THING...
try() {
    label=$1 cc=$2 flags=$3 wrapper=$4
    shift 4
    for thing; do
        name=$(basename "$thing" .c)
        program=$BUILD/$name-$label
        # shellcheck disable=SC2046,SC2086 # lists
        $cc -std=c11 -g -I. -Isrc $flags $(sources "$thing") -o "$program" -pthread \
            >"$program.log" 2>&1 && $wrapper "$program" >>"$program.log" 2>&1
        say $? "${name}_$label" "$program.log"
    done
}

san="-O0 -fsanitize=address,undefined -fno-sanitize-recover=undefined"
for cc in gcc clang; do
    command -v $cc >/dev/null || continue
    try "asan_$cc" $cc "$san" "" tests/fiber.c tests/detect.c tests/mutex.c tests/cond.c \
        tests/memory_alone.c tests/memory_atomics.c tests/memory_edges.c \
        tests/memory_objects.c tests/memory_accesses.c \
        examples/bank examples/workqueue examples/pipeline
    try "asan_$cc" $cc "$san" "env ASAN_OPTIONS=detect_leaks=0" tests/heap.c # it leaks on purpose
    try "asan_threads_$cc" $cc "$san" "env RF_BACKEND=threads" examples/bank
    try "tsan_$cc" $cc "-O0 -fsanitize=thread" "" tests/fiber.c tests/cond.c examples/bank
done
try asan_parsers gcc "$san" "" tests/options.c tests/tokens.c tests/report.c tests/report_parts.c

if command -v valgrind >/dev/null; then
    check="valgrind -q --error-exitcode=9 --track-origins=no"
    try valgrind gcc "-O1" "$check" tests/detect.c tests/tokens.c examples/bank
    leaks="--leak-check=full --show-leak-kinds=all --errors-for-leak-kinds=all"
    try valgrind gcc "-O1" "$check $leaks" tests/memory_alone.c
else
    skip valgrind "valgrind is missing (Debian: apt-get install valgrind)"
fi

if command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64-static >/dev/null; then
    for o in -O0 -O2; do
        try "aarch64$o" aarch64-linux-gnu-gcc "$o -static" qemu-aarch64-static tests/fiber.c \
            tests/mutex.c tests/racefuzzer_figures.c tests/memory_objects.c tests/memory_accesses.c \
            examples/bank examples/pipeline
    done
else
    skip aarch64 "missing (Debian: gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static)"
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]

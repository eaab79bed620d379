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

# Tests that look into the engine share one, and its header compiled, as in the Makefile.
# engine LABEL COMPILER FLAGS ENGINE_FLAGS
engine() {
    label=$1 made="$2 -std=c11 -g -I. -Isrc $3 -pthread"
    mkdir -p "$BUILD/$label"
    $made ${4:-} -fno-ipa-ra -DRFI_VISIBLE=1 -DRF_IMPLEMENTATION -x c -c racefuzz.h \
        -o "$BUILD/$label/engine.o" >"$BUILD/$label/engine.log" 2>&1 ||
        $made ${4:-} -DRFI_VISIBLE=1 -DRF_IMPLEMENTATION -x c -c racefuzz.h -o "$BUILD/$label/engine.o" &&
        $made -w $view -x c-header racefuzz.h -o "$BUILD/$label/racefuzz.h.gch"
}

# try WRAPPER THING...: each built with the engine that was made last
try() {
    wrapper=$1
    shift
    for thing; do
        name=$(basename "$thing" .c)
        program=$BUILD/$label/$name
        case $thing in
        tests/*) how="$view -include $BUILD/$label/racefuzz.h" ;;
        *) how=-DRFI_LINKED ;;
        esac
        # shellcheck disable=SC2046,SC2086 # lists
        $made $how $(sources "$thing") "$BUILD/$label/engine.o" -Wl,-z,muldefs -o "$program" \
            >"$program.log" 2>&1 && $wrapper "$program" >>"$program.log" 2>&1
        say $? "${name}_$label" "$program.log"
    done
}

export ASAN_OPTIONS=detect_odr_violation=0 # a test brings some of the engine again
view="-DRFI_VISIBLE=2 -DRF_IMPLEMENTATION= -isystem ."
san="-fsanitize=address,undefined -fno-sanitize-recover=undefined"
for cc in gcc clang; do
    command -v $cc >/dev/null || continue
    engine "asan_$cc" $cc "-O0 $san"
    try "" tests/fiber.c tests/detect.c tests/mutex.c tests/cond.c tests/memory_alone.c \
        tests/memory_engine.c tests/memory_objects.c examples/bank examples/workqueue \
        examples/pipeline
    try "env RF_BACKEND=threads" examples/bank
    try "env ASAN_OPTIONS=detect_leaks=0:$ASAN_OPTIONS" tests/heap.c # it leaks on purpose
    [ $cc = clang ] || try "" tests/options.c tests/tokens.c tests/report.c tests/report_parts.c
    engine "tsan_$cc" $cc "-O0 -fsanitize=thread"
    try "" tests/fiber.c tests/cond.c examples/bank
done

if command -v valgrind >/dev/null; then
    check="valgrind -q --error-exitcode=9 --track-origins=no"
    engine valgrind gcc -O0 -O1
    try "$check" tests/detect.c tests/tokens.c examples/bank
    try "$check --leak-check=full --show-leak-kinds=all --errors-for-leak-kinds=all" \
        tests/memory_alone.c
else
    skip valgrind "valgrind is missing (Debian: apt-get install valgrind)"
fi

if command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64-static >/dev/null; then
    for o in -O0 -O2; do
        engine "aarch64$o" aarch64-linux-gnu-gcc "-O0 -static" $o
        try qemu-aarch64-static tests/fiber.c tests/mutex.c tests/racefuzzer_figures.c \
            tests/memory_objects.c examples/bank examples/pipeline
    done
else
    skip aarch64 "missing (Debian: gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static)"
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]

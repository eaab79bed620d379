#!/bin/sh
# The memory model against the oracle on 1,000 random litmus programs, and 10,000 executions of each
# lock that must not hang; with NIGHTLY=1 ten times as many, and 1,000 of the SEED of the night.
name=long_memory
. tests/try.sh
count=1000
[ -z "${NIGHTLY:-}" ] || count=10000

# counted PROGRAM ARGUMENT...: what it says of itself counts.
counted() {
    program=$1
    shift
    "$BUILD/tests/$program" "$@" >"$work/log" 2>&1 || :
    cat "$work/log"
    counts=$(tail -n 1 "$work/log" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
    [ -n "$counts" ] || { echo "not ok ${program}_ended_early"; counts="0 1"; }
    passed=$((passed + ${counts% *})) failed=$((failed + ${counts#* }))
}

counted memory_fuzz $count 1001 300000
counted memory_waits $((10 * count))
[ -z "${NIGHTLY:-}" ] || counted memory_fuzz 1000 "${SEED:-1002}" 300000
summary

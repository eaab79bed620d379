#!/bin/sh
# The memory model against the oracle on 1,000 random litmus programs; with NIGHTLY=1 on 10,000, and
# on 1,000 of the SEED of the night.
# Run from the top of the tree, with BUILD set, after `make programs`.
name=long_memory
. tests/try.sh
count=1000
[ -z "${NIGHTLY:-}" ] || count=10000

# fuzz COUNT SEED EXECUTIONS: what it says of itself counts.
fuzz() {
    "$BUILD/tests/memory_fuzz" "$@" >"$work/log" 2>&1 || :
    cat "$work/log"
    counts=$(tail -n 1 "$work/log" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
    [ -n "$counts" ] || { echo "not ok fuzzer_ended_early"; counts="0 1"; }
    passed=$((passed + ${counts% *})) failed=$((failed + ${counts#* }))
}

fuzz $count 1001 300000
[ -z "${NIGHTLY:-}" ] || fuzz 1000 "${SEED:-1002}" 300000
summary

#!/bin/sh
# The memory model against the oracle on 10,000 random litmus programs, in two processes; then
# 100,000 executions of each lock that must not hang.
# Run from the top of the tree, with BUILD set, after `make programs`.
set -u
fuzz=${BUILD:-build}/tests/memory_fuzz
work=${BUILD:-build}/long-memory
mkdir -p "$work"
"$fuzz" 5000 1001 300000 >"$work/1" 2>&1 &
first=$!
status=0
"$fuzz" 5000 1002 300000 >"$work/2" 2>&1 || status=1
wait "$first" || status=1
"${BUILD:-build}/tests/memory_waits" 100000 >"$work/3" 2>&1 || status=1
passed=0 failed=0
for log in "$work/1" "$work/2" "$work/3"; do
    cat "$log"
    counts=$(tail -n 1 "$log" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
    [ -n "$counts" ] || { echo "not ok fuzzer_ended_early"; counts="0 1"; }
    passed=$((passed + ${counts% *})) failed=$((failed + ${counts#* }))
done
rm -rf "$work"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$status" -eq 0 ]

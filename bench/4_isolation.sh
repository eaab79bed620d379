#!/bin/sh
# bench/4_isolation.sh: what a process for every execution costs, and what a crash costs.
set -eu
. bench/lib.sh
build isolation
printf '\n%-34s %14s\n' "an empty execution" "microseconds"
for test in isolated crashes; do
    "$BUILD/bench/isolation" "$test" --executions=2000 --seconds=none |
        awk '$1 == "PASS" { printf "%-34s %14.1f\n", $2, $6 / $3 * 1e6 }'
done

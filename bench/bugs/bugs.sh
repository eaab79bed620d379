#!/bin/sh
# bench/bugs/bugs.sh: known hard bugs: executions of each strategy until the first that shows them.
#
#     make bench-bugs [PROGRAMS="wsq stack"] [STRATEGIES=pct:5,pos] [SEEDS=20] [LIMIT=10000] [CAP=5]
#     make bench-bugs PROGRAMS=safestack
#     make bench-bugs RATES=1
#
# CAP: seconds for each program, strategy and seed.  Without PROGRAMS all but safestack, which has a
# limit of 5,000,000 executions and 60 seconds of its own.  RATES: executions per second instead.
set -eu
. bench/lib.sh
out=$BUILD/bench/bugs
rm -rf "$out"
mkdir -p "$out"
$CC -std=c11 -O2 -g -I. -o "$out/bugs" bench/bugs/*.c -pthread
: "${PROGRAMS:=$("$out/bugs" list | grep -v '^safestack$')}"
export SEEDS="${SEEDS:-}" LIMIT="${LIMIT:-}" CAP="${CAP:-}" STRATEGIES="${STRATEGIES:-}"
if [ "${RATES:-}" ]; then
    for program in $PROGRAMS; do "$out/bugs" rates "$program"; done
    exit
fi
# shellcheck disable=SC2086
printf '%s\n' $PROGRAMS |
    xargs -P "$(getconf _NPROCESSORS_ONLN)" -I '{}' sh -c "'$out/bugs' hunt '{}' >'$out/{}.rows'"
for program in $PROGRAMS; do cat "$out/$program.rows"; done >"$out/rows"
"$out/bugs" table <"$out/rows"
echo "One line each in $out/rows: program, strategy, seeds, found, mean, median, steps, rate, cut."

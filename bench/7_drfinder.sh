#!/bin/sh
# bench/7_drfinder.sh: DrFinder's evaluation (Cai and Cao, ESEC/FSE 2015, section 6) on C programs
# with the lock orders of its benchmarks, the paper's figures in brackets.
#
# FT: threads in turn, as on a machine without a plan; CT: delay, as ConTest; DR: drfinder.
# FastTrack watches all of them.  A race is a variable, as in the paper; always the same seeds.
# The programs are generated from the paper's tables: agreement shows the algorithm, not its worth
# (bench/drfinder/real.sh has programs of others).  Times are CPU time.  STRATEGIES says who stands
# for whom.
set -eu
. bench/lib.sh
: "${STRATEGIES:=FT:turns CT:delay PCT:pct:3 DR:drfinder}"
out=$BUILD/bench/drfinder
programs="xalan06 eclipse06 xalan09 pmd09 sunflow09 luindex09 lusearch09"
depths="2 4 6 8 10 12 14 16 18 20"
mkdir -p "$out"

# compile PROGRAM OUTPUT FLAGS...
compile() {
    kernel=$out/$1.c output=$2
    shift 2
    $CC -std=c11 -O1 -g -I. -DKERNEL="\"$kernel\"" "$@" -o "$output" \
        bench/drfinder/measure.c -pthread
}

# measure PROGRAM WHO STRATEGY RUNS: what it says, behind program and who
measure() {
    if "$out/$1" "$3" "$4" >"$out/said"; then
        sed "s/^/$1 $2 /" "$out/said"
    elif [ $? -ne 77 ]; then
        echo "$1 fails under $3" >&2
        exit 1
    fi
}

: >"$out/measured"
for p in $programs; do
    sh bench/drfinder/generate.sh "$p" >"$out/$p.c"
    compile "$p" "$out/$p"
    compile "$p" "$out/$p.native" -DRF_OFF
    {
        "$out/$p.native" | sed "s/^/$p native /"
        for s in $STRATEGIES; do measure "$p" "${s%%:*}" "${s#*:}" 100; done
        for d in $depths; do measure "$p" "DR$d" "drfinder:$d" 10; done
    } >>"$out/measured"
done

awk -f bench/drfinder/tables.awk "$out/measured"

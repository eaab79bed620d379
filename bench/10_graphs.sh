#!/bin/sh
# bench/10_graphs.sh: families of programs under `graphs`: executions as formulas have them, those
# that were begun in vain, seconds; what two workers gain; the rate beside that of `random`.  An
# execution too many or too few ends the script.
set -eu
. bench/lib.sh
build graphs
out=$BUILD/bench/graphs.out

# family NAME N EXECUTIONS FORMULA
family() {
    "$BUILD/bench/graphs" "$1" "$2" --strategy=graphs --executions=10000000 --seconds=none \
        >"$out"
    said=$(sed -n 's/^ *graphs: //p' "$out")
    blocked=$(echo "$said" | sed -n 's/.*(\([0-9]*\) blocked).*/\1/p')
    seconds=$(sed -n 's/^PASS .* in \([0-9.]*\) s.*/\1/p' "$out")
    case $said in
    "all $3 executions explored"*) ;;
    "the one execution explored"*) [ "$3" -eq 1 ] ;;
    *) echo "$1($2): not $3: $said"; exit 1 ;;
    esac
    printf '%-12s %3d %10d %-14s %8d blocked %8s s\n' "$1" "$2" "$3" "$4" "${blocked:-0}" "$seconds"
}

family adders 5 120 'n!'
family adders 7 5040 'n!'
family readers 8 128 '2^(n-1)'
family readers 14 8192 '2^(n-1)'
family buffers 6 64 '2^n'
family buffers 12 4096 '2^n'
family ordered 6 63 '2^n - 1'
family ordered 10 1023 '2^n - 1'
family lastzeros 6 64 '(n+2) 2^(n-3)'
family lastzeros 11 3328 '(n+2) 2^(n-3)'
family comparers 8 8 'n'
family comparers 14 14 'n'
family tickets 4 24 'n!'
family tickets 5 120 'n!'
family locks 5 120 'n!'
family locks 6 720 'n!'
family barriers 5 120 'n!'
family onces 8 8 'n'

# The same search with two workers: seconds by the clock, so on a machine that does nothing else.
for jobs in 1 2; do
    TIMES=${LONG:-64} "$BUILD/bench/graphs" stacks 3 --strategy=graphs --executions=10000000 \
        --seconds=none --jobs=$jobs >"$out.$jobs"
    sed 's/ in [0-9.]* s.*//' "$out.$jobs" >"$out.said.$jobs"
done
cmp "$out.said.1" "$out.said.2"
sed -n 's/^PASS .* in \([0-9.]*\) s.*/\1/p' "$out.1" "$out.2" | paste -s -d' ' - |
    awk '{ printf "stacks(3): %s s by one worker, %s by two: %.2f of the rate\n", $1, $2, $1 / $2 }'

# Rates, by instructions: executions of `random` for one of `graphs`, of the same program under c11.
have valgrind || exit 0
cost() {
    low=$(instructions "$@" --seconds=none --executions=200)
    high=$(instructions "$@" --seconds=none --executions=1200)
    echo $(((high - low) / 1000))
}

rate() {
    random=$(TIMES=4096 RF_JOBS=0 cost "$BUILD/bench/graphs" "$1" "$2" --strategy=random)
    graphs=$(TIMES=4096 RF_JOBS=0 cost "$BUILD/bench/graphs" "$1" "$2" --strategy=graphs)
    printf '%-12s %3d %10d instructions an execution, random %d: %s of its rate\n' "$1" "$2" \
        "$graphs" "$random" "$(awk "BEGIN { printf \"%.2f\", $random / $graphs }")"
}

rate buffers 2
rate ordered 2
rate messages 2
rate stacks 2
rate locks 3
rate readers 4
rate readers 10

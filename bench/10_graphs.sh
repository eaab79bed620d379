#!/bin/sh
# bench/10_graphs.sh: families of programs (tests/families.h) under `graphs`: executions, as
# formulas and others have them, those that were begun in vain, seconds; what two workers gain; the
# rate beside that of `random`.  An execution too many or too few ends the script.  RATES=no:
# families only.
#
# Published: what GenMC's own tests expect of the program of that name, where they have one of that
# size (its repository, tests/correct, expected.*.in).
set -eu
. bench/lib.sh
build graphs
out=$BUILD/bench/graphs.out
row='%-12s %3s %10s  %-28s %8s %8s  %s\n'

run() { "$BUILD/bench/graphs" "$@" --strategy=graphs --executions=10000000 --seconds=none; }

# family NAME N EXECUTIONS FORMULA [PUBLISHED [OPTION]]
family() {
    run "$1" "$2" ${6:-} >"$out"
    said=$(sed -n 's/^ *graphs: //p' "$out")
    blocked=$(echo "$said" | sed -n 's/.*(\([0-9]*\) blocked).*/\1/p')
    seconds=$(sed -n 's/^PASS .* in \([0-9.]*\) s.*/\1/p' "$out")
    case $said in
    "all $3 executions explored"*) ;;
    "the one execution explored"*) [ "$3" -eq 1 ] ;;
    *) echo "$1($2): not $3: $said"; exit 1 ;;
    esac
    # shellcheck disable=SC2059 # the columns
    printf "$row" "$1" "$2" "$3" "$4" "${blocked:-0}" "$seconds" "${5:-}"
}

# shellcheck disable=SC2059
printf "$row" family n executions '' blocked seconds published
family adders 5 120 'n!' 'ainc 120'
family adders 7 5040 'n!' 'ainc 5040'
family writers 6 720 'n!' 'N-writers 720'
family readers 9 256 '2^(n-1)' 'readers 256'
family readers 14 8192 '2^(n-1)' 'readers 8192'
family buffers 6 64 '2^n'
family buffers 12 4096 '2^n'
family ordered 6 63 '2^n - 1'
family ordered 10 1023 '2^n - 1'
family chains 6 63 '2^n - 1'
family chains 12 4095 '2^n - 1'
family lastzeros 6 64 '(n+2) 2^(n-3)' 'lastzero 64'
family lastzeros 11 3328 '(n+2) 2^(n-3)' 'lastzero 3328'
family lastzeros 16 147456 '(n+2) 2^(n-3)' 'lastzero 147456'
family indexers 12 8 '8^(n-11)' 'indexer 8'
family indexers 15 4096 '8^(n-11)' 'indexer 4096'
family fibonaccis 4 44100 '(n+1) C(2n,n) C(2n+2,n+1)/2'
family fibonaccis 4 19605 'under sc' '' --memory=sc
family fibonaccis 5 218243 'under sc' 'fib_bench 218243' --memory=sc
family comparers 8 8 'n'
family comparers 14 14 'n'
family rotations 8 2048 '1 + sum of (k-1) k^(n-k)' 'casrot 2048'
family rotations 9 8597 '1 + sum of (k-1) k^(n-k)' 'casrot 8597'
family claimers 4 1200 '' 'casw 1200'
family claimers 5 32880 '' 'casw 32880'
family tickets 3 6 'n!'
family tickets 5 120 'n!'
family lines 2 6 'n! s(n)' 'mcs_spinlock 6'
family lines 3 66 'n! s(n)'
family lines 5 23640 'n! s(n)'
family followers 3 6 'n!'
family followers 5 120 'n!'
family locks 5 120 'n!'
family locks 6 720 'n!'
family sections 6 924 'C(2n,n)'
family sections 8 12870 'C(2n,n)'
family gatherings 2 2 'n!' 'barrier 2'
family gatherings 5 120 'n!'
family barriers 5 120 'n!'
family onces 8 8 'n'
family stacks 2 36 ''
family stacks 3 18192 ''
family queues 2 86 ''
family queues 3 376374 ''
family deques 2 59 '' 'chase-lev 59' --memory=sc
family deques 2 59 ''
family deques 3 3175 ''
family seqlocks 3 324 '18^(n-1)'
family seqlocks 4 5832 '18^(n-1)'
family copies 4 27 '3^(n-1)'
family copies 8 2187 '3^(n-1)'
echo 's(n): the little Schroeder numbers, 1, 3, 11, 45, 197'
# This one fails: executions to the first failure.
for n in 1 3 6; do
    run exponential $n --shrink=0 --format=tap >"$out" || [ $? -eq 1 ]
    printf 'exponential %3d fails in execution %s\n' $n "$(sed -n 's/^ *first_failure: //p' "$out")"
done

[ "${RATES:-}" != no ] || exit 0
# The same search with two workers: seconds by the clock, some twenty by one, in pairs by turns,
# since the machine may have other work.  A median below 1.8 ends the script.
pair() {
    for jobs in 1 2; do
        TIMES=${LONG:-16} run stacks 3 --jobs=$jobs >"$out.$jobs"
        sed 's/ in [0-9.]* s.*//' "$out.$jobs" >"$out.said.$jobs"
    done
    cmp "$out.said.1" "$out.said.2"
    sed -n 's/^PASS .* in \([0-9.]*\) s.*/\1/p' "$out.1" "$out.2" | paste -s -d' ' - |
        awk '{ printf "%.2f %s %s\n", $1 / $2, $1, $2 }'
}

for i in 1 2 3 4 5; do pair; done | sort -n | tee "$out.pairs" |
    awk '{ printf "stacks(3): %s s by one worker, %s by two: %s of the rate\n", $2, $3, $1 }'
sed -n 3p "$out.pairs" | awk '{ exit $1 < 1.8 }'

# Rates, by instructions: executions of `random` for one of `graphs`, of the same program under c11.
# Less than half of its rate ends the script.
have valgrind || exit 0
cost() {
    low=$(instructions "$@" --seconds=none --executions=200)
    high=$(instructions "$@" --seconds=none --executions=1200)
    echo $(((high - low) / 1000))
}

rate() { # FAMILY N
    random=$(TIMES=4096 RF_JOBS=0 cost "$BUILD/bench/graphs" "$1" "$2" --strategy=random)
    graphs=$(TIMES=4096 RF_JOBS=0 cost "$BUILD/bench/graphs" "$1" "$2" --strategy=graphs)
    printf '%-12s %3d %10d instructions an execution, random %d: %s of its rate\n' "$1" "$2" \
        "$graphs" "$random" "$(awk "BEGIN { printf \"%.2f\", $random / $graphs }")"
    [ $((random * 2)) -ge "$graphs" ] || exit 1
}

rate buffers 2
rate ordered 2
rate messages 2
rate stacks 2
rate locks 3
rate sections 16
rate readers 4
rate readers 10
rate deques 3

# What an event costs does not grow with those before it: sixteen critical sections of a thread may
# cost what four times four do.
grows() {
    low=$(TIMES=4096 RF_JOBS=0 cost "$BUILD/bench/graphs" sections 4 --strategy="$1")
    high=$(TIMES=4096 RF_JOBS=0 cost "$BUILD/bench/graphs" sections 16 --strategy="$1")
    printf '%-12s %10d instructions an execution of 2 times 4 sections, %d of 2 times 16\n' "$1" \
        "$low" "$high"
    [ "$high" -le $((low * 4)) ] || exit 1
}

grows graphs
grows dpor

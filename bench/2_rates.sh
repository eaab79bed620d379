#!/bin/sh
# bench/2_rates.sh: executions per CPU-second with the random scheduler, no detectors, atomics under
# c11 with histories of 32 stores, beside Relacy's figures, which keeps 3 (measured on a 2-vCPU
# machine of 2.5 GHz, noisy to about 1.7x; compare orders of magnitude, not digits).
set -eu
. bench/lib.sh
build speed
printf '\n%-34s %14s %14s %9s\n' "executions per CPU-second" racefuzz Relacy "ratio"
row() { # PROGRAM COUNT RELACY LABEL
    rate=$("$BUILD/bench/speed" "$1" fine "$2" | awk '{ print $3 }')
    awk -v l="$4" -v r="$rate" -v p="$3" \
        'BEGIN { printf "%-34s %14d %14d %8.1fx\n", l, r, p, r / p }'
}
row empty 2000000 6700000 "empty, 2 threads"
row store_buffering 1000000 1500000 "store buffering, 4 atomics"
row peterson 500000 825000 "Peterson, 2 x 1"
row mutex_counter 300000 218000 "mutex counter, 2 x 10"
row treiber 60000 59000 "Treiber stack, 3 x 6"

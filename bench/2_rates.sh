#!/bin/sh
# bench/2_rates.sh: executions per CPU-second with the random scheduler, no detectors, atomics under
# c11 with histories of 32 stores.
set -eu
. bench/lib.sh
build speed
printf '\n%-34s %14s\n' "executions per CPU-second" racefuzz
row() { # PROGRAM COUNT LABEL
    printf '%-34s %14.0f\n' "$3" "$("$BUILD/bench/speed" "$1" fine "$2" | awk '{ print $3 }')"
}
row empty 2000000 "empty, 2 threads"
row store_buffering 1000000 "store buffering, 4 atomics"
row peterson 500000 "Peterson, 2 x 1"
row mutex_counter 300000 "mutex counter, 2 x 10"
row treiber 60000 "Treiber stack, 3 x 6"

#!/bin/sh
# bench/3_examples.sh: the whole campaign of each example, with the engine and compiled out, by
# hyperfine.
set -eu
. bench/lib.sh
if ! have hyperfine; then
    echo "whole programs: hyperfine is missing (Debian: apt-get install hyperfine)"
    exit 0
fi
for name in bank cache collections workqueue pipeline; do
    sources=
    for file in examples/$name/*.c; do
        case $file in
        *_fixed.c) ;;
        *) sources="$sources $file" ;;
        esac
    done
    # shellcheck disable=SC2086 # a list
    $CC -std=c11 -O2 -I. -o "$BUILD/bench/$name" $sources -pthread
    # shellcheck disable=SC2086
    $CC -std=c11 -O2 -I. -DRF_OFF -o "$BUILD/bench/${name}_off" $sources -pthread
    hyperfine --ignore-failure --shell=none --warmup 2 --style basic \
        --export-csv "$BUILD/bench/times.csv" "$BUILD/bench/$name" "$BUILD/bench/${name}_off" \
        >/dev/null 2>&1
    awk -F, -v name="$name" '
        NR == 2 { on = $2 * 1000 }
        NR == 3 { off = $2 * 1000 }
        END { printf "%-14s campaign %8.1f ms   compiled out %6.1f ms\n", name, on, off }
    ' "$BUILD/bench/times.csv"
done

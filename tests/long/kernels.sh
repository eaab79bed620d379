#!/bin/sh
# Each kernel of the papers' benchmarks as the program that it is, with its own main and the default
# budget: with its mistake it finds what it expects, without it nothing.
set -u
CC=${CC:-cc}
work=${BUILD:-build}/long_kernels
mkdir -p "$work"
passed=0 failed=0

$CC -std=c11 -Og -g -I. -DRF_IMPLEMENTATION -x c -c -o "$work/racefuzz.o" racefuzz.h || exit 1

# try NAME KERNEL FLAGS...
try() {
    program=$work/$1 kernel=$2
    shift 2
    if $CC -std=c11 -Og -g -I. "$@" -o "$program" "tests/paper/$kernel.c" "$work/racefuzz.o" \
        -pthread && "$program" --seconds=none >"$program.log" 2>&1; then
        passed=$((passed + 1)) && echo "ok ${program##*/}"
    else
        failed=$((failed + 1)) && echo "not ok ${program##*/}"
        cat "$program.log"
    fi
}

for file in tests/paper/*.c; do
    kernel=$(basename "$file" .c)
    try "$kernel" "$kernel" -UFIXED
    try "${kernel}_fixed" "$kernel" -DFIXED
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

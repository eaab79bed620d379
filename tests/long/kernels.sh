#!/bin/sh
# Each kernel of the papers' benchmarks as the program that it is, with its own main: with its
# mistake it finds what it expects, without it nothing; with NIGHTLY=1 with the default budget.
name=long_kernels
. tests/try.sh
[ "${NIGHTLY:-}" ] || export RF_EXECUTIONS=200

# ends_well KERNEL FLAG: what it expects is found, or nothing if it is fixed
ends_well() {
    $CC -std=c11 -Og -g -I. "$2" -o "$work/$1" "tests/paper/$1.c" "$library" -pthread
    "$work/$1" --seconds=none
}

for file in tests/paper/*.c; do
    try ends_well "$(basename "$file" .c)" -UFIXED
    try ends_well "$(basename "$file" .c)" -DFIXED
done
summary

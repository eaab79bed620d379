#!/bin/sh
# The same token gives the same event sequence, over 100,000 tokens: with gcc and clang, on fibers
# and on real threads, with the portable switch, under AddressSanitizer, and on another machine
# (aarch64, under qemu-user: 20,000 tokens).
# Run from the top of the tree, with CC and BUILD set.
name=long_determinism
. tests/try.sh
. tests/determinism/compare.sh
tokens=100000

# agrees COMPILER FLAGS...: a program built like that prints what the first one has printed.
agrees() {
    command -v "$1" >/dev/null || skip "no $1"
    "$@" -std=c11 -pthread -I. tests/determinism/print.c -o "$work/other"
    "$work/other" "$tokens" >"$work/other.out"
    same first other.out
    rm -f "$work/other" "$work/other.out"
}

there_are_100000_tokens() { enough 100000 "$work/first"; }
real_threads_agree() {
    RF_BACKEND=threads one_core "$work/print" "$tokens" >"$work/threads"
    same first threads
    rm -f "$work/threads"
}
gcc_agrees() { agrees gcc -O2; }
gcc_O3_agrees() { agrees gcc -O3 -fno-pie -no-pie; }
clang_agrees() { agrees clang -O2; }
clang_O0_agrees() { agrees clang -O0; }
the_portable_switch_agrees() { agrees "$CC" -O2 -DRFI_PORTABLE_SWITCH; }
address_sanitizer_agrees() { agrees "$CC" -O1 -g -fsanitize=address; }

aarch64_agrees() {
    command -v aarch64-linux-gnu-gcc >/dev/null || skip "no aarch64-linux-gnu-gcc"
    command -v qemu-aarch64-static >/dev/null || skip "no qemu-aarch64-static"
    "$work/print" 20000 >"$work/here"
    aarch64-linux-gnu-gcc -static -O2 -std=c11 -pthread -I. tests/determinism/print.c \
        -o "$work/aarch64"
    qemu-aarch64-static "$work/aarch64" 20000 >"$work/there"
    same here there
}

$CC -O2 -std=c11 -pthread -I. tests/determinism/print.c -o "$work/print"
"$work/print" "$tokens" >"$work/first"

try there_are_100000_tokens
try real_threads_agree
try gcc_agrees
try gcc_O3_agrees
try clang_agrees
try clang_O0_agrees
try the_portable_switch_agrees
try address_sanitizer_agrees
try aarch64_agrees
summary

#!/bin/sh
# The same token gives the same event sequence, over 100,000 tokens with two compilers, on fibers
# and on real threads; over 20,000 of them otherwise optimised, with the portable switch, under
# AddressSanitizer, and on another machine (aarch64, under qemu-user).
# Run from the top of the tree, with CC and BUILD set.
name=long_determinism
. tests/try.sh
. tests/determinism/compare.sh
tokens=100000

# agrees COMPILER FLAGS...: a program built like that prints what the first one has printed; the
# few, unless $on says otherwise, run by $run.
on=few run=
agrees() {
    command -v "$1" >/dev/null || skip "no $1"
    "$@" -std=c11 -pthread -I. tests/determinism/print.c -o "$work/other"
    $run "$work/other" "$(count $on)" >"$work/other.out"
    same $on other.out
    rm -f "$work/other" "$work/other.out"
}
count() { if [ "$1" = few ]; then echo 20000; else echo "$tokens"; fi; }

there_are_100000_tokens() { enough 100000 "$work/first"; }
real_threads_agree() {
    RF_BACKEND=threads one_core "$work/print" "$tokens" >"$work/threads"
    same first threads
    rm -f "$work/threads"
}
gcc_agrees() { agrees gcc -O2; }
gcc_O3_agrees() { agrees gcc -O3 -fno-pie -no-pie; }
clang_agrees() { on=first; agrees clang -O2; }
clang_O0_agrees() { agrees clang -O0; }
the_portable_switch_agrees() { agrees "$CC" -O2 -DRFI_PORTABLE_SWITCH; }
address_sanitizer_agrees() { agrees "$CC" -O1 -g -fsanitize=address; }

aarch64_agrees() {
    run=qemu-aarch64-static
    command -v $run >/dev/null || skip "no $run"
    agrees aarch64-linux-gnu-gcc -static -O2
}

$CC -O2 -std=c11 -pthread -I. tests/determinism/print.c -o "$work/print"
"$work/print" "$tokens" >"$work/first"
"$work/print" "$(count few)" >"$work/few"

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

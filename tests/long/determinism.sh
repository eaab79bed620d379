#!/bin/sh
# The same token gives the same event sequence, over 10,000 tokens: however the engine was
# optimised, by another compiler, on fibers and on real threads, with the portable switch, under
# AddressSanitizer, and on another machine (aarch64, under qemu-user).  With NIGHTLY=1 over 100,000,
# and as the one unit that users compile.
# Run from the top of the tree, with CC and BUILD set, after `make programs`.
name=long_determinism
. tests/tools/programs.sh
. tests/determinism/compare.sh
tokens=10000
[ -z "${NIGHTLY:-}" ] || tokens=100000

# agrees WRAPPER COMPILER FLAGS ENGINE_FLAGS: an engine like that does what the first one did.
agrees() {
    wrapper=$1
    shift
    for tool in "$1" $wrapper; do command -v "$tool" >/dev/null || skip "no $tool"; done
    flavour "$@"
    # shellcheck disable=SC2086 # lists
    $made $view -w -include "$work/view/racefuzz.h" tests/determinism/print.c "$engine" \
        -Wl,-z,muldefs -o "$work/other"
    $wrapper "$work/other" "$tokens" >"$work/other.out"
    same first other.out
}

# one_unit COMPILER FLAGS...
one_unit() {
    command -v "$1" >/dev/null || skip "no $1"
    "$@" -std=c11 -pthread -I. tests/determinism/print.c -o "$work/other"
    "$work/other" "$tokens" >"$work/other.out"
    same first other.out
}

there_are_enough_tokens() { enough $tokens "$work/first"; }
real_threads_agree() {
    RF_BACKEND=threads one_core "$work/print" "$tokens" >"$work/threads"
    same first threads
    rm -f "$work/threads"
}
gcc_O3_agrees() { agrees "" gcc "-O0 -fno-pie -no-pie" "-O3 $replaceable"; }
clang_agrees() { agrees "" clang -O0 -O2; }
the_portable_switch_agrees() { agrees "" "$CC" "-O0 -DRFI_PORTABLE_SWITCH"; }
address_sanitizer_agrees() {
    agrees "" gcc "-O0 -fsanitize=address,undefined -fno-sanitize-recover=undefined"
}
aarch64_agrees() {
    agrees qemu-aarch64-static aarch64-linux-gnu-gcc "-O0 -static" "-O1 $replaceable"
}

$CC -O0 -g -std=c11 -pthread -I. -w $view -include "$BUILD/view/racefuzz.h" \
    tests/determinism/print.c "$library" -Wl,-z,muldefs -o "$work/print" || exit 1
"$work/print" "$tokens" >"$work/first"

try there_are_enough_tokens
try real_threads_agree
[ -z "${NIGHTLY:-}" ] || try gcc_O3_agrees
try clang_agrees
try the_portable_switch_agrees
try address_sanitizer_agrees
try aarch64_agrees
if [ "${NIGHTLY:-}" ]; then
    try one_unit gcc -O2
    try one_unit gcc -O3 -fno-pie -no-pie
    try one_unit clang -O2
    try one_unit clang -O0
fi
summary

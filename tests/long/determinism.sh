#!/bin/sh
# The same token gives the same event sequence, over 10,000 tokens: however the engine was
# optimised, by another compiler, on fibers and on real threads; over 1,000 on another machine
# (aarch64, under qemu-user).  With NIGHTLY=1 all of them over 100,000, with the portable switch,
# under AddressSanitizer, and as the one unit that users compile.
name=long_determinism
. tests/tools/programs.sh
. tests/determinism/compare.sh
tokens=10000 few=1000 level=-O0
[ -z "${NIGHTLY:-}" ] || tokens=100000 few=100000 level=-O2

# agrees TOKENS WRAPPER COMPILER FLAGS ENGINE_FLAGS: an engine like that does what the first did.
agrees() {
    n=$1 wrapper=$2
    shift 2
    for tool in "$1" $wrapper; do command -v "$tool" >/dev/null || skip "no $tool"; done
    flavour "$@"
    $made $view -w -include "$work/view/racefuzz.h" tests/determinism/print.c "$engine" \
        -Wl,-z,muldefs -o "$work/other"
    $wrapper "$work/other" "$n" >"$work/other.out"
    same "first.$n" other.out
}

# one_unit COMPILER FLAGS...
one_unit() {
    command -v "$1" >/dev/null || skip "no $1"
    "$@" -std=c11 -pthread -I. tests/determinism/print.c -o "$work/other"
    "$work/other" "$tokens" >"$work/other.out"
    same "first.$tokens" other.out
}

there_are_enough_tokens() { enough $tokens "$work/first.$tokens"; }
real_threads_agree() {
    RF_BACKEND=threads one_core "$work/print" "$tokens" >"$work/threads"
    same "first.$tokens" threads
    rm -f "$work/threads"
}
gcc_O3_agrees() { agrees "$tokens" "" gcc "-O0 -fno-pie -no-pie" "-O3 $replaceable"; }
clang_agrees() { agrees "$tokens" "" clang -O0 $level; }
the_portable_switch_agrees() { agrees $few "" "$CC" "-O0 -DRFI_PORTABLE_SWITCH"; }
address_sanitizer_agrees() { agrees $few "" gcc "-O0 $san"; }
aarch64_agrees() {
    agrees $few qemu-aarch64-static aarch64-linux-gnu-gcc "-O0 -static" "-O1 $replaceable"
}

$CC -O0 -g -std=c11 -pthread -I. -w $view -include "$BUILD/view/racefuzz.h" \
    tests/determinism/print.c "$library" -Wl,-z,muldefs -o "$work/print" || exit 1
for n in $few $tokens; do "$work/print" "$n" >"$work/first.$n"; done

try there_are_enough_tokens
try real_threads_agree
[ -z "${NIGHTLY:-}" ] || try gcc_O3_agrees
try clang_agrees
try aarch64_agrees
if [ "${NIGHTLY:-}" ]; then
    try the_portable_switch_agrees
    try address_sanitizer_agrees
    try one_unit gcc -O2
    try one_unit gcc -O3 -fno-pie -no-pie
    try one_unit clang -O2
    try one_unit clang -O0
fi
summary

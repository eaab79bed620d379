#!/bin/sh
# The same token gives the same event sequence, with the same old values read, on both back ends, in
# any address space: over 1,000 tokens, on programs that use every macro of the public face.
# (Compilers, levels of optimisation, machines, 100,000 tokens: tests/long/determinism.sh.)
name=determinism
. tests/try.sh
. tests/determinism/compare.sh

compile() { $CC -std=c11 -pthread -I. "$@"; }

every_macro_is_used_by_the_programs() {
    sed -nE 's/^ *# *define (RF_[A-Z_]*|rf_[a-z_]*)(\(.*)*$/\1/p' \
        src/api/access.h src/api/atomic.h src/api/sync.h src/api/test.h src/api/thread.h |
        grep -v -x -e RF_MAIN -e 'RF_.*_INIT' | sort -u >"$work/macros"
    [ "$(wc -l <"$work/macros")" -gt 80 ]
    while read -r macro; do
        grep -qw "$macro" tests/determinism/programs.h || echo "$macro"
    done <"$work/macros" | nothing
}

the_programs_end_in_many_ways() {
    enough 1000 "$work/fiber"
    for end in none assert indeterminate fail skip invariant deadlock stuck livelock leak \
        use-after-free double-free relock unlock-free join-twice exit-holding; do
        grep -q " $end [0-9a-f]*\$" "$work/fiber" || echo "never: $end"
    done | nothing
}

memory_returns_older_values() {
    enough 200 "$work/third"
    awk '$7 { a++ } $8 { p++ } END { exit !(a > 120 && p > 80) }' "$work/fiber"
}

both_back_ends_agree() { same fiber threads; }
another_address_space_agrees() { same fiber again; }
a_fixed_address_space_agrees() {
    needs setarch
    setarch -R true 2>"$work/refused" || skip "setarch -R is refused"
    setarch -R "$work/print" 1000 >"$work/fixed"
    same fiber fixed
}

make -s BUILD="$BUILD" "$BUILD"/view/racefuzz.h "$BUILD"/view/racefuzz_mem.h >"$work/make" || exit 1
compile -g -O0 -w -DRFI_VISIBLE=2 -DRF_IMPLEMENTATION= -isystem . \
    -include "$BUILD/view/racefuzz.h" tests/determinism/print.c "$library" \
    -Wl,-z,muldefs -o "$work/print" || exit 1
RF_BACKEND=fiber "$work/print" 1000 >"$work/fiber"
grep '^[^ ]*\.adversarial\.' "$work/fiber" >"$work/third"
RF_BACKEND=fiber "$work/print" 1000 >"$work/again"
RF_BACKEND=threads one_core "$work/print" 1000 >"$work/threads"

try_all
summary

#!/bin/sh
# Objects with thread storage duration, and errno, of each logical thread (src/engine/local.h).
# The program that checks them runs with the C library too.
# Run from the top of the tree, with CC and BUILD set; TARGET="FLAGS" and RUN="COMMAND" are for
# tests/long/hook_tls.sh, and QUICK=1, where everything would take minutes.
name=${NAME:-hook_tls}
. tests/try.sh
export RF_SECONDS=none
TARGET=${TARGET:-} RUN=${RUN:-}
hooks="-include racefuzz.h -DRF_HOOK_ALL -DRF_PROGRAM"
compile="$CC $TARGET -std=c11 -g -pthread -I."

if [ "$TARGET" ]; then
    made=$(engine_for $CC $TARGET -DRF_HOOK_ALL -DRF_HOOK_COMPILER -DRF_PROGRAM) || exit
    cp "$made" "$work/engine.o"
else
    engine_by "$CC" compiler "$work/engine.o"
fi
case $TARGET in
*static*) objects=tests/hook/tls_library.c linked= ;;
*) objects= linked="-L$work -ltls -Wl,-rpath,$work"
    $CC $TARGET -shared -fPIC tests/hook/tls_library.c -o "$work/libtls.so" ;;
esac
$compile $hooks tests/hook/tls.c $objects "$work/engine.o" $linked -o "$work/tls"
$compile $hooks -DRF_HOOK_COMPILER -O1 -fsanitize=thread -c tests/hook_compiler/tls.c \
    -o "$work/counts.o"
$CC $TARGET -pthread "$work/counts.o" "$work/engine.o" -o "$work/counts"

run() {
    status=$1 to=$2 program=$3
    shift 3
    gives "$status" "$to" $RUN "$work/$program" "$@"
}

the_c_library_agrees() {
    $compile -Wall -Wextra -Werror tests/hook/tls.c $objects $linked -o "$work/real"
    run 0 real.out real
}

each_thread_has_its_own() {
    run 0 own tls --executions=20 "$@"
    says own "1 passed, 0 failed"
}

they_can_be_shared() {
    run 1 shared tls --executions=5 --thread-local=shared
    says shared "| tests/hook/tls.c:"
}

a_word_too_much() {
    run 2 word tls --thread-local=mine
    says word.err "own"
}

nobody_races_for_his_own() {
    run 0 counts.out counts --executions=40 --seconds=none
    says counts.out "1 passed, 0 failed"
    run 1 counts.out counts --executions=40 --seconds=none --thread-local=shared
}

storage_of_ended_threads_is_new() {
    run 0 many counts --executions=3 -- 300
    says many "1 passed, 0 failed"
}

pointers_to_it_are_seen() {
    run 1 passed counts --executions=40 --seconds=none "$@" -- passed
    says passed "race: real" "counter++ (4 bytes)"
    (cd "$work" && run 1 again counts --seed="$(token passed)" -- passed)
    says again "the two accesses were brought together"
    lacks again "another way"
}

the_same_by_any_number_of_workers() {
    run 1 one counts --executions=30 --seconds=none --jobs=1 -- passed
    run 1 two counts --executions=30 --seconds=none --jobs=2 -- passed
    grep replay: "$work/one" >"$work/one.tokens"
    grep replay: "$work/two" | diff "$work/one.tokens" -
}

# tested FLAGS NAME: tests, by an engine that knows of no hooks
tested() {
    [ -z "$TARGET" ] || skip "the library is not for this machine"
    $compile $1 tests/hook/tls_tested.c "$library" -o "$work/$2"
}

tests_begin_anew() {
    tested "-include racefuzz.h -DRF_HOOK_ALL" hooked
    run 0 hooked.out hooked --filter=threads --executions=100
    lacks hooked.out "keeps state"
    run 0 hooked.out hooked --filter=threads --executions=100 --jobs=0
    run 1 hooked.out hooked --filter=threads --executions=100 --thread-local=shared
    run 1 hooked.out hooked --filter=failures --executions=100
    says hooked.out "in 100 of 100 executions"
    lacks hooked.out "number"
}

tests_without_hooks_share_but_need_not() {
    tested -DRFI_LINKED wrapped
    run 1 wrapped.out wrapped --filter=threads --executions=10
    run 0 wrapped.out wrapped --filter=threads --executions=100 --thread-local=own
}

[ -z "${QUICK:-}" ] || { try each_thread_has_its_own --jobs=1; summary; exit; }
for how in --jobs=1 --jobs=0 --jobs=2 --verify; do try each_thread_has_its_own $how; done
try_all
summary

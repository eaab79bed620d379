#!/bin/sh
# Programs that depend on chance and know nothing of racefuzz: it comes from the campaign's seed,
# and addresses are the same in every process, so that a token repeats what such a program did.
# Run from the top of the tree, with CC and BUILD set.
name=hook_chance
. tests/try.sh

hooks="-include racefuzz.h -DRF_HOOK_ALL -DRF_PROGRAM"
engine_by "$CC" program "$work/engine.o"
$CC -g -pthread -I. $hooks tests/hook/chancy.c "$work/engine.o" -o "$work/chancy"

fixed() {
    [ "$(uname -s)" = Linux ] || skip "not Linux"
    setarch -R true 2>/dev/null || skip "addresses can't be fixed here"
}

# repeats SOURCE: a token of a failure leads to the same in other processes and surroundings.
repeats() {
    gives 1 found "$work/chancy" --executions=20 --jobs=2 -- "$1"
    seed=$(token found)
    for large in "" "$(printf '%03000d' 0)" "$(printf '%09000d' 0)"; do
        gives 1 again env "LARGE=$large" "RF_SEED=$seed" "$work/chancy" -- "$1"
        lacks again '^note'
        grep '^sum' "$work/again.err" >>"$work/sums.$1"
    done
    [ "$(sort -u "$work/sums.$1" | wc -l)" -eq 1 ]
}

addresses_are_the_same_everywhere() {
    fixed
    repeats addresses
}

random_bytes_are_drawn_from_the_seed() {
    for how in bytes device rand; do repeats $how; done
}

# They differ from execution to execution, and from seed to seed; rand begins anew.
chance_is_explored() {
    for how in bytes device; do
        for seed in 1 2; do
            gives 1 drawn "$work/chancy" --executions=60 --seed=$seed --strategy=random -- $how some
            says drawn "assertion failed"
            gives 1 once env "RF_SEED=$(token drawn)" "$work/chancy" -- $how some
            grep '^sum' "$work/once.err" >>"$work/seeds.$how"
        done
        [ "$(sort -u "$work/seeds.$how" | wc -l)" -eq 2 ]
    done
    gives 0 rolled "$work/chancy" --executions=30 --verify -- rand some
}

what_is_left_is_named() {
    gives 1 found "$work/chancy" --executions=20 -- file
    env "RF_SEED=$(token found)" "$work/chancy" -- file >"$work/left" 2>&1 || [ $? -eq 1 ]
    grep '^note: .*the file /proc/sys/kernel/random/uuid, which it opens' "$work/left"
}

for test in addresses_are_the_same_everywhere random_bytes_are_drawn_from_the_seed \
    chance_is_explored what_is_left_is_named; do
    try $test
done
summary

#!/bin/sh
# Tests as targets of fuzzers, by a driver that stands in for one: inputs decide executions, and are
# tokens written in another way.  tests/long/fuzzers.sh has libFuzzer and AFL++.
name=fuzz
. tests/try.sh
ulimit -c 0
compile -DMAIN fuzzed fuzzed
for target in lost racing buffered chosen embraced crashing handed sound; do
    compile -DTARGET=$target fuzzed $target
done
cd "$work" || exit 1

# aborts TARGET FILE: the target aborts on this input, and says why in aborted.err.
aborts() { gives 134 aborted "./$1" "$2"; }

each_input_is_an_execution_and_always_the_same() {
    gives 0 many ./sound -2000 1
    says many " 0 differ"
    [ "$(sed 's/.*, \([0-9]*\) kinds.*/\1/' many)" -gt 50 ]
    gives 0 again ./sound -2000 1
    diff many again
}

# The usual course, to which inputs come back when they end.
zeros_and_nothing_are_the_same_execution() {
    : >nothing
    head -c 1000 /dev/zero >zeros
    gives 0 usual ./sound nothing zeros
    [ "$(uniq usual | wc -l)" -eq 1 ]
    gives 0 newest env RF_MEMORY=sc ./sound nothing zeros
    diff usual newest
}

bytes_decide_the_schedule() {
    printf '\012\003\012' >schedule
    aborts lost schedule
    says aborted.err "sum == 2: left is 1, right is 2"
    : >fine
    gives 0 usual ./lost fine
}

bytes_decide_what_memory_returns() {
    gives 134 found ./buffered -2000 1
    says found.err "It is allowed since no release/acquire, lock or join orders"
    : >fine
    gives 0 usual ./buffered fine
    gives 0 none env "RF_MEMORY=sc" ./buffered -2000 1
}

bytes_are_what_is_chosen() {
    printf '\003\011' >chosen.in # 777, the high byte first
    aborts chosen chosen.in
    says aborted.err "left is 777"
    printf '\003\010' >other.in
    gives 0 usual ./chosen other.in
}

deadlocks_races_and_crashes_abort() {
    gives 134 embraced.out ./embraced -2000 1
    says embraced.out.err "deadlock"
    gives 134 racing.out ./racing -2000 1
    says racing.out.err "race: nothing orders"
    gives 134 crashing.out ./crashing -2000 1
    says crashing.out.err "SIGSEGV, null pointer"
}

what_is_expected_or_suppressed_does_not() {
    : >fine
    gives 0 expected ./lost fine # it races
    echo "race variable:sum" >known
    gives 0 suppressed env "RF_SUPPRESSIONS=known" ./racing -2000 1
    RF_FAIL_ON=harm gives 0 harmless ./racing -2000 1
}

# For each failure: input -> token -> input, and all three fail in the same way.
inputs_and_tokens_convert_into_each_other() {
    for target in lost buffered chosen embraced crashing; do
        gives 134 "$target.first" "./$target" -2000 1
        seed=$(token "$target.first.err")
        gives 1 replayed env "RF_SEED=$seed" ./fuzzed
        gives 1 replayed env "RF_SEED=$seed" ./fuzzed "--write-input=$target.in"
        aborts $target $target.in
        [ "$(token aborted.err)" = "$seed" ]
        gives 1 told ./fuzzed $target "--input=$target.in"
        [ "$(token told)" = "$seed" ]
        sed -n '/^ *[0-9]* /p' replayed >steps
        sed -n '/^ *[0-9]* /p' told | diff steps -
    done
}

# Tokens of explorers, of directed executions and of shrunk ones: the target fails with their input,
# and tells a token that replays.
tokens_of_all_explorers_become_inputs() {
    for target in lost buffered chosen embraced crashing racing; do
        for explorer in auto random,racefuzzer pct,deadlockfuzzer surw,racefuzzer dfs; do
            ./fuzzed $target --strategy=$explorer --executions=3000 >found || [ $? -eq 1 ]
            sed -n 's/.*RF_SEED=\([^ ]*\).*/\1/p' found | sort -u | head -n 3 >seeds
            cat seeds >>seeds.all
            while read -r seed; do
                rm -f converted
                gives 1 replayed env "RF_SEED=$seed" ./fuzzed --write-input=converted
                # that it races is expected of this one
                [ $target != lost ] || grep -q "assertion failed" replayed || continue
                aborts $target converted
                gives 1 again env "RF_SEED=$(token aborted.err)" ./fuzzed
            done <seeds
        done
    done
    [ "$(sort -u seeds.all | wc -l)" -ge 25 ]
}

# What a shrunk token chooses is not what was drawn.
# What was one step is several for an input: they stay together.
coarse_steps_become_inputs() {
    gives 1 found ./fuzzed handed --granularity=coarse --detect=none
    gives 1 replayed env "RF_SEED=$(token found)" ./fuzzed --write-input=converted
    aborts handed converted
    says aborted.err "assertion failed"
}

values_that_were_shrunk_become_inputs() {
    gives 1 found ./fuzzed ranged
    gives 1 replayed env "RF_SEED=$(token found)" ./fuzzed --write-input=converted
    says replayed "choose 100 of"
    gives 1 told ./fuzzed ranged --input=converted
    says told "choose 100 of"
}

# ... and say so where an input can't decide what they do.
tokens_that_no_input_can_tell_are_refused() {
    gives 0 found ./fuzzed aged --shrink=0
    seed=$(sed -n 's/.*RF_SEED=\([^ ]*[.]adversarial[.][^ ]*\).*/\1/p' found | head -n 1)
    [ "$seed" ]
    gives 2 refused env "RF_SEED=$seed" ./fuzzed --write-input=there
    one_line refused.err
    says refused.err "an input does not decide all of this execution (older values of racing data"
    [ ! -e there ]
}

# Executions of all sorts, most of which go the same way.
executions_become_inputs() {
    same=0
    for i in $(seq 60); do
        rm -f converted
        RF_SEED=1.sound.random.s1.i$i ./fuzzed --write-input=converted >steps 2>refused ||
            continue
        gives 0 told ./fuzzed sound --input=converted
        sed -n '/^ *[0-9]* /p' steps >steps.then
        sed -n '/^ *[0-9]* /p' told | diff steps.then -
        same=$((same + 1))
    done
    [ $same -ge 40 ]
}

a_target_replays_tokens_itself() {
    gives 134 first ./lost -2000 1
    gives 1 replayed env "RF_SEED=$(token first.err)" ./lost first
    says replayed.err "racefuzz: replay of execution 0 of test lost"
}

# A pair that is read from for the first time is another counter.
what_is_covered_is_counted() {
    : >fine
    printf '\001\001\001\001\001\001' >other
    gives 0 counted ./sound fine other
    [ "$(cut -d' ' -f2 counted | sort -u | wc -l)" -eq 2 ]
    [ "$(sed -n '1s/.* //p' counted)" -gt 10 ]
    gives 0 many env RF_DETECT=none ./racing -200 1 # always the same statements
    lacks many " 1 kinds"
}

# Two of the places that the usual course counts are a lock that is taken while the other is held.
lock_orders_are_counted() {
    : >fine
    gives 0 counted ./embraced fine
    [ "$(sed 's/.* //' counted)" -eq 18 ]
}

what_can_not_be_is_one_line() {
    for refused in --input=nowhere "--input=." --write-input=there; do
        gives 2 refused ./fuzzed lost $refused
        one_line refused.err
    done
    : >fine
    gives 2 refused ./fuzzed --input=fine
    says refused.err "10 tests are meant"
    gives 0 found ./fuzzed lost --strategy=random # as it expects
    gives 2 refused env "RF_SEED=$(token found)" ./fuzzed --input=fine
    one_line refused.err
    gives 2 refused ./fuzzed lost --strategy=input
    gives 2 refused env "RF_STEPS=none" ./lost fine
    one_line refused.err
}

try_all
summary

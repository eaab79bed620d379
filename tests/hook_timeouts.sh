#!/bin/sh
# When sleeps and timed waits of unedited programs may end (--timeouts), and that loops which wait
# for time to pass end. MORE=1: all combinations.
name=hook_timeouts
. tests/try.sh

engine_by "$CC" compiler "$work/engine.o"
unedited "$CC" tests/hook/timeouts.c "$work/engine.o"

# Its author is right unless time may pass at any step; then the report says what it took.
long_waits_end_late() {
    for preset in ${MORE:+late some} ""; do
        RF_TIMEOUTS=$preset
        [ -z "$preset" ] || export RF_TIMEOUTS
        gives 0 late "$work/timeouts" --executions=100 -- "$1"
        tr -s ' \n' ' ' <"$work/late" >"$work/line"
        says line "sleeps and timed waits that end early, in "
        unset RF_TIMEOUTS
    done
    gives 1 any "$work/timeouts" --executions=100 --timeouts=any -- "$1"
    tr -s ' \n' ' ' <"$work/any" | grep -q "Needed: T[01]'s .* ended early, though T[01] could run"
    (cd "$work" && gives 1 again env "RF_SEED=$(token any)" ./timeouts -- "$1")
}

# Ten times 1 ms may pass although the other thread could go on.
short_waits_end_early() {
    for strategy in auto dfs ${MORE:+random pct dpor}; do
        gives 1 short "$work/timeouts" --executions=200 --strategy=$strategy -- retry
        says short "Needed: T0's sleep at" ".y50."
        (cd "$work" && gives 1 again env "RF_SEED=$(token short)" RF_TIMEOUTS=late \
            ./timeouts -- retry)
        gives 0 late "$work/timeouts" --executions=200 --strategy=$strategy --timeouts=late -- retry
    done
}

# A hundred times are more than 50 ms.
so_much_passes_early() {
    gives 0 patient "$work/timeouts" --executions=200 -- patient
    gives 1 patient "$work/timeouts" --executions=200 --timeouts=any -- patient
    says patient "In all that failed so T0's sleep"
}

# The token says which: without the field y time passes at any step.
tokens_keep_it() {
    gives 0 late env RF_TIMEOUTS=late "$work/timeouts" --executions=100 -- sleep
    gives 1 any "$work/timeouts" --executions=100 --timeouts=any -- sleep
    fails grep -q "\.y[0-9]" "$work/any"
    (cd "$work" && gives 1 again env "RF_SEED=$(token any)" RF_TIMEOUTS=late ./timeouts -- sleep)
    says again "the program ended with a failure"
    gives 1 late "$work/timeouts" --executions=100 --timeouts=late --strategy=random -- behind
    (cd "$work" && gives 1 again env "RF_SEED=$(token late)" ./timeouts -- behind)
    says again "the program ended with a failure"
}

# time_passes HOW MOST: so many rounds are enough for 50 ms of waits for 10 ms, or of looks.
time_passes() {
    for timeouts in any some late; do
        gives 0 passes "$work/timeouts" --executions=3 --timeouts=$timeouts -- for "$1" "$2"
        says passes "3 executions"
    done
}

a_wrong_name_is_refused() {
    gives 2 refused "$work/timeouts" --timeouts=soon
    says refused.err "expected one of any, some, late"
}

for what in signal lock rwlock sem futex poll sleep order older stop join; do
    try long_waits_end_late $what
done
for how in usleep nanosleep poll_for poll_none select pselect semaphore; do
    try time_passes $how 6
done
for how in read poll_timer condition; do try time_passes $how 25; done
try time_passes nothing 120

# With plain accesses seen a round has more steps: the store may come between load and yield.
no_round_is_taken_for_the_last_one() {
    engine "$CC"
    unedited "$CC" tests/hook/timeouts.c "$work/$CC.o" -D_GNU_SOURCE -fsanitize=thread \
        -DRF_HOOK_COMPILER
    gives 0 rounds "$work/timeouts" --executions=2000 -- older
}
try_all
summary

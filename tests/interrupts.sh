#!/bin/sh
# Interrupt handlers: what they break is found under the usual explorers and by dfs, which has each
# schedule once; the mended twins pass.
name=interrupts
. tests/try.sh
for program in interrupts words timers far; do
    compile "-O1 -Wall -Wextra -Wpedantic" $program $program || exit 1
done
cd "$work" || exit 1

# each_is_found OPTION...: and what is mended passes.
each_is_found() {
    gives 0 said ./interrupts "$@"
    says said "40 passed, 0 failed"
}

# enumerates TEST EXECUTIONS: dfs has so many schedules of it, each once.
enumerates() {
    gives 0 said ./interrupts --strategy=dfs "=$1"
    says said "PASS $1: $2 execution" "dfs: all $2 schedules"
}

# repeats PROGRAM WORDS...: what was said, on both back ends.
repeats() {
    program=$1
    shift
    gives 1 again "./$program" --seed="$(token said)"
    says again "$@"
    gives 1 other "./$program" --seed="$(token said)" --backend=threads
    diff again other
}

# is_repeated TEST WORDS...
is_repeated() {
    gives 0 said ./interrupts "=$1" --executions=200
    shift
    repeats interrupts "$@"
}

# Most handlers wait until a thread stands where it was predicted that they race.
a_strike_is_directed_at_what_was_predicted() {
    for strategy in random drfinder; do
        gives 1 alone ./far =far --strategy=$strategy --executions=500
        lacks alone "assertion failed"
        gives 1 directed ./far =far --strategy=$strategy,racefuzzer --executions=500
        says directed "race: real, harmful"
        [ "$(sed -n 's/^  failed     in \([0-9]*\) of.*/\1/p' directed | head -n 1)" -ge 60 ]
        gives 1 again ./far --seed="$(token directed)"
        says again "assertion failed"
    done
    gives 0 fixed ./far =far_fixed
    gives 0 awaited ./far =awaited --strategy=random,racefuzzer --executions=200
    says awaited "expected: race: real"
}

# Explorers that draw seldom let a handler strike late.
each_place_is_tried() {
    gives 0 drawn ./far =late --strategy=random --executions=1000
    for seed in 1 2 3 4 5 6 7 8; do
        gives 1 said ./far =late --seed=$seed --executions=1000
        repeats far "assertion failed"
    done
    gives 1 said ./far =early --executions=1000
    gives 0 fixed ./far =late_fixed --executions=1000
}

values_are_torn_as_the_word_says() {
    gives 1 said ./words --word=16 =ticks --executions=1000
    says said "t == 0xffff || t == 0x10000"
    repeats words "t == 0xffff || t == 0x10000"
    gives 1 said ./words --word=32 =writes --executions=1000
    says said "d == "
}

only_what_is_wider_than_the_word_is_torn() {
    gives 0 said ./words --word=8 =*_fixed --executions=1000
    gives 1 said ./words =ticks --executions=1000
    says said "race"
    lacks said "0x10000"
    gives 1 said ./words --word=64 =writes --executions=1000
    lacks said "assertion failed"
}

masks_are_no_deadlocks() {
    gives 0 said ./interrupts =handlers_mask --executions=1000
    lacks said potential
}

a_handler_that_does_not_end_is_named() {
    for test in handler_waits handler_counts; do
        gives 0 said ./interrupts =$test --executions=200
        says said "a handler does not end"
        repeats interrupts "T1 interrupt uart" \
            "T1, a handler, which has interrupted T0, has not ended after"
    done
    gives 1 said ./timers =counts_on_and_on --executions=100
    says said "a handler does not end"
    gives 1 said ./timers =no_step --watchdog=1 --executions=10 --shrink=0
    says said "T1, a handler, which has interrupted T0, has not ended: 1 s of CPU time"
}

errno_is_spoiled() { # it lies elsewhere under another back end
    gives 0 said ./interrupts =error --executions=200
    for backend in fiber threads; do
        gives 1 again ./interrupts --seed="$(token said)" --backend=$backend
        says again "left is 4, right is 0" "interrupt uart"
    done
    gives 0 said ./interrupts =error_raced --executions=200
    says said "interrupt uart"
}

periods_are_of_virtual_time() {
    for strategy in auto random dfs; do
        gives 0 said ./timers =period* --strategy=$strategy --executions=1000
        says said "4 passed, 0 failed"
    done
    gives 0 said ./timers =late* --timeouts=late --executions=300
    gives 0 said ./timers =late* --timeouts=late --strategy=dfs
    gives 1 said ./timers =late_ticks --executions=300 # they come early, too
}

pending_ones_come_by_priority() {
    gives 0 said ./timers =pending --executions=1000
    gives 0 said ./timers =pending --strategy=dfs
    gives 1 said ./timers =other_order --executions=1000
    repeats timers "left is 21, right is 12"
}

other_threads_run_on_other_cores() {
    for strategy in auto dfs; do
        gives 1 said ./timers =other_core --cores=2 --strategy=$strategy --executions=1000
        says said "left is 1, right is 0"
        gives 0 said ./timers =other_core --cores=1 --strategy=$strategy --executions=1000
        gives 0 said ./timers =other_core --strategy=$strategy --executions=1000
    done
}

handlers_and_masks_of_several_cores() {
    for cores in 1 2; do
        for strategy in auto random dfs; do
            gives 0 said ./timers =higher_ones* --cores=$cores \
                --strategy=$strategy --executions=2000
            says said "2 passed, 0 failed"
            lacks said potential
        done
    done
    gives 0 said ./timers =higher_ones_first --cores=2 --strategy=dfs
    says said "but for what was" "not tried: handlers on a core"
    for only in "first --cores=1" "mask --cores=2"; do # of one core, of one thread
        gives 0 said ./timers =higher_ones_$only --strategy=dfs
        lacks said "handlers on a core"
    done
}

dpor_refuses_what_depends_on_the_number_of_steps() {
    gives 1 said ./timers --strategy=dpor =period_is_kept
    says said "dpor does not know interrupts with a period: RF_STRATEGY=dfs has all schedules"
    gives 1 said ./timers --strategy=dpor =other_core --cores=2
    says said "dpor does not know interrupts on several cores: RF_STRATEGY=dfs has all schedules"
}

try each_is_found
try each_is_found --backend=threads --executions=100
try each_is_found --strategy=dfs
try each_is_found --strategy=dpor
try each_is_found --verify --executions=50
try enumerates counter 3
try enumerates one_thread 20
try is_repeated counter "ticks() >= 0xffff" "T1 interrupt timer" # a column of its own
try is_repeated wakeup "for a post of semaphore the next interrupt"
try is_repeated handler_locks "for mutex lock, held by T0" \
    "T1, an interrupt handler, waits: nobody else can run before it ends"
try is_repeated nested "!spoiled"
try is_repeated heap "is called by T1, which has interrupted T0 in"
try is_repeated buffers "one == two"
try is_repeated bits "left is 2, right is 3"
try is_repeated handler_stays_masked "ends and has not unmasked the interrupts"
try_all
summary

#!/bin/sh
# A thread that makes or ends an object, or allocates a block, beside another one that uses it: a
# race, as are all others.  What is made in time is none.
name=making
. tests/try.sh

compile -O0 making making
tests=$("$work/making" --list)

found_by() {
    gives 1 found "$work/making" --strategy="$1" --executions=300
    for test in $tests; do
        case $test in
        right_*) says found "PASS $test:" ;;
        *) says found "FAIL $test:" ;;
        esac
    done
    lacks found 'SIGSEGV'
    says found 'initialises m' 'uses        m' 'allocates'
}

# The other one is made to use it first, and both sides are told.
produced() {
    gives 1 found "$work/making" --filter=make_rwlock_late
    says found 'race: real, harmful' '  initialises l' '  uses        l' \
        'produced   in 1000 of 1000' 'then init of an object in use'
    token=$(token found)
    RF_SEED=$token gives 1 again "$work/making"
    says again 'the race: T1 and T0 both stand at their access' 'T1 waits for l'
}

# Blocks: seen unordered.
allocated() {
    gives 1 found "$work/making" --filter=make_block_to_read
    says found '  allocates ' '  reads     p[5]' 'unordered by happens-before'
}

# Whoever enumerates memory, too, has no order that shows it otherwise.
freed() {
    for what in mutex sem cond once barrier left_barrier; do
        gives 1 found "$work/making" --filter=free_$what --strategy=graphs --shrink=0
        says found '  frees ' '  uses '
        lacks found 'no failure is possible'
    done
    for what in free_by_the_last_user destroyed_barrier; do
        gives 0 right "$work/making" --filter=right_$what --strategy=graphs
        lacks right 'warnings:'
    done
}

# What is right stays right however much is tried, and no prediction is made.
nothing_is_suspected() {
    gives 0 right "$work/making" --filter='right_*' --executions=3000
    lacks right 'warnings:'
}

hooks_do_the_same() {
    engine "$CC"
    unedited "$CC" tests/hook/making.c "$work/$CC.o" -DRF_HOOK_COMPILER -fsanitize=thread
    for strategy in auto dfs dpor; do
        for what in right spin_right block_right; do
            gives 0 passed "$work/making" --strategy=$strategy --executions=200 -- $what
            lacks passed 'warnings:'
        done
        for what in mutex sem rwlock cond barrier spin destroy block; do
            gives 1 found "$work/making" --strategy=$strategy --executions=200 -- $what
        done
        says found 'allocates'
    done
    gives 1 found "$work/making" -- spin
    says found '  initialises'
}

# Where atomics are not seen, what orders these is not: nothing is said of it.
unwatched() {
    engine_by "$CC" program "$work/program.o"
    unedited "$CC" tests/hook/making.c "$work/program.o"
    gives 0 passed "$work/making" --executions=200 -- unseen
    unedited "$CC" tests/hook/making.c "$work/$CC.o" -DRF_HOOK_COMPILER -fsanitize=thread
    gives 0 passed "$work/making" --executions=200 -- unseen
}

# Locks of files and named semaphores are there before whoever uses them first.
made_by_nobody() {
    unedited "$CC" tests/hook/named.c "$work/$CC.o" -DRF_HOOK_COMPILER -fsanitize=thread
    gives 0 passed "$work/named" --executions=300
    lacks passed 'warnings:'
}

# Descriptors: one thread closes what another one uses or closes; or the last user does.
closed() {
    engine "$CC"
    unedited "$CC" tests/hook/closing.c "$work/$CC.o" -DRF_HOOK_COMPILER -fsanitize=thread
    for strategy in auto random dfs dpor; do
        for what in reads writes sends closes over under prints; do
            gives 1 found "$work/closing" --strategy=$strategy --executions=100 -- $what
            says found 'race: real' '  closes '
            [ $what = closes ] || says found '  uses '
            says found ' (descriptor '
            lacks found 'undefined behaviour'
        done
        for what in joined end shut told unseen count locked again printed; do
            gives 0 passed "$work/closing" --strategy=$strategy --executions=100 -- right_$what
            case $what in
            unseen) says passed 'warnings: 1 potential' ;;
            *) lacks passed 'warnings:' ;;
            esac
        done
    done
    for what in reads writes sends closes over under right_unseen; do # no proof
        gives 0 passed "$work/closing" --strategy=graphs --executions=100 -- $what
        says passed 'warnings: 1 potential' 'not known to be all: '
    done
    says passed 'a thread waits for what is not'
    for what in joined end shut told count locked again printed; do
        gives 0 passed "$work/closing" --strategy=graphs --executions=100 -- right_$what
        lacks passed 'warnings:'
    done
    gives 1 found "$work/closing" -- writes
    RF_SEED=$(token found) gives 1 again "$work/closing" -- writes
    says again 'the race: '
}

for strategy in auto dfs dpor; do try found_by $strategy; done
try produced
try_all
summary

#!/bin/sh
# Variables of functions that have returned, which other threads still use (src/hook/compiler.h).
name=hook_frames
. tests/try.sh

export RF_ALL=1
engine "$CC"
unedited "$CC" tests/hook/frames.c "$work/$CC.o" -fsanitize=thread

# By a semaphore, by a condition, by a join; given to the thread, or by a queue.
who_waits_for_the_last_use_is_right() {
    for way in s l g j m a; do
        for strategy in auto graphs dpor; do
            gives 0 out "$work/frames" --strategy=$strategy --executions=50 -- $way
            lacks out 'race:'
        done
        [ $way = l ] || [ $way = m ] || says out 'dpor: all'
    done
    gives 0 out "$work/frames" --strategy=graphs -- s
    says out 'no failure is possible in this test'
}

# Without any wait, too.  It was called proved, or a stack overflow.
a_use_after_the_return_is_found() {
    for way in S L n; do
        for strategy in auto dpor; do
            gives 1 out "$work/frames" --strategy=$strategy --executions=50 -- $way
            says out 'at the stack of T0, in waits, which has returned'
            lacks out 'stack overflow'
        done
        gives 1 again env RF_SEED="$(token out)" "$work/frames" -- $way
        says again 'which has returned'
        gives 1 out "$work/frames" --strategy=graphs -- $way
    done
    gives 1 out "$work/frames" --executions=50 -- S
    says out 'race: real, harmful' 'ends    variables of waits()' # the return is directed there
    for strategy in auto graphs dpor; do # only seen to be used
        gives 1 out "$work/frames" --strategy=$strategy --executions=50 -- G
        says out 'ends    variables of waits()'
    done
}

try_all
summary

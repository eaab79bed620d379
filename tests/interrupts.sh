#!/bin/sh
# Interrupt handlers: what they break is found under the usual explorers and by dfs, which has each
# schedule once; the mended twins pass.  Run from the top of the tree, with CC and BUILD set.
name=interrupts
. tests/try.sh
for program in interrupts words; do
    compile "-O1 -Wall -Wextra -Wpedantic" $program $program || exit 1
done
cd "$work" || exit 1

# each_is_found OPTION...: and what is mended passes.
each_is_found() {
    gives 0 said ./interrupts "$@"
    says said "21 passed, 0 failed"
}

# enumerates TEST EXECUTIONS: dfs has so many schedules of it, each once.
enumerates() {
    gives 0 said ./interrupts --strategy=dfs "=$1"
    says said "PASS $1: $2 execution"
    says said "dfs: all $2 schedules"
}

# replays TEST WORDS
replays() {
    gives 0 said ./interrupts "=$1" --executions=200
    gives 1 again ./interrupts --seed="$(token said)"
    says again "$2"
    gives 1 other ./interrupts --seed="$(token said)" --backend=threads
    diff again other
}

a_handler_has_a_column_of_its_own() {
    gives 0 said ./interrupts =counter --executions=200
    gives 1 again ./interrupts --seed="$(token said)"
    says again "T1 interrupt timer"
}

a_handler_that_waits_for_whom_it_interrupts_says_so() {
    gives 0 said ./interrupts =handler_locks --executions=200
    gives 1 again ./interrupts --seed="$(token said)"
    says again "T1, an interrupt handler, waits: nobody else can run before it ends"
    says again "for mutex lock, held by T0"
}

values_are_torn_as_the_word_says() {
    gives 1 said ./words --word=16 =ticks --executions=1000
    says said "t == 0xffff || t == 0x10000"
    gives 1 again ./words --seed="$(token said)"
    says again "t == 0xffff || t == 0x10000"
    gives 1 other ./words --seed="$(token said)" --backend=threads
    diff again other
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

what_does_not_know_interrupts_says_so() {
    gives 1 said ./interrupts --strategy=dpor =one_thread
    says said "dpor does not know interrupts: RF_STRATEGY=dfs has all schedules"
}

try each_is_found
try each_is_found --backend=threads --executions=100
try each_is_found --strategy=dfs
try each_is_found --verify --executions=50
try enumerates counter 3
try enumerates one_thread 20
try replays counter "ticks() >= 0xffff"
try replays wakeup "for a post of semaphore the next interrupt"
try replays handler_locks "T1, an interrupt handler, waits"
try replays nested "!spoiled"
try replays heap "is called by T1, which has interrupted T0 in"
try replays buffers "one == two"
try values_are_torn_as_the_word_says
try only_what_is_wider_than_the_word_is_torn
try replays bits "left is 2, right is 3"
try a_handler_has_a_column_of_its_own
try a_handler_that_waits_for_whom_it_interrupts_says_so
try what_does_not_know_interrupts_says_so
summary

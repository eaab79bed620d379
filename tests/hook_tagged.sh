#!/bin/sh
# Atomics of 16 bytes whose halves are used, too: what a half's store releases is seen by who reads
# the whole, and the other way round; nothing is lost; freed ones are forgotten.
name=hook_tagged
. tests/try.sh
engine "$CC"
unedited "$CC" tests/hook/tagged.c "$work/$CC.o" -fsanitize=thread

right_ones_pass() {
    for strategy in auto random dfs dpor; do
        gives 0 out "$work/tagged" --strategy=$strategy --executions=400 -- $1
        says out "1 passed, 0 failed"
    done
}

# Without the release nothing orders what the reader of the other size then reads.
relaxed_ones_race() {
    gives 1 out "$work/tagged" --executions=400 -- relaxed $1
    says out 'race: real' "$2"
    RF_SEED=$(token out) gives 1 again "$work/tagged" -- relaxed $1
}

# Words of 8 bytes whose halves are used: under sequentially consistent memory.
halves_of_words_are_ordered() {
    for how in --memory=sc --strategy=dfs --strategy=dpor; do
        for part in low high; do
            gives 0 out "$work/tagged" $how --executions=400 -- word $part
            gives 0 out "$work/tagged" $how --executions=400 -- part $part
        done
        gives 1 out "$work/tagged" $how --executions=400 -- word high relaxed
        says out 'race: real'
    done
}

try right_ones_pass stack
try right_ones_pass send
try right_ones_pass count
try right_ones_pass again
try relaxed_ones_race "" 'n->next = old.first'
try relaxed_ones_race send 'plain = 1'
try halves_of_words_are_ordered
summary

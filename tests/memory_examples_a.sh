#!/bin/sh
# The examples that need a weak memory, first half: a ring, a stack, a queue, a seqlock, a deque.
# The bug of each is found for the reason that the example gives, under a token that replays it; the
# fixed twin survives EXECUTIONS (default 10,000) in each phase, all of them short.
name=memory_examples_a
. tests/try.sh
build=$BUILD/examples
export RF_SECONDS=none COLUMNS=200

# found NAME WORDS...: the bug is found as it is expected; under each of its tokens the same
# execution fails again, and the first of these replays says all of WORDS.
found() {
    name=$1
    shift
    rm -f "$work/first"
    "$build/$name" >"$work/report"
    cat "$work/report"
    sed -n 's/^ *replay: \(RF_SEED=[^ ]*\) .*/\1/p' "$work/report" >"$work/tokens"
    grep -q . "$work/tokens"
    while read -r token; do
        status=0
        env "$token" "$build/$name" >"$work/replay" || status=$?
        [ "$status" -eq 1 ]
        fails grep '^note' "$work/replay" # of a token that is not of this program
        [ -f "$work/first" ] || cp "$work/replay" "$work/first"
    done <"$work/tokens"
    for words in "$@"; do
        tr -s '\n ' ' ' <"$work/first" | grep -qF -e "$words" || { echo "not said: $words"; false; }
    done
}

# hidden NAME: with sequentially consistent atomics nothing is wrong.
hidden() {
    fails "$build/$1" --memory=sc >"$work/sc"
    grep -q 'expected but not found' "$work/sc"
    fails grep '^expected: ' "$work/sc"
}

survives() { "$build/$1_fixed" --executions="${EXECUTIONS:-10000}" --steps=400; }

try found spsc 'value == ++popped' 'release on the store of r->tail at spsc_push.c:15'
try found treiber 'sum == 11111'
try "$build/treiber" --memory=sc # no weak memory is needed
# (the message is one of a third thread, for which the write that was hidden is in the past)
try found msqueue 'release on the store of q->head at msqueue_take.c:23'
try found seqlock 'x == y' 'read of l->count at seqlock_read.c:14'
try found chaselev 'read of memory nobody has written' \
    'release on the store of d->ring at chaselev_grow.c:19'
for example in msqueue seqlock chaselev; do try hidden $example; done
for example in spsc treiber msqueue seqlock chaselev; do try survives $example; done
summary

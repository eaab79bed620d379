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

the_bug_of_spsc_is_found() {
    found spsc 'value == ++popped' 'release on the store of r->tail at spsc_push.c:15'
}

the_bug_of_treiber_is_found() {
    found treiber 'sum == 11111'
    "$build/treiber" --memory=sc # no weak memory is needed
}

the_bug_of_msqueue_is_found() {
    # the message is one of a third thread, for which the write that was hidden is in the past
    found msqueue 'release on the store of q->head at msqueue_take.c:23'
    hidden msqueue
}

the_bug_of_seqlock_is_found() {
    found seqlock 'x == y' 'read of l->count at seqlock_read.c:14'
    hidden seqlock
}

the_bug_of_chaselev_is_found() {
    found chaselev 'read of memory nobody has written' \
        'release on the store of d->ring at chaselev_grow.c:19'
    hidden chaselev
}

the_fixed_spsc_survives() { survives spsc; }
the_fixed_treiber_survives() { survives treiber; }
the_fixed_msqueue_survives() { survives msqueue; }
the_fixed_seqlock_survives() { survives seqlock; }
the_fixed_chaselev_survives() { survives chaselev; }

for test in $(sed -n 's/^\(the_[a-z0-9_]*\)() {.*/\1/p' tests/memory_examples_a.sh); do
    try "$test"
done
summary

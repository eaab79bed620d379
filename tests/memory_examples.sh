#!/bin/sh
# The examples that need a weak memory: the bug of each is found for the reason that the example
# gives, under a token that replays it; the fixed twin survives EXECUTIONS (default 10,000) in each
# phase, all of them short.
name=memory_examples
. tests/try.sh
build=$BUILD/examples
export COLUMNS=200

# found NAME WORDS...: the bug is found as it is expected; under each of its tokens the same
# execution fails again, and the first of these replays says all of WORDS.
found() {
    gives 0 report "$build/$1" --executions=1000
    sed -n 's/^ *replay: RF_SEED=\([^ ]*\) .*/\1/p' "$work/report" >"$work/tokens"
    while read -r seed; do replays "$seed" "$build/$1" </dev/null; done <"$work/tokens"
    replays "$(token report)" "$build/$1"
    shift
    tr -s '\n ' ' ' <"$work/again" >"$work/words"
    says words "$@"
}

# hidden NAME: with sequentially consistent atomics nothing is wrong.
hidden() {
    gives 1 sc "$build/$1" --memory=sc
    says sc 'expected but not found'
    lacks sc '^expected: '
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
try found peterson 'RF_LOAD(c.value) == c.inside[0] + c.inside[1]'
try found refcount 'sum == 100 + 101'
try found lazy 'read of memory nobody has written'
try found publish 'first == OLD || first == NEW'
for example in msqueue seqlock chaselev; do try hidden $example; done
for example in spsc treiber msqueue seqlock chaselev peterson refcount lazy publish; do
    try survives $example
done
summary

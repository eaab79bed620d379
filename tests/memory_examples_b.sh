#!/bin/sh
# The examples about memory orders on single words: Peterson's lock, a reference count, lazy
# initialisation, publication of a pointer.  The broken twin fails within 1,000 executions, and
# every token replays; the fixed one survives EXECUTIONS.  Run from the top of the tree, with BUILD
# set.
name=memory_examples_b
. tests/try.sh
examples="peterson refcount lazy publish"
EXECUTIONS=${EXECUTIONS:-10000}

# It fails by what the test asserts, not by the race alone.
the_broken_twin_fails_and_replays() {
    status=0
    "$BUILD/examples/$1_demo" --executions=1000 --seconds=none >"$work/$1" || status=$?
    cat "$work/$1"
    [ "$status" -eq 1 ]
    grep -qE 'assertion failed|memory nobody has written' "$work/$1"
    sed -n 's/^ *replay: \(RF_SEED=[^ ]*\) .*/\1/p' "$work/$1" >"$work/$1.tokens"
    [ -s "$work/$1.tokens" ]
    while read -r token; do
        status=0
        env "$token" "$BUILD/examples/$1_demo" >"$work/replayed" </dev/null || status=$?
        cat "$work/replayed"
        [ "$status" -eq 1 ]
        [ -z "$(grep '^note' "$work/replayed")" ]
    done <"$work/$1.tokens"
}

the_fixed_twin_survives() {
    "$BUILD/examples/$1_fixed" --executions="$EXECUTIONS" --seconds=none
}

# shellcheck disable=SC2086,SC2046
make -s BUILD="$BUILD" $(for e in $examples; do echo "$BUILD/examples/${e}_demo" \
    "$BUILD/examples/${e}_fixed"; done) >/dev/null
for example in $examples; do
    try the_broken_twin_fails_and_replays "$example"
    try the_fixed_twin_survives "$example"
done
summary

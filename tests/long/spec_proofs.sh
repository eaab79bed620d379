#!/bin/sh
# The right forms of the objects of tests/spec_*.c have an order in all executions of all scenarios
# of two threads with up to two calls each, under C11's memory.
name=long/spec_proofs
. tests/try.sh

proved() {
    make -s BUILD="$BUILD" CC="$CC" "$BUILD/tests/$1"
    gives 0 "$1" env VERDICTS_PROVE=1 "$BUILD/tests/$1"
    [ "$(grep -c "^ok .*: proved up to" "$work/$1")" -ge "$2" ]
    lacks "$1" "not ok"
}

try proved spec_objects 15
try proved spec_queues 5
try proved spec_more 5
try proved spec_criteria 8
summary

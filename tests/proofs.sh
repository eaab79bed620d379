#!/bin/sh
# `graphs` proves the fixed examples, and refutes the broken ones: each PASS says that it has
# executed everything, each failure is found by one of these executions and replays.
# Run from the top of the tree, with BUILD set, after `make programs`.
name=proofs
. tests/try.sh
build=$BUILD/examples
export RF_SECONDS=none COLUMNS=200 RF_EXECUTIONS=100000

proved() {
    gives 0 proof "$build/$1_fixed" --strategy=graphs
    says proof "graphs: all $2 executions explored"
    gives 0 proof "$build/$1_fixed" --strategy=dpor --memory=c11
    says proof "graphs: all $2 executions explored"
}

refuted() {
    "$build/$1" --strategy=graphs --shrink=0 >"$work/refuted" || [ $? -eq 1 ]
    lacks refuted "graphs: all "
    says refuted "$2"
    token=$(token refuted)
    RF_SEED=$token gives 1 again "$build/$1"
    lacks again note:
}

try proved treiber 4564
try proved msqueue 307
try proved spsc 627
try proved peterson 196
try proved chaselev 1313
try proved publish 4
try proved refcount 2
try proved bank 6
for example in treiber msqueue chaselev; do try refuted $example "some have failed"; done
for example in spsc peterson publish refcount bank; do
    try refuted $example "plain accesses race"
done
summary

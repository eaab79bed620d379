#!/bin/sh
# The explorer of graphs beside its oracles, on more random programs than `make check` has, and the
# families of programs, of more threads.
name=graphs_random
. tests/try.sh

try "$BUILD/tests/graphs" 10000 20261123
try "$BUILD/tests/graphs_objects" 500 20261123
try env RATES=no sh bench/10_graphs.sh
summary

#!/bin/sh
# The fixed twins of tests/memory_examples_a.sh, each for 100,000 executions in each phase.
# Run from the top of the tree, with BUILD set.
EXECUTIONS=100000
. tests/memory_examples_a.sh

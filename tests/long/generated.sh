#!/bin/sh
# Programs that are generated: nothing is found in 200 without a fault, nor in the fixed twin of any
# example; of 200 with one fault each it is found in at least 99 %, under tokens that show it again.
# Run from the top of the tree, with CC and BUILD set, after `make programs`.
set -u
name=long-generated
. tests/generate/programs.sh

nothing_is_found_in() { RF_EXECUTIONS=1000 "$1" --seconds=none; }

safe_programs 200
planted_programs 200
for twin in "$BUILD"/examples/*_fixed; do try nothing_is_found_in "$twin"; done
summary

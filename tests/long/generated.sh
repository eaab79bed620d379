#!/bin/sh
# Programs that are generated: nothing is found in 30 without a fault, nor in the fixed twin of any
# example; of 30 with one fault each it is found in at least 99 %, under tokens that show it again.
# With NIGHTLY=1 200 of each, and 200 that the SEED of the night chooses.
set -u
name=long-generated
. tests/generate/programs.sh
count=30
[ -z "${NIGHTLY:-}" ] || count=200

nothing_is_found_in() { RF_EXECUTIONS=1000 "$@" --seconds=none; }

safe_programs $count
planted_programs $count
if [ "${NIGHTLY:-}" ] && [ "${SEED:-}" ]; then
    first=$((1000 + SEED % 1000000 * 1000))
    safe_programs 200
    planted_programs 200
fi
no_section_is_suspected_in() { nothing_is_found_in "$1" --blocks=locks --detect=atomizer,relock; }
for twin in "$BUILD"/examples/*_fixed; do
    try nothing_is_found_in "$twin"
    try no_section_is_suspected_in "$twin"
done
summary

#!/bin/sh
# Scripts of `make check` with what they leave out there: engines of other kinds.
name=more
. tests/try.sh

for script in hook_c11 hook_wrap proofs racefuzz_cc; do try env LONG=1 sh tests/$script.sh; done
summary

#!/bin/sh
# tests/forms.sh with all examples, by clang; with NIGHTLY=1 by both compilers, and
# with more executions.
compilers=clang executions=300 # of 60 seeds 11 miss chaselev in 150, none in 300
[ -z "${NIGHTLY:-}" ] || compilers="gcc clang" executions=500
EXAMPLES=$(ls examples/*/*_test.c | sed 's|examples/\(.*\)/.*|\1|') COMPILERS=$compilers \
    EXECUTIONS=$executions exec sh tests/forms.sh

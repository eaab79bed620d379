#!/bin/sh
# tests/forms.sh with all examples, by clang; with NIGHTLY=1 by both compilers.
# Run from the top of the tree, with BUILD set, after `make programs`.
compilers=clang
[ -z "${NIGHTLY:-}" ] || compilers="gcc clang"
EXAMPLES=$(ls examples/*/*_test.c | sed 's|examples/\(.*\)/.*|\1|') COMPILERS=$compilers \
    EXECUTIONS=500 exec sh tests/forms.sh

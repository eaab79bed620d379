#!/bin/sh
# tests/forms.sh with all examples and both compilers.
# Run from the top of the tree, with BUILD set, after `make programs`.
EXAMPLES=$(ls examples/*/*_test.c | sed 's|examples/\(.*\)/.*|\1|') COMPILERS="gcc clang" \
    EXECUTIONS=500 exec sh tests/forms.sh

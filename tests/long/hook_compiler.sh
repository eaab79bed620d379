#!/bin/sh
# tests/hook_compiler.sh with both compilers and with optimisation; with NIGHTLY=1 however much they
# optimise.
# Run from the top of the tree, with BUILD set.
COMPILERS="gcc clang" LEVELS="-O2 ${NIGHTLY:+-O0 -O1}" exec sh tests/hook_compiler.sh

#!/bin/sh
# tests/hook_compiler.sh by clang and with optimisation; with NIGHTLY=1 by both compilers, however
# much they optimise.
COMPILERS="${NIGHTLY:+gcc }clang" LEVELS="-O2 ${NIGHTLY:+-O0 -O1}" exec sh tests/hook_compiler.sh

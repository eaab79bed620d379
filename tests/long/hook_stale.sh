#!/bin/sh
# tests/hook_stale.sh with both compilers, however much they optimise.
COMPILERS="gcc clang" LEVELS="-O0 -O2 ${NIGHTLY:+-O1 -O3}" exec sh tests/hook_stale.sh

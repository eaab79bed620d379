#!/bin/sh
# tests/hook_memory.sh by clang and with optimisation; with NIGHTLY=1 with both compilers, however
# much they optimise.
if [ "${NIGHTLY:-}" ]; then
    COMPILERS="gcc clang" LEVELS="-O0 -O1 -O2" exec sh tests/hook_memory.sh
fi
COMPILERS=clang LEVELS=-O2 exec sh tests/hook_memory.sh

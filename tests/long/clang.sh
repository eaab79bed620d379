#!/bin/sh
# tests/long/clang.sh: everything that `make check` shows, built by clang.
set -u
command -v clang >/dev/null || exit 77
make -s check CC=clang BUILD="${BUILD:-build}/clang"

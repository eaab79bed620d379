#!/bin/sh
# build.sh of a project of OSS-Fuzz or ClusterFuzzLite: each fuzz_*.c has an RF_FUZZ_TARGET.  $CC,
# $CFLAGS, $LIB_FUZZING_ENGINE and $OUT are set by them.
set -eu
# shellcheck disable=SC2086 # lists of flags
$CC $CFLAGS -DRF_IMPLEMENTATION -x c -c racefuzz.h -o engine.o
for target in fuzz_*.c; do
    name=$(basename "$target" .c)
    # shellcheck disable=SC2086
    $CC $CFLAGS -I. -c "$target" -o "$name.o"
    # shellcheck disable=SC2086
    $CXX $CXXFLAGS "$name.o" engine.o $LIB_FUZZING_ENGINE -pthread -o "$OUT/$name"
done

#!/bin/sh
# tests/long/units.sh: each header of src/ compiles by itself, with both compilers.
name=long_units
. tests/try.sh

every_source_header_compiles_alone() {
    command -v "$1" >/dev/null || skip "no $1"
    make -s -k units CC="$1" BUILD="$BUILD/units-$1"
}

try every_source_header_compiles_alone gcc
try every_source_header_compiles_alone clang
summary

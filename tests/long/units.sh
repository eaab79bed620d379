#!/bin/sh
# tests/long/units.sh: each header of src/ compiles by itself, with both compilers.
set -u
passed=0 failed=0
for cc in gcc clang; do
    command -v $cc >/dev/null || continue
    if make -s -k units CC=$cc BUILD="${BUILD:-build}/units-$cc"; then
        echo "ok every_source_header_compiles_alone_with_$cc"
        passed=$((passed + 1))
    else
        echo "not ok every_source_header_compiles_alone_with_$cc"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]

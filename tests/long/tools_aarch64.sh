#!/bin/sh
# The engine on aarch64, run by qemu-user; with NIGHTLY=1 more programs, and at other levels.
name=tools_aarch64
. tests/tools/programs.sh

for level in -O1 ${NIGHTLY:+-O2 -O0}; do
    flavour aarch64-linux-gnu-gcc "-O0 -static" "$level $replaceable"
    all qemu-aarch64-static tests/fiber.c tests/objects.c examples/bank
    [ -z "${NIGHTLY:-}" ] || {
        all qemu-aarch64-static tests/racefuzzer_figures.c tests/memory_objects.c \
            tests/memory_accesses.c
        # A child translates all code anew.
        all "qemu-aarch64-static -E RF_JOBS=0" examples/pipeline
    }
done
summary

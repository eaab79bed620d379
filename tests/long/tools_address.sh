#!/bin/sh
# The engine under AddressSanitizer and UndefinedBehaviorSanitizer; by gcc what switches stacks,
# which its runtime has to know of.  With NIGHTLY=1 more programs, and by gcc the heap.
name=tools_address
. tests/tools/programs.sh

flavour clang "-O0 $san"
all "" tests/fiber.c tests/detect.c tests/objects.c tests/memory_atomics.c tests/report.c \
    examples/bank examples/workqueue
[ -z "${NIGHTLY:-}" ] ||
    all "" tests/options.c tests/tokens.c tests/memory_alone.c tests/memory_edges.c \
        tests/memory_objects.c tests/memory_accesses.c tests/report_parts.c examples/pipeline
all "env RF_BACKEND=threads" examples/bank

flavour gcc "-O0 $san" $gcc_san
all "" tests/fiber.c
[ -z "${NIGHTLY:-}" ] || {
    all "" examples/bank
    all "env RF_BACKEND=threads" examples/bank
    all "env ASAN_OPTIONS=detect_leaks=0:$ASAN_OPTIONS" tests/heap.c # it leaks on purpose
}
summary

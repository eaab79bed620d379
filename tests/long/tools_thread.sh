#!/bin/sh
# The engine under ThreadSanitizer, which has to know of every fiber; with NIGHTLY=1 by clang
# too.
# Run from the top of the tree, with BUILD set.
name=tools_thread
. tests/tools/programs.sh

for cc in gcc ${NIGHTLY:+clang}; do
    flavour $cc "-O0 -fsanitize=thread"
    all "" tests/fiber.c tests/objects.c
    # ThreadSanitizer takes 30 ms to make the fibers of an execution.
    all "env RF_EXECUTIONS=200${NIGHTLY:+0}" examples/bank
done
summary

#!/bin/sh
# The engine under ThreadSanitizer, which has to know of every fiber, and takes 30 ms to make those
# of an execution; with NIGHTLY=1 more of them.
name=tools_thread
. tests/tools/programs.sh

for cc in gcc clang; do
    flavour $cc "-O0 -fsanitize=thread"
    all "" tests/fiber.c
    [ -z "${NIGHTLY:-}" ] || all "" tests/objects.c
    [ $cc = gcc ] || [ -n "${NIGHTLY:-}" ] || continue
    all "env RF_EXECUTIONS=50${NIGHTLY:+00}" examples/bank
done
summary

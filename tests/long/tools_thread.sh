#!/bin/sh
# The engine under ThreadSanitizer, which has to know of every fiber; with NIGHTLY=1 by clang
# too.
# Run from the top of the tree, with BUILD set.
name=tools_thread
. tests/tools/programs.sh

for cc in gcc ${NIGHTLY:+clang}; do
    flavour $cc "-O0 -fsanitize=thread"
    all "" tests/fiber.c tests/objects.c examples/bank
done
summary

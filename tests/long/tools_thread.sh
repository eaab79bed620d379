#!/bin/sh
# The engine under ThreadSanitizer, which has to know of every fiber.
# Run from the top of the tree, with BUILD set.
name=tools_thread
. tests/tools/programs.sh

for cc in gcc clang; do
    flavour $cc "-O0 -fsanitize=thread"
    all "" tests/fiber.c tests/objects.c examples/bank
done
summary

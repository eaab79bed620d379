#!/bin/sh
# Programs that `make check` runs, under valgrind.
name=tools_valgrind
. tests/try.sh
command -v valgrind >/dev/null || exit 77

# clean PROGRAM OPTION...: valgrind has nothing to say of it.
clean() {
    program=$BUILD/$1
    shift
    valgrind -q --error-exitcode=9 --track-origins=no "$@" "$program"
}

for program in tests/detect tests/options examples/bank; do try clean $program; done
try clean tests/memory_alone --leak-check=full --show-leak-kinds=all --errors-for-leak-kinds=all
summary

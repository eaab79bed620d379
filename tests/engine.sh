#!/bin/sh
# tests/engine.sh: each flavour of the engine is compiled once, for all tests.
#
#     BUILD=build sh tests/engine.sh COMPILER FLAGS...      from the top of the tree
#
# prints the path of an object made of racefuzz.h by that compiler and these flags.  Without -g:
# what reads the debugging information of a test's program need not read the engine's.  By gcc with
# -Og, if they say nothing of it: the tests gain more than that takes (clang takes ten times as long
# as without).  Those of other headers than today's go away.  Two that ask for the same at once: one
# waits.
set -eu
case $* in *clang* | *\ -O*) ;; *) set -- "$@" -Og ;; esac
engines=${BUILD:-build}/engines
sum=$(cat racefuzz.h racefuzz_mem.h | cksum | tr ' ' -)
name=$( (echo "$*"; "$1" --version | head -n 1) | cksum | tr ' ' -)
object=$engines/$sum/$name.o
lock=$object.lock

mkdir -p "$engines/$sum"
while ! [ -e "$object" ]; do
    if ln -s $$ "$lock" 2>/dev/null; then
        trap 'rm -f "$lock" "$object.$$"' EXIT
        trap 'exit 1' HUP INT TERM
        for old in "$engines"/*; do [ "$old" = "$engines/$sum" ] || rm -rf "$old"; done
        [ -e "$object" ] ||
            "$@" -I. -DRF_IMPLEMENTATION -pthread -x c -c racefuzz.h -o "$object.$$"
        [ -e "$object" ] || mv "$object.$$" "$object"
        break
    fi
    # who makes it may have been killed
    maker=$(readlink "$lock") && ! kill -0 "$maker" 2>/dev/null && rm -f "$lock"
    sleep 0.2
done
echo "$object"

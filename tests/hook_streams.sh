#!/bin/sh
# Files of <stdio.h> between threads: locks of them, and what goes through pipes.  The calls of
# tests/hook/streams.c run with the C library too.
name=hook_streams
. tests/try.sh

engine "$CC"
unedited "$CC" tests/hook/streams.c "$work/$CC.o" -fsanitize=thread
$CC -g -pthread tests/hook/streams.c -o "$work/real"

goes_on() {
    gives 0 real.out timeout 20 "$work/real" "$@"
    n=60
    case $1 in much) n=4 ;; writers) n=12 ;; esac
    for strategy in auto random; do
        gives 0 out timeout 60 "$work/streams" --executions=$n --strategy=$strategy -- "$@"
        says out "1 passed, 0 failed"
    done
}

ways=$(sed -n 's|.*{"\([a-z]*\)", "\([a-z]*\)", .*|\1 \2|p' tests/hook/streams.c)
while read -r kind call; do try goes_on "$kind" "$call"; done <<END
$ways
END
try goes_on closed
try goes_on cancelled
summary

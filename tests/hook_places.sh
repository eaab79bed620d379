#!/bin/sh
# Statements that are known by the address of their machine code: what identifies them does not
# depend on what else is in the program; what can't be named comes with the command that finds it.
# Run from the top of the tree, with CC and BUILD set.
name=hook_places
. tests/try.sh

engine=$work/engine.o
engine_by "$CC" compiler "$engine"
hooks="-pthread -I. -include racefuzz.h -DRF_HOOK_ALL -DRF_PROGRAM"

# What depends on the order in which threads ran.
decided() { grep -e '^  in [0-9]* of' -e RF_SEED "$work/$1"; }

schedules_are_the_same_whatever_is_linked() {
    # Moves all code and data that come after it.
    echo 'long padding[99] = {1}; long pad(int n); long pad(int n) { return padding[n]; }' \
        >"$work/padding.c"
    for way in plain padded fixed; do
        case $way in
        plain) more= ;;
        padded) more=$work/padding.c ;;
        fixed) more=-no-pie ;;
        esac
        $CC -g $hooks $more examples/unedited/queue.c "$engine" -o "$work/queue"
        gives 1 $way.out "$work/queue" --executions=60
        decided $way.out >"$work/$way"
        grep RF_SEED "$work/$way"
        cmp "$work/plain" "$work/$way"
    done
}

a_stripped_program_says_how_to_find_the_source() {
    $CC -g $hooks examples/unedited/queue.c "$engine" -o "$work/whole"
    strip -o "$work/bare" "$work/whole"
    gives 1 bare.out "$work/bare" --executions=60
    says bare.out "last seen at bare+0x"
    command=$(sed -n 's/^  source: //p' "$work/bare.out" | tail -n 1)
    echo "$command"
    command -v addr2line
    eval "$(echo "$command" | sed "s|$work/bare|$work/whole|")" >"$work/found"
    says found "examples/unedited/queue.c:"
    lacks found '?'
}

# A table that is full: known statements remain what they are, the user is told once.
too_many_statements_are_told() {
    {
        echo '#include <pthread.h>'
        echo 'static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;'
        echo 'static void *run(void *p) { return p; }'
        echo 'int main(void) {'
        echo 'pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0);'
        awk 'BEGIN {
            while (i++ < 12500) print "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);"
        }'
        echo 'return 3; }'
    } >"$work/many.c"
    $CC $hooks "$work/many.c" "$engine" -o "$work/many"
    gives 1 many.out "$work/many" --executions=2 --jobs=1 --steps=100000
    says many.out "main returned 3"
    says many.out "more than 24576 statements known by address only"
}

try schedules_are_the_same_whatever_is_linked
try a_stripped_program_says_how_to_find_the_source
try too_many_statements_are_told
summary

#!/bin/sh
# Statements that are known by the address of their machine code: what identifies them does not
# depend on what else is in the program; what can't be named comes with the command that finds it.
name=hook_places
. tests/try.sh

engine=$work/engine.o
engine_by "$CC" compiler "$engine"
hooks="-pthread -I. -include racefuzz.h -DRF_HOOK_ALL -DRF_PROGRAM"
case $CC in
*clang*) plain="-fsanitize=thread -mllvm -tsan-instrument-read-before-write=1" ;;
*) plain=-fsanitize=thread ;;
esac

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

# Whole where that is possible, else by its end: the file's name is never cut off.
long_paths_have_their_ends() {
    step=folders_whose_names_are_long_make_a_path_that_has_more_letters
    engine=$(cd "$(dirname "$engine")" && pwd)/engine.o top=$(pwd) at=$work/deep
    for n in 1 2 3 4 5 6; do
        at=$at/$step
        mkdir -p "$at"
        cp examples/unedited/queue.c "$at"
        (cd "$at" && $CC -g -I"$top" -pthread ${hooks#*-I.} queue.c "$engine" -o here)
        gives 1 deep.out "$at/here" --executions=30 --shrink=0
        tr -d '\n ' <"$work/deep.out" >"$work/deep.joined"
        says deep.joined "$step/queue.c:42in"
        (cd "$at" && gives 1 here.out ./here --executions=30 --shrink=0)
        says "here.out" "  at queue.c:42 in"
    done
    says deep.joined "at.../$step"
}

a_stripped_program_says_how_to_find_the_source() {
    $CC -g $hooks examples/unedited/queue.c "$engine" -o "$work/whole"
    strip -o "$work/bare" "$work/whole"
    gives 1 bare.out "$work/bare" --executions=60
    says bare.out "  at bare+0x"
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
    says many.out "main returned 3" "more than 24576 statements known by address only"
}

# built NAME: $work/NAME.c, plain accesses too.
built() {
    $CC -g $hooks $plain -c "$work/$1.c" -o "$work/$1.o"
    $CC -pthread "$work/$1.o" "$engine" -o "$work/$1"
}

lines_may_end_as_on_windows() {
    for way in lines returns; do
        cp examples/unedited/queue.c "$work/ends.c"
        [ $way = lines ] || sed "s/\$/$(printf '\r')/" examples/unedited/queue.c >"$work/ends.c"
        built ends
        gives 1 $way.out "$work/ends" --executions=60
        says $way.out "reads q->count"
        grep -v '^FAIL' "$work/$way.out" >"$work/$way"
    done
    cmp "$work/lines" "$work/returns"
}

a_status_is_a_failure_and_long_lines_end_behind_a_word() {
    cat >"$work/long.c" <<'END'
#include <pthread.h>
#include <stdio.h>
static int a_long_name_of_a_shared_counter, another_long_name;
static void *add(void *p) {
    a_long_name_of_a_shared_counter = a_long_name_of_a_shared_counter + another_long_name + 1;
    return p;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    printf("to standard output\n");
    return a_long_name_of_a_shared_counter == 2 ? 0 : 1;
}
END
    built long
    gives 1 long.out "$work/long" --executions=60
    says long.out "writes  a_long_name_of_a_shared_counter = ... (" \
        "then the program ended with a failure:" "main returned 1"
    lacks long.out "crash\|last seen"
    says long.out "  the end of what it wrote:" "  | to standard output" \
        "What would forbid it: a lock around reading and writing the data, or one atomic"
}

# Nothing but where they were first used tells them apart.
locks_on_the_stack_are_told_by_their_first_use() {
    cat >"$work/stack.c" <<'END'
#include <pthread.h>
static void *take(void *p) {
    pthread_mutex_t **m = p;
    pthread_mutex_lock(m[0]);
    pthread_mutex_lock(m[1]);
    pthread_mutex_unlock(m[1]);
    pthread_mutex_unlock(m[0]);
    return p;
}
int main(void) {
    pthread_mutex_t first, second;
    pthread_mutex_init(&first, 0);
    pthread_mutex_init(&second, 0);
    pthread_mutex_t *ab[] = {&first, &second}, *ba[] = {&second, &first};
    pthread_t a, b;
    pthread_create(&a, 0, take, ab);
    pthread_create(&b, 0, take, ba);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
END
    built stack
    gives 1 stack.out "$work/stack" --executions=60
    says stack.out "for mutex of stack.c:13, held by T2; it holds mutex of stack.c:12 (taken" \
        "takes   mutex of stack.c:13" "lock mutex of stack.c:12"
    sed -i 's/pthread_mutex_init(&first, 0);/pthread_mutex_init(\&first, 0),/' "$work/stack.c"
    sed -i '12{N;s/\n */ /}' "$work/stack.c" # both in one line
    built stack
    gives 1 stack.out "$work/stack" --executions=60
    says stack.out "for mutex of stack.c:12#2, held by T2; it holds mutex of stack.c:12#1"
}

# Helpers of a header say nothing by themselves: they are told with who called them, compiled into
# it or not, and with the memory that they touch.
helpers_are_told_with_their_callers_and_the_memory() {
    cat >"$work/helpers.h" <<'END'
#include <stdatomic.h>
static inline int get(int *address) { return *address; }
static inline void put(int *address, int v) { *address = v; }
static inline int load(atomic_int *address) {
    return atomic_load_explicit(address, memory_order_relaxed);
}
static inline void store(atomic_int *address) {
    atomic_store_explicit(address, 1, memory_order_relaxed);
}
END
    cat >"$work/box.c" <<'END'
#include "helpers.h"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct box { atomic_int full, other; int value[4]; };
static struct box global;
static struct box *heap;
static void fill(struct box *b) {
    put(&b->value[2], 7);
    store(&b->other);
    store(&b->full);
}
static void *writer(void *p) {
    fill(heap);
    fill(&global);
    *(int *)p = 3;
    return p;
}
static int drain(struct box *b) {
    if (!load(&b->full)) return 7;
    return get(&b->value[2]);
}
int main(void) {
    pthread_t t;
    int local = 0;
    heap = calloc(1, sizeof *heap);
    pthread_create(&t, 0, writer, &local);
    if (drain(&global) == 8) abort(); /* no: the failure is at the block */
    assert(drain(heap) == 7);
    local = 4;
    pthread_join(t, 0);
    free(heap);
    return 0;
}
END
    for way in -O0 -O2; do
        $CC -g $hooks $way $plain -I"$work" -c "$work/box.c" -o "$work/box.o"
        $CC -pthread "$work/box.o" "$engine" -o "$work/box"
        gives 1 box.out "$work/box"
        tr -s ' |\n' ' ' <"$work/box.out" >"$work/words"
        says words "helpers.h:3 in put(), called by fill(), writer(), thread T1" \
            "helpers.h:2 in get(), called by drain(), main(), thread T0" \
            "*address = v (4 bytes at block 1+16)" \
            "*address = v (4 bytes at global+16), from box.c:9" \
            "*(int *)p = 3 (4 bytes at T0's stack)" "box.c:26 in main() by T0 main" \
            "address = 1 (at block 1+4, relaxed), from box.c:10" \
            "address -> 1 (at block 1+0, relaxed), from box.c:20" \
            "read of return *address (block 1+16) at helpers.h:2 (from box.c:21) returned 0" \
            "T1 wrote 7 at helpers.h:3 (from box.c:9)." \
            "the store of address (block 1+0) at helpers.h:8 (from box.c:11) and acquire"
        lacks words '#include'
        says words 'writes int local = 0' # others touch it, unlike t
        lacks words 'reads pthread_join'
    done
}

# Whoever called a helper by way of another one, and parts of what a statement names.
helpers_of_helpers_and_parts_are_told() {
    cat >"$work/parts.c" <<'END'
#include "parts.h"
#include <pthread.h>
static int row[4];
static void *writer(void *p) {
    both(row);
    row[2] = 4;
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    int sum = row[0] + row[2];
    pthread_join(t, 0);
    return sum > 5;
}
END
    cat >"$work/parts.h" <<'END'
static inline void one(int *part) { *part = 1; }
static inline void both(int *part) { one(part); }
END
    built parts
    gives 1 parts.out "$work/parts" --executions=100
    tr -s ' |\n' ' ' <"$work/parts.out" >"$work/words"
    says words "*part = 1 (4 bytes at row), from parts.c:5" "row[2] = 4 (4 bytes at row+8)"
}

# A program without the tool that knows what was inlined still has its lines.
lines_need_no_other_tool() {
    $CC -g $hooks $plain -I"$work" -c "$work/box.c" -o "$work/box.o"
    $CC -pthread "$work/box.o" "$engine" -o "$work/box"
    gives 1 box.out env PATH=/nowhere "$work/box"
    says box.out "helpers.h:3 in put(), called by fill(), writer(), thread T1"
}

try_all
summary

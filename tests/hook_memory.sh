#!/bin/sh
# The heap and the string functions of programs that nobody edited (src/hook/heap.h, strings.h).
# With COMPILERS and LEVELS: for more than one (tests/long/hook_memory.sh).
name=hook_memory
. tests/try.sh
export RF_ALL=1 RF_SHRINK=0 # each finding is looked for, as it was produced

# program COMPILER FLAGS PROGRAM: $work/PROGRAM
program() { unedited "$1" "tests/hook/$3.c" "$work/$1.o" -w $2; }
seen() { program "$1" "$2 -fsanitize=thread -DRF_HOOK_COMPILER" "$3"; }

run() {
    gives "$1" "$2.out" "$work/$2" --executions="$3" --seed=1
    [ "$1" -eq 0 ] || return 0
    says "$2.out" '1 passed, 0 failed'
    lacks "$2.out" 'race:'
}

allocation_has_the_librarys_results() {
    $1 -w -pthread tests/hook/heap.c -o "$work/real"
    gives 0 real.out "$work/real"
    program "$1" "$2" heap
    run 0 heap 5
    seen "$1" "$2" heap
    run 0 heap 5
}

# Hooks and engine in one unit, and names that are given away one by one.
one_unit() {
    $1 -w -O0 -I. -include racefuzz.h -DRF_HOOK_MALLOC -DRF_HOOK_PTHREAD -DRF_PROGRAM \
        -DRF_IMPLEMENTATION tests/hook/heap.c -o "$work/heap" -pthread
    run 0 heap 5
}

# An object without any flag of ours: the engine keeps the real heap for itself.
wrapped_objects() {
    $1 -g -w -fno-builtin $2 -c tests/hook/heap.c -o "$work/heap.o"
    $1 $(make -s wrap-flags) "$work/heap.o" "$work/$1.o" -o "$work/heap" -pthread
    run 0 heap 5
    $1 -g -w $2 -c tests/hook/heap_misuse.c -o "$work/heap_misuse.o"
    $1 $(make -s wrap-flags) "$work/heap_misuse.o" "$work/$1.o" -o "$work/heap_misuse" -pthread
    misuse 3 'second free of a block of 12 bytes, allocated by T0 at heap_misuse.c:'
}

# misuse WAY WORDS
misuse() {
    gives 1 misuse.out "$work/heap_misuse" --executions=20 --seed=1 -- "$1"
    (cd "$work" && RF_SEED=$(token misuse.out) gives 1 again ./heap_misuse -- "$1")
    for file in misuse.out again; do
        tr -s ' \n' ' ' <"$work/$file" >"$work/$file.words" # long lines are wrapped
        says "$file.words" "$2"
    done
}

misuse_is_found() {
    program "$1" "$2" heap_misuse
    gives 0 misuse.out "$work/heap_misuse" --executions=20
    misuse 1 'second free of a block of 12 bytes, allocated by T0 at heap_misuse.c:27, freed by T'
    misuse 2 'the object at offset 0 of a block of'
    misuse 3 'allocated by T0 at heap_misuse.c:27, freed by T0 at heap_misuse.c:32'
    misuse 4 'the pointer points to offset 4 of a block of 12 bytes'
    misuse 5 'something was written at offset 12 of a block of 12 bytes'
    misuse 6 'something was written at offset 12 of a block of 12 bytes'
    misuse 8 'second free of a block of 20 bytes, allocated by T0 at heap_misuse.c:37'
    for way in 9 10 11 13; do misuse $way 'synchronisation object at offset 0 of a block of'; done
    misuse 12 'never initialised as a spin lock'
    misuse 14 'never initialised as a mutex'
    misuse 7 '12 bytes, allocated by T0 at heap_misuse.c:27, freed by T0 at heap_misuse.c:36'
}

use_after_free_is_found() {
    for how in '' -DBY_NAME; do
        seen "$1" "$2 $how -fno-builtin" use_after_free
        run 1 use_after_free 200
        says use_after_free.out 'at offset ' \
            'a block of 24 bytes, allocated by T0 at use_after_free.c:43' \
            ' at use_after_free.c:28' 'frees   free(j) (24 bytes at block 1+0)'
        RF_SEED=$(token use_after_free.out) gives 1 again "$work/use_after_free"
        says again 'allocated by T0 at use_after_free.c:43'
    done
    says use_after_free.out 'reads   if (j && !strcmp(j->name, "none")) abort()'
}

# The C library would give one thread's block to the next one, ordered by nothing that is seen.
reused_memory_is_no_race() {
    seen "$1" "$2" use_after_free
    gives 0 reuse.out "$work/use_after_free" --executions=50 -- on
    lacks reuse.out 'race:'
}

# Where the same address is two objects: said, replayed by the token (not without its `u`), and not
# in the explorers that go through all schedules.
memory_is_given_out_again() {
    seen "$1" "$2" heap_again
    for backend in fiber threads; do
        gives 1 heap_again.out "$work/heap_again" --seed=1 --backend=$backend
        lacks heap_again.out 'race:'
        says heap_again.out 'Only where freed memory was given out again, as malloc may: the block'
        says heap_again.out 'has the address of block 1, freed by T2 at'
        says heap_again.out ' where block 1 was'
        token heap_again.out | grep '[.]u[.]'
        replays "$(token heap_again.out)" "$work/heap_again" --backend=$backend
        says again ' where block 1 was'
        RF_SEED=$(token heap_again.out | sed 's/[.]u[.]/./') gives 0 again "$work/heap_again"
    done
    for explorer in dfs bounded:2 dpor; do
        gives 0 all.out "$work/heap_again" --strategy=$explorer --executions=2000
        says all.out 'explored'
    done
}

what_strings_touch() {
    $1 -w -pthread tests/hook/strings.c -o "$work/real"
    gives 0 real.out "$work/real"
    seen "$1" "$2 -fno-builtin" strings
    run 1 strings 4
    functions=$(sed -n 's/^    X(\([a-z_]*\), .*/\1/p' tests/hook/strings.c)
    [ "$(echo "$functions" | wc -l)" -gt 40 ]
    for function in $functions; do
        says strings.out " in call_$function(), thread T"
    done
    gives 0 outside.out "$work/strings" --executions=8 -- outside
    lacks outside.out 'race:'
    # Beside one who reads, only what writes there is a race.
    gives 1 reading.out "$work/strings" --executions=4 --seed=1 -- reading
    for function in $functions; do
        case $function in
        *cpy | str*cat | strtok_r | strsep | bzero | s*printf | *read | fgets | *scanf*_to)
            says reading.out " in call_$function(), thread T" ;;
        *) lacks reading.out "in call_$function()," ;;
        esac
    done
}

# What calls leave through pointers is written by them.
what_calls_leave() {
    $1 -w -pthread tests/hook/results.c -o "$work/real"
    gives 0 real.out "$work/real"
    seen "$1" "$2 -fno-builtin" results
    gives 1 results.out "$work/results" --executions=10 --seed=1
    tr -s ' \n' ' ' <"$work/results.out" >"$work/results.words" # long lines are wrapped
    functions=$(sed -n 's/^    X(\([a-z_]*\), .*/\1/p' tests/hook/results.c)
    [ "$(echo "$functions" | wc -l)" -gt 50 ]
    for function in $functions; do says results.words "call_$function(), thread T"; done
    gives 0 after.out "$work/results" --executions=10 -- after
    lacks after.out 'race:'
}

# What calls of <time.h> read is the environment.
the_zone_is_in_the_environment() {
    seen "$1" "$2" zone
    for way in localtime ctime localtime_r mktime strftime; do
        gives 1 zone.out "$work/zone" --executions=10 -- $way
        says zone.out '  writes  setenv("TZ", "UTC", 1)'
        gives 0 zone.out "$work/zone" --executions=10 -- $way after
        lacks zone.out 'race:'
    done
}

# Nobody else is there: two calls in any order, and no more steps.
what_they_leave_on_their_own_stack_is_no_step() {
    seen "$1" "$2" own_results
    gives 0 own.out "$work/own_results" --strategy=dfs
    says own.out 'all 10 schedules explored'
}

# Fortified functions have other names.
with_what_compilers_make_of_them() {
    seen "$1" "$2 -D_FORTIFY_SOURCE=2" strings
    run 1 strings 4
    for function in strcpy strncat strcmp snprintf read fgets; do
        says strings.out " in call_$function(), thread T"
    done
    gives 0 outside.out "$work/strings" --executions=8 -- outside
    lacks outside.out 'race:'
}

for compiler in ${COMPILERS:-$CC}; do
    try engine $compiler
    try one_unit $compiler
    for level in ${LEVELS:--O1}; do
        try allocation_has_the_librarys_results $compiler $level
        try wrapped_objects $compiler $level
        try misuse_is_found $compiler $level
        try use_after_free_is_found $compiler $level
        try reused_memory_is_no_race $compiler $level
        try memory_is_given_out_again $compiler $level
        try what_strings_touch $compiler $level
        try with_what_compilers_make_of_them $compiler $level
        try what_calls_leave $compiler $level
        try the_zone_is_in_the_environment $compiler $level
        try what_they_leave_on_their_own_stack_is_no_step $compiler $level
    done
done
summary

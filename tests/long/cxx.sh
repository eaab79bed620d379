#!/bin/sh
# C++ as it is: racefuzz-c++ with g++; with NIGHTLY=1 also with clang++, with libstdc++ and libc++.
# What is found in the examples, how it is told, and that fixed twins and the library's own objects
# are left alone.
name=cxx
. tests/try.sh
as_installed
cp examples/cxx/*.cpp tests/cxx/*.cpp tests/cxx/get.h tests/cxx/*.c "$work"
cd "$work"

build() { racefuzz-c++ -std=c++17 "$@" 2>build.log || { cat build.log; return 1; }; }

# finds NAME WORDS...: the example fails, and the report has these words; its twin passes.
finds() {
    example=$1
    shift
    build "$example.cpp" -o "$example"
    gives 1 "$example.out" "./$example" --executions=300 --seconds=none
    for words do says "$example.out" "$words"; done
    ! grep -E '_Z[A-Z]|_ZN' "$example.out" || return 1 # all names are taken apart
    build -DFIXED "$example.cpp" -o "$example-fixed"
    gives 0 fixed.out "./$example-fixed" --executions=300 --seconds=none
}

a_string_buffer_that_shrinks_meanwhile_throws() {
    finds stringbuffer 'SIGABRT' 'at stringbuffer.cpp:23 in buffer::part()' 'std::out_of_range'
}

a_map_without_its_lock_is_a_race_of_the_program_s_own_lines() {
    finds settings 'race: real' 'settings.cpp:29 in set()' 'settings.cpp:22 in get()' \
        'holding all::s'
    lacks settings.out 'stl_tree.h' # nor anything else that these lines call
}

a_deque_without_its_fence_does_a_task_twice() {
    finds stealing 'assertion failed' 'done[1] <= 1 && done[2] <= 1' 'stealing.cpp:58) returned 0'
}

# Nothing of the library is told as its user's mistake, static objects of functions included.
the_library_s_own_objects_are_no_findings() {
    build -std=c++17 library.cpp -o library
    gives 0 library.out ./library --executions=100 --seconds=none
    lacks library.out 'note:'
    racefuzz-c++ -std=c++20 twenty.cpp -o twenty 2>build.log || skip "no C++20 here"
    gives 0 twenty.out ./twenty --executions=100 --seconds=none
}

# is_once NAME: what is done once is seen by all, and nothing else is.
is_once() {
    build "$1.cpp" -o "$1"
    gives 0 "$1.out" "./$1" --executions=300 --seconds=none
    says "$1.out" ' distinct'
    lacks "$1.out" 'note:'
    build -DRACE "$1.cpp" -o "$1"
    gives 1 "$1.out" "./$1" --executions=300 --seconds=none
    says "$1.out" 'race: real' "$1.cpp"
}

a_static_object_is_initialised_by_one_thread() { is_once guards; }

a_token_repeats_random_numbers() {
    build chance.cpp -o chance
    gives 1 chance.out ./chance --executions=200 --seconds=none
    replays "$(token chance.out)" ./chance
}

# main's, too.
objects_of_a_thread_are_destroyed_where_it_ends() {
    is_once locals
    build -DMAIN locals.cpp -o locals
    gives 1 locals.out ./locals --executions=300 --seconds=none
    says locals.out 'destroyed != 7'
}

# In the execution; it counts as the statement that has made the object.
static_objects_are_destroyed_beside_other_threads() {
    is_once statics
    says statics.out 'statics.cpp:9 in '
    lacks statics.out 'racefuzz.h'
}

call_once_calls_one_and_orders_it_before_all() { is_once once; }

# C and C++ in one program: hooked by names, and by the linker.
c_and_cxx_make_one_program() {
    racefuzz-cc -c part.c -o part.o
    build whole.cpp part.o -o whole
    gives 1 whole.out ./whole --executions=100 --seconds=none
    says whole.out 'part.c:' 'whole.cpp:'
}

# As test frameworks have theirs.
main_may_stand_in_a_library() {
    build -c whole.cpp -o whole.o
    racefuzz-cc -c part.c -o part.o
    ar rcs libwhole.a whole.o
    build part.o -L. -lwhole -o library
    gives 1 library.out ./library --executions=100 --seconds=none
    says library.out 'whole.cpp:'
}

a_library_apart_is_told() {
    racefuzz-c++ -std=c++17 -c settings.cpp -o apart.o
    "$RACEFUZZ_CXX" apart.o "$RACEFUZZ_ENGINE" \
        $(sed -n 's/^wrap_flags=//p' "$work/root/usr/share/pkgconfig/racefuzz.pc") -pthread -o apart
    gives 1 apart.out ./apart --executions=20
    says apart.out 'link with -static-libstdc++ -static-libgcc'
}

# A header of ours in front of the C++ library's own.
hooks_in_a_unit_of_cxx_change_no_name() {
    printf '#include <%s>\n' ctime thread cstdlib unistd.h >times.cpp
    "$RACEFUZZ_CXX" -std=c++17 -include racefuzz.h -DRF_HOOK_ALL -DRF_PROGRAM -I root/usr/include \
        -fsyntax-only times.cpp
}

# Of settings, as it was just built: its threads are the program's, whose lines are told, not those
# of our own start.
the_start_of_a_thread_is_no_place_of_the_program() {
    gives 1 settings.out ./settings --executions=300 --seconds=none --report=json:settings.json
    lacks settings.json '"racefuzz.h'
}

printf '#!/bin/sh\nexec clang++ -stdlib=libc++ "$@"\n' >libc++
chmod +x libc++
for RACEFUZZ_CXX in g++ ${NIGHTLY:+clang++ ./libc++}; do
    export RACEFUZZ_CXX
    if ! echo '#include <thread>' | "$RACEFUZZ_CXX" -x c++ -fsyntax-only - 2>/dev/null; then
        echo "# no $RACEFUZZ_CXX (apt install g++ clang libc++-dev libc++abi-dev)"
        continue
    fi
    try_all
done
summary

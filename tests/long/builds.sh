#!/bin/sh
# The builds of others (docs/builds.md), by the real tools: a project of a library, a program that
# tests it and knows nothing of racefuzz, and a program of RF_TESTs.  Each finds the race of the one
# and passes the other.
name=builds
. tests/try.sh
top=$(pwd)
unset CFLAGS LDFLAGS CPPFLAGS CC

# The engines that they compile are not optimised here, which takes a fifth of the time.
quick() {
    mkdir -p "$work/bin"
    printf '#!/bin/sh\nexec %s "$@" -O0\n' "$(command -v "$1")" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}
[ "${NIGHTLY:-}" ] || { quick gcc; PATH=$work/bin:$PATH; }

# A project of NAME: its sources.
project() {
    at=$work/$1
    rm -rf "$at"
    mkdir -p "$at/lib" "$at/test"
    cat >"$at/lib/count.h" <<'END'
void count_up(void);
int count_of(void);
END
    cat >"$at/lib/count.c" <<'END'
#include "count.h"
static int count;
void count_up(void) { count += STEP; }
int count_of(void) { return count; }
END
    cat >"$at/test/test_count.c" <<'END'
#include <pthread.h>
#include "count.h"
static void *ups(void *p) { count_up(); return p; }
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, ups, NULL);
    count_up();
    pthread_join(t, NULL);
    return count_of() != 2;
}
END
    cat >"$at/test/tests.c" <<'END'
#include <racefuzz.h>
RF_TEST(is_right) { RF_ASSERT_EQ(1 + 1, 2); }
RF_TEST(is_wrong) { RF_ASSERT_EQ(1 + 1, 3); }
RF_MAIN()
END
}

# finds FILE: what the tool said of the three tests.
finds() {
    grep -A300 'race: real' "$work/$1" | grep -q 'count += STEP' || { cat "$work/$1"; return 1; }
    says "$1" 'count.c:3'
}

installed() {
    make -s install DESTDIR= PREFIX="$work/prefix"
    [ -f "$work/prefix/share/cmake/racefuzz/racefuzzConfig.cmake" ]
}

# ---- CMake ----

# cmake_project NAME HOW: the last word makes racefuzz known.
cmake_project() {
    project "$1"
    cat >"$work/$1/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.13)
project(count C)
set(CMAKE_C_FLAGS "\${CMAKE_C_FLAGS} -Wall")
enable_testing()
find_package(Threads REQUIRED)
$2
add_library(count STATIC lib/count.c)
target_include_directories(count PUBLIC lib)
target_compile_definitions(count PRIVATE STEP=1)
add_executable(test_count test/test_count.c)
target_link_libraries(test_count PRIVATE count Threads::Threads)
add_test(NAME test_count COMMAND test_count)
racefuzz_add_test(test_count OPTIONS --executions=200)
add_executable(tests test/tests.c)
target_link_libraries(tests PRIVATE racefuzz::racefuzz racefuzz::engine)
racefuzz_discover_tests(tests)
END
}

# by_cmake COMPILER NAME HOW [FLAG...]
by_cmake() {
    needs cmake "$1"
    cmake_project "$2" "$3"
    compiler=$1 at=$work/$2
    shift 3
    cmake -S "$at" -B "$at/build" -DCMAKE_C_COMPILER="$compiler" "$@"
    cmake --build "$at/build" -j 2
    fails ctest --test-dir "$at/build" --output-on-failure >"$work/ctest" 2>&1
    finds ctest
    says ctest 'test_count_racefuzz'
    grep -E 'tests\.is_right \.+ +Passed' "$work/ctest"
    grep -E 'tests\.is_wrong \.+\*\*\*Failed' "$work/ctest"
    grep -E ' test_count \.+ +Passed' "$work/ctest"
}

found_package='find_package(racefuzz 0.2 REQUIRED)'
subdirectory="add_subdirectory($top racefuzz)"
fetched="include(FetchContent)
FetchContent_Declare(racefuzz SOURCE_DIR $top)
FetchContent_MakeAvailable(racefuzz)"

# Of C++ alone, of a standard that the compiler does not have by itself; it ran without racefuzz
# and passed.
a_program_of_cxx_by_cmake() {
    needs cmake gcc g++
    at=$work/plus
    mkdir -p "$at"
    cat >"$at/count.cc" <<'END'
#include <thread>
#include <version>
#ifndef __cpp_lib_jthread
# error not the standard that was asked for
#endif
static int count;
static void count_up() { count += STEP; }
int main(int arguments, char **) {
    if (arguments != 3) return 0;
    { std::jthread one(count_up), other(count_up); }
    return count != 2;
}
END
    cat >"$at/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.13)
project(count CXX)
enable_testing()
find_package(racefuzz 0.2 REQUIRED)
add_executable(count count.cc)
$1
target_compile_definitions(count PRIVATE STEP=1)
target_link_libraries(count PRIVATE -pthread)
racefuzz_add_test(count NAME counts OPTIONS --executions=50 ARGUMENTS 1 2)
END
    cmake -S "$at" -B "$at/build" -DCMAKE_C_COMPILER="$(command -v gcc)" \
        -DCMAKE_PREFIX_PATH="$work/prefix"
    cmake --build "$at/build"
    fails ctest --test-dir "$at/build" --output-on-failure >"$work/ctest" 2>&1
    says ctest 'race: real' 'count.cc:7 in count_up()'
}

another_version_is_not_taken() {
    needs cmake
    cmake_project other 'find_package(racefuzz 9.1 REQUIRED)'
    fails cmake -S "$work/other" -B "$work/other/build" -DCMAKE_PREFIX_PATH="$work/prefix" \
        >"$work/other.out" 2>&1
    says other.out 'version: 0.2.0'
}

# ---- Meson ----

by_meson() {
    needs meson ninja "$1" g++
    project meson
    at=$work/meson
    mkdir "$at/subprojects"
    cp packaging/racefuzz.wrap "$at/subprojects"
    mkdir -p "$at/subprojects/racefuzz/packaging" "$at/subprojects/racefuzz/src"
    cp racefuzz.h racefuzz_mem.h meson.build "$at/subprojects/racefuzz"
    cp packaging/engine.c "$at/subprojects/racefuzz/packaging"
    cp src/racefuzz-cc "$at/subprojects/racefuzz/src"
    cat "$at/lib/count.c" "$at/test/test_count.c" >"$at/test/plus.cc"
    cat >"$at/meson.build" <<'END'
project('count', 'c', 'cpp')
racefuzz = subproject('racefuzz')
threads = dependency('threads')
sources = files('lib/count.c')
inc = include_directories('lib')
step = '-DSTEP=1'
count = static_library('count', sources, include_directories: inc, c_args: step)
test('test_count', executable('test_count', 'test/test_count.c', include_directories: inc,
  link_with: count, dependencies: threads))
test('test_count_racefuzz', executable('test_count_racefuzz', 'test/test_count.c', sources,
    include_directories: inc, c_args: step,
    dependencies: racefuzz.get_variable('racefuzz_program_dep')),
  args: ['--executions=200'])
test('plus_racefuzz', executable('plus_racefuzz', 'test/plus.cc', include_directories: inc,
    cpp_args: step, dependencies: racefuzz.get_variable('racefuzz_program_dep')),
  args: ['--executions=200'])
test('tests', executable('tests', 'test/tests.c',
    dependencies: racefuzz.get_variable('racefuzz_engine_dep')),
  protocol: 'tap', args: ['--format=tap'])
END
    CC=$1 meson setup "$at/build" "$at"
    fails meson test -C "$at/build" --print-errorlogs >"$work/meson.out" 2>&1
    finds meson.out
    grep -E 'test_count +OK' "$work/meson.out"
    grep -E 'test_count_racefuzz +FAIL' "$work/meson.out"
    grep -E 'plus_racefuzz +FAIL' "$work/meson.out" # in C++
    says meson.out 'plus.cc:3'
    grep -E 'is_wrong|tests +FAIL' "$work/meson.out"
}

# ---- Autotools ----

by_autotools() {
    needs autoreconf automake "$1"
    project autotools
    at=$work/autotools
    cat >"$at/configure.ac" <<'END'
AC_INIT([count], [1])
AM_INIT_AUTOMAKE([foreign subdir-objects -Wall])
AC_PROG_CC
AC_ARG_VAR([RACEFUZZ], [the folder of racefuzz.h])
AM_PROG_AR
AC_PROG_RANLIB
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
    sed -n '/^```make Makefile.am$/,/^```$/p' docs/builds.md | grep -v '^```' >"$at/Makefile.am"
    (cd "$at" && autoreconf -i && ./configure CC="$1" CFLAGS="-g -O0" \
        PKG_CONFIG_PATH="$work/prefix/share/pkgconfig" RACEFUZZ="$work/prefix/include")
    fails make -C "$at" check VERBOSE=1 >"$work/autotools.out" 2>&1
    finds autotools.out
    says autotools.out 'PASS: test_count' 'FAIL: test_count_racefuzz'
}

# ---- pkg-config, recipes ----

by_pkg_config() {
    needs pkg-config "$1"
    project pkg
    export PKG_CONFIG_PATH="$work/prefix/share/pkgconfig"
    [ "$(pkg-config --modversion racefuzz)" = "$(sed -n 's/^#define RF_VERSION_[A-Z]* //p' \
        src/api/switches.h | paste -s -d . -)" ]
    "$1" $(pkg-config --cflags racefuzz) -DRF_IMPLEMENTATION "$work/pkg/test/tests.c" \
        $(pkg-config --libs racefuzz) -o "$work/pkg/tests"
    gives 1 pkg.out "$work/pkg/tests"
    says pkg.out '1 passed, 1 failed'
}

recipes_are_well_formed() {
    needs python3
    python3 -c 'import json, sys; sys.exit(json.load(open(sys.argv[1]))["name"] != "racefuzz")' \
        packaging/vcpkg/racefuzz/vcpkg.json
    python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' packaging/conan/conanfile.py
    version=$(sed -n 's/^#define RF_VERSION_[A-Z]* //p' src/api/switches.h | paste -s -d . -)
    grep -F "\"version\": \"$version\"" packaging/vcpkg/racefuzz/vcpkg.json
    grep -F "version: '$version'" meson.build
}

try installed
try recipes_are_well_formed
for compiler in gcc ${NIGHTLY:+clang}; do # the other one, and what fetches, at night
    try by_cmake $compiler package "$found_package" -DCMAKE_PREFIX_PATH="$work/prefix"
    try by_meson $compiler
    try by_autotools $compiler
    try by_pkg_config $compiler
done
try by_cmake gcc subdirectory "$subdirectory"
try a_program_of_cxx_by_cmake 'target_compile_features(count PRIVATE cxx_std_20)'
try a_program_of_cxx_by_cmake 'set_target_properties(count PROPERTIES CXX_STANDARD 20)'
[ -z "${NIGHTLY:-}" ] || try by_cmake gcc fetched "$fetched" -G Ninja
try another_version_is_not_taken
summary

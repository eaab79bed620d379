#!/bin/sh
# examples/frameworks: each adapter, built against its framework, finds the race in the middle of
# the framework's run and replays it; the other tests of that run pass, and so does the mended code.
# With NIGHTLY=1 explorations in one process under valgrind, and Catch2, whose main takes longest to
# compile.
name=long_frameworks
. tests/try.sh
cache=$(cd "$BUILD" && pwd)/frameworks
mkdir -p "$cache"
. tests/thirdparty/fetch.sh
install="apt-get install check libcmocka-dev libcriterion-dev libglib2.0-dev catch2 libgtest-dev"
ar p "$library" racefuzz.o >"$work/engine.o"

# parts PACKAGE...: those of a framework that is not installed, in one folder, for compilers,
# linkers and programs.
triplet=$(gcc -print-multiarch)
root=
parts() {
    root=$work/root
    rm -rf "$root"
    mkdir "$root"
    for p; do
        (apt_ready && package "$p") || skip "no $p: $install"
        cp -R "$cache/$p/usr" "$root"
    done
}

# flags FRAMEWORK: sets $flags and $link.
flags() {
    link= flags=
    case $1 in
    unity)
        [ -e "${UNITY:-}/unity.c" ] || skip "no Unity (Debian has none): UNITY=path/to/Unity/src"
        flags="-I$UNITY $UNITY/unity.c"
        ;;
    gtest)
        [ -e /usr/include/gtest/gtest.h ] || skip "no GoogleTest: $install"
        link="-lgtest -lgtest_main"
        ;;
    *)
        module=$1
        [ "$1" != glib ] || module=glib-2.0
        [ "$1" != catch2 ] || module=
        if [ -n "$module" ] && pkg-config --exists "$module"; then
            flags=$(pkg-config --cflags "$module") link=$(pkg-config --libs "$module")
            return
        fi
        case $1 in
        check)
            parts check libsubunit-dev libsubunit0
            link="-lcheck_pic -lsubunit -lm -lrt"
            ;;
        cmocka)
            parts libcmocka-dev libcmocka0
            link=-lcmocka
            ;;
        criterion)
            parts libcriterion-dev libcriterion3 libgit2-1.5 libnanomsg5 libmbedtls14 \
                libmbedx509-1 libmbedcrypto7 libhttp-parser2.9
            link=-lcriterion
            ;;
        glib)
            [ -e "/usr/lib/$triplet/libglib-2.0.so.0" ] || skip "no GLib: $install"
            parts libglib2.0-dev
            flags="-I$root/usr/include/glib-2.0 -I$root/usr/lib/$triplet/glib-2.0/include"
            link=/usr/lib/$triplet/libglib-2.0.so.0
            ;;
        catch2)
            [ -e /usr/include/catch2 ] || parts catch2
            ;;
        esac
        [ -z "$root" ] || flags="$flags -I$root/usr/include"
        at=$root/usr/lib/$triplet
        [ -z "$root" ] || link="-L$at -Wl,-rpath-link,$at $link"
        ;;
    esac
}

# Catch2's version 2 is one header, whose main takes 10 s to compile: for each change the programs
# share one.
main_apart() {
    [ -z "${NIGHTLY:-}" ] || return 0
    printf '%s\n' '#define CATCH_CONFIG_MAIN' '#include <catch2/catch.hpp>' >"$work/main.cc"
    ${CXX:-g++} -std=c++17 $flags -c "$work/main.cc" -o "$work/main.o" 2>"$work/main" || return 0
    sed '/define CATCH_CONFIG_MAIN/d' examples/frameworks/catch2.cc >"$work/catch2.cc"
    flags="-Iexamples/frameworks $flags" link="$work/main.o $link"
}

# build FRAMEWORK PROGRAM FLAG...
build() {
    source=examples/frameworks/$1.c to=$work/$2 compiler="$CC -std=gnu11"
    [ -e "$source" ] || source=examples/frameworks/$1.cc compiler="${CXX:-g++} -std=c++17"
    [ ! -e "$work/$1.cc" ] || source=$work/$1.cc
    shift 2
    $compiler -Wall -Wextra -I. -DRFI_LINKED "$@" $flags "$source" "$work/engine.o" $link \
        -pthread -o "$to"
}

# framework NAME FAILED PASSED: what its summary says of a run in which one of three has failed, and
# of one in which none has.
framework() {
    flags "$1"
    [ "$1" != catch2 ] || main_apart
    build "$1" "$1"
    build "$1" "$1-fixed" -DFIXED
    cd "$work"
    export LD_LIBRARY_PATH="$root/usr/lib/$triplet"
    ! ./"$1" >said 2>&1
    says said "race: real, harmful (test selling)" "FAIL selling: " "$2"
    [ "$(grep -c "FAIL selling" said)" -eq 1 ] # no execution has gone on in the framework
    RF_SEED=$(token said) fails ./"$1" >again 2>&1
    says again "racefuzz: replay of execution" "$2"
    gives 0 good ./"$1-fixed"
    cat good.err >>good
    says good "$3"
}

explorations_leave_valgrind_nothing_to_say() {
    command -v valgrind >/dev/null || skip "no valgrind: apt-get install valgrind"
    $CC -std=c11 -D_GNU_SOURCE -g -I. tests/inside/home.c -DRFI_LINKED "$work/engine.o" \
        -o "$work/home" -pthread
    RF_JOBS=0 MANY=1000 valgrind -q --error-exitcode=9 --leak-check=full "$work/home" many
    MANY=2 valgrind -q --error-exitcode=9 --leak-check=full "$work/home" many
}

try framework check "66%: Checks: 3, Failures: 1, Errors: 0" "100%: Checks: 3, Failures: 0"
try framework cmocka "[  PASSED  ] 2 test(s)." "[  PASSED  ] 3 test(s)."
try framework criterion "Passing: 2 | Failing: 1 | Crashing: 0" "Passing: 3 | Failing: 0"
try framework glib "not ok 2 /stock/selling" "ok 3 /stock/zafter"
[ -z "${NIGHTLY:-}" ] ||
    try framework catch2 "test cases: 3 | 2 passed | 1 failed" "All tests passed"
try framework gtest "[  PASSED  ] 2 tests." "[  PASSED  ] 3 tests."
try framework unity "3 Tests 1 Failures 0 Ignored" "3 Tests 0 Failures 0 Ignored"
[ -z "${NIGHTLY:-}" ] || try explorations_leave_valgrind_nothing_to_say
summary

#!/bin/sh
# Test programs of other projects, built by racefuzz-cc in the place of the compiler, unedited: each
# comes to a verdict, without a false finding.  Run by make check-thirdparty, with CC and BUILD set.
name=thirdparty/suites
. tests/try.sh
. tests/thirdparty/lab.sh

racefuzz_cc=$(pwd)/src/racefuzz-cc
racefuzz_cxx=$work/racefuzz-c++
ln -sf "$racefuzz_cc" "$racefuzz_cxx"
export RACEFUZZ_CC="$CC" RACEFUZZ_CXX RACEFUZZ_ENGINE="$work/engine.o"
case $CC in *clang*) RACEFUZZ_CXX=clang++ ;; *) RACEFUZZ_CXX=g++ ;; esac

# makes NAME PACKAGE TARGET OPTION...: with the project's own CMakeLists.txt.
makes() {
    needs "$2"
    command -v cmake >/dev/null || skip "no cmake: apt-get install cmake"
    to=$work/$1 source=$cache/$2 target=$3
    shift 3
    (CC=$racefuzz_cc cmake -S "$source" -B "$to" -DCMAKE_BUILD_TYPE=Debug "$@" &&
        make -C "$to" "$target") >"$to.made" 2>&1 || { tail "$to.made"; return 1; }
}

# Its runner of tests starts processes; ours calls the one that is named.
makes_uv() {
    makes uv libuv1-source uv_a
    at=$cache/libuv1-source
    files="thread mutexes semaphore barrier condvar async async-null-cb threadpool
        threadpool-cancel thread-equal"
    for file in $files; do echo "$at/test/test-$file.c"; done >"$work/uv.files"
    {
        echo '#include "task.h"'
        echo 'void notify_parent_process(void) {}'
        uv_tests | sed 's/.*/int run_test_&(void);/'
        echo 'int main(int argc, char **argv) {'
        uv_tests | sed 's/.*/if (!strcmp(argv[1], "&")) return run_test_&();/'
        echo 'return argc; }'
    } >"$work/uv/runner.c"
    "$racefuzz_cc" -g -w -D_GNU_SOURCE -I"$at/include" -I"$at/src" -I"$at/test" \
        "$work/uv/runner.c" $(cat "$work/uv.files") "$work/uv/libuv_a.a" -o "$work/uv/test" \
        -ldl -lpthread
}

uv_tests() {
    sed -n 's/^TEST_IMPL(\([a-z_0-9]*\)).*/\1/p' $(cat "$work/uv.files")
}

makes_libevent() {
    makes libevent libevent-source regress -DEVENT__DISABLE_OPENSSL=ON \
        -DEVENT__LIBRARY_TYPE=STATIC -DEVENT__DISABLE_BENCHMARK=ON -DEVENT__DISABLE_SAMPLES=ON
}

makes_nng() {
    makes nng nng-source synch -DNNG_TESTS=ON -DNNG_TOOLS=OFF -DBUILD_SHARED_LIBS=OFF
    make -C "$work/nng" list_test >>"$work/nng.made" 2>&1
}

makes_xz() { makes xz xz-utils-source xz -DBUILD_SHARED_LIBS=OFF; }

makes_lmdb() {
    needs lmdb-source
    copy "$cache/lmdb-source/libraries/liblmdb" lmdb
    make -C "$work/lmdb" CC="$racefuzz_cc" mtest mtest2 mtest3 >"$work/lmdb.made" 2>&1
}

# What is made of its sources first is made by the compiler.
makes_sqlite() {
    needs sqlite3-source
    command -v tclsh >/dev/null || skip "no tclsh: apt-get install tcl"
    mkdir -p "$work/sqlite"
    (cd "$work/sqlite" && sh "$cache/sqlite3-source/configure" --disable-tcl CC="$CC" &&
        make sqlite3.c) >"$work/sqlite.made" 2>&1 || { tail "$work/sqlite.made"; return 1; }
    "$racefuzz_cc" -g -w -DSQLITE_OMIT_LOAD_EXTENSION -I"$work/sqlite" \
        "$cache/sqlite3-source/test/threadtest4.c" "$work/sqlite/sqlite3.c" \
        -o "$work/sqlite/threadtest4" -lpthread
}

# Those of one dimension: the others call the same code by other indices.
pool_test() {
    mkdir -p "$work/$2"
    sed '/^TEST(Parallelize1DWithThread/,$d' "$cache/pthreadpool-source/test/pthreadpool.cc" \
        >"$work/$2/one.cc"
    at=$cache/libgtest-dev/usr
    for source in memory portable-api pthreads; do
        "$racefuzz_cc" -g -w -D_GNU_SOURCE $pool_flags -I"$1/src" -c "$1/src/$source.c" \
            -o "$work/$2/$source.o"
    done
    "$racefuzz_cxx" -g -w $pool_flags -I"$at/include" "$work/$2/one.cc" "$work/$2"/*.o \
        "$at/lib/$(uname -m)-linux-gnu/libgtest_main.a" \
        "$at/lib/$(uname -m)-linux-gnu/libgtest.a" -o "$work/$2/test"
}

makes_pool() {
    needs pthreadpool-source libfxdiv-dev libgtest-dev
    command -v "$RACEFUZZ_CXX" >/dev/null || skip "no $RACEFUZZ_CXX"
    pool_test "$cache/pthreadpool-source" pool_shipped
    pool_mended pool_source
    pool_test "$work/pool_source" pool
}

# Not that of more than a million steps.
pool_tests() {
    sed -n 's/^TEST(\(.*\), \(.*\)) {/\1.\2/p' "$work/pool/one.cc" |
        grep -v MultiThreadPoolEachItemProcessedMultipleTimes
}

# By its own makefile, as C90; some of them rely on the order of sleeps of 100 ms and more.
case $CC in *clang*) nsync_by=clang ;; *) nsync_by=gcc ;; esac
nsync_tests="counter_test cv_wait_example_test dll_test mu_wait_example_test note_test once_test
    wait_test"

makes_nsync() {
    needs nsync-source
    copy "$cache/nsync-source" nsync
    made=$work/nsync/builds/$(uname -m).linux.$nsync_by
    [ -d "$made" ] || skip "it has no makefile for $(uname -m)"
    make -C "$made" CC="$racefuzz_cc" $nsync_tests >"$work/nsync.made" 2>&1 ||
        { tail "$work/nsync.made"; return 1; }
}

# As librdkafka has it, in which C11 threads of the C library are chosen by a configure.
makes_tinycthread() {
    needs librdkafka-source
    copy "$cache/librdkafka-source/src" tinycthread
    : >"$work/config.h"
    "$racefuzz_cc" -g -w -I"$work/tinycthread" tests/thirdparty/tinycthread.c \
        "$work/tinycthread/tinycthread.c" -o "$work/tinycthread/test"
}

# ends PROGRAM OPTION... [-- ARGUMENT...]: no failure, and nothing that was cut off.
ends() {
    runs "$@"
    lacks out 'had not ended'
}

# runs PROGRAM OPTION... [-- ARGUMENT...]: no failure.
runs() {
    program=$work/$1
    shift
    [ -x "$program" ] || skip "it was not built"
    rm -rf "$work/in" # data of another run would make this one longer
    mkdir -p "$work/in/testdb" && cd "$work/in"
    gives 0 out "$program" --executions=20 "$@"
    says out '1 passed, 0 failed'
}

# Each destroys a pool: the wake-up that gets lost then is found by one of them (docs/wild.md).
a_test_of_the_pool_as_it_is_fails() {
    [ -x "$work/pool_shipped/test" ] || skip "it was not built"
    set -- -- --gtest_filter=Parallelize1D.MultiThreadPoolEachItemProcessedOnce
    gives 1 out "$work/pool_shipped/test" --executions=100 "$@"
    says out 'deadlock: nobody can wake the waiting threads' '(from pthreads.c:'
    gives 1 again env RF_SEED="$(token out)" "$work/pool_shipped/test" "$@"
    says again 'deadlock: nobody can wake the waiting threads'
}

fetch libuv1-source libevent-source nng-source xz-utils-source lmdb-source \
    sqlite3-source "$pool_version" libfxdiv-dev libgtest-dev nsync-source=1.29.2 \
    librdkafka-source 2>"$work/fetch.err" ||
    cat "$work/fetch.err"
try engine
for project in uv libevent nng xz lmdb sqlite pool nsync tinycthread; do try makes_$project; done

# Not what looks up names of hosts, which may be nowhere, nor thousands of requests.
for part in $(uv_tests | grep -v -e getaddrinfo -e getnameinfo -e multiple_event_loops); do
    case $part in
    condvar_5) try ends uv/test --no-spurious -- $part ;; # would not wait again
    *) try ends uv/test -- $part ;;
    esac
done
# They count how often somebody wakes up.
for part in conditions_simple no_events; do
    try ends libevent/bin/regress --no-spurious -- --no-fork thread/$part
done
try ends nng/src/core/list_test
try ends nng/tests/synch
cp LICENSE "$work/text"
try ends xz/xz -- -0 -T2 --block-size=512 -k -c "$work/text"
for part in mtest mtest2 mtest3; do try ends lmdb/$part --executions=3 --steps=4000000; done
for part in $(pool_tests); do try ends pool/test -- --gtest_filter="$part"; done
try a_test_of_the_pool_as_it_is_fails
at=nsync/builds/$(uname -m).linux.$nsync_by
for part in $nsync_tests; do try ends "$at/$part" --executions=3; done
try ends tinycthread/test
# Two threads make some 20 million steps: it is the beginning that is explored.
try runs sqlite/threadtest4 --executions=5 --min-executions=1 --seconds=40 --steps=200000 -- 2
summary

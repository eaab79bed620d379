#!/bin/sh
# Hunts (docs/wild.md): code of others that is not mended, built by racefuzz-cc in the place of the
# compiler.  What was found is found, and gone with the change that the page tells.  Run by make
# check-thirdparty, with CC and BUILD set.
name=thirdparty/hunts
. tests/try.sh
. tests/thirdparty/lab.sh

racefuzz_cc=$(pwd)/src/racefuzz-cc
export RACEFUZZ_CC="$CC" RACEFUZZ_ENGINE="$work/engine.o"

# configured NAME PACKAGE OPTION...: a copy of the source, by its own configure.
configured() {
    needs "$2"
    copy "$cache/$2" "$1"
    tree=$work/$1
    shift 2
    (cd "$tree" && ./configure CC="$racefuzz_cc" "$@") >"$tree.made" 2>&1 ||
        { tail "$tree.made"; return 1; }
}

# made TREE TARGET...: by its own makefile.
made() {
    tree=$work/$1
    shift
    make -C "$tree" "$@" >>"$work/made" 2>&1 || { tail "$work/made"; return 1; }
}

# builds PROGRAM ARGUMENT...: a driver with what it drives.
builds() {
    mkdir -p "$work/$1"
    to=$work/$1/test
    shift
    "$racefuzz_cc" -g -w -D_GNU_SOURCE "$@" -o "$to"
}

# with_arguments PROGRAM ARGUMENT...: $work/PROGRAM/test calls $work/PROGRAM/PROGRAM by them.
with_arguments() {
    to=$work/$1
    shift
    echo "exec '$to/${to##*/}' \"\$@\" -- $* </dev/null" >"$to/test"
    chmod +x "$to/test"
}

# ---- libqb: a log whose messages a thread of its own passes on ----

qb_log() {
    made qb_source -C lib
    builds "$1" -I"$work/qb_source/include" tests/thirdparty/qb_log.c \
        "$work/qb_source/lib/.libs/libqb.a" -ldl
}

# It counts who is inside in one place for all threads; and who stops the third thread tells it
# before it posts.
qb_tests() {
    configured qb_source libqb-source --disable-shared --enable-static
    made qb_source -C include
    qb_log qb_shipped
    change "$work/qb_source/lib/log.c" 's/^static \(int32_t in_logger\)/static __thread \1/'
    qb_log qb_stops
    change "$work/qb_source/lib/log_thread.c" '/wthread_should_exit = QB_TRUE;/{N;N
        s/\(.*\)\n\(.*unlock.*\)\n\(.*post.*\)/\1\n\3\n\2/;}'
    qb_log qb
}

# ---- jemalloc: a word of bits, some of which change ----

# Its makefile compiles all of it twice, for its names to be private.
je_bits() {
    builds "$1" -DJEMALLOC_NO_PRIVATE_NAMESPACE -D_REENTRANT -I"$work/je_source/include" \
        tests/thirdparty/je_bits.c "$work"/je_source/src/[!z]*.c -lm
}

je_tests() {
    configured je_source jemalloc-source --with-jemalloc-prefix=je_ --disable-cxx
    je_bits je_shipped
    change "$work/je_source/include/jemalloc/internal/edata.h" \
        's/^\(\t*\)uint64_t\(\t*e_bits;\)/\1_Atomic uint64_t\2/'
    je_bits je
}

# ---- libmicrohttpd: servers that start and stop, its own test ----

mhd() {
    made mhd_source -C src/microhttpd libmicrohttpd.la test_start_stop
    mkdir -p "$work/$1"
    cp "$work/mhd_source/src/microhttpd/test_start_stop" "$work/$1/test"
}

mhd_tests() {
    configured mhd_source libmicrohttpd-source --disable-shared --disable-curl --disable-https \
        --disable-doc --disable-examples
    mhd mhd_shipped
    change "$work/mhd_source/src/microhttpd/internal.h" \
        's/^  volatile bool shutdown;/  _Atomic bool shutdown;/'
    mhd mhd
}

# ---- apr: memory that two threads take from one allocator ----

apr_pools() {
    made apr_source libapr-1.la
    builds "$1" -I"$work/apr_source/include" tests/thirdparty/apr_pools.c \
        "$work/apr_source/.libs/libapr-1.a"
}

apr_tests() {
    configured apr_source apr-source --disable-shared
    apr_pools apr_shipped
    change "$work/apr_source/memory/unix/apr_pools.c" \
        's/(index <= allocator->max_index)/(index <= __atomic_load_n(\&allocator->max_index, 0))/' \
        's/ \(allocator->max_index\) = \(max_index\);/ __atomic_store_n(\&\1, \2, 0);/'
    apr_pools apr
}

# ---- x264: an encoder of three small pictures in two threads ----

x264_tests() {
    needs x264-source
    copy "$cache/x264-source" x264_source
    (cd "$work/x264_source" && CC=$racefuzz_cc ./configure --disable-asm --disable-opencl \
        --bit-depth=8 --disable-avs --disable-swscale --disable-lavf --disable-ffms \
        --disable-gpac --disable-lsmash) >"$work/x264.made" 2>&1
    made x264_source x264
    mkdir -p "$work/x264"
    cp "$work/x264_source/x264" "$work/x264/x264"
    head -c 4608 racefuzz.h >"$work/pictures" # 32 * 32 points of 1.5 bytes each
    with_arguments x264 --demuxer raw --input-res 32x32 --threads 2 --preset ultrafast \
        -o /dev/null "'$work/pictures'"
}

# ---- silversearcher-ag: workers that note a match ----

ag_sources="decompress ignore lang log main options print scandir search util zfile"

# ag PROGRAM TREE
ag() {
    ag_source=$work/$2/src
    # shellcheck disable=SC2046,SC2059,SC2086 # lists
    builds "$1" -fcommon -DHAVE_PTHREAD_H -DHAVE_ERR_H -DHAVE_DIRENT_DTYPE -DHAVE_GETLINE \
        -DHAVE_REALPATH -DHAVE_STRNDUP -DHAVE_VASPRINTF -DPACKAGE_VERSION='""' -I"$work" \
        -I"$cache/libpcre3-dev/usr/include" $(printf "$ag_source/%s.c " $ag_sources) \
        $(find "$cache/libpcre3-dev" -name libpcre.a)
    mv "$work/$1/test" "$work/$1/$1"
    with_arguments "$1" --workers=2 needle "'$work/texts'"
}

ag_tests() {
    needs silversearcher-ag-source libpcre3-dev
    mkdir -p "$work/texts/a" "$work/texts/b"
    echo "a needle" >"$work/texts/a/one"
    echo "needle needle" >"$work/texts/b/two"
    : >"$work/config.h"
    copy "$cache/silversearcher-ag-source" ag_source
    ag ag_shipped ag_source
    copy "$work/ag_source" ag_changed
    change "$work/ag_changed/src/search.c" '/^        opts.match_found = 1;/d' \
        's/^        pthread_mutex_lock(&print_mtx);/&\n        opts.match_found = 1;/'
    ag ag ag_changed
}

# ---- all of it ----

fetch libqb-source jemalloc-source silversearcher-ag-source libpcre3-dev libmicrohttpd-source \
    apr-source x264-source 2>"$work/fetch.err" || cat "$work/fetch.err"
try engine

executions=1000
try qb_tests
try is_found qb_shipped '' 'race: real, harmful'
try is_found qb_stops '' 'ended with a failure'
try passes qb
try ag_tests
try is_found ag_shipped '' 'opts.match_found = 1'
try passes ag
try apr_tests
try is_found apr_shipped '' 'allocator->max_index'
try passes apr
try je_tests
try is_found je_shipped '' 'edata->e_bits'
try passes je
executions=50
export RF_STEPS=20000 # a flag that is never seen is waited for
try mhd_tests
try is_found mhd_shipped '' 'daemon->shutdown = true'
try passes mhd
export RF_STEPS=300000
try x264_tests
try is_found x264 '' 'memcpy( &dst->i_frame'
executions=1
export RF_STEPS=20000000 # all 4.5 million
try is_found x264 '' 'memcpy( &dst->i_frame'
summary

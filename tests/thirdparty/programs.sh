#!/bin/sh
# Programs of others, or what is in them, under instrumentation (docs/inside/third-party.md): they
# pass, and a fault that is planted in them is found and repeats.  Run by make check-thirdparty,
# with CC and BUILD set.
name=thirdparty/programs
. tests/try.sh
. tests/thirdparty/lab.sh

# ---- zstd's thread pool ----

zstd() {
    for source in "$1/common/pool.c" "$1/common/zstd_common.c" "$1/common/error_private.c" \
        tests/thirdparty/zstd_pool.c; do
        object "$2" "$source" -DZSTD_MULTITHREAD -DZSTD_DISABLE_ASM -I"$1" -I"$1/common"
    done
    program "$2"
}

zstd_tests() {
    needs libzstd-source
    zstd "$cache/libzstd-source/lib" zstd
    copy "$cache/libzstd-source/lib" zstd_source
    change "$work/zstd_source/common/pool.c" \
        '/job.function(job.opaque);/,/^        }/{/pthread_mutex/d;}'
    zstd "$work/zstd_source" zstd_bad
}

# ---- lbzip2's scheduler ----

# What only computes is not instrumented.
lbzip2() {
    tree=$1 to=$2
    set -- -D_GL_INLINE_HEADER_BEGIN= -D_GL_INLINE_HEADER_END= "-D_GL_INLINE=static inline" \
        -D_GL_ATTRIBUTE_CONST= -D_GL_ATTRIBUTE_PURE= -DHAVE_CLOCK_GETTIME \
        -I"$work/lbzip2_config" -I"$tree/src" -I"$tree/lib"
    for source in "$tree/src/process.c" "$tree/src/compress.c" "$tree/src/expand.c" \
        tests/thirdparty/lbzip2.c; do
        object "$to" "$source" "$@"
    done
    for source in src/encode src/divbwt src/crctab src/decode src/parse lib/gettime \
        lib/timespec-add lib/timespec-sub lib/dtotimespec; do
        object "$to" "$tree/$source.c" "$@" -fno-sanitize=thread
    done
    program "$to"
}

lbzip2_tests() {
    needs lbzip2-source
    mkdir -p "$work/lbzip2_config"
    : >"$work/lbzip2_config/config.h"
    lbzip2 "$cache/lbzip2-source" lbzip2
    copy "$cache/lbzip2-source" lbzip2_source
    change "$work/lbzip2_source/src/process.c" \
        '/^source_release_buffer(/,/^}/{/xlock(\|xunlock(/d;}'
    lbzip2 "$work/lbzip2_source" lbzip2_bad
}

# lbzip2_signals TREE PROGRAM
lbzip2_signals() {
    for source in "$1/src/signals.c" tests/thirdparty/lbzip2_signals.c; do
        object "$2" "$source" -D_GL_INLINE_HEADER_BEGIN= -D_GL_INLINE_HEADER_END= -D_GL_INLINE= \
            -D_GL_ATTRIBUTE_CONST= -D_GL_ATTRIBUTE_PURE= "-DXALLOC_INLINE=static inline" \
            -I"$work/lbzip2_config" -I"$1/src" -I"$1/lib"
    done
    program "$2"
}

# The signals are not blocked before the others begin.
lbzip2_signals_tests() {
    needs lbzip2-source
    lbzip2_signals "$cache/lbzip2-source" lbzip2_signals
    copy "$cache/lbzip2-source" lbzip2_source
    change "$work/lbzip2_source/src/signals.c" \
        's/SIG_BLOCK, &handled, &saved/SIG_BLOCK, \&blocked, \&saved/'
    lbzip2_signals "$work/lbzip2_source" lbzip2_signals_bad
}

# ---- dash: handlers note signals, traps run later ----

# dash PROGRAM: with its own makefile, which makes programs of its own and runs them first.
dash() {
    racefuzz_cc=$(pwd)/src/racefuzz-cc
    mkdir -p "$work/$1"
    (cd "$work/dash_source" &&
        RACEFUZZ_CC=$CC RACEFUZZ_ENGINE=$work/engine.o make CC="$racefuzz_cc" CC_FOR_BUILD="$CC" \
            CFLAGS="-O1 -g -w ${instrument#-fsanitize=thread}") >"$work/$1.made" 2>&1
    cp "$work/dash_source/src/dash" "$work/$1/test"
}

# The fault: a trap leaves its exit status behind.
dash_tests() {
    needs dash-source
    copy "$cache/dash-source" dash_source
    (cd "$work/dash_source" && ./configure CC="$CC" --without-libedit) >"$work/dash.configured" 2>&1
    dash dash
    change "$work/dash_source/src/trap.c" '/^void dotrap/,/^}/{/evalskip != SKIPFUNC/{N;d;}}'
    dash dash_bad
    cat >"$work/traps" <<'END'
n=0
trap 'n=$((n + 1))' USR1
trap 'n=$((n + 10)); kill -USR1 $$' USR2
kill -USR2 $$
trap false HUP
kill -HUP $$
s=$?
trap - USR1 USR2 HUP
[ $n$s = 110 ]
END
}

# The number of its process, $$, is no part of a token: the replay says so, and fails as it did.
dash_fault_is_found() {
    [ -x "$work/dash_bad/test" ] || skip "dash was not built"
    run 1 dash_bad "$work/traps" out
    says out 'ended with a failure'
    RF_SEED=$(token out) gives 1 again "$work/dash_bad/test" -- "$work/traps"
    says again 'ended with a failure'
}

# ---- rinetd: a server whose handlers free what it walks ----

# rinetd TREE PROGRAM
rinetd() {
    for source in "$1"/src/rinetd.c "$1"/src/net.c "$1"/src/parse.c "$1"/src/match.c \
        tests/thirdparty/rinetd_client.c; do
        object "$2" "$source" -DHAVE_SIGACTION=1 -DHAVE_DAEMON=1 -DHAVE_SOCKLEN_T=1 \
            -DHAVE_SSIZE_T=1 -DHAVE_UNISTD_H=1 -DHAVE_ERRNO_H=1 -DTIME_WITH_SYS_TIME=1 \
            -DRINETD_CONFIG_FILE='""' -DRINETD_PID_FILE='""' -DPACKAGE_VERSION='""'
    done
    program "$2"
}

# Mended: the signals are handled only while it waits, one at a time.
rinetd_tests() {
    needs rinetd-source
    echo "127.0.0.1 0 127.0.0.1 9" >"$work/rinetd.conf"
    copy "$cache/rinetd-source" rinetd_shipped
    change "$work/rinetd_shipped/src/rinetd.c" 's/^int main(/int rinetd_main(/' \
        's/if (listen(/if (rinetd_listen(/'
    rinetd "$work/rinetd_shipped" rinetd_bad
    copy "$work/rinetd_shipped" rinetd_source
    server=$work/rinetd_source/src/rinetd.c
    change "$server" 's/sigemptyset(&act.sa_mask)/sigfillset(\&act.sa_mask)/' \
        's/^.signal(SIGINT, quit);/act.sa_handler = quit; sigaction(SIGINT, \&act, NULL);/' \
        's/^.signal(SIGTERM, quit);/sigaction(SIGTERM, \&act, NULL);\
            sigprocmask(SIG_BLOCK, \&act.sa_mask, NULL);/' \
        's/^.select(maxfd.*/sigset_t none; sigemptyset(\&none);\
            struct timespec t = {timeout.tv_sec, 0};\
            if (pselect(maxfd + 1, readfds, writefds, 0, t.tv_sec ? \&t : NULL, \&none) < 0)\
                return;/'
    rinetd "$work/rinetd_source" rinetd
}

# ---- all of it ----

fetch libzstd-source lbzip2-source dash-source rinetd-source 2>"$work/fetch.err" ||
    cat "$work/fetch.err"
try engine
try zstd_tests
try lbzip2_tests
try lbzip2_signals_tests
try dash_tests
try rinetd_tests

try passes zstd
try is_found zstd_bad '' 'race: real'
try is_short zstd_bad ''
executions=100
try passes lbzip2
try is_found lbzip2_bad '' 'race: real'
try is_short lbzip2_bad ''
try passes lbzip2_signals
try is_found lbzip2_signals_bad '' 'for a signal'
try passes dash "$work/traps"
try dash_fault_is_found
executions=30
try passes rinetd "$work/rinetd.conf"
try is_found rinetd_bad "$work/rinetd.conf" 'race: real, harmful'
[ ! -e "$work/shortened" ] || cat "$work/shortened"
summary

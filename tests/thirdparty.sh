#!/bin/sh
# Code of others under instrumentation (docs/inside/third-party.md): it
# passes, and a fault that is planted in it is found and repeats.  Run by make check-thirdparty,
# with CC and BUILD set.
name=thirdparty/run
. tests/try.sh
. tests/thirdparty/lab.sh

# is_short PROGRAM PART: what is told of it, shrunk, at 80 columns.  Prints the figures.
is_short() {
    [ -x "$work/$1/test" ] || skip "$1 was not built"
    RF_SHRINK=1 COLUMNS=80 run 1 "$1" "$2" short
    RF_SHRINK=1 gives 1 json "$work/$1/test" --seed=1 --executions="$executions" \
        --format=json ${2:+-- "$2"}
    sed -n 's/.*"preemptions":\([0-9]*\),"preemptions_found":/\1 /p' "$work/json" |
        sed 's/,.*"shrinking":/ /; s/,.*//' |
        awk -v of="$1 $2" -v lines="$(wc -l <"$work/short")" \
            -v causes="$(grep -c '^  replay: ' "$work/short")" '
            { told += $1; found += $2; spent += $3 }
            END { printf "# %s: %d of %d preemptions by %d executions; %d lines, %d tokens\n",
                      of, told, found, spent, lines, causes
                  exit told > found }' >"$work/figures" || { cat "$work/figures"; return 1; }
    cat "$work/figures" >>"$work/shortened"
}

# ---- Concurrency Kit ----

# Its fences are compiled for a machine with weak memory.
ck() {
    headers=$1 source=$2 to=$3
    set -- -I"$headers" -DCK_USE_CC_BUILTINS=1 -DCK_MD_H -DCK_MD_RMO -DCK_MD_CACHELINE=64 \
        -DCK_MD_PAGESIZE=4096 -DCK_MD_RTM_DISABLE -DCK_MD_LSE_DISABLE -DCK_MD_POINTER_PACK_DISABLE
    object "$to" "$source" "$@"
    object "$to" tests/thirdparty/ck.c "$@"
    program "$to"
}

ck_as_shipped() { ck "$cache/libck-dev/usr/include" "$cache/ck-source/src/ck_hs.c" ck_shipped; }

# Loads and stores of pointers have volatile in the wrong place.
ck_corrected() {
    copy "$cache/libck-dev/usr/include" ck_headers
    change "$work/ck_headers/gcc/ck_pr.h" \
        's/\*(volatile void \*const\*)(target)/*(void *volatile const *)(target)/' \
        's/\*(volatile void \*\*)target = /*(void *volatile *)target = /'
    ck "$work/ck_headers" "$cache/ck-source/src/ck_hs.c" ck
}

ck_with_faults() {
    copy "$work/ck_headers" ck_faults
    at=$work/ck_faults
    change "$at/ck_ring.h" '/^_ck_ring_enqueue_sp(/,/^}/s/ck_pr_fence_store();//' \
        '/^_ck_ring_enqueue_mp(/,/^}/s/ck_pr_fence_store();//'
    change "$at/ck_stack.h" '/^ck_stack_push_upmc(/,/^}/{
        s/while (.*{/ck_pr_store_ptr(\&target->head, entry); while (0) {/;}'
    change "$at/ck_fifo.h" '/^ck_fifo_spsc_enqueue(/,/^}/s/ck_pr_fence_store();//'
    for lock in fas cas dec ticket mcs anderson; do
        change "$at/spinlock/$lock.h" "/^ck_spinlock_${lock}_unlock(/,/^}/s/ck_pr_fence_unlock();//"
    done
    change "$at/ck_rwlock.h" '/^ck_rwlock_write_unlock(/,/^}/s/ck_pr_fence_unlock();//'
    cp "$cache/ck-source/src/ck_hs.c" "$cache/ck-source/src/ck_internal.h" "$at"
    change "$at/ck_hs.c" '/^ck_hs_grow(/,/^}/s/ck_pr_fence_store();//'
    ck "$at" "$at/ck_hs.c" ck_bad
}

ck_tests() {
    needs libck-dev ck-source
    ck_as_shipped && ck_corrected && ck_with_faults
}

# ---- liburcu ----

# urcu TREE PROGRAM FLAVOUR SOURCE FLAG...: a flavour and its test.
urcu() {
    tree=$1 to=$2 flavour=$3 source=$4
    shift 4
    set -- "$@" -I"$work/urcu_config" -I"$tree/include" -I"$tree/src" \
        -include tests/thirdparty/urcu_port.h
    object "$to" "$tree/src/$source.c" "$@"
    mv "$work/$to/$source.o" "$work/$to/flavour.o"
    object "$to" "$tree/src/compat_futex.c" "$@"
    object "$to" "$tree/src/compat_arch.c" "$@"
    object "$to" tests/thirdparty/urcu.c "$@" -D_LGPL_SOURCE -DURCU_API_MAP \
        "-DHEADER=<urcu/urcu-$flavour.h>"
    program "$to"
}

urcu_flavours() {
    urcu "$1" urcu_mb"$2" mb urcu -DRCU_MB &&
        urcu "$1" urcu_memb"$2" memb urcu -DRCU_MEMBARRIER &&
        urcu "$1" urcu_qsbr"$2" qsbr urcu-qsbr -DRCU_QSBR -DQSBR &&
        urcu "$1" urcu_bp"$2" bp urcu-bp
}

# no_exchange FILE OBJECT VALUE: it is loaded and then stored.
no_exchange() {
    change "$1" "s/uatomic_xchg(&$2, $3)/CMM_LOAD_SHARED($2); cmm_smp_mb(); uatomic_set(\\&$2, $3)/"
}

urcu_tests() {
    needs liburcu-dev liburcu-source
    mkdir -p "$work/urcu_config/urcu" "$work/urcu_keys_config/urcu"
    cp "$cache"/liburcu-dev/usr/include/*/urcu/config.h "$work/urcu_config/urcu"
    urcu "$cache/liburcu-source" urcu_shipped mb urcu -DRCU_MB
    # As its configure does with --disable-compiler-tls.
    sed '/define CONFIG_RCU_TLS/d' "$work/urcu_config/urcu/config.h" \
        >"$work/urcu_keys_config/urcu/config.h"
    urcu "$cache/liburcu-source" urcu_keys mb urcu -I"$work/urcu_keys_config" -DRCU_MB
    # The head of the queue is written while others append to it: atomically, as later versions do.
    copy "$cache/liburcu-source" urcu_source
    at=$work/urcu_source/include/urcu/static
    change "$at/wfcqueue.h" \
        's/_cds_wfcq_node_init(&head->node);/uatomic_set(\&head->node.next, NULL);/' \
        's/head->node.next = \([a-z]*\);/uatomic_set(\&head->node.next, \1);/'
    urcu_flavours "$work/urcu_source" ''
    # A writer that soon waits by the futex, and readers that forget to wake it.
    copy "$work/urcu_source" urcu_futex_source
    change "$work/urcu_futex_source/src/urcu.c" 's/\(_ACTIVE_ATTEMPTS\) 100/\1 2/'
    urcu "$work/urcu_futex_source" urcu_futex mb urcu -DRCU_MB
    change "$work/urcu_futex_source/include/urcu/static/urcu-common.h" \
        '/futex_async(&gp->futex, FUTEX_WAKE/,/0);/d'
    urcu "$work/urcu_futex_source" urcu_futex_bad mb urcu -DRCU_MB
    change "$at/urcu-mb.h" '/== URCU_GP_COUNT)) {/{n;s/cmm_smp_mb/cmm_barrier/;}'
    change "$at/urcu-memb.h" '/== URCU_GP_COUNT)) {/{n;s/urcu_memb_smp_mb_slave/cmm_barrier/;}'
    change "$at/urcu-qsbr.h" \
        '/quiescent_state_update_and_wakeup(unsigned/{n;n;s/cmm_smp_mb/cmm_barrier/;}'
    change "$at/urcu-bp.h" '/_urcu_bp_read_unlock(void)/,/^}/s/urcu_bp_smp_mb_slave/cmm_barrier/'
    no_exchange "$at/wfcqueue.h" 'tail->p' new_tail
    no_exchange "$at/wfstack.h" 's->head' new_head
    change "$at/lfstack.h" \
        's/= uatomic_cmpxchg(&s->head, old_head, \(.*\));/= old_head; uatomic_set(\&s->head, \1);/'
    urcu_flavours "$work/urcu_source" _bad
}

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

fetch libck-dev ck-source liburcu-dev liburcu-source libzstd-source lbzip2-source dash-source \
    rinetd-source 2>"$work/fetch.err" || cat "$work/fetch.err"
try engine
try ck_tests
try urcu_tests
try zstd_tests
try lbzip2_tests
try lbzip2_signals_tests
try dash_tests
try rinetd_tests

for part in ring_spsc ring_mpmc stack_pop stack_batch fifo_spsc hs_spmc spin_fas spin_cas spin_dec \
    spin_ticket spin_mcs spin_anderson rwlock rwlock_write; do
    try passes ck $part
done
try is_found ck_shipped stack_pop 'race: real'
try is_found ck hs_unfenced 'race: real'
for part in ring_spsc ring_mpmc fifo_spsc hs_spmc spin_fas spin_cas spin_dec spin_ticket spin_mcs \
    spin_anderson rwlock_write; do
    try is_found ck_bad $part 'race: real'
done
try is_found ck_bad stack_pop 'assertion failed'

for flavour in mb memb qsbr bp; do
    try passes urcu_$flavour rcu
    try is_found urcu_${flavour}_bad rcu 'race: real'
done
try passes urcu_futex rcu
try is_found urcu_futex_bad rcu 'for a wake-up of futex urcu_mb_gp+8'
try is_found urcu_keys rcu 'race: real'
try is_found urcu_shipped wfcqueue 'race: real'
for part in wfcqueue wfstack lfstack; do
    try passes urcu_mb $part
done
try is_found urcu_mb_bad wfstack 'assertion failed'
try is_found urcu_mb_bad lfstack 'assertion failed'
RF_STEPS=20000
export RF_STEPS # a node that is lost is waited for
try is_found urcu_mb_bad wfcqueue 'step limit reached'
unset RF_STEPS

try passes zstd
try is_found zstd_bad '' 'race: real'
try is_short ck_bad stack_pop
try is_short urcu_mb_bad wfstack
try is_short zstd_bad ''
executions=100
try passes lbzip2
try is_found lbzip2_bad '' 'race: real'
try is_short lbzip2_bad ''
try passes lbzip2_signals
try is_found lbzip2_signals_bad '' 'for a signal'
try passes dash "$work/traps"
try dash_fault_is_found
try passes rinetd "$work/rinetd.conf"
try is_found rinetd_bad "$work/rinetd.conf" 'race: real, harmful'
[ ! -e "$work/shortened" ] || cat "$work/shortened"
summary

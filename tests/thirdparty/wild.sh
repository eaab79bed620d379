#!/bin/sh
# Bugs that maintainers have mended (docs/wild.md): found in their source, and gone with their fix.
# Run by make check-thirdparty, with CC and BUILD set.
name=thirdparty/wild
. tests/try.sh
. tests/thirdparty/lab.sh

# ---- musl ----

musl_tests() {
    needs musl-source
    mkdir -p "$work/musl_port"
    for header in semaphore.h pthread_impl.h; do
        echo '#include "musl_port.h"' >"$work/musl_port/$header"
    done
    set -- -I"$work/musl_port" -Itests/thirdparty
    copy "$cache/musl-source/src/thread" musl_source
    change "$work/musl_source/sem_timedwait.c" 's/spins = 100/spins = 2/'
    for to in sem sem_bad once once_bad; do
        case $to in
        sem) change "$work/musl_source/sem_post.c" 's/if (val<0 || waiters)/if (1)/' ;;
        sem_bad) cp "$cache/musl-source/src/thread/sem_post.c" "$work/musl_source" ;;
        once_bad) change "$work/musl_source/pthread_once.c" '/a_barrier();/d' ;;
        esac
        case $to in
        sem*) parts="sem_post sem_trywait sem_timedwait" ;;
        *) parts=pthread_once ;;
        esac
        for part in $parts; do
            object musl_$to "$work/musl_source/$part.c" "$@"
        done
        object musl_$to "tests/thirdparty/musl_${to%_bad}.c" "$@"
        program musl_$to
    done
}

# ---- libuv ----

uv_barrier() {
    object "$2" "$1/src/unix/thread.c" -I"$1/include" -I"$1/src" -ffunction-sections
    object "$2" tests/thirdparty/uv_barrier.c -I"$1/include"
    program "$2" -Wl,--gc-sections
}

uv_tests() {
    needs libuv1-source
    copy "$cache/libuv1-source" uv_source
    at=$work/uv_source
    for file in include/uv/unix.h src/unix/thread.c; do
        change "$at/$file" 's/!defined(PTHREAD_BARRIER_SERIAL_THREAD)/1/'
    done
    uv_barrier "$at" uv_barrier_bad
    change "$at/src/unix/thread.c" '/^int uv_barrier_wait/,/^}/{
        s/  if (++b->in/  while (b->out != 0) uv_cond_wait(\&b->cond, \&b->mutex);\n&/
        s/uv_cond_signal/uv_cond_broadcast/;}'
    uv_barrier "$at" uv_barrier
}

# ---- DPDK ----

dpdk_ring() {
    object "$2" tests/thirdparty/dpdk_ring.c -I"$1/lib/ring" -I"$1/lib/eal/include" \
        -I"$1/lib/eal/x86/include" -I"$1/lib/eal/linux/include" -I"$1/config" \
        -I"$work/dpdk_config" \
        -DRTE_USE_C11_MEM_MODEL=1 -DALLOW_EXPERIMENTAL_API -msse4
    program "$2"
}

dpdk_tests() {
    needs dpdk-source
    [ "$(uname -m)" = x86_64 ] || skip "configured for x86-64"
    mkdir -p "$work/dpdk_config"
    cat >"$work/dpdk_config/rte_build_config.h" <<'END'
#define RTE_ARCH_X86_64 1
#define RTE_ARCH_64 1
#define RTE_ARCH_X86 1
#define RTE_EXEC_ENV_LINUX 1
#define RTE_CACHE_LINE_SIZE 64
#define RTE_MAX_LCORE 8
#define RTE_MAX_NUMA_NODES 1
#define RTE_BACKTRACE 1
END
    dpdk_ring "$cache/dpdk-source" dpdk
    copy "$cache/dpdk-source" dpdk_source
    change "$work/dpdk_source/lib/ring/rte_ring_c11_pvt.h" \
        '/^__rte_ring_move_prod_head/,/^}/{
            s/prod.head, __ATOMIC_ACQUIRE/prod.head, __ATOMIC_RELAXED/
            s/0, __ATOMIC_RELEASE/0, __ATOMIC_RELAXED/
            s/^\(\t*\)__ATOMIC_ACQUIRE/\1__ATOMIC_RELAXED/;}'
    dpdk_ring "$work/dpdk_source" dpdk_bad
}

# ---- xz ----

# Only the threads' part is instrumented; the codec is the same for all.
xz_objects() {
    lib=$cache/xz-utils-source/src/liblzma to=$1
    shift
    for part; do
        object "$to" "$part" -DHAVE_DECODERS -DHAVE_DECODER_LZMA1 -DHAVE_DECODER_LZMA2 \
            -DHAVE_CHECK_CRC32 -DHAVE_STDBOOL_H -DHAVE_STDINT_H -DHAVE_INTTYPES_H -DHAVE_STRING_H \
            -DHAVE_LIMITS_H -DMYTHREAD_POSIX -DTUKLIB_SYMBOL_PREFIX=lzma_ -DSIZEOF_SIZE_T=8 \
            -DHAVE_VISIBILITY=0 -DPACKAGE_NAME='""' -DPACKAGE_BUGREPORT='""' -DPACKAGE_URL='""' \
            -I"$lib/../common" -I"$lib/api" -I"$lib/common" -I"$lib/check" -I"$lib/lz" \
            -I"$lib/lzma" \
            -I"$lib/rangecoder" -I"$lib/delta" -I"$lib/simple" $xz_flags
    done
}

xz_codec() {
    lib=$cache/xz-utils-source/src/liblzma xz_flags="-fno-sanitize=thread -ffunction-sections"
    for part in common/common common/block_util common/filter_common common/filter_decoder \
        common/filter_flags_decoder common/vli_decoder common/vli_size common/block_decoder \
        common/block_header_decoder common/index_hash common/stream_flags_common \
        common/stream_flags_decoder common/index_decoder common/index check/check \
        check/crc32_fast check/crc32_table lz/lz_decoder lzma/lzma2_decoder lzma/lzma_decoder; do
        xz_objects xz_codec "$lib/$part.c"
    done
    xz_flags=
}

# xz_decoder NAME PATCH...: the package's own patches are fixes; ours, of a race that nobody has
# mended, is in all but xz_partial.
xz_decoder() {
    to=$1 at=$cache/xz-utils-patches/debian/patches
    shift
    mkdir -p "$work/source_$to"
    copy "$cache/xz-utils-source/src" "source_$to/src"
    for fix; do patch -s -d "$work/source_$to" -p1 <"$at/$fix"; done
    source=$work/source_$to/src/liblzma/common/stream_decoder_mt.c
    [ "$to" = xz_partial ] ||
        change "$source" '/thr->partial_update = PARTIAL_ENABLED;/d' \
            '/^worker_decoder/,/^}/s/^\(\t\t\t\t\)thr->outbuf->pos = thr->out_pos;/&\
\1thr->partial_update = PARTIAL_ENABLED;/'
    xz_objects "$to" "$source" "$lib/common/outqueue.c" tests/thirdparty/xz_decoder.c
    program "$to" "$work/xz_codec"/*.o -Wl,--gc-sections
}

xz_tests() {
    needs xz-utils-source xz-utils-patches
    command -v patch || skip "no patch(1)"
    fixes=$(grep mt-dec "$cache/xz-utils-patches/debian/patches/series")
    others=$(echo "$fixes" | grep -v progress_in)
    xz_codec
    {
        xz_decoder xz $fixes
        xz_decoder xz_partial $fixes
        xz_decoder xz_progress $others
        xz_decoder xz_free
    }
}

# ---- mimalloc ----

mimalloc_heap() {
    object "$2" "$1/src/static.c" -DMI_DEBUG=1 -I"$1/include"
    object "$2" tests/thirdparty/mimalloc_heap.c -I"$1/include"
    program "$2"
}

mimalloc_tests() {
    needs mimalloc-source
    mimalloc_heap "$cache/mimalloc-source" mimalloc_bad
    copy "$cache/mimalloc-source" mimalloc_source
    change "$work/mimalloc_source/src/alloc.c" \
        '/noinline void _mi_free_block_mt/,/^}/s/cas_weak_release(&page/cas_weak_acq_rel(\&page/'
    change "$work/mimalloc_source/src/page.c" '/^bool _mi_page_try_use/,/^}/{
        s/cas_weak_release/cas_weak_acq_rel/
        s/(delay == old_delay)/(false)/;}'
    mimalloc_heap "$work/mimalloc_source" mimalloc
}

# ---- pthreadpool ----

pool_destroy() {
    pool=$1 to=$2
    shift 2
    for source in src/memory.c src/portable-api.c src/pthreads.c; do
        object "$to" "$pool/$source" $pool_flags -I"$pool/src" "$@"
    done
    object "$to" tests/thirdparty/pool_destroy.c $pool_flags -I"$pool/include"
    program "$to"
}

pool_tests() {
    needs pthreadpool-source libfxdiv-dev
    pool_destroy "$cache/pthreadpool-source" pool_destroy_bad
    pool_mended pool_source
    pool_destroy "$work/pool_source" pool_destroy
}

# ---- all of it ----

fetch musl-source libuv1-source dpdk-source xz-utils-source xz-utils-patches \
    mimalloc-source "$pool_version" libfxdiv-dev 2>"$work/fetch.err" || cat "$work/fetch.err"
try engine
try musl_tests
try uv_tests
try dpdk_tests
try xz_tests
try mimalloc_tests
try pool_tests

executions=1000
for part in musl_sem musl_once uv_barrier dpdk mimalloc pool_destroy; do try passes $part; done
try is_found musl_sem_bad '' 'deadlock'
try is_found musl_once_bad '' 'race: real'
try is_found uv_barrier_bad '' 'deadlock'
try is_found mimalloc_bad '' 'race: real'
try is_found pool_destroy_bad '' 'deadlock'
try is_found xz_partial finish 'thr->partial_update = PARTIAL_ENABLED'
try is_found xz_progress '' 'coder->progress_in += '
try is_found xz_free corrupt 'use after free'
try passes xz
try passes xz corrupt
try passes xz finish
executions=10000
try is_found dpdk_bad '' 'assertion failed'
summary

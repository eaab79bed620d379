#!/bin/sh
# Libraries of others under instrumentation (docs/inside/third-party.md): they pass, and a fault
# that is planted in them is found and repeats.  Run by make check-thirdparty, with CC and BUILD
# set.
name=thirdparty/run
. tests/try.sh
. tests/thirdparty/lab.sh

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

# ---- all of it ----

fetch libck-dev ck-source liburcu-dev liburcu-source 2>"$work/fetch.err" || cat "$work/fetch.err"
try engine
try ck_tests
try urcu_tests

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

try is_short ck_bad stack_pop
try is_short urcu_mb_bad wfstack
[ ! -e "$work/shortened" ] || cat "$work/shortened"
summary

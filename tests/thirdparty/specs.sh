#!/bin/sh
# Objects of others by the list of their operations, through their public functions only: as they
# are they have an order for all that was tried; a fault that is planted in each is found.  Run by
# make check-thirdparty, with CC and BUILD set.
name=thirdparty/specs
. tests/try.sh
. tests/thirdparty/lab.sh
hooks="-DRF_HOOK_ALL -DRF_HOOK_COMPILER -DRF_HOOK_VOLATILE -I." # a main of our own

# ck TREE NAME
ck() {
    set -- "$1" "$2" -I"$1" -DCK_USE_CC_BUILTINS=1 -DCK_MD_H -DCK_MD_RMO -DCK_MD_CACHELINE=64 \
        -DCK_MD_PAGESIZE=4096 -DCK_MD_RTM_DISABLE -DCK_MD_LSE_DISABLE -DCK_MD_POINTER_PACK_DISABLE
    tree=$1 to=$2
    shift 2
    object "$to" "$tree/ck_hs.c" "$@"
    object "$to" tests/thirdparty/ck_spec.c "$@"
    program "$to"
}

# The headers with loads and stores of pointers whose volatile is in the right place.
ck_made() {
    needs libck-dev ck-source
    copy "$cache/libck-dev/usr/include" ck_tree
    at=$work/ck_tree
    cp "$cache/ck-source/src/ck_hs.c" "$cache/ck-source/src/ck_internal.h" "$at"
    change "$at/gcc/ck_pr.h" \
        's/\*(volatile void \*const\*)(target)/*(void *volatile const *)(target)/' \
        's/\*(volatile void \*\*)target = /*(void *volatile *)target = /'
    ck "$at" ck
    change "$at/ck_ring.h" '/^_ck_ring_enqueue_sp(/,/^}/s/ck_pr_fence_store();//' \
        '/^_ck_ring_dequeue_mc(/,/^}/s/ck_pr_cas_uint_value(/no_exchange(/' \
        '1i\
#define no_exchange(p, old, new, was) (ck_pr_store_uint(p, new), true)'
    change "$at/ck_stack.h" '/^ck_stack_push_upmc(/,/^}/{
        s/while (.*{/ck_pr_store_ptr(\&target->head, entry); while (0) {/;}'
    change "$at/ck_fifo.h" '/^ck_fifo_spsc_enqueue(/,/^}/s/ck_pr_fence_store();//'
    change "$at/ck_bitmap.h" '/^ck_bitmap_reset(/,/^}/{
        s/ck_pr_and_uint(\(.*\), \(.*\));/ck_pr_store_uint(\1, ck_pr_load_uint(\1) \& \2);/;}'
    change "$at/ck_hs.c" '/^ck_hs_grow(/,/^}/s/ck_pr_fence_store();//'
    ck "$at" ck_bad
}

# urcu TREE NAME
urcu() {
    set -- "$1" "$2" -DRCU_MB -I"$work/urcu_config" -I"$1/include" -I"$1/src" -D_LGPL_SOURCE \
        -include tests/thirdparty/urcu_port.h
    tree=$1 to=$2
    shift 2
    for source in urcu compat_futex compat_arch rculfhash rculfhash-mm-order rculfhash-mm-chunk \
        rculfhash-mm-mmap workqueue; do
        object "$to" "$tree/src/$source.c" "$@"
    done
    object "$to" tests/thirdparty/urcu_spec.c "$@" -DURCU_API_MAP
    program "$to"
}

urcu_made() {
    needs liburcu-dev liburcu-source
    mkdir -p "$work/urcu_config/urcu"
    cp "$cache"/liburcu-dev/usr/include/*/urcu/config.h "$work/urcu_config/urcu"
    # What others write is read and written atomically, as later versions do.
    copy "$cache/liburcu-source" urcu_tree
    at=$work/urcu_tree/include/urcu/static
    change "$at/wfcqueue.h" \
        's/_cds_wfcq_node_init(&head->node);/uatomic_set(\&head->node.next, NULL);/' \
        's/head->node.next = \([a-z]*\);/uatomic_set(\&head->node.next, \1);/'
    change "$work/urcu_tree/src/rculfhash.c" \
        's/flag_removal_owner(node->next)/flag_removal_owner(uatomic_read(\&node->next))/'
    urcu "$work/urcu_tree" urcu
    no_exchange='CMM_LOAD_SHARED(tail->p); cmm_smp_mb(); uatomic_set(\&tail->p, new_tail)'
    change "$at/wfcqueue.h" "s/uatomic_xchg(&tail->p, new_tail)/$no_exchange/"
    change "$at/lfstack.h" \
        's/= uatomic_cmpxchg(&s->head, old_head, \(.*\));/= old_head; uatomic_set(\&s->head, \1);/'
    change "$work/urcu_tree/src/rculfhash.c" \
        '/^void _cds_lfht_add(/,/^}/s/uatomic_cmpxchg(&iter_prev/no_exchange(\&iter_prev/' \
        '1i\
#define no_exchange(p, old, new) \\\
    ({ __typeof__(*(p)) was = uatomic_read(p); if (was == (old)) uatomic_set(p, new); was; })'
    urcu "$work/urcu_tree" urcu_bad
}

# glib TREE NAME
glib() {
    tree=$1 to=$2
    set -- -I"$work/glib_config" -I"$1" -I"$1/glib" -DGLIB_COMPILATION -DG_LOG_DOMAIN='"GLib"'
    for source in gasyncqueue gqueue glist; do object "$to" "$tree/glib/$source.c" "$@"; done
    object "$to" tests/thirdparty/glib_spec.c "$@"
    program "$to"
}

glib_made() {
    needs glib2.0-source libglib2.0-dev
    mkdir -p "$work/glib_config"
    : >"$work/glib_config/config.h"
    cp "$cache"/libglib2.0-dev/usr/lib/*/glib-2.0/include/glibconfig.h "$work/glib_config"
    mkdir -p "$work/glib_tree"
    copy "$cache/glib2.0-source/glib" glib_tree/glib
    glib "$work/glib_tree" glib
    change "$work/glib_tree/glib/gasyncqueue.c" \
        '/^g_async_queue_push_front (/,/^}/{/g_mutex_lock/d;/g_mutex_unlock/d;}'
    glib "$work/glib_tree" glib_bad
}

# has_orders PROGRAM OBJECT OPTION
has_orders() {
    [ -x "$work/$1/test" ] || skip "$1 was not built"
    gives 0 out "$work/$1/test" --seed=1 --filter="$2_linearizable" --executions=$executions "$3"
    says out '1 passed, 0 failed'
}

# has_none PROGRAM OBJECT TEXT: by the search, and again by its token.
has_none() {
    [ -x "$work/$1/test" ] || skip "$1 was not built"
    gives 1 out "$work/$1/test" --seed=1 --filter="$2_linearizable" --executions=$executions
    says out "$3"
    RF_SEED=$(token out) gives 1 again "$work/$1/test"
    lacks again 'another way'
}

executions=1000
fetch libck-dev ck-source liburcu-dev liburcu-source glib2.0-source libglib2.0-dev \
    2>"$work/fetch.err" || cat "$work/fetch.err"
try engine
try ck_made
try urcu_made
try glib_made
# Readers of ck's ring read a place before they know that it is theirs, and drop what they have read
# if it is not: a race by C11, which does no harm.
while read -r program object harm fault; do
    try has_orders "$program" "$object" --fail-on="$harm"
    try has_none "${program}_bad" "$object" "$fault"
done <<END
ck ring_spsc race race: real
ck ring_mpmc harm not linearizable
ck stack race not linearizable
ck fifo race race: real
ck bitmap race not linearizable
ck hash_set race race: real
urcu wfcqueue race not linearizable
urcu lfstack race race: real
urcu lfht race not linearizable
glib queue race race: real
END
summary

/* liburcu's queue, stack and hash table by the list of their operations.  Nodes are used once and
 * not given back before the end, so that nobody needs a grace period. */
#include "racefuzz.h"
#include <stdlib.h>
#include <urcu/urcu-mb.h>
#include <urcu/lfstack.h>
#include <urcu/rculfhash.h>
#include <urcu/wfcqueue.h>

enum { VALUES = 80 };

/* ---- the queue: enqueue is wait-free, dequeue waits for those who are at it ---- */

static struct cds_wfcq_head first;
static struct cds_wfcq_tail last;
static struct cds_wfcq_node queued[VALUES];

RF_OBJECT(wfcqueue) { cds_wfcq_init(&first, &last); }
RF_OBJECT_END(wfcqueue) { cds_wfcq_destroy(&first, &last); }
RF_OPERATION(wfcqueue, put, (int value), void) {
    cds_wfcq_node_init(&queued[value]);
    cds_wfcq_enqueue(&first, &last, &queued[value]);
}
RF_OPERATION(wfcqueue, get, (void), int) {
    struct cds_wfcq_node *got = cds_wfcq_dequeue_blocking(&first, &last);
    return got ? (int)(got - queued) : 0;
}
RF_LINEARIZABLE(wfcqueue)

/* ---- the stack ---- */

static struct cds_lfs_stack stack;
static struct cds_lfs_node stacked[VALUES];

RF_OBJECT(lfstack) { cds_lfs_init(&stack); }
RF_OBJECT_END(lfstack) { cds_lfs_destroy(&stack); }
RF_OPERATION(lfstack, push, (int value), void) {
    cds_lfs_node_init(&stacked[value]);
    cds_lfs_push(&stack, &stacked[value]);
}
RF_OPERATION(lfstack, pop, (void), int) {
    struct cds_lfs_node *got = cds_lfs_pop_blocking(&stack);
    return got ? (int)(got - stacked) : 0;
}
RF_LINEARIZABLE(lfstack)

/* ---- the hash table: each key is an object by itself; the second argument is a node ---- */

typedef struct item {
    struct cds_lfht_node node;
    int key;
} item;

static struct cds_lfht *table;
static item items[VALUES];

static int matches(struct cds_lfht_node *node, const void *key) {
    return ((item *)(void *)node)->key == *(const int *)key;
}

static struct cds_lfht_node *find(int key) {
    struct cds_lfht_iter at;
    cds_lfht_lookup(table, (unsigned long)key, matches, &key, &at);
    return cds_lfht_iter_get_node(&at);
}

#define KEY .args = {RF_ARG(1, 2)}, .key = 1
RF_OBJECT(lfht) { table = cds_lfht_new(1, 1, 4, 0, NULL); }
RF_OBJECT_END(lfht) {
    for (int key = 1; key <= 2; key++) {
        struct cds_lfht_node *node = find(key);
        if (node) cds_lfht_del(table, node);
    }
    cds_lfht_destroy(table, NULL);
}
RF_OPERATION(lfht, add, (int key, int value), bool, KEY) {
    item *mine = &items[value];
    mine->key = key;
    cds_lfht_node_init(&mine->node);
    return cds_lfht_add_unique(table, (unsigned long)key, matches, &key, &mine->node) ==
           &mine->node;
}
RF_OPERATION(lfht, removes, (int key), bool, KEY) {
    struct cds_lfht_node *node = find(key);
    return node && !cds_lfht_del(table, node);
}
RF_OPERATION(lfht, has, (int key), bool, KEY) { return find(key) != NULL; }
RF_LINEARIZABLE(lfht)

RF_MAIN()

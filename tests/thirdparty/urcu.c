/* liburcu: a flavour of RCU (-DHEADER=<urcu/...>, -DQSBR for the one that has quiescent states),
 * and the queues and stacks: ./urcu -- NAME. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include HEADER
#include <urcu/lfstack.h>
#include <urcu/wfcqueue.h>
#include <urcu/wfstack.h>

/* ---- RCU ---- */

enum { ITEMS = 2, THREADS = 3 };

typedef void *body(void *);

static void run(int n, body *b0, body *b1, body *b2) {
    body *b[THREADS] = {b0, b1, b2};
    pthread_t t[THREADS];
    for (intptr_t i = 0; i < n; i++) pthread_create(&t[i], NULL, b[i], (void *)i);
    for (int i = 0; i < n; i++) pthread_join(t[i], NULL);
}

typedef struct shared {
    int a, b;
} shared;

static shared version[ITEMS + 1] = {{1, 1}}, *current = &version[0];

static void *reader(void *arg) {
    rcu_register_thread();
    for (int i = 0; i < ITEMS; i++) {
        rcu_read_lock();
        shared *s = rcu_dereference(current);
        int a = s->a;
        sched_yield();
        assert(a > 0 && s->b == a);
        rcu_read_unlock();
#ifdef QSBR
        rcu_quiescent_state();
#endif
    }
    rcu_unregister_thread();
    return arg;
}

static void *writer(void *arg) {
    rcu_register_thread();
    for (int i = 1; i <= ITEMS; i++) {
        shared *old = current;
        version[i].a = version[i].b = i + 1;
        rcu_assign_pointer(current, &version[i]);
        synchronize_rcu();
        old->a = old->b = -1;
    }
    rcu_unregister_thread();
    return arg;
}

static void rcu(void) { run(3, writer, reader, reader); }

/* ---- queues and stacks ---- */

typedef struct item {
    struct cds_wfcq_node queued;
    struct cds_wfs_node waitfree;
    struct cds_lfs_node lockfree;
    int value;
} item;

static item items[THREADS][ITEMS];
static int taken[THREADS * ITEMS];

static item *make(void *thread, int i) {
    item *it = &items[(intptr_t)thread][i];
    it->value = (int)(intptr_t)thread * ITEMS + i;
    return it;
}

static void all_taken(void) {
    for (int i = 0; i < 2 * ITEMS; i++) assert(taken[i] == 1);
}

static struct cds_wfcq_head head;
static struct cds_wfcq_tail tail;

static void *wfcq_give(void *arg) {
    for (int i = 0; i < ITEMS; i++) {
        item *it = make(arg, i);
        cds_wfcq_node_init(&it->queued);
        cds_wfcq_enqueue(&head, &tail, &it->queued);
    }
    return NULL;
}

static void *wfcq_take(void *arg) {
    int last[2] = {-1, -1};
    for (int n = 0; n < 2 * ITEMS;) {
        struct cds_wfcq_node *got = cds_wfcq_dequeue_blocking(&head, &tail);
        if (!got) {
            sched_yield();
            continue;
        }
        int value = caa_container_of(got, item, queued)->value;
        assert(value > last[value / ITEMS]);
        last[value / ITEMS] = value;
        taken[value]++;
        n++;
    }
    return arg;
}

static void wfcqueue(void) {
    cds_wfcq_init(&head, &tail);
    run(3, wfcq_give, wfcq_give, wfcq_take);
    all_taken();
}

static struct cds_wfs_stack wfs;

static void *wfs_push(void *arg) {
    for (int i = 0; i < ITEMS; i++) {
        item *it = make(arg, i);
        cds_wfs_node_init(&it->waitfree);
        cds_wfs_push(&wfs, &it->waitfree);
    }
    return NULL;
}

static void *wfs_pop(void *arg) {
    for (int i = 0; i < ITEMS; i++) {
        struct cds_wfs_node *got = cds_wfs_pop_blocking(&wfs);
        if (got) taken[caa_container_of(got, item, waitfree)->value]++;
    }
    return arg;
}

static void wfstack(void) {
    cds_wfs_init(&wfs);
    run(3, wfs_push, wfs_push, wfs_pop);
    for (struct cds_wfs_node *got; (got = cds_wfs_pop_blocking(&wfs));)
        taken[caa_container_of(got, item, waitfree)->value]++;
    all_taken();
}

static struct cds_lfs_stack lfs;

static void *lfs_push(void *arg) {
    for (int i = 0; i < ITEMS; i++) {
        item *it = make(arg, i);
        cds_lfs_node_init(&it->lockfree);
        cds_lfs_push(&lfs, &it->lockfree);
    }
    return NULL;
}

static void *lfs_pop(void *arg) {
    for (int i = 0; i < ITEMS; i++) {
        struct cds_lfs_node *got = cds_lfs_pop_blocking(&lfs);
        if (got) taken[caa_container_of(got, item, lockfree)->value]++;
    }
    return arg;
}

static void lfstack(void) {
    cds_lfs_init(&lfs);
    run(3, lfs_push, lfs_push, lfs_pop);
    for (struct cds_lfs_node *got; (got = cds_lfs_pop_blocking(&lfs));)
        taken[caa_container_of(got, item, lockfree)->value]++;
    all_taken();
}

static const struct {
    const char *name;
    void (*run)(void);
} part[] = {{"rcu", rcu}, {"wfcqueue", wfcqueue}, {"wfstack", wfstack}, {"lfstack", lfstack}};

int main(int argc, char **argv) {
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        if (argc == 2 && !strcmp(argv[1], part[i].name)) {
            part[i].run();
            return 0;
        }
    return 2;
}

/* Concurrency Kit: its rings, stacks, FIFO, hash set, spin locks and read-write lock, one a run:
 * ./ck -- NAME. */
#include <assert.h>
#include <ck_fifo.h>
#include <ck_hs.h>
#include <ck_ring.h>
#include <ck_rwlock.h>
#include <ck_spinlock.h>
#include <ck_stack.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 3, SIZE = 4, THREADS = 3 };

static int item[THREADS][ITEMS];
static int taken[THREADS * ITEMS];

typedef void *body(void *);

static void run(int n, body *b0, body *b1, body *b2) {
    body *b[THREADS] = {b0, b1, b2};
    pthread_t t[THREADS];
    for (intptr_t i = 0; i < n; i++) pthread_create(&t[i], NULL, b[i], (void *)i);
    for (int i = 0; i < n; i++) pthread_join(t[i], NULL);
}

static int *make(void *thread, int i) {
    int *p = &item[(intptr_t)thread][i];
    *p = (int)(intptr_t)thread * ITEMS + i + 1;
    return p;
}

/* ---- rings ---- */

static ck_ring_t ring;
static ck_ring_buffer_t buffer[SIZE];

static void *spsc_give(void *arg) {
    for (int i = 0; i < ITEMS; i++)
        while (!ck_ring_enqueue_spsc(&ring, buffer, make(arg, i))) sched_yield();
    return NULL;
}

static void *spsc_take(void *arg) {
    void *got;
    for (int i = 0; i < ITEMS; i++) {
        while (!ck_ring_dequeue_spsc(&ring, buffer, &got)) sched_yield();
        assert(*(int *)got == i + 1);
    }
    return arg;
}

static void ring_spsc(void) {
    ck_ring_init(&ring, SIZE);
    run(2, spsc_give, spsc_take, NULL);
}

static void *mpmc_give(void *arg) {
    for (int i = 0; i < ITEMS - 1; i++)
        while (!ck_ring_enqueue_mpmc(&ring, buffer, make(arg, i))) sched_yield();
    return NULL;
}

static void *mpmc_take(void *arg) {
    void *got;
    for (int i = 0; i < ITEMS; i++)
        if (ck_ring_dequeue_mpmc(&ring, buffer, &got)) taken[*(int *)got]++;
    return arg;
}

static void ring_mpmc(void) {
    void *got;
    ck_ring_init(&ring, 2 * SIZE);
    run(3, mpmc_give, mpmc_give, mpmc_take);
    while (ck_ring_dequeue_mpmc(&ring, buffer, &got)) taken[*(int *)got]++;
    for (int i = 0; i < 2 * ITEMS; i++) assert(taken[i + 1] == (i % ITEMS < ITEMS - 1));
}

/* ---- stacks ---- */

typedef struct node {
    ck_stack_entry_t entry;
    int value;
} node;

static ck_stack_t stack;
static node nodes[THREADS][ITEMS];

static void *push(void *arg) {
    for (int i = 0; i < ITEMS - 1; i++) {
        node *n = &nodes[(intptr_t)arg][i];
        n->value = (int)(intptr_t)arg * ITEMS + i;
        ck_stack_push_upmc(&stack, &n->entry);
    }
    return NULL;
}

static void count(ck_stack_entry_t *e) { taken[((node *)(void *)e)->value]++; }

static void *pop(void *arg) {
    for (int i = 0; i < ITEMS; i++) {
        ck_stack_entry_t *e = ck_stack_pop_upmc(&stack);
        if (e) count(e);
    }
    return arg;
}

static void *pop_all(void *arg) {
    for (ck_stack_entry_t *e = ck_stack_batch_pop_upmc(&stack); e; e = CK_STACK_NEXT(e)) count(e);
    return arg;
}

static void stack_with(body *consumer) {
    ck_stack_init(&stack);
    run(3, push, push, consumer);
    for (ck_stack_entry_t *e; (e = ck_stack_pop_upmc(&stack));) count(e);
    for (int i = 0; i < 2 * ITEMS; i++) assert(taken[i] == (i % ITEMS < ITEMS - 1));
}

static void stack_pop(void) { stack_with(pop); }
static void stack_batch(void) { stack_with(pop_all); }

/* ---- FIFO ---- */

static ck_fifo_spsc_t fifo;
static ck_fifo_spsc_entry_t stub, entry[ITEMS];

static void *fifo_give(void *arg) {
    for (int i = 0; i < ITEMS; i++) ck_fifo_spsc_enqueue(&fifo, &entry[i], make(arg, i));
    return NULL;
}

static void *fifo_take(void *arg) {
    void *got;
    for (int i = 0; i < ITEMS; i++) {
        while (!ck_fifo_spsc_dequeue(&fifo, &got)) sched_yield();
        assert(*(int *)got == i + 1);
    }
    return arg;
}

static void fifo_spsc(void) {
    ck_fifo_spsc_init(&fifo, &stub);
    run(2, fifo_give, fifo_take, NULL);
}

/* ---- hash set: one writer, readers beside it ---- */

static void *hs_malloc(size_t n) { return malloc(n); }

/* What is replaced may still be read: nothing here reclaims it. */
static void hs_free(void *p, size_t n, bool defer) {
    (void)n;
    if (!defer) free(p);
}

static struct ck_malloc heap = {.malloc = hs_malloc, .free = hs_free};
static ck_hs_t set;

static unsigned long hash(const void *key, unsigned long seed) {
    return (unsigned long)*(const int *)key * 7 + seed;
}

static bool same(const void *a, const void *b) { return *(const int *)a == *(const int *)b; }

/* The set does not order what an object holds before the object's own publication. */
static bool fenced;

static void *hs_write(void *arg) {
    for (int i = 0; i < ITEMS; i++) {
        int *p = make(arg, i);
        if (fenced) ck_pr_fence_store();
        assert(ck_hs_put(&set, CK_HS_HASH(&set, hash, p), p));
    }
    int gone = 2;
    assert(*(int *)ck_hs_remove(&set, CK_HS_HASH(&set, hash, &gone), &gone) == 2);
    assert(ck_hs_grow(&set, 32));
    return NULL;
}

static void *hs_read(void *arg) {
    for (int key = 1; key <= ITEMS; key++) {
        int *got = ck_hs_get(&set, CK_HS_HASH(&set, hash, &key), &key);
        assert(!got || *got == key);
    }
    return arg;
}

static void hs_unfenced(void) {
    assert(ck_hs_init(&set, CK_HS_MODE_SPMC | CK_HS_MODE_OBJECT, hash, same, &heap, 8, 5));
    run(3, hs_write, hs_read, hs_read);
    assert(ck_hs_count(&set) == ITEMS - 1);
}

static void hs_spmc(void) {
    fenced = true;
    hs_unfenced();
}

/* ---- locks: each guards a plain counter ---- */

static int counter;

#define LOCKED(name, type, init, lock, unlock)   \
 static type name##_lock = init;                 \
 static void *name##_body(void *arg) {           \
  for (int i = 0; i < 2; i++) {                  \
   lock(&name##_lock);                           \
   counter++;                                    \
   unlock(&name##_lock);                         \
  }                                              \
  return arg;                                    \
 }                                               \
 static void name(void) {                        \
  run(3, name##_body, name##_body, name##_body); \
  assert(counter == 6);                          \
 }

LOCKED(spin_fas, ck_spinlock_fas_t, CK_SPINLOCK_FAS_INITIALIZER, ck_spinlock_fas_lock,
       ck_spinlock_fas_unlock)
LOCKED(spin_cas, ck_spinlock_cas_t, CK_SPINLOCK_CAS_INITIALIZER, ck_spinlock_cas_lock,
       ck_spinlock_cas_unlock)
LOCKED(spin_dec, ck_spinlock_dec_t, CK_SPINLOCK_DEC_INITIALIZER, ck_spinlock_dec_lock,
       ck_spinlock_dec_unlock)
LOCKED(spin_ticket, ck_spinlock_ticket_t, CK_SPINLOCK_TICKET_INITIALIZER, ck_spinlock_ticket_lock,
       ck_spinlock_ticket_unlock)
LOCKED(rwlock_write, ck_rwlock_t, CK_RWLOCK_INITIALIZER, ck_rwlock_write_lock,
       ck_rwlock_write_unlock)

static ck_spinlock_mcs_t mcs = CK_SPINLOCK_MCS_INITIALIZER;

static void *mcs_body(void *arg) {
    ck_spinlock_mcs_context_t here;
    ck_spinlock_mcs_lock(&mcs, &here);
    counter++;
    ck_spinlock_mcs_unlock(&mcs, &here);
    return arg;
}

static void spin_mcs(void) {
    run(3, mcs_body, mcs_body, mcs_body);
    assert(counter == 3);
}

static ck_spinlock_anderson_t anderson;
static ck_spinlock_anderson_thread_t slots[THREADS];

static void *anderson_body(void *arg) {
    ck_spinlock_anderson_thread_t *slot;
    ck_spinlock_anderson_lock(&anderson, &slot);
    counter++;
    ck_spinlock_anderson_unlock(&anderson, slot);
    return arg;
}

static void spin_anderson(void) {
    ck_spinlock_anderson_init(&anderson, slots, THREADS);
    run(3, anderson_body, anderson_body, anderson_body);
    assert(counter == 3);
}

static void *rwlock_reads(void *arg) {
    ck_rwlock_read_lock(&rwlock_write_lock);
    int one = counter;
    sched_yield();
    assert(counter == one);
    ck_rwlock_read_unlock(&rwlock_write_lock);
    return arg;
}

static void rwlock(void) { run(3, rwlock_write_body, rwlock_reads, rwlock_reads); }

static const struct {
    const char *name;
    void (*run)(void);
} part[] = {
    {"ring_spsc", ring_spsc},         {"ring_mpmc", ring_mpmc},     {"stack_pop", stack_pop},
    {"stack_batch", stack_batch},     {"fifo_spsc", fifo_spsc},     {"hs_spmc", hs_spmc},
    {"hs_unfenced", hs_unfenced},     {"spin_fas", spin_fas},       {"spin_cas", spin_cas},
    {"spin_dec", spin_dec},           {"spin_ticket", spin_ticket}, {"spin_mcs", spin_mcs},
    {"spin_anderson", spin_anderson}, {"rwlock", rwlock},           {"rwlock_write", rwlock_write},
};

int main(int argc, char **argv) {
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        if (argc == 2 && !strcmp(argv[1], part[i].name)) {
            part[i].run();
            return 0;
        }
    return 2;
}

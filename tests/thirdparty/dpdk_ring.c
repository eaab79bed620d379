/* DPDK's ring of one slot, by its path of C11 atomics: three producers, one consumer; it never
 * holds more than one. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#include <rte_ring.h>

static union {
    struct rte_ring ring;
    char memory[sizeof(struct rte_ring) + 2 * sizeof(void *)];
} all;

static struct rte_ring *ring = &all.ring;

static void *fills(void *arg) { return rte_ring_mp_enqueue(ring, ring) ? NULL : arg; }

int main(void) {
    pthread_t t[3];
    void *got, *done;
    int in = 0;
    ring->size = 2;
    ring->mask = ring->capacity = 1;
    ring->prod.sync_type = ring->cons.sync_type = RTE_RING_SYNC_MT;
    for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, fills, ring);
    int out = !rte_ring_mc_dequeue(ring, &got);
    for (int i = 0; i < 3; i++) pthread_join(t[i], &done), in += done != NULL;
    assert(in - out <= 1);
    return 0;
}

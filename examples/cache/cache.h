/* cache.h: a thread-safe map from numbers to numbers that forgets what nobody asks for.
 *
 * Chained hash table under one lock.  cache_sweep, called now and then, evicts the entries that
 * were not used since the sweep before the last one.  Any thread may call any function between
 * cache_init and cache_destroy.
 */
#ifndef CACHE_H
#define CACHE_H
#include "racefuzz.h"
#include <stdint.h>

enum { CACHE_BUCKETS = 4, CACHE_IDLE_SWEEPS = 2 };

typedef struct cache_entry {
    struct cache_entry *next;
    uint32_t key, idle; /* idle: sweeps since the last use */
    int64_t value;
} cache_entry;

typedef struct cache {
    rf_mutex lock; /* guards all below */
    cache_entry *bucket[CACHE_BUCKETS];
} cache;

void cache_init(cache *c);
void cache_destroy(cache *c);
bool cache_get(cache *c, uint32_t key, int64_t *value); /* false: not there */
bool cache_put(cache *c, uint32_t key, int64_t value);  /* false: out of memory */
uint32_t cache_sweep(cache *c);                         /* how many were evicted */

#endif

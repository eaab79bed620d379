/* cache.c: the hash table of cache.h. */
#include "cache.h"

void cache_init(cache *c) {
    rf_mutex_init(&c->lock, "cache", RF_MUTEX_NORMAL);
    for (int i = 0; i < CACHE_BUCKETS; i++) RF_STORE(c->bucket[i], NULL);
}

void cache_destroy(cache *c) {
    for (int i = 0; i < CACHE_BUCKETS; i++) {
        for (cache_entry *e = RF_LOAD(c->bucket[i]), *next; e; e = next) {
            next = RF_LOAD(e->next);
            RF_FREE(e);
        }
    }
    rf_mutex_destroy(&c->lock);
}

/* The lock is held. */
static cache_entry *find(cache *c, uint32_t key) {
    cache_entry *e = RF_LOAD(c->bucket[key % CACHE_BUCKETS]);
    while (e && RF_LOAD(e->key) != key) e = RF_LOAD(e->next);
    return e;
}

bool cache_get(cache *c, uint32_t key, int64_t *value) {
    RF_LOCK(&c->lock);
    cache_entry *e = find(c, key);
    if (e) {
        RF_STORE(e->idle, 0);
        *value = RF_LOAD(e->value);
    }
    RF_UNLOCK(&c->lock);
    return e != NULL;
}

bool cache_put(cache *c, uint32_t key, int64_t value) {
    cache_entry **bucket = &c->bucket[key % CACHE_BUCKETS];
    RF_LOCK(&c->lock);
    cache_entry *e = find(c, key);
    if (e) {
        RF_STORE(e->idle, 0);
        RF_STORE(e->value, value);
    } else if ((e = RF_MALLOC(sizeof *e))) {
        RF_STORE(*e, (cache_entry){.next = RF_LOAD(*bucket), .key = key, .value = value});
        RF_STORE(*bucket, e);
    }
    RF_UNLOCK(&c->lock);
    return e != NULL;
}

uint32_t cache_sweep(cache *c) {
    uint32_t evicted = 0;
    RF_LOCK(&c->lock);
    for (int i = 0; i < CACHE_BUCKETS; i++) {
        cache_entry **link = &c->bucket[i], *e;
        while ((e = RF_LOAD(*link))) {
            uint32_t idle = RF_LOAD(e->idle) + 1;
            if (idle < CACHE_IDLE_SWEEPS) {
                RF_STORE(e->idle, idle);
                link = &e->next;
            } else {
                RF_STORE(*link, RF_LOAD(e->next));
                RF_FREE(e);
                evicted++;
            }
        }
    }
    RF_UNLOCK(&c->lock);
    return evicted;
}

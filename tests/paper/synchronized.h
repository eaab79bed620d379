/* synchronized.h: the JDK's synchronised collections, and the driver that calls all they can do.
 *
 * A kernel defines a class before it includes this file: `collection` with a member `lock`, an
 * `iterator`, and the functions declared here; IS_SET if it is a set.  Every method below takes
 * the lock of its own collection.  The mistake: what the abstract superclass does with another
 * collection takes that one's lock to get an iterator, and walks without it.  In lists these are
 * contains_all and equals, in sets contains_all and add_all; the others copy, or ask `contains`.
 * The twin copies always, and takes one lock after the other.
 */
static void collection_init(collection *c);
static bool collection_add(collection *c, int value);
static bool collection_remove(collection *c, int value);
static bool collection_contains(collection *c, int value);
static void collection_clear(collection *c);
static int collection_size(collection *c);
static iterator collection_begin(collection *c);
static bool iterator_has_next(iterator *it);
static int iterator_next(iterator *it);
static void iterator_remove(iterator *it);

enum { COPY = 16 };

typedef struct copy {
    int count, value[COPY];
} copy;

/* ---- one collection ---- */

static bool add(collection *c, int value) {
    bool added = false;
    RF_GUARD(&c->lock) { added = collection_add(c, value); }
    return added;
}

static bool remove_value(collection *c, int value) {
    bool removed = false;
    RF_GUARD(&c->lock) { removed = collection_remove(c, value); }
    return removed;
}

static bool contains(collection *c, int value) {
    bool found = false;
    RF_GUARD(&c->lock) { found = collection_contains(c, value); }
    return found;
}

static void clear(collection *c) {
    RF_GUARD(&c->lock) { collection_clear(c); }
}

static int size(collection *c) {
    int n = 0;
    RF_GUARD(&c->lock) { n = collection_size(c); }
    return n;
}

static void to_array(collection *c, copy *all) {
    all->count = 0;
    RF_GUARD(&c->lock) {
        for (iterator it = collection_begin(c); iterator_has_next(&it);)
            if (all->count < COPY) all->value[all->count++] = iterator_next(&it);
    }
}

/* ---- two of them ---- */

#ifdef FIXED
static bool copy_has(const copy *all, int value) {
    for (int i = 0; i < all->count; i++)
        if (all->value[i] == value) return true;
    return false;
}

static void contains_all(collection *c, collection *other) {
    copy all;
    to_array(other, &all);
    RF_GUARD(&c->lock) {
        for (int i = 0; i < all.count; i++)
            if (!collection_contains(c, all.value[i])) break;
    }
}

static void keep(collection *c, collection *other, bool which) {
    copy all;
    to_array(other, &all);
    RF_GUARD(&c->lock) {
        for (iterator it = collection_begin(c); iterator_has_next(&it);)
            if (copy_has(&all, iterator_next(&it)) != which) iterator_remove(&it);
    }
}
#else
static iterator begin(collection *c) {
    iterator it;
    RF_LOCK(&c->lock);
    it = collection_begin(c);
    RF_UNLOCK(&c->lock);
    return it;
}

static void contains_all(collection *c, collection *other) {
    RF_GUARD(&c->lock) {
        for (iterator it = begin(other); iterator_has_next(&it);)
            if (!collection_contains(c, iterator_next(&it))) break;
    }
}

static void keep(collection *c, collection *other, bool which) {
    RF_GUARD(&c->lock) {
        for (iterator it = collection_begin(c); iterator_has_next(&it);)
            if (contains(other, iterator_next(&it)) != which) iterator_remove(&it);
    }
}
#endif

static void retain_all(collection *c, collection *other) { keep(c, other, true); }
static void remove_all(collection *c, collection *other) { keep(c, other, false); }

#if defined FIXED
static void add_all(collection *c, collection *other) {
    copy all;
    to_array(other, &all);
    RF_GUARD(&c->lock) {
        for (int i = 0; i < all.count; i++) collection_add(c, all.value[i]);
    }
}
#elif defined IS_SET
static void add_all(collection *c, collection *other) {
    RF_GUARD(&c->lock) {
        for (iterator it = begin(other); iterator_has_next(&it);)
            collection_add(c, iterator_next(&it));
    }
}
#else
static void add_all(collection *c, collection *other) {
    RF_GUARD(&c->lock) {
        copy all;
        to_array(other, &all);
        for (int i = 0; i < all.count; i++) collection_add(c, all.value[i]);
    }
}
#endif

#if defined IS_SET || defined FIXED
static void equals(collection *c, collection *other) {
    if (size(c) == size(other)) contains_all(c, other);
}
#else
static void equals(collection *c, collection *other) {
    RF_GUARD(&c->lock) {
        iterator mine = collection_begin(c), its = begin(other);
        while (iterator_has_next(&mine) && iterator_has_next(&its))
            if (iterator_next(&mine) != iterator_next(&its)) break;
    }
}
#endif

/* ---- the driver: a thread for each method ---- */

static collection pair[2];

static void *call(void *arg) {
    int which = *(int *)arg;
    collection *c = &pair[which % 2], *other = &pair[1 - which % 2];
    copy all;
    switch (which / 2) {
    case 0: contains_all(c, other); break;
    case 1: add_all(c, other); break;
    case 2: remove_all(c, other); break;
    case 3: retain_all(c, other); break;
    case 4: equals(c, other); break;
    case 5: add(c, 5); break;
    case 6: remove_value(c, 1); break;
    case 7: clear(c); break;
    case 8: contains(c, 2); break;
    case 9: to_array(c, &all); break;
    default: size(c); break;
    }
    return NULL;
}

enum { METHODS = 22 };

static void drive(void) {
    static int id[METHODS];
    rf_thread t[METHODS];
    for (int i = 0; i < 2; i++) {
        collection_init(&pair[i]);
        rf_mutex_init(&pair[i].lock, "mutex", RF_MUTEX_NORMAL);
        for (int v = 2; v > 0; v--) collection_add(&pair[i], v);
    }
    for (int i = 0; i < METHODS; i++) {
        id[i] = i;
        t[i] = RF_THREAD(call, &id[i]);
    }
    for (int i = 0; i < METHODS; i++) RF_JOIN(t[i]);
}

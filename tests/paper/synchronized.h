/* synchronized.h: the JDK's synchronised collections, and the driver that calls all they can do.
 *
 * A kernel defines a class before it includes this file: `collection` with a member `lock`, an
 * `iterator`, and the functions declared here; IS_SET if it is a set.  Every method below takes
 * the lock of its own collection.  The mistake: what the abstract superclass does with another
 * collection takes that one's lock to get an iterator, and walks without it.  In lists these are
 * contains_all and equals, in sets contains_all and add_all; the others copy, or ask `contains`.
 * The twin copies always, and takes one lock after the other.
 */
enum { COPY = 16 };

typedef struct copy {
    int count, value[COPY];
} copy;

static void collection_init(collection *c);
static bool collection_add(collection *c, int value);
static bool collection_remove(collection *c, int value);
static bool collection_contains(collection *c, int value);
static void collection_clear(collection *c);
static int collection_size(collection *c) { return RF_LOAD(c->size); }
static void collection_copy(collection *c, copy *all); /* in lists without an iterator, and */
#if !defined IS_SET || defined FIXED
static void collection_add_all(collection *c, const copy *all); /* not one after the other */
#endif
static iterator collection_begin(collection *c);
static bool iterator_has_next(iterator *it);
static int iterator_next(iterator *it); /* NONE: it has thrown something */
static void iterator_remove(iterator *it);

enum { NONE = -1 };

/* The first exception that nobody caught.  As in Java it ends its thread, and the others go on. */
static const char *thrown;

static int throw(const char *exception) {
    if (!thrown) thrown = exception;
    return NONE;
}

/* False at the end, or after an exception. */
static bool next(iterator *it, int *value) {
    if (!iterator_has_next(it)) return false;
    *value = iterator_next(it);
    return *value != NONE;
}

#ifdef IS_SET
static void collection_copy(collection *c, copy *all) {
    iterator it = collection_begin(c);
    while (all->count < COPY && next(&it, &all->value[all->count])) all->count++;
}

# ifdef FIXED
static void collection_add_all(collection *c, const copy *all) {
    for (int i = 0; i < all->count; i++) collection_add(c, all->value[i]);
}
# endif
#endif

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
    RF_GUARD(&c->lock) { collection_copy(c, all); }
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
        iterator it = collection_begin(c);
        for (int v; next(&it, &v);)
            if (copy_has(&all, v) != which) iterator_remove(&it);
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
        iterator it = begin(other);
        for (int v; next(&it, &v);)
            if (!collection_contains(c, v)) break;
    }
}

static void keep(collection *c, collection *other, bool which) {
    RF_GUARD(&c->lock) {
        iterator it = collection_begin(c);
        for (int v; next(&it, &v);)
            if (contains(other, v) != which) iterator_remove(&it);
    }
}
#endif

static void retain_all(collection *c, collection *other) { keep(c, other, true); }
static void remove_all(collection *c, collection *other) { keep(c, other, false); }

#if defined FIXED
static void add_all(collection *c, collection *other) {
    copy all;
    to_array(other, &all);
    RF_GUARD(&c->lock) { collection_add_all(c, &all); }
}
#elif defined IS_SET
static void add_all(collection *c, collection *other) {
    RF_GUARD(&c->lock) {
        iterator it = begin(other);
        for (int v; next(&it, &v);) collection_add(c, v);
    }
}
#else
static void add_all(collection *c, collection *other) {
    RF_GUARD(&c->lock) {
        copy all;
        to_array(other, &all);
        collection_add_all(c, &all);
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
        for (int v, w; next(&mine, &v) && next(&its, &w);)
            if (v != w) break;
    }
}
#endif

/* ---- the driver: two collections, a thread for each call of a method ---- */

static collection pair[2];

enum { BULK = 5, METHODS = 12 };

static void call(int method, collection *c, collection *other) {
    copy all;
    switch (method) {
    case 0: contains_all(c, other); break;
    case 1: equals(c, other); break;
    case 2: add_all(c, other); break;
    case 3: remove_all(c, other); break;
    case 4: retain_all(c, other); break;
    case 5: add(c, 4); break;
    case 6: remove_value(c, 1); break;
    case 7: remove_value(c, 2); break;
    case 8: clear(c); break;
    case 9: contains(c, 2); break;
    case 10: to_array(c, &all); break;
    default: size(c); break;
    }
}

static void *call_forward(void *arg) { return call(*(int *)arg, &pair[0], &pair[1]), NULL; }
static void *call_backward(void *arg) { return call(*(int *)arg, &pair[1], &pair[0]), NULL; }

static void pair_init(void) {
    static const int start[] = {2, 1, 3};

    thrown = NULL;
    for (int i = 0; i < 2; i++) {
        collection_init(&pair[i]);
        rf_mutex_init(&pair[i].lock, "mutex", RF_MUTEX_NORMAL);
        for (int v = 0; v < 3; v++) collection_add(&pair[i], start[v]);
    }
}

/* The methods of two collections on the first with the second, those of one on the second, which is
 * walked without its lock: no two threads take the two locks in opposite orders.  Starting a thread
 * is a step at which the others may run on, as in Java. */
static void drive(void) {
    static int id[METHODS];
    rf_thread t[METHODS];
    pair_init();
    for (int i = 0; i < METHODS; i++) {
        id[i] = i;
        t[i] = RF_THREAD(i < BULK ? call_forward : call_backward, &id[i]);
        RF_YIELD();
    }
    for (int i = 0; i < METHODS; i++) RF_JOIN(t[i]);
    if (thrown) RF_FAIL("%s", thrown);
}

/* add_all both ways: each takes the other's lock inside its own. */
static void drive_crosswise(void) {
    static int add_all_of = 2;
    pair_init();
    rf_thread t = RF_THREAD(call_forward, &add_all_of), u = RF_THREAD(call_backward, &add_all_of);
    RF_JOIN(t);
    RF_JOIN(u);
}

/* The tests of a kernel, and its main. */
#define DRIVEN(name)                                                                 \
 RF_TEST(name, .expect = BUG(RF_EXPECT_RACE | RF_EXPECT_FAILURE)) { drive(); }       \
 RF_TEST(name##_crosswise, .expect = BUG(RF_EXPECT_DEADLOCK)) { drive_crosswise(); } \
 RF_MAIN()

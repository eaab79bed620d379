/* stringbuffer: append(other) asks the other buffer for its length and then for so many characters,
 * each under its lock; in between a thread erases them (JDK 1.4).  SCTBench's stringbuffer-jdk1.4:
 * the test's body appends, one thread erases and appends again. */
#include "bug.h"

enum { ROOM = 32 };

typedef struct buffer {
    rf_mutex lock;
    int length;
    char text[ROOM];
} buffer;

static buffer shared, own;

static int length_of(const buffer *b) { return RF_LOAD(b->length); }

static void characters_of(const buffer *b, int n, char *to) {
    RF_ASSERT_LE(n, RF_LOAD(b->length));
    for (int i = 0; i < n; i++) to[i] = RF_LOAD(b->text[i]);
}

/* Under b's lock. */
static void add(buffer *b, const char *text, int n) {
    int length = RF_LOAD(b->length);
    for (int i = 0; i < n; i++) RF_STORE(b->text[length + i], text[i]);
    RF_STORE(b->length, length + n);
}

static void append(buffer *b, buffer *other) {
    char text[ROOM];
    int n = 0;
    RF_LOCK(&b->lock);
#ifdef FIXED
    RF_LOCK(&other->lock);
    n = length_of(other);
    characters_of(other, n, text);
    RF_UNLOCK(&other->lock);
#else
    RF_GUARD(&other->lock) { n = length_of(other); }
    RF_GUARD(&other->lock) { characters_of(other, n, text); }
#endif
    add(b, text, n);
    RF_UNLOCK(&b->lock);
}

static void *change(void *arg) {
    RF_GUARD(&shared.lock) { RF_STORE(shared.length, 0); }
    RF_GUARD(&shared.lock) { add(&shared, "abc", 3); }
    return arg;
}

PROGRAM(stringbuffer, RF_EXPECT_FAILURE) {
    shared = (buffer){.length = 3, .text = "abc"};
    own = (buffer){.length = 0};
    rf_thread t = RF_THREAD(change, NULL);
    append(&own, &shared);
    RF_JOIN(t);
}

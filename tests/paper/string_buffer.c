/* string_buffer: append() asks another buffer for its length and then for its characters, each
 * under that one's lock; in between another thread makes it shorter.  Every access is locked, so
 * there is no data race. */
#include "paper.h"

enum { CAPACITY = 8 };

typedef struct buffer {
    rf_mutex lock;
    int length;
    char text[CAPACITY];
} buffer;

static buffer left, right;

static int length_locked(buffer *b) { return RF_LOAD(b->length); }

#ifndef FIXED
static int length(buffer *b) {
    int n = 0;
    RF_GUARD(&b->lock) { n = length_locked(b); }
    return n;
}
#endif

static void get_chars_locked(buffer *b, int end, char *to) {
    if (end > RF_LOAD(b->length)) RF_FAIL("StringIndexOutOfBoundsException: %d", end);
    for (int i = 0; i < end; i++) to[i] = RF_LOAD(b->text[i]);
}

#ifndef FIXED
static void get_chars(buffer *b, int end, char *to) {
    RF_GUARD(&b->lock) { get_chars_locked(b, end, to); }
}
#endif

static void set_length(buffer *b, int n) {
    RF_GUARD(&b->lock) { RF_STORE(b->length, n); }
}

/* append(StringBuffer) is a synchronised method. */
static void append(buffer *b, buffer *other) {
    char chars[CAPACITY];
    RF_ATOMIC_BLOCK("append") {
        RF_GUARD(&b->lock) {
#ifdef FIXED
            int n = 0;
            RF_GUARD(&other->lock) {
                n = length_locked(other);
                get_chars_locked(other, n, chars);
            }
#else
            int n = length(other);
            get_chars(other, n, chars);
#endif
            int at = RF_LOAD(b->length);
            for (int i = 0; i < n; i++) RF_STORE(b->text[at + i], chars[i]);
            RF_STORE(b->length, at + n);
        }
    }
}

static void *shorten(void *arg) {
    set_length(&right, 0);
    return arg;
}

static void *join(void *arg) {
    append(&left, &right);
    return arg;
}

static void buffer_init(buffer *b, const char *name, const char *text) {
    rf_mutex_init(&b->lock, name, RF_MUTEX_NORMAL);
    b->length = (int)strlen(text);
    memcpy(b->text, text, (size_t)b->length);
}

RF_TEST(string_buffer, .expect = BUG(RF_EXPECT_FAILURE | RF_EXPECT_ATOMICITY)) {
    buffer_init(&left, "this", "a");
    buffer_init(&right, "sb", "bc");
    rf_thread t = RF_THREAD(join, NULL), u = RF_THREAD(shorten, NULL);
    RF_JOIN(t);
    RF_JOIN(u);
    RF_ASSERT(left.length == 1 || left.length == 3);
}

RF_MAIN()

/* refcount_test.c: what the owners wrote is sent, all of it. */
#define RF_IMPLEMENTATION
#include "racefuzz.h"
#include "../planted.h"
#include "message.h"

typedef struct owner {
    message *message;
    int number;
} owner;

static void check(uint32_t sum) { RF_ASSERT_EQ(sum, 100 + 101); }

static void *work(void *arg) {
    owner *o = arg;
    message_write(o->message, o->number, 100 + (uint32_t)o->number);
    message_release(o->message, check);
    return NULL;
}

RF_TEST(all_that_was_written_is_sent, .expect = PLANTED(RF_EXPECT_RACE | RF_EXPECT_FAILURE)) {
    message *m = message_new();
    RF_ASSERT(m);
    owner o[MESSAGE_OWNERS];
    rf_thread t[MESSAGE_OWNERS];
    for (int i = 0; i < MESSAGE_OWNERS; i++) {
        o[i] = (owner){m, i};
        t[i] = RF_THREAD(work, &o[i]);
    }
    for (int i = 0; i < MESSAGE_OWNERS; i++) RF_JOIN(t[i]);
}

RF_MAIN()

/* A queue by the list of its operations, with a model and without, and the same calls drawn and
 * made by a test of its own, which records nothing: for tests/long/spec_cost.sh. */
#include "racefuzz.h"

enum { PLACES = 2 };
static rf_mutex lock = RF_MUTEX_INIT;
static int item[PLACES], first, count;
static bool queue_put(int value) {
    bool room = false;
    RF_GUARD(&lock) {
        room = RF_LOAD(count) < PLACES;
        if (room) RF_STORE(item[(RF_LOAD(first) + RF_LOAD(count)) % PLACES], value);
        if (room) RF_STORE(count, RF_LOAD(count) + 1);
    }
    return room;
}
static int queue_get(void) {
    int value = 0;
    RF_GUARD(&lock) {
        if (RF_LOAD(count)) {
            value = RF_LOAD(item[RF_LOAD(first)]);
            RF_STORE(first, (RF_LOAD(first) + 1) % PLACES);
            RF_STORE(count, RF_LOAD(count) - 1);
        }
    }
    return value;
}
static void init(void) {
    RF_STORE(first, 0);
    RF_STORE(count, 0);
}
#define QUEUE(queue)                                                      \
 RF_OBJECT(queue) { init(); }                                             \
 RF_OPERATION(queue, put, (int value), bool) { return queue_put(value); } \
 RF_OPERATION(queue, get, (void), int) { return queue_get(); }            \
 RF_LINEARIZABLE(queue, .threads = 3, .operations = 4)
QUEUE(own)
QUEUE(model)
struct places {
    int item[PLACES], items;
};
RF_MODEL(model, struct places) { model->items = 0; }
RF_MODEL_OPERATION(model, put, (int value), bool) {
    if (model->items == PLACES) return false;
    model->item[model->items++] = value;
    return true;
}
RF_MODEL_OPERATION(model, get, (void), int) {
    int value = model->items ? model->item[0] : 0;
    if (model->items) {
        model->item[0] = model->item[1];
        model->items--;
    }
    return value;
}
/* ---- the same scenarios, without recording ---- */

static struct {
    bool put[8];
    int n;
} plan[5];
static int fresh;
static void draw(int l, uint32_t n) {
    plan[l].n = (int)n;
    for (uint32_t i = 0; i < n; i++) plan[l].put[i] = RF_CHOOSE(2);
}
static void calls(int l) {
    for (int i = 0; i < plan[l].n; i++) {
        if (plan[l].put[i])
            queue_put(++fresh);
        else
            queue_get();
    }
}
static void *thread(void *a) {
    calls((int)(intptr_t)a);
    return a;
}
RF_TEST(bare) {
    uint32_t size = RF_CHOOSE(8), threads = 2 + size / 4, length = size % 4 + 1;
    rf_thread t[4];
    fresh = 0;
    draw(0, RF_CHOOSE(3));
    for (uint32_t i = 1; i <= threads; i++) {
        draw((int)i, length);
        length -= RF_CHOOSE(length);
    }
    draw(4, RF_CHOOSE(3));
    init();
    calls(0);
    for (uint32_t i = 1; i <= threads; i++) t[i] = RF_THREAD(thread, (void *)(intptr_t)i);
    for (uint32_t i = 1; i <= threads; i++) RF_JOIN(t[i]);
    calls(4);
}
RF_MAIN()

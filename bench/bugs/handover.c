/* queue, stack, circular_buffer: a producer and a consumer take turns under one lock, and rely on
 * turns that the schedule does not promise.  SCTBench's queue_bad (20 rounds), stack_bad (10),
 * circular_buffer_bad (7). */
#include "bug.h"

static rf_mutex lock;
static bool may_put, may_take;

static void run_two(void *(*producer)(void *), void *(*consumer)(void *)) {
    crew c = {.count = 0};
    START(&c, 1, producer, NULL);
    START(&c, 1, consumer, NULL);
    finish(&c);
}

/* The other one's turn. */
static void hand_over(bool put) {
    RF_STORE(may_put, put);
    RF_STORE(may_take, !put);
}

/* ---- queue: elements are compared by the number of the round, also of rounds without one ---- */

enum { QUEUE = 20 };

static struct { int element[QUEUE], head, tail, amount, stored[QUEUE]; } queue;

static void enqueue(int value) {
    int tail = RF_LOAD(queue.tail);
    RF_STORE(queue.element[tail], value);
    RF_STORE(queue.amount, RF_LOAD(queue.amount) + 1);
    RF_STORE(queue.tail, tail + 1);
}

static int dequeue(void) {
    int head = RF_LOAD(queue.head), value = RF_LOAD(queue.element[head]);
    RF_STORE(queue.amount, RF_LOAD(queue.amount) - 1);
    RF_STORE(queue.head, head + 1);
    return value;
}

static void *queue_producer(void *arg) {
    int value = 0;
    RF_LOCK(&lock);
    enqueue(value);
    RF_STORE(queue.stored[0], value);
    RF_ASSERT_NE(RF_LOAD(queue.head), RF_LOAD(queue.tail));
    RF_UNLOCK(&lock);
    for (int i = 0; i < QUEUE - 1; i++) {
        RF_LOCK(&lock);
        if (RF_LOAD(may_put)) {
            enqueue(++value);
#ifdef FIXED
            RF_STORE(queue.stored[value], value);
#else
            RF_STORE(queue.stored[i + 1], value);
#endif
            hand_over(false);
        }
        RF_UNLOCK(&lock);
    }
    return arg;
}

static void *queue_consumer(void *arg) {
    int taken = 0;
    for (int i = 0; i < QUEUE; i++) {
        RF_LOCK(&lock);
        if (RF_LOAD(may_take)) {
            int value = dequeue();
#ifdef FIXED
            RF_ASSERT_EQ(value, RF_LOAD(queue.stored[taken]));
#else
            RF_ASSERT_EQ(value, RF_LOAD(queue.stored[i]));
#endif
            taken++;
            hand_over(true);
        }
        RF_UNLOCK(&lock);
    }
    return arg;
}

PROGRAM(queue, RF_EXPECT_FAILURE) {
    memset(&queue, 0, sizeof queue);
    may_put = true;
    may_take = false;
    run_two(queue_producer, queue_consumer);
}

/* ---- stack: that there has been an element is taken for that there is one ---- */

enum { STACK = 10 };

static struct {
    int element[STACK], top;
    bool used;
} stack;

static void *stack_producer(void *arg) {
    for (int i = 0; i < STACK; i++) {
        RF_LOCK(&lock);
        int top = RF_LOAD(stack.top);
        RF_ASSERT_LT(top, STACK);
        RF_STORE(stack.element[top], i);
        RF_STORE(stack.top, top + 1);
        RF_STORE(stack.used, true);
        RF_UNLOCK(&lock);
    }
    return arg;
}

static bool stack_ready(void) {
#ifdef FIXED
    return RF_LOAD(stack.top) > 0;
#else
    return RF_LOAD(stack.used);
#endif
}

static void *stack_consumer(void *arg) {
    for (int i = 0; i < STACK; i++) {
        RF_LOCK(&lock);
        if (stack_ready()) {
            int top = RF_LOAD(stack.top);
            RF_ASSERT_GT(top, 0);
            RF_STORE(stack.top, top - 1);
            (void)RF_LOAD(stack.element[top - 1]);
        }
        RF_UNLOCK(&lock);
    }
    return arg;
}

PROGRAM(stack, RF_EXPECT_FAILURE) {
    memset(&stack, 0, sizeof stack);
    run_two(stack_producer, stack_consumer);
}

/* ---- circular_buffer: what comes must bear the number of the round ---- */

enum { ROOM = 10, ROUNDS = 7 };

static struct { int element[ROOM], first, next; } ring;

static int ring_take(void) {
    int first = RF_LOAD(ring.first);
    if (RF_LOAD(ring.next) <= 0 || first >= ROOM) return -1;
    RF_STORE(ring.first, first + 1);
    return RF_LOAD(ring.element[first]);
}

static void *ring_producer(void *arg) {
    int sent = 0;
    for (int i = 0; i < ROUNDS; i++) {
        RF_LOCK(&lock);
        if (RF_LOAD(may_put)) {
            int next = RF_LOAD(ring.next);
#ifdef FIXED
            RF_STORE(ring.element[next], sent++);
#else
            RF_STORE(ring.element[next], i);
#endif
            RF_STORE(ring.next, (next + 1) % ROOM);
            hand_over(false);
        }
        RF_UNLOCK(&lock);
    }
    (void)sent;
    return arg;
}

static void *ring_consumer(void *arg) {
    int received = 0;
    for (int i = 0; i < ROUNDS; i++) {
        RF_LOCK(&lock);
        if (RF_LOAD(may_take)) {
            int value = ring_take();
#ifdef FIXED
            RF_ASSERT_EQ(value, received);
#else
            RF_ASSERT_EQ(value, i);
#endif
            received++;
            hand_over(true);
        }
        RF_UNLOCK(&lock);
    }
    return arg;
}

PROGRAM(circular_buffer, RF_EXPECT_FAILURE) {
    memset(&ring, 0, sizeof ring);
    may_put = true;
    may_take = false;
    run_two(ring_producer, ring_consumer);
}

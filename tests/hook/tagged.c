/* Tagged pointers: compare-exchanges of 16 bytes, loads and stores of their halves. */
#include "check.h"

struct node {
    struct node *next;
    int value;
};
typedef struct {
    struct node *first;
    uint64_t tag;
} head;
typedef union {
    _Alignas(16) _Atomic head whole;
    struct {
        _Atomic(struct node *) first;
        _Atomic uint64_t tag;
    } part;
} tagged;

static tagged top;
static memory_order push_order = memory_order_release, store_order = memory_order_release;
static uint64_t step = 1;
static struct node node[2];
static int plain;
static atomic_int sent;

static void push(struct node *n, int value) {
    head old, new;
    old.first = atomic_load_explicit(&top.part.first, memory_order_relaxed);
    old.tag = atomic_load_explicit(&top.part.tag, memory_order_relaxed);
    n->value = value;
    do {
        n->next = old.first;
        new.first = n;
        new.tag = old.tag + step;
    } while (!atomic_compare_exchange_weak_explicit(&top.whole, &old, new, push_order,
                                                    memory_order_relaxed));
}

static int pop(void) {
    head old, new;
    old.tag = atomic_load_explicit(&top.part.tag, memory_order_acquire);
    old.first = atomic_load_explicit(&top.part.first, memory_order_acquire);
    do {
        if (!old.first) return 0;
        new.first =
            atomic_load_explicit((_Atomic(struct node *) *)&old.first->next, memory_order_relaxed);
        new.tag = old.tag + step;
    } while (!atomic_compare_exchange_weak_explicit(&top.whole, &old, new, memory_order_acquire,
                                                    memory_order_acquire));
    return old.first->value;
}

static void *pusher(void *n) {
    push(n, 1);
    return NULL;
}

THREAD(popper) { (void)pop(); }

THREAD(sends) {
    plain = 1;
    atomic_store_explicit(&sent, 1, memory_order_relaxed);
    atomic_store_explicit(&top.part.tag, 7, store_order);
}

THREAD(receives) {
    head h = atomic_load_explicit(&top.whole, memory_order_acquire);
    assert(h.first == &node[0]); /* the other half stays */
    if (h.tag == 7) assert(plain == 1 && atomic_load_explicit(&sent, memory_order_relaxed) == 1);
}

THREAD(counts) {
    for (int i = 0; i < 2; i++) atomic_fetch_add(&top.part.tag, 1);
}

THREAD(swaps) {
    for (int i = 0; i < 2; i++) {
        head old = atomic_load(&top.whole), new;
        do {
            new = old;
            new.tag += 16;
        } while (!atomic_compare_exchange_strong(&top.whole, &old, new));
    }
}

static union {
    _Atomic uint64_t whole;
    _Atomic uint32_t half[2];
} word;
static int at;
static memory_order word_order = memory_order_acquire;

THREAD(writes_half) {
    plain = 1;
    atomic_store_explicit(&word.half[at], 1, memory_order_release);
}

THREAD(reads_word) {
    if (atomic_load_explicit(&word.whole, word_order)) assert(plain == 1);
}

THREAD(writes_word) {
    plain = 1;
    atomic_store_explicit(&word.whole, (uint64_t)1 << (at * 32), memory_order_release);
}

THREAD(reads_half) {
    if (atomic_load_explicit(&word.half[at], memory_order_acquire)) assert(plain == 1);
}

struct counter {
    _Atomic uint64_t count;
    uint64_t own; /* of the second thread */
};

static void *increments(void *c) {
    atomic_fetch_add(&((struct counter *)c)->count, 1);
    return NULL;
}

static void *owns(void *c) {
    ((struct counter *)c)->own++;
    return NULL;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "relaxed")) push_order = store_order = memory_order_relaxed;
    if (!strcmp(what, "word") || !strcmp(what, "part")) {
        at = !strcmp(argv[2], "high");
        if (argc > 3) word_order = memory_order_relaxed;
        atomic_store_explicit(&word.whole, 0, memory_order_relaxed);
        if (*what == 'w')
            run_two(writes_half, NULL, reads_word, NULL);
        else
            run_two(writes_word, NULL, reads_half, NULL);
    } else if (!strcmp(what, "send") || argc > 2) {
        atomic_store_explicit(&top.part.first, &node[0], memory_order_relaxed);
        run_two(sends, NULL, receives, NULL);
    } else if (!strcmp(what, "count")) {
        run_two(counts, NULL, swaps, NULL);
        assert(atomic_load(&top.part.tag) == 34);
    } else if (!strcmp(what, "again")) {
        tagged *t = aligned_alloc(16, sizeof *t);
        head h = {NULL, 1};
        atomic_init(&t->whole, h);
        (void)atomic_compare_exchange_strong(&t->whole, &h, h);
        free(t);
        struct counter *c = aligned_alloc(16, sizeof *c);
        atomic_init(&c->count, 0);
        c->own = 0;
        run_two(increments, c, owns, c);
        assert(c->count == 1 && c->own == 1);
        free(c);
    } else {
        run_two(pusher, &node[0], popper, NULL);
        run_two(pusher, &node[1], popper, NULL);
    }
    return 0;
}

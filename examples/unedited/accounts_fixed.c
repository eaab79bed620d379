/* Accounts with a lock each, and two clerks who move money from one to another. */
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

typedef struct account {
    mtx_t lock;
    long balance;
} account;

typedef struct order {
    account *from, *to;
    long amount;
} order;

/* Locks are taken in the order of their addresses. */
static void move_money(const order *o) {
    account *low = o->from < o->to ? o->from : o->to;
    mtx_lock(&low->lock);
    mtx_lock(low == o->from ? &o->to->lock : &o->from->lock);
    if (o->from->balance >= o->amount) {
        o->from->balance -= o->amount;
        o->to->balance += o->amount;
    }
    mtx_unlock(&o->to->lock);
    mtx_unlock(&o->from->lock);
}

static int clerk(void *o) {
    move_money(o);
    return 0;
}

int main(void) {
    account a = {.balance = 100}, b = {.balance = 50};
    order there = {&a, &b, 30}, back = {&b, &a, 20};
    thrd_t first, second;
    if (mtx_init(&a.lock, mtx_plain) != thrd_success) return EXIT_FAILURE;
    if (mtx_init(&b.lock, mtx_plain) != thrd_success) return EXIT_FAILURE;
    if (thrd_create(&first, clerk, &there) != thrd_success) return EXIT_FAILURE;
    if (thrd_create(&second, clerk, &back) != thrd_success) return EXIT_FAILURE;
    thrd_join(first, NULL);
    thrd_join(second, NULL);
    mtx_destroy(&a.lock);
    mtx_destroy(&b.lock);
    printf("%ld and %ld\n", a.balance, b.balance);
    return a.balance + b.balance == 150 ? EXIT_SUCCESS : EXIT_FAILURE;
}

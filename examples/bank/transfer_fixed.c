/* transfer_fixed.c: moving money between two accounts; the balance is read, judged and changed
 * under one hold of the locks. */
#include "bank.h"

bool bank_transfer(bank *b, int from, int to, int64_t amount) {
    if (from == to) return false;
    account *source = &b->account[from], *target = &b->account[to];
    account *first = from < to ? source : target, *second = from < to ? target : source;

    RF_LOCK(&first->lock);
    RF_LOCK(&second->lock);
    int64_t balance = RF_LOAD(source->balance);
    bool covered = balance >= amount;
    if (covered) {
        RF_STORE(source->balance, balance - amount);
        RF_STORE(target->balance, RF_LOAD(target->balance) + amount);
    }
    RF_UNLOCK(&second->lock);
    RF_UNLOCK(&first->lock);
    return covered;
}

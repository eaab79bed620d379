/* transfer.c: moving money between two accounts.
 *
 * BUG: "Refuse early, before taking two locks" reads the balance without a lock, and then trusts
 * what it read.  A transfer that comes in between is overwritten.  Fixed in transfer_fixed.c.
 */
#include "bank.h"

bool bank_transfer(bank *b, int from, int to, int64_t amount) {
    if (from == to) return false;
    account *source = &b->account[from], *target = &b->account[to];
    account *first = from < to ? source : target, *second = from < to ? target : source;

    int64_t balance = RF_LOAD(source->balance); /* no lock */
    if (balance < amount) return false;

    RF_LOCK(&first->lock);
    RF_LOCK(&second->lock);
    RF_STORE(source->balance, balance - amount); /* of a balance that may be long gone */
    RF_STORE(target->balance, RF_LOAD(target->balance) + amount);
    RF_UNLOCK(&second->lock);
    RF_UNLOCK(&first->lock);
    return true;
}

/* bank.c: opening, reading and auditing accounts.  Transfers are in transfer.c. */
#include "bank.h"

void bank_init(bank *b, int64_t balance) {
    for (int i = 0; i < BANK_ACCOUNTS; i++) {
        rf_mutex_init(&b->account[i].lock, "account", RF_MUTEX_NORMAL);
        RF_STORE(b->account[i].balance, balance);
    }
}

void bank_destroy(bank *b) {
    for (int i = 0; i < BANK_ACCOUNTS; i++) rf_mutex_destroy(&b->account[i].lock);
}

int64_t bank_balance(bank *b, int number) {
    account *a = &b->account[number];
    RF_LOCK(&a->lock);
    int64_t balance = RF_LOAD(a->balance);
    RF_UNLOCK(&a->lock);
    return balance;
}

int64_t bank_audit(bank *b) {
    int64_t total = 0;
    for (int i = 0; i < BANK_ACCOUNTS; i++) RF_LOCK(&b->account[i].lock);
    for (int i = 0; i < BANK_ACCOUNTS; i++) total += RF_LOAD(b->account[i].balance);
    for (int i = BANK_ACCOUNTS; i-- > 0;) RF_UNLOCK(&b->account[i].lock);
    return total;
}

/* bank.h: accounts with a lock each, transfers between them, and an audit of them all.
 *
 * Money is neither made nor lost: whatever the threads do, every audit finds the same total.
 * Accounts are numbered from 0 and amounts are in cents.  Between bank_init and bank_destroy any
 * thread may call the other functions.
 */
#ifndef BANK_H
#define BANK_H
#include "racefuzz.h"
#include <stdint.h>

enum { BANK_ACCOUNTS = 3 };

typedef struct account {
    rf_mutex lock;
    int64_t balance; /* guarded by lock */
} account;

/* Whoever needs several locks takes them in the order of the accounts. */
typedef struct bank {
    account account[BANK_ACCOUNTS];
} bank;

/* Opens all accounts with the same balance. */
void bank_init(bank *b, int64_t balance);
void bank_destroy(bank *b);

int64_t bank_balance(bank *b, int number);

/* Moves money.  False, and nothing is moved, when the balance does not cover the amount or both
 * accounts are the same. */
bool bank_transfer(bank *b, int from, int to, int64_t amount);

/* The sum of all balances at one instant. */
int64_t bank_audit(bank *b);

#endif

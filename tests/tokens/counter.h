#ifndef COUNTER_H
#define COUNTER_H
#include "racefuzz.h"

static inline void count(int *n) { RF_STORE(*n, RF_LOAD(*n) + 1); }

void *count_there(void *n);
#endif

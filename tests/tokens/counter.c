#include "counter.h"

void *count_there(void *n) {
    count(n);
    return NULL;
}

/* Accesses that are not one aligned word, each by two threads, and each used at the end. */
#include "tests/hook/check.h"

struct three {
    long a, b, c;
};
struct __attribute__((packed)) odd {
    char c;
    int n;
};

static struct three from, to;
static struct odd odd;
static volatile int flag;
static char text[100], other[100];

static void *touch(void *arg) {
    to = from;
    odd.n += (int)(size_t)arg;
    flag = 1;
    memcpy(text, other, sizeof text);
    memset(text, 0, sizeof text);
    return NULL;
}

int main(void) {
    run_two(touch, (void *)1, touch, (void *)2);
    printf("%ld %d %d %s\n", to.a + to.b + to.c, odd.n, flag, text);
    return 0;
}

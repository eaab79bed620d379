/* Memory that the system gives to one thread after the other: no race, each has its own. */
#include "check.h"

static const char *way;

/* At the same place if it is free. */
THREAD(uses) {
    const int all = PROT_READ | PROT_WRITE;
    void *want = strcmp(way, "any") ? (void *)(uintptr_t)0x500000000000 : NULL;
    int *own = mmap(want, 4096, all, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *own = 42;
    if (!strcmp(way, "moves")) {
        own = mremap(own, 4096, 8192, MREMAP_MAYMOVE);
        own[1025] = 43;
        munmap(own, 8192);
        return;
    }
    munmap(own, 4096);
}

int main(int argc, char **argv) {
    way = argc > 1 ? argv[1] : "any";
    run_two(uses, NULL, uses, NULL);
    return 0;
}

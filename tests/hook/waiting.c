/* Waits where racefuzz does not see it: in a loop, in a call, in a file that has no hooks. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

int unhooked_lock(void); /* unhooked.c */

static int flag;
static const char *way;

static void *waits(void *p) {
    int end[2];
    char byte;
    if (!strcmp(way, "loop"))
        while (!flag) {
        }
    if (!strcmp(way, "read") && (pipe(end) || read(end[0], &byte, 1))) return p;
    if (!strcmp(way, "lock")) unhooked_lock();
    return p;
}

int main(int argc, char **argv) {
    pthread_t t[2];
    way = argc > 1 ? argv[1] : "";
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, waits, NULL);
    flag = !strcmp(way, "never");
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    return 0;
}

/* Ends, well or not, as its first argument says; its other thread never does. */
#include "check.h"

static sem_t never;
static const char *way;
static int status;

static void handler(void) { fprintf(stderr, "the handler ran\n"); }
static void quick(void) { fprintf(stderr, "the quick handler ran\n"); }

static void *pay(void *p) {
    int *null = p;
    if (!strcmp(way, "in_thread")) exit(status);
    if (!strcmp(way, "assert")) assert(status == 7);
    if (!strcmp(way, "crash")) *null = 1;
    if (!strcmp(way, "abort")) abort();
    sem_wait(&never);
    return p;
}

int main(int argc, char **argv) {
    pthread_t t;
    way = argc > 1 ? argv[1] : "return";
    status = argc > 2 ? atoi(argv[2]) : 0;
    atexit(handler);
    at_quick_exit(quick);
    sem_init(&never, 0, 0);
    puts("output of the program");
    pthread_create(&t, NULL, pay, NULL);
    if (!strcmp(way, "exit")) exit(status);
    if (!strcmp(way, "_exit")) _exit(status);
    if (!strcmp(way, "_Exit")) _Exit(status);
    if (!strcmp(way, "quick_exit")) quick_exit(status);
    if (strcmp(way, "return")) pthread_join(t, NULL);
    return status;
}

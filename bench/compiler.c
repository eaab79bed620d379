/* bench/compiler.c: the loops that 8_compiler.sh measures; an ordinary program.
 *
 *     compiler own|shared|locked|block|copy ROUNDS     prints the nanoseconds of one access
 *
 * own: data of one thread; shared: two threads read; locked: two threads add in turns, and their
 * lock is counted in; block: 1 MiB is allocated, filled and freed, and all of that is one access;
 * copy: two threads copy 1 MiB to memory of their own and, under a lock, from there to a third.
 * Compiled with -fsanitize=thread and linked twice: with the compiler's runtime, and with
 * racefuzz's engine.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CELLS 64
#define BLOCK ((size_t)1 << 20)

static unsigned cell[CELLS], sum;
static char of_both[BLOCK];
static unsigned long rounds;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *own(void *arg) {
    const unsigned long n = rounds;
    for (unsigned long i = 0; i < n; i++) cell[i % CELLS] = (unsigned)i;
    return arg;
}

static void *shared(void *arg) {
    const unsigned long n = rounds;
    unsigned s = 0;
    for (unsigned long i = 0; i < n; i++) s += cell[i % CELLS];
    return s == 1 ? NULL : arg;
}

static void *locked(void *arg) {
    const unsigned long n = rounds;
    for (unsigned long i = 0; i < n; i++) {
        pthread_mutex_lock(&lock);
        sum += cell[i % CELLS];
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *block(void *arg) {
    const unsigned long n = rounds;
    for (unsigned long i = 0; i < n; i++) {
        char *p = malloc(BLOCK);
        if (!p) return NULL;
        memset(p, (int)i, BLOCK);
        sum += (unsigned)p[i % 1000];
        free(p);
    }
    return arg;
}

static void *copy(void *arg) {
    const unsigned long n = rounds;
    char *from = calloc(1, BLOCK), *p = calloc(1, BLOCK);
    for (unsigned long i = 0; from && p && i < n; i++) {
        memcpy(p, from, BLOCK);
        pthread_mutex_lock(&lock);
        memcpy(of_both, p, BLOCK);
        sum += (unsigned)of_both[i % 1000];
        pthread_mutex_unlock(&lock);
    }
    free(from);
    free(p);
    return arg;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void *(*run)(void *);
        int threads, accesses;
    } kinds[] = {{"own", own, 1, 1},
                 {"shared", shared, 2, 1},
                 {"locked", locked, 2, 3},
                 {"block", block, 1, 1},
                 {"copy", copy, 2, 2}};
    rounds = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    for (size_t k = 0; rounds && k < sizeof kinds / sizeof *kinds; k++) {
        if (strcmp(argv[1], kinds[k].name) != 0) continue;
        pthread_t t[2];
        clock_t begin = clock();
        for (int i = 0; i < kinds[k].threads; i++) pthread_create(&t[i], NULL, kinds[k].run, argv);
        for (int i = 0; i < kinds[k].threads; i++) pthread_join(t[i], NULL);
        double ns = (double)(clock() - begin) * (1e9 / CLOCKS_PER_SEC);
        printf("ns %.2f\n", ns / ((double)rounds * kinds[k].threads * kinds[k].accesses));
        return 0;
    }
    return fprintf(stderr, "usage: compiler own|shared|locked|block|copy ROUNDS\n"), 2;
}

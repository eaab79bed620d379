/* lbzip2's scheduler (src/process.c) with its compressor: a reader, two workers and a writer.
 *
 * Left out are main.c and signals.c (lbzip2_signals.c): here the first thread waits for the others
 * as pthreads do.
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

#include "main.h"
#include "signals.h"
#include "xalloc.h"

/* ---- main.c ---- */

unsigned num_worker = 2, bs100k = 1;
size_t max_mem;
bool decompress, force, keep, verbose, print_cctrs, small, ultra;
struct filespec ispec, ospec;

#define REFUSES(name, ...)          \
 void _Noreturn name(__VA_ARGS__) { \
  (void)fmt;                        \
  abort();                          \
 }
REFUSES(fail, const char *fmt, ...)
REFUSES(failf, const struct filespec *f, const char *fmt, ...)
REFUSES(failx, int x, const char *fmt, ...)
REFUSES(failfx, const struct filespec *f, int x, const char *fmt, ...)

void info(const char *fmt, ...) { (void)fmt; }
void display(const char *fmt, ...) { (void)fmt; }

void *xmalloc(size_t n) {
    void *p = malloc(n);
    assert(p);
    return p;
}

void *xcalloc(size_t n, size_t size) {
    void *p = calloc(n, size);
    assert(p);
    return p;
}

void xalloc_die(void) { abort(); }

/* ---- signals.c ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t raised_one = PTHREAD_COND_INITIALIZER;
static bool raised;

void xraise(int sig) {
    assert(sig == SIGUSR2);
    pthread_mutex_lock(&lock);
    raised = true;
    pthread_cond_signal(&raised_one);
    pthread_mutex_unlock(&lock);
}

void halt(void) {
    pthread_mutex_lock(&lock);
    while (!raised) pthread_cond_wait(&raised_one, &lock);
    pthread_mutex_unlock(&lock);
}

/* ---- the test ---- */

static FILE *holding(const char *from, size_t n) {
    FILE *f = tmpfile();
    assert(f && fwrite(from, 1, n, f) == n);
    rewind(f);
    return f;
}

int main(void) {
    enum { SIZE = 250000 };
    static char bytes[SIZE];
    unsigned char head[4];
    FILE *in = holding(bytes, sizeof bytes), *out = holding("", 0);
    ispec.fd = fileno(in);
    ospec.fd = fileno(out);
    work();
    assert(ispec.total == SIZE);
    assert(lseek(ospec.fd, 0, SEEK_END) == (off_t)ospec.total);
    assert(pread(ospec.fd, head, 4, 0) == 4 && !memcmp(head, "BZh1", 4));
    return 0;
}

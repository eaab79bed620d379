/* The functions that allocate, by their rules: run with the C library's too. */
#include "check.h"
#include <malloc.h>

/* Words of everyday that the program uses for itself. */
typedef struct allocator {
    void *(*malloc)(size_t);
    void (*free)(void *);
} allocator;
static const allocator library = {malloc, free};

__attribute__((malloc)) static void *get(size_t n) { return library.malloc(n); }

static char *early, *late;

__attribute__((constructor)) static void before_main(void) { early = strdup("early"); }
__attribute__((destructor)) static void after_main(void) { free(late); }
static void at_exit(void) { free(early); }

static bool aligned(const void *p, size_t n) { return p && !((uintptr_t)p % n); }

static void sizes(void) {
    volatile size_t half = SIZE_MAX / 2;
    char *p = malloc(0), *q = calloc(0, 8);
    CHECK(p && q && p != q);
    free(p);
    free(q);
    free(NULL);
    errno = 0;
    CHECK(!malloc(half) && errno == ENOMEM);
    errno = 0;
    CHECK(!calloc(half, 3) && errno == ENOMEM);
    p = get(5);
    memcpy(p, "four", 5);
    errno = 0;
    CHECK(!realloc(p, half) && errno == ENOMEM);
    CHECK(!reallocarray(p, half, 3) && errno == ENOMEM);
    CHECK(!strcmp(p, "four") && malloc_usable_size(p) >= 5 && !malloc_usable_size(NULL));
    errno = 7;
    p = realloc(p, 5000);
    CHECK(!strcmp(p, "four"));
    p = reallocarray(p, 3, 2);
    CHECK(!memcmp(p, "four", 5));
    library.free(p);
    CHECK(errno == 7);
    q = calloc(1000, 100);
    for (int i = 0; i < 100000; i++) CHECK(!q[i]);
    free(q);
}

static void alignments(void) {
    void *p = NULL;
    for (size_t n = sizeof p; n <= 65536; n *= 2) {
        void *a = aligned_alloc(n, 3 * n), *m = memalign(n, 5);
        CHECK(aligned(a, n) && aligned(m, n));
        CHECK(!posix_memalign(&p, n, 1) && aligned(p, n));
        memset(a, 1, 3 * n);
        free(a);
        free(m);
        free(p);
    }
    CHECK(posix_memalign(&p, 3, 1) == EINVAL);
    free(p = valloc(1));
    CHECK(aligned(p, 4096));
    free(p = malloc(1));
    CHECK(aligned(p, 16));
}

static void texts(void) {
    char *p = strdup("a text"), *q = strndup("another", 3), *r = strndup("all", 30), *s, *t;
    size_t n;
    CHECK(!strcmp(p, "a text") && !strcmp(q, "ano") && !strcmp(r, "all"));
    CHECK(asprintf(&s, "%s %d", p, 7) == 8 && !strcmp(s, "a text 7"));
    free(p);
    free(q);
    free(r);
    free(s);
    FILE *f = open_memstream(&t, &n);
    fprintf(f, "%0500d\n\nthe last", 1);
    fclose(f);
    f = fmemopen(t, n, "r");
    s = malloc(2);
    size_t room = 2;
    CHECK(getline(&s, &room, f) == 501 && s[499] == '1' && s[500] == '\n' && !s[501]);
    CHECK(room > 501 && getline(&s, &room, f) == 1 && !strcmp(s, "\n"));
    CHECK(getdelim(&s, &room, ' ', f) == 4 && !strcmp(s, "the "));
    CHECK(getline(&s, &room, f) == 4 && !strcmp(s, "last"));
    CHECK(getline(&s, &room, f) == -1 && feof(f));
    free(s);
    rewind(f);
    s = NULL;
    CHECK(getline(&s, &room, f) == 501);
    free(s);
    fclose(f);
    free(t); /* the C library's */
    s = realpath(".", NULL);
    CHECK(s && s[0] == '/');
    s = realloc(s, 10000);
    free(s);
}

static void *frees(void *p) {
    free(p);
    return strdup("of a thread");
}

static void threads(void) {
    pthread_t t;
    void *p;
    CHECK(!pthread_create(&t, NULL, frees, malloc(10)));
    CHECK(!pthread_join(t, &p) && !strcmp(p, "of a thread"));
    free(p);
}

/* What a child does to its heap is its own business. */
static void children(void) {
    int status;
    char *p = strdup("mine");
    pid_t child = fork();
    if (!child) {
        free(p);
        free(p = malloc(3));
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && !status);
    CHECK(!strcmp(p, "mine"));
    free(p);
}

int main(void) {
    atexit(at_exit);
    sizes();
    alignments();
    texts();
    threads();
    children();
    early = realloc(early, 100); /* allocated before main */
    CHECK(!strcmp(early, "early"));
    late = malloc(3);
    return 0;
}

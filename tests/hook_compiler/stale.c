/* What plain reads return where memory gives older values: `stale CASE`.  The first ones fail for
 * no other reason; from `counts` on nothing may go wrong, whatever races. */
#include "tests/hook/check.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define THREADS(name)                                        \
 static void *name##_writer(void *), *name##_reader(void *); \
 static void name(void) { run_two(name##_writer, NULL, name##_reader, NULL); }

/* ---- a flag that says that the data is there ---- */

#define PUBLISHED(name, type)                 \
 THREADS(name)                                \
 type name##_data = 1;                        \
 int name##_ready;                            \
 static void *name##_writer(void *arg) {      \
  name##_data = 2;                            \
  name##_ready = 1;                           \
  return arg;                                 \
 }                                            \
 static void *name##_reader(void *arg) {      \
  if (name##_ready) assert(name##_data == 2); \
  return arg;                                 \
 }

PUBLISHED(one, uint8_t)
PUBLISHED(two_bytes, uint16_t)
PUBLISHED(four, uint32_t)
PUBLISHED(eight, uint64_t)
#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;
PUBLISHED(sixteen, wide)
#endif

/* Fresh memory of the heap. */
THREADS(heap)
typedef struct box {
    int content;
} box;
box *shared_box;

THREAD(heap_writer) {
    box *b = malloc(sizeof *b);
    b->content = 7;
    shared_box = b;
}

THREAD(heap_reader) {
    box *b = shared_box;
    if (b) assert(b->content == 7);
}

/* Written by a function of the library. */
THREADS(library)
char text[40] = "before";
const char *later = "after";
int text_ready;

THREAD(library_writer) {
    strcpy(text, later);
    text_ready = 1;
}

THREAD(library_reader) {
    if (text_ready) assert(text[0] == 'a');
}

/* Never half of each, unless it is torn. */
THREADS(halves)
uint64_t whole;

THREAD(halves_writer) { whole = UINT64_MAX; }

THREAD(halves_reader) {
    uint64_t v = whole;
    assert(v == 0 || v == UINT64_MAX);
}

/* It crashes on what it was lent. */
THREADS(crash)
int *target;
int target_ready;

THREAD(crash_writer) {
    static int it;
    target = &it;
    target_ready = 1;
}

THREAD(crash_reader) {
    if (target_ready) *target = 3;
}

/* ---- memory is as it was left ---- */

/* What was lent before a lock was taken is not what is counted. */
THREADS(counts)
int count;

THREAD(counts_writer) {
    for (int i = 0; i < 3; i++) {
        int before = count;
        pthread_mutex_lock(&lock);
        if (count < before) abort();
        count++;
        pthread_mutex_unlock(&lock);
    }
}

static void *counts_reader(void *arg) { return counts_writer(arg); }

static void counted(void) {
    counts();
    if (count != 6) abort();
}

/* What the kernel and the library read is the newest value, although nothing orders it. */
THREADS(calls)
int given = 1;
char *word; /* a block of one byte: "" in the end */
_Atomic int done;

THREAD(calls_writer) {
    given = 5;
    given = 6;
    word[0] = 0;
    atomic_store_explicit(&done, 1, memory_order_relaxed);
}

THREAD(calls_reader) {
    int ends[2], seen, before;
    const char *at = word;
    char first;
    if (pipe(ends)) abort();
    int newest = atomic_load_explicit(&done, memory_order_relaxed);
    first = at[0];
    size_t length = newest ? strlen(at) : 0;
    before = given;
    if (write(ends[1], &given, sizeof given) < 0) abort();
    if (read(ends[0], &seen, sizeof seen) < 0) abort();
    if (newest && (seen != 6 || length)) abort();
    if (before != 1 && before != 5 && before != 6) abort();
    if (first != 'x' && first) abort();
    close(ends[0]), close(ends[1]);
}

static void called(void) {
    word = malloc(1);
    word[0] = 'x';
    calls();
    free(word);
}

/* What is changed without an announcement stays. */
THREADS(changes)
int changed = 1;

static void __attribute__((noinline, no_sanitize("thread"))) change(int *p) {
    *(volatile int *)p = 9;
}

THREAD(changes_writer) {
    changed = 5;
    atomic_store_explicit(&done, 1, memory_order_relaxed);
}

THREAD(changes_reader) {
    int last = atomic_load_explicit(&done, memory_order_relaxed), before = changed;
    change(&changed);
    if (last && changed != 9) abort();
    if (before != 1 && before != 5) abort();
}

/* The bytes beside it, and a value that was lent and then counted up. */
THREADS(beside)
struct {
    unsigned a : 4, b : 12, c : 16;
} bits;
int raced;

THREAD(beside_writer) {
    bits.a = 3;
    raced++;
}

THREAD(beside_reader) {
    unsigned a = bits.a;
    if (a != 3 && a) abort();
    raced++;
    int v = raced;
    if (v != 1 && v != 2) abort();
}

/* Atomic and plain accesses of one object. */
THREADS(mixed)
_Atomic int both;

THREAD(mixed_writer) {
    *(volatile int *)&both = 2;
    both = 3;
}

THREAD(mixed_reader) {
    int v = *(volatile int *)&both;
    int w = atomic_fetch_add(&both, 10);
    if ((v != 0 && v != 2 && v != 3) || w < 0 || w > 3) abort();
}

/* A frame that is left by longjmp right after its object was read. */
static int *local;
static jmp_buf back;

THREAD(local_writer) {
    *local = 1;
    *local = 2;
    atomic_store_explicit(&done, 1, memory_order_relaxed);
}

static void __attribute__((noinline)) leave(const int *p) {
    int v = *p;
    longjmp(back, v + 10);
}

static void __attribute__((noinline)) frame(void) {
    int object = 0;
    pthread_t t;
    local = &object;
    pthread_create(&t, NULL, local_writer, NULL);
    pthread_detach(t);
    while (!atomic_load_explicit(&done, memory_order_relaxed)) sched_yield();
    leave(&object);
}

/* Nobody is told that the stack has other objects now. */
static void __attribute__((noinline, no_sanitize("thread"))) fill(int x) {
    volatile int a[200];
    for (int i = 0; i < 200; i++) a[i] = x;
    for (int i = 0; i < 200; i++)
        if (a[i] != x) abort();
}

static void jump(void) {
    int v = setjmp(back);
    if (!v) frame();
    for (int i = 0; i < 3; i++) fill(i);
    if (v < 10 || v > 12) abort();
    exit(0);
}

/* Memory that is given back right after it was read. */
static void unmapped(void) {
    pthread_t t;
    local = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (local == MAP_FAILED) abort();
    pthread_create(&t, NULL, local_writer, NULL);
    while (!atomic_load_explicit(&done, memory_order_relaxed)) sched_yield();
    int v = *local;
    munmap(local, 4096);
    if (v < 0 || v > 2) abort();
    exit(0);
}

/* ---- where all is ordered, nothing is old ---- */

THREADS(ordered)
int item[4];
_Atomic int items;

THREAD(ordered_writer) {
    for (int i = 0; i < 4; i++) item[i] = i + 1;
    memset(text, 'o', 8);
    items = 4;
}

THREAD(ordered_reader) {
    for (int i = 0, n = items; i < n; i++)
        if (item[i] != i + 1 || text[i] != 'o') abort();
}

/* What the macros of <stdatomic.h> do between reading and writing is no place for others. */
THREADS(sums)
_Atomic int sum;

THREAD(sums_writer) { atomic_fetch_add(&sum, 1); }

static void *sums_reader(void *arg) { return sums_writer(arg); }

static void summed(void) {
    sums();
    if (sum != 2) abort();
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } all[] = {
        {"one", one},         {"two", two_bytes},   {"four", four},         {"eight", eight},
#ifdef __SIZEOF_INT128__
        {"sixteen", sixteen},
#endif
        {"heap", heap},       {"library", library}, {"halves", halves},     {"crash", crash},
        {"counted", counted}, {"calls", called},    {"changes", changes},   {"beside", beside},
        {"mixed", mixed},     {"jump", jump},       {"unmapped", unmapped}, {"ordered", ordered},
        {"summed", summed}};
    for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; i++)
        if (strcmp(argv[1], all[i].name) == 0) {
            all[i].run();
            return 0;
        }
    return 9;
}

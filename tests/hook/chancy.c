/* What it does depends on addresses (argument: addresses), on random bytes (bytes, device, rand,
 * rand48), on a file (file), a folder (folder, its size), on its process (process), its terminal
 * (terminal), the machine (machine), on where the C library has its memory (librarys) and the
 * engine what it knows of signals (signals), or on how fast a child is (child, slow, pipe, fork,
 * poll, select: as SLOW says). */
#include "check.h"
#include <dirent.h>
#include <sys/auxv.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static uint64_t sum, global;

static void mix(const void *bytes, size_t n) {
    const unsigned char *s = bytes;
    while (n--) sum = (sum ^ *s++) * UINT64_C(0x100000001b3);
}

static void mix_pointer(const void *p) { mix(&p, sizeof p); }

static void addresses(void) {
    int local;
    void *block = malloc(100),
         *pages = mmap(NULL, 100000, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mix_pointer(&global);
    mix_pointer(&local);
    mix_pointer(block);
    mix_pointer(pages);
    mix_pointer((void *)(uintptr_t)printf);
    mix_pointer(sbrk(0));
    mix((const void *)getauxval(AT_RANDOM), 16);
    free(block);
}

static void bytes(void) {
    unsigned char b[40] = {0};
    assert(getrandom(b, 16, 0) == 16 && !getentropy(b + 16, 16));
    assert(syscall(SYS_getrandom, b + 32, 8, 0) == 8);
    mix(b, sizeof b);
}

static void device(void) {
    unsigned char b[16] = {0};
    int fd = open("/dev/urandom", O_RDONLY), at = openat(AT_FDCWD, "/dev/urandom", O_RDONLY);
    FILE *f = fopen("/dev/random", "r");
    assert(fd >= 0 && at >= 0 && f && read(fd, b, 4) == 4 && read(at, b + 4, 4) == 4);
    assert(fread(b + 8, 1, 8, f) == 8);
    close(at);
    close(fd);
    fclose(f);
    mix(b, sizeof b);
}

static void file(void) {
    char b[64] = "";
    FILE *f = fopen("/proc/sys/kernel/random/uuid", "r");
    assert(f && fgets(b, sizeof b, f));
    fclose(f);
    mix(b, sizeof b);
}

static void rolls(void) {
    double d = drand48();
    long n[2] = {lrand48(), mrand48()};
    clock_t ran = clock();
    srand48(7);
    mix(&d, sizeof d);
    mix(n, sizeof n);
    mix(&ran, sizeof ran);
}

/* How often it looks before the child has ended. */
static unsigned looks(void) {
    unsigned n = 0;
    pid_t child = fork();
    if (!child) _exit(0);
    while (!waitpid(child, NULL, WNOHANG)) n++;
    mix(&n, sizeof n);
    return n;
}

/* How many steps it takes until the child has answered; it has the only end that is written to. */
static void answer(const char *how) {
    char line[16] = "";
    int ends[2];
    FILE *from;
    if (!strcmp(how, "pipe")) {
        from = popen("sleep ${SLOW:-0}; echo 1", "r");
    } else {
        assert(!pipe(ends));
        if (!fork()) {
            dup2(ends[1], STDOUT_FILENO);
            execl("/bin/sh", "sh", "-c", "sleep ${SLOW:-0}; echo 1", (char *)NULL);
        }
        close(ends[1]);
        from = fdopen(ends[0], "r");
    }
    struct pollfd file = {.fd = fileno(from), .events = POLLIN};
    fd_set set;
    FD_ZERO(&set);
    FD_SET(fileno(from), &set);
    if (!strcmp(how, "poll")) assert(poll(&file, 1, -1) == 1);
    if (!strcmp(how, "select")) assert(select(FD_SETSIZE, &set, NULL, NULL, NULL) == 1);
    assert(fgets(line, sizeof line, from) && !strcmp(line, "1\n"));
    errno = 0;
    assert(!fgets(line, sizeof line, from) && !errno);
    if (!strcmp(how, "pipe"))
        pclose(from);
    else
        fclose(from);
}

/* Reads what the C library allocates, once where something else has been. */
static void librarys(void) {
    FILE *a = fopen("/dev/null", "r"), *b = fopen("/dev/null", "r"), *c;
    unsigned char n = *(unsigned char *)a;
    n ^= *(unsigned char *)b;
    fclose(a);
    fclose(b);
    c = fopen("/dev/null", "r");
    n ^= *(unsigned char *)c;
    fclose(c);
    mix(&n, sizeof n);
}

static void folder(void) {
    DIR *d = opendir(getenv("FOLDER"));
    assert(d);
    for (struct dirent *e; (e = readdir(d));) mix(e->d_name, strlen(e->d_name));
    closedir(d);
}

static void size(void) {
    struct stat is;
    assert(!stat(getenv("FOLDER"), &is));
    mix(&is.st_nlink, sizeof is.st_nlink);
}

static void handler(int signal) { (void)signal; }

THREAD(work) {
    for (unsigned i = 0; i < 1 + sum % 50; i++) {
        pthread_mutex_lock(&m);
        global++;
        pthread_mutex_unlock(&m);
    }
}

int main(int argc, char **argv) {
    pthread_t t;
    const char *how = argc > 1 ? argv[1] : "";
    int rolled = rand();
    if (!strcmp(how, "addresses")) addresses();
    if (!strcmp(how, "bytes")) bytes();
    if (!strcmp(how, "device")) device();
    if (!strcmp(how, "file")) file();
    if (!strcmp(how, "rand48")) rolls();
    if (!strcmp(how, "child")) (void)looks();
    if (getenv("SLOW") || !strcmp(how, "fork")) answer(how);
    if (!strcmp(how, "folder")) folder();
    if (!strcmp(how, "size")) size();
    if (!strcmp(how, "librarys")) librarys();
    if (!strcmp(how, "signals")) signal(SIGUSR1, handler);
    if (!strcmp(how, "machine")) (void)sysconf(_SC_NPROCESSORS_ONLN);
    if (!strcmp(how, "terminal")) {
        int terminals[] = {isatty(0), isatty(1), isatty(2)};
        mix(terminals, sizeof terminals);
    }
    if (!strcmp(how, "slow")) {
        assert(looks() < 10);
        return 0;
    }
    if (!strcmp(how, "process")) {
        pid_t p = getpid();
        mix(&p, sizeof p);
    }
    if (!strcmp(how, "rand")) {
        srand(7);
        mix(&rolled, sizeof rolled);
    }
    fprintf(stderr, "sum %llx\n", (unsigned long long)sum);
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    assert(argc > 2 && sum % 4 != 1);
    return 0;
}

/* Files of <stdio.h> between threads: one that is locked, and what goes through pipes.  The
 * arguments say which call. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MUCH = 20000, ROOM = 8192 }; /* more than the pipe has room for */
static FILE *file, *in;
static int ends[2], data, turn;
static char much[MUCH + 1];

/* ---- calls that use a file ---- */

static void looks_for_the_end(void) { (void)feof(file); }
static void looks_for_errors(void) { (void)ferror(file); }
static void tells(void) { (void)ftell(file); }
static void tells_far(void) { (void)ftello(file); }
static void seeks(void) { fseek(file, 0, SEEK_SET); }
static void seeks_far(void) { fseeko(file, 0, SEEK_SET); }
static void gives_back(void) { ungetc('x', file); }
static void gets_a_buffer(void) { setvbuf(file, NULL, _IOFBF, 100); }
static void gets_none(void) { setbuf(file, NULL); }
static void clears(void) { clearerr(file); }
static void begins_again(void) { rewind(file); }
static void flushes(void) { fflush(file); }
static void flushes_all(void) { fflush(NULL); }
static void closes(void) { fclose(file); }

/* ---- calls that send a line ---- */

static void prints(void) { fprintf(file, "line %d\n", 1); }
static void puts_it(void) { fputs("line\n", file); }
static void writes(void) { fwrite("line\n", 5, 1, file); }
static void puts_characters(void) {
    fputc('l', file);
    putc('\n', file);
}
static void prints_to_a_number(void) { dprintf(ends[1], "line %d\n", 1); }

static void puts_halves(void) {
    for (int i = 0; i < 2; i++) {
        fputs("li", file);
        fflush(file);
        fputs("ne\n", file);
        fflush(file);
    }
}

static void *flushes_it(void *unused) { return fflush(file), unused; }
static void leaves_it_to_another_thread(void) {
    pthread_t t;
    pthread_create(&t, NULL, flushes_it, NULL);
    data = 1;
    fputs("line\n", file);
    usleep(1000);
    pthread_join(t, NULL);
    fflush(file);
}

static void prints_numbers(void) {
    for (int i = 5; i < 7; i++) {
        fprintf(file, "%d\n", i);
        fflush(file);
    }
}

/* ---- calls that send much ---- */

static void puts_much(void) { assert(fputs(much, file) >= 0); }
static void writes_much(void) { assert(fwrite(much, 1, MUCH, file) == MUCH); }
static void prints_much(void) {
    for (int i = 0; i < MUCH; i += 100) fprintf(file, "%100d", i);
}
static void puts_many(void) {
    for (int i = 0; i < MUCH; i += 1) fputc('x', file);
}
static void prints_much_to_a_number(void) { assert(dprintf(ends[1], "%s", much) == MUCH); }

static const struct way {
    const char *kind, *name;
    void (*call)(void);
} way[] = {
    {"locked", "feof", looks_for_the_end},
    {"locked", "ferror", looks_for_errors},
    {"locked", "ftell", tells},
    {"locked", "ftello", tells_far},
    {"locked", "fseek", seeks},
    {"locked", "fseeko", seeks_far},
    {"locked", "ungetc", gives_back},
    {"locked", "setvbuf", gets_a_buffer},
    {"locked", "setbuf", gets_none},
    {"locked", "clearerr", clears},
    {"locked", "rewind", begins_again},
    {"locked", "fflush", flushes},
    {"locked", "all", flushes_all},
    {"locked", "fclose", closes},
    {"told", "fprintf", prints},
    {"told", "fputs", puts_it},
    {"told", "fwrite", writes},
    {"told", "fputc", puts_characters},
    {"told", "dprintf", prints_to_a_number},
    {"told", "halves", puts_halves},
    {"told", "left", leaves_it_to_another_thread},
    {"numbers", "fscanf", prints_numbers},
    {"line", "halves", puts_halves},
    {"readers", "halves", puts_halves},
    {"writers", "fputs", puts_much},
    {"fifo", "open", NULL},
    {"fifo", "fopen", NULL},
    {"much", "fputs", puts_much},
    {"much", "fwrite", writes_much},
    {"much", "fprintf", prints_much},
    {"much", "fputc", puts_many},
    {"much", "dprintf", prints_much_to_a_number},
};
static const struct way *now;

/* Nobody uses the file while another thread has it locked. */
static void *uses_it(void *unused) {
    now->call();
    assert(turn != 1);
    return unused;
}

static void locked(void) {
    pthread_t t;
    file = tmpfile();
    flockfile(file);
    pthread_create(&t, NULL, uses_it, NULL);
    turn = 1;
    sched_yield();
    turn = 2;
    funlockfile(file);
    pthread_join(t, NULL);
}

/* What was done before is seen by who gets the line. */
static void *sends(void *unused) {
    data = 1;
    now->call();
    fclose(file);
    return unused;
}

static void opens(void) {
    assert(!pipe(ends) && fcntl(ends[1], F_SETPIPE_SZ, ROOM) == ROOM);
    file = fdopen(ends[1], "w"), in = fdopen(ends[0], "r");
}

static void told(void) {
    pthread_t t;
    char line[100], *long_one = NULL;
    size_t room = 0;
    opens();
    pthread_create(&t, NULL, sends, NULL);
    if (now->kind[0] == 'l')
        assert(getline(&long_one, &room, in) == 5 && !strcmp(long_one, "line\n"));
    else
        assert(fgets(line, sizeof line, in) && line[0] == 'l' && strchr(line, '\n'));
    assert(data == 1);
    pthread_join(t, NULL);
    free(long_one);
}

static void gets_numbers(void) {
    pthread_t t;
    int n;
    opens();
    pthread_create(&t, NULL, sends, NULL);
    for (int i = 5; i < 7; i++) assert(fscanf(in, "%d", &n) == 1 && n == i);
    assert(data == 1 && fscanf(in, "%d", &n) == EOF);
    pthread_join(t, NULL);
}

static void gets_all(size_t wanted) {
    char part[4096];
    size_t got = 0, n;
    while ((n = fread(part, 1, sizeof part, in)) > 0) got += n;
    assert(got == wanted);
}

static void told_much(void) {
    pthread_t t;
    opens();
    pthread_create(&t, NULL, sends, NULL);
    gets_all(MUCH);
    assert(data == 1);
    pthread_join(t, NULL);
}

/* Each of two threads gets a whole line. */
static void *gets_a_line(void *unused) {
    char line[100];
    assert(fgets(line, sizeof line, in) && !strcmp(line, "line\n"));
    return unused;
}

static void readers(void) {
    pthread_t t;
    opens();
    pthread_create(&t, NULL, gets_a_line, NULL);
    pthread_t u;
    pthread_create(&u, NULL, gets_a_line, NULL);
    now->call();
    pthread_join(t, NULL);
    pthread_join(u, NULL);
}

/* What each of two threads writes stays together. */
static void *writes_it(void *text) {
    assert(fputs(text, file) >= 0 && !fflush(file));
    return NULL;
}

static void writers(void) {
    pthread_t t, u;
    char *other = strdup(much);
    memset(other, 'o', MUCH);
    opens();
    pthread_create(&t, NULL, writes_it, much);
    pthread_create(&u, NULL, writes_it, other);
    for (int i = 0, c, first = 0; i < 2 * MUCH; i++) {
        if ((c = getc(in)) != first) assert(i % MUCH == 0);
        first = c;
    }
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    free(other);
}

/* Who opens one end of a FIFO waits for the other one; then each has seen what the other did. */
static char folder[] = "/tmp/racefuzz-XXXXXX", fifo[40];
static int other_data;

static void *opens_to_write(void *unused) {
    data = 1;
    int to = open(fifo, O_WRONLY);
    assert(to >= 0 && other_data == 1 && !(fcntl(to, F_GETFL) & O_NONBLOCK));
    assert(write(to, "line\n", 5) == 5 && !close(to));
    return unused;
}

static void *prints_to_it(void *unused) {
    data = 1;
    FILE *to = fopen(fifo, "w");
    assert(to && other_data == 1 && fputs("line\n", to) >= 0 && !fclose(to));
    return unused;
}

static void gets_from_a_fifo(void) {
    char line[10];
    pthread_t t;
    bool by_name = !strcmp(now->name, "open");
    assert(mkdtemp(folder) && sprintf(fifo, "%s/f", folder) > 0 && !mkfifo(fifo, 0600));
    assert(open(fifo, O_WRONLY | O_NONBLOCK) == -1);
    pthread_create(&t, NULL, by_name ? opens_to_write : prints_to_it, NULL);
    other_data = 1;
    in = by_name ? fdopen(open(fifo, O_RDONLY), "r") : fopen(fifo, "r");
    unlink(fifo);
    rmdir(folder);
    assert(in && data == 1 && fgets(line, sizeof line, in) && !strcmp(line, "line\n"));
    assert(!fgets(line, sizeof line, in) && !fclose(in));
    pthread_join(t, NULL);
}

/* Who is cancelled while he waits for a line gives the file back. */
static void *waits_for_a_line(void *unused) {
    char line[10];
    fgets(line, sizeof line, in);
    return unused;
}

static void cancelled(void) {
    pthread_t t;
    opens();
    pthread_create(&t, NULL, waits_for_a_line, NULL);
    pthread_cancel(t);
    pthread_join(t, NULL);
    fclose(in);
    fclose(file);
}

/* What is closed takes its lock along: the next file may have its memory. */
static void closed(void) {
    file = tmpfile();
    flockfile(file);
    fclose(file);
    file = tmpfile();
    pthread_t t;
    now = &way[0];
    turn = 0;
    pthread_create(&t, NULL, uses_it, NULL);
    pthread_join(t, NULL);
}

int main(int argc, char **argv) {
    memset(much, 'x', MUCH);
    if (argc < 3) return argc > 1 && !strcmp(argv[1], "cancelled") ? cancelled() : closed(), 0;
    for (now = way; strcmp(now->kind, argv[1]) || strcmp(now->name, argv[2]); now++) continue;
    !strcmp(now->kind, "locked")    ? locked()
    : !strcmp(now->kind, "much")    ? told_much()
    : !strcmp(now->kind, "readers") ? readers()
    : !strcmp(now->kind, "writers") ? writers()
    : !strcmp(now->kind, "numbers") ? gets_numbers()
    : !strcmp(now->kind, "fifo")    ? gets_from_a_fifo()
                                    : told();
    return 0;
}

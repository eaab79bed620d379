/* Two threads write to a pipe (argument: pipe, or stream with stdio), or cut words with strtok
 * (words), or use a stream that one of them has locked (locked), or ask for the time (time) or the
 * environment (environment), which the C library keeps once: in either order, which the second
 * argument forbids. */
#include "check.h"

static int ends[2];
static FILE *stream;
static char first[8] = "a b", second[8] = "c d", *got;
static const char *how;
static const time_t start, next_year = 400 * 86400;

THREAD(one) {
    if (how[0] == 'p') assert(write(ends[1], "1", 1) == 1);
    if (how[0] == 's') fprintf(stream, "%d", 1);
    if (how[0] == 'w') {
        strtok(first, " ");
        got = strtok(NULL, " ");
    }
    if (how[0] == 'l') {
        flockfile(stream);
        fputs("1", stream);
        putc('1', stream);
        funlockfile(stream);
    }
    if (how[0] == 't') got = gmtime(&start)->tm_year == 70 ? "b" : "a";
    if (how[0] == 'e') got = getenv("OUTSIDE") ? "a" : "b";
}

THREAD(two) {
    if (how[0] == 'p') assert(write(ends[1], "2", 1) == 1);
    if (how[0] == 's') fputs("2", stream);
    if (how[0] == 'l') putc('2', stream); /* in one piece with nothing of the other one's */
    if (how[0] == 'w') strtok(second, " ");
    if (how[0] == 't') localtime(&next_year);
    if (how[0] == 'e') setenv("OUTSIDE", "", 1);
}

int main(int argc, char **argv) {
    char said[4] = "";
    how = argc > 1 ? argv[1] : "pipe";
    assert(!pipe(ends) && (stream = fdopen(ends[1], "w")));
    run_two(one, NULL, two, NULL);
    fflush(stream);
    if (strchr("wte", how[0]))
        strcpy(said, got && *got == 'b' ? "12" : "21");
    else
        assert(read(ends[0], said, 3) == 2 + (how[0] == 'l'));
    assert(argc < 3 || strcmp(said, argv[2]));
    return 0;
}

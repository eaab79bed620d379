/* Loops that look again and again without waiting, in the way of the first argument. */
#include "check.h"

static int ends[2], never[2];
static atomic_int flag;

static void *tells(void *p) {
    flag = 1;
    return write(ends[1], "x", 1) == 1 ? p : NULL;
}

int main(int argc, char **argv) {
    const char *way = argc > 1 ? argv[1] : "";
    struct pollfd in = {.events = POLLIN};
    pthread_t t;
    char c;
    assert(!pipe2(ends, O_NONBLOCK) && !pipe2(never, O_NONBLOCK));
    pthread_create(&t, NULL, tells, NULL);
    in.fd = ends[0];
    if (!strcmp(way, "read"))
        while (read(ends[0], &c, 1) != 1) assert(errno == EAGAIN);
    else if (!strcmp(way, "poll"))
        while (!poll(&in, 1, 0)) continue;
    else if (!strcmp(way, "read beside"))
        while (read(never[0], &c, 1) != 1)
            if (flag) break;
    in.fd = never[0];
    if (!strcmp(way, "poll beside"))
        while (!flag) poll(&in, 1, 0);
    return pthread_join(t, NULL);
}

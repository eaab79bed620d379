/* A thread that writes the same to a file again and again: by a stream, to memory, by descriptor;
 * or, "over", always at the same place. */
#include "check.h"

enum { TIMES = 3000 };

static const char *how;

static void to_stream(FILE *f) {
    assert(f);
    for (int i = 0; i < TIMES; i++) fputs("again", f);
    fclose(f);
}

THREAD(writes) {
    char *text = NULL;
    size_t size;
    if (!strcmp(how, "stream")) {
        to_stream(tmpfile());
    } else if (!strcmp(how, "memory")) {
        to_stream(open_memstream(&text, &size));
        free(text);
    } else {
        FILE *f = tmpfile();
        assert(f);
        for (int i = 0; i < TIMES; i++) {
            if (!strcmp(how, "over")) lseek(fileno(f), 0, SEEK_SET);
            if (write(fileno(f), "again", 5) != 5) abort();
        }
        fclose(f);
    }
}

int main(int n, char **arg) {
    pthread_t t;
    how = n > 1 ? arg[1] : "stream";
    pthread_create(&t, NULL, writes, NULL);
    pthread_join(t, NULL);
    return 0;
}

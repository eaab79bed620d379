/* A small program of two threads and three signals, drawn from a number, and what came of it: the
 * letters of what was done, in the order in which it was.
 *
 * Arguments: the number, and a file to which a line is added.  With how many times as a third one,
 * each of these is a process that waits here and there, for the machine to have its say; a fourth
 * one prints the program. */
#include "check.h"

enum { THREADS = 2, SIGNALS = 2, LISTS = THREADS + SIGNALS, MOST_OPS = 3, MOST_LETTERS = 64 };

typedef enum action {
    END,
    NOTE,
    RAISE,
    TO_OTHER,
    TO_PROCESS,
    BLOCK,
    UNBLOCK,
    PENDING,
    TAKE,
    POST,
    ACTIONS_OF_HANDLERS,
    JUMP = ACTIONS_OF_HANDLERS,
    WAIT,
    ACTIONS
} action;

static const char *const words[] = {"",           "note",  "raise",   "to-other",
                                    "to-process", "block", "unblock", "pending",
                                    "take",       "post",  "jump",    "wait"};

typedef struct op {
    action what;
    int signal; /* by index */
} op;

static op list[LISTS][MOST_OPS + 1];
static struct sigaction how[SIGNALS];
static int signals; /* so many of them are used */
static sigset_t at_first;
static pthread_t thread[THREADS];
static sem_t posted;
static int tube[2];
static sigjmp_buf place[THREADS];
static atomic_int may_jump[THREADS];
static atomic_int letters;
static char letter[MOST_LETTERS];
static unsigned long long chance; /* of the program; of its pauses, if it has some */
static bool pauses, jumps;        /* some handler does */

static int signal_of(int index) { return index == 0 ? SIGUSR1 : index == 1 ? SIGRTMIN : SIGUSR2; }

static unsigned below(unsigned n) {
    chance = chance * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(chance >> 33) % n;
}

static void note(char c) {
    int at = atomic_fetch_add(&letters, 1);
    if (at < MOST_LETTERS) letter[at] = c;
}

static void pause_a_while(void) {
    if (!pauses || below(2)) return;
    nanosleep(&(struct timespec){0, (long)below(4) * 60000}, NULL);
}

static int me(void) { return pthread_equal(pthread_self(), thread[1]); }

static void act(op o, char name) {
    int s = signal_of(o.signal);
    sigset_t set = only(s), now;
    char got;
    switch (o.what) {
    case RAISE: raise(s); break;
    case TO_OTHER: pthread_kill(thread[!me()], s); break;
    case TO_PROCESS: kill(getpid(), s); break;
    case BLOCK: pthread_sigmask(SIG_BLOCK, &set, NULL); break;
    case UNBLOCK: pthread_sigmask(SIG_UNBLOCK, &set, NULL); break;
    case PENDING:
        sigpending(&now);
        note(sigismember(&now, s) ? '+' : '-');
        break;
    case TAKE: note(sigtimedwait(&set, NULL, &(struct timespec){0, 0}) == s ? '$' : '%'); break;
    case POST: sem_post(&posted); break;
    case WAIT:
        if (o.signal)
            note(read(tube[0], &got, 1) == 1 ? '=' : '!');
        else
            note(sem_wait(&posted) ? '!' : '=');
        break;
    case JUMP:
        if (atomic_load(&may_jump[me()])) siglongjmp(place[me()], 1);
        break;
    default: note(name);
    }
}

static void on_signal(int signal) {
    int index = 0, error = errno;
    while (signal_of(index) != signal) index++;
    note((char)("ABC"[index] + (me() ? 3 : 0)));
    for (const op *o = list[THREADS + index]; o->what; o++) {
        pause_a_while();
        act(*o, (char)('1' + index));
    }
    pause_a_while();
    note((char)("abc"[index] + (me() ? 3 : 0)));
    errno = error;
}

static void run(int own) {
    for (const op *volatile o = list[own]; o->what; o++) {
        if (jumps && sigsetjmp(place[own], 1)) {
            note('^');
        } else {
            if (jumps) atomic_store(&may_jump[own], 1);
            pause_a_while();
            act(*o, (char)('x' + own));
        }
        if (jumps) atomic_store(&may_jump[own], 0);
    }
}

THREAD(body) {
    thread[1] = pthread_self();
    run(1);
}

/* ---- what is drawn ---- */

static void draw(void) {
    signals = 1 + (int)below(SIGNALS);
    for (int l = 0; l < LISTS; l++) {
        bool handles = l >= THREADS;
        unsigned ops = handles ? below(3) : 1 + below(MOST_OPS);
        if (l >= THREADS + signals) break;
        for (unsigned i = 0; i < ops; i++) {
            op *o = &list[l][i];
            o->what = (action)(1 + below((handles ? ACTIONS_OF_HANDLERS + 1 : ACTIONS) - 1));
            o->signal = (int)below((unsigned)signals);
            if (o->what == JUMP && !handles) o->what = TO_OTHER;
            jumps |= o->what == JUMP;
            if (o->what == WAIT && l != 1) o->what = TO_OTHER;
            bool sends = o->what == RAISE || o->what == TO_OTHER || o->what == TO_PROCESS;
            /* no circles */
            if (handles && sends && o->signal <= l - THREADS) o->what = NOTE;
        }
    }
    sigemptyset(&at_first);
    for (int i = 0; i < SIGNALS; i++) {
        how[i].sa_handler = on_signal;
        how[i].sa_flags = (below(2) ? SA_RESTART : 0) | (below(2) ? SA_NODEFER : 0);
        sigemptyset(&how[i].sa_mask);
        for (int k = 0; k < SIGNALS; k++)
            if (!below(4)) sigaddset(&how[i].sa_mask, signal_of(k));
        if (!below(4)) sigaddset(&at_first, signal_of(i));
    }
}

static void print(void) {
    for (int l = 0; l < THREADS + signals; l++) {
        if (l < THREADS)
            printf("T%d:", l);
        else {
            const struct sigaction *a = &how[l - THREADS];
            printf("%c%s%s%s, masks", 'A' + l - THREADS,
                   sigismember(&at_first, signal_of(l - THREADS)) ? " (blocked at first)" : "",
                   a->sa_flags & SA_RESTART ? " restarts" : "",
                   a->sa_flags & SA_NODEFER ? " nodefer" : "");
            for (int k = 0; k < SIGNALS; k++)
                if (sigismember(&a->sa_mask, signal_of(k))) printf(" %c", 'A' + k);
            printf(":");
        }
        for (const op *o = list[l]; o->what; o++)
            printf(" %s %c,", words[o->what], 'A' + o->signal);
        printf("\n");
    }
}

static void whole(const char *to) {
    pthread_t other;
    thread[0] = pthread_self();
    CHECK(!sem_init(&posted, 0, 0) && !pipe(tube));
    pthread_sigmask(SIG_SETMASK, &at_first, NULL);
    for (int i = 0; i < signals; i++) CHECK(!sigaction(signal_of(i), &how[i], NULL));
    CHECK(!pthread_create(&other, NULL, body, NULL));
    thread[1] = other;
    run(0);
    for (const op *o = list[1]; o->what; o++) {
        if (o->what != WAIT) continue;
        CHECK(o->signal ? write(tube[1], "", 1) == 1 : !sem_post(&posted));
    }
    pthread_join(other, NULL);
    char line[MOST_LETTERS + 1];
    int n = letters;
    if (n > MOST_LETTERS) n = MOST_LETTERS;
    memcpy(line, letter, (size_t)n);
    if (memchr(line, 0, (size_t)n)) return; /* a jump came in between */
    line[n] = '\n';
    int file = open(to, O_WRONLY | O_CREAT | O_APPEND, 0600);
    CHECK(write(file, line, (size_t)n + 1) == n + 1);
    close(file);
}

int main(int argc, char **argv) {
    CHECK(argc > 2);
    chance = strtoull(argv[1], NULL, 10) * 0x9e3779b97f4a7c15ull;
    for (int i = 0; i < 4; i++) (void)below(2);
    draw();
    if (argc > 4) print();
    if (argc < 4) {
        whole(argv[2]);
        return 0;
    }
    pauses = true;
    for (int i = 0; i < atoi(argv[3]); i++) {
        chance += (unsigned long long)i * 0x9e3779b97f4a7c15ull;
        pid_t child = fork();
        if (!child) {
            alarm(5);
            whole(argv[2]);
            _exit(0);
        }
        CHECK(waitpid(child, NULL, 0) == child);
    }
    return 0;
}

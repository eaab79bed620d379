/* campaign/folder.h: a campaign that is kept in a folder (docs/scale.md).
 *
 * Each process writes one file of its own, to which it only adds lines of JSON: what its executions
 * have shown, each with a token, and how far it is.  What it reads are the files of others and of
 * earlier runs.  Whatever stands in the folder, a line that is not whole costs that line alone.
 *
 * A process with a shard goes on where that shard was left.  One without takes a lane: the first
 * one that nobody works in; the seeds of the second lane and of later ones differ from the first
 * one's.
 */
#ifndef RFI_CAMPAIGN_FOLDER_H
#define RFI_CAMPAIGN_FOLDER_H
#include "campaign/gaps.h"
#include "campaign/settings.h"
#include "campaign/token.h"

#ifdef RFI_IMPL
# include <ctype.h>
# include <dirent.h>
# include <sys/stat.h>
# ifdef __linux__
#  include <link.h>
# endif

# define RFI_FOLDER_SCHEMA "racefuzz-campaign/1"
# define RFI_LESSONS_KEPT  (UINT32_C(1) << 18) /* bytes, of a test and process */
# define RFI_FOLDER_LIVE   300                 /* s without a sign of life, on another machine */

/* The lines about a test: what an execution has shown, in the order in which that is replayed; then
 * how far its lane is. */
/* clang-format off */
# define RFI_ENTRIES(X) \
    X(predicted) X(seen) X(produced) X(harmful) X(destructive) X(failed) \
    X(done) X(directed) X(lesson) X(search) X(orders) X(round) X(statements)
/* clang-format on */

typedef enum rfi_entry_kind {
# define RFI_X(word) RFI_ENTRY_##word,
    RFI_ENTRIES(RFI_X)
# undef RFI_X
        RFI_ENTRY_KINDS
} rfi_entry_kind;

RFI_VAR const char *const rfi_entry_word[] = {
# define RFI_X(word) # word,
    RFI_ENTRIES(RFI_X)
# undef RFI_X
};

typedef struct rfi_entry {
    struct rfi_entry *next;
    const char *test, *text; /* the whole line */
    rfi_entry_kind kind;
    bool built; /* by this build of the program, */
    bool ours;  /* and of this lane */
} rfi_entry;

RFI_VAR struct rfi_folder {
    FILE *out; /* NULL: there is none */
    char *path, lane[48];
    char build[20], program[64];
    uint64_t seed;
    rfi_entry *first, **end;
    rfi_map known;         /* fingerprints of findings that failed a test: 1, or 2: again */
    rfi_map known_of;      /* a test's name, hashed -> how many of them, before it was run */
    uint32_t found, again; /* how many these are, */
    uint32_t tried;        /* and how many of tests that were run, */
    uint32_t told, late;   /* of which so many of these are again, and so many had no time */
    uint32_t files;        /* of campaigns, that were read */
    int error;             /* why a line could not be written; 0: all could */
    uint32_t room;         /* bytes of what executions teach that are still kept, */
    rfi_map taught;        /* but for what stands there */
} rfi_folder = {.end = &rfi_folder.first};

/* ---- lines ---- */

/* The value of a key on a line that we wrote, without its quotes; "" if it is not there.  Valid
 * until the fourth call from here. */
RFI_FN const char *rfi_entry_text(const char *line, const char *key) {
    static char value[4][RFI_TOKEN_BYTES];
    static unsigned turn;
    char quoted[40], *out = value[turn++ % 4];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *s = strstr(line, quoted);
    s = s ? s + strlen(quoted) : "";
    size_t n = *s == '"' ? strcspn(++s, "\"") : strcspn(s, ",}]");
    snprintf(out, sizeof *value, "%.*s", (int)(n < sizeof *value ? n : 0), s);
    return out;
}

RFI_FN uint64_t rfi_entry_number(const char *line, const char *key) {
    return strtoull(rfi_entry_text(line, key), NULL, 10);
}

RFI_FN uint64_t rfi_entry_hex(const char *line, const char *key) {
    return strtoull(rfi_entry_text(line, key), NULL, 16);
}

RFI_FN bool rfi_entry_is(const char *line, const char *event) {
    static const char head[] = "{\"event\":\"";
    size_t n = sizeof head - 1, length = strlen(event);
    return !strncmp(line, head, n) && !strncmp(line + n, event, length) && line[n + length] == '"';
}

/* The start of a line about a test; rfi_folder_end ends it. */
RFI_FN FILE *rfi_folder_line(rfi_entry_kind kind, const rfi_test *test) {
    char name[RFI_TOKEN_NAME];
    rfi_token_name(test->options.rfi_name, name);
    fprintf(rfi_folder.out, "{\"event\":\"%s\",\"of\":\"%s\"", rfi_entry_word[kind], name);
    return rfi_folder.out;
}

RFI_FN void rfi_folder_end(void) {
    fputs("}\n", rfi_folder.out);
    if (fflush(rfi_folder.out) && !rfi_folder.error) rfi_folder.error = errno;
}

/* What an execution of a job has shown of what has this key; a replay's stands there. */
RFI_FN void rfi_folder_shown(rfi_entry_kind what, uint64_t key, const rfi_job *j, uint64_t index) {
    static char token[RFI_TOKEN_BYTES];
    if (!rfi_folder.out || j->replay) return;
    rfi_token_write(j, index, NULL, token);
    fprintf(rfi_folder_line(what, j->test), ",\"key\":\"%016llx\",\"token\":\"%s\"",
            (unsigned long long)key, token);
    rfi_folder_end();
}

/* Bytes of an explorer, hashed; as a line that ends there. */
RFI_FN uint64_t rfi_folder_hash(const char *explorer, const uint8_t *bytes, uint32_t n) {
    uint64_t h = rfi_mix(n + rfi_hash_text(explorer));
    for (uint32_t i = 0; i < n; i++) h = rfi_mix(h + bytes[i]);
    return h;
}

/* What a search depends on, beside the test and the seed: how far it is says nothing of another. */
RFI_FN uint64_t rfi_folder_under(const rfi_job *j) {
    const uint64_t parts[] = {j->memory.atomics, j->memory.cxx20, j->spurious, j->drawn,
                              j->late,           j->unroll,       j->cores,    j->word,
                              j->fine,           j->max_steps,    j->must_end, j->parameter};
    uint64_t h = 1;
    for (uint32_t i = 0; i < RFI_LENGTH(parts); i++) h = rfi_mix(h + parts[i]);
    return h;
}

RFI_FN void rfi_folder_bytes(FILE *out, const rfi_job *j, const uint8_t *bytes, uint32_t n) {
    const char *explorer = rfi_job_strategy(j)->name;
    fprintf(out, ",\"explorer\":\"%s\",\"hash\":\"%016llx\",\"bytes\":\"", explorer,
            (unsigned long long)rfi_folder_hash(explorer, bytes, n));
    for (uint32_t i = 0; i < n; i++) fprintf(out, "%02x", bytes[i]);
    fputs("\"}\n", out);
}

/* What an execution has taught, as long as it is not too much. */
RFI_FN void rfi_folder_lesson(const rfi_job *j, const uint8_t *bytes, uint32_t n) {
    if (!rfi_folder.out || n > rfi_folder.room) return;
    uint64_t h = rfi_folder_hash(rfi_job_strategy(j)->name, bytes, n);
    if ((*rfi_map_at(&rfi_folder.taught, h))++) return;
    rfi_folder.room -= n;
    rfi_folder_bytes(rfi_folder_line(RFI_ENTRY_lesson, j->test), j, bytes, n);
}

/* The bytes of such a line, until the next call; NULL: it is another one. */
RFI_FN const uint8_t *rfi_entry_bytes(const char *line, const char *explorer, uint32_t *n) {
    static uint8_t *bytes;
    static uint32_t capacity;
    const char *s = strstr(line, "\"bytes\":\"");
    for (*n = 0, s = s ? s + 9 : ""; isxdigit((unsigned char)*s) && s[1]; s += 2) {
        const char two[] = {s[0], s[1], 0};
        bytes = rfi_grow(bytes, &capacity, *n + 1, 1);
        bytes[(*n)++] = (uint8_t)strtoul(two, NULL, 16);
    }
    return rfi_entry_hex(line, "hash") == rfi_folder_hash(explorer, bytes, *n) ? bytes : NULL;
}

/* ---- reading ---- */

RFI_FN RFI_COLD void rfi_folder_complain(const char *folder, const char *file, const char *why) {
    fputs("racefuzz: campaign: ", stderr);
    rfi_complain_quoted(folder, strlen(folder));
    if (file) fputc(' ', stderr);
    if (file) rfi_complain_quoted(file, strlen(file));
    fprintf(stderr, ": %s\n", why);
}

/* Is it of an earlier build of our program, or of ours?  NULL, or what it is. */
RFI_FN const char *rfi_folder_header(const char *line) {
    if (!rfi_entry_is(line, "campaign")) return "skipped: no file of a campaign";
    if (strcmp(rfi_entry_text(line, "schema"), RFI_FOLDER_SCHEMA) != 0)
        return "skipped: of another version of racefuzz";
    if (strcmp(rfi_entry_text(line, "program"), rfi_folder.program) != 0) return "";
    return NULL;
}

RFI_FN void rfi_folder_note(const char *line, bool built, bool ours) {
    rfi_entry_kind kind = 0;
    if (rfi_entry_is(line, "finding") && !strcmp(rfi_entry_text(line, "fails"), "true")) {
        uint64_t *print = rfi_map_at(&rfi_folder.known, rfi_entry_hex(line, "fingerprint"));
        uint64_t test = rfi_hash_text(rfi_entry_text(line, "test"));
        uint64_t *of = rfi_map_at(&rfi_folder.known_of, test);
        rfi_folder.found += !*print;
        *of += !*print;
        *print = 1;
    }
    while (kind < RFI_ENTRY_KINDS && !rfi_entry_is(line, rfi_entry_word[kind])) kind++;
    if (kind == RFI_ENTRY_KINDS) return;
    const char *of = rfi_entry_text(line, "of");
    rfi_entry *n = RFI_REAL(malloc)(sizeof *n + strlen(of) + strlen(line) + 2);
    if (!n) rfi_die("out of memory (campaign)");
    char *test = (char *)(n + 1), *text = test + strlen(of) + 1;
    memcpy(test, of, strlen(of) + 1);
    memcpy(text, line, strlen(line) + 1);
    *n = (rfi_entry){NULL, test, text, kind, built, ours};
    *rfi_folder.end = n;
    rfi_folder.end = &n->next;
}

/* What the run that wrote the lines up to this one lacks, as far as these say. */
RFI_FN rfi_gap rfi_folder_ends(const char *line, rfi_gap before) {
    static bool interrupted, capped;
    if (rfi_entry_is(line, "run")) interrupted = capped = false;
    if (rfi_entry_is(line, "result")) {
        interrupted |= !strncmp(rfi_entry_text(line, "reason"), "interrupted by ", 15);
        capped |= !strcmp(rfi_entry_text(line, "capped"), "true");
    }
    if (!rfi_entry_is(line, "end") || interrupted) return before;
    return capped ? RFI_GAP_CAPPED : RFI_GAP_NONE;
}

/* Opens a file to be read, if it is one; else NULL and why not. */
RFI_FN FILE *rfi_folder_file(const char *path, char *why, size_t bytes) {
    struct stat s;
    int file = RFI_REAL(open)(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) {
        snprintf(why, bytes, "skipped: %s", strerror(errno));
        return NULL;
    }
    if (!fstat(file, &s) && S_ISREG(s.st_mode)) return fdopen(file, "r");
    RFI_REAL(close)(file);
    snprintf(why, bytes, "skipped: no file of a campaign");
    return NULL;
}

/* Reads a file; false: it is another program's. */
RFI_FN bool rfi_folder_read_file(const char *folder, const char *name, const char *lane) {
    char path[PATH_MAX], *line = NULL, why[96];
    size_t room = 0, n = strlen(lane);
    uint32_t number = 0, broken = 0, first = 0;
    rfi_gap gap = RFI_GAP_ENDED_EARLY;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *in = rfi_folder_file(path, why, sizeof why);
    if (!in || getline(&line, &room, in) <= 0) {
        rfi_folder_complain(folder, name, in ? "skipped: it is empty" : why);
        if (in) fclose(in);
        RFI_REAL(free)(line);
        return true;
    }
    const char *wrong = rfi_folder_header(line);
    bool built = !wrong && !strcmp(rfi_entry_text(line, "build"), rfi_folder.build), ours = built;
    ours &= !strncmp(name, lane, n) && name[n] == '.';
    ours &= strtoull(rfi_entry_text(line, "seed"), NULL, 10) == rfi_folder.seed;
    if (wrong && *wrong) rfi_folder_complain(folder, name, wrong);
    rfi_folder.files += !wrong;
    for (ssize_t got; !wrong && (got = getline(&line, &room, in)) > 0;) {
        number++;
        bool whole = got > 2 && line[got - 1] == '\n' && line[got - 2] == '}' &&
                     strlen(line) == (size_t)got && !strncmp(line, "{\"event\":\"", 10);
        if (whole) gap = rfi_folder_ends(line, gap);
        if (whole)
            rfi_folder_note(line, built, ours);
        else if (!broken++)
            first = number + 1;
    }
    if (broken) {
        snprintf(why, sizeof why, "skipped %u line%s that %s not whole, the first is line %u",
                 broken, broken == 1 ? "" : "s", broken == 1 ? "is" : "are", first);
        rfi_folder_complain(folder, name, why);
    }
    if (!wrong) rfi_gaps_note(name, gap);
    fclose(in);
    RFI_REAL(free)(line);
    return !wrong || *wrong;
}

RFI_FN int rfi_folder_names(const struct dirent *e) { return e->d_name[0] != '.'; }

/* Reads all files of a folder in the order of their names; lane "": none is this process's. */
RFI_FN bool rfi_folder_read(const char *folder, const char *lane) {
    struct dirent **list;
    bool good = true;
    int n = scandir(folder, &list, rfi_folder_names, alphasort);
    if (n < 0) {
        rfi_folder_complain(folder, NULL, strerror(errno));
        return false;
    }
    for (int i = 0; i < n; i++) {
        size_t length = strlen(list[i]->d_name);
        bool lines = length > 6 && !strcmp(list[i]->d_name + length - 6, ".jsonl");
        if (good && lines && !rfi_folder_read_file(folder, list[i]->d_name, lane)) {
            rfi_folder_complain(folder, list[i]->d_name,
                                "is of another program: a folder is for one");
            good = false;
        } else if (good && !lines) {
            rfi_folder_complain(folder, list[i]->d_name, "skipped: no file of a campaign");
        }
        RFI_REAL(free)(list[i]);
    }
    RFI_REAL(free)(list);
    return good;
}

/* ---- the file of this process ---- */

/* A hash, and the bytes of a file. */
RFI_FN uint64_t rfi_folder_hashed(const char *path, uint64_t h) {
    int file = RFI_REAL(open)(path, O_RDONLY | O_CLOEXEC);
    uint64_t word;
    struct stat s;
    if (file >= 0 && !fstat(file, &s) && s.st_size > 0) {
        const char *bytes =
            RFI_REAL(mmap)(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        for (off_t i = 0; bytes != MAP_FAILED && i + 8 <= s.st_size; i += 8) {
            memcpy(&word, bytes + i, 8);
            h = rfi_mix(h + word);
        }
        if (bytes != MAP_FAILED) RFI_REAL(munmap)((void *)(uintptr_t)bytes, (size_t)s.st_size);
    }
    if (file >= 0) RFI_REAL(close)(file);
    return h;
}

# ifdef __linux__
/* The same of a library, if it is none of the system, which differ among machines. */
RFI_FN int rfi_folder_library(struct dl_phdr_info *i, size_t bytes, void *hash) {
    uint64_t *h = hash;
    (void)bytes;
    if (strncmp(i->dlpi_name, "/lib", 4) != 0 && strncmp(i->dlpi_name, "/usr/lib", 8) != 0)
        *h = rfi_folder_hashed(i->dlpi_name, *h);
    return 0;
}
# endif

/* What tells builds of the program apart: its bytes, and its libraries'; so do its arguments. */
RFI_FN void rfi_folder_identity(const char *program, const char *arguments) {
    uint64_t h = rfi_folder_hashed("/proc/self/exe", rfi_hash_text(arguments));
    const char *base = strrchr(program, '/');
    base = base ? base + 1 : program;
    size_t n = 0;
    for (; *base && n + 1 < sizeof rfi_folder.program; base++)
        rfi_folder.program[n++] =
            (char)(*base < ' ' || *base == '"' || *base == '\\' ? '_' : *base);
    rfi_folder.program[n] = 0;
# ifdef __linux__
    dl_iterate_phdr(rfi_folder_library, &h);
# endif
    snprintf(rfi_folder.build, sizeof rfi_folder.build, "%016llx", (unsigned long long)h);
}

/* When a process began, in the clock's ticks, as what Linux says of it has it; 0: it has ended, or
 * nobody knows.  One that was killed and has not come to its end yet, on a machine with much to do,
 * has ended. */
RFI_FN uint64_t rfi_folder_began_as(const char *text) {
    char state = 'Z';
    unsigned long long flags = 0, began = 0, signals = 0;
    const unsigned exits = 4, signalled = 0x400; /* flags of Linux */
    const char *s = strrchr(text, ')');          /* behind the name, which may be anything */
    int read = s ? sscanf(s + 1,
                          " %c %*s %*s %*s %*s %*s %llu %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                          "%*s %*s %llu %*s %*s %*s %*s %*s %*s %*s %*s %llu",
                          &state, &flags, &began, &signals)
                 : 0;
    bool killed = read == 4 && signals >> (SIGKILL - 1) & 1;
    if (read >= 3 && flags & (exits | signalled)) killed = true;
    return read >= 3 && state != 'Z' && !killed ? began : 0;
}

RFI_FN uint64_t rfi_folder_began(long process) {
    char name[40], text[512];
    snprintf(name, sizeof name, "/proc/%ld/stat", process);
    FILE *in = RFI_REAL(fopen)(name, "r");
    if (!in) return 0;
    text[fread(text, 1, sizeof text - 1, in)] = 0;
    fclose(in);
    return rfi_folder_began_as(text);
}

/* Does the process that wrote a file still run, as far as can be known? */
RFI_FN bool rfi_folder_lives(const char *path) {
    char host[64] = "", last[256] = "", *line = NULL;
    size_t room = 0;
    struct stat s;
    bool over = false;
    FILE *in = RFI_REAL(fopen)(path, "r");
    if (!in) return false;
    (void)gethostname(host, sizeof host - 1);
    if (getline(&line, &room, in) > 0) snprintf(last, sizeof last, "%.255s", line);
    while (getline(&line, &room, in) > 0) over |= rfi_entry_is(line, "end");
    RFI_REAL(free)(line);
    bool here = !strcmp(rfi_entry_text(last, "host"), host);
    uint64_t began = rfi_entry_number(last, "began");
    bool lives = fstat(fileno(in), &s) || time(NULL) - s.st_mtime < RFI_FOLDER_LIVE;
    fclose(in);
    const struct timespec pause = {0,
                                   1000000}; /* between a signal and what it does nothing shows */
    long process = (long)rfi_entry_number(last, "process");
    if (here && began) lives = rfi_folder_began(process) == began;
    if (here && began && lives) {
        RFI_REAL(nanosleep)(&pause, NULL);
        lives = rfi_folder_began(process) == began;
    }
    return lives && !over;
}

/* The first line of a file. */
RFI_FN bool rfi_folder_head(FILE *out, uint64_t seed) {
    char host[64] = "";
    (void)gethostname(host, sizeof host - 1);
    fprintf(out,
            "{\"event\":\"campaign\",\"schema\":\"" RFI_FOLDER_SCHEMA "\",\"program\":\"%s\","
            "\"build\":\"%s\",\"host\":\"%s\",\"process\":%ld,\"began\":%llu,\"seed\":\"%llu\"}\n",
            rfi_folder.program, rfi_folder.build, host, (long)rfi_process(),
            (unsigned long long)rfi_folder_began((long)rfi_process()), (unsigned long long)seed);
    return !fflush(out);
}

/* Creates the file `name` with its first line, both at once where the file system has links; 0, or
 * what went wrong: EEXIST if there is one. */
RFI_FN int rfi_folder_create(const char *folder, const char *name, uint64_t seed) {
    size_t room = strlen(folder) + strlen(name) + 40;
    char *path = RFI_REAL(malloc)(room), *made = RFI_REAL(malloc)(room);
    if (!path || !made) rfi_die("out of memory (campaign)");
    snprintf(path, room, "%s/%s", folder, name);
    snprintf(made, room, "%s/.%s.%ld", folder, name, (long)rfi_process());
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, error = 0;
    int file = RFI_REAL(open)(made, flags, 0666);
    FILE *out = file < 0 ? NULL : fdopen(file, "a");
    if (!out || !rfi_folder_head(out, seed)) error = errno;
    if (!error && link(made, path)) error = errno;
    if (error == EPERM || error == EOPNOTSUPP) { /* no links */
        fclose(out);
        file = RFI_REAL(open)(path, flags, 0666);
        out = file < 0 ? NULL : fdopen(file, "a");
        error = out && rfi_folder_head(out, seed) ? 0 : errno;
    }
    if (file >= 0 || out) unlink(made);
    RFI_REAL(free)(made);
    if (!error) {
        rfi_folder.out = out;
        rfi_folder.path = path;
        return 0;
    }
    if (out) fclose(out);
    RFI_REAL(free)(path);
    return error;
}

/* The lane's next file is `name`; how many there are. */
RFI_FN uint32_t rfi_folder_next(const char *folder, const char *lane, char *name, size_t bytes,
                                bool *lives) {
    char path[PATH_MAX];
    struct stat s;
    uint32_t n = 0;
    for (*lives = false;; n++) {
        snprintf(name, bytes, "%s.%05u.jsonl", lane, n + 1);
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (stat(path, &s)) break;
    }
    if (!n) return 0;
    snprintf(path, sizeof path, "%s/%s.%05u.jsonl", folder, lane, n);
    *lives = rfi_folder_lives(path);
    return n;
}

/* Takes the shard's lane, or the first that is free, and creates its file.  Several processes may
 * do so at once: creating is exclusive. */
RFI_FN int rfi_folder_take(const char *folder, rfi_settings *s) {
    char name[80];
    bool lives;
    for (uint32_t lane = 1;; lane++) {
        if (s->shards > 1)
            snprintf(rfi_folder.lane, sizeof rfi_folder.lane, "shard-%u-of-%u", s->shard,
                     s->shards);
        else
            snprintf(rfi_folder.lane, sizeof rfi_folder.lane, "lane-%u", lane);
        for (int error = EEXIST; error == EEXIST;) {
            (void)rfi_folder_next(folder, rfi_folder.lane, name, sizeof name, &lives);
            if (lives && s->shards == 1) break;
            error = rfi_folder_create(folder, name, s->seed);
            if (error && error != EEXIST) return error;
            if (error) continue;
            if (lane > 1) s->seed = rfi_mix(s->seed + lane * RFI_GOLDEN);
            return 0;
        }
    }
}

/* A finding with this fingerprint fails a test now. */
RFI_FN void rfi_folder_fails(uint64_t print) {
    uint64_t *known = rfi_map_find(&rfi_folder.known, print);
    if (!known || *known == 2) return;
    *known = 2;
    rfi_folder.again++;
}

/* A test was run, and has told what fails it; `late`: not all that is known was replayed. */
RFI_FN void rfi_folder_tried(const rfi_test *test, bool late) {
    uint64_t *of = rfi_map_at(&rfi_folder.known_of, rfi_hash_text(test->options.rfi_name));
    uint32_t known = (uint32_t)*of, again = rfi_folder.again - rfi_folder.told;
    rfi_folder.tried += known;
    rfi_folder.told = rfi_folder.again;
    if (late && known > again) rfi_folder.late += known - again;
    *of = 0;
}

/* What an earlier run in this process has read. */
RFI_FN void rfi_folder_forget(void) {
    for (rfi_entry *n = rfi_folder.first, *next; n; n = next) {
        next = n->next;
        RFI_REAL(free)(n);
    }
    rfi_map_free(&rfi_folder.known);
    rfi_map_free(&rfi_folder.known_of);
    rfi_map_free(&rfi_folder.taught);
    rfi_gaps_forget();
    rfi_folder = (struct rfi_folder){.end = &rfi_folder.first};
}

/* Opens the folder that was asked for; false after one line. */
RFI_FN bool rfi_folder_open(rfi_settings *s, const char *program, const char *arguments) {
    rfi_folder_forget();
    if (!s->folder && !s->merge.count) return true;
    rfi_folder_identity(program, arguments);
    rfi_folder.seed = s->seed;
    for (uint32_t i = 0; i < s->merge.count; i++) {
        uint32_t before = rfi_folder.files;
        if (!rfi_folder_read(s->merge.at[i], "-")) return false;
        if (rfi_folder.files == before)
            rfi_folder_complain(s->merge.at[i], NULL, "there is no campaign in it");
    }
    if (s->merge.count && !rfi_folder.files) return false;
    if (s->merge.count) s->folder = NULL;
    if (!s->folder) return true;
    bool made = !mkdir(s->folder, 0777) || errno == EEXIST;
    int error = made ? rfi_folder_take(s->folder, s) : errno;
    if (error) {
        rfi_folder_complain(s->folder, NULL, strerror(error));
        return false;
    }
    if (rfi_folder_read(s->folder, rfi_folder.lane)) return true;
    unlink(rfi_folder.path);
    return false;
}
#endif
#endif

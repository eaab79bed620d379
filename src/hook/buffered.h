/* hook/buffered.h: files of <stdio.h>, which wait where their buffers are empty, or full.
 *
 * Whoever uses one that another thread has locked (flockfile) waits for that first.
 */
#ifndef RFI_HOOK_BUFFERED_H
#define RFI_HOOK_BUFFERED_H
#include "hook/files.h"

#ifdef RFI_IMPL
/* Files that programs open are closed as their descriptors are. */
# define RFI_USES_STREAM(file) RFI_USES_FILE(rfi_hook_stream(file))
RFI_FN int rfi_hook_stream(FILE *file) {
    return !file || file == stdin || file == stdout || file == stderr ? -1 : fileno(file);
}

/* The last steps before a file is used: `step` in the order of all calls, then it is nobody's. */
# define RFI_STREAM_STEP(name, file, step) \
  (RFI_USES_STREAM(file), step, RFI_UNSAFE(name), rfi_hook_file_passes(RFI_CALLER(), file))
# define RFI_STREAM_CALL(name, file) \
  RFI_STREAM_STEP(name, file, RFI_SHARED_CALL(name, &rfi_hook_outside))
# define RFI_STREAM_LOOK(name, file) \
  RFI_STREAM_STEP(name, file, rfi_call(RFI_CALLER(), name, &rfi_hook_outside, RF_EV_READS))

/* Other threads hear of it by a pipe or its like, and of what was done before; by a file that stays
 * (a log) nobody does. */
RFI_FN bool rfi_stream_tells(FILE *to) {
    struct stat is;
    int fd = rfi_hook_shares() ? rfi_hook_stream(to) : -1;
    return fd >= 0 && !RFI_REAL(fstat)(fd, &is) && !S_ISREG(is.st_mode);
}

/* Only glibc says what has come already. */
RFI_FN bool rfi_stream_parts(FILE *from) {
# ifdef __GLIBC__
    return rfi_stream_tells(from);
# else
    return (void)from, false;
# endif
}

/* A use of a file, by one thread at a time where it may have to wait. */
typedef struct rfi_stream_use {
    const rf_site *site;
    const char *name;
    FILE *file;
    rf_mutex *held;
} rfi_stream_use;

RFI_FN void rfi_stream_hold(rfi_stream_use *u) {
    if (!rfi_hook_shares() || u->held) return;
    rf_mutex *m = rfi_hook_file_mutex(u->site, u->file);
    rfi_mutex_lock(u->site, m);
    u->held = rfi_hook_self()->held = m;
}

RFI_FN void rfi_stream_left(const rfi_stream_use *u) {
    if (!u->held) return;
    rfi_hook_self()->held = NULL;
    rfi_mutex_unlock(u->site, u->held);
}

/* Somebody has locked it, or will: it has to be held. */
RFI_FN bool rfi_stream_known(const rfi_stream_use *u) {
    return rfi_hook_shares() && rfi_hook_file_known(u->file);
}

/* ---- what comes in: whatever is there already is read without waiting ---- */

/* Something was read already that nobody has asked for; only glibc tells. */
RFI_FN bool rfi_file_buffered(const FILE *from) {
# ifdef __GLIBC__
    return from->_IO_read_ptr != from->_IO_read_end;
# else
    (void)from;
    return false;
# endif
}

RFI_FN void rfi_stream_fill(const rfi_stream_use *in) {
    if (!rfi_file_buffered(in->file) && fileno(in->file) >= 0)
        (void)rfi_file_turn(in->site, in->name, fileno(in->file), RFI_FILE_IN);
}

/* The last steps before something is read that is there. */
RFI_FN void rfi_stream_begin(rfi_stream_use *in) {
    for (;;) {
        bool waits = !rfi_file_buffered(in->file) && rfi_stream_parts(in->file);
        if (waits || rfi_stream_known(in)) rfi_stream_hold(in);
        rfi_stream_fill(in);
        if (in->held || !rfi_stream_known(in)) break;
    }
    if (RFI_UNLIKELY(rfi.observed & RFI_TAIL)) rfi_hook_file_stands(-1, in->file);
    rfi_settle();
}

/* More than has come is waited for piece by piece. */
RFI_FN int rfi_stream_next(rfi_stream_use *in, bool first) {
    if (!first && !rfi_file_buffered(in->file)) {
        rfi_stream_hold(in);
        rfi_stream_fill(in);
    }
    return RFI_REAL(getc)(in->file);
}

/* Up to `n` bytes, or the first one that is `end`. */
RFI_FN size_t rfi_stream_get(rfi_stream_use *in, char *to, size_t n, int end) {
    size_t got = 0;
    for (int c; got < n && (c = rfi_stream_next(in, !got)) != EOF;) {
        to[got++] = (char)c;
        if (c == end) break;
    }
    return got;
}

/* The same, in a block of the C library's. */
RFI_FN ssize_t rfi_stream_line(rfi_stream_use *in, char **to, int end) {
    size_t got = 0, room = 0;
    if (!rfi_stream_parts(in->file)) return RFI_REAL(getdelim)(to, &room, end, in->file);
    for (int c; (c = rfi_stream_next(in, !got)) != EOF;) {
        if (got + 2 > room) *to = RFI_REAL(realloc)(*to, room = 2 * room + 64);
        if (!*to) break;
        (*to)[got++] = (char)c, (*to)[got] = '\0';
        if (c == end) break;
    }
    return got && *to ? (ssize_t)got : -1;
}

char *RFI_HOOK(fgets)(char *to, int room, FILE *from) {
    rfi_stream_use in = {.site = RFI_CALLER(), .name = "fgets", .file = from};
    RFI_USES_STREAM(from);
    RFI_FILE_CALL("fgets");
    rfi_stream_begin(&in);
    char *s = to;
    if (room > 1 && rfi_stream_parts(from)) {
        size_t n = rfi_stream_get(&in, to, (size_t)room - 1, '\n');
        n ? (void)(to[n] = '\0') : (void)(s = NULL);
    } else {
        s = RFI_REAL(fgets)(to, room, from);
    }
    rfi_stream_left(&in);
    if (s) RFI_WRITES(s, strlen(s) + 1);
    return s;
}

size_t RFI_HOOK(fread)(void *p, size_t n, size_t count, FILE *from) {
    rfi_stream_use in = {.site = RFI_CALLER(), .name = "fread", .file = from};
    RFI_USES_STREAM(from);
    RFI_FILE_CALL("fread");
    rfi_stream_begin(&in);
    size_t got = n && rfi_stream_parts(from) ? rfi_stream_get(&in, p, n * count, EOF) / n
                                             : RFI_REAL(fread)(p, n, count, from);
    rfi_stream_left(&in);
    if (got && n) RFI_WRITES(p, got * n);
    return got;
}

/* Characters of a buffer are no steps: programs read whole files so. */
RFI_FN int rfi_file_character(const rf_site *s, FILE *from) {
    rfi_stream_use in = {.site = s, .name = "getc", .file = from};
    if (!rfi_file_buffered(from))
        rfi_call(s, "getc", &rfi_hook_outside, RF_EV_READS | RF_EV_WRITES);
    rfi_stream_begin(&in);
    int c = RFI_REAL(getc)(from);
    rfi_stream_left(&in);
    return c;
}

int RFI_HOOK(fgetc)(FILE *from) { return rfi_file_character(RFI_CALLER(), from); }
int RFI_HOOK(getc)(FILE *from) { return rfi_file_character(RFI_CALLER(), from); }
int RFI_HOOK(getchar)(void) { return rfi_file_character(RFI_CALLER(), stdin); }

/* The library would reallocate a block of ours: it gets one of its own. */
RFI_FN ssize_t rfi_hook_line(const rf_site *s, char **to, size_t *bytes, int end, FILE *from) {
    rfi_stream_use in = {.site = s, .name = "getline", .file = from};
    RFI_FILE_CALL("getline");
    rfi_stream_begin(&in);
    char *line = NULL;
    bool theirs = !rfi_heap_serves() || (*to && !rfi_heap_has(*to));
    ssize_t n =
        theirs ? RFI_REAL(getdelim)(to, bytes, end, from) : rfi_stream_line(&in, &line, end);
    rfi_stream_left(&in);
    if (theirs) return n;
    if (n >= 0 && (!*to || *bytes <= (size_t)n)) {
        *bytes = (size_t)n < 119 ? 120 : (size_t)n + 1;
        *to = rfi_hook_realloc(s, *to, *bytes);
    }
    if (n >= 0 && *to) memcpy(*to, line, (size_t)n + 1);
    RFI_REAL(free)(line);
    return *to ? n : -1;
}

/* The line, and where it is. */
# define RFI_LINE(to, bytes, end, from)                           \
  do {                                                            \
   RFI_USES_STREAM(from);                                         \
   ssize_t n = rfi_hook_line(RFI_CALLER(), to, bytes, end, from); \
   if (n < 0) return n;                                           \
   const char *line = *(to);                                      \
   RFI_WRITES(line, (size_t)n + 1);                               \
   RFI_LEAVES(to, sizeof *(to));                                  \
   RFI_LEAVES(bytes, sizeof *(bytes));                            \
   return n;                                                      \
  } while (0)

ssize_t RFI_HOOK(getdelim)(char **to, size_t *bytes, int end, FILE *from) {
    RFI_LINE(to, bytes, end, from);
}

/* What getline is in glibc's header. */
ssize_t RFI_HOOK(__getdelim)(char **to, size_t *bytes, int end, FILE *from) {
    RFI_LINE(to, bytes, end, from);
}

ssize_t RFI_HOOK(getline)(char **to, size_t *bytes, FILE *from) { RFI_LINE(to, bytes, '\n', from); }

/* ---- what goes out ---- */

/* So many bytes stay in its buffer, and go out when it is full; only glibc tells. */
RFI_FN size_t rfi_stream_keeps(const FILE *to) {
# ifdef __GLIBC__
    const int unbuffered = 2, lines = 0x200; /* _IO_UNBUFFERED, _IO_LINE_BUF */
    if (to->_flags & (unbuffered | lines)) return 0;
    if (!to->_IO_buf_base) return RFI_FILE_PIPE - 1;
    const char *at = to->_IO_write_ptr ? to->_IO_write_ptr : to->_IO_buf_base;
    return (size_t)(to->_IO_buf_end - at);
# else
    (void)to;
    return 0;
# endif
}

RFI_FN bool rfi_stream_pending(const FILE *to) {
# ifdef __GLIBC__
    return to->_IO_write_ptr != to->_IO_write_base;
# else
    (void)to;
    return true;
# endif
}

/* The last steps before `n` bytes go out. */
RFI_FN void rfi_stream_out(rfi_stream_use *out, size_t n) {
    if (!rfi_stream_tells(out->file)) {
        rfi_call(out->site, out->name, &rfi_hook_outside, RF_EV_READS | RF_EV_WRITES);
        rfi_hook_file_passes(out->site, out->file);
        return;
    }
    for (;;) {
        if (n > rfi_stream_keeps(out->file) || rfi_stream_known(out)) rfi_stream_hold(out);
        if (n > rfi_stream_keeps(out->file))
            (void)rfi_file_turn(out->site, out->name, fileno(out->file), RFI_FILE_OUT);
        else
            rfi_call_ordered(out->site, out->name, &rfi_hook_outside, __ATOMIC_RELEASE);
        if (out->held || (n <= rfi_stream_keeps(out->file) && !rfi_stream_known(out))) break;
    }
    if (RFI_UNLIKELY(rfi.observed & RFI_TAIL)) rfi_hook_file_stands(-1, out->file);
}

# define RFI_STREAM_OUT(name, file, n)                       \
  rfi_stream_use out = {RFI_CALLER(), (name), (file), NULL}; \
  RFI_USES_STREAM(file);                                     \
  RFI_UNSAFE(name);                                          \
  rfi_stream_out(&out, n)

/* Much that goes to a pipe waits for its turn part by part.  A part is less than the buffer has
 * room for: so no more goes out at once than that. */
RFI_FN size_t rfi_stream_write(rfi_stream_use *out, const char *p, size_t n) {
    const size_t part = RFI_FILE_PIPE / 2;
    size_t done = 0;
    if (n <= part || !rfi_stream_tells(out->file)) return fwrite(p, 1, n, out->file);
    rfi_stream_hold(out);
    while (done < n) {
        size_t most = n - done < part ? n - done : part;
        if (done) rfi_stream_out(out, most);
        size_t put = fwrite(p + done, 1, most, out->file);
        done += put;
        if (put < most) break;
    }
    return done;
}

/* How much the format makes, where that matters. */
RFI_FN RFI_PRINTF(2, 0) size_t rfi_stream_length(FILE *to, const char *format, va_list arguments) {
    va_list again;
    if (!rfi_stream_tells(to)) return 0;
    va_copy(again, arguments);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    return n < 0 ? 0 : (size_t)n;
}

/* All that it keeps. */
# define RFI_STREAM_KEPT(file) (rfi_stream_pending(file) ? SIZE_MAX : 0)

RFI_FN int rfi_stream_flush_all(const rf_site *s) {
    rfi_call(s, "fflush", &rfi_hook_outside, RF_EV_READS | RF_EV_WRITES);
    rfi_hook_files_pass(s);
    return RFI_REAL(fflush)(NULL);
}

int RFI_HOOK(fflush)(FILE *file) {
    if (!file) return rfi_stream_flush_all(RFI_CALLER());
    RFI_STREAM_OUT("fflush", file, RFI_STREAM_KEPT(file));
    int error = RFI_REAL(fflush)(file);
    rfi_stream_left(&out);
    return error;
}

int RFI_HOOK(fclose)(FILE *file) {
    rfi_stream_use out = {RFI_CALLER(), "fclose", file, NULL};
    int fd = rfi_hook_stream(file);
    RFI_CLOSES_FILE(fd);
    rfi_stream_out(&out, RFI_STREAM_KEPT(file));
    RFI_UNSAFE("fclose");
    rfi_stream_left(&out);
    rfi_hook_file_gone(file);
    RFI_CLOSED_FILE(fd);
    return RFI_REAL(fclose)(file);
}
#endif
#endif

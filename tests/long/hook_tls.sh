#!/bin/sh
# tests/hook_tls.sh by clang, linked statically, and for aarch64 (run by qemu); programs that have
# thread-local storage of their own under valgrind, sanitizers and gdb.  With NIGHTLY=1 more.
name=long_hook_tls
. tests/try.sh
hooks="-include racefuzz.h -DRF_HOOK_ALL -DRF_PROGRAM"

# everything NAME COMMAND COMPILER TARGET [RUN]
everything() {
    needs "$3" "$2"
    NAME="hook_tls_$1" CC=$3 TARGET=$4 RUN=${5:-} sh tests/hook_tls.sh
}

# program FLAGS: tests/hook/tls.c, with its engine and its library
program() {
    made=$(engine_for $CC $1 -DRF_PROGRAM)
    $CC $1 -std=c11 -g -pthread -I. $hooks tests/hook/tls.c tests/hook/tls_library.c \
        "$made" -o "$work/tls"
}

under_valgrind() {
    needs valgrind
    program ""
    gives 0 valgrind valgrind -q --error-exitcode=9 "$work/tls" --executions=2 --jobs=0
    lacks valgrind.err '^=='
}

# Their runtimes keep books on real threads: all share what there is, and nothing breaks.
with_sanitizers() {
    echo "int main(void) { return 0; }" >"$work/none.c"
    $CC -fsanitize=address "$work/none.c" -o "$work/none" || skip "no AddressSanitizer"
    program "-fsanitize=address,undefined -fno-sanitize-recover=undefined"
    gives 1 shared "$work/tls" --executions=2
    says shared "tls.c:"
    lacks shared "sanitizer"
    gives 2 refused "$work/tls" --thread-local=own
    says refused.err "--thread-local=own is not possible here"
    gives 0 threads "$work/tls" --executions=2 --list
}

a_debugger_sees_them() {
    needs gdb
    program ""
    printf '%s\n' "break tls.c:$(sed -n '/^static void finds(/=' tests/hook/tls.c)" \
        'run --executions=1' backtrace 'print number' 'print zeros[7]' kill >"$work/commands"
    gdb -nx -batch -x "$work/commands" "$work/tls" >"$work/gdb" 2>&1 || cat "$work/gdb"
    ! grep 'ptrace: Operation not permitted' "$work/gdb" || skip "ptrace is refused"
    says gdb "works (arg=" "rfi_fiber_main"
    n=$(sed -n 's/^#0 .*finds (n=\([0-9]*\)).*/\1/p' "$work/gdb" | head -n 1)
    grep -x "\$1 = $n" "$work/gdb"
}

# Its header declares what fails with a type of its own.
an_assertion_by_musl() {
    needs musl-gcc
    cat >"$work/asserts.c" <<'END'
#include <assert.h>
#include <dirent.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
static int n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *adds(void *p) {
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) {
    pthread_t t;
    struct stat is;
    DIR *d = opendir("/");
    assert(d && !closedir(d) && !stat("/", &is) && !isatty(1) && sysconf(_SC_NPROCESSORS_ONLN));
    pthread_create(&t, 0, adds, 0);
    pthread_mutex_lock(&m);
    int before = n;
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    assert(before == 1);
    return 0;
}
END
    made=$(engine_for musl-gcc -DRF_PROGRAM -DRF_HOOK_ALL)
    musl-gcc -g -I. $hooks -Wall -Werror "$work/asserts.c" "$made" -static -o "$work/asserts"
    gives 1 found "$work/asserts" --executions=50
    says found 'before == 1, at asserts.c:24'
    replays "$(token found)" "$work/asserts"
}

try an_assertion_by_musl
try everything clang clang clang ""
[ -z "${NIGHTLY:-}" ] || try everything optimised gcc gcc -O2
try everything static gcc gcc -static
[ "${NIGHTLY:-}" ] || export QUICK=1
try everything aarch64 qemu-aarch64-static aarch64-linux-gnu-gcc -static qemu-aarch64-static
if [ "${NIGHTLY:-}" ]; then
    try everything musl musl-gcc musl-gcc -static
    try with_sanitizers
    try under_valgrind
fi
try a_debugger_sees_them
summary

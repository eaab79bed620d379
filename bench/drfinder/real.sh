#!/bin/sh
# bench/drfinder/real.sh: DrFinder's experiment (Cai and Cao, ESEC/FSE 2015, section 6) on programs
# of others: distinct races by happens-before in 10 and in 100 executions of each strategy.
#
#     make bench-drfinder-real [PROGRAMS="xz mksquashfs"] [STRATEGIES="random pos"] [RUNS="10 100"]
#
# Sources of Debian packages are fetched, built unedited by racefuzz-cc, and run on inputs of a few
# kilobytes.  A race is a pair of statements.  What can't be fetched or built is named and left out.
# Always the same seed: `native` alone differs from one time to the next.
set -eu
. bench/lib.sh
: "${PROGRAMS:=zstd_pool lbzip2 htslib_unordered htslib_ordered htslib_pipe xz mksquashfs}"
: "${STRATEGIES:=native delay pct:3 pos random drfinder feedback}" "${RUNS:=10 100}"
top=$(pwd)
mkdir -p "$BUILD/thirdparty" "$BUILD/bench/real"
cache=$(cd "$BUILD/thirdparty" && pwd) out=$(cd "$BUILD/bench/real" && pwd)
. tests/thirdparty/fetch.sh
export RACEFUZZ_CC="$CC" RACEFUZZ_CFLAGS="-O1 -w" RACEFUZZ_ENGINE="$out/engine.o"
racefuzz=$top/src/racefuzz-cc
cp "$(sh tests/engine.sh "$CC" -O2 -DRF_HOOK_ALL -DRF_HOOK_COMPILER -DRF_PROGRAM)" "$out/engine.o"

# tree PACKAGE: a copy of its source to build in; the working folder from then on.
tree() {
    [ -e "$cache/$1-source/ready" ] || (package "$1-source")
    rm -rf "${out:?}/$1"
    cp -r "$cache/$1-source" "$out/$1"
    cd "$out/$1"
}

# ---- how each is built, as $out/NAME.test ----

# The pool of threads alone; tests/thirdparty/zstd_pool.c gives it work.
build_zstd_pool() {
    tree libzstd
    set -- lib/common/pool.c lib/common/zstd_common.c lib/common/error_private.c
    "$racefuzz" -DZSTD_MULTITHREAD -DZSTD_DISABLE_ASM -Ilib -Ilib/common "$@" \
        "$top/tests/thirdparty/zstd_pool.c" -pthread -o "$out/zstd_pool.test"
}

# Its threads and its queue, without the signals that main() waits for.
build_lbzip2() {
    tree lbzip2
    : >config.h
    set -- src/process.c src/compress.c src/expand.c src/encode.c src/divbwt.c src/crctab.c \
        src/decode.c src/parse.c lib/gettime.c lib/timespec-add.c lib/timespec-sub.c \
        lib/dtotimespec.c
    "$racefuzz" -D_GNU_SOURCE -D_GL_INLINE_HEADER_BEGIN= -D_GL_INLINE_HEADER_END= \
        "-D_GL_INLINE=static inline" -D_GL_ATTRIBUTE_CONST= -D_GL_ATTRIBUTE_PURE= \
        -DHAVE_CLOCK_GETTIME -I. -Isrc -Ilib "$@" "$top/tests/thirdparty/lbzip2.c" -pthread \
        -o "$out/lbzip2.test"
}

# The pool of threads with its own tests.
build_htslib() {
    tree htslib
    : >config.h
    "$racefuzz" -DTEST_MAIN -D_GNU_SOURCE -I. thread_pool.c -o "$out/$1.test" -pthread -lm \
        -Wl,--defsym=hts_log=abort
}
build_htslib_unordered() { build_htslib htslib_unordered; }
build_htslib_ordered() { build_htslib htslib_ordered; }
build_htslib_pipe() { build_htslib htslib_pipe; }

build_xz() {
    tree xz-utils
    ./configure -q --disable-shared --disable-nls --disable-scripts --disable-doc \
        --disable-assembler
    make -C src/liblzma CC="$racefuzz"
    make -C src/xz CC="$racefuzz"
    cp src/xz/xz "$out/xz.test"
}

build_mksquashfs() {
    tree squashfs-tools
    make -C squashfs-tools CC="$racefuzz" XATTR_SUPPORT=0 mksquashfs
    cp squashfs-tools/mksquashfs "$out/mksquashfs.test"
}

# ---- running ----

arguments() {
    case $1 in
    htslib_unordered) echo unordered 3 ;;
    htslib_ordered) echo ordered1 3 ;;
    htslib_pipe) echo pipe 3 ;;
    xz) echo -T3 --block-size=4096 -c "$out/input" ;;
    mksquashfs) echo "$out/input" "$out/input2" "$out/image" -noappend -processors 2 -quiet \
        -no-progress ;;
    esac
}

# races PROGRAM STRATEGY RUNS: how many are told; how many executions failed.
races() {
    # shellcheck disable=SC2046
    "$out/$1.test" --strategy="$2" --detect=hb --executions="$3" --seconds=none --jobs=1 \
        --report="$out/said" -- $(arguments "$1") >"$out/printed" 2>&1 || [ $? -eq 1 ]
    awk '/^race:/ { races++ } END { printf "%d", races }' "$out/said"
}

seq 1 2000 >"$out/input"
seq 2000 2300 >"$out/input2"
(apt_ready) || { echo "there is no apt, or it reaches nothing"; exit 77; }
said_runs=$(echo "$RUNS" | sed "s, , and in ,")
printf "distinct races by happens-before in %s executions\n%-17s" "$said_runs" ""
for strategy in $STRATEGIES; do printf '%12s' "$strategy"; done
echo
for program in $PROGRAMS; do
    if ! (build_"$program") >"$out/$program.log" 2>&1; then
        echo "$program: can't be fetched or built here (see $out/$program.log)"
        continue
    fi
    printf '%-17s' "$program"
    for strategy in $STRATEGIES; do
        cell=
        for runs in $RUNS; do cell="$cell${cell:+ / }$(races "$program" "$strategy" "$runs")"; done
        printf '%12s' "$cell"
    done
    echo
done

#!/bin/sh
# The house: what the tree looks like, how the shipped headers are made from it, what they declare,
# and what `make install` does.  What compilers and linkers make of the headers is in headers.sh.
name=house
. tests/try.sh
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
# A copy of what the headers are made of and with, to be broken.
copy() {
    rm -rf "$work/copy"
    mkdir -p "$work/copy"
    cp -R src LICENSE Makefile racefuzz.h racefuzz_mem.h "$work/copy/"
}

# The files of the tree; outside a repository, those that are there.
files() {
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files
    else
        find . -name .git -prune -o -path ./build -prune -o -type f -print | sed 's|^\./||'
    fi
}

# Those that were not removed just now.
existing() { while read -r file; do [ ! -f "$file" ] || echo "$file"; done; }

a_file_that_is_not_tracked_is_nobodys_business() {
    mkdir "$work/checkout"
    cd "$work/checkout"
    git init -q .
    : >kept
    git add kept
    : >log
    [ "$(files)" = kept ]
}

the_top_of_the_tree_is_as_agreed() {
    printf '%s\n' .ci .clang-format .editorconfig .gitattributes .gitignore CMakeLists.txt LICENSE \
        Makefile README.md bench docs examples meson.build packaging racefuzz.h racefuzz_mem.h src \
        tests | sort >"$work/agreed"
    files | sed 's|/.*||' | sort -u | diff "$work/agreed" -
}

a_source_file_has_at_most_600_lines() {
    find src -type f -exec wc -l {} + | awk '$1 > 600 && $2 != "total"' | nothing
}

no_line_has_tabs_or_trailing_space_or_over_100_columns() {
    files | grep -vE '^(Makefile|LICENSE|racefuzz\.h|racefuzz_mem\.h)$' | existing | xargs awk '
        /\t/ { print FILENAME ":" FNR ": a tab" }
        / $/ { print FILENAME ":" FNR ": space at the end" }
        FILENAME !~ /\.(c|h|sh|awk)$/ { next }
        length($0) > 100 { print FILENAME ":" FNR ": " length($0) " columns" }
    ' | nothing
}

# By its name or by the beginning of one; or the script runs all that it has.
every_function_of_a_script_is_called() {
    files | grep '^tests/.*[.]sh$' | existing | xargs awk '
        /^ *try_all$|"[$]0"/ { runs_all[FILENAME] = 1 }
        match($0, /^[a-z_0-9]+\(\) /) { place[substr($0, 1, RLENGTH - 3)] = FILENAME }
        {
            for (n = split($0, word, /[^a-z_0-9]+/); n; n--) times[word[n]]++
        }
        END {
            for (f in place) {
                called = times[f] > 1 || place[f] in runs_all
                for (n = 1; n < length(f) && !called; n++)
                    called = substr(f, n, 1) == "_" && substr(f, 1, n) in times
                if (!called) print place[f] ": " f
            }
        }' | nothing
}

# `make mutants` would tell, but it is not run for each change.
every_mutant_can_be_applied() {
    awk '
        function lines_with(old, file, line, n) {
            if (!(file in length_of)) {
                while ((getline line <file) > 0) text[file, ++length_of[file]] = line
                close(file)
            }
            for (line = 1; line <= length_of[file]; line++) n += index(text[file, line], old) > 0
            return n
        }
        /^src\/[^:]*: / { file = $1; sub(/:$/, "", file) }
        /^- / { mutants++; if (lines_with(substr($0, 3), file) != 1) print file ": " $0 }
        END { if (mutants <= 150) print "too few: " mutants }' tests/mutants.txt | nothing
    sed -n 's/gcc://g; s/^src\/[^:]*: //p' tests/mutants.txt | tr ' ' '\n' | sort -u |
        while read -r test; do
            [ -e "tests/$test" ] || [ -e "tests/$test.c" ] || echo "tests/$test"
        done | nothing
}

no_file_names_a_place_of_one_machine() {
    files | existing | xargs grep -nE '(^|[^[:alnum:]_}])/(work|root|home)/' | nothing
}

joining_gives_the_same_bytes_with_every_awk() {
    for awk in awk mawk gawk "gawk --posix" original-awk "busybox awk"; do
        command -v "${awk%% *}" >/dev/null || continue
        echo "$awk"
        rm -rf "$work/second"
        AWK=$awk LC_ALL=C.UTF-8 sh src/join.sh "$work/second"
        cmp "$work/first/racefuzz.h" "$work/second/racefuzz.h"
        cmp "$work/first/racefuzz_mem.h" "$work/second/racefuzz_mem.h"
    done
}

joining_again_leaves_the_files_alone() {
    before=$(ls -i "$work/first")
    sh src/join.sh "$work/first"
    [ "$before" = "$(ls -i "$work/first")" ]
}

every_source_file_is_joined_once() {
    cat racefuzz.h racefuzz_mem.h | sed -n 's/.*==== edit \([^ ]*\) .*/\1/p' | sort >"$work/joined"
    ls src/*/*.h | sort | diff - "$work/joined"
}

# (tests/long/units.sh compiles them all, by night.)
what_a_header_uses_is_in_those_that_it_includes() {
    awk -f tests/uses.awk src/*/*.h | nothing
}

# join_refuses WORDS: joining the copy fails, says WORDS, and writes nothing.
join_refuses() {
    fails sh "$work/copy/src/join.sh" "$work/copy/out" 2>"$work/said"
    cat "$work/said"
    grep -q "$1" "$work/said"
    [ -z "$(ls -A "$work/copy/out")" ]
}

joining_refuses_an_include_of_a_layer_above() {
    copy
    echo '#include "engine/event.h"' >>"$work/copy/src/base/prng.h"
    join_refuses 'src/base/prng.h includes "engine/event.h" from a layer above it'
}

joining_refuses_a_circle() {
    copy
    echo '#include "base/site.h"' >>"$work/copy/src/base/platform.h"
    join_refuses 'includes itself by way of others'
}

joining_refuses_a_missing_file() {
    copy
    echo '# include "base/nowhere.h"' >>"$work/copy/src/base/prng.h"
    join_refuses 'src/base/prng.h includes "base/nowhere.h", which does not exist'
}

joining_refuses_a_file_that_does_not_say_what_it_is_for() {
    copy
    echo '#define RFI_X 1' >"$work/copy/src/base/silent.h"
    join_refuses 'src/base/silent.h does not open with'
}

joining_refuses_lines_of_a_missing_file() {
    copy
    rm "$work/copy/src/report/page.html"
    join_refuses 'src/report/page.html does not exist'
}

# What the compiler makes of the strings is the file, but for indentation and comments.
lines_of_a_file_are_in_the_header() {
    {
        printf '#include <stdio.h>\nconst char *const lines[] = {\n'
        sed -n '/^RFI_VAR const char \*const rfi_page_lines/,/NULL/p' racefuzz.h | sed 1d
        printf '};\nint main(void) { for (int i = 0; lines[i]; i++) fputs(lines[i], stdout); }\n'
    } | sed 's/NULL};/NULL/' >"$work/lines.c"
    $CC -std=c11 -Wall -Wextra -Wpedantic -Werror "$work/lines.c" -o "$work/lines_of"
    "$work/lines_of" >"$work/lines_are"
    sed -e 's/^ *//' -e '/^$/d' -e '/^\/\/ /d' -e '/^\/\* .*\*\/$/d' src/report/page.html |
        diff - "$work/lines_are"
}

an_edit_of_one_side_only_stops_the_check() {
    copy
    make -C "$work/copy" headers fresh
    echo '/* by hand */' >>"$work/copy/racefuzz_mem.h"
    fails make -C "$work/copy" fresh >"$work/said"
    grep -q '^racefuzz_mem.h is not what src/ makes' "$work/said"
    cp racefuzz_mem.h "$work/copy/"
    echo '/* in the source */' >>"$work/copy/src/base/prng.h"
    fails make -C "$work/copy" fresh
}

the_development_build_leads_to_the_sources() {
    sh src/join.sh "$work/lines" lines
    cat "$work/lines/"*.h | sed -n 's/^#line 1 "\(.*\)"$/\1/p' | sort >"$work/named"
    ls src/*/*.h | sort | diff - "$work/named"
    $CC -std=c11 $warnings -DRF_IMPLEMENTATION -fsyntax-only -x c "$work/lines/racefuzz.h"
    $CC -std=c11 -DRF_IMPLEMENTATION -E -x c "$work/lines/racefuzz.h" >"$work/lines.i"
    number=$(grep -n 'RFI_INLINE uint64_t rfi_draw' src/base/prng.h | sed 's/:.*//')
    awk -v number="$number" '
        /^# [0-9]+ "/ { file = $3; line = $2 - 1; next }
        { line++ }
        /rfi_draw\(rf_prng \*r\)/ && file == "\"src/base/prng.h\"" && line == number { found = 1 }
        END { exit !found }
    ' "$work/lines.i"
}

the_memory_header_compiles_by_itself() {
    for standard in c11 c17 c2x; do
        for switch in -URF_OFF -DRF_IMPLEMENTATION -DRF_OFF; do
            $CC -std=$standard $warnings $switch -fsyntax-only -x c racefuzz_mem.h
        done
    done
}

every_name_has_the_prefix() {
    for switch in -URF_OFF -DRF_IMPLEMENTATION -DRF_OFF; do
        $CC -std=c11 -E -dD $switch -x c racefuzz.h | awk -f tests/names.awk >"$work/names"
        grep -q '^rf_options$' "$work/names" # the list is no empty one
        sort -u "$work/names" |
            grep -vE '^(RFI?_|rfi?_|rfi$|__|RACEFUZZ_(MEM_)?H$|_GNU_SOURCE$)' | nothing
    done
}

# Analyses, checkers and strategies are written as a stranger's would be: on the interface and the
# shared trackers, without the engine's state.
what_is_built_in_uses_the_interface_only() {
    grep -n '^# *include "' src/detect/*.h src/explore/*.h |
        grep -vE '"(base|mem|detect|explore)/[a-z_]*\.h"|"engine/(iface|order|given)\.h"' | nothing
    grep -nE '\brfi(\.|_hot\b)|->plan\b' src/detect/*.h src/explore/*.h src/engine/order.h | nothing
}

an_extension_has_less_than_80_lines_and_goes_away_when_off() {
    ls examples/extend/*.c >/dev/null
    for file in examples/extend/*.c; do
        [ "$(wc -l <"$file")" -lt 80 ]
        for compiler in $(printf '%s\n' "$CC" gcc clang | sort -u); do
            command -v "$compiler" >/dev/null || continue
            $compiler -std=c11 $warnings -DRF_OFF -O1 -I. -c "$file" -o "$work/off.o"
            nm "$work/off.o" | grep -w 'rfi*_[a-z0-9_]*' | nothing
        done
    done
}

the_manual_lists_the_options_of_the_program() {
    cp -R docs "$work/docs"
    make manual DOCS="$work/docs"
    diff -r docs "$work/docs"
    grep -q 'RF_SEED' docs/options.md
    grep -q 'RF_SEED' docs/racefuzz.1
}

a_header_alone_says_what_may_be_done_with_it() {
    sed '1,2d' LICENSE >"$work/licence"
    for header in racefuzz.h racefuzz_mem.h; do
        sed -n 3p $header | grep -x ' \* SPDX-License-Identifier: MIT'
        tr -s ' *\n' ' ' <$header | grep -qF "$(tr -s ' \n' ' ' <"$work/licence")"
    done
}

install_and_uninstall_leave_nothing_behind() {
    root=$work/root
    make install DESTDIR="$root" PREFIX=/opt/some
    (cd "$root" && find . ! -type d | sort) >"$work/installed"
    diff - "$work/installed" <<'END'
./opt/some/bin/racefuzz-c++
./opt/some/bin/racefuzz-cc
./opt/some/include/racefuzz.h
./opt/some/include/racefuzz_mem.h
./opt/some/share/cmake/racefuzz/racefuzz.cmake
./opt/some/share/cmake/racefuzz/racefuzzConfig.cmake
./opt/some/share/cmake/racefuzz/racefuzzConfigVersion.cmake
./opt/some/share/cmake/racefuzz/racefuzzDiscover.cmake
./opt/some/share/man/man1/racefuzz.1
./opt/some/share/pkgconfig/racefuzz.pc
./opt/some/share/racefuzz/racefuzz-gdb.py
END
    version=$(sed -n 's/^#define RF_VERSION_[A-Z]* //p' src/api/switches.h | paste -s -d . -)
    grep -x "Version: $version" "$root/opt/some/share/pkgconfig/racefuzz.pc"
    grep -x "prefix=/opt/some" "$root/opt/some/share/pkgconfig/racefuzz.pc"
    grep -q "version $version:" "$root/opt/some/include/racefuzz.h"
    grep -qx 'Locks()' "$root/opt/some/share/racefuzz/racefuzz-gdb.py" # the last line of it
    make uninstall DESTDIR="$root" PREFIX=/opt/some
    find "$root" ! -type d | nothing
}

sh src/join.sh "$work/first"
try_all
summary

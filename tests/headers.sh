#!/bin/sh
# The shipped headers as compilers and linkers see them: no warnings, no foreign names, readable
# refusals, and nothing left of them under RF_OFF.
#
#     CC=gcc CXX=g++ BUILD=build sh tests/headers.sh        from the top of the tree
name=headers
. tests/try.sh
CXX=${CXX:-g++}
here=tests/headers
# (how the engine is indented house.sh has the compiler look at: here it takes seconds)
warn="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Wno-misleading-indentation"

compile() { "$CC" -I. -std=c11 "$@"; }

# is_clean UNIT STANDARD [-DRF_OFF]: no warning; of c11 the objects stay.
is_clean() {
    output=-fsyntax-only
    [ "$2" != c11 ] || output="-c -o $work/$1${3:-}.o"
    compile -std="$2" $warn ${3:-} $here/$1.c $output
}

two_units_have_one_engine() {
    $CC "$work/main.o" "$work/macros.o" "$work/foreign_main.o" -pthread -o "$work/two"
    gives 0 help "$work/two" --help
    says help '  an-analysis ' '  a-checker ' '  a-strategy '
    gives 0 list "$work/two" --list
    says list some_options
}

macros_keep_their_meaning() {
    compile $warn -DRFI_LINKED $here/meaning.c "$library" -pthread -o "$work/meaning"
    gives 0 report "$work/meaning"
    says report 'PASS meaning'
    compile $warn -DRF_OFF $here/meaning.c -pthread -o "$work/meaning_off"
    "$work/meaning_off"
}

every_public_name_is_compiled() {
    {
        sed -n 's/^# *define \(RFI*_[A-Z0-9_]*\|rf_[a-z0-9_]*\).*/\1/p' src/api/*.h \
            src/engine/types.h | grep -v '^RFI_' | sort -u
        sed -n 's/^[a-z].*[ *]\(rf_[a-z_]*\)(.*/\1/p' src/engine/iface.h src/engine/warning.h
        sed -n 's/^typedef _Atomic.* \(rf_atomic_[a-z0-9_]*\);$/\1/p' src/api/atomic_types.h
    } >"$work/names"
    [ "$(wc -l <"$work/names")" -gt 100 ]
    while read -r name; do
        cat $here/*.[ch] tests/determinism/programs.h | grep -qw -e "$name" || echo "$name"
    done <"$work/names" | nothing
}

# refused PATTERN COMMAND...: it fails and says PATTERN.
refused() {
    pattern=$1
    shift
    fails "$@" >"$work/said" 2>&1
    grep -e "$pattern" "$work/said" || { cat "$work/said"; return 1; }
}

# is_refused WHAT CASE PATTERN: of reject.c.
is_refused() { refused "$3" compile -DCASE="$2" -fsyntax-only $here/reject.c; }

nothing_else_of_it_is_refused() { compile $warn -DCASE=0 -fsyntax-only $here/reject.c; }

what_comes_too_late_is_refused() {
    printf '#include <stdio.h>\n#include "racefuzz.h"\n' >"$work/late.c"
    for switch in RF_IMPLEMENTATION RF_OFF; do
        refused "include racefuzz.h first" \
            compile -D$switch -fsyntax-only -Wfatal-errors "$work/late.c"
        compile -D_GNU_SOURCE -D$switch -fsyntax-only "$work/late.c"
    done
    compile -fsyntax-only "$work/late.c" # without the engine it may
    printf '#include "racefuzz.h"\n#define RF_IMPLEMENTATION\n#include "racefuzz.h"\n' \
        >"$work/twice.c"
    refused "before the first include" compile -fsyntax-only -Wfatal-errors "$work/twice.c"
}

cxx17_has_them_too() {
    needs "$CXX"
    for off in "" -DRF_OFF; do
        "$CXX" -std=c++17 -I. $warn $off -c $here/cxx.cc -o "$work/cxx$off.o"
        "$CXX" "$work/cxx$off.o" "$work/main$off.o" -pthread -o "$work/cxx$off"
    done
    refused "must be compiled as C" \
        "$CXX" -std=c++17 -I. -DRF_IMPLEMENTATION -fsyntax-only $here/cxx.cc
    gives 0 list "$work/cxx" --list
    says list cxx
    gives 0 help "$work/cxx" --help
    says help cxx-analysis cxx-checker cxx-strategy
}

# Static ones too; one is of <valgrind.h>.
no_symbol_of_the_engine_lacks_the_prefix() {
    nm "$work/main.o" >"$work/symbols"
    says symbols ' T rf_run'
    awk '$(NF - 1) !~ /^[Uw]$/ && $NF !~ /\./ { print $NF }' "$work/symbols" |
        grep -v -e '^rfi*_' -e '^rfi$' -e '^VALGRIND_PRINTF' -e '^__wrap_' -e '^add_' \
            -e '^call_from_main' -e '^main$' -e '^limit$' | nothing
}

no_macro_or_type_lacks_the_prefix() {
    find src -name '*.h' ! -path 'src/hook/*' | sort | while read -r file; do
        sed -n -e "s|^# *define \([A-Za-z0-9_]*\).*|\1 $file|p" \
            -e "s|^} \([A-Za-z0-9_]*\);.*|\1 $file|p" \
            -e "s|^typedef .*[ *]\([A-Za-z0-9_]*\);.*|\1 $file|p" \
            -e "s|^\(typedef \)*\(struct\|union\|enum\) \([A-Za-z0-9_]*\) {.*|\3 $file|p" "$file"
    done | grep -v -e '^RFI*_' -e '^rfi*_' -e '^_GNU_SOURCE ' \
        -e '^u*int[0-9ptr]*_t src/base/plat' | nothing
}

# No symbol is left, and tests are gone.
nothing_is_left_when_off() {
    for unit in macros main foreign_main; do
        nm "$work/$unit-DRF_OFF.o" | grep -w 'rfi*_[a-z0-9_]*' | nothing
    done
    compile -DRF_OFF $here/main.c $here/macros.c -pthread -o "$work/off"
    gives 77 off.out "$work/off"
}

# instructions OBJECT: one line "function: instruction; instruction; ..." each, without addresses.
instructions() {
    objdump -dr --no-show-raw-insn "$1" | awk '
        /^[0-9a-f]+ <.*>:$/ { name = substr($2, 2, length($2) - 3); names[++n] = name; next }
        name != "" && NF { sub(/^ *[0-9a-f]+: */, ""); body[name] = body[name] "; " $0 }
        END { for (i = 1; i <= n; i++) print names[i] ":" body[names[i]] }'
}

# twins_are_equal COMPILER: when off, the instructions are those of plain code.
twins_are_equal() {
    needs "$1"
    for define in -UPLAIN -DPLAIN; do
        "$1" -std=c11 -O2 -ffunction-sections -I. -DRF_OFF $define -c $here/twin.c \
            -o "$work/twin.o"
        instructions "$work/twin.o" | grep -E '^(sum|copy|spin|walk|transfer|guarded|count|own):;' \
            >"$work/twin$define"
        [ "$(wc -l <"$work/twin$define")" -eq 8 ]
    done
    diff "$work/twin-UPLAIN" "$work/twin-DPLAIN"
}

for standard in c11 c2x; do
    for unit in macros main foreign_main; do
        try is_clean $unit $standard
        try is_clean $unit $standard -DRF_OFF
    done
done
while read -r case what pattern; do try is_refused "$what" "$case" "$pattern"; done <<END
1 load_of_a_bit_field bit-field
2 store_to_a_bit_field bit-field
3 load_of_an_atomic racefuzz: an _Atomic object is not plain data
4 store_to_an_atomic racefuzz: an _Atomic object is not plain data
5 load_of_a_volatile_atomic racefuzz: an _Atomic object is not plain data
6 load_of_an_array racefuzz: an array has no value
7 store_to_an_array racefuzz: an array has no value
8 store_to_a_constant read-only\|const-qualified
9 fetch_add_of_floating_point racefuzz: fetch operations take integers
10 lock_of_an_int racefuzz: this takes the address of an object of type rf_mutex
11 guard_by_a_rwlock racefuzz: this takes the address of an object of type rf_mutex
12 wait_without_a_mutex racefuzz: this takes the address of an object of type rf_mutex
13 post_of_a_struct racefuzz: this takes the address of an object of type rf_sem
14 an_operation_with_an_address_for_a_result racefuzz: the result of RF_OPERATION is a
15 an_operation_with_five_parameters at_most_four_parameters
16 an_operation_with_a_struct_for_a_result racefuzz: the result of RF_OPERATION is a
END
try_all
for compiler in $(printf '%s\n' "$CC" gcc clang | sort -u); do try twins_are_equal "$compiler"; done
summary

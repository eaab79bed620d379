#!/bin/sh
# The shipped headers as compilers and linkers see them: no warnings, no foreign names, readable
# refusals, and nothing left of them under RF_OFF.
#
#     CC=gcc CXX=g++ BUILD=build sh tests/headers.sh        from the top of the tree
#
# One line for each thing shown, "ok NAME" or "not ok NAME: why"; the last line sums up.
name=headers
. tests/try.sh
tmp=$work
CXX=${CXX:-g++}
here=tests/headers
# (how the engine is indented house.sh has the compiler look at: here it takes seconds)
warn="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Wno-misleading-indentation"

ok() {
    passed=$((passed + 1))
    echo "ok $1"
}

not_ok() {
    failed=$((failed + 1))
    echo "not ok $1: $2"
}

# check NAME COMMAND...: the command succeeds; what it prints is why it did not.
check() {
    name=$1
    shift
    if "$@" >"$tmp/log" 2>&1; then ok "$name"; else not_ok "$name" "$(cat "$tmp/log")"; fi
}

# refuses NAME PATTERN COMMAND...: the command fails and says PATTERN.
refuses() {
    name=$1 pattern=$2
    shift 2
    if "$@" >"$tmp/log" 2>&1; then not_ok "$name" "was accepted"
    elif grep -q -e "$pattern" "$tmp/log"; then ok "$name"
    else not_ok "$name" "does not say \"$pattern\": $(cat "$tmp/log")"; fi
}

# empty NAME FILE: nothing is in the file.
empty() {
    if [ -s "$2" ]; then not_ok "$1" "$(tr '\n' ' ' <"$2")"; else ok "$1"; fi
}

compile() { "$CC" -I. "$@"; }

# ---- no warnings, in every dialect, in units with the engine, without it, and under RF_OFF ----

for std in c11 c2x; do
    for unit in macros main foreign_main; do
        for off in "" -DRF_OFF; do
            case $std in
            c11) output="-c -o $tmp/$unit.$std$off.o" ;;
            *) output=-fsyntax-only ;;
            esac
            check "${unit}_is_clean_${std}${off}" compile -std=$std $warn $off $here/$unit.c $output
        done
    done
done

# ---- two units, one engine ----

check two_units_link \
    "$CC" "$tmp/main.c11.o" "$tmp/macros.c11.o" "$tmp/foreign_main.c11.o" -pthread -o "$tmp/two"
for extension in an-analysis a-checker a-strategy; do
    check a_unit_registers_$extension sh -c "'$tmp/two' --help | grep -q '  $extension '"
done
check both_units_register_their_tests sh -c "'$tmp/two' --list | grep -q some_options"

# ---- the macros mean the same with the engine and without ----

check meaning_compiles \
    compile -std=c11 $warn -DRFI_LINKED $here/meaning.c "$library" -pthread -o "$tmp/meaning"
check meaning_compiles-DRF_OFF \
    compile -std=c11 $warn -DRF_OFF $here/meaning.c -pthread -o "$tmp/off"
check macros_keep_their_meaning_when_off "$tmp/off"
"$tmp/meaning" >"$tmp/report" 2>&1
check macros_keep_their_meaning grep -q '^PASS meaning' "$tmp/report"

# ---- every public name is used above ----

sed -n 's/^# *define \(RFI*_[A-Z0-9_]*\|rf_[a-z0-9_]*\).*/\1/p' src/api/*.h src/engine/types.h |
    grep -v '^RFI_' | sort -u >"$tmp/names"
sed -n 's/^[a-z].*[ *]\(rf_[a-z_]*\)(.*/\1/p' src/engine/iface.h src/engine/warning.h >>"$tmp/names"
sed -n 's/^typedef _Atomic.* \(rf_atomic_[a-z0-9_]*\);$/\1/p' src/api/atomic_types.h >>"$tmp/names"
[ "$(wc -l <"$tmp/names")" -gt 100 ] || echo "(names not found in src)" >>"$tmp/names"
while read -r name; do
    cat $here/*.[ch] tests/determinism/programs.h | grep -qw -e "$name" || echo "$name"
done <"$tmp/names" >"$tmp/unused"
empty every_public_name_is_compiled "$tmp/unused"

# ---- refusals ----

check reject_c_compiles_otherwise compile -std=c11 $warn -DCASE=0 -fsyntax-only $here/reject.c
while read -r case name pattern; do
    refuses "$name" "$pattern" compile -std=c11 -DCASE="$case" -fsyntax-only $here/reject.c
done <<END
1 load_of_a_bit_field_is_refused bit-field
2 store_to_a_bit_field_is_refused bit-field
3 load_of_an_atomic_is_refused racefuzz: an _Atomic object is not plain data
4 store_to_an_atomic_is_refused racefuzz: an _Atomic object is not plain data
5 load_of_a_volatile_atomic_is_refused racefuzz: an _Atomic object is not plain data
6 load_of_an_array_is_refused racefuzz: an array has no value
7 store_to_an_array_is_refused racefuzz: an array has no value
8 store_to_a_constant_is_refused read-only\|const-qualified
9 fetch_add_of_floating_point_is_refused racefuzz: fetch operations take integers
10 lock_of_an_int_is_refused racefuzz: this takes the address of an object of type rf_mutex
11 guard_by_a_rwlock_is_refused racefuzz: this takes the address of an object of type rf_mutex
12 wait_without_a_mutex_is_refused racefuzz: this takes the address of an object of type rf_mutex
13 post_of_a_struct_is_refused racefuzz: this takes the address of an object of type rf_sem
14 an_operation_with_an_address_for_a_result_is_refused racefuzz: the result of RF_OPERATION is a
15 an_operation_with_five_parameters_is_refused at_most_four_parameters
16 an_operation_with_a_struct_for_a_result_is_refused racefuzz: the result of RF_OPERATION is a
END

printf '#include <stdio.h>\n#include "racefuzz.h"\n' >"$tmp/late.c"
for switch in RF_IMPLEMENTATION RF_OFF; do
    refuses "${switch}_after_a_system_header_is_refused" "include racefuzz.h first" \
        compile -std=c11 -D$switch -fsyntax-only -Wfatal-errors "$tmp/late.c"
    check "${switch}_after_it_with_GNU_SOURCE_is_fine" \
        compile -std=c11 -D_GNU_SOURCE -D$switch -fsyntax-only "$tmp/late.c"
done
check a_unit_without_the_engine_may_include_it_late compile -std=c11 -fsyntax-only "$tmp/late.c"
printf '#include "racefuzz.h"\n#define RF_IMPLEMENTATION\n#include "racefuzz.h"\n' >"$tmp/twice.c"
refuses RF_IMPLEMENTATION_after_the_include_is_refused "before the first include" \
    compile -std=c11 -fsyntax-only -Wfatal-errors "$tmp/twice.c"

# ---- C++17 ----

if command -v "$CXX" >/dev/null 2>&1; then
    check cxx17_is_clean "$CXX" -std=c++17 -I. $warn -c $here/cxx.cc -o "$tmp/cxx.o"
    check cxx17_is_clean-DRF_OFF \
        "$CXX" -std=c++17 -I. $warn -DRF_OFF -c $here/cxx.cc -o "$tmp/cxx.off.o"
    refuses cxx_implementation_is_refused "must be compiled as C" \
        "$CXX" -std=c++17 -I. -DRF_IMPLEMENTATION -fsyntax-only $here/cxx.cc
    check cxx17_links_with_the_engine \
        "$CXX" "$tmp/cxx.o" "$tmp/main.c11.o" -pthread -o "$tmp/cxx"
    check cxx17_registers_its_test sh -c "'$tmp/cxx' --list | grep -q cxx"
    for extension in cxx-analysis cxx-checker cxx-strategy; do
        check cxx17_registers_its_$extension sh -c "'$tmp/cxx' --help | grep -q $extension"
    done
    check cxx17_links-DRF_OFF \
        "$CXX" "$tmp/cxx.off.o" "$tmp/main.c11-DRF_OFF.o" -pthread -o "$tmp/cxx.off"
else
    skipped=1
    echo "ok cxx17 # SKIP no $CXX"
fi

# ---- names: all symbols of the engine, static ones too; all macros, types and tags of src/ ----

nm "$tmp/main.c11.o" | awk '$(NF - 1) !~ /^[Uw]$/ && $NF !~ /\./ { print $NF }' |
    grep -v -e '^rfi*_' -e '^rfi$' -e '^VALGRIND_PRINTF' -e '^__wrap_' -e '^add_' \
        -e '^call_from_main' -e '^main$' -e '^limit$' >"$tmp/foreign" # one is of <valgrind.h>
empty no_symbol_without_prefix "$tmp/foreign"
check the_engine_is_emitted sh -c "nm '$tmp/main.c11.o' | grep -q ' T rf_run$'"

find src -name '*.h' ! -path 'src/hook/*' | sort | while read -r file; do
    sed -n -e "s|^# *define \([A-Za-z0-9_]*\).*|\1 $file|p" \
        -e "s|^} \([A-Za-z0-9_]*\);.*|\1 $file|p" \
        -e "s|^typedef .*[ *]\([A-Za-z0-9_]*\);.*|\1 $file|p" \
        -e "s|^\(typedef \)*\(struct\|union\|enum\) \([A-Za-z0-9_]*\) {.*|\3 $file|p" "$file"
done | grep -v -e '^RFI*_' -e '^rfi*_' -e '^_GNU_SOURCE ' -e '^u*int[0-9ptr]*_t src/base/plat' \
    >"$tmp/foreign"
empty no_macro_or_type_without_prefix "$tmp/foreign"

# ---- RF_OFF: no symbol is left, tests are gone, and the instructions are those of plain code ----

for unit in macros main foreign_main; do
    nm "$tmp/$unit.c11-DRF_OFF.o" | grep -w 'rfi*_[a-z0-9_]*' >"$tmp/left"
    empty "${unit}_has_no_racefuzz_symbol_when_off" "$tmp/left"
done
check off_links compile -DRF_OFF -std=c11 $here/main.c $here/macros.c -pthread -o "$tmp/off"
"$tmp/off"
status=$?
if [ $status -eq 77 ]; then ok RF_MAIN_exits_77_when_off
else not_ok RF_MAIN_exits_77_when_off "status $status"; fi

# instructions OBJECT: one line "function: instruction; instruction; ..." each, without addresses.
instructions() {
    objdump -dr --no-show-raw-insn "$1" | awk '
        /^[0-9a-f]+ <.*>:$/ { name = substr($2, 2, length($2) - 3); names[++n] = name; next }
        name != "" && NF { sub(/^ *[0-9a-f]+: */, ""); body[name] = body[name] "; " $0 }
        END { for (i = 1; i <= n; i++) print names[i] ":" body[names[i]] }'
}

for compiler in "$CC" gcc clang; do
    command -v "$compiler" >/dev/null 2>&1 || continue
    case " ${seen-} " in *" $compiler "*) continue ;; esac
    seen="${seen-} $compiler"
    for variant in annotated plain; do
        define=
        [ $variant = annotated ] || define=-DPLAIN
        check "twin_${variant}_compiles_with_$compiler" \
            "$compiler" -std=c11 -O2 -ffunction-sections -I. -DRF_OFF $define \
            -c $here/twin.c -o "$tmp/$variant.o"
        instructions "$tmp/$variant.o" >"$tmp/$variant.txt"
    done
    for function in sum copy spin walk transfer guarded count own; do
        grep "^$function:;" "$tmp/annotated.txt" >"$tmp/a"
        grep "^$function:;" "$tmp/plain.txt" >"$tmp/p"
        name=${function}_equals_its_twin_with_$compiler
        if [ -s "$tmp/a" ] && cmp -s "$tmp/a" "$tmp/p"; then ok "$name"
        else not_ok "$name" "$(cat "$tmp/a" "$tmp/p")"; fi
    done
done

summary

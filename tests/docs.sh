#!/bin/sh
# The documents: README.md and docs/.  Their programs compile and print what they are said to print,
# their links lead somewhere, their names exist, and no public name is missing.
#
# A block of C whose first line names a file (```c hits.c) is a whole program.  A block that is
# called `console` holds commands, after "$ ", and their output: they are run where the programs of
# all documents lie.  Times may differ, nothing else.  A token in a command stands for the first one
# that was printed for its test.  `sh tests/docs.sh update` puts the output of today into the
# documents.
name=docs
. tests/try.sh
top=$(pwd)
export RF_SECONDS=none LC_ALL=C.UTF-8 CPATH="$top" PATH="$top/src:$PATH"
engine gcc
export RACEFUZZ_CC=gcc RACEFUZZ_ENGINE="$work/gcc.o"
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
documents=$(find README.md docs -name '*.md' | sort)
examples=$(for folder in examples/*/ examples/extend/*.c; do basename "$folder" .c; done |
    grep -vx -e cxx -e extend -e frameworks -e unedited)
# Writes the programs of all documents into $work.
programs() {
    for document in $documents; do
        awk -v work="$work" -v document="$document" '
            /^```/ && file { close(file); file = ""; next }
            /^```c [^ ]+\.c$/ {
                file = work "/" $2
                if (file in seen) { print document ": " $2 " twice" >"/dev/stderr"; exit 1 }
                seen[file] = 1
                printf "" >file
                next
            }
            file { print >file }
        ' "$document" || return 1
    done
}

# Copies a document with the output that its commands have now.
rerun() {
    awk -v work="$work" -v tokens="$work/tokens" '
        # The test of the token that was matched; of tests called "program" there is one a program.
        function test_of(line, part) {
            split(substr(line, RSTART, RLENGTH), part, ".")
            if (part[2] != "program") return part[2]
            split(substr(line, RSTART + RLENGTH + 1), part, " ")
            return part[1]
        }
        # Remembers the first token of each test.
        function learn(line, test) {
            if (!match(line, /RF_SEED=1\.[a-z0-9_]+\.[a-z]+\.[^ "]*\.x[^ "]*/)) return
            test = test_of(line)
            if (test in token) return
            token[test] = substr(line, RSTART, RLENGTH)
            print test, token[test] >>tokens
        }
        function renew(command, test) {
            if (!match(command, /RF_SEED=1\.[^ "]*\.x[^ "]*/)) return command
            test = test_of(command)
            if (!(test in token)) return command
            return substr(command, 1, RSTART - 1) token[test] substr(command, RSTART + RLENGTH)
        }
        BEGIN { while ((getline line <tokens) > 0) { split(line, f, " "); token[f[1]] = f[2] } }
        /^```console$/ { console = 1; print; next }
        /^```/ { console = 0 }
        !console { print; next }
        /^\$ / {
            $0 = renew($0)
            print
            if (match($0, /^\$ (\.|build)\/[^<>;&|]* \| /)) sub(/^\$ /, "$ kept ")
            command = "cd \"" work "\" && { " substr($0, 3) "\n} 2>&1"
            while ((command | getline line) > 0) {
                learn(line)
                print line
            }
            close(command)
        }
    ' "$1"
}

# A compiler that takes the engine, made with these flags, from where all tests have it, and
# compiles the rest: `| gcc FLAGS -x c -c - -o OBJECT`, or a program and the engine at once.
commands_that_keep_what_they_make() {
    mkdir -p "$work/bin"
    cat >"$work/bin/gcc" <<END
#!/bin/sh
flags="-O0 -fexceptions" object= rest= program= implements=
for word; do
    case \$word in
    -DRF_IMPLEMENTATION) implements=1; continue ;;
    -D*) flags="\$flags \$word" ;;
    *.o) object=\$word ;;
    *.c) program=1 ;;
    esac
    rest="\$rest \$word"
done
[ "\$implements" ] || exec "$(command -v gcc)" "\$@"
engine="PATH='$PATH' BUILD=$BUILD sh tests/engine.sh"
made="$top/\$(cd "$top" && eval "\$engine gcc \$flags")"
[ -z "\$program" ] || exec "$(command -v gcc)" \$rest "\$made"
[ "\$(cat)" = '#include "racefuzz.h"' ] && cp "\$made" "\$object"
END
    # What a program prints several times, to a filter each time, it prints once.
    cat >"$work/bin/kept" <<'END'
#!/bin/sh
out=$TMPDIR/$(echo "$*" | cksum | tr ' ' -)
[ "$out" -nt "$1" ] || "$@" >"$out" 2>"$out.err"
cat "$out.err" >&2
cat "$out"
END
    chmod +x "$work"/bin/*
    PATH=$work/bin:$PATH
}

# What may differ from one run to the next; and tokens of unedited programs, from one compiler to
# the next: their places are addresses.
steady() {
    sed 's/in [0-9.]* s/in N s/; s/duration_ms: [0-9]*/duration_ms: N/
        s/RF_SEED=1\.program\.[^ ]*/RF_SEED=TOKEN/' "$1"
}

all_compiled() {
    for file in "$work"/*.c; do [ -x "${file%.c}" ] || echo "$file was not compiled"; done | nothing
}

the_programs_compile_without_a_warning() {
    programs
    make BUILD="$BUILD" "$BUILD/libracefuzz.a" >/dev/null
    cd "$work"
    ar p "$library" racefuzz.o >engine.o
    started=0
    for file in *.c; do
        $CC -std=c11 -g $warnings -DRFI_LINKED "$file" -o "${file%.c}" -pthread "$library" &
        started=$((started + 1))
        [ $((started % ${JOBS:-2})) -ne 0 ] || wait
    done
    wait
    [ "$started" -gt 9 ]
    all_compiled
}

the_programs_print_what_is_said() {
    all_compiled
    commands_that_keep_what_they_make
    ln -sfn "$(cd "$BUILD" && pwd)" "$work/build"
    ln -sfn "$top/examples" "$work/examples"
    make BUILD="$BUILD" $(printf "$BUILD/examples/%s_demo " $examples) >/dev/null
    : >"$work/tokens"
    for document in README.md docs/first-test.md $documents; do
        rerun "$document" >"$work/rerun"
        steady "$document" >"$work/said"
        steady "$work/rerun" >"$work/printed"
        cmp -s "$work/said" "$work/printed" && continue
        if [ "$update" ]; then
            cp "$work/rerun" "$document"
        else
            echo "$document is not up to date: sh tests/docs.sh update"
            diff "$work/said" "$work/printed" || differ=1
        fi
    done
    [ -z "${differ:-}" ]
}

# The headings of a document as GitHub makes anchors of them.
anchors() {
    awk '
        /^```/ { code = !code }
        !code && /^#+ / {
            sub(/^#+ /, "")
            $0 = tolower($0)
            gsub(/[^a-z0-9 _-]/, "")
            gsub(/ /, "-")
            print
        }
    ' "$1"
}

headings() {
    kept=$work/headings.$(echo "$1" | tr / .)
    [ -e "$kept" ] || anchors "$1" >"$kept"
    cat "$kept"
}

every_link_leads_somewhere() {
    for document in $documents; do
        awk '/^```/ { code = !code } !code' "$document" | grep -oE '\]\([^)]*\)' |
            sed 's/^](\(.*\))$/\1/' | grep -vE '^https?:' | while read -r link; do
            file=${link%%#*} anchor=
            case $link in *"#"*) anchor=${link#*#} ;; esac
            target=$document
            [ -z "$file" ] || target=$(dirname "$document")/$file
            if [ ! -e "$target" ]; then
                echo "$document: $link"
            elif [ -n "$anchor" ] && ! headings "$target" | grep -qx -e "$anchor"; then
                echo "$document: no heading $link"
            fi
        done
    done | nothing
}

# Somebody leads to it.
every_document_is_linked_from_another_one() {
    for document in $(echo "$documents" | grep -vx README.md); do
        cat $(echo "$documents" | grep -vxF "$document") | grep -oE '\]\([^)#]*' |
            grep -qE "[(/]$(basename "$document")\$" || echo "$document"
    done | nothing
}

# default_of FILE NAME: the last cell of the row that begins with it.
default_of() { sed -n "s/^| \`$2\` |.* | \([^|]*\) |\$/\1/p" "$1"; }

every_default_of_a_test_is_that_of_its_option() {
    for name in strategy detect; do
        default_of docs/tests.md ".$name" >"$work/said"
        [ -s "$work/said" ]
        default_of docs/options.md "RF_$(echo $name | tr a-z A-Z)" | diff "$work/said" -
    done
}

# Names of the public face, one a line.
public_names() {
    cat src/api/*.h src/engine/types.h src/engine/options.h src/engine/test.h src/engine/iface.h \
        src/engine/warning.h src/engine/event.h src/engine/operation.h >"$work/face"
    {
        sed -nE 's/^ *# *define +((RF|rf)_[A-Za-z0-9_]+).*/\1/p' "$work/face"
        sed -nE 's/^typedef .* (rf_[a-z0-9_]+);.*/\1/p; s/^\} (rf_[a-z0-9_]+);.*/\1/p' "$work/face"
        sed -nE 's/^[a-z].*[ *](rf_[a-z_]+)\(.*\);$/\1/p' "$work/face"
        sed -nE 's/^ +(RF_(REAL|HAPPENS|PROGRAM|ANY|OBSTRUCTION|LOCK|WAIT)_[A-Z]+).*/\1/p
            s/^ +(RF_QUIESCENCE).*/\1/p' src/engine/options.h
        sed -nE 's/^ +(RF_(EXPECT|GRAIN|MUTEX|VERDICT)_[A-Z]+).*/\1/p' "$work/face"
        grep -oE '\brf_memory_order_[a-z_]+ =' "$work/face" | sed 's/ =//'
        grep -oE 'RF_MUTEX_[A-Z]+ = ' "$work/face" | sed 's/ = //'
        sed -nE 's/^ +(RF_(EV|WAKE)_[A-Z]+)( = .*|,.*)/\1/p' "$work/face"
        sed -nE 's/^    X\(([A-Z_]+), "[^"]*"\).*/RF_EV_\1/p' src/engine/event.h
        sed -nE 's/^    X\(([A-Z_]+), .*/RF_FAMILY_\1/p' src/engine/warning.h
        grep -oE '\b(RF_(MEM|PICK)_[A-Z0-9_]+|rf_mem_[a-z_]+)' src/mem/face.h
        cat src/hook/*.h src/base/platform.h src/engine/context.h src/join.sh |
            grep -oE 'defined (RF_HOOK_[A-Z]+|RF_PROGRAM)\b' | sed 's/defined //'
        echo rf_heuristic
        echo rf_mem
        echo RF_IMPLEMENTATION
        echo RF_OFF
        echo RF_VOID_MAIN
        echo RF_OWN_ATOMICS
    } | sort -u
}

every_public_name_is_in_the_manual() {
    cat $(echo "$documents" | grep -v internals.md) >"$work/text"
    public_names >"$work/names"
    grep -q RF_RWUNLOCK "$work/names" # the list is no empty one
    grep -oE '[A-Za-z0-9_]+' "$work/text" | sort -u >"$work/said"
    comm -23 "$work/names" "$work/said" | grep -v '^RF_EV_[A-Z_]*$' | nothing
}

every_name_in_the_documents_exists() {
    {
        public_names
        sed -nE 's/^ *X\(([A-Z0-9_]+), "--.*/RF_\1/p' src/campaign/options.h
        grep -ohE '\b(RF|rf)_[A-Za-z0-9_]+' src/engine/event.h src/engine/iface.h src/base/prng.h \
            src/base/site.h src/engine/warning.h
    } | sort -u >"$work/names"
    awk -v names="$work/names" '
        BEGIN { while ((getline name <names) > 0) { known[name] = 1; all = all "\n" name } }
        FNR == 1 { console = 0 }
        /^```/ { console = /console/ }
        !console {
            gsub(/[^A-Za-z0-9_]+/, " ")
            for (i = 1; i <= NF; i++) {
                if ($i !~ /^(RF|rf)_/ || $i in known) continue
                if ($i ~ /_$/ && index(all, "\n" $i)) continue
                print FILENAME ":" FNR ": " $i
            }
        }
    ' $documents | nothing
}

every_diagnostic_is_in_the_manual() {
    sed -nE 's/^ *X\([A-Z_]+, "([a-z-]+)".*/\1/p' src/engine/verdict.h >"$work/ids"
    grep -q use-after-free "$work/ids"
    while read -r id; do
        [ "$id" = none ] || grep -q "| \`$id\` |" docs/diagnostics.md || echo "$id"
    done <"$work/ids" | nothing
}

# Those of the events stand in a table, without what they have in common; flags stand out.
every_event_is_in_the_manual() {
    sed -nE 's/^    X\(([A-Z_]+), "[^"]*"\).*/`\1`/p' src/engine/event.h >"$work/kinds"
    sed -nE 's/^    (RF_EV_[A-Z]+) = [0-9]+.*/`\1`/p' src/engine/event.h >"$work/flags"
    grep -q SEM_WAIT "$work/kinds"
    grep -q RF_EV_TORN "$work/flags"
    sed -n '/^## Events/,/^## What/p' docs/inside/extending.md >"$work/text"
    cat "$work/kinds" "$work/flags" | while read -r name; do
        grep -qF -e "$name" "$work/text" || echo "$name"
    done | nothing
}

# What is shown of the examples of extensions are lines of theirs.
every_excerpt_of_an_extension_is_from_its_file() {
    awk '/^```/ { code = $0 == "```c"; next } code && NF' docs/inside/extending.md >"$work/excerpts"
    [ "$(wc -l <"$work/excerpts")" -gt 9 ]
    while IFS= read -r line; do
        cat examples/extend/*.c | grep -qxF -e "$line" || echo "$line"
    done <"$work/excerpts" | nothing
}

update=
[ "${1:-}" != update ] || update=1
for test in $(sed -n 's/^\(\(the\|every\)_[a-z0-9_]*\)() {$/\1/p' "$0"); do try "$test"; done
summary

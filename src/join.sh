#!/bin/sh
# Joins src/*/*.h into the two shipped headers:
#
#     sh src/join.sh DIR          writes DIR/racefuzz.h and DIR/racefuzz_mem.h
#     sh src/join.sh DIR lines    the same with #line directives, so that a debugger shows src/
#
# Files come lower layers first; within a layer, what a file includes comes before the file, and
# otherwise the alphabet decides.  Local #include lines go away, each file appears once.  An include
# of something that stands above, a circle, a missing file, and a file that does not open with
# "/* dir/file.h: what it is for" are errors.  Under RF_OFF a header is no more than api/switches.h,
# api/off.h and what they include.
#
# How much the implementation is optimised (base/platform.h) follows from the layer: fully up to
# engine/, less in detect/ and explore/, not at all above; a file's opening comment may say
# otherwise: " * Optimised: fully", "less" or "not", and why.
#
# The result depends on nothing but the sources: no date, no path, the same bytes from every awk.
# A line RFI_LINES_OF(dir/file) becomes the lines of that file, as strings of a list, without
# indentation, empty lines and lines of comment ("// ...", "/* ... */").
#
# An output is replaced in one step, and only when its contents change.
set -eu
LC_ALL=C
export LC_ALL

[ $# -ge 1 ] || { echo "usage: sh src/join.sh DIR [lines]" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")"

layers="base mem engine detect explore campaign spec report api hook"
set -- "${2-}"
for layer in $layers; do
    for file in "$layer"/*.h "$layer"/*.html; do
        [ ! -f "$file" ] || set -- "$@" "$file"
    done
done
lines=$1
shift

new=$out/.join.$$
trap 'rm -f "$new.racefuzz" "$new.racefuzz_mem"' EXIT
trap 'exit 1' HUP INT TERM

${AWK:-awk} -v layers="$layers" -v lines="$lines" -v out="$new." '
function die(message) {
    print "src/join.sh: " message | "cat 1>&2"
    exit 1
}

function layer_of(file) {
    return rank[substr(file, 1, index(file, "/") - 1)]
}

# The sentence that a file opens with, for the table of contents.
function purpose(file,    i, s) {
    s = text[file, 1]
    if (index(s, "/* " file ": ") != 1)
        die("src/" file " does not open with \"/* " file ": what it is for\"")
    s = substr(s, length(file) + 6)
    for (i = 2; s !~ /\.( |$)/ && i < 6 && text[file, i] ~ /^ \* ./; i++)
        s = s substr(text[file, i], 3)
    gsub(/ *\([^)]*\)/, "", s)
    sub(/\.( .*)?$/, "", s)
    sub(/ *\*\/.*/, "", s)
    return s
}

# Puts a file behind everything that it includes.
function visit(file,    i, other) {
    if (state[file] == "done") return
    if (state[file] == "open") die("src/" file " includes itself by way of others")
    state[file] = "open"
    for (i = 1; i <= needs[file]; i++) {
        other = need[file, i]
        if (!(other in size)) die("src/" file " includes \"" other "\", which does not exist")
        if (layer_of(other) > layer_of(file))
            die("src/" file " includes \"" other "\" from a layer above it")
        visit(other)
    }
    state[file] = "done"
    order[++ordered] = file
}

function tag(file) {
    return ">>" substr(file, 1, length(file) - 2)
}

# How much what a file compiles to is optimised; "": as the unit is.
function care_of(file) {
    if (file in care) return care[file]
    if (layer_of(file) <= rank["engine"] || layer_of(file) == rank["api"]) return ""
    return layer_of(file) <= rank["explore"] ? "LESS" : "NOT"
}

function put_care(next_care) {
    if (care_now == next_care) return
    if (care_now != "") print "\nRFI_OPTIMISED_" care_now "_END" > target
    if (next_care != "") print "\nRFI_OPTIMISED_" next_care > target
    care_now = next_care
}

# A line as a string of C; ?? could begin a trigraph.
function string_of(s,    i, c, out) {
    for (i = 1; i <= length(s); i++) {
        c = substr(s, i, 1)
        out = out (c == "\\" || c == "\"" || c == "?" ? "\\" : "") c
    }
    return "\"" out "\\n\""
}

function put_lines_of(file,    i, s) {
    if (!(file in size)) die("src/" file " does not exist")
    for (i = 1; i <= size[file]; i++) {
        s = text[file, i]
        sub(/^ +/, "", s)
        if (s == "" || s ~ /^\/\/ / || s ~ /^\/\* .*\*\/$/) continue
        print "    " string_of(s) "," > target
    }
}

function put(file,    i, bar) {
    if (!(file in size)) die("src/" file " does not exist")
    put_care(care_of(file))
    bar = "/* ==== edit src/" file " "
    while (length(bar) < 60) bar = bar "="
    print "\n" bar " " tag(file) " */" > target
    if (lines != "") print "#line 1 \"src/" file "\"" > target
    for (i = 1; i <= size[file]; i++)
        if (text[file, i] ~ /^RFI_LINES_OF\(/) {
            put_lines_of(substr(text[file, i], 14, length(text[file, i]) - 14))
            if (lines != "") print "#line " i + 1 " \"src/" file "\"" > target
        } else if (lines != "" || !((file, i) in dropped)) print text[file, i] > target
}

# A line of a list in the manual, or several.
function put_item(label, words,    i, n, word, line) {
    line = " *    " label
    while (length(line) < 32) line = line " "
    n = split(words, word, " ")
    for (i = 1; i <= n; i++) {
        if (length(line) + length(word[i]) >= 100) {
            print line > target
            line = " *                              "
        }
        line = line " " word[i]
    }
    print line > target
}

# The list of options, from the one in the source: X(ID, "--id", "VALUE", ..., "help") with NULL
# for no value or no help.
function put_options(    i, n, item, label, list, help) {
    list = options
    gsub(/"[ ]*\\?[ ]*"/, "", list) # adjacent literals are one
    n = split(list, item, /X\(/)
    for (i = 2; i <= n; i++) {
        label = "RF_" substr(item[i], 1, index(item[i], ",") - 1)
        if (match(item[i], /^[A-Z_]*, "[^"]*", "[^"]*"/))
            label = label "=" substr(item[i], RSTART, RLENGTH)
        sub(/=.*, "/, "=", label)
        sub(/"$/, "", label)
        if (!match(item[i], /"[^"]*"\)[ \\]*$/)) continue
        help = substr(item[i], RSTART + 1, RLENGTH)
        sub(/".*/, "", help)
        put_item(label, help)
    }
}

function header_of(file) {
    return layer_of(file) <= rank["mem"] ? "racefuzz_mem" : "racefuzz"
}

# The manual, with the version, the options and the table of contents filled in.
function put_head(name,    i, j, head, line) {
    head = name ".head"
    for (i = 1; i <= size[head]; i++) {
        line = text[head, i]
        if (line ~ /@CONTENTS@/) {
            for (j = 1; j <= ordered; j++)
                if (header_of(order[j]) == name) put_item(tag(order[j]), purpose(order[j]))
        } else if (line ~ /@OPTIONS@/) put_options()
        else if (line ~ /@LICENCE@/)
            for (j = 1; j <= size[licence]; j++)
                print text[licence, j] == "" ? " *" : " *    " text[licence, j] > target
        else {
            sub(/@VERSION@/, version["MAJOR"] "." version["MINOR"] "." version["PATCH"], line)
            print line > target
        }
    }
}

# Marks what is there with and without RF_OFF: the file and all that it includes.
function mark(file,    i) {
    if (file in always) return
    always[file] = 1
    for (i = 1; i <= needs[file]; i++) mark(need[file, i])
}

# The parts of a header in their order; these two have a place of their own.
function put_parts(name, marked,    i) {
    for (i = 1; i <= ordered; i++)
        if (header_of(order[i]) == name && (order[i] in always) == marked &&
            order[i] != switches && order[i] != off) put(order[i])
    put_care("")
}

# What comes before all else, and alone, for units that are not to know the header.
function put_calls(    n, i, part) {
    print "/* RF_HOOK_CALLS: C++ whose accesses the compiler announces, but not what these calls" \
        "\n * read and write.  Nothing else is read but by a second include. */" > target
    print "#if defined RF_HOOK_CALLS && !defined RFI_CALLS\n# define RFI_CALLS" > target
    print "# ifdef __ELF__" > target
    n = split("memcpy memmove memset", part, " ")
    for (i = 1; i <= n; i++)
        print "__asm__(\".set " part[i] ", __tsan_" part[i] "\");" > target
    print "/* The compiler removes accesses before it announces them (engine/untold.h). */" > target
    print "#  ifdef __OPTIMIZE__" > target
    print "extern char rfi_optimised;" > target
    print "__attribute__((weak)) char rfi_optimised = 1;" > target
    print "static const char rfi_optimised_here __attribute__((used)) = 1;" > target
    print "#  endif\n# endif\n#else" > target
}

function put_header(name, guard) {
    target = out name
    put_head(name)
    if (name == "racefuzz") put_calls()
    print "#ifndef " guard "\n#define " guard > target
    if (name == "racefuzz") {
        print "\n#include \"racefuzz_mem.h\"" > target
        put(switches)
    }
    put_parts(name, 1)
    if (name == "racefuzz") {
        print "\n#ifdef RF_OFF" > target
        put(off)
        print "\n#else /* !RF_OFF */" > target
    } else print "\n#ifndef RF_OFF" > target
    put_parts(name, 0)
    print "\n#endif /* !RF_OFF */\n#endif /* " guard " */\n" > target
    if (name == "racefuzz") print "#endif /* !RF_HOOK_CALLS */\n" > target
    print "#if defined RF_IMPLEMENTATION && \\\n" \
        "    !defined RF_OFF && !defined RFI_IMPL && !defined RFI_LINKED" > target
    print "# error \"define RF_IMPLEMENTATION before the first include of " name ".h\"" > target
    print "#endif" > target
    close(target)
}

BEGIN {
    n = split(layers, part, " ")
    for (i = 1; i <= n; i++) rank[part[i]] = i
    licence = "../LICENSE"
    switches = "api/switches.h"
    off = "api/off.h"
}

FNR == 1 { file_at[++files] = FILENAME }
{
    text[FILENAME, FNR] = $0
    size[FILENAME] = FNR
}
FILENAME ~ /\.h$/ && /^[ ]*#[ ]*include[ ]*"/ {
    split($0, quoted, "\"")
    need[FILENAME, ++needs[FILENAME]] = quoted[2]
    dropped[FILENAME, FNR] = 1
    text[FILENAME, FNR] = ""
}
/^ \* Optimised: / {
    if ($3 !~ /^(fully|less|not)[.,:]?$/) die("src/" FILENAME ": optimised " $3 "?")
    care[FILENAME] = $3 ~ /^fully/ ? "" : $3 ~ /^less/ ? "LESS" : "NOT"
}
/^# *define RFI_OPTIONS\(X\)/ { in_options = 1 }
in_options {
    options = options $0
    in_options = /\\$/
}
/^#define RF_VERSION_(MAJOR|MINOR|PATCH) / { version[substr($2, 12)] = $3 }

END {
    for (i = 1; i <= files; i++)
        if (file_at[i] ~ /\.h$/) visit(file_at[i])
    mark(switches)
    mark(off)
    for (i = 1; i <= needs[switches]; i++)
        if (header_of(need[switches, i]) == "racefuzz")
            die("src/" switches " comes first in racefuzz.h, and can include only base/ and mem/")
    put_header("racefuzz_mem", "RACEFUZZ_MEM_H")
    put_header("racefuzz", "RACEFUZZ_H")
}
' "$@" racefuzz.head racefuzz_mem.head ../LICENSE

for header in racefuzz racefuzz_mem; do
    cmp -s "$new.$header" "$out/$header.h" || mv -f "$new.$header" "$out/$header.h"
done

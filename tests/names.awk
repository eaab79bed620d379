# Prints every name that racefuzz.h and racefuzz_mem.h declare at file scope, one a line: macros,
# types, tags, enumeration constants, functions, objects.  Reads what `cc -E -dD` writes.
#
# A declaration is a series of tokens that ends with ";" or with a function's body.  Fields,
# parameters and what stands in a body belong to somebody, and are left out.

# The next token of `rest`, or "": an identifier, or one other character.  Literals are skipped.
function next_token(    token) {
    while (rest != "") {
        if (match(rest, /^[ \t]+/) || match(rest, /^"([^"\\]|\\.)*"/) ||
            match(rest, /^'([^'\\]|\\.)*'/) || match(rest, /^[0-9][0-9a-zA-Z_.]*/)) {
            rest = substr(rest, RLENGTH + 1)
            continue
        }
        if (!match(rest, /^[A-Za-z_][A-Za-z_0-9]*/)) RLENGTH = 1
        token = substr(rest, 1, RLENGTH)
        rest = substr(rest, RLENGTH + 1)
        return token
    }
    return ""
}

function is_name(token) {
    return token ~ /^[A-Za-z_]/ && token !~ /^(_Static_assert|const|volatile)$/
}

function ends_declaration() {
    parens = braces = body = attribute = enum_at = initialiser = pointer = 0
    before = last = called = ""
}

# `last` is the token before this one, `before` the one before that.
function take(token) {
    if (attribute) { # what it has in parentheses
        if (token == "(") parens++
        if (token == ")" && --parens == attribute - 1) attribute = 0
        return
    }
    if (token ~ /^(__attribute__|__attribute|__asm__|__typeof__|_Alignas|_Atomic)$/) {
        attribute = parens + 1
        return
    }
    if (body || initialiser) {
        if (token == "{") braces++
        if (token == "}") braces--
        if (braces) return
        if (body) ends_declaration()
        else if (token == ";") ends_declaration()
        else if (token == "," && !parens) initialiser = 0
        return
    }
    if (called != "" && token != "*") print called # NAME( begins a function, TYPE (* does not
    if (called != "" && token == "*") pointer = 1
    called = ""
    if (is_name(token) && pointer && parens == 1) {
        print token
        pointer = 0
    } else if (is_name(token) && braces && braces == enum_at && last ~ /^[{,]$/) print token
    else if (is_name(last) && token == "{" && before ~ /^(struct|union|enum)$/) print last
    else if (is_name(last) && !parens && !braces && before !~ /^(struct|union|enum)$/) {
        if (token ~ /^([=,;]|\[)$/) print last
        if (token == "(") called = last
    }
    if (token == "(") parens++
    else if (token == ")") parens--
    else if (token == "{") {
        if (last == ")" && !braces && !parens) body = 1
        braces++
        if (last == "enum" || before == "enum") enum_at = braces
    } else if (token == "}") {
        if (braces == enum_at) enum_at = 0
        braces--
    } else if (token == "=" && !braces && !parens) initialiser = 1
    else if (token == ";" && !braces) {
        ends_declaration()
        return
    }
    before = last
    last = token
}

/^# [0-9]+ "/ {
    ours = $3 ~ /racefuzz(_mem)?\.h"$/
    next
}
!ours { next }
/^#undef/ { next }
/^#define/ {
    name = $2
    sub(/\(.*/, "", name)
    print name
    next
}
/^#/ { next }
{
    rest = $0
    while ((token = next_token()) != "") take(token)
}

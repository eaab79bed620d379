# Names of racefuzz that a header of src/ uses, and that only headers have which it does not
# include, nor they it: one a line, with its place.  Reads the headers, from the top of the tree.

function reach(top, f,   i, n, part) {
    if ((top, f) in reached) return
    reached[top, f] = 1
    n = split(includes[f], part, " ")
    for (i = 1; i <= n; i++) reach(top, part[i])
}

FNR == 1 { file = FILENAME; sub(/^src\//, "", file); order[++files] = file; comment = 0 }
/^#[ ]*include "/ { split($0, q, "\""); includes[file] = includes[file] " " q[2]; next }
{
    line = $0
    gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
    if (comment) { if (!sub(/^.*\*\//, "", line)) next; comment = 0 }
    if (sub(/\/\*.*/, "", line)) comment = 1
    gsub(/"([^"\\]|\\.)*"/, "", line)
    own = line ~ /^[^ ]/
    while (match(line, /[A-Za-z_][A-Za-z0-9_]*/)) {
        id = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        if (id !~ /^(rfi_|RFI_).*[^_]$/ || (file, id) in said) continue
        said[file, id] = own ? "own" : "used"
        at[file, id] = FNR
        users[id] = users[id] " " file
    }
}

END {
    for (f = 1; f <= files; f++) reach(order[f], order[f])
    for (id in users) {
        n = split(users[id], user, " ")
        for (i = 1; i <= n; i++) {
            if (said[user[i], id] == "own" || user[i] ~ /^api/) continue
            given = 0
            stranger = ""
            for (j = 1; j <= n; j++) {
                if (j == i) continue
                if ((user[i], user[j]) in reached) given = 1
                else if (!((user[j], user[i]) in reached)) stranger = user[j]
            }
            if (!given && stranger != "")
                print "src/" user[i] ":" at[user[i], id] ": " id " is of " stranger
        }
    }
}

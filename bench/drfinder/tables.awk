# bench/drfinder/tables.awk: prints DrFinder's Tables 3 and 4 and what its figures 6 to 8 show, from
# what bench/7_drfinder.sh has measured; the published figures in brackets.
#
# Input: PROGRAM WHO race RUN VARIABLE, PROGRAM WHO time MICROSECONDS, ...

function published(p, races, new, total, missed, slow, thrash, depth) {
    program[++programs] = p
    paper[p, "races"] = races
    paper[p, "new"] = new
    paper[p, "total"] = total
    paper[p, "missed"] = missed
    paper[p, "slow"] = slow
    paper[p, "thrash"] = thrash
    paper[p, "depth"] = depth
}

BEGIN {
    published("xalan06", "16 16 18 26", 13, 31, "15 15 13 5", "5.5 10.7 11.3 9.3 2.1", 45.1,
        "28/16 31/15 30/15 27/15 27/15 26/13 31/15 26/15 27/15 27/15")
    published("eclipse06", "313 308 318 351", 54, 372, "59 64 54 21", "2.6 22.1 3.9 3.7 1.2", 79.2,
        "306/13 337/43 336/42 343/46 336/41 351/54 316/21 301/18 284/15 312/15")
    published("xalan09", "12 12 12 20", 8, 20, "8 8 8 0", "4.5 6.5 11.4 7.6 1.7", 10.9,
        "18/7 18/7 18/7 18/6 18/7 20/8 17/6 12/6 11/5 13/1")
    published("pmd09", "18 17 18 20", 2, 20, "2 3 2 0", "1.9 2.0 4.4 3.5 1.1", 35.1,
        "20/2 18/1 19/2 20/2 20/2 20/2 20/2 20/2 20/2 20/2")
    published("sunflow09", "5 5 5 17", 12, 17, "12 12 12 0", "6.1 8.1 13.2 9.6 1.2", 68.7,
        "5/0 5/0 6/0 5/0 14/9 17/12 6/1 6/0 5/0 5/0")
    published("luindex09", "1 1 1 1", 0, 1, "0 0 0 0", "3.5 4.1 9.0 4.9 1.3", 33.3,
        "1/0 1/0 1/0 1/0 1/0 1/0 1/0 1/0 1/0 1/0")
    published("lusearch09", "13 13 13 13", 0, 13, "0 0 0 0", "2.8 3.4 7.9 6.8 1.1", 12.8,
        "13/0 13/0 13/0 13/0 12/0 13/0 13/0 13/0 13/0 13/0")
    who[1] = "FT"; who[2] = "CT"; who[3] = "PCT"; who[4] = "DR"
}

$3 == "race" {
    here = $1 SUBSEP $2 SUBSEP $5
    if (!(here in first)) first[here] = $4
    if (!(($1, $5) in listed)) {
        listed[$1, $5] = 1
        variable[$1, ++variables[$1]] = $5
    }
}
$3 == "time" { ran[$2] = 1; time[$1, $2] = $4 }
$3 == "used" { used[$1, $2] = $4 }
$3 == "phase1" && $2 == "DR" { time[$1, "DR-I"] = $4 }
$3 == "thrash" { thrash[$1, $2] = $4 ? sprintf("%.1f", 100 * $5 / $4) : "0.0" }

# Has w found the variable within that many runs?
function found(p, w, v, runs) { return ((p, w, v) in first) && first[p, w, v] <= runs }

function races(p, w, runs,    i, n) {
    for (i = 1; i <= variables[p]; i++) n += found(p, w, variable[p, i], runs)
    return n + 0
}

function by_others(p, v, runs,    k) {
    for (k = 1; k <= 3; k++) if (found(p, who[k], v, runs)) return 1
    return 0
}

# Those that w finds within `runs`, and FT, CT and PCT do not within `theirs`.
function new(p, w, runs, theirs,    i, v, n) {
    for (i = 1; i <= variables[p]; i++) {
        v = variable[p, i]
        n += found(p, w, v, runs) && !by_others(p, v, theirs)
    }
    return n + 0
}

function total(p, runs,    i, v, n) {
    for (i = 1; i <= variables[p]; i++) {
        v = variable[p, i]
        n += found(p, "DR", v, runs) || by_others(p, v, runs)
    }
    return n + 0
}

function beside(value, of) { return value " (" of ")" }
function part(text, i,    list) { split(text, list, " "); return list[i] }
function cell(text) { printf " %13s", text }
function row(text) { printf "%-30s", text }

# A line with one cell for each of the four, and its sums.
function line_of(p, what,    k, w) {
    for (k = 1; k <= 4; k++) {
        w = who[k]
        if (!(w in ran)) {
            cell("-")
            continue
        }
        value = what == "missed" ? total(p, 10) - races(p, w, 10) : races(p, w, 10)
        sum[what, k] += value
        sum_paper[what, k] += part(paper[p, what], k)
        cell(beside(value, part(paper[p, what], k)))
    }
}

function sums(what,    k) {
    row("sum")
    for (k = 1; k <= 4; k++)
        cell(who[k] in ran ? beside(sum[what, k] + 0, sum_paper[what, k]) : "-")
}

function table_3(    i, p, k, s) {
    row("races in 10 runs (Table 3)")
    for (k = 1; k <= 4; k++) cell(who[k])
    cell("new by DR"); cell("total"); print ""
    for (i = 1; i <= programs; i++) {
        p = program[i]
        row(p); line_of(p, "races")
        cell(beside(new(p, "DR", 10, 10), paper[p, "new"]))
        cell(beside(total(p, 10), paper[p, "total"])); print ""
        s["new"] += new(p, "DR", 10, 10); s["all"] += total(p, 10)
    }
    sums("races"); cell(beside(s["new"], 89)); cell(beside(s["all"], 474)); print "\n"

    row("missed in 10 runs")
    for (k = 1; k <= 4; k++) cell(who[k])
    cell("thrash %"); cell("bytes in token"); print ""
    for (i = 1; i <= programs; i++) {
        p = program[i]
        row(p); line_of(p, "missed"); cell(beside(thrash[p, "DR"], paper[p, "thrash"]))
        cell(used[p, "DR"]); print ""
    }
    sums("missed"); print "\n"
}

function slow_downs(    i, p, k, w) {
    row("times as slow as native")
    for (k = 1; k <= 4; k++) cell(who[k])
    cell("DR phase I"); print ""
    for (i = 1; i <= programs; i++) {
        p = program[i]
        row(p)
        for (k = 1; k <= 5; k++) {
            w = k == 5 ? "DR-I" : who[k]
            if (!((p, w) in time)) cell("-")
            else cell(beside(sprintf("%.1f", time[p, w] / time[p, "native"]),
                part(paper[p, "slow"], k)))
        }
        print ""
    }
    print ""
}

function by_run(    i, p, k, w, r) {
    row("races after so many runs")
    for (r = 1; r <= 10; r++) printf " %5d", r
    printf " %5d %5d %5d\n", 25, 50, 100
    for (i = 1; i <= programs; i++)
        for (k = 1; k <= 4; k++) {
            p = program[i]; w = who[k]
            if (!(w in ran)) continue
            row(p " " w)
            for (r = 1; r <= 10; r++) printf " %5d", races(p, w, r)
            printf " %5d %5d %5d\n", races(p, w, 25), races(p, w, 50), races(p, w, 100)
        }
    print ""
}

# Figure 8, for all programs: of what DR alone finds in 10 runs, what do the others find in 100?
function later(    i, j, p, v, k, all, n) {
    for (i = 1; i <= programs; i++) {
        p = program[i]
        for (j = 1; j <= variables[p]; j++) {
            v = variable[p, j]
            if (!found(p, "DR", v, 10) || by_others(p, v, 10)) continue
            all++
            for (k = 1; k <= 3; k++) n[k] += found(p, who[k], v, 100)
        }
    }
    printf "of the %d races that only DR finds in 10 runs, the others find in 100:", all
    for (k = 1; k <= 3; k++) if (who[k] in ran) printf " %s %d", who[k], n[k]
    printf " (of 56 in eclipse06: FT 35, CT 13, PCT 19)\n\n"
}

function table_4(    i, p, d, n, x, sum_r, sum_n, all_r, all_n, list) {
    print "races of DR in 10 runs, new ones behind the stroke, by depth (Table 4)"
    row("")
    for (d = 2; d <= 20; d += 2) printf " %9d", d
    print ""
    for (i = 1; i <= programs; i++) {
        p = program[i]
        row(p)
        for (d = 2; d <= 20; d += 2) {
            x = races(p, "DR" d, 10); n = new(p, "DR" d, 10, 10)
            sum_r[d] += x; sum_n[d] += n
            printf " %9s", x "/" n
        }
        print ""; row("")
        for (d = 2; d <= 20; d += 2) {
            split(part(paper[p, "depth"], d / 2), list, "/")
            all_r[d] += list[1]; all_n[d] += list[2]
            printf " %9s", "(" list[1] "/" list[2] ")"
        }
        print ""
    }
    row("sum")
    for (d = 2; d <= 20; d += 2) printf " %9s", sum_r[d] "/" sum_n[d]
    print ""; row("")
    for (d = 2; d <= 20; d += 2) printf " %9s", "(" all_r[d] "/" all_n[d] ")"
    print ""
}

END {
    table_3()
    slow_downs()
    by_run()
    later()
    table_4()
}

#!/bin/sh
# Reports when things go wrong: any bytes in names, logs, values and messages; disks that are full,
# devices that take nothing, readers that have gone, a run that is killed.
name=any
. tests/try.sh
compile "-O1" any any || exit 1
cd "$work" || exit 1
whole='junit json sarif codequality html trace' # those that are there when they are complete
all="$whole tap github"

# to NAME FORMAT...: RF_REPORT for files NAME.FORMAT.
to() {
    file=$1
    shift
    for format in "$@"; do printf '%s:%s.%s ' "$format" "$file" "$format"; done
}

# Half of them mean something to some format.
bytes() {
    awk -v seed="$1" 'BEGIN {
        srand(seed)
        n = split("\" < > & ] \\ % : , { } [ - # ` ~ | = \t \r \033 \177 \302 \355\240 \377 ]]> " \
                  "</script> <!-- &#0; \\u0000 %0A \047", special, " ")
        for (i = 0; i < 6; i++) special[++n] = "\n"
        special[++n] = "\n...\n"
        special[++n] = "\n---\nok 7\nnot ok 8\n1..9\n"
        special[++n] = "\n::error file=x::\n"
        for (i = 0; i < 200; i++)
            if (rand() < 0.5) printf "%s", special[int(rand() * n) + 1]
            else printf "%c", 1 + int(rand() * 255)
    }' >any.bytes
}

every_format_is_valid() {
    needs jq xmllint
    ANY=$PWD/any.bytes
    export ANY
    for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
        bytes $seed
        gives 1 text env RF_REPORT="$(to o $all)" ./any any_bytes --seconds=none --executions=10
        xmllint --noout --huge o.junit o.html
        for lines in json sarif codequality trace; do jq . o.$lines >/dev/null; done
        cp text o.text
        for format in text $all; do iconv -f UTF-8 -t UTF-8 o.$format >/dev/null; done
        for format in text $all; do
            fails grep -ahn "$(printf '[\001-\010\013-\037\177]')" o.$format
        done
        grep -v '^::error file=[^ ]*any.c,line=[0-9]*,title=' o.github | nothing
        grep '^[^ #]' o.tap | sed 's/^not ok 1 .*/not ok/' | tr '\n' ';' >tap
        [ "$(cat tap)" = "TAP version 13;1..1;not ok;" ] || { cat tap; return 1; }
    done
}

lists_of_reports_may_have_more_spaces() {
    gives 0 text env RF_REPORT='  json:a b.json   tap:b.tap ' ./any right --executions=20
    says 'a b.json' '"event":"end"'
    says b.tap '1..1'
}

# The old report stays until the new one is whole.
a_report_is_whole_or_not_there() {
    for format in $whole; do echo old >kept.$format; done
    (RF_REPORT="$(to kept $whole)" timeout -s KILL 1 \
        ./any --executions=100000000 --seconds=none || :) >killed 2>&1
    for format in $whole; do
        (ulimit -f 0 && ./any --executions=20 --report=$format:kept.$format 2>&1) | cat >full
        says full "could not be written to \"kept.$format\""
    done
    for format in $whole; do [ "$(cat kept.$format)" = old ]; done
}

nobody_reads_it() {
    [ -c /dev/full ] || skip "no /dev/full"
    for format in text $all; do
        gives 1 full ./any any_bytes --executions=20 --report=$format:/dev/full
        says full.err 'could not be written to "/dev/full": No space left on device'
        one_line full.err
        echo 0 >gone
        (./any --format=$format --executions=20 2>gone.err || echo $? >gone) | sleep 0
        fails grep -x 0 gone
    done
}

try_all
summary

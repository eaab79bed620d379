#!/bin/sh
# The page in a browser: stepped through by buttons, keys and pointer, at three widths, light and
# dark.  SHOTS=FOLDER keeps pictures to be looked at.
name=long_page
. tests/try.sh
install="apt-get install chromium chromium-driver python3-selenium"
compile "-O1" page page || exit 1
compile "-O1" formats formats || exit 1
(cd "$work" && ln -s "$OLDPWD/tests" tests) # where the sources are found
python=$(for p in /usr/bin/python3 python3; do
    "$p" -c 'import selenium' 2>/dev/null && echo "$p" && break
done)

a_browser_steps_through_it() {
    [ -n "$python" ] || skip "no python3-selenium: $install"
    command -v chromedriver >/dev/null || skip "no chromedriver: $install"
    (cd "$work" && gives 1 told ./page --report=page.html)
    (cd "$work" && gives 1 odd ./formats odd --report=odd.html --seconds=none --executions=20)
    mkdir -p "${SHOTS:-$work/shots}"
    timeout 600 "$python" tests/long/page.py "$work/page.html" "$work/odd.html" \
        "${SHOTS:-$work/shots}"
}

try a_browser_steps_through_it
summary

"""Drives the page of tests/campaign/page.c in headless Chromium: page.py FILE ODD FOLDER, where
ODD is a page of texts that could break it, and screenshots go into FOLDER.  Ends with 77 if there is
no Selenium."""

import base64
import os
import sys
import time
import traceback

try:
    from selenium import webdriver
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    print("no python3-selenium: apt-get install chromium chromium-driver python3-selenium")
    sys.exit(77)

WIDTHS = (360, 800, 1440)
PAGE = "file://" + os.path.abspath(sys.argv[1])
ODD = "file://" + os.path.abspath(sys.argv[2])
SHOTS = sys.argv[3]

options = webdriver.ChromeOptions()
for argument in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage"):
    options.add_argument("--" + argument)
options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
browser = webdriver.Chrome(options=options)
run = browser.execute_script


def be(width, scheme="light", height=900):
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "features": [{"name": "prefers-color-scheme", "value": scheme}]})


def shot(name):
    size = browser.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
    data = browser.execute_cdp_cmd("Page.captureScreenshot", {
        "captureBeyondViewport": True,
        "clip": dict(size, height=min(size["height"], 6000), scale=1)})["data"]
    with open(os.path.join(SHOTS, name + ".png"), "wb") as file:
        file.write(base64.b64decode(data))


def section(name):
    """The finding of a test."""
    for s in browser.find_elements(By.TAG_NAME, "section"):
        if s.find_element(By.TAG_NAME, "h2").text.endswith(name):
            return s
    raise AssertionError("no finding of " + name)


def current(s):
    return s.find_element(By.CSS_SELECTOR, "tr[aria-current=step]")


def number(s):
    return int(current(s).find_element(By.CLASS_NAME, "n").text)


def press(s, label):
    for button in s.find_elements(By.TAG_NAME, "button"):
        if button.text.startswith(label):
            run("arguments[0].scrollIntoView({block: 'center'})", button)
            button.click()
            return
    raise AssertionError("no button " + label)


def keys(*what):
    for key in what:
        webdriver.ActionChains(browser).send_keys(key).perform()


def state(s):
    """What the panel says of variables and locks."""
    return {row.find_element(By.TAG_NAME, "th").text:
            row.find_element(By.TAG_NAME, "td").text
            for row in s.find_elements(By.CSS_SELECTOR, ".panel tr")}


def text(s):
    return current(s).find_element(By.CLASS_NAME, "step").text


def heading(s):
    """Of the panel: which step of which thread."""
    return s.find_element(By.CSS_SELECTOR, ".panel h3").text


ENDS = """
const lanes = arguments[0].querySelector('.lanes'), svg = lanes.querySelector('svg');
const box = lanes.getBoundingClientRect(), bad = [];
const dots = [...svg.querySelectorAll('path')].find(p => /h0/.test(p.getAttribute('d')));
const at = dots.getAttribute('d').match(/M[^h]*/g).map(p => p.slice(1).split(' ').map(Number));
const steps = [...lanes.querySelectorAll('td.step')].map(td => td.getBoundingClientRect());
steps.forEach((r, i) => {
  const [x, y] = at[i], left = r.left - box.left, top = r.top - box.top;
  if (x < left || x > left + 32 || y < top || y > top + r.height) bad.push([i, x, y, left, top]);
});
return [at.length, steps.length, bad];
"""


def arrows_are_where_steps_are(s):
    time.sleep(0.2)  # what watches sizes has its turn
    dots, steps, bad = run(ENDS, s)
    assert dots == steps and dots > 5 and not bad, (dots, steps, bad)


def shows_at_all_widths():
    for scheme in ("light", "dark"):
        for width in WIDTHS:
            be(width, scheme)
            browser.get(PAGE)
            wide = run("return document.documentElement.scrollWidth")
            assert wide <= width, (width, wide)
            for s in browser.find_elements(By.TAG_NAME, "section"):
                arrows_are_where_steps_are(s)
            shot("%s-%d" % (scheme, width))
    assert not browser.get_log("browser")
    assert run("return performance.getEntriesByType('resource').length") == 0


def resizes():
    be(1440)
    browser.get(PAGE)
    s = section("no_addition_is_lost")
    for width in (700, 400, 1200):
        be(width)
        arrows_are_where_steps_are(s)


def is_legible():
    """Contrast of texts as WCAG has it, at least 4.5."""
    for scheme in ("light", "dark"):
        be(1440, scheme)
        browser.get(PAGE)
        least = run("""
            const parts = c => c.match(/[\\d.]+/g).map(Number);
            const light = c => parts(c).slice(0, 3).map(v => v / 255).map(v =>
              v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
              .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
            const under = e => { for (; e; e = e.parentElement) {
              const c = getComputedStyle(e).backgroundColor;
              if (parts(c)[3] !== 0) return c; } return 'rgb(255, 255, 255)'; };
            return Math.min(...[...document.querySelectorAll('main *')]
              .filter(e => e.children.length === 0 && e.textContent.trim() && !e.closest('svg'))
              .filter(e => e.offsetWidth > 1 && !e.disabled)
              .map(e => [light(getComputedStyle(e).color), light(under(e))].sort((a, b) => b - a))
              .map(([a, b]) => (a + .05) / (b + .05)));""")
        assert least >= 4.5, (scheme, least)


def steps_by_buttons():
    be(1440)
    browser.get(PAGE)
    s = section("nobody_has_to_wait")
    press(s, "First")
    assert text(s) == "init lock" and number(s) == 0
    seen, held = [], []
    while True:
        seen.append(text(s))
        held.append(state(s).get("lock"))
        forward = [b for b in s.find_elements(By.TAG_NAME, "button") if b.text == "Forward"][0]
        if not forward.is_enabled():
            break
        forward.click()
        told = s.find_element(By.CSS_SELECTOR, "[role=status]").get_attribute("textContent")
        assert text(s).lstrip("!* ") in told, (text(s), told)
    assert seen[-1] == "! assertion failed" and len(seen) > 12, seen
    for what, by in zip(seen, held):
        if what == "lock lock":
            assert by.startswith("held by T"), (what, by)
        if what == "unlock lock" or what == "init lock":
            assert by == "free", (what, by)
    press(s, "Back")
    assert text(s) == seen[-2]
    press(s, "Last")
    assert text(s) == seen[-1]
    slider = s.find_element(By.CSS_SELECTOR, "input[type=range]")
    run("arguments[0].value = 3; arguments[0].dispatchEvent(new Event('input'))", slider)
    assert text(s) == seen[3] and seen[3] in slider.get_attribute("aria-valuetext")


def steps_by_keys():
    be(1440)
    browser.get(PAGE)
    s = section("nobody_has_to_wait")
    rows = s.find_elements(By.CSS_SELECTOR, "tr[data-row]")
    rows[4].click()
    assert current(s) == rows[4] == browser.switch_to.active_element
    keys(Keys.ARROW_DOWN)
    assert current(s) == rows[5] == browser.switch_to.active_element
    keys(Keys.ARROW_UP, Keys.ARROW_UP)
    assert current(s) == rows[3]
    keys(Keys.HOME)
    assert current(s) == rows[0]
    keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert text(s) == "create T2"
    keys(Keys.ARROW_LEFT)
    assert text(s) == "create T1"
    keys(Keys.END)
    assert text(s) == "! assertion failed"
    # one of the rows is reached by the tabulator, not all
    assert len(s.find_elements(By.CSS_SELECTOR, "tr[tabindex='0']")) == 1


def tells_of_a_step():
    be(1440)
    browser.get(PAGE)
    s = section("nobody_has_to_wait")
    panel = s.find_element(By.CLASS_NAME, "panel")
    for row in s.find_elements(By.CSS_SELECTOR, "tr[data-row]"):
        if "woken on filled" in row.text:
            webdriver.ActionChains(browser).move_to_element(row).perform()
    assert "woken on filled" in panel.text and "T1 consume" in panel.text, panel.text
    assert "wake-up \u2190" in panel.text and "T2: wakes T1" in panel.text
    assert "RF_WAIT(&filled, &lock);" in panel.find_element(By.TAG_NAME, "mark").text
    webdriver.ActionChains(browser).click().move_to_element(panel).perform()
    press(panel, "wake-up")
    row = current(s)
    assert "wakes T1" in row.text
    # the arrow of the chosen step stands out
    assert len(run("return arguments[0].querySelectorAll('.lanes svg g:last-child path')", s)) == 2


def goes_over_to_the_execution_that_passes():
    be(1440)
    browser.get(PAGE)
    s = section("no_addition_is_lost")
    press(s, "Last")
    assert text(s) == "! assertion failed" and state(s)["total"] == "1"
    failing, passing = s.find_elements(By.CSS_SELECTOR, "input[type=radio]")
    assert failing.is_selected()
    passing.click()
    parted = heading(s)
    press(s, "Last")
    assert state(s)["total"] == "2"
    assert not s.find_elements(By.CSS_SELECTOR, ".failure")
    assert "another execution" in s.find_element(By.CSS_SELECTOR, ".split").text
    press(s, "Show the one that fails")
    assert failing.is_selected() and heading(s) != parted
    press(s, "Show that")
    assert passing.is_selected() and heading(s) == parted


def two_thousand_steps_scroll():
    be(1440)
    browser.get(PAGE)
    s = section("two_thousand_steps")
    rows = lambda: len(s.find_elements(By.CSS_SELECTOR, "tr[data-row]"))
    assert rows() < 60
    before = rows()
    press(s, "9")  # a run of so many steps
    assert rows() > before + 400
    s.find_element(By.CSS_SELECTOR, "input[type=checkbox]").click()
    assert rows() > 1900
    arrows_are_where_steps_are(s)
    scroll = s.find_element(By.CLASS_NAME, "scroll")
    press(s, "First")
    assert run("return arguments[0].scrollTop", scroll) == 0
    head = s.find_element(By.CSS_SELECTOR, "th.thread")
    current(s).click()
    began = time.time()
    for _ in range(60):
        keys(Keys.PAGE_DOWN)
    assert time.time() - began < 20, "a step takes long"
    assert run("return arguments[0].scrollTop", scroll) > 10000
    top = run("return [arguments[0], arguments[1]].map(e => e.getBoundingClientRect().top)",
              head, scroll)
    assert abs(top[0] - top[1]) < 3, "the heads stay in sight"
    keys(Keys.END)
    assert text(s) == "! assertion failed"


def hides_arrows_of_a_kind():
    be(1440)
    browser.get(PAGE)
    s = section("waits_for_all_sorts")
    press(s, "First")
    paths = lambda: len(run("return arguments[0].querySelectorAll('.lanes svg path')", s))
    before = paths()
    s.find_element(By.XPATH, ".//label[contains(., 'hand-over')]/input").click()
    assert paths() == before - 2


def is_a_table_for_readers():
    be(1440)
    browser.get(PAGE)
    nodes = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    nodes = [n for n in nodes if not n.get("ignored")]
    role = lambda n: n.get("role", {}).get("value")
    name = lambda n: n.get("name", {}).get("value", "").strip()
    count = lambda r: sum(role(n) == r for n in nodes)
    assert count("table") >= 6 and count("columnheader") > 15 and count("row") > 80
    for n in nodes:
        if role(n) in ("table", "button", "slider", "radio", "checkbox", "region", "link"):
            assert name(n), n
    assert "T2 produce" in [name(n) for n in nodes if role(n) == "columnheader"]


def prints_and_needs_no_script():
    be(1440)
    browser.get(PAGE)
    pdf = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {})["data"])
    assert pdf.startswith(b"%PDF") and len(pdf) > 20000
    with open(os.path.join(SHOTS, "page.pdf"), "wb") as file:
        file.write(pdf)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    s = section("two_thousand_steps")
    assert any("steps of T" in row.text for row in s.find_elements(By.CLASS_NAME, "remark"))
    assert not s.find_element(By.CLASS_NAME, "bar").is_displayed()
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.get(PAGE)
    pre = browser.find_elements(By.CSS_SELECTOR, ".execution > pre")
    assert len(pre) == 6 and all("time goes down" in p.text for p in pre)
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def shows_any_text_as_text():
    be(800)
    browser.get(ODD)
    assert not browser.get_log("browser")
    assert run("return document.documentElement.scrollWidth") <= 800
    assert len(browser.find_elements(By.CSS_SELECTOR, "section .lanes")) == 4
    assert not browser.find_elements(By.CSS_SELECTOR, "tag, odd, printer")
    s = section("odd_message")
    whole = "back\\slash <tag> &amp; ]]> %0A ::error:: | # tab"
    press(s, "Last")
    assert whole in s.find_element(By.CLASS_NAME, "report").text
    assert whole in s.find_element(By.CSS_SELECTOR, ".panel pre").text
    assert any(whole in step.text for step in s.find_elements(By.CLASS_NAME, "step"))


failed = 0
try:
    for test in (shows_at_all_widths, resizes, is_legible, steps_by_buttons, steps_by_keys,
                 tells_of_a_step, goes_over_to_the_execution_that_passes,
                 two_thousand_steps_scroll, hides_arrows_of_a_kind, is_a_table_for_readers,
                 prints_and_needs_no_script, shows_any_text_as_text):
        try:
            test()
            print("ok", test.__name__)
        except Exception as e:  # each is tried
            failed += 1
            at = traceback.extract_tb(e.__traceback__)[-1 if isinstance(e, AssertionError) else 1]
            print("not ok %s: line %d: %s" % (test.__name__, at.lineno, str(e)[:500]))
finally:
    browser.quit()
sys.exit(failed > 0)

#!/usr/bin/env python3
"""Measure the page in Chromium as on a slow phone: 1.6 Mbit/s, round trips of 150 ms, a processor of a quarter of the speed.

Usage: .build-web/bin/python Tests/Benchmarks/page.py     (Tests/Web/run installs .build-web)

Needs a release build; IMAGE_FEED_PROGRAMS names another folder with the programs. Prints, for the list, the grid and the comments
  - LCP: the time until the largest part of the page is painted, from an empty cache,
  - INP: the slowest of all taps and keys, also of changing the layout and the theme,
  - CLS: the layout shifts of loading, and of loading and scrolling through two pages,
then the size of a first visit, the time of the page from request to answer, the INP of changes of the layout and of the theme with
many rows (the median, and the shortest, which other programs on the machine lengthen least), and the memory of the page's processes
above that of the browser's empty page, without and with the service worker: after scrolling through thousands of rows, after a garbage
collection, and after the browser has released what it can load or decode again.
"""
import gzip
import os
import pathlib
import re
import shutil
import statistics
import sys
import time
import urllib.request

from playwright.sync_api import sync_playwright

os.environ.setdefault("IMAGE_FEED_PROGRAMS", ".build/release")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Web"))
from deployment import PATIENCE, deployment  # noqa: E402
from gallery import fill  # noqa: E402
from slow_phone import OBSERVER, PROCESSOR, VIEWS, slow_page, vitals  # noqa: E402
from test_page import PAGE, ready, scroll_for_rows, settle, shown_ids, until  # noqa: E402

IMAGES = 36
COMMENTS = 30
REQUESTS = 50
ROWS, BATCH = 500, 100
SWITCHES = 10
LONG = 5_000


def use(page, view):
    """Taps and types. Another layout or theme moves everything on purpose, so shifts do not count from here on."""
    if view == "comments":
        page.tap("#username")
        page.keyboard.type("ana")
        page.tap("#message")
        page.keyboard.type("Lovely light")
        page.tap(".to-dark")
    else:
        page.tap(".to-list" if view == "grid" else ".to-grid")
        settle(page)
        page.tap(".to-dark")
        page.focus("#list > :nth-child(3)")
        for _ in range(5):
            page.keyboard.press("PageDown")
    settle(page)


def measure(browser, server, view):
    with slow_page(browser, server, view) as page:
        loaded = vitals(page)
        if view != "comments":
            # As a reader does: a jump to the end would show rows whose size is only estimated.
            ready(page)
            page.mouse.move(195, 400)
            until(page, lambda: (page.mouse.wheel(0, 250), len(shown_ids(page)) >= 2 * PAGE)[1])
            settle(page)
        scrolled = vitals(page)["shift"]
        use(page, view)
        slowest = max(vitals(page)["inputs"], default=0) / 1_000
    print(f"{view:9} LCP {loaded['paint'] / 1_000:5.2f} s   INP {slowest:6.3f} s   CLS {loaded['shift']:.4f} loaded, {scrolled:.4f} scrolled")


def fetch(url, fields={}):
    with urllib.request.urlopen(urllib.request.Request(url, headers=fields)) as answer:
        return answer.read(), answer.headers["Content-Encoding"]


def measure_first_visit(server):
    assets = sorted(set(re.findall(r'="(/assets/[^"#]+)', fetch(server.url)[0].decode())))
    total = plain_total = 0
    for path in ["/", *assets]:
        data, encoding = fetch(server.url + path, {"Accept-Encoding": "gzip"})
        plain = gzip.decompress(data) if encoding == "gzip" else data
        total, plain_total = total + len(data), plain_total + len(plain)
        print(f"{len(plain):8} bytes, {len(data):6} compressed  {path}")
    times = []
    for _ in range(REQUESTS):
        begin = time.perf_counter()
        fetch(server.url)
        times.append(time.perf_counter() - begin)
    print(f"{plain_total:8} bytes, {total:6} compressed  all; the page in {1_000 * statistics.median(times):.1f} ms")


def publish(server, count):
    for batch in range(count // BATCH):
        server.publish(*[f"Row {index} of batch {batch}" for index in range(BATCH)])


def measure_switches(browser, server):
    """Taps in the middle of many rows. Each waits until the one before is painted."""
    with browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, service_workers="block", locale="en-US") as context:
        page = context.new_page()
        page.add_init_script(OBSERVER)
        page.goto(server.url)
        ready(page)
        scroll_for_rows(page, ROWS)
        page.evaluate("scrollTo({ top: document.documentElement.scrollHeight / 2, behavior: 'instant' })")
        settle(page)
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": PROCESSOR})

        found = {name: [] for name in ("to-grid", "to-list", "to-dark", "to-light")}
        for _ in range(SWITCHES):
            for name, durations in found.items():
                page.evaluate("() => { vitals.inputs = []; }")
                page.tap(f".{name}")
                durations.append(max(vitals(page)["inputs"], default=0))
                settle(page)
        for name, durations in found.items():
            print(f"{name:9} INP {statistics.median(durations):4.0f} ms, shortest {min(durations)} ms, with {ROWS} rows")


def memory(browser):
    """The megabytes of all processes that show pages; what they share with others counts in part."""
    processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    parts = [pathlib.Path(f"/proc/{one['id']}/smaps_rollup").read_text() for one in processes if one["type"] == "renderer"]
    return sum(int(re.search(r"^Pss: *(\d+)", part, re.M)[1]) for part in parts) / 1_024


def measure_memory(playwright, server, workers):
    """In a browser of its own, in which no other page has left anything."""
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 390, "height": 844}, service_workers=workers)
    page.set_default_timeout(PATIENCE * 1_000)
    page.goto("about:blank")
    empty = memory(browser)
    page.goto(server.url)
    ready(page)
    scroll_for_rows(page, LONG)
    settle(page)
    found = [memory(browser)]
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    found.append(memory(browser))
    session.send("Memory.simulatePressureNotification", {"level": "critical"})
    page.wait_for_timeout(2_000)
    found.append(memory(browser))
    nodes = page.evaluate("document.querySelectorAll('*').length")
    values = ", ".join(f"{one - empty:.0f}" for one in found)
    print(f"memory    {values} MB above the {empty:.0f} MB of an empty page; {LONG} rows in {nodes} elements, workers: {workers}")
    browser.close()


if __name__ == "__main__":
    with deployment() as server, sync_playwright() as playwright:
        fill(server, IMAGES)
        for index in range(COMMENTS):
            server.gateway("comment", server.ids(1)[0], f"A fine picture, number {index}", "--username", "ana")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for view in VIEWS:
            measure(browser, server, view)
        measure_first_visit(server)
        publish(server, ROWS)
        measure_switches(browser, server)
        browser.close()
        publish(server, LONG - ROWS)
        for workers in ("block", "allow"):
            measure_memory(playwright, server, workers)

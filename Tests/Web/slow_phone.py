"""The page on a slow phone: 1.6 Mbit/s with 150 ms round trips, and a processor of a quarter of the speed."""

import contextlib

from deployment import PATIENCE
from test_page import settle

NETWORK = {"offline": False, "latency": 150, "downloadThroughput": 1_600_000 / 8, "uploadThroughput": 750_000 / 8}
PROCESSOR = 4
VIEWS = ["list", "grid", "comments"]

OBSERVER = """
window.vitals = { shift: 0, paint: 0, inputs: [] };
const observe = (type, use, options) => new PerformanceObserver((list) => list.getEntries().forEach(use)).observe({ type, buffered: true, ...options });
observe("layout-shift", (entry) => { if (!entry.hadRecentInput) vitals.shift += entry.value; });
observe("largest-contentful-paint", (entry) => { vitals.paint = entry.startTime; });
observe("event", (entry) => { if (entry.interactionId) vitals.inputs.push(entry.duration); }, { durationThreshold: 16 });
"""


@contextlib.contextmanager
def slow_page(browser, server, view):
    """Opens a view with an empty cache, and waits until it is loaded."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, service_workers="block", locale="en-US")
    try:
        context.set_default_timeout(PATIENCE * 1_000)
        if view == "grid":
            context.add_cookies([{"name": "layout", "value": view, "url": server.url}])
        page = context.new_page()
        page.add_init_script(OBSERVER)
        inspector = context.new_cdp_session(page)
        inspector.send("Network.enable")
        inspector.send("Network.emulateNetworkConditions", NETWORK)
        inspector.send("Emulation.setCPUThrottlingRate", {"rate": PROCESSOR})
        page.goto(server.url + (f"/image/{server.ids(1)[0]}" if view == "comments" else "/"))
        page.wait_for_function("() => document.querySelector('.photo').complete && document.querySelector('.photo').naturalWidth > 0")
        settle(page)
        yield page
    finally:
        context.close()


def vitals(page):
    """The sum of all layout shifts, the time of the largest paint and the durations of all inputs in ms."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    return page.evaluate("vitals")

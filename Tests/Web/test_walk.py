"""Random walks of a reader through the picture in full size. After each step the page must be what its address says, and never empty.

Tests/Web/run test_walk.py --seeds 1-200     walks with these seeds; a failure names its seed and its steps
"""

import json
import math
import random
import re
import uuid

import pytest
from playwright.sync_api import Error

from deployment import deployment, png
from test_behaviours import Fingers
from test_page import ready, settle, until, wait_for_worker

STEPS = 30
SIZES = [(1_600, 1_200), (900, 1_600), (2_400, 500), (60, 40)]
WINDOWS = {"phone": (390, 844), "desktop": (1_280, 800)}

# What a reader perceives of a page that has come to rest; null while it has not.
PERCEIVED = """() => {
    const root = document.documentElement;
    const dialog = document.querySelector("dialog.keys");
    const stage = document.getElementById("stage");
    const images = [...document.querySelectorAll("#stage img:not(.stage-placeholder), .detail .photo")];
    const isAtRest = (image) => image.closest(".veil:not([open])") || image.complete && image.naturalWidth || image.closest(".failed");
    if (document.readyState !== "complete" || !dialog || !images.every(isAtRest)) return null;
    const isVisible = (element) => element?.checkVisibility({ visibilityProperty: true, opacityProperty: true }) ?? false;
    const image = stage?.querySelector("img");
    const caption = document.getElementById("stage-caption");
    const { x, y, width, height } = image?.getBoundingClientRect() ?? {};
    window.visit ??= String(Math.random());
    return {
        visit, kind: root.dataset.kind, address: location.pathname,
        scroll: document.activeElement.closest?.("#list > .item")?.getBoundingClientRect().top ?? scrollY, overflow: root.scrollWidth - innerWidth,
        window: [innerWidth, innerHeight], box: [x, y, width, height],
        images: images.map((one) => one.getAttribute("src") ?? ""),
        isFailed: document.querySelector(".failed .retry") !== null, isCovered: document.querySelector(".veil:not([open])") !== null,
        title: (caption ?? document).querySelector("h1")?.textContent.trim(),
        hasCaption: isVisible(caption), scale: image ? new DOMMatrix(getComputedStyle(image).transform).a : 1,
        isHelped: dialog.open, focus: document.activeElement?.closest("dialog, .item")?.id || document.activeElement?.className,
        isTyping: document.activeElement.matches("input, textarea"), isFocusInDialog: dialog.contains(document.activeElement),
        links: Object.fromEntries([...document.querySelectorAll(".neighbour")].map((link) => [link.rel, link.pathname])),
        words: [...document.querySelectorAll("h1, .message, .refusal")].filter(isVisible).length,
        pictures: [...document.images].filter((one) => one.naturalWidth && isVisible(one)).length,
    };
}"""


def pytest_generate_tests(metafunc):
    if "seed" in metafunc.fixturenames:
        first, last = map(int, metafunc.config.getoption("--seeds").split("-"))
        metafunc.parametrize("seed", range(first, last + 1))


@pytest.fixture(scope="module")
def album():
    """A deployment with pictures of all shapes; those of each walk are published above them."""
    with deployment() as running:
        running.fill(8, picture=lambda index: png((30 * index, 120, 90), *SIZES[index % 4]))
        yield running


class Walk:
    """A reader, and a model of what the reader must see."""

    def __init__(self, page, server, chance, is_phone):
        self.page, self.server, self.chance, self.is_phone = page, server, chance, is_phone
        self.fingers, self.inspector = Fingers(page), page.context.new_cdp_session(page)
        self.titles = {item["id"]: item.get("description") or item.get("location") for item in self.items()}
        self.removed, self.stopped, self.is_offline = set(), set(), False
        # The addresses of the history and the place in it.
        self.addresses, self.place = ["/"], 0
        self.visit, self.has_caption, self.scale = None, True, 1
        # Where the reader has left an address: the place of its focused row or else the scroll position, the size of the window, and
        # whether the page had all its parts.
        self.left = {}
        # The places of images from which the full size was opened.
        self.openers = set()
        self.time = page.evaluate("Date.now() / 1000")
        self.steps = []
        self.seen = self.perceive()

    def items(self):
        return self.server.call("feed.load", {"limit": 50})["items"]

    # --- What is seen

    @property
    def address(self):
        return self.addresses[self.place]

    @property
    def image(self):
        match = re.search("/image/([^/]+)", self.address)
        return match and match[1]

    def perceive(self):
        """What the page shows when it is at rest at the address of the model."""
        while True:
            try:
                seen = self.page.evaluate(PERCEIVED)
            except Error as error:
                if "context was destroyed" not in str(error) and "navigat" not in str(error):
                    raise
                seen = None
            assert not self.page.url.startswith("chrome-error:"), "the browser's own error"
            if seen and seen["address"] == self.address and (self.is_offline or seen["kind"] != "offline"):
                return seen
            self.page.wait_for_timeout(20)

    def leave(self):
        """Before an address changes."""
        self.left[self.place] = (self.seen["scroll"], self.seen["window"], self.is_whole)

    def push(self, address):
        self.leave()
        self.openers -= set(range(self.place + 1, len(self.addresses)))
        self.addresses[self.place + 1:] = [address]
        self.place += 1

    def replace(self, address):
        self.addresses[self.place] = address
        self.openers.discard(self.place)

    def move(self, way):
        self.leave()
        self.place += way

    @property
    def is_whole(self):
        return not self.is_offline and not self.stopped

    @property
    def expected_kind(self):
        return "feed" if self.address == "/" else "picture" if self.address.endswith("/picture") else "image"

    def check(self, returns=False):
        """All that must hold after a step. `returns`: the step has led back to an address."""
        old, seen = self.seen, self.perceive()
        if returns and seen["kind"] == "feed":
            settle(self.page)
            seen = self.perceive()
        self.seen = seen
        if seen["visit"] != self.visit:
            self.visit, self.has_caption, self.scale = seen["visit"], True, 1
            self.may_fail = self.is_offline or "feed" in self.stopped or self.image in self.removed
        kind = seen["kind"]
        assert kind == self.expected_kind or self.may_fail and kind in ("offline", "error"), seen
        assert seen["overflow"] <= 0, seen
        assert seen["pictures"] or seen["words"] or seen["isFailed"] or seen["isCovered"], seen
        assert not seen["isHelped"] or seen["isFocusInDialog"], seen
        if kind in ("picture", "image"):
            # A picture that has failed has no address until it is requested again.
            assert len(seen["images"]) == 1 and (seen["isFailed"] or f"/image/{self.image}/data" in seen["images"][0]), seen
            assert not seen["isFailed"] or "image-data" in self.stopped or self.is_offline or seen["visit"] == old["visit"], seen
        if kind == "picture":
            assert seen["scroll"] == 0 and seen["title"] == (self.titles[self.image] or "Image"), seen
            assert seen["hasCaption"] == self.has_caption, seen
            assert seen["scale"] == pytest.approx(self.scale, rel=0.01), (self.scale, seen)
            if not seen["isCovered"]:
                self.check_bounds(seen)
        if returns and kind == self.expected_kind and kind != "picture" and self.place in self.left:
            scroll, window, was_whole = self.left[self.place]
            # A page that lacks a part, or has a notice more, may be too short for the place.
            if window == seen["window"] and was_whole and self.is_whole:
                assert abs(seen["scroll"] - scroll) <= 2, (scroll, seen)
            if self.place in self.openers:
                assert "cover" in seen["focus"].split(), seen
        # The browser computes no names for rows that are far from the screen.
        if kind != "feed":
            self.check_tree()

    def check_bounds(self, seen):
        """A side longer than the window covers it; a shorter one is in its middle."""
        x, y, width, height = seen["box"]
        for start, side, window in ((x, width, seen["window"][0]), (y, height, seen["window"][1])):
            if side >= window:
                assert start <= 1 and start + side >= window - 1, seen
            else:
                assert start + side / 2 == pytest.approx(window / 2, abs=1.5), seen

    def check_tree(self):
        """What a screen reader gets: one first heading, and a name for all that can have the focus."""
        nodes = [node for node in self.inspector.send("Accessibility.getFullAXTree")["nodes"] if not node["ignored"]]
        for node in nodes:
            role, name = node["role"]["value"], node.get("name", {}).get("value", "")
            properties = {one["name"]: one["value"].get("value") for one in node.get("properties", [])}
            if properties.get("focusable") and role not in ("RootWebArea", "main", "generic", "none", "listitem", "group"):
                if not name.strip():
                    found = self.inspector.send("DOM.describeNode", {"backendNodeId": node["backendDOMNodeId"]})["node"]
                    raise AssertionError(f"no name: {role} {found['nodeName']} {found['attributes']}")
        if not self.seen["isHelped"]:
            levels = [one["value"]["value"] for node in nodes if node["role"]["value"] == "heading"
                      for one in node["properties"] if one["name"] == "level"]
            assert levels.count(1) == 1, levels

    # --- What a reader does; each returns False where it is not possible

    def open(self):
        if self.seen["kind"] == "feed":
            rows = self.page.eval_on_selector_all("#list > .item", "rows => rows.map(row => row.dataset.id)")
            image = self.chance.choice(rows[:8])
            self.page.eval_on_selector(f"#i-{image}", "row => row.scrollIntoView({ block: 'center', behavior: 'instant' })")
            self.page.focus(f"#i-{image}")
            settle(self.page)
            self.seen = self.perceive()
            self.push(f"/image/{image}")
            self.page.keyboard.press("Enter")
        elif self.seen["kind"] == "image":
            self.page.evaluate("top => scrollTo({ top, behavior: 'instant' })", self.chance.choice([0, 60]))
            self.seen = self.perceive()
            self.openers.add(self.place)
            self.push(self.address + "/picture")
            self.page.evaluate("setTimeout(() => document.querySelector('.cover').click())")
        else:
            return False

    def close(self):
        if self.seen["kind"] not in ("picture", "image") or self.place == 0:
            return False
        self.move(-1)
        if self.is_phone and self.seen["kind"] == "picture" and self.scale == 1 and not self.seen["isCovered"] and self.chance.random() < 0.5:
            self.swipe(0, 200)
        elif self.seen["kind"] == "picture" and self.chance.random() < 0.6:
            self.page.keyboard.press("Escape")
        else:
            self.page.click("#back")
        return "returns"

    def swipe(self, x, y):
        start = self.seen["window"][0] / 2, self.seen["window"][1] / self.chance.choice([2, 4])
        self.fingers.move((start, (start[0] + x, start[1] + y)))

    def neighbour(self):
        rel = self.chance.choice(["next", "prev"])
        address = self.seen["links"].get(rel)
        if self.seen["kind"] not in ("picture", "image") or self.seen["isTyping"]:
            return False
        if address:
            self.replace(address)
        if self.is_phone and self.seen["kind"] == "picture" and self.scale == 1 and not self.seen["isCovered"]:
            self.swipe(-150 if rel == "next" else 150, 10)
        elif address and self.chance.random() < 0.3:
            self.page.click(f".neighbour[rel={rel}]")
        else:
            self.page.keyboard.press("ArrowRight" if rel == "next" else "ArrowLeft")

    def back(self):
        if self.place == 0:
            return False
        self.move(-1)
        self.page.evaluate("setTimeout(() => history.back())")
        return "returns"

    def forward(self):
        if self.place + 1 == len(self.addresses):
            return False
        self.move(1)
        self.page.evaluate("setTimeout(() => history.forward())")

    def zoom_by_key(self):
        key = self.chance.choice("++-0")
        if self.seen["kind"] != "picture":
            return False
        self.page.keyboard.press(key)
        self.scale = {"+": min(8, self.scale * 1.5), "-": max(1, self.scale / 1.5), "0": 1}[key]

    def zoom_by_wheel(self):
        if self.seen["kind"] != "picture" or self.seen["isCovered"]:
            return False
        distance = self.chance.choice([-300, -120, 120, 400])
        width, height = self.seen["window"]
        self.page.mouse.move(self.chance.uniform(0.3, 0.7) * width, self.chance.uniform(0.3, 0.6) * height)
        self.page.mouse.wheel(0, distance)
        self.scale = min(8, max(1, self.scale * math.exp(-distance / 300)))
        until(self.page, lambda: self.perceive()["scale"] == pytest.approx(self.scale, rel=0.01))

    def press(self, count):
        """Clicks with the mouse, at times that the walk sets."""
        width, height = self.seen["window"]
        x, y = self.chance.uniform(0.35, 0.65) * width, self.chance.uniform(0.35, 0.6) * height
        self.time += 10
        for index in range(count):
            for kind in ("mousePressed", "mouseReleased"):
                self.inspector.send("Input.dispatchMouseEvent", {
                    "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1, "timestamp": self.time + 0.1 * index})

    def tap(self):
        if self.seen["kind"] != "picture" or self.seen["isCovered"] or self.seen["isFailed"]:
            return False
        self.press(1)
        self.has_caption = not self.has_caption

    def tap_twice(self):
        if self.seen["kind"] != "picture" or self.seen["isCovered"] or self.seen["isFailed"]:
            return False
        self.press(2)
        self.scale = 1 if self.scale > 1 else 2.5

    def toggle_caption(self):
        if self.seen["kind"] != "picture":
            return False
        self.page.keyboard.press("c")
        self.has_caption = not self.has_caption

    def pan(self):
        if self.seen["kind"] != "picture" or self.seen["isCovered"] or self.seen["isFailed"]:
            return False
        width, height = self.seen["window"]
        self.page.mouse.move(width / 2, height / 2)
        self.page.mouse.down()
        self.page.mouse.move(width / 2 + self.chance.choice([-900, -40, 40, 900]), height / 2 + self.chance.choice([-300, 30]), steps=3)
        self.page.mouse.up()

    def uncover(self):
        if not self.seen["isCovered"] or self.seen["kind"] not in ("picture", "image"):
            return False
        self.page.evaluate("document.querySelector('.veil summary').click()")

    def ask_for_keys(self):
        if self.seen["isTyping"]:
            return False
        self.page.keyboard.press("?")
        self.seen = self.perceive()
        assert self.seen["isHelped"] and self.seen["isFocusInDialog"]
        self.check()
        # These keys are for the dialog.
        self.page.keyboard.press(self.chance.choice(["ArrowRight", "+", "c"]))
        self.check()
        self.page.keyboard.press("Escape")

    def tab(self):
        for _ in range(self.chance.randrange(1, 5)):
            self.page.keyboard.press("Tab")

    def turn(self):
        width, height = self.seen["window"]
        self.page.set_viewport_size({"width": height, "height": width})

    def reload(self):
        if self.is_offline:
            return False
        self.page.reload()

    def publish(self):
        if "feed" in self.stopped:
            return False
        members = self.chance.choice([{"description": "New", "sensitive": True}, {}, {"description": "A new picture", "location": "Lisbon"}])
        item = {"id": str(uuid.uuid4()).upper(), "image": self.chance.choice(self.items())["image"], **members}
        self.server.call("feed.publish", {"items": [item]})
        self.titles[item["id"]] = members.get("description")

    def remove(self):
        """The picture that is shown, or one beside it."""
        links = [link.split("/")[2] for link in self.seen["links"].values()]
        images = [one for one in (self.image, *links) if one and one not in self.removed]
        if "feed" in self.stopped or not images or len(self.titles) - len(self.removed) < 5:
            return False
        image = self.chance.choice(images)
        self.server.call("feed.remove", {"ids": [image]})
        self.removed.add(image)

    def cut_network(self):
        self.page.context.set_offline(not self.is_offline)
        self.is_offline = not self.is_offline

    def stop_or_start(self):
        name = self.chance.choice(["image-data", "image-data", "feed", "comments"])
        if name in self.stopped:
            self.start(name)
        else:
            self.server.stop(name)
            self.stopped.add(name)

    def start(self, name):
        self.server.start(name)
        self.server.wait_until_healthy(name)
        self.stopped.discard(name)

    def retry(self):
        if not self.seen["isFailed"] or self.is_offline or "image-data" in self.stopped:
            return False
        self.page.evaluate("document.querySelector('.failed .retry').click()")
        until(self.page, lambda: not self.perceive()["isFailed"])

    ACTIONS = [
        (open, 12), (neighbour, 10), (close, 4), (back, 3), (forward, 3), (zoom_by_key, 4), (zoom_by_wheel, 4), (tap, 4), (tap_twice, 4),
        (toggle_caption, 3), (pan, 4), (uncover, 4), (ask_for_keys, 1), (tab, 2), (turn, 3), (reload, 1), (publish, 1), (remove, 1),
        (cut_network, 2), (stop_or_start, 2), (retry, 4),
    ]

    def step(self):
        actions, weights = zip(*self.ACTIONS)
        while True:
            action = self.chance.choices(actions, weights)[0]
            self.steps.append(f"{action.__name__} at {self.address}")
            result = action(self)
            if result is not False:
                break
            self.steps.pop()
        self.check(returns=result == "returns")

    def end(self):
        """Puts the deployment back in order."""
        self.page.context.set_offline(False)
        for name in list(self.stopped):
            self.start(name)


def test_a_reader_walks_through_the_full_size(open_at, album, seed):
    chance = random.Random(seed)
    name = chance.choice(list(WINDOWS))
    width, height = WINDOWS[name]
    page = open_at(
        album, service_workers="allow", viewport={"width": width, "height": height}, has_touch=name == "phone", reduced_motion="reduce",
        expected=("Failed to load", "FetchEvent"))
    ready(page)
    wait_for_worker(page)
    walk = Walk(page, album, chance, name == "phone")
    try:
        for _ in range(STEPS):
            walk.step()
    except BaseException:
        print(f"seed {seed}, {name}:", *walk.steps, sep="\n  ")
        raise
    finally:
        walk.end()

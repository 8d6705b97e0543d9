"""How the page looks: screenshots, compared with those in screens/.

Tests/Web/run test_screens.py --sheet DIR          lays the screenshots out on DIR/sheet.png, to look at
Tests/Web/run test_screens.py --accept-screens     stores the screenshots as the expected ones
"""

import io
import pathlib

import pytest
from PIL import Image, ImageChops, ImageStat

from deployment import deployment
from test_page import scroll_to_end

SCREENS = pathlib.Path(__file__).parent / "screens"
DEVICES = {
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True},
    "desktop": {"viewport": {"width": 1280, "height": 900}},
    "sideways": {"viewport": {"width": 844, "height": 390}, "has_touch": True},
    "wide": {"viewport": {"width": 2560, "height": 1440}},
}
STATES = ["feed", "comments", "error", "loading", "failed", "empty", "end", "grid", "full"]

# The largest accepted differences, of 255: the mean of all channels, and the mean brightness of a cell of an eighth of the width.
# Both pictures are compared at 64 px width, so that other typefaces and other ages ("2 seconds ago") pass, and a part that is
# moved or in another color does not.
TOLERANCE = 4
CELL_TOLERANCE = 26

# A missing text changes little of a nearly empty screen, but all of its line. So the ink of each line is compared: the mean distance
# of its pixels from the ground. A line is half of the width and 32 px high, and overlaps its neighbours. The ink may differ by a third,
# because other typefaces have more or less of it, or by so little that it is no text.
LINE = 8
COLUMNS = 3
INK_SHARE = 0.3
INK_FLOOR = 0.3
GROUND = 12

# The colors of a stored picture, and the passes that adapt them, without which a few words in another color lose it.
COLORS = 256
PASSES = 2

# Texts of nearly empty screens, whose absence must be found.
TEXTS = {
    "empty": [".empty .large", ".empty .hint", ".brand"], "error": ["h1", ".actions .button"],
    "end": [".end"], "failed": ["#more .failure .message", "#more .failure button"], "comments": ["#comments-title"],
}


@pytest.fixture(scope="module")
def empty():
    with deployment() as running:
        yield running


def shown(page, state):
    """Waits until nothing on the screen changes any more: pictures are painted or have failed, and texts have their typefaces."""
    page.wait_for_function(
        """isLoading => [...document.querySelectorAll('.photo, .stage img')].every(image => {
            const { top, bottom, width } = image.getBoundingClientRect();
            const isDone = isLoading || image.matches('.failed *') || (image.naturalWidth > 0 && image.complete && !image.matches('.loading *'));
            return top > innerHeight || bottom < 0 || !width || isDone;
        })""", arg=state == "loading")
    # Ages grow while the tests run.
    page.evaluate("() => document.querySelectorAll('time').forEach(one => { one.textContent = '2020'; })")
    page.evaluate(
        """isLoading => Promise.all([
            document.fonts.ready, ...(isLoading ? [] : [...document.images].filter(one => one.naturalWidth).map(one => one.decode().catch(() => {}))),
        ]).then(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))))""", state == "loading")


def scroll_until(page, selector):
    page.wait_for_function(
        """selector => {
            scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });
            return document.querySelector(selector);
        }""", arg=selector)


def bring(page, state, server):
    """Opens the page in a state."""
    # A page that fails is loaded again when the reader scrolls half a second later, which happens on a busy machine. Here no time passes.
    page.clock.set_fixed_time(0)
    # Rows that were never near have an estimated size, so the end would be a pixel higher or lower, depending on which rows were.
    page.add_init_script("""
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(".items .item { content-visibility: visible !important; }");
        document.adoptedStyleSheets = [sheet];""")
    first = server.ids(1)[0] if state != "empty" else None
    if state == "failed":
        page.route("**/data*", lambda route: route.fulfill(status=503))
    if state in ("failed", "loading"):
        page.route("**/?after_id=*", lambda route: route.abort() if state == "failed" else None)
    if state == "loading":
        page.route("**/data*", lambda route: None)
    if state == "grid":
        page.context.add_cookies([{"name": "layout", "value": "grid", "url": server.url}])
    path = {"comments": f"/image/{first}", "full": f"/image/{first}/picture", "error": "/nowhere"}.get(state, "/")
    page.goto(server.url + path, wait_until="commit" if state == "loading" else "load")
    page.wait_for_selector("#back" if state in ("comments", "full") else "main", state="attached")
    if state not in ("error", "full", "comments"):
        page.wait_for_function("() => history.scrollRestoration === 'manual'")
    if state == "failed":
        scroll_until(page, "#more .failure")
        page.wait_for_function("() => document.querySelectorAll('.failed .retry').length > 0")
    if state == "loading":
        # The row before the end and the row that stands for the next page.
        scroll_until(page, "#more .outlines")
        page.wait_for_selector(".loading")
    if state == "end":
        scroll_until(page, "#more .end")
    if state in ("failed", "loading", "end"):
        scroll_to_end(page)


def scenes():
    """Each state on a phone and on a desktop, one light and the other dark; the lowest and the widest window; and the longest texts."""
    for state in STATES:
        yield (state, "phone", "light", "en", 100)
        yield (state, "desktop", "dark", "en", 100)
    for state in ("feed", "comments"):
        yield (state, "sideways", "dark", "en", 100)
        yield (state, "phone", "light", "el", 100)
    yield ("grid", "wide", "light", "en", 100)
    for state in ("feed", "comments", "error"):
        yield (state, "phone", "dark", "en", 200)
    for state in ("feed", "comments"):
        yield (state, "desktop", "light", "en", 200)


def name(scene):
    state, device, scheme, language, size = scene
    return "-".join([state, device, scheme, *([language] if language != "en" else []), *([str(size)] if size != 100 else [])])


def quarter(picture):
    return picture.resize((picture.width // 4, picture.height // 4), Image.Resampling.BOX)


def ink(picture):
    """The ink of each line, in columns: beside a picture a text has little ink."""
    gray = picture.convert("L")
    ground = max(enumerate(gray.histogram()), key=lambda one: one[1])[0]
    marks = gray.point([abs(value - ground) if abs(value - ground) > GROUND else 0 for value in range(256)])
    columns = [(marks.width * part // COLUMNS, marks.width * (part + 1) // COLUMNS) for part in range(COLUMNS)]
    return [
        ImageStat.Stat(marks.crop((left, top, right, top + LINE))).mean[0]
        for top in range(0, marks.height - LINE, LINE // 2) for left, right in columns]


def lost_lines(one, other):
    """The number of lines whose ink differs."""
    return sum(
        abs(before - after) > max(INK_FLOOR, INK_SHARE * max(before, after)) for before, after in zip(ink(one), ink(other)))


def difference(one, other):
    """The differences of two pictures with the same size: the mean, and that of the worst cell."""
    size = (64, round(one.height * 64 / one.width))
    small = [picture.convert("RGB").resize(size, Image.Resampling.BOX) for picture in (one, other)]
    change = ImageChops.difference(*small)
    cells = change.convert("L").resize((8, round(size[1] / 8)), Image.Resampling.BOX)
    return sum(ImageStat.Stat(change).mean) / 3, cells.getextrema()[1]


def screenshot(page):
    return page.screenshot(caret="hide", animations="disabled")


def picture_of(data):
    return quarter(Image.open(io.BytesIO(data)).convert("RGB"))


@pytest.mark.parametrize("scene", list(scenes()), ids=name)
def test_the_screen_looks_as_it_did(request, open_at, gallery, sheet, scene):
    state, device, scheme, language, size = scene
    server = request.getfixturevalue("empty") if state == "empty" else gallery
    page = open_at(server, None, color_scheme=scheme, locale=language, reduced_motion="reduce", **DEVICES[device])
    if size != 100:
        page.add_init_script(f"document.addEventListener('DOMContentLoaded', () => document.documentElement.style.fontSize = '{size}%')")
    bring(page, state, server)
    shown(page, state)
    data = screenshot(page)
    sheet(name(scene), data)
    path = SCREENS / f"{name(scene)}.png"
    if request.config.getoption("--accept-screens"):
        SCREENS.mkdir(exist_ok=True)
        Image.open(io.BytesIO(data)).convert("RGB").quantize(COLORS, kmeans=PASSES, dither=Image.Dither.NONE).save(path, optimize=True)
    expected, picture = quarter(Image.open(path).convert("RGB")), picture_of(data)
    mean, worst = difference(expected, picture)
    lost = lost_lines(expected, picture)
    assert mean <= TOLERANCE and worst <= CELL_TOLERANCE and lost == 0, (
        f"differs by {mean:.1f}, in a cell by {worst}, of 255, and in {lost} lines; look at it with --sheet DIR, then --accept-screens")
    # A text that is missing is found.
    for selector in TEXTS.get(state, []):
        element = page.locator(selector).first
        if not element.is_visible() or element.bounding_box()["y"] > page.viewport_size["height"] - 20:
            continue
        element.evaluate("one => one.style.visibility = 'hidden'")
        assert lost_lines(expected, picture_of(screenshot(page))) > 0, selector
        element.evaluate("one => one.style.visibility = ''")

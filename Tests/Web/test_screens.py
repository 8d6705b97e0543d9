"""How the page looks: screenshots of each state, compared with those in screens/, and laid out on one sheet.

Tests/Web/run test_screens.py --sheet DIR          writes the screenshots and DIR/sheet.png, to look at
Tests/Web/run test_screens.py --accept-screens     stores the screenshots as the expected ones
"""

import html
import io
import pathlib
import random

import pytest
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageStat

from deployment import deployment

SCREENS = pathlib.Path(__file__).parent / "screens"
DEVICES = {
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True},
    "desktop": {"viewport": {"width": 1280, "height": 900}},
}
STATES = ["feed", "comments", "error", "loading", "failed", "empty", "end", "grid", "full"]

# The largest accepted differences, of 255: the mean of all channels, and the mean brightness of a cell of an eighth of the width.
# Both pictures are compared at 64 px width, so that other typefaces and other ages ("2 seconds ago") pass, and a part that is
# moved or in another color does not.
TOLERANCE = 4
CELL_TOLERANCE = 26

# A missing text changes little of a nearly empty screen, but all of its line. So the ink of each line is compared: the mean distance
# of its pixels from the ground. A line is half of the width and 32 px high, and overlaps its neighbors. The ink may differ by a third,
# because other typefaces have more or less of it, or by so little that it is no text.
LINE = 8
COLUMNS = 3
INK_SHARE = 0.3
INK_FLOOR = 0.3
GROUND = 12

# Texts of nearly empty screens, whose absence must be found.
TEXTS = {
    "empty": [".empty .large", ".empty .hint", ".brand"], "error": ["h1", ".actions .button"],
    "end": [".end"], "failed": ["#more .failure .message", "#more .failure button"], "comments": ["#comments-title"],
}

CAPTIONS = [
    ("Sintra, Portugal", "Missed the last tram by ten seconds and walked up instead. The fog lifted for exactly one minute."),
    ("Seydisfjörður", "No filter. No sleep either."),
    ("Βουλιαγμένη, Αθήνα", "Το νερό ήταν ακόμη ζεστό στις επτά το απόγευμα."),
    ("Lago di Braies, Dolomiti", "We were here first, then the boats came, then the wedding, then the drone.\n\nI would come again tomorrow."),
    ("تیمیمون", "غروب الشمس فوق الكثبان، بعد يوم طويل من المشي."),
    ("Praia do Norte, Nazaré", ""),
]


def photograph(index):
    """A drawn landscape that is the same on every machine."""
    chance = random.Random(index)
    width, height = [(480, 360), (400, 500), (480, 320), (480, 480)][index % 4]
    sky = [((28, 51, 92), (240, 170, 120)), ((94, 150, 200), (225, 235, 240)), ((62, 40, 84), (244, 132, 95)), ((20, 60, 70), (190, 215, 190))]
    top, bottom = sky[(index // 2) % 4]
    picture = Image.new("RGB", (width, height))
    draw = ImageDraw.Draw(picture)
    for y in range(height):
        part = y / height
        draw.line([(0, y), (width, y)], fill=tuple(round(a + (b - a) * part) for a, b in zip(top, bottom)))
    x, y, radius = chance.randrange(60, width - 60), chance.randrange(50, height // 2), chance.randrange(16, 34)
    draw.ellipse([x - radius, y - radius, x + radius, y + radius], fill=(255, 240, 210))
    for layer in range(4):
        level, points = height * (0.5 + layer * 0.13), [(0, height)]
        for step in range(13):
            points.append((step * width / 12, level + chance.uniform(-1, 1) * height * (0.1 - layer * 0.015)))
        shade = 0.75 - layer * 0.17
        draw.polygon([*points, (width, height)], fill=tuple(round(shade * (a + b) / 2) for a, b in zip(top, bottom)))
    data = io.BytesIO()
    picture.filter(ImageFilter.GaussianBlur(0.7)).save(data, "PNG")
    return data.getvalue()


@pytest.fixture(scope="module")
def gallery():
    """A deployment with few pictures and some comments."""
    with deployment() as running:
        running.fill(
            15, description=lambda index: CAPTIONS[index % 6][1], location=lambda index: CAPTIONS[index % 6][0], picture=photograph)
        first = running.ids(1)[0]
        for name, message in [("Ana Luísa", "Que luz!"), ("yannis", "Where exactly is this? I was there in May and saw only fog, for three whole days."), ("نور", "جميل جدا")]:
            running.gateway("comment", first, message, "--username", name)
        yield running


@pytest.fixture(scope="module")
def empty():
    with deployment() as running:
        yield running


def shown(page, state):
    """Waits until everything on the screen is painted."""
    page.wait_for_function(
        """isLoading => [...document.querySelectorAll('.photo, .stage img')].every(image => {
            const { top, bottom, width } = image.getBoundingClientRect();
            const isDone = isLoading || image.matches('.failed *') || (image.naturalWidth > 0 && image.complete && !image.matches('.loading *'));
            return top > innerHeight || bottom < 0 || !width || isDone;
        })""", arg=state == "loading")
    # Ages grow while the tests run.
    page.evaluate("() => document.querySelectorAll('time').forEach(one => { one.textContent = '2020'; })")
    page.evaluate("() => Promise.all([document.fonts.ready, ...document.getAnimations().filter(one => one.effect.getTiming().iterations === 1).map(one => one.finished)])")
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def scroll_until(page, selector):
    page.wait_for_function(
        """selector => {
            scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });
            return document.querySelector(selector);
        }""", arg=selector)


def bring(page, state, server):
    """Opens the page in a state."""
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
        page.evaluate("scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })")
    if state == "loading":
        # The row before the end and the row that stands for the next page.
        scroll_until(page, "#more .outlines")
        page.wait_for_selector(".loading")
    if state == "end":
        scroll_until(page, "#more .end")
        page.evaluate("scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })")


def scenes():
    for device in DEVICES:
        for scheme in ("light", "dark"):
            for state in STATES:
                yield (state, device, scheme, "en", 100)
    for language in ("pt-BR", "el", "es"):
        for state in ("feed", "comments"):
            yield (state, "phone", "light", language, 100)
    for device in DEVICES:
        for size in (150, 200):
            for state in ("feed", "comments", "error"):
                yield (state, device, "light", "en", size)


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


@pytest.fixture(scope="module")
def sheet(request, browser):
    """Collects the screenshots, and lays them out when all are there."""
    folder = request.config.getoption("--sheet")
    names = []

    def add(name, data):
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{name}.png").write_bytes(data)
            names.append(name)

    yield add
    if names:
        figures = "".join(f'<figure><img src="{html.escape(one)}.png"><figcaption>{html.escape(one)}</figcaption></figure>' for one in names)
        style = "body{display:flex;flex-wrap:wrap;gap:16px;margin:16px;font:13px sans-serif;background:#888}figure{margin:0}img{display:block;height:420px}"
        (folder / "sheet.html").write_text(f"<!doctype html><meta charset=utf-8><style>{style}</style>{figures}")
        page = browser.new_page(viewport={"width": 2400, "height": 1000})
        page.goto((folder / "sheet.html").absolute().as_uri())
        page.screenshot(path=folder / "sheet.png", full_page=True)
        page.close()


@pytest.mark.parametrize("scene", list(scenes()), ids=name)
def test_the_screen_looks_as_it_did(request, open_page, gallery, sheet, scene):
    state, device, scheme, language, size = scene
    server = request.getfixturevalue("empty") if state == "empty" else gallery
    page = open_page(None, color_scheme=scheme, locale=language, reduced_motion="reduce", **DEVICES[device])
    if size != 100:
        page.add_init_script(f"document.addEventListener('DOMContentLoaded', () => document.documentElement.style.fontSize = '{size}%')")
    bring(page, state, server)
    shown(page, state)
    data = page.screenshot(caret="hide")
    sheet(name(scene), data)
    picture = quarter(Image.open(io.BytesIO(data)).convert("RGB"))
    path = SCREENS / f"{name(scene)}.png"
    if request.config.getoption("--accept-screens"):
        SCREENS.mkdir(exist_ok=True)
        picture.quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)
    expected = Image.open(path).convert("RGB")
    mean, worst = difference(expected, picture)
    lost = lost_lines(expected, picture)
    assert mean <= TOLERANCE and worst <= CELL_TOLERANCE and lost == 0, (
        f"differs by {mean:.1f}, in a cell by {worst}, of 255, and in {lost} lines; look at it with --sheet DIR, then --accept-screens")


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("state", TEXTS)
def test_a_missing_text_is_found(request, open_page, gallery, state, device):
    page = open_page(None, reduced_motion="reduce", **DEVICES[device])
    bring(page, state, request.getfixturevalue("empty") if state == "empty" else gallery)
    shown(page, state)
    screen = lambda: quarter(Image.open(io.BytesIO(page.screenshot(caret="hide"))).convert("RGB"))
    whole = screen()
    assert lost_lines(whole, screen()) == 0
    for selector in TEXTS[state]:
        element = page.locator(selector).first
        if not element.is_visible() or element.bounding_box()["y"] > page.viewport_size["height"] - 20:
            continue
        element.evaluate("one => one.style.visibility = 'hidden'")
        assert lost_lines(whole, screen()) > 0, selector
        element.evaluate("one => one.style.visibility = ''")

"""Where things are: a box is its picture, the grid has full lines, and nothing moves when more comes or the layout changes."""

import json
import shutil
import uuid

import pytest

from deployment import PATIENCE, deployment, png
from slow_phone import OBSERVER, vitals
from test_page import ready, scroll_for_rows, settle, shown_ids, until
from test_search import MANIFEST

BAR = 56
WINDOWS = {"phone": (390, 844), "sideways": (844, 390), "desktop": (1440, 900), "wide": (2560, 1440)}
SHAPES = {"landscape": (120, 90), "portrait": (60, 180), "panorama": (300, 60), "unknown": (600, 200)}

# Rows that were never near have an estimated size, and get theirs when they are. This gives all rows theirs at once.
ALL_SIZES = """
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(".items .item { content-visibility: visible !important; }");
    document.adoptedStyleSheets = [sheet];"""


@pytest.fixture(scope="module")
def shapes():
    """A deployment with a picture of each shape. No program ever sees the one of unknown size, only the browser does."""
    with deployment() as running:
        sizes = list(SHAPES.values())
        running.fill(3, picture=lambda index: png((90, 120, 150), *sizes[index]))
        item = {"id": str(uuid.uuid4()).upper(), "description": "Unknown", "image": "https://192.0.2.1/picture.png"}
        running.call("feed.publish", {"items": [item]})
        newest, *others = running.ids()
        yield running, dict(zip(SHAPES, [*others, newest]))


def serve_unknown(page, id):
    page.route(f"**/{id}/data*", lambda route: route.fulfill(body=png((150, 90, 120), *SHAPES["unknown"]), content_type="image/png"))


def use_grid(page, server):
    page.context.add_cookies([{"name": "layout", "value": "grid", "url": server.url}])


def box(page, selector):
    return page.eval_on_selector(selector, "one => one.getBoundingClientRect().toJSON()")


def lines(page):
    """The boxes of the rows, by the lines of the grid."""
    boxes = page.eval_on_selector_all("#list > *", "rows => rows.map(row => row.getBoundingClientRect().toJSON())")
    found = []
    for one in boxes:
        if found and abs(found[-1][0]["top"] - one["top"]) < 1:
            found[-1].append(one)
        else:
            found.append([one])
    return found


# --- A box is its picture -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("window", WINDOWS)
def test_a_picture_two_lines_and_the_bar_fit_into_the_window(open_at, shapes, window):
    server, ids = shapes
    width, height = WINDOWS[window]
    for path in ("/", *(f"/image/{id}" for id in ids.values())):
        page = open_at(server, path, viewport={"width": width, "height": height}, java_script_enabled=False)
        heights = page.eval_on_selector_all(".picture", "all => all.map(one => one.getBoundingClientRect().height)")
        assert heights and max(heights) <= height - BAR - 60, path


@pytest.mark.parametrize("window", ["phone", "sideways", "desktop"])
def test_what_belongs_to_a_picture_is_within_its_edges(open_at, shapes, window):
    server, ids = shapes
    width, height = WINDOWS[window]
    page = open_at(server, "/", viewport={"width": width, "height": height})
    for shape, id in ids.items():
        picture = box(page, f"#i-{id} .picture")
        for part in ("", ".caption", ".photo", ".cover"):
            other = box(page, f"#i-{id} {part}")
            assert (other["left"], other["right"]) == (picture["left"], picture["right"]), (shape, part)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("window", ["phone", "desktop"])
def test_the_page_of_an_image_shows_it_whole_without_a_frame(open_at, shapes, window, shape):
    server, ids = shapes
    width, height = WINDOWS[window]
    page = open_at(server, None, viewport={"width": width, "height": height})
    serve_unknown(page, ids["unknown"])
    page.goto(f"/image/{ids[shape]}")
    page.wait_for_function("() => document.querySelector('.photo').naturalWidth > 0 && !document.querySelector('.loading')")
    picture = box(page, ".picture")
    assert picture["width"] / picture["height"] == pytest.approx(SHAPES[shape][0] / SHAPES[shape][1], rel=0.01)
    # The buttons do not cover each other.
    if page.query_selector(".neighbour.next"):
        next, sign = box(page, ".neighbour.next"), box(page, ".cover svg")
        assert sign["top"] >= next["bottom"] or sign["right"] <= next["left"]
    comments = box(page, ".comments")
    if window == "desktop":
        # Beside the comments, and there while they scroll.
        assert comments["top"] == pytest.approx(picture["top"], abs=8) and comments["left"] > picture["right"]
        page.evaluate("document.querySelector('.comments').style.height = '3000px'")
        page.evaluate("scrollTo({ top: 1000, behavior: 'instant' })")
        assert box(page, ".picture")["top"] == pytest.approx(BAR + 8, abs=1)
    else:
        assert comments["top"] > picture["bottom"]


# --- The grid -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("window, target", [("phone", 180), ("desktop", 280), ("wide", 280)])
def test_each_line_of_the_grid_is_full_and_about_as_high_as_the_others(open_at, feed, window, target):
    width, height = WINDOWS[window]
    page = open_at(feed, None, viewport={"width": width, "height": height}, java_script_enabled=False)
    use_grid(page, feed)
    page.goto("/?limit=60")
    gap = 4 if window == "phone" else 8
    found = lines(page)
    assert sum(map(len, found)) == 60
    for line in found[:-1]:
        assert line[0]["left"] == gap and line[-1]["right"] == pytest.approx(width - gap, abs=0.5)
        assert max(one["height"] for one in line) - min(one["height"] for one in line) < 0.5
    for one, next in zip(found, found[1:]):
        assert next[0]["top"] - one[0]["bottom"] == pytest.approx(gap, abs=0.5)
    heights = [line[0]["height"] for line in found]
    assert 0.8 * target < sum(heights[:-1]) / len(heights[:-1]) < 1.2 * target and max(heights) < 1.7 * target
    # The last line is not stretched.
    assert heights[-1] <= min(heights) + 1
    # In the order of the feed, also for screen readers.
    assert page.locator("#list > *").evaluate_all("rows => rows.map(row => row.dataset.id)") == feed.ids()


def test_a_caption_of_the_grid_is_shown_on_focus_and_fits(open_at, feed):
    for width, height in WINDOWS.values():
        page = open_at(feed, None, viewport={"width": width, "height": height}, reduced_motion="reduce")
        use_grid(page, feed)
        page.goto("/")
        ready(page)
        opacity = lambda: page.eval_on_selector("#list > :nth-child(3) .caption", "one => getComputedStyle(one).opacity")
        assert opacity() == "0"
        page.focus("#list > :nth-child(3)")
        assert opacity() == "1"
        # The ring is around the picture, which would cover it.
        ring = page.eval_on_selector("#list > :nth-child(3)", "one => getComputedStyle(one).outlineOffset")
        assert ring == "0px"
        row, caption = box(page, "#list > :nth-child(3)"), box(page, "#list > :nth-child(3) .caption")
        assert row["top"] <= caption["top"] and caption["bottom"] == pytest.approx(row["bottom"], abs=1)


def test_pictures_of_the_grid_are_sharp(open_at, gallery):
    page = open_at(gallery, None, viewport={"width": 390, "height": 844}, device_scale_factor=2)
    use_grid(page, gallery)
    page.goto("/")
    ready(page)
    page.wait_for_function("() => [...document.querySelectorAll('.photo')].slice(0, 6).every(one => one.complete && one.naturalWidth)")
    asked = """photos => photos.slice(0, 6).map(one => [Number(new URL(one.currentSrc).searchParams.get('w')), 2 * one.width])"""
    for got, needed in page.eval_on_selector_all(".photo", asked):
        assert needed <= got + 1 and got < 2 * needed + 320
    # What is sharp in the grid is sharp in the list.
    page.click(".to-list")
    # A reader who scrolls ends the search for the place before.
    page.keyboard.press("Home")
    page.wait_for_function(
        """() => {
            const photo = document.querySelector(".photo");
            return photo.currentSrc && Number(new URL(photo.currentSrc).searchParams.get("w")) >= Math.min(2 * photo.width, 640);
        }""")


@pytest.mark.parametrize("layout", ["list", "grid"])
def test_nothing_moves_while_the_reader_scrolls_and_pages_come_in(open_page, feed, layout):
    page = open_page(None, viewport={"width": 390, "height": 844})
    page.add_init_script(OBSERVER)
    if layout == "grid":
        use_grid(page, feed)
    page.goto("/")
    ready(page)
    page.mouse.move(195, 400)
    until(page, lambda: (page.mouse.wheel(0, 250), len(shown_ids(page)) >= 36)[1])
    settle(page)
    assert vitals(page)["shift"] <= 0.01


# --- The place of the reader ----------------------------------------------------------------------------------------------


def middle_of(page, row):
    picture = box(page, f"#i-{row} .picture")
    return picture["top"] + picture["height"] / 2


@pytest.mark.parametrize("window", ["phone", "desktop"])
@pytest.mark.parametrize("number", [40, 200])
def test_the_grid_keeps_the_place_of_the_reader(open_at, many, window, number):
    width, height = WINDOWS[window]
    page = open_at(many, viewport={"width": width, "height": height})
    ready(page)
    scroll_for_rows(page, number + 60)
    row = shown_ids(page)[number]
    page.evaluate("id => document.querySelector(`#i-${id}`).scrollIntoView({ block: 'center', behavior: 'instant' })", row)
    settle(page)
    page.evaluate(
        """id => { const box = document.querySelector(`#i-${id} .picture`).getBoundingClientRect();
        scrollBy({ top: box.top + box.height / 2 - innerHeight / 2, behavior: 'instant' }); }""", row)
    settle(page)
    before = middle_of(page, row)
    # There and back, twice: the reader is where the reader was.
    for layout in ("grid", "list", "grid", "list"):
        button = box(page, f".to-{layout}")
        # `page.click` would scroll first.
        page.mouse.click(button["x"] + 20, button["y"] + 20)
        settle(page)
        assert middle_of(page, row) == pytest.approx(before, abs=2), layout


@pytest.fixture(scope="module")
def many():
    """A deployment with 400 pictures, more than stay unfolded."""
    with deployment() as running:
        running.fill(60)
        for batch in range(4):
            running.publish(*[f"Row {batch * 100 + index}" for index in range(85)])
        yield running


def test_a_change_of_the_layout_lays_out_only_the_rows_on_the_screen_before_it_is_painted(open_at, many):
    page = open_at(many)
    ready(page)
    scroll_for_rows(page, 60)
    page.evaluate("scrollTo({ top: document.documentElement.scrollHeight / 2, behavior: 'instant' })")
    settle(page)
    most = None
    for view in ("grid", "list"):
        laid_out, shown = page.evaluate(
            """name => {
                document.querySelector(name).click();
                const rows = [...document.querySelectorAll("#list > *")];
                const isShown = (row) => row.getBoundingClientRect().bottom > 0 && row.getBoundingClientRect().top < innerHeight;
                const isLaidOut = (row) => row.firstElementChild?.checkVisibility({ contentVisibilityAuto: true });
                const shown = rows.filter(isShown);
                return [rows.filter(isLaidOut).map(row => row.id), shown.map(row => row.id)];
            }""",
            f".to-{view}")
        # The browser would lay out what is near: several screens of the grid.
        most = most or 2 * len(shown)
        assert shown and set(shown) <= set(laid_out) and len(laid_out) <= most, view
        # Then the others follow.
        page.wait_for_selector("#list:not(.changing)", state="attached")
        settle(page)
        assert page.locator("#list > .shown").count() == 0


@pytest.mark.parametrize("layout", ["list", "grid"])
def test_rows_keep_their_place_when_they_are_folded_and_unfolded(open_at, many, layout):
    page = open_at(many, None, viewport={"width": 390, "height": 844})
    page.add_init_script(ALL_SIZES)
    if layout == "grid":
        use_grid(page, many)
    page.goto("/")
    ready(page)
    scroll_for_rows(page, 390)
    page.wait_for_function("() => document.querySelector('#list > :empty')")
    settle(page)
    tops = "() => [...document.querySelectorAll('#list > *')].map(row => row.getBoundingClientRect().top + scrollY)"
    before = page.evaluate(tops)
    folded = page.locator("#list > :empty").count()
    target = page.evaluate("() => [...document.querySelectorAll('#list > *')].findIndex(row => row.matches(':empty') && row.nextElementSibling.matches(':empty')) + 1")
    page.evaluate("top => scrollTo({ top, behavior: 'instant' })", before[target])
    page.wait_for_function("count => document.querySelectorAll('#list > :empty').length < count", arg=folded)
    settle(page)
    after = page.evaluate(tops)
    assert max(abs(one - other) for one, other in zip(before, after)) <= 2


def test_the_words_of_folded_rows_are_renewed(open_at, many):
    page = open_at(many, viewport={"width": 390, "height": 844})
    ready(page)
    scroll_for_rows(page, 300)
    page.wait_for_function("() => document.querySelector('#list > :first-child:empty')")

    def newer(route):
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace(">Row ", ">Newer row "))

    page.route(many.url + "/", newer)
    page.evaluate("new BroadcastChannel('changes ').postMessage({ name: 'reset' })")
    page.wait_for_function("() => [1, 12].every(n => document.querySelector(`#list > :nth-child(${n})`).textContent.includes('Newer row'))")


def test_a_removed_picture_of_the_grid_moves_no_other_that_is_on_the_screen(open_at, many):
    page = open_at(many, None, viewport={"width": 1440, "height": 900})
    page.add_init_script(OBSERVER)
    use_grid(page, many)
    page.goto("/")
    ready(page)
    scroll_for_rows(page, 60)
    ids = shown_ids(page)
    center = "id => document.getElementById('i-' + id).scrollIntoView({ block: 'center', behavior: 'instant' })"
    page.evaluate(center, ids[30])
    settle(page)
    before = [box(page, f"#i-{id}") for id in ids[28:33]]
    shift = vitals(page)["shift"]
    many.call("feed.remove", {"ids": [ids[12], ids[55]]})
    page.wait_for_selector(f"#i-{ids[55]}", state="detached")
    assert [box(page, f"#i-{id}") for id in ids[28:33]] == before and vitals(page)["shift"] == shift
    # It leaves when it is below the screen; the first line of the grid is higher than the window then.
    page.evaluate(center, ids[12])
    page.wait_for_selector(f"#i-{ids[12]}.gone")
    # Until the page knows that it is on the screen.
    settle(page)
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    page.set_viewport_size({"width": 1440, "height": 200})
    page.wait_for_selector(f"#i-{ids[12]}", state="detached")


@pytest.mark.parametrize("layout", ["list", "grid"])
def test_a_phone_that_is_turned_keeps_the_place_of_the_reader(open_at, many, layout):
    page = open_at(many, None, viewport={"width": 390, "height": 844})
    if layout == "grid":
        use_grid(page, many)
    page.goto("/")
    ready(page)
    scroll_for_rows(page, 200)
    row = shown_ids(page)[150]
    for _ in range(2):
        page.evaluate("id => document.querySelector(`#i-${id} .picture, #i-${id}`).scrollIntoView({ block: 'center', behavior: 'instant' })", row)
        settle(page)
    for width, height in [(844, 390), (390, 844), (844, 390)]:
        page.set_viewport_size({"width": width, "height": height})
        settle(page)
        assert middle_of(page, row) == pytest.approx(height / 2, abs=0.2 * height)


# --- Large text -----------------------------------------------------------------------------------------------------------

PAGES = {
    "list": "/", "grid": "/", "image": "/image/{}", "results": "/search?q=picture", "nothing": "/search?q=nonsense", "error": "/nowhere",
    "offline": "/offline", "description": "/docs", "keys": "/",
}

# What is wrong with the texts of a page: wider than the window, cut, or with lines of a letter. A description may end after six lines,
# because a link leads to the rest.
FAULTS = """() => {
    const width = document.documentElement.clientWidth, found = [];
    if (document.documentElement.scrollWidth > width) found.push(`scrolls to ${document.documentElement.scrollWidth}`);
    for (const one of document.querySelectorAll("body *")) {
        const text = [...one.childNodes].filter(node => node.nodeType === Node.TEXT_NODE).map(node => node.data).join("").trim();
        if (!text || one.closest(".visually-hidden, .skip, svg") || !one.checkVisibility()) continue;
        const box = one.getBoundingClientRect(), style = getComputedStyle(one);
        const longest = Math.max(...text.split(/\\s+/).map(word => word.length));
        if (box.left < -1 || box.right > width + 1) found.push(`outside: ${text}`);
        if (style.overflow !== "visible" && one.scrollWidth > one.clientWidth + 1) found.push(`cut: ${text}`);
        if (style.overflow !== "visible" && one.scrollHeight > one.clientHeight + 2 && !one.matches(".text")) found.push(`cut below: ${text}`);
        if (box.width < Math.min(longest, 4) * 0.4 * parseFloat(style.fontSize)) found.push(`narrow: ${text}`);
    }
    return found;
}"""


@pytest.fixture(scope="module")
def found():
    """A deployment with search."""
    with deployment(manifests=[MANIFEST]) as running:
        long = "The picture of a tram that climbs the hill every morning at seven and waits at the top for the light of the evening"
        running.fill(12, description=lambda index: f"{long}\nText" if index == 0 else f"Picture number {index}")
        running.start("search")
        running.processes["search"].wait_for("all images are indexed")
        running.wait_until_healthy("search")
        yield running


@pytest.fixture(scope="module")
def large(browser, tmp_path_factory):
    """A browser whose reader has set text of twice the size."""
    folder = tmp_path_factory.mktemp("large")
    (folder / "Default").mkdir()
    (folder / "Default/Preferences").write_text(json.dumps({"webkit": {"webprefs": {"default_font_size": 32}}}))
    context = browser.browser_type.launch_persistent_context(
        folder, executable_path=shutil.which("chromium"), args=["--no-sandbox"], timeout=PATIENCE * 1_000, service_workers="block")
    yield context
    context.close()


def test_the_banner_is_under_a_bar_of_two_lines(open_at, found):
    page = open_at(found, "/", viewport={"width": 390, "height": 844}, locale="el")
    ready(page)
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    page.route(found.url + "/", lambda route: route.abort())
    page.keyboard.press("r")
    page.wait_for_selector(".banner")
    settle(page)
    bar, banner = box(page, ".bar"), box(page, ".banner")
    assert bar["height"] > 1.5 * BAR and banner["top"] >= bar["bottom"]


@pytest.mark.parametrize("language", ["en", "pt-BR", "el", "es"])
@pytest.mark.parametrize("view", PAGES)
def test_large_text_is_whole(large, browser, found, view, language):
    zoomed = browser.new_context(service_workers="block")
    try:
        # Text of 200 %, and a zoom of 400 % of windows 1,440 and 1,280 px wide.
        for context, windows in [(large, [(360, 780), (390, 844), (768, 1024), (1440, 900)]), (zoomed, [(360, 225), (320, 200)])]:
            context.clear_cookies()
            layout = "grid" if view == "grid" else "list"
            context.add_cookies([{"name": name, "value": value, "url": found.url} for name, value in [("lang", language), ("layout", layout)]])
            page = context.new_page()
            page.add_init_script(ALL_SIZES)
            page.goto(found.url + PAGES[view].format(found.ids(1)[0]))
            if view == "keys":
                ready(page)
                page.keyboard.press("?")
            for width, height in windows:
                page.set_viewport_size({"width": width, "height": height})
                settle(page)
                assert page.evaluate(FAULTS) == [], width
            page.close()
    finally:
        zoomed.close()

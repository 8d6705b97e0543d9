"""The picture in full size: its caption, its bounds, and what is loaded ahead."""

import re
import uuid

import pytest

from deployment import deployment, png
from test_behaviours import PHONE, Fingers, scale
from test_page import until

CAPTION = "#stage-caption"


@pytest.fixture(scope="module")
def wide():
    """Three pictures that are larger than the windows of the tests, with a title, a credit and a licence."""
    with deployment() as feed:
        feed.fill(3, picture=lambda index: png((90 * index, 120, 90), 2_000, 1_500))
        yield feed


@pytest.fixture
def open_wide(open_at, wide):
    return lambda *arguments, **options: open_at(wide, *arguments, **options)


def picture(feed, index=1):
    return f"/image/{feed.ids(3)[index]}/picture"


def publish(feed, **members):
    """Publishes an item at the top, with the picture of the newest item."""
    item = {"id": str(uuid.uuid4()).upper(), "image": feed.call("feed.load", {"limit": 1})["items"][0]["image"], **members}
    feed.call("feed.publish", {"items": [item]})
    return item["id"]


def bounds(page):
    return page.eval_on_selector("#stage img", "image => image.getBoundingClientRect().toJSON()")


@pytest.mark.parametrize("options", [{}, PHONE])
def test_a_tap_hides_the_caption_and_shows_it_again(open_wide, wide, options):
    image = publish(wide, description="Old tram\nMissed it by ten seconds", location="Lisbon", credit="Ana Silva",
                    license="CC-BY-4.0", source="https://a.example/tram")
    try:
        page = open_wide(f"/image/{image}/picture", **options)
        tap = page.touchscreen.tap if options else page.mouse.click
        assert page.inner_text(CAPTION).split("\n") == ["Old tram", "", "Photo: Ana Silva\xa0· CC-BY-4.0"]
        box = page.query_selector(CAPTION).bounding_box()
        assert box["y"] + box["height"] == page.viewport_size["height"]
        tap(200, 200)
        page.wait_for_selector(CAPTION, state="hidden")
        assert page.get_by_role("heading", name="Old tram", level=1).count() == 1 and page.get_by_role("link", name="CC-BY-4.0").count() == 0
        tap(200, 200)
        page.wait_for_selector(CAPTION)
        page.keyboard.press("c")
        page.wait_for_selector(CAPTION, state="hidden")
        page.keyboard.press("c")
        # A link in the caption is followed, and hides nothing.
        page.route("https://a.example/**", lambda route: route.fulfill(body="The original"))
        page.click(CAPTION + " a")
        page.wait_for_url("https://a.example/tram")
    finally:
        wide.call("feed.remove", {"ids": [image]})


def test_a_picture_without_a_title_and_a_place_has_no_words_of_ours(open_wide, wide):
    image = publish(wide)
    try:
        page = open_wide(f"/image/{image}/picture")
        assert page.title() == "My Feed" and not page.inner_text(CAPTION).replace("Image", "").strip()
        assert page.eval_on_selector(CAPTION + " h1", "title => title.offsetWidth") <= 1
    finally:
        wide.call("feed.remove", {"ids": [image]})


@pytest.mark.parametrize("options", [{}, PHONE])
def test_two_taps_zoom_where_they_are_and_leave_the_caption(open_wide, wide, options):
    page = open_wide(picture(wide), **options)
    page.wait_for_function("() => document.querySelector('#stage img').naturalWidth === 2000")
    before = bounds(page)
    x, y = before["x"] + before["width"] / 4, before["y"] + before["height"] / 2
    events = page.context.new_cdp_session(page)

    def tap(time):
        """At a time in seconds: the machine of the test may be slow."""
        if options:
            for kind, points in [("touchStart", [{"x": x, "y": y}]), ("touchEnd", [])]:
                events.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points, "timestamp": time})
        else:
            for kind in ("mousePressed", "mouseReleased"):
                events.send("Input.dispatchMouseEvent", {
                    "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1, "timestamp": time})

    now = page.evaluate("Date.now() / 1000")
    tap(now)
    tap(now + 0.2)
    until(page, lambda: scale(page) == 2.5)
    after = bounds(page)
    assert (x - after["x"]) / after["width"] == pytest.approx(1 / 4, abs=0.01) and page.is_visible(CAPTION)
    tap(now + 1)
    page.wait_for_selector(CAPTION, state="hidden")
    tap(now + 2)
    page.wait_for_selector(CAPTION)
    assert scale(page) == 2.5
    tap(now + 2.2)
    until(page, lambda: scale(page) == 1)
    assert bounds(page) == before


def test_a_zoomed_picture_cannot_be_dragged_out_of_the_window(open_wide, wide):
    address = picture(wide)
    page = open_wide(address, **PHONE)
    page.wait_for_function("() => document.querySelector('#stage img').naturalWidth === 2000")
    for _ in range(2):
        page.keyboard.press("+")
    # 878 px wide and 658 px high, in a window of 390 px by 844 px.
    fingers = Fingers(page)
    for _ in range(3):
        fingers.move(((350, 600), (10, 380)))
    box = bounds(page)
    assert box["right"] == pytest.approx(390, abs=1) and box["y"] + box["height"] / 2 == pytest.approx(422, abs=1)
    for _ in range(3):
        fingers.move(((40, 600), (380, 830)))
    assert bounds(page)["left"] == pytest.approx(0, abs=1)
    page.keyboard.press("0")
    assert bounds(page)["left"] == 0 and bounds(page)["width"] == 390
    assert page.is_visible(CAPTION) and page.url.endswith(address)


def test_the_wheel_zooms_and_the_mouse_drags_without_hiding_the_caption(open_wide, wide):
    address = picture(wide)
    page = open_wide(address)
    page.wait_for_function("() => document.querySelector('#stage img').naturalWidth === 2000")
    page.mouse.move(400, 450)
    page.mouse.wheel(0, -300)
    until(page, lambda: scale(page) == pytest.approx(2.718, abs=0.01))
    before = bounds(page)
    page.mouse.down()
    page.mouse.move(300, 400, steps=4)
    page.mouse.up()
    after = bounds(page)
    assert (after["x"], after["y"]) == pytest.approx((before["x"] - 100, before["y"] - 50), abs=1)
    assert page.is_visible(CAPTION) and page.url.endswith(address)
    page.keyboard.press("-")
    assert scale(page) == pytest.approx(2.718 / 1.5, abs=0.01)


# Fingers that CDP cannot make: at the same point, or cancelled one by one. Each event is [type, id, x, y, selector].
FINGERS = """events => {
    const stage = document.getElementById("stage");
    stage.setPointerCapture = () => {};
    for (const [type, pointerId, clientX, clientY, selector = "#stage"] of events) {
        const options = { pointerId, clientX, clientY, pointerType: "touch", bubbles: true, cancelable: true };
        document.querySelector(selector).dispatchEvent(new PointerEvent("pointer" + type, options));
    }
}"""


def test_two_fingers_at_the_same_point_do_not_end_the_zoom(open_wide, wide):
    page = open_wide(picture(wide), **PHONE)
    page.wait_for_function("() => document.querySelector('#stage img').naturalWidth === 2000")
    page.evaluate(FINGERS, [["down", 1, 100, 400], ["down", 2, 100, 400], ["move", 1, 100, 400], ["up", 1, 100, 400], ["up", 2, 100, 400]])
    assert scale(page) == 1
    page.keyboard.press("+")
    assert scale(page) == 1.5


@pytest.mark.parametrize("events", [
    [["down", 1, 100, 300], ["cancel", 1, 100, 300], ["up", 2, 100, 500]],
    [["down", 1, 100, 300], ["down", 2, 100, 500, "#stage-caption a"], ["up", 2, 100, 500, "#stage-caption a"]],
])
def test_only_the_finger_that_went_down_on_the_picture_swipes(open_wide, wide, events):
    image = publish(wide, description="Old tram", credit="Ana Silva", license="CC-BY-4.0", source="https://a.example/tram")
    try:
        page = open_wide(f"/image/{image}/picture", **PHONE)
        page.wait_for_function("() => document.querySelector('#stage img').naturalWidth === 2000")
        page.evaluate("document.getElementById('back').addEventListener('click', () => { window.isClosed = true; })")
        page.evaluate(FINGERS, events)
        assert page.is_visible(CAPTION) and not page.evaluate("window.isClosed")
    finally:
        wide.call("feed.remove", {"ids": [image]})


def requested(page):
    """The images whose bytes a page requests in full size, as it requests them."""
    found = []
    page.on("request", lambda request: found.extend(re.findall("/image/([^/]+)/data$", request.url)))
    return found


def test_a_swipe_may_begin_on_the_retry_sign(open_wide, wide):
    page = open_wide(None, **PHONE)
    page.route("**/data*", lambda route: route.fulfill(status=503))
    page.goto(picture(wide))
    page.wait_for_selector("#stage.failed .retry")
    assert page.is_visible(".stage-placeholder") and page.is_hidden("#stage img:not(.stage-placeholder)")
    Fingers(page).move(((195, 422), (45, 422)))
    page.wait_for_url(f"**{picture(wide, 2)}")


def test_the_placeholder_is_shown_until_the_picture_has_come(open_wide, wide):
    page, held = open_wide(None), []
    page.route("**/data*", lambda route: held.append(route))
    page.goto(picture(wide), wait_until="commit")
    page.wait_for_function("() => document.querySelector('.stage-placeholder')?.naturalWidth")
    # Both are as wide and as high as the window lets the picture be.
    assert page.eval_on_selector(".stage-placeholder", "one => [one.offsetWidth, one.offsetHeight]") == [800, 900]
    until(page, lambda: held)
    held.pop(0).continue_()
    page.wait_for_selector(".stage-placeholder", state="detached")
    page.unroute("**/data*")


def test_the_neighbours_are_loaded_ahead(open_wide, wide):
    page = open_wide(None)
    found = requested(page)
    ids = wide.ids(3)
    page.goto(picture(wide))
    until(page, lambda: len(found) == 3)
    assert found[0] == ids[1] and sorted(found) == sorted(ids)


def test_nothing_is_loaded_ahead_for_a_reader_who_saves_data(open_wide, wide):
    page = open_wide(picture(wide), extra_http_headers={"Save-Data": "on"})
    assert page.locator(".neighbour").count() == 2 and not page.query_selector("[data-ahead]")


def test_a_sensitive_picture_is_covered_in_full_size_and_not_loaded_ahead(open_wide, wide):
    image = publish(wide, description="Covered", sensitive=True)
    try:
        page = open_wide(None)
        found = requested(page)
        page.goto(f"/image/{wide.ids(2)[1]}/picture")
        until(page, lambda: wide.ids(3)[2] in found)
        page.click(".neighbour.previous")
        page.wait_for_url(f"**/image/{image}/picture")
        page.wait_for_selector(".veil summary")
        until(page, lambda: found.count(wide.ids(2)[1]) > 0)
        assert image not in found and not page.query_selector("#stage.failed")
        page.click(".veil summary")
        until(page, lambda: image in found)
        page.wait_for_function("() => document.querySelector('#stage img').naturalWidth === 2000")
        page.keyboard.press("+")
        assert scale(page) == 1.5
    finally:
        wide.call("feed.remove", {"ids": [image]})

"""Behaviours of the page beyond the feed: gestures, print, two readers, keys alone, the accessibility tree, and hostile texts."""

import json
import re
import urllib.error
import urllib.parse
import urllib.request
import uuid

import pytest

from test_page import PAGE, published, ready, shown_ids, until, wait_for_news, write

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


def post(feed, image, comment):
    fields = {"Authorization": f"Bearer {feed.token}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{feed.url}/v1/image/{image}/comments", json.dumps(comment).encode(), fields)
    with urllib.request.urlopen(request) as answer:
        assert answer.status == 201


# --- The picture in full size -------------------------------------------------------------------------------------------


class Fingers:
    """Touches of a page. The browser makes pointer events and gestures of them."""

    def __init__(self, page):
        self.inspector = page.context.new_cdp_session(page)

    def touch(self, kind, *points):
        touches = [{"x": x, "y": y, "id": index} for index, (x, y) in enumerate(points)]
        self.inspector.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    def move(self, *ways):
        """Moves a finger on each way, (x, y) to (x, y), at once."""
        self.touch("touchStart", *[start for start, _ in ways])
        for step in range(1, 11):
            self.touch("touchMove", *[
                (x + (to_x - x) * step / 10, y + (to_y - y) * step / 10) for (x, y), (to_x, to_y) in ways])
        self.touch("touchEnd")


def scale(page):
    return page.evaluate("new DOMMatrix(getComputedStyle(document.querySelector('#stage img')).transform).a")


def test_two_fingers_zoom_the_picture(open_page, feed):
    page = open_page(f"/image/{feed.ids(2)[1]}/picture", **PHONE)
    fingers = Fingers(page)
    fingers.move(((180, 420), (100, 420)), ((210, 420), (290, 420)))
    assert 5 < scale(page) < 7
    fingers.move(((100, 420), (180, 420)), ((290, 420), (210, 420)))
    assert scale(page) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("way, neighbour", [((-150, 0), 2), ((150, 0), 0), ((-40, 0), 1), ((0, -150), 1)])
def test_a_swipe_leads_to_the_neighbour(open_page, feed, way, neighbour):
    ids = feed.ids(3)
    page = open_page(f"/image/{ids[1]}/picture", **PHONE)
    Fingers(page).move(((195, 420), (195 + way[0], 420 + way[1])))
    page.wait_for_url(f"**/image/{ids[neighbour]}/picture")


def test_a_swipe_down_closes_the_picture(open_page, feed):
    image = feed.ids(2)[1]
    page = open_page(f"/image/{image}/picture", **PHONE)
    Fingers(page).move(((195, 300), (200, 450)))
    page.wait_for_url(re.compile(f"/image/{image}$"))


@pytest.mark.parametrize("answer", [{"status": 503}, {"status": 200, "body": "no picture", "content_type": "image/png"}])
def test_a_failed_picture_in_full_size_can_be_loaded_again(open_page, feed, answer):
    page = open_page(None, **PHONE)
    page.route("**/data*", lambda route: route.fulfill(**answer))
    page.goto(f"/image/{feed.ids(1)[0]}/picture")
    page.wait_for_selector("#stage.failed .retry")
    assert page.get_attribute(".retry", "aria-label") == "Try again"
    page.tap(".retry")
    page.wait_for_selector("#stage.failed .retry")
    page.unroute("**/data*")
    page.focus(".retry")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#stage img').naturalWidth === 120")
    assert not page.query_selector("#stage .retry") and page.evaluate("document.activeElement.id") == "back"


# --- The feed -----------------------------------------------------------------------------------------------------------


def test_a_pull_at_the_top_reloads(open_page, feed):
    page = open_page(None, **PHONE)
    # An open stream would compare the rows with the first page.
    page.route("**/v1/feed/events", lambda route: None)
    page.goto("/")
    ready(page)
    loads = []
    page.on("request", lambda request: loads.append(request.url) if request.url == feed.url + "/" else None)
    Fingers(page).move(((195, 300), (195, 350)))
    assert loads == []
    with page.expect_request(feed.url + "/"):
        Fingers(page).move(((195, 300), (195, 420)))
    page.wait_for_selector("#reload:not(.armed)")


def test_a_pull_that_the_system_cancels_does_not_reload(open_page):
    page = open_page(None, **PHONE)
    page.route("**/v1/feed/events", lambda route: None)
    page.goto("/")
    ready(page)
    fingers = Fingers(page)
    fingers.touch("touchStart", (195, 300))
    fingers.touch("touchMove", (195, 420))
    page.wait_for_selector("#reload.armed")
    fingers.touch("touchCancel")
    page.wait_for_selector("#reload:not(.armed)")


def test_print_shows_rows_and_comments_without_controls(open_page, feed):
    image = feed.ids(1)[0]
    page = open_page()
    ready(page)
    page.emulate_media(media="print")
    shown = lambda selector: [one for one in page.query_selector_all(selector) if one.is_visible()]
    assert not shown(".bar, .notices, #more, .links .more, .foot, .skip:focus") and len(shown(".caption")) == PAGE
    assert page.eval_on_selector_all("#list > *", "rows => rows.every(row => getComputedStyle(row).contentVisibility === 'visible')")
    page.goto(f"/image/{image}")
    assert not shown(".bar, .form, .cover, .foot") and shown(".photo") and shown("#comments-title")
    assert page.pdf().startswith(b"%PDF")


def test_a_comment_of_one_reader_is_seen_by_another(open_page, feed):
    image = feed.ids(8)[7]
    one, other = open_page(f"/image/{image}"), open_page()
    ready(other)
    # Not the inner text: a row that is not on the screen has none.
    count = other.locator(f"#i-{image} .count")
    before = count.text_content()
    write(one, "Seen from the other side", feed.token)
    one.wait_for_selector("#list >> text=Seen from the other side")
    other.keyboard.press("r")
    other.wait_for_function("([id, old]) => document.querySelector(`#i-${id} .count`).textContent !== old", arg=[image, before])
    assert before.strip() == "No comments yet" and count.text_content().strip() == "1 comment"
    count.click()
    other.wait_for_selector("#list >> text=Seen from the other side")


@pytest.mark.parametrize("script", [True, False])
def test_a_comment_after_many_is_shown_where_it_is(open_page, feed, script):
    image = feed.ids(11)[9 if script else 10]
    for index in range(52):
        post(feed, image, {"message": f"Number {index}", "username": "ana"})
    page = open_page(None, java_script_enabled=script)
    # The script loads no further comments, so some are missing between the shown ones and the new one.
    page.route("**/*after_id=*", lambda route: route.abort() if route.request.resource_type == "fetch" else route.continue_())
    page.goto(f"/image/{image}")
    assert page.locator("#list > *").count() == 50
    write(page, "The last of many", feed.token)
    page.wait_for_selector("#list >> text=The last of many")
    assert page.locator("#list > *").count() == 3 and "after_id" in page.url
    assert page.locator(".comment:target").inner_text().endswith("The last of many")


def test_without_the_comments_service_the_feed_goes_on(open_page, feed):
    image = feed.ids(1)[0]
    feed.processes["comments"].kill()
    feed.processes["comments"].wait()
    try:
        page, other = open_page(), open_page()
        ready(page)
        ready(other)
        assert page.inner_text("#problem").startswith("Some of this page is not available right now")
        page.keyboard.press("r")
        page.wait_for_selector("#reload[aria-busy=false]")
        assert page.locator("#problem").count() == 1
        assert len(shown_ids(page)) == PAGE
        page.wait_for_function("() => document.querySelector('.photo').naturalWidth > 0")
        page.goto(f"/image/{image}")
        # At first they are only late, until the gateway knows that the service is gone.
        page.wait_for_selector("#comments .quiet >> text=Comments are not available right now")
        page.wait_for_function("() => document.querySelector('.photo').naturalWidth > 0")
        assert not page.query_selector("#form")
    finally:
        feed.start("comments")
    feed.wait_until_healthy()

    def is_whole():
        other.keyboard.press("r")
        return not other.query_selector("#problem")

    # The gateway tries the service again a moment later.
    until(other, is_whole)
    page.reload()
    page.wait_for_selector("#form")


# --- Keys and the accessibility tree ------------------------------------------------------------------------------------


def tab_to(page, selector, limit=60):
    """Presses Tab until an element has the focus."""
    for _ in range(limit):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"{selector} is not reached with Tab")


def test_everything_can_be_done_with_keys_alone(open_page, feed):
    page = open_page()
    ready(page)
    image = shown_ids(page)[1]
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    # The skip link leads past the bar, to the rows.
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('.item')")
    tab_to(page, f"#i-{image} .count")
    page.keyboard.press("Enter")
    page.wait_for_selector("#comments")
    tab_to(page, ".cover")
    page.keyboard.press("Enter")
    page.wait_for_selector("#stage")
    page.keyboard.press("Escape")
    page.wait_for_selector("#form")
    for selector, text in [("#username", "ana"), ("#message", "Only keys"), ("#token", feed.token)]:
        tab_to(page, selector)
        page.keyboard.type(text)
    tab_to(page, "#form button")
    page.keyboard.press("Enter")
    page.wait_for_selector("#list >> text=Only keys")
    # The focus goes to the new comment, never to nowhere.
    page.wait_for_function("() => document.activeElement.matches('.comment')")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement !== document.body")
    for selector in ("#back", ".to-dark", ".menu summary"):
        page.focus(selector)
        assert page.evaluate("() => { const box = document.activeElement.getBoundingClientRect(); return Math.min(box.width, box.height); }") >= 44
    page.keyboard.press("Enter")
    tab_to(page, ".menu [lang=es]")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.matches('.menu summary')") and not page.query_selector(".menu[open]")


def test_the_accessibility_tree_of_the_feed(open_page, feed):
    page = open_page()
    ready(page)
    tree = page.locator("body").aria_snapshot()
    for line in [
            '- link "Skip to the content"', "- banner:", '- navigation "Settings":', '- link "Reload"', '- link "Show as grid"',
            '- link "Dark colors"', "- main:", '- heading "My Feed" [level=1]', '- feed "My Feed":', '- article "Place 0":',
            '- img "Picture number 0"', '- heading "Place 0" [level=2]', "- paragraph: Picture number 0", "- contentinfo:"]:
        assert line in tree, f"{line}\n{tree}"
    # A row is one stop, and its links name what they belong to.
    link = page.locator("#list .count").first
    assert page.locator(f"id={link.get_attribute('aria-describedby')}").inner_text() == "Place 0"


def test_each_row_has_its_name_for_a_screen_reader_also_far_from_the_screen(open_page):
    """Chromium takes no name from a row that is not laid out."""
    page = open_page()
    ready(page)
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    names = [node["name"]["value"] for node in nodes if not node["ignored"] and node["role"]["value"] == "article"]
    assert len(names) >= 12 and all(names), names


def test_the_accessibility_tree_of_the_comments(open_page, feed):
    image = feed.ids(14)[13]
    feed.gateway("comment", image, "A fine picture", "--username", "ana")
    tree = open_page(f"/image/{image}").locator("body").aria_snapshot()
    for line in [
            '- link "Back"', '- heading "Picture number 13" [level=1]', '- link "Show in full size"', '- region "1 comment":',
            '- heading "1 comment" [level=2]', "- list:", "- listitem:", "- paragraph: A fine picture", '- textbox "Your name"',
            '- textbox "Comment"', '- textbox "Access token"', '- button "Send"']:
        assert line in tree, f"{line}\n{tree}"


# What a page shows, in the order in which it is read. What lies over a picture belongs to it.
SEEN = """root => [...document.querySelector(root).querySelectorAll(':is(h1, h2, p, img, a, button, input, textarea, dt, dd, time)')]
    .filter(one => one.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })
        && !one.closest('.visually-hidden, .skip, .neighbour, .over, [hidden]'))
    .map(one => { const box = one.getBoundingClientRect(); return [one.outerHTML.slice(0, 80), box.top, box.bottom]; })
    .filter(([, top, bottom]) => bottom - top > 1)"""


@pytest.mark.parametrize("width", [390, 800])
@pytest.mark.parametrize("path", ["/", "/image/{}", "/image/{}/picture", "/docs", "/offline", "/nowhere"])
def test_a_page_is_read_in_the_order_in_which_it_is_seen(open_page, feed, path, width):
    image = feed.ids(3)[2]
    page = open_page(path.format(image), viewport={"width": width, "height": 900})
    check_order(page, "body")
    if (button := page.locator(".keys-button")).count():
        button.evaluate("button => button.click()")
        check_order(page, "dialog")


def check_order(page, root):
    lowest = ("", float("-inf"))
    for one, top, bottom in page.evaluate(SEEN, root):
        assert bottom > lowest[1], f"{one} is above {lowest[0]}"
        lowest = max(lowest, (one, top), key=lambda known: known[1])


def test_a_screen_reader_says_once_that_there_are_new_images(open_page, feed):
    page = open_page()
    ready(page)
    page.evaluate("""() => {
        window.said = [];
        const spoken = one => (one.nodeType === 1 ? one : one.parentElement)?.closest('[role=status], [role=alert], [aria-live]');
        new MutationObserver(changes => {
            for (const live of new Set(changes.map(change => spoken(change.target)).filter(Boolean))) said.push(live.innerText);
        }).observe(document.body, { childList: true, characterData: true, subtree: true });
    }""")
    with published(feed, "Spoken"):
        wait_for_news(page, "1 new image")
        assert page.evaluate("said") == ["1 new image"]


# --- Hostile texts and requests -----------------------------------------------------------------------------------------

HOSTILE = [
    "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>",
    "</textarea></title></style><svg onload=window.hacked=1>",
    "\"\u0301 onmouseover=window.hacked=1 x=\"\u0301",
    "{{title}} {{{title}}} {{#items}}x{{/items}} %@ %s ${title}",
    "\u202emoor eht fo tuo\u202c \u2066isolated",
    "😀🏽👩‍👩‍👧‍👦 \U0010ffff",
    "zero\u200bwidth \u200d\ufeff\u2060 end",
    "control \u0001\u0007\u001b[31m\u007f\u0085 end",
    "line\u2028paragraph\u2029\r\ndata: x\n\nevent: published",
    "Z\u0351\u036b\u0343\u036a\u0302" * 100,
    "صورة جميلة من لشبونة",
]
RIGHT_TO_LEFT = len(HOSTILE) - 1


def stored(text):
    """A line ends with LF, however its author wrote it."""
    return re.sub("\r\n?", "\n", text).strip()


def drawn(text):
    """What the page shows of a text: without control characters and overrides of the direction."""
    text = re.sub("[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]", "", text)
    return re.sub(r"\s+", " ", text).strip()


def words(text):
    """A text without differences of white space."""
    return re.sub(r"\s+", " ", text).strip()


@pytest.mark.parametrize("script", [True, False])
def test_hostile_comments_are_texts_and_break_no_layout(open_page, feed, script):
    image = feed.ids(17)[15 if script else 16]
    texts = [*HOSTILE, "x" * 2_000]
    for text in texts:
        post(feed, image, {"message": text, "username": text[:64]})
    with urllib.request.urlopen(f"{feed.url}/v1/image/{image}/comments") as answer:
        assert [one["message"] for one in json.load(answer)["items"]] == [stored(text) for text in texts]
    page = open_page(f"/image/{image}", java_script_enabled=script, viewport={"width": 320, "height": 700})
    messages = page.locator(".comment .message")
    assert [words(text) for text in messages.all_text_contents()] == [drawn(text) for text in texts]
    assert not page.query_selector("[onmouseover], [onerror], [onload]") and page.title() == "Picture number " + ("15" if script else "16") + " · My Feed"
    if script:
        assert page.evaluate("window.hacked") is None and page.evaluate("document.documentElement.scrollWidth") <= 320
        # A form that is refused shows the texts again.
        page.fill("#username", HOSTILE[0][:64])
        page.fill("#message", HOSTILE[1])
        page.fill("#token", "wrong")
        page.click("#form button[type=submit]")
        page.wait_for_selector("#refusal")
        assert page.input_value("#message") == HOSTILE[1] and page.evaluate("window.hacked") is None


def test_hostile_items_reach_the_page_as_events_and_the_feed_as_texts(open_page, feed):
    image = feed.call("feed.load", {"limit": 1})["items"][0]["image"]
    texts = [*HOSTILE, "x" * 10_000]
    items = [{"id": str(uuid.uuid4()).upper(), "description": text, "location": text[:1_000], "image": image} for text in texts]
    for item in items:
        item["location"] = re.sub("[\u0000]", "", item["location"])
    page = open_page(viewport={"width": 320, "height": 700})
    ready(page)
    feed.call("feed.publish", {"items": items})
    try:
        page.wait_for_function(f"() => document.querySelector('.pill')?.innerText.trim() === '{len(items)} new images'")
        page.click(".pill")
        page.wait_for_function("id => document.activeElement.id === 'i-' + id", arg=items[0]["id"])
        assert shown_ids(page)[: len(items)] == [item["id"] for item in items]
        assert page.evaluate("document.documentElement.scrollWidth") <= 320 and page.evaluate("window.hacked") is None
        with urllib.request.urlopen(f"{feed.url}/v1/feed?limit={len(items)}") as answer:
            assert [item["description"] for item in json.load(answer)["items"]] == [stored(text) for text in texts]
        for item, text in zip(items, texts):
            assert words(" ".join(page.locator(f"#i-{item['id']} :is(.title, .text)").all_text_contents())) == drawn(text)
        assert page.eval_on_selector(f"#i-{items[RIGHT_TO_LEFT]['id']} .text", "text => getComputedStyle(text).direction") == "rtl"
        for layout in ("grid", "list"):
            page.goto(f"/?layout={layout}")
            for width in (1280, 360, 320):
                page.set_viewport_size({"width": width, "height": 700})
                assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert not page.query_selector("[onmouseover], [onerror], [onload]")
        # As the name of a window, of a picture, and of a preview.
        for item in [*items[:3], items[-1]]:
            page.goto(f"/image/{item['id']}")
            assert page.evaluate("document.documentElement.scrollWidth") <= 320 and page.evaluate("window.hacked") is None
    finally:
        feed.call("feed.remove", {"ids": [item["id"] for item in items]})


def test_a_form_on_another_site_cannot_post(open_page, feed, browser):
    """The page of the other site is at localhost, which is another site than 127.0.0.1."""
    image = feed.ids(20)[19]
    page = open_page(f"/image/{image}")
    write(page, "From this site", feed.token)
    page.wait_for_selector("#list >> text=From this site")
    # The browser has the cookie with the token now.
    form = (
        f'<form method=post action="{feed.url}/v1/image/{image}/comments"><input name=message value="From another site">'
        '<input name=username value=mallory></form>')
    page.route("http://localhost:1/", lambda route: route.fulfill(body=form, content_type="text/html"))
    page.goto("http://localhost:1/")
    with page.expect_response(f"**/v1/image/{image}/comments") as refused:
        page.evaluate("setTimeout(() => document.forms[0].submit())")
    assert refused.value.status == 403
    with urllib.request.urlopen(f"{feed.url}/v1/image/{image}/comments") as answer:
        assert [one["message"] for one in json.load(answer)["items"]] == ["From this site"]

"""The behaviour of the page in a real browser. Run all with Tests/Web/run, or some with Tests/Web/run -k WORDS."""

import collections
import contextlib
import datetime
import json
import os
import pathlib
import re
import signal

import pytest
from axe_playwright_python.sync_playwright import Axe

from conftest import COUNT
from deployment import deployment

TRANSITIONS = pathlib.Path(__file__).parents[1] / "PresentationTests/loading-state.json"
PAGE = 12


def until(page, condition):
    """Waits for what no event of the browser reports, for example that a request is held. Lets the events of the page arrive."""
    while not condition():
        page.wait_for_timeout(20)


def shown_ids(page):
    return page.eval_on_selector_all("#list > *", "rows => rows.map(row => row.dataset.id)")


def wait_for_rows(page, count):
    page.wait_for_function("count => document.querySelectorAll('#list > *').length >= count", arg=count)


def scroll_to_end(page):
    page.evaluate("scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })")


def scroll_for_rows(page, count):
    """Scrolls to the end until there are so many rows: the end moves when rows that come near get their size."""
    page.wait_for_function(
        """count => {
            scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
            return document.querySelectorAll("#list > *").length >= count;
        }""",
        arg=count,
    )


def scroll_to_last_row(page):
    """Scrolls to the end until no further page follows."""
    page.wait_for_function(
        """() => {
            scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
            return !document.querySelector("#more a[rel=next]");
        }"""
    )


def settle(page):
    """Waits until no row has moved for 20 frames: rows that come near for the first time get their size."""
    page.evaluate(
        """() => new Promise(done => {
            let [before, frames] = ["", 0];
            const step = () => {
                const now = [scrollY, document.documentElement.scrollHeight,
                    ...[...document.querySelectorAll('#list > *')].map(row => row.getBoundingClientRect().top)].join();
                frames = now === before ? frames + 1 : 0;
                before = now;
                frames === 20 ? done() : requestAnimationFrame(step);
            };
            step();
        })""")


def scroll_through(page):
    """Scrolls until the last page is loaded."""
    while link := page.query_selector("#more a[rel=next]"):
        address = link.get_attribute("href")
        scroll_to_end(page)
        page.wait_for_function(
            "old => document.querySelector('#more a[rel=next]')?.getAttribute('href') !== old", arg=address)


def ready(page):
    """Waits until the script has taken over."""
    page.wait_for_function("() => history.scrollRestoration === 'manual'")


# --- The state machine ------------------------------------------------------------------------------------------------


def test_loading_state_follows_the_table_of_presentation(open_page):
    page = open_page()
    script = page.get_attribute("script[type=module]", "src")
    faults = page.evaluate(
        """async ([script, table]) => {
            const { LoadingState } = await import(script);
            return table.filter(({ from, event, to, begins }) => {
                const state = Object.assign(new LoadingState(), from);
                const result = state[event]({ finish: "new", fail: "message" }[event]);
                return JSON.stringify({ ...state }) !== JSON.stringify(to) || (begins !== undefined && result !== begins);
            });
        }""",
        [script, json.loads(TRANSITIONS.read_text())],
    )
    assert faults == []


REPORTS_ONCE = """
window.IntersectionObserver = class extends IntersectionObserver {
    #fresh = new Set();
    constructor(use, options) {
        super((entries) => {
            const reported = entries.filter(({ target }) => target.id !== "more" || this.#fresh.delete(target));
            if (reported.length) use(reported);
        }, options);
    }
    observe(target) { this.#fresh.add(target); super.observe(target); }
};
"""


def test_the_next_page_comes_when_the_browser_does_not_report_that_the_end_is_near(open_page):
    """As Chromium does sometimes, when rows get their size while they are scrolled."""
    page = open_page(None)
    page.add_init_script(REPORTS_ONCE)
    page.goto("/")
    ready(page)
    for pages in (2, 3):
        scroll_to_end(page)
        wait_for_rows(page, pages * PAGE)


def test_the_list_is_busy_until_the_next_page_is_there(open_page):
    page = open_page()
    ready(page)
    held = []
    page.route("**/?after_id=*", lambda route: held.append(route))
    scroll_to_end(page)
    until(page, lambda: held)
    # The end stays near meanwhile.
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")
    assert page.get_attribute("#list", "aria-busy") == "true"
    held[0].continue_()
    wait_for_rows(page, 2 * PAGE)
    page.wait_for_selector("#list[aria-busy=false]")


# --- Endless scrolling --------------------------------------------------------------------------------------------------


def test_scrolling_loads_every_page_once_and_ends(open_page, feed):
    page = open_page(None)
    requests = []
    page.on("request", lambda request: requests.append(request.url) if "after_id" in request.url else None)
    page.goto("/")
    ready(page)
    while page.query_selector("#more a[rel=next]"):
        count = len(shown_ids(page))
        scroll_to_end(page)
        page.wait_for_function(
            "count => document.querySelectorAll('#list > *').length > count || document.querySelector('.end')", arg=count)
    assert shown_ids(page) == feed.ids()
    assert len(requests) == len(set(requests)) == (len(feed.ids()) - 1) // PAGE
    assert page.inner_text(".end").startswith("That's all")
    positions = page.eval_on_selector_all("#list > *", "rows => rows.map(row => Number(row.ariaPosInSet))")
    assert positions == list(range(1, len(positions) + 1))


def test_the_next_page_loads_before_the_end_is_seen_and_moves_no_row(open_page):
    page = open_page()
    ready(page)
    held = []
    page.route("**/?after_id=*", lambda route: held.append(route), times=1)
    page.evaluate("scrollBy({ top: document.getElementById('more').getBoundingClientRect().top - innerHeight - 380, behavior: 'instant' })")
    until(page, lambda: held)
    settle(page)
    page.evaluate("window.row = document.elementFromPoint(400, 450).closest('.item'); window.before = row.getBoundingClientRect().top")
    held[0].continue_()
    wait_for_rows(page, 2 * PAGE)
    settle(page)
    assert page.evaluate("Math.abs(row.getBoundingClientRect().top - before)") <= 1


def test_a_failed_page_keeps_the_rows_and_loads_on_tap_and_on_scroll(open_page):
    page = open_page(None)
    attempts = []

    def fail(route):
        attempts.append(route.request.url)
        route.abort()

    def scroll():
        page.evaluate("window.scrolled = new Promise(done => addEventListener('wheel', done, { once: true })), 0")
        page.mouse.wheel(0, 200)
        page.evaluate("scrolled.then(() => {})")

    page.route("**/?after_id=*", fail)
    page.clock.set_fixed_time(0)
    page.goto("/")
    ready(page)
    scroll_to_end(page)
    page.wait_for_selector("#more .failure")
    assert page.inner_text("#more .failure .message") == "Couldn't connect to server"
    assert len(shown_ids(page)) == PAGE and len(attempts) == 1
    page.click("#more .failure button")
    page.wait_for_selector("#more .failure")
    assert len(attempts) == 2
    # The scrolling that has led to the end does not try again: only what comes more than half a second after the failure does.
    page.mouse.move(400, 400)
    for seconds in (0, 0.5):
        page.clock.set_fixed_time(seconds)
        scroll()
        assert page.query_selector("#more .failure") and len(attempts) == 2
    page.unroute("**/?after_id=*")
    page.clock.set_fixed_time(0.501)
    scroll()
    wait_for_rows(page, 2 * PAGE)
    assert not page.query_selector("#more .failure")


def test_two_ends_at_once_load_one_page(open_page):
    page = open_page(None)
    held = []
    page.route("**/?after_id=*", lambda route: held.append(route), times=1)
    page.goto("/")
    ready(page)
    for _ in range(2):
        scroll_to_end(page)
        settle(page)
        page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
        settle(page)
    assert len(held) == 1
    held[0].continue_()
    wait_for_rows(page, 2 * PAGE)


def test_an_error_of_the_server_is_shown_in_the_language_of_the_page(open_page, feed):
    page = open_page(locale="el-GR")
    ready(page)
    feed.stop("feed")
    try:
        scroll_to_end(page)
        page.wait_for_selector("#more .failure")
        assert "υπηρεσία" in page.inner_text("#more .failure .message")
        page.keyboard.press("r")
        page.wait_for_selector(".banner")
        assert page.get_attribute(".banner", "role") == "alert" and len(shown_ids(page)) == PAGE
        page.click(".banner")
        assert not page.query_selector(".banner")
        page.keyboard.press("r")
        page.wait_for_selector(".banner")
    finally:
        feed.start("feed")
    feed.wait_until_healthy()
    page.keyboard.press("r")
    page.wait_for_selector(".banner", state="detached")
    wait_for_rows(page, PAGE)


# --- Pictures ---------------------------------------------------------------------------------------------------------


def test_a_picture_is_cancelled_when_it_leaves_and_requested_again_when_it_returns(open_page, feed):
    page = open_page(None)
    waiting = []
    page.route("**/data*", lambda route: waiting.append(route))
    first = feed.ids(1)[0]
    is_first = lambda request: f"/{first}/data" in request.url
    with page.expect_request(is_first):
        page.goto("/", wait_until="commit")
    ready(page)
    page.wait_for_selector(f"#i-{first} .loading")
    with page.expect_event("requestfailed", is_first):
        scroll_to_end(page)
    with page.expect_request(is_first):
        page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    page.unroute("**/data*")
    for route in waiting:
        try:
            route.continue_()
        except Exception:
            pass
    page.wait_for_function(f"() => document.querySelector('#i-{first} .photo').naturalWidth > 0")
    page.wait_for_selector(f"#i-{first} .loading", state="detached")


@pytest.mark.parametrize("width", [390, 800, 1280])
def test_a_picture_is_requested_in_one_width_however_the_reader_scrolls(open_page, width):
    page = open_page(None, viewport={"width": width, "height": 900})
    widths = collections.defaultdict(set)

    def note(request):
        if found := re.search(r"/image/([^/]+)/data\?w=(\d+)", request.url):
            widths[found[1]].add(found[2])

    page.on("request", note)
    page.goto("/")
    ready(page)
    for top in [*range(0, 12_001, 1_500), *range(12_000, -1, -1_500)]:
        page.evaluate("top => scrollTo({ top, behavior: 'instant' })", top)
        page.wait_for_function(
            """() => [...document.querySelectorAll("#list > *")].every(row => {
                const { top, bottom } = row.getBoundingClientRect();
                const photo = row.querySelector(".photo");
                return bottom < 0 || top > innerHeight || (photo.complete && photo.naturalWidth > 0);
            })"""
        )
    assert len(widths) > PAGE
    assert {id: found for id, found in widths.items() if len(found) > 1} == {}


@pytest.mark.parametrize("path", ["/", "/image/{id}"])
def test_a_sensitive_picture_is_requested_when_its_reader_opens_it(open_page, feed, path):
    image = feed.call("feed.load", {"limit": 1})["items"][0]["image"]
    covered = "00000000-0000-4000-8000-00000000C0DE"
    feed.call("feed.publish", {"items": [{"id": covered, "image": image, "sensitive": True}]})
    try:
        page = open_page(None)
        requests = []
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.replace("{id}", covered))
        ready(page) if path == "/" else page.wait_for_selector(".detail .veil")
        if path == "/":
            # It leaves and returns.
            scroll_to_end(page)
            settle(page)
            page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
        settle(page)
        assert not [url for url in requests if f"{covered}/data" in url]
        with page.expect_request(lambda request: f"{covered}/data" in request.url):
            page.click(".veil summary")
        page.wait_for_function("() => document.querySelector('.veil .photo').naturalWidth > 0")
    finally:
        feed.call("feed.remove", {"ids": [covered]})


@pytest.mark.parametrize("answer", [{"status": 503}, {"status": 200, "body": "no picture", "content_type": "image/png"}])
def test_a_failed_picture_shows_a_retry_sign_that_loads_only_it(open_page, answer):
    page = open_page(None)
    page.route("**/data*", lambda route: route.fulfill(**answer))
    page.goto("/")
    ready(page)
    first, second = shown_ids(page)[:2]
    for row in (first, second):
        page.wait_for_selector(f"#i-{row} .failed .retry")
    assert page.get_attribute(f"#i-{first} .retry", "aria-label") == "Try again"
    page.unroute("**/data*")
    page.click(f"#i-{first} .retry")
    page.wait_for_function(f"() => document.querySelector('#i-{first} .photo').naturalWidth > 0")
    assert not page.query_selector(f"#i-{first} .failed") and page.query_selector(f"#i-{second} .failed")


def test_rows_keep_their_size_while_pictures_load_fail_and_leave(open_page):
    page = open_page(None)
    page.route("**/data*", lambda route: route.abort())
    page.goto("/")
    ready(page)
    page.wait_for_selector(".failed")
    failed = page.eval_on_selector_all(".picture", "all => all.slice(0, 2).map(one => one.offsetHeight)")
    page.unroute("**/data*")
    page.reload()
    ready(page)
    page.wait_for_function("() => document.querySelector('.photo').naturalWidth > 0")
    assert failed == page.eval_on_selector_all(".picture", "all => all.slice(0, 2).map(one => one.offsetHeight)")


def test_far_rows_release_their_pictures(open_page):
    page = open_page()
    ready(page)
    scroll_through(page)
    page.wait_for_function(
        """count => {
            const loaded = document.querySelectorAll('.photo[src]').length;
            return 0 < loaded && loaded < count / 2;
        }""", arg=COUNT)


def test_many_rows_are_folded_and_unfolded_in_their_order(open_page, feed):
    new = [feed.publish(*[f"Row {batch * 100 + index}" for index in range(100)]) for batch in range(4)]
    try:
        page = open_page()
        ready(page)
        scroll_through(page)
        page.wait_for_function("() => document.querySelectorAll('#list > :not(:empty)').length < 250")
        # A folded row leaves the memory too: each row that is alive has two listeners.
        inspector = page.context.new_cdp_session(page)
        inspector.send("Performance.enable")

        def listeners():
            inspector.send("HeapProfiler.collectGarbage")
            metrics = inspector.send("Performance.getMetrics")["metrics"]
            return next(one["value"] for one in metrics if one["name"] == "JSEventListeners")

        until(page, lambda: listeners() < 2 * page.locator("#list > :not(:empty)").count() + 150)
        ids = feed.ids()
        assert page.eval_on_selector("#list > :last-child", "row => Number(row.ariaPosInSet)") == 400 + COUNT
        page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
        page.wait_for_function("id => document.querySelector('#list > :first-child:not(:empty)')?.dataset.id === id", arg=ids[0])
        seen = page.eval_on_selector_all("#list > *", "rows => rows.slice(0, 24).map(row => [row.dataset.id, Number(row.ariaPosInSet)])")
        assert seen == [[id, position + 1] for position, id in enumerate(ids[:24])]
    finally:
        for batch in new:
            feed.call("feed.remove", {"ids": batch})


# --- Back -------------------------------------------------------------------------------------------------------------


def test_back_restores_rows_position_and_focus(open_page):
    page = open_page()
    ready(page)
    for count in (2, 3):
        scroll_for_rows(page, count * PAGE)
    settle(page)
    ids = shown_ids(page)
    row = ids[20]
    # A click scrolls, and the rows that come near get their size after it: the place is that where the reader leaves.
    place = "document.getElementById('i-' + id).getBoundingClientRect().top"
    page.evaluate(f"id => addEventListener('pagehide', () => sessionStorage.setItem('left', {place}))", row)
    page.click(f"#i-{row} .count")
    page.wait_for_selector("#comments")
    top = float(page.evaluate("sessionStorage.getItem('left')"))
    page.click("#back")
    page.wait_for_selector("#list[role=feed]")
    ready(page)
    settle(page)
    assert shown_ids(page) == ids
    assert abs(page.evaluate(f"id => {place}", row) - top) <= 1
    assert page.evaluate("document.activeElement.id") == f"i-{row}"
    scroll_for_rows(page, 4 * PAGE)


# --- News -------------------------------------------------------------------------------------------------------------


def test_new_items_are_announced_without_moving_the_reader(open_page, feed):
    page = open_page()
    ready(page)
    page.evaluate("scrollTo({ top: 1500, behavior: 'instant' })")
    settle(page)
    position = page.evaluate("scrollY")
    new = feed.publish("Just in", "And another")
    try:
        page.wait_for_function("() => document.querySelector('.pill')?.innerText.trim() === '2 new images'")
        assert page.evaluate("scrollY") == position
        assert page.inner_text("#status") == "2 new images"
        page.click(".pill")
        page.wait_for_function("id => document.activeElement.id === 'i-' + id", arg=new[0])
        assert shown_ids(page)[:2] == new and page.evaluate("scrollY") == 0
        page.go_back()
        page.wait_for_function("() => scrollY > 1000")
        assert not page.query_selector(".pill")
    finally:
        feed.call("feed.remove", {"ids": new})
    page.wait_for_function("id => !document.getElementById('i-' + id)", arg=new[0])


@contextlib.contextmanager
def published(feed, *descriptions):
    new = feed.publish(*descriptions)
    try:
        yield new
    finally:
        feed.call("feed.remove", {"ids": new})


def test_all_new_items_that_a_tab_has_missed_are_counted(open_page, feed):
    page = open_page(None)
    page.route("**/v1/feed/events", lambda route: None)
    page.goto("/")
    ready(page)
    with published(feed, *[f"Missed {index}" for index in range(PAGE + 2)]):
        page.evaluate("new BroadcastChannel('changes ').postMessage({ name: 'reset' })")
        page.wait_for_function("() => document.querySelector('.pill')?.innerText.trim() === '14 new images'")


def test_new_items_that_a_reload_shows_first_are_not_shown_twice_nor_in_another_order(open_page, feed):
    page = open_page()
    ready(page)
    held, entries = [], page.evaluate("history.length")
    with published(feed, *[f"New {index}" for index in range(PAGE + 2)]):
        page.wait_for_function("() => document.querySelector('.pill')?.innerText.trim() === '14 new images'")
        page.route("**/?after_id=*", lambda route: held.append(route), times=1)
        page.click(".pill")
        until(page, lambda: held)
        page.keyboard.press("r")
        page.wait_for_function("() => !document.querySelector('.pill')")
        held[0].continue_()
        settle(page)
        ids = feed.ids()
        assert shown_ids(page) == ids[:len(shown_ids(page))]
        assert page.evaluate("history.length") == entries


def wait_for_news(page, text):
    page.wait_for_function("text => document.querySelector('.pill')?.innerText.trim() === text", arg=text)


def test_all_tabs_share_one_stream_of_events(open_page, feed):
    tabs, streams = [open_page(None)], []
    context = tabs[0].context
    context.on("request", lambda request: streams.append(request.frame.page) if request.url.endswith("/v1/feed/events") else None)
    # A browser opens six connections to a host.
    for tab in tabs + [context.new_page() for _ in range(8)]:
        tabs = [*tabs, tab] if tab not in tabs else tabs
        tab.goto("/")
        ready(tab)
    assert len(streams) == 1
    with published(feed, "Seen in all tabs"):
        for tab in tabs:
            wait_for_news(tab, "1 new image")
        # Another tab takes over.
        streams[0].close()
        tabs.remove(streams[0])
        until(tabs[0], lambda: len(streams) == 2)
        with published(feed, "Seen in all that are left"):
            for tab in tabs:
                wait_for_news(tab, "2 new images")


def test_a_stream_that_the_server_refuses_is_opened_again(open_page, feed):
    page = open_page(None)
    page.clock.install()
    answers = [502, 429]
    page.route("**/v1/feed/events", lambda route: route.fulfill(status=answers.pop(0)) if answers else route.continue_())
    page.goto("/")
    ready(page)
    until(page, lambda: len(answers) == 1)
    page.clock.run_for(2_000)
    until(page, lambda: not answers)
    with published(feed, "Published meanwhile"):
        page.clock.run_for(4_000)
        wait_for_news(page, "1 new image")


def test_what_is_published_before_the_stream_is_open_is_news(open_page, feed):
    page = open_page(None)
    held = []
    page.route("**/v1/feed/events", lambda route: held.append(route), times=1)
    page.goto("/")
    ready(page)
    until(page, lambda: held)
    with published(feed, "In between"):
        held[0].continue_()
        wait_for_news(page, "1 new image")


# --- Comments ---------------------------------------------------------------------------------------------------------


def write(page, message, token=None, name="ana"):
    page.fill("#username", name)
    page.fill("#message", message)
    if token:
        page.fill("#token", token)
    page.click("#form button[type=submit]")


@pytest.mark.parametrize("script", [True, False])
def test_a_comment_is_refused_without_losing_the_text_and_then_stored(open_page, feed, script):
    image = feed.ids(5)[4]
    page = open_page(f"/image/{image}", java_script_enabled=script)
    text = f"Lovely light, script {script}"
    write(page, text, "wrong")
    page.wait_for_selector("#refusal")
    assert page.input_value("#message") == text and page.input_value("#username") == "ana"
    write(page, text, feed.token)
    page.wait_for_selector(f"#list >> text={text}")
    assert not page.query_selector("#refusal") and not page.query_selector("#token")
    # The browser remembers the token.
    write(page, text + ", again")
    page.wait_for_selector(f"#list >> text={text}, again")
    assert page.locator("#list > *").count() == (2 if script else 4)


@pytest.mark.parametrize("script", [True, False])
def test_who_may_write_is_said_before_the_fields_and_the_text_stays_when_the_session_has_ended(open_page, feed, script):
    image = feed.ids(31)[29 if script else 30]
    page = open_page(f"/image/{image}", java_script_enabled=script)
    hint = "Writing needs an access token."
    order = lambda: [words for words in page.inner_text("#form").split("\n") if words]
    assert order()[1].startswith(hint) and page.get_attribute("#token", "aria-describedby") == "token-hint"
    write(page, "First", feed.token)
    page.wait_for_selector("#list >> text=First")
    assert hint not in page.inner_text("#form") and not page.query_selector("#token")
    page.fill("#message", "Written for long")
    page.context.clear_cookies()
    write(page, "Written for long")
    page.wait_for_selector("#refusal")
    page.wait_for_selector("#token")
    assert page.input_value("#message") == "Written for long" and any(line.startswith(hint) for line in order()[1:3])
    write(page, "Written for long", feed.token)
    page.wait_for_selector("#list >> text=Written for long")


def test_a_browser_that_permits_no_storage_keeps_the_form_with_the_token(open_without_storage, feed):
    page = open_without_storage(f"{feed.url}/image/{feed.ids(33)[32]}")
    write(page, "First", feed.token)
    page.wait_for_selector("#list >> text=First")
    assert page.input_value("#token") == feed.token
    write(page, "Second")
    page.wait_for_selector("#list >> text=Second")


def test_a_comment_is_stored_once_when_its_answer_is_lost_and_anew_when_it_is_edited(open_page, feed):
    image = feed.ids(25)[24]
    page = open_page(f"/image/{image}")
    path = f"**/v1/image/{image}/comments"

    def lose(route):
        route.fetch(max_redirects=0)
        route.abort()

    page.route(path, lose)
    write(page, "First words", feed.token)
    page.wait_for_selector("#refusal")
    write(page, "First words", feed.token)
    page.wait_for_selector("#refusal")
    page.unroute(path)
    write(page, "Other words", feed.token)
    page.wait_for_selector("#list >> text=Other words")
    assert page.locator("#list .message").all_inner_texts() == ["First words", "Other words"]
    # The same words again, after they were stored, are another comment.
    write(page, "Other words")
    page.wait_for_function("() => document.querySelectorAll('#list > *').length === 3")


@pytest.mark.parametrize("script", [True, False])
def test_the_form_takes_what_the_server_accepts(open_page, feed, script):
    """The server counts Unicode scalars, a field of HTML counts UTF-16 units."""
    image = feed.ids(22)[20 if script else 21]
    page = open_page(f"/image/{image}", java_script_enabled=script)
    name, message = "🌅" * 64, "🌅" * 2_000
    write(page, message + "!", feed.token, name)
    page.wait_for_selector("#refusal")
    assert page.input_value("#message") == message + "!"
    write(page, message, feed.token, name)
    page.wait_for_selector("#list > *")
    assert page.inner_text("#list .message") == message and page.inner_text("#list b") == name


def test_comments_that_were_late_come_by_themselves(open_page, feed):
    image = feed.ids(1)[0]
    page = open_page(None)
    pages, path = [], f"/image/{image}"

    def without_comments(route):
        """The page as it is sent when the comments do not come in time, and then the page with the comments."""
        pages.append(route)
        if len(pages) > 1:
            return
        text = route.fetch().text()
        before, _, after = text.partition('<ol class="list" id="list">')
        form = re.search('<form class="form".*?</form>', after, re.S)[0]
        route.fulfill(body=before + '<p id="late">Late</p><ol id="list"></ol><div id="more"></div></section>' + after.replace(form, "").partition("</section>")[2],
                      content_type="text/html")

    page.route("**" + path, without_comments)
    feed.gateway("comment", image, "Late", "--username", "ana")
    page.goto(path)
    until(page, lambda: len(pages) == 2)
    assert not page.query_selector("#form")
    page.evaluate("""window.shift = 0;
        new PerformanceObserver(list => list.getEntries().forEach(one => { shift += one.value; })).observe({ type: "layout-shift" });""")
    pages[1].continue_()
    page.wait_for_selector("#list >> text=Late")
    settle(page)
    assert not page.query_selector("#late") and page.evaluate("shift") <= 0.02
    write(page, "Sent with the late form", feed.token)
    page.wait_for_selector("#list >> text=Sent with the late form")


def test_comments_cannot_be_sent_offline(open_page, feed):
    page = open_page(f"/image/{feed.ids(1)[0]}")
    page.context.set_offline(True)
    page.wait_for_selector("#form button:disabled")
    assert page.inner_text("#form-note") == "Comments can be sent when the connection is back"
    page.context.set_offline(False)
    page.wait_for_selector("#form button:enabled")


# --- Ages -------------------------------------------------------------------------------------------------------------


def test_ages_are_renewed_each_minute_and_when_a_tab_is_shown_again(open_page, feed):
    image = feed.ids(24)[23]
    feed.gateway("comment", image, "Just now", "--username", "ana")
    written = datetime.datetime.fromisoformat(feed.call("comments.list", {"image_id": image})["items"][-1]["created_at"])
    page = open_page(None)
    page.clock.install(time=written - datetime.timedelta(minutes=1))
    page.clock.pause_at(written)
    page.goto(f"/image/{image}")
    assert page.inner_text(".comment time") == "now"
    page.clock.run_for(60_000)
    assert page.inner_text(".comment time") == "1 minute ago"
    page.clock.fast_forward("05:00:00")
    assert page.inner_text(".comment time") == "5 hours ago"
    page.clock.set_fixed_time(written + datetime.timedelta(days=2))
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    assert page.inner_text(".comment time") == "2 days ago"


def test_the_script_names_ages_as_the_server_does(open_page, feed):
    image = feed.ids(19)[18]
    now = datetime.datetime.now(datetime.timezone.utc)
    # Each half a unit from the next change, so that no age changes while the test runs.
    for days in [1.5 / 24, 23.5 / 24, 1.5, 6.5, 7.5, 13.5, 20.5, *[month * 30.5 + 1.5 for month in (1, 2, 5, 11)], 366.5, 800.5, 4_000.5]:
        date = (now - datetime.timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")
        feed.call("comments.post", {"image_id": image, "message": "Long ago", "username": "ana", "created_at": date})
    for language in ("en", "pt-BR", "el", "es"):
        by_server, by_script = [
            open_page(f"/image/{image}", locale=language, java_script_enabled=script).locator(".comment time").all_inner_texts()
            for script in (False, True)]
        assert len(set(by_server)) > 10 and by_server == by_script


# --- Offline ----------------------------------------------------------------------------------------------------------


def wait_for_stored(page, cache, *paths):
    """Waits until the service worker has stored answers."""
    page.evaluate(
        """async ([name, paths]) => {
            for (const path of paths) {
                while (!await (await caches.open(name)).match(path, { ignoreSearch: !path.includes("?") && name.startsWith("images") })) await new Promise(requestAnimationFrame);
            }
        }""", [cache, paths])


def wait_for_worker(page):
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")


def after(id):
    """The path of the page after an image."""
    return f"/?after_id={id}"


def test_the_page_opens_without_a_network(open_page):
    page = open_page(service_workers="allow")
    ready(page)
    page.evaluate("navigator.serviceWorker.ready")
    scroll_for_rows(page, 2 * PAGE)
    ids = shown_ids(page)
    page.evaluate("scrollTo(0, 0)")
    wait_for_stored(page, "pages-1", "/", after(ids[PAGE - 1]))
    wait_for_stored(page, "images-2", f"/v1/image/{ids[0]}/data")
    page.context.set_offline(True)
    page.reload()
    ready(page)
    page.wait_for_selector(".offline")
    assert page.inner_text(".offline").startswith("Offline: cached copy from")
    page.wait_for_function(f"() => document.querySelector('#i-{ids[0]} .photo').naturalWidth > 0")
    scroll_for_rows(page, 2 * PAGE)
    assert shown_ids(page)[: 2 * PAGE] == ids[: 2 * PAGE]
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    # Back online, the copy is replaced, and the reader keeps what is loaded.
    page.context.set_offline(False)
    page.wait_for_selector(".offline", state="hidden")
    assert shown_ids(page)[: 2 * PAGE] == ids[: 2 * PAGE]


def test_a_reader_below_the_top_is_told_what_is_new_when_the_network_is_back(open_page, feed):
    page = open_stored(open_page)
    page.context.set_offline(True)
    page.reload()
    page.wait_for_selector("[data-stored] .offline", state="attached")
    ready(page)
    page.evaluate("scrollTo({ top: 1500, behavior: 'instant' })")
    settle(page)
    place = "document.elementFromPoint(400, 450).closest('.item').getBoundingClientRect().top"
    before = page.evaluate(place)
    with published(feed, "While offline"):
        page.context.set_offline(False)
        wait_for_news(page, "1 new image")
        page.wait_for_selector(".offline", state="hidden")
        settle(page)
        assert abs(page.evaluate(place) - before) <= 1


def test_comments_are_renewed_and_what_is_typed_stays_when_the_network_is_back(open_page, feed):
    image = feed.ids(13)[12]
    page = open_stored(open_page, f"/image/{image}")
    page.context.set_offline(True)
    page.reload()
    page.wait_for_selector("[data-stored] #form")
    page.fill("#message", "Not sent yet")
    feed.gateway("comment", image, "While offline", "--username", "ana")
    page.context.set_offline(False)
    page.wait_for_selector("#list >> text=While offline")
    page.wait_for_selector(".offline", state="hidden")
    assert page.input_value("#message") == "Not sent yet" and page.inner_text("#comments-title") == "1 comment"


def test_the_notice_says_whether_the_reader_or_the_server_is_offline(open_page, feed):
    page = open_stored(open_page)
    feed.stop("gateway")
    try:
        page.reload()
        page.wait_for_selector("[data-stored] .offline")
        assert page.inner_text(".offline").startswith("The server does not answer: cached copy from")
        page.context.set_offline(True)
        page.wait_for_function("() => document.querySelector('.offline').innerText.startsWith('Offline: cached copy from')")
    finally:
        feed.start("gateway")
    feed.wait_until_healthy()


@contextlib.contextmanager
def hanging_network(page):
    """The network of the service worker answers when the test says so, and its time passes when the test says so."""
    worker = page.context.service_workers[0]
    worker.evaluate("""() => {
        const fetch = self.fetch, setTimeout = self.setTimeout;
        self.held = []; self.waits = [];
        self.fetch = (...request) => new Promise((done, fail) => held.push(() => fetch(...request).then(done, fail)));
        self.setTimeout = (end, time) => waits.push({ end, time });
        self.restore = () => Object.assign(self, { fetch, setTimeout });
    }""")
    try:
        yield worker
    finally:
        worker.evaluate("() => { held.forEach(one => one()); restore(); }")


def open_stored(open_page, *paths):
    """Opens pages so that the service worker stores them, with their pictures."""
    page = open_page(service_workers="allow")
    ready(page)
    wait_for_worker(page)
    for path in paths:
        page.goto(path)
        # Comments that were late come by themselves, and are stored then.
        page.wait_for_selector("#form")
        wait_for_stored(page, "pages-1", path)
        page.wait_for_function(f"async path => !(await {STORED}.text()).includes('id=\"late\"')", arg=path)
    wait_for_stored(page, "pages-1", "/offline")
    return page


STORED = "(await (await caches.open('pages-1')).match(path))"


def test_a_page_whose_comments_are_late_replaces_no_copy_that_has_them(open_page, feed):
    first, second = (f"/image/{id}" for id in feed.ids(2))
    page = open_stored(open_page, first)
    worker = page.context.service_workers[0]
    for path, is_kept in ((first, False), (second, True)):
        worker.evaluate("""path => keep(pages, new Request(path), new Response('<html ><p id="late">'))""", path)
        text = page.evaluate(f"async path => {STORED}.text()", path)
        assert ('id="late"' in text) == is_kept


def test_a_stored_page_is_shown_when_the_network_does_not_answer_within_3_s(open_page, feed):
    path = f"/image/{feed.ids(1)[0]}"
    page = open_stored(open_page, path)
    stored = f"async path => {STORED}.headers.get('X-Stored')"
    before = page.evaluate(stored, path)
    with hanging_network(page) as worker:
        page.evaluate("setTimeout(() => location.reload())")
        until(page, lambda: worker.evaluate("waits.length") == 1)
        assert worker.evaluate("waits[0].time") == 3_000
        worker.evaluate("waits[0].end()")
        page.wait_for_selector("[data-stored] #comments")
    # The answer that was too late is stored.
    page.wait_for_function(f"async ([path, before]) => (await ({stored})(path)) !== before", arg=[path, before])


@contextlib.contextmanager
def hanging(feed, name="gateway"):
    """The program accepts connections and does not answer."""
    program = feed.processes[name]
    program.send_signal(signal.SIGSTOP)
    # On a busy machine its threads answer until all of them have stopped.
    os.waitid(os.P_PID, program.pid, os.WSTOPPED)
    try:
        yield
    finally:
        program.send_signal(signal.SIGCONT)


def test_the_copy_of_the_feed_is_replaced_when_the_server_answers_again_and_nothing_moves(open_page, feed):
    page = open_stored(open_page)
    ids = shown_ids(page)
    # Other tests may have left comments.
    count = page.inner_text(f"#i-{ids[1]} .count")
    wait_for_stored(page, "images-2", f"/v1/image/{ids[0]}/data")
    page.goto("about:blank")
    with published(feed, "While away"):
        feed.gateway("comment", ids[1], "While away", "--username", "ana")
        with hanging(feed):
            page.goto("/", wait_until="commit")
            page.wait_for_selector("[data-stored] .offline", state="attached")
            page.wait_for_function(f"() => document.querySelector('#i-{ids[0]} .photo').naturalWidth > 0")
            assert shown_ids(page) == ids
            top = page.evaluate("id => document.getElementById('i-' + id).getBoundingClientRect().top", ids[0])
        wait_for_news(page, "1 new image")
        page.wait_for_selector(".offline", state="hidden")
        page.wait_for_function(
            "([id, count]) => document.querySelector(`#i-${id} .count`).innerText !== count", arg=[ids[1], count])
        assert shown_ids(page) == ids and page.evaluate("scrollY") == 0
        assert page.evaluate("id => document.getElementById('i-' + id).getBoundingClientRect().top", ids[0]) == top


def test_the_copy_of_an_image_is_replaced_when_the_server_answers_again(open_page, feed):
    image = feed.ids(29)[28]
    page = open_stored(open_page, f"/image/{image}")
    page.goto("about:blank")
    feed.gateway("comment", image, "While away", "--username", "ana")
    with hanging(feed):
        page.goto(f"/image/{image}", wait_until="commit")
        page.wait_for_selector("[data-stored] #form")
        page.fill("#message", "Not sent yet")
        assert not page.locator(".comment").count()
    page.wait_for_selector("#list >> text=While away")
    page.wait_for_selector(".offline", state="hidden")
    assert page.input_value("#message") == "Not sent yet" and page.evaluate("document.activeElement.id") == "message"


def test_a_page_that_is_not_stored_waits_for_the_network(open_page, feed):
    page = open_stored(open_page)
    path = f"/image/{feed.ids(9)[8]}"
    with hanging_network(page) as worker:
        page.evaluate("path => { setTimeout(() => location.assign(path)); }", path)
        until(page, lambda: worker.evaluate("waits.length") == 1)
        worker.evaluate("waits[0].end(), held.forEach(one => one())")
        page.wait_for_selector("#comments")
        assert not page.query_selector("[data-stored]")


@pytest.mark.parametrize("path", ["/image/00000000-0000-4000-8000-000000000009", "/docs", "/search?q=x", "/?after_id=1"])
def test_offline_a_page_that_is_not_stored_is_a_page_of_ours(open_page, feed, path):
    image = f"/image/{feed.ids(1)[0]}"
    page = open_page(None, service_workers="allow", locale="pt-BR")
    page.goto(image)
    wait_for_worker(page)
    for stored in ("/offline", image):
        wait_for_stored(page, "pages-1", stored)
    page.context.set_offline(True)
    page.goto(path)
    assert page.inner_text("h1") == "Não foi possível conectar com o servidor"
    page.wait_for_selector("#stored .cover")
    page.keyboard.press("ArrowRight")
    assert page.url == feed.url + path and not page.query_selector(".neighbour")
    page.click("#stored .cover")
    page.wait_for_selector("[data-stored] #comments")
    page.go_back()
    page.wait_for_selector("#stored .cover")
    page.context.set_offline(False)
    page.wait_for_function("() => document.documentElement.dataset.kind !== 'offline'")


def test_the_offline_page_is_in_the_language_of_the_last_page(open_page):
    page = open_page(None, service_workers="allow")
    for language, title in [("en", "Couldn't connect to server"), ("el", "Δεν ήταν δυνατή η σύνδεση στο διακομιστή"), ("en", "Couldn't connect to server")]:
        page.goto(f"/?lang={language}")
        wait_for_worker(page)
        page.wait_for_function(
            "async title => (await (await (await caches.open('pages-1')).match('/offline'))?.text())?.includes(title)", arg=title.split("'")[-1])


def test_offline_the_full_size_of_a_picture_falls_back_to_a_smaller_one_but_is_not_replaced_by_it(open_page, feed):
    page = open_stored(open_page)
    one, other = [f"/v1/image/{id}/data" for id in feed.ids(12)[10:]]
    page.evaluate("""async ([one, other]) => {
        const images = await caches.open("images-2");
        await images.put(one, new Response("full"));
        for (const path of [one, other]) await (await fetch(path + "?w=320")).blob();
    }""", [one, other])
    for path in (one, other):
        wait_for_stored(page, "images-2", path + "?w=320")
    page.context.set_offline(True)
    answer = "async path => { const one = await fetch(path); return one.headers.get('Content-Type').startsWith('image/') ? 'small' : one.text(); }"
    assert page.evaluate(answer, one) == "full" and page.evaluate(answer, other) == "small"


def test_the_page_works_below_a_path(open_at):
    """A proxy would be in front of the gateway; the gateway takes the path itself, too."""
    with deployment(["--public-url", "https://photos.example/my/photos"]) as feed:
        feed.fill(2 * PAGE)
        page = open_at(feed, "/my/photos/", service_workers="allow")
        ready(page)
        wait_for_worker(page)
        scroll_for_rows(page, 2 * PAGE)
        ids = shown_ids(page)
        wait_for_stored(page, "images-2", f"/my/photos/v1/image/{ids[0]}/data")
        wait_for_stored(page, "pages-1", "/my/photos/")
        page.evaluate("scrollTo(0, 0)")
        [new] = feed.publish("Just in")
        page.wait_for_selector(".pill, #i-" + new)
        page.goto(f"/my/photos/image/{ids[0]}")
        write(page, "Below a path", feed.token)
        page.wait_for_selector("#list >> text=Below a path")
        assert page.url.startswith(f"{feed.url}/my/photos/image/")
        assert [cookie["path"] for cookie in page.context.cookies() if cookie["name"].startswith("session-")] == ["/my/photos"]
        page.click(".to-dark")
        page.click("#back")
        ready(page)
        assert page.url.startswith(f"{feed.url}/my/photos/")


def test_the_service_worker_stores_a_page_that_was_requested_before_the_worker_was_active(open_page):
    page = open_page(None, service_workers="allow")
    page.add_init_script("""
        const workers = navigator.serviceWorker, register = workers.register.bind(workers);
        const wanted = new Promise(done => { window.register = done; });
        workers.register = async (...request) => { await wanted; return register(...request); };""")
    requests = []
    page.route("**/?after_id=*", lambda route: requests.append(route))
    page.goto("/")
    ready(page)
    scroll_to_end(page)
    until(page, lambda: requests)
    page.evaluate("register()")
    wait_for_worker(page)
    wait_for_stored(page, "pages-1", "/")
    for request in requests:
        request.continue_()
    wait_for_rows(page, 2 * PAGE)
    wait_for_stored(page, "pages-1", after(shown_ids(page)[PAGE - 1]))


def test_the_service_worker_deletes_the_oldest_pages(open_page):
    page = open_page(service_workers="allow")
    ready(page)
    page.evaluate("navigator.serviceWorker.ready")
    wait_for_worker(page)
    page.evaluate("async () => { for (let n = 0; n < 250; n++) await (await fetch(`/?n=${n}`)).text(); }")
    wait_for_stored(page, "pages-1", "/?n=249")
    stored = page.evaluate("async () => (await (await caches.open('pages-1')).keys()).map(({ url }) => url.split('?n=')[1])")
    assert 100 <= len(stored) <= 120 and "0" not in stored


def test_a_browser_that_permits_no_storage_breaks_nothing(open_without_storage, feed):
    page = open_without_storage(feed.url)
    ready(page)
    assert page.evaluate("() => { try { return sessionStorage.length; } catch (error) { return error.name; } }") == "SecurityError"
    scroll_for_rows(page, 2 * PAGE)
    with published(feed, "News without storage"):
        wait_for_news(page, "1 new image")
    page.click(".count >> nth=0")
    page.wait_for_selector("#form")
    page.go_back()
    ready(page)
    scroll_for_rows(page, 2 * PAGE)


def test_a_store_that_is_full_breaks_nothing_and_keeps_what_it_has(open_page, feed):
    page = open_stored(open_page)
    page.add_init_script("Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); }")
    inspector = page.context.new_cdp_session(page)
    inspector.send("Storage.overrideQuotaForOrigin", {"origin": feed.url, "quotaSize": 1_024})
    image = f"/image/{feed.ids(1)[0]}"
    page.goto(image)
    page.wait_for_selector("#form")
    page.go_back()
    ready(page)
    scroll_for_rows(page, 2 * PAGE)
    page.context.set_offline(True)
    page.goto("/")
    page.wait_for_selector("[data-stored] .offline", state="attached")
    assert not page.evaluate("async path => await caches.match(path)", image)


# --- Keys and settings ------------------------------------------------------------------------------------------------


def test_the_keys_of_the_feed_pattern(open_page):
    page = open_page()
    ready(page)
    ids = shown_ids(page)
    page.focus(f"#i-{ids[0]}")
    focused = lambda: page.evaluate("document.activeElement.id")
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    assert focused() == f"i-{ids[2]}"
    page.keyboard.press("PageUp")
    assert focused() == f"i-{ids[1]}"
    page.keyboard.press("Control+Home")
    assert focused() == "reload"
    page.focus(f"#i-{ids[1]}")
    page.keyboard.press("Control+End")
    # The end of the feed comes near, so the next page loads: the focus goes to its first row, never to nowhere.
    page.wait_for_function("id => document.activeElement.previousElementSibling?.id === 'i-' + id", arg=ids[-1])


def test_the_theme_changes_at_once_and_is_kept(open_page):
    page = open_page()
    ready(page)
    ground = lambda: page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    light = ground()
    with page.expect_response("**/?theme=dark"):
        page.click(".to-dark")
    assert ground() != light and page.evaluate("document.activeElement.matches('.to-light')")
    page.reload()
    assert page.get_attribute("html", "data-theme") == "dark" and ground() != light


def test_the_page_of_an_image_has_neighbours_and_one_way_back(open_page, feed):
    page = open_page()
    ids = feed.ids()
    page.click(f"#i-{ids[1]} .cover")
    page.wait_for_selector("#comments")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(f"**/image/{ids[2]}")
    page.click(".neighbour.previous")
    page.wait_for_url(f"**/image/{ids[1]}")
    # In a field the arrows move the cursor.
    page.fill("#message", "abc")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert page.input_value("#message") == "abc" and page.url.endswith(ids[1])
    page.click("#back")
    page.wait_for_url(feed.url + "/")


def test_the_full_size_has_keys_and_one_way_back(open_page, feed):
    page = open_page()
    ids = feed.ids()
    page.click(f"#i-{ids[1]} .cover")
    page.click(".cover")
    page.wait_for_selector("#stage")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(f"**/image/{ids[2]}/picture")
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(f"**/image/{ids[1]}/picture")
    page.keyboard.press("+")
    assert "scale(1.5)" in page.get_attribute("#stage img", "style")
    page.keyboard.press("Escape")
    page.wait_for_url(re.compile(f"/image/{ids[1]}$"))


# --- Without script ---------------------------------------------------------------------------------------------------


def test_everything_is_reachable_without_script(open_page, feed):
    page = open_page(java_script_enabled=False)
    ids = feed.ids()
    seen = shown = page.locator("#list > *").evaluate_all("rows => rows.map(row => row.dataset.id)")
    while page.locator("#more a[rel=next]").count():
        page.click("#more a[rel=next]")
        shown = page.locator("#list > *").evaluate_all("rows => rows.map(row => row.dataset.id)")
        seen = seen + shown
    assert seen == ids
    page.click("a[rel=prev]")
    page.click(".to-dark")
    assert page.get_attribute("html", "data-theme") == "dark" and "before_id" in page.url and "theme" not in page.url
    page.click(".to-grid")
    assert page.get_attribute("html", "data-layout") == "grid"
    page.click(".menu summary")
    page.click(".menu [lang=el]")
    assert page.get_attribute("html", "lang") == "el" and page.title() == "Το Feed μου"
    page.click(".cover >> nth=0")
    page.click(".cover")
    page.click("#back")
    page.click("#back")
    assert page.url == feed.url + "/"


# --- Accessibility ------------------------------------------------------------------------------------------------------


def assert_accessible(page):
    """With light and with dark colors."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        results = Axe().run(page)
        assert results.violations_count == 0, results.generate_report()


@pytest.mark.parametrize("view", ["feed", "grid", "comments", "picture", "error", "offline"])
def test_axe_finds_nothing(open_page, feed, view):
    first = feed.ids(1)[0]
    feed.gateway("comment", first, "A fine picture", "--username", "ana")
    path = {"comments": f"/image/{first}", "picture": f"/image/{first}/picture", "error": "/nowhere", "offline": "/offline"}.get(view, "/")
    page = open_page(None)
    if view == "grid":
        page.context.add_cookies([{"name": "layout", "value": "grid", "url": feed.url}])
    page.goto(path)
    settle(page)
    assert_accessible(page)

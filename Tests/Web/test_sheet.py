"""Every state of the page on one sheet, to look at. It runs only with --sheet.

Tests/Web/run test_sheet.py --sheet DIR [--photos DIR]     writes the screenshots and DIR/sheet.png
"""

import json
import uuid

import pytest

from deployment import deployment
from gallery import COMMENTS, fill, photograph
from test_page import open_stored, ready, settle, write
from test_screens import DEVICES, screenshot, shown
from test_search import MANIFEST

LONG = "A tram that climbs the hill of Graça every morning at seven, whoever is on it, and waits at the top for the light"
SHAPES = {"plain": (1200, 900), "portrait": (500, 1500), "panorama": (2000, 480), "untitled": (1200, 800), "long": (1200, 900)}


@pytest.fixture(scope="module")
def filled(request):
    """A deployment with pictures that search knows."""
    with deployment(manifests=[MANIFEST]) as running:
        photos = request.config.getoption("--photos")
        if photos:
            running.gateway("import", photos)
            for name, message in COMMENTS:
                running.gateway("comment", running.ids(1)[0], message, "--username", name)
        else:
            fill(running, 40)
        running.start("search")
        running.processes["search"].wait_for("all images are indexed")
        running.wait_until_healthy("search")
        yield running


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """A deployment with a picture of each kind, and their ids."""
    common = {"location": "Lisbon, Portugal", "author": "Ana Silva", "licence": "CC-BY-4.0", "origin": "https://a.example/tram"}
    entries = {
        "plain": {"title": "Old tram", "description": "Missed it by ten seconds.", "tags": ["tram", "golden hour"], **common},
        "portrait": {"title": "Tower", "description": "From below.", **common},
        "panorama": {"title": "The coast", "description": "From the boat.", **common},
        "untitled": {},
        "long": {"title": LONG, "description": 12 * "It waits at the top. ", "tags": [f"tag {one}" for one in range(20)], **common},
    }
    folder = tmp_path_factory.mktemp("odd")
    for index, kind in enumerate(entries):
        (folder / f"{kind}.png").write_bytes(photograph(index, SHAPES[kind]))
        entries[kind]["file"] = f"{kind}.png"
    (folder / "manifest.json").write_text(json.dumps(list(entries.values())))
    with deployment() as running:
        running.gateway("import", folder)
        found = dict(zip(entries, running.ids()))
        image = running.call("feed.load", {"limit": 1})["items"][0]["image"]
        published = {"sensitive": {"image": image, "sensitive": True}, "unknown": {"image": "https://192.0.2.1/picture.png"}}
        for kind, members in published.items():
            found[kind] = str(uuid.uuid4()).upper()
            running.call("feed.publish", {"items": [{"id": found[kind], "description": kind.capitalize(), **members}]})
        yield running, found


@pytest.fixture(scope="module")
def broken():
    """A deployment whose comments do not run."""
    with deployment() as running:
        fill(running)
        running.stop("comments")
        yield running


@pytest.fixture(scope="module")
def down():
    """A deployment whose feed does not run."""
    with deployment() as running:
        running.stop("feed")
        yield running


@pytest.fixture(scope="module")
def empty():
    with deployment() as running:
        yield running


# --- Pages that need no more than their address ---------------------------------------------------------------------------

# The path of each; "{}" is the newest image.
PLAIN = {
    "feed": "/", "grid": "/", "comments": "/image/{}", "full": "/image/{}/picture", "error": "/nowhere", "docs": "/docs",
    "results": "/search?q=a", "nothing": "/search?q=nonsense",
}
# The device, the theme, the language and the size of the text in percent.
PHONE, DESKTOP, LARGE = ("phone", "light", "en", 100), ("desktop", "dark", "en", 100), ("phone", "dark", "el", 200)
OTHERS = [
    ("phone", "dark", "pt-BR", 100), ("desktop", "light", "en", 100), ("desktop", "light", "el", 200), ("wide", "light", "en", 100),
    ("sideways", "dark", "en", 100), ("phone", "light", "es", 100), ("desktop", "dark", "es", 200),
]


def ids(one):
    return one.__name__ if callable(one) else "-".join(map(str, one)) if isinstance(one, tuple) else one


def dressed(open_at, server, device, scheme, language, size, **options):
    page = open_at(server, None, color_scheme=scheme, locale=language, reduced_motion="reduce", **DEVICES[device], **options)
    if size != 100:
        page.add_init_script(f"document.addEventListener('DOMContentLoaded', () => document.documentElement.style.fontSize = '{size}%')")
    return page


@pytest.mark.parametrize("dress", [PHONE, DESKTOP, LARGE, *OTHERS], ids=ids)
@pytest.mark.parametrize("state", PLAIN)
def test_a_page(open_at, filled, sheet, state, dress):
    page = dressed(open_at, filled, *dress)
    if state == "grid":
        page.context.add_cookies([{"name": "layout", "value": "grid", "url": filled.url}])
    page.goto(PLAIN[state].format(filled.ids(1)[0]))
    page.wait_for_function(
        """() => [...document.querySelectorAll('.result-picture img')]
            .every(one => one.naturalWidth || one.getBoundingClientRect().top > innerHeight)""")
    shown(page, state)
    sheet("-".join([state, *map(str, dress)]), screenshot(page))


# --- States that something brings -----------------------------------------------------------------------------------------


def reload_failed(page, server):
    page.goto("/")
    ready(page)
    page.route(server.url + "/", lambda route: route.abort())
    page.keyboard.press("r")
    page.wait_for_selector(".banner")


def offline(page, server):
    page.goto("/")
    ready(page)
    shown(page, "feed")
    page.context.set_offline(True)
    page.wait_for_selector(".offline")


def form_offline(page, server):
    page.goto(f"/image/{server.ids(1)[0]}")
    page.wait_for_selector("#form")
    page.context.set_offline(True)
    page.wait_for_selector("#form-note:not([hidden])", state="attached")
    page.evaluate("document.querySelector('#form').scrollIntoView({ block: 'center', behavior: 'instant' })")


def new_items(page, server):
    items = [{"id": str(uuid.uuid4())} for _ in range(3)]
    body = f"event: published\ndata: {json.dumps({'items': items})}\n\n"
    page.route("**/v1/feed/events", lambda route: route.fulfill(body=body, content_type="text/event-stream"))
    page.goto("/")
    page.wait_for_selector(".pill")


def next_failed(page, server):
    page.route("**/?after_id=*", lambda route: route.abort())
    page.goto("/")
    ready(page)
    page.wait_for_function("() => { scrollTo(0, 1e6); return document.querySelector('#more .failure'); }")


def next_loading(page, server):
    page.route("**/?after_id=*", lambda route: None)
    page.goto("/")
    ready(page)
    page.wait_for_function("() => { scrollTo(0, 1e6); return document.querySelector('#more .outlines'); }")


def picture_failed(page, server):
    page.route("**/data*", lambda route: route.fulfill(status=503))
    page.goto("/")
    page.wait_for_selector(".failed .retry")


def picture_failed_alone(page, server):
    page.route("**/data*", lambda route: route.fulfill(status=503))
    page.goto(f"/image/{server.ids(1)[0]}")
    page.wait_for_selector(".failed .retry")


def full_failed(page, server):
    page.route("**/data*", lambda route: route.fulfill(status=503))
    page.goto(f"/image/{server.ids(1)[0]}/picture")
    page.wait_for_selector("#stage.failed .retry")


def end(page, server):
    page.goto(f"/?after_id={server.ids()[-3]}")
    page.wait_for_selector(".end")
    # The end moves when rows that come near get their size.
    for _ in range(3):
        page.evaluate("document.querySelector('.foot').scrollIntoView({ block: 'end', behavior: 'instant' })")
        settle(page)


def refused(page, server):
    page.goto(f"/image/{server.ids(1)[0]}")
    page.wait_for_selector("#form")
    write(page, "Lovely light", "wrong")
    page.wait_for_selector("#refusal")
    page.evaluate("document.querySelector('#form').scrollIntoView({ block: 'center', behavior: 'instant' })")


def keys(page, server):
    page.goto("/")
    ready(page)
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")


def focused(page, server):
    page.goto("/")
    ready(page)
    page.keyboard.press("j")
    page.keyboard.press("j")


def grid_focused(page, server):
    page.context.add_cookies([{"name": "layout", "value": "grid", "url": server.url}])
    focused(page, server)


def menu(page, server):
    page.goto("/")
    page.click(".menu summary")


def suggestions(page, server):
    page.goto("/search")
    page.fill(".search-input", "a")
    page.wait_for_selector(".suggestions [role=option]")


STATES = [
    reload_failed, offline, form_offline, new_items, next_failed, next_loading, picture_failed, picture_failed_alone, full_failed, end,
    refused, keys, focused, grid_focused, menu, suggestions,
]


@pytest.mark.parametrize("dress", [PHONE, DESKTOP, LARGE], ids=ids)
@pytest.mark.parametrize("state", STATES, ids=ids)
def test_a_state(open_at, filled, sheet, state, dress):
    page = dressed(open_at, filled, *dress)
    state(page, filled)
    shown(page, "loading" if "offline" in state.__name__ else state.__name__)
    sheet("-".join([state.__name__, *map(str, dress)]), screenshot(page))


@pytest.mark.parametrize("dress", [PHONE, DESKTOP, LARGE], ids=ids)
def test_the_page_that_was_never_visited(open_at, filled, sheet, dress):
    first, *others = [f"/image/{id}" for id in filled.ids(6)]
    device, scheme, language, size = dress
    page = open_stored(lambda **options: open_at(
        filled, color_scheme=scheme, locale=language, reduced_motion="reduce", **DEVICES[device], **options), *others)
    page.context.set_offline(True)
    page.goto(first)
    page.wait_for_selector("#stored .picture")
    page.evaluate("size => document.documentElement.style.fontSize = `${size}%`", size)
    shown(page, "loading")
    sheet("-".join(["never", *map(str, dress)]), screenshot(page))


@pytest.mark.parametrize("dress", [PHONE, DESKTOP, LARGE], ids=ids)
@pytest.mark.parametrize("server, path", [("broken", "/"), ("broken", "/image/{}"), ("down", "/"), ("empty", "/")])
def test_a_service_does_not_run(request, open_at, sheet, server, path, dress):
    running = request.getfixturevalue(server)
    page = dressed(open_at, running, *dress)
    page.goto(path.format(running.ids(1)[0]) if "{" in path else path)
    shown(page, "loading")
    sheet("-".join([server, "image" if "{" in path else "feed", *map(str, dress)]), screenshot(page))


@pytest.mark.parametrize("dress", [PHONE, DESKTOP, ("sideways", "light", "en", 100)], ids=ids)
@pytest.mark.parametrize("view", ["/", "grid", "/image/{}", "/image/{}/picture"])
@pytest.mark.parametrize("kind", [*SHAPES, "sensitive", "unknown"])
def test_a_kind_of_picture(open_at, odd, sheet, kind, view, dress):
    server, found = odd
    page = dressed(open_at, server, *dress)
    page.route(f"**/{found['unknown']}/data*", lambda route: route.fulfill(body=photograph(3, (1200, 500)), content_type="image/png"))
    if view == "grid":
        if kind != "plain":
            pytest.skip("one grid shows all kinds")
        page.context.add_cookies([{"name": "layout", "value": "grid", "url": server.url}])
    page.goto(view.format(found[kind]) if view != "grid" else "/")
    if view == "/":
        ready(page)
        page.evaluate("id => document.getElementById(id).scrollIntoView({ block: 'start', behavior: 'instant' })", f"i-{found[kind]}")
        settle(page)
    if kind != "sensitive":
        page.wait_for_function(
            """() => [...document.querySelectorAll('.photo, .stage img')]
                .every(one => one.closest('.veil') || one.loading === 'lazy' || !one.hasAttribute('src') || one.naturalWidth > 0)""")
    shown(page, "loading")
    sheet("-".join([kind, {"/": "list", "grid": "grid", "/image/{}": "image"}.get(view, "full"), *map(str, dress)]), screenshot(page))

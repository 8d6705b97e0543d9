"""What plugins add to the items of the feed, as the page shows it. The plugin is the example in Services/Examples."""

import json
import os
import pathlib
import subprocess
import sys
import urllib.request

import pytest

from deployment import deployment
from test_page import assert_accessible

EXAMPLES = pathlib.Path(__file__).parents[2] / "Services/Examples"
LIKES = {"name": "likes", "socket": "likes.sock", "contracts": {"likes": 1}, "timeout_ms": 60_000,
         "enriches": [{"item": "feed", "method": "likes.counts", "as": "likes", "label": {"en": "Likes", "pt-BR": "Curtidas"},
                       "format": "count", "link": "/v1/likes/{id}"}],
         "http": {"GET /v1/likes/{id}": "likes.get"}}


@pytest.fixture(scope="module")
def liked():
    """A deployment with three pictures, of which the first has two likes."""
    with deployment(manifests=[LIKES]) as running:
        process = subprocess.Popen([sys.executable, EXAMPLES / "likes.py"], env={**os.environ, "ROOT": str(running.root)})
        try:
            running.fill(3)
            running.wait_until_healthy("likes")
            for _ in range(2):
                running.call("likes.add", {"image_id": running.ids()[0]})
            running.process = process
            yield running
        finally:
            process.kill()
            process.wait()


@pytest.fixture
def page(open_at, liked):
    return open_at(liked, None)


def test_a_row_shows_the_name_and_the_value_below_its_text(liked, page):
    page.goto("/")
    rows = page.locator("#list > *")
    values = rows.nth(0).locator(".chips")
    assert values.locator("dt").all_inner_texts() == ["Likes"] and values.locator("dd").all_inner_texts() == ["2"]
    text, links = rows.nth(0).locator(".text").bounding_box(), rows.nth(0).locator(".links").bounding_box()
    box = values.bounding_box()
    assert text["y"] + text["height"] <= box["y"] and box["y"] + box["height"] <= links["y"]
    assert rows.nth(1).locator(".chips").count() == 0
    assert "comment" in rows.nth(0).locator(".count").inner_text().lower()


def test_the_page_of_an_image_shows_it_too(liked, page):
    page.goto(f"/image/{liked.ids()[0]}")
    assert page.locator(".caption .chips").inner_text().split() == ["Likes", "2"]


def test_the_name_is_in_the_language_of_the_reader_and_the_value_leads_to_its_page(liked, page):
    page.goto(f"/image/{liked.ids()[0]}?lang=pt-BR")
    assert page.locator(".chips dt").inner_text() == "Curtidas"
    page.locator(".chips a").click()
    page.wait_for_url(f"{liked.url}/v1/likes/{liked.ids()[0]}")
    assert '"count":2' in page.locator("body").inner_text().replace(" ", "")


def test_axe_finds_nothing(page):
    page.goto("/")
    assert_accessible(page)


def test_it_needs_no_sideways_scrolling_on_a_narrow_screen(page):
    page.set_viewport_size({"width": 320, "height": 600})
    page.goto("/")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_without_the_plugin_the_page_is_complete_and_says_what_is_missing(liked, page):
    liked.process.kill()
    liked.process.wait()
    page.goto("/")
    assert page.locator("#list > *").count() == 3 and page.locator(".chips").count() == 0
    assert "Some of this page is not available right now" in page.locator("body").inner_text()
    with urllib.request.urlopen(f"{liked.url}/v1/feed") as answer:
        document = json.load(answer)
    assert len(document["items"]) == 3 and document["problems"][0]["service"] == "likes"

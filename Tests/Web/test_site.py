"""How the feed presents itself: `site` of `config.json`, and what browsers read beside the page."""

import pathlib

import pytest

from deployment import deployment
from test_page import assert_accessible

LOGO = pathlib.Path(__file__).parents[2] / "Services/Gateway/App/Web/Assets/icon-512.png"
TITLE = "Ana’s photographs of birds, towers and everything between"
SITE = {"title": {"en": TITLE, "pt-BR": "Fotos da Ana"}, "description": "Lisbon", "contact": "ana@example.org", "logo": str(LOGO)}


@pytest.fixture(scope="module")
def birds():
    with deployment(site=SITE) as running:
        running.fill(2)
        yield running


def test_the_bar_has_the_logo_and_the_title_in_the_language_of_the_reader(open_at, birds):
    page = open_at(birds)
    assert page.title() == TITLE and page.locator(".brand").inner_text() == TITLE
    assert page.locator(".logo").evaluate("logo => logo.naturalWidth") == 512
    assert page.locator(".foot a").first.get_attribute("href") == "mailto:ana@example.org"
    assert_accessible(page)
    page.goto("/?lang=pt-BR")
    assert page.title() == "Fotos da Ana"


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_a_long_title_leaves_the_tools_on_the_screen(open_at, birds, width):
    page = open_at(birds, viewport={"width": width, "height": 800})
    tools = page.locator(".tools").bounding_box()
    assert tools["x"] >= 0 and tools["x"] + tools["width"] <= width
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("configured", [False, True])
def test_the_browser_can_install_the_page(open_at, feed, birds, configured):
    page = open_at(birds if configured else feed)
    inspector = page.context.new_cdp_session(page)
    manifest = inspector.send("Page.getAppManifest")
    assert not manifest["errors"] and f'"name":"{TITLE if configured else "My Feed"}"' in manifest["data"]
    # A context of tests counts as private, where nothing can be installed.
    faults = [fault["errorId"] for fault in inspector.send("Page.getInstallabilityErrors")["installabilityErrors"]]
    assert faults in ([], ["in-incognito"])

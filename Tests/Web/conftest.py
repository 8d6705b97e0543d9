"""What the tests of the page share: deployments, one browser, and a page for each test."""

import functools
import html
import json
import pathlib
import shutil
import sys

import pytest
from playwright.sync_api import sync_playwright

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1] / "Terminal")]
from deployment import PATIENCE, PROJECT, deployment  # noqa: E402
from gallery import fill  # noqa: E402

# The plugin can be deleted with all that belongs to it.
collect_ignore = [] if (PROJECT / "Services/Search").exists() else ["test_search.py"]

COUNT = 60


def pytest_ignore_collect(collection_path, config):
    """The sheet is made only for somebody who looks at it."""
    return True if collection_path.name == "test_sheet.py" and not config.getoption("--sheet") else None


def pytest_addoption(parser):
    parser.addoption("--sheet", type=pathlib.Path, help="folder for the screenshots and the sheet of all of them")
    parser.addoption("--photos", type=pathlib.Path, help="folder to import for the sheet, in place of drawn landscapes")
    parser.addoption("--seeds", default="1-3", help="the seeds of the walks through the full size, FIRST-LAST")
    parser.addoption("--accept-screens", action="store_true", help="store the screenshots as the expected ones")


@pytest.fixture(scope="session")
def feed():
    """A deployment with 60 pictures. Tests leave it as it was, except for items at the top and comments."""
    with deployment() as running:
        running.fill(COUNT)
        yield running


@pytest.fixture(scope="session")
def gallery():
    """A deployment with 15 landscapes and some comments, which no test changes."""
    with deployment() as running:
        fill(running)
        yield running


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"], timeout=PATIENCE * 1_000)
        yield browser
        browser.close()


@pytest.fixture
def open_at(browser):
    """Opens a page of a deployment in a context of its own. Problems that the browser reports fail the test."""
    contexts = []
    problems = []

    def open(server, path="/", *, expected=(), service_workers="block", **options):
        options = {"viewport": {"width": 800, "height": 900}, "locale": "en-US", "color_scheme": "light", **options}
        context = browser.new_context(base_url=server.url, service_workers=service_workers, **options)
        context.set_default_timeout(PATIENCE * 1_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))

        def note(message):
            known = ["Failed to load resource", "blocked by Playwright", "net::ERR", *expected]
            if message.type in ("error", "warning") and not any(word in message.text for word in known):
                problems.append(f"{message.text} {message.location}")

        page.on("console", note)
        if path is not None:
            page.goto(path)
        return page

    yield open
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture
def open_without_storage(browser, tmp_path):
    """Opens a page in a browser whose settings permit no site to store anything."""
    preferences = tmp_path / "Default/Preferences"
    preferences.parent.mkdir()
    preferences.write_text(json.dumps({"profile": {"default_content_setting_values": {"cookies": 2}}}))
    context = browser.browser_type.launch_persistent_context(
        tmp_path, executable_path=shutil.which("chromium"), args=["--no-sandbox"], timeout=PATIENCE * 1_000, locale="en-US")
    problems = []
    page = context.new_page()
    page.set_default_timeout(PATIENCE * 1_000)
    page.on("pageerror", lambda error: problems.append(str(error)))

    def open(url):
        page.goto(url)
        return page

    yield open
    context.close()
    assert problems == []


@pytest.fixture(scope="session")
def sheet(request, browser):
    """Collects screenshots, and lays them out when all are there. Does nothing without --sheet."""
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
        style = "body{display:flex;flex-wrap:wrap;gap:16px;margin:16px;font:13px sans-serif;background:#888}figure{margin:0}img{display:block;height:640px}"
        (folder / "sheet.html").write_text(f"<!doctype html><meta charset=utf-8><style>{style}</style>{figures}")
        page = browser.new_page(viewport={"width": 3200, "height": 1000})
        page.goto((folder / "sheet.html").absolute().as_uri())
        page.screenshot(path=folder / "sheet.png", full_page=True)
        page.close()


@pytest.fixture
def open_page(open_at, feed):
    return functools.partial(open_at, feed)

"""`/feed.atom` and `/feed.json` as feed readers read them: feedparser, newsboat, and the rules of JSON Feed by hand."""

import calendar
import contextlib
import datetime
import html.parser
import json
import os
import re
import shutil
import sqlite3
import subprocess
import time
import urllib.error
import urllib.request

import feedparser
import pytest

from deployment import deployment
from terminal import Terminal

PAGE = 7

# Texts that break a document or a reader when they are escaped wrongly. XML 1.0 forbids some of their characters.
HOSTILE = [
    "A plain title",
    "<script>alert(1)</script>",
    "</summary></entry></feed> after the end",
    "]]> and <![CDATA[ without an end",
    "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>&e;",
    "&amp; &lt; &#0; &nbsp; &unknown; %3C &",
    "{{title}} {{{html}}} {% raw %} ${y} <%= z %> {0} %s",
    "abc \u202eright to left\u202c \u2066isolated\u2069 \u200fשלום",
    "👩‍👩‍👧 🏖️ 🇧🇷 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 \U0010fffd",
    "zero\u200bwidth\u200cin\u200dthe\ufeffmiddle\u2060of words",
    "bell \x07, escape \x1b[31m, vertical tab \x0b, form feed \x0c, unit \x1f.",
    "not characters \ufffe \uffff.",
    "Windows or C1: \x85 \x9b.",
    "two lines\nof text\r\nthree\rfour\tand a tab",
    "\"quoted'\u0301 \"\u0301 attribute\" onload='x'",
    "separators \u2028 and \u2029 of lines",
    "x" * 10_000,
    "é" * 10_000,
    "Z̸̢̛͇͖̪̞̑̎a̷̢͓̎l̵̰̈́g̶̰̈́o̸͎̓",
]


def in_xml(text):
    """The text as XML 1.0 can have it."""
    return re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "\ufffd", text)


def in_html(text):
    """The text as the page shows it: without controls and overrides of the writing direction."""
    return re.sub("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "", text)


def full_text(item):
    return "\n\n".join(text for text in (item.get("description"), item.get("location")) if text)


@pytest.fixture(scope="module")
def hostile():
    """A deployment with all hostile texts, each as a description and as a location. The oldest item has no date."""
    with deployment() as running:
        running.fill(1)
        image = running.call("feed.load", {})["items"][0]["image"]
        running.stop("feed")
        with contextlib.closing(sqlite3.connect(running.root / "data/feed.sqlite")) as store, store:
            store.execute("UPDATE item SET published_at = NULL")
        running.start("feed")
        running.wait_until_healthy()
        running.began = time.time()
        for number, text in enumerate(HOSTILE):
            item = {"id": f"00000000-0000-4000-8000-{number:012}", "description": text, "image": image}
            if len(text) < 1_000:
                item["location"] = text
            running.call("feed.publish", {"items": [item]})
        yield running


@pytest.fixture(scope="module")
def items(hostile):
    """The items of the API, newest first."""
    with urllib.request.urlopen(f"{hostile.url}/v1/feed?limit=100") as answer:
        items = json.load(answer)["items"]
    assert [item.get("description") for item in items[:-1]] == [re.sub("\r\n?", "\n", text) for text in HOSTILE[::-1]]
    return items


def link(document, relation):
    urls = [link.href for link in document.feed.links if link.rel == relation]
    assert len(urls) < 2
    return urls[0] if urls else None


def atom_pages(url):
    """All pages, as feedparser reads them."""
    while url:
        page = feedparser.parse(url)
        assert (page.status, page.bozo, page.version) == (200, False, "atom10"), page.get("bozo_exception")
        assert link(page, "self") == url
        yield page
        url = link(page, "next")


class Paragraphs(html.parser.HTMLParser):
    """The texts of the paragraphs of HTML, and the pictures."""

    def __init__(self, text):
        super().__init__()
        self.texts, self.pictures, self.names = [], [], set()
        self.feed(text)
        self.close()

    def handle_starttag(self, name, attributes):
        self.names.add(name)
        if name == "p":
            self.texts.append("")
        if name == "img":
            self.pictures.append(dict(attributes)["src"])

    def handle_data(self, data):
        self.texts[-1] += data


# feedparser reads the C1 controls as the characters that Windows has there.
C1 = {code: bytes([code]).decode("cp1252") for code in (0x85, 0x9B)}


def test_feedparser_reads_every_item_of_every_page(hostile, items):
    pages = list(atom_pages(f"{hostile.url}/feed.atom?limit={PAGE}"))
    assert [len(page.entries) for page in pages[:-1]] == [PAGE] * (len(items) // PAGE)
    entries = [entry for page in pages for entry in page.entries]
    assert [entry.id for entry in entries] == [f"urn:uuid:{item['id'].lower()}" for item in items]
    for entry, item in zip(entries, items):
        assert entry.summary_detail.type == "text/plain"
        assert entry.summary == in_xml(full_text(item)).translate(C1)
        assert entry.link == f"{hostile.url}/image/{item['id']}"
        assert entry.enclosures == []
        content = entry.content[0]
        assert content.type == "text/html"
        shown = Paragraphs(content.value)
        assert shown.names == {"p", "img"} and shown.pictures == [item["image"] + "?w=1280"]
        texts = [in_xml(in_html(item[name])) for name in ("description", "location") if name in item]
        assert [text.split() for text in shown.texts[1:]] == [text.split() for text in texts]


def test_pages_of_atom_lead_back_and_are_one_feed(hostile):
    first, second, *others = atom_pages(f"{hostile.url}/feed.atom?limit={PAGE}")
    assert link(first, "previous") is None
    back = feedparser.parse(link(second, "previous"))
    assert [entry.id for entry in back.entries] == [entry.id for entry in first.entries]
    for page in (first, second, *others):
        assert link(page, "first") == link(first, "self") and page.feed.id == first.feed.id
        assert link(page, "alternate") == f"{hostile.url}/"
    assert link(others[-1], "next") is None
    newer = feedparser.parse(link(back, "previous"))
    assert not newer.bozo and newer.entries == []


def test_atom_has_the_dates_of_the_items(hostile, items):
    document = feedparser.parse(f"{hostile.url}/feed.atom?limit=100")
    *dated, undated = zip(document.entries, items)
    for entry, item in dated:
        date = datetime.datetime.strptime(item["published_at"], "%Y-%m-%dT%H:%M:%S%z")
        assert calendar.timegm(entry.published_parsed) == calendar.timegm(entry.updated_parsed) == date.timestamp()
        assert int(hostile.began) <= date.timestamp() <= time.time()
    assert "published_at" not in undated[1] and "published" not in undated[0]
    assert calendar.timegm(undated[0].updated_parsed) == 0
    assert document.feed.updated == dated[0][0].updated


def test_feedparser_revalidates(hostile):
    url = f"{hostile.url}/feed.atom"
    first = feedparser.parse(url)
    assert feedparser.parse(url, etag=first.etag).status == 304


def test_the_language_of_a_subscription_is_that_of_all_pages(hostile):
    for page in atom_pages(f"{hostile.url}/feed.atom?lang=pt-BR&limit={PAGE}"):
        assert (page.feed.language, page.feed.title) == ("pt-BR", "Meu Feed")


def test_json_feed_keeps_its_rules_on_every_page(hostile, items):
    entries, url = [], f"{hostile.url}/feed.json?limit={PAGE}"
    while url:
        with urllib.request.urlopen(url) as answer:
            assert answer.headers["Content-Type"] == "application/feed+json"
            feed = json.load(answer)
        assert feed["version"] == "https://jsonfeed.org/version/1.1" and feed["title"] == "My Feed"
        assert feed["home_page_url"] == f"{hostile.url}/" and feed["feed_url"] == f"{hostile.url}/feed.json"
        entries += feed["items"]
        url = feed.get("next_url")
    assert [entry["id"] for entry in entries] == [f"urn:uuid:{item['id'].lower()}" for item in items]
    for entry, item in zip(entries, items):
        assert entry["content_text"] == full_text(item)
        assert entry["url"] == f"{hostile.url}/image/{item['id']}" and entry["image"] == item["image"] + "?w=1280"
        assert "attachments" not in entry
        shown = Paragraphs(entry["content_html"])
        assert shown.names == {"p", "img"} and shown.pictures == [item["image"] + "?w=1280"]
        assert shown.texts[1:] == [in_html(item[name]) for name in ("description", "location") if name in item]
        if "published_at" in item:
            date = item["published_at"]
            assert entry["date_published"] == date and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", date)
        else:
            assert "date_published" not in entry


def test_both_documents_have_the_same_titles(hostile):
    with urllib.request.urlopen(f"{hostile.url}/feed.json?limit=100") as answer:
        titles = [entry["title"] for entry in json.load(answer)["items"]]
    document = feedparser.parse(f"{hostile.url}/feed.atom?limit=100")
    assert [entry.title for entry in document.entries] == [in_xml(title).translate(C1) for title in titles]
    assert all(0 < len(title) <= 200 for title in titles)


def test_the_page_names_both_documents(hostile):
    with urllib.request.urlopen(f"{hostile.url}/") as answer:
        page = answer.read().decode()
    for kind in ("atom+xml", "feed+json"):
        (path,) = re.findall(rf'<link rel="alternate" type="application/{re.escape(kind)}" [^>]*href="([^"]*)"', page)
        with urllib.request.urlopen(hostile.url + path) as answer:
            assert answer.headers["Content-Type"] == f"application/{kind}"


def test_a_cursor_that_was_never_an_item_is_refused(hostile):
    with pytest.raises(urllib.error.HTTPError) as refusal:
        urllib.request.urlopen(f"{hostile.url}/feed.atom?after_id=99999999-0000-4000-8000-000000000000")
    assert refusal.value.code == 400


# --- newsboat ---------------------------------------------------------------------------------------------------------


class Newsboat:
    """newsboat with an own home and one subscription."""

    def __init__(self, folder, url):
        self.folder = folder
        (folder / "urls").write_text(url + "\n")
        (folder / "config").write_text("")
        self.command = ["newsboat", "-u", folder / "urls", "-C", folder / "config", "-c", folder / "cache.db"]
        self.environment = {
            "HOME": str(folder), "PATH": os.environ["PATH"], "TERM": "xterm", "LC_ALL": "C.UTF-8", "TZ": "UTC"}

    def execute(self, *words):
        return subprocess.run(
            [*self.command, "-x", *words], env=self.environment, check=True, capture_output=True, text=True
        ).stdout

    def articles(self):
        """The rows of its database, newest first."""
        with contextlib.closing(sqlite3.connect(self.folder / "cache.db")) as cache:
            cache.row_factory = sqlite3.Row
            return cache.execute("SELECT * FROM rss_item ORDER BY id DESC").fetchall()

    @contextlib.contextmanager
    def screen(self):
        """Runs it in a terminal."""
        terminal = Terminal([shutil.which("newsboat"), *self.command[1:]], columns=160, rows=60, environment=self.environment)
        try:
            yield terminal
        finally:
            terminal.close()


def test_newsboat_keeps_every_item(hostile, items, tmp_path):
    newsboat = Newsboat(tmp_path, f"{hostile.url}/feed.atom?limit=100")
    assert newsboat.execute("reload", "print-unread").strip() == f"{len(items)} unread articles"
    articles = {article["guid"]: article for article in newsboat.articles()}
    assert len(articles) == len(items)
    titles = {entry.id: entry.title for entry in feedparser.parse(f"{hostile.url}/feed.atom?limit=100").entries}
    for item in items:
        article = articles[f"urn:uuid:{item['id'].lower()}"]
        assert article["title"].translate(C1) == titles[article["guid"]]
        assert article["url"] == f"{hostile.url}/image/{item['id']}"
        shown = Paragraphs(article["content"])
        assert shown.names == {"p", "img"} and shown.pictures == [item["image"] + "?w=1280"]
        assert shown.texts[1:] == [
            in_xml(in_html(item[name])) for name in ("description", "location") if name in item]
    # Nothing changes with the next reload, also for the item without a date.
    assert newsboat.execute("reload", "print-unread").strip() == f"{len(items)} unread articles"
    assert len(newsboat.articles()) == len(items)


def test_newsboat_shows_the_items_on_its_screen(hostile, items, tmp_path):
    newsboat = Newsboat(tmp_path, f"{hostile.url}/feed.atom?limit=100")
    newsboat.execute("reload")
    with newsboat.screen() as screen:
        screen.until_shown("My Feed", f"({len(items)}/{len(items)})")
        screen.press("\r")
        screen.until_shown("A plain title", "<script>alert(1)</script>", "{{title}} {{{html}}}", "]]> and <![CDATA[")
        # The newest item is the first.
        screen.press("\r")
        screen.until_shown(f"Link: {hostile.url}/image/{items[0]['id']}", "Links:", f"{items[0]['image']}?w=1280 (image)")

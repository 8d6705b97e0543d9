"""What a reader sees while a service has stopped, or hangs: on each page pictures, and a true sentence."""

import pytest

from deployment import deployment
from gallery import photograph
from test_page import hanging, ready, wait_for_worker
from test_search import MANIFEST

WITHOUT_PART = "Some of this page is not available right now"
COPY = "The server does not answer: cached copy from"
LATE = "The comments take longer than usual"
WITHOUT_COMMENTS = "Comments are not available right now"
WITHOUT_SEARCH = "Search is not available right now"
# The sentences by the service that hangs and the page; the other pages are whole. A machine may be so slow that the services that
# do not hang seem to, or that the page has asked for late comments again before anybody has looked.
SENTENCES = {
    ("feed", "/"): [COPY],
    ("feed", "/image/{}"): [WITHOUT_PART, LATE, WITHOUT_COMMENTS],
    ("feed", "/search?q=picture"): [WITHOUT_PART, WITHOUT_SEARCH],
    ("comments", "/"): [WITHOUT_PART, COPY],
    ("comments", "/image/{}"): [LATE, WITHOUT_COMMENTS],
    ("search", "/search?q=picture"): [WITHOUT_SEARCH],
}
PAGES = ["/", "/image/{}", "/image/{}/picture", "/search?q=picture"]
PICTURES = """without => document.body.innerText.includes(without)
    || [...document.images].some(one => one.checkVisibility({ visibilityProperty: true }) && one.naturalWidth)"""


@pytest.fixture(scope="module")
def services():
    with deployment(manifests=[MANIFEST]) as running:
        running.fill(12, description=lambda index: f"Picture number {index}", picture=photograph)
        running.start("search")
        running.processes["search"].wait_for("all images are indexed")
        running.wait_until_healthy("search")
        yield running


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("name", ["feed", "comments", "image-data", "search"])
def test_while_a_service_hangs_there_are_pictures_and_a_true_sentence(open_at, services, name, path):
    image = services.ids(2)[1]
    # The gateway has shown the feed to somebody.
    page = open_at(services)
    with hanging(services, name):
        page.goto(path.format(image), wait_until="commit")
        if sentences := SENTENCES.get((name, path)):
            page.wait_for_selector(f"text=/{'|'.join(sentences)}/")
        page.wait_for_function(PICTURES, arg=WITHOUT_SEARCH)
    services.wait_until_healthy(name)


def test_a_page_says_what_is_missing_of_its_newer_words_and_when_it_is_there_again(open_at, services):
    page = open_at(services)
    ready(page)
    counts = page.locator("#list .count").all_inner_texts()
    renew = "new BroadcastChannel('changes ').postMessage({ name: 'reset' })"
    with hanging(services, "comments"):
        page.evaluate(renew)
        page.wait_for_selector(f"text={WITHOUT_PART}")
        assert page.locator("#list .count").all_inner_texts() != counts
    services.wait_until_healthy("comments")
    top = page.locator("#list").bounding_box()
    # The gateway leaves out a part that was late for a while.
    page.wait_for_function(f"() => {{ {renew}; return document.querySelector('#problem.past') }}", polling=1_000)
    page.wait_for_function("counts => [...document.querySelectorAll('#list .count')].map(one => one.innerText).join() === counts.join()", arg=counts)
    assert page.locator("#list").bounding_box() == top


def test_results_that_nobody_has_seen_are_counted_while_the_feed_hangs(open_at, services):
    services.stop("gateway")
    services.start("gateway")
    services.wait_until_healthy("search")
    page = open_at(services, "/docs")
    with hanging(services, "feed"):
        page.goto("/search?q=picture", wait_until="commit")
        page.wait_for_selector("text=12 results cannot be shown right now")
        assert "12 results" in page.inner_text(".results-total") and page.locator(".result, .empty").count() == 0
    services.wait_until_healthy("feed")


@pytest.mark.parametrize("workers", ["block", "allow"])
def test_a_page_whose_pictures_hang_can_be_left(open_at, services, workers):
    """A browser has six connections to a host, and each picture that has not come holds one."""
    page = open_at(services, "/docs", service_workers=workers, viewport={"width": 1280, "height": 900})
    if workers == "allow":
        wait_for_worker(page)
    page.context.add_cookies([{"name": "layout", "value": "grid", "url": services.url}])
    failures = []
    page.on("response", lambda response: failures.append(response.url) if response.status >= 500 else None)
    with hanging(services, "image-data"):
        page.goto("/", wait_until="commit")
        ready(page)
        page.wait_for_function("() => document.querySelectorAll('.loading').length > 6")
        page.evaluate("setTimeout(() => document.querySelector('.item .cover').click())")
        page.wait_for_selector("#comments")
        # It did not wait until the gateway gave up the pictures.
        assert not failures
    services.wait_until_healthy("image-data")

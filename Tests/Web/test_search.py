"""Search on the page: the field with its suggestions, the results, the tags, and search that does not run."""

import json

import pytest

from deployment import PROJECT, deployment
from test_page import assert_accessible, until

MANIFEST = json.loads((PROJECT / "Services/Search/search.json").read_text())
del MANIFEST["run"]


@pytest.fixture(scope="module")
def searched():
    """A deployment with 30 pictures, of which search has indexed all."""
    with deployment(manifests=[MANIFEST]) as running:
        running.fill(30, description=lambda index: f"Picture of a chicken number {index}" if index % 2 else "A <b>tram</b>")
        newest = running.ids()[0]
        image = running.call("feed.load", {"limit": 1})["items"][0]["image"]
        running.call("feed.publish", {"items": [{
            "id": "00000000-0000-4000-8000-000000000001", "description": "Sunrise", "location": "São Paulo, Brazil", "image": image,
            "tags": ["golden hour", "Sky"]}, {
            "id": "00000000-0000-4000-8000-000000000003", "description": "Tower\nThe tower was built in 1930", "image": image}, {
            "id": "00000000-0000-4000-8000-000000000002", "description": "Covered", "image": image, "sensitive": True}]})
        running.gateway("comment", newest, "Que linda galinha!", "--username", "ana")
        running.start("search")
        running.processes["search"].wait_for("all images are indexed")
        running.wait_until_healthy("search")
        yield running


@pytest.fixture
def open_search(open_at, searched):
    def open(path="/", **options):
        return open_at(searched, path, **{"viewport": {"width": 1000, "height": 900}, **options})

    return open


def test_a_title_is_set_apart_from_the_words_that_were_found(open_search):
    page = open_search("/search?q=tower")
    result = page.locator(".result")
    assert result.locator("h2").inner_text() == "Tower" and result.locator(".snippet").inner_text() == "The tower was built in 1930"
    assert result.locator(".snippet mark").all_inner_texts() == ["tower"]


def test_escape_leaves_the_field_with_its_words_and_leads_back(open_search):
    page = open_search()
    page.wait_for_function("() => history.scrollRestoration === 'manual'")
    page.keyboard.press("j")
    row = page.evaluate("document.activeElement.id")
    page.keyboard.press("/")
    page.keyboard.type("?j/")
    assert page.evaluate("document.activeElement.name") == "q" and not page.query_selector("dialog[open]")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == row and page.input_value(".search-input") == "?j/"
    page.keyboard.press("?")
    assert "Search" in page.inner_text("dialog").split("\n")


def test_without_scripts_the_field_is_a_form(open_search):
    page = open_search(java_script_enabled=False)
    page.fill(".search.in-bar input", "galinha")
    page.press(".search.in-bar input", "Enter")
    page.wait_for_url("**/search?q=galinha")
    assert page.locator(".result").count() == 1
    assert page.locator(".snippet mark").inner_text() == "galinha"


def test_a_place_leads_to_its_pictures(open_search):
    page = open_search("/image/00000000-0000-4000-8000-000000000001")
    page.click(".place a")
    page.wait_for_selector(".result")
    assert page.locator(".result .place").all_inner_texts() == ["São Paulo, Brazil"]


def test_a_sensitive_picture_is_covered_in_the_results(open_search):
    page = open_search("/search?q=covered")
    assert page.inner_text(".result-picture .covered") == "Sensitive picture. Show it"
    assert not page.query_selector(".result-picture img[src*='/data']")
    page.click(".result-picture")
    page.wait_for_selector(".veil:not([open]) summary")


def test_results_have_pages_without_repetition(open_search):
    page = open_search("/search?q=picture")
    ids = page.locator(".result").evaluate_all("rows => rows.map(row => row.dataset.id)")
    page.click("a[rel=next]")
    page.wait_for_url("**after=**")
    more = page.locator(".result").evaluate_all("rows => rows.map(row => row.dataset.id)")
    assert len(ids) == 12 and len(set(ids + more)) == 15
    page.click("a[rel=first]")
    page.wait_for_url("**/search?q=picture")


def test_a_slash_puts_the_focus_into_the_field(open_search):
    page = open_search()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.name") == "q"
    page.keyboard.type("a/b")
    assert page.input_value(".search.in-bar input") == "a/b"


def test_suggestions_are_chosen_by_keyboard(open_search):
    page = open_search()
    field = page.locator(".search.in-bar input")
    assert field.get_attribute("role") == "combobox" and field.get_attribute("aria-expanded") == "false"
    page.keyboard.press("/")
    page.keyboard.type("hou")
    page.locator("[role=option]").first.wait_for()
    assert field.get_attribute("aria-expanded") == "true"
    page.keyboard.press("ArrowDown")
    active = page.locator("#" + field.get_attribute("aria-activedescendant"))
    assert active.get_attribute("aria-selected") == "true" and "golden hour" in active.inner_text()
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=**")
    assert page.input_value("main input[name=q]") == 'tag:"golden hour" '
    assert page.locator(".result h2").all_inner_texts() == ["Sunrise"]


@pytest.mark.parametrize("typed, query", [
    ("-hou", '-tag:"golden hour" '), ("-tag:hou", '-tag:"golden hour" '), ('sunrise place:"sao pau', 'sunrise place:"São Paulo, Brazil" '),
    ('"a b" hou', '"a b" tag:"golden hour" '),
])
def test_a_suggestion_replaces_only_what_is_being_typed(open_search, typed, query):
    page = open_search()
    page.keyboard.press("/")
    page.keyboard.type(typed)
    page.locator("[role=option]").first.click()
    page.wait_for_url("**/search?q=**")
    assert page.input_value("main input[name=q]") == query


def test_escape_closes_the_suggestions_and_keeps_the_text(open_search):
    page = open_search()
    page.keyboard.press("/")
    page.keyboard.type("sao")
    page.locator("[role=option]").first.wait_for()
    page.keyboard.press("Escape")
    assert page.locator(".suggestions").first.is_hidden()
    assert page.input_value(".search.in-bar input") == "sao"


def test_a_suggestion_is_chosen_by_a_click(open_search):
    page = open_search()
    page.click(".search.in-bar input")
    page.keyboard.type("sao")
    page.locator("[role=option]").first.click()
    page.wait_for_url("**/search?q=**")
    assert page.locator(".result h2").all_inner_texts() == ["Sunrise"]


@pytest.mark.parametrize("language, meaning", [("en", "with this tag"), ("el", "με αυτή την ετικέτα")])
def test_each_example_beside_the_empty_field_finds_something(open_search, language, meaning):
    page = open_search(f"/search?lang={language}")
    examples = page.locator(".examples a")
    queries = examples.all_inner_texts()
    assert {'tag:"golden hour"', 'place:"Place 0"', "from:ana"} <= set(queries) and meaning in page.inner_text(".examples")
    for index, query in enumerate(queries):
        examples.nth(index).click()
        page.wait_for_url("**/search?q=**")
        assert page.input_value("main input[name=q]") == query and page.locator(".result").count() > 0
        page.go_back()
        page.wait_for_selector(".examples")


def test_an_empty_field_offers_what_is_frequent_when_asked(open_search):
    page = open_search()
    page.keyboard.press("/")
    assert page.locator(".suggestions").first.is_hidden()
    page.keyboard.press("ArrowDown")
    page.locator("[role=option] >> text=golden hour").wait_for()
    assert page.locator("[role=group] > [role=option]:nth-child(5)").count() == 0
    page.keyboard.press("Escape")
    page.click(".search.in-bar input")
    page.locator("[role=option] >> text=Place 0").click()
    page.wait_for_url("**/search?q=place**")


def test_each_tag_leads_to_its_page(open_search):
    page = open_search()
    page.click("a.tag >> text=golden hour")
    page.wait_for_url("**/search?tag=golden%20hour")
    assert page.locator("h1").inner_text() == "Images with the tag golden hour"
    assert page.locator(".result h2").all_inner_texts() == ["Sunrise"]
    page.click(".result a.tag >> text=Sky")
    page.wait_for_url("**/search?tag=Sky")


def test_a_search_in_a_tag_shows_the_tag_and_leads_out_of_it(open_search):
    page = open_search("/search?q=sunrise&tag=Sky")
    assert page.locator(".filter").all_inner_texts() == ["Sky"]
    page.click(".filter")
    page.wait_for_url("**/search?q=sunrise")
    assert page.locator(".filter").count() == 0


def test_on_a_phone_a_slash_leads_to_the_field(open_search):
    page = open_search(viewport={"width": 390, "height": 800})
    page.keyboard.press("/")
    page.wait_for_url("**/search")
    page.wait_for_function("document.activeElement.name === 'q'")


@pytest.mark.parametrize("language, nothing", [
    ("en", "Nothing found for"), ("pt-BR", "Nada encontrado para"), ("el", "Δεν βρέθηκε τίποτα για"), ("es", "No se encontró nada para"),
])
def test_nothing_found_has_a_way_back(open_search, language, nothing):
    page = open_search("/search?q=%3Cb%3Enonsense", locale=language)
    assert nothing in page.inner_text(".empty .large") and "<b>nonsense" in page.inner_text(".empty .large")
    page.click(".empty .button")
    page.wait_for_url("**/")


def test_hostile_text_is_text(open_search):
    page = open_search("/search?q=tram")
    assert page.locator(".result h2").first.inner_text() == "A <b>tram</b>"
    assert page.locator(".result mark").first.inner_text() == "tram"
    assert page.locator(".result b").count() == 0


@pytest.mark.parametrize("path", ["/search?q=picture", "/search?q=nonsense", "/search?tag=Sky", "/search?q=sunrise&tag=Sky", "/search", "/"])
def test_axe_finds_nothing(open_search, path):
    assert_accessible(open_search(path))


@pytest.mark.parametrize("path", ["/", "/search?q=picture", "/search?tag=golden%20hour"])
def test_nothing_is_wider_than_the_window(open_search, path):
    page = open_search(path)
    for width in (320, 360, 600, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        small = page.locator(":is(.search-input, .search-button, .search-link, a.tag):visible").evaluate_all(
            "all => all.filter(one => one.getBoundingClientRect().height < 44).map(one => one.outerHTML)")
        assert small == []


def test_while_search_does_not_run_everything_else_works(searched, open_search):
    searched.stop("search")
    try:
        page = open_search("/search?q=picture")
        until(page, lambda: page.reload() and "not available right now" in page.inner_text("main"))
        page.click(".empty .button")
        page.wait_for_url("**/")
        assert page.locator("#list > *").count() == 12
        field = page.locator(".search.in-bar input")
        until(page, lambda: page.reload() and field.get_attribute("placeholder") == "Search is not available right now")
        page.keyboard.press("/")
        page.keyboard.type("pic")
        page.locator(".suggestions:visible >> text=not available right now").wait_for()
    finally:
        searched.start("search")
    searched.wait_until_healthy("search")
    page.goto("/search?q=picture")
    assert page.locator(".result").count() == 12

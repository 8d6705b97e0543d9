"""The keys of the pages, and the list of them."""

import pytest

from test_page import ready, scroll_to_last_row, shown_ids

focused = "() => document.activeElement.id"


@pytest.mark.parametrize("layout", ["list", "grid"])
def test_j_and_k_lead_through_the_feed_and_enter_opens_an_image(open_page, layout):
    page = open_page(f"/?layout={layout}")
    ready(page)
    ids = shown_ids(page)
    keys = []
    for key in "jjjk":
        page.keyboard.press(key)
        keys.append(page.evaluate(focused))
    assert keys == [f"i-{ids[index]}" for index in (0, 1, 2, 1)]
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/image/{ids[1]}")


def test_the_keys_are_those_of_the_position_on_a_greek_keyboard(open_page):
    page = open_page()
    ready(page)
    page.evaluate("document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ξ', code: 'KeyJ', bubbles: true }))")
    assert page.evaluate(focused) == "i-" + shown_ids(page)[0]


def test_a_question_mark_lists_the_keys_of_the_page(open_page, feed):
    page = open_page(locale="pt-BR")
    ready(page)
    first = shown_ids(page)[0]
    page.focus(f"#i-{first}")
    page.keyboard.press("?")
    assert page.get_by_role("dialog", name="Atalhos de teclado").is_visible()
    text = page.inner_text("dialog")
    assert "Próxima imagem" in text and "Page Down" in text and "Esc" not in text
    # Its keys wait until it is closed.
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.closest('dialog') !== null")
    page.keyboard.press("Escape")
    assert page.evaluate(focused) == f"i-{first}"
    # Each page that loads moves the foot.
    scroll_to_last_row(page)
    page.click(".foot .keys-button")
    page.click("dialog button")
    page.wait_for_selector("dialog", state="hidden")
    page.goto(f"/image/{first}/picture")
    page.keyboard.press("?")
    assert "Esc" in page.inner_text("dialog")
    # Escape closes the list, and not the picture.
    page.keyboard.press("Escape")
    assert page.wait_for_selector("dialog", state="hidden") is None and page.url.endswith("/picture")


@pytest.mark.parametrize("key", ["Control+j", "Alt+j", "Meta+j", "Shift+j"])
def test_a_modifier_key_turns_a_key_off(open_page, key):
    page = open_page()
    ready(page)
    page.keyboard.press(key)
    assert page.evaluate(focused) == ""


def test_no_key_acts_while_typing(open_page, feed):
    page = open_page(f"/image/{feed.ids(2)[1]}")
    page.focus("#message")
    page.keyboard.type("jk/?+-0c")
    assert page.input_value("#message") == "jk/?+-0c" and not page.query_selector("dialog[open]")


def test_each_row_is_one_stop_and_its_links(open_page):
    page = open_page()
    ready(page)
    page.focus("#content")
    stops = []
    while len(stops) < 6:
        page.keyboard.press("Tab")
        stops.append(page.evaluate("[document.activeElement.closest('.item').id, document.activeElement.className]"))
    ids = shown_ids(page)
    assert stops == [[f"i-{ids[index]}", name] for index in range(3) for name in ("item", "count")]


def test_the_focus_stays_in_the_foot_while_rows_come_in(open_page):
    page = open_page()
    ready(page)
    page.focus(".keys-button")
    page.wait_for_function("() => document.querySelectorAll('#list > *').length > 12")
    assert page.evaluate("document.activeElement.className") == "keys-button"

"""Nothing moves while the page loads, also on a slow phone. Tests/Benchmarks/page.py measures how fast it is there."""

import pytest

from slow_phone import VIEWS, slow_page, vitals

SHIFT = 0.02


@pytest.mark.parametrize("view", VIEWS)
def test_nothing_moves_while_the_page_loads(browser, gallery, view):
    with slow_page(browser, gallery, view) as page:
        loaded = vitals(page)
    assert loaded["shift"] <= SHIFT and loaded["paint"] > 0

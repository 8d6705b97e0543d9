"""Help in a terminal of any width."""

import pytest

from conftest import PROGRAMS
from terminal import Terminal


@pytest.mark.parametrize("columns", [1, 20, 27, 28, 40])
@pytest.mark.parametrize("command", [["--help"], ["feed", "--help"], ["feed", "--limt"]])
def test_help_is_shown_at_any_width(columns, command):
    terminal = Terminal([PROGRAMS / "gateway", *command], columns=columns)
    try:
        assert terminal.end() == (0 if "--help" in command else 64)
        assert b"gateway" in terminal.written
    finally:
        terminal.close()

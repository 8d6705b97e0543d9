"""What the tests in a terminal share: one deployment, and a terminal for each test."""

import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "Web")]
from deployment import PROGRAMS, deployment  # noqa: E402
from terminal import Terminal  # noqa: E402

COUNT = 30


def pytest_addoption(parser):
    parser.addoption("--accept-screens", action="store_true", help="store the screens as the expected ones")


@pytest.fixture(scope="session")
def feed():
    """A deployment with 30 pictures. Tests leave it as it was, except for comments."""
    with deployment() as running:
        running.fill(COUNT)
        yield running


@pytest.fixture(scope="session")
def other():
    """A deployment for tests that begin without pictures."""
    with deployment() as running:
        yield running


@pytest.fixture
def running(other):
    """A deployment without pictures."""
    yield other
    other.empty()


@pytest.fixture
def open_terminal(feed):
    """Runs a command of the command line in a terminal of its own."""
    terminals = []

    def open(*arguments, root=feed.root, **options):
        terminals.append(Terminal([PROGRAMS / "gateway", *arguments, "--root", root], **options))
        return terminals[-1]

    yield open
    for terminal in terminals:
        terminal.close()


@pytest.fixture
def browse(open_terminal):
    def open(*arguments, **options):
        return open_terminal("browse", *arguments, **options)

    return open


@pytest.fixture
def matches_screen(request):
    """Compares a screen's text with the committed one. Run with --accept-screens to store it, and look at it."""

    def compare(terminal, name):
        file = HERE / "screens" / f"{name}.txt"
        if request.config.getoption("--accept-screens"):
            while terminal.read(2) and terminal.changed:
                pass
            file.write_text(terminal.text() + "\n")
        expected = file.read_text()
        terminal.until(lambda: terminal.text() + "\n" == expected)

    return compare

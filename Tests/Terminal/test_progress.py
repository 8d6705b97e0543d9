"""The progress of long commands: one line in a terminal, nothing elsewhere, and an orderly end at Ctrl-C."""

import itertools
import json
import os
import re
import signal
import subprocess
import sys

import pytest
from conftest import PROGRAMS
from deployment import PROJECT, png
from terminal import Terminal

FEW = 10

# The number of pictures where Ctrl-C must come before the end.
MANY = 80
REDRAW = b"\r"
colors = itertools.count()


def draw(folder, count):
    """Fills a folder with pictures that no other test has imported."""
    color = next(colors)
    folder.mkdir()
    for index in range(count):
        (folder / f"{index:03}.png").write_bytes(png((index, color, 200), 40, 30))
    return folder


@pytest.fixture
def pictures(tmp_path):
    return draw(tmp_path / "few", FEW)


@pytest.fixture
def many_pictures(tmp_path):
    return draw(tmp_path / "many", MANY)


@pytest.fixture
def open_command(running):
    """Runs a command of the command line in a terminal of 70 columns."""
    terminals = []

    def open(*arguments, **environment):
        terminals.append(
            Terminal(
                [PROGRAMS / "gateway", *arguments], columns=70,
                environment={"ROOT": str(running.root), **environment}))
        return terminals[-1]

    yield open
    for terminal in terminals:
        terminal.close()


def end(terminal):
    """Waits for the end. Returns the exit code and the lines of progress."""
    status = terminal.end()
    return status, [part for part in terminal.written.split(REDRAW) if part.endswith(b"\x1b[K") and part != b"\x1b[K"]


def lines(terminal):
    return [line for line in terminal.text().split("\n") if line]


def test_import_and_export(open_command, pictures, tmp_path):
    terminal = open_command("import", pictures)
    status, drawn = end(terminal)
    assert status == 0 and drawn and f"/{FEW} ".encode() in drawn[0]
    assert lines(terminal) == [f"{FEW} published, 0 already present, 0 refused"]
    terminal = open_command("export", tmp_path / "export")
    status, drawn = end(terminal)
    assert status == 0 and drawn
    assert lines(terminal) == [f"images: {FEW}, comments: 0, files written: {FEW}, without bytes: 0"]


def test_verify(open_command, running):
    examples = PROJECT / "Services/Examples"
    terminal = open_command("verify", "likes", "--start", f"ROOT={{root}} {sys.executable} {examples}/likes.py")
    status, drawn = end(terminal)
    assert status == 0 and drawn
    assert lines(terminal)[-1].endswith(" 0 failed, 0 skipped") and not any("[#" in line for line in lines(terminal))


def test_without_colours_the_line_remains(open_command, pictures):
    terminal = open_command("import", pictures, NO_COLOR="1")
    status, drawn = end(terminal)
    assert status == 0 and drawn and not re.search(rb"\x1b\[[0-9;]*m", terminal.written)


def test_a_dumb_terminal_has_no_progress(open_command, pictures):
    terminal = open_command("import", pictures, TERM="dumb")
    assert terminal.end() == 0
    assert terminal.written.replace(b"\r\n", b"\n").count(REDRAW) == 0 and b"\x1b" not in terminal.written


@pytest.mark.parametrize("command", ["import", "export"])
def test_without_a_terminal_there_is_no_progress(running, pictures, tmp_path, command):
    folder = pictures if command == "import" else tmp_path / "export"
    outcome = subprocess.run(
        [PROGRAMS / "gateway", command, folder], env={**os.environ, "ROOT": str(running.root), "LC_ALL": "C.UTF-8"}, capture_output=True)
    assert outcome.returncode == 0 and outcome.stderr == b"" and outcome.stdout.count(b"\n") == 1


def test_ctrl_c_ends_an_import_with_what_is_done_and_how_to_continue(open_command, running, many_pictures):
    terminal = open_command("import", many_pictures)
    terminal.until(lambda: b"/80 " in terminal.written)
    terminal.press("\x03")
    assert terminal.end() == 130
    assert any("Run the same command again to import the rest" in line for line in lines(terminal))
    assert any(" published, " in line for line in lines(terminal)) and not any("[#" in line for line in lines(terminal))
    # What was stored is published: the end of the list. A second import puts the rest above it.
    published = int(re.search(rb"(\d+) published", terminal.written)[1])
    assert texts(running) == [f"{index:03}" for index in range(MANY - published, MANY)]
    again = open_command("import", many_pictures)
    assert again.end() == 0
    assert lines(again)[-1].endswith(" 0 refused")
    assert texts(running) == [f"{index:03}" for index in range(MANY)]


def texts(running):
    return [item["description"] for item in running.call("feed.load", {"limit": 100})["items"]]


def test_ctrl_c_ends_an_export_with_how_to_continue(open_command, running, many_pictures, tmp_path):
    running.gateway("import", many_pictures)
    terminal = open_command("export", tmp_path / "export")
    terminal.until(lambda: b"\x1b[K" in terminal.written)
    terminal.press("\x03")
    assert terminal.end() == 130
    assert any("Run the same command again to continue" in line for line in lines(terminal))
    assert not (tmp_path / "export/manifest.json").exists()
    again = open_command("export", tmp_path / "export")
    assert again.end() == 0 and len(json.loads((tmp_path / "export/manifest.json").read_text())) == MANY


def test_ctrl_c_ends_a_verification(open_command):
    terminal = open_command("verify", "protocol", "--start", "sleep 1000")
    terminal.until(lambda: b"[" in terminal.written)
    terminal.press("\x03")
    assert terminal.end() == 130
    assert lines(terminal)[-1] == "gateway: Stopped; nothing was reported"


@pytest.mark.parametrize("command", [["watch"], ["stats", "--watch"], ["call", "feed.watch", "since="]])
def test_ctrl_c_ends_endless_commands_without_a_word(open_command, command):
    terminal = open_command(*command)
    terminal.until(lambda: len(terminal.written) > 10)
    terminal.press("\x03")
    assert terminal.end() in (130, -signal.SIGINT)
    assert "gateway:" not in terminal.text()

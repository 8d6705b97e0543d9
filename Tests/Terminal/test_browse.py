"""The terminal browser. Run all with Tests/Terminal/run, or some with Tests/Terminal/run -k WORDS."""

import base64
import os
import re
import signal
import struct
import subprocess

import pytest
from conftest import COUNT, PROGRAMS
from deployment import SERVICES
from terminal import PLAIN, Terminal

LEFT = b"\x1b[?1000l\x1b[?7h\x1b[?25h\x1b[?1049l"
KITTY = b"\x1b_Gi=31;OK\x1b\\" + PLAIN
SIXEL = b"\x1b[6;20;10t\x1b[?62;4;22c"


def color(index):
    """The color of the picture of `plain`, as the screen names it."""
    return "".join(f"{part:02x}" for part in (40 + index * 37 % 180, 60 + index * 53 % 150, 80 + index * 29 % 140))


def near(first, second):
    return all(abs(int(first[i:i + 2], 16) - int(second[i:i + 2], 16)) <= 4 for i in (0, 2, 4))


def selected(terminal):
    """The text of the selected item; empty while the screen is being drawn."""
    lines = terminal.text().split("\n")
    return next((text for mark, text in zip(lines, lines[1:]) if mark.startswith("▌")), "")


def test_the_feed_has_pictures_and_texts(browse, matches_screen):
    terminal = browse()
    terminal.until_shown("Picture number 2")
    terminal.until(lambda: near(terminal.cell(2, 10).fg, color(0)) and near(terminal.cell(9, 10).fg, color(1)))
    matches_screen(terminal, "feed")


@pytest.mark.parametrize("columns, rows", [(35, 20), (120, 50), (20, 5)])
def test_the_window_may_have_any_size(browse, matches_screen, columns, rows):
    terminal = browse(columns=columns, rows=rows)
    terminal.until_shown("Picture number 0")
    if columns > 40:
        terminal.until(lambda: near(terminal.cell(2, 10).fg, color(0)))
    matches_screen(terminal, f"feed-{columns}x{rows}")


def test_a_new_size_is_drawn_at_once(browse):
    terminal = browse()
    terminal.until_shown("Picture number 2")
    terminal.resize(100, 40)
    terminal.until_shown("Picture number 3", "l Language")
    terminal.resize(10, 4)
    terminal.until(lambda: terminal.text().strip() == "My Feed")


def test_the_feed_loads_to_its_end(browse, matches_screen):
    terminal = browse()
    terminal.until_shown("Picture number 0")
    terminal.press("G")
    terminal.until_shown("Picture number 19")
    terminal.until(lambda: "That's all" in terminal.text(), keys="G")
    terminal.until(lambda: near(terminal.cell(16, 10).fg, color(COUNT - 1)))
    matches_screen(terminal, "end")
    terminal.press("g")
    terminal.until_shown("Picture number 0")


def test_comments_are_shown_and_back_restores_the_place(browse, feed):
    newest = feed.ids()[4]
    feed.gateway("comment", newest, "Lovely light!", "--username", "ana")
    terminal = browse()
    terminal.until_shown("Picture number 2")
    terminal.press("jjjj")
    terminal.until(lambda: "Picture number 4" in selected(terminal))
    before = terminal.text().replace("▀", " ").split()
    terminal.press("\r")
    terminal.until_shown("Comments", "ana", "Lovely light!", "Picture number 4")
    terminal.press("\x1b")
    terminal.until(lambda: terminal.text().replace("▀", " ").split() == before)


def test_the_picture_fills_the_window_and_has_neighbours(browse, matches_screen):
    terminal = browse()
    terminal.until_shown("Picture number 0")
    terminal.press("p")
    terminal.until(lambda: near(terminal.cell(12, 40).fg, color(0)))
    matches_screen(terminal, "picture")
    terminal.press("\x1b[C")
    terminal.until(lambda: near(terminal.cell(12, 40).fg, color(1)))
    terminal.press("\x1b")
    terminal.until_shown("q Quit")


def test_the_mouse_chooses_and_opens(browse):
    terminal = browse()
    terminal.until_shown("Picture number 1")
    terminal.press("\x1b[<0;10;10M\x1b[<0;10;10m")
    terminal.until(lambda: "Picture number 1" in selected(terminal))
    terminal.press("\x1b[<65;10;10M")
    terminal.until(lambda: "Picture number 2" in selected(terminal))
    terminal.press("\x1b[<64;10;10M\x1b[<0;10;10M\x1b[<0;10;10m")
    terminal.until_shown("Esc Back")


def test_languages_colors_and_keys(browse, matches_screen):
    terminal = browse()
    terminal.until_shown("Picture number 0")
    for title in ["Meu Feed", "Το Feed μου", "Mi Feed", "My Feed"]:
        terminal.press("l")
        terminal.until_shown(title)
    assert terminal.cell(1, 60).bg == "121314"
    terminal.press("t")
    terminal.until(lambda: terminal.cell(1, 60).bg == "fbfaf8")
    terminal.press("?")
    terminal.until_shown("Keys", "Quit")
    matches_screen(terminal, "keys")


@pytest.mark.parametrize("background, expected", [(b"ffff/ffff/eeee", "fbfaf8"), (b"0000/1111/0000", "121314")])
def test_the_colors_follow_the_terminal(browse, background, expected):
    terminal = browse(answers=b"\x1b]11;rgb:" + background + b"\x1b\\" + PLAIN)
    terminal.until_shown("Picture number 0")
    assert terminal.cell(1, 60).bg == expected


def test_a_terminal_that_answers_nothing_is_served_too(browse):
    terminal = browse(answers=None)
    terminal.until_shown("Picture number 0")


def test_without_colors_there_are_no_pictures(browse, matches_screen):
    terminal = browse(environment={"NO_COLOR": "1"})
    terminal.until_shown("Picture number 1", "Picture number 2")
    assert b"\x1b[38" not in terminal.written and b"[0;38" not in terminal.written
    assert "▀" not in terminal.text()


# Pictures of other protocols.


def test_kitty_gets_each_picture_once(browse):
    terminal = browse(answers=KITTY)
    terminal.until(lambda: terminal.written.count(b"a=p") >= 3)
    payloads = re.findall(rb"\x1b_Ga=t,f=100,t=d,q=2,i=(\d+),m=0;([^\x1b]*)\x1b", terminal.written)
    width, height = struct.unpack(">II", base64.b64decode(payloads[0][1])[16:24])
    assert base64.b64decode(payloads[0][1]).startswith(b"\x89PNG") and (width == 180 or height == 120)
    terminal.press("G")
    terminal.until_shown("Picture number 19")
    terminal.press("g")
    terminal.until_shown("Picture number 0")
    terminal.press("q")
    assert terminal.end() == 0
    ids = re.findall(rb"a=t,f=100,t=d,q=2,i=(\d+)", terminal.written)
    assert len(ids) == len(set(ids))


def test_sixel_and_iterm_get_pictures(browse):
    terminal = browse(answers=SIXEL)
    terminal.until(lambda: re.search(rb"\x1bP0;1q\"1;1;\d+;120#", terminal.written))
    terminal = browse(environment={"TERM_PROGRAM": "iTerm.app"})
    terminal.until(lambda: b"\x1b]1337;File=inline=1;" in terminal.written)


def test_the_protocol_can_be_chosen(browse):
    terminal = browse("--pictures", "sixel")
    terminal.until(lambda: b"\x1bP0;1q" in terminal.written)


# Errors.


@pytest.fixture
def stop(feed):
    """Stops services of the deployment that all tests share. After the test they run again."""
    yield feed.stop
    feed.start(*[name for name in [*SERVICES, "gateway"] if name not in feed.processes])
    feed.wait_until_healthy()


def test_errors_leave_the_items_and_r_retries(browse, matches_screen, feed, stop):
    terminal = browse()
    terminal.until_shown("Picture number 2")
    terminal.until(lambda: near(terminal.cell(16, 10).fg, color(2)))
    stop("feed")
    terminal.press("r")
    terminal.until_shown("Try again")
    matches_screen(terminal, "error")
    terminal.press("\x1b")
    terminal.until_gone("Try again")
    feed.start("feed")
    feed.wait_until_healthy()
    new = feed.publish("A new item")
    try:
        terminal.until(lambda: "A new item" in terminal.text(), keys="rg")
    finally:
        feed.call("feed.remove", {"ids": new})


def test_the_feed_goes_on_without_the_other_services(browse, feed, stop):
    stop("comments", "image-data")
    terminal = browse()
    terminal.until_shown("Picture number 2", "Comments")
    terminal.until_shown("r Try again")
    feed.start("image-data", "comments")
    feed.wait_until_healthy()
    terminal.until(lambda: near(terminal.cell(2, 10).fg, color(0)) and "Comments (" not in terminal.text(), keys="r")


def test_a_gateway_that_restarts_is_found_again(browse, feed, stop):
    terminal = browse()
    terminal.until_shown("Picture number 2")
    stop("gateway")
    terminal.press("r")
    terminal.until_shown("Couldn't connect to server")
    feed.start("gateway")
    terminal.until(lambda: "Couldn't connect" not in terminal.text(), keys="r")


def test_an_empty_feed_says_so(browse, running):
    terminal = browse(root=running.root)
    terminal.until_shown("No images yet")


def test_hostile_texts_stay_in_their_place(browse, running):
    texts = ["\u001b[2J\u001b]0;title\u0007 cleared", "\u202eright to left", "<script>{{text}}%@", "w" * 1_000, "👩‍👩‍👧‍👦 family", "one\ntwo"]
    running.fill(len(texts), description=lambda index: texts[index])
    terminal = browse(root=running.root, rows=60)
    terminal.until_shown("cleared", "<script>{{text}}%@", "👩", "one", "two")
    assert b"\x1b]0;" not in terminal.written and "\u202e" not in terminal.text()
    assert terminal.text().startswith(" My Feed")
    terminal.press("q")
    assert terminal.end() == 0


# Leaving.


@pytest.mark.parametrize("leave", ["q", "\x03", signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_the_terminal_is_left_as_it_was(browse, leave):
    terminal = browse()
    terminal.until_shown("Picture number 0")
    assert terminal.is_raw()
    terminal.press(leave) if isinstance(leave, str) else os.kill(terminal.process, leave)
    # The settings are read before the end: afterwards the system has reset them.
    terminal.until(lambda: terminal.written.endswith(LEFT))
    assert terminal.end() == 0


def test_hostile_answers_of_the_terminal_are_ignored(browse):
    huge = b"9223372036854775807"
    terminal = browse(answers=KITTY + b"\x1b[6;" + huge + b";" + huge + b"t")
    terminal.until_shown("Picture number 0")
    terminal.press("\x1b[<0;-9223372036854775808;1M\x1b[<0;" + huge.decode() + ";1M\x1b[" + "1;" * 600 + "t")
    terminal.press("p")
    terminal.until_shown("Esc Back")
    terminal.press("\x03")
    assert terminal.end() == 0


def test_a_terminal_that_does_not_read_cannot_hold_it(browse):
    terminal = browse(columns=250, rows=60)
    terminal.until_shown("Picture number 0")
    # Each change of the colors paints the whole window, and nothing reads it.
    terminal.press("t" * 500)
    os.kill(terminal.process, signal.SIGTERM)
    terminal.status = os.waitstatus_to_exitcode(os.waitpid(terminal.process, 0)[1])
    assert terminal.status == 0


def test_ctrl_z_suspends_and_the_shell_continues(feed):
    terminal = Terminal(["/bin/bash", "--norc", "--noprofile", "-i"], environment={"PS1": "shell> "})
    try:
        terminal.until_shown("shell>")
        terminal.press(f"{PROGRAMS}/gateway browse --root {feed.root}\n")
        terminal.until_shown("Picture number 0")
        terminal.press("\x1a")
        # The screen of these tests has no second buffer, so the feed stays visible.
        terminal.until_shown("Stopped")
        # The shell echoes and edits again.
        terminal.press("echo back\n")
        terminal.until_shown("echo back")
        terminal.press("fg\n")
        terminal.until_gone("echo back")
        terminal.until_shown("Picture number 0", "Choose")
        terminal.press("q")
        # What is typed before the browser has ended is discarded.
        terminal.until(lambda: terminal.written.endswith(b"shell> "))
        terminal.press("echo again $?\n")
        terminal.until_shown("again 0")
    finally:
        terminal.close()


def test_without_a_gateway_it_says_what_to_do(browse, tmp_path):
    terminal = browse(root=tmp_path)
    assert terminal.end() == 69
    assert "deploy/up" in terminal.text()


def test_it_needs_a_terminal(feed):
    outcome = subprocess.run([PROGRAMS / "gateway", "browse", "--root", feed.root], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert outcome.returncode == 64 and "gateway feed" in outcome.stderr


# gateway image


def test_an_image_is_shown_in_the_terminal(open_terminal, feed):
    terminal = open_terminal("image", feed.ids()[0])
    assert terminal.end() == 0
    assert near(terminal.cell(5, 10).fg, color(0))
    assert "image/png" in terminal.text() and "Picture number 0" in terminal.text()


def test_an_image_is_shown_with_the_terminals_protocol(open_terminal, feed):
    terminal = open_terminal("image", feed.ids()[0], answers=KITTY)
    assert terminal.end() == 0
    assert b"\x1b_Ga=p" in terminal.written
    terminal = open_terminal("image", feed.ids()[0], answers=SIXEL)
    assert terminal.end() == 0
    assert b"\x1bP0;1q" in terminal.written


def test_an_image_without_colors_names_the_remedy(open_terminal, feed):
    terminal = open_terminal("image", feed.ids()[0], environment={"NO_COLOR": "1"})
    assert terminal.end() == 64
    assert "-o FILE" in terminal.text()

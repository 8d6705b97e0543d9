"""A terminal for a program: a pseudo-terminal, and a screen that shows what the program has written."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios

import pyte

# What a plain terminal answers to a query of its attributes.
PLAIN = b"\x1b[?62;22c"

# What the terminal browser writes before and after each frame.
FRAME_BEGIN = b"\x1b[?2026h"
FRAME_END = b"\x1b[?2026l"


class Terminal:
    def __init__(self, command, columns=80, rows=24, environment=(), answers=PLAIN):
        """`answers` is sent when the program queries the attributes; None for a terminal that does not answer."""
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.written = b""
        self.answers = answers
        self.unanswered = True
        self.changed = False
        self.status = None
        variables = {
            "PATH": os.environ["PATH"], "TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8", **dict(environment),
        }
        self.process, self.file = pty.fork()
        if self.process == 0:
            # The program that runs the tests may ignore them, as a shell does for what runs in the background.
            for each in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP):
                signal.signal(each, signal.SIG_DFL)
            # Wait until the size is set.
            os.read(0, 1)
            os.execve(command[0], [str(part) for part in command], variables)
        self.resize(columns, rows)
        self.modes = termios.tcgetattr(self.file)
        os.write(self.file, b"\n")

    def resize(self, columns, rows):
        fcntl.ioctl(self.file, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        if (columns, rows) != (self.screen.columns, self.screen.lines):
            self.screen.resize(rows, columns)

    def press(self, keys):
        os.write(self.file, keys.encode())

    def read(self, seconds=None):
        """Shows what the program writes next, to the end of a frame, or nothing when it writes nothing within this time. Returns whether
        it is still there."""
        self.changed = bool(select.select([self.file], [], [], seconds)[0])
        if not self.changed:
            return True
        begin = len(self.written)
        while (is_there := self.receive()) and self.written.rfind(FRAME_BEGIN) > self.written.rfind(FRAME_END):
            pass
        # pyte knows neither application strings, nor those of the operating system that contain pictures.
        self.stream.feed(re.sub(rb"\x1b[_P][^\x1b]*\x1b\\|\x1b\]1337;[^\x07]*\x07", b"", self.written[begin:]))
        return is_there

    def receive(self):
        """Returns whether the program is still there."""
        try:
            data = os.read(self.file, 65_536)
        except OSError:
            return False
        self.written += data
        if self.unanswered and b"\x1b[c" in self.written:
            self.unanswered = False
            if self.answers:
                os.write(self.file, self.answers)
        return bool(data)

    def until(self, condition, keys=None):
        """Waits until the condition holds for the screen. `keys` are pressed now and again when nothing was written for a while: for what
        only another attempt shows."""
        if keys:
            self.press(keys)
        while not condition():
            assert self.read(0.5 if keys else None) or condition(), f"the program has ended:\n{self.text()}"
            if keys and not self.changed:
                self.press(keys)

    def until_shown(self, *texts):
        self.until(lambda: all(text in self.text() for text in texts))

    def until_gone(self, text):
        self.until(lambda: text not in self.text())

    def cell(self, row, column):
        return self.screen.buffer[row][column]

    def text(self):
        return "\n".join(line.rstrip() for line in self.screen.display)

    def end(self):
        """Waits for the end of the program, and returns its exit code."""
        while self.read():
            pass
        self.status = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        return self.status

    def is_raw(self):
        return not termios.tcgetattr(self.file)[3] & termios.ICANON

    def close(self):
        if self.status is None:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        os.close(self.file)

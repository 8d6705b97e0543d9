#!/usr/bin/env python3
"""Writes the manual pages of the command line: manual.py FOLDER <gateway --experimental-dump-help

The pages have the texts of --help. FOLDER is a man1; it gets gateway.1 and a page for each command.
"""

import json
import pathlib
import re
import sys


def escaped(text):
    """A text for roff: no line is a request, and hyphens can be copied."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    return re.sub(r"^\.", r"\\&.", text, flags=re.MULTILINE)


def paragraphs(text):
    """Lines that begin with a space are examples, which keep their form."""
    for block in re.split(r"\n\n", text or ""):
        yield ".PP"
        is_example = False
        for line in block.split("\n"):
            if line.startswith(" ") != is_example:
                is_example = not is_example
                yield ".nf" if is_example else ".fi"
            yield escaped(line)
        if is_example:
            yield ".fi"


def flags(argument):
    """The names of an argument: \\-o, \\-\\-output file."""
    value = argument.get("valueName", "")
    if argument["kind"] == "positional":
        return f"\\fI{escaped(value)}\\fR" + ("…" if argument["isRepeating"] else "")
    names = [("-" if name["kind"] == "short" else "--") + name["name"] for name in argument["names"]]
    shown = ", ".join(f"\\fB{escaped(name)}\\fR" for name in names)
    return shown + (f" \\fI{escaped(value)}\\fR" if argument["kind"] == "option" else "")


def synopsis(name, command):
    """The command with its own arguments; its options have a section."""
    words = [f"\\fB{escaped(name)}\\fR"]
    if command.get("subcommands"):
        words.append("\\fIcommand\\fR")
    words.append("[\\fIoptions\\fR]")
    for argument in command.get("arguments", []):
        if argument["kind"] == "positional" and argument["shouldDisplay"]:
            words.append(f"[{flags(argument)}]" if argument["isOptional"] else flags(argument))
    return " ".join(words)


def page(name, command):
    """The lines of a page."""
    yield f'.TH "{name.replace(" ", "-").upper()}" "1" "" "image-feed" "User commands"'
    yield ".SH NAME"
    yield f"{escaped(name.replace(' ', '-'))} \\- {escaped(command['abstract'])}"
    yield ".SH SYNOPSIS"
    yield synopsis(name, command)
    yield ".SH DESCRIPTION"
    yield from paragraphs(command.get("discussion"))
    own = [argument for argument in command.get("arguments", []) if argument["shouldDisplay"]]
    if own:
        yield ".SH OPTIONS"
        for argument in own:
            yield ".TP"
            yield flags(argument)
            parts = [argument.get("abstract"), argument.get("discussion")]
            if argument.get("defaultValue"):
                parts.append(f"Default: {argument['defaultValue']}.")
            yield escaped(" ".join(part for part in parts if part))
    others = [other for other in command.get("subcommands", []) if other["shouldDisplay"]]
    if others:
        yield ".SH COMMANDS"
        for other in others:
            yield ".TP"
            yield f"\\fB{escaped(name)}\\-{escaped(other['commandName'])}\\fR(1)"
            yield escaped(other["abstract"])
    else:
        yield ".SH SEE ALSO"
        yield "\\fBgateway\\fR(1)"


def write(folder, name, command):
    """Writes the page of a command and those of its subcommands."""
    lines = "\n".join(page(name, command)) + "\n"
    (folder / f"{name.replace(' ', '-')}.1").write_text(lines, encoding="utf-8")
    for other in command.get("subcommands", []):
        if other["commandName"] != "help" and other["shouldDisplay"]:
            write(folder, f"{name} {other['commandName']}", other)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = json.load(sys.stdin)["command"]
    write(pathlib.Path(sys.argv[1]), program["commandName"], program)

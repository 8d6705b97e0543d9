"""The Tab key in the three shells, with what deploy/up installs and a plugin whose names are hostile."""

import os
import shutil
import subprocess
import sys
import uuid

import pytest
from conftest import PROGRAMS
from deployment import PROJECT, deployment, plain
from terminal import Terminal

# A plugin of a stranger: each name that a shell may see tries to create a file, to end a quotation or to move the cursor.
HOSTILE = """
import sys
sys.path.insert(0, {examples!r})
from plugin import Plugin

plugin = Plugin("hostile")
text = {{"type": "string"}}
words = ["$(touch {bait}/1)", "`touch {bait}/2`", "it's", "two words", "a\\x1b[2Jb", "two\\nlines", "plain"]
params = {{
    "fine": {{"type": "string", "description": "Say \\x1b[2J 'it': $(touch {bait}/3) 100%\\nnext line"}},
    "word": {{"type": "string", "enum": words}}, "$(touch {bait}/4)": text, "`touch {bait}/5`": text, "two words": text, "a\\x1b[2Jb": text,
}}

@plugin.method("Act: $(touch {bait}/6) `touch {bait}/7` \\"quoted\\" \\x1b[2J", params, {{}})
def act(**params):
    return {{}}

plugin.serve()
"""

SHELLS = {
    "bash": ["--norc", "--noprofile", "-i"],
    "zsh": ["-f", "-i"],
    "fish": ["--no-config", "-i"],
}

# What makes a shell list the words at the first Tab, without questions.
SETUP = {
    "bash": "bind 'set show-all-if-ambiguous on'; bind 'set completion-query-items 0'; bind 'set page-completions off'; source {file}",
    "zsh": "fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -d {folder}/dump; LISTMAX=999",
    "fish": "function fish_greeting; end; function fish_prompt; echo '$ '; end; source {file}",
}
FILES = {
    "bash": "bash-completion/completions/gateway", "zsh": "zsh/site-functions/_gateway", "fish": "fish/vendor_completions.d/gateway.fish",
}
DESCRIBED = ["zsh", "fish"]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A deployment with the hostile plugin and two images, and the folder where the plugin's names try to create files."""
    bait = tmp_path_factory.mktemp("bait")
    with deployment(manifests=[{"name": "hostile", "socket": "hostile.sock", "contracts": {"hostile": 1}}]) as running:
        script = running.root / "hostile.py"
        script.write_text(HOSTILE.format(examples=str(PROJECT / "Services/Examples"), bait=bait))
        plugin = subprocess.Popen([sys.executable, script], env={**os.environ, "ROOT": str(running.root)})
        try:
            running.wait_until_healthy("hostile")
            picture = running.root / "picture.png"
            picture.write_bytes(plain(0))
            for number, text in enumerate(["Sunset", f"it's \x1b[2J : $(touch {bait}/8) `touch {bait}/9`\nsecond line"]):
                identifier = f"{number + 1}" * 8 + str(uuid.uuid4())[8:]
                running.gateway("publish", picture, "--id", identifier, "--description", text)
            yield running, bait
        finally:
            plugin.kill()
            plugin.wait()


@pytest.fixture(params=SHELLS)
def shell(request, place, tmp_path):
    running, bait = place
    terminal = open_shell(request.param, running, tmp_path)
    terminal.bait = bait
    yield terminal
    terminal.close()


def open_shell(name, running, tmp_path):
    """An interactive shell with the completions of `gateway`."""
    assert shutil.which(name), f"{name} is missing"
    file = tmp_path / FILES[name]
    subprocess.run([PROGRAMS / "gateway", "write-help", tmp_path], check=True)
    environment = {
        "PATH": f"{PROGRAMS}:{os.environ['PATH']}", "ROOT": str(running.root), "PS1": "$ ", "HOME": str(tmp_path), "TERM": "xterm",
    }
    terminal = Terminal([shutil.which(name), *SHELLS[name]], columns=110, rows=60, environment=environment)
    terminal.name = name
    # The text of the command itself is not the answer to it.
    terminal.press(SETUP[name].format(file=file, folder=file.parent) + "; clear; echo rea''dy\r")
    terminal.until_shown("ready\n$")
    return terminal


def complete(shell, line):
    shell.press(line + "\t")


def test_commands_and_options(shell):
    complete(shell, "gateway des")
    shell.until_shown("$ gateway describe")
    complete(shell, "--tem")
    shell.until_shown("$ gateway describe --template")


def test_methods_parameters_and_values(shell):
    complete(shell, "gateway call feed.lo")
    shell.until_shown("$ gateway call feed.load")
    # No space follows the key.
    complete(shell, "lim")
    shell.press("5 ")
    complete(shell, "before")
    shell.until_shown("$ gateway call feed.load limit=5 before_id=")
    shell.press("\x15gateway call image-data.load ")
    complete(shell, "strategy=rel")
    shell.until_shown("$ gateway call image-data.load strategy=reload")


def test_options_before_the_command(shell):
    complete(shell, "gateway --json hea")
    shell.until_shown("$ gateway --json health")
    complete(shell, "im")
    shell.until_shown("$ gateway --json health image-data")
    shell.press("\x15")
    complete(shell, "gateway --root /us")
    shell.until_shown("$ gateway --root /usr/")
    shell.press("\x15")
    complete(shell, "gateway help des")
    shell.until_shown("$ gateway help describe")


def test_nested_keys_and_ids_of_images(shell):
    complete(shell, "gateway call feed.publish it")
    shell.until_shown("items", "[0")
    shell.press("\x15")
    complete(shell, "gateway call feed.get id=11")
    shell.until_shown("$ gateway call feed.get id=11111111-")
    shell.press(" ")
    complete(shell, "i")
    # The key is given already.
    shell.press("x\x15")
    assert_unharmed(shell)


def test_services_and_contracts(shell):
    complete(shell, "gateway health im")
    shell.until_shown("$ gateway health image-data")
    shell.press("\x15")
    complete(shell, "gateway verify lik")
    shell.until_shown("$ gateway verify likes")
    complete(shell, "--plugin comm")
    shell.until_shown("$ gateway verify likes --plugin comments")


def test_a_list_says_what_the_words_are(shell):
    complete(shell, "gateway call feed.")
    shell.until_shown("feed.load", "feed.publish")
    assert ("Return a page of the feed" in shell.text()) == (shell.name in DESCRIBED)


def test_ids_have_the_descriptions_of_their_images(shell):
    complete(shell, "gateway comments ")
    shell.until_shown("11111111", "22222222")
    if shell.name in DESCRIBED:
        shell.until_shown("Sunset", r"it's \u{1B}[2J")
    complete(shell, "111")
    shell.until_shown("$ gateway comments 11111111-")
    assert_unharmed(shell)


@pytest.mark.parametrize("name", SHELLS)
def test_an_old_image_is_not_taken_for_a_new_one_with_the_same_beginning(name, tmp_path):
    with deployment() as running:
        ids = ["5B000000", *[f"C0{number:06}" for number in range(100)], "5B111111"]
        image = "urn:sha256:" + 64 * "0"
        for start in (0, 50, 100):
            items = [{"id": f"{id}-0000-4000-8000-000000000000", "image": image} for id in ids[start:start + 50]]
            running.call("feed.publish", {"items": items[::-1]})
        shell = open_shell(name, running, tmp_path)
        try:
            # The new image is the only one of the newest hundred.
            complete(shell, "gateway comments 5B")
            complete(shell, "00")
            shell.until_shown("$ gateway comments 5B000000-0000")
        finally:
            shell.close()


def test_hostile_names_neither_run_nor_break_the_line(shell):
    complete(shell, "gateway call hostile.act ")
    shell.until_shown("fine=", "word=")
    if shell.name in DESCRIBED:
        shell.until_shown(r"Say \u{1B}[2J 'it'")
    complete(shell, "word=")
    shell.until_shown("$ gateway call hostile.act word=plain")
    assert_unharmed(shell)


def assert_unharmed(shell):
    """Nothing was run, the screen was not cleared, and the shell takes the next command."""
    shell.press("\x15echo ali''ve\r")
    shell.until_shown("alive\n")
    assert "ready" in shell.text()
    assert os.listdir(shell.bait) == []


def test_an_unreachable_gateway_means_no_words_and_no_message(shell, tmp_path):
    shell.press(f"export ROOT={tmp_path}\r")
    complete(shell, "gateway call feed.")
    shell.press("\x15echo ali''ve\r")
    shell.until_shown("alive\n")
    assert "feed.load" not in shell.text() and "cannot" not in shell.text()

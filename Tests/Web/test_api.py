"""The running server against its own description: schemathesis sends requests that `/openapi.json` allows and forbids, and checks
the answers. With the same seed it sends the same requests."""

import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

from deployment import PATIENCE
from test_page import assert_accessible

SEED = "1"

# Endpoints that schemathesis cannot test.
# They never end; FeedEventsTests and CommentsEventsTests test them, and their other methods are tested below.
ENDLESS = ["/v1/feed/events", "/v1/comments/events"]

# A description cannot say that a cursor must have been an item of the feed, or that two cursors exclude each other. So a valid UUID
# may be answered with 400 here; the other checks remain.
CURSORS = """
[[operations]]
include-path = ["/v1/feed", "/feed.json", "/feed.atom"]
checks.positive_data_acceptance.expected-statuses = ["2xx", "304", "400"]
"""


def schemathesis(feed, folder, configuration, *arguments, has_token=True):
    """Runs schemathesis with all its checks."""
    (folder / "schemathesis.toml").write_text(configuration)
    command = [
        sys.executable, "-m", "schemathesis.cli", "--config-file", "schemathesis.toml", "run", f"{feed.url}/openapi.json",
        "--checks", "all", *(word for path in ENDLESS for word in ("--exclude-path", path)), "--seed", SEED,
        *(["--header", f"Authorization: Bearer {feed.token}"] if has_token else []),
        "--continue-on-failure", "--request-timeout", str(PATIENCE), "--generation-database", "none", "--no-color", *arguments]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


@pytest.mark.parametrize("has_token", [True, False])
def test_the_server_answers_as_it_is_described(feed, tmp_path, has_token):
    report = schemathesis(feed, tmp_path, CURSORS, "--max-examples", "25", has_token=has_token)
    assert re.search(r"Tested: (\d+)", report)[1] == re.search(r"Selected: (\d+)", report)[1]


def test_the_server_answers_as_it_is_described_for_an_image_that_exists(feed, tmp_path):
    image = feed.ids(30)[29]
    path = f'[parameters]\n"path.id" = "{image}"\n'
    schemathesis(feed, tmp_path, path, "--include-path-regex", "{id}", "--max-examples", "25", "--phases", "examples,coverage,fuzzing")
    # It has stored comments, and all of them can be read.
    with urllib.request.urlopen(f"{feed.url}/v1/image/{image}/comments") as answer:
        assert json.load(answer)["items"]


def answer(feed, path, method="GET"):
    """The status and the fields of an answer."""
    try:
        with urllib.request.urlopen(urllib.request.Request(feed.url + path, method=method)) as answer:
            return answer.status, answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.headers


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "TRACE", "QUERY"])
@pytest.mark.parametrize("path", ENDLESS)
def test_the_streams_of_events_have_no_other_methods(feed, path, method):
    status, fields = answer(feed, path, method)
    assert status == 405 and fields["Allow"] == "GET, HEAD, OPTIONS"
    assert fields["Content-Type"] == "application/problem+json"


# --- The description for people -----------------------------------------------------------------------------------------


def test_every_endpoint_of_the_description_is_shown(feed, open_page):
    page = open_page("/docs", java_script_enabled=False)
    with urllib.request.urlopen(f"{feed.url}/openapi.json") as answer:
        paths = json.load(answer)["paths"]
    expected = [f"{method.upper()} {path}" for path, methods in paths.items() for method in methods]
    assert page.locator("h2 code").all_inner_texts() == expected
    for path, methods in paths.items():
        for operation in methods.values():
            section = page.locator(f"#{operation['operationId']}")
            assert operation["summary"] in section.inner_text()
            for parameter in operation.get("parameters", []):
                assert parameter["name"] in section.locator("dt code").all_inner_texts()


def test_the_examples_run(feed, open_page, tmp_path):
    commands = open_page("/docs", java_script_enabled=False).locator("pre").all_inner_texts()
    with urllib.request.urlopen(f"{feed.url}/openapi.json") as answer:
        assert len(commands) == sum(len(methods) for methods in json.load(answer)["paths"].values())
    for command in commands:
        assert feed.url in command
        program = ["bash", "-c", f"exec {command}"]
        if any(path in command for path in ENDLESS):
            with subprocess.Popen(program, stdout=subprocess.PIPE) as stream:
                assert stream.stdout.readline().startswith(b"retry: ")
                stream.kill()
            continue
        run = subprocess.run(program, env={**os.environ, "TOKEN": feed.token}, cwd=tmp_path, capture_output=True)
        assert run.returncode == 0, f"{command}: {run.stdout} {run.stderr}"
    assert (tmp_path / "picture.jpg").stat().st_size > 0


@pytest.mark.parametrize("width", [320, 1280])
def test_the_description_is_accessible_and_needs_no_sideways_scrolling(open_page, width):
    page = open_page("/docs", viewport={"width": width, "height": 900})
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_description_is_linked_from_the_end_of_the_page(open_page):
    page = open_page(java_script_enabled=False)
    page.click("footer a")
    assert page.url.endswith("/docs") and page.inner_text("h1") == "API"

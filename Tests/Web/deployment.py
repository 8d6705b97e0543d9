"""The four real programs in a temporary ROOT, with small pictures whose content the tests know."""

import contextlib
import json
import os
import pathlib
import re
import struct
import subprocess
import tempfile
import threading
import urllib.request
import uuid
import zlib

PROJECT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = PROJECT / os.environ.get("IMAGE_FEED_PROGRAMS", ".build/debug")
SERVICES = ["feed", "comments", "image-data"]

# How long a wait may take, in seconds. It only ends tests that hang.
PATIENCE = 600


def png(color, width=120, height=90):
    """The bytes of a picture with one color."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes(color) * width) * height
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def plain(index):
    """A small picture of one color, in one of four shapes."""
    color = (40 + index * 37 % 180, 60 + index * 53 % 150, 80 + index * 29 % 140)
    return png(color, 120, [90, 120, 150, 60][index % 4])


class Program(subprocess.Popen):
    """A program that runs, and what it has logged."""

    def __init__(self, command):
        super().__init__(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        self.log, self.is_open, self.changed = "", True, threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.stdout:
            with self.changed:
                self.log += line
                self.changed.notify_all()
        with self.changed:
            self.is_open = False
            self.changed.notify_all()

    def wait_for(self, text):
        """Waits until the program has logged the text. Fails when it ends before."""
        with self.changed:
            self.changed.wait_for(lambda: text in self.log or not self.is_open)
            assert text in self.log, f"{self.args[0]} has ended without \"{text}\": {self.log}"


class Deployment:
    def __init__(self, root, arguments=(), manifests=(), site=None):
        """`manifests`: those of further plugins. `site`: that of `config.json`."""
        self.root = pathlib.Path(root)
        self.processes = {}
        self.arguments = list(arguments)
        self.port = 0
        self.token = "a-token-of-the-tests-0123456789"
        (self.root / "http-token").write_text(self.token)
        (self.root / "http-token").chmod(0o600)
        (self.root / "plugins.d").mkdir(parents=True, exist_ok=True)
        for name in SERVICES:
            manifest = {"name": name, "socket": f"{name}.sock", "contracts": {name: 1}, "required": True}
            if name == "comments":
                manifest["enriches"] = [{"item": "feed", "method": "comments.counts", "as": "comments"}]
            (self.root / f"plugins.d/{name}.json").write_text(json.dumps(manifest))
        if site:
            (self.root / "config.json").write_text(json.dumps({"site": site}))
        for manifest in manifests:
            (self.root / f"plugins.d/{manifest['name']}.json").write_text(json.dumps(manifest))

    def start(self, *names):
        """Starts programs, and waits until they serve. The gateway gets the same port as before."""
        for name in names:
            if name == "gateway":
                command = [PROGRAMS / "gateway", "serve", "--root", self.root, "--http", f"127.0.0.1:{self.port}", *self.arguments]
            else:
                command = [PROGRAMS / f"{name}-service", "--root", self.root]
            self.processes[name] = Program(command)
        for name in names:
            self.processes[name].wait_for("serving on")
        if "gateway" in names:
            self.port = int(re.search(r"http://127\.0\.0\.1:(\d+)", self.processes["gateway"].log)[1])

    def stop(self, *names):
        for name in names:
            self.processes[name].terminate()
        for name in names:
            self.processes.pop(name).wait()

    def wait_until_healthy(self, *names):
        """Waits until the gateway reaches a plugin, or all of them."""
        self.gateway("health", *names, "--wait", PATIENCE)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def gateway(self, *arguments):
        """Runs a command of the command line."""
        environment = {**os.environ, "ROOT": str(self.root), "LC_ALL": "C.UTF-8"}
        return subprocess.run(
            [PROGRAMS / "gateway", *map(str, arguments)], env=environment, check=True, capture_output=True, text=True
        ).stdout

    def call(self, method, params):
        return json.loads(self.gateway("call", method, json.dumps(params)))

    def ids(self, count=100):
        with urllib.request.urlopen(f"{self.url}/v1/feed?limit={count}") as answer:
            return [item["id"] for item in json.load(answer)["items"]]

    def fill(self, count, description=lambda index: f"Picture number {index}", location=lambda index: f"Place {index}", picture=plain):
        """Imports pictures; the first is the newest. `picture` returns the bytes of a PNG for an index."""
        with tempfile.TemporaryDirectory() as folder:
            entries = []
            for index in range(count):
                name = f"{index:04}.png"
                pathlib.Path(folder, name).write_bytes(picture(index))
                entries.append({"file": name, "description": description(index), "location": location(index)})
            pathlib.Path(folder, "manifest.json").write_text(json.dumps(entries))
            self.gateway("import", folder)

    def publish(self, *descriptions):
        """Publishes items at the top, with the picture of the newest item."""
        image = self.call("feed.load", {"limit": 1})["items"][0]["image"]
        items = [{"id": str(uuid.uuid4()).upper(), "description": text, "image": image} for text in descriptions]
        self.call("feed.publish", {"items": items})
        return [item["id"] for item in items]

    def empty(self):
        """Removes all items."""
        while ids := self.ids():
            self.call("feed.remove", {"ids": ids})


@contextlib.contextmanager
def deployment(arguments=(), manifests=(), site=None):
    with tempfile.TemporaryDirectory(prefix="image-feed-web-") as root:
        running = Deployment(root, arguments, manifests, site)
        try:
            running.start(*SERVICES)
            running.start("gateway")
            running.wait_until_healthy()
            yield running
        finally:
            for process in running.processes.values():
                process.kill()
                process.wait()

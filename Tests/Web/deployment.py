"""The four real programs in a temporary ROOT, with small pictures whose content the tests know."""

import contextlib
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import tempfile
import time
import urllib.request
import uuid
import zlib

PROJECT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(os.environ.get("PROGRAMS", PROJECT / ".build/debug"))
SERVICES = ["feed", "comments", "image-data"]


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


class Deployment:
    def __init__(self, root, arguments=(), manifests=()):
        """`manifests`: those of further plugins."""
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
        for manifest in manifests:
            (self.root / f"plugins.d/{manifest['name']}.json").write_text(json.dumps(manifest))

    def start(self, name):
        """Starts a program; the gateway gets the same port as before."""
        if name == "gateway":
            command = [PROGRAMS / "gateway", "serve", "--root", self.root, "--http", f"127.0.0.1:{self.port}", *self.arguments]
        else:
            command = [PROGRAMS / f"{name}-service", "--root", self.root]
        log = self.root / f"{name}.log"
        log.write_text("")
        with open(log, "a") as errors:
            self.processes[name] = subprocess.Popen(command, stderr=errors, stdout=errors)
        deadline = time.monotonic() + 60
        while "serving on" not in log.read_text():
            if time.monotonic() > deadline or self.processes[name].poll() is not None:
                raise RuntimeError(f"{name} does not start: {log.read_text()}")
            time.sleep(0.02)
        if name == "gateway":
            self.port = int(re.search(r"http://127\.0\.0\.1:(\d+)", log.read_text())[1])

    def stop(self, name):
        process = self.processes.pop(name)
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

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


@contextlib.contextmanager
def deployment(arguments=(), manifests=()):
    with tempfile.TemporaryDirectory(prefix="image-feed-web-") as root:
        running = Deployment(root, arguments, manifests)
        try:
            for name in [*SERVICES, "gateway"]:
                running.start(name)
            running.gateway("health", "--wait", "30")
            yield running
        finally:
            for name in list(running.processes):
                running.stop(name)

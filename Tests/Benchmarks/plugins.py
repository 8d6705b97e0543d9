#!/usr/bin/env python3
"""Measure how fast a gateway takes up plugins, how much memory they take, and what an enriched page costs.

Usage: plugins.py [--bin DIR] [--count N]

Starts the programs of DIR (default: .build/release) with N plugins (default: 100), which this program serves. Prints
  - the time from the start of the gateway until all plugins are ready,
  - the gateway's memory (PSS and RSS) then, and without plugins,
  - the time from writing one more manifest until its first call is answered, the median and the largest of ten,
  - the time of a page of 10 items at a gateway without enrichments and at one with a plugin that answers in 1 ms, called in turns.
"""
import argparse
import json
import os
import signal
import socket
import socketserver
import statistics
import struct
import subprocess
import tempfile
import threading
import time
import uuid

MANIFESTS = 10  # written one after the other
PAGES = 500  # read from each gateway, in turns
ANSWER_TIME = 0.001  # of the enriching plugin, in seconds


def frame(message):
    body = json.dumps(message).encode()
    return struct.pack(">I", len(body)) + body


def receive(file):
    (length,) = struct.unpack(">I", file.read(4))
    return json.loads(file.read(length))


class Plugin(socketserver.StreamRequestHandler):
    """Answers every call of NAME.ping, and of NAME.counts after 1 ms; no other method exists."""

    def handle(self):
        try:
            while True:
                request = receive(self.rfile)
                begin = time.monotonic()
                answer = {"jsonrpc": "2.0", "id": request.get("id")}
                if request["method"].endswith(".ping") and not request["method"].startswith("rpc."):
                    answer["result"] = {}
                elif request["method"].endswith(".counts"):
                    answer["result"] = {"counts": {id: 1 for id in request["params"]["image_ids"]}}
                    while time.monotonic() < begin + ANSWER_TIME:
                        pass  # a sleep would be longer
                else:
                    answer["error"] = {"code": -32601, "message": "there is no such method"}
                self.wfile.write(frame(answer))
        except (struct.error, OSError):
            pass  # the gateway has ended


def serve(root, name):
    server = socketserver.ThreadingUnixStreamServer("%s/run/%s.sock" % (root, name), Plugin)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()


def make_root(root):
    for folder in ("run", "plugins.d", "data"):
        os.makedirs(root + "/" + folder, mode=0o700)
    return root


def add(root, name, socket=None, **members):
    path = "%s/plugins.d/%s.json" % (root, name)
    manifest = {"name": name, "socket": socket or name + ".sock", "contracts": {name: 1}, **members}
    with open(path + ".new", "w") as file:
        json.dump(manifest, file)
    os.rename(path + ".new", path)


class Service:
    """A program of the deployment, and a connection to it."""

    def __init__(self, command, socket):
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        self.path = socket

    def __enter__(self):
        while True:
            try:
                peer = socket.socket(socket.AF_UNIX)
                peer.connect(self.path)
                self.file = peer.makefile("rwb")
                return self
            except OSError:
                time.sleep(0.001)

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def call(self, method, params={}):
        self.file.write(frame({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
        self.file.flush()
        return receive(self.file)

    def memory(self):
        with open("/proc/%d/smaps_rollup" % self.process.pid) as file:
            sizes = {line.split()[0]: int(line.split()[1]) / 1024 for line in file if line.endswith("kB\n")}
        return "%.1f MB PSS, %.1f MB RSS" % (sizes["Pss:"], sizes["Rss:"])


def gateway(binaries, root):
    return Service([binaries + "/gateway", "serve", "--root", root, "--http", "off"], root + "/run/gateway.sock")


def is_ready(running, count):
    states = [plugin["state"] for plugin in running.call("gateway.plugins")["result"]["plugins"]]
    return states.count("ready") == count


def measure_loading(binaries, root, count):
    with gateway(binaries, root) as running:
        running.call("rpc.ping")
        bare = running.memory()
    for number in range(count):
        serve(root, "p%d" % number)
        add(root, "p%d" % number)
    start = time.monotonic()
    with gateway(binaries, root) as running:
        while not is_ready(running, count):
            pass
        print("%d plugins ready after %.0f ms" % (count, 1000 * (time.monotonic() - start)))
        print("memory: %s; without plugins %s" % (running.memory(), bare))
        times = []
        for number in range(MANIFESTS):
            name = "more%d" % number
            serve(root, name)
            add(root, name)
            begin = time.monotonic()
            while "result" not in running.call(name + ".ping"):
                time.sleep(0.001)
            times.append(1000 * (time.monotonic() - begin))
        print(
            "one more manifest takes effect after %.0f ms at the median, %.0f ms at most"
            % (statistics.median(times), max(times))
        )


def measure_enriching(binaries, plain_root, enriched_root):
    plugin = os.fork()  # this process is the caller
    if plugin == 0:
        serve(enriched_root, "likes")
        threading.Event().wait()
    feed_socket = plain_root + "/run/feed.sock"
    for root in (plain_root, enriched_root):
        add(root, "feed", feed_socket)
    add(enriched_root, "likes", enriches=[{"item": "feed", "method": "likes.counts", "as": "likes"}])
    try:
        with Service([binaries + "/feed-service", "--root", plain_root], feed_socket) as feed:
            items = [{"id": str(uuid.uuid4()), "image": "urn:x:%d" % number} for number in range(10)]
            feed.call("feed.publish", {"items": items})
            with gateway(binaries, plain_root) as plain, gateway(binaries, enriched_root) as enriched:
                while not (is_ready(plain, 1) and is_ready(enriched, 2)):
                    pass
                times = {plain: [], enriched: []}
                for _ in range(PAGES):
                    for running in times:
                        begin = time.monotonic()
                        answer = running.call("gateway.feed_page", {"limit": 10})
                        times[running].append(1000 * (time.monotonic() - begin))
                        extensions = [item.get("extensions") for item in answer["result"]["items"]]
                        assert extensions == [{"likes": 1} if running is enriched else None] * 10, extensions
    finally:
        os.kill(plugin, signal.SIGKILL)
        os.waitpid(plugin, 0)
    without, with_likes = (statistics.median(times[running]) for running in (plain, enriched))
    print(
        "a page of 10 takes %.2f ms, with a plugin that answers in 1 ms %.2f ms: %.2f ms more"
        % (without, with_likes, with_likes - without)
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default=os.path.dirname(os.path.abspath(__file__)) + "/../../.build/release")
    parser.add_argument("--count", type=int, default=100)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="if-") as folder:
        measure_enriching(options.bin, make_root(folder + "/plain"), make_root(folder + "/enriched"))
        measure_loading(options.bin, make_root(folder + "/many"), options.count)


main()

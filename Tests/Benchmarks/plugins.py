#!/usr/bin/env python3
"""Measure how fast a gateway takes up plugins, and how much memory they take.

Usage: plugins.py [--bin DIR] [--count N]

Starts the gateway of DIR (default: .build/release) with N plugins (default: 100), which this program serves. Prints
  - the time from the start of the gateway until all plugins are ready,
  - the gateway's memory (PSS) then, and without plugins,
  - the time from writing one more manifest until its first call is answered, the median and the largest of ten.
"""
import argparse
import json
import os
import socket
import socketserver
import statistics
import struct
import subprocess
import tempfile
import threading
import time

MANIFESTS = 10  # written one after the other


def frame(message):
    body = json.dumps(message).encode()
    return struct.pack(">I", len(body)) + body


def receive(file):
    (length,) = struct.unpack(">I", file.read(4))
    return json.loads(file.read(length))


class Plugin(socketserver.StreamRequestHandler):
    """Answers every call of NAME.ping; no other method exists."""

    def handle(self):
        try:
            while True:
                request = receive(self.rfile)
                answer = {"jsonrpc": "2.0", "id": request.get("id")}
                if request["method"].endswith(".ping") and not request["method"].startswith("rpc."):
                    answer["result"] = {}
                else:
                    answer["error"] = {"code": -32601, "message": "there is no such method"}
                self.wfile.write(frame(answer))
        except (struct.error, OSError):
            pass  # the gateway has ended


def serve(root, name):
    server = socketserver.ThreadingUnixStreamServer("%s/run/%s.sock" % (root, name), Plugin)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()


def add(root, name):
    path = "%s/plugins.d/%s.json" % (root, name)
    with open(path + ".new", "w") as file:
        json.dump({"name": name, "socket": name + ".sock", "contracts": {name: 1}}, file)
    os.rename(path + ".new", path)


class Gateway:
    def __init__(self, binaries, root):
        self.process = subprocess.Popen(
            [binaries + "/gateway", "serve", "--root", root, "--http", "off"], stderr=subprocess.DEVNULL
        )
        self.path = root + "/run/gateway.sock"

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

    def pss(self):
        with open("/proc/%d/smaps_rollup" % self.process.pid) as file:
            return next(int(line.split()[1]) for line in file if line.startswith("Pss:")) / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default=os.path.dirname(os.path.abspath(__file__)) + "/../../.build/release")
    parser.add_argument("--count", type=int, default=100)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="if-") as root:
        for folder in ("run", "plugins.d"):
            os.mkdir(root + "/" + folder, 0o700)
        with Gateway(options.bin, root) as gateway:
            gateway.call("rpc.ping")
            bare = gateway.pss()
        names = ["p%d" % number for number in range(options.count)]
        for name in names:
            serve(root, name)
            add(root, name)
        start = time.monotonic()
        with Gateway(options.bin, root) as gateway:
            while True:
                states = [plugin["state"] for plugin in gateway.call("gateway.plugins")["result"]["plugins"]]
                if states.count("ready") == options.count:
                    break
            print("%d plugins ready after %.0f ms" % (options.count, 1000 * (time.monotonic() - start)))
            print("memory: %.1f MB, without plugins %.1f MB (PSS)" % (gateway.pss(), bare))
            times = []
            for number in range(MANIFESTS):
                name = "more%d" % number
                serve(root, name)
                add(root, name)
                begin = time.monotonic()
                while "result" not in gateway.call(name + ".ping"):
                    time.sleep(0.001)
                times.append(1000 * (time.monotonic() - begin))
            print(
                "one more manifest takes effect after %.0f ms at the median, %.0f ms at most"
                % (statistics.median(times), max(times))
            )


main()

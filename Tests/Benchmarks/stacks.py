"""What edges.py measures: an origin with its filled store, and edges in network namespaces, of this project and of nginx."""
import contextlib
import ctypes
import itertools
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import time
import uuid

from commands import PROJECT, SERVICES, picture
from database import Connection, service

CLONE_NEWNET = 0x40000000
ORIGIN = "10.214.0.1"
PORT = 8080
PICTURES = 200
# How long nginx uses a page or a list of comments, in seconds: that of `recentPagesTime`.
TTL = 1


def item_id(number):
    return str(uuid.UUID(int=number, version=4)).upper()


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)


# The origin's store


def fill(arguments, root):
    """Fills the stores of an origin, unless that is done."""
    done = pathlib.Path(root, "filled.json")
    wanted = {"items": arguments.items, "comments": arguments.comments}
    if done.exists():
        assert json.loads(done.read_text()) == wanted, f"{root} has {done.read_text()}: choose another --store"
        return
    os.makedirs(f"{root}/run", mode=0o700, exist_ok=True)
    with service(arguments.bin, "feed", root) as path:
        feed = Connection(path)
        for start in range(0, arguments.items, 100):
            feed.ask("feed.publish", {"items": [
                {"id": item_id(number), "description": f"Item {number}", "image": f"https://images.example/{number % PICTURES}.jpg"}
                for number in range(start, min(start + 100, arguments.items))]})
    fill_comments(arguments, root)
    with deployment(arguments, root, None, []):
        for number in range(PICTURES):
            file = pathlib.Path(root, "picture")
            file.write_bytes(picture(b"%d" % number))
            run(f"{arguments.bin}/gateway", "call", "--root", root, "image-data.put", f"url=https://images.example/{number}.jpg", f"data=@{file}")
    done.write_text(json.dumps(wanted))


def fill_comments(arguments, root):
    """Writes into the table: ten million calls would take half an hour."""
    with service(arguments.bin, "comments", root):
        pass
    each = max(1, arguments.comments // arguments.items)
    rows = (
        (uuid.UUID(int=number, version=4).bytes, uuid.UUID(item_id(number // each % arguments.items)).bytes, 1_700_000_000 + number % each,
         "ana", f"Comment {number} on a fine picture") for number in range(arguments.comments))
    with contextlib.closing(sqlite3.connect(f"{root}/data/comments.sqlite", isolation_level=None)) as store:
        store.execute("PRAGMA synchronous = OFF")
        store.execute("BEGIN")
        store.executemany("INSERT INTO comment (id, image_id, created_at, username, message) VALUES (?, ?, ?, ?, ?)", rows)
        store.execute("COMMIT")
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")


# Processes


@contextlib.contextmanager
def deployment(arguments, root, namespace, words, http="off"):
    """The processes of a deployment in a network namespace, until the end of the block."""
    started = start(arguments, root, namespace, words, http)
    try:
        run(f"{arguments.bin}/gateway", "health", "--usable", "--wait", "60", "--root", root)
        yield started
    finally:
        end(started)


def start(arguments, root, namespace, words, http):
    for folder in ("run", "plugins.d", "data"):
        os.makedirs(f"{root}/{folder}", mode=0o700, exist_ok=True)
    for name in SERVICES:
        shutil.copy(f"{PROJECT}/deploy/plugins.d/{name}.json", f"{root}/plugins.d")
    enter = ["ip", "netns", "exec", namespace] if namespace else []
    commands = [[f"{name}-service", *words, *(["--variants", "off"] if name == "image-data" else [])] for name in SERVICES]
    commands.append(["gateway", "serve", "--http", http, "--access-log", f"{root}/access.log"])
    with open(f"{root}/log", "a") as log:
        return [
            subprocess.Popen(
                [*enter, f"{arguments.bin}/{program}", *rest, "--root", root], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            for program, *rest in commands]


def end(processes, how=signal.SIGTERM):
    for process in reversed(processes):
        process.send_signal(how)
    for process in processes:
        process.wait()


class Network:
    """A bridge in a network namespace of this process, and namespaces that are connected to it."""

    def __init__(self):
        if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "unshare: the benchmark needs root")
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "bridge", "address", "02:00:00:00:00:01", "type", "bridge")
        run("ip", "address", "add", f"{ORIGIN}/16", "dev", "bridge")
        run("ip", "link", "set", "bridge", "up")
        self.numbers = itertools.count(2)

    @contextlib.contextmanager
    def namespace(self):
        """A name and an address."""
        number = next(self.numbers)
        name, address = f"if-edges-{os.getpid()}-{number}", f"10.214.{number // 250}.{number % 250}"
        run("ip", "netns", "add", name)
        try:
            run("ip", "link", "add", name[-15:], "type", "veth", "peer", "name", "eth0", "netns", name)
            run("ip", "link", "set", name[-15:], "master", "bridge", "up")
            for change in (["link", "set", "lo", "up"], ["address", "add", f"{address}/16", "dev", "eth0"], ["link", "set", "eth0", "up"]):
                run("ip", "-n", name, *change)
            yield name, address
        finally:
            run("ip", "netns", "delete", name)


class Edge:
    """An edge of this project. Its readers are in its namespace, so that a partition separates it from the origin only."""

    name = "edges"

    def __init__(self, arguments, directory, namespace):
        self.arguments, self.root, self.namespace = arguments, f"{directory}/root", namespace
        self.processes = []

    def start(self):
        words = ["--upstream", f"http://{ORIGIN}:{PORT}"]
        self.processes = start(self.arguments, self.root, self.namespace, words, f"127.0.0.1:{PORT}")

    def await_ready(self):
        run(f"{self.arguments.bin}/gateway", "health", "--usable", "--wait", "60", "--root", self.root)

    def kill(self):
        end(self.processes, signal.SIGKILL)

    def end(self):
        end(self.processes)
        self.processes = []

    def link(self, state):
        run("ip", "-n", self.namespace, "link", "set", "eth0", state)

    def processor_time(self):
        """Of all its processes, in seconds."""
        ticks = 0
        for process in self.processes:
            for child in [process.pid, *map(int, pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split())]:
                fields = pathlib.Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """The proportional memory of all its processes, in MB."""
        return sum(
            int(pathlib.Path(f"/proc/{process.pid}/smaps_rollup").read_text().split("Pss:")[1].split()[0]) for process in self.processes) / 1e3


class Nginx(Edge):
    """nginx as it is set up in front of such an origin: one request for concurrent readers, stale answers while the origin is away."""

    name = "nginx"

    def start(self):
        os.makedirs(self.root, exist_ok=True)
        temporary = "".join(f"{kind}_temp_path {self.root}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        location = "proxy_pass http://origin; proxy_cache all;"
        brief = f"proxy_ignore_headers Cache-Control Expires Vary; proxy_cache_valid 200 {TTL}s;"
        pathlib.Path(self.root, "nginx.conf").write_text(
            f"daemon off; user root; worker_processes 1; pid {self.root}/pid; error_log {self.root}/error.log;\nevents {{}}\n"
            f"http {{ access_log off; {temporary}\nproxy_cache_path {self.root}/cache levels=1:2 keys_zone=all:32m max_size=1g inactive=7d;\n"
            f"upstream origin {{ server {ORIGIN}:{PORT} max_fails=0; keepalive 16; }}\n"
            "proxy_cache_lock on; proxy_cache_revalidate on; proxy_cache_background_update on; proxy_connect_timeout 1s; proxy_read_timeout 10s;\n"
            'proxy_cache_use_stale error timeout updating http_502 http_503; proxy_http_version 1.1; proxy_set_header Connection "";\n'
            f"server {{ listen 127.0.0.1:{PORT}; location / {{ {location} {brief} }} location ~ /data$ {{ {location} }} }} }}\n")
        command = ["ip", "netns", "exec", self.namespace, "nginx", "-c", f"{self.root}/nginx.conf", "-e", f"{self.root}/error.log"]
        self.processes = [subprocess.Popen(command, stdin=subprocess.DEVNULL)]

    def await_ready(self):
        while not pathlib.Path(self.root, "pid").exists():
            time.sleep(0.02)

    def kill(self):
        # Its workers end with it, which SIGKILL would leave.
        end(self.processes, signal.SIGTERM)

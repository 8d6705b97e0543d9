#!/usr/bin/env python3
"""Measure the stores in PostgreSQL beside those in SQLite.

Usage: database.py [--bin DIR] [--items N] [--seconds S] [--rounds N]

Needs Debian's package postgresql. Starts a server with its defaults on a Unix socket in a temporary directory, and the services of DIR
(default: .build/release): feed and comments with SQLite, feed with PostgreSQL, and two of comments on one PostgreSQL database. Prints
the median of N rounds (default: 5), in which the subjects take turns, with the lowest and the highest:
  - a page of 10 of N items (default: 10,000), at the top and in the middle: the median time with one call under way, and calls/s with 16,
  - comments posted with 64 under way: posts/s with SQLite, with PostgreSQL, and with two services on one database, 32 under way each,
  - the N items copied from SQLite into PostgreSQL, and back into a new file: items/s, with the proof.
"""
import argparse
import contextlib
import itertools
import json
import os
import pathlib
import pwd
import select
import shutil
import socket
import statistics
import struct
import subprocess
import tempfile
import time
import uuid

UNDER_WAY = 64
READING = 16
numbers = itertools.count(1)


def call(method, params):
    text = json.dumps({"jsonrpc": "2.0", "id": next(numbers), "method": method, "params": params}).encode()
    return struct.pack(">I", len(text)) + text


class Connection:
    """A connection with a number of calls under way, whose answers are counted."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.received = b""

    def answers(self):
        """Waits for bytes, and returns the answers that are complete."""
        self.received += self.socket.recv(1 << 20)
        complete = []
        while len(self.received) >= 4:
            end = 4 + struct.unpack(">I", self.received[:4])[0]
            if len(self.received) < end:
                break
            complete.append(self.received[4:end])
            self.received = self.received[end:]
        for one in complete:
            assert b'"result"' in one, one[:500]
        return complete

    def ask(self, method, params):
        self.socket.sendall(call(method, params))
        while not (complete := self.answers()):
            pass
        return json.loads(complete[0])["result"]


def time_of_call(connection, method, params, seconds):
    """The median in microseconds, with one call under way."""
    request, times = call(method, params), []
    end = time.perf_counter() + seconds
    while (begin := time.perf_counter()) < end:
        connection.socket.sendall(request)
        while not connection.answers():
            pass
        times.append(time.perf_counter() - begin)
    return 1e6 * statistics.median(times)


def rate(connections, under_way, request, seconds):
    """Calls a second, over all connections."""
    for connection in connections:
        connection.socket.sendall(b"".join(request() for _ in range(under_way)))
    done, begin = 0, time.perf_counter()
    left = {connection: under_way for connection in connections}
    while any(left.values()):
        isOver = time.perf_counter() - begin > seconds
        readable, _, _ = select.select([one.socket for one in connections], [], [])
        for connection in connections:
            if connection.socket not in readable:
                continue
            count = len(connection.answers())
            done += count
            if isOver:
                left[connection] -= count
            else:
                connection.socket.sendall(b"".join(request() for _ in range(count)))
    return done / (time.perf_counter() - begin)


@contextlib.contextmanager
def postgres(directory):
    """The URL of a new database."""
    programs = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), default=None)
    assert programs, "PostgreSQL is not installed: apt-get install postgresql"
    folder = pathlib.Path(directory, "postgres")
    folder.mkdir()
    as_owner = []
    if os.geteuid() == 0:
        # The server refuses to run as root.
        owner = pwd.getpwnam("postgres")
        os.chmod(directory, 0o755)
        os.chown(folder, owner.pw_uid, owner.pw_gid)
        as_owner = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]

    def run(program, *words):
        subprocess.run([*as_owner, programs / program, "-D", folder / "data", *words], check=True, stdout=subprocess.DEVNULL)

    run("initdb", "-U", "bench", "-A", "trust", "-E", "UTF8", "--locale=C")
    run("pg_ctl", "-w", "-l", folder / "log", "-o", f"-k {folder} -c listen_addresses=''", "start")
    try:
        yield f"postgres://bench@/postgres?host={folder}"
    finally:
        run("pg_ctl", "-m", "fast", "stop")


@contextlib.contextmanager
def service(bin, name, root, *arguments):
    """The path of the socket of a service that runs."""
    process = subprocess.Popen(
        [f"{bin}/{name}-service", "--root", root, "--create", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        log = ""
        while " serving on " not in log:
            line = process.stdout.readline()
            assert line, f"{name}-service has ended: {log}"
            log += line
        yield f"{root}/run/{name}.sock"
    finally:
        process.terminate()
        process.communicate()


def show(title, values, unit, compared=None):
    middle = statistics.median(values)
    ratio = f"   {middle / statistics.median(compared):5.2f} × SQLite's" if compared else ""
    print(f"{title:52} {middle:9.0f} {unit}  ({min(values):.0f} to {max(values):.0f}){ratio}")


def fill(connection, count):
    """Publishes items, 100 at a time. Returns their ids, those of the oldest batch first."""
    ids = [str(uuid.uuid4()) for _ in range(count)]
    for start in range(0, count, 100):
        items = [
            {"id": id, "description": f"Item number {index}", "image": f"https://images.example/{index}.jpg"}
            for index, id in enumerate(ids[start:start + 100], start)]
        connection.ask("feed.publish", {"items": items})
    return ids


def measure_pages(arguments, sockets):
    connections = {name: Connection(path) for name, path in sockets.items()}
    middle = {}
    for name, connection in connections.items():
        fill(connection, arguments.items)
        page = connection.ask("feed.load", {"limit": 100})
        for _ in range(arguments.items // 200 - 1):
            page = connection.ask("feed.load", {"limit": 100, "after_id": page["next_after_id"]})
        middle[name] = page["next_after_id"]
    for place in ("at the top", "in the middle"):
        times, rates = {name: [] for name in connections}, {name: [] for name in connections}
        for _ in range(arguments.rounds):
            for name, connection in connections.items():
                params = {"limit": 10, **({} if place == "at the top" else {"after_id": middle[name]})}
                times[name].append(time_of_call(connection, "feed.load", params, arguments.seconds))
                rates[name].append(rate([connection], READING, lambda: call("feed.load", params), arguments.seconds))
        for name in connections:
            others = None if name == "SQLite" else name
            show(f"a page of 10 {place}, {name}", times[name], "µs", others and times["SQLite"])
            show(f"  with {READING} under way", rates[name], "calls/s", others and rates["SQLite"])


def measure_posts(arguments, subjects):
    image = str(uuid.uuid4())

    def post():
        return call("comments.post", {"image_id": image, "message": "A fine picture", "username": "ana"})

    connections = {name: [Connection(path) for path in paths] for name, paths in subjects.items()}
    rates = {name: [] for name in connections}
    for _ in range(arguments.rounds):
        for name, several in connections.items():
            rates[name].append(rate(several, UNDER_WAY // len(several), post, arguments.seconds))
    for name in connections:
        show(f"posts with {UNDER_WAY} under way, {name}", rates[name], "posts/s", None if name == "SQLite" else rates["SQLite"])


def measure_copies(arguments, directory, url):
    """Beside the services, as `gateway copy` does."""
    rates, proofs = {"SQLite to PostgreSQL": [], "PostgreSQL to SQLite": []}, set()
    for round in range(arguments.rounds):
        subprocess.run(["psql", "-q", url, "-c", f"CREATE DATABASE copy{round}"], check=True)
        database = url.replace("/postgres?", f"/copy{round}?")
        steps = [
            ("SQLite to PostgreSQL", ["--root", f"{directory}/a", "--copy-to", database]),
            ("PostgreSQL to SQLite", ["--root", f"{directory}/d", "--create", "--store", database, "--copy-to", f"{directory}/d/{round}.sqlite"])]
        for title, words in steps:
            begin = time.perf_counter()
            proof = subprocess.run([f"{arguments.bin}/feed-service", *words], check=True, stdout=subprocess.PIPE).stdout
            proofs.add(proof)
            rates[title].append(json.loads(proof)["count"] / (time.perf_counter() - begin))
    assert len(proofs) == 1, proofs
    for title in rates:
        show(f"copied from {title}", rates[title], "items/s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=".build/release")
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    directory = tempfile.mkdtemp(prefix="if-db-")
    try:
        with contextlib.ExitStack() as stack:
            url = stack.enter_context(postgres(directory))

            def started(name, folder, *words):
                root = f"{directory}/{folder}"
                os.makedirs(root, exist_ok=True)
                return stack.enter_context(service(arguments.bin, name, root, *words))

            database = ("--store", url)
            measure_pages(arguments, {"SQLite": started("feed", "a"), "PostgreSQL": started("feed", "b", *database)})
            first, second = started("comments", "b", *database), started("comments", "c", *database)
            measure_posts(arguments, {
                "SQLite": [started("comments", "a")], "PostgreSQL": [first], "two services on PostgreSQL": [first, second]})
            measure_copies(arguments, directory, url)
    finally:
        shutil.rmtree(directory)

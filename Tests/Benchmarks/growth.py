#!/usr/bin/env python3
"""Measure how the services of feed and comments grow with their stores, in SQLite and in PostgreSQL.

Usage: growth.py [--bin DIR] [--sizes N,N,…] [--stores NAME,NAME] [--seconds S]

Needs Debian's package postgresql. Fills a store with items, and with one comment for each, up to each size in turn (default: 10,000,
100,000 and 1,000,000), and measures at each size, with one call under way:
  - a page of 10 at the top, in the middle and at the end; one item by its id; a publication of 1 and of 100; a comment posted; the first
    comments and the number of an image with 2,
  - an import of 500 pictures,
  - the start of a service until it has answered its first call, its memory then (PSS) and after the measurements,
  - the size of the store for each item,
and of SQLite, because these are the same beside any store:
  - a copy of the store of feed by --backup,
  - the index of search from a cold start, its memory, and searches for what one image has, and for what all have.
Prints a table for each store: the medians, and the last value as a multiple of the first. 10,000,000 make stores of 10 GB.
"""
import argparse
import contextlib
import os
import pathlib
import random
import shutil
import socket
import sqlite3
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import uuid

from commands import picture
from database import Connection, fill, postgres, service, time_of_call
from stacks import deployment

ROWS = {
    "feed.load at the top": "µs", "feed.load in the middle": "µs", "feed.load at the end": "µs", "feed.get": "µs",
    "feed.publish of 1": "µs", "feed.publish of 100": "µs", "comments.post": "µs", "comments.list": "µs", "comments.counts of 10": "µs",
    "import of 500": "ms", "start of feed": "ms", "start of comments": "ms", "memory of feed after the start": "MB", "memory of feed": "MB",
    "memory of comments": "MB", "store of feed": "B/item", "store of comments": "B/item", "backup of feed": "MB/s",
    "index of search": "items/s", "memory of search": "MB", "search for a word of one image": "µs", "search for a word of all": "µs",
    "suggestions": "µs"}
PICTURES = 500


def memory(connection):
    """The proportional memory of the process that serves a connection, in MB."""
    process, _, _ = struct.unpack("3i", connection.socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return int(pathlib.Path(f"/proc/{process}/smaps_rollup").read_text().split("Pss:")[1].split()[0]) / 1_000


class Subject:
    """The services of one store, which are started again for each size."""

    def __init__(self, arguments, root, words, write, size_of):
        self.arguments, self.root, self.words = arguments, root, words
        self.write, self.size_of = write, size_of
        self.ids = []
        self.values = {row: [] for row in ROWS}

    @contextlib.contextmanager
    def running(self):
        with contextlib.ExitStack() as stack:
            connections = {}
            for name, method, params in (("feed", "feed.load", {"limit": 1}), ("comments", "comments.counts", {"image_ids": [str(uuid.uuid4())]})):
                begin = time.perf_counter()
                path = stack.enter_context(service(self.arguments.bin, name, self.root, *self.words))
                connections[name] = Connection(path)
                connections[name].ask(method, params)
                self.starts[name] = 1e3 * (time.perf_counter() - begin)
            yield connections["feed"], connections["comments"]

    def grow(self, size):
        """Writes items up to the size, and a comment for each of the new ones."""
        self.starts = {}
        with self.running():
            pass
        images = [str(uuid.uuid4()) for _ in range(size - len(self.ids))]
        self.write(images, len(self.ids))
        self.ids += images

    def measure(self):
        self.starts = {}
        with self.running() as (feed, comments):
            row = {"memory of feed after the start": memory(feed)}
            # The newest item is the first of the feed.
            middle, last = self.ids[len(self.ids) // 2], self.ids[15]
            chosen = random.Random(1).sample(self.ids, 10)
            seconds = self.arguments.seconds
            for name, params in (
                ("at the top", {"limit": 10}), ("in the middle", {"limit": 10, "after_id": middle}), ("at the end", {"limit": 10, "after_id": last})):
                row[f"feed.load {name}"] = time_of_call(feed, "feed.load", params, seconds)
            row["feed.get"] = time_of_call(feed, "feed.get", {"id": middle}, seconds)
            row["comments.list"] = time_of_call(comments, "comments.list", {"image_id": middle}, seconds)
            row["comments.counts of 10"] = time_of_call(comments, "comments.counts", {"image_ids": chosen}, seconds)
            for count in (1, 100):
                times, end = [], time.perf_counter() + seconds
                while (begin := time.perf_counter()) < end:
                    self.ids += fill(feed, count)
                    times.append(1e6 * (time.perf_counter() - begin))
                row[f"feed.publish of {count}"] = statistics.median(times)
            times, end = [], time.perf_counter() + seconds
            while (begin := time.perf_counter()) < end:
                comments.ask("comments.post", {"image_id": random.choice(chosen), "message": "Light", "username": "ana"})
                times.append(1e6 * (time.perf_counter() - begin))
            row["comments.post"] = statistics.median(times)
            row["memory of feed"], row["memory of comments"] = memory(feed), memory(comments)
            row["store of feed"], row["store of comments"] = (self.size_of(name) / len(self.ids) for name in ("feed", "comments"))
            row["start of feed"], row["start of comments"] = self.starts["feed"], self.starts["comments"]
        row["import of 500"] = self.time_of_import()
        if not self.words:
            copy = f"{self.root}/copy.sqlite"
            begin = time.perf_counter()
            subprocess.run([f"{self.arguments.bin}/feed-service", "--root", self.root, "--backup", copy], check=True, capture_output=True)
            row["backup of feed"] = os.path.getsize(copy) / 1e6 / (time.perf_counter() - begin)
            os.remove(copy)
            row |= self.search()
        for name, value in row.items():
            self.values[name].append(value)

    def time_of_import(self):
        """In milliseconds, of pictures that the store does not have yet."""
        with tempfile.TemporaryDirectory(prefix="if-growth-") as folder:
            for number in range(PICTURES):
                pathlib.Path(folder, f"{number}.jpg").write_bytes(picture(uuid.uuid4().bytes))
            with deployment(self.arguments, self.root, None, self.words):
                begin = time.perf_counter()
                subprocess.run([f"{self.arguments.bin}/gateway", "import", folder, "--root", self.root], check=True, stdout=subprocess.DEVNULL)
                return 1e3 * (time.perf_counter() - begin)

    def search(self):
        """Makes a new index, and searches it."""
        for file in pathlib.Path(self.root, "data").glob("search.sqlite*"):
            file.unlink()
        run, row = f"{self.root}/run", {}
        with self.running(), service(
                self.arguments.bin, "search", self.root, "--feed-socket", f"{run}/feed.sock", "--comments-socket", f"{run}/comments.sock") as path:
            begin = time.perf_counter()
            search = Connection(path)
            while not self.is_indexed(search):
                time.sleep(0.1)
            row["index of search"] = len(self.ids) / (time.perf_counter() - begin)
            row["memory of search"] = memory(search)
            seconds = self.arguments.seconds
            row["search for a word of one image"] = time_of_call(search, "search.items", {"q": "4711 "}, seconds)
            row["search for a word of all"] = time_of_call(search, "search.items", {"q": "number "}, seconds)
            row["suggestions"] = time_of_call(search, "search.suggest", {"prefix": "nu"}, seconds)
        return row

    @staticmethod
    def is_indexed(search):
        checks = {check["name"]: check for check in search.ask("rpc.health", {})["checks"]}
        return checks["index"]["status"] == "serving" and search.ask("search.items", {"limit": 1}).get("indexed_at")

    def show(self, title, sizes):
        print(f"\n{title:36}" + "".join(f"{size:>12,}" for size in sizes) + "   last / first")
        for name, unit in ROWS.items():
            if values := self.values[name]:
                print(f"{name:28} {unit:>7}" + "".join(f"{value:12,.0f}" for value in values) + f"{values[-1] / values[0]:12.2f}")


# The stores are written directly, because ten million calls would take hours. The services do not run meanwhile.
TIME, USERNAME, MESSAGE = 1_700_000_000, "ana", "A fine picture"


def items(images, first):
    for number, image in enumerate(images, first):
        yield image, f"Item number {number}", f"https://images.example/{number}.jpg"


def write_to_file(root):
    @contextlib.contextmanager
    def opened(name):
        with contextlib.closing(sqlite3.connect(f"{root}/data/{name}.sqlite")) as store, store:
            # The order of ids is random, so that each row changes other pages of the index: they are kept until all are written.
            store.execute("PRAGMA cache_size = -4000000")
            yield store

    def write(images, first):
        with opened("feed") as store:
            rows = ((uuid.UUID(image).bytes, text, url, TIME) for image, text, url in items(images, first))
            store.executemany("INSERT INTO item (id, description, image, published_at) VALUES (?, ?, ?, ?)", rows)
            store.execute("UPDATE total SET items = items + ?", (len(images),))
        with opened("comments") as store:
            rows = ((uuid.uuid4().bytes, uuid.UUID(image).bytes, TIME, USERNAME, MESSAGE) for image in images)
            store.executemany("INSERT INTO comment (id, image_id, created_at, username, message) VALUES (?, ?, ?, ?, ?)", rows)

    return write


def write_to_schema(url):
    def psql(sql, lines=()):
        command = ["psql", "-qAt", "-v", "ON_ERROR_STOP=1", url, "-c", sql]
        process = subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for line in lines:
            process.stdin.write(line)
        output = process.communicate()[0]
        assert process.returncode == 0, "psql has failed"
        return output

    def write(images, first):
        last = int(psql("SELECT position FROM feed.total"))
        psql(
            "COPY feed.item (position, id, description, image, published_at) FROM STDIN",
            (f"{position}\t{image}\t{text}\t{url}\t{TIME}\n" for position, (image, text, url) in enumerate(items(images, first), last + 1)))
        psql(f"UPDATE feed.total SET items = items + {len(images)}, position = position + {len(images)}")
        last = int(psql("SELECT position FROM comments.last_post"))
        psql(
            "COPY comments.comment (position, id, image_id, created_at, username, message) FROM STDIN",
            (f"{position}\t{uuid.uuid4()}\t{image}\t{TIME}\t{USERNAME}\t{MESSAGE}\n" for position, image in enumerate(images, last + 1)))
        psql(f"INSERT INTO comments.total SELECT image_id, count(*) FROM comments.comment WHERE position > {last} GROUP BY image_id")
        psql(f"UPDATE comments.last_post SET position = {last + len(images)}")
        psql("VACUUM ANALYZE")

    return write


def size_of_file(root):
    return lambda name: sum(file.stat().st_size for file in pathlib.Path(root, "data").glob(f"{name}.sqlite*"))


def size_of_schema(url):
    def size(name):
        sql = f"select sum(pg_total_relation_size(oid)) from pg_class where relkind = 'r' and relnamespace = '{name}'::regnamespace"
        return int(subprocess.run(["psql", "-qAt", url, "-c", sql], check=True, capture_output=True, text=True).stdout)

    return size


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=".build/release")
    parser.add_argument("--sizes", default="10000,100000,1000000")
    parser.add_argument("--stores", default="SQLite,PostgreSQL")
    parser.add_argument("--seconds", type=float, default=1)
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.sizes.split(",")]
    directory = tempfile.mkdtemp(prefix="if-growth-")
    try:
        with contextlib.ExitStack() as stack:
            url = stack.enter_context(postgres(directory))
            roots = {name: f"{directory}/{name}" for name in arguments.stores.split(",")}
            subjects = {}
            for name, root in roots.items():
                os.mkdir(root)
                uses = ([], write_to_file(root), size_of_file(root))
                if name != "SQLite":
                    uses = (["--store", url], write_to_schema(url), size_of_schema(url))
                subjects[name] = Subject(arguments, root, *uses)
            for size in sizes:
                for name, subject in subjects.items():
                    print(f"{size:,} items in {name}", file=sys.stderr)
                    subject.grow(size)
                    subject.measure()
        for name, subject in subjects.items():
            subject.show(name, sizes)
    finally:
        shutil.rmtree(directory)

#!/usr/bin/env python3
"""Measure how the services of feed and comments grow with their stores, in SQLite and in PostgreSQL.

Usage: growth.py [--bin DIR] [--sizes N,N,…] [--stores NAME,NAME] [--seconds S]

Needs Debian's package postgresql. Fills a store with items, and with one comment for each, up to each size in turn (default: 10,000,
100,000 and 1,000,000), and measures at each size, with one call under way:
  - a page of 10 at the top, in the middle and at the end; one item by its id; a publication of 1 and of 100; a comment posted; the first
    comments and the number of an image with 2,
  - the start of a service until it has answered its first call, its memory then (PSS) and after the measurements,
  - the size of the store for each item, and a copy of it by --backup (SQLite).
Prints a table for each store: the medians, and the last value as a multiple of the first.
"""
import argparse
import contextlib
import itertools
import os
import pathlib
import random
import shutil
import socket
import statistics
import struct
import subprocess
import tempfile
import time
import uuid

from database import UNDER_WAY, Connection, call, fill, postgres, service, time_of_call

ROWS = {
    "feed.load at the top": "µs", "feed.load in the middle": "µs", "feed.load at the end": "µs", "feed.get": "µs",
    "feed.publish of 1": "µs", "feed.publish of 100": "µs", "comments.post": "µs", "comments.list": "µs", "comments.counts of 10": "µs",
    "start of feed": "ms", "start of comments": "ms", "memory of feed after the start": "MB", "memory of feed": "MB",
    "memory of comments": "MB", "store of feed": "B/item", "store of comments": "B/item", "backup of feed": "MB/s"}


def memory(connection):
    """The proportional memory of the process that serves a connection, in MB."""
    process, _, _ = struct.unpack("3i", connection.socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return int(pathlib.Path(f"/proc/{process}/smaps_rollup").read_text().split("Pss:")[1].split()[0]) / 1_000


class Subject:
    """The services of one store, which are started again for each size."""

    def __init__(self, arguments, root, words, size_of):
        self.arguments, self.root, self.words, self.size_of = arguments, root, words, size_of
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
        """Publishes items up to the size, and posts a comment for each of the new ones."""
        self.starts = {}
        with self.running() as (feed, comments):
            before = len(self.ids)
            self.ids += fill(feed, size - before)
            left = iter(self.ids[before:])
            wanted, under_way = size - before, 0
            while wanted:
                batch = [self.post(image) for image in itertools.islice(left, UNDER_WAY - under_way)]
                if batch:
                    comments.socket.sendall(b"".join(batch))
                under_way += len(batch)
                answered = len(comments.answers())
                under_way -= answered
                wanted -= answered

    @staticmethod
    def post(image):
        return call("comments.post", {"image_id": image, "message": "A fine picture", "username": "ana"})

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
        if not self.words:
            copy = f"{self.root}/copy.sqlite"
            begin = time.perf_counter()
            subprocess.run([f"{self.arguments.bin}/feed-service", "--root", self.root, "--backup", copy], check=True, capture_output=True)
            row["backup of feed"] = os.path.getsize(copy) / 1e6 / (time.perf_counter() - begin)
            os.remove(copy)
        for name, value in row.items():
            self.values[name].append(value)

    def show(self, title, sizes):
        print(f"\n{title:36}" + "".join(f"{size:>12,}" for size in sizes) + "   last / first")
        for name, unit in ROWS.items():
            if values := self.values[name]:
                print(f"{name:28} {unit:>7}" + "".join(f"{value:12,.0f}" for value in values) + f"{values[-1] / values[0]:12.2f}")


def size_of_file(root):
    return lambda name: os.path.getsize(f"{root}/data/{name}.sqlite")


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
                words, size_of = ([], size_of_file(root)) if name == "SQLite" else (["--store", url], size_of_schema(url))
                subjects[name] = Subject(arguments, root, words, size_of)
            for size in sizes:
                for subject in subjects.values():
                    subject.grow(size)
                    subject.measure()
        for name, subject in subjects.items():
            subject.show(name, sizes)
    finally:
        shutil.rmtree(directory)

#!/usr/bin/env python3
"""Measure search beside SQLite's FTS5 asked directly and ripgrep, on a feed of many items with comments.

Usage: search.py [--bin DIR] [--items N] [--comments N] [--queries N] [--seed N] [--raw FILE]

Writes a feed of N items (default: 1,000,000) and as many comments into the stores of the services of DIR (default: .build/release),
starts the services, and prints
  - indexing from a cold start: items/s, the largest memory of the service (RSS), and the size of the index beside that of the texts;
    beside it FTS5 with the same texts in a table of its own, read from the stores of the services,
  - queries of one to three words, the last with any ending: p50 and p99, in turns with FTS5 and with ripgrep over the exported texts
    (every tenth query),
  - suggestions for one to four letters,
  - the time from publishing an item until it is found while 500 comments a second arrive.
The words have the frequencies of a natural text (Zipf); those of queries are drawn from the 20,000 most frequent by the logarithm of
their rank. ripgrep is left out if it is not installed.
"""
import argparse
import json
import math
import os
import random
import re
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time
import uuid

VOCABULARY = 50_000
QUERIED = 20_000  # the words of queries are among the most frequent
BATCH = 10_000
COMMENT_RATE = 500  # a second
PUBLISHED = 100  # items whose delay is measured
RIPGREP_EVERY = 10


class Words:
    def __init__(self, seed):
        self.random = random.Random(seed)
        syllables = [c + v for c in "bcdfghjklmnprstvz" for v in "aeiou"] + ["ão", "é", "ñu", "ου", "σα"]
        words = set()
        while len(words) < VOCABULARY:
            words.add("".join(self.random.choices(syllables, k=self.random.choice((1, 2, 2, 3, 3, 4)))))
        self.words = sorted(words, key=lambda word: (len(word), word))
        self.cumulative = []
        total = 0.0
        for rank in range(1, VOCABULARY + 1):
            total += 1 / rank
            self.cumulative.append(total)

    def text(self, least, most):
        return " ".join(self.random.choices(self.words, cum_weights=self.cumulative, k=self.random.randint(least, most)))

    def queried(self):
        return self.words[int(math.exp(self.random.uniform(0, math.log(QUERIED))))]

    def query(self):
        return [self.queried() for _ in range(self.random.randint(1, 3))]


class Client:
    """Calls a service, one call at a time."""

    def __init__(self, path):
        self.peer = socket.socket(socket.AF_UNIX)
        self.peer.connect(path)
        self.file = self.peer.makefile("rb")

    def call(self, method, params):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        self.peer.sendall(struct.pack(">I", len(body)) + body)
        (length,) = struct.unpack(">I", self.file.read(4))
        answer = json.loads(self.file.read(length))
        if "error" in answer:
            raise RuntimeError("%s: %s" % (method, answer["error"]["message"]))
        return answer["result"]


class Services:
    def __init__(self, root, programs):
        self.root, self.programs, self.running = root, programs, {}

    def start(self, name, *options):
        log = open("%s/%s.log" % (self.root, name), "a")
        command = [self.programs + "/%s-service" % name, "--root", self.root, *options]
        self.running[name] = subprocess.Popen(command, stdout=log, stderr=log)
        path = "%s/run/%s.sock" % (self.root, name)
        while True:
            try:
                client = Client(path)
                client.call("rpc.health", {})
                return client
            except OSError:
                if self.running[name].poll() is not None:
                    sys.exit("search.py: %s does not start: see %s" % (name, log.name))
                time.sleep(0.01)

    def stop(self, name):
        process = self.running.pop(name)
        process.send_signal(signal.SIGTERM)
        process.wait()

    def memory(self, name):
        with open("/proc/%d/status" % self.running[name].pid) as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]) / 1024


def fill(services, words, items, comments):
    """Writes items and comments into the stores, which the services have made. Returns the ids and the size of the texts."""
    for name in ("feed", "comments"):
        services.start(name)
        services.stop(name)
    ids, size = [], 0
    feed = sqlite3.connect(services.root + "/data/feed.sqlite")
    tags = [words.words[rank] for rank in range(200, 1_200)]
    places = ["%s, %s" % (words.words[rank].title(), words.words[rank + 9].title()) for rank in range(2_000, 7_000)]
    for start in range(0, items, BATCH):
        rows = []
        for _ in range(start, min(items, start + BATCH)):
            id, text, place = words.random.randbytes(16), words.text(8, 30), words.random.choice(places)
            chosen = words.random.sample(tags, words.random.randint(0, 4))
            ids.append(id)
            size += len(text.encode()) + len(place.encode()) + sum(len(tag.encode()) for tag in chosen)
            rows.append((id, text, place, "https://example.org/a.jpg", json.dumps(chosen, ensure_ascii=False) if chosen else None))
        with feed:
            feed.executemany("INSERT INTO item (id, description, location, image, tags) VALUES (?, ?, ?, ?, ?)", rows)
    with feed:
        feed.execute("UPDATE total SET items = (SELECT count(*) FROM item)")
    feed.close()
    store = sqlite3.connect(services.root + "/data/comments.sqlite")
    authors = [words.words[rank].title() for rank in range(1_000, 11_000)]
    for start in range(0, comments, BATCH):
        rows = []
        for _ in range(start, min(comments, start + BATCH)):
            text, author = words.text(4, 16), words.random.choice(authors)
            size += len(text.encode()) + len(author.encode())
            rows.append((words.random.randbytes(16), words.random.choice(ids), 1_700_000_000, author, text))
        with store:
            store.executemany("INSERT INTO comment (id, image_id, created_at, username, message) VALUES (?, ?, ?, ?, ?)", rows)
    store.close()
    return ids, size


def index(services, items):
    """Starts search and waits until all is indexed. Returns its client, the seconds and the largest memory."""
    run = services.root + "/run/"
    begin = time.monotonic()
    search = services.start("search", "--feed-socket", run + "feed.sock", "--comments-socket", run + "comments.sock")
    largest, seen = 0, False
    while True:
        largest = max(largest, services.memory("search"))
        checks = {check["name"]: check for check in search.call("rpc.health", {})["checks"]}
        isIndexing = checks["index"]["status"] != "serving"
        seen = seen or isIndexing
        if sys.stderr.isatty():
            print("\r\033[Kindexing: %s" % checks["index"].get("detail", ""), end="", file=sys.stderr)
        if seen and not isIndexing and search.call("search.items", {"limit": 1}).get("indexed_at"):
            seconds = time.monotonic() - begin
            wait_until_idle(services, "search")
            return search, seconds, max(largest, services.memory("search"))
        time.sleep(0.1)


def wait_until_idle(services, name):
    """Waits until a service has used no processor time for a second: it merges the segments of its index."""
    last, since = None, time.monotonic()
    while time.monotonic() - since < 1:
        with open("/proc/%d/stat" % services.running[name].pid) as file:
            used = sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13]))
        if used != last:
            last, since = used, time.monotonic()
        time.sleep(0.1)


def direct(services):
    """The same texts in a table of FTS5, in this process. Returns the database and the seconds of the insertion."""
    database = sqlite3.connect(services.root + "/direct.sqlite")
    database.execute("ATTACH ? AS feed", (services.root + "/data/feed.sqlite",))
    database.execute("ATTACH ? AS comments", (services.root + "/data/comments.sqlite",))
    database.execute("CREATE VIRTUAL TABLE word USING fts5 (title, place, comments, tokenize = 'unicode61 remove_diacritics 2')")
    begin = time.monotonic()
    with database:
        database.execute("""
            INSERT INTO word (title, place, comments)
            SELECT description || ' ' || coalesce(tags, ''), location, (
                SELECT group_concat(message, ' ') FROM comments.comment WHERE image_id = item.id) FROM feed.item AS item""")
    seconds = time.monotonic() - begin
    with database:
        database.execute("INSERT INTO word (word) VALUES ('optimize')")
    return database, seconds


def export(database, path):
    with open(path, "w") as file:
        for row in database.execute("SELECT title, place, comments FROM word"):
            file.write(" ".join(part for part in row if part).replace("\n", " ") + "\n")


def timed(body):
    begin = time.perf_counter()
    body()
    return (time.perf_counter() - begin) * 1_000


def quantiles(times):
    times = sorted(times)
    return times[len(times) // 2], times[min(len(times) - 1, len(times) * 99 // 100)]


def queries(search, database, texts, words, count):
    ripgrep = shutil.which("rg")
    times = {"search": [], "FTS5 directly": [], "ripgrep": []}
    for number in range(count):
        query = words.query()
        expression = " ".join('"%s"' % word for word in query) + ("*" if len(query[-1]) > 1 else "")
        turns = [
            ("search", lambda: search.call("search.items", {"q": " ".join(query)})),
            ("FTS5 directly", lambda: database.execute(
                "SELECT rowid FROM word WHERE word MATCH ? ORDER BY rank LIMIT 20", (expression,)).fetchall()),
        ]
        if number % 2:
            turns.reverse()
        if ripgrep and number % RIPGREP_EVERY == 0:
            turns.append(("ripgrep", lambda: subprocess.run(
                [ripgrep, "-c", "-w", query[0], texts], stdout=subprocess.DEVNULL)))
        for name, body in turns:
            times[name].append(timed(body))
    return times


def freshness(services, search, ids, words):
    """The milliseconds from the answer of feed.publish until the item is found, while comments arrive."""
    stopping = threading.Event()
    posted = [0]

    def post():
        comments = Client(services.root + "/run/comments.sock")
        begin = time.monotonic()
        while not stopping.is_set():
            if posted[0] < (time.monotonic() - begin) * COMMENT_RATE:
                comments.call("comments.post", {
                    "image_id": str(uuid.UUID(bytes=words.random.choice(ids))), "message": words.text(4, 16), "username": "ana"})
                posted[0] += 1
            else:
                time.sleep(0.001)

    thread = threading.Thread(target=post)
    begin = time.monotonic()
    thread.start()
    feed, times = Client(services.root + "/run/feed.sock"), []
    for number in range(PUBLISHED):
        word = "published%d" % number
        feed.call("feed.publish", {"items": [{"id": str(uuid.uuid4()), "description": word, "image": "https://example.org/a.jpg"}]})
        start = time.perf_counter()
        while not search.call("search.items", {"q": word + " ", "limit": 1})["items"]:
            time.sleep(0.001)
        times.append((time.perf_counter() - start) * 1_000)
        time.sleep(0.1)
    rate = posted[0] / (time.monotonic() - begin)
    stopping.set()
    thread.join()
    return times, rate


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=".build/release")
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--comments", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--raw")
    options = parser.parse_args()
    words, raw = Words(options.seed), {"items": options.items, "comments": options.comments, "load": os.getloadavg()[0]}
    with tempfile.TemporaryDirectory(prefix="search-bench-") as root:
        services = Services(root, os.path.abspath(options.bin))
        try:
            for folder in ("run", "data"):
                os.makedirs(root + "/" + folder, mode=0o700)
            ids, size = fill(services, words, options.items, options.comments)
            for name in ("feed", "comments"):
                services.start(name)
            search, seconds, largest = index(services, options.items)
            files = [root + "/data/search.sqlite" + end for end in ("", "-wal")]
            bytes = sum(os.path.getsize(file) for file in files if os.path.exists(file))
            raw.update(items_per_second=options.items / seconds, memory_mib=largest, index_by_text=bytes / size)
            print("load %.1f, %d items, %d comments, %d MB of text" % (raw["load"], options.items, options.comments, size / 1e6))
            print("indexing: %.0f items/s (%.1f s), at most %.0f MiB (RSS), the index has %.2f × the size of the text"
                  % (raw["items_per_second"], seconds, largest, raw["index_by_text"]))
            database, seconds = direct(services)
            pages, page = (database.execute("PRAGMA main." + name).fetchone()[0] for name in ("page_count", "page_size"))
            unused = database.execute("PRAGMA main.freelist_count").fetchone()[0]
            raw.update(direct_items_per_second=options.items / seconds, direct_by_text=(pages - unused) * page / size)
            print("FTS5 directly, in one transaction of this process: %.0f items/s, %.2f × the size of the text"
                  % (raw["direct_items_per_second"], raw["direct_by_text"]))
            export(database, root + "/texts")
            for name, times in queries(search, database, root + "/texts", words, options.queries).items():
                if times:
                    raw[name] = quantiles(times)
                    print("%-14s p50 %8.2f ms   p99 %8.2f ms" % (name + ":", *raw[name]))
            raw["by_fts5"] = raw["search"][0] / raw["FTS5 directly"][0]
            print("search takes %.2f × the time of FTS5 directly (p50)" % raw["by_fts5"])
            prefixes = [words.queried()[: words.random.randint(1, 4)] for _ in range(options.queries)]
            raw["suggestions"] = quantiles([timed(lambda: search.call("search.suggest", {"prefix": prefix})) for prefix in prefixes])
            print("%-14s p50 %8.2f ms   p99 %8.2f ms" % ("suggestions:", *raw["suggestions"]))
            times, rate = freshness(services, search, ids, words)
            raw["published"] = quantiles(times)
            print("published:     p50 %8.2f ms   p99 %8.2f ms, beside %.0f comments/s" % (*raw["published"], rate))
        finally:
            for name in list(services.running):
                services.stop(name)
    if options.raw:
        with open(options.raw, "w") as file:
            json.dump(raw, file, indent=1)


main()

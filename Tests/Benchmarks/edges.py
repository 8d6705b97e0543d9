#!/usr/bin/env python3
"""Measure many edges of one origin, beside nginx with proxy_cache: hit ratio, the origin's load, staleness, partitions and restarts.

Usage: edges.py [--bin DIR] [--store DIR] [--items N] [--comments N] [--edges N,N,…] [--subjects NAME,NAME] [--rate R] [--exponent E]
                [--seconds S] [--warm S] [--raw FILE]

Needs root, and Debian's packages nginx, wrk and iproute2. Fills an origin in the folder --store (default: a temporary one) with items
and comments (default: 10,000 and 100,000), and uses it again if it is filled. Starts numbers of edges (default: 1,2,4,8), each in a
network namespace of its own, whose readers ask for pages, pictures, images and comments by Zipf's law, R requests a second (default:
30) at each edge, while the origin publishes every second. The exponent (default: 1) says how much readers keep to the top. With --warm
the readers begin that much earlier than the measurement. Measures the edges of this project, and as many of nginx with readers of the
same distribution:
  - the origin's requests by kind as edges grow, and as readers grow (1, 2 and 4 × R at the largest number of edges),
  - staleness: the time from a publication at the origin until the first page of each edge has it,
  - all edges cut off and connected again, and killed and started again: the origin's peak in a second beside its steady load,
  - the capacity of one edge with warm caches: requests/s (wrk) and processor time.
Fits a time to live for each kind of request to the figures, and prints what the model predicts for more edges, with its error.
"""
import argparse
import asyncio
import bisect
import contextlib
import itertools
import json
import math
import os
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
from datetime import datetime

from commands import PROJECT
from database import Connection
from stacks import ORIGIN, PORT, Edge, Network, Nginx, deployment, fill, item_id

PAGE = 10
# Requests of one view: a page, pictures of it, and now and then one image with its comments.
KINDS = {"page": 1, "picture": 5, "image": 0.25, "comments": 0.25}
VIEW = sum(KINDS.values())
PARTITION = 10
AFTER = 10
# For which numbers of edges the model says the load, with as many readers each as were measured at most.
MORE = (16, 64, 256, 1024)
# What a fit may choose, in seconds: short runs tell only these apart. Infinite: only the first request at an edge reaches the origin. None:
# no request does, because the edge knows the answer from others.
LIVES = [0, 0.5, 1, 2, math.inf, None]
HOUR, DAY = 3_600, 86_400


# Readers


class Trace:
    """Views by Zipf's law: the page of rank r is asked for in proportion to 1/r^exponent."""

    def __init__(self, items, exponent, seed=1):
        self.items, self.pages, self.exponent = items, items // PAGE, exponent
        self.sums = list(itertools.accumulate(rank ** -exponent for rank in range(1, self.pages + 1)))
        self.random = random.Random(seed)

    def rank(self):
        return bisect.bisect(self.sums, self.random.random() * self.sums[-1])

    def page(self, rank):
        return f"/v1/feed?limit={PAGE}" + (f"&after_id={item_id(self.items - PAGE * rank)}" if rank else "")

    def rest(self, ids):
        """The requests of a view behind that of the page, which has these items."""
        paths = [f"/v1/image/{id}/data" for id in self.random.sample(ids, min(len(ids), KINDS["picture"]))]
        if self.random.random() < KINDS["image"]:
            chosen = self.random.choice(ids)
            paths += [f"/v1/image/{chosen}", f"/v1/image/{chosen}/comments"]
        return paths

    def shares(self, kind):
        """Pairs of the share of a path in all requests, and of how many paths have it. Ranks beyond 1,000 are taken together."""
        paths, rank = 1 if kind == "page" else PAGE, 1
        while rank <= self.pages:
            last = min(self.pages, rank if rank < 1_000 else int(rank * 1.01))
            yield KINDS[kind] / VIEW * math.sqrt(rank * last) ** -self.exponent / self.sums[-1] / paths, (last - rank + 1) * paths
            rank = last + 1


def kind_of(path):
    return {"data": "picture", "comments": "comments", "feed": "page"}.get(path.rsplit("/", 1)[-1], "image")


READER = "--reader"


async def read(rate, seconds, items, exponent, seed):
    """Runs in the namespace of an edge. Prints the numbers of answers, of failures, and of answers that took over a second."""
    trace, counts = Trace(items, exponent, seed), {"answers": 0, "failures": 0, "slow": 0}
    end = time.monotonic() + seconds
    readers = max(4, round(rate / 5))

    async def reader():
        connection = None
        while (left := end - time.monotonic()) > 0:
            await asyncio.sleep(min(left, trace.random.expovariate(rate / VIEW / readers)))
            paths = [trace.page(trace.rank())]
            while paths and time.monotonic() < end:
                begin = time.monotonic()
                try:
                    connection = connection or await asyncio.open_connection("127.0.0.1", PORT)
                    status, body = await asyncio.wait_for(get(connection, path := paths.pop(0)), 15)
                    counts["answers" if status < 400 else "failures"] += 1
                    if status == 200 and kind_of(path.split("?")[0]) == "page":
                        paths = trace.rest([item["id"] for item in json.loads(body)["items"]])
                except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError):
                    counts["failures"] += 1
                    if connection:
                        connection[1].close()
                    connection, paths = None, []
                counts["slow"] += time.monotonic() - begin > 1
        if connection:
            connection[1].close()

    await asyncio.gather(*(reader() for _ in range(readers)))
    print(json.dumps(counts))


async def get(connection, path):
    reader, writer = connection
    writer.write(f"GET {path} HTTP/1.1\r\nHost: edge\r\n\r\n".encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    return int(head.split()[1]), await reader.readexactly(int(head.split("content-length:")[1].split("\r\n")[0]))


def poll(ids, until):
    """Runs in the namespace of an edge. Prints when its first page had each of the ids first, which stand on standard input."""
    seen = {}
    while time.time() < until and len(seen) < ids:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{PORT}/v1/feed?limit={PAGE}", timeout=10) as answer:
            for item in json.load(answer)["items"]:
                if item["description"].startswith("Published"):
                    seen.setdefault(item["description"], time.time())
        time.sleep(0.02)
    print(json.dumps(seen))


def inside(edge, *words):
    """This script in the namespace of an edge."""
    return subprocess.Popen(["ip", "netns", "exec", edge.namespace, sys.executable, __file__, *map(str, words)], stdout=subprocess.PIPE, text=True)


# Measurements


class Benchmark:
    def __init__(self, arguments, directory, network, root):
        self.arguments, self.directory, self.network, self.root = arguments, directory, network, root
        self.trace = Trace(arguments.items, arguments.exponent)
        self.gateway = Connection(f"{root}/run/gateway.sock")
        self.seeds = itertools.count(1)

    @contextlib.contextmanager
    def edges(self, kind, count):
        """Edges with empty caches."""
        with contextlib.ExitStack() as stack:
            edges = []
            for _ in range(count):
                namespace, _ = stack.enter_context(self.network.namespace())
                directory = stack.enter_context(tempfile.TemporaryDirectory(dir=self.directory))
                edges.append(kind(self.arguments, directory, namespace))
                stack.callback(edges[-1].end)
                edges[-1].start()
            for edge in edges:
                edge.await_ready()
            yield edges

    def publish(self, text):
        self.gateway.ask("feed.publish", {"items": [{"id": str(uuid.uuid4()), "description": text, "image": "https://images.example/0.jpg"}]})

    def wait(self, seconds):
        """Publishes an item at the top every second."""
        for _ in range(round(seconds)):
            self.publish("Insert")
            time.sleep(1)

    @contextlib.contextmanager
    def readers(self, edges, rate, seconds):
        """Readers at all edges for a time. Yields their counts, which are complete after the block."""
        counts = {}
        processes = [inside(edge, READER, rate, seconds, self.arguments.items, self.arguments.exponent, next(self.seeds)) for edge in edges]
        try:
            yield counts
            for process in processes:
                for name, count in json.loads(process.communicate()[0]).items():
                    counts[name] = counts.get(name, 0) + count
        finally:
            for process in processes:
                process.kill()
                process.wait()

    def origin(self, begin, end):
        """The origin's requests of a time: (time, kind)."""
        with open(f"{self.root}/access.log") as log:
            lines = [json.loads(line) for line in log]
        times = ((datetime.fromisoformat(line["time"].replace("Z", "+00:00")).timestamp(), kind_of(line["path"])) for line in lines)
        return [(at, kind) for at, kind in times if begin <= at < end]

    def load(self, edges, rate):
        """Readers for the time of the benchmark, after those that fill the caches."""
        if self.arguments.warm:
            with self.readers(edges, rate, self.arguments.warm):
                self.wait(self.arguments.warm)
        seconds, begin = self.arguments.seconds, time.time()
        with self.readers(edges, rate, seconds) as counts:
            self.wait(seconds)
        requests = self.origin(begin, time.time())
        by_kind = {kind: sum(1 for _, of in requests if of == kind) / seconds for kind in KINDS}
        return {
            "edges": len(edges), "asked": rate, "rate": counts["answers"] / seconds / len(edges), "by_kind": by_kind, "seconds": seconds,
            "warm": self.arguments.warm,
            "origin": sum(by_kind.values()), "hits": 1 - len(requests) / max(1, counts["answers"]), **counts}

    def staleness(self, edges, times=20):
        until = time.time() + 2 * times + 5
        polls = [inside(edge, "--poll", times, until) for edge in edges]
        time.sleep(1)
        published = {}
        for number in range(times):
            text = f"Published {os.getpid()} {next(self.seeds)}"
            self.publish(text)
            published[text] = time.time()
            time.sleep(0.3 + self.trace.random.random())
        seen = [json.loads(process.communicate()[0]) for process in polls]
        delays = sorted(at[text] - published[text] for at in seen for text in published if text in at)
        return {"p50": statistics.median(delays), "p99": delays[int(0.99 * (len(delays) - 1))], "missed": len(edges) * times - len(delays)}

    def disturbance(self, edges, rate, disturb, lasting):
        """The origin's steady load, and its peak in a second once the edges are connected or started again."""
        seconds = self.arguments.seconds
        with self.readers(edges, rate, 2 * seconds + lasting + AFTER) as counts:
            self.wait(seconds)
            begin = time.time()
            self.wait(seconds)
            cut = time.time()
            disturb()
            back = time.time()
            self.wait(AFTER)

        def peak(since, until):
            times = [int(at - since) for at, _ in self.origin(since, until)]
            return max((times.count(second) for second in range(int(until - since))), default=0)

        steady = len(self.origin(begin, cut)) / (cut - begin)
        return {"steady": steady, "steady peak": peak(begin, cut), "peak": peak(back, back + AFTER), "lasting": back - cut, **counts}

    def partition(self, edges, rate):
        def disturb():
            for edge in edges:
                edge.link("down")
            self.wait(PARTITION)
            for edge in edges:
                edge.link("up")

        return self.disturbance(edges, rate, disturb, PARTITION)

    def restart(self, edges, rate):
        def disturb():
            for edge in edges:
                edge.kill()
            for edge in edges:
                edge.start()
            for edge in edges:
                edge.await_ready()

        return self.disturbance(edges, rate, disturb, 5)

    def capacity(self, edge):
        """Of an edge whose caches are warm, as fast as it can. wrk needs processor time too."""
        paths = []
        while len(paths) < 2_000:
            rank = self.trace.rank()
            first = self.trace.items - 1 - PAGE * rank
            paths += [self.trace.page(rank), *self.trace.rest([item_id(first - place) for place in range(PAGE)])]
        script = pathlib.Path(self.directory, "trace.lua")
        script.write_text("local paths = {" + ",".join(map(json.dumps, paths)) + "}\nlocal n = 0\nfunction request() n = n % #paths + 1\nreturn wrk.format('GET', paths[n]) end\n")
        command = ["ip", "netns", "exec", edge.namespace, "wrk", "-t1", "-c16", "-s", str(script)]
        for seconds in (5, self.arguments.seconds):
            before = edge.processor_time()
            begin = time.time()
            output = subprocess.run([*command, f"-d{seconds:.0f}s", f"http://127.0.0.1:{PORT}"], check=True, capture_output=True, text=True).stdout
        rate = float(output.split("Requests/sec:")[1].split()[0])
        used = edge.processor_time() - before
        asked = len(self.origin(begin, time.time())) / seconds
        return {"requests/s": rate, "ms of processor/request": 1e3 * used / seconds / rate, "MB": edge.memory(), "origin": asked}


# The model


def predicted(trace, kind, life, row):
    """The origin's requests a second for the readers of a row, if edges use an answer for the time `life`."""
    begin, end, rate = row["warm"], row["warm"] + row["seconds"], row["rate"]
    if life is None:
        return 0
    if life < math.inf:
        return row["edges"] * sum(count * rate * share / (1 + rate * share * life) for share, count in trace.shares(kind))
    # Those whose first request is within the measured seconds.
    (first, _), *others = trace.shares(kind)
    each = sum(count * (math.exp(-rate * share * begin) - math.exp(-rate * share * end)) / (end - begin) for share, count in others)
    # What is published each second is on the first page until so many others are. An edge loads that page at each publication.
    return row["edges"] * (each + (1 if kind == "page" else 1 - math.exp(-rate * first * PAGE)))


def fit(trace, rows):
    """The time to live of each kind that has the least error, and the mean error of the sum over all kinds."""
    lives = {
        kind: min(LIVES, key=lambda life: sum((predicted(trace, kind, life, row) / max(row["by_kind"][kind], 0.1) - 1) ** 2 for row in rows))
        for kind in KINDS}
    errors = [abs(sum(predicted(trace, kind, life, row) for kind, life in lives.items()) / row["origin"] - 1) for row in rows]
    return lives, statistics.mean(errors), max(errors)


def measure(benchmark, kind, result):
    arguments = benchmark.arguments
    rows = result["rows"] = []
    for count in arguments.edges:
        with benchmark.edges(kind, count) as edges:
            rows.append(benchmark.load(edges, arguments.rate))
            show_load(kind, rows[-1])
    for factor in (2, 4):
        with benchmark.edges(kind, count) as edges:
            rows.append(benchmark.load(edges, factor * arguments.rate))
            show_load(kind, rows[-1])
    with benchmark.edges(kind, count) as edges:
        for name, part in (("staleness", benchmark.staleness), ("partition", benchmark.partition), ("restart", benchmark.restart)):
            result[name] = part(edges) if name == "staleness" else part(edges, arguments.rate)
            print(f"{kind.name} {name}: " + show(result[name]), flush=True)
    with benchmark.edges(kind, 1) as [edge]:
        result["capacity"] = benchmark.capacity(edge)
        print(f"{kind.name} capacity: " + show(result["capacity"]), flush=True)
    lives, mean, worst = fit(benchmark.trace, rows)
    result["model"] = {"lives": lives, "mean error": mean, "largest error": worst}
    print(f"{kind.name} model: lives in s {lives}, error {mean:.0%}, at most {worst:.0%}")
    result["model"]["predicted"] = {
        count: sum(predicted(benchmark.trace, of, life, rows[-1] | {"edges": count}) for of, life in lives.items()) for count in MORE}
    result["model"]["hits"] = {
        name: 1 - sum(predicted(benchmark.trace, of, life, rows[-1] | {"edges": 1, "warm": 0, "seconds": seconds}) for of, life in lives.items()) / rows[-1]["rate"]
        for name, seconds in (("hour", HOUR), ("day", DAY))}


def show(values):
    return ", ".join(f"{name} {value:.3g}" for name, value in values.items())


def show_load(kind, row):
    parts = " ".join(f"{of} {rate:.1f}" for of, rate in row["by_kind"].items())
    print(
        f"{kind.name:6} {row['edges']:4} × {row['rate']:5.0f}/s: origin {row['origin']:7.1f}/s ({parts}), hits {row['hits']:.1%}, "
        f"{row['failures']} failures, {row['slow']} slow", flush=True)


def show_table(results):
    """One column for each subject."""
    columns = []
    for result in results.values():
        column = {}
        for row in result["rows"]:
            place = f"{row['edges']} edges × {row['asked']:.0f} requests/s"
            column[f"{place}: origin's requests/s"] = f"{row['origin']:.1f}"
            column[f"{place}: hit ratio"] = f"{row['hits']:.1%}"
        for name in ("p50", "p99"):
            column[f"staleness, {name}"] = f"{1e3 * result['staleness'][name]:.0f} ms"
        for name in ("partition", "restart"):
            part = result[name]
            column[f"{name}: peak in a second / steady load"] = f"{part['peak'] / max(part['steady'], 1):.2f}"
            column[f"{name}: failures of all requests"] = f"{part['failures'] / (part['answers'] + part['failures']):.1%}"
        column |= {f"capacity: {name}": f"{value:.3g}" for name, value in result["capacity"].items()}
        column["model: mean error"] = f"{result['model']['mean error']:.0%}"
        for count, load in result["model"]["predicted"].items():
            column[f"model: origin's requests/s for {count} edges"] = f"{load:.0f}"
        column |= {f"model: hit ratio in the first {name}": f"{ratio:.1%}" for name, ratio in result["model"]["hits"].items()}
        columns.append(column)
    print(f"\n{'':58}" + "".join(f"{name:>12}" for name in results))
    for name in columns[0]:
        print(f"{name:58}" + "".join(f"{column.get(name, ''):>12}" for column in columns))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=PROJECT + "/.build/release")
    parser.add_argument("--store")
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--comments", type=int, default=100_000)
    parser.add_argument("--edges", default="1,2,4,8", type=lambda text: [int(count) for count in text.split(",")])
    parser.add_argument("--subjects", default="edges,nginx")
    parser.add_argument("--rate", type=float, default=30)
    parser.add_argument("--exponent", type=float, default=1)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--warm", type=float, default=0)
    parser.add_argument("--raw")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(prefix="if-edges-") as directory:
        root = os.path.abspath(arguments.store or f"{directory}/origin")
        fill(arguments, root)
        network = Network()
        pathlib.Path(root, "access.log").unlink(missing_ok=True)
        results = {}
        with deployment(arguments, root, None, [], f"{ORIGIN}:{PORT}"):
            benchmark = Benchmark(arguments, directory, network, root)
            for kind in (Edge, Nginx):
                if kind.name in arguments.subjects.split(","):
                    measure(benchmark, kind, results.setdefault(kind.name, {}))
        show_table(results)
        if arguments.raw:
            pathlib.Path(arguments.raw).write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    if sys.argv[1:2] == [READER]:
        asyncio.run(read(float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]), int(sys.argv[6])))
    elif sys.argv[1:2] == ["--poll"]:
        poll(int(sys.argv[2]), float(sys.argv[3]))
    else:
        main()

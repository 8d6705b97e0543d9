#!/usr/bin/env python3
"""Measure and check import and export of many items: rate, memory, kill -9 in the middle, and that nothing is lost.

Usage: transfer.py [--bin DIR] [--items N] [--pictures N]

Writes a folder of N items (default: 10,000) with comments, whose pictures (default: 200) differ in some bytes only, and
  - imports it with the programs of DIR (default: .build/release), kills the import in the middle, and imports it again,
  - exports it, kills the export in the middle, and exports it again,
  - imports the export into a second deployment.
Prints items/s for each tenth and the largest memory of each process (VmHWM). Ends with an error if the second deployment has another
feed, other comments or other bytes than the first, or if the export has other content than the folder.
"""
import argparse
import hashlib
import json
import os
import random
import sqlite3
import subprocess
import tempfile
import time
import uuid

from commands import PROJECT, deployment, install, picture

# What a deployment has stored: all of it must survive an export and an import.
CONTENT = {
    "feed": "SELECT id, description, location, image, published_at, width, height FROM item ORDER BY position DESC",
    "comments": "SELECT image_id, id, created_at, username, message FROM comment ORDER BY image_id, created_at, position",
    "image-data": "SELECT url, sha256, content_type, data FROM url JOIN content ON content = id ORDER BY url",
}


def write_folder(folder, items, pictures):
    os.mkdir(folder)
    for number in range(pictures):
        with open("%s/%d.jpg" % (folder, number), "wb") as file:
            file.write(picture(b"%d" % number))
    numbers = random.Random(1)

    def new_id():
        return str(uuid.UUID(int=numbers.getrandbits(128), version=4)).upper()

    def date():
        return "2024-%02d-%02dT10:15:%02dZ" % (numbers.randint(1, 12), numbers.randint(1, 28), numbers.randint(0, 59))

    entries = []
    for number in range(items):
        comments = [
            {"id": new_id(), "username": "ana", "message": "κύμα %d" % comment, "created_at": date()}
            for comment in range(numbers.choice([0, 1, 3]))
        ]
        entries.append(
            {
                "file": "%d.jpg" % (number % pictures), "id": new_id(), "description": "Item %d 🌊" % number,
                "location": "Porto", "published_at": date(), "comments": comments,
            }
        )
    with open(folder + "/manifest.json", "w") as file:
        json.dump(entries, file)


def stored(root):
    with sqlite3.connect("file:%s/data/feed.sqlite?mode=ro" % root, uri=True) as store:
        return store.execute("SELECT count(*) FROM item").fetchone()[0]


def exported(folder):
    return len(os.listdir(folder)) if os.path.isdir(folder) else 0


def peak(process):
    with open("/proc/%d/status" % process.pid) as file:
        return next((int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM:")), 0)


def run(name, command, count, items, until=None):
    """Prints the rates of each tenth. Kills the process when `until` items are done."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    begin = last_time = time.monotonic()
    first = last = count()
    rates, memory = [], 0
    while process.poll() is None:
        time.sleep(0.05)
        memory = max(memory, peak(process))
        now, done = time.monotonic(), count()
        if done - last >= items / 10:
            rates.append("%.0f" % ((done - last) / (now - last_time)))
            last, last_time = done, now
        if until and done >= until:
            process.kill()
            process.wait()
    assert process.returncode == (-9 if until else 0), process.returncode
    seconds = time.monotonic() - begin
    print("%s: %d to %d items in %.0f s, %s items/s, %.0f MB" % (name, first, count(), seconds, " ".join(rates), memory), flush=True)


def content(root):
    """The hash of what each service has stored."""
    hashes = {}
    for service, query in CONTENT.items():
        hash = hashlib.sha256()
        with sqlite3.connect("file:%s/data/%s.sqlite?mode=ro" % (root, service), uri=True) as store:
            for row in store.execute(query):
                hash.update(repr(row).encode())
        hashes[service] = hash.hexdigest()
    return hashes


def entries(folder):
    """The items of a folder: texts, dates, comments, and the hash of the bytes."""
    with open(folder + "/manifest.json") as file:
        listed = json.load(file)
    for entry in listed:
        with open(folder + "/" + entry["file"], "rb") as file:
            picture = hashlib.sha256(file.read()).hexdigest()
        comments = sorted(json.dumps(comment, sort_keys=True) for comment in entry.get("comments", []))
        yield entry["id"], entry["description"], entry["location"], entry["published_at"], comments, picture


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default=PROJECT + "/.build/release")
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--pictures", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="if-") as folder:
        install(options.bin, folder + "/bin")
        gateway = folder + "/bin/gateway"
        source, copy, first, second = (folder + name for name in ("/source", "/copy", "/first", "/second"))
        write_folder(source, options.items, options.pictures)
        with deployment(folder + "/bin", first) as programs:
            command = [gateway, "import", source, "--root", first]
            run("import until kill -9", command, lambda: stored(first), options.items, options.items // 2)
            run("import again", command, lambda: stored(first), options.items)
            command = [gateway, "export", copy, "--root", first]
            run("export until kill -9", command, lambda: exported(copy), options.items, options.items // 2)
            run("export again", command, lambda: exported(copy), options.items)
            print("largest memory:", ", ".join("%s %.0f MB" % (name, peak(program)) for name, program in programs.items()))
            before = content(first)
        assert list(entries(source)) == list(entries(copy)), "the export has other content than the folder"
        with deployment(folder + "/bin", second):
            command = [gateway, "import", copy, "--root", second]
            run("import of the export", command, lambda: stored(second), options.items)
            assert content(second) == before, "the second deployment has other content than the first"
    print("nothing was lost")


main()

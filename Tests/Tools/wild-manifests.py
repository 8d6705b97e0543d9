#!/usr/bin/env python3
"""Change the manifests of a running deployment at random, and kill the programs of its plugins and its gateway.

Usage: wild-manifests.py ROOT [--seed N] [--steps N] [--patience SECONDS]

After each step the programs that run must be those of the manifests in force, each once, and the gateway must serve the same
plugins. Prints the steps of a failure, and then the longest time after which a step without a kill was right. ROOT must be a
deployment of its own.
"""
import argparse
import glob
import json
import os
import random
import signal
import subprocess
import sys
import time

NAMES = "abcdef"  # those from "d" on claim a path of their own only, so nothing refuses a valid content of theirs
SHARED = "pqr"
OWN = NAMES[3:]
STEADY_TIME = 1.0  # seconds
PROGRAM = """#!/usr/bin/env python3
import signal, sys, time
if "stubborn" in sys.argv[-1]:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
time.sleep(86400)
"""


class World:
    def __init__(self, root, seed, patience):
        self.root, self.random, self.patience = root, random.Random(seed), patience
        self.folder = root + "/plugins.d"
        self.program = root + "/plugins/wild"
        self.history = ["seed %d" % seed]
        self.possible = {}  # by name: the contents that may be in force, None for no plugin
        self.earlier = {name: [None] for name in NAMES}  # all contents since the last check
        self.valid = {}  # by name: the content of a file that is valid by itself
        self.count = 0
        self.slowest = 0
        os.makedirs(root + "/plugins", exist_ok=True)
        with open(self.program, "w") as file:
            file.write(PROGRAM)
        os.chmod(self.program, 0o700)

    # Steps

    def step(self):
        """Makes one to three changes. Returns whether one of them was a kill."""
        is_kill = False
        for _ in range(self.random.choice((1, 1, 1, 2, 3))):
            name = self.random.choice(NAMES)
            change = self.random.choice((self.write,) * 6 + (self.spoil,) * 3 + (self.remove,) * 2 + (self.rename, self.kill, self.kill))
            change(name)
            is_kill = is_kill or change == self.kill
        return is_kill

    def path(self, name):
        return "%s/%s.json" % (self.folder, name)

    def put(self, name, text, mode=0o600):
        path = self.path(name)
        self.history.append("write %s: %s" % (name, text))
        if self.random.random() < 0.5:
            with open(path, "w") as file:
                os.chmod(path, mode)
                file.write(text)
            return
        with open(path + ".new", "w") as file:
            file.write(text)
        os.chmod(path + ".new", mode)
        os.rename(path + ".new", path)

    def content(self, name):
        self.count += 1
        path = name if name in OWN else self.random.choice(SHARED)
        manifest = {"name": name, "socket": name + ".sock", "contracts": {}, "http": {"GET /v1/wild/" + path: name + ".get"}}
        if self.random.random() < 0.8:
            tag = "%s%d" % (self.random.choice(("", "", "", "stubborn")), self.random.choice((self.count, 1)))
            manifest["run"] = ["../plugins/wild", self.root, name, tag]
        return manifest

    def write(self, name):
        manifest = self.content(name)
        self.put(name, json.dumps(manifest))
        self.earlier[name].append(manifest)
        self.valid[name] = manifest
        # One that claims a shared path may be refused.
        self.possible[name] = [manifest] if name in OWN else self.earlier[name]

    def spoil(self, name):
        manifest = self.content(name)
        text, mode = json.dumps(manifest), 0o600
        kind = self.random.randrange(7)
        if kind == 0:
            text = text[: self.random.randrange(len(text))]
        elif kind == 1:
            text = json.dumps({**manifest, "ran": ["x"]})
        elif kind == 2:
            text = json.dumps({**manifest, "timeout_ms": "5"})
        elif kind == 3:
            text = json.dumps({**manifest, "run": [self.random.choice((1, "a\0", None))]})
        elif kind == 4:
            text = json.dumps({**manifest, "name": "other"})
        elif kind == 5:
            text = json.dumps({**manifest, "socket": "gateway.sock"})
        else:
            text = json.dumps({**manifest, "http": {"GET /v1/feed": name + ".get"}})
        self.put(name, text, mode)
        # The last valid content that was read remains.
        self.possible[name] = self.earlier[name]
        self.valid.pop(name, None)

    def remove(self, name):
        self.history.append("remove %s" % name)
        if os.path.exists(self.path(name)):
            os.unlink(self.path(name))
        self.vanish(name)

    def vanish(self, name):
        self.earlier[name].append(None)
        self.valid.pop(name, None)
        self.possible[name] = [None]

    def rename(self, name):
        other = self.random.choice(NAMES)
        if other == name or not os.path.exists(self.path(name)):
            return
        self.history.append("rename %s to %s" % (name, other))
        os.rename(self.path(name), self.path(other))
        self.vanish(name)
        self.valid.pop(other, None)
        self.possible[other] = self.earlier[other]  # the content has the wrong name

    def kill(self, name):
        pids = self.running().get(name, [])
        is_gateway = self.random.random() < 0.4
        self.history.append("kill %s" % ("the gateway" if is_gateway else name))
        targets = gateways(self.root) if is_gateway else [pid for pid, _ in pids]
        for pid in targets:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def remove_all(self):
        for name in NAMES:
            self.remove(name)
        self.check(True)

    # Checks

    def running(self):
        """The programs of plugins by name, each with its process and its last argument."""
        found = {}
        for pid, words in processes():
            if words[-3:-2] == [self.root] and words[-4].endswith("/plugins/wild") and "run-plugin" not in words:
                found.setdefault(words[-2], []).append((pid, words[-1]))
        return found

    def in_force(self):
        with open(self.root + "/plugins.in-force") as file:
            return {manifest["name"]: manifest for manifest in json.load(file)}

    def fault(self):
        """What is wrong now; None when all is right."""
        record = self.in_force()
        for name in NAMES:
            if plain(record.get(name)) not in [plain(each) for each in self.possible.get(name, [None])]:
                return "%s has %s in force, which is none of %s" % (name, record.get(name), self.possible.get(name))
        wanted = {name: [manifest["run"][-1]] for name, manifest in record.items() if manifest.get("run") and name in NAMES}
        running = {name: [tag for _, tag in each] for name, each in self.running().items()}
        if running != wanted:
            return "%s are running, not %s" % (running, wanted)
        return None

    def gateway_fault(self):
        outcome = subprocess.run([self.root + "/bin/gateway", "plugins", "--root", self.root, "--json"], capture_output=True)
        if outcome.returncode:
            return "the gateway does not answer: %s" % outcome.stderr.decode()
        names = sorted(each["name"] for each in json.loads(outcome.stdout)["plugins"])
        record = sorted(self.in_force())
        return None if names == record else "the gateway serves %s, not %s" % (names, record)

    def check(self, is_kill):
        begin = right = time.monotonic()
        # It must be right for some time: a change that may be refused can also still be unread.
        while (now := time.monotonic()) < right + STEADY_TIME:
            if problem := self.fault() or self.gateway_fault():
                if now > begin + self.patience:
                    sys.exit("%s\n%s" % ("\n".join(self.history), problem))
                right = time.monotonic()
            time.sleep(0.02)
        if not is_kill and "stubborn" not in "".join(self.history[-20:]):
            self.slowest = max(self.slowest, right - begin)
        record = self.in_force()
        # A refused content gets into force when another plugin releases its path.
        self.earlier = {name: [record.get(name)] + ([self.valid[name]] if name in self.valid else []) for name in NAMES}
        self.possible = {name: self.earlier[name][:1] if name in OWN else self.earlier[name] for name in NAMES}


def plain(manifest):
    """The members of a manifest that a step sets."""
    return manifest and {key: manifest.get(key) for key in ("name", "socket", "run", "http")}


def processes():
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file:
                words = [word.decode(errors="replace") for word in file.read().split(b"\0")[:-1]]
        except OSError:
            continue
        if words:
            yield int(path.split("/")[2]), words


def gateways(root):
    return [pid for pid, words in processes() if words[0].endswith("/gateway") and words[1:4] == ["serve", "--root", root]]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", metavar="ROOT")
    parser.add_argument("--seed", type=int, default=1, help="default: 1")
    parser.add_argument("--steps", type=int, default=100, help="default: 100")
    parser.add_argument("--patience", type=float, default=600, help="seconds until a state counts as wrong; default: 600")
    return parser.parse_args()


if __name__ == "__main__":
    options = arguments()
    world = World(os.path.abspath(options.root), options.seed, options.patience)
    world.remove_all()
    for _ in range(options.steps):
        world.check(world.step())
    world.remove_all()
    print("%d steps; without a kill, all was right after at most %.2f s" % (options.steps, world.slowest))

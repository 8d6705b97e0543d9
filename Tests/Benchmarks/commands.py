#!/usr/bin/env python3
"""Measure how long a command of `gateway` takes from start to exit, and a press of the Tab key.

Usage: commands.py [--bin DIR] [--runs N]

Starts the programs of DIR (default: .build/release) with the pictures of deploy/sample, and calls each command N times (default: 200)
in turns. Prints the median, the 90th percentile and the processor time in ms. The programs are those that deploy/up installs: without
symbols. A press of Tab runs the completion script in bash, which asks the gateway for the words.
"""
import argparse
import contextlib
import glob
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time

PROJECT = os.path.dirname(os.path.abspath(__file__)) + "/../.."
SERVICES = ("feed", "comments", "image-data")

# Prints the µs of each press of Tab, and how many words it offers.
TAB = r"""
shopt -s extglob
source "$1"
read -r runs line
COMP_LINE=$line; [[ $line == *- ]] || COMP_LINE="$line "
read -ra COMP_WORDS <<<"$line"; [[ $line == *- ]] || COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_POINT=${#COMP_LINE} COMP_TYPE=9 COMP_KEY=9
compopt() { :; } # only possible while the shell reads a line
for ((run = 0; run < runs; run++)); do
    COMPREPLY=()
    before=${EPOCHREALTIME/[.,]/}
    _gateway_with_keys gateway "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    echo "$((${EPOCHREALTIME/[.,]/} - before)) ${#COMPREPLY[@]}"
done
"""


def picture(text):
    """The bytes of a picture with a text in a segment that no viewer shows, so that each text makes another picture."""
    with open(PROJECT + "/deploy/sample/lighthouse.jpg", "rb") as file:
        jpeg = file.read()
    return jpeg[:2] + b"\xff\xfe" + (len(text) + 2).to_bytes(2, "big") + text + jpeg[2:]


def install(binaries, folder):
    """Copies the programs without symbols, with the resources of the gateway beside them."""
    os.mkdir(folder)
    for program in ("gateway", *(name + "-service" for name in SERVICES)):
        subprocess.run(["strip", "-o", folder + "/" + program, binaries + "/" + program], check=True)
    for bundle in glob.glob(binaries + "/image-feed_*.resources"):
        shutil.copytree(bundle, folder + "/" + os.path.basename(bundle))


@contextlib.contextmanager
def deployment(programs, root):
    """The programs by name, each a process."""
    for folder in ("run", "plugins.d", "data"):
        os.makedirs(root + "/" + folder, mode=0o700)
    for manifest in glob.glob(PROJECT + "/deploy/plugins.d/*.json"):
        shutil.copy(manifest, root + "/plugins.d")
    commands = [[programs + "/" + name + "-service"] for name in SERVICES]
    commands.append([programs + "/gateway", "serve", "--http", "off"])
    processes = {}
    with contextlib.ExitStack() as running:
        for name, command in zip((*SERVICES, "gateway"), commands):
            process = subprocess.Popen(command + ["--root", root], stderr=subprocess.DEVNULL)
            processes[name] = process
            running.callback(process.wait)
            running.callback(process.terminate)
        subprocess.run([programs + "/gateway", "health", "--wait", "30", "--root", root], check=True, stdout=subprocess.DEVNULL)
        yield processes


def run(command):
    """The time from start to exit, and the processor time, in ms."""
    null = [(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
    begin = time.monotonic()
    child = os.posix_spawn(command[0], command, os.environ, file_actions=null)
    _, status, usage = os.wait4(child, 0)
    elapsed = time.monotonic() - begin
    assert status == 0, command
    return 1000 * elapsed, 1000 * (usage.ru_utime + usage.ru_stime)


def line(name, times, rest=""):
    times = sorted(times)
    print("%-55s %8.1f %8.1f  %s" % (name, statistics.median(times), times[len(times) * 9 // 10], rest), flush=True)


def measure_commands(gateway, commands, runs):
    print("%-55s %8s %8s  %s" % ("command, ms", "median", "p90", "processor"))
    times = {command: [] for command in commands}
    for number in range(runs + 5):
        for command in commands:
            measured = run([gateway, *command.split()])
            if number >= 5:
                times[command].append(measured)
    for command in commands:
        line("gateway " + command, [time for time, _ in times[command]], "%.1f" % statistics.median(cpu for _, cpu in times[command]))


def measure_completion(script, lines, runs):
    print("%-55s %8s %8s  %s" % ("Tab after, ms", "median", "p90", "words"))
    for words in lines:
        output = subprocess.run(
            ["bash", "-c", TAB, "bash", script],
            input="%d %s\n" % (runs, words), text=True, capture_output=True, check=True,
        ).stdout
        presses = [row.split() for row in output.splitlines()]
        line(words, [int(micros) / 1000 for micros, _ in presses], presses[-1][1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default=PROJECT + "/.build/release")
    parser.add_argument("--runs", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="if-") as folder:
        install(options.bin, folder + "/bin")
        gateway = folder + "/bin/gateway"
        # The completion script calls `gateway`, which finds its deployment by ROOT.
        os.environ.update(ROOT=folder + "/root", PATH=folder + "/bin:" + os.environ["PATH"])
        with deployment(folder + "/bin", folder + "/root"):
            subprocess.run([gateway, "import", PROJECT + "/deploy/sample"], check=True, stdout=subprocess.DEVNULL)
            page = json.loads(subprocess.check_output([gateway, "feed", "--json"]))
            id = page["items"][0]["id"]
            commands = ["--version", "health", "feed --limit 10", "call feed.load limit=10", "comments " + id, "describe feed.load"]
            measure_commands(gateway, commands, options.runs)
            lines = ["gateway", "gateway feed -", "gateway health", "gateway describe", "gateway call", "gateway call feed.load", "gateway comments"]
            subprocess.run([gateway, "write-help", folder], check=True)
            measure_completion(folder + "/bash-completion/completions/gateway", lines, max(1, options.runs // 4))


if __name__ == "__main__":
    main()

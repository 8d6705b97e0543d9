#!/usr/bin/env python3
"""Measure how long the worst messages keep a service from answering others, and what peers can make it hold.

Usage: stalls.py [--bin DIR] [--rounds N]

Starts feed-service of DIR (default: .build/release) with an empty store. Prints
  - for each of the worst messages of 8 MiB: the longest time of a ping on another connection while the service reads it, the median
    and the largest of N rounds (default: 5), and that without such a message,
  - the service's resident memory while 300 connections have sent all bytes but one of a message of 8 MiB.
"""
import argparse
import os
import signal
import socket
import statistics
import struct
import subprocess
import tempfile
import threading
import time

SIZE = 8 * 1024 * 1024 - 200
CONNECTIONS = 300


def frame(text):
    return struct.pack(">I", len(text)) + text


def call(method, params=b"{}", meta=b"{}"):
    return frame(b'{"jsonrpc":"2.0","id":1,"method":"' + method + b'","params":' + params + b',"meta":' + meta + b"}")


def filled(piece):
    return piece * (SIZE // len(piece))


def members():
    text = b",".join(b'"%x":0' % number for number in range(800_000))
    return b"{" + text[: text.rindex(b",", 0, SIZE)] + b"}" if len(text) > SIZE else b"{" + text + b"}"


MESSAGES = {
    "nothing": None,
    "a method of escapes": call(filled(b"\\u0061")),
    "a parameter of escapes": call(b"feed.load", b'{"limit":"' + filled(b"\\u0061") + b'"}'),
    "a trace of escapes": call(b"rpc.ping", meta=b'{"traceparent":"' + filled(b"\\u0061") + b'"}'),
    "many short members": call(b"feed.load", members()),
    "members of meta": call(b"rpc.ping", meta=members()),
    "a long array": call(b"feed.remove", b'{"ids":[' + filled(b"0,") + b"0]}"),
    "deep arrays": call(b"feed.load", b'{"limit":[' + filled(b"[[[[]]]],") + b"0]}"),
    "a message that is no JSON": frame(filled(b"[1,") + b"x"),
}


def connect(path):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    return connection


def receive(connection):
    header = b""
    while len(header) < 4:
        part = connection.recv(4 - len(header))
        if not part:
            return None
        header += part
    (length,) = struct.unpack(">I", header)
    while length:
        length -= len(connection.recv(min(length, 65_536)))
    return True


def longest_ping(path, message):
    """In milliseconds, until the message is answered."""
    (other, pinging) = (connect(path), connect(path))
    over = threading.Event()

    def send():
        if message:
            other.sendall(message)
            receive(other)
        else:
            time.sleep(0.3)
        over.set()

    sender = threading.Thread(target=send)
    longest = 0
    ping = call(b"rpc.ping")
    sender.start()
    while not over.is_set():
        begin = time.monotonic()
        pinging.sendall(ping)
        receive(pinging)
        longest = max(longest, time.monotonic() - begin)
    sender.join()
    other.close()
    pinging.close()
    return 1_000 * longest


def resident(process):
    with open(f"/proc/{process}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1_024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=".build/release")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="stalls-") as root:
        service = subprocess.Popen([os.path.join(options.bin, "feed-service"), "--root", root], stderr=subprocess.DEVNULL)
        try:
            path = os.path.join(root, "run", "feed.sock")
            while not os.path.exists(path):
                if service.poll() is not None:
                    raise SystemExit(f"feed-service has ended with {service.returncode}")
                time.sleep(0.05)
            print(f"{'message':28} {'longest ping, ms':>18} {'largest':>8}")
            for name, message in MESSAGES.items():
                times = [longest_ping(path, message) for _ in range(options.rounds)]
                print(f"{name:28} {statistics.median(times):18.1f} {max(times):8.1f}")
            before = resident(service.pid)
            held = []
            message = frame(b"a" * SIZE)[:-1]
            for _ in range(CONNECTIONS):
                connection = connect(path)
                connection.setblocking(True)
                try:
                    connection.sendall(message)
                except OSError:
                    pass  # the service has ended the connection
                held.append(connection)
            time.sleep(0.5)
            print(f"\n{CONNECTIONS} incomplete messages of 8 MiB: {resident(service.pid):.0f} MiB resident, {before:.0f} before")
            print(f"a ping then takes {longest_ping(path, None):.1f} ms")
        finally:
            service.send_signal(signal.SIGTERM)
            service.wait()


if __name__ == "__main__":
    main()

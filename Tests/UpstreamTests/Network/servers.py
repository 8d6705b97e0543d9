"""Run the servers of a network namespace: DNS on 127.0.0.1, and HTTP on port 80, which answers with the requested address.

Usage: servers.py NAME=ADDRESS,…[,then,ADDRESS,…] …

Addresses after "then" apply from the second lookup on. Prints "ready" to standard error.
"""

import ipaddress
import socket
import struct
import sys
import threading

PUBLIC = "93.184.216.34"
A, AAAA = 1, 28


def main():
    names = dict(argument.split("=") for argument in sys.argv[1:])
    dns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    dns.bind(("127.0.0.1", 53))
    http = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    http.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    http.bind(("0.0.0.0", 80))
    http.listen()
    threading.Thread(target=serve_http, args=(http,), daemon=True).start()
    print("ready", file=sys.stderr, flush=True)
    serve_dns(dns, {name: answers(text) for name, text in names.items()})


def answers(text):
    """The addresses for the first and for later lookups of a name."""
    first, _, later = text.partition(",then,")
    return [first.split(","), (later or first).split(",")]


def serve_dns(dns, names):
    asked = {}
    while True:
        query, peer = dns.recvfrom(4096)
        labels, position = [], 12
        while query[position]:
            labels.append(query[position + 1:position + 1 + query[position]].decode())
            position += 1 + query[position]
        question = query[12:position + 5]
        kind, = struct.unpack(">H", query[position + 1:position + 3])
        name = ".".join(labels)
        addresses = names.get(name)
        records = []
        if addresses and kind in (A, AAAA):
            # IPv4 and IPv6 are looked up separately.
            time = asked.get((name, kind), 0)
            asked[name, kind] = time + 1
            for text in addresses[min(time, 1)]:
                address = ipaddress.ip_address(text)
                if address.version == (4 if kind == A else 6):
                    data = address.packed
                    records.append(b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 0, len(data)) + data)
        flags = 0x8180 if addresses else 0x8183
        dns.sendto(query[:2] + struct.pack(">HHHHH", flags, 1, len(records), 0, 0) + question + b"".join(records), peer)


def serve_http(http):
    while True:
        connection, _ = http.accept()
        threading.Thread(target=answer, args=(connection,), daemon=True).start()


def answer(connection):
    place = "public" if connection.getsockname()[0] == PUBLIC else "PRIVATE"
    while True:
        request = b""
        while b"\r\n\r\n" not in request:
            more = connection.recv(4096)
            if not more:
                return
            request += more
        path = request.split()[1].decode()
        body = f"{place} {path}".encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n"
        if path == "/close":
            head += "Connection: close\r\n"
        connection.sendall(head.encode() + b"\r\n" + body)
        if path == "/close":
            connection.close()
            return


main()

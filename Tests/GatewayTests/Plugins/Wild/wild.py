#!/usr/bin/env python3
"""A plugin that does what it must not, one method for each fault. Usage: wild.py SOCKET NAME

NAME.echo is right. It answers who answers."""
import json, os, socketserver, struct, sys

path, name = sys.argv[1:]


def frame(message):
    body = json.dumps(message).encode()
    return struct.pack(">I", len(body)) + body


def right(id):
    return frame({"jsonrpc": "2.0", "id": id, "result": {"name": name, "pid": os.getpid()}})


def hello(id):
    service = {"name": name, "version": "1", "instance": f"{name}-{os.getpid()}"}
    result = {"protocol": 1, "service": service, "contracts": {name: 1}, "features": ["bytes", "parts", "credit"],
              "limits": {"frame_bytes": 1 << 20}}
    return frame({"jsonrpc": "2.0", "id": id, "result": result})


def numbered(kind, number, body=b""):
    return struct.pack(">II", kind << 24 | 4 + len(body), number) + body


# Frames and messages, which are sent until the gateway disconnects. The argument counts from 1.
FLOODS = {
    "flood": lambda n: right(99_999),
    "items": lambda n: frame({"jsonrpc": "2.0", "method": "rpc.item", "params": {"id": 99_999, "item": {}}}),
    "notify": lambda n: frame({"jsonrpc": "2.0", "method": "later.news", "params": {}}),
    "grants": lambda n: numbered(6, 1, struct.pack(">I", 1)),
    "stops": lambda n: numbered(8, 1),
    "empty": lambda n: numbered(4, 1),
    "aborts": lambda n: numbered(4, n, b"{") + numbered(7, n),
}
FAULTS = {
    "twice": lambda id: right(id) * 2,
    "nothing": lambda id: b"",
    "binary": lambda id: os.urandom(200_000),
    "large": lambda id: struct.pack(">I", 0xFFFFFF),
    "own_error": lambda id: frame({"jsonrpc": "2.0", "id": id, "error": {"code": 7, "message": "no", "data": [1]}}),
    "no_json": lambda id: struct.pack(">I", 5) + b"hello",
}


class Connection(socketserver.StreamRequestHandler):
    def handle(self):
        while len(header := self.rfile.read(4)) == 4:
            (length,) = struct.unpack(">I", header)
            message = json.loads(self.rfile.read(length))
            id, method = message.get("id"), message["method"]
            verb = method.split(".")[1]
            if id is None:
                continue
            if method == "rpc.hello":
                answer = hello(id)
            elif verb == "die":
                self.wfile.write(right(id)[:-3])
                os._exit(1)
            elif verb in FLOODS:
                self.flood(FLOODS[verb])
                return
            else:
                answer = FAULTS.get(verb, right)(id)
            try:
                self.wfile.write(answer)
            except OSError:
                return

    def flood(self, made):
        n = 0
        try:
            while True:
                self.wfile.write(b"".join(made(n + i) for i in range(1, 1_001)))
                n += 1_000
        except OSError:
            print("disconnected", file=sys.stderr, flush=True)


class Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    request_queue_size = 128


if os.path.exists(path):
    os.unlink(path)
os.umask(0o177)
with Server(path, Connection) as server:
    print("serving", file=sys.stderr, flush=True)
    server.serve_forever()

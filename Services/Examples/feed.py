#!/usr/bin/env python3
"""List an image feed page by page. A complete client of Shared/PROTOCOL.md, sections 1 to 3.

Usage: feed.py [SOCKET]    socket of the gateway or the feed service; default: ROOT/run/gateway.sock"""
import json, os, signal, socket, struct, sys


def receive_exactly(peer, count):
    data = peer.recv(count, socket.MSG_WAITALL)
    return data if len(data) == count else sys.exit("feed.py: the service has closed the connection")


def call(peer, method, params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    peer.sendall(struct.pack(">I", len(body)) + body, socket.MSG_NOSIGNAL)  # the frame: kind 0 and the length, then the message
    (length,) = struct.unpack(">I", receive_exactly(peer, 4))
    answer = json.loads(receive_exactly(peer, length))
    if "error" in answer:
        sys.exit(f"feed.py: {answer['error']['message']} ({answer['error']['data']['kind']})")
    return answer["result"]


if sys.argv[1:] in (["-h"], ["--help"]):
    sys.exit(print(__doc__))
signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # end quietly when the reader of the output closes it: feed.py | head
root = os.environ.get("ROOT", "~/.local/share/image-feed")
path = sys.argv[1] if len(sys.argv) > 1 else os.path.expanduser(root + "/run/gateway.sock")
with socket.socket(socket.AF_UNIX) as peer:
    try:
        peer.connect(path)
        cursor = {}
        while cursor is not None:
            page = call(peer, "feed.load", {"limit": 100, **cursor})
            for item in page["items"]:
                about = item.get("description") or item.get("location") or ""
                print(item["id"], "".join(filter(str.isprintable, about)))  # texts are untrusted
            cursor = {"after_id": page["next_after_id"]} if "next_after_id" in page else None
    except OSError as error:
        sys.exit(f"feed.py: {path}: {error.strerror or error}")

#!/usr/bin/env python3
"""Count how many readers like an image. A complete service of Shared/PROTOCOL.md, sections 1 to 3.

Usage: likes.py [SOCKET]    the socket to listen on; default: ROOT/run/likes.sock"""
import collections, json, os, socketserver, struct, sys

likes = collections.Counter()  # in memory; a real service has a store


def add(params):
    likes[params["image_id"].upper()] += 1
    return count(params)


def count(params):
    return {"count": likes[params["image_id"].upper()]}


methods = {"likes.add": add, "likes.count": count}


def answer(request):
    name, params = request.get("method"), request.get("params", {})
    if name not in methods:  # also rpc.hello, which the gateway sends first: it then uses no optional feature
        return {"error": {"code": -32601, "message": f"there is no method {name}"}}  # method_not_found
    if set(params) != {"image_id"} or not isinstance(params["image_id"], str):
        return {"error": {"code": -32602, "message": "params.image_id: the id of an image is required, and nothing else"}}
    return {"result": methods[name](params)}


class Connection(socketserver.StreamRequestHandler):
    def handle(self):
        while len(header := self.rfile.read(4)) == 4:  # the frame: kind 0 and the length, then the message
            (length,) = struct.unpack(">I", header)
            request = json.loads(self.rfile.read(length))
            if "id" in request:  # a message without an id is a notification, which gets no answer
                body = json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer(request)}).encode()
                self.wfile.write(struct.pack(">I", len(body)) + body)


root = os.environ.get("ROOT", "~/.local/share/image-feed")
path = sys.argv[1] if len(sys.argv) > 1 else os.path.expanduser(root + "/run/likes.sock")
if os.path.exists(path):
    os.unlink(path)  # left by the last process
os.umask(0o177)  # only this user may connect
with socketserver.ThreadingUnixStreamServer(path, Connection) as server:  # one thread for each connection
    print(f"likes.py: serving on {path}", file=sys.stderr)
    server.serve_forever()

#!/usr/bin/env python3
"""A right implementation of Tests/Contracts/likes and of Tests/Contracts/protocol, and wrong ones, to test `gateway verify`.

Usage: likes.py SOCKET [FAULT]    FAULT: one of FAULTS; without it the implementation is right"""
import json, os, re, socketserver, struct, sys, time, uuid

FAULTS = ["counts again", "takes any image", "compares case", "counts zero", "answers text", "has no limit", "ignores members",
          "mixes up codes", "hangs", "answers twice", "dies", "forgets", "answers another id", "writes no version",
          "floods", "sends half a frame", "answers lower case", "accepts any spelling", "checks the first id", "refuses 100",
          "reports internal", "names nothing", "counts refused", "counts duplicates", "knows only liked images",
          "answers null", "answers floats", "answers ids as text", "reads 1024 bytes", "writes little-endian",
          "counts characters"]
LIMIT, DEPTH, BATCH = 8 << 20, 64, range(1, 101)
CODES = {"parse_error": -32700, "invalid_request": -32600, "method_not_found": -32601, "invalid_params": -32602,
         "internal": -32603, "already_exists": -32009}
fault = sys.argv[2] if len(sys.argv) > 2 else None
instance = str(uuid.uuid4()).upper()
likes, counts_by_image = {}, {}


class Failure(Exception):
    def __init__(self, kind, message):
        if fault == "reports internal" and kind == "invalid_params":  # as for any exception
            kind = "internal"
        if fault == "names nothing":
            message = "bad request"
        self.error = {"code": 7 if fault == "mixes up codes" else CODES[kind], "message": message, "data": {"kind": kind}}


def same(identifier):
    if fault == "answers lower case":
        return str(uuid.UUID(identifier))
    return identifier if fault == "compares case" else identifier.upper()


def add(image_id, id=None):
    image, like = same(image_id), same(id or str(uuid.uuid4()))
    if fault == "counts refused" and likes.get(like, image) != image:
        counts_by_image[image] = counts_by_image.get(image, 0) + 1
    if likes.get(like, image) != image and fault != "takes any image":
        raise Failure("already_exists", "params.id: this like exists for another image")
    if like not in likes or fault == "counts again":
        counts_by_image[image] = counts_by_image.get(image, 0) + 1
        likes[like] = image
    if fault == "forgets":
        return {"count": counts_by_image.pop(image)}
    count = counts_by_image.get(image, 0)
    if fault == "answers floats":
        count /= 2
    return {"count": str(count) if fault == "answers text" else count}


def get(id):
    if fault == "hangs":
        time.sleep(3600)
    if fault == "knows only liked images" and same(id) not in counts_by_image:
        raise Failure("internal", "KeyError")
    return {"image_id": same(id), "count": counts_by_image.get(same(id), 0)}


def counts(image_ids):
    found = {same(id): counts_by_image.get(same(id), 0) for id in image_ids}
    if fault == "counts duplicates":
        found = {id: found[id] * [same(each) for each in image_ids].count(id) for id in found}
    if fault == "answers null":
        return {"counts": {id: count or None for id, count in found.items()}}
    return {"counts": {id: count for id, count in found.items() if count or fault == "counts zero"}}


def hello(protocols, **_):
    if 1 not in protocols:
        raise Failure("invalid_request", "only protocol 1 is supported")
    return {"protocol": 1, "service": {"name": "likes", "version": "1", "instance": instance}, "contracts": {"likes": 1},
            "features": [], "limits": {"frame_bytes": LIMIT}}


METHODS = {"likes.add": (add, ["image_id"]), "likes.get": (get, ["id"]), "likes.counts": (counts, ["image_ids"])}


def check(name, value):
    """Refuses a value of a parameter that the contract does not allow."""
    values = value if name == "image_ids" else [value]
    most = 99 if fault == "refuses 100" else 100
    if not isinstance(values, list) or not (1 <= len(values) <= most or fault == "has no limit" and values):
        raise Failure("invalid_params", f"params.{name}: must have 1 to 100 ids")
    for index, each in enumerate(values):
        if fault == "checks the first id" and index > 0:
            continue
        if fault == "accepts any spelling" and isinstance(each, str) and re.fullmatch(r"\W?[0-9A-Fa-f-]{32,36}\W?", each):
            continue
        if not isinstance(each, str) or not re.fullmatch("[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", each):
            raise Failure("invalid_params", f"params.{name}{f'[{index}]' if values is value else ''}: must be a UUID")


def call(name, params):
    if name not in METHODS:
        raise Failure("method_not_found", "there is no such method")
    function, required = METHODS[name]
    known = function.__code__.co_varnames[:function.__code__.co_argcount]
    if not isinstance(params, dict):
        raise Failure("invalid_params", "params: must be an object")
    for member in [*required, *params]:
        if member not in params:
            raise Failure("invalid_params", f"params.{member}: is missing")
        if member not in known and fault != "ignores members":
            raise Failure("invalid_params", f"params.{member}: is not a known member")
    params = {member: value for member, value in params.items() if member in known}
    for member, value in params.items():
        check(member, value)
    return function(**params)


def answer(message, is_first=False):
    """The answer to a message; None for a notification."""
    members = message if isinstance(message, dict) else {}
    number = members.get("id")
    is_number = type(number) is int and -2 ** 63 <= number < 2 ** 63
    if not (is_number or isinstance(number, str) and len(number.encode()) <= 256):
        number = None
    try:
        is_call = members.get("jsonrpc") == "2.0" and isinstance(members.get("method"), str)
        if not is_call or "id" in members and number is None or not isinstance(members.get("params", {}), (dict, list)):
            raise Failure("invalid_request", "this is not a request of JSON-RPC 2.0")
        if "id" not in members:
            return None
        name, params = members["method"], members.get("params", {})
        if name == "rpc.hello" and not is_first:
            raise Failure("invalid_request", "rpc.hello must be the first message")
        outcome = {"result": hello(**params) if name == "rpc.hello" else call(name, params)}
    except Failure as failure:
        outcome = {"error": failure.error}
    version = {} if fault == "writes no version" else {"jsonrpc": "2.0"}
    if fault == "answers ids as text":
        number = str(number)
    return {**version, "id": 999 if fault == "answers another id" else number, **outcome}


def parsed(text):
    """The value of a JSON text, which is as strict as I-JSON."""
    def pairs(members):
        if len(dict(members)) < len(members):
            raise ValueError("a member appears twice")
        return dict(members)

    def constant(name):
        raise ValueError(name)

    value = json.loads(text.decode(), object_pairs_hook=pairs, parse_constant=constant)
    json.dumps(value, ensure_ascii=False).encode()  # refuses lone surrogates
    check_depth(value, DEPTH)
    return value


def check_depth(value, rest):
    if isinstance(value, (dict, list)):
        if rest == 0:
            raise ValueError("nested too deeply")
        for each in value.values() if isinstance(value, dict) else value:
            check_depth(each, rest - 1)


class Connection(socketserver.StreamRequestHandler):
    def handle(self):
        is_first = True
        while len(header := self.rfile.read(4)) == 4:
            (length,) = struct.unpack(">I", header)
            if length > LIMIT:  # also every kind but 0
                return self.send({"jsonrpc": "2.0", "id": None, "error": Failure("invalid_request", "a bad frame").error})
            if fault == "reads 1024 bytes":
                length = min(length, 1024)
            text = self.rfile.read(length)
            if len(text) == length:
                self.reply(text, is_first)
            is_first = False

    def reply(self, text, is_first):
        try:
            message = parsed(text)
        except (ValueError, RecursionError):
            return self.send({"jsonrpc": "2.0", "id": None, "error": Failure("parse_error", "this is not JSON").error})
        if not isinstance(message, list):
            return self.send(answer(message, is_first))
        if len(message) not in BATCH:
            return self.send({"jsonrpc": "2.0", "id": None, "error": Failure("invalid_request", "1 to 100 calls").error})
        self.send([reply for each in message if (reply := answer(each))])

    def send(self, message):
        if not message:
            return
        body = json.dumps(message, ensure_ascii=fault != "counts characters").encode()
        size = len(body.decode()) if fault == "counts characters" else len(body)
        frame = struct.pack("<I" if fault == "writes little-endian" else ">I", size) + body
        if fault == "dies":
            os._exit(1)
        if fault == "sends half a frame":
            frame = frame[:-1]
        self.wfile.write(frame)
        while fault == "floods":
            self.wfile.write(frame)
        if fault == "answers twice":
            self.wfile.write(frame)


class Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    request_queue_size = 128


if __name__ == "__main__":
    os.umask(0o177)
    with Server(sys.argv[1], Connection) as server:
        print("serving", file=sys.stderr, flush=True)
        server.serve_forever()

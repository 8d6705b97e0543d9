"""The server part of a plugin: sections 1 to 3 of Shared/PROTOCOL.md over a Unix socket, with Python's standard library.

    plugin = Plugin("likes")

    @plugin.method("Return the number of likes of an image.", {"id": ID}, {"image_id": ID, "count": COUNT})
    def get(id):
        return {"image_id": id, "count": likes[id]}

    plugin.serve()

publishes likes.get at ROOT/run/likes.sock. The parameters are checked against their JSON Schemas before the function is called;
a parameter is optional if the function has a default for it. One method runs at a time, so the functions need no locks."""
import inspect, json, os, re, signal, socket, socketserver, struct, sys, threading, uuid

MESSAGE_LIMIT = 8 * 1024 * 1024  # bytes, as the gateway's
ID = {"type": "string", "format": "uuid"}
IDS = {"type": "array", "items": ID, "minItems": 1, "maxItems": 100}
COUNT = {"type": "integer", "minimum": 0}
TEXT = {"type": "string"}
CODES = {
    "parse_error": -32700, "invalid_request": -32600, "method_not_found": -32601, "invalid_params": -32602,
    "internal": -32603, "not_found": -32004, "already_exists": -32009,
}


class Failure(Exception):
    """An error for the caller: a kind of section 3, and a message that names the object, the fault and the remedy."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.error = {"code": CODES[kind], "message": message, "data": {"kind": kind, "retryable": False}}


class Plugin:
    def __init__(self, name, version="1"):
        self.name = name
        self.root = os.path.expanduser(os.environ.get("ROOT") or "~/.local/share/image-feed")
        self.service = {"name": name, "version": version, "instance": str(uuid.uuid4())}
        self.contract = {"name": name, "version": 1, "methods": []}
        self.functions = {
            "rpc.hello": self.hello,
            "rpc.ping": checked(lambda: {}, {}),
            "rpc.health": checked(lambda service=None: {"status": "serving", "checks": []}, {"service": TEXT}),
            "rpc.describe": checked(
                lambda service=None: {"service": self.service, "contracts": [self.contract]}, {"service": TEXT}),
        }
        self.turn = threading.Lock()

    def method(self, summary, params, result, idempotent=True, errors=()):
        """Publishes a function as NAME.function, with the JSON Schemas of its parameters and of the members of its result."""

        for member, each in params.items():
            supported(each, member)

        def publish(function):
            name = f"{self.name}.{function.__name__}"
            self.contract["methods"].append({
                "name": name, "summary": summary, "params": schema(function, params),
                "result": {"type": "object", "properties": result, "required": list(result)},
                "idempotent": idempotent, "streams": False, "errors": list(errors),
            })
            self.functions[name] = checked(function, params)
            return function

        return publish

    def hello(self, protocols=(), **_):
        if 1 not in protocols:
            raise Failure("invalid_request", f"protocols {protocols} are not supported; this service speaks 1")
        return {
            "protocol": 1, "service": self.service, "contracts": {self.name: 1},
            "features": [],  # the optional parts of section 4
            "limits": {"frame_bytes": MESSAGE_LIMIT, "calls_in_flight": 1024},
        }

    def answer(self, message, is_first=False):
        """The answer to a message; None for a notification."""
        if isinstance(message, list) and 1 <= len(message) <= 100:  # a batch
            return [answer for each in message if (answer := self.answer(each))] or None
        number = None
        try:
            if not isinstance(message, dict) or "id" in message and not is_id(message["id"]):
                raise Failure("invalid_request", "must be a request with an id, or a batch of 1 to 100 requests")
            number = message.get("id")
            name, params = message.get("method"), message.get("params", {})
            if message.get("jsonrpc") != "2.0" or not isinstance(name, str) or not isinstance(params, (dict, list)):
                raise Failure("invalid_request", "must have jsonrpc 2.0, a method, and params that are an object")
            if "id" not in message:
                return None  # a notification, for example rpc.cancel
            if name == "rpc.hello" and not is_first:
                raise Failure("invalid_request", "rpc.hello must be the first message")
            outcome = {"result": self.call(name, params)}
        except Failure as failure:
            outcome = {"error": failure.error}
        return {"jsonrpc": "2.0", "id": number, **outcome}

    def call(self, name, params):
        if name not in self.functions:
            raise Failure("method_not_found", f"there is no method {name[:80]}")
        if isinstance(params, list):
            raise Failure("invalid_params", "params: must be an object")
        try:
            with self.turn:
                return self.functions[name](**params)
        except Failure:
            raise
        except Exception as error:  # a fault of this program: logged, and hidden from the caller
            print(f"{self.name}: {name}: {error!r}", file=sys.stderr)
            raise Failure("internal", f"{name} failed; the log of {self.name} says why") from error

    def serve(self):
        """Serves until the process is stopped."""
        path = f"{self.root}/run/{self.name}.sock"
        with socket.socket(socket.AF_UNIX) as peer:
            if peer.connect_ex(path) == 0:
                sys.exit(f"{self.name}: another process serves {path}")
        if os.path.exists(path):
            os.unlink(path)  # left by a process that was killed
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        os.umask(0o177)  # only this user may connect
        with Server(path, Connection) as server:
            server.plugin = self
            print(f"{self.name}: serving on {path}", file=sys.stderr, flush=True)
            server.serve_forever()


def is_id(value):
    if isinstance(value, str):
        return len(value.encode()) <= 256
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63


def schema(function, params):
    """The JSON Schema of a function's parameters. Those without a default are required."""
    defaults = inspect.signature(function).parameters.values()
    required = [each.name for each in defaults if each.default is each.empty]
    return {"type": "object", "properties": params, "required": required, "additionalProperties": False}


def checked(function, params):
    def call(**values):
        check(values, schema(function, params), "params")
        return function(**values)

    return call


TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool}
RANGES = {  # by type: the keywords of the least and the most, and how a message names them
    "integer": ("minimum", "maximum", "be", ""), "number": ("minimum", "maximum", "be", ""),
    "string": ("minLength", "maxLength", "have", " characters"), "array": ("minItems", "maxItems", "have", " elements"),
}


def supported(schema, path):
    """Refuses a schema that `check` would not enforce, when the program starts."""
    known = {"type", "description", "format", "enum", "items", "properties", "required", "additionalProperties"}
    kind = schema.get("type") if isinstance(schema.get("type"), str) else None
    known.update(RANGES.get(kind, ())[:2])
    needed = {"array": {"items"}, "object": {"properties"}}.get(kind, set())
    if kind not in TYPES or not needed <= set(schema) <= known or schema.get("format", "uuid") != "uuid":
        raise ValueError(f"{path}: plugin.py does not check {schema}; extend its function check")
    for name, each in {**schema.get("properties", {}), **({"[]": schema["items"]} if "items" in schema else {})}.items():
        supported(each, f"{path}.{name}")


def check(value, schema, path):
    """Refuses a value that the schema does not allow, and names it by its path."""
    kind = schema["type"]
    if not isinstance(value, TYPES[kind]) or isinstance(value, bool) and kind != "boolean":
        raise Failure("invalid_params", f"{path}: must be of the type {kind}")
    if schema.get("format") == "uuid" and not re.fullmatch("[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", value):
        raise Failure("invalid_params", f"{path}: must be a UUID")
    if "enum" in schema and value not in schema["enum"]:
        raise Failure("invalid_params", f"{path}: must be one of {', '.join(map(str, schema['enum']))}")
    if kind in RANGES:
        least, most, verb, unit = RANGES[kind]
        size = value if kind in ("integer", "number") else len(value)
        if size < schema.get(least, size):
            raise Failure("invalid_params", f"{path}: must {verb} at least {schema[least]}{unit}")
        if size > schema.get(most, size):
            raise Failure("invalid_params", f"{path}: must {verb} at most {schema[most]}{unit}")
    if kind == "array":
        for index, element in enumerate(value):
            check(element, schema["items"], f"{path}[{index}]")
    if kind == "object":
        properties = schema["properties"]
        for name, member in value.items():
            if name not in properties:
                raise Failure("invalid_params", f"{path}.{name}: is not a known member")
            check(member, properties[name], f"{path}.{name}")
        for name in schema.get("required", []):
            if name not in value:
                raise Failure("invalid_params", f"{path}.{name}: is missing")


class Server(socketserver.ThreadingUnixStreamServer):  # one thread for each connection
    daemon_threads = True
    request_queue_size = 128


class Connection(socketserver.StreamRequestHandler):
    """Reads frames and answers them in their order. A frame is four bytes, kind 0 and the length, and then one JSON message."""

    def handle(self):
        is_first = True
        while len(header := self.rfile.read(4)) == 4:
            (length,) = struct.unpack(">I", header)
            if length > MESSAGE_LIMIT:  # or the kind is not 0: rpc.hello negotiates no other
                failure = Failure("invalid_request", f"kind {length >> 24} not negotiated, or over {MESSAGE_LIMIT} bytes")
                return self.send({"jsonrpc": "2.0", "id": None, "error": failure.error})
            body = self.rfile.read(length)
            if len(body) < length:
                return  # the peer closed the connection inside a frame
            try:
                answer = self.server.plugin.answer(parse(body), is_first)
            except (ValueError, RecursionError) as error:
                failure = Failure("parse_error", f"the message is not JSON: {str(error)[:200]}")
                answer = {"jsonrpc": "2.0", "id": None, "error": failure.error}
            is_first = False
            if answer:
                self.send(answer)

    def send(self, answer):
        body = json.dumps(answer, separators=(",", ":")).encode()
        try:
            self.wfile.write(struct.pack(">I", len(body)) + body)
        except OSError:
            pass  # the peer has closed the connection; the next read returns its end


def parse(body):
    """A JSON value as section 2 narrows it: no duplicate members, lone surrogates or NaN, and at most 64 levels."""
    value = json.loads(body.decode(), object_pairs_hook=members, parse_constant=refuse)
    json.dumps(value, ensure_ascii=False).encode()  # fails for a lone surrogate
    if levels(value) > 64:
        raise ValueError("it is nested deeper than 64")
    return value


def members(pairs):
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a member appears twice")
    return dict(pairs)


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


def levels(value):
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if children is None else 1 + max(map(levels, children), default=0)

import JSON

/// A client in Python: standard library only.
struct PythonClient {
    private let contract: DeclaredContract

    /// What the command line called the contract.
    private let name: String

    init(_ contract: DeclaredContract, named name: String) { (self.contract, self.name) = (contract, name) }

    var text: String {
        var types = DeclaredTypes(Self.spelling)
        let methods = contract.methods.map { method($0, &types) }
        return ([head, errors] + types.declarations.map(declaration) + [client] + methods).joined(separator: "\n")
            + Self.tail + "\n"
    }

    private static let spelling = DeclaredTypes.Spelling(
        any: "Any", bytes: "bytes", null: "None",
        primitives: ["string": "str", "integer": "int", "number": "float", "boolean": "bool"],
        literal: { $0.pythonLiteral },
        literals: { "Literal[\($0.joined(separator: ", "))]" }, array: { "list[\($0)]" },
        dictionary: { "dict[str, \($0)]" })

    private var head: String {
        """
        \"""A client of the contract \(contract.name), version \(contract.version): length-prefixed JSON over a Unix socket.

        Written by `gateway client python \(name)`. Needs Python 3.11 and nothing else.\"""
        from __future__ import annotations

        import base64, json, socket, struct, zlib
        from collections.abc import Iterator
        from typing import Any, Literal, NotRequired, TypedDict


        class Failure(Exception):
            \"""An error of a call. Programs read `kind`; the message is for people.\"""

            def __init__(self, error: dict[str, Any]):
                data = error.get("data") if isinstance(error.get("data"), dict) else {}
                self.code: int = error.get("code", -32603)
                self.message: str = error.get("message", "")
                self.kind: str = data.get("kind") or KINDS.get(self.code, "internal")
                self.retryable: bool = data.get("retryable") is True
                self.begun: bool = data.get("begun") is not False
                self.details: Any = data.get("details")
                super().__init__(f"{self.message} ({self.kind})")


        """
    }

    private var errors: String {
        let classes = contract.errors.map { kind in
            """
            class \(kind.capitalizedWords)(Failure):
                pass


            """
        }
        let table = contract.errors.map { "\"\($0)\": \($0.capitalizedWords)" }.joined(separator: ", ")
        let kinds = ProtocolErrors.codes.map { "    \($0.code): \"\($0.kind)\",\n" }.joined()
        return classes.map { $0 + "\n" }.joined() + """
            FAILURES: dict[str, type[Failure]] = {\(table)}
            KINDS = {
            \(kinds)}


            """
    }

    private func declaration(_ declaration: DeclaredTypes.Declaration) -> String {
        let members = declaration.members.map { member in
            let type = member.isRequired ? member.type : "NotRequired[\(member.type)]"
            return "    \(JSONValue.string(member.name).json): \"\(type.replacing("\"", with: "'"))\","
        }
        return "\(declaration.name) = TypedDict(\"\(declaration.name)\", {\n" + members.joined(separator: "\n")
            + "\n})\n"
    }

    private var client: String {
        """

        class Client:
            \"""Calls the service that listens on a socket, or the gateway in front of it. Not for several threads at a time.\"""

            def __init__(self, path: str, timeout: float = 30):
                self._path, self._timeout, self._last = path, timeout, 0
                self._peer = self._connect()

            def __enter__(self) -> Client:
                return self

            def __exit__(self, *_: object) -> None:
                self.close()

            def close(self) -> None:
                self._peer.close()

            def _connect(self) -> socket.socket:
                peer = socket.socket(socket.AF_UNIX)
                peer.settimeout(self._timeout)
                peer.connect(self._path)
                return peer

            def _call(self, method: str, params: dict[str, Any]) -> Any:
                self._last += 1
                meta = {"timeout_ms": max(1, int(self._timeout * 1000))}
                try:
                    _send(self._peer, self._last, method, params, meta)
                    while (answer := _receive(self._peer)).get("id") != self._last:
                        pass  # the late answer of a call that timed out
                except (OSError, EOFError):
                    # What arrives later must not count for another call.
                    self._peer.close()
                    self._peer = self._connect()
                    raise
                return _result(answer)

            def _stream(self, method: str, params: dict[str, Any]) -> Iterator[Any]:
                with self._connect() as peer:  # closing it ends the stream
                    peer.settimeout(None)
                    _send(peer, 1, method, params, {"stream": True, "window": 16})
                    while "method" in (message := _receive(peer)):
                        if message["method"] != "rpc.item":
                            continue
                        _write(peer, {"jsonrpc": "2.0", "method": "rpc.grant", "params": {"id": 1, "items": 1}})
                        yield _unpacked(message["params"]["item"])
                    _result(message)

        """
    }

    private func method(_ method: DeclaredMethod, _ types: inout DeclaredTypes) -> String {
        let name = method.name.capitalizedWords
        let result = types.type(of: method.result, named: name + (method.streams ? "Item" : "Result"))
        let parameters = method.parameters.map { parameter in
            let type = types.type(of: parameter.schema, named: name + parameter.name.capitalizedWords)
            return "\(parameter.name.pythonName): \(type)"
                + (parameter.isRequired ? "" : (type.hasSuffix(" | None") ? " = None" : " | None = None"))
        }
        let values = method.parameters.map { "\(JSONValue.string($0.name).json): \($0.name.pythonName)" }.joined(
            separator: ", ")
        let signature = (["self"] + (parameters.isEmpty ? [] : ["*"]) + parameters).joined(separator: ", ")
        let errors =
            method.errors.isEmpty ? "" : " Raises \(method.errors.map(\.capitalizedWords).joined(separator: ", "))."
        let (call, type) = method.streams ? ("_stream", "Iterator[\(result)]") : ("_call", result)
        return """
                def \(method.verb.pythonName)(\(signature)) -> \(type):
                    \"""\(method.summary)\(errors)\"""
                    return self.\(call)("\(method.name)", {\(values)})

            """
    }

    private static let tail = """


        def _send(peer: socket.socket, number: int, method: str, params: dict[str, Any], meta: dict[str, Any]) -> None:
            params = {name: _packed(value) for name, value in params.items() if value is not None}
            _write(peer, {"jsonrpc": "2.0", "id": number, "method": method, "params": params, "meta": meta})


        def _write(peer: socket.socket, message: dict[str, Any]) -> None:
            body = json.dumps(message).encode()
            peer.sendall(struct.pack(">I", len(body)) + body)  # the frame: kind 0 and the length, then the message


        def _receive(peer: socket.socket) -> dict[str, Any]:
            (length,) = struct.unpack(">I", _exactly(peer, 4))
            return json.loads(_exactly(peer, length))


        def _exactly(peer: socket.socket, count: int) -> bytes:
            data = bytearray()
            while len(data) < count:
                if not (more := peer.recv(min(count - len(data), 65536))):
                    raise EOFError("the service has closed the connection")
                data += more
            return bytes(data)


        def _result(answer: dict[str, Any]) -> Any:
            if "error" in answer:
                failure = Failure(answer["error"])
                raise FAILURES.get(failure.kind, Failure)(answer["error"])
            return _unpacked(answer["result"])


        def _packed(value: Any) -> Any:
            if isinstance(value, bytes):
                return {"$bytes": {"base64": base64.b64encode(value).decode(), "size": len(value), "crc32": zlib.crc32(value)}}
            if isinstance(value, dict):
                return {name: _packed(each) for name, each in value.items()}
            return [_packed(each) for each in value] if isinstance(value, list) else value


        def _unpacked(value: Any) -> Any:
            if isinstance(value, dict):
                if "$bytes" in value:
                    data = base64.b64decode(value["$bytes"]["base64"], validate=True)
                    if zlib.crc32(data) != value["$bytes"].get("crc32", zlib.crc32(data)):
                        raise ValueError("the bytes do not match their checksum")
                    return data
                return {name: _unpacked(each) for name, each in value.items()}
            return [_unpacked(each) for each in value] if isinstance(value, list) else value
        """
}

extension String {
    private static let pythonKeywords: Set = [
        "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except",
        "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass",
        "raise",
        "return", "self", "try", "while", "with", "yield", "close",
    ]

    /// A name that Python accepts.
    fileprivate var pythonName: String {
        let name = replacing(/[^A-Za-z0-9_]/, with: "_")
        return Self.pythonKeywords.contains(name) || name.first?.isNumber != false ? name + "_" : name
    }
}

extension JSONValue {
    fileprivate var pythonLiteral: String {
        switch self {
        case .null: "None"
        case .boolean(let value): value ? "True" : "False"
        default: json
        }
    }
}

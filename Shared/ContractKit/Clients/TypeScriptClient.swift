import JSON

/// A client in TypeScript for Node.js: its standard library only, and only syntax that can be stripped.
struct TypeScriptClient {
    private let contract: DeclaredContract

    /// What the command line called the contract.
    private let name: String

    init(_ contract: DeclaredContract, named name: String) { (self.contract, self.name) = (contract, name) }

    var text: String {
        var types = DeclaredTypes(Self.spelling)
        let methods = contract.methods.map { method($0, &types) }
        return ([head] + types.declarations.map(declaration) + [client] + methods + ["}", Self.tail]).joined(
            separator: "\n") + "\n"
    }

    private static let spelling = DeclaredTypes.Spelling(
        any: "unknown", bytes: "Uint8Array", null: "null",
        primitives: ["string": "string", "integer": "number", "number": "number", "boolean": "boolean"],
        literal: { $0.json }, literals: { "(\($0.joined(separator: " | ")))" }, array: { "Array<\($0)>" },
        dictionary: { "Record<string, \($0)>" })

    private var head: String {
        """
        // A client of the contract \(contract.name), version \(contract.version): length-prefixed JSON over a Unix socket.
        // Written by `gateway client typescript \(name)`. Needs Node.js and nothing else.
        import { connect, type Socket } from "node:net";

        const kinds: Record<number, string> = {\(ProtocolErrors.codes.map { "\"\($0.code)\": \"\($0.kind)\"" }.joined(separator: ", "))};

        /** An error of a call. Programs read `kind`; the message is for people. Declared: \(contract.errors.joined(separator: ", ")). */
        export class Failure extends Error {
          readonly kind: string;
          readonly code: number;
          readonly retryable: boolean;
          readonly begun: boolean;
          readonly details: unknown;

          constructor(error: any) {
            super(String(error?.message ?? ""));
            const data = typeof error?.data === "object" && error.data !== null ? error.data : {};
            this.code = Number(error?.code ?? -32603);
            this.kind = String(data.kind ?? kinds[this.code] ?? "internal");
            this.retryable = data.retryable === true;
            this.begun = data.begun !== false;
            this.details = data.details;
          }
        }

        """
    }

    private func declaration(_ declaration: DeclaredTypes.Declaration) -> String {
        let members = declaration.members.map { member in
            "  \(JSONValue.string(member.name).json)\(member.isRequired ? "" : "?"): \(member.type);"
        }
        return "export interface \(declaration.name) {\n" + members.joined(separator: "\n") + "\n}\n"
    }

    private func method(_ method: DeclaredMethod, _ types: inout DeclaredTypes) -> String {
        let name = method.name.capitalizedWords
        let result = types.type(of: method.result, named: name + (method.streams ? "Item" : "Result"))
        let params = types.type(of: method.params, named: name + "Params")
        let hasRequired = method.parameters.contains { $0.isRequired }
        let parameter = "params: \(params)\(hasRequired ? "" : " = {}")"
        let errors = method.errors.isEmpty ? "" : " Fails with \(method.errors.joined(separator: ", "))."
        let call =
            method.streams
            ? "  \(method.verb.scriptName)(\(parameter)): AsyncGenerator<\(result)> {\n    return this._stream(\"\(method.name)\", params) as AsyncGenerator<\(result)>;"
            : "  async \(method.verb.scriptName)(\(parameter)): Promise<\(result)> {\n    return (await this._call(\"\(method.name)\", params)) as \(result);"
        return "\n  /** \(method.summary)\(errors) */\n\(call)\n  }"
    }

    private var client: String {
        """
        /** Calls the service that listens on a socket, or the gateway in front of it. */
        export class Client {
          private readonly _path: string;
          private readonly _timeout: number;
          private _connection: Connection | undefined;
          private _last = 0;

          /** The timeout is in milliseconds. */
          constructor(path: string, timeout = 30_000) {
            this._path = path;
            this._timeout = timeout;
          }

          close(): void {
            this._connection?.close();
            this._connection = undefined;
          }

          private async _call(method: string, params: object): Promise<unknown> {
            if (!this._connection?.isOpen) this._connection = new Connection(this._path);
            const id = ++this._last;
            const meta = { timeout_ms: this._timeout };
            return unpacked(await this._connection.answer(id, { method, params: packed(params), meta }, this._timeout + 1_000));
          }

          private async *_stream(method: string, params: object): AsyncGenerator<unknown> {
            const connection = new Connection(this._path);
            try {
              const meta = { stream: true, window: 16 };
              const end = connection.answer(1, { method, params: packed(params), meta });
              end.catch(() => undefined); // a caller who leaves early does not wait for the end
              while (true) {
                const next = await Promise.race([connection.item(), end.then(() => undefined)]);
                const item = next ?? connection.takeItem();
                if (item === undefined) return;
                connection.send({ method: "rpc.grant", params: { id: 1, items: 1 } });
                yield unpacked(item.value);
              }
            } finally {
              connection.close();
            }
          }
        """
    }

    private static let tail = """

        type Waiting = { resolve: (result: unknown) => void; reject: (error: Error) => void };

        /** One connection: frames of four bytes of length and a JSON message. */
        class Connection {
          isOpen = true;
          private readonly socket: Socket;
          private received = Buffer.alloc(0);
          private readonly calls = new Map<unknown, Waiting>();
          private readonly items: Array<{ value: unknown }> = [];
          private wanted: Waiting | undefined;

          constructor(path: string) {
            this.socket = connect(path);
            this.socket.on("data", (bytes: Buffer) => this.receive(bytes));
            this.socket.on("error", (error: Error) => this.fail(error));
            this.socket.on("close", () => this.fail(new Error("the service has closed the connection")));
          }

          send(message: object): void {
            const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
            const header = Buffer.alloc(4);
            header.writeUInt32BE(body.length);
            this.socket.write(Buffer.concat([header, body]));
          }

          answer(id: number, request: object, timeout?: number): Promise<unknown> {
            return new Promise((resolve, reject) => {
              const timer = timeout === undefined ? undefined : setTimeout(() => this.fail(new Error("no answer in time")), timeout);
              this.calls.set(id, {
                resolve: (result) => { clearTimeout(timer); resolve(result); },
                reject: (error) => { clearTimeout(timer); reject(error); },
              });
              this.send({ id, ...request });
            });
          }

          /** The next item of the stream; it never ends by itself. */
          item(): Promise<{ value: unknown } | undefined> {
            const item = this.takeItem();
            if (item !== undefined) return Promise.resolve(item);
            return new Promise((resolve, reject) => {
              this.wanted = { resolve: () => resolve(this.takeItem()), reject };
            });
          }

          takeItem(): { value: unknown } | undefined {
            return this.items.shift();
          }

          close(): void {
            this.isOpen = false;
            this.socket.destroy();
          }

          private fail(error: Error): void {
            this.close();
            for (const call of this.calls.values()) call.reject(error);
            this.calls.clear();
          }

          private receive(bytes: Buffer): void {
            this.received = Buffer.concat([this.received, bytes]);
            while (this.received.length >= 4) {
              const end = 4 + this.received.readUInt32BE(0);
              if (this.received.length < end) return;
              const message = JSON.parse(this.received.subarray(4, end).toString());
              this.received = this.received.subarray(end);
              this.take(message);
            }
          }

          private take(message: any): void {
            if (message.method === "rpc.item") {
              this.items.push({ value: message.params.item });
              const wanted = this.wanted;
              this.wanted = undefined;
              wanted?.resolve(undefined);
              return;
            }
            const call = this.calls.get(message.id);
            this.calls.delete(message.id);
            if (message.error === undefined) call?.resolve(message.result);
            else call?.reject(new Failure(message.error));
          }
        }

        function packed(value: unknown): unknown {
          if (value instanceof Uint8Array) return { $bytes: { base64: Buffer.from(value).toString("base64"), size: value.length } };
          if (Array.isArray(value)) return value.map(packed);
          if (typeof value !== "object" || value === null) return value;
          return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, packed(each)]));
        }

        function unpacked(value: any): unknown {
          if (Array.isArray(value)) return value.map(unpacked);
          if (typeof value !== "object" || value === null) return value;
          if (value.$bytes === undefined) return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, unpacked(each)]));
          const data = Buffer.from(value.$bytes.base64, "base64");
          if (value.$bytes.size !== undefined && value.$bytes.size !== data.length) throw new Error("the bytes do not have their size");
          return new Uint8Array(data);
        }
        """
}

extension String {
    private static let scriptNames: Set = ["close", "constructor"]

    /// A name that does not hide a member of the client.
    fileprivate var scriptName: String {
        let name = replacing("-", with: "_")
        return Self.scriptNames.contains(name) ? name + "_" : name
    }
}

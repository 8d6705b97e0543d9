import JSON
import RPCTestKit
import Testing

@testable import RPC

/// An answer as received.
struct Answer {
    let text: String
    let id: String
    let result: String?
    let error: RPCError?
    let code: Int?

    init(_ text: String) throws {
        let parts = try RawJSON(checking: text).read(as: Parts.codec, refusingUnknownMembers: true)
        self.text = text
        id = parts.id.description
        result = parts.result?.description
        error = try parts.error?.read(as: RPCError.codec)
        code = try parts.error?.read(as: CodeOnly.codec).code
    }

    private struct Parts: Sendable {
        let version: RawJSON
        let id: RawJSON
        let result: RawJSON?
        let error: RawJSON?

        static let codec = Codec<Parts>.object { object in
            let version = object.required("jsonrpc", .any, \.version)
            let id = object.required("id", .any, \.id)
            let result = object.optional("result", .any, \.result)
            let error = object.optional("error", .any, \.error)
            return { members throws(JSONError) in
                Parts(
                    version: try members[version], id: try members[id], result: try members[result],
                    error: try members[error])
            }
        }
    }

    private struct CodeOnly: Sendable {
        let code: Int

        static let codec = Codec<CodeOnly>.object { object in
            let code = object.required("code", .integer(), \.code)
            return { members throws(JSONError) in CodeOnly(code: try members[code]) }
        }
    }
}

extension WirePeer {
    /// The next answer.
    func answer() async throws -> Answer { try Answer(try #require(try await receive())) }

    /// Sends a message and waits for the next answer.
    func answer(to text: String) async throws -> Answer {
        try await send(text)
        return try await answer()
    }

    /// Sends bytes and waits for the next answer.
    func answer(to bytes: [UInt8]) async throws -> Answer {
        try await send(bytes)
        return try await answer()
    }

    /// The answers of the next batch.
    func answers() async throws -> [Answer] {
        try RawJSON(checking: try #require(try await receive())).read(as: .array(of: .any)).map {
            try Answer($0.description)
        }
    }

    /// Sends a batch and waits for its answers.
    func answers(to text: String) async throws -> [Answer] {
        try await send(text)
        return try await answers()
    }

    /// Sends a message and compares the next answer, byte for byte.
    func expect(_ answer: String, to text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let received = try await exchange(text)
        #expect(received == answer, sourceLocation: sourceLocation)
    }

    /// The server's statistics.
    func statistics() async throws -> Statistics {
        let answer = try await answer(to: request("\"stats\"", "rpc.stats"))
        return try RawJSON(checking: try #require(answer.result)).read(as: Statistics.codec)
    }

    /// Checks that the connection is open and no unexpected message is pending.
    func expectAlive(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await expect(
            #"{"jsonrpc":"2.0","id":"alive?","result":{}}"#,
            to: #"{"jsonrpc":"2.0","id":"alive?","method":"rpc.ping"}"#,
            sourceLocation: sourceLocation)
    }

    /// Returns once the server has read everything that was sent to its event loop before, also on other connections, and knows
    /// which of them have ended. The first answer may be sent before the loop has handled all that it found when it polled its
    /// sockets; the second request is found by a later poll.
    func expectAllRead(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for _ in 1...2 { try await expectAlive(sourceLocation: sourceLocation) }
    }
}

/// Runs `body` with a plain connection to a server of the echo contract.
func withPeer(
    gate: Gate = Gate(), limits: Limits = Limits(), executor: LoopExecutor = .still,
    _ body: (WirePeer, TestServer) async throws -> Void
) async throws {
    try await TestServer.with(EchoContract.table(gate), limits: limits, executor: executor) { server in
        try await body(try await WirePeer.connect(to: server.path), server)
    }
}

/// A request of the echo contract.
func request(_ id: String, _ method: String, _ params: String = "{}") -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#
}

/// A request whose handler waits at the gate under this name.
func waiting(_ id: String, _ name: String, meta: String = "{}") -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"echo.wait","params":{"text":"\#(name)"},"meta":\#(meta)}"#
}

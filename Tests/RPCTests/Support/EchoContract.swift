import RPC
import Testing

/// A contract for trying the runtime.
enum EchoContract {
    struct Text: Sendable, Equatable {
        var text: String
        var count: Int?

        static let shape = Shape<Text>.object { object in
            let text = object.required("text", .string, \.text)
            let count = object.optional("count", .integer(1...100), \.count)
            return { members throws(JSONError) in Text(text: try members[text], count: try members[count]) }
        }
    }

    struct Size: Sendable, Equatable {
        var bytes: Int

        static let shape = Shape<Size>.object { object in
            let bytes = object.required("bytes", .integer(0...100_000_000), \.bytes)
            return { members throws(JSONError) in Size(bytes: try members[bytes]) }
        }
    }

    static let echo = Method("echo.say", "Say it again.", params: Text.shape, answer: Text.shape)
    static let wait = Method("echo.wait", "Wait until the gate is opened.", params: Text.shape, answer: Text.shape)
    static let fail = Method("echo.fail", "Fail.", params: Text.shape, answer: Text.shape, errors: [.notFound])
    static let grow = Method("echo.grow", "Answer with a text so long.", params: Size.shape, answer: Text.shape)
    static let trace = Method("echo.trace", "Answer with the trace.", params: Empty.shape, answer: Text.shape)

    static let contract = Contract(
        name: "echo", version: 1,
        methods: [echo.description, wait.description, fail.description, grow.description, trace.description])

    static var table: MethodTable { table(Gate()) }

    static func table(_ gate: Gate) -> MethodTable {
        var table = MethodTable(contract)
        table.handle(echo) { params, _ in params }
        table.handle(wait) { params, _ in
            try await gate.pass(params.text)
            return params
        }
        table.handle(fail) { params, _ in
            if let kind = ErrorKind(rawValue: params.text) { throw RPCError(kind, "on purpose") }
            if params.text == "cancellation" { throw CancellationError() }
            throw Secret(text: params.text)
        }
        table.handle(grow) { params, _ in Text(text: String(repeating: "x", count: params.bytes)) }
        table.handle(trace) { _, context in
            Text(text: [context.trace.parent, context.trace.state].compactMap(\.self).joined(separator: " "))
        }
        return table
    }

    /// An error that no caller may see.
    struct Secret: Error, Equatable {
        var text: String
    }
}

extension RPCClient {
    /// The client and its server work.
    func expectEcho(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let answer = try await call(EchoContract.echo, .init(text: "works?"))
        #expect(answer.text == "works?", sourceLocation: sourceLocation)
    }
}

import Foundation
import JSON
import RPC
import Testing

/// A contract for testing the runtime.
enum EchoContract {
    struct Text: Sendable, Equatable {
        var text: String
        var count: Int?

        static let codec = Codec<Text>.object { object in
            let text = object.required("text", .string, \.text)
            let count = object.optional("count", .integer(1...100), \.count)
            return { members throws(JSONError) in Text(text: try members[text], count: try members[count]) }
        }
    }

    struct Size: Sendable, Equatable {
        var bytes: Int

        static let codec = Codec<Size>.object { object in
            let bytes = object.required("bytes", .integer(0...100_000_000), \.bytes)
            return { members throws(JSONError) in Size(bytes: try members[bytes]) }
        }
    }

    static let echo = Method("echo.say", "Say it again.", params: Text.codec, answer: Text.codec)
    static let wait = Method("echo.wait", "Wait until the gate is opened.", params: Text.codec, answer: Text.codec)
    static let fail = Method("echo.fail", "Fail.", params: Text.codec, answer: Text.codec, errors: [.notFound])
    static let grow = Method("echo.grow", "Answer with a text of this size.", params: Size.codec, answer: Text.codec)
    static let trace = Method("echo.trace", "Answer with the trace.", params: Empty.codec, answer: Text.codec)

    /// Echoes bytes.
    static let bytes = Method("echo.bytes", "Give bytes back.", params: Blob.codec, answer: Blob.codec)

    /// Returns this many bytes.
    static let blob = Method("echo.blob", "Answer with this many bytes.", params: Size.codec, answer: Blob.codec)

    /// Items `0`, `1`, `2` …
    static let count = StreamMethod("echo.count", "Count.", params: Size.codec, item: Text.codec)

    /// Sends an item each time the gate is opened under `NAME 0`, `NAME 1` …
    static let follow = StreamMethod(
        "echo.follow", "Follow the gate.", params: Text.codec, item: Text.codec, errors: [.notFound])

    /// Sends items with bytes.
    static let blobs = StreamMethod("echo.blobs", "Blobs.", params: Size.codec, item: Blob.codec)

    struct Blob: Sendable, Equatable {
        var data: Bytes

        static let codec = Codec<Blob>.object { object in
            let data = object.required("data", Bytes.codec, \.data)
            return { members throws(JSONError) in Blob(data: try members[data]) }
        }

        /// Deterministic bytes, at most two million.
        static func of(_ count: Int) -> Blob { Blob(data: Bytes(pattern.prefix(count))) }

        private static let pattern = (0..<UInt64(250_001)).map { $0 &* 0x9E37_79B9_7F4A_7C15 }
            .withUnsafeBytes { Data($0) }
    }

    static let contract = Contract(
        name: "echo", version: 1,
        methods: [
            echo.description, wait.description, fail.description, grow.description, trace.description,
            bytes.description, blob.description, count.description, follow.description, blobs.description,
        ])

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
        table.handle(bytes) { params, _ in params }
        table.handle(blob) { params, _ in .of(params.bytes) }
        table.handle(count) { params, _, items in
            for number in 0..<params.bytes { try await items.send(Text(text: "\(number)")) }
        }
        table.handle(follow) { params, _, items in
            if let kind = ErrorKind(rawValue: params.text) { throw RPCError(kind, "on purpose") }
            for number in 0... {
                try await gate.pass("\(params.text) \(number)")
                try await items.send(Text(text: "\(number)"))
            }
        }
        table.handle(blobs) { params, _, items in
            for number in 0..<5 { try await items.send(.of(params.bytes + number)) }
        }
        return table
    }

    /// An error that must be hidden from callers.
    struct Secret: Error, Equatable {
        var text: String
    }
}

extension RPCClient {
    /// Checks that the client and its server work.
    func expectEcho(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let answer = try await call(EchoContract.echo, .init(text: "works?"))
        #expect(answer.text == "works?", sourceLocation: sourceLocation)
    }
}

import Foundation
import JSON
import NIOCore

@testable import RPC

/// The methods of the server in a script: one for every way in which an answer can arise.
enum FuzzMethods {
    struct Ask: Sendable {
        var size: Int
        var count: Int
        var data: Bytes?

        static let codec = Codec<Ask>.object { object in
            let size = object.required("size", .integer(0...1_000_000), \.size)
            let count = object.required("count", .integer(0...1_000), \.count)
            let data = object.optional("data", Bytes.codec, \.data)
            return { members throws(JSONError) in
                Ask(size: try members[size], count: try members[count], data: try members[data])
            }
        }
    }

    struct Blob: Sendable {
        var data: Bytes

        static let codec = Codec<Blob>.object { object in
            let data = object.required("data", Bytes.codec, \.data)
            return { members throws(JSONError) in Blob(data: try members[data]) }
        }
    }

    static let echo = Method("fuzz.echo", "Its bytes.", params: Ask.codec, answer: Ask.codec)
    static let text = Method("fuzz.text", "A long text.", params: Ask.codec, answer: Codec<String>.string)
    static let blob = Method("fuzz.blob", "Bytes.", params: Ask.codec, answer: Blob.codec)
    static let wait = Method("fuzz.wait", "At the gate.", params: Ask.codec, answer: Blob.codec)
    static let room = Method("fuzz.room", "Once there is room.", params: Ask.codec, answer: Blob.codec)
    static let fail = Method("fuzz.fail", "Fail.", params: Ask.codec, answer: Ask.codec, errors: [.notFound])
    static let items = StreamMethod("fuzz.items", "Items.", params: Ask.codec, item: Blob.codec)
    static let follow = StreamMethod("fuzz.follow", "Items through the gate.", params: Ask.codec, item: Blob.codec)

    /// The last two are forwarded.
    static let names = [
        echo.name, text.name, blob.name, wait.name, room.name, fail.name, items.name, follow.name, "other.echo",
        "rpc.stats",
    ]

    /// - Parameter gate: returns when the script releases the handler; throws when the task is cancelled.
    static func table(gate: @escaping @Sendable () async throws -> Void) -> MethodTable {
        var table = MethodTable()
        table.handle(echo) { ask, _ in ask }
        table.handle(text) { ask, _ in String(repeating: "x", count: ask.size) }
        table.handle(blob) { ask, _ in Blob(ask.size) }
        table.handle(wait) { ask, _ in
            try await gate()
            return Blob(ask.size)
        }
        table.handle(room) { ask, context in
            try await context.room.wait()
            return Blob(ask.size)
        }
        table.handle(fail) { ask, _ in throw RPCError(ask.count == 0 ? .notFound : .alreadyExists, "on purpose") }
        table.handle(items) { ask, _, items in
            for _ in 0..<ask.count { try await items.send(Blob(ask.size)) }
        }
        table.handle(follow) { ask, _, items in
            for _ in 0..<ask.count {
                try await gate()
                try await items.send(Blob(ask.size))
            }
        }
        table.isForwarded = { $0 == "other" }
        table.forward = { _, payload, _, completion in
            completion(.success(payload))
            return {}
        }
        table.forwardStream = { _, payload, _, items in
            for _ in 0..<3 { try await items.send(payload) }
        }
        return table
    }
}

extension FuzzMethods.Blob {
    fileprivate init(_ size: Int) { self.init(data: Bytes(Data(repeating: 7, count: size))) }
}

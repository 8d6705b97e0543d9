import Foundation
import JSON
import RPC

/// The methods with which a server shows what Tests/Contracts/protocol asks of streams, deadlines, cancellation and large
/// messages.
enum ConformanceContract {
    struct Value: Sendable {
        let value: RawJSON

        static let codec = Codec<Value>.object { object in
            let value = object.required("value", .any, \.value)
            return { members throws(JSONError) in Value(value: try members[value]) }
        }
    }

    /// One whole number under a name.
    struct Amount: Sendable {
        let amount: Int

        static func codec(_ name: String, _ range: ClosedRange<Int>) -> Codec<Amount> {
            .object { object in
                let amount = object.required(name, .integer(range), \.amount)
                return { members throws(JSONError) in Amount(amount: try members[amount]) }
            }
        }
    }

    /// One text under a name.
    struct Text: Sendable {
        let text: String

        static func codec(_ name: String) -> Codec<Text> {
            .object { object in
                let text = object.required(name, .string, \.text)
                return { members throws(JSONError) in Text(text: try members[text]) }
            }
        }
    }

    struct Blob: Sendable {
        let data: Bytes

        static let codec = Codec<Blob>.object { object in
            let data = object.required("data", Bytes.codec, \.data)
            return { members throws(JSONError) in Blob(data: try members[data]) }
        }
    }

    static let echo = Method("conformance.echo", "Return a value.", params: Value.codec, answer: Value.codec)
    static let fail = Method(
        "conformance.fail", "Fail with an error of this kind, of which only not_found is declared.",
        params: Text.codec("kind"), answer: Empty.codec, errors: [.notFound])
    static let sleep = Method(
        "conformance.sleep", "Answer after this time.", params: Amount.codec("ms", 0...3_600_000), answer: Empty.codec)
    static let text = Method(
        "conformance.text", "Return a text of this many x.", params: Amount.codec("size", 0...1_000_000),
        answer: Text.codec("text"))
    static let bytes = Method("conformance.bytes", "Return bytes.", params: Blob.codec, answer: Blob.codec)
    static let count = StreamMethod(
        "conformance.count", "Count from 0 to a number, without it.", params: Amount.codec("to", 0...1_000_000),
        item: Amount.codec("number", 0...1_000_000))

    static let contract = Contract(
        name: "conformance", version: 1,
        methods: [
            echo.description, fail.description, sleep.description, text.description, bytes.description,
            count.description,
        ])

    static var table: MethodTable {
        var table = MethodTable(contract)
        table.handle(echo) { params, _ in params }
        table.handle(fail) { params, _ in
            throw RPCError(ErrorKind(rawValue: params.text) ?? .internalError, "on purpose")
        }
        table.handle(sleep) { params, _ in
            try await Task.sleep(for: .milliseconds(params.amount))
            return Empty()
        }
        table.handle(text) { params, _ in Text(text: String(repeating: "x", count: params.amount)) }
        table.handle(bytes) { params, _ in params }
        table.handle(count) { params, _, items in
            for number in 0..<params.amount { try await items.send(Amount(amount: number)) }
        }
        return table
    }
}

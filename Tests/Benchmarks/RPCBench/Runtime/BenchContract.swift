import RPC

/// About 100 bytes there and 1 KB back.
enum BenchContract {
    struct Key: Sendable {
        let key: String

        static let shape = Shape<Key>.object { object in
            let key = object.required("key", .string, \.key)
            return { members throws(JSONError) in Key(key: try members[key]) }
        }
    }

    struct Value: Sendable {
        let value: String

        static let shape = Shape<Value>.object { object in
            let value = object.required("value", .string, \.value)
            return { members throws(JSONError) in Value(value: try members[value]) }
        }
    }

    static let get = Method("bench.get", "Get.", params: Key.shape, answer: Value.shape)

    static let key = Key(key: String(repeating: "k", count: 32))
    static let value = Value(value: String(repeating: "v", count: 960))

    /// What the same call takes on the wire.
    static let requestBytes = 104
    static let replyBytes = 1_024

    static var table: MethodTable {
        var table = MethodTable(Contract(name: "bench", version: 1, methods: [get.description]))
        table.handle(get) { _, _ in value }
        return table
    }
}

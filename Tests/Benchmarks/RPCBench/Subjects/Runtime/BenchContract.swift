import BenchKit
import JSON
import RPC

/// A trivial service that returns a text or bytes of the requested size.
enum BenchContract {
    struct Request: Sendable {
        let bytes: Int
        let key: String

        static let codec = Codec<Request>.object { object in
            let bytes = object.required("bytes", .integer(0 ... .max), \.bytes)
            let key = object.required("key", .string, \.key)
            return { members throws(JSONError) in Request(bytes: try members[bytes], key: try members[key]) }
        }

        /// A request with a key that makes it about as large as those of the other subjects.
        init(askingFor bytes: Int) { self.init(bytes: bytes, key: Self.padding) }

        /// A request of the given size, at least 20 bytes, with an empty reply.
        init(ofParams bytes: Int) {
            self.init(bytes: 0, key: String(repeating: "k", count: bytes - #"{"bytes":0,"key":""}"#.count))
        }

        private init(bytes: Int, key: String) {
            self.bytes = bytes
            self.key = key
        }

        private static let padding = String(
            repeating: "k", count: Load.requestBytes - #"{"bytes":1024,"key":""}"#.count)
    }

    struct Reply: Sendable {
        let value: String

        static let codec = Codec<Reply>.object { object in
            let value = object.required("value", .string, \.value)
            return { members throws(JSONError) in Reply(value: try members[value]) }
        }
    }

    struct Computed: Sendable {
        let value: Int

        static let codec = Codec<Computed>.object { object in
            let value = object.required("value", .integer(), \.value)
            return { members throws(JSONError) in Computed(value: try members[value]) }
        }
    }

    struct Blob: Sendable {
        let value: Bytes

        static let codec = Codec<Blob>.object { object in
            let value = object.required("value", Bytes.codec, \.value)
            return { members throws(JSONError) in Blob(value: try members[value]) }
        }
    }

    /// A waiting call, identified by its number.
    struct Wait: Sendable {
        let number: Int

        static let codec = Codec<Wait>.object { object in
            let number = object.required("number", .integer(0 ... .max), \.number)
            return { members throws(JSONError) in Wait(number: try members[number]) }
        }
    }

    struct WaitState: Sendable {
        let hasBegun: Bool

        /// The time at which its handler saw the cancellation, from `MonotonicTime`, which all processes share.
        var cancelledAt: Int64?

        static let codec = Codec<WaitState>.object { object in
            let hasBegun = object.required("has_begun", .boolean, \.hasBegun)
            let cancelledAt = object.optional("cancelled_at", .integer(), { $0.cancelledAt.map { Int($0) } })
            return { members throws(JSONError) in
                WaitState(hasBegun: try members[hasBegun], cancelledAt: try members[cancelledAt].map { Int64($0) })
            }
        }
    }

    static let get = Method("bench.get", "Get.", params: Request.codec, answer: Reply.codec)
    static let compute = Method("bench.compute", "Compute.", params: Empty.codec, answer: Computed.codec)
    static let blob = Method("bench.blob", "Get bytes.", params: Request.codec, answer: Blob.codec)
    static let wait = Method("bench.wait", "Wait to be cancelled.", params: Wait.codec, answer: Empty.codec)
    static let cancelled = Method(
        "bench.cancelled", "When a waiting call was cancelled.", params: Wait.codec, answer: WaitState.codec)

    static let contract = Contract(
        name: "bench", version: 1,
        methods: [get.description, compute.description, blob.description, wait.description, cancelled.description])

    /// The smallest reply that is sent as bytes beside the message.
    static let smallestBlob = 65_536
}

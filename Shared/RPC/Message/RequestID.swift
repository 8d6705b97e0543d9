import NIOCore

/// The id of a request: a string of at most 256 bytes, or an integer.
///
/// Two ids are the same when they mean the same; an answer repeats the id as its request spelled it.
struct RequestID: Sendable, Hashable {
    private enum Value: Hashable {
        case number(Int)
        /// In UTF-8: Swift strings are equal where their characters are, ids only where their code points are.
        case string([UInt8])
    }

    private let value: Value

    init(_ number: Int) {
        value = .number(number)
        spelling = RawJSON(unchecked: ByteBuffer(string: String(number)))
    }

    /// - Returns: nil when the text is neither an integer literal within 64 bits nor a string that is short enough.
    init?(_ text: RawJSON) {
        spelling = text
        let bytes = text.text.readableBytesView
        guard let first = bytes.first else { return nil }
        switch first {
        case UInt8(ascii: "\""):
            guard bytes.count - 2 <= Limits.idBytes, let string = try? text.read(as: .string) else { return nil }
            value = .string(Array(string.utf8))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            guard let number = Int(String(decoding: bytes, as: UTF8.self)) else { return nil }
            value = .number(number)
        default: return nil
        }
    }

    /// For a client that numbers its calls.
    var number: Int? {
        guard case .number(let number) = value else { return nil }
        return number
    }

    /// As its request spelled it.
    let spelling: RawJSON

    static func == (a: RequestID, b: RequestID) -> Bool { a.value == b.value }

    func hash(into hasher: inout Hasher) { hasher.combine(value) }

    static let shape = Shape<RawJSON>.any.map(
        into: { text throws(JSONError) in
            guard let id = RequestID(text) else {
                throw .refused("must be a string of at most \(Limits.idBytes) bytes or an integer, is \(text.brief)")
            }
            return id
        },
        from: \.spelling)
}

extension RawJSON {
    /// Its beginning, for a message about it.
    var brief: String {
        let maximum = 40
        let text = description
        return text.count <= maximum ? text : text.prefix(maximum) + "…"
    }
}

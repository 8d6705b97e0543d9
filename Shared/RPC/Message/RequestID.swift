import JSON

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

    /// Nil for a number that is spelled as we spell it.
    private let spelled: RawJSON?

    init(_ number: Int) {
        value = .number(number)
        spelled = nil
    }

    /// - Parameter text: one value of JSON.
    /// - Returns: nil when it is neither an integer literal within 64 bits nor a string that is short enough.
    private init?(_ text: UnsafeBufferPointer<UInt8>) {
        if text.first == UInt8(ascii: "\"") {
            var reader = JSONReader(trusting: text)
            guard text.count - 2 <= Limits.idBytes, let string = try? reader.string() else { return nil }
            value = .string(Array(string.utf8))
            spelled = RawJSON(unchecked: Array(text))
        } else {
            guard let number = WholeNumber.parse(digits: text) else { return nil }
            value = .number(number)
            spelled = number == 0 && text.count > 1 ? RawJSON(unchecked: Array(text)) : nil
        }
    }

    /// For a client that numbers its calls.
    var number: Int? {
        guard case .number(let number) = value else { return nil }
        return number
    }

    /// As its request spelled it.
    var spelling: RawJSON { RawJSON(self, as: Self.codec) }

    func write(to writer: inout JSONWriter) {
        switch (spelled, value) {
        case (let spelled?, _): writer.raw(spelled)
        case (nil, .number(let number)): writer.integer(number)
        case (nil, .string): preconditionFailure("a string is always kept as it was spelled")
        }
    }

    static func == (a: RequestID, b: RequestID) -> Bool { a.value == b.value }

    func hash(into hasher: inout Hasher) { hasher.combine(value) }

    static let codec = Codec<RequestID>(
        schema: JSONSchema(),
        read: { reader throws(JSONError) in
            let text = UnsafeBufferPointer(rebasing: reader.bytes[try reader.skipValue()])
            guard let id = RequestID(text) else {
                let text = RawJSON(unchecked: Array(text))
                throw .refused("must be a string of at most \(Limits.idBytes) bytes or an integer, is \(text.brief)")
            }
            return id
        },
        write: { $0.write(to: &$1) })
}

extension RawJSON {
    /// Its beginning, for a message about it.
    var brief: String {
        let maximum = 40
        let text = description
        return text.count <= maximum ? text : text.prefix(maximum) + "…"
    }
}

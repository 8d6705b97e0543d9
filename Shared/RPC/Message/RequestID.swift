import JSON

/// The id of a request: a string of at most 256 bytes, or an integer.
///
/// Ids are equal when their values are equal; an answer repeats the id as the request spelled it.
enum RequestID: Sendable, Hashable {
    /// In canonical spelling: the id of nearly every request, which needs no allocation.
    case number(Int)
    case spelled(Spelling)

    /// A string, or a number in another spelling.
    final class Spelling: Sendable {
        fileprivate let number: Int?
        /// UTF-8: Swift strings compare by canonical equivalence, ids by code points.
        fileprivate let string: [UInt8]
        fileprivate let text: RawJSON

        fileprivate init(number: Int? = nil, string: [UInt8] = [], text: RawJSON) {
            self.number = number
            self.string = string
            self.text = text
        }
    }

    init(_ number: Int) { self = .number(number) }

    /// - Parameter text: one JSON value.
    /// - Returns: nil unless it is an integer literal within 64 bits or a string within the limit.
    init?(_ text: UnsafeBufferPointer<UInt8>) {
        if text.first == UInt8(ascii: "\"") {
            var reader = JSONReader(trusting: text)
            guard text.count - 2 <= Limits.idBytes, let string = try? reader.string() else { return nil }
            self = .spelled(Spelling(string: Array(string.utf8), text: RawJSON(unchecked: Array(text))))
        } else {
            guard let number = WholeNumber.parse(digits: text) else { return nil }
            let isMinusZero = number == 0 && text.count > 1
            self =
                isMinusZero
                ? .spelled(Spelling(number: 0, text: RawJSON(unchecked: Array(text)))) : .number(number)
        }
    }

    /// The integer value, for a client that numbers its calls.
    var number: Int? {
        switch self {
        case .number(let number): number
        case .spelled(let spelling): spelling.number
        }
    }

    /// The id as the request spelled it.
    var spelling: RawJSON { RawJSON(self, as: Self.codec) }

    func write(to writer: inout JSONWriter) {
        switch self {
        case .number(let number): writer.integer(number)
        case .spelled(let spelling): writer.raw(spelling.text)
        }
    }

    static func == (a: RequestID, b: RequestID) -> Bool {
        switch (a, b) {
        case (.number(let a), .number(let b)): a == b
        default: a.number == b.number && a.string == b.string
        }
    }

    func hash(into hasher: inout Hasher) {
        if let number { hasher.combine(number) } else { hasher.combine(string) }
    }

    private var string: [UInt8] {
        guard case .spelled(let spelling) = self else { return [] }
        return spelling.string
    }

    static let codec = Codec<RequestID>(
        schema: JSONSchema(),
        read: { reader throws(JSONError) in
            let text = UnsafeBufferPointer(rebasing: reader.bytes[try reader.skipValue()])
            guard let id = RequestID(text) else { throw mismatch(text) }
            return id
        },
        write: { $0.write(to: &$1) })

    /// The error for a value that is not a valid id.
    static func mismatch(_ text: UnsafeBufferPointer<UInt8>) -> JSONError {
        let text = RawJSON(unchecked: Array(text))
        return .refused("must be a string of at most \(Limits.idBytes) bytes or an integer, is \(text.brief)")
    }
}

extension RawJSON {
    /// Its first bytes, for an error message.
    var brief: String {
        let maximum = 40
        // Enough for 40 characters of four bytes. Of the last, which may be cut, nothing is shown.
        let start = bytes.prefix(4 * maximum + 4)
        let text = String(decoding: start, as: UTF8.self)
        guard text.count > maximum || start.count < bytes.count else { return text }
        return text.prefix(min(maximum, text.count - 1)) + "…"
    }
}

import JSON

/// The id of a request: a string of at most 256 bytes, or an integer.
///
/// Two ids are the same when they mean the same; an answer repeats the id as its request spelled it.
enum RequestID: Sendable, Hashable {
    /// Spelled as we spell numbers: the id of nearly every request, which needs no memory of its own.
    case number(Int)
    case spelled(Spelling)

    /// A string, or a number that is not spelled as we spell it.
    final class Spelling: Sendable {
        fileprivate let number: Int?
        /// In UTF-8: Swift strings are equal where their characters are, ids only where their code points are.
        fileprivate let string: [UInt8]
        fileprivate let text: RawJSON

        fileprivate init(number: Int? = nil, string: [UInt8] = [], text: RawJSON) {
            self.number = number
            self.string = string
            self.text = text
        }
    }

    init(_ number: Int) { self = .number(number) }

    /// - Parameter text: one value of JSON.
    /// - Returns: nil when it is neither an integer literal within 64 bits nor a string that is short enough.
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

    /// For a client that numbers its calls.
    var number: Int? {
        switch self {
        case .number(let number): number
        case .spelled(let spelling): spelling.number
        }
    }

    /// As its request spelled it.
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

    /// Why a value is no id.
    static func mismatch(_ text: UnsafeBufferPointer<UInt8>) -> JSONError {
        let text = RawJSON(unchecked: Array(text))
        return .refused("must be a string of at most \(Limits.idBytes) bytes or an integer, is \(text.brief)")
    }
}

extension RawJSON {
    /// Its beginning, for a message about it.
    var brief: String {
        let maximum = 40
        let text = description
        return text.count <= maximum ? text : text.prefix(maximum) + "…"
    }
}

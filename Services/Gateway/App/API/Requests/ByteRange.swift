/// The value of a `Range` field (RFC 9110 §14.2).
enum ByteRange: Equatable {
    /// The whole image. Also for several ranges, which a server may ignore, and for an invalid value.
    case whole
    case part(Range<Int>)
    /// The range is beyond the end.
    case unsatisfiable

    /// - Parameter size: the size of the image in bytes, above 0.
    init(_ field: String, size: Int) {
        let unit = field.prefix { $0 != "=" }
        let bounds = field.dropFirst(unit.count + 1).split(separator: "-", omittingEmptySubsequences: false)
        guard unit.lowercased() == "bytes", bounds.count == 2 else {
            self = .whole
            return
        }
        switch (Self.number(bounds[0]), Self.number(bounds[1])) {
        case (.number(let first), .nothing) where first < size: self = .part(first..<size)
        case (.number(let first), .number(let last)) where first <= last && first < size:
            self = .part(first..<min(last, size - 1) + 1)
        case (.number(let first), .number(let last)) where first > last: self = .whole
        case (.number, .nothing), (.number, .number): self = .unsatisfiable
        case (.nothing, .number(0)): self = .unsatisfiable
        case (.nothing, .number(let count)): self = .part(max(0, size - count)..<size)
        default: self = .whole
        }
    }

    private enum Bound {
        case nothing
        case number(Int)
        case nonsense
    }

    private static func number(_ text: Substring) -> Bound {
        let text = text.drop { $0 == " " }.prefix { $0 != " " }
        guard !text.isEmpty else { return .nothing }
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return .nonsense }
        // A number that overflows `Int` is beyond the end of any image.
        return .number(Int(text) ?? .max)
    }
}

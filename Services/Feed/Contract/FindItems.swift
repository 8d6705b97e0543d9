import EdgeModel
import Foundation
import JSON
import RPC

/// Parameters of `feed.find`.
public struct FindItems: Sendable, Hashable {
    /// The items whose ids begin with it are wanted.
    public let prefix: IDPrefix

    public init(prefix: IDPrefix) { self.prefix = prefix }

    public static let codec = Codec<FindItems>.object { object in
        let prefix = object.required(
            "prefix", IDPrefix.codec, \.prefix, "4 to 32 hexadecimal digits; hyphens do not count.")
        return { members throws(JSONError) in FindItems(prefix: try members[prefix]) }
    }
}

/// The answer of `feed.find`.
public struct MatchingItems: Sendable, Equatable {
    /// In the order of their ids, at most `maximumCount`.
    public let items: [FeedItem]

    public init(items: [FeedItem]) { self.items = items }

    /// Enough to show that a prefix is too short.
    public static let maximumCount = 10

    public static let codec = Codec<MatchingItems>.object { object in
        let items = object.required(
            "items", .array(of: FeedItem.codec), \.items, "In the order of their ids, at most 10.")
        return { members throws(JSONError) in MatchingItems(items: try members[items]) }
    }
}

/// The beginning of an id: 4 to 32 hexadecimal digits in either case. Hyphens do not count.
public struct IDPrefix: Sendable, Hashable {
    /// In upper case and without hyphens.
    public let digits: String

    public static let lengths = 4...32

    /// Nil for a text of another form.
    public init?(_ text: String) {
        guard text.utf8.count <= 36 else { return nil }
        digits = text.uppercased().replacing("-", with: "")
        guard Self.lengths.contains(digits.utf8.count),
            digits.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit })
        else { return nil }
    }

    /// The ids that begin with it.
    public var ids: ClosedRange<UUID> { id(filledWith: 0x0)...id(filledWith: 0xF) }

    private func id(filledWith digit: Int) -> UUID {
        let values = digits.compactMap(\.hexDigitValue) + Array(repeating: digit, count: 32 - digits.count)
        let bytes = stride(from: 0, to: 32, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
        return UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }

    public static let codec = Codec<String>.string.map(
        describedAs: ["pattern": .string("^(-*[0-9A-Fa-f]){4,32}-*$"), "maxLength": .integer(36)],
        into: { text throws(JSONError) in
            guard let prefix = IDPrefix(text) else { throw .refused("must be 4 to 32 hexadecimal digits") }
            return prefix
        }, from: \.digits)
}

import Foundation

/// The SHA-256 of an image's bytes: what they are called whatever URL they came from.
public struct ContentHash: Hashable, Sendable {
    /// How many bytes a SHA-256 has.
    public static let size = 32

    public let bytes: Data

    /// - Parameter bytes: 32 of them, else there is no hash.
    public init?(_ bytes: Data) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }

    /// In lower-case hexadecimal.
    public var hex: String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// The URL of bytes that nobody has given one.
    public var urn: String { Self.urnPrefix + hex }

    private static let urnPrefix = "urn:sha256:"

    /// Whether these bytes may be kept under `url`: a URL that states a hash must state this one.
    public func canBeNamed(_ url: String) -> Bool {
        !url.lowercased().hasPrefix(Self.urnPrefix) || url == urn
    }
}

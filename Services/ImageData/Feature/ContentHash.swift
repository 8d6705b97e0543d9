import Foundation

/// The SHA-256 of an image's bytes, which identifies them independently of a URL.
public struct ContentHash: Hashable, Sendable {
    /// The size of a SHA-256 in bytes.
    public static let size = 32

    public let bytes: Data

    /// - Parameter bytes: 32 bytes; for any other number the initialiser returns nil.
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

    /// The URL of bytes that were put without a URL.
    public var urn: String { Self.urnPrefix + hex }

    private static let urnPrefix = "urn:sha256:"

    /// Whether these bytes may be stored under `url`: a URL that contains a hash must contain this one.
    public func canBeNamed(_ url: String) -> Bool {
        !url.lowercased().hasPrefix(Self.urnPrefix) || url == urn
    }
}

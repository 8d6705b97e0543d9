import Crypto
import Foundation

/// The bearer token that permits comments over HTTP. It is stored as a hash, so that no log or dump can contain it.
struct WriteToken: Sendable {
    private let hash: SHA256.Digest

    /// The length of a token in characters. A shorter one could be guessed.
    static let length = 16...1_024

    /// - Returns: nil unless the text has 16 to 1,024 visible ASCII characters. White space around it is ignored.
    init?(_ text: String) {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard Self.length.contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        hash = SHA256.hash(data: Data(text.utf8))
    }

    /// Compares in constant time.
    func matches(_ text: String) -> Bool { SHA256.hash(data: Data(text.utf8)) == hash }
}

import Crypto
import Foundation

/// The bearer token that permits comments over HTTP. It is stored as a hash, so that no log or dump can contain it.
struct WriteToken: Sendable {
    private let hash: SHA256.Digest

    /// The length of a token in characters. A shorter one could be guessed.
    static let length = 16...1_024

    /// What a token has, for the operator.
    static let description =
        "16 to 1024 letters, digits and -._~+/=; make one with: openssl rand -hex 24"

    /// - Returns: nil unless the text has 16 to 1,024 of the characters that RFC 6750 permits: letters, digits and `-._~+/=`.
    ///   White space around it, and the byte order mark that some editors write, are ignored.
    init?(_ text: String) {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines.union(["\u{FEFF}"]))
        guard Self.length.contains(text.utf8.count), text.wholeMatch(of: /[A-Za-z0-9\-._~+\/=]*/) != nil else {
            return nil
        }
        hash = SHA256.hash(data: Data(text.utf8))
    }

    /// Compares in constant time.
    func matches(_ text: String) -> Bool { SHA256.hash(data: Data(text.utf8)) == hash }
}

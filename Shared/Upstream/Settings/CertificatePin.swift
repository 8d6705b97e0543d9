import Crypto
import Foundation

/// The public key of a host's own certificate: `host=sha256/BASE64`, with the hash of the key's SubjectPublicKeyInfo
/// (RFC 7469). Several pins of a host are alternatives, such as the current key and the next one.
public struct CertificatePin: Hashable, Sendable, CustomStringConvertible {
    let host: Host
    let hash: Data

    /// - Throws: `UpstreamOptionError`.
    public init(_ text: String) throws(UpstreamOptionError) {
        let parts = text.split(separator: "=", maxSplits: 1)
        let prefix = "sha256/"
        guard parts.count == 2, parts[1].hasPrefix(prefix),
            let hash = Data(base64Encoded: String(parts[1].dropFirst(prefix.count))),
            hash.count == SHA256.byteCount
        else {
            throw UpstreamOptionError(
                "\"\(text)\" is no valid pin: write HOST=sha256/BASE64, the SHA-256 of the public key (44 characters)")
        }
        do throws(UpstreamError) {
            host = try Host(parts[0])
        } catch {
            throw UpstreamOptionError("\"\(text)\": \(error)")
        }
        self.hash = hash
    }

    /// The syntax of the option.
    public var description: String { "\(host)=sha256/\(hash.base64EncodedString())" }
}

import Crypto
import Foundation
import NIOSSL

/// Checks a server's certificate in addition to NIOSSL: it must contain the requested name and have a pinned key.
///
/// NIOSSL verifies the chain, its dates and its purposes. But for a requested name it also accepts a certificate for the
/// *address* of the connection. Then an attacker who forges the DNS answer would only need a certificate for its own address.
/// NIOSSL also accepts a common name, which authorities no longer check.
struct ServerIdentity: Sendable {
    let host: Host

    /// The SHA-256 hashes of the pinned keys, of which the certificate must have one; nil for a host without pins.
    let pins: Set<Data>?

    /// - Parameter certificate: the server's own certificate, which NIOSSL has verified.
    /// - Throws: `tls` when it is not for the host, `pinMismatch` when its key is not pinned.
    func check(_ certificate: NIOSSLCertificate) throws(UpstreamError) {
        if case .name(let name) = host, !certificate.dnsNames.contains(where: { Self.matches($0, name) }) {
            throw .tls(host: "\(host)", reason: Self.otherName)
        }
        guard let pins else { return }
        let hash: Data
        do {
            hash = Data(SHA256.hash(data: try certificate.extractPublicKey().toSPKIBytes()))
        } catch {
            throw .tls(host: "\(host)", reason: "the key of its certificate cannot be read: \(error)")
        }
        guard pins.contains(hash) else { throw .pinMismatch(host: "\(host)") }
    }

    static let otherName = "its certificate is for another name or address"

    /// Whether a name in a certificate matches a host name (RFC 6125, section 6.4). A wildcard must be the whole first label,
    /// followed by at least two labels.
    /// - Parameter name: the host name in lower case, without a final dot.
    static func matches(_ pattern: String, _ name: String) -> Bool {
        let pattern = pattern.lowercased()
        guard pattern.hasPrefix("*.") else { return pattern == name }
        let parent = pattern.dropFirst(2)
        guard parent.contains("."), let dot = name.firstIndex(of: "."), dot > name.startIndex else { return false }
        return name[name.index(after: dot)...] == parent
    }
}

extension NIOSSLCertificate {
    /// The DNS names among the subject's alternative names. (NIOSSL has no public accessor without an underscore.)
    fileprivate var dnsNames: [String] {
        _subjectAlternativeNames().filter { $0.nameType == .dnsName }.map {
            String(decoding: $0.contents, as: UTF8.self)
        }
    }
}

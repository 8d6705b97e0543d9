import Crypto
import Foundation

/// The sessions of browsers that have sent the token for writing.
///
/// A browser sends a cookie to each server on the same host, whatever its port. So the cookie has no token, but a session: a random
/// text that expires, and that only this process has signed. Nothing is stored for it.
struct Sessions: Sendable {
    /// The name of the cookie. Deployments on one host have different ones.
    let cookieName: String

    private let key = SymmetricKey(size: .bits256)

    /// How long a session permits writing.
    static let lifetime: TimeInterval = 30 * 86_400

    /// - Parameter deployment: what distinguishes the deployment on its host: the path of its folder.
    init(deployment: String) {
        cookieName = "session-" + Self.hex(SHA256.hash(data: Data(deployment.utf8)).prefix(4))
    }

    /// A new session: the second of its end, random bytes and the signature.
    func begin(_ now: Date) -> String {
        let end = Int(now.timeIntervalSince1970 + Self.lifetime)
        let random = SymmetricKey(size: .bits128).withUnsafeBytes { Self.hex($0) }
        let content = "\(end).\(random)"
        return content + "." + Self.hex(HMAC<SHA256>.authenticationCode(for: Data(content.utf8), using: key))
    }

    /// Whether this process has begun the session, and it has not ended.
    func isValid(_ session: String, _ now: Date) -> Bool {
        guard let dot = session.lastIndex(of: "."),
            let end = session.prefix(while: { $0 != "." }).wholeMatch(of: /\d{1,12}/).flatMap({ Int($0.output) }),
            let signature = Self.bytes(session[session.index(after: dot)...])
        else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(
            signature, authenticating: Data(session[..<dot].utf8), using: key)
            && now.timeIntervalSince1970 < Double(end)
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
    }

    private static func bytes(_ hex: Substring) -> Data? {
        let digits = hex.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == 64 else { return nil }
        var bytes = Data()
        for pair in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[pair], let low = digits[pair + 1] else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }
}

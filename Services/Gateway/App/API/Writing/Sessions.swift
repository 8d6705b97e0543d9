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

    /// How far the clock may be set back before a session counts as ended. After a longer step back the clock was wrong before, and
    /// the session would be valid for years.
    static let longestStepBack: TimeInterval = 86_400

    /// - Parameter deployment: what distinguishes the deployment on its host: the path of its folder.
    init(deployment: String) {
        // A name has no characters of Base64.
        let number = SHA256.hash(data: Data(deployment.utf8)).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
        cookieName = "session-\(number)"
    }

    /// A new session: the second of its end, random bytes and the signature.
    func begin(_ now: Date) -> String {
        let random = SymmetricKey(size: .bits128).withUnsafeBytes { Data($0) }
        return signed("\(Int(now.timeIntervalSince1970 + Self.lifetime)).\(random.base64EncodedString())")
    }

    /// Whether one of the cookies is a valid session.
    func hasValid(_ cookies: Cookies, _ now: Date) -> Bool {
        cookies.all(cookieName).contains { isValid($0, now) }
    }

    /// Whether this process has begun the session, and it has not ended.
    func isValid(_ session: String, _ now: Date) -> Bool {
        let parts = session.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let end = Int(parts[0]) else { return false }
        // Digests compare in constant time.
        let expected = SHA256.hash(data: Data(signed("\(parts[0]).\(parts[1])").utf8))
        let remaining = end.subtractingReportingOverflow(Int(now.timeIntervalSince1970))
        return SHA256.hash(data: Data(session.utf8)) == expected && !remaining.overflow
            && (1...Int(Self.lifetime + Self.longestStepBack)).contains(remaining.partialValue)
    }

    private func signed(_ content: String) -> String {
        let signature = HMAC<SHA256>.authenticationCode(for: Data(content.utf8), using: key)
        return "\(content).\(Data(signature).base64EncodedString())"
    }
}

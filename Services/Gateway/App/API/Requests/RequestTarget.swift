import Foundation
import RPC

/// The target in the first line of a request.
struct RequestTarget: Equatable {
    /// The decoded parts of the path; empty parts are dropped.
    let path: [String]
    let query: String

    /// - Parameter text: in origin form (`/v1/feed?limit=3`) or absolute form (`http://host/v1/feed`).
    /// - Throws: `invalid_request` for anything else, a URL without a host included (RFC 9110 §4.2.1).
    init(_ text: String) throws(RPCError) {
        let rest = try Self.withoutAuthority(text)
        guard rest.isEmpty || rest.hasPrefix("/") || rest.hasPrefix("?") else {
            throw RPCError(.invalidRequest, "the target of a request must be a path or a URL")
        }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var path: [String] = []
        for part in parts.first?.split(separator: "/") ?? [] {
            // Most parts have no escapes, and decoding is the slowest step.
            guard let decoded = part.utf8.contains(UInt8(ascii: "%")) ? part.removingPercentEncoding : String(part)
            else {
                throw RPCError(.invalidRequest, "the path has an invalid percent-encoding")
            }
            path.append(decoded)
        }
        self.path = path
        query = parts.count > 1 ? String(parts[1]) : ""
    }

    /// The target below a path; nil if it is not there.
    func below(_ base: String) -> RequestTarget? {
        guard !base.isEmpty else { return nil }
        let base = base.split(separator: "/").map { $0.removingPercentEncoding ?? String($0) }
        guard path.starts(with: base) else { return nil }
        return RequestTarget(path: Array(path.dropFirst(base.count)), query: query)
    }

    private init(path: [String], query: String) { (self.path, self.query) = (path, query) }

    private static func withoutAuthority(_ text: String) throws(RPCError) -> Substring {
        guard text.utf8.first != UInt8(ascii: "/") else { return text[...] }
        for scheme in ["http://", "https://"] where text.prefix(scheme.count).lowercased() == scheme {
            let rest = text.dropFirst(scheme.count)
            let authority = rest.prefix { $0 != "/" && $0 != "?" }
            guard HostField.isAuthority(String(authority)) else {
                throw RPCError(.invalidRequest, "the URL of a request must have a host, optionally with a port")
            }
            return rest[authority.endIndex...]
        }
        return text[...]
    }
}

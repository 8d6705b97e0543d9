import Crypto
import Foundation
import ServiceKit
import Upstream

extension Root {
    /// The path of a service's cache of an upstream. Every upstream has its own file, so that their answers never mix.
    public func store(_ service: String, of upstream: UpstreamBase) -> String {
        // A slash at the end makes no difference.
        let base = upstream.description.reversed().drop { $0 == "/" }.reversed()
        let digest = SHA256.hash(data: Data(String(base).utf8)).prefix(Self.digestBytes)
        return store("\(service)-edge-\(digest.map { String(format: "%02x", $0) }.joined())")
    }

    private static let digestBytes = 8
}

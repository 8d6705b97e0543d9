import JSON
import RPC

extension FeedItem {
    /// The codec of the image URL of a published item. It rejects URLs that can never be fetched, whatever a deployment
    /// allows.
    public static let authoredImage = Codec.uri(schemes: imageSchemes, maximumBytes: maximumImage).map(
        into: { url throws(JSONError) in
            guard hasPossibleHash(url) else {
                throw .refused("must have 64 lower-case hexadecimal digits after \(hashPrefix)")
            }
            guard hasPossiblePort(url) else {
                throw .refused("must be a URL without a port or with a port from 1 to 65535")
            }
            return url
        },
        from: { $0 })

    /// The prefix of a URL that names bytes by their SHA-256.
    private static let hashPrefix = "urn:sha256:"

    private static func hasPossibleHash(_ url: String) -> Bool {
        guard url.lowercased().hasPrefix(hashPrefix) else { return true }
        let digits = url.utf8.dropFirst(hashPrefix.utf8.count)
        return url.hasPrefix(hashPrefix) && digits.count == 64
            && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static func hasPossiblePort(_ url: String) -> Bool {
        guard let start = url.firstRange(of: "://")?.upperBound else { return true }
        let authority = url[start...].prefix { !"/?#".contains($0) }
        // Skips the colons of an IPv6 address, which are inside the brackets, and that of a password, which is before
        // the @.
        let host = authority[(authority.lastIndex { $0 == "]" || $0 == "@" } ?? authority.startIndex)...]
        guard let colon = host.lastIndex(of: ":") else { return true }
        let port = host[host.index(after: colon)...]
        return port.utf8.allSatisfy { (0x30...0x39).contains($0) } && (1...65_535).contains(Int(port) ?? 0)
    }
}

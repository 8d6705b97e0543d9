import JSON
import RPC

extension FeedItem {
    /// The URL of an image as an author may give it. Refuses what can never lead to a picture, whatever a deployment allows.
    public static let authoredImage = Codec.uri(schemes: imageSchemes, maximumBytes: maximumImage).map(
        into: { url throws(JSONError) in
            guard hasPossibleHash(url) else {
                throw .refused("must have 64 lower-case hexadecimal digits behind \(hashPrefix)")
            }
            guard hasPossiblePort(url) else {
                throw .refused("must be a URL with a port from 1 to 65535, or with none")
            }
            return url
        },
        from: { $0 })

    /// What begins the URL of bytes that are named by their SHA-256.
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
        // The colons of an IPv6 address stand inside its brackets, that of a password before the @.
        let host = authority[(authority.lastIndex { $0 == "]" || $0 == "@" } ?? authority.startIndex)...]
        guard let colon = host.lastIndex(of: ":") else { return true }
        let port = host[host.index(after: colon)...]
        return port.utf8.allSatisfy { (0x30...0x39).contains($0) } && (1...65_535).contains(Int(port) ?? 0)
    }
}

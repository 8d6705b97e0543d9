extension HTTPURL {
    /// Resolves a `Location` relative to this URL (RFC 3986, section 5.2).
    /// - Throws: `refused` for a URL that is not allowed, and for a downgrade from https to http.
    func resolving(_ reference: String, limit: Int) throws(UpstreamError) -> HTTPURL {
        let url = try HTTPURL(absolute(reference), limit: limit)
        if origin.scheme == .https, url.origin.scheme == .http {
            throw .refused(.downgrade(to: "\(url)"))
        }
        return url
    }

    private func absolute(_ reference: String) -> String {
        if Self.hasScheme(reference) { return reference }
        if reference.hasPrefix("//") { return "\(origin.scheme):\(reference)" }
        if reference.hasPrefix("/") { return "\(origin)\(reference)" }
        let path = target.prefix { $0 != "?" }
        if reference.isEmpty || reference.hasPrefix("#") { return "\(self)" }
        if reference.hasPrefix("?") { return "\(origin)\(path)\(reference)" }
        let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
        let own = reference.prefix { !"?#".contains($0) }
        return "\(origin)\(Self.removingDots(folder + own))\(reference[own.endIndex...])"
    }

    /// Whether the reference begins with a scheme.
    private static func hasScheme(_ reference: String) -> Bool {
        guard let colon = reference.firstIndex(where: { ":/?#".contains($0) }), reference[colon] == ":" else {
            return false
        }
        return reference.first?.isLetter == true
    }

    private static func removingDots(_ path: Substring) -> String {
        var kept: [Substring] = []
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for segment in segments {
            switch segment {
            case ".": continue
            case "..": _ = kept.popLast()
            default: kept.append(segment)
            }
        }
        if let last = segments.last, last == "." || last == ".." { kept.append("") }
        return "/" + kept.joined(separator: "/")
    }
}

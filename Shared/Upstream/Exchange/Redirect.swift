/// Which responses lead elsewhere, and where.
enum Redirect {
    static let statuses: Set<UInt> = [301, 302, 303, 307, 308]

    /// - Returns: nil for a response that is the end of the way.
    /// - Throws: `malformed` for a redirect to nowhere or to several places, `refused` for one to where none may lead.
    static func target(
        of response: UpstreamResponse, from url: HTTPURL, limit: Int
    ) throws(UpstreamError) -> HTTPURL? {
        guard statuses.contains(UInt(response.status)) else { return nil }
        let locations = response.headers.all("Location")
        guard let location = locations.first, locations.count == 1 else {
            throw .malformed("a redirect with \(locations.count) Location headers")
        }
        return try url.resolving(location, limit: limit)
    }
}

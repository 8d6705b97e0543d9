/// Recognises redirects and finds their targets.
enum Redirect {
    static let statuses: Set<UInt> = [301, 302, 303, 307, 308]

    /// - Returns: nil for a response that is not a redirect.
    /// - Throws: `malformed` unless the redirect has exactly one Location; `refused` if the target is not allowed.
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

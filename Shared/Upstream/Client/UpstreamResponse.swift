import Foundation

/// A response of any status. Redirects have been followed.
public struct UpstreamResponse: Sendable, Equatable {
    public let status: Int

    /// The headers. For an inflated body, without those of the compressed bytes (Content-Encoding, Content-Length).
    public let headers: UpstreamHeaders

    /// The body, inflated if it was compressed.
    public let body: Data

    /// The URL after all redirects, normalised.
    public let url: String

    public init(status: Int, headers: UpstreamHeaders, body: Data, url: String) {
        self.status = status
        self.headers = headers
        self.body = body
        self.url = url
    }
}

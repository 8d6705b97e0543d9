import Foundation

/// The answer of a server, of any status. Redirects have been followed.
public struct UpstreamResponse: Sendable, Equatable {
    public let status: Int

    /// Of a body that came compressed, without what described the compressed bytes (Content-Encoding, Content-Length).
    public let headers: UpstreamHeaders

    /// Inflated, where it came compressed.
    public let body: Data

    /// Where it came from in the end, in one spelling.
    public let url: String

    public init(status: Int, headers: UpstreamHeaders, body: Data, url: String) {
        self.status = status
        self.headers = headers
        self.body = body
        self.url = url
    }
}

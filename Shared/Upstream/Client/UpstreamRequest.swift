/// A GET request.
public struct UpstreamRequest: Sendable {
    public var url: String

    /// Headers in addition to those that the client sends itself (Host, Accept-Encoding, User-Agent, which may be set, and
    /// Connection). A redirect to another scheme, host or port carries only headers that reveal nothing about the caller.
    public var headers: UpstreamHeaders

    /// The maximum size of the body in bytes, compressed and inflated; nil for the client's limit.
    public var maximumBodyBytes: Int?

    /// Whether the server may compress the body. A compressed body cannot be resumed.
    public var acceptsCompression: Bool

    /// The time limit of the whole request, redirects included; nil for the client's limit. The lower of the two applies.
    public var totalTime: Duration?

    /// Receives the body as it arrives, if its type is the stream's. Then the response has no body.
    public var stream: UpstreamStream?

    public init(
        url: String, headers: UpstreamHeaders = [:], maximumBodyBytes: Int? = nil, acceptsCompression: Bool = true,
        totalTime: Duration? = nil, stream: UpstreamStream? = nil
    ) {
        self.url = url
        self.headers = headers
        self.maximumBodyBytes = maximumBodyBytes
        self.acceptsCompression = acceptsCompression
        self.totalTime = totalTime
        self.stream = stream
    }
}

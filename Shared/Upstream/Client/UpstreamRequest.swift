/// A GET.
public struct UpstreamRequest: Sendable {
    public var url: String

    /// In addition to what the client sends by itself (Host, Accept-Encoding, User-Agent, which may be set, and
    /// Connection). To another scheme, host or port than that of `url`, redirects carry on those only that tell nothing
    /// about the caller.
    public var headers: UpstreamHeaders

    /// The most bytes of the body, compressed and inflated; nil for the client's limit.
    public var maximumBodyBytes: Int?

    /// Whether the body may come compressed. One that did cannot be resumed.
    public var acceptsCompression: Bool

    /// The longest time for the whole, redirects included; nil for the client's limit, which it cannot exceed.
    public var totalTime: Duration?

    public init(
        url: String, headers: UpstreamHeaders = [:], maximumBodyBytes: Int? = nil, acceptsCompression: Bool = true,
        totalTime: Duration? = nil
    ) {
        self.url = url
        self.headers = headers
        self.maximumBodyBytes = maximumBodyBytes
        self.acceptsCompression = acceptsCompression
        self.totalTime = totalTime
    }
}

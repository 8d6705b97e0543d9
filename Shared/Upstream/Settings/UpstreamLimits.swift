/// The limits of the client, with their defaults.
public struct UpstreamLimits: Sendable {
    /// The default of `urlBytes`.
    public static let defaultURLBytes = 2_048

    /// The maximum size in bytes of a URL from a caller, and of a redirect's target. The latter is larger, because storage
    /// services redirect to long signed URLs.
    public var urlBytes = defaultURLBytes
    public var redirectBytes = 8 * 1_024

    /// The maximum number of redirects.
    public var redirects = 5

    /// The maximum size in bytes of all headers of a response together, and their maximum number.
    public var headerBytes = 32 * 1_024
    public var headerCount = 100

    /// The maximum size of a body in bytes, compressed and inflated, unless the request sets another. The default is the largest
    /// answer of our own HTTP API: 16 MiB of comments and the JSON around them.
    public var bodyBytes = 16 * 1_024 * 1_024 + 1_024

    /// The time limit for DNS lookup, connect and TLS handshake together.
    public var connectTime = Duration.seconds(5)

    /// The time limit from the request to the complete header of the response.
    public var firstByteTime = Duration.seconds(10)

    /// The longest time without progress of a body.
    public var stallTime = Duration.seconds(10)

    /// The time limit of a whole request, redirects and waiting included.
    public var totalTime = Duration.seconds(30)

    /// The maximum number of connections to one origin. Further requests wait.
    public var connectionsPerOrigin = 8

    /// The maximum numbers of idle connections, to one origin and in all, their idle time, and the age up to which a connection
    /// is reused. The age is limited because a name may get another address.
    public var idlePerOrigin = 4
    public var idleConnections = 32
    public var idleTime = Duration.seconds(30)
    public var connectionAge = Duration.seconds(300)

    /// The maximum numbers of concurrent lookups, each on a thread, and of queued lookups; in all, and of one site
    /// (`Resolver.site`), so that one hanging site does not use all threads.
    public var lookups = 32
    public var lookupsPerSite = 4
    public var lookupsWaiting = 128
    public var lookupsWaitingPerSite = 32

    /// The defaults.
    public init() {}

    /// The maximum number of informational responses (1xx) before the final one.
    static let informationalResponses = 8

    /// The maximum size, in bytes, of a redirect's body. The client reads such a body to reuse the connection, and
    /// closes the connection if the body is longer.
    static let discardedBytes = 16 * 1_024

    /// The delay before the next address is tried in parallel (RFC 8305).
    static let attemptDelay = Duration.milliseconds(250)

    /// The maximum number of addresses of a name that are tried. All addresses are checked.
    static let addressesTried = 8
}

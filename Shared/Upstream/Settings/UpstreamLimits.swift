/// Every limit of the client, with its default.
public struct UpstreamLimits: Sendable {
    static let defaultURLBytes = 2_048

    /// The most bytes of a URL that a caller names, and of one that a redirect leads to: signed URLs of storage services
    /// are longer than those that people publish.
    public var urlBytes = defaultURLBytes
    public var redirectBytes = 8 * 1_024

    /// The most redirects that are followed.
    public var redirects = 5

    /// The most bytes of all header names and values of a response together, and the most headers.
    public var headerBytes = 32 * 1_024
    public var headerCount = 100

    /// The most bytes of a body, compressed and inflated, unless the request says otherwise: those of the largest
    /// answer that our own HTTP API sends, 16 MiB of comments and the brackets around them.
    public var bodyBytes = 16 * 1_024 * 1_024 + 1_024

    /// How long it may take to find the address, connect to it, and agree on keys.
    public var connectTime = Duration.seconds(5)

    /// How long after the request the response's header may take to be complete.
    public var firstByteTime = Duration.seconds(10)

    /// How long a body may make no progress.
    public var stallTime = Duration.seconds(10)

    /// How long the whole may take, redirects and waiting included.
    public var totalTime = Duration.seconds(30)

    /// The most connections to one origin; more requests wait for their turn.
    public var connectionsPerOrigin = 8

    /// How many connections are kept for later, to one origin and in all, how long, and up to what age: names move.
    public var idlePerOrigin = 4
    public var idleConnections = 32
    public var idleTime = Duration.seconds(30)
    public var connectionAge = Duration.seconds(300)

    /// How many names are looked up at the same time, each on a thread, and how many more may wait for that; in all, and
    /// of one site (`Resolver.site`), so that names that hang leave threads for the names of others.
    public var lookups = 32
    public var lookupsPerSite = 4
    public var lookupsWaiting = 128
    public var lookupsWaitingPerSite = 32

    /// The defaults.
    public init() {}

    /// Informational responses before the one that counts.
    static let informationalResponses = 8

    /// Of a redirect's body so much is read so that the connection can be used again; beyond, it is closed.
    static let discardedBytes = 16 * 1_024

    /// How long one address has before the next is tried beside it (RFC 8305).
    static let attemptDelay = Duration.milliseconds(250)

    /// The most addresses of a name that are tried. All of them are checked.
    static let addressesTried = 8
}

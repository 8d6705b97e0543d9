import NIOCore

/// Every limit of the HTTP API, with its default.
struct HTTPLimits: Sendable {
    /// The most bytes of a request's target (RFC 9112 §3 asks for 8,000 at least): 414 above it.
    static let targetBytes = 8_000

    /// Connections at a time. Who comes then waits in the listener's queue until another leaves.
    static let connections = 1_024

    /// Connections may take at most one in so many of the files that the process can open.
    static let filesPerConnection = 4

    /// The least bytes that are worth compressing: what fits into one packet arrives no sooner.
    static let compressedBytes = 1_400

    /// When those may come back for whom there was nobody to ask, in seconds.
    static let retryAfterSeconds = 1

    /// How long an answer with an image may be used without asking again, in seconds.
    static let imageLifetime = 3_600

    /// The most bytes of a request's head, of one of its fields, and the most fields: 431 above them.
    var headBytes = 32 * 1_024
    var fieldBytes = 16 * 1_024
    var fields = 100

    /// How long a request may take to arrive, and a connection to have none.
    var idleTime = TimeAmount.seconds(30)

    /// How long a client that has an answer to read may read nothing of it.
    var stallTime = TimeAmount.seconds(30)

    /// The most bytes of an image's comments, as they are sent without compression.
    var commentsBytes = 16 * 1_024 * 1_024

    /// The most bytes of answers that clients have not read yet, over all connections; 429 above them. A body that several
    /// answers share counts once.
    var answerBytes = 256 * 1_024 * 1_024

    /// How long an image is answered as it was a moment ago, without asking the services.
    var recentImageTime = TimeAmount.seconds(1)

    /// The most bytes of images that are held for that; one may have half of them. Answers on their way hold theirs too.
    var recentImageBytes = 64 * 1_024 * 1_024

    /// How long a list of comments that is no small answer is given as it was a moment ago, without asking the services.
    var recentCommentsTime = TimeAmount.seconds(1)

    /// The most bytes of lists of comments that are held for that, and of their compressed forms as many; one may have half.
    var recentCommentsBytes = 64 * 1_024 * 1_024

    /// How long the services may take for a request.
    var requestTime = TimeAmount.seconds(30)

    /// How long the rest of what is refused is read, so that the answer is not lost with it.
    var lingerTime = TimeAmount.seconds(1)

    /// Connections at a time where a process may open so many files.
    static func connections(openFiles: Int) -> Int {
        max(1, min(connections, openFiles / filesPerConnection))
    }
}

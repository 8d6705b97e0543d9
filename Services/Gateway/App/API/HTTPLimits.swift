import NIOCore

/// The limits of the HTTP API, with their defaults.
struct HTTPLimits: Sendable {
    /// The maximum size of a request target in bytes (RFC 9112 §3 requires at least 8,000); above it the answer is 414.
    static let targetBytes = 8_000

    /// The maximum number of connections. Further clients wait in the listener's backlog until a connection closes.
    static let connections = 2_048

    /// The number of files that the process must be able to open for each connection: connections use at most a
    /// quarter of them.
    static let filesPerConnection = 4

    /// The maximum size of a request body in bytes; above it the answer is 413. A comment with the longest texts in the
    /// longest escapes has 25,000 bytes.
    static let bodyBytes = 65_536

    /// The maximum size of the result of a method that a plugin publishes, in bytes.
    static let publishedBytes = 1_024 * 1_024

    /// The minimum size, in bytes, of a body to compress. A smaller body fits into one packet, so compressing it
    /// would not speed it up.
    static let compressedBytes = 1_400

    /// The minimum value of `Retry-After` in seconds.
    static let retryAfterSeconds = 1

    /// How long a client may use an image without revalidation, in seconds.
    static let imageLifetime = 3_600

    /// The maximum sizes of a request head and of one field in bytes, and the maximum number of fields; above them the
    /// answer is 431.
    static let headBytes = 32 * 1_024
    static let fieldBytes = 16 * 1_024
    static let fields = 100

    /// How long a request may take to arrive, and how long a connection may be idle.
    static let idleTime = TimeAmount.seconds(30)

    /// How long a connection without any request is kept after the server has stopped accepting connections.
    static let firstRequestTime = TimeAmount.seconds(1)

    /// How long a client may stop reading while an answer is being sent.
    static let stallTime = TimeAmount.seconds(30)

    /// The maximum size of an image's comments in bytes, before compression.
    var commentsBytes = 16 * 1_024 * 1_024

    /// The maximum size of all unread answers over all connections, in bytes; above it the answer is 429. A body that
    /// several answers share counts once.
    var answerBytes = 256 * 1_024 * 1_024

    /// How long an image is served from memory without asking the services.
    static let recentImageTime = TimeAmount.seconds(1)

    /// The maximum size of these images in bytes; a single one may have half of it. Answers in progress do not count.
    var recentImageBytes = 64 * 1_024 * 1_024

    /// How long the hints of a page's pictures are served from memory without asking the service, and the maximum size of these
    /// hints in bytes.
    static let recentHintsTime = TimeAmount.seconds(1)
    var recentHintsBytes = 4 * 1_024 * 1_024

    /// How long a page waits for the hints of its pictures.
    static let hintsTimeout = TimeAmount.milliseconds(100)

    /// How long pages have no further hints after a failure of the service, and do not wait for them.
    static let hintsPause = TimeAmount.seconds(5)

    /// How long a list of comments is served from memory without asking the services, unless it is small.
    static let recentCommentsTime = TimeAmount.seconds(1)

    /// The maximum size of these lists in bytes; a single one may have half of it. Their compressed forms have a
    /// separate limit of the same size.
    var recentCommentsBytes = 64 * 1_024 * 1_024

    /// How long a page of an authority's feed is served from memory without asking the services.
    static let recentPagesTime = TimeAmount.seconds(1)

    /// The maximum size of these pages in bytes; a single one may have half of it. Their compressed forms have a separate
    /// limit of the same size.
    var recentPagesBytes = 16 * 1_024 * 1_024

    /// The maximum number of readers of the feed's events; further readers get 429. Other requests need the remaining
    /// connections.
    var eventReaders = 1_024

    /// The maximum number of readers of the events of comments, most of which are edges.
    var commentsEventReaders = 512

    /// The pause after which a reader of events gets an empty comment, so that both sides notice a lost connection.
    static let eventPause = TimeAmount.seconds(5)

    /// The events that a reader may lag behind before its connection is closed, in number and in bytes. They are stored once
    /// for all readers.
    var recentEvents = 1_000
    static let recentEventBytes = 4 * 1_024 * 1_024

    /// The time limit for the calls to the services for a request.
    static let requestTime = TimeAmount.seconds(30)

    /// How long the connection is read after a refusal, so that a reset does not destroy the answer.
    static let lingerTime = TimeAmount.seconds(1)

    /// The maximum number of connections for a process that may open this many files.
    static func connections(openFiles: Int) -> Int {
        max(1, min(connections, openFiles / filesPerConnection))
    }
}

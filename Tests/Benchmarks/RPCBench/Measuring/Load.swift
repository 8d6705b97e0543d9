/// The load that a measuring program creates. It is passed as one JSON argument, so that programs in other languages need no
/// other options.
///
/// Sizes are those that a caller and a handler see, without the overhead of the protocol.
struct Load: Codable, Sendable {
    /// The size of every request. Its first four bytes, big-endian, are the size of the reply.
    static let requestBytes = 100

    var replyBytes = 1_024

    /// The number of concurrent calls, over all connections together.
    var underWay = 1
    var connections = 1

    /// The number of unmeasured callers that continuously request large replies on the same connection.
    var largeCallers = 0
    var largeReplyBytes = 4_000_000

    /// Whether to measure the time from the cancellation of a call until its handler sees it, one call after the other. The
    /// other concurrent calls are not measured then.
    var isCancelling = false

    /// Whether each call computes for about 100 µs on the server.
    var isComputing = false

    /// The warm-up before the measurement.
    var warmUpSeconds = 0.0

    /// The measured time. Callers start no call after it. Each makes at least one measured call, even in zero seconds.
    var seconds = 0.0

    /// The approximate number of calls, whatever time they take; nil to measure for `seconds`. Programs in other languages never
    /// receive it.
    var calls: Int?
}

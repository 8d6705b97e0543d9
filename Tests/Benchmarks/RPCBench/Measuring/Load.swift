/// What a measuring program is asked to do. It travels as one argument in JSON, so that programs in other languages need
/// no options of their own.
///
/// Sizes are of what a caller and a handler see; what a protocol adds to that is part of what is compared.
struct Load: Codable, Sendable {
    /// Of every request; the first four bytes, big-endian, say how many bytes the reply shall have.
    static let requestBytes = 100

    var replyBytes = 1_024

    /// Over all connections together.
    var underWay = 1
    var connections = 1

    /// Callers that are not measured and get large replies all the time, on the same connection.
    var largeCallers = 0
    var largeReplyBytes = 4_000_000

    /// Whether what is measured is how long it takes from a call's cancelling until its handler sees it, one call after
    /// the other; those that are under way beside are not measured then.
    var isCancelling = false

    /// Before anything counts.
    var warmUpSeconds = 0.0

    /// Callers begin no call after that; every caller makes one that counts, even when no time is given.
    var seconds = 0.0

    /// About how many calls are made, however long that takes; nil for as many as `seconds` allows. Programs in other
    /// languages are never asked for this.
    var calls: Int?
}

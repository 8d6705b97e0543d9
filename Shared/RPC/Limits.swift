import NIOCore

/// Every limit of the runtime, with its default. Limits are checked by the side that sends and by the side that receives.
public struct Limits: Sendable, Equatable {
    /// The largest length that a frame's 24 bits can state.
    public static let largestFrameLength = 16_777_215

    /// The most members of a batch.
    public static let batchMembers = 100

    /// The most bytes of an id that is a string, as it stands between its quotes.
    public static let idBytes = 256

    /// What `meta.timeout_ms` may be.
    public static let timeoutMilliseconds = 1...86_400_000

    /// The time that a call has when its caller says nothing.
    public static let defaultTimeout = TimeAmount.seconds(30)

    /// The most bytes of a Unix socket's path (`sockaddr_un` less its final zero).
    public static let socketPathBytes = 107

    /// The most payload bytes of a chunk or a part; larger messages travel in parts where that was agreed on.
    public static let chunkBytes = 65_536

    /// The most bytes of the reason of an abort.
    public static let abortReasonBytes = 256

    /// How many payload bytes of an attachment or of a message in parts may be under way beyond what was granted.
    public static let creditWindow = 262_144

    /// How much may be granted for one number and not be used.
    public static let outstandingCredit = 16 * 1_024 * 1_024

    /// How many attachments and messages in parts may be on their way to one side of a connection at a time.
    public static let openTransfers = 64

    /// What `meta.window` may be: how many items of a stream its caller can hold.
    public static let streamWindows = 1...1_024
    public static let defaultStreamWindow = 16

    /// How many bytes of attachments and parts one connection, and one process, may hold until they are complete and
    /// used.
    public var assembledBytes = 32 * 1_024 * 1_024
    public var assembledBytesPerProcess = 256 * 1_024 * 1_024

    /// The most bytes of one message.
    public var frameBytes = 8 * 1_024 * 1_024

    /// How long a frame that has begun may take to be complete.
    public var frameTimeout = TimeAmount.seconds(30)

    /// After a bad frame: how much, and for how long, is read and thrown away so that the answer is not lost.
    public var discardedBytes = 16 * 1_024 * 1_024
    public var discardTime = TimeAmount.seconds(1)

    /// The most calls under way on one connection.
    public var callsPerConnection = 4_096

    /// The most calls of a client that wait for a connection, or for room at the peer.
    public var callsWaiting = 65_536

    /// The most calls under way in one process.
    public var callsPerProcess = 16_384

    /// The most connections of one process.
    public var connections = 4_096

    /// Above this much that a peer has not yet taken, no further handler starts for it; above twice that the connection
    /// closes.
    public var queuedBytes = 16 * 1_024 * 1_024

    /// How long a peer that is above twice that may take nothing before the connection closes.
    public var deafTime = TimeAmount.seconds(1)

    /// How long a write may be blocked without progress.
    public var writeTimeout = TimeAmount.seconds(30)

    /// How long calls under way may go on when the process is told to stop.
    public var drainTime = TimeAmount.seconds(10)

    public init() {}
}

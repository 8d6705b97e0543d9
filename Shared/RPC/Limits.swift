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

    /// How many payload bytes of a transfer may be under way beyond what its receiver has granted.
    public static let creditWindow = 262_144

    /// The most that a receiver may have granted and not yet got.
    public static let outstandingCredit = 16 * 1_024 * 1_024

    /// The most payload bytes of one chunk, and the message above which it comes in parts.
    public static let chunkBytes = 65_536

    /// Storage up to this size is not counted while a call holds it.
    public static let uncountedBytes = 4_096

    /// The most bytes of a method's name. A longer one counts as the name of no method.
    public static let methodBytes = 256

    /// The most bytes of each member of a trace context. A longer one counts as absent.
    public static let traceBytes = 512

    /// The most bytes of the reason for which a transfer was aborted.
    public static let abortReasonBytes = 256

    /// How many items of a stream its caller may say it can hold, and what counts when it says nothing.
    public static let streamWindows = 1...1_024
    public static let defaultStreamWindow = 16

    /// Deadlines that are closer together than this are looked at together.
    static let timerStep = TimeAmount.milliseconds(5)

    /// The most bytes of a Unix socket's path (`sockaddr_un` less its final zero).
    public static let socketPathBytes = 107

    /// When those who were shed may come back.
    static let retryAfterMilliseconds = 25

    /// The time that a call has when its caller says nothing.
    public var defaultTimeout = Self.defaultTimeout
    public static let defaultTimeout = TimeAmount.seconds(30)

    /// The most bytes of one message.
    public var frameBytes = 8 * 1_024 * 1_024

    /// How long a frame that has begun may take to be complete.
    public var frameTimeout = TimeAmount.seconds(30)

    /// After a bad frame: how much, and for how long, is read and thrown away so that the answer is not lost.
    public var discardedBytes = 16 * 1_024 * 1_024
    public var discardTime = TimeAmount.seconds(1)

    /// The most calls under way on one connection.
    public var callsPerConnection = 4_096

    /// The most calls under way in one process.
    public var callsPerProcess = 16_384

    /// The most calls of a client that wait for a connection, or for room at the peer.
    public var callsWaiting = 65_536

    /// The most connections of one process.
    public var connections = 4_096

    /// Above this much that a peer has not yet taken, no further handler starts for it.
    public var queuedBytes = 16 * 1_024 * 1_024

    /// Above this much that all peers together have not yet taken, a handler starts only for a peer that has nearly nothing
    /// left to take.
    public var queuedBytesPerProcess = 256 * 1_024 * 1_024

    /// How long a peer may take nothing before the connection closes while the process is above `queuedBytesPerProcess`, or
    /// has `callsPerProcess` calls under way.
    public var deafTime = TimeAmount.seconds(1)

    /// How many transfers may come in at a time on one connection, and how much of them may be kept until they are complete,
    /// for a connection and for the process.
    public var openTransfers = 64
    public var assembledBytes = 32 * 1_024 * 1_024
    public var assembledBytesPerProcess = 256 * 1_024 * 1_024

    /// How long a write may be blocked without progress.
    public var writeTimeout = TimeAmount.seconds(30)

    /// How long a peer that let a call time out has for the answer to a probe, before it counts as silent.
    public var probeTime = TimeAmount.seconds(2)

    /// How long calls under way may go on when the process is told to stop.
    public var drainTime = TimeAmount.seconds(10)

    /// How long handlers may go on when they are told to stop after that. The process ends without those that still run.
    public var stopGrace = TimeAmount.seconds(2)

    public init() {}
}

import NIOCore

/// Every limit of the runtime and its default. Both sender and receiver enforce the limits.
public struct Limits: Sendable, Equatable {
    /// The largest length that a frame's 24 bits can state.
    public static let largestFrameLength = 16_777_215

    /// The maximum number of members of a batch.
    public static let batchMembers = 100

    /// The maximum bytes of a string id, as encoded between its quotes.
    public static let idBytes = 256

    /// The allowed values of `meta.timeout_ms`.
    public static let timeoutMilliseconds = 1...86_400_000

    /// How many payload bytes of a transfer may be sent before the receiver grants more.
    public static let creditWindow = 262_144

    /// The maximum bytes that a receiver may have granted without having received them.
    public static let outstandingCredit = 16 * 1_024 * 1_024

    /// The maximum payload bytes of one chunk; larger messages are sent in parts.
    public static let chunkBytes = 65_536

    /// The maximum bytes of a text that is parsed and decoded on the event loop. The worst text of this size takes a few
    /// milliseconds; larger ones are parsed and decoded on another thread.
    public static let textOnLoop = 131_072

    /// How many bytes of an encoded string decode to more than `count` bytes: an escape of six bytes is one of them.
    static func encodedBytes(over count: Int) -> Int { 6 * (count + 1) }

    /// How many received bytes may wait, for a large message that is parsed or for a later turn. Then the connection is not read.
    static let backlog = 512 * 1_024

    /// Buffers of a call up to this size are not counted against budgets.
    public static let uncountedBytes = 4_096

    /// The maximum bytes of a method name. A longer one counts as unknown.
    public static let methodBytes = 256

    /// The maximum bytes of each member of a trace context. A longer one counts as absent.
    public static let traceBytes = 512

    /// The allowed values of `meta.hops`. A gateway does not forward a call with the upper bound.
    public static let hops = 0...4

    /// How many frames without an effect are tolerated: grants and stops that no frame of ours explains, empty chunks and parts in
    /// a row, and at a server cancellations and grants that no request and no item explains. More of them end the connection: they
    /// cost the receiver time, and nothing else limits them.
    public static let framesWithoutEffect = 100

    /// The maximum bytes of the reason of an aborted transfer.
    public static let abortReasonBytes = 256

    /// The allowed windows of a stream in items; the lower bound is the default.
    public static let streamWindows = 1...1_024
    public static let defaultStreamWindow = 16

    /// Deadlines that are closer together than this are handled together.
    static let timerStep = TimeAmount.milliseconds(5)

    /// The maximum bytes of a Unix socket's path (`sockaddr_un` without the final zero).
    public static let socketPathBytes = 107

    /// When callers may retry a call that was refused as `overloaded`.
    static let retryAfterMilliseconds = 25

    /// The timeout of a call whose caller sets none.
    public var defaultTimeout = Self.defaultTimeout
    public static let defaultTimeout = TimeAmount.seconds(30)

    /// The maximum bytes of one message.
    public var frameBytes = 8 * 1_024 * 1_024

    /// How long a frame may take from its first byte to its last.
    public var frameTimeout = TimeAmount.seconds(30)

    /// After a bad frame: how many bytes, and for how long, are read and discarded so that the error is not lost.
    public var discardedBytes = 16 * 1_024 * 1_024
    public var discardTime = TimeAmount.seconds(1)

    /// The maximum number of calls under way on one connection.
    public var callsPerConnection = 4_096

    /// The maximum number of calls under way in one process.
    public var callsPerProcess = 16_384

    /// The maximum number of a client's calls that wait for a connection or for capacity at the peer.
    public var callsWaiting = 65_536

    /// The maximum number of connections of one process.
    public var connections = 4_096

    /// How many connections over `connections` may be told so. Others are closed without a word.
    public static let refusedConnections = 64

    /// While a peer has not read this many bytes of answers, no further handler starts for it.
    public var queuedBytes = 16 * 1_024 * 1_024

    /// While all peers together have not read this many bytes of answers, a handler starts only for a peer whose own
    /// backlog is small.
    public var queuedBytesPerProcess = 256 * 1_024 * 1_024

    /// The write timeout while the process is above `queuedBytesPerProcess`, or has `callsPerProcess` calls under way.
    public var deafTime = TimeAmount.seconds(1)

    /// How many transfers a connection may receive at a time, and how many of their bytes a connection and the process
    /// may buffer until they are complete.
    public var openTransfers = 64
    public var assembledBytes = 32 * 1_024 * 1_024
    public var assembledBytesPerProcess = 256 * 1_024 * 1_024

    /// How long a write may be blocked without progress.
    public var writeTimeout = TimeAmount.seconds(30)

    /// How long a peer has to answer a probe after a call timed out, before it counts as silent.
    public var probeTime = TimeAmount.seconds(2)

    /// How long calls under way may continue when the process is told to stop.
    public var drainTime = TimeAmount.seconds(10)

    /// How long handlers may continue after they are told to stop. The process then ends without waiting for them.
    public var stopGrace = TimeAmount.seconds(2)

    public init() {}

    /// The limits for one of `count` event loops of a process: an equal part of each limit per process, rounded up.
    func part(of count: Int) -> Limits {
        var part = self
        for limit in [
            \.callsPerProcess, \.connections, \.queuedBytesPerProcess, \.assembledBytesPerProcess,
        ] as [WritableKeyPath<Limits, Int>] {
            part[keyPath: limit] = (self[keyPath: limit] + count - 1) / count
        }
        return part
    }
}

import NIOCore

/// The life of a server connection as far as reading and closing go.
enum ConnectionPhase {
    /// Nothing was received yet: a `rpc.hello` may still come.
    case fresh
    case open
    /// The peer has shut down its sending side: what is under way is answered, then the connection closes.
    case halfClosed
    /// The server goes away: new calls are refused, what is under way is answered, then the connection closes.
    case draining
    /// After a violation: the error was sent, and what still comes is thrown away so that the error is not lost.
    case discarding(bytesLeft: Int, until: NIODeadline)
    case closed

    /// Whether the connection closes as soon as no call is under way.
    var closesWhenIdle: Bool {
        switch self {
        case .halfClosed, .draining: true
        case .fresh, .open, .discarding, .closed: false
        }
    }
}

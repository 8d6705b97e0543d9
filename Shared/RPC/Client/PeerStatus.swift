import NIOCore

/// The state of a client's peer at a moment, for reports.
public struct PeerStatus: Sendable {
    public enum Phase: Sendable, Equatable {
        /// The first attempts to connect, or those after a loss, during which calls wait.
        case connecting
        /// The peer answers, as far as is known.
        case ready
        /// Calls fail at once.
        case down
    }

    public let phase: Phase

    /// The peer's answer to `rpc.hello`; nil while not connected, and for a plain JSON-RPC peer.
    public let greeting: Hello.Answer?

    /// The time until the next attempt to connect; nil while connected, or during an attempt.
    public let untilNextAttempt: TimeAmount?
}

extension RPCClient {
    /// The state of the peer.
    public func status() async -> PeerStatus {
        await core.look { core in
            var greeting: Hello.Answer?
            let phase: PeerStatus.Phase
            switch core.state {
            case _ where core.circuit.isOpen, .down, .stopped: phase = .down
            case .connecting, .greeting: phase = .connecting
            case .ready(let connection), .draining(let connection):
                phase = .ready
                greeting = connection.greeting
            }
            let now = core.executor.readClock()
            let pause = core.connection == nil ? core.nextAttempt.map { max(.zero, $0 - now) } : nil
            return PeerStatus(phase: phase, greeting: greeting, untilNextAttempt: pause)
        }
    }
}

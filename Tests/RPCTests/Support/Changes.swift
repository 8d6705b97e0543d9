import RPC
import Timing

/// The reported changes of a client's peer.
final class Changes: Sendable {
    private let reported = Watched<[(change: PeerChange, trace: String?)]>([])

    var all: [PeerChange] { reported.withLock { $0.map(\.change) } }

    /// The trace ids of the calls that revealed them.
    var traces: [String?] { reported.withLock { $0.map(\.trace) } }

    /// Waits for this many changes.
    func first(_ count: Int) async -> [PeerChange] {
        await reported.wait { $0.count >= count }
        return Array(all.prefix(count))
    }

    @Sendable func add(_ change: PeerChange) {
        let trace = TraceContext.current.id
        reported.withLock { $0.append((change, trace)) }
    }
}

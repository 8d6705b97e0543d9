import NIOCore
import RPC
import Synchronization

/// The enrichments that failed a short time ago: pages are without them for a while, and do not wait. A plugin that is down needs
/// no pause: its circuit is open, and calls fail at once until it is back.
final class EnrichmentPauses: Sendable {
    private struct Pause {
        let error: RPCError
        let end: NIODeadline
    }

    private let time: TimeAmount
    private let now: @Sendable () -> NIODeadline

    /// By the names of plugins and extensions, of which there are few.
    private let pauses = Mutex<[String: Pause]>([:])

    init(_ limits: EnrichmentLimits, now: @escaping @Sendable () -> NIODeadline = { .now() }) {
        time = limits.pause
        self.now = now
    }

    /// The failure that paused an enrichment; nil when it may be called.
    func error(of name: String) -> RPCError? {
        let now = now()
        return pauses.withLock { pauses in
            guard let pause = pauses[name] else { return nil }
            guard now < pause.end else {
                pauses[name] = nil
                return nil
            }
            return pause.error
        }
    }

    func pause(_ name: String, after error: RPCError) {
        let end = now() + time
        pauses.withLock { $0[name] = Pause(error: error, end: end) }
    }
}

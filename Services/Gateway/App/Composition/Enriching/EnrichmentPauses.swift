import NIOCore
import RPC
import Synchronization
import Timing

/// The enrichments that recently timed out or answered invalid data. Until its pause ends, an enrichment is not called, and pages omit
/// it. A plugin that is down needs no pause: its circuit is open, so calls fail at once.
final class EnrichmentPauses: Sendable {
    private struct Pause {
        let error: RPCError
        let end: NIODeadline
    }

    private let clock: any MonotonicClock

    /// By `PLUGIN.EXTENSION`.
    private let pauses = Mutex<[String: Pause]>([:])

    init(_ clock: any MonotonicClock) { self.clock = clock }

    /// The failure that paused an enrichment; nil when it may be called.
    func error(of key: String) -> RPCError? {
        let now = clock.now
        return pauses.withLock { pauses in
            guard let pause = pauses[key] else { return nil }
            guard now < pause.end else {
                pauses[key] = nil
                return nil
            }
            return pause.error
        }
    }

    func pause(_ key: String, after error: RPCError) {
        let now = clock.now
        pauses.withLock { pauses in
            // The plugins of expired ones may be gone.
            pauses = pauses.filter { now < $0.value.end }
            pauses[key] = Pause(error: error, end: now + EnrichmentLimits.pause)
        }
    }

    /// The number of pauses, with expired ones that nothing has asked for.
    var count: Int { pauses.withLock(\.count) }
}

import NIOCore
import RPC
import Synchronization

/// The enrichments that recently timed out or answered invalid data. Until its pause ends, an enrichment is not called, and pages omit
/// it. A plugin that is down needs no pause: its circuit is open, so calls fail at once.
final class EnrichmentPauses: Sendable {
    private struct Pause {
        let error: RPCError
        let end: NIODeadline
    }

    private let time: TimeAmount
    private let now: @Sendable () -> NIODeadline

    /// Keyed by the name of the extension. Manifests limit their number.
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

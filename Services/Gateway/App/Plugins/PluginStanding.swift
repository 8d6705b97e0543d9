import Foundation
import Logging
import RPC
import ServiceKit
import Timing

/// The state of a plugin, as its client reports it. Each change is one line of the log.
final class PluginStanding: Sendable {
    private let name: String
    private let path: SocketPath
    private let logger: Logger
    private let state: Watched<State>

    private struct State: Sendable {
        /// Why its contracts do not fit; nil when they do, or nothing is known.
        var mismatch: String?
        var isDown = false
        var hangs = false
        var since: Date
    }

    init(name: String, path: SocketPath, logger: Logger) {
        self.name = name
        self.path = path
        self.logger = logger
        state = Watched(State(since: Date()))
    }

    /// The contracts of the manifest that the plugin does not offer; nil when it offers all, or nothing is known.
    var mismatch: String? { state.withLock(\.mismatch) }

    /// Whether calls fail at once.
    var isDown: Bool { state.withLock(\.isDown) }

    /// Whether the plugin has left the last ping for a reader unanswered.
    var hangs: Bool { state.withLock(\.hangs) }

    func note(hangs: Bool) { state.withLock { $0.hangs = hangs } }

    /// The time of the last change; before the first one, when the gateway read the manifest.
    var since: Date { state.withLock(\.since) }

    /// Returns once the state has changed after a time that `since` had.
    func wait(forChangeAfter time: Date) async { await state.wait { $0.since != time } }

    @Sendable func note(_ change: PeerChange) {
        state.withLock { state in
            if case .incompatible(let reason) = change { state.mismatch = reason } else { state.mismatch = nil }
            state.since = Date()
            state.isDown =
                switch change {
                case .down, .silent, .incompatible, .violated: true
                case .appeared, .returned, .restarted: false
                }
        }
        let level: Logger.Level
        let what: String
        switch change {
        // Expected: another line has already named the plugin.
        case .appeared: return
        case .returned(let isNew): (level, what) = (.notice, isNew ? "is back, as another process" : "answers again")
        case .restarted: (level, what) = (.notice, "was restarted")
        case .down(let reason): (level, what) = (.warning, "is down: \(reason)")
        case .silent: (level, what) = (.warning, "does not answer: its calls fail at once until it does")
        case .incompatible(let reason): (level, what) = (.error, "is not used: \(reason)")
        case .violated(let reason): (level, what) = (.error, "was disconnected: \(reason)")
        }
        logger.log(
            level: level, "plugin \(name) at \(path) \(what)", metadata: TraceContext.current.metadata)
    }
}

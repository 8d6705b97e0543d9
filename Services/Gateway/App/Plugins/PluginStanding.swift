import Foundation
import Logging
import RPC
import Synchronization

/// How a plugin is, as its client has found out without asking: each change is one line of the log.
final class PluginStanding: Sendable {
    private let name: String
    private let path: SocketPath
    private let logger: Logger
    private let state: Mutex<State>

    private struct State {
        /// Why its contracts do not fit; nil when they do, or nothing is known.
        var mismatch: String?
        var since: Date
    }

    init(name: String, path: SocketPath, logger: Logger) {
        self.name = name
        self.path = path
        self.logger = logger
        state = Mutex(State(since: Date()))
    }

    /// What it does not offer of what its manifest names; nil when it offers all, or nothing is known.
    var mismatch: String? { state.withLock(\.mismatch) }

    /// Since when it has been as it is; at first since the gateway has started.
    var since: Date { state.withLock(\.since) }

    @Sendable func note(_ change: PeerChange) {
        state.withLock { state in
            if case .incompatible(let reason) = change { state.mismatch = reason } else { state.mismatch = nil }
            state.since = Date()
        }
        let level: Logger.Level
        let what: String
        switch change {
        // The start line says that it is expected to be there.
        case .appeared: return
        case .returned(let isNew): (level, what) = (.notice, isNew ? "is back, as another process" : "answers again")
        case .restarted: (level, what) = (.notice, "was restarted")
        case .down(let reason): (level, what) = (.warning, "is down: \(reason)")
        case .silent: (level, what) = (.warning, "does not answer: its calls fail at once until it does")
        case .incompatible(let reason): (level, what) = (.error, "is not used: \(reason)")
        case .violated(let reason): (level, what) = (.error, "was disconnected: \(reason)")
        }
        logger.log(level: level, "plugin \(name) at \(path) \(what)")
    }
}

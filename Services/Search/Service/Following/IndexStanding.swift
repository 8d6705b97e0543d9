import Foundation
import Logging
import RPC
import Synchronization

/// How complete the index is, for answers and health checks. Logs each change once.
final class IndexStanding: Sendable {
    enum Source: String, Sendable {
        case feed, comments
    }

    private struct Link {
        var fault: String?
        var since: Date
    }

    private struct State {
        var feed: Link
        var comments: Link

        /// Percent; nil when all images are indexed.
        var indexing: Int?
        var indexingSince: Date

        /// When the index had all changes last; nil before the first time.
        var currentAt: Date?

        /// Whether all known changes are applied.
        var isCurrent = false

        var follows: Bool { feed.fault == nil && comments.fault == nil && indexing == nil }
    }

    private let state: Mutex<State>
    private let logger: Logger
    private let now: @Sendable () -> Date

    init(logger: Logger, now: @escaping @Sendable () -> Date) {
        self.logger = logger
        self.now = now
        let link = Link(fault: "not connected yet", since: now())
        state = Mutex(State(feed: link, comments: link, indexingSince: now()))
    }

    // MARK: Changes

    func noteFollowing(_ source: Source) { note(nil, source) }

    func noteLost(_ source: Source, _ error: any Error) { note("\(error)", source) }

    private func note(_ fault: String?, _ source: Source) {
        let now = now()
        let hasChanged = state.withLock { state in
            let path: WritableKeyPath<State, Link> = source == .feed ? \.feed : \.comments
            let hasChanged = (state[keyPath: path].fault == nil) != (fault == nil)
            if hasChanged { state[keyPath: path].since = now }
            // Until now the index has followed both.
            if hasChanged, fault != nil, state.isCurrent { state.currentAt = now }
            state[keyPath: path].fault = fault
            return hasChanged
        }
        guard hasChanged else { return }
        if let fault {
            logger.warning("cannot follow the \(source): \(fault)")
        } else {
            logger.notice("following the \(source)")
        }
    }

    /// - Parameter indexing: percent of the images that are indexed; nil when all are.
    func noteIndexing(_ indexing: Int?) {
        let now = now()
        let change: String? = state.withLock { state in
            defer { state.indexing = indexing }
            guard (state.indexing == nil) != (indexing == nil) else { return nil }
            state.indexingSince = now
            return indexing == nil ? "all images are indexed" : "indexing all images"
        }
        if let change { logger.notice("\(change)") }
    }

    /// - Parameter isCurrent: whether all changes that have arrived are applied.
    func noteCurrent(_ isCurrent: Bool, lastAt: Date?) {
        let now = now()
        state.withLock { state in
            if state.isCurrent, !isCurrent, state.follows { state.currentAt = now }
            state.isCurrent = isCurrent
            state.currentAt = state.currentAt ?? lastAt
        }
    }

    // MARK: Reports

    var indexing: Int? { state.withLock(\.indexing) }

    /// The index has all changes up to this time.
    var indexedAt: Date? {
        let now = now()
        return state.withLock { $0.isCurrent && $0.follows ? now : $0.currentAt }
    }

    var checks: [Health.Check] {
        state.withLock { state in
            [
                check("feed", state.feed), check("comments", state.comments),
                Health.Check(
                    name: "index", status: state.indexing == nil ? .serving : .degraded,
                    detail: state.indexing.map { "indexing \($0) %" }, since: state.indexingSince),
            ]
        }
    }

    private func check(_ name: String, _ link: Link) -> Health.Check {
        Health.Check(
            name: name, status: link.fault == nil ? .serving : .degraded,
            detail: link.fault.map { "new \(name == "feed" ? "images" : "comments") are not found: \($0)" },
            since: link.since)
    }
}

import Foundation
import Logging
import RPC
import Synchronization

/// How complete the index is, for answers and health checks. Logs each change once.
final class IndexStanding: Sendable {
    typealias Source = FollowedServices.Source

    private enum Link: Equatable {
        case connecting, following
        case lost(String)
    }

    private struct State {
        var links: [Source: Link] = [.feed: .connecting, .comments: .connecting]
        var linkedSince: [Source: Date]

        /// Percent; nil when all images are indexed.
        var indexing: Int?
        var indexingSince: Date

        /// Why changes cannot be written; nil when they can.
        var fault: String?

        /// The last time at which the index had all changes; nil before the first.
        var currentAt: Date?

        /// Whether all changes that have arrived are applied.
        var isCurrent = false

        /// Whether all changes of both services arrive and are applied.
        var hasAllChanges: Bool { isCurrent && indexing == nil && links.values.allSatisfy { $0 == .following } }
    }

    private let state: Mutex<State>
    private let logger: Logger
    private let now: @Sendable () -> Date

    init(logger: Logger, now: @escaping @Sendable () -> Date) {
        self.logger = logger
        self.now = now
        let now = now()
        state = Mutex(State(linkedSince: [.feed: now, .comments: now], indexing: 0, indexingSince: now))
    }

    // MARK: Changes

    /// Notes what the index has before it follows anything.
    func noteStored(indexing: Int?, currentAt: Date?) {
        state.withLock { state in
            state.indexing = indexing
            state.currentAt = state.currentAt ?? currentAt
            state.isCurrent = false
        }
    }

    func noteFollowing(_ source: Source) {
        if note(.following, source) { logger.notice("following the \(source)") }
    }

    func noteLost(_ source: Source, _ error: any Error) {
        if note(.lost("\(error)"), source) { logger.warning("cannot follow the \(source): \(error)") }
    }

    /// - Returns: whether this is a change, apart from the reason of a fault.
    private func note(_ link: Link, _ source: Source) -> Bool {
        let now = now()
        return state.withLock { state in
            if state.hasAllChanges { state.currentAt = now }
            let former = state.links.updateValue(link, forKey: source)
            if case (.lost, .lost) = (former, link) { return false }
            guard former != link else { return false }
            state.linkedSince[source] = now
            return true
        }
    }

    /// - Parameter indexing: percent of the images that are indexed; nil when all are.
    func noteIndexing(_ indexing: Int?) {
        let now = now()
        let change: String? = state.withLock { state in
            state.fault = nil
            defer { state.indexing = indexing }
            guard (state.indexing == nil) != (indexing == nil) else { return nil }
            state.indexingSince = now
            return indexing == nil ? "all images are indexed" : "indexing all images"
        }
        if let change { logger.notice("\(change)") }
    }

    /// Notes that changes cannot be written. They are tried again.
    func noteFault(_ error: any Error) {
        let now = now()
        let isNew = state.withLock { state in
            if state.hasAllChanges { state.currentAt = now }
            defer { (state.fault, state.isCurrent) = ("\(error)", false) }
            return state.fault != "\(error)"
        }
        if isNew { logger.error("cannot index: \(error); trying again") }
    }

    /// - Parameter isCurrent: whether all changes that have arrived are applied.
    func noteCurrent(_ isCurrent: Bool) {
        let now = now()
        state.withLock { state in
            state.isCurrent = isCurrent
            if isCurrent { state.fault = nil }
            if state.hasAllChanges { state.currentAt = now }
        }
    }

    // MARK: Reports

    var indexing: Int? { state.withLock(\.indexing) }

    /// The index has all changes up to this time.
    var indexedAt: Date? {
        let now = now()
        return state.withLock { $0.hasAllChanges ? now : $0.currentAt }
    }

    var checks: [Health.Check] {
        state.withLock { state in
            [
                check(.feed, "images", state), check(.comments, "comments", state),
                Health.Check(
                    name: "index", status: state.indexing == nil && state.fault == nil ? .serving : .degraded,
                    detail: state.fault.map { "cannot index: \($0)" } ?? state.indexing.map { "indexing \($0) %" },
                    since: state.indexingSince),
            ]
        }
    }

    private func check(_ source: Source, _ missed: String, _ state: State) -> Health.Check {
        let detail: String? =
            switch state.links[source] {
            case .following: nil
            case .lost(let reason): "new \(missed) are not found: \(reason)"
            case .connecting, nil: "new \(missed) are not found: not connected yet"
            }
        return Health.Check(
            name: source.rawValue, status: detail == nil ? .serving : .degraded, detail: detail,
            since: state.linkedSince[source] ?? state.indexingSince)
    }
}

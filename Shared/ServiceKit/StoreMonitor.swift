import Foundation
import Logging
import NIOCore
import RPC
import Timing

/// Holds a store's check for `rpc.health`, and logs each change of its state once, in full and with the trace id of the call.
package final class StoreMonitor: Sendable {
    /// What a store is used for. Each use can fail alone.
    package enum Use: Sendable, CaseIterable {
        case reading
        case writing

        /// Hearing of the writes of other services.
        case listening
    }

    /// What a failure concerns, and so how it ends.
    package enum Cause: Equatable, Sendable {
        /// There is no store that may be used, until one is opened or validated.
        case absence

        /// A part of the content is damaged, until the store is validated or replaced. The rest can be used.
        case damage

        /// A use has failed, until one succeeds.
        case failing(Use)
    }

    struct Failure: Sendable {
        let text: String
        let since: Date
        var cause = Cause.damage
        var count = 1
        var unit = "times"

        var detail: String { count > 1 ? "\(text) (\(count) \(unit))" : text }

        /// Begins the name of the check.
        var prefix: String {
            switch cause {
            case .absence, .failing(.reading): ""
            case .damage: Health.Check.contentPrefix
            case .failing(.writing): Health.Check.writesPrefix
            case .failing(.listening): Health.Check.changesPrefix
            }
        }
    }

    struct State: Sendable {
        /// Damage or absence. A successful write elsewhere in the file does not clear it.
        var damage: Failure?

        /// Cleared by the next success of the use.
        var failures: [Use: Failure] = [:]

        /// The damage that the last check in the background has found. Cleared by one that finds none.
        var finding: Failure?

        /// The damage that the present check has found so far.
        var found: Failure?

        /// When the last failure ended.
        var servingSince: Date

        /// The worst.
        var current: Failure? {
            if damage?.cause == .absence { return damage }
            return failures[.reading] ?? damage ?? failures[.writing] ?? failures[.listening]
        }
    }

    /// The store in messages: `the store PATH`.
    private let title: String
    private let logger: Logger
    private let now: @Sendable () -> Date
    let state: Watched<State>

    /// - Parameter failure: why there is no store; already logged.
    package init(_ title: String, failure: String? = nil, logger: Logger, now: @escaping @Sendable () -> Date) {
        self.title = title
        self.logger = logger
        self.now = now
        let damage = failure.map { Failure(text: $0, since: now(), cause: .absence) }
        state = Watched(State(damage: damage, servingSince: now()))
    }

    /// The check of the state. While the store can be used in part, its name says which part fails.
    /// - Parameter name: of the store.
    package func check(as name: String = Health.Check.store) -> Health.Check {
        state.withLock { state in
            guard let failure = state.current else {
                return Health.Check(name: name, status: .serving, since: state.servingSince)
            }
            return Health.Check(
                name: failure.prefix + name, status: .degraded, detail: failure.detail, since: failure.since)
        }
    }

    /// The check of the content; nil while no damage was found. It is one of its own, because the store can be used.
    /// - Parameter name: of the store.
    package func contentCheck(as name: String = Health.Check.store) -> Health.Check? {
        state.withLock { state in
            // Then `check` says so.
            guard state.current?.cause != .damage else { return nil }
            return state.finding.map {
                Health.Check(
                    name: Health.Check.contentPrefix + name, status: .degraded, detail: $0.detail, since: $0.since)
            }
        }
    }

    // MARK: Recovery

    /// The pause before a store that failed is tried; it doubles with each attempt, up to the longest one.
    package static let firstProbePause = Duration.seconds(1)

    /// Tries a store that failed until it works again. Runs until the task is cancelled.
    package func probe(by clock: any MonotonicClock, longestPause: Duration, _ attempt: () async -> Void) async {
        while !Task.isCancelled {
            await waitForFailure()
            var pause = Self.firstProbePause
            while hasFailed, !Task.isCancelled {
                // If the task is cancelled during the pause, the loop's condition ends it.
                try? await clock.sleep(for: pause)
                guard !Task.isCancelled else { return }
                pause = min(pause * 2, longestPause)
                await attempt()
            }
        }
    }

    /// Notes that the store was opened or replaced.
    /// - Parameter report: the line for the log; nil for "works again".
    package func recover(report: String? = nil) {
        if let report { logger.warning("\(report)", metadata: TraceContext.current.metadata) }
        end(report: report == nil) { state in
            defer { (state.damage, state.failures, state.finding) = (nil, [:], nil) }
            return state.current != nil
        }
    }

    /// Notes that a check of the whole store succeeded.
    package func noteValidated() {
        end { state in
            defer { state.damage = nil }
            return state.damage != nil
        }
    }

    /// Returns once a use fails, there is no store, or the task is cancelled.
    package func waitForFailure() async { await state.wait { $0.current != nil } }

    package var hasFailed: Bool { state.withLock { $0.current != nil } }

    /// Whether the last use failed.
    package var cannotUse: Bool { state.withLock { !$0.failures.isEmpty } }

    /// Notes that these uses have succeeded.
    package func noteSuccess(of uses: Use...) {
        end { state in
            let before = state.failures.count
            for use in uses { state.failures[use] = nil }
            return state.failures.count < before
        }
    }

    private func end(report: Bool = true, _ change: (inout State) -> Bool) {
        let now = now()
        let worksAgain = state.withLock { state in
            let hasChanged = change(&state)
            if hasChanged { state.servingSince = now }
            return hasChanged && state.current == nil
        }
        if worksAgain, report { logger.notice("\(title) works again") }
    }

    // MARK: Failures

    /// Logs a fault that calls survive.
    package func report(_ fault: String) {
        logger.error("\(title): \(fault)", metadata: TraceContext.current.metadata)
    }

    /// Notes why there is no store, which may be another reason than before.
    package func noteAbsence(_ reason: String) {
        state.withLock { state in
            if state.damage?.text != reason { state.damage = nil }
        }
        note(reason, .absence)
    }

    /// Notes a failure.
    /// - Parameter count: the number of calls that have failed; 0 for an attempt in the background.
    package func note(_ text: String, _ cause: Cause, count: Int = 1) {
        let now = now()
        let isNew = state.withLock { state in
            // One cause may end all uses.
            let isKnown = state.failures.values.contains { $0.text == text }
            return state.note(Failure(text: text, since: now, cause: cause), count: count) && !isKnown
        }
        if isNew { logger.error("\(text)", metadata: TraceContext.current.metadata) }
    }

    // MARK: The check in the background

    /// Notes that a check of the content begins.
    package func beginScan() { state.withLock { $0.found = nil } }

    /// Notes damage that the check has found. The first finding is logged; `gateway check` lists all.
    package func noteFinding(_ finding: String) {
        let now = now()
        let text = """
            \(title) is damaged: \(finding); `gateway check` lists all damage, and after deploy/down \
            `gateway check --repair` repairs what it can
            """
        let isNew = state.withLock { state in
            let before = state.finding
            if state.found == nil {
                state.found = Failure(text: text, since: before?.since ?? now, unit: "findings")
            } else {
                state.found?.count += 1
            }
            state.finding = state.found
            return state.found?.count == 1 && before?.text != text
        }
        if isNew { logger.error("\(text)") }
    }

    /// Notes that the check has seen the whole content.
    /// - Returns: whether it has found nothing.
    package func endScan() -> Bool {
        let (isWell, isRepaired) = state.withLock { state in
            guard state.found == nil else { return (false, false) }
            defer { state.finding = nil }
            return (true, state.finding != nil)
        }
        if isRepaired { logger.notice("no part of \(title) is damaged any more") }
        return isWell
    }
}

extension StoreMonitor.State {
    /// - Parameter count: the number of calls that have failed.
    /// - Returns: whether the failure is a new one.
    fileprivate mutating func note(_ failure: StoreMonitor.Failure, count: Int) -> Bool {
        if case .failing(let use) = failure.cause {
            guard failures[use]?.text != failure.text else {
                failures[use]?.count += count
                return false
            }
            failures[use] = failure
            return true
        }
        if damage?.text == failure.text {
            damage?.count += count
            return false
        }
        // Further damage belongs to the same state.
        guard damage == nil || damage?.cause == .damage && failure.cause == .absence else { return false }
        damage = failure
        return true
    }
}

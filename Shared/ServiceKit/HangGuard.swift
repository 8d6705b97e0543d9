import Foundation
import Logging
import NIOCore
import Synchronization

/// Aborts the process when its event loop hangs: when nothing has run there for `limit`. The supervisor then starts the program again.
///
/// A thread of its own does this, because nothing else of the process can be sure to run. Time counts only while this thread is woken
/// in time, so that a slow machine, a debugger or a suspended machine is not mistaken for a hanging loop.
struct HangGuard: Sendable {
    let loop: any EventLoop
    let logger: Logger
    var limit = Self.limit
    var period = Self.period

    static let limit = TimeAmount.seconds(15)

    /// The time between two looks.
    static let period = TimeAmount.seconds(1)

    /// Guards the loop while `body` runs.
    func whileRunning<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        let end = DispatchSemaphore(value: 0)
        Thread.detachNewThread { watch(until: end) }
        defer { end.signal() }
        return try await body()
    }

    private func watch(until end: DispatchSemaphore) {
        let beats = Beats()
        var silence = Silence(period: period)
        while end.wait(timeout: .now() + .nanoseconds(Int(period.nanoseconds))) == .timedOut {
            if silence.look(at: .now(), hasAnswered: beats.areAllAnswered) >= limit {
                logger.critical(
                    "the event loop hangs: nothing has run there for \(limit.nanoseconds / 1_000_000_000) s; aborting")
                abort()
            }
            beats.ask(loop)
        }
    }

    /// Asks the loop for signs of life, one after the other.
    private final class Beats: Sendable {
        private let asked = Atomic(0)
        private let answered = Atomic(0)

        var areAllAnswered: Bool { asked.load(ordering: .relaxed) == answered.load(ordering: .acquiring) }

        func ask(_ loop: any EventLoop) {
            guard areAllAnswered else { return }
            asked.add(1, ordering: .relaxed)
            loop.execute { self.answered.add(1, ordering: .releasing) }
        }
    }
}

/// For how long a loop has given no sign of life. It has no side effects.
struct Silence {
    /// The intended time between two looks.
    let period: TimeAmount

    private var time = TimeAmount.zero
    private var lastLook: NIODeadline?

    init(period: TimeAmount) { self.period = period }

    mutating func look(at now: NIODeadline, hasAnswered: Bool) -> TimeAmount {
        let gap = lastLook.map { now - $0 } ?? .zero
        lastLook = now
        if hasAnswered {
            time = .zero
        } else if gap <= period * 2 {
            time = time + gap
        }
        return time
    }
}

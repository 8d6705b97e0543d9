import Foundation
import RPC
import ServiceKit
import Timing

/// Finds the facts of images in the background, one after the other. A failure is logged, and the image is not tried again for a
/// while.
final class FactsFinder: Sendable {
    /// The maximum number of waiting images; the oldest are dropped, and wanted again by a later call.
    static let longestQueue = 256

    private struct Wanted: Sendable {
        let url: String

        /// That of the call which asked for the facts.
        let trace: TraceContext
    }

    private struct State {
        /// The waiting URLs, so that none waits twice.
        var waiting: Set<String> = []
        var isFinding = false
        var refused = RecentRefusals<String>()
    }

    private let (wanted, queue) = AsyncStream.makeStream(
        of: Wanted.self, bufferingPolicy: .bufferingNewest(longestQueue))
    private let state = Watched(State())
    private let failures: FailureLog
    private let clock: any MonotonicClock

    init(_ failures: FailureLog = .none, clock: any MonotonicClock = .system) {
        self.failures = failures
        self.clock = clock
    }

    func find(_ url: String) {
        let isNew = state.withLock { !$0.refused.contains(url, at: clock.now) && $0.waiting.insert(url).inserted }
        guard isNew else { return }
        if case .dropped(let dropped) = queue.yield(Wanted(url: url, trace: .current)) {
            state.withLock { _ = $0.waiting.remove(dropped.url) }
        }
    }

    /// Returns once no image waits and none is in progress.
    func waitUntilIdle() async { await state.wait { $0.waiting.isEmpty && !$0.isFinding } }

    /// - Parameter find: finds and stores the facts of the image at a URL.
    func run(_ find: @Sendable (_ url: String) async throws -> Void) async {
        for await wanted in wanted {
            let isRefused = state.withLock { state in
                state.waiting.remove(wanted.url)
                state.isFinding = !state.refused.contains(wanted.url, at: clock.now)
                return !state.isFinding
            }
            if isRefused { continue }
            defer { state.withLock { $0.isFinding = false } }
            do {
                try await TraceContext.$current.withValue(wanted.trace) { try await find(wanted.url) }
            } catch is CancellationError {
                // The service ends.
                continue
            } catch {
                state.withLock { $0.refused.insert(wanted.url, at: clock.now) }
                let kind = (error as? any AnsweredError)?.answer.kind ?? .internalError
                failures.note("finding the facts of \(wanted.url)", kind, "\(error)", wanted.trace)
            }
        }
    }
}

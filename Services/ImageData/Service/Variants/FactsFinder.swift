import Foundation
import RPC
import ServiceKit
import Synchronization

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
        var refused = RecentRefusals<String>()
    }

    private let (wanted, queue) = AsyncStream.makeStream(
        of: Wanted.self, bufferingPolicy: .bufferingNewest(longestQueue))
    private let state = Mutex(State())
    private let failures: FailureLog

    init(_ failures: FailureLog = .none) { self.failures = failures }

    func find(_ url: String) {
        let isNew = state.withLock { !$0.refused.contains(url) && $0.waiting.insert(url).inserted }
        guard isNew else { return }
        if case .dropped(let dropped) = queue.yield(Wanted(url: url, trace: .current)) {
            state.withLock { _ = $0.waiting.remove(dropped.url) }
        }
    }

    /// - Parameter find: finds and stores the facts of the image at a URL.
    func run(_ find: @Sendable (_ url: String) async throws -> Void) async {
        for await wanted in wanted {
            let isRefused = state.withLock { state in
                state.waiting.remove(wanted.url)
                return state.refused.contains(wanted.url)
            }
            if isRefused { continue }
            do {
                try await TraceContext.$current.withValue(wanted.trace) { try await find(wanted.url) }
            } catch is CancellationError {
                // The service ends.
                continue
            } catch {
                state.withLock { $0.refused.insert(wanted.url) }
                let kind = (error as? RPCError)?.kind ?? .internalError
                failures.note("finding the facts of \(wanted.url)", kind, "\(error)", wanted.trace)
            }
        }
    }
}

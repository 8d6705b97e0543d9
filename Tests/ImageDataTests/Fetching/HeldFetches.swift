import ImageData
import RPC
import Synchronization

@testable import image_data_service

/// Fetches that start at once, and end when the test ends them.
final class HeldFetches: Sendable {
    private struct State {
        var begun: [String] = []
        var traces: [TraceContext] = []
        var cancelled: [String] = []
        var running = 0
        var mostRunning = 0
        var destinations: [String: FetchDestination] = [:]
        var ends: [String: AsyncStream<Result<CachedImage, any Error>>.Continuation] = [:]
        var watchers: [AsyncStream<Void>.Continuation] = []
    }

    private let state = Mutex(State())

    var begun: [String] { state.withLock(\.begun) }

    /// The trace contexts of the fetches, in the order of `begun`.
    var traces: [TraceContext] { state.withLock(\.traces) }
    var cancelled: [String] { state.withLock(\.cancelled) }
    var running: Int { state.withLock(\.running) }
    var mostRunning: Int { state.withLock(\.mostRunning) }

    /// The caches in which the result will be stored, as far as it is known.
    func tiers(of url: String) -> ImageTiers? { state.withLock { $0.destinations[url] }?.tiers }

    @Sendable func fetch(_ url: String, _ destination: FetchDestination) async throws -> CachedImage? {
        let (outcomes, end) = AsyncStream.makeStream(of: Result<CachedImage, any Error>.self)
        note { state in
            state.begun.append(url)
            state.traces.append(.current)
            state.running += 1
            state.mostRunning = max(state.mostRunning, state.running)
            state.destinations[url] = destination
            state.ends[url] = end
        }
        defer { note { $0.running -= 1 } }
        for await outcome in outcomes { return try outcome.get() }
        note { $0.cancelled.append(url) }
        throw CancellationError()
    }

    /// Ends the most recent fetch of this URL.
    func end(_ url: String, _ outcome: Result<CachedImage, any Error> = .success(CachedImage(stored(1)))) {
        _ = state.withLock { $0.ends.removeValue(forKey: url) }?.yield(outcome)
    }

    /// Waits until `isSo` returns true; without a time limit.
    func wait(until isSo: @Sendable (HeldFetches) -> Bool) async {
        let (changes, watcher) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.watchers.append(watcher) }
        if isSo(self) { return }
        for await _ in changes where isSo(self) { return }
    }

    private func note(_ change: (inout State) -> Void) {
        let watchers = state.withLock { state in
            change(&state)
            return state.watchers
        }
        for watcher in watchers { watcher.yield() }
    }
}

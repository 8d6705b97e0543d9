import ImageData
import RPC
import Timing

@testable import image_data_service

/// Fetches that start at once, and end when the test ends them.
final class HeldFetches: Sendable {
    struct State: Sendable {
        var begun: [String] = []
        var traces: [TraceContext] = []
        var cancelled: [String] = []
        var running = 0
        var mostRunning = 0
        fileprivate var destinations: [String: FetchDestination] = [:]
        fileprivate var ends: [String: AsyncStream<Result<CachedImage, any Error>>.Continuation] = [:]
    }

    private let state = Watched(State())

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
        state.withLock { state in
            state.begun.append(url)
            state.traces.append(.current)
            state.running += 1
            state.mostRunning = max(state.mostRunning, state.running)
            state.destinations[url] = destination
            state.ends[url] = end
        }
        defer { state.withLock { $0.running -= 1 } }
        for await outcome in outcomes { return try outcome.get() }
        state.withLock { $0.cancelled.append(url) }
        throw CancellationError()
    }

    /// Ends the most recent fetch of this URL.
    func end(_ url: String, _ outcome: Result<CachedImage, any Error> = .success(CachedImage(stored(1)))) {
        _ = state.withLock { $0.ends.removeValue(forKey: url) }?.yield(outcome)
    }

    /// Waits until the state fulfils the condition.
    func wait(until isSo: @escaping @Sendable (State) -> Bool) async { await state.wait(until: isSo) }
}

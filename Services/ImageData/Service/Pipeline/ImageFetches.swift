import Foundation
import ImageData
import NIOCore
import RPC
import ServiceKit
import Timing

/// Runs the fetches of a `FetchQueue`, and resumes their callers. It uses one task per concurrent fetch, however many
/// callers wait.
final class ImageFetches: Sendable {
    /// Fetches one image and stores it. Nil when bytes were put for the URL in the meantime, so that no fetch is
    /// needed.
    typealias Fetch = @Sendable (_ url: String, _ destination: FetchDestination) async throws -> CachedImage?

    /// The queue is full.
    struct TooManyWaiting: Error {}

    /// What is in progress or waits.
    struct Load: Equatable {
        /// The number of fetches in progress.
        var running = 0

        /// The number of queued fetches.
        var waiting = 0

        /// The number of waiting callers.
        var callers = 0

        static let none = Load()
    }

    private typealias Outcome = Result<CachedImage?, any Error>

    private struct Caller {
        let continuation: UnsafeContinuation<Outcome, Never>
        let trace = TraceContext.current

        /// The fetches that have not ended. The outcome of the last one resumes the caller.
        var fetches: Set<FetchQueue.ID>
    }

    private struct State {
        var queue: FetchQueue
        var callers: [FetchQueue.Waiter: Caller] = [:]
        var lastWaiter = 0
        var cancels: [FetchQueue.ID: AsyncStream<Void>.Continuation] = [:]

        /// Set when `run` has ended: no more fetches will start.
        var isOver = false

        var load: Load { Load(running: queue.running, waiting: queue.waiting, callers: callers.count) }

        /// Removes a fetch that has ended.
        /// - Returns: the callers that wait for no other fetch.
        mutating func ended(_ id: FetchQueue.ID, hostFailed: Bool?, now: Duration) -> [Caller] {
            cancels[id] = nil
            return queue.ended(id, hostFailed: hostFailed, now: now).compactMap { waiter in
                callers[waiter]?.fetches.remove(id)
                return callers[waiter]?.fetches.isEmpty == true ? callers.removeValue(forKey: waiter) : nil
            }
        }
    }

    private let state: Watched<State>
    private let clock: any MonotonicClock
    private let fetch: Fetch
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    init(queue: FetchQueue = FetchQueue(), clock: any MonotonicClock = .system, fetch: @escaping Fetch) {
        state = Watched(State(queue: queue))
        self.clock = clock
        self.fetch = fetch
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var load: Load { state.withLock(\.load) }

    /// Waits until the load fulfils the condition.
    func wait(until isSo: @escaping @Sendable (Load) -> Bool) async { await state.wait { isSo($0.load) } }

    /// Whether the host of a URL has failed and not answered since.
    func isHostInTrouble(_ url: String) -> Bool {
        let host = Self.host(of: url)
        return state.withLock { $0.queue.isInTrouble(host) }
    }

    // MARK: Asking

    /// Returns an image, from a fetch that it shares with other callers. If the task is cancelled, it stops waiting,
    /// and the fetch is cancelled when no other caller waits for it.
    /// - Parameter isCached: checks whether the image was stored in the meantime. It is called while no fetch can end, so
    ///   that a finished fetch is not repeated.
    /// - Returns: nil when the image is stored.
    func image(
        at url: String, _ priority: FetchQueue.Priority, keepingIn tiers: ImageTiers,
        unless isCached: () -> Bool = { false }
    ) async throws -> CachedImage? {
        let host = Self.host(of: url)
        let outcome = await wait(.cancel) { queue, waiter in
            guard !isCached() else { return [] }
            guard let id = queue.ask(url, host: host, by: waiter, priority, keepingIn: tiers) else {
                throw TooManyWaiting()
            }
            return [id]
        }
        return try outcome.get()
    }

    /// Fetches images with a lower priority than `image`; returns when all fetches have ended. If the task is
    /// cancelled, fetches that have not started are dropped.
    /// - Parameter isCached: as for `image`.
    /// - Returns: the number of fetches that were queued; the queue may be full for the others.
    func prefetch(_ urls: [String], unless isCached: (String) -> Bool = { _ in false }) async throws -> Int {
        let hosts = urls.map { (url: $0, host: Self.host(of: $0)) }
        var count = 0
        // A prefetch does not learn the outcomes.
        _ = await wait(.goesOn) { queue, waiter in
            let ids = Set(
                hosts.compactMap { url, host in
                    isCached(url) ? nil : queue.ask(url, host: host, by: waiter, .prefetch)
                })
            count = ids.count
            return ids
        }
        try Task.checkCancellation()
        return count
    }

    /// Waits until all fetches that `ask` queues or joins have ended.
    private func wait(
        _ unwanted: FetchQueue.Unwanted,
        for ask: (inout FetchQueue, FetchQueue.Waiter) throws -> Set<FetchQueue.ID>
    ) async -> Outcome {
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let outcome: Outcome? = state.withLock { state in
                    guard !Task.isCancelled, !state.isOver else { return .failure(CancellationError()) }
                    do {
                        let fetches = try ask(&state.queue, waiter)
                        guard !fetches.isEmpty else { return .success(nil) }
                        state.callers[waiter] = Caller(continuation: continuation, fetches: fetches)
                        return nil
                    } catch {
                        return .failure(error)
                    }
                }
                if let outcome { continuation.resume(returning: outcome) } else { wake.yield() }
            }
        } onCancel: {
            leave(waiter, unwanted)
        }
    }

    private func leave(_ waiter: FetchQueue.Waiter, _ unwanted: FetchQueue.Unwanted) {
        let caller = state.withLock { state in
            let caller = state.callers.removeValue(forKey: waiter)
            for id in caller?.fetches ?? [] where state.queue.leave(id, waiter, unwanted) {
                state.cancels[id]?.finish()
            }
            return caller
        }
        caller?.continuation.resume(returning: .failure(CancellationError()))
    }

    /// The fetches that wait and that run, for `rpc.stats`.
    var measures: Measures {
        let (waiting, running) = state.withLock { ($0.queue.waiting, $0.queue.running) }
        return Measures(gauges: ["waiting_fetches": waiting, "running_fetches": running])
    }

    /// Detaches fetches in progress from later calls, before an eviction: see `FetchQueue.retire`.
    /// - Parameter urls: the URLs to detach; nil for all.
    func retire(_ urls: Set<String>?) { state.withLock { $0.queue.retire(urls) } }

    /// The key of the backoff. It includes scheme and port, because two servers on one host do not fail together.
    private static func host(of url: String) -> String {
        guard let url = URL(string: url), let scheme = url.scheme, let host = url.host() else { return "" }
        return "\(scheme)://\(host):\(url.port ?? 0)".lowercased()
    }

    // MARK: Fetching

    /// The time for the queue.
    private var now: Duration { .nanoseconds((clock.now - .uptimeNanoseconds(0)).nanoseconds) }

    /// Runs fetches until the task is cancelled; then resumes all waiting callers with `CancellationError`.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await _ in wakes {
                while beginNext(in: &group) {}
            }
            group.cancelAll()
        }
        let callers = state.withLock { state in
            state.isOver = true
            defer { state.callers = [:] }
            return state.callers.values
        }
        for caller in callers { caller.continuation.resume(returning: .failure(CancellationError())) }
    }

    /// - Returns: whether to call it again for another fetch.
    private func beginNext(in group: inout DiscardingTaskGroup) -> Bool {
        let (cancelled, cancel) = AsyncStream.makeStream(of: Void.self)
        let next: (FetchQueue.Start, TraceContext)? = state.withLock { state in
            guard let start = state.queue.next(now: now) else { return nil }
            // Set under the same lock, so that a caller that leaves from now on can cancel the fetch.
            state.cancels[start.id] = cancel
            return (start, state.callers[start.first]?.trace ?? TraceContext())
        }
        guard let (start, trace) = next else { return false }
        group.addTask {
            await TraceContext.$current.withValue(trace) { await self.carryOut(start, unless: cancelled) }
        }
        return true
    }

    private func carryOut(_ start: FetchQueue.Start, unless cancelled: AsyncStream<Void>) async {
        let destination = FetchDestination { body in self.state.withLock { body($0.queue.tiers(of: start.id)) } }
        // A cancelled fetch occupies its slot until it has ended.
        let outcome = await Outcome(of: { try await self.fetch(start.url, destination) }, until: cancelled)
        let end = clock.now + TimeAmount(HostBackoff.pause)
        let callers = state.withLock { $0.ended(start.id, hostFailed: outcome.hostFailed, now: now) }
        for caller in callers { caller.continuation.resume(returning: outcome) }
        wake.yield()
        guard outcome.hostFailed == true else { return }
        // `sleep` throws only on cancellation, after which nothing needs to be woken.
        try? await clock.sleep(until: end)
        wake.yield()
    }
}

extension Result<CachedImage?, any Error> {
    /// Whether the host did not answer; nil when that is unknown.
    fileprivate var hostFailed: Bool? {
        switch self {
        case .success(nil): nil
        case .success: false
        case .failure(let error as ImageOriginError): error.isConnectivity
        case .failure(is CancellationError): nil
        case .failure: false
        }
    }
}

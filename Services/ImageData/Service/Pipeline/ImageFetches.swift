import Foundation
import ImageData
import NIOCore
import RPC
import Synchronization
import Timing

/// Runs the fetches of a `FetchQueue`, and resumes their callers. It uses one task per concurrent fetch, however many
/// callers wait.
final class ImageFetches: Sendable {
    /// Fetches one image and stores it. Nil when bytes were put for the URL in the meantime, so that no fetch is
    /// needed.
    typealias Fetch = @Sendable (_ url: String, _ destination: FetchDestination) async throws -> CachedImage?

    /// The queue is full.
    struct TooManyWaiting: Error {}

    fileprivate enum Waiting {
        case load(UnsafeContinuation<Result<CachedImage?, any Error>, Never>)
        /// Resumed when `left` is 0.
        case prefetch(left: Int, UnsafeContinuation<Void, Never>)
    }

    /// What is in progress or waits.
    struct Load: Equatable {
        /// The number of fetches in progress.
        var running = 0

        /// The number of queued fetches.
        var waiting = 0

        /// The number of waiting callers.
        var callers = 0

        /// The number of trace contexts of queued fetches.
        var traces = 0

        static let none = Load()
    }

    private struct State {
        var queue: FetchQueue
        var waiting: [FetchQueue.Waiter: Waiting] = [:]
        var lastWaiter = 0
        var cancels: [FetchQueue.Run: AsyncStream<Void>.Continuation] = [:]

        /// The trace context of each queued fetch, by URL: that of its first caller.
        var traces: [String: TraceContext] = [:]

        /// When a sleeping task will call the queue again.
        var alarm: Duration?

        /// Set when `run` has ended: no more fetches will start.
        var isOver = false

        var load: Load {
            Load(running: queue.running, waiting: queue.waiting, callers: waiting.count, traces: traces.count)
        }

        /// See `FetchQueue.ask`.
        mutating func ask(
            _ url: String, host: String, by waiter: FetchQueue.Waiter, _ priority: FetchQueue.Priority,
            keepingIn tiers: ImageTiers = .all
        ) -> Bool {
            let isNew = !queue.has(url)
            guard queue.ask(url, host: host, by: waiter, priority, keepingIn: tiers) else { return false }
            if isNew { traces[url] = TraceContext.current }
            return true
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
        let waiter = newWaiter()
        let host = Self.host(of: url)
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let answer: Result<CachedImage?, any Error>? = state.withLock { state in
                    guard !Task.isCancelled, !state.isOver else { return .failure(CancellationError()) }
                    guard !isCached() else { return .success(nil) }
                    guard state.ask(url, host: host, by: waiter, priority, keepingIn: tiers) else {
                        return .failure(TooManyWaiting())
                    }
                    state.waiting[waiter] = .load(continuation)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) } else { wake.yield() }
            }
        } onCancel: {
            leave([url], waiter, .cancel)
        }
        return try outcome.get()
    }

    /// Fetches images with a lower priority than `image`; returns when all fetches have ended. If the task is
    /// cancelled, fetches that have not started are dropped.
    /// - Parameter isCached: as for `image`.
    /// - Returns: the number of fetches that were queued; the queue may be full for the others.
    func prefetch(_ urls: [String], unless isCached: (String) -> Bool = { _ in false }) async throws -> Int {
        let waiter = newWaiter()
        let taken = Mutex(0)
        var seen: Set<String> = []
        let hosts = urls.filter { seen.insert($0).inserted }.map { (url: $0, host: Self.host(of: $0)) }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let count = state.withLock { state in
                    guard !Task.isCancelled, !state.isOver else { return 0 }
                    let count = hosts.count { url, host in
                        !isCached(url) && state.ask(url, host: host, by: waiter, .prefetch)
                    }
                    if count > 0 { state.waiting[waiter] = .prefetch(left: count, continuation) }
                    return count
                }
                taken.withLock { $0 = count }
                if count == 0 { continuation.resume() } else { wake.yield() }
            }
        } onCancel: {
            leave(urls, waiter, .goesOn)
        }
        try Task.checkCancellation()
        return taken.withLock { $0 }
    }

    /// Detaches fetches in progress from later calls, before an eviction: see `FetchQueue.retire`.
    /// - Parameter urls: the URLs to detach; nil for all.
    func retire(_ urls: Set<String>?) { state.withLock { $0.queue.retire(urls) } }

    private func newWaiter() -> FetchQueue.Waiter {
        state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
    }

    private func leave(_ urls: [String], _ waiter: FetchQueue.Waiter, _ unwanted: FetchQueue.Unwanted) {
        let waiting = state.withLock { state in
            for url in urls {
                switch state.queue.leave(url, waiter, unwanted) {
                case .stays: break
                case .neverBegins: state.traces[url] = nil
                case .cancel(let run): state.cancels[run]?.finish()
                }
            }
            return state.waiting.removeValue(forKey: waiter)
        }
        waiting?.resume(returning: .failure(CancellationError()))
    }

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
        let waiting = state.withLock { state in
            state.isOver = true
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for waiting in waiting { waiting.resume(returning: .failure(CancellationError())) }
    }

    /// - Returns: whether to call it again for another fetch.
    private func beginNext(in group: inout DiscardingTaskGroup) -> Bool {
        let (cancelled, cancel) = AsyncStream.makeStream(of: Void.self)
        let (next, trace) = state.withLock { state in
            let next = state.queue.next(now: now)
            guard case .begin(let run) = next else { return (next, TraceContext()) }
            // Set under the same lock, so that a caller that leaves from now on can cancel the fetch.
            state.cancels[run] = cancel
            return (next, state.traces.removeValue(forKey: run.url) ?? TraceContext())
        }
        switch next {
        case .begin(let run):
            group.addTask {
                await TraceContext.$current.withValue(trace) { await self.carryOut(run, unless: cancelled) }
            }
            return true
        case .wait(let until):
            setAlarm(until, in: &group)
            return false
        case .nothing: return false
        }
    }

    /// Schedules a wake-up of the queue. One sleeping task suffices, however often the queue asks for it.
    private func setAlarm(_ time: Duration, in group: inout DiscardingTaskGroup) {
        let isNeeded = state.withLock { state in
            if let alarm = state.alarm, alarm <= time { return false }
            state.alarm = time
            return true
        }
        guard isNeeded else { return }
        group.addTask {
            // `sleep` throws only on cancellation, after which nothing needs to be woken.
            try? await self.clock.sleep(until: .uptimeNanoseconds(0) + TimeAmount(time))
            self.state.withLock { if $0.alarm == time { $0.alarm = nil } }
            self.wake.yield()
        }
    }

    private func carryOut(_ run: FetchQueue.Run, unless cancelled: AsyncStream<Void>) async {
        let outcome = await outcome(of: run, unless: cancelled)
        let waiting = state.withLock { state in
            state.cancels[run] = nil
            let waiters = state.queue.ended(run, hostFailed: outcome.hostFailed, now: now)
            return waiters.compactMap { state.waiting.removeOne($0) }
        }
        for waiting in waiting { waiting.resume(returning: outcome) }
        wake.yield()
    }

    private func outcome(
        of run: FetchQueue.Run, unless cancelled: AsyncStream<Void>
    ) async -> Result<CachedImage?, any Error> {
        await withTaskGroup(of: Result<CachedImage?, any Error>?.self) { group in
            group.addTask {
                do {
                    return .success(try await self.fetch(run.url, self.destination(of: run)))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                for await _ in cancelled {}
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            // A cancelled fetch occupies its slot until it has ended.
            let second = await group.next() ?? nil
            return first ?? second ?? .failure(CancellationError())
        }
    }
}

extension ImageFetches {
    private func destination(of run: FetchQueue.Run) -> FetchDestination {
        FetchDestination { body in self.state.withLock { body($0.queue.tiers(of: run)) } }
    }
}

extension ImageFetches.Waiting {
    /// Resumes the caller. A prefetch does not learn the outcome.
    fileprivate func resume(returning outcome: Result<CachedImage?, any Error>) {
        switch self {
        case .load(let continuation): continuation.resume(returning: outcome)
        case .prefetch(_, let continuation): continuation.resume()
        }
    }
}

extension [FetchQueue.Waiter: ImageFetches.Waiting] {
    /// Records the end of one fetch of a waiter.
    /// - Returns: the waiter to resume, if this was its last fetch.
    fileprivate mutating func removeOne(_ waiter: FetchQueue.Waiter) -> ImageFetches.Waiting? {
        guard case .prefetch(let left, let continuation)? = self[waiter], left > 1 else {
            return removeValue(forKey: waiter)
        }
        self[waiter] = .prefetch(left: left - 1, continuation)
        return nil
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

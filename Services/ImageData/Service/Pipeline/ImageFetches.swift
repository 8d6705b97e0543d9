import Foundation
import ImageData
import RPC
import Synchronization

/// Has pictures fetched for all who want them: a `FetchQueue` with the tasks and the callers that belong to it. However
/// many wait, there are only as many tasks as fetches under way.
final class ImageFetches: Sendable {
    /// Fetches one picture and stores it. Nil when bytes were put meanwhile, so that nothing is to be fetched.
    typealias Fetch = @Sendable (_ url: String, _ destination: FetchDestination) async throws -> CachedImage?

    /// Too many wait already.
    struct TooManyWaiting: Error {}

    fileprivate enum Waiting {
        case load(UnsafeContinuation<Result<CachedImage?, any Error>, Never>)
        /// Whose urls have not all come yet.
        case prefetch(left: Int, UnsafeContinuation<Void, Never>)
    }

    private struct State {
        var queue: FetchQueue
        var waiting: [FetchQueue.Waiter: Waiting] = [:]
        var lastWaiter = 0
        var cancels: [FetchQueue.Run: AsyncStream<Void>.Continuation] = [:]

        /// On whose behalf what has not begun will be fetched: the first who has asked.
        var traces: [String: TraceContext] = [:]

        /// When somebody who sleeps asks the queue again.
        var alarm: ContinuousClock.Instant?

        /// Nobody fetches any more.
        var isOver = false
    }

    private let state: Mutex<State>
    private let fetch: Fetch
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    init(queue: FetchQueue = FetchQueue(), fetch: @escaping Fetch) {
        state = Mutex(State(queue: queue))
        self.fetch = fetch
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// How many fetches are under way, and how many have not begun.
    var load: (running: Int, waiting: Int) { state.withLock { ($0.queue.running, $0.queue.waiting) } }

    /// How many callers wait.
    var waiters: Int { state.withLock { $0.waiting.count } }

    /// Whether the host of a URL has failed and has not answered since.
    func isHostInTrouble(_ url: String) -> Bool {
        let host = Self.host(of: url)
        return state.withLock { $0.queue.isInTrouble(host) }
    }

    // MARK: Asking

    /// The picture, fetched for whoever else wants it too. Cancelled when the task is, and with it the fetch when nobody
    /// else waits.
    /// - Parameter isKept: looks whether the picture is there meanwhile. Asked while no fetch can end, so that none that has
    ///   is made again.
    /// - Returns: nil when the picture is kept.
    func image(
        at url: String, _ priority: FetchQueue.Priority, keepingIn tiers: ImageTiers,
        unless isKept: () -> Bool = { false }
    ) async throws -> CachedImage? {
        let waiter = newWaiter()
        let host = Self.host(of: url)
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let answer: Result<CachedImage?, any Error>? = state.withLock { state in
                    guard !Task.isCancelled, !state.isOver else { return .failure(CancellationError()) }
                    guard !isKept() else { return .success(nil) }
                    guard state.queue.ask(url, host: host, by: waiter, priority, keepingIn: tiers) else {
                        return .failure(TooManyWaiting())
                    }
                    state.waiting[waiter] = .load(continuation)
                    state.traces[url] = state.traces[url] ?? TraceContext.current
                    return nil
                }
                if let answer { continuation.resume(returning: answer) } else { wake.yield() }
            }
        } onCancel: {
            leave([url], waiter, .cancel)
        }
        return try outcome.get()
    }

    /// Fetches pictures that somebody may look at soon; returns when all have come or failed. When the task is cancelled,
    /// those that have not begun never begin.
    /// - Parameter isKept: as for `image`.
    /// - Returns: how many were taken on; the rest is too much at once.
    func prefetch(_ urls: [String], unless isKept: (String) -> Bool = { _ in false }) async throws -> Int {
        let waiter = newWaiter()
        let taken = Mutex(0)
        var seen: Set<String> = []
        let hosts = urls.filter { seen.insert($0).inserted }.map { (url: $0, host: Self.host(of: $0)) }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let count = state.withLock { state in
                    guard !Task.isCancelled, !state.isOver else { return 0 }
                    let count = hosts.count { url, host in
                        guard !isKept(url), state.queue.ask(url, host: host, by: waiter, .prefetch) else {
                            return false
                        }
                        state.traces[url] = state.traces[url] ?? TraceContext.current
                        return true
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

    /// Separates the fetches under way from what comes later, before an eviction: see `FetchQueue.retire`.
    /// - Parameter urls: nil for all.
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
                case .stays: continue
                case .neverBegins: break
                case .cancel(let run): state.cancels[run]?.finish()
                }
                if !state.queue.has(url) { state.traces[url] = nil }
            }
            return state.waiting.removeValue(forKey: waiter)
        }
        waiting?.resume(returning: .failure(CancellationError()))
    }

    /// What fails together: two servers on one host do not.
    private static func host(of url: String) -> String {
        guard let url = URL(string: url), let scheme = url.scheme, let host = url.host() else { return "" }
        return "\(scheme)://\(host):\(url.port ?? 0)".lowercased()
    }

    // MARK: Fetching

    /// Fetches until the task is cancelled; then whoever waits is told so.
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

    /// - Returns: whether another one may begin too.
    private func beginNext(in group: inout DiscardingTaskGroup) -> Bool {
        let (cancelled, cancel) = AsyncStream.makeStream(of: Void.self)
        let next = state.withLock { state in
            let next = state.queue.next(now: .now)
            // At once: whoever leaves from now on has something to cancel.
            if case .begin(let run) = next { state.cancels[run] = cancel }
            return next
        }
        switch next {
        case .begin(let run):
            group.addTask { await self.carryOut(run, unless: cancelled) }
            return true
        case .wait(let until):
            setAlarm(until, in: &group)
            return false
        case .nothing: return false
        }
    }

    /// However often the queue says until when to wait, one sleeper is enough.
    private func setAlarm(_ time: ContinuousClock.Instant, in group: inout DiscardingTaskGroup) {
        let isNeeded = state.withLock { state in
            if let alarm = state.alarm, alarm <= time { return false }
            state.alarm = time
            return true
        }
        guard isNeeded else { return }
        group.addTask {
            // Cancelled while it sleeps: nothing is left to be woken.
            try? await Task.sleep(until: time)
            self.state.withLock { if $0.alarm == time { $0.alarm = nil } }
            self.wake.yield()
        }
    }

    private func carryOut(_ run: FetchQueue.Run, unless cancelled: AsyncStream<Void>) async {
        let trace = state.withLock { $0.traces[run.url] } ?? TraceContext()
        let outcome = await TraceContext.$current.withValue(trace) {
            await self.outcome(of: run, unless: cancelled)
        }
        let waiting = state.withLock { state in
            state.cancels[run] = nil
            let waiters = state.queue.ended(run, hostFailed: outcome.hostFailed, now: .now)
            if !state.queue.has(run.url) { state.traces[run.url] = nil }
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
            // A fetch that is cancelled holds its place until it has ended.
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
    /// Tells how it ended; of what it has prefetched nobody is told.
    fileprivate func resume(returning outcome: Result<CachedImage?, any Error>) {
        switch self {
        case .load(let continuation): continuation.resume(returning: outcome)
        case .prefetch(_, let continuation): continuation.resume()
        }
    }
}

extension [FetchQueue.Waiter: ImageFetches.Waiting] {
    /// What one of those that somebody waits for means to them.
    /// - Returns: whom to tell, when it was the last.
    fileprivate mutating func removeOne(_ waiter: FetchQueue.Waiter) -> ImageFetches.Waiting? {
        guard case .prefetch(let left, let continuation)? = self[waiter], left > 1 else {
            return removeValue(forKey: waiter)
        }
        self[waiter] = .prefetch(left: left - 1, continuation)
        return nil
    }
}

extension Result<CachedImage?, any Error> {
    /// Whether the host did not answer; nil when it was not asked to the end.
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

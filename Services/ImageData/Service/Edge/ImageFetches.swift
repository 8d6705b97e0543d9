import Foundation
import ImageData
import Synchronization

/// Has pictures fetched for all who want them: a `FetchQueue` with the tasks and the callers that belong to it. However
/// many wait, there are only as many tasks as fetches under way.
final class ImageFetches: Sendable {
    /// Fetches one picture, and keeps it where the tiers say when it has come.
    typealias Fetch =
        @Sendable (_ url: String, _ tiers: @escaping @Sendable () -> ImageTiers) async throws -> CachedImage

    /// Too many wait already.
    struct TooManyWaiting: Error {}

    fileprivate enum Waiting {
        case load(UnsafeContinuation<Result<CachedImage, any Error>, Never>)
        /// Whose urls have not all come yet.
        case prefetch(left: Int, UnsafeContinuation<Void, Never>)
    }

    private struct State {
        var queue: FetchQueue
        var waiting: [FetchQueue.Waiter: Waiting] = [:]
        var lastWaiter = 0
        var cancels: [FetchQueue.Run: AsyncStream<Void>.Continuation] = [:]
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

    // MARK: Asking

    /// The picture, fetched for whoever else wants it too. Cancelled when the task is, and with it the fetch when nobody
    /// else waits.
    func image(at url: String, _ priority: FetchQueue.Priority, keepingIn tiers: ImageTiers) async throws -> CachedImage
    {
        let waiter = newWaiter()
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let refusal: (any Error)? = state.withLock { state in
                    guard !Task.isCancelled else { return CancellationError() }
                    let host = Self.host(of: url)
                    guard state.queue.ask(url, host: host, by: waiter, priority, keepingIn: tiers) else {
                        return TooManyWaiting()
                    }
                    state.waiting[waiter] = .load(continuation)
                    return nil
                }
                if let refusal { continuation.resume(returning: .failure(refusal)) } else { wake.yield() }
            }
        } onCancel: {
            leave([url], waiter, .cancel)
        }
        return try outcome.get()
    }

    /// Fetches pictures that somebody may look at soon; returns when all have come or failed. When the task is cancelled,
    /// those that have not begun never begin.
    /// - Returns: how many were taken on; the rest is too much at once.
    func prefetch(_ urls: [String]) async throws -> Int {
        let waiter = newWaiter()
        let taken = Mutex(0)
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let count = state.withLock { state in
                    guard !Task.isCancelled else { return 0 }
                    let count = Set(urls).count { state.queue.ask($0, host: Self.host(of: $0), by: waiter, .prefetch) }
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

    private func newWaiter() -> FetchQueue.Waiter {
        state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
    }

    private func leave(_ urls: [String], _ waiter: FetchQueue.Waiter, _ unwanted: FetchQueue.Unwanted) {
        let waiting = state.withLock { state in
            for url in urls {
                if case .cancel(let run) = state.queue.leave(url, waiter, unwanted) { state.cancels[run]?.finish() }
            }
            return state.waiting.removeValue(forKey: waiter)
        }
        switch waiting {
        case .load(let continuation): continuation.resume(returning: .failure(CancellationError()))
        case .prefetch(_, let continuation): continuation.resume()
        case nil: break
        }
    }

    private static func host(of url: String) -> String { URL(string: url)?.host()?.lowercased() ?? "" }

    // MARK: Fetching

    /// Fetches until the task is cancelled; then whoever waits is told so.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await _ in wakes {
                while let run = next(in: &group) {
                    group.addTask { await self.carryOut(run) }
                }
            }
            group.cancelAll()
        }
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for waiting in waiting {
            switch waiting {
            case .load(let continuation): continuation.resume(returning: .failure(CancellationError()))
            case .prefetch(_, let continuation): continuation.resume()
            }
        }
    }

    private func next(in group: inout DiscardingTaskGroup) -> FetchQueue.Run? {
        switch state.withLock({ $0.queue.next(now: .now) }) {
        case .begin(let run): return run
        case .nothing: return nil
        case .wait(let until):
            group.addTask {
                // Cancelled while it sleeps: nothing is left to be woken.
                try? await Task.sleep(until: until)
                self.wake.yield()
            }
            return nil
        }
    }

    private func carryOut(_ run: FetchQueue.Run) async {
        let (cancelled, cancel) = AsyncStream.makeStream(of: Void.self)
        state.withLock { $0.cancels[run] = cancel }
        let outcome = await outcome(of: run, unless: cancelled)
        let waiting = state.withLock { state in
            state.cancels[run] = nil
            return state.queue.ended(run, hostFailed: outcome.hostFailed, now: .now).compactMap { waiter in
                state.waiting.removeOne(waiter)
            }
        }
        for waiting in waiting {
            switch waiting {
            case .load(let continuation): continuation.resume(returning: outcome)
            case .prefetch(_, let continuation): continuation.resume()
            }
        }
        wake.yield()
    }

    private func outcome(
        of run: FetchQueue.Run, unless cancelled: AsyncStream<Void>
    ) async -> Result<CachedImage, any Error> {
        await withTaskGroup(of: Result<CachedImage, any Error>?.self) { group in
            group.addTask {
                do {
                    return .success(
                        try await self.fetch(run.url) { self.state.withLock { $0.queue.tiers(of: run) } })
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

extension Result<CachedImage, any Error> {
    /// Whether the host did not answer; nil when nobody knows.
    fileprivate var hostFailed: Bool? {
        switch self {
        case .success: false
        case .failure(let error as ImageOriginError): error.isConnectivity
        case .failure(is CancellationError): nil
        case .failure: false
        }
    }
}

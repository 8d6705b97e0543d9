/// A priority queue of fetches: concurrent requests for a URL share one fetch, the number of concurrent fetches is
/// limited, and loads precede prefetches. It is a value without side effects: `ImageFetches`, in the service, starts
/// and cancels the fetches that its methods return. `HostBackoff` pauses hosts that have failed. Times are those since
/// the caller's monotonic clock was 0.
public struct FetchQueue: Sendable {
    /// A caller that waits for fetches.
    public typealias Waiter = Int

    public enum Priority: Sendable { case visible, prefetch }

    public enum Next: Equatable, Sendable {
        /// Start this fetch, and call `ended` when it is over.
        case begin(Run)
        /// Call `next` again at this time: a host is in backoff until then.
        case wait(until: Duration)
        /// Call `next` again after a change.
        case nothing
    }

    /// A fetch in progress.
    public struct Run: Hashable, Sendable {
        public let url: String
        let number: Int
    }

    public enum Leaving: Equatable, Sendable {
        /// The fetch continues: other callers wait for it, or the caller was not waiting for it.
        case stays
        /// The fetch had not started and is dropped.
        case neverBegins
        /// The fetch must be cancelled.
        case cancel(Run)
    }

    /// What to do with a fetch in progress when its last waiter leaves.
    public enum Unwanted: Sendable { case cancel, goesOn }

    private enum State: Sendable {
        case waiting(Priority, ticket: Int)
        /// Its host is in backoff.
        case parked(Priority, ticket: Int)
        case running(Run)
    }

    private struct Fetch: Sendable {
        let host: String
        var waiters: Set<Waiter>
        var tiers: ImageTiers
        var state: State
    }

    private struct Start: Sendable {
        let host: String
        let time: Duration

        /// Whether the host has answered another request since the start.
        var hasHostAnswered = false
    }

    /// The default number of concurrent fetches, and the default limit for queued prefetches; the limit for queued
    /// loads is twice as high.
    public static let defaultConcurrency = 6
    public static let waitingLimit = 10_000

    public let concurrency: Int

    /// The maximum number of concurrent fetches from hosts that have failed and not answered since. The other half of
    /// the slots remains available for working hosts.
    public var concurrencyInTrouble: Int { max(1, concurrency / 2) }

    private let limit: Int

    /// Queued fetches and fetches in progress, by URL.
    private var fetches: [String: Fetch] = [:]
    private var visible = TicketLine()
    private var prefetch = TicketLine()
    private var parked: [String: TicketLine] = [:]
    private var backoff = HostBackoff()
    private var begun: [Run: Start] = [:]
    private var runs = 0

    /// The waiters of fetches that an eviction has retired.
    private var retired: [Run: Set<Waiter>] = [:]

    public init(concurrency: Int = defaultConcurrency, waitingLimit: Int = waitingLimit) {
        self.concurrency = concurrency
        limit = waitingLimit
    }

    /// The number of fetches in progress, including cancelled ones that have not ended.
    public var running: Int { begun.count }

    /// Whether a fetch of this URL is queued or in progress; a retired one does not count.
    public func has(_ url: String) -> Bool { fetches[url] != nil }

    /// Whether a host has failed and not answered since.
    public func isInTrouble(_ host: String) -> Bool { backoff.isInTrouble(host) }

    /// The number of queued fetches.
    public var waiting: Int { visible.count + prefetch.count + parked.values.reduce(0) { $0 + $1.count } }

    /// Adds a waiter to the fetch of a URL, and queues the fetch if there is none.
    /// - Parameter tiers: the caches to store the result in; the fetch stores it in the caches of all its waiters.
    /// - Returns: false when the queue is full.
    public mutating func ask(
        _ url: String, host: String, by waiter: Waiter, _ priority: Priority, keepingIn tiers: ImageTiers = .all
    ) -> Bool {
        guard var fetch = fetches[url] else {
            guard hasRoom(priority) else { return false }
            fetches[url] = Fetch(host: host, waiters: [waiter], tiers: tiers, state: join(url, priority))
            return true
        }
        fetch.waiters.insert(waiter)
        fetch.tiers.formUnion(tiers)
        switch (fetch.state, priority) {
        case (.waiting(.prefetch, let ticket), .visible):
            prefetch.leave(ticket)
            fetch.state = join(url, .visible)
        case (.parked(.prefetch, let ticket), .visible): fetch.state = .parked(.visible, ticket: ticket)
        case (.waiting, _), (.parked, _), (.running, _): break
        }
        fetches[url] = fetch
        return true
    }

    /// Whether the queue has a free place. Prefetches never fill the places of loads.
    private func hasRoom(_ priority: Priority) -> Bool { waiting < (priority == .visible ? 2 * limit : limit) }

    private mutating func join(_ url: String, _ priority: Priority) -> State {
        let ticket = priority == .visible ? visible.join(url) : prefetch.join(url)
        return .waiting(priority, ticket: ticket)
    }

    /// Removes a waiter from the fetch of a URL.
    public mutating func leave(_ url: String, _ waiter: Waiter, _ unwanted: Unwanted = .cancel) -> Leaving {
        guard var fetch = fetches[url], fetch.waiters.remove(waiter) != nil else {
            return leaveRetired(url, waiter, unwanted)
        }
        guard fetch.waiters.isEmpty else {
            fetches[url] = fetch
            return .stays
        }
        switch (fetch.state, unwanted) {
        case (.waiting(.visible, let ticket), _): visible.leave(ticket)
        case (.waiting(.prefetch, let ticket), _): prefetch.leave(ticket)
        case (.parked(_, let ticket), _): parked[fetch.host]?.leave(ticket)
        case (.running(let run), .cancel):
            fetches[url] = nil
            return .cancel(run)
        case (.running, .goesOn):
            fetches[url] = fetch
            return .stays
        }
        fetches[url] = nil
        return .neverBegins
    }

    private mutating func leaveRetired(_ url: String, _ waiter: Waiter, _ unwanted: Unwanted) -> Leaving {
        guard let run = retired.first(where: { $0.key.url == url && $0.value.contains(waiter) })?.key else {
            return .stays
        }
        retired[run]?.remove(waiter)
        return retired[run]?.isEmpty == true && unwanted == .cancel ? .cancel(run) : .stays
    }

    /// Detaches fetches in progress from later calls. They still answer their waiters, but their results are not
    /// stored, and the next caller starts a new fetch.
    /// - Parameter urls: the URLs to detach; nil for all.
    public mutating func retire(_ urls: Set<String>?) {
        for run in begun.keys where urls?.contains(run.url) != false {
            guard let fetch = fetches[run.url], case .running(run) = fetch.state else { continue }
            retired[run] = fetch.waiters
            fetches[run.url] = nil
        }
    }

    /// The next action for the caller.
    public mutating func next(now: Duration) -> Next {
        unpark(now: now)
        guard running < concurrency else { return .nothing }
        while let url = visible.popFirst() ?? prefetch.popFirst() {
            guard var fetch = fetches[url], case .waiting(let priority, _) = fetch.state else { continue }
            if isLeftAlone(fetch.host, now: now) {
                fetch.state = .parked(priority, ticket: parked[fetch.host, default: TicketLine()].join(url))
                fetches[url] = fetch
                continue
            }
            runs += 1
            let run = Run(url: url, number: runs)
            fetch.state = .running(run)
            fetches[url] = fetch
            begun[run] = Start(host: fetch.host, time: now)
            return .begin(run)
        }
        return parked.keys.compactMap { backoff.pause(of: $0, now: now) }.min().map(Next.wait) ?? .nothing
    }

    private func isLeftAlone(_ host: String, now: Duration) -> Bool {
        guard backoff.isInTrouble(host) else { return false }
        return backoff.pause(of: host, now: now) != nil
            || begun.values.count { backoff.isInTrouble($0.host) } >= concurrencyInTrouble
    }

    private mutating func unpark(now: Duration) {
        for (host, line) in parked where line.count == 0 || !isLeftAlone(host, now: now) {
            var line = line
            parked[host] = nil
            while let url = line.popFirst() {
                guard case .parked(let priority, _)? = fetches[url]?.state else { continue }
                let state = join(url, priority)
                fetches[url]?.state = state
            }
        }
    }

    /// The caches to store the result of a fetch in; empty when it is retired or has no waiters.
    public func tiers(of run: Run) -> ImageTiers {
        guard let fetch = fetches[run.url], case .running(run) = fetch.state else { return [] }
        return fetch.tiers
    }

    /// Removes a fetch that has ended.
    /// - Parameter hostFailed: whether the host did not answer; its backoff then begins. Nil when that is unknown,
    ///   because the fetch was cancelled.
    /// - Returns: the waiters of the fetch.
    public mutating func ended(_ run: Run, hostFailed: Bool?, now: Duration) -> Set<Waiter> {
        guard let start = begun.removeValue(forKey: run) else { return [] }
        switch hostFailed {
        // The host answered another fetch while this one ran, so this failure does not start a backoff.
        case true? where start.hasHostAnswered: break
        case true?: backoff.failed(start.host, begun: start.time, now: now)
        case false?:
            backoff.succeeded(start.host)
            for (run, other) in begun where other.host == start.host { begun[run]?.hasHostAnswered = true }
        case nil: break
        }
        if let waiters = retired.removeValue(forKey: run) { return waiters }
        guard case .running(run)? = fetches[run.url]?.state else { return [] }
        return fetches.removeValue(forKey: run.url)?.waiters ?? []
    }
}

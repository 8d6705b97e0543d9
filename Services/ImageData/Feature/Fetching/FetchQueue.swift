/// A priority queue of fetches: concurrent requests for a URL share one fetch, the number of concurrent fetches is
/// limited, and loads precede prefetches. It is a value without side effects: `ImageFetches`, in the service, starts
/// and cancels the fetches that its methods return. `HostBackoff` pauses hosts that have failed. Times are those since
/// the caller's monotonic clock was 0.
public struct FetchQueue: Sendable {
    /// A caller that waits for fetches.
    public typealias Waiter = Int

    /// A fetch, queued or in progress.
    public typealias ID = Int

    public enum Priority: Comparable, Sendable { case visible, prefetch }

    /// A fetch to start.
    public struct Start: Equatable, Sendable {
        public let id: ID
        public let url: String

        /// The waiter that has waited for it longest.
        public let first: Waiter
    }

    /// What to do with a fetch in progress when its last waiter leaves.
    public enum Unwanted: Sendable { case cancel, goesOn }

    private struct Fetch: Sendable {
        let url: String
        let host: String
        var priority: Priority
        var waiters: Set<Waiter> = []
        var tiers: ImageTiers = []
    }

    private struct Place: Comparable, Sendable {
        let priority: Priority
        let id: ID

        static func < (one: Place, other: Place) -> Bool { (one.priority, one.id) < (other.priority, other.id) }
    }

    /// The default number of concurrent fetches, and the default limit for queued prefetches; the limit for queued
    /// loads is twice as high.
    public static let defaultConcurrency = 6
    public static let waitingLimit = 10_000

    public let concurrency: Int

    /// The maximum number of concurrent fetches from hosts that have failed and not answered since. If there is more than
    /// one slot, the other half remains available for working hosts.
    public var concurrencyInTrouble: Int { max(1, concurrency / 2) }

    private let limit: Int
    private var fetches: [ID: Fetch] = [:]
    private var lastID = 0

    /// The fetches that new callers join, by URL.
    private var current: [String: ID] = [:]

    /// The queued fetches, in their order.
    private var queue: [Place] = []

    /// The number of queued fetches for each host.
    private var queuedByHost: [String: Int] = [:]
    private var begun: Set<ID> = []
    private var backoff = HostBackoff()

    public init(concurrency: Int = defaultConcurrency, waitingLimit: Int = waitingLimit) {
        self.concurrency = concurrency
        limit = waitingLimit
    }

    /// The number of fetches in progress, including cancelled ones that have not ended.
    public var running: Int { begun.count }

    /// The number of queued fetches.
    public var waiting: Int { queue.count }

    /// Whether a host has failed and not answered since.
    public func isInTrouble(_ host: String) -> Bool { backoff.isInTrouble(host) }

    /// The caches to store the result of a fetch in; empty when it is retired or cancelled.
    public func tiers(of id: ID) -> ImageTiers { fetches[id]?.tiers ?? [] }

    // MARK: Waiting

    /// Adds a waiter to the fetch of a URL, and queues the fetch if there is none.
    /// - Parameter tiers: the caches to store the result in; the fetch stores it in the caches of all its waiters.
    /// - Returns: the fetch; nil when the queue is full.
    public mutating func ask(
        _ url: String, host: String, by waiter: Waiter, _ priority: Priority, keepingIn tiers: ImageTiers = .all
    ) -> ID? {
        let id = current[url] ?? lastID + 1
        if current[url] == nil {
            // Prefetches never fill the places of loads.
            guard waiting < (priority == .visible ? 2 * limit : limit) else { return nil }
            lastID = id
            current[url] = id
            fetches[id] = Fetch(url: url, host: host, priority: priority)
            enqueue(id, priority)
        } else if let old = fetches[id]?.priority, priority < old, !begun.contains(id) {
            dequeue(at: index(of: id, old))
            fetches[id]?.priority = priority
            enqueue(id, priority)
        }
        fetches[id]?.waiters.insert(waiter)
        fetches[id]?.tiers.formUnion(tiers)
        return id
    }

    /// Removes a waiter from a fetch. A queued fetch without waiters is dropped.
    /// - Returns: whether the fetch is in progress and must be cancelled.
    public mutating func leave(_ id: ID, _ waiter: Waiter, _ unwanted: Unwanted = .cancel) -> Bool {
        guard fetches[id]?.waiters.remove(waiter) != nil, let fetch = fetches[id], fetch.waiters.isEmpty else {
            return false
        }
        let isRunning = begun.contains(id)
        if isRunning, unwanted == .goesOn { return false }
        detach(id)
        guard !isRunning else { return true }
        dequeue(at: index(of: id, fetch.priority))
        fetches[id] = nil
        return false
    }

    /// Detaches fetches in progress from later calls. They still answer their waiters, but their results are not
    /// stored, and the next caller starts a new fetch.
    /// - Parameter urls: the URLs to detach; nil for all.
    public mutating func retire(_ urls: Set<String>?) {
        for id in begun where fetches[id].map({ urls?.contains($0.url) != false }) == true { detach(id) }
    }

    private mutating func detach(_ id: ID) {
        if let url = fetches[id]?.url, current[url] == id { current[url] = nil }
        fetches[id]?.tiers = []
    }

    private mutating func enqueue(_ id: ID, _ priority: Priority) {
        queue.insert(Place(priority: priority, id: id), at: index(of: id, priority))
        if let host = fetches[id]?.host { queuedByHost[host, default: 0] += 1 }
    }

    private mutating func dequeue(at index: Int) {
        let id = queue.remove(at: index).id
        guard let host = fetches[id]?.host, let count = queuedByHost[host] else { return }
        queuedByHost[host] = count > 1 ? count - 1 : nil
    }

    /// Where a fetch is in the queue, or belongs.
    private func index(of id: ID, _ priority: Priority) -> Int {
        let place = Place(priority: priority, id: id)
        var range = queue.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = queue[middle] < place ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    // MARK: Running

    /// Takes the next fetch from the queue. The caller starts it, and calls `ended` when it is over.
    /// - Returns: nil when none can start before a fetch ends or a pause of a host (`HostBackoff`) is over.
    public mutating func next(now: Duration) -> Start? {
        guard running < concurrency else { return nil }
        let isTroubleFull = begun.count { isInTrouble(of: $0) } >= concurrencyInTrouble
        func isBlocked(_ host: String) -> Bool {
            backoff.isInTrouble(host) && (isTroubleFull || backoff.isPaused(host, now: now))
        }
        // Thousands of fetches may wait for a few hosts.
        guard !queuedByHost.keys.allSatisfy(isBlocked),
            let index = queue.firstIndex(where: { fetches[$0.id].map { !isBlocked($0.host) } ?? false }),
            let fetch = fetches[queue[index].id], let first = fetch.waiters.min()
        else { return nil }
        let id = queue[index].id
        dequeue(at: index)
        begun.insert(id)
        return Start(id: id, url: fetch.url, first: first)
    }

    private func isInTrouble(of id: ID) -> Bool { fetches[id].map { backoff.isInTrouble($0.host) } ?? false }

    /// Removes a fetch that has ended.
    /// - Parameter hostFailed: whether the host did not answer; its backoff then begins. Nil when that is unknown,
    ///   because the fetch was cancelled.
    /// - Returns: the waiters of the fetch.
    public mutating func ended(_ id: ID, hostFailed: Bool?, now: Duration) -> Set<Waiter> {
        guard begun.remove(id) != nil, let fetch = fetches[id] else { return [] }
        switch hostFailed {
        case true?: backoff.failed(fetch.host, now: now)
        case false?: backoff.answered(fetch.host)
        case nil: break
        }
        detach(id)
        fetches[id] = nil
        return fetch.waiters
    }
}

/// Which picture is fetched next: one request for each URL however many ask, only so many at once, those that somebody
/// looks at before those that somebody may look at. A value without effects: what is to be done is what it returns.
public struct FetchQueue: Sendable {
    /// Who waits for a fetch.
    public typealias Waiter = Int

    public enum Priority: Sendable { case visible, prefetch }

    public enum Next: Equatable, Sendable {
        /// Fetch this, and say so with `ended` when it is over.
        case begin(Run)
        /// Ask again then: a host that has failed is left alone until then.
        case wait(until: ContinuousClock.Instant)
        /// Ask again when something has changed.
        case nothing
    }

    /// One fetch under way.
    public struct Run: Hashable, Sendable {
        public let url: String
        let number: Int
    }

    public enum Leaving: Equatable, Sendable {
        /// Others wait for it, or nobody has waited.
        case stays
        /// It had not begun, and never will.
        case neverBegins
        /// It is to be cancelled.
        case cancel(Run)
    }

    /// What to do with a fetch that has begun when the last who waits for it leaves.
    public enum Unwanted: Sendable { case cancel, goesOn }

    private enum State: Sendable {
        case waiting(Priority, ticket: Int)
        /// Its host is left alone for a while.
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
        let time: ContinuousClock.Instant

        /// Whether the host has answered another request since.
        var hasHostAnswered = false
    }

    /// How many fetches run at once unless the operator says otherwise, and how many prefetches are held beyond that; of what
    /// is visible twice as many.
    public static let defaultConcurrency = 6
    public static let waitingLimit = 10_000

    public let concurrency: Int

    /// How many fetches run at once from hosts that have failed and not answered since: half of the places are left for
    /// hosts that work.
    public var concurrencyInTrouble: Int { max(1, concurrency / 2) }

    private let limit: Int

    /// What is wanted or under way, by URL.
    private var fetches: [String: Fetch] = [:]
    private var visible = TicketLine()
    private var prefetch = TicketLine()
    private var parked: [String: TicketLine] = [:]
    private var backoff: HostBackoff
    private var begun: [Run: Start] = [:]
    private var runs = 0

    /// The waiters of the runs that an eviction has retired.
    private var retired: [Run: Set<Waiter>] = [:]

    public init(
        concurrency: Int = defaultConcurrency, waitingLimit: Int = waitingLimit, backoff: HostBackoff = HostBackoff()
    ) {
        self.concurrency = concurrency
        limit = waitingLimit
        self.backoff = backoff
    }

    /// How many run; one that is cancelled runs until it has ended.
    public var running: Int { begun.count }

    /// Whether a fetch of this URL is wanted or under way; a retired one does not count.
    public func has(_ url: String) -> Bool { fetches[url] != nil }

    /// Whether a host has failed and has not answered since.
    public func isInTrouble(_ host: String) -> Bool { backoff.isInTrouble(host) }

    /// How many have not begun.
    public var waiting: Int { visible.count + prefetch.count + parked.values.reduce(0) { $0 + $1.count } }

    /// Waits for a fetch.
    /// - Parameter tiers: where to keep what comes; it is kept wherever one of those who wait wants it.
    /// - Returns: false when too many wait already.
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

    /// What nobody looks at yet never takes the room of what somebody looks at.
    private func hasRoom(_ priority: Priority) -> Bool { waiting < (priority == .visible ? 2 * limit : limit) }

    private mutating func join(_ url: String, _ priority: Priority) -> State {
        let ticket = priority == .visible ? visible.join(url) : prefetch.join(url)
        return .waiting(priority, ticket: ticket)
    }

    /// Waits no longer.
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

    /// Separates the fetches under way from what comes later: they still answer the callers that wait for them, nothing
    /// that they bring is stored, and the next caller begins a new fetch.
    /// - Parameter urls: nil for all.
    public mutating func retire(_ urls: Set<String>?) {
        for run in begun.keys where urls?.contains(run.url) != false {
            guard let fetch = fetches[run.url], case .running(run) = fetch.state else { continue }
            retired[run] = fetch.waiters
            fetches[run.url] = nil
        }
    }

    /// What is to be done now.
    public mutating func next(now: ContinuousClock.Instant) -> Next {
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

    private func isLeftAlone(_ host: String, now: ContinuousClock.Instant) -> Bool {
        guard backoff.isInTrouble(host) else { return false }
        return backoff.pause(of: host, now: now) != nil
            || begun.values.count { backoff.isInTrouble($0.host) } >= concurrencyInTrouble
    }

    private mutating func unpark(now: ContinuousClock.Instant) {
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

    /// Where to keep what a fetch brings; nowhere once it is retired or no caller waits for it.
    public func tiers(of run: Run) -> ImageTiers {
        guard let fetch = fetches[run.url], case .running(run) = fetch.state else { return [] }
        return fetch.tiers
    }

    /// A fetch is over.
    /// - Parameter hostFailed: whether its host did not answer, so that it is left alone for a little; nil when that is not
    ///   known, because it was cancelled.
    /// - Returns: who waits for it.
    public mutating func ended(_ run: Run, hostFailed: Bool?, now: ContinuousClock.Instant) -> Set<Waiter> {
        guard let start = begun.removeValue(forKey: run) else { return [] }
        switch hostFailed {
        // A picture that failed while others came from the same host says nothing about the host.
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

import Testing

@testable import ImageData

@Suite struct FetchQueueTests {
    private var queue = FetchQueue(concurrency: 2)
    private let now = Duration.seconds(1_000)

    // MARK: Sharing a fetch

    @Test mutating func `all waiters of a URL share one fetch`() throws {
        for waiter in 1...100 { #expect(ask("a", by: waiter)) }
        let run = try begin("a")
        #expect(ask("a", by: 101))
        #expect(next() == nil)
        #expect(end(run) == Set(1...101))
        #expect((queue.running, queue.waiting) == (0, 0))
    }

    @Test mutating func `a later request starts a new fetch`() throws {
        _ = ask("a", by: 1)
        _ = end(try begin("a"))
        _ = ask("a", by: 2)
        #expect(end(try begin("a")) == [2])
    }

    @Test mutating func `the result is stored in the caches of all waiters`() throws {
        _ = ask("a", by: 1, keepingIn: [])
        let run = try begin("a")
        #expect(queue.tiers(of: run) == [])
        _ = ask("a", by: 2, keepingIn: .cold)
        #expect(queue.tiers(of: run) == .cold)
        _ = ask("a", by: 3, keepingIn: .hot)
        #expect(queue.tiers(of: run) == .all)
        _ = end(run)
        #expect(queue.tiers(of: run) == [])
    }

    // MARK: Retiring

    @Test(arguments: [nil, ["a"], ["a", "x"]] as [Set<String>?])
    mutating func `after an eviction the next caller begins a new fetch`(urls: Set<String>?) throws {
        _ = ask("a", by: 1)
        let old = try begin("a")
        queue.retire(urls)
        // The retired fetch stores nothing and answers its waiters.
        #expect(queue.tiers(of: old) == [])
        #expect(ask("a", by: 2))
        let new = try begin("a")
        #expect(queue.tiers(of: new) == .all)
        #expect(queue.running == 2)
        #expect(end(old) == [1])
        // The next caller joins the new fetch.
        #expect(ask("a", by: 3))
        #expect(end(new) == [2, 3])
        #expect(queue.running == 0)
    }

    @Test mutating func `an eviction of other URLs changes nothing`() throws {
        _ = ask("a", by: 1)
        let run = try begin("a")
        queue.retire(["b"])
        _ = ask("a", by: 2)
        #expect(next() == nil)
        #expect(queue.tiers(of: run) == .all)
        #expect(end(run) == [1, 2])
    }

    @Test mutating func `an eviction does not affect queued fetches`() throws {
        for waiter in 1...3 { _ = ask("\(waiter)", by: waiter) }
        let runs = try [begin("1"), begin("2")]
        queue.retire(nil)
        #expect(queue.waiting == 1)
        _ = end(runs[0])
        #expect(end(try begin("3")) == [3])
    }

    @Test mutating func `the last waiter of a retired fetch cancels only that fetch`() throws {
        for waiter in 1...2 { _ = ask("a", by: waiter) }
        let old = try begin("a")
        queue.retire(nil)
        _ = ask("a", by: 3)
        let new = try begin("a")
        #expect(!leave("a", 1))
        #expect(leave("a", 2))
        #expect(!leave("a", 2))
        #expect(end(old) == [])
        #expect(end(new) == [3])
    }

    @Test mutating func `a retired prefetch continues without its waiters`() throws {
        _ = ask("a", by: 1, .prefetch)
        let run = try begin("a")
        queue.retire(nil)
        #expect(!leave("a", 1, .goesOn))
        #expect(end(run) == [])
        #expect(queue.running == 0)
    }

    // MARK: Order

    @Test(arguments: 1...3) mutating func `the number of concurrent fetches is limited`(concurrency: Int) throws {
        queue = FetchQueue(concurrency: concurrency)
        for waiter in 1...5 { _ = ask("\(waiter)", by: waiter) }
        var runs = try (1...concurrency).map { try begin("\($0)") }
        #expect(next() == nil)
        #expect((queue.running, queue.waiting) == (concurrency, 5 - concurrency))
        _ = end(runs.removeLast())
        _ = try begin("\(concurrency + 1)")
        #expect(next() == nil)
    }

    @Test mutating func `loads precede prefetches`() throws {
        for url in ["p1", "p2"] { _ = ask(url, by: 1, .prefetch) }
        for url in ["v1", "v2"] { _ = ask(url, by: 2, .visible) }
        #expect(try order(4) == ["v1", "v2", "p1", "p2"])
    }

    @Test mutating func `a prefetch that is loaded precedes the other prefetches`() throws {
        for url in ["p1", "p2", "p3"] { _ = ask(url, by: 1, .prefetch) }
        _ = ask("v1", by: 2, .visible)
        _ = ask("p3", by: 3, .visible)
        #expect(queue.waiting == 4)
        #expect(try order(4) == ["p3", "v1", "p1", "p2"])
    }

    @Test mutating func `a load that is also prefetched keeps its priority`() throws {
        _ = ask("p1", by: 1, .prefetch)
        _ = ask("v1", by: 2, .visible)
        _ = ask("v1", by: 3, .prefetch)
        #expect(try order(2) == ["v1", "p1"])
    }

    // MARK: Leaving

    @Test(arguments: [FetchQueue.Priority.visible, .prefetch])
    mutating func `a queued fetch without waiters is dropped`(priority: FetchQueue.Priority) {
        _ = ask("a", by: 1, priority)
        _ = ask("a", by: 2, priority)
        #expect(!leave("a", 1))
        #expect(!leave("a", 2))
        #expect(next() == nil)
        #expect((queue.running, queue.waiting) == (0, 0))
    }

    @Test mutating func `a promoted prefetch without waiters is dropped`() {
        _ = ask("a", by: 1, .prefetch)
        _ = ask("a", by: 2, .visible)
        #expect(!leave("a", 2))
        #expect(!leave("a", 1))
        #expect(next() == nil)
    }

    @Test mutating func `a fetch in progress is cancelled with its last waiter`() throws {
        _ = ask("a", by: 1)
        let run = try begin("a")
        _ = ask("a", by: 2)
        #expect(!leave("a", 1))
        #expect(leave("a", 2))
        #expect(!leave("a", 2))
        // A cancelled fetch occupies its slot until it has ended.
        #expect(queue.running == 1)
        #expect(queue.tiers(of: run) == [])
        #expect(end(run) == [])
        #expect(queue.running == 0)
    }

    @Test mutating func `a prefetch in progress continues without waiters`() throws {
        _ = ask("a", by: 1, .prefetch)
        let run = try begin("a")
        #expect(!leave("a", 1, .goesOn))
        #expect(queue.tiers(of: run) == .all)
        _ = ask("a", by: 2)
        #expect(end(run) == [2])
    }

    @Test mutating func `an unknown waiter can leave`() throws {
        _ = ask("a", by: 1)
        let id = try begin("a")
        #expect(queue.leave(id, 2) == false)
        #expect(queue.leave(id + 1, 1) == false)
        #expect(end(id) == [1])
    }

    @Test mutating func `the end of a cancelled fetch does not end its successor`() throws {
        _ = ask("a", by: 1)
        let cancelled = try begin("a")
        _ = leave("a", 1)
        _ = ask("a", by: 2)
        let successor = try begin("a")
        #expect(queue.tiers(of: cancelled) == [])
        #expect(end(cancelled, hostFailed: nil) == [])
        #expect(queue.tiers(of: successor) == .all)
        #expect(end(successor) == [2])
    }

    @Test mutating func `a fetch ends once`() throws {
        _ = ask("a", by: 1)
        let run = try begin("a")
        #expect(end(run) == [1])
        _ = ask("a", by: 2)
        #expect(end(run) == [])
        #expect(queue.waiting == 1)
    }

    // MARK: Hosts that fail

    @Test mutating func `a failed host is in backoff while other hosts are requested`() throws {
        _ = ask("a1", host: "a", by: 1)
        #expect(end(try begin("a1"), hostFailed: true) == [1])
        _ = ask("a2", host: "a", by: 2)
        _ = ask("b", host: "b", by: 3)
        _ = try begin("b")
        let end = now + HostBackoff.pause
        #expect(next() == nil)
        #expect(queue.waiting == 1)
        #expect(next(end - .nanoseconds(1)) == nil)
        #expect(next(end)?.url == "a2")
    }

    @Test(arguments: [true, false]) mutating func `a fetch that waits for a host can be promoted and dropped`(
        isLeft: Bool
    )
        throws
    {
        fail("a")
        for url in ["p1", "p2"] { _ = ask(url, host: "a", by: 1, .prefetch) }
        #expect(next() == nil)
        _ = ask("p2", host: "a", by: 2, .visible)
        if isLeft {
            #expect(!leave("p2", 1))
            #expect(!leave("p2", 2))
            #expect(queue.waiting == 1)
        }
        let end = now + HostBackoff.pause
        #expect(next(end)?.url == (isLeft ? "p1" : "p2"))
    }

    @Test mutating func `a host that answers is not in backoff`() throws {
        _ = ask("a1", host: "a", by: 1)
        _ = ask("a2", host: "a", by: 2)
        let runs = [try begin("a1"), try begin("a2")]
        _ = end(runs[0], hostFailed: true)
        _ = ask("a3", host: "a", by: 3)
        #expect(next() == nil)
        _ = end(runs[1], hostFailed: false)
        _ = try begin("a3")
    }

    @Test mutating func `a cancelled fetch is no failure of its host`() throws {
        _ = ask("a1", host: "a", by: 1)
        _ = end(try begin("a1"), hostFailed: nil)
        _ = ask("a2", host: "a", by: 2)
        _ = try begin("a2")
    }

    @Test mutating func `a fetch keeps its place while its host is in backoff`() throws {
        fail("a")
        _ = ask("a1", host: "a", by: 1)
        for number in 1...2 { _ = ask("b\(number)", host: "b", by: 2) }
        let run = try begin("b1")
        let later = now + HostBackoff.pause
        #expect(next(later)?.url == "a1")
        _ = end(run)
        _ = try begin("b2")
    }

    /// A host that does not answer would otherwise occupy all slots for its time limit, repeatedly.
    @Test(arguments: [1, 2, 3, 6, 7]) mutating func `failing hosts have at most half of the slots, and at least one`(
        concurrency: Int
    ) throws {
        queue = FetchQueue(concurrency: concurrency)
        let limit = max(1, concurrency / 2)
        #expect(queue.concurrencyInTrouble == limit)
        for host in ["a", "b"] {
            _ = ask(host, host: host, by: 0)
            _ = end(try begin(host), hostFailed: true)
        }
        let later = now + HostBackoff.pause
        for number in 1...2 * concurrency {
            for host in ["a", "b"] { _ = ask("\(host)\(number)", host: host, by: number) }
            _ = ask("c\(number)", host: "c", by: number, .prefetch)
        }
        var runs: [FetchQueue.Start] = []
        while let run = next(later) { runs.append(run) }
        #expect(runs.count == concurrency)
        #expect(runs.count { !$0.url.hasPrefix("c") } == limit)
        // A fetch that ends frees its slot for the next one.
        let first = try #require(runs.first)
        _ = queue.ended(first.id, hostFailed: nil, now: later)
        let start = try #require(next(later))
        #expect(!start.url.hasPrefix("c"))
        #expect(next(later) == nil)
    }

    @Test mutating func `a host that answers again may use all slots`() throws {
        fail("a")
        for number in 1...4 { _ = ask("\(number)", host: "a", by: number) }
        let later = now + HostBackoff.pause
        let run = try #require(next(later))
        #expect(next(later) == nil)
        #expect(queue.isInTrouble("a"))
        _ = queue.ended(run.id, hostFailed: false, now: later)
        #expect(!queue.isInTrouble("a"))
        for _ in 1...2 {
            _ = try #require(next(later))
        }
    }

    // MARK: Limits

    @Test mutating func `the queue is limited, with twice as many loads as prefetches`() {
        queue = FetchQueue(concurrency: 1, waitingLimit: 3)
        for number in 1...3 { #expect(ask("p\(number)", by: 1, .prefetch)) }
        #expect(!ask("p4", by: 1, .prefetch))
        for number in 1...3 { #expect(ask("v\(number)", by: 2)) }
        #expect(!ask("v4", by: 2))
        // A waiter of a queued fetch needs no further place.
        #expect(ask("v3", by: 3) && ask("p3", by: 3))
        #expect(queue.waiting == 6)
        _ = next()
        #expect(ask("v4", by: 2))
    }

    @Test mutating func `fetches that wait for a host count too`() {
        queue = FetchQueue(concurrency: 1, waitingLimit: 2)
        fail("a")
        for number in 1...2 { #expect(ask("p\(number)", host: "a", by: 1, .prefetch)) }
        #expect(next() == nil)
        #expect(queue.waiting == 2)
        #expect(!ask("p3", by: 1, .prefetch))
    }

    @Test func `by default six fetches run and ten thousand are queued`() {
        #expect((FetchQueue.defaultConcurrency, FetchQueue.waitingLimit) == (6, 10_000))
        #expect(FetchQueue().concurrency == 6)
    }

    // MARK: Steps

    /// The last fetches that waiters asked for, by URL and waiter.
    private var asked: [String: FetchQueue.ID] = [:]

    private mutating func ask(
        _ url: String, host: String = "", by waiter: Int, _ priority: FetchQueue.Priority = .visible,
        keepingIn tiers: ImageTiers = .all
    ) -> Bool {
        let id = queue.ask(url, host: host, by: waiter, priority, keepingIn: tiers)
        asked["\(url) \(waiter)"] = id
        return id != nil
    }

    private mutating func leave(_ url: String, _ waiter: Int, _ unwanted: FetchQueue.Unwanted = .cancel) -> Bool {
        queue.leave(asked["\(url) \(waiter)"] ?? 0, waiter, unwanted)
    }

    private mutating func next(_ time: Duration? = nil) -> FetchQueue.Start? { queue.next(now: time ?? now) }

    /// Expects that the next fetch is for this URL.
    private mutating func begin(_ url: String) throws -> FetchQueue.ID {
        let start = try #require(next())
        #expect(start.url == url)
        return start.id
    }

    private mutating func end(_ id: FetchQueue.ID, hostFailed: Bool? = false) -> Set<Int> {
        queue.ended(id, hostFailed: hostFailed, now: now)
    }

    /// The URLs of the next fetches, one at a time.
    private mutating func order(_ count: Int) throws -> [String] {
        try (0..<count).map { _ in
            let start = try #require(next())
            _ = end(start.id)
            return start.url
        }
    }

    private mutating func fail(_ host: String) {
        _ = ask("failing", host: host, by: 0)
        if let start = next() { _ = end(start.id, hostFailed: true) }
    }
}

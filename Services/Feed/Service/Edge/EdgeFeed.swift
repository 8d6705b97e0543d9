import EdgeKit
import EdgeModel
import Feed
import FeedContract
import Foundation
import RPC
import ServiceKit
import Timing

/// The feed of an edge: fetches, maps and caches pages of its upstream; falls back to the cache.
struct EdgeFeed {
    let source: FeedSource
    let items: ItemSource
    let cache: any FeedCache
    let monitor: UpstreamMonitor
    let broadcast: ChangeBroadcast<FeedChange>

    /// Items that were recently sent to readers. They are available even when the cache cannot be written.
    let delivered = DeliveredItems()
    let now: @Sendable () -> Date

    /// The cached pages that the upstream's events would have named if they had changed.
    let current: CurrentAnswers<PageRequest>

    /// Called with errors that are faults of the program.
    let onFault: @Sendable (any Error) -> Void

    /// Concurrent requests for the same page share one upstream request.
    let flights: SingleFlight<PageRequest, LoadedFeed>

    /// What the upstream has removed, and the cache may still have.
    private let removals = Removals()

    /// Wakes when the upstream's feed has changed.
    private let news = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    private let itemFlights: SingleFlight<UUID, CachedFeedItem>

    struct PageRequest: Hashable {
        let limit: Int
        let cursor: FeedCursor
    }

    init(
        source: @escaping FeedSource, items: ItemSource, cache: any FeedCache, monitor: UpstreamMonitor,
        broadcast: ChangeBroadcast<FeedChange>, now: @escaping @Sendable () -> Date,
        clock: any MonotonicClock = .system, onFault: @escaping @Sendable (any Error) -> Void
    ) {
        flights = SingleFlight(clock: clock)
        itemFlights = SingleFlight(clock: clock)
        current = CurrentAnswers(clock: clock)
        self.source = source
        self.items = items
        self.cache = cache
        self.monitor = monitor
        self.broadcast = broadcast
        self.now = now
        self.onFault = onFault
    }

    /// Runs the upstream requests of `load` and `item`, until the task is cancelled.
    func run() async {
        async let items: Void = itemFlights.run()
        async let following: Void = loadNews()
        async let removing: Void = removals.run(remove)
        await flights.run()
        _ = await (items, following, removing)
    }

    /// Loads the top of the feed after each change, so that watchers of this edge are told of new items without a reader.
    private func loadNews() async {
        let top = PageRequest(limit: LoadFeed.defaultLimit, cursor: .start)
        for await _ in news.stream {
            // The first answer may be that of a reader who has asked before the change.
            for _ in 1...2 where !current.contains(top) {
                // The monitor notes a failure of the upstream, and the next reader asks again.
                _ = try? await load(top.limit, at: top.cursor, within: FetchBudget.most)
            }
        }
    }

    private func remove(_ removal: Removals.Removal) async {
        defer { broadcast.wake() }
        delivered.remove(removal.ids)
        // If the store fails, its monitor notes that, and an item leaves when its page is read again.
        _ = try? await ifPossible { try await cache.remove(removal.ids, at: removal.time) }
    }

    /// - Parameter time: the caller's remaining time.
    func load(_ limit: Int, at cursor: FeedCursor, within time: Duration) async throws -> LoadedFeed {
        let request = PageRequest(limit: limit, cursor: cursor)
        if let page = try await currentPage(request) { return page }
        let budget = monitor.time(of: time)
        let page = try await monitor.asking("the feed", within: budget) {
            try await flights.value(of: request) {
                let ask = current.ask(request)
                let page = try await fetch(limit, at: cursor, isFresh: ask != nil)
                let (delivered, isCached) = try await deliver(page)
                if let ask, page.isMonitored, isCached { current.answered(request, ask) }
                return delivered
            }
        }
        if let page { return page }
        return try await cached(limit, at: cursor)
    }

    // MARK: From the upstream

    /// Returns the upstream's items beyond the cursor, at most `limit`.
    private func fetch(_ limit: Int, at cursor: FeedCursor, isFresh: Bool) async throws -> FetchedFeedPage {
        let known = try await ifPossible { try await cache.answer(limit, at: cursor) }
        var page = try await source(limit, cursor, known, isFresh)
        guard let beyond = cursor.beyond(page.items) else {
            throw UpstreamMonitor.Failure.rejected("it repeats the items before the cursor")
        }
        // A source may combine several answers, and an item may have moved between them.
        var seen: Set<UUID> = []
        let once = beyond.filter { seen.insert($0.id).inserted }
        let items = cursor.isDownward ? Array(once.prefix(limit)) : Array(once.suffix(limit))
        if items.count < once.count { page.continuation = .more }
        page.items = items
        return page
    }

    private func deliver(_ page: FetchedFeedPage) async throws -> (page: LoadedFeed, isCached: Bool) {
        defer { broadcast.wake() }
        let change = try await ifPossible { try await cache.keep(page) }
        if let removed = change?.removed { delivered.remove(removed) }
        delivered.add(page.items, savedAt: page.savedAt)
        let loaded = LoadedFeed(
            page.items, at: page.cursor, isLast: page.isEnd || page.continuation != .more && change?.isLast == true,
            origin: .remote, savedAt: page.age > 0 ? page.savedAt : nil, notices: change == nil ? [.notKept] : nil)
        return (loaded, isCached: change != nil)
    }

    /// Deletes the expired items of the cache.
    /// - Returns: whether there were any.
    func dropExpired() async throws -> Bool {
        defer { broadcast.wake() }
        return try await !cache.dropExpired(at: now()).isEmpty
    }

    /// Returns an item. Asks the upstream only for one that is not known here: a link to an image also works before this edge has
    /// read the image's page.
    /// - Parameter time: the caller's remaining time.
    /// - Throws: `not_found`, or `connectivity` when the upstream cannot be asked.
    func item(_ id: UUID, within time: Duration) async throws -> LoadedItem {
        if let known = try await knownItem(id) {
            return LoadedItem(FeedItem(known.image), origin: .cache, savedAt: known.savedAt)
        }
        let budget = monitor.time(of: time, hasFallback: false)
        let item = try await monitor.asking("an item", within: budget) {
            try await itemFlights.value(of: id) {
                let fetched = try await items.item(id)
                delivered.add([fetched.image], savedAt: fetched.savedAt)
                return fetched
            }
        }
        guard let item else {
            throw RPCError(
                .connectivity, "the upstream gave no usable answer, and the item \(id.uuidString) is not cached here")
        }
        return LoadedItem(FeedItem(item.image), origin: .remote, savedAt: item.savedAt)
    }

    // MARK: According to the upstream's events

    /// Notes what the upstream's events tell.
    func note(_ state: UpstreamEvents.State) {
        current.note(state) { event in
            defer { news.continuation.yield() }
            removals.note(event, at: now())
            // Whatever cannot be read may have changed anything.
            guard event.name == "published", let items = try? FeedItemsMapper.map(event.data, statusCode: 200, page: "")
            else { return current.removeAll() }
            // New items are at the top. One of them may have been removed before, and then its former place was a cursor.
            let ids = Set(items.map(\.id))
            current.removeAll { request in
                if case .after(let id) = request.cursor { ids.contains(id) } else { true }
            }
        }
    }

    /// The page as it is cached; nil when the upstream must be asked.
    private func currentPage(_ request: PageRequest) async throws -> LoadedFeed? {
        guard current.contains(request),
            let known = try await ifPossible({ try await cache.answer(request.limit, at: request.cursor) }),
            let isLast = known.isLast(at: request.cursor)
        else { return nil }
        return LoadedFeed(known.items, at: request.cursor, isLast: isLast, origin: .remote)
    }

    // MARK: From the cache

    /// Returns a valid item from the cache or from the recently delivered items.
    func knownItem(_ id: UUID) async throws -> CachedFeedItem? {
        if let item = delivered.item(id, now: now()) { return item }
        guard let item = try await ifPossible({ try await cache.item(id) }) else { return nil }
        return FeedCachePolicy.isValid(savedAt: item.savedAt, at: now()) ? item : nil
    }

    private func cached(_ limit: Int, at cursor: FeedCursor) async throws -> LoadedFeed {
        let page = try await ifPossible { try await cache.page(limit, at: cursor, now: now()) }
        guard let page else {
            // The monitor has already logged the upstream's URL and its failure.
            throw RPCError(
                .connectivity, "the upstream gave no usable answer, and no valid copy of this page is cached")
        }
        delivered.add(page.items, savedAt: page.savedAt)
        return LoadedFeed(page.items, at: cursor, isLast: page.isLast, origin: .cache, savedAt: page.savedAt)
    }

    /// Runs an operation of the cache; a fault of the program gives nil, too.
    private func ifPossible<Result>(_ body: () async throws -> Result?) async throws -> Result? {
        do {
            return try await orNil(body)
        } catch let error as CancellationError {
            throw error
        } catch {
            onFault(error)
            return nil
        }
    }
}

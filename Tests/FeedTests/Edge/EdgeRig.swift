import EdgeKit
import EdgeModel
import Feed
import FeedContract
import Foundation
import GRDB
import RPC
import RPCTestKit
import SQLiteKit
import ServiceKit
import Timing
import Upstream

@testable import feed_service

/// An edge with a scripted upstream and clocks that the test sets.
final class EdgeRig: Sendable {
    let feed: EdgeFeed
    let store: Store
    let cache: SQLiteFeedCache
    let upstream: UpstreamMonitor
    let validation: CacheValidation
    let log: RecordedLog
    let faults: Recorded<String>
    let clock: TestClock
    let time = ManualClock()
    private let running: Task<Void, Never>

    init(
        _ directory: String, log: RecordedLog = RecordedLog(), clock: TestClock = TestClock(), isDurable: Bool = true,
        hasStore: Bool = true, isNumbered: Bool = false, cache other: (any FeedCache)? = nil,
        _ fetch: @escaping UpstreamFetch
    ) throws {
        let path = directory + "/feed-edge.sqlite"
        let logger = log.logger
        let opened = Result { () throws(StoreUnusable) in
            guard hasStore else { throw StoreUnusable(path: path, reason: .readOnly) }
            return try SQLiteFeedCache.opening.open(path)
        }
        if !isDurable, case .success(let pool) = opened {
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        }
        let faults = Recorded<String>()
        store = Store(SQLiteFeedCache.opening, at: path, opened, logger: logger, now: clock.read, clock: time)
        let base = try UpstreamBase("http://up.example")
        upstream = UpstreamMonitor(base, logger: logger, clock: time)
        cache = SQLiteFeedCache(store)
        let endpoint = FeedEndpoint(base.url)
        let keyset = KeysetSource(endpoint: endpoint, fetch: fetch, now: clock.read) { [cache] id in
            try await cache.item(id) != nil
        }
        let numbered = NumberedSource(endpoint: endpoint, fetch: fetch, now: clock.read, passed: cache.passed)
        let source: FeedSource = { limit, cursor, known, isFresh in
            isNumbered
                ? try await numbered.page(limit, at: cursor)
                : try await keyset.page(limit, at: cursor, known: known, isFresh: isFresh)
        }
        feed = EdgeFeed(
            source: source, items: ItemSource(endpoint: endpoint, fetch: fetch, now: clock.read), cache: other ?? cache,
            monitor: upstream, broadcast: ChangeBroadcast(cache), now: clock.read,
            clock: time, onFault: { error in faults.add("\(error)") })
        validation = CacheValidation(cache: cache, logger: logger, clock: time, dropExpired: feed.dropExpired)
        store.onReplacement(feed.broadcast.wake)
        (self.log, self.faults, self.clock) = (log, faults, clock)
        running = Task { [feed] in await feed.run() }
    }

    deinit {
        running.cancel()
        // It refers to the feed, which refers to the store: neither would end.
        store.onReplacement {}
    }

    func load(_ limit: Int = 10, at cursor: FeedCursor = .start) async throws -> LoadedFeed {
        try await feed.load(limit, at: cursor, within: .seconds(3_600))
    }
}

/// Records elements.
final class Recorded<Element: Sendable>: Sendable {
    private let recorded = Watched<[Element]>([])

    var all: [Element] { recorded.withLock { $0 } }

    func add(_ element: Element) { recorded.withLock { $0.append(element) } }

    /// Waits until there are this many.
    func wait(for count: Int) async { await recorded.wait { $0.count >= count } }
}

extension UpstreamAnswer {
    /// An upstream's answer with a page.
    /// - Parameter image: the image URL of all items; nil for a different one per item.
    static func page(
        _ numbers: [Int], _ headers: [(name: String, value: String)] = [], image: String? = nil
    ) -> UpstreamAnswer {
        let items = numbers.map {
            #"{"id":"\#(UUID(number: $0))","image":"\#(image ?? "https://pictures.example/\($0)")"}"#
        }
        return UpstreamAnswer(
            status: 200, headers: headers, body: Data(#"{"items":[\#(items.joined(separator: ","))]}"#.utf8))
    }
}

extension FeedCursor {
    /// The limit and the cursor in the URL of a request.
    static func parse(_ url: String) -> (limit: Int, cursor: FeedCursor) {
        let query = URLComponents(string: url)?.queryItems ?? []
        func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
        let limit = value("limit").flatMap(Int.init) ?? 0
        if let id = value("after_id").flatMap(UUID.init(uuidString:)) { return (limit, .after(id)) }
        if let id = value("before_id").flatMap(UUID.init(uuidString:)) { return (limit, .before(id)) }
        return (limit, .start)
    }
}

extension LoadedFeed {
    var numbers: [Int] { items.map(\.id.number) }
}

import EdgeKit
import EdgeModel
import Feed
import Foundation
import Synchronization

/// Fetches from an upstream that pages by number. Published and removed items shift all that follow, so the source
/// searches for a cursor around its last known index, and filters out items that the reader has already passed. An item
/// that is removed between two requests for one page can hide another item.
final class NumberedSource: Sendable {
    private let endpoint: FeedEndpoint
    private let fetch: UpstreamFetch
    private let now: @Sendable () -> Date

    /// Which of the given items a reader at a cursor has already passed.
    private let passed: @Sendable ([UUID], FeedCursor) async throws -> Set<UUID>
    private let places = Mutex<[UUID: Int]>([:])

    /// The maximum number of items whose index is stored.
    static let mostPlaces = 10_000

    /// The maximum number of pages to request for one item. The adjacent page may need one more request.
    static let mostRequests = 8

    /// The maximum number of pages that are skipped in one call because they contain only passed items.
    private static let mostRepeats = 5

    init(
        endpoint: FeedEndpoint, fetch: @escaping UpstreamFetch, now: @escaping @Sendable () -> Date,
        passed: @escaping @Sendable ([UUID], FeedCursor) async throws -> Set<UUID>
    ) {
        self.passed = passed
        self.endpoint = endpoint
        self.fetch = fetch
        self.now = now
    }

    /// A page without the items that the reader has passed.
    func page(_ limit: Int, at cursor: FeedCursor) async throws -> FetchedFeedPage {
        var place = cursor
        for _ in 0...Self.mostRepeats {
            var page = try await page(limit, beside: place, for: cursor)
            let passed = try await passed(page.items.map(\.id), cursor)
            let items = page.items
            page.items = items.filter { !passed.contains($0.id) && $0.id != cursor.id }
            let isEnd = cursor.isDownward && page.continuation == .last
            guard page.items.isEmpty, !isEnd, let next = place.next(after: items) else { return page }
            place = next
        }
        throw UpstreamMonitor.Failure.rejected("every page repeats the same items")
    }

    private func page(_ limit: Int, beside cursor: FeedCursor, for reader: FeedCursor) async throws -> FetchedFeedPage {
        var search = NumberedSearch(place: cursor.id.flatMap(place), size: limit) { [self] in
            try await page(number: $0, limit, for: reader)
        }
        guard let id = cursor.id else { return try await search.page(1) }
        if let found = try await search.find(id) {
            return try await search.page(beside: found, downward: cursor.isDownward)
        }
        // The item is no longer in the feed. The items that the reader has passed show where it was.
        let items = search.items
        let passed = try await passed(items.map(\.id), cursor)
        let last = cursor.isDownward ? items.last { passed.contains($0.id) } : items.first { passed.contains($0.id) }
        if let last { return try await search.page(beside: last.place, downward: cursor.isDownward) }
        if search.isExhaustive { throw reader.unknownError }
        throw UpstreamMonitor.Failure.rejected("the position of the item \(id.uuidString) cannot be determined")
    }

    private func place(of id: UUID) -> Int? { places.withLock { $0[id] } }

    private func page(number: Int, _ limit: Int, for reader: FeedCursor) async throws -> FetchedFeedPage {
        let url = endpoint.page(limit, number: number)
        let page = try await FetchedFeedPage(try await fetch(url, []), from: url, limit, at: reader, now: now())
        places.withLock { places in
            if places.count > Self.mostPlaces { places = [:] }
            for (index, item) in page.items.enumerated() { places[item.id] = (number - 1) * limit + index }
        }
        return page
    }
}

extension FeedCursor {
    /// The cursor after a page that was read here; nil when the page is empty.
    fileprivate func next(after page: [FeedImage]) -> FeedCursor? {
        isDownward ? page.last.map { .after($0.id) } : page.first.map { .before($0.id) }
    }
}

/// Searches an item in numbered pages, with a limited number of requests.
private struct NumberedSearch {
    /// The position of an item.
    struct Found {
        let number: Int
        let index: Int
    }

    private let begin: Int
    private let fetch: (Int) async throws -> FetchedFeedPage
    private var pages: [Int: FetchedFeedPage] = [:]

    /// - Parameter place: the item's last known index from the top of the feed.
    init(place: Int?, size: Int, fetch: @escaping (Int) async throws -> FetchedFeedPage) {
        begin = (place ?? 0) / size + 1
        self.fetch = fetch
    }

    mutating func page(_ number: Int) async throws -> FetchedFeedPage {
        if let page = pages[number] { return page }
        let page = try await fetch(number)
        pages[number] = page
        return page
    }

    /// Whether all pages were searched.
    private(set) var isExhaustive = false

    /// Searches the page of the last known index first, then pages further and further away in both directions.
    mutating func find(_ id: UUID) async throws -> Found? {
        var (up, down) = (begin - 1, begin)
        var hasMore = true
        while up >= 1 || hasMore {
            for number in [hasMore ? down : nil, up >= 1 ? up : nil].compactMap(\.self) {
                guard pages.count < NumberedSource.mostRequests else { return nil }
                if let found = try await found(id, on: number) { return found }
            }
            hasMore = hasMore && pages[down]?.items.isEmpty == false
            (up, down) = (up - 1, down + 1)
        }
        isExhaustive = true
        return nil
    }

    private mutating func found(_ id: UUID, on number: Int) async throws -> Found? {
        try await page(number).items.firstIndex { $0.id == id }.map { Found(number: number, index: $0) }
    }

    /// All items of the fetched pages, in the upstream's order.
    var items: [(id: UUID, place: Found)] {
        pages.keys.sorted().flatMap { number in
            (pages[number]?.items ?? []).enumerated().map { ($1.id, Found(number: number, index: $0)) }
        }
    }

    /// The items next to an item, from its page or the adjacent page.
    mutating func page(beside found: Found, downward: Bool) async throws -> FetchedFeedPage {
        var page = try await page(found.number)
        let items = page.items
        if downward {
            page.items = Array(items[(found.index + 1)...])
            guard page.items.isEmpty else { return page }
            // Items that have moved down from this page are filtered later: filtered here, a page of only such items
            // would look like the end of the feed.
            return try await self.page(found.number + 1)
        }
        page.items = Array(items[..<found.index])
        guard found.number > 1 else { return page }
        let previous = try await self.page(found.number - 1)
        let ids = Set(items.map(\.id))
        page.items = previous.items.filter { !ids.contains($0.id) } + page.items
        return page
    }
}

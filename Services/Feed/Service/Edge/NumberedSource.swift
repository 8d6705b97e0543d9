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

import Feed
import Foundation
import Synchronization

/// An upstream that pages by number. Items that come and go move all that follows, so a cursor is looked for where it was
/// seen last, and around there. What then comes twice is left out by whoever reads; of items that go between two requests
/// for one page nobody can tell.
final class NumberedSource: Sendable {
    private let endpoint: FeedEndpoint
    private let fetch: HTTPFetch
    private let now: @Sendable () -> Date

    /// Which of some items a reader at a cursor has passed.
    private let passed: @Sendable ([UUID], FeedCursor) async throws -> Set<UUID>
    private let places = Mutex<[UUID: Int]>([:])

    /// Of how many items it is remembered where they were.
    static let mostPlaces = 10_000

    init(
        endpoint: FeedEndpoint, fetch: @escaping HTTPFetch, now: @escaping @Sendable () -> Date,
        passed: @escaping @Sendable ([UUID], FeedCursor) async throws -> Set<UUID>
    ) {
        self.passed = passed
        self.endpoint = endpoint
        self.fetch = fetch
        self.now = now
    }

    func page(_ limit: Int, at cursor: FeedCursor) async throws -> SourcePage {
        var search = NumberedSearch(place: cursor.id.flatMap(place), size: limit) { [self] in
            try await page(number: $0, limit)
        }
        guard let id = cursor.id else { return try await search.page(1) }
        if let found = try await search.find(id) {
            return try await search.page(beside: found, downward: cursor.isDownward)
        }
        // It has left the feed. What the reader has passed tells where it was.
        let items = search.items
        let passed = try await passed(items.map(\.id), cursor)
        let last = cursor.isDownward ? items.last { passed.contains($0.id) } : items.first { passed.contains($0.id) }
        if let last { return try await search.page(beside: last.place, downward: cursor.isDownward) }
        if search.isExhaustive { throw FeedSourceError.cursorRefused(id) }
        throw FeedSourceError.rejected(FeedRejection("the place of \(id.uuidString) cannot be found"))
    }

    private func place(of id: UUID) -> Int? { places.withLock { $0[id] } }

    private func page(number: Int, _ limit: Int) async throws -> SourcePage {
        let answer = try await fetch(endpoint.page(limit, number: number), [])
        let page = try SourcePage(answer, now: now())
        places.withLock { places in
            if places.count > Self.mostPlaces { places = [:] }
            for (index, item) in page.items.enumerated() { places[item.id] = (number - 1) * limit + index }
        }
        return page
    }
}

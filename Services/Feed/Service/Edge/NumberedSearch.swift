import Feed
import Foundation

/// Searches an item in numbered pages, with a limited number of requests.
struct NumberedSearch {
    /// The position of an item.
    struct Found {
        let number: Int
        let index: Int
    }

    /// The maximum number of pages to request for one item. The adjacent page may need one more request.
    static let mostRequests = 8

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
                guard pages.count < Self.mostRequests else { return nil }
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

import Feed
import Foundation

/// The model of a feed's store: one list in feed order.
actor InMemoryFeedStore: FeedStore {
    /// Every item that was published. A removed one has no content; its place remains valid as a cursor.
    private var places: [(id: UUID, item: FeedImage?)] = []

    func slice(_ limit: Int, at cursor: FeedCursor) throws -> FeedSlice {
        switch cursor {
        case .start: return slice(of: places[...]) { $0.prefix(limit) }
        case .after(let id): return try slice(of: places[(index(of: id) + 1)...]) { $0.prefix(limit) }
        case .before(let id): return try slice(of: places[..<index(of: id)]) { $0.suffix(limit) }
        }
    }

    private func slice(
        of places: ArraySlice<(id: UUID, item: FeedImage?)>, _ part: ([FeedImage]) -> ArraySlice<FeedImage>
    ) -> FeedSlice {
        let items = places.compactMap(\.item)
        let page = Array(part(items))
        return FeedSlice(items: page, hasMore: page.count < items.count)
    }

    private func index(of id: UUID) throws -> Int {
        guard let index = places.firstIndex(where: { $0.id == id }) else { throw FeedStoreError.unknownCursor(id) }
        return index
    }

    func item(_ id: UUID) -> FeedImage? { places.first { $0.id == id }?.item }

    func items(_ ids: [UUID]) -> [FeedImage] { ids.compactMap(item) }

    func items(withIDs ids: ClosedRange<UUID>, limit: Int) -> [FeedImage] {
        Array(places.compactMap(\.item).filter { ids.contains($0.id) }.sorted { $0.id < $1.id }.prefix(limit))
    }

    func count() -> Int { places.count { $0.item != nil } }

    func publish(_ items: [FeedImage], now: Date) throws -> [FeedImage] {
        var (new, changed) = ([FeedImage](), places)
        for item in items.reversed() {
            if let present = changed.first(where: { $0.id == item.id })?.item {
                guard present.hasContent(of: item) else { throw FeedStoreError.conflict(item.id) }
                for index in changed.indices where changed[index].id == item.id {
                    changed[index].item = present.with(present.hints.completed(by: item.hints))
                }
                continue
            }
            changed.removeAll { $0.id == item.id }
            changed.insert((item.id, item.published(at: item.publishedAt ?? now)), at: 0)
            new.insert(item.published(at: item.publishedAt ?? now), at: 0)
        }
        places = changed
        return new
    }

    func remove(_ ids: [UUID]) -> [UUID] {
        let removed = places.indices.filter { places[$0].item != nil && ids.contains(places[$0].id) }
        for index in removed { places[index].item = nil }
        return removed.map { places[$0].id }
    }

    func checkIntegrity() {}
}

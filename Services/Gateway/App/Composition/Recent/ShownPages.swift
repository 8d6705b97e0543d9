import FeedContract
import Foundation
import Synchronization

/// The pages of the feed that readers have seen, for the time when the feed does not answer. Limited in number and bytes; the oldest
/// leave first, but of the first page of the feed one remains.
final class ShownPages: Sendable {
    static let maximumCount = 32
    static let maximumBytes = 4 << 20

    private struct Shown {
        let load: LoadFeed
        let page: LoadedFeed
    }

    /// The newest is the last.
    private let shown = Mutex<[Shown]>([])

    /// Notes a page that the feed has answered. An empty feed is not shown later: it would hide that the feed does not answer.
    func note(_ page: LoadedFeed, for load: LoadFeed, now: Date) {
        let copy = LoadedFeed(
            items: page.items, nextAfterID: page.nextAfterID, prevBeforeID: page.prevBeforeID, origin: .cache,
            savedAt: page.savedAt ?? now)
        shown.withLock { shown in
            guard !load.isFirst || !page.items.isEmpty else { return shown.removeAll { $0.load.isFirst } }
            shown.removeAll { $0.load == load }
            shown.append(Shown(load: load, page: copy))
            if let first = Self.longestFirst(shown) { shown.append(shown.remove(at: first)) }
            var bytes = 0
            let kept = shown.reversed().prefix(Self.maximumCount).prefix { entry in
                bytes += entry.page.items.reduce(0) { $0 + $1.heldBytes }
                return bytes <= Self.maximumBytes
            }
            shown = kept.reversed()
        }
    }

    /// The longest of the pages from the top of the feed.
    private static func longestFirst(_ shown: [Shown]) -> Int? {
        shown.indices.filter { shown[$0].load.isFirst }.max { shown[$0].page.items.count < shown[$1].page.items.count }
    }

    /// - Returns: for the first page also one of another length.
    func page(for load: LoadFeed) -> LoadedFeed? {
        shown.withLock { shown in
            let first = load.isFirst ? Self.longestFirst(shown).map { shown[$0].page } : nil
            return shown.last { $0.load == load }?.page ?? first
        }
    }

    func item(_ id: UUID) -> FeedItem? {
        shown.withLock { $0.reversed().lazy.compactMap { $0.page.items.first { $0.id == id } }.first }
    }

    /// Forgets the pages with these items; nil for all.
    func forget(_ ids: [UUID]? = nil) {
        shown.withLock { shown in
            guard let ids = ids.map(Set.init) else { return shown.removeAll() }
            shown.removeAll { $0.page.items.contains { ids.contains($0.id) } }
        }
    }

    /// The number of pages.
    var count: Int { shown.withLock(\.count) }
}

extension LoadFeed {
    fileprivate var isFirst: Bool { afterID == nil && beforeID == nil }
}

extension FeedItem {
    /// The approximate size in memory.
    fileprivate var heldBytes: Int {
        let texts = [description, location, details.alt, details.credit, details.license, details.source] + tags
        return 400 + image.utf8.count + texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }
}

import Feed
import Foundation
import GRDB

/// Stores one page of the upstream as links. See `FeedCache` for the rules.
struct PageKeeper {
    private let links: CacheLinks
    private let page: FetchedFeedPage
    private let budget: Int

    /// - Parameter budget: the most bytes of items that the cache may hold.
    init(_ page: FetchedFeedPage, budget: Int, _ db: Database) {
        (self.page, self.budget) = (page, budget)
        links = CacheLinks(db: db)
    }

    func keep() throws -> KeptFeedPage {
        let new = try newItems()
        let last =
            switch page.cursor {
            case .start: try keepFirst()
            case .after(let id): try keep(after: links.node(id) ?? links.insertCursor(id, savedAt: page.savedAt))
            case .before(let id): try keep(before: id)
            }
        try evict()
        return KeptFeedPage(new: new, isLast: try last.map { try links.node($0).endedAt != nil } ?? false)
    }

    /// What appeared at the top: items that were not cached, above the last one that was. Further down, a reader may just
    /// see them for the first time.
    private func newItems() throws -> [FeedImage] {
        guard try isAtTop() else { return [] }
        let isKnown = try page.items.map { try links.node($0.id)?.state == .item }
        let end = isKnown.lastIndex(of: true) ?? page.items.endIndex
        return page.items.indices.filter { $0 < end && !isKnown[$0] }.map { page.items[$0] }
    }

    private func isAtTop() throws -> Bool {
        switch page.cursor {
        case .start: true
        case .after: false
        case .before(let id): try links.node(id)?.prev == CacheNode.beginning
        }
    }

    // MARK: Downward

    private func keepFirst() throws -> Int64? {
        try links.refresh(CacheNode.beginning, at: page.savedAt)
        return try keep(after: links.node(CacheNode.beginning))
    }

    /// - Returns: the last node of the page; nil when the page does not follow its cursor.
    private func keep(after cursor: CacheNode) throws -> Int64? {
        // An upstream that ignores the cursor begins again with the first item.
        if !cursor.isBeginning, let first = page.items.first?.id, try first == firstItem() {
            try keepUnattached()
            return nil
        }
        var strand = try Strand(links, after: cursor, savedAt: page.savedAt)
        try strand.lay(page.items)
        if page.isEnd {
            try strand.end(removing: page.limit)
        } else if page.isShort {
            try strand.cutUnconfirmed()
        } else if page.continuation == .more {
            try strand.clearEnd()
        }
        return strand.position
    }

    private func firstItem() throws -> UUID? {
        try links.nodes(after: CacheNode.beginning, reach: 1).first { $0.state != .removed }?.id
    }

    /// The items follow one another, but nothing is known of what precedes them.
    private func keepUnattached() throws {
        guard let first = page.items.first else { return }
        let node: CacheNode
        if let known = try links.node(first.id) {
            node = known
            try links.write(first, at: known.number, savedAt: page.savedAt)
        } else {
            node = try links.node(links.insert(first, savedAt: page.savedAt))
        }
        var strand = try Strand(links, after: node, savedAt: page.savedAt)
        try strand.lay(Array(page.items.dropFirst()))
    }

    // MARK: Upward

    /// A page before a cursor is believed to precede it only where nothing else is known to: an upstream that ignores
    /// `before_id` answers its first page.
    private func keep(before id: UUID) throws -> Int64? {
        let cursor = try links.node(id)
        guard !page.items.isEmpty else {
            if let cursor, cursor.state != .unseen { try links.begin(with: cursor.number, at: page.savedAt) }
            return nil
        }
        if cursor?.prev == CacheNode.beginning {
            var strand = try Strand(links, after: links.node(CacheNode.beginning), savedAt: page.savedAt)
            for item in page.items { try strand.insert(item) }
            return nil
        }
        try keepUnattached()
        let below = try links.node(id) ?? links.insertCursor(id, savedAt: page.savedAt)
        guard below.prev == nil, let last = try page.items.last.flatMap({ try links.node($0.id) }), last.next == nil,
            last.endedAt == nil, try links.head(of: last.number) != below.number
        else { return nil }
        try links.connect(last.number, below.number)
        return nil
    }

    // MARK: Budget

    private func evict() throws {
        while try links.weight() > budget, let oldest = try links.oldest() { try links.delete(oldest) }
    }
}

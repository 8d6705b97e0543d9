import Feed
import Foundation
import GRDB

/// Stores one page of the upstream as links. See `FeedCache` for the rules.
struct PageKeeper {
    private let links: CacheLinks
    private let page: FetchedFeedPage
    private let budget: Int

    /// Items that the upstream no longer has.
    private var removed: [UUID] = []
    private var evicted: [UUID] = []

    /// - Parameter budget: the maximum size of the cached items, in bytes.
    init(_ page: FetchedFeedPage, budget: Int, _ db: Database) {
        (self.page, self.budget) = (page, budget)
        links = CacheLinks(db: db)
    }

    mutating func keep() throws -> FeedCacheChange {
        let unknown = try page.items.filter { try links.node($0.id)?.state != .item }
        let new = try newItems()
        let last =
            switch page.cursor {
            case .start: try keepFirst()
            case .after(let id): try keep(after: links.node(id) ?? links.insertCursor(id, savedAt: page.savedAt))
            case .before(let id): try keep(before: id)
            }
        let isLast = try last.map { try links.node($0).endedAt != nil } ?? false
        // Evicts last, because this page may be older than the rest of the cache.
        try evict()
        let newIDs = Set(new.map(\.id))
        return FeedCacheChange(
            new: new, removed: removed, found: unknown.filter { !newIDs.contains($0.id) }, evicted: evicted,
            isLast: isLast)
    }

    /// The new items at the top: items that were not cached, above the last one that was. Further down, an uncached
    /// item may be old and only new to the cache.
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
        case .before(let id): try links.node(id).map(links.isFirst) ?? false
        }
    }

    // MARK: Downward

    private mutating func keepFirst() throws -> Int64? {
        try links.refresh(CacheNode.beginning, at: page.savedAt)
        return try keep(after: links.node(CacheNode.beginning))
    }

    /// - Returns: the last node of the page; nil when the page does not follow its cursor.
    private mutating func keep(after cursor: CacheNode) throws -> Int64? {
        if cursor.state == .removed, try !isConsistent(with: cursor) {
            // The neighbours of the removed item have moved, so its place is unknown.
            try links.delete(cursor)
            try keepUnattached()
            return nil
        }
        // The feed's first item follows the cursor, so the cursor's item was published again and is now the first.
        if cursor.state == .item, let first = try firstItem(), page.items.contains(where: { $0.id == first }) {
            try links.takeOut(cursor)
            try links.connect(CacheNode.beginning, cursor.number)
        }
        var strand = try Strand(links, after: cursor, savedAt: page.savedAt)
        try strand.lay(page.items)
        if page.isEnd {
            try strand.end(removing: page.limit)
        } else if page.isShort {
            try strand.cutUnconfirmed()
        } else {
            // More items follow, or the page is full and the upstream did not state whether more follow.
            try strand.clearEnd()
        }
        removed += strand.removed
        return strand.position
    }

    /// Whether the page agrees with the chain about what follows a removed item.
    private func isConsistent(with cursor: CacheNode) throws -> Bool {
        let held = try links.nodes(after: cursor.number, reach: max(1, page.items.count)).filter {
            $0.state != .removed
        }
        return zip(held, page.items).allSatisfy { $0.id == $1.id } && (held.isEmpty || !page.items.isEmpty)
    }

    /// Whether the page agrees with the chain about the items before a removed item.
    private func isConsistent(above cursor: CacheNode) throws -> Bool {
        let held = try links.nodes(before: cursor.number, reach: page.items.count).filter { $0.state != .removed }
        return zip(held, page.items.reversed()).allSatisfy { $0.id == $1.id }
    }

    private func firstItem() throws -> UUID? {
        try links.nodes(after: CacheNode.beginning, reach: 1).first { $0.state != .removed }?.id
    }

    /// Stores items that follow one another, but whose predecessor is unknown.
    private mutating func keepUnattached() throws {
        guard let first = page.items.first else { return }
        let node: CacheNode
        if let known = try links.node(first.id) {
            node = known
            // Taken out, because the upstream may show a removed item again at another place.
            if known.state == .removed { try links.takeOutRemoved(known) }
            try links.write(first, at: known.number, savedAt: page.savedAt)
        } else {
            node = try links.node(links.insert(first, savedAt: page.savedAt))
        }
        var strand = try Strand(links, after: node, savedAt: page.savedAt)
        try strand.lay(Array(page.items.dropFirst()))
        removed += strand.removed
    }

    // MARK: Upward

    /// Links a page to the cursor after it only where the cursor has no known predecessor: an upstream that ignores
    /// `before_id` sends its first page.
    private mutating func keep(before id: UUID) throws -> Int64? {
        let cursor = try links.node(id)
        guard !page.items.isEmpty else {
            if let cursor, cursor.state == .item { try begin(with: cursor) }
            return nil
        }
        if let cursor, cursor.state == .item, try links.isFirst(cursor), try !isFirstPage(without: cursor) {
            var strand = try Strand(links, after: links.node(CacheNode.beginning), savedAt: page.savedAt)
            for item in page.items { try strand.insert(item) }
            return nil
        }
        if let cursor, cursor.state == .removed {
            // The neighbours of the removed item have moved, so its place is unknown.
            if try !isConsistent(above: cursor) { try links.delete(cursor) }
            try keepUnattached()
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

    /// Records that no item is newer than this one. If the cache had newer items, either they were removed or this item
    /// has moved; so its successor is no longer known.
    private func begin(with node: CacheNode) throws {
        if try !links.isFirst(node) {
            if node.prev != nil { try links.cut(after: node.number) }
            try links.connect(CacheNode.beginning, node.number)
        }
        try links.refresh(CacheNode.beginning, at: page.savedAt)
    }

    /// Whether the answer to a request for the items before `first` is more likely the first page of the feed,
    /// because the upstream ignores `before_id` and has removed `first`.
    private func isFirstPage(without first: CacheNode) throws -> Bool {
        let reach = FeedAlignment.reach(of: page.items.count)
        let held = try links.nodes(after: first.number, reach: reach).filter { $0.state != .removed }
        let depths = page.items.map { item in held.firstIndex { $0.id == item.id } }
        let met = FeedAlignment.inOrder(depths)
        guard let deepest = met.last.flatMap({ depths[$0] }) else { return false }
        return depths.first == 0 || deepest + 1 - met.count < met.count
    }

    // MARK: Budget

    private mutating func evict() throws {
        while try links.weight() > budget, let oldest = try links.oldest() {
            try links.delete(oldest)
            if oldest.state == .item, let id = oldest.id { evicted.append(id) }
        }
    }
}

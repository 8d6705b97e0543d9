import Feed
import Foundation
import GRDB

/// Stores one page of the upstream as successors. See `FeedCache` for the rules.
struct PageKeeper {
    private let links: CacheLinks
    private let page: FetchedFeedPage
    private let budget: Int

    /// The nodes of the page's items, as they were before this page.
    private let known: [UUID: CacheNode]

    /// Items that the upstream no longer has.
    private var removed: [UUID] = []
    private var evicted: [UUID] = []

    /// - Parameter budget: the maximum size of the cached items, in bytes.
    init(_ page: FetchedFeedPage, budget: Int, _ db: Database) throws {
        (self.page, self.budget) = (page, budget)
        let links = CacheLinks(db: db)
        self.links = links
        try links.correctTimes(beyond: page.receivedAt, to: page.savedAt)
        known = try page.items.reduce(into: [:]) { $0[$1.id] = try links.node($1.id) }
    }

    mutating func keep() throws -> FeedCacheChange {
        let isKnown = page.items.map { known[$0.id]?.state == .item }
        // At the top, items above the last cached one are new. Further down, an item that was not cached may be old.
        let end = try isAtTop() ? isKnown.lastIndex(of: true) ?? isKnown.endIndex : isKnown.startIndex
        let missing = page.items.indices.filter { !isKnown[$0] }
        let changed = try page.items.filter { try isChanged($0) }

        var isLast = false
        switch page.cursor {
        case .start:
            try links.refresh(CacheNode.beginning, at: page.savedAt)
            isLast = try keep(after: links.node(CacheNode.beginning))
        case .after(let id):
            isLast = try keep(after: links.node(id) ?? links.insertCursor(id, savedAt: page.savedAt))
        case .before(let id): try keep(before: id)
        }
        // Evicts last, because this page may be older than the rest of the cache.
        try evict()
        return FeedCacheChange(
            new: missing.filter { $0 < end }.map { page.items[$0] }, removed: removed,
            found: missing.filter { $0 >= end }.map { page.items[$0] } + changed, evicted: evicted, isLast: isLast)
    }

    /// Whether an item is cached with another content: it was removed at the upstream, and published with the same id.
    private func isChanged(_ item: FeedImage) throws -> Bool {
        guard let node = known[item.id], node.state == .item else { return false }
        return try links.image(node.number) != item
    }

    private func isAtTop() throws -> Bool {
        switch page.cursor {
        case .start: true
        case .after: false
        case .before(let id): try links.node(id).map { try isFirst($0) } ?? false
        }
    }

    private func isFirst(_ node: CacheNode) throws -> Bool {
        try links.node(CacheNode.beginning).next == node.number
    }

    // MARK: Downward

    /// - Returns: whether nothing follows the page.
    private mutating func keep(after cursor: CacheNode) throws -> Bool {
        guard cursor.state == .removed else { return try finish(lay(page.items, after: cursor)) }
        // The items that were beside the removed one may have moved: only what follows its place is certain.
        let last = try page.items.isEmpty ? nil : layUnattached()
        let next = try page.items.first.flatMap { try links.node($0.id)?.number }
        try links.markRemoved(cursor.number, before: next, at: page.savedAt)
        return try last.map { try finish($0) } ?? true
    }

    /// Records what the page states about the items after its last node.
    private mutating func finish(_ last: Int64) throws -> Bool {
        if page.isEnd {
            // A few items after the end were removed. If there are many, the upstream may be wrong, and they stay as a
            // separate run.
            let ahead = try links.run(after: links.node(last), limit: page.limit + 1)
            if ahead.count <= page.limit { for node in ahead { try remove(node, before: nil) } }
            try links.end(after: last, at: page.savedAt)
            try removeUnreached()
        } else if try page.isShort ? links.node(last).next != nil : links.node(last).endedAt != nil {
            // After a short page, what follows is in doubt. After any other, items follow, or may follow.
            try links.cut(after: last)
        }
        return try links.node(last).endedAt != nil
    }

    /// Removes items that are not in the feed, where the cache has all of it: each of its items was shown later than they were. As
    /// behind the end, many of them stay.
    private mutating func removeUnreached() throws {
        guard let oldest = try links.oldestOfWholeFeed() else { return }
        let unreached = try links.items(shownBefore: oldest, limit: page.limit + 1)
        guard unreached.count <= page.limit else { return }
        for node in unreached {
            if let id = node.id { removed.append(id) }
            // Nothing is known about what follows its place.
            try links.delete(node)
        }
    }

    // MARK: Upward

    private mutating func keep(before id: UUID) throws {
        guard !page.items.isEmpty else {
            if let cursor = try links.node(id), cursor.state == .item { try begin(with: cursor) }
            return
        }
        if let cursor = try links.node(id), try isFirst(cursor), page.items.allSatisfy(isNews) {
            let last = try lay(page.items, after: links.node(CacheNode.beginning))
            try links.connect(last, cursor.number)
            return
        }
        // An upstream that ignores `before_id` sends its first page. So the page is linked to the cursor only where
        // nothing else is known.
        let last = try links.node(layUnattached())
        let cursor = try links.node(id) ?? links.insertCursor(id, savedAt: page.savedAt)
        if cursor.state != .removed, last.next == nil, last.endedAt == nil,
            try links.predecessor(of: cursor.number) == nil, try !links.leads(cursor.number, to: last.number)
        {
            try links.connect(last.number, cursor.number)
        }
    }

    private func isNews(_ item: FeedImage) -> Bool {
        switch known[item.id]?.state {
        case .removed, nil: true
        case .unseen, .item: false
        }
    }

    /// Records that no item is newer than this one. If the cache had newer items, either they were removed or this item
    /// has moved; so its successor is no longer known.
    private func begin(with node: CacheNode) throws {
        if try !isFirst(node) {
            if try links.predecessor(of: node.number) != nil { try links.cut(after: node.number) }
            try links.cut(before: node.number)
            try links.connect(CacheNode.beginning, node.number)
        }
        try links.refresh(CacheNode.beginning, at: page.savedAt)
    }

    // MARK: Items

    /// Stores items that follow one another, but whose predecessor is unknown.
    /// - Returns: the last node.
    private mutating func layUnattached() throws -> Int64 {
        let first = page.items[0]
        let origin = try links.node(write(first))
        return try lay(Array(page.items.dropFirst()), after: origin, shownAt: known[first.id]?.savedAt)
    }

    /// Stores items that follow a node.
    /// - Parameter shownAt: when the upstream showed the node before this page.
    /// - Returns: the last node.
    private mutating func lay(
        _ items: [FeedImage], after origin: CacheNode, shownAt: Date? = nil
    ) throws -> Int64 {
        var run = try links.run(after: origin, limit: FeedAlignment.reach(of: items.count))
        var alignment = FeedAlignment(page: items.map(\.id), run: run.map(\.id), isAfterItem: !origin.isBeginning)
        let numbers = try items.map(write)
        // Nothing contradicts what the upstream has not said.
        let stated = zip([origin] + run, run).prefix { $0.next == $1.number }.map(\.1)
        try move(origin, shownAt: shownAt ?? origin.savedAt, before: numbers, alignment, stated)
        let isPlaced = shownAt == nil && (origin.isBeginning || origin.state == .item)
        while let other = try runMet(
            by: items[alignment.rest], except: run, apartFrom: origin, passesItems: isPlaced)
        {
            run += other
            alignment.add(other.map(\.id))
        }

        // Whether the earlier statements about what follows the last item are still good.
        var (last, isSettled) = (origin.number, true)
        for (index, number) in numbers.enumerated() {
            if try links.predecessor(of: number) != last {
                isSettled = alignment.kept.contains(index) || known[items[index].id] == nil
                if !isSettled {
                    try links.leaveGap(for: number)
                    try links.cut(before: number)
                }
                try links.connect(last, number)
            }
            last = number
        }
        for (index, next) in alignment.removed { try remove(run[index], before: numbers[next]) }
        if !isSettled { try links.cut(after: last) }
        return last
    }

    /// The next run whose first item a page has: the runs meet there, because a run's first item has not moved.
    ///
    /// If the page follows an item whose place is known, its first items may be gone: they were removed behind one that was published
    /// again, so nothing precedes them. Those of the beginning of the feed may be above the page.
    /// - Parameter passesItems: whether the place is known.
    private func runMet(
        by items: ArraySlice<FeedImage>, except run: [CacheNode], apartFrom origin: CacheNode, passesItems: Bool
    ) throws -> [CacheNode]? {
        let numbers = Set(run.map(\.number))
        let others = items.compactMap { known[$0.id] }.filter { $0.state != .removed && !numbers.contains($0.number) }
        for node in others {
            let before = try links.predecessor(of: node.number) ?? CacheNode.beginning
            let isFirst = before == CacheNode.beginning
            guard isFirst || passesItems && !others.contains(where: { $0.number == before }) else { continue }
            // More items than the page has were not removed.
            let first = try isFirst ? node : links.first(before: node, limit: items.count)
            if let first, try !links.leads(first.number, to: origin.number) {
                let reach = FeedAlignment.reach(of: items.count)
                return try [first] + links.run(after: first, limit: reach, apartFrom: origin)
            }
        }
        return nil
    }

    private func write(_ item: FeedImage) throws -> Int64 {
        try links.write(item, over: known[item.id], savedAt: page.savedAt)
    }

    /// Changes the place of the node that a page follows, if the page implies that it has moved.
    private func move(
        _ origin: CacheNode, shownAt: Date, before numbers: [Int64], _ alignment: FeedAlignment, _ run: [CacheNode]
    ) throws {
        let first = try links.node(CacheNode.beginning).next
        if origin.state == .item, numbers.contains(where: { $0 == first }) {
            // It was published again, and is now the first item.
            try links.leaveGap(for: origin.number)
            try links.cut(before: origin.number)
            try links.connect(CacheNode.beginning, origin.number)
        } else if let time = contradicted(numbers, after: origin, alignment, run), shownAt <= time,
            try links.predecessor(of: origin.number) != CacheNode.beginning
        {
            // Either the upstream is wrong, or it has published the origin again.
            try links.leaveGap(for: origin.number)
            try links.cut(before: origin.number)
        }
    }

    /// The time of the earlier statement about what follows the origin, or what follows the items after it, that a page
    /// contradicts by other items.
    private func contradicted(
        _ numbers: [Int64], after origin: CacheNode, _ alignment: FeedAlignment, _ run: [CacheNode]
    ) -> Date? {
        let kept = run.indices.filter { depth in
            alignment.kept.contains { numbers[$0] == run[depth].number }
        }
        let inserted = alignment.kept.contains(0) ? nil : kept.first.map { run[$0].savedAt }
        guard !numbers.isEmpty, !alignment.kept.contains(numbers.count - 1) else { return inserted }
        let last = kept.last.map { run[$0] } ?? origin
        let after = (kept.last ?? -1) + 1
        let replaced = last.next == nil ? last.endedAt : (run.indices.contains(after) ? run[after] : last).savedAt
        return [inserted, replaced].compactMap(\.self).max()
    }

    private mutating func remove(_ node: CacheNode, before next: Int64?) throws {
        // An answer from the upstream's cache may be older than the item.
        guard node.savedAt <= page.savedAt else { return }
        if node.state == .item, let id = node.id { removed.append(id) }
        try links.markRemoved(node.number, before: next, at: page.savedAt)
    }

    // MARK: Budget

    private mutating func evict() throws {
        while try links.weight() > budget, let oldest = try links.oldest() {
            try links.delete(oldest)
            if oldest.state == .item, let id = oldest.id { evicted.append(id) }
        }
    }
}

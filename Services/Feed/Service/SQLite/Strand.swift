import Feed
import Foundation

/// Writes the items of an answer into the list after a node: aligns them with the nodes of the chain there, links the
/// chain that they lead to, and appends the rest.
struct Strand {
    private let links: CacheLinks
    private let origin: CacheNode
    private let savedAt: Date

    /// The number of the node that the next item of the answer will follow.
    private(set) var position: Int64

    /// The items that are not written yet.
    private var rest: ArraySlice<FeedImage> = []

    /// Items that the upstream no longer has.
    private(set) var removed: [UUID] = []

    /// The latest time of the upstream's earlier statements that this answer contradicts.
    private var contradicted: Date?

    init(_ links: CacheLinks, after origin: CacheNode, savedAt: Date) throws {
        (self.links, self.origin, self.savedAt, position) = (links, origin, savedAt, origin.number)
    }

    mutating func lay(_ items: [FeedImage]) throws {
        rest = items[...]
        try takeOutRemoved()
        while !rest.isEmpty {
            if try align(isKnownToFollow: true) { continue }
            try leaveBehind()
            if try join(), try align(isKnownToFollow: false) { continue }
            try append()
        }
        try doubtOrigin()
    }

    /// Removes the nodes of removed items from their chains, because the upstream may show these items again at
    /// another place.
    private func takeOutRemoved() throws {
        for item in rest {
            guard let node = try links.node(item.id), node.state == .removed, node.number != origin.number else {
                continue
            }
            try links.takeOutRemoved(node)
        }
    }

    // MARK: Along the chain

    /// Writes the rest of the answer, up to its last item that also follows in the chain.
    /// - Parameter isKnownToFollow: whether the upstream has said before that this part of the chain follows the
    ///   origin.
    /// - Returns: false when the chain has none of these items, or too many others in between.
    private mutating func align(isKnownToFollow: Bool) throws -> Bool {
        let held = try links.nodes(after: position, reach: reach)
        guard let match = Match(rest, held, met: origin.isBeginning && position == origin.number ? 0 : 1) else {
            return false
        }
        for node in match.skipped { try remove(node) }
        for node in match.moved { try links.takeOut(links.node(node.number)) }
        for (index, anchor) in match.anchors {
            for item in rest[rest.startIndex..<index] {
                if isKnownToFollow, position == origin.number { contradict(anchor.savedAt) }
                try insert(item)
            }
            try links.write(rest[index], at: anchor.number, savedAt: savedAt)
            position = anchor.number
            rest = rest[(index + 1)...]
        }
        return true
    }

    private var reach: Int { FeedAlignment.reach(of: rest.count) }

    /// Cuts the chain where the answer continues differently. The remainder stays as a separate run.
    private mutating func leaveBehind() throws {
        let ahead = try links.nodes(after: position, reach: 1)
        if let next = ahead.last, next.state != .removed {
            contradict(next.savedAt)
            try links.cut(after: position)
        } else {
            // Removed nodes keep their place before the next items, but after new items at the top.
            if position != CacheNode.beginning { position = ahead.last?.number ?? position }
            if let endedAt = try links.node(position).endedAt { contradict(endedAt) }
            try links.cut(after: position)
        }
    }

    /// Links the chain that the rest leads to, if it can be determined.
    private func join() throws -> Bool {
        let own = try links.head(of: position)
        for item in rest {
            guard let node = try links.node(item.id), node.state != .removed,
                let head = try links.head(of: node, within: reach), head != CacheNode.beginning,
                try own != head && (own != nil || !links.isLong(after: head))
            else { continue }
            let held = try [links.node(head)] + links.nodes(after: head, reach: reach)
            guard Match(rest, held, met: position == CacheNode.beginning ? 0 : 1) != nil else { continue }
            try links.connect(position, head)
            return true
        }
        return false
    }

    private mutating func append() throws {
        for item in rest {
            let number = try detached(item)
            try links.connect(position, number)
            position = number
        }
        rest = []
    }

    // MARK: One item

    /// Inserts an item after `position`.
    mutating func insert(_ item: FeedImage) throws {
        let number = try detached(item)
        let next = try links.node(position).next
        try links.connect(position, number)
        if let next { try links.connect(number, next) }
        position = number
    }

    /// Returns a node without neighbours for an item. If the item was elsewhere, its old run closes over the gap only
    /// if a reader of that run still reaches the item; otherwise the run is cut there, so that no reader skips the item
    /// silently.
    private func detached(_ item: FeedImage) throws -> Int64 {
        guard let node = try links.node(item.id) else { return try links.insert(item, savedAt: savedAt) }
        try links.takeOut(node)
        if let prev = node.prev {
            let head = try links.head(of: prev)
            if try head == nil || head != links.head(of: position) { try links.cut(after: prev) }
        }
        try links.write(item, at: node.number, savedAt: savedAt)
        return node.number
    }

    private mutating func remove(_ node: CacheNode) throws {
        if let id = node.id { removed.append(id) }
        try links.markRemoved(node.number, savedAt: savedAt)
    }

    // MARK: Beyond the answer

    /// Records that nothing follows the answer. If the chain has at most `few` items after it, they were removed; if it
    /// has more, the upstream may be wrong, and they stay as a separate run.
    mutating func end(removing few: Int) throws {
        let ahead = try links.nodes(after: position, reach: few + 1)
        if ahead.count(where: { $0.state != .removed }) <= few, let last = ahead.last {
            for node in ahead { try remove(node) }
            position = last.number
        }
        try links.end(after: position, at: savedAt)
    }

    /// Cuts the chain after an answer that is shorter than requested: older statements about what follows are in doubt.
    func cutUnconfirmed() throws {
        if try links.node(position).next != nil { try links.cut(after: position) }
    }

    /// Records that items follow the answer.
    func clearEnd() throws {
        if try links.node(position).endedAt != nil { try links.cut(after: position) }
    }

    // MARK: Contradictions

    private mutating func contradict(_ time: Date) { contradicted = max(contradicted ?? time, time) }

    /// Cuts the chain before the origin if the origin may have moved, because the upstream now contradicts its earlier
    /// statements about what follows the origin. The link before the origin remains if the upstream confirmed it later
    /// than the contradicted statements.
    private func doubtOrigin() throws {
        guard let contradicted, origin.savedAt <= contradicted,
            let prev = try links.node(origin.number).prev, prev != CacheNode.beginning
        else { return }
        try links.cut(before: origin.number)
    }
}

/// The alignment of the rest of an answer with the nodes of a chain.
private struct Match {
    /// Indexes of items whose order agrees with the chain, with their nodes.
    private(set) var anchors: [(index: Int, node: CacheNode)] = []

    /// Nodes of items that are elsewhere in the chain.
    private(set) var moved: [CacheNode] = []

    /// Nodes between the anchors that are not in the answer.
    private(set) var skipped: [CacheNode] = []

    /// Nil when no item agrees with the chain, or so few that these items may have moved.
    /// - Parameter met: 1 if the answer begins after an item of the chain, else 0.
    init?(_ items: ArraySlice<FeedImage>, _ held: [CacheNode], met: Int) {
        var depths: [UUID: Int] = [:]
        for (depth, node) in held.enumerated() { if let id = node.id { depths[id] = depth } }
        let inOrder = FeedAlignment.inOrder(items.map { depths[$0.id] })
        for (offset, item) in items.enumerated() {
            guard let depth = depths.removeValue(forKey: item.id) else { continue }
            if inOrder.contains(offset) {
                anchors.append((items.startIndex + offset, held[depth]))
            } else {
                moved.append(held[depth])
            }
        }
        // The remaining items of `depths` are not in the answer.
        guard let deepest = anchors.last?.node.number else { return nil }
        skipped = held.prefix { $0.number != deepest }.filter { node in
            node.state != .removed && node.id.map { depths[$0] != nil } ?? true
        }
        guard FeedAlignment.isRemoval(met: anchors.count + met, skipped: skipped.count) else { return nil }
    }
}

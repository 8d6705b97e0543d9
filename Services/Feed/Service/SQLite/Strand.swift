import Feed
import Foundation

/// Lays the items of an answer behind a node of the list: aligns them with what the chain holds there, joins the chain
/// that they lead to, and appends the rest.
struct Strand {
    private let links: CacheLinks
    private let origin: CacheNode
    private let savedAt: Date

    /// The node up to which the answer is laid.
    private(set) var position: Int64

    /// The items that are not laid yet.
    private var rest: ArraySlice<FeedImage> = []

    /// The items that the upstream has no more.
    private(set) var removed: [UUID] = []

    /// When the upstream said what this answer contradicts: the latest of these times.
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

    /// Where an item stood before it was removed says nothing about where it is shown again.
    private func takeOutRemoved() throws {
        for item in rest {
            guard let node = try links.node(item.id), node.state == .removed, node.number != origin.number else {
                continue
            }
            try links.takeOutRemoved(node)
        }
    }

    // MARK: Along the chain

    /// Lays the rest up to its last item that the chain holds ahead.
    /// - Parameter isKnownToFollow: whether the upstream has said before that this part of the chain follows the origin.
    /// - Returns: false when the chain holds none of it, or too much else in between.
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

    /// The answer goes on with something else than the chain: that stays, as a run of its own.
    private mutating func leaveBehind() throws {
        let ahead = try links.nodes(after: position, reach: 1)
        if let next = ahead.last, next.state != .removed {
            contradict(next.savedAt)
            try links.cut(after: position)
        } else {
            // What was removed keeps its place before what follows now, but after what is new at the top.
            if position != CacheNode.beginning { position = ahead.last?.number ?? position }
            if let endedAt = try links.node(position).endedAt { contradict(endedAt) }
            try links.cut(after: position)
        }
    }

    /// Links the chain that the rest leads to, if that can be told.
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

    /// Inserts an item after the position.
    mutating func insert(_ item: FeedImage) throws {
        let number = try detached(item)
        let next = try links.node(position).next
        try links.connect(position, number)
        if let next { try links.connect(number, next) }
        position = number
    }

    /// A node for an item, without neighbours. Where it stood before, a run closes over it if a reader of that run still
    /// meets the item; else the run ends there, because nothing may be skipped silently.
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

    /// Nothing follows the answer. A few items that the chain holds there were removed; with many it may be the upstream that
    /// is wrong, so they stay as a run of their own.
    mutating func end(removing few: Int) throws {
        let ahead = try links.nodes(after: position, reach: few + 1)
        if ahead.count(where: { $0.state != .removed }) <= few, let last = ahead.last {
            for node in ahead { try remove(node) }
            position = last.number
        }
        try links.end(after: position, at: savedAt)
    }

    /// The answer is shorter than it could be, so what older answers said of its continuation is in doubt.
    func cutUnconfirmed() throws {
        if try links.node(position).next != nil { try links.cut(after: position) }
    }

    /// Something follows the answer.
    func clearEnd() throws {
        if try links.node(position).endedAt != nil { try links.cut(after: position) }
    }

    // MARK: Contradictions

    private mutating func contradict(_ time: Date) { contradicted = max(contradicted ?? time, time) }

    /// Where the upstream now says something else than before about what follows the origin, the origin may have moved. What
    /// precedes it is believed only if the upstream said so later than what it contradicts.
    private func doubtOrigin() throws {
        guard let contradicted, origin.savedAt <= contradicted,
            let prev = try links.node(origin.number).prev, prev != CacheNode.beginning
        else { return }
        try links.cut(before: origin.number)
    }
}

/// How the rest of an answer meets the nodes of a chain.
private struct Match {
    /// Indexes of items that stand where the chain has them, with their nodes.
    private(set) var anchors: [(index: Int, node: CacheNode)] = []

    /// Nodes of items that the chain has elsewhere.
    private(set) var moved: [CacheNode] = []

    /// Nodes between the anchors that the answer does not have.
    private(set) var skipped: [CacheNode] = []

    /// Nil when nothing meets, or so little that it can have moved.
    /// - Parameter met: 1 if the answer begins behind an item of the chain, else 0.
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
        // What is left in `depths` is not in the answer.
        guard let deepest = anchors.last?.node.number else { return nil }
        skipped = held.prefix { $0.number != deepest }.filter { node in
            node.state != .removed && node.id.map { depths[$0] != nil } ?? true
        }
        guard FeedAlignment.isRemoval(met: anchors.count + met, skipped: skipped.count) else { return nil }
    }
}

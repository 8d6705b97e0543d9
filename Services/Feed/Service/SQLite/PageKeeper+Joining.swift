import Feed
import Foundation

/// Beyond what the run holds.
extension PageKeeper {
    func itemsAhead() throws -> Bool {
        guard let ahead = heading.ahead(of: position, in: run) else { return false }
        return try axis.first(ahead, heading, itemsOnly: true) != nil
    }

    /// The upstream has not what the run holds ahead. A few items have left the feed; with many it may be the upstream that
    /// is wrong, so they stay, as a run of their own.
    mutating func leaveBehind(unlessMoreThan few: Int) throws {
        defer { if heading == .down { run.isComplete = false } }
        guard try itemsAhead(), let ahead = heading.ahead(of: position, in: run),
            let nearest = try axis.first(ahead, heading)
        else { return }
        if try !axis.hasMore(than: few, in: ahead) {
            try axis.clear(ahead)
            // What follows in the feed follows those too.
            position = heading.end(of: run)
            return
        }
        let end = heading.end(of: run)
        let cut = min(nearest, end)...max(nearest, end)
        let start = run.start.flatMap { ahead.contains($0) ? min(max($0, cut.lowerBound), cut.upperBound) : nil }
        if start != nil { run.start = nil }
        _ = try CacheRun.insert(
            cut, savedAt: run.savedAt, isComplete: heading == .down && run.isComplete, start: start, axis.db)
        moveEnd(to: position)
        try run.update(axis.db)
    }

    /// Joins the run that has some of the rest, if the page goes on there; takes these items out of runs where they stood
    /// before they moved.
    /// - Returns: whether a run was joined.
    mutating func joinRunAhead() throws -> Bool {
        for item in rest {
            guard let place = try CachePlace.of(item.id, axis.db), place.isItem || place.isEdge,
                let other = try CacheRun.at(place, heading, axis.db), other.id != run.id
            else { continue }
            let places = try rest.map { item -> Int64? in
                guard let place = try CachePlace.of(item.id, axis.db), place.isItem || place.isEdge,
                    other.range.contains(place.position)
                else { return nil }
                return place.position
            }
            let met = FeedAlignment.inOrder(places.map { $0.map(heading.depth) })
            guard let last = met.last.flatMap({ places[$0] }) else { continue }
            let begin = heading.opposite.end(of: other)
            let known = min(begin, last)...max(begin, last)
            let held = places.count { $0.map(known.contains) == true }
            if try !axis.hasMore(than: held + FeedAlignment.mostSkipped(met: met.count), in: known) {
                try join(other)
                return true
            }
            for (item, place) in zip(rest, places) where place != nil { try take(item.id) }
        }
        return false
    }

    /// Takes an id off the axis. Whether it has moved, or another run knows the same part of the feed, nobody can tell: the
    /// other run ends there, lest it passes over the item in silence.
    func take(_ id: UUID) throws {
        guard let place = try CachePlace.of(id, axis.db) else { return }
        if place.isItem, let other = try CacheRun.at(place, heading, axis.db), other.id != run.id {
            try axis.split(other, at: place.position)
        }
        try axis.remove(id)
    }

    mutating func write(_ item: FeedImage, at position: Int64) throws {
        try take(item.id)
        try axis.write(item, at: position)
    }

    mutating func join(_ other: CacheRun) throws {
        let other = try axis.bring(other, next: run, heading)
        moveEnd(to: heading.end(of: other))
        if heading == .down { run.isComplete = other.isComplete }
        run.start = run.start ?? other.start
        try other.delete(axis.db)
        try run.update(axis.db)
    }

    mutating func appendRest() throws {
        guard !rest.isEmpty else { return }
        // Beyond the places of what has left the feed.
        if let passed = heading.ahead(of: position, in: run) { try axis.clear(passed) }
        let end = heading.end(of: run)
        try axis.makeRoom(CacheAxis.spacing * Int64(rest.count + 1), next: run, heading)
        for (index, item) in rest.enumerated() {
            position = end + heading.step * CacheAxis.spacing * Int64(index + 1)
            try write(item, at: position)
        }
        moveEnd(to: position)
        rest = []
    }

    mutating func moveEnd(to end: Int64) {
        if heading == .down { run.low = end } else { run.high = end }
    }
}

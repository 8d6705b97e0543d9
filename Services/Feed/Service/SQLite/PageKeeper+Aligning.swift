import Feed

/// On what the run holds.
extension PageKeeper {
    /// Takes in the rest of the page up to the last item that the run has ahead.
    mutating func alignRest() throws {
        let items = Array(rest)
        var places = try items.map { item -> Int64? in
            guard let place = try CachePlace.of(item.id, axis.db),
                heading.ahead(of: position, in: run)?.contains(place.position) == true
            else { return nil }
            return place.position
        }
        let anchors = FeedAlignment.inOrder(places.map { $0.map(heading.depth) })
        for index in items.indices where places[index] != nil && !anchors.contains(index) {
            try axis.remove(items[index].id)
        }
        var next = 0
        for anchor in anchors {
            guard let place = places[anchor] else { continue }
            if let between = heading.between(position, place) { try axis.clear(between) }
            let shift = try insert(items[next..<anchor], before: place)
            for index in anchor..<places.count { places[index] = places[index].map { $0 + shift } }
            position = place + shift
            try write(items[anchor], at: position)
            next = anchor + 1
        }
        rest = items[next...]
    }

    /// Puts items between where the page has been taken in up to and a place ahead, behind whatever marks a place there.
    /// - Returns: how far all that is ahead had to move.
    mutating func insert(_ items: ArraySlice<FeedImage>, before place: Int64) throws -> Int64 {
        guard !items.isEmpty else { return 0 }
        let count = Int64(items.count)
        var (nearest, shift) = (place, Int64(0))
        if let between = heading.between(position, place) { nearest = try axis.first(between, heading) ?? place }
        if abs(nearest - position) <= count { shift = try push(from: nearest) }
        nearest += shift
        let room = abs(nearest - position)
        // Close to what follows, where there is a gap between two runs.
        let (origin, step) =
            room > (count + 1) * CacheAxis.spacing
            ? (nearest - heading.step * CacheAxis.spacing * (count + 1), CacheAxis.spacing)
            : (position, room / (count + 1))
        for (index, item) in items.enumerated() {
            try write(item, at: origin + heading.step * step * Int64(index + 1))
        }
        return shift
    }

    /// Moves what the run has from a position on further ahead.
    mutating func push(from nearest: Int64) throws -> Int64 {
        let end = heading.end(of: run)
        let distance = abs(end - nearest) + CacheAxis.gap
        try axis.makeRoom(distance * 2, next: run, heading)
        try axis.move(min(nearest, end)...max(nearest, end), by: heading.step * distance)
        if let start = run.start, heading.depth(start) >= heading.depth(nearest) {
            run.start = start + heading.step * distance
        }
        moveEnd(to: end + heading.step * distance)
        // The axis must be right for whoever looks for neighbours.
        try run.update(axis.db)
        return heading.step * distance
    }
}

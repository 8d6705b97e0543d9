/// A cache of values within a budget, which evicts the least recently used first. All operations but `oldestFirst` take
/// constant time.
public struct LeastRecentlyUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// A node of a list from the most to the least recently used.
    private struct Place: Sendable {
        let key: Key
        var value: Value
        var cost: Int
        var newer: Int?
        var older: Int?
    }

    private var places: [Place?] = []
    private var free: [Int] = []
    private var byKey: [Key: Int] = [:]
    private var newest: Int?
    private var oldest: Int?

    public let budget: Int

    /// The total cost of all values.
    public private(set) var cost = 0

    public init(budget: Int) { self.budget = budget }

    public var count: Int { byKey.count }

    /// Returns the value, and marks it as used.
    public mutating func use(_ key: Key) -> Value? {
        guard let index = byKey[key], let place = places[index] else { return nil }
        if newest != index {
            unlink(index)
            link(index)
        }
        return place.value
    }

    /// Returns the value without marking it as used.
    public func peek(_ key: Key) -> Value? { byKey[key].flatMap { places[$0]?.value } }

    /// Stores a value, replacing that of the key. A value that costs more than the budget is not stored.
    public mutating func set(_ value: Value, for key: Key, cost: Int) {
        remove(key)
        guard cost <= budget else { return }
        while self.cost + cost > budget, let oldest, let place = places[oldest] { remove(place.key) }
        let index = free.popLast() ?? places.count
        let place = Place(key: key, value: value, cost: cost)
        if index == places.count { places.append(place) } else { places[index] = place }
        byKey[key] = index
        self.cost += cost
        link(index)
    }

    @discardableResult
    public mutating func remove(_ key: Key) -> Value? {
        guard let index = byKey.removeValue(forKey: key), let place = places[index] else { return nil }
        unlink(index)
        places[index] = nil
        free.append(index)
        cost -= place.cost
        return place.value
    }

    /// All values, the next one to be evicted first.
    public var oldestFirst: [(key: Key, value: Value)] {
        var (found, next) = ([(key: Key, value: Value)](), oldest)
        while let index = next, let place = places[index] {
            found.append((place.key, place.value))
            next = place.newer
        }
        return found
    }

    private mutating func link(_ index: Int) {
        places[index]?.newer = nil
        places[index]?.older = newest
        if let newest { places[newest]?.newer = index }
        newest = index
        oldest = oldest ?? index
    }

    private mutating func unlink(_ index: Int) {
        guard let place = places[index] else { return }
        if let newer = place.newer { places[newer]?.older = place.older } else { newest = place.older }
        if let older = place.older { places[older]?.newer = place.newer } else { oldest = place.newer }
    }
}

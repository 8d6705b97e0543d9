import RPCTestKit
import Testing

@testable import ImageData

@Suite struct LeastRecentlyUsedTests {
    private var values = LeastRecentlyUsed<String, Int>(budget: 10)

    @Test(arguments: [(10, true), (11, false)]) mutating func `a value may cost at most the whole budget`(
        cost: Int, isCached: Bool
    ) {
        values.set(1, for: "a", cost: cost)
        #expect(values.peek("a") == (isCached ? 1 : nil))
        #expect(values.cost == (isCached ? cost : 0))
    }

    @Test(arguments: [(3, ["a", "b", "c"]), (4, ["b", "c"]), (7, ["c"]), (10, [])])
    mutating func `only as many values are evicted as necessary`(cost: Int, left: [String]) {
        fill(["a": 3, "b": 3, "c": 1])
        values.set(9, for: "new", cost: cost)
        #expect(values.oldestFirst.map(\.key) == left + ["new"])
    }

    @Test mutating func `unused values are evicted before used ones`() {
        fill(["a": 3, "b": 3, "c": 3])
        #expect(values.use("a") == 1)
        #expect(values.oldestFirst.map(\.key) == ["b", "c", "a"])
        #expect(values.use("a") == 1)
        #expect(values.oldestFirst.map(\.key) == ["b", "c", "a"])
    }

    @Test mutating func `peeking does not mark a value as used`() {
        fill(["a": 3, "b": 3])
        #expect(values.peek("a") == 1)
        #expect(values.oldestFirst.map(\.key) == ["a", "b"])
    }

    @Test mutating func `a replacing value is the most recently used and has its own cost`() {
        fill(["a": 3, "b": 3])
        values.set(7, for: "a", cost: 5)
        #expect(values.oldestFirst.map(\.value) == [2, 7])
        #expect(values.cost == 8)
    }

    @Test mutating func `a value over the budget deletes the earlier one`() {
        fill(["a": 3, "b": 3])
        values.set(7, for: "a", cost: 11)
        #expect(values.oldestFirst.map(\.key) == ["b"])
        #expect(values.cost == 3)
    }

    @Test mutating func `a removed value no longer costs`() {
        fill(["a": 3])
        #expect(values.remove("a") == 1)
        #expect(values.remove("a") == nil)
        #expect(values.use("a") == nil)
        #expect((values.count, values.cost) == (0, 0))
    }

    @Test(arguments: UInt64(1)...20) func `it equals a model with a list`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var values = LeastRecentlyUsed<Int, Int>(budget: 50)
        var list = NaiveList(budget: 50)
        for step in 0..<2_000 {
            let key = Int.random(in: 0..<20, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let cost = Int.random(in: 0...55, using: &random) % (seed.isMultiple(of: 2) ? 56 : 12)
                values.set(step, for: key, cost: cost)
                list.set(step, for: key, cost: cost)
            case 5..<8: #expect(values.use(key) == list.use(key))
            case 8: #expect(values.peek(key) == list.places.first { $0.key == key }?.value)
            default: #expect(values.remove(key) == list.remove(key))
            }
            #expect(values.oldestFirst.map(\.key) == list.places.map(\.key))
            #expect(values.oldestFirst.map(\.value) == list.places.map(\.value))
            #expect(values.cost == list.cost && values.count == list.places.count)
            #expect(values.cost <= 50)
        }
    }

    private mutating func fill(_ costs: KeyValuePairs<String, Int>) {
        for (index, (key, cost)) in costs.enumerated() { values.set(index + 1, for: key, cost: cost) }
    }
}

/// A simple model, the oldest value first.
private struct NaiveList {
    let budget: Int
    var places: [(key: Int, value: Int, cost: Int)] = []

    var cost: Int { places.reduce(0) { $0 + $1.cost } }

    mutating func set(_ value: Int, for key: Int, cost: Int) {
        _ = remove(key)
        guard cost <= budget else { return }
        while self.cost + cost > budget { places.removeFirst() }
        places.append((key, value, cost))
    }

    mutating func use(_ key: Int) -> Int? {
        guard let index = places.firstIndex(where: { $0.key == key }) else { return nil }
        places.append(places.remove(at: index))
        return places.last?.value
    }

    mutating func remove(_ key: Int) -> Int? {
        places.firstIndex { $0.key == key }.map { places.remove(at: $0).value }
    }
}

import Feed
import Foundation

/// What an upstream has said so far about its feed, in the order in which it did.
struct UpstreamStatements {
    /// Number 0 stands for the beginning of the feed and for its end.
    static let edge = 0

    /// Each answer as a row of items that follow one another directly.
    private(set) var rows: [[Int]] = []

    /// For each row, the order that the rows before it have said.
    private var orders: [Order] = []

    /// - Parameter honoured: whether the upstream knows the cursor's parameter. If it does not, its answer only counts where
    ///   it contradicts nothing.
    mutating func add(_ items: [Int], at cursor: FeedCursor, honoured: Bool, isLast: Bool) {
        let number = cursor.id.map { Int($0.uuidString.suffix(12)) ?? -1 } ?? Self.edge
        var row = items
        // An answer that contains its cursor says itself what stands beside it.
        if honoured || isNews(items.last, above: number), !items.contains(number) {
            row = cursor.isDownward ? [number] + items : (items.isEmpty ? [Self.edge] : items) + [number]
        }
        if isLast { row.append(Self.edge) }
        orders.append(order)
        rows.append(row)
    }

    private func isNews(_ last: Int?, above number: Int) -> Bool {
        guard let last else { return false }
        return !rows.contains { row in
            row.dropLast().contains(last)
                || zip(row, row.dropFirst()).contains { before, item in item == number && before != Self.edge }
        }
    }

    /// Whether the upstream has said that `second` follows `first`, directly or over items that have left since.
    func state(_ second: Int, follows first: Int) -> Bool {
        var open = [first]
        var visited: Set<Int> = []
        while let number = open.popLast() {
            for (index, row) in rows.enumerated() {
                for position in row.indices.dropLast()
                where row[position] == number && (number != Self.edge || position == 0) {
                    let next = row[position + 1]
                    if next == second { return true }
                    if next != Self.edge, hasLeft(next, since: index), visited.insert(next).inserted {
                        open.append(next)
                    }
                }
                // What follows an item that has left follows what stood before it.
                guard number != Self.edge, row.contains(number) else { continue }
                for next in successors(over: number, since: index) {
                    if next == second { return true }
                    if next != Self.edge, visited.insert(next).inserted { open.append(next) }
                }
            }
        }
        return false
    }

    /// Whether a later answer has an item in another place, or passes over it.
    private func hasLeft(_ number: Int, since index: Int) -> Bool {
        rows[(index + 1)...].contains { $0.contains(number) } || !successors(over: number, since: index).isEmpty
    }

    /// What later answers have instead of an item: they go on from something before it with something that does not stand before it.
    private func successors(over number: Int, since index: Int) -> [Int] {
        rows.indices.dropFirst(index + 1).flatMap { later in
            let row = rows[later]
            return row.indices.dropLast().filter { position in
                let (before, after) = (row[position], row[position + 1])
                // An empty feed passes over every item.
                let passes = row == [Self.edge, Self.edge] || orders[later].leads(before, to: number)
                return !row.contains(number) && passes
                    && (after == Self.edge || !orders[later].leadsByNewest(after, to: number))
            }.map { row[$0 + 1] }
        }
    }

    /// What all rows say together of what stands before what.
    private var order: Order {
        var order = Order()
        for row in rows.reversed() {
            for (first, second) in zip(row, row.dropFirst()) where second != Self.edge {
                order.add(second, after: first)
            }
        }
        return order
    }
}

/// What stands before what.
private struct Order {
    private var said: [Int: Set<Int>] = [:]

    /// The same without what newer answers say the opposite of: an item that was published again stands where the newest
    /// answer shows it.
    private var newest: [Int: Set<Int>] = [:]

    /// Answers are added newest first.
    mutating func add(_ second: Int, after first: Int) {
        said[first, default: []].insert(second)
        if !leadsByNewest(second, to: first) { newest[first, default: []].insert(second) }
    }

    /// Whether it was ever said that an item comes somewhere after another.
    func leads(_ first: Int, to second: Int) -> Bool { Self.leads(first, to: second, in: said) }

    func leadsByNewest(_ first: Int, to second: Int) -> Bool { Self.leads(first, to: second, in: newest) }

    private static func leads(_ first: Int, to second: Int, in order: [Int: Set<Int>]) -> Bool {
        var (open, visited) = ([first], Set([first]))
        while let number = open.popLast() {
            for next in order[number] ?? [] {
                if next == second { return true }
                if visited.insert(next).inserted { open.append(next) }
            }
        }
        return false
    }
}

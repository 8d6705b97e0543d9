import Feed
import Foundation
import RPCTestKit

/// The statements that an upstream has made about its feed, in order.
struct UpstreamStatements {
    /// Number 0 is both the beginning and the end of the feed.
    static let edge = 0

    /// Each answer as a row of consecutive items.
    private(set) var rows: [[Int]] = []

    /// Removed items, each with the number of rows before it was removed.
    private var removals: [(number: Int, rows: Int)] = []

    /// For each row: the order that the earlier rows state.
    private var orders: [Order] = []

    /// - Parameter honoured: whether the upstream supports the cursor's parameter. If not, the answer is a statement
    /// about the cursor only where it contradicts no other answer.
    mutating func add(_ items: [Int], at cursor: FeedCursor, honoured: Bool, isLast: Bool) {
        let number = cursor.id?.number ?? Self.edge
        var row = items
        // An answer that contains its cursor states the neighbours of the cursor itself.
        if honoured || isNews(items.last, above: number), !items.contains(number) {
            row = cursor.isDownward ? [number] + items : (items.isEmpty ? [Self.edge] : items) + [number]
        }
        if isLast { row.append(Self.edge) }
        orders.append(order)
        rows.append(row)
    }

    /// An event of the upstream tells of a removed item.
    mutating func remove(_ number: Int) { removals.append((number, rows.count)) }

    private func isNews(_ last: Int?, above number: Int) -> Bool {
        guard let last else { return false }
        return !rows.contains { row in
            row.dropLast().contains(last)
                || zip(row, row.dropFirst()).contains { before, item in item == number && before != Self.edge }
        }
    }

    /// Whether the upstream has stated that `second` follows `first`, directly or with items in between that were
    /// removed later.
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
                // An item after a removed item follows the one before the removed item.
                guard number != Self.edge, row.contains(number) else { continue }
                for next in successors(over: number, since: index) {
                    if next == second { return true }
                    if next != Self.edge, visited.insert(next).inserted { open.append(next) }
                }
            }
        }
        return false
    }

    /// Whether a later answer has an item at another place, or skips it, or a later event tells that it was removed.
    private func hasLeft(_ number: Int, since index: Int) -> Bool {
        rows[(index + 1)...].contains { $0.contains(number) } || !successors(over: number, since: index).isEmpty
            || removals.contains { $0.number == number && $0.rows > index }
    }

    /// The items that later answers show in place of `number`: each directly follows an item that precedes `number`,
    /// and does not precede `number` itself.
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

    /// The order that all rows state together.
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

/// A relation of items that precede others.
private struct Order {
    private var said: [Int: Set<Int>] = [:]

    /// The same relation without statements that newer answers contradict: an item that was published again is where
    /// the newest answer shows it.
    private var newest: [Int: Set<Int>] = [:]

    /// Add the answers newest first.
    mutating func add(_ second: Int, after first: Int) {
        said[first, default: []].insert(second)
        if !leadsByNewest(second, to: first) { newest[first, default: []].insert(second) }
    }

    /// Whether any answer states that an item is somewhere after another.
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

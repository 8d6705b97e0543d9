import NIOCore

/// A priority queue of deadlines, as a binary heap.
///
/// An entry whose call has ended stays until it reaches the front, or until such stale entries outnumber the current
/// ones. The owner decides which entries are current: each operation takes `isCurrent`.
struct DeadlineQueue<ID> {
    private struct Entry {
        let deadline: NIODeadline
        let id: ID
    }

    private var heap: [Entry] = []

    /// The number of stale entries that may always stay. In addition, as many may stay as there are current entries.
    static var spare: Int { 64 }

    /// How many entries are stored, current or stale.
    var entries: Int { heap.count }

    /// - Parameters:
    ///   - deadline: `distantFuture` is not stored, because it never passes.
    ///   - count: how many entries are current, including this one.
    mutating func add(
        _ id: ID, _ deadline: NIODeadline, count: Int, isCurrent: (ID, NIODeadline) -> Bool
    ) {
        guard deadline != .distantFuture else { return }
        if heap.count >= 2 * count + Self.spare {
            heap.removeAll { !isCurrent($0.id, $0.deadline) }
            for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { siftDown(from: index) }
        }
        heap.append(Entry(deadline: deadline, id: id))
        siftUp(from: heap.count - 1)
    }

    /// Removes a current entry whose deadline has passed.
    /// - Returns: nil when there is none.
    mutating func popDue(now: NIODeadline, isCurrent: (ID, NIODeadline) -> Bool) -> ID? {
        while let first = heap.first, first.deadline <= now {
            removeFirst()
            if isCurrent(first.id, first.deadline) { return first.id }
        }
        return nil
    }

    /// The earliest deadline of a current entry; `distantFuture` when there is none.
    mutating func next(isCurrent: (ID, NIODeadline) -> Bool) -> NIODeadline {
        while let first = heap.first {
            if isCurrent(first.id, first.deadline) { return first.deadline }
            removeFirst()
        }
        return .distantFuture
    }

    // MARK: Heap

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        siftDown(from: 0)
    }

    /// Deadlines are mostly added in order; then no entry moves.
    private mutating func siftUp(from index: Int) {
        var child = index
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].deadline < heap[parent].deadline else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown(from index: Int) {
        var parent = index
        while true {
            var smallest = parent
            let left = 2 * parent + 1
            for child in left..<min(left + 2, max(heap.count, left))
            where heap[child].deadline < heap[smallest].deadline {
                smallest = child
            }
            guard smallest != parent else { return }
            heap.swapAt(parent, smallest)
            parent = smallest
        }
    }
}

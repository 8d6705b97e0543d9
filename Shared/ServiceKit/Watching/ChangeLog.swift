import Foundation

/// A change that watchers of a service receive: the effect of one write.
public protocol WatchedChange: Equatable, Sendable {
    /// The size of its texts or ids, in bytes.
    var weight: Int { get }
}

/// The latest changes of a service's data, in the order in which they were written. Each watcher reads the log from its own
/// mark, at its own pace. A watcher whose mark is older than the log gets a reset; it never delays the others.
public struct ChangeLog<Change: WatchedChange>: Sendable {
    /// The maximum number of changes in the log.
    public static var maximumCount: Int { 10_000 }

    /// The maximum size of the texts in the log, in bytes: large changes make the log shorter. The latest change always
    /// remains.
    public static var maximumBytes: Int { 64 << 20 }

    /// Distinguishes this log from those of other instances of the service.
    private let life: String

    /// A ring: the change with number n is at (n − 1) modulo `maximumCount`.
    private var ring: [Change?] = []
    private var bytes = 0

    /// The numbers of the changes in the log.
    private var numbers = 1..<1

    public init(life: String) { self.life = life }

    /// The mark at the end of the log: only later changes follow it.
    public var mark: ChangeMark { mark(numbers.upperBound - 1) }

    public mutating func record(_ change: Change) {
        let number = numbers.upperBound
        if numbers.count == Self.maximumCount { forgetOldest() }
        numbers = numbers.lowerBound..<number + 1
        if ring.count < Self.maximumCount { ring.append(change) } else { ring[place(number)] = change }
        bytes += change.weight
        while bytes > Self.maximumBytes, numbers.count > 1 { forgetOldest() }
    }

    /// The change after a mark; nil when the mark is at the end of the log.
    /// - Parameter mark: the watcher's mark; an unknown one gets a reset.
    public func news(after mark: ChangeMark?) -> ChangeNews<Change>? {
        guard let mark, mark.life == life, (numbers.lowerBound - 1..<numbers.upperBound).contains(mark.number) else {
            return ChangeNews(.reset, mark: self.mark)
        }
        let number = mark.number + 1
        guard numbers.contains(number), let change = ring[place(number)] else { return nil }
        return ChangeNews(.change(change), mark: self.mark(number))
    }

    private mutating func forgetOldest() {
        let oldest = place(numbers.lowerBound)
        bytes -= ring[oldest]?.weight ?? 0
        ring[oldest] = nil
        numbers = numbers.lowerBound + 1..<numbers.upperBound
    }

    private func place(_ number: Int) -> Int { (number - 1) % Self.maximumCount }

    private func mark(_ number: Int) -> ChangeMark { ChangeMark(life: life, number: number) }
}

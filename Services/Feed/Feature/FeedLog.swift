import Foundation

/// The latest changes of the feed, in the order in which they were written. Watchers read it from where they stand, each
/// at its own pace: whoever falls behind further than the log goes back gets a reset, and holds up nobody.
public struct FeedLog: Sendable {
    /// How many changes are kept.
    public static let maximumCount = 10_000

    /// How many bytes of texts are kept: large items make the log shorter. The latest change always stays.
    public static let maximumBytes = 64 << 20

    /// Tells this log from those of earlier and later lives of the service.
    private let life: String

    /// A ring: the change with number n is at (n − 1) modulo `maximumCount`.
    private var ring: [FeedChange?] = []
    private var bytes = 0

    /// The numbers of the changes that are kept.
    private var numbers = 1..<1

    public init(life: String) { self.life = life }

    /// Where the log ends: only what happens from now on follows.
    public var mark: FeedMark { mark(numbers.upperBound - 1) }

    public mutating func record(_ change: FeedChange) {
        let number = numbers.upperBound
        if numbers.count == Self.maximumCount { forgetOldest() }
        numbers = numbers.lowerBound..<number + 1
        if ring.count < Self.maximumCount { ring.append(change) } else { ring[place(number)] = change }
        bytes += change.bytes
        while bytes > Self.maximumBytes, numbers.count > 1 { forgetOldest() }
    }

    /// What a watcher is told next; nil when nothing has happened since.
    /// - Parameter mark: where it stands; nil when it does not know.
    public func news(after mark: FeedMark?) -> FeedNews? {
        guard let mark, mark.life == life, (numbers.lowerBound - 1..<numbers.upperBound).contains(mark.number) else {
            return FeedNews(.reset, mark: self.mark)
        }
        let number = mark.number + 1
        guard numbers.contains(number), let change = ring[place(number)] else { return nil }
        return FeedNews(.change(change), mark: self.mark(number))
    }

    private mutating func forgetOldest() {
        let oldest = place(numbers.lowerBound)
        bytes -= ring[oldest]?.bytes ?? 0
        ring[oldest] = nil
        numbers = numbers.lowerBound + 1..<numbers.upperBound
    }

    private func place(_ number: Int) -> Int { (number - 1) % Self.maximumCount }

    private func mark(_ number: Int) -> FeedMark { FeedMark(life: life, number: number) }
}

extension FeedChange {
    /// What its texts take.
    fileprivate var bytes: Int {
        switch self {
        case .published(let images): images.reduce(0) { $0 + $1.weight }
        case .removed(let ids): ids.count * MemoryLayout<UUID>.size
        }
    }
}

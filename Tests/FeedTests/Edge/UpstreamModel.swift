import Feed
import Foundation

@testable import feed_service

/// A model of an upstream's feed: new items are added at the top, removed ones keep their position.
struct UpstreamModel {
    /// The positions of the items; the highest is at the top.
    private(set) var positions: [Int: Int] = [:]
    private var tombstones: [Int: Int] = [:]
    private var top = 0
    private(set) var lastNumber = 0

    /// The items that were removed and published again.
    private(set) var republished: Set<Int> = []

    init(_ count: Int) { for _ in 0..<count { publish() } }

    /// Newest first.
    var numbers: [Int] { positions.sorted { $0.value > $1.value }.map(\.key) }

    mutating func publish() {
        lastNumber += 1
        place(lastNumber)
    }

    mutating func remove(_ number: Int) {
        if let position = positions.removeValue(forKey: number) { tombstones[number] = position }
    }

    mutating func republish(_ number: Int) {
        remove(number)
        republished.insert(number)
        place(number)
    }

    private mutating func place(_ number: Int) {
        top += 1
        tombstones[number] = nil
        positions[number] = top
    }

    /// Nil for a cursor that was never an item.
    func page(_ limit: Int, at cursor: FeedCursor) -> [Int]? {
        guard let id = cursor.id else { return Array(numbers.prefix(limit)) }
        guard let number = Optional(picture(id).number), let place = positions[number] ?? tombstones[number] else {
            return nil
        }
        return cursor.isDownward
            ? Array(numbers.filter { position($0) < place }.prefix(limit))
            : Array(numbers.filter { position($0) > place }.suffix(limit))
    }

    func position(_ number: Int) -> Int { positions[number] ?? 0 }

    private func picture(_ id: UUID) -> FeedImage { FeedImage(id: id, description: nil, location: nil, image: "") }
}

extension FeedCursor {
    static func after(_ number: Int) -> FeedCursor { .after(UUID(number: number)) }
    static func before(_ number: Int) -> FeedCursor { .before(UUID(number: number)) }
}

import Comments
import Foundation
import Synchronization

/// The upstream's latest answers about lists of several pages. A reader gets the pages of a list from one answer: a
/// long list has a thousand pages, and without this cache each would be an upstream request.
final class ContinuedLists: Sendable {
    /// For how many seconds after the upstream's answer its pages are served without another upstream request.
    static let time: TimeInterval = 10

    /// The maximum number of lists.
    static let maximumCount = 1_000

    /// The maximum size of the lists that are in memory because the store does not cache them, in bytes. Longer lists
    /// are fetched again for each page.
    static let maximumBytes = 64 * 1_024 * 1_024

    struct List: Sendable {
        /// Nil when the store has the comments.
        let comments: [ImageComment]?
        let receipt: RemoteComments.Receipt
        let answeredAt: Date
    }

    private struct Held {
        let imageID: UUID
        let list: List
        let bytes: Int
    }

    /// In the order of the answers.
    private let held = Mutex<[Held]>([])

    /// Replaces the image's earlier list. Over the limits the oldest lists are evicted.
    func begin(_ imageID: UUID, _ list: List) {
        let bytes = list.comments.map { comments in
            CachedComments(imageID: imageID, comments: comments, savedAt: list.answeredAt).bytes
        }
        held.withLock { held in
            held.removeAll { $0.imageID == imageID || !$0.list.isGood(at: list.answeredAt) }
            held.append(Held(imageID: imageID, list: list, bytes: bytes ?? 0))
            var total = held.reduce(0) { $0 + $1.bytes }
            while held.count > Self.maximumCount || total > Self.maximumBytes { total -= held.removeFirst().bytes }
        }
    }

    func end(_ imageID: UUID) { held.withLock { $0.removeAll { $0.imageID == imageID } } }

    /// - Returns: nil when the upstream must be asked.
    func list(of imageID: UUID, now: Date) -> List? {
        held.withLock { held in
            held.last { $0.imageID == imageID && $0.list.isGood(at: now) }?.list
        }
    }
}

extension ContinuedLists.List {
    /// False also when the clock was set back to before the answer.
    fileprivate func isGood(at now: Date) -> Bool {
        (0..<ContinuedLists.time).contains(now.timeIntervalSince(answeredAt))
    }
}

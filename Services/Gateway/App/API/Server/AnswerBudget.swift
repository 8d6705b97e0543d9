import Synchronization

/// How many bytes of answers that clients have not read yet wait for them, over all connections. Bytes that several answers
/// share count for each; and every event loop may be over by the one answer that it is about to give.
final class AnswerBudget: Sendable {
    /// Smaller answers are given in any case: there is one for each connection, and of those only so many.
    static let smallAnswer = 65_536

    private let limit: Int
    private let held = Mutex(0)

    init(limit: Int) { self.limit = limit }

    /// Whether so many bytes more may be held.
    func hasRoom(for bytes: Int) -> Bool { bytes <= Self.smallAnswer || held.withLock { $0 + bytes <= limit } }

    func add(_ bytes: Int) { held.withLock { $0 += bytes } }

    /// They were sent, or never will be.
    func release(_ bytes: Int) { held.withLock { $0 -= bytes } }
}

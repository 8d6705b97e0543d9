import RPC
import Synchronization

/// How many bytes of answers are being made, or wait for clients that have not read them yet, over all connections. Bytes
/// that several answers share count for each; and every event loop may be over by the one answer that it is about to give.
final class AnswerBudget: Sendable {
    /// Smaller answers are given in any case: there is one for each connection, and of those only so many.
    static let smallAnswer = 65_536

    private let limit: Int
    private let held = Mutex(0)

    init(limit: Int) { self.limit = limit }

    /// Whether so many bytes more may be held.
    func hasRoom(for bytes: Int) -> Bool { bytes <= Self.smallAnswer || held.withLock { $0 + bytes <= limit } }

    /// Takes room for bytes that are about to be made; to be released.
    /// - Throws: `overloaded` when there is none.
    func reserve(_ bytes: Int) throws(RPCError) {
        let hasRoom = held.withLock { held in
            guard held + bytes <= limit else { return false }
            held += bytes
            return true
        }
        if !hasRoom { throw Self.overloaded }
    }

    /// How many bytes are held.
    var heldBytes: Int { held.withLock { $0 } }

    func add(_ bytes: Int) { held.withLock { $0 += bytes } }

    /// They were sent, or never will be.
    func release(_ bytes: Int) { held.withLock { $0 -= bytes } }

    static let overloaded = RPCError(.overloaded, "too many answers wait to be read", begun: false)
}

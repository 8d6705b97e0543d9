import NIOCore
import RPC
import Timing

/// Limits the size of all answers that are being generated or sent, over all connections.
///
/// It counts storage: a body that several answers share counts once, as long as any of them holds it. Each event loop
/// may exceed the limit by the one answer that it is about to send.
final class AnswerBudget: Sendable {
    /// An answer of at most this size, in bytes, is sent even over the limit. The number of connections limits the
    /// number of such answers.
    static let smallAnswer = 65_536

    private let limit: Int
    private let held = Watched(HeldBytes())

    init(limit: Int) { self.limit = limit }

    /// The number of bytes that count.
    var heldBytes: Int { held.withLock { $0.total } }

    /// Returns once the number of bytes that count fulfils the condition.
    func wait(until isSo: @escaping @Sendable (_ heldBytes: Int) -> Bool) async { await held.wait { isSo($0.total) } }

    // MARK: Answers being generated

    /// Counts bytes that are about to be generated, until `release`.
    /// - Throws: `overloaded` when the budget is used up.
    func reserve(_ bytes: Int) throws(RPCError) {
        let hasRoom = held.withLock { held in
            guard held.total + bytes <= limit else { return false }
            held.reserved += bytes
            return true
        }
        if !hasRoom { throw Self.overloaded }
    }

    func release(_ bytes: Int) { held.withLock { $0.reserved -= bytes } }

    // MARK: Answers being sent

    /// Counts the body of an answer, until `release`.
    /// - Parameter tag: the entity tag, if the body is a whole representation: equal tags mean equal bytes.
    /// - Returns: the body to send. It shares the storage of an earlier body with this tag, if one is still being sent.
    ///   Nil when the budget is used up.
    func admit(_ body: ByteBuffer, tag: String?) -> ByteBuffer? {
        held.withLock { held in
            let body = held.body(tagged: tag) ?? body
            guard body.readableBytes <= Self.smallAnswer || held.total + held.growth(by: body) <= limit else {
                return nil
            }
            held.insert(body, tag: tag)
            return body
        }
    }

    /// Counts a body that is sent even over the limit, until `release`.
    func add(_ body: ByteBuffer) { held.withLock { $0.insert(body, tag: nil) } }

    /// Releases a body that was sent or discarded.
    func release(_ body: ByteBuffer) { held.withLock { $0.remove(body) } }

    static let overloaded = RPCError(.overloaded, "too many answers are waiting for slow readers", begun: false)
}

/// The storages of the counted bodies.
private struct HeldBytes {
    private struct Storage {
        /// One of the bodies in this storage.
        let body: ByteBuffer
        var tag: String?
        var holders = 0
    }

    private var storages: [ObjectIdentifier: Storage] = [:]
    private var storageOfTag: [String: ObjectIdentifier] = [:]
    private var stored = 0

    /// The size of bodies that are not generated yet.
    var reserved = 0

    var total: Int { stored + reserved }

    func body(tagged tag: String?) -> ByteBuffer? {
        tag.flatMap { storageOfTag[$0] }.flatMap { storages[$0]?.body }
    }

    /// The number of bytes that this body adds to the total; 0 if its storage is already counted.
    func growth(by body: ByteBuffer) -> Int { storages[body.storageID] == nil ? body.storageCapacity : 0 }

    mutating func insert(_ body: ByteBuffer, tag: String?) {
        let id = body.storageID
        stored += growth(by: body)
        var storage = storages[id] ?? Storage(body: body)
        storage.holders += 1
        if let tag, storage.tag == nil, storageOfTag[tag] == nil {
            storage.tag = tag
            storageOfTag[tag] = id
        }
        storages[id] = storage
    }

    mutating func remove(_ body: ByteBuffer) {
        let id = body.storageID
        guard var storage = storages[id] else { return }
        storage.holders -= 1
        guard storage.holders == 0 else {
            storages[id] = storage
            return
        }
        storages[id] = nil
        stored -= storage.body.storageCapacity
        if let tag = storage.tag { storageOfTag[tag] = nil }
    }
}

extension ByteBuffer {
    /// The identity of the storage, which copies and slices of a buffer share.
    fileprivate var storageID: ObjectIdentifier {
        withUnsafeReadableBytesWithStorageManagement { _, storage in ObjectIdentifier(storage.takeUnretainedValue()) }
    }
}

import NIOCore
import RPC
import Synchronization

/// Limits the bytes of answers that are being made, or that clients have not read yet, over all connections.
///
/// Counts storage: a body that several answers share counts once, as long as any of them holds it. Each event loop may exceed
/// the limit by the one answer that it is about to give.
final class AnswerBudget: Sendable {
    /// Smaller answers are given in any case: each connection has only so many of them.
    static let smallAnswer = 65_536

    private let limit: Int
    private let held = Mutex(HeldBytes())

    init(limit: Int) { self.limit = limit }

    /// The bytes that count.
    var heldBytes: Int { held.withLock { $0.total } }

    // MARK: Answers that are being made

    /// Counts bytes that are about to be written, until `release`.
    /// - Throws: `overloaded` when the budget has no room for them.
    func reserve(_ bytes: Int) throws(RPCError) {
        let hasRoom = held.withLock { held in
            guard held.total + bytes <= limit else { return false }
            held.reserved += bytes
            return true
        }
        if !hasRoom { throw Self.overloaded }
    }

    func release(_ bytes: Int) { held.withLock { $0.reserved -= bytes } }

    // MARK: Answers on their way

    /// Counts the body of an answer, until `release`.
    /// - Parameter tag: of the answer, where the body is the whole of a representation: equal tags are equal bytes.
    /// - Returns: the body to send. It shares the storage of an earlier body with this tag that is still held. Nil when the
    ///   budget has no room.
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

    /// Counts a body that is sent in any case, until `release`.
    func add(_ body: ByteBuffer) { held.withLock { $0.insert(body, tag: nil) } }

    /// The body was sent, or never will be.
    func release(_ body: ByteBuffer) { held.withLock { $0.remove(body) } }

    static let overloaded = RPCError(.overloaded, "too many answers wait to be read", begun: false)
}

/// The storages of the bodies that are held.
private struct HeldBytes {
    private struct Storage {
        /// Any body that lies in it.
        let body: ByteBuffer
        var tag: String?
        var holders = 0
    }

    private var storages: [ObjectIdentifier: Storage] = [:]
    private var storageOfTag: [String: ObjectIdentifier] = [:]
    private var stored = 0

    /// For bodies that have no storage yet.
    var reserved = 0

    var total: Int { stored + reserved }

    func body(tagged tag: String?) -> ByteBuffer? {
        tag.flatMap { storageOfTag[$0] }.flatMap { storages[$0]?.body }
    }

    /// How much larger the total is with this body.
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
    /// What buffers share that are copies or slices of each other.
    fileprivate var storageID: ObjectIdentifier {
        withUnsafeReadableBytesWithStorageManagement { _, storage in ObjectIdentifier(storage.takeUnretainedValue()) }
    }
}

import ServiceKit
import Synchronization
import Timing

/// The writes of a store that wait for its writer. It commits those that wait together: each transaction holds the lock of the database
/// while the disk is written, so one transaction per write would be the limit of all services.
final class PostgresWrites: Sendable {
    /// A write, and what became of it.
    struct Write: Sendable {
        /// About how much it sends.
        let bytes: Int

        /// Writes with the same one run together; nil for a write that runs alone.
        var kind: ObjectIdentifier?

        /// Marks it as begun.
        /// - Returns: false if its caller has given it up.
        let begin: @Sendable () -> Bool

        /// Adds it to those of its kind that the next `run` makes.
        var join: @Sendable () -> Void = {}

        /// - Returns: what makes the result known once the transaction is committed.
        let run: @Sendable (PostgresConnection) throws -> @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
    }

    /// The maximum number of writes in one transaction.
    static let maximumBatch = 64

    /// The size of the writes in one transaction after which no other joins: other services wait until they are sent.
    static let maximumBytes = 4 << 20

    private let waiting = Watched<[Write]>([])

    func add(_ write: Write) { waiting.withLock { $0.append(write) } }

    /// Returns once so many writes wait.
    func wait(for count: Int) async { await waiting.wait { $0.count >= count } }

    /// Runs the writes that have waited longest once the writer is free. A write may run twice, if another one of its transaction fails.
    /// - Parameter isDone: whether another call has run the caller's write. Then those that have come since wait for a call of their own:
    ///   meanwhile more of them come, and fit into one transaction.
    func commit(on lane: PostgresLane, unless isDone: @Sendable () -> Bool) async {
        do {
            try await lane.run(nil) { db in
                let writes = isDone() ? [] : take()
                guard !writes.isEmpty else { return }
                do {
                    try Self.run(writes, db)
                } catch {
                    for write in writes { write.fail(error) }
                }
            }
        } catch {
            // There is no connection.
            for write in take() { write.fail(error) }
        }
    }

    private func take() -> [Write] {
        let taken = waiting.withLock { waiting in
            var bytes = 0
            let count = waiting.prefix(Self.maximumBatch).prefix { write in
                defer { bytes += write.bytes }
                return bytes < Self.maximumBytes
            }.count
            defer { waiting.removeFirst(count) }
            return Array(waiting.prefix(count))
        }
        return taken.filter { $0.begin() }
    }

    /// - Throws: an error that all have failed with.
    private static func run(_ writes: [Write], _ db: PostgresConnection) throws {
        do {
            let known = try db.transaction { db in
                try PostgresChanges.lock(db)
                return try joined(writes).compactMap { group in
                    for write in group { write.join() }
                    return try group.last?.run(db)
                }
            }
            for tell in known { tell() }
        } catch {
            // A failure of the database would be that of each.
            guard writes.count > 1, !db.isBroken, PostgresTrouble(error) == nil else { throw error }
            // One of them has failed, with nothing written. Find out which.
            for write in writes {
                do { try run([write], db) } catch { write.fail(error) }
            }
        }
    }

    /// Those of one kind that follow each other, together.
    private static func joined(_ writes: [Write]) -> [[Write]] {
        writes.reduce(into: []) { groups, write in
            if let kind = write.kind, let last = groups.last?.last, last.kind == kind {
                groups[groups.count - 1].append(write)
            } else {
                groups.append([write])
            }
        }
    }
}

/// Writes of one kind. Those of a transaction that follow each other are made by the same statements: each statement is a round trip to the
/// server, during which the other services wait for the lock of the database.
public final class JoinedWrites<Input: Sendable, Output: Sendable>: Sendable {
    private typealias Joined = (input: Input, end: @Sendable (Result<Output, any Error>) -> Void)

    private let body: @Sendable ([Input], PostgresConnection) throws -> [Result<Output, any Error>]
    private let joined = Mutex<[Joined]>([])

    /// - Parameter body: makes the writes in this order, and returns the result of each. It may run twice, the first time without an
    ///   effect.
    public init(_ body: @escaping @Sendable ([Input], PostgresConnection) throws -> [Result<Output, any Error>]) {
        self.body = body
    }

    /// - Parameter end: called if the transaction of the write is committed.
    func join(_ input: Input, _ end: @escaping @Sendable (Result<Output, any Error>) -> Void) {
        joined.withLock { $0.append((input, end)) }
    }

    /// Makes the writes that have joined.
    /// - Returns: what makes their results known.
    func run(_ db: PostgresConnection) throws -> @Sendable () -> Void {
        let joined = joined.withLock { joined in
            defer { joined = [] }
            return joined
        }
        let results = try body(joined.map(\.input), db)
        return {
            for (write, result) in zip(joined, results) { write.end(result) }
        }
    }
}

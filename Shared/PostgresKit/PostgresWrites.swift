import ServiceKit
import Timing

/// The writes of a store that wait for its writer. It commits those that wait together: each transaction holds the lock of the database
/// while the disk is written, so one transaction per write would be the limit of all services.
final class PostgresWrites: Sendable {
    /// A write, and what became of it.
    struct Write: Sendable {
        /// About how much it sends.
        let bytes: Int

        /// Marks it as begun.
        /// - Returns: false if its caller has given it up.
        let begin: @Sendable () -> Bool

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
    func commit(on lane: PostgresLane) async {
        do {
            try await lane.run(nil) { db in
                let writes = take()
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
                return try writes.map { try $0.run(db) }
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
}

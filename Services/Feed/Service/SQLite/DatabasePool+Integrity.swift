import Feed
import GRDB

extension DatabasePool {
    /// - Throws: `FeedStoreError.damaged` when the file is damaged.
    func checkIntegrity() async throws {
        // Uses its own connection, because the check may take seconds and the event loop must not wait for a reader of
        // the pool.
        var configuration = Configuration()
        configuration.readonly = true
        let findings = try await DatabaseQueue(path: path, configuration: configuration).read {
            try String.fetchAll($0, sql: "PRAGMA integrity_check(1)")
        }
        if findings != ["ok"] { throw FeedStoreError.damaged(findings.joined(separator: "; ")) }
    }
}

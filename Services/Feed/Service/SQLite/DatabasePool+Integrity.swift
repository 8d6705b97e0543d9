import Feed
import GRDB

extension DatabasePool {
    /// - Throws: `FeedStoreError.damaged` when some of the file cannot be right.
    func checkIntegrity() async throws {
        // On a connection of its own, because it may take seconds: the event loop must not wait for a reader.
        var configuration = Configuration()
        configuration.readonly = true
        let findings = try await DatabaseQueue(path: path, configuration: configuration).read {
            try String.fetchAll($0, sql: "PRAGMA integrity_check(1)")
        }
        if findings != ["ok"] { throw FeedStoreError.damaged(findings.joined(separator: "; ")) }
    }
}

import GRDB

extension DatabasePool {
    /// Checks the whole file.
    /// - Parameter check: checks what only the store's schema knows.
    /// - Returns: the first damage of the file; nil for none.
    func damage(_ check: @escaping @Sendable (Database) throws -> String?) async throws -> String? {
        // Uses its own connection, because the check may take seconds and the event loop must not wait for a reader of
        // the pool.
        var configuration = Configuration()
        configuration.readonly = true
        return try await DatabaseQueue(path: path, configuration: configuration).read { db in
            let findings = try String.fetchAll(db, sql: "PRAGMA integrity_check(1)")
            return findings == ["ok"] ? try check(db) : findings.joined(separator: "; ")
        }
    }
}

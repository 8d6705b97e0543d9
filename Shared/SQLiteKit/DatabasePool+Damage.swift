import GRDB

extension DatabasePool {
    /// Checks the whole file.
    /// - Returns: the first damage of the file; nil for none.
    public func damage() async throws -> String? {
        // Uses its own connection, because the check may take seconds and the event loop must not wait for a reader of
        // the pool.
        var configuration = Configuration()
        configuration.readonly = true
        let findings = try await DatabaseQueue(path: path, configuration: configuration).read {
            try String.fetchAll($0, sql: "PRAGMA integrity_check(1)")
        }
        return findings == ["ok"] ? nil : findings.joined(separator: "; ")
    }
}

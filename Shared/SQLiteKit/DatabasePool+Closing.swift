import GRDB

extension DatabasePool {
    /// Ends an orderly life: what was written last is in the file, and nothing lies beside it, so that a copy of it is a copy
    /// of everything.
    public func closeIntoOneFile() throws {
        // SQLite puts the journal away with the last connection, unless that is one that only reads; GRDB's `close` would
        // end with those.
        invalidateReadOnlyConnections()
        try close()
    }
}

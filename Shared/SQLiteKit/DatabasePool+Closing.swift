import GRDB

extension DatabasePool {
    /// Checkpoints the journal into the file, removes the journal and closes the pool. A copy of the one file is then complete.
    public func closeIntoOneFile() throws {
        // SQLite checkpoints and removes the journal when the last connection closes, unless that one is read-only. GRDB's
        // `close` would close the read-only connections last.
        invalidateReadOnlyConnections()
        try close()
    }
}

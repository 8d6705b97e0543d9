import GRDB

extension DatabasePool {
    /// Closes the store so that everything is in one file.
    ///
    /// The last connection to go brings the log into the file, if it can write. GRDB closes the writer first.
    public func closeIntoOneFile() throws {
        releaseMemory()
        try close()
    }
}

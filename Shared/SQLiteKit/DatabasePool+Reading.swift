import GRDB

extension DatabasePool {
    /// Reads on the caller's thread, also in an `async` function, where `read` is the one that changes the thread.
    func readNow<Result>(_ body: (Database) throws -> Result) throws -> Result { try read(body) }
}

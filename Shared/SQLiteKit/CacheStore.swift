import GRDB
import JSON
import RPC
import ServiceKit

/// The store of a cache, without which the service still works; `AuthorityStore` is that of an authority. A cache that is damaged,
/// removed or replaced while the service runs is renamed, and an empty one replaces it.
///
/// One task at a time replaces the store, at the pace of `ReplacementPace`. Meanwhile other tasks find no store.
public struct CacheStore: Sendable {
    public let slot: StoreSlot
    public let monitor: StoreMonitor

    public init(_ slot: StoreSlot, _ monitor: StoreMonitor) {
        self.slot = slot
        self.monitor = monitor
    }

    /// The store's check for `rpc.health`.
    public var check: Health.Check { monitor.check }

    /// Closes the store. See `StoreSlot.close`.
    public func close() throws { try slot.close() }

    /// Reads on the caller's thread, for reads that take microseconds.
    /// - Returns: nil also when there is no store.
    public func read<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (Database) throws -> Result?
    ) async throws -> Result? {
        try await reading { try $0.readNow(body) }
    }

    /// Reads on another thread, for reads that take time.
    public func readApart<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable (Database) throws -> Result?
    ) async throws -> Result? {
        try await reading { try await $0.read(body) }
    }

    /// Writes on another thread, in a transaction.
    /// - Parameter body: returns nil when it wrote nothing.
    public func write<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable (Database) throws -> Result?
    ) async throws -> Result? {
        try await writing { try await $0.write(body) }
    }

    /// The mark of the last change; see `ChangeLog`.
    public func lastChange(isolation: isolated (any Actor)? = #isolation) async throws -> ChangeMark {
        try await read(ChangeTable.last) ?? Self.absent
    }

    /// The mark of a watcher without a store, where nothing changes. A store that is opened later answers it with a reset.
    private static let absent = ChangeMark(life: "", number: 0)

    /// The event after a mark; see `ChangeLog`.
    /// - Parameter decode: reads a change as `ChangeTable.append` got it.
    public func news<Change>(
        after mark: ChangeMark?, isolation: isolated (any Actor)? = #isolation,
        decode: (RawJSON) throws(JSONError) -> Change
    ) async throws -> ChangeNews<Change>? {
        var isThere = false
        let news = try await read { db in
            isThere = true
            return try ChangeTable.news(after: mark, db, report: monitor.report, read: decode)
        }
        return isThere || mark == Self.absent ? news : ChangeNews(.reset, mark: Self.absent)
    }

    // MARK: Access

    /// - Returns: nil when there is no store or it had to be replaced.
    /// - Throws: `RPCError` for a failing store.
    public func reading<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (DatabasePool) async throws -> Result?
    ) async throws -> Result? {
        guard let content = await content() else { return nil }
        return try await replacing(content) {
            try await monitor.watching(isReading: true, isCache: true) {
                try await content.files.reading { try await body(content.pool) }
            }
        }
    }

    /// - Parameter body: returns nil when it wrote nothing. Then an earlier write failure stays reported.
    /// - Returns: nil when nothing was written, there is no store, or it had to be replaced.
    /// - Throws: `RPCError` for a failing store.
    public func writing<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (DatabasePool) async throws -> Result?
    ) async throws -> Result? {
        guard let content = await content() else { return nil }
        return try await replacing(content) {
            let result = try await monitor.watching(isReading: false, isCache: true) {
                try await content.files.writing { try await body(content.pool) }
            }
            if result != nil { monitor.noteWritten() }
            return result
        }
    }

    /// Runs a check of the whole store, if there is one. On success the store no longer counts as damaged. On failure it is not
    /// replaced.
    /// - Throws: what `body` throws, and `RPCError` for a failing store.
    public func validating(
        isolation: isolated (any Actor)? = #isolation, _ body: (DatabasePool) async throws -> Void
    ) async throws {
        guard let content = slot.content else { return }
        try await monitor.watching(isReading: true, isCache: true) {
            try await content.files.writing { try await body(content.pool) }
        }
        monitor.noteValidated()
    }

    /// Opens a store if there is none, and replaces one that validation found damaged. Ignores the pace, because an operator or
    /// a daily task asks for it.
    public func restore(isDamaged: Bool) async {
        await replace(isDamaged ? slot.content : nil, isForced: true)
    }

    private func content(isolation: isolated (any Actor)? = #isolation) async -> StoreSlot.Content? {
        if let content = slot.content { return content }
        guard slot.isOpeningDue else { return nil }
        await replace(nil)
        return slot.content
    }

    private func replacing<Result>(
        _ content: StoreSlot.Content, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result?
    ) async throws -> Result? {
        do {
            return try await body()
        } catch {
            // Another task replaced or closed the store during the call.
            if !slot.isCurrent(content) { return nil }
            guard (error as? RPCError)?.isStoreLost == true else { throw error }
            await replace(content)
            if slot.isCurrent(content) { throw error }
            return nil
        }
    }

    /// Off the event loop: closing and opening take milliseconds.
    private func replace(_ damaged: StoreSlot.Content?, isForced: Bool = false) async {
        let slot = slot
        let replacement = await withTaskExecutorPreference(globalConcurrentExecutor) {
            slot.replace(damaged, isForced: isForced)
        }
        switch replacement {
        case .none: return
        case .opened(let report): monitor.recover(report: report)
        case .failed(let failure): monitor.note(failure)
        }
    }
}

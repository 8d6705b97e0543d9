import GRDB
import JSON
import RPC
import ServiceKit

/// The store of an authority. It acknowledges no write that could be lost silently: calls fail with `unavailable` when there
/// is no store or its file was removed or replaced, and with `data_loss` when the file was overwritten.
///
/// Calls work again when the file is put back. A restart opens the file that is present then, or refuses it.
public struct AuthorityStore: Sendable {
    private let slot: StoreSlot
    private let monitor: StoreMonitor

    public init(_ slot: StoreSlot, _ monitor: StoreMonitor) {
        self.slot = slot
        self.monitor = monitor
    }

    /// The store's check for `rpc.health`.
    public var check: Health.Check { monitor.check }

    /// Closes the store. See `StoreSlot.close`.
    public func close() throws { try slot.close() }

    /// Reads on the caller's thread, for reads that take microseconds.
    public func read<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (Database) throws -> Result
    ) async throws -> Result {
        try await reading { try $0.readNow(body) }
    }

    /// Reads on another thread, for reads that take time.
    public func readApart<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await reading { try await $0.read(body) }
    }

    /// Writes on another thread, in a transaction.
    public func write<Result: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await writing { try await $0.write(body) }
    }

    /// The mark of the last change; see `ChangeLog`.
    public func lastChange(isolation: isolated (any Actor)? = #isolation) async throws -> ChangeMark {
        try await read(ChangeTable.last)
    }

    /// The event after a mark; see `ChangeLog`.
    /// - Parameter decode: reads a change as `ChangeTable.append` got it.
    public func news<Change>(
        after mark: ChangeMark?, isolation: isolated (any Actor)? = #isolation,
        decode: (RawJSON) throws(JSONError) -> Change
    ) async throws -> ChangeNews<Change>? {
        try await read { try ChangeTable.news(after: mark, $0, report: monitor.report, read: decode) }
    }

    /// Checks the whole store. If it is not damaged, it no longer counts as damaged.
    /// - Returns: what is damaged; nil for a store in order.
    public func damage(isolation: isolated (any Actor)? = #isolation) async throws -> String? {
        let content = try content
        let finding = try await monitor.reading {
            try await content.files.writing { try await content.pool.damage() }
        }
        if let finding { monitor.noteDamage(finding) } else { monitor.noteValidated() }
        return finding
    }

    func reading<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (DatabasePool) async throws -> Result
    ) async throws -> Result {
        let content = try content
        return try await monitor.reading { try await content.files.reading { try await body(content.pool) } }
    }

    func writing<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (DatabasePool) async throws -> Result
    ) async throws -> Result {
        let content = try content
        return try await monitor.writing { try await content.files.writing { try await body(content.pool) } }
    }

    private var content: StoreSlot.Content {
        get throws(RPCError) {
            guard let content = slot.content else { throw StoreTrouble.absent.answer }
            return content
        }
    }
}

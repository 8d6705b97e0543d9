import RPC

/// The store of an authority. It acknowledges no write that could be lost silently: calls fail with `unavailable` when there
/// is no store or its file was removed or replaced, and with `data_loss` when the file was overwritten.
///
/// Calls work again when the file is put back. A restart opens the file that is present then, or refuses it.
public struct AuthorityStore<Store: Sendable>: Sendable {
    private let slot: StoreSlot<Store>
    public let monitor: StoreMonitor

    public init(_ slot: StoreSlot<Store>, _ monitor: StoreMonitor) {
        self.slot = slot
        self.monitor = monitor
    }

    /// The store's check for `rpc.health`.
    public var check: Health.Check { monitor.check }

    /// Closes the store. See `StoreSlot.close`.
    public func close() throws { try slot.close() }

    public func reading<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (Store) async throws -> Result
    ) async throws -> Result {
        let content = try content
        return try await monitor.reading { try await content.files.reading { try await body(content.store) } }
    }

    public func writing<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (Store) async throws -> Result
    ) async throws -> Result {
        let content = try content
        return try await monitor.writing { try await content.files.writing { try await body(content.store) } }
    }

    /// Runs a check of the whole store. On success the store no longer counts as damaged.
    public func validating(
        isolation: isolated (any Actor)? = #isolation, _ body: (Store) async throws -> Void
    ) async throws {
        let content = try content
        try await monitor.reading { try await content.files.writing { try await body(content.store) } }
        monitor.noteValidated()
    }

    private var content: StoreSlot<Store>.Content {
        get throws(RPCError) {
            guard let content = slot.content else { throw StoreTrouble.absent.answer }
            return content
        }
    }
}

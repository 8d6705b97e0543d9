import RPC

/// The store of a service that is the authority. Nothing that could be lost silently is acknowledged: without a store, and
/// with one whose file was removed or replaced, the answer is `unavailable`; with one that was overwritten, `data_loss`.
///
/// Calls go on when the file is put back. A restart opens what is there then, or refuses it.
public struct AuthorityStore<Store: Sendable>: Sendable {
    private let slot: StoreSlot<Store>
    public let monitor: StoreMonitor

    public init(_ slot: StoreSlot<Store>, _ monitor: StoreMonitor) {
        self.slot = slot
        self.monitor = monitor
    }

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

    /// Runs a check of everything in the store; its success ends damage.
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

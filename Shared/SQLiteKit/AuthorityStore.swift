import RPC

/// The store of a service that is the authority. Nothing that could be lost silently is acknowledged: without a store, and
/// with one whose file was removed or replaced, the answer is `unavailable`.
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
        return try await monitor.reading {
            let result = try await body(content.store)
            // A connection that was opened just now reads what has that name now.
            guard content.files.isStoreInPlace else { throw StoreDisplaced() }
            return result
        }
    }

    public func writing<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (Store) async throws -> Result
    ) async throws -> Result {
        let content = try content
        return try await monitor.writing {
            guard content.files.areInPlace else { throw StoreDisplaced() }
            let result = try await body(content.store)
            // Before it is acknowledged: it may have gone into a file without a name.
            guard content.files.areInPlace else { throw StoreDisplaced() }
            return result
        }
    }

    private var content: StoreSlot<Store>.Content {
        get throws(RPCError) {
            guard let content = slot.content else { throw StoreTrouble.absent.answer }
            return content
        }
    }
}

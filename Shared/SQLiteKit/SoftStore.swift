import RPC

/// The store of a cache: everything goes on without it. A cache that breaks, is removed or replaced while the service runs
/// is set aside, and an empty one begins.
///
/// One task at a time replaces the store, within `ReplacementPace`; others find no store meanwhile.
public struct SoftStore<Store: Sendable>: Sendable {
    public let slot: StoreSlot<Store>
    public let monitor: StoreMonitor

    public init(_ slot: StoreSlot<Store>, _ monitor: StoreMonitor) {
        self.slot = slot
        self.monitor = monitor
    }

    /// - Returns: nil when there is no store, also when it had to be replaced.
    /// - Throws: `RPCError` for a failing store.
    public func reading<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (Store) async throws -> Result?
    ) async throws -> Result? {
        guard let content = await content() else { return nil }
        return try await replacing(content) {
            try await monitor.watching(isReading: true, isCache: true) {
                try await content.files.reading { try await body(content.store) }
            }
        }
    }

    /// - Parameter body: returns nil when it has written nothing, which does not end a failure to write.
    /// - Returns: nil when nothing was written, also when there is no store or it had to be replaced.
    /// - Throws: `RPCError` for a failing store.
    public func writing<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (Store) async throws -> Result?
    ) async throws -> Result? {
        guard let content = await content() else { return nil }
        return try await replacing(content) {
            let result = try await monitor.watching(isReading: false, isCache: true) {
                try await content.files.writing { try await body(content.store) }
            }
            if result != nil { monitor.noteWritten() }
            return result
        }
    }

    /// Runs a check of everything in the store, if there is one; its success ends damage, its failure replaces nothing.
    /// - Throws: what `body` throws, and `RPCError` for a failing store.
    public func validating(
        isolation: isolated (any Actor)? = #isolation, _ body: (Store) async throws -> Void
    ) async throws {
        guard let content = slot.content else { return }
        try await monitor.watching(isReading: true, isCache: true) {
            try await content.files.writing { try await body(content.store) }
        }
        monitor.noteValidated()
    }

    /// Opens a store where there is none, and replaces one that validating has found to be damaged; without regard to the
    /// pace, because an operator or a daily task asks for it.
    public func restore(isDamaged: Bool) async {
        await replace(isDamaged ? slot.content : nil, isForced: true)
    }

    private func content(isolation: isolated (any Actor)? = #isolation) async -> StoreSlot<Store>.Content? {
        if let content = slot.content { return content }
        guard slot.isOpeningDue else { return nil }
        await replace(nil)
        return slot.content
    }

    private func replacing<Result>(
        _ content: StoreSlot<Store>.Content, isolation: isolated (any Actor)? = #isolation,
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
    private func replace(_ damaged: StoreSlot<Store>.Content?, isForced: Bool = false) async {
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

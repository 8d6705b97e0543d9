import Foundation
import GRDB
import Synchronization

/// The store of a service that goes on when there is none, and that may get another one while it runs.
public final class StoreSlot<Store: Sendable>: Sendable {
    private enum State {
        case open(DatabasePool, Store)
        case unusable(StoreUnusable)
    }

    private let opening: StoreOpening
    private let path: String
    private let make: @Sendable (DatabasePool) -> Store
    private let state: Mutex<State>

    /// - Parameters:
    ///   - opened: from `ServiceProcess.openStore`.
    ///   - make: makes the service's store of an open file.
    public init(
        _ opening: StoreOpening, at path: String, _ opened: Result<DatabasePool, StoreUnusable>,
        make: @escaping @Sendable (DatabasePool) -> Store
    ) {
        self.opening = opening
        self.path = path
        self.make = make
        state = Mutex(Self.state(opened, make))
    }

    /// Nil when there is none.
    public var store: Store? {
        state.withLock { state in
            if case .open(_, let store) = state { store } else { nil }
        }
    }

    /// Why there is none; nil when there is one.
    public var failure: StoreUnusable? {
        state.withLock { state in
            if case .unusable(let failure) = state { failure } else { nil }
        }
    }

    /// Opens the file again when there is no store. To be called by one task at a time.
    /// - Throws: `StoreUnusable`; then there is still none.
    public func open() throws(StoreUnusable) {
        guard failure != nil else { return }
        let opened = Result { () throws(StoreUnusable) in try opening.open(path) }
        state.withLock { $0 = Self.state(opened, make) }
        _ = try opened.get()
    }

    /// Renames a file that cannot be read, so that `open` begins a new one. Until then there is no store.
    /// - Returns: the new name.
    public func setAside(now: Date) throws -> String {
        try close(leaving: StoreUnusable(path: path, reason: .notADatabase))
        return try StoreOpening.setAside(path, now: now)
    }

    /// Brings what was written last into the file, so that a copy of it is a copy of everything.
    public func close() throws { try close(leaving: StoreUnusable(path: path, reason: .other("it was closed"))) }

    private func close(leaving failure: StoreUnusable) throws {
        let pool: DatabasePool? = state.withLock { state in
            guard case .open(let pool, _) = state else { return nil }
            state = .unusable(failure)
            return pool
        }
        try pool?.closeIntoOneFile()
    }

    private static func state(
        _ opened: Result<DatabasePool, StoreUnusable>, _ make: (DatabasePool) -> Store
    ) -> State {
        switch opened {
        case .success(let pool): .open(pool, make(pool))
        case .failure(let failure): .unusable(failure)
        }
    }
}

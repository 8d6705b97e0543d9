/// A kind of store, as an argument of the specs that every store of a feature must pass.
public struct StoreFactory<Store: Sendable>: Sendable, CustomStringConvertible {
    public let description: String

    /// Returns a function that opens the store of a directory, which is empty at first.
    private let opening: @Sendable (_ directory: String) -> () throws -> Store

    public init(_ description: String, open: @escaping @Sendable (_ directory: String) throws -> Store) {
        self.description = description
        opening = { directory in { try open(directory) } }
    }

    /// A store in memory. It is the model of a store that never restarts: opening it again returns the same store.
    public init(inMemory make: @escaping @Sendable () -> Store) {
        description = "in memory"
        opening = { _ in
            let store = make()
            return { store }
        }
    }

    /// Stores in databases of PostgreSQL: none where it is not installed.
    /// - Parameter open: opens the store of a database, which is empty at first.
    public static func inDatabases(_ open: @escaping @Sendable (_ url: String) throws -> Store) -> [StoreFactory] {
        PostgresServer.isInstalled ? [StoreFactory(inDatabase: open)] : []
    }

    private init(inDatabase open: @escaping @Sendable (_ url: String) throws -> Store) {
        description = "PostgreSQL"
        opening = { _ in
            let url = Result { try PostgresServer.shared.get().newDatabase() }
            return { try open(url.get()) }
        }
    }

    /// Runs a test with an empty store.
    public func withStore(
        isolation: isolated (any Actor)? = #isolation, _ body: (Store) async throws -> Void
    ) async throws {
        try await withReopening { reopen in try await body(try reopen()) }
    }

    /// Runs a test with a function that opens the same store repeatedly, as restarts do.
    public func withReopening(
        isolation: isolated (any Actor)? = #isolation, _ body: (() throws -> Store) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            try await body(opening(directory))
        }
    }
}

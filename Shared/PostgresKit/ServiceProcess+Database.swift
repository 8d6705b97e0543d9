import RPC
import ServiceKit

extension ServiceProcess {
    /// Connects to the service's database. On failure it logs one line, and the service runs without it until it works or, with
    /// `--strict-store`, exits.
    /// - Parameter socket: released before the service exits.
    /// - Throws: `ExitCode`.
    public func openDatabase(
        _ schema: PostgresSchema, at url: DatabaseURL, _ options: StoreOptions, releasing socket: ListeningSocket
    ) async throws -> PostgresStore {
        let store = PostgresStore(schema, at: url, logger: logger)
        if await !store.tryUsing(), options.isStrict {
            try fail(releasing: socket) { throw StoreError.unreachable }
        }
        return store
    }

    /// For `--check`: refuses a database that a newer version has changed, before these programs replace those that can use it. One that
    /// cannot be reached may work later.
    /// - Throws: `ExitCode`, after printing the reason.
    public func checkDatabase(_ schema: PostgresSchema, at url: DatabaseURL) throws {
        do {
            try schema.examine(PostgresConnection(url, name: "image-feed \(schema.name) check", times: .init()))
        } catch PostgresError.unusable(let reason) where reason == .newer(schema: schema.name) {
            throw refusal(Superseded(description: "cannot use the database \(url): \(reason)"))
        } catch is PostgresError {
            return
        }
    }
}

private struct Superseded: Error, CustomStringConvertible {
    let description: String
}

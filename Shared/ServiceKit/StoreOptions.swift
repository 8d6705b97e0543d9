import ArgumentParser

/// The options of a service's store.
public struct StoreOptions: ParsableArguments, Sendable {
    @Option(
        name: .customLong("store"),
        help: ArgumentHelp(
            "The SQLite file, or the URL of a PostgreSQL database.",
            discussion: """
                Default: ROOT/data/NAME.sqlite. A database, such as postgres://feed@db.example/feed, may serve several services \
                of each kind; each kind has a schema of its own. A cache is always a file. The URL has no password: libpq reads it \
                from ~/.pgpass, or the file that ?passfile= names.
                """,
            valueName: "path|url"))
    var place: String?

    @Option(
        name: .customLong("strict-store"), defaultAsFlag: "true",
        help: ArgumentHelp(
            "Whether to exit when the store cannot be opened.",
            discussion: """
                Default: false. Then a service with an upstream renames an unreadable store and starts with an empty one, or \
                runs without one. An authority answers "unavailable", and tries again every 30 s, or a database at most every 8 s.
                """,
            valueName: "true|false"))
    var strictness: String? = nil

    @Flag(
        name: .customLong("new-store"),
        help: ArgumentHelp(
            "Start with an empty store if the present one is missing or unusable.",
            discussion: """
                Without this flag an authority answers "unavailable" then. An unusable file is renamed, never deleted. Use \
                the flag for one start, or with --check to make the store without a start. It does not affect a store that works.
                """))
    public var isNew = false

    public init() {}

    public func validate() throws {
        do throws(DatabaseURL.Refusal) {
            _ = try Self.database(place)
        } catch {
            throw ValidationError("\(error)")
        }
        if database != nil, isNew {
            throw ValidationError("--new-store needs a file: start with an empty database instead")
        }
        // The parser would treat an invalid value as a missing one.
        guard let strictness, Bool(strictness) == nil else { return }
        throw ValidationError("--strict-store must be true or false, not \(strictness)")
    }

    /// The file, if the options name one.
    public var path: String? { database == nil ? place : nil }

    /// The database, if the options name one.
    public var database: DatabaseURL? {
        // `validate` has refused invalid ones.
        try? Self.database(place)
    }

    /// Where the store is.
    /// - Parameter path: of the default store.
    public func place(default path: String) -> StorePlace {
        database.map(StorePlace.database) ?? .file(self.path ?? path)
    }

    private static func database(_ place: String?) throws(DatabaseURL.Refusal) -> DatabaseURL? {
        guard let place else { return nil }
        return try DatabaseURL(place)
    }

    /// Refuses a database where a file is needed.
    /// - Parameter isCache: whether the store is a cache or an index, which are always files.
    public func check(isCache: Bool, _ maintenance: MaintenanceOptions) throws {
        if isCache, maintenance.copyTarget != nil {
            throw ValidationError("--copy-to needs a store of its own: an edge has only a cache; copy its upstream")
        }
        guard database != nil else { return }
        if isCache { throw ValidationError("this store is a file: --store must be a path, not the URL of a database") }
        if maintenance.work != nil {
            throw ValidationError(
                "the store is in a database: back it up with pg_dump, restore it with pg_restore, and check it with pg_amcheck"
            )
        }
    }

    /// Whether the service exits when its store cannot be opened.
    public var isStrict: Bool { strictness.flatMap(Bool.init) ?? false }
}

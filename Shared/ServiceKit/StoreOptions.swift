import ArgumentParser

/// The options of a service's store.
public struct StoreOptions: ParsableArguments, Sendable {
    @Option(
        name: .customLong("store"),
        help: ArgumentHelp("The SQLite file. Default: ROOT/data/NAME.sqlite.", valueName: "path"))
    public var path: String?

    @Option(
        name: .customLong("strict-store"), defaultAsFlag: "true",
        help: ArgumentHelp(
            "Whether to exit when the store cannot be opened.",
            discussion: """
                Default: false. Then a service with an upstream renames an unreadable store and starts with an empty one, or \
                runs without one. An authority answers "unavailable", and tries to open its store again every 30 s.
                """,
            valueName: "true|false"))
    var strictness: String? = nil

    @Flag(
        name: .customLong("new-store"),
        help: ArgumentHelp(
            "Start with an empty store if the present one is missing or unusable.",
            discussion: """
                Without this flag an authority answers "unavailable" then. An unusable file is renamed, never deleted. Use \
                the flag for one start. It does not affect a store that works.
                """))
    public var isNew = false

    public init() {}

    public func validate() throws {
        // The parser would treat an invalid value as a missing one.
        guard let strictness, Bool(strictness) == nil else { return }
        throw ValidationError("--strict-store must be true or false, not \(strictness)")
    }

    /// Whether the service exits when its store cannot be opened.
    public var isStrict: Bool { strictness.flatMap(Bool.init) ?? false }
}

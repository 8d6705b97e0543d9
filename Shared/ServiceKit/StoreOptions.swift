import ArgumentParser

/// Where a service keeps what it has, and whether it serves without that.
public struct StoreOptions: ParsableArguments, Sendable {
    @Option(
        name: .customLong("store"),
        help: ArgumentHelp("The SQLite file. Default: one of the service's own in ROOT/data.", valueName: "path"))
    public var path: String?

    @Option(
        name: .customLong("strict-store"), defaultAsFlag: "true",
        help: ArgumentHelp(
            "Whether to end when the store cannot be opened.",
            discussion: """
                By default an authority ends. A service with an upstream renames a store that cannot be read and begins a \
                new one, or goes on without. With false, an authority without its store answers "unavailable".
                """,
            valueName: "true|false"))
    var strictness: String? = nil

    @Flag(
        name: .customLong("new-store"),
        help: ArgumentHelp(
            "Begin with a new store where the one that was there is missing or cannot be used.",
            discussion: """
                Without it an authority does not start then. A file that cannot be used is renamed, never deleted. For one \
                start: a store that works is used as it is.
                """))
    public var isNew = false

    public init() {}

    public func validate() throws {
        // Not left to the parser, which takes a value that it does not understand for none.
        guard let strictness, Bool(strictness) == nil else { return }
        throw ValidationError("--strict-store must be true or false, not \(strictness)")
    }

    /// - Parameter isEdge: whether there is an upstream, so that the store is a copy that can be done without.
    public func isRequired(isEdge: Bool) -> Bool { strictness.flatMap(Bool.init) ?? !isEdge }
}

import ArgumentParser

/// The options with which a program works on its store and exits, instead of serving.
public struct MaintenanceOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Copy the store into a new file and exit.",
            discussion: """
                Works beside a running service. The file has the store as it is at one moment. Without a store no file is \
                written. `gateway backup` copies all stores.
                """, valueName: "file"))
    var backup: String?

    @Option(
        help: ArgumentHelp(
            "Put a copy that --backup has written into the place of the store and exit.",
            discussion: "There must be no store. `gateway restore` restores a deployment.", valueName: "file"))
    var restore: String?

    @Option(
        name: .customLong("copy-to"),
        help: ArgumentHelp(
            "Copy the entries of the store into another one and exit.",
            discussion: """
                The other one is a SQLite file or a PostgreSQL database. Prints a line of JSON: the number of entries of both stores, and \
                their hash. Works beside a running service. `gateway copy` copies a deployment.
                """, valueName: "path|url"))
    var target: String?

    @Flag(
        help: ArgumentHelp(
            "Check the stores and exit.",
            discussion: """
                Prints a line of JSON for each finding. Works beside a running service. `gateway check` checks a deployment.
                """))
    var verify = false

    @Flag(help: "With --verify: set damaged parts of the stores aside. The service must not run.") var repair = false

    public init() {}

    public func validate() throws {
        let modes = [backup != nil, restore != nil, target != nil, verify].count { $0 }
        guard modes <= 1 else {
            throw ValidationError("--backup, --restore, --copy-to and --verify exclude each other")
        }
        do throws(DatabaseURL.Refusal) {
            _ = try target.map { text throws(DatabaseURL.Refusal) in try StorePlace(text) }
        } catch {
            throw ValidationError("\(error)")
        }
        guard verify || !repair else { throw ValidationError("--repair needs --verify") }
    }

    /// Where the entries of the store are to be copied to; each service has a composition of its own for it. `validate` has refused
    /// a wrong place.
    public var copyTarget: StorePlace? { target.flatMap { try? StorePlace($0) } }

    /// What else is to be done; nil if the program copies or serves.
    public var work: Maintenance? {
        if verify { return .verify(isRepair: repair) }
        return backup.map(Maintenance.backUp) ?? restore.map(Maintenance.restore)
    }
}

/// What a program does with its store before it exits.
public enum Maintenance: Equatable, Sendable {
    case backUp(to: String)
    case restore(from: String)
    case verify(isRepair: Bool)
}

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

    public init() {}

    public func validate() throws {
        guard backup == nil || restore == nil else {
            throw ValidationError("--backup and --restore exclude each other")
        }
    }

    /// What is to be done; nil if the program serves.
    public var work: Maintenance? { backup.map(Maintenance.backUp) ?? restore.map(Maintenance.restore) }
}

/// What a program does with its store before it exits.
public enum Maintenance: Equatable, Sendable {
    case backUp(to: String)
    case restore(from: String)
}

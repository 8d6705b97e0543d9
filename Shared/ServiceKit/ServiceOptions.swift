import ArgumentParser
import Foundation
import Logging
import RPC

/// The option `--root`, which all programs of a deployment share. `ServiceOptions` has the further options of a
/// service.
public struct RootOption: ParsableArguments, Sendable {
    @Option(
        name: .customLong("root"),
        help: ArgumentHelp(
            "The directory with run/, data/ and plugins.d/.",
            discussion: "Default: $ROOT, else $XDG_DATA_HOME/image-feed, else ~/.local/share/image-feed.",
            valueName: "dir"),
        completion: .directory)
    public var path: String?

    public init() {}

    public func validate() throws {
        // `--root "$UNSET"` in a shell gives an empty path, which would place all files in the root of the file
        // system.
        if path == "" { throw ValidationError("--root needs a directory") }
    }

    public var root: Root { path.map(Root.init) ?? .standard() }
}

/// The options of every program that serves.
public struct ServiceOptions: ParsableArguments, Sendable {
    @OptionGroup public var rootOption: RootOption

    @Option(
        name: .customLong("socket"),
        help: ArgumentHelp(
            "The Unix socket to listen on.",
            discussion:
                "Default: ROOT/run/NAME.sock. A socket that a supervisor passes (LISTEN_FDS) takes precedence.",
            valueName: "path"))
    public var socketPath: String?

    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "The file that sets options of the programs: an object for each, with options as members.",
            discussion: "Default: ROOT/config.json, if there is one. `gateway config --help` explains it.",
            valueName: "path"),
        completion: .file(extensions: ["json"]))
    var configuration: String?

    @Option(help: ArgumentHelp("How long running calls may continue after SIGTERM.", valueName: "seconds"))
    public var drainTime = 10

    @Option(help: ArgumentHelp("trace, debug, info, notice, warning, error or critical.", valueName: "level"))
    public var logLevel = Logger.Level.info

    @Flag(help: "Create the directory of --root if there is none.")
    public var create = false

    @Flag(name: .customLong("check"), help: "Check the options and exit.")
    public var isCheck = false

    @OptionGroup(title: "Peers") var peers: PeerOptions

    @OptionGroup(title: "Limits") var limitOptions: LimitOptions

    public init() {}

    public func validate() throws {
        guard (0...3_600).contains(drainTime) else { throw ValidationError("--drain-time must be from 0 to 3600") }
    }

    public var root: Root { rootOption.root }

    public var configurationPath: String { configuration ?? root.configuration }

    /// - Throws: `ValidationError` for a wrong `--limit`. `validate` has already rejected those.
    public func limits() throws -> Limits {
        var limits = try limitOptions.limits()
        limits.drainTime = .seconds(Int64(drainTime))
        return limits
    }

    /// - Throws: `ValidationError` when no root directory is known, or when --root names one that does not exist.
    func check() throws {
        if root.path.isEmpty {
            throw ValidationError("there is no root: name a directory with --root DIR")
        }
        // In a mistyped directory an empty deployment would begin.
        guard let path = rootOption.path, !create, !FileManager.default.fileExists(atPath: path) else { return }
        throw ValidationError("there is no directory \(path); --create creates it")
    }

    public func socket(of service: String) throws(SocketError) -> SocketPath {
        try SocketPath(socketPath ?? root.socket(service))
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}

import Foundation

/// The directory that holds all files of a deployment, and their paths. Deployments with different roots can run side
/// by side. `RootOption` reads it from the command line.
public struct Root: Sendable {
    public let path: String

    public init(_ path: String) { self.path = path }

    /// `ROOT`, else the user's data directory (XDG Base Directory Specification); empty when the environment names neither.
    public static func standard(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> Root {
        if let root = environment["ROOT"], !root.isEmpty { return Root(root) }
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return Root(data + "/image-feed") }
        // Without HOME there is no default.
        guard let home = environment["HOME"], !home.isEmpty else { return Root("") }
        return Root(home + "/.local/share/image-feed")
    }

    /// The socket of a service, `feed.sock` for `feed`.
    public func socket(_ service: String) -> String { "\(path)/run/\(service).sock" }

    /// Has the URL of the HTTP port. The gateway writes it when it begins to listen.
    public var gatewayURL: String { "\(path)/run/gateway.url" }

    public func store(_ service: String) -> String { "\(path)/data/\(service).sqlite" }

    public var plugins: String { "\(path)/plugins.d" }

    public var configuration: String { "\(path)/\(ConfigurationFile.name)" }
}

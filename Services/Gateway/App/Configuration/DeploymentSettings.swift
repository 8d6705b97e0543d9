import Foundation
import Glibc
import JSON
import ServiceKit

/// The settings of a deployment, which all its programs check before they change.
struct DeploymentSettings {
    let root: Root

    /// The file; mostly `ROOT/config.json`.
    let path: String

    /// - Throws: `FileRejection` for a file that is no JSON object.
    func file() throws(FileRejection) -> ConfigurationFile { try ConfigurationFile(path: path) }

    /// Lets every program check its part of the file.
    /// - Throws: `FileRejection` of the first program that refuses it.
    func check() async throws { try await check(file()) }

    private func check(_ file: ConfigurationFile) async throws {
        let plugins = try plugins(with: file)
        _ = try Site(file)
        _ = try ServeCommand.configured(arguments(file))
        for name in ServiceProgram.services + plugins { try await check(file, by: ServiceProgram(name: name)) }
        try checkUpstream(of: file)
    }

    /// An edge that is its own upstream would wait for itself.
    private func checkUpstream(of file: ConfigurationFile) throws(FileRejection) {
        let upstream = file.members[ConfigurationFile.services]?["upstream"]?.text.flatMap(URLComponents.init(string:))
        guard let upstream, let port = upstream.port, ["127.0.0.1", "localhost"].contains(upstream.host) else { return }
        let own = file.members["gateway"]?["http"]?.text.map(HTTPAddress.init) ?? .standard
        guard port == own?.port, port != 0 else { return }
        throw file.rejection(
            at: "\(ConfigurationFile.services).upstream",
            "an edge cannot be its own upstream: \(port) is the port of its gateway (gateway.http); "
                + "deploy/up --http-port PORT --upstream URL changes both at once")
    }

    /// The plugins that have settings.
    /// - Throws: `FileRejection` for a member that no program reads.
    @discardableResult func plugins(with file: ConfigurationFile) throws(FileRejection) -> [String] {
        let others = ServiceProgram.services + ServeCommand.sections + ["site", ConfigurationFile.services]
        let plugins = file.members.names.filter { !others.contains($0) }
        for name in plugins where !ServiceProgram(name: name).isInstalled {
            let isPlugin = FileManager.default.fileExists(atPath: "\(root.plugins)/\(name).json")
            let nearest = Nearest.to(name, among: others).map { "; did you mean \($0)?" } ?? ""
            throw file.rejection(
                at: name, isPlugin ? "is a plugin that reads no settings" : "no program has this name\(nearest)")
        }
        return plugins
    }

    private func check(_ file: ConfigurationFile, by program: ServiceProgram) async throws {
        guard program.isInstalled else {
            throw FileRejection(file: file.file.path, reason: "cannot be checked: there is no program \(program.path)")
        }
        do {
            try await program.run(["--check"] + arguments(file))
        } catch let refusal as ServiceProgram.Refusal {
            throw Refused(description: refusal.description)
        }
    }

    private func arguments(_ file: ConfigurationFile) -> [String] {
        ["--root", root.path, "--create", "--config", file.file.path]
    }

    /// Changes the file. It is replaced as a whole when all programs accept it, otherwise it stays as it was.
    /// - Parameter copy: gets the changed settings in place of the file.
    /// - Throws: `Refused`, `CommandFailure`.
    func change(into copy: String? = nil, _ body: (inout JSONMembers) throws -> Void) async throws {
        let replacement = try Replacement(of: copy ?? path)
        do {
            var members = try file().members
            let before = members
            try body(&members)
            guard members != before else {
                try await check()
                return replacement.discard()
            }
            try replacement.write(JSONValue.object(members).formatted() + "\n")
            try await check(ConfigurationFile(path: replacement.path))
        } catch let failure as CommandFailure {
            replacement.discard()
            throw failure
        } catch {
            let refused = Refused(description: "\(error)".replacing(replacement.path, with: path))
            replacement.discard()
            throw refused
        }
        try replacement.use()
    }

    /// A program refuses the settings.
    struct Refused: Error, CustomStringConvertible {
        let description: String
    }
}

import Foundation
import JSON
import Processes
import ServiceKit

/// Writes the backup of a deployment into a directory, which is laid out as the root: the store of each service, the settings, and the
/// manifests of plugins. Services may write meanwhile.
///
/// Caches, indexes, tokens, logs and programs outside of `plugins.d` are not in it.
struct BackupWriter: Sendable {
    let root: Root

    /// The directory to write, which is empty.
    let target: String

    /// Gets the number of bytes that are written, and what is copied.
    let progress: @Sendable (Int, String) -> Void

    /// - Parameter time: of the backup.
    /// - Returns: nil if there is nothing to back up.
    /// - Throws: `ServiceProgram.Refusal`, `SyncedFile.Failure`, `FileRejection`, `CancellationError`.
    func run(at time: Date) async throws -> BackupManifest? {
        var manifest = BackupManifest(version: ServiceProcess.version, time: time, root: root.resolved)
        for service in ServiceProgram.services {
            let path = BackupManifest.File.path(ofStoreOf: service)
            if try await copyStore(of: service, to: path, after: manifest.size) {
                manifest.files.append(try file(path))
            }
        }
        for path in try files() {
            try SyncedFile.copy(path, from: root.path, to: target)
            manifest.files.append(try file(path))
        }
        guard !manifest.files.isEmpty else { return nil }
        let text = "\(RawJSON(manifest, as: BackupManifest.codec))\n"
        try SyncedFile.write(Data(text.utf8), to: "\(target)/\(BackupManifest.name)")
        return manifest
    }

    private func file(_ path: String) throws -> BackupManifest.File {
        let digest = try SyncedFile.digest(of: "\(target)/\(path)") { _ in try Task.checkCancellation() }
        return BackupManifest.File(path: path, size: digest.size, sha256: digest.sha256)
    }

    // MARK: Stores

    /// - Parameter size: what is written before.
    /// - Returns: whether the service has a store.
    private func copyStore(of service: String, to path: String, after size: Int) async throws -> Bool {
        let file = "\(target)/\(path)"
        try FileManager.default.createDirectory(
            atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while !Task.isCancelled {
                    progress(size + Self.size(of: file), service)
                    // Ends with the copy.
                    try? await Task.sleep(for: .milliseconds(100))
                }
            }
            defer { group.cancelAll() }
            try await ServiceProgram(name: service).run(
                ["--root", root.path, "--backup", file], isLong: true)
        }
        return FileManager.default.fileExists(atPath: file)
    }

    private static func size(of file: String) -> Int {
        var status = stat()
        return stat(file, &status) == 0 ? Int(status.st_size) : 0
    }

    // MARK: Other files

    /// The programs of plugins that are not in the backup: files outside of `plugins.d`, and not ours.
    static func omittedPrograms(of root: Root) -> [String] {
        let programs = PluginFolder(path: root.plugins).scan().manifests.flatMap { $0.run ?? [] }
        let base = URL(filePath: root.plugins, directoryHint: .isDirectory)
        let present = ["plugins.d", "current", "releases"].map { "\(root.resolved)/\($0)/" }
        let files = programs.filter { $0.contains("/") }.map {
            URL(filePath: $0, relativeTo: base).absoluteURL.standardizedFileURL.resolvingSymlinksInPath().path
        }
        // Arguments may be paths, too, and interpreters are installed with the system.
        let system = ["/usr/bin/", "/usr/sbin/", "/usr/lib", "/bin/", "/sbin/", "/lib", "/nix/"]
        return files.filter { file in
            var status = stat()
            return stat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
                && !(present + system).contains { file.hasPrefix($0) }
        }
    }

    /// The paths of the other files in the root that are part of the deployment.
    private func files() throws -> [String] {
        let manager = FileManager.default
        let plugins = (root.plugins as NSString).lastPathComponent
        let hasPlugins = manager.fileExists(atPath: root.plugins)
        let inside = hasPlugins ? try manager.subpathsOfDirectory(atPath: root.plugins) : []
        // Without `sample-imported` deploy/up would import the sample into an empty feed.
        let own = [ConfigurationFile.name, "sample-imported"] + [try logo()].compactMap(\.self)
        return (own + inside.sorted().map { "\(plugins)/\($0)" }).filter { path in
            var status = stat()
            return stat("\(root.path)/\(path)", &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        }
    }

    /// The file that the settings name, if it is in the root.
    private func logo() throws -> String? {
        let path = try ConfigurationFile(path: root.configuration).members["site"]?["logo"]?.text
        return path.flatMap { $0.hasPrefix("/") || $0.split(separator: "/").contains("..") ? nil : $0 }
    }
}

import Foundation
import Logging
import RPC

/// The folder of manifests, and what is needed to make plugins of them.
struct PluginSource: Sendable {
    let folder: PluginFolder

    /// The directory of the deployment.
    let root: String

    /// The gateway's own socket and instance. The gateway must not be its own plugin: every call would come back.
    let ownSocket: String?
    let ownInstance: String

    let logger: Logger

    /// Reads the folder, on a thread that may block.
    func scan() async -> PluginFolder.Scan {
        await withTaskExecutorPreference(globalConcurrentExecutor) { folder.scan() }
    }

    func plugin(_ manifest: PluginManifest) async throws(ManifestRejection) -> Plugin {
        let socket = manifest.socketPath(root: root)
        guard !isOwn(socket) else { throw rejection(of: manifest, "socket: is the gateway's own, \(socket)") }
        do {
            return try await Plugin(manifest, root: root, ownInstance: ownInstance, logger: logger)
        } catch {
            throw rejection(of: manifest, "socket: \(error)")
        }
    }

    private func rejection(of manifest: PluginManifest, _ reason: String) -> ManifestRejection {
        ManifestRejection(file: "\(folder.path)/\(manifest.name).json", reason: reason)
    }

    /// Whether the path leads to the gateway's socket, also by another name or a link.
    private func isOwn(_ socket: String) -> Bool {
        guard let ownSocket else { return false }
        var (own, other) = (stat(), stat())
        guard stat(ownSocket, &own) == 0, stat(socket, &other) == 0 else { return socket == ownSocket }
        return own.st_dev == other.st_dev && own.st_ino == other.st_ino
    }
}

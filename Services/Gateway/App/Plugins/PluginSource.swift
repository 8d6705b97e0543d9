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
    /// - Parameter inForce: the manifests in force, which were accepted already.
    func scan(beside inForce: [PluginManifest]) async -> PluginFolder.Scan {
        await withTaskExecutorPreference(globalConcurrentExecutor) {
            var scan = folder.scan()
            let faults = scan.manifests.filter { !inForce.contains($0) }
                .compactMap { manifest in fault(of: manifest).map { (manifest, $0) } }
            scan.manifests.removeAll { manifest in faults.contains { $0.0 == manifest } }
            scan.rejections += faults.map { rejection(of: $0.0, $0.1) }
            return scan
        }
    }

    func plugin(_ manifest: PluginManifest) async throws(ManifestRejection) -> Plugin {
        do {
            return try await Plugin(manifest, root: root, ownInstance: ownInstance, logger: logger)
        } catch {
            throw rejection(of: manifest, "socket: \(error)")
        }
    }

    func rejection(of manifest: PluginManifest, _ reason: String) -> ManifestRejection {
        ManifestRejection(file: "\(folder.path)/\(manifest.file)", reason: reason)
    }

    /// Why the socket of a manifest cannot be used.
    private func fault(of manifest: PluginManifest) -> String? {
        let socket = manifest.socketPath(root: root)
        if isOwn(socket) { return "socket: is the gateway's own, \(socket)" }
        do {
            _ = try SocketPath(socket)
            return nil
        } catch {
            return "socket: \(error)"
        }
    }

    /// Whether the path leads to the gateway's socket, also by another name or a link.
    private func isOwn(_ socket: String) -> Bool {
        guard let ownSocket else { return false }
        var (own, other) = (stat(), stat())
        guard stat(ownSocket, &own) == 0, stat(socket, &other) == 0 else { return socket == ownSocket }
        return own.st_dev == other.st_dev && own.st_ino == other.st_ino
    }
}

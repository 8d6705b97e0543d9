import Foundation
import RPC
import ServiceKit

/// The folder of manifests of a deployment, and the rules of which are in force.
struct ManifestSource: Sendable {
    let folder: PluginFolder

    /// The directory of the deployment.
    let root: String

    /// The gateway's own socket. The gateway must not be its own plugin: every call would come back.
    let ownSocket: String?

    init(of root: Root, ownSocket: String?) {
        self.root = root.path
        self.ownSocket = ownSocket
        folder = PluginFolder(path: root.plugins)
    }

    /// Reads the folder, and records what is in force now. May block.
    /// - Parameter known: the manifests in force if there is no record of them.
    /// - Throws: when the record cannot be written.
    func decideAndRecord(after known: [PluginManifest]) throws(FileRejection) -> ManifestDecision {
        try ManifestRecord(path: "\(root)/plugins.in-force").update(orAfter: known, decide)
    }

    /// Reads the folder. May block.
    func decide(after inForce: [PluginManifest]) -> ManifestDecision {
        var scan = folder.scan()
        let faults = scan.manifests.compactMap { manifest in fault(of: manifest).map { (manifest, $0) } }
        scan.manifests.removeAll { manifest in faults.contains { $0.0 == manifest } }
        scan.rejections += faults.map { rejection(of: $0.0, $0.1) }
        let choice = PluginChoice(scan, after: inForce.filter { fault(of: $0) == nil })
        let refused = choice.refused.map { rejection(of: $0.manifest, $0.reason) }
        return ManifestDecision(
            manifests: choice.manifests, rejections: scan.rejections + refused, hasLinks: scan.hasLinks)
    }

    func rejection(of manifest: PluginManifest, _ reason: String) -> FileRejection {
        FileRejection(file: "\(folder.path)/\(manifest.file)", reason: reason)
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

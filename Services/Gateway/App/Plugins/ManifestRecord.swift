import Foundation
import JSON
import ServiceKit

/// The file that lists the manifests in force, `ROOT/plugins.in-force`.
///
/// It outlives the gateway: after a restart the same manifests are in force. A lost file loses only the order in which conflicting
/// manifests came.
struct ManifestRecord: Sendable {
    let path: String

    /// Replaces the manifests in force.
    /// - Parameters:
    ///   - known: the manifests in force if there is no file, or its content is not valid.
    ///   - decide: returns the decision after the manifests that were in force. They agree with each other.
    /// - Throws: `FileRejection` when the file cannot be written.
    func update(
        orAfter known: [PluginManifest], _ decide: ([PluginManifest]) -> ManifestDecision
    ) throws(FileRejection) -> ManifestDecision {
        let recorded = read()
        let decision = decide(recorded ?? known)
        let manifests = decision.manifests.sorted { $0.name < $1.name }
        if manifests != recorded { try write(manifests) }
        return decision
    }

    private static let codec = Codec<[PluginManifest]>.array(of: PluginManifest.codec)

    /// - Returns: nil when there is no file, or its content is not valid: another version of the gateway may have written it.
    private func read() -> [PluginManifest]? {
        guard let text = FileManager.default.contents(atPath: path),
            let manifests = try? RawJSON(checking: text).read(as: Self.codec)
        else { return nil }
        // Another version may have had other rules.
        return manifests.reduce(into: []) { agreeing, manifest in
            let isNew = !agreeing.contains { $0.name == manifest.name }
            if isNew, manifest.conflict(with: agreeing) == nil { agreeing.append(manifest) }
        }
    }

    private func write(_ manifests: [PluginManifest]) throws(FileRejection) {
        let new = path + ".new"
        let text = Data("\(RawJSON(manifests, as: Self.codec))\n".utf8)
        let isWritten = FileManager.default.createFile(
            atPath: new, contents: text, attributes: [.posixPermissions: 0o600])
        guard isWritten, rename(new, path) == 0 else { throw rejection("cannot be written", errno) }
    }

    private func rejection(_ reason: String, _ code: Int32) -> FileRejection {
        FileRejection(file: path, reason: "\(reason): \(String(cString: strerror(code)))")
    }
}

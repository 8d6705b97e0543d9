/// Decides which manifests are in force after a change of the folder, and which are refused because another one claims the same
/// extension or path.
///
/// A folder without such conflicts is taken as it is. Else a manifest in force remains so until its file has a valid content that
/// agrees with all others. Changed files have precedence over new ones; then the order of the files' names decides.
struct PluginChoice {
    /// One for each plugin. A plugin whose file is invalid or refused has its last valid manifest.
    private(set) var manifests: [PluginManifest]

    /// The manifests that are refused, with the reason.
    private(set) var refused: [(manifest: PluginManifest, reason: String)] = []

    /// - Parameters:
    ///   - scan: the content of the folder.
    ///   - inForce: the manifests that were in force before.
    init(_ scan: PluginFolder.Scan, after inForce: [PluginManifest]) {
        let unclear = Set(scan.rejections.map(\.name))
        // A folder that cannot be read says nothing about any plugin.
        let invalid = inForce.filter { !scan.isComplete || unclear.contains($0.name) }
        manifests = invalid + scan.manifests
        if Self.agree(manifests) { return }

        let listed = Set(manifests.map(\.name))
        manifests = inForce.filter { listed.contains($0.name) }
        let known = Set(manifests.map(\.name))
        let candidates = scan.manifests.filter { !inForce.contains($0) }
        let inOrder =
            candidates.filter { known.contains($0.name) } + candidates.filter { !known.contains($0.name) }
        refused = inOrder.map { ($0, "") }
        // An accepted change may release what another one claims.
        var isSettled = false
        while !isSettled { isSettled = !acceptFirst() }
    }

    /// Accepts the first manifest that agrees with all in force, and notes the reasons of those before it.
    /// - Returns: whether there is one.
    private mutating func acceptFirst() -> Bool {
        for index in refused.indices {
            let candidate = refused[index].manifest
            let others = manifests.filter { $0.name != candidate.name }
            if let reason = candidate.conflict(with: others) {
                refused[index].reason = reason
                continue
            }
            refused.remove(at: index)
            manifests = others + [candidate]
            return true
        }
        return false
    }

    private static func agree(_ manifests: [PluginManifest]) -> Bool {
        manifests.indices.allSatisfy { manifests[$0].conflict(with: Array(manifests[..<$0])) == nil }
    }
}

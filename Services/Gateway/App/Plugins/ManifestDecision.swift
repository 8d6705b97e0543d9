import GatewayContract
import ServiceKit

/// Which manifests are in force after a look at the folder, and which files are not used.
struct ManifestDecision: Sendable {
    let manifests: [PluginManifest]
    let rejections: [FileRejection]

    /// Whether the folder has symbolic links.
    var hasLinks = false
}

extension RefusedManifest {
    init(_ rejection: FileRejection) {
        self.init(name: rejection.name, file: rejection.file, line: rejection.line, reason: rejection.reason)
    }
}

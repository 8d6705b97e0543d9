import GatewayContract
import JSON
import ServiceKit

/// Which manifests are in force after a look at the folder, and which files are not used.
struct ManifestDecision: Sendable {
    let manifests: [PluginManifest]
    let rejections: [FileRejection]

    /// Whether the folder has symbolic links.
    var hasLinks = false

    /// As `gateway manifests` prints it.
    static let codec = Codec<ManifestDecision>.object { object in
        let manifests = object.required("manifests", .array(of: PluginManifest.codec), \.manifests)
        let refused = object.required("refused", .array(of: RefusedManifest.codec), \.refused)
        return { members throws(JSONError) in
            ManifestDecision(
                manifests: try members[manifests],
                rejections: try members[refused].map {
                    FileRejection(file: $0.file, line: $0.line, reason: $0.reason)
                })
        }
    }

    private var refused: [RefusedManifest] { rejections.map(RefusedManifest.init) }
}

extension RefusedManifest {
    init(_ rejection: FileRejection) {
        self.init(name: rejection.name, file: rejection.file, line: rejection.line, reason: rejection.reason)
    }
}

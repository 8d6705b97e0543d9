import Foundation
import RPC
import RPCTestKit
import ServiceKit

@testable import gateway

/// A folder of manifests in a temporary root, and a running registry that follows it.
struct FollowedFolder {
    let root: String
    let registry: PluginRegistry
    let log: RecordedLog

    var path: String { root + "/plugins.d" }

    /// - Parameters:
    ///   - manifests: the texts by name; nil for no folder.
    ///   - executor: its event loop receives the changes of the folder.
    static func with(
        _ manifests: [String: String]? = [:], on executor: LoopExecutor = .shared,
        _ body: (FollowedFolder) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { root in
            let (log, path) = (RecordedLog(), root + "/plugins.d")
            if let manifests {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
                for (name, text) in manifests { try write(text, to: "\(path)/\(name).json") }
            }
            let registry = PluginRegistry()
            let follower = PluginFollower(
                registry: registry, source: ManifestSource(of: Root(root), ownSocket: nil), ownInstance: "1",
                logger: log.logger)
            await follower.load()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await registry.run() }
                group.addTask { await follower.run(on: executor) }
                defer { group.cancelAll() }
                try await body(FollowedFolder(root: root, registry: registry, log: log))
            }
        }
    }

    func write(_ name: String, _ text: String) throws { try writeFile(name + ".json", text) }

    func writeFile(_ name: String, _ text: String) throws { try Self.write(text, to: "\(path)/\(name)") }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(path)/\(name).json") }

    private static func write(_ text: String, to file: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    }
}

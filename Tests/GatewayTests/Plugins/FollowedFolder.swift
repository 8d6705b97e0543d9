import Foundation
import NIOCore
import RPC
import RPCTestKit
import ServiceKit

@testable import gateway

/// A folder of manifests in a temporary root, and a running registry that follows it. Time passes only while the test waits.
struct FollowedFolder {
    let root: String
    let registry: PluginRegistry
    let log: RecordedLog
    private let clock: ManualClock

    var path: String { root + "/plugins.d" }

    /// - Parameters:
    ///   - manifests: the texts by name; nil for no folder.
    ///   - plugins: what the plugins serve, by name. Their sockets exist before the registry connects.
    ///   - executor: runs all of this by its own clock, which is not the one of `wait`; nil for the shared loop.
    static func with(
        _ manifests: [String: String]? = [:], serving plugins: [String: MethodTable] = [:],
        on executor: LoopExecutor? = nil,
        _ body: (FollowedFolder) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { root in
            let (log, path) = (RecordedLog(), root + "/plugins.d")
            if let manifests {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
                for (name, text) in manifests { try write(text, to: "\(path)/\(name).json") }
            }
            let clock = ManualClock()
            let executor = executor ?? .timed(by: clock)
            let registry = PluginRegistry(executor: executor)
            let follower = PluginFollower(
                registry: registry, source: ManifestSource(of: Root(root), ownSocket: nil), ownInstance: "1",
                logger: log.logger)
            try await serving(plugins, root: root, executor) {
                await follower.load()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { await registry.run() }
                    group.addTask { await follower.run() }
                    defer { group.cancelAll() }
                    try await body(FollowedFolder(root: root, registry: registry, log: log, clock: clock))
                }
            }
        }
    }

    /// Runs the servers, nested in each other.
    private static func serving(
        _ plugins: [String: MethodTable], root: String, _ executor: LoopExecutor, _ body: () async throws -> Void
    ) async throws {
        guard let (name, table) = plugins.first else { return try await body() }
        let path = try SocketPath("\(root)/run/\(name).sock")
        try await TestServer.with(table, named: name, at: path, executor: executor) { _ in
            try await serving(plugins.filter { $0.key != name }, root: root, executor, body)
        }
    }

    /// Lets time pass until the registry has this content.
    /// - Parameter step: how far. Without inotify the folder is read every `FolderWatch.pollTime`.
    func wait(
        inStepsOf step: Duration = FolderWatch.settleTime,
        until isSo: @escaping @Sendable (_ plugins: [Plugin], _ rejections: [FileRejection]) -> Bool
    ) async {
        await clock.passing(inStepsOf: TimeAmount(step)) { await registry.wait(until: isSo) }
    }

    /// Lets time pass until the registry has the plugins with these names and sockets.
    func wait(inStepsOf step: Duration = FolderWatch.settleTime, for sockets: [String: String]) async {
        await wait(inStepsOf: step) { plugins, _ in
            Dictionary(uniqueKeysWithValues: plugins.map { ($0.name, $0.manifest.socket) }) == sockets
        }
    }

    func write(_ name: String, _ text: String) throws { try writeFile(name + ".json", text) }

    func writeFile(_ name: String, _ text: String) throws { try Self.write(text, to: "\(path)/\(name)") }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(path)/\(name).json") }

    private static func write(_ text: String, to file: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    }
}

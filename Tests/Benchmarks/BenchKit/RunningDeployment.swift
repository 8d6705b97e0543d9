import Foundation
import RPC

/// The four programs of this package, in a separate root.
package struct RunningDeployment {
    /// feed, comments, image-data and gateway.
    package let services: [RunningService]

    package static let programs = ["feed-service", "comments-service", "image-data-service", "gateway"]

    private static let names = ["feed", "comments", "image-data", "gateway"]

    package var feed: RunningService { services[0] }
    package var imageData: RunningService { services[2] }
    package var gateway: RunningService { services[3] }

    /// Starts the programs. Returns when all of them serve and are connected to each other.
    /// - Parameters:
    ///   - http: the value of the gateway's option --http.
    ///   - upstream: the upstream of an edge; nil for an authority.
    ///   - imageData: further options of image-data-service.
    package static func start(
        root: String, http: String = "off", upstream: String? = nil, imageData: [String] = []
    ) async throws -> RunningDeployment {
        try seedPlugins(root)
        var running: [RunningService] = []
        do {
            for (program, name) in zip(programs, names) {
                var arguments =
                    name == "gateway" ? ["serve", "--http", http] : upstream.map { ["--upstream", $0] } ?? []
                if name == "image-data" { arguments += imageData }
                running.append(try await RunningService.start(program, arguments, name: name, root: root))
            }
            let deployment = RunningDeployment(services: running)
            try await settle(deployment.gateway.socket)
            return deployment
        } catch {
            running.reversed().forEach { $0.process.stop() }
            throw error
        }
    }

    package func stop() { services.reversed().forEach { $0.process.stop() } }

    private static func seedPlugins(_ root: String) throws {
        try FileManager.default.createDirectory(atPath: root + "/plugins.d", withIntermediateDirectories: true)
        for name in names.dropLast() {
            let enriches =
                name == "comments" ? #","enriches":[{"item":"feed","method":"comments.counts","as":"comments"}]"# : ""
            let manifest =
                "{\"name\":\"\(name)\",\"socket\":\"\(name).sock\",\"contracts\":{\"\(name)\":1},\"required\":true\(enriches)}"
            try Data(manifest.utf8).write(to: URL(fileURLWithPath: "\(root)/plugins.d/\(name).json"))
        }
    }

    private static func settle(_ gateway: SocketPath) async throws {
        try await RPCClient.withConnection(to: gateway, as: "bench") { client in
            while try await client.call(ProtocolMethods.health, ServiceSelection()).status != .serving {
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }
}

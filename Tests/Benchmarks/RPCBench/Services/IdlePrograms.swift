import Foundation
import RPC

/// What the four programs take while nothing happens, and how long they need from `exec` until they answer.
struct IdlePrograms: Case {
    let name = "idle programs"
    let comparesSubjects = false

    private static let programs = [
        (program: "feed-service", arguments: [String](), name: "feed"),
        (program: "comments-service", arguments: [], name: "comments"),
        (program: "image-data-service", arguments: [], name: "image-data"),
        (program: "gateway", arguments: ["serve", "--http", "off"], name: "gateway"),
    ]

    func run(in bench: Bench) async throws -> Findings {
        var starts = Self.programs.map { _ in [Double]() }
        var memory: [Memory] = []
        for round in 1...bench.rounds {
            bench.progress.show("starting the programs, round \(round) of \(bench.rounds)")
            try await withBenchDirectory { root in
                try seedPlugins(root)
                var running: [RunningService] = []
                defer { running.reversed().forEach { $0.process.stop() } }
                for (index, program) in Self.programs.enumerated() {
                    let service = try await RunningService.start(
                        program.program, program.arguments, name: program.name, root: root)
                    running.append(service)
                    starts[index].append(service.firstAnswer)
                }
                // Once all are connected to each other nothing happens any more.
                try await settle(running[3].socket)
                memory = try running.map { try Memory(of: $0.process.id) }
            }
        }
        return Findings(
            programs: Self.programs.indices.map {
                ProgramFinding(
                    program: Self.programs[$0].program, idle: memory[$0], firstAnswer: median(starts[$0]))
            })
    }

    private func seedPlugins(_ root: String) throws {
        try FileManager.default.createDirectory(atPath: root + "/plugins.d", withIntermediateDirectories: true)
        for name in ["feed", "comments", "image-data"] {
            let manifest =
                "{\"name\":\"\(name)\",\"socket\":\"\(name).sock\",\"contracts\":{\"\(name)\":1},\"required\":true}"
            try Data(manifest.utf8).write(to: URL(fileURLWithPath: "\(root)/plugins.d/\(name).json"))
        }
    }

    private func settle(_ gateway: SocketPath) async throws {
        try await RPCClient.withConnection(to: gateway, as: "rpc-bench") { client in
            while try await client.call(ProtocolMethods.health, ServiceSelection()).status != .serving {
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }
}

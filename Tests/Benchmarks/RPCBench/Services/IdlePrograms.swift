import Foundation
import RPC

/// What the four programs take while nothing happens, and how long they need from `exec` until they serve.
struct IdlePrograms {
    let rounds: Int
    let progress: Progress

    private static let programs = [
        (program: "feed-service", arguments: [String](), name: "feed"),
        (program: "comments-service", arguments: [], name: "comments"),
        (program: "image-data-service", arguments: [], name: "image-data"),
        (program: "gateway", arguments: ["serve"], name: "gateway"),
    ]

    func run() async throws -> [ProgramResult] {
        try await withBenchDirectory { root in
            try seedPlugins(root)
            var starts: [String: [Duration]] = [:]
            var results: [ProgramResult] = []
            for round in 1...rounds {
                progress.show("starting the programs, round \(round) of \(rounds)")
                let running = try Self.programs.map {
                    try BenchProcess.start($0.program, $0.arguments, name: $0.name, root: root)
                }
                defer { running.reversed().forEach { $0.stop() } }
                for (program, process) in zip(Self.programs, running) {
                    starts[program.program, default: []].append(process.readyAfter)
                }
                // Once all are connected to each other nothing happens any more.
                guard round == rounds else { continue }
                try await settle(running[3].socket)
                results = try zip(Self.programs, running).map { program, process in
                    let times = starts[program.program, default: []].sorted()
                    return ProgramResult(
                        program: program.program, memory: try Memory(of: process.process.processIdentifier),
                        ready: times[times.count / 2])
                }
            }
            return results
        }
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

struct ProgramResult {
    let program: String
    let memory: Memory
    let ready: Duration
}

/// What a process has in memory, in kilobytes (`/proc/PID/smaps_rollup`).
struct Memory {
    /// All pages, with those that it shares with others.
    let resident: Int
    /// Pages that are shared count in proportion.
    let proportional: Int
    /// Pages that only this process has and that are its own.
    let privateDirty: Int
    /// Pages of files, its program mostly, that no other process maps; the system can drop them.
    let privateClean: Int

    init(of process: Int32) throws {
        let text = try String(contentsOfFile: "/proc/\(process)/smaps_rollup", encoding: .utf8)
        func kilobytes(_ name: String) -> Int {
            let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        }
        resident = kilobytes("Rss")
        proportional = kilobytes("Pss")
        privateDirty = kilobytes("Private_Dirty")
        privateClean = kilobytes("Private_Clean")
    }
}

import BenchKit
import Foundation

/// The runtime's server, called through the real gateway, which forwards the calls.
struct GatewaySubject: Subject {
    /// The kind of caller.
    let caller: OwnSubject

    var name: String {
        caller == .runtime ? "runtime through gateway" : "\(caller.name), through gateway"
    }

    static let runtime = GatewaySubject(caller: .runtime)

    static let all = [runtime, GatewaySubject(caller: .bytesBeside)]

    func socket(in directory: String) -> String { "\(root(directory))/run/gateway.sock" }

    func start(in directory: String) throws -> Served {
        let plugins = root(directory) + "/plugins.d"
        try FileManager.default.createDirectory(atPath: plugins, withIntermediateDirectories: true)
        let socket = "\(root(directory))/service.sock"
        let manifest = "{\"name\":\"bench\",\"socket\":\"\(socket)\",\"contracts\":{\"bench\":1},\"required\":true}"
        try Data(manifest.utf8).write(to: URL(fileURLWithPath: plugins + "/bench.json"))
        let gateway = try Programs.path("gateway")
        let service = try ChildProcess.start([Programs.current, "serve", caller.rawValue, socket])
        try service.waitUntilServing(at: socket)
        return Served(
            server: try .start([gateway, "serve", "--root", root(directory), "--http", "off"]), behind: [service])
    }

    func measuring(_ load: Load, over socket: String) throws -> [String] {
        try caller.measuring(load, over: socket)
    }

    func takes(_ load: Load) -> Bool { caller.takes(load) }

    private func root(_ directory: String) -> String { "\(directory)/\(caller.rawValue)" }
}

import Foundation

/// The runtime's server again, called through the real gateway, which forwards.
struct GatewaySubject: Subject {
    let name = "runtime through gateway"

    func socket(in directory: String) -> String { "\(root(directory))/run/gateway.sock" }

    func start(in directory: String) throws -> Served {
        let plugins = root(directory) + "/plugins.d"
        try FileManager.default.createDirectory(atPath: plugins, withIntermediateDirectories: true)
        let socket = "\(directory)/behind-gateway.sock"
        let manifest = "{\"name\":\"bench\",\"socket\":\"\(socket)\",\"contracts\":{\"bench\":1},\"required\":true}"
        try Data(manifest.utf8).write(to: URL(fileURLWithPath: plugins + "/bench.json"))
        let gateway = try Programs.path("gateway")
        let service = try ChildProcess.start([Programs.rpcBench, "serve", OwnSubject.runtime.rawValue, socket])
        try service.waitUntilServing(at: socket)
        return Served(
            server: try .start([gateway, "serve", "--root", root(directory)]), behind: [service])
    }

    func measuring(_ load: Load, over socket: String) throws -> [String] {
        try OwnSubject.runtime.measuring(load, over: socket)
    }

    private func root(_ directory: String) -> String { directory + "/root" }
}

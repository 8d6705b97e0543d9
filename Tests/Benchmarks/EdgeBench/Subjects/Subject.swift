import BenchKit

/// Where the same pictures can be had.
struct Subject {
    let name: String
    let port: Int

    /// Ours, to which the aims belong.
    var isEdge = false
}

/// An edge of this project and nginx, side by side in front of one origin.
struct Contest {
    let edge: RunningDeployment
    let nginx: Nginx?
    let subjects: [Subject]

    static func start(in directory: String, origin: Int) async throws -> Contest {
        let port = try FreePort.find()
        let edge = try await RunningDeployment.start(
            root: directory + "/edge", http: "127.0.0.1:\(port)", upstream: "http://127.0.0.1:\(origin)")
        do {
            let nginx = try Nginx.start(in: directory + "/nginx", origin: origin)
            return Contest(
                edge: edge, nginx: nginx,
                subjects: [Subject(name: "edge", port: port, isEdge: true)]
                    + (nginx.map { [Subject(name: "nginx, proxy_cache", port: $0.port)] } ?? []))
        } catch {
            edge.stop()
            throw error
        }
    }

    func stop() {
        nginx?.process.stop()
        edge.stop()
    }
}

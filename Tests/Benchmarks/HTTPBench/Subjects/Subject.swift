import BenchKit

/// A server of the pictures that are compared.
struct Subject {
    let name: String
    let port: Int

    /// Whether it is our edge, to which the aims apply.
    var isEdge = false
}

/// An edge of this project and nginx, both in front of one origin.
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

import BenchKit
import Glibc

/// A server with hummingbird, a framework for HTTP: one process, which reads the feed from the file of a feed service.
struct Hummingbird {
    let process: ChildProcess
    let port: Int

    static let program = ExternalProgram.swift(
        "hummingbird", folder: "HummingbirdBench", product: "hummingbird-bench")

    /// - Parameters:
    ///   - root: that of the deployment with the feed.
    ///   - base: the beginning of the image URLs.
    static func start(_ program: String, root: String, base: String) throws -> Hummingbird {
        let port = try FreePort.find()
        let process = try ChildProcess.start([program, "\(root)/data/feed.sqlite", "\(port)", base])
        while (try? HTTPCallers(port: port, count: 1)) == nil {
            guard process.isRunning else { throw Failure("hummingbird-bench has exited") }
            usleep(1_000)
        }
        return Hummingbird(process: process, port: port)
    }
}

import Foundation
import RPC

/// One of the programs of this package, in a root of the benchmark's own.
struct BenchProcess {
    let process: Process
    let socket: SocketPath

    /// How long it took from `exec` until the socket took a connection.
    let readyAfter: Duration

    /// - Parameter name: of its socket.
    static func start(_ program: String, _ arguments: [String] = [], name: String, root: String) throws -> BenchProcess
    {
        let directory = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let url = directory.appendingPathComponent(program)
        guard FileManager.default.isExecutableFile(atPath: url.path) else {
            throw Failure(description: "\(url.path) is not there: build everything with swift build -c release")
        }
        let process = Process()
        process.executableURL = url
        process.arguments = arguments + ["--root", root]
        process.standardError = FileHandle.nullDevice
        let socket = try SocketPath("\(root)/run/\(name).sock")
        let start = ContinuousClock.now
        try process.run()
        while !answers(socket) {
            guard process.isRunning else { throw Failure(description: "\(program) does not start") }
            usleep(500)
        }
        return BenchProcess(process: process, socket: socket, readyAfter: .now - start)
    }

    /// Ends it and waits for the end.
    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    private static func answers(_ socket: SocketPath) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socket.description.utf8) }
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}

/// A directory for the time of a measurement.
func withBenchDirectory<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let path = NSTemporaryDirectory() + "rpc-bench-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    // What is left behind lies in the system's temporary directory.
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}

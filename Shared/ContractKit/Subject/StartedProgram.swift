import Dispatch
import Foundation
import JSON
import Processes
import RPC
import Synchronization

/// An instance that was started for the verification, with a directory of its own.
final class StartedProgram {
    /// How long a program may take at least until its socket accepts a connection.
    static let startTime: Duration = .seconds(20)
    static let stopTime: Duration = .seconds(15)

    /// The same after the user has stopped the verification.
    static let cancelledStopTime: Duration = .seconds(2)

    static let logLines = 20
    static let logBytes = 65_536

    /// The socket on which it answers.
    private(set) var path: SocketPath

    private let root: String
    private let process: ChildProcess
    private let ended = Ended()
    private let cancellation: Cancellation

    /// Starts the command, and waits until a socket accepts connections.
    /// - Parameters:
    ///   - name: the name of the socket, if the command uses `{socket}`.
    ///   - deadline: until when a socket must accept.
    ///   - cancellation: shortens the time that the program has to stop.
    /// - Throws: `PeerFault` when the program ends or no socket accepts in time.
    init(_ command: String, name: String, by deadline: Deadline, _ cancellation: Cancellation) throws {
        self.cancellation = cancellation
        // Short, because the length of socket paths is limited.
        root = "/tmp/verify-" + UUID.random().uuidString.prefix(8)
        try FileManager.default.createDirectory(
            atPath: root + "/run", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let socket = "\(root)/run/\(name).sock"
        let text = command.replacing("{root}", with: root).replacing("{socket}", with: socket)
        path = try SocketPath(socket)
        do {
            process = try Self.start(text, log: root + "/verify.log")
        } catch {
            try FileManager.default.removeItem(atPath: root)
            throw PeerFault("\(error)")
        }
        // A separate thread, which ends when the program exits.
        Thread.detachNewThread { [process, ended] in ended.note(process.end()) }
        do {
            path = try waitForSocket(deadline)
        } catch {
            let log = self.log
            try stop()
            throw PeerFault(([error.description] + log).joined(separator: "\n"))
        }
    }

    private static func start(_ command: String, log: String) throws -> ChildProcess {
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        let (input, output) = (
            try FileHandle(forReadingFrom: URL(filePath: "/dev/null")), try FileHandle(forWritingTo: URL(filePath: log))
        )
        defer { try? output.close() }
        return try ChildProcess.start(
            ["/bin/sh", "-c", command], environment: ProcessInfo.processInfo.environment,
            files: [input.fileDescriptor, output.fileDescriptor, output.fileDescriptor], leadsGroup: true)
    }

    /// The time between two looks for a socket.
    private static let pause: UInt32 = 5_000

    private func waitForSocket(_ deadline: Deadline) throws(PeerFault) -> SocketPath {
        while !deadline.isOver {
            if let status = ended.status {
                throw PeerFault("ended with exit code \(status) before its socket accepted a connection")
            }
            for path in sockets where (try? WireConnection(to: path, by: Deadline(.milliseconds(100)))) != nil {
                return path
            }
            usleep(Self.pause)
        }
        throw PeerFault("no socket in \(root)/run accepted a connection within \(deadline.time.text)")
    }

    private var sockets: [SocketPath] {
        // An absent directory has no sockets yet.
        let files = (try? FileManager.default.contentsOfDirectory(atPath: root + "/run")) ?? []
        return files.filter { $0.hasSuffix(".sock") }.compactMap { try? SocketPath("\(root)/run/\($0)") }
    }

    var hasEnded: Bool { ended.status != nil }

    /// The last lines of what the program has written.
    var log: [String] {
        guard let file = try? FileHandle(forReadingFrom: URL(filePath: root + "/verify.log")) else { return [] }
        defer { try? file.close() }
        let size = (try? file.seekToEnd()) ?? 0
        try? file.seek(toOffset: size > UInt64(Self.logBytes) ? size - UInt64(Self.logBytes) : 0)
        let text = String(decoding: (try? file.readToEnd()) ?? Data(), as: UTF8.self)
        return text.split(separator: "\n").suffix(Self.logLines).map(String.init)
    }

    /// Stops the program and its children: with SIGTERM, and with SIGKILL after `stopTime`. Removes its directory.
    func stop() throws {
        // The shell may have replaced itself with the command, or not: the group has both.
        if ended.status == nil { kill(-process.id, SIGTERM) }
        _ = ended.wait(cancellation.isCancelled ? Self.cancelledStopTime : Self.stopTime)
        kill(-process.id, SIGKILL)
        ended.wait()
        try FileManager.default.removeItem(atPath: root)
    }
}

/// The exit code of a process, once it has ended.
private final class Ended: Sendable {
    private let state = Mutex<Int32?>(nil)
    private let semaphore = DispatchSemaphore(value: 0)

    var status: Int32? { state.withLock(\.self) }

    func note(_ status: Int32) {
        state.withLock { $0 = status }
        semaphore.signal()
    }

    /// - Returns: whether the process ended in time.
    func wait(_ time: Duration) -> Bool {
        guard semaphore.wait(timeout: .now() + .milliseconds(time.milliseconds)) == .success else { return false }
        semaphore.signal()
        return true
    }

    func wait() {
        semaphore.wait()
        semaphore.signal()
    }
}

import Foundation
import Glibc
import Processes
import Synchronization

/// A PostgreSQL server of a test, on a Unix socket in a directory of its own. It ends with this process, however that ends.
public final class PostgresServer: Sendable {
    /// The server that tests share, each with a database of its own.
    public static let shared = Result { try PostgresServer() }

    /// Whether the server's programs are installed. Without them tests are skipped, which is an error in CI.
    public static let isInstalled: Bool = {
        if programs != nil || ProcessInfo.processInfo.environment["CI"] != nil { return true }
        let warning = "THE STORES IN POSTGRESQL ARE NOT TESTED: install Debian's package postgresql.\n"
        FileHandle.standardError.write(Data(warning.utf8))
        return false
    }()

    /// The directory of the programs of the latest version.
    private static let programs: String? = {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let latest = versions.max { (Int($0) ?? 0) < (Int($1) ?? 0) }
        return latest.map { "\(root)/\($0)/bin" }.flatMap {
            FileManager.default.isExecutableFile(atPath: $0 + "/postgres") ? $0 : nil
        }
    }()

    /// Why the server cannot be used.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    public static let user = "tester"

    /// The name of a user who needs a password. A test creates the user.
    public static let userWithPassword = "locked"

    /// The directory of its socket.
    public let directory: String

    /// The writing end of the pipe that ends with this process.
    private let life = Pipe()
    private let lastDatabase = Mutex(0)

    /// - Parameters:
    ///   - settings: of `postgresql.conf`.
    ///   - primary: whose standby the server is.
    public init(settings: [String] = [], standbyOf primary: PostgresServer? = nil) throws {
        guard let programs = Self.programs else { throw Failure(description: "PostgreSQL is not installed") }
        directory = "/tmp/if-pg-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        if geteuid() == 0 {
            // The server refuses to run as root.
            guard let owner = getpwnam(Self.owner) else { throw Failure(description: "there is no user \(Self.owner)") }
            chown(directory, owner.pointee.pw_uid, owner.pointee.pw_gid)
        }
        if let primary {
            try run([
                "pg_basebackup", "-D", data, "-R", "-c", "fast", "-h", primary.directory, "-U", Self.user, "--no-sync",
            ])
        } else {
            try run(["initdb", "-D", data, "-U", Self.user, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"])
        }
        let common = [
            "listen_addresses = ''", "unix_socket_directories = '\(directory)'", "max_connections = 300", "fsync = off",
        ]
        let file = try FileHandle(forWritingTo: URL(filePath: data + "/postgresql.conf"))
        try file.seekToEnd()
        // A standby has those of its primary before them.
        try file.write(contentsOf: Data("\n\((common + settings).joined(separator: "\n"))\n".utf8))
        try file.close()
        // Others need none.
        let access = URL(filePath: data + "/pg_hba.conf")
        let rules = try String(contentsOf: access, encoding: .utf8)
        let rule = "local all \(Self.userWithPassword) scram-sha-256\n"
        // Written in place, because the file belongs to the server's user.
        let accessFile = try FileHandle(forWritingTo: access)
        try accessFile.write(contentsOf: Data((rule + rules).utf8))
        try accessFile.close()
        // Not a child of this process: it ends with the server, unawaited, and the library of the tests waits for any child.
        let end = "exec 3<&0; (cat <&3; \(programs)/pg_ctl -D \(data) -m immediate stop; rm -rf \(directory)) &"
        let nowhere = try FileHandle(forWritingTo: URL(filePath: "/dev/null"))
        _ = try ChildProcess.start(
            Self.asOwner + ["/bin/sh", "-c", end], environment: ["PATH": "/usr/bin:/bin"],
            files: [life.fileHandleForReading, nowhere, nowhere].map(\.fileDescriptor), leadsGroup: true
        ).end()
        try start()
    }

    private var data: String { directory + "/data" }

    private static let owner = "postgres"
    private static var asOwner: [String] {
        geteuid() == 0 ? ["/usr/bin/setpriv", "--reuid=\(owner)", "--regid=\(owner)", "--clear-groups"] : []
    }

    private func run(_ command: [String], output: String = "/dev/null") throws {
        guard let programs = Self.programs else { throw Failure(description: "PostgreSQL is not installed") }
        let status = try Spawn.run(
            Self.asOwner + ["\(programs)/\(command[0])"] + command.dropFirst(), output: output)
        guard status == 0 else { throw Failure(description: "\(command.joined(separator: " ")) ended with \(status)") }
    }

    // MARK: The server

    public func start() throws { try run(["pg_ctl", "-D", data, "-w", "-l", directory + "/log", "start"]) }

    /// Ends the server without an orderly shutdown, as `kill -9` does.
    public func stop() throws { try run(["pg_ctl", "-D", data, "-m", "immediate", "stop"]) }

    /// Suspends all processes of the server.
    public func suspend() throws { try send(SIGSTOP) }

    public func resume() throws { try send(SIGCONT) }

    private func send(_ signal: Int32) throws {
        let text = try String(contentsOf: URL(filePath: data + "/postmaster.pid"), encoding: .utf8)
        guard let main = text.split(separator: "\n").first.flatMap({ pid_t($0) }) else {
            throw Failure(description: "the server does not run")
        }
        // First, so that it starts no more.
        kill(main, signal)
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc") {
            guard let process = pid_t(name),
                let status = try? String(contentsOf: URL(filePath: "/proc/\(name)/stat"), encoding: .utf8),
                // The name of the program, in parentheses, may have spaces.
                let parent = status.split(separator: ")").last?.split(separator: " ").dropFirst().first
            else { continue }
            if pid_t(parent) == main { kill(process, signal) }
        }
    }

    /// Makes the server a read-only standby, as after its start with `standby.signal`, or a primary again.
    public func setStandby(_ isStandby: Bool) throws {
        guard isStandby else { return try run(["pg_ctl", "-D", data, "-w", "promote"]) }
        try run(["pg_ctl", "-D", data, "-m", "fast", "-w", "stop"])
        _ = FileManager.default.createFile(atPath: data + "/standby.signal", contents: nil)
        try start()
    }

    // MARK: Databases

    /// Creates a database.
    /// - Parameter options: of `CREATE DATABASE`.
    /// - Returns: its URL.
    public func newDatabase(_ options: String = "") throws -> String {
        let number = lastDatabase.withLock { last in
            last += 1
            return last
        }
        try execute("CREATE DATABASE test\(number) \(options)")
        return url("test\(number)")
    }

    public func url(_ database: String, user: String = user) -> String {
        "postgres://\(user)@/\(database)?host=\(directory)"
    }

    /// Runs SQL as an administrator.
    /// - Returns: the values, by lines.
    @discardableResult
    public func execute(_ sql: String, in url: String? = nil) throws -> String {
        let output = "/tmp/if-sql-" + UUID().uuidString.prefix(8)
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        defer { try? FileManager.default.removeItem(atPath: output) }
        try run(["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-c", sql, url ?? self.url("postgres")], output: output)
        return try String(contentsOf: URL(filePath: output), encoding: .utf8).trimmingCharacters(in: .newlines)
    }
}

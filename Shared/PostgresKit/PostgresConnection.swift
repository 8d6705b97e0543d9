import CPostgres
import Foundation
import Glibc
import ServiceKit

/// One connection. It blocks its thread, and is used on one thread at a time.
public final class PostgresConnection {
    /// The limits of time, in seconds.
    public struct Times: Sendable {
        /// To connect to one host. libpq rounds 1 up to 2.
        public var connect = 5

        /// For a read on the server, and for the lock of a write.
        public var statement = 10

        /// For the next part of an answer. It is longer than `statement`, so that the server's own limit ends a slow statement, and this
        /// one only waits for a server that is silent.
        public var silence = 15

        /// The same during a migration: no server says how far a statement is that changes a large table.
        public var migration = 3_600

        public init() {}
    }

    private let library: UnsafePointer<libpq>
    private let connection: OpaquePointer
    private let times: Times

    /// The longest wait for the next part of an answer, in seconds.
    private var silence: Int
    private var prepared: [String: String] = [:]

    /// Interrupts the waits of this connection.
    let signal: InterruptSignal

    /// Set when the connection cannot be used again.
    private(set) var isBroken = false

    /// Whether the database is no longer as it was when it was connected to. A new connection examines it, and makes what is missing.
    private(set) var isOutdated = false

    /// - Throws: `PostgresError.unusable`.
    init(_ url: DatabaseURL, name: String, times: Times) throws(PostgresError) {
        guard let library = libpq_load() else { throw .unusable(.noLibrary) }
        // The URL takes precedence over what stands before it. Dead peers are noticed within half a minute.
        let parameters = [
            ("fallback_application_name", name), ("keepalives_idle", "10"), ("keepalives_interval", "5"),
            ("keepalives_count", "3"),
            ("tcp_user_timeout", "15000"), ("dbname", url.text), ("connect_timeout", "\(times.connect)"),
            ("client_encoding", "UTF8"), ("password", Self.password(in: ProcessInfo.processInfo.environment)),
        ]
        let names: [UnsafePointer<CChar>?] = parameters.map { UnsafePointer<CChar>(strdup($0.0)) } + [nil]
        let values: [UnsafePointer<CChar>?] = parameters.map { UnsafePointer<CChar>(strdup($0.1)) } + [nil]
        defer { for text in names + values { free(UnsafeMutablePointer(mutating: text)) } }
        guard let connection = library.pointee.connectdbParams(names, values, 1) else {
            throw .unusable(.noConnection("out of memory"))
        }
        guard library.pointee.status(connection) == Int32(libpq_connection_ok),
            let cancel = library.pointee.getCancel(connection), let signal = InterruptSignal(cancel, library)
        else {
            defer { library.pointee.finish(connection) }
            throw .unusable(.noConnection(Self.line(library.pointee.errorMessage(connection))))
        }
        // Statements are sent without blocking, because a server that hangs would block the thread.
        _ = library.pointee.setnonblocking(connection, 1)
        _ = library.pointee.setNoticeProcessor(connection, { _, _ in }, nil)
        (self.library, self.connection, self.times, self.signal) = (library, connection, times, signal)
        silence = times.silence
    }

    /// - Returns: libpq's variable, without the end of line that a Secret made from a file has; empty for none, which libpq looks for
    ///   elsewhere.
    static func password(in environment: [String: String]) -> String {
        let password = environment["PGPASSWORD"] ?? ""
        return String(password.reversed().drop(while: \.isNewline).reversed())
    }

    deinit { library.pointee.finish(connection) }

    var serverVersion: Int { Int(library.pointee.serverVersion(connection)) }

    /// Whether the server has not closed the connection since the last statement.
    var isAlive: Bool {
        guard !isBroken else { return false }
        var socket = pollfd(fd: library.pointee.socket(connection), events: Int16(POLLIN), revents: 0)
        // Before the end there may be a message.
        while poll(&socket, 1, 0) != 0 {
            guard library.pointee.consumeInput(connection) == 1 else { return false }
        }
        return true
    }

    // MARK: Statements

    /// Runs SQL without parameters, several statements if need be.
    func run(_ sql: String) throws {
        try send { library.pointee.sendQuery(connection, sql) }
        _ = try results()
    }

    /// Runs a statement, which is prepared once per connection.
    /// - Parameter sql: a text of the program, with $1, $2 … for the parameters; the number of different texts is small.
    @discardableResult
    public func execute(_ sql: String, _ parameters: PostgresParameter...) throws -> PostgresRows {
        let name = try prepare(sql, parameters)
        // libpq copies the values before it returns.
        let values = parameters.map { parameter in
            parameter.bytes.map { bytes in
                let copy = UnsafeMutablePointer<CChar>.allocate(capacity: max(1, bytes.count))
                bytes.copyBytes(to: UnsafeMutableRawBufferPointer(start: copy, count: bytes.count))
                return UnsafePointer(copy)
            }
        }
        defer { for value in values { value?.deallocate() } }
        let lengths = parameters.map { Int32($0.bytes?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: parameters.count)
        try send {
            library.pointee.sendQueryPrepared(connection, name, Int32(parameters.count), values, lengths, formats, 1)
        }
        return try results()
    }

    private func prepare(_ sql: String, _ parameters: [PostgresParameter]) throws -> String {
        if let name = prepared[sql] { return name }
        let name = "s\(prepared.count)"
        let types = parameters.map(\.type)
        try send { library.pointee.sendPrepare(connection, name, sql, Int32(types.count), types) }
        _ = try results()
        prepared[sql] = name
        return name
    }

    /// Runs a migration in a transaction, which may take as long as a large table needs.
    func migrate(_ body: (PostgresConnection) throws -> Void) throws {
        silence = times.migration
        defer { silence = times.silence }
        try transaction(body)
    }

    /// Runs `body` in a transaction.
    func transaction<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
        try execute("BEGIN")
        do {
            let result = try body(self)
            try execute("COMMIT")
            return result
        } catch {
            // The connection cannot be used again if the transaction may still be open.
            if !isBroken {
                do { try execute("ROLLBACK") } catch { isBroken = true }
            }
            throw error
        }
    }

    private func send(_ body: () -> Int32) throws {
        guard !isBroken else { throw PostgresError.lost("it has ended") }
        guard body() == 1 else { throw broken() }
        while true {
            let left = library.pointee.flush(connection)
            if left == 0 { return }
            guard left > 0 else { throw broken() }
            // The server may have to be read from before it reads on.
            let ready = try wait(for: POLLIN | POLLOUT, silence)
            if ready & POLLIN != 0, library.pointee.consumeInput(connection) != 1 { throw broken() }
        }
    }

    /// - Returns: the last result.
    private func results() throws -> PostgresRows {
        var (last, failure) = (PostgresRows?.none, PostgresError?.none)
        while let result = try nextResult() {
            let rows = PostgresRows(result, library)
            switch library.pointee.resultStatus(result) {
            case Int32(libpq_command_ok), Int32(libpq_tuples_ok): last = rows
            default: failure = failure ?? refusal(result)
            }
        }
        if let failure {
            if library.pointee.status(connection) != Int32(libpq_connection_ok) { isBroken = true }
            throw failure
        }
        guard let last else { throw broken() }
        return last
    }

    private func nextResult() throws -> OpaquePointer? {
        while library.pointee.isBusy(connection) == 1 {
            _ = try wait(for: POLLIN, silence)
            guard library.pointee.consumeInput(connection) == 1 else { throw broken() }
        }
        return library.pointee.getResult(connection)
    }

    private func refusal(_ result: OpaquePointer) -> PostgresError {
        let field = { [library] (field: Int) in
            library.pointee.resultErrorField(result, Int32(field)).map { String(cString: $0) }
        }
        let message = field(libpq_field_message)
        // libpq's own errors have no code: the connection has ended.
        guard let code = field(libpq_field_sqlstate) else { return broken() }
        let refusal = PostgresError.refused(code: code, message: Self.line(message ?? "no message"))
        if case .unusable? = PostgresTrouble(refusal) { isOutdated = true }
        return refusal
    }

    private func broken() -> PostgresError {
        isBroken = true
        return .lost(Self.line(String(cString: library.pointee.errorMessage(connection))))
    }

    // MARK: Waiting

    /// Waits until the socket is ready.
    /// - Parameter seconds: nil to wait without a limit.
    /// - Throws: `PostgresError.silent`; `CancellationError` after an interrupt. The connection cannot be used again then.
    private func wait(for events: Int32, _ seconds: Int?) throws -> Int32 {
        var files = [
            pollfd(fd: library.pointee.socket(connection), events: Int16(events), revents: 0),
            pollfd(fd: signal.file, events: Int16(POLLIN), revents: 0),
        ]
        var count = poll(&files, 2, seconds.map { Int32($0) * 1_000 } ?? -1)
        while count < 0, errno == EINTR { count = poll(&files, 2, seconds.map { Int32($0) * 1_000 } ?? -1) }
        if files[1].revents != 0 {
            isBroken = true
            throw CancellationError()
        }
        guard count > 0 else {
            isBroken = true
            throw PostgresError.silent
        }
        // An error or a hang-up is read from the socket.
        return files[0].revents & Int16(events) == 0 ? POLLIN : Int32(files[0].revents)
    }

    /// Waits for a notification.
    func waitForNotification() throws {
        while true {
            guard library.pointee.consumeInput(connection) == 1 else { throw broken() }
            var isNotified = false
            while let notification = library.pointee.notifies(connection) {
                library.pointee.freemem(notification)
                isNotified = true
            }
            if isNotified { return }
            _ = try wait(for: POLLIN, nil)
        }
    }

    /// libpq's messages have several lines.
    private static func line(_ message: UnsafePointer<CChar>) -> String { line(String(cString: message)) }

    private static func line(_ message: String) -> String {
        Escaping.visible(message.split(whereSeparator: \.isWhitespace).joined(separator: " "))
    }
}

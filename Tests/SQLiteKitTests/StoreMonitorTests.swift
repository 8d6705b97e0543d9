import Foundation
import GRDB
import Logging
import RPC
import SQLiteKit
import Synchronization
import Testing

@Suite struct StoreMonitorTests {
    private let log = RecordedLog()
    private let monitor: StoreMonitor

    init() {
        monitor = StoreMonitor(
            path: "/data/store.sqlite", logger: Logger(label: "test") { [log] _ in log },
            now: { Date(timeIntervalSince1970: 7) })
    }

    @Test func `what goes well is passed on in silence`() async throws {
        let answer = try await monitor.writing { 42 }
        #expect(answer == 42)
        #expect(monitor.check == Health.Check(name: "store", status: .serving, since: Date(timeIntervalSince1970: 7)))
        #expect(log.lines == [])
    }

    @Test(arguments: [
        (ResultCode.SQLITE_FULL, ErrorKind.unavailable), (.SQLITE_IOERR, .unavailable), (.SQLITE_BUSY, .unavailable),
        (.SQLITE_CORRUPT, .dataLoss), (.SQLITE_NOTADB, .dataLoss),
    ])
    func `a failing store is an answer that names the file`(code: ResultCode, kind: ErrorKind) async throws {
        let error = await #expect(throws: RPCError.self) {
            try await monitor.reading { throw DatabaseError(resultCode: code) }
        }
        #expect(error?.kind == kind)
        #expect(error?.message.contains("/data/store.sqlite") == true)
    }

    @Test func `a failure that stays is one line, and its end another`() async throws {
        for _ in 1...3 { try? await monitor.writing { throw DatabaseError(resultCode: .SQLITE_FULL) } }
        #expect(log.lines.count == 1)
        #expect(monitor.check.status == .degraded)
        // Reading works on a full disk too.
        try await monitor.reading {}
        #expect(monitor.check.status == .degraded)
        try await monitor.writing {}
        try await monitor.writing {}
        #expect(log.lines.count == 2)
        #expect(monitor.check.status == .serving)
    }

    @Test func `health counts how often it has failed`() async throws {
        for (count, told) in [(1, false), (2, true), (3, true)] {
            try? await monitor.writing { throw DatabaseError(resultCode: .SQLITE_FULL) }
            #expect(monitor.check.detail?.contains("(\(count) times)") == told)
        }
    }

    @Test func `a store that could not be opened is a failure until there is one after all`() {
        let unusable = StoreUnusable(path: "/data/store.sqlite", reason: .newer)
        let monitor = StoreMonitor(
            path: "/data/store.sqlite", logger: Logger(label: "test") { [log] _ in log }, unusable: unusable)
        #expect(monitor.check.status == .degraded)
        #expect(monitor.check.detail == unusable.description)
        // Whoever tried to open it has said so.
        #expect(log.lines == [])
        monitor.recover()
        #expect(monitor.check.status == .serving)
        #expect(log.lines.count == 1)
    }

    @Test func `a row that cannot be decoded is lost data`() async throws {
        let queue = try DatabaseQueue()
        let error = await #expect(throws: RPCError.self) {
            try await monitor.reading {
                try queue.read { db in
                    let row = try Row.fetchOne(db, sql: "SELECT NULL")
                    let _: String? = try row?.decode(String.self, atIndex: 0)
                }
            }
        }
        #expect(error?.kind == .dataLoss)
    }

    @Test func `a fault of the program is no state of the store`() async throws {
        await #expect(throws: DatabaseError.self) {
            try await monitor.reading { throw DatabaseError(resultCode: .SQLITE_CONSTRAINT) }
        }
        #expect(monitor.check.status == .serving)
    }
}

/// Keeps what is logged.
private final class RecordedLog: LogHandler, Sendable {
    private let recorded = Mutex<[String]>([])

    var lines: [String] { recorded.withLock { $0 } }

    func log(event: LogEvent) { recorded.withLock { $0.append("\(event.message)") } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }
}

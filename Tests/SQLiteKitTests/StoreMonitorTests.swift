import Foundation
import GRDB
import Logging
import RPC
import RPCTestKit
import SQLiteKit
import Testing

@Suite struct StoreMonitorTests {
    private let log = RecordedLog()
    private let monitor: StoreMonitor

    init() {
        monitor = StoreMonitor(
            path: "/data/store.sqlite", logger: log.logger,
            now: { Date(timeIntervalSince1970: 7) })
    }

    @Test func `a success is returned and not logged`() async throws {
        let answer = try await monitor.writing { 42 }
        #expect(answer == 42)
        #expect(monitor.check == Health.Check(name: "store", status: .serving, since: Date(timeIntervalSince1970: 7)))
        #expect(log.lines == [])
    }

    @Test(arguments: [
        (ResultCode.SQLITE_FULL, ErrorKind.unavailable), (.SQLITE_IOERR, .unavailable), (.SQLITE_BUSY, .unavailable),
        (.SQLITE_CORRUPT, .dataLoss), (.SQLITE_NOTADB, .dataLoss),
    ])
    func `the error of a failing store does not name the file`(code: ResultCode, kind: ErrorKind) async throws {
        let error = await #expect(throws: RPCError.self) {
            try await monitor.reading { throw DatabaseError(resultCode: code, message: "/data/store.sqlite") }
        }
        #expect(error?.kind == kind)
        #expect(error?.message.contains("/data") == false)
    }

    @Test func `the log names the file and the trace of the call`() async throws {
        let trace = TraceContext(parent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        await TraceContext.$current.withValue(trace) {
            try? await monitor.writing { throw DatabaseError(resultCode: .SQLITE_FULL) }
        }
        #expect(log.lines.count == 1 && log.lines[0].contains("/data/store.sqlite"))
        #expect(log.metadata("trace_id") == ["0af7651916cd43dd8448eb211c80319c"])
    }

    @Test(arguments: [
        (ResultCode.SQLITE_FULL, "full"), (.SQLITE_BUSY, "busy"), (.SQLITE_READONLY, "unusable"),
        (.SQLITE_CORRUPT, "damaged"), (.SQLITE_IOERR, "unreadable"),
    ])
    func `the error names the kind of failure for programs`(code: ResultCode, store: String) async throws {
        let error = await #expect(throws: RPCError.self) {
            try await monitor.reading { throw DatabaseError(resultCode: code) }
        }
        #expect(error?.details?.description == #"{"store":"\#(store)"}"#)
    }

    // MARK: Damage

    @Test(arguments: [ResultCode.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_IOERR])
    func `writing elsewhere does not end damage`(code: ResultCode) async throws {
        for _ in 1...3 {
            try? await monitor.reading { throw DatabaseError(resultCode: code) }
            try await monitor.writing {}
            #expect(monitor.check.status == .degraded)
        }
        #expect(log.lines.count == 1)
        #expect(monitor.check.detail?.contains("(3 times)") == true)
        monitor.noteValidated()
        #expect(monitor.check.status == .serving)
        #expect(log.lines.count == 2)
    }

    @Test func `damage stays reported while another failure begins and ends`() async throws {
        try? await monitor.reading { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
        let detail = monitor.check.detail
        try? await monitor.writing { throw DatabaseError(resultCode: .SQLITE_FULL) }
        #expect(monitor.check.detail == detail)
        try await monitor.writing {}
        #expect(monitor.check.detail == detail)
        #expect(log.lines.count == 2)
    }

    @Test func `a successful validation does not clear a write failure`() async throws {
        try? await monitor.writing { throw DatabaseError(resultCode: .SQLITE_FULL) }
        monitor.noteValidated()
        #expect(monitor.check.status == .degraded)
    }

    @Test func `a replacement clears all failures, with one line`() async throws {
        try? await monitor.reading { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
        try? await monitor.writing { throw DatabaseError(resultCode: .SQLITE_FULL) }
        monitor.recover(report: "it was renamed")
        #expect(monitor.check.status == .serving)
        #expect(log.lines.count == 3 && log.lines.last == "it was renamed")
    }

    @Test func `a lasting failure is one line, and its end another`() async throws {
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

    @Test func `health reports the number of failures`() async throws {
        for (count, told) in [(1, false), (2, true), (3, true)] {
            try? await monitor.writing { throw DatabaseError(resultCode: .SQLITE_FULL) }
            #expect(monitor.check.detail?.contains("(\(count) times)") == told)
        }
    }

    @Test func `a missing store is a failure until a store is opened`() {
        let unusable = StoreUnusable(path: "/data/store.sqlite", reason: .newer)
        let monitor = StoreMonitor(
            path: "/data/store.sqlite", logger: log.logger, unusable: unusable)
        #expect(monitor.check.status == .degraded)
        #expect(monitor.check.detail == unusable.description)
        // The code that opens the store has already logged the failure.
        #expect(log.lines == [])
        monitor.recover()
        #expect(monitor.check.status == .serving)
        #expect(log.lines.count == 1)
    }

    @Test func `a row that cannot be decoded is data_loss`() async throws {
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

    @Test func `a fault of the program does not change the store's state`() async throws {
        await #expect(throws: DatabaseError.self) {
            try await monitor.reading { throw DatabaseError(resultCode: .SQLITE_CONSTRAINT) }
        }
        #expect(monitor.check.status == .serving)
    }
}

import Foundation
import GRDB
import Logging
import RPC
import RPCTestKit
import ServiceKit
import Testing

@testable import SQLiteKit

/// What callers, operators and `rpc.health` are told of a store's failures.
@Suite struct StoreMonitorTests {
    private func with(_ body: (Store, RecordedLog) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            var migrator = DatabaseMigrator()
            migrator.registerMigration("1") { try $0.execute(sql: "CREATE TABLE thing (x)") }
            let (opening, path) = (StoreOpening(applicationID: "TEST", migrator: migrator), directory + "/store.sqlite")
            let log = RecordedLog()
            let store = Store(
                opening, at: path, .success(try opening.open(path)), logger: log.logger,
                now: { Date(timeIntervalSince1970: 7) })
            try await body(store, log)
        }
    }

    @Test func `a success is returned and not logged`() async throws {
        try await with { store, log in
            let answer = try await store.write { db in
                try db.execute(sql: "INSERT INTO thing VALUES (42)")
                return try Int.fetchOne(db, sql: "SELECT x FROM thing")
            }
            #expect(answer == 42)
            let serving = Health.Check(name: "store", status: .serving, since: Date(timeIntervalSince1970: 7))
            #expect(store.check == serving)
            #expect(log.lines == [])
        }
    }

    @Test(arguments: [
        (ResultCode.SQLITE_FULL, StoreError.full), (.SQLITE_BUSY, .busy), (.SQLITE_LOCKED, .busy),
        (.SQLITE_CANTOPEN, .unreachable), (.SQLITE_READONLY, .unreachable), (.SQLITE_IOERR, .damaged),
        (.SQLITE_IOERR_SHMSIZE, .full),
        (.SQLITE_CORRUPT, .damaged), (.SQLITE_NOTADB, .damaged),
    ])
    func `each failure of a read has its error`(code: ResultCode, error: StoreError) async throws {
        try await with { store, _ in
            await #expect(throws: error) { try await store.fail(code) }
        }
    }

    @Test(arguments: [
        (ResultCode.SQLITE_FULL, "writes:store"), (.SQLITE_READONLY, "writes:store"), (.SQLITE_IOERR, "writes:store"),
        (.SQLITE_CORRUPT, "content:store"),
    ])
    func `a store that can be read says which part of it fails`(code: ResultCode, name: String) async throws {
        try await with { store, _ in
            try? await store.failToWrite(code)
            #expect(await store.health().map(\.name) == [name])
            #expect(await store.health(as: "cache").map(\.name) == [name.replacing("store", with: "cache")])
        }
    }

    @Test func `a store that cannot be read is out of use until it is used again`() async throws {
        try await with { store, _ in
            try? await store.fail(.SQLITE_CANTOPEN)
            try? await store.failToWrite(.SQLITE_FULL)
            #expect(await store.health().map(\.name) == ["store"] && store.check.status == .degraded)
            try await store.succeed()
            #expect(store.check.status == .serving)
        }
    }

    @Test func `an overwritten store is out of use, whatever part was damaged before`() async throws {
        try await with { store, log in
            try? await store.fail(.SQLITE_CORRUPT)
            store.note(.overwritten, isReading: false)
            store.note(.damaged("a page"), isReading: true)
            #expect(store.check.name == "store" && store.check.detail?.contains("overwritten") == true)
            #expect(log.lines.count == 2)
        }
    }

    @Test func `a disk that cannot be written is not damage`() async throws {
        try await with { store, _ in
            await #expect(throws: StoreError.unreachable) { try await store.failToWrite(.SQLITE_IOERR) }
        }
    }

    @Test func `the log names the file and the trace of the call`() async throws {
        try await with { store, log in
            let trace = TraceContext(parent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
            await TraceContext.$current.withValue(trace) { try? await store.failToWrite(.SQLITE_FULL) }
            #expect(log.lines.count == 1 && log.lines[0].contains(store.path))
            #expect(log.metadata("trace_id") == ["0af7651916cd43dd8448eb211c80319c"])
        }
    }

    // MARK: Damage

    @Test(arguments: [ResultCode.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_IOERR])
    func `writing elsewhere does not end damage`(code: ResultCode) async throws {
        try await with { store, log in
            for _ in 1...3 {
                try? await store.fail(code)
                try await store.succeed()
                #expect(store.check.status == .degraded)
            }
            #expect(log.lines.count == 1)
            #expect(store.check.detail?.contains("(3 times)") == true)
            try await store.validate()
            #expect(store.check.status == .serving)
            #expect(log.lines.count == 2)
        }
    }

    @Test func `damage stays reported while another failure begins and ends`() async throws {
        try await with { store, log in
            try? await store.fail(.SQLITE_CORRUPT)
            let detail = store.check.detail
            try? await store.failToWrite(.SQLITE_FULL)
            #expect(store.check.detail == detail)
            try await store.succeed()
            #expect(store.check.detail == detail)
            #expect(log.lines.count == 2)
        }
    }

    @Test func `what only the schema knows is damage, too`() async throws {
        try await with { store, log in
            await #expect(throws: StoreError.damaged) { try await store.validate { _ in "two and two are five" } }
            #expect(store.check.status == .degraded && store.check.detail?.contains("two and two") == true)
            #expect(log.lines.count == 1)
            try await store.validate()
            #expect(store.check.status == .serving)
        }
    }

    @Test func `a successful validation does not clear a write failure`() async throws {
        try await with { store, _ in
            try? await store.failToWrite(.SQLITE_FULL)
            try await store.validate()
            #expect(store.check.status == .degraded)
        }
    }

    @Test func `a lasting failure is one line, and its end another`() async throws {
        try await with { store, log in
            for _ in 1...3 { try? await store.failToWrite(.SQLITE_FULL) }
            #expect(log.lines.count == 1)
            #expect(store.check.status == .degraded)
            // Reading works on a full disk too, and so does a write that changes nothing.
            try await store.read { _ in }
            try await store.write { _ in }
            #expect(store.check.status == .degraded)
            try await store.succeed()
            try await store.succeed()
            #expect(log.lines.count == 2)
            #expect(store.check.status == .serving)
        }
    }

    @Test func `health reports the number of failures`() async throws {
        try await with { store, _ in
            for (count, told) in [(1, false), (2, true), (3, true)] {
                try? await store.failToWrite(.SQLITE_FULL)
                #expect(store.check.detail?.contains("(\(count) times)") == told)
            }
        }
    }

    @Test func `a row that cannot be decoded is damage`() async throws {
        try await with { store, _ in
            await #expect(throws: StoreError.damaged) {
                try await store.read { db in
                    let row = try Row.fetchOne(db, sql: "SELECT NULL")
                    let _: String? = try row?.decode(String.self, atIndex: 0)
                }
            }
        }
    }

    @Test func `a fault of the program does not change the store's state`() async throws {
        try await with { store, _ in
            await #expect(throws: DatabaseError.self) { try await store.fail(.SQLITE_CONSTRAINT) }
            #expect(store.check.status == .serving)
        }
    }

    @Test func `a missing store is a failure until it can be opened`() async throws {
        try await withTemporaryDirectory { directory in
            let (log, clock) = (RecordedLog(), TestClock())
            let (opening, path) = (
                StoreOpening(applicationID: "TEST", migrator: DatabaseMigrator()), directory + "/store.sqlite"
            )
            let unusable = StoreUnusable(path: path, reason: .readOnly)
            let store = Store(opening, at: path, .failure(unusable), logger: log.logger, now: clock.read)
            for _ in 1...3 {
                await #expect(throws: StoreError.unreachable) { try await store.read { _ in } }
            }
            #expect(store.check.status == .degraded)
            #expect(store.check.name == "store" && store.check.detail == unusable.description)
            // The code that opened the store has already logged the failure.
            #expect(log.lines == [])
            clock.advance(ReplacementPace.firstPause)
            try await store.read { _ in }
            #expect(store.check.status == .serving)
            #expect(log.lines.count == 1)
        }
    }
}

extension Store {
    fileprivate func fail(_ code: ResultCode) async throws {
        try await read { _ in throw DatabaseError(resultCode: code, message: "what SQLite says") }
    }

    fileprivate func failToWrite(_ code: ResultCode) async throws {
        try await write { _ in throw DatabaseError(resultCode: code, message: "what SQLite says") }
    }

    fileprivate func succeed() async throws {
        try await write { try $0.execute(sql: "INSERT INTO thing VALUES (1)") }
    }
}

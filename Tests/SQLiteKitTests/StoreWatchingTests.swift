import Foundation
import GRDB
import NIOCore
import RPC
import RPCTestKit
import Synchronization
import Testing

@testable import SQLiteKit
@testable import ServiceKit

/// What a store does without calls: it recovers, and it checks its content.
@Suite struct StoreWatchingTests {
    private let clock = ManualClock()
    private let log = RecordedLog()

    private func with(
        isCache: Bool = false, checking checks: [RowCheck] = [], change: (String) throws -> Void = { _ in },
        _ body: @Sendable (Store) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            var migrator = DatabaseMigrator()
            migrator.registerMigration("1") {
                try $0.execute(sql: "CREATE TABLE thing (x INTEGER NOT NULL, y BLOB) STRICT")
                try $0.execute(sql: "INSERT INTO thing VALUES (1, zeroblob(100000))")
            }
            let opening = StoreOpening(applicationID: "TEST", migrator: migrator, isCache: isCache)
            let path = directory + "/store.sqlite"
            try opening.close(opening.open(path))
            try change(path)
            let store = Store(
                opening, at: path, .success(try opening.open(path)), logger: log.logger,
                now: { Date(timeIntervalSince1970: 7) }, clock: clock)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await store.run(checking: checks) }
                try await body(store)
                group.cancelAll()
            }
            try? store.close()
        }
    }

    /// Lets the time to the next sleep's end pass, once the sleep is this long.
    private func pass(_ time: Duration) async {
        await clock.waitForTimer(in: TimeAmount(time))
        await clock.advance(by: TimeAmount(time))
    }

    // MARK: Recovery

    @Test func `a store that could not be written is written again after a second`() async throws {
        try await with { store in
            await #expect(throws: StoreError.full) {
                try await store.write { _ in throw DatabaseError(resultCode: .SQLITE_FULL) }
            }
            #expect(store.check.status == .degraded)
            await pass(StoreMonitor.firstProbePause)
            // The last step of the recovery.
            await log.wait { $0.contains("works again") }
            #expect(store.check.status == .serving)
            #expect(log.lines.count == 2)
        }
    }

    @Test func `the pauses double up to a minute, and the attempts are neither counted nor logged`() async throws {
        try await with { store in
            try FileManager.default.moveItem(atPath: store.path, toPath: store.path + ".away")
            await #expect(throws: StoreError.unreachable) {
                try await store.write { try $0.execute(sql: "INSERT INTO thing VALUES (2, NULL)") }
            }
            let detail = store.check.detail
            for seconds in [1, 2, 4, 8, 16, 32, 60, 60] { await pass(.seconds(seconds)) }
            await clock.waitForTimer(in: .seconds(60))
            #expect(store.check.detail == detail && log.lines.count == 1)
            try FileManager.default.moveItem(atPath: store.path + ".away", toPath: store.path)
            await clock.advance(by: .seconds(60))
            await log.wait { $0.contains("works again") }
            #expect(log.lines.count == 2)
        }
    }

    // MARK: Slowness

    @Test(arguments: [(250, ["store"]), (251, ["store", "slow:store"])] as [(Int64, [String])])
    func `a store whose uses take over 250 ms is named until it is fast again`(
        milliseconds: Int64, names: [String]
    ) async throws {
        try await with { [clock] store in
            for _ in 1...Slowness.fewestUses {
                try await store.read { _ in clock.jump(by: .milliseconds(milliseconds)) }
            }
            #expect(await store.health().map(\.name) == names)
            await clock.advance(by: .seconds(60))
            #expect(await store.health().map(\.name) == ["store"])
        }
    }

    @Test func `validations take long and do not count`() async throws {
        try await with { [clock] store in
            for _ in 1...Slowness.fewestUses {
                try await store.validate { _ in
                    clock.jump(by: 2 * Slowness.storeLimit)
                    return nil
                }
            }
            #expect(await store.health().map(\.name) == ["store"])
        }
    }

    // MARK: The check of the content

    @Test func `the content is checked ten minutes after the start and then once a day`() async throws {
        let seen = Mutex(0)
        let check = RowCheck("thing") { _ in
            seen.withLock { $0 += 1 }
            return nil
        }
        try await with(checking: [check]) { store in
            await clock.waitForTimer(in: TimeAmount(Store.firstScanPause))
            await clock.advance(by: TimeAmount(Store.firstScanPause) - .nanoseconds(1))
            #expect(seen.withLock { $0 } == 0)
            await clock.advance(by: .nanoseconds(1))
            for scans in 1...2 {
                while await clock.timeToNextWake() != TimeAmount(Store.scanPause) {
                    await clock.advance(by: TimeAmount(Store.shortestScanStepPause))
                }
                #expect(seen.withLock { $0 } == scans)
                await clock.advance(by: TimeAmount(Store.scanPause))
            }
            #expect(store.check.status == .serving && log.lines == [])
        }
    }

    @Test func `damage is reported with the remedy, checked every hour, and over when nothing is found`() async throws {
        let check = RowCheck("thing") { $0["x"] == 13.databaseValue ? "13 is damaged" : nil }
        try await with(checking: [check]) { store in
            func scanned(_ pause: Duration) async {
                while await clock.timeToNextWake() != TimeAmount(pause) {
                    await clock.advance(by: TimeAmount(Store.shortestScanStepPause))
                }
            }
            try await store.write { try $0.execute(sql: "INSERT INTO thing VALUES (13, NULL), (13, NULL)") }
            await pass(Store.firstScanPause)
            for _ in 1...2 {
                await scanned(Store.scanPauseWhileDamaged)
                #expect(store.check.status == .serving)
                let check = await store.health().first { $0.name == "content:store" }
                #expect(check?.status == .degraded && check?.leavesUsable == true)
                #expect(check?.detail?.contains("13 is damaged; `gateway check` lists") == true)
                #expect(check?.detail?.contains("gateway check --repair") == true)
                #expect(check?.detail?.hasSuffix("(2 findings)") == true)
                #expect(log.lines.count == 1)
                await clock.advance(by: TimeAmount(Store.scanPauseWhileDamaged))
            }
            await scanned(Store.scanPauseWhileDamaged)
            try await store.write { try $0.execute(sql: "DELETE FROM thing WHERE x = 13") }
            #expect(store.monitor.contentCheck() != nil)
            await clock.advance(by: TimeAmount(Store.scanPauseWhileDamaged))
            await scanned(Store.scanPause)
            #expect(store.monitor.contentCheck() == nil)
            #expect(log.lines.count == 2)
        }
    }

    @Test func `a table that cannot be read is named`() async throws {
        // All pages of the blob but none of the schema.
        let damage: (String) throws -> Void = { path in
            let file = try FileHandle(forUpdating: URL(filePath: path))
            let size = try file.seekToEnd()
            for page in stride(from: 4 * 4_096, to: Int(size), by: 4_096) {
                try file.seek(toOffset: UInt64(page))
                try file.write(contentsOf: Data(repeating: 0xFF, count: 4_096))
            }
            try file.close()
        }
        try await with(change: damage) { store in
            await pass(Store.firstScanPause)
            while await clock.timeToNextWake() != TimeAmount(Store.scanPauseWhileDamaged) {
                await clock.advance(by: TimeAmount(Store.shortestScanStepPause))
            }
            let detail = store.monitor.contentCheck()?.detail
            #expect(detail?.contains("the table thing cannot be read") == true, "\(detail ?? "")")
        }
    }

    @Test func `a check of the content leaves room between its steps`() {
        #expect(Store.rest(after: .zero) == Store.shortestScanStepPause)
        #expect(Store.rest(after: .milliseconds(2)) == .milliseconds(100))
        #expect(Store.rest(after: .milliseconds(4)) == .milliseconds(200))
    }
}

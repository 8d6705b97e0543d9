import Foundation
import GRDB
import Glibc
import NIOCore
import RPC
import ServiceKit
import Timing

/// Watches a store in the background, so that its check in `rpc.health` is right without calls.
extension Store {
    /// Tries a store that failed until it works again, and checks its content about once a day. Runs until the task is cancelled.
    /// - Parameter checks: what only the schema knows.
    public func run(checking checks: [RowCheck] = []) async {
        async let recovering: Void = recover()
        await scanDaily(checks)
        await recovering
    }

    // MARK: Recovery

    static let longestProbePause = Duration.seconds(60)

    func recover() async {
        await monitor.probe(by: clock, longestPause: Self.longestProbePause) {
            if openFile == nil { _ = await health() } else if monitor.cannotUse { await tryWriting() }
        }
    }

    /// The free space in bytes without which a disk counts as full, so that more than a small row fits when it counts as usable.
    static let probeBytes = 512 * 1_024

    /// Writes to the file in use. It works again if that succeeds.
    private func tryWriting() async {
        guard let file = openFile else { return }
        do {
            try await file.watch.writing {
                try await file.pool.write { [path] db in
                    try Self.reserve(Self.probeBytes, beside: path)
                    // SQLite writes the page also for the value that it has.
                    try db.execute(sql: "PRAGMA user_version = \(try StoreIdentity.mark(db))")
                }
            }
            monitor.noteSuccess(of: .reading, .writing)
        } catch {
            guard isCurrent(file), let trouble = StoreTrouble(error, isReading: false) else { return }
            note(trouble, isReading: false, isProbe: true)
            if opening.isCache, trouble.endsCache { await replace(file) }
        }
    }

    /// - Throws: `SQLITE_FULL`. Whether the directory can be written does not matter.
    private static func reserve(_ bytes: Int, beside path: String) throws {
        // A file without a name, which goes with its descriptor.
        let directory = (path as NSString).deletingLastPathComponent
        let descriptor = open(directory, __O_TMPFILE | O_DIRECTORY | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            if errno == ENOSPC || errno == EDQUOT { throw DatabaseError(resultCode: .SQLITE_FULL) }
            return
        }
        defer { Glibc.close(descriptor) }
        let code = posix_fallocate(descriptor, 0, off_t(bytes))
        if code == ENOSPC || code == EDQUOT { throw DatabaseError(resultCode: .SQLITE_FULL) }
    }

    // MARK: Damage

    /// The time from the start to the first check of the content. So a restart reads the whole store again, but one after the other
    /// does not.
    static let firstScanPause = Duration.seconds(600)

    /// The time from the end of one check to the next, so that an idle deployment does not wake its disk. It is shorter after a
    /// finding, so that a repair is noticed.
    static let scanPause = Duration.seconds(86_400)
    static let scanPauseWhileDamaged = Duration.seconds(3_600)

    /// The longest time of a step on the store's thread; the one row that every step reads may take longer.
    static let scanStepTime = TimeAmount.milliseconds(4)

    /// The pause after a step is this many times its duration, and not shorter than `shortestScanStepPause`.
    static let scanRest = 50.0
    static let shortestScanStepPause = Duration.milliseconds(100)

    static func rest(after time: TimeAmount) -> Duration {
        max(Duration.nanoseconds(time.nanoseconds) * scanRest, shortestScanStepPause)
    }

    private func scanDaily(_ checks: [RowCheck]) async {
        var pause = Self.firstScanPause
        while !Task.isCancelled {
            try? await clock.sleep(for: pause)
            guard !Task.isCancelled else { return }
            pause = await scan(checks) ? Self.scanPause : Self.scanPauseWhileDamaged
        }
    }

    /// Checks the whole content once.
    /// - Returns: false after a finding, or if the check could not be completed.
    func scan(_ checks: [RowCheck]) async -> Bool {
        do {
            var scan = try await reading { try await $0.read { try StoreScan($0, checks) } }
            monitor.beginScan()
            while let table = scan.table {
                let start = clock.now
                do {
                    let step = try await scanned(table, scan)
                    for finding in step.findings { monitor.noteFinding(finding) }
                    scan.advance(after: step)
                } catch let fault as UnreadableTable {
                    monitor.noteFinding("\(fault)")
                    scan.skipTable()
                }
                try await clock.sleep(for: Self.rest(after: clock.now - start))
            }
            return monitor.endScan()
        } catch {
            // A `StoreError` is already reported, and a fault of the program is one of a query that the calls do not need.
            if !(error is StoreError || error is CancellationError) { monitor.report("cannot be checked: \(error)") }
            return false
        }
    }

    /// Runs a step on another thread.
    /// - Throws: `UnreadableTable`, for an authority; the store of a cache is replaced.
    private func scanned(
        _ table: ScannedTable, _ scan: StoreScan
    ) async throws -> StoreScan.Step {
        try await using(.validating) { [clock, isCache = opening.isCache] pool in
            try await pool.read { db in
                // Without the time that the step has waited for its thread.
                let end = clock.now + Self.scanStepTime
                do {
                    return try scan.step(table, db) { clock.now >= end }
                } catch let error as DatabaseError
                    where !isCache && [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_IOERR].contains(error.resultCode)
                {
                    throw UnreadableTable(name: table.name, reason: error.message ?? "\(error.resultCode)")
                }
            }
        }
    }
}

private struct UnreadableTable: Error, CustomStringConvertible {
    let name: String
    let reason: String

    var description: String { "the table \(name) cannot be read: \(reason)" }
}

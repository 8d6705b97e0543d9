import Foundation
import GRDB
import RPCTestKit
import ServiceKit
import Testing

@testable import SQLiteKit

/// Faults of a store while a service has it open.
@Suite struct StoreInUseTests {
    private struct InUse {
        let directory: String
        let store: Store
        let log: RecordedLog
        let clock: TestClock
        let time: ManualClock

        var path: String { directory + "/store.sqlite" }

        init(_ directory: String, isCache: Bool) {
            var migrator = DatabaseMigrator()
            migrator.registerMigration("1") { try $0.execute(sql: "CREATE TABLE thing (x)") }
            let opening = StoreOpening(applicationID: "TEST", migrator: migrator, isCache: isCache)
            let path = directory + "/store.sqlite"
            let (log, clock, time) = (RecordedLog(), TestClock(), ManualClock())
            let opened = Result { () throws(StoreUnusable) in try opening.open(path) }
            store = Store(opening, at: path, opened, logger: log.logger, now: clock.read, clock: time)
            (self.directory, self.log, self.clock, self.time) = (directory, log, clock, time)
        }

        func add(_ number: Int) async throws {
            try await store.write { try $0.execute(sql: "INSERT INTO thing VALUES (?)", arguments: [number]) }
        }

        /// Reads after the file is checked again.
        func all() async throws -> [Int] {
            await time.advance(by: StoreFiles.period)
            return try await store.read { try Int.fetchAll($0, sql: "SELECT x FROM thing") }
        }

        /// Finds the store damaged.
        func damage() async throws { try await store.read { _ in throw DatabaseError(resultCode: .SQLITE_CORRUPT) } }

        func corruptFiles() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: directory)
                .filter { $0.contains(".corrupt-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
        }
    }

    private func with(isCache: Bool, _ body: (InUse) async throws -> Void) async throws {
        try await withTemporaryDirectory { try await body(InUse($0, isCache: isCache)) }
    }

    // MARK: An authority

    enum Loss: CaseIterable { case removed, journalRemoved, movedAway, exchanged }

    private func lose(_ loss: Loss, _ path: String) throws {
        switch loss {
        case .removed: try FileManager.default.removeItem(atPath: path)
        case .journalRemoved: try FileManager.default.removeItem(atPath: path + "-wal")
        case .movedAway: try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        case .exchanged:
            try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
            try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE diary (day)") }
        }
    }

    @Test(arguments: Loss.allCases) func `a write to a removed or renamed file is not acknowledged`(
        loss: Loss
    ) async throws {
        try await with(isCache: false) { inUse in
            try await inUse.add(1)
            _ = try await inUse.all()
            try lose(loss, inUse.path)
            for _ in 1...2 {
                await #expect(throws: StoreError.unreachable) { try await inUse.add(2) }
            }
            #expect(inUse.store.check.status == .degraded)
            #expect(inUse.log.lines.count == 1 && inUse.log.lines[0].contains(inUse.path))
            // Only the journal is missing, so acknowledged data can still be read.
            guard loss == .journalRemoved else { return }
            #expect(try await inUse.all() == [1])
        }
    }

    @Test func `the loss of a file during a write is detected before the answer`() async throws {
        try await with(isCache: false) { inUse in
            await #expect(throws: StoreError.unreachable) {
                try await inUse.store.write { db in
                    try db.execute(sql: "INSERT INTO thing VALUES (1)")
                    try FileManager.default.removeItem(atPath: inUse.path)
                }
            }
        }
    }

    @Test func `a file that is put back is written to again`() async throws {
        try await with(isCache: false) { inUse in
            try lose(.movedAway, inUse.path)
            await #expect(throws: StoreError.unreachable) { try await inUse.add(1) }
            try FileManager.default.moveItem(atPath: inUse.path + ".away", toPath: inUse.path)
            try await inUse.add(2)
            #expect(inUse.store.check.status == .serving)
            #expect(try await inUse.all() == [2])
        }
    }

    // MARK: Files that are overwritten in place

    enum Overwriting: CaseIterable { case zeros, firstPage, text, anotherProgram, anotherStore, emptied, cut }

    private func overwrite(_ overwriting: Overwriting, _ path: String) async throws {
        switch overwriting {
        case .zeros: try overwrite(path, with: Data(count: Data(contentsOf: URL(filePath: path)).count))
        case .firstPage: try overwrite(path, with: Data(count: 4_096), isCut: false)
        case .text: try overwrite(path, with: Data("Dear diary".utf8))
        case .emptied: #expect(truncate(path, 0) == 0)
        case .cut: #expect(truncate(path, 4_096) == 0)
        case .anotherProgram:
            try await DatabaseQueue(path: path + ".other").write { try $0.execute(sql: "CREATE TABLE diary (day)") }
            try overwrite(path, with: Data(contentsOf: URL(filePath: path + ".other")))
        case .anotherStore:
            try await withTemporaryDirectory { directory in
                let other = InUse(directory, isCache: false)
                for number in 5...2_000 { try await other.add(number) }
                try other.store.close()
                try overwrite(path, with: Data(contentsOf: URL(filePath: other.path)))
            }
        }
    }

    /// Overwrites the file in place, as `cp` does, or `dd` with `conv=notrunc`.
    private func overwrite(_ path: String, with data: Data, isCut: Bool = true) throws {
        let file = try #require(FileHandle(forWritingAtPath: path))
        if isCut { try file.truncate(atOffset: 0) }
        try file.write(contentsOf: data)
        try file.close()
    }

    @Test(arguments: Overwriting.allCases) func `an authority whose file is overwritten answers data_loss`(
        overwriting: Overwriting
    ) async throws {
        try await with(isCache: false) { inUse in
            try await inUse.add(1)
            let before = try Data(contentsOf: URL(filePath: inUse.path))
            _ = try await inUse.all()
            try await overwrite(overwriting, inUse.path)
            for isRestored in [false, true] {
                // SQLite's memory does not match a file that is put back.
                if isRestored { try overwrite(inUse.path, with: before) }
                await #expect(throws: StoreError.foreign) { try await inUse.all() }
                await #expect(throws: StoreError.foreign) { try await inUse.add(2) }
                await #expect(throws: StoreError.foreign) { try await inUse.store.validate() }
                #expect(inUse.store.check.status == .degraded)
            }
            #expect(inUse.log.lines.count == 1)
            #expect(inUse.log.lines[0].contains(inUse.path) && inUse.log.lines[0].contains("restore"))
        }
    }

    @Test(arguments: Overwriting.allCases) func `a cache whose file is overwritten is renamed and replaced`(
        overwriting: Overwriting
    ) async throws {
        try await with(isCache: true) { inUse in
            try await inUse.add(1)
            try await overwrite(overwriting, inUse.path)
            await #expect(throws: StoreError.foreign) { try await inUse.all() }
            #expect(inUse.store.check.status == .serving)
            try await inUse.add(3)
            #expect(try await inUse.all() == [3])
            #expect(try inUse.corruptFiles().count == 1)
            #expect(inUse.log.lines.count == 2 && inUse.log.lines[0].hasSuffix("an empty one replaces it"))
        }
    }

    @Test func `every failing read of an overwritten file is answered with data_loss`() async throws {
        struct Odd: Error {}
        try await with(isCache: false) { inUse in
            try await overwrite(.anotherProgram, inUse.path)
            for error in [DatabaseError(resultCode: .SQLITE_ERROR), Odd()] as [any Error] {
                await #expect(throws: StoreError.foreign) { try await inUse.store.read { _ in throw error } }
            }
        }
    }

    @Test func `a store that another process vacuums works as before`() async throws {
        try await with(isCache: false) { inUse in
            for number in 1...2_000 { try await inUse.add(number) }
            try await inUse.store.writing { numbers in
                try await numbers.write { try $0.execute(sql: "DELETE FROM thing WHERE x > 1") }
                try await numbers.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
            }
            let size = try Data(contentsOf: URL(filePath: inUse.path)).count
            #expect(try await inUse.all() == [1])
            try await DatabaseQueue(path: inUse.path).vacuum()
            try await inUse.store.writing { numbers in
                try await numbers.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
            }
            #expect(try Data(contentsOf: URL(filePath: inUse.path)).count < size)
            try await inUse.add(2)
            #expect(try await inUse.all() == [1, 2])
            #expect(inUse.store.check.status == .serving && inUse.log.lines == [])
        }
    }

    @Test func `an authority without a store fails every call`() async throws {
        try await withTemporaryDirectory { directory in
            try Data(repeating: 0x2E, count: 8_192).write(to: URL(filePath: directory + "/store.sqlite"))
            let inUse = InUse(directory, isCache: false)
            await #expect(throws: StoreError.unreachable) { try await inUse.all() }
            await #expect(throws: StoreError.unreachable) { try await inUse.add(1) }
            #expect(inUse.store.check.status == .degraded)
            #expect(try inUse.corruptFiles() == [])
        }
    }

    // MARK: A cache

    @Test(arguments: Loss.allCases) func `a cache whose file is removed is replaced and caches again`(
        loss: Loss
    ) async throws {
        try await with(isCache: true) { inUse in
            try await inUse.add(1)
            try lose(loss, inUse.path)
            await #expect(throws: StoreError.unreachable) { try await inUse.add(2) }
            #expect(inUse.store.check.status == .serving)
            try await inUse.add(3)
            #expect(try await inUse.all() == [3])
            #expect(
                try inUse.corruptFiles().count == ([.exchanged, .journalRemoved].contains(loss) ? 1 : 0))
            #expect(inUse.log.lines.count == 2, "\(inUse.log.lines)")
            // The line names no remedy, because the operator need not do anything.
            #expect(inUse.log.lines[0].hasPrefix("the cache \(inUse.path)"))
            #expect(inUse.log.lines[0].hasSuffix("an empty one replaces it"))
        }
    }

    @Test func `a cache that is found damaged is renamed and replaced`() async throws {
        try await with(isCache: true) { inUse in
            try await inUse.add(1)
            await #expect(throws: StoreError.damaged) { try await inUse.damage() }
            #expect(inUse.log.lines[0].hasSuffix("an empty one replaces it"), "\(inUse.log.lines)")
            #expect(try inUse.corruptFiles().count == 1)
            #expect(inUse.store.check.status == .serving)
            try await inUse.add(2)
            #expect(try await inUse.all() == [2])
        }
    }

    @Test func `a really damaged file is detected and renamed`() async throws {
        try await with(isCache: true) { inUse in
            for number in 1...2_000 { try await inUse.add(number) }
            try inUse.store.close()
            var bytes = try Data(contentsOf: URL(filePath: inUse.path))
            bytes.replaceSubrange(4_096..<bytes.count, with: Data(repeating: 0xA5, count: bytes.count - 4_096))
            try bytes.write(to: URL(filePath: inUse.path))
            let again = InUse(inUse.directory, isCache: true)
            again.clock.advance(ReplacementPace.firstPause)
            #expect(try await again.all() == [])
            let files = try again.corruptFiles()
            #expect(files.count == 1, "\(files) \(again.log.lines)")
        }
    }

    @Test func `a cache that breaks repeatedly is replaced at growing intervals`() async throws {
        try await with(isCache: true) { inUse in
            try await inUse.add(1)
            await #expect(throws: StoreError.damaged) { try await inUse.damage() }
            for _ in 1...10 { await #expect(throws: StoreError.damaged) { try await inUse.damage() } }
            #expect(try inUse.corruptFiles().count == 1)
            #expect(inUse.store.check.status == .degraded)
            inUse.clock.advance(ReplacementPace.firstPause)
            await #expect(throws: StoreError.damaged) { try await inUse.damage() }
            inUse.clock.advance(ReplacementPace.firstPause)
            await #expect(throws: StoreError.damaged) { try await inUse.damage() }
            #expect(try inUse.corruptFiles().count == 2)
        }
    }

    @Test func `concurrent calls that find the damage replace the cache once`() async throws {
        try await with(isCache: true) { inUse in
            try await inUse.add(1)
            await withTaskGroup(of: Void.self) { group in
                for _ in 1...50 {
                    group.addTask { _ = await #expect(throws: StoreError.self) { try await inUse.damage() } }
                }
            }
            #expect(try inUse.corruptFiles().count == 1)
        }
    }

    @Test func `opening a cache is retried after a pause`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/store.sqlite"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            let inUse = InUse(directory, isCache: true)
            try FileManager.default.removeItem(atPath: path)
            await #expect(throws: StoreError.unreachable) { try await inUse.add(1) }
            #expect(inUse.store.check.status == .degraded)
            inUse.clock.advance(ReplacementPace.firstPause)
            try await inUse.add(1)
            #expect(inUse.store.check.status == .serving)
            #expect(inUse.log.lines.count == 1)
        }
    }

    @Test func `a cache that was closed stays closed`() async throws {
        try await with(isCache: true) { inUse in
            try inUse.store.close()
            inUse.clock.advance(1_000_000)
            await #expect(throws: StoreError.unreachable) { try await inUse.add(1) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: inUse.directory) == ["store.sqlite"])
        }
    }

    /// SQLite removes a journal by its path. The journal of another store at the same path must survive.
    @Test func `closing does not remove the journal of another store at the path`() async throws {
        try await withTemporaryDirectory { directory in
            try await withTemporaryDirectory { other in
                let inUse = InUse(directory, isCache: true)
                try await inUse.add(1)
                let another = InUse(other, isCache: true)
                try await another.add(5)
                for name in ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm"] {
                    try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
                    try FileManager.default.copyItem(atPath: "\(other)/\(name)", toPath: "\(directory)/\(name)")
                }
                await #expect(throws: StoreError.unreachable) { try await inUse.add(2) }
                let name = try #require(inUse.corruptFiles().first)
                let values = try await DatabaseQueue(path: "\(directory)/\(name)").read {
                    try Int.fetchAll($0, sql: "SELECT x FROM thing")
                }
                #expect(values == [5])
            }
        }
    }
}

import Foundation
import GRDB
import Glibc
import RPCTestKit
import SQLiteKit
import Testing

@Suite struct StoreOpeningTests {
    private static func opening(_ applicationID: String = "TEST", versions: Int = 1) -> StoreOpening {
        var migrator = DatabaseMigrator()
        for version in 1...versions {
            migrator.registerMigration("\(version)") { try $0.execute(sql: "CREATE TABLE thing\(version) (x)") }
        }
        return StoreOpening(applicationID: applicationID, migrator: migrator)
    }

    @Test func `only the owner can read a store`() async throws {
        try await withTemporaryDirectory { directory in
            let pool = try Self.opening().open(directory + "/store.sqlite")
            for file in ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: directory + "/" + file)
                #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
            }
            try pool.close()
        }
    }

    // MARK: Durability

    @Test func `an acknowledged write is on disk`() async throws {
        try await withTemporaryDirectory { directory in
            let pool = try Self.opening().open(directory + "/store.sqlite")
            // 2 is FULL: the log is synced with every commit.
            #expect(try await pool.write { try Int.fetchOne($0, sql: "PRAGMA synchronous") } == 2)
            #expect(try await pool.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
            #expect(try await pool.write { try Int.fetchOne($0, sql: "PRAGMA foreign_keys") } == 1)
        }
    }

    @Test func `a cache does not wait for the disk, and is as consistent`() async throws {
        try await withTemporaryDirectory { directory in
            let opening = Self.opening()
            let cache = StoreOpening(
                applicationID: opening.applicationID, migrator: opening.migrator, isCache: true)
            let pool = try cache.open(directory + "/store.sqlite")
            // 1 is NORMAL: the log is synced before a checkpoint.
            #expect(try await pool.write { try Int.fetchOne($0, sql: "PRAGMA synchronous") } == 1)
            #expect(try await pool.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
        }
    }

    @Test(arguments: [0, 1, 2]) func `an orderly end leaves one file, even after reads`(readers: Int) async throws {
        try await withTemporaryDirectory { directory in
            let pool = try Self.opening().open(directory + "/store.sqlite")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<readers {
                    group.addTask {
                        _ = try await pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM thing1") }
                    }
                }
                try await group.waitForAll()
            }
            try await pool.write { try $0.execute(sql: "INSERT INTO thing1 VALUES (1)") }
            try pool.closeIntoOneFile()
            let files = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(files == ["store.sqlite"])
        }
    }

    @Test func `a store can be opened again, also by a later version`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/data/store.sqlite"
            try await Self.opening().open(path).write { try $0.execute(sql: "INSERT INTO thing1 VALUES (7)") }
            let pool = try Self.opening(versions: 2).open(path)
            #expect(try await pool.read { try Int.fetchOne($0, sql: "SELECT x FROM thing1") } == 7)
            #expect(try await pool.read { try $0.tableExists("thing2") })
        }
    }

    @Test func `a store that a migration changes is copied before`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/store.sqlite"
            func files() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.contains("before") }
            }
            let first = try Self.opening().open(path)
            try await first.write { try $0.execute(sql: "INSERT INTO thing1 VALUES (7)") }
            // Its last write is in the journal only.
            #expect(try files() == [])
            for version in [2, 2, 3] {
                let pool = try Self.opening(versions: version).open(path)
                try await pool.write { try $0.execute(sql: "UPDATE thing1 SET x = x + 1") }
            }
            #expect(try files().sorted() == ["store.sqlite.before-2", "store.sqlite.before-3"])
            for (version, number) in [(1, 7), (2, 9)] {
                let copy = path + ".before-\(version + 1)"
                #expect(try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int == 0o600)
                let pool = try Self.opening(versions: version).open(copy)
                #expect(try await pool.read { try Int.fetchOne($0, sql: "SELECT x FROM thing1") } == number)
                #expect(try await pool.read { try $0.tableExists("thing\(version + 1)") } == false)
            }
        }
    }

    @Test func `a closed store is one file, also after reads and writes`() async throws {
        try await withTemporaryDirectory { directory in
            let pool = try Self.opening().open(directory + "/store.sqlite")
            try await pool.write { try $0.execute(sql: "INSERT INTO thing1 VALUES (7)") }
            for _ in 1...2 {
                #expect(try await pool.read { try Int.fetchOne($0.cachedStatement(sql: "SELECT x FROM thing1")) } == 7)
            }
            try pool.closeIntoOneFile()
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["store.sqlite"])
        }
    }

    @Test func `an empty file becomes a store`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/store.sqlite"
            try Data().write(to: URL(filePath: path))
            _ = try Self.opening().open(path)
        }
    }

    // MARK: Files that are no stores of ours

    @Test func `a file that is not a database does not change`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/store.sqlite"
            let garbage = Data("Dear diary, ".utf8) + Data(repeating: 0x2E, count: 8_192)
            try garbage.write(to: URL(filePath: path))
            expectRefusal(path, .notADatabase)
            #expect(try Data(contentsOf: URL(filePath: path)) == garbage)
        }
    }

    @Test func `the database of another program does not change`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/store.sqlite"
            try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE diary (day)") }
            let before = try Data(contentsOf: URL(filePath: path))
            expectRefusal(path, .foreign)
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
        }
    }

    @Test func `the store of another service does not change`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/store.sqlite"
            try Self.opening("ELSE").open(path).close()
            let before = try Data(contentsOf: URL(filePath: path))
            expectRefusal(path, .foreign)
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
        }
    }

    @Test func `the store of a newer version does not change`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/store.sqlite"
            try Self.opening(versions: 2).open(path).close()
            let before = try Data(contentsOf: URL(filePath: path))
            expectRefusal(path, .newer)
            #expect(Self.opening(versions: 1).isSuperseded(path))
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
        }
    }

    @Test func `a store is renamed with its journal, and nothing is overwritten`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/store.sqlite"
            let now = Date(timeIntervalSince1970: 1_769_903_999)
            for (number, name) in [(1, "20260131T235959Z"), (2, "20260131T235959Z-2"), (3, "20260131T235959Z-3")] {
                try Data("store \(number)".utf8).write(to: URL(filePath: path))
                try Data("journal \(number)".utf8).write(to: URL(filePath: path + "-wal"))
                #expect(try StoreOpening.setAside(path, now: now) == path + ".corrupt-" + name)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(names.count == 6)
            for (number, name) in [(1, "20260131T235959Z"), (2, "20260131T235959Z-2"), (3, "20260131T235959Z-3")] {
                let file = path + ".corrupt-" + name
                #expect(try Data(contentsOf: URL(filePath: file)) == Data("store \(number)".utf8))
                #expect(try Data(contentsOf: URL(filePath: file + "-wal")) == Data("journal \(number)".utf8))
            }
            // A new store can be created in its place.
            _ = try Self.opening().open(path)
        }
    }

    // MARK: Rights

    @Test func `an unwritable directory is reported`() async throws {
        try await withTemporaryDirectory { directory in
            try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: directory)
            withoutPrivileges { expectRefusal(directory + "/store.sqlite", .noAccess) }
        }
    }

    @Test func `a directory that cannot be created is reported`() async throws {
        try await withTemporaryDirectory { directory in
            try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: directory)
            withoutPrivileges { expectRefusal(directory + "/data/store.sqlite", .noAccess) }
        }
    }

    @Test func `an unwritable file is reported`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/store.sqlite"
            try Self.opening().open(path).close()
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: directory)
            try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
            withoutPrivileges { expectRefusal(path, .readOnly) }
        }
    }

    @Test func `an unwritable file with a journal, as a killed service leaves it, is reported`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/store.sqlite"
            let pool = try Self.opening().open(path)
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: directory)
            for file in ["", "-wal", "-shm"] {
                try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path + file)
            }
            withoutPrivileges { expectRefusal(path, .readOnly) }
            try pool.close()
        }
    }

    @Test func `a directory in place of the file is reported`() async throws {
        try await withTemporaryDirectory { directory in expectRefusal(directory, .directory) }
    }

    /// Runs `body` on this thread as the user nobody, because mode bits do not apply to root.
    private func withoutPrivileges(_ body: () -> Void) {
        guard geteuid() == 0 else { return body() }
        // Glibc's Swift module lacks `setfsuid`.
        typealias SetUser = @convention(c) (uid_t) -> CInt
        let setUser = unsafeBitCast(dlsym(nil, "setfsuid"), to: SetUser.self)
        let nobody: uid_t = 65_534
        _ = setUser(nobody)
        defer { _ = setUser(0) }
        body()
    }

    /// Expects a message of one line with the file, the reason and the remedy.
    private func expectRefusal(
        _ path: String, _ reason: StoreUnusable.Reason, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: StoreUnusable.self, sourceLocation: sourceLocation) {
            try Self.opening().open(path)
        }
        #expect(error?.path == path, sourceLocation: sourceLocation)
        #expect(error?.reason == reason, sourceLocation: sourceLocation)
        let message = error?.description ?? ""
        #expect(message.hasPrefix("cannot open the store \(path): "), sourceLocation: sourceLocation)
        #expect(message.contains("; "), sourceLocation: sourceLocation)
        #expect(!message.contains("\n"), sourceLocation: sourceLocation)
    }
}
